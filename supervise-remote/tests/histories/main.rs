//! Random histories of remote children, and many of them: S56 to S62.
//!
//! `HISTORIES` sets how many histories are walked (200), `SEED` the first of their seeds, `THREADS_SECONDS` how long walks
//! run on several threads (4), `MANY` the number of children on ten nodes (500).

mod many;
mod threads;
mod walk;
mod world;

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use crate::walk::Walk;
use crate::world::World;

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Planned panics are not printed.
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            let owned = info.payload().downcast_ref::<String>().map_or(text, String::as_str);
            if !owned.starts_with("planned") {
                loud(info);
            }
        }));
    });
}

/// Runs one history. An error says what is wrong, after all steps.
fn history(seed: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let mut world = None;
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let new = World::new(seed, true);
            world = Some(new.clone());
            Walk::run(new).await;
        });
    }));
    drop(runtime);
    let world = world.expect("it was made");
    if ran.is_err() {
        world.wrong("the history panics");
    }
    let wrong = world.all_wrong();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n\nseed {seed}:\n  {}", world.log(), wrong.join("\n  ")))
}

/// Random histories keep S57, S59, S61 and S62. `HISTORIES` many from the seed `SEED` on, 200 from 0 on by default; a
/// failing one prints its seed and its steps.
/// `SEED=n HISTORIES=1` repeats one, except for the order in which maps are read.
#[test]
fn random_histories() {
    quiet();
    let (first, many) = (number("SEED", 0), number("HISTORIES", 200));
    let next = AtomicU64::new(first);
    let failed: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while failed.lock().unwrap().is_empty() {
                    let seed = next.fetch_add(1, SeqCst);
                    if seed >= first + many {
                        return;
                    }
                    if let Err(why) = history(seed) {
                        failed.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    if let Some(why) = failed.into_inner().unwrap().first() {
        panic!("{why}");
    }
}
