//! The instances of a set that have ended by a failure: the last of them, since nothing else is left of these (S42).

use std::collections::VecDeque;

use tokio::time::Instant;

use super::{ChildTable, Entry, Inner};
use supervise_core::base::sync::lock;
use supervise_core::decide::group::{Id, Owner};
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;

/// The number that a set keeps.
const KEPT: usize = 16;

/// The end of an instance by a failure.
#[derive(Debug, Clone)]
pub struct FailedEnd {
    /// The name of the instance, as in its path.
    /// The name of the instance.
    pub name: String,
    /// The failure.
    pub failure: Failure,
    /// The time of the end.
    pub at: Instant,
}

/// The last ends, oldest first. They contain errors, so a shelter is needed wherever one may be dropped.
#[derive(Debug, Default)]
pub(super) struct FailedEnds(VecDeque<FailedEnd>);

impl FailedEnds {
    fn push(&mut self, end: FailedEnd) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.reserve_exact(KEPT - self.0.len());
        self.0.push_back(end);
    }

    fn forget(&mut self, name: &str) {
        self.0.retain(|end| end.name != name);
    }
}

impl Inner {
    /// The instance ends in this way, and is forgotten. Only an instance of a set is: all others can be seen when they have
    /// ended, or have somebody who spawned them by name.
    pub(super) fn keep_failed_end(&mut self, id: Id, ended: &Ended) {
        let Some(failure) = ended.failure().filter(|_| self.group.owner() == Owner::Set) else { return };
        let Some(Some(Entry::Child { cell, .. })) = self.entries.get(id as usize) else { return };
        let end = FailedEnd { name: cell.core().name(), failure: failure.clone(), at: Instant::now() };
        self.failed_ends.get_or_insert_default().push(end);
    }

    /// An instance with this name is spawned again.
    pub(super) fn forget_failed_end(&mut self, name: Option<&str>) {
        if let (Some(ends), Some(name)) = (&mut self.failed_ends, name) {
            ends.forget(name);
        }
    }
}

impl ChildTable {
    /// Returns the last instances of this set that have ended by a failure, oldest first.
    pub fn failed_ends(&self) -> Vec<FailedEnd> {
        let inner = lock(&self.inner);
        inner.failed_ends.as_ref().map_or_else(Vec::new, |ends| ends.0.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supervise_core::base::sync::Arc;
    use supervise_core::values::failure::{Cause, Phase, Thrown};

    #[derive(Debug, thiserror::Error)]
    #[error("gone")]
    struct Counted(Arc<()>);

    /// S42: a million instances that fail leave 16 errors, and the memory for as many.
    #[test]
    fn a_million_failed_ends_keep_sixteen() {
        let alive = Arc::new(());
        let mut ends = FailedEnds::default();
        for n in 0..1_000_000 {
            let cause = Cause::Error(Thrown::from(Counted(alive.clone())));
            let failure = Failure::new(Phase::Running, cause, "db", 1);
            ends.push(FailedEnd { name: format!("#{n}"), failure, at: Instant::now() });
        }
        assert_eq!((ends.0.len(), Arc::strong_count(&alive) - 1), (KEPT, KEPT));
        assert!(ends.0.capacity() <= 2 * KEPT, "{}", ends.0.capacity());
        let names: Vec<_> = ends.0.iter().map(|end| &*end.name).collect();
        assert_eq!((names[0], names[KEPT - 1]), ("#999984", "#999999"));
        ends.forget("#999990");
        assert_eq!(ends.0.len(), KEPT - 1);
    }
}
