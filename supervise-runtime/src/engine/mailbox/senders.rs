//! The parts of a mailbox that few have: the senders that wait for room, the time that refused ones are given, and the
//! times at which messages came.

use std::collections::{BTreeMap, VecDeque};
use std::mem::take;
use std::task::Waker;

use tokio::time::Instant;

use supervise_core::base::deferred_drop::wake;

/// The senders that wait for room, by ticket, in the order of their arrival. Few mailboxes ever have one, refuse one, or
/// are observed, so all this together takes no more room than a pointer.
#[derive(Default)]
pub(super) struct Senders(Option<Box<Waiting>>);

#[derive(Default)]
struct Waiting {
    wakers: BTreeMap<u64, Waker>,
    /// The last ticket. A ticket is given out once: a sender that was woken may come back with an old one.
    tickets: u64,
    /// The end of the backoff, for the refusals.
    retry_at: Option<Instant>,
    /// Senders on their way down have sent requests since this was last asked.
    last_requests: bool,
    /// The times at which the messages came: see [`arrivals`](super::arrivals).
    arrivals: VecDeque<Instant>,
    /// The time at which the message came that the actor has taken out.
    taken: Option<Instant>,
    /// The number of messages at the front that came before their times were noted.
    unknown: usize,
    /// The message that the actor has taken out is one of them.
    is_unknown: bool,
}

impl Senders {
    pub(super) fn retry_at(&self) -> Option<Instant> {
        self.0.as_ref()?.retry_at
    }

    pub(super) fn set_retry_at(&mut self, at: Option<Instant>) {
        self.0.get_or_insert_default().retry_at = at;
    }

    pub(super) fn has_last_requests(&mut self) {
        self.0.get_or_insert_default().last_requests = true;
    }

    pub(super) fn take_last_requests(&mut self) -> bool {
        self.0.as_mut().is_some_and(|waiting| take(&mut waiting.last_requests))
    }

    pub(super) fn arrivals(&self) -> Option<&VecDeque<Instant>> {
        self.0.as_ref().map(|waiting| &waiting.arrivals)
    }

    pub(super) fn arrivals_mut(&mut self) -> &mut VecDeque<Instant> {
        &mut self.0.get_or_insert_default().arrivals
    }

    /// Takes the time of the oldest message out, since the actor does.
    pub(super) fn take_arrival(&mut self) {
        let waiting = self.0.get_or_insert_default();
        waiting.taken = waiting.arrivals.pop_front();
        {
            waiting.is_unknown = waiting.unknown > 0;
            waiting.unknown = waiting.unknown.saturating_sub(1);
        }
    }

    /// Notes that so many times at the front were forgotten, and so many were added since they were not known.
    pub(super) fn fitted(&mut self, over: usize, missing: usize) {
        if over + missing > 0 {
            let waiting = self.0.get_or_insert_default();
            waiting.unknown = waiting.unknown.saturating_sub(over) + missing;
        }
    }

    /// Notes that the message that the actor has taken out is put back.
    pub(super) fn put_back(&mut self) {
        if let Some(waiting) = &mut self.0 {
            waiting.unknown += usize::from(waiting.is_unknown);
        }
    }

    /// Returns the time of the message that the actor has taken out, unless it came before times were noted.
    pub(super) fn known_arrival(&self) -> Option<Instant> {
        self.0.as_ref().filter(|waiting| !waiting.is_unknown)?.taken
    }

    /// Forgets the times: they are no longer noted.
    pub(super) fn forget_arrivals(&mut self) {
        if let Some(waiting) = &mut self.0 {
            (waiting.arrivals, waiting.taken) = (VecDeque::new(), None);
            {
                waiting.unknown = 0;
            }
        }
    }

    pub(super) fn taken(&self) -> Option<Instant> {
        self.0.as_ref()?.taken
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |waiting| waiting.wakers.len())
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|waiting| waiting.wakers.is_empty())
    }

    /// Returns a new ticket.
    pub(super) fn ticket(&mut self) -> u64 {
        let waiting = self.0.get_or_insert_default();
        waiting.tickets += 1;
        waiting.tickets
    }

    pub(super) fn get(&self, ticket: &u64) -> Option<&Waker> {
        self.0.as_ref()?.wakers.get(ticket)
    }

    /// Returns the previous waker of this ticket, to be dropped after the lock.
    pub(super) fn insert(&mut self, ticket: u64, waker: Waker) -> Option<Waker> {
        self.0.get_or_insert_default().wakers.insert(ticket, waker)
    }

    pub(super) fn remove(&mut self, ticket: &u64) -> Option<Waker> {
        self.0.as_mut()?.wakers.remove(ticket)
    }

    pub(super) fn pop_first(&mut self) -> Option<(u64, Waker)> {
        self.0.as_mut()?.wakers.pop_first()
    }

    /// Takes all senders out, to be woken after the lock.
    pub(super) fn all(&mut self) -> Blocked {
        Blocked(self.0.as_mut().map(|waiting| take(&mut waiting.wakers)))
    }
}

/// Senders that waited for room. They are woken on drop, without a lock, since a waker may be user code.
#[must_use]
#[derive(Debug)]
pub struct Blocked(Option<BTreeMap<u64, Waker>>);

impl Blocked {
    pub(crate) const fn none() -> Self {
        Blocked(None)
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        if let Some(blocked) = self.0.take().filter(|blocked| !blocked.is_empty()) {
            blocked.into_values().for_each(wake);
        }
    }
}
