//! The clock of leases: tokio's, plus the time that the machine was suspended.

use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The longest time that a wait sleeps before it looks again. A timer does not count suspended time, so a wait for the
/// end of a lease must not rely on one timer alone.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A point in time that counts suspended time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(Instant);

impl Moment {
    /// Returns the time from `earlier` to this moment, zero if it is later.
    pub(crate) fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        // A time beyond the clock's range is as good as for ever.
        const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
        Moment(self.0.checked_add(time.min(FAR)).unwrap_or(self.0))
    }
}

/// Reads the time of a process.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// In a simulated process, the nanoseconds that its machine was suspended.
    simulated: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// Makes the clock of a simulated process, whose machine was never suspended yet.
    pub(crate) fn simulated() -> Clock {
        Clock { simulated: Some(Arc::default()) }
    }

    /// Suspends the machine of a simulated process for this time.
    pub(crate) fn suspend(&self, time: Duration) {
        if let Some(simulated) = &self.simulated {
            simulated.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::SeqCst);
        }
    }

    pub(crate) fn is_simulated(&self) -> bool {
        self.simulated.is_some()
    }

    pub(crate) fn now(&self) -> Moment {
        let suspended = match &self.simulated {
            Some(nanos) => Duration::from_nanos(nanos.load(Ordering::SeqCst)),
            None => supervise_runtime::remote::suspended(),
        };
        Moment(Instant::now()) + suspended
    }

    /// Waits until this moment.
    pub(crate) async fn sleep_until(&self, until: Moment) {
        loop {
            let left = until.since(self.now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(LOOK_AGAIN)).await;
        }
    }
}
