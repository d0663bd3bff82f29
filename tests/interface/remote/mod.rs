//! The parts of the runtime that remote children are made of: proxies at the owner of a tree, hosted actors on a node,
//! and fences.

mod fences;
mod hosted;
mod networks;
mod proxies;
