//! The two macros that write `impl Actor`.
//!
//! Neither macro reads the signature of a hook. Both pass the function to the same generic dispatch of the runtime,
//! which takes every allowed form and has one error message for all others.

mod attribute;
mod derive;
mod hooks;
mod messages;
mod owned;
mod signatures;

pub(crate) use attribute::attribute;
pub(crate) use derive::derive;
#[cfg(test)]
pub(crate) use hooks::HOOKS;
pub(crate) use hooks::stray;
