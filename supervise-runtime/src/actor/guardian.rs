//! The guardian above children outside of any tree (rule S39).
//!
//! A top-level child has no supervisor task above it, only a group with this one member: the child decides on its own
//! failures by the guardian's strategy.

use crate::engine::bus::TreeShared;
use crate::engine::bus::extension::Standing;
use crate::engine::cell::control::{AnyCell, BareCell, CellCore};
use crate::engine::supervisor::ChildTable;
use supervise_core::base::sync::{Arc, OnceLock};
use supervise_core::decide::group::Owner;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::place::Name;
use supervise_core::values::strategy::Strategy;

/// The strategy for top-level actors; fixed by the first spawn.
static STRATEGY: OnceLock<SupervisorStrategy> = OnceLock::new();

/// The error of [`set`]: the strategy was set before, or a top-level actor has already been spawned.
///
/// ```
/// use supervise::guardian;
/// use supervise::policy::SupervisorStrategy;
///
/// guardian::set(SupervisorStrategy::STOPPING)?;
/// assert_eq!(guardian::set(SupervisorStrategy::STOPPING), Err(guardian::AlreadySet));
/// # Ok::<(), guardian::AlreadySet>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guardian's strategy is already fixed; set it once, before the first top-level actor is spawned")]
pub struct AlreadySet;

/// Sets the strategy for all top-level actors of the process. Default: 10 restarts in 1 minute, and the default
/// decider.
///
/// Each top-level actor has its own budget, so only the restart limit and the decider of the strategy count. `Stop`,
/// `Escalate` and a used-up limit all end that actor and nothing else (S9, S39).
///
/// # Errors
///
/// Returns an error if the strategy was set before, or if a top-level actor has already been spawned.
///
/// ```
/// use supervise::guardian;
/// use supervise::policy::SupervisorStrategy;
///
/// assert!(guardian::set(SupervisorStrategy::STOPPING).is_ok());
/// assert!(guardian::set(SupervisorStrategy::default()).is_err());
/// ```
pub fn set(strategy: SupervisorStrategy) -> Result<(), AlreadySet> {
    STRATEGY.set(SupervisorStrategy { strategy: Strategy::OneForOne, ..strategy }).map_err(|_| AlreadySet)
}

/// Makes the supervisor of one top-level actor.
pub(crate) fn above(standing: Standing) -> Arc<AnyCell> {
    let strategy = STRATEGY.get_or_init(SupervisorStrategy::default);
    let tree = Arc::new(TreeShared::new(rand::random(), standing));
    let guardian = BareCell::new(CellCore::new(Name::GUARDIAN, None, tree));
    guardian.core().table_or_init(|| ChildTable::new(Owner::Guardian, strategy));
    guardian
}
