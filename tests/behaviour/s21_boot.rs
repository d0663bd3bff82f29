//! Boot, and the end of a tree: S21 and S22.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Fault, Journal, Probe, pass, secs, settle};

supervisor! {
    struct Three(journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
        let _noted = journal.write("let");
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Patient(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0.0)]
        slow: Probe = Probe::start("slow", journal).await?,
        quick: Probe = Probe::start("quick", journal).await?,
    }

    struct Jobs(journal: Journal) {
        one: Probe = Probe::start("one", journal).await?,
        #[lifecycle(Transient)]
        two: Probe = Probe::start("two", journal).await?,
    }

    struct Nested(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        inner: struct Deep { leaf: Probe = Probe::start("leaf", journal).await?, },
    }
}

/// S21: children start in order, each awaited, a `let` in its place.
#[tokio::test(start_paused = true)]
async fn children_start_in_order_each_awaited() {
    let journal = Journal::default();
    journal.plan("a pre_start", 1, Fault::Slow(secs(1)));
    let _tree = Three::start(journal.clone()).await.unwrap();
    assert_eq!(
        journal.take(),
        ["a start", "a pre_start", "a pre_start done", "let", "b start", "b pre_start", "c start", "c pre_start"]
    );
}

/// S21: boot is all or nothing: a failed start takes down what is up, in reverse, and gives path and cause.
#[tokio::test(start_paused = true)]
async fn a_failed_start_takes_down_what_is_up_in_reverse() {
    for (place, fault) in [("c start", Fault::Error), ("c pre_start", Fault::Panic)] {
        crate::kit::quiet_panics();
        let journal = Journal::default();
        journal.plan(place, 1, fault);
        let failure = Three::start(journal.clone()).await.unwrap_err();
        assert_eq!((failure.path(), failure.phase()), ("c", Phase::Start));
        let ends: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" post_stop")).collect();
        assert_eq!(ends, ["b post_stop", "a post_stop"], "{place}");
    }
}

/// S21: the failure of a subtree's child is the failure of `start()`, with its own path.
#[tokio::test(start_paused = true)]
async fn a_failed_start_below_names_the_child() {
    let journal = Journal::default();
    journal.plan("leaf start", 1, Fault::Error);
    let failure = Nested::start(journal.clone()).await.unwrap_err();
    assert_eq!(failure.path(), "inner/leaf");
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Planned));
    assert!(failure.to_string().contains("inner/leaf"), "{failure}");
    assert!(journal.take().contains(&"first post_stop".to_owned()));
}

/// S21: dropping the `start()` future takes down what is up.
#[tokio::test(start_paused = true)]
async fn dropping_the_start_future_takes_down_what_is_up() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Slow(secs(60)));
    assert!(tokio::time::timeout(secs(1), Three::start(journal.clone())).await.is_err());
    settle().await;
    assert_eq!(journal.take()[3..], ["b start", "a post_stop", "a drop"]);
}

/// S21: under OneForOne a child with a backoff whose try failed does not hold up the others; `ready()`
/// resolves when all are up.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_does_not_hold_up_the_boot() {
    let journal = Journal::default();
    journal.plan("slow start", 2, Fault::Error);
    let before = tokio::time::Instant::now();
    let tree = Patient::start(journal.clone()).await.unwrap();
    assert_eq!(before.elapsed(), secs(0), "start does not wait");
    assert_eq!(tree.quick.ask(Do::Get).await.unwrap(), 0);
    assert!(tree.ready().await);
    assert_eq!(before.elapsed(), secs(9), "3 s and 6 s");
    assert_eq!(tree.slow.ask(Do::Get).await.unwrap(), 0);
}

/// S22: a tree whose members have all ended ends too, `Done` if each ended by itself or was stopped.
#[tokio::test(start_paused = true)]
async fn a_tree_ends_when_its_members_have_ended() {
    let tree = Jobs::start(Journal::default()).await.unwrap();
    tree.one.stop();
    pass(secs(1)).await;
    assert!(tree.ended().is_none());
    tree.two.tell(Do::Stop).await.unwrap();
    let report = tree.join().await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
}

/// S22: and `Failed` with the first failure otherwise.
#[tokio::test(start_paused = true)]
async fn a_tree_fails_with_the_first_failure_of_its_members() {
    let tree = Jobs::start(Journal::default()).await.unwrap();
    tree.one.kill();
    settle().await;
    let report = {
        tree.two.tell(Do::Stop).await.unwrap();
        tree.join().await
    };
    assert!(report.ended.failure().is_some_and(|failure| failure.path() == "one"), "{report}");
}
