//! The settings of a child that do not depend on its type.

use std::time::Duration;

use tokio::runtime::Handle;

use supervise_core::values::backoff::Backoff;
use supervise_core::values::decider::Decider;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::strategy::{Lifecycle, Mailbox, RestartLimit, ShutdownTimeout, WhileDown};

/// The default time in which a child has to go down (S24).
pub(crate) const SHUTDOWN: Duration = supervise_rules::shutdown::DEFAULT;
/// The default time that an ask waits (S3).
const ASK: Duration = Duration::from_secs(5);

/// The settings that do not depend on the type of the child.
#[derive(Debug, Clone, Default)]
pub(crate) struct Common {
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) shutdown: Option<ShutdownTimeout>,
    pub(crate) backoff: Option<Backoff>,
    /// The delay of restarts where no backoff is declared.
    pub(crate) pace: Option<Backoff>,
    pub(crate) limit: RestartLimit,
    pub(crate) decider: Option<Decider>,
    pub(crate) mailbox: Mailbox,
    pub(crate) ask: Option<Duration>,
    pub(crate) max_children: Option<usize>,
    /// The number of instances of a set that may start at the same time.
    pub(crate) max_starting: Option<usize>,
    pub(crate) optional: bool,
    pub(crate) start: Option<Duration>,
    /// The time that an actor may take for each message.
    pub(crate) handler: Option<Duration>,
    pub(crate) drain: bool,
    pub(crate) ready: bool,
    /// Whether this is a task that does not take its context, as far as the declaration shows.
    pub(crate) without_context: bool,
    pub(crate) significant: bool,
    pub(crate) best_effort: bool,
    pub(crate) while_down: WhileDown,
    /// A restart begins with an empty mailbox.
    pub(crate) fresh: bool,
    /// The runtime of the child's task.
    pub(crate) runtime: Option<Handle>,
}

impl Common {
    pub(crate) fn shutdown_or_default(&self, kind: ChildKind) -> ShutdownTimeout {
        self.shutdown.unwrap_or(match kind {
            ChildKind::Tree | ChildKind::Set => ShutdownTimeout::Infinity,
            _ => ShutdownTimeout::Within(SHUTDOWN),
        })
    }

    pub(crate) fn lifecycle_or(&self, kind: ChildKind) -> Lifecycle {
        let by_default = || supervise_rules::Lifecycle::default_for(kind == ChildKind::Task, false);
        self.lifecycle.unwrap_or_else(|| by_default().into())
    }

    pub(crate) fn ask_or_default(&self) -> Duration {
        self.ask.unwrap_or(ASK)
    }

    pub(crate) fn capacity(&self) -> usize {
        match self.mailbox {
            Mailbox::Bounded(places) => places.max(1),
            Mailbox::Unbounded => usize::MAX,
        }
    }
}
