//! The wait of any number of callers for one answer of a child.

use crate::engine::bell::Bell;
use supervise_core::base::sync::OnceLock;
use supervise_core::values::ended::Ended;

/// An answer of a child that several callers may wait for: that a requested start is up, or a sign of life. An error if
/// the child has ended first.
///
/// A requested start (S26) is registered under the lock of the child's supervisor, together with its decision, and taken
/// under the same lock when that supervisor accepts that the child is up. So an incarnation that was up, or just coming
/// up, when the request came does not count.
#[derive(Debug, Default)]
pub(crate) struct SharedWait {
    outcome: OnceLock<Result<(), Ended>>,
    decided: Bell,
}

impl SharedWait {
    /// Notifies the callers. To be called without a lock.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn decide(&self, outcome: Result<(), Ended>) {
        let _ = self.outcome.set(outcome);
        self.decided.ring();
    }

    pub(crate) fn outcome(&self) -> Option<&Result<(), Ended>> {
        self.outcome.get()
    }

    /// Waits until there is an outcome.
    pub(crate) async fn decided(&self) {
        let decided = self.decided.next();
        if self.outcome.get().is_none() {
            decided.await;
        }
    }
}
