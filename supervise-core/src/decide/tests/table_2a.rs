//! Table 2a: failures and commands. Each cell is a trace of what the machine does.
//!
//! The words of a trace are the steps of user code (`prerestart`), the fate of the instance (`cut`, `aborted`), of a
//! failure (`late`, `reported`, `decide`), of the children (`children stop`) and of the mailbox (`refuse`), and the
//! reports to the group (`up`, `gone`). Without further events the child comes to rest: user code succeeds, children go
//! down.

use super::coverage::{
    Column::{self, Down, Failure, Kill, Release, Stop, Suspend, TimeUp},
    row_2a,
};
use super::life::{Life, at, fails};
use super::table::{Case, case};
use crate::decide::child::State::{
    self, AwaitingRestart, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running,
    StartAgain, Starting, Stopping,
};
use crate::decide::child::machine::{Order, Step, StepEnd};
use crate::decide::group::Owner;
use crate::values::ended;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::ShutdownTimeout;

/// Checks an event, the trace of its consequences, and the resulting state.
fn leads(state: State, column: Column, trace: &str, next: State) {
    let mut life = at(state);
    life.meets(column);
    assert_eq!((&*life.trace(), life.state()), (trace, next), "{state:?}, {column:?}");
}

/// Nothing changes.
fn nothing(state: State, column: Column) {
    leads(state, column, "", state);
}

fn row(state: State, cells: [(Column, fn()); 7]) -> impl Iterator<Item = Case> {
    cells.into_iter().map(move |(column, check)| case(row_2a(state), column.name(), check))
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    before_it_is_up(&mut cases);
    up(&mut cases);
    going_down(&mut cases);
    coming_back(&mut cases);
    going_for_good(&mut cases);
    cases
}

/// The child's group, which was asked to stop the child, counts it as ended.
fn told_over(state: State) {
    // Children that were kept for its restart serve until their turns.
    let end = match state {
        AwaitingRestart => "children serve, children end, refuse, ended: stopped",
        _ => "children end, refuse, ended: stopped",
    };
    let mut life = at(state);
    life.order(Order::Over(ended::Ended::Stopped));
    assert_eq!(life.trace(), end);
    // A start that was due is cancelled.
    let mut life = at(state);
    life.order(Order::Start);
    life.order(Order::Over(ended::Ended::Stopped));
    assert_eq!(life.trace(), format!("released, {end}"));
}

/// The end that follows from the last step of a child cancels a start as well: the child takes it back before it asks
/// for its next step.
#[test]
fn an_end_that_a_child_takes_back_cancels_its_start() {
    let mut life = at(Running);
    life.meets(Stop);
    life.until(Step::PostStop);
    life.finish(StepEnd::Done);
    life.order(Order::Start);
    life.order(Order::Over(ended::Ended::Stopped));
    let trace = life.trace();
    assert!(trace.ends_with("drop, gone, released, children serve, children end, refuse, ended: stopped"), "{trace}");
}

fn before_it_is_up(cases: &mut Vec<Case>) {
    cases.extend(row(
        Idle,
        [
            (Failure, || nothing(Idle, Failure)),
            (Down, || leads(Idle, Down, "gone", Idle)),
            (Suspend, || leads(Idle, Suspend, "suspended, children suspended", Idle)),
            (Release, || leads(Idle, Release, "released, children released", Idle)),
            (Stop, || {
                leads(Idle, Stop, "gone", Idle); // ordered to start, but not begun: the group decides what follows
                told_over(Idle);
            }),
            // A stop needs the consent of the group.
            (Kill, || nothing(Idle, Kill)),
            (TimeUp, || nothing(Idle, TimeUp)),
        ],
    ));
    cases.extend(row(
        Starting,
        [
            (Failure, || leads(Starting, Failure, "children stop, drop, decide start, down", Idle)),
            (Down, || leads(Starting, Down, "cut, children stop, drop, gone", Idle)),
            (Suspend, || leads(Starting, Suspend, "suspended, children suspended, prestart, up", Running)),
            (Release, || leads(Starting, Release, "released, children released, prestart, up, serve", Running)),
            (Stop, || leads(Starting, Stop, "cut, children stop, drop, gone", Idle)),
            (Kill, || leads(Starting, Kill, "cut, children stop, drop, decide start, killed, down", Idle)),
            (TimeUp, || leads(Starting, TimeUp, "children stop, drop, decide start, timed out, down", Idle)),
        ],
    ));
}

/// The way down for a restart, from an instance.
const AGAIN: &str = "prerestart, children restart, poststop, drop, gone";
/// The way down without a restart, from an instance. The mailbox refuses at once, and is then closed.
const FOR_GOOD: &str = "refuse, refuse, children stop, poststop, drop, gone";
const DECIDED: &str = "children suspended, decide running";
const LATE: &str = "children suspended, decide running, timed out";
const KILLED: &str = "cut, children suspended, decide running, killed";

fn up(cases: &mut Vec<Case>) {
    cases.extend(row(
        Running,
        [
            (Failure, || leads(Running, Failure, DECIDED, Failed)),
            (Down, || leads(Running, Down, AGAIN, AwaitingRestart)),
            (Suspend, || leads(Running, Suspend, "suspended, children suspended", Running)),
            (Release, || leads(Running, Release, "released, children released, serve", Running)),
            (Stop, || leads(Running, Stop, FOR_GOOD, AwaitingRestart)),
            (Kill, || leads(Running, Kill, KILLED, Failed)),
            (TimeUp, || nothing(Running, TimeUp)),
        ],
    ));
    cases.extend(row(
        Handling,
        [
            (Failure, || leads(Handling, Failure, DECIDED, Failed)),
            (Down, || {
                leads(Handling, Down, AGAIN, AwaitingRestart);
                // A later error of this instance does not count.
                let mut life = at(Handling);
                life.meets(Down);
                life.finish(fails());
                assert_eq!(life.trace(), format!("late, {AGAIN}"));
                // The time of `shutdown` runs out.
                let mut life = at(Handling);
                life.meets(Down);
                life.meets(TimeUp);
                assert_eq!(life.trace(), "aborted, children restart, children aborted, drop, gone");
            }),
            (Suspend, || leads(Handling, Suspend, "suspended, children suspended", Running)),
            (Release, || leads(Handling, Release, "released, children released, serve", Running)),
            (Stop, || {
                leads(Handling, Stop, FOR_GOOD, AwaitingRestart);
                let mut life = at(Handling);
                life.meets(Stop);
                life.meets(TimeUp);
                assert_eq!(life.trace(), "refuse, aborted, refuse, children stop, children aborted, drop, gone");
            }),
            (Kill, || leads(Handling, Kill, KILLED, Failed)),
            (TimeUp, || {
                leads(Handling, TimeUp, LATE, Failed);
                // The time of the handler runs on below a failure, and not once the child was asked to go down.
                let mut life = at(Handling);
                life.order(Order::Suspend(true));
                life.meets(TimeUp);
                assert_eq!(life.trace(), format!("suspended, children suspended, {LATE}"));
                let mut life = Life::new(ChildKind::Actor, Owner::Actor).settings(|settings| settings.handler = None);
                life = life.go_to(Handling);
                life.meets(TimeUp);
                assert_eq!((&*life.trace(), life.state()), ("", Handling));
            }),
        ],
    ));
    cases.extend(row(
        Failed,
        [
            (Failure, || nothing(Failed, Failure)),
            (Down, || {
                leads(
                    Failed,
                    Down,
                    "prerestart, children serve, children restart, poststop, drop, gone",
                    AwaitingRestart,
                );
            }),
            (Suspend, || leads(Failed, Suspend, "suspended, children suspended", Failed)),
            (Release, || {
                leads(Failed, Release, "released", Failed);
                let mut life = at(Failed);
                life.order(Order::Redecide);
                assert_eq!(life.trace(), "decide again");
            }),
            (Stop, || {
                let below = "children serve, refuse, children stop";
                leads(Failed, Stop, &format!("refuse, {below}, poststop, drop, gone"), AwaitingRestart);
            }),
            (Kill, || leads(Failed, Kill, "reported", Failed)),
            (TimeUp, || nothing(Failed, TimeUp)),
        ],
    ));
}

/// After `pre_restart`, if a stop has come.
const ENDS_CHILDREN: &str = "children stop, poststop, drop, gone";

/// After `pre_restart`.
const GOES_ON: &str = "children restart, poststop, drop, gone";

fn going_down(cases: &mut Vec<Case>) {
    const ABORTED: &str = "aborted, children restart, children aborted, drop, gone";
    cases.extend(row(
        PreRestart,
        [
            (Failure, || leads(PreRestart, Failure, &format!("late, {GOES_ON}"), AwaitingRestart)),
            (Down, || leads(PreRestart, Down, GOES_ON, AwaitingRestart)),
            (Suspend, || {
                leads(PreRestart, Suspend, &format!("suspended, children serve, {GOES_ON}"), AwaitingRestart);
            }),
            // The release is recorded; nothing begins because of it.
            (Release, || leads(PreRestart, Release, &format!("released, {GOES_ON}"), AwaitingRestart)),
            (Stop, || leads(PreRestart, Stop, ENDS_CHILDREN, AwaitingRestart)),
            (Kill, || leads(PreRestart, Kill, &format!("cut, {ABORTED}"), AwaitingRestart)),
            (TimeUp, || leads(PreRestart, TimeUp, ABORTED, AwaitingRestart)),
        ],
    ));
    const CHILDREN: &str = "aborted, children aborted, drop, gone";
    cases.extend(row(
        GoingDown,
        [
            (Failure, || {
                let mut life = at(GoingDown);
                life.children_go_down();
                life.until(Step::PostStop);
                life.finish(fails());
                assert_eq!(life.trace(), "poststop, late, drop, gone");
            }),
            (Down, || nothing(GoingDown, Down)),
            (Suspend, || leads(GoingDown, Suspend, "suspended, children suspended", GoingDown)),
            (Release, || leads(GoingDown, Release, "released, children released", GoingDown)),
            (Stop, || leads(GoingDown, Stop, ENDS_CHILDREN, AwaitingRestart)),
            (Kill, || leads(GoingDown, Kill, CHILDREN, AwaitingRestart)),
            (TimeUp, || leads(GoingDown, TimeUp, CHILDREN, AwaitingRestart)),
        ],
    ));
    cases.extend(row(
        AwaitingRestart,
        [
            (Failure, || nothing(AwaitingRestart, Failure)),
            (Down, || leads(AwaitingRestart, Down, "gone", AwaitingRestart)),
            (Suspend, || leads(AwaitingRestart, Suspend, "suspended, children suspended", AwaitingRestart)),
            (Release, || leads(AwaitingRestart, Release, "released, children released", AwaitingRestart)),
            (Stop, || {
                leads(AwaitingRestart, Stop, "gone", AwaitingRestart);
                told_over(AwaitingRestart);
            }),
            (Kill, || nothing(AwaitingRestart, Kill)),
            (TimeUp, || nothing(AwaitingRestart, TimeUp)),
        ],
    ));
}

fn coming_back(cases: &mut Vec<Case>) {
    cases.extend(row(
        StartAgain,
        [
            (Failure, || leads(StartAgain, Failure, "children restart, drop, decide restart, down", AwaitingRestart)),
            (Down, || leads(StartAgain, Down, "cut, children restart, drop, gone", AwaitingRestart)),
            (Suspend, || {
                leads(StartAgain, Suspend, "suspended, children suspended, prestart, postrestart, up", Running);
            }),
            (Release, || {
                leads(StartAgain, Release, "released, children released, prestart, postrestart, up, serve", Running);
            }),
            (Stop, || leads(StartAgain, Stop, "cut, children stop, drop, gone", AwaitingRestart)),
            (Kill, || {
                leads(StartAgain, Kill, "cut, children restart, drop, decide restart, killed, down", AwaitingRestart)
            }),
            (TimeUp, || {
                leads(StartAgain, TimeUp, "children restart, drop, decide restart, timed out, down", AwaitingRestart);
            }),
        ],
    ));
    const DUE: &str = "children restart, poststop, drop, decide restart";
    cases.extend(row(
        PostRestart,
        [
            (Failure, || leads(PostRestart, Failure, &format!("{DUE}, down"), AwaitingRestart)),
            (Down, || leads(PostRestart, Down, "cut, children restart, poststop, drop, gone", AwaitingRestart)),
            (Suspend, || leads(PostRestart, Suspend, "suspended, children suspended, up", Running)),
            (Release, || leads(PostRestart, Release, "released, children released, up, serve", Running)),
            (Stop, || leads(PostRestart, Stop, "cut, children stop, poststop, drop, gone", AwaitingRestart)),
            (Kill, || leads(PostRestart, Kill, &format!("cut, {DUE}, killed, down"), AwaitingRestart)),
            (TimeUp, || leads(PostRestart, TimeUp, &format!("{DUE}, timed out, down"), AwaitingRestart)),
        ],
    ));
}

fn going_for_good(cases: &mut Vec<Case>) {
    const ABORTED: &str = "aborted, children aborted, drop, gone";
    cases.extend(row(
        Stopping,
        [
            (Failure, || {
                let mut life = at(Stopping);
                life.children_go_down();
                life.until(Step::PostStop);
                life.finish(fails());
                assert_eq!(life.trace(), "poststop, late, drop, gone");
            }),
            (Down, || nothing(Stopping, Down)),
            (Suspend, || leads(Stopping, Suspend, "children suspended", Stopping)),
            (Release, || leads(Stopping, Release, "children released", Stopping)),
            (Stop, || leads(Stopping, Stop, "refuse", Stopping)),
            (Kill, || leads(Stopping, Kill, ABORTED, AwaitingRestart)),
            (TimeUp, || leads(Stopping, TimeUp, ABORTED, AwaitingRestart)),
        ],
    ));
    const STOPS: &str = "refuse, children stop, poststop, drop, gone";
    cases.extend(row(
        Draining,
        [
            (Failure, || leads(Draining, Failure, &format!("late, {STOPS}"), AwaitingRestart)),
            (Down, || leads(Draining, Down, &format!("refuse, {STOPS}"), AwaitingRestart)),
            (Suspend, || leads(Draining, Suspend, "suspended, children suspended", Draining)),
            (Release, || {
                leads(
                    Draining,
                    Release,
                    &format!("released, children released, serve, handin, {STOPS}"),
                    AwaitingRestart,
                );
            }),
            (Stop, || leads(Draining, Stop, &format!("serve, handin, {STOPS}"), AwaitingRestart)),
            (Kill, || leads(Draining, Kill, &format!("cut, late, {STOPS}"), AwaitingRestart)),
            (TimeUp, || {
                let aborted = "aborted, refuse, children stop, children aborted, drop, gone";
                leads(Draining, TimeUp, aborted, AwaitingRestart);
            }),
        ],
    ));
    cases.extend(row(
        Ended,
        [
            (Failure, || nothing(Ended, Failure)),
            // The group decides whether the child is started again.
            (Down, || nothing(Ended, Down)),
            (Suspend, || leads(Ended, Suspend, "children suspended", Ended)),
            (Release, || leads(Ended, Release, "children released", Ended)),
            (Stop, || nothing(Ended, Stop)),
            (Kill, || nothing(Ended, Kill)),
            (TimeUp, || nothing(Ended, TimeUp)),
        ],
    ));
}

/// S23: after a normal end the group decides by the lifecycle what follows.
#[test]
fn an_end_by_itself_is_reported_to_its_group() {
    let mut life = at(Running);
    life.finish(StepEnd::ByItself);
    assert_eq!(life.trace(), "ends by itself, children restart, poststop, drop, done");
}

/// S24: a child that was going down for a restart does not drain, no matter how it is stopped then.
#[test]
fn a_stop_after_a_down_does_not_drain() {
    let stops = [
        || Order::End(ended::Ended::Stopped, StopReason::Shutdown),
        || Order::Stop { begins: false, reason: StopReason::Asked },
        || Order::Drain,
    ];
    for stop in stops {
        let mut life =
            Life::new(ChildKind::Actor, Owner::Actor).settings(|settings| settings.drains = true).go_to(Handling);
        life.meets(Down);
        life.order(stop());
        assert_eq!(life.trace(), FOR_GOOD);
    }
}

/// S24: a requested drain has its time under `shutdown = Kill` too. After the drain no hook runs, unless the message in
/// hand at its beginning has failed.
#[test]
fn a_drain_under_kill_runs_no_hook() {
    let drains = || {
        Life::new(ChildKind::Actor, Owner::Actor)
            .settings(|settings| settings.shutdown = ShutdownTimeout::Kill)
            .go_to(Draining)
    };
    let mut life = drains();
    assert_eq!(life.trace(), "serve, handin, refuse, children stop, children aborted, drop, gone");
    let mut life = drains();
    life.until(Step::HandIn);
    life.meets(Down);
    assert_eq!(life.trace(), "serve, handin, refuse, refuse, children stop, children aborted, drop, gone");
    let mut life = drains();
    life.finish(fails());
    assert_eq!(life.trace(), "late, refuse, children stop, poststop, drop, gone");
}

/// S24: an abort drops a start at once; the kill and the escalation that follow are still reported.
#[test]
fn an_abort_of_a_start_swallows_no_failure() {
    let mut life = at(Starting);
    life.order(Order::Abort(None));
    life.meets(Kill);
    life.order(Order::Escalated(super::sim::failure(crate::values::failure::Phase::Running)));
    assert_eq!(life.trace(), "cut, aborted, late, escalated, late, children stop, children aborted, drop, gone");
}

/// S7: the deadline of a child that goes down is not that of its backoff.
#[test]
fn a_backoff_is_nothing_to_one_that_ends() {
    let mut life = at(AwaitingRestart);
    life.order(Order::Wait(std::time::Duration::from_secs(1)));
    life.children_stop = false;
    life.order(Order::Over(ended::Ended::Stopped));
    life.quietly();
    assert_eq!(life.machine.waits_until(), None);
}
