//! The synchronisation primitives of this crate: those of the standard library, or in the tests of interleavings those
//! of a model checker. These tests compile this crate a second time (`verify/model`).
//!
//! # Locks
//!
//! A lock of the runtime guards a few fields for a few instructions. The code under a lock only moves values,
//! calculates, allocates, and calls the tables of `decide`, which belong to this crate and take no lock. No foreign
//! code runs under a lock: no user code (closures, `Clone`, `Eq`, `Hash`, `Display`, `Drop`), no waker, no spawn, no
//! event, no span. Foreign code could ask for the same lock on the same thread, and would wait for itself. (A runtime
//! that closes drops the future of a spawn immediately, with everything that the future owns.) The only call to tokio
//! under a lock asks for the time, since its clock calls no other code.
//!
//! Each kind of foreign code is kept out in its own way:
//!
//! * A value to be dropped is moved out, and dropped after the lock. The last reference to an error, which may be
//!   dropped anywhere, waits in a [`DeferDrops`](crate::base::deferred_drop::DeferDrops).
//! * The wake-ups, notices and drops that follow from an event of a group are collected in the runtime's `AfterLock`
//!   under the lock, and carried out after it.
//! * The task of a child begins after the lock under which its cell was added (`Unbegun` in the runtime).
//! * A value on which user code runs is taken out while that code runs ([`Lent`](crate::base::lent::Lent)).
//! * Keys are hashed and compared outside of the lock, and the result is checked again under it
//!   (`tree/children/living.rs` in the runtime).
//! * A waker is cloned before the lock is taken, and stored under it.
//!
//! Both kinds of locks are short in this sense. A [`Mutex`] is a spin lock whose waiters soon sleep (`short`). It is
//! taken with one atomic read-modify-write and given back with a plain store; the lock of the standard library costs a
//! second one, and checks for poison at both ends. A [`Monitor`] is a lock of the standard library: its threads wait for
//! a value on which user code runs elsewhere, which may take long.
//!
//! The order of locks is [`Rank`]. A thread takes a lock only if its rank is greater than that of every lock it holds,
//! so never two of the same rank. Therefore no two threads can wait for each other.
//!
//! Both rules are checked in every debug build, and so in every test: taking a lock records its rank for the thread and
//! checks the order, and [`foreign`], which is called before all foreign code, panics if the thread holds a lock.

use std::fmt;
use std::ops::{Deref, DerefMut};

#[cfg(not(shuttle))]
pub use std::{
    sync::{Arc, OnceLock, Weak, atomic},
    thread_local,
};

#[cfg(not(shuttle))]
use std::sync as imp;

#[cfg(not(shuttle))]
mod short;

#[cfg(shuttle)]
pub use {
    shuttle::{
        sync::{Arc, Weak, atomic},
        thread_local,
    },
    std::sync::OnceLock,
};

#[cfg(shuttle)]
use shuttle::sync as imp;

/// The model checker has one kind of lock.
#[cfg(shuttle)]
mod short {
    pub(super) use shuttle::sync::{Mutex, MutexGuard, PoisonError};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The order of locks: a thread that holds one takes only locks of a greater rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Held while a child moves to another supervisor: one child at a time.
    Moves,
    /// The instances of a keyed set.
    Keys,
    /// A group and its table.
    Group,
    /// A control queue, a mailbox, a life, and every lock of a single value.
    Leaf,
    /// The waits of all asks: changed under the lock of a reply.
    Asks,
}

/// A lock of the runtime; see the module for what may run under it.
pub struct Mutex<T> {
    #[cfg(debug_assertions)]
    rank: Rank,
    inner: short::Mutex<T>,
}

impl<T> Mutex<T> {
    /// Makes a lock under which no other lock is taken.
    #[cfg(not(shuttle))]
    pub const fn new(value: T) -> Self {
        Self::ranked(Rank::Leaf, value)
    }

    #[cfg(not(shuttle))]
    pub const fn ranked(rank: Rank, value: T) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Mutex {
            #[cfg(debug_assertions)]
            rank,
            inner: short::Mutex::new(value),
        }
    }

    #[cfg(shuttle)]
    pub fn new(value: T) -> Self {
        Self::ranked(Rank::Leaf, value)
    }

    #[cfg(shuttle)]
    pub fn ranked(rank: Rank, value: T) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Mutex {
            #[cfg(debug_assertions)]
            rank,
            inner: short::Mutex::new(value),
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

pub type MutexGuard<'a, T> = Held<short::MutexGuard<'a, T>>;

#[inline]
#[cfg_attr(debug_assertions, track_caller)]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(debug_assertions)]
    let held = held::Noted::take(mutex.rank);
    Held {
        guard: short::lock(&mutex.inner),
        #[cfg(debug_assertions)]
        held,
    }
}

/// The guard of a lock that this thread holds.
#[expect(missing_debug_implementations, reason = "only the crates beside this one see it")]
pub struct Held<G> {
    guard: G,
    #[cfg(debug_assertions)]
    held: held::Noted,
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// A lock of rank `Leaf`, and the place where threads wait for a change of its value.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "only the crates beside this one see it")]
pub struct Monitor<T> {
    inner: imp::Mutex<T>,
    changed: imp::Condvar,
}

pub type MonitorGuard<'a, T> = Held<imp::MutexGuard<'a, T>>;

impl<T> Monitor<T> {
    pub fn new(value: T) -> Self {
        Monitor { inner: imp::Mutex::new(value), changed: imp::Condvar::new() }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock(&self) -> MonitorGuard<'_, T> {
        #[cfg(debug_assertions)]
        let held = held::Noted::take(Rank::Leaf);
        Held {
            // No foreign code runs under a lock, so a poisoned lock does not guard a half-changed value.
            guard: self.inner.lock().unwrap_or_else(imp::PoisonError::into_inner),
            #[cfg(debug_assertions)]
            held,
        }
    }

    /// Gives the lock back, waits for a notice, and takes the lock again.
    pub fn wait<'a>(&self, guard: MonitorGuard<'a, T>) -> MonitorGuard<'a, T> {
        Held {
            guard: self.changed.wait(guard.guard).unwrap_or_else(imp::PoisonError::into_inner),
            #[cfg(debug_assertions)]
            held: guard.held,
        }
    }

    pub fn notify_one(&self) {
        self.changed.notify_one();
    }
}

/// Marks a call of foreign code: a user's, tokio's, or that of a `tracing` subscriber. In a debug build this panics if
/// the thread holds a lock of the runtime.
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn foreign() {
    #[cfg(debug_assertions)]
    held::none();
}

/// The locks that this thread holds: one bit for each rank.
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

    /// The note that this thread holds a lock of this rank.
    pub(super) struct Noted(Rank);

    impl Noted {
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
            Noted(rank)
        }
    }

    impl Drop for Noted {
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

    /// Reported immediately, since this may happen in a handler, whose panics are decided on like any failure.
    #[cold]
    #[track_caller]
    fn broken(what: &dyn std::fmt::Display, held: u8) {
        if !std::thread::panicking() {
            let at = std::panic::Location::caller();
            let text = format!("{what} (held: {held:#06b}, at {at})");
            crate::base::loud::bug(&text);
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
        drop(outer); // the order of release does not matter
        drop(inner);
        foreign();
        drop(lock(&leaf));
        drop(lock(&group));
    }
}
