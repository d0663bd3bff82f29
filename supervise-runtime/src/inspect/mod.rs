//! The fifth floor: trees seen from outside.

mod declared;
mod draw;
pub(crate) mod health;
#[cfg(feature = "serde")]
mod serialize;
pub(crate) mod snapshot;
