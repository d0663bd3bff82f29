//! The gate of a mailbox: the refusal of messages while the actor is down (S35), and the begin of a drain (S24).

use tokio::time::Instant;

use super::{ActorCell, Admission, Inner, Mailbox, MailboxItem, Patience, Rejected};
use supervise_core::base::sync::lock;

impl<T> Inner<T> {
    pub(super) fn set_gate(&mut self, gate: Admission) {
        self.gate = gate;
        self.judge();
    }

    pub(super) fn set_batch(&mut self, batch: usize) {
        self.batch = batch;
        self.judge();
    }

    /// Calculates how short the queue has to be for a message to be accepted without a closer look.
    pub(super) fn judge(&mut self) {
        // A message whose time is noted needs the closer look too.
        let open = self.gate == Admission::Open && !self.timed;
        self.open_below = if open { self.capacity.saturating_sub(self.batch) } else { 0 };
    }

    /// Returns the refusal for a sender that must not wait.
    pub(super) fn refusal(&self, patience: Patience) -> Option<Rejected> {
        match (self.gate, self.rejecting) {
            (Admission::Open, _) => None,
            (Admission::Draining | Admission::Closed, _) => Some(Rejected::Closed),
            (Admission::Suspended, _) if patience.is_none() => None,
            (Admission::Suspended | Admission::Down | Admission::Early, true) => {
                let retry_in = self.blocked.retry_at().map(|at| at.saturating_duration_since(Instant::now()));
                Some(Rejected::Down { retry_in })
            }
            (Admission::Suspended, false) => None,
            (Admission::Down, false) => patience.is_none().then_some(Rejected::Down { retry_in: None }),
            (Admission::Early, false) => (patience != Patience::Waits).then_some(Rejected::Down { retry_in: None }),
        }
    }

    /// Returns the refusal for a sender that finds no room. Before the first start nothing would make room.
    #[cold]
    pub(super) fn if_full(&self) -> Rejected {
        match self.gate {
            Admission::Early => Rejected::Down { retry_in: None },
            Admission::Open | Admission::Down | Admission::Suspended | Admission::Draining | Admission::Closed => {
                Rejected::Full
            }
        }
    }
}

impl<T: MailboxItem> ActorCell<T> {
    /// Does the same as `try_push`, for a message that the actor itself has caused: a drain still accepts it (S24).
    pub(crate) fn try_push_own(&self, msg: T) -> Result<(), Rejected> {
        let inner = lock(&self.mail.inner);
        let rejected = match inner.gate {
            Admission::Draining => self.is_full(&inner).then_some(Rejected::Full),
            Admission::Open | Admission::Down | Admission::Suspended | Admission::Early | Admission::Closed => {
                self.refuses(&inner, Patience::Waits)
            }
        };
        if let Some(rejected) = rejected {
            drop(inner);
            return Err(rejected);
        }
        self.enqueue_noted(inner, msg);
        Ok(())
    }
}

impl<T> Mailbox<T> {
    /// Marks the actor as down or suspended for its supervisor, or as up again; the current message continues. To be
    /// called only with `while_down(Reject)` (S35).
    pub(super) fn reject(&self, to: Admission) {
        let mut inner = lock(&self.inner);
        debug_assert!(inner.rejecting, "other mailboxes take messages while the actor is down");
        let changes = match to {
            Admission::Open => matches!(inner.gate, Admission::Down | Admission::Suspended),
            Admission::Suspended => inner.gate == Admission::Open,
            _ => matches!(inner.gate, Admission::Open | Admission::Suspended),
        };
        if !changes {
            return;
        }
        inner.set_gate(to);
        let blocked = inner.blocked.all();
        drop(inner);
        drop(blocked);
    }
}
