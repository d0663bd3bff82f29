//! A `[..]`: any number of children of one declaration, spawned through the handle (rule S27).

use std::fmt;
use std::future::Future;

use crate::actor::context::{SpawnError, Startup};
use crate::actor::options::{ChildOptions, Options};
use crate::base::BoxFuture;
use crate::base::deferred_drop::drop_quietly;
use crate::base::lent::Lent;
use crate::base::sync::{Arc, Mutex, lock};
use crate::engine::cell::body::{patience, settings};
use crate::engine::cell::control::{Controlled, Ctl};
use crate::engine::cell::require_time;
use crate::engine::supervisor::{Behind, Refused};
use crate::tree::{Child, HandleSource, Launched, Seat, TreeRef};
use crate::values::event::EventKind;
use crate::values::failure::{Cause, Failure, Phase, Thrown};
use crate::values::place::Name;
use crate::values::settings::Common;

mod keyed;
mod living;

pub use keyed::{Key, Keyed, KeyedError, need_key};

/// Instances start side by side, so it is shared and not lent.
type Recipe<T, Args> = dyn Fn(Args) -> BoxFuture<'static, Result<<T as Child>::Start, Thrown>> + Send + Sync;

/// How instances are made; the next incarnation of the tree may bring another way.
pub(crate) struct Plan<T: Child, Args> {
    pub(crate) recipe: Arc<Recipe<T, Args>>,
    pub(crate) options: Options,
    /// How arguments are cloned for another start. `None`: an instance is started once, its arguments are moved.
    pub(crate) again: Option<Clones<Args>>,
    /// Those that it has from its start on, each time it starts.
    pub(crate) initial: Arc<Lent<Initial<Args>>>,
}

pub(crate) type Clones<Args> = fn(&Args) -> Args;

/// The instances that a set has from its start on. A restart of the set starts those again, so it keeps them.
#[doc(hidden)]
pub struct Initial<Args> {
    items: Vec<Args>,
    again: fn(&[Args]) -> Vec<Args>,
}

impl<Args> fmt::Debug for Initial<Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Initial({})", self.items.len())
    }
}

impl<Args> Initial<Args> {
    pub(crate) fn none() -> Self {
        Initial { items: Vec::new(), again: |_| Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    fn again(&self) -> Vec<Args> {
        (self.again)(&self.items)
    }
}

impl<Args: Clone> From<Vec<Args>> for Initial<Args> {
    fn from(items: Vec<Args>) -> Self {
        Initial { items, again: <[Args]>::to_vec }
    }
}

impl<Args> Drop for Initial<Args> {
    fn drop(&mut self) {
        self.items.drain(..).for_each(drop_quietly); // each by itself: one with a bad `Drop` leaves the others
    }
}

/// The handle of `sessions: [Session]`: a supervisor of its own, OneForOne, whose instances are spawned
/// at run time and have a budget each. Cheap to clone; stays the same over restarts of the tree.
///
/// The arguments of [`spawn`](Children::spawn) are those of the declared closure, up to six. Each instance has the path
/// `sessions/#1`, `sessions/#2` and so on; those that are to be found again have keys, see [`Keyed`]. The settings above
/// the declaration are those of each instance. `max_children` bounds how many live at a time; `initial` gives those that
/// are there from the start.
///
/// The arguments are kept for the restarts of the instance, so they are `Clone`. Under `lifecycle(Temporary)` an instance
/// is started once: then they are moved into it, and nothing of them is kept.
///
/// ```
/// use supervise::{SpawnError, prelude::*};
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
    pub(crate) cell: Arc<dyn Controlled>,
    pub(crate) plan: Arc<Mutex<Plan<T, Args>>>,
}

impl<T: Child, Args> Clone for Children<T, Args> {
    fn clone(&self) -> Self {
        Children { cell: self.cell.clone(), plan: self.plan.clone() }
    }
}

impl<T: Child, Args> fmt::Debug for Children<T, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Children({})", self.cell.ctl().path())
    }
}

impl<T: Child, Args: Send + 'static> Children<T, Args> {
    /// How many instances have not ended.
    pub fn len(&self) -> usize {
        self.cell.ctl().sup().map_or(0, |sup| sup.look(|group| group.living() as usize))
    }

    /// There is none that has not ended.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path of the set.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// What can be asked of the set as a whole: stop, restart, start again, join (S26).
    pub fn tree(&self) -> TreeRef {
        TreeRef { cell: self.cell.clone() }
    }

    fn spawn_with(
        &self,
        args: Args,
    ) -> impl Future<Output = Result<T::Handle, SpawnError>> + Send + 'static + use<T, Args> {
        let this = self.clone();
        async move {
            require_time();
            let launched = this.launch(args)?;
            Startup::of(launched.cell).await?;
            launched.handle.get().ok_or_else(|| SpawnError::Stopping { path: this.path() })
        }
    }

    fn clones(&self) -> Option<Clones<Args>> {
        lock(&self.plan).again
    }

    /// The arguments for each start of one instance: clones, or once those themselves.
    fn giving(&self, args: Args) -> impl FnMut() -> Option<Args> + Send + 'static + use<T, Args> {
        let (clones, mut args) = (self.clones(), Some(args));
        move || match clones {
            Some(again) => args.as_ref().map(again),
            None => args.take(),
        }
    }

    /// Puts an instance in its place; it starts as soon as the set is up.
    fn launch(&self, args: Args) -> Result<Placed<T::Handle>, SpawnError> {
        let mut instance = self.instance(None, self.giving(args));
        let (launched, behind) = self.place(&mut instance).map_err(|refused| self.refused(refused, &instance))?;
        behind.done();
        Ok(launched.begin())
    }

    /// `name`: its key, else its number. `give` gives its arguments.
    fn instance<G>(&self, name: Option<Name>, give: G) -> Instance<T, G>
    where
        G: FnMut() -> Option<Args> + Send + 'static,
    {
        let mut options = ChildOptions::<T>::new();
        options.options = lock(&self.plan).options.clone();
        Instance { name, common: options.options.common.clone(), made_of: Some((options, give)) }
    }

    /// Runs no foreign code, so it may be called under a lock; what it gives is to be done and begun behind that.
    fn place<G>(&self, instance: &mut Instance<T, G>) -> Result<(Launched<T::Handle>, Behind<'_>), Refused>
    where
        G: FnMut() -> Option<Args> + Send + 'static,
    {
        let ctl = self.cell.ctl();
        let Some(sup) = ctl.sup() else { return Err(Refused::Stopped) };
        let common = instance.common.clone();
        let mut launched = None;
        let behind = sup.add(
            &*self.cell,
            None,
            common.max_children,
            settings(&common, T::KIND),
            patience(&common, T::KIND),
            |number| {
                let name = instance.name.take().unwrap_or(Name::Number(number));
                let ctl = Ctl::new(name, Some(self.cell.clone()), ctl.bus.clone());
                let (options, mut give) = instance.made_of.take().expect("an instance is placed once");
                let plan = self.plan.clone();
                let start = move || {
                    let args = give().expect("an instance whose arguments are moved is started once");
                    let recipe = lock(&plan).recipe.clone();
                    recipe(args)
                };
                let child = T::launch(Seat { ctl }, options, start);
                let cell = child.cell.clone();
                launched = Some(child);
                cell
            },
        )?;
        Ok((launched.expect("what was added was made"), behind))
    }

    fn refused<G>(&self, refused: Refused, instance: &Instance<T, G>) -> SpawnError {
        let path = self.path();
        match refused {
            Refused::TooMany => {
                SpawnError::MaxChildren { path, most: instance.common.max_children.unwrap_or_default() }
            }
            Refused::Stopped => SpawnError::Stopped { path },
            Refused::Stopping | Refused::Exists => SpawnError::Stopping { path },
        }
    }

    /// The arguments of those that it always has. Cloning them is user code.
    fn initial(&self) -> Vec<Args> {
        let initial = lock(&self.plan).initial.clone();
        initial.with(|initial| initial.again()).unwrap_or_default()
    }

    /// The set begins: those that it always has are put in their places.
    pub(crate) fn begin(&self) {
        for args in self.initial() {
            if let Err(error) = self.launch(args) {
                not_begun(&*self.cell, error);
            }
        }
    }
}

/// One that is about to get its place. It is made and dropped under no lock: its arguments are user code.
struct Instance<T: Child, G> {
    name: Option<Name>,
    common: Arc<Common>,
    /// Until it has its place.
    made_of: Option<(ChildOptions<T>, G)>,
}

/// One that has its place and runs.
struct Placed<H> {
    cell: Arc<dyn Controlled>,
    handle: HandleSource<H>,
}

impl<H> Launched<H> {
    /// To be called when no lock is held.
    fn begin(self) -> Placed<H> {
        self.life.begin();
        Placed { cell: self.cell, handle: self.handle }
    }
}

/// One of those that a set always has could not even be put in its place (S27).
fn not_begun(cell: &dyn Controlled, error: SpawnError) {
    let ctl = cell.ctl();
    let cause = Cause::Error(Thrown::from(error));
    let failure = Failure::new(Phase::Start, cause, ctl.path(), ctl.incarnation());
    ctl.emit(EventKind::Reported { failure });
}

macro_rules! spawns {
    ($(($($arg:ident: $ty:ident),*))*) => {$(
        impl<T: Child, $($ty: Send + 'static),*> Children<T, ($($ty,)*)> {
            /// Spawns an instance and waits until it is up. Waits while the set itself is not up.
            ///
            /// # Errors
            ///
            /// `Stopping` and `Stopped` when the set no longer takes any, `MaxChildren` when it is
            /// full, `Start` with the failure of a first start that is not retried. The arguments of a spawn
            /// that is refused are dropped.
            ///
            /// # Cancel safety
            ///
            /// Dropped before it is ready, the instance is taken back.
            ///
            /// # Panics
            ///
            /// When it is awaited outside of a tokio runtime, or in one without time (`enable_time`).
            #[allow(clippy::too_many_arguments)]
            pub fn spawn(&self, $($arg: $ty),*)
                -> impl Future<Output = Result<T::Handle, SpawnError>> + Send + 'static + use<T, $($ty),*>
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
