//! For the tests of your own trees: faults on demand, exact sequences of events, the paused clock
//! (feature `testing`).
//!
//! The crate `supervise` re-exports this, with an example of a whole test.

mod clock;
mod diff;
mod inject;
mod record;
mod start;

pub use clock::{advance, settle};
pub use diff::diff;
pub use inject::{Fault, Inject};
pub use record::{Record, line};
pub use start::{NotStarted, Starting, Tested, start};
