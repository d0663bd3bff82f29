//! The moves that follow: a range goes down in reverse and comes up in order (S17).

use super::*;

impl Group {
    pub(super) fn go_down(&mut self, lo: usize, next: Next, now: Instant) {
        self.mode = Mode::Down { lo, next };
        self.plan = self.ids_in_order();
        self.cursor = self.plan.len();
        if next != Next::Up {
            self.wait = None;
            self.waited = Duration::ZERO;
        }
        self.settle(now);
    }

    pub(super) fn send_down(&mut self, id: Id, failure: Failure, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.acts.push(Act::Down(id, failure));
        self.look_again(id);
    }

    pub(super) fn send_end(&mut self, id: Id, why: Ended, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.acts.push(Act::End(id, why));
        self.look_again(id);
    }

    pub(super) fn start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        member.at = At::Starting;
        member.solo = false;
        member.due = false;
        if member.was_up {
            member.pace.started_again(now);
        }
        self.acts.push(Act::Start(id));
    }

    pub(super) fn wait_or_start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        let delay = std::mem::take(&mut member.delay);
        if delay > Duration::ZERO {
            member.at = At::Waiting;
            self.acts.push(Act::Wait(id, delay));
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
        } else if self.member(id).ending.is_none() {
            self.start(id, now);
        }
    }

    /// It must not start now, whatever its own wait says.
    pub(super) fn is_kept_from(&self, id: Id) -> bool {
        match self.mode {
            Mode::Down { lo, .. } => self.held || self.position(id) >= lo,
            Mode::Ended => true,
            _ => self.keeps(id),
        }
    }

    /// What happens to it has to wait: for an ancestor, the parent, or the supervisor's own new start.
    pub(super) fn keeps(&self, id: Id) -> bool {
        let heals = self.heals && self.is_kept(id);
        self.held || heals || matches!(self.mode, Mode::Failed { .. } | Mode::Waiting)
    }

    /// The child has ended.
    pub(super) fn over(&mut self, id: Id, why: Ended, now: Instant) {
        let stopping = self.is_stopping();
        let member = self.member(id);
        if member.at == At::Ended {
            return;
        }
        if member.is_value() {
            member.at = At::Ended;
            return self.settle(now);
        }
        let counted = std::mem::take(&mut member.counted);
        member.at = At::Ended;
        member.down_since = None;
        if self.wait == Some(id) {
            (self.wait, self.waited) = (None, Duration::ZERO); // its timer is not kept any more
        }
        let member = self.member(id);
        let quits = std::mem::take(&mut member.quits);
        if member.dynamic {
            self.members[id as usize] = None;
            self.free.push(id);
            self.forget(id);
        } else {
            member.ending.get_or_insert(why.clone());
        }
        self.living -= 1;
        self.quits |= quits && !stopping;
        if counted {
            self.in_flight -= 1;
        }
        if let (false, Ended::Failed(failure) | Ended::Limit(failure)) = (stopping, &why) {
            self.first_failure.get_or_insert_with(|| failure.clone());
        }
        self.acts.push(Act::Over(id, why));
        self.settle(now);
    }

    /// Those behind it move up one place, in the walk and in the range alike.
    pub(super) fn forget(&mut self, id: Id) {
        if self.owner == Owner::Set {
            return; // all at once: there is no order to keep
        }
        let mode = match &mut self.mode {
            Mode::Failed { back, .. } => &mut **back,
            mode => mode,
        };
        if !matches!(mode, Mode::Up | Mode::Down { .. }) {
            return;
        }
        if let Some(place) = self.plan.iter().position(|other| *other == id) {
            self.plan.remove(place);
            self.cursor -= usize::from(place < self.cursor);
            if let Mode::Down { lo, .. } = mode {
                *lo -= usize::from(place < *lo);
            }
        }
    }

    pub(super) fn tell_held(&mut self, held: bool) {
        for id in 0..self.members.len() as Id {
            if self.get(id).is_some_and(|member| !member.is_value() && member.at != At::Ended) {
                self.acts.push(Act::Hold(id, held));
            }
        }
    }

    /// What was kept while the supervisor was held or failed begins now.
    pub(super) fn begin_kept(&mut self, now: Instant) {
        if self.held || matches!(self.mode, Mode::Failed { .. }) {
            return;
        }
        if self.mode == Mode::Steady && self.ends_now() {
            return self.settle(now); // nothing new begins
        }
        for id in 0..self.members.len() as Id {
            let Some(member) = self.get(id) else { continue };
            match member.at {
                At::Failed | At::StartFailed => self.acts.push(Act::Redecide(id)),
                At::Waiting if member.due && !self.is_kept_from(id) => self.start(id, now),
                At::Turn if self.mode == Mode::Steady && member.wants_start() => self.start(id, now),
                // Stopped while it waited for its turn.
                At::Turn if self.mode == Mode::Steady && member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why, now);
                }
                _ => {}
            }
        }
        self.settle(now);
    }

    /// Makes every move that follows without a further event.
    pub(super) fn settle(&mut self, now: Instant) {
        match self.mode {
            Mode::Down { lo, next } => self.walk_down(lo, next, now),
            Mode::Up => self.walk_up(now),
            Mode::Steady => self.check_all_ended(now),
            Mode::Waiting | Mode::Failed { .. } | Mode::Ended => {}
        }
    }

    /// Reverse order, one at a time; a set all at once.
    pub(super) fn walk_down(&mut self, lo: usize, next: Next, now: Instant) {
        while self.cursor > lo && (self.in_flight == 0 || self.owner == Owner::Set) {
            self.cursor -= 1;
            let id = self.plan[self.cursor];
            let Some(member) = self.members[id as usize].as_mut() else { continue };
            let ends = member.ending.is_some() || next == Next::Up && member.is_temporary();
            if member.kept && next == Next::Rebuild {
                continue;
            }
            match member.at {
                At::Up if member.is_value() => {
                    if next != Next::Up {
                        member.at = At::Down;
                        member.counted = true;
                        self.in_flight += 1;
                        self.acts.push(Act::DropValue(id));
                    }
                }
                At::Up | At::Failed | At::Starting => {
                    member.counted = true;
                    member.solo = false;
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
                        member.solo = false;
                        member.delay = Duration::ZERO;
                        self.in_flight += 1;
                        // It was going down alone; if everything stops now, it has to know.
                        // And if the others wait for it, what it still drains is over.
                        match (next, member.ending.clone(), &self.cause) {
                            (Next::End, Some(why), _) => self.acts.push(Act::End(id, why)),
                            (_, Some(_), Some(cause)) if member.drains || member.settings.drain => {
                                self.acts.push(Act::Down(id, cause.clone()))
                            }
                            _ => {}
                        }
                    }
                }
                At::Turn | At::StartFailed | At::Waiting => {
                    // A Temporary that awaits its turn was not up: it still has that turn.
                    let ends = member.ending.is_some() || ends && member.at == At::StartFailed;
                    member.at = At::Turn;
                    member.due = false;
                    if ends {
                        let why = member.ending.clone().unwrap_or(Ended::Stopped);
                        self.over(id, why, now);
                        return;
                    }
                }
                At::Ended => {}
            }
        }
        if self.cursor > lo || self.in_flight > 0 {
            return;
        }
        match next {
            Next::Up if self.ends_with.is_some() => {
                self.mode = Mode::Ended;
                self.acts.push(Act::AllEnded(self.first_failure.clone()));
            }
            Next::Up => {
                self.mode = Mode::Up;
                self.cursor = 0;
                if let Some(id) = self.wait {
                    self.acts.push(Act::Wait(id, self.waited));
                }
                self.settle(now);
            }
            Next::Rebuild => {
                self.mode = Mode::Waiting;
                self.acts.push(Act::ChildrenDown);
            }
            Next::End => {
                self.mode = Mode::Ended;
                self.acts.push(Act::ChildrenDown);
            }
        }
    }

    /// The way up has passed this member, but it is not up any more: a group waits for it again.
    pub(super) fn look_again(&mut self, id: Id) {
        let mode = match &self.mode {
            Mode::Failed { back, .. } => back,
            mode => mode,
        };
        if *mode == Mode::Up
            && self.is_group()
            && let Some(place) = self.plan[..self.cursor].iter().position(|passed| *passed == id)
        {
            self.cursor = place;
        }
    }

    /// In order, one at a time. At boot it follows build; OneForOne goes on behind a declared backoff.
    pub(super) fn walk_up(&mut self, now: Instant) {
        loop {
            if self.held || self.wait.is_some() {
                return;
            }
            let Some(id) = self.plan.get(self.cursor).copied() else { break };
            let Some(member) = self.get(id) else {
                self.cursor += 1;
                continue;
            };
            match member.at {
                At::Up | At::Failed | At::Ended => self.cursor += 1,
                At::Turn if !member.reached => return,
                At::Turn if member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    return self.over(id, why, now);
                }
                At::Turn => return self.start(id, now),
                At::Waiting if !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id) => {
                    self.member(id).passed = true;
                    self.cursor += 1;
                }
                // Under OneForOne an earlier member on its own way does not hold up the rest.
                At::Down if !self.is_group() => self.cursor += 1,
                At::Starting | At::StartFailed | At::Down | At::Waiting => return,
            }
        }
        if self.built {
            self.booted = true;
            self.mode = Mode::Steady;
            self.begin_kept(now);
        }
    }

    /// The handle of a subtree or an optional child exists only once it was up, so build has to wait for it (S21).
    pub(super) fn holds_up(&self, id: Id) -> bool {
        let has_late_handle = |settings: &Settings| settings.role == Role::Tree || settings.optional;
        self.get(id).is_some_and(|member| !member.was_up && has_late_handle(&member.settings))
    }

    /// A significant member has ended by itself (S22).
    fn ends_now(&self) -> bool {
        self.quits && self.owner_is_up
    }

    /// The supervisor ends by itself: a significant member did, or all have (S22).
    pub(super) fn check_all_ended(&mut self, now: Instant) {
        if self.ends_now() {
            self.quits = false;
            self.ends_with = Some(Ended::Done);
            for member in self.members.iter_mut().flatten().filter(|member| member.at != At::Ended) {
                member.ending.get_or_insert(Ended::Stopped);
            }
            return self.go_down(0, Next::Up, now);
        }
        let values = self.members.iter().flatten().any(|member| !member.is_value());
        if self.owner == Owner::Tree && self.built && values && self.living == 0 {
            self.mode = Mode::Ended;
            self.acts.push(Act::AllEnded(self.first_failure.clone()));
        }
    }
}
