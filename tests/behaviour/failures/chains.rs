//! The chain that led to a failure, and how it is displayed: S6, S17, S21, S40.

use std::error::Error;
use std::fmt;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Instant;

use supervise::error::SpawnError;
use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

/// The error of a start, with a number that distinguishes it from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Try(u32);

impl fmt::Display for Try {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "try {}", self.0)
    }
}

impl Error for Try {}

/// Fails its starts as often as planned; its handler fails with `Boom`.
struct Sick {
    heard: Heard,
    name: &'static str,
}

/// The texts of the failures that the hooks got, each with all failures before it.
#[derive(Clone, Default)]
struct Heard(std::sync::Arc<(Mutex<Vec<String>>, AtomicU32, AtomicU32)>);

impl Heard {
    fn fails(&self, times: u32) {
        self.0.1.store(times, Ordering::Relaxed);
    }

    fn start(&self, name: &'static str) -> Result<Sick, Try> {
        let left = self.0.1.load(Ordering::Relaxed);
        if left > 0 {
            self.0.1.store(left - 1, Ordering::Relaxed);
            return Err(Try(self.0.2.fetch_add(1, Ordering::Relaxed) + 1));
        }
        Ok(Sick { heard: self.clone(), name })
    }

    fn hear(&self, hook: String, failure: &Failure) {
        self.0.0.lock().unwrap().push(format!("{hook}: {}", texts(failure).join(" < ")));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.0.lock().unwrap())
    }
}

#[actor]
impl Sick {
    fn handle(&mut self, boom: Boom) -> Result<(), Boom> {
        Err(boom)
    }
    #[pre_restart]
    fn going(&mut self, failure: &Failure) {
        self.heard.hear(format!("{} goes", self.name), failure);
    }
    #[post_restart]
    fn back(&mut self, failure: &Failure) {
        self.heard.hear(format!("{} is back", self.name), failure);
    }
}

/// The causes, the latest one first.
fn texts(failure: &Failure) -> Vec<String> {
    std::iter::successors(Some(failure), |failure| failure.before())
        .map(|failure| match failure.left_out() {
            0 => failure.cause().to_string(),
            left_out => format!("{} ({left_out} left out)", failure.cause()),
        })
        .collect()
}

/// The text that anyhow's `{:#}` prints, or any logger that walks the sources.
fn whole(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", whole(source)),
        None => error.to_string(),
    }
}

supervisor! {
    struct Ward(heard: Heard) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(|_: &Failure| Directive::Restart)]
        sick: Sick = heard.start("sick")?,
    }

    struct Clinic(heard: Heard) {
        #![strategy(AllForOne, max_restarts = 4, within = 1h)]
        #![decider(|_: &Failure| Directive::Restart)]
        a: Sick = Heard::default().start("a").map(|sick| Sick { heard: heard.clone(), ..sick })?,
        b: Sick = heard.start("b")?,
    }
}

/// S6: a failed restart leads to the failure that the restart was meant to repair: by `before`, `source` and `find`.
#[tokio::test(start_paused = true)]
async fn a_failed_restart_leads_to_the_failure_it_should_repair() {
    supervisor! {
        struct Strict(heard: Heard) {
            #![decider(Phase::Restart => Stop, _ => Restart)]
            sick: Sick = heard.start("sick")?,
            other: Sick = Heard::default().start("other")?,
        }
    }
    let heard = Heard::default();
    let tree = Strict::start(heard.clone()).await.unwrap();
    heard.fails(1);
    tree.sick.tell(Boom::Told).await.unwrap();
    let Ok(Ended::Failed(failure)) = soon(tree.sick.terminated()).await else { panic!("the child should have failed") };
    assert_eq!((failure.error::<Try>(), failure.error::<Boom>()), (Some(&Try(1)), None), "only the exact error");
    assert_eq!((failure.find::<Try>(), failure.find::<Boom>()), (Some(&Try(1)), Some(&Boom::Told)));
    let before = failure.before().expect("the failure that caused the restart");
    assert_eq!((before.phase(), before.incarnation(), before.error()), (Phase::Running, 1, Some(&Boom::Told)));
    assert_eq!(whole(&failure), "sick failed while restarting: try 1: sick failed while running: Told");

    heard.fails(2);
    let healed = Ward::start(heard.clone()).await;
    let tree = healed.expect("a first start is tried again");
    heard.fails(1);
    tree.sick.tell(Boom::Fatal).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(heard.take(), ["sick goes: Told", "sick goes: Fatal", "sick is back: try 4 < Fatal"]);
}

/// S6: once the child is up again, earlier failures no longer belong to the chain.
#[tokio::test(start_paused = true)]
async fn a_chain_has_no_failures_from_before_the_child_was_up() {
    let heard = Heard::default();
    let tree = Ward::start(heard.clone()).await.unwrap();
    for _ in 0..2 {
        heard.fails(1);
        tree.sick.tell(Boom::Told).await.unwrap();
        pass(secs(20)).await;
    }
    let (first, second) = ("sick goes: Told".to_owned(), "sick goes: Told".to_owned());
    assert_eq!(heard.take(), [first, "sick is back: try 1 < Told".into(), second, "sick is back: try 2 < Told".into()]);
}

/// S6: of many failed attempts the latest ones and the first are kept; the rest are counted.
#[tokio::test(start_paused = true)]
async fn of_a_long_streak_the_latest_and_the_first_are_kept() {
    let heard = Heard::default();
    let tree = Ward::start(heard.clone()).await.unwrap();
    heard.fails(1000);
    tree.sick.tell(Boom::Told).await.unwrap();
    pass(secs(20_000)).await;
    assert_eq!(
        heard.take(),
        ["sick goes: Told", "sick is back: try 1000 < try 999 < try 998 < try 997 (996 left out) < Told"]
    );
}

/// S21: the error of `start()` shows the failures before it.
#[tokio::test(start_paused = true)]
async fn a_first_start_that_gives_up_shows_every_try() {
    let heard = Heard::default();
    heard.fails(9);
    let failure = soon(Clinic::start(heard.clone())).await.unwrap_err();
    assert_eq!(
        texts(&failure),
        ["restarted too often", "try 5", "try 4", "try 3 (1 left out)", "try 1"],
        "the limit, and the failures before it"
    );
    assert_eq!(
        whole(&failure),
        "b failed while starting: restarted too often (last: b failed while starting: try 5): \
         b failed while starting: try 4: b failed while starting: try 3: b failed while starting: try 1"
    );
}

/// S17: every member gets the first failure of the group restart, even after a start that fails on the way up. A member
/// whose own start failed gets that failure, which leads to the first one.
#[tokio::test(start_paused = true)]
async fn a_failed_start_on_the_way_up_does_not_replace_the_first_failure() {
    let heard = Heard::default();
    let tree = Clinic::start(heard.clone()).await.unwrap();
    heard.fails(1);
    tree.a.tell(Boom::Told).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(
        heard.take(),
        [
            "b goes: Told",
            "a goes: Told",
            "a is back: Told",
            "a goes: Told", // because b did not come up
            "a is back: Told",
            "b is back: try 1 < Told"
        ]
    );
    // A failure after all are up again is the first of another group restart.
    tree.b.tell(Boom::Fatal).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(heard.take(), ["b goes: Fatal", "a goes: Fatal", "a is back: Fatal", "b is back: Fatal"]);
}

/// S17, S20: watchers and the report get the first error too.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_group_leads_to_the_first_failure() {
    let heard = Heard::default();
    let tree = Clinic::start(heard.clone()).await.unwrap();
    heard.fails(9);
    tree.a.tell(Boom::Told).await.unwrap();
    let report = soon(tree.join()).await;
    let Ended::Limit(failure) = &report.ended else { panic!("{report}") };
    assert_eq!((failure.find::<Boom>(), failure.find::<Try>()), (Some(&Boom::Told), Some(&Try(4))));
}

// ----- failures as text

/// Contains the text of its source, as many errors do.
#[derive(Debug)]
struct Protocol(Boom);

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "protocol error: {}", self.0)
    }
}

impl Error for Protocol {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// Does not contain the text of its source.
#[derive(Debug)]
struct Opaque(Protocol);

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection broke")
    }
}

impl Error for Opaque {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

supervisor! {
    struct Server {
        #![decider(_ => Stop)]
        conns: [Conn] = |ok: bool| Conn::open(ok)?,
        libpq: task = {
            let conns = conns.clone();
            async move {
                tokio::time::sleep(secs(1)).await;
                conns.spawn(false).await?;
                Ok::<(), supervise::BoxError>(())
            }
        },
        other: Probe = Probe::start("other", Journal::default()).await?,
    }
}

struct Conn;

#[actor]
impl Conn {
    fn open(ok: bool) -> Result<Conn, Opaque> {
        if ok { Ok(Conn) } else { Err(Opaque(Protocol(Boom::Told))) }
    }
    fn handle(&mut self, _: ()) {}
}

const ONCE: &str = "conns/#1 failed while starting: the connection broke: protocol error: Told";

/// S6: displayed alone or with its sources, a failure contains each text once; so does the error of a spawn.
#[tokio::test(start_paused = true)]
async fn a_displayed_failure_says_everything_once() {
    let server = Server::start().await.unwrap();
    let mut events = server.events();
    let Ok(Ended::Failed(failure)) = soon(server.libpq.terminated()).await else {
        panic!("the child should have failed")
    };
    assert_eq!(failure.to_string(), format!("libpq failed while running: {ONCE}"));
    assert_eq!(whole(&failure), failure.to_string());
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Told), "`find` searches the failures of the children");
    assert!(failure.find::<SpawnError>().is_some() && failure.find::<Failure>().is_some());
    assert_eq!(Ended::Failed(failure.clone()).to_string(), failure.to_string());

    let error = server.conns.spawn(false).await.unwrap_err();
    assert_eq!((error.to_string(), whole(&error)), (ONCE.replace("#1", "#2"), ONCE.replace("#1", "#2")));
    assert_eq!(format!("{failure:?}").matches("Told").count(), 1, "{failure:?}");

    let mut lines = Vec::new();
    while let Some(event) = events.try_next() {
        if event.path == "libpq" {
            lines.push(event.to_string());
        }
    }
    assert_eq!(
        lines,
        [
            format!("libpq #1 failed: {ONCE}"),
            "libpq #1 decided: Stop".to_owned(),
            format!("libpq #1 ended: failed while running: {ONCE}")
        ]
    );
    let health = server.health();
    let [symptom] = health.symptoms() else { panic!("{health}") };
    assert_eq!(symptom.to_string(), format!("libpq has ended: failed while running: {ONCE}"));
}

/// S6: a limit that makes the supervisor reach its own limit contains the last failure once, at any depth; the source is
/// the failure before that one.
#[tokio::test(start_paused = true)]
async fn limits_in_limits_say_everything_once() {
    supervisor! {
        struct Deep(heard: Heard) {
            #[limit(max_restarts = 0)]
            middle: struct Middle {
                #[limit(max_restarts = 0)]
                low: struct Low {
                    #[limit(max_restarts = 1)]
                    sick: Sick = heard.start("sick")?,
                },
            },
            other: Sick = Heard::default().start("other")?,
        }
    }
    let heard = Heard::default();
    let tree = Deep::start(heard.clone()).await.unwrap();
    heard.fails(1);
    tree.middle.low.sick.tell(Boom::Fatal).await.unwrap();
    let report = soon(tree.join()).await;
    let Ended::Limit(failure) = &report.ended else { panic!("{report}") };
    let causes = texts(failure);
    assert_eq!(causes[causes.len() - 2..], ["try 1", "Fatal"], "{causes:?}");
    assert!(causes[..causes.len() - 2].iter().all(|cause| cause == "restarted too often"), "{causes:?}");
    assert!(causes.len() > 3, "more than one limit: {causes:?}");
    let before = failure.source().expect("the failure that led to the last one");
    assert_eq!(before.to_string(), "middle/low/sick failed while running: Fatal");
    let shown = whole(failure);
    assert_eq!((shown.matches("try 1").count(), shown.matches("Fatal").count()), (1, 1), "{shown}");
}

/// S6: the error that `?` shows at the end of a `main` contains each failure once, and the way to it.
#[tokio::test(start_paused = true)]
async fn the_error_of_a_main_says_everything_once() {
    let heard = Heard::default();
    let tree = Clinic::start(heard.clone()).await.unwrap();
    heard.fails(1);
    tree.a.tell(Boom::Told).await.unwrap();
    tree.a.kill();
    pass(secs(20)).await;
    heard.fails(9);
    tree.shutdown().await;
    let failure = soon(Clinic::start(heard)).await.unwrap_err();
    let shown = format!("{:?}", Box::<dyn Error>::from(failure));
    assert_eq!(shown.matches("LimitReached").count(), 1, "{shown}");
    for n in [2, 4, 5, 6] {
        assert_eq!(shown.matches(&format!("Try({n})")).count(), 1, "{n}: {shown}");
    }
    assert!(shown.contains("left_out: 1"), "{shown}");
}

// ----- `Decided` names the action that follows

/// S40: `Decided` names the action that follows: at a limit, for a `Temporary` child, and where there is no supervisor
/// above.
#[tokio::test(start_paused = true)]
async fn decided_names_no_restart_that_is_impossible() {
    supervisor! {
        struct Limits(journal: Journal) {
            #![decider(|_: &Failure| Directive::Restart)]
            #[limit(max_restarts = 0, on_limit = Stop)]
            ends: Probe = Probe::start("ends", journal).await?,
            #[limit(max_restarts = 0)]
            escalates: Probe = Probe::start("escalates", journal).await?,
            #[lifecycle(Temporary)]
            #[decider(Boom::Told => Restart, _ => Escalate)]
            once: Probe = Probe::start("once", journal).await?,
        }
    }
    let journal = Journal::default();
    let mut tree = Limits::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    seen(&mut events);
    tree.once.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["once failed", "once decided Stop", "once ended Failed"]);
    tree.ends.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["ends failed", "ends decided Stop", "ends limit", "ends ended Limit"]);
    tree.escalates.tell(Do::Fail(Boom::Told)).await.unwrap();
    soon(tree.join()).await;
    assert_eq!(
        seen(&mut events)[..4],
        ["escalates failed", "escalates decided Escalate", "escalates limit", "Limits escalated"]
    );
}

/// S40, S8: a Resume of a failed start appears as the Restart that follows.
#[tokio::test(start_paused = true)]
async fn a_resume_without_an_instance_is_reported_as_a_restart() {
    supervisor! {
        struct Resumes(journal: Journal) {
            #![decider(|_: &Failure| Directive::Resume)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    journal.plan("probe start", 1, Fault::Panic);
    let mut tree = Resumes::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let told: Vec<String> = seen(&mut events).into_iter().filter(|line| line.contains("decided")).collect();
    assert_eq!(told, ["probe decided Restart"]);
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(10)).await;
    let mut resumed = false;
    while let Some(event) = events.try_next() {
        resumed |= matches!(event.kind, EventKind::Decided { directive: Directive::Resume, .. });
    }
    assert!(resumed);
}

/// S40: a decision raises no `Decided` event if the tree was stopped while the decider ran.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_overtaken_by_a_stop_raises_no_event() {
    static DECIDES: Barrier = Barrier::new(2);
    static ANSWER: Mutex<Directive> = Mutex::new(Directive::Restart);
    supervisor! {
        struct Overtaken(journal: Journal) {
            #[decider(|_: &Failure| {
                DECIDES.wait();
                DECIDES.wait();
                *ANSWER.lock().unwrap()
            })]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    for directive in [Directive::Restart, Directive::Resume, Directive::Stop, Directive::Escalate] {
        *ANSWER.lock().unwrap() = directive;
        let mut tree = Overtaken::tree(Journal::default());
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        seen(&mut events);
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        tokio::task::spawn_blocking(|| DECIDES.wait()).await.unwrap();
        tree.stop();
        while soon(events.next()).await.unwrap().path != "Overtaken" {}
        // The one free thread runs this task after the root, which has notified its children by then.
        tokio::spawn(async {}).await.unwrap();
        tokio::task::spawn_blocking(|| DECIDES.wait()).await.unwrap();
        soon(tree.join()).await;
        let after = ["probe reported", "probe ended Stopped", "Overtaken ended Stopped"];
        assert_eq!(seen(&mut events), after, "{directive:?}");
    }
}

/// S40, S19: a decision that waits for another one above raises its event when it is carried out, and only then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deferred_decision_raises_one_event() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    static DECIDES: Barrier = Barrier::new(2);
    static ABOVE: Barrier = Barrier::new(2);
    supervisor! {
        struct Keeping(journal: Journal) {
            #[decider(|_: &Failure| {
                ABOVE.wait();
                ABOVE.wait();
                Directive::Resume
            })]
            below: struct Below {
                #[decider(|_: &Failure| {
                    if ASKED.fetch_add(1, Ordering::Relaxed) == 0 {
                        DECIDES.wait();
                        DECIDES.wait();
                    }
                    Directive::Stop
                })]
                one: Probe = Probe::start("one", journal).await?,
                #[decider(_ => Escalate)]
                two: Probe = Probe::start("two", journal).await?,
            },
        }
    }
    let mut tree = Keeping::tree(Journal::default());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    seen(&mut events);
    soon(tree.answers()).await; // waits until both threads have nothing left to do
    tree.below.one.tell(Do::Fail(Boom::Told)).await.unwrap();
    tokio::task::spawn_blocking(|| DECIDES.wait()).await.unwrap();
    tree.below.two.tell(Do::Fail(Boom::Told)).await.unwrap();
    tokio::task::spawn_blocking(|| ABOVE.wait()).await.unwrap();
    tokio::task::spawn_blocking(|| DECIDES.wait()).await.unwrap();
    // The one free thread runs this task after `one`, whose decision is deferred by then.
    tokio::spawn(async {}).await.unwrap();
    tokio::task::spawn_blocking(|| ABOVE.wait()).await.unwrap();
    soon(tree.below.one.terminated()).await.unwrap();
    let told: Vec<String> = seen(&mut events).into_iter().filter(|line| line.starts_with("below/one ")).collect();
    assert_eq!(told, ["below/one failed", "below/one decided Stop", "below/one ended Failed"]);
    assert!(ASKED.load(Ordering::Relaxed) >= 2, "it is asked again");
    tree.shutdown().await;
}

/// S40, S15: `Decided` names what follows also if another child takes the last restart of a shared budget meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decided_names_no_restart_that_another_child_has_taken() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    supervisor! {
        struct Sharing(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 1, within = 1h, budget = Shared)]
            #![decider(|_: &Failure| {
                ASKED.fetch_add(1, Ordering::Relaxed);
                let begun = Instant::now();
                while ASKED.load(Ordering::Relaxed) < 2 && begun.elapsed() < ms(100) {
                    spin_loop();
                }
                Directive::Restart
            })]
            one: Probe = Probe::start("one", journal).await?,
            two: Probe = Probe::start("two", journal).await?,
        }
    }
    // In some of the rounds both deciders answer at the same moment.
    for round in 0..500 {
        ASKED.store(0, Ordering::Relaxed);
        let mut tree = Sharing::tree(Journal::default());
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        tree.one.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.two.tell(Do::Fail(Boom::Told)).await.unwrap();
        soon(tree.join()).await;
        let (mut restarts, mut escalates) = (0, 0);
        for line in seen(&mut events) {
            restarts += usize::from(line.ends_with(" decided Restart"));
            escalates += usize::from(line.ends_with(" decided Escalate"));
        }
        assert_eq!((restarts, escalates), (1, 1), "round {round}");
    }
}

supervisor! {
    /// Its `let`s fail as planned: by an error, a panic or too much time.
    struct Founded(how: u32) {
        let (first, _second) = match how { 1 => Err(Try(1))?, n => (n, n) };
        let sum = { assert!(how != 2, "no sum"); first + 1 };
        let slow = { if how == 3 { std::future::pending::<()>().await } sum };
        db: Probe = match how { 4 => Err(Try(4))?, _ => Probe::start(slow.to_string(), Journal::default()).await? },
        other: Probe = Probe::start("other", Journal::default()).await?,
    }

    struct Land(how: u32) {
        #[lifecycle(start = 2s)]
        founded: Founded = Founded::tree(how),
        other: Probe = Probe::start("other", Journal::default()).await?,
    }
}

/// S6: the failure of a tree's start names the `let` at which it occurred, and only that.
#[tokio::test(start_paused = true)]
async fn the_failure_of_a_start_names_its_let() {
    quiet_panics();
    let mut found = Vec::new();
    for how in 1..=4 {
        let failure = Land::start(how).await.unwrap_err();
        found.push((failure.at_let(), failure.to_string()));
    }
    let texts = [
        (Some("first"), "founded failed while starting, at `let first`: try 1"),
        (Some("sum"), "founded failed while starting, at `let sum`: panicked: no sum"),
        (Some("slow"), "founded failed while starting, at `let slow`: took too long"),
        (None, "founded/db failed while starting: try 4"),
    ];
    assert_eq!(found, texts.map(|(name, text)| (name, text.to_owned())));
}
