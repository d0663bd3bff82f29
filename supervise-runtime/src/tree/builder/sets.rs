//! The shapes `[T]` and `[Key => T]`: any number of children (S27).

use std::future::Future;

use super::{Builder, apart, replace};
use crate::actor::context::transient;
use crate::actor::options::ChildOptions;
use crate::engine::cell::Unbegun;
use crate::engine::cell::control::{AnyCell, BareCell};
use crate::engine::cell::life::live;
use crate::engine::supervisor::ChildTable;
use crate::tree::body::SetBody;
use crate::tree::child::Child;
use crate::tree::children::{Children, Clones, Initial, Key, Keyed, Plan, SharedPlan};
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::base::sync::{Arc, Mutex, Weak, lock};
use supervise_core::decide::group::Owner;
use supervise_core::decide::member::Settings;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::failure::Thrown;
use supervise_core::values::invalid_settings::InvalidSettings;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::place::Name;
use supervise_core::values::strategy::{Lifecycle, RestartLimit};

/// The entry of a set in the table of its tree. The plan is here and in the tasks of the instances, and not in the
/// handles, which keep nothing alive (S2): it names values of the tree.
struct SetRecipe<S, T: Child, Args> {
    set: S,
    plan: SharedPlan<T, Args>,
}

impl Builder {
    /// Adds a `[T]`.
    pub fn set<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<Args>,
        start: F,
    ) -> BoxFuture<'_, Result<Children<T, Args>, Thrown>>
    where
        T: Child,
        Args: Clone + Send + 'static,
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move { self.unkeyed(name, options, Some(Args::clone), initial, start).await })
    }

    /// Adds a `[T]` of `Temporary` instances: each is started once, and its arguments are moved.
    pub fn set_once<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<Args>,
        start: F,
    ) -> BoxFuture<'_, Result<Children<T, Args>, Thrown>>
    where
        T: Child,
        Args: Send + 'static,
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move { self.unkeyed(name, options, None, initial, start).await })
    }

    async fn unkeyed<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        again: Option<Clones<Args>>,
        initial: Initial<Args>,
        start: F,
    ) -> Result<Children<T, Args>, Thrown>
    where
        T: Child,
        Args: Send + 'static,
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let options = transient(options);
        let plan = Plan::new(start, options.options.clone(), again);
        let make = |cell, plan| Children { cell, plan };
        self.put_set(name, options, (plan, initial), make, Children::begin).await
    }

    /// Adds a set behind a handle of another crate, which spawns the instances. `known`: called with the handle of the build
    /// before. `begin`: called at each start of the set.
    pub async fn set_behind<S, T, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        start: F,
        known: impl FnOnce(&S),
        make: impl FnOnce(Children<T, ()>) -> S,
        begin: fn(&S),
    ) -> Result<S, Thrown>
    where
        S: Clone + Send + Sync + 'static,
        T: Child,
        F: Fn(()) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        let plan = Plan::new(start, options.options.clone(), Some(<()>::clone));
        if let Some((_, recipe)) = self.known::<SetRecipe<S, T, ()>>(self.place.load(Ordering::Relaxed)) {
            known(&recipe.set);
        }
        let make = |cell, plan| make(Children { cell, plan });
        self.put_set(name, options, (plan, Initial::none()), make, begin).await
    }

    /// Adds a `[Key => T]`.
    pub fn keyed<K, T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<(K, Args)>,
        start: F,
    ) -> BoxFuture<'_, Result<Keyed<K, T, Args>, Thrown>>
    where
        K: Key,
        T: Child,
        Args: Clone + Send + 'static,
        F: Fn((K, Args)) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move { self.by_key(name, options, Some(<(K, Args)>::clone), initial, start).await })
    }

    /// Adds a `[Key => T]` of `Temporary` instances.
    pub fn keyed_once<K, T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<(K, Args)>,
        start: F,
    ) -> BoxFuture<'_, Result<Keyed<K, T, Args>, Thrown>>
    where
        K: Key,
        T: Child,
        Args: Send + 'static,
        F: Fn((K, Args)) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        Box::pin(async move { self.by_key(name, options, None, initial, start).await })
    }

    async fn by_key<K, T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        again: Option<Clones<(K, Args)>>,
        initial: Initial<(K, Args)>,
        start: F,
    ) -> Result<Keyed<K, T, Args>, Thrown>
    where
        K: Key,
        T: Child,
        Args: Send + 'static,
        F: Fn((K, Args)) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        if let Some((first, second)) = initial.same_keys() {
            let what = InvalidSettings::InitialKeyTwice { first, second };
            return Err(self.cannot_start(&Name::Declared(name), what));
        }
        let options = transient(options);
        let plan = Plan::new(start, options.options.clone(), again);
        let make = |cell, plan| Keyed::new(Children { cell, plan });
        self.put_set(name, options, (plan, initial), make, Keyed::begin).await
    }

    /// Adds a set, or gives the set that is already at this position its new plan. Then waits until the set and its
    /// initial instances are up.
    async fn put_set<S, T, Args>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        (mut plan, initial): (Plan<T, Args>, Initial<Args>),
        make: impl FnOnce(Arc<AnyCell>, Weak<Mutex<Plan<T, Args>>>) -> S,
        begin: fn(&S),
    ) -> Result<S, Thrown>
    where
        S: Clone + Send + Sync + 'static,
        T: Child,
        Args: Send + 'static,
    {
        let (common, given) = (options.options.common.clone(), options.options.clone());
        let many = initial.len();
        self.counted(&Name::Declared(name), |validator| validator.set(&given, common.lifecycle_or(T::KIND), many))?;
        // A restart of the set alone needs the arguments again; a restart of the tree makes new ones. So the tree keeps
        // them, and drops them when the set is down (S30).
        plan.initial = initial.is_declared().then(|| self.keep(initial));
        let place = self.next();
        // All instances stop at the same time, so their time counts once. The time of trees is not known here.
        lock(&self.validator).takes(&given, T::KIND, None);
        let runtime = self.runtime(&Name::Declared(name), &common)?;
        // The set itself is a `Permanent` member. It ends with its last instance, if that is significant, and the tree
        // with the set (S22).
        let mut settings = Settings::new(ChildKind::Set, Lifecycle::Permanent, None, RestartLimit::new());
        settings.significant = common.significant;
        let settings = Arc::new(settings);
        let configure = |cell: &AnyCell| {
            let table = cell.core().table_or_init(|| ChildTable::new(Owner::Set, &SupervisorStrategy::default()));
            // Failures that the instances' own deciders leave open go to the tree's decider, as for any child.
            table.configure(SupervisorStrategy { decider: self.table().decider(), ..SupervisorStrategy::default() });
            table.configure_set(common.max_starting, common.significant);
            // Instances are spawned from anywhere, also outside of any runtime.
            table.set_runtime(runtime.clone().or_else(|| self.table().runtime()));
        };
        let set = match self.known::<SetRecipe<S, T, Args>>(place) {
            Some((cell, set)) => {
                replace(&set.plan, plan);
                configure(&*cell);
                self.table().reach(&*self.cell, place, settings);
                set
            }
            None => {
                let cell = BareCell::new(self.slot(Name::Declared(name)).core());
                configure(&*cell);
                let plan = Arc::new(Mutex::new(plan));
                let set = Arc::new(SetRecipe { set: make(cell.clone(), Arc::downgrade(&plan)), plan });
                let always = Arc::downgrade(&set);
                let begin = move || {
                    if let Some(recipe) = always.upgrade() {
                        begin(&recipe.set);
                    }
                };
                let body = SetBody::new(cell.clone(), Box::new(begin));
                let life = Unbegun::new(cell.clone(), || live(cell.clone(), Arc::default(), body));
                apart(&*cell, &runtime);
                self.table().declare(&*self.cell, cell, set.clone(), settings);
                life.on(runtime).begin();
                set
            }
        };
        self.turn(place).await;
        self.begun(place).await;
        Ok(set.set.clone())
    }

    /// Waits until the initial instances are up, have ended, or are backing off.
    async fn begun(&self, place: u32) {
        let Some((cell, _)) = self.table().declared(place) else { return };
        let bus = self.cell.core().bus.clone();
        let have_passed = || cell.core().table().is_none_or(|table| table.have_passed());
        bus.changed.until(|| have_passed().then_some(())).await;
    }
}

/// Converts the value of `initial(..)` into the arguments of spawns.
pub fn initial<Item, Args, I>(items: I, args: fn(Item) -> Args) -> Initial<Args>
where
    I: IntoIterator<Item = Item>,
    Args: Clone,
{
    items.into_iter().map(args).collect::<Vec<_>>().into()
}

/// Returns the value for a set without `initial`.
pub fn no_initial<Args>() -> Initial<Args> {
    Initial::none()
}
