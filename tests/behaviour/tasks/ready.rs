//! Tasks that signal when they have started: S29.

use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

/// The actions of a task before it is ready, and after.
#[derive(Clone, Copy)]
enum Plan {
    Ready(Duration),
    /// Becomes ready through a subtask.
    Below(Duration),
    /// Becomes ready, and returns in the same poll.
    Through,
    /// Becomes ready, and fails in the same poll.
    ThroughFails,
    Returns(Duration),
    Fails(Duration),
    Panics,
    SubtaskFails(Duration),
    Never,
    /// Never becomes ready, and takes that long to return after the stop signal.
    Slow(Duration),
}

/// Records when it is dropped.
struct Mark(Journal);

impl Drop for Mark {
    fn drop(&mut self) {
        self.0.write("drop");
    }
}

async fn task(cx: TaskContext, journal: Journal, first: Plan, again: Plan) -> Result<(), Boom> {
    let _mark = Mark(journal.clone());
    journal.write("begins");
    match if cx.incarnation() == 1 { first } else { again } {
        Plan::Ready(after) => {
            sleep(after).await;
            cx.ready();
        }
        Plan::Below(after) => {
            let ready = cx.clone();
            cx.spawn(async move {
                sleep(after).await;
                ready.ready();
            });
        }
        Plan::Through => {
            cx.ready();
            return Ok(());
        }
        Plan::ThroughFails => {
            cx.ready();
            return Err(Boom::Told);
        }
        Plan::Returns(after) => {
            sleep(after).await;
            return Ok(());
        }
        Plan::Fails(after) => {
            sleep(after).await;
            return Err(Boom::Told);
        }
        Plan::Panics => panic!("planned panic"),
        Plan::SubtaskFails(after) => cx.spawn(async move {
            sleep(after).await;
            Err::<(), _>(Boom::Told)
        }),
        Plan::Never => {}
        Plan::Slow(grace) => {
            cx.stopped().await;
            journal.write("told");
            sleep(grace).await;
            journal.write("returns");
            return Ok(());
        }
    }
    cx.stopped().await;
    journal.write("told");
    Ok(())
}

supervisor! {
    struct One(journal: Journal, first: Plan, again: Plan) {
        #[lifecycle(Permanent, ready, start = 20s, shutdown = 3s)]
        http: task = |cx| task(cx, journal, first, again),
        after: Probe = Probe::start("after", journal).await?,
    }

    /// The time to stop is longer than that to start.
    struct Patient(journal: Journal, again: Plan) {
        #![strategy(AllForOne)]
        #[lifecycle(Permanent, ready, start = 5s, shutdown = 20s)]
        http: task = |cx| task(cx, journal, Plan::Ready(secs(1)), again),
        after: Probe = Probe::start("after", journal).await?,
    }

    struct Group(journal: Journal, again: Plan) {
        #![strategy(AllForOne)]
        #[lifecycle(ready)]
        http: task = |cx| task(cx, journal, Plan::Ready(secs(1)), again),
        after: Probe = Probe::start("after", journal).await?,
    }
}

/// S29: the first start waits until the task is ready, whether the task or a subtask signals it.
#[tokio::test(start_paused = true)]
async fn the_first_start_waits_for_a_task_to_be_ready() {
    for plan in [Plan::Ready(secs(7)), Plan::Below(secs(7))] {
        let journal = Journal::default();
        let begin = Instant::now();
        let tree = One::start(journal.clone(), plan, plan).await.unwrap();
        assert_eq!(begin.elapsed(), secs(7));
        assert_eq!(journal.take(), ["begins", "after start", "after pre_start"]);
        pass(secs(60)).await;
        assert_eq!(tree.http.incarnation(), 1, "the time limit ends with the start");
        assert!(tree.shutdown().await.is_orderly());
        assert!(journal.take().contains(&"told".to_owned()));
    }
}

/// S29: a task that becomes ready and returns in the same poll has started.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_ready_and_returns_has_started() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone(), Plan::Through, Plan::Ready(ms(1)));
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    pass(ms(100)).await;
    assert_eq!(tree.http.incarnation(), 2, "started, ended by itself, and started again as `Permanent`");
    let seen = seen(&mut events);
    assert_eq!(seen[0], "http started");
    assert!(!seen.contains(&"http failed".to_owned()), "{seen:?}");
}

/// S29: a task that becomes ready and fails in the same poll has started, and then it has failed.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_ready_and_fails_has_started() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone(), Plan::ThroughFails, Plan::Ready(ms(1)));
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    pass(ms(100)).await;
    assert_eq!(tree.http.incarnation(), 2);
    let seen: Vec<_> = seen(&mut events).into_iter().filter(|line| line.starts_with("http")).collect();
    assert_eq!(seen[..3], ["http started", "http failed", "http decided Restart"], "{seen:?}");
}

/// S29: a task that returns, fails or panics before it is ready has failed to start.
#[tokio::test(start_paused = true)]
async fn a_task_that_ends_before_it_is_ready_has_failed_to_start() {
    quiet_panics();
    let plans = [
        (Plan::Returns(secs(1)), "the task returned before it was ready"),
        (Plan::Fails(secs(1)), "Told"),
        (Plan::SubtaskFails(secs(1)), "Told"),
        (Plan::Panics, "panicked: planned panic"),
    ];
    for (plan, said) in plans {
        let journal = Journal::default();
        let failure = soon(One::start(journal.clone(), plan, plan)).await.unwrap_err();
        assert_eq!((failure.path(), failure.phase()), ("http", Phase::Start));
        assert!(failure.cause().to_string().starts_with(said), "{failure}");
        let lines = journal.take();
        assert!(!lines.contains(&"after start".to_owned()), "{lines:?}");
        assert_eq!(lines.last().unwrap(), "drop");
    }
}

/// S29: a task whose contexts are all gone can never be ready, and has failed to start.
#[tokio::test(start_paused = true)]
async fn a_task_that_drops_its_context_before_it_is_ready_has_failed_to_start() {
    async fn forgetful(cx: TaskContext, journal: Journal) {
        let _mark = Mark(journal);
        let copy = cx.clone();
        cx.spawn(async move {
            sleep(secs(2)).await;
            drop(copy);
        });
        drop(cx);
        std::future::pending::<()>().await;
    }
    supervisor! {
        struct Mute(journal: Journal) {
            #[lifecycle(Permanent, ready)]
            http: task = |cx| forgetful(cx, journal),
        }
    }
    let (journal, begin) = (Journal::default(), Instant::now());
    let failure = soon(Mute::start(journal.clone())).await.unwrap_err();
    assert_eq!((failure.path(), failure.phase()), ("http", Phase::Start));
    assert!(failure.cause().to_string().starts_with("the task dropped its context before it was ready"), "{failure}");
    // A context in a subtask counts. After the failure the task has its 5 s to end.
    assert_eq!(begin.elapsed(), secs(2) + secs(5));
    assert_eq!(journal.take(), ["drop"]);
}

/// S13, S29: the start time of a task runs until the task is ready.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_never_ready_is_past_its_start_time() {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone(), Plan::Never, Plan::Never);
    let mut events = tree.events();
    let begin = Instant::now();
    let failure = tree.start().await.unwrap_err();
    assert!(matches!(failure.cause(), Cause::TimedOut), "{failure}");
    assert_eq!(begin.elapsed(), secs(20));
    let mut waits = Vec::new();
    while let Some(event) = events.try_next() {
        waits.extend(matches!(event.kind, EventKind::StillStarting { ready: true, .. }).then(|| event.to_string()));
    }
    assert_eq!(waits, ["http #1 still starting after 10s: the task has not called `cx.ready()`"]);
    assert_eq!(journal.take(), ["begins", "told", "drop"], "the task got the signal, like any task that has failed");
}

/// S29, 2a: if a task that was up before fails in a restart, before it is ready, the phase is `Phase::Restart`.
#[tokio::test(start_paused = true)]
async fn a_restart_that_never_gets_ready_is_a_failed_restart() {
    let journal = Journal::default();
    let tree = One::start(journal.clone(), Plan::Ready(secs(1)), Plan::Fails(secs(1))).await.unwrap();
    let mut events = tree.events();
    tree.http.restart().unwrap();
    let failure = loop {
        match events.next().await.unwrap().kind {
            EventKind::Failed { failure, .. } => break failure,
            EventKind::Restarted => panic!("the task was never ready"),
            _ => {}
        }
    };
    assert_eq!((failure.phase(), failure.cause().to_string()), (Phase::Restart, "Told".to_owned()));
}

/// S29, 2a: a task that is not ready yet already runs: on a stop it gets the signal first, then its `shutdown` time.
#[tokio::test(start_paused = true)]
async fn a_stop_before_it_is_ready_tells_the_task() {
    for (grace, took, returns) in [(secs(2), secs(2), true), (secs(60), secs(3), false)] {
        let journal = Journal::default();
        let tree = One::start(journal.clone(), Plan::Ready(secs(1)), Plan::Slow(grace)).await.unwrap();
        tree.http.restart().unwrap();
        pass(secs(1)).await;
        journal.take();
        let begin = Instant::now();
        tree.http.stop();
        let ended = soon(tree.http.terminated()).await.unwrap();
        assert_eq!(begin.elapsed(), took);
        let lines = journal.take();
        assert_eq!(lines[0], "told");
        assert_eq!(lines.contains(&"returns".to_owned()), returns, "{lines:?}");
        assert_eq!(matches!(ended, Ended::Aborted), !returns, "{ended:?}");
    }
}

/// S13, S24: from a stop on, a task that is not ready has its `shutdown` time, and its start has no limit any more. The
/// same holds when its group goes down.
#[tokio::test(start_paused = true)]
async fn the_start_time_ends_with_a_stop() {
    for (grace, took) in [(secs(10), secs(10)), (secs(60), secs(20))] {
        for group in [false, true] {
            let journal = Journal::default();
            let tree = Patient::start(journal.clone(), Plan::Slow(grace)).await.unwrap();
            tree.http.restart().unwrap();
            pass(secs(4)).await;
            journal.take();
            let begin = Instant::now();
            match group {
                true => tree.after.tell(crate::common::Do::Fail(Boom::Told)).await.unwrap(),
                false => tree.http.stop(),
            }
            let mut lines = Vec::new();
            while !lines.contains(&"drop".to_owned()) {
                pass(ms(500)).await;
                lines.extend(journal.take());
            }
            assert_eq!(begin.elapsed(), took, "{lines:?}");
            assert_eq!(lines.contains(&"returns".to_owned()), grace == took, "{lines:?}");
        }
    }
}

/// S29, 2a: the same when its group goes down; after that, the task starts again.
#[tokio::test(start_paused = true)]
async fn a_group_that_goes_down_tells_a_task_that_is_not_ready() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone(), Plan::Slow(secs(1))).await.unwrap();
    tree.http.restart().unwrap();
    settle().await;
    journal.take();
    tree.after.tell(crate::common::Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let lines = journal.take();
    let told = lines.iter().position(|line| line == "told").unwrap();
    assert_eq!(lines[told..], ["told", "returns", "drop", "begins"]);
    assert_eq!(tree.http.incarnation(), 3);
}

/// S29, 2a: a kill before the task is ready is a failed start: the task is dropped at once.
#[tokio::test(start_paused = true)]
async fn a_kill_before_it_is_ready_drops_the_task() {
    let journal = Journal::default();
    let tree = One::start(journal.clone(), Plan::Ready(secs(1)), Plan::Slow(secs(60))).await.unwrap();
    tree.http.restart().unwrap();
    pass(secs(1)).await;
    journal.take();
    let begin = Instant::now();
    tree.http.kill();
    assert!(matches!(soon(tree.http.terminated()).await, Ok(Ended::Killed)));
    assert_eq!(begin.elapsed(), secs(0));
    assert_eq!(journal.take(), ["drop"]);
}

/// S29: subtasks that have no context cannot make their task ready: once the last context is gone the start fails at once,
/// and does not wait for their end, nor for the time of the start.
#[tokio::test(start_paused = true)]
async fn a_subtask_without_a_context_keeps_no_start_alive() {
    async fn leaves(cx: TaskContext, journal: Journal, runs: Vec<Duration>) {
        let _mark = Mark(journal);
        for time in runs {
            cx.spawn(sleep(time));
        }
        sleep(secs(1)).await;
        drop(cx);
        std::future::pending::<()>().await;
    }
    supervisor! {
        struct Leaves(journal: Journal, runs: Vec<Duration>) {
            #[lifecycle(Permanent, ready, start = 20s)]
            http: task = |cx| leaves(cx, journal, runs),
        }
    }
    for runs in [vec![Duration::MAX], vec![secs(60), secs(3)], vec![ms(500)], vec![]] {
        let (journal, begin) = (Journal::default(), Instant::now());
        let failure = soon(Leaves::start(journal.clone(), runs.clone())).await.unwrap_err();
        assert_eq!((failure.path(), failure.phase()), ("http", Phase::Start));
        let cause = failure.cause().to_string();
        assert!(cause.starts_with("the task dropped its context before it was ready"), "{runs:?}: {cause}");
        // After the failure the task has its 5 s to end.
        assert_eq!(begin.elapsed(), secs(1) + secs(5), "{runs:?}");
        assert_eq!(journal.take(), ["drop"]);
    }
}

/// S24, S29: a task that obeys a stop before it is ready has not failed: at the first start of its tree, at a restart, and
/// in a set. The report is orderly.
#[tokio::test(start_paused = true)]
async fn a_task_that_obeys_a_stop_before_it_is_ready_has_not_failed() {
    supervisor! {
        struct Several(journal: Journal) {
            #[lifecycle(Permanent, ready, start = 60s)]
            http: task = |cx| task(cx, journal, Plan::Ready(secs(1)), Plan::Slow(secs(1))),
            #[lifecycle(Permanent, ready, start = 60s)]
            set: [task] = || |cx| task(cx, journal.clone(), Plan::Slow(secs(1)), Plan::Never),
        }
    }
    let tree = Several::start(Journal::default()).await.unwrap();
    tree.http.restart().unwrap();
    let spawned = tokio::spawn(tree.set.spawn());
    pass(secs(2)).await;
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert!(spawned.await.unwrap().is_err(), "it was never up");

    supervisor! {
        struct Booting(journal: Journal) {
            #[lifecycle(Permanent, ready, start = 60s)]
            http: task = |cx| task(cx, journal, Plan::Slow(secs(1)), Plan::Never),
        }
    }
    let (stop, until) = tokio::sync::oneshot::channel::<()>();
    let run = tokio::spawn(Booting::tree(Journal::default()).run(until));
    pass(secs(2)).await;
    stop.send(()).unwrap();
    let report = soon(run).await.unwrap().unwrap();
    assert!(report.is_orderly(), "{report}");
}
