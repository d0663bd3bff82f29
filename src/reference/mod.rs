//! The macros with their documentation, which needs the whole crate for its examples.

mod actors;
mod deciders;
mod trees;

pub use actors::*;
pub use deciders::*;
pub use trees::*;
