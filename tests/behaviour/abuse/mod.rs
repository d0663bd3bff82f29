//! What a supervisor must survive: crowds, code that does not come back, destructors that panic or act, and trees
//! in knots. No rule is new here; each is tried where it hurts.

mod bad_drops;
mod crowds;
mod drops;
mod errors;
mod forever;
mod knots;
mod locks;
mod timeless;
