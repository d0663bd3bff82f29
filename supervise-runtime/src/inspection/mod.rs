//! The fifth floor: trees seen from outside.

mod declared;
mod draw;
pub(crate) mod health;
#[cfg(feature = "serde")]
mod serialize;
pub(crate) mod snapshot;

use crate::tree::TreeRef;
use health::Health;
use snapshot::Snapshot;

impl TreeRef {
    /// Returns the state of this tree and of everything below it.
    ///
    /// The call never waits for a child: it reads the nodes one after the other, under the lock of their supervisor,
    /// and runs no user code. So the state of every node is exact, but two nodes may be read at slightly different
    /// times (S42).
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&*self.cell)
    }

    /// Returns the health of this tree and of everything below it. As cheap as [`snapshot`](TreeRef::snapshot).
    ///
    /// See rule S42.
    pub fn health(&self) -> Health {
        self.snapshot().health()
    }
}
