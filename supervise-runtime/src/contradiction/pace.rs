//! A limit that the pace of the restarts makes unreachable (rule C6).

use std::time::Duration;

use super::Contradiction;
use crate::backoff::{Backoff, ExponentialBackoff};
use crate::decide::pace::LEAST;

/// Past this many restarts nobody counts; to look further would take longer than it is worth.
const STEPS: u32 = 100_000;

/// Whether `max + 1` failures of these members can follow each other within that time.
pub(super) fn reached<'a>(
    members: impl IntoIterator<Item = Option<&'a Backoff>>,
    max: u32,
    within: Duration,
) -> Result<(), Contradiction> {
    let delays: Option<Vec<Delays>> = members.into_iter().map(Delays::of).collect();
    let Some(mut delays) = delays.filter(|delays| !delays.is_empty() && max > 0 && max <= STEPS) else { return Ok(()) };
    let mut least = 0.0;
    for _ in 0..max {
        let Some(next) = delays.iter_mut().min_by(|a, b| a.next().total_cmp(&b.next())) else { break };
        least += next.next();
        next.count += 1;
    }
    if least < within.as_secs_f64() {
        return Ok(());
    }
    let least = Duration::try_from_secs_f64(least).unwrap_or(Duration::MAX);
    Err(Contradiction::NeverReached { failures: u64::from(max) + 1, least, within })
}

/// Waits without jitter, in seconds.
struct Delays {
    min: f64,
    max: f64,
    factor: f64,
    /// Where the shortest way is to let the delay start over: the time up that this takes, and `min`.
    reset: f64,
    count: i32,
}

impl Delays {
    /// `None` where there is no least: a slot can be as good as none.
    fn of(backoff: Option<&Backoff>) -> Option<Self> {
        let least = LEAST.as_secs_f64();
        match backoff {
            None => Some(Delays { min: least, max: least, factor: 1.0, reset: least, count: 0 }),
            Some(Backoff::Exponential(ExponentialBackoff { min, max, factor, .. })) => {
                let reset = match backoff {
                    Some(Backoff::Exponential(backoff)) => backoff.reset_after().unwrap_or_default(),
                    _ => Duration::ZERO,
                };
                let (min, max) = (min.as_secs_f64(), max.as_secs_f64());
                Some(Delays { min, max, factor: *factor, reset: reset.as_secs_f64() + min, count: 0 })
            }
            Some(Backoff::Slotted(_)) => None,
        }
    }

    fn next(&self) -> f64 {
        (self.min * self.factor.powi(self.count)).min(self.max).min(self.reset)
    }
}
