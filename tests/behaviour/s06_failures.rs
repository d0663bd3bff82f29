//! Failure and decision: S6 to S10.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::prelude::*;
use supervise::{AskError, Event, EventKind, Events};
use tokio::time::Instant;

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle};

/// The failures that were reported as such, in order: path, phase, cause, incarnation of the origin.
fn failed(events: &mut Events) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(Ok(Event { path, kind, .. })) = events.try_next() {
        if let EventKind::Failed { failure, .. } = kind {
            let origin = (failure.path(), failure.incarnation());
            lines.push(format!("{path}: {:?}, {}, {origin:?}", failure.phase(), failure.cause()));
        }
    }
    lines
}

// ----- S6

/// S6: whatever fails in an actor is a failure, with its phase, cause, path and incarnation.
#[tokio::test(start_paused = true)]
async fn every_way_to_fail_has_its_phase_and_cause() {
    supervisor! {
        struct One(journal: Journal) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![decider(|_| Directive::Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    journal.plan("probe start", 1, Fault::Error);
    let one = tree.start().await.unwrap();
    let probe = &one.probe;
    for place in ["start", "pre_start", "post_restart"] {
        for fault in [Fault::Error, Fault::Panic] {
            journal.plan(&format!("probe {place}"), 1, fault);
            probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(1)).await;
        }
    }
    probe.tell(Do::Panic).await.unwrap();
    pass(secs(1)).await;
    probe.kill();
    pass(secs(1)).await;
    journal.plan("probe start", 1, Fault::Slow(secs(1)));
    probe.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(ms(100)).await;
    probe.kill();
    pass(secs(5)).await;
    let lines = [
        "Start, Planned, (\"probe\", 1)",
        "Running, Told, (\"probe\", 2)",
        "Restart, Planned, (\"probe\", 3)",
        "Running, Told, (\"probe\", 4)",
        "Restart, panicked: planned panic in probe start, (\"probe\", 5)",
        "Running, Told, (\"probe\", 6)",
        "Restart, Planned, (\"probe\", 7)",
        "Running, Told, (\"probe\", 8)",
        "Restart, panicked: planned panic in probe pre_start, (\"probe\", 9)",
        "Running, Told, (\"probe\", 10)",
        "Restart, Planned, (\"probe\", 11)",
        "Running, Told, (\"probe\", 12)",
        "Restart, panicked: planned panic in probe post_restart, (\"probe\", 13)",
        "Running, panicked: told to, (\"probe\", 14)",
        "Running, killed, (\"probe\", 15)",
        "Running, Fatal, (\"probe\", 16)",
        "Restart, killed, (\"probe\", 17)",
    ];
    assert_eq!(failed(&mut events), lines.map(|line| format!("probe: {line}")));
    assert_eq!(probe.incarnation(), 18);
}

/// S6: tasks and their subtasks, a `let`, `supervision()`, `terminated` and a death pact fail too.
#[tokio::test(start_paused = true)]
async fn tasks_lets_watchers_and_death_pacts_fail_too() {
    struct Mourner(ActorRef<Probe>);
    #[actor]
    impl Mourner {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Ok(())
        }
        #[pre_start]
        fn watches(&mut self, cx: &mut Context<Self>) {
            cx.watch(&self.0);
        }
        #[terminated]
        fn lost(&mut self) -> Result<(), Boom> {
            Err(Boom::Fatal)
        }
    }
    struct Bound(ActorRef<Probe>);
    #[actor]
    impl Bound {
        fn handle(&mut self, _: ()) {}
        #[pre_start]
        fn depends(&mut self, cx: &mut Context<Self>) {
            cx.depend_on(&self.0);
        }
    }
    struct Unsure;
    #[actor]
    impl Unsure {
        fn handle(&mut self, _: ()) {}
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            panic!("planned panic in supervision")
        }
    }
    supervisor! {
        struct Many(journal: Journal) {
            #![decider(|_| Directive::Stop)]
            probe: Probe = Probe::start("probe", journal).await?,
            mourner: Mourner = Mourner(probe),
            bound: Bound = Bound(probe),
            task: task = async { tokio::time::sleep(ms(10)).await; Err(Boom::Told) },
            parent: task = |cx| async move {
                cx.spawn(async { tokio::time::sleep(ms(20)).await; if true { panic!("planned panic in a subtask") } });
                cx.stopped().await;
            },
        }
        struct Lets {
            let _value = Err::<u8, _>(Boom::Told)?;
            task: task = async {},
        }
        struct Asks { unsure: Unsure = Unsure }
    }
    quiet_panics();
    let many = Many::start(Journal::default()).await.unwrap();
    let mut events = many.events();
    pass(ms(50)).await;
    many.probe.stop();
    pass(ms(50)).await;
    assert_eq!(
        failed(&mut events),
        [
            "task: Running, Told, (\"task\", 1)",
            "parent: Running, panicked: planned panic in a subtask, (\"parent\", 1)",
            "mourner: Running, Fatal, (\"mourner\", 1)",
            "bound: Running, ended with probe, which it depends on, (\"bound\", 1)",
        ]
    );
    let failure = Lets::start().await.unwrap_err();
    assert_eq!((failure.phase(), failure.error::<Boom>()), (Phase::Start, Some(&Boom::Told)));
    let failure = Asks::start().await.unwrap_err();
    assert_eq!((failure.phase(), failure.path()), (Phase::Start, "unsure"));
    assert!(matches!(failure.cause(), Cause::Panic(text) if text == "planned panic in supervision"));
}

#[derive(Debug)]
struct Outer(Boom);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("outer")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// S6: `error` finds the exact type that was thrown, `find` looks along the sources.
#[tokio::test(start_paused = true)]
async fn error_is_exact_and_find_looks_along_the_sources() {
    supervisor! {
        struct Wrapped {
            wrapped: Probe = Err(Outer(Boom::Fatal))?,
        }
        struct Boxed {
            boxed: Probe = Err(Box::<dyn std::error::Error + Send + Sync>::from(Boom::Fatal))?,
        }
    }
    let failure = Wrapped::start().await.unwrap_err();
    assert!(failure.error::<Outer>().is_some());
    assert_eq!(failure.error::<Boom>(), None, "exactly the type that was thrown");
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Fatal));
    assert_eq!(failure.find::<fmt::Error>(), None);
    let failure = Boxed::start().await.unwrap_err();
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Fatal), "a box is looked into");
}

/// S6: the failure at a limit has the last failure as its source, and clones are the same failure.
#[tokio::test(start_paused = true)]
async fn the_failure_at_a_limit_leads_to_the_one_before() {
    supervisor! {
        struct One(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 0)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let one = One::start(Journal::default()).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = one.join().await;
    let failure = report.ended.failure().expect("a failure").clone();
    assert!(matches!(failure.cause(), Cause::LimitReached));
    assert_eq!(failure.error::<Boom>(), None);
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Told));
    let before = failure.before().expect("the last failure");
    assert_eq!((before.phase(), before.path(), before.error()), (Phase::Running, "probe", Some(&Boom::Told)));
    let source = std::error::Error::source(&failure).expect("a source");
    assert_eq!(source.to_string(), before.to_string());
}

/// S6: an escalated failure keeps its origin and takes the phase of the supervisor that escalates.
#[tokio::test(start_paused = true)]
async fn an_escalated_failure_keeps_its_origin_and_takes_the_phase_of_the_supervisor() {
    type Said = Arc<Mutex<Vec<(Phase, String, u32)>>>;
    supervisor! {
        struct Top(journal: Journal, said: Said) {
            #![decider(move |failure: &Failure| {
                said.lock().unwrap().push((failure.phase(), failure.path().to_owned(), failure.incarnation()));
                Directive::Restart
            })]
            inner: struct Inner {
                #![decider(|_| Directive::Escalate)]
                first: Probe = Probe::start("first", journal.clone()).await?,
                probe: Probe = Probe::start("probe", journal).await?,
            },
        }
    }
    let (journal, said) = (Journal::default(), Said::default());
    journal.plan("probe start", 1, Fault::Error);
    let top = Top::start(journal.clone(), said.clone()).await.unwrap();
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.plan("probe start", 1, Fault::Error);
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let path = || "inner/probe".to_owned();
    assert_eq!(
        *said.lock().unwrap(),
        [
            (Phase::Start, path(), 1),
            (Phase::Running, path(), 2),
            (Phase::Running, path(), 3),
            (Phase::Restart, path(), 4),
        ],
        "the start of `inner` itself failed with that of its child"
    );
}

/// S6: without an instance or a start in progress a kill is a stop.
#[tokio::test(start_paused = true)]
async fn a_kill_without_an_instance_is_a_stop() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_| Directive::Restart)]
            #[backoff(10s..10s)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    one.probe.kill();
    let begun = Instant::now();
    let ended = one.probe.terminated().await.unwrap();
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert_eq!(begun.elapsed(), Duration::ZERO);
    pass(secs(60)).await;
    assert_eq!(journal.take(), [""; 0], "no start");
}

// ----- S7

/// An actor with a probe below it, which is asked for by name.
struct Parent {
    journal: Journal,
    child: Option<ActorRef<Probe>>,
    keep: bool,
    strategy: fn() -> SupervisorStrategy,
}

enum Tell {
    Child(Reply<ActorRef<Probe>>),
    Fail,
    Work(Duration),
}

#[actor]
impl Parent {
    fn new(journal: Journal) -> Self {
        Parent { journal, child: None, keep: false, strategy: SupervisorStrategy::default }
    }
    async fn handle(&mut self, tell: Tell) -> Result<(), Boom> {
        match tell {
            Tell::Child(reply) => reply.send(self.child.clone().expect("made in pre_start")),
            Tell::Fail => return Err(Boom::Told),
            Tell::Work(time) => {
                self.journal.write("parent works");
                tokio::time::sleep(time).await;
                self.journal.write("parent worked");
            }
        }
        Ok(())
    }
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) {
        self.journal.write("parent pre_start");
        let journal = self.journal.clone();
        let start = move || {
            let journal = journal.clone();
            async move { Ok(Probe::start("child", journal).await?) }
        };
        self.child = cx.spawn("child", start).await.ok();
    }
    #[pre_restart]
    async fn flush(&mut self, cx: &mut Context<Self>) {
        self.journal.write("parent pre_restart");
        if let (true, Some(child)) = (self.keep, &self.child) {
            cx.keep(child);
        }
        tokio::time::sleep(secs(1)).await;
        self.journal.write("parent flushed");
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        (self.strategy)()
    }
}

/// S7: from the failure on the subtree is held: the message in progress goes on, no other begins.
#[tokio::test(start_paused = true)]
async fn below_a_failed_actor_the_message_in_hand_goes_on_and_no_other_begins() {
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent::new(journal),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let child = family.parent.ask(Tell::Child).await.unwrap();
    child.tell(Do::Work(ms(300))).await.unwrap();
    child.tell(Do::Note("must not begin")).await.unwrap();
    settle().await;
    journal.take();
    family.parent.tell(Tell::Fail).await.unwrap();
    pass(ms(900)).await;
    child.try_tell(Do::Note("must not begin")).unwrap();
    settle().await;
    assert_eq!(journal.take(), ["parent pre_restart", "child worked"]);
    pass(ms(200)).await;
    assert_eq!(
        journal.take(),
        ["parent flushed", "child post_stop", "child drop", "parent pre_start", "child start", "child pre_start"]
    );
}

/// S7, S8: the parent's Resume resumes the supervisor and the child that escalated, with its instance.
#[tokio::test(start_paused = true)]
async fn the_parents_resume_resumes_both_and_what_was_kept_begins() {
    supervisor! {
        struct Top(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            inner: struct Inner {
                #![decider(|failure: &Failure| match failure.find::<Boom>() {
                    Some(Boom::Fatal) => Directive::Escalate,
                    _ => Directive::Restart,
                })]
                slow: Probe = Probe::start("slow", journal.clone()).await?,
                #[backoff(1s..1s, random_factor = 0)]
                waiting: Probe = Probe::start("waiting", journal.clone()).await?,
                failing: Probe = Probe::start("failing", journal).await?,
            },
        }
    }
    let journal = Journal::default();
    let top = Top::start(journal.clone()).await.unwrap();
    let mut events = top.events();
    top.inner.failing.tell(Do::Add(7)).await.unwrap();
    top.inner.failing.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    top.inner.slow.tell(Do::Note("goes on")).await.unwrap();
    top.inner.waiting.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(top.inner.failing.ask(Do::Get).await.unwrap(), 7, "it waited with its instance, and both resumed");
    assert_eq!((top.inner.failing.incarnation(), top.inner.waiting.incarnation()), (1, 2));
    assert!(journal.take().contains(&"slow goes on".to_owned()));
    let seen = seen(&mut events);
    assert!(seen.contains(&"inner escalated".to_owned()), "{seen:?}");
    assert!(seen.contains(&"inner decided Resume".to_owned()), "{seen:?}");
}

/// S7: while its parent has failed a child's failure, its due timer and the messages below it are kept;
/// the Resume lets them begin.
#[tokio::test(start_paused = true)]
async fn failures_timers_and_messages_are_kept_until_the_resume() {
    struct Boss(Journal, Vec<ActorRef<Probe>>, Option<ActorRef<Parent>>);
    enum Order {
        Work(Duration),
        Team(Reply<(Vec<ActorRef<Probe>>, ActorRef<Parent>)>),
    }
    #[actor]
    impl Boss {
        async fn handle(&mut self, order: Order) {
            match order {
                Order::Work(time) => tokio::time::sleep(time).await,
                Order::Team(reply) => reply.send((self.1.clone(), self.2.clone().unwrap())),
            }
        }
        #[pre_start]
        async fn hire(&mut self, cx: &mut Context<Self>) {
            for name in ["failing", "waiting"] {
                let journal = self.0.clone();
                let start = move || {
                    let journal = journal.clone();
                    async move { Ok(Probe::start(name, journal).await?) }
                };
                let backoff = ExponentialBackoff::new(secs(1), secs(1)).random_factor(0.0);
                self.1.push(cx.spawn(name, start).backoff(backoff).await.unwrap());
            }
            let journal = self.0.clone();
            let start = move || {
                let journal = journal.clone();
                async move { Ok(Parent::new(journal)) }
            };
            self.2 = cx.spawn("parent", start).await.ok();
        }
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            SupervisorStrategy::default().decider(|failure: &Failure| match (failure.path(), failure.error()) {
                (_, Some(Boom::Fatal)) => Directive::Escalate,
                ("boss/parent", _) => Directive::Resume,
                _ => Directive::Restart,
            })
        }
    }
    supervisor! {
        struct Firm(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            boss: Boss = Boss(journal, Vec::new(), None),
        }
    }
    let journal = Journal::default();
    let firm = Firm::start(journal.clone()).await.unwrap();
    let (team, parent) = firm.boss.ask(Order::Team).await.unwrap();
    let child = parent.ask(Tell::Child).await.unwrap();
    let mut events = firm.events();
    journal.take();
    firm.boss.tell(Order::Work(secs(3))).await.unwrap();
    team[1].tell(Do::Fail(Boom::Told)).await.unwrap(); // waits 1 s
    settle().await;
    team[0].tell(Do::Fail(Boom::Fatal)).await.unwrap(); // the boss fails, once it is through
    settle().await;
    parent.tell(Tell::Fail).await.unwrap(); // a failure that is kept, and holds the child
    settle().await;
    child.tell(Do::Note("heard")).await.unwrap();
    journal.take();
    seen(&mut events);
    pass(ms(2_900)).await;
    assert_eq!(journal.take(), [""; 0], "the wait is over since 1 s, and nothing began");
    assert_eq!(seen(&mut events), [""; 0]);
    pass(ms(200)).await;
    let (mut lines, events) = (journal.take(), seen(&mut events));
    lines.sort();
    assert_eq!(lines, ["child heard", "waiting post_restart", "waiting pre_start", "waiting start"]);
    assert_eq!(events[..3], ["boss escalated", "boss failed", "boss decided Resume"]);
    assert!(events.contains(&"boss/parent decided Resume".to_owned()), "{events:?}");
    assert_eq!((team[0].incarnation(), team[1].incarnation(), parent.incarnation()), (1, 2, 1));
    assert_eq!(team[0].ask(Do::Get).await.unwrap(), 0, "the one that escalated goes on too");
}

/// S7: the asker of the message in hand gets its error at once, not behind the hooks.
#[tokio::test(start_paused = true)]
async fn who_asked_the_message_in_hand_gets_the_error_at_once() {
    struct Slow;
    #[actor]
    impl Slow {
        async fn handle(&mut self, _reply: Reply<()>) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_restart]
        async fn flush(&mut self) {
            tokio::time::sleep(secs(2)).await;
        }
    }
    supervisor! { struct One { slow: Slow = Slow } }
    let one = One::start().await.unwrap();
    let begun = Instant::now();
    assert_eq!(one.slow.ask(|reply| reply).await, Err(AskError::NoReply { path: "slow".into() }));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// S7, S19: while an actor with an escalated failure ends its message, nothing new begins below it.
#[tokio::test(start_paused = true)]
async fn an_escalation_takes_effect_after_the_message_in_hand_of_the_parent() {
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent {
                strategy: || SupervisorStrategy::default().decider(|_: &Failure| Directive::Escalate),
                ..Parent::new(journal)
            },
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let child = family.parent.ask(Tell::Child).await.unwrap();
    family.parent.tell(Tell::Work(secs(3))).await.unwrap();
    settle().await;
    journal.take();
    child.tell(Do::Fail(Boom::Told)).await.unwrap();
    child.tell(Do::Note("must not begin")).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(journal.take(), [""; 0], "the child waits, the parent works");
    pass(ms(1_100)).await;
    assert_eq!(journal.take(), ["parent worked", "parent pre_restart"]);
}

// ----- S8

/// S8: Resume keeps state, instance and incarnation; the message is gone.
#[tokio::test(start_paused = true)]
async fn a_resume_keeps_the_instance_and_goes_on_with_the_next_message() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    journal.take();
    one.probe.tell(Do::Add(2)).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.probe.tell(Do::Add(3)).await.unwrap();
    one.probe.tell(Do::Panic).await.unwrap();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 5);
    one.probe.tell(Do::Hang).await.unwrap();
    settle().await;
    one.probe.kill();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 5, "a kill is a failure like any");
    assert_eq!(one.probe.incarnation(), 1);
    assert_eq!(journal.take(), [""; 0], "no hook");
}

/// S8: where there is no instance, Resume means Restart: of a failed start and of a task.
#[tokio::test(start_paused = true)]
async fn a_resume_without_an_instance_is_a_restart() {
    supervisor! {
        struct Two(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2)]
            #![decider(|_| Directive::Resume)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            task: task = { let journal = journal; async move { journal.reach("task".into()).await } },
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("task", 2, Fault::Error);
    let two = Two::start(journal.clone()).await.unwrap();
    pass(secs(1)).await;
    assert_eq!((two.probe.incarnation(), two.task.incarnation()), (3, 3));
    assert_eq!(
        journal.take(),
        ["probe start", "probe start", "probe start", "probe pre_start", "task", "task", "task"]
    );
    journal.plan("probe start", 1, Fault::Error);
    two.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(two.ended().is_none(), "Resume of an instance asks no budget: {:?}", two.ended());
    assert_eq!(two.probe.incarnation(), 3);
}

/// S8: Stop ends the child: no `pre_restart`, its `post_stop`, its failure in the end.
#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_child_without_pre_restart() {
    supervisor! {
        struct Two(journal: Journal) {
            #![decider(|_| Directive::Stop)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let two = Two::start(journal.clone()).await.unwrap();
    journal.take();
    two.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = two.probe.terminated().await.unwrap();
    assert_eq!(ended.failure().and_then(Failure::error), Some(&Boom::Told), "{ended:?}");
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
    assert_eq!(two.other.ask(Do::Get).await.unwrap(), 0);
}

/// S8: Escalate fails the supervisor with the very failure; from the root it ends the tree.
#[tokio::test(start_paused = true)]
async fn an_escalation_from_the_root_ends_the_tree_with_that_failure() {
    supervisor! {
        struct Two(journal: Journal) {
            #![decider(|_| Directive::Escalate)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }
    let journal = Journal::default();
    let two = Two::start(journal.clone()).await.unwrap();
    journal.take();
    two.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = two.join().await;
    let failure = report.ended.failure().expect("failed").clone();
    assert_eq!((failure.path(), failure.error()), ("first", Some(&Boom::Told)));
    assert!(failure.before().is_none(), "unwrapped");
    assert_eq!(journal.take(), ["second post_stop", "second drop", "first post_stop", "first drop"]);
}

#[derive(Debug, thiserror::Error)]
#[error("disk {0}")]
struct DiskError(u8);

/// Fails with an error of any type.
struct Any;

#[actor]
impl Any {
    fn handle(&mut self, error: supervise::BoxError) -> Result<(), supervise::BoxError> {
        Err(error)
    }
}

/// S8: a child's own arms come first, what they leave goes to the tree's; an error that no arm
/// matches escalates, any other cause goes by S9.
#[tokio::test(start_paused = true)]
async fn own_arms_come_first_then_the_trees_and_an_unmatched_error_escalates() {
    supervisor! {
        struct Arms(journal: Journal) {
            #![decider(Boom::Told => Resume, Boom::Planned | Boom::Fatal => Restart)]
            #[decider(Boom::Told => Stop, Boom::Planned => Escalate, Boom::Fatal => Escalate)]
            own: Probe = Probe::start("own", journal.clone()).await?,
            plain: Probe = Probe::start("plain", journal.clone()).await?,
            #[decider(DiskError(code): DiskError if *code > 7 => Stop)]
            any: Any = Any,
            #[decider(DiskError(code): DiskError if *code > 7 => Stop)]
            other: Any = Any,
            #[decider(|_| Directive::Restart)]
            total: Probe = Probe::start("total", journal).await?,
        }
    }
    quiet_panics();
    let tree = Arms::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.own.tell(Do::Panic).await.unwrap();
    settle().await;
    tree.own.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.plain.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.plain.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    tree.total.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.any.tell(Box::new(Boom::Told)).await.unwrap();
    tree.any.tell(Box::new(DiskError(8))).await.unwrap();
    settle().await;
    let decided = |events: &mut Events| -> Vec<String> {
        seen(events).into_iter().filter(|line| line.contains("decided")).collect()
    };
    assert_eq!(
        decided(&mut events),
        [
            "own decided Restart",
            "own decided Stop",
            "plain decided Resume",
            "plain decided Restart",
            "total decided Restart",
            "any decided Resume",
            "any decided Stop"
        ]
    );
    tree.other.tell(Box::new(DiskError(7))).await.unwrap();
    let report = tree.join().await;
    assert_eq!(decided(&mut events), ["other decided Escalate"], "no arm of the two matches");
    assert_eq!(report.ended.failure().and_then(Failure::error).map(|DiskError(code)| *code), Some(7));
}

/// S8: typed arms match exactly the type, a start's failures included.
#[tokio::test(start_paused = true)]
async fn arms_match_the_exact_type_in_a_start_too() {
    supervisor! {
        struct Start(journal: Journal) {
            #![decider(Boom::Planned => Restart, Boom::Told | Boom::Fatal => Stop, Cause::Panic(_) => Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
        struct Wrapped {
            #![decider(Boom::Planned | Boom::Told | Boom::Fatal => Restart)]
            wrapped: Probe = Err(Outer(Boom::Fatal))?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("probe pre_start", 1, Fault::Panic);
    let start = Start::start(journal).await.unwrap();
    assert_eq!(start.probe.incarnation(), 4);
    let failure = Wrapped::start().await.unwrap_err();
    assert!(failure.error::<Outer>().is_some(), "the source is not what was thrown: escalated");
}

// ----- S9

/// S9: a failed first start stops, unless the child declares a backoff.
#[tokio::test(start_paused = true)]
async fn a_first_start_is_tried_again_only_behind_a_declared_backoff() {
    supervisor! {
        struct Plain(journal: Journal) {
            probe: Probe = Probe::start("probe", journal).await?,
        }
        struct Backoff(journal: Journal) {
            #[backoff(2s..4s, random_factor = 0)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    let failure = Plain::start(journal.clone()).await.unwrap_err();
    assert_eq!((failure.phase(), failure.path()), (Phase::Start, "probe"));
    assert_eq!(journal.take(), ["probe start"]);
    journal.plan("probe start", 2, Fault::Error);
    let begun = Instant::now();
    let backoff = Backoff::start(journal.clone()).await.unwrap();
    assert!(backoff.ready().await);
    assert_eq!(begun.elapsed(), secs(6), "2 s and 4 s");
    assert_eq!(backoff.probe.incarnation(), 3);
}

/// S9: killed and death pact stop; errors, panics and failed restarts restart.
#[tokio::test(start_paused = true)]
async fn kills_and_death_pacts_stop_and_everything_else_restarts() {
    struct Bound(ActorRef<Probe>);
    #[actor]
    impl Bound {
        fn handle(&mut self, _: ()) {}
        #[pre_start]
        fn depends(&mut self, cx: &mut Context<Self>) {
            cx.depend_on(&self.0);
        }
    }
    supervisor! {
        struct Tree(journal: Journal) {
            killed: Probe = Probe::start("killed", journal.clone()).await?,
            bound: Bound = Bound(killed),
            failing: Probe = Probe::start("failing", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let tree = Tree::start(journal.clone()).await.unwrap();
    tree.killed.kill();
    assert!(matches!(tree.killed.terminated().await, Ok(Ended::Killed)));
    let ended = tree.bound.terminated().await.unwrap();
    assert!(matches!(ended.failure().map(Failure::cause), Some(Cause::DeathPact(path)) if path == "killed"));
    tree.failing.tell(Do::Panic).await.unwrap();
    pass(secs(1)).await;
    journal.plan("failing start", 2, Fault::Error);
    journal.plan("failing post_restart", 1, Fault::Panic);
    tree.failing.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.failing.incarnation(), 6);
    assert!(tree.failing.ended().is_none());
}

/// S9: a panic in a decider escalates.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_decider_escalates() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_| panic!("planned panic in a decider"))]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let one = One::start(Journal::default()).await.unwrap();
    let mut events = one.events();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = one.join().await;
    assert_eq!(report.ended.failure().and_then(Failure::error), Some(&Boom::Told), "the child's own failure");
    let seen = seen(&mut events);
    assert_eq!(seen[..3], ["probe failed", "probe reported", "probe decided Escalate"], "{seen:?}");
}

// ----- S10

/// S10: the same events with the same seed lead to the same decisions at the same times; the seed
/// alone makes the difference.
#[tokio::test(start_paused = true)]
async fn the_same_inputs_give_the_same_decisions() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(RestForOne, max_restarts = 6, within = 1h)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            #[backoff(1s..20s, random_factor = 1)]
            second: Probe = Probe::start("second", journal.clone()).await?,
            #[backoff(SlottedBackoff::new(ms(100)))]
            third: Probe = Probe::start("third", journal).await?,
        }
    }
    async fn run(seed: u64) -> Vec<String> {
        let journal = Journal::default();
        let begun = Instant::now();
        let mut tree = Group::tree(journal.clone()).seed(seed);
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        for (probe, fault) in [(&tree.third, false), (&tree.second, true), (&tree.third, true), (&tree.second, false)] {
            if fault {
                journal.plan("third start", 1, Fault::Error);
            }
            probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(60)).await;
        }
        let mut lines = Vec::new();
        while let Some(Ok(event)) = events.try_next() {
            let line = match event.kind {
                EventKind::Decided { directive, row, .. } => format!("{directive:?} {row}"),
                EventKind::RestartScheduled { after } => format!("in {after:?}"),
                EventKind::Ended { .. } => "ended".into(),
                EventKind::Failed { .. } => "failed".into(),
                _ => continue,
            };
            lines.push(format!("{:?} {} #{} {line}", event.at - begun, event.path, event.incarnation));
        }
        lines
    }
    let first = run(7).await;
    assert!(first.iter().any(|line| line.contains("in ")) && first.len() > 12, "{first:?}");
    assert_eq!(run(7).await, first);
    assert_ne!(run(8).await, first);
}
