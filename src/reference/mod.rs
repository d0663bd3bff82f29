//! The macros and their documentation, which is in this crate because the examples need all of it.

mod actors;
mod children;
mod deciders;
mod trees;

pub use actors::*;
