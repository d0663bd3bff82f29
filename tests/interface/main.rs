//! At least one test for each rule about what users declare, hold and read, through the macro, on the paused clock.
//!
//! `tests/behaviour` has the rules about how a tree lives. They are two programs because one compiles for minutes, on
//! one core. There is one module per topic: `cargo test --test interface messages` runs the tests of messages. The name
//! of a test is a sentence, and its doc comment cites the rules that it checks.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod children;
mod extensions;
mod inspect;
mod messages;
mod remote;
mod settings;
mod testing;
