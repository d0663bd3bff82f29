//! Promises about the answers of a group: its view of each member, the outcome of a directive, and its own end.

use super::{Sim, WITHIN};
use crate::decide::child::machine::Order;
use crate::decide::group::{AfterDown, FailureInfo, Group, GroupEffect, GroupState, Id, OwnEnd, Owner};
use crate::decide::member::MemberState;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::strategy::Directive;

impl Sim {
    /// Compares the group's answers to questions from outside with the knowledge of the simulation.
    pub(in crate::decide::tests) fn check_predictions(&self) {
        self.check_views();
        self.check_own_end();
    }

    fn check_views(&self) {
        let shared = self.group.view_shared(self.now);
        assert_eq!(shared.is_some(), self.plan.shares_budget());
        let living = |id: &Id| self.group.at(*id) != MemberState::Ended;
        assert_eq!(self.group.living() as usize, self.ids().into_iter().filter(living).count());
        let (waiting, mut orders) = (self.group.places().1, Vec::new());
        for id in self.group.ids_in_order() {
            let view = self.group.view(id, shared, self.now);
            let Some(child) = self.children[id as usize].as_ref() else {
                assert!(view.is_none(), "a kept value is not shown");
                continue;
            };
            let view = view.expect("the group shows its living children");
            orders.push(view.order);
            // A child that waits for a place is shown as starting.
            let at = match self.group.at(id) {
                _ if waiting.contains(&id) => MemberState::Starting,
                MemberState::Up if child.leaving => MemberState::GoingDown,
                at => at,
            };
            assert_eq!((view.at, view.kind, view.lifecycle), (at, Some(child.kind), child.lifecycle));
            assert!(!view.holds_up || view.at == MemberState::Queued, "{id} waits, and is not down");
            let stays = matches!(self.group.mode(), GroupState::Down { next: AfterDown::Rebuild, .. });
            let serves = self.decided || self.in_range(id) && !(stays && self.group.is_kept(id));
            let restarts = stays || *self.group.mode() == GroupState::AwaitingOwner;
            let kept = restarts && self.group.is_kept(id);
            let suspended = (kept || self.suspended && !serves) && child.kind != ChildKind::Task;
            assert_eq!(view.suspended, suspended, "{id} is shown as suspended");
            let first =
                !child.was_up && child.streak == 0 && matches!(view.at, MemberState::Queued | MemberState::Starting);
            assert_eq!(view.fresh, child.dynamic && first, "{id} is shown as fresh");
            assert_eq!(self.group.was_up(id), child.was_up, "{id} was up");
            assert_eq!((self.group.streak(id), view.streak), (child.streak, child.streak), "the streak of {id}");
            let key = (!self.plan.shares_budget()).then_some(id);
            let counts = |(of, at): &&(_, _)| *of == key && self.now.duration_since(*at) < WITHIN;
            let used = self.charges.iter().filter(counts).count() as u32;
            assert_eq!(view.budget.used, used.min(self.plan.max), "the restarts of {id} that count");
            let newest = self.charges.iter().filter(counts).map(|(_, at)| *at).max();
            let restored = newest.filter(|_| self.plan.max > 0).map(|at| at + WITHIN);
            assert_eq!(view.budget.restored, restored, "the time from which on the budget of {id} is whole");
            let allowance = view.budget.allowance;
            assert_eq!((allowance.max, allowance.on_limit), (Some(self.plan.max), self.plan.on_limit));
        }
        assert!(orders.is_sorted_by(|before, after| before < after), "the members are shown in their order");
    }

    /// A restart of this child was decided.
    pub(in crate::decide::tests) fn restarts(&mut self, id: Id) {
        let unasked = self.unasked; // the parent decided, and its Resume does not know what the child handled
        let child = self.child(id);
        let handled = child.handled && child.kind == ChildKind::Actor && !unasked;
        child.streak = if handled { 1 } else { child.streak + 1 };
    }

    /// The outcome that was announced for a directive is the one that follows.
    pub(in crate::decide::tests) fn check_comes_to(
        &self,
        id: Id,
        best_effort: bool,
        announced: Directive,
        effects: &[GroupEffect],
    ) {
        let has = |wanted: &dyn Fn(&GroupEffect) -> bool| effects.iter().any(wanted);
        let follows = if has(&|effect| matches!(effect, GroupEffect::Tell(of, Order::Resume) if *of == id)) {
            Directive::Resume
        } else if has(&|effect| matches!(effect, GroupEffect::Scheduled(of, _) if *of == id)) {
            Directive::Restart
        } else if has(&|effect| matches!(effect, GroupEffect::TellOwner(Order::Escalated(_)))) {
            Directive::Escalate
        } else {
            Directive::Stop
        };
        // The first start comes up as a whole or not at all, except for `best_effort` children (S21).
        let fails = announced == Directive::Stop && !self.all_were_up && !best_effort;
        assert_eq!(follows, if fails { Directive::Escalate } else { announced }, "the outcome for {id}");
    }

    /// S18, S22: the group says that it ends by itself, and with a failure, exactly if it does so once everything that
    /// goes down is down.
    fn check_own_end(&self) {
        let goes_on = match self.group.mode() {
            // On the way up, a failed start is decided first.
            GroupState::Up => self.ids().into_iter().all(|id| self.group.at(id) != MemberState::FailedStart),
            GroupState::Steady | GroupState::Down { next: AfterDown::Up, .. } => true,
            _ => false, // there was another order, or there will be one
        };
        if !goes_on || self.suspended {
            return;
        }
        let follows = ends(self.group.clone(), self.now);
        // A set has too many members to look for one that is going down and ends the set.
        if self.plan.owner == Owner::Set && follows.is_some() && !self.group.ends_by_itself() {
            let leaves = self.ids().into_iter().any(|id| self.group.leaves_for_good_by_itself(id));
            assert!(self.plan.significant && (leaves || self.group.going_down().next().is_some()));
            return;
        }
        assert_eq!(self.group.ends_by_itself(), follows.is_some(), "the group ends by itself");
        let failed = follows.as_ref().is_some_and(Option::is_some);
        let with_failure = self.group.ending().is_some_and(|end| end.failure().is_some());
        assert_eq!(with_failure, failed, "the group ends with a failure");
        let end = follows.map(|_| if failed { OwnEnd::Failed } else { OwnEnd::Done });
        assert_eq!(self.group.own_end(), end);
    }
}

/// Lets everything that goes down or starts arrive. Returns the end of the group, if it ends by itself.
fn ends(mut group: Group, now: tokio::time::Instant) -> Option<Option<Failure>> {
    loop {
        let mut moved = false;
        for id in 0..group.slots() as Id {
            match group.at(id) {
                MemberState::GoingDown => group.gone(id, now),
                MemberState::Up if group.leaves_for_good_by_itself(id) => {
                    let end = Failure::new(Phase::Running, Cause::EndedByItself, "child", 1);
                    group.done(id, Ended::Done, &end, FailureInfo { handled: false, random: 0, now });
                }
                MemberState::Starting => group.up(id, now),
                MemberState::BackingOff => group.due(id, now),
                MemberState::Queued if group.waits_for(id) => group.due(id, now),
                _ => continue,
            }
            moved = true;
        }
        for effect in group.take_effects() {
            if let GroupEffect::TellOwner(Order::ChildrenEnded(failure)) = effect {
                return Some(failure);
            }
        }
        if !moved {
            return None;
        }
    }
}
