//! Ten little systems, each a tree of another shape, through the macro alone. What each one proves stands in
//! its module's doc comment.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod chain;
mod levels;
mod lookout;
mod midway;
mod phases;
mod rush;
mod spellings;
mod tasks;
mod upstream;
