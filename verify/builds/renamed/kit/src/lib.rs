//! The crate that the services of a company share: they depend on it alone.

pub use supervise::{actor, child, decider, prelude, strategy, supervisor};
pub use supervise_remote as remote;

/// A path of two steps, as in a crate that re-exports another one.
pub mod inner {
    pub use supervise as trees;
}
