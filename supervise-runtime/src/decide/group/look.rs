//! The view of a member from outside (S42).

use super::super::budget::Allowance;
use super::*;
use crate::contradiction::Outer;
use crate::values::kind::ChildKind;

/// One member, as it is now.
#[derive(Debug, Clone)]
pub(crate) struct MemberSeen {
    pub(crate) at: At,
    pub(crate) kind: Option<ChildKind>,
    pub(crate) lifecycle: Lifecycle,
    /// The range waits for this member's backoff.
    pub(crate) holds_up: bool,
    /// The member's supervisor, or an ancestor of it, has failed.
    pub(crate) held: bool,
    /// The member goes down because that was requested.
    pub(crate) leaving: bool,
    /// Spawned at run time, and starting for the first time.
    pub(crate) fresh: bool,
    /// The position in the order of declaration or spawning.
    pub(crate) order: u64,
    /// The length of the streak of restarts at this time, as far as the group knows.
    pub(crate) row: u32,
    /// The restarts that count against the budget of the member, or of its group.
    pub(crate) used: u32,
    pub(crate) allowance: Allowance,
}

/// The way in which a supervisor is about to end that was not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnEnd {
    Done,
    Failed,
}

impl Group {
    /// Returns the budget that all members of a group share; under `OneForOne` each member has its own.
    pub(crate) fn see_shared(&self, now: Instant) -> Option<(u32, Allowance)> {
        let allowance = self.is_group().then(|| self.group_allowance())?;
        Some((self.budget.used(&allowance, now), allowance))
    }

    /// Returns `None` if the member is forgotten, or is a kept value. `shared`: the result of [`Group::see_shared`],
    /// which looks at all members.
    pub(crate) fn see(&self, id: Id, shared: Option<(u32, Allowance)>, now: Instant) -> Option<MemberSeen> {
        let member = self.get(id).filter(|member| !member.is_value())?;
        let (used, allowance) = shared.unwrap_or_else(|| {
            let allowance = self.allowance_of(id);
            (member.budget.as_ref().map_or(0, |budget| budget.used(&allowance, now)), allowance)
        });
        Some(MemberSeen {
            at: member.at,
            kind: member.settings.kind,
            lifecycle: member.settings.lifecycle,
            holds_up: self.wait == Some(id) && member.at == At::Turn && self.mode == Mode::Up,
            held: self.held && member.settings.kind != Some(ChildKind::Task),
            leaving: member.ending.as_ref().is_some_and(Ended::is_orderly),
            fresh: member.dynamic && !member.was_up && matches!(member.at, At::Turn | At::Starting),
            order: if self.owner == Owner::Tree { u64::from(id) } else { member.order },
            row: member.pace.row_at(now),
            used,
            allowance,
        })
    }

    /// Returns whether the group is about to end by itself, and how.
    pub(crate) fn own_end(&self) -> Option<OwnEnd> {
        let failed = self.first_failure.is_some();
        self.ends_by_itself().then_some(if failed { OwnEnd::Failed } else { OwnEnd::Done })
    }

    /// Returns the settings about restarts.
    pub(crate) fn outer(&self) -> Outer {
        Outer { strategy: self.strategy, limit: self.limit }
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    /// Which members restart together.
    pub(crate) fn strategy(&self) -> Strategy {
        self.strategy
    }
}
