//! Actors about whose failures other code decides: all that a crate for children on other machines needs of actors.

use std::fmt;
use std::future::Future;
use std::sync::{Arc as StdArc, OnceLock};

use crate::actor::Actor;
use crate::actor::actor_ref::{ActorRef, Cell, Envelope};
use crate::actor::context::{Startup, make_actor_healing};
use crate::actor::guardian;
use crate::actor::options::ChildOptions;
use crate::actor::timers::{Make, Tick};
use crate::engine::bus::extension::{Extension, Standing, Start, start_extensions};
use crate::engine::cell::body::settings;
use crate::engine::cell::control::{AnyCell, CellCore};
use crate::engine::cell::require_time;
use crate::engine::supervisor::Room;
use supervise_core::base::sync::{Arc, Weak};
use supervise_core::decide::group::{Group, Id};
use supervise_core::values::decider::Decider;
use supervise_core::values::failure::{Failure, Phase, Thrown};
use supervise_core::values::kind::ChildKind;
use supervise_core::values::place::Name;
use supervise_core::values::spawn_error::SpawnError;
use supervise_core::values::strategy::{Directive, Lifecycle};

/// A top-level actor that decides nothing by itself.
///
/// All its options are obeyed, except for the decider and the lifecycle.
pub struct Host<A: Actor> {
    /// The path.
    pub path: String,
    /// The number of the first incarnation, from 1.
    pub incarnation: u32,
    /// The failure that the incarnation heals: `post_restart` gets it.
    pub healing: Option<Failure>,
    /// The settings for the hooks and for the times of a start, a stop and a message.
    pub options: ChildOptions<A>,
    /// The extensions of this actor, and of all below it.
    pub extensions: Vec<StdArc<dyn Extension>>,
    /// The extensions that all trees of the program have.
    pub standing: Standing,
}

impl<A: Actor> fmt::Debug for Host<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("path", &self.path).field("incarnation", &self.incarnation).finish_non_exhaustive()
    }
}

/// Starts such an actor. The future waits until it is up; if it is dropped before, the actor is stopped.
///
/// `decide` is asked about each failure with an instance: `None` keeps it until the group is told to ask again, and then
/// `decide` is asked again. A start that fails ends the actor, and is the error of the future. A bug of this library, and children with
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
    let Host { path, incarnation, healing, options, extensions, standing } = host;
    let owner = guardian::above(standing);
    let above = owner.core();
    above.bus.started();
    for extension in extensions {
        above.bus.attach(extension);
    }
    let _ = start_extensions(&owner, Start::Alone);
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

/// Passes an event of an actor to its group, from any thread.
pub fn on_group<A: Actor>(actor: &ActorRef<A>, event: impl FnOnce(&mut Group, Id)) {
    if let Some(owner) = actor.core().supervisor()
        && let Some(table) = owner.core().table()
    {
        table.on_child_from_outside(&*owner, actor.cell(), event);
    }
}

/// Sends a message that is made when its turn comes, even if the mailbox is full. The message is dropped with the
/// incarnation, and is no dead letter.
pub fn deliver<A: Actor>(actor: &ActorRef<A>, make: impl FnOnce() -> A::Msg + Send + 'static) {
    let tick = Tick::new(actor.own_mailbox(), actor.incarnation(), Make::Late(Box::new(make)));
    actor.cell().push_past_bound(Envelope::Tick(tick));
}
