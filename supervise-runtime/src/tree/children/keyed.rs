//! The handle of a `[Key => T]`: a set whose instances are found by key (rule S27).
//!
//! Invariants:
//! 1. An entry is in the map from the moment its instance is added until that instance has ended.
//! 2. A start belongs to everyone who waits for it: the last caller to give up stops the instance.

use std::borrow::Borrow;
use std::fmt::{self, Display};
use std::future::{Future, poll_fn};
use std::hash::Hash;

use super::living::{Entry, Living, Place, Table};
use super::{Children, Clones, Instance, Placed, not_begun};
use crate::actor::context::started;
use crate::actor::waits::Terminated;
use crate::base::deferred_drop::{DeferDrops, drop_catching_panics};
use crate::base::lent::Lent;
use crate::base::sync::{Arc, MutexGuard};
use crate::engine::cell::control::{AnyCell, SystemMessage, Waiting, send};
use crate::engine::cell::require_time;
use crate::tree::child::{Child, HandleSource};
use crate::tree::tree_ref::TreeRef;
use crate::values::path::escaped;
use crate::values::place::Name;
use crate::values::spawn_error::SpawnError;

/// A type that can be a key.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a `[Key => T]`",
    label = "needs `Eq + Hash + Clone + Display + Send + Sync + 'static`",
    note = "instances are found by it, and it is the last part of their path"
)]
pub trait Key: Eq + Hash + Clone + Display + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Eq + Hash + Clone + Display + Send + Sync + 'static> Key for K {}

/// Makes the compiler report a missing bound at the user's own type.
#[doc(hidden)]
pub const fn need_key<K: Key>() {}

/// The handle of a keyed set, such as `sessions: [UserId => Session]`, whose instances are found by key.
///
/// The handle is cheap to clone, and stays the same over restarts of the tree. The key is the last part of an
/// instance's path.
///
/// Keys appear in paths, events and logs (through `Display`), escaped as [`path`](crate::path) says: do not put secrets
/// in them. Different keys must have different texts, or two instances have the same path. No key may have an empty
/// text.
///
/// A key is in use from the spawn until its instance has ended. So at most one instance of a key lives, however many
/// callers ask for it at the same time. The first argument of the declared closure is the key; up to six others follow.
///
/// ```
/// use supervise::error::KeyedError;
/// use supervise::prelude::*;
///
/// struct Room {
///     name: String,
///     seats: u32,
/// }
///
/// #[actor]
/// impl Room {
///     fn handle(&mut self, reply: Reply<String>) {
///         reply.send(format!("{} has {} seats", self.name, self.seats));
///     }
/// }
///
/// supervisor! {
///     struct House {
///         #[initial([("hall".to_owned(), 100)])]
///         rooms: [String => Room] = |name: String, seats: u32| Room { name, seats },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let house = House::start().await?;
/// let hall = house.rooms.get("hall").expect("an initial one");
/// assert_eq!(hall.ask(|reply| reply).await?, "hall has 100 seats");
///
/// let attic = house.rooms.get_or_spawn("attic".to_owned(), 5).await?;
/// let same = house.rooms.get_or_spawn("attic".to_owned(), 9).await?; // there is one already, so the 9 is ignored
/// assert!(attic == same);
/// assert_eq!(attic.path(), "rooms/attic");
/// assert!(matches!(house.rooms.spawn("attic".to_owned(), 9).await, Err(KeyedError::Exists { .. })));
///
/// assert!(house.rooms.stop("attic"));
/// attic.terminated().await?;
/// assert!(house.rooms.get("attic").is_none());
/// # house.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub struct Keyed<K, T: Child, Args> {
    set: Children<T, (K, Args)>,
    living: Arc<Living<K, T::Handle>>,
}

/// The state of a key's instance.
enum Stands<H> {
    Up(H),
    Starting,
    /// The instance has ended, or is stopping.
    Ending(Arc<dyn AnyCell>),
}

/// Why [`Keyed::spawn`] did not start an instance.
///
/// ```
/// use supervise::error::KeyedError;
/// use supervise::prelude::*;
/// # struct Room;
/// # #[actor]
/// # impl Room { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct House { rooms: [u32 => Room] = |_number: u32| Room } }
/// /// Spawns or returns a room. [`Keyed::get_or_spawn`] would also wait for the end of one that is stopping.
/// async fn enter(house: &House, number: u32) -> Option<ActorRef<Room>> {
///     match house.rooms.spawn(number).await {
///         Ok(new) => Some(new),
///         Err(KeyedError::Exists { handle, .. }) => handle, // `None` while the room starts
///         Err(KeyedError::Spawn(error)) => {
///             println!("no room: {error}");
///             None
///         }
///         Err(_) => None,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let house = House::start().await?;
/// # let new = enter(&house, 7).await;
/// # assert!(new.is_some() && new == enter(&house, 7).await);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KeyedError<H: fmt::Debug> {
    /// An instance of this key lives, or is stopping.
    #[error("{path} exists; take it with `get` or `get_or_spawn`, or wait for its end")]
    Exists {
        /// The path of the instance.
        path: String,
        /// The handle of the instance, if it is up.
        handle: Option<H>,
    },
    /// The spawn failed, as a spawn without a key can.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

impl<K, T: Child, Args> Clone for Keyed<K, T, Args> {
    fn clone(&self) -> Self {
        Keyed { set: self.set.clone(), living: self.living.clone() }
    }
}

impl<K, T: Child, Args> fmt::Debug for Keyed<K, T, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyed({})", self.set.cell.core().path())
    }
}

impl<K: Key, T: Child, Args: Send + 'static> Keyed<K, T, Args> {
    pub(crate) fn new(set: Children<T, (K, Args)>) -> Self {
        Keyed { set, living: Arc::new(Living::new()) }
    }

    pub(crate) fn set(&self) -> &Children<T, (K, Args)> {
        &self.set
    }

    /// Returns the instance of this key, if one is up.
    ///
    /// An instance that was asked to stop is found until it has ended. The handle stays the same over a restart.
    pub fn get<Q>(&self, key: &Q) -> Option<T::Handle>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let (cell, handle) = self.living.look(key, |entry| (entry.cell.clone(), entry.handle.clone()))?;
        if cell.core().is_up() { handle.get() } else { None }
    }

    /// Asks the instance of this key to stop, and returns immediately; `false` if there is no instance.
    pub fn stop<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let cell = self.living.look(key, |entry| entry.cell.clone());
        if let Some(cell) = &cell {
            send(&**cell, SystemMessage::Stop);
        }
        cell.is_some()
    }

    /// Returns the keys that are in use, in no particular order.
    pub fn keys(&self) -> Vec<K> {
        self.living.all(|entry| entry.key.clone()).iter().map(|key| (**key).clone()).collect()
    }

    /// Returns all instances that are up, or down for a restart, each with its key, in no particular order.
    ///
    /// An instance whose first start is still in progress is not among them.
    pub fn handles(&self) -> Vec<(K, T::Handle)> {
        let all = self.living.all(|entry| (entry.key.clone(), entry.cell.clone(), entry.handle.clone()));
        let up = all.into_iter().filter(|(_, cell, _)| cell.core().is_up());
        up.filter_map(|(key, _, handle)| Some(((*key).clone(), handle.get()?))).collect()
    }

    /// Requests a stop of every instance that lives now, and returns immediately. The set stays usable: instances that
    /// are spawned from now on are not affected.
    ///
    /// A key is free once its instance has ended; a `get_or_spawn` in progress then starts another one, unless the set is
    /// `Temporary`. A restart of the set starts the instances of `initial` again all the
    /// same (S27). `tree().stop()` ends the set itself.
    pub fn stop_all(&self) {
        self.set.stop_all();
    }

    /// Returns the number of instances that have not ended.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Returns `true` if every instance has ended, or none was spawned.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the path of the set.
    pub fn path(&self) -> String {
        self.set.path()
    }

    /// Returns the [`TreeRef`] of the set, to stop, restart or join all of it.
    ///
    /// See rule S26.
    pub fn tree(&self) -> TreeRef {
        self.set.tree()
    }

    fn stands(entry: &Entry<K, T::Handle>) -> Stands<T::Handle> {
        let core = entry.cell.core();
        let table = core.parent.as_ref().and_then(|parent| parent.core().table());
        if entry.unwanted || table.is_none_or(|table| table.is_ending(&*entry.cell)) {
            return Stands::Ending(entry.cell.clone());
        }
        match entry.handle.get() {
            Some(handle) if core.is_up() => Stands::Up(handle),
            _ => Stands::Starting,
        }
    }

    /// Adds a new instance, with one caller that waits for it. Releases the lock of the table.
    fn create<G>(
        &self,
        (mut table, found): (MutexGuard<'_, Table<K, T::Handle>>, Option<Place>),
        key: &Wanted<K>,
        instance: &mut Instance<T, G>,
    ) -> Result<Starts<T::Handle>, SpawnError>
    where
        G: FnMut() -> Option<(K, Args)> + Send + 'static,
    {
        if key.text.is_empty() {
            drop(table);
            return Err(SpawnError::EmptyName { path: self.path() });
        }
        let (launched, after_lock) = match self.set.place(instance) {
            Ok(placed) => placed,
            Err(refused) => {
                drop(table);
                return Err(self.set.refused(refused, instance));
            }
        };
        let (cell, handle) = (launched.cell.clone(), launched.handle.clone());
        let entry = Entry { key: key.key.clone(), cell, handle, callers: 1, unwanted: false };
        let before = table.put(key.hash, found, entry);
        drop(table);
        drop_catching_panics(before);
        self.free_at_end(key.hash, &*launched.cell);
        after_lock.done();
        let Placed { cell, handle } = launched.begin();
        Ok(Starts { cell, handle })
    }

    /// Frees the key once the instance has ended. To be called without the lock, since the instance may already have
    /// ended.
    fn free_at_end(&self, hash: u64, cell: &dyn AnyCell) {
        let (id, living) = (cell.core().id, Arc::downgrade(&self.living));
        let free = move |_: &_| {
            let Some(living) = living.upgrade() else { return };
            // The `Drop` of a key is user code, and a panic in it must not keep the end from other watchers.
            drop_catching_panics(living.remove(hash, id));
        };
        cell.core().on_end(Box::new(free));
    }

    /// Adds the initial instances when the set starts.
    pub(crate) fn begin(&self) {
        for (key, args) in self.set.initial() {
            if let Err(error) = self.begin_one(&self.want(key), args) {
                not_begun(&*self.set.cell, error);
            }
        }
    }

    fn begin_one(&self, key: &Wanted<K>, args: Args) -> Result<(), SpawnError> {
        let _shelter = DeferDrops::new();
        let mut instance = self.instance(key, self.set.giving(((*key.key).clone(), args)));
        let (mut table, found) = self.living.find(key.hash, &*key.key);
        match found.map(|place| Self::stands(table.at(place))) {
            Some(Stands::Up(_) | Stands::Starting) => Ok(()), // `initial` names the key twice
            Some(Stands::Ending(_)) | None => self.create((table, found), key, &mut instance).map(drop),
        }
    }

    /// Runs all user code of a key in one place: hashes, formats and shares it.
    fn want(&self, key: K) -> Wanted<K> {
        Wanted { hash: self.living.hash(&key), text: key.to_string(), key: Arc::new(key) }
    }

    fn instance<G>(&self, key: &Wanted<K>, give: G) -> Instance<T, G>
    where
        G: FnMut() -> Option<(K, Args)> + Send + 'static,
    {
        self.set.instance(Some(Name::from(&*key.text)), give)
    }

    fn spawn_with(
        &self,
        key: K,
        args: Args,
    ) -> impl Future<Output = Result<T::Handle, KeyedError<T::Handle>>> + Send + 'static + use<K, T, Args> {
        let this = self.clone();
        async move {
            require_time();
            let key = this.want(key);
            let created = this.spawn_new(&key, args)?;
            Ok(Caller::new(this, &key, created).wait().await?)
        }
    }

    fn spawn_new(&self, key: &Wanted<K>, args: Args) -> Result<Starts<T::Handle>, KeyedError<T::Handle>> {
        let _shelter = DeferDrops::new();
        let mut instance = self.instance(key, self.set.giving(((*key.key).clone(), args)));
        let (mut table, found) = self.living.find(key.hash, &*key.key);
        let exists = match found.map(|place| (Self::stands(table.at(place)), place)) {
            None => None,
            Some((Stands::Ending(cell), _)) if cell.core().ended().is_some() => None,
            Some((Stands::Up(handle), _)) => Some(Some(handle)),
            Some((Stands::Starting, _)) => Some(None),
            Some((Stands::Ending(cell), place)) => {
                Some(if cell.core().is_up() { table.at(place).handle.get() } else { None })
            }
        };
        match exists {
            None => Ok(self.create((table, found), key, &mut instance)?),
            Some(handle) => {
                drop(table);
                Err(KeyedError::Exists { path: format!("{}/{}", self.path(), escaped(&key.text)), handle })
            }
        }
    }

    fn get_or_spawn_with(
        &self,
        key: K,
        args: Args,
    ) -> impl Future<Output = Result<T::Handle, SpawnError>> + Send + 'static + use<K, T, Args> {
        let this = self.clone();
        async move {
            require_time();
            let key = this.want(key);
            let args = Shared::new(((*key.key).clone(), args));
            loop {
                let starts = match this.get_or_create(&key, &args)? {
                    Next::Have(handle) => return Ok(handle),
                    Next::Starts(starts) => starts,
                    // The wait is notified of the end itself. Inside that very instance it would wait forever, and
                    // returns an error.
                    Next::Wait(cell) => {
                        if Terminated::of(cell).await.is_err() {
                            return Err(SpawnError::Exists { path: format!("{}/{}", this.path(), escaped(&key.text)) });
                        }
                        continue;
                    }
                };
                match Caller::new(this.clone(), &key, starts).wait().await {
                    // The instance or the whole set was stopped meanwhile. The next round finds out which, unless the
                    // arguments are gone with the instance.
                    Err(SpawnError::Stopping { .. }) if !args.are_gone() => {}
                    done => return done,
                }
            }
        }
    }

    fn get_or_create(&self, key: &Wanted<K>, args: &Shared<(K, Args)>) -> Result<Next<T::Handle>, SpawnError> {
        let _shelter = DeferDrops::new();
        let mut instance = None;
        loop {
            let (mut table, found) = self.living.find(key.hash, &*key.key);
            if let Some(place) = found {
                match Self::stands(table.at(place)) {
                    Stands::Up(handle) => return Ok(Next::Have(handle)),
                    Stands::Ending(cell) if cell.core().ended().is_none() => return Ok(Next::Wait(cell)),
                    Stands::Starting => {
                        let entry = table.at(place);
                        entry.callers += 1;
                        let (cell, handle) = (entry.cell.clone(), entry.handle.clone());
                        return Ok(Next::Starts(Starts { cell, handle }));
                    }
                    Stands::Ending(_) => {}
                }
            }
            match &mut instance {
                Some(instance) => return self.create((table, found), key, instance).map(Next::Starts),
                // An instance holds arguments, and must not be dropped under the lock: it is made before the lock is
                // taken.
                None => {
                    drop(table);
                    instance = Some(self.instance(key, args.giving(self.set.clones())));
                }
            }
        }
    }
}

/// The arguments of a spawn, for as many instances as it takes. The next one is made only after the last one has ended.
struct Shared<Args>(Arc<Lent<Option<Args>>>);

impl<Args: Send + 'static> Shared<Args> {
    fn new(args: Args) -> Self {
        Shared(Arc::new(Lent::new(Some(args))))
    }

    /// The arguments were moved into an instance that starts only once.
    fn are_gone(&self) -> bool {
        self.0.with(|args| args.is_none()).unwrap_or(true)
    }

    fn giving(&self, clones: Option<Clones<Args>>) -> impl FnMut() -> Option<Args> + Send + 'static + use<Args> {
        let args = self.0.clone();
        move || {
            args.with(|args| match clones {
                Some(again) => args.as_ref().map(again),
                None => args.take(),
            })?
        }
    }
}

/// A requested key.
struct Wanted<K> {
    key: Arc<K>,
    hash: u64,
    text: String,
}

enum Next<H> {
    Have(H),
    Starts(Starts<H>),
    Wait(Arc<dyn AnyCell>),
}

/// An instance that is starting.
struct Starts<H> {
    cell: Arc<dyn AnyCell>,
    handle: HandleSource<H>,
}

/// A caller that waits for a first start.
struct Caller<K: Key, T: Child, Args: Send + 'static> {
    keyed: Keyed<K, T, Args>,
    hash: u64,
    starts: Starts<T::Handle>,
    waiting: Waiting,
}

impl<K: Key, T: Child, Args: Send + 'static> Caller<K, T, Args> {
    fn new(keyed: Keyed<K, T, Args>, key: &Wanted<K>, starts: Starts<T::Handle>) -> Self {
        Caller { keyed, hash: key.hash, starts, waiting: Waiting::default() }
    }

    async fn wait(mut self) -> Result<T::Handle, SpawnError> {
        let up = poll_fn(|cx| self.starts.cell.core().poll_up(&mut self.waiting, cx.waker())).await;
        started(&*self.starts.cell, up)?;
        self.starts.handle.get().ok_or_else(|| SpawnError::Stopping { path: self.keyed.path() })
    }
}

impl<K: Key, T: Child, Args: Send + 'static> Drop for Caller<K, T, Args> {
    fn drop(&mut self) {
        let core = self.starts.cell.core();
        core.leave(&mut self.waiting);
        let mut table = self.keyed.living.lock();
        let Some(entry) = table.entry_of(self.hash, core.id) else { return };
        entry.callers -= 1;
        entry.unwanted = entry.callers == 0 && !core.is_up();
        let unwanted = entry.unwanted;
        drop(table);
        if unwanted {
            send(&*self.starts.cell, SystemMessage::Stop);
        }
    }
}

macro_rules! spawns {
    ($(($($arg:ident: $ty:ident),*))*) => {$(
        impl<K: Key, T: Child, $($ty: Send + 'static),*> Keyed<K, T, ($($ty,)*)> {
            /// Spawns the instance of this key and waits until it is up. Waits while the set itself is not up.
            ///
            /// # Errors
            ///
            /// Returns `Exists` while an instance of this key lives or is stopping, and
            /// [`EmptyName`](SpawnError::EmptyName) if the key has an empty text; otherwise the errors of a spawn
            /// without a key. The arguments of a refused spawn are dropped.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before it is ready, the instance is stopped, unless another caller waits for it
            /// too.
            ///
            /// # Panics
            ///
            /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`).
            #[allow(clippy::too_many_arguments)]
            pub fn spawn(&self, key: K, $($arg: $ty),*)
                -> impl Future<Output = Result<T::Handle, KeyedError<T::Handle>>> + Send + 'static + use<K, T, $($ty),*>
            {
                self.spawn_with(key, ($($arg,)*))
            }

            /// Returns the instance of this key, and spawns it if there is none: once, however many callers ask. If the
            /// instance is stopping, or is stopped while it starts, the call waits for its end and spawns the next one.
            ///
            /// # Errors
            ///
            /// Returns the errors of a spawn without a key; all callers that wait for the same start get the same
            /// failure. Returns `Stopping` if an instance of a `Temporary` set is stopped before it is up, since its
            /// arguments are gone with it.
            ///
            /// # Cancel safety
            ///
            /// If the future is dropped before it is ready, the instance is stopped, unless another caller waits for it
            /// too.
            ///
            /// # Panics
            ///
            /// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`).
            #[allow(clippy::too_many_arguments)]
            pub fn get_or_spawn(&self, key: K, $($arg: $ty),*)
                -> impl Future<Output = Result<T::Handle, SpawnError>> + Send + 'static + use<K, T, $($ty),*>
            {
                self.get_or_spawn_with(key, ($($arg,)*))
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
