//! One child: tables 2a, 2b and 2d (`docs/semantics-table.md`).

mod by_hand;
pub(crate) mod machine;

pub(crate) use by_hand::{ByHand, Command, by_hand};

/// The rows of the tables. `suspended` is a flag beside the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    /// Never started, or awaiting its turn of Up.
    Idle,
    /// The first start: start expression and `pre_start`.
    Starting,
    /// Up, between two messages.
    Running,
    /// Up, in a handler. A task is here from its first poll to its end.
    Handling,
    /// Failed, awaiting the decision.
    Failed,
    /// In `pre_restart`.
    PreRestart,
    /// Its own children are stopping, or `post_stop` runs, on the way to a restart.
    GoingDown,
    /// Down, waiting for its backoff or its group.
    Waiting,
    /// Started again: start expression and `pre_start`.
    StartAgain,
    /// In `post_restart`.
    PostRestart,
    /// Going down for good.
    Stopping,
    /// Handling what was queued before it stops.
    Draining,
    /// Over.
    Ended,
}
