//! S61: references lead to the same child from every process.

use crate::world::*;
use serde::{Deserialize, Serialize};
use supervise::error::{AskError, SendRejection};
use supervise_remote::Node;

/// A local actor that a remote one names.
struct Db {
    price: u64,
}

#[derive(Serialize, Deserialize)]
enum DbMsg {
    Price(Reply<u64>),
    Unread(Unreadable),
    Slow,
}

#[actor]
impl Db {
    async fn handle(&mut self, msg: DbMsg) {
        match msg {
            DbMsg::Price(reply) => reply.send(self.price),
            DbMsg::Unread(_) => {}
            DbMsg::Slow => tokio::time::sleep(60 * SECOND).await,
        }
    }
}

struct Front {
    db: RemoteRef<Db>,
    pricing: RemoteRef<Pricing>,
}

#[derive(Serialize, Deserialize)]
enum FrontMsg {
    Ask(u64, Reply<Result<u64, String>>),
    Terminated(Reply<String>),
    Stop,
    Restart(Reply<Result<(), String>>),
    Bad(Reply<bool>),
    Give(Reply<RemoteRef<Db>>),
    Take(RemoteRef<Db>, Reply<u64>),
}

#[actor]
impl Front {
    async fn handle(&mut self, msg: FrontMsg) {
        match msg {
            FrontMsg::Ask(item, reply) => {
                let price = self.db.ask(DbMsg::Price).await;
                let quote = match price {
                    Ok(price) => self.pricing.ask(|reply| PricingMsg::Quote(item * price, reply)).await,
                    Err(error) => Err(error),
                };
                reply.send(quote.map_err(|error| error.to_string()));
            }
            FrontMsg::Terminated(reply) => reply.send(self.pricing.terminated().await.unwrap().to_string()),
            FrontMsg::Stop => self.pricing.stop(),
            FrontMsg::Restart(reply) => {
                reply.send(self.pricing.restart().await.map_err(|error| error.to_string()));
            }
            FrontMsg::Bad(reply) => {
                let refused = self.db.tell(DbMsg::Unread(Unreadable(true))).await;
                reply.send(refused.is_err());
            }
            FrontMsg::Give(reply) => reply.send(self.db.clone()),
            FrontMsg::Take(db, reply) => reply.send(db.ask(DbMsg::Price).await.unwrap_or_default()),
        }
    }
}

supervisor! {
    struct Named(log: u64) {
        #![on("worker", lease = 2s)]
        db: Db = Db { price: 7 },
        #[lifecycle(Transient, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        front: remote Front = Front { db, pricing },
        other: Db = Db { price: 11 },
    }
}

async fn named() -> (Cluster, Running<Named>) {
    let mut cluster = Cluster::new();
    cluster.node("one", Named::node("worker"));
    cluster.node("two", Named::node("worker"));
    tokio::time::sleep(SECOND).await;
    let named = Named::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    (cluster, named)
}

#[tokio::test(start_paused = true)]
async fn a_named_sibling_is_asked_from_the_node() {
    let (_cluster, named) = named().await;
    assert_ne!(named.front.node(), named.pricing.node());
    let price = named.front.ask(|reply| FrontMsg::Ask(2, reply)).await.unwrap();
    assert_eq!(price, Ok(2 * 7 * 3));
}

#[tokio::test(start_paused = true)]
async fn a_reference_stays_valid_over_a_move() {
    let (mut cluster, named) = named().await;
    let name = cluster.name_of(&named.pricing.node().unwrap());
    cluster.kill(&name);
    tokio::time::sleep(10 * SECOND).await;
    let price = named.front.ask(|reply| FrontMsg::Ask(2, reply)).within(60 * SECOND).await.unwrap();
    assert_eq!(price, Ok(2 * 7 * 3));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_sibling_is_heard_on_the_node() {
    let (_cluster, named) = named().await;
    let front = named.front.clone();
    let waits = tokio::spawn(async move { front.ask(FrontMsg::Terminated).within(60 * SECOND).await });
    tokio::time::sleep(SECOND).await;
    assert!(!waits.is_finished());
    named.pricing.stop();
    assert!(waits.await.unwrap().unwrap().contains("stopped"));
    let refused = named.front.ask(|reply| FrontMsg::Ask(2, reply)).await.unwrap();
    assert!(refused.unwrap_err().contains("stopped"));
}

#[tokio::test(start_paused = true)]
async fn a_sibling_is_stopped_and_restarted_from_the_node() {
    let (_cluster, named) = named().await;
    assert_eq!(named.front.ask(FrontMsg::Restart).await.unwrap(), Ok(()));
    assert_eq!(named.pricing.incarnation(), Some(2));
    named.front.tell(FrontMsg::Stop).await.unwrap();
    assert!(matches!(named.pricing.terminated().await.unwrap(), Ended::Stopped));
    assert!(named.front.ask(FrontMsg::Restart).await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_the_owner_cannot_read_is_refused() {
    let (_cluster, named) = named().await;
    assert!(named.front.ask(FrontMsg::Bad).await.unwrap());
    assert!(named.front.ask(|reply| FrontMsg::Ask(2, reply)).await.unwrap().is_ok(), "nothing else is harmed");
}

/// References cross in messages and in replies, in both directions.
#[tokio::test(start_paused = true)]
async fn references_cross_in_both_directions() {
    let (mut cluster, named) = named().await;
    let db = named.front.ask(FrontMsg::Give).await.unwrap();
    assert_eq!(db.ask(DbMsg::Price).await.unwrap(), 7);
    let net = cluster.owner();
    let other = net.export(&named.other);
    assert_eq!(named.front.ask(|reply| FrontMsg::Take(other, reply)).await.unwrap(), 11);
}

/// A sender on a node without an owner is told so, and gets the message back.
#[tokio::test(start_paused = true)]
async fn a_reference_without_an_owner_says_so() {
    let mut cluster = Cluster::new();
    cluster.node("one", Alone::node("worker"));
    let number = new_log();
    let alone = Alone::tree(number).on(cluster.owner()).start().await.unwrap();
    tokio::time::sleep(SECOND).await;
    cluster.cut("one");
    tokio::time::sleep(600 * MS).await;
    assert!(said(number).contains(&"Unreachable".to_owned()), "{:?}", said(number));
    let _ = alone;
}

/// Tells without end, and notes the errors.
struct Teller {
    db: RemoteRef<Db>,
    log: u64,
}

#[derive(Serialize, Deserialize)]
struct Tick;

#[actor]
impl Teller {
    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) {
        cx.send_every(100 * MS, || Tick);
    }

    async fn handle(&mut self, _: Tick) {
        let Err(error) = self.db.ask(DbMsg::Price).within(10 * SECOND).await else { return };
        let text = match error {
            AskError::NoReply { .. } => "Unreachable",
            AskError::Refused { reason: SendRejection::Unreachable, .. } => "Unreachable",
            _ => "other",
        };
        log(self.log).lock().unwrap().push(text.to_owned());
    }
}

supervisor! {
    struct Alone(log: u64) {
        db: Db = Db { price: 7 },
        #[on("worker", lease = 2s)]
        teller: remote Teller = Teller { db, log },
    }
}

/// A local actor under a key that comes and goes does not leave anything behind at the owner.
#[tokio::test(start_paused = true)]
async fn a_reference_to_an_ended_actor_is_forgotten() {
    let mut cluster = Cluster::new();
    cluster.node("one", Node::for_tree::<Tenants>("worker"));
    let net = cluster.owner();
    let tenants = Tenants::tree().on(net.clone()).start().await.unwrap();
    for n in 0..400 {
        let tenant = tenants.tenants.spawn(n).await.unwrap();
        let _ = tenant.shutdown().await;
    }
    assert!(supervise_remote::testing::references(&net) < 200, "{}", supervise_remote::testing::references(&net));
    tokio::time::sleep(11 * SECOND).await;
    assert_eq!(supervise_remote::testing::references(&net), 0, "also if none comes after them");
}

supervisor! {
    struct Tenants {
        tenants: [u64 => Tenant] = |n: u64| Tenant::tree(n),
    }
}

supervisor! {
    struct Tenant(n: u64) {
        db: Db = Db { price: n },
        #[on("worker", lease = 2s)]
        teller: remote Shard = Shard { db },
    }
}

struct Shard {
    db: RemoteRef<Db>,
}

#[derive(Serialize, Deserialize)]
struct Get(Reply<u64>);

#[actor]
impl Shard {
    async fn handle(&mut self, Get(reply): Get) {
        reply.send(self.db.ask(DbMsg::Price).await.unwrap_or_default());
    }
}

supervisor! {
    struct Left {
        db: Db = Db { price: 1 },
        #[on("worker", lease = 2s)]
        shard: remote Shard = Shard { db },
    }
}

supervisor! {
    struct Right {
        db: Db = Db { price: 2 },
        #[on("worker", lease = 2s)]
        shard: remote Shard = Shard { db },
    }
}

/// Two trees on one network have children of the same path, and each reference leads into its own tree.
#[tokio::test(start_paused = true)]
async fn references_lead_into_their_own_tree() {
    let mut cluster = Cluster::new();
    cluster.node("one", Left::node("worker"));
    cluster.node("two", Right::node("worker"));
    let net = cluster.owner();
    let left = Left::tree().on(net.clone()).start().await.unwrap();
    let right = Right::tree().on(net.clone()).start().await.unwrap();
    let prices = (left.shard.ask(Get).await.unwrap(), right.shard.ask(Get).await.unwrap());
    assert_eq!(prices, (1, 2));
    assert_ne!(net.export(&left.db), net.export(&right.db));
}

/// Sends to a local actor in many ways.
struct Sends {
    to: RemoteRef<Burst>,
}

#[derive(Serialize, Deserialize)]
enum SendsMsg {
    Burst(u64),
    Waste(Reply<()>),
    Ended(Reply<String>),
}

#[actor]
impl Sends {
    async fn handle(&mut self, msg: SendsMsg) {
        match msg {
            SendsMsg::Burst(n) => {
                for n in 0..n {
                    let _ = self.to.try_tell(BurstMsg::Note(Slowly(n)));
                }
                self.to.drain();
            }
            SendsMsg::Waste(reply) => {
                for _ in 0..100 {
                    let _ = tokio::time::timeout(10 * MS, self.to.terminated()).await;
                    let _ = tokio::time::timeout(10 * MS, self.to.ask(BurstMsg::Never)).await;
                    let _ = self.to.tell(BurstMsg::Unread(Unreadable(false))).await;
                    let _ = self.to.ask(|reply| BurstMsg::Bad(Unreadable(false), reply)).await;
                    // Given up before it can have arrived.
                    let _ = futures_util::FutureExt::now_or_never(self.to.terminated());
                    let _ = futures_util::FutureExt::now_or_never(self.to.tell(BurstMsg::Note(Slowly(0))));
                }
                reply.send(());
            }
            SendsMsg::Ended(reply) => {
                let ended = self.to.shutdown().await.unwrap();
                self.to.stop();
                self.to.kill();
                self.to.drain();
                let refused = self.to.ask(BurstMsg::Never).await;
                assert!(matches!(refused, Err(AskError::Refused { .. })), "{refused:?}");
                reply.send(format!("{ended:?}"));
            }
        }
    }
}

struct Burst {
    log: u64,
}

/// A number, some of which take their time to be read.
#[derive(Serialize)]
struct Slowly(u64);

impl<'de> Deserialize<'de> for Slowly {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        if number % 100 == 50 {
            std::thread::sleep(MS);
        }
        Ok(Slowly(number))
    }
}

#[derive(Serialize, Deserialize)]
enum BurstMsg {
    Note(Slowly),
    Never(Reply<()>),
    Unread(Unreadable),
    Bad(Unreadable, Reply<()>),
}

#[actor]
impl Burst {
    fn handle(&mut self, msg: BurstMsg) {
        match msg {
            BurstMsg::Note(Slowly(n)) => log(self.log).lock().unwrap().push(n.to_string()),
            BurstMsg::Never(_) | BurstMsg::Unread(_) | BurstMsg::Bad(..) => {}
        }
    }
}

supervisor! {
    struct Bursts(log: u64) {
        #[lifecycle(Temporary)]
        #[mailbox(Unbounded)]
        burst: Burst = Burst { log },
        #[on("worker", lease = 2s)]
        sends: remote Sends = Sends { to: burst },
    }
}

/// Messages and requests of a node keep their order at the owner, also on many threads.
#[test]
fn requests_keep_their_order() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut cluster = Cluster::new();
        cluster.node("one", Bursts::node("worker"));
        let log = new_log();
        let bursts = Bursts::tree(log).on(cluster.owner()).start().await.unwrap();
        bursts.sends.tell(SendsMsg::Burst(2_000)).await.unwrap();
        bursts.burst.terminated().await.unwrap();
        let expected: Vec<String> = (0..2_000).map(|n| n.to_string()).collect();
        assert_eq!(said(log), expected);
    });
}

/// Requests for whose answers nobody waits any more are forgotten, at the node and at the owner.
#[tokio::test(start_paused = true)]
async fn requests_leave_nothing_behind() {
    let mut cluster = Cluster::new();
    cluster.node("one", Bursts::node("worker"));
    let net = cluster.owner();
    let bursts = Bursts::tree(new_log()).on(net.clone()).start().await.unwrap();
    bursts.sends.ask(SendsMsg::Waste).within(100 * SECOND).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!((cluster.requests(), supervise_remote::testing::requests(&net)), (0, 0));
    let ended = bursts.sends.ask(SendsMsg::Ended).await.unwrap();
    assert_eq!(ended, "Stopped", "as it is at the owner");
    tokio::time::sleep(SECOND).await;
    assert_eq!((cluster.requests(), supervise_remote::testing::requests(&net)), (0, 0));
}

supervisor! {
    struct Flooded(log: u64) {
        #![on("worker", lease = 2s)]
        #[mailbox(Bounded(4))]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
        flood: remote Flood = Flood { to: pricing },
    }
}

struct Flood {
    to: RemoteRef<Pricing>,
}

#[derive(Serialize, Deserialize)]
struct Go(Reply<()>);

#[actor]
impl Flood {
    async fn handle(&mut self, Go(reply): Go) {
        for n in 0..2_000 {
            let _ = tokio::time::timeout(MS, self.to.tell(PricingMsg::Note(n))).await;
            let _ = self.to.try_tell(PricingMsg::Note(n));
        }
        reply.send(());
    }
}

/// While a mailbox is full, what was given up does not pile up, and a stop does not wait behind it.
#[tokio::test(start_paused = true)]
async fn a_full_mailbox_keeps_nothing_that_was_given_up() {
    let mut cluster = Cluster::new();
    cluster.node("one", Flooded::node("worker"));
    let net = cluster.owner();
    let flooded = Flooded::tree(new_log()).on(net.clone()).start().await.unwrap();
    flooded.pricing.tell(PricingMsg::Slow(1, 3_600_000)).await.unwrap();
    flooded.flood.ask(Go).within(100 * SECOND).await.unwrap();
    tokio::time::sleep(SECOND).await;
    let kept = (cluster.requests(), supervise_remote::testing::requests(&net));
    assert!(kept.0 < 10 && kept.1 < 10, "{kept:?}");
}

supervisor! {
    struct Narrow(log: u64) {
        #![on("worker", lease = 2s, window = 1)]
        #[mailbox(Bounded(1))]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
        hasty: remote Hasty = Hasty { to: pricing },
    }
}

struct Hasty {
    to: RemoteRef<Pricing>,
}

#[derive(Serialize, Deserialize)]
struct Try(Reply<Result<u64, String>>);

#[actor]
impl Hasty {
    async fn handle(&mut self, Try(reply): Try) {
        let asked = self.to.ask(|reply| PricingMsg::Quote(2, reply)).at_once().within(60 * SECOND).await;
        reply.send(asked.map_err(|error| error.to_string()));
    }
}

/// S61: a question that must not wait for room is refused while the mailbox is full, at the owner and from a node.
#[tokio::test(start_paused = true)]
async fn a_question_can_be_refused_at_once() {
    let mut cluster = Cluster::new();
    cluster.node("one", Narrow::node("worker"));
    let narrow = Narrow::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    assert_eq!(narrow.pricing.ask(|reply| PricingMsg::Quote(2, reply)).at_once().await, Ok(6));
    assert_eq!(narrow.hasty.ask(Try).await.unwrap(), Ok(6));
    narrow.pricing.tell(PricingMsg::Slow(1, 30_000)).await.unwrap();
    tokio::time::sleep(SECOND).await;
    while narrow.pricing.try_tell(PricingMsg::Note(1)).is_ok() {
        tokio::time::sleep(MS).await;
    }
    let begun = tokio::time::Instant::now();
    let refused = narrow.pricing.ask(|reply| PricingMsg::Quote(2, reply)).at_once().await;
    assert!(matches!(refused, Err(AskError::Refused { reason: SendRejection::Full, .. })), "{refused:?}");
    let refused = narrow.hasty.ask(Try).await.unwrap().unwrap_err();
    assert!(refused.contains("full"), "{refused}");
    assert!(begun.elapsed() < SECOND, "neither has waited for room: {:?}", begun.elapsed());
    let waited = narrow.pricing.ask(|reply| PricingMsg::Quote(2, reply)).within(60 * SECOND).await;
    assert_eq!(waited, Ok(6), "which waits for room");
}
