//! The metrics of a node, for its own process.
//!
//! The recorder is code of others: it never runs under a lock, and a panic of it harms nothing.

use std::time::Duration;

use metrics::{Unit, describe_gauge, describe_histogram, gauge, histogram};

use crate::errors::guarded;
use crate::health::NodeHealth;

const CHILDREN: &str = "supervise.node.children";
const READY: &str = "supervise.node.ready";
const RENEWAL: &str = "supervise.node.renewal.duration";

fn record(record: impl FnOnce()) {
    if let Err(why) = guarded(record) {
        say!(error, why, "a metric of a node is not recorded");
    }
}

/// Describes all metrics of nodes.
pub(crate) fn describe() {
    record(|| {
        describe_gauge!(CHILDREN, Unit::Count, "Children on this node.");
        describe_gauge!(READY, Unit::Count, "1 while the node follows an owner and has a lease, else 0.");
        describe_histogram!(RENEWAL, Unit::Seconds, "Time from a request for a renewal to its answer.");
    });
}

/// A renewal was answered, after this time.
pub(crate) fn renewed(tree: &'static str, role: &str, took: Duration) {
    record(|| histogram!(RENEWAL, "tree" => tree, "role" => role.to_owned()).record(took));
}

/// The state of a node, with each renewal and at its end.
pub(crate) fn seen(node: &NodeHealth) {
    record(|| {
        let labels = [("tree", node.tree.to_owned()), ("role", node.role.clone())];
        gauge!(CHILDREN, &labels).set(node.children as f64);
        gauge!(READY, &labels).set(if node.is_ready() { 1.0 } else { 0.0 });
    });
}
