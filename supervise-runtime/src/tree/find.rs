//! Children of a tree by their path, and a sign of life of its root.

use std::future::Future;

use tokio::time::Instant;

use crate::actor::child_ref::AnyRef;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::supervisor::ChildView;
use crate::tree::TreeRef;
use supervise_core::base::sync::Arc;

impl TreeRef {
    /// Returns the handle of the child with this path, or of the tree itself. `None` if no such child is in this tree now.
    ///
    /// The path is the text that events and snapshots show: `reports/daily`, or the name of the root. The handle stays that
    /// of this child, also when another one gets its path.
    ///
    /// ```
    /// use supervise::ChildRef;
    /// use supervise::prelude::*;
    /// # struct Session;
    /// # #[actor]
    /// # impl Session { fn handle(&mut self, _msg: ()) {} }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         sessions: [String => Session] = |_user: String| Session,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// shop.sessions.spawn("alice".to_owned()).await?;
    /// let alice = shop.find("sessions/alice").expect("she is there");
    /// alice.shutdown().await?;
    /// assert!(shop.find("sessions/alice").is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn find(&self, path: &str) -> Option<AnyRef> {
        let (cell, _) = part(self, path, Instant::now())?;
        Some(AnyRef::of(cell))
    }

    /// Waits for a sign of life of the root of this tree: `true` once its task has run, `false` if the tree has ended.
    ///
    /// For the liveness probe of an orchestrator, and for a watchdog. A tree whose children are down, back off or hang in
    /// an `.await` answers; one whose task is not polled does not, because code blocks its thread or the runtime stands
    /// still. Limit the wait with a timeout of the caller. For the state of the children see [`health`](https://docs.rs/supervise-tree/latest/supervise/inspect/trait.Inspect.html#tymethod.health).
    ///
    /// Any number of callers wait for one and the same sign, so that calls which are given up leave nothing behind.
    ///
    /// See rule S54.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::TreeRef;
    /// use supervise::prelude::*;
    /// use tokio::time::timeout;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// async fn is_alive(tree: &TreeRef) -> bool {
    ///     timeout(Duration::from_secs(1), tree.answers()).await == Ok(true)
    /// }
    ///
    /// # supervisor! { struct Shop { db: Db = Db } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// assert!(is_alive(&shop).await);
    /// # Ok(())
    /// # }
    /// ```
    pub fn answers(&self) -> impl Future<Output = bool> + Send + use<> {
        let root = root(&self.cell);
        async move {
            let Some((sign, is_first)) = root.core().expect_sign() else { return false };
            if is_first {
                send(&*root, SystemMessage::Ping);
            }
            sign.decided().await;
            matches!(sign.outcome(), Some(Ok(())))
        }
    }
}

/// Returns the node of this tree with this path, as its supervisor sees it.
pub fn part(tree: &TreeRef, path: &str, now: Instant) -> Option<(Arc<AnyCell>, Option<ChildView>)> {
    let own = tree.path();
    let mut cell = tree.cell.clone();
    let mut seen = seen(&*cell, now);
    let mut rest = match cell.core().parent {
        _ if path == own => "",
        None if path.is_empty() => return None,
        None => path,
        Some(_) => path.strip_prefix(&*own)?.strip_prefix('/')?,
    };
    while !rest.is_empty() {
        let table = cell.core().table()?;
        let (found, below) = table.find(now, rest)?;
        rest = below;
        (cell, seen) = (found.0, Some(found.1));
    }
    Some((cell, seen))
}

/// Returns the view that the supervisor of this cell has of it.
pub fn seen(cell: &AnyCell, now: Instant) -> Option<ChildView> {
    cell.core().supervisor().and_then(|supervisor| supervisor.core().table()?.see_child(cell, now))
}

/// Returns the highest cell with a task above this cell, or this cell: a guardian has no task.
fn root(cell: &Arc<AnyCell>) -> Arc<AnyCell> {
    let mut root = cell;
    while let Some(above) = root.core().parent.as_ref().filter(|above| !above.core().is_guardian()) {
        root = above;
    }
    root.clone()
}
