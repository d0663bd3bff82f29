//! The life of one child as a state machine: the effect of every order, step end and deadline in every state.
//!
//! The machine is plain data: no clock, no task, no user code. The driver passes it orders ([`Machine::order`]) and the
//! ends of steps ([`Machine::finished`]). The machine answers which step follows ([`Machine::next`]), and a [`Port`]
//! carries out its [`Effect`]s. So the driver decides nothing itself.
//!
//! The machine keeps two things apart. The [`State`] is the row of the tables; the `Stage` is the point that the
//! child's task has reached. They differ because an order may arrive at any time, also while user code runs. The
//! machine then records the order and changes what can be changed immediately (the mailbox, the deadline, the drop of
//! the user future). It acts on the rest when the user code has returned.

use std::borrow::Cow;
use std::time::Duration;

use tokio::time::Instant;

use super::State;
use crate::base::clock::after;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::ShutdownTimeout;

/// The time to go down for a restart, for a child that has no time to stop (`shutdown = Kill`, S24).
const DOWN_TIME: Duration = Duration::from_secs(5);

/// An order to the child, from its supervisor, its children or a caller.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub enum Order {
    /// The child starts, because its turn has come.
    Start,
    /// The child continues with the same instance after a failure (the directive `Resume`).
    Resume,
    /// A failure that was kept so far is decided now.
    Redecide,
    /// The child goes down to be restarted. Its hooks get this failure.
    Down(Failure, StopReason),
    /// The child goes down and ends.
    End(Ended, StopReason),
    /// The child handles its queued messages, then goes down and ends.
    Drain,
    /// The group counts the child as ended.
    Over(Ended),
    /// True: an ancestor has failed. False: the suspension ends.
    Suspend(bool),
    /// The failure above leaves nothing to resume: the child goes down when its turn comes, and serves until then.
    Serve,
    /// The supervisor was dropped: no start will ever come.
    Orphan,
    /// The child waits this long, for its own backoff or that of its group.
    Wait(Duration),
    /// A caller's `stop()`, to which the group has agreed.
    Stop {
        /// The child was ordered to start, and has not begun.
        begins: bool,
        reason: StopReason,
    },
    /// The child fails with this at its next await: `kill()`, a death pact.
    Kill(Failure),
    /// A test makes the child fail with this.
    #[cfg(feature = "testing")]
    Inject(Failure),
    /// The child has no time left. The failure is that of the restart for which the child goes down; `None` if the
    /// child ends.
    Abort(Option<Failure>),
    /// All children of this child are down.
    ChildrenDown,
    /// The children of this tree go down, and the tree ends once they are down (S18, S22).
    ChildrenEnding,
    /// All children of this child have ended (S22), with the first failure.
    ChildrenEnded(Option<Failure>),
    /// A child of this child has escalated this failure.
    Escalated(Failure),
}

/// The next action of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// No action: the task waits for orders, until [`Machine::wakes`].
    Wait,
    /// No action, but other tasks run first.
    Yield,
    /// Run the start expression.
    Start,
    /// Run `pre_start`.
    PreStart,
    /// Run `post_restart`.
    PostRestart,
    /// Run a task until it reports that it is ready.
    Ready,
    /// Handle messages, or run the future of a task.
    Serve,
    /// Run the `cx.run` futures of a draining actor to their ends.
    HandIn,
    /// Run `pre_restart`.
    PreRestart,
    /// Wait for the subtasks that a task left running, within their time.
    Settle,
    /// Drop the subtasks that a task left running.
    Drop,
    /// Run `post_stop`.
    PostStop,
    /// End the task.
    Exit,
}

/// The way in which a step ended.
#[derive(Debug)]
pub enum StepEnd {
    /// User code returned successfully.
    Done,
    /// The message loop returned because of an order, or for the queued messages.
    Interrupted,
    /// The child ended by itself: `cx.stop()`, or a task that returned.
    ByItself,
    /// The future of a task has returned, but its subtasks have not.
    Returned,
    /// The queue is empty, and no new messages are accepted.
    Drained,
    /// User code failed or panicked. `stopped`: it had called `cx.stop()` before.
    Failed { failure: Failure, stopped: bool },
    /// An optional child is absent (S28).
    Absent,
    /// The user future was dropped at an await.
    Cut(Cut),
}

/// Why a user future is dropped at its next await.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The child goes down, for a restart or to end.
    Leaves,
    /// The child fails: a kill, or an escalation of a child below.
    Fails,
    /// The time of the step is up.
    TimeUp,
    /// The supervisor has no time left for the child.
    Abort,
}

/// The driver of a machine, as the machine sees it: answers its questions and carries out its effects.
pub trait Port {
    fn now(&self) -> Instant;
    /// Returns whether a message is being handled.
    fn is_busy(&self) -> bool;
    /// Returns whether this step has nothing to run.
    fn is_empty(&self, step: Step) -> bool;
    /// Returns whether an order, or a request, waits in the queue of the child.
    fn has_orders(&self) -> bool;
    /// Returns whether the instance has called `cx.stop()` in this incarnation.
    fn has_stopped(&self) -> bool;
    /// Returns whether the child has, or had, children of its own.
    fn has_children(&self) -> bool;
    /// Returns the time that the child, which is a tree, has for each of its ends (S44).
    fn time_to_end(&self) -> Option<Duration>;
    /// Returns whether the supervisor still has the child in its group.
    fn has_place(&self) -> bool;
    /// Returns whether all watchers were notified of the end.
    fn end_is_told(&self) -> bool;
    /// Returns the end of its own that the child, which is a tree, has begun: its children go down for it.
    fn own_end(&self) -> Option<Ended>;
    /// Returns whether the child had begun to end by itself when it was asked to end.
    fn was_leaving(&self) -> bool;
    /// Returns whether the failure is this child's own, not one of a child below.
    fn is_own(&self, failure: &Failure) -> bool;
    /// Returns what the child said when it ended by itself.
    fn last_words(&mut self) -> Option<Cow<'static, str>>;
    /// Makes a failure of this child.
    fn failure(&self, phase: Phase, cause: Cause) -> Failure;
    /// Tells the supervisor of a failure that is decided on next with [`Effect::Decide`]: this child's own, or one that
    /// was escalated to it. Returns the failure with the restarts of this child before it. `instance`: there still is
    /// an instance.
    fn fails(&mut self, failure: Failure, instance: bool) -> Failure;
    /// Carries out this effect immediately. `machine` has the present state of the child.
    fn perform(&mut self, machine: &Machine, effect: Effect);
}

/// An effect to carry out.
#[derive(Debug)]
pub enum Effect {
    // ----- at any time: on the cell, its group, its children
    /// The message loop returns after the message in hand (true), or need not return any more (false).
    Interrupt(bool),
    /// Mailbox: new messages are refused, and queued ones become dead letters.
    Refuse,
    /// Mailbox: new messages are refused; queued ones are still handled, and timers stop.
    RefuseNew,
    /// Mailbox: the actor counts as down or as up again, for `while_down(Reject)` (S35).
    MarkDown(bool),
    /// Mailbox: the actor counts as down until the failure above it is decided, for `while_down(Reject)` (S35).
    MarkSuspended,
    /// The time of the next start, for senders that are rejected.
    Retry(Option<Instant>),
    /// The child goes down after the message in hand: spawns that are not up yet end (S7).
    EndSpawns,
    /// The child continues after all: spawns are allowed again.
    AllowSpawns,
    /// The child's own code is notified of the stop, with [`Machine::stop_reason`]: by tokens, and by the context of a
    /// task.
    SignalStop,
    /// The report of a tree that ends begins.
    OpenReport,
    /// The suspension, for snapshots.
    Suspended(bool),
    /// The children are suspended, or their suspension ends.
    SuspendChildren(bool),
    /// The children go down when their turns come, and serve until then. Nothing new begins among them.
    ServeBelow,
    /// The backoff is over: the group decides what follows.
    Due,
    /// The child has begun to end by itself: the group is told.
    Leaves,
    /// Nothing of the child is up any more.
    Gone,
    // ----- between two steps: also on the instance
    /// The child is up.
    Up { again: bool, healed: Option<Failure> },
    /// An event: the child has failed.
    Failed(Failure),
    /// An event: a child has escalated a failure.
    Escalated(Failure),
    /// A failure on the way down, without a decision. It is in the report if the child ends.
    Late(Failure),
    /// A failure without a decision.
    Reported(Failure),
    /// Forget the failures on the way down of the previous life.
    ForgetLate,
    /// The child has come down after a bug of this crate; the group is notified.
    Broken(Failure),
    /// The step, or the message in hand, was cut short.
    Aborted,
    /// The group is notified of the failure, and the deciders are asked. `instance`: there still is an instance.
    Decide { failure: Failure, instance: bool },
    /// A kept failure is decided now.
    Redecide { failure: Failure },
    /// The child has ended by itself: the group decides what follows.
    Done { ended: Ended, end: Failure },
    /// The optional child is absent this time.
    Absent,
    /// The child ends like this, even if a stop came meanwhile.
    EndsAs(Ended),
    /// The children continue after a failure of this child was resumed.
    ResumeChildren(Failure),
    /// The children go down, to be started again with this child.
    RestartChildren(Failure, StopReason),
    /// The children go down and end, and are reported.
    StopChildren,
    /// The remaining children end.
    EndChildren,
    /// The children have no time left.
    AbortChildren,
    /// Mailbox: messages are handled.
    Open,
    /// Mailbox: messages wait.
    Shut,
    /// Mailbox: closed at the end.
    Close,
    /// The message in hand counts as handled.
    Forgive,
    /// The timers and futures of this incarnation are dropped.
    DropBackground,
    /// The children that this restart stops are no longer watched.
    Unwatch,
    /// The instance is dropped.
    DropInstance,
    /// The child has ended: all watchers are notified.
    Ended { ended: Ended, aborted: bool },
}

impl Effect {
    /// Returns whether user code runs, which may take long.
    #[inline(always)]
    pub fn runs_user_code(&self) -> bool {
        matches!(self, Effect::Close | Effect::Forgive | Effect::DropBackground | Effect::DropInstance)
    }
}

/// The settings on which the life of an incarnation depends.
#[derive(Debug, Clone, Copy)]
pub struct LifeSettings {
    pub shutdown: ShutdownTimeout,
    /// `shutdown = Kill` is declared.
    pub kills: bool,
    /// A stop lets the child handle its queued messages (S24).
    pub drains: bool,
    /// The child reports itself when it has started (S29).
    pub ready: bool,
    /// An end by itself is followed by a restart (S23).
    pub permanent: bool,
    /// The time that the actor may take for each message (S13).
    pub handler: Option<Duration>,
}

/// The point that the task has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Down, or never up: the task waits for its next start.
    Parked,
    /// About to begin an incarnation.
    Yielding,
    Starting,
    PreStarting,
    PostRestarting,
    GettingReady,
    /// Up: the recorded orders decide what follows.
    Up,
    Serving,
    /// Up, while an ancestor has failed.
    Suspended,
    /// Failed, with an instance: the task waits for the decision.
    Deciding,
    /// Up, and handling the queued messages before it stops.
    Draining,
    DrainSuspended,
    HandingIn,
    // The way down, in this order.
    PreRestarting,
    Settling,
    Dropping,
    ChildrenDown,
    PostStopping,
    /// Nothing of the child is up; children that never were up end.
    Closing,
    /// Ended.
    Over,
    Exited,
}

/// The consequence once the child is down.
#[derive(Debug)]
enum Then {
    /// The group decides what follows.
    Gone,
    /// The child stops. `own`: an end of its own had begun before the stop.
    Stop { own: Option<Ended> },
    /// The child ended by itself.
    Done { ended: Ended, end: Failure },
    /// The start failed.
    StartFailed(Failure),
    /// A task failed.
    TaskFailed(Failure),
    /// The optional child is absent.
    Absent,
    /// Code of this library has failed.
    Broken(Failure),
}

/// The way down in progress.
#[derive(Debug)]
struct Way {
    /// The failure with which the children are restarted; `None` if they end.
    again: Option<Failure>,
    /// That failure is not the child's own: the child goes down with its group, or on request.
    told: bool,
    then: Then,
}

/// The recorded request to leave, carried out after the step in progress.
#[derive(Debug, Default)]
enum Leave {
    #[default]
    Stay,
    Down(Failure),
    End(Ended),
}

/// The life of a child. See the [module](self).
#[derive(Debug)]
pub struct Machine {
    kind: ChildKind,
    /// The child has no supervisor.
    root: bool,
    state: State,
    stage: Stage,
    settings: LifeSettings,
    /// The child is a task that is notified of a stop through its context.
    signalled: bool,
    suspended: bool,
    /// The failure above was decided while the child had failed or was coming up: resumed or up, it serves until its turn
    /// to go down.
    serves: bool,
    /// The supervisor was dropped.
    orphan: bool,
    /// The child was up once: its next start is a restart.
    was_up: bool,
    /// The child has ended once, and was not started again since.
    has_ended: bool,
    /// `pre_start` has succeeded, so `post_stop` is due.
    post_stop_due: bool,
    /// No time is left: no further hook runs in this incarnation.
    aborted: bool,
    /// The child drains, and the message that was in hand when the drain began has ended.
    drains: bool,
    /// A start was ordered.
    due: bool,
    resumed: bool,
    undecided: bool,
    children_are_down: bool,
    cut: Option<Cut>,
    cold: Option<Box<ColdState>>,
}

/// State that an undisturbed child does not have, boxed because idle actors have to be small.
#[derive(Debug, Default)]
struct ColdState {
    leave: Leave,
    /// The time by which the child has to be down; set by the first request to go down.
    deadline: Option<Instant>,
    leaving_since: Option<Instant>,
    /// The time since when nothing of the incarnation is up.
    down_since: Option<Instant>,
    /// Why the child goes down.
    reason: Option<StopReason>,
    /// The request to leave is of the next life, which was ordered and has not begun.
    stops_next: bool,
    /// A failure that came from outside.
    failing: Option<Failure>,
    escalated: Option<Failure>,
    children_ended: Option<Option<Failure>>,
    /// The end with which the group counts the child.
    over: Option<Ended>,
    /// The end of the backoff.
    wait: Option<Instant>,
    /// The failure after which the next incarnation starts; before the child was ever up, that of the previous attempt.
    healing: Option<Failure>,
    /// The failure that is being decided.
    failed: Option<Failure>,
    way: Option<Way>,
    /// The end that is about to be announced.
    closing: Option<(Ended, bool)>,
}

impl Machine {
    /// Makes a child that has not begun. A root begins by itself, every other child on an order of its group.
    #[inline]
    pub fn new(kind: ChildKind, root: bool) -> Self {
        let settings = LifeSettings {
            shutdown: ShutdownTimeout::Infinity,
            kills: false,
            drains: false,
            ready: false,
            permanent: false,
            handler: None,
        };
        Machine {
            kind,
            root,
            state: State::Idle,
            stage: Stage::Parked,
            settings,
            signalled: false,
            suspended: false,
            serves: false,
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
            cold: None,
        }
    }

    // ----- state

    #[cfg(test)]
    pub(in crate::decide) fn state(&self) -> State {
        self.state
    }

    /// Returns the row of the tables. Only the message loop knows whether a message is in hand.
    fn row(&self, port: &impl Port) -> State {
        match self.state {
            State::Running if !self.kind.only_supervises() && port.is_busy() => State::Handling,
            state => state,
        }
    }

    pub fn is_suspended(&self) -> bool {
        self.suspended
    }

    /// Returns whether nothing new begins below the child, because of a failure above it.
    pub fn holds_below(&self) -> bool {
        self.suspended || self.serves
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub fn was_up(&self) -> bool {
        self.was_up
    }

    /// Returns whether the child has ended and all watchers were notified.
    pub fn is_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Returns whether a supervisor may stop waiting for this child if it is stuck.
    pub fn gives_up(&self) -> bool {
        self.state == State::Stopping || self.aborted
    }

    /// Returns whether a start is in progress.
    pub fn is_starting(&self) -> bool {
        matches!(self.stage, Stage::Starting | Stage::PreStarting | Stage::PostRestarting | Stage::GettingReady)
    }

    /// Returns whether a task runs that has not yet said that it is ready.
    pub fn gets_ready(&self) -> bool {
        self.stage == Stage::GettingReady
    }

    /// Returns whether the child handles messages, or waits for them.
    pub fn is_serving(&self) -> bool {
        self.stage == Stage::Serving
    }

    /// Returns whether a start was ordered and has not begun.
    pub fn is_due(&self) -> bool {
        self.due
    }

    /// Returns whether nothing of the child is up or coming up.
    pub fn is_parked(&self) -> bool {
        matches!(self.state, State::Idle | State::AwaitingRestart | State::Ended)
    }

    /// Returns whether the child was asked to go down, for a restart or to end.
    pub fn is_leaving(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| !matches!(cold.leave, Leave::Stay))
    }

    /// Returns why the child goes down, or went down last.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.cold.as_ref()?.reason
    }

    /// Returns why the children of this child end with it.
    #[inline]
    pub fn reason_below(&self) -> StopReason {
        self.stop_reason().map_or(StopReason::Shutdown, StopReason::below)
    }

    /// Returns whether the request to go down comes from outside, while the child's own code may be running.
    pub fn is_told(&self) -> bool {
        !self.is_parked() && self.state != State::Failed && self.stop_reason().is_some_and(|reason| !reason.is_own())
    }

    /// Returns whether the child is up or coming up, and nothing takes it down yet.
    pub fn is_free(&self) -> bool {
        let up = match self.state {
            State::Starting | State::Running | State::Handling | State::StartAgain | State::PostRestart => true,
            State::Idle
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::AwaitingRestart
            | State::Stopping
            | State::Draining
            | State::Ended => false,
        };
        up && !self.is_leaving()
    }

    /// The child was killed, and asked to end in the same moment: the kill is its end.
    pub fn ends_killed(&mut self) {
        if let Leave::End(why) = &mut self.cold().leave
            && why.is_orderly()
        {
            *why = Ended::Killed;
        }
    }

    /// Records why the child goes down. `ends`: for good, which replaces a restart; otherwise the first reason stays.
    #[inline]
    fn gives(&mut self, reason: StopReason, ends: bool) {
        let replaces = ends && !self.ends();
        let cold = self.cold();
        if cold.reason.is_none() || replaces {
            cold.reason = Some(reason);
        }
    }

    /// Of a stop and a replacement that callers ask for, the later one says whether another instance follows.
    #[inline]
    fn turns(&mut self, reason: StopReason) {
        let one_of_two = |reason| matches!(reason, StopReason::Asked | StopReason::Replaced);
        if let Some(cold) = &mut self.cold
            && cold.reason.is_some_and(one_of_two)
            && one_of_two(reason)
        {
            cold.reason = Some(reason);
        }
    }

    fn goes_down(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| matches!(cold.leave, Leave::Down(_)))
    }

    fn ends(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| matches!(cold.leave, Leave::End(_)))
    }

    /// Returns whether a failure of the child's code changes nothing any more, since it is, or was asked to be, on its
    /// way down.
    pub fn is_going(&self) -> bool {
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
            | State::AwaitingRestart
            | State::Stopping
            | State::Draining
            | State::Ended => true,
        }
    }

    /// Returns whether the child's code runs on the way down, where a call that waits for other children is refused
    /// (S25).
    pub fn is_on_its_way_out(&self) -> bool {
        matches!(self.state, State::PreRestart | State::GoingDown | State::Stopping)
    }

    /// Returns whether new timers and futures are accepted. `timer`: background work without an end.
    pub fn takes_background(&self, timer: bool) -> bool {
        match self.state {
            State::Starting
            | State::StartAgain
            | State::PostRestart
            | State::Running
            | State::Handling
            | State::Failed => true,
            State::Draining => !timer,
            State::Idle
            | State::AwaitingRestart
            | State::PreRestart
            | State::GoingDown
            | State::Stopping
            | State::Ended => false,
        }
    }

    /// Returns whether the child may move to another supervisor (S38).
    pub fn may_move(&self) -> bool {
        self.state == State::Running && !self.suspended
    }

    /// Returns the phase for a bug of this crate.
    pub fn phase(&self) -> Phase {
        match self.state {
            State::Starting => Phase::Start,
            State::StartAgain | State::PostRestart => Phase::Restart,
            _ => Phase::Running,
        }
    }

    /// Takes the request to drop the user future now.
    pub fn take_cut(&mut self) -> Option<Cut> {
        self.cut.take()
    }

    /// Returns the time by which the present step has to finish.
    pub fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Parked | Stage::Up | Stage::Deciding | Stage::Over | Stage::Exited => None,
            Stage::ChildrenDown | Stage::Closing if self.aborted => None,
            _ => self.cold.as_ref()?.deadline,
        }
    }

    /// Returns the end of the backoff.
    pub fn waits_until(&self) -> Option<Instant> {
        match self.stage {
            Stage::Parked | Stage::Suspended | Stage::Deciding | Stage::Over => self.cold.as_ref()?.wait,
            _ => None,
        }
    }

    /// Returns the time since when the child goes down.
    pub fn leaving_since(&self) -> Option<Instant> {
        self.cold.as_ref()?.leaving_since
    }

    /// Returns whether the child goes down for a restart.
    pub fn comes_again(&self) -> bool {
        self.cold.as_ref().and_then(|cold| cold.way.as_ref()).is_some_and(|way| way.again.is_some())
    }

    /// Returns how long the child took to go down. The time stands still once nothing of the child is up: it may then wait
    /// for a restart, and end long after.
    #[inline]
    pub fn took(&self, now: Instant) -> Duration {
        let Some(cold) = &self.cold else { return Duration::ZERO };
        let until = cold.down_since.unwrap_or(now);
        cold.leaving_since.map_or(Duration::ZERO, |since| until.saturating_duration_since(since))
    }

    /// Returns the time that the message in hand may take, unless the child goes down, which has a time of its own (S24).
    #[inline]
    pub fn handler_time(&self) -> Option<Duration> {
        let handles = self.stage == Stage::Serving && self.state == State::Running && !self.is_leaving();
        self.settings.handler.filter(|_| handles)
    }

    /// Returns the failure that the hooks of a restart get.
    pub fn heals(&self) -> Option<&Failure> {
        self.cold.as_ref()?.healing.as_ref()
    }

    #[inline]
    fn cold(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    // ----- orders

    /// Takes an order, in any state.
    pub fn order(&mut self, order: Order, port: &mut impl Port) {
        match order {
            Order::Start => {
                self.set_suspended(false, port);
                self.serves = false;
                if self.cold.as_mut().and_then(|cold| cold.wait.take()).is_some() {
                    port.perform(self, Effect::Retry(None));
                }
                self.due = true;
            }
            Order::Wait(delay) => {
                let until = after(port.now(), delay);
                self.cold().wait = Some(until);
                port.perform(self, Effect::Retry(Some(until)));
            }
            Order::Resume => {
                port.perform(self, Effect::AllowSpawns);
                self.resumed = true;
            }
            Order::Redecide => self.undecided = true,
            Order::Down(failure, reason) => {
                self.tells_own_end(port); // which had begun before this order
                self.gives(reason, false);
                self.down(failure, port);
            }
            Order::End(why, reason) => {
                let left = self.is_leaving();
                self.gives(reason, true);
                self.cold().leave = Leave::End(why);
                self.stop(left, port);
            }
            Order::Stop { begins, reason } => {
                self.gives(reason, true);
                self.turns(reason);
                self.stop_on_request(begins, port);
            }
            Order::Drain => {
                self.gives(StopReason::Drain, true);
                self.drain(port);
            }
            Order::Over(ended) => {
                if self.is_parked() {
                    // Requests from before the end are settled with the end: `start_again()` must not find them. There
                    // are some only if the supervisor stopped waiting for a child that was not polled for long.
                    (self.due, self.undecided) = (false, false);
                    // The stop of a life that is only ordered so far is not one of them.
                    let cold = self.cold();
                    if !std::mem::take(&mut cold.stops_next) {
                        cold.leave = Leave::Stay;
                    }
                }
                self.cold().over = Some(ended);
            }
            Order::Suspend(suspended) => self.suspend(suspended, port),
            Order::Serve => self.serve(port),
            Order::Orphan => self.orphan = true,
            Order::Kill(failure) => self.kill(failure, port),
            #[cfg(feature = "testing")]
            Order::Inject(failure) => self.inject(failure, port),
            Order::Abort(again) => self.abort_now(again, port),
            Order::ChildrenDown => self.children_are_down = true,
            Order::ChildrenEnding => {
                self.tells_own_end(port);
                port.perform(self, Effect::OpenReport);
                self.limits_its_end(port);
            }
            Order::ChildrenEnded(failure) => {
                self.cold().children_ended = Some(failure);
                port.perform(self, Effect::Interrupt(true));
            }
            Order::Escalated(failure) => self.escalated(failure, port),
        }
    }

    /// Tells the group of an end of its own that a tree has begun. A tree that ends with a failure may still be restarted
    /// with its group.
    fn tells_own_end(&mut self, port: &mut impl Port) {
        if port.own_end().is_some_and(|end| end.is_orderly()) {
            port.perform(self, Effect::Leaves);
        }
    }

    /// Takes the child down for a restart: of its group, or from above.
    fn down(&mut self, failure: Failure, port: &mut impl Port) {
        let cold = self.cold();
        if !matches!(cold.leave, Leave::End(_)) {
            cold.leave = Leave::Down(failure);
        }
        match self.state {
            // Asked to go down before it could begin: the group is notified at the next turn.
            State::Idle | State::AwaitingRestart => self.leaves_for_restart(port),
            State::Starting | State::StartAgain | State::PostRestart => {
                self.leaves_for_restart(port);
                self.cuts(Cut::Leaves);
            }
            // The message in hand continues, within its time.
            State::Running | State::Handling => {
                self.leaves_for_restart(port);
                if self.cannot_be_told() {
                    self.cuts(Cut::Leaves);
                }
            }
            // No message loop runs that could be interrupted.
            State::Failed => return self.leaves_for_restart(port),
            // Already going down for a restart.
            State::PreRestart | State::GoingDown => self.leaves_for_restart(port),
            // The message in hand continues; the rest become dead letters.
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

    fn leaves_for_restart(&mut self, port: &mut impl Port) {
        port.perform(self, Effect::MarkDown(true)); // S35
        self.leaves(false, port.now(), port);
        port.perform(self, Effect::EndSpawns);
    }

    /// Takes the child down to its end: by its group, a caller or its supervisor's own stop. `left`: it was on its way
    /// down already.
    fn stop(&mut self, left: bool, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart => self.leaves_for_good(port),
            State::Starting | State::StartAgain | State::PostRestart => {
                self.leaves_for_good(port);
                self.cuts(Cut::Leaves);
            }
            // The queued messages are handled first (S24), unless nothing queued can begin (S7), or the mailbox is
            // closed: an earlier request may have closed it.
            State::Running | State::Handling
                if self.settings.drains
                    && !self.suspended
                    && !left
                    && self.settings.shutdown != ShutdownTimeout::Kill =>
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
            State::Failed => {
                self.leaves_for_good(port);
                port.perform(self, Effect::Refuse);
            }
            State::Stopping => {
                self.leaves_for_good(port);
                port.perform(self, Effect::Refuse);
                self.ends_restart_below(port);
            }
            State::PreRestart | State::GoingDown => {
                self.leaves_for_good(port);
                self.ends_restart_below(port);
            }
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

    /// The children that go down for a restart of this child go down to their end instead.
    fn ends_restart_below(&mut self, port: &mut impl Port) {
        if self.stage == Stage::ChildrenDown && self.forget_restart() {
            self.children_go_down(port);
        }
    }

    fn leaves_for_good(&mut self, port: &mut impl Port) {
        self.leaves(true, port.now(), port);
        port.perform(self, Effect::EndSpawns);
    }

    /// Begins the child's time to go down, unless it has begun already (S16).
    fn leaves(&mut self, for_good: bool, now: Instant, port: &mut impl Port) {
        self.cold().leaving_since.get_or_insert(now);
        port.perform(self, Effect::SignalStop);
        self.limits_its_end(port);
        let time = match self.settings.shutdown {
            ShutdownTimeout::Within(time) => time,
            ShutdownTimeout::Kill if for_good => {
                // A failed child has no future to drop, but loses its hooks all the same.
                if self.state == State::Running {
                    self.cuts(Cut::Leaves);
                }
                self.aborted |= matches!(self.state, State::Running | State::Failed);
                Duration::ZERO
            }
            ShutdownTimeout::Kill => DOWN_TIME,
            ShutdownTimeout::Infinity => return,
        };
        self.ends_by(after(now, time));
    }

    /// Begins the time that a tree has for each of its ends, unless it has begun already (S44).
    fn limits_its_end(&mut self, port: &mut impl Port) {
        if let Some(time) = port.time_to_end() {
            self.ends_by(after(port.now(), time));
        }
    }

    #[inline]
    fn ends_by(&mut self, until: Instant) {
        let deadline = &mut self.cold().deadline;
        *deadline = Some(deadline.map_or(until, |before| before.min(until)));
    }

    /// The time for the end of a tree is over, and its children are still up. The tree goes on as before once they are
    /// down.
    fn aborts_children(&mut self, port: &mut impl Port) {
        self.cut = None;
        self.cold().deadline = None;
        self.abort(port);
        port.perform(self, Effect::AbortChildren);
    }

    /// Returns whether the child is a task without a context, which cannot be notified: it is dropped at its next await
    /// (S29).
    fn cannot_be_told(&self) -> bool {
        self.kind == ChildKind::Task && !self.signalled
    }

    /// The strongest request to drop the user future stays.
    fn cuts(&mut self, cut: Cut) {
        let fails = || self.cold.as_ref().is_some_and(|cold| cold.failing.is_some());
        match (self.cut, cut) {
            (Some(Cut::Abort), _) => {}
            (Some(Cut::Fails), Cut::Leaves) if fails() => {}
            _ => self.cut = Some(cut),
        }
    }

    /// A caller's `stop()`, to which the group has agreed. `begins`: the child was ordered to start, and has not begun.
    fn stop_on_request(&mut self, begins: bool, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart if self.root => self.cold().over = Some(Ended::Stopped),
            // The group has decided what follows.
            State::Idle | State::AwaitingRestart | State::Ended => {
                if begins {
                    let cold = self.cold();
                    (cold.leave, cold.stops_next) = (Leave::End(Ended::Stopped), true);
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
                let left = self.is_leaving();
                self.ends_for(Ended::Stopped);
                self.stop(left, port);
            }
        }
    }

    /// Sets the reason for the end; the first reason stays.
    #[inline]
    fn ends_for(&mut self, why: Ended) {
        if !self.ends() {
            self.cold().leave = Leave::End(why);
        }
    }

    /// Carries out `drain()`, for which the group has already marked the child.
    fn drain(&mut self, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart | State::Ended => {} // the child was on its way down: its end is coming
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
                let left = self.is_leaving();
                self.ends_for(Ended::Stopped);
                self.stop(left, port);
            }
        }
    }

    /// Begins a drain: new messages are refused, and queued ones are handled within the `shutdown` time. Timers stop,
    /// and `cx.run` futures are waited for.
    fn begin_drain(&mut self, now: Instant, port: &mut impl Port) {
        self.state = State::Draining;
        port.perform(self, Effect::RefuseNew);
        self.leaves(false, now, port);
        port.perform(self, Effect::Interrupt(true));
    }

    fn set_suspended(&mut self, suspended: bool, port: &mut impl Port) {
        self.suspended = suspended;
        port.perform(self, Effect::Suspended(suspended));
    }

    fn suspend(&mut self, suspended: bool, port: &mut impl Port) {
        match self.state {
            State::Stopping | State::Ended => {}
            State::Idle
            | State::Starting
            | State::Running
            | State::Handling
            | State::Failed
            | State::PreRestart
            | State::GoingDown
            | State::AwaitingRestart
            | State::StartAgain
            | State::PostRestart
            | State::Draining => {
                if self.kind != ChildKind::Task {
                    self.set_suspended(suspended, port);
                }
            }
        }
        port.perform(self, Effect::Interrupt(true));
        if suspended {
            port.perform(self, Effect::MarkSuspended); // S35
        } else if self.state == State::Running && !self.goes_down() {
            port.perform(self, Effect::MarkDown(false));
        }
        match self.state {
            // The children of a failed child wait for its decision, and those of a child that goes down for their turns.
            State::Failed | State::PreRestart if !suspended => {}
            State::PreRestart => port.perform(self, Effect::ServeBelow),
            _ => port.perform(self, Effect::SuspendChildren(suspended)),
        }
    }

    /// The failure above leaves nothing to resume: what is up serves until its turn comes (S7). What comes up meanwhile
    /// does so, too.
    fn serve(&mut self, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart => {
                if self.due && self.suspended {
                    self.set_suspended(false, port); // its start was ordered before the failure above
                    self.serves = true;
                }
                return;
            }
            State::GoingDown | State::Stopping | State::Ended => return,
            State::Failed => self.serves = true, // unless it is resumed, it serves no more
            State::PreRestart => {}
            State::Starting
            | State::Running
            | State::Handling
            | State::StartAgain
            | State::PostRestart
            | State::Draining => {
                if self.suspended {
                    self.set_suspended(false, port);
                }
                port.perform(self, Effect::Interrupt(true));
                if self.state == State::Running && !self.goes_down() {
                    port.perform(self, Effect::MarkDown(false)); // S35
                }
                if self.is_starting() {
                    self.serves = true;
                } else {
                    port.perform(self, Effect::EndSpawns); // none could begin
                }
            }
        }
        port.perform(self, Effect::ServeBelow);
    }

    /// The child goes down, whatever else is decided above it: its children, which wait for that, serve until their turns.
    fn lets_serve(&self, port: &mut impl Port) {
        if self.suspended || self.state == State::Failed {
            port.perform(self, Effect::ServeBelow);
        }
    }

    fn kill(&mut self, failure: Failure, port: &mut impl Port) {
        if self.stop_reason() == Some(StopReason::Replaced) && matches!(failure.cause(), Cause::Killed) {
            self.turns(StopReason::Asked);
            port.perform(self, Effect::SignalStop);
        }
        match self.state {
            // A kill of a child that is not up is a stop, to which the group has to agree.
            State::Idle | State::AwaitingRestart | State::Ended => {}
            State::Failed => port.perform(self, self.report_of(failure)),
            State::PreRestart | State::GoingDown | State::Stopping => self.cuts(Cut::Fails),
            // Already on the way down, though the message in hand, or the notified task, still continues.
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

    /// Fails the child at its next await. Of two such failures in one poll a kill is decided, otherwise the first; the
    /// other one is reported.
    fn fails_with(&mut self, failure: Failure, port: &mut impl Port) {
        let is_kill = |failure: &Failure| matches!(failure.cause(), Cause::Killed);
        let (decided, other) = match self.cold().failing.take() {
            Some(before) if is_kill(&failure) && !is_kill(&before) => (failure, Some(before)),
            Some(before) => (before, Some(failure)),
            None => (failure, None),
        };
        self.cold().failing = Some(decided);
        if let Some(other) = other.filter(|other| !is_kill(other)) {
            port.perform(self, self.report_of(other));
        }
        self.cuts(Cut::Fails);
        port.perform(self, Effect::Interrupt(true));
    }

    /// A failure that a test injects: as if the child's code had failed, if any is running.
    #[cfg(feature = "testing")]
    fn inject(&mut self, failure: Failure, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart | State::Ended => {}
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
    pub fn fails_alongside(&mut self, failure: Failure, port: &mut impl Port) {
        self.cold().failing.get_or_insert(failure);
        port.perform(self, Effect::Interrupt(true));
    }

    /// Returns the effect that reports a failure without a decision.
    pub fn report_of(&self, failure: Failure) -> Effect {
        if self.is_going() { Effect::Late(failure) } else { Effect::Reported(failure) }
    }

    /// The supervisor has no time left for the child. `again`: the failure of the restart for which the child goes
    /// down.
    fn abort_now(&mut self, again: Option<Failure>, port: &mut impl Port) {
        match self.state {
            State::Idle | State::AwaitingRestart | State::Ended => return,
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
            let reason = again.as_ref().map_or(StopReason::Shutdown, StopReason::restarted_above);
            self.gives(reason, again.is_none());
            self.cold().leave = match again {
                Some(failure) => Leave::Down(failure),
                None => Leave::End(Ended::Aborted),
            };
        }
        self.cut = Some(Cut::Abort);
        port.perform(self, Effect::Interrupt(true));
    }

    /// A child below has escalated its failure to this one.
    fn escalated(&mut self, failure: Failure, port: &mut impl Port) {
        self.cold().escalated = Some(failure);
        // The code in hand may wait for a spawn that could begin only after it.
        if self.row(port) != State::Running {
            port.perform(self, Effect::EndSpawns);
        }
        // The build of a tree must not continue; an actor fails after its message or hook.
        if self.kind.only_supervises() && matches!(self.state, State::Starting | State::StartAgain) {
            self.cuts(Cut::Fails);
        }
        port.perform(self, Effect::Interrupt(true));
    }

    // ----- steps

    /// Begins a new incarnation with these settings. `was_up`: the group's knowledge, after an end.
    #[inline]
    pub fn begin(&mut self, settings: LifeSettings, was_up: bool) {
        self.settings = settings;
        self.was_up &= was_up;
        self.state = if self.was_up { State::StartAgain } else { State::Starting };
        (self.aborted, self.drains, self.post_stop_due, self.signalled) = (false, false, false, false);
        (self.due, self.resumed, self.undecided, self.children_are_down) = (false, false, false, false);
        self.cut = None;
        let ended = std::mem::take(&mut self.has_ended);
        if let Some(cold) = &mut self.cold {
            let healing = cold.healing.take().filter(|_| !ended);
            **cold = ColdState { healing, ..ColdState::default() };
        }
    }

    /// Lets the first incarnation heal a failure that happened elsewhere.
    pub fn set_healing(&mut self, failure: Failure) {
        self.was_up = true;
        self.cold().healing = Some(failure);
    }

    /// Marks the child as a task that is notified of a stop through its context.
    pub fn set_signalled(&mut self) {
        self.signalled = true;
    }

    /// Returns whether [`Machine::next`] has work for a waiting task.
    pub fn wakes(&self) -> bool {
        let cold = self.cold.as_deref();
        let leaves = self.is_leaving();
        let is_over = cold.is_some_and(|cold| cold.over.is_some());
        let fails = self.is_failing_alongside();
        match self.stage {
            Stage::Parked => is_over || self.orphan || leaves || self.due || self.undecided,
            Stage::Deciding => leaves || self.orphan || self.resumed || self.undecided,
            Stage::Suspended => !self.suspended || leaves || self.orphan || fails || self.cut == Some(Cut::TimeUp),
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
    pub fn time_is_up(&mut self) {
        self.cuts(Cut::TimeUp);
    }

    /// The backoff is over.
    pub fn wait_is_over(&mut self, port: &mut impl Port) {
        self.cold().wait = None;
        port.perform(self, Effect::Retry(None));
        port.perform(self, Effect::Due);
    }

    /// Returns the next step. Not to be called while a step of user code is in progress.
    pub fn next(&mut self, port: &mut impl Port) -> Step {
        loop {
            let stage = self.stage;
            match stage {
                Stage::Parked => {
                    let over = self.cold.as_mut().and_then(|cold| cold.over.take());
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
                        // No future is in progress that this could drop, and it must not drop one that comes later.
                        self.cut.take_if(|cut| *cut == Cut::Leaves);
                        self.served(StepEnd::Interrupted, port);
                    }
                }
                Stage::Serving => return Step::Serve,
                Stage::Suspended if self.cut == Some(Cut::TimeUp) => self.aborts_children(port),
                Stage::Suspended if self.wakes() => self.stage = Stage::Up,
                Stage::Deciding if self.wakes() => {
                    if self.ends() || self.orphan {
                        self.go_down_for_good(port);
                    } else if let Some(failure) = self.take_down() {
                        self.go_down(failure, port);
                    } else if std::mem::take(&mut self.resumed) {
                        let failure = self.cold().failed.take();
                        port.perform(self, Effect::ResumeChildren(failure.expect("one that is decided on has failed")));
                        if std::mem::take(&mut self.serves) {
                            self.set_suspended(false, port);
                            port.perform(self, Effect::EndSpawns);
                            port.perform(self, Effect::ServeBelow);
                        }
                        port.perform(self, Effect::Forgive);
                        port.perform(self, Effect::Open);
                        if port.has_stopped() {
                            port.perform(self, Effect::Leaves); // the child goes on only to its end
                        }
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
                    } else if self.is_failing_alongside() {
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
                    self.cold().deadline = None; // nothing cuts this step short (S29)
                    return Step::Drop;
                }
                Stage::ChildrenDown if self.wakes() => {
                    if std::mem::take(&mut self.children_are_down) {
                        self.children_are_down(port);
                    } else {
                        self.aborts_children(port);
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
                    } else if let Some(ended) = self.cold.as_mut().and_then(|cold| cold.over.take()) {
                        // Started again, and stopped before it could begin: that is a separate end.
                        self.close(ended, port);
                    } else if self.due {
                        self.parks();
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

    /// Returns whether the child has taken its last step.
    pub fn has_exited(&self) -> bool {
        self.stage == Stage::Exited
    }

    /// Takes the end of a step.
    pub fn finished(&mut self, end: StepEnd, port: &mut impl Port) {
        match self.stage {
            Stage::Yielding => {
                self.stage = Stage::Starting;
            }
            Stage::Starting => match end {
                StepEnd::Done if self.passes_over(Step::PreStart, port) => self.pre_started(port),
                StepEnd::Done => self.stage = Stage::PreStarting,
                end => self.start_failed(end, port),
            },
            // `pre_start` called `cx.stop()` and then failed: the child ends by itself, and no further hook is due.
            Stage::PreStarting if self.has_stopped(&end) => {
                self.unless_stopped(end, port);
                self.started(port);
            }
            Stage::PreStarting => match end {
                StepEnd::Done => self.pre_started(port),
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
                StepEnd::Cut(Cut::TimeUp) if self.kind.only_supervises() && !self.is_leaving() => {
                    self.aborts_children(port);
                    self.served(StepEnd::Interrupted, port);
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

    /// Returns whether the step that comes next has nothing to run, and no request waits that would end it before it
    /// begins.
    fn passes_over(&self, step: Step, port: &impl Port) -> bool {
        self.cut.is_none() && port.is_empty(step) && !port.has_orders()
    }

    // ----- the way up

    fn pre_started(&mut self, port: &mut impl Port) {
        self.post_stop_due = true;
        if self.was_up && self.heals().is_some() {
            self.state = State::PostRestart;
            if !self.passes_over(Step::PostRestart, port) {
                self.stage = Stage::PostRestarting;
                return;
            }
        }
        self.started(port);
    }

    /// A hook that called `cx.stop()` before it failed ends the child by itself, as if the hook had returned (S23).
    fn unless_stopped(&mut self, end: StepEnd, port: &mut impl Port) -> StepEnd {
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

    fn started(&mut self, port: &mut impl Port) {
        if self.cold.as_ref().is_some_and(|cold| cold.escalated.is_some()) {
            return self.start_failed(StepEnd::Done, port);
        }
        self.state = State::Running;
        if self.settings.ready {
            self.stage = Stage::GettingReady;
        } else {
            self.up(port);
        }
    }

    fn up(&mut self, port: &mut impl Port) {
        let again = std::mem::replace(&mut self.was_up, true);
        let healed = self.cold.as_mut().and_then(|cold| cold.healing.take());
        port.perform(self, Effect::Up { again, healed });
        if self.serves {
            port.perform(self, Effect::EndSpawns); // a failure above was decided meanwhile
        }
        self.stage = Stage::Up;
    }

    /// The start failed, or was asked to go down before it had finished.
    fn start_failed(&mut self, end: StepEnd, port: &mut impl Port) {
        self.lets_serve(port);
        let phase = self.start_phase();
        let thrown = match end {
            StepEnd::Absent => {
                self.post_stop_due = false;
                return self.takes_down(None, false, Then::Absent, port);
            }
            StepEnd::Failed { failure, .. } => Some(failure.in_phase(phase)),
            StepEnd::Cut(Cut::Fails) => {
                let given = self.cold().failing.take();
                Some(given.map_or_else(|| port.failure(phase, Cause::TimedOut), |failure| failure.in_phase(phase)))
            }
            // Failures that came before the request, or together with it, are not lost.
            StepEnd::Cut(Cut::Leaves) => {
                while let Some(failure) = self.failed_alongside(true, port) {
                    port.perform(self, Effect::Late(failure));
                }
                None
            }
            StepEnd::Cut(Cut::Abort) => {
                self.abort(port);
                self.absorb_alongside(port);
                None
            }
            // The time is up, or a child below has escalated, and this child fails with that failure.
            _ => Some(port.failure(phase, Cause::TimedOut)),
        };
        let failure = thrown.map(|thrown| {
            let failure = match self.cold().escalated.take() {
                Some(escalated) => {
                    port.perform(self, Effect::Escalated(escalated.clone()));
                    escalated.in_phase(phase)
                }
                None => thrown,
            };
            self.after_the_one_before(failure)
        });
        // Before the child was ever up, its children have no handles outside: they end. Later they keep their
        // mailboxes.
        let again = match (&failure, &self.cold().leave) {
            (Some(failure), _) => Some(failure.clone()),
            (None, Leave::Down(failure)) => Some(failure.clone()),
            (None, Leave::Stay | Leave::End(_)) => None,
        };
        let again = again.filter(|_| self.was_up);
        if let Some(failure) = &failure {
            self.gives(StopReason::of_failure(failure), false);
        }
        let told = failure.is_none();
        let then = failure.map_or(Then::Gone, Then::StartFailed);
        self.takes_down(again, told, then, port);
    }

    /// Links a failed start to the failure that it was to repair: that of a restart, or of the previous attempt (S6).
    fn after_the_one_before(&self, failure: Failure) -> Failure {
        match self.heals() {
            Some(earlier) => failure.after(earlier),
            None => failure,
        }
    }

    /// The wait of a task for `ready` has ended.
    fn got_ready(&mut self, end: StepEnd, port: &mut impl Port) {
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

    /// Returns whether there is an unhandled kill between two messages, or an unhandled escalation.
    fn is_failing_alongside(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| cold.failing.is_some() || cold.escalated.is_some())
    }

    /// Returns whether user code may run. A notified task continues after a request to go down; every other child first
    /// does what was requested.
    fn may_serve(&self) -> bool {
        let Some(cold) = &self.cold else { return !self.suspended };
        let goes = self.is_leaving() && !self.signalled;
        let asked = cold.failing.is_some() || cold.escalated.is_some() || cold.children_ended.is_some();
        !goes && !self.suspended && !asked
    }

    /// The message loop, or the future of a task, has returned.
    fn served(&mut self, end: StepEnd, port: &mut impl Port) {
        let goes_on = matches!(end, StepEnd::Interrupted);
        match self.serving_ended(end, port) {
            Served::ByItself => return self.done_by_itself(None, port),
            Served::Failed(failure) if self.kind == ChildKind::Task => return self.task_failed(failure, port),
            Served::Failed(failure) => return self.failed(failure, port),
            Served::Asked => {}
        }
        if self.drains {
            let escalated = self.cold().escalated.take();
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
        } else if let Some(failure) = self.cold.as_mut().and_then(|cold| cold.children_ended.take()) {
            self.done_by_itself(failure, port);
        } else if self.orphan {
            self.go_down_for_good(port);
        } else if self.suspended {
            self.stage = Stage::Suspended;
        } else {
            self.stage = Stage::Up;
        }
    }

    /// Returns how the serving ended. A failure on the way down is absorbed, or only reported.
    fn serving_ended(&mut self, end: StepEnd, port: &mut impl Port) -> Served {
        let going = self.is_leaving();
        let mut threw = None;
        let failure = match end {
            StepEnd::ByItself if !going || port.was_leaving() => {
                self.absorb_alongside(port);
                return Served::ByItself;
            }
            StepEnd::Returned => {
                if !going {
                    port.perform(self, Effect::Leaves);
                }
                self.gives(StopReason::Done, false);
                self.leaves(false, port.now(), port);
                None
            }
            StepEnd::Done | StepEnd::Interrupted | StepEnd::ByItself | StepEnd::Drained | StepEnd::Absent => {
                self.failed_alongside(going, port)
            }
            StepEnd::Failed { failure, stopped } => {
                threw = Some(stopped);
                Some(failure.in_phase(Phase::Running))
            }
            StepEnd::Cut(Cut::Fails) => {
                let given = self.cold().failing.take();
                Some(given.unwrap_or_else(|| port.failure(Phase::Running, Cause::Killed)))
            }
            // The message in hand has taken longer than it may.
            StepEnd::Cut(Cut::TimeUp) if !going && self.kind == ChildKind::Actor => {
                threw = Some(port.has_stopped());
                Some(port.failure(Phase::Running, Cause::TimedOut))
            }
            StepEnd::Cut(cut @ (Cut::TimeUp | Cut::Abort)) => {
                self.abort(port);
                if cut == Cut::Abort {
                    self.absorb_alongside(port);
                }
                if !going {
                    return Served::ByItself; // a task has returned, but its subtasks have not
                }
                None
            }
            StepEnd::Cut(Cut::Leaves) => None,
        };
        match failure {
            Some(failure) if going && !(threw == Some(true) && port.was_leaving()) => {
                if self.state == State::Draining {
                    self.state = State::Running; // the rest become dead letters
                }
                // A killed task has no time, also if it goes down for a restart. To end as killed, it has none anyway.
                if self.kind == ChildKind::Task && matches!(failure.cause(), Cause::Killed) && self.goes_down() {
                    self.abort(port);
                }
                port.perform(self, Effect::Late(failure));
                Served::Asked
            }
            // The child had stopped itself before: the failure is reported and changes nothing (S23). The message
            // counts as handled.
            Some(failure) if threw == Some(true) => {
                port.perform(self, Effect::Forgive);
                port.perform(self, Effect::Late(failure));
                self.absorb_alongside(port);
                Served::ByItself
            }
            Some(failure) => Served::Failed(failure),
            None => Served::Asked,
        }
    }

    /// Takes a kill between two messages, or a failure that a child has escalated.
    fn failed_alongside(&mut self, going: bool, port: &mut impl Port) -> Option<Failure> {
        let cold = self.cold.as_mut()?;
        if let Some(failure) = cold.failing.take() {
            // Nothing was in progress, so no later hook may be dropped because of it.
            self.cut.take_if(|cut| *cut == Cut::Fails);
            return Some(failure);
        }
        let failure = cold.escalated.take()?;
        port.perform(self, Effect::Escalated(failure.clone()));
        if going && self.root {
            // There is no supervisor to decide: the root ends with this failure, and not with the stop that came
            // meanwhile.
            port.perform(self, Effect::Failed(failure.clone()));
            self.cold().leave = Leave::End(self.root_end(&failure, port));
            return None;
        }
        if going {
            port.perform(self, Effect::Late(failure));
            return None;
        }
        Some(failure.in_phase(Phase::Running))
    }

    /// A failure next to the last message of a child that ends by itself is reported and changes nothing.
    fn absorb_alongside(&mut self, port: &mut impl Port) {
        if let Some(failure) = self.cold.as_mut().and_then(|cold| cold.failing.take()) {
            port.perform(self, Effect::Late(failure));
        }
        if let Some(failure) = self.cold.as_mut().and_then(|cold| cold.escalated.take()) {
            port.perform(self, Effect::Escalated(failure.clone()));
            port.perform(self, Effect::Late(failure));
        }
    }

    /// A failure with an instance: reported, decided, and carried out (S7, S8).
    fn failed(&mut self, failure: Failure, port: &mut impl Port) {
        self.state = State::Failed;
        port.perform(self, Effect::Shut);
        let failure = port.fails(failure, true);
        port.perform(self, Effect::Failed(failure.clone()));
        if self.root {
            self.gives(StopReason::of_failure(&failure), true);
            self.cold().leave = Leave::End(self.root_end(&failure, port));
            return self.go_down_for_good(port);
        }
        port.perform(self, Effect::SuspendChildren(true));
        self.cold().failed = Some(failure.clone());
        port.perform(self, Effect::Decide { failure, instance: true });
        self.undecided = false; // an earlier failure was decided before it was asked about again
        self.stage = Stage::Deciding;
    }

    fn redecide(&mut self, port: &mut impl Port) {
        if let Some(failure) = self.cold.as_ref().and_then(|cold| cold.failed.clone()) {
            port.perform(self, Effect::Redecide { failure });
        }
    }

    /// Returns the end of a root that fails: its first failure (S20); only a kill of the root itself is a kill.
    fn root_end(&self, failure: &Failure, port: &impl Port) -> Ended {
        match failure.cause() {
            Cause::Killed if port.is_own(failure) => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    // ----- the way down

    #[inline]
    fn take_down(&mut self) -> Option<Failure> {
        let cold = self.cold.as_mut()?;
        match std::mem::take(&mut cold.leave) {
            Leave::Down(failure) => Some(failure),
            other => {
                cold.leave = other;
                None
            }
        }
    }

    fn abort(&mut self, port: &mut impl Port) {
        if !std::mem::replace(&mut self.aborted, true) {
            port.perform(self, Effect::Aborted);
        }
    }

    /// Goes down for a restart: `pre_restart`, children, `post_stop`, drop.
    fn go_down(&mut self, failure: Failure, port: &mut impl Port) {
        // The order to go down has begun its time, unless the child goes down without one.
        if self.leaving_since().is_none() {
            self.leaves(false, port.now(), port);
        }
        self.lets_serve(port);
        let told = self.state != State::Failed;
        if told {
            port.perform(self, Effect::Shut); // the mailbox of a failed child is shut already
        }
        let cold = self.cold();
        (cold.healing, cold.failed) = (Some(failure.clone()), None);
        cold.way = Some(Way { again: Some(failure), told, then: Then::Gone });
        port.perform(self, Effect::DropBackground);
        if self.aborted {
            return self.go_on_down(port);
        }
        self.state = State::PreRestart;
        if self.passes_over(Step::PreRestart, port) {
            return self.go_on_down(port);
        }
        self.stage = Stage::PreRestarting;
    }

    /// Goes down to the end: children, `post_stop`, drop.
    fn go_down_for_good(&mut self, port: &mut impl Port) {
        self.gives(StopReason::Shutdown, false); // the supervisor was dropped
        self.lets_serve(port);
        self.state = State::Stopping;
        // `shutdown = Kill`: a drain was given its time, but the hooks do not run.
        self.aborted |= self.drains && self.settings.shutdown == ShutdownTimeout::Kill;
        port.perform(self, Effect::Close);
        self.cold().failed = None;
        // Asked before the children are notified: if the child is already ending by itself, that is its end (S18, S22).
        let own = port.own_end();
        self.takes_down(None, false, Then::Stop { own }, port);
    }

    /// The child ended by itself: `cx.stop()`, a task that returned, a tree whose members have all ended (S22, S23).
    fn done_by_itself(&mut self, failure: Option<Failure>, port: &mut impl Port) {
        let restarts = !self.kind.only_supervises() && self.settings.permanent && !self.root;
        if failure.is_none() {
            port.perform(self, Effect::Leaves);
        }
        self.lets_serve(port);
        self.state = State::Stopping;
        self.gives(StopReason::Done, false);
        self.leaves(false, port.now(), port);
        port.perform(self, if restarts { Effect::Shut } else { Effect::Close });
        let words = port.last_words();
        let mut end = port.failure(Phase::Running, Cause::EndedByItself);
        if let Some(words) = &words {
            end = end.with_reason(words.clone());
        }
        let again = restarts.then(|| end.clone());
        let ended = failure.map_or_else(|| words.map_or(Ended::Done, Ended::DoneWith), Ended::Failed);
        self.takes_down(again, false, Then::Done { ended, end }, port);
    }

    /// A task that failed has ended: there is nothing to resume. The subtasks that it left running have the `shutdown`
    /// time and are then dropped; the decision follows (S29).
    fn task_failed(&mut self, failure: Failure, port: &mut impl Port) {
        self.state = State::GoingDown;
        self.gives(StopReason::of_failure(&failure), false);
        self.leaves(false, port.now(), port);
        let killed = matches!(failure.cause(), Cause::Killed);
        self.cold().way = Some(Way { again: None, told: false, then: Then::TaskFailed(failure) });
        self.stage = if killed { Stage::Dropping } else { Stage::Settling };
    }

    fn is_over_by_failure(&self) -> bool {
        let way = self.cold.as_ref().and_then(|cold| cold.way.as_ref());
        way.is_some_and(|way| matches!(way.then, Then::TaskFailed(_)))
    }

    /// Returns whether the child ends because it was killed: its subtasks have no time.
    fn is_killed(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| matches!(cold.leave, Leave::End(Ended::Killed)))
    }

    fn is_broken(&self) -> bool {
        let way = self.cold.as_ref().and_then(|cold| cold.way.as_ref());
        way.is_some_and(|way| matches!(way.then, Then::Broken(_)))
    }

    fn takes_down(&mut self, again: Option<Failure>, told: bool, then: Then, port: &mut impl Port) {
        self.limits_its_end(port);
        self.cold().way = Some(Way { again, told, then });
        port.perform(self, Effect::DropBackground);
        self.go_on_down(port);
    }

    /// Continues the way down after `pre_restart`, if that was to run.
    fn go_on_down(&mut self, port: &mut impl Port) {
        if self.state != State::Stopping {
            self.state = State::GoingDown;
        }
        match self.kind {
            ChildKind::Task if self.aborted || self.is_broken() || self.is_killed() => self.stage = Stage::Dropping,
            ChildKind::Task => self.stage = Stage::Settling,
            ChildKind::Actor | ChildKind::Tree | ChildKind::Set => self.tasks_are_down(port),
        }
    }

    fn tasks_are_down(&mut self, port: &mut impl Port) {
        if self.is_over_by_failure() {
            return self.is_down(port);
        }
        if self.ends() {
            self.forget_restart();
        }
        let restarts = self.cold.as_ref().and_then(|cold| cold.way.as_ref()?.again.as_ref()).is_some();
        if restarts && !self.is_broken() {
            port.perform(self, Effect::Unwatch); // after `pre_restart`, which names the children to keep
        }
        if !port.has_children() {
            return self.children_are_down(port);
        }
        self.children_go_down(port);
        self.stage = Stage::ChildrenDown;
    }

    fn children_go_down(&mut self, port: &mut impl Port) {
        let way = self.cold.as_ref().and_then(|cold| cold.way.as_ref());
        let told = way.is_some_and(|way| way.told);
        let again = way.and_then(|way| way.again.clone());
        self.children_are_down = false; // set on an earlier way down
        let down = again.map_or(Effect::StopChildren, |failure| {
            let reason = if told { self.reason_below() } else { StopReason::restarted_above(&failure) };
            Effect::RestartChildren(failure, reason)
        });
        port.perform(self, down);
        if self.aborted {
            port.perform(self, Effect::AbortChildren);
        }
    }

    /// The way down leads to no restart any more. Returns whether it did.
    #[inline]
    fn forget_restart(&mut self) -> bool {
        self.cold.as_mut().and_then(|cold| cold.way.as_mut()?.again.take()).is_some()
    }

    fn children_are_down(&mut self, port: &mut impl Port) {
        if std::mem::take(&mut self.post_stop_due) && !self.aborted && !self.passes_over(Step::PostStop, port) {
            self.stage = Stage::PostStopping;
        } else {
            self.is_down(port);
        }
    }

    fn hook_ended(&mut self, end: StepEnd, port: &mut impl Port) {
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
    fn is_down(&mut self, port: &mut impl Port) {
        port.perform(self, Effect::DropInstance);
        self.cold().down_since = Some(port.now());
        let way = self.cold().way.take().expect("it goes down on some way");
        match way.then {
            Then::Gone if self.root => {
                let why = self.root_stopped();
                self.close(why, port);
            }
            Then::Gone => self.gone(port),
            Then::Stop { own } if self.root => {
                let why = self.root_stopped();
                let own = own.filter(|_| why.is_orderly());
                self.close(own.unwrap_or(why), port);
            }
            Then::Stop { own } => {
                if let Some(own) = own {
                    port.perform(self, Effect::EndsAs(own));
                }
                self.gone(port);
            }
            Then::Done { ended, .. } if self.root => self.close(ended, port),
            Then::Done { ended, end } => {
                self.forget_requests(); // this end fulfils a request to go down
                let cold = self.cold();
                (cold.healing, cold.failed) = (Some(end.clone()), Some(end.clone()));
                port.perform(self, Effect::Done { ended, end });
                self.parks();
            }
            Then::StartFailed(failure) => self.start_has_failed(failure, port),
            Then::TaskFailed(failure) => {
                self.cold().healing = Some(failure.clone());
                self.start_has_failed(failure, port);
            }
            Then::Broken(bug) => {
                self.aborted = true;
                if self.root {
                    let ended = self.root_end(&bug, port);
                    return self.close(ended, port);
                }
                let was_up = self.was_up;
                self.forget_requests(); // a request to go down is settled with the bug
                let cold = self.cold();
                if was_up {
                    cold.healing = Some(bug.clone());
                }
                cold.failed = Some(bug.clone());
                port.perform(self, Effect::Broken(bug));
                self.parks();
            }
            Then::Absent => {
                self.forget_requests();
                port.perform(self, Effect::Absent);
                self.parks();
            }
        }
    }

    /// Reports a failed start once nothing of it is up any more.
    fn start_has_failed(&mut self, failure: Failure, port: &mut impl Port) {
        self.state = State::Failed;
        let failure = port.fails(failure, false);
        port.perform(self, Effect::Failed(failure.clone()));
        if self.root {
            let ended = self.root_end(&failure, port);
            return self.close(ended, port);
        }
        self.due = false;
        let cold = self.cold();
        // A request to leave stays: the group absorbs this failure, and learns next that the child is down.
        (cold.healing, cold.failed) = (Some(failure.clone()), Some(failure.clone()));
        port.perform(self, Effect::Decide { failure, instance: false });
        self.parks();
    }

    /// Waits for the next start. An order that follows from this event finds the child parked.
    fn parks(&mut self) {
        self.state = if self.was_up { State::AwaitingRestart } else { State::Idle };
        self.stage = Stage::Parked;
    }

    /// Returns why a root that was stopped has ended.
    #[inline]
    fn root_stopped(&mut self) -> Ended {
        match std::mem::take(&mut self.cold().leave) {
            Leave::End(why) => why,
            Leave::Stay | Leave::Down(_) => Ended::Stopped,
        }
    }

    /// Forgets the requests to leave and to start, because the group is about to learn that the child is down, and
    /// orders again what it then wants. If they stayed, the next turn would notify the group once more, or begin a
    /// start that the group does not count.
    #[inline]
    fn forget_requests(&mut self) {
        self.due = false;
        let cold = self.cold();
        (cold.leave, cold.stops_next) = (Leave::Stay, false);
    }

    fn gone(&mut self, port: &mut impl Port) {
        self.forget_requests();
        port.perform(self, Effect::Gone);
        self.parks();
    }

    // ----- ended

    /// The child ends, and so do the children in its table (declared children that were never started).
    fn close(&mut self, ended: Ended, port: &mut impl Port) {
        if std::mem::replace(&mut self.has_ended, true) {
            // State of the previous life does not count for the end of a life that never began.
            self.aborted = false;
            self.cold().leaving_since = None;
            port.perform(self, Effect::ForgetLate);
        }
        self.cold().wait = None;
        let aborted = self.aborted && !self.settings.kills;
        let ended = if aborted && ended.is_orderly() { Ended::Aborted } else { ended };
        self.cold().closing = Some((ended, aborted));
        if port.has_children() {
            (self.children_are_down, self.cut) = (false, None);
            if self.state == State::AwaitingRestart {
                port.perform(self, Effect::ServeBelow); // kept children wait for a restart that does not come
            }
            port.perform(self, Effect::EndChildren);
            self.stage = Stage::Closing;
        } else {
            self.closed(port);
        }
    }

    /// No start will come any more. A child that was started on request, and then lost its supervisor, still has to
    /// announce its end.
    fn leaves_task(&mut self, port: &mut impl Port) {
        match port.end_is_told() {
            true => self.stage = Stage::Exited,
            false => self.close(Ended::Stopped, port),
        }
    }

    fn closed(&mut self, port: &mut impl Port) {
        let (ended, aborted) = self.cold().closing.take().expect("it has ended somehow");
        self.children_are_down = false;
        self.state = State::Ended;
        port.perform(self, Effect::Close);
        port.perform(self, Effect::Ended { ended, aborted });
        self.stage = Stage::Over;
    }

    // ----- bugs

    /// Code of this library has failed in a child that had ended: nothing is left that could fail. If the child was to
    /// start, the group is notified. `told`: all watchers were notified of the end.
    pub fn breaks_after_its_end(&mut self, told: bool) {
        if told {
            self.state = State::Ended;
        }
        self.forget_requests();
        self.stage = Stage::Over;
    }

    /// Code of this library has failed: the incarnation is dropped, and none of its hooks run (S19).
    pub fn breaks(&mut self, bug: Failure, port: &mut impl Port) {
        (self.cut, self.post_stop_due) = (None, false);
        self.lets_serve(port);
        self.state = State::Stopping;
        self.gives(StopReason::Failed, false);
        self.leaves(false, port.now(), port);
        port.perform(self, Effect::Shut);
        let again = Some(bug.clone()).filter(|_| self.was_up && !self.root);
        self.takes_down(again, false, Then::Broken(bug), port);
    }
}

/// The result of a period of serving.
enum Served {
    ByItself,
    Failed(Failure),
    /// A request came, or the child was not up.
    Asked,
}
