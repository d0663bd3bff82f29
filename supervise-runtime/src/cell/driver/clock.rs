//! Points in time, whatever duration a user has written.

use std::time::Duration;

use tokio::time::Instant;

/// What can be waited for instead of what is too far away to be named.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// `now + time`, or in thirty years where that cannot be said.
pub(crate) fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time).unwrap_or_else(|| now + FAR)
}
