//! The instances of a keyed set, indexed by key.
//!
//! `Hash`, `Eq`, `Borrow`, `Clone` and `Drop` of a key are user code, which may call methods of the same set. So none
//! of them may run under the lock of the table. A key is hashed before the lock is taken, and the table maps a hash to
//! the entries that share it. To find a key, the lookup takes an entry with the same hash out of the lock, where an
//! `Arc` keeps its key alive, and compares the two keys there. Then it looks at the table again. An entry that was
//! found equal and is still in the table is the result. If every entry of the hash was found to differ, the key is not
//! in the table. Only an entry that was added meanwhile is left to compare. So another round is needed only if another
//! thread made progress, and the lookup cannot loop forever. The number of an entry is that of its cell, so that an
//! entry that was compared is not confused with a later one in the same position.
//!
//! A decision under the lock is based on the table alone, so it holds as long as the lock is held. A key whose `Eq`
//! gives different answers at different times gets one of them.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hash, Hasher, RandomState};

use tokio::sync::Semaphore;

use crate::engine::cell::control::AnyCell;
use crate::tree::child::HandleSource;
use supervise_core::base::sync::{Arc, Mutex, MutexGuard, Rank, foreign, lock};

pub(super) struct Living<K, H> {
    hashes: RandomState,
    table: Mutex<Table<K, H>>,
}

/// The entries of each hash: nearly always one.
pub(super) struct Table<K, H> {
    entries: HashMap<u64, Vec<Entry<K, H>>, BuildHasherDefault<Hashed>>,
    /// The successors, by the number of the instance that is being replaced.
    successors: HashMap<u64, Successor<K, H>>,
    /// The callers of `replace` that wait for others to begin, by the hash of the key.
    turns: HashMap<u64, Arc<Semaphore>>,
}

/// So many callers of `replace` watch an instance at a time, the others wait behind them. An end wakes the few that
/// watch. They are more than one, since a future may be alive and never polled again. Under the model checker, where
/// each future is polled or dropped and callers are few, one watches.
const WATCHERS: usize = if cfg!(shuttle) { 1 } else { 8 };

/// A caller of `replace`, among those of its hash.
pub(super) struct Turn<K, H> {
    living: Arc<Living<K, H>>,
    hash: u64,
    /// `None` only in the drop.
    places: Option<Arc<Semaphore>>,
}

impl<K, H> Turn<K, H> {
    /// Waits for a place among those that watch. The place is given back with the result.
    pub(super) async fn comes(&self) -> impl Sized + use<'_, K, H> {
        self.places.as_ref()?.acquire().await.ok() // never closed
    }
}

impl<K, H> Drop for Turn<K, H> {
    fn drop(&mut self) {
        let mut table = self.living.lock();
        self.places = None; // under the lock, so that the last of several sees that no other is left
        if table.turns.get(&self.hash).is_some_and(|places| Arc::strong_count(places) == 1) {
            table.turns.remove(&self.hash);
            if table.turns.is_empty() {
                table.turns = HashMap::new(); // frees the memory of a burst
            }
        }
    }
}

/// Puts the instance that replaces another one into its place, once that one has ended, and releases the lock. `false`:
/// the place is to be free instead, since somebody has asked for its end meanwhile.
pub(super) type Successor<K, H> = Box<dyn FnOnce(MutexGuard<'_, Table<K, H>>, Place, bool) + Send>;

pub(super) struct Entry<K, H> {
    pub(super) key: Arc<K>,
    pub(super) cell: Arc<AnyCell>,
    pub(super) handle: HandleSource<H>,
    /// The number of callers that wait for the first start. An instance from the declaration itself counts as one.
    pub(super) callers: usize,
    /// All callers have given up, so the instance is stopping. A new caller waits for its end.
    pub(super) unwanted: bool,
}

impl<K, H> Entry<K, H> {
    fn id(&self) -> u64 {
        self.cell.core().id
    }
}

/// The position of an entry, valid while the table is locked.
#[derive(Clone, Copy)]
pub(super) struct Place {
    hash: u64,
    at: usize,
}

impl<K, H> Table<K, H> {
    fn of(&self, hash: u64) -> &[Entry<K, H>] {
        self.entries.get(&hash).map_or(&[], |entries| entries)
    }

    pub(super) fn at(&mut self, place: Place) -> &mut Entry<K, H> {
        let entries = self.entries.get_mut(&place.hash).expect("found under the same lock");
        &mut entries[place.at]
    }

    pub(super) fn id_at(&self, place: Place) -> u64 {
        self.of(place.hash)[place.at].id()
    }

    /// Returns the entry of this cell, if there is one.
    pub(super) fn entry_of(&mut self, hash: u64, id: u64) -> Option<&mut Entry<K, H>> {
        self.entries.get_mut(&hash)?.iter_mut().find(|entry| entry.id() == id)
    }

    /// Returns the position of the entry of this cell.
    pub(super) fn place_of(&self, hash: u64, id: u64) -> Option<Place> {
        let at = self.of(hash).iter().position(|entry| entry.id() == id)?;
        Some(Place { hash, at })
    }

    /// Removes an entry, to be dropped after the lock.
    #[must_use]
    pub(super) fn remove(&mut self, Place { hash, at }: Place) -> Option<Entry<K, H>> {
        let entries = self.entries.get_mut(&hash)?;
        let gone = entries.swap_remove(at);
        if entries.is_empty() {
            self.entries.remove(&hash);
        }
        Some(gone)
    }

    /// Returns whether another instance is to replace this one.
    pub(super) fn is_replaced(&self, id: u64) -> bool {
        self.successors.contains_key(&id)
    }

    pub(super) fn replace_by(&mut self, id: u64, successor: Successor<K, H>) {
        self.successors.insert(id, successor);
    }

    pub(super) fn take_successor(&mut self, id: u64) -> Option<Successor<K, H>> {
        let successor = self.successors.remove(&id);
        if self.successors.is_empty() {
            self.successors = HashMap::new(); // frees the memory of a burst
        }
        successor
    }

    /// Returns the replaced entry, to be dropped after the lock.
    #[must_use]
    pub(super) fn put(&mut self, hash: u64, found: Option<Place>, entry: Entry<K, H>) -> Option<Entry<K, H>> {
        match found {
            Some(place) => Some(std::mem::replace(self.at(place), entry)),
            None => {
                match self.entries.get_mut(&hash) {
                    Some(entries) => entries.push(entry),
                    None => drop(self.entries.insert(hash, vec![entry])),
                }
                None
            }
        }
    }
}

impl<K, H> Living<K, H> {
    pub(super) fn new() -> Self {
        Living {
            hashes: RandomState::new(),
            table: Mutex::ranked(
                Rank::Keys,
                Table { entries: HashMap::default(), successors: HashMap::new(), turns: HashMap::new() },
            ),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Table<K, H>> {
        lock(&self.table)
    }

    /// Puts a caller of `replace` behind those that wait for this hash.
    pub(super) fn turn(self: &Arc<Self>, hash: u64) -> Turn<K, H> {
        let mut new = Some(Arc::new(Semaphore::new(WATCHERS))); // allocated before the lock is taken
        let mut table = self.lock();
        let places = table.turns.entry(hash).or_insert_with(|| new.take().expect("taken once")).clone();
        drop(table);
        Turn { living: self.clone(), hash, places: Some(places) }
    }

    /// Returns the numbers of the instances of this hash.
    pub(super) fn ids(&self, hash: u64) -> Vec<u64> {
        self.lock().of(hash).iter().map(Entry::id).collect()
    }

    pub(super) fn hash<Q: Hash + ?Sized>(&self, key: &Q) -> u64 {
        foreign();
        self.hashes.hash_one(key)
    }

    /// Returns the locked table, and the position of this key's entry in it.
    pub(super) fn find<Q>(&self, hash: u64, key: &Q) -> (MutexGuard<'_, Table<K, H>>, Option<Place>)
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let mut equal = None;
        let mut differ = Vec::new();
        loop {
            let table = self.lock();
            let entries = table.of(hash);
            if let Some(at) = entries.iter().position(|entry| Some(entry.id()) == equal) {
                return (table, Some(Place { hash, at }));
            }
            let Some(next) = entries.iter().find(|entry| !differ.contains(&entry.id())) else { return (table, None) };
            let (id, known) = (next.id(), next.key.clone());
            drop(table);
            if is(&*known, key) {
                equal = Some(id);
            } else {
                differ.push(id);
            }
        }
    }

    /// Returns the result of `look` on the entry of this key. `look` runs under the lock.
    pub(super) fn look<Q, R>(&self, key: &Q, look: impl Fn(&Entry<K, H>) -> R) -> Option<R>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = self.hash(key);
        let mut differ = Vec::new();
        loop {
            let table = self.lock();
            let next = table.of(hash).iter().find(|entry| !differ.contains(&entry.id()))?;
            let (id, known, seen) = (next.id(), next.key.clone(), look(next));
            drop(table);
            if is(&*known, key) {
                return Some(seen);
            }
            differ.push(id);
        }
    }

    /// Returns what `copy` takes from each entry, under the lock: oldest first, so that a run can be repeated (S34).
    pub(super) fn all<R>(&self, copy: impl Fn(&Entry<K, H>) -> R) -> Vec<R> {
        let mut all: Vec<(u64, R)> =
            self.lock().entries.values().flatten().map(|entry| (entry.id(), copy(entry))).collect();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.into_iter().map(|(_, copied)| copied).collect()
    }
}

/// Compares two keys. Runs user code.
fn is<K: Borrow<Q>, Q: Eq + ?Sized>(known: &K, key: &Q) -> bool {
    foreign();
    known.borrow() == key
}

/// A hasher for keys that are already hashes.
#[derive(Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
