//! The crate that the services of a company share: they depend on it alone.

pub use supervise::{actor, child, decider, prelude, strategy, supervisor};
pub use supervise_remote as remote;

/// An actor of a library, whose calls are imported by its users.
pub mod bell {
    use supervise::prelude::*;

    pub struct Bell(pub u32);

    #[actor]
    impl Bell {
        /// Rings, and returns how often it has.
        #[message]
        pub fn ring(&mut self, times: u32) -> u32 {
            self.0 += times;
            self.0
        }
    }
}

pub use bell::{Bell, BellCalls};

/// A path of two steps, as in a crate that re-exports another one.
pub mod inner {
    pub use supervise as trees;
}
