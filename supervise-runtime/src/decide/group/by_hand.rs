//! The requests of a user to one child (S26): table 2d, and its effect on the group.

use super::*;
use crate::decide::child::{self, ByHand, Command, State};

impl Group {
    /// Decides the request and carries it out. The hooks of a restart get `failure`, with the cause `Requested`.
    pub(crate) fn by_hand(&mut self, id: Id, command: Command, failure: &Failure, now: Instant) -> ByHand {
        let state = self.state_of(id);
        // A group that goes down to its end is more than busy: no later attempt could succeed.
        if self.is_stopping() && state != State::Ended {
            return child::by_hand(State::Stopping, true, command);
        }
        if command == Command::Restart && self.starts_once(id) && !matches!(state, State::Stopping | State::Ended) {
            return ByHand::StartedOnce;
        }
        // The group may have ended since the caller looked, and a child whose task was dropped cannot start.
        let is_lost = self.get(id).is_some_and(|member| member.lost);
        if (self.is_ended() || is_lost) && command == Command::StartAgain && state == State::Ended {
            return ByHand::SupervisorEnded;
        }
        // A child that the build has not reached yet is queued for its start, ended or not.
        let moves = self.moves() || self.get(id).is_some_and(|member| !member.reached);
        let verdict = child::by_hand(state, moves, command);
        match verdict {
            ByHand::DownAlone | ByHand::StartNow | ByHand::StartOver => self.restart_member(id, failure, now),
            ByHand::FirstStart => self.start_member(id, now),
            ByHand::Drain => self.drain_member(id, now),
            ByHand::Stop
            | ByHand::NoStart
            | ByHand::End
            | ByHand::Nothing
            | ByHand::Busy
            | ByHand::NotEnded
            | ByHand::Stopping
            | ByHand::Ended
            | ByHand::StartedOnce
            | ByHand::SupervisorEnded => true,
        };
        verdict
    }

    /// Returns whether the child is an instance of a `Temporary` set, whose arguments were moved into its only start
    /// (S27).
    fn starts_once(&self, id: Id) -> bool {
        self.owner == Owner::Set && self.get(id).is_some_and(Member::is_temporary)
    }

    /// Returns the row of table 2d, as far as the group knows the child's state.
    fn state_of(&self, id: Id) -> State {
        let ending = self.get(id).is_some_and(|member| member.ending.is_some());
        match self.at(id) {
            At::Ended => State::Ended,
            At::Down if ending => State::Stopping,
            At::Down => State::GoingDown,
            At::Turn => State::Idle,
            At::Starting => State::Starting,
            At::Up => State::Running,
            At::Failed | At::StartFailed => State::Failed,
            At::Waiting => State::Waiting,
        }
    }

    /// Restarts the child alone, without counting against the budget; a failure of its start concerns only the child.
    /// Returns `false` if its group is going down or up, or the child is already going down.
    pub(crate) fn restart_member(&mut self, id: Id, failure: &Failure, now: Instant) -> bool {
        if self.moves() {
            return false;
        }
        let member = self.member(id);
        member.alone |= !matches!(member.at, At::Turn | At::Down | At::Ended);
        match member.at {
            At::Up | At::Failed | At::Starting => {
                member.delay = Duration::ZERO;
                self.send_down(id, failure.clone(), now);
            }
            // Nothing of the child is up: a decision that is due or kept finds it starting.
            At::StartFailed => {
                member.at = At::Turn;
                member.delay = Duration::ZERO;
                self.begin_or_keep(id, now);
            }
            At::Waiting => self.begin_or_keep(id, now),
            At::Turn | At::Down | At::Ended => return false,
        }
        true
    }

    /// Starts an ended child again, with a fresh budget and restart delay; a failure of that start concerns only the
    /// child. Returns `false` if its group is going down or up.
    pub(crate) fn start_member(&mut self, id: Id, now: Instant) -> bool {
        if self.moves() || self.is_stopping() {
            return false;
        }
        let member = self.member(id);
        if member.at != At::Ended {
            return false;
        }
        member.at = At::Turn;
        member.ending = None;
        member.by_hand = false;
        member.drains = false; // only for its own sake: a child that is stopping ignores an additional order to go down
        (member.alone, member.finished) = (true, false);
        member.was_up = false;
        member.budget = None;
        member.pace = Pace::default();
        self.living += 1;
        self.begin_or_keep(id, now);
        true
    }

    /// The supervisor itself was started again on request. That is a first start of all its children, also of those
    /// that a user had stopped (which a restart from above leaves stopped, S20).
    pub(crate) fn forget_stops(&mut self) {
        self.cause = None;
        for member in self.members.iter_mut().flatten() {
            member.by_hand = member.lost;
        }
    }

    /// Lets the child handle its queued messages, then end. Returns `false` if it is not up, or its group is going down
    /// or up.
    pub(crate) fn drain_member(&mut self, id: Id, now: Instant) -> bool {
        if self.moves() || self.at(id) != At::Up {
            return false;
        }
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        member.ending.get_or_insert(Ended::Stopped);
        member.by_hand = true;
        member.drains = true;
        self.effects.push(GroupEffect::Tell(id, Order::Drain));
        true
    }
}
