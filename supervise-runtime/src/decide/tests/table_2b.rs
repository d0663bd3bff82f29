//! Table 2b: the limit, messages, watchers, and the child as a supervisor.

use super::super::child::{
    Below, LimitStep, Pending, Post, Spawn,
    State::{
        self, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running, StartAgain,
        Starting, Stopping, Waiting,
    },
    Timer, Watch, at_limit, on_ask, on_child_failure, on_message, on_spawn, on_timer, on_watch,
};
use super::table::{Case, case};
use crate::strategy::OnLimit;

const LIMIT: &str = "limit reached at its decision";
const MESSAGE: &str = "message arrives";
const ASK: &str = "ask pending";
const WATCH: &str = "watch";
const SPAWN: &str = "spawn request to it";
const BELOW: &str = "failure of a child of its own";
const TIMER: &str = "wait timer";

const TURN: &str = "never started / its turn";
const FIRST: &str = "starting (first)";
const UP: &str = "running, handling";
const FAILED: &str = "failed";
const PRE: &str = "pre_restart";
const GOING: &str = "children stopping, post_stop";
const WAITING: &str = "waiting";
const AGAIN: &str = "start again, pre_start; post_restart";
const DRAINING: &str = "draining";
const STOPPING: &str = "stopping";
const ENDED: &str = "ended";

const UPS: [State; 2] = [Running, Handling];
const STARTS: [State; 2] = [StartAgain, PostRestart];

fn limit(states: &[State], stop: LimitStep, escalate: LimitStep) {
    for state in states {
        assert_eq!(at_limit(*state, OnLimit::Stop), stop, "{state:?}");
        assert_eq!(at_limit(*state, OnLimit::Escalate), escalate, "{state:?}");
    }
}

fn no_limit(states: &[State]) {
    limit(states, LimitStep::Never, LimitStep::Never);
}

fn each<T: PartialEq + std::fmt::Debug>(states: &[State], does: fn(State) -> T, wanted: T) {
    for state in states {
        assert_eq!(does(*state), wanted, "{state:?}");
    }
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = limits_and_messages();
    cases.extend(asks_and_watches());
    cases.extend(as_a_supervisor());
    cases.extend(timers());
    cases
}

fn limits_and_messages() -> Vec<Case> {
    vec![
        case(TURN, LIMIT, || no_limit(&[Idle])),
        case(FIRST, LIMIT, || limit(&[Starting], LimitStep::EndStart, LimitStep::EndAndEscalate)),
        case(UP, LIMIT, || no_limit(&UPS)),
        case(FAILED, LIMIT, || limit(&[Failed], LimitStep::EndInstance, LimitStep::WaitFailed)),
        case(PRE, LIMIT, || no_limit(&[PreRestart])),
        case(GOING, LIMIT, || no_limit(&[GoingDown])),
        case(WAITING, LIMIT, || no_limit(&[Waiting])),
        case(AGAIN, LIMIT, || limit(&STARTS, LimitStep::EndStart, LimitStep::WaitFailed)),
        case(DRAINING, LIMIT, || no_limit(&[Draining])),
        case(STOPPING, LIMIT, || no_limit(&[Stopping])),
        case(ENDED, LIMIT, || no_limit(&[Ended])),
        case(TURN, MESSAGE, || each(&[Idle], on_message, Post::WhileDown)),
        case(FIRST, MESSAGE, || each(&[Starting], on_message, Post::WhileDown)),
        case(UP, MESSAGE, || each(&UPS, on_message, Post::Taken)),
        case(FAILED, MESSAGE, || each(&[Failed], on_message, Post::WhileDown)),
        case(PRE, MESSAGE, || each(&[PreRestart], on_message, Post::WhileDown)),
        case(GOING, MESSAGE, || each(&[GoingDown], on_message, Post::WhileDown)),
        case(WAITING, MESSAGE, || each(&[Waiting], on_message, Post::WhileDown)),
        case(AGAIN, MESSAGE, || each(&STARTS, on_message, Post::WhileDown)),
        case(DRAINING, MESSAGE, || each(&[Draining], on_message, Post::Refused)),
        case(STOPPING, MESSAGE, || each(&[Stopping], on_message, Post::Refused)),
        case(ENDED, MESSAGE, || each(&[Ended], on_message, Post::Refused)),
    ]
}

fn asks_and_watches() -> Vec<Case> {
    vec![
        case(TURN, ASK, || each(&[Idle], on_ask, Pending::Waits)),
        case(FIRST, ASK, || each(&[Starting], on_ask, Pending::WhileDown)),
        case(UP, ASK, || each(&UPS, on_ask, Pending::Waits)),
        case(FAILED, ASK, || each(&[Failed], on_ask, Pending::InHandFails)),
        case(PRE, ASK, || each(&[PreRestart], on_ask, Pending::WhileDown)),
        case(GOING, ASK, || each(&[GoingDown], on_ask, Pending::WhileDown)),
        case(WAITING, ASK, || each(&[Waiting], on_ask, Pending::WhileDown)),
        case(AGAIN, ASK, || each(&STARTS, on_ask, Pending::WhileDown)),
        case(DRAINING, ASK, || each(&[Draining], on_ask, Pending::Waits)),
        case(STOPPING, ASK, || each(&[Stopping], on_ask, Pending::QueuedFail)),
        case(ENDED, ASK, || each(&[Ended], on_ask, Pending::Fails)),
        case(TURN, WATCH, || each(&[Idle], on_watch, Watch::Registered)),
        case(FIRST, WATCH, || each(&[Starting], on_watch, Watch::Registered)),
        case(UP, WATCH, || each(&UPS, on_watch, Watch::Registered)),
        case(FAILED, WATCH, || each(&[Failed], on_watch, Watch::Registered)),
        case(PRE, WATCH, || each(&[PreRestart], on_watch, Watch::Registered)),
        case(GOING, WATCH, || each(&[GoingDown], on_watch, Watch::Registered)),
        case(WAITING, WATCH, || each(&[Waiting], on_watch, Watch::Registered)),
        case(AGAIN, WATCH, || each(&STARTS, on_watch, Watch::Registered)),
        case(DRAINING, WATCH, || each(&[Draining], on_watch, Watch::Registered)),
        case(STOPPING, WATCH, || each(&[Stopping], on_watch, Watch::Registered)),
        case(ENDED, WATCH, || each(&[Ended], on_watch, Watch::ToldNow)),
    ]
}

fn as_a_supervisor() -> Vec<Case> {
    vec![
        case(TURN, SPAWN, || each(&[Idle], on_spawn, Spawn::Waits)),
        case(FIRST, SPAWN, || each(&[Starting], on_spawn, Spawn::OwnServed)),
        case(UP, SPAWN, || each(&UPS, on_spawn, Spawn::Served)),
        case(FAILED, SPAWN, || each(&[Failed], on_spawn, Spawn::Waits)),
        case(PRE, SPAWN, || each(&[PreRestart], on_spawn, Spawn::Waits)),
        case(GOING, SPAWN, || each(&[GoingDown], on_spawn, Spawn::Waits)),
        case(WAITING, SPAWN, || each(&[Waiting], on_spawn, Spawn::Waits)),
        case(AGAIN, SPAWN, || each(&STARTS, on_spawn, Spawn::OwnServed)),
        case(DRAINING, SPAWN, || each(&[Draining], on_spawn, Spawn::Served)),
        case(STOPPING, SPAWN, || each(&[Stopping], on_spawn, Spawn::Stopping)),
        case(ENDED, SPAWN, || each(&[Ended], on_spawn, Spawn::Stopped)),
        case(TURN, BELOW, || each(&[Idle], on_child_failure, Below::Never)),
        case(FIRST, BELOW, || each(&[Starting], on_child_failure, Below::DecidedNow)),
        case(UP, BELOW, || each(&UPS, on_child_failure, Below::DecidedNow)),
        case(FAILED, BELOW, || each(&[Failed], on_child_failure, Below::Kept)),
        case(PRE, BELOW, || each(&[PreRestart], on_child_failure, Below::Absorbed)),
        case(GOING, BELOW, || each(&[GoingDown], on_child_failure, Below::Absorbed)),
        case(WAITING, BELOW, || each(&[Waiting], on_child_failure, Below::Kept)),
        case(AGAIN, BELOW, || each(&STARTS, on_child_failure, Below::NewDecided)),
        case(DRAINING, BELOW, || each(&[Draining, Running], on_child_failure, Below::DecidedNow)),
        case(STOPPING, BELOW, || each(&[Stopping], on_child_failure, Below::Reported)),
        case(ENDED, BELOW, || each(&[Ended], on_child_failure, Below::Never)),
    ]
}

fn timers() -> Vec<Case> {
    vec![
        case(TURN, TIMER, || each(&[Idle], on_timer, Timer::Never)),
        case(FIRST, TIMER, || each(&[Starting], on_timer, Timer::Never)),
        case(UP, TIMER, || each(&UPS, on_timer, Timer::Never)),
        case(FAILED, TIMER, || each(&[Failed], on_timer, Timer::Never)),
        case(PRE, TIMER, || each(&[PreRestart], on_timer, Timer::Never)),
        case(GOING, TIMER, || each(&[GoingDown], on_timer, Timer::Never)),
        case(WAITING, TIMER, || each(&[Waiting], on_timer, Timer::Starts)),
        case(AGAIN, TIMER, || each(&STARTS, on_timer, Timer::Stale)),
        case(DRAINING, TIMER, || each(&[Draining], on_timer, Timer::Stale)),
        case(STOPPING, TIMER, || each(&[Stopping], on_timer, Timer::Stale)),
        case(ENDED, TIMER, || each(&[Ended], on_timer, Timer::Stale)),
    ]
}
