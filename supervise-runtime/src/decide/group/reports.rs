//! The reports of children: up, failed, done, gone, due; and the stop of one child by a user.

use super::*;

impl Group {
    /// The child is up.
    pub(crate) fn up(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        if member.at != At::Starting {
            return;
        }
        member.at = At::Up;
        (member.was_up, member.passed, member.alone) = (true, true, false);
        member.pace.went_up(now);
        self.settle(now);
    }

    /// The child has failed, with an instance, or without one in a start.
    pub(crate) fn failed(&mut self, id: Id, instance: bool) -> FailureRoute {
        let stopping = self.is_stopping();
        let in_range = self.in_range(id);
        let kept = self.keeps(id);
        let member = self.member(id);
        match member.at {
            At::Down if stopping || member.ending.is_some() => FailureRoute::ReportOnly,
            // Already asked to go down: the failed child goes down with the rest, with or without an instance.
            At::Down => FailureRoute::Absorbed,
            At::Ended => FailureRoute::ReportOnly,
            _ => {
                member.at = if instance { At::Failed } else { At::StartFailed };
                self.look_again(id);
                match () {
                    () if in_range && stopping => FailureRoute::ReportOnly,
                    () if in_range => FailureRoute::Absorbed,
                    () if kept => FailureRoute::Kept,
                    () => FailureRoute::Decide,
                }
            }
        }
    }

    /// Returns the outcome of a directive for this child: `Restart` if a restart follows. A limit, or the first start
    /// of a `Temporary` child, turns it into another directive.
    pub(crate) fn comes_to(&mut self, id: Id, directive: Directive, instance: bool, now: Instant) -> Directive {
        let nobody_above = self.owner == Owner::Guardian;
        match directive {
            Directive::Escalate if nobody_above => Directive::Stop,
            Directive::Resume if instance => Directive::Resume,
            Directive::Resume | Directive::Restart => match self.refusal(id, now) {
                Some(OnLimit::Escalate) if !nobody_above => Directive::Escalate,
                Some(_) => Directive::Stop,
                None => Directive::Restart,
            },
            Directive::Stop | Directive::Escalate => directive,
        }
    }

    /// Carries out the decision on a failure, after [`Group::failed`] or [`Order::Redecide`] asked for one.
    pub(crate) fn decided(&mut self, id: Id, directive: Directive, failure: &Failure, facts: Facts) -> FailureRoute {
        if self.in_range(id) {
            return FailureRoute::Absorbed;
        }
        if self.keeps(id) || self.mode == Mode::Ended {
            return FailureRoute::Kept;
        }
        let instance = match self.at(id) {
            At::Failed => true,
            At::StartFailed => false,
            _ => return FailureRoute::Absorbed,
        };
        match directive {
            Directive::Resume if instance => {
                self.member(id).at = At::Up;
                self.effects.push(GroupEffect::Tell(id, Order::Resume));
                self.settle(facts.now);
            }
            Directive::Resume | Directive::Restart => self.restart(id, instance, failure, facts, true),
            Directive::Stop => self.stop_for(id, Ended::by(failure), failure, facts.now),
            Directive::Escalate => self.fail(id, failure.clone(), facts.now),
        }
        FailureRoute::Decide
    }

    /// The child has ended by itself and is down (S23). `failure` has the cause `EndedByItself`. A subtree that ended
    /// stays ended (S28).
    pub(crate) fn done(&mut self, id: Id, ended: Ended, failure: &Failure, facts: Facts) {
        let in_range = self.in_range(id);
        let comes_up = in_range && matches!(self.mode, Mode::Down { next: Next::Up, .. });
        let member = self.member(id);
        let by_itself = member.ending.is_none();
        let restarted =
            member.settings.lifecycle == Lifecycle::Permanent && !member.settings.only_supervises() && by_itself;
        let quits = member.settings.significant && by_itself;
        if member.at == At::Down && !(quits && comes_up) {
            // The child was asked to go down while it was ending: that request is fulfilled with this.
            self.ends_as(id, ended);
            return self.gone(id, facts.now);
        }
        if !restarted {
            member.quits = quits;
            member.finished = by_itself && !quits && !member.is_temporary() && matches!(ended, Ended::Done);
            self.over(id, ended);
            return self.settle(facts.now);
        }
        member.at = At::StartFailed;
        self.look_again(id);
        if in_range {
            return self.settle(facts.now);
        }
        if self.keeps(id) {
            return;
        }
        self.restart(id, false, failure, facts, true);
    }

    /// A stop that arrived while the child was ending with a failure does not replace that failure.
    pub(crate) fn ends_as(&mut self, id: Id, ended: Ended) {
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return };
        if !ended.is_orderly() && member.ending.as_ref().is_some_and(Ended::is_orderly) {
            member.ending = Some(ended);
        }
    }

    /// An optional child is absent this time: it ends, whatever its lifecycle (S28).
    pub(crate) fn absent(&mut self, id: Id, now: Instant) {
        match self.at(id) {
            At::Down => self.gone(id, now),
            _ => {
                self.over(id, Ended::Done);
                self.settle(now);
            }
        }
    }

    /// The build has reached an optional child that was absent at the first start: it stays absent (S28).
    pub(crate) fn skip(&mut self, id: Id, now: Instant) {
        self.member(id).reached = true;
        if self.at(id) == At::Turn {
            self.over(id, Ended::Done);
        }
        self.settle(now);
    }

    /// Returns whether the child has ended, or is about to end.
    pub(crate) fn is_ending(&self, id: Id) -> bool {
        self.get(id).is_none_or(|member| member.at == At::Ended || member.ending.is_some())
    }

    /// The child is down: there is no instance any more.
    pub(crate) fn gone(&mut self, id: Id, now: Instant) {
        let group = self.is_group();
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return };
        if matches!(member.at, At::Turn | At::StartFailed | At::Waiting | At::Ended) {
            return; // reported a second time: the request to go down came while it was ending
        }
        let counted = std::mem::take(&mut member.counted);
        member.down_since = None;
        if counted {
            self.in_flight -= 1;
        }
        if let Some(why) = member.ending.clone() {
            self.over(id, why);
            return self.settle(now);
        }
        member.at = At::Turn;
        self.look_again(id);
        // No walk will start this child: it restarts alone, or the order to go down was for its previous instance.
        let walked = matches!(self.mode, Mode::Down { .. }) || group && self.mode == Mode::Up;
        if !counted && !walked {
            self.wait_or_start(id, now);
        }
        self.settle(now);
    }

    /// The task of the child was dropped, so the child never starts again.
    pub(crate) fn lose(&mut self, id: Id, now: Instant) {
        if let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) {
            (member.lost, member.by_hand) = (true, true);
        }
        self.stop_member(id, now);
        self.gone(id, now);
    }

    /// A member was dropped together with its runtime, which also runs all other members and the supervisor.
    pub(crate) fn runtime_gone(&mut self) {
        self.runtime_gone = true;
    }

    /// The backoff of this child is over.
    pub(crate) fn due(&mut self, id: Id, now: Instant) {
        if self.wait == Some(id) {
            self.wait = None;
            self.waited = Duration::ZERO;
            return self.settle(now);
        }
        if self.at(id) != At::Waiting {
            return; // an earlier wait
        }
        self.begin_or_keep(id, now);
    }

    /// A user asks the child to stop. Returns `false` if the child goes down with its range, when its turn comes.
    pub(crate) fn stop_member(&mut self, id: Id, now: Instant) -> bool {
        let in_range = self.in_range(id);
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return true };
        if member.at == At::Ended {
            return true;
        }
        member.ending.get_or_insert(Ended::Stopped);
        member.by_hand = true;
        if self.wait == Some(id) {
            // The child is down; its range is down too, or still going down, which continues unchanged.
            self.wait = None;
            self.waited = Duration::ZERO;
        }
        match self.members[id as usize].as_ref().map(|member| member.at) {
            Some(At::Up | At::Failed | At::Starting) if in_range && !self.is_stopping() => return false,
            Some(At::Up | At::Failed | At::Starting) => {
                let member = self.member(id);
                member.at = At::Down;
                member.down_since = Some(now);
                self.look_again(id);
            }
            Some(At::Turn | At::Waiting | At::StartFailed) if !in_range => {
                self.over(id, Ended::Stopped);
                self.settle(now);
            }
            _ => {}
        }
        true
    }

    /// No time is left for the child: it goes down now, even before its turn (S24).
    pub(crate) fn cut(&mut self, id: Id, now: Instant) -> Cut {
        let again = matches!(self.mode, Mode::Down { next: Next::Rebuild, .. } | Mode::Waiting);
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return Cut::End };
        if member.kept && again {
            return Cut::Stay;
        }
        if matches!(member.at, At::Up | At::Failed | At::Starting) {
            member.at = At::Down;
            member.down_since = Some(now);
        }
        match &self.cause {
            Some(cause) if again && member.ending.is_none() => Cut::Down(cause.clone()),
            _ => Cut::End,
        }
    }

    /// Lets this child survive a restart of the actor that spawned it.
    pub(crate) fn keep(&mut self, id: Id) {
        if self.get(id).is_some() {
            self.member(id).kept = true;
        }
    }

    /// Returns whether the child was named by [`Group::keep`].
    pub(crate) fn is_kept(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.kept)
    }

    /// The child reports progress, which resets its backoff (S32).
    pub(crate) fn reset_backoff(&mut self, id: Id) {
        if self.get(id).is_some() {
            self.member(id).pace.reset();
        }
    }
}
