//! The view of a member from outside (S42).

use tokio::time::Instant;

use crate::decide::budget::{Allowance, Budget};
use crate::decide::member::MemberState;
use crate::values::kind::ChildKind;
use crate::values::outage::Outage;
use crate::values::strategy::Lifecycle;

/// One member, as it is now.
#[derive(Debug, Clone)]
pub struct MemberView {
    pub at: MemberState,
    pub kind: Option<ChildKind>,
    pub lifecycle: Lifecycle,
    /// The range waits for this member's backoff.
    pub holds_up: bool,
    /// The member's supervisor, or an ancestor of it, has failed.
    pub suspended: bool,
    /// The member goes down because that was requested.
    pub leaving: bool,
    /// Spawned at run time, and starting for the first time, at the first attempt.
    pub fresh: bool,
    /// The position in the order of declaration or spawning.
    pub order: u64,
    /// The length of the streak of restarts at this time, as far as the group knows.
    pub streak: u32,
    /// The budget of the member, or of its group.
    pub budget: BudgetView,
    /// Whether all members share the budget.
    pub shared: bool,
    /// The outage of this member that uses the budget up.
    pub outage: Outage,
    /// The time when the present incarnation went up, if it was up.
    pub up: Option<Instant>,
}

/// A budget, as it is now.
#[derive(Debug, Clone, Copy)]
pub struct BudgetView {
    pub used: u32,
    /// The time from which on none of them counts any more.
    pub restored: Option<Instant>,
    pub allowance: Allowance,
}

impl BudgetView {
    pub(super) fn of(budget: Option<&Budget>, allowance: Allowance, now: Instant) -> Self {
        let used = budget.map_or(0, |budget| budget.used(&allowance, now));
        BudgetView { used, restored: budget.and_then(|budget| budget.restored(&allowance, now)), allowance }
    }
}

/// The way in which a supervisor is about to end that was not stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnEnd {
    Done,
    Failed,
}
