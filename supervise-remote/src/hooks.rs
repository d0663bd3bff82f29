//! The runtime as remote children see it: proxies in the tree of the owner, hosted actors on a node, and the network that a
//! tree is put on. Not for users.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::{Mutex, lock};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::{DeadLetterReason, EventKind};
use supervise_core::values::failure::{Cause, Failure, Phase};
use supervise_core::values::network::{Elsewhere, OnNetwork};
use supervise_runtime::event::Events;
use supervise_runtime::extension::{self, AnyCell, AtClose, Extension, Start, cell_of, on_group};
use supervise_runtime::{Actor, ActorRef, Context};

pub use supervise_core::values::network::{
    Held, NetworkView, RefusedNode, RemoteNode, RoleWait, TreeNetwork, TreeRoot, TreeRun,
};
pub use supervise_runtime::extension::crossing::{
    Answering, Context as Crossed, OnReply, Read, ReplyBytes, Written, codec, context, decode, encode, is_crossing,
};
pub use supervise_runtime::extension::{
    Answer, Host, abort_actor as abort, ask_time, deliver, healing, host, is_busy as in_hand, name_of, reply,
    tell_error,
};

/// Makes a failure that happened in another process.
pub fn failure(phase: Phase, cause: Cause, path: String, incarnation: u32) -> Failure {
    Failure::new(phase, cause, path, incarnation)
}

/// Raises an event of this actor.
pub fn emit<A: Actor>(actor: &ActorRef<A>, event: EventKind) {
    cell_of(actor).emit(event);
}

/// Subscribes to the events of the tree around this actor: of a hosted one, to its own and those below it.
pub fn events<A: Actor>(actor: &ActorRef<A>) -> Events {
    cell_of(actor).events()
}

/// Counts a message of this type as a dead letter of this actor.
pub fn dead_letter<A: Actor>(actor: &ActorRef<A>, message: &'static str, reason: DeadLetterReason) {
    emit(actor, EventKind::DeadLetter { message, reason });
}

/// Changes what is known of the place of the instance of a remote child.
fn set_elsewhere<A: Actor, T>(actor: &ActorRef<A>, change: impl FnOnce(&mut Elsewhere) -> T) -> T {
    let elsewhere = cell_of(actor).slot_or_default::<Mutex<Elsewhere>>();
    let mut elsewhere = lock(&elsewhere);
    change(&mut elsewhere)
}

/// Sets the node on which the instance of a remote child runs, for snapshots.
pub fn set_node<A: Actor>(actor: &ActorRef<A>, node: Option<Arc<str>>) {
    let before = set_elsewhere(actor, |elsewhere| std::mem::replace(&mut elsewhere.node, node));
    drop(before);
}

/// Calls this each time the child has ended and its mailbox is closed. It must not panic.
pub fn at_close<A: Actor>(actor: &ActorRef<A>, call: Arc<dyn Fn() + Send + Sync>) {
    set_elsewhere(actor, |_| ()); // from here on it is shown as a remote child
    let before = cell_of(actor).set_slot(Arc::new(AtClose(Box::new(move || call()))));
    drop(before);
}

/// Sets the number of messages that were sent to the node and are not known to be begun, for snapshots.
pub fn set_window<A: Actor>(actor: &ActorRef<A>, sent: usize) {
    set_elsewhere(actor, |elsewhere| elsewhere.window = sent);
}

/// Says that the child waits for a node of this role from now on, or for none, for snapshots and health.
pub fn set_wait<A: Actor>(actor: &ActorRef<A>, role: Option<&'static str>) {
    let waits = role.map(|role| (role, tokio::time::Instant::now()));
    set_elsewhere(actor, |elsewhere| elsewhere.waits = waits);
}

/// The instance of this remote child has begun to end by itself elsewhere.
pub fn ends_by_itself<A: Actor>(actor: &ActorRef<A>) {
    on_group(actor, |group, id| group.leaves(id));
}

/// The instance of this remote child has ended by itself with these words, after this child was asked to end.
pub fn says<A: Actor>(actor: &ActorRef<A>, words: String) {
    on_group(actor, |group, id| group.says(id, words));
}

/// Returns the network that the tree around this actor is on.
pub fn network<A: Actor>(cx: &Context<A>) -> Option<Arc<dyn TreeNetwork>> {
    Some(extension::cell_of_actor(cx).bus().slot::<OnNetwork>()?.network.clone())
}

/// Returns the run of the tree around this actor.
pub fn root<A: Actor>(cx: &Context<A>) -> TreeRoot {
    extension::cell_of_actor(cx).root()
}

/// Returns the [`TreeRoot::id`] of the tree that this actor is part of.
pub fn root_of<A: Actor>(actor: &ActorRef<A>) -> u64 {
    cell_of(actor).root().id
}

/// Returns whether this actor is part of a subtree that has a lease of its own.
pub fn is_leased_part<A: Actor>(cx: &Context<A>) -> bool {
    extension::cell_of_actor(cx).is_in_a_part()
}

/// Lets a failure that `decide` has kept be decided now: `decide` is asked again.
pub fn release<A: Actor>(actor: &ActorRef<A>) {
    on_group(actor, |group, id| group.ask_again(id));
}

/// Takes a hosted actor down as for a restart because of this failure, and ends it: it is started elsewhere.
///
/// `pre_restart` gets the failure; the children go down; `post_stop` runs; the instance is dropped. An actor that goes
/// down already only ends.
pub fn leave<A: Actor>(actor: &ActorRef<A>, failure: &Failure) {
    on_group(actor, |group, id| group.leave_for_good(id, failure, tokio::time::Instant::now()));
}

/// Puts a tree on this network.
pub fn on(network: Arc<dyn TreeNetwork>) -> Arc<dyn Extension> {
    Arc::new(Joins(network))
}

/// Puts a tree on a network when it begins.
#[derive(Debug)]
struct Joins(Arc<dyn TreeNetwork>);

impl Extension for Joins {
    fn starts(&self, root: &Arc<AnyCell>, start: Start) -> Result<(), String> {
        match start {
            Start::Tree(tree) => put_on(self.0.clone(), root, tree),
            Start::Alone | Start::Unlinked => Ok(()),
        }
    }

    fn is_network(&self) -> bool {
        true
    }
}

/// Puts a tree that is about to begin on this network, which is notified of the begin and of the end.
fn put_on(network: Arc<dyn TreeNetwork>, root: &Arc<AnyCell>, tree: &'static TreeSpec) -> Result<(), String> {
    let core = root.core();
    let name = core.root();
    drop(core.bus().set_slot(Arc::new(OnNetwork { root: name.clone(), network: network.clone() })));
    let held = core.slot::<Held>().map(|held| (*held).clone()); // the lease under which the tree runs
    let (cell, heard) = (Arc::downgrade(root), Arc::downgrade(root));
    let run = TreeRun::new(
        move || cell.upgrade().is_some_and(|cell| cell.core().ended().is_none()),
        move |kind| heard.upgrade().into_iter().for_each(|root| root.core().emit(kind.clone())),
    );
    network.begins(name.clone(), tree, held, run)?;
    let cell = Arc::downgrade(root);
    core.on_end(Box::new(move |ended| {
        let is_stuck = || cell.upgrade().is_some_and(|cell| cell.core().report().iter().any(|child| child.stuck));
        let all_down = !matches!(ended, Ended::RuntimeGone) && !is_stuck();
        // The end of the tree is not delayed by a panic of other code.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| network.over(&name, all_down))) {
            drop_catching_panics(panic);
        }
    }));
    Ok(())
}
