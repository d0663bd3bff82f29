//! The parts of the runtime that a crate for tests needs. Not for users: they change with that crate, whose version is
//! locked to that of this one.

use std::future::Future;
use std::panic::Location;

use supervise_core::base::sync::{Arc, Weak};
use supervise_core::values::failure::{Cause, Failure};
use supervise_core::values::observe::Observe;

use crate::actor::child_ref::AnyRef;
use crate::actor::commands;
use crate::engine::bus::TreeShared;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::tree::{Running, Tree, TreeDef, TreeRef};

pub use crate::engine::witness::{Happened, Holdup, Letters, Seen, Witness, text_of};

/// Sets this seed unless there is one.
pub fn seed_or<T: TreeDef>(tree: Tree<T>, seed: u64) -> Tree<T> {
    tree.seed_or(seed)
}

/// Marks the tree as one under test.
pub fn mark_as_tested<T: TreeDef>(tree: &mut Tree<T>) {
    tree.tested();
}

/// Adds these facts to those that are collected.
pub fn observe_too<T: TreeDef>(tree: Tree<T>, what: Observe) -> Tree<T> {
    tree.observe_too(what)
}

/// Sets the witness of all that happens in the tree.
pub fn witness<T: TreeDef>(tree: &mut Tree<T>, witness: &Arc<Witness>) {
    tree.witnessed(witness);
}

/// Starts the tree as at this place.
pub fn start_at<T: TreeDef>(
    tree: Tree<T>,
    at: &'static Location<'static>,
) -> impl Future<Output = Result<Running<T>, Failure>> + Send {
    tree.start_at(at)
}

/// Starts the tree as at this place. `begins` is called with the tree before its first child starts.
pub fn start_seen<T: TreeDef>(
    tree: Tree<T>,
    at: &'static Location<'static>,
    begins: impl FnOnce(TreeRef),
) -> impl Future<Output = Result<Running<T>, Failure>> {
    tree.start_seen(at, begins)
}

/// Lets the child fail.
pub fn inject(child: &AnyRef, cause: Cause) {
    send(&**child.cell(), SystemMessage::Inject(cause));
}

/// Drains the child, whatever its kind.
pub fn drain(child: &AnyRef) {
    commands::drain(&**child.cell());
}

/// Waits for the end of a child that is a tree.
pub fn join(child: &AnyRef) -> impl Future<Output = ()> + Send + use<> {
    let ended = TreeRef { cell: child.cell().clone() }.join();
    async move { drop(ended.await) }
}

/// Returns whether the child is a task.
pub fn is_task(child: &AnyRef) -> bool {
    child.cell().is_of_a_task()
}

/// Returns whether the child has an instance, as this witness has seen it.
pub fn lives(witness: &Witness, child: &AnyRef) -> bool {
    let core = child.cell().core();
    witness.lives(&core.path(), core.id)
}

/// A child in a tree.
#[derive(Debug)]
pub struct Part {
    /// The path of the child.
    pub path: String,
    /// Whether the child has ended.
    pub ended: bool,
    /// Whether the child has a mailbox.
    pub actor: bool,
    /// Whether the child may have children.
    pub supervises: bool,
}

/// Returns all children below the root, in the order of their declaration.
pub fn parts(tree: &TreeRef) -> Vec<Part> {
    let below = |cell: &AnyCell| cell.core().table().map(|table| table.children()).unwrap_or_default();
    let mut todo = below(&*tree.cell);
    todo.reverse();
    let mut all = Vec::new();
    while let Some(cell) = todo.pop() {
        let core = cell.core();
        all.push(Part {
            path: core.path(),
            ended: core.has_ended(),
            actor: cell.has_messages(),
            supervises: core.table().is_some(),
        });
        let mut children = below(&*cell);
        children.reverse();
        todo.append(&mut children);
    }
    all
}

/// Says whether anything of a tree is still held.
#[derive(Debug)]
pub struct Rest(Weak<TreeShared>);

impl Rest {
    /// Returns the rest of this tree.
    pub fn of(tree: &TreeRef) -> Self {
        Rest(Arc::downgrade(&tree.cell.core().bus))
    }

    /// Returns whether a handle or a cell of the tree is still held.
    pub fn is_held(&self) -> bool {
        self.0.strong_count() > 0
    }
}
