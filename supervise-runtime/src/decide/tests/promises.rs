//! Two promises about each instance that the simulated children keep account of: how often a child was
//! started, and that each `pre_start` is followed by its `post_stop`.

use super::super::child::machine::{Step, StepEnd};
use super::super::group::{Id, Owner};
use super::kid::Kid;
use super::sim::Sim;
use crate::values::kind::ChildKind;
use crate::values::strategy::Lifecycle;

/// What a child has gone through.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Starts in this incarnation of its supervisor.
    starts: u32,
    /// Of these, those that a user asked for at most.
    on_request: u32,
    /// `pre_start` has succeeded and `post_stop` has not run.
    owed: bool,
    /// This instance has lost its `post_stop`.
    aborted: bool,
}

impl Account {
    pub(super) fn abort(&mut self) {
        self.aborted = true;
    }
}

impl Kid {
    /// S17, S23: a `Temporary` child is never started twice in one incarnation of its supervisor. A start that
    /// was taken back before it began is none.
    fn starts(&mut self) {
        self.account.starts += 1;
        let once = self.lifecycle != Lifecycle::Temporary || self.account.starts <= 1 + self.account.on_request;
        assert!(once, "a `Temporary` child is started again: {self:?}");
    }

    /// A step has come to this end.
    pub(super) fn account_of(&mut self, step: Option<Step>, end: &StepEnd) {
        if step == Some(Step::Start) && !matches!(end, StepEnd::Cut(_)) {
            self.starts();
        }
        if self.kind != ChildKind::Actor {
            return; // nothing else has hooks
        }
        match step {
            Some(Step::PreStart) if matches!(end, StepEnd::Done) => {
                assert!(!self.account.owed, "a second instance before the first had its `post_stop`");
                self.account.owed = true;
            }
            Some(Step::PostStop) => {
                assert!(self.account.owed, "a `post_stop` without `pre_start`, or a second one");
                self.account.owed = false;
            }
            _ => {}
        }
    }

    /// Nothing of the instance is left.
    pub(super) fn close_account(&mut self) {
        let owed = std::mem::take(&mut self.account.owed);
        let aborted = std::mem::take(&mut self.account.aborted);
        assert!(!owed || aborted, "an instance is gone without its `post_stop` (S12): {self:?}");
    }
}

impl Sim {
    /// By hand, or with a `new` incarnation of the supervisor. Never an instance of a `Temporary` set (S27).
    pub(super) fn may_start_again(&mut self, id: Id, new: bool) {
        let in_a_set = self.plan.owner == Owner::Set;
        if self.has(id) && !(in_a_set && self.kid(id).lifecycle == Lifecycle::Temporary) {
            let account = &mut self.kid(id).account;
            match new {
                true => (account.starts, account.on_request) = (0, 0),
                false => account.on_request += 1,
            }
        }
    }
}
