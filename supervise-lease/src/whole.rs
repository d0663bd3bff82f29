//! A whole tree under a lease.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::sync::oneshot;

use crate::hold::run_under;
use crate::keeper::{Grant, Keeper};
use crate::lease::Lease;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Failure;
use supervise_core::values::lease::Kept;
use supervise_core::values::report::Report;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::extension::{
    self, AfterEnd, Begun, TreeShared, Waiting, and_then, begin_with, has, next_run, report, require_time, shutdown,
    stop,
};
use supervise_runtime::{Running, Tree};

/// Lets a tree run only while a lease is held. The prelude has this trait.
///
/// ```
/// use supervise::lease::RunsUnder; // or the prelude
/// use supervise::testing::MemoryLease;
/// # use supervise::{actor, supervisor};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::tree().only_with(MemoryLease::new("shop")).start().await?;
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub trait RunsUnder<T: TreeDef>: sealed::Sealed {
    /// Lets the tree run only while this lease is held: `Shop::tree(config).only_with(lease).run(signal())`.
    ///
    /// The parameters have to be `Clone`, since the tree is started anew with each holding. [`events`](Tree::events) of
    /// before tells of all holdings, with the events of the lease.
    ///
    /// See rule S55.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::prelude::*;
    /// use supervise::testing::MemoryLease;
    /// # struct Jobs;
    /// # #[actor]
    /// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
    ///
    /// supervisor! {
    ///     struct Shop(name: String) {
    ///         jobs: Jobs = Jobs,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let lease = MemoryLease::new("shop"); // or one of `supervise-lease`
    /// let night = tokio::time::sleep(Duration::from_secs(3600));
    /// let report = Shop::tree("corner".to_owned()).only_with(lease.clone()).run(night).await?;
    /// assert!(report.is_orderly());
    /// assert_eq!(lease.holder(), None); // given back
    /// # Ok(())
    /// # }
    /// ```
    fn only_with(self, lease: impl Lease) -> OnlyWith<T>;
}

mod sealed {
    pub trait Sealed {}

    impl<T: super::TreeDef> Sealed for super::Tree<T> {}
}

impl<T: TreeDef> RunsUnder<T> for Tree<T>
where
    T::Params: Clone,
{
    fn only_with(mut self, lease: impl Lease) -> OnlyWith<T> {
        let shared = extension::shared(&mut self); // for all holdings
        let networked = has(&self, |extension| extension.is_network());
        OnlyWith { tree: self, shared, keeper: Keeper::new(lease, networked) }
    }
}

/// A tree that runs only while a lease is held, of [`RunsUnder::only_with`].
///
/// [`run`](OnlyWith::run) does all of it, from one holding to the next. [`start`](OnlyWith::start) waits for one holding and gives
/// the handle of the tree.
///
/// ```
/// use supervise::lease::OnlyWith;
/// use supervise::prelude::*;
/// use supervise::testing::MemoryLease;
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let lease = MemoryLease::new("shop");
/// let mut shop: OnlyWith<Shop> = Shop::tree().only_with(lease.clone());
/// let first: Running<Shop> = shop.start().await?;
/// assert_eq!(first.lease_token(), Some(1));
///
/// lease.steal();
/// let report = first.join().await; // the next renewal is refused, and the tree stops in order
/// assert!(report.is_orderly());
/// assert_eq!(shop.start().await?.lease_token(), Some(3));
/// # Ok(())
/// # }
/// ```
#[must_use = "a tree does nothing until `run` or `start` is awaited"]
pub struct OnlyWith<T: TreeDef> {
    tree: Tree<T>,
    shared: Arc<TreeShared>,
    keeper: Arc<Keeper>,
}

impl<T: TreeDef> fmt::Debug for OnlyWith<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnlyWith").field("tree", &self.tree).field("keeper", &self.keeper).finish()
    }
}

/// A run of the tree under one holding.
struct Run<T> {
    begun: Begun<T>,
    kept: oneshot::Receiver<Kept>,
}

impl<T: TreeDef> OnlyWith<T>
where
    T::Params: Clone,
{
    /// Waits for the lease, then starts the tree: its children in order, each awaited.
    ///
    /// The tree stops when the lease is lost. [`shutdown`](Running::shutdown) and [`join`](Running::join) of the guard wait
    /// until the lease is given back, too. Dropping the guard stops the tree and gives the lease back, without waiting for
    /// either.
    ///
    /// # Errors
    ///
    /// Returns the failure of the first start that is not retried, once the lease is given back. A lease that is lost
    /// during the start is no such error: the tree is waited for with the next holding. Errors of the lease are events.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the children that are up are stopped, and the lease is given back.
    ///
    /// # Panics
    ///
    /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`).
    #[track_caller]
    pub fn start(&mut self) -> BoxFuture<'_, Result<Running<T>, Failure>> {
        let at = Location::caller();
        Box::pin(async move {
            require_time();
            loop {
                let grant = self.acquire().await;
                let Run { begun, kept } = self.begin(grant, at);
                let cell = begun.cell().clone();
                let mut waiting = Waiting::default();
                match begun.over(poll_fn(|cx| cell.core().poll_up(&mut waiting, cx.waker())).await) {
                    Ok(running) => {
                        let ended = async { kept.await.map_or(Ended::RuntimeGone, |kept| kept.ended) };
                        return Ok(and_then(running, AfterEnd(Box::pin(ended))));
                    }
                    Err(failure) => {
                        if !kept.await.is_ok_and(|kept| kept.lost) {
                            return Err(failure);
                        }
                    }
                }
            }
        })
    }

    /// Waits for the lease, runs the tree while it is held, stops it in order when it is lost, and waits again. This goes on
    /// until `until` is ready or the tree has ended by itself. Then shuts the tree down, gives the lease back, and returns
    /// the report. Return the report from `main` as the exit code.
    ///
    /// `until` is polled before anything else, and from then on. If it is ready while no lease is held, the report is that
    /// of an orderly stop without children.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`start`](OnlyWith::start).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the shutdown of the tree is requested, but not waited for. The lease is given back once
    /// the tree is down.
    ///
    /// # Panics
    ///
    /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`).
    #[track_caller]
    pub fn run<'a, U>(mut self, until: U) -> BoxFuture<'a, Result<Report, Failure>>
    where
        U: Future + Send + 'a,
    {
        let at = Location::caller();
        Box::pin(async move {
            require_time();
            let mut until = Box::pin(async { drop(until.await) });
            let mut over = false;
            loop {
                let Some(grant) = before(&mut over, &mut until, self.acquire()).await else {
                    return Ok(Report::new(Ended::Stopped, Vec::new(), None, 0));
                };
                let Run { begun, kept } = self.begin(grant, at);
                let cell = begun.cell().clone();
                let mut waiting = Waiting::default();
                let up = poll_fn(|cx| cell.core().poll_up(&mut waiting, cx.waker()));
                let Some(up) = before(&mut over, &mut until, up).await else {
                    stop(&cell);
                    begun.disarmed();
                    let report = shutdown(cell).await;
                    let _ = kept.await;
                    return Ok(report);
                };
                let running = match begun.over(up) {
                    Ok(running) => running,
                    Err(failure) => match kept.await {
                        Ok(Kept { lost: true, .. }) => continue,
                        _ => return Err(failure),
                    },
                };
                let mut kept = kept;
                let lost = before(&mut over, &mut until, &mut kept).await;
                if let Some(Ok(Kept { ended, lost })) = lost {
                    drop(running);
                    match lost {
                        true => continue,
                        false => return Ok(report(&cell, ended)),
                    }
                }
                let report = running.shutdown().await;
                let _ = kept.await;
                return Ok(report);
            }
        })
    }

    fn acquire(&self) -> impl Future<Output = Grant> + Send + use<T> {
        let (keeper, bus) = (self.keeper.clone(), self.shared.clone());
        async move {
            bus.started();
            keeper.acquire(&|kind| raise::<T>(&bus, 0, kind)).await
        }
    }

    /// Begins the tree under this grant, with a keeper of its own.
    fn begin(&mut self, grant: Grant, at: &'static Location<'static>) -> Run<T> {
        let hold = grant.begins();
        let begun = begin_with(next_run(&mut self.tree), at, |root| run_under(root, hold.clone()));
        let (tell, kept) = oneshot::channel();
        let (cell, keeper, bus) = (begun.cell().clone(), self.keeper.clone(), self.shared.clone());
        tokio::spawn(async move {
            let tell_of = |kind| raise::<T>(&bus, cell.core().incarnation(), kind);
            let _ = tell.send(keeper.keep(&hold, &cell, &tell_of).await);
        });
        Run { begun, kept }
    }
}

/// Raises an event of the lease, for subscribers of all runs: the lease is given back after the end of one.
fn raise<T: TreeDef>(bus: &TreeShared, incarnation: u32, kind: EventKind) {
    bus.emit_alone(&|| T::SPEC.name.to_owned(), incarnation, kind);
}

/// Waits for `first`, unless `until` is ready before.
async fn before<F: Future>(over: &mut bool, until: &mut (impl Future + Unpin), first: F) -> Option<F::Output> {
    let mut first = pin!(first);
    poll_fn(|cx| {
        if *over || Pin::new(&mut *until).poll(cx).is_ready() {
            *over = true;
            return Poll::Ready(None);
        }
        first.as_mut().poll(cx).map(Some)
    })
    .await
}
