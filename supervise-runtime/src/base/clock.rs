//! Points in time, safe for any duration that a user writes.

use std::time::Duration;

use tokio::time::Instant;

/// The longest wait. Anything longer could overflow when it is added to a point in time.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// Returns `now + time`, limited to thirty years, so that `Duration::MAX` means no limit. This is the only place where
/// a time is added to a point in time; clippy finds every other.
pub(crate) fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time.min(FAR)).unwrap_or(now)
}

/// Returns whether the runtime is the one of the test: its clock stands at the same time, which only a clock that is
/// paused does.
#[cfg(feature = "testing")]
pub(crate) fn is_own_clock(runtime: &tokio::runtime::Handle) -> bool {
    let own = Instant::now();
    let _entered = runtime.enter();
    own == Instant::now()
}
