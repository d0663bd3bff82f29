//! The events of the instances of all children, and their invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// The log shared by all probes of a schedule. Its lock is the standard library's, so that it is not a point of
/// scheduling.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    lines: Vec<String>,
    /// The number of instances of each child.
    living: BTreeMap<&'static str, u32>,
    /// The planned faults: `"a pre_start"`, and how many times the fault is still to occur.
    faults: BTreeMap<&'static str, u32>,
    counts: BTreeMap<String, u32>,
    wrong: Vec<String>,
    /// Members in the order of their declaration, if they come up in that order and go down in reverse.
    order: Vec<&'static str>,
    /// The members whose last instance has failed.
    failed: BTreeSet<&'static str>,
    /// Whether the tree was asked to stop: then a member that has failed goes down before its turn.
    stopping: bool,
}

impl Log {
    fn with<T>(&self, f: impl FnOnce(&mut Inner) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    /// Sets the members of a group: each start must find all before it up, each end all after it down.
    pub fn ordered(self, members: &[&'static str]) -> Self {
        self.with(|inner| inner.order = members.to_vec());
        self
    }

    /// From here on, a member that has failed may go down before its turn (S24).
    pub fn stopping(&self) {
        self.with(|inner| inner.stopping = true);
    }

    pub(crate) fn failed(&self, name: &'static str) {
        self.with(|inner| inner.failed.insert(name));
    }

    /// The next `times` times that `place` is reached, it fails there.
    pub fn plan(&self, place: &'static str, times: u32) {
        self.with(|inner| inner.faults.insert(place, times));
    }

    pub fn write(&self, line: impl Into<String>) {
        let line = line.into();
        self.with(|inner| {
            *inner.counts.entry(line.clone()).or_default() += 1;
            inner.lines.push(line);
        });
    }

    /// Whether a failure is planned here.
    pub fn reach(&self, place: &str) -> bool {
        self.write(place);
        self.with(|inner| match inner.faults.get_mut(place) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        })
    }

    /// The number of times that this line was written.
    pub fn count(&self, line: &str) -> u32 {
        self.with(|inner| inner.counts.get(line).copied().unwrap_or_default())
    }

    pub fn wrong(&self, what: impl Into<String>) {
        self.with(|inner| inner.wrong.push(what.into()));
    }

    pub(crate) fn born(&self, name: &'static str) {
        self.with(|inner| {
            inner.failed.remove(name);
            let living = inner.living.entry(name).or_default();
            *living += 1;
            if *living > 1 {
                inner.wrong.push(format!("two instances of {name}"));
            }
            inner.lines.push(format!("{name} born"));
            if let Some(at) = inner.order.iter().position(|member| *member == name) {
                for before in &inner.order[..at] {
                    if inner.living.get(before).is_none_or(|living| *living == 0) {
                        inner.wrong.push(format!("{name} starts while {before} is down"));
                    }
                }
            }
        });
    }

    pub(crate) fn gone(&self, name: &'static str) {
        self.with(|inner| {
            *inner.living.entry(name).or_default() -= 1;
            inner.lines.push(format!("{name} gone"));
            let early = inner.stopping && inner.failed.contains(name);
            if !early && let Some(at) = inner.order.iter().position(|member| *member == name) {
                for after in &inner.order[at + 1..] {
                    if inner.living.get(after).is_some_and(|living| *living > 0) {
                        inner.wrong.push(format!("{name} goes down while {after} is up"));
                    }
                }
            }
        });
    }

    /// Checks the invariants. Call this when everything is down.
    pub fn check(&self) {
        let left: Vec<String> = self.with(|inner| {
            inner
                .living
                .iter()
                .filter(|(_, living)| **living > 0)
                .map(|(name, _)| format!("{name} was left over"))
                .collect()
        });
        left.into_iter().for_each(|what| self.wrong(what));
        self.with(|inner| {
            assert!(inner.wrong.is_empty(), "{:#?}\nof {:#?}", inner.wrong, inner.lines);
        });
    }

    /// Fails the schedule with all events unless `what` is true.
    pub fn holds(&self, what: bool, text: &str) {
        self.with(|inner| assert!(what, "{text}\nof {:#?}", inner.lines));
    }
}
