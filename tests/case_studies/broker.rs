//! A broker of proofs. Customers post orders on many chains; for each chain that is open, the broker takes orders, has
//! them proven, and submits the proofs. A chain is opened by the first order for it and known by its name.
//!
//! Requirements:
//! * A chain is opened once, however many orders come at once.
//! * A service whose error may pass is tried again after 500 ms, 750 ms, 1125 ms and so on, at most once a minute. Five
//!   good minutes make up for the past. The number of retries in a row is read from the settings, which change while
//!   the broker runs.
//! * Any other error, and a panic, end the broker at once with their cause. The exception is a node that has dropped a
//!   chain: only that chain is closed, and the next order opens it again.
//! * A stop has two phases. First all services that bring work are asked to stop at the same time, and have 30 s. Then
//!   the chain drains: it waits until every order that was taken is through, for up to two hours, while the critical
//!   services go on. These stop last. After a failure the chain does not drain, because nobody proves the orders any
//!   more.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use supervise::StopReason;
use supervise::error::AskError;
use supervise::prelude::*;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::common::{ms, pass, quiet_panics, secs, settle, soon};

// The work: stand-ins.

#[derive(Debug, Clone, thiserror::Error)]
enum BrokerError {
    #[error("{0}, which may pass")]
    Passing(&'static str),
    #[error("{0}, which does not pass")]
    Fault(&'static str),
    #[error("the node has dropped the chain")]
    ChainDropped,
}

/// The settings, which an operator changes while the broker runs.
#[derive(Clone)]
struct Live(Arc<RwLock<u32>>);

impl Live {
    fn retries(&self) -> u32 {
        *self.0.read().unwrap()
    }

    fn set_retries(&self, retries: u32) {
        *self.0.write().unwrap() = retries;
    }
}

/// The outside of the broker, with the faults that the test has planned.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>, Arc<Notify>);

#[derive(Default)]
struct Outside {
    settled: BTreeMap<String, u64>,
    /// The time of a proof.
    proof: Duration,
    /// Times at which each service has started, by its path.
    begun: HashMap<String, Vec<Instant>>,
    told: Vec<(String, Instant)>,
    gone: Vec<String>,
    planned: HashMap<String, VecDeque<Planned>>,
}

enum Planned {
    Fails(BrokerError),
    Panics,
    /// Ignores the stop.
    Deaf,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn plan(&self, path: &str, planned: Planned) {
        self.with(|outside| outside.planned.entry(path.to_owned()).or_default().push_back(planned));
        self.1.notify_waiters();
    }

    fn fails(&self, path: &str, error: BrokerError) {
        self.plan(path, Planned::Fails(error));
    }

    fn next(&self, path: &str) -> Result<(), BrokerError> {
        let next = |outside: &mut Outside| match outside.planned.get_mut(path)? {
            queue if matches!(queue.front(), Some(Planned::Deaf)) => None,
            queue => queue.pop_front(),
        };
        match self.with(next) {
            Some(Planned::Fails(error)) => Err(error),
            Some(_) => panic!("planned panic"),
            None => Ok(()),
        }
    }

    fn is_deaf(&self, path: &str) -> bool {
        self.with(|outside| outside.planned.get(path).is_some_and(|queue| !queue.is_empty()))
    }

    /// Returns when a fault of this service is due.
    async fn breaks(&self, path: &str) -> Result<(), BrokerError> {
        loop {
            let more = self.1.notified();
            self.next(path)?;
            more.await;
        }
    }

    fn gone(&self, path: String) {
        self.with(|outside| outside.gone.push(path));
    }

    fn take_gone(&self) -> Vec<String> {
        self.with(|outside| std::mem::take(&mut outside.gone))
    }

    fn settled(&self, chain: &str) -> u64 {
        self.with(|outside| outside.settled.get(chain).copied().unwrap_or_default())
    }

    /// The times between the starts of a service.
    fn waits(&self, path: &str) -> Vec<u128> {
        let begun = self.with(|outside| outside.begun.get(path).cloned().unwrap_or_default());
        begun.windows(2).map(|two| (two[1] - two[0]).as_millis()).collect()
    }
}

/// A service that brings work: follows the node, watches the market, or locks orders.
async fn service(cx: TaskContext, world: World) -> Result<(), BrokerError> {
    let path = cx.path();
    world.with(|outside| outside.begun.entry(path.clone()).or_default().push(Instant::now()));
    tokio::select! {
        _ = cx.stopped() => {}
        broken = world.breaks(&path) => return broken,
    }
    world.with(|outside| outside.told.push((path.clone(), Instant::now())));
    if world.is_deaf(&path) {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(secs(2)).await; // the time to close
    world.gone(path);
    Ok(())
}

/// The orders of a chain that are under way.
#[derive(Clone, Default)]
struct Orders(Arc<watch::Sender<u64>>);

impl Orders {
    fn taken(&self) {
        self.0.send_modify(|open| *open += 1);
    }

    fn through(&self) {
        self.0.send_modify(|open| *open -= 1);
    }

    async fn all_through(&self) {
        let _ = self.0.subscribe().wait_for(|open| *open == 0).await;
    }
}

/// Lets the orders that were taken come through before the critical services stop.
async fn drain(cx: TaskContext, orders: Orders, world: World) {
    if cx.stopped().await == StopReason::Shutdown {
        orders.all_through().await;
    }
    world.gone(cx.path());
}

struct Ledger {
    chain: String,
    world: World,
}

#[actor]
impl Ledger {
    #[message]
    fn book(&mut self, amount: u64) {
        self.world.with(|outside| *outside.settled.entry(self.chain.clone()).or_default() += amount);
    }

    #[post_stop]
    fn close(&mut self, cx: &mut Context<Self>) {
        self.world.gone(cx.path());
    }
}

struct Signer(World);

#[actor]
impl Signer {
    #[message]
    async fn sign(&mut self, cx: &mut Context<Self>) -> Result<(), Thrown> {
        self.0.next(&cx.path())?;
        tokio::time::sleep(ms(20)).await;
        Ok(())
    }

    #[post_stop]
    fn close(&mut self, cx: &mut Context<Self>) {
        self.0.gone(cx.path());
    }
}

/// Proves orders, and has the proofs signed and booked.
struct Prover {
    ledger: ActorRef<Ledger>,
    signer: ActorRef<Signer>,
    orders: Orders,
    world: World,
}

#[actor(derive(Clone))]
impl Prover {
    #[message]
    async fn prove(&mut self, amount: u64, cx: &mut Context<Self>) -> Result<(), Thrown> {
        self.world.next(&cx.path())?;
        tokio::time::sleep(self.world.with(|outside| outside.proof)).await;
        self.signer.sign().await?;
        self.ledger.book(amount).await?;
        self.orders.through();
        Ok(())
    }

    #[post_stop]
    fn close(&mut self, cx: &mut Context<Self>) {
        self.world.gone(cx.path());
    }
}

/// Takes orders.
struct Desk {
    prover: ActorRef<Prover>,
    orders: Orders,
}

#[actor]
impl Desk {
    #[message]
    async fn take(&mut self, amount: u64) {
        if self.prover.prove(amount).at_once().forget().await.is_ok() {
            self.orders.taken();
        }
    }
}

supervisor! {
    struct Chain(name: String, listen_only: bool, settings: Live, world: World) {
        #![decider(_ => Escalate)]

        let orders = Orders::default();

        /// Services that an order needs until it is through. They are declared first, and so they stop last.
        critical: struct Critical {
            #![strategy(RestForOne, max_restarts = Unlimited)]
            #![lifecycle(shutdown = 10s)]
            #![backoff(500ms..1min, factor = 1.5, random_factor = 0, reset = 5min)]
            #![decider(
                BrokerError::Passing(_) if failure.in_a_row() < settings.retries() => Restart,
                _: AskError if failure.in_a_row() < settings.retries() => Restart,
                _ => Escalate,
            )]
            ledger: Ledger = Ledger { chain: name, world },
            signer: Signer = Signer(world),
            #[redeliver(attempts = 100)]
            prover: Prover = Prover { ledger, signer, orders, world },
        },

        #[lifecycle(shutdown = 2h)]
        drain: task = |cx| drain(cx, orders, world),

        /// Services that bring orders.
        working: struct Working {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![shutdown(Together)]
            #![lifecycle(shutdown = 30s)]
            #![backoff(500ms..1min, factor = 1.5, random_factor = 0, reset = 5min)]
            #![decider(
                BrokerError::Passing(_) if failure.in_a_row() < settings.retries() => Restart,
                _ => Escalate,
            )]
            blocks: task = |cx| service(cx, world),
            market: task = |cx| service(cx, world),
            pricing: task = |cx| service(cx, world),
            reaper: task = |cx| service(cx, world),
            locker: Option<task> = (!listen_only).then_some(|cx: TaskContext| service(cx, world)),
            desk: Desk = Desk { prover: critical.prover, orders },
        },
    }

    struct Broker(settings: Live, world: World) {
        #![decider(_ => Escalate)]

        #[decider(BrokerError::ChainDropped => Stop, _ => Escalate)]
        #[initial([("main".to_owned(), false)])]
        chains: [String => Chain] = |name: String, listen_only: bool| Chain::tree(name, listen_only, settings, world),
    }
}

async fn broker(retries: u32) -> (Running<Broker>, Live, World) {
    let (settings, world) = (Live(Arc::new(RwLock::new(retries))), World::default());
    let broker = Broker::start(settings.clone(), world.clone()).await.unwrap();
    settle().await;
    (broker, settings, world)
}

async fn order(broker: &Broker, chain: &str, amount: u64) -> Chain {
    let chain = broker.chains.get_or_spawn(chain.to_owned(), false).await.unwrap();
    chain.working.desk.take(amount).forget().await.unwrap();
    chain
}

const CRITICAL: [&str; 4] = ["drain", "critical/prover", "critical/signer", "critical/ledger"];

fn of_chain(chain: &str, gone: &[String]) -> Vec<String> {
    let place = format!("chains/{chain}/");
    gone.iter().filter_map(|path| path.strip_prefix(&place)).map(str::to_owned).collect()
}

/// S27: a hundred orders at once open two more chains besides the one that is always open, each of them once.
#[tokio::test(start_paused = true)]
async fn a_chain_is_opened_once_however_many_orders_come() {
    let (broker, _, world) = broker(3).await;
    assert_eq!(broker.chains.keys(), ["main"]);
    let mut orders = JoinSet::new();
    for n in 0..100u64 {
        let broker = broker.handle();
        orders.spawn(async move { drop(order(&broker, ["main", "east", "west"][n as usize % 3], n).await) });
    }
    orders.join_all().await;
    for chain in ["main", "east", "west"] {
        let path = format!("chains/{chain}/working/blocks");
        assert_eq!(world.with(|outside| outside.begun[&path].len()), 1);
    }
    pass(secs(10)).await;
    assert_eq!(["main", "east", "west"].iter().map(|chain| world.settled(chain)).sum::<u64>(), (0..100).sum::<u64>());
    assert!(broker.shutdown().await.is_orderly());
}

/// S24, S28: a chain that only listens has no locker.
#[tokio::test(start_paused = true)]
async fn a_chain_that_only_listens_has_no_locker() {
    let (broker, ..) = broker(3).await;
    let quiet = broker.chains.spawn("quiet".to_owned(), true).await.unwrap();
    assert!(quiet.working.locker.is_none());
    assert!(broker.chains.get("main").unwrap().working.locker.is_some());
}

/// S17, S24, S27: a chain that is closed by its name, or at a shutdown, settles its orders: the critical services live
/// until the last one is through.
#[tokio::test(start_paused = true)]
async fn critical_children_stop_last_and_every_order_is_settled() {
    let (broker, _, world) = broker(3).await;
    world.with(|outside| outside.proof = secs(60));
    for (chain, amount) in [("main", 5), ("east", 7), ("west", 9)] {
        order(&broker, chain, amount).await;
    }
    settle().await;
    let east = broker.chains.get("east").unwrap();
    assert!(broker.chains.stop("east"));
    assert!(soon(east.join()).await.unwrap().is_orderly());
    assert_eq!(of_chain("east", &world.take_gone())[5..], CRITICAL);
    assert_eq!((world.settled("east"), broker.chains.get("east").is_some()), (7, false));

    order(&broker, "main", 1).await;
    settle().await;
    let report = broker.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!((world.settled("main"), world.settled("west")), (6, 9));
    let gone = world.take_gone();
    for chain in ["main", "west"] {
        assert_eq!(of_chain(chain, &gone)[5..], CRITICAL);
    }
}

/// S44, S46: a stop in two phases. The services that bring work are told at the same instant, and one that is deaf is
/// cut off after 30 s. Then the orders come through, however long that takes below two hours.
#[tokio::test(start_paused = true)]
async fn a_stop_tells_all_at_once_and_then_drains() {
    let (broker, _, world) = broker(3).await;
    world.with(|outside| outside.proof = secs(60));
    for _ in 0..100 {
        order(&broker, "main", 1).await;
    }
    world.plan("chains/main/working/market", Planned::Deaf);
    settle().await;
    let (stop, main) = (Instant::now(), broker.chains.get("main").unwrap());
    broker.stop();
    settle().await;
    let told = world.with(|outside| outside.told.clone());
    assert_eq!(told.len(), 5);
    assert!(told.iter().all(|(_, at)| *at == stop), "{told:?}");
    pass(secs(29)).await;
    assert!(main.working.is_alive());
    pass(secs(2)).await;
    assert!(!main.working.is_alive() && main.drain.is_alive());
    let report = broker.join().await;
    assert_eq!((world.settled("main"), stop.elapsed().as_secs()), (100, 100 * 60 + 2));
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &*child.path).collect();
    assert_eq!(aborted, ["chains/main/working/market"]);
}

/// S11, S24: an error that may pass does not hurt a chain that drains: the critical services are supervised until their
/// own turn comes.
#[tokio::test(start_paused = true)]
async fn a_critical_service_is_restarted_while_the_chain_drains() {
    let (broker, _, world) = broker(3).await;
    world.with(|outside| outside.proof = secs(60));
    for _ in 0..10 {
        order(&broker, "main", 1).await;
    }
    settle().await;
    broker.stop();
    pass(secs(200)).await;
    world.fails("chains/main/critical/prover", BrokerError::Passing("the prover is busy"));
    broker.join().await;
    assert_eq!(world.settled("main"), 10);
}

/// S24: after two hours the drain is over, and the report names it.
#[tokio::test(start_paused = true)]
async fn a_drain_takes_two_hours_at_most() {
    let (broker, _, world) = broker(3).await;
    world.with(|outside| outside.proof = secs(600));
    for _ in 0..100 {
        order(&broker, "main", 1).await;
    }
    settle().await;
    let stop = Instant::now();
    let report = broker.shutdown().await;
    // 2 s for the services that bring work, two hours, and 10 s for the proof in hand.
    assert_eq!(stop.elapsed(), secs(2 + 7200 + 10));
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &*child.path).collect();
    assert_eq!(aborted, ["chains/main/drain", "chains/main/critical/prover"]);
}

/// S31, S32, S45: an error that may pass is retried at the pace of the chain, as often in a row as the settings say at
/// that moment; good service makes up for the past.
#[tokio::test(start_paused = true)]
async fn retries_follow_the_settings_of_the_moment() {
    let (broker, settings, world) = broker(5).await;
    let path = "chains/main/working/pricing";
    let fail = async |times: usize| {
        for _ in 0..times {
            world.fails(path, BrokerError::Passing("no price"));
            pass(secs(6)).await;
        }
    };
    fail(5).await;
    let waits = world.waits(path);
    // Each failure comes 6 s after the one before it.
    assert_eq!(waits, [500, 6250, 6375, 6563, 6844]);
    pass(secs(300)).await;
    fail(5).await;
    assert!(broker.is_alive(), "five minutes of good service");

    pass(secs(300)).await;
    settings.set_retries(2);
    fail(2).await;
    assert!(broker.is_alive());
    fail(1).await;
    let report = soon(broker.join()).await;
    let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
    assert_eq!(failure.path(), path);
    assert!(matches!(failure.error(), Some(BrokerError::Passing(_))));
}

/// S15, S32: the settings are the only limit, of the services that bring work as of the critical ones.
#[tokio::test(start_paused = true)]
async fn the_settings_are_the_only_limit() {
    for path in ["chains/main/working/blocks", "chains/main/critical/prover"] {
        for (failures, survives) in [(20, true), (21, false)] {
            let (broker, _, world) = broker(20).await;
            for _ in 0..failures {
                world.fails(path, BrokerError::Passing("the node is away"));
            }
            order(&broker, "main", 1).await;
            pass(secs(3600)).await;
            assert_eq!(broker.is_alive(), survives, "{path}, {failures} failures");
        }
    }
}

/// S8, S20, S46: a fault and a panic end the broker at once, with their cause; nobody waits for orders that nobody
/// proves.
#[tokio::test(start_paused = true)]
async fn a_fault_ends_the_broker_without_a_drain() {
    quiet_panics();
    for path in ["chains/main/working/blocks", "chains/main/critical/prover"] {
        for planned in [Planned::Fails(BrokerError::Fault("a bug")), Planned::Panics] {
            let (broker, _, world) = broker(5).await;
            world.with(|outside| outside.proof = secs(60));
            let panics = matches!(planned, Planned::Panics);
            world.plan(path, planned);
            for _ in 0..100 {
                order(&broker, "main", 1).await;
            }
            let begin = Instant::now();
            let report = soon(broker.join()).await;
            assert!(begin.elapsed() <= secs(2 + 10), "{path}: {:?}", begin.elapsed());
            let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
            assert_eq!(failure.path(), path);
            assert_eq!(matches!(failure.cause(), Cause::Panic(_)), panics);
            assert_eq!(matches!(failure.error(), Some(BrokerError::Fault(_))), !panics);
        }
    }
}

/// S8, S27: a chain that its node has dropped is closed alone, and the next order opens it again.
#[tokio::test(start_paused = true)]
async fn a_chain_that_is_dropped_ends_alone_and_is_opened_again() {
    let (broker, _, world) = broker(3).await;
    let east = order(&broker, "east", 3).await;
    pass(secs(1)).await;
    world.fails("chains/east/working/blocks", BrokerError::ChainDropped);
    let report = soon(east.join()).await.unwrap();
    assert!(matches!(report.ended.failure().and_then(Failure::error), Some(BrokerError::ChainDropped)), "{report}");
    assert_eq!(broker.chains.keys(), ["main"]);
    assert_eq!(broker.chains.get("main").unwrap().working.blocks.incarnation(), 1);
    let again = order(&broker, "east", 4).await;
    assert_ne!(again.critical.ledger, east.critical.ledger, "a new chain");
    assert!(broker.shutdown().await.is_orderly());
    assert_eq!(world.settled("east"), 7);
}

/// S17, S18, S36: a signer that fails is restarted together with the prover that depends on it, the ledger is not, and
/// no order is lost.
#[tokio::test(start_paused = true)]
async fn a_critical_service_takes_along_what_leans_on_it() {
    let (broker, _, world) = broker(3).await;
    let main = broker.chains.get("main").unwrap();
    let critical = &main.critical;
    let lives = || [critical.ledger.incarnation(), critical.signer.incarnation(), critical.prover.incarnation()];
    world.fails("chains/main/critical/signer", BrokerError::Passing("the key store is away"));
    assert!(critical.signer.sign().await.is_err());
    pass(ms(499)).await;
    assert_eq!(lives(), [1, 1, 1]);
    pass(ms(1)).await;
    assert_eq!(lives(), [1, 2, 2], "the prover had nothing to do");

    world.fails("chains/main/critical/signer", BrokerError::Passing("the key store is away"));
    order(&broker, "main", 2).await;
    order(&broker, "main", 4).await;
    pass(secs(2)).await;
    assert_eq!(lives(), [1, 3, 3]);
    assert_eq!((world.settled("main"), main.working.desk.incarnation()), (6, 1));
    assert!(broker.shutdown().await.is_orderly());
}
