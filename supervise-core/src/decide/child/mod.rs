//! One child: tables 2a, 2b and 2d (`docs/semantics-table.md`).

pub mod machine;
mod on_request;
mod own_order;

pub use on_request::{Command, CommandOutcome, on_request};
pub use own_order::OwnOrder;

/// The states of a child, which are the rows of the tables. `suspended` is a separate flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Never started, or queued for its start.
    Idle,
    /// The first start: start expression and `pre_start`.
    Starting,
    /// Up, between two messages.
    Running,
    /// Up, in a handler. A task is in this state from its first poll to its end.
    Handling,
    /// Failed, and waiting for the decision.
    Failed,
    /// In `pre_restart`.
    PreRestart,
    /// On the way down to a restart: its own children are stopping, or `post_stop` runs.
    GoingDown,
    /// Down, waiting for its backoff or its group.
    AwaitingRestart,
    /// Starting again: start expression and `pre_start`.
    StartAgain,
    /// In `post_restart`.
    PostRestart,
    /// Going down to its end.
    Stopping,
    /// Handling the queued messages before it stops.
    Draining,
    /// Ended.
    Ended,
}
