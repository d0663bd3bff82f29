//! Why a child goes down.

use std::fmt;

use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure};

/// Why a child goes down, for a restart or for good.
///
/// A task gets it from [`TaskContext::stopped`](https://docs.rs/supervise-tree/latest/supervise/struct.TaskContext.html#method.stopped). Later, and in the hooks of an actor,
/// [`Context::stop_reason`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.stop_reason) and
/// [`TaskContext::stop_reason`](https://docs.rs/supervise-tree/latest/supervise/struct.TaskContext.html#method.stop_reason) return it. The event
/// [`Stopping`](crate::values::event::EventKind::Stopping) has it for those outside. A request to end replaces an earlier one
/// to restart; otherwise the first reason stays.
///
/// See rule S46.
///
/// ```
/// use supervise::StopReason;
/// use supervise::prelude::*;
///
/// async fn serve(cx: TaskContext) {
///     match cx.stopped().await {
///         StopReason::Restart => println!("back in a moment"),
///         reason => println!("closing: {reason}"),
///     }
/// }
///
/// struct Shelf;
///
/// #[actor]
/// impl Shelf {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[post_stop]
///     fn close(&mut self, cx: &mut Context<Self>) {
///         assert_eq!(cx.stop_reason(), Some(StopReason::Shutdown));
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         shelf: Shelf = Shelf,
///         server: task = |cx| serve(cx),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert!(shop.shutdown().await.is_orderly());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// A caller asked for the end of this child: `stop()`, `shutdown()`, `stop_all()`, a tree whose guard was dropped.
    Asked,
    /// A caller asked for a `drain()`.
    Drain,
    /// The supervisor above ends, without a failure.
    Shutdown,
    /// The child, its group, or on request the supervisor above is restarted.
    Restart,
    /// The supervisor above has failed. The child goes down with it, to be started again or for good.
    FailedAbove,
    /// The supervisor ends, or this part of its group, because a sibling has ended: a `significant` one, or one of a
    /// group whose failure was decided `Stop`.
    SiblingEnded,
    /// A restart budget is used up: that of this child, or one above, so that a supervisor above has failed.
    Limit,
    /// `replace` of a keyed set: another instance takes the key.
    Replaced,
    /// The child has failed, and is not restarted. A start that has failed is one of these too.
    Failed,
    /// A subtask of this task has failed, and the task with it.
    SubtaskFailed,
    /// The child has ended by itself: `cx.stop()`, or the own future of a task has returned and its subtasks follow.
    Done,
}

impl StopReason {
    /// Returns the reason of a child that ends in this way by a decision on its own failure.
    #[doc(hidden)]
    pub fn of_end(ended: &Ended) -> Option<Self> {
        match ended {
            Ended::Limit(_) => Some(StopReason::Limit),
            Ended::Failed(_) | Ended::Killed => Some(StopReason::Failed),
            Ended::Done | Ended::DoneWith(_) | Ended::Stopped | Ended::Aborted | Ended::RuntimeGone => None,
        }
    }

    /// Returns the reason of a child whose own failure this is.
    #[doc(hidden)]
    pub fn of_failure(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::LimitReached => StopReason::Limit,
            _ => StopReason::Failed,
        }
    }

    /// Returns the reason of the children of a supervisor that is restarted because of this failure.
    #[doc(hidden)]
    pub fn restarted_above(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::LimitReached => StopReason::Limit,
            Cause::Requested | Cause::EndedByItself => StopReason::Restart,
            _ => StopReason::FailedAbove,
        }
    }

    /// Returns the reason of the children of a supervisor that ends for this reason.
    #[doc(hidden)]
    pub fn below(self) -> Self {
        match self {
            StopReason::Asked
            | StopReason::Drain
            | StopReason::Shutdown
            | StopReason::SiblingEnded
            | StopReason::Replaced
            | StopReason::Done => StopReason::Shutdown,
            StopReason::Restart => StopReason::Restart,
            StopReason::FailedAbove | StopReason::Failed | StopReason::SubtaskFailed => StopReason::FailedAbove,
            StopReason::Limit => StopReason::Limit,
        }
    }

    /// Returns whether the child itself is the cause, so that no request from outside came before.
    #[doc(hidden)]
    pub fn is_own(self) -> bool {
        matches!(self, StopReason::Failed | StopReason::SubtaskFailed | StopReason::Done)
    }

    /// Returns the reason as a number above 0.
    #[doc(hidden)]
    pub fn to_number(self) -> u8 {
        let at = ALL.iter().position(|reason| *reason == self).expect("the list has all of them");
        at as u8 + 1
    }

    /// Returns the reason with this number.
    #[doc(hidden)]
    pub fn of_number(number: u8) -> Option<Self> {
        ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

const ALL: [StopReason; 11] = [
    StopReason::Asked,
    StopReason::Drain,
    StopReason::Shutdown,
    StopReason::Restart,
    StopReason::FailedAbove,
    StopReason::SiblingEnded,
    StopReason::Limit,
    StopReason::Replaced,
    StopReason::Failed,
    StopReason::SubtaskFailed,
    StopReason::Done,
];

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Asked => "asked to stop",
            StopReason::Drain => "asked to drain",
            StopReason::Shutdown => "the supervisor above ends",
            StopReason::Restart => "restarted",
            StopReason::FailedAbove => "the supervisor above has failed",
            StopReason::SiblingEnded => "a sibling has ended",
            StopReason::Limit => "a restart budget is used up",
            StopReason::Replaced => "replaced",
            StopReason::Failed => "failed",
            StopReason::SubtaskFailed => "a subtask has failed",
            StopReason::Done => "done",
        })
    }
}
