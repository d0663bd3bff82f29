//! The path of a cell as it is declared, for metrics.

use supervise_core::decide::group::{Group, Owner};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::place::Name;
use supervise_runtime::extension::CellCore;

/// Returns the path as it is declared: of an instance of a set `sessions/*`, of an element of an array `shards/*`, of
/// everything below an actor `path/*`. So the number of paths does not depend on what runs.
///
/// A tree may contain itself, in a set. Its children have the path of the first of these sets.
pub(crate) fn declared_path(cell: &CellCore) -> String {
    let mut above: Vec<&CellCore> = vec![cell];
    while let Some(parent) = above[above.len() - 1].parent() {
        above.push(parent.core());
    }
    let Some(mut parent) = above.pop() else { return String::new() };
    if above.is_empty() {
        return cell.name();
    }
    let mut names: Vec<(Option<(&TreeSpec, &str)>, &str)> = Vec::new();
    for core in above.into_iter().rev() {
        let Some(table) = parent.table() else { break };
        let tree = table.declaration();
        let (name, element) = match core.declared_name().filter(|_| tree.is_some()) {
            Some(Name::Declared(name)) => (*name, false),
            Some(Name::Element(name, _)) => (*name, true),
            _ => ("*", false),
        };
        if let Some(tree) = tree {
            let is = |(known, before): (&TreeSpec, &str)| (known.name, known.at, before) == (tree.name, tree.at, name);
            if let Some(first) = names.iter().position(|(declared, _)| declared.is_some_and(is)) {
                names.truncate(first);
            }
        }
        names.push((tree.map(|tree| (tree as &TreeSpec, name)), name));
        if element {
            names.push((None, "*"));
        }
        if table.inspect(Group::owner) == Owner::Actor {
            break;
        }
        parent = core;
    }
    names.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join("/")
}
