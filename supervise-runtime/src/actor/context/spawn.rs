//! Children at run time: the settings of a spawn, its start, and its errors (S38).

use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

use crate::actor::actor_ref::{ActorRef, Cell};
use crate::actor::body::ActorBody;
use crate::actor::hook::RestartHook;
use crate::actor::options::{ChildOptions, Reader, Redeliver};
use crate::actor::{Actor, validate};
use crate::base::BoxFuture;
use crate::base::sync::Arc;
use crate::engine::cell::body::{settings, stop_timeout};
use crate::engine::cell::control::{AnyCell, CellCore, SystemMessage, Waiting, send};
use crate::engine::cell::life::live;
use crate::engine::cell::{Unbegun, current, require_time};
use crate::engine::mailbox::ActorCell;
use crate::engine::supervisor::{Refused, Room};
use crate::values::backoff::Backoff;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase, UserError};
use crate::values::kind::ChildKind;
use crate::values::path::escaped;
use crate::values::place::Name;
use crate::values::settings::Common;
use crate::values::spawn_error::SpawnError;
use crate::values::strategy::{IntoDecider, Lifecycle, Mailbox, RestartLimit, ShutdownTimeout, WhileDown};

/// A child that is about to be spawned: call methods for its settings, then `.await`.
///
/// [`Context::spawn`](crate::Context::spawn) returns it for a child of the actor, [`spawn`](crate::spawn) for a
/// top-level actor. The methods are the settings of a declared child, with the same meaning. The defaults are the same
/// too, except for the lifecycle, which is `Transient`.
///
/// Await the `SpawnChild` to get the [`ActorRef`] once the child is up. If a first start is retried, the await waits
/// for it.
///
/// # Errors
///
/// See [`SpawnError`].
///
/// # Cancel safety
///
/// If the future is dropped before it is ready, the child is stopped.
///
/// # Panics
///
/// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// struct Download {
///     url: String,
/// }
///
/// #[actor]
/// impl Download {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(self.url.clone());
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://example.org".to_owned();
/// // The closure runs at every start, so each start gets its own clone.
/// let download = supervise::spawn("download", move || {
///     let url = url.clone();
///     async move { Ok(Download { url }) }
/// });
/// let download = download
///     .lifecycle(Lifecycle::Transient)
///     .backoff(ExponentialBackoff::new(Duration::from_secs(1), Duration::from_secs(30)))
///     .shutdown(Duration::from_secs(1))
///     .await?;
/// assert_eq!(download.ask(|reply| reply).await?, "https://example.org");
/// # download.stop();
/// # Ok(())
/// # }
/// ```
#[must_use = "the child is spawned when this is awaited"]
pub struct SpawnChild<B: Actor, F> {
    pub(super) owner: Arc<dyn AnyCell>,
    pub(super) name: String,
    pub(super) start: F,
    pub(super) options: ChildOptions<B>,
    pub(super) of: PhantomData<fn() -> B>,
}

impl<B: Actor, F> fmt::Debug for SpawnChild<B, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnChild").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<B: Actor, F> SpawnChild<B, F> {
    pub(crate) fn new(owner: Arc<dyn AnyCell>, name: &str, start: F) -> Self {
        SpawnChild { owner, name: name.to_owned(), start, options: ChildOptions::new(), of: PhantomData }
    }

    fn with(mut self, set: impl FnOnce(ChildOptions<B>) -> ChildOptions<B>) -> Self {
        self.options = set(self.options);
        self
    }

    /// Sets when the child is restarted; default `Transient`.
    ///
    /// See rule S23.
    pub fn lifecycle(self, lifecycle: Lifecycle) -> Self {
        self.with(|options| options.lifecycle(lifecycle))
    }

    /// Sets how long the child may take to go down; default 5 s.
    ///
    /// See rule S24.
    pub fn shutdown(self, shutdown: impl Into<ShutdownTimeout>) -> Self {
        self.with(|options| options.shutdown(shutdown))
    }

    /// Sets how long each start may take; default as long as it takes.
    ///
    /// See rule S13.
    pub fn start(self, within: Duration) -> Self {
        self.with(|options| options.start(within))
    }

    /// Lets a stop first handle the queued messages and finish what `cx.run` has begun.
    ///
    /// See rules S24, S26.
    pub fn drain(self) -> Self {
        self.with(ChildOptions::drain)
    }

    /// Empties the mailbox when a restart begins.
    ///
    /// See rule S35.
    pub fn fresh(self) -> Self {
        self.with(ChildOptions::fresh)
    }

    /// Ends the actor that spawns this child when the child has ended by itself.
    ///
    /// See rule S22.
    pub fn significant(self) -> Self {
        self.with(ChildOptions::significant)
    }

    /// Sets how long a restart waits; default: the first restart is immediate, then 10 ms doubling to 10 s.
    ///
    /// See rules S14, S31 to S33.
    pub fn backoff(self, backoff: impl Into<Backoff>) -> Self {
        self.with(|options| options.backoff(backoff))
    }

    /// Gives the child its own restart budget.
    ///
    /// See rule S15.
    pub fn limit(self, limit: RestartLimit) -> Self {
        self.with(|options| options.limit(limit))
    }

    /// Gives the child its own decider.
    ///
    /// See rule S8.
    pub fn decider<M>(self, decider: impl IntoDecider<M>) -> Self {
        self.with(|options| options.decider(decider))
    }

    /// Sets how many messages can wait; default `Bounded(1024)`.
    ///
    /// See rule S3.
    pub fn mailbox(self, mailbox: Mailbox) -> Self {
        self.with(|options| options.mailbox(mailbox))
    }

    /// Sets whether messages wait or are rejected while the child is down; default `Hold`.
    ///
    /// See rule S35.
    pub fn while_down(self, while_down: WhileDown) -> Self {
        self.with(|options| options.while_down(while_down))
    }

    /// Redelivers the message in hand after a failure or abort, at most this often.
    ///
    /// See rule S36.
    pub fn redeliver(self, attempts: u32) -> Self
    where
        B::Msg: Redeliver,
    {
        self.with(|options| options.redeliver(attempts))
    }

    /// Sets how long an `ask` to the child waits; default 5 s.
    pub fn ask(self, within: Duration) -> Self {
        self.with(|options| options.ask(within))
    }

    /// Sets a hook that replaces the type's own `pre_restart`.
    pub fn pre_restart<M: 'static>(self, hook: impl RestartHook<B, M> + 'static) -> Self {
        self.with(|options| options.pre_restart(hook))
    }

    /// Sets a hook that replaces the type's own `post_restart`.
    pub fn post_restart<M: 'static>(self, hook: impl RestartHook<B, M> + 'static) -> Self {
        self.with(|options| options.post_restart(hook))
    }
}

impl<B, F, Fut> IntoFuture for SpawnChild<B, F>
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, UserError>> + Send + 'static,
{
    type Output = Result<ActorRef<B>, SpawnError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            require_time();
            let SpawnChild { owner, name, start, options, .. } = self;
            let path = || owner.core().path();
            if owner.core().is_guardian() {
                owner.core().bus.started();
                owner.core().bus.spans.begin();
            }
            let options = transient(options);
            let common = options.options.common.clone();
            let Some(table) = owner.core().table() else { return Err(SpawnError::Stopped { path: path() }) };
            if name.is_empty() {
                return Err(SpawnError::EmptyName { path: path() });
            }
            if current::is_leaving() || owner.core().is_leaving() {
                // In a hook or message on the way down, the spawn would wait for a start that can begin only after the
                // way down (S7).
                return Err(SpawnError::Stopping { path: path() });
            }
            let limits = table.limits();
            let lifecycle = common.lifecycle_or(ChildKind::Actor);
            let sound = limits.check().and_then(|()| validate::check(&options.options, lifecycle, &limits));
            sound.map_err(|what| {
                let child = CellCore::new(Name::from(&*name), Some(owner.clone()), owner.core().bus.clone());
                SpawnError::InvalidSettings { path: child.path(), what }
            })?;
            let mut spawned = None;
            let added = table.add(
                &*owner,
                Some(&name),
                Room::default(),
                settings(&common, ChildKind::Actor),
                stop_timeout(&common, ChildKind::Actor),
                |_| {
                    let core = CellCore::new(Name::from(&*name), Some(owner.clone()), owner.core().bus.clone());
                    let (cell, life) = make_actor(core, options, start);
                    spawned = Some((cell.clone(), life));
                    cell
                },
            );
            let child = match (added, spawned) {
                (Ok(after_lock), Some((cell, life))) => {
                    after_lock.done();
                    life.begin();
                    ActorRef { cell }
                }
                (Err(Refused::Exists), _) => {
                    return Err(SpawnError::Exists { path: format!("{}/{}", path(), escaped(&name)) });
                }
                (Err(Refused::Stopped), _) => return Err(SpawnError::Stopped { path: path() }),
                _ => return Err(SpawnError::Stopping { path: path() }),
            };
            Startup::unless(child.cell.clone(), || false).await?;
            Ok(child)
        })
    }
}

/// The default lifecycle of a child that is spawned at run time (S23).
pub(crate) fn transient<T>(options: ChildOptions<T>) -> ChildOptions<T> {
    match options.options.common.lifecycle {
        Some(_) => options,
        None => options.lifecycle(supervise_rules::Lifecycle::default_for(false, true).into()),
    }
}

/// Makes the cell of an actor, and its life. Runs no user code.
pub(crate) fn make_actor<B, F, Fut>(core: CellCore, options: ChildOptions<B>, start: F) -> (Arc<Cell<B>>, Unbegun)
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, UserError>> + Send + 'static,
{
    let common: &Common = &options.options.common;
    let cell = ActorCell::new(core, common.capacity(), common.ask_or_default()).while_down(common.while_down);
    let cell = Arc::new(cell);
    let body = ActorBody::new(cell.clone(), Reader::new(options), start);
    let life = Unbegun::new(&cell, live(cell.clone(), body));
    (cell, life)
}

/// The wait for the first start of a run-time child. If it is dropped before the child is up, the child is stopped.
pub(crate) struct Startup<D: Fn() -> bool> {
    cell: Arc<dyn AnyCell>,
    over: bool,
    /// Returns whether the caller does without the wait.
    detached: D,
}

impl<D: Fn() -> bool> Startup<D> {
    pub(crate) fn unless(cell: Arc<dyn AnyCell>, detached: D) -> impl Future<Output = Result<(), SpawnError>> {
        let mut startup = Startup { cell, over: false, detached };
        async move {
            let mut waiting = Waiting::default();
            let up = poll_fn(|cx| match startup.cell.core().poll_up(&mut waiting, cx.waker()) {
                Poll::Ready(up) => {
                    startup.over = true;
                    Poll::Ready(up)
                }
                // If the future is dropped meanwhile, the child is stopped, and its end wakes no task.
                Poll::Pending => Poll::Pending,
            })
            .await;
            started(&*startup.cell, up)
        }
    }
}

impl<D: Fn() -> bool> Drop for Startup<D> {
    fn drop(&mut self) {
        if !self.over && !(self.detached)() {
            send(&*self.cell, SystemMessage::Stop);
        }
    }
}

/// The result for a caller that waited for a first start.
pub(crate) fn started(cell: &dyn AnyCell, up: Result<(), Ended>) -> Result<(), SpawnError> {
    let core = cell.core();
    let path = || core.parent.as_ref().map_or_else(String::new, |parent| parent.core().path());
    match up {
        Ok(()) => Ok(()),
        Err(Ended::Failed(failure) | Ended::Limit(failure)) => Err(SpawnError::Start(failure)),
        Err(Ended::RuntimeGone) => Err(SpawnError::Stopped { path: path() }),
        Err(Ended::Killed) => {
            Err(SpawnError::Start(Failure::new(Phase::Start, Cause::Killed, core.path(), core.incarnation())))
        }
        Err(_) => Err(SpawnError::Stopping { path: path() }),
    }
}
