//! The handle of a `[Key => T]`: a set whose instances are found by key (rule S27).
//!
//! Invariants:
//! 1. An entry is in the map from the moment its instance is added until that instance has ended.
//! 2. A start belongs to everyone who waits for it: the last caller to give up stops the instance.

use std::borrow::Borrow;
use std::fmt::{self, Display};
use std::future::poll_fn;
use std::hash::Hash;

use tokio::sync::oneshot;

use super::future::{Detached, GetOrSpawn, Spawn};
use super::living::{Entry, Living, Place, Successor, Table};
use super::{Children, Clones, Instance, Placed, not_begun};
use crate::actor::child_ref::{AnyRef, InstanceSet, Sealed};
use crate::actor::context::started;
use crate::actor::waits::Terminated;
use crate::engine::cell::control::{AnyCell, SystemMessage, Waiting, send};
use crate::engine::cell::current;
use crate::engine::supervisor::AfterLock;
use crate::tree::child::{Child, HandleSource, Launched};
use crate::tree::kept::ATree;
use crate::tree::tree_ref::TreeRef;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::{DeferDrops, drop_catching_panics, shielded};
use supervise_core::base::lent::Lent;
use supervise_core::base::sync::{Arc, MutexGuard};
use supervise_core::values::ended::Ended;
use supervise_core::values::path::escaped;
use supervise_core::values::place::Name;
use supervise_core::values::spawn_error::SpawnError;

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

/// The key of a `[Key => T]`, checked where it is declared.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{K}` cannot be the key of a `[Key => T]`",
    label = "needs `Eq + Hash + Clone + Display + Send + Sync + 'static`",
    note = "instances are found by it, and it is the last part of their path"
)]
pub trait CanBeAKey<K> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<K: Key> CanBeAKey<K> for ATree {
    const IS: bool = true;
}

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
    living: Arc<dyn HasLiving<K, T>>,
}

/// The instances of a set, without the type of their handles, so that a set is `Send` for every `T` (see `HasCell`).
trait HasLiving<K, T>: Send + Sync {
    fn living(self: Arc<Self>) -> Arc<Living<K, T::Handle>>
    where
        T: Child;
}

impl<K: Key, T: Child> HasLiving<K, T> for Living<K, T::Handle> {
    fn living(self: Arc<Self>) -> Arc<Living<K, T::Handle>> {
        self
    }
}

/// The state of a key's instance.
enum KeyState<H> {
    Up(H),
    Starting,
    /// The instance has ended, or is stopping.
    Ending(Arc<AnyCell>),
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
    /// A [`replace`](Keyed::replace) has ended the old instance, and the new one did not come up. The key is free.
    #[error("{path} has ended, and the instance to replace it did not start, so the key is free: {error}")]
    NotReplaced {
        /// The path of the instance.
        path: String,
        /// Why the new instance did not start.
        error: SpawnError,
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

impl<K, T: Child, Args> Sealed for Keyed<K, T, Args> {}

impl<K, T: Child, Args> InstanceSet for Keyed<K, T, Args> {
    fn set(&self) -> (AnyRef, bool) {
        (AnyRef::of(self.set.cell.clone()), true)
    }
}

impl<K, T: Child, Args> fmt::Debug for Keyed<K, T, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keyed({})", self.set.cell.core().path())
    }
}

impl<K: Key, T: Child, Args: Send + 'static> Keyed<K, T, Args> {
    pub(crate) fn new(set: Children<T, (K, Args)>) -> Self {
        Keyed { set, living: Arc::new(Living::<K, T::Handle>::new()) }
    }

    fn living(&self) -> Arc<Living<K, T::Handle>> {
        self.living.clone().living()
    }

    /// Returns the instance of this key, if one is up.
    ///
    /// An instance that was asked to stop is found until it has ended. The handle stays the same over a restart.
    pub fn get<Q>(&self, key: &Q) -> Option<T::Handle>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let (cell, handle) = self.living().look(key, |entry| (entry.cell.clone(), entry.handle.clone()))?;
        if cell.core().is_up() { handle.get() } else { None }
    }

    /// Asks the instance of this key to stop, and returns immediately; `false` if there is no instance.
    pub fn stop<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let cell = self.living().look(key, |entry| entry.cell.clone());
        if let Some(cell) = &cell {
            send(&**cell, SystemMessage::Stop);
        }
        cell.is_some()
    }

    /// Returns the keys that are in use, in the order in which they were spawned.
    pub fn keys(&self) -> Vec<K> {
        self.living().all(|entry| entry.key.clone()).iter().map(|key| (**key).clone()).collect()
    }

    /// Returns all instances that are up, or down for a restart, each with its key, in the order in which they were
    /// spawned.
    ///
    /// An instance whose first start is still in progress is not among them.
    #[doc(alias("list", "children", "iter", "values"))]
    pub fn handles(&self) -> Vec<(K, T::Handle)> {
        let all = self.living().all(|entry| (entry.key.clone(), entry.cell.clone(), entry.handle.clone()));
        let up = all.into_iter().filter(|(_, cell, _)| cell.core().is_up());
        up.filter_map(|(key, _, handle)| Some(((*key).clone(), handle.get()?))).collect()
    }

    /// Requests a stop of every instance that lives now, and returns immediately. The set stays usable: instances that
    /// are spawned from now on are not affected.
    ///
    /// A key is free once its instance has ended; a `get_or_spawn` in progress then starts another one, unless the set
    /// is `Temporary`. A restart of the set starts the instances of `initial` again all the same (S27). `tree().stop()`
    /// ends the set itself.
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

    fn stands(known: &mut Table<K, T::Handle>, place: Place) -> KeyState<T::Handle> {
        let replaced = known.is_replaced(known.id_at(place));
        let entry = known.at(place);
        let core = entry.cell.core();
        let table = core.parent.as_ref().and_then(|parent| parent.core().table());
        if replaced || entry.unwanted || table.is_none_or(|table| table.is_ending(&*entry.cell)) {
            return KeyState::Ending(entry.cell.clone());
        }
        match entry.handle.get() {
            Some(handle) if core.is_up() => KeyState::Up(handle),
            _ => KeyState::Starting,
        }
    }

    /// Adds a new instance, with one caller that waits for it. Releases the lock of the table.
    fn create<G>(
        &self,
        (mut table, found): (MutexGuard<'_, Table<K, T::Handle>>, Option<Place>),
        key: &Wanted<K>,
        instance: &mut Instance<T, (K, Args), G>,
    ) -> Result<Starts<T::Handle>, SpawnError>
    where
        G: FnMut() -> Option<(K, Args)> + Send + 'static,
    {
        if key.text.is_empty() {
            drop(table);
            return Err(SpawnError::EmptyName { path: self.path() });
        }
        let (launched, after_lock) = match self.set.place(instance, None) {
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
        if let Some(before) = before {
            // The instance has ended, and its key is taken before it was free.
            if let Some(ended) = before.cell.core().ended() {
                tell_each(&*before.cell, before.key.clone(), &ended);
            }
            drop_catching_panics(before);
        }
        Ok(self.begin_placed(key.hash, launched, after_lock))
    }

    /// Begins an instance that is in the table. To be called without the lock.
    fn begin_placed(&self, hash: u64, launched: Launched<T::Handle>, after_lock: AfterLock<'_>) -> Starts<T::Handle> {
        self.free_at_end(hash, &*launched.cell);
        after_lock.done();
        let Placed { cell, handle } = launched.begin();
        Starts { cell, handle }
    }

    /// Frees the key once the instance has ended. To be called without the lock, since the instance may already have
    /// ended.
    fn free_at_end(&self, hash: u64, cell: &AnyCell) {
        let (id, living) = (cell.core().id, Arc::downgrade(&self.living()));
        let free = move |ended: &Ended| {
            if let Some(living) = living.upgrade() {
                free(&living, hash, id, ended);
            }
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
        let living = self.living();
        let mut instance = self.instance(key, self.set.giving(((*key.key).clone(), args)))?;
        let (mut table, found) = living.find(key.hash, &*key.key);
        match found.map(|place| Self::stands(&mut table, place)) {
            Some(KeyState::Up(_) | KeyState::Starting) => Ok(()), // `initial` has this key twice
            Some(KeyState::Ending(_)) | None => self.create((table, found), key, &mut instance).map(drop),
        }
    }

    /// Runs all user code of a key in one place: hashes, formats and shares it.
    fn want(&self, key: K) -> Wanted<K> {
        Wanted { hash: self.living().hash(&key), text: key.to_string(), key: Arc::new(key) }
    }

    fn path_of(&self, key: &Wanted<K>) -> String {
        format!("{}/{}", self.path(), escaped(&key.text))
    }

    fn instance<G>(&self, key: &Wanted<K>, give: G) -> Result<Instance<T, (K, Args), G>, SpawnError>
    where
        G: FnMut() -> Option<(K, Args)> + Send + 'static,
    {
        self.set.instance(Some(Name::from(&*key.text)), give)
    }

    fn spawn_with(&self, key: K, args: Args) -> Spawn<Result<T::Handle, KeyedError<T::Handle>>> {
        let this = self.clone();
        Spawn::new(|detached| async move {
            let key = this.want(key);
            let created = this.spawn_new(&key, args)?;
            Ok(Caller::new(this, &key, created, detached).wait().await?)
        })
    }

    fn spawn_new(&self, key: &Wanted<K>, args: Args) -> Result<Starts<T::Handle>, KeyedError<T::Handle>> {
        let _shelter = DeferDrops::new();
        let living = self.living();
        let mut instance = self.instance(key, self.set.giving(((*key.key).clone(), args)))?;
        let (mut table, found) = living.find(key.hash, &*key.key);
        let exists = match found.map(|place| (Self::stands(&mut table, place), place)) {
            None => None,
            Some((KeyState::Ending(cell), _))
                if cell.core().ended().is_some() && !table.is_replaced(cell.core().id) =>
            {
                None
            }
            Some((KeyState::Up(handle), _)) => Some(Some(handle)),
            Some((KeyState::Starting, _)) => Some(None),
            Some((KeyState::Ending(cell), place)) => {
                Some(if cell.core().is_up() { table.at(place).handle.get() } else { None })
            }
        };
        match exists {
            None => Ok(self.create((table, found), key, &mut instance)?),
            Some(handle) => {
                drop(table);
                Err(KeyedError::Exists { path: self.path_of(key), handle })
            }
        }
    }

    fn get_or_spawn_with(&self, key: K, args: Args) -> GetOrSpawn<T::Handle> {
        let this = self.clone();
        GetOrSpawn::new(|detached| async move {
            let key = this.want(key);
            let args = Shared::new(((*key.key).clone(), args));
            loop {
                let (starts, made) = match this.get_or_create(&key, &args)? {
                    Next::Have(handle) => return Ok((handle, false)),
                    Next::Starts(starts, made) => (starts, made),
                    // `is_over` waits for the end of the instance. A caller inside of this very instance would wait
                    // forever, and gets an error.
                    Next::Wait(cell) => {
                        if !is_over(cell).await {
                            return Err(SpawnError::Exists { path: this.path_of(&key) });
                        }
                        continue;
                    }
                };
                match Caller::new(this.clone(), &key, starts, detached.clone()).wait().await {
                    // The instance or the whole set was stopped meanwhile. The next round finds out which, unless the
                    // arguments are gone with the instance.
                    Err(SpawnError::Stopping { .. }) if !args.are_gone() && !this.set.waits_for_caller() => {}
                    done => return done.map(|handle| (handle, made)),
                }
            }
        })
    }

    fn get_or_create(&self, key: &Wanted<K>, args: &Shared<(K, Args)>) -> Result<Next<T::Handle>, SpawnError> {
        let _shelter = DeferDrops::new();
        let living = self.living();
        let mut instance = None;
        loop {
            let (mut table, found) = living.find(key.hash, &*key.key);
            if let Some(place) = found {
                match Self::stands(&mut table, place) {
                    KeyState::Up(handle) => return Ok(Next::Have(handle)),
                    KeyState::Ending(cell) => match cell.core().ended() {
                        None => return Ok(Next::Wait(cell)),
                        Some(ended) if table.is_replaced(cell.core().id) => {
                            drop(table);
                            free(&living, key.hash, cell.core().id, &ended); // not left to its own task
                            continue;
                        }
                        Some(_) => {}
                    },
                    KeyState::Starting => {
                        let entry = table.at(place);
                        entry.callers += 1;
                        let (cell, handle) = (entry.cell.clone(), entry.handle.clone());
                        return Ok(Next::Starts(Starts { cell, handle }, false));
                    }
                }
            }
            match &mut instance {
                Some(instance) => {
                    let starts = self.create((table, found), key, instance)?;
                    return Ok(Next::Starts(starts, true));
                }
                // An instance holds arguments, and must not be dropped under the lock: it is made before the lock is
                // taken.
                None => {
                    drop(table);
                    instance = Some(self.instance(key, args.giving(self.set.clones()))?);
                }
            }
        }
    }

    // ----- replace

    fn replace_with(&self, key: K, args: Args) -> BoxFuture<'static, Result<T::Handle, KeyedError<T::Handle>>> {
        let this = self.clone();
        Box::pin(async move {
            let key = this.want(key);
            let exists = |handle| KeyedError::Exists { path: this.path_of(&key), handle };
            let args = Shared::new(((*key.key).clone(), args));
            let set = &this.set;
            let queue = this.living().turn(key.hash);
            // A caller inside of the instance fails at once: the callers before it wait for the end of that instance.
            let is_inside = this.living().ids(key.hash).into_iter().any(current::is_inside);
            let turn = if is_inside { None } else { Some(set.unless_caller_goes(queue.comes()).await?) };
            loop {
                match this.begin_replace(&key, &args)? {
                    Replacing::Made(starts) => {
                        drop(turn);
                        return Ok(Caller::new(this.clone(), &key, starts, Detached::default()).wait().await?);
                    }
                    Replacing::Inside(handle) => return Err(exists(Some(handle))),
                    Replacing::Ending(cell) => {
                        if !is_over(cell).await {
                            return Err(exists(None));
                        }
                    }
                    Replacing::Starting(cell) => {
                        if current::is_inside(cell.core().id) {
                            return Err(exists(None));
                        }
                        set.unless_caller_goes(Upcoming { cell, waiting: Waiting::default() }.wait()).await?.ok();
                    }
                    Replacing::Begun(begun) => {
                        drop(turn); // the replacement goes on, whether this future is polled or not
                        let not = |error| KeyedError::NotReplaced { path: this.path_of(&key), error };
                        let gone = || SpawnError::Stopped { path: this.path() };
                        let begun = set.unless_caller_goes(begun).await?;
                        let Starts { cell, handle } = begun.unwrap_or_else(|_| Err(gone())).map_err(not)?;
                        let up = Upcoming { cell: cell.clone(), waiting: Waiting::default() }.wait();
                        let up = set.unless_caller_goes(up).await?;
                        started(&*cell, up).map_err(not)?;
                        return handle.get().ok_or_else(|| not(SpawnError::Stopping { path: this.path() }));
                    }
                }
            }
        })
    }

    fn begin_replace(
        &self,
        key: &Wanted<K>,
        args: &Shared<(K, Args)>,
    ) -> Result<Replacing<T::Handle>, KeyedError<T::Handle>> {
        let _shelter = DeferDrops::new();
        let living = self.living();
        let mut instance = None;
        loop {
            let (mut table, found) = living.find(key.hash, &*key.key);
            let old = match found.map(|place| (Self::stands(&mut table, place), place)) {
                None => None,
                Some((KeyState::Ending(cell), _)) => match cell.core().ended() {
                    None => return Ok(Replacing::Ending(cell)),
                    Some(ended) if table.is_replaced(cell.core().id) => {
                        drop(table);
                        free(&living, key.hash, cell.core().id, &ended); // not left to its own task
                        continue;
                    }
                    Some(_) => None,
                },
                Some((KeyState::Starting, place)) => return Ok(Replacing::Starting(table.at(place).cell.clone())),
                Some((KeyState::Up(handle), place)) => Some((table.at(place).cell.clone(), handle)),
            };
            // An instance holds arguments, and must not be made or dropped under the lock.
            let Some(new) = instance.take() else {
                drop(table);
                if let Some((cell, handle)) = old
                    && current::is_inside(cell.core().id)
                {
                    return Ok(Replacing::Inside(handle));
                }
                instance = Some(self.instance(key, args.giving(self.set.clones()))?);
                continue;
            };
            let mut new = new;
            let Some((cell, _)) = old else {
                return Ok(Replacing::Made(self.create((table, found), key, &mut new)?));
            };
            let id = cell.core().id;
            let (sender, begun) = oneshot::channel();
            table.replace_by(id, self.successor(key, id, new, sender));
            if let Some(set) = self.set.cell.core().table() {
                set.hold(&*cell);
            }
            drop(table);
            send(&*cell, SystemMessage::Replace);
            return Ok(Replacing::Begun(begun));
        }
    }

    /// Makes what follows the end of the instance with this number. It belongs to that end, and not to a caller.
    fn successor<G>(
        &self,
        key: &Wanted<K>,
        id: u64,
        mut instance: Instance<T, (K, Args), G>,
        begun: oneshot::Sender<Result<Starts<T::Handle>, SpawnError>>,
    ) -> Successor<K, T::Handle>
    where
        G: FnMut() -> Option<(K, Args)> + Send + 'static,
    {
        let (keyed, key, hash) = (self.clone(), key.key.clone(), key.hash);
        Box::new(move |mut table, place, wanted| {
            if !wanted {
                let gone = table.remove(place);
                drop(table);
                drop_catching_panics((gone, instance, key));
                if let Some(set) = keyed.set.cell.core().table() {
                    set.release(&*keyed.set.cell, id);
                }
                let refused = Err(SpawnError::Stopping { path: keyed.path() });
                shielded(|| begun.send(refused)); // the caller may have been dropped
                return;
            }
            let placed = keyed.set.place(&mut instance, Some(id));
            let outcome = match placed {
                Ok((launched, after_lock)) => {
                    let (cell, handle) = (launched.cell.clone(), launched.handle.clone());
                    // The one caller that is counted here never gives up, so the replacement is carried through.
                    let before = table.put(hash, Some(place), Entry { key, cell, handle, callers: 1, unwanted: false });
                    drop(table);
                    drop_catching_panics(before);
                    Ok(keyed.begin_placed(hash, launched, after_lock))
                }
                Err(refused) => {
                    let gone = table.remove(place);
                    drop(table);
                    drop_catching_panics(gone);
                    let error = keyed.set.refused(refused, &instance);
                    drop_catching_panics((instance, key));
                    Err(error)
                }
            };
            shielded(|| begun.send(outcome)); // the caller may have been dropped
        })
    }
}

/// Frees the key of an instance that has ended, or gives it to the one that replaces it, and notifies those that watch
/// the set. Called by the end of the instance, or by a caller that finds it ended; only the first call has an effect.
fn free<K: Key, H>(living: &Living<K, H>, hash: u64, id: u64, ended: &Ended) {
    let mut table = living.lock();
    let Some(place) = table.place_of(hash, id) else { return };
    let entry = table.at(place);
    let (cell, key) = (entry.cell.clone(), entry.key.clone());
    match table.take_successor(id) {
        // Without its runtime nothing can start.
        Some(successor) if !matches!(ended, Ended::RuntimeGone) => {
            successor(table, place, !cell.core().was_asked_to_stop());
        }
        successor => {
            let gone = table.remove(place);
            drop(table);
            // The `Drop` of a key is user code, and a panic in it must not keep the end from other watchers.
            drop_catching_panics((gone, successor));
        }
    }
    tell_each(&*cell, key.clone(), ended);
    drop_catching_panics(key);
}

/// Notifies those that watch each instance of the set.
fn tell_each<K: Key>(instance: &AnyCell, key: Arc<K>, ended: &Ended) {
    let core = instance.core();
    if let Some(set) = core.parent.as_ref().and_then(|parent| parent.core().table()) {
        set.tell_each(core, Some(key), ended);
    }
}

/// Waits for the end of an instance that is about to end, or until it goes on: a failure, such as a lost node, takes an
/// end by itself back. `false`: the caller is part of the instance.
async fn is_over(cell: Arc<AnyCell>) -> bool {
    let ends = || {
        let set = cell.core().parent.as_ref().and_then(|parent| parent.core().table());
        set.is_none_or(|set| set.is_ending(&*cell))
    };
    let ended = Terminated::of(cell.clone());
    // An instance that is being replaced, or for which nobody waits, gets a request to stop: wait for its end.
    if !ends() {
        return ended.await.is_ok();
    }
    tokio::select! {
        biased;
        ended = ended => ended.is_ok(),
        () = cell.core().bus.changed.until(|| (!ends()).then_some(())) => true,
    }
}

/// The next step of a `replace`.
enum Replacing<H> {
    /// There was no such key: a spawn.
    Made(Starts<H>),
    /// The old instance was asked to stop. The rest follows its end.
    Begun(oneshot::Receiver<Result<Starts<H>, SpawnError>>),
    /// The instance has to end first.
    Ending(Arc<AnyCell>),
    /// The instance has to be up first.
    Starting(Arc<AnyCell>),
    /// The caller is part of the instance.
    Inside(H),
}

/// The wait for a first start, which may be dropped.
struct Upcoming {
    cell: Arc<AnyCell>,
    waiting: Waiting,
}

impl Upcoming {
    async fn wait(mut self) -> Result<(), Ended> {
        poll_fn(|cx| self.cell.core().poll_up(&mut self.waiting, cx.waker())).await
    }
}

impl Drop for Upcoming {
    fn drop(&mut self) {
        self.cell.core().leave(&mut self.waiting);
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
    /// The instance starts; `true` if this call has started it.
    Starts(Starts<H>, bool),
    Wait(Arc<AnyCell>),
}

/// An instance that is starting.
struct Starts<H> {
    cell: Arc<AnyCell>,
    handle: HandleSource<H>,
}

/// A caller that waits for a first start.
struct Caller<K: Key, T: Child, Args: Send + 'static> {
    keyed: Keyed<K, T, Args>,
    hash: u64,
    starts: Starts<T::Handle>,
    waiting: Waiting,
    detached: Detached,
}

impl<K: Key, T: Child, Args: Send + 'static> Caller<K, T, Args> {
    fn new(keyed: Keyed<K, T, Args>, key: &Wanted<K>, starts: Starts<T::Handle>, detached: Detached) -> Self {
        Caller { keyed, hash: key.hash, starts, waiting: Waiting::default(), detached }
    }

    async fn wait(mut self) -> Result<T::Handle, SpawnError> {
        let up = poll_fn(|cx| self.starts.cell.core().poll_up(&mut self.waiting, cx.waker()));
        let up = self.keyed.set.unless_caller_goes(up).await?;
        started(&*self.starts.cell, up)?;
        self.starts.handle.get().ok_or_else(|| SpawnError::Stopping { path: self.keyed.path() })
    }
}

impl<K: Key, T: Child, Args: Send + 'static> Drop for Caller<K, T, Args> {
    fn drop(&mut self) {
        let core = self.starts.cell.core();
        core.leave(&mut self.waiting);
        if self.detached.is_set() {
            return; // the detached caller still counts, so the start is not given up
        }
        let living = self.keyed.living();
        let mut table = living.lock();
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
            /// Spawns the instance of this key and waits until it is up. Waits while the set itself is not up, unless it
            /// can come up only after the caller is down: then it fails with `Stopping`. The
            /// instance runs on the tokio runtime of the set, wherever the spawn is awaited (rule S25).
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
            /// too, or the future is `detached()`.
            #[allow(clippy::too_many_arguments)]
            pub fn spawn(&self, key: K, $($arg: $ty),*)
                -> Spawn<Result<T::Handle, KeyedError<T::Handle>>>
            {
                self.spawn_with(key, ($($arg,)*))
            }

            /// Returns the instance of this key, and spawns it if there is none: once, however many callers ask. If the
            /// instance is stopping, or is stopped while it starts, the call waits for its end and spawns the next one.
            /// The instance runs on the tokio runtime of the set, wherever this is awaited, and does not depend on the
            /// runtime of another caller for which it was begun (rule S25).
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
            /// too, or the future is `detached()`.
            #[allow(clippy::too_many_arguments)]
            #[doc(alias("entry", "get_or_insert"))]
            pub fn get_or_spawn(&self, key: K, $($arg: $ty),*)
                -> GetOrSpawn<T::Handle>
            {
                self.get_or_spawn_with(key, ($($arg,)*))
            }

            /// Stops the instance of this key, waits for its end, starts another one under the key, and waits until
            /// that one is up. If there is no such key, this is a spawn. Both run on the tokio runtime of the set (rule
            /// S25).
            ///
            /// The key is in use all the while: [`get`](Keyed::get) returns the old instance until its end, and then
            /// `None`; [`spawn`](Keyed::spawn) fails with `Exists`; [`get_or_spawn`](Keyed::get_or_spawn) and a second
            /// `replace` wait their turn. Both count as one for `max_children`. An instance that is stopping, or in its
            /// first start, is waited for before this begins. The old instance goes down with
            /// [`StopReason::Replaced`](crate::StopReason::Replaced).
            ///
            /// # Errors
            ///
            /// Returns [`NotReplaced`](KeyedError::NotReplaced) if the old instance has ended and the new one does not
            /// come up: the key is free then. Inside of the instance that is to be replaced it returns `Exists` at
            /// once, and nothing has begun. Otherwise the errors of a spawn.
            ///
            /// # Cancel safety
            ///
            /// Once the old instance was asked to stop, the rest follows, also if this future is dropped. If there was
            /// none to stop, this is as for [`spawn`](Keyed::spawn).
            ///
            /// ```
            /// use supervise::prelude::*;
            ///
            /// struct Feed {
            ///     url: &'static str,
            /// }
            ///
            /// #[actor]
            /// impl Feed {
            ///     fn handle(&mut self, reply: Reply<&'static str>) {
            ///         reply.send(self.url);
            ///     }
            /// }
            ///
            /// supervisor! {
            ///     struct Reader {
            ///         feeds: [u32 => Feed] = |_number: u32, url: &'static str| Feed { url },
            ///     }
            /// }
            ///
            /// # #[tokio::main(flavor = "current_thread")]
            /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
            /// let reader = Reader::start().await?;
            /// let old = reader.feeds.spawn(1, "http://old").await?;
            /// let new = reader.feeds.replace(1, "http://new").await?;
            /// assert!(!old.is_alive());
            /// assert_eq!(new.ask(|reply| reply).await?, "http://new");
            /// # Ok(())
            /// # }
            /// ```
            #[allow(clippy::too_many_arguments)]
            pub fn replace(&self, key: K, $($arg: $ty),*)
                -> BoxFuture<'static, Result<T::Handle, KeyedError<T::Handle>>>
            {
                self.replace_with(key, ($($arg,)*))
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
