//! The fifth floor: trees seen from outside.

pub(crate) mod declared;
pub(crate) mod deploy;
mod draw;
pub(crate) mod health;
#[cfg(feature = "metrics")]
pub(crate) mod metering;
pub(crate) mod observing;
pub(crate) mod operate;
pub(crate) mod page;
pub(crate) mod part;
#[cfg(feature = "serde")]
mod serialize;
pub(crate) mod snapshot;
#[cfg(feature = "systemd")]
mod systemd;

use tokio::time::Instant;

use crate::tree::TreeRef;
use health::Health;
use part::{Extent, seen};
use snapshot::Snapshot;

impl TreeRef {
    /// Returns the state of this tree and of everything below it.
    ///
    /// The call never waits for a child: it reads the nodes one after the other, under the lock of their supervisor,
    /// and runs no user code. So the state of every node is exact, but two nodes may be read at slightly different
    /// times (S42).
    pub fn snapshot(&self) -> Snapshot {
        let now = Instant::now();
        Snapshot::of(&*self.cell, seen(&*self.cell, now), now, Extent::Everything)
    }

    /// Returns the health of this tree and of everything below it.
    ///
    /// Nodes that are well cost little: nothing is copied of them. See rule S42.
    pub fn health(&self) -> Health {
        let now = Instant::now();
        health::of(&self.cell, seen(&*self.cell, now), now, Extent::Everything)
    }
}
