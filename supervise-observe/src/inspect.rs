//! A tree seen from outside: its state, its health, a page of a large set.

use tokio::time::Instant;

use crate::health::{self, Health};
use crate::page::{self, NodePage, Page};
use crate::part::Extent;
use crate::snapshot::Snapshot;
use supervise_runtime::TreeRef;
use supervise_runtime::extension::{cell, part, seen};

/// Shows a tree from outside. The prelude has this trait.
///
/// ```
/// use supervise::inspect::Inspect;
/// # use supervise::{actor, supervisor};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert!(shop.health().is_up());
/// assert_eq!(shop.snapshot().root.children.len(), 1);
/// # Ok(())
/// # }
/// ```
pub trait Inspect: sealed::Sealed {
    /// Returns the state of this tree and of everything below it.
    ///
    /// The call never waits for a child: it reads the nodes one after the other, under the lock of their supervisor,
    /// and runs no user code. So the state of every node is exact, but two nodes may be read at slightly different
    /// times (S42).
    fn snapshot(&self) -> Snapshot;

    /// Returns the state of the node with this path, and of those below it. `None` if no such node is in this tree.
    ///
    /// The path is the text that handles and events show: `reports/daily`, or the name of the root.
    fn snapshot_of(&self, path: &str, extent: Extent) -> Option<Snapshot>;

    /// Returns some of the children of the node with this path. `None` if no such node is in this tree, or it cannot have
    /// children.
    ///
    /// Of the children that are not shown, only their state, name and rank are looked at, and those only if the page asks
    /// for them. So a page of a set of 100,000 costs a small part of a snapshot. See rule S50.
    fn page_of(&self, path: &str, page: &Page) -> Option<NodePage>;

    /// Returns the health of this tree and of everything below it.
    ///
    /// Nodes that are well cost little: nothing is copied of them. See rule S42.
    fn health(&self) -> Health;

    /// Returns the health of the node with this path, and of those below it. `None` if no such node is in this tree.
    ///
    /// Nodes that are well cost little: nothing is copied of them. See rule S42.
    fn health_of(&self, path: &str, extent: Extent) -> Option<Health>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::TreeRef {}
}

impl Inspect for TreeRef {
    fn snapshot(&self) -> Snapshot {
        let now = Instant::now();
        Snapshot::of(&**cell(self), seen(&**cell(self), now), now, Extent::Everything)
    }

    fn snapshot_of(&self, path: &str, extent: Extent) -> Option<Snapshot> {
        let now = Instant::now();
        let (cell, seen) = part(self, path, now)?;
        Some(Snapshot::of(&*cell, seen, now, extent))
    }

    fn page_of(&self, path: &str, page: &Page) -> Option<NodePage> {
        page::page_of(self, path, page)
    }

    fn health(&self) -> Health {
        let now = Instant::now();
        health::of(cell(self), seen(&**cell(self), now), now, Extent::Everything)
    }

    fn health_of(&self, path: &str, extent: Extent) -> Option<Health> {
        let now = Instant::now();
        let (cell, seen) = part(self, path, now)?;
        Some(health::of(&cell, seen, now, extent))
    }
}
