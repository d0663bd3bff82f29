//! Table 2d: the requests of a user (S26).

use super::super::child::{
    Command::{self, Drain, Restart, StartAgain},
    CommandOutcome,
    State::{
        self, AwaitingRestart, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running,
        Starting, Stopping,
    },
    on_request,
};
use super::table::{Case, case};

const RESTART: &str = "`restart()`";
const START_AGAIN: &str = "`start_again()`";
const DRAIN: &str = "`drain()`";

const UP: &str = "running, handling";
const FAILED: &str = "failed, awaiting decision";
const WAITING: &str = "down (backoff)";
const STARTS: &str = "starting, start again, pre_start, post_restart";
const GOING: &str = "pre_restart, children stopping, post_stop";
const MOVES: &str = "any, while its group goes down or up";
const LEAVES: &str = "draining, stopping";
const ENDED: &str = "ended";

const ALL_STARTS: [State; 3] = [Starting, State::StartAgain, PostRestart];
const ALIVE: [State; 10] =
    [Idle, Starting, Running, Handling, Failed, PreRestart, GoingDown, AwaitingRestart, State::StartAgain, PostRestart];

/// While its group rests.
fn each(states: &[State], command: Command, wanted: CommandOutcome) {
    for state in states {
        assert_eq!(on_request(*state, false, command), wanted, "{state:?}");
    }
}

fn moving(command: Command, wanted: CommandOutcome) {
    for state in ALIVE {
        assert_eq!(on_request(state, true, command), wanted, "{state:?}");
    }
}

/// Also while its group moves.
fn always(states: &[State], command: Command, wanted: CommandOutcome) {
    for state in states {
        assert_eq!(on_request(*state, false, command), wanted, "{state:?}");
        assert_eq!(on_request(*state, true, command), wanted, "{state:?}, its group moves");
    }
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(UP, RESTART, || each(&[Running, Handling], Restart, CommandOutcome::DownAlone)),
        case(UP, START_AGAIN, || each(&[Running, Handling], StartAgain, CommandOutcome::NotEnded)),
        case(UP, DRAIN, || each(&[Running, Handling], Drain, CommandOutcome::Drain)),
        case(FAILED, RESTART, || each(&[Failed], Restart, CommandOutcome::DownAlone)),
        case(FAILED, START_AGAIN, || each(&[Failed], StartAgain, CommandOutcome::NotEnded)),
        case(FAILED, DRAIN, || each(&[Failed], Drain, CommandOutcome::Stop)),
        case(WAITING, RESTART, || each(&[AwaitingRestart], Restart, CommandOutcome::StartNow)),
        case(WAITING, START_AGAIN, || each(&[AwaitingRestart], StartAgain, CommandOutcome::NotEnded)),
        case(WAITING, DRAIN, || each(&[AwaitingRestart], Drain, CommandOutcome::End)),
        case(STARTS, RESTART, || each(&ALL_STARTS, Restart, CommandOutcome::StartOver)),
        case(STARTS, START_AGAIN, || each(&ALL_STARTS, StartAgain, CommandOutcome::NotEnded)),
        case(STARTS, DRAIN, || each(&ALL_STARTS, Drain, CommandOutcome::Stop)),
        case(GOING, RESTART, || each(&[PreRestart, GoingDown], Restart, CommandOutcome::Busy)),
        case(GOING, START_AGAIN, || each(&[PreRestart, GoingDown], StartAgain, CommandOutcome::NotEnded)),
        case(GOING, DRAIN, || each(&[PreRestart, GoingDown], Drain, CommandOutcome::NoStart)),
        case(MOVES, RESTART, || moving(Restart, CommandOutcome::Busy)),
        case(MOVES, START_AGAIN, || {
            moving(StartAgain, CommandOutcome::Busy);
            assert_eq!(on_request(Ended, true, StartAgain), CommandOutcome::Busy);
        }),
        case(MOVES, DRAIN, || moving(Drain, CommandOutcome::Stop)),
        case(LEAVES, RESTART, || always(&[Draining, Stopping], Restart, CommandOutcome::Stopping)),
        case(LEAVES, START_AGAIN, || always(&[Draining, Stopping], StartAgain, CommandOutcome::NotEnded)),
        case(LEAVES, DRAIN, || always(&[Draining, Stopping], Drain, CommandOutcome::Nothing)),
        case(ENDED, RESTART, || always(&[Ended], Restart, CommandOutcome::Ended)),
        case(ENDED, START_AGAIN, || each(&[Ended], StartAgain, CommandOutcome::FirstStart)),
        case(ENDED, DRAIN, || always(&[Ended], Drain, CommandOutcome::Nothing)),
    ]
}
