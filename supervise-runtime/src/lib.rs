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
mod actor_ref;
mod aside;
mod backoff;
mod by_hand;
mod cell;
mod children;
mod clock;
mod context;
mod decide;
mod draw;
mod events;
mod failure;
pub mod guardian;
mod health;
mod hook;
mod last;
mod lent;
mod loud;
mod mailbox;
mod options;
pub mod path;
mod place;
mod report;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "signal")]
mod signal;
mod snapshot;
mod span;
mod spec;
mod strategy;
mod supervisor;
mod sync;
mod task;
#[cfg(feature = "testing")]
pub mod testing;
mod tree;
mod validate;
mod watch;

#[doc(hidden)]
pub mod __private;

pub use actor::{Actor, Watcher};
pub use actor_ref::{ActorRef, Ask, AskError, Refusal, Reply, Tell, TellError, Terminated, WaitError};
pub use aside::{Every, Timer};
pub use backoff::{Backoff, ExponentialBackoff, Reset, SlottedBackoff};
pub use by_hand::CommandError;
pub use children::{Children, Keyed, KeyedError};
pub use context::{Context, LinkError, SpawnChild, SpawnError};
pub use events::{DeadReason, EVENT_BUFFER, Event, EventKind, Events, Missed};
pub use failure::{BoxError, Cause, Decides, Failure, Phase, Thrown};
pub use guardian::spawn;
pub use health::{Health, Reason, Symptom};
pub use hook::{EndHook, RestartHook, StartHook};
pub use options::{ChildOptions, Redeliver};
pub use report::{ChildReport, Report};
#[cfg(feature = "signal")]
pub use signal::signal;
pub use snapshot::{MailboxDepth, Node, NodeKind, NodeState, Restarts, Snapshot};
pub use spec::{Below, ChildSpec, DeclaredShutdown, Kind, Shape, TreeSpec};
pub use strategy::{
    Decider, Directive, IntoDecider, Lifecycle, Limit, Mailbox, MaxRestarts, OnLimit, Shutdown as ShutdownTime,
    Strategy, SupervisorStrategy, WhileDown,
};
pub use task::{Task, TaskContext, TaskOutput, TaskRef};
pub use tree::{Child, Handle, Join, Running, Shutdown, ShutdownRef, Start, Tree, TreeRef};
pub use validate::InvalidSettings;
pub use watch::{Ended, Watched};
