//! The kinds of things that a tree is made of.

use std::fmt;

/// The kind of a child: an actor, a task, a tree or a set.
///
/// ```
/// use supervise::inspect::ChildKind;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = std::future::pending::<()>(),
///         reports: struct Reports { daily: Db = Db },
///         sessions: [Db] = || Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let running: Vec<ChildKind> = Shop::start().await?.snapshot().root.children.iter().map(|node| node.kind).collect();
/// assert_eq!(running, [ChildKind::Actor, ChildKind::Task, ChildKind::Tree, ChildKind::Set]);
///
/// // A declaration gives the kind of one instance. That there may be several is its shape.
/// let declared: Vec<ChildKind> = Shop::SPEC.children.iter().map(|child| child.kind).collect();
/// assert_eq!(declared, [ChildKind::Actor, ChildKind::Task, ChildKind::Tree, ChildKind::Actor]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChildKind {
    /// An actor.
    Actor,
    /// A task.
    Task,
    /// A tree: the root or a subtree.
    Tree,
    /// A `[..]`, with its instances as children. Only of nodes of a [`Snapshot`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Snapshot.html): a
    /// declaration gives the kind of the instances.
    Set,
}

impl ChildKind {
    /// A child that only supervises: a tree or a set.
    #[doc(hidden)]
    pub const fn only_supervises(self) -> bool {
        matches!(self, ChildKind::Tree | ChildKind::Set)
    }
}

impl fmt::Display for ChildKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChildKind::Actor => "actor",
            ChildKind::Task => "task",
            ChildKind::Tree => "tree",
            ChildKind::Set => "set",
        })
    }
}
