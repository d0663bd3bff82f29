//! A simulated child: the bookkeeping of a cell, without anything to run.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::State;
use super::super::member::Role;
use super::promises::Account;
use crate::failure::Failure;
use crate::strategy::{Directive, Lifecycle};

/// What its group, or a user, has sent it. It is served in order, some time later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Start,
    Down,
    Resume,
    Wait(Duration),
    End,
    Over,
    Redecide,
    Hold(bool),
    Stop,
    Drain,
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
    pub(super) role: Role,
    pub(super) lifecycle: Lifecycle,
    pub(super) dynamic: bool,
    pub(super) state: State,
    pub(super) held: bool,
    pub(super) inbox: VecDeque<Note>,
    pub(super) timer: Option<Instant>,
    pub(super) pending: Option<Pending>,
    /// Where it goes once its message or its start is out of the way.
    pub(super) leaves_for: Option<State>,
    pub(super) was_up: bool,
    pub(super) by_itself: bool,
    pub(super) start: bool,
    pub(super) down: bool,
    pub(super) end: bool,
    pub(super) resume: bool,
    pub(super) redecide: bool,
    pub(super) over: bool,
    /// True if it has ended by itself, and is not a significant one: the next restart of its group starts it again.
    pub(super) finished: bool,
    /// A significant one that has ended by itself: its supervisor ends.
    pub(super) quit: bool,
    /// Started by hand, or at run time, and not up or over yet: its failures are its own matter.
    pub(super) alone: bool,
    /// A user stopped it; nothing but `start_again()` may start it.
    pub(super) stopped: bool,
    pub(super) post_restart: bool,
    pub(super) queued: u32,
    pub(super) handled: bool,
    pub(super) account: Account,
}

impl Kid {
    pub(super) fn new(role: Role, lifecycle: Lifecycle, dynamic: bool) -> Self {
        Kid {
            role,
            lifecycle,
            dynamic,
            state: State::Idle,
            held: false,
            inbox: VecDeque::new(),
            timer: None,
            pending: None,
            leaves_for: None,
            was_up: false,
            by_itself: false,
            start: false,
            down: false,
            end: false,
            resume: false,
            redecide: false,
            over: false,
            finished: false,
            quit: false,
            alone: dynamic,
            stopped: false,
            post_restart: false,
            queued: 0,
            handled: false,
            account: Account::default(),
        }
    }

    /// Nothing of it is up, and nothing of it is coming up.
    pub(super) fn is_parked(&self) -> bool {
        matches!(self.state, State::Idle | State::Waiting | State::Ended)
    }

    /// Where it waits for its turn.
    pub(super) fn park(&mut self) {
        self.state = if self.was_up { State::Waiting } else { State::Idle };
        self.leaves_for = None;
        self.handled = false;
        self.close_account();
    }

    /// A new incarnation: nothing that the last one was asked counts any more.
    pub(super) fn begin(&mut self) {
        assert!(self.is_parked(), "a start of a child that is {:?}", self.state);
        self.starts();
        self.state = if self.was_up { State::StartAgain } else { State::Starting };
        self.post_restart = self.was_up;
        (self.start, self.down, self.end, self.resume, self.redecide) = (false, false, false, false, false);
        self.by_itself = false;
        self.timer = None;
        self.pending = None;
    }
}
