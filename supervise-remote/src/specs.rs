//! The remote children that a tree declares.

use std::collections::HashMap;
use std::time::Duration;

use supervise_runtime::policy::Overlap;
use supervise_runtime::spec::{RemoteSpec, TreeSpec};

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

/// Returns why a tree has nothing for a node of this role, with the role that was probably meant.
pub(crate) fn unknown_role(tree: &'static TreeSpec, role: &str) -> Option<String> {
    let mut roles: Vec<_> = remote_specs(tree).iter().map(|spec| spec.role).collect();
    if roles.contains(&role) {
        return None;
    }
    roles.sort_unstable();
    roles.dedup();
    let name = tree.name;
    if roles.is_empty() {
        return Some(format!("{name} has no remote child, so a node has nothing to run"));
    }
    let nearest = roles.iter().map(|known| (distance(role, known), known)).min();
    let meant = nearest.filter(|(distance, known)| *distance <= 1 + known.len() / 4);
    let meant = meant.map_or_else(|| "; its".to_owned(), |(_, known)| format!("; did you mean {known:?}? Its"));
    let roles: Vec<_> = roles.iter().map(|known| format!("{known:?}")).collect();
    Some(format!("{name} has no remote child of the role {role:?}{meant} roles: {}", roles.join(", ")))
}

/// Counts the letters that differ, are missing or are too many; two that change places count once.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut best = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
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
