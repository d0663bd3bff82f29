//! A tree in the hands of an operator: children by their path, requests that name who asks, and a sign of life.

use std::future::Future;

use tokio::time::Instant;

use crate::actor::child_ref::AnyRef;
use crate::actor::commands::{self, CommandError};
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::tree::TreeRef;
use supervise_core::base::line::one_line;
use supervise_core::base::sync::Arc;
use supervise_core::values::event::EventKind;
use supervise_core::values::operation::Operation;

/// The error of [`TreeRef::operate`]: nothing has happened.
///
/// ```
/// use supervise::error::OperateError;
/// use supervise::event::Operation;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let unknown = shop.operate("database", Operation::Stop, "alice");
/// assert!(matches!(&unknown, Err(OperateError::NotFound { path }) if path == "database"));
/// let refused = shop.operate("db", Operation::StartAgain, "alice");
/// assert!(matches!(&refused, Err(OperateError::Refused(_))));
/// assert_eq!(refused.unwrap_err().to_string(), "db has not ended, so it cannot be started again; ask for `restart()`");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperateError {
    /// The tree has no child with this path now.
    #[error("no child has the path \"{}\" now; a snapshot lists the paths", one_line(path))]
    NotFound {
        /// The path that was given.
        path: String,
    },
    /// The child cannot do this now.
    #[error(transparent)]
    Refused(#[from] CommandError),
}

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
        let (cell, _) = self.part(path, Instant::now())?;
        Some(AnyRef::of(cell))
    }

    /// Asks a child for this, in the name of an operator: a person, or a program that acts for one. The event
    /// [`Requested`](EventKind::Requested) says who has asked, for the record.
    ///
    /// The request itself is that of the handle: [`stop`](crate::ChildRef::stop), [`kill`](crate::ChildRef::kill),
    /// [`restart`](crate::ChildRef::restart) or [`start_again`](crate::ChildRef::start_again). The method returns
    /// immediately; the events tell what follows. `by` is written into the event as it is, so check what comes from outside.
    ///
    /// See rule S53.
    ///
    /// # Errors
    ///
    /// Returns `NotFound` if no child has this path, and then raises no event; `Refused` with the reason if the child
    /// cannot do this now. A `Stop` or a `Kill` of a child that has ended is refused too.
    ///
    /// ```
    /// use supervise::event::{EventKind, Operation};
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         db: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// let mut events = shop.events();
    /// shop.operate("db", Operation::Restart, "alice")?;
    ///
    /// let asked = events.next().await.expect("the tree lives");
    /// assert_eq!(asked.to_string(), "db #1 restart requested by alice");
    /// assert!(matches!(asked.kind, EventKind::Requested { operation: Operation::Restart, .. }));
    /// # Ok(())
    /// # }
    /// ```
    pub fn operate(&self, path: &str, operation: Operation, by: impl Into<String>) -> Result<(), OperateError> {
        let Some((cell, _)) = self.part(path, Instant::now()) else {
            return Err(OperateError::NotFound { path: path.to_owned() });
        };
        // First, so that it comes before the events of what it causes.
        cell.core().emit(EventKind::Requested { operation, by: by.into() });
        match operation {
            Operation::Restart => drop(commands::restart(&cell)?),
            Operation::StartAgain => drop(commands::start_again(&cell)?),
            Operation::Stop | Operation::Kill if cell.core().has_ended() => {
                return Err(OperateError::Refused(CommandError::Ended { path: cell.core().path() }));
            }
            Operation::Stop => send(&*cell, SystemMessage::Stop),
            Operation::Kill => send(&*cell, SystemMessage::Kill),
            operation => unreachable!("`{operation}` has an arm above"),
        }
        Ok(())
    }

    /// Waits for a sign of life of the root of this tree: `true` once its task has run, `false` if the tree has ended.
    ///
    /// For the liveness probe of an orchestrator, and for a watchdog. A tree whose children are down, back off or hang in
    /// an `.await` answers; one whose task is not polled does not, because code blocks its thread or the runtime stands
    /// still. Limit the wait with a timeout of the caller. For the state of the children see [`health`](Self::health).
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

/// Returns the highest cell above this one that has a task: the guardian of the top-level children has none.
fn root(cell: &Arc<AnyCell>) -> Arc<AnyCell> {
    let mut root = cell;
    while let Some(above) = root.core().parent.as_ref().filter(|above| !above.core().is_guardian()) {
        root = above;
    }
    root.clone()
}
