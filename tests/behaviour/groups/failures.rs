//! Failures while a group goes down or comes up, and what Stop ends: S18.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};
use crate::groups::strategies::of;

supervisor! {
    struct All(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Rest(journal: Journal) {
        #![strategy(RestForOne, max_restarts = 2, within = 1min)]
        #![decider(Boom::Fatal => Stop, Boom::Told | Boom::Planned => Restart)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Stopping(journal: Journal) {
        #![strategy(AllForOne)]
        #![decider(|_: &Failure| Directive::Stop)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// S18: a failure of an instance that is to go down anyway is absorbed: there is one restart, which counts once.
#[tokio::test(start_paused = true)]
async fn failures_on_the_way_down_are_absorbed() {
    let journal = Journal::default();
    let mut tree = All::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("b pre_restart", 1, Fault::Slow(secs(1)));
    seen(&mut events);
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    let events = seen(&mut events);
    assert_eq!(events.iter().filter(|event| event.contains("decided")).count(), 1, "{events:?}");
    assert!(events.contains(&"a reported".to_owned()), "{events:?}");
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 2));
}

/// S18: a failure of an instance that is already up again is new: it is decided and counts against the budget.
#[tokio::test(start_paused = true)]
async fn a_failure_of_one_already_up_again_starts_over() {
    let journal = Journal::default();
    let mut tree = All::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(1)));
    pass(ms(500)).await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3)).await;
    let events = seen(&mut events);
    assert_eq!(events.iter().filter(|event| *event == "a decided Restart").count(), 2, "{events:?}");
    assert_eq!(tree.a.incarnation(), 3);
}

/// S18: a failed member before the range widens it.
#[tokio::test(start_paused = true)]
async fn a_failed_member_before_the_range_widens_it() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    pass(secs(3)).await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop", "a drop"]);
    assert_eq!(of(&lines, " start"), ["a start", "b start", "c start"]);
    assert_eq!((tree.a.incarnation(), tree.b.incarnation(), tree.c.incarnation()), (2, 2, 2));
}

/// S18: `Stop` under RestForOne ends the range; the members before it go on.
#[tokio::test(start_paused = true)]
async fn stop_under_rest_for_one_ends_the_range() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    tree.b.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(matches!(tree.b.terminated().await, Ok(Ended::Failed(_))));
    assert!(matches!(tree.c.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 0);
    assert!(tree.ended().is_none());
}

/// S18: `Stop` under AllForOne ends the supervisor, with the first failure inside.
#[tokio::test(start_paused = true)]
async fn stop_under_all_for_one_ends_the_supervisor() {
    let journal = Journal::default();
    let tree = Stopping::start(journal.clone()).await.unwrap();
    tree.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = tree.join().await;
    let failure = report.ended.failure().expect("the tree failed").clone();
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Fatal));
    assert_eq!(of(&journal.take(), " drop"), ["b drop", "a drop"]);
}

/// S18: the failure that widens the range counts once, and the absorbed one does not count.
#[tokio::test(start_paused = true)]
async fn widening_costs_one() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3)).await;
    assert!(tree.ended().is_none(), "both restarts of the budget are used");
    assert_eq!(tree.c.incarnation(), 2);
    tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = tree.join().await;
    assert!(report.ended.failure().is_some_and(|f| matches!(f.cause(), Cause::LimitReached)), "{report}");
}

/// S18: a start that fails on the way up is new: AllForOne starts over by taking all members down.
#[tokio::test(start_paused = true)]
async fn all_for_one_starts_over_when_a_start_fails() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("b start", 1, Fault::Error);
    journal.take();
    tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop", "a drop", "a drop"]);
    assert_eq!(of(&lines, " start"), ["a start", "b start", "a start", "b start", "c start"]);
    let events = seen(&mut events);
    let decided: Vec<_> = events.iter().filter(|event| event.contains("decided")).collect();
    assert_eq!(decided, ["c decided Restart", "b decided Restart"], "both failures count against the budget");
}

/// S18: RestForOne goes on from the member whose start failed; members before it that are up stay up.
#[tokio::test(start_paused = true)]
async fn rest_for_one_goes_on_from_the_failed_start() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("b start", 1, Fault::Error);
    journal.take();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop", "a drop"]);
    assert_eq!(of(&lines, " start"), ["a start", "b start", "b start", "c start"]);
    assert_eq!(tree.a.incarnation(), 2);
}

/// S18: a start in progress is dropped when an earlier member fails again.
#[tokio::test(start_paused = true)]
async fn a_start_in_progress_is_dropped_with_its_group() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(30)));
    tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.c.ask(Do::Get).forever().await.unwrap(), 0);
    assert!(before.elapsed() < secs(1), "{:?}", before.elapsed());
    let lines = journal.take();
    assert_eq!(of(&lines, " start"), ["a start", "b start", "c start"]);
    assert!(of(&lines, " done").is_empty());
}

/// S18: `Stop` under OneForOne ends only the child.
#[tokio::test(start_paused = true)]
async fn stop_under_one_for_one_ends_the_child_alone() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_: &Failure| Directive::Stop)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.take();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(tree.a.terminated().await, Ok(Ended::Failed(_))));
    assert_eq!((journal.take(), tree.b.incarnation()), (vec!["a post_stop".into(), "a drop".to_owned()], 1));
}

/// S18: a `Stop` while the range goes down ends the range that it widens, and no member of the range comes up again.
#[tokio::test(start_paused = true)]
async fn a_stop_before_the_range_ends_the_range() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = tree.join().await;
    assert_eq!(report.ended.failure().and_then(|failure| failure.error()), Some(&Boom::Fatal), "{report}");
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop", "a drop"]);
    assert_eq!(of(&lines, " start").len(), 3, "the starts of the first start");
}
