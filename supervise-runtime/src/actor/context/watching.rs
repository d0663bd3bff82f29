//! The watches and death pacts of an actor (S37).
//!
//! A watch belongs to one life of the actor: it outlives restarts. When the actor ends, its watches are removed from
//! the watched actors.

use std::collections::HashMap;

use crate::engine::cell::control::AnyCell;
use crate::engine::death_watch::Pact;
use crate::engine::numbers::number;
use crate::engine::supervisor::TellEach;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;

/// The watched actors, by id.
#[derive(Default)]
pub(super) struct Watching {
    others: HashMap<u64, Other>,
    /// The sets of which each instance is watched, by id, with the number of the watch.
    sets: HashMap<u64, (Arc<AnyCell>, u64)>,
    /// At this size, pacts that have been triggered are removed.
    sweep: usize,
}

/// Below this size, entries without a use are not looked for.
const SWEEP: usize = 16;

struct Other {
    cell: Arc<AnyCell>,
    watch: Option<Watch>,
    pact: Option<(u64, Arc<Pact>)>,
}

/// A watch has a number of its own, which its notice carries: a notice of an earlier watch may still be in the mailbox
/// when the other actor has been started again.
struct Watch {
    number: u64,
    /// The ticket at the watched actor.
    ticket: u64,
}

impl Other {
    fn forget(mut self) {
        if let Some(watch) = self.watch.take() {
            self.cell.core().forget(watch.ticket);
        }
        self.forget_pact();
    }

    fn forget_pact(&mut self) {
        if let Some((ticket, pact)) = self.pact.take() {
            pact.take_back();
            self.cell.core().forget(ticket);
        }
    }

    /// A triggered pact has already been delivered, so a new call makes another one.
    fn has_pact(&self) -> bool {
        self.pact.as_ref().is_some_and(|(_, pact)| !pact.is_due())
    }

    /// A triggered pact can still be cancelled until it is handled.
    fn is_of_use(&self) -> bool {
        self.watch.is_some() || self.pact.as_ref().is_some_and(|(_, pact)| !pact.is_handled())
    }
}

impl Watching {
    /// Adds one watch of all instances of a set, however often it is asked for. `tell` gets the number of the watch.
    pub(super) fn watch_each(&mut self, set: &Arc<AnyCell>, keyed: bool, tell: impl FnOnce(u64) -> TellEach) {
        let id = set.core().id;
        if self.sets.contains_key(&id) {
            return;
        }
        if let Some(table) = set.core().table() {
            let number = number();
            table.watch_each(number, keyed, tell(number));
            self.sets.insert(id, (set.clone(), number));
        }
    }

    pub(super) fn unwatch_each(&mut self, id: u64) {
        if let Some((set, number)) = self.sets.remove(&id)
            && let Some(table) = set.core().table()
        {
            table.unwatch_each(number);
        }
    }

    /// Returns whether the notice is of a set that is still watched.
    pub(super) fn hears_of_each(&self, set: u64, number: u64) -> bool {
        self.sets.get(&set).is_some_and(|watch| watch.1 == number)
    }

    pub(super) fn forget_sets(&mut self) {
        for id in self.sets.keys().copied().collect::<Vec<_>>() {
            self.unwatch_each(id);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// Adds one watch, however often it is asked for. `tell` gets the number of the watch.
    pub(super) fn watch(&mut self, other: &Arc<AnyCell>, tell: impl FnOnce(u64, &Ended) + Send + 'static) {
        let other = self.other(other);
        if other.watch.is_none() {
            let number = number();
            let ticket = other.cell.core().on_end(Box::new(move |ended| tell(number, ended)));
            other.watch = Some(Watch { number, ticket });
        }
    }

    /// Adds one pact, however often it is asked for.
    pub(super) fn depend_on(&mut self, other: &Arc<AnyCell>, due: impl FnOnce(Arc<Pact>) + Send + 'static) {
        let other = self.other(other);
        if other.has_pact() {
            return;
        }
        let pact = Arc::new(Pact::new(other.cell.core().path()));
        let there = pact.clone();
        let fall_due = move |_: &Ended| {
            there.fall_due();
            due(there);
        };
        other.pact = Some((other.cell.core().on_end(Box::new(fall_due)), pact));
    }

    /// Returns whether the notice of this watch is to be handled; `false` if the watch was cancelled.
    pub(super) fn hears_of(&mut self, id: u64, number: u64) -> bool {
        let Some(other) = self.others.get_mut(&id) else { return false };
        let watched = other.watch.take_if(|watch| watch.number == number).is_some();
        if !other.is_of_use() {
            self.others.remove(&id);
            self.slim();
        }
        watched
    }

    pub(super) fn forget(&mut self, id: u64) {
        if let Some(other) = self.others.remove(&id) {
            other.forget();
            self.slim();
        }
    }

    pub(super) fn forget_those(&mut self, which: impl Fn(u64, &AnyCell) -> bool) {
        for (_, other) in self.others.extract_if(|id, other| which(*id, &*other.cell)) {
            other.forget();
        }
        self.slim();
    }

    /// Forgets the children that a restart is about to stop. A child that had ended before is not one of them: its notice
    /// comes, or is in the mailbox already.
    pub(super) fn forget_stopped(&mut self, stops: impl Fn(u64, &AnyCell) -> bool) {
        let gone = |id: &u64, other: &mut Other| {
            if !stops(*id, &*other.cell) {
                return false;
            }
            if other.cell.core().has_ended() {
                other.forget_pact(); // the present instance needed the child
                return !other.is_of_use();
            }
            true
        };
        for (_, other) in self.others.extract_if(gone) {
            other.forget();
        }
        self.slim();
    }

    fn other(&mut self, cell: &Arc<AnyCell>) -> &mut Other {
        if self.others.len() >= self.sweep.max(SWEEP) {
            self.others.retain(|_, other| other.is_of_use());
            self.sweep = self.others.len() * 2;
        }
        let new = || Other { cell: cell.clone(), watch: None, pact: None };
        self.others.entry(cell.core().id).or_insert_with(new)
    }

    /// Shrinks a map that has become much too large.
    fn slim(&mut self) {
        if self.others.capacity() > SWEEP.max(self.others.len() * 4) {
            self.others.shrink_to(self.others.len() * 2);
        }
    }
}
