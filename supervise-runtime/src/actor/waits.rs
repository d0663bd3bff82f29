//! The waits for an end.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::actor::errors::{StartingError, WaitError};
use crate::engine::cell::control::{AnyCell, SystemMessage, Waiting, send};
use crate::engine::cell::current;
use crate::engine::cell::shared_wait::SharedWait;
use supervise_core::base::BoxFuture;
use supervise_core::base::clock::after;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::report::Report;

/// The wait for an end.
#[derive(Debug)]
pub(crate) struct Terminated {
    pub(crate) cell: Arc<AnyCell>,
    waiting: Waiting,
}

impl Terminated {
    pub(crate) fn of(cell: Arc<AnyCell>) -> Self {
        Terminated { cell, waiting: Waiting::default() }
    }
}

impl Drop for Terminated {
    fn drop(&mut self) {
        self.cell.core().leave(&mut self.waiting);
    }
}

impl Future for Terminated {
    type Output = Result<Ended, WaitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let Terminated { cell, waiting } = &mut *self;
        let core = cell.core();
        match core.poll_ended(waiting, cx.waker()) {
            Poll::Ready(ended) => Poll::Ready(Ok(ended)),
            Poll::Pending if current::is_inside(core.id) => Poll::Ready(Err(WaitError { path: core.path() })),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// The wait for the end of a child that was asked to stop, after which the child is aborted if that takes too long.
#[derive(Debug)]
pub(crate) struct EndWait {
    terminated: Terminated,
    /// The child had ended when it was asked. It may have been started again since.
    ended: Option<Ended>,
    within: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl EndWait {
    /// Begins with the present life of the child, which a caller may have started again before the first poll.
    pub(crate) fn of(cell: Arc<AnyCell>) -> Self {
        let (ended, waiting) = match cell.core().expect_end() {
            Ok(ended) => (Some(ended), Waiting::default()),
            Err(waiting) => (None, waiting),
        };
        EndWait { terminated: Terminated { cell, waiting }, ended, within: None, timer: None }
    }

    pub(crate) fn cell(&self) -> &AnyCell {
        &*self.terminated.cell
    }

    /// Sets the time, from now on.
    pub(crate) fn within(&mut self, time: Duration) {
        self.within = Some(after(Instant::now(), time));
    }

    /// Aborts the child, leaves first.
    pub(crate) fn abort(&self) {
        send(self.cell(), SystemMessage::Abort);
    }

    pub(crate) fn poll(&mut self, cx: &mut Cx<'_>) -> Poll<Result<Ended, WaitError>> {
        if let Some(ended) = &self.ended {
            return Poll::Ready(Ok(ended.clone()));
        }
        if let Poll::Ready(done) = Pin::new(&mut self.terminated).poll(cx) {
            return Poll::Ready(done);
        }
        if let Some(until) = self.within {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
            if timer.as_mut().poll(cx).is_ready() {
                self.within = None;
                self.abort();
            }
        }
        Poll::Pending
    }
}

/// The future of [`ChildRef::restart`](crate::ChildRef::restart) and
/// [`ChildRef::start_again`](crate::ChildRef::start_again): a start that was asked for, whether or not this is awaited.
///
/// The future resolves to `Ok` once the child is up with the new start, and to an error if it has ended instead. While
/// a failed start is retried, it waits. The start that counts is decided together with the request: an incarnation that
/// was up or starting at that moment is not the new one. Needs no tokio runtime.
///
/// # Errors
///
/// Resolves to a [`StartingError`] if the child ends before it is up, and at once when polled from inside the child or
/// from below it.
///
/// # Cancel safety
///
/// If the future is dropped, the child starts all the same.
///
/// ```
/// use supervise::prelude::*;
/// # struct Cache;
/// # #[actor]
/// # impl Cache { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct App {
///         cache: Cache = Cache,
///         other: Cache = Cache,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// app.cache.restart()?.await?; // up again
/// assert_eq!(app.cache.incarnation(), 2);
///
/// app.other.restart()?; // nothing waits for it
/// # Ok(())
/// # }
/// ```
pub struct Starting {
    cell: Arc<AnyCell>,
    wait: Arc<SharedWait>,
    decided: Option<BoxFuture<'static, ()>>,
}

impl Starting {
    pub(crate) fn of(cell: Arc<AnyCell>, wait: Arc<SharedWait>) -> Self {
        Starting { cell, wait, decided: None }
    }
}

/// Two are equal if they wait for the same start.
impl PartialEq for Starting {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.wait, &other.wait)
    }
}

impl Eq for Starting {}

impl std::fmt::Debug for Starting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Starting({})", self.cell.core().path())
    }
}

impl Future for Starting {
    type Output = Result<(), StartingError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        loop {
            let core = self.cell.core();
            match self.wait.outcome() {
                Some(Ok(())) => return Poll::Ready(Ok(())),
                Some(Err(ended)) => {
                    return Poll::Ready(Err(StartingError::Ended { path: core.path(), ended: ended.clone() }));
                }
                None if current::is_inside(core.id) => {
                    return Poll::Ready(Err(StartingError::Inside { path: core.path() }));
                }
                None => {}
            }
            let Starting { wait, decided, .. } = &mut *self;
            let decided = decided.get_or_insert_with(|| {
                let wait = wait.clone();
                Box::pin(async move { wait.decided().await })
            });
            std::task::ready!(decided.as_mut().poll(cx));
            self.decided = None;
        }
    }
}

/// The result of a shutdown: the [`Ended`] of an actor or a task, the [`Report`] of a tree.
///
/// ```
/// use supervise::ChildRef;
/// use supervise::bound::ShutdownResult;
/// use supervise::error::WaitError;
///
/// /// Stops a child of any type, and says whether all was well.
/// async fn ends_well<C: ChildRef>(child: &C) -> Result<bool, WaitError> {
///     Ok(child.shutdown().await?.ended().is_orderly())
/// }
/// ```
pub trait ShutdownResult: sealed::Sealed + std::fmt::Debug + Clone + Send + 'static {
    /// Returns why the child ended.
    fn ended(&self) -> &Ended;

    #[doc(hidden)]
    fn of(ended: Ended, wait: &ShutdownRef<Self>) -> Self
    where
        Self: Sized;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for supervise_core::values::ended::Ended {}
    impl Sealed for supervise_core::values::report::Report {}
}

impl ShutdownResult for Ended {
    fn ended(&self) -> &Ended {
        self
    }

    fn of(ended: Ended, _: &ShutdownRef<Ended>) -> Self {
        ended
    }
}

impl ShutdownResult for Report {
    fn ended(&self) -> &Ended {
        &self.ended
    }

    fn of(ended: Ended, wait: &ShutdownRef<Report>) -> Self {
        report(wait.wait.cell(), ended)
    }
}

/// Returns the report of a tree that has ended.
pub(crate) fn report(cell: &AnyCell, ended: Ended) -> Report {
    let (failure, failures) = cell.core().late();
    Report::new(ended, cell.core().report(), failure, failures)
}

/// The future of [`ChildRef::shutdown`](crate::ChildRef::shutdown): a child that is going down, whether or not this is
/// awaited.
///
/// The future resolves to the [`Ended`] of an actor or a task, and to the [`Report`] of a tree. The life that the child
/// had when it was asked is the one that counts, even if the child has been started again since.
///
/// # Errors
///
/// Resolves to a [`WaitError`] when polled from inside the child or from below it. The child goes down all the same.
///
/// # Panics
///
/// Panics if it is awaited with a limit ([`within`](ShutdownRef::within)) outside of a tokio runtime, or in one without
/// `enable_time`.
///
/// # Cancel safety
///
/// If the future is dropped, the child still goes down; a limit set by [`within`](ShutdownRef::within) no longer
/// applies.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// struct Console {
///     tree: supervise::TreeRef,
/// }
///
/// #[actor]
/// impl Console {
///     async fn handle(&mut self, quit: Reply<bool>) {
///         let going_down = self.tree.shutdown(); // the shutdown is requested here
///         quit.send(going_down.await.is_err()); // the end cannot be awaited in here
///     }
/// }
///
/// supervisor! {
///     struct App {
///         console: Console = Console { tree: tree.clone() },
///         ticker: task = |cx| async move { cx.stopped().await },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// let ended = app.ticker.shutdown().within(Duration::from_secs(1)).await?;
/// assert!(matches!(ended, Ended::Done | Ended::Stopped));
///
/// assert!(app.console.ask(|reply| reply).await?);
/// assert!(matches!(app.join().await.ended, Ended::Stopped));
/// # Ok(())
/// # }
/// ```
#[must_use = "the child is shutting down; await this to wait for it"]
pub struct ShutdownRef<R> {
    wait: EndWait,
    result: PhantomData<fn() -> R>,
}

impl<R> std::fmt::Debug for ShutdownRef<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ShutdownRef({})", self.wait.cell().core().path())
    }
}

impl<R> ShutdownRef<R> {
    /// Asks the child to stop.
    pub(crate) fn of(cell: Arc<AnyCell>) -> Self {
        let wait = EndWait::of(cell);
        send(wait.cell(), SystemMessage::Stop);
        ShutdownRef { wait, result: PhantomData }
    }

    /// Limits the whole shutdown: what is not down by then is aborted, leaves first. A child of which nothing is up any
    /// more ends with its group, whose time is its own.
    ///
    /// See rule S24.
    pub fn within(mut self, time: Duration) -> Self {
        self.wait.within(time);
        self
    }
}

impl<R: ShutdownResult> Future for ShutdownRef<R> {
    type Output = Result<R, WaitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        self.wait.poll(cx).map(|done| done.map(|ended| R::of(ended, &self)))
    }
}
