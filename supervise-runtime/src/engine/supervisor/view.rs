//! Views of the children from outside: copies made under the short lock (S42).

use tokio::time::Instant;

use super::{ChildTable, Entry, Inner};
use crate::base::sync::atomic::Ordering;
use crate::base::sync::{Arc, lock};
use crate::decide::budget::Allowance;
use crate::decide::group::{Group, Id, MemberView};
use crate::engine::cell::control::AnyCell;
use crate::values::strategy::Strategy;

/// A child as its supervisor sees it now.
pub(crate) struct ChildView {
    pub(crate) member: MemberView,
    /// The end of its last backoff.
    pub(crate) until: Option<Instant>,
}

/// The number of children that are copied before the lock is released for a moment, since a set may have any number.
const AT_ONCE: usize = 64;

impl ChildTable {
    /// Returns all children, in the order of their declaration or spawning.
    pub(crate) fn view(&self, now: Instant) -> Vec<(Arc<AnyCell>, ChildView)> {
        let shared = self.inspect(|group| group.view_shared(now));
        let mut all = self.copy(|inner, id, entry| inner.seen(id, entry, shared, now));
        all.sort_by_key(|(_, seen)| seen.member.order);
        all
    }

    /// Returns the children that have not ended, in the order of their declaration or spawning.
    pub(crate) fn living(&self) -> Vec<Arc<AnyCell>> {
        let mut all = self.copy(|inner, id, entry| match entry {
            Entry::Child { cell, .. } => Some((inner.group.order_of_living(id)?, cell.clone())),
            Entry::Value(_) => None,
        });
        all.sort_by_key(|(order, _)| *order);
        all.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Copies what `of` takes from each entry, in steps between which the lock is free.
    fn copy<R>(&self, of: impl Fn(&Inner, Id, &Entry) -> Option<R>) -> Vec<R> {
        let mut all = Vec::new();
        for from in (0..).step_by(AT_ONCE) {
            let inner = lock(&self.inner);
            if from >= inner.entries.len() {
                break;
            }
            let entries = inner.entries.iter().enumerate().skip(from).take(AT_ONCE);
            all.extend(entries.filter_map(|(id, entry)| of(&inner, id as Id, entry.as_ref()?)));
        }
        all
    }

    /// Returns one child; `None` if it is no longer in the table.
    pub(crate) fn see_child(&self, child: &AnyCell, now: Instant) -> Option<ChildView> {
        let inner = lock(&self.inner);
        let id = child.core().slot.load(Ordering::Relaxed);
        let shared = inner.group.view_shared(now);
        let (cell, seen) = inner.seen(id, inner.entries.get(id as usize)?.as_ref()?, shared, now)?;
        (cell.core().id == child.core().id).then_some(seen)
    }

    /// Returns the kind of the owner, and which children restart together.
    pub(crate) fn strategy(&self) -> Strategy {
        self.inspect(Group::strategy)
    }
}

impl Inner {
    fn seen(
        &self,
        id: Id,
        entry: &Entry,
        shared: Option<(u32, Allowance)>,
        now: Instant,
    ) -> Option<(Arc<AnyCell>, ChildView)> {
        match entry {
            Entry::Child { cell, cold } => {
                let until = cold.as_ref().and_then(|cold| cold.until);
                Some((cell.clone(), ChildView { member: self.group.view(id, shared, now)?, until }))
            }
            Entry::Value(_) => None,
        }
    }
}
