//! The handle that all trees share, and the waits for a tree's end.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use crate::actor::child_ref::{AnyRef, ChildRef, Sealed};
use crate::actor::commands::{self, CommandError};
use crate::actor::errors::WaitError;
use crate::actor::waits::{EndWait, ShutdownRef, Starting, Terminated, report};
use crate::engine::bus::Events;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::watched::Watched;
use crate::tree::child::TreeHandle;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::ended::Ended;
use supervise_core::values::report::Report;

/// The handle of any tree. The handle struct of every tree derefs to it.
///
/// A handle is cheap to clone and `Send + Sync`. It keeps nothing alive, and stays valid over restarts of the tree. Two
/// handles are equal if they refer to the same tree. Inside a declaration, the name `tree` is the handle of that tree;
/// the handle of a set is [`Children::tree`](crate::Children::tree).
///
/// ```
/// use supervise::{TreeRef, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         reports: struct Reports {
///             daily: Db = Db,
///         },
///     }
/// }
///
/// /// Works for any tree.
/// fn overview(tree: &TreeRef) -> String {
///     format!("{}: {}, {} dead letters", tree.path(), tree.health(), tree.dead_letters())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert!(shop.ready().await);
/// assert_eq!(overview(&shop), "Shop: healthy, 0 dead letters");
/// assert_eq!(overview(&shop.reports), "reports: healthy, 0 dead letters");
///
/// shop.reports.restart()?; // the subtree, with the same handles
/// let report = shop.handle().shutdown().await?; // from a handle: `shutdown(&self)`
/// assert!(report.is_orderly());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TreeRef {
    pub(crate) cell: Arc<AnyCell>,
}

/// Two handles are equal if they refer to the same tree.
impl PartialEq for TreeRef {
    fn eq(&self, other: &Self) -> bool {
        self.cell.core().id == other.cell.core().id
    }
}

impl Eq for TreeRef {}

impl std::hash::Hash for TreeRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.cell.core().id.hash(state);
    }
}

impl fmt::Debug for TreeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeRef({})", self.path())
    }
}

impl TreeRef {
    /// Returns the path of the tree below the root; for a root its name.
    pub fn path(&self) -> String {
        self.cell.core().path()
    }

    /// Returns the last part of the path; for a root its name.
    pub fn name(&self) -> String {
        self.cell.core().name()
    }

    /// Returns the current incarnation, counted from 1; 0 before the first start.
    pub fn incarnation(&self) -> u32 {
        self.cell.core().incarnation()
    }

    /// Returns the declaration of the tree. `None` before its first start begins, and for a set.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// /// Returns the names of the children that are declared, whether or not they have started.
    /// fn declared(tree: &TreeRef) -> Vec<&'static str> {
    ///     tree.spec().map_or_else(Vec::new, |spec| spec.children.iter().map(|child| child.name).collect())
    /// }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         db: Db = Db,
    ///         cart: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// assert_eq!(declared(&shop), ["db", "cart"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn spec(&self) -> Option<&'static TreeSpec> {
        self.cell.core().table()?.declaration.get().copied()
    }

    /// Subscribes to the events of the whole tree that this one is part of.
    pub fn events(&self) -> Events {
        self.cell.core().events()
    }

    /// Returns the seed of the tree's random delays.
    pub fn seed(&self) -> u64 {
        self.cell.core().bus.seed
    }

    /// Returns the number of accepted messages that were not handled, in the whole tree.
    pub fn dead_letters(&self) -> u64 {
        self.cell.core().bus.dead_letters.load(Ordering::Relaxed)
    }

    /// Requests a stop: the children stop one after the other, in reverse order, each within its `shutdown` time.
    ///
    /// This method returns immediately; [`shutdown`](TreeRef::shutdown) and [`join`](TreeRef::join) wait for the end. A
    /// subtree stays ended, whatever its lifecycle, until [`start_again`](TreeRef::start_again) is called on it or on a
    /// tree around it.
    pub fn stop(&self) {
        send(&*self.cell, SystemMessage::Stop);
    }

    /// Kills the tree. Its supervisor decides as for any failure; a root goes down and ends.
    pub fn kill(&self) {
        send(&*self.cell, SystemMessage::Kill);
    }

    /// Restarts this subtree alone, whatever the strategy.
    ///
    /// The restart does not count against the restart budget. It cuts a backoff short, and begins a start in progress
    /// again. This method returns immediately: `Ok` says that the restart has been accepted; await
    /// the [`Starting`] to wait until it is up. A failure of the new start
    /// concerns this subtree alone: the subtree is retried or ends, and no sibling is restarted together with it,
    /// whatever the strategy (S26).
    ///
    /// # Errors
    ///
    /// Returns `Busy` while the tree is already going down for a restart, or while its group goes down, waits or comes
    /// up; `Stopping` while the tree stops; `Ended` after it has ended; `StartedOnce` for an instance of a `Temporary`
    /// set; `NotDeclared` for a root, which has no supervisor.
    pub fn restart(&self) -> Result<Starting, CommandError> {
        commands::restart(&self.cell)
    }

    /// Starts the subtree again after it has ended, whatever the reason.
    ///
    /// OTP calls this `restart_child`. The start is like the first start: with all declared children, also those that
    /// were stopped from outside, and with a fresh restart budget and restart delay. This method returns immediately:
    /// `Ok` says that the start has been accepted;
    /// await the [`Starting`] to wait until it is up.
    ///
    /// A failure of that start concerns this subtree alone, until the subtree is up or has ended. It is decided like
    /// the failure of any first start: without a backoff or a decider the subtree ends, [`ended`](Self::ended) returns
    /// the reason, and no sibling is restarted together with it, whatever the strategy. Only `Escalate`, and a limit
    /// that escalates, fail the supervisor (S26).
    ///
    /// # Errors
    ///
    /// Returns `NotEnded` while the tree lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor accepts no more starts, and `NotDeclared` for a root.
    pub fn start_again(&self) -> Result<Starting, CommandError> {
        commands::start_again(&self.cell)
    }

    /// Requests the shutdown immediately, even if the returned future is never polled. Await it to get the [`Report`].
    ///
    /// # Errors
    ///
    /// The future resolves to an error immediately if it is awaited inside the tree, which goes down all the same.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the shutdown continues.
    pub fn shutdown(&self) -> ShutdownRef<Report> {
        ShutdownRef::of(self.cell.clone())
    }

    /// Waits until the tree has ended, and returns the [`Report`].
    ///
    /// # Errors
    ///
    /// Returns an error immediately if it is called from inside the tree.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// supervisor! {
    ///     struct Batch {
    ///         import: task = async {},
    ///         export: task = async {},
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let batch = Batch::start().await?;
    /// let handle = batch.handle();
    /// let report = handle.join().await?; // both have finished, so the tree has too
    /// assert!(matches!(report.ended, Ended::Done));
    /// # Ok(())
    /// # }
    /// ```
    pub fn join(&self) -> BoxFuture<'static, Result<Report, WaitError>> {
        Box::pin(Join::of(self.cell.clone()))
    }

    /// Returns why the tree has ended; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.core().ended()
    }

    /// Returns `true` until the tree has ended, also while it is down for a restart.
    pub fn is_alive(&self) -> bool {
        self.ended().is_none()
    }

    /// Waits until the tree has ended; ready immediately if it already has. A restart is not an end. Needs no tokio
    /// runtime. [`join`](TreeRef::join) gives the [`Report`] besides.
    ///
    /// # Errors
    ///
    /// Returns an error immediately if it is called from inside the tree.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    pub fn terminated(&self) -> BoxFuture<'static, Result<Ended, WaitError>> {
        Box::pin(Terminated::of(self.cell.clone()))
    }

    /// Returns the identity of the tree, as a [`Watcher`](crate::Watcher) gets it: a key for a map.
    pub fn watched(&self) -> Watched {
        self.cell.core().identity()
    }

    /// Waits until every child is up, including those whose first start is backing off. Returns `false` if the tree
    /// ended first.
    ///
    /// Ready immediately if all children are up. Children that have ended are not waited for (S21).
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    pub async fn ready(&self) -> bool {
        let bus = self.cell.core().bus.clone();
        let mut first: Option<Arc<AnyCell>> = None;
        let is_up = || {
            if self.cell.core().has_ended() {
                return Some(false);
            }
            // As long as this supervisor still has a child that is not up, the others need not be checked.
            if !first.as_ref().is_some_and(|cell| holds_up(&**cell)) {
                first = not_up(&self.cell);
            }
            first.is_none().then_some(true)
        };
        bus.changed.until(is_up).await
    }
}

impl Sealed for TreeRef {}

impl ChildRef for TreeRef {
    type Shutdown = Report;

    fn any(&self) -> AnyRef {
        AnyRef::of(self.cell.clone())
    }
}

impl<T: TreeHandle + Deref<Target = TreeRef>> Sealed for T {}

impl<T: TreeHandle + Deref<Target = TreeRef>> ChildRef for T {
    type Shutdown = Report;

    fn any(&self) -> AnyRef {
        self.deref().any()
    }
}

/// Returns the first supervisor, of this one and those below it, whose children are not all up.
fn not_up(cell: &Arc<AnyCell>) -> Option<Arc<AnyCell>> {
    let mut todo = vec![cell.clone()];
    while let Some(cell) = todo.pop() {
        if holds_up(&*cell) {
            return Some(cell);
        }
        if let Some(table) = cell.core().table().filter(|_| cell.core().ended().is_none()) {
            todo.extend(table.cells().into_iter().filter(|child| child.core().table().is_some()));
        }
    }
    None
}

/// Returns whether a child of this supervisor is not up. A supervisor that has ended has no such child: nothing below
/// it is waited for.
fn holds_up(cell: &AnyCell) -> bool {
    cell.core().ended().is_none() && cell.core().table().is_some_and(|table| !table.all_up())
}

/// The wait for the end of a tree.
pub(super) struct Join(Terminated);

impl Join {
    pub(super) fn of(cell: Arc<AnyCell>) -> Self {
        Join(Terminated::of(cell))
    }
}

impl Future for Join {
    type Output = Result<Report, WaitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|done| done.map(|ended| report(&*self.0.cell, ended)))
    }
}

/// The future of [`Running::shutdown`](crate::Running::shutdown): a tree that is going down, whether or not this is
/// awaited.
///
/// # Cancel safety
///
/// If the future is dropped, the shutdown continues; a limit set by [`within`](Shutdown::within) no longer applies.
///
/// # Panics
///
/// Panics if it is awaited inside the tree that goes down, since the wait would never end.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// supervisor! {
///     struct App {
///         #[lifecycle(Permanent, shutdown = 1min)]
///         deaf: task = |_cx| std::future::pending::<()>(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let began = tokio::time::Instant::now();
/// let report = App::start().await?.shutdown().within(Duration::from_secs(10)).await;
/// assert_eq!(began.elapsed().as_secs(), 10);
/// assert!(report.children[0].aborted);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the tree is shutting down; await this to wait for it"]
pub struct Shutdown {
    wait: EndWait,
    /// A wait after the end of the tree, for a part of it that stands beside.
    after: Option<AfterEnd>,
    /// The report, during that wait.
    report: Option<Report>,
    #[cfg(feature = "signal")]
    pub(super) again: Option<super::signal::Again>,
}

/// A wait that begins with the start of a tree, and is over after its end, which it knows.
#[doc(hidden)]
pub struct AfterEnd(pub Pin<Box<dyn Future<Output = Ended> + Send + Sync>>);

impl fmt::Debug for AfterEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterEnd")
    }
}

impl Shutdown {
    pub(crate) fn of(cell: Arc<AnyCell>) -> Self {
        Shutdown {
            wait: EndWait::of(cell),
            after: None,
            report: None,
            #[cfg(feature = "signal")]
            again: None,
        }
    }

    /// Waits for this, too.
    pub(super) fn and_then(self, after: Option<AfterEnd>) -> Self {
        Shutdown { after, ..self }
    }

    /// Limits the whole shutdown: children that are not down by then are aborted, leaves first.
    ///
    /// See rule S24.
    pub fn within(mut self, time: Duration) -> Self {
        self.wait.within(time);
        self
    }
}

impl Shutdown {
    fn once_all_is_over(&mut self, report: Report, cx: &mut Cx<'_>) -> Poll<Report> {
        if self.after.as_mut().is_some_and(|after| after.0.as_mut().poll(cx).is_pending()) {
            self.report = Some(report);
            return Poll::Pending;
        }
        self.after = None;
        Poll::Ready(report)
    }
}

impl Future for Shutdown {
    type Output = Report;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Report> {
        let this = &mut *self;
        if let Some(report) = this.report.take() {
            return this.once_all_is_over(report, cx);
        }
        if let Poll::Ready(done) = this.wait.poll(cx) {
            let ended = done.unwrap_or_else(|error| panic!("{error}"));
            let report = report(this.wait.cell(), ended);
            return this.once_all_is_over(report, cx);
        }
        #[cfg(feature = "signal")]
        if super::signal::poll_again(&mut this.again, cx) {
            this.wait.abort();
        }
        Poll::Pending
    }
}
