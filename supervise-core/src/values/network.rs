//! The network that a tree is put on, as the runtime sees it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::line::one_line;
use crate::values::declaration::TreeSpec;
use crate::values::event::EventKind;

/// A network that a tree is put on. Another crate implements it.
#[doc(hidden)]
pub trait TreeNetwork: Any + Send + Sync + 'static {
    /// The run of this tree begins: called before its first child starts, and again at each holding of a lease.
    ///
    /// An error is the failure of its start.
    fn begins(&self, root: TreeRoot, tree: &'static TreeSpec, held: Option<Held>, run: TreeRun) -> Result<(), String>;

    /// The run is over. `all_down`: no child of it acts in this process any more.
    fn over(&self, root: &TreeRoot, all_down: bool);

    /// Returns whether an instance of this run, or of one before it, may still act on a node, also after its end.
    fn acts(&self, _root: &TreeRoot) -> bool {
        false
    }

    /// Returns the nodes that this run sees, and its children that wait for one. Called without a lock.
    fn view(&self, root: &TreeRoot) -> NetworkView;
}

/// The ways from a network to a run of a tree.
#[doc(hidden)]
pub struct TreeRun {
    lives: Box<dyn Fn() -> bool + Send + Sync>,
    emits: Box<dyn Fn(EventKind) + Send + Sync>,
}

impl TreeRun {
    #[doc(hidden)]
    pub fn new(
        lives: impl Fn() -> bool + Send + Sync + 'static,
        emits: impl Fn(EventKind) + Send + Sync + 'static,
    ) -> Self {
        TreeRun { lives: Box::new(lives), emits: Box::new(emits) }
    }

    /// Makes a run for a test of a network: it lives, and has no subscriber.
    pub fn unheard() -> Self {
        TreeRun::new(|| true, drop)
    }

    /// Returns whether the run has not ended. That is false some time before [`over`](TreeNetwork::over) is called.
    pub fn lives(&self) -> bool {
        (self.lives)()
    }

    /// Raises an event of the tree. Called without a lock.
    pub fn emit(&self, kind: EventKind) {
        (self.emits)(kind);
    }
}

impl fmt::Debug for TreeRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeRun").field("lives", &self.lives()).finish_non_exhaustive()
    }
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
#[derive(Clone)]
pub struct Held {
    /// Grows with each holding.
    pub token: u64,
    /// The holder before has released the lease with all children down.
    pub released: bool,
    over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Held {
    #[doc(hidden)]
    pub fn new(token: u64, released: bool, over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Held { token, released, over: Arc::new(over) }
    }

    /// Returns whether the lease is over. From the first time on that it is, it stays so.
    pub fn is_over(&self) -> bool {
        (self.over)()
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("token", &self.token).field("released", &self.released).finish_non_exhaustive()
    }
}

/// The network that a tree is on: the state that a tree has for its extensions.
#[doc(hidden)]
#[derive(Debug)]
pub struct OnNetwork {
    /// The run of the tree.
    pub root: TreeRoot,
    /// The network.
    pub network: Arc<dyn TreeNetwork>,
}

impl OnNetwork {
    /// Returns whether an instance of the tree may act in another process.
    pub fn acts(&self) -> bool {
        self.network.acts(&self.root)
    }
}

/// Where the instance of a remote child is: the state that its cell has for extensions.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Elsewhere {
    /// The name of the node.
    pub node: Option<Arc<str>>,
    /// The number of messages that were sent to the node and are not known to be begun.
    pub window: usize,
    /// The role for whose node it waits, and since when.
    pub waits: Option<(&'static str, Instant)>,
}

/// The network that a tree is on, as the tree sees it: its nodes, and the children that wait for one. Part of a
/// [`Snapshot`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Snapshot.html).
///
/// See rule S63.
///
/// ```
/// use supervise::inspect::{NetworkView, Snapshot};
///
/// /// Returns the roles for which a machine has to be added.
/// fn wanted(snapshot: &Snapshot) -> Vec<&str> {
///     let network: Option<&NetworkView> = snapshot.network.as_ref();
///     network.into_iter().flat_map(|network| &network.waiting).map(|wait| wait.role.as_str()).collect()
/// }
/// # let _ = wanted;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NetworkView {
    /// The nodes that follow the owner of the tree, by name. Nodes that are lost are not in it, and none that has
    /// declined to follow.
    pub nodes: Vec<RemoteNode>,
    /// The nodes that do not follow this owner, or get no children of it, by name.
    pub refused: Vec<RefusedNode>,
    /// The roles for whose nodes children wait, by name.
    pub waiting: Vec<RoleWait>,
}

impl NetworkView {
    #[doc(hidden)]
    pub fn new(nodes: Vec<RemoteNode>, refused: Vec<RefusedNode>, waiting: Vec<RoleWait>) -> Self {
        NetworkView { nodes, refused, waiting }
    }
}

/// A node on which remote children run, as the owner of the tree sees it. In
/// [`Snapshot::remote_nodes`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Snapshot.html#method.remote_nodes).
///
/// `Display` writes one line: `host-7#1  worker  2 of 100 children  lease 4.0s  answers 310µs  build 1.4.2`.
///
/// ```
/// use supervise::inspect::{RemoteNode, Snapshot};
///
/// /// Returns the number of children that the nodes of this role still take; `None`: any number.
/// fn room(snapshot: &Snapshot, role: &str) -> Option<usize> {
///     let of_role = |node: &&RemoteNode| node.role == role;
///     let room = |node: &RemoteNode| Some(node.capacity?.saturating_sub(node.children));
///     snapshot.remote_nodes().iter().filter(of_role).map(room).sum()
/// }
/// # let _ = room;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteNode {
    /// The name of the node, as in [`Node::runs_on`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Node.html#structfield.runs_on) and in events: that of its process,
    /// then `#` and a part that is new each time the process joins.
    pub name: String,
    /// The role in which it serves.
    pub role: String,
    /// The number of children of this tree that are there: they run, come up, go down, or are not known to be down.
    pub children: usize,
    /// The number of children that it takes at most; `None`: any number.
    pub capacity: Option<usize>,
    /// The time until its lease is over, unless it renews it. `None`: it runs no child, so nothing depends on a lease.
    pub lease_left: Option<Duration>,
    /// The time from its last request for a renewal to the answer, as the node has measured it. `None`: it has told none yet.
    pub round_trip: Option<Duration>,
    /// The build of its program: the version of the package that declares the tree, or the text of `Net::build`.
    pub build: String,
}

impl RemoteNode {
    #[doc(hidden)]
    pub fn new(
        name: String,
        role: String,
        children: usize,
        capacity: Option<usize>,
        lease_left: Option<Duration>,
    ) -> Self {
        RemoteNode { name, role, children, capacity, lease_left, round_trip: None, build: String::new() }
    }

    /// Returns the name of its process: the part of the name before the last `#`.
    pub fn process(&self) -> &str {
        self.name.rsplit_once('#').map_or(&*self.name, |(process, _)| process)
    }
}

impl fmt::Display for RemoteNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}  {}", one_line(&self.name), one_line(&self.role), self.children)?;
        if let Some(capacity) = self.capacity {
            write!(f, " of {capacity}")?;
        }
        // The last number decides: `1 child`, `1 of 100 children`.
        f.write_str(if self.capacity.unwrap_or(self.children) == 1 { " child" } else { " children" })?;
        if let Some(left) = self.lease_left {
            write!(f, "  lease {left:.1?}")?;
        }
        if let Some(time) = self.round_trip {
            write!(f, "  answers {time:.0?}")?;
        }
        match &*self.build {
            "" => Ok(()),
            build => write!(f, "  build {}", one_line(build)),
        }
    }
}

/// A node that does not follow the owner of a tree, or gets no children of it. In [`NetworkView::refused`].
///
/// `Display` writes `host-7#1 is refused: ..`.
///
/// ```
/// use supervise::inspect::{RefusedNode, Snapshot};
///
/// fn reasons(snapshot: &Snapshot) -> Vec<String> {
///     let all: &[RefusedNode] = snapshot.network.as_ref().map_or(&[], |network| &network.refused);
///     all.iter().map(|node| node.to_string()).collect()
/// }
/// # let _ = reasons;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedNode {
    /// The name of the node.
    pub name: String,
    /// The reason, as the owner or the node gives it.
    pub why: String,
}

impl RefusedNode {
    #[doc(hidden)]
    pub fn new(name: String, why: String) -> Self {
        RefusedNode { name, why }
    }
}

impl fmt::Display for RefusedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is refused: {}", one_line(&self.name), one_line(&self.why))
    }
}

/// The number of children that wait for a node of one role. In [`NetworkView::waiting`].
///
/// `Display` writes `2 children wait for a node with the role worker`.
///
/// ```
/// use supervise::inspect::{RoleWait, Snapshot};
///
/// fn waits(snapshot: &Snapshot) -> usize {
///     let all: &[RoleWait] = snapshot.network.as_ref().map_or(&[], |network| &network.waiting);
///     all.iter().map(|wait| wait.children).sum()
/// }
/// # let _ = waits;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleWait {
    /// The role.
    pub role: String,
    /// The number of children, at least 1.
    pub children: usize,
}

impl RoleWait {
    #[doc(hidden)]
    pub fn new(role: String, children: usize) -> Self {
        RoleWait { role, children }
    }
}

impl fmt::Display for RoleWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (children, verb) = if self.children == 1 { ("child", "waits") } else { ("children", "wait") };
        write!(f, "{} {children} {verb} for a node with the role {}", self.children, one_line(&self.role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S63: the names of a node and a role come from another process, and each is shown on one line.
    #[test]
    fn names_from_elsewhere_are_on_one_line() {
        let nasty = || "one\ntwo\u{202e}".to_owned();
        let node = RemoteNode::new(nasty(), nasty(), 1, None, None).to_string();
        assert_eq!(node, r"one\ntwo\u{202e}  one\ntwo\u{202e}  1 child");
        let wait = RoleWait::new(nasty(), 2).to_string();
        assert_eq!(wait, r"2 children wait for a node with the role one\ntwo\u{202e}");
    }
}
