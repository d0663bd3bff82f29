//! Groups: S17 and S18.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Fault, Journal, Probe, pass, secs, seen, settle};

supervisor! {
    struct All(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Probe = Probe::start("a", journal).await?,
        #[lifecycle(Temporary)]
        t: Probe = Probe::start("t", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Rest(journal: Journal) {
        #![strategy(RestForOne)]
        #![decider(Boom::Fatal => Stop, Boom::Told | Boom::Planned => Restart)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Paced(journal: Journal) {
        #![strategy(AllForOne)]
        #[backoff(2s..20s, random_factor = 0.0)]
        a: Probe = Probe::start("a", journal).await?,
        #[backoff(5s..20s, random_factor = 0.0)]
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Stopping(journal: Journal) {
        #![strategy(AllForOne)]
        #![decider(|_: &Failure| Directive::Stop)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }
}

fn of(lines: &[String], what: &str) -> Vec<String> {
    lines.iter().filter(|line| line.ends_with(what)).cloned().collect()
}

/// S17: AllForOne goes down in reverse order, one at a time, and comes up in order; a `Temporary` member
/// goes down and ends.
#[tokio::test(start_paused = true)]
async fn all_for_one_goes_down_in_reverse_and_up_in_order() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    journal.take();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 0);
    settle().await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["b drop", "t drop", "a drop"]);
    assert_eq!(of(&lines, " start"), ["a start", "b start"]);
    assert_eq!(of(&lines, " pre_restart"), ["b pre_restart", "a pre_restart"], "Temporary ends, it does not restart");
    assert!(matches!(tree.t.ended(), Some(Ended::Stopped)));
}

/// S17: RestForOne takes along those after the failed one and nobody before it.
#[tokio::test(start_paused = true)]
async fn rest_for_one_leaves_those_before_alone() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    tree.a.tell(Do::Add(7)).await.unwrap();
    journal.take();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.c.ask(Do::Get).await.unwrap(), 0);
    settle().await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop"]);
    assert_eq!(of(&lines, " start"), ["b start", "c start"]);
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 7, "a kept its state");
}

/// S17: an earlier member serves until its turn to go down comes.
#[tokio::test(start_paused = true)]
async fn earlier_members_serve_until_their_turn() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.b.tell(Do::Note("still serves")).await.unwrap();
    settle().await;
    assert!(journal.take().contains(&"b still serves".to_owned()), "c is still in pre_restart, b goes after it");
}

/// S17: there is one wait, the longest of those that failed.
#[tokio::test(start_paused = true)]
async fn the_group_waits_once_for_the_longest() {
    let journal = Journal::default();
    let tree = Paced::start(journal.clone()).await.unwrap();
    let before = tokio::time::Instant::now();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.a.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(5));
    let before = tokio::time::Instant::now();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.b.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(2));
}

/// S18: a failure of an instance that is to go down is absorbed: one restart, one charge.
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

/// S18: a failure of an instance that is already up again is new: decided and charged.
#[tokio::test(start_paused = true)]
async fn a_failure_of_one_already_up_again_starts_over() {
    let journal = Journal::default();
    let mut tree = All::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(1)));
    pass(ms_half()).await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3)).await;
    let events = seen(&mut events);
    assert_eq!(events.iter().filter(|event| *event == "a decided Restart").count(), 2, "{events:?}");
    assert_eq!(tree.a.incarnation(), 3);
}

fn ms_half() -> std::time::Duration {
    crate::kit::ms(500)
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

/// S18: `Stop` ends the range under RestForOne; those before it go on.
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

/// S18: `Stop` under AllForOne ends the supervisor, the first failure inside.
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

/// S17: a group restart costs one of the budget, however many members it takes along.
#[tokio::test(start_paused = true)]
async fn a_group_restart_costs_one() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    for _ in 0..3 {
        tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.b.ask(Do::Get).forever().await.unwrap();
        pass(secs(1)).await;
    }
    assert!(tree.ended().is_none());
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = tree.join().await;
    let failure = report.ended.failure().expect("the tree failed");
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Told), "the last failure is inside");
}
