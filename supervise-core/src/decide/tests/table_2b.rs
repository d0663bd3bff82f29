//! Table 2b: the limit, messages, watchers, and the child as a supervisor.
//!
//! The mailbox admits what the effects of the machine allow, and the child's own group receives what they order.

use std::time::Duration;

use super::coverage::Column;
use super::harness::tree;
use super::life::{Admission, Life, at};
use super::table::{Case, case};
use crate::decide::child::State::{
    self, AwaitingRestart, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running,
    StartAgain, Starting, Stopping,
};
use crate::decide::child::machine::{Order, Step};
use crate::decide::group::{FailureRoute, Owner};
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, OnLimit, Strategy};

const LIMIT: &str = "limit reached at its decision";
const MESSAGE: &str = "message arrives";
const ASK: &str = "ask pending";
const WATCH: &str = "watch";
const SPAWN: &str = "spawn request to it";
const BELOW: &str = "failure of a child of its own";
const TIMER: &str = "wait timer";

const TURN: &str = "never started / queued";
const FIRST: &str = "starting (first)";
const UP: &str = "running, handling";
const FAILED: &str = "failed";
const PRE: &str = "pre_restart";
const GOING: &str = "children stopping, post_stop";
const WAITING: &str = "down";
const AGAIN: &str = "start again, pre_start; post_restart";
const DRAINING: &str = "draining";
const STOPPING: &str = "stopping";
const ENDED: &str = "ended";

const UPS: [State; 2] = [Running, Handling];
const STARTS: [State; 2] = [StartAgain, PostRestart];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = limits();
    cases.extend(messages());
    cases.extend(watches());
    cases.extend(as_a_supervisor());
    cases.extend(timers());
    cases
}

/// A failure in this state leads to no decision.
fn no_decision(state: State) {
    let mut life = at(state);
    life.meets(Column::Failure);
    let trace = life.trace();
    assert!(!trace.contains("decide"), "{state:?}: {trace}");
}

fn limits() -> Vec<Case> {
    vec![
        case(TURN, LIMIT, || no_decision(Idle)),
        case(FIRST, LIMIT, || {
            let first = |on_limit| {
                let mut harness = tree(Strategy::OneForOne).owner(Owner::Actor).max(0).on_limit(on_limit).steady();
                harness.spawn(tree(Strategy::OneForOne));
                harness.start_fails(3, Directive::Restart)
            };
            assert_eq!(first(OnLimit::Stop), "decided: limit 3, over 3");
            assert_eq!(first(OnLimit::Escalate), "decided: limit 3, over 3, owner fails");
        }),
        // The limit is decided as a failure.
        case(UP, LIMIT, || {
            UPS.iter().for_each(|state| {
                let mut life = at(*state);
                life.meets(Column::Failure);
                life.quietly();
                assert_eq!(life.state(), Failed);
            })
        }),
        case(FAILED, LIMIT, || {
            let failed =
                |on_limit| tree(Strategy::OneForOne).max(0).on_limit(on_limit).steady().fails(1, Directive::Restart);
            assert_eq!(failed(OnLimit::Stop), "decided: limit 1, end 1");
            assert_eq!(failed(OnLimit::Escalate), "decided: limit 1, owner fails");
        }),
        case(PRE, LIMIT, || no_decision(PreRestart)),
        case(GOING, LIMIT, || no_decision(GoingDown)),
        case(WAITING, LIMIT, || no_decision(AwaitingRestart)),
        case(AGAIN, LIMIT, || {
            let again = |on_limit| {
                let mut harness = tree(Strategy::OneForOne).max(1).on_limit(on_limit).steady();
                harness.fails(1, Directive::Restart);
                harness.gone(1);
                harness.start_fails(1, Directive::Restart)
            };
            assert_eq!(again(OnLimit::Stop), "decided: limit 1, over 1");
            assert_eq!(again(OnLimit::Escalate), "decided: limit 1, owner fails");
        }),
        case(DRAINING, LIMIT, || no_decision(Draining)),
        case(STOPPING, LIMIT, || no_decision(Stopping)),
        case(ENDED, LIMIT, || no_decision(Ended)),
    ]
}

fn admits(states: &[State], admission: Admission) {
    for state in states {
        assert_eq!(at(*state).admission, admission, "{state:?}");
    }
}

/// The order to end refuses the queued messages, though a message is still in hand.
fn refuses_at_once() {
    let mut life = at(Handling);
    life.order(Order::End(crate::values::ended::Ended::Stopped, StopReason::Shutdown));
    assert_eq!((life.state(), life.admission), (Handling, Admission::Refused));
}

fn messages() -> Vec<Case> {
    vec![
        case(TURN, MESSAGE, || admits(&[Idle], Admission::Down)),
        case(FIRST, MESSAGE, || admits(&[Starting], Admission::Down)),
        case(UP, MESSAGE, || admits(&UPS, Admission::Open)),
        case(FAILED, MESSAGE, || admits(&[Failed], Admission::Down)),
        case(PRE, MESSAGE, || admits(&[PreRestart], Admission::Down)),
        case(GOING, MESSAGE, || admits(&[GoingDown], Admission::Down)),
        case(WAITING, MESSAGE, || admits(&[AwaitingRestart], Admission::Down)),
        case(AGAIN, MESSAGE, || admits(&STARTS, Admission::Down)),
        case(DRAINING, MESSAGE, || admits(&[Draining], Admission::Refused)),
        case(STOPPING, MESSAGE, || admits(&[Stopping], Admission::Refused)),
        case(ENDED, MESSAGE, || admits(&[Ended], Admission::Refused)),
        // A queued ask shares the fate of its message; the ask in hand is dropped with its message.
        case(TURN, ASK, || admits(&[Idle], Admission::Down)),
        case(FIRST, ASK, || admits(&[Starting], Admission::Down)),
        case(UP, ASK, || admits(&UPS, Admission::Open)),
        case(FAILED, ASK, || admits(&[Failed], Admission::Down)),
        case(PRE, ASK, || admits(&[PreRestart], Admission::Down)),
        case(GOING, ASK, || admits(&[GoingDown], Admission::Down)),
        case(WAITING, ASK, || admits(&[AwaitingRestart], Admission::Down)),
        case(AGAIN, ASK, || admits(&STARTS, Admission::Down)),
        case(DRAINING, ASK, || {
            let mut life = at(Draining);
            assert!(life.machine.deadline().is_some(), "what is queued has its time");
            assert!(life.trace().starts_with("serve, "));
        }),
        case(STOPPING, ASK, refuses_at_once),
        case(ENDED, ASK, || admits(&[Ended], Admission::Refused)),
    ]
}

/// Checks that a watcher is notified at once, or with the end.
fn is_told(states: &[State], told: bool) {
    for state in states {
        assert_eq!(at(*state).told, told, "{state:?}");
    }
}

fn watches() -> Vec<Case> {
    vec![
        case(TURN, WATCH, || is_told(&[Idle], false)),
        case(FIRST, WATCH, || is_told(&[Starting], false)),
        case(UP, WATCH, || is_told(&UPS, false)),
        case(FAILED, WATCH, || is_told(&[Failed], false)),
        case(PRE, WATCH, || is_told(&[PreRestart], false)),
        case(GOING, WATCH, || is_told(&[GoingDown], false)),
        case(WAITING, WATCH, || is_told(&[AwaitingRestart], false)),
        case(AGAIN, WATCH, || is_told(&STARTS, false)),
        case(DRAINING, WATCH, || is_told(&[Draining], false)),
        case(STOPPING, WATCH, || is_told(&[Stopping], false)),
        case(ENDED, WATCH, || is_told(&[Ended], true)),
    ]
}

/// The answer of a set in this state to a spawn that does not come from its own code.
#[derive(Debug, PartialEq, Eq)]
enum Spawn {
    Waits,
    Served,
    Stopping,
    Stopped,
}

fn spawns(states: &[State], wanted: Spawn) {
    for state in states {
        let mut life = Life::new(ChildKind::Actor, Owner::Set).go_to(*state);
        let found = match () {
            () if life.own.is_ended() => Spawn::Stopped,
            () if life.own.is_stopping() => Spawn::Stopping,
            () if life.spawn().1 => Spawn::Served,
            () => Spawn::Waits,
        };
        assert_eq!(found, wanted, "{state:?}");
    }
}

/// An actor's own spawn, from its start or a hook.
fn own_served(states: &[State]) {
    for state in states {
        assert!(at(*state).spawn().1, "{state:?}");
    }
}

/// Checks how a failure is handled of a child that exists already, or is kept over a restart.
fn below(states: &[State], keeps: bool, wanted: FailureRoute) {
    for state in states {
        let mut life = Life::new(ChildKind::Actor, Owner::Actor);
        life.keeps = keeps;
        let mut life = life.go_to(*state);
        assert_eq!(life.own.failed(0, true), wanted, "{state:?}");
    }
}

/// The same for a child that was just spawned.
fn below_new(states: &[State], wanted: FailureRoute) {
    for state in states {
        let mut life = at(*state);
        let (id, _) = life.spawn();
        assert_eq!(life.own.failed(id, false), wanted, "{state:?}");
    }
}

fn as_a_supervisor() -> Vec<Case> {
    vec![
        case(TURN, SPAWN, || spawns(&[Idle], Spawn::Waits)),
        case(FIRST, SPAWN, || {
            spawns(&[Starting], Spawn::Waits);
            own_served(&[Starting]);
        }),
        case(UP, SPAWN, || spawns(&UPS, Spawn::Served)),
        case(FAILED, SPAWN, || spawns(&[Failed], Spawn::Waits)),
        case(PRE, SPAWN, || spawns(&[PreRestart], Spawn::Waits)),
        case(GOING, SPAWN, || spawns(&[GoingDown], Spawn::Waits)),
        case(WAITING, SPAWN, || spawns(&[AwaitingRestart], Spawn::Waits)),
        case(AGAIN, SPAWN, || {
            spawns(&STARTS, Spawn::Waits);
            own_served(&STARTS);
        }),
        case(DRAINING, SPAWN, || spawns(&[Draining], Spawn::Served)),
        case(STOPPING, SPAWN, || spawns(&[Stopping], Spawn::Stopping)),
        case(ENDED, SPAWN, || spawns(&[Ended], Spawn::Stopped)),
        case(TURN, BELOW, || assert_eq!(at(Idle).own.living(), 0)),
        case(FIRST, BELOW, || below_new(&[Starting], FailureRoute::Decide)),
        case(UP, BELOW, || below(&UPS, false, FailureRoute::Decide)),
        case(FAILED, BELOW, || below(&[Failed], false, FailureRoute::Kept)),
        // The failure is kept, and then absorbed by the way down.
        case(PRE, BELOW, || {
            below(&[PreRestart], false, FailureRoute::Kept);
            below(&[PreRestart], true, FailureRoute::Kept);
        }),
        case(GOING, BELOW, || below(&[GoingDown], false, FailureRoute::ReportOnly)),
        case(WAITING, BELOW, || below(&[AwaitingRestart], true, FailureRoute::Kept)),
        case(AGAIN, BELOW, || {
            below_new(&STARTS, FailureRoute::Decide);
            below(&STARTS, true, FailureRoute::Kept);
        }),
        case(DRAINING, BELOW, || below(&[Draining], false, FailureRoute::Decide)),
        case(STOPPING, BELOW, || below(&[Stopping], false, FailureRoute::ReportOnly)),
        case(ENDED, BELOW, || assert_eq!(at(Ended).own.living(), 0)),
    ]
}

/// The child does not wait for a backoff.
fn no_wait(states: &[State]) {
    for state in states {
        assert_eq!(at(*state).machine.waits_until(), None, "{state:?}");
    }
}

/// The timer of an earlier wait has no effect.
fn forgets(state: State) {
    let mut life = at(AwaitingRestart);
    life.order(Order::Wait(Duration::from_secs(1)));
    assert!(life.machine.waits_until().is_some());
    life.order(Order::Start);
    life.until(if state == StartAgain { Step::Start } else { Step::PostRestart });
    assert_eq!((life.state(), life.machine.waits_until()), (state, None));
}

fn timers() -> Vec<Case> {
    vec![
        case(TURN, TIMER, || no_wait(&[Idle])),
        case(FIRST, TIMER, || no_wait(&[Starting])),
        case(UP, TIMER, || no_wait(&UPS)),
        case(FAILED, TIMER, || no_wait(&[Failed])),
        case(PRE, TIMER, || no_wait(&[PreRestart])),
        case(GOING, TIMER, || no_wait(&[GoingDown])),
        case(WAITING, TIMER, || {
            let mut life = at(AwaitingRestart);
            life.order(Order::Wait(Duration::from_secs(1)));
            assert!(life.machine.waits_until().is_some());
            life.wait_is_over();
            assert_eq!((&*life.trace(), life.machine.waits_until()), ("due", None), "its group says what follows");
        }),
        case(AGAIN, TIMER, || STARTS.iter().for_each(|state| forgets(*state))),
        case(DRAINING, TIMER, || no_wait(&[Draining])),
        case(STOPPING, TIMER, || no_wait(&[Stopping])),
        case(ENDED, TIMER, || no_wait(&[Ended])),
    ]
}
