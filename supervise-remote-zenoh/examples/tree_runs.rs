//! The memory of runs: `cargo run --release --example tree_runs [RUNS] [net|session]` starts a tree and takes it down as often, 1,000
//! times by default, on one network, and prints the bytes that are allocated and resident after each tenth part. Its child runs on a node in a
//! process of its own.
//!
//! `net` opens a network for each run as well, and `session` opens and closes networks without a tree, so that memory which goes with
//! a connection is told apart from memory which stays.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::Net;
use supervise_remote_zenoh::{OpenError, Settings, Zenoh};

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

struct Counter;

#[derive(Serialize, Deserialize)]
struct Ask(Reply<u64>);

#[actor]
impl Counter {
    fn handle(&mut self, Ask(reply): Ask) {
        reply.send(1);
    }
}

supervisor! {
    struct Shop {
        #[on("worker", lease = 5s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        counter: remote Counter = Counter,
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

async fn open(port: &str) -> Net {
    loop {
        match Zenoh::open(Settings::new("owner").listen([format!("127.0.0.1:{port}")])).await {
            Ok(wire) => return Net::open(wire).peers(["one"]),
            // The socket of the network before closes a moment after its network.
            Err(OpenError::InUse { .. }) => tokio::time::sleep(Duration::from_millis(5)).await,
            Err(error) => panic!("a network: {error}"),
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, port] = &words[..]
        && role == "node"
    {
        return serve(port).await;
    }
    let runs: u64 = words.first().map_or(1000, |runs| runs.parse().expect("a number"));
    let opens = words.get(1).map(String::as_str).unwrap_or_default();
    let port = (10_000 + std::process::id() % 20_000).to_string();
    let program = std::env::current_exe().expect("this program");
    let _node = Node(Command::new(program).args(["node", &port]).stdin(Stdio::piped()).spawn().expect("a process"));
    let mut net = open(&port).await;
    let (mut begun, mut before) = (Instant::now(), bytes());
    // The first ten take what is taken once.
    for run in 1..=runs + 10 {
        if opens != "session" {
            let shop = Shop::tree().on(net.clone()).start().await.expect("a tree");
            shop.counter.ask(Ask).await.expect("an answer");
            shop.shutdown().await;
        }
        if !opens.is_empty() {
            net.close().await;
            drop(net);
            net = open(&port).await;
        }
        if run == 10 {
            (begun, before) = (Instant::now(), bytes());
            println!("after 10 runs {} bytes are allocated, and {} are resident", before[0], before[1]);
        } else if run > 10 && (run - 10) % (runs / 10).max(1) == 0 {
            let now = bytes();
            println!(
                "{} more runs in {:.1?}: {:+} bytes allocated, {:+} resident",
                run - 10,
                begun.elapsed(),
                now[0] - before[0],
                now[1] - before[1]
            );
        }
    }
    net.close().await;
}
