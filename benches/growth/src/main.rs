//! `growth ROW RUNTIME SYSTEM X` makes one measurement in this process and prints `metric value` lines. `run.py` makes
//! the plots of them.
//!
//! ROW: failing, many, sessions, trees, depth, tells-unbounded, tells-bounded, latency-alone, latency-busy, control.
//! RUNTIME: current or multi2. SYSTEM: ours, or limit, which is the same work written manually on tokio. X: the number of
//! children, trees, levels or producers. GROWTH_MS is the time that a measurement of a rate takes (1000).

mod limit;
mod ours;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

pub type Metrics = Vec<(String, f64)>;

/// Counts events, and wakes the one that waits when the count is reached.
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

    pub async fn wait(&self, n: u64) {
        self.target.store(n, SeqCst);
        while self.count.load(SeqCst) < n {
            self.reached.notified().await;
        }
    }
}

/// Instances that have started, of any actor.
pub static STARTS: Gate = Gate::new();
/// Instances that are gone.
pub static STOPS: Gate = Gate::new();

/// A part of an instance, which counts its start and its end.
pub struct Alive(());

impl Alive {
    #[expect(clippy::new_without_default, reason = "an instance has begun")]
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

/// The time that a measurement of a rate takes.
pub fn period() -> Duration {
    Duration::from_millis(std::env::var("GROWTH_MS").map_or(1000, |ms| ms.parse().expect("milliseconds")))
}

/// The resident memory of this process.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: f64 = statm.split(' ').nth(1).expect("the resident pages").parse().expect("a number");
    pages * 4096.0
}

/// The nanoseconds for which this thread has had a processor. A busy machine does not change them much.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    stat.split(' ').next().expect("the time on a processor").parse().expect("a number")
}

/// Measures the start, the memory and the stop of `n` children.
pub struct Steps {
    n: f64,
    at: Instant,
    cpu: f64,
    memory: f64,
    metrics: Metrics,
}

impl Steps {
    pub fn new(n: u64) -> Self {
        Steps { n: n as f64, at: Instant::now(), cpu: cpu(), memory: resident(), metrics: Vec::new() }
    }

    /// The nanoseconds since the step before, for each child; with `-cpu`, those of this thread alone.
    pub fn done(&mut self, step: &str) {
        self.metrics.push((step.to_owned(), self.at.elapsed().as_nanos() as f64 / self.n));
        self.metrics.push((format!("{step}-cpu"), (cpu() - self.cpu) / self.n));
        if step == "start" {
            self.metrics.push(("bytes".to_owned(), (resident() - self.memory) / self.n));
        }
        (self.at, self.cpu) = (Instant::now(), cpu());
    }

    pub fn metrics(self) -> Metrics {
        self.metrics
    }
}

/// Operations a second.
pub fn rate(ops: u64, begun: Instant) -> Metrics {
    vec![("rate".to_owned(), ops as f64 / begun.elapsed().as_secs_f64())]
}

/// The percentiles of a latency, in microseconds, and the messages that the busy neighbours handled meanwhile.
pub fn percentiles(mut all: Vec<Duration>) -> Metrics {
    all.sort();
    let at = |share: f64| all[((all.len() as f64 * share) as usize).min(all.len() - 1)].as_nanos() as f64 / 1e3;
    let mut metrics: Metrics = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)]
        .map(|(name, share)| (name.to_owned(), at(share)))
        .into();
    metrics.push(("worked".to_owned(), WORKED.load(Relaxed) as f64 / all.len() as f64));
    metrics
}

/// The messages that busy neighbours have handled.
pub static WORKED: AtomicU64 = AtomicU64::new(0);

/// Work that takes a few microseconds, as that of a handler.
pub fn work() -> u64 {
    WORKED.fetch_add(1, Relaxed);
    (0..2_000).fold(0, |sum, n| std::hint::black_box(sum + n))
}

/// The messages that the busy neighbour always has.
pub const QUEUED: u64 = 1_000;

/// Messages that a producer sends before it lets others run, if nothing else makes it wait.
pub const BATCH: u64 = 1_024;

/// The bound of a bounded mailbox.
pub const BOUND: usize = 1_024;

async fn measure(row: String, system: String, x: u64) -> Metrics {
    let ours = match system.as_str() {
        "ours" => true,
        "limit" => false,
        _ => panic!("no system {system}"),
    };
    match (row.as_str(), ours) {
        ("failing", true) => ours::failing(x).await,
        ("failing", false) => limit::failing(x).await,
        ("many", true) => ours::many(x).await,
        ("many", false) => limit::many(x).await,
        ("sessions", true) => ours::sessions(x).await,
        ("sessions", false) => limit::sessions(x).await,
        ("trees", true) => ours::trees(x).await,
        ("trees", false) => limit::trees(x).await,
        ("depth", true) => ours::depth(x).await,
        ("depth", false) => limit::depth(x).await,
        ("tells-unbounded", true) => ours::tells(false, x).await,
        ("tells-unbounded", false) => limit::tells(None, x).await,
        ("tells-bounded", true) => ours::tells(true, x).await,
        ("tells-bounded", false) => limit::tells(Some(BOUND), x).await,
        ("latency-alone", true) => ours::latency(false).await,
        ("latency-alone", false) => limit::latency(false).await,
        ("latency-busy", true) => ours::latency(true).await,
        ("latency-busy", false) => limit::latency(true).await,
        ("control", true) => ours::control().await,
        _ => panic!("no row {row} of {system}"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [row, runtime, system, x] = &args[..] else { panic!("see the head of src/main.rs") };
    let mut builder = match runtime.as_str() {
        "current" => tokio::runtime::Builder::new_current_thread(),
        "multi2" => tokio::runtime::Builder::new_multi_thread(),
        _ => panic!("no runtime {runtime}"),
    };
    let runtime = builder.worker_threads(2).enable_all().build().expect("a runtime");
    let work = measure(row.clone(), system.clone(), x.parse().expect("a number"));
    for (metric, value) in runtime.block_on(async { tokio::spawn(work).await.expect("a measurement") }) {
        println!("{metric} {value:.3}");
    }
    // Skips the drop of what is left.
    std::process::exit(0);
}
