//! The runtime of the crate `supervise`: everything that happens after a tree is declared.
//!
//! **Do not depend on this crate directly.** Depend on `supervise`, which re-exports all public items of this crate
//! together with the macros. The examples on these pages use that name.
//!
//! * [`Actor`], [`ActorRef`], [`Context`] and [`Reply`] define actors and exchange messages with them.
//! * [`Failure`] describes an error, and [`Decider`] and [`SupervisorStrategy`] say how to handle it.
//! * [`Tree`] is a tree before its start, [`Running`] is the guard of a started tree, and [`TreeRef`] is its handle.
//! * [`Children`] spawns children at run time, [`TaskContext`] is for tasks, [`Events`] reports every change of state,
//!   and [`Report`] sums up a shutdown.
//!
//! In these pages, a number such as S17 refers to a rule in `docs/semantics.md`, and a number such as C6 to a page of
//! `supervise::errors`.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))] // checks arithmetic on times only, see `clippy.toml`

mod actor;
mod base;
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

pub use actor::actor_ref::{ActorRef, Ask, AskError, Reply, SendRejection, Tell, TellError, Terminated, WaitError};
pub use actor::commands::CommandError;
pub use actor::context::{Context, SpawnChild};
pub use actor::guardian::{self, spawn};
pub use actor::hook::{EndHook, RestartHook, StartHook};
pub use actor::options::{ChildOptions, Redeliver};
pub use actor::timers::{Every, Timer};
pub use actor::{Actor, Watcher};
pub use engine::bus::{EVENT_BUFFER, Events, Lagged};
pub use inspect::health::{Health, Symptom, SymptomKind};
pub use inspect::snapshot::{Node, NodeState, RestartBudget, Snapshot};
pub use task::{Task, TaskContext, TaskOutput, TaskRef};
pub use tree::children::{Children, Keyed, KeyedError};
#[cfg(feature = "signal")]
pub use tree::signal::signal;
pub use tree::{Child, Handle, Join, Running, Shutdown, ShutdownRef, Start, Tree, TreeRef};
pub use values::backoff::{Backoff, ExponentialBackoff, Reset, SlottedBackoff};
pub use values::ended::{Ended, Watched};
pub use values::event::{DeadLetterReason, Event, EventKind};
pub use values::failure::{BoxError, Cause, Decides, Failure, Phase, UserError};
pub use values::invalid_settings::InvalidSettings;
pub use values::kind::ChildKind;
pub use values::link_error::LinkError;
pub use values::mailbox_depth::MailboxDepth;
pub use values::path;
pub use values::report::{ChildReport, Report};
pub use values::spawn_error::SpawnError;
pub use values::spec::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};
pub use values::strategy::{
    Decider, Directive, IntoDecider, Lifecycle, Mailbox, MaxRestarts, OnLimit, RestartLimit, ShutdownTimeout, Strategy,
    SupervisorStrategy, WhileDown,
};
