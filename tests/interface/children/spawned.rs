//! Children that an actor spawns and supervises: S38, and `cx.keep` of S11.

use std::sync::{Arc, Mutex};

use supervise::error::SpawnError;
use supervise::policy::{BudgetScope, OnLimit};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};

/// Spawns probes by name and supervises them with the strategy that it is given.
struct Boss {
    journal: Journal,
    strategy: SupervisorStrategy,
    /// The names of the children that are kept over restarts.
    keeps: &'static [&'static str],
    kids: Vec<(&'static str, ActorRef<Probe>)>,
}

enum Order {
    Spawn(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    /// Spawns with a backoff of 1 s to 8 s.
    SpawnPatient(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    SpawnPermanent(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    /// Spawns with a budget of one restart.
    SpawnFrail(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    Fail,
    Ping(Reply<u32>),
}

impl Boss {
    fn new(journal: Journal, strategy: SupervisorStrategy) -> Self {
        Boss { journal, strategy, keeps: &["kept"], kids: Vec::new() }
    }
}

impl Actor for Boss {
    type Msg = Order;
    type Error = Boom;

    async fn receive(&mut self, msg: Order, cx: &mut Context<Self>) -> Result<(), Boom> {
        let (name, how, reply) = match msg {
            Order::Spawn(name, reply) => (name, 0, reply),
            Order::SpawnPatient(name, reply) => (name, 1, reply),
            Order::SpawnPermanent(name, reply) => (name, 2, reply),
            Order::SpawnFrail(name, reply) => (name, 3, reply),
            Order::Fail => return Err(Boom::Told),
            Order::Ping(reply) => {
                reply.send(cx.incarnation());
                return Ok(());
            }
        };
        let journal = self.journal.clone();
        let spawn = match how {
            1 => child! {
                #[backoff(1s..8s, random_factor = 0.0)]
                name: Probe = Probe::start(name, journal).await?
            },
            2 => child! {
                #[lifecycle(Permanent)]
                name: Probe = Probe::start(name, journal).await?
            },
            3 => child! {
                #[limit(max_restarts = 1, within = 60s)]
                name: Probe = Probe::start(name, journal).await?
            },
            _ => child! { name: Probe = Probe::start(name, journal).await? },
        };
        let spawned = cx.spawn(spawn).await;
        if let Ok(kid) = &spawned {
            self.kids.push((name, kid.clone()));
        }
        reply.send(spawned);
        Ok(())
    }

    async fn pre_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write("boss pre_restart");
        for (name, kid) in &self.kids {
            if self.keeps.contains(name) {
                cx.keep(kid);
            }
        }
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write("boss post_stop");
        Ok(())
    }

    async fn post_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write("boss post_restart");
        Ok(())
    }

    fn supervision(&self) -> SupervisorStrategy {
        self.journal.write("boss supervision");
        self.strategy.clone()
    }
}

supervisor! {
    struct Firm(journal: Journal, strategy: SupervisorStrategy) {
        boss: Boss = Boss::new(journal, strategy),
        other: Probe = Probe::start("other", journal).await?,
    }
}

async fn firm(strategy: SupervisorStrategy) -> (Running<Firm>, Journal) {
    let journal = Journal::default();
    let firm = Firm::start(journal.clone(), strategy).await.unwrap();
    (firm, journal)
}

async fn spawn(firm: &Firm, name: &'static str) -> ActorRef<Probe> {
    firm.boss.ask(|reply| Order::Spawn(name, reply)).forever().await.unwrap().unwrap()
}

/// S38: the path begins with that of the actor. The name is unique among the living children, and free again after the
/// end.
#[tokio::test(start_paused = true)]
async fn a_name_is_unique_among_the_living() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let one = spawn(&firm, "kid").await;
    assert_eq!(one.path(), "boss/kid");
    let again = firm.boss.ask(|reply| Order::Spawn("kid", reply)).await.unwrap();
    assert!(matches!(&again, Err(SpawnError::Exists { path }) if path == "boss/kid"), "{again:?}");
    journal.plan("kid post_stop", 1, Fault::Slow(secs(1)));
    one.stop();
    settle().await;
    let again = firm.boss.ask(|reply| Order::Spawn("kid", reply)).await.unwrap();
    assert!(matches!(again, Err(SpawnError::Exists { .. })), "the child is stopping, so its name is taken");
    one.terminated().await.unwrap();
    let two = spawn(&firm, "kid").await;
    assert_eq!(two.path(), "boss/kid");
    assert_eq!(two.ask(Do::Incarnation).await.unwrap(), 1, "a new child, not the next incarnation");
}

/// S38: the strategy of `supervision()` applies, here the default: OneForOne, restart, `Transient`.
#[tokio::test(start_paused = true)]
async fn children_are_supervised_by_the_actors_strategy() {
    let (firm, _) = firm(SupervisorStrategy::default()).await;
    let (a, b) = (spawn(&firm, "a").await, spawn(&firm, "b").await);
    a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(a.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(b.incarnation(), 1);
    a.tell(Do::Stop).await.unwrap();
    assert!(matches!(a.terminated().await.unwrap(), Ended::Done), "`Transient`");
    let c = firm.boss.ask(|reply| Order::SpawnPermanent("c", reply)).await.unwrap().unwrap();
    c.tell(Do::Stop).await.unwrap();
    assert_eq!(c.ask(Do::Incarnation).await.unwrap(), 2, "`.lifecycle(Permanent)`");
}

/// S38: an actor may supervise by AllForOne or RestForOne; this does not affect its own siblings.
#[tokio::test(start_paused = true)]
async fn a_group_strategy_acts_on_the_children_only() {
    for (strategy, incarnations) in [(Strategy::AllForOne, [2, 2, 2]), (Strategy::RestForOne, [1, 2, 2])] {
        let (firm, _) = firm(SupervisorStrategy::new(strategy)).await;
        let kids = [spawn(&firm, "a").await, spawn(&firm, "b").await, spawn(&firm, "c").await];
        kids[1].tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        assert_eq!(kids.each_ref().map(ActorRef::incarnation), incarnations, "{strategy:?}");
        assert_eq!([firm.boss.incarnation(), firm.other.incarnation()], [1, 1]);
    }
}

/// S38: a first start that is not retried affects no sibling, whatever the strategy.
#[tokio::test(start_paused = true)]
async fn a_failed_first_start_concerns_no_sibling() {
    let (firm, journal) = firm(SupervisorStrategy::new(Strategy::AllForOne)).await;
    let a = spawn(&firm, "a").await;
    journal.plan("b start", 1, Fault::Error);
    let failed = firm.boss.ask(|reply| Order::Spawn("b", reply)).await.unwrap();
    let Err(SpawnError::Start(failure)) = failed else { panic!("{failed:?}") };
    assert_eq!((failure.path(), failure.phase()), ("boss/b", Phase::Start));
    assert_eq!(a.ask(Do::Incarnation).await.unwrap(), 1);
    assert_eq!(firm.boss.ask(Order::Ping).await.unwrap(), 1);
    spawn(&firm, "b").await;
}

/// S38: with a backoff the first start is retried, and the spawn waits for it.
#[tokio::test(start_paused = true)]
async fn settings_are_methods_of_the_spawn() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    journal.plan("a start", 2, Fault::Error);
    let begin = Instant::now();
    let a = firm.boss.ask(|reply| Order::SpawnPatient("a", reply)).await.unwrap().unwrap();
    assert_eq!(begin.elapsed(), secs(3), "1 s and 2 s");
    let frail = firm.boss.ask(|reply| Order::SpawnFrail("frail", reply)).await.unwrap().unwrap();
    frail.tell(Do::Fail(Boom::Told)).await.unwrap();
    frail.tell(Do::Fail(Boom::Told)).await.unwrap();
    frail.terminated().await.unwrap();
    assert_eq!(frail.incarnation(), 2);
    drop(a);
}

/// S38, S19: an Escalate of a child is a failure of the actor, after its current message; its restart stops the
/// children.
#[tokio::test(start_paused = true)]
async fn an_escalation_fails_the_actor() {
    let strategy = strategy! { #![strategy(OneForOne)] #![decider(_ => Escalate)] };
    let (firm, journal) = firm(strategy).await;
    let mut events = firm.events();
    let (a, b) = (spawn(&firm, "a").await, spawn(&firm, "b").await);
    settle().await;
    seen(&mut events);
    journal.take();
    a.tell(Do::Fail(Boom::Told)).await.unwrap();
    b.terminated().await.unwrap();
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "boss pre_restart",
            "b post_stop",
            "b drop",
            "a post_stop",
            "a drop",
            "boss post_stop",
            "boss supervision",
            "boss post_restart",
        ]
    );
    let lines = seen(&mut events);
    assert_eq!(
        lines[..5],
        ["boss/a failed", "boss/a decided Escalate", "boss escalated", "boss failed", "boss decided Restart"]
    );
    assert_eq!(firm.boss.ask(Order::Ping).await.unwrap(), 2);
    assert_eq!(firm.other.incarnation(), 1);
}

/// S38, S11: a restart of the actor stops its children, in reverse, before its own `post_stop`. The kept child is
/// suspended, and is restarted after the actor.
#[tokio::test(start_paused = true)]
async fn a_kept_child_is_restarted_after_its_parent() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let (a, kept, b) = (spawn(&firm, "a").await, spawn(&firm, "kept").await, spawn(&firm, "b").await);
    kept.tell(Do::Add(3)).await.unwrap();
    settle().await;
    journal.take();
    firm.boss.tell(Order::Fail).await.unwrap();
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "boss pre_restart",
            "b post_stop",
            "b drop",
            "a post_stop",
            "a drop",
            "boss post_stop",
            "boss supervision",
            "boss post_restart",
            "kept pre_restart",
            "kept post_stop",
            "kept drop",
            "kept start",
            "kept pre_start",
            "kept post_restart",
        ]
    );
    assert!(matches!(a.ended(), Some(Ended::Stopped)));
    assert!(matches!(b.ended(), Some(Ended::Stopped)));
    assert_eq!(kept.ask(Do::Incarnation).await.unwrap(), 2, "same handle");
    assert_eq!(kept.ask(Do::Get).await.unwrap(), 0, "fresh state");
}

/// S11, S7: while its parent is down, a kept child is suspended: it handles no message, and loses none.
#[tokio::test(start_paused = true)]
async fn a_kept_child_is_suspended_while_its_parent_is_down() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let (a, kept) = (spawn(&firm, "a").await, spawn(&firm, "kept").await);
    journal.plan("a post_stop", 1, Fault::Slow(secs(1)));
    firm.boss.tell(Order::Fail).await.unwrap();
    settle().await;
    journal.take();
    kept.tell(Do::Note("handled")).await.unwrap();
    pass(ms(500)).await;
    assert_eq!(journal.take(), [""; 0]);
    pass(secs(1)).await;
    let lines = journal.take();
    assert_eq!(lines.last().map(String::as_str), Some("kept handled"), "{lines:?}");
    assert_eq!(kept.incarnation(), 2);
    drop(a);
}

/// S38, S24: a stop of the actor first takes its children down, in reverse.
#[tokio::test(start_paused = true)]
async fn children_go_down_before_their_parent() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    for name in ["a", "kept", "b"] {
        spawn(&firm, name).await;
    }
    journal.take();
    firm.boss.stop();
    firm.boss.terminated().await.unwrap();
    let stops: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with("post_stop")).collect();
    assert_eq!(stops, ["b post_stop", "kept post_stop", "a post_stop", "boss post_stop"]);
}

/// S4: `supervision()` is read once per instance, before `pre_start`.
#[tokio::test(start_paused = true)]
async fn the_strategy_is_read_once_per_instance() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    for name in ["a", "b"] {
        spawn(&firm, name).await;
    }
    firm.boss.tell(Order::Fail).await.unwrap();
    firm.boss.ask(Order::Ping).await.unwrap();
    let read = journal.take().iter().filter(|line| *line == "boss supervision").count();
    assert_eq!(read, 2);
}

/// The strategies of the incarnations of an actor.
#[derive(Clone, Default)]
struct Strategies(Arc<Mutex<Vec<SupervisorStrategy>>>);

impl Strategies {
    fn of(strategies: &[SupervisorStrategy]) -> Self {
        Strategies(Arc::new(Mutex::new(strategies.iter().rev().cloned().collect())))
    }

    fn next(&self) -> SupervisorStrategy {
        self.0.lock().unwrap().pop().unwrap()
    }
}

supervisor! {
    struct Turns(journal: Journal, strategies: Strategies) {
        boss: Boss = Boss::new(journal, strategies.next()),
    }
}

/// S4: the children of an instance are supervised by its own `supervision()`, whatever that of the instance before was,
/// and whether or not that one had children.
#[tokio::test(start_paused = true)]
async fn each_instance_has_its_own_strategy() {
    let default = SupervisorStrategy::default();
    for (strategies, restarts) in
        [([SupervisorStrategy::STOPPING, default.clone()], true), ([default, SupervisorStrategy::STOPPING], false)]
    {
        for had_children in [false, true] {
            let turns = Turns::start(Journal::default(), Strategies::of(&strategies)).await.unwrap();
            let spawn = || turns.boss.ask(|reply| Order::Spawn("kid", reply));
            if had_children {
                spawn().await.unwrap().unwrap();
            }
            turns.boss.tell(Order::Fail).await.unwrap();
            let kid = spawn().await.unwrap().unwrap();
            kid.tell(Do::Fail(Boom::Told)).await.unwrap();
            settle().await;
            assert_eq!(kid.is_alive(), restarts, "had children: {had_children}");
        }
    }
}

/// S15, S38: each setting of `supervision()` holds, though all others are the defaults; one that has no effect alone is
/// an error.
#[tokio::test(start_paused = true)]
async fn one_setting_of_a_strategy_is_enough() {
    let default = SupervisorStrategy::default();
    for (strategy, ends) in [(default.clone(), false), (default.clone().on_limit(OnLimit::Stop), true)] {
        let (firm, _) = firm(strategy).await;
        let kid = spawn(&firm, "kid").await;
        for _ in 0..11 {
            kid.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(2)).await;
        }
        assert_eq!(matches!(kid.ended(), Some(Ended::Limit(_))), ends, "{:?}", kid.ended());
        assert_eq!(firm.boss.incarnation(), if ends { 1 } else { 2 }, "the limit is a failure of the actor by default");
    }
    let (firm, _) = firm(default.within(secs(1))).await;
    let refused = firm.boss.ask(|reply| Order::Spawn("kid", reply)).await.unwrap();
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("within"), "{error}");
}

/// S15, S38: the same for a budget that the children share: the failures of both count.
#[tokio::test(start_paused = true)]
async fn a_shared_budget_alone_is_a_strategy() {
    for (budget, incarnation) in [(BudgetScope::PerChild, 1), (BudgetScope::Shared, 2)] {
        let (firm, _) = firm(SupervisorStrategy::default().budget(budget)).await;
        let kids = [spawn(&firm, "a").await, spawn(&firm, "b").await];
        for kid in kids.iter().cycle().take(11) {
            kid.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(ms(100)).await;
        }
        assert_eq!(firm.boss.incarnation(), incarnation, "{budget:?}");
    }
}

/// Spawns `fresh` at each start, and keeps `kept`.
struct Nest {
    journal: Journal,
    kept: Option<ActorRef<Probe>>,
}

enum NestMsg {
    SpawnKept(Reply<ActorRef<Probe>>),
    Fail,
    Ping(Reply<u32>),
}

#[actor]
impl Nest {
    async fn handle(&mut self, msg: NestMsg, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        match msg {
            NestMsg::SpawnKept(reply) => {
                let kept = self.spawn("kept", cx).await?;
                self.kept = Some(kept.clone());
                reply.send(kept);
            }
            NestMsg::Fail => return Err(SpawnError::Stopped { path: String::new() }),
            NestMsg::Ping(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }

    async fn spawn(&self, name: &'static str, cx: &mut Context<Self>) -> Result<ActorRef<Probe>, SpawnError> {
        let journal = self.journal.clone();
        let spawned = cx.spawn(child! { name: Probe = Probe::start(name, journal).await? });
        spawned.await
    }

    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        self.spawn("fresh", cx).await.map(drop)
    }

    #[pre_restart]
    fn keep(&mut self, _: &Failure, cx: &mut Context<Self>) {
        if let Some(kept) = &self.kept {
            cx.keep(kept);
        }
    }
}

supervisor! {
    struct Tree(journal: Journal) {
        nest: Nest = Nest { journal, kept: None },
    }
}

/// S38, S11: only kept children are restarted after their parent, and not the children that the new instance has just
/// spawned.
#[tokio::test(start_paused = true)]
async fn what_the_new_instance_spawns_is_not_restarted_with_the_kept() {
    let journal = Journal::default();
    let tree = Tree::start(journal.clone()).await.unwrap();
    let kept = tree.nest.ask(NestMsg::SpawnKept).await.unwrap();
    journal.take();
    tree.nest.tell(NestMsg::Fail).await.unwrap();
    assert_eq!(tree.nest.ask(NestMsg::Ping).await.unwrap(), 2);
    settle().await;
    assert_eq!(kept.incarnation(), 2);
    assert_eq!(
        journal.take(),
        [
            "fresh post_stop",
            "fresh drop",
            "fresh start",
            "fresh pre_start",
            "kept pre_restart",
            "kept post_stop",
            "kept drop",
            "kept start",
            "kept pre_start",
            "kept post_restart",
        ]
    );
}

/// Finds the child that the previous instance has kept.
struct Heir {
    journal: Journal,
}

enum Ask {
    Child(&'static str, Reply<Option<ActorRef<Probe>>>),
    Other(Reply<bool>),
    Fail,
}

#[actor]
impl Heir {
    #[pre_start]
    async fn have_a_child(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        if cx.child::<Probe>("kept").is_none() {
            let journal = self.journal.clone();
            cx.spawn(child! { "kept": Probe = Probe::start("kept", journal).await? }).await?;
        }
        Ok(())
    }
    fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        match ask {
            Ask::Child(name, reply) => reply.send(cx.child::<Probe>(name)),
            Ask::Other(reply) => reply.send(cx.child::<Heir>("kept").is_some()),
            Ask::Fail => return Err(SpawnError::Stopped { path: "nobody".to_owned() }),
        }
        Ok(())
    }
    #[pre_restart]
    fn keep(&mut self, _: &Failure, cx: &mut Context<Self>) {
        if let Some(kept) = cx.child::<Probe>("kept") {
            cx.keep(&kept);
        }
    }
}

/// S38, S11: a new instance finds the children that the previous one has kept, by name and type.
#[tokio::test(start_paused = true)]
async fn a_child_is_found_by_its_name() {
    supervisor! {
        struct House(journal: Journal) {
            heir: Heir = Heir { journal },
        }
    }
    let house = House::start(Journal::default()).await.unwrap();
    let find = |name| house.heir.ask(move |reply| Ask::Child(name, reply));
    let kept = find("kept").await.unwrap().expect("the kept child exists");
    assert_eq!(kept.path(), "heir/kept");
    assert!(find("nobody").await.unwrap().is_none());
    assert!(!house.heir.ask(Ask::Other).await.unwrap(), "the child is not an `Heir`");
    house.heir.tell(Ask::Fail).await.unwrap();
    assert_eq!(find("kept").await.unwrap(), Some(kept.clone()), "found, and not spawned again");
    kept.stop();
    kept.terminated().await.unwrap();
    assert!(find("kept").await.unwrap().is_none(), "the child has ended");
}

/// Sleeps in its handler, spawns `late`, and records the result.
struct Late(Journal, SupervisorStrategy);

impl Actor for Late {
    type Msg = Option<Reply<ActorRef<Probe>>>;
    type Error = SpawnError;

    async fn receive(&mut self, msg: Self::Msg, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        let Some(reply) = msg else {
            tokio::time::sleep(secs(1)).await;
            let refused = self.spawn("late", cx).await;
            self.0.write(match refused {
                Ok(_) => "spawned",
                Err(SpawnError::Stopping { .. }) => "refused",
                Err(_) => "failed",
            });
            return Ok(());
        };
        reply.send(self.spawn("first", cx).await?);
        Ok(())
    }

    fn supervision(&self) -> SupervisorStrategy {
        self.1.clone()
    }
}

impl Late {
    async fn spawn(&self, name: &'static str, cx: &mut Context<Self>) -> Result<ActorRef<Probe>, SpawnError> {
        let journal = self.0.clone();
        cx.spawn(child! { name: Probe = Probe::start(name, journal).await? }).await
    }
}

supervisor! {
    struct Office(journal: Journal, above: Directive, below: SupervisorStrategy) {
        #![decider(move |_: &Failure| above)]
        late: Late = Late(journal, below),
    }
}

/// S38: an actor that has been asked to go down cannot spawn in its last message, and a start that is in progress by
/// then is abandoned.
#[tokio::test(start_paused = true)]
async fn an_actor_that_goes_down_spawns_nothing_in_its_last_message() {
    for begun in [false, true] {
        let journal = Journal::default();
        let office = Office::start(journal.clone(), Directive::Stop, SupervisorStrategy::default()).await.unwrap();
        office.late.ask(Some).await.unwrap();
        journal.plan("late start", 1, Fault::Slow(secs(60)));
        office.late.tell(None).await.unwrap();
        pass(if begun { ms(1_500) } else { ms(500) }).await;
        journal.take();
        office.late.stop();
        pass(secs(1)).await;
        assert_eq!(journal.take(), ["refused", "first post_stop", "first drop"]);
        assert!(matches!(office.late.ended(), Some(Ended::Stopped)));
    }
}

/// S7: the same for an actor that goes down for a restart. The last message of the old instance spawns nothing.
#[tokio::test(start_paused = true)]
async fn an_actor_that_restarts_spawns_nothing_in_its_last_message() {
    for begun in [false, true] {
        let journal = Journal::default();
        let office = Office::start(journal.clone(), Directive::Stop, SupervisorStrategy::default()).await.unwrap();
        office.late.ask(Some).await.unwrap();
        journal.plan("late start", 1, Fault::Slow(secs(60)));
        office.late.tell(None).await.unwrap();
        pass(if begun { ms(1_500) } else { ms(500) }).await;
        journal.take();
        office.late.restart().unwrap();
        pass(secs(1)).await;
        let lines = journal.take();
        assert_eq!(lines[..3], ["refused", "first post_stop", "first drop"], "{lines:?}");
    }
}

/// S38, S19: an actor whose child has escalated fails after its current message. A spawn in that message would wait for
/// the decision, while the decision waits for the message: so it is refused. After a Resume, the actor can spawn again.
#[tokio::test(start_paused = true)]
async fn a_spawn_after_an_escalation_of_ones_own_is_refused() {
    for begun in [false, true] {
        let journal = Journal::default();
        let escalates = SupervisorStrategy::new(Strategy::OneForOne).decider(|_: &Failure| Directive::Escalate);
        let office = Office::start(journal.clone(), Directive::Resume, escalates).await.unwrap();
        let first = office.late.ask(Some).await.unwrap();
        journal.plan("late start", 1, Fault::Slow(secs(60)));
        office.late.tell(None).await.unwrap();
        pass(if begun { ms(1_500) } else { ms(500) }).await;
        journal.take();
        first.tell(Do::Fail(Boom::Told)).await.unwrap();
        first.tell(Do::Note("goes on")).await.unwrap();
        pass(secs(1)).await;
        assert_eq!(journal.take(), ["refused", "first goes on"]);
        journal.plan("late start", 0, Fault::Error);
        office.late.tell(None).await.unwrap();
        pass(secs(2)).await;
        assert_eq!(journal.take(), ["late start", "late pre_start", "spawned"]);
    }
}
