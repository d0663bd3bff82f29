//! The memory of remote children: `cargo run --release --example tree_size [CHILDREN]` starts as many, 10,000 by default, on a
//! node in a process of its own, and prints the bytes for each at the owner and on the node: those that are allocated, and
//! those of the processes. Then it stops them, and prints what is left.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::Net;
use supervise_remote_zenoh::{Settings, Zenoh};

struct Counting;

static LIVE: AtomicI64 = AtomicI64::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

#[expect(unsafe_code, reason = "counts what the system's allocator gives")]
// SAFETY: each call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size as i64 - layout.size() as i64, Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// The bytes of this process: allocated, and resident.
fn bytes() -> [i64; 2] {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: i64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    [LIVE.load(Relaxed), pages * 4096]
}

/// Tells the bytes of the process that it runs in.
struct Meter;

#[derive(Serialize, Deserialize)]
struct Measure(Reply<[i64; 2]>);

#[actor]
impl Meter {
    fn handle(&mut self, Measure(reply): Measure) {
        reply.send(bytes());
    }
}

struct Session {
    hits: u64,
}

#[derive(Serialize, Deserialize)]
struct Hit(Reply<u64>);

#[actor]
impl Session {
    fn handle(&mut self, Hit(reply): Hit) {
        self.hits += 1;
        reply.send(self.hits);
    }
}

supervisor! {
    struct Shop {
        #![on("worker", lease = 5s)]
        meter: remote Meter = Meter,
        sessions: [u64 => remote Session] = |hits: u64| Session { hits },
    }
}

struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn serve(port: &str) {
    let wire = Zenoh::open(Settings::new("one").connect([format!("127.0.0.1:{port}")])).await.expect("a network");
    let input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    Shop::node("worker").serve(Net::open(wire), input_ends).await.expect("a join");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, port] = &words[..]
        && role == "node"
    {
        return serve(port).await;
    }
    let count: u64 = words.first().map_or(10_000, |count| count.parse().expect("a number"));
    let port = (10_000 + std::process::id() % 20_000).to_string();
    let wire = Zenoh::open(Settings::new("owner").listen([format!("127.0.0.1:{port}")])).await.expect("a network");
    let net = Net::open(wire).fresh();
    let program = std::env::current_exe().expect("this program");
    let _node = Node(Command::new(program).args(["node", &port]).stdin(Stdio::piped()).spawn().expect("a process"));
    let shop = Shop::tree().on(net.clone()).start().await.expect("a tree");
    let node = async || shop.meter.ask(Measure).await.expect("an answer");
    let spawn = async |keys: std::ops::Range<u64>| {
        let mut spawned = tokio::task::JoinSet::new();
        for key in keys {
            if spawned.len() == 256 {
                spawned.join_next().await.expect("there are some").expect("no panic");
            }
            let sessions = shop.sessions.clone();
            spawned.spawn(async move { drop(sessions.spawn(key).await.expect("a session")) });
        }
        spawned.join_all().await;
    };
    // Memory that is taken once is not counted for a child.
    spawn(0..10).await;
    for round in ["first", "second"] {
        let before = [bytes(), node().await];
        let begun = Instant::now();
        spawn(10..count + 10).await;
        let took = begun.elapsed();
        for key in [10, count / 2 + 10, count + 9] {
            let session = shop.sessions.get(&key).expect("it was spawned");
            assert_eq!(session.ask(Hit).await.expect("an answer"), key + 1);
        }
        let with = [bytes(), node().await];
        let each = |at: usize, of: usize| (with[at][of] - before[at][of]) as f64 / count as f64;
        println!(
            "{round}: {count} children in {took:.1?}; each takes {:.0} bytes at the owner and {:.0} on the node, resident {:.0} and {:.0}",
            each(0, 0),
            each(1, 0),
            each(0, 1),
            each(1, 1)
        );
        for key in 10..count + 10 {
            shop.sessions.stop(&key);
        }
        while shop.sessions.len() > 10 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // The owner looks for what is over every ten seconds.
        tokio::time::sleep(Duration::from_secs(12)).await;
        let after = [bytes(), node().await];
        println!(
            "{round}: after their end {} bytes are left at the owner, {} on the node",
            after[0][0] - before[0][0],
            after[1][0] - before[1][0]
        );
    }
    shop.shutdown().await;
    net.close().await;
}
