//! The methods that all handles have, and the handle of a child of any type.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::actor::commands::{self, CommandError};
use crate::actor::errors::WaitError;
use crate::actor::waits::{ShutdownRef, ShutdownResult, Starting, Terminated};
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::watched::Watched;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;

mod sealed {
    pub trait Sealed {}
}

pub(crate) use sealed::Sealed;

/// The methods that all handles have: [`ActorRef`](crate::ActorRef), [`TaskRef`](crate::TaskRef),
/// [`TreeRef`](crate::TreeRef), the handle struct of each tree, and [`AnyRef`].
///
/// The handles have the same methods themselves, so this trait is needed only to write a function over any handle. It
/// cannot be implemented elsewhere.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::{AnyRef, ChildRef};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = std::future::pending::<()>(),
///         reports: struct Reports {
///             daily: Db = Db,
///         },
///     }
/// }
///
/// /// Stops each of them, and waits until all have ended.
/// async fn stop_all(children: &[AnyRef]) -> Result<(), supervise::error::WaitError> {
///     for child in children {
///         child.stop();
///     }
///     for child in children {
///         println!("{}: {}", child.path(), child.terminated().await?);
///     }
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// stop_all(&[shop.db.any(), shop.ticker.any(), shop.reports.any()]).await?;
/// assert!(!shop.db.is_alive() && !shop.reports.is_alive());
/// # Ok(())
/// # }
/// ```
pub trait ChildRef: Sealed + Clone + fmt::Debug + Send + Sync + 'static {
    /// The result of [`shutdown`](ChildRef::shutdown): the [`Ended`], or for a tree the
    /// [`Report`](crate::inspect::Report).
    type Shutdown: ShutdownResult;

    /// Returns a handle without the type of the child.
    fn any(&self) -> AnyRef;

    /// Returns the path of the child below the root.
    fn path(&self) -> String {
        self.any().cell.core().path()
    }

    /// Returns the last part of the path; for a root its name.
    fn name(&self) -> String {
        self.any().cell.core().name()
    }

    /// Returns the current incarnation, counted from 1; 0 before the first start.
    fn incarnation(&self) -> u32 {
        self.any().cell.core().incarnation()
    }

    /// Returns `true` until the child has ended, also while it is down for a restart.
    fn is_alive(&self) -> bool {
        self.ended().is_none()
    }

    /// Returns why the child has ended; `None` while it lives or is being restarted.
    fn ended(&self) -> Option<Ended> {
        self.any().cell.core().ended()
    }

    /// Waits until the child has ended; ready immediately if it already has. A restart is not an end.
    ///
    /// The future needs no tokio runtime. A child whose runtime is dropped ends with it, as [`Ended::RuntimeGone`].
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Session;
    /// # #[actor]
    /// # impl Session { fn handle(&mut self, _line: String) {} }
    ///
    /// supervisor! {
    ///     struct Server {
    ///         session: Session = Session,
    ///         ticker: task = async { tokio::time::sleep(std::time::Duration::from_secs(60)).await },
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::start().await?;
    /// tokio::select! {
    ///     ended = server.session.terminated() => println!("the session has ended: {}", ended?),
    ///     ended = server.ticker.terminated() => assert!(matches!(ended?, Ended::Done)),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Resolves to a [`WaitError`] immediately when it is polled inside the child or below it.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    fn terminated(&self) -> BoxFuture<'static, Result<Ended, WaitError>> {
        Box::pin(Terminated::of(self.any().cell))
    }

    /// Returns the identity of the child, as a [`Watcher`](crate::Watcher) gets it: a key for a map.
    fn watched(&self) -> Watched {
        self.any().cell.core().identity()
    }

    /// Requests a stop, and returns immediately.
    fn stop(&self) {
        send(&*self.any().cell, SystemMessage::Stop);
    }

    /// Kills the child, which fails with [`Cause::Killed`](crate::Cause::Killed): its supervisor decides. If nothing
    /// runs that could be dropped, the kill is a stop.
    fn kill(&self) {
        send(&*self.any().cell, SystemMessage::Kill);
    }

    /// Requests a stop immediately, even if the returned future is never polled. Await it to wait for the end.
    ///
    /// # Errors
    ///
    /// The future resolves to an error immediately if it is awaited inside the child or below it. The child goes down
    /// all the same.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the child still goes down.
    fn shutdown(&self) -> ShutdownRef<Self::Shutdown> {
        ShutdownRef::of(self.any().cell)
    }

    /// Restarts this child alone, whatever the strategy (S26). Await the [`Starting`] to wait until it is up; it need
    /// not be awaited.
    ///
    /// # Errors
    ///
    /// Returns why the request was refused; see [`CommandError`].
    fn restart(&self) -> Result<Starting, CommandError> {
        commands::restart(&self.any().cell)
    }

    /// Starts the child again after it has ended, whatever the reason (S26). Await the [`Starting`] to wait until it is
    /// up; it need not be awaited.
    ///
    /// # Errors
    ///
    /// Returns why the request was refused; see [`CommandError`].
    fn start_again(&self) -> Result<Starting, CommandError> {
        commands::start_again(&self.any().cell)
    }
}

/// The handle of a set: [`Children`](crate::Children) or [`Keyed`](crate::Keyed), for
/// [`Context::watch_each`](crate::Context::watch_each).
///
/// The trait cannot be implemented elsewhere.
///
/// ```
/// use supervise::bound::InstanceSet;
/// use supervise::{Actor, Context, Watcher};
///
/// fn watch_all<A: Actor + Watcher>(cx: &mut Context<A>, sets: &[&impl InstanceSet]) {
///     for set in sets {
///         cx.watch_each(*set);
///     }
/// }
/// ```
pub trait InstanceSet: Sealed {
    /// Returns the set, and whether its instances have keys.
    #[doc(hidden)]
    fn set(&self) -> (AnyRef, bool);
}

/// A handle without the type of the child: an actor, a task or a tree.
///
/// [`ChildRef`] has its methods. Its [`shutdown`](ChildRef::shutdown) gives the [`Ended`], also of a tree. Two handles
/// are equal if they refer to the same child. As the key of a map it needs `#[allow(clippy::mutable_key_type)]`, see
/// [`ActorRef`](crate::ActorRef).
///
/// ```
/// use supervise::prelude::*;
/// use supervise::{AnyRef, ChildRef};
///
/// struct Pool;
/// struct Worker(u32);
///
/// #[actor]
/// impl Worker {
///     fn handle(&mut self, reply: Reply<u32>) {
///         reply.send(self.0);
///     }
/// }
///
/// #[actor]
/// impl Pool {
///     #[pre_start]
///     async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
///         cx.spawn(child! { "first": Worker = Worker(1) }).await?;
///         cx.spawn(child! { "second": Worker = Worker(2) }).await?;
///         Ok(())
///     }
///
///     fn handle(&mut self, reply: Reply<Vec<AnyRef>>, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
///         reply.send(cx.children());
///         Ok(())
///     }
/// }
///
/// # supervisor! { struct App { pool: Pool = Pool } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = App::start().await?;
/// let workers = app.pool.ask(|reply| reply).await?;
/// assert_eq!([workers[0].name(), workers[1].name()], ["first", "second"]);
/// let second: ActorRef<Worker> = workers[1].actor().expect("the type that was spawned");
/// assert_eq!(second.ask(|reply| reply).await?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AnyRef {
    cell: Arc<AnyCell>,
}

impl AnyRef {
    pub(crate) fn of(cell: Arc<AnyCell>) -> Self {
        AnyRef { cell }
    }

    pub(crate) fn cell(&self) -> &Arc<AnyCell> {
        &self.cell
    }
}

impl Sealed for AnyRef {}

impl ChildRef for AnyRef {
    type Shutdown = Ended;

    fn any(&self) -> AnyRef {
        self.clone()
    }
}

impl fmt::Debug for AnyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyRef({})", self.path())
    }
}

impl PartialEq for AnyRef {
    fn eq(&self, other: &Self) -> bool {
        self.cell.core().id == other.cell.core().id
    }
}

impl Eq for AnyRef {}

impl Hash for AnyRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cell.core().id.hash(state);
    }
}

/// Compares by identity: whether this is the same child.
impl<C: ChildRef> PartialEq<C> for Watched {
    fn eq(&self, other: &C) -> bool {
        self.id == other.any().cell.core().id
    }
}
