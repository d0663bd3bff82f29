//! A tracing subscriber that records everything that its thread logs.

use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Subscriber};

/// Makes it the subscriber of this thread, until the value that it returns is dropped.
///
/// If the process has a single subscriber, tracing asks the thread that first reaches a callsite whether it is enabled
/// there, and caches the answer for all threads: tests that run in parallel would answer no. So there are two.
#[must_use = "the thread is heard until this is dropped"]
pub(crate) fn listen(subscriber: impl Subscriber + Send + Sync + 'static) -> (Dispatch, DefaultGuard) {
    (Dispatch::new(NoSubscriber::new()), tracing::subscriber::set_default(subscriber))
}
