//! The metrics of a node, for its own process.
//!
//! The recorder is code of others: it never runs under a lock, and a panic of it harms nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use metrics::{Unit, describe_gauge, describe_histogram, gauge, histogram};

use crate::errors::guarded;
use crate::health::NodeHealth;
use crate::lock::lock;

/// The nodes of this process that serve, by their numbers. Several of them may have the same labels, and share the gauges.
static NODES: Mutex<Nodes> = Mutex::new(Nodes { changes: 0, nodes: BTreeMap::new() });

struct Nodes {
    changes: u64,
    nodes: BTreeMap<u64, Seen>,
}

struct Seen {
    tree: &'static str,
    role: String,
    children: usize,
    ready: bool,
}

const CHILDREN: &str = "supervise.node.children";
const READY: &str = "supervise.node.ready";
const RENEWAL: &str = "supervise.node.renewal.duration";

fn record(record: impl FnOnce()) {
    if let Err(why) = guarded(record) {
        say!(error, why, "a metric of a node is not recorded");
    }
}

/// Returns a number for one more node of this process.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Describes all metrics of nodes.
pub(crate) fn describe() {
    record(|| {
        describe_gauge!(CHILDREN, Unit::Count, "Children on the nodes of this tree and role in this process.");
        describe_gauge!(
            READY,
            Unit::Count,
            "Nodes of this tree and role in this process that follow an owner and have a lease."
        );
        describe_histogram!(RENEWAL, Unit::Seconds, "Time from a request for a renewal to its answer.");
    });
}

/// A renewal was answered, after this time.
pub(crate) fn renewed(tree: &'static str, role: &str, took: Duration) {
    record(|| histogram!(RENEWAL, "tree" => tree, "role" => role.to_owned()).record(took));
}

/// The state of a node, with each renewal.
pub(crate) fn seen(number: u64, node: &NodeHealth) {
    let seen = Seen { tree: node.tree, role: node.role.clone(), children: node.children, ready: node.is_ready() };
    lock(&NODES).set(number, Some(seen));
    gauges(node.tree, &node.role);
}

/// A node serves no more. Others with its labels go on.
pub(crate) fn gone(number: u64, tree: &'static str, role: &str) {
    lock(&NODES).set(number, None);
    gauges(tree, role);
}

impl Nodes {
    fn set(&mut self, number: u64, seen: Option<Seen>) {
        self.changes += 1;
        match seen {
            Some(seen) => drop(self.nodes.insert(number, seen)),
            None => drop(self.nodes.remove(&number)),
        }
    }

    /// The children of the nodes with these labels, and how many of these nodes are ready.
    fn sums(&self, tree: &str, role: &str) -> (usize, usize) {
        let of_labels = self.nodes.values().filter(|seen| seen.tree == tree && seen.role == role);
        of_labels.fold((0, 0), |(children, ready), seen| (children + seen.children, ready + usize::from(seen.ready)))
    }
}

/// Sets the gauges of these labels, without the lock.
fn gauges(tree: &'static str, role: &str) {
    loop {
        let (changes, (children, ready)) = {
            let nodes = lock(&NODES);
            (nodes.changes, nodes.sums(tree, role))
        };
        record(|| {
            let labels = [("tree", tree.to_owned()), ("role", role.to_owned())];
            gauge!(CHILDREN, &labels).set(children as f64);
            gauge!(READY, &labels).set(ready as f64);
        });
        // If the nodes have changed meanwhile, an older value may have been set last: set all values again.
        if lock(&NODES).changes == changes {
            return;
        }
    }
}
