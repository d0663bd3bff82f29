//! At least one test for each rule of the semantics, through the macro, on the paused clock.
//!
//! There is one module per topic: `cargo test groups` runs the tests of groups. The name of a test is a sentence, and
//! its doc comment cites the rules that it checks.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod adversarial;
mod backoff;
mod cells;
mod children;
mod corner_cases;
mod failures;
mod groups;
mod inspect;
mod leases;
mod lifecycle;
mod messages;
mod nodes;
mod remote;
mod restart;
mod settings;
mod shutdown;
mod tasks;
mod testing;
