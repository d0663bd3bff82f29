//! Tools for tests of your own trees: injected faults, exact sequences of events, the paused clock.
//!
//! **Do not depend on this crate directly.** Turn on the feature `testing` of `supervise`, which has it as
//! `supervise::testing`, with an example of a whole test. The examples on these pages use that name.

#![cfg_attr(docsrs, feature(doc_cfg))]

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
