//! The clock of leases: tokio's, plus the time that the machine was suspended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) use supervise_core::base::clock::{Moment, Term};

/// The longest time that a wait sleeps before it looks again. A timer does not count suspended time, so a wait for the
/// end of a lease must not rely on one timer alone.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

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
        match &self.simulated {
            Some(nanos) => Moment::after_suspensions(Duration::from_nanos(nanos.load(Ordering::SeqCst))),
            None => Moment::now(),
        }
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
