//! The time limit of a start: S13.

use supervise::error::SpawnError;
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, seen, settle, soon};

supervisor! {
    struct One(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 3, on_limit = Stop)]
        #[lifecycle(start = 5s)]
        db: Probe = Probe::start("db", journal).await?,
        #[lifecycle(start = 15s)]
        slow: Probe = Probe::start("slow", journal).await?,
        #[lifecycle(start = 5s)]
        set: [Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
        #[lifecycle(start = 5s)]
        sub: struct Sub {
            inner: Probe = Probe::start("inner", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        },
    }
}

/// S13: a first start that exceeds its time is a failed start: the start of the tree fails at exactly that time.
#[tokio::test(start_paused = true)]
async fn a_first_start_past_its_time_has_failed() {
    for place in ["db start", "db pre_start"] {
        let journal = Journal::default();
        journal.plan(place, 1, Fault::Slow(secs(100)));
        let begin = Instant::now();
        let failure = One::start(journal.clone()).await.unwrap_err();
        assert_eq!(begin.elapsed(), secs(5));
        assert!(matches!(failure.cause(), Cause::TimedOut), "{failure}");
        assert_eq!((failure.path(), failure.phase()), ("db", Phase::Start));
        assert_eq!(failure.to_string(), "db failed while starting: took too long");
        assert!(!journal.take().contains(&format!("{place} done")), "dropped");
    }
}

/// S13: the time covers all steps together, up to the end of `post_restart`. In a restart, exceeding it is a failure
/// with `Phase::Restart`, which counts against the budget.
#[tokio::test(start_paused = true)]
async fn all_steps_of_a_restart_share_the_time() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.take();
    while events.try_next().is_some() {}
    journal.plan("db start", 1, Fault::Slow(secs(2)));
    journal.plan("db pre_start", 1, Fault::Slow(secs(2)));
    journal.plan("db post_restart", 1, Fault::Slow(secs(2)));
    let begin = Instant::now();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    let mut failures = Vec::new();
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Failed { failure, .. } => failures.push((failure, begin.elapsed())),
            EventKind::Restarted => break,
            _ => {}
        }
    }
    assert_eq!(failures.len(), 2);
    let (failure, after) = &failures[1];
    assert_eq!(*after, secs(5));
    assert!(matches!(failure.cause(), Cause::TimedOut));
    assert_eq!(failure.phase(), Phase::Restart);
    assert_eq!(
        journal.take(),
        [
            "db pre_restart",
            "db post_stop",
            "db drop",
            "db start",
            "db start done",
            "db pre_start",
            "db pre_start done",
            "db post_restart",
            "db post_stop",
            "db drop",
            "db start",
            "db pre_start",
            "db post_restart"
        ],
        "dropped in post_restart, so post_stop is due; a retry has no pre_restart"
    );
}

/// S13, S15: a start that is always too slow reaches its limit after that many attempts.
#[tokio::test(start_paused = true)]
async fn retries_that_take_too_long_count() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("db start", 100, Fault::Slow(secs(100)));
    let begin = Instant::now();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = soon(tree.db.terminated()).await.unwrap();
    let Ended::Limit(failure) = ended else { panic!("{ended:?}") };
    assert!(matches!(failure.before().unwrap().cause(), Cause::TimedOut));
    assert!(begin.elapsed() > secs(15) && begin.elapsed() < secs(16), "three attempts of 5 s: {:?}", begin.elapsed());
}

/// S13: a long start raises events meanwhile, whether it has a time limit or not; a start within its time succeeds.
#[tokio::test(start_paused = true)]
async fn a_start_within_its_time_goes_on() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    seen(&mut events);
    journal.plan("slow start", 1, Fault::Slow(secs(14)));
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(14)).await;
    assert_eq!(tree.slow.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(
        seen(&mut events),
        ["slow failed", "slow decided Restart", "slow restart in 0ns", "slow still starting 10s", "slow restarted"]
    );
    pass(secs(60)).await;
    assert_eq!(tree.slow.incarnation(), 2, "the time limit ends with the start");
}

/// S13, S27: the time applies to an instance of a set: the `spawn` that waits for it fails.
#[tokio::test(start_paused = true)]
async fn a_spawn_past_its_time_fails() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("set1 start", 1, Fault::Slow(secs(100)));
    let begin = Instant::now();
    match tree.set.spawn(1).await {
        Err(SpawnError::Start(failure)) => assert!(matches!(failure.cause(), Cause::TimedOut)),
        other => panic!("{other:?}"),
    }
    assert_eq!(begin.elapsed(), secs(5));
}

/// S13: the time of a tree runs from its build to its last child; when it is over, the children that are up go down.
#[tokio::test(start_paused = true)]
async fn a_subtree_has_its_time_for_all_its_children() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("inner start", 1, Fault::Slow(secs(3)));
    journal.plan("other start", 1, Fault::Slow(secs(3)));
    settle().await;
    journal.take();
    seen(&mut events);
    tree.sub.restart().unwrap();
    pass(secs(5)).await;
    let lines = journal.take();
    assert!(lines.contains(&"inner start done".to_owned()) && !lines.contains(&"other start done".to_owned()));
    let said = seen(&mut events);
    assert!(said.contains(&"sub failed".to_owned()) && said.contains(&"sub decided Restart".to_owned()), "{said:?}");
    pass(secs(1)).await;
    assert_eq!((tree.sub.incarnation(), tree.sub.other.ask(Do::Get).await.unwrap()), (3, 0));
}

/// S13, S16: a stop during a start does not wait for the start time.
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_start_time() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("db start", 1, Fault::Slow(secs(100)));
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let begin = Instant::now();
    tree.db.stop();
    assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(begin.elapsed(), secs(0));
}
