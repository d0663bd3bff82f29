//! What is set once in a process: the guardian's strategy, and who listens to spans.

#![allow(unreachable_pub)]

#[path = "../common/mod.rs"]
mod common;

mod guardian;
mod spans;
