//! The times at which the messages of a mailbox came, while somebody observes them.
//!
//! They are in one queue, under the lock of the mailbox, oldest first: those of the messages in the actor's batch, then
//! those of the messages in the queue. A mailbox that nobody observes has none, and its senders and its actor do nothing
//! for them:
//!
//! * While times are noted, `open_below` is 0, so that each sender takes the way of those that have to look closer.
//! * While times are noted, each turn of the actor has one message, so that each message begins with a turn.
//!
//! A mailbox follows the switch of its tree when its lock is taken for one of these, for a change of the gate, or for a
//! snapshot. A message that came before counts from then on.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::{ActorCell, Inbox, Inner, MailboxItem};
use crate::engine::bus::extension::{Edge, Wants};
use crate::engine::cell::control::CellCore;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::base::sync::{MutexGuard, lock};
use supervise_core::values::observe::Observe;

impl<T> Inner<T> {
    /// Begins to note times, or ends it, as the tree of this cell wants it now.
    pub(super) fn follow(&mut self, core: &CellCore, in_batch: usize) {
        let timed = core.bus.observed.now().contains(Observe::TIMING);
        if timed != self.timed {
            self.set_timed(timed, in_batch);
        }
    }

    #[cold]
    fn set_timed(&mut self, timed: bool, in_batch: usize) {
        self.timed = timed;
        self.judge();
        if timed {
            self.fit_arrivals(self.queue.len() + in_batch);
        } else {
            self.blocked.forget_arrivals();
        }
    }

    /// Makes the number of times that of the messages that wait. Messages are counted from the newest: their times are
    /// known, since senders have noted them.
    pub(super) fn fit_arrivals(&mut self, waiting: usize) {
        if !self.timed {
            return;
        }
        let arrivals = self.blocked.arrivals_mut();
        let (over, missing) = (arrivals.len().saturating_sub(waiting), waiting.saturating_sub(arrivals.len()));
        arrivals.drain(..arrivals.len().saturating_sub(waiting));
        while arrivals.len() < waiting {
            arrivals.push_front(arrivals.front().copied().unwrap_or_else(Instant::now));
        }
        self.blocked.fitted(over, missing);
    }

    /// Takes all times out: one for each of the messages that wait, if times are noted.
    pub(super) fn take_arrivals(&mut self, waiting: usize) -> VecDeque<Instant> {
        if !self.timed {
            return VecDeque::new();
        }
        self.fit_arrivals(waiting);
        std::mem::take(self.blocked.arrivals_mut())
    }

    /// Adds the time of a message, if times are noted.
    pub(super) fn put_arrival(&mut self, came: Option<Instant>) {
        if self.timed {
            self.blocked.arrivals_mut().extend(came);
        }
    }

    /// Notes that the message in hand goes back to the front of the queue. It has waited since it came.
    pub(super) fn put_back_arrival(&mut self) {
        if self.timed {
            self.fit_arrivals(self.queue.len());
            let came = self.blocked.taken().unwrap_or_else(Instant::now);
            self.blocked.arrivals_mut().push_front(came);
            self.blocked.put_back();
        }
    }

    /// Returns the time for which the oldest message waits, if times are noted.
    pub(super) fn oldest(&self, waiting: usize) -> Option<Duration> {
        // `None` while no times are noted. The list may be longer than the queue: the actor may have taken some since.
        let arrivals = self.blocked.arrivals()?;
        arrivals.get(arrivals.len().saturating_sub(waiting)).map(Instant::elapsed)
    }
}

impl<T: MailboxItem> ActorCell<T> {
    /// Puts a message into the queue, and notes its time if the tree wants it.
    pub(super) fn enqueue_noted(&self, mut inner: MutexGuard<'_, Inner<T>>, msg: T) {
        inner.follow(self.core(), self.in_batch.load(Ordering::Relaxed));
        if inner.timed {
            inner.put_arrival(Some(Instant::now()));
        }
        self.enqueue(inner, msg);
    }
}

impl<T: MailboxItem> Inbox<T> {
    /// Begins to observe the messages of a turn. If times are wanted, the turn has one message.
    #[cold]
    pub(super) fn observe(&mut self, cell: &ActorCell<T>, observe: Observe) {
        if observe.contains(Observe::TIMING) {
            self.turn = 1;
            let mut inner = lock(&cell.mail.inner);
            inner.follow(cell.core(), self.batch.len());
            let waiting = inner.queue.len() + self.batch.len();
            inner.fit_arrivals(waiting);
            inner.blocked.take_arrival();
            let came = inner.blocked.known_arrival();
            drop(inner);
            let at = Instant::now();
            cell.core().tally(|tally| tally.begins(at));
            if let Some(came) = came {
                notes(cell.core(), Edge::Begins { waited: at.saturating_duration_since(came) });
            }
        }
        if observe.contains(Observe::COUNTS) {
            self.observed = self.turn;
        }
    }

    /// Notes that the messages of this turn before the one in hand are over, and that those after it wait for another turn.
    #[cold]
    pub(super) fn observed_before(&mut self, cell: &ActorCell<T>) {
        let over = self.observed.saturating_sub(self.turn).saturating_sub(1);
        self.observed = 1;
        cell.core().tally(|tally| tally.over(over, None));
    }

    /// Notes that the messages of a turn are over.
    #[cold]
    pub(super) fn observed_over(&mut self, cell: &ActorCell<T>, observe: Observe) {
        let messages = std::mem::take(&mut self.observed);
        let at = observe.contains(Observe::TIMING).then(Instant::now);
        if let Some(took) = cell.core().tally(|tally| tally.over(messages, at)) {
            notes(cell.core(), Edge::Over { took });
        }
    }
}

/// Tells the extensions of a message of an actor.
fn notes(core: &CellCore, edge: Edge) {
    if core.bus.extensions.attached_want(Wants::MESSAGES) {
        core.bus.extensions.each_attached(Wants::MESSAGES, |extension| extension.message(core, edge));
    }
}
