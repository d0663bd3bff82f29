//! The builder that generated code calls: it puts children into their places.

use std::sync::OnceLock;

use super::*;
use crate::last::Quiet;
use crate::strategy::Shutdown;
use crate::sync::foreign;

mod sets;
mod several;

pub use sets::{initial, no_initial};

type Boxed<S> = Box<dyn FnMut() -> BoxFuture<'static, Result<S, Thrown>> + Send>;

/// What build left in the place of a child, to be found by the next build.
struct Recipe<T: Child> {
    start: Lent<Boxed<T::Start>>,
    options: Source,
    handle: Mutex<Option<HandleSource<T::Handle>>>,
    /// Of an optional child: whether it was there at its first start.
    there: OnceLock<bool>,
}

impl<T: Child> Recipe<T> {
    fn handle(&self) -> Option<T::Handle> {
        let source = lock(&self.handle).clone();
        source.and_then(|source| source.get())
    }
}

/// The value that was there before may hold user code, which is dropped behind the lock.
fn replace<T>(place: &Mutex<T>, value: T) {
    let before = std::mem::replace(&mut *lock(place), value);
    foreign();
    drop(before);
}

type BuildOf<H> = Box<dyn FnMut(Builder) -> BoxFuture<'static, Result<H, Thrown>> + Send>;

struct InlineRecipe<H> {
    build: Lent<BuildOf<H>>,
    options: Source,
    handle: HandleSlot<H>,
}

/// Puts the children of a tree into their places, one after the other. Called by generated code.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Builder {
    cell: Arc<dyn Controlled>,
    place: Arc<AtomicU32>,
    validator: Arc<Mutex<TreeValidator>>,
}

impl Builder {
    pub(crate) fn new(cell: Arc<Plain>) -> Self {
        cell.ctl().sup_or_init(|| Sup::new(Owner::Tree, &SupervisorStrategy::default()));
        Builder { cell, place: Arc::default(), validator: Arc::default() }
    }

    fn sup(&self) -> &Sup {
        self.cell.ctl().sup_or_init(|| Sup::new(Owner::Tree, &SupervisorStrategy::default()))
    }

    /// The tree's settings, before its first child.
    pub fn supervision(&self, strategy: SupervisorStrategy) {
        lock(&self.validator).supervision(SupervisorLimits::new(&strategy));
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

    fn ctl(&self, name: Name) -> Ctl {
        Ctl::new(name, Some(self.cell.clone()), self.cell.ctl().bus.clone())
    }

    /// Keeps a parameter or `let` at its place.
    pub fn keep<T: SendValue>(&self, value: T) -> SharedValue<T> {
        let kept = Arc::new(Lent::new(value));
        let settings = Arc::new(Settings::new(Role::Value, Lifecycle::Permanent, None, Limit::new()));
        self.sup().keep(&*self.cell, self.next(), kept.clone(), settings);
        SharedValue(kept)
    }

    /// One child.
    pub async fn child<T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        start: F,
    ) -> Result<T::Handle, Thrown>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let recipe = self.put(self.next(), Name::from(name), options, start).await?;
        recipe.handle().ok_or_else(|| Thrown::from(format!("{name} ended before it was up")))
    }

    /// Settings that are no literals are looked at when the child's turn comes: a contradiction in them is a failure
    /// of its start; one in the tree's own is one of the tree's.
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
        counted.map_err(|what| {
            let path = self.ctl(name.clone()).path();
            Thrown::from(Failure::new(Phase::Start, Cause::Error(Thrown::from(what)), path, 0))
        })
    }

    /// A child has got its place: how long may it take to stop? If nothing is said, a tree's children have said it.
    fn takes(&self, options: &Options, role: Role, cell: &dyn Controlled) {
        let below = cell.ctl().sup().and_then(Sup::need);
        lock(&self.validator).takes(options, role, below);
    }

    /// Puts a child into its place, or gives the one that is there its new start expression and settings; and
    /// waits for its turn.
    async fn put<T, F, Fut>(
        &self,
        place: u32,
        name: Name,
        options: ChildOptions<T>,
        start: F,
    ) -> Result<Arc<Recipe<T>>, Thrown>
    where
        T: Child,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let mut start = Quiet::new(start);
        let start: Boxed<T::Start> = Box::new(move || Box::pin(start()));
        let (common, given) = (options.options.common.clone(), options.options.clone());
        self.counted(&name, |validator| validator.child(&given, common.lifecycle_or(T::ROLE)))?;
        let (settings, time) = (settings(&common, T::ROLE), patience(&common, T::ROLE));
        let recipe = match self.known::<Recipe<T>>(place) {
            Some((_, recipe)) => {
                recipe.start.set(Some(start));
                replace(&recipe.options, options.options);
                self.sup().reach(&*self.cell, place, settings, time);
                recipe
            }
            None => {
                let source: Source = Arc::new(Mutex::new(options.options.clone()));
                let recipe = Arc::new(Recipe {
                    start: Lent::new(start),
                    options: source.clone(),
                    handle: Mutex::default(),
                    there: OnceLock::new(),
                });
                let again: Arc<Recipe<T>> = recipe.clone();
                let seat = Seat { ctl: self.ctl(name) };
                let launched = T::launch(seat, options.source(source), move || {
                    again.start.with(|start| start()).expect("a start closure is replaced, never taken away")
                });
                replace(&recipe.handle, Some(launched.handle));
                self.sup().declare(&*self.cell, launched.cell, recipe.clone(), settings, time);
                launched.life.begin();
                recipe
            }
        };
        self.turn(place).await;
        // One that is not there takes no time.
        let there = !common.optional || self.sup().look(|group| group.was_up(place));
        if let Some((cell, _)) = self.sup().declared(place).filter(|_| there) {
            self.takes(&given, T::ROLE, &*cell);
        }
        Ok(recipe)
    }

    /// An inline subtree.
    pub async fn inline<H, F, Fut>(&self, name: &'static str, options: ChildOptions<H>, build: F) -> Result<H, Thrown>
    where
        H: TreeHandle,
        F: FnMut(Builder) -> Fut + Send + 'static,
        Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
    {
        let place = self.next();
        let mut build = Quiet::new(build);
        let build: BuildOf<H> = Box::new(move |builder| Box::pin(build(builder)));
        let (common, given) = (options.options.common.clone(), options.options.clone());
        self.counted(&Name::from(name), |validator| validator.child(&given, common.lifecycle_or(Role::Tree)))?;
        let (settings, time) = (settings(&common, Role::Tree), patience(&common, Role::Tree));
        let recipe = match self.known::<InlineRecipe<H>>(place) {
            Some((_, recipe)) => {
                recipe.build.set(Some(build));
                replace(&recipe.options, options.options);
                self.sup().reach(&*self.cell, place, settings, time);
                recipe
            }
            None => {
                let source: Source = Arc::new(Mutex::new(options.options.clone()));
                let slot: HandleSlot<H> = Arc::default();
                let recipe =
                    Arc::new(InlineRecipe { build: Lent::new(build), options: source.clone(), handle: slot.clone() });
                let again: Arc<InlineRecipe<H>> = recipe.clone();
                let cell = Plain::new(self.ctl(Name::from(name)));
                let body =
                    TreeBody::new(cell.clone(), Reader::new(options.source(source)), slot, move |builder: Builder| {
                        let build = again.build.with(|build| build(builder));
                        build.expect("a build is replaced, never taken away")
                    });
                let task: BoxFuture<'static, ()> = Box::pin(live(cell.clone(), body));
                let life = Unbegun::new(&cell, task);
                let place_of: Arc<dyn Any + Send + Sync> = recipe.clone();
                self.sup().declare(&*self.cell, cell, place_of, settings, time);
                life.begin();
                recipe
            }
        };
        self.turn(place).await;
        if let Some((cell, _)) = self.sup().declared(place) {
            self.takes(&given, Role::Tree, &*cell);
        }
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

    /// All children are declared: waits until the supervisor has come up behind the last one. `given`: the time that
    /// the tree has to stop.
    pub(crate) async fn finish(&self, given: Option<Shutdown>) -> Result<(), Thrown> {
        let need = {
            let validator = lock(&self.validator);
            validator.finish(given)?;
            validator.need()
        };
        self.sup().set_need(need);
        self.sup().on(&*self.cell, |group| group.built(Instant::now()));
        poll_fn(|_| {
            let up = self.sup().look(|group| !matches!(group.mode(), Mode::Up | Mode::Down { .. }));
            if up { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(())
    }
}
