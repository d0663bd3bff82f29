//! At least one test for each rule about how a tree starts, fails, heals and ends, through the macro, on the paused
//! clock. `tests/interface` has the rules about what users declare, hold and read.
//!
//! There is one module per topic: `cargo test --test behaviour groups` runs the tests of groups. The name of a test is a
//! sentence, and its doc comment cites the rules that it checks.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod adversarial;
mod backoff;
mod cells;
mod corner_cases;
mod failures;
mod groups;
mod leases;
mod lifecycle;
mod nodes;
mod restart;
mod shutdown;
mod tasks;
