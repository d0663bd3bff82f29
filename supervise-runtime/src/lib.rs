//! The runtime of `supervise`: what a declared tree does when it runs.
//!
//! Depend on the crate `supervise`, which re-exports all of this together with the macros; the examples use it by
//! that name. The rules that are cited as S1 to S43 are those of `docs/semantics.md`.
//!
//! * an [`Actor`] and its [`ActorRef`], its [`Context`], its [`Reply`]s;
//! * a [`Failure`], and the [`Decider`] and [`SupervisorStrategy`] that decide on it;
//! * a [`Tree`] to be started, the [`Running`] guard, the [`TreeRef`] of every handle;
//! * [`Children`] spawned at run time, [`TaskContext`]s, [`Events`], the [`Report`] of a shutdown.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))] // of times alone, see `clippy.toml`

mod actor;
mod base;
mod contradiction;
mod decide;
mod engine;
mod inspect;
mod task;
#[cfg(feature = "testing")]
pub mod testing;
mod tree;
mod values;

#[doc(hidden)]
pub mod __private;

pub use actor::actor_ref::{ActorRef, Ask, AskError, Refusal, Reply, Tell, TellError, Terminated, WaitError};
pub use actor::commands::CommandError;
pub use actor::context::{Context, SpawnChild, SpawnError};
pub use actor::guardian::{self, spawn};
pub use actor::hook::{EndHook, RestartHook, StartHook};
pub use actor::options::{ChildOptions, Redeliver};
pub use actor::timers::{Every, Timer};
pub use actor::{Actor, Watcher};
pub use contradiction::Contradiction;
pub use engine::bus::{EVENT_BUFFER, Events, Missed};
pub use inspect::health::{Health, Reason, Symptom};
pub use inspect::snapshot::{Node, NodeState, Restarts, Snapshot};
pub use task::{Task, TaskContext, TaskOutput, TaskRef};
pub use tree::children::{Children, Keyed, KeyedError};
#[cfg(feature = "signal")]
pub use tree::signal::signal;
pub use tree::{Child, Handle, Join, Running, Shutdown, ShutdownRef, Start, Tree, TreeRef};
pub use values::backoff::{Backoff, ExponentialBackoff, Reset, SlottedBackoff};
pub use values::ended::{Ended, Watched};
pub use values::event::{DeadReason, Event, EventKind};
pub use values::failure::{BoxError, Cause, Decides, Failure, Phase, Thrown};
pub use values::kind::ChildKind;
pub use values::link_error::LinkError;
pub use values::mailbox_depth::MailboxDepth;
pub use values::path;
pub use values::report::{ChildReport, Report};
pub use values::spec::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};
pub use values::strategy::{
    Decider, Directive, IntoDecider, Lifecycle, Limit, Mailbox, MaxRestarts, OnLimit, Shutdown as ShutdownTime,
    Strategy, SupervisorStrategy, WhileDown,
};
