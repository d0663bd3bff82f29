//! The types of child: what each of them is started from, and the handle that it gives.

use std::fmt;
use std::future::Future;

use tokio::runtime;

use crate::actor::Actor;
use crate::actor::actor_ref::ActorRef;
use crate::actor::child_ref::AnyRef;
use crate::actor::context::make_actor;
use crate::actor::options::{ChildOptions, Reader};
use crate::engine::bus::TreeShared;
use crate::engine::cell::control::{AnyCell, BareCell, CellCore};
use crate::engine::cell::life::live;
use crate::engine::cell::{Unbegun, require_time};
use crate::engine::mailbox::Admission;
use crate::engine::settings::Common;
use crate::task::body::TaskBody;
use crate::task::{Task, TaskRef, TaskStart};
use crate::tree::body::HandleSlot;
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::failure::Thrown;
use supervise_core::values::invalid_settings::InvalidSettings;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::place::Name;

/// The cell of a child that is about to be made: the runtime passes it to [`Child::launch`].
#[doc(hidden)]
#[derive(Debug)]
pub struct ChildSlot {
    name: Name,
    parent: Option<Arc<AnyCell>>,
    bus: Arc<TreeShared>,
    /// The child is named before its turn (S47).
    early: bool,
}

impl ChildSlot {
    pub(crate) fn new(name: Name, parent: Option<Arc<AnyCell>>, bus: Arc<TreeShared>) -> Self {
        ChildSlot { name, parent, bus, early: false }
    }

    /// Marks the child as one that is named before its turn.
    pub(crate) fn early(self) -> Self {
        ChildSlot { early: true, ..self }
    }

    /// Makes the core of the cell. As late as possible, since it is large: each step on its way is a copy.
    #[inline]
    pub(crate) fn core(self) -> CellCore {
        CellCore::new(self.name, self.parent, self.bus)
    }
}

/// A child that is made and does not run yet.
#[doc(hidden)]
#[derive(Debug)]
pub struct Launched<H> {
    pub(crate) cell: Arc<AnyCell>,
    pub(crate) handle: HandleSource<H>,
    /// To be begun once the child is in its group.
    pub(crate) life: Unbegun,
}

impl<H> Launched<H> {
    /// Returns the same child with another handle.
    ///
    /// # Panics
    ///
    /// Panics for a tree: it has no handle yet.
    pub fn map<G>(self, map: impl FnOnce(H) -> G) -> Launched<G> {
        let HandleSource::Ready(handle) = self.handle else { panic!("a tree that is made has no handle yet") };
        Launched { cell: self.cell, handle: HandleSource::Ready(map(handle)), life: self.life }
    }
}

/// The source of a handle. The handle of a tree exists only once its build has finished.
#[derive(Debug, Clone)]
pub(crate) enum HandleSource<H> {
    Ready(H),
    Built(HandleSlot<H>),
}

impl<H: Clone> HandleSource<H> {
    pub(crate) fn get(&self) -> Option<H> {
        match self {
            HandleSource::Ready(handle) => Some(handle.clone()),
            HandleSource::Built(slot) => lock(slot).clone(),
        }
    }
}

/// A type that can be declared as a child: an actor, a tree, or [`Task`].
///
/// Do not implement this trait: every [`Actor`] implements it, and `supervisor!` implements it for every tree. Use it
/// to write functions over the handles of any child:
///
/// ```
/// use supervise::Child;
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _msg: ()) {} }
///
/// /// Opens as many as are missing.
/// async fn fill<T: Child>(set: &Children<T, ()>, wanted: usize) -> Result<Vec<T::Handle>, SpawnError> {
///     let mut new = Vec::new();
///     while set.len() < wanted {
///         new.push(set.spawn().await?);
///     }
///     Ok(new)
/// }
///
/// supervisor! {
///     struct Server {
///         sessions: [Session] = || Session,
///         jobs: [task] = || std::future::pending::<()>(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start().await?;
/// let sessions: Vec<ActorRef<Session>> = fill(&server.sessions, 3).await?;
/// let jobs: Vec<TaskRef> = fill(&server.jobs, 2).await?;
/// assert_eq!((sessions.len(), jobs.len()), (3, 2));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`",
    note = "a value, which is not supervised: declare it with `let`"
)]
pub trait Child: Sized + Send + 'static {
    /// The handle of the child.
    type Handle: Clone + fmt::Debug + Send + Sync + 'static;
    /// The type that the start expression returns.
    type Start: Send + 'static;
    /// The kind of the child.
    #[doc(hidden)]
    const KIND: ChildKind;
    /// The declaration, if the child is a tree.
    #[doc(hidden)]
    const TREE: Option<&'static TreeSpec> = None;

    #[doc(hidden)]
    fn launch<F, Fut>(child_slot: ChildSlot, options: ChildOptions<Self>, start: F) -> Launched<Self::Handle>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<Self::Start, Thrown>> + Send + 'static;

    /// Returns the typed handle of a child of this type. The handle of a tree exists once the tree was up.
    #[doc(hidden)]
    fn handle_of(child: &AnyRef) -> Option<Self::Handle> {
        let slot = child.cell().handle::<Mutex<Option<Self::Handle>>>()?;
        lock(&slot).clone()
    }
}

/// The handle type of a child: [`ActorRef<A>`] for an actor, [`TaskRef`] for a task, the tree's own struct for a tree.
///
/// ```
/// use supervise::{Task, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct Shop { db: Db = Db, ticker: task = std::future::pending::<()>() } }
/// struct Dashboard {
///     shop: Handle<Shop>,   // Shop
///     db: Handle<Db>,       // ActorRef<Db>
///     ticker: Handle<Task>, // TaskRef
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let all = Dashboard { shop: shop.handle(), db: shop.db.clone(), ticker: shop.ticker.clone() };
/// assert_eq!([all.shop.path(), all.db.path(), all.ticker.path()], ["Shop", "db", "ticker"]);
/// # Ok(())
/// # }
/// ```
pub type Handle<T> = <T as Child>::Handle;

/// [`Child`] for generated code: without its supertraits, since a tree that contains itself uses this trait while the
/// compiler still works out whether the tree is `Send`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`",
    note = "a value, which is not supervised: declare it with `let`"
)]
pub trait IsAChild {
    const IS: bool;
    const KIND: ChildKind;
    const TREE: Option<&'static TreeSpec>;
}

#[diagnostic::do_not_recommend]
impl<T: Child> IsAChild for T {
    const IS: bool = true;
    const KIND: ChildKind = T::KIND;
    const TREE: Option<&'static TreeSpec> = T::TREE;
}

/// The type that the start expression of a child returns.
#[doc(hidden)]
pub type Start<T> = <T as Child>::Start;

#[diagnostic::do_not_recommend]
impl<A: Actor> Child for A {
    type Handle = ActorRef<A>;
    type Start = A;
    const KIND: ChildKind = ChildKind::Actor;

    fn launch<F, Fut>(child_slot: ChildSlot, options: ChildOptions<A>, start: F) -> Launched<ActorRef<A>>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
    {
        let early = child_slot.early;
        let (cell, life) = make_actor(|| child_slot.core(), options, start);
        if early {
            cell.set_gate(Admission::Early, None);
        }
        Launched { cell: cell.clone(), handle: HandleSource::Ready(ActorRef::of(cell)), life }
    }

    fn handle_of(child: &AnyRef) -> Option<ActorRef<A>> {
        child.actor()
    }
}

impl Child for Task {
    type Handle = TaskRef;
    type Start = TaskStart;
    const KIND: ChildKind = ChildKind::Task;

    fn launch<F, Fut>(child_slot: ChildSlot, options: ChildOptions<Task>, start: F) -> Launched<TaskRef>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<TaskStart, Thrown>> + Send + 'static,
    {
        let cell = BareCell::new(child_slot.core());
        let common = options.options.common.clone();
        let body = TaskBody::new(cell.clone(), Reader::new(options), start);
        let life = Unbegun::new(cell.clone(), || live(cell.clone(), common, body));
        Launched { cell: cell.clone(), handle: HandleSource::Ready(TaskRef { cell }), life }
    }

    fn handle_of(child: &AnyRef) -> Option<TaskRef> {
        let cell = child.cell();
        cell.is_of_a_task().then(|| TaskRef { cell: cell.clone() })
    }
}

/// The handle struct of a tree.
#[doc(hidden)]
pub trait TreeHandle: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    const SPEC: TreeSpec;
}

/// Marks the cell of a child for which a runtime is declared.
pub(crate) fn apart(cell: &AnyCell, runtime: &Option<runtime::Handle>) {
    if let Some(runtime) = runtime {
        cell.core().set_apart(runtime.clone());
    }
}

/// Returns the runtime that is declared for a child of this supervisor, unless the tree is under test and the runtime is
/// not that of the test.
///
/// # Panics
///
/// Panics if the runtime was built without `enable_time`.
pub(crate) fn declared_runtime(above: &CellCore, common: &Common) -> Result<Option<runtime::Handle>, InvalidSettings> {
    let Some(runtime) = common.runtime.clone() else { return Ok(None) };
    #[cfg(feature = "testing")]
    if above.bus.tested.load(supervise_core::base::sync::atomic::Ordering::Relaxed) && !is_own_clock(&runtime) {
        return Err(InvalidSettings::RuntimeUnderTest);
    }
    let _ = above;
    let _entered = runtime.enter();
    require_time();
    drop(_entered);
    Ok(Some(runtime))
}

/// Returns whether the runtime is the one of the test: its clock stands at the same time, which only a clock that is
/// paused does.
#[cfg(feature = "testing")]
fn is_own_clock(runtime: &runtime::Handle) -> bool {
    let own = tokio::time::Instant::now();
    let _entered = runtime.enter();
    own == tokio::time::Instant::now()
}
