//! What a death watch leaves in queues: notices of ends, and death pacts.

use crate::base::sync::atomic::{AtomicBool, Ordering};
use crate::values::ended::{Ended, Watched};

/// What a watcher finds in its mailbox.
#[derive(Debug)]
pub(crate) struct Notice {
    /// The number of the watch that it is of.
    pub(crate) watch: u64,
    pub(crate) who: Watched,
    pub(crate) ended: Ended,
}

/// A death pact, as the one who made it, the other one and the control between the two have it.
#[derive(Debug)]
pub(crate) struct Pact {
    /// Of the one that it depends on.
    path: String,
    /// That one has ended: control is on its way.
    is_due: AtomicBool,
    is_taken_back: AtomicBool,
    /// Control has come: the pact is over.
    is_handled: AtomicBool,
}

impl Pact {
    pub(crate) fn new(path: String) -> Self {
        let no = || AtomicBool::new(false);
        Pact { path, is_due: no(), is_taken_back: no(), is_handled: no() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn fall_due(&self) {
        self.is_due.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_due(&self) -> bool {
        self.is_due.load(Ordering::Relaxed)
    }

    pub(crate) fn handle(&self) {
        self.is_handled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_handled(&self) -> bool {
        self.is_handled.load(Ordering::Relaxed)
    }

    /// Without effect from now on, also where control is on its way.
    pub(crate) fn take_back(&self) {
        self.is_taken_back.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_taken_back(&self) -> bool {
        self.is_taken_back.load(Ordering::Relaxed)
    }
}
