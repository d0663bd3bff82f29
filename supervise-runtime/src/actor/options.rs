//! The settings of one child, with one method for each.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use crate::actor::Actor;
use crate::actor::context::Context;
use crate::actor::hook::RestartHook;
use crate::engine::settings::Common;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::backoff::Backoff;
use supervise_core::values::decider::IntoDecider;
use supervise_core::values::failure::{Failure, Thrown};
use supervise_core::values::strategy::{Lifecycle, Mailbox, RestartLimit, ShutdownTimeout, WhileDown};

/// A hook that replaces the type's own.
pub(crate) type HookOf<A> =
    Arc<dyn for<'a> Fn(&'a mut A, &'a Failure, &'a mut Context<A>) -> BoxFuture<'a, Result<(), Thrown>> + Send + Sync>;

#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) common: Arc<Common>,
    /// `None` for most children.
    hooks: Option<Arc<Hooks>>,
}

/// Hooks that replace the type's own: each is a `HookOf<A>`, stored where `A` is known to be an actor.
#[derive(Clone, Default)]
struct Hooks {
    pre_restart: Option<Arc<dyn Any + Send + Sync>>,
    post_restart: Option<Arc<dyn Any + Send + Sync>>,
    redeliver: Option<Arc<dyn Any + Send + Sync>>,
    /// The attempts of `redeliver`.
    attempts: Option<u32>,
}

/// Redelivers a message: made where the message is known to be `Clone`.
pub(crate) struct Redelivery<A: Actor> {
    pub(crate) attempts: u32,
    pub(crate) again: fn(&A::Msg) -> A::Msg,
}

impl<A: Actor> Clone for Redelivery<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Actor> Copy for Redelivery<A> {}

/// A message that can be redelivered: every message that is `Clone`.
///
/// A [`Reply`](crate::Reply) in the message can be cloned; the asker waits for the answer of the next attempt (S36).
///
/// ```
/// use std::io;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use supervise::prelude::*;
///
/// #[derive(Clone)]
/// struct Fetch(&'static str, Reply<String>);
///
/// struct Client {
///     starts: Arc<AtomicU32>,
/// }
///
/// #[actor]
/// impl Client {
///     fn handle(&mut self, Fetch(page, reply): Fetch) -> io::Result<()> {
///         if self.starts.load(Relaxed) == 1 {
///             return Err(io::ErrorKind::ConnectionReset.into()); // the first connection breaks
///         }
///         reply.send(format!("{page}, at last"));
///         Ok(())
///     }
/// }
///
/// impl Client {
///     fn connect(starts: Arc<AtomicU32>) -> Client {
///         starts.fetch_add(1, Relaxed);
///         Client { starts }
///     }
/// }
///
/// supervisor! {
///     struct App(starts: Arc<AtomicU32>) {
///         #[redeliver(attempts = 3)]
///         client: Client = Client::connect(starts),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start(Arc::default()).await?;
/// assert_eq!(app.client.ask(|reply| Fetch("page 7", reply)).await?, "page 7, at last");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a message `{Self}` cannot be delivered again: it is not `Clone`",
    label = "`redeliver` keeps a copy of the message in hand",
    note = "derive `Clone` for it, above its type or as `#[actor(derive(Clone))]`, or remove `redeliver`; a `Reply` in it can be cloned"
)]
pub trait Redeliver: Clone {}

#[diagnostic::do_not_recommend]
impl<M: Clone> Redeliver for M {}

impl Options {
    /// Returns whether and how the message in hand is redelivered.
    pub(crate) fn redelivery<A: Actor>(&self) -> Option<Redelivery<A>> {
        self.hooks.as_ref()?.redeliver.as_ref()?.downcast_ref::<Redelivery<A>>().copied()
    }

    /// Returns how often a message is redelivered.
    pub(crate) fn attempts(&self) -> Option<u32> {
        self.hooks.as_ref()?.attempts
    }

    pub(crate) fn has_pre_restart(&self) -> bool {
        self.hooks.as_ref().is_some_and(|hooks| hooks.pre_restart.is_some())
    }

    pub(crate) fn has_post_restart(&self) -> bool {
        self.hooks.as_ref().is_some_and(|hooks| hooks.post_restart.is_some())
    }

    fn hooks(&mut self) -> &mut Hooks {
        Arc::make_mut(self.hooks.get_or_insert_default())
    }

    /// Returns the hook that replaces the type's own, if there is one.
    pub(crate) fn hook<A: Actor>(&self, pre: bool) -> Option<HookOf<A>> {
        let hooks = self.hooks.as_ref()?;
        let hook = if pre { &hooks.pre_restart } else { &hooks.post_restart };
        hook.as_ref()?.downcast_ref::<HookOf<A>>().cloned()
    }
}

/// The place where the next incarnation of a declared child finds its settings: `build` may have written new ones.
pub(crate) type Source = Arc<Mutex<Options>>;

/// The settings of a child of type `T`.
///
/// In `supervisor! { .. }` and `child! { .. }` they are written above the child, and each becomes a call of the method
/// with its name.
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::ChildOptions;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// // #[lifecycle(Transient, shutdown = 2s)]
/// // #[backoff(3s..30s)]
/// let options = ChildOptions::<Db>::new()
///     .lifecycle(Lifecycle::Transient)
///     .shutdown(Duration::from_secs(2))
///     .backoff(Backoff::exponential(Duration::from_secs(3)..Duration::from_secs(30)));
/// # let _ = options;
/// ```
pub struct ChildOptions<T> {
    pub(crate) options: Options,
    pub(crate) source: Option<Source>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for ChildOptions<T> {
    fn clone(&self) -> Self {
        ChildOptions { options: self.options.clone(), source: self.source.clone(), of: PhantomData }
    }
}

impl<T> Default for ChildOptions<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for ChildOptions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildOptions").field("common", &self.options.common).finish_non_exhaustive()
    }
}

impl<T> ChildOptions<T> {
    /// Returns the default settings.
    pub fn new() -> Self {
        Self::of(Options::default())
    }

    pub(crate) fn of(options: Options) -> Self {
        ChildOptions { options, source: None, of: PhantomData }
    }

    /// Returns the same settings for another type. Hooks of the type before have no effect.
    #[doc(hidden)]
    pub fn cast<B>(self) -> ChildOptions<B> {
        ChildOptions { options: self.options, source: self.source, of: PhantomData }
    }

    pub(crate) fn set(mut self, set: impl FnOnce(&mut Common)) -> Self {
        set(Arc::make_mut(&mut self.options.common));
        self
    }

    /// Sets when the child is restarted. Default: `Permanent` for a declared actor or tree, `Transient` for a task, an
    /// instance of a `[..]`, and a child spawned at run time.
    ///
    /// See rule S23.
    pub fn lifecycle(self, lifecycle: Lifecycle) -> Self {
        self.set(|common| common.lifecycle = Some(lifecycle))
    }

    /// Sets how long the child may take to go down. Default: 5 s, for a tree as long as it takes.
    ///
    /// See rule S24.
    pub fn shutdown(self, shutdown: impl Into<ShutdownTimeout>) -> Self {
        let shutdown = shutdown.into();
        self.set(|common| common.shutdown = Some(shutdown))
    }

    /// Sets how long a restart waits. Default: the first restart is immediate, then 10 ms doubling to 10 s.
    ///
    /// See rules S14, S31 to S33.
    pub fn backoff(self, backoff: Backoff) -> Self {
        self.set(|common| common.backoff = Some(backoff))
    }

    /// Sets how long a restart waits where no [`backoff`](ChildOptions::backoff) is declared. Unlike a backoff, a pace
    /// does not lift the default restart limit, and a failed first start is not tried again because of it.
    ///
    /// See rule S45.
    pub fn pace(self, pace: Backoff) -> Self {
        self.set(|common| common.pace = Some(pace))
    }

    /// Gives the child its own restart budget, under `OneForOne` or in a `[..]`.
    ///
    /// See rule S15.
    pub fn limit(self, limit: RestartLimit) -> Self {
        self.set(|common| common.limit = limit)
    }

    /// Gives the child its own decider. Failures that it leaves open go to the supervisor's decider.
    ///
    /// See rule S8.
    pub fn decider<M>(self, decider: impl IntoDecider<M>) -> Self {
        let decider = decider.into_decider();
        self.set(|common| common.decider = Some(decider))
    }

    /// Sets how long each start may take, from the start expression to the end of `post_restart`; for a task with
    /// [`ready`](ChildOptions::ready), until the task is ready. After that time the start has failed with
    /// [`Cause::TimedOut`](crate::Cause::TimedOut). Default: as long as it takes, with an event every 10 s.
    ///
    /// See rule S13.
    pub fn start(self, within: Duration) -> Self {
        self.set(|common| common.start = Some(within))
    }

    /// Ends the supervisor when this child has ended by itself; for a `Temporary` child, also when it has failed. The
    /// other children go down in reverse order. Above a `[..]`: when its last instance has ended by itself or by failing.
    /// Off by default; without effect on a `Permanent` child, which is started again.
    ///
    /// See rule S22.
    pub fn significant(self) -> Self {
        self.set(|common| common.significant = true)
    }

    /// Lets the child's task run on this runtime, with the tasks of its own children unless they say otherwise. The
    /// runtime needs time (`enable_time`). Default: the runtime of the supervisor.
    ///
    /// If that runtime goes while the supervisor lives, the child has ended with
    /// [`Ended::RuntimeGone`](crate::Ended::RuntimeGone), and is not started again. Read at the first start.
    ///
    /// See rule S25.
    pub fn runtime(self, handle: tokio::runtime::Handle) -> Self {
        self.set(|common| common.runtime = Some(handle))
    }

    /// Sets how many instances of a `[..]` there may be that have not ended. Default: any number.
    pub fn max_children(self, most: usize) -> Self {
        self.set(|common| common.max_children = Some(most))
    }

    /// Sets how many instances of a `[..]` may start at the same time; the others wait for their turn, in the order of
    /// their spawns. Default: any number.
    ///
    /// See rule S27.
    pub fn max_starting(self, most: usize) -> Self {
        self.set(|common| common.max_starting = Some(most))
    }

    /// Marks the child as one that may be absent (S28).
    pub(crate) fn optional(self) -> Self {
        self.set(|common| common.optional = true)
    }

    pub(crate) fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }
}

/// Actors and tasks.
///
/// The bound is on the single methods, here and for the next two traits, so that for another kind of child the compiler
/// reports this text, and not that there is no such method.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`best_effort` is for actors and tasks, and `{Self}` is a tree; write it above its children",
    label = "the handle of a tree exists only once it was up"
)]
pub trait NotATree {}

#[diagnostic::do_not_recommend]
impl<A: Actor> NotATree for A {}

/// A child with messages: every actor, here or on a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this setting is for actors, and `{Self}` is a tree; write it above an actor inside that tree",
    label = "a tree has no messages and no hooks of its own"
)]
pub trait WithMailbox {}

#[diagnostic::do_not_recommend]
impl<A: Actor> WithMailbox for A {}

/// Settings of a declaration that are no values of its options, so that an editor can offer them where one is half typed.
#[doc(hidden)]
pub trait HalfTyped {
    /// Sets the role of the nodes on which a remote child runs (S56).
    fn on(&self) {}
}

impl<T> HalfTyped for ChildOptions<T> {}

/// A child with hooks whose instance is here: every actor.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this setting is for actors, and `{Self}` is a tree; write it above an actor inside that tree",
    label = "a tree has no messages and no hooks of its own"
)]
pub trait OfActors: Actor {}

#[diagnostic::do_not_recommend]
impl<A: Actor> OfActors for A {}

impl<A> ChildOptions<A> {
    /// Lets the first start of the tree go on without this child, if the child fails and is not restarted.
    ///
    /// See rule S21.
    pub fn best_effort(self) -> Self
    where
        A: NotATree,
    {
        self.set(|common| common.best_effort = true)
    }

    /// Lets a stop first handle the queued messages and finish what `cx.run` has begun, within the `shutdown` time; new
    /// messages are refused. Off by default: queued messages then become dead letters immediately.
    ///
    /// See rules S24, S26.
    pub fn drain(self) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.drain = true)
    }

    /// Sets how long the actor may take for what comes from its mailbox: a message, a tick, a result of `cx.run`, a
    /// `terminated`. The time begins when the handler first waits. After it the handler is dropped at its next await,
    /// and has failed with [`Cause::TimedOut`](crate::Cause::TimedOut). Code that never awaits cannot be cut short.
    /// Default: as long as it takes.
    ///
    /// See rule S13.
    pub fn handler(self, within: Duration) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.handler = Some(within))
    }

    /// Sets how many messages can wait. Default: `Bounded(1024)`.
    ///
    /// See rule S3.
    pub fn mailbox(self, mailbox: Mailbox) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.mailbox = mailbox)
    }

    /// Empties the mailbox when a restart begins: what waits becomes a dead letter, and its askers hear at once. Off by
    /// default: messages survive a restart.
    ///
    /// See rule S35.
    pub fn fresh(self) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.fresh = true)
    }

    /// Sets whether messages wait or are rejected while the actor is down. Default: `Hold`.
    ///
    /// See rule S35.
    pub fn while_down(self, while_down: WhileDown) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.while_down = while_down)
    }

    /// Puts the message in hand back to the front of the queue after a failure or abort, at most this often; after that
    /// it becomes a dead letter. An `ask` keeps waiting for its reply until then. Off by default.
    ///
    /// See rule S36.
    ///
    /// Every message is cloned before it is handled.
    pub fn redeliver(mut self, attempts: u32) -> Self
    where
        A: OfActors,
        A::Msg: Redeliver,
    {
        let hooks = self.options.hooks();
        hooks.redeliver = Some(Arc::new(Redelivery::<A> { attempts, again: A::Msg::clone }));
        hooks.attempts = Some(attempts);
        self
    }

    /// Sets how often a remote child hands in a message again. No copy of it is made here: its owner keeps the message
    /// until the node has begun it.
    #[doc(hidden)]
    pub fn redeliver_from_owner(mut self, attempts: u32) -> Self {
        self.options.hooks().attempts = Some(attempts);
        self
    }

    /// Returns how often a message is delivered again, if it is.
    #[doc(hidden)]
    pub fn redeliveries(&self) -> Option<u32> {
        self.options.attempts()
    }

    /// Returns whether a restart empties the mailbox.
    #[doc(hidden)]
    pub fn is_fresh(&self) -> bool {
        self.options.common.fresh
    }

    /// Sets how long an `ask` to the actor waits for the reply. Default: 5 s.
    pub fn ask(self, within: Duration) -> Self
    where
        A: WithMailbox,
    {
        self.set(|common| common.ask = Some(within))
    }

    /// Sets a hook that replaces the type's own `pre_restart`.
    pub fn pre_restart<M: 'static>(mut self, hook: impl RestartHook<A, M> + 'static) -> Self
    where
        A: OfActors,
    {
        self.options.hooks().pre_restart = Some(erase(hook));
        self
    }

    /// Sets a hook that replaces the type's own `post_restart`.
    pub fn post_restart<M: 'static>(mut self, hook: impl RestartHook<A, M> + 'static) -> Self
    where
        A: OfActors,
    {
        self.options.hooks().post_restart = Some(erase(hook));
        self
    }
}

fn erase<A: Actor, M: 'static>(hook: impl RestartHook<A, M> + 'static) -> Arc<dyn Any + Send + Sync> {
    let hook = Arc::new(CatchDrop::new(hook));
    let erased: HookOf<A> = Arc::new(move |actor, failure, cx| {
        let hook = hook.clone();
        Box::pin(async move { hook.call(actor, failure, cx).await.map_err(Into::into) })
    });
    Arc::new(erased)
}

/// The source from which a cell reads its settings at each start.
#[derive(Clone)]
pub(crate) struct Reader {
    source: Option<Source>,
    pub(crate) now: Options,
}

impl Reader {
    pub(crate) fn new<T>(options: ChildOptions<T>) -> Self {
        Reader { source: options.source, now: options.options }
    }

    /// Returns the settings for the incarnation that begins.
    pub(crate) fn read(&mut self) -> &Options {
        if let Some(source) = &self.source {
            let now = lock(source).clone();
            self.now = now; // the previous hooks and deciders are dropped after the lock
        }
        &self.now
    }
}
