//! The tests that other supervision systems run on themselves, applied to this project: one module for each chapter of
//! scenarios, one test for each number. `LEDGER.md` lists for each whether the answer is the same, and if not, which
//! rule differs.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/alloc.rs"]
mod alloc;
#[path = "../common/mod.rs"]
mod common;

mod akka;
mod ledger;
mod otp;
mod stage;
