//! Cells of the semantics table that the other modules do not reach, and cells that were once decided wrongly.
//!
//! `verify/cells` shows that the running system asks every cell.

use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context as Task, Waker};
use std::time::Duration;

use supervise::error::{CommandError, SpawnError};
use supervise::event::EventKind;
use supervise::prelude::*;
use supervise::testing::{self, Inject};

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};
use crate::nodes::{self, Say, family};

// ----- cells that were once decided wrongly

/// Returns the failure of another tree's start.
async fn foreign() -> Failure {
    supervisor! {
        struct Elsewhere(journal: Journal) {
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Error);
    let failure = Elsewhere::start(journal).await.unwrap_err();
    assert_eq!((failure.path(), failure.phase()), ("db", Phase::Start));
    failure
}

/// S24: a child on its way to a restart drains nothing when it is then stopped, drained or shut down.
#[tokio::test(start_paused = true)]
async fn a_stop_on_the_way_to_a_restart_drains_nothing() {
    supervisor! {
        struct One(journal: Journal) {
            #[lifecycle(Permanent, shutdown = Infinity, drain)]
            holds: Probe = Probe::start("holds", journal).await?,
            #[while_down(Reject)]
            #[lifecycle(Permanent, shutdown = Infinity, drain)]
            rejects: Probe = Probe::start("rejects", journal).await?,
        }
    }
    for way in ["stop", "drain", "shutdown"] {
        for name in ["holds", "rejects"] {
            let journal = Journal::default();
            let mut tree = One::tree(journal.clone());
            let mut events = tree.events();
            let tree = tree.start().await.unwrap();
            let child = if name == "holds" { tree.holds.clone() } else { tree.rejects.clone() };
            child.tell(Do::Work(secs(1))).await.unwrap();
            settle().await;
            child.tell(Do::Note("queued")).await.unwrap();
            child.restart().unwrap();
            settle().await;
            journal.take();
            seen(&mut events);
            match way {
                "stop" => child.stop(),
                "drain" => child.drain(),
                _ => drop(soon(tree.shutdown()).await),
            }
            assert!(matches!(soon(child.terminated()).await, Ok(Ended::Stopped)), "{way}, {name}");
            let lines = journal.take().into_iter().filter(|line| line.starts_with(name)).collect::<Vec<_>>();
            let wanted = ["worked", "post_stop", "drop"].map(|what| format!("{name} {what}"));
            assert_eq!(lines, wanted, "{way}, {name}: queued messages are not handled");
            assert!(seen(&mut events).contains(&format!("{name} dead letter")), "{way}, {name}");
        }
    }
}

/// An actor that fails with the failure it is given.
struct Relay {
    /// The failure that its hooks return.
    given: Option<Failure>,
}

enum Hand {
    /// This failure.
    On(Failure),
    /// The failure that this oracle answers with.
    Ask(ActorRef<Oracle>),
    /// The failure of a child whose start fails.
    Spawn,
}

#[actor]
impl Relay {
    async fn handle(&mut self, hand: Hand, cx: &mut Context<Self>) -> Result<(), Failure> {
        Err(match hand {
            Hand::On(failure) => failure,
            Hand::Ask(oracle) => oracle.ask(|reply| reply).await.expect("the actor answers"),
            Hand::Spawn => match cx.spawn(child! { "child": Probe = Err(Boom::Planned)? }).await {
                Err(SpawnError::Start(failure)) => failure,
                other => panic!("{other:?}"),
            },
        })
    }
    #[pre_restart]
    async fn flush(&mut self) -> Result<(), Failure> {
        self.given.clone().map_or(Ok(()), Err)
    }
    #[post_stop]
    async fn close(&mut self) -> Result<(), Failure> {
        self.given.clone().map_or(Ok(()), Err)
    }
}

/// Answers with a failure.
struct Oracle(Failure);

#[actor]
impl Oracle {
    fn handle(&mut self, reply: Reply<Failure>) {
        reply.send(self.0.clone());
    }
}

/// S6: a failure of another child that a handler returns keeps its path; its phase is `Running`.
#[tokio::test(start_paused = true)]
async fn a_failure_that_a_handler_returns_is_one_while_running() {
    type Said = Arc<Mutex<Vec<(Phase, String)>>>;
    supervisor! {
        struct One(failure: Failure, said: Said) {
            #![decider(move |failure: &Failure| {
                said.lock().unwrap().push((failure.phase(), failure.path().to_owned()));
                Directive::Resume
            })]
            relay: Relay = Relay { given: None },
            oracle: Oracle = Oracle(failure.clone()),
        }
    }
    let (failure, said) = (foreign().await, Said::default());
    let one = One::start(failure.clone(), said.clone()).await.unwrap();
    for hand in [Hand::On(failure), Hand::Ask(one.oracle.clone()), Hand::Spawn] {
        one.relay.tell(hand).await.unwrap();
        settle().await;
    }
    let origins = ["db", "db", "relay/child"].map(|path| (Phase::Running, path.to_owned()));
    assert_eq!(*said.lock().unwrap(), origins);
}

/// S11, S24: on the way down, a hook returns the failure of another child. This is a new failure of the hook's own
/// child.
#[tokio::test(start_paused = true)]
async fn a_failure_that_a_hook_on_the_way_down_returns_is_a_new_one_of_its_child() {
    supervisor! {
        struct One(given: Failure) {
            relay: Relay = Relay { given: Some(given.clone()) },
        }
    }
    let given = foreign().await;
    let mut tree = One::tree(given.clone());
    let mut events = tree.events();
    let one = tree.start().await.unwrap();
    one.relay.restart().unwrap();
    settle().await;
    let mut reported = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Reported { failure } = &event.kind {
            reported.push(failure.clone());
        }
    }
    let report = soon(one.shutdown()).await;
    reported.extend(report.children.iter().filter_map(|child| child.failure.clone()));
    assert_eq!(reported.len(), 3, "pre_restart and post_stop of the restart, and post_stop at the end");
    for (failure, incarnation) in reported.iter().zip([1, 1, 2]) {
        let origin = (failure.path(), failure.incarnation(), failure.phase());
        assert_eq!(origin, ("relay", incarnation, Phase::Running));
        assert_eq!(failure.error::<Failure>().map(Failure::path), Some("db"), "the original failure is inside");
    }
}

// ----- the other cells

/// An actor whose children are probes. It escalates `Boom::Fatal`, and restarts otherwise.
struct Boss {
    journal: Journal,
    strategy: Strategy,
    /// The child that survives the next restart.
    keeps: Option<ActorRef<Probe>>,
}

#[derive(Clone, Copy)]
struct Kid {
    name: &'static str,
    lifecycle: Lifecycle,
    backoff: Option<Duration>,
}

enum Tell {
    Spawn(Kid, Reply<ActorRef<Probe>>),
    Keep(ActorRef<Probe>),
    Work(Duration),
    Fail,
    /// A future of `cx.run` panics.
    Run,
    /// The boss ends by itself.
    Done,
}

#[actor]
impl Boss {
    async fn handle(&mut self, tell: Tell, cx: &mut Context<Self>) -> Result<(), Boom> {
        match tell {
            Tell::Spawn(kid, reply) => {
                let journal = self.journal.clone();
                let Kid { name, lifecycle, backoff } = kid;
                let kid = match (lifecycle, backoff) {
                    (Lifecycle::Permanent, None) => child! {
                        #[lifecycle(Permanent)]
                        name: Probe = Probe::start(name, journal).await?
                    },
                    (Lifecycle::Permanent, Some(time)) => child! {
                        #[lifecycle(Permanent)]
                        #[backoff(time..time, random_factor = 0.0)]
                        name: Probe = Probe::start(name, journal).await?
                    },
                    _ => child! { name: Probe = Probe::start(name, journal).await? },
                };
                reply.send(cx.spawn(kid).await.expect("the child starts"));
            }
            Tell::Keep(kid) => self.keeps = Some(kid),
            Tell::Work(time) => tokio::time::sleep(time).await,
            Tell::Fail => return Err(Boom::Told),
            Tell::Done => cx.stop(),
            Tell::Run => cx.run(async { panic!("planned panic") }, |()| Tell::Fail),
        }
        Ok(())
    }
    #[pre_restart]
    fn keep(&mut self, cx: &mut Context<Self>) {
        if let Some(kid) = &self.keeps {
            cx.keep(kid);
        }
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        nodes::escalating(self.strategy)
    }
}

supervisor! {
    /// The boss continues after an escalation of its children, and is restarted after 5 s for a failure of its own.
    struct House(journal: Journal, strategy: Strategy) {
        #![decider(Boom::Fatal => Resume, _ => Restart)]
        #[backoff(5s..5s, random_factor = 0)]
        boss: Boss = Boss { journal: journal.clone(), strategy, keeps: None },
        other: Probe = Probe::start("other", journal).await?,
    }
}

const fn kid(name: &'static str) -> Kid {
    Kid { name, lifecycle: Lifecycle::Permanent, backoff: None }
}

async fn spawn(house: &Running<House>, kid: Kid) -> ActorRef<Probe> {
    house.boss.ask(|reply| Tell::Spawn(kid, reply)).await.unwrap()
}

/// Starts a house whose boss has these children.
async fn house<const N: usize>(strategy: Strategy, kids: [Kid; N]) -> (Running<House>, Journal, [ActorRef<Probe>; N]) {
    let journal = Journal::default();
    let house = House::start(journal.clone(), strategy).await.unwrap();
    let mut spawned = Vec::new();
    for kid in kids {
        spawned.push(spawn(&house, kid).await);
    }
    settle().await;
    journal.take();
    (house, journal, spawned.try_into().expect("there are enough children"))
}

async fn fail(probe: &ActorRef<Probe>, boom: Boom) {
    probe.tell(Do::Fail(boom)).await.unwrap();
    settle().await;
}

/// Lets a child of the boss escalate while a message keeps the boss busy for `busy`: until then, that failure is not
/// decided.
async fn undecided(house: &Running<House>, fatal: &ActorRef<Probe>, busy: Duration) {
    house.boss.tell(Tell::Work(busy)).await.unwrap();
    settle().await;
    fail(fatal, Boom::Fatal).await;
}

fn incarnations<const N: usize>(kids: [&ActorRef<Probe>; N]) -> [u32; N] {
    kids.map(|kid| kid.incarnation())
}

fn times(lines: &[String], wanted: &str) -> usize {
    lines.iter().filter(|line| *line == wanted).count()
}

/// S18, S19: while a range goes down, a member before it escalates. A member of the range that fails meanwhile is
/// restarted with the range, once.
#[tokio::test(start_paused = true)]
async fn a_failure_in_a_range_below_an_undecided_one_is_restarted_with_the_range() {
    let kids = [kid("fatal"), kid("low"), kid("mid"), kid("last")];
    let (house, journal, [fatal, low, mid, last]) = house(Strategy::RestForOne, kids).await;
    journal.plan("last pre_restart", 1, Fault::Slow(secs(1)));
    fail(&low, Boom::Told).await;
    undecided(&house, &fatal, secs(3)).await;
    fail(&mid, Boom::Told).await;
    pass(secs(2)).await;
    assert_eq!(times(&journal.take(), "mid start"), 0, "no child starts before the decision");
    pass(secs(10)).await;
    assert_eq!(incarnations([&fatal, &low, &mid, &last]), [1, 2, 2, 2], "one restart of the range");
    assert_eq!(house.boss.incarnation(), 1);
}

/// S26: a requested restart leads to a start that fails while the group of the child is going down, has failed, or is
/// stopping.
#[tokio::test(start_paused = true)]
async fn a_requested_start_fails_whatever_its_group_does() {
    let kids = [kid("hand"), kid("fatal"), kid("last")];
    for at in ["down", "failed", "stopping"] {
        let (house, journal, [hand, fatal, last]) = house(Strategy::RestForOne, kids).await;
        let mut events = house.events();
        journal.plan("hand start", 1, Fault::Slow(secs(1)));
        journal.plan("hand pre_start", 1, Fault::Error);
        hand.restart().unwrap();
        settle().await;
        journal.plan("last pre_restart", 1, Fault::Slow(secs(3)));
        journal.plan("last post_stop", 1, Fault::Slow(secs(3)));
        match at {
            "down" => fail(&last, Boom::Told).await,
            "failed" => undecided(&house, &fatal, secs(3)).await,
            _ => house.boss.stop(),
        }
        journal.take();
        pass(secs(2)).await;
        let seen = seen(&mut events);
        match at {
            "down" => assert_eq!(times(&seen, "boss/hand decided Restart"), 1, "{seen:?}"),
            "failed" => assert!(!seen.iter().any(|line| line.starts_with("boss/hand decided")), "{seen:?}"),
            _ => assert_eq!(times(&seen, "boss/hand reported"), 1, "{seen:?}"),
        }
        pass(secs(20)).await;
        let started = times(&journal.take(), "hand start");
        match at {
            "down" => assert_eq!(incarnations([&hand, &fatal, &last]), [3, 1, 2], "alone"),
            "failed" => assert_eq!(incarnations([&hand, &fatal, &last]), [3, 1, 1], "decided after the other one"),
            _ => assert_eq!((started, house.boss.ended().is_some()), (0, true)),
        }
    }
}

/// S22, S23: members end by themselves while their supervisor's failure is undecided.
#[tokio::test(start_paused = true)]
async fn an_end_by_itself_below_an_undecided_failure() {
    let passing = Kid { lifecycle: Lifecycle::Transient, ..kid("passing") };
    let (house, _, [fatal, passing, lasting]) =
        house(Strategy::OneForOne, [kid("fatal"), passing, kid("lasting")]).await;
    undecided(&house, &fatal, secs(3)).await;
    passing.tell(Do::Stop).await.unwrap();
    lasting.tell(Do::Stop).await.unwrap();
    pass(secs(2)).await;
    assert!(matches!(passing.ended(), Some(Ended::Done)));
    assert_eq!((lasting.ended().is_some(), lasting.incarnation()), (false, 1), "kept");
    pass(secs(10)).await;
    assert_eq!((lasting.incarnation(), fatal.incarnation()), (2, 1));
}

/// S18, S23: a member before the range ends by itself and is restarted: the range then begins with this member.
#[tokio::test(start_paused = true)]
async fn an_end_by_itself_before_a_range_widens_it() {
    let (_house, journal, [first, between, last]) =
        house(Strategy::RestForOne, [kid("first"), kid("between"), kid("last")]).await;
    journal.plan("last pre_restart", 1, Fault::Slow(secs(1)));
    fail(&last, Boom::Told).await;
    first.tell(Do::Stop).await.unwrap();
    pass(secs(10)).await;
    assert_eq!(incarnations([&first, &between, &last]), [2, 2, 2]);
}

/// S16, S22: a member ends by itself before its turn to stop comes.
#[tokio::test(start_paused = true)]
async fn an_end_by_itself_in_a_stop_is_an_end() {
    let (house, journal, [first, _last]) = house(Strategy::OneForOne, [kid("first"), kid("last")]).await;
    journal.plan("last post_stop", 1, Fault::Slow(secs(2)));
    house.boss.stop();
    settle().await;
    first.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(first.ended().is_some());
    pass(secs(3)).await;
    assert!(matches!(house.boss.ended(), Some(Ended::Stopped)));
    assert_eq!(times(&journal.take(), "first start"), 0);
}

/// S16, S17: the member whose backoff the group waits for is stopped: the other members come up at once.
#[tokio::test(start_paused = true)]
async fn one_that_is_waited_for_is_stopped() {
    let waits = Kid { backoff: Some(secs(60)), ..kid("waits") };
    for fails in [false, true] {
        let (house, _, [fatal, waits, last]) = house(Strategy::RestForOne, [kid("fatal"), waits, kid("last")]).await;
        fail(&waits, Boom::Told).await;
        assert_eq!((waits.incarnation(), last.incarnation()), (1, 1), "the members wait");
        if fails {
            undecided(&house, &fatal, secs(3)).await;
        }
        waits.stop();
        settle().await;
        assert!(matches!(waits.ended(), Some(Ended::Stopped)));
        assert_eq!(last.incarnation(), if fails { 1 } else { 2 });
        pass(secs(4)).await;
        assert_eq!((last.incarnation(), fatal.incarnation()), (2, 1));
    }
}

/// S7, S16: a backoff that ends while its group stops starts nothing.
#[tokio::test(start_paused = true)]
async fn a_backoff_is_over_in_a_stop() {
    let waits = Kid { backoff: Some(secs(1)), ..kid("waits") };
    let (house, journal, [waits, _last]) = house(Strategy::OneForOne, [waits, kid("last")]).await;
    journal.plan("last post_stop", 1, Fault::Slow(secs(3)));
    fail(&waits, Boom::Told).await;
    house.boss.stop();
    pass(secs(2)).await;
    assert!(waits.ended().is_none(), "the child's turn has not come");
    pass(secs(2)).await;
    assert!(matches!((waits.ended(), house.boss.ended()), (Some(Ended::Stopped), Some(Ended::Stopped))));
    assert_eq!(times(&journal.take(), "waits start"), 0);
}

/// S7: a child that is in `post_restart` when its parent fails comes up, and is then suspended.
#[tokio::test(start_paused = true)]
async fn one_in_post_restart_below_a_failure_is_suspended_when_it_is_up() {
    let (family, journal) = family(Directive::Resume).await;
    let mid = nodes::spawn(&family.top, nodes::Kid::new("mid")).await;
    let up = nodes::spawn(&mid, nodes::Kid::new("up")).await;
    let fatal = nodes::spawn(&family.top, nodes::Kid::new("fatal")).await;
    journal.plan("up post_restart", 1, Fault::Slow(secs(1)));
    up.restart().unwrap();
    up.tell(Say::Note("note")).await.unwrap();
    family.top.tell(Say::Work(secs(3))).await.unwrap();
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap();
    mid.tell(Say::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    let lines = journal.take();
    assert_eq!((times(&lines, "up post_restart done"), times(&lines, "up note")), (1, 0), "{lines:?}");
    assert_eq!(family.snapshot().find("top/mid/up").unwrap().state.to_string(), "suspended");
    pass(secs(2)).await;
    assert!(up.ended().is_some(), "`mid` is restarted");
    assert_eq!(mid.incarnation(), 2);
}

/// S7, S16: children that are on their way up or down when an ancestor fails continue when the ancestor is resumed.
#[tokio::test(start_paused = true)]
async fn what_is_in_a_hook_below_a_failure_goes_on() {
    supervisor! {
        struct Top(journal: Journal) {
            #![decider(Boom::Fatal => Resume, _ => Restart)]
            sub: struct Sub {
                #![decider(Boom::Fatal => Escalate, _ => Restart)]
                fatal: Probe = Probe::start("fatal", journal.clone()).await?,
                #[backoff(1s..1s, random_factor = 0)]
                starts: Probe = Probe::start("starts", journal.clone()).await?,
                #[backoff(60s..60s, random_factor = 0)]
                waits: Probe = Probe::start("waits", journal.clone()).await?,
                up: Probe = Probe::start("up", journal.clone()).await?,
                down: Probe = Probe::start("down", journal.clone()).await?,
                out: Probe = Probe::start("out", journal.clone()).await?,
                inner: struct Inner {
                    leaf: Probe = Probe::start("leaf", journal).await?,
                },
            },
        }
    }
    let journal = Journal::default();
    journal.plan("starts start", 1, Fault::Error);
    journal.plan("starts pre_start", 1, Fault::Slow(secs(2)));
    journal.plan("waits start", 1, Fault::Error);
    for hook in ["up post_restart", "down post_stop", "out post_stop", "leaf post_stop"] {
        journal.plan(hook, 1, Fault::Slow(secs(3)));
    }
    let top = Top::start(journal.clone()).await.unwrap();
    pass(ms(1500)).await;
    for child in [&top.sub.up, &top.sub.down] {
        child.restart().unwrap();
    }
    top.sub.out.stop();
    top.sub.inner.stop();
    settle().await;
    fail(&top.sub.fatal, Boom::Fatal).await;
    assert!(!top.snapshot().find("sub/starts").unwrap().is_up());
    pass(secs(4)).await;
    assert!(top.snapshot().find("sub/starts").unwrap().is_up());
    assert!(matches!((top.sub.inner.ended(), top.sub.out.ended()), (Some(Ended::Stopped), Some(Ended::Stopped))));
    let sums = (top.sub.up.ask(Do::Get).await, top.sub.down.ask(Do::Get).await);
    assert_eq!((sums, incarnations([&top.sub.up, &top.sub.down])), ((Ok(0), Ok(0)), [2, 2]));
    pass(secs(60)).await;
    assert!(top.snapshot().find("sub/waits").unwrap().is_up());
    assert_eq!(top.sub.fatal.incarnation(), 1);
}

/// S3, S21, S24: asks and kills reach a child during its first start, and during the wait before it.
#[tokio::test(start_paused = true)]
async fn asks_and_kills_meet_a_start() {
    supervisor! {
        struct One(journal: Journal) {
            #[decider(|_: &Failure| Directive::Restart)]
            #[backoff(1s..1s, random_factor = 0)]
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Error);
    journal.plan("db pre_start", 1, Fault::Slow(secs(60)));
    let one = One::start(journal.clone()).await.unwrap();
    let ask = || {
        let db = one.db.clone();
        tokio::spawn(async move { db.ask(Do::Get).forever().await })
    };
    let waits = ask();
    pass(ms(1500)).await;
    let starts = ask();
    settle().await;
    journal.take();
    one.db.kill();
    settle().await;
    assert_eq!(journal.take(), ["db drop"], "no hooks");
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["db start", "db pre_start"]);
    assert_eq!((waits.await.unwrap(), starts.await.unwrap()), (Ok(0), Ok(0)));

    journal.plan("db post_restart", 1, Fault::Slow(secs(60)));
    one.db.restart().unwrap();
    settle().await;
    journal.take();
    one.db.kill();
    settle().await;
    assert_eq!(journal.take(), ["db post_stop", "db drop"], "`post_stop` is due, and `pre_restart` is not");
    pass(secs(2)).await;
    assert_eq!(one.db.ask(Do::Get).await, Ok(0));

    let journal = Journal::default();
    journal.plan("db start", 1, Fault::Error);
    let one = One::start(journal.clone()).await.unwrap();
    one.db.kill();
    settle().await;
    assert!(matches!(one.db.ended(), Some(Ended::Stopped)), "there is no instance to kill");
}

/// S11, S20: a restart from above arrives while a child is already restarting: there is only one restart.
#[tokio::test(start_paused = true)]
async fn a_restart_from_above_meets_one_that_restarts() {
    supervisor! {
        struct Top(journal: Journal) {
            inner: struct Inner {
                a: Probe = Probe::start("a", journal).await?,
            },
        }
    }
    for hook in ["a pre_restart", "a post_stop"] {
        let journal = Journal::default();
        let top = Top::start(journal.clone()).await.unwrap();
        journal.plan(hook, 1, Fault::Slow(secs(2)));
        top.inner.a.restart().unwrap();
        settle().await;
        journal.take();
        top.inner.restart().unwrap();
        pass(secs(3)).await;
        let lines = journal.take();
        assert_eq!((times(&lines, "a pre_restart"), times(&lines, "a start")), (0, 1), "{hook}: {lines:?}");
        assert_eq!(top.inner.a.incarnation(), 2, "{hook}");
    }
}

/// S17: a member that is stopping when its group restarts continues to stop, and is not started again.
#[tokio::test(start_paused = true)]
async fn a_restart_of_the_group_meets_one_that_stops() {
    let (_house, journal, [first, last]) = house(Strategy::AllForOne, [kid("first"), kid("last")]).await;
    journal.plan("last post_stop", 1, Fault::Slow(secs(2)));
    last.stop();
    settle().await;
    fail(&first, Boom::Told).await;
    pass(secs(1)).await;
    assert_eq!(first.incarnation(), 1, "the child goes down after the other one");
    pass(secs(5)).await;
    assert_eq!(first.incarnation(), 2);
    assert!(matches!(last.ended(), Some(Ended::Stopped)));
}

/// S6, S11: a future of `cx.run` panics while no message is in hand.
#[tokio::test(start_paused = true)]
async fn a_panic_without_a_message_is_a_failure() {
    quiet_panics();
    let (house, _, []) = house(Strategy::OneForOne, []).await;
    let mut events = house.events();
    house.boss.tell(Tell::Run).await.unwrap();
    pass(secs(6)).await;
    assert_eq!(seen(&mut events)[..2], ["boss failed", "boss decided Restart"]);
    assert_eq!(house.boss.incarnation(), 2);
}

/// S7, S26: an actor that drains handles a queued message that spawns a child, and decides on the failure of that
/// child.
#[tokio::test(start_paused = true)]
async fn one_that_drains_is_still_a_supervisor() {
    let (house, _, []) = house(Strategy::OneForOne, []).await;
    house.boss.tell(Tell::Work(secs(1))).await.unwrap();
    settle().await;
    let boss = house.boss.clone();
    let spawned = tokio::spawn(async move { boss.ask(|reply| Tell::Spawn(kid("late"), reply)).await });
    settle().await;
    house.boss.tell(Tell::Work(secs(2))).await.unwrap();
    house.boss.drain();
    let late = spawned.await.unwrap().unwrap();
    fail(&late, Boom::Told).await;
    assert_eq!((late.incarnation(), house.boss.ended().is_some()), (2, false));
    pass(secs(3)).await;
    assert!(matches!((late.ended(), house.boss.ended()), (Some(Ended::Stopped), Some(Ended::Stopped))));
}

/// S11, S38: a spawn in a set waits while the set is restarting.
#[tokio::test(start_paused = true)]
async fn a_spawn_meets_the_restart_of_its_set() {
    supervisor! {
        struct Top(journal: Journal) {
            inner: struct Inner {
                set: [Probe] = |n: u32| Probe::start(format!("{n}"), journal).await?,
            },
        }
    }
    let journal = Journal::default();
    let top = Top::start(journal.clone()).await.unwrap();
    let first = top.inner.set.spawn(1).await.unwrap();
    journal.plan("1 post_stop", 1, Fault::Slow(secs(2)));
    top.inner.restart().unwrap();
    settle().await;
    let spawned = tokio::spawn(top.inner.set.spawn(2));
    pass(secs(1)).await;
    assert!(!spawned.is_finished());
    pass(secs(2)).await;
    assert_eq!(spawned.await.unwrap().unwrap().incarnation(), 1);
    assert!(first.ended().is_some());
}

type Spawned = Pin<Box<dyn Future<Output = Result<ActorRef<Probe>, SpawnError>> + Send>>;

/// S7, S38: a spawn in a set waits until the failure of the set has been decided.
#[tokio::test(start_paused = true)]
async fn a_spawn_meets_the_failure_of_its_set() {
    type Spawn = Arc<OnceLock<Box<dyn Fn() -> Spawned + Send + Sync>>>;
    supervisor! {
        struct Shop(journal: Journal, spawn: Spawn, waits: Arc<Mutex<Option<Spawned>>>) {
            #![decider(move |_: &Failure| {
                let mut spawned = spawn.get().expect("the handle is known by then")();
                assert!(spawned.as_mut().poll(&mut Task::from_waker(Waker::noop())).is_pending());
                *waits.lock().unwrap() = Some(spawned);
                Directive::Resume
            })]
            #[decider(|_: &Failure| Directive::Escalate)]
            set: [Probe] = |n: u32| Probe::start(format!("{n}"), journal).await?,
        }
    }
    let (spawn, waits) = (Spawn::default(), Arc::default());
    let shop = Shop::start(Journal::default(), spawn.clone(), Arc::clone(&waits)).await.unwrap();
    let first = shop.set.spawn(1).await.unwrap();
    let set = shop.set.clone();
    assert!(spawn.set(Box::new(move || Box::pin(set.spawn(2)))).is_ok());
    fail(&first, Boom::Fatal).await;
    let spawned = waits.lock().unwrap().take().expect("the decider was asked");
    assert_eq!(soon(spawned).await.unwrap().incarnation(), 1);
    assert_eq!(first.incarnation(), 1);
}

/// S7: a child fails while the failure of its parent is undecided.
#[tokio::test(start_paused = true)]
async fn a_failure_below_a_failed_actor_goes_down_with_it() {
    supervisor! {
        struct Top(journal: Journal) {
            #![decider(Boom::Fatal => Resume, _ => Restart)]
            sub: struct Sub {
                #![decider(Boom::Fatal => Escalate, _ => Restart)]
                fatal: Probe = Probe::start("fatal", journal.clone()).await?,
                boss: Boss = Boss { journal, strategy: Strategy::OneForOne, keeps: None },
            },
        }
    }
    let journal = Journal::default();
    let top = Top::start(journal.clone()).await.unwrap();
    let child = top.sub.boss.ask(|reply| Tell::Spawn(kid("child"), reply)).await.unwrap();
    let mut events = top.events();
    settle().await;
    journal.take();
    // These tasks run one after the other, and the task of `sub` comes last.
    top.sub.fatal.try_tell(Do::Fail(Boom::Fatal)).unwrap();
    top.sub.boss.try_tell(Tell::Fail).unwrap();
    child.kill();
    pass(secs(10)).await;
    assert_eq!((top.sub.boss.incarnation(), top.sub.fatal.incarnation()), (2, 1));
    assert!(child.ended().is_some());
    let seen = seen(&mut events);
    assert_eq!(times(&seen, "sub/boss/child failed"), 1, "{seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("sub/boss/child decided")), "{seen:?}");
}

/// S11: a child fails while its parent waits for another child to stop, and a kept child fails while its parent is
/// down.
#[tokio::test(start_paused = true)]
async fn a_failure_below_one_that_restarts_has_no_restart_of_its_own() {
    let (house, journal, [first, _slow]) = house(Strategy::OneForOne, [kid("first"), kid("slow")]).await;
    journal.plan("slow post_stop", 1, Fault::Slow(secs(2)));
    house.boss.restart().unwrap();
    settle().await;
    fail(&first, Boom::Told).await;
    pass(secs(3)).await;
    assert_eq!((house.boss.incarnation(), first.incarnation()), (2, 1));
    assert!(first.ended().is_some());

    let kept = spawn(&house, kid("kept")).await;
    house.boss.tell(Tell::Keep(kept.clone())).await.unwrap();
    house.boss.tell(Tell::Fail).await.unwrap();
    pass(secs(1)).await;
    kept.kill(); // suspended, it handles no message
    pass(secs(1)).await;
    assert_eq!((house.boss.incarnation(), kept.incarnation()), (2, 1), "both wait for the boss");
    pass(secs(10)).await;
    assert_eq!((house.boss.incarnation(), kept.incarnation()), (3, 2), "one restart in all");
}

/// S26: commands reach a child that is backing off, going down, or has failed.
#[tokio::test(start_paused = true)]
async fn commands_meet_one_that_has_not_ended() {
    type Whom = Arc<OnceLock<ActorRef<Probe>>>;
    supervisor! {
        struct One(journal: Journal, whom: Whom, refused: Arc<Mutex<Option<CommandError>>>) {
            #[backoff(5s..5s, random_factor = 0)]
            waits: Probe = Probe::start("waits", journal.clone()).await?,
            #[decider(move |_: &Failure| {
                let db = whom.get().expect("the handle is known by then");
                *refused.lock().unwrap() = db.start_again().err();
                db.drain();
                Directive::Restart
            })]
            db: Probe = Probe::start("db", journal).await?,
        }
    }
    let (journal, whom, refused) = (Journal::default(), Whom::default(), Arc::default());
    let one = One::start(journal.clone(), whom.clone(), Arc::clone(&refused)).await.unwrap();
    assert!(whom.set(one.db.clone()).is_ok());
    journal.plan("waits pre_restart", 1, Fault::Slow(secs(1)));
    fail(&one.waits, Boom::Told).await;
    for _ in ["in pre_restart", "waiting"] {
        assert_eq!(one.waits.start_again(), Err(CommandError::NotEnded { path: "waits".into() }));
        pass(secs(2)).await;
    }
    journal.take();
    fail(&one.db, Boom::Told).await;
    assert_eq!(*refused.lock().unwrap(), Some(CommandError::NotEnded { path: "db".into() }));
    assert!(matches!(one.db.ended(), Some(Ended::Stopped)), "the drain became a stop");
    assert_eq!(journal.take(), ["db post_stop", "db drop"]);
}

/// S16, S19: the library's own code panics in a supervisor that is stopping: its children continue to stop, and no
/// child starts.
#[tokio::test(start_paused = true)]
async fn a_bug_in_a_stop_starts_nothing() {
    quiet_panics();
    for of_root in [false, true] {
        let (house, journal, [only]) = house(Strategy::OneForOne, [kid("only")]).await;
        journal.plan("only post_stop", 1, Fault::Slow(secs(2)));
        match of_root {
            false => house.boss.stop(),
            true => house.stop(),
        }
        settle().await;
        let bug = testing::Fault::bug("planned panic of the library");
        match of_root {
            false => house.boss.inject(bug),
            true => house.inject(bug),
        }
        pass(secs(1)).await;
        assert!(house.boss.ended().is_none(), "the supervisor waits for its child");
        pass(secs(2)).await;
        assert!(matches!(only.ended(), Some(Ended::Stopped)));
        match of_root {
            false => assert!(matches!(house.boss.ended(), Some(Ended::Aborted)), "none of its hooks runs"),
            true => assert!(matches!(house.ended(), Some(Ended::Failed(bug)) if matches!(bug.cause(), Cause::Bug(_)))),
        }
        let lines = journal.take();
        assert!(!lines.iter().any(|line| line.ends_with("start")), "{lines:?}");
    }
}

/// S19, S23: the library's own code panics in a supervisor that ends by itself for good: its children, which go down to
/// their end, are not started again.
#[tokio::test(start_paused = true)]
async fn a_bug_at_the_end_of_a_supervisor_starts_nothing() {
    supervisor! {
        struct Office(journal: Journal) {
            #[lifecycle(Transient)]
            boss: Boss = Boss { journal: journal.clone(), strategy: Strategy::OneForOne, keeps: None },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let office = Office::start(journal.clone()).await.unwrap();
    let only = office.boss.ask(|reply| Tell::Spawn(kid("only"), reply)).await.unwrap();
    journal.plan("only post_stop", 1, Fault::Slow(secs(2)));
    journal.take();
    office.boss.tell(Tell::Done).await.unwrap();
    settle().await;
    office.boss.inject(testing::Fault::bug("planned panic of the library"));
    pass(secs(1)).await;
    assert!(office.boss.ended().is_none(), "the supervisor waits for its child");
    pass(secs(2)).await;
    assert!(matches!(only.ended(), Some(Ended::Stopped)));
    assert!(matches!(office.ended(), Some(Ended::Failed(bug)) if matches!(bug.cause(), Cause::Bug(_))));
    let lines = journal.take();
    assert!(!lines.iter().any(|line| line.ends_with("start")), "{lines:?}");
}

/// S27, 2b: a set that has ended takes no more instances, though its tree goes on.
#[tokio::test(start_paused = true)]
async fn a_spawn_meets_a_set_that_has_ended() {
    supervisor! {
        struct Top(journal: Journal) {
            set: [Probe] = |n: u32| Probe::start(format!("{n}"), journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let top = Top::start(Journal::default()).await.unwrap();
    top.set.tree().stop();
    settle().await;
    assert!(top.set.tree().ended().is_some() && top.ended().is_none());
    let late = top.set.spawn(1).await;
    assert!(matches!(late, Err(SpawnError::Stopped { .. })), "{late:?}");
}
