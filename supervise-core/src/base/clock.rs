//! Points in time, safe for any duration that a user writes.

use std::time::Duration;

use tokio::time::Instant;

/// The longest wait. Anything longer could overflow when it is added to a point in time.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// Returns `now + time`, limited to thirty years, so that `Duration::MAX` means no limit. This is the only place where
/// a time is added to a point in time; clippy finds every other.
#[inline]
pub fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time.min(FAR)).unwrap_or(now)
}

/// A moment, from which time is measured on tokio's clock and on one that goes on while the machine is suspended.
///
/// tokio's clock stands still during a suspension, on Linux and macOS. So what was read from it before a suspension says
/// nothing about the time of others. The second clock is read as a difference: how long the machine has been suspended since
/// it was started. On a paused clock nothing is added to the time of the test.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    at: Instant,
    suspended: Duration,
}

impl Moment {
    pub fn now() -> Self {
        Moment { at: Instant::now(), suspended: suspended() }
    }

    /// Returns the time since this moment, with the time during which the machine was suspended.
    pub fn elapsed(&self) -> Duration {
        self.to(Moment::now())
    }

    /// Returns the time from this moment to a later one.
    pub fn to(&self, later: Moment) -> Duration {
        let slept = later.suspended.saturating_sub(self.suspended);
        // Two clocks cannot be read at the same instant: a difference below `SLEPT` is the time between the two reads.
        let slept = if slept < SLEPT { Duration::ZERO } else { slept };
        later.at.saturating_duration_since(self.at).saturating_add(slept)
    }
}

/// The shortest suspension that counts.
const SLEPT: Duration = Duration::from_millis(20);

/// How often the clocks are read again, at most, if the thread was interrupted meanwhile.
#[cfg(target_os = "linux")]
const TRIES: usize = 16;

/// The time between the clocks that is as good as none.
#[cfg(target_os = "linux")]
const EXACT: Duration = Duration::from_micros(100);

/// Returns how long the machine has been suspended since it was started; zero where no clock says so.
pub fn suspended() -> Duration {
    #[cfg(target_os = "linux")]
    let slept = {
        use rustix::time::{ClockId, clock_gettime};
        let read = |id| {
            let now = clock_gettime(id);
            let secs = Duration::from_secs(u64::try_from(now.tv_sec).unwrap_or_default());
            secs.saturating_add(Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or_default()))
        };
        // A thread that is interrupted between two clocks would seem to have slept, so it reads them again.
        let mut best = (Duration::MAX, Duration::ZERO);
        for _ in 0..TRIES {
            let awake = read(ClockId::Monotonic);
            let all = read(ClockId::Boottime);
            let between = read(ClockId::Monotonic).saturating_sub(awake);
            best = best.min((between, all.saturating_sub(awake)));
            if between < EXACT {
                break;
            }
        }
        best.1
    };
    #[cfg(not(target_os = "linux"))]
    let slept = Duration::ZERO;
    #[cfg(feature = "testing")]
    let slept = slept.saturating_add(PRETENDED.get());
    slept
}

#[cfg(feature = "testing")]
std::thread_local! {
    /// The suspensions of a test.
    static PRETENDED: std::cell::Cell<Duration> = const { std::cell::Cell::new(Duration::ZERO) };
}

/// Lets it seem, on this thread, that the machine was suspended for this long.
#[cfg(feature = "testing")]
pub fn pretend_suspended(time: Duration) {
    PRETENDED.set(PRETENDED.get().saturating_add(time));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that is interrupted between two clocks must not seem to have slept.
    #[test]
    fn an_interrupted_thread_has_not_slept() {
        let spread = || {
            let reads = (0..200_000).map(|_| suspended());
            let (least, most) =
                reads.fold((Duration::MAX, Duration::ZERO), |(least, most), read| (least.min(read), most.max(read)));
            most.saturating_sub(least)
        };
        let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(spread)).collect();
        for thread in threads {
            let spread = thread.join().unwrap();
            assert!(spread < Duration::from_millis(1), "{spread:?}");
        }
    }
}
