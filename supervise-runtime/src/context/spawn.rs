//! Children at run time: the settings of a spawn, its start, and what can go wrong (S38).

use super::*;
use crate::cell::life::live;
use crate::cell::{Unbegun, require_time};
use crate::path::escaped;

/// A child to be spawned: settings first, then `.await`.
///
/// From [`Context::spawn`], for a child of the actor, or [`spawn`](crate::spawn), for one at the top. Its methods are the
/// settings of a declared child, with the same meaning and, but for the lifecycle, the same defaults.
///
/// Awaited, it gives the [`ActorRef`] once the child is up. A first start that is retried keeps it waiting.
///
/// # Errors
///
/// See [`SpawnError`].
///
/// # Cancel safety
///
/// Dropped before it is ready, the child is taken back.
///
/// # Panics
///
/// When it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
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
/// // The closure runs at every start, so each gets its own clone.
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
    pub(super) owner: Arc<dyn Controlled>,
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
    pub(crate) fn new(owner: Arc<dyn Controlled>, name: &str, start: F) -> Self {
        SpawnChild { owner, name: name.to_owned(), start, options: ChildOptions::new(), of: PhantomData }
    }

    fn with(mut self, set: impl FnOnce(ChildOptions<B>) -> ChildOptions<B>) -> Self {
        self.options = set(self.options);
        self
    }

    /// When it is started again (S23); default `Transient`.
    pub fn lifecycle(self, lifecycle: Lifecycle) -> Self {
        self.with(|options| options.lifecycle(lifecycle))
    }

    /// How long it may take to go down (S24); default 5 s.
    pub fn shutdown(self, shutdown: impl Into<Shutdown>) -> Self {
        self.with(|options| options.shutdown(shutdown))
    }

    /// How long each start may take (S13); default as long as it takes.
    pub fn start(self, within: Duration) -> Self {
        self.with(|options| options.start(within))
    }

    /// A stop handles the queued messages and finishes what `cx.run` has begun first (S24, S26).
    pub fn drain(self) -> Self {
        self.with(ChildOptions::drain)
    }

    /// The actor that spawns it ends when this child has ended by itself (S22).
    pub fn significant(self) -> Self {
        self.with(ChildOptions::significant)
    }

    /// How long a restart waits (S14, S31 to S33); default the built-in pace.
    pub fn backoff(self, backoff: impl Into<Backoff>) -> Self {
        self.with(|options| options.backoff(backoff))
    }

    /// Its own restart budget (S15).
    pub fn limit(self, limit: Limit) -> Self {
        self.with(|options| options.limit(limit))
    }

    /// Its own decider (S8).
    pub fn decider<M>(self, decider: impl IntoDecider<M>) -> Self {
        self.with(|options| options.decider(decider))
    }

    /// How many messages can wait (S3); default `Bounded(1024)`.
    pub fn mailbox(self, mailbox: Mailbox) -> Self {
        self.with(|options| options.mailbox(mailbox))
    }

    /// What becomes of messages while it is down (S35); default `Hold`.
    pub fn while_down(self, while_down: WhileDown) -> Self {
        self.with(|options| options.while_down(while_down))
    }

    /// The message in hand at a failure or abort is delivered again, at most this often (S36).
    pub fn redeliver(self, attempts: u32) -> Self
    where
        B::Msg: Redeliver,
    {
        self.with(|options| options.redeliver(attempts))
    }

    /// How long an `ask` to it waits; default 5 s.
    pub fn ask(self, within: Duration) -> Self {
        self.with(|options| options.ask(within))
    }

    /// A hook instead of the type's own `pre_restart`.
    pub fn pre_restart<M: 'static>(self, hook: impl RestartHook<B, M> + 'static) -> Self {
        self.with(|options| options.pre_restart(hook))
    }

    /// A hook instead of the type's own `post_restart`.
    pub fn post_restart<M: 'static>(self, hook: impl RestartHook<B, M> + 'static) -> Self {
        self.with(|options| options.post_restart(hook))
    }
}

/// Why a spawn failed: of [`Context::spawn`], [`spawn`](crate::spawn), and of the sets [`Children`](crate::Children) and
/// [`Keyed`](crate::Keyed).
///
/// ```
/// use std::io;
/// use supervise::{SpawnError, prelude::*};
/// # struct Import;
/// # #[actor]
/// # impl Import { fn handle(&mut self, _msg: ()) {} }
///
/// async fn open(file: &str) -> io::Result<Import> {
///     Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no {file}")))
/// }
///
/// supervisor! {
///     struct App {
///         imports: [Import] = |file: &'static str| open(file).await?,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// match app.imports.spawn("a.csv").await {
///     Err(SpawnError::Start(failure)) => {
///         let error = failure.error::<io::Error>().expect("what was thrown");
///         assert_eq!(error.kind(), io::ErrorKind::NotFound);
///     }
///     other => panic!("{other:?}"),
/// }
/// assert!(app.ended().is_none()); // the failed start of an instance concerns nobody else
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The supervisor is stopping, or a restart of it absorbed the spawn.
    #[error("{path} is stopping: it takes no new children")]
    Stopping {
        /// The supervisor.
        path: String,
    },
    /// The supervisor has ended.
    #[error("{path} has ended: it takes no new children")]
    Stopped {
        /// The supervisor.
        path: String,
    },
    /// `max_children` is reached.
    #[error("{path} has its {most} children; stop one, or raise `max_children`")]
    MaxChildren {
        /// The set.
        path: String,
        /// How many it may have.
        most: usize,
    },
    /// A living child has this name.
    #[error("{path} exists; choose another name, or wait for its end")]
    Exists {
        /// The child.
        path: String,
    },
    /// The name, or what the key displays as, is empty: nothing in a path would stand for this child.
    #[error("a child of {path} needs a name, and this one is empty; give it one")]
    EmptyName {
        /// The supervisor.
        path: String,
    },
    /// The settings of the spawn contradict each other, or its supervisor's do.
    #[error("{path} cannot be spawned: {what}")]
    InvalidSettings {
        /// The child.
        path: String,
        /// What is wrong.
        what: InvalidSettings,
    },
    /// The first start failed and is not retried.
    #[error(transparent)]
    Start(Failure),
}

impl<B, F, Fut> IntoFuture for SpawnChild<B, F>
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, Thrown>> + Send + 'static,
{
    type Output = Result<ActorRef<B>, SpawnError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            require_time();
            let SpawnChild { owner, name, start, options, .. } = self;
            let path = || owner.ctl().path();
            if owner.ctl().is_guardian() {
                owner.ctl().bus.started();
                owner.ctl().bus.spans.begin();
            }
            let options = transient(options);
            let common = options.options.common.clone();
            let Some(sup) = owner.ctl().sup() else { return Err(SpawnError::Stopped { path: path() }) };
            if name.is_empty() {
                return Err(SpawnError::EmptyName { path: path() });
            }
            if current::is_leaving() || owner.ctl().is_leaving() {
                // A hook or message on the way down: what it waits for could begin only behind it (S7).
                return Err(SpawnError::Stopping { path: path() });
            }
            let limits = sup.limits();
            let lifecycle = common.lifecycle_or(Role::Actor);
            let sound = limits.check().and_then(|()| InvalidSettings::of_child(&options.options, lifecycle, &limits));
            sound.map_err(|what| {
                let child = Ctl::new(Name::from(&*name), Some(owner.clone()), owner.ctl().bus.clone());
                SpawnError::InvalidSettings { path: child.path(), what }
            })?;
            let mut spawned = None;
            let added = sup.add(
                &*owner,
                Some(&name),
                None,
                settings(&common, Role::Actor),
                patience(&common, Role::Actor),
                |_| {
                    let ctl = Ctl::new(Name::from(&*name), Some(owner.clone()), owner.ctl().bus.clone());
                    let (cell, life) = make_actor(ctl, options, start);
                    spawned = Some((cell.clone(), life));
                    cell
                },
            );
            let child = match (added, spawned) {
                (Ok(behind), Some((cell, life))) => {
                    behind.done();
                    life.begin();
                    ActorRef { cell }
                }
                (Err(Refused::Exists), _) => {
                    return Err(SpawnError::Exists { path: format!("{}/{}", path(), escaped(&name)) });
                }
                (Err(Refused::Stopped), _) => return Err(SpawnError::Stopped { path: path() }),
                _ => return Err(SpawnError::Stopping { path: path() }),
            };
            Startup::of(child.cell.clone()).await?;
            Ok(child)
        })
    }
}

/// The default of what is spawned at run time (S23).
pub(crate) fn transient<T>(options: ChildOptions<T>) -> ChildOptions<T> {
    match options.options.common.lifecycle {
        Some(_) => options,
        None => options.lifecycle(supervise_rules::Lifecycle::default_for(false, true).into()),
    }
}

/// Makes the cell of an actor, and its life. Runs no user code.
pub(crate) fn make_actor<B, F, Fut>(ctl: Ctl, options: ChildOptions<B>, start: F) -> (Arc<Cell<B>>, Unbegun)
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, Thrown>> + Send + 'static,
{
    let common: &Common = &options.options.common;
    let cell = MailCell::new(ctl, common.capacity(), common.ask_or_default()).while_down(common.while_down);
    let cell = Arc::new(cell);
    let body = ActorBody::new(cell.clone(), Reader::new(options), start);
    let life = Unbegun::new(&cell, live(cell.clone(), body));
    (cell, life)
}

/// Waits for the first start of a run-time child; dropped before it is up, the child is taken back.
pub(crate) struct Startup {
    cell: Arc<dyn Controlled>,
    over: bool,
}

impl Startup {
    pub(crate) fn of(cell: Arc<dyn Controlled>) -> impl Future<Output = Result<(), SpawnError>> {
        let mut startup = Startup { cell, over: false };
        async move {
            let mut waiting = Waiting::default();
            let up = poll_fn(|cx| match startup.cell.ctl().poll_up(&mut waiting, cx.waker()) {
                Poll::Ready(up) => {
                    startup.over = true;
                    Poll::Ready(up)
                }
                // Dropped meanwhile, the child is taken back: its end wakes nobody then.
                Poll::Pending => Poll::Pending,
            })
            .await;
            started(&*startup.cell, up)
        }
    }
}

impl Drop for Startup {
    fn drop(&mut self) {
        if !self.over {
            send(&*self.cell, SystemMessage::Stop);
        }
    }
}

/// What whoever waited for a first start is told.
pub(crate) fn started(cell: &dyn Controlled, up: Result<(), Ended>) -> Result<(), SpawnError> {
    let ctl = cell.ctl();
    let path = || ctl.parent.as_ref().map_or_else(String::new, |parent| parent.ctl().path());
    match up {
        Ok(()) => Ok(()),
        Err(Ended::Failed(failure) | Ended::Limit(failure)) => Err(SpawnError::Start(failure)),
        Err(Ended::RuntimeGone) => Err(SpawnError::Stopped { path: path() }),
        Err(Ended::Killed) => {
            Err(SpawnError::Start(Failure::new(Phase::Start, Cause::Killed, ctl.path(), ctl.incarnation())))
        }
        Err(_) => Err(SpawnError::Stopping { path: path() }),
    }
}
