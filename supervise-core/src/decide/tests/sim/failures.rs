//! Failures of a simulated child, and their handling.

use super::child::{Pending, Token};
use super::{Sim, Stand, failure};
use crate::decide::child::State;
use crate::decide::child::machine::{Cut, Step, StepEnd};
use crate::decide::group::{FailureRoute, GroupState, Id};
use crate::decide::member::MemberState;
use crate::decide::tests::coverage::{column_2c, hit_2c};
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::strategy::{Directive, Lifecycle, Strategy};

impl Sim {
    /// The child's user code fails; `directive` is its decider's answer.
    pub(in crate::decide::tests) fn fails(&mut self, id: Id, directive: Directive) {
        self.child(id).directive = directive;
        if self.child(id).is_in_user_code() {
            let stopped = self.child(id).has_stopped();
            self.finish(id, StepEnd::Failed { failure: failure(Phase::Running), stopped });
        } else if self.child(id).step == Some(Step::Serve) {
            self.fails_alongside(id);
        }
    }

    /// The time for the step in progress has run out.
    pub(in crate::decide::tests) fn time_is_up(&mut self, id: Id, directive: Directive) {
        let child = self.child(id);
        let starts = matches!(child.step, Some(Step::Start | Step::PreStart | Step::PostRestart | Step::Ready));
        let handles = child.busy && child.machine.handler_time().is_some();
        if child.is_in_user_code() && (starts || handles || child.machine.deadline().is_some()) {
            child.directive = directive;
            self.finish(id, StepEnd::Cut(Cut::TimeUp));
        }
    }

    /// Reports a failure to the child's group, which returns whether the decider has to be asked.
    pub(in crate::decide::tests) fn report(&mut self, id: Id, failure: Failure, instance: bool) {
        let (from, directive) = (self.child(id).from, self.child(id).directive);
        self.mark_2c(id, instance, directive);
        let going = self.in_range(id) || self.group.at(id) == MemberState::GoingDown;
        let ending = self.group.is_stopping() || self.child(id).stopped || going;
        let by_default = self.restarts_by_default(id, &failure, directive).then(|| self.facts(id));
        let handled = self.facts(id).handled;
        let told = self.group.fails(id, &failure, (instance, handled), by_default, self.now);
        self.child(id).leaving = false;
        let ends = handled && self.child(id).kind == ChildKind::Actor; // a message ends a streak (S14)
        assert_eq!(told.streak, if ends { 1 } else { self.child(id).streak + 1 }, "the row of failures");
        let reported = told.route;
        let used = match reported {
            FailureRoute::Absorbed => {
                assert!(going, "a failure is absorbed although nothing takes the child down");
                true
            }
            FailureRoute::ReportOnly => {
                assert!(ending, "a failure is only reported although the child goes on");
                self.group.ends_before_its_turn(id, self.now);
                true
            }
            FailureRoute::Kept => {
                let waits = self.suspended
                    || self.stand == Stand::Failed
                    || matches!(self.group.mode(), GroupState::Failed { .. } | GroupState::AwaitingOwner);
                assert!(waits || self.group.is_kept(id), "a failure is kept although nothing holds the decision");
                false
            }
            FailureRoute::Decide => {
                assert!(!self.suspended, "a decision while held");
                false
            }
        };
        let token = if used || told.restarts { Token::Used } else { Token::Open };
        let asked = reported == FailureRoute::Decide && !told.restarts;
        self.child(id).pending = Some(Pending { failure, directive, from, token, asked, kept: false });
        let effects = self.take_effects();
        if told.restarts {
            self.check_comes_to(id, false, Directive::Restart, &effects);
        }
        self.carry_out_all(effects);
    }

    /// Returns whether the failure leads to a restart, and nobody is asked about it.
    fn restarts_by_default(&mut self, id: Id, failure: &Failure, directive: Directive) -> bool {
        let asks = !self.child(id).asks_nobody || directive != Directive::Restart;
        !asks && matches!(failure.cause(), Cause::Error(_) | Cause::Panic(_) | Cause::TimedOut)
    }

    /// Marks the cell of table 2c that a failure of this child reaches.
    fn mark_2c(&self, id: Id, instance: bool, directive: Directive) {
        let column = column_2c(&self.group);
        let old = match self.group.mode() {
            GroupState::Failed { back, .. } => instance && matches!(**back, GroupState::Down { .. }),
            _ => instance && (self.in_range(id) || self.group.is_stopping()),
        };
        let child = self.children[id as usize].as_ref().expect("a living child");
        let boots_on = column == "Up (also first start)" && self.plan.strategy == Strategy::OneForOne && !instance;
        hit_2c(
            match directive {
                _ if old => "old instance in the range fails",
                Directive::Restart | Directive::Resume | Directive::Stop if child.alone && !instance => {
                    "a requested start, or one at run time, fails: Restart, Stop"
                }
                Directive::Restart if boots_on && !child.dynamic && self.declares_backoff(id) => {
                    "first start, OneForOne, start fails, backoff declared, Restart"
                }
                Directive::Restart | Directive::Resume | Directive::Default => "start or new instance fails: Restart",
                Directive::Stop => ".. Stop",
                Directive::Escalate => ".. Escalate, limit, decider panics",
            },
            column,
        );
    }

    fn declares_backoff(&self, id: Id) -> bool {
        self.plan.members.get(id as usize).is_some_and(|member| member.2)
    }

    /// The child fails, and its decider returns before anything else happens.
    pub(in crate::decide::tests) fn fails_now(&mut self, id: Id, directive: Directive) {
        self.fails(id, directive);
        if self.has(id) && self.child(id).pending.as_ref().is_some_and(|pending| pending.asked) {
            self.in_its_task(id, |sim| sim.decide(id));
        }
    }

    /// The instance is lost: nothing of it can be resumed.
    pub(in crate::decide::tests) fn is_lost(&mut self, id: Id, directive: Directive) {
        if self.serves(id) && self.child(id).machine.state() == State::Running && !self.child(id).busy {
            self.child(id).spent = true;
            self.group.spends(id);
            self.fails_now(id, directive);
        }
    }

    /// The decider has returned.
    pub(in crate::decide::tests) fn decide(&mut self, id: Id) {
        let Some(mut pending) = self.child(id).pending.clone() else { return };
        pending.asked = false;
        if self.suspended && self.stand == Stand::Failed && pending.token == Token::Escalated {
            return;
        }
        let before = (self.group.mode().clone(), self.place(id));
        let facts = self.facts(id);
        let at = self.group.at(id);
        let ats: Vec<(Id, MemberState)> = self.ids().into_iter().map(|other| (other, self.group.at(other))).collect();
        let alone = self.child(id).alone;
        let (kind, lifecycle, all_were_up) = (self.child(id).kind, self.child(id).lifecycle, self.all_were_up);
        let best_effort = self.plan.best_effort(Some(kind), lifecycle);
        let announced = self.group.comes_to(id, pending.directive, self.now);
        let outcome = self.group.decided(id, pending.directive, &pending.failure, facts);
        assert_eq!(outcome, announced);
        assert!(!self.child(id).spent || outcome != Ok(Directive::Resume), "nothing is left that could be resumed");
        match outcome {
            Ok(_) => {
                assert_eq!(pending.token, Token::Open, "a failure is used up twice");
                let escalated = matches!(self.group.mode(), GroupState::Failed { .. });
                pending.token = if escalated { Token::Escalated } else { Token::Used };
            }
            Err(FailureRoute::Absorbed) => {
                assert!(
                    pending.token == Token::Used
                        || self.in_range(id)
                        || !matches!(at, MemberState::Failed | MemberState::FailedStart),
                    "a failure that was to be decided is absorbed"
                );
                pending.token = Token::Used;
            }
            Err(FailureRoute::Kept) => {}
            Err(route) => panic!("a decision is not carried out: {route:?}"),
        }
        let effects = self.take_effects();
        if let Ok(comes_to) = outcome {
            self.check_comes_to(id, best_effort, comes_to, &effects);
            // Nobody else goes with a `best_effort` child that the first start goes on without.
            let left_out = comes_to == Directive::Stop && best_effort && !all_were_up;
            match alone || left_out {
                true => self.check_alone(id, &ats),
                false => self.check_widened(id, &before.0, before.1),
            }
            self.forget_finished(id, before.1, alone || left_out);
        }
        if self.has(id) {
            self.child(id).pending = Some(pending);
        }
        self.carry_out_all(effects);
    }

    /// Under RestForOne, the range of a Stop is not started again (S18).
    fn forget_finished(&mut self, id: Id, place: u64, alone: bool) {
        let ends = self.plan.strategy == Strategy::RestForOne && !alone && self.group.is_ending(id);
        if ends && self.has(id) && self.child(id).lifecycle != Lifecycle::Temporary {
            for other in self.ids() {
                if self.group.order(other) >= place {
                    self.child(other).finished = false;
                }
            }
        }
    }

    /// A restart of a member before the range widens the range to begin at that member (S18).
    fn check_widened(&self, id: Id, before: &GroupState, place: u64) {
        let (GroupState::Down { from: old, .. }, GroupState::Down { from: new, .. }) = (before, self.group.mode())
        else {
            return;
        };
        let solo = self.group.at(id) != MemberState::Queued && !self.plan.is_group();
        let moved = self.group.at(id) == MemberState::GoingDown || self.group.at(id) == MemberState::Failed;
        let alone = self.plan.members.iter().any(|member| member.1 == Lifecycle::Temporary);
        if moved && !solo && !alone && place < *old {
            assert!(*new <= place, "a member before the range is to restart, and the range is not widened");
        }
    }
}
