//! One child: every state × event cell of tables 2a, 2b and 2d (`docs/semantics-table.md`).
//!
//! Plain data in, plain data out. The driver of a cell knows its [`State`] by where it stands in its
//! own code, asks here what an event means in that state, and carries it out.

use crate::failure::Phase;
use crate::strategy::OnLimit;

pub(crate) mod machine;
mod around;
mod by_hand;

pub use around::{
    Below, LimitStep, Pending, Post, Spawn, Timer, Watch, at_limit, on_ask, on_child_failure, on_message, on_spawn,
    on_timer, on_watch,
};
pub use by_hand::{ByHand, Command, by_hand};

/// The rows of the tables. `held` is a flag beside the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
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

/// The columns of table 2a.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// Its own failure, or a second one in a hook.
    Failure,
    /// A restart of its group or from above reaches it.
    Down,
    /// An ancestor has failed.
    Hold,
    /// That ancestor resumes.
    Release,
    /// Stopped: its own `stop()` or its parent's.
    Stop,
    /// Killed.
    Kill,
    /// The time it had is up.
    TimeUp,
}

/// What becomes of the user future in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fut {
    /// It goes on, or there is none.
    GoesOn,
    /// It goes on to its end, then the step is taken. Its error no longer counts (absorbed).
    Finish,
    /// It is dropped at its next await.
    Drop,
}

/// What becomes of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No failure in this step.
    None,
    /// The supervisor decides, with this phase. `timed_out`: the cause is the time, not the user's error.
    Decide {
        /// The phase the decider sees.
        phase: Phase,
        /// The cause is that the time was up.
        timed_out: bool,
    },
    /// Reported, not decided, not charged.
    Absorbed,
    /// Reported only.
    Reported,
}

/// What follows once the child is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Then {
    /// As it was before.
    Same,
    /// It is started again in its turn.
    Again,
    /// It ends.
    End,
}

/// One cell of table 2a: what the driver does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// The state that follows, once `future` allows it.
    pub next: State,
    /// What becomes of the user future.
    pub future: Fut,
    /// What becomes of a failure.
    pub failure: Verdict,
    /// `post_stop` runs first, if `pre_start` had succeeded.
    pub owed: bool,
    /// The step is reported as `Aborted`, and its children are aborted too.
    pub aborted: bool,
    /// What follows once it is down.
    pub then: Then,
    /// `held` is set, cleared, or left.
    pub held: Option<bool>,
}

impl Step {
    /// The cells with – or "goes on": nothing changes.
    const fn stay(state: State) -> Self {
        Step {
            next: state,
            future: Fut::GoesOn,
            failure: Verdict::None,
            owed: false,
            aborted: false,
            then: Then::Same,
            held: None,
        }
    }

    const fn to(next: State) -> Self {
        Step::stay(next)
    }

    const fn dropping(mut self) -> Self {
        self.future = Fut::Drop;
        self
    }

    const fn finishing(mut self) -> Self {
        self.future = Fut::Finish;
        self
    }

    const fn decide(mut self, phase: Phase) -> Self {
        self.failure = Verdict::Decide { phase, timed_out: false };
        self
    }

    const fn timed_out(mut self, phase: Phase) -> Self {
        self.failure = Verdict::Decide { phase, timed_out: true };
        self
    }

    const fn absorbed(mut self) -> Self {
        self.failure = Verdict::Absorbed;
        self
    }

    const fn reported(mut self) -> Self {
        self.failure = Verdict::Reported;
        self
    }

    const fn owed(mut self) -> Self {
        self.owed = true;
        self
    }

    const fn aborted(mut self) -> Self {
        self.aborted = true;
        self
    }

    const fn then(mut self, then: Then) -> Self {
        self.then = then;
        self
    }

    const fn held(mut self, held: bool) -> Self {
        self.held = Some(held);
        self
    }
}

/// Table 2a.
pub fn on(state: State, event: Event) -> Step {
    use Event::{Down, Failure, Hold, Kill, Release, Stop, TimeUp};
    use State::{
        Draining, Ended, Failed, GoingDown, Handling, Idle, PostRestart, PreRestart, Running, StartAgain, Starting,
        Stopping, Waiting,
    };
    let stay = Step::stay(state);
    match (state, event) {
        // A hold is a flag in every state that can begin something; it ends nothing.
        (Stopping | Ended, Hold | Release) => stay,
        (_, Hold) => stay.held(true),
        (_, Release) => stay.held(false),

        (Idle | Waiting, Down) => stay.then(Then::Again),
        (Idle | Waiting, Stop | Kill) => Step::to(Ended).then(Then::End),
        (Idle | Waiting, Failure | TimeUp) => stay,

        (Starting, Failure) => Step::to(Failed).owed().decide(Phase::Start),
        (Starting, Down) => Step::to(Idle).dropping().then(Then::Again),
        (Starting, Stop) => Step::to(Ended).dropping().then(Then::End),
        (Starting, Kill) => Step::to(Failed).dropping().decide(Phase::Start),
        (Starting, TimeUp) => Step::to(Failed).dropping().timed_out(Phase::Start),

        (Running, Failure | Kill) => Step::to(Failed).decide(Phase::Running),
        (Running, Down) => Step::to(PreRestart).then(Then::Again),
        (Running, Stop) => Step::to(Stopping).owed().then(Then::End),
        (Running, TimeUp) => stay,

        (Handling, Failure) => Step::to(Failed).decide(Phase::Running),
        (Handling, Down) => Step::to(PreRestart).finishing().absorbed().then(Then::Again),
        (Handling, Stop) => Step::to(Stopping).finishing().owed().then(Then::End),
        (Handling, Kill) => Step::to(Failed).dropping().decide(Phase::Running),
        (Handling, TimeUp) => Step::to(GoingDown).dropping().aborted(),

        (Failed, Down) => Step::to(PreRestart).absorbed().then(Then::Again),
        (Failed, Stop) => Step::to(Stopping).owed().then(Then::End),
        (Failed, Kill) => stay.reported(),
        (Failed, Failure | TimeUp) => stay,

        (PreRestart | GoingDown, Failure) => stay.reported(),
        (PreRestart | GoingDown, Down) => stay.then(Then::Again),
        (PreRestart | GoingDown, Stop) => stay.then(Then::End),
        (PreRestart | GoingDown, Kill | TimeUp) => Step::to(Waiting).dropping().aborted(),

        (StartAgain, Failure) => Step::to(Failed).owed().decide(Phase::Restart),
        (StartAgain, Down) => Step::to(Waiting).dropping().then(Then::Again),
        (StartAgain, Stop) => Step::to(Ended).dropping().then(Then::End),
        (StartAgain, Kill) => Step::to(Failed).dropping().decide(Phase::Restart),
        (StartAgain, TimeUp) => Step::to(Failed).dropping().timed_out(Phase::Restart),

        (PostRestart, Failure) => Step::to(Failed).owed().decide(Phase::Restart),
        (PostRestart, Down) => Step::to(Waiting).dropping().owed().then(Then::Again),
        (PostRestart, Stop) => Step::to(Ended).dropping().owed().then(Then::End),
        (PostRestart, Kill) => Step::to(Failed).dropping().owed().decide(Phase::Restart),
        (PostRestart, TimeUp) => Step::to(Failed).dropping().owed().timed_out(Phase::Restart),

        (Stopping, Failure) => stay.reported(),
        (Stopping, Down) => stay,
        (Stopping, Stop) => stay.then(Then::End),
        (Stopping, Kill | TimeUp) => Step::to(Ended).dropping().aborted().then(Then::End),

        (Draining, Failure) => Step::to(Stopping).reported().owed().then(Then::End),
        (Draining, Down) => Step::to(Stopping).finishing().absorbed().owed().then(Then::End),
        (Draining, Stop) => stay.then(Then::End),
        (Draining, Kill) => Step::to(Stopping).dropping().owed().then(Then::End),
        (Draining, TimeUp) => Step::to(Stopping).dropping().aborted().then(Then::End),

        (Ended, _) => stay,
    }
}
