//! Reports of failures and ends during a shutdown: S12, S16, S22, S23, S24, S42, S43.

use std::future::{Future, pending};
use std::process::{ExitCode, Termination};
use std::time::Duration;

use supervise::inspect::{NodeState, Report, SymptomKind};
use supervise::policy::SupervisorStrategy;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

/// The last action of a task after the stop signal.
#[derive(Clone, Copy)]
enum Last {
    Error,
    Panic,
    Subtask,
    Deaf,
}

async fn told(cx: TaskContext, last: Last) -> Result<(), Boom> {
    if matches!(last, Last::Subtask) {
        let inner = cx.clone();
        cx.spawn(async move {
            inner.stopped().await;
            Err::<(), _>(Boom::Told)
        });
    }
    cx.stopped().await;
    match last {
        Last::Error => Err(Boom::Fatal),
        Last::Panic => panic!("planned panic"),
        Last::Subtask => Ok(()),
        Last::Deaf => pending().await,
    }
}

fn failed(report: &Report) -> Vec<String> {
    let failed = report.children.iter().filter(|child| child.failures > 0);
    failed
        .map(|child| {
            let failure = child.failure.as_ref().expect("the first failure is kept");
            format!("{} {}: {} of {}", child.path, child.ended, failure.cause(), child.failures)
        })
        .collect()
}

fn exit_code(report: Report) -> bool {
    Termination::report(report) == ExitCode::SUCCESS
}

// ----- failures on the way to an end

supervisor! {
    struct Service(journal: Journal, last: Last) {
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Permanent, drain)]
        drains: Probe = Probe::start("drains", journal).await?,
        #[lifecycle(Permanent, shutdown = 3s)]
        task: task = |cx| told(cx, last),
        guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
    }
}

/// S24: the failure of a task after its stop signal is in the report, and so in the exit code.
#[tokio::test(start_paused = true)]
async fn a_task_that_fails_when_it_is_asked_to_end_is_in_the_report() {
    quiet_panics();
    for (last, cause) in [(Last::Error, "Fatal"), (Last::Panic, "panicked: planned panic"), (Last::Subtask, "Told")] {
        let tree = Service::start(Journal::default(), last).await.unwrap();
        let task = tree.task.clone();
        settle().await;
        let report = soon(tree.shutdown()).await;
        assert_eq!(failed(&report), [format!("task stopped: {cause} of 1")]);
        assert!(matches!(report.ended, Ended::Stopped) && !report.is_orderly());
        assert_eq!(report.to_string(), format!("stopped; task failed on its way out: {cause}"));
        assert!(matches!(task.ended(), Some(Ended::Stopped)));
        assert_eq!(task.late_failure().expect("the task failed after its signal").path(), "task");
        assert!(!exit_code(report));
    }
}

/// S24: failures of the last message, of a drained message, of `post_stop` and of `Drop`: the first one of each child
/// is kept, and all are counted.
#[tokio::test(start_paused = true)]
async fn the_report_contains_failures_during_shutdown() {
    quiet_panics();
    let journal = Journal::default();
    let tree = Service::start(journal.clone(), Last::Deaf).await.unwrap();
    let guest = tree.guests.spawn("guest").await.unwrap();
    journal.plan("guest post_stop", 1, Fault::Error);
    journal.plan("guest drop", 1, Fault::Panic);
    tree.drains.tell(Do::Work(ms(100))).await.unwrap();
    tree.drains.tell(Do::Fail(Boom::Told)).await.unwrap();
    journal.plan("drains drop", 1, Fault::Panic);
    journal.plan("first post_stop", 1, Fault::Panic);
    settle().await;
    let report = soon(tree.shutdown()).await;
    assert_eq!(
        failed(&report),
        [
            "guests/#1 stopped: Planned of 2",
            "drains stopped: Told of 2",
            "first stopped: panicked: planned panic in first post_stop of 1"
        ]
    );
    assert_eq!(
        report.to_string(),
        "stopped; task was aborted after 3s; guests/#1 failed on its way out: Planned (and once more); \
         drains failed on its way out: Told (and once more); \
         first failed on its way out: panicked: planned panic in first post_stop"
    );
    assert!(guest.late_failure().is_some_and(|failure| failure.find::<Boom>() == Some(&Boom::Planned)));
}

/// S24: a failure on the way to a restart is an event, and does not appear in the report of a later end.
#[tokio::test(start_paused = true)]
async fn a_failure_on_the_way_to_a_restart_is_an_event_only() {
    quiet_panics();
    let journal = Journal::default();
    let mut tree = Service::tree(journal.clone(), Last::Error);
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("first pre_restart", 1, Fault::Error);
    journal.plan("first post_stop", 1, Fault::Panic);
    journal.plan("first drop", 1, Fault::Panic);
    tree.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.task.restart().unwrap();
    pass(secs(1)).await;
    let reported = seen(&mut events).into_iter().filter(|line| line.ends_with("reported")).count();
    assert_eq!((reported, tree.first.incarnation(), tree.task.incarnation()), (4, 2, 2));
    assert!(tree.first.late_failure().is_none());
    tree.task.kill(); // the task would fail a second time
    settle().await;
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert!(exit_code(report));
}

/// S24: when a stop turns a restart into an end, a failure on the way counts as one on the way to an end.
#[tokio::test(start_paused = true)]
async fn a_failure_is_in_the_report_if_a_stop_replaces_the_restart() {
    let journal = Journal::default();
    let tree = Service::start(journal.clone(), Last::Deaf).await.unwrap();
    journal.plan("first pre_restart", 1, Fault::Error);
    journal.plan("first post_stop", 1, Fault::Slow(secs(1)));
    tree.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.first.stop();
    assert!(matches!(soon(tree.first.terminated()).await, Ok(Ended::Stopped)));
    let report = soon(tree.shutdown()).await;
    assert_eq!(failed(&report), ["first stopped: Planned of 1"]);
}

/// S24: a child that fails while its supervisor stops, before its own turn has come, fails on the way to its end.
#[tokio::test(start_paused = true)]
async fn a_failure_before_its_turn_to_stop_is_in_the_report() {
    let journal = Journal::default();
    let tree = Service::start(journal.clone(), Last::Deaf).await.unwrap();
    let first = tree.first.clone();
    let down = tree.handle();
    let shutdown = tokio::spawn(tree.shutdown());
    settle().await; // the task has 3 s to stop
    first.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(shutdown).await.unwrap();
    assert_eq!(failed(&report), ["first stopped: Told of 1"]);
    assert!(down.ended().is_some());
}

/// S24: if a child had ended before the shutdown, its failure on the way to that end is in the report. When the child
/// is started again, that failure is forgotten.
#[tokio::test(start_paused = true)]
async fn what_failed_on_an_earlier_way_out_stays_until_it_is_started_again() {
    let journal = Journal::default();
    for again in [false, true] {
        let tree = Service::start(journal.clone(), Last::Deaf).await.unwrap();
        journal.plan("first post_stop", 1, Fault::Error);
        tree.first.stop();
        soon(tree.first.terminated()).await.unwrap();
        tree.task.kill();
        if again {
            tree.first.start_again().unwrap();
            pass(secs(1)).await;
        }
        let report = soon(tree.shutdown()).await;
        assert_eq!(failed(&report).len(), usize::from(!again), "{report}");
        assert_eq!(report.is_orderly(), again, "{report}");
    }
}

/// S24: children that had ended below living subtrees are in the report too, once each, before all that end with it.
#[tokio::test(start_paused = true)]
async fn children_that_had_ended_deep_below_are_in_the_report() {
    supervisor! {
        struct Deep(journal: Journal) {
            sub: struct DeepSub {
                a: Probe = Probe::start("a", journal).await?,
                inner: struct DeepInner {
                    b: Probe = Probe::start("b", journal).await?,
                    c: Probe = Probe::start("c", journal).await?,
                },
                over: struct DeepOver {
                    d: Probe = Probe::start("d", journal).await?,
                },
            },
        }
    }
    let journal = Journal::default();
    let tree = Deep::start(journal.clone()).await.unwrap();
    let sub = &tree.sub;
    for plan in ["a post_stop", "b post_stop", "d post_stop"] {
        journal.plan(plan, 1, Fault::Error);
    }
    for child in [&sub.inner.b, &sub.over.d, &sub.a] {
        child.stop();
        soon(child.terminated()).await.unwrap();
    }
    soon(sub.over.terminated()).await.unwrap();
    let report = soon(tree.shutdown()).await;
    let paths: Vec<_> = report.children.iter().map(|child| child.path.as_str()).collect();
    assert_eq!(
        paths,
        ["sub/a", "sub/inner/b", "sub/over/d", "sub/over", "sub/inner/c", "sub/inner", "sub"],
        "{report}"
    );
    assert_eq!(failed(&report).len(), 3, "{report}");
}

struct Clumsy;

impl Drop for Clumsy {
    fn drop(&mut self) {
        panic!("planned panic");
    }
}

/// S24, S30: a `let` whose `Drop` panics at the end of the tree is a failure of the tree itself.
#[tokio::test(start_paused = true)]
async fn a_let_that_panics_when_it_goes_is_in_the_report() {
    supervisor! {
        struct Kept(journal: Journal) {
            let _kept = Clumsy;
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let report = soon(Kept::start(Journal::default()).await.unwrap().shutdown()).await;
    assert_eq!(report.to_string(), "stopped; the tree itself failed on its way out: panicked: planned panic");
    assert!(report.failure.is_some() && report.failures == 1 && !report.is_orderly());
}

/// S24, S39: a top-level actor has no report; its handle has the failure in `late_failure()`.
#[tokio::test(start_paused = true)]
async fn a_top_level_actor_says_what_failed_on_its_way_out() {
    let journal = Journal::default();
    let top = spawn(child! { "top": Probe = Probe::start("top", journal).await? }).await.unwrap();
    journal.plan("top post_stop", 1, Fault::Error);
    assert!(top.late_failure().is_none());
    top.stop();
    assert!(matches!(soon(top.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(
        top.late_failure().expect("the actor failed on its way down").to_string(),
        "top failed while running: Planned"
    );
}

/// S24: if a thousand children are aborted or fail on the way to their end, the report names ten of them, the worst
/// first, and counts the others.
#[tokio::test(start_paused = true)]
async fn a_report_of_a_thousand_laggards_is_ten_lines_and_a_count() {
    supervisor! {
        struct Crowd(journal: Journal) {
            #[lifecycle(Transient, shutdown = 1s)]
            deaf: [task] = |last: Last| |cx| told(cx, last),
            polite: Probe = Probe::start("polite", journal).await?,
        }
    }
    let tree = Crowd::start(Journal::default()).await.unwrap();
    for n in 0..1000 {
        tree.deaf.spawn(if n % 2 == 0 { Last::Error } else { Last::Deaf }).await.unwrap();
    }
    settle().await;
    let report = soon(tree.shutdown()).await;
    assert_eq!(report.children.iter().filter(|child| child.aborted).count(), 500, "the data are complete");
    assert_eq!(report.children.iter().filter(|child| child.failures == 1).count(), 500, "the data are complete");
    let lines: Vec<String> = format!("{report:#}").lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 12, "{report:#}");
    assert_eq!((&*lines[0], &*lines[11]), ("stopped", "and 990 more"));
    assert!(lines[1..11].iter().all(|line| line.ends_with(" was aborted after 1s")), "{report:#}");
    assert_eq!(report.to_string(), lines.join("; "));
}

// ----- `post_stop` that is due

/// Spawns a child that fails while `pre_start` still waits.
struct Boss {
    journal: Journal,
    fails: u32,
}

#[actor]
impl Boss {
    fn handle(&mut self, boom: Boom) -> Result<(), Boom> {
        Err(boom)
    }
    #[pre_start]
    async fn hire(&mut self, cx: &mut Context<Self>) {
        self.journal.write("boss pre_start");
        if cx.incarnation() == self.fails {
            let journal = self.journal.clone();
            let kid = cx
                .spawn(child! { "kid": Probe = Probe::start("kid", journal).await? })
                .await
                .expect("the actor starts");
            kid.tell(Do::Fail(Boom::Fatal)).await.expect("the actor is up");
            tokio::time::sleep(ms(1)).await;
        }
    }
    #[post_restart]
    fn restarted(&mut self) {
        self.journal.write("boss post_restart");
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.journal.write("boss post_stop");
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        SupervisorStrategy::default().decider(|_: &Failure| Directive::Escalate)
    }
}

/// S12: after a `pre_start` that succeeded, `post_stop` is due, even if an escalation from the actor's own child has
/// made it fail in the meantime.
#[tokio::test(start_paused = true)]
async fn a_child_that_escalates_during_pre_start_leaves_post_stop_due() {
    supervisor! {
        struct Hires(journal: Journal, fails: u32) {
            #![decider(|_: &Failure| Directive::Restart)]
            boss: Boss = Boss { journal, fails },
        }
    }
    let journal = Journal::default();
    let tree = Hires::start(journal.clone(), 1).await.unwrap();
    let of_boss = |journal: &Journal| -> Vec<String> {
        journal.take().into_iter().filter(|line| line.starts_with("boss")).collect()
    };
    assert_eq!(of_boss(&journal), ["boss pre_start", "boss post_stop", "boss pre_start"], "the first start");
    tree.shutdown().await;

    let journal = Journal::default();
    let tree = Hires::start(journal.clone(), 2).await.unwrap();
    tree.boss.tell(Boom::Told).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(
        of_boss(&journal),
        [
            "boss pre_start",
            "boss post_stop",
            "boss pre_start", // the kid makes it fail
            "boss post_restart",
            "boss post_stop",
            "boss pre_start",
            "boss post_restart"
        ],
        "a requested start"
    );
    tree.shutdown().await;
}

// ----- a kill after a stop

supervisor! {
    struct Deaf(journal: Journal) {
        #[lifecycle(Transient, shutdown = Infinity)]
        set: [u32 => task] = |_n: u32| |cx| told(cx, Last::Deaf),
        #[lifecycle(Transient, shutdown = Infinity)]
        one: task = |cx| told(cx, Last::Deaf),
        #[lifecycle(Transient, shutdown = 1000s)]
        timed: task = |cx: TaskContext| async move {
            cx.spawn(pending::<()>());
            pending::<()>().await
        },
        #[lifecycle(Transient, shutdown = Infinity)]
        actor: Probe = Probe::start("actor", journal).await?,
    }
}

/// S16: a kill after a stop ends a task with a context at once, together with its subtasks.
#[tokio::test(start_paused = true)]
async fn a_kill_after_a_stop_ends_a_task_at_once() {
    let mut tree = Deaf::tree(Journal::default());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let of_set = tree.set.spawn(1).await.unwrap();
    settle().await;
    seen(&mut events);
    for (name, task) in [("one", tree.one.clone()), ("timed", tree.timed.clone()), ("set/1", of_set)] {
        task.stop();
        pass(secs(30)).await;
        assert!(task.ended().is_none());
        let begun = Instant::now();
        task.kill();
        assert!(matches!(soon(task.terminated()).await, Ok(Ended::Aborted)), "{name}");
        assert_eq!(begun.elapsed(), Duration::ZERO, "{name}");
        assert_eq!(
            seen(&mut events),
            ["stopping Asked", "aborted", "ended Aborted"].map(|what| format!("{name} {what}"))
        );
    }
}

/// S16: a kill after a stop also ends an actor in its last message; the instance loses its `post_stop`.
#[tokio::test(start_paused = true)]
async fn a_kill_after_a_stop_ends_an_actor_in_its_last_message() {
    let journal = Journal::default();
    let tree = Deaf::start(journal.clone()).await.unwrap();
    tree.actor.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    tree.actor.stop();
    pass(secs(30)).await;
    let begun = Instant::now();
    tree.actor.kill();
    assert!(matches!(soon(tree.actor.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!((begun.elapsed(), journal.take()), (Duration::ZERO, vec!["actor drop".to_owned()]));
}

/// S16: a kill drops a task that was asked to stop for a restart; the restart goes on.
#[tokio::test(start_paused = true)]
async fn a_kill_after_a_restart_drops_the_task_and_it_starts_again() {
    let tree = Deaf::start(Journal::default()).await.unwrap();
    settle().await;
    tree.one.restart().unwrap();
    pass(secs(30)).await;
    assert_eq!(tree.one.incarnation(), 1);
    tree.one.kill();
    settle().await;
    assert_eq!((tree.one.incarnation(), tree.one.ended().is_none()), (2, true));
}

// ----- `cx.stop()`, and then a failure

/// Calls `cx.stop()`, and then fails.
struct Leaver {
    journal: Journal,
    /// The hook and the incarnation in which it does so.
    at: (&'static str, u32),
    by: Fault,
}

impl Leaver {
    fn leave(&self, hook: &'static str, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write(hook);
        if self.at != (hook, cx.incarnation()) {
            return Ok(());
        }
        cx.stop();
        match self.by {
            Fault::Panic => panic!("planned panic"),
            _ => Err(Boom::Told),
        }
    }
}

impl Actor for Leaver {
    type Msg = ();
    type Error = Boom;

    async fn receive(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), Boom> {
        self.leave("handle", cx)?;
        Err(Boom::Fatal)
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.leave("pre_start", cx)
    }

    async fn post_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.leave("post_restart", cx)
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write("post_stop");
        Ok(())
    }
}

supervisor! {
    struct Leaves(journal: Journal, at: (&'static str, u32), by: Fault) {
        #![decider(|_: &Failure| Directive::Restart)]
        #[lifecycle(Transient)]
        leaver: Leaver = Leaver { journal, at, by },
        other: task = pending::<()>(),
    }
}

/// S23: `cx.stop()` followed by an `Err` or a panic is a stop, in a handler, in `pre_start` and in `post_restart`: the
/// failure is reported, and changes nothing else.
#[tokio::test(start_paused = true)]
async fn a_stop_followed_by_a_failure_is_a_stop_everywhere() {
    quiet_panics();
    let cases: [(_, &[&str]); 4] = [
        (("handle", 1), &["pre_start", "handle", "post_stop"]),
        (("pre_start", 1), &["pre_start"]),
        (("pre_start", 2), &["pre_start", "handle", "post_stop", "pre_start"]),
        (("post_restart", 2), &["pre_start", "handle", "post_stop", "pre_start", "post_restart", "post_stop"]),
    ];
    for ((at, story), by) in cases.iter().flat_map(|case| [(case, Fault::Error), (case, Fault::Panic)]) {
        let journal = Journal::default();
        let mut tree = Leaves::tree(journal.clone(), *at, by);
        let mut events = tree.events();
        let tree = soon(tree.start()).await.unwrap();
        let _ = tree.leaver.tell(()).await;
        assert!(matches!(soon(tree.leaver.terminated()).await, Ok(Ended::Done)), "{at:?} {by:?}");
        assert_eq!(journal.take(), *story, "{at:?} {by:?}");
        let seen = seen(&mut events);
        assert_eq!(seen.iter().filter(|line| *line == "leaver reported").count(), 1, "{seen:?}");
        assert!(!seen.contains(&"leaver decided Stop".to_owned()), "{seen:?}");
        let report = soon(tree.shutdown()).await;
        assert_eq!(failed(&report).len(), 1, "{report}");
    }
}

/// S23, S36: a message whose handler has called `cx.stop()` is handled, even if the handler then panics.
#[tokio::test(start_paused = true)]
async fn a_message_that_panics_after_its_stop_is_not_delivered_again() {
    struct Once(Journal);
    #[actor]
    impl Once {
        fn handle(&mut self, n: u32, cx: &mut Context<Self>) {
            self.0.write(n);
            cx.stop();
            panic!("planned panic");
        }
    }
    supervisor! {
        struct Redelivers(journal: Journal) {
            #[redeliver(attempts = 3)]
            once: Once = Once(journal),
            other: task = pending::<()>(),
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let tree = Redelivers::start(journal.clone()).await.unwrap();
    tree.once.tell(1).await.unwrap();
    pass(secs(1)).await;
    assert_eq!((journal.take(), tree.once.incarnation()), (vec!["1".to_owned()], 2));
}

/// S23: if a future of `cx.run` panics during the last message of an actor that stops, the panic is reported.
#[tokio::test(start_paused = true)]
async fn a_panic_next_to_the_message_that_stops_is_reported() {
    struct Busy;
    #[actor]
    impl Busy {
        async fn handle(&mut self, _: (), cx: &mut Context<Self>) {
            cx.run(async { panic!("planned panic") }, |()| ());
            cx.stop();
            tokio::time::sleep(ms(1)).await;
        }
    }
    supervisor! {
        struct Runs {
            #[lifecycle(Transient)]
            busy: Busy = Busy,
            other: task = pending::<()>(),
        }
    }
    quiet_panics();
    let tree = Runs::start().await.unwrap();
    tree.busy.tell(()).await.unwrap();
    assert!(matches!(soon(tree.busy.terminated()).await, Ok(Ended::Done)));
    assert_eq!(failed(&soon(tree.shutdown()).await), ["busy done: panicked: planned panic of 1"]);
}

// ----- a stop while a failure takes a tree down

async fn slow(cx: TaskContext) {
    cx.stopped().await;
    tokio::time::sleep(secs(2)).await;
}

async fn bad() -> Result<(), Boom> {
    tokio::time::sleep(secs(1)).await;
    Err(Boom::Told)
}

/// Fails after a second, and takes two seconds to go down.
struct Lingers;

#[actor]
impl Lingers {
    fn handle(&mut self, _: ()) -> Result<(), Boom> {
        Err(Boom::Told)
    }
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_after(secs(1), ());
    }
    #[post_stop]
    async fn linger(&mut self) {
        tokio::time::sleep(secs(2)).await;
    }
}

supervisor! {
    struct Group {
        #![strategy(AllForOne)]
        #![decider(_ => Stop)]
        slow: task = |cx| slow(cx),
        bad: task = bad(),
    }

    struct Rest {
        #![strategy(RestForOne)]
        #![decider(_ => Stop)]
        bad: task = bad(),
        slow: task = |cx| slow(cx),
    }

    struct Limited {
        #![strategy(AllForOne, max_restarts = 0, on_limit = Stop)]
        slow: task = |cx| slow(cx),
        bad: task = bad(),
    }

    struct Escalates {
        #![decider(_ => Escalate)]
        slow: task = |cx| slow(cx),
        bad: task = bad(),
    }

    struct Significant {
        slow: task = |cx| slow(cx),
        #[lifecycle(Temporary, significant)]
        bad: task = bad(),
    }

    struct LastOne {
        #![decider(_ => Stop)]
        bad: Lingers = Lingers,
        before: task = async {},
    }

    struct Outer {
        group: Group = Group::tree(),
        other: task = pending::<()>(),
    }
}

async fn stopped_meanwhile<E: std::fmt::Debug>(run: impl Future<Output = Result<Report, E>>) -> Report {
    soon(run).await.unwrap()
}

/// Waits until the child has failed (at 1 s) and is going down (until 3 s).
fn meanwhile() -> impl Future<Output = ()> + Send {
    tokio::time::sleep(ms(2500))
}

/// S18, S22, S43: a failure that takes a root down is the reason for its end, even if a stop arrives meanwhile.
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_cover_the_failure_that_takes_the_tree_down() {
    let reports = [
        ("AllForOne, Stop", stopped_meanwhile(Group::run(meanwhile())).await),
        ("RestForOne, Stop", stopped_meanwhile(Rest::run(meanwhile())).await),
        ("limit, Stop", stopped_meanwhile(Limited::run(meanwhile())).await),
        ("Escalate", stopped_meanwhile(Escalates::run(meanwhile())).await),
        ("significant", stopped_meanwhile(Significant::run(meanwhile())).await),
        ("the last one", stopped_meanwhile(LastOne::run(meanwhile())).await),
    ];
    for (how, report) in reports {
        let failure = report.ended.failure().unwrap_or_else(|| panic!("{how}: {report}"));
        assert_eq!((failure.path(), failure.find::<Boom>()), ("bad", Some(&Boom::Told)), "{how}");
        assert!(!report.is_orderly(), "{how}");
        assert!(!exit_code(report), "{how}");
    }
}

/// S18, S22: the same for a subtree that is stopped on request, or together with its parent.
#[tokio::test(start_paused = true)]
async fn a_subtree_keeps_the_failure_that_takes_it_down() {
    let outer = Outer::start().await.unwrap();
    pass(ms(2500)).await;
    outer.group.stop();
    let report = soon(outer.group.join()).await.unwrap();
    assert!(matches!(&report.ended, Ended::Failed(failure) if failure.path() == "group/bad"), "{report}");
    outer.shutdown().await;

    let outer = Outer::start().await.unwrap();
    pass(ms(2500)).await;
    let report = soon(outer.shutdown()).await;
    let group = report.children.iter().find(|child| child.path == "group").expect("the subtree was running");
    assert!(matches!(&group.ended, Ended::Failed(failure) if failure.path() == "group/bad"), "{report:?}");
}

/// S22: a tree that is stopped while it ends without a failure is stopped.
#[tokio::test(start_paused = true)]
async fn a_stop_of_a_tree_that_ends_well_is_a_stop() {
    supervisor! {
        struct Finite {
            slow: task = |cx| slow(cx),
            #[lifecycle(Transient, significant)]
            job: task = tokio::time::sleep(secs(1)),
        }
    }
    let report = stopped_meanwhile(Finite::run(meanwhile())).await;
    assert!(report.is_orderly(), "{report}");
}

// ----- a root that ends by itself

supervisor! {
    struct Finite {
        slow: task = |cx| slow(cx),
        #[lifecycle(Transient, significant)]
        job: task = tokio::time::sleep(secs(1)),
    }

    struct OfFinite {
        finite: Finite = Finite::tree(),
        other: task = pending::<()>(),
    }
}

fn of_root(tree: &TreeRef) -> (String, Vec<String>) {
    let symptoms = tree.health().symptoms().iter().map(ToString::to_string).collect();
    (tree.snapshot().root.state.to_string(), symptoms)
}

/// S42: a root that ends by itself is going down, and degraded: through `significant`, through a Stop under AllForOne
/// or RestForOne, or because its last members go down.
#[tokio::test(start_paused = true)]
async fn a_root_that_ends_by_itself_is_going_down() {
    let finite = Finite::start().await.unwrap();
    let (group, rest, last) =
        (Group::start().await.unwrap(), Rest::start().await.unwrap(), LastOne::start().await.unwrap());
    pass(ms(900)).await;
    assert_eq!(of_root(&finite), ("running".to_owned(), vec![]));
    pass(ms(600)).await;
    assert_eq!(of_root(&finite), ("going down".to_owned(), vec!["Finite is going down".to_owned()]));
    assert_eq!(of_root(&group).0, "going down");
    assert_eq!(of_root(&rest).0, "going down");
    assert_eq!(of_root(&last).0, "going down");
}

/// S42: the same for a subtree. A subtree that ends as `Done` is not a symptom, and one that fails is.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_ends_by_itself_is_going_down() {
    let tree = OfFinite::start().await.unwrap();
    let outer = Outer::start().await.unwrap();
    pass(ms(1500)).await;
    let snapshot = tree.snapshot();
    assert!(matches!(snapshot.find("finite").unwrap().state, NodeState::GoingDown));
    assert!(snapshot.health().is_healthy(), "{}", snapshot.health());
    let health = outer.health();
    let symptom = health.symptoms().iter().find(|symptom| symptom.path == "group").expect("the subtree fails");
    assert!(matches!(symptom.reason, SymptomKind::Down(NodeState::GoingDown)));
}

/// S24: a child that was down already, waiting for its restart, has taken the time that it took to go down.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_child_ends_when_it_is_down() {
    supervisor! {
        struct Waits(journal: Journal) {
            #[backoff(1h..2h)]
            waits: Probe = Probe::start("waits", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Waits::start(journal.clone()).await.unwrap();
    journal.plan("waits post_stop", 1, Fault::Slow(secs(2)));
    tree.waits.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(60)).await;
    let report = tree.shutdown().await;
    assert_eq!(report.children[0].took, secs(2), "{report}");
}

/// S24: a child that was aborted before the shutdown of the tree is in the report as aborted.
#[tokio::test(start_paused = true)]
async fn an_earlier_abort_is_in_the_report() {
    let tree = Service::start(Journal::default(), Last::Deaf).await.unwrap();
    settle().await;
    tree.task.stop();
    pass(secs(60)).await;
    assert!(matches!(tree.task.ended(), Some(Ended::Aborted)));
    let report = soon(tree.shutdown()).await;
    let task = report.children.iter().find(|child| child.path == "task").unwrap();
    assert!(task.aborted && !report.is_orderly());
    assert_eq!(report.to_string(), "stopped; task was aborted");
}

/// Works for the drain below, and fails while that is under way.
async fn critical(cx: TaskContext) -> Result<(), Boom> {
    tokio::select! {
        _ = cx.stopped() => Ok(()),
        () = tokio::time::sleep(secs(10)) => Err(Boom::Fatal),
    }
}

/// Goes down when nobody is left to work for it.
async fn drains_into(cx: TaskContext, critical: TaskRef) {
    cx.stopped().await;
    let _ = critical.terminated().await;
}

supervisor! {
    struct Phases(escalates: bool) {
        #![decider(move |_: &Failure| if escalates { Directive::Escalate } else { Directive::Restart })]
        first: Probe = Probe::start("first", Journal::default()).await?,
        critical: task = |cx| critical(cx),
        below: struct BelowPhases {
            #![decider(_ => Escalate)]
            inner: task = |cx| critical(cx),
        },
        #[lifecycle(Permanent, shutdown = 2h)]
        drain: task = |cx| drains_into(cx, critical),
        #[lifecycle(Permanent, shutdown = 2h)]
        other: task = |cx| async move {
            cx.stopped().await;
            let _ = below.terminated().await;
        },
    }
}

/// S24: a child that fails before its turn to stop goes down at once, so that one that drains into it can end too.
#[tokio::test(start_paused = true)]
async fn a_failure_before_its_turn_to_stop_ends_that_child() {
    for escalates in [false, true] {
        let tree = Phases::start(escalates).await.unwrap();
        settle().await;
        let begun = Instant::now();
        let report = soon(tree.shutdown()).await;
        assert_eq!(begun.elapsed(), secs(10));
        assert_eq!(failed(&report), ["critical stopped: Fatal of 1", "below stopped: Fatal of 1"]);
        let ends: Vec<_> = report.children.iter().map(|child| child.path.as_str()).collect();
        assert_eq!(ends, ["critical", "below/inner", "below", "other", "drain", "first"]);
    }
}
