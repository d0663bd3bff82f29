//! The items that generated code uses, with names that read well in the compiler's messages. Not for users: they change
//! with the macros, whose version is locked to that of this crate.

pub use core::clone::Clone;
pub use core::result::Result::{Err, Ok};
pub use core::time::Duration;

pub use crate::actor::actor_ref::{ActorRef, Reply};
pub use crate::actor::calls::{
    AnswerOf, Answers, AnyAnswer, CallTo, ErrorOfAnyType, Handled, IsAnswer, IsAnswerIf, IsSent, IsSentIf,
    MayBeAFailure, Plain, ReadError, ResultAnswer, answer, answer_of, reply_of,
};
pub use crate::actor::context::Context;
pub use crate::actor::hook::{EndHook, RestartHook, StartHook};
pub use crate::actor::options::{ChildOptions, HalfTyped, NotATree, OfActors, WithMailbox};
pub use crate::actor::{
    Actor, ErrorOfAnActor, HandleOutput, HasHandle, IsAHandle, NoHandle, Outcome, OutputIf, Watcher, call_handle,
    may_move_between_threads,
};
pub use crate::engine::watched::Watched;
pub use crate::task::{
    Poll, Polled, Returns, Task, TaskContext, TaskFuture, TaskOutput, TaskRef, TaskStart, Unspawned, future_of,
    optional_task, task_of,
};
pub use crate::tree::children::{Children, Key, Keyed, need_key};
pub use crate::tree::handles::Handles;
/// The module of `cx.spawn`, so that the compiler has a path for it that can be read.
pub use crate::tree::spawned as children_at_run_time;
pub use crate::tree::{
    ATree, Ahead, Builder, BuiltHandle, CanBeAKey, CanCloneForStarts, CanKeep, CanKeepForInitial, CanKeepForInstances,
    CanMove, CanMoveIntoInstances, CanReturn, Capture, Checked, Child, ChildIf, ChildSlot, CloneForStart, Handle,
    IsAChild, Keep, Launched, NamesATree, Published, Running, SendValue, SharedValue, Spawned, Start, Tree, TreeDef,
    TreeHandle, TreeRef, initial, later, launch_tree, name_of_child, new_child, new_child_once, no_initial,
};
pub use supervise_core::base::BoxFuture;
pub use supervise_core::values::asked::{
    ArmOf, BugOfRemoteIsAsked, BugOfTaskIsAsked, EndIsAsked, InvalidSettingsAreAsked, LimitOfRemoteIsAsked,
    LimitOfTaskIsAsked, NodeOfTaskIsAsked, NotAsked, Other, OtherArm, PactOfTaskIsAsked, RequestIsAsked,
    TimeOfTaskIsAsked, arm_of,
};
pub use supervise_core::values::backoff::Backoff;
pub use supervise_core::values::decider::{Arm, Decider, IntoDecider, SupervisorStrategy};
pub use supervise_core::values::declaration::{
    Below, ChildSpec, DeclaredLimit, DeclaredShutdown, RemoteSpec, Shape, TreeSpec, default_limit, default_shutdown,
    remote_key, shutdown_suffices,
};
pub use supervise_core::values::ended::Ended;
pub use supervise_core::values::failure::{BoxError, Cause, Decides, Failure, Phase, Thrown};
pub use supervise_core::values::hooks::DeclaredHooks;
pub use supervise_core::values::kind::ChildKind;
pub use supervise_core::values::outage::Outage;
pub use supervise_core::values::report::Report;
pub use supervise_core::values::strategy::{
    BudgetScope, Directive, Lifecycle, Mailbox, MaxRestarts, OnLimit, Overlap, RestartLimit, ShutdownOrder,
    ShutdownTimeout, Spread, Strategy, WhileDown,
};

/// Returns the number of an array's children, with the type that an array needs.
pub const fn number<const N: usize>() -> usize {
    N
}

/// Calls a hook of a derive or an `#[actor] impl`, by the same dispatch as the hooks in a tree.
pub async fn restart_hook<A: Actor, M, H: RestartHook<A, M>>(
    hook: H,
    actor: &mut A,
    failure: &Failure,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, failure, cx).await
}

/// Calls a `pre_start` or `post_stop` hook; see [`restart_hook`].
pub async fn start_hook<A: Actor, M, H: StartHook<A, M>>(
    hook: H,
    actor: &mut A,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, cx).await
}

/// Calls a `terminated` hook; see [`restart_hook`].
pub async fn end_hook<A: Actor, M, H: EndHook<A, M>>(
    hook: H,
    actor: &mut A,
    who: &Watched,
    ended: &Ended,
    cx: &mut Context<A>,
) -> Result<(), A::Error> {
    hook.call(actor, who, ended, cx).await
}

/// The settings inside the braces of a tree, so that an editor can offer them where one is half typed.
#[derive(Debug)]
pub struct TreeSettings;

impl TreeSettings {
    /// Sets which children restart together, and how many restarts are too many (S15, S17).
    pub fn strategy(&self) {}

    /// Sets the decision after a failure (S8).
    pub fn decider(&self) {}

    /// Sets the time for every end of the tree, and whether its children go down together (S44).
    pub fn shutdown(&self) {}

    /// Sets a default of all children (S45).
    pub fn lifecycle(&self) {}

    /// Sets the pace of the restarts of all children (S45).
    pub fn backoff(&self) {}

    /// Sets a default of all actors among the children (S45).
    pub fn mailbox(&self) {}

    /// Sets where all remote children run (S56).
    pub fn on(&self) {}
}
