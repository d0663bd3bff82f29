//! The remote children that a tree declares.

use std::collections::HashMap;
use std::time::Duration;

use supervise::policy::Overlap;
use supervise::spec::{RemoteSpec, TreeSpec};

/// All remote children of a tree and of the trees below it.
pub(crate) fn remote_specs(tree: &'static TreeSpec) -> Vec<&'static RemoteSpec> {
    let mut specs = Vec::new();
    let mut seen: Vec<*const TreeSpec> = Vec::new();
    let mut next = vec![tree];
    while let Some(tree) = next.pop() {
        if seen.contains(&std::ptr::from_ref(tree)) {
            continue; // a tree may contain itself
        }
        seen.push(tree);
        for child in tree.children {
            specs.extend(child.remote);
            next.extend(child.tree());
        }
    }
    specs
}

/// The longest time for which an instance of this tree may act that nobody renews. Of those that may overlap nobody waits
/// for one.
pub(crate) fn longest_orphan(tree: &'static TreeSpec) -> Duration {
    let alone = remote_specs(tree).into_iter().filter(|spec| spec.overlap == Overlap::Forbidden);
    alone.map(|spec| spec.lease.saturating_add(spec.shutdown.unwrap_or_default())).max().unwrap_or_default()
}

/// The shortest lease of the children of each role.
pub(crate) fn shortest_leases(tree: &'static TreeSpec) -> HashMap<&'static str, Duration> {
    let mut leases: HashMap<&'static str, Duration> = HashMap::new();
    for spec in remote_specs(tree) {
        leases.entry(spec.role).and_modify(|lease| *lease = spec.lease.min(*lease)).or_insert(spec.lease);
    }
    leases
}
