//! One-shot work, O201 to O213, and tasks that represent a foreign process, O221 to O226.

use std::sync::Arc;

use supervise::error::{AskError, SpawnError};
use supervise::prelude::*;
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

use super::*;
use crate::common::{Boom, Fault, Journal, ms, pass, secs, seen, settle};

/// Sends its result after a time, if the job is well.
async fn job(
    time: Duration,
    well: bool,
    result: Arc<std::sync::Mutex<Option<oneshot::Sender<u32>>>>,
) -> Result<(), Boom> {
    sleep(time).await;
    if !well {
        return Err(Boom::Told);
    }
    let result = result.lock().unwrap().take();
    result.expect("once").send(7).expect("a caller waits");
    Ok(())
}

/// Runs foreign work until it ends, and ends that work when the task is asked to stop.
async fn adapter(cx: TaskContext, foreign: Arc<Notify>, journal: Journal) -> Result<(), Boom> {
    journal.write("up");
    tokio::select! {
        () = foreign.notified() => Err(Boom::Told),
        _ = cx.stopped() => {
            journal.write("ends what is not ours");
            Ok(())
        }
    }
}

/// Signals `ready` when the foreign work is up.
async fn ready(cx: TaskContext, well: bool) -> Result<(), Boom> {
    if !well {
        return Err(Boom::Planned);
    }
    cx.ready();
    cx.stopped().await;
    Ok(())
}

type Result7 = Arc<std::sync::Mutex<Option<oneshot::Sender<u32>>>>;

supervisor! {
    struct Jobs(stage: Stage) {
        #[lifecycle(Temporary)]
        #[max_children(2)]
        jobs: [task] = |time: Duration, well: bool, result: Result7| job(time, well, result),
        #[lifecycle(Temporary)]
        killed: [task] = |time: Duration| sleep(time),
        #[backoff(10s..10s, random_factor = 0)]
        units: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Bridge(foreign: Arc<Notify>, journal: Journal) {
        #[lifecycle(Permanent)]
        #[decider(Cause::Killed => Restart, _ => Restart)]
        bridge: task = |cx| adapter(cx, foreign, journal),
    }

    struct Ready(well: bool) {
        #[lifecycle(Transient, ready)]
        bridge: task = |cx| ready(cx, well),
    }
}

async fn jobs() -> (Running<Jobs>, Stage) {
    let stage = Stage::default();
    (Jobs::start(stage.clone()).await.unwrap(), stage)
}

fn result() -> (Result7, oneshot::Receiver<u32>) {
    let (give, get) = oneshot::channel();
    (Arc::new(std::sync::Mutex::new(Some(give))), get)
}

/// A task sends its result through the sender that it was given; while it runs, it is visible.
#[tokio::test(start_paused = true)]
async fn o201_a_task_gives_its_result_by_what_it_was_given() {
    let (tree, _) = jobs().await;
    let (give, get) = result();
    let task = tree.jobs.spawn(secs(1), true, give).await.unwrap();
    assert!(tree.snapshot().find(&task.path()).is_some_and(|node| node.is_up()));
    assert_eq!(soon(get).await, Ok(7));
    assert!(matches!(soon(task.terminated()).await, Ok(Ended::Done)));
    assert!(tree.jobs.is_empty());
}

/// The failure of a task is reported to the waiting caller, and nothing else fails.
#[tokio::test(start_paused = true)]
async fn o202_a_task_that_fails_notifies_its_waiters() {
    let (tree, _) = jobs().await;
    let (give, get) = result();
    let task = tree.jobs.spawn(secs(1), false, give).await.unwrap();
    assert!(soon(get).await.is_err());
    let ended = soon(task.terminated()).await.unwrap();
    assert_eq!(ended.failure().unwrap().error(), Some(&Boom::Told));
    assert!(tree.ended().is_none());
}

/// A task continues to run after its handle is dropped.
#[tokio::test(start_paused = true)]
async fn o203_a_task_runs_on_without_its_handle() {
    let (tree, _) = jobs().await;
    let (give, get) = result();
    drop(tree.jobs.spawn(secs(1), true, give).await.unwrap());
    assert_eq!(soon(get).await, Ok(7));
}

/// Tasks that do not watch for a stop are dropped.
#[tokio::test(start_paused = true)]
async fn o205_tasks_without_a_stop_signal_are_dropped() {
    let (tree, _) = jobs().await;
    let task = tree.killed.spawn(secs(3600)).await.unwrap();
    let begun = tokio::time::Instant::now();
    assert!(soon(tree.shutdown()).await.is_orderly());
    assert_eq!(begun.elapsed(), secs(0));
    assert!(task.ended().is_some());
}

/// A full set of tasks reports that to the caller of the spawn, and nothing is left.
#[tokio::test(start_paused = true)]
async fn o206_a_full_set_of_tasks_says_so() {
    let (tree, _) = jobs().await;
    for _ in 0..2 {
        tree.jobs.spawn(secs(1), false, result().0).await.unwrap();
    }
    let refused = tree.jobs.spawn(secs(1), false, result().0).await;
    assert!(matches!(refused, Err(SpawnError::MaxChildren { most: 2, .. })));
    pass(secs(1)).await;
    assert!(tree.jobs.is_empty());
    tree.jobs.spawn(secs(1), false, result().0).await.unwrap();
}

/// A task is stopped through its handle, once.
#[tokio::test(start_paused = true)]
async fn o207_a_task_is_stopped_by_its_handle() {
    let (tree, _) = jobs().await;
    let task = tree.jobs.spawn(secs(3600), false, result().0).await.unwrap();
    for _ in 0..2 {
        task.stop();
        soon(task.terminated()).await.unwrap();
    }
    assert!(tree.jobs.is_empty());
}

/// A caller whose timeout has passed gets an error, and a late answer goes nowhere.
#[tokio::test(start_paused = true)]
async fn o208_a_late_answer_goes_nowhere() {
    let stage = Stage::default();
    let unit = top("unit", &stage).await;
    stage.take();
    unit.tell(Msg::Work(secs(1))).await.unwrap();
    let late = |reply: Reply<u64>| {
        Msg::Do(Box::new(move |unit, _| {
            unit.stage.journal.write(format!("answers, no caller waits: {}", reply.is_closed()));
            reply.send(1);
            Box::pin(async { Ok(()) })
        }))
    };
    let asked = unit.ask(late).within(ms(10)).await;
    assert!(matches!(asked, Err(AskError::TimedOut { .. })), "{asked:?}");
    // Asked before the late answer is given, and queued after it: this ask gets its own answer.
    unit.tell(Msg::Add(7)).await.unwrap();
    assert_eq!(sum(&unit).await, 7);
    assert_eq!(stage.take(), ["unit works", "unit worked", "answers, no caller waits: true"]);
    assert_eq!(state(&unit), "lives");
}

/// A spawn whose future is dropped is taken back.
#[tokio::test(start_paused = true)]
async fn o212_a_spawn_that_is_given_up_is_taken_back() {
    let (tree, stage) = jobs().await;
    stage.plan("x start", 1, Fault::Slow(secs(10)));
    let spawn = tokio::spawn(tree.units.spawn("x"));
    settle().await;
    spawn.abort();
    pass(secs(60)).await;
    assert!(tree.units.is_empty());
    assert_eq!(stage.take(), ["x start"]);
}

/// An instance that is backing off is listed, with the time.
#[tokio::test(start_paused = true)]
async fn o213_a_child_that_backs_off_is_listed() {
    let (tree, _) = jobs().await;
    let unit = tree.units.spawn("x").await.unwrap();
    fail(&unit).await;
    settle().await;
    let snapshot = tree.snapshot();
    let node = snapshot.find(&unit.path()).unwrap();
    assert!(matches!(node.state, supervise::inspect::NodeState::BackingOff { .. }) && tree.units.len() == 1);
}

/// A child that cannot start is the error of the start.
#[tokio::test(start_paused = true)]
async fn o221_what_cannot_be_begun_is_the_error_of_the_start() {
    assert!(Ready::start(true).await.unwrap().shutdown().await.is_orderly());
    let failure = Ready::start(false).await.unwrap_err();
    assert_eq!((failure.path(), failure.error()), ("bridge", Some(&Boom::Planned)));
}

/// The end of the foreign work is the failure of the task that represents it.
#[tokio::test(start_paused = true)]
async fn o222_what_ends_and_is_not_ours_is_a_failure_of_its_task() {
    let (foreign, journal) = (Arc::new(Notify::new()), Journal::default());
    let tree = Bridge::start(foreign.clone(), journal.clone()).await.unwrap();
    settle().await;
    let mut events = tree.events();
    foreign.notify_waiters();
    pass(secs(1)).await;
    let told = ["bridge failed", "bridge decided Restart", "bridge restart in 10ms", "bridge restarted"];
    assert_eq!(seen(&mut events), told);
    assert_eq!(journal.take(), ["up", "up"]);
}

/// Repeated work, at an interval.
#[tokio::test(start_paused = true)]
async fn o223_what_ends_again_and_again_comes_back_each_time() {
    let (foreign, journal) = (Arc::new(Notify::new()), Journal::default());
    let tree = Bridge::start(foreign.clone(), journal.clone()).await.unwrap();
    for nth in 2..=5 {
        pass(secs(11)).await;
        foreign.notify_waiters();
        pass(secs(1)).await;
        assert_eq!(tree.bridge.incarnation(), nth);
    }
}

/// A killed task comes back if a decider restarts it, with the same handle.
#[tokio::test(start_paused = true)]
async fn o225_a_task_that_is_killed_comes_back_if_it_is_decided() {
    let tree = Bridge::start(Arc::default(), Journal::default()).await.unwrap();
    settle().await;
    tree.bridge.kill();
    pass(secs(1)).await;
    assert!(tree.bridge.ended().is_none());
    assert_eq!(tree.bridge.incarnation(), 2);
}

/// A task is asked to stop, and ends the foreign work in time.
#[tokio::test(start_paused = true)]
async fn o226_a_task_with_a_stop_signal_ends_what_is_not_ours() {
    let journal = Journal::default();
    let tree = Bridge::start(Arc::default(), journal.clone()).await.unwrap();
    settle().await;
    assert!(tree.shutdown().await.is_orderly());
    assert_eq!(journal.take(), ["up", "ends what is not ours"]);
}
