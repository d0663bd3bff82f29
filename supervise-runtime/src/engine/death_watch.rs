//! The entries of a death watch in queues: notices of ends, and death pacts.

use crate::engine::watched::Watched;
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::values::ended::Ended;

/// A notice in the mailbox of a watcher.
#[derive(Debug)]
pub(crate) struct Notice {
    /// The number of the watch that the notice belongs to.
    pub(crate) watch: u64,
    /// The id of the set, if all its instances are watched.
    pub(crate) set: Option<u64>,
    pub(crate) who: Watched,
    pub(crate) ended: Ended,
}

/// The state of a death pact, shared by the actor that made it, the actor it depends on, and the request between the
/// two.
#[derive(Debug)]
pub(crate) struct Pact {
    /// The path of the actor that the pact depends on.
    path: String,
    /// The other actor has ended, and the request is on its way.
    is_due: AtomicBool,
    is_taken_back: AtomicBool,
    /// The request was handled, so the pact is over.
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

    /// Cancels the pact, also if the request is already on its way.
    pub(crate) fn take_back(&self) {
        self.is_taken_back.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_taken_back(&self) -> bool {
        self.is_taken_back.load(Ordering::Relaxed)
    }
}
