//! Tasks: S29.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::common::{Boom, Journal, ms, pass, quiet_panics, secs, seen, settle, soon};

/// Records when it is dropped.
struct Mark(&'static str, Journal);

impl Drop for Mark {
    fn drop(&mut self) {
        self.1.write(format!("{} drop", self.0));
    }
}

async fn forever(name: &'static str, journal: Journal) -> ! {
    let _mark = Mark(name, journal);
    std::future::pending().await
}

async fn once(result: Result<(), Boom>, after: Duration) -> Result<(), Boom> {
    sleep(after).await;
    result
}

/// Returns `grace` after the stop signal.
async fn polite(cx: TaskContext, name: &'static str, journal: Journal, grace: Duration) {
    let _mark = Mark(name, journal.clone());
    cx.stopped().await;
    journal.write(format!("{name} told"));
    sleep(grace).await;
    journal.write(format!("{name} returns"));
}

supervisor! {
    struct Outputs(journal: Journal) {
        never: task = forever("never", journal),
        done: task = async { sleep(ms(5)).await },
        fine: task = once(Ok(()), ms(5)),
        failing: task = once(Err(Boom::Told), secs(1)),
        #[lifecycle(Permanent)]
        again: task = once(Ok(()), secs(30)),
    }

    struct Stops(journal: Journal) {
        bare: task = forever("bare", journal),
        #[lifecycle(Transient, shutdown = 3s)]
        polite: task = |cx| polite(cx, "polite", journal, secs(2)),
        #[lifecycle(Transient, shutdown = 3s)]
        slow: task = |cx| polite(cx, "slow", journal, secs(60)),
    }

    struct Late {
        late: task = |cx| async move {
            cx.spawn(once(Err(Boom::Told), secs(1)));
            cx.stopped().await;
            once(Err(Boom::Fatal), ms(10)).await
        },
    }

    struct Subtasks(journal: Journal, plan: Plan) {
        #[lifecycle(Transient, shutdown = 3s)]
        parent: task = |cx| parent(cx, plan, journal),
    }
}

/// The actions of the own future and the subtasks of `parent`.
#[derive(Clone, Copy, PartialEq)]
enum Plan {
    SubtaskFails,
    SubtaskPanics,
    OwnFails,
    OwnPanics,
    Returns,
    Waits,
}

async fn parent(cx: TaskContext, plan: Plan, journal: Journal) -> Result<(), Boom> {
    // After a restart, no future fails any more.
    let plan = if cx.incarnation() == 1 { plan } else { Plan::Waits };
    cx.spawn(polite(cx.clone(), "one", journal.clone(), secs(1)));
    cx.spawn(polite(cx.clone(), "two", journal.clone(), secs(60)));
    match plan {
        Plan::SubtaskFails => cx.spawn(once(Err(Boom::Told), secs(1))),
        Plan::SubtaskPanics => cx.spawn(async {
            sleep(secs(1)).await;
            panic!("planned panic in a subtask")
        }),
        Plan::OwnFails => return once(Err(Boom::Told), secs(1)).await,
        Plan::OwnPanics => {
            sleep(secs(1)).await;
            panic!("planned panic in a task")
        }
        Plan::Returns => return once(Ok(()), secs(1)).await,
        Plan::Waits => {}
    }
    polite(cx, "own", journal, secs(2)).await;
    Ok(())
}

/// S29, S23: `()`, `!` and `Result` are outputs; `Ok` is an end by itself, and `Err` is a failure that leads to a
/// restart.
#[tokio::test(start_paused = true)]
async fn a_task_returns_nothing_never_or_a_result() {
    let mut blueprint = Outputs::tree(Journal::default());
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    seen(&mut events);
    pass(ms(500)).await;
    assert_eq!(seen(&mut events), ["done ended Done", "fine ended Done"]);
    pass(ms(500)).await;
    assert_eq!(
        seen(&mut events),
        ["failing failed", "failing decided Restart", "failing restart in 10ms"],
        "a task's end waits 10 ms (S14)"
    );
    pass(ms(10)).await;
    assert_eq!(seen(&mut events), ["failing restarted"]);
    tree.failing.stop();
    pass(secs(28)).await;
    assert_eq!(seen(&mut events), ["failing stopping Asked", "failing ended Stopped"]);
    pass(secs(1)).await;
    assert_eq!(seen(&mut events), ["again restart in 10ms", "again restarted"], "`Permanent`, decider not asked");
    assert_eq!([tree.never.incarnation(), tree.again.incarnation()], [1, 2]);
    assert!(tree.never.ended().is_none());
}

/// S29: a task counts as started when it is launched: the first start of the tree does not wait for its end.
#[tokio::test(start_paused = true)]
async fn a_task_is_up_when_it_is_launched() {
    let begin = Instant::now();
    let tree = Outputs::start(Journal::default()).await.unwrap();
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert_eq!(tree.again.incarnation(), 1);
}

/// S29: on a stop, the signal comes first, then the `shutdown` time to return, then the abort. A task without a context
/// is dropped at its next await.
#[tokio::test(start_paused = true)]
async fn a_stop_signals_then_waits_then_aborts() {
    let journal = Journal::default();
    let tree = Stops::start(journal.clone()).await.unwrap();
    settle().await;
    let begin = Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(begin.elapsed(), secs(5), "3 s and 2 s, one after the other");
    assert_eq!(journal.take(), ["slow told", "slow drop", "polite told", "polite returns", "polite drop", "bare drop"]);
    let ends: Vec<_> = report
        .children
        .iter()
        .map(|child| (&*child.path, child.took, child.aborted, child.ended.to_string()))
        .collect();
    assert_eq!(ends[0].0, "slow");
    assert_eq!((ends[0].1, ends[0].2), (secs(3), true));
    assert!(matches!(report.children[0].ended, Ended::Aborted));
    assert_eq!(ends[1], ("polite", secs(2), false, "stopped".into()));
    assert_eq!(ends[2], ("bare", Duration::ZERO, false, "stopped".into()));
}

/// S29: a task that is stopped through its handle stays ended.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_stopped_from_outside_stays_ended() {
    let journal = Journal::default();
    let tree = Stops::start(journal.clone()).await.unwrap();
    settle().await;
    tree.polite.stop();
    assert!(matches!(tree.polite.terminated().await.unwrap(), Ended::Stopped));
    pass(secs(60)).await;
    assert_eq!(tree.polite.incarnation(), 1);
    assert_eq!(journal.take(), ["polite told", "polite returns", "polite drop"]);
}

/// S29: `kill` gives no time: the task is dropped at its next await, and the decision is made (S9: Stop).
#[tokio::test(start_paused = true)]
async fn a_killed_task_is_dropped_at_once() {
    let journal = Journal::default();
    let tree = Subtasks::start(journal.clone(), Plan::Waits).await.unwrap();
    settle().await;
    let begin = Instant::now();
    tree.parent.kill();
    assert!(matches!(tree.parent.terminated().await.unwrap(), Ended::Killed));
    assert_eq!(begin.elapsed(), Duration::ZERO);
    let mut lines = journal.take();
    lines.sort();
    assert_eq!(lines, ["one drop", "own drop", "two drop"]);
}

/// S29: the failure of a subtask is the task's own: all others get the signal and have the `shutdown` time, are then
/// dropped, and only then the failure is decided.
#[tokio::test(start_paused = true)]
async fn a_failed_subtask_takes_the_task_down_before_it_is_decided() {
    quiet_panics();
    for (plan, cause) in [(Plan::SubtaskFails, "Told"), (Plan::SubtaskPanics, "panicked: planned panic in a subtask")] {
        let journal = Journal::default();
        let tree = Subtasks::start(journal.clone(), plan).await.unwrap();
        let mut events = tree.events();
        pass(ms(1001)).await;
        assert!(seen(&mut events).iter().all(|line| line != "parent decided Restart"), "not yet");
        let mut lines = journal.take();
        lines.sort();
        assert_eq!(lines, ["one told", "own told", "two told"], "{cause}");
        pass(ms(1500)).await;
        assert_eq!(journal.take(), ["one returns", "one drop"]);
        pass(ms(1490)).await;
        assert_eq!(journal.take(), ["own returns", "own drop"], "the restart comes at most 3 s after the failure");
        pass(ms(20)).await;
        assert_eq!(journal.take(), ["two drop"]);
        pass(ms(10)).await;
        let mut why = None;
        while let Some(event) = events.try_next() {
            if let EventKind::Decided { failure, .. } = event.kind {
                why = Some(failure.cause().to_string());
            }
        }
        assert_eq!(why.as_deref(), Some(cause));
        assert_eq!(tree.parent.incarnation(), 2);
    }
}

/// S29: the task's own failure or panic has the same effect on its subtasks.
#[tokio::test(start_paused = true)]
async fn a_failed_task_takes_its_subtasks_down_before_it_is_decided() {
    quiet_panics();
    for plan in [Plan::OwnFails, Plan::OwnPanics] {
        let journal = Journal::default();
        let tree = Subtasks::start(journal.clone(), plan).await.unwrap();
        let begin = Instant::now();
        while tree.parent.incarnation() == 1 {
            sleep(ms(1)).await;
        }
        let waited = begin.elapsed();
        assert!(waited >= ms(4010) && waited <= ms(4015), "1 s, then 3 s, then 10 ms: {waited:?}");
        let mut lines = journal.take();
        lines[..2].sort(); // signalled at once, and woken in any order
        assert_eq!(lines, ["one told", "two told", "one returns", "one drop", "two drop"]);
    }
}

/// S29: when the own future returns, the subtasks get the signal, have the `shutdown` time, and are then aborted and
/// waited for.
#[tokio::test(start_paused = true)]
async fn no_subtask_outlives_its_task() {
    let journal = Journal::default();
    let tree = Subtasks::start(journal.clone(), Plan::Returns).await.unwrap();
    let begin = Instant::now();
    let ended = tree.parent.terminated().await.unwrap();
    assert_eq!(begin.elapsed(), secs(4), "1 s, then 3 s for the second subtask");
    assert!(matches!(ended, Ended::Aborted), "{ended:?}");
    let mut lines = journal.take();
    lines[..2].sort();
    assert_eq!(lines, ["one told", "two told", "one returns", "one drop", "two drop"]);
}

/// S29: a stop signals the subtasks too, and does not end before they are down.
#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_the_subtasks() {
    let journal = Journal::default();
    let tree = Subtasks::start(journal.clone(), Plan::Waits).await.unwrap();
    settle().await;
    let begin = Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(begin.elapsed(), secs(3));
    assert!(report.children[0].aborted);
    let lines = journal.take();
    assert_eq!(lines.last().map(String::as_str), Some("two drop"), "{lines:?}");
    assert!(lines.contains(&"own returns".into()) && lines.contains(&"one returns".into()));
}

/// S29: a subtask that begins on the way down, at a stop or after a failure, is one like the others: it has the rest of the
/// time.
#[tokio::test(start_paused = true)]
async fn a_subtask_that_begins_on_the_way_down_has_the_rest_of_the_time() {
    async fn cleans_up(cx: TaskContext, plan: Plan, journal: Journal) {
        if cx.incarnation() > 1 {
            return;
        }
        if plan == Plan::SubtaskFails {
            cx.spawn(once(Err(Boom::Told), secs(1)));
        }
        cx.stopped().await;
        for (name, takes) in [("short", secs(2)), ("long", secs(60))] {
            let journal = journal.clone();
            cx.spawn(async move {
                let _mark = Mark(name, journal.clone());
                sleep(takes).await;
                journal.write(format!("{name} returns"));
            });
        }
    }
    supervisor! {
        struct Cleans(journal: Journal, plan: Plan) {
            #[lifecycle(Transient, shutdown = 3s)]
            work: task = |cx| cleans_up(cx, plan, journal),
        }
    }
    for plan in [Plan::SubtaskFails, Plan::Waits] {
        let journal = Journal::default();
        let tree = Cleans::start(journal.clone(), plan).await.unwrap();
        pass(secs(1)).await;
        if plan == Plan::Waits {
            tree.work.stop();
        }
        pass(ms(2999)).await;
        assert_eq!(journal.take(), ["short returns", "short drop"]);
        pass(ms(2)).await;
        assert_eq!(journal.take(), ["long drop"]);
    }
}

/// S29: the token of a task is its signal in another form. It is cancelled whenever the signal resolves: at a stop, at a
/// failure, and when the task's own future has returned; so is one that is asked for later.
#[tokio::test(start_paused = true)]
async fn a_token_is_cancelled_with_the_signal() {
    async fn tokens(cx: TaskContext, plan: Plan, journal: Journal) -> Result<(), Boom> {
        if cx.incarnation() > 1 {
            return Ok(());
        }
        let (early, own, beside) = (cx.token(), cx.token(), cx.clone());
        cx.spawn(async move {
            early.cancelled().await;
            journal.write(if beside.is_stopped() { "early" } else { "too early" });
            beside.token().cancelled().await;
            journal.write("late");
        });
        match plan {
            Plan::Returns => sleep(secs(1)).await,
            Plan::OwnFails => return once(Err(Boom::Told), secs(1)).await,
            _ => own.cancelled().await,
        }
        Ok(())
    }
    async fn with_a_subtask(cx: TaskContext, plan: Plan, journal: Journal) -> Result<(), Boom> {
        if plan == Plan::SubtaskFails && cx.incarnation() == 1 {
            cx.spawn(once(Err(Boom::Told), secs(1)));
        }
        tokens(cx, plan, journal).await
    }
    supervisor! {
        struct Holds(journal: Journal, plan: Plan) {
            #[lifecycle(Transient)]
            work: task = |cx| with_a_subtask(cx, plan, journal),
        }
    }
    for plan in [Plan::SubtaskFails, Plan::OwnFails, Plan::Returns, Plan::Waits] {
        let journal = Journal::default();
        let tree = Holds::start(journal.clone(), plan).await.unwrap();
        pass(ms(999)).await;
        assert!(journal.take().is_empty());
        if plan == Plan::Waits {
            tree.work.stop();
        }
        pass(ms(2)).await;
        assert_eq!(journal.take(), ["early", "late"]);
    }
}

/// S29: cancelling a token of a task or an actor cancels no other one, and stops nothing.
#[tokio::test(start_paused = true)]
async fn each_token_is_on_its_own() {
    struct Holder;
    #[actor]
    impl Holder {
        fn handle(&mut self, reply: Reply<Vec<bool>>, cx: &mut Context<Self>) {
            reply.send(cancels(|| cx.token()));
        }
    }
    fn cancels(mut token: impl FnMut() -> CancellationToken) -> Vec<bool> {
        let before = token();
        token().cancel();
        before.cancel();
        let (one, other) = (token(), token());
        one.cancel();
        vec![other.is_cancelled(), token().is_cancelled()]
    }
    supervisor! {
        struct Both(journal: Journal) {
            holder: Holder = Holder,
            work: task = |cx| async move {
                journal.write(format!("{:?} {}", cancels(|| cx.token()), cx.is_stopped()));
                cx.token().cancelled().await;
            },
        }
    }
    let journal = Journal::default();
    let tree = Both::start(journal.clone()).await.unwrap();
    assert_eq!(tree.holder.ask(|reply| reply).await.unwrap(), [false, false]);
    assert_eq!(tree.holder.ask(|reply| reply).await.unwrap(), [false, false]);
    assert_eq!(journal.take(), ["[false, false] false"]);
    assert!(tree.work.ended().is_none());
}

/// S29: a failure after the stop signal is not decided, but it is not lost: it is reported.
#[tokio::test(start_paused = true)]
async fn a_second_failure_on_the_way_down_is_reported() {
    let tree = Late::start().await.unwrap();
    let mut events = tree.events();
    pass(secs(2)).await;
    assert_eq!(
        seen(&mut events)[..4],
        ["late reported", "late failed", "late decided Restart", "late restart in 10ms"]
    );
}

/// Knows the task to which it belongs, and writes down when it is dropped whether that task has ended.
struct Belongs(&'static str, Journal, Arc<OnceLock<TaskRef>>);

impl Drop for Belongs {
    fn drop(&mut self) {
        let task = self.2.get().expect("the task is known by then");
        self.1.write(format!("{} of {}, alive: {}", self.0, task.incarnation(), task.is_alive()));
    }
}

/// S29: no subtask outlives its task, however it is taken down: the task has not ended, nor begun again, before the last
/// value of its subtasks is dropped.
#[tokio::test(start_paused = true)]
async fn a_task_ends_after_its_aborted_subtasks() {
    async fn deaf(cx: TaskContext, journal: Journal, whose: Arc<OnceLock<TaskRef>>, fails: bool) -> Result<(), Boom> {
        if cx.incarnation() == 1 {
            for name in ["one", "two"] {
                let value = Belongs(name, journal.clone(), whose.clone());
                cx.spawn(async move {
                    let _value = value;
                    std::future::pending::<()>().await
                });
            }
        }
        once(if fails && cx.incarnation() == 1 { Err(Boom::Told) } else { Ok(()) }, secs(60)).await
    }
    supervisor! {
        struct Deaf(journal: Journal, whose: Arc<OnceLock<TaskRef>>, fails: bool, times: Duration) {
            #![decider(_ => Restart)]
            #[lifecycle(Transient, shutdown = times)]
            deaf: task = |cx| deaf(cx, journal, whose, fails),
            other: task = std::future::pending::<()>(),
        }
    }
    quiet_panics();
    type How = fn(&TaskRef);
    let ways: [(&str, bool, How); 5] = [
        ("a stop", false, |task| task.stop()),
        ("a kill that restarts it", false, |task| task.kill()),
        ("a restart by hand", false, |task| drop(task.restart())),
        ("its own end", false, |_| {}),
        ("its own failure", true, |_| {}),
    ];
    for (way, fails, how) in ways {
        for time in [secs(3), ms(1)] {
            let (journal, whose) = (Journal::default(), Arc::<OnceLock<TaskRef>>::default());
            let tree = Deaf::start(journal.clone(), whose.clone(), fails, time).await.unwrap();
            whose.set(tree.deaf.clone()).unwrap();
            settle().await;
            how(&tree.deaf);
            pass(secs(70)).await;
            let mut lines = journal.take();
            lines.sort();
            assert_eq!(lines, ["one of 1, alive: true", "two of 1, alive: true"], "{way}, {time:?}");
        }
    }
}

/// S29: a subtask that is spawned right before the task returns, in its first poll or a later one, runs too: it is asked
/// to stop, and has its time.
#[tokio::test(start_paused = true)]
async fn a_subtask_of_a_task_that_returns_at_once_has_its_time() {
    supervisor! {
        struct Brief(journal: Journal, waits: Duration) {
            brief: task = |cx| async move {
                if !waits.is_zero() {
                    sleep(waits).await;
                }
                cx.spawn(polite(cx.clone(), "one", journal.clone(), secs(1)));
                let inner = cx.clone();
                cx.spawn(async move {
                    inner.spawn(polite(inner.clone(), "two", journal, secs(2)));
                });
            },
        }
    }
    for waits in [Duration::ZERO, secs(5)] {
        let journal = Journal::default();
        let begun = Instant::now();
        let tree = Brief::start(journal.clone(), waits).await.unwrap();
        let report = soon(tree.join()).await;
        assert!(matches!(report.ended, Ended::Done), "{report}");
        assert_eq!(begun.elapsed(), secs(2) + waits);
        assert_eq!(journal.take(), ["one told", "two told", "one returns", "one drop", "two returns", "two drop"]);
    }
}
