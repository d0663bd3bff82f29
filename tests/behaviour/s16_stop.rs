//! Stop wins in every phase: S16.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, settle};

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 2s)]
        #[backoff(10s..20s, random_factor = 0.0)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// The tree with one restart under way, whose `place` takes 30 s; nothing written so far.
async fn held_up_in(place: &str) -> (Running<One>, Journal) {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(30)));
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    (tree, journal)
}

/// S16: a stop in the wait cuts it short; the child never starts again, and no hook runs twice.
#[tokio::test(start_paused = true)]
async fn a_stop_in_the_wait_ends_the_child_at_once() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(before.elapsed(), secs(0));
    pass(secs(60)).await;
    assert_eq!(journal.take(), [""; 0], "nothing starts after a stop");
}

/// S16: a stop in a start drops it at once; `post_stop` is not owed, since `pre_start` had not succeeded.
#[tokio::test(start_paused = true)]
async fn a_stop_in_a_start_drops_the_start() {
    for place in ["start", "pre_start"] {
        let (tree, journal) = held_up_in(place).await;
        pass(secs(15)).await;
        journal.take();
        let before = tokio::time::Instant::now();
        tree.probe.stop();
        assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)), "{place}");
        assert_eq!(before.elapsed(), secs(0), "{place}");
        let expected: &[&str] = if place == "start" { &[] } else { &["probe drop"] };
        assert_eq!(journal.take(), expected, "{place}");
    }
}

/// S16: a stop in `post_restart` drops the hook; `post_stop` is owed, since `pre_start` had succeeded.
#[tokio::test(start_paused = true)]
async fn a_stop_in_post_restart_runs_the_post_stop_that_is_owed() {
    let (tree, journal) = held_up_in("post_restart").await;
    pass(secs(15)).await;
    journal.take();
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S16: `pre_restart` goes on within the time that began with the restart; then there is no start.
#[tokio::test(start_paused = true)]
async fn a_stop_in_pre_restart_lets_it_go_on_within_its_time() {
    let (tree, journal) = held_up_in("pre_restart").await;
    pass(ms(1500)).await;
    let before = tokio::time::Instant::now();
    tree.probe.stop();
    let ended = tree.probe.terminated().await;
    assert_eq!(before.elapsed(), ms(500), "2 s in all, of which 1.5 s were over");
    assert!(matches!(ended, Ok(Ended::Stopped | Ended::Aborted)), "{ended:?}");
    pass(secs(60)).await;
    let written = journal.take();
    assert!(!written.iter().skip(3).any(|line| line == "probe start"), "{written:?}");
}

/// S16: a kill in `pre_restart` drops the hook and aborts what is left; the restart goes on.
#[tokio::test(start_paused = true)]
async fn a_kill_in_pre_restart_drops_the_hook_and_the_restart_goes_on() {
    quiet_panics();
    let (tree, journal) = held_up_in("pre_restart").await;
    settle().await;
    journal.take();
    tree.probe.kill();
    pass(secs(11)).await;
    assert_eq!(
        journal.take(),
        ["probe drop", "probe start", "probe pre_start", "probe post_restart"],
        "no post_stop: an aborted instance loses it"
    );
    assert_eq!(tree.probe.incarnation(), 2);
}
