//! `[T]` and `[Key => T]`: any number of children (S27).

use super::*;
use crate::children::{Clones, Initial, Key, Keyed};
use crate::last::Quiet;

impl Builder {
    /// A `[T]`.
    pub async fn set<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<Args>,
        start: F,
    ) -> Result<Children<T, Args>, Thrown>
    where
        T: Child,
        Args: Clone + Send + 'static,
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        self.unkeyed(name, options, Some(Args::clone), initial, start).await
    }

    /// A `[T]` of `Temporary` instances: each is started once, its arguments are moved.
    pub async fn set_once<T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<Args>,
        start: F,
    ) -> Result<Children<T, Args>, Thrown>
    where
        T: Child,
        Args: Send + 'static,
        F: Fn(Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        self.unkeyed(name, options, None, initial, start).await
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
        let start = Quiet::new(start);
        let recipe = Arc::new(move |args| -> BoxFuture<'static, _> { Box::pin(start(args)) });
        let initial = Arc::new(Lent::new(initial));
        let plan = Plan { recipe, options: options.options.clone(), again, initial };
        let make = |cell, plan| Children { cell, plan };
        self.put_set(name, options, plan, make, |set: &Children<T, Args>| &set.plan, Children::begin).await
    }

    /// A `[Key => T]`.
    pub async fn keyed<K, T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        initial: Initial<(K, Args)>,
        start: F,
    ) -> Result<Keyed<K, T, Args>, Thrown>
    where
        K: Key,
        T: Child,
        Args: Clone + Send + 'static,
        F: Fn((K, Args)) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
    {
        self.by_key(name, options, Some(<(K, Args)>::clone), initial, start).await
    }

    /// A `[Key => T]` of `Temporary` instances.
    pub async fn keyed_once<K, T, Args, F, Fut>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
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
        self.by_key(name, options, None, initial, start).await
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
        let options = transient(options);
        let start = Quiet::new(start);
        let recipe = Arc::new(move |args| -> BoxFuture<'static, _> { Box::pin(start(args)) });
        let initial = Arc::new(Lent::new(initial));
        let plan = Plan { recipe, options: options.options.clone(), again, initial };
        let make = |cell, plan| Keyed::new(Children { cell, plan });
        self.put_set(name, options, plan, make, |keyed: &Keyed<K, T, Args>| &keyed.set().plan, Keyed::begin).await
    }

    /// Puts a set into its place, or gives the one that is there its new plan; and waits until it is up, with
    /// those that it always has.
    async fn put_set<S, T, Args>(
        &self,
        name: &'static str,
        options: ChildOptions<T>,
        plan: Plan<T, Args>,
        make: impl FnOnce(Arc<dyn Controlled>, Arc<Mutex<Plan<T, Args>>>) -> S,
        plan_of: impl Fn(&S) -> &Arc<Mutex<Plan<T, Args>>>,
        begin: fn(&S),
    ) -> Result<S, Thrown>
    where
        S: Clone + Send + Sync + 'static,
        T: Child,
        Args: Send + 'static,
    {
        let place = self.next();
        let (common, given) = (options.options.common.clone(), options.options.clone());
        let initial = plan.initial.with(|initial| initial.len()).unwrap_or_default();
        self.counted(&Name::from(name), |validator| validator.set(&given, common.lifecycle_or(T::ROLE), initial))?;
        // All instances stop at once, so they count once; of trees nobody knows how long they take.
        lock(&self.validator).takes(&given, T::ROLE, None);
        // The set itself is a Permanent member without settings of its own.
        let settings = Arc::new(Settings::new(Role::Tree, Lifecycle::Permanent, None, Limit::new()));
        let set = match self.known::<S>(place) {
            Some((_, set)) => {
                replace(plan_of(&set), plan);
                self.sup().reach(&*self.cell, place, settings, None);
                set
            }
            None => {
                let cell = Plain::new(self.ctl(Name::from(name)));
                // What the instances' own deciders leave open goes to the tree's, as for any child.
                let strategy = SupervisorStrategy { decider: self.sup().decider(), ..SupervisorStrategy::default() };
                cell.ctl().sup_or_init(|| Sup::new(Owner::Set, &strategy));
                let set = Arc::new(make(cell.clone(), Arc::new(Mutex::new(plan))));
                let always = Arc::downgrade(&set);
                let begin = move || {
                    if let Some(set) = always.upgrade() {
                        begin(&set);
                    }
                };
                let body = SetBody::new(cell.clone(), Reader::new(options), Box::new(begin));
                let life = Unbegun::new(&cell, live(cell.clone(), body));
                self.sup().declare(&*self.cell, cell, set.clone(), settings, None);
                life.begin();
                set
            }
        };
        self.turn(place).await;
        self.begun(place).await;
        Ok((*set).clone())
    }

    /// Waits until those that a set always has are up, have ended, or wait behind a declared backoff.
    async fn begun(&self, place: u32) {
        let Some((cell, _)) = self.sup().declared(place) else { return };
        let bus = self.cell.ctl().bus.clone();
        loop {
            let changed = bus.changed.notified();
            if cell.ctl().sup().is_none_or(|sup| sup.look(|group| group.have_passed())) {
                return;
            }
            changed.await;
        }
    }
}

/// What `initial(..)` gives, as the arguments of spawns.
pub fn initial<Item, Args, I>(items: I, args: fn(Item) -> Args) -> Initial<Args>
where
    I: IntoIterator<Item = Item>,
    Args: Clone,
{
    items.into_iter().map(args).collect::<Vec<_>>().into()
}

/// A set without `initial`.
pub fn no_initial<Args>() -> Initial<Args> {
    Initial::none()
}
