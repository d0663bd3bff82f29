//! Views of the children from outside: copies made under the short lock (S42).

use tokio::time::Instant;

use super::{ChildTable, Entry, Indexed, Inner, hash};
use crate::engine::cell::control::AnyCell;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::base::sync::{Arc, lock};
use supervise_core::decide::group::{BudgetView, Group, Id, MemberView};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::strategy::Strategy;

/// A child as its supervisor sees it now.
#[derive(Debug)]
pub struct ChildView {
    /// The view of the decisions.
    pub member: MemberView,
    /// The end of its last backoff.
    pub until: Option<Instant>,
}

/// A child, and the view that its supervisor has of it, if that says more than that the child is well.
type Unwell = (Arc<AnyCell>, Option<ChildView>);

/// A child, and the view that its supervisor has of it.
type Seen = (Arc<AnyCell>, ChildView);

/// Returns whether nothing that only the cell knows is a symptom.
fn is_well(cell: &AnyCell) -> bool {
    !cell.core().is_apart() && !cell.has_waiters() && !cell.core().has_ended()
}

/// The number of children that are copied before the lock is released for a moment, since a set may have any number.
const AT_ONCE: usize = 64;

impl ChildTable {
    /// Returns all children, in the order of their declaration or spawning.
    pub fn view(&self, now: Instant) -> Vec<(Arc<AnyCell>, ChildView)> {
        let shared = self.inspect(|group| group.view_shared(now));
        let mut all = self.copy(|inner, id, entry| inner.seen(id, entry, shared, now));
        all.sort_by_key(|(_, seen)| seen.member.order);
        all
    }

    /// Returns the children that may not be well, and those that have children themselves, in the order of their
    /// declaration or spawning. A child without a view is well but for what its own table knows. `lost`: the runtime of
    /// the owner is gone, and of each child that runs there.
    pub fn view_unwell(&self, lost: bool, now: Instant) -> Vec<Unwell> {
        let shared = self.inspect(|group| group.view_shared(now));
        let mut all = self.copy(|inner, id, entry| {
            let Entry::Child { cell, .. } = entry else { return None };
            let well = !lost && inner.group.is_well(id, now) && is_well(&**cell);
            let (cell, seen) = match (well, cell.core().table()) {
                (true, None) => return None,
                (true, Some(_)) => (cell.clone(), None),
                (false, _) => inner.seen(id, entry, shared, now).map(|(cell, seen)| (cell, Some(seen)))?,
            };
            Some((inner.group.order(id), cell, seen))
        });
        all.sort_by_key(|(order, ..)| *order);
        all.into_iter().map(|(_, cell, seen)| (cell, seen)).collect()
    }

    /// Returns the number of the children that certainly run, and the others. A child without a view runs but for what
    /// its own table knows.
    pub fn view_not_running(&self, now: Instant) -> (u32, Vec<Unwell>) {
        let mut running = 0;
        let shared = self.inspect(|group| group.view_shared(now));
        let others = self.copy(|inner, id, entry| {
            let Entry::Child { cell, .. } = entry else { return None };
            let runs = inner.group.runs(id) && !cell.core().is_apart();
            match (runs, cell.core().table()) {
                (true, None) => {
                    running += 1;
                    None
                }
                (true, Some(_)) => Some((cell.clone(), None)),
                (false, _) => inner.seen(id, entry, shared, now).map(|(cell, seen)| (cell, Some(seen))),
            }
        });
        (running, others)
    }

    /// Calls `count` with the children that certainly run, have none themselves, and were born here, and with their
    /// budgets, if `shared`. Returns the first of these, and the others. `count` runs under the lock.
    pub fn view_metered(
        &self,
        now: Instant,
        owner: &AnyCell,
        shared: bool,
        mut count: impl FnMut(&AnyCell, BudgetView),
    ) -> (Option<Arc<AnyCell>>, Vec<Seen>) {
        let budget = self.inspect(|group| group.view_shared(now));
        let mut first = None;
        let others = self.copy(|inner, id, entry| {
            let Entry::Child { cell, .. } = entry else { return None };
            let core = cell.core();
            let born_here = || core.parent.as_ref().is_some_and(|parent| std::ptr::addr_eq(&**parent, owner));
            if shared && inner.group.runs(id) && core.table().is_none() && !core.is_apart() && born_here() {
                count(&**cell, budget.unwrap_or_else(|| inner.group.budget_of(id, now)));
                first.get_or_insert_with(|| cell.clone());
                return None;
            }
            inner.seen(id, entry, budget, now)
        });
        (first, others)
    }

    /// Returns the child with whose name this path begins, and the path below it.
    pub fn find<'a>(&self, now: Instant, path: &'a str) -> Option<((Arc<AnyCell>, ChildView), &'a str)> {
        let shared = self.inspect(|group| group.view_shared(now));
        let seen = |inner: &Inner, id: Id, entry: &Entry| match entry {
            Entry::Child { cell, .. } => {
                let below = cell.core().strip(path)?;
                Some((inner.seen(id, entry, shared, now)?, below))
            }
            Entry::Value(_) => None,
        };
        if !self.is_indexed() {
            return self.copy(seen).pop();
        }
        // The name of an element of an array has two parts.
        let mut ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let inner = lock(&self.inner);
        let mut found = ends.by_ref().take(2).flat_map(|end| {
            let key = hash(&path[..end]);
            inner.names.range((key, 0)..=(key, Id::MAX)).rev()
        });
        found.find_map(|(_, id)| seen(&inner, *id, inner.entries.get(*id as usize)?.as_ref()?))
    }

    /// Returns whether all children are found by their names. OneOrMany children need no index, and those of a set have one from
    /// the first look on.
    fn is_indexed(&self) -> bool {
        let mut inner = lock(&self.inner);
        if inner.indexed == Indexed::No && inner.entries.len() > AT_ONCE {
            inner.indexed = Indexed::Begun; // from now on the new ones are added
            let slots = inner.entries.len();
            for from in (0..slots).step_by(AT_ONCE) {
                drop(inner);
                inner = lock(&self.inner);
                inner.index(from..slots.min(from + AT_ONCE));
            }
            inner.indexed = Indexed::Yes;
        }
        inner.indexed == Indexed::Yes
    }

    /// Returns all children, in the order of their declaration or spawning.
    pub fn children(&self) -> Vec<Arc<AnyCell>> {
        let mut all = self.copy(|inner, id, entry| match entry {
            Entry::Child { cell, .. } => Some((inner.group.order(id), cell.clone())),
            Entry::Value(_) => None,
        });
        all.sort_by_key(|(order, _)| *order);
        all.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Returns the children that have not ended, in the order of their declaration or spawning.
    pub fn living(&self) -> Vec<Arc<AnyCell>> {
        let mut all = self.copy(|inner, id, entry| match entry {
            Entry::Child { cell, .. } => Some((inner.group.order_of_living(id)?, cell.clone())),
            Entry::Value(_) => None,
        });
        all.sort_by_key(|(order, _)| *order);
        all.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Copies what `of` takes from each entry, in steps between which the lock is free.
    fn copy<R>(&self, mut of: impl FnMut(&Inner, Id, &Entry) -> Option<R>) -> Vec<R> {
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
    pub fn see_child(&self, child: &AnyCell, now: Instant) -> Option<ChildView> {
        let inner = lock(&self.inner);
        let id = child.core().slot.load(Ordering::Relaxed);
        let shared = inner.group.view_shared(now);
        let (cell, seen) = inner.seen(id, inner.entries.get(id as usize)?.as_ref()?, shared, now)?;
        (cell.core().id == child.core().id).then_some(seen)
    }

    /// Returns the declaration of the children, if the owner is a declared tree.
    pub fn declaration(&self) -> Option<&'static TreeSpec> {
        self.declaration.get().copied()
    }

    /// Returns the kind of the owner, and which children restart together.
    pub fn strategy(&self) -> Strategy {
        self.inspect(Group::strategy)
    }
}

impl Inner {
    fn seen(
        &self,
        id: Id,
        entry: &Entry,
        shared: Option<BudgetView>,
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
