//! Several requests that a child takes in one poll: S4, S26, S46.

use std::collections::BTreeMap;
use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Journal, ms, pass, quiet_panics, secs, settle};

/// The requests, the strongest first.
const REQUESTS: [&str; 5] = ["kill", "stop", "drain", "restart", "start_again"];

/// The kinds of children, and their work when the requests come.
const KINDS: [&str; 9] = [
    "an idle actor",
    "a busy actor",
    "a hung actor",
    "an actor that comes up",
    "a task without a context",
    "a task that obeys",
    "a deaf task",
    "a tree",
    "an instance of a set",
];

pub enum Say {
    Work(Duration),
    Note,
}

pub struct Worker(Journal);

#[actor]
impl Worker {
    async fn handle(&mut self, say: Say) -> Result<(), Boom> {
        match say {
            Say::Work(time) => {
                self.0.write("works");
                tokio::time::sleep(time).await;
                self.0.write("worked");
            }
            Say::Note => self.0.write("note"),
        }
        Ok(())
    }
    #[pre_start]
    async fn begin(&mut self) -> Result<(), Boom> {
        self.0.reach("pre_start".to_owned()).await
    }
    #[pre_restart]
    fn before(&mut self) {
        self.0.write("pre_restart");
    }
    #[post_restart]
    fn again(&mut self) {
        self.0.write("post_restart");
    }
    #[post_stop]
    fn end(&mut self) {
        self.0.write("post_stop");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.write("drop");
    }
}

async fn works(journal: Journal) {
    journal.write("task begins");
    std::future::pending().await
}

supervisor! {
    pub struct All(journal: Journal) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[lifecycle(Permanent, shutdown = 2s)]
        actor: Worker = Worker(journal),
        #[lifecycle(Transient)]
        plain: task = works(journal),
        #[lifecycle(Transient, shutdown = 2s)]
        obeys: task = |cx| async move {
            journal.write("task begins");
            cx.stopped().await;
            journal.write("task obeys");
        },
        #[lifecycle(Transient, shutdown = 2s)]
        deaf: task = |_cx| works(journal),
        sub: struct Sub {
            #[lifecycle(Permanent, shutdown = 2s)]
            below: Worker = Worker(journal),
        },
        #[lifecycle(Transient, shutdown = 2s)]
        set: [u32 => Worker] = |_key: u32| Worker(journal),
    }
}

/// The outcome of requests: the end, the incarnation, what ran, how long it took, and whether a restart was promised that
/// did not come.
#[derive(Debug, PartialEq, Clone)]
struct Outcome {
    ended: Option<String>,
    incarnation: u32,
    ran: Vec<String>,
    took: Duration,
    dead_letters: u64,
}

/// The answers that callers wait for: of `restart()` and `start_again()`.
type Answers = BTreeMap<&'static str, bool>;

async fn ask(handle: &impl Handle, requests: &[&'static str]) -> Answers {
    let mut waits = Vec::new();
    let mut answers = Answers::new();
    for &request in requests {
        let start = match request {
            "kill" => {
                handle.kill_it();
                continue;
            }
            "stop" => {
                handle.stop_it();
                continue;
            }
            "drain" => {
                handle.drain_it();
                continue;
            }
            "restart" => handle.restart_it(),
            "start_again" => handle.start_it_again(),
            other => panic!("{other}"),
        };
        match start {
            Ok(start) => waits.push((request, start)),
            Err(_) => drop(answers.insert(request, false)),
        }
    }
    for (request, start) in waits {
        let answer = tokio::time::timeout(secs(60), start).await;
        answers.insert(request, answer.unwrap_or_else(|_| panic!("{request} in {requests:?} is not answered")).is_ok());
    }
    answers
}

type Start = std::pin::Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

trait Handle {
    fn kill_it(&self);
    fn stop_it(&self);
    fn drain_it(&self);
    fn restart_it(&self) -> Result<Start, String>;
    fn start_it_again(&self) -> Result<Start, String>;
    fn seen(&self) -> (Option<String>, u32);
}

macro_rules! handle {
    ($type:ty, $this:ident, drain: $drain:expr) => {
        impl Handle for $type {
            fn kill_it(&self) {
                self.kill();
            }
            fn stop_it(&self) {
                self.stop();
            }
            fn drain_it(&self) {
                let $this = self;
                $drain;
            }
            fn restart_it(&self) -> Result<Start, String> {
                let start = self.restart().map_err(|error| error.to_string())?;
                Ok(Box::pin(async move { start.await.map(drop).map_err(|error| error.to_string()) }))
            }
            fn start_it_again(&self) -> Result<Start, String> {
                let start = self.start_again().map_err(|error| error.to_string())?;
                Ok(Box::pin(async move { start.await.map(drop).map_err(|error| error.to_string()) }))
            }
            fn seen(&self) -> (Option<String>, u32) {
                (self.ended().map(|ended| ended.to_string()), self.incarnation())
            }
        }
    };
}

handle!(ActorRef<Worker>, this, drain: this.drain());
handle!(TaskRef, this, drain: this.stop());
handle!(TreeRef, this, drain: this.stop());

async fn outcome(kind: &str, requests: &[&'static str]) -> (Outcome, Answers) {
    let journal = Journal::default();
    let all = All::start(journal.clone()).await.unwrap();
    settle().await;
    let key = all.set.spawn(1).await.unwrap();
    settle().await;
    journal.take();
    let busy = match kind {
        "a busy actor" => ms(500),
        "a hung actor" => secs(3600),
        _ => Duration::ZERO,
    };
    if busy > Duration::ZERO {
        all.actor.tell(Say::Work(busy)).await.unwrap();
        settle().await;
        all.actor.tell(Say::Note).await.unwrap();
    }
    if kind == "an actor that comes up" {
        journal.plan("pre_start", 1, crate::common::Fault::Slow(secs(1)));
        drop(all.actor.restart().unwrap());
        settle().await;
    }
    let begun = Instant::now();
    async fn run(
        handle: &impl Handle,
        journal: &Journal,
        begun: Instant,
        requests: &[&'static str],
    ) -> (Outcome, Answers) {
        let answers = ask(handle, requests).await;
        let mut ran = Vec::new();
        let mut took = Duration::ZERO;
        settle().await;
        for _ in 0..6 {
            let lines = journal.take();
            if !lines.is_empty() {
                took = begun.elapsed();
            }
            ran.extend(lines);
            pass(ms(500)).await;
        }
        let (ended, incarnation) = handle.seen();
        (Outcome { ended, incarnation, ran, took, dead_letters: 0 }, answers)
    }
    let (mut out, answers) = match kind {
        "a task without a context" => run(&all.plain, &journal, begun, requests).await,
        "a task that obeys" => run(&all.obeys, &journal, begun, requests).await,
        "a deaf task" => run(&all.deaf, &journal, begun, requests).await,
        "a tree" => run(&*all.sub, &journal, begun, requests).await,
        "an instance of a set" => run(&key, &journal, begun, requests).await,
        _ => run(&all.actor, &journal, begun, requests).await,
    };
    out.dead_letters = all.dead_letters();
    all.shutdown().await;
    (out, answers)
}

/// All orders of all sets of requests.
fn permutations() -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() {
        for request in REQUESTS {
            if !all[at].contains(&request) {
                let mut longer = all[at].clone();
                longer.push(request);
                all.push(longer);
            }
        }
        at += 1;
    }
    all.remove(0);
    all
}

/// S4, S26, S46: of the requests that a child takes in one poll the strongest decides, in whatever order they came. Each
/// caller that waits gets an answer, and none is promised a start that did not come.
#[test]
fn of_several_requests_in_one_poll_the_strongest_decides() {
    quiet_panics();
    let mut wrong = Vec::new();
    let all = permutations();
    assert_eq!(all.len(), 325);
    for kind in KINDS {
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let mut alone = BTreeMap::new();
        for requests in &all {
            let (out, answers) = runtime().block_on(outcome(kind, requests));
            if let [request] = requests[..] {
                alone.insert(request, out.clone());
            }
            let strongest = REQUESTS.into_iter().find(|request| requests.contains(request)).unwrap();
            if alone[strongest] != out {
                wrong.push(format!("{kind}, {requests:?}: {out:?}, and not {:?}", alone[strongest]));
            }
            for (request, is_ok) in answers {
                if is_ok != (request == "restart" && out.ended.is_none()) {
                    wrong.push(format!("{kind}, {requests:?}: {request} was told {is_ok}, and got {out:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The doings of a child's code in the poll in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Does {
    Fails,
    Panics,
    EndsItself,
    EndsItselfAndFails,
    Returns,
}

pub struct Waits(Journal);

#[actor]
impl Waits {
    async fn handle(
        &mut self,
        order: Option<tokio::sync::oneshot::Receiver<Does>>,
        cx: &mut Context<Self>,
    ) -> Result<(), Boom> {
        let Some(order) = order else {
            self.0.write("next");
            return Ok(());
        };
        match order.await.unwrap_or(Does::Returns) {
            Does::Returns => Ok(()),
            Does::Fails => Err(Boom::Told),
            Does::Panics => panic!("planned panic"),
            Does::EndsItself => {
                cx.stop();
                Ok(())
            }
            Does::EndsItselfAndFails => {
                cx.stop();
                Err(Boom::Told)
            }
        }
    }
    #[pre_restart]
    fn before(&mut self) {
        self.0.write("pre_restart");
    }
    #[post_stop]
    fn end(&mut self) {
        self.0.write("post_stop");
    }
}

/// S4, S26: a failure or an end by itself that comes in the same poll as a request does not weaken it. A failure that came
/// to pass is reported; a kill drops the code before it fails.
#[test]
fn what_the_code_does_in_the_same_poll_does_not_weaken_a_request() {
    supervisor! {
        struct One(journal: Journal) {
            #[lifecycle(Transient)]
            waits: Waits = Waits(journal),
        }
    }
    async fn goes(request: &'static str, does: Does) -> (Outcome, bool) {
        let journal = Journal::default();
        let mut blueprint = One::tree(journal.clone());
        let mut events = blueprint.events();
        let one = blueprint.start().await.unwrap();
        let (order, waits) = tokio::sync::oneshot::channel();
        one.waits.tell(Some(waits)).await.unwrap();
        settle().await;
        one.waits.tell(None).await.unwrap();
        order.send(does).unwrap();
        match request {
            "kill" => one.waits.kill(),
            "stop" => one.waits.stop(),
            "drain" => one.waits.drain(),
            _ => drop(one.waits.restart().unwrap()),
        }
        settle().await;
        pass(secs(1)).await;
        let (ended, incarnation) = (one.waits.ended().map(|ended| ended.to_string()), one.waits.incarnation());
        let seen = crate::common::seen(&mut events);
        let reported = seen.iter().any(|line| line.contains("told to") || line.contains("planned"));
        let out = Outcome { ended, incarnation, ran: journal.take(), took: ms(0), dead_letters: one.dead_letters() };
        one.shutdown().await;
        (out, reported || one_late(&seen))
    }
    fn one_late(seen: &[String]) -> bool {
        seen.iter().any(|line| line.contains("reported") || line.contains("failed"))
    }
    quiet_panics();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    for request in ["kill", "stop", "drain", "restart"] {
        let (alone, _) = runtime().block_on(goes(request, Does::Returns));
        for does in [Does::Fails, Does::Panics, Does::EndsItself, Does::EndsItselfAndFails] {
            let (out, reported) = runtime().block_on(goes(request, does));
            let mut expected = alone.clone();
            let fails = does != Does::EndsItself;
            if request == "drain" {
                // Both end a drain, at any time, and the rest become dead letters (S26).
                expected.ran.retain(|line| line != "next");
                expected.dead_letters = 1;
            }
            assert_eq!(out, expected, "{request}, and the code {does:?}");
            assert_eq!(reported, request == "kill" || fails, "{request}, and the code {does:?}");
        }
    }
}

/// S26: a kill of a child, in the poll in which it gets the restart of its supervisor, keeps nobody waiting: the child
/// goes down with its supervisor.
#[test]
fn a_kill_with_a_restart_from_above_is_carried_out() {
    quiet_panics();
    for kind in ["actor", "plain", "deaf", "sub"] {
        for kill_first in [false, true] {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
            runtime.block_on(async {
                supervisor! {
                    struct Above(journal: Journal) {
                        all: All = All::tree(journal),
                    }
                }
                let above = Above::start(Journal::default()).await.unwrap();
                settle().await;
                let kill = || match kind {
                    "actor" => above.all.actor.kill(),
                    "plain" => above.all.plain.kill(),
                    "deaf" => above.all.deaf.kill(),
                    _ => above.all.sub.kill(),
                };
                if kill_first {
                    kill();
                }
                let start = above.all.restart().unwrap();
                if !kill_first {
                    kill();
                }
                let up = tokio::time::timeout(secs(30), start).await;
                assert!(matches!(up, Ok(Ok(_))), "{kind}, {kill_first}: {up:?}");
                assert!(above.shutdown().await.children.iter().all(|child| !child.stuck), "{kind}");
            });
        }
    }
}

/// S26, S37: a death pact that comes with a stop or a restart is a failure: it is reported, and the request decides.
#[tokio::test(start_paused = true)]
async fn a_death_pact_does_not_weaken_a_request() {
    struct Depends(ActorRef<Worker>, Journal);
    #[actor]
    impl Depends {
        #[pre_start]
        fn begin(&mut self, cx: &mut Context<Self>) {
            cx.depend_on(&self.0);
        }
        fn handle(&mut self, (): ()) {}
        #[post_stop]
        fn end(&mut self) {
            self.1.write("depends ends");
        }
    }
    supervisor! {
        struct Two(journal: Journal) {
            partner: Worker = Worker(journal),
            depends: Depends = Depends(partner, journal),
        }
    }
    for restart in [false, true] {
        let journal = Journal::default();
        let two = Two::start(journal.clone()).await.unwrap();
        settle().await;
        journal.take();
        // The partner ends first, and its notice and the request are taken in one poll.
        two.partner.stop();
        match restart {
            false => two.depends.stop(),
            true => drop(two.depends.restart().unwrap()),
        }
        settle().await;
        pass(secs(1)).await;
        let ended = two.depends.ended().map(|ended| ended.to_string());
        assert!(journal.take().contains(&"depends ends".to_owned()), "its hook ran");
        match restart {
            false => assert_eq!(ended.as_deref(), Some("stopped")),
            true => assert!(ended.is_none_or(|ended| !ended.contains("aborted"))),
        }
        two.shutdown().await;
    }
}

/// S24, S26: an abort is the strongest of all: with any other request in the same poll the child ends as with the abort
/// alone.
#[test]
fn an_abort_is_stronger_than_every_request() {
    async fn goes(kind: &str, request: &str) -> String {
        let all = All::start(Journal::default()).await.unwrap();
        settle().await;
        all.actor.tell(Say::Work(secs(3600))).await.unwrap();
        settle().await;
        // The order of the tree comes first, and both are in the queue of the child before its next poll.
        let mut abort = Box::pin(all.clone().shutdown().within(Duration::ZERO));
        let first = std::future::poll_fn(|cx| std::task::Poll::Ready(abort.as_mut().poll(cx))).await;
        assert!(first.is_pending());
        match (kind, request) {
            ("actor", "kill") => all.actor.kill(),
            ("actor", "stop") => all.actor.stop(),
            ("actor", "drain") => all.actor.drain(),
            ("actor", "restart") => drop(all.actor.restart()),
            ("deaf", "kill") => all.deaf.kill(),
            ("deaf", "stop" | "drain") => all.deaf.stop(),
            ("deaf", "restart") => drop(all.deaf.restart()),
            _ => {}
        }
        tokio::time::timeout(secs(1), abort).await.expect("no time is left").unwrap();
        let ended = if kind == "actor" { all.actor.ended() } else { all.deaf.ended() };
        ended.expect("the tree has ended").to_string()
    }
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    for kind in ["actor", "deaf"] {
        let alone = runtime().block_on(goes(kind, "nothing"));
        assert!(alone.starts_with("aborted: "), "{kind}: {alone}");
        for request in ["kill", "stop", "drain", "restart"] {
            assert_eq!(runtime().block_on(goes(kind, request)), alone, "{kind}, {request}");
        }
    }
}

/// S20, S26: a drain that comes with a restart is a stop from outside: the child stays ended when its supervisor is restarted,
/// and starts again on request.
#[tokio::test(start_paused = true)]
async fn a_drain_with_a_restart_is_a_stop_from_outside() {
    supervisor! {
        struct Outer(journal: Journal) {
            all: All = All::tree(journal),
        }
    }
    for drain_first in [false, true] {
        let outer = Outer::start(Journal::default()).await.unwrap();
        settle().await;
        let below = &outer.all.actor;
        if drain_first {
            below.drain();
        }
        drop(below.restart()); // refused after the drain
        if !drain_first {
            below.drain();
        }
        pass(secs(1)).await;
        assert_eq!(below.ended().expect("it drained").to_string(), "stopped", "{drain_first}");
        outer.all.restart().unwrap().await.unwrap();
        pass(secs(1)).await;
        assert_eq!((outer.all.incarnation(), below.ended().is_some()), (2, true), "{drain_first}");
        assert!(below.start_again().unwrap().await.is_ok());
        assert!(below.ended().is_none());
        outer.shutdown().await;
    }
}

/// S4, S26: a kill is obeyed at once, also if in the same poll a caller has asked for a restart, and the set or the tree of the
/// child goes down, for good or for a restart. No order of the three weakens the kill.
#[tokio::test(start_paused = true)]
async fn a_kill_is_obeyed_in_a_set_that_goes_down() {
    struct Gone(Journal);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.write("dropped");
        }
    }
    async fn deaf(journal: Journal) {
        let _gone = Gone(journal);
        std::future::pending().await
    }
    supervisor! {
        struct Sets(journal: Journal) {
            #[lifecycle(Transient, shutdown = 2s)]
            tasks: [task] = |_n: u32| |_cx| deaf(journal),
            group: struct Pair {
                #![strategy(AllForOne)]
                #![decider(_ => Restart)]
                #[lifecycle(Transient, shutdown = 2s)]
                first: task = |_cx| deaf(journal),
                second: task = |_cx| deaf(Journal::default()),
            },
        }
    }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for ends in ["the set", "the tree", "a restart of the set", "a failure of the set", "a failure of its group"] {
            let journal = Journal::default();
            let mut tree = Sets::tree(journal.clone());
            let mut events = tree.events();
            let sets = tree.start().await.unwrap();
            let of_a_group = ends == "a failure of its group";
            let task = if of_a_group { sets.group.first.clone() } else { sets.tasks.spawn(1).await.unwrap() };
            settle().await;
            for request in order {
                match (request, ends) {
                    (0, _) => drop(task.restart()),
                    (1, _) => task.kill(),
                    (_, "the set") => sets.tasks.tree().stop(),
                    (_, "the tree") => sets.stop(),
                    (_, "a restart of the set") => drop(sets.tasks.tree().restart()),
                    (_, "a failure of the set") => sets.tasks.tree().kill(),
                    _ => sets.group.second.kill(),
                }
            }
            settle().await;
            assert!(journal.take().contains(&"dropped".to_owned()), "{order:?}, {ends}");
            pass(secs(5)).await;
            match ends {
                "the set" | "the tree" => {
                    let aborts = std::iter::from_fn(|| events.try_next())
                        .filter(|event| event.path == task.path() && matches!(event.kind, EventKind::Aborted { .. }));
                    assert_eq!(aborts.count(), 0, "{order:?}, {ends}: a kill is no abort");
                    assert_eq!(
                        task.ended().map(|ended| ended.to_string()).as_deref(),
                        Some("killed"),
                        "{order:?}, {ends}"
                    )
                }
                _ => assert_eq!(task.ended().is_some(), !of_a_group, "{order:?}, {ends}"),
            }
        }
    }
}
