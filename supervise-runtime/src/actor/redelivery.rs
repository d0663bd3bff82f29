//! The message in hand, kept so that it can be delivered again (rule S36).

use crate::actor::Actor;
use crate::actor::options::Redelivery;

/// What an actor with `redeliver` keeps beside its instance.
pub(crate) struct Again<A: Actor> {
    pub(crate) by: Redelivery<A>,
    /// A copy of the message in hand; after a failure or abort the one that was.
    copy: Option<A::Msg>,
    /// How often it was put back.
    used: u32,
    /// The next message is one that was put back.
    comes: bool,
}

impl<A: Actor> Again<A> {
    pub(crate) fn new(by: Redelivery<A>) -> Self {
        Again { by, copy: None, used: 0, comes: false }
    }

    /// A message is taken in hand. Cloning is user code.
    pub(crate) fn keep(&mut self, msg: &A::Msg) {
        if !std::mem::take(&mut self.comes) {
            self.used = 0;
        }
        self.copy = Some((self.by.again)(msg));
    }

    /// It is handled, or its failure is forgiven.
    pub(crate) fn done(&mut self) {
        self.copy = None;
    }

    /// The instance is gone: the message that it had in hand, and whether it may be delivered again.
    pub(crate) fn left_over(&mut self) -> Option<(A::Msg, bool)> {
        let msg = self.copy.take()?;
        let more = self.used < self.by.attempts;
        (self.used, self.comes) = if more { (self.used + 1, true) } else { (0, false) };
        Some((msg, more))
    }
}
