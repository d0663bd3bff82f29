//! A child as its supervisor sees it: with fewer states than its own, but with its budget and its restart delays.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::budget::Allowance;
use super::delay::RestartDelay;
use crate::values::backoff::Backoff;
use crate::values::ended::{Ended, EndedKind};
use crate::values::kind::ChildKind;
use crate::values::outage::{Outage, delays};
use crate::values::strategy::{Lifecycle, RestartLimit};

/// The state of a member. The letters are those of the model of the group rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberState {
    /// O: down, queued for its start.
    Queued,
    /// S: starting.
    Starting,
    /// R: up.
    Up,
    /// F: failed, with an instance; undecided or kept.
    Failed,
    /// N: failed, without an instance; undecided or kept. Also a kept end that is followed by a restart.
    FailedStart,
    /// D: going down.
    GoingDown,
    /// W: down, and backing off.
    BackingOff,
    /// E: ended.
    Ended,
}

/// The settings that decisions depend on, shared by all instances of a set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// None: a kept value. It goes down in its place, and needs no start.
    pub kind: Option<ChildKind>,
    pub lifecycle: Lifecycle,
    pub backoff: Option<Backoff>,
    /// The delay of restarts where no backoff is declared.
    pub pace: Option<Backoff>,
    pub limit: RestartLimit,
    /// The time after which the watchdog checks the child; `None`: as long as it takes.
    pub shutdown: Option<Duration>,
    /// A stop lets the child handle its queued messages (S24).
    pub drain: bool,
    /// The supervisor ends when this child ends by itself (S22).
    pub significant: bool,
    /// The child may be absent (S28).
    pub optional: bool,
    /// The first start goes on without the child (S21).
    pub best_effort: bool,
}

impl Settings {
    /// Makes the settings of a member.
    pub fn new(kind: ChildKind, lifecycle: Lifecycle, backoff: Option<Backoff>, limit: RestartLimit) -> Self {
        Settings {
            kind: Some(kind),
            lifecycle,
            backoff,
            pace: None,
            limit,
            shutdown: None,
            drain: false,
            significant: false,
            optional: false,
            best_effort: false,
        }
    }

    /// Settings of a kept value.
    pub fn value() -> Self {
        Settings { kind: None, ..Settings::new(ChildKind::Actor, Lifecycle::Permanent, None, RestartLimit::new()) }
    }

    /// The delay that holds for the restarts of the child.
    pub fn delay(&self) -> Option<&Backoff> {
        self.backoff.as_ref().or(self.pace.as_ref())
    }

    /// The outage of the child that uses this allowance up.
    pub fn outage(&self, allowance: &Allowance) -> Outage {
        let delays = delays(self.delay(), self.kind != Some(ChildKind::Task));
        supervise_rules::Outage::of(&delays, allowance.max_restarts(), allowance.within).into()
    }

    /// Whether this is a child, and declares no backoff.
    pub fn lacks_backoff(&self) -> bool {
        self.kind.is_some() && self.backoff.is_none()
    }

    /// Only supervises: a tree or a set.
    pub fn only_supervises(&self) -> bool {
        self.kind.is_some_and(ChildKind::only_supervises)
    }
}

/// One member of a group.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct Member {
    pub at: MemberState,
    pub settings: Arc<Settings>,
    pub restart_delay: RestartDelay,
    /// The position in the order of declaration or spawning. Slots are reused, order numbers are not.
    pub order: u64,
    /// The member ends with this reason as soon as it is down, and is not started before that.
    pub ending: Option<Ended>,
    /// The member was stopped from outside: not even a restart from above starts it again (S20).
    pub on_request: bool,
    /// The task of the member was dropped: nothing can start it again.
    pub lost: bool,
    /// The member handles its queued messages before it goes down.
    pub drains: bool,
    /// The member is significant and ends by itself: its supervisor ends with it (S22).
    pub significant_end: bool,
    /// The member has begun to end by itself, and is not down yet: `cx.stop()`, a task that has returned, a tree whose
    /// children go down for its end (S23).
    pub leaving: bool,
    /// True if the member has ended by itself: a restart of its group starts it again (S17).
    pub finished: bool,
    /// The start was requested by a user, or happens at run time: until the member is up or has ended, a failure
    /// concerns only this member (S26, S38).
    pub alone: bool,
    /// A user asked for the next start, which waits for no place among those that start (S27).
    pub at_once: bool,
    /// The member counts among those that start.
    pub has_place: bool,
    /// The member was up once: its next start is a restart.
    pub was_up: bool,
    /// The member was up at any time, also before a user started it again: whoever waits for its handle has it.
    pub has_handle: bool,
    /// The build has reached the member in this incarnation of the supervisor.
    pub reached: bool,
    /// The first start has gone on to later members: this one was up, or is backing off (S21).
    pub passed: bool,
    /// The walk that takes the range down waits for this member.
    pub in_walk: bool,
    /// The backoff is over, but something else delays the start.
    pub due: bool,
    /// Nothing of the failed instance can go on, since it was elsewhere: Resume means Restart (S8).
    pub spent: bool,
    /// Named by `cx.keep`: survives the restart of its parent.
    pub kept: bool,
    /// Spawned at run time: forgotten once it has ended.
    pub dynamic: bool,
    /// The time when the member was asked to go down, for the watchdog.
    pub down_since: Option<Instant>,
}

impl Member {
    pub fn is_value(&self) -> bool {
        self.settings.kind.is_none()
    }

    pub fn is_temporary(&self) -> bool {
        self.settings.lifecycle == Lifecycle::Temporary
    }

    /// Returns whether the handle of the member is still missing: that of a subtree or an optional child exists only once
    /// the child was up (S21).
    pub fn has_late_handle(&self) -> bool {
        !self.has_handle && (self.settings.only_supervises() || self.settings.optional)
    }

    /// Returns whether an end by itself is followed by a restart (S23). A subtree that has ended stays ended (S28).
    pub fn restarts_at_its_end(&self) -> bool {
        self.settings.lifecycle == Lifecycle::Permanent && !self.settings.only_supervises()
    }

    /// Returns whether the member, which is up, ends by itself and stays ended.
    pub fn leaves(&self) -> bool {
        self.leaving && self.at == MemberState::Up && !self.restarts_at_its_end()
    }

    /// Sets and returns the end of a member that is asked to end: the first reason stays, and so does an end by itself
    /// that is under way.
    pub fn asked_to_end(&mut self) -> Ended {
        let why = if self.leaves() { Ended::Done } else { Ended::Stopped };
        self.ending.get_or_insert(why).clone()
    }

    /// Returns whether the member was asked to end while it ended by itself.
    pub fn was_leaving(&self) -> bool {
        self.leaving && self.ending.as_ref().is_some_and(|ending| ending.kind() == EndedKind::Done)
    }

    /// Returns whether the member ends by itself, asked to or not, and its supervisor with it (S22).
    pub fn quits(&self) -> bool {
        let ends = self.leaves() || self.was_leaving() && self.at != MemberState::Ended;
        self.settings.significant && ends
    }

    /// Returns whether the member may be started now, as far as its own state is concerned.
    pub fn wants_start(&self) -> bool {
        self.at == MemberState::Queued && self.reached && self.ending.is_none()
    }
}
