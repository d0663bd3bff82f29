//! Trees of the crate `supervise` seen from outside: snapshots, health, pages, drawings, logs, spans, metrics, systemd.
//!
//! **Do not depend on this crate directly.** Depend on `supervise`, which has all of it in its own modules. The examples
//! on these pages use that name.
//!
//! Nothing here is known to the runtime: all of it stands beside a tree, as an extension that is told what happens, or
//! looks at the cells.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))] // checks arithmetic on times only, see `clippy.toml`

mod declared;
mod deploy;
mod draw;
mod health;
mod inspect;
mod log;
#[cfg(feature = "metrics")]
#[cfg_attr(docsrs, doc(cfg(feature = "metrics")))]
pub mod metrics;
mod operate;
mod page;
mod part;
#[cfg(feature = "serde")]
mod serialize;
mod snapshot;
mod span;
#[cfg(feature = "systemd")]
mod systemd;

pub use declared::Render;
pub use deploy::{PodSnippet, SystemdUnit};
pub use health::{Health, Note, NoteKind, Symptom, SymptomKind};
pub use inspect::Inspect;
pub use operate::{Operate, OperateError};
pub use page::{NodePage, Page, PageOrder};
pub use part::{Extent, Instances};
pub use snapshot::{FailedInstance, Messages, Node, NodeState, NodeStateKind, NodeWait, RestartBudget, Snapshot};
#[cfg(feature = "systemd")]
#[cfg_attr(docsrs, doc(cfg(feature = "systemd")))]
pub use systemd::Systemd;

use supervise_runtime::Tree;
use supervise_runtime::bound::IntoNewChild;
use supervise_runtime::error::SpawnError;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::extension::{self, Standing, StandingExtensions};
use supervise_runtime::future::Spawn;

/// The extensions of all trees that a program declares, in the order of their calls.
#[doc(hidden)]
pub const STANDING: Standing = &StandingExtensions {
    all: &[
        &log::Log,
        #[cfg(feature = "metrics")]
        &metrics::TopLevelMetrics,
    ],
    wants: log::wants, // the metrics of a tree are attached to it
};

/// Spawns a top-level child: an actor, a task or a tree that belongs to no tree, declared by `child! { .. }`.
///
/// The child decides on its own failures by the guardian's strategy ([`guardian::set`](supervise_runtime::guardian::set)). It lives
/// until it is stopped: dropping its handle stops nothing. Its path is its name, which need not be unique. An actor can
/// take over a top-level actor as a child with [`Context::link`](supervise_runtime::Context::link) (S39).
///
/// # Errors
///
/// Awaiting returns an error if the first start fails and is not retried; see [`SpawnError`] for all errors.
///
/// # Cancel safety
///
/// Nothing has begun before the first poll. If the future is dropped after that and before it is ready, the child is
/// stopped; [`detached`](Spawn::detached) lets it start all the same.
///
/// # Panics
///
/// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Logger;
/// # #[actor]
/// # impl Logger { fn handle(&mut self, _line: String) {} }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let logger = spawn(child! {
///     #[lifecycle(Permanent)]
///     "logger": Logger = Logger
/// });
/// let logger = logger.await?;
/// logger.tell("hello".into()).await?;
/// logger.stop();
/// assert!(matches!(logger.terminated().await?, Ended::Stopped));
/// # Ok(())
/// # }
/// ```
pub fn spawn<H>(child: impl IntoNewChild<H>) -> Spawn<Result<H, SpawnError>> {
    extension::spawn(child, STANDING)
}

/// The parts that generated code calls.
#[doc(hidden)]
pub mod expansion {
    use super::*;

    /// Makes a tree with these parameters.
    pub fn tree<T: TreeDef>(params: T::Params) -> Tree<T> {
        extension::tree(params, STANDING)
    }
}
