//! Shared parts of all benchmarks: the trait that a system implements, gates that count actor starts and stops, a
//! counting allocator and the memory meter.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::*};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

#[derive(Clone, Copy, Debug)]
pub enum Fail {
    Error,
    Panic,
}

/// `ops` operations took `time`.
pub struct Run {
    pub ops: u64,
    pub time: Duration,
}

pub struct Spawned {
    pub n: u64,
    pub spawn: Duration,
    pub stop: Duration,
    pub rss: i64,
    pub heap: i64,
}

pub struct Tree {
    pub start: Duration,
    pub stop: Duration,
}

/// One system under test. `None`: the system does not have this feature.
#[allow(async_fn_in_trait)]
pub trait System {
    async fn tell(_cap: Option<usize>, _producers: u64, _n: u64) -> Option<Run> {
        None
    }
    /// Each of `n` asks has this deadline, or waits forever.
    async fn ask(_n: u64, _in_flight: u64, _deadline: Option<Duration>) -> Option<Run> {
        None
    }
    async fn spawn(_n: u64) -> Option<Spawned> {
        None
    }
    /// The restarts go round a pool of so many supervised children; a pool of one stays in the cache.
    async fn restart(_pool: u64, _n: u64, _fail: Fail) -> Option<Run> {
        None
    }
    /// The restarts go round so many groups.
    async fn group(_groups: u64, _siblings: u64, _n: u64) -> Option<Run> {
        None
    }
    async fn tree(_width: [u64; 3]) -> Option<Tree> {
        None
    }
    async fn ring(_actors: u64, _rounds: u64) -> Option<Run> {
        None
    }
}

/// Awaits an answer with a timer of tokio, for systems whose asks have no deadline of their own.
pub async fn within<T>(deadline: Option<Duration>, answer: impl Future<Output = T>) -> T {
    match deadline {
        None => answer.await,
        Some(time) => tokio::time::timeout(time, answer).await.expect("an answer in time"),
    }
}

/// Splits `n` operations over `clients` tasks, each with its own clone of a handle. Unbounded producers yield every
/// 1,024 sends, so that mailboxes stay short.
#[macro_export]
macro_rules! clients {
    ($clients:expr, $n:expr, yielding: $yielding:expr, $handle:expr, |$h:ident, $i:ident| $op:expr) => {{
        let each = $n / $clients;
        let yielding = $yielding;
        let tasks: Vec<_> = (0..$clients)
            .map(|_| {
                #[allow(unused_mut)]
                let mut $h = $handle.clone();
                tokio::spawn(async move {
                    for $i in 0..each {
                        $op;
                        if yielding && $i % 1024 == 1023 {
                            tokio::task::yield_now().await;
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }};
}

/// Repeats an operation `n` times or until a second has passed.
#[macro_export]
macro_rules! repeat {
    ($n:expr, |$i:ident| $op:expr) => {{
        let start = std::time::Instant::now();
        let mut ops = 0u64;
        while ops < $n && (ops % 8 != 0 || start.elapsed().as_secs() < 1) {
            let $i = ops;
            $op;
            ops += 1;
        }
        $crate::harness::Run { ops, time: start.elapsed() }
    }};
}

/// Counts events and wakes one waiter when the awaited count is reached.
pub struct Gate {
    count: AtomicU64,
    target: AtomicU64,
    reached: Notify,
}

impl Gate {
    const fn new() -> Self {
        Gate { count: AtomicU64::new(0), target: AtomicU64::new(u64::MAX), reached: Notify::const_new() }
    }

    pub fn hit(&self) {
        if self.count.fetch_add(1, SeqCst) + 1 == self.target.load(SeqCst) {
            self.reached.notify_one();
        }
    }

    pub fn get(&self) -> u64 {
        self.count.load(SeqCst)
    }

    pub async fn wait(&self, n: u64) {
        self.target.store(n, SeqCst);
        while self.count.load(SeqCst) < n {
            self.reached.notified().await;
        }
    }
}

pub static STARTS: Gate = Gate::new();
pub static STOPS: Gate = Gate::new();

/// A part of an actor's state that counts the actor's start and end.
pub struct Alive(());

impl Alive {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        STARTS.hit();
        Alive(())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        STOPS.hit();
    }
}

pub static COUNTING: AtomicBool = AtomicBool::new(false);
pub static ALLOCS: AtomicU64 = AtomicU64::new(0);
pub static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

/// The system allocator (or mimalloc), counting only while `COUNTING`.
pub struct Counting;

#[cfg(feature = "mimalloc")]
const INNER: mimalloc::MiMalloc = mimalloc::MiMalloc;
#[cfg(not(feature = "mimalloc"))]
const INNER: std::alloc::System = std::alloc::System;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTING.load(Relaxed) {
            ALLOCS.fetch_add(1, Relaxed);
            LIVE_BYTES.fetch_add(layout.size() as i64, Relaxed);
        }
        unsafe { INNER.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        if COUNTING.load(Relaxed) {
            LIVE_BYTES.fetch_sub(layout.size() as i64, Relaxed);
        }
        unsafe { INNER.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNTING.load(Relaxed) {
            ALLOCS.fetch_add(1, Relaxed);
            LIVE_BYTES.fetch_add(size as i64 - layout.size() as i64, Relaxed);
        }
        unsafe { INNER.realloc(ptr, layout, size) }
    }
}

fn rss() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<i64>().unwrap() * 4096
}

/// Times spawning and stopping, and measures the memory of the spawned actors.
pub struct Meter {
    n: u64,
    rss: i64,
    heap: i64,
    at: Instant,
    spawn: Duration,
}

impl Meter {
    pub fn start(n: u64) -> Self {
        Meter { n, rss: rss(), heap: LIVE_BYTES.load(SeqCst), at: Instant::now(), spawn: Duration::ZERO }
    }

    pub async fn spawned(&mut self) {
        STARTS.wait(self.n).await;
        self.spawn = self.at.elapsed();
        self.rss = rss() - self.rss;
        self.heap = LIVE_BYTES.load(SeqCst) - self.heap;
        self.at = Instant::now();
    }

    pub async fn stopped(self) -> Option<Spawned> {
        STOPS.wait(self.n).await;
        Some(Spawned { n: self.n, spawn: self.spawn, stop: self.at.elapsed(), rss: self.rss, heap: self.heap })
    }
}

pub fn run(ops: u64, start: Instant) -> Option<Run> {
    Some(Run { ops, time: start.elapsed() })
}
