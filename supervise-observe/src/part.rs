//! Parts of a tree: which node to look at, and how much below it.

use tokio::time::Instant;

use crate::snapshot::{NodeStateKind, own_end, state};
use supervise_core::decide::group::{Group, Owner};
use supervise_runtime::extension::{ChildTable, seen};

/// The nodes below a node that a snapshot or a health check looks at.
///
/// ```
/// use supervise::inspect::{Extent, NodeStateKind};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         sessions: [Db] = || Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// for _ in 0..1000 {
///     shop.sessions.spawn().await?;
/// }
/// let overview = shop.snapshot_of("Shop", Extent::Declared).expect("it exists");
/// assert_eq!(overview.nodes().count(), 3); // Shop, db, sessions
/// let sessions = overview.find("sessions").and_then(|set| set.instances).expect("a set has instances");
/// assert_eq!((sessions.total(), sessions.of(NodeStateKind::Running)), (1000, 1000));
///
/// assert!(shop.health_of("sessions", Extent::Everything).is_some_and(|health| health.is_healthy()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Extent {
    /// All nodes.
    #[default]
    Everything,
    /// The declared children only: without the instances of sets, and without the children of actors. Those are counted,
    /// see [`Node::instances`](crate::Node::instances).
    Declared,
}

/// The number of the children of a node that were spawned at run time, by their state.
///
/// ```
/// use supervise::inspect::{Extent, Instances, NodeStateKind};
/// use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { sessions: [Session] = || Session } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.sessions.spawn().await?;
/// let part = shop.snapshot_of("sessions", Extent::Declared).ok_or("no such path")?;
/// let sessions: Instances = part.root.instances.ok_or("not a set")?;
/// assert_eq!(sessions.of(NodeStateKind::Running), 1);
/// assert_eq!(sessions.iter().collect::<Vec<_>>(), [(NodeStateKind::Running, 1)]);
/// assert_eq!(sessions.total(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Instances([u32; NodeStateKind::ALL.len()]); // each node has room for it

impl Instances {
    /// Returns the number of those in this state.
    pub fn of(&self, state: NodeStateKind) -> usize {
        self.0[state as usize] as usize
    }

    /// Returns the number of all.
    pub fn total(&self) -> usize {
        self.iter().map(|(_, number)| number).sum()
    }

    /// Returns the states that some are in, with their number.
    pub fn iter(&self) -> impl Iterator<Item = (NodeStateKind, usize)> {
        NodeStateKind::ALL.into_iter().map(|state| (state, self.of(state))).filter(|(_, number)| *number > 0)
    }

    /// Counts the children of this table, if they were spawned at run time.
    pub(crate) fn of_table(table: &ChildTable, now: Instant) -> Option<Instances> {
        if !are_spawned(table) {
            return None;
        }
        let (running, others) = table.view_not_running(now);
        let mut all = Instances::default();
        all.0[NodeStateKind::Running as usize] = running;
        for (cell, view) in others {
            let end = own_end(&*cell);
            let state = match view {
                None if end.is_none() => NodeStateKind::Running,
                view => state(&*cell, view.or_else(|| seen(&*cell, now)).as_ref(), end, now).kind(),
            };
            all.0[state as usize] += 1;
        }
        Some(all)
    }
}

/// Returns whether the children of this table were spawned at run time.
pub(crate) fn are_spawned(table: &ChildTable) -> bool {
    matches!(table.inspect(Group::owner), Owner::Set | Owner::Actor | Owner::Guardian)
}
