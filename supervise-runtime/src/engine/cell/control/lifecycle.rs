//! The state of a cell's life, and those who wait for it to change.

use std::mem::{replace, take};
use std::task::Waker;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::EndedChild;
use crate::engine::cell::shared_wait::SharedWait;
use crate::engine::cell::waitlist::{Waitlist, Wakers};
use crate::engine::slots::Slots;
use crate::engine::tally::Tally;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;

pub(super) type OnEnd = Box<dyn FnOnce(&Ended) + Send>;

/// The registration of a future that waits for a cell to be up or to end.
#[derive(Debug, Default)]
pub struct Waiting(pub(super) Option<u64>);

/// The lifecycle state of a cell, and who waits for it to change. The size counts: each idle actor has one.
#[derive(Default)]
pub(super) struct Life {
    now: Now,
    pub(super) waiting: Wakers,
    tickets: u64,
    rare: Option<Box<Rare>>,
}

/// The present state.
#[derive(Default)]
enum Now {
    #[default]
    Down,
    Up,
    Ended(Ended),
}

impl Now {
    fn ended(self) -> Option<Ended> {
        match self {
            Now::Ended(ended) => Some(ended),
            Now::Down | Now::Up => None,
        }
    }
}

/// State that most cells never need.
#[derive(Default)]
pub(super) struct Rare {
    /// The last failure, for snapshots.
    pub(super) failed: Option<Failure>,
    /// The time of the first failure after which the child has not been up, for the log.
    pub(super) down: Option<Instant>,
    /// Nobody decided about the last failure, with which the child ends (S23).
    pub(super) undecided: bool,
    /// The failures on the way down of the present incarnation, for which there was no decision.
    pub(super) late: Option<Late>,
    /// The end before the present life, and the last ticket that was given before it was over: the cell may have been
    /// started again before a waiter is polled.
    heard: Option<(u64, Ended)>,
    /// The start that callers have asked for, and that is still to come.
    pub(super) starting: Option<Arc<SharedWait>>,
    /// The sign of life that callers have asked for (S54).
    pub(super) sign: Option<Arc<SharedWait>>,
    pub(super) watchers: Waitlist<OnEnd>,
    /// The numbers of the messages, if they are observed or were.
    pub(super) tally: Option<Box<Tally>>,
    /// The state of extensions.
    pub(super) slots: Slots,
    /// The runtime on which the cell runs, if that is not the runtime of its supervisor.
    pub(super) runtime: Option<Handle>,
    /// An extension has dropped the task.
    pub(super) dropped: bool,
    /// The number of sources that the actor follows.
    pub(super) follows: u32,
    /// The ends of the children, for a tree that is stopping: in the order in which they arrived. A child may be in it
    /// twice: it was found to have ended when the report was opened and reports its end itself too, or was stuck and has
    /// ended after all. The first counts.
    pub(super) report: Option<Vec<Arc<EndedChild>>>,
}

/// The failures on the way down.
pub(super) struct Late {
    pub(super) first: Failure,
    pub(super) count: u32,
}

impl Life {
    pub(super) fn rare(&self) -> Option<&Rare> {
        self.rare.as_deref()
    }

    pub(super) fn rare_mut(&mut self) -> Option<&mut Rare> {
        self.rare.as_deref_mut()
    }

    pub(super) fn rare_or_init(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Forgets since when the child is down: it goes on, or is up again.
    pub(super) fn forget_down(&mut self) {
        if let Some(rare) = self.rare_mut() {
            rare.down = None;
            rare.undecided = false;
        }
    }

    /// Returns whether the future already waits with this waker.
    pub(super) fn waits(&self, Waiting(ticket): &Waiting, waker: &Waker) -> bool {
        ticket.and_then(|ticket| self.waiting.get(ticket)).is_some_and(|known| known.will_wake(waker))
    }

    /// Returns the previous waker, to be dropped after the lock.
    #[must_use]
    pub(super) fn wait(&mut self, Waiting(ticket): &mut Waiting, waker: Waker) -> Option<Waker> {
        let ticket = *ticket.get_or_insert_with(|| self.ticket());
        self.waiting.insert(ticket, waker)
    }

    /// Returns the end that this future waited for.
    pub(super) fn heard_by(&self, ticket: u64) -> Option<Ended> {
        let heard = self.rare()?.heard.as_ref()?;
        (ticket <= heard.0).then(|| heard.1.clone())
    }

    pub(super) fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    pub(super) fn is_up(&self) -> bool {
        matches!(self.now, Now::Up)
    }

    /// Returns the end, until the cell is started again.
    pub(super) fn ended(&self) -> Option<&Ended> {
        match &self.now {
            Now::Ended(ended) => Some(ended),
            Now::Down | Now::Up => None,
        }
    }

    /// Sets the end. Returns the previous one, to be dropped after the lock.
    #[must_use]
    pub(super) fn end(&mut self, ended: Ended) -> (Option<Ended>, Option<(u64, Ended)>) {
        (replace(&mut self.now, Now::Ended(ended)).ended(), self.rare_mut().and_then(|rare| rare.heard.take()))
    }

    /// Sets the cell up. Returns as [`Life::live_again`].
    #[must_use]
    pub(super) fn go_up(&mut self) -> (Option<Ended>, Option<(u64, Ended)>) {
        let before = self.live_again();
        self.now = Now::Up;
        before
    }

    /// Begins another life. The end is kept for those who waited for it. Returns those that nobody waits for, to be
    /// dropped after the lock.
    #[must_use]
    pub(super) fn live_again(&mut self) -> (Option<Ended>, Option<(u64, Ended)>) {
        if self.is_up() {
            return (None, None);
        }
        match take(&mut self.now).ended() {
            Some(ended) if self.tickets > 0 => {
                let heard = (self.tickets, ended);
                (None, self.rare_or_init().heard.replace(heard))
            }
            ended => (ended, None),
        }
    }
}
