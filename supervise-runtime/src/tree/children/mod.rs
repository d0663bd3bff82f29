//! The handle of a `[T]`: any number of children from one declaration, spawned at run time (rule S27).

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::actor::child_ref::{AnyRef, InstanceSet, Sealed};
use crate::actor::context::Startup;
use crate::actor::options::{ChildOptions, Options};
use crate::engine::cell::body::settings;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::cell::current;
use crate::engine::supervisor::{AfterLock, Refused, Room};
use crate::tree::child::{Child, ChildSlot, HandleSource, Launched};
use crate::tree::kept::SharedValue;
use crate::tree::tree_ref::TreeRef;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::{CatchDrop, drop_catching_panics};
use supervise_core::base::sync::{Arc, Mutex, Weak, lock};
use supervise_core::decide::group::Group;
use supervise_core::decide::member::Settings;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown};
use supervise_core::values::place::Name;

use supervise_core::values::spawn_error::SpawnError;

mod future;
mod keyed;
mod living;

pub(super) use future::Detached;
pub use future::{GetOrSpawn, Spawn};
pub use keyed::{CanBeAKey, Key, Keyed, KeyedError, need_key};

/// The start of an instance. Instances start concurrently, so it is shared and not lent.
///
/// A `dyn Fn` would mention `T::Start`, so a set that is held over an `.await` would have to be proved to be one of
/// children (see `HasCell`).
pub(crate) trait StartRecipe<T, Args>: Send + Sync {
    fn start(&self, args: Args) -> BoxFuture<'static, Result<T::Start, Thrown>>
    where
        T: Child;
}

impl<T: Child, Args, F, Fut> StartRecipe<T, Args> for CatchDrop<F>
where
    F: Fn(Args) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    fn start(&self, args: Args) -> BoxFuture<'static, Result<T::Start, Thrown>> {
        Box::pin((**self)(args))
    }
}

/// The plan by which instances are made. The next incarnation of the tree may replace it.
pub(crate) struct Plan<T: Child, Args> {
    pub(crate) recipe: Arc<dyn StartRecipe<T, Args>>,
    pub(crate) options: Options,
    /// The settings of each instance for its group.
    settings: Arc<Settings>,
    /// Clones arguments for another start. `None`: an instance is started once, and its arguments are moved.
    pub(crate) again: Option<Clones<Args>>,
    /// The instances that the set has from its start on, each time it starts.
    pub(crate) initial: Option<SharedValue<Initial<Args>>>,
}

impl<T: Child, Args> Plan<T, Args> {
    pub(crate) fn new<F, Fut>(start: F, mut options: Options, again: Option<Clones<Args>>) -> Self
    where
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let recipe = Arc::new(CatchDrop::new(start));
        if options.common.significant {
            Arc::make_mut(&mut options.common).significant = false; // a setting of the set itself
        }
        let settings = settings(&options.common, T::KIND);
        Plan { recipe, options, settings, again, initial: None }
    }
}

pub(crate) type Clones<Args> = fn(&Args) -> Args;

type ClonesAll<Args> = fn(&[Args]) -> Vec<Args>;

/// A plan as the tree and the tasks of the instances have it.
pub(crate) type SharedPlan<T, Args> = Arc<Mutex<Plan<T, Args>>>;

/// The arguments of the instances that a set has from its start on. The tree keeps them, since a restart of the set
/// starts those instances again.
#[doc(hidden)]
pub struct Initial<Args> {
    items: Vec<Args>,
    /// Clones the arguments; `None` without the setting.
    again: Option<ClonesAll<Args>>,
}

impl<Args> fmt::Debug for Initial<Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Initial({})", self.items.len())
    }
}

impl<Args> Initial<Args> {
    pub(crate) fn none() -> Self {
        Initial { items: Vec::new(), again: None }
    }

    /// Returns whether the setting is written, be it with no argument at all.
    pub(crate) fn is_declared(&self) -> bool {
        self.again.is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    fn again(&self) -> Vec<Args> {
        self.again.map_or_else(Vec::new, |again| again(&self.items))
    }
}

impl<K: Key, Args> Initial<(K, Args)> {
    /// Returns the places, counted from 1, of the first two that have the same key.
    pub(crate) fn same_keys(&self) -> Option<(usize, usize)> {
        let mut places = HashMap::new();
        let keys = self.items.iter().enumerate();
        keys.filter_map(|(i, (key, _))| Some((places.insert(key, i)? + 1, i + 1))).next()
    }
}

impl<Args: Clone> From<Vec<Args>> for Initial<Args> {
    fn from(items: Vec<Args>) -> Self {
        Initial { items, again: Some(<[Args]>::to_vec) }
    }
}

impl<Args> Drop for Initial<Args> {
    fn drop(&mut self) {
        self.items.drain(..).for_each(drop_catching_panics); // one at a time: a `Drop` that panics leaves the others
    }
}

/// The handle of a set, such as `sessions: [Session]`, whose instances are spawned at run time.
///
/// A set is a supervisor with the strategy `OneForOne`, and each instance has its own restart budget. The handle is
/// cheap to clone, and stays the same over restarts of the tree.
///
/// The arguments of [`spawn`](Children::spawn) are those of the declared closure, up to six. The instances have the
/// paths `sessions/#1`, `sessions/#2` and so on; to find instances again, use keys, see [`Keyed`]. The settings above
/// the declaration apply to each instance. `max_children` limits how many live at a time; `initial` lists those that
/// the set has from its start on.
///
/// The arguments are kept for the restarts of the instance, so they have to be `Clone`. Under `lifecycle(Temporary)` an
/// instance is started once: its arguments are moved into it, and the set keeps nothing of them.
///
/// ```
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
///
/// struct Session {
///     user: &'static str,
///     greeting: String,
/// }
///
/// #[actor]
/// impl Session {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(format!("{}, {}", self.greeting, self.user));
///     }
/// }
///
/// supervisor! {
///     struct Server(greeting: String) {
///         #[max_children(2)]
///         sessions: [Session] = |user: &'static str| Session { user, greeting },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start("hello".to_owned()).await?;
/// let anna = server.sessions.spawn("anna").await?;
/// let bert = server.sessions.spawn("bert").await?;
/// assert_eq!(bert.ask(|reply| reply).await?, "hello, bert");
/// assert_eq!((bert.path().as_str(), server.sessions.len()), ("sessions/#2", 2));
/// assert!(matches!(server.sessions.spawn("carl").await, Err(SpawnError::MaxChildren { most: 2, .. })));
///
/// anna.stop();
/// anna.terminated().await?;
/// server.sessions.spawn("carl").await?; // there is room again
///
/// server.sessions.tree().stop(); // all of them at once
/// # server.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub struct Children<T: Child, Args> {
    pub(crate) cell: Arc<AnyCell>,
    /// Gone with the tree: a handle keeps nothing alive (S2).
    pub(crate) plan: Weak<Mutex<Plan<T, Args>>>,
}

impl<T: Child, Args> Clone for Children<T, Args> {
    fn clone(&self) -> Self {
        Children { cell: self.cell.clone(), plan: self.plan.clone() }
    }
}

impl<T: Child, Args> Sealed for Children<T, Args> {}

impl<T: Child, Args> InstanceSet for Children<T, Args> {
    fn set(&self) -> (AnyRef, bool) {
        (AnyRef::of(self.cell.clone()), false)
    }
}

impl<T: Child, Args> fmt::Debug for Children<T, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Children({})", self.cell.core().path())
    }
}

impl<T: Child, Args: Send + 'static> Children<T, Args> {
    /// Returns the number of instances that have not ended.
    pub fn len(&self) -> usize {
        self.cell.core().table().map_or(0, |table| table.inspect(|group| group.living() as usize))
    }

    /// Returns `true` if every instance has ended, or none was spawned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the handles of all instances that are up, or down for a restart, in the order in which they were
    /// spawned.
    ///
    /// An instance whose first start is still in progress is not among them.
    #[doc(alias("list", "children", "iter", "values"))]
    pub fn handles(&self) -> Vec<T::Handle> {
        let Some(table) = self.cell.core().table() else { return Vec::new() };
        let up = table.living().into_iter().filter(|cell| cell.core().is_up());
        up.filter_map(|cell| T::handle_of(&AnyRef::of(cell))).collect()
    }

    /// Requests a stop of every instance that lives now, and returns immediately. The set stays usable: instances that
    /// are spawned from now on are not affected.
    ///
    /// A spawn in progress fails with `Stopping`. A restart of the set starts the instances of `initial` again all the
    /// same (S27). `tree().stop()` ends the set itself.
    pub fn stop_all(&self) {
        if let Some(table) = self.cell.core().table() {
            table.living().iter().for_each(|cell| send(&**cell, SystemMessage::Stop));
        }
    }

    /// Returns the path of the set.
    pub fn path(&self) -> String {
        self.cell.core().path()
    }

    /// Returns the [`TreeRef`] of the set, to stop, restart or join all of it.
    ///
    /// See rule S26.
    pub fn tree(&self) -> TreeRef {
        TreeRef { cell: self.cell.clone() }
    }

    fn spawn_with(&self, args: Args) -> Spawn<Result<T::Handle, SpawnError>> {
        let this = self.clone();
        Spawn::new(|detached| async move {
            let launched = this.launch(args)?;
            this.unless_caller_goes(Startup::unless(launched.cell, move || detached.is_set())).await??;
            launched.handle.get().ok_or_else(|| SpawnError::Stopping { path: this.path() })
        })
    }

    /// Returns whether the set can come up only after the caller, which would wait for that, is down (S27).
    fn waits_for_caller(&self) -> bool {
        let moves = self.cell.core().table().is_some_and(|table| table.inspect(Group::moves));
        moves && current::goes_down_with(&*self.cell)
    }

    /// Waits for something in this set, as long as that does not wait for the caller. The order to go down with the set
    /// wakes the caller.
    async fn unless_caller_goes<F: Future>(&self, waits: F) -> Result<F::Output, SpawnError> {
        let mut waits = pin!(waits);
        poll_fn(|cx| match waits.as_mut().poll(cx) {
            Poll::Pending if self.waits_for_caller() => Poll::Ready(Err(SpawnError::Stopping { path: self.path() })),
            other => other.map(Ok),
        })
        .await
    }

    fn clones(&self) -> Option<Clones<Args>> {
        self.plan.upgrade().and_then(|plan| lock(&plan).again)
    }

    /// Returns the arguments for each start of one instance: clones, or once the arguments themselves.
    fn giving(&self, args: Args) -> impl FnMut() -> Option<Args> + Send + 'static + use<T, Args> {
        let (clones, mut args) = (self.clones(), Some(args));
        move || match clones {
            Some(again) => args.as_ref().map(again),
            None => args.take(),
        }
    }

    /// Adds an instance to the set; it starts as soon as the set is up.
    fn launch(&self, args: Args) -> Result<Placed<T::Handle>, SpawnError> {
        let mut instance = self.instance(None, self.giving(args))?;
        let (launched, after_lock) =
            self.place(&mut instance, None).map_err(|refused| self.refused(refused, &instance))?;
        after_lock.done();
        Ok(launched.begin())
    }

    /// Adds an instance. `before`: called with its cell before it begins. Returns the cell.
    pub(crate) fn launch_with(
        &self,
        args: Args,
        before: impl FnOnce(&Arc<AnyCell>),
    ) -> Result<Arc<AnyCell>, SpawnError> {
        let mut instance = self.instance(None, self.giving(args))?;
        let (launched, after_lock) =
            self.place(&mut instance, None).map_err(|refused| self.refused(refused, &instance))?;
        before(&launched.cell);
        after_lock.done();
        Ok(launched.begin().cell)
    }

    /// Makes an instance that is not yet in the set. `name` is its key; without one it gets a number. `give` returns
    /// its arguments.
    fn instance<G>(&self, name: Option<Name>, give: G) -> Result<Instance<T, Args, G>, SpawnError>
    where
        G: FnMut() -> Option<Args> + Send + 'static,
    {
        let Some(plan) = self.plan.upgrade() else { return Err(SpawnError::Stopped { path: self.path() }) };
        let (options, settings) = {
            let plan = lock(&plan);
            (ChildOptions::<T>::of(plan.options.clone()), plan.settings.clone())
        };
        let max = options.options.common.max_children;
        Ok(Instance { name, max, settings, made_of: Some((options, plan, give)) })
    }

    /// Adds the instance to the group, `instead` of one that has ended and held its place. Runs no foreign code, so it
    /// may be called under a lock. The caller finishes and begins the result after that lock.
    fn place<G>(
        &self,
        instance: &mut Instance<T, Args, G>,
        instead: Option<u64>,
    ) -> Result<(Launched<T::Handle>, AfterLock<'_>), Refused>
    where
        G: FnMut() -> Option<Args> + Send + 'static,
    {
        let core = self.cell.core();
        let Some(table) = core.table() else { return Err(Refused::Stopped) };
        if instead.is_none() && self.waits_for_caller() {
            return Err(Refused::Stopping);
        }
        let runtime = table.runtime();
        let mut launched = None;
        let after_lock =
            table.add(&*self.cell, None, Room { max: instance.max, instead }, instance.settings.clone(), |number| {
                let name = instance.name.take().unwrap_or(Name::Number(number));
                let slot = ChildSlot::new(name, Some(self.cell.clone()), core.bus.clone());
                let (options, plan, mut give) = instance.made_of.take().expect("an instance is placed once");
                let start = move || {
                    let args = give().expect("an instance whose arguments are moved is started once");
                    let recipe = lock(&plan).recipe.clone();
                    recipe.start(args)
                };
                let child = T::launch(slot, options, start);
                let cell = child.cell.clone();
                launched = Some(Launched { life: child.life.on(runtime), ..child });
                cell
            })?;
        Ok((launched.expect("what was added was made"), after_lock))
    }

    fn refused<G>(&self, refused: Refused, instance: &Instance<T, Args, G>) -> SpawnError {
        let path = self.path();
        match refused {
            Refused::TooMany => SpawnError::MaxChildren { path, most: instance.max.unwrap_or_default() },
            Refused::Stopped => SpawnError::Stopped { path },
            Refused::Stopping | Refused::Exists => SpawnError::Stopping { path },
        }
    }

    /// Returns the arguments of the initial instances. Cloning them is user code.
    fn initial(&self) -> Vec<Args> {
        let initial = self.plan.upgrade().and_then(|plan| lock(&plan).initial.clone());
        initial.and_then(|initial| initial.0.with(|initial| initial.again())).unwrap_or_default()
    }

    /// Adds the initial instances when the set starts.
    pub(crate) fn begin(&self) {
        for args in self.initial() {
            if let Err(error) = self.launch(args) {
                not_begun(&*self.cell, error);
            }
        }
    }
}

/// An instance that is about to be added. It is made and dropped without a lock, since its arguments are user code, and
/// the plan may be the last one.
struct Instance<T: Child, Args, G> {
    name: Option<Name>,
    /// At most this many may live.
    max: Option<usize>,
    settings: Arc<Settings>,
    /// Present until the instance is added.
    made_of: Option<(ChildOptions<T>, SharedPlan<T, Args>, G)>,
}

/// An instance that was added and runs.
struct Placed<H> {
    cell: Arc<AnyCell>,
    handle: HandleSource<H>,
}

impl<H> Launched<H> {
    /// To be called without a lock.
    fn begin(self) -> Placed<H> {
        self.life.begin();
        Placed { cell: self.cell, handle: self.handle }
    }
}

/// Reports an initial instance that could not even be added (S27).
fn not_begun(cell: &AnyCell, error: SpawnError) {
    let core = cell.core();
    let cause = Cause::Error(Thrown::from(error));
    let failure = Failure::new(Phase::Start, cause, core.path(), core.incarnation());
    core.emit(EventKind::Reported { failure });
}

macro_rules! spawns {
    ($(($($arg:ident: $ty:ident),*))*) => {$(
        impl<T: Child, $($ty: Send + 'static),*> Children<T, ($($ty,)*)> {
            /// Spawns an instance and waits until it is up. Waits while the set itself is not up, unless it can come
            /// up only after the caller is down: then it fails with `Stopping`. The instance runs on
            /// the tokio runtime of the set, wherever the spawn is awaited (rule S25).
            ///
            /// # Errors
            ///
            /// Returns `Stopping` or `Stopped` if the set accepts no more instances, `MaxChildren` if it is full, and
            /// `Start` with the failure of a first start that is not retried. The arguments of a refused spawn are
            /// dropped.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before it is ready, the instance is stopped; [`detached`](Spawn::detached) lets
            /// it start all the same.
            #[allow(clippy::too_many_arguments)]
            pub fn spawn(&self, $($arg: $ty),*)
                -> Spawn<Result<T::Handle, SpawnError>>
            {
                self.spawn_with(($($arg,)*))
            }
        }
    )*};
}

spawns! {
    ()
    (a: A1)
    (a: A1, b: A2)
    (a: A1, b: A2, c: A3)
    (a: A1, b: A2, c: A3, d: A4)
    (a: A1, b: A2, c: A3, d: A4, e: A5)
    (a: A1, b: A2, c: A3, d: A4, e: A5, f: A6)
}
