//! Actors that are hosted for another process, and the other ends of remote children: all that a crate for them needs
//! of actors.

use std::fmt;
use std::future::Future;
use std::sync::{Arc as StdArc, OnceLock};
use std::time::Duration;

use crate::actor::Actor;
use crate::actor::actor_ref::{ActorRef, Cell, Envelope};
use crate::actor::context::{Context, Startup, make_actor_healing};
use crate::actor::errors::{SendRejection, TellError};
use crate::actor::guardian;
use crate::actor::options::ChildOptions;
use crate::actor::timers::{Make, Tick};
use crate::engine::bus::{Events, Remote};
use crate::engine::cell::body::settings;
use crate::engine::cell::control::{AnyCell, CellCore, SystemMessage, send};
use crate::engine::cell::require_time;
use crate::engine::extension::{Standing, Start, start_extensions};
use crate::engine::supervisor::Room;
use supervise_core::base::sync::{Arc, Weak};
use supervise_core::decide::group::{Group, Id};
use supervise_core::values::decider::Decider;
use supervise_core::values::event::{DeadLetterReason, EventKind};
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown};
use supervise_core::values::fence::Fence;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::network::{TreeNetwork, TreeRoot};
use supervise_core::values::place::Name;
use supervise_core::values::spawn_error::SpawnError;
use supervise_core::values::strategy::{Directive, Lifecycle};

/// Makes a failure that happened in another process.
pub fn failure(phase: Phase, cause: Cause, path: String, incarnation: u32) -> Failure {
    Failure::new(phase, cause, path, incarnation)
}

/// Returns the failure that this incarnation heals, if it replaces another. Only for actors with [`Actor::TURNS`].
pub fn healing<A: Actor>(cx: &Context<A>) -> Option<&Failure> {
    cx.healing()
}

/// Raises an event of this actor.
pub fn emit<A: Actor>(actor: &ActorRef<A>, event: EventKind) {
    actor.core().emit(event);
}

/// Subscribes to the events of the tree around this actor: of a hosted one, to its own and those below it.
pub fn events<A: Actor>(actor: &ActorRef<A>) -> Events {
    actor.core().events()
}

/// Counts a message of this type as a dead letter of this actor.
pub fn dead_letter<A: Actor>(actor: &ActorRef<A>, message: &'static str, reason: DeadLetterReason) {
    emit(actor, EventKind::DeadLetter { message, reason });
}

/// Returns whether a message is in hand.
pub fn in_hand<A: Actor>(actor: &ActorRef<A>) -> bool {
    actor.cell().is_busy()
}

/// Returns how long an ask to this actor waits if the asker does not say; `None`: as long as it takes.
pub fn ask_time<A: Actor>(actor: &ActorRef<A>) -> Option<Duration> {
    actor.cell().ask_time()
}

/// Makes the error of a message that was not accepted.
pub fn tell_error<M>(msg: M, reason: SendRejection, path: String) -> TellError<M> {
    TellError::new(msg, reason, path)
}

/// Sets the node on which the instance of a remote child runs, for snapshots.
pub fn set_node<A: Actor>(actor: &ActorRef<A>, node: Option<StdArc<str>>) {
    let before = actor.core().set_elsewhere(|elsewhere| std::mem::replace(&mut elsewhere.node, node));
    drop(before);
}

/// Calls this each time the child has ended and its mailbox is closed. It must not panic.
pub fn at_close<A: Actor>(actor: &ActorRef<A>, call: StdArc<dyn Fn() + Send + Sync>) {
    let before = actor.core().set_elsewhere(|elsewhere| elsewhere.at_close.replace(call));
    drop(before);
}

/// Sets the number of messages that were sent to the node and are not known to be begun, for snapshots.
pub fn set_window<A: Actor>(actor: &ActorRef<A>, sent: usize) {
    actor.core().set_elsewhere(|elsewhere| elsewhere.window = sent);
}

/// Says that the child waits for a node of this role from now on, or for none, for snapshots and health.
pub fn set_wait<A: Actor>(actor: &ActorRef<A>, role: Option<&'static str>) {
    let waits = role.map(|role| (role, tokio::time::Instant::now()));
    actor.core().set_elsewhere(|elsewhere| elsewhere.waits = waits);
}

/// Aborts this child: it has not gone down in its time elsewhere.
pub fn abort<A: Actor>(actor: &ActorRef<A>) {
    send(actor.cell(), SystemMessage::Abort);
}

/// The instance of this remote child has begun to end by itself elsewhere.
pub fn ends_by_itself<A: Actor>(actor: &ActorRef<A>) {
    with(actor, |group, id| group.leaves(id));
}

/// The instance of this remote child has ended by itself with these words, after this child was asked to end.
pub fn says<A: Actor>(actor: &ActorRef<A>, words: String) {
    with(actor, |group, id| group.says(id, words));
}

/// Returns the network that the tree around this actor is on.
pub fn network<A: Actor>(cx: &Context<A>) -> Option<StdArc<dyn TreeNetwork>> {
    cx.cell().core().bus.remote()?.network.clone()
}

/// Returns the run of the tree around this actor.
pub fn root<A: Actor>(cx: &Context<A>) -> TreeRoot {
    let core = cx.cell().core();
    match core.bus.remote() {
        Some(remote) => remote.root.clone(),
        None => core.root(),
    }
}

/// Returns the [`TreeRoot::id`] of the tree that this actor is part of.
pub fn root_of<A: Actor>(actor: &ActorRef<A>) -> u64 {
    actor.core().root().id
}

/// Returns whether this actor is part of a subtree that has a lease of its own.
pub fn is_leased_part<A: Actor>(cx: &Context<A>) -> bool {
    cx.cell().core().is_leased_part()
}

/// An actor that is hosted for another process: a top-level actor that decides nothing by itself.
///
/// All its options are obeyed, except for the decider and the lifecycle.
pub struct Host<A: Actor> {
    /// The path in the tree of the owner.
    pub path: String,
    /// The incarnation in the tree of the owner, from 1.
    pub incarnation: u32,
    /// The failure that the incarnation heals: `post_restart` gets it.
    pub healing: Option<Failure>,
    /// The settings for the hooks and for the times of a start, a stop and a message.
    pub options: ChildOptions<A>,
    /// Asked before anything of the actor, or of its children, is polled.
    pub fence: Option<StdArc<dyn Fence>>,
    /// The extensions that all trees of the program have.
    pub standing: Standing,
}

impl<A: Actor> fmt::Debug for Host<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("path", &self.path).field("incarnation", &self.incarnation).finish_non_exhaustive()
    }
}

/// Starts a hosted actor. The future waits until it is up; if it is dropped before, the actor is stopped.
///
/// `decide` is asked about each failure with an instance: `None` keeps it until [`release`], and then `decide` is asked
/// again. A start that fails ends the actor, and is the error of the future. A bug of this library, and children with
/// settings that contradict each other, end it as [`Ended::Failed`](crate::Ended::Failed) without a question.
///
/// # Panics
///
/// Panics outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
pub fn host<A, F, Fut>(
    host: Host<A>,
    start: F,
    decide: impl Fn(&ActorRef<A>, &Failure) -> Option<Directive> + Send + Sync + 'static,
) -> (ActorRef<A>, impl Future<Output = Result<(), SpawnError>> + Send)
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
{
    require_time();
    let Host { path, incarnation, healing, options, fence, standing } = host;
    let owner = guardian::above(standing);
    let above = owner.core();
    above.bus.started();
    let _ = start_extensions(&owner, Start::Alone);
    above.bus.set_remote(Remote { root: above.root(), network: None, fence });
    let own: Arc<OnceLock<Weak<Cell<A>>>> = Arc::default();
    let me = own.clone();
    let options = options.lifecycle(Lifecycle::Transient).set(|common| {
        common.decider = Some(Decider::in_time(move |failure| {
            let actor = me.get().and_then(Weak::upgrade).filter(|_| failure.phase() == Phase::Running);
            match actor {
                Some(cell) => decide(&ActorRef::of(cell), failure),
                None => Some(Directive::Stop), // a start: the owner decides about it
            }
        }));
    });
    let common = options.options.common.clone();
    let core = || {
        let core = CellCore::new(Name::of_path(path), Some(owner.clone()), owner.core().bus.clone());
        core.set_incarnation(incarnation.saturating_sub(1));
        core
    };
    let (cell, life) = make_actor_healing(core, options, start, healing);
    let _ = own.set(Arc::downgrade(&cell));
    let any: Arc<AnyCell> = cell.clone();
    let table = above.table().expect("a guardian has one");
    let added = table.add(&*owner, None, Room::default(), settings(&common, ChildKind::Actor), |_| any.clone());
    added.expect("a new guardian takes its only child").done();
    life.begin();
    (ActorRef::of(cell), Startup::unless(any, || false))
}

/// Passes an event of a hosted actor to its group, from any thread.
fn with<A: Actor>(actor: &ActorRef<A>, event: impl FnOnce(&mut Group, Id)) {
    if let Some(owner) = actor.core().supervisor()
        && let Some(table) = owner.core().table()
    {
        table.on_child_from_outside(&*owner, actor.cell(), event);
    }
}

/// Lets a failure that `decide` has kept be decided now: `decide` is asked again.
pub fn release<A: Actor>(actor: &ActorRef<A>) {
    with(actor, |group, id| group.ask_again(id));
}

/// Takes a hosted actor down as for a restart because of this failure, and ends it: it is started elsewhere.
///
/// `pre_restart` gets the failure; the children go down; `post_stop` runs; the instance is dropped. An actor that goes
/// down already only ends.
pub fn leave<A: Actor>(actor: &ActorRef<A>, failure: &Failure) {
    with(actor, |group, id| group.leave_for_good(id, failure, tokio::time::Instant::now()));
}

/// Sends a message that is made when its turn comes, even if the mailbox is full. The message is dropped with the
/// incarnation, and is no dead letter.
pub fn deliver<A: Actor>(actor: &ActorRef<A>, make: impl FnOnce() -> A::Msg + Send + 'static) {
    let tick = Tick::new(actor.own_mailbox(), actor.incarnation(), Make::Late(Box::new(make)));
    actor.cell().push_past_bound(Envelope::Tick(tick));
}
