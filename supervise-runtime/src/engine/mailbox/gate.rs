//! The gate of a mailbox: the refusal of messages while the actor is down (S35), and the begin of a drain (S24).

use std::collections::BTreeMap;
use std::task::Waker;

use tokio::time::Instant;

use super::{Gate, Inner, Letter, MailCell, Rejected};
use crate::base::sync::{foreign, lock};
use crate::values::strategy::WhileDown;

/// The refusal that senders get while the actor is down.
#[derive(Debug, Default)]
pub(super) struct Rejects {
    /// The end of the backoff.
    retry_at: Option<Instant>,
}

impl<T> Inner<T> {
    /// Returns the refusal for a sender that must not wait.
    pub(super) fn refusal(&self, refuse_down: bool) -> Option<Rejected> {
        match (self.gate, &self.rejects) {
            (Gate::Open, _) => None,
            (Gate::Draining | Gate::Closed, _) => Some(Rejected::Closed),
            (Gate::Down, Some(rejects)) => {
                let retry_in = rejects.retry_at.map(|at| at.saturating_duration_since(Instant::now()));
                Some(Rejected::Down { retry_in })
            }
            (Gate::Down, None) => refuse_down.then_some(Rejected::Down { retry_in: None }),
        }
    }
}

/// Senders that waited for room. They are woken on drop, without a lock, since a waker may be user code.
#[must_use]
pub(crate) struct Blocked(BTreeMap<u64, Waker>);

impl Blocked {
    pub(super) fn all<T>(inner: &mut Inner<T>) -> Self {
        Blocked(std::mem::take(&mut inner.blocked))
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            foreign();
            std::mem::take(&mut self.0).into_values().for_each(Waker::wake);
        }
    }
}

impl<T: Letter> MailCell<T> {
    /// Sets whether messages wait or are refused while the actor is down (S35); to be called before the first message.
    pub(crate) fn while_down(mut self, while_down: WhileDown) -> Self {
        self.rejecting = while_down == WhileDown::Reject;
        lock(&self.inner).rejects = self.rejecting.then(Box::default);
        self
    }

    /// Does the same as `try_push`, for a message that the actor itself has caused: a drain still accepts it (S24).
    pub(crate) fn try_push_own(&self, msg: T) -> Result<(), Rejected> {
        let inner = lock(&self.inner);
        let rejected = match inner.gate {
            Gate::Draining => self.is_full(&inner).then_some(Rejected::Full),
            Gate::Open | Gate::Down | Gate::Closed => self.refuses(&inner, false),
        };
        if let Some(rejected) = rejected {
            drop(inner);
            return Err(rejected);
        }
        self.take_in(inner, msg);
        Ok(())
    }

    /// Refuses new messages and keeps the queued ones, also if the actor counts as down and refuses messages for that
    /// (S35).
    pub(crate) fn drain_gate(&self) -> Blocked {
        let mut inner = lock(&self.inner);
        if !matches!(inner.gate, Gate::Open | Gate::Down) {
            return Blocked(BTreeMap::new());
        }
        inner.gate = Gate::Draining;
        Blocked::all(&mut inner)
    }

    /// Marks the actor as down for its supervisor, or as up again; the current message continues. Only matters with
    /// `while_down(Reject)` (S35).
    pub(super) fn reject(&self, down: bool) {
        if !self.rejecting {
            return;
        }
        let mut inner = lock(&self.inner);
        let (from, to) = if down { (Gate::Open, Gate::Down) } else { (Gate::Down, Gate::Open) };
        if inner.gate != from {
            return;
        }
        inner.gate = to;
        let blocked = Blocked::all(&mut inner);
        drop(inner);
        drop(blocked);
    }

    /// Sets the time of the next start, for the refusals.
    pub(super) fn retry(&self, at: Option<Instant>) {
        if self.rejecting
            && let Some(rejects) = &mut lock(&self.inner).rejects
        {
            rejects.retry_at = at;
        }
    }
}
