//! Events of the supervisor itself: suspended, resumed, restarted, stopped.

use super::*;

impl Group {
    /// An ancestor has failed, or the supervisor itself: nothing new begins.
    pub(crate) fn hold(&mut self) {
        if !self.held {
            self.held = true;
            self.tell_held(true);
        }
    }

    /// The supervisor fails or goes down after the message in hand. That message may wait for a spawn that could begin,
    /// or be decided on, only afterwards. So spawns that are not up yet end (S7).
    pub(crate) fn absorb_spawns(&mut self, now: Instant) {
        for id in 0..self.members.len() as Id {
            let Some(member) = self.get(id).filter(|member| member.dynamic && !member.was_up) else { continue };
            match member.at {
                _ if self.in_range(id) => {}
                At::Turn | At::Waiting | At::StartFailed => self.over(id, Ended::Stopped),
                At::Starting => {
                    self.member(id).ending = Some(Ended::Stopped);
                    self.send_end(id, Ended::Stopped, now);
                }
                At::Up | At::Failed | At::Down | At::Ended => {}
            }
        }
        self.settle(now);
    }

    /// The ancestor was resumed: everything that was kept begins.
    pub(crate) fn release(&mut self, now: Instant) {
        if self.held {
            self.held = false;
            self.tell_held(false);
            self.begin_kept(now);
        }
    }

    /// The parent resumes a failed supervisor, which continues in its previous mode. `held`: an ancestor has failed
    /// since.
    pub(crate) fn resume(&mut self, failure: &Failure, facts: Facts, held: bool) {
        if let Mode::Failed { back, by } = self.mode.clone() {
            self.mode = *back;
            // Only a supervisor that is up is resumed, so a later failure is not a failure of its first start.
            self.booted |= self.built;
            // A first spawn has ended meanwhile; a new member in its slot has not begun.
            match self.at(by) {
                At::Failed => {
                    self.member(by).at = At::Up;
                    self.effects.push(GroupEffect::Tell(by, Order::Resume));
                }
                At::StartFailed => self.restart(by, false, failure, facts, false),
                _ => {}
            }
        }
        self.held = held;
        if !held {
            self.tell_held(false);
        }
        self.begin_kept(facts.now);
    }

    /// All children go down, to be started again by the supervisor's next start (a restart from above).
    pub(crate) fn restart_from_above(&mut self, failure: &Failure, now: Instant) {
        if matches!(self.mode, Mode::Down { next: Next::End, .. }) {
            return;
        }
        self.cause = Some(failure.clone());
        self.held = false;
        for member in self.members.iter_mut().flatten() {
            if member.dynamic && !member.kept && member.at != At::Ended {
                member.ending.get_or_insert(Ended::Stopped);
            } else if !member.dynamic && !member.by_hand {
                member.ending = None;
                member.quits = false;
            }
        }
        self.go_down(0, Next::Rebuild, now);
    }

    /// The actor is up again: the children it kept are restarted, in order (S11).
    pub(crate) fn restart_kept(&mut self, failure: &Failure, now: Instant) {
        self.owner_is_up = true;
        self.mode = Mode::Steady;
        self.heals = false;
        let places = self.places().into_iter();
        let kept: Vec<Id> = places.map(|place| place.id).filter(|id| self.is_kept(*id)).collect();
        if !kept.is_empty() {
            self.cause = Some(failure.clone());
            for member in self.members.iter_mut().flatten() {
                member.reached = true;
            }
            // The kept children come after the ones that the new instance has already spawned, which are not affected.
            let lo = self.orders;
            for id in &kept {
                let order = self.orders;
                self.orders += 1;
                let member = self.member(*id);
                (member.order, member.kept) = (order, false);
            }
            self.go_down(lo, Next::Up, now);
        } else {
            self.begin_kept(now); // the children that were spawned while it was down
        }
    }

    /// A new incarnation of the supervisor begins, with fresh budgets and backoffs (S15). `held`: it was ordered to
    /// start, and an ancestor has failed since.
    pub(crate) fn rebuild(&mut self, held: bool) {
        self.mode = Group::first_mode(self.owner);
        self.booted = self.owner != Owner::Tree;
        self.built = self.booted;
        self.budget = Budget::default();
        // Both are set only on the way to an end, and this is the only way up again: they need not be cleared
        // elsewhere.
        self.ends_with = None;
        self.quits = false;
        self.owner_is_up = false;
        self.first_failure = None;
        self.wait = None;
        self.in_flight = 0;
        self.heals = self.owner == Owner::Actor;
        self.held = held; // a suspension of the previous incarnation has ended with the order to start
        for member in self.members.iter_mut().flatten() {
            member.reached = member.dynamic;
            (member.passed, member.due, member.finished) = (false, false, false);
            member.alone &= member.dynamic;
            member.budget = None;
            member.pace = Pace::default();
            // A child that had ended starts again with its supervisor, unless a user stopped it (S20).
            if member.at == At::Ended && !member.by_hand && !member.is_value() {
                member.at = At::Turn;
                self.living += 1;
            }
            if !member.by_hand && !member.dynamic {
                member.ending = None;
            }
        }
        self.plan = self.places();
        self.cursor = 0;
    }

    /// The supervisor itself is up: spawns that waited begin.
    pub(crate) fn owner_up(&mut self, now: Instant) {
        self.owner_is_up = true;
        self.heals = false;
        if self.mode == Mode::Waiting {
            self.mode = Mode::Steady;
        }
        if self.mode == Mode::Steady {
            self.begin_kept(now);
        }
    }

    /// Returns whether the group was not stopped and yet ends as soon as everything that goes down is down: because a
    /// significant member has ended, an `AllForOne` tree was decided Stop, or the last members are ending (S18, S22).
    pub(crate) fn ends_by_itself(&self) -> bool {
        let mut members = self.members.iter().flatten().filter(|member| !member.is_value()).peekable();
        let all = self.owner == Owner::Tree && self.built && members.peek().is_some();
        let counts = self.owner != Owner::Set; // a set may have any number of members, too many for this loop
        let quits = self.quits || counts && self.members.iter().flatten().any(|member| member.quits);
        quits && self.owner_is_up
            || self.ends_with.is_some()
            || all && members.all(|member| member.at == At::Ended || member.ending.is_some())
    }

    /// Returns the failure with which the group ends by itself.
    pub(crate) fn ends_with_failure(&self) -> Option<Failure> {
        if self.ends_by_itself() { self.first_failure.clone() } else { None }
    }

    /// All children go down and end.
    pub(crate) fn stop(&mut self, now: Instant) {
        if matches!(self.mode, Mode::Down { next: Next::End, .. }) {
            return;
        }
        for id in 0..self.members.len() as Id {
            if let Some(member) = self.members[id as usize].as_mut().filter(|member| member.at != At::Ended) {
                member.ending.get_or_insert(Ended::Stopped);
            }
        }
        self.go_down(0, Next::End, now);
    }
}
