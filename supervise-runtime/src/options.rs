//! The settings of one child, one method for each (section 1.2 of the language).

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use crate::actor::Actor;
use crate::backoff::Backoff;
use crate::context::Context;
use crate::decide::member::Role;
use crate::events::lock;
use crate::failure::{Failure, Thrown};
use crate::hook::RestartHook;
use crate::last::Quiet;
use crate::strategy::{Decider, IntoDecider, Lifecycle, Limit, Mailbox, Shutdown, WhileDown};
use crate::sync::{Arc, Mutex};
use crate::task::Task;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long a child has to go down, if nothing else is said (S24).
pub(crate) const SHUTDOWN: Duration = supervise_rules::shutdown::DEFAULT;
/// How long an ask waits, if nothing else is said (S3).
const ASK: Duration = Duration::from_secs(5);

/// A hook that replaces the type's own.
pub(crate) type HookOf<A> =
    Arc<dyn for<'a> Fn(&'a mut A, &'a Failure, &'a mut Context<A>) -> BoxFuture<'a, Result<(), Thrown>> + Send + Sync>;

/// What does not depend on the type of the child.
#[derive(Debug, Clone, Default)]
pub(crate) struct Common {
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) shutdown: Option<Shutdown>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) limit: Limit,
    pub(crate) decider: Option<Decider>,
    pub(crate) mailbox: Mailbox,
    pub(crate) ask: Option<Duration>,
    pub(crate) max_children: Option<usize>,
    pub(crate) optional: bool,
    pub(crate) start: Option<Duration>,
    pub(crate) drain: bool,
    pub(crate) ready: bool,
    /// A task that does not take its context, as far as its declaration tells.
    pub(crate) without_context: bool,
    pub(crate) significant: bool,
    pub(crate) while_down: WhileDown,
}

impl Common {
    pub(crate) fn shutdown_or_default(&self, role: Role) -> Shutdown {
        self.shutdown.unwrap_or(match role {
            Role::Tree => Shutdown::Infinity,
            _ => Shutdown::Within(SHUTDOWN),
        })
    }

    pub(crate) fn lifecycle_or(&self, role: Role) -> Lifecycle {
        let by_default = || supervise_rules::Lifecycle::default_for(role == Role::Task, false);
        self.lifecycle.unwrap_or_else(|| by_default().into())
    }

    pub(crate) fn ask_or_default(&self) -> Duration {
        self.ask.unwrap_or(ASK)
    }

    pub(crate) fn capacity(&self) -> usize {
        match self.mailbox {
            Mailbox::Bounded(places) => places.max(1),
            Mailbox::Unbounded => usize::MAX,
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) common: Arc<Common>,
    /// Most children have none.
    hooks: Option<Arc<Hooks>>,
}

/// Hooks instead of the type's own: each a `HookOf<A>`, where `A` is known to be an actor.
#[derive(Clone, Default)]
struct Hooks {
    pre_restart: Option<Arc<dyn Any + Send + Sync>>,
    post_restart: Option<Arc<dyn Any + Send + Sync>>,
    redeliver: Option<Arc<dyn Any + Send + Sync>>,
    /// Those of `redeliver`.
    attempts: Option<u32>,
}

/// How a message is delivered again: made where it is known to be `Clone`.
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

/// A message that can be delivered again: every one that is `Clone` (S36).
///
/// A [`Reply`](crate::Reply) in it can be cloned; who has asked waits for the answer of the next try.
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
    note = "derive `Clone` for it, or remove `redeliver`; a `Reply` in it can be cloned"
)]
pub trait Redeliver: Clone {}

#[diagnostic::do_not_recommend]
impl<M: Clone> Redeliver for M {}

impl Options {
    /// Whether and how the message in hand is delivered again.
    pub(crate) fn redelivery<A: Actor>(&self) -> Option<Redelivery<A>> {
        self.hooks.as_ref()?.redeliver.as_ref()?.downcast_ref::<Redelivery<A>>().copied()
    }

    /// How often a message is delivered again.
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

    /// The hook that replaces the type's own, if one does.
    pub(crate) fn hook<A: Actor>(&self, pre: bool) -> Option<HookOf<A>> {
        let hooks = self.hooks.as_ref()?;
        let hook = if pre { &hooks.pre_restart } else { &hooks.post_restart };
        hook.as_ref()?.downcast_ref::<HookOf<A>>().cloned()
    }
}

/// Where the next incarnation of a declared child finds its settings: build may have new ones.
pub(crate) type Source = Arc<Mutex<Options>>;

/// The settings of a child of type `T`: what stands above it in `supervisor! { .. }`, where each setting becomes a call of
/// the method of its name. A child spawned with [`Context::spawn`] has the same methods on its
/// [`SpawnChild`](crate::SpawnChild).
///
/// ```
/// use std::time::Duration;
/// use supervise::{ChildOptions, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// // #[lifecycle(Transient, shutdown = 2s)]
/// // #[backoff(3s..30s)]
/// let options = ChildOptions::<Db>::new()
///     .lifecycle(Lifecycle::Transient)
///     .shutdown(Duration::from_secs(2))
///     .backoff(ExponentialBackoff::new(Duration::from_secs(3), Duration::from_secs(30)));
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
    /// All defaults.
    pub fn new() -> Self {
        ChildOptions { options: Options::default(), source: None, of: PhantomData }
    }

    fn set(mut self, set: impl FnOnce(&mut Common)) -> Self {
        set(Arc::make_mut(&mut self.options.common));
        self
    }

    /// When it is started again (S23). Default: `Permanent` for a declared actor or tree, `Transient`
    /// for a task, an instance of a `[..]`, and what is spawned at run time.
    pub fn lifecycle(self, lifecycle: Lifecycle) -> Self {
        self.set(|common| common.lifecycle = Some(lifecycle))
    }

    /// How long it may take to go down (S24). Default 5 s, for a tree as long as it takes.
    pub fn shutdown(self, shutdown: impl Into<Shutdown>) -> Self {
        let shutdown = shutdown.into();
        self.set(|common| common.shutdown = Some(shutdown))
    }

    /// How long a restart waits (S14, S31 to S33). Default: the built-in pace.
    pub fn backoff(self, backoff: impl Into<Backoff>) -> Self {
        let backoff = backoff.into();
        self.set(|common| common.backoff = Some(backoff))
    }

    /// Its own restart budget (S15), under OneForOne or in a `[..]`.
    pub fn limit(self, limit: Limit) -> Self {
        self.set(|common| common.limit = limit)
    }

    /// Its own decider (S8); what it leaves open goes to the supervisor's.
    pub fn decider<M>(self, decider: impl IntoDecider<M>) -> Self {
        let decider = decider.into_decider();
        self.set(|common| common.decider = Some(decider))
    }

    /// How long each start may take, from its start expression to the end of `post_restart`; of a task with
    /// [`ready`](ChildOptions::ready) until it is. Past it the start has failed with
    /// [`Cause::TimedOut`](crate::Cause::TimedOut) (S13). Default: as long as it takes, with an event every 10 s.
    pub fn start(self, within: Duration) -> Self {
        self.set(|common| common.start = Some(within))
    }

    /// The supervisor ends when this child has ended by itself, a `Temporary` one also when it failed; the
    /// rest goes down in reverse (S22). Off by default; without effect on a `Permanent` child, which starts
    /// again.
    pub fn significant(self) -> Self {
        self.set(|common| common.significant = true)
    }

    /// Of a `[..]`: how many instances there may be that have not ended.
    pub fn max_children(self, most: usize) -> Self {
        self.set(|common| common.max_children = Some(most))
    }

    /// It may not be there (S28).
    pub(crate) fn optional(self) -> Self {
        self.set(|common| common.optional = true)
    }

    pub(crate) fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }
}

impl ChildOptions<Task> {
    /// All defaults, for a task that does not take its context: it is dropped at its next await and needs no time to
    /// stop.
    #[doc(hidden)]
    pub fn without_context() -> Self {
        ChildOptions::new().set(|common| common.without_context = true)
    }

    /// It counts as started when it says so by [`TaskContext::ready`](crate::TaskContext::ready), and not when
    /// it is launched (S29). It must take its context.
    pub fn ready(self) -> Self {
        self.set(|common| common.ready = true)
    }
}

/// What has messages and hooks: every actor.
///
/// A bound of the single methods: on a tree or a task the compiler says this, and not that there is no such method.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this setting is for actors, and `{Self}` is a tree; write it above an actor inside that tree",
    label = "a tree has no messages and no hooks of its own"
)]
pub trait OfActors: Actor {}

#[diagnostic::do_not_recommend]
impl<A: Actor> OfActors for A {}

impl<A> ChildOptions<A> {
    /// A stop handles the queued messages and finishes what `cx.run` has begun first, within the `shutdown` time; new
    /// messages are refused (S24, S26). Off by default: then what is queued becomes dead letters at once.
    pub fn drain(self) -> Self
    where
        A: OfActors,
    {
        self.set(|common| common.drain = true)
    }

    /// How many messages can wait (S3). Default `Bounded(1024)`.
    pub fn mailbox(self, mailbox: Mailbox) -> Self
    where
        A: OfActors,
    {
        self.set(|common| common.mailbox = mailbox)
    }

    /// What becomes of messages while it is down (S35). Default `Hold`.
    pub fn while_down(self, while_down: WhileDown) -> Self
    where
        A: OfActors,
    {
        self.set(|common| common.while_down = while_down)
    }

    /// The message in hand at a failure or abort is put back in front after the restart, at most this often;
    /// then it is a dead letter (S36). Until then an `ask` goes on waiting for its reply. Off by default.
    ///
    /// Each message is cloned before it is handled.
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

    /// How long an `ask` to it waits for the reply. Default 5 s.
    pub fn ask(self, within: Duration) -> Self
    where
        A: OfActors,
    {
        self.set(|common| common.ask = Some(within))
    }

    /// A hook instead of the type's own `pre_restart`.
    pub fn pre_restart<M: 'static>(mut self, hook: impl RestartHook<A, M> + 'static) -> Self
    where
        A: OfActors,
    {
        self.options.hooks().pre_restart = Some(erase(hook));
        self
    }

    /// A hook instead of the type's own `post_restart`.
    pub fn post_restart<M: 'static>(mut self, hook: impl RestartHook<A, M> + 'static) -> Self
    where
        A: OfActors,
    {
        self.options.hooks().post_restart = Some(erase(hook));
        self
    }
}

fn erase<A: Actor, M: 'static>(hook: impl RestartHook<A, M> + 'static) -> Arc<dyn Any + Send + Sync> {
    let hook = Arc::new(Quiet::new(hook));
    let erased: HookOf<A> = Arc::new(move |actor, failure, cx| {
        let hook = hook.clone();
        Box::pin(async move { hook.call(actor, failure, cx).await.map_err(Thrown::from) })
    });
    Arc::new(erased)
}

/// What a body reads its settings from.
#[derive(Clone)]
pub(crate) struct Reader {
    source: Option<Source>,
    pub(crate) now: Options,
}

impl Reader {
    pub(crate) fn new<T>(options: ChildOptions<T>) -> Self {
        Reader { source: options.source, now: options.options }
    }

    /// The settings for the incarnation that begins.
    pub(crate) fn read(&mut self) -> &Options {
        if let Some(source) = &self.source {
            let now = lock(source).clone();
            self.now = now; // the hooks and deciders before are dropped behind the lock
        }
        &self.now
    }
}
