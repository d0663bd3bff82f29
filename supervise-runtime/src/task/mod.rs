//! Tasks: any future as a child (rule S29).

pub(crate) mod body;

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;

use tokio::sync::{mpsc, watch};
#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use crate::actor::actor_ref::Terminated;
use crate::actor::commands;
use crate::actor::commands::CommandError;
use crate::actor::options::ChildOptions;
use crate::base::BoxFuture;
use crate::base::sync::Arc;
use crate::engine::cell::control::{Controlled, SystemMessage, send};
use crate::engine::cell::stop_signal::Told;
use crate::values::ended::Ended;
use crate::values::failure::{BoxError, Failure, Thrown};

/// The type of the shape `task`: any future as a child (rule S29).
///
/// It is never made; it stands for a task where a type of child is asked for. In a declaration its name is the word `task`:
///
/// ```
/// use supervise::{Task, TaskRef, prelude::*};
///
/// async fn beat() {
///     std::future::pending().await
/// }
///
/// supervisor! {
///     struct App {
///         heart: task = beat(),
///         jobs: [task] = |_name: &'static str| async {},
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// let heart: &Handle<Task> = &app.heart;
/// let jobs: &Children<Task, (&'static str,)> = &app.jobs;
/// let job: TaskRef = jobs.spawn("copy").await?;
/// assert_eq!((heart.path().as_str(), job.path().as_str()), ("heart", "jobs/#1"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Task;

/// What a task may return: nothing, `!`, or `Result<(), E>`.
///
/// An error is a failure of the task; to return without one is its end.
///
/// ```
/// use supervise::prelude::*;
///
/// async fn once() {}
///
/// async fn fallible() -> std::io::Result<()> {
///     Err(std::io::ErrorKind::TimedOut.into())
/// }
///
/// async fn forever() -> std::convert::Infallible {
///     loop {
///         tokio::task::yield_now().await;
///     }
/// }
///
/// supervisor! {
///     struct App {
///         #![decider(_ => Stop)]
///         once: task = once(),
///         fallible: task = fallible(),
///         forever: task = forever(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = supervise::Tree::start(App::tree()).await;
/// # if let Ok(app) = app {
/// assert!(matches!(app.once.terminated().await?, Ended::Done));
/// assert!(matches!(app.fallible.terminated().await?, Ended::Failed(_)));
/// # }
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a `task` returns nothing, `!`, or `Result<(), E>`, not `{Self}`",
    label = "this future's output"
)]
pub trait TaskOutput: Send + 'static {
    /// The output as a result.
    fn done(self) -> Result<(), Thrown>;
}

impl TaskOutput for () {
    fn done(self) -> Result<(), Thrown> {
        Ok(())
    }
}

impl<E: Into<BoxError> + Send + 'static> TaskOutput for Result<(), E> {
    fn done(self) -> Result<(), Thrown> {
        self.map_err(Thrown::from)
    }
}

impl TaskOutput for Infallible {
    fn done(self) -> Result<(), Thrown> {
        match self {}
    }
}

/// `!` by name on stable: the output of `fn() -> !`.
#[doc(hidden)]
pub trait Returns {
    type Out;
}

impl<T> Returns for fn() -> T {
    type Out = T;
}

impl TaskOutput for <fn() -> ! as Returns>::Out {
    fn done(self) -> Result<(), Thrown> {
        self
    }
}

type Main = BoxFuture<'static, Result<(), Thrown>>;

/// A task that has not begun. A type of its own: spelled out, the box would not pass the compiler's
/// `Send` check of a whole tree.
pub struct TaskStart {
    pub(crate) begin: Box<dyn FnOnce(TaskContext) -> Main + Send>,
    /// It takes its context: it is told to end instead of being dropped.
    pub(crate) context: bool,
}

impl fmt::Debug for TaskStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskStart")
    }
}

/// What the macro puts around the start expression of a task `|cx| ..`.
#[doc(hidden)]
pub fn task_of<F, Fut>(start: F) -> TaskStart
where
    F: FnOnce(TaskContext) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), Thrown>> + Send + 'static,
{
    TaskStart { begin: Box::new(move |cx| Box::pin(start(cx))), context: true }
}

/// What the macro puts around the start expression of a task without a context.
#[doc(hidden)]
pub fn future_of<Fut>(future: Fut) -> TaskStart
where
    Fut: Future<Output = Result<(), Thrown>> + Send + 'static,
{
    TaskStart { begin: Box::new(move |_| Box::pin(future)), context: false }
}

/// What may stand in the `Some(..)` of an `Option<task>`: a future, or a closure that takes the context.
///
/// `M` only tells the two apart.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "expected a future, or `|cx: TaskContext| future`",
    note = "the future gives `()`, `!` or `Result<(), E>`"
)]
pub trait IntoTask<M> {
    /// Not begun yet.
    fn into_task(self) -> TaskStart;
}

/// Tells a future from a closure.
#[doc(hidden)]
#[derive(Debug)]
pub struct Plain;

/// Tells a closure from a future.
#[doc(hidden)]
#[derive(Debug)]
pub struct WithContext;

#[diagnostic::do_not_recommend]
impl<Fut> IntoTask<Plain> for Fut
where
    Fut: Future + Send + 'static,
    Fut::Output: TaskOutput,
{
    fn into_task(self) -> TaskStart {
        future_of(async move { self.await.done() })
    }
}

#[diagnostic::do_not_recommend]
impl<F, Fut> IntoTask<WithContext> for F
where
    F: FnOnce(TaskContext) -> Fut + Send + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: TaskOutput,
{
    fn into_task(self) -> TaskStart {
        task_of(move |cx| {
            let future = self(cx);
            async move { future.await.done() }
        })
    }
}

/// The start expression of an `Option<task>`.
#[doc(hidden)]
pub fn optional_task<M, T: IntoTask<M>>(task: Option<T>) -> Option<TaskStart> {
    task.map(T::into_task)
}

/// What a task asks through its context.
pub(crate) enum Request {
    Spawn(Main),
    Ready,
}

/// A task came to its end before it said that it had started.
#[derive(Debug, thiserror::Error)]
#[error("the task returned before it was ready; call `cx.ready()` once it has started, or remove `ready`")]
pub(crate) struct NeverReady;

/// What a task `|cx| ..` is given: how it hears that it should end, and what it starts besides.
///
/// It is owned and `Clone`, so it goes into subtasks and behind `select!`. A task that takes one is told to end, and has
/// its `shutdown` time for it; one without a context is dropped at its next `.await`.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use tokio::net::TcpListener;
///
/// async fn serve(cx: TaskContext, port: u16) -> std::io::Result<()> {
///     let listener = TcpListener::bind(("127.0.0.1", port)).await?;
///     cx.ready(); // who is declared behind starts now
///     loop {
///         tokio::select! {
///             () = cx.stopped() => return Ok(()),
///             accepted = listener.accept() => {
///                 let (stream, _) = accepted?;
///                 let told = cx.stopped();
///                 // Supervised as a part of this task, and it ends with it.
///                 cx.spawn(async move {
///                     tokio::select! {
///                         () = told => {}
///                         _ = stream.readable() => {}
///                     }
///                 });
///             }
///         }
///     }
/// }
///
/// supervisor! {
///     struct App {
///         #[lifecycle(Permanent, ready, start = 10s, shutdown = 20s)]
///         server: task = |cx| serve(cx, 0),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// assert!(app.shutdown().await.is_orderly());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TaskContext {
    pub(crate) told: watch::Receiver<bool>,
    #[cfg(feature = "tokio-util")]
    pub(crate) token: CancellationToken,
    pub(crate) requests: mpsc::UnboundedSender<Request>,
    pub(crate) cell: Arc<dyn Controlled>,
}

impl fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl ChildOptions<Task> {
    /// It counts as started when it says so by [`TaskContext::ready`](crate::TaskContext::ready), and not when
    /// it is launched (S29). It must take its context.
    pub fn ready(self) -> Self {
        self.set(|common| common.ready = true)
    }
}

impl TaskContext {
    pub(crate) fn new(told: &Told, requests: mpsc::UnboundedSender<Request>, cell: Arc<dyn Controlled>) -> Self {
        TaskContext {
            told: told.listen(),
            #[cfg(feature = "tokio-util")]
            token: told.token(),
            requests,
            cell,
        }
    }

    /// Resolves when the task should end: then it has its `shutdown` time to return. Owned, so it can go
    /// into `with_graceful_shutdown(cx.stopped())` or a subtask.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and made again.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut told = self.told.clone();
        async move {
            // An error: the cell is gone, and with it the reason to go on.
            let _ = told.wait_for(|told| *told).await;
        }
    }

    /// The task should end.
    pub fn is_stopped(&self) -> bool {
        *self.told.borrow()
    }

    /// A token that is cancelled when the task should end, as [`stopped`](TaskContext::stopped) resolves
    /// (S29). Each call gives one of its own: cancelling it tells nobody else.
    ///
    /// With the feature `tokio-util`.
    ///
    /// ```
    /// # use supervise::TaskContext;
    /// async fn poller(cx: TaskContext) {
    ///     let token = cx.token();
    ///     while token.run_until_cancelled(tokio::time::sleep(std::time::Duration::from_secs(1))).await.is_some() {}
    /// }
    /// ```
    #[cfg(feature = "tokio-util")]
    pub fn token(&self) -> CancellationToken {
        self.token.child_token()
    }

    /// Starts a subtask. Its failure or panic is the task's own; when the task ends, subtasks are told,
    /// have the rest of the `shutdown` time, and are then aborted and waited for: none outlives it.
    ///
    /// `tokio::spawn` inside a task is outside supervision.
    pub fn spawn<Fut>(&self, subtask: Fut)
    where
        Fut: Future + Send + 'static,
        Fut::Output: TaskOutput,
    {
        // An error: the task is over, and subtasks end with it.
        let _ = self.requests.send(Request::Spawn(Box::pin(async move { subtask.await.done() })));
    }

    /// Says that the task has started, where `lifecycle(ready)` is declared (S29): until then its supervisor
    /// waits for it, as for a start expression. One that returns or fails before it has failed to start.
    ///
    /// Of no effect the second time, and where `ready` is not declared: there it counts as started when it is
    /// first polled.
    ///
    /// ```
    /// # use supervise::TaskContext;
    /// async fn serve(cx: TaskContext) -> std::io::Result<()> {
    ///     let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    ///     cx.ready();
    ///     # drop(listener);
    ///     cx.stopped().await;
    ///     Ok(())
    /// }
    /// ```
    pub fn ready(&self) {
        // An error: the task is over.
        let _ = self.requests.send(Request::Ready);
    }

    /// Its path below the root.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation this is, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }
}

/// The handle of a task. Cheap to clone, `Send + Sync`, keeps nothing alive, stays the same over restarts. Two are equal
/// when they are handles of the same task.
///
/// ```
/// use supervise::{TaskRef, prelude::*};
/// # async fn import() { std::future::pending().await }
///
/// supervisor! {
///     struct App {
///         import: task = import(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// let import: TaskRef = app.import.clone();
/// assert_eq!((import.path().as_str(), import.incarnation()), ("import", 1));
/// import.stop();
/// assert!(matches!(import.terminated().await?, Ended::Stopped));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TaskRef {
    pub(crate) cell: Arc<dyn Controlled>,
}

/// Two are equal if they are handles of the same task.
impl PartialEq for TaskRef {
    fn eq(&self, other: &Self) -> bool {
        self.cell.ctl().id == other.cell.ctl().id
    }
}

impl Eq for TaskRef {}

impl std::hash::Hash for TaskRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.cell.ctl().id.hash(state);
    }
}

impl fmt::Debug for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskRef({})", self.path())
    }
}

impl TaskRef {
    /// Its path below the root.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation it is in, counted from 1; 0 before the first start.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }

    /// Asks it to stop: through its context, or by dropping it at its next `.await`. Returns at once;
    /// [`terminated`](TaskRef::terminated) waits for the end. It stays ended, whatever its lifecycle.
    pub fn stop(&self) {
        send(&*self.cell, SystemMessage::Stop);
    }

    /// Drops it at its next `.await`, with its subtasks, which is a failure ([`Cause::Killed`](crate::Cause::Killed)).
    /// Returns at once.
    ///
    /// Its supervisor decides on it as on any failure. If no decider says otherwise the task is not started again
    /// (S9).
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
    /// `Busy` while it is on its way down already or its group goes down, waits or comes up, `Stopping` and `Ended`.
    pub fn restart(&self) -> Result<(), CommandError> {
        commands::restart(&*self.cell)
    }

    /// Starts it again after its end, whatever that was (S26): as at its first start, with a fresh budget and
    /// pace. Returns at once: `Ok` says that the start has been taken up.
    ///
    /// If that start fails it concerns this child alone, until it is up or has ended: it is decided as any first start, so
    /// without a backoff or a decider it ends, [`ended`](Self::ended) says with what, and no sibling goes along, whatever
    /// the strategy. Only Escalate and a limit that escalates fail the supervisor.
    ///
    /// # Errors
    ///
    /// `NotEnded` while it lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor takes no start any more, `NotDeclared` of an instance of a `[..]`.
    pub fn start_again(&self) -> Result<(), CommandError> {
        commands::start_again(&*self.cell)
    }

    /// Waits until it has ended; at once if it has.
    ///
    /// # Errors
    ///
    /// At once, when called from inside the task.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again.
    pub fn terminated(&self) -> Terminated {
        Terminated::of(self.cell.clone())
    }

    /// It has ended, and why; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.ctl().ended()
    }

    /// The failure on its way out, if it has ended: the first failure of the task after it was told to end, of
    /// its subtasks or of a `Drop`. Nobody decides on such a failure: [`ended`](TaskRef::ended) stays what led to the end (S24).
    pub fn late_failure(&self) -> Option<Failure> {
        let ctl = self.cell.ctl();
        ctl.ended().and_then(|_| ctl.late().0)
    }
}

/// What joins a subtask: its panic goes on in the task itself.
pub(crate) fn joined(result: Result<Result<(), Thrown>, tokio::task::JoinError>) -> Result<(), Thrown> {
    match result {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_panic(panic),
            Err(_) => Ok(()), // aborted
        },
    }
}

fn resume_panic(panic: Box<dyn Any + Send>) -> ! {
    resume_unwind(panic)
}

/// The future of a task, kept over the polls of several `serve`s.
pub(crate) type Kept = Option<Pin<Box<dyn Future<Output = Result<(), Thrown>> + Send>>>;
