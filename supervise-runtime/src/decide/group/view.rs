//! The view of a member from outside (S42).

use tokio::time::Instant;

use crate::decide::budget::{Allowance, Budget};
use crate::decide::member::MemberState;
use crate::values::kind::ChildKind;
use crate::values::outage::Outage;
use crate::values::strategy::Lifecycle;

/// One member, as it is now.
#[derive(Debug, Clone)]
pub(crate) struct MemberView {
    pub(crate) at: MemberState,
    pub(crate) kind: Option<ChildKind>,
    pub(crate) lifecycle: Lifecycle,
    /// The range waits for this member's backoff.
    pub(crate) holds_up: bool,
    /// The member's supervisor, or an ancestor of it, has failed.
    pub(crate) suspended: bool,
    /// The member goes down because that was requested.
    pub(crate) leaving: bool,
    /// Spawned at run time, and starting for the first time, at the first attempt.
    pub(crate) fresh: bool,
    /// The position in the order of declaration or spawning.
    pub(crate) order: u64,
    /// The length of the streak of restarts at this time, as far as the group knows.
    pub(crate) streak: u32,
    /// The budget of the member, or of its group.
    pub(crate) budget: BudgetView,
    /// Whether all members share the budget.
    pub(crate) shared: bool,
    /// The outage of this member that uses the budget up.
    pub(crate) outage: Outage,
    /// The time when the present incarnation went up, if it was up.
    pub(crate) up: Option<Instant>,
}

/// A budget, as it is now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BudgetView {
    pub(crate) used: u32,
    /// The time from which on none of them counts any more.
    pub(crate) restored: Option<Instant>,
    pub(crate) allowance: Allowance,
}

impl BudgetView {
    pub(super) fn of(budget: Option<&Budget>, allowance: Allowance, now: Instant) -> Self {
        let used = budget.map_or(0, |budget| budget.used(&allowance, now));
        BudgetView { used, restored: budget.and_then(|budget| budget.restored(&allowance, now)), allowance }
    }
}

/// The way in which a supervisor is about to end that was not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnEnd {
    Done,
    Failed,
}
