//! Table 2b: the limit at its decision, messages, asks, watches, spawns, children and timers.

use super::*;

/// The column "limit reached at its decision" of table 2b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitStep {
    /// No decision is made in this state.
    Never,
    /// It ends; whoever waits for its start gets the error.
    EndStart,
    /// It goes down without `pre_restart` and ends.
    EndInstance,
    /// It waits, with its instance if it has one, and the supervisor fails.
    WaitFailed,
    /// It ends, and the supervisor fails besides.
    EndAndEscalate,
}

/// Table 2b, "limit reached at its decision". The state is the one the failure came from.
pub fn at_limit(state: State, on_limit: OnLimit) -> LimitStep {
    match (state, on_limit) {
        (State::Starting, OnLimit::Stop) => LimitStep::EndStart,
        (State::Starting, OnLimit::Escalate) => LimitStep::EndAndEscalate,
        (State::Failed, OnLimit::Stop) => LimitStep::EndInstance,
        (State::StartAgain | State::PostRestart, OnLimit::Stop) => LimitStep::EndStart,
        (State::Failed | State::StartAgain | State::PostRestart, OnLimit::Escalate) => LimitStep::WaitFailed,
        _ => LimitStep::Never,
    }
}

/// What a message meets (table 2b, "message arrives").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Post {
    /// It is queued and handled.
    Taken,
    /// It waits in the mailbox until the child is up (`while_down`, S35).
    WhileDown,
    /// It goes back to its sender, or is a dead letter.
    Refused,
}

/// Table 2b, "message arrives".
pub fn on_message(state: State) -> Post {
    match state {
        State::Running | State::Handling => Post::Taken,
        State::Draining | State::Stopping | State::Ended => Post::Refused,
        _ => Post::WhileDown,
    }
}

/// What an ask that is pending meets (table 2b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pending {
    /// It waits for its reply.
    Waits,
    /// As a message while down (S35).
    WhileDown,
    /// The one in hand gets its error now; queued ones are as messages while down.
    InHandFails,
    /// Queued ones get their error now; the one in hand has until the end.
    QueuedFail,
    /// It gets its error now.
    Fails,
}

/// Table 2b, "ask pending".
pub fn on_ask(state: State) -> Pending {
    match state {
        State::Idle | State::Running | State::Handling | State::Draining => Pending::Waits,
        State::Failed => Pending::InHandFails,
        State::Stopping => Pending::QueuedFail,
        State::Ended => Pending::Fails,
        _ => Pending::WhileDown,
    }
}

/// What a watch meets (table 2b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Watch {
    /// Registered; told at the end.
    Registered,
    /// Told at once.
    ToldNow,
}

/// Table 2b, "watch".
pub fn on_watch(state: State) -> Watch {
    if state == State::Ended { Watch::ToldNow } else { Watch::Registered }
}

/// What a request to spawn a child of this one meets (table 2b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spawn {
    /// It waits until this one is up.
    Waits,
    /// Its own (from its start or hooks) is served, those of others wait.
    OwnServed,
    /// Served.
    Served,
    /// Fails with `Stopping`.
    Stopping,
    /// Fails with `Stopped`.
    Stopped,
}

/// Table 2b, "spawn request to it".
pub fn on_spawn(state: State) -> Spawn {
    match state {
        State::Starting | State::StartAgain | State::PostRestart => Spawn::OwnServed,
        State::Running | State::Handling | State::Draining => Spawn::Served,
        State::Stopping => Spawn::Stopping,
        State::Ended => Spawn::Stopped,
        _ => Spawn::Waits,
    }
}

/// What a failure of a child of this one meets (table 2b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Below {
    /// Cannot occur.
    Never,
    /// Decided now; an Escalate takes effect after the message in hand.
    DecidedNow,
    /// Kept until this one is decided on.
    Kept,
    /// Absorbed; a child that is kept over the restart gets one restart in all.
    Absorbed,
    /// That of a new child is decided now, that of one kept over the restart is held.
    NewDecided,
    /// Reported only.
    Reported,
}

/// Table 2b, "failure of a child of its own".
pub fn on_child_failure(state: State) -> Below {
    match state {
        State::Idle | State::Ended => Below::Never,
        State::Starting | State::Running | State::Handling | State::Draining => Below::DecidedNow,
        State::Failed | State::Waiting => Below::Kept,
        State::PreRestart | State::GoingDown => Below::Absorbed,
        State::StartAgain | State::PostRestart => Below::NewDecided,
        State::Stopping => Below::Reported,
    }
}

/// What its wait timer means (table 2b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Timer {
    /// Cannot occur.
    Never,
    /// It starts, if nothing holds it and the timer is of this incarnation.
    Starts,
    /// Of an earlier wait: ignored.
    Stale,
}

/// Table 2b, "wait timer".
pub fn on_timer(state: State) -> Timer {
    match state {
        State::Waiting => Timer::Starts,
        State::StartAgain | State::PostRestart | State::Draining | State::Stopping | State::Ended => Timer::Stale,
        _ => Timer::Never,
    }
}
