//! The two macros that write `impl Actor`.
//!
//! Neither looks at the signature of a hook: both hand the function to the same generic dispatch of the
//! runtime, which takes every allowed form and has one text for all others.

mod attribute;
mod derive;
mod hooks;

pub(crate) use attribute::attribute;
pub(crate) use derive::derive;
pub(crate) use hooks::stray;
