//! Ends: why an actor, task or tree ended.

use std::borrow::Cow;
use std::fmt;

use crate::base::DisplayFn;
use crate::base::kinds::kinds;
use crate::base::line::one_line;
use crate::values::failure::{Cause, Failure};

/// Why an actor, task or tree ended.
///
/// Returned by [`ActorRef::terminated`](https://docs.rs/supervise-tree/latest/supervise/struct.ActorRef.html#method.terminated) and similar waits, contained in a
/// [`Report`](crate::values::report::Report), and passed to a [`Watcher`](https://docs.rs/supervise-tree/latest/supervise/trait.Watcher.html).
///
/// ```
/// use supervise::prelude::*;
///
/// fn tell(ended: &Ended) -> String {
///     match ended {
///         Ended::Done | Ended::Stopped => "all is well".to_owned(),
///         Ended::DoneWith(reason) => format!("all is well: {reason}"), // also `ended.is_orderly()`
///         Ended::Failed(failure) => format!("{} for good", failure.cause()),
///         Ended::Limit(failure) => format!("too often: {failure}"),
///         Ended::Killed | Ended::Aborted => "the hard way".to_owned(),
///         _ => ended.to_string(),
///     }
/// }
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = async {},
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert_eq!(tell(&shop.ticker.terminated().await?), "all is well");
/// shop.db.kill(); // decided `Stop` by default
/// assert_eq!(tell(&shop.db.terminated().await?), "the hard way");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ended {
    /// Ended by itself: `cx.stop()`, a task that returned, a tree whose members have all ended.
    Done,
    /// Ended by itself, and said why: [`cx.stop_with(..)`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.stop_with). Its [kind](Ended::kind) is
    /// `Done`.
    DoneWith(Cow<'static, str>),
    /// Stopped from outside, or together with its supervisor.
    Stopped,
    /// Failed, and the failure was decided `Stop`, or there was no supervisor to decide.
    Failed(Failure),
    /// Failed, and the restart budget was used up.
    Limit(Failure),
    /// Killed.
    Killed,
    /// Aborted: the child did not go down within its `shutdown` time.
    Aborted,
    /// The tokio runtime was dropped, and no hook ran.
    RuntimeGone,
}

kinds! {
    /// The kind of an [`Ended`], without the failure.
    ///
    /// Kinds can be compared, as in `assert_eq!`. A [`Ended`] may contain an error, which cannot.
    ///
    /// ```
    /// use supervise::Ended;
    /// use supervise::inspect::EndedKind;
    ///
    /// assert_eq!(Ended::Stopped.kind(), EndedKind::Stopped);
    /// ```
    pub enum EndedKind of Ended {
        Done | DoneWith,
        Stopped,
        Failed,
        Limit,
        Killed,
        Aborted,
        RuntimeGone,
    }

    /// Returns the kind of the end, without the failure.
    fn kind;
}

impl EndedKind {
    /// Returns the word for this kind in JSON and in the log.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            EndedKind::Done => "done",
            EndedKind::Stopped => "stopped",
            EndedKind::Failed => "failed",
            EndedKind::Limit => "limit",
            EndedKind::Killed => "killed",
            EndedKind::Aborted => "aborted",
            EndedKind::RuntimeGone => "runtime_gone",
        }
    }
}

impl Ended {
    /// Returns the end that a failure leads to.
    #[doc(hidden)]
    pub fn by(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::Killed => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    /// Returns the text for a reader that may already know the path.
    #[doc(hidden)]
    pub fn at(&self, path: &str) -> impl fmt::Display {
        DisplayFn(move |f: &mut fmt::Formatter<'_>| match self.failure() {
            Some(failure) => write!(f, "{}", failure.at(path)),
            None => write!(f, "{self}"),
        })
    }

    /// Returns the failure that led to the end, if there is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Ended::Failed(failure) | Ended::Limit(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns what the child said with [`cx.stop_with(..)`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.stop_with) when it ended by itself.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Ended::DoneWith(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns `true` for [`Ended::Done`], [`Ended::DoneWith`] and [`Ended::Stopped`]: nothing went wrong.
    pub fn is_orderly(&self) -> bool {
        matches!(self, Ended::Done | Ended::DoneWith(_) | Ended::Stopped)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Done => f.write_str("done"),
            Ended::DoneWith(reason) => write!(f, "done: {}", one_line(reason)),
            Ended::Stopped => f.write_str("stopped"),
            Ended::Failed(failure) | Ended::Limit(failure) => failure.fmt(f),
            Ended::Killed => f.write_str("killed"),
            Ended::Aborted => f.write_str("aborted: it did not go down in its time"),
            Ended::RuntimeGone => f.write_str("ended with its runtime"),
        }
    }
}
