//! Tools for tests of your own trees: injected faults, exact sequences of events, the paused clock.
//!
//! With the feature `testing`. The crate `supervise` re-exports this module, with an example of a whole test.

mod chaos;
mod clock;
mod diff;
mod inject;
mod lease;
mod record;
mod start;

pub use chaos::{Chaos, ChaosFailure, ChaosFault, ChaosPromise, ChaosReport, Random, chaos};
pub use clock::{advance, settle};
pub use diff::diff;
pub use inject::{Fault, Inject};
pub use lease::{LeaseFault, MemoryLease, suspended};
pub use record::{Record, line};
pub use start::{NotStarted, Start, Tested, start};
