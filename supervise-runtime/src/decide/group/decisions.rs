//! What a directive does: restart, stop, or let the supervisor fail (S15, S17 to S19).

use super::*;
use crate::values::kind::ChildKind;

impl Group {
    /// Restart, with the budget asked (or, after a parent's Resume, only charged).
    pub(super) fn restart(&mut self, id: Id, instance: bool, failure: &Failure, facts: Facts, ask: bool) {
        let alone = !self.is_group() || self.is_alone(id);
        // Its own failure ends a Temporary alone, uncharged (S17); at boot that is a failed start (S21).
        if self.member(id).is_temporary() {
            return self.stop_for(id, Ended::by(failure), failure, facts.now);
        }
        let allowance = if alone { self.allowance_of(id) } else { self.group_allowance() };
        let counted = allowance.max.is_some();
        let budget = match alone {
            false => &mut self.budget,
            true if counted => self.member(id).budget.get_or_insert_default(),
            true => &mut Budget::default(),
        };
        if ask && !budget.allows(&allowance, facts.now) {
            self.effects.push(GroupEffect::LimitReached(id));
            let limit = failure.clone().at_limit();
            return match allowance.on_limit {
                OnLimit::Escalate => self.fail(id, limit, facts.now),
                OnLimit::Stop => self.stop_for(id, Ended::Limit(limit.clone()), &limit, facts.now),
            };
        }
        budget.charge(&allowance, facts.now);
        let member = self.member(id);
        let over = Over {
            handled: facts.handled && member.settings.kind == Some(ChildKind::Actor),
            never_at_once: !instance || member.settings.kind == Some(ChildKind::Task),
        };
        let backoff = member.settings.backoff;
        let delay = member.pace.next(backoff.as_ref(), over, facts.random, facts.now);
        self.effects.push(GroupEffect::Scheduled(id, delay));
        if alone {
            return self.restart_alone(id, instance, delay, failure, facts.now);
        }
        // A member of the range that goes down already is not decided on: this widens it.
        let lo = self.range(id);
        // A start that fails on the way up belongs to the same move: all heal what that began with.
        let begun =
            matches!(self.mode, Mode::Down { .. }) || self.mode == Mode::Up && !instance && self.cause.is_some();
        if !begun {
            self.cause = Some(failure.clone());
        }
        self.mode = Mode::Down { lo, next: Next::Up };
        self.wait_for(id, delay);
        if !instance && self.member(id).at == At::StartFailed {
            self.member(id).at = At::Turn;
        }
        self.go_down(lo, Next::Up, facts.now);
    }

    /// The obstacle to a restart of this child now, if there is one.
    pub(super) fn refusal(&mut self, id: Id, now: Instant) -> Option<OnLimit> {
        if self.member(id).is_temporary() {
            return Some(OnLimit::Stop);
        }
        let alone = !self.is_group() || self.is_alone(id);
        let allowance = if alone { self.allowance_of(id) } else { self.group_allowance() };
        allowance.max?;
        let budget = if alone { self.member(id).budget.get_or_insert_default() } else { &mut self.budget };
        (!budget.allows(&allowance, now)).then_some(allowance.on_limit)
    }

    /// OneForOne, or a start by hand: the child is its own range; the wait is its own.
    pub(super) fn restart_alone(&mut self, id: Id, instance: bool, delay: Duration, failure: &Failure, now: Instant) {
        let member = self.member(id);
        member.delay = delay;
        if instance {
            self.send_down(id, failure.clone(), now);
        } else {
            member.at = At::Turn;
            self.wait_or_start(id, now);
            self.settle(now); // boot goes on behind a declared backoff
        }
    }

    /// Stop, also at a limit that stops (S18). `why` is the failed child's own end.
    pub(super) fn stop_for(&mut self, id: Id, why: Ended, failure: &Failure, now: Instant) {
        if !self.booted {
            return self.fail(id, failure.clone(), now); // boot is all or nothing (S21)
        }
        let by_hand = self.is_alone(id);
        let alone = !self.is_group() || self.member(id).is_temporary() || by_hand;
        self.first_failure.get_or_insert_with(|| failure.clone());
        let instance = self.at(id) == At::Failed;
        let member = self.member(id);
        member.quits = member.settings.significant && member.is_temporary() && !by_hand;
        member.ending = Some(why.clone());
        if alone {
            if instance {
                self.send_end(id, why, now);
            } else {
                self.over(id, why);
            }
            return self.settle(now);
        }
        let lo = self.range(id);
        if lo == 0 && self.strategy == Strategy::AllForOne {
            if self.owner == Owner::Tree {
                self.ends_with = Some(why);
            }
            for member in self.members.iter_mut().flatten().filter(|member| member.at != At::Ended) {
                member.ending.get_or_insert(Ended::Stopped);
            }
        } else {
            for member in self.members.iter_mut().flatten().filter(|member| member.order >= lo) {
                member.finished = false; // the range does not come up again
                if member.at != At::Ended {
                    member.ending.get_or_insert(Ended::Stopped);
                }
            }
        }
        self.cause = Some(failure.clone());
        self.go_down(lo, Next::Up, now);
    }

    /// Escalate, the limit, or a decider that panicked: the supervisor fails (S19).
    pub(super) fn fail(&mut self, id: Id, failure: Failure, now: Instant) {
        if self.owner == Owner::Guardian {
            return self.stop_for(id, Ended::by(&failure), &failure, now); // nobody is above: it alone ends (S39)
        }
        let first = self.first_spawn(id);
        let back = Box::new(std::mem::replace(&mut self.mode, Mode::Steady));
        self.mode = Mode::Failed { back, by: id };
        if first {
            // The spawn gets its error and the child ends; the parent's Resume goes on without it (S27).
            self.over(id, Ended::by(&failure));
        }
        self.effects.push(GroupEffect::TellOwner(Order::Escalated(failure)));
    }

    /// A start that was asked for by hand or at run time concerns no sibling, whatever the strategy (S26, S38).
    fn is_alone(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.alone)
    }

    /// Somebody waits for a first start at run time: its spawn is told.
    fn first_spawn(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.dynamic && !member.was_up)
    }

    /// The first place that a failure of this child takes along.
    pub(super) fn range(&self, id: Id) -> u64 {
        match self.strategy {
            Strategy::AllForOne => 0,
            Strategy::OneForOne | Strategy::RestForOne => self.order(id),
        }
    }

    pub(super) fn wait_for(&mut self, id: Id, delay: Duration) {
        // One wait for all that failed: the longest (S17).
        if delay > Duration::ZERO && (self.wait.is_none() || delay > self.waited) {
            self.wait = Some(id);
            self.waited = delay;
        }
    }
}
