//! The third floor: what carries decisions out, for children of any kind.

pub(crate) mod asks;
pub(crate) mod background;
pub(crate) mod bell;
pub(crate) mod bus;
pub(crate) mod cell;
pub(crate) mod death_watch;
pub(crate) mod mailbox;
pub(crate) mod numbers;
pub(crate) mod observed;
pub(crate) mod polls;
pub(crate) mod settings;
pub(crate) mod slots;
pub(crate) mod supervisor;
pub(crate) mod tally;
pub(crate) mod turn;
pub(crate) mod watched;
#[cfg(feature = "testing")]
pub(crate) mod witness;
