//! The failures that there are, and what they contain: S6.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, soon};

/// The failures that were raised as such, in order: path, phase, cause, incarnation of the origin.
fn failed(events: &mut Events) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(Event { path, kind, .. }) = events.try_next() {
        if let EventKind::Failed { failure, .. } = kind {
            let origin = (failure.path(), failure.incarnation());
            lines.push(format!("{path}: {:?}, {}, {origin:?}", failure.phase(), failure.cause()));
        }
    }
    lines
}

/// S6: every error or panic in an actor is a failure, with its phase, cause, path and incarnation.
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
        "Running, panicked: planned panic, (\"probe\", 14)",
        "Running, killed, (\"probe\", 15)",
        "Running, Fatal, (\"probe\", 16)",
        "Restart, killed, (\"probe\", 17)",
    ];
    assert_eq!(failed(&mut events), lines.map(|line| format!("probe: {line}")));
    assert_eq!(probe.incarnation(), 18);
}

/// S5: the event of a failure names the message of a timer, and none while that is still being made. The next message
/// is named again.
#[tokio::test(start_paused = true)]
async fn a_message_of_a_timer_is_named_and_its_making_is_not() {
    struct Alarm;
    enum Ring {
        After(Duration),
        /// Panics before there is a message.
        Unmade,
        Fail,
    }
    #[actor]
    impl Alarm {
        fn handle(&mut self, ring: Ring, cx: &mut Context<Self>) -> Result<(), Boom> {
            match ring {
                Ring::After(time) => drop(cx.send_after(time, Ring::Fail)),
                Ring::Unmade => drop(cx.send_every(secs(1), || -> Ring { panic!("planned panic of a message") })),
                Ring::Fail => return Err(Boom::Told),
            }
            Ok(())
        }
    }
    supervisor! {
        struct Alarms {
            #[decider(_ => Resume)]
            alarm: Alarm = Alarm,
        }
    }
    quiet_panics();
    let tree = Alarms::start().await.unwrap();
    let mut events = tree.events();
    for ring in [Ring::After(secs(1)), Ring::Unmade, Ring::After(secs(1)), Ring::Unmade, Ring::Fail] {
        tree.alarm.tell(ring).await.unwrap();
        pass(secs(2)).await;
    }
    let mut named = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { message, .. } = event.kind {
            named.push(message);
        }
    }
    let name = Some(std::any::type_name::<Ring>());
    assert_eq!(named, [name, None, name, None, name]);
}

/// S6: tasks and their subtasks, a `let`, `supervision()`, `terminated` and a death pact can fail too.
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
pub struct Outer(pub Boom);

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

/// S6: `error` finds an error only by its exact type, and `find` also searches the sources.
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
    assert_eq!(failure.error::<Boom>(), None, "only the exact type of the error");
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Fatal));
    assert_eq!(failure.find::<fmt::Error>(), None);
    let failure = Boxed::start().await.unwrap_err();
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Fatal), "boxed errors are downcast");
}

/// S6: the failure at a limit leads to the last failure. Its text already contains that failure, so it is not its
/// source as well.
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
    let report = soon(one.join()).await;
    let failure = report.ended.failure().expect("a failure").clone();
    assert!(matches!(failure.cause(), Cause::LimitReached));
    assert_eq!(failure.error::<Boom>(), None);
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Told));
    let before = failure.before().expect("the last failure");
    assert_eq!((before.phase(), before.path(), before.error()), (Phase::Running, "probe", Some(&Boom::Told)));
    assert!(std::error::Error::source(&failure).is_none() && failure.to_string().contains(&before.to_string()));
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
                #![decider(|failure: &Failure| match failure.phase() {
                    Phase::Running => Directive::Restart,
                    _ => Directive::Escalate,
                })]
                first: Probe = Probe::start("first", journal.clone()).await?,
                probe: Probe = Probe::start("probe", journal).await?,
            },
        }
    }
    let (journal, said) = (Journal::default(), Said::default());
    journal.plan("probe start", 1, Fault::Error);
    let top = Top::start(journal.clone(), said.clone()).await.unwrap();
    for failures in [1, 2] {
        journal.plan("probe start", failures, Fault::Error);
        top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
    }
    let path = || "inner/probe".to_owned();
    assert_eq!(
        *said.lock().unwrap(),
        [
            (Phase::Start, path(), 1),
            (Phase::Running, path(), 3),
            (Phase::Running, path(), 5),
            (Phase::Restart, path(), 6),
        ],
        "for the child, each failure after the first is a failed restart"
    );
}

/// S6: a kill of a child that has neither an instance nor a start in progress is a stop.
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
    let ended = soon(one.probe.terminated()).await.unwrap();
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    assert_eq!(begun.elapsed(), Duration::ZERO);
    pass(secs(60)).await;
    assert_eq!(journal.take(), [""; 0], "no start happened");
}
