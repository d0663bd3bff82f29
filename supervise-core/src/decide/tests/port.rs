//! The facts about a child that its machine asks for in a test, and the effects in their order.

use std::borrow::Cow;
use std::cell::RefCell;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::machine::{Effect, Machine, Port, Step};
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};

#[derive(Debug)]
pub(super) struct Known {
    pub(super) now: Instant,
    pub(super) busy: bool,
    /// Whether the instance has called `cx.stop()`.
    pub(super) stopped: bool,
    pub(super) children: bool,
    pub(super) place: bool,
    /// Whether all watchers were notified of the end.
    pub(super) told: bool,
    /// The end of its own that the child has begun, if it is a tree.
    pub(super) own_end: Option<Ended>,
    /// Whether the child had begun to end by itself when it was asked to end.
    pub(super) leaving: bool,
    /// The time for each of its ends, if it is a tree that has one.
    pub(super) time_to_end: Option<Duration>,
    /// The steps with nothing to run.
    pub(super) empty: Vec<Step>,
    /// Whether orders wait in the queue.
    pub(super) orders: bool,
    /// The steps that the machine may pass over, and has asked about.
    pub(super) passed: RefCell<Vec<Step>>,
    /// The effects that remain to be carried out.
    pub(super) effects: Vec<Effect>,
}

impl Known {
    /// Returns the facts about a child without children, in its place, whose end is told.
    pub(super) fn new(now: Instant) -> Self {
        Known {
            now,
            busy: false,
            stopped: false,
            children: false,
            place: true,
            told: true,
            own_end: None,
            leaving: false,
            time_to_end: None,
            empty: Vec::new(),
            orders: false,
            passed: RefCell::default(),
            effects: Vec::new(),
        }
    }
}

/// Returns whether the failure is that of the child itself.
pub(super) fn is_own(failure: &Failure) -> bool {
    failure.path() == "child"
}

impl Port for Known {
    fn perform(&mut self, _: &Machine, effect: Effect) {
        self.told |= matches!(effect, Effect::Ended { .. });
        self.effects.push(effect);
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn is_busy(&self) -> bool {
        self.busy
    }

    fn is_empty(&self, step: Step) -> bool {
        let empty = self.empty.contains(&step);
        if empty && !self.orders {
            self.passed.borrow_mut().push(step);
        }
        empty
    }

    fn has_orders(&self) -> bool {
        self.orders
    }

    fn has_stopped(&self) -> bool {
        self.stopped
    }

    fn has_children(&self) -> bool {
        self.children
    }

    fn time_to_end(&self) -> Option<Duration> {
        self.time_to_end
    }

    fn has_place(&self) -> bool {
        self.place
    }

    fn end_is_told(&self) -> bool {
        self.told
    }

    fn own_end(&self) -> Option<Ended> {
        self.own_end.clone()
    }

    fn was_leaving(&self) -> bool {
        self.leaving
    }

    fn is_own(&self, failure: &Failure) -> bool {
        is_own(failure)
    }

    fn last_words(&mut self) -> Option<Cow<'static, str>> {
        None
    }

    fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        Failure::new(phase, cause, "child", 1)
    }

    fn fails(&mut self, failure: Failure, _instance: bool) -> Failure {
        failure
    }
}
