//! Children that are spawned at run time: by an actor, or without a supervisor above them (rules S38, S39).

use std::borrow::Cow;
use std::fmt;
use std::future::Future;

use tokio::runtime::Handle;

use super::child::{Child, ChildSlot, Launched, apart, declared_runtime};
use super::children::{Detached, Spawn};
use super::kept::ATree;
use crate::actor::child_ref::AnyRef;
use crate::actor::context::{Context, Startup, transient};
use crate::actor::options::ChildOptions;
use crate::actor::{Actor, guardian, validate};
use crate::engine::bus::extension::{Standing, Start, start_extensions};
use crate::engine::cell::body::settings;
use crate::engine::cell::control::AnyCell;
use crate::engine::cell::{current, require_time};
use crate::engine::supervisor::{Refused, Room};
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::Arc;
use supervise_core::values::failure::Thrown;
use supervise_core::values::path::escaped;
use supervise_core::values::place::Name;
use supervise_core::values::spawn_error::SpawnError;

/// A start expression, boxed.
pub(super) type Boxed<S> = Box<dyn FnMut() -> BoxFuture<'static, Result<S, Thrown>> + Send>;

/// A child that is about to be spawned: the value of `child! { .. }`.
///
/// [`Context::spawn`] spawns it as a child of an actor, [`spawn`](https://docs.rs/supervise-tree/latest/supervise/fn.spawn.html) without a supervisor. Nothing has begun before that:
/// a `NewChild` that is dropped does nothing.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::NewChild;
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
/// fn download(url: &str) -> NewChild<Download> {
///     let url = url.to_owned();
///     child! {
///         #[backoff(1s..30s)]
///         "download": Download = Download { url }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let download: ActorRef<Download> = supervise::spawn(download("https://example.org")).await?;
/// assert_eq!(download.ask(|reply| reply).await?, "https://example.org");
/// # download.stop();
/// # Ok(())
/// # }
/// ```
#[must_use = "pass it to `cx.spawn` or to `supervise::spawn`"]
pub struct NewChild<T: Child> {
    name: String,
    options: ChildOptions<T>,
    start: Boxed<T::Start>,
}

impl<T: Child> fmt::Debug for NewChild<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewChild").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The argument of [`spawn`](https://docs.rs/supervise-tree/latest/supervise/fn.spawn.html) and [`Context::spawn`], with the handle `H` that they return: a [`NewChild`].
///
/// ```
/// use supervise::bound::IntoNewChild;
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
///
/// async fn logged<H>(child: impl IntoNewChild<H>) -> Result<H, SpawnError> {
///     println!("a child is spawned");
///     supervise::spawn(child).await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let job = logged(child! { "job": task = async { println!("at work") } }).await?;
/// job.terminated().await?;
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `child!`; write `child! {{ \"name\": {Self} = .. }}`",
    label = "a child has a name, a type and a start expression",
    note = "the start expression runs at the first start and at every restart",
    note = "a future is a task; write `child! {{ \"name\": task = .. }}`"
)]
pub trait IntoNewChild<H> {
    /// The type of the child.
    #[doc(hidden)]
    type Declared: Child<Handle = H>;

    /// Returns the child.
    #[doc(hidden)]
    fn into_new_child(self) -> NewChild<Self::Declared>;
}

#[diagnostic::do_not_recommend]
impl<T: Child> IntoNewChild<T::Handle> for NewChild<T> {
    type Declared = T;

    fn into_new_child(self) -> NewChild<T> {
        self
    }
}

/// Returns the name that a `child!` gives its child.
#[doc(hidden)]
pub fn name_of_child<'a>(name: impl Into<Cow<'a, str>>) -> String {
    name.into().into_owned()
}

/// Makes a [`NewChild`]. Each start calls a clone of `start`.
#[doc(hidden)]
pub fn new_child<T, F, Fut>(name: String, options: ChildOptions<T>, start: F) -> NewChild<T>
where
    T: Child,
    F: FnOnce() -> Fut + Clone + Send + 'static,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    let start = CatchDrop::new(start);
    let start: Boxed<T::Start> = Box::new(move || Box::pin((*start).clone()()));
    NewChild { name, options, start }
}

/// Makes a [`NewChild`] that is `Temporary`: it is started once, and what its start names is moved into it.
#[doc(hidden)]
pub fn new_child_once<T, F, Fut>(name: String, options: ChildOptions<T>, start: F) -> NewChild<T>
where
    T: Child,
    F: FnOnce() -> Fut + Send + 'static,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    let mut start = CatchDrop::new(Some(start));
    let start: Boxed<T::Start> = Box::new(move || {
        let start = start.take().expect("a child whose start is moved is started once");
        Box::pin(start())
    });
    NewChild { name, options, start }
}

/// A local variable that the start of a `child! { .. }` names: cloned for each start.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{T}` is named by the start of a child, but it is not `Clone`",
    label = "each start needs its own clone",
    note = "`#[lifecycle(Temporary)]` starts the child once: then it is moved, and needs no `Clone`",
    note = "else wrap it in an `Arc`, or make it inside the start expression"
)]
pub trait CanCloneForStarts<T> {
    fn again(value: &T) -> T;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + 'static> CanCloneForStarts<T> for ATree {
    fn again(value: &T) -> T {
        value.clone()
    }
}

/// A captured variable. It is `Clone` whatever its type is, so that one complaint about the type is enough.
#[doc(hidden)]
pub struct Capture<T>(T, fn(&T) -> T);

impl<T> fmt::Debug for Capture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capture")
    }
}

impl<T> Clone for Capture<T> {
    fn clone(&self) -> Self {
        Capture((self.1)(&self.0), self.1)
    }
}

impl<T> Capture<T> {
    /// Clones the variable, which stays usable after the `child! { .. }`.
    pub fn of(value: &T) -> Self
    where
        ATree: CanCloneForStarts<T>,
    {
        Capture(ATree::again(value), <ATree as CanCloneForStarts<T>>::again)
    }

    /// Returns the value of one start.
    pub fn take(self) -> T {
        self.0
    }
}

impl<A: Actor> Context<A> {
    /// Spawns a child of this actor, supervised by [`Actor::supervision`]: an actor, a task or a tree, declared by
    /// `child! { .. }`.
    ///
    /// Await the returned future to get the child's handle once it is up. If a first start is retried, the await waits
    /// for it.
    ///
    /// The name must be unique among the living children. When this actor is restarted, its children are stopped,
    /// unless [`keep`](Context::keep) names them (S38).
    ///
    /// ```
    /// use supervise::error::SpawnError;
    /// use supervise::prelude::*;
    ///
    /// struct Fetcher {
    ///     url: String,
    /// }
    /// # #[actor]
    /// # impl Fetcher { fn handle(&mut self, reply: Reply<String>) { reply.send(self.url.clone()); } }
    ///
    /// struct Manager {
    ///     spawned: u32,
    /// }
    ///
    /// #[actor]
    /// impl Manager {
    ///     async fn handle(
    ///         &mut self,
    ///         (url, reply): (String, Reply<ActorRef<Fetcher>>),
    ///         cx: &mut Context<Self>,
    ///     ) -> Result<(), SpawnError> {
    ///         self.spawned += 1;
    ///         let fetcher = cx.spawn(child! {
    ///             #[lifecycle(Transient, shutdown = 1s)]
    ///             #[backoff(1s..30s)]
    ///             format!("fetcher {}", self.spawned): Fetcher = Fetcher { url }
    ///         });
    ///         reply.send(fetcher.await?);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # supervisor! { struct App { manager: Manager = Manager { spawned: 0 } } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let app = App::start().await?;
    /// let fetcher = app.manager.ask(|reply| ("https://example.org".to_owned(), reply)).await?;
    /// assert_eq!(fetcher.path(), "manager/fetcher 1");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The child runs on the tokio runtime of this actor, unless its settings name another one, wherever the spawn is
    /// awaited (rule S25).
    ///
    /// The start of a child must not `ask` the actor that waits for the spawn in a handler: both would wait until the
    /// time of the ask is up.
    ///
    /// # Errors
    ///
    /// Awaiting returns a [`SpawnError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing has begun before the first poll. If the future is dropped after that and before it is ready, the child
    /// is stopped; [`detached`](Spawn::detached) lets it start all the same.
    #[doc(alias = "spawn_link")]
    pub fn spawn<H>(&mut self, child: impl IntoNewChild<H>) -> Spawn<Result<H, SpawnError>> {
        let NewChild { name, options, start } = child.into_new_child();
        in_group(self.as_supervisor(), name, options, start)
    }

    /// Returns the child that was spawned here under this name and has not ended: its handle, if it is a `T`. The
    /// handle of a tree exists once the tree was up.
    ///
    /// A new instance finds in this way the children that the previous one has [kept](Context::keep) (S38).
    ///
    /// ```
    /// # use supervise::{Actor, Context, Task, TaskRef};
    /// # struct Manager;
    /// # impl Actor for Manager { type Msg = (); type Error = std::convert::Infallible;
    /// async fn receive(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let upload: Option<TaskRef> = cx.child::<Task>("upload");
    ///     # drop(upload);
    ///     Ok(())
    /// }
    /// # }
    /// ```
    pub fn child<T: Child>(&self, name: &str) -> Option<T::Handle> {
        T::handle_of(&AnyRef::of(self.cell().core().table()?.child(name)?))
    }
}

/// Spawns a top-level child, with the extensions that all trees of the program have.
pub(crate) fn spawn_with<H>(child: impl IntoNewChild<H>, standing: Standing) -> Spawn<Result<H, SpawnError>> {
    let NewChild { name, options, start } = child.into_new_child();
    in_group(guardian::above(standing), name, options, start)
}

/// Adds a child to the group of `owner`, and waits until it is up.
fn in_group<T, F, Fut>(
    owner: Arc<AnyCell>,
    name: String,
    options: ChildOptions<T>,
    start: F,
) -> Spawn<Result<T::Handle, SpawnError>>
where
    T: Child,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    // Boxed: with a type of its own, the future would repeat a mistake in the start at each use.
    Spawn::new(|detached| begun(owner, name, options, start, detached))
}

async fn begun<T, F, Fut>(
    owner: Arc<AnyCell>,
    name: String,
    options: ChildOptions<T>,
    start: F,
    detached: Detached,
) -> Result<T::Handle, SpawnError>
where
    T: Child,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    let core = owner.core();
    let mut above = core.runtime();
    if above.is_none() {
        require_time();
        above = Some(Handle::current());
    }
    if core.is_guardian() {
        core.bus.started();
        let _ = start_extensions(&owner, Start::Alone);
    }
    let options = transient(options);
    let common = options.options.common.clone();
    let Some(table) = core.table() else { return Err(SpawnError::Stopped { path: core.path() }) };
    if name.is_empty() {
        return Err(SpawnError::EmptyName { path: core.path() });
    }
    if current::is_leaving() || core.is_leaving() {
        // Refuse a spawn from a hook or a message on the way down: it would wait for a start that can begin only after
        // the way down (S7).
        return Err(SpawnError::Stopping { path: core.path() });
    }
    let slot = || ChildSlot::new(Name::from(&*name), Some(owner.clone()), core.bus.clone());
    let limits = table.limits();
    let lifecycle = common.lifecycle_or(T::KIND);
    let sound = limits.check().and_then(|()| validate::check(&options.options, lifecycle, &limits));
    let runtime = sound.and_then(|()| declared_runtime(core, &common));
    let runtime = runtime.map_err(|what| SpawnError::InvalidSettings { path: slot().core().path(), what })?;
    let mut launched = None;
    let added = table.add(&*owner, Some(&name), Room::default(), settings(&common, T::KIND), |_| {
        let child = T::launch(slot(), options, start);
        let cell = child.cell.clone();
        apart(&*cell, &runtime);
        if core.is_guardian() && runtime.is_none() {
            above.iter().for_each(|here| cell.core().set_runtime(here.clone()));
        }
        launched = Some(child);
        cell
    });
    let Launched { cell, handle, life } = match (added, launched) {
        (Ok(after_lock), Some(launched)) => {
            after_lock.done();
            launched
        }
        (Err(Refused::Exists), _) => {
            return Err(SpawnError::Exists { path: format!("{}/{}", core.path(), escaped(&name)) });
        }
        (Err(Refused::Stopped), _) => return Err(SpawnError::Stopped { path: core.path() }),
        _ => return Err(SpawnError::Stopping { path: core.path() }),
    };
    life.on(runtime.or(above)).begin();
    Startup::unless(cell, move || detached.is_set()).await?;
    handle.get().ok_or_else(|| SpawnError::Stopping { path: core.path() })
}
