//! The network that a tree is put on, as the runtime sees it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A network that a tree is put on. Another crate implements it.
#[doc(hidden)]
pub trait TreeNetwork: Any + Send + Sync + 'static {
    /// The run begins: called before the first child of the tree starts, and again at each holding of a lease.
    fn begins(&self, root: TreeRoot, held: Option<Held>);

    /// The run is over. `all_down`: no child of it acts in this process any more.
    fn over(&self, root: &TreeRoot, all_down: bool);

    /// Returns whether an instance of this run may still act on a node, also after its end.
    fn acts(&self, _root: &TreeRoot) -> bool {
        false
    }

    /// Returns the nodes, for snapshots, health, drawings and metrics.
    fn nodes(&self) -> Vec<RemoteNode>;
}

impl fmt::Debug for dyn TreeNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TreeNetwork")
    }
}

/// One run of a tree.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TreeRoot {
    /// Unique in the process, new for each run.
    pub id: u64,
    pub name: Arc<str>,
}

/// A holding of the lease of a tree (S55).
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Grows with each holding.
    pub token: u64,
    /// The holder before has released the lease with all children down.
    pub released: bool,
}

/// A node, as the owner of a tree sees it.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteNode {
    pub name: String,
    pub role: String,
    /// The number of children of this tree that run there.
    pub children: usize,
    pub capacity: Option<usize>,
    /// The time until the lease of the node is over, unless the node renews it.
    pub lease_left: Option<Duration>,
    /// The number of children that wait for a node of this role.
    pub waiting: usize,
}
