//! A simulated child: its machine, and user code that ends when the random walk decides so.

use std::collections::VecDeque;

use super::history::History;
use crate::decide::child::State;
use crate::decide::child::machine::{LifeSettings, Machine, Order, Step};
use crate::values::failure::Failure;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Directive, Lifecycle, ShutdownTimeout};

/// The time that each simulated child has to go down.
const DOWN_TIME: std::time::Duration = std::time::Duration::from_millis(50);

/// A message that the child's group, or a user, has sent to the child. Messages are served in order, some time later. An
/// order that follows from an event of the child itself is no message, unless others wait: the child takes it back.
#[derive(Debug)]
pub(in crate::decide::tests) enum Mail {
    Order(Order),
    Stop,
    Kill,
}

/// The outcome of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::decide::tests) enum Token {
    /// Not used yet.
    Open,
    /// Escalated: the parent's decision will use the token.
    Escalated,
    Used,
}

/// A failure that has not been handled.
#[derive(Debug, Clone)]
pub(in crate::decide::tests) struct Pending {
    pub(in crate::decide::tests) failure: Failure,
    pub(in crate::decide::tests) directive: Directive,
    /// The state in which the failure occurred.
    pub(in crate::decide::tests) from: State,
    pub(in crate::decide::tests) token: Token,
    /// Whether the decider is being asked.
    pub(in crate::decide::tests) asked: bool,
    /// Whether the child's own decider keeps the failure until it is asked again.
    pub(in crate::decide::tests) kept: bool,
}

#[derive(Debug)]
pub(in crate::decide::tests) struct SimChild {
    pub(in crate::decide::tests) kind: ChildKind,
    pub(in crate::decide::tests) lifecycle: Lifecycle,
    pub(in crate::decide::tests) dynamic: bool,
    pub(in crate::decide::tests) machine: Machine,
    /// The step that the child's task is executing. `None`: the task has to ask for the next one.
    pub(in crate::decide::tests) step: Option<Step>,
    /// The state in which the step in progress was begun.
    pub(in crate::decide::tests) from: State,
    pub(in crate::decide::tests) busy: bool,
    pub(in crate::decide::tests) interrupted: bool,
    pub(in crate::decide::tests) inbox: VecDeque<Mail>,
    pub(in crate::decide::tests) pending: Option<Pending>,
    /// The answer of the child's decider to the next failure.
    pub(in crate::decide::tests) directive: Directive,
    /// Whether the child has ended by itself and is not significant: the next restart of its group starts the child
    /// again.
    pub(in crate::decide::tests) finished: bool,
    /// Whether the child has begun to end by itself.
    pub(in crate::decide::tests) leaving: bool,
    /// Whether the child is significant and has ended by itself: its supervisor ends.
    pub(in crate::decide::tests) quit: bool,
    /// Whether a start on request, or a first start at run time, is still in progress: its failures concern only this
    /// child.
    pub(in crate::decide::tests) alone: bool,
    /// Whether a user has requested the next start, which does not wait for a place among those that start.
    pub(in crate::decide::tests) at_once: bool,
    /// Whether the child was up since its first start, or since it was started again on request.
    pub(in crate::decide::tests) was_up: bool,
    /// Whether the child was up at any time.
    pub(in crate::decide::tests) has_handle: bool,
    /// The restarts since the child last handled a message.
    pub(in crate::decide::tests) streak: u32,
    /// Whether a user stopped the child; nothing but `start_again()` may start it.
    pub(in crate::decide::tests) stopped: bool,
    /// Whether the mailbox sends messages back.
    pub(in crate::decide::tests) refuses: bool,
    /// Whether the mailbox is closed, and what was queued is gone.
    pub(in crate::decide::tests) closed: bool,
    pub(in crate::decide::tests) queued: u32,
    pub(in crate::decide::tests) handled: bool,
    pub(in crate::decide::tests) history: History,
    /// The steps with nothing to run: hooks that the child does not declare, and the steps of other kinds of children.
    pub(in crate::decide::tests) empty: Vec<Step>,
    /// Whether neither the child nor its supervisor has a decider, nor the child a backoff.
    pub(in crate::decide::tests) asks_nobody: bool,
    /// Whether the time of a step of this incarnation was up, or it was killed.
    pub(in crate::decide::tests) pressed: bool,
    /// Whether the instance has failed so that nothing of it can be resumed.
    pub(in crate::decide::tests) spent: bool,
}

impl SimChild {
    pub(in crate::decide::tests) fn new(kind: ChildKind, lifecycle: Lifecycle, dynamic: bool) -> Self {
        SimChild {
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
            leaving: false,
            quit: false,
            alone: dynamic,
            at_once: false,
            was_up: false,
            has_handle: false,
            streak: 0,
            stopped: false,
            refuses: false,
            closed: false,
            queued: 0,
            handled: false,
            history: History::default(),
            empty: Vec::new(),
            asks_nobody: false,
            pressed: false,
            spent: false,
        }
    }

    /// Each setting is declared by some shape of child, so that the walks meet it.
    pub(in crate::decide::tests) fn settings(&self) -> LifeSettings {
        let shutdown = match self.kind {
            ChildKind::Tree | ChildKind::Set => ShutdownTimeout::Infinity,
            ChildKind::Actor if self.kills() => ShutdownTimeout::Kill,
            ChildKind::Actor | ChildKind::Task => ShutdownTimeout::Within(DOWN_TIME),
        };
        LifeSettings {
            shutdown,
            kills: self.kills(),
            drains: super::drains(Some(self.kind), self.lifecycle),
            ready: self.kind == ChildKind::Task && self.lifecycle != Lifecycle::Temporary,
            permanent: self.lifecycle == Lifecycle::Permanent,
            handler: (self.kind == ChildKind::Actor && self.lifecycle == Lifecycle::Transient).then_some(DOWN_TIME),
        }
    }

    /// Whether the child is dropped without hooks at a stop.
    pub(in crate::decide::tests) fn kills(&self) -> bool {
        self.kind == ChildKind::Actor && self.lifecycle == Lifecycle::Temporary
    }

    /// The child's row in the tables.
    pub(in crate::decide::tests) fn state(&self) -> State {
        match self.machine.state() {
            State::Running if self.busy || self.kind == ChildKind::Task => State::Handling,
            state => state,
        }
    }

    /// Whether the child is up, with nothing in hand and nothing to do, or has ended.
    pub(in crate::decide::tests) fn is_calm(&self) -> bool {
        let leaves = self.machine.state() == State::Running && self.machine.is_leaving();
        matches!(self.machine.state(), State::Running | State::Ended) && !self.busy && !leaves
    }

    /// Whether no part of the child is up or coming up.
    pub(in crate::decide::tests) fn is_parked(&self) -> bool {
        self.machine.is_parked()
    }

    /// Whether a start was ordered that is not over.
    pub(in crate::decide::tests) fn starts_now(&self) -> bool {
        let ordered = self.inbox.iter().any(|mail| matches!(mail, Mail::Order(Order::Start)));
        ordered || self.machine.is_due() || self.step == Some(Step::Yield) || self.machine.is_starting()
    }

    /// Whether the handler that runs has called `cx.stop()`.
    pub(in crate::decide::tests) fn has_stopped(&self) -> bool {
        self.busy && self.leaving
    }

    /// Whether user code is running.
    pub(in crate::decide::tests) fn is_in_user_code(&self) -> bool {
        match self.step {
            None | Some(Step::Wait | Step::Yield | Step::Exit) => false,
            Some(Step::Serve) => self.busy || self.kind != ChildKind::Actor,
            Some(_) => true,
        }
    }

    /// Whether the child serves messages and has not been asked to go down.
    pub(in crate::decide::tests) fn serves(&self) -> bool {
        self.step == Some(Step::Serve) && !self.machine.is_leaving()
    }
}
