//! Checks of other supervision systems on themselves, asked of this one: one module for each chapter of scenarios,
//! a test for each number. `LEDGER.md` says of each whether the answer is the same, and if not, which rule differs.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/alloc.rs"]
mod alloc;
#[path = "../common/mod.rs"]
mod common;

mod akka;
mod ledger;
mod otp;
mod stage;
