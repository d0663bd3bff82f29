//! The walks of a group: a range of members goes down in reverse order, and comes up in order (S17).
//!
//! A *range* is the members that restart or end together: all members with an order number from `lo` on. `go_down` sets
//! the mode to `Down`, lists all members in `plan`, and sets `cursor` to the end of that list. `walk_down` moves the
//! cursor backwards through the range and orders each member to go down. `in_flight` counts the members that are on
//! their way; while it is not zero, the walk waits, until [`Group::gone`] reports the member. (Only a set orders all
//! members at the same time.) Once the cursor has left the range and nothing is in flight, `next` says what follows:
//! the range comes up again, the supervisor starts again, or the group ends.
//!
//! `walk_up` moves the cursor forwards from the beginning of the plan, and starts each member that waits for its turn
//! once the one before it is up. It first waits for the longest backoff of the range (`wait`). Every start of a tree is
//! such a walk too: it waits at each member that the build has not reached yet. Once all members have been passed and
//! the build has finished, the mode is `Steady`, and everything that was kept meanwhile begins.
//!
//! An event changes the state of one member and then calls `settle`, which repeats the walk of the present mode until
//! it needs another event to go on. A walk never calls another walk. It returns true instead if it has changed the
//! mode, so the stack does not grow with the number of members.

use super::*;

impl Group {
    pub(super) fn go_down(&mut self, lo: u64, next: Next, now: Instant) {
        self.turn_down(lo, next);
        self.settle(now);
    }

    fn turn_down(&mut self, lo: u64, next: Next) {
        self.mode = Mode::Down { lo, next };
        self.plan = self.places();
        self.cursor = self.plan.len();
        if next != Next::Up {
            self.wait = None;
            self.waited = Duration::ZERO;
        }
    }

    pub(super) fn send_down(&mut self, id: Id, failure: Failure, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.effects.push(GroupEffect::Tell(id, Order::Down(failure)));
    }

    pub(super) fn send_end(&mut self, id: Id, why: Ended, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.effects.push(GroupEffect::Tell(id, Order::End(why)));
        self.look_again(id);
    }

    pub(super) fn start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        member.at = At::Starting;
        member.due = false;
        if member.was_up {
            member.pace.started_again(now);
        }
        self.effects.push(GroupEffect::Tell(id, Order::Start));
    }

    pub(super) fn wait_or_start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        // The delay was set by a restart of this member alone, and counts once.
        let delay = std::mem::take(&mut member.delay);
        if delay > Duration::ZERO {
            member.at = At::Waiting;
            self.effects.push(GroupEffect::Tell(id, Order::Wait(delay)));
        } else {
            self.begin_or_keep(id, now);
        }
    }

    /// Starts a child that has finished its own wait, or keeps it while something else delays the start.
    pub(super) fn begin_or_keep(&mut self, id: Id, now: Instant) {
        if self.is_kept_from(id) {
            let member = self.member(id);
            member.at = At::Waiting;
            member.due = true;
        } else {
            debug_assert!(self.member(id).ending.is_none(), "one that is to end is over before its wait is");
            self.start(id, now);
        }
    }

    /// Returns whether the child must not start now, even if its own wait is over.
    pub(super) fn is_kept_from(&self, id: Id) -> bool {
        match self.mode {
            Mode::Down { lo, .. } => self.held || self.order(id) >= lo,
            Mode::Ended => true,
            _ => self.keeps(id),
        }
    }

    /// Returns whether events of the child have to wait: for an ancestor, the parent, or the supervisor's own new
    /// start.
    pub(super) fn keeps(&self, id: Id) -> bool {
        let heals = self.heals && self.is_kept(id);
        self.held || heals || matches!(self.mode, Mode::Failed { .. } | Mode::Waiting)
    }

    /// Marks the child as ended. The consequences are left to [`Group::settle`]: a walk may end any number of members,
    /// and must not begin again inside itself.
    pub(super) fn over(&mut self, id: Id, why: Ended) {
        let stopping = self.is_stopping();
        let member = self.member(id);
        if member.at == At::Ended {
            return;
        }
        if member.is_value() {
            member.at = At::Ended;
            return;
        }
        let counted = std::mem::take(&mut member.counted);
        member.at = At::Ended;
        member.down_since = None;
        if self.wait == Some(id) {
            (self.wait, self.waited) = (None, Duration::ZERO); // its timer is dropped
        }
        let member = self.member(id);
        member.alone = false;
        let quits = std::mem::take(&mut member.quits);
        if member.dynamic {
            self.vacate(id);
        } else {
            member.ending.get_or_insert(why.clone());
        }
        self.living -= 1;
        self.quits |= quits;
        if counted {
            self.in_flight -= 1;
        }
        if let (false, Ended::Failed(failure) | Ended::Limit(failure)) = (stopping, &why) {
            self.first_failure.get_or_insert_with(|| failure.clone());
        }
        self.effects.push(GroupEffect::Tell(id, Order::Over(why)));
    }

    pub(super) fn tell_held(&mut self, held: bool) {
        // A suspension has no meaning for a member that has ended: the order would only wake it.
        for id in 0..self.members.len() as Id {
            if self.get(id).is_some_and(|member| !member.is_value() && member.at != At::Ended) {
                self.effects.push(GroupEffect::Tell(id, Order::Suspend(held)));
            }
        }
    }

    /// Begins everything that was kept while the supervisor was suspended or failed.
    pub(super) fn begin_kept(&mut self, now: Instant) {
        if !self.held && !matches!(self.mode, Mode::Failed { .. }) {
            self.begin_each_kept(now);
            self.settle(now);
        }
    }

    fn begin_each_kept(&mut self, now: Instant) {
        for id in 0..self.members.len() as Id {
            if matches!(self.mode, Mode::Steady | Mode::Up) && self.ends_now() {
                return; // nothing new begins
            }
            self.step();
            let Some(member) = self.get(id) else { continue };
            match member.at {
                At::Failed | At::StartFailed => self.effects.push(GroupEffect::Tell(id, Order::Redecide)),
                At::Waiting if member.due && !self.is_kept_from(id) => self.start(id, now),
                At::Turn if self.mode == Mode::Steady && member.wants_start() => self.start(id, now),
                // Stopped while it was queued for its start.
                At::Turn if self.mode == Mode::Steady && member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why);
                }
                _ => {}
            }
        }
    }

    /// Makes every move that needs no further event. A walk that may have changed the state for the next walk returns
    /// true; no walk calls another.
    pub(super) fn settle(&mut self, now: Instant) {
        while match self.mode {
            Mode::Down { lo, next } => self.walk_down(lo, next, now),
            Mode::Up => self.walk_up(now),
            Mode::Steady => self.check_all_ended(),
            Mode::Waiting | Mode::Failed { .. } | Mode::Ended => false,
        } {}
    }

    /// Goes down in reverse order, one member at a time; a set all at once. True: there is more to settle.
    fn walk_down(&mut self, lo: u64, next: Next, now: Instant) -> bool {
        while let Some(Place { order, id }) = self.next_down(lo)
            && (self.in_flight == 0 || self.owner == Owner::Set)
        {
            self.cursor -= 1;
            self.step();
            let member = self.members.get_mut(id as usize).and_then(Option::as_mut);
            let Some(member) = member.filter(|member| member.order == order) else { continue };
            let ends = member.ending.is_some() || next == Next::Up && member.is_temporary();
            if member.kept && next == Next::Rebuild {
                continue;
            }
            match member.at {
                At::Up if member.is_value() => {
                    // A member that is lost with its runtime may still be about to start on another thread.
                    if next != Next::Up && !self.runtime_gone {
                        member.at = At::Down;
                        member.counted = true;
                        self.in_flight += 1;
                        self.effects.push(GroupEffect::DropValue(id));
                    }
                }
                At::Up | At::Failed | At::Starting => {
                    member.counted = true;
                    member.delay = Duration::ZERO;
                    self.in_flight += 1;
                    if ends {
                        let why = member.ending.get_or_insert(Ended::Stopped).clone();
                        self.send_end(id, why, now);
                    } else {
                        let failure = self.cause.clone().expect("a range that restarts has its failure");
                        self.send_down(id, failure, now);
                    }
                }
                At::Down => {
                    if !member.counted {
                        member.counted = true;
                        member.delay = Duration::ZERO;
                        self.in_flight += 1;
                        // The member was going down alone. If everything stops now, it has to be told, and if the
                        // others wait for it, its drain ends.
                        match (next, member.ending.clone(), &self.cause) {
                            (Next::End, Some(why), _) => self.effects.push(GroupEffect::Tell(id, Order::End(why))),
                            (_, Some(_), Some(cause)) if member.drains || member.settings.drain => {
                                self.effects.push(GroupEffect::Tell(id, Order::Down(cause.clone())))
                            }
                            _ => {}
                        }
                    }
                }
                At::Turn | At::StartFailed | At::Waiting => {
                    // A `Temporary` member that is queued was not up: it keeps its turn.
                    let ends = member.ending.is_some() || ends && member.at == At::StartFailed;
                    member.at = At::Turn;
                    if ends {
                        let why = member.ending.clone().unwrap_or(Ended::Stopped);
                        self.over(id, why);
                    }
                }
                At::Ended => {}
            }
        }
        if self.in_flight > 0 || self.next_down(lo).is_some() {
            return false;
        }
        match next {
            Next::Up if self.ends_with.is_some() => {
                self.mode = Mode::Ended;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnded(self.first_failure.clone())));
            }
            // Nothing comes up only to end.
            Next::Up if self.ends_now() => {
                self.end_by_itself();
                return true;
            }
            Next::Up => {
                self.start_finished(lo);
                self.mode = Mode::Up;
                self.cursor = 0;
                if let Some(id) = self.wait {
                    self.effects.push(GroupEffect::Tell(id, Order::Wait(self.waited)));
                }
                return true;
            }
            Next::Rebuild => {
                self.mode = Mode::Waiting;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenDown));
            }
            Next::End => {
                self.mode = Mode::Ended;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenDown));
            }
        }
        false
    }

    /// Returns the next position of the walk in the range.
    fn next_down(&self, lo: u64) -> Option<Place> {
        let place = self.plan[..self.cursor].last()?;
        (place.order >= lo).then_some(*place)
    }

    /// The walk up has passed this member, but it is not up any more: a group waits for it again.
    pub(super) fn look_again(&mut self, id: Id) {
        let mode = match &self.mode {
            Mode::Failed { back, .. } => back,
            mode => mode,
        };
        if *mode != Mode::Up || !self.is_group() {
            return;
        }
        let order = self.order(id);
        if let Ok(place) = self.plan[..self.cursor].binary_search_by_key(&order, |passed| passed.order) {
            self.cursor = place;
        }
    }

    /// Comes up in order, one member at a time. At the first start the walk follows the build; under `OneForOne` it
    /// goes on while a member waits for a declared backoff. True: there is more to settle.
    fn walk_up(&mut self, now: Instant) -> bool {
        loop {
            if self.held || self.wait.is_some() {
                return false;
            }
            let Some(place) = self.plan.get(self.cursor).copied() else { break };
            self.step();
            let id = place.id;
            let Some(member) = self.at_place(place) else {
                self.cursor += 1;
                continue;
            };
            match member.at {
                At::Up | At::Failed | At::Ended => self.cursor += 1,
                At::Turn if !member.reached => return false,
                At::Turn if member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why);
                }
                At::Turn => {
                    self.start(id, now);
                    return false;
                }
                // Under `OneForOne` the walk does not wait for a member that was up before.
                _ if member.passed && !self.is_group() => self.cursor += 1,
                At::Waiting if !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id) => {
                    self.member(id).passed = true;
                    self.cursor += 1;
                }
                // Under `OneForOne` an earlier member that is going down does not delay the rest.
                At::Down if !self.is_group() => self.cursor += 1,
                At::Starting | At::StartFailed | At::Down | At::Waiting => return false,
            }
        }
        if self.built {
            self.booted = true;
            self.mode = Mode::Steady;
            self.cause = None; // healed: a later failure is the first of another move
            self.begin_each_kept(now);
        }
        self.built
    }

    /// Returns whether the build has to wait for this child: the handle of a subtree or an optional child exists only
    /// once the child was up (S21).
    pub(super) fn holds_up(&self, id: Id) -> bool {
        let has_late_handle = |settings: &Settings| settings.only_supervises() || settings.optional;
        self.get(id).is_some_and(|member| !member.was_up && has_late_handle(&member.settings))
    }

    /// Returns whether a significant member has ended by itself, so that the supervisor ends (S22).
    fn ends_now(&self) -> bool {
        self.quits && self.owner_is_up
    }

    fn end_by_itself(&mut self) {
        self.ends_with = Some(Ended::Done);
        for member in self.members.iter_mut().flatten().filter(|member| member.at != At::Ended) {
            member.ending.get_or_insert(Ended::Stopped);
        }
        self.turn_down(0, Next::Up);
    }

    /// Members of the range that ended by themselves come up with it (S17).
    fn start_finished(&mut self, lo: u64) {
        for member in self.members.iter_mut().flatten().filter(|member| member.finished && member.order >= lo) {
            (member.at, member.ending, member.finished) = (At::Turn, None, false);
            self.living += 1;
        }
    }

    /// Checks whether the supervisor ends by itself: because a significant member has ended, or all members have (S22).
    /// True: it goes down for that.
    fn check_all_ended(&mut self) -> bool {
        if self.ends_now() {
            self.end_by_itself();
            return true;
        }
        // Checked last: this looks at all members, and runs at each event.
        let slots = || self.members.iter().inspect(|_| self.step());
        let has_children = || slots().flatten().any(|member| !member.is_value());
        if self.owner == Owner::Tree && self.built && !self.runtime_gone && self.living == 0 && has_children() {
            self.mode = Mode::Ended;
            self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnded(self.first_failure.clone())));
        }
        false
    }
}
