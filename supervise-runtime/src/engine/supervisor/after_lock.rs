//! The consequences of a group event that may run foreign code: collected under the group's lock, and carried out after
//! it.

use super::{Entry, Inner};
use crate::base::sync::{Arc, foreign};
use crate::decide::group::Id;
use crate::engine::cell::control::{AnyCell, SystemMessage, queue, ring};
use crate::values::event::EventKind;

/// Tasks to wake, events to raise and entries to drop, once this thread holds no lock any more.
#[must_use = "tasks wait for being woken"]
pub(crate) struct AfterLock<'a> {
    owner: &'a dyn AnyCell,
    wakes_owner: bool,
    woken: Few<Arc<dyn AnyCell>>,
    said: Few<(Arc<dyn AnyCell>, EventKind)>,
    dropped: Few<Entry>,
}

/// A list that usually has at most one item, which costs no allocation.
struct Few<T> {
    first: Option<T>,
    more: Vec<T>,
}

impl<T> Few<T> {
    const fn none() -> Self {
        Few { first: None, more: Vec::new() }
    }

    fn push(&mut self, value: T) {
        match &self.first {
            None => self.first = Some(value),
            Some(_) => self.more.push(value),
        }
    }

    fn last(&self) -> Option<&T> {
        self.more.last().or(self.first.as_ref())
    }

    fn into_iter(self) -> impl Iterator<Item = T> {
        self.first.into_iter().chain(self.more)
    }
}

impl<'a> AfterLock<'a> {
    pub(super) fn of(owner: &'a dyn AnyCell) -> Self {
        AfterLock { owner, wakes_owner: false, woken: Few::none(), said: Few::none(), dropped: Few::none() }
    }

    /// Queues a message for a child. `by`: the child whose task this is; it looks at its queue before it waits.
    pub(super) fn send(&mut self, inner: &Inner, by: Option<Id>, id: Id, message: SystemMessage) {
        let Some(Some(Entry::Child { cell, .. })) = inner.entries.get(id as usize) else { return };
        queue(&**cell, message);
        if by != Some(id) && self.woken.last().is_none_or(|last| last.core().id != cell.core().id) {
            self.woken.push(cell.clone());
        }
    }

    pub(super) fn send_owner(&mut self, message: SystemMessage) {
        queue(self.owner, message);
        self.wakes_owner = true;
    }

    pub(super) fn wakes_owner(&mut self) {
        self.wakes_owner = true;
    }

    pub(super) fn says(&mut self, cell: Option<Arc<dyn AnyCell>>, kind: EventKind) {
        if let Some(cell) = cell {
            self.said.push((cell, kind));
        }
    }

    pub(super) fn drops(&mut self, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.dropped.push(entry);
        }
    }

    pub(super) fn and_drop(mut self, entry: Option<Entry>) -> Self {
        self.drops(entry);
        self
    }

    /// To be called without a lock.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn done(self) {
        foreign();
        if self.wakes_owner {
            ring(self.owner);
        }
        for cell in self.woken.into_iter() {
            ring(&*cell);
        }
        for (cell, kind) in self.said.into_iter() {
            cell.core().emit(kind);
        }
        drop(self.dropped);
    }
}
