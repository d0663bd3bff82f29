//! Limits that cannot be reached because of the restart delays (rule C6). The macro does the same calculation on
//! literals, and cannot share this code: a proc-macro crate exports only macros, and does not depend on the runtime.

use std::time::Duration;

use super::Contradiction;
use crate::decide::pace::LEAST;
use crate::values::backoff::Backoff;

/// The number of different delays that are checked. A factor close to 1 has more of them; such a setting is not checked
/// further.
const STEPS: u32 = 1_000;

/// Checks whether `max + 1` failures of these members can follow each other within that time.
pub(super) fn reached<'a>(
    members: impl IntoIterator<Item = Option<&'a Backoff>>,
    max: u32,
    within: Duration,
) -> Result<(), Contradiction> {
    let delays: Option<Vec<Delays>> = members.into_iter().map(Delays::of).collect();
    let Some(mut delays) = delays.filter(|delays| !delays.is_empty() && max > 0) else { return Ok(()) };
    let (mut least, mut left, mut steps) = (0.0, max, 0);
    while left > 0 {
        steps += 1;
        if steps > STEPS {
            return Ok(());
        }
        let Some(next) = delays.iter_mut().min_by(|a, b| a.next().total_cmp(&b.next())) else { break };
        let wait = next.next();
        next.count += 1;
        // If the next delay is not longer, this member has the shortest delay for all the failures that are left.
        let times = if next.next() <= wait { left } else { 1 };
        (least, left) = (least + wait * f64::from(times), left - times);
    }
    if least < within.as_secs_f64() {
        return Ok(());
    }
    let least = Duration::try_from_secs_f64(least).unwrap_or(Duration::MAX);
    Err(Contradiction::NeverReached { failures: u64::from(max) + 1, least, within })
}

/// The delays without jitter, in seconds.
struct Delays {
    min: f64,
    max: f64,
    factor: f64,
    /// The shortest time in which the delay can start over: the uptime that a reset needs, plus `min`.
    reset: f64,
    count: i32,
}

impl Delays {
    /// Returns `None` if there is no shortest delay: the delay of a slot can be close to zero.
    fn of(backoff: Option<&Backoff>) -> Option<Self> {
        let least = LEAST.as_secs_f64();
        match backoff {
            None => Some(Delays { min: least, max: least, factor: 1.0, reset: least, count: 0 }),
            Some(Backoff::Exponential(backoff)) => {
                let (min, max) = (backoff.min.as_secs_f64(), backoff.max.as_secs_f64());
                let reset = backoff.reset_after().unwrap_or_default().as_secs_f64() + min;
                Some(Delays { min, max, factor: backoff.factor, reset, count: 0 })
            }
            Some(Backoff::Slotted(_)) => None,
        }
    }

    fn next(&self) -> f64 {
        (self.min * self.factor.powi(self.count)).min(self.max).min(self.reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::backoff::ExponentialBackoff;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_built_in_pace_is_known_without_counting() {
        let never = reached([None], u32::MAX, HOUR);
        assert!(matches!(never, Err(Contradiction::NeverReached { failures: 4_294_967_296, .. })), "{never:?}");
        assert_eq!(reached([None], 359_999, HOUR), Ok(()));
        assert!(reached([None], 360_000, HOUR).is_err());
    }

    #[test]
    fn a_grown_delay_stays() {
        let backoff = Backoff::Exponential(ExponentialBackoff::new(HOUR / 60, HOUR).reset(crate::Reset::Auto(HOUR)));
        let day = |restarts| reached([Some(&backoff)], restarts, HOUR * 24);
        // 1 + 2 + 4 + 8 + 16 + 32 minutes, then an hour each.
        assert_eq!(day(6 + 22), Ok(()));
        assert!(day(6 + 23).is_err());
    }

    #[test]
    fn a_group_goes_on_with_whoever_waits_least() {
        let quick = Backoff::Exponential(ExponentialBackoff::new(HOUR / 60, HOUR / 60));
        let slow = Backoff::Exponential(ExponentialBackoff::new(HOUR, HOUR));
        assert_eq!(reached([Some(&slow), Some(&quick)], 59, HOUR), Ok(()));
        assert!(reached([Some(&slow), Some(&quick)], 60, HOUR).is_err());
    }
}
