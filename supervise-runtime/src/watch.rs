//! How an actor, task or tree ended, and who is told (rule S37).

use std::fmt;

use crate::actor::Actor;
use crate::actor_ref::ActorRef;
use crate::failure::{Cause, Failure};

/// Why something ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ended {
    /// By itself: `cx.stop()`, a task that returned, a tree whose members have all ended.
    Done,
    /// Stopped from outside, or with its supervisor.
    Stopped,
    /// Its failure was decided `Stop`, or it had no supervisor.
    Failed(Failure),
    /// Its restart budget was used up.
    Limit(Failure),
    /// A kill led to it.
    Killed,
    /// It did not go down in its `shutdown` time.
    Aborted,
    /// The tokio runtime was dropped: no hook ran.
    RuntimeGone,
}

impl Ended {
    /// The end that a failure leads to.
    pub(crate) fn by(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::Killed => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    /// The failure inside, if there is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Ended::Failed(failure) | Ended::Limit(failure) => Some(failure),
            _ => None,
        }
    }

    /// True for [`Ended::Done`] and [`Ended::Stopped`]: nothing went wrong.
    pub fn is_orderly(&self) -> bool {
        matches!(self, Ended::Done | Ended::Stopped)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Done => f.write_str("done"),
            Ended::Stopped => f.write_str("stopped"),
            Ended::Failed(failure) => write!(f, "failed: {failure}"),
            Ended::Limit(failure) => write!(f, "at its limit: {failure}"),
            Ended::Killed => f.write_str("killed"),
            Ended::Aborted => f.write_str("aborted: it did not go down in its time"),
            Ended::RuntimeGone => f.write_str("ended with its runtime"),
        }
    }
}

/// Whose end a [`Watcher`](crate::Watcher) is told of. Compares with an [`ActorRef`]: `*who == self.db`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Watched {
    pub(crate) id: u64,
    pub(crate) path: String,
}

impl Watched {
    /// The path of the one that ended.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl<B: Actor> PartialEq<ActorRef<B>> for Watched {
    fn eq(&self, other: &ActorRef<B>) -> bool {
        self.id == other.id()
    }
}

/// What a watcher finds in its mailbox.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) who: Watched,
    pub(crate) ended: Ended,
}
