//! One test or more for each rule of the semantics, through the macro, on the paused clock.
//!
//! A module for each topic: `cargo test groups` runs the tests of groups. A test is named as a sentence, and its doc
//! comment cites the rules that it holds to.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod adversarial;
mod backoff;
mod children;
mod corner_cases;
mod failures;
mod groups;
mod inspect;
mod lifecycle;
mod messages;
mod nodes;
mod restart;
mod settings;
mod shutdown;
mod tasks;
mod testing;
