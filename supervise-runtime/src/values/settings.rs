//! The settings of a child that do not depend on its type.

use std::time::Duration;

use crate::values::backoff::Backoff;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Decider, Lifecycle, Limit, Mailbox, Shutdown, WhileDown};

/// The default time in which a child has to go down (S24).
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(5);
/// The default time that an ask waits (S3).
const ASK: Duration = Duration::from_secs(5);

/// The settings that do not depend on the type of the child.
#[derive(Debug, Clone, Default)]
pub(crate) struct Common {
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) shutdown: Option<Shutdown>,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) limit: Limit,
    pub(crate) decider: Option<Decider>,
    pub(crate) mailbox: Mailbox,
    pub(crate) ask: Option<Duration>,
    pub(crate) max_children: Option<usize>,
    pub(crate) optional: bool,
    pub(crate) start: Option<Duration>,
    pub(crate) drain: bool,
    pub(crate) ready: bool,
    pub(crate) significant: bool,
    pub(crate) while_down: WhileDown,
}

impl Common {
    pub(crate) fn shutdown_or_default(&self, kind: ChildKind) -> Shutdown {
        self.shutdown.unwrap_or(match kind {
            ChildKind::Tree | ChildKind::Set => Shutdown::Infinity,
            _ => Shutdown::Within(SHUTDOWN),
        })
    }

    pub(crate) fn lifecycle_or(&self, kind: ChildKind) -> Lifecycle {
        self.lifecycle.unwrap_or(match kind {
            ChildKind::Task => Lifecycle::Transient,
            _ => Lifecycle::Permanent,
        })
    }

    /// Returns the durations that are set, each with the name of its setting, except those of a limit.
    pub(crate) fn times(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        let shutdown = match self.shutdown {
            Some(Shutdown::Within(time)) => Some(time),
            _ => None,
        };
        let backoff = match self.backoff {
            Some(Backoff::Exponential(backoff)) => Some(backoff.min),
            Some(Backoff::Slotted(backoff)) => Some(backoff.slot_time),
            None => None,
        };
        let said = [("shutdown", shutdown), ("start", self.start), ("ask", self.ask), ("backoff", backoff)];
        said.into_iter().filter_map(|(name, time)| Some((name, time?)))
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
