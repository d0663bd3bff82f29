//! `peers plan` lists all measurements, `peers run BENCH RUNTIME SYSTEM` makes one of them in
//! this process and prints `bench runtime system metric value` lines, and `peers report FILE`
//! turns such lines, each after the number of its round, into markdown.
//!
//! PEERS_SCALE scales the number of operations; with PEERS_COUNT set, allocations are counted instead of time measured.
//! Without the feature `others`, only the systems that need no other actor crate are there.

mod harness;
#[cfg(feature = "others")]
mod queues;
#[cfg(feature = "others")]
mod replies;
mod report;
#[cfg(feature = "others")]
mod stack;
mod swap;
mod sys;
#[cfg(feature = "others")]
mod vyukov;

use std::sync::atomic::Ordering::*;
use std::time::Duration;

use harness::{ALLOCS, COUNTING, Fail, System};

#[global_allocator]
static ALLOCATOR: harness::Counting = harness::Counting;

const SYSTEMS: [&str; 15] = [
    "limit",
    "bare",
    "lean",
    "floor",
    "ours",
    "ractor",
    "kameo",
    "actix",
    "xtra",
    "coerce",
    "speare",
    "ractor-sup",
    "task-sup",
    "bastion",
    "otp",
];

const BENCHES: [&str; 21] = [
    "tell-1-unbounded",
    "tell-1-bounded",
    "tell-4-unbounded",
    "tell-4-bounded",
    "ask-1",
    "ask-64",
    "ask-1-deadline",
    "ask-64-deadline",
    "spawn-100k",
    "spawn-1m",
    "restart-error",
    "restart-panic",
    "restart-error-hot",
    "restart-panic-hot",
    "group-10",
    "group-100",
    "group-1000",
    "group-10-hot",
    "group-100-hot",
    "tree",
    "ring",
];

#[cfg(feature = "others")]
const QUEUE_BENCHES: [&str; 4] = ["queue-1-unbounded", "queue-1-bounded", "queue-4-unbounded", "queue-4-bounded"];

const RUNTIMES: [&str; 2] = ["current", "multi2"];

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plan"] => plan(),
        ["run", bench, runtime, system] => measure(bench, runtime, system),
        ["report", file] => report::print(file),
        _ => panic!("see the head of src/main.rs"),
    }
}

fn plan() {
    for runtime in RUNTIMES {
        for bench in BENCHES {
            SYSTEMS.iter().for_each(|system| println!("{bench} {runtime} {system}"));
        }
        #[cfg(feature = "others")]
        for bench in QUEUE_BENCHES {
            queues::NAMES.iter().for_each(|queue| println!("{bench} {runtime} {queue}"));
        }
        #[cfg(feature = "others")]
        replies::NAMES.iter().for_each(|reply| println!("reply {runtime} {reply}"));
    }
}

fn scaled(n: u64) -> u64 {
    let scale = std::env::var("PEERS_SCALE").map_or(1.0, |scale| scale.parse().unwrap());
    ((n as f64 * scale) as u64 / 64 * 64).max(64)
}

/// The number of actors to spawn: all, unless the run only shows that everything works.
fn spawned(n: u64) -> u64 {
    n.min(scaled(100 * n))
}

fn per_op(run: Option<harness::Run>) -> Vec<(&'static str, f64)> {
    run.map_or(vec![], |run| vec![("ns", run.time.as_nanos() as f64 / run.ops as f64), ("ops", run.ops as f64)])
}

/// The time that an ask with a deadline has.
const DEADLINE: Duration = Duration::from_secs(5);

/// The actors of a pool. The restarts of one round take more than 10 ms, for which `ours` lets a restarted child wait.
const POOL: u64 = 20_000;

/// The groups of a pool.
fn groups(siblings: u64) -> u64 {
    (POOL / siblings).clamp(40, 2_000)
}

/// One bench of one system, as metrics by name.
async fn bench<S: System>(bench: String) -> Vec<(&'static str, f64)> {
    let cap = bench.ends_with("-bounded").then_some(1024);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    match bench.as_str() {
        "tell-1-unbounded" | "tell-1-bounded" => per_op(S::tell(cap, 1, scaled(5_000_000)).await),
        "tell-4-unbounded" | "tell-4-bounded" => per_op(S::tell(cap, 4, scaled(5_000_000)).await),
        "ask-1" => per_op(S::ask(scaled(500_000), 1, None).await),
        "ask-64" => per_op(S::ask(scaled(1_000_000), 64, None).await),
        "ask-1-deadline" => per_op(S::ask(scaled(500_000), 1, Some(DEADLINE)).await),
        "ask-64-deadline" => per_op(S::ask(scaled(1_000_000), 64, Some(DEADLINE)).await),
        "spawn-100k" | "spawn-1m" => {
            let n = spawned(if bench == "spawn-1m" { 1_000_000 } else { 100_000 });
            S::spawn(n).await.map_or(vec![], |s| {
                let n = s.n as f64;
                vec![
                    ("spawn-ns", s.spawn.as_nanos() as f64 / n),
                    ("stop-ns", s.stop.as_nanos() as f64 / n),
                    ("rss-bytes", s.rss as f64 / n),
                    ("heap-bytes", s.heap as f64 / n),
                    ("ops", n),
                ]
            })
        }
        "restart-error" => per_op(S::restart(POOL, scaled(200_000), Fail::Error).await),
        "restart-panic" => per_op(S::restart(POOL, scaled(200_000), Fail::Panic).await),
        "restart-error-hot" => per_op(S::restart(1, scaled(200_000), Fail::Error).await),
        "restart-panic-hot" => per_op(S::restart(1, scaled(200_000), Fail::Panic).await),
        "group-10" => per_op(S::group(groups(10), 10, scaled(20_000)).await),
        "group-100" => per_op(S::group(groups(100), 100, scaled(3_000)).await),
        "group-1000" => per_op(S::group(groups(1000), 1000, scaled(500)).await),
        "group-10-hot" => per_op(S::group(1, 10, scaled(20_000)).await),
        "group-100-hot" => per_op(S::group(1, 100, scaled(3_000)).await),
        "tree" => S::tree([10, 10, 100])
            .await
            .map_or(vec![], |tree| vec![("start-ms", ms(tree.start)), ("stop-ms", ms(tree.stop)), ("ops", 10_000.0)]),
        "ring" => per_op(S::ring(1000, scaled(1000)).await),
        _ => panic!("no bench {bench}"),
    }
}

fn runtime(name: &str) -> tokio::runtime::Runtime {
    let mut builder = match name {
        "current" => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.worker_threads(2).enable_all().build().unwrap()
}

fn on_tokio<T: Send + 'static>(name: &str, work: impl Future<Output = T> + Send + 'static) -> T {
    runtime(name).block_on(async { tokio::spawn(work).await.unwrap() })
}

fn measure(name: &str, runtime: &str, system: &str) {
    COUNTING.store(std::env::var_os("PEERS_COUNT").is_some(), Relaxed);
    let before = ALLOCS.load(SeqCst);
    let work = name.to_string();
    let metrics = match system {
        #[cfg(feature = "others")]
        _ if name.starts_with("queue-") => {
            let cap = name.ends_with("-bounded").then_some(1024);
            let producers = if name.starts_with("queue-4") { 4 } else { 1 };
            let n = scaled(5_000_000);
            per_op(on_tokio(runtime, queues::tell(system.to_string(), cap, producers, n)))
        }
        #[cfg(feature = "others")]
        _ if name == "reply" => per_op(on_tokio(runtime, replies::ask(system.to_string(), scaled(500_000)))),
        "limit" => on_tokio(runtime, bench::<sys::limit::Limit>(work)),
        "bare" => on_tokio(runtime, bench::<sys::limit::Bare>(work)),
        "lean" => on_tokio(runtime, bench::<sys::lean::Lean>(work)),
        "floor" => on_tokio(runtime, bench::<sys::floor::Floor>(work)),
        "ours" => on_tokio(runtime, bench::<sys::ours::Ours>(work)),
        #[cfg(feature = "others")]
        "ractor" => on_tokio(runtime, bench::<sys::ractor::Ractor>(work)),
        #[cfg(feature = "others")]
        "kameo" => on_tokio(runtime, bench::<sys::kameo::Kameo>(work)),
        #[cfg(feature = "others")]
        "xtra" => on_tokio(runtime, bench::<sys::xtra::Xtra>(work)),
        #[cfg(feature = "others")]
        "coerce" => on_tokio(runtime, bench::<sys::coerce::Coerce>(work)),
        #[cfg(feature = "others")]
        "speare" => on_tokio(runtime, bench::<sys::speare::Speare>(work)),
        #[cfg(feature = "others")]
        "ractor-sup" => on_tokio(runtime, bench::<sys::ractor_sup::RactorSup>(work)),
        #[cfg(feature = "others")]
        "task-sup" => on_tokio(runtime, bench::<sys::task_sup::TaskSup>(work)),
        #[cfg(feature = "others")]
        "bastion" if runtime == "current" => vec![],
        #[cfg(feature = "others")]
        "bastion" => on_tokio(runtime, bench::<sys::bastion::Bastions>(work)),
        #[cfg(feature = "others")]
        "actix" => {
            sys::actix::ARBITER.store(runtime == "multi2", Relaxed);
            actix::System::new().block_on(bench::<sys::actix::Actix>(work))
        }
        _ => panic!("no system {system}"),
    };
    let allocs = (ALLOCS.load(SeqCst) - before) as f64;
    let ops = metrics.iter().find(|(metric, _)| *metric == "ops").map_or(1.0, |(_, ops)| *ops);
    let counting = COUNTING.load(Relaxed);
    for (metric, value) in metrics {
        if counting == (metric == "heap-bytes") && metric != "ops" {
            println!("{name} {runtime} {system} {metric} {value:.1}");
        }
    }
    if counting && allocs > 0.0 && ops > 1.0 {
        println!("{name} {runtime} {system} allocs {:.2}", allocs / ops);
    }
    // Exit without dropping the remaining actors.
    std::process::exit(0);
}
