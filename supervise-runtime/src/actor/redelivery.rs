//! The copy of the message in hand, kept for redelivery (rule S36).

use crate::actor::Actor;
use crate::actor::options::Redelivery;

/// The state of `redeliver`, kept next to the instance.
pub(crate) struct Again<A: Actor> {
    pub(crate) by: Redelivery<A>,
    /// A copy of the message in hand; after a failure or abort, of the message that was in hand.
    copy: Option<A::Msg>,
    /// The number of times that it was put back.
    used: u32,
    /// The next message is one that was put back.
    comes: bool,
}

impl<A: Actor> Again<A> {
    pub(crate) fn new(by: Redelivery<A>) -> Self {
        Again { by, copy: None, used: 0, comes: false }
    }

    /// Copies a message that is about to be handled. Cloning is user code.
    pub(crate) fn keep(&mut self, msg: &A::Msg) {
        if !std::mem::take(&mut self.comes) {
            self.used = 0;
        }
        self.copy = Some((self.by.again)(msg));
    }

    /// Drops the copy: the message was handled, or its failure was resumed.
    pub(crate) fn done(&mut self) {
        self.copy = None;
    }

    /// Returns the message that the dropped instance had in hand, and whether it may be redelivered.
    pub(crate) fn left_over(&mut self) -> Option<(A::Msg, bool)> {
        let msg = self.copy.take()?;
        let more = self.used < self.by.attempts;
        (self.used, self.comes) = if more { (self.used + 1, true) } else { (0, false) };
        Some((msg, more))
    }
}
