//! The crate that the services of a company share: they depend on it alone.

pub use supervise::{actor, child, decider, prelude, strategy, supervisor};
pub use supervise_remote as remote;

/// As deep as a crate of a crate may have it.
pub mod inner {
    pub use supervise as trees;
}
