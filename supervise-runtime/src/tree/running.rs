//! A tree before its start, and the guard of a running tree.

use std::fmt;
use std::future::{Future, poll_fn};
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc as StdArc, OnceLock};
use std::task::Poll;

#[cfg(feature = "testing")]
use super::TreeRef;
use super::tree_ref::AfterEnd;
use super::{Builder, ChildSlot, HandleSource, Join, Shutdown, TreeDef, launch_build};
use crate::actor::options::ChildOptions;
use crate::actor::waits::report;
use crate::engine::bus::extension::{Advice, Extension, Standing, Start, start_extensions};
use crate::engine::bus::{Events, TreeShared};
use crate::engine::cell::control::{AnyCell, SystemMessage, Waiting, send};
use crate::engine::cell::require_time;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown};
use supervise_core::values::observe::Observe;
use supervise_core::values::place::Name;
use supervise_core::values::report::Report;

/// A declared tree with its parameters, not yet started: `Shop::tree(config)`.
///
/// A parent tree takes a `Tree` as the start of a child, and [`start`](Tree::start) runs it as a root.
/// `Shop::start(config)` is short for `Shop::tree(config).start()`, and `Shop::run(config, until)` for
/// `Shop::tree(config).run(until)`. The long form lets you set a seed, or subscribe to the events of the first start.
///
/// ```
/// use supervise::{Tree, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop(name: String) {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tree: Tree<Shop> = Shop::tree("corner".to_owned()).seed(42); // the same random delays in every run
/// let mut starts = tree.events();
/// let shop = tree.start().await?;
/// assert_eq!(starts.next().await.expect("the tree lives").to_string(), "db #1 started");
/// assert_eq!(shop.seed(), 42);
/// # Ok(())
/// # }
/// ```
pub struct Tree<T: TreeDef> {
    pub(super) params: T::Params,
    bus: Option<Arc<TreeShared>>,
    seed: Option<u64>,
    observe: Observe,
    standing: Standing,
    /// The extensions of this tree alone.
    extensions: Vec<StdArc<dyn Extension>>,
}

impl<T: TreeDef> fmt::Debug for Tree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("name", &T::SPEC.name).field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl<T: TreeDef> Tree<T> {
    /// Makes a tree with these parameters, and the extensions that all trees of the program have.
    pub(crate) fn with(params: T::Params, standing: Standing) -> Self {
        Tree { params, bus: None, seed: None, observe: Observe::NOTHING, standing, extensions: Vec::new() }
    }

    /// Attaches an extension.
    pub(crate) fn attach(mut self, extension: StdArc<dyn Extension>) -> Self {
        self.extensions.push(extension);
        self
    }

    /// Sets the seed of the random delays, so that they are the same in every run. Only the seed of a root has an
    /// effect.
    ///
    /// Call this before [`events`](Tree::events) (S34).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the facts about messages that the tree collects from its start to its end. Only what is set for a root has an
    /// effect.
    ///
    /// ```
    /// use supervise::inspect::Observe;
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _query: u32) {} }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         db: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::tree().observe(Observe::COUNTS).start().await?;
    /// for query in 0..3 {
    ///     shop.db.tell(query).await?;
    /// }
    /// # tokio::task::yield_now().await;
    /// # tokio::task::yield_now().await;
    /// let db = shop.snapshot().find("db").and_then(|db| db.messages).expect("they are counted");
    /// assert_eq!(db.handled, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn observe(mut self, what: Observe) -> Self {
        self.observe = what;
        self
    }

    /// Puts the tree on a network: its remote children run on the nodes there. Only the network of a root has an effect.
    ///
    /// The network is a value of the crate `supervise-remote`: `Shop::tree(config).on(net).run(signal())`.
    pub fn on(self, network: impl Into<StdArc<dyn Extension>>) -> Self {
        let mut tree = self;
        tree.extensions.retain(|extension| !extension.is_network());
        tree.attach(network.into())
    }

    /// Adds these facts to those that are collected.
    #[cfg(feature = "testing")]
    pub(crate) fn observe_too(mut self, what: Observe) -> Self {
        self.observe |= what;
        self
    }

    /// Sets this seed unless there is one.
    #[cfg(feature = "testing")]
    pub(crate) fn seed_or(self, seed: u64) -> Self {
        if self.seed.is_some() { self } else { self.seed(seed) }
    }

    /// Marks the tree as one under test.
    #[cfg(feature = "testing")]
    pub(crate) fn tested(&mut self) {
        self.bus().tested.store(true, supervise_core::base::sync::atomic::Ordering::Relaxed);
    }

    /// Sets the witness of all that happens in the tree.
    #[cfg(feature = "testing")]
    pub(crate) fn witnessed(&mut self, witness: &Arc<crate::engine::witness::Witness>) {
        self.bus().set_witness(witness.clone());
    }

    pub(crate) fn bus(&mut self) -> Arc<TreeShared> {
        let (seed, standing) = (self.seed, self.standing);
        let made = || Arc::new(TreeShared::new(seed.unwrap_or_else(rand::random), standing));
        self.bus.get_or_insert_with(made).clone()
    }

    /// Subscribes to the events of the tree, from its first start on.
    pub fn events(&mut self) -> Events {
        self.bus().subscribe(T::SPEC.name)
    }

    /// Starts the tree: its children in order, each awaited.
    ///
    /// # Errors
    ///
    /// Returns the failure of the first start that is not retried, with the child's path and cause, after the children
    /// that were up have been stopped in reverse order (S21).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the children that are up are stopped too, in reverse order.
    ///
    /// # Panics
    ///
    /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun
    /// then.
    #[track_caller]
    pub fn start(self) -> BoxFuture<'static, Result<Running<T>, Failure>> {
        Box::pin(self.start_at(Location::caller()))
    }

    /// The same as [`start`](Tree::start), called at that place.
    pub(crate) async fn start_at(self, at: &'static Location<'static>) -> Result<Running<T>, Failure> {
        require_time();
        self.begin(at).up().await
    }

    /// The same as [`start_at`](Tree::start_at). `begins` is called with the tree before its first child starts.
    #[cfg(feature = "testing")]
    pub(crate) async fn start_seen(
        self,
        at: &'static Location<'static>,
        begins: impl FnOnce(TreeRef),
    ) -> Result<Running<T>, Failure> {
        require_time();
        let begun = self.begin(at);
        begins(TreeRef { cell: begun.guard.cell.clone() });
        begun.up().await
    }

    /// Starts the tree, waits until `until` is ready or the tree has ended by itself, shuts the tree down, and returns
    /// the report. Return the report from `main` as the exit code.
    ///
    /// See rule S43.
    ///
    /// `until` is polled before anything is started, and from then on. If it is ready before the tree is up, the
    /// children that are up are stopped again in reverse order. That is not an error: the report says how the tree
    /// ended.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`start`](Tree::start).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, its guard is dropped too: the shutdown is requested, but not waited for.
    ///
    /// # Panics
    ///
    /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun
    /// then.
    #[track_caller]
    pub fn run<'a, U>(self, until: U) -> BoxFuture<'a, Result<Report, Failure>>
    where
        U: Future + Send + 'a,
    {
        let at = Location::caller();
        Box::pin(async move {
            require_time();
            let mut until = Box::pin(async { drop(until.await) });
            // On another thread the tree may be up immediately: signal handlers have to be installed before.
            let mut over = poll_fn(|cx| Poll::Ready(until.as_mut().poll(cx).is_ready())).await;
            let begun = self.begin(at);
            let cell = begun.guard.cell.clone();
            let mut waiting = Waiting::default();
            let up = poll_fn(|cx| match cell.core().poll_up(&mut waiting, cx.waker()) {
                Poll::Ready(up) => Poll::Ready(Some(up)),
                Poll::Pending => {
                    over = over || until.as_mut().poll(cx).is_ready();
                    if over { Poll::Ready(None) } else { Poll::Pending }
                }
            })
            .await;
            let Some(up) = up else {
                send(&*cell, SystemMessage::Stop);
                begun.guard.disarmed();
                return Ok(Shutdown::of(cell).await);
            };
            let running = begun.over(up)?;
            let mut ended = Join::of(cell);
            poll_fn(|cx| match Pin::new(&mut ended).poll(cx) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending if over => Poll::Ready(()),
                Poll::Pending => until.as_mut().poll(cx),
            })
            .await;
            drop(until);
            Ok(running.shutdown().await)
        })
    }

    /// Returns whether an extension is attached of which this is true.
    pub(crate) fn has(&self, is_one: impl Fn(&dyn Extension) -> bool) -> bool {
        self.extensions.iter().any(|extension| is_one(&**extension))
    }

    /// Makes a tree of the same parameters and settings, whose events come after those of the runs before.
    pub(crate) fn of_next_run(&mut self) -> Self
    where
        T::Params: Clone,
    {
        let shared = self.bus();
        Tree {
            params: self.params.clone(),
            extensions: self.extensions.clone(),
            bus: Some(Arc::new(shared.of_next_run(self.seed.unwrap_or_else(rand::random)))),
            ..*self
        }
    }

    /// Creates the tree's task; the tree starts to come up.
    fn begin(self, at: &'static Location<'static>) -> Begun<T> {
        self.begin_with(at, |_| ())
    }

    /// The same as [`begin`](Tree::begin). `before`: called with the root before anything begins.
    pub(crate) fn begin_with(mut self, at: &'static Location<'static>, before: impl FnOnce(&Arc<AnyCell>)) -> Begun<T> {
        let bus = self.bus();
        say_abort_once(&bus);
        bus.started();
        bus.observed.request(self.observe);
        for extension in self.extensions {
            bus.extensions.attach(extension);
        }
        let slot = ChildSlot::new(Name::Declared(T::SPEC.name), None, bus);
        let mut first = Some(self.params);
        let refused: StdArc<OnceLock<String>> = StdArc::default();
        let refusal = refused.clone();
        let launched = launch_build(slot, ChildOptions::<T>::new(), move |builder: Builder| {
            // A root has no parent that would start it again.
            let params = first.take();
            let refusal = refusal.get().cloned();
            let build: BoxFuture<'static, Result<T, Thrown>> = Box::pin(async move {
                match (refusal, params) {
                    (Some(why), _) => Err(Thrown::from(why)),
                    (None, Some(params)) => T::build(params, builder).await,
                    (None, None) => Err(Thrown::from("a root tree is started once")),
                }
            });
            build
        });
        let root: Arc<AnyCell> = launched.cell.clone();
        before(&root);
        if let Err(why) = start_extensions(&root, Start::Tree(const { &T::SPEC })) {
            let _ = refused.set(why);
        }
        let begun = root.core().bus.extensions.begun_later();
        launched.life.begin();
        begun(&root, const { &T::SPEC });
        Begun { guard: Guard { cell: launched.cell, at: Some(at), quiet: true }, handle: launched.handle }
    }
}

/// A tree that is coming up.
#[doc(hidden)]
pub struct Begun<T> {
    guard: Guard,
    handle: HandleSource<T>,
}

impl<T> fmt::Debug for Begun<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begun")
    }
}

impl<T: TreeDef> Begun<T> {
    /// Returns the cell of the root.
    pub fn cell(&self) -> &Arc<AnyCell> {
        &self.guard.cell
    }

    /// Gives up the guard of the tree.
    pub fn disarmed(self) {
        self.guard.disarmed();
    }

    async fn up(self) -> Result<Running<T>, Failure> {
        let cell = self.guard.cell.clone();
        let mut waiting = Waiting::default();
        self.over(poll_fn(|cx| cell.core().poll_up(&mut waiting, cx.waker())).await)
    }

    /// Takes the outcome of the start.
    pub fn over(self, up: Result<(), Ended>) -> Result<Running<T>, Failure> {
        let Begun { mut guard, handle } = self;
        match up {
            Ok(()) => {
                guard.quiet = false;
                let handle = handle.get().expect("a tree that is up has its handle");
                Ok(Running { handle: Box::new(handle), guard, after: None })
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

/// Warns once if panics cannot be caught, because they end the process (S1).
fn say_abort_once(bus: &TreeShared) {
    if cfg!(panic = "abort") {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| bus.extensions.every(|extension| extension.advises(Advice::PanicsAbort)));
    }
}

/// Requests the shutdown when dropped.
struct Guard {
    cell: Arc<AnyCell>,
    at: Option<&'static Location<'static>>,
    /// True while `start()` is in progress: dropping that future raises no event.
    quiet: bool,
}

impl Guard {
    /// Disarms the guard: nothing is requested.
    fn disarmed(mut self) {
        self.at = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(started_at) = self.at.take() {
            if !self.quiet && self.cell.core().ended().is_none() {
                self.cell.core().emit(EventKind::GuardDropped { started_at });
            }
            send(&*self.cell, SystemMessage::Stop);
        }
    }
}

/// A running tree: the guard that [`Tree::start`] returns. Derefs to the handle struct.
///
/// Dropping the guard requests the same shutdown as [`shutdown`](Running::shutdown), but does not wait for it. It
/// raises an event of level `warn` with the place of `start`.
///
/// No lint can catch this mistake: `Shop::start(config).await?.db.clone()` drops the guard at the end of the statement.
/// Keep the guard in a variable, or [`detach`](Running::detach) it.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop: Running<Shop> = Shop::start().await?;
/// shop.db.tell(()).await?; // everything that the handle has
///
/// let handle: Shop = shop.handle(); // for others; keeps nothing alive
/// let report = shop.shutdown().await;
/// assert!(report.is_orderly() && handle.ended().is_some());
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping this shuts the tree down, and `let _ =` drops it at once; keep it in a variable with a name, or end it with `.shutdown().await`"]
pub struct Running<T> {
    handle: Box<dyn HasHandle<T>>,
    guard: Guard,
    /// A wait after the end of the tree.
    after: Option<AfterEnd>,
}

/// The handle of a running tree, behind a type that is `Send` for every `T` (see `HasCell`): the fields of a handle
/// struct depend on what the tree's parameters are.
trait HasHandle<T>: Send + Sync {
    fn as_handle(&self) -> &T;

    fn into_inner(self: Box<Self>) -> T;
}

impl<T: Send + Sync> HasHandle<T> for T {
    fn as_handle(&self) -> &T {
        self
    }

    fn into_inner(self: Box<Self>) -> T {
        *self
    }
}

impl<T: fmt::Debug> fmt::Debug for Running<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&**self).finish()
    }
}

impl<T> Deref for Running<T> {
    type Target = T;

    fn deref(&self) -> &T {
        (*self.handle).as_handle()
    }
}

impl<T: TreeDef> Running<T> {
    /// Has a shutdown and a join wait for this, too, once the tree has ended.
    pub(crate) fn and_then(self, after: AfterEnd) -> Self {
        Running { after: Some(after), ..self }
    }

    /// Requests the shutdown of the tree immediately, in reverse order. Await the returned future to get the
    /// [`Report`]. Under a lease it is ready once the lease is given back.
    ///
    /// # Panics
    ///
    /// The returned future panics if it is awaited inside this tree, since the wait would never end.
    pub fn shutdown(self) -> Shutdown {
        let Running { guard, after, .. } = self;
        let cell = guard.cell.clone();
        send(&*cell, SystemMessage::Stop);
        guard.disarmed();
        Shutdown::of(cell).and_then(after)
    }

    /// Waits until the tree has ended, by itself or because its lease is lost, and returns the [`Report`]. By then the
    /// lease is given back.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, its guard is dropped too: the shutdown is requested, but not waited for.
    ///
    /// # Panics
    ///
    /// Panics if it is awaited inside this tree, since the wait would never end.
    pub fn join(self) -> BoxFuture<'static, Report> {
        let Running { guard, after, .. } = self;
        Box::pin(async move {
            let cell = guard.cell.clone();
            let report_of_the_tree = Join::of(cell.clone()).await.unwrap_or_else(|error| panic!("{error}"));
            let Some(after) = after else { return report_of_the_tree };
            let ended = after.0.await;
            drop(guard);
            report(&*cell, ended)
        })
    }

    /// Returns a handle, which keeps nothing alive.
    pub fn handle(&self) -> T {
        T::clone(self)
    }

    /// Gives up the guard and returns a handle: the tree runs until it is shut down through a handle.
    pub fn detach(self) -> T {
        let Running { handle, guard, .. } = self;
        guard.disarmed();
        handle.into_inner()
    }
}
