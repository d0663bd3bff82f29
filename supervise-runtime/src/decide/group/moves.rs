//! The moves that follow: a range goes down in reverse and comes up in order (S17).

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
        // A restart of it alone has said how long; that is of this once.
        let delay = std::mem::take(&mut member.delay);
        if delay > Duration::ZERO {
            member.at = At::Waiting;
            self.effects.push(GroupEffect::Tell(id, Order::Wait(delay)));
        } else {
            self.begin_or_keep(id, now);
        }
    }

    /// Starts a child that waited for itself, or keeps it while something holds it.
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

    /// It must not start now, whatever its own wait says.
    pub(super) fn is_kept_from(&self, id: Id) -> bool {
        match self.mode {
            Mode::Down { lo, .. } => self.held || self.order(id) >= lo,
            Mode::Ended => true,
            _ => self.keeps(id),
        }
    }

    /// What happens to it has to wait: for an ancestor, the parent, or the supervisor's own new start.
    pub(super) fn keeps(&self, id: Id) -> bool {
        let heals = self.heals && self.is_kept(id);
        self.held || heals || matches!(self.mode, Mode::Failed { .. } | Mode::Waiting)
    }

    /// The child has ended. What follows from it is for [`Group::settle`]: a walk that comes to any number of
    /// them must not begin again inside of itself.
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
            (self.wait, self.waited) = (None, Duration::ZERO); // its timer is not kept any more
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
        // To one that has ended a hold means nothing: it would only be woken.
        for id in 0..self.members.len() as Id {
            if self.get(id).is_some_and(|member| !member.is_value() && member.at != At::Ended) {
                self.effects.push(GroupEffect::Tell(id, Order::Suspend(held)));
            }
        }
    }

    /// What was kept while the supervisor was held or failed begins now.
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
                // Stopped while it waited for its turn.
                At::Turn if self.mode == Mode::Steady && member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why);
                }
                _ => {}
            }
        }
    }

    /// Makes every move that follows without a further event. A walk that may have changed what the next one
    /// finds says so; none of them calls another.
    pub(super) fn settle(&mut self, now: Instant) {
        while match self.mode {
            Mode::Down { lo, next } => self.walk_down(lo, next, now),
            Mode::Up => self.walk_up(now),
            Mode::Steady => self.check_all_ended(),
            Mode::Waiting | Mode::Failed { .. } | Mode::Ended => false,
        } {}
    }

    /// Reverse order, one at a time; a set all at once. True: there is more to settle.
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
                    // A member that is lost with its runtime may be about to start on another thread, still.
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
                        // It was going down alone; if everything stops now, it has to know.
                        // And if the others wait for it, what it still drains is over.
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
                    // A Temporary that awaits its turn was not up: it still has that turn.
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

    /// The place that the walk comes to next in the range.
    fn next_down(&self, lo: u64) -> Option<Place> {
        let place = self.plan[..self.cursor].last()?;
        (place.order >= lo).then_some(*place)
    }

    /// The way up has passed this member, but it is not up any more: a group waits for it again.
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

    /// In order, one at a time. At boot it follows build; OneForOne goes on behind a declared backoff. True:
    /// there is more to settle.
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
                // Under OneForOne nobody waits for one that was up before.
                _ if member.passed && !self.is_group() => self.cursor += 1,
                At::Waiting if !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id) => {
                    self.member(id).passed = true;
                    self.cursor += 1;
                }
                // Under OneForOne an earlier member on its own way does not hold up the rest.
                At::Down if !self.is_group() => self.cursor += 1,
                At::Starting | At::StartFailed | At::Down | At::Waiting => return false,
            }
        }
        if self.built {
            self.booted = true;
            self.mode = Mode::Steady;
            self.cause = None; // healed: what fails from here on is the first of another move
            self.begin_each_kept(now);
        }
        self.built
    }

    /// The handle of a subtree or an optional child exists only once it was up, so build has to wait for it (S21).
    pub(super) fn holds_up(&self, id: Id) -> bool {
        let has_late_handle = |settings: &Settings| settings.only_supervises() || settings.optional;
        self.get(id).is_some_and(|member| !member.was_up && has_late_handle(&member.settings))
    }

    /// A significant member has ended by itself (S22).
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

    /// Those of the range that ended by themselves come up with it (S17).
    fn start_finished(&mut self, lo: u64) {
        for member in self.members.iter_mut().flatten().filter(|member| member.finished && member.order >= lo) {
            (member.at, member.ending, member.finished) = (At::Turn, None, false);
            self.living += 1;
        }
    }

    /// The supervisor ends by itself: a significant member did, or all have (S22). True: it goes down for that.
    fn check_all_ended(&mut self) -> bool {
        if self.ends_now() {
            self.end_by_itself();
            return true;
        }
        // Asked last: this looks at the members, and is come to at each event.
        let slots = || self.members.iter().inspect(|_| self.step());
        let has_children = || slots().flatten().any(|member| !member.is_value());
        if self.owner == Owner::Tree && self.built && !self.runtime_gone && self.living == 0 && has_children() {
            self.mode = Mode::Ended;
            self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnded(self.first_failure.clone())));
        }
        false
    }
}
