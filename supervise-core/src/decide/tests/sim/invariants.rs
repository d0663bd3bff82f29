//! Invariants that are checked at each start, at each way down, at each restart that counts against the budget, and at
//! the end.

use std::time::Duration;

use super::{Sim, Stand, WITHIN};
use crate::decide::child::State;
use crate::decide::child::machine::Order;
use crate::decide::group::{AfterDown, GroupState, Id, Owner};
use crate::decide::member::MemberState;
use crate::decide::tests::coverage::hit_2b;

/// The number of steps after which a random walk that has not ended never will.
const TRIES: u32 = 400;

impl Sim {
    pub(in crate::decide::tests) fn check_start(&mut self, id: Id) {
        assert!(!self.suspended, "a start while held");
        assert!(!self.owner_fails && self.stand != Stand::Failed, "a start while the supervisor has failed");
        assert!(
            !matches!(self.stand, Stand::TakingDown { .. } | Stand::Down | Stand::Ended),
            "a start in a supervisor that goes down"
        );
        assert!(!self.in_range(id), "a start in a range that goes down");
        assert!(!self.group.is_stopping() && !self.group.is_ended(), "a start while stopping");
        assert!(!self.child(id).stopped, "a stopped child starts");
        assert!(self.child(id).is_parked(), "two incarnations at once");
        let at_once = std::mem::take(&mut self.child(id).at_once);
        let starting = self.starting();
        let full = self.plan.max_starting.is_some_and(|most| starting >= most);
        assert!(!full || at_once, "{id} starts while {starting} others do");
        // A first start at run time and a requested start are retried on their own (S26, S38).
        let alone = self.child(id).alone;
        self.child(id).finished = false;
        if self.plan.is_group() && !alone && *self.group.mode() == GroupState::Up {
            for other in self.earlier(id) {
                assert!(
                    matches!(self.group.at(other), MemberState::Up | MemberState::Failed | MemberState::Ended),
                    "{id} comes up before {other}, which is {:?}",
                    self.group.at(other)
                );
            }
        }
        self.tell(id, Order::Start);
    }

    pub(in crate::decide::tests) fn check_down(&self, id: Id) {
        let walks = self.in_range(id) && self.plan.owner != Owner::Set;
        let rebuild = matches!(self.group.mode(), GroupState::Down { next: AfterDown::Rebuild, .. });
        // A child that fails while its supervisor stops does not wait for its turn (S24).
        let failed = self.children[id as usize].as_ref().is_some_and(|child| child.pending.is_some());
        for other in self.later(id) {
            let stays = rebuild && self.group.is_kept(other) || failed && self.group.is_stopping();
            assert!(!walks || self.plan.together || stays || !self.is_up(other), "{id} goes down before {other}");
        }
    }

    /// The number of children that start.
    fn starting(&self) -> usize {
        let own = self.own.as_ref().filter(|(_, own)| own.is(|order| matches!(order, Order::Start)));
        self.children.iter().flatten().filter(|child| child.starts_now()).count() + usize::from(own.is_some())
    }

    /// S27: none waits for a place while one is free.
    pub(in crate::decide::tests) fn check_places(&self) {
        let Some(most) = self.plan.max_starting else { return };
        let (taken, waiting) = self.group.places();
        // A start that has failed leaves its place to another one once it is decided.
        let asked = self.children.iter().flatten().any(|child| child.pending.as_ref().is_some_and(|p| p.asked));
        let gives = *self.group.mode() == GroupState::Steady && !self.suspended && !asked;
        assert!(!gives || waiting.is_empty() || taken >= most, "{waiting:?} wait while a place is free");
    }

    /// S17, S22: in a range that came up again, all members that had ended by themselves are started again. The range
    /// does not come up if a significant member has ended by itself: the supervisor ends instead.
    pub(in crate::decide::tests) fn check_range(&mut self) {
        match self.group.mode() {
            GroupState::Down { from, next: AfterDown::Up } if self.plan.is_group() => self.range = Some(*from),
            GroupState::Up | GroupState::Steady => {
                let Some(from) = self.range.take() else { return };
                for id in self.ids() {
                    let child = self.children[id as usize].as_ref().expect("a living child");
                    let left =
                        child.finished && self.group.at(id) == MemberState::Ended && self.group.order(id) >= from;
                    assert!(!left, "{id} had ended by itself, and its group came up without it");
                    assert!(!child.quit || self.stand != Stand::Up, "a group came up in order to end");
                }
            }
            GroupState::Failed { .. } => {}
            _ => self.range = None,
        }
    }

    /// S44: no member of a range that goes down together waits for another.
    pub(in crate::decide::tests) fn check_together(&self) {
        for id in self.ids().into_iter().filter(|id| self.plan.together && self.in_range(*id)) {
            let waits = matches!(self.group.at(id), MemberState::Up | MemberState::Starting | MemberState::Failed);
            assert!(!waits, "{id} is {:?} while its group goes down together", self.group.at(id));
        }
    }

    /// S26, S38: a failure of a requested start, or of a first start at run time, does not restart other members.
    pub(in crate::decide::tests) fn check_alone(&self, id: Id, before: &[(Id, MemberState)]) {
        for (other, at) in before.iter().filter(|(other, _)| *other != id) {
            let now = self.group.at(*other);
            let taken = matches!(at, MemberState::Up | MemberState::Starting | MemberState::Failed)
                && matches!(now, MemberState::GoingDown | MemberState::Ended);
            assert!(!taken, "{other} goes with {id}, whose start was its own matter");
        }
    }

    pub(in crate::decide::tests) fn check_budget(&mut self, id: Id) {
        let child = self.children[id as usize].as_ref().expect("a living child");
        let own = !self.plan.shares_budget() || child.alone;
        // A declared backoff does not lift a declared limit.
        let key = own.then_some(id);
        let (now, max) = (self.now, self.plan.max as usize);
        self.charges.retain(|(_, at)| now.duration_since(*at) < WITHIN);
        let used = self.charges.iter().filter(|(of, _)| *of == key).count();
        assert!(self.unasked || used < max, "more restarts in a window than its budget has");
        self.charges.push((key, now));
    }

    pub(in crate::decide::tests) fn check_limit(&mut self, id: Id) {
        let from = match self.child(id).pending.as_ref().map(|pending| pending.from) {
            Some(State::Running | State::Handling) => State::Failed,
            Some(from @ (State::Starting | State::StartAgain | State::PostRestart)) => from,
            // A task that failed, or a restart after a normal end.
            Some(State::GoingDown | State::Stopping) | None => return,
            Some(other) => panic!("no decision is made while {other:?}"),
        };
        hit_2b(from, "limit reached at its decision");
    }

    // ----- on to the end, without further failures

    /// From here on nothing fails and each child takes its steps: the walk must come to an end.
    pub(in crate::decide::tests) fn settle_down(&mut self) {
        for _ in 0..TRIES {
            if self.is_at_rest() {
                // A task that is not ready yet still starts.
                assert_eq!(self.group.places(), (self.starting(), Vec::new()), "a place is lost");
                return;
            }
            self.quiet_round();
        }
        panic!("a dead end: {self:?}");
    }

    /// Long enough for three members to come up.
    pub(in crate::decide::tests) fn calm(&mut self) {
        (0..12).for_each(|_| self.quiet_round());
    }

    fn quiet_round(&mut self) {
        if self.decided || self.suspended && self.stand != Stand::Failed {
            self.end_suspension();
        }
        self.owner_step();
        self.resume();
        for id in self.ids() {
            if self.has(id) {
                self.quiet_step(id);
            }
        }
        self.now += Duration::from_millis(15);
    }

    fn is_at_rest(&self) -> bool {
        let quiet = self
            .children
            .iter()
            .flatten()
            .all(|child| child.inbox.is_empty() && child.is_calm() && child.pending.is_none());
        let ended = self.stand == Stand::Ended && self.group.is_ended();
        let up = self.stand == Stand::Up && *self.group.mode() == GroupState::Steady;
        quiet && (ended || up) && !self.suspended && !self.owner_fails && !self.all_ended
    }
}
