//! What any handle of a tree can be asked, and the waits for its end.

use super::*;
use crate::base::clock::after;

/// What any handle of a tree can be asked; every handle struct derefs to it.
///
/// Cheap to clone, `Send + Sync`, keeps nothing alive, stays the same over restarts of the tree. Two are equal when they
/// are of the same tree. Inside of a declaration the name `tree` is the tree's own; a set has one of
/// its own too, [`Children::tree`](crate::Children::tree).
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
/// /// For any tree.
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
    pub(crate) cell: Arc<dyn Controlled>,
}

/// Two are equal if they are handles of the same tree.
impl PartialEq for TreeRef {
    fn eq(&self, other: &Self) -> bool {
        self.cell.ctl().id == other.cell.ctl().id
    }
}

impl Eq for TreeRef {}

impl std::hash::Hash for TreeRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.cell.ctl().id.hash(state);
    }
}

impl fmt::Debug for TreeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeRef({})", self.path())
    }
}

impl TreeRef {
    /// Its path below the root; of a root its name.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation it is in, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }

    /// Subscribes to the events of the whole tree that this one is part of.
    pub fn events(&self) -> Events {
        self.cell.ctl().bus.subscribe()
    }

    /// The seed of the tree's random delays.
    pub fn seed(&self) -> u64 {
        self.cell.ctl().bus.seed
    }

    /// How many messages nobody handled, in the whole tree.
    pub fn dead_letters(&self) -> u64 {
        self.cell.ctl().bus.dead_letters.load(Ordering::Relaxed)
    }

    /// Asks it to stop: its children one after the other, in reverse, each with its `shutdown` time. Returns at once;
    /// [`shutdown`](TreeRef::shutdown) and [`join`](TreeRef::join) wait for the end. A subtree stays ended, whatever
    /// its lifecycle.
    pub fn stop(&self) {
        send(&*self.cell, SystemMessage::Stop);
    }

    /// Fails it at once, which its supervisor decides on; a root is taken down and ends.
    pub fn kill(&self) {
        send(&*self.cell, SystemMessage::Kill);
    }

    /// Restarts it by hand (S26): this child alone, whatever the strategy, not charged to its budget. A wait
    /// for its backoff is cut short, a start in progress begun again. Its hooks get a failure with
    /// [`Cause::Requested`](crate::Cause::Requested), which no decider sees; where a failure came first they
    /// have that one. Returns at once: `Ok` says that the restart has been taken up. If its new start fails, that concerns
    /// this child alone: it is retried or ends, and takes no sibling along, whatever the strategy.
    ///
    /// # Errors
    ///
    /// `Busy` while it is on its way down already or its group goes down, waits or comes up, `Stopping` and `Ended`,
    /// `NotDeclared` of a root, which has no supervisor.
    pub fn restart(&self) -> Result<(), CommandError> {
        commands::restart(&*self.cell)
    }

    /// Starts it again after its end, whatever that was (S26): as at its first start, with all its declared
    /// children, also those that were stopped from outside, and with a fresh budget and pace. Returns at once: `Ok` says that the start has been taken up.
    ///
    /// If that start fails it concerns this child alone, until it is up or has ended: it is decided as any first start, so
    /// without a backoff or a decider it ends, [`ended`](Self::ended) says with what, and no sibling goes along, whatever
    /// the strategy. Only Escalate and a limit that escalates fail the supervisor.
    ///
    /// # Errors
    ///
    /// `NotEnded` while it lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor takes no start any more, `NotDeclared` of a root.
    pub fn start_again(&self) -> Result<(), CommandError> {
        commands::start_again(&*self.cell)
    }

    /// Asks it to stop, now, and not only when what this gives is awaited; await that for the [`Report`].
    ///
    /// # Errors
    ///
    /// The future gives one at once when it is awaited inside the tree, which goes down all the same.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the shutdown goes on.
    pub fn shutdown(&self) -> ShutdownRef {
        self.stop();
        ShutdownRef(Shutdown::of(self.cell.clone()))
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    ///
    /// At once, when called from inside the tree.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again.
    pub fn join(&self) -> Join {
        Join::of(self.cell.clone())
    }

    /// It has ended, and why; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.ctl().ended()
    }

    /// Waits until every child is up, also those that started behind a declared backoff (S21).
    /// `false` if the tree ended first.
    ///
    /// At once if they are. A child that has ended for good holds up nobody.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again.
    pub async fn ready(&self) -> bool {
        let bus = self.cell.ctl().bus.clone();
        let mut first: Option<Arc<dyn Controlled>> = None;
        loop {
            let changed = bus.changed.notified();
            if self.cell.ctl().ended().is_some() {
                return false;
            }
            // As long as it is the same one, the others need no look.
            if !first.as_ref().is_some_and(|cell| holds_up(&**cell)) {
                first = not_up(&self.cell);
            }
            if first.is_none() {
                return true;
            }
            changed.await;
        }
    }
}

/// The first supervisor whose children are not all up, of this one and those below it.
fn not_up(cell: &Arc<dyn Controlled>) -> Option<Arc<dyn Controlled>> {
    let mut todo = vec![cell.clone()];
    while let Some(cell) = todo.pop() {
        if holds_up(&*cell) {
            return Some(cell);
        }
        if let Some(sup) = cell.ctl().sup().filter(|_| cell.ctl().ended().is_none()) {
            todo.extend(sup.cells().into_iter().filter(|child| child.ctl().sup().is_some()));
        }
    }
    None
}

/// Not all of its own children are up. One that has ended has done so for good, as far as it itself is concerned.
fn holds_up(cell: &dyn Controlled) -> bool {
    cell.ctl().ended().is_none() && cell.ctl().sup().is_some_and(|sup| !sup.all_up())
}

/// The wait for a tree's end: [`TreeRef::join`].
///
/// It gives the [`Report`], at once if the tree has ended before.
///
/// # Errors
///
/// At once, when awaited inside the tree.
///
/// # Cancel safety
///
/// May be dropped and made again.
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
/// let report = handle.join().await?; // both are through, and so the tree is
/// assert!(matches!(report.ended, Ended::Done));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Join {
    pub(crate) cell: Arc<dyn Controlled>,
    waiting: Waiting,
}

impl Join {
    pub(super) fn of(cell: Arc<dyn Controlled>) -> Self {
        Join { cell, waiting: Waiting::default() }
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        self.cell.ctl().leave(&mut self.waiting);
    }
}

impl Future for Join {
    type Output = Result<Report, WaitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let Join { cell, waiting } = &mut *self;
        let ctl = cell.ctl();
        match ctl.poll_ended(waiting, cx.waker()) {
            Poll::Ready(ended) => {
                let (failure, failures) = ctl.late();
                Poll::Ready(Ok(Report { ended, children: ctl.report(), failure, failures }))
            }
            Poll::Pending if current::is_inside(ctl.id) => Poll::Ready(Err(WaitError { path: ctl.path() })),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// A tree on its way down: [`Running::shutdown`]. It goes down whether or not this is awaited.
///
/// # Cancel safety
///
/// Dropped, the shutdown goes on, and nobody waits for it; a bound set by [`within`](Shutdown::within) is gone then.
///
/// # Panics
///
/// When it is awaited inside the very tree that goes down, which would wait for ever.
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
    pub(super) join: Join,
    pub(super) within: Option<Instant>,
    pub(super) timer: Option<Pin<Box<Sleep>>>,
    #[cfg(feature = "signal")]
    pub(super) again: Option<signal::Again>,
}

impl Shutdown {
    pub(super) fn of(cell: Arc<dyn Controlled>) -> Self {
        Shutdown {
            join: Join::of(cell),
            within: None,
            timer: None,
            #[cfg(feature = "signal")]
            again: None,
        }
    }

    /// Bounds the whole shutdown: what is not down by then is aborted, leaves first (S24).
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(after(Instant::now(), time));
        self
    }

    fn poll_join(&mut self, cx: &mut Cx<'_>) -> Poll<Result<Report, WaitError>> {
        if let Poll::Ready(done) = Pin::new(&mut self.join).poll(cx) {
            return Poll::Ready(done);
        }
        if let Some(until) = self.within {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
            if timer.as_mut().poll(cx).is_ready() {
                self.within = None;
                send(&*self.join.cell, SystemMessage::Abort);
            }
        }
        #[cfg(feature = "signal")]
        if signal::poll_again(&mut self.again, cx) {
            send(&*self.join.cell, SystemMessage::Abort);
        }
        Poll::Pending
    }
}

impl Future for Shutdown {
    type Output = Report;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Report> {
        self.poll_join(cx).map(|done| done.unwrap_or_else(|error| panic!("{error}")))
    }
}

/// A tree on its way down: [`TreeRef::shutdown`]. As [`Shutdown`], and an error where that one panics, since a handle may
/// well be inside the tree.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Console {
///     tree: supervise::TreeRef,
/// }
///
/// #[actor]
/// impl Console {
///     async fn handle(&mut self, quit: Reply<bool>) {
///         let going_down = self.tree.shutdown(); // it is asked to, from here on
///         quit.send(going_down.await.is_err()); // but its end cannot be waited for in here
///     }
/// }
///
/// supervisor! {
///     struct App {
///         console: Console = Console { tree: tree.clone() },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// assert!(app.console.ask(|reply| reply).await?);
/// assert!(matches!(app.join().await.ended, Ended::Stopped));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the tree is shutting down; await this to wait for it"]
pub struct ShutdownRef(Shutdown);

impl ShutdownRef {
    /// Bounds the whole shutdown: what is not down by then is aborted, leaves first (S24).
    pub fn within(self, time: Duration) -> Self {
        ShutdownRef(self.0.within(time))
    }
}

impl Future for ShutdownRef {
    type Output = Result<Report, WaitError>;

    /// # Errors
    ///
    /// At once, when awaited inside the tree.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        self.0.poll_join(cx)
    }
}
