//! The runtime of the crate `supervise`: everything that happens after a tree is declared.
//!
//! **Do not depend on this crate directly.** Depend on `supervise`, which re-exports all public items of this crate
//! together with the macros. The examples on these pages use that name.
//!
//! * [`Actor`], [`ActorRef`], [`Context`] and [`Reply`] define actors and exchange messages with them.
//! * [`Failure`] describes an error, and [`Decider`](policy::Decider) and
//!   [`SupervisorStrategy`](policy::SupervisorStrategy) say how to handle it.
//! * [`Tree`] is a tree before its start, [`Running`] is the guard of a started tree, and [`TreeRef`] is its handle.
//! * [`Children`] spawns children at run time, and [`TaskContext`] is for tasks.
//! * [`policy`] has the settings, [`error`] the errors, [`event`], [`inspect`] and [`spec`] show a tree from outside,
//!   and [`future`] has the futures that methods return.
//!
//! In these pages, a number such as S17 refers to a rule in `docs/semantics.md`, and a number such as C6 to a page of
//! `supervise::errors`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))] // checks arithmetic on times only, see `clippy.toml`

mod actor;
mod engine;
mod task;
mod tree;

#[doc(hidden)]
pub mod expansion;
#[doc(hidden)]
pub mod extension;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod probe;

pub use actor::actor_ref::{ActorRef, Reply};
pub use actor::calls::CallTo;
pub use actor::child_ref::{AnyRef, ChildRef};
pub use actor::context::Context;
pub use actor::follow::{Followed, Lagged};
pub use actor::guardian;
pub use actor::timers::Timer;
pub use actor::{Actor, Watcher};
pub use engine::watched::Watched;
pub use supervise_core::values::ended::Ended;
pub use supervise_core::values::failure::{BoxError, Cause, Failure, Phase, Thrown};
pub use supervise_core::values::fence::FenceToken;
pub use supervise_core::values::path;
pub use supervise_core::values::stop_reason::StopReason;
pub use task::{Task, TaskContext, TaskRef};
pub use tree::children::{Children, Keyed};
pub use tree::handles::Handles;
#[cfg(feature = "signal")]
pub use tree::signal::signal;
pub use tree::{Child, Handle, NewChild, Running, Tree, TreeRef};

/// Errors of calls, and the error types of user code.
pub mod error {
    pub use crate::actor::commands::CommandError;
    pub use crate::actor::errors::{AskError, SendRejection, StartingError, TellError, WaitError};
    pub use crate::tree::children::KeyedError;
    pub use supervise_core::values::far_error::FarError;
    pub use supervise_core::values::invalid_settings::InvalidSettings;
    pub use supervise_core::values::link_error::LinkError;
    pub use supervise_core::values::spawn_error::{SpawnError, SpawnErrorKind};
}

/// Settings as values: strategies, deciders, lifecycles, backoffs, limits and mailboxes.
pub mod policy {
    pub use crate::actor::options::ChildOptions;
    pub use supervise_core::values::backoff::Backoff;
    pub use supervise_core::values::decider::{Arm, Decider, SupervisorStrategy};
    pub use supervise_core::values::strategy::{
        BudgetScope, Directive, Lifecycle, Mailbox, MaxRestarts, OnLimit, Overlap, RestartLimit, ShutdownOrder,
        ShutdownTimeout, Spread, Strategy, WhileDown,
    };
}

/// Events: one for each change of state in a tree.
pub mod event {
    pub use crate::engine::bus::{EVENT_BUFFER, Events};
    pub use supervise_core::values::event::{DeadLetterReason, DecidedBy, Event, EventKind};
    pub use supervise_core::values::operation::Operation;
}

/// Views of a running tree from outside: snapshots, health and the report of a shutdown.
pub mod inspect {
    pub use crate::tree::observing::Observing;
    pub use supervise_core::base::line::one_line;
    pub use supervise_core::values::ended::EndedKind;
    pub use supervise_core::values::failure::CauseKind;
    pub use supervise_core::values::hooks::DeclaredHooks;
    pub use supervise_core::values::kind::ChildKind;
    pub use supervise_core::values::mailbox_depth::MailboxDepth;
    pub use supervise_core::values::network::{NetworkView, RefusedNode, RemoteNode, RoleWait};
    pub use supervise_core::values::observe::Observe;
    pub use supervise_core::values::report::{ChildReport, Report};
}

/// The declaration of a tree as a constant.
pub mod spec {
    pub use supervise_core::values::declaration::{
        Below, ChildSpec, DeclaredLimit, DeclaredShutdown, RemoteSpec, Shape, TreeSpec,
    };
    pub use supervise_core::values::outage::Outage;
}

/// The futures that methods return. Programs await them, and seldom name them.
pub mod future {
    pub use crate::actor::actor_ref::{Ask, Tell};
    pub use crate::actor::waits::{ShutdownRef, Starting};
    pub use crate::tree::Shutdown;
    pub use crate::tree::children::{GetOrSpawn, Spawn};
    pub use supervise_core::base::BoxFuture;
}

/// Traits in the bounds of methods. Compiler messages name them; programs neither name nor implement them.
pub mod bound {
    pub use crate::actor::child_ref::InstanceSet;
    pub use crate::actor::follow::Source;
    pub use crate::actor::hook::{EndHook, RestartHook, StartHook};
    pub use crate::actor::options::Redeliver;
    pub use crate::actor::timers::Every;
    pub use crate::actor::waits::ShutdownResult;
    pub use crate::task::TaskOutput;
    pub use crate::tree::IntoNewChild;
    pub use supervise_core::values::decider::IntoDecider;
    pub use supervise_core::values::failure::Decides;
}
