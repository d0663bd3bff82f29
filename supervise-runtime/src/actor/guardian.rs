//! Actors outside of any tree (rule S39).
//!
//! A top-level actor has no supervisor task above it, only a group with this one member: the actor decides on its own
//! failures by the guardian's strategy.

use std::future::Future;

use crate::actor::Actor;
use crate::actor::context::SpawnChild;
use crate::base::sync::{Arc, OnceLock};
use crate::decide::group::Owner;
use crate::engine::bus::TreeShared;
use crate::engine::cell::control::{AnyCell, BareCell, CellCore};
use crate::engine::supervisor::ChildTable;
use crate::values::failure::UserError;
use crate::values::place::Name;
use crate::values::strategy::{Strategy, SupervisorStrategy};

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
pub(crate) fn above() -> Arc<dyn AnyCell> {
    let strategy = STRATEGY.get_or_init(SupervisorStrategy::default);
    let guardian = BareCell::new(CellCore::new(Name::Guardian, None, Arc::new(TreeShared::new(rand::random()))));
    guardian.core().table_or_init(|| ChildTable::new(Owner::Guardian, strategy));
    guardian
}

/// Spawns a top-level actor: an actor that belongs to no tree.
///
/// `start` is called for the first start and for every restart. The returned value has a method for each setting; await
/// it to spawn the actor.
///
/// The actor decides on its own failures by the guardian's strategy ([`guardian::set`](set)). It lives until it is
/// stopped: dropping its handle stops nothing. Its path is its name, which need not be unique. An actor can take it
/// over as a child with [`Context::link`](crate::Context::link) (S39).
///
/// # Errors
///
/// Awaiting returns an error if the first start fails and is not retried; see [`SpawnError`](crate::error::SpawnError)
/// for all errors.
///
/// # Cancel safety
///
/// If the future is dropped before it is ready, the actor is stopped.
///
/// # Panics
///
/// Panics if it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
///
/// ```
/// # use supervise::{Actor, Context, Ended};
/// # use supervise::policy::Lifecycle;
/// # struct Logger;
/// # impl Actor for Logger { type Msg = String; type Error = std::convert::Infallible;
/// #   async fn receive(&mut self, _: String, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let logger = supervise::spawn("logger", || async { Ok(Logger) }).lifecycle(Lifecycle::Permanent).await?;
/// logger.tell("hello".into()).await?;
/// logger.stop();
/// assert!(matches!(logger.terminated().await?, Ended::Stopped));
/// # Ok(())
/// # }
/// ```
pub fn spawn<A, F, Fut>(name: &str, start: F) -> SpawnChild<A, F>
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, UserError>> + Send + 'static,
{
    SpawnChild::new(above(), name, start)
}
