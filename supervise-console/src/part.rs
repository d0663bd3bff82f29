//! The part of a tree that is shown, and its declaration.

use std::sync::Arc;

use supervise::TreeRef;
use supervise::inspect::Extent;
use supervise::inspect::Inspect as _;
use supervise::spec::{Below, Shape, TreeSpec};

/// The part of a tree that a console shows.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) tree: TreeRef,
    pub(crate) path: Arc<str>,
    /// The tree is a subtree: events come from everywhere, and only those below it are shown.
    is_below: bool,
}

impl Part {
    pub(crate) fn of(tree: TreeRef) -> Part {
        let path = tree.path();
        // A root has no supervisor, so only a root has no budget.
        let snapshot = tree.snapshot_of(&path, Extent::Declared);
        let is_below = snapshot.is_some_and(|snapshot| snapshot.root.restarts.is_some());
        Part { tree, path: path.into(), is_below }
    }

    /// Returns the paths of the declared children, and the number of children that each stands for: more than one for the
    /// name of an array. Those are included that have not started yet, and `Option<..>` that are `None`.
    pub(crate) fn declared(&self) -> Vec<(String, usize)> {
        let mut paths = Vec::new();
        if let Some(spec) = self.tree.spec() {
            let prefix = if self.is_below { format!("{}/", self.path) } else { String::new() };
            collect(spec, &prefix, &mut paths);
        }
        paths
    }

    /// Returns whether an event with this path is about this part.
    pub(crate) fn contains(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.path);
        !self.is_below || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Collects the paths of the children that this tree declares, and the number of those that each stands for.
fn collect(spec: &TreeSpec, prefix: &str, paths: &mut Vec<(String, usize)>) {
    for child in spec.children {
        let path = format!("{prefix}{}", child.name);
        let below = |path: &str, paths: &mut Vec<_>| {
            // The instances of a set are not declared.
            if let (Below::Known(Some(tree)), false) = (child.below, child.is_set()) {
                collect(tree, &format!("{path}/"), paths);
            }
        };
        match child.shape {
            Shape::Array(elements) => {
                paths.push((path.clone(), elements));
                for index in 0..elements {
                    let path = format!("{path}/{index}");
                    paths.push((path.clone(), 1));
                    below(&path, paths);
                }
            }
            _ => {
                paths.push((path.clone(), 1));
                below(&path, paths);
            }
        }
    }
}
