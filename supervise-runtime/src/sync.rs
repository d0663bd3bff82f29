//! What cells share is shared through these: the standard library's primitives, or those of a model
//! checker in the tests of interleavings, which compile this crate a second time (`verify/model`).
//!
//! # Locks
//!
//! A lock of the runtime guards a few fields for a few instructions. Under it run only moves of values, arithmetic, the
//! allocator, and the tables of `decide`, all of which are this crate's own and take no lock themselves. Foreign code
//! runs under none: no user code (closures, `Clone`, `Eq`, `Hash`, `Display`, `Drop`), no waker, no spawn, no event, no
//! span. It could come back and ask for the same lock, on the same thread, and would wait for itself; a runtime that
//! closes drops the future of a spawn there and then, with everything that future owns. The one thing of tokio's
//! that is asked under a lock is the time: its clock is a leaf, and calls nobody.
//!
//! How each kind of foreign code is kept out:
//!
//! * What is to be dropped is moved out, and dropped behind the lock. The last of an error, of which nobody knows where it
//!   goes, waits in a [`Shelter`](crate::last::Shelter).
//! * What is to be woken, told or dropped after an event of a group is gathered in
//!   [`Behind`](crate::supervisor::Behind) under the lock, and done behind it.
//! * A task is begun behind the lock under which its cell got its place ([`Unbegun`](crate::cell::Unbegun)).
//! * A value on which user code runs is taken out for as long as that runs ([`Lent`](crate::lent::Lent)).
//! * Keys are hashed and compared outside, and what was found is looked at again under the lock
//!   (`children/living.rs`).
//! * A waker is cloned in front of the lock and put in under it.
//!
//! The order: [`Rank`]. A thread takes a lock only if its rank is above that of each lock it holds, so never two of one
//! rank: no two threads can wait for each other.
//!
//! Both hold by construction in every debug build, so in every test: [`lock`] writes the rank down for its thread and looks
//! at the order, and [`foreign`], with which each way to foreign code begins, panics if anything is held.

use std::fmt;
use std::ops::{Deref, DerefMut};

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Arc, OnceLock, Weak, atomic},
    thread_local,
};

#[cfg(not(shuttle))]
use std::sync as imp;

#[cfg(shuttle)]
pub(crate) use {
    shuttle::{
        sync::{Arc, Weak, atomic},
        thread_local,
    },
    std::sync::OnceLock,
};

#[cfg(shuttle)]
use shuttle::sync as imp;

/// The order of locks: a thread that holds one takes only those of a greater rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// One child at a time changes its supervisor.
    Moves,
    /// The instances of a keyed set.
    Keys,
    /// A group and its table.
    Group,
    /// A queue of control, a mailbox, a life, and all that concerns one value: under it nothing more is taken.
    Leaf,
}

/// A lock of the runtime; see above for what may run under it.
pub(crate) struct Mutex<T> {
    #[cfg(debug_assertions)]
    rank: Rank,
    inner: imp::Mutex<T>,
}

impl<T> Mutex<T> {
    /// Under it no other lock is taken.
    #[cfg(not(shuttle))]
    pub(crate) const fn new(value: T) -> Self {
        Self::ranked(Rank::Leaf, value)
    }

    #[cfg(not(shuttle))]
    pub(crate) const fn ranked(rank: Rank, value: T) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Mutex {
            #[cfg(debug_assertions)]
            rank,
            inner: imp::Mutex::new(value),
        }
    }

    #[cfg(shuttle)]
    pub(crate) fn new(value: T) -> Self {
        Self::ranked(Rank::Leaf, value)
    }

    #[cfg(shuttle)]
    pub(crate) fn ranked(rank: Rank, value: T) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Mutex {
            #[cfg(debug_assertions)]
            rank,
            inner: imp::Mutex::new(value),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

pub(crate) struct MutexGuard<'a, T> {
    guard: imp::MutexGuard<'a, T>,
    #[cfg(debug_assertions)]
    held: held::Held,
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[inline]
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(debug_assertions)]
    let held = held::Held::take(mutex.rank);
    MutexGuard {
        // No foreign code runs under a lock, so a poisoned one guards nothing torn.
        guard: mutex.inner.lock().unwrap_or_else(imp::PoisonError::into_inner),
        #[cfg(debug_assertions)]
        held,
    }
}

/// Where threads wait for a value that is out of its lock.
#[derive(Default)]
pub(crate) struct Condvar(imp::Condvar);

impl Condvar {
    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            guard: self.0.wait(guard.guard).unwrap_or_else(imp::PoisonError::into_inner),
            #[cfg(debug_assertions)]
            held: guard.held,
        }
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }
}

/// Foreign code comes next: a user's, tokio's, that of a subscriber to `tracing`. In a debug build this panics if the thread
/// holds a lock of the runtime.
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn foreign() {
    #[cfg(debug_assertions)]
    held::none();
}

/// Which locks this thread holds: a bit for each rank.
#[cfg(debug_assertions)]
mod held {
    use std::cell::Cell;

    use super::Rank;

    super::thread_local! {
        static HELD: Cell<u8> = const { Cell::new(0) };
    }

    fn held() -> u8 {
        HELD.try_with(Cell::get).unwrap_or(0)
    }

    fn set(held: u8) {
        let _ = HELD.try_with(|now| now.set(held));
    }

    pub(super) struct Held(Rank);

    impl Held {
        #[track_caller]
        pub(super) fn take(rank: Rank) -> Self {
            let before = held();
            if before >> rank as u8 != 0 {
                broken(
                    &format_args!("a lock of rank {rank:?} is taken under one of the same or a greater rank"),
                    before,
                );
            }
            set(before | 1 << rank as u8);
            Held(rank)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            set(held() & !(1 << self.0 as u8));
        }
    }

    #[track_caller]
    pub(super) fn none() {
        let held = held();
        if held != 0 {
            broken(&"foreign code runs under a lock of the runtime", held);
        }
    }

    /// Said at once, since a handler may be what it happens in, whose panics are decided on.
    #[cold]
    #[track_caller]
    fn broken(what: &dyn std::fmt::Display, held: u8) {
        if !std::thread::panicking() {
            let at = std::panic::Location::caller();
            let text = format!("{what} (held: {held:#06b}, at {at})");
            crate::loud::bug(&text);
            panic!("{text}");
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "foreign code runs under a lock"]
    fn foreign_code_under_a_lock_is_noticed() {
        let one = Mutex::new(1);
        drop(lock(&one));
        foreign();
        let _held = lock(&one);
        foreign();
    }

    #[test]
    #[should_panic = "a lock of rank Group is taken under one of the same or a greater rank"]
    fn two_groups_are_never_locked_at_once() {
        let (one, two) = (Mutex::ranked(Rank::Group, 1), Mutex::ranked(Rank::Group, 2));
        let _one = lock(&one);
        let _two = lock(&two);
    }

    #[test]
    fn locks_are_taken_in_the_order_of_their_ranks() {
        let (group, leaf) = (Mutex::ranked(Rank::Group, 1), Mutex::new(2));
        let outer = lock(&group);
        let inner = lock(&leaf);
        drop(outer); // in whatever order they are let go
        drop(inner);
        foreign();
        drop(lock(&leaf));
        drop(lock(&group));
    }
}
