//! How soon and how often a child is restarted: S14 and S15.

use std::time::Duration;

use supervise::prelude::*;
use supervise::{EventKind, Events, MaxRestarts};
use tokio::time::Instant;

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle};

/// The waits that were announced for this child.
fn waits(events: &mut Events, path: &str) -> Vec<u128> {
    let mut waits = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        if let (EventKind::RestartScheduled { after }, true) = (event.kind, event.path == path) {
            waits.push(after.as_millis());
        }
    }
    waits
}

// ----- S14

supervisor! {
    struct Endless(journal: Journal) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(|_| Directive::Restart)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// S14: without a declared backoff the first restart in a row comes at once, the k-th after
/// 10 ms * 2^(k-2), at most 10 s.
#[tokio::test(start_paused = true)]
async fn the_built_in_pace_is_at_once_and_then_doubles_up_to_ten_seconds() {
    let journal = Journal::default();
    let tree = Endless::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("probe start", 13, Fault::Error);
    let begun = Instant::now();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.probe.ask(Do::Incarnation).forever().await.unwrap(), 15);
    let expected = [0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_000, 10_000, 10_000];
    assert_eq!(begun.elapsed().as_millis(), expected.iter().sum::<u128>(), "what is announced happens");
    assert_eq!(waits(&mut events, "probe"), expected);
}

/// S14: a handled message ends a row, but two restarts are never less than 10 ms apart.
#[tokio::test(start_paused = true)]
async fn a_handled_message_ends_a_row_and_the_least_gap_stays() {
    let tree = Endless::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    for pause in [0, 0, 4, 10, 300] {
        pass(ms(pause)).await;
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // handled: its handler was entered
        settle().await;
    }
    pass(secs(1)).await;
    // At once; 10 ms after the first; the third queued until then; ..
    let waits = waits(&mut events, "probe");
    assert_eq!(waits.len(), 5);
    assert!(waits.iter().all(|wait| *wait <= 10), "the row never grows: {waits:?}");
    assert_eq!((waits[0], waits[1], waits[4]), (0, 10, 0));
}

/// S14: an incarnation that ran 10 s ends a row too.
#[tokio::test(start_paused = true)]
async fn a_run_of_ten_seconds_ends_a_row() {
    for (ran, then) in [(9_990, 20), (10_010, 0)] {
        let journal = Journal::default();
        let tree = Endless::start(journal.clone()).await.unwrap();
        let mut events = tree.events();
        journal.plan("probe start", 1, Fault::Error);
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(10)).await; // up: in a row of two
        pass(ms(ran)).await;
        tree.probe.kill(); // no message handled
        pass(secs(1)).await;
        assert_eq!(waits(&mut events, "probe"), [0, 10, then], "after {ran} ms");
    }
}

/// S14: after a failed start or a task's end the first restart waits 10 ms too.
#[tokio::test(start_paused = true)]
async fn failed_starts_and_tasks_never_restart_at_once() {
    supervisor! {
        struct Both(journal: Journal) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![decider(|_| Directive::Restart)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            #[lifecycle(Permanent)]
            task: task = {
                let journal = journal;
                async move {
                    journal.reach("task".into()).await?;
                    std::future::pending::<Result<(), Boom>>().await
                }
            },
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("task", 4, Fault::Error);
    let mut tree = Both::tree(journal.clone());
    let (mut probes, mut tasks) = (tree.events(), tree.events());
    let tree = tree.start().await.unwrap();
    pass(secs(20)).await;
    journal.plan("task", 1, Fault::Error);
    tree.task.kill();
    pass(secs(1)).await;
    assert_eq!(waits(&mut probes, "probe"), [10, 10 * 1]);
    assert_eq!(waits(&mut tasks, "task"), [10, 10, 20, 40, 10, 10], "a run of 10 s ends the row of a task");
}

/// S14: a declared backoff waits exactly its delay, the first restart too, and at least 1 ms.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_waits_from_the_first_restart_on() {
    supervisor! {
        struct Declared(journal: Journal) {
            #[backoff(3s..30s, random_factor = 0)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            #[backoff(SlottedBackoff::new(ms(10)).ceiling(1))]
            least: Probe = Probe::start("least", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Declared::start(journal.clone()).await.unwrap();
    let (mut events, mut least) = (tree.events(), tree.events());
    journal.plan("probe start", 5, Fault::Error);
    let begun = Instant::now();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.least.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.probe.ask(Do::Incarnation).forever().await.unwrap(), 7);
    assert_eq!(begun.elapsed(), secs(3 + 6 + 12 + 24 + 30 + 30));
    assert_eq!(waits(&mut events, "probe"), [3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
    assert_eq!(waits(&mut least, "least"), [1]);
}

// ----- S15

/// S15: by default ten restarts in a minute; the eleventh escalates with `LimitReached`.
#[tokio::test(start_paused = true)]
async fn the_default_budget_is_ten_restarts_in_a_minute() {
    supervisor! {
        struct One(journal: Journal) {
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let one = One::start(Journal::default()).await.unwrap();
    for _ in 0..10 {
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(5)).await;
    }
    assert_eq!(one.probe.incarnation(), 11);
    pass(secs(10)).await; // the first of them is 60 s old and counts no more
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(4)).await;
    assert_eq!(one.probe.incarnation(), 12);
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = one.join().await;
    assert!(matches!(&report.ended, Ended::Limit(failure) if matches!(failure.cause(), Cause::LimitReached)));
}

/// S15: the window slides: never more than `max_restarts` in any window, wherever it begins.
#[tokio::test(start_paused = true)]
async fn the_window_slides() {
    supervisor! {
        struct One(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1s, on_limit = Stop)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    // (Restarts at these times, and whether the last one is allowed.)
    for (times, allowed) in [
        (&[0, 900, 1_000, 1_900, 2_000][..], true),
        (&[0, 900, 1_000, 1_899][..], false),
        (&[0, 900, 999][..], false),
    ] {
        let one = One::start(Journal::default()).await.unwrap();
        let begun = Instant::now();
        for time in times {
            tokio::time::sleep_until(begun + ms(*time)).await;
            one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            settle().await;
        }
        pass(ms(50)).await;
        assert_eq!(one.probe.ended().is_none(), allowed, "{times:?}");
        assert_eq!(one.other.ask(Do::Get).await.unwrap(), 0, "the budget is that of one child");
    }
}

/// S15: a declared backoff lifts the default; `Unlimited` says so; a declared limit holds beside it.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_has_no_budget_unless_one_is_declared() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[backoff(1ms..1ms)]
            free: Probe = Probe::start("free", journal.clone()).await?,
            #[limit(max_restarts = Unlimited)]
            unlimited: Probe = Probe::start("unlimited", journal.clone()).await?,
            #[backoff(1ms..1ms)]
            #[limit(max_restarts = 3, on_limit = Stop)]
            limited: Probe = Probe::start("limited", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    for _ in 0..30 {
        for probe in [&tree.free, &tree.unlimited, &tree.limited] {
            let _ = probe.tell(Do::Fail(Boom::Told)).await;
        }
        pass(ms(100)).await;
    }
    assert_eq!((tree.free.incarnation(), tree.unlimited.incarnation(), tree.limited.incarnation()), (31, 31, 4));
    assert!(matches!(tree.limited.ended(), Some(Ended::Limit(_))));
}

/// S15: 0 never restarts; without `within` it counts over the life of the supervisor.
#[tokio::test(start_paused = true)]
async fn none_at_all_and_so_many_for_ever() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[limit(max_restarts = 0, on_limit = Stop)]
            never: Probe = Probe::start("never", journal.clone()).await?,
            #[limit(max_restarts = 2, on_limit = Stop)]
            twice: Probe = Probe::start("twice", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.never.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(
        seen(&mut events),
        ["never failed", "never decided Restart", "never limit", "never ended Limit"],
        "no restart, no pre_restart"
    );
    for expected in [2, 3, 3] {
        let _ = tree.twice.tell(Do::Fail(Boom::Told)).await;
        pass(secs(24 * 3600)).await;
        assert_eq!(tree.twice.incarnation(), expected);
    }
    assert!(matches!(tree.twice.ended(), Some(Ended::Limit(_))));
}

/// S15: a child's own `limit` stands instead of the tree's, each field for itself.
#[tokio::test(start_paused = true)]
async fn each_field_of_a_childs_limit_stands_for_itself() {
    supervisor! {
        struct Tree(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 1, within = 1s, on_limit = Stop)]
            #[limit(within = 1h)]
            longer: Probe = Probe::start("longer", journal.clone()).await?,
            trees: Probe = Probe::start("trees", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    for _ in 0..2 {
        tree.longer.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.trees.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(2)).await;
    }
    assert!(matches!(tree.longer.ended(), Some(Ended::Limit(_))));
    assert_eq!(tree.trees.incarnation(), 3);
}

/// S15: a restarted end and each retry are charged, a group restart costs one.
#[tokio::test(start_paused = true)]
async fn ends_and_retries_are_charged_and_a_group_restart_costs_one() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(AllForOne, max_restarts = 4)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            second: Probe = Probe::start("second", journal.clone()).await?,
            third: Probe = Probe::start("third", journal).await?,
        }
    }
    let journal = Journal::default();
    let group = Group::start(journal.clone()).await.unwrap();
    group.second.tell(Do::Fail(Boom::Told)).await.unwrap(); // 1
    pass(secs(1)).await;
    group.first.tell(Do::Stop).await.unwrap(); // 2
    pass(secs(1)).await;
    journal.plan("third start", 1, Fault::Error);
    group.third.tell(Do::Fail(Boom::Told)).await.unwrap(); // 3, and 4 for the retry
    pass(secs(1)).await;
    assert!(group.ended().is_none());
    assert_eq!((group.first.incarnation(), group.third.incarnation()), (5, 6));
    group.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(group.join().await.ended, Ended::Limit(_)));
}

/// S15: restarts from above and absorbed failures are not charged, and a new incarnation of the
/// supervisor has fresh budgets and backoffs.
#[tokio::test(start_paused = true)]
async fn a_new_incarnation_of_the_supervisor_has_fresh_budgets_and_backoffs() {
    supervisor! {
        struct Top(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2)]
            inner: struct Inner {
                #![strategy(OneForOne, max_restarts = 1)]
                #[backoff(1s..64s, random_factor = 0)]
                paced: Probe = Probe::start("paced", journal.clone()).await?,
                probe: Probe = Probe::start("probe", journal).await?,
            },
        }
    }
    let top = Top::start(Journal::default()).await.unwrap();
    let (mut events, mut limits) = (top.events(), top.events());
    for _ in 0..2 {
        top.inner.paced.tell(Do::Fail(Boom::Told)).await.unwrap(); // its one
        pass(secs(5)).await;
        top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // its one
        pass(secs(5)).await;
        top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // too many: `inner` restarts
        pass(secs(5)).await;
    }
    assert!(top.ended().is_none());
    assert_eq!(top.inner.probe.incarnation(), 5);
    assert_eq!(waits(&mut events, "inner/paced"), [1_000, 1_000], "a fresh backoff");
    assert_eq!(seen(&mut limits).iter().filter(|line| *line == "inner/probe limit").count(), 2);
    // The budget of `inner` itself, in its own supervisor, is used up by now.
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(5)).await;
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(top.join().await.ended, Ended::Limit(_)));
}

/// S15: in a `[..]` the limit ends the instance alone, each has its own budget.
#[tokio::test(start_paused = true)]
async fn an_instance_of_a_set_at_its_limit_ends_alone() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[limit(max_restarts = 1)]
            probes: [Probe] = |name: &'static str| Probe::start(name, journal.clone()).await?,
        }
    }
    quiet_panics();
    let tree = Tree::start(Journal::default()).await.unwrap();
    let (one, other) = (tree.probes.spawn("one").await.unwrap(), tree.probes.spawn("other").await.unwrap());
    for _ in 0..2 {
        one.tell(Do::Panic).await.unwrap();
        pass(secs(1)).await;
    }
    assert!(matches!(one.ended(), Some(Ended::Limit(_))));
    other.tell(Do::Panic).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(other.incarnation(), 2);
    let _ = (MaxRestarts::Unlimited, Duration::ZERO);
}
