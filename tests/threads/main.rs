//! Whole trees under random operations from several tasks at once, on more than one worker thread.
//!
//! All other tests run on the paused clock and one thread, where a run can be repeated exactly. Here threads race, so a
//! seed repeats the random numbers and not the events. When a test finds a bug, write a deterministic test for it in
//! `tests/behaviour`, `tests/interface` or `verify/model`.
//!
//! `THREADS_SECONDS` sets how long the random walks run (10), `THREADS_DROPS` how many runtimes are dropped while
//! everything is running (100), `THREADS_STARTS` how often a requested start races with an end (2,000),
//! `THREADS_REPORTS` how many trees are stopped to read their reports (5,000), `THREADS_FIRST_STARTS` how many trees start
//! without some of their children (500), and `SEED` the random numbers.

#![allow(unreachable_pub)] // modules of one test crate share helpers

mod dropped_runtimes;
mod first_starts;
mod reports;
mod requested_starts;
mod tree;
mod walks;
mod world;

use std::time::Duration;

/// Runs `work` on a separate thread, and fails the test if it has not returned in time: a deadlock must be a failure
/// with a name and a seed, not a run that hangs.
fn within(limit: Duration, what: &str, work: impl FnOnce() + Send + 'static) {
    quiet();
    let (done, over) = std::sync::mpsc::channel();
    let worker = std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    match over.recv_timeout(limit) {
        Ok(()) => {
            worker.join().unwrap();
            let panics = PANICS.lock().unwrap();
            assert!(panics.is_empty(), "{what}: {}", panics.join("\n"));
        }
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("{what} did not end within {limit:?}"),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The unplanned panics on worker threads: those of the library, which handles them like all other panics.
static PANICS: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

/// Suppresses the output of planned panics.
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            let owned = info.payload().downcast_ref::<String>().map_or(text, String::as_str);
            // An `assert!` of the tests themselves panics outside every worker thread.
            let worker = std::thread::current().name().is_some_and(|name| name.starts_with("tokio"));
            if !owned.starts_with("planned") {
                if worker {
                    PANICS.lock().unwrap().push(info.to_string());
                }
                loud(info);
            }
        }));
    });
}

fn runtime(workers: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap()
}
