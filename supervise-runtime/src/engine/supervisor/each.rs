//! The watchers of all instances of a set (S37).

use std::any::Any;
use std::collections::BTreeMap;

use super::ChildTable;
use crate::engine::cell::control::CellCore;
use crate::engine::watched::Watched;
use supervise_core::base::sync::{Arc, foreign, lock};
use supervise_core::values::ended::Ended;

/// Notifies one watcher of the end of an instance.
pub(crate) type TellEach = Arc<dyn Fn(Watched, &Ended) + Send + Sync>;

/// The watchers, by number.
#[derive(Default)]
pub(super) struct Each {
    watchers: BTreeMap<u64, TellEach>,
    /// The instances have keys, so their ends are told where the keys are known.
    keyed: bool,
}

impl ChildTable {
    /// Adds a watcher of all instances that end from now on.
    pub(crate) fn watch_each(&self, number: u64, keyed: bool, tell: TellEach) {
        let each = self.each.get_or_init(Box::default);
        let mut each = lock(each);
        each.keyed = keyed;
        each.watchers.insert(number, tell);
    }

    /// Removes the watcher with this number.
    pub(crate) fn unwatch_each(&self, number: u64) {
        let Some(each) = self.each.get() else { return };
        let mut each = lock(each);
        let left = each.watchers.remove(&number);
        drop(each);
        foreign();
        drop(left); // outside of the lock: a watcher holds a reference to a cell
    }

    /// Notifies the watchers that an instance has ended. `key` is present if the caller knows the keys of this set. To
    /// be called without a lock.
    pub(crate) fn tell_each(&self, instance: &CellCore, key: Option<Arc<dyn Any + Send + Sync>>, ended: &Ended) {
        let Some(each) = self.each.get() else { return };
        let watchers: Vec<TellEach> = {
            let each = lock(each);
            if each.keyed != key.is_some() {
                return;
            }
            each.watchers.values().cloned().collect()
        };
        foreign();
        for tell in watchers {
            tell(instance.identity().with_key(key.clone()), ended);
        }
    }
}
