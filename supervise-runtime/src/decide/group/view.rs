//! The view of a member from outside (S42).

use crate::decide::budget::Allowance;
use crate::decide::member::MemberState;
use crate::values::kind::ChildKind;
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
    /// Spawned at run time, and starting for the first time.
    pub(crate) fresh: bool,
    /// The position in the order of declaration or spawning.
    pub(crate) order: u64,
    /// The length of the streak of restarts at this time, as far as the group knows.
    pub(crate) streak: u32,
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
