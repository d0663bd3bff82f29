//! What is set once in a process: the guardian's strategy, and who listens to spans.

#![allow(unreachable_pub)]

#[path = "../kit/mod.rs"]
mod kit;

mod guardian;
mod spans;
