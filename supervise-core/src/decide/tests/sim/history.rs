//! Two promises about each instance that the simulated children check: how often a child was started, and that each
//! `pre_start` is followed by its `post_stop`.

use super::Sim;
use super::child::SimChild;
use crate::decide::child::machine::{Step, StepEnd};
use crate::decide::group::{Id, Owner};
use crate::values::kind::ChildKind;
use crate::values::strategy::Lifecycle;

/// The history of a child.
#[derive(Debug, Default)]
pub(in crate::decide::tests) struct History {
    /// The starts in this incarnation of its supervisor.
    starts: u32,
    /// The number of those starts that a user may have requested.
    on_request: u32,
    /// Whether `pre_start` has succeeded and `post_stop` has not run yet.
    due: bool,
    /// Whether this instance was aborted, so that its `post_stop` does not run.
    aborted: bool,
}

impl History {
    pub(in crate::decide::tests) fn abort(&mut self) {
        self.aborted = true;
    }
}

impl SimChild {
    /// S17, S23: a `Temporary` child is never started twice in one incarnation of its supervisor. A start that was
    /// taken back before it began does not count.
    fn starts(&mut self) {
        self.history.starts += 1;
        let once = self.lifecycle != Lifecycle::Temporary || self.history.starts <= 1 + self.history.on_request;
        assert!(once, "a `Temporary` child is started again: {self:?}");
    }

    /// A step has ended in this way.
    pub(in crate::decide::tests) fn record(&mut self, step: Option<Step>, end: &StepEnd) {
        if step == Some(Step::Start) && !matches!(end, StepEnd::Cut(_)) {
            self.starts();
        }
        if self.kind != ChildKind::Actor {
            return; // only actors have hooks
        }
        match step {
            Some(Step::PreStart) if matches!(end, StepEnd::Done) => {
                assert!(!self.history.due, "a second instance before the first had its `post_stop`");
                self.history.due = true;
            }
            Some(Step::PostStop) => {
                assert!(self.history.due, "a `post_stop` without `pre_start`, or a second one");
                self.history.due = false;
            }
            _ => {}
        }
    }

    /// The instance is completely gone.
    pub(in crate::decide::tests) fn close_history(&mut self) {
        let due = std::mem::take(&mut self.history.due);
        let aborted = std::mem::take(&mut self.history.aborted);
        assert!(!due || aborted || self.kills(), "an instance is gone without its `post_stop` (S12): {self:?}");
    }
}

impl Sim {
    /// Allows another start, on request or with a `new` incarnation of the supervisor. Never for an instance of a
    /// `Temporary` set (S27).
    pub(in crate::decide::tests) fn may_start_again(&mut self, id: Id, new: bool) {
        let in_a_set = self.plan.owner == Owner::Set;
        if self.has(id) && !(in_a_set && self.child(id).lifecycle == Lifecycle::Temporary) {
            let history = &mut self.child(id).history;
            match new {
                true => (history.starts, history.on_request) = (0, 0),
                false => history.on_request += 1,
            }
        }
    }
}
