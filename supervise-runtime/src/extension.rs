//! The parts of the runtime that crates beside it need: those that look at a tree, and those that say whether its code
//! may run. Not for users: they change with these crates, whose versions are locked to that of this one.

use std::sync::Arc as StdArc;

use supervise_core::base::sync::Arc;
use supervise_core::values::event::EventKind;
use supervise_core::values::spawn_error::SpawnError;

use crate::actor::child_ref::AnyRef;
use crate::future::Spawn;
use crate::tree::{IntoNewChild, Tree, TreeDef, TreeRef, spawned};

pub use crate::engine::asks::of as asks_of;
pub use crate::engine::bus::TreeShared;
pub use crate::engine::cell::control::{AnyCell, CellCore, Declarations, Elsewhere, Waiting};
pub use crate::engine::extension::{
    Advice, Around, Attached, Edge, Extension, Facts, Gate, Over, Pass, Raised, Role, Standing, Start, Wants,
};
pub use crate::engine::numbers::number;
pub use crate::engine::polls::of as runs_for;
pub use crate::engine::supervisor::{ChildTable, ChildView, FailedEnd};
pub use crate::tree::find::{part, seen};

/// Makes a tree with these parameters, and the extensions that all trees of the program have.
pub fn tree<T: TreeDef>(params: T::Params, standing: Standing) -> Tree<T> {
    Tree::with(params, standing)
}

/// Attaches an extension to a tree that has not begun.
pub fn attach<T: TreeDef>(tree: Tree<T>, extension: StdArc<dyn Extension>) -> Tree<T> {
    tree.attach(extension)
}

/// Returns the cell of a tree.
pub fn cell(tree: &TreeRef) -> &Arc<AnyCell> {
    &tree.cell
}

/// Returns the handle of the tree with this cell.
pub fn tree_of(cell: Arc<AnyCell>) -> TreeRef {
    TreeRef { cell }
}

/// Raises an event of this child.
pub fn emit(child: &AnyRef, event: EventKind) {
    child.cell().core().emit(event);
}

/// Spawns a child outside of any tree.
pub fn spawn<H>(child: impl IntoNewChild<H>, standing: Standing) -> Spawn<Result<H, SpawnError>> {
    spawned::spawn_with(child, standing)
}
