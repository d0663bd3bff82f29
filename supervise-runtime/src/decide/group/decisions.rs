//! The effect of a directive: restart, stop, or a failure of the supervisor (S15, S17 to S19).

use super::*;
use crate::values::kind::ChildKind;

impl Group {
    /// Restarts the child. `ask`: the budget is asked; after a parent's Resume the restart is only counted.
    pub(super) fn restart(&mut self, id: Id, instance: bool, failure: &Failure, facts: Facts, ask: bool) {
        let alone = !self.is_group() || self.is_alone(id);
        // A failed `Temporary` child ends alone, and this does not count against the budget (S17); at the first start
        // it is a failed start (S21).
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
        // A failed member of a range that already goes down is not decided on, so this restart extends the range.
        let lo = self.range(id);
        // A start that fails on the way up belongs to the same move: all members restart because of the failure that
        // began it.
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

    /// Returns what prevents a restart of this child now, if anything does.
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

    /// Under `OneForOne`, or after a requested start, the child is its own range, and only it waits.
    pub(super) fn restart_alone(&mut self, id: Id, instance: bool, delay: Duration, failure: &Failure, now: Instant) {
        let member = self.member(id);
        member.delay = delay;
        if instance {
            self.send_down(id, failure.clone(), now);
        } else {
            member.at = At::Turn;
            self.wait_or_start(id, now);
            self.settle(now); // the first start goes on while a declared backoff waits
        }
    }

    /// Stops the child, also at a limit that stops (S18). `why` is the end of the failed child.
    pub(super) fn stop_for(&mut self, id: Id, why: Ended, failure: &Failure, now: Instant) {
        if !self.booted {
            return self.fail(id, failure.clone(), now); // the first start comes up as a whole or not at all (S21)
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

    /// Fails the supervisor: the directive Escalate, the limit, or a decider that panicked (S19).
    pub(super) fn fail(&mut self, id: Id, failure: Failure, now: Instant) {
        if self.owner == Owner::Guardian {
            return self.stop_for(id, Ended::by(&failure), &failure, now); // no supervisor above: the child ends (S39)
        }
        let first = self.first_spawn(id);
        let back = Box::new(std::mem::replace(&mut self.mode, Mode::Steady));
        self.mode = Mode::Failed { back, by: id };
        if first {
            // The spawn returns its error and the child ends; a Resume by the parent continues without it (S27).
            self.over(id, Ended::by(&failure));
        }
        self.effects.push(GroupEffect::TellOwner(Order::Escalated(failure)));
    }

    /// Returns whether the child's start was requested, or happens at run time, so that it concerns no sibling,
    /// whatever the strategy (S26, S38).
    fn is_alone(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.alone)
    }

    /// Returns whether a spawn waits for this first start at run time.
    fn first_spawn(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.dynamic && !member.was_up)
    }

    /// Returns the beginning of the range that restarts together with this child.
    pub(super) fn range(&self, id: Id) -> u64 {
        match self.strategy {
            Strategy::AllForOne => 0,
            Strategy::OneForOne | Strategy::RestForOne => self.order(id),
        }
    }

    pub(super) fn wait_for(&mut self, id: Id, delay: Duration) {
        // All members that failed wait together, for the longest delay (S17).
        if delay > Duration::ZERO && (self.wait.is_none() || delay > self.waited) {
            self.wait = Some(id);
            self.waited = delay;
        }
    }
}
