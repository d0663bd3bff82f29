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
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::actor::Actor;
use crate::actor_ref::{ActorRef, WaitError};
use crate::cell::body::{patience, settings};
use crate::cell::control::{Control, Controlled, Ctl, Name, Plain, send};
use crate::cell::current;
use crate::cell::run::run;
use crate::cell::task_body::TaskBody;
use crate::cell::tree_body::{HandleSlot, SetBody, TreeBody};
use crate::children::{Children, Plan};
use crate::context::{spawn_actor, transient};
use crate::decide::group::{Mode, Owner};
use crate::decide::member::{Role, Settings};
use crate::events::{Bus, EventKind, Events, lock};
use crate::failure::{Cause, Failure, Phase, Thrown};
use crate::options::{BoxFuture, ChildOptions, Reader, Source};
use crate::report::Report;
use crate::spec::{Kind, TreeSpec};
use crate::strategy::{Lifecycle, Limit, SupervisorStrategy};
use crate::supervisor::{Sup, Value};
use crate::task::{Task, TaskRef, TaskStart};
use crate::watch::Ended;

/// Where a child is put: what the runtime hands to [`Child::launch`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Seat {
    pub(crate) ctl: Ctl,
}

/// A child that has been put into its place.
#[doc(hidden)]
#[derive(Debug)]
pub struct Launched<H> {
    pub(crate) cell: Arc<dyn Controlled>,
    pub(crate) handle: HandleSource<H>,
}

/// A tree's handle exists only once its build is through.
#[derive(Debug)]
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
pub type Handle<T> = <T as Child>::Handle;

/// What the start expression of a child gives.
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
        let cell = spawn_actor(seat.ctl, options, start);
        Launched { cell: cell.clone(), handle: HandleSource::Ready(ActorRef { cell }) }
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
        tokio::spawn(run(cell.clone(), body));
        Launched { cell: cell.clone(), handle: HandleSource::Ready(TaskRef { cell }) }
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
    type Params: Clone + Send + 'static;

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
    let task: BoxFuture<'static, ()> = Box::pin(run(cell.clone(), body));
    tokio::spawn(task);
    Launched { cell, handle: HandleSource::Built(slot) }
}

// ----- kept values

/// A `let` or parameter that the supervisor keeps: it may live on any thread.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the value `{Self}` is not `Send + 'static`",
    label = "kept by the supervisor, which may run on any thread"
)]
pub trait Keep: Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> Keep for T {}

/// A kept value that a child names: each start needs its own clone.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is named by a child, but it is not `Clone`",
    label = "used by a child's start expression",
    note = "a start expression runs again at every restart and needs its own clone of what it names",
    note = "wrap it in an `Arc`, or make it inside the start expression"
)]
pub trait Again: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> Again for T {}

/// A parameter of a tree.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the tree parameter type `{Self}` is not `Clone + Send + 'static`",
    label = "needed again at every restart"
)]
pub trait Param: Clone + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + 'static> Param for T {}

/// Asks for the bound at the user's own type.
#[doc(hidden)]
pub const fn need_param<T: Param>() {}

/// A parameter or `let` at its place in the tree (S30). Clones share the value; the supervisor drops it
/// when the members behind it are down.
#[doc(hidden)]
pub struct Kept<T>(Arc<Mutex<Option<T>>>);

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Kept(self.0.clone())
    }
}

impl<T> Kept<T> {
    /// A clone for one start.
    pub fn again(&self) -> T
    where
        T: Again,
    {
        // The clone is user code, but there is nobody else to lock it out.
        let value = lock(&self.0).as_ref().map(Clone::clone);
        value.expect("a kept value is dropped only after the members that name it are down")
    }
}

impl<T: Send> Value for Mutex<Option<T>> {
    fn clear(&self) {
        let value = lock(self).take();
        drop(value);
    }
}

// ----- the builder

type Boxed<S> = Box<dyn FnMut() -> BoxFuture<'static, Result<S, Thrown>> + Send>;

/// What build left in the place of a child, to be found by the next build.
struct Recipe<T: Child> {
    start: Mutex<Boxed<T::Start>>,
    options: Source,
    handle: Mutex<Option<HandleSource<T::Handle>>>,
}

struct SetRecipe<T: Child, Args> {
    children: Children<T, Args>,
}

type BuildOf<H> = Box<dyn FnMut(Builder) -> BoxFuture<'static, Result<H, Thrown>> + Send>;

struct InlineRecipe<H> {
    build: Mutex<BuildOf<H>>,
    options: Source,
    handle: HandleSlot<H>,
}

/// Puts the children of a tree into their places, one after the other. Called by generated code.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Builder {
    cell: Arc<dyn Controlled>,
    place: Arc<AtomicU32>,
}

impl Builder {
    pub(crate) fn new(cell: Arc<Plain>) -> Self {
        cell.ctl().sup_or_init(|| Sup::new(Owner::Tree, &SupervisorStrategy::default()));
        Builder { cell, place: Arc::default() }
    }

    fn sup(&self) -> &Sup {
        self.cell.ctl().sup_or_init(|| Sup::new(Owner::Tree, &SupervisorStrategy::default()))
    }

    /// The tree's settings, before its first child.
    pub fn supervision(&self, strategy: SupervisorStrategy) {
        self.sup().configure(strategy);
    }

    /// What `tree` names inside the declaration.
    pub fn tree_ref(&self) -> TreeRef {
        TreeRef { cell: self.cell.clone() }
    }

    fn next(&self) -> u32 {
        self.place.fetch_add(1, Ordering::Relaxed)
    }

    fn known<R: Send + Sync + 'static>(&self, place: u32) -> Option<(Arc<dyn Controlled>, Arc<R>)> {
        let (cell, recipe) = self.sup().declared(place)?;
        Some((cell, recipe.downcast().ok()?))
    }

    fn ctl(&self, name: &str) -> Ctl {
        Ctl::new(Name::from(name), Some(self.cell.clone()), self.cell.ctl().bus.clone())
    }

    /// Keeps a parameter or `let` at its place.
    pub fn keep<T: Keep>(&self, value: T) -> Kept<T> {
        let kept = Arc::new(Mutex::new(Some(value)));
        let settings = Arc::new(Settings::new(Role::Value, Lifecycle::Permanent, None, Limit::new()));
        self.sup().keep(&*self.cell, self.next(), kept.clone(), settings);
        Kept(kept)
    }

    /// One child.
    pub async fn child<T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        mut start: F,
    ) -> Result<T::Handle, Thrown>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let place = self.next();
        let start: Boxed<T::Start> = Box::new(move || Box::pin(start()));
        let common = options.options.common.clone();
        let (settings, time) = (settings(&common, T::ROLE), patience(&common, T::ROLE));
        let recipe = match self.known::<Recipe<T>>(place) {
            Some((_, recipe)) => {
                *lock(&recipe.start) = start;
                *lock(&recipe.options) = options.options;
                self.sup().reach(&*self.cell, place, settings, time);
                recipe
            }
            None => {
                let source: Source = Arc::new(Mutex::new(options.options.clone()));
                let recipe =
                    Arc::new(Recipe { start: Mutex::new(start), options: source.clone(), handle: Mutex::default() });
                let again: Arc<Recipe<T>> = recipe.clone();
                let seat = Seat { ctl: self.ctl(name) };
                let launched = T::launch(seat, options.source(source), move || (lock(&again.start))());
                *lock(&recipe.handle) = Some(launched.handle);
                self.sup().declare(&*self.cell, launched.cell, recipe.clone(), settings, time);
                recipe
            }
        };
        self.turn(place).await;
        let handle = lock(&recipe.handle).as_ref().and_then(HandleSource::get);
        handle.ok_or_else(|| Thrown::from(format!("{name} ended before it was up")))
    }

    /// A `[..]`.
    pub async fn set<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        mut start: F,
    ) -> Result<Children<T, Args>, Thrown>
    where
        T: Child,
        Args: Clone + Send + 'static,
        F: FnMut(Args) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let place = self.next();
        let options = transient(options);
        let plan = Plan { recipe: Box::new(move |args| Box::pin(start(args))), options: options.options.clone() };
        // The set itself is a Permanent member without settings of its own.
        let settings = Arc::new(Settings::new(Role::Tree, Lifecycle::Permanent, None, Limit::new()));
        let recipe = match self.known::<SetRecipe<T, Args>>(place) {
            Some((_, recipe)) => {
                *lock(&recipe.children.plan) = plan;
                self.sup().reach(&*self.cell, place, settings, None);
                recipe
            }
            None => {
                let cell = Plain::new(self.ctl(name));
                // What the instances' own deciders leave open goes to the tree's, as for any child.
                let strategy = SupervisorStrategy { decider: self.sup().decider(), ..SupervisorStrategy::default() };
                cell.ctl().sup_or_init(|| Sup::new(Owner::Set, &strategy));
                let body = SetBody::new(cell.clone(), Reader::new(options));
                tokio::spawn(run(cell.clone(), body));
                let children = Children { cell: cell.clone(), plan: Arc::new(Mutex::new(plan)) };
                let recipe = Arc::new(SetRecipe { children });
                self.sup().declare(&*self.cell, cell, recipe.clone(), settings, None);
                recipe
            }
        };
        self.turn(place).await;
        Ok(recipe.children.clone())
    }

    /// An inline subtree.
    pub async fn inline<H, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<H>,
        mut build: F,
    ) -> Result<H, Thrown>
    where
        H: TreeHandle,
        F: FnMut(Builder) -> Fut + Send + 'static,
        Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
    {
        let place = self.next();
        let build: BuildOf<H> = Box::new(move |builder| Box::pin(build(builder)));
        let common = options.options.common.clone();
        let (settings, time) = (settings(&common, Role::Tree), patience(&common, Role::Tree));
        let recipe = match self.known::<InlineRecipe<H>>(place) {
            Some((_, recipe)) => {
                *lock(&recipe.build) = build;
                *lock(&recipe.options) = options.options;
                self.sup().reach(&*self.cell, place, settings, time);
                recipe
            }
            None => {
                let source: Source = Arc::new(Mutex::new(options.options.clone()));
                let slot: HandleSlot<H> = Arc::default();
                let recipe =
                    Arc::new(InlineRecipe { build: Mutex::new(build), options: source.clone(), handle: slot.clone() });
                let again: Arc<InlineRecipe<H>> = recipe.clone();
                let cell = Plain::new(self.ctl(name));
                let body =
                    TreeBody::new(cell.clone(), Reader::new(options.source(source)), slot, move |builder: Builder| {
                        (lock(&again.build))(builder)
                    });
                let task: BoxFuture<'static, ()> = Box::pin(run(cell.clone(), body));
                tokio::spawn(task);
                let place_of: Arc<dyn Any + Send + Sync> = recipe.clone();
                self.sup().declare(&*self.cell, cell, place_of, settings, time);
                recipe
            }
        };
        self.turn(place).await;
        let handle = lock(&recipe.handle).clone();
        handle.ok_or_else(|| Thrown::from(format!("{name} ended before it was up")))
    }

    /// Waits until the child in this place is up, or waits itself behind a declared backoff while the
    /// others go on (S21). If the boot fails, the whole build is dropped.
    async fn turn(&self, place: u32) {
        poll_fn(|_| {
            // The supervisor wakes this task at every event of its boot.
            let passed = self.sup().look(|group| group.has_passed(place));
            if passed { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// All children are declared: waits until the supervisor has come up behind the last one.
    pub(crate) async fn finish(&self) {
        self.sup().on(&*self.cell, |group| group.built(Instant::now()));
        poll_fn(|_| {
            let up = self.sup().look(|group| !matches!(group.mode(), Mode::Up | Mode::Down { .. }));
            if up { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

// ----- the blueprint and the guard

/// A declared tree with its parameters, not yet started: `Shop::tree(config)`. What a parent tree takes,
/// and what [`start`](Tree::start) runs.
pub struct Tree<T: TreeDef> {
    params: T::Params,
    bus: Option<Arc<Bus>>,
    seed: Option<u64>,
}

impl<T: TreeDef> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("name", &T::SPEC.name).field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl<T: TreeDef> Tree<T> {
    /// The blueprint with these parameters.
    #[doc(hidden)]
    pub fn new(params: T::Params) -> Self {
        Tree { params, bus: None, seed: None }
    }

    /// Seeds the random delays, so that they are the same in every run (S34). Of effect at the root.
    ///
    /// To be called before [`events`](Tree::events).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    fn bus(&mut self) -> Arc<Bus> {
        let seed = self.seed;
        self.bus.get_or_insert_with(|| Arc::new(Bus::new(seed.unwrap_or_else(rand::random)))).clone()
    }

    /// Subscribes to the events of the tree to be started, its boot included.
    pub fn events(&mut self) -> Events {
        self.bus().subscribe()
    }

    /// Starts the tree: its children in order, each awaited.
    ///
    /// # Errors
    ///
    /// The failure of the first start that is not retried, with the child's path and cause, after what
    /// was up has been stopped in reverse order (S21).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does the same: what is up is stopped, in reverse.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    #[track_caller]
    pub fn start(mut self) -> impl Future<Output = Result<Running<T>, Failure>> + Send {
        let at = Location::caller();
        async move {
            say_abort_once();
            let bus = self.bus();
            let ctl = Ctl::new(Name::from(T::SPEC.name), None, bus);
            let mut first = Some(self.params);
            let launched = launch_build(Seat { ctl }, ChildOptions::<T>::new(), move |builder: Builder| {
                // A root has no parent that would start it again.
                let params = first.take();
                let build: BoxFuture<'static, Result<T, Thrown>> = Box::pin(async move {
                    match params {
                        Some(params) => T::build(params, builder).await,
                        None => Err(Thrown::from("a root tree is started once")),
                    }
                });
                build
            });
            let guard = Guard { cell: launched.cell, at: Some(at), quiet: true };
            let cell = guard.cell.clone();
            match poll_fn(|cx| cell.ctl().poll_up(cx.waker())).await {
                Ok(()) => {
                    let handle = launched.handle.get();
                    let handle = handle.expect("a tree that is up has its handle");
                    let mut guard = guard;
                    guard.quiet = false;
                    Ok(Running { handle, guard })
                }
                Err(ended) => {
                    guard.disarmed();
                    Err(match ended {
                        Ended::Failed(failure) | Ended::Limit(failure) => failure,
                        other => Failure::new(
                            Phase::Start,
                            Cause::Error(Thrown::from(format!("{other} while it was starting"))),
                            T::SPEC.name.to_owned(),
                            1,
                        ),
                    })
                }
            }
        }
    }
}

/// Panics cannot be caught where they end the process (S1).
fn say_abort_once() {
    #[cfg(panic = "abort")]
    {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            tracing::warn!(
                "built with panic = \"abort\": a panic in any child ends the process; nothing is restarted after it"
            )
        });
    }
}

/// Asks for the shutdown when dropped.
struct Guard {
    cell: Arc<dyn Controlled>,
    at: Option<&'static Location<'static>>,
    /// Of a `start()` that was dropped: no event.
    quiet: bool,
}

impl Guard {
    /// Lets go without asking for anything.
    fn disarmed(mut self) {
        self.at = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(started_at) = self.at.take() {
            if !self.quiet && self.cell.ctl().ended().is_none() {
                self.cell.ctl().emit(EventKind::GuardDropped { started_at });
            }
            ask_shutdown(&*self.cell);
        }
    }
}

fn ask_shutdown(cell: &dyn Controlled) {
    lock(&cell.ctl().bus.report).get_or_insert_default();
    send(cell, Control::Stop);
}

/// A running tree: the guard that [`Tree::start`] gives. Derefs to the handle struct.
///
/// Dropping it asks for the same shutdown as [`shutdown`](Running::shutdown), but nobody waits for it;
/// that is a `warn` event with the place of `start`.
///
/// A trap that no lint can catch: `Shop::start(config).await?.db.clone()` drops the guard at the end of
/// the statement. Keep the guard in a variable, or [`detach`](Running::detach) it.
#[must_use = "dropping this shuts the tree down; keep it in a variable, or end it with `.shutdown().await`"]
pub struct Running<T> {
    handle: T,
    guard: Guard,
}

impl<T: fmt::Debug> fmt::Debug for Running<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&self.handle).finish()
    }
}

impl<T> Deref for Running<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.handle
    }
}

impl<T: TreeDef> Running<T> {
    /// Takes the tree down in reverse order; await it for the [`Report`].
    ///
    /// # Panics
    ///
    /// The future panics when it is awaited inside this very tree, which would wait for ever.
    pub fn shutdown(self) -> Shutdown {
        let cell = self.guard.cell.clone();
        ask_shutdown(&*cell);
        self.guard.disarmed();
        Shutdown { join: Join { cell }, within: None, timer: None }
    }

    /// Waits until the tree has ended by itself. Dropping the future drops the guard.
    ///
    /// # Panics
    ///
    /// The future panics when it is awaited inside this very tree, which would wait for ever.
    pub async fn join(self) -> Report {
        Join { cell: self.guard.cell.clone() }.await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// A handle that keeps nothing alive.
    pub fn handle(&self) -> T {
        self.handle.clone()
    }

    /// Gives the guard up: the tree runs until someone shuts it down through a handle.
    pub fn detach(self) -> T {
        let Running { handle, guard } = self;
        guard.disarmed();
        handle
    }
}

/// What any handle of a tree can be asked; every handle struct derefs to it.
#[derive(Clone)]
pub struct TreeRef {
    pub(crate) cell: Arc<dyn Controlled>,
}

impl fmt::Debug for TreeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeRef({})", self.path())
    }
}

impl TreeRef {
    /// Its path below the root; of a root its name.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation it is in, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }

    /// Subscribes to the events of the whole tree that this one is part of.
    pub fn events(&self) -> Events {
        self.cell.ctl().bus.subscribe()
    }

    /// The seed of the tree's random delays.
    pub fn seed(&self) -> u64 {
        self.cell.ctl().bus.seed
    }

    /// How many messages nobody handled, in the whole tree.
    pub fn dead_letters(&self) -> u64 {
        self.cell.ctl().bus.dead_letters.load(Ordering::Relaxed)
    }

    /// Asks it to stop. Returns at once.
    pub fn stop(&self) {
        if self.cell.ctl().parent.is_none() {
            ask_shutdown(&*self.cell);
        } else {
            send(&*self.cell, Control::Stop);
        }
    }

    /// Fails it at once, which its supervisor decides on; a root is taken down and ends.
    pub fn kill(&self) {
        send(&*self.cell, Control::Kill);
    }

    /// Asks it to stop; await it for the [`Report`].
    pub fn shutdown(&self) -> ShutdownRef {
        self.stop();
        ShutdownRef(Shutdown { join: Join { cell: self.cell.clone() }, within: None, timer: None })
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    ///
    /// At once, when called from inside the tree.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again.
    pub fn join(&self) -> Join {
        Join { cell: self.cell.clone() }
    }

    /// It has ended, and why.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.ctl().ended()
    }

    /// Waits until every child is up, also those that started behind a declared backoff (S21).
    /// `false` if the tree ended first.
    pub async fn ready(&self) -> bool {
        let bus = self.cell.ctl().bus.clone();
        loop {
            let changed = bus.changed.notified();
            if self.cell.ctl().ended().is_some() {
                return false;
            }
            if all_up(&*self.cell) {
                return true;
            }
            changed.await;
        }
    }
}

fn all_up(cell: &dyn Controlled) -> bool {
    match cell.ctl().sup() {
        None => true,
        Some(sup) => sup.look(|group| group.all_up()) && sup.cells().iter().all(|child| all_up(&**child)),
    }
}

/// The wait for a tree's end: [`TreeRef::join`].
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Join {
    cell: Arc<dyn Controlled>,
}

impl Future for Join {
    type Output = Result<Report, WaitError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let ctl = self.cell.ctl();
        match ctl.poll_ended(cx.waker()) {
            Poll::Ready(ended) => {
                let children = lock(&ctl.bus.report).clone().unwrap_or_default();
                let below = format!("{}/", ctl.path());
                let children = match ctl.parent {
                    None => children,
                    Some(_) => children.into_iter().filter(|child| child.path.starts_with(&below)).collect(),
                };
                Poll::Ready(Ok(Report { ended, children }))
            }
            Poll::Pending if current::is_inside(ctl.id) => Poll::Ready(Err(WaitError { path: ctl.path() })),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// A tree on its way down: [`Running::shutdown`].
#[derive(Debug)]
#[must_use = "the tree is shutting down; await this to wait for it"]
pub struct Shutdown {
    join: Join,
    within: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Shutdown {
    /// Bounds the whole shutdown: what is not down by then is aborted, leaves first (S24).
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(Instant::now() + time);
        self
    }

    fn poll_join(&mut self, cx: &mut Cx<'_>) -> Poll<Result<Report, WaitError>> {
        if let Poll::Ready(done) = Pin::new(&mut self.join).poll(cx) {
            return Poll::Ready(done);
        }
        if let Some(until) = self.within {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
            if timer.as_mut().poll(cx).is_ready() {
                self.within = None;
                send(&*self.join.cell, Control::Abort);
            }
        }
        Poll::Pending
    }
}

impl Future for Shutdown {
    type Output = Report;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Report> {
        self.poll_join(cx).map(|done| done.unwrap_or_else(|error| panic!("{error}")))
    }
}

/// A tree on its way down: [`TreeRef::shutdown`].
#[derive(Debug)]
#[must_use = "the tree is shutting down; await this to wait for it"]
pub struct ShutdownRef(Shutdown);

impl ShutdownRef {
    /// Bounds the whole shutdown: what is not down by then is aborted, leaves first (S24).
    pub fn within(self, time: Duration) -> Self {
        ShutdownRef(self.0.within(time))
    }
}

impl Future for ShutdownRef {
    type Output = Result<Report, WaitError>;

    /// # Errors
    ///
    /// At once, when awaited inside the tree.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        self.0.poll_join(cx)
    }
}
