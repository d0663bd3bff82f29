//! The builder that generated code calls: it adds the children of a tree to its group.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::OnceLock;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::actor::options::{ChildOptions, Options, Reader, Source};
use crate::engine::cell::Unbegun;
use crate::engine::cell::body::settings;
use crate::engine::cell::control::{AnyCell, BareCell};
use crate::engine::cell::life::live;
use crate::engine::settings::Common;
use crate::engine::supervisor::ChildTable;
use crate::tree::body::{HandleSlot, TreeBody};
use crate::tree::child::{Child, ChildSlot, HandleSource, TreeHandle, apart, declared_runtime};
use crate::tree::kept::{SendValue, SharedValue};
use crate::tree::spawned::Boxed;
use crate::tree::tree_ref::TreeRef;
use crate::tree::validator::TreeValidator;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::lent::Lent;
use supervise_core::base::sync::atomic::{AtomicU32, Ordering};
use supervise_core::base::sync::{Arc, Mutex, foreign, lock};
use supervise_core::decide::group::{GroupState, Owner};
use supervise_core::decide::member::Settings;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown};
use supervise_core::values::invalid_settings::InvalidSettings;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::place::Name;
use supervise_core::values::strategy::{ShutdownOrder, ShutdownTimeout};

mod later;
mod sets;
mod several;

use later::EarlyChildren;
pub use later::{Ahead, later};
pub use sets::{initial, no_initial};

/// The recipe that a build leaves at the position of a child; the next build finds it there.
struct StartRecipe<T: Child> {
    start: Lent<Boxed<T::Start>>,
    options: Source,
    handle: Mutex<Option<HandleSource<T::Handle>>>,
    /// For an optional child: whether it was there at its first start.
    there: OnceLock<bool>,
}

impl<T: Child> StartRecipe<T> {
    /// Calls the start expression of the last build.
    fn starts(&self) -> BoxFuture<'static, Result<T::Start, Thrown>> {
        self.start.with(|start| start()).expect("a start closure is replaced, never taken away")
    }

    /// Returns [`StartRecipe::starts`] as a closure. A closure has all type parameters of the function that it is made
    /// in, so this one is made here: the code of a child's task is compiled once for each type of child.
    fn starter(self: Arc<Self>) -> impl FnMut() -> BoxFuture<'static, Result<T::Start, Thrown>> + Send + 'static {
        move || self.starts()
    }

    fn handle(&self) -> Option<T::Handle> {
        let source = lock(&self.handle).clone();
        source.and_then(|source| source.get())
    }
}

/// The source of a child's handle, from the child's turn on.
trait HasHandle<H>: Send + Sync {
    fn handle(&self) -> Option<H>;
}

impl<T: Child> HasHandle<T::Handle> for StartRecipe<T> {
    fn handle(&self) -> Option<T::Handle> {
        StartRecipe::handle(self)
    }
}

/// The handle of a child, as the build of its tree holds it while the build waits for the children below. It is `Send`
/// for every `H` (see `HasCell`): the fields of a tree's handle depend on what the tree's parameters are.
#[doc(hidden)]
pub struct BuiltHandle<H>(Arc<dyn HasHandle<H>>);

impl<H> fmt::Debug for BuiltHandle<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BuiltHandle")
    }
}

impl<H> Clone for BuiltHandle<H> {
    fn clone(&self) -> Self {
        BuiltHandle(self.0.clone())
    }
}

impl<H> BuiltHandle<H> {
    /// Returns a clone of the handle for one start.
    pub fn clone_for_start(&self) -> H {
        self.0.handle().expect("the handle of a child stays from its turn on")
    }
}

/// Replaces a value. The previous one may contain user code, and is dropped after the lock.
fn replace<T>(place: &Mutex<T>, value: T) {
    let before = std::mem::replace(&mut *lock(place), value);
    foreign();
    drop(before);
}

/// A declaration whose settings are checked: that of one child, or of all elements of an array, which share them.
struct Validated<T> {
    options: ChildOptions<T>,
    /// The place where those that this build adds find the settings of a later build.
    source: Source,
    settings: Arc<Settings>,
    runtime: Option<Handle>,
}

type BuildOf<H> = Box<dyn FnMut(Builder) -> BoxFuture<'static, Result<H, Thrown>> + Send>;

struct InlineRecipe<H> {
    build: Lent<BuildOf<H>>,
    options: Source,
    handle: HandleSlot<H>,
}

/// Adds the children of a tree one after the other. Called by generated code.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Builder {
    cell: Arc<AnyCell>,
    place: Arc<AtomicU32>,
    validator: Arc<Mutex<TreeValidator>>,
    early: EarlyChildren,
}

/// The build of a tree as its body runs it: with a builder of its own, which finishes what the build has declared.
pub(super) fn with_builder<H, F, Fut>(
    mut build: F,
) -> impl FnMut(Arc<BareCell>, Option<ShutdownTimeout>) -> BoxFuture<'static, Result<H, Thrown>> + Send + 'static
where
    H: TreeHandle,
    F: FnMut(Builder) -> Fut + Send + 'static,
    Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
{
    move |cell, time| {
        let builder = Builder::new(cell, const { &H::SPEC });
        let handle = build(builder.clone());
        // Boxed: a tree may contain itself.
        Box::pin(async move {
            let handle = handle.await?;
            builder.finish(time).await?;
            Ok(handle)
        })
    }
}

/// Keeps a parameter at its place in the tree.
#[doc(hidden)]
pub trait Keep: Sized {
    fn keep_for_the_tree(self, builder: &Builder) -> SharedValue<Self>
    where
        Self: SendValue;
}

impl<T> Keep for T {
    fn keep_for_the_tree(self, builder: &Builder) -> SharedValue<T>
    where
        T: SendValue,
    {
        builder.keep(self)
    }
}

impl Builder {
    pub(crate) fn new(cell: Arc<BareCell>, declaration: &'static TreeSpec) -> Self {
        let table = cell.core().table_or_init(|| ChildTable::new(Owner::Tree, &SupervisorStrategy::default()));
        let _ = table.declaration.set(declaration); // an earlier build has set the same
        table.set_runtime(Some(Handle::current())); // a tree is built in its own task
        table.set_at_let(None); // an earlier build may have failed there
        Builder { cell, place: Arc::default(), validator: Arc::default(), early: Arc::default() }
    }

    fn table(&self) -> &ChildTable {
        self.cell.core().table_or_init(|| ChildTable::new(Owner::Tree, &SupervisorStrategy::default()))
    }

    /// Sets the tree's own settings, before its first child.
    pub fn supervision(&self, strategy: SupervisorStrategy) {
        lock(&self.validator).supervision(strategy.limits());
        self.table().configure(strategy);
    }

    /// Sets the time for each end of the tree, and the order in which its children go down, before its first child.
    pub fn shutdown(&self, time: Option<Duration>, order: ShutdownOrder) {
        lock(&self.validator).shutdown(time, order);
        self.table().set_shutdown(time, order);
    }

    /// Returns the handle that `tree` names inside the declaration.
    pub fn tree_ref(&self) -> TreeRef {
        TreeRef { cell: self.cell.clone() }
    }

    fn next(&self) -> u32 {
        self.place.fetch_add(1, Ordering::Relaxed)
    }

    fn known<R: Send + Sync + 'static>(&self, place: u32) -> Option<(Arc<AnyCell>, Arc<R>)> {
        let (cell, recipe) = self.table().declared(place)?;
        Some((cell, recipe.downcast().ok()?))
    }

    fn slot(&self, name: Name) -> ChildSlot {
        ChildSlot::new(name, Some(self.cell.clone()), self.cell.core().bus.clone())
    }

    /// Returns the handle of a child that is declared below, with its settings as far as they are known here.
    // Declared in the module of its type: for a method elsewhere, rustc shows the whole path.
    pub fn later<T: Ahead>(&self, name: &'static str, options: ChildOptions<T>) -> T::Handle {
        self.handle_ahead(name, options)
    }

    /// The value of the `let` with this name is computed from here on, until it is kept.
    pub fn at_let(&self, name: &'static str) {
        self.table().set_at_let(Some(name));
    }

    /// Keeps a parameter or `let` at its position.
    pub fn keep<T: SendValue>(&self, value: T) -> SharedValue<T> {
        let place = self.next();
        // The handles of a `pub let` lead to the place of an earlier incarnation.
        let known = self.table().value(place).and_then(|known| known.any().downcast::<Lent<T>>().ok());
        let kept = match known {
            Some(kept) => {
                kept.set(Some(value));
                kept
            }
            None => Arc::new(Lent::new(value)),
        };
        let settings = Arc::new(Settings::value());
        self.table().keep(&*self.cell, place, kept.clone(), settings);
        SharedValue(kept)
    }

    /// Adds a child.
    pub fn child<T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        start: F,
    ) -> BoxFuture<'_, Result<BuiltHandle<T::Handle>, Thrown>>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move {
            let (place, start) = (self.next(), CatchDrop::new(start));
            let validated = self.validate(&Name::Declared(name), options, T::KIND, 1)?;
            let recipe = self.put(place, Name::Declared(name), &validated, start).await?;
            match recipe.handle() {
                Some(_) => Ok(BuiltHandle(recipe)),
                None => Err(Thrown::from(format!("{name} ended before it was up"))),
            }
        })
    }

    /// Checks settings that are not literals, when the child is reached: a contradiction in them is a failure of the
    /// child's start. A contradiction in the tree's own settings is a failure of the tree.
    fn counted(
        &self,
        name: &Name,
        count: impl FnOnce(&mut TreeValidator) -> Result<(), InvalidSettings>,
    ) -> Result<(), Thrown> {
        let counted = {
            let mut validator = lock(&self.validator);
            validator.own()?;
            count(&mut validator)
        };
        counted.map_err(|what| self.cannot_start(name, what))
    }

    /// Returns the failure of a child that cannot start with these settings.
    fn cannot_start(&self, name: &Name, what: InvalidSettings) -> Thrown {
        let path = self.slot(name.clone()).core().path();
        Thrown::from(Failure::new(Phase::Start, Cause::Error(Thrown::from(what)), path, 0))
    }

    /// Returns the runtime that is declared for a child.
    fn runtime(&self, name: &Name, common: &Common) -> Result<Option<Handle>, Thrown> {
        declared_runtime(self.cell.core(), common).map_err(|what| self.cannot_start(name, what))
    }

    /// Adds the time that a child may take to stop to the tree's sum. If a tree as a child declares no time, its
    /// children's sum counts.
    fn takes(&self, options: &Options, kind: ChildKind, cell: &AnyCell) {
        let below = cell.core().table().and_then(ChildTable::need);
        lock(&self.validator).takes(options, kind, below);
    }

    /// Checks the settings of so many children that one declaration makes. The first of them has this name.
    fn validate<T>(
        &self,
        name: &Name,
        options: ChildOptions<T>,
        kind: ChildKind,
        many: usize,
    ) -> Result<Validated<T>, Thrown> {
        let common = &options.options.common;
        self.counted(name, |validator| validator.children(&options.options, common.lifecycle_or(kind), many))?;
        let runtime = self.runtime(name, common)?;
        let settings = settings(common, kind);
        let source: Source = Arc::new(Mutex::new(options.options.clone()));
        Ok(Validated { options: options.source(source.clone()), source, settings, runtime })
    }

    /// Adds a child, or gives the child that is already at this position its new start expression and settings. Then
    /// waits until the child is up or passed over.
    async fn put<T, F, Fut>(
        &self,
        place: u32,
        name: Name,
        validated: &Validated<T>,
        mut start: CatchDrop<F>,
    ) -> Result<Arc<StartRecipe<T>>, Thrown>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let start: Boxed<T::Start> = Box::new(move || Box::pin(start()));
        let (given, settings) = (&validated.options.options, validated.settings.clone());
        let (cell, recipe) = match self.known::<StartRecipe<T>>(place) {
            Some((cell, recipe)) => {
                recipe.start.set(Some(start));
                replace(&recipe.options, given.clone());
                self.table().reach(&*self.cell, place, settings);
                (cell, recipe)
            }
            None => {
                let (recipe, launched) = match self.take_early(&name) {
                    Some((recipe, launched)) => {
                        recipe.start.set(Some(start));
                        replace(&recipe.options, given.clone());
                        (recipe, launched)
                    }
                    None => {
                        let recipe = Arc::new(StartRecipe {
                            start: Lent::new(start),
                            options: validated.source.clone(),
                            handle: Mutex::default(),
                            there: OnceLock::new(),
                        });
                        let launched = T::launch(self.slot(name), validated.options.clone(), recipe.clone().starter());
                        (recipe, launched)
                    }
                };
                replace(&recipe.handle, Some(launched.handle));
                let cell = launched.cell;
                apart(&*cell, &validated.runtime);
                self.table().declare(&*self.cell, cell.clone(), recipe.clone(), settings);
                launched.life.on(validated.runtime.clone()).begin();
                (cell, recipe)
            }
        };
        self.turn(place).await;
        // An absent optional child takes no time to stop.
        if !given.common.optional || self.table().inspect(|group| group.was_up(place)) {
            self.takes(given, T::KIND, &*cell);
        }
        Ok(recipe)
    }

    /// Adds an inline subtree.
    pub fn inline<H, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<H>,
        build: F,
    ) -> BoxFuture<'_, Result<H, Thrown>>
    where
        H: TreeHandle,
        F: FnMut(Builder) -> Fut + Send + 'static,
        Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
    {
        Box::pin(async move {
            let place = self.next();
            let mut build = CatchDrop::new(build);
            let build: BuildOf<H> = Box::new(move |builder| Box::pin(build(builder)));
            let Validated { options, source, settings, runtime } =
                self.validate(&Name::Declared(name), options, ChildKind::Tree, 1)?;
            let given = options.options.clone();
            let (cell, recipe) = match self.known::<InlineRecipe<H>>(place) {
                Some((cell, recipe)) => {
                    recipe.build.set(Some(build));
                    replace(&recipe.options, options.options);
                    self.table().reach(&*self.cell, place, settings);
                    (cell, recipe)
                }
                None => {
                    let slot: HandleSlot<H> = Arc::default();
                    let recipe =
                        Arc::new(InlineRecipe { build: Lent::new(build), options: source, handle: slot.clone() });
                    let again: Arc<InlineRecipe<H>> = recipe.clone();
                    let cell = BareCell::new(self.slot(Name::Declared(name)).core());
                    let build = with_builder(move |builder| {
                        let build = again.build.with(|build| build(builder));
                        build.expect("a build is replaced, never taken away")
                    });
                    let body = TreeBody::new(cell.clone(), Reader::new(options), slot, build);
                    let life = Unbegun::new(cell.clone(), || live(cell.clone(), given.common.clone(), body));
                    let place_of: Arc<dyn Any + Send + Sync> = recipe.clone();
                    apart(&*cell, &runtime);
                    self.table().declare(&*self.cell, cell.clone(), place_of, settings);
                    life.on(runtime).begin();
                    (cell as Arc<AnyCell>, recipe)
                }
            };
            self.turn(place).await;
            self.takes(&given, ChildKind::Tree, &*cell);
            let handle = lock(&recipe.handle).clone();
            handle.ok_or_else(|| Thrown::from(format!("{name} ended before it was up")))
        })
    }

    /// Waits until the child at this position is up, or is backing off while the others continue (S21). If the first
    /// start of the tree fails, the whole build is dropped.
    async fn turn(&self, place: u32) {
        poll_fn(|_| {
            // The supervisor wakes this task at every event of the start.
            let passed = self.table().inspect(|group| group.has_passed(place));
            if passed { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Waits until the supervisor is up, after the last child was declared. `given`: the time that the tree has to
    /// stop.
    pub(crate) async fn finish(&self, given: Option<ShutdownTimeout>) -> Result<(), Thrown> {
        let need = {
            let validator = lock(&self.validator);
            validator.finish(given)?;
            validator.need()
        };
        self.table().set_need(need);
        self.table().on(&*self.cell, |group| group.built(Instant::now()));
        poll_fn(|_| {
            let up = self.table().inspect(|group| !matches!(group.mode(), GroupState::Up | GroupState::Down { .. }));
            if up { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(())
    }
}
