//! What is seen of a member from outside (S42).

use super::super::budget::Allowance;
use super::*;
use crate::validate::SupervisorLimits;

/// One member, as it is now.
#[derive(Debug, Clone)]
pub(crate) struct MemberSeen {
    pub(crate) at: At,
    pub(crate) role: Role,
    pub(crate) lifecycle: Lifecycle,
    /// The range waits for its backoff.
    pub(crate) holds_up: bool,
    /// Its supervisor's supervisor has failed, or its own supervisor.
    pub(crate) held: bool,
    /// It goes down because someone asked for it.
    pub(crate) leaving: bool,
    /// Spawned at run time, and on its way up for the first time.
    pub(crate) fresh: bool,
    /// In the order of declaration or spawning.
    pub(crate) order: u64,
    /// Restarts in a row up to now, as far as the group knows.
    pub(crate) row: u32,
    /// Restarts that its budget, or its group's, remembers.
    pub(crate) used: u32,
    pub(crate) allowance: Allowance,
}

/// How a supervisor that nobody has stopped is about to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnEnd {
    Done,
    Failed,
}

impl Group {
    /// The budget that all members of a group share; under OneForOne each has its own.
    pub(crate) fn see_shared(&self, now: Instant) -> Option<(u32, Allowance)> {
        let allowance = self.is_group().then(|| self.group_allowance())?;
        Some((self.budget.used(&allowance, now), allowance))
    }

    /// `None` if it is forgotten, or a kept value. `shared`: of [`Group::see_shared`], which looks at all members.
    pub(crate) fn see(&self, id: Id, shared: Option<(u32, Allowance)>, now: Instant) -> Option<MemberSeen> {
        let member = self.get(id).filter(|member| !member.is_value())?;
        let (used, allowance) = shared.unwrap_or_else(|| {
            let allowance = self.allowance_of(id);
            (member.budget.as_ref().map_or(0, |budget| budget.used(&allowance, now)), allowance)
        });
        Some(MemberSeen {
            at: member.at,
            role: member.settings.role,
            lifecycle: member.settings.lifecycle,
            holds_up: self.wait == Some(id) && member.at == At::Turn && self.mode == Mode::Up,
            held: self.held && member.settings.role != Role::Task,
            leaving: member.ending.as_ref().is_some_and(Ended::is_orderly),
            fresh: member.dynamic && !member.was_up && matches!(member.at, At::Turn | At::Starting),
            order: if self.owner == Owner::Tree { u64::from(id) } else { member.order },
            row: member.pace.row_at(now),
            used,
            allowance,
        })
    }

    /// Whether it is about to end by itself, and how.
    pub(crate) fn own_end(&self) -> Option<OwnEnd> {
        let failed = self.first_failure.is_some();
        self.ends_by_itself().then_some(if failed { OwnEnd::Failed } else { OwnEnd::Done })
    }

    /// What it says about restarts.
    pub(crate) fn limits(&self) -> SupervisorLimits {
        SupervisorLimits { strategy: self.strategy, limit: self.limit }
    }

    /// Whose children these are, and whom a restart takes along.
    pub(crate) fn kind(&self) -> (Owner, Strategy) {
        (self.owner, self.strategy)
    }
}
