//! Whole trees under random operations from several tasks at once, on more than one worker thread.
//!
//! Everything else in the tests runs on the paused clock and one thread, where a run can be repeated to the letter. Here
//! threads race, so a seed repeats what is drawn and not what happens; a find is written down as a test of its own, in
//! `tests/behaviour` or `verify/model`.
//!
//! `THREADS_SECONDS` says for how long the walks go on (10), `THREADS_DROPS` how many runtimes are dropped in the middle
//! (100), `THREADS_STARTS` how often a start by hand races with an end (2,000), `THREADS_REPORTS` how many trees are
//! stopped to read their reports (5,000), `SEED` what is drawn.

#![allow(unreachable_pub)] // modules of one test crate share helpers

mod dropped_runtimes;
mod reports;
mod requested_starts;
mod tree;
mod walks;
mod world;

use std::time::Duration;

/// Runs `work` on a thread of its own, and fails the test if it has not come back in time: a deadlock is to be a failure
/// with a name and a seed, and not a run that hangs.
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

/// The panics on worker threads that nobody has ordered: those of the library, which heals them like all others.
static PANICS: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

/// Says nothing of the panics that are ordered.
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            let owned = info.payload().downcast_ref::<String>().map_or(text, String::as_str);
            // An `assert!` of the tests themselves panics outside of every worker.
            let worker = std::thread::current().name().is_some_and(|name| name.starts_with("tokio"));
            if !owned.starts_with("told") {
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
