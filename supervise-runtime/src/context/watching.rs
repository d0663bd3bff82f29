//! The ends that an actor is to hear of, and what for (S37).
//!
//! A watch belongs to one life: it outlives restarts, and with the end nothing of it stays at the others.

use std::collections::HashMap;

use crate::cell::control::Controlled;
use crate::sync::Arc;
use crate::watch::{Ended, Pact};

/// By the id of the other.
#[derive(Default)]
pub(super) struct Watching {
    others: HashMap<u64, Other>,
    /// At so many the pacts that have fallen due are taken out.
    sweep: usize,
}

/// Below so many nobody looks for what is of no use any more.
const SWEEP: usize = 16;

struct Other {
    cell: Arc<dyn Controlled>,
    /// The ticket there.
    watch: Option<u64>,
    pact: Option<(u64, Arc<Pact>)>,
}

impl Other {
    fn forget(self) {
        if let Some(ticket) = self.watch {
            self.cell.ctl().forget(ticket);
        }
        if let Some((ticket, pact)) = self.pact {
            pact.take_back();
            self.cell.ctl().forget(ticket);
        }
    }

    /// A pact that has fallen due is told already: another pact is made anew.
    fn has_pact(&self) -> bool {
        self.pact.as_ref().is_some_and(|(_, pact)| !pact.is_due())
    }

    fn is_of_use(&self) -> bool {
        self.watch.is_some() || self.has_pact()
    }
}

impl Watching {
    pub(super) fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// Once, however often it is asked for.
    pub(super) fn watch<C: Controlled>(&mut self, other: &Arc<C>, tell: impl FnOnce(&Ended) + Send + 'static) {
        let other = self.other(other);
        if other.watch.is_none() {
            other.watch = Some(other.cell.ctl().on_end(Box::new(tell)));
        }
    }

    /// One pact, however often it is made.
    pub(super) fn depend_on<C: Controlled>(&mut self, other: &Arc<C>, due: impl FnOnce(Arc<Pact>) + Send + 'static) {
        let other = self.other(other);
        if other.has_pact() {
            return;
        }
        let pact = Arc::new(Pact::new(other.cell.ctl().path()));
        let there = pact.clone();
        let fall_due = move |_: &Ended| {
            there.fall_due();
            due(there);
        };
        other.pact = Some((other.cell.ctl().on_end(Box::new(fall_due)), pact));
    }

    /// A notice of it is to be handled. False: it is not watched any more.
    pub(super) fn hears_of(&mut self, id: u64) -> bool {
        let Some(other) = self.others.get_mut(&id) else { return false };
        let watched = other.watch.take().is_some();
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

    pub(super) fn forget_those(&mut self, which: impl Fn(u64, &dyn Controlled) -> bool) {
        for (_, other) in self.others.extract_if(|id, other| which(*id, &*other.cell)) {
            other.forget();
        }
        self.slim();
    }

    fn other<C: Controlled>(&mut self, cell: &Arc<C>) -> &mut Other {
        if self.others.len() >= self.sweep.max(SWEEP) {
            self.others.retain(|_, other| other.is_of_use());
            self.sweep = self.others.len() * 2;
        }
        let new = || Other { cell: cell.clone(), watch: None, pact: None };
        self.others.entry(cell.ctl().id).or_insert_with(new)
    }

    /// Gives back what was needed for many more.
    fn slim(&mut self) {
        if self.others.capacity() > SWEEP.max(self.others.len() * 4) {
            self.others.shrink_to(self.others.len() * 2);
        }
    }
}
