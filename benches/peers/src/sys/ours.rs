//! `supervise` itself: declared trees where a declaration can express the work, default features, events and budgets
//! on, `tracing` compiled in without a subscriber.
//!
//! By design, a child that failed less than 10 ms after its last restart waits for the rest of the 10 ms. To measure
//! the cost of a restart and not that wait, each round through the pool takes more than 10 ms: a large pool does by
//! itself, and for the hot rows the clock stops until the 10 ms are over, and a few other children go first.

use std::time::{Duration, Instant};

use futures::future::join_all;
use supervise::prelude::{ActorRef, Children, Context, Reply, SupervisorStrategy, actor, child, strategy, supervisor};

use crate::harness::{Alive, Fail, Meter, Run, STARTS, STOPS, Spawned, System, Tree, run};
use crate::{clients, repeat};

pub struct Ours;

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("failed on request")
    }
}

impl std::error::Error for Failed {}

enum Msg {
    Add(u64),
    Get(Reply<u64>),
    Boom(Fail),
}

struct Counter {
    sum: u64,
    _alive: Alive,
}

impl Counter {
    fn new() -> Self {
        Counter { sum: 0, _alive: Alive::new() }
    }
}

#[actor]
impl Counter {
    fn handle(&mut self, msg: Msg) -> Result<(), Failed> {
        match msg {
            Msg::Add(n) => self.sum += n,
            Msg::Get(reply) => reply.send(self.sum),
            Msg::Boom(Fail::Error) => return Err(Failed),
            Msg::Boom(Fail::Panic) => panic!("boom"),
        }
        Ok(())
    }
}

/// An actor whose children are one group.
struct Parent {
    size: u64,
    children: Vec<ActorRef<Counter>>,
}

#[actor]
impl Parent {
    fn handle(&mut self, reply: Reply<ActorRef<Counter>>) {
        reply.send(self.children[0].clone());
    }

    #[supervision]
    fn all_for_one(&self) -> SupervisorStrategy {
        strategy! { #![strategy(AllForOne, max_restarts = 1_000_000, within = 3h)] }
    }

    #[pre_start]
    async fn spawn_all(&mut self, cx: &mut Context<Self>) -> Result<(), std::convert::Infallible> {
        for i in 0..self.size {
            let child = cx.spawn(child! { i.to_string(): Counter = Counter::new() }).await;
            self.children.push(child.unwrap());
        }
        Ok(())
    }
}

/// A node of the ring.
struct Node {
    next: Option<ActorRef<Node>>,
    done: tokio::sync::mpsc::Sender<()>,
}

enum RingMsg {
    Next(ActorRef<Node>),
    Token(u64),
}

#[actor]
impl Node {
    async fn handle(&mut self, msg: RingMsg) {
        match (msg, &self.next) {
            (RingMsg::Next(next), _) => self.next = Some(next),
            (RingMsg::Token(0), _) => drop(self.done.send(()).await),
            (RingMsg::Token(n), Some(next)) => drop(next.tell(RingMsg::Token(n - 1)).await),
            (RingMsg::Token(_), None) => {}
        }
    }
}

supervisor! {
    struct Unbounded {
        #[mailbox(Unbounded)]
        counter: Counter = Counter::new(),
    }

    struct Bounded {
        #[mailbox(Bounded(1024))]
        counter: Counter = Counter::new(),
    }

    struct Pool {
        #[lifecycle(Permanent)]
        #[limit(max_restarts = 1_000_000, within = 3h)] // at 10 ms a restart a million take 2.8 hours
        counters: [Counter] = || Counter::new(),
    }

    struct Groups {
        parents: [Parent] = |size: u64| Parent { size, children: Vec::new() },
    }

    struct Ten {
        #![strategy(AllForOne, max_restarts = 1_000_000, within = 3h)]
        c0: Counter = Counter::new(), c1: Counter = Counter::new(), c2: Counter = Counter::new(),
        c3: Counter = Counter::new(), c4: Counter = Counter::new(), c5: Counter = Counter::new(),
        c6: Counter = Counter::new(), c7: Counter = Counter::new(), c8: Counter = Counter::new(),
        c9: Counter = Counter::new(),
    }

    struct Leaves {
        leaves: [Counter] = || Counter::new(),
    }

    struct Branch {
        n0: Leaves = Leaves::tree(), n1: Leaves = Leaves::tree(), n2: Leaves = Leaves::tree(),
        n3: Leaves = Leaves::tree(), n4: Leaves = Leaves::tree(), n5: Leaves = Leaves::tree(),
        n6: Leaves = Leaves::tree(), n7: Leaves = Leaves::tree(), n8: Leaves = Leaves::tree(),
        n9: Leaves = Leaves::tree(),
    }

    struct Whole {
        n0: Branch = Branch::tree(), n1: Branch = Branch::tree(), n2: Branch = Branch::tree(),
        n3: Branch = Branch::tree(), n4: Branch = Branch::tree(), n5: Branch = Branch::tree(),
        n6: Branch = Branch::tree(), n7: Branch = Branch::tree(), n8: Branch = Branch::tree(),
        n9: Branch = Branch::tree(),
    }

    struct Ring(done: tokio::sync::mpsc::Sender<()>) {
        nodes: [Node] = || Node { next: None, done },
    }
}

impl Branch {
    fn sets(&self) -> [&Leaves; 10] {
        [&self.n0, &self.n1, &self.n2, &self.n3, &self.n4, &self.n5, &self.n6, &self.n7, &self.n8, &self.n9]
    }
}

impl Whole {
    fn branches(&self) -> [&Branch; 10] {
        [&self.n0, &self.n1, &self.n2, &self.n3, &self.n4, &self.n5, &self.n6, &self.n7, &self.n8, &self.n9]
    }
}

/// The number of concurrent spawns, as in a caller that wants many actors.
const AT_ONCE: u64 = 30;

/// For so long a child that is restarted again waits.
const PACE: Duration = Duration::from_millis(10);

/// The number of children in a hot pool, all of which stay in the cache. Half of them are measured.
const HOT: u64 = 32;

/// Restarts the first of each group in turn; a child alone is a group of one.
async fn restarts(firsts: &[ActorRef<Counter>], siblings: u64, hot: bool, n: u64, fail: Fail) -> Run {
    let up = firsts.len() as u64 * siblings;
    if !hot {
        return repeat!(n, |i| cycle(&firsts[i as usize % firsts.len()], up + (i + 1) * siblings, fail).await);
    }
    // Other systems restart one child without a pause. So that the code is in the caches here, too, a round of one half of
    // the children goes before each measured round of the other half.
    let (before, measured) = firsts.split_at(firsts.len() / 2);
    let begun = Instant::now();
    let (mut ops, mut starts, mut time) = (0, up, Duration::ZERO);
    while ops < n && begun.elapsed().as_secs() < 1 {
        let mut round = Instant::now();
        for (i, first) in before.iter().chain(measured).enumerate() {
            if i == before.len() {
                round = Instant::now();
            }
            starts += siblings;
            cycle(first, starts, fail).await;
        }
        time += round.elapsed();
        ops += measured.len() as u64;
        // Keeps the threads and the children busy, so that no thread sleeps and the caches stay as they are.
        let pause = Instant::now();
        while pause.elapsed() < PACE {
            for first in firsts {
                first.ask(Msg::Get).forever().await.unwrap();
            }
        }
    }
    Run { ops, time }
}

async fn cycle(first: &ActorRef<Counter>, starts: u64, fail: Fail) {
    first.tell(Msg::Boom(fail)).await.unwrap();
    STARTS.wait(starts).await;
    first.ask(Msg::Get).forever().await.unwrap();
}

async fn spawn_many(set: &Children<Counter, ()>, n: u64) -> Vec<ActorRef<Counter>> {
    let mut all = Vec::with_capacity(n as usize);
    while (all.len() as u64) < n {
        let some = AT_ONCE.min(n - all.len() as u64);
        all.extend(join_all((0..some).map(|_| set.spawn())).await.into_iter().map(Result::unwrap));
    }
    all
}

async fn tell(counter: ActorRef<Counter>, yielding: bool, producers: u64, n: u64) -> Option<Run> {
    let start = Instant::now();
    if yielding {
        clients!(producers, n, yielding: true, counter, |counter, i| counter.tell(Msg::Add(i)).await.unwrap());
    } else {
        clients!(producers, n, yielding: false, counter, |counter, i| counter.tell(Msg::Add(i)).await.unwrap());
    }
    counter.ask(Msg::Get).await.unwrap();
    run(n, start)
}

impl System for Ours {
    async fn tell(cap: Option<usize>, producers: u64, n: u64) -> Option<Run> {
        match cap {
            Some(_) => {
                let tree = Bounded::start().await.unwrap();
                tell(tree.counter.clone(), false, producers, n).await
            }
            None => {
                let tree = Unbounded::start().await.unwrap();
                tell(tree.counter.clone(), true, producers, n).await
            }
        }
    }

    async fn ask(n: u64, in_flight: u64, deadline: Option<Duration>) -> Option<Run> {
        let tree = Unbounded::start().await.unwrap();
        let counter = tree.counter.clone();
        let start = Instant::now();
        match deadline {
            // Five seconds are the default.
            Some(time) => {
                assert_eq!(time, Duration::from_secs(5));
                clients!(in_flight, n, yielding: false, counter, |counter, _i| counter.ask(Msg::Get).await.unwrap());
            }
            None => clients!(in_flight, n, yielding: false, counter, |counter, _i| {
                counter.ask(Msg::Get).forever().await.unwrap()
            }),
        }
        run(n, start)
    }

    async fn spawn(n: u64) -> Option<Spawned> {
        let tree = Pool::start().await.unwrap();
        let mut meter = Meter::start(n);
        let handles = spawn_many(&tree.counters, n).await;
        meter.spawned().await;
        drop(handles);
        let down = tokio::spawn(tree.shutdown());
        let spawned = meter.stopped().await;
        down.await.unwrap();
        spawned
    }

    async fn restart(pool: u64, n: u64, fail: Fail) -> Option<Run> {
        let tree = Pool::start().await.unwrap();
        let hot = pool == 1;
        let pool = if hot { HOT } else { pool };
        let counters = spawn_many(&tree.counters, pool).await;
        Some(restarts(&counters, 1, hot, n, fail).await)
    }

    async fn group(groups: u64, siblings: u64, n: u64) -> Option<Run> {
        let mut firsts = Vec::new();
        let mut tens = Vec::new();
        let hot = groups == 1;
        let groups = if hot { HOT.div_ceil(siblings).max(2) } else { groups };
        let tree = Groups::start().await.unwrap();
        for _ in 0..groups {
            if siblings == 10 {
                let ten = Ten::start().await.unwrap();
                firsts.push(ten.c0.clone());
                tens.push(ten);
            } else {
                let parent = tree.parents.spawn(siblings).await.unwrap();
                firsts.push(parent.ask(|reply| reply).await.unwrap());
            }
        }
        Some(restarts(&firsts, siblings, hot, n, Fail::Error).await)
    }

    async fn tree(_width: [u64; 3]) -> Option<Tree> {
        let leaves = 10_000;
        let at = Instant::now();
        let tree = Whole::start().await.unwrap();
        let sets = tree.branches().into_iter().flat_map(Branch::sets);
        join_all(sets.map(|set| spawn_many(&set.leaves, 100))).await;
        STARTS.wait(leaves).await;
        let start = at.elapsed();
        let at = Instant::now();
        tree.shutdown().await;
        STOPS.wait(leaves).await;
        Some(Tree { start, stop: at.elapsed() })
    }

    async fn ring(actors: u64, rounds: u64) -> Option<Run> {
        let (done, mut finished) = tokio::sync::mpsc::channel(1);
        let tree = Ring::start(done).await.unwrap();
        let mut nodes: Vec<ActorRef<Node>> = Vec::new();
        for _ in 0..actors {
            nodes.push(tree.nodes.spawn().await.unwrap());
        }
        for (i, node) in nodes.iter().enumerate() {
            let next = nodes[(i + 1) % nodes.len()].clone();
            node.tell(RingMsg::Next(next)).await.unwrap();
        }
        let start = Instant::now();
        nodes[0].tell(RingMsg::Token(actors * rounds)).await.unwrap();
        finished.recv().await;
        run(actors * rounds, start)
    }
}
