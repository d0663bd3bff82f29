//! Table 2d: what a user asks of a child by hand (S26).

use super::*;

/// The columns of table 2d.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Command {
    /// `restart()`.
    Restart,
    /// `start_again()`.
    StartAgain,
    /// `drain()`.
    Drain,
}

/// What a command by hand does (table 2d).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ByHand {
    /// Down of this child alone, then up; not charged. A pending decision is dropped and reported.
    DownAlone,
    /// The wait is cut short.
    StartNow,
    /// The start in progress is dropped and begun again.
    StartOver,
    /// The first start of an ended child, not charged.
    FirstStart,
    /// The queued messages are handled, then it stops.
    Drain,
    /// As `stop()`.
    Stop,
    /// It goes on, and ends instead of starting again.
    NoStart,
    /// It ends.
    End,
    /// No effect.
    Nothing,
    /// Refused: its group is going down or up, or it is on its way.
    Busy,
    /// Refused: it has not ended.
    NotEnded,
    /// Refused: it is on its way to its end.
    Stopping,
    /// Refused: it has ended.
    Ended,
    /// Refused: it is started once, its arguments are gone.
    StartedOnce,
    /// Refused: its supervisor has ended, and nothing below it is started any more.
    SupervisorEnded,
}

/// Table 2d. `group_moves`: its group is going down or up.
pub(crate) fn by_hand(state: State, group_moves: bool, command: Command) -> ByHand {
    use State::{
        Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running, StartAgain, Starting,
        Stopping, Waiting,
    };
    if group_moves && !matches!(state, Draining | Stopping | Ended) {
        return if command == Command::Drain { ByHand::Stop } else { ByHand::Busy };
    }
    match (command, state) {
        (Command::Restart, Running | Handling | Failed) => ByHand::DownAlone,
        (Command::Restart, Waiting) => ByHand::StartNow,
        (Command::Restart, Starting | StartAgain | PostRestart) => ByHand::StartOver,
        (Command::Restart, Idle | PreRestart | GoingDown) => ByHand::Busy,
        (Command::Restart, Draining | Stopping) => ByHand::Stopping,
        (Command::Restart, Ended) => ByHand::Ended,
        (Command::StartAgain, Ended) => {
            if group_moves {
                ByHand::Busy
            } else {
                ByHand::FirstStart
            }
        }
        (Command::StartAgain, _) => ByHand::NotEnded,
        (Command::Drain, Running | Handling) => ByHand::Drain,
        (Command::Drain, Failed | Starting | StartAgain | PostRestart | Idle) => ByHand::Stop,
        (Command::Drain, Waiting) => ByHand::End,
        (Command::Drain, PreRestart | GoingDown) => ByHand::NoStart,
        (Command::Drain, Draining | Stopping | Ended) => ByHand::Nothing,
    }
}
