//! What generated code calls. Not for users: it changes with the macros, whose version is locked to
//! this crate's.

pub use crate::actor::{Actor, HandleOutput, Outcome, OutputIf, Watcher};
pub use crate::actor_ref::{ActorRef, Reply};
pub use crate::backoff::{Backoff, ExponentialBackoff, Reset, SlottedBackoff};
pub use crate::children::{Children, Key, Keyed, need_key};
pub use crate::context::Context;
pub use crate::failure::{BoxError, Cause, Decides, Failure, Phase, Thrown};
pub use crate::hook::{EndHook, RestartHook, StartHook};
pub use crate::options::{ChildOptions, OfActors};
pub use crate::report::Report;
pub use crate::spec::{Below, ChildSpec, DeclaredShutdown, Kind, Shape, Text, TreeSpec, shutdown_too_short};
pub use crate::strategy::{
    Decider, Directive, IntoDecider, Lifecycle, Limit, Mailbox, MaxRestarts, OnLimit, Shutdown, Strategy,
    SupervisorStrategy, WhileDown,
};
pub use crate::task::{Task, TaskContext, TaskOutput, TaskRef, TaskStart, future_of, optional_task, task_of};
pub use crate::tree::{
    Argument, AsKey, Builder, Checked, Child, ChildIf, CloneForStart, Declared, First, Handle, Launched, Moved,
    Parameter, Running, Seat, SendValue, SharedValue, Start, Tree, TreeDef, TreeHandle, TreeRef, TypeCheck, initial,
    launch_tree, no_initial,
};
pub use crate::watch::{Ended, Watched};

/// The number of an array's children, asked for as its type asks.
pub const fn number<const N: usize>() -> usize {
    N
}

/// The hook of a derive or an `#[actor] impl`, by the same dispatch as those in a tree.
pub async fn restart_hook<A: Actor, M, H: RestartHook<A, M>>(
    hook: H,
    actor: &mut A,
    failure: &Failure,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, failure, cx).await
}

/// See [`restart_hook`].
pub async fn start_hook<A: Actor, M, H: StartHook<A, M>>(
    hook: H,
    actor: &mut A,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, cx).await
}

/// See [`restart_hook`].
pub async fn end_hook<A: Actor, M, H: EndHook<A, M>>(
    hook: H,
    actor: &mut A,
    who: &Watched,
    ended: &Ended,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, who, ended, cx).await
}
