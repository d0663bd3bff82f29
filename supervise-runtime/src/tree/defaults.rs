//! The defaults of a tree, which each child takes if it is of a kind that can (S45).

use std::time::Duration;

use crate::actor::options::ChildOptions;
use crate::tree::child::Child;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::strategy::{Mailbox, ShutdownTimeout};

impl<T: Child> ChildOptions<T> {
    /// Sets the time to go down, of a child that is not a tree.
    #[doc(hidden)]
    pub fn or_shutdown(self, shutdown: ShutdownTimeout) -> Self {
        if T::KIND.only_supervises() { self } else { self.shutdown(shutdown) }
    }

    /// Sets the size of the mailbox, of an actor.
    #[doc(hidden)]
    pub fn or_mailbox(self, mailbox: Mailbox) -> Self {
        self.set(|common| {
            if T::KIND == ChildKind::Actor {
                common.mailbox = mailbox;
            }
        })
    }

    /// Sets the time that an `ask` waits, of an actor.
    #[doc(hidden)]
    pub fn or_ask(self, within: Duration) -> Self {
        self.set(|common| {
            if T::KIND == ChildKind::Actor {
                common.ask = Some(within);
            }
        })
    }
}
