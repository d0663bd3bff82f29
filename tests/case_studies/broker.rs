//! A broker that trades on many chains. A chain is opened by the first order for it and known by its name. Each chain
//! has a ledger and a signer, which are critical: the other children need them to finish their work until the very end.
//!
//! Requirements: a chain is opened once, however many orders come at once; within a chain the critical children stop
//! last, so that every fill is settled, at a close and at a shutdown; a chain that cannot continue ends alone, and the
//! next order opens it again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use tokio::task::JoinSet;

use crate::common::{ms, pass, secs, soon};

/// The settlements outlive every chain: fills by chain, and the order in which the actors stopped.
#[derive(Clone, Default)]
struct Books(Arc<Mutex<Written>>);

#[derive(Default)]
struct Written {
    settled: BTreeMap<String, u64>,
    opened: BTreeMap<String, u32>,
    gone: Vec<String>,
}

impl Books {
    fn write<T>(&self, entry: impl FnOnce(&mut Written) -> T) -> T {
        entry(&mut self.0.lock().unwrap())
    }

    fn settled(&self, chain: &str) -> u64 {
        self.write(|written| written.settled.get(chain).copied().unwrap_or_default())
    }

    fn gone(&self) -> Vec<String> {
        self.write(|written| std::mem::take(&mut written.gone))
    }
}

#[derive(Debug, thiserror::Error)]
enum ChainError {
    #[error("the node has hung up")]
    NodeLost,
    #[error("block {0} was not signed")]
    Unsigned(u64),
    #[error(transparent)]
    Ask(#[from] supervise::error::AskError),
}

struct Ledger {
    chain: String,
    books: Books,
}

#[actor]
impl Ledger {
    fn handle(&mut self, (fill, done): (u64, Reply<()>)) {
        self.books.write(|written| *written.settled.entry(self.chain.clone()).or_default() += fill);
        done.send(());
    }

    #[post_stop]
    fn gone(&mut self) {
        self.books.write(|written| written.gone.push(format!("{}/ledger", self.chain)));
    }
}

struct Signer {
    chain: String,
    books: Books,
}

#[actor]
impl Signer {
    async fn handle(&mut self, (block, signed): (u64, Reply<u64>)) -> Result<(), ChainError> {
        if block == 13 {
            return Err(ChainError::Unsigned(block));
        }
        tokio::time::sleep(ms(20)).await;
        signed.send(block);
        Ok(())
    }

    #[post_stop]
    fn gone(&mut self) {
        self.books.write(|written| written.gone.push(format!("{}/signer", self.chain)));
    }
}

/// Fills orders, and settles them before it stops.
struct Desk {
    chain: String,
    ledger: ActorRef<Ledger>,
    signer: ActorRef<Signer>,
    books: Books,
    fills: u64,
}

enum Order {
    Fill(u64),
    Sign(u64),
    Fills(Reply<u64>),
}

#[actor]
impl Desk {
    async fn handle(&mut self, order: Order) -> Result<(), ChainError> {
        match order {
            Order::Fill(amount) => self.fills += amount,
            Order::Sign(block) => drop(self.signer.ask(|signed| (block, signed)).await?),
            Order::Fills(reply) => reply.send(self.fills),
        }
        Ok(())
    }

    #[post_stop]
    async fn settle(&mut self) -> Result<(), ChainError> {
        self.books.write(|written| written.gone.push(format!("{}/desk", self.chain)));
        let fills = std::mem::take(&mut self.fills);
        self.signer.ask(|signed| (fills, signed)).await?;
        Ok(self.ledger.ask(|done| (fills, done)).await?)
    }
}

/// Follows the chain's node: forever, or until the node hangs up.
async fn follow(chain: String, books: Books, up: bool) -> Result<(), ChainError> {
    books.write(|written| *written.opened.entry(chain.clone()).or_default() += 1);
    if up {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(secs(1)).await;
    Err(ChainError::NodeLost)
}

supervisor! {
    struct Chain(name: String, books: Books, is_up: fn(&str) -> bool) {
        // Critical children are declared first, so they stop last; a failing child restarts together with the children
        // that depend on it.
        #![strategy(RestForOne, max_restarts = 2, within = 1min)]
        #[mailbox(Unbounded)]
        ledger: Ledger = Ledger { chain: name.clone(), books: books.clone() },
        #[mailbox(Unbounded)]
        signer: Signer = Signer { chain: name.clone(), books: books.clone() },
        #[lifecycle(Permanent, shutdown = 2s)]
        desk: Desk = Desk { chain: name.clone(), ledger, signer, books: books.clone(), fills: 0 },
        #[lifecycle(Permanent)]
        node: task = follow(name.clone(), books, is_up(&name)),
    }

    struct Broker(books: Books, is_up: fn(&str) -> bool) {
        // A chain that gives up is closed, and does not open again by itself.
        #[lifecycle(Temporary)]
        #[initial(["main".to_owned()])]
        chains: [String => Chain] = |name: String| Chain::tree(name, books, is_up),
    }
}

async fn order(broker: &Broker, chain: &str, order: Order) {
    let chain = broker.chains.get_or_spawn(chain.to_owned()).await.unwrap();
    chain.desk.tell(order).await.unwrap();
}

/// S27: a hundred orders at once open two more chains besides the one that is always open, each of them once.
#[tokio::test(start_paused = true)]
async fn a_chain_is_opened_once_however_many_orders_come() {
    let books = Books::default();
    let broker = Broker::start(books.clone(), |_| true).await.unwrap();
    assert_eq!(broker.chains.keys(), ["main"]);
    let mut orders = JoinSet::new();
    for n in 0..100u64 {
        let broker = broker.handle();
        orders.spawn(async move { order(&broker, ["main", "east", "west"][n as usize % 3], Order::Fill(n)).await });
    }
    orders.join_all().await;
    pass(ms(1)).await;
    let opened = books.write(|written| written.opened.clone());
    assert_eq!(opened, BTreeMap::from(["east", "main", "west"].map(|name| (name.to_owned(), 1))));
    let mut fills = 0;
    for name in ["main", "east", "west"] {
        fills += broker.chains.get(name).unwrap().desk.ask(Order::Fills).await.unwrap();
    }
    assert_eq!(fills, (0..100).sum());
    assert!(broker.shutdown().await.is_orderly());
}

/// S17, S24, S27: a chain that is closed by its name, or at a shutdown, settles its unfinished orders: the critical
/// children live until the desk has finished with them.
#[tokio::test(start_paused = true)]
async fn critical_children_stop_last_and_every_fill_is_settled() {
    let books = Books::default();
    let broker = Broker::start(books.clone(), |_| true).await.unwrap();
    for (chain, amount) in [("main", 5), ("east", 7), ("west", 9)] {
        order(&broker, chain, Order::Fill(amount)).await;
    }
    let east = broker.chains.get("east").unwrap();
    assert!(broker.chains.stop("east"));
    assert!(soon(east.join()).await.unwrap().is_orderly());
    assert_eq!(books.gone(), ["east/desk", "east/signer", "east/ledger"]);
    assert_eq!((books.settled("east"), broker.chains.get("east").is_some()), (7, false));

    let report = broker.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!((books.settled("main"), books.settled("west")), (5, 9));
    let gone = books.gone();
    for chain in ["main", "west"] {
        let of_chain: Vec<_> = gone.iter().filter(|name| name.starts_with(chain)).cloned().collect();
        assert_eq!(of_chain, ["desk", "signer", "ledger"].map(|child| format!("{chain}/{child}")));
    }
    assert_eq!(gone.iter().position(|name| name.ends_with("signer")), Some(2), "the chains stop together: {gone:?}");
}

/// S7, S18, S27: a chain whose node is permanently lost gives up alone, and the next order opens it again. Below a
/// failure all actors are suspended, so the last request of the chain's desk is refused at once: the desk has to expect
/// that.
#[tokio::test(start_paused = true)]
async fn a_chain_that_gives_up_ends_alone_and_is_opened_again() {
    let books = Books::default();
    let broker = Broker::start(books.clone(), |name| name != "east").await.unwrap();
    order(&broker, "main", Order::Fill(1)).await;
    order(&broker, "east", Order::Fill(3)).await;
    let east = broker.chains.get("east").unwrap();
    let report = soon(east.join()).await.unwrap();
    assert!(
        matches!(&report.ended, Ended::Limit(failure) if failure.before().is_some_and(|last| last.error::<ChainError>().is_some())),
        "{report}"
    );
    assert_eq!(books.gone(), ["east/desk", "east/signer", "east/ledger"], "only the node was restarted");
    assert_eq!(books.settled("east"), 0);
    let main = broker.chains.get("main").unwrap();
    assert_eq!((main.desk.incarnation(), main.desk.ask(Order::Fills).await.unwrap()), (1, 1));
    order(&broker, "east", Order::Fill(4)).await;
    assert_ne!(broker.chains.get("east").unwrap().ledger, east.ledger, "a new chain");
    broker.shutdown().await;
    assert_eq!(books.settled("east"), 4);
}

/// S17, S18: a signer that fails is restarted together with the children that depend on it, and the ledger is not.
#[tokio::test(start_paused = true)]
async fn a_critical_child_takes_along_what_leans_on_it() {
    let books = Books::default();
    let broker = Broker::start(books.clone(), |_| true).await.unwrap();
    let main = broker.chains.get("main").unwrap();
    order(&broker, "main", Order::Fill(2)).await;
    order(&broker, "main", Order::Sign(13)).await;
    pass(secs(1)).await;
    let lives =
        (main.ledger.incarnation(), main.signer.incarnation(), main.desk.incarnation(), main.node.incarnation());
    assert_eq!((lives.0, lives.1), (1, 2));
    assert!(lives.2 >= 2 && lives.3 >= 2, "{lives:?}");
    order(&broker, "main", Order::Fill(4)).await;
    assert_eq!(main.desk.ask(Order::Fills).await.unwrap(), 4);
    broker.shutdown().await;
    assert_eq!(books.settled("main"), 4, "the order in hand could not be signed at the failure");
}
