//! The parts of the runtime that crates beside it need: those that look at a tree, and those that say whether its code
//! may run. Not for users: they change with these crates, whose versions are locked to that of this one.

use std::panic::Location;
use std::sync::Arc as StdArc;
use std::time::Duration;

use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Failure;
use supervise_core::values::report::Report;
use supervise_core::values::spawn_error::SpawnError;

use crate::actor::Actor;
use crate::actor::actor_ref::ActorRef;
use crate::actor::child_ref::AnyRef;
use crate::actor::context::Context;
use crate::actor::errors::{SendRejection, TellError};
use crate::actor::waits::{self, Terminated};
use crate::engine::cell::control::{SystemMessage, send};
use crate::future::Spawn;
use crate::task::TaskContext;
use crate::tree::children::Children;
use crate::tree::{Child, IntoNewChild, Running, Shutdown, Tree, TreeDef, TreeRef, spawned};

pub use crate::actor::actor_ref::{Answer, reply};
#[cfg(feature = "remote")]
pub use crate::actor::crossing;
pub use crate::actor::host::{Host, deliver, host, on_group};
pub use crate::actor::name_of;
pub use crate::engine::asks::of as asks_of;
pub use crate::engine::bus::TreeShared;
pub use crate::engine::bus::extension::{
    Advice, Around, AtClose, Attached, Edge, Extension, Facts, Gate, Over, Pass, Raised, Role, Standing,
    StandingExtensions, Start, Wants,
};
pub use crate::engine::cell::control::{AnyCell, CellCore, Declarations, Waiting};
pub use crate::engine::cell::require_time;
pub use crate::engine::numbers::number;
pub use crate::engine::polls::of as runs_for;
pub use crate::engine::supervisor::{ChildTable, ChildView, FailedEnd};
pub use crate::tree::find::{part, seen};
pub use crate::tree::{AfterEnd, Begun};

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

/// Returns the cell of an actor.
pub fn cell_of_actor<A: Actor>(cx: &Context<A>) -> &CellCore {
    cx.cell().core()
}

/// Returns the cell of the actor behind a handle.
pub fn cell_of<A: Actor>(actor: &ActorRef<A>) -> &CellCore {
    actor.core()
}

/// Returns the failure that this incarnation heals, if it replaces another. Only for actors with turns
/// ([`Actor::TURNS`]).
pub fn healing<A: Actor>(cx: &Context<A>) -> Option<&Failure> {
    cx.healing()
}

/// Returns whether a message is in hand.
pub fn is_busy<A: Actor>(actor: &ActorRef<A>) -> bool {
    actor.cell().is_busy()
}

/// Returns how long an ask to this actor waits if the asker does not say; `None`: as long as it takes.
pub fn ask_time<A: Actor>(actor: &ActorRef<A>) -> Option<Duration> {
    actor.cell().ask_time()
}

/// Aborts an actor: it ends without hooks, leaves first.
pub fn abort_actor<A: Actor>(actor: &ActorRef<A>) {
    send(actor.cell(), SystemMessage::Abort);
}

/// Makes the error of a message that was not accepted.
pub fn tell_error<M>(msg: M, reason: SendRejection, path: String) -> TellError<M> {
    TellError::new(msg, reason, path)
}

/// Returns the cell of a task.
pub fn cell_of_task(cx: &TaskContext) -> &CellCore {
    cx.cell.core()
}

/// Returns what all runs of a tree that is not started share.
pub fn shared<T: TreeDef>(tree: &mut Tree<T>) -> Arc<TreeShared> {
    tree.bus()
}

/// Makes a tree of the same parameters and settings, whose events come after those of the runs before.
pub fn next_run<T: TreeDef>(tree: &mut Tree<T>) -> Tree<T>
where
    T::Params: Clone,
{
    tree.of_next_run()
}

/// Returns whether an extension of this tree, which is not started, is such a one.
pub fn has<T: TreeDef>(tree: &Tree<T>, is_one: impl Fn(&dyn Extension) -> bool) -> bool {
    tree.has(is_one)
}

/// Creates the tree's task. `before`: called with the root before anything begins.
pub fn begin_with<T: TreeDef>(
    tree: Tree<T>,
    at: &'static Location<'static>,
    before: impl FnOnce(&Arc<AnyCell>),
) -> Begun<T> {
    tree.begin_with(at, before)
}

/// Has a shutdown and a join of this guard wait for this, too, once the tree has ended.
pub fn and_then<T: TreeDef>(running: Running<T>, after: AfterEnd) -> Running<T> {
    running.and_then(after)
}

/// Adds an instance to a set. `before`: called with its cell before it begins. Returns the cell.
///
/// # Errors
///
/// Returns the errors of a spawn.
pub fn launch_with<T: Child, Args: Send + 'static>(
    set: &Children<T, Args>,
    args: Args,
    before: impl FnOnce(&Arc<AnyCell>),
) -> Result<Arc<AnyCell>, SpawnError> {
    set.launch_with(args, before)
}

/// Requests a stop.
pub fn stop(cell: &Arc<AnyCell>) {
    send(&**cell, SystemMessage::Stop);
}

/// Aborts a child: it ends without hooks, leaves first.
pub fn abort(cell: &Arc<AnyCell>) {
    send(&**cell, SystemMessage::Abort);
}

/// Waits for the end of a child, of which the caller is no part.
pub fn terminated(cell: &Arc<AnyCell>) -> impl Future<Output = Ended> + Send + use<> {
    let ended = Terminated::of(cell.clone());
    async move { ended.await.unwrap_or(Ended::RuntimeGone) }
}

/// Waits for the end of a tree, and returns its report.
pub fn shutdown(cell: Arc<AnyCell>) -> Shutdown {
    Shutdown::of(cell)
}

/// Returns the report of a tree that has ended.
pub fn report(cell: &Arc<AnyCell>, ended: Ended) -> Report {
    waits::report(&**cell, ended)
}

/// Raises an event of this child.
pub fn emit(child: &AnyRef, event: EventKind) {
    child.cell().core().emit(event);
}

/// Spawns a child outside of any tree.
pub fn spawn<H>(child: impl IntoNewChild<H>, standing: Standing) -> Spawn<Result<H, SpawnError>> {
    spawned::spawn_with(child, standing)
}
