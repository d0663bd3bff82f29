//! The promises that are read from the record of a run.

use std::collections::{HashMap, HashSet};

use super::fault::is_at_or_below;
use super::{Broken, ChaosPromise};
use supervise_core::values::declaration::{ChildSpec, Shape, TreeSpec};
use supervise_core::values::stop_reason::StopReason;
use supervise_core::values::strategy::ShutdownOrder;
use supervise_runtime::probe::{Happened, Seen};

/// The place of a declared child among its siblings.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The length of the path of the supervisor.
    above: usize,
    order: (usize, u32),
    supervisor: &'static TreeSpec,
}

/// Finds the declaration of the child with this path. An instance of a set and a child of an actor have none here.
fn place(root: &'static TreeSpec, path: &str) -> Option<Place> {
    let (mut supervisor, mut above, mut at) = (root, 0, 0);
    let end = |from: usize| path.get(from..).and_then(|rest| rest.find('/')).map_or(path.len(), |next| from + next);
    loop {
        let (from, to) = (at, end(at));
        let (order, child): (usize, &'static ChildSpec) =
            supervisor.children.iter().enumerate().find(|(_, child)| child.name == &path[from..to])?;
        at = to;
        let mut element = 0;
        if let Shape::Array(_) = child.shape {
            let to = end(at + 1);
            element = path.get(at + 1..to)?.parse().ok()?;
            at = to;
        }
        if at == path.len() {
            return Some(Place { above, order: (order, element), supervisor });
        }
        if child.is_set() {
            at = end(at + 1); // the instance
            if at == path.len() {
                return None;
            }
        }
        (supervisor, above) = (child.tree()?, at);
        at += 1;
    }
}

/// Returns whether the tree declares a child with this path, or a child at or below it has begun.
pub(super) fn has(root: &'static TreeSpec, seen: &[Seen], path: &str) -> bool {
    let begun = |seen: &Seen| matches!(seen, Seen::Begun { path: begun, .. } if is_at_or_below(begun, path));
    place(root, path).is_some() || seen.iter().any(begun)
}

/// The declared children in one record.
#[derive(Default)]
struct Child {
    place: Option<Place>,
    living: bool,
    starting: bool,
    going: bool,
    ended: bool,
    /// The start of the supervisor in which this child began last, and the number of its starts in it.
    epoch: u32,
    starts: u32,
    /// The number of starts: the epoch of its own children.
    epochs: u32,
    /// The test asked it to stop.
    asked: bool,
}

/// Reads the record of one tree, and returns the promises that it breaks. `races`: threads wrote it, so that an event may
/// come after what follows from it on another thread.
pub(super) fn read(root: &'static TreeSpec, seen: &[Seen], races: bool) -> Vec<Broken> {
    let mut reader = Reader { root, children: HashMap::new(), broken: Vec::new(), aborted: HashSet::new() };
    for seen in seen {
        reader.read(seen);
    }
    if races {
        let orders = [ChaosPromise::OrderOfStarts, ChaosPromise::OrderOfStops, ChaosPromise::StopWins];
        reader.broken.retain(|broken| !orders.contains(&broken.what));
    }
    reader.broken
}

struct Reader {
    root: &'static TreeSpec,
    children: HashMap<String, Child>,
    broken: Vec<Broken>,
    /// The instances whose time was over: the children below them go down leaves first.
    aborted: HashSet<String>,
}

impl Reader {
    fn child(&mut self, path: &str) -> &mut Child {
        if !self.children.contains_key(path) {
            let place = place(self.root, path);
            self.children.insert(path.to_owned(), Child { place, ..Child::default() });
        }
        self.children.get_mut(path).expect("just inserted")
    }

    fn says(&mut self, what: ChaosPromise, text: String) {
        self.broken.push(Broken { what, text });
    }

    /// Returns the declared siblings of a child.
    fn siblings(&self, path: &str, place: Place) -> impl Iterator<Item = (&str, &Child, (usize, u32))> {
        let above = path[..place.above].to_owned();
        self.children.iter().filter_map(move |(other, child)| {
            let own = child.place.as_ref()?;
            let is_sibling = own.above == above.len() && other.starts_with(&*above);
            is_sibling.then_some((&**other, child, own.order))
        })
    }

    fn supervisor(&self, path: &str, place: Place) -> Option<&Child> {
        let name = if place.above == 0 { self.root.name } else { &path[..place.above] };
        self.children.get(name)
    }

    fn read(&mut self, seen: &Seen) {
        match seen {
            Seen::Begun { path, others } => self.begun(path, *others),
            Seen::Gone { path } => {
                let child = self.child(path);
                (child.living, child.starting, child.going) = (false, false, false);
            }
            Seen::Done { path, what } => {
                if what == STOP {
                    let child = self.child(path);
                    child.asked = child.living && !child.going;
                }
            }
            Seen::Event { path, text, what, .. } => match *what {
                Happened::Up => self.child(path).starting = false,
                Happened::Stopping(reason) => self.stopping(path, reason),
                Happened::Aborted => drop(self.aborted.insert(path.clone())),
                Happened::Ended { runtime_gone } => {
                    let child = self.child(path);
                    (child.ended, child.asked, child.going) = (true, false, false);
                    if runtime_gone {
                        self.says(ChaosPromise::NothingStuck, text.clone());
                    }
                }
                Happened::Bug => self.says(ChaosPromise::NoBug, text.clone()),
                Happened::Stuck => self.says(ChaosPromise::NothingStuck, text.clone()),
                Happened::Other => {}
            },
        }
    }

    fn begun(&mut self, path: &str, others: usize) {
        if others > 0 {
            self.says(ChaosPromise::OneInstance, format!("{} instances of {path} at a time", others + 1));
        }
        self.aborted.remove(path);
        let place = self.child(path).place;
        let mut epoch = 0;
        let mut comes_up = false;
        if let Some(place) = place
            && let Some(supervisor) = self.supervisor(path, place)
        {
            epoch = supervisor.epochs;
            comes_up = supervisor.starting;
            if comes_up {
                self.in_order(path, place, epoch);
            }
        }
        let child = self.child(path);
        if child.asked && child.epoch == epoch && !comes_up {
            let text = format!("{path} was asked to stop, has not ended, and starts again");
            self.says(ChaosPromise::StopWins, text);
        }
        let child = self.child(path);
        child.starts = if child.epoch == epoch { child.starts.saturating_add(1) } else { 1 };
        child.epoch = epoch;
        child.epochs = child.epochs.saturating_add(1);
        (child.living, child.starting) = (true, true);
        (child.going, child.ended, child.asked) = (false, false, false);
    }

    /// Children come up in order while their supervisor does (S21). A child that has begun may begin again beside a
    /// sibling that a user has started by hand (S26).
    fn in_order(&mut self, path: &str, place: Place, epoch: u32) {
        let own = &self.children[path];
        let is_first = own.epoch != epoch && !own.ended;
        let mut out_of_order = None;
        for (other, sibling, order) in self.siblings(path, place).filter(|(_, sibling, _)| sibling.epoch == epoch) {
            if order < place.order && is_first && sibling.starting && sibling.starts == 1 {
                out_of_order = Some(format!("{path} starts while {other}, which is declared before it, is starting"));
            }
            if order > place.order && is_first {
                out_of_order = Some(format!("{path} starts after {other}, which is declared after it"));
            }
        }
        if let Some(text) = out_of_order {
            self.says(ChaosPromise::OrderOfStarts, text);
        }
    }

    /// Returns whether the time of this child, or of a supervisor above it, was over.
    fn is_aborted(&self, path: &str) -> bool {
        let over = |above: &String| is_at_or_below(path, above);
        self.aborted.contains(self.root.name) || self.aborted.iter().any(over)
    }

    /// Children go down in reverse order when their supervisor does (S24).
    fn stopping(&mut self, path: &str, reason: StopReason) {
        let place = self.child(path).place;
        self.child(path).going = true;
        let Some(place) = place else { return };
        let from_above = matches!(reason, StopReason::Shutdown | StopReason::FailedAbove);
        if !from_above || self.is_aborted(path) || place.supervisor.shutdown_order == ShutdownOrder::Together {
            return;
        }
        let later = self.siblings(path, place).find(|(_, sibling, order)| *order > place.order && sibling.living);
        if let Some((other, ..)) = later {
            let text = format!("{path} goes down while {other}, which is declared after it, is still there");
            self.says(ChaosPromise::OrderOfStops, text);
        }
    }
}

/// The deed in the record that asks a child to stop for good.
pub(super) const STOP: &str = "stop";
