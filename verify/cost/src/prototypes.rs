//! The rows of `cost`, in `lean` and `floor` of `benches/peers`: `prototypes SYSTEM ROW` prints the number of operations
//! in the function `measured`, where callgrind counts. The pools, the clients and the numbers are those of `main.rs`.

#![allow(dead_code, unused_macros)] // for the benchmarks alone

#[path = "../../../benches/peers/src/sys/floor.rs"]
mod floor;
#[path = "../../../benches/peers/src/harness.rs"]
mod harness;
#[path = "../../../benches/peers/src/sys/lean.rs"]
mod lean;
#[path = "../../../benches/peers/src/swap.rs"]
mod swap;

use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harness::{Fail, STARTS, STOPS, within};
use tokio::runtime::{Handle, Runtime};

type Work = Pin<Box<dyn Future<Output = ()>>>;
type Row = (u64, Work);

/// A prototype, as the rows use it.
trait Prototype: 'static {
    /// Children that fail alone.
    type Pool;
    type Child: Clone;
    type Tree;

    fn pool() -> Self::Pool;
    /// Starts a child, and waits until it is up if the prototype does.
    async fn spawn(pool: &Self::Pool) -> Self::Child;
    async fn stop(pool: &Self::Pool, children: Vec<Self::Child>);
    /// Starts children that restart together, and returns the first of them.
    async fn group(members: u64) -> Self::Child;
    fn add(child: &Self::Child, n: u64);
    /// As [`add`](Prototype::add), where so many messages fit into the mailbox; `false`: the prototype has no bound.
    async fn add_bounded(_child: &Self::Child, _n: u64, _bound: usize) -> bool {
        false
    }
    fn fail(child: &Self::Child, fail: Fail);
    async fn get(child: &Self::Child) -> u64;
    async fn start(width: [u64; 3]) -> Self::Tree;
    async fn end(tree: Self::Tree);
}

struct Lean;

impl Prototype for Lean {
    type Pool = Arc<lean::Sup>;
    type Child = swap::Tx<lean::Msg>;
    type Tree = lean::Node;

    fn pool() -> Self::Pool {
        Arc::default()
    }

    async fn spawn(pool: &Self::Pool) -> Self::Child {
        let (tx, rx) = swap::channel();
        tokio::spawn(lean::actor(rx, pool.clone()));
        tx
    }

    async fn stop(_: &Self::Pool, children: Vec<Self::Child>) {
        let n = STOPS.get() + children.len() as u64;
        drop(children);
        STOPS.wait(n).await;
    }

    async fn group(members: u64) -> Self::Child {
        let sup = Self::pool();
        let mut all = Vec::new();
        for _ in 0..members {
            all.push(Self::spawn(&sup).await);
        }
        assert!(sup.members.set(all.iter().map(swap::Tx::mailbox).collect()).is_ok());
        // Keep the handles of the others alive: an actor without a handle ends.
        let first = all[0].clone();
        std::mem::forget(all);
        first
    }

    fn add(child: &Self::Child, n: u64) {
        child.send(lean::Msg::Add(n));
    }

    async fn add_bounded(child: &Self::Child, n: u64, bound: usize) -> bool {
        child.send_bounded(lean::Msg::Add(n), bound).await;
        true
    }

    fn fail(child: &Self::Child, fail: Fail) {
        child.send(lean::Msg::Boom(fail));
    }

    async fn get(child: &Self::Child) -> u64 {
        lean::get(child).await
    }

    async fn start(width: [u64; 3]) -> Self::Tree {
        lean::Node::start(0, width)
    }

    async fn end(tree: Self::Tree) {
        tree.stop().await;
    }
}

struct Floor;

impl Prototype for Floor {
    type Pool = Arc<floor::Group>;
    type Child = Arc<floor::Cell>;
    type Tree = floor::Node;

    fn pool() -> Self::Pool {
        floor::Group::new(true)
    }

    async fn spawn(pool: &Self::Pool) -> Self::Child {
        pool.add(0).up().await
    }

    async fn stop(pool: &Self::Pool, children: Vec<Self::Child>) {
        drop(children);
        pool.stop().await;
    }

    async fn group(members: u64) -> Self::Child {
        floor::Group::new(false).spawn(members).await.swap_remove(0)
    }

    fn add(child: &Self::Child, n: u64) {
        child.tell(floor::Msg::Add(n));
    }

    fn fail(child: &Self::Child, fail: Fail) {
        child.tell(floor::Msg::Boom(fail));
    }

    async fn get(child: &Self::Child) -> u64 {
        child.get().await
    }

    async fn start(width: [u64; 3]) -> Self::Tree {
        floor::Node::start(0, width).await
    }

    async fn end(tree: Self::Tree) {
        tree.stop().await;
    }
}

/// Tells `n` times, with a bound or with yields, and waits until all of them are handled.
async fn tell<P: Prototype>(child: &P::Child, n: u64, bound: Option<usize>) {
    for i in 0..n {
        match bound {
            Some(bound) => assert!(P::add_bounded(child, i, bound).await),
            None => P::add(child, i),
        }
        if bound.is_none() && i % 1024 == 1023 {
            tokio::task::yield_now().await;
        }
    }
    P::get(child).await;
}

async fn tells<P: Prototype>(bound: Option<usize>) -> Row {
    let n = 100 * 1024;
    let pool = P::pool();
    let child = P::spawn(&pool).await;
    tell::<P>(&child, 4 * 1024, bound).await;
    let work = async move {
        tell::<P>(&child, n, bound).await;
        std::mem::forget((pool, child));
    };
    (n, Box::pin(work))
}

/// Each ask has the five seconds that an ask of ours has by default.
async fn asks<P: Prototype>() -> Row {
    let n = 20_000;
    let deadline = Some(Duration::from_secs(5));
    let pool = P::pool();
    let child = P::spawn(&pool).await;
    for _ in 0..1_000 {
        within(deadline, P::get(&child)).await;
    }
    let work = async move {
        for _ in 0..n {
            within(deadline, P::get(&child)).await;
        }
        std::mem::forget((pool, child));
    };
    (n, Box::pin(work))
}

const INSTANCES: u64 = 2_048;

async fn pool<P: Prototype>(n: u64) -> (P::Pool, Vec<P::Child>) {
    let (pool, from) = (P::pool(), STARTS.get());
    let mut children = Vec::with_capacity(n as usize);
    for _ in 0..n {
        children.push(P::spawn(&pool).await);
    }
    STARTS.wait(from + n).await;
    (pool, children)
}

async fn spawns<P: Prototype>() -> Row {
    let (pool, mut children) = pool::<P>(INSTANCES).await;
    children.reserve_exact(INSTANCES as usize);
    let up = STARTS.get() + INSTANCES;
    let work = async move {
        for _ in 0..INSTANCES {
            children.push(P::spawn(&pool).await);
        }
        STARTS.wait(up).await;
        std::mem::forget((pool, children));
    };
    (INSTANCES, Box::pin(work))
}

async fn stops<P: Prototype>() -> Row {
    let (pool, children) = pool::<P>(INSTANCES).await;
    let work = async move {
        P::stop(&pool, children).await;
        std::mem::forget(pool);
    };
    (INSTANCES, Box::pin(work))
}

/// Lets these fail, ten at a time, waits until so many children for each of them have started, and lets each handle a
/// message.
async fn failures<P: Prototype>(children: &[P::Child], fail: Fail, each: u64) {
    for some in children.chunks(10) {
        let up = STARTS.get() + some.len() as u64 * each;
        for child in some {
            P::fail(child, fail);
        }
        STARTS.wait(up).await;
        let (last, others) = some.split_last().expect("a chunk has a child");
        for child in others {
            P::add(child, 1);
        }
        // When the last one has answered, so have all that were woken before it.
        P::get(last).await;
    }
}

async fn restarts<P: Prototype>(n: u64, fail: Fail) -> Row {
    let (all, children) = pool::<P>(n).await;
    let (others, first) = pool::<P>(n).await;
    failures::<P>(&first, fail, 1).await;
    let work = async move {
        failures::<P>(&children, fail, 1).await;
        std::mem::forget((all, children, others, first));
    };
    (n, Box::pin(work))
}

async fn groups<P: Prototype>() -> Row {
    let groups = 50;
    let (mut firsts, mut others) = (Vec::new(), Vec::new());
    for i in 0..2 * groups {
        let up = STARTS.get() + 10;
        let first = P::group(10).await;
        STARTS.wait(up).await;
        if i % 2 == 0 { &mut firsts } else { &mut others }.push(first);
    }
    failures::<P>(&others, Fail::Error, 10).await;
    let work = async move {
        failures::<P>(&firsts, Fail::Error, 10).await;
        std::mem::forget((firsts, others));
    };
    (groups * 10, Box::pin(work))
}

const WIDTH: [u64; 3] = [10; 3];
const LEAVES: u64 = 1_000;

async fn whole<P: Prototype>() -> P::Tree {
    let up = STARTS.get() + LEAVES;
    let tree = P::start(WIDTH).await;
    STARTS.wait(up).await;
    tree
}

async fn end<P: Prototype>(tree: P::Tree) {
    let down = STOPS.get() + LEAVES;
    P::end(tree).await;
    STOPS.wait(down).await;
}

/// Waits until no task of the trees is left, as for `ours`.
async fn gone() {
    while Handle::current().metrics().num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
}

async fn tree_start<P: Prototype>() -> Row {
    end::<P>(whole::<P>().await).await;
    gone().await;
    let work = async {
        std::mem::forget(whole::<P>().await);
    };
    (LEAVES, Box::pin(work))
}

async fn tree_stop<P: Prototype>() -> Row {
    end::<P>(whole::<P>().await).await;
    gone().await;
    let tree = whole::<P>().await;
    let work = async {
        end::<P>(tree).await;
        gone().await;
    };
    (LEAVES, Box::pin(work))
}

/// Runs the measured phase. Callgrind counts between the entry of this function and its end.
#[unsafe(no_mangle)]
#[inline(never)]
fn measured(runtime: &Runtime, work: Work) {
    runtime.block_on(work);
}

async fn prepare<P: Prototype>(row: &str) -> Option<Row> {
    Some(match row {
        "tell_unbounded" => tells::<P>(None).await,
        "tell_bounded" => tells::<P>(Some(1024)).await,
        "ask" => asks::<P>().await,
        "spawn" => spawns::<P>().await,
        "stop" => stops::<P>().await,
        "restart_error" => restarts::<P>(1_000, Fail::Error).await,
        "restart_panic" => restarts::<P>(500, Fail::Panic).await,
        "restart_group" => groups::<P>().await,
        "tree_start" => tree_start::<P>().await,
        "tree_stop" => tree_stop::<P>().await,
        _ => return None,
    })
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    std::panic::set_hook(Box::new(|_| ()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let row = runtime.block_on(async {
        match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["lean", row] => prepare::<Lean>(row).await,
            ["floor", row] => prepare::<Floor>(row).await,
            _ => None,
        }
    });
    let Some((n, work)) = row else {
        eprintln!("usage: prototypes lean|floor ROW; run.py names the rows");
        return ExitCode::from(2);
    };
    measured(&runtime, work);
    println!("{n}");
    std::process::exit(0)
}
