//! Trees: the blueprint, the handle's [`TreeRef`], the guard, and the builder that the macro's code
//! calls.
//!
//! A tree's `build` is run at every start of the tree. [`Builder`] finds the children of an earlier
//! run in their places and gives them their new start expressions, so that handles stay the same.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::actor::Actor;
use crate::actor_ref::{ActorRef, WaitError};
use crate::by_hand::{self, CommandError};
use crate::cell::body::{patience, settings};
use crate::cell::control::{Controlled, Ctl, Name, Plain, SystemMessage, Waiting, send};
use crate::cell::current;
use crate::cell::life::live;
use crate::cell::task_body::TaskBody;
use crate::cell::tree_body::{HandleSlot, SetBody, TreeBody};
use crate::cell::{Unbegun, require_time};
use crate::children::{Children, Keyed, Plan};
use crate::context::{make_actor, transient};
use crate::decide::group::{Mode, Owner};
use crate::decide::member::{Role, Settings};
use crate::events::{Bus, EventKind, Events, lock};
use crate::failure::{Cause, Failure, Phase, Thrown};
use crate::lent::Lent;
use crate::options::{BoxFuture, ChildOptions, Options, Reader, Source};
use crate::report::Report;
use crate::spec::{Kind, TreeSpec};
use crate::strategy::{Lifecycle, Limit, SupervisorStrategy};
use crate::supervisor::{Sup, Value};
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{Arc, Mutex};
use crate::task::{Task, TaskRef, TaskStart};
use crate::validate::{InvalidSettings, SupervisorLimits, TreeValidator};
use crate::watch::Ended;

mod builder;
mod kept;
mod running;
mod tree_ref;

pub use builder::{Builder, initial, no_initial};
pub use kept::{Argument, AsKey, Checked, CloneForStart, First, Moved, Parameter, SendValue, SharedValue, TypeCheck};
pub use running::{Running, Tree};
pub use tree_ref::{Join, Shutdown, ShutdownRef, TreeRef};

/// Where a child is put: what the runtime hands to [`Child::launch`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Seat {
    pub(crate) ctl: Ctl,
}

/// A child that is made, and does not run yet.
#[doc(hidden)]
#[derive(Debug)]
pub struct Launched<H> {
    pub(crate) cell: Arc<dyn Controlled>,
    pub(crate) handle: HandleSource<H>,
    /// To be begun once it has its place.
    pub(crate) life: Unbegun,
}

/// A tree's handle exists only once its build is through.
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

/// What can be declared as a child: an actor, a tree, or [`Task`].
///
/// Nobody implements it by hand: every [`Actor`] is one, and `supervisor!` makes one of every tree. It is there to write
/// functions over the handles of any child:
///
/// ```
/// use supervise::{Child, SpawnError, prelude::*};
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
    note = "a tree: declare it with `supervisor!`"
)]
pub trait Child: Sized + Send + 'static {
    /// What others hold of it.
    type Handle: Clone + fmt::Debug + Send + Sync + 'static;
    /// What its start expression gives.
    type Start: Send + 'static;
    /// For the drawing of the tree.
    #[doc(hidden)]
    const KIND: Kind;
    /// The declaration, of a tree.
    #[doc(hidden)]
    const TREE: Option<&'static TreeSpec> = None;
    #[doc(hidden)]
    const ROLE: Role = Role::Tree;

    #[doc(hidden)]
    fn launch<F, Fut>(seat: Seat, options: ChildOptions<Self>, start: F) -> Launched<Self::Handle>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<Self::Start, Thrown>> + Send + 'static;
}

/// The handle type of a child: [`ActorRef<A>`] of an actor, [`TaskRef`] of a task, the tree's own struct
/// of a tree.
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

/// [`Child`] as generated code asks for it: without its supertraits, since a tree that contains itself asks while the
/// compiler still finds out whether it is `Send`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`"
)]
pub trait Declared {
    const IS: bool;
    const KIND: Kind;
    const TREE: Option<&'static TreeSpec>;
}

#[diagnostic::do_not_recommend]
impl<T: Child> Declared for T {
    const IS: bool = true;
    const KIND: Kind = T::KIND;
    const TREE: Option<&'static TreeSpec> = T::TREE;
}

/// A declared type, with a constant that asks whether it is a child.
///
/// Where it is none, that constant is the one place that says so. Everything else about the type then depends on
/// a constant that has failed, and the compiler adds nothing to that.
#[doc(hidden)]
pub trait ChildIf<const IS: bool>: Sized {
    type Handle;
    type Start;
    type Set<Args>;
    type Keyed<K, Args>;
    type Options;

    fn options() -> Self::Options;
}

#[diagnostic::do_not_recommend]
impl<T: Child> ChildIf<true> for T {
    type Handle = T::Handle;
    type Start = T::Start;
    type Set<Args> = Children<T, Args>;
    type Keyed<K, Args> = Keyed<K, T, Args>;
    type Options = ChildOptions<T>;

    fn options() -> ChildOptions<T> {
        ChildOptions::new()
    }
}

/// What the start expression of a child gives: the instance of an actor, the blueprint of a tree.
///
/// ```
/// use supervise::{BoxError, Start, Tree, prelude::*};
///
/// struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Ingest { db: Db = Db } }
///
/// fn open() -> Result<Start<Db>, BoxError> {
///     Ok(Db)
/// }
///
/// fn branch() -> Start<Ingest> {
///     let tree: Tree<Ingest> = Ingest::tree();
///     tree
/// }
///
/// supervisor! {
///     struct Shop {
///         db: Db = open()?,
///         ingest: Ingest = branch(),
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # Shop::start().await?.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub type Start<T> = <T as Child>::Start;

#[diagnostic::do_not_recommend]
impl<A: Actor> Child for A {
    type Handle = ActorRef<A>;
    type Start = A;
    const KIND: Kind = Kind::Actor;
    const ROLE: Role = Role::Actor;

    fn launch<F, Fut>(seat: Seat, options: ChildOptions<A>, start: F) -> Launched<ActorRef<A>>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
    {
        let (cell, life) = make_actor(seat.ctl, options, start);
        Launched { cell: cell.clone(), handle: HandleSource::Ready(ActorRef { cell }), life }
    }
}

impl Child for Task {
    type Handle = TaskRef;
    type Start = TaskStart;
    const KIND: Kind = Kind::Task;
    const ROLE: Role = Role::Task;

    fn launch<F, Fut>(seat: Seat, options: ChildOptions<Task>, start: F) -> Launched<TaskRef>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<TaskStart, Thrown>> + Send + 'static,
    {
        let cell = Plain::new(seat.ctl);
        let body = TaskBody::new(cell.clone(), Reader::new(options), start);
        let life = Unbegun::new(&cell, live(cell.clone(), body));
        Launched { cell: cell.clone(), handle: HandleSource::Ready(TaskRef { cell }), life }
    }
}

/// What every tree's handle struct is.
#[doc(hidden)]
pub trait TreeHandle: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    const SPEC: TreeSpec;
}

/// A tree with parameters: what `supervisor!` implements for its handle struct.
#[doc(hidden)]
pub trait TreeDef: TreeHandle {
    type Params: Send + 'static;

    fn build(params: Self::Params, builder: Builder) -> impl Future<Output = Result<Self, Thrown>> + Send;
}

/// The `launch` of a tree, called by the macro's `impl Child`.
#[doc(hidden)]
pub fn launch_tree<T, F, Fut>(seat: Seat, options: ChildOptions<T>, mut start: F) -> Launched<T>
where
    T: TreeDef,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<Tree<T>, Thrown>> + Send + 'static,
{
    launch_build(seat, options, move |builder: Builder| {
        let tree = start();
        // Boxed: a tree may contain itself.
        let build: BoxFuture<'static, Result<T, Thrown>> =
            Box::pin(async move { T::build(tree.await?.params, builder).await });
        build
    })
}

fn launch_build<H, F, Fut>(seat: Seat, options: ChildOptions<H>, build: F) -> Launched<H>
where
    H: Clone + Send + 'static,
    F: FnMut(Builder) -> Fut + Send + 'static,
    Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
{
    let cell = Plain::new(seat.ctl);
    let slot: HandleSlot<H> = Arc::default();
    let body = TreeBody::new(cell.clone(), Reader::new(options), slot.clone(), build);
    // Boxed: a tree may contain itself.
    let task: BoxFuture<'static, ()> = Box::pin(live(cell.clone(), body));
    let life = Unbegun::new(&cell, task);
    Launched { cell, handle: HandleSource::Built(slot), life }
}
