//! The life of one child: what an order, the end of a step and a deadline mean in each state.
//!
//! Plain data: no clock, no task, no user code. A [`Machine`] is told of orders ([`Machine::order`]) and of the ends of
//! steps ([`Machine::finished`]), says which step follows ([`Machine::next`]), and has its [`Effect`]s carried out by a
//! [`Port`]. Whoever runs a child has nothing else to ask, and decides nothing itself.
//!
//! Two things are kept apart. The [`State`] is the row of the tables; the [`Stage`] is the point that the child's task
//! has reached. An order arrives at any time. It is noted, changes what can be changed while user code goes on (the
//! mailbox, the deadline, the user future itself), and is acted on when that code comes back.

use std::time::Duration;

use tokio::time::Instant;

use super::State;
use crate::base::clock::after;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::strategy::Shutdown;

/// The time of one that has none (`shutdown = Kill`) to go down for a restart (S24).
const DOWN_TIME: Duration = Duration::from_secs(5);

/// An order to the child, from its supervisor, its children or a caller.
#[derive(Debug)]
pub(crate) enum Order {
    /// Its turn has come: it starts.
    Start,
    /// Its failure is forgiven: it goes on with the same instance.
    Resume,
    /// Its failure, kept so far, is decided now.
    Redecide,
    /// It goes down, to be started again. Its hooks get this failure.
    Down(Failure),
    /// It goes down for good.
    End(Ended),
    /// It handles what is queued, then goes down for good.
    Drain,
    /// Its group counts it as ended.
    Over(Ended),
    /// An ancestor has failed (true), or goes on.
    Suspend(bool),
    /// Its supervisor is gone: no start will ever come.
    Orphan,
    /// It waits this long for its backoff, or for that of its group.
    Wait(Duration),
    /// A caller's `stop()`, to which its group has agreed. `begins`: it was told to start, and has not begun.
    Stop {
        /// See above.
        begins: bool,
    },
    /// It fails with this, at its next await: `kill()`, a death pact.
    Kill(Failure),
    /// A test lets it fail with this.
    #[cfg(feature = "testing")]
    Inject(Failure),
    /// No time is left for it. The failure is that of the restart for which it goes down, unless it ends.
    Abort(Option<Failure>),
    /// All its children are down.
    ChildrenDown,
    /// All its children have ended (S22); the first failure inside.
    ChildrenEnded(Option<Failure>),
    /// A child of its own has escalated this failure.
    Escalated(Failure),
}

/// What the task does until the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing: it waits for orders, until [`Machine::wakes`].
    Wait,
    /// Nothing, but other tasks have their turn.
    Yield,
    /// The start expression.
    Start,
    /// `pre_start`.
    PreStart,
    /// `post_restart`.
    PostRestart,
    /// A task, until it says that it is ready.
    Ready,
    /// Messages, or the future of a task.
    Serve,
    /// The futures of `cx.run` of one that drains.
    HandIn,
    /// `pre_restart`.
    PreRestart,
    /// What a task has left running, which has its time.
    Settle,
    /// What a task has left running is dropped.
    Drop,
    /// `post_stop`.
    PostStop,
    /// The task ends.
    Exit,
}

/// How a step came to its end.
#[derive(Debug)]
pub(crate) enum StepEnd {
    /// User code came back: it has done what it was to do.
    Done,
    /// The loop over messages came back for an order, or for what is queued.
    Interrupted,
    /// By itself: `cx.stop()`, a task that is through.
    ByItself,
    /// The future of a task has returned; its subtasks have not.
    Returned,
    /// Nothing is queued any more, and nothing new is taken in.
    Drained,
    /// User code failed or panicked. `stopped`: it had called `cx.stop()` before.
    Failed { failure: Failure, stopped: bool },
    /// An optional child is not there (S28).
    Absent,
    /// The user future was dropped at its await.
    Cut(Cut),
}

/// Why a user future is dropped at its next await.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It goes down, for a restart or for good.
    Leaves,
    /// It fails: a kill, a child that escalated.
    Fails,
    /// Its time is up.
    TimeUp,
    /// No time is left for it, said its supervisor.
    Abort,
}

/// Whoever runs a machine: answers what it asks, and carries out what it says.
pub(crate) trait Port {
    fn now(&self) -> Instant;
    /// A message is in hand.
    fn is_busy(&self) -> bool;
    /// It has, or had, children.
    fn has_children(&self) -> bool;
    /// Its supervisor still has a place for it.
    fn has_place(&self) -> bool;
    /// Everybody has been told of its end.
    fn end_is_told(&self) -> bool;
    /// Its children end, and so it does, with this failure.
    fn ends_with_failure(&self) -> Option<Failure>;
    /// The failure is this child's own, not one of another below it.
    fn is_own(&self, failure: &Failure) -> bool;
    /// Makes a failure of this child.
    fn failure(&self, phase: Phase, cause: Cause) -> Failure;
    /// Carries this out, at once. `machine` says what the child is at just now.
    fn perform(&mut self, machine: &Machine, effect: Effect);
}

/// What is to be carried out.
#[derive(Debug)]
pub(crate) enum Effect {
    // ----- at any time: the cell, its group, its children
    /// The loop over messages is to come back after the message in hand, or need not any more.
    Interrupt(bool),
    /// Mailbox: messages go back to their senders, and what waits becomes dead letters.
    Refuse,
    /// Mailbox: messages go back to their senders; what waits is still handled, and timers stop.
    RefuseNew,
    /// Mailbox: it counts as down, or not any more, for one that rejects meanwhile (S35).
    MarkDown(bool),
    /// When it is started again, for those that are rejected.
    Retry(Option<Instant>),
    /// It leaves after the message in hand: spawns that are not up yet end (S7).
    EndSpawns,
    /// It is going on after all: what it spawns begins again.
    AllowSpawns,
    /// Its own code is told that it goes down: tokens, and the context of a task.
    SignalStop,
    /// For those who look.
    Suspended(bool),
    /// Its children are suspended, or go on.
    SuspendChildren(bool),
    /// Its wait is over: its group says what follows.
    Due,
    /// Nothing of it is up any more.
    Gone,
    // ----- between two steps: its instance too
    /// It is up.
    Up { again: bool, healed: Option<Failure> },
    /// A failure, to be told as an event.
    Failed(Failure),
    /// A failure of a child, to be told as an event.
    Escalated(Failure),
    /// A failure on the way out, which nobody decides on. It is in the report if the way leads to an end.
    Late(Failure),
    /// A failure that nobody decides on.
    Reported(Failure),
    /// Failures on the way out of the life before are forgotten.
    ForgetLate,
    /// It has come down after a failure of this crate's own code, which its group is told of.
    Broken(Failure),
    /// The step, or the message in hand, was cut short.
    Aborted,
    /// Its group is told of the failure, and the deciders are asked. `instance`: it still has one.
    Decide { failure: Failure, instance: bool },
    /// A failure that was kept is decided on now.
    Redecide { failure: Failure },
    /// It has ended by itself: its group says what follows.
    Done { ended: Ended, end: Failure },
    /// It is not there this time.
    Absent,
    /// It ends with this failure, whatever stopped it meanwhile.
    EndsAs(Ended),
    /// The children go on after a failure that was forgiven.
    ResumeChildren(Failure),
    /// The children go down, to be started again with it.
    RestartChildren(Failure),
    /// The children go down for good, and are reported.
    StopChildren,
    /// The children that are left end.
    EndChildren,
    /// No time is left for the children.
    AbortChildren,
    /// Mailbox: messages are handled.
    Open,
    /// Mailbox: messages wait.
    Shut,
    /// Mailbox: it is over, for good.
    Close,
    /// The message in hand counts as handled.
    Forgive,
    /// Timers and futures of this incarnation end.
    DropBackground,
    /// The children that it stops are not watched any more.
    Unwatch,
    /// The instance is dropped.
    DropInstance,
    /// It has ended: everybody is told.
    Ended { ended: Ended, aborted: bool },
}

/// The settings that the life of an incarnation depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LifeSettings {
    pub(crate) shutdown: Shutdown,
    /// `shutdown = Kill` was written.
    pub(crate) kills: bool,
    /// A stop lets it handle what is queued (S24).
    pub(crate) drains: bool,
    /// It says itself when it has started (S29).
    pub(crate) ready: bool,
    /// An end by itself is followed by a restart (S23).
    pub(crate) permanent: bool,
}

/// The point that the task has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Down, or never up: it waits for its turn.
    Parked,
    /// It is about to begin an incarnation.
    Yielding,
    Starting,
    PreStarting,
    PostRestarting,
    GettingReady,
    /// Up: what it does next depends on what was noted.
    Up,
    Serving,
    /// Up, while an ancestor has failed.
    Suspended,
    /// Failed, with an instance: it waits for the decision.
    Deciding,
    /// Up, and handles what is queued before it stops.
    Draining,
    DrainSuspended,
    HandingIn,
    // The way down, in this order.
    PreRestarting,
    Settling,
    Dropping,
    ChildrenDown,
    PostStopping,
    /// Nothing of it is up; its children that never were up end.
    Closing,
    /// Ended.
    Over,
    Exited,
}

/// What follows once it is down.
#[derive(Debug)]
enum Then {
    /// Its group says so.
    Gone,
    /// It stops. `failed`: a failure took it down for good before that.
    Stop { failed: Option<Failure> },
    /// It ended by itself.
    Done { ended: Ended, end: Failure },
    /// Its start failed.
    StartFailed(Failure),
    /// A task failed.
    TaskFailed(Failure),
    /// It is not there.
    Absent,
    /// This crate's own code has failed.
    Broken(Failure),
}

/// The way down that it is on.
#[derive(Debug)]
struct Way {
    /// Its children are to be started again.
    again: Option<Failure>,
    then: Then,
}

/// Where it goes after the step in progress.
#[derive(Debug, Default)]
enum Leave {
    #[default]
    Stay,
    Down(Failure),
    End(Ended),
}

/// The life of a child. See the [module](self).
#[derive(Debug)]
pub(crate) struct Machine {
    kind: ChildKind,
    /// Nobody supervises it.
    root: bool,
    state: State,
    stage: Stage,
    settings: LifeSettings,
    /// A task that hears of a stop through its context.
    signalled: bool,
    suspended: bool,
    /// Its supervisor is gone.
    orphan: bool,
    /// It was up once: its next start is a restart.
    was_up: bool,
    /// It has ended once, and was not begun again since.
    has_ended: bool,
    /// `pre_start` has succeeded: `post_stop` is to run.
    post_stop_due: bool,
    /// No time is left: no hook runs any more in this incarnation.
    aborted: bool,
    /// It handles what was queued: the message that was in hand when that began has ended.
    drains: bool,
    /// Its start was ordered.
    due: bool,
    resumed: bool,
    undecided: bool,
    children_are_down: bool,
    cut: Option<Cut>,
    /// By when it has to be down; begins when it is first asked.
    deadline: Option<Instant>,
    leaving_since: Option<Instant>,
    rare: Option<Box<Rare>>,
}

/// What one that runs undisturbed has not: idle actors are counted in bytes.
#[derive(Debug, Default)]
struct Rare {
    leave: Leave,
    /// The failure that it was given from outside.
    failing: Option<Failure>,
    escalated: Option<Failure>,
    children_ended: Option<Option<Failure>>,
    /// The end that its group counts it with.
    over: Option<Ended>,
    /// Until when it waits for its backoff.
    wait: Option<Instant>,
    /// The failure that the next incarnation heals. Before it was ever up, that of the try before.
    healing: Option<Failure>,
    /// The failure that is to be decided on.
    failed: Option<Failure>,
    way: Option<Way>,
    /// The end that it is about to be told to have.
    closing: Option<(Ended, bool)>,
}

impl Machine {
    /// A child that has not begun. A root begins by itself, everybody else when its group says so.
    pub(crate) fn new(kind: ChildKind, root: bool) -> Self {
        let settings =
            LifeSettings { shutdown: Shutdown::Infinity, kills: false, drains: false, ready: false, permanent: false };
        Machine {
            kind,
            root,
            state: State::Idle,
            stage: Stage::Parked,
            settings,
            signalled: false,
            suspended: false,
            orphan: false,
            was_up: false,
            has_ended: false,
            post_stop_due: false,
            aborted: false,
            drains: false,
            due: root,
            resumed: false,
            undecided: false,
            children_are_down: false,
            cut: None,
            deadline: None,
            leaving_since: None,
            rare: None,
        }
    }

    // ----- what it is at

    #[cfg(test)]
    pub(in crate::decide) fn state(&self) -> State {
        self.state
    }

    /// Its row of the tables: whether a message is in hand only the loop over messages knows.
    fn row(&self, port: &dyn Port) -> State {
        match self.state {
            State::Running if port.is_busy() => State::Handling,
            state => state,
        }
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(crate) fn was_up(&self) -> bool {
        self.was_up
    }

    /// It has ended, and everybody was told.
    pub(crate) fn is_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// A supervisor that ends does not wait for ever for a child that is stuck.
    pub(crate) fn gives_up(&self) -> bool {
        self.state == State::Stopping || self.aborted
    }

    /// A start is in progress.
    pub(crate) fn is_starting(&self) -> bool {
        matches!(self.stage, Stage::Starting | Stage::PreStarting | Stage::PostRestarting | Stage::GettingReady)
    }

    /// A start was ordered and has not begun.
    pub(crate) fn is_due(&self) -> bool {
        self.due
    }

    /// Nothing of it is up, and nothing of it is coming up.
    pub(crate) fn is_parked(&self) -> bool {
        matches!(self.state, State::Idle | State::Waiting | State::Ended)
    }

    /// As [`Machine::is_parked`], also before it has gone to its place.
    #[cfg(test)]
    pub(in crate::decide) fn is_at_rest(&self) -> bool {
        self.is_parked() || self.stage == Stage::Parked
    }

    /// It was asked to go down, for a restart or for good.
    pub(crate) fn is_leaving(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !matches!(rare.leave, Leave::Stay))
    }

    fn goes_down(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| matches!(rare.leave, Leave::Down(_)))
    }

    fn ends(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| matches!(rare.leave, Leave::End(_)))
    }

    /// A failure of its code changes nothing any more: it is on its way down, or asked to be.
    pub(crate) fn is_going(&self) -> bool {
        match self.state {
            State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::StartAgain
            | State::PostRestart => self.is_leaving(),
            State::Idle
            | State::PreRestart
            | State::GoingDown
            | State::Waiting
            | State::Stopping
            | State::Draining
            | State::Ended => true,
        }
    }

    /// Its code is on its way out, where a call that waits for others is refused (S25).
    pub(crate) fn is_on_its_way_out(&self) -> bool {
        matches!(self.state, State::PreRestart | State::GoingDown | State::Stopping)
    }

    /// Timers and futures that are asked for begin. `timer`: one that goes on for ever.
    pub(crate) fn takes_background(&self, timer: bool) -> bool {
        match self.state {
            State::Starting
            | State::StartAgain
            | State::PostRestart
            | State::Running
            | State::Handling
            | State::Failed => true,
            State::Draining => !timer,
            State::Idle | State::Waiting | State::PreRestart | State::GoingDown | State::Stopping | State::Ended => {
                false
            }
        }
    }

    /// It may be given to another supervisor (S38).
    pub(crate) fn may_move(&self) -> bool {
        self.state == State::Running && !self.suspended
    }

    /// The phase of a failure of this crate's own code.
    pub(crate) fn phase(&self) -> Phase {
        match self.state {
            State::Starting => Phase::Start,
            State::StartAgain | State::PostRestart => Phase::Restart,
            _ => Phase::Running,
        }
    }

    /// The user future is to be dropped now.
    pub(crate) fn take_cut(&mut self) -> Option<Cut> {
        self.cut.take()
    }

    /// By when the present step has to be through.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Parked | Stage::Up | Stage::Suspended | Stage::Deciding | Stage::Over | Stage::Exited => None,
            Stage::ChildrenDown | Stage::Closing if self.aborted => None,
            _ => self.deadline,
        }
    }

    /// Until when it waits for its backoff.
    pub(crate) fn waits_until(&self) -> Option<Instant> {
        match self.stage {
            Stage::Parked | Stage::Suspended | Stage::Deciding | Stage::Over => self.rare.as_ref()?.wait,
            _ => None,
        }
    }

    /// Since when it goes down.
    pub(crate) fn leaving_since(&self) -> Option<Instant> {
        self.leaving_since
    }

    /// The failure that hooks of a restart get.
    pub(crate) fn heals(&self) -> Option<&Failure> {
        self.rare.as_ref()?.healing.as_ref()
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    // ----- orders

    /// Takes an order, whatever it is at.
    pub(crate) fn order(&mut self, order: Order, port: &mut dyn Port) {
        match order {
            Order::Start => {
                self.set_suspended(false, port);
                if self.rare.as_mut().and_then(|rare| rare.wait.take()).is_some() {
                    port.perform(self, Effect::Retry(None));
                }
                self.due = true;
            }
            Order::Wait(delay) => {
                let until = after(port.now(), delay);
                self.rare().wait = Some(until);
                port.perform(self, Effect::Retry(Some(until)));
            }
            Order::Resume => {
                port.perform(self, Effect::AllowSpawns);
                self.resumed = true;
            }
            Order::Redecide => self.undecided = true,
            Order::Down(failure) => self.down(failure, port),
            Order::End(why) => {
                let restarts = self.goes_down();
                self.rare().leave = Leave::End(why);
                self.stop(restarts, port);
            }
            Order::Stop { begins } => self.stop_by_hand(begins, port),
            Order::Drain => self.drain(port),
            Order::Over(ended) => {
                if self.is_parked() {
                    // Requests from before its end are settled with it: `start_again()` must not find them. There are
                    // some only if it was given up on, since nobody had polled it for so long.
                    (self.due, self.undecided) = (false, false);
                    self.rare().leave = Leave::Stay;
                }
                self.rare().over = Some(ended);
            }
            Order::Suspend(suspended) => self.suspend(suspended, port),
            Order::Orphan => self.orphan = true,
            Order::Kill(failure) => self.kill(failure, port),
            #[cfg(feature = "testing")]
            Order::Inject(failure) => self.inject(failure, port),
            Order::Abort(again) => self.abort_now(again, port),
            Order::ChildrenDown => self.children_are_down = true,
            Order::ChildrenEnded(failure) => {
                self.rare().children_ended = Some(failure);
                port.perform(self, Effect::Interrupt(true));
            }
            Order::Escalated(failure) => self.escalated(failure, port),
        }
    }

    /// Down, for a restart: of its group, or from above.
    fn down(&mut self, failure: Failure, port: &mut dyn Port) {
        let rare = self.rare();
        if !matches!(rare.leave, Leave::End(_)) {
            rare.leave = Leave::Down(failure);
        }
        match self.state {
            // Asked down again before it could begin; it is told so in its turn.
            State::Idle | State::Waiting => self.leaves_for_restart(port),
            State::Starting | State::StartAgain | State::PostRestart => {
                self.leaves_for_restart(port);
                self.cuts(Cut::Leaves);
            }
            // The message in hand ends, or has its time.
            State::Running | State::Handling => {
                self.leaves_for_restart(port);
                if self.cannot_be_told() {
                    self.cuts(Cut::Leaves);
                }
            }
            State::Failed => self.leaves_for_restart(port),
            // It joins.
            State::PreRestart | State::GoingDown => self.leaves_for_restart(port),
            // The message in hand ends; the rest are dead letters.
            State::Draining => {
                self.state = State::Running;
                port.perform(self, Effect::Refuse);
                self.leaves(false, port.now(), port);
                port.perform(self, Effect::EndSpawns);
            }
            State::Stopping | State::Ended => {}
        }
        port.perform(self, Effect::Interrupt(true));
    }

    fn leaves_for_restart(&mut self, port: &mut dyn Port) {
        port.perform(self, Effect::MarkDown(true)); // S35
        self.leaves(false, port.now(), port);
        port.perform(self, Effect::EndSpawns);
    }

    /// For good: by its group, a caller or its supervisor's own stop. `restarts`: it was on its way down for a restart.
    fn stop(&mut self, restarts: bool, port: &mut dyn Port) {
        match self.state {
            State::Idle | State::Waiting => self.leaves_for_good(port),
            State::Starting | State::StartAgain | State::PostRestart => {
                self.leaves_for_good(port);
                self.cuts(Cut::Leaves);
            }
            // It handles what is queued first (S24), unless nothing queued can begin (S7).
            State::Running | State::Handling
                if self.settings.drains && !self.suspended && !restarts && self.settings.shutdown != Shutdown::Kill =>
            {
                return self.begin_drain(port.now(), port);
            }
            State::Running | State::Handling => {
                self.leaves_for_good(port);
                port.perform(self, Effect::Refuse);
                if self.cannot_be_told() {
                    self.cuts(Cut::Leaves);
                }
            }
            State::Failed | State::Stopping => {
                self.leaves_for_good(port);
                port.perform(self, Effect::Refuse);
            }
            State::PreRestart | State::GoingDown => self.leaves_for_good(port),
            State::Draining => {
                if self.suspended {
                    self.state = State::Running;
                    port.perform(self, Effect::Refuse);
                }
                self.leaves_for_good(port);
            }
            State::Ended => {}
        }
        port.perform(self, Effect::Interrupt(true));
    }

    fn leaves_for_good(&mut self, port: &mut dyn Port) {
        self.leaves(true, port.now(), port);
        port.perform(self, Effect::EndSpawns);
    }

    /// Its time to go down begins, unless it has begun already (S16).
    fn leaves(&mut self, for_good: bool, now: Instant, port: &mut dyn Port) {
        self.leaving_since.get_or_insert(now);
        port.perform(self, Effect::SignalStop);
        let time = match self.settings.shutdown {
            Shutdown::Within(time) => time,
            Shutdown::Kill if for_good => {
                // One that has failed has no future to drop, but loses its hooks all the same.
                if self.state == State::Running {
                    self.cuts(Cut::Leaves);
                }
                self.aborted |= matches!(self.state, State::Running | State::Failed);
                Duration::ZERO
            }
            Shutdown::Kill => DOWN_TIME,
            Shutdown::Infinity => return,
        };
        let until = after(now, time);
        self.deadline = Some(self.deadline.map_or(until, |before| before.min(until)));
    }

    /// A task without a context hears of nothing: it is dropped at its next await (S29).
    fn cannot_be_told(&self) -> bool {
        self.kind == ChildKind::Task && !self.signalled
    }

    fn cuts(&mut self, cut: Cut) {
        if self.cut != Some(Cut::Abort) {
            self.cut = Some(cut);
        }
    }

    /// A caller's `stop()`, to which its group has agreed. `begins`: it was told to start, and has not begun.
    fn stop_by_hand(&mut self, begins: bool, port: &mut dyn Port) {
        match self.state {
            State::Idle | State::Waiting if self.root => self.rare().over = Some(Ended::Stopped),
            // Its group has said what follows.
            State::Idle | State::Waiting | State::Ended => {
                if begins {
                    self.rare().leave = Leave::End(Ended::Stopped);
                }
            }
            State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::StartAgain
            | State::PostRestart
            | State::Stopping
            | State::Draining => {
                let restarts = self.goes_down();
                self.ends_for(Ended::Stopped);
                self.stop(restarts, port);
            }
        }
    }

    /// The first reason to end stays.
    fn ends_for(&mut self, why: Ended) {
        if !self.ends() {
            self.rare().leave = Leave::End(why);
        }
    }

    /// `drain()`: its group has taken it out already.
    fn drain(&mut self, port: &mut dyn Port) {
        match self.state {
            State::Idle | State::Waiting | State::Ended => {} // it was on its way: its end is coming
            State::Running | State::Handling if !self.is_leaving() => {
                self.ends_for(Ended::Stopped);
                self.begin_drain(port.now(), port);
            }
            State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::StartAgain
            | State::PostRestart
            | State::Stopping
            | State::Draining => {
                let restarts = self.goes_down();
                self.ends_for(Ended::Stopped);
                self.stop(restarts, port);
            }
        }
    }

    /// New messages are refused, the queued ones handled within the time it has. Timers are over, futures of `cx.run`
    /// are waited for.
    fn begin_drain(&mut self, now: Instant, port: &mut dyn Port) {
        self.state = State::Draining;
        port.perform(self, Effect::RefuseNew);
        self.leaves(false, now, port);
        port.perform(self, Effect::Interrupt(true));
    }

    fn set_suspended(&mut self, suspended: bool, port: &mut dyn Port) {
        self.suspended = suspended;
        port.perform(self, Effect::Suspended(suspended));
    }

    fn suspend(&mut self, suspended: bool, port: &mut dyn Port) {
        match self.state {
            State::Stopping | State::Ended => {}
            State::Idle
            | State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::Waiting
            | State::StartAgain
            | State::PostRestart
            | State::Draining => {
                if self.kind != ChildKind::Task {
                    self.set_suspended(suspended, port);
                }
            }
        }
        port.perform(self, Effect::Interrupt(true));
        if suspended || self.state == State::Running && !self.goes_down() {
            port.perform(self, Effect::MarkDown(suspended)); // S35
        }
        // Those of one that has failed wait for its decision.
        if suspended || self.state != State::Failed {
            port.perform(self, Effect::SuspendChildren(suspended));
        }
    }

    fn kill(&mut self, failure: Failure, port: &mut dyn Port) {
        match self.state {
            // A kill of what is not up is a stop, to which its group has to agree.
            State::Idle | State::Waiting | State::Ended => {}
            State::Failed => port.perform(self, self.report_of(failure)),
            State::PreRestart | State::GoingDown | State::Stopping => self.cuts(Cut::Fails),
            // On its way down already, though the message in hand, or the task that was told, still goes on.
            State::Running | State::Handling if self.is_leaving() => {
                self.cut = Some(Cut::Abort);
                port.perform(self, Effect::Interrupt(true));
            }
            State::Starting
            | State::Running
            | State::Handling
            | State::StartAgain
            | State::PostRestart
            | State::Draining => self.fails_with(failure, port),
        }
    }

    fn fails_with(&mut self, failure: Failure, port: &mut dyn Port) {
        self.rare().failing = Some(failure);
        self.cuts(Cut::Fails);
        port.perform(self, Effect::Interrupt(true));
    }

    /// A failure that a test causes: as if its code had failed, where there is any.
    #[cfg(feature = "testing")]
    fn inject(&mut self, failure: Failure, port: &mut dyn Port) {
        match self.state {
            State::Idle | State::Waiting | State::Ended => {}
            State::Failed | State::PreRestart | State::GoingDown | State::Stopping => {
                port.perform(self, self.report_of(failure))
            }
            State::Starting
            | State::Running
            | State::Handling
            | State::StartAgain
            | State::PostRestart
            | State::Draining => self.fails_with(failure, port),
        }
    }

    /// A future of `cx.run` has panicked: a failure, after the message in hand.
    pub(crate) fn fails_beside(&mut self, failure: Failure, port: &mut dyn Port) {
        self.rare().failing.get_or_insert(failure);
        port.perform(self, Effect::Interrupt(true));
    }

    /// How a failure is told that nobody decides on.
    pub(crate) fn report_of(&self, failure: Failure) -> Effect {
        if self.is_going() { Effect::Late(failure) } else { Effect::Reported(failure) }
    }

    /// Its supervisor has no time left for it. `again`: the failure of the restart for which it goes down.
    fn abort_now(&mut self, again: Option<Failure>, port: &mut dyn Port) {
        match self.state {
            State::Idle | State::Waiting | State::Ended => return,
            State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::StartAgain
            | State::PostRestart
            | State::Stopping
            | State::Draining => {}
        }
        if !self.is_leaving() {
            self.rare().leave = match again {
                Some(failure) => Leave::Down(failure),
                None => Leave::End(Ended::Aborted),
            };
        }
        self.cut = Some(Cut::Abort);
        port.perform(self, Effect::Interrupt(true));
    }

    /// A child of its own has failed it.
    fn escalated(&mut self, failure: Failure, port: &mut dyn Port) {
        self.rare().escalated = Some(failure);
        // What is in hand may wait for a spawn that could begin only after it.
        if self.row(port) != State::Running {
            port.perform(self, Effect::EndSpawns);
        }
        // A tree's build must not go on; an actor fails after its message or hook.
        if self.kind.only_supervises() && matches!(self.state, State::Starting | State::StartAgain) {
            self.cuts(Cut::Fails);
        }
        port.perform(self, Effect::Interrupt(true));
    }

    // ----- steps

    /// A new incarnation begins, with these settings. `was_up`: as its group knows it, after an end.
    pub(crate) fn begin(&mut self, settings: LifeSettings, was_up: bool) {
        self.settings = settings;
        self.was_up &= was_up;
        self.state = if self.was_up { State::StartAgain } else { State::Starting };
        (self.aborted, self.drains, self.post_stop_due, self.signalled) = (false, false, false, false);
        (self.due, self.resumed, self.undecided, self.children_are_down) = (false, false, false, false);
        (self.cut, self.deadline, self.leaving_since) = (None, None, None);
        let ended = std::mem::take(&mut self.has_ended);
        if let Some(rare) = &mut self.rare {
            let healing = rare.healing.take().filter(|_| !ended);
            **rare = Rare { healing, ..Rare::default() };
        }
    }

    /// A task whose context tells it to stop.
    pub(crate) fn set_signalled(&mut self) {
        self.signalled = true;
    }

    /// True if [`Machine::next`] has something to do for one that waits.
    pub(crate) fn wakes(&self) -> bool {
        let rare = self.rare.as_deref();
        let leaves = self.is_leaving();
        let is_over = rare.is_some_and(|rare| rare.over.is_some());
        let fails = self.fails_beside_it();
        match self.stage {
            Stage::Parked => is_over || self.orphan || leaves || self.due || self.undecided,
            Stage::Deciding => leaves || self.orphan || self.resumed || self.undecided,
            Stage::Suspended => !self.suspended || leaves || self.orphan || fails,
            Stage::DrainSuspended => {
                !self.suspended || self.orphan || self.state != State::Draining || self.cut.is_some()
            }
            Stage::HandingIn => fails || self.orphan || self.suspended || self.state != State::Draining,
            Stage::ChildrenDown | Stage::Closing => self.children_are_down || self.cut.is_some(),
            Stage::Over => is_over || self.orphan || self.due,
            Stage::Yielding
            | Stage::Starting
            | Stage::PreStarting
            | Stage::PostRestarting
            | Stage::GettingReady
            | Stage::Up
            | Stage::Serving
            | Stage::Draining
            | Stage::PreRestarting
            | Stage::Settling
            | Stage::Dropping
            | Stage::PostStopping
            | Stage::Exited => true,
        }
    }

    /// The time of the present step is up.
    pub(crate) fn time_is_up(&mut self) {
        self.cuts(Cut::TimeUp);
    }

    /// Its wait for its backoff is over.
    pub(crate) fn wait_is_over(&mut self, port: &mut dyn Port) {
        self.rare().wait = None;
        port.perform(self, Effect::Retry(None));
        port.perform(self, Effect::Due);
    }

    /// The step that follows now. Not to be asked while one of user code goes on.
    pub(crate) fn next(&mut self, port: &mut dyn Port) -> Step {
        loop {
            let stage = self.stage;
            match stage {
                Stage::Parked => {
                    self.state = if self.was_up { State::Waiting } else { State::Idle };
                    let over = self.rare.as_mut().and_then(|rare| rare.over.take());
                    if let Some(ended) = over.or_else(|| self.orphan.then_some(Ended::Stopped)) {
                        self.close(ended, port);
                    } else if self.is_leaving() {
                        self.due = false;
                        self.gone(port);
                        return Step::Wait;
                    } else if std::mem::take(&mut self.due) {
                        self.stage = Stage::Yielding;
                    } else {
                        if std::mem::take(&mut self.undecided) {
                            self.redecide(port);
                        }
                        return Step::Wait;
                    }
                }
                Stage::Yielding => return Step::Yield,
                Stage::Starting => return Step::Start,
                Stage::PreStarting => return Step::PreStart,
                Stage::PostRestarting => return Step::PostRestart,
                Stage::GettingReady => return Step::Ready,
                Stage::Up if self.state == State::Draining => self.stage = Stage::Draining,
                Stage::Up => {
                    self.state = State::Running;
                    port.perform(self, Effect::Interrupt(false));
                    if self.signalled && self.is_leaving() {
                        self.leaves(false, port.now(), port);
                    }
                    if self.may_serve() {
                        self.stage = Stage::Serving;
                    } else {
                        self.served(StepEnd::Interrupted, port);
                    }
                }
                Stage::Serving => return Step::Serve,
                Stage::Suspended if self.wakes() => self.stage = Stage::Up,
                Stage::Deciding if self.wakes() => {
                    if self.ends() || self.orphan {
                        self.go_down_for_good(port);
                    } else if let Some(failure) = self.take_down() {
                        self.go_down(failure, port);
                    } else if std::mem::take(&mut self.resumed) {
                        let failure = self.rare().failed.take();
                        port.perform(self, Effect::ResumeChildren(failure.expect("one that is decided on has failed")));
                        port.perform(self, Effect::Forgive);
                        port.perform(self, Effect::Open);
                        self.stage = Stage::Up;
                    } else {
                        self.undecided = false;
                        self.redecide(port);
                        return Step::Wait;
                    }
                }
                Stage::Draining => {
                    self.drains = true;
                    if self.state != State::Draining || self.orphan {
                        self.go_down_for_good(port);
                    } else if self.fails_beside_it() {
                        self.served(StepEnd::Interrupted, port);
                    } else if self.suspended {
                        self.stage = Stage::DrainSuspended;
                    } else {
                        port.perform(self, Effect::Interrupt(false));
                        self.stage = Stage::Serving;
                    }
                }
                Stage::DrainSuspended if self.wakes() => match self.cut.take() {
                    Some(cut) => self.served(StepEnd::Cut(cut), port),
                    None => self.stage = Stage::Draining,
                },
                Stage::HandingIn => return Step::HandIn,
                Stage::PreRestarting => return Step::PreRestart,
                Stage::Settling => return Step::Settle,
                Stage::Dropping => {
                    self.deadline = None; // nothing makes it shorter (S29)
                    return Step::Drop;
                }
                Stage::ChildrenDown if self.wakes() => {
                    if std::mem::take(&mut self.children_are_down) {
                        self.children_are_down(port);
                    } else {
                        self.cut = None;
                        self.abort(port);
                        port.perform(self, Effect::AbortChildren);
                        return Step::Wait;
                    }
                }
                Stage::PostStopping => return Step::PostStop,
                Stage::Closing if self.wakes() => {
                    self.cut = None;
                    self.closed(port);
                }
                Stage::Over => {
                    if self.root || !port.has_place() {
                        self.leaves_task(port);
                    } else if let Some(ended) = self.rare.as_mut().and_then(|rare| rare.over.take()) {
                        // Started again, and stopped before it could begin: that is an end of its own.
                        self.close(ended, port);
                    } else if self.due {
                        self.stage = Stage::Parked;
                    } else if self.orphan {
                        self.leaves_task(port);
                    } else {
                        return Step::Wait;
                    }
                }
                Stage::Suspended | Stage::Deciding | Stage::DrainSuspended | Stage::ChildrenDown | Stage::Closing => {
                    return Step::Wait;
                }
                Stage::Exited => return Step::Exit,
            }
        }
    }

    /// A step has come to its end.
    pub(crate) fn finished(&mut self, end: StepEnd, port: &mut dyn Port) {
        match self.stage {
            Stage::Yielding => {
                self.stage = Stage::Starting;
            }
            Stage::Starting => match end {
                StepEnd::Done => self.stage = Stage::PreStarting,
                end => self.start_failed(end, port),
            },
            // Not up, and yet through: there is no hook to run for it any more.
            Stage::PreStarting if self.has_stopped(&end) => {
                self.unless_stopped(end, port);
                self.started(port);
            }
            Stage::PreStarting => match end {
                StepEnd::Done => {
                    self.post_stop_due = true;
                    if self.was_up && self.heals().is_some() {
                        self.state = State::PostRestart;
                        self.stage = Stage::PostRestarting;
                    } else {
                        self.started(port);
                    }
                }
                end => self.start_failed(end, port),
            },
            Stage::PostRestarting => match self.unless_stopped(end, port) {
                StepEnd::Done => self.started(port),
                end => self.start_failed(end, port),
            },
            Stage::GettingReady => self.got_ready(end, port),
            Stage::Serving | Stage::HandingIn => match end {
                StepEnd::Drained if self.stage == Stage::Serving && self.state == State::Draining => {
                    self.drains = true;
                    self.stage = Stage::HandingIn;
                }
                end => self.served(end, port),
            },
            Stage::PreRestarting => {
                self.hook_ended(end, port);
                self.go_on_down(port);
            }
            Stage::Settling => match end {
                StepEnd::Cut(_) => {
                    if !self.is_over_by_failure() {
                        self.abort(port);
                    }
                    self.stage = Stage::Dropping;
                }
                StepEnd::Failed { failure, .. } => port.perform(self, Effect::Late(failure)),
                _ => self.tasks_are_down(port),
            },
            Stage::Dropping => match end {
                StepEnd::Failed { failure, .. } => port.perform(self, Effect::Late(failure)),
                StepEnd::Cut(_) => {}
                _ => self.tasks_are_down(port),
            },
            Stage::PostStopping => {
                self.hook_ended(end, port);
                self.is_down(port);
            }
            Stage::Parked
            | Stage::Up
            | Stage::Suspended
            | Stage::Deciding
            | Stage::Draining
            | Stage::DrainSuspended
            | Stage::ChildrenDown
            | Stage::Closing
            | Stage::Over
            | Stage::Exited => debug_assert!(false, "no step ends in {:?}", self.stage),
        }
    }

    // ----- the way up

    /// A hook that called `cx.stop()` before it failed: it ends by itself, as if it had returned (S23).
    fn unless_stopped(&mut self, end: StepEnd, port: &mut dyn Port) -> StepEnd {
        match end {
            StepEnd::Failed { failure, stopped: true } => {
                port.perform(self, Effect::Forgive);
                port.perform(self, Effect::Late(failure.in_phase(self.start_phase())));
                StepEnd::Done
            }
            end => end,
        }
    }

    fn has_stopped(&self, end: &StepEnd) -> bool {
        matches!(end, StepEnd::Failed { stopped: true, .. })
    }

    fn start_phase(&self) -> Phase {
        if self.was_up { Phase::Restart } else { Phase::Start }
    }

    fn started(&mut self, port: &mut dyn Port) {
        if self.rare.as_ref().is_some_and(|rare| rare.escalated.is_some()) {
            return self.start_failed(StepEnd::Done, port);
        }
        self.state = State::Running;
        if self.settings.ready {
            self.stage = Stage::GettingReady;
        } else {
            self.up(port);
        }
    }

    fn up(&mut self, port: &mut dyn Port) {
        let again = std::mem::replace(&mut self.was_up, true);
        let healed = self.rare.as_mut().and_then(|rare| rare.healing.take());
        port.perform(self, Effect::Up { again, healed });
        self.stage = Stage::Up;
    }

    /// The start failed, or was asked to go down before it was through.
    fn start_failed(&mut self, end: StepEnd, port: &mut dyn Port) {
        let phase = self.start_phase();
        let thrown = match end {
            StepEnd::Absent => {
                self.post_stop_due = false;
                return self.takes_down(None, Then::Absent, port);
            }
            StepEnd::Failed { failure, .. } => Some(failure.in_phase(phase)),
            StepEnd::Cut(Cut::Fails) => {
                let given = self.rare().failing.take();
                Some(given.map_or_else(|| port.failure(phase, Cause::TimedOut), |failure| failure.in_phase(phase)))
            }
            StepEnd::Cut(Cut::TimeUp) => Some(port.failure(phase, Cause::TimedOut)),
            StepEnd::Cut(Cut::Leaves) => None,
            StepEnd::Cut(Cut::Abort) => {
                self.abort(port);
                self.absorb_beside(port);
                None
            }
            // A child of its own has escalated, and it fails with that.
            _ => Some(port.failure(phase, Cause::TimedOut)),
        };
        let failure = thrown.map(|thrown| {
            let failure = match self.rare().escalated.take() {
                Some(escalated) => {
                    port.perform(self, Effect::Escalated(escalated.clone()));
                    escalated.in_phase(phase)
                }
                None => thrown,
            };
            self.after_the_one_before(failure)
        });
        // Before it was ever up nobody outside knows its children: they end. Later they keep their mailboxes.
        let again = match (&failure, &self.rare().leave) {
            (Some(failure), _) => Some(failure.clone()),
            (None, Leave::Down(failure)) => Some(failure.clone()),
            (None, Leave::Stay | Leave::End(_)) => None,
        };
        let again = again.filter(|_| self.was_up);
        let then = failure.map_or(Then::Gone, Then::StartFailed);
        self.takes_down(again, then, port);
    }

    /// A failed start leads to what it was to heal: the failure of a restart, or of the try before (S6).
    fn after_the_one_before(&self, failure: Failure) -> Failure {
        match self.heals() {
            Some(earlier) => failure.after(earlier),
            None => failure,
        }
    }

    /// A task that was to say that it is ready.
    fn got_ready(&mut self, end: StepEnd, port: &mut dyn Port) {
        let phase = self.start_phase();
        let going = self.is_leaving();
        let failure = match end {
            StepEnd::Done if !going => return self.up(port),
            StepEnd::Cut(Cut::TimeUp) if !going => port.failure(phase, Cause::TimedOut),
            end => match self.serving_ended(end, port) {
                Served::Failed(failure) => failure.in_phase(phase),
                Served::ByItself | Served::Asked => {
                    return match self.take_down() {
                        Some(failure) => self.go_down(failure, port),
                        None => self.go_down_for_good(port),
                    };
                }
            },
        };
        let failure = self.after_the_one_before(failure);
        self.task_failed(failure, port);
    }

    // ----- up

    /// A kill between two messages, or a child that has escalated: it is not looked at yet.
    fn fails_beside_it(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.failing.is_some() || rare.escalated.is_some())
    }

    /// Tasks that hear of it go on after they were asked to go; everybody else first does what was asked.
    fn may_serve(&self) -> bool {
        let Some(rare) = &self.rare else { return !self.suspended };
        let goes = self.is_leaving() && !self.signalled;
        let asked = rare.failing.is_some() || rare.escalated.is_some() || rare.children_ended.is_some();
        !goes && !self.suspended && !asked
    }

    /// The loop over messages, or the future of a task, has come back.
    fn served(&mut self, end: StepEnd, port: &mut dyn Port) {
        let goes_on = matches!(end, StepEnd::Interrupted);
        match self.serving_ended(end, port) {
            Served::ByItself => return self.done_by_itself(None, port),
            Served::Failed(failure) if self.kind == ChildKind::Task => return self.task_failed(failure, port),
            Served::Failed(failure) => return self.failed(failure, port),
            Served::Asked => {}
        }
        if self.drains {
            let escalated = self.rare().escalated.take();
            if let Some(failure) = &escalated {
                port.perform(self, Effect::Escalated(failure.clone()));
                port.perform(self, Effect::Late(failure.clone()));
            }
            return match goes_on && escalated.is_none() {
                true => self.stage = Stage::Draining,
                false => self.go_down_for_good(port),
            };
        }
        if self.state == State::Draining && goes_on {
            self.stage = Stage::Draining;
        } else if self.ends() {
            self.go_down_for_good(port);
        } else if let Some(failure) = self.take_down() {
            self.go_down(failure, port);
        } else if let Some(failure) = self.rare.as_mut().and_then(|rare| rare.children_ended.take()) {
            self.done_by_itself(failure, port);
        } else if self.orphan {
            self.go_down_for_good(port);
        } else if self.suspended {
            self.stage = Stage::Suspended;
        } else {
            self.stage = Stage::Up;
        }
    }

    /// How its serving ended. A failure on the way down is absorbed, or told only.
    fn serving_ended(&mut self, end: StepEnd, port: &mut dyn Port) -> Served {
        let going = self.is_leaving();
        let mut threw = None;
        let failure = match end {
            StepEnd::ByItself if !going => {
                self.absorb_beside(port);
                return Served::ByItself;
            }
            StepEnd::Returned => {
                self.leaves(false, port.now(), port);
                None
            }
            StepEnd::Done | StepEnd::Interrupted | StepEnd::ByItself | StepEnd::Drained | StepEnd::Absent => {
                self.failed_beside(going, port)
            }
            StepEnd::Failed { failure, stopped } => {
                threw = Some(stopped);
                Some(failure.in_phase(Phase::Running))
            }
            StepEnd::Cut(Cut::Fails) => {
                let given = self.rare().failing.take();
                Some(given.unwrap_or_else(|| port.failure(Phase::Running, Cause::Killed)))
            }
            StepEnd::Cut(Cut::TimeUp | Cut::Abort) => {
                self.abort(port);
                if !going {
                    return Served::ByItself; // a task that has returned; its subtasks have not
                }
                None
            }
            StepEnd::Cut(Cut::Leaves) => None,
        };
        match failure {
            Some(failure) if going => {
                if self.state == State::Draining {
                    self.state = State::Running; // the rest are dead letters
                }
                port.perform(self, Effect::Late(failure));
                Served::Asked
            }
            // It has stopped itself before: told, and nothing changes (S23). The message counts as handled.
            Some(failure) if threw == Some(true) => {
                port.perform(self, Effect::Forgive);
                port.perform(self, Effect::Late(failure));
                self.absorb_beside(port);
                Served::ByItself
            }
            Some(failure) => Served::Failed(failure),
            None => Served::Asked,
        }
    }

    /// A kill between two messages, or a failure that a child has escalated.
    fn failed_beside(&mut self, going: bool, port: &mut dyn Port) -> Option<Failure> {
        let rare = self.rare.as_mut()?;
        if let Some(failure) = rare.failing.take() {
            // Nothing was in progress: no later hook is to be dropped for it.
            self.cut.take_if(|cut| *cut == Cut::Fails);
            return Some(failure);
        }
        let failure = rare.escalated.take()?;
        port.perform(self, Effect::Escalated(failure.clone()));
        if going && self.root {
            // Nobody above decides on it: it ends with it, and not with the stop that came meanwhile.
            port.perform(self, Effect::Failed(failure.clone()));
            self.rare().leave = Leave::End(self.root_end(&failure, port));
            return None;
        }
        if going {
            port.perform(self, Effect::Late(failure));
            return None;
        }
        Some(failure.in_phase(Phase::Running))
    }

    /// A failure beside the last message of one that ends by itself is told and changes nothing.
    fn absorb_beside(&mut self, port: &mut dyn Port) {
        if let Some(failure) = self.rare.as_mut().and_then(|rare| rare.failing.take()) {
            port.perform(self, Effect::Late(failure));
        }
        if let Some(failure) = self.rare.as_mut().and_then(|rare| rare.escalated.take()) {
            port.perform(self, Effect::Escalated(failure.clone()));
            port.perform(self, Effect::Late(failure));
        }
    }

    /// A failure with an instance: told, decided on, and carried out (S7, S8).
    fn failed(&mut self, failure: Failure, port: &mut dyn Port) {
        self.state = State::Failed;
        port.perform(self, Effect::Shut);
        port.perform(self, Effect::Failed(failure.clone()));
        port.perform(self, Effect::SuspendChildren(true));
        if self.root {
            self.rare().leave = Leave::End(self.root_end(&failure, port));
            return self.go_down_for_good(port);
        }
        self.rare().failed = Some(failure.clone());
        port.perform(self, Effect::Decide { failure, instance: true });
        self.stage = Stage::Deciding;
    }

    fn redecide(&mut self, port: &mut dyn Port) {
        if let Some(failure) = self.rare.as_ref().and_then(|rare| rare.failed.clone()) {
            port.perform(self, Effect::Redecide { failure });
        }
    }

    /// A root that fails ends with the first failure (S20); only its own kill is a kill.
    fn root_end(&self, failure: &Failure, port: &dyn Port) -> Ended {
        match failure.cause() {
            Cause::Killed if port.is_own(failure) => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    // ----- the way down

    fn take_down(&mut self) -> Option<Failure> {
        let rare = self.rare.as_mut()?;
        match std::mem::take(&mut rare.leave) {
            Leave::Down(failure) => Some(failure),
            other => {
                rare.leave = other;
                None
            }
        }
    }

    fn abort(&mut self, port: &mut dyn Port) {
        if !std::mem::replace(&mut self.aborted, true) {
            port.perform(self, Effect::Aborted);
        }
    }

    /// Down for a restart: `pre_restart`, children, `post_stop`, drop.
    fn go_down(&mut self, failure: Failure, port: &mut dyn Port) {
        self.leaves(false, port.now(), port);
        port.perform(self, Effect::Shut);
        let rare = self.rare();
        (rare.healing, rare.failed) = (Some(failure.clone()), None);
        rare.way = Some(Way { again: Some(failure), then: Then::Gone });
        port.perform(self, Effect::DropBackground);
        if self.aborted {
            return self.go_on_down(port);
        }
        self.state = State::PreRestart;
        self.stage = Stage::PreRestarting;
    }

    /// Down for good: children, `post_stop`, drop.
    fn go_down_for_good(&mut self, port: &mut dyn Port) {
        self.state = State::Stopping;
        // `shutdown = Kill`: one that drained was given the time for that, but its hooks do not run.
        self.aborted |= self.drains && self.settings.shutdown == Shutdown::Kill;
        port.perform(self, Effect::Close);
        self.rare().failed = None;
        // Asked before its children are told: if a failure is taking it down already, that is its end (S18, S22).
        let failed = port.ends_with_failure();
        self.takes_down(None, Then::Stop { failed }, port);
    }

    /// `cx.stop()`, a task that returned, a tree whose members have all ended (S22, S23).
    fn done_by_itself(&mut self, failure: Option<Failure>, port: &mut dyn Port) {
        let restarts = !self.kind.only_supervises() && self.settings.permanent && !self.root;
        self.state = State::Stopping;
        self.leaves(false, port.now(), port);
        port.perform(self, if restarts { Effect::Shut } else { Effect::Close });
        let end = port.failure(Phase::Running, Cause::EndedByItself);
        let again = restarts.then(|| end.clone());
        let ended = failure.map_or(Ended::Done, Ended::Failed);
        self.takes_down(again, Then::Done { ended, end }, port);
    }

    /// A task that failed is over: nothing to resume. What it left running has its `shutdown` time, is then dropped,
    /// then it is decided (S29).
    fn task_failed(&mut self, failure: Failure, port: &mut dyn Port) {
        self.state = State::GoingDown;
        self.leaves(false, port.now(), port);
        let killed = matches!(failure.cause(), Cause::Killed);
        self.rare().way = Some(Way { again: None, then: Then::TaskFailed(failure) });
        self.stage = if killed { Stage::Dropping } else { Stage::Settling };
    }

    fn is_over_by_failure(&self) -> bool {
        let way = self.rare.as_ref().and_then(|rare| rare.way.as_ref());
        way.is_some_and(|way| matches!(way.then, Then::TaskFailed(_)))
    }

    fn is_broken(&self) -> bool {
        let way = self.rare.as_ref().and_then(|rare| rare.way.as_ref());
        way.is_some_and(|way| matches!(way.then, Then::Broken(_)))
    }

    fn takes_down(&mut self, again: Option<Failure>, then: Then, port: &mut dyn Port) {
        self.rare().way = Some(Way { again, then });
        port.perform(self, Effect::DropBackground);
        self.go_on_down(port);
    }

    /// After `pre_restart`, where there was one.
    fn go_on_down(&mut self, port: &mut dyn Port) {
        if self.state != State::Stopping {
            self.state = State::GoingDown;
        }
        match self.kind {
            ChildKind::Task if self.aborted || self.is_broken() => self.stage = Stage::Dropping,
            ChildKind::Task => self.stage = Stage::Settling,
            ChildKind::Actor | ChildKind::Tree | ChildKind::Set => self.tasks_are_down(port),
        }
    }

    fn tasks_are_down(&mut self, port: &mut dyn Port) {
        if self.is_over_by_failure() {
            return self.is_down(port);
        }
        let again = self.rare.as_ref().and_then(|rare| rare.way.as_ref()?.again.clone());
        if again.is_some() && !self.is_broken() {
            port.perform(self, Effect::Unwatch); // after `pre_restart`, which says whom to keep
        }
        if !port.has_children() {
            return self.children_are_down(port);
        }
        port.perform(self, again.map_or(Effect::StopChildren, Effect::RestartChildren));
        if self.aborted {
            port.perform(self, Effect::AbortChildren);
        }
        self.stage = Stage::ChildrenDown;
    }

    fn children_are_down(&mut self, port: &mut dyn Port) {
        if std::mem::take(&mut self.post_stop_due) && !self.aborted {
            self.stage = Stage::PostStopping;
        } else {
            self.is_down(port);
        }
    }

    fn hook_ended(&mut self, end: StepEnd, port: &mut dyn Port) {
        match end {
            StepEnd::Failed { failure, .. } => port.perform(self, Effect::Late(failure)),
            StepEnd::Cut(_) => self.abort(port),
            StepEnd::Done
            | StepEnd::Interrupted
            | StepEnd::ByItself
            | StepEnd::Returned
            | StepEnd::Drained
            | StepEnd::Absent => {}
        }
    }

    /// Nothing of this incarnation is up any more.
    fn is_down(&mut self, port: &mut dyn Port) {
        port.perform(self, Effect::DropInstance);
        let way = self.rare().way.take().expect("it goes down on some way");
        match way.then {
            Then::Gone if self.root => {
                let why = self.root_stopped();
                self.close(why, port);
            }
            Then::Gone => self.gone(port),
            Then::Stop { failed } if self.root => {
                let why = self.root_stopped();
                let failed = failed.map(Ended::Failed).filter(|_| why.is_orderly());
                self.close(failed.unwrap_or(why), port);
            }
            Then::Stop { failed } => {
                if let Some(failed) = failed {
                    port.perform(self, Effect::EndsAs(Ended::Failed(failed)));
                }
                self.gone(port);
            }
            Then::Done { ended, .. } if self.root => self.close(ended, port),
            Then::Done { ended, end } => {
                let rare = self.rare();
                (rare.healing, rare.failed) = (Some(end.clone()), Some(end.clone()));
                port.perform(self, Effect::Done { ended, end });
                self.stage = Stage::Parked;
            }
            Then::StartFailed(failure) => self.start_has_failed(failure, port),
            Then::TaskFailed(failure) => {
                self.rare().healing = Some(failure.clone());
                self.start_has_failed(failure, port);
            }
            Then::Broken(bug) => {
                self.aborted = true;
                if self.root {
                    let ended = self.root_end(&bug, port);
                    return self.close(ended, port);
                }
                let was_up = self.was_up;
                let rare = self.rare();
                rare.leave = Leave::Stay; // if it was to go down, its group hears of that with the bug
                if was_up {
                    rare.healing = Some(bug.clone());
                }
                rare.failed = Some(bug.clone());
                port.perform(self, Effect::Broken(bug));
                self.stage = Stage::Parked;
            }
            Then::Absent => {
                self.rare().leave = Leave::Stay; // as where it is gone
                port.perform(self, Effect::Absent);
                self.stage = Stage::Parked;
            }
        }
    }

    /// A failed start is told once nothing of it is up any more.
    fn start_has_failed(&mut self, failure: Failure, port: &mut dyn Port) {
        self.state = State::Failed;
        port.perform(self, Effect::Failed(failure.clone()));
        if self.root {
            let ended = self.root_end(&failure, port);
            return self.close(ended, port);
        }
        let rare = self.rare();
        (rare.healing, rare.failed) = (Some(failure.clone()), Some(failure.clone()));
        port.perform(self, Effect::Decide { failure, instance: false });
        self.stage = Stage::Parked;
    }

    /// Why a root that was stopped has ended.
    fn root_stopped(&mut self) -> Ended {
        match std::mem::take(&mut self.rare().leave) {
            Leave::End(why) => why,
            Leave::Stay | Leave::Down(_) if self.aborted => Ended::Aborted,
            Leave::Stay | Leave::Down(_) => Ended::Stopped,
        }
    }

    fn gone(&mut self, port: &mut dyn Port) {
        // Left, its next turn would find it and tell its group once more.
        self.rare().leave = Leave::Stay;
        port.perform(self, Effect::Gone);
        self.stage = Stage::Parked;
    }

    // ----- over

    /// It has ended: what is still in its table (declared children that were never started) ends too.
    fn close(&mut self, ended: Ended, port: &mut dyn Port) {
        if std::mem::replace(&mut self.has_ended, true) {
            // Nothing of the life before is of account for the end of one that never began.
            (self.aborted, self.leaving_since) = (false, None);
            port.perform(self, Effect::ForgetLate);
        }
        self.rare().wait = None;
        let aborted = self.aborted && !self.settings.kills;
        let ended = if aborted && ended.is_orderly() { Ended::Aborted } else { ended };
        self.rare().closing = Some((ended, aborted));
        if port.has_children() {
            self.children_are_down = false;
            port.perform(self, Effect::EndChildren);
            self.stage = Stage::Closing;
        } else {
            self.closed(port);
        }
    }

    /// Nobody starts it again. One that was started by hand, and then lost its supervisor, has an end to tell.
    fn leaves_task(&mut self, port: &mut dyn Port) {
        match port.end_is_told() {
            true => self.stage = Stage::Exited,
            false => self.close(Ended::Stopped, port),
        }
    }

    fn closed(&mut self, port: &mut dyn Port) {
        let (ended, aborted) = self.rare().closing.take().expect("it has ended somehow");
        self.children_are_down = false;
        self.state = State::Ended;
        port.perform(self, Effect::Close);
        port.perform(self, Effect::Ended { ended, aborted });
        self.stage = Stage::Over;
    }

    // ----- bugs

    /// This crate's own code has failed in one that had ended: nothing is left that could fail. If it was to start, its
    /// group hears of that. `told`: everybody knows of its end.
    pub(crate) fn breaks_after_its_end(&mut self, told: bool) {
        if told {
            self.state = State::Ended;
        }
        self.due = false;
        self.rare().leave = Leave::Stay;
        self.stage = Stage::Over;
    }

    /// This crate's own code has failed: nothing of this incarnation stays, and no hook of it runs (S19).
    pub(crate) fn breaks(&mut self, bug: Failure, port: &mut dyn Port) {
        (self.cut, self.post_stop_due) = (None, false);
        self.state = State::Stopping;
        self.leaves(false, port.now(), port);
        port.perform(self, Effect::Shut);
        let again = Some(bug.clone()).filter(|_| self.was_up && !self.root);
        self.takes_down(again, Then::Broken(bug), port);
    }
}

/// How a time of serving ended.
enum Served {
    ByItself,
    Failed(Failure),
    /// Something was asked of it, or nothing was up.
    Asked,
}
