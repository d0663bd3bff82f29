use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use supervise::BoxError;
use supervise::prelude::*;
use tokio::task::spawn_blocking;
use tokio::time::MissedTickBehavior;

use crate::journal::{Journal, JournalCalls};

/// Takes 300 ms of a core.
fn compute() -> u64 {
    let begun = Instant::now();
    let mut sum = 0_u64;
    while begun.elapsed() < Duration::from_millis(300) {
        for n in 0..10_000_u64 {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(n));
        }
    }
    sum
}

/// Computes every 2 s.
pub async fn run(cx: TaskContext, journal: ActorRef<Journal>) -> Result<(), BoxError> {
    let mut clock = tokio::time::interval(Duration::from_secs(2));
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = cx.stopped() => return Ok(()),
            _ = clock.tick() => {}
        }
        match spawn_blocking(compute).await {
            Ok(sum) => journal.computed(sum).forget().await?,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(error) => return Err(error.into()),
            },
        }
    }
}
