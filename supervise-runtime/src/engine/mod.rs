//! The third floor: what carries decisions out, for children of any kind.

pub(crate) mod background;
pub(crate) mod bus;
pub(crate) mod cell;
pub(crate) mod death_watch;
pub(crate) mod mailbox;
pub(crate) mod span;
pub(crate) mod supervisor;
