//! A task without `ready` is up when it has been launched; the outcome of its first poll is not part of its start: S29.

use std::time::Duration;

use supervise::prelude::*;
use supervise::{Cause, Phase};
use tokio::time::Instant;

use crate::common::{Boom, Journal, Probe, pass, secs, seen};

async fn at_once() -> Result<(), Boom> {
    Err(Boom::Told)
}

async fn fails_in(first: u32, cx: TaskContext) -> Result<(), Boom> {
    if cx.incarnation() <= first {
        return Err(Boom::Told);
    }
    cx.stopped().await;
    Ok(())
}

supervisor! {
    struct Jobs {
        #[decider(_ => Stop)]
        jobs: [task] = || at_once(),
        #[decider(_ => Stop)]
        keyed: [u32 => task] = |_key: u32| at_once(),
        #[lifecycle(Transient, ready)]
        #[decider(_ => Stop)]
        says: [task] = || |cx| fails_in(1, cx),
    }

    struct Goes(journal: Journal) {
        hasty: task = |cx| fails_in(3, cx),
        let _mark = journal.write("let");
        after: Probe = Probe::start("after", journal).await?,
    }

    struct Stops(journal: Journal) {
        #[decider(_ => Stop)]
        hasty: task = at_once(),
        after: Probe = Probe::start("after", journal).await?,
    }

    struct Escalates(journal: Journal) {
        #[decider(_ => Escalate)]
        hasty: task = at_once(),
        after: Probe = Probe::start("after", journal).await?,
    }

    struct Last {
        #[decider(_ => Stop)]
        #[lifecycle(Transient, ready)]
        last: task = |cx| fails_in(1, cx),
    }
}

/// S29, S27: on several threads too, a spawn is `Ok` once the task was launched, and the end of the task has the
/// failure.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_spawn_of_a_task_that_fails_at_once_is_ok() {
    let tree = Jobs::start().await.unwrap();
    for key in 0..1_000 {
        let job = tree.jobs.spawn().await.expect("the task was launched");
        let keyed = tree.keyed.spawn(key).await.expect("the task was launched");
        for job in [job, keyed] {
            match job.terminated().await.unwrap() {
                Ended::Failed(failure) => assert_eq!(failure.phase(), Phase::Running),
                other => panic!("{other}"),
            }
        }
    }
    tree.shutdown().await;
}

/// S29: the result does not depend on the order of tasks on a single thread either. With `ready`, the same failure is a
/// failed start.
#[tokio::test(start_paused = true)]
async fn a_spawn_is_ok_though_the_task_has_ended_when_it_is_heard() {
    let tree = Jobs::start().await.unwrap();
    assert!(tree.jobs.spawn().await.unwrap().ended().is_some());
    assert!(tree.keyed.get_or_spawn(1).await.unwrap().ended().is_some());
    match tree.says.spawn().await {
        Err(supervise::error::SpawnError::Start(failure)) => assert_eq!(failure.phase(), Phase::Start),
        other => panic!("{other:?}"),
    }
}

/// S21, S29: the task was up, so the others do not wait while it is restarted.
#[tokio::test(start_paused = true)]
async fn a_first_start_goes_on_after_a_task_that_fails_at_once() {
    let (journal, begin) = (Journal::default(), Instant::now());
    let mut blueprint = Goes::tree(journal.clone());
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert_eq!(journal.take(), ["let", "after start", "after pre_start"]);
    assert!(!tree.snapshot().find("hasty").unwrap().is_up());
    pass(secs(1)).await;
    assert!(tree.snapshot().find("hasty").unwrap().is_up());
    assert_eq!(tree.hasty.incarnation(), 4);
    let of_start = |line: &String| line.starts_with("hasty failed");
    assert_eq!(seen(&mut events).iter().filter(|line| of_start(line)).count(), 3);
}

/// S21, S29: until the last child is up, a Stop or an Escalate of the task makes the first start fail, as for any child
/// that runs.
#[tokio::test(start_paused = true)]
async fn a_child_that_fails_at_once_and_is_not_restarted_fails_the_first_start() {
    let journal = Journal::default();
    let stopped = Stops::start(journal.clone()).await.unwrap_err();
    let escalated = Escalates::start(journal.clone()).await.unwrap_err();
    for failure in [stopped, escalated] {
        assert!(matches!(failure.cause(), Cause::Error(_)), "{failure}");
        assert_eq!(failure.path(), "hasty");
    }
    // The same holds for the last child, if it declares `ready`.
    assert_eq!(Last::start().await.unwrap_err().phase(), Phase::Start);
}

/// S29: on several threads too, a tree whose only task ends at once has started, and its end is `Done`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_that_was_up_has_started_whatever_became_of_it() {
    supervisor! {
        struct Only {
            only: task = async { tokio::task::yield_now().await },
        }
    }
    for _ in 0..1_000 {
        let tree = Only::start().await.expect("the tree was up");
        assert!(matches!(tree.join().await.ended, Ended::Done));
    }
}
