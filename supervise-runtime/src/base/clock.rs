//! Points in time, whatever duration a user has written.

use std::time::Duration;

use tokio::time::Instant;

/// As far away as anything is waited for. More could not be added to every point in time.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// `now + time`, thirty years at most: a `Duration::MAX` stands for no limit. The one place where a time is added to
/// a point in time; clippy finds every other.
pub(crate) fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time.min(FAR)).unwrap_or(now)
}
