//! Tasks: futures as children (rule S29).

pub(crate) mod body;

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::future::{Future, Ready, ready};
use std::panic::resume_unwind;
use std::pin::Pin;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use crate::actor::child_ref::{AnyRef, ChildRef, Sealed};
use crate::actor::commands;
use crate::actor::commands::CommandError;
use crate::actor::errors::WaitError;
use crate::actor::options::{ChildOptions, NotATree};
use crate::actor::waits::{ShutdownRef, Starting, Terminated};
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::cell::stop_signal::StopSignal;
use crate::engine::watched::Watched;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::{BoxError, Failure, Thrown};
use supervise_core::values::stop_reason::StopReason;

/// The type of a task: any future as a child.
///
/// This marker type is never constructed: it stands for a task where a child type is needed, as in `Handle<Task>`. In a
/// declaration, write `task` (rule S29):
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

/// A value that a task may return: nothing, `!`, `Result<(), E>`, or the [`StopReason`] of `cx.stopped().await`.
///
/// An error is a failure of the task. If a task returns without an error, it has ended by itself.
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
    label = "this future's output",
    note = "a value is not given to anybody; send it in a message, and return nothing or `Result<(), E>`, also to end only by an error",
    note = "a future inside of a future is not run; write `.await` behind it, or `|cx|` for `async |cx|`"
)]
pub trait TaskOutput: Send + 'static {
    /// Converts the output into a result.
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

/// A task may end with `cx.stopped().await`.
impl TaskOutput for StopReason {
    fn done(self) -> Result<(), Thrown> {
        Ok(())
    }
}

impl TaskOutput for Infallible {
    fn done(self) -> Result<(), Thrown> {
        match self {}
    }
}

/// The type `!` by name on stable Rust: the output of `fn() -> !`.
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

/// A task that has not begun. The type hides the box: written out, it would not pass the compiler's `Send` check of a
/// whole tree.
pub struct TaskStart {
    pub(crate) begin: Box<dyn FnOnce(TaskContext) -> Main + Send>,
    /// The task takes its context, so it is asked to end instead of being dropped.
    pub(crate) context: bool,
}

impl fmt::Debug for TaskStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskStart")
    }
}

/// Wraps the start expression of a task `|cx| ..`; called by the macro.
#[doc(hidden)]
pub fn task_of<F, Fut>(start: F) -> TaskStart
where
    F: FnOnce(TaskContext) -> Fut + Send + 'static,
    Fut: Future<Output = Result<(), Thrown>> + Send + 'static,
{
    TaskStart { begin: Box::new(move |cx| Box::pin(start(cx))), context: true }
}

/// Wraps the start expression of a task without a context; called by the macro.
#[doc(hidden)]
pub fn future_of<Fut>(future: Fut) -> TaskStart
where
    Fut: Future<Output = Result<(), Thrown>> + Send + 'static,
{
    TaskStart { begin: Box::new(move |_| Box::pin(future)), context: false }
}

/// A value in the `Some(..)` of an `Option<task>`: a future, or a closure that takes the context.
///
/// `M` only keeps the two apart.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "expected a future, or `|cx: TaskContext| future`",
    note = "the future gives `()`, `!` or `Result<(), E>`"
)]
pub trait IntoTask<M> {
    /// Converts the value into a task that has not begun.
    fn into_task(self) -> TaskStart;
}

/// The marker of a future.
#[doc(hidden)]
#[derive(Debug)]
pub struct FutureMarker;

/// The marker of a closure.
#[doc(hidden)]
#[derive(Debug)]
pub struct ContextMarker;

#[diagnostic::do_not_recommend]
impl<Fut> IntoTask<FutureMarker> for Fut
where
    Fut: Future + Send + 'static,
    Fut::Output: TaskOutput,
{
    fn into_task(self) -> TaskStart {
        future_of(async move { self.await.done() })
    }
}

#[diagnostic::do_not_recommend]
impl<F, Fut> IntoTask<ContextMarker> for F
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

/// A value that a task is started from, so that [`Polled`] can look at its type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Poll<F>(pub F);

/// A type that the tree can poll as a task.
///
/// `M` only makes two implementations possible: with one, the compiler would report the `.await`, too.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a future",
    label = "a task starts from a future",
    note = "call the function, as in `serve(..)`; with a context write `|cx| serve(cx, ..)`"
)]
pub trait TaskFuture<M> {
    type Future: Future;
    fn future(self) -> Self::Future;
}

#[diagnostic::do_not_recommend]
impl<F: IntoFuture> TaskFuture<FutureMarker> for F {
    type Future = F::IntoFuture;

    fn future(self) -> F::IntoFuture {
        self.into_future()
    }
}

/// Implemented by no type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tree polls its tasks itself, and this one is spawned already; write the future, without `tokio::spawn`",
    label = "goes on after a restart and after the end of the tree",
    note = "write `beat(..)` for `tokio::spawn(beat(..))`; wait for `spawn_blocking(..)` in an `async` block"
)]
pub trait Unspawned {}

#[diagnostic::do_not_recommend]
impl<F: Unspawned> TaskFuture<ContextMarker> for F {
    type Future = Ready<()>;

    fn future(self) -> Ready<()> {
        ready(())
    }
}

/// Takes the future out, if there is one.
#[doc(hidden)]
pub trait Polled<F> {
    fn polled<M>(self) -> F::Future
    where
        F: TaskFuture<M>;
}

impl<F> Polled<F> for Poll<F> {
    fn polled<M>(self) -> F::Future
    where
        F: TaskFuture<M>,
    {
        self.0.future()
    }
}

impl<T> Poll<JoinHandle<T>> {
    /// Found before the method of the trait. Reports that the future is spawned already.
    #[doc(hidden)]
    pub fn polled(self) -> JoinHandle<T>
    where
        JoinHandle<T>: Unspawned,
    {
        self.0
    }
}

/// Converts the start expression of an `Option<task>`.
#[doc(hidden)]
pub fn optional_task<M, T: IntoTask<M>>(task: Option<T>) -> Option<TaskStart> {
    task.map(T::into_task)
}

/// A request of a task through its context.
pub(crate) enum Request {
    Spawn(Main),
    Ready,
}

/// The error of a task that ended before it called `ready`.
#[derive(Debug, thiserror::Error)]
#[error("the task returned before it was ready; call `cx.ready()` once it has started, or remove `ready`")]
pub(crate) struct NeverReady;

/// The error of a task whose context is gone, so that nothing can call `ready` any more.
#[derive(Debug, thiserror::Error)]
#[error("the task dropped its context before it was ready; call `cx.ready()` once it has started, or remove `ready`")]
pub(crate) struct ReadyDropped;

/// The context of a task `|cx| ..`: it notifies the task of a stop, and starts subtasks.
///
/// A `TaskContext` is owned and `Clone`, so it can be moved into subtasks and used after a `select!`. A task that takes
/// its context is asked to end, and has its `shutdown` time to do so; a task without a context is dropped at its next
/// `.await`.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use tokio::net::TcpListener;
///
/// async fn serve(cx: TaskContext, port: u16) -> std::io::Result<()> {
///     let listener = TcpListener::bind(("127.0.0.1", port)).await?;
///     cx.ready(); // the children declared after this one start now
///     loop {
///         tokio::select! {
///             _ = cx.stopped() => return Ok(()),
///             accepted = listener.accept() => {
///                 let (stream, _) = accepted?;
///                 let told = cx.stopped();
///                 // Supervised as a part of this task, and ends with it.
///                 cx.spawn(async move {
///                     tokio::select! {
///                         _ = told => {}
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
    pub(crate) stop_signal: watch::Receiver<Option<StopReason>>,
    #[cfg(feature = "tokio-util")]
    pub(crate) token: CancellationToken,
    pub(crate) requests: mpsc::UnboundedSender<Request>,
    pub(crate) cell: Arc<AnyCell>,
}

impl fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskContext").field("path", &self.path()).finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl NotATree for Task {}

impl ChildOptions<Task> {
    /// All defaults, for a task that does not take its context: such a task is dropped at its next await and needs no
    /// time to stop.
    #[doc(hidden)]
    pub fn without_context() -> Self {
        ChildOptions::new().set(|common| common.without_context = true)
    }

    /// Lets the task count as started only when it calls [`TaskContext::ready`](crate::TaskContext::ready), and not
    /// when it is launched. The task must take its context.
    ///
    /// See rule S29.
    pub fn ready(self) -> Self {
        self.set(|common| common.ready = true)
    }
}

impl TaskContext {
    pub(crate) fn new(stop_signal: &StopSignal, requests: mpsc::UnboundedSender<Request>, cell: Arc<AnyCell>) -> Self {
        TaskContext {
            stop_signal: stop_signal.listen(),
            #[cfg(feature = "tokio-util")]
            token: stop_signal.token(),
            requests,
            cell,
        }
    }

    /// Resolves when the task should end, with the reason. From then on the task has its `shutdown` time to return.
    ///
    /// The future is owned, so it can be passed to a subtask. A server that wants a future of `()` gets it as
    /// `with_graceful_shutdown(async move { _ = cx.stopped().await })`.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    pub fn stopped(&self) -> impl Future<Output = StopReason> + Send + 'static + use<> {
        let mut stop_signal = self.stop_signal.clone();
        async move {
            match stop_signal.wait_for(Option::is_some).await {
                Ok(reason) => reason.unwrap_or(StopReason::Shutdown),
                Err(_) => StopReason::Shutdown, // the cell was dropped, so the task should end too
            }
        }
    }

    /// Returns `true` if the task should end.
    pub fn is_stopped(&self) -> bool {
        self.stop_reason().is_some()
    }

    /// Returns why the task should end; `None` before that.
    ///
    /// A request to end replaces an earlier one to restart, so the answer may differ from that of
    /// [`stopped`](TaskContext::stopped). See rule S46.
    pub fn stop_reason(&self) -> Option<StopReason> {
        *self.stop_signal.borrow()
    }

    /// Returns a token that is cancelled when the task should end, at the same time as
    /// [`stopped`](TaskContext::stopped) resolves. Each call returns a child token: cancelling it does not affect other
    /// tokens.
    ///
    /// See rule S29.
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

    /// Starts a subtask, which ends with the task at the latest.
    ///
    /// A failure or panic of a subtask is a failure of the task. When the task ends, its subtasks are asked to end,
    /// have the rest of the `shutdown` time, and are then aborted and waited for.
    ///
    /// A future that you start with `tokio::spawn` is not supervised.
    pub fn spawn<Fut>(&self, subtask: Fut)
    where
        Fut: Future + Send + 'static,
        Fut::Output: TaskOutput,
    {
        // An error: the task has ended, and its subtasks end with it.
        let _ = self.requests.send(Request::Spawn(Box::pin(async move { subtask.await.done() })));
    }

    /// Marks the task as started, if `lifecycle(ready)` is declared. Until then its supervisor waits for the task, as
    /// for a start expression. A task that returns or fails before this call has failed to start.
    ///
    /// Does nothing if called again, or if `ready` is not declared: then the task counts as started when it is first
    /// polled (S29).
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
        // An error: the task has ended.
        let _ = self.requests.send(Request::Ready);
    }

    /// Returns the path of this actor below the root.
    pub fn path(&self) -> String {
        self.cell.core().path()
    }

    /// Returns the number of this incarnation, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell.core().incarnation()
    }
}

/// The handle of a task.
///
/// A handle is cheap to clone and `Send + Sync`. It keeps nothing alive, and stays valid over restarts. Two handles are
/// equal if they refer to the same task.
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
    pub(crate) cell: Arc<AnyCell>,
}

/// Two handles are equal if they refer to the same task.
impl PartialEq for TaskRef {
    fn eq(&self, other: &Self) -> bool {
        self.cell.core().id == other.cell.core().id
    }
}

impl Eq for TaskRef {}

impl std::hash::Hash for TaskRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.cell.core().id.hash(state);
    }
}

impl fmt::Debug for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskRef({})", self.path())
    }
}

impl TaskRef {
    /// Returns the path of the task below the root.
    pub fn path(&self) -> String {
        self.cell.core().path()
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> String {
        self.cell.core().name()
    }

    /// Returns the current incarnation, counted from 1; 0 before the first start.
    pub fn incarnation(&self) -> u32 {
        self.cell.core().incarnation()
    }

    /// Requests a stop: a task with a context is asked to end, another one is dropped at its next `.await`.
    ///
    /// This method returns immediately; [`terminated`](TaskRef::terminated) waits for the end. The task stays ended,
    /// whatever its lifecycle, until [`start_again`](TaskRef::start_again) is called on it or on a tree around it.
    pub fn stop(&self) {
        send(&*self.cell, SystemMessage::Stop);
    }

    /// Drops the task and its subtasks, at their next `.await`, and lets the task fail with
    /// [`Cause::Killed`](crate::Cause::Killed).
    ///
    /// This method returns immediately. The supervisor decides as for any failure. If no decider says otherwise, the
    /// task is not started again (S9).
    #[doc(alias("abort"))]
    pub fn kill(&self) {
        send(&*self.cell, SystemMessage::Kill);
    }

    /// Restarts this task alone, whatever the strategy.
    ///
    /// The restart does not count against the restart budget. It cuts a backoff short, and begins a start in progress
    /// again. This method returns immediately: `Ok` says that the restart has been accepted; await
    /// the [`Starting`] to wait until it is up. A failure of the new start
    /// concerns this child alone: the child is retried or ends, and no sibling is restarted together with it, whatever
    /// the strategy (S26).
    ///
    /// # Errors
    ///
    /// Returns `Busy` while the task is already going down for a restart, or while its group goes down, waits or comes
    /// up; `Stopping` while the task stops; `Ended` after it has ended; `StartedOnce` for an instance of a `Temporary`
    /// set.
    pub fn restart(&self) -> Result<Starting, CommandError> {
        commands::restart(&self.cell)
    }

    /// Starts the task again after it has ended, whatever the reason.
    ///
    /// OTP calls this `restart_child`. The start is like the first start, with a fresh restart budget and restart
    /// delay. This method returns immediately: `Ok` says that the start has been accepted;
    /// await the [`Starting`] to wait until it is up.
    ///
    /// A failure of that start concerns this child alone, until the child is up or has ended. It is decided like the
    /// failure of any first start: without a backoff or a decider the child ends, [`ended`](Self::ended) returns the
    /// reason, and no sibling is restarted together with it, whatever the strategy. Only `Escalate`, and a limit that
    /// escalates, fail the supervisor (S26).
    ///
    /// # Errors
    ///
    /// Returns `NotEnded` while the task lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor accepts no more starts, and `NotDeclared` for an instance of a `[..]`.
    pub fn start_again(&self) -> Result<Starting, CommandError> {
        commands::start_again(&self.cell)
    }

    /// Waits until the task has ended; ready immediately if it already has. A restart is not an end. Needs no tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// Returns an error immediately if it is called from inside the task.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    #[doc(alias("join", "wait"))]
    pub fn terminated(&self) -> BoxFuture<'static, Result<Ended, WaitError>> {
        Box::pin(Terminated::of(self.cell.clone()))
    }

    /// Returns why the task has ended; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.core().ended()
    }

    /// Returns `true` until the task has ended, also while it is down for a restart.
    pub fn is_alive(&self) -> bool {
        self.ended().is_none()
    }

    /// Returns the identity of the task, as a [`Watcher`](crate::Watcher) gets it: a key for a map.
    pub fn watched(&self) -> Watched {
        self.cell.core().identity()
    }

    /// Requests a stop immediately, even if the returned future is never polled. Await it to wait for the end.
    ///
    /// # Errors
    ///
    /// The future resolves to an error immediately if it is awaited inside the task or below it. The task goes down all
    /// the same.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the task still goes down.
    ///
    /// See [`ShutdownRef`] for an example.
    pub fn shutdown(&self) -> ShutdownRef<Ended> {
        ShutdownRef::of(self.cell.clone())
    }

    /// Returns the failure that occurred while the task was stopping, if the task has ended.
    ///
    /// This is the first failure of the task after it was asked to end, of its subtasks or of a `Drop`. No decider sees
    /// such a failure: [`ended`](TaskRef::ended) keeps returning what led to the end (S24).
    pub fn late_failure(&self) -> Option<Failure> {
        let core = self.cell.core();
        core.ended().and_then(|_| core.late().0)
    }
}

impl Sealed for TaskRef {}

impl ChildRef for TaskRef {
    type Shutdown = Ended;

    fn any(&self) -> AnyRef {
        AnyRef::of(self.cell.clone())
    }
}

/// Returns the result of a subtask. A panic of the subtask continues in the task itself.
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

/// The future of a task, kept between the polls of several `serve`s.
pub(crate) type Kept = Option<Pin<Box<dyn Future<Output = Result<(), Thrown>> + Send>>>;
