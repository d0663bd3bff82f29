//! Table 2a: failures and commands.

use super::super::child::{
    Event::{self, Down, Failure, Hold, Kill, Release, Stop, TimeUp},
    Fut,
    State::{
        self, Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running, StartAgain,
        Starting, Stopping, Waiting,
    },
    Step, Then, Verdict, on,
};
use super::coverage::row_2a;
use super::table::{Case, case};
use crate::failure::Phase;

/// Nothing but this state; the rest is said with the methods below.
fn to(next: State) -> Step {
    Step {
        next,
        future: Fut::GoesOn,
        failure: Verdict::None,
        owed: false,
        aborted: false,
        then: Then::Same,
        held: None,
    }
}

trait With: Sized {
    fn drops(self) -> Self;
    fn finishes(self) -> Self;
    fn decided(self, phase: Phase) -> Self;
    fn timed_out(self, phase: Phase) -> Self;
    fn failure(self, verdict: Verdict) -> Self;
    fn owed(self) -> Self;
    fn aborted(self) -> Self;
    fn again(self) -> Self;
    fn ends(self) -> Self;
    fn held(self, held: bool) -> Self;
}

impl With for Step {
    fn drops(self) -> Self {
        Step { future: Fut::Drop, ..self }
    }
    fn finishes(self) -> Self {
        Step { future: Fut::Finish, ..self }
    }
    fn decided(self, phase: Phase) -> Self {
        self.failure(Verdict::Decide { phase, timed_out: false })
    }
    fn timed_out(self, phase: Phase) -> Self {
        self.failure(Verdict::Decide { phase, timed_out: true })
    }
    fn failure(self, failure: Verdict) -> Self {
        Step { failure, ..self }
    }
    fn owed(self) -> Self {
        Step { owed: true, ..self }
    }
    fn aborted(self) -> Self {
        Step { aborted: true, ..self }
    }
    fn again(self) -> Self {
        Step { then: Then::Again, ..self }
    }
    fn ends(self) -> Self {
        Step { then: Then::End, ..self }
    }
    fn held(self, held: bool) -> Self {
        Step { held: Some(held), ..self }
    }
}

fn is(state: State, event: Event, step: Step) {
    assert_eq!(on(state, event), step, "{state:?} × {event:?}");
}

fn nothing(state: State, event: Event) {
    is(state, event, to(state));
}

const FAILURE: &str = "own failure; second failure in a hook";
const DOWN: &str = "Down reaches it (group, or parent restart)";
const HOLD: &str = "hold";
const RELEASE: &str = "release";
const STOP: &str = "stop (own, parent's)";
const KILL: &str = "kill";
const TIME: &str = "its time is up";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![];
    cases.extend(before_it_is_up());
    cases.extend(up());
    cases.extend(going_down());
    cases.extend(coming_back());
    cases.extend(going_for_good());
    cases
}

fn before_it_is_up() -> Vec<Case> {
    let (idle, starting) = (row_2a(Idle), row_2a(Starting));
    vec![
        case(idle, FAILURE, || nothing(Idle, Failure)),
        case(idle, DOWN, || is(Idle, Down, to(Idle).again())),
        case(idle, HOLD, || is(Idle, Hold, to(Idle).held(true))),
        case(idle, RELEASE, || is(Idle, Release, to(Idle).held(false))),
        case(idle, STOP, || is(Idle, Stop, to(Ended).ends())),
        case(idle, KILL, || assert_eq!(on(Idle, Kill), on(Idle, Stop))),
        case(idle, TIME, || nothing(Idle, TimeUp)),
        case(starting, FAILURE, || is(Starting, Failure, to(Failed).owed().decided(Phase::Start))),
        case(starting, DOWN, || is(Starting, Down, to(Idle).drops().again())),
        case(starting, HOLD, || is(Starting, Hold, to(Starting).held(true))),
        case(starting, RELEASE, || is(Starting, Release, to(Starting).held(false))),
        case(starting, STOP, || is(Starting, Stop, to(Ended).drops().ends())),
        case(starting, KILL, || is(Starting, Kill, to(Failed).drops().decided(Phase::Start))),
        case(starting, TIME, || is(Starting, TimeUp, to(Failed).drops().timed_out(Phase::Start))),
    ]
}

fn up() -> Vec<Case> {
    let (running, handling, failed) = (row_2a(Running), row_2a(Handling), row_2a(Failed));
    vec![
        case(running, FAILURE, || is(Running, Failure, to(Failed).decided(Phase::Running))),
        case(running, DOWN, || is(Running, Down, to(PreRestart).again())),
        case(running, HOLD, || is(Running, Hold, to(Running).held(true))),
        case(running, RELEASE, || is(Running, Release, to(Running).held(false))),
        case(running, STOP, || is(Running, Stop, to(Stopping).owed().ends())),
        case(running, KILL, || is(Running, Kill, to(Failed).decided(Phase::Running))),
        case(running, TIME, || nothing(Running, TimeUp)),
        case(handling, FAILURE, || is(Handling, Failure, to(Failed).decided(Phase::Running))),
        case(handling, DOWN, || {
            is(Handling, Down, to(PreRestart).finishes().failure(Verdict::Absorbed).again());
            // At `shutdown`.
            is(Handling, TimeUp, to(GoingDown).drops().aborted());
        }),
        case(handling, HOLD, || is(Handling, Hold, to(Handling).held(true))),
        case(handling, RELEASE, || is(Handling, Release, to(Handling).held(false))),
        case(handling, STOP, || is(Handling, Stop, to(Stopping).finishes().owed().ends())),
        case(handling, KILL, || is(Handling, Kill, to(Failed).drops().decided(Phase::Running))),
        // Only Down and stop give it a time, see there: it is never a failure.
        case(handling, TIME, || assert_eq!(on(Handling, TimeUp).failure, Verdict::None)),
        case(failed, FAILURE, || nothing(Failed, Failure)),
        case(failed, DOWN, || is(Failed, Down, to(PreRestart).failure(Verdict::Absorbed).again())),
        case(failed, HOLD, || is(Failed, Hold, to(Failed).held(true))),
        case(failed, RELEASE, || is(Failed, Release, to(Failed).held(false))),
        case(failed, STOP, || is(Failed, Stop, to(Stopping).owed().ends())),
        case(failed, KILL, || is(Failed, Kill, to(Failed).failure(Verdict::Reported))),
        case(failed, TIME, || nothing(Failed, TimeUp)),
    ]
}

fn going_down() -> Vec<Case> {
    let (pre, going, waiting) = (row_2a(PreRestart), row_2a(GoingDown), row_2a(Waiting));
    vec![
        case(pre, FAILURE, || is(PreRestart, Failure, to(PreRestart).failure(Verdict::Reported))),
        case(pre, DOWN, || is(PreRestart, Down, to(PreRestart).again())),
        case(pre, HOLD, || is(PreRestart, Hold, to(PreRestart).held(true))),
        // It is noted; nothing begins with it.
        case(pre, RELEASE, || is(PreRestart, Release, to(PreRestart).held(false))),
        case(pre, STOP, || is(PreRestart, Stop, to(PreRestart).ends())),
        case(pre, KILL, || is(PreRestart, Kill, to(Waiting).drops().aborted())),
        case(pre, TIME, || is(PreRestart, TimeUp, to(Waiting).drops().aborted())),
        case(going, FAILURE, || is(GoingDown, Failure, to(GoingDown).failure(Verdict::Reported))),
        case(going, DOWN, || is(GoingDown, Down, to(GoingDown).again())),
        case(going, HOLD, || is(GoingDown, Hold, to(GoingDown).held(true))),
        case(going, RELEASE, || is(GoingDown, Release, to(GoingDown).held(false))),
        case(going, STOP, || is(GoingDown, Stop, to(GoingDown).ends())),
        case(going, KILL, || is(GoingDown, Kill, to(Waiting).drops().aborted())),
        case(going, TIME, || is(GoingDown, TimeUp, to(Waiting).drops().aborted())),
        case(waiting, FAILURE, || nothing(Waiting, Failure)),
        case(waiting, DOWN, || is(Waiting, Down, to(Waiting).again())),
        case(waiting, HOLD, || is(Waiting, Hold, to(Waiting).held(true))),
        case(waiting, RELEASE, || is(Waiting, Release, to(Waiting).held(false))),
        case(waiting, STOP, || is(Waiting, Stop, to(Ended).ends())),
        case(waiting, KILL, || assert_eq!(on(Waiting, Kill), on(Waiting, Stop))),
        case(waiting, TIME, || nothing(Waiting, TimeUp)),
    ]
}

fn coming_back() -> Vec<Case> {
    let (again, post) = (row_2a(StartAgain), row_2a(PostRestart));
    vec![
        case(again, FAILURE, || is(StartAgain, Failure, to(Failed).owed().decided(Phase::Restart))),
        case(again, DOWN, || is(StartAgain, Down, to(Waiting).drops().again())),
        case(again, HOLD, || is(StartAgain, Hold, to(StartAgain).held(true))),
        case(again, RELEASE, || is(StartAgain, Release, to(StartAgain).held(false))),
        case(again, STOP, || is(StartAgain, Stop, to(Ended).drops().ends())),
        case(again, KILL, || is(StartAgain, Kill, to(Failed).drops().decided(Phase::Restart))),
        case(again, TIME, || is(StartAgain, TimeUp, to(Failed).drops().timed_out(Phase::Restart))),
        case(post, FAILURE, || is(PostRestart, Failure, to(Failed).owed().decided(Phase::Restart))),
        case(post, DOWN, || is(PostRestart, Down, to(Waiting).drops().owed().again())),
        case(post, HOLD, || is(PostRestart, Hold, to(PostRestart).held(true))),
        case(post, RELEASE, || is(PostRestart, Release, to(PostRestart).held(false))),
        case(post, STOP, || is(PostRestart, Stop, to(Ended).drops().owed().ends())),
        case(post, KILL, || is(PostRestart, Kill, to(Failed).drops().owed().decided(Phase::Restart))),
        case(post, TIME, || is(PostRestart, TimeUp, to(Failed).drops().owed().timed_out(Phase::Restart))),
    ]
}

fn going_for_good() -> Vec<Case> {
    let (stopping, draining, ended) = (row_2a(Stopping), row_2a(Draining), row_2a(Ended));
    vec![
        case(stopping, FAILURE, || is(Stopping, Failure, to(Stopping).failure(Verdict::Reported))),
        case(stopping, DOWN, || nothing(Stopping, Down)),
        case(stopping, HOLD, || nothing(Stopping, Hold)),
        case(stopping, RELEASE, || nothing(Stopping, Release)),
        case(stopping, STOP, || is(Stopping, Stop, to(Stopping).ends())),
        case(stopping, KILL, || is(Stopping, Kill, to(Ended).drops().aborted().ends())),
        case(stopping, TIME, || is(Stopping, TimeUp, to(Ended).drops().aborted().ends())),
        case(draining, FAILURE, || {
            is(Draining, Failure, to(Stopping).failure(Verdict::Reported).owed().ends());
        }),
        case(draining, DOWN, || {
            is(Draining, Down, to(Stopping).finishes().failure(Verdict::Absorbed).owed().ends());
        }),
        case(draining, HOLD, || is(Draining, Hold, to(Draining).held(true))),
        case(draining, RELEASE, || is(Draining, Release, to(Draining).held(false))),
        case(draining, STOP, || is(Draining, Stop, to(Draining).ends())),
        case(draining, KILL, || is(Draining, Kill, to(Stopping).drops().owed().ends())),
        case(draining, TIME, || is(Draining, TimeUp, to(Stopping).drops().aborted().ends())),
        case(ended, FAILURE, || nothing(Ended, Failure)),
        case(ended, DOWN, || nothing(Ended, Down)),
        case(ended, HOLD, || nothing(Ended, Hold)),
        case(ended, RELEASE, || nothing(Ended, Release)),
        case(ended, STOP, || nothing(Ended, Stop)),
        case(ended, KILL, || nothing(Ended, Kill)),
        case(ended, TIME, || nothing(Ended, TimeUp)),
    ]
}
