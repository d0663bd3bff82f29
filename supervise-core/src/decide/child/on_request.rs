//! Table 2d: requests of a user to a child (S26).

use super::State;

/// The columns of table 2d.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// `restart()`.
    Restart,
    /// `start_again()`.
    StartAgain,
    /// `drain()`.
    Drain,
}

/// The result of a user's request (table 2d).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandOutcome {
    /// The child goes down alone, then up; this does not count against the budget. A pending decision is dropped and
    /// reported.
    DownAlone,
    /// The wait is cut short.
    StartNow,
    /// The start in progress is dropped and begun again.
    StartOver,
    /// The first start of an ended child; this does not count against the budget.
    FirstStart,
    /// The queued messages are handled, then the child stops.
    Drain,
    /// The same as `stop()`.
    Stop,
    /// The child continues to go down, and ends instead of starting again.
    NoStart,
    /// The child ends.
    End,
    /// No effect.
    Nothing,
    /// Refused: the group is going down or up, or the child is already going down for a restart.
    Busy,
    /// Refused: the child has not ended.
    NotEnded,
    /// Refused: the child is stopping.
    Stopping,
    /// Refused: the child has ended.
    Ended,
    /// Refused: the child is started only once, and what it needs was moved into that start.
    StartedOnce,
    /// Refused: the supervisor has ended, and starts no child any more.
    SupervisorEnded,
}

/// Looks up table 2d. `group_moves`: the group is going down or up.
pub fn on_request(state: State, group_moves: bool, command: Command) -> CommandOutcome {
    use State::{
        AwaitingRestart, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running,
        StartAgain, Starting, Stopping,
    };
    if group_moves && !matches!(state, Draining | Stopping | Ended) {
        return if command == Command::Drain { CommandOutcome::Stop } else { CommandOutcome::Busy };
    }
    match (command, state) {
        (Command::Restart, Running | Handling | Failed) => CommandOutcome::DownAlone,
        (Command::Restart, AwaitingRestart) => CommandOutcome::StartNow,
        (Command::Restart, Starting | StartAgain | PostRestart) => CommandOutcome::StartOver,
        (Command::Restart, Idle | PreRestart | GoingDown) => CommandOutcome::Busy,
        (Command::Restart, Draining | Stopping) => CommandOutcome::Stopping,
        (Command::Restart, Ended) => CommandOutcome::Ended,
        (Command::StartAgain, Ended) => {
            if group_moves {
                CommandOutcome::Busy
            } else {
                CommandOutcome::FirstStart
            }
        }
        (Command::StartAgain, _) => CommandOutcome::NotEnded,
        (Command::Drain, Running | Handling) => CommandOutcome::Drain,
        (Command::Drain, Failed | Starting | StartAgain | PostRestart | Idle) => CommandOutcome::Stop,
        (Command::Drain, AwaitingRestart) => CommandOutcome::End,
        (Command::Drain, PreRestart | GoingDown) => CommandOutcome::NoStart,
        (Command::Drain, Draining | Stopping | Ended) => CommandOutcome::Nothing,
    }
}
