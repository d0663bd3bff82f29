//! Which actor waits for the reply of which other, while somebody observes it.
//!
//! An actor handles one message at a time. So a cycle of actors whose handlers wait for each other's replies goes on until
//! the time of an ask is up, or forever. Such a cycle is found when it closes: each wait is an edge of a graph, and an edge
//! is added when an ask has to wait.
//!
//! The graph is one for the process, since a cycle may pass through several trees.

use std::collections::btree_set::Range;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use crate::engine::bus::TreeShared;
use crate::engine::cell::control::{AnyCell, CellCore};
use crate::engine::cell::current;
use supervise_core::base::sync::{Arc, Mutex, Rank, lock};
use supervise_core::values::event::EventKind;
use supervise_core::values::observe::Observe;
use supervise_core::values::place::Path;

fn are_observed_in(tree: &TreeShared) -> bool {
    tree.observed.now().contains(Observe::ASKS)
}

/// The number of a wait. Small, so that the state of a reply has room for one.
pub(crate) type Ticket = NonZeroU32;

/// The wait of an actor for the reply of another one.
pub(crate) struct Wait {
    /// The cell that waits.
    asker: Arc<AnyCell>,
    /// The turn in which it began. A wait that outlives its handler holds up nobody.
    turn: u32,
    asked: u64,
    /// The path of the cell that was asked.
    path: Path,
    /// The name of its tree, if the asker is in another one.
    tree: Option<String>,
}

impl Wait {
    fn from(&self) -> u64 {
        self.asker.core().id
    }

    /// Returns whether the step that began to wait still runs.
    fn holds(&self) -> bool {
        self.asker.in_hand() == self.turn
    }
}

/// The waits of all actors. Ordered maps, since they give their memory back.
struct Graph {
    waits: BTreeMap<Ticket, Wait>,
    /// The id of a cell that waits, and of the one that it waits for.
    of: Edges,
    /// The id of a cell that was asked, and of one that waits for it.
    on: Edges,
    last: u32,
}

type Edges = BTreeSet<(u64, u64, Ticket)>;

impl Graph {
    const fn new() -> Self {
        Graph { waits: BTreeMap::new(), of: Edges::new(), on: Edges::new(), last: 0 }
    }

    /// Adds a wait. Returns the cells after the one that waits, if this closes a cycle.
    fn insert(&mut self, wait: Wait) -> (Ticket, Option<Vec<Arc<AnyCell>>>) {
        let ticket = loop {
            self.last = self.last.wrapping_add(1);
            if let Some(ticket) = Ticket::new(self.last).filter(|ticket| !self.waits.contains_key(ticket)) {
                break ticket;
            }
        };
        let (asker, asked) = (wait.from(), wait.asked);
        // Skip the search if this asker already waits for this actor: a second wait closes no other cycle.
        let again = range(&self.of, asker, asked..=asked).any(|(.., ticket)| self.waits[ticket].holds());
        let cycle = if again { None } else { self.cycle(asker, asked) };
        self.of.insert((asker, asked, ticket));
        self.on.insert((asked, asker, ticket));
        self.waits.insert(ticket, wait);
        (ticket, cycle)
    }

    fn remove(&mut self, ticket: Ticket) -> Option<Wait> {
        let wait = self.waits.remove(&ticket)?;
        self.of.remove(&(wait.from(), wait.asked, ticket));
        self.on.remove(&(wait.asked, wait.from(), ticket));
        Some(wait)
    }

    /// Returns the cells after `asker` in a cycle that its wait for `asked` closes.
    ///
    /// The search goes from both ends in turn, one wait at a time, until one of them knows no more: an actor for which
    /// nobody waits, or that waits for nobody, is in no cycle, however many others do.
    fn cycle(&self, asker: u64, asked: u64) -> Option<Vec<Arc<AnyCell>>> {
        let (mut on, mut back) = (Search::new(&self.of, asked), Search::new(&self.on, asker));
        let mut meet = (asker == asked).then_some(asker);
        while meet.is_none() {
            let next = on.next(self)?;
            meet = Some(next).filter(|cell| back.reached.contains_key(cell));
            if meet.is_none() {
                let next = back.next(self)?;
                meet = Some(next).filter(|cell| on.reached.contains_key(cell));
            }
        }
        let mut cells = Vec::new();
        let mut at = meet?;
        while let Some(ticket) = on.reached[&at] {
            let wait = &self.waits[&ticket];
            cells.push(wait.asker.clone());
            at = wait.from();
        }
        cells.reverse();
        at = meet?;
        while let Some(ticket) = back.reached[&at] {
            let wait = &self.waits[&ticket];
            cells.push(wait.asker.clone());
            at = wait.asked;
        }
        Some(cells)
    }
}

/// Returns the edges of a cell to these others.
fn range(edges: &Edges, cell: u64, others: RangeInclusive<u64>) -> Range<'_, (u64, u64, Ticket)> {
    edges.range((cell, *others.start(), Ticket::MIN)..=(cell, *others.end(), Ticket::MAX))
}

/// A search along the waits, in one direction.
struct Search<'a> {
    edges: &'a Edges,
    /// The cells that were reached, with the wait that led to each.
    reached: HashMap<u64, Option<Ticket>>,
    /// The reached cells whose waits were not followed yet.
    todo: Vec<u64>,
    now: Range<'a, (u64, u64, Ticket)>,
}

impl<'a> Search<'a> {
    fn new(edges: &'a Edges, begin: u64) -> Self {
        let now = range(edges, begin, 0..=u64::MAX);
        Search { edges, reached: HashMap::from([(begin, None)]), todo: Vec::new(), now }
    }

    /// Follows one wait. Returns the cell to which it leads; `None` if all were followed.
    fn next(&mut self, graph: &Graph) -> Option<u64> {
        loop {
            let Some((_, to, ticket)) = self.now.next() else {
                self.now = range(self.edges, self.todo.pop()?, 0..=u64::MAX);
                continue;
            };
            if !graph.waits[ticket].holds() {
                continue;
            }
            if let Entry::Vacant(vacant) = self.reached.entry(*to) {
                vacant.insert(Some(*ticket));
                self.todo.push(*to);
            }
            return Some(*to);
        }
    }
}

#[cfg(not(shuttle))]
static GRAPH: Mutex<Graph> = Mutex::ranked(Rank::Asks, Graph::new());

#[cfg(shuttle)]
shuttle::lazy_static! { static ref GRAPH: Mutex<Graph> = Mutex::ranked(Rank::Asks, Graph::new()); }

/// A cycle of actors that wait for each other, to be reported.
pub(crate) struct Cycle(Vec<Arc<AnyCell>>);

/// Returns the wait of the step on this thread for the reply of this cell, if it is a step of an actor: its handler or a
/// hook. While other futures of an actor wait, its messages are handled.
pub(crate) fn step(asked: &CellCore) -> Option<Wait> {
    let asker = current::step()?;
    let tree = (!Arc::ptr_eq(&asker.core().bus, &asked.bus)).then(|| asked.name_of_root());
    Some(Wait { turn: asker.in_hand(), asker, asked: asked.id, path: asked.place(), tree })
}

/// Notes who waits for a reply. `known` is the ticket of the same ask, if it has one.
///
/// To be called under the lock of the reply, so that one that was given is no longer waited for.
pub(crate) fn wait(known: Option<Ticket>, wait: Option<Wait>) -> Waited {
    let mut graph = lock(&GRAPH);
    let before = known.and_then(|known| graph.waits.get(&known));
    if let (Some(before), Some(now)) = (before, &wait)
        && (before.from(), before.turn) == (now.from(), now.turn)
    {
        return Waited { ticket: known, cycle: None, _gone: wait };
    }
    let gone = known.and_then(|known| graph.remove(known));
    let Some(wait) = wait else { return Waited { ticket: None, cycle: None, _gone: gone } };
    let first = wait.asker.clone();
    let (ticket, others) = graph.insert(wait);
    let cycle = others.map(|others| Cycle([first].into_iter().chain(others).collect()));
    Waited { ticket: Some(ticket), cycle, _gone: gone }
}

/// The outcome of [`wait`]. The cycle is to be reported, and the rest dropped, outside of the lock.
pub(crate) struct Waited {
    pub(crate) ticket: Option<Ticket>,
    pub(crate) cycle: Option<Cycle>,
    /// Perhaps the last reference to a cell.
    _gone: Option<Wait>,
}

/// Notes that a wait is over.
#[cold]
pub(crate) fn over(ticket: Ticket) {
    let gone = lock(&GRAPH).remove(ticket);
    drop(gone); // outside of the lock: it may be the last reference to a cell
}

impl Cycle {
    /// Raises the event in each tree that observes its asks and has an actor in the cycle, at the first of them.
    pub(crate) fn report(self) {
        let mut told: Vec<&Arc<TreeShared>> = Vec::new();
        for (at, cell) in self.0.iter().enumerate() {
            let tree = &cell.core().bus;
            if are_observed_in(tree) && !told.iter().any(|before| Arc::ptr_eq(before, tree)) {
                told.push(tree);
                let cycle = self.0[at..].iter().chain(&self.0[..at]).map(|other| {
                    let other = other.core();
                    let foreign = !Arc::ptr_eq(tree, &other.bus);
                    said(other.path(), foreign.then(|| other.name_of_root()).as_deref())
                });
                cell.core().emit(EventKind::AskCycle { cycle: cycle.collect() });
            }
        }
    }
}

/// Returns the path as a tree shows it: after the name of its own tree if it is another one.
fn said(path: String, tree: Option<&str>) -> String {
    match tree {
        Some(tree) => format!("{tree}: {path}"),
        None => path,
    }
}

/// Returns the paths of the actors for whose replies this cell waits.
pub fn of(cell: &CellCore) -> Vec<String> {
    if !are_observed_in(&cell.bus) {
        return Vec::new();
    }
    let graph = lock(&GRAPH);
    let waits = range(&graph.of, cell.id, 0..=u64::MAX).map(|(_, asked, ticket)| (asked, &graph.waits[ticket]));
    let mut waits: Vec<_> = waits.filter(|(_, wait)| wait.holds()).collect();
    waits.dedup_by_key(|(asked, _)| *asked);
    let paths: Vec<_> = waits.into_iter().map(|(_, wait)| (wait.path.clone(), wait.tree.clone())).collect();
    drop(graph);
    paths.into_iter().map(|(path, tree)| said(path.to_text(), tree.as_deref())).collect()
}
