//! Settings that apply once to a process: the guardian's strategy, and the subscriber for spans.

#![allow(unreachable_pub)]

#[path = "../common/mod.rs"]
mod common;

mod guardian;
mod spans;
