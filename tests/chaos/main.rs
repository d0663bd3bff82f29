//! Trees of every shape and setting under `supervise::testing::chaos`, and the tests of that tool itself.
//!
//! `CHAOS_SEEDS` sets how many seeds each test of [`shapes`] runs on the paused clock; for each hundred of them there is
//! one on two workers and one on four. `CHAOS_SEED` sets the first million of the seeds.

#![allow(missing_docs, unreachable_pub)] // modules of one test crate share helpers

mod follow;
mod kit;
mod shapes;
mod world;

use std::time::Duration;

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The seeds of a test: `CHAOS_SEEDS` of them, from the million `CHAOS_SEED` on. The default is fixed, so that the gate
/// repeats itself.
pub fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = number("CHAOS_SEED", 0).wrapping_mul(1_000_000);
    first..first + number("CHAOS_SEEDS", default)
}

/// Keeps planned panics out of the output.
pub fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            if !text.starts_with("planned") && text != "a lease with a bug" {
                loud(info);
            }
        }));
    });
}
