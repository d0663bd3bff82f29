//! `supervise`, declared as a user would declare it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use futures::future::join_all;
use supervise::prelude::*;
use supervise::{BoxError, NewChild};

use crate::{Alive, BATCH, Metrics, QUEUED, STARTS, STOPS, Steps, WORKED, percentiles, period, rate, work};

struct Counter {
    sum: u64,
    _alive: Alive,
}

impl Counter {
    fn new() -> Self {
        Counter { sum: 0, _alive: Alive::new() }
    }
}

enum Msg {
    Add(u64),
    Get(Reply<u64>),
    Fail,
    End,
}

#[derive(Debug, thiserror::Error)]
#[error("failed on request")]
struct Failed;

#[actor]
impl Counter {
    fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Failed> {
        match msg {
            Msg::Add(n) => self.sum += n,
            Msg::Get(reply) => reply.send(self.sum),
            Msg::Fail => return Err(Failed),
            Msg::End => cx.stop(),
        }
        Ok(())
    }
}

/// Has a child of its own type, which escalates its failures.
struct Level {
    _alive: Alive,
}

fn below() -> NewChild<Level> {
    child! {
        #[lifecycle(Transient, shutdown = Infinity)]
        #[decider(_ => Escalate)]
        "n": Level = Level { _alive: Alive::new() }
    }
}

enum Down {
    /// So many further levels, and the deepest as the answer.
    Dig(u64, Reply<ActorRef<Level>>),
    Fail,
}

impl Actor for Level {
    type Msg = Down;
    type Error = BoxError;

    async fn receive(&mut self, msg: Down, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Down::Dig(0, reply) => reply.send(cx.actor_ref()),
            Down::Dig(left, reply) => cx.spawn(below()).await?.tell(Down::Dig(left - 1, reply)).await?,
            Down::Fail => return Err(Failed.into()),
        }
        Ok(())
    }
}

/// An actor whose mailbox never empties, since it tells itself each message again.
struct Busy;

#[actor]
impl Busy {
    fn handle(&mut self, (): (), cx: &mut Context<Self>) {
        work();
        let _ = cx.actor_ref().try_tell(());
    }
}

supervisor! {
    struct Pool {
        #[lifecycle(Permanent, shutdown = Infinity)]
        #[limit(max_restarts = 1_000_000, within = 3h)]
        counters: [Counter] = || Counter::new(),
    }

    struct Sessions {
        #[lifecycle(Transient, shutdown = Infinity)]
        sessions: [Counter] = || Counter::new(),
    }

    struct Three {
        a: Counter = Counter::new(),
        b: Counter = Counter::new(),
        c: Counter = Counter::new(),
    }

    struct Nine {
        left: Three = Three::tree(),
        right: Three = Three::tree(),
    }

    struct Unbounded {
        #[mailbox(Unbounded)]
        counter: Counter = Counter::new(),
    }

    struct Bounded {
        #[mailbox(Bounded(1024))]
        counter: Counter = Counter::new(),
    }

    struct Neighbours {
        counter: Counter = Counter::new(),
        #[lifecycle(Temporary)]
        #[mailbox(Unbounded)]
        busy: [Busy] = || Busy,
    }
}

/// The starts, or stops, of which one task waits at once.
const AT_ONCE: u64 = 30;

async fn spawn_many(set: &Children<Counter, ()>, n: u64) -> Vec<ActorRef<Counter>> {
    let mut all = Vec::with_capacity(n as usize);
    while (all.len() as u64) < n {
        let some = AT_ONCE.min(n - all.len() as u64);
        let spawned = join_all((0..some).map(|_| set.spawn())).await;
        all.extend(spawned.into_iter().map(|child| child.expect("a child")));
    }
    all
}

/// All children fail, again and again. Each handles a message after each restart, so each restart is the first in a row.
pub async fn failing(n: u64) -> Metrics {
    let tree = Pool::start().await.expect("a tree");
    let children = spawn_many(&tree.counters, n).await;
    let (begun, mut rounds) = (Instant::now(), 0);
    while begun.elapsed() < period() {
        rounds += 1;
        for child in &children {
            child.tell(Msg::Fail).await.expect("a mailbox");
            child.tell(Msg::Add(1)).await.expect("a mailbox");
        }
        STARTS.wait((rounds + 1) * n).await;
    }
    rate(rounds * n, begun)
}

pub async fn many(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let tree = Pool::start().await.expect("a tree");
    let children = spawn_many(&tree.counters, n).await;
    steps.done("start");
    drop(children);
    assert!(tree.shutdown().await.is_orderly());
    STOPS.wait(n).await;
    steps.done("stop");
    steps.metrics()
}

/// Sessions that end one by one.
pub async fn sessions(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let tree = Sessions::start().await.expect("a tree");
    let children = spawn_many(&tree.sessions, n).await;
    steps.done("start");
    for child in children {
        child.tell(Msg::End).await.expect("a mailbox");
    }
    STOPS.wait(n).await;
    steps.done("stop");
    steps.metrics()
}

/// Many trees of nine nodes: six actors under two supervisors under a root.
pub async fn trees(n: u64) -> Metrics {
    let mut steps = Steps::new(n);
    let mut trees = Vec::new();
    while (trees.len() as u64) < n {
        let some = AT_ONCE.min(n - trees.len() as u64);
        trees.extend(join_all((0..some).map(|_| Nine::start())).await.into_iter().map(|tree| tree.expect("a tree")));
    }
    steps.done("start");
    while !trees.is_empty() {
        let some = trees.split_off(trees.len().saturating_sub(AT_ONCE as usize));
        let reports = join_all(some.into_iter().map(|tree| tree.shutdown())).await;
        assert!(reports.iter().all(|report| report.is_orderly()));
    }
    STOPS.wait(6 * n).await;
    steps.done("stop");
    steps.metrics()
}

/// A chain of children, each below the one before. The failure of the deepest escalates through all of them.
pub async fn depth(n: u64) -> Metrics {
    let top = supervise::spawn(child! {
        #[lifecycle(Permanent, shutdown = Infinity)]
        "n": Level = Level { _alive: Alive::new() }
    });
    let top = top.await.expect("the highest level");
    let mut steps = Steps::new(n);
    let deepest = top.ask(|reply| Down::Dig(n, reply)).forever().await.expect("the deepest level");
    steps.done("start");
    deepest.tell(Down::Fail).await.expect("a mailbox");
    drop(deepest);
    STARTS.wait(n + 2).await;
    steps.done("escalation");
    drop(top.ask(|reply| Down::Dig(n, reply)).forever().await.expect("the deepest level"));
    steps.done("again");
    top.stop();
    top.terminated().await.expect("an end");
    STOPS.wait(2 * (n + 1)).await;
    steps.done("stop");
    steps.metrics()
}

pub async fn tells(bounded: bool, producers: u64) -> Metrics {
    let (unbounded_tree, bounded_tree);
    let counter = if bounded {
        bounded_tree = Bounded::start().await.expect("a tree");
        bounded_tree.counter.clone()
    } else {
        unbounded_tree = Unbounded::start().await.expect("a tree");
        unbounded_tree.counter.clone()
    };
    let begun = Instant::now();
    let tasks: Vec<_> = (0..producers)
        .map(|_| {
            let counter = counter.clone();
            tokio::spawn(async move {
                let mut told = 0;
                while begun.elapsed() < period() {
                    for n in 0..BATCH {
                        counter.tell(Msg::Add(n)).await.expect("a mailbox");
                    }
                    told += BATCH;
                    if !bounded {
                        tokio::task::yield_now().await;
                    }
                }
                told
            })
        })
        .collect();
    let mut told = 0;
    for task in tasks {
        told += task.await.expect("a producer");
    }
    counter.ask(Msg::Get).forever().await.expect("an answer");
    rate(told, begun)
}

/// Asks one after the other, beside a neighbour whose mailbox never empties.
pub async fn latency(busy: bool) -> Metrics {
    let tree = Neighbours::start().await.expect("a tree");
    if busy {
        let neighbour = tree.busy.spawn().await.expect("a neighbour");
        for _ in 0..QUEUED {
            neighbour.tell(()).await.expect("a mailbox");
        }
    }
    let (begun, mut all) = (Instant::now(), Vec::new());
    while begun.elapsed() < period() || all.len() < 100 {
        let at = Instant::now();
        tree.counter.ask(Msg::Get).await.expect("an answer");
        all.push(at.elapsed());
    }
    percentiles(all)
}

/// Stops neighbours whose mailboxes never empty: the order is seen between two messages.
pub async fn control() -> Metrics {
    let tree = Neighbours::start().await.expect("a tree");
    let (begun, mut all, mut worked) = (Instant::now(), Vec::new(), 0);
    while begun.elapsed() < period() || all.len() < 100 {
        let neighbour = tree.busy.spawn().await.expect("a neighbour");
        for _ in 0..QUEUED {
            neighbour.tell(()).await.expect("a mailbox");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        let (at, before) = (Instant::now(), WORKED.load(Relaxed));
        neighbour.stop();
        neighbour.terminated().await.expect("an end");
        all.push(at.elapsed());
        worked += WORKED.load(Relaxed) - before;
    }
    WORKED.store(worked, Relaxed);
    percentiles(all)
}
