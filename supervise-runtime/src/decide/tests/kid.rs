//! A simulated child: its machine, and user code that comes to its end when a walk says so.

use std::collections::VecDeque;

use tokio::time::Instant;

use super::super::child::State;
use super::super::child::machine::{Effect, LifeSettings, Machine, Order, Port, Step};
use super::promises::Account;
use super::sim::failure;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::strategy::{Directive, Lifecycle, ShutdownTimeout};

/// The time that each simulated child has to go down.
const DOWN_TIME: std::time::Duration = std::time::Duration::from_millis(50);

/// What its group, or a user, has sent it. It is served in order, some time later.
#[derive(Debug)]
pub(super) enum Note {
    Order(Order),
    Stop,
    Kill,
}

/// What has become of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// To be used up.
    Open,
    /// Escalated: the parent's decision is to use it up.
    Escalated,
    Used,
}

/// A failure that nobody has dealt with.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) failure: Failure,
    pub(super) directive: Directive,
    /// The state it came from.
    pub(super) from: State,
    pub(super) token: Token,
    /// The decider is being asked.
    pub(super) asked: bool,
}

#[derive(Debug)]
pub(super) struct Kid {
    pub(super) kind: ChildKind,
    pub(super) lifecycle: Lifecycle,
    pub(super) dynamic: bool,
    pub(super) machine: Machine,
    /// What its task is at. `None`: it has to ask.
    pub(super) step: Option<Step>,
    /// The state in which the step in progress was begun.
    pub(super) from: State,
    pub(super) busy: bool,
    pub(super) interrupted: bool,
    pub(super) inbox: VecDeque<Note>,
    pub(super) pending: Option<Pending>,
    /// What its decider says of the failure that comes next.
    pub(super) directive: Directive,
    /// True if it has ended by itself, and is not a significant one: the next restart of its group starts it again.
    pub(super) finished: bool,
    /// A significant one that has ended by itself: its supervisor ends.
    pub(super) quit: bool,
    /// Started by hand, or at run time, and not up or over yet: its failures are its own matter.
    pub(super) alone: bool,
    /// A user stopped it; nothing but `start_again()` may start it.
    pub(super) stopped: bool,
    /// Its mailbox sends messages back.
    pub(super) refuses: bool,
    pub(super) queued: u32,
    pub(super) handled: bool,
    pub(super) account: Account,
}

/// What a simulated child knows of itself.
pub(super) struct Known {
    pub(super) now: Instant,
    pub(super) busy: bool,
    pub(super) has_place: bool,
    /// What is to be carried out.
    pub(super) effects: Vec<Effect>,
}

impl Port for Known {
    fn perform(&mut self, _: &Machine, effect: Effect) {
        self.effects.push(effect);
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn is_busy(&self) -> bool {
        self.busy
    }

    fn has_children(&self) -> bool {
        false
    }

    fn has_place(&self) -> bool {
        self.has_place
    }

    fn end_is_told(&self) -> bool {
        true
    }

    fn ends_with_failure(&self) -> Option<Failure> {
        None
    }

    fn is_own(&self, _: &Failure) -> bool {
        true
    }

    fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        match cause {
            Cause::Panic(_) => failure(phase),
            cause => Failure::new(phase, cause, "child", 1),
        }
    }
}

impl Kid {
    pub(super) fn new(kind: ChildKind, lifecycle: Lifecycle, dynamic: bool) -> Self {
        Kid {
            kind,
            lifecycle,
            dynamic,
            machine: Machine::new(kind, false),
            step: None,
            from: State::Idle,
            busy: false,
            interrupted: false,
            inbox: VecDeque::new(),
            pending: None,
            directive: Directive::Restart,
            finished: false,
            quit: false,
            alone: dynamic,
            stopped: false,
            refuses: false,
            queued: 0,
            handled: false,
            account: Account::default(),
        }
    }

    pub(super) fn settings(&self) -> LifeSettings {
        LifeSettings {
            shutdown: ShutdownTimeout::Within(DOWN_TIME),
            kills: false,
            drains: false,
            ready: false,
            permanent: self.lifecycle == Lifecycle::Permanent,
        }
    }

    /// Its row of the tables.
    pub(super) fn state(&self) -> State {
        match self.machine.state() {
            State::Running if self.busy => State::Handling,
            state => state,
        }
    }

    /// Nothing of it is up, and nothing of it is coming up.
    pub(super) fn is_parked(&self) -> bool {
        self.machine.is_at_rest()
    }

    /// User code goes on.
    pub(super) fn is_in_user_code(&self) -> bool {
        match self.step {
            None | Some(Step::Wait | Step::Yield | Step::Exit) => false,
            Some(Step::Serve) => self.busy || self.kind != ChildKind::Actor,
            Some(_) => true,
        }
    }

    /// It serves, and nobody has asked it to go.
    pub(super) fn serves(&self) -> bool {
        self.step == Some(Step::Serve) && !self.machine.is_leaving()
    }
}
