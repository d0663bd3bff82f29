//! Actors outside of any tree (rule S39).
//!
//! Above a top-level actor there is no supervisor and no task, only a table with this one child in it: the
//! actor decides on its own failures by the guardian's strategy.

use std::future::Future;

use crate::actor::Actor;
use crate::actor::context::SpawnChild;
use crate::base::sync::{Arc, OnceLock};
use crate::decide::group::Owner;
use crate::engine::bus::Bus;
use crate::engine::cell::control::{Controlled, Ctl, Plain};
use crate::engine::supervisor::Sup;
use crate::values::failure::Thrown;
use crate::values::place::Name;
use crate::values::strategy::{Strategy, SupervisorStrategy};

/// How top-level actors are supervised; fixed by the first spawn.
static STRATEGY: OnceLock<SupervisorStrategy> = OnceLock::new();

/// The guardian's strategy is fixed: it was set before, or a top-level actor has been spawned.
///
/// ```
/// use supervise::{SupervisorStrategy, guardian};
///
/// guardian::set(SupervisorStrategy::STOPPING)?;
/// assert_eq!(guardian::set(SupervisorStrategy::STOPPING), Err(guardian::AlreadySet));
/// # Ok::<(), guardian::AlreadySet>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guardian's strategy is set once per process, before the first top-level actor is spawned")]
pub struct AlreadySet;

/// Says how top-level actors are supervised, in the whole process (S39). Default: 10 restarts in 1 minute,
/// and the default decider (S9).
///
/// Each top-level actor has a budget of its own, so of the strategy its restart limit and its decider count.
/// `Stop`, `Escalate` and a used up limit all end that actor and nothing else.
///
/// # Errors
///
/// When it was set before, or when a top-level actor has been spawned.
///
/// ```
/// use supervise::{SupervisorStrategy, guardian};
///
/// assert!(guardian::set(SupervisorStrategy::STOPPING).is_ok());
/// assert!(guardian::set(SupervisorStrategy::default()).is_err());
/// ```
pub fn set(strategy: SupervisorStrategy) -> Result<(), AlreadySet> {
    STRATEGY.set(SupervisorStrategy { strategy: Strategy::OneForOne, ..strategy }).map_err(|_| AlreadySet)
}

/// What stands above one top-level actor.
pub(crate) fn above() -> Arc<dyn Controlled> {
    let strategy = STRATEGY.get_or_init(SupervisorStrategy::default);
    let guardian = Plain::new(Ctl::new(Name::Guardian, None, Arc::new(Bus::new(rand::random()))));
    guardian.ctl().sup_or_init(|| Sup::new(Owner::Guardian, strategy));
    guardian
}

/// Spawns a top-level actor: one that belongs to no tree (S39). `start` is run for the first start and for
/// every restart. Settings are methods of what this returns; await it to spawn.
///
/// It decides on its own failures by the guardian's strategy ([`guardian::set`](set)). It lives until it is
/// stopped: dropping its handle stops nothing. Its path is its name, which need not be unique. An actor can
/// take it over as a child ([`Context::link`](crate::Context::link)).
///
/// # Errors
///
/// The awaited value is an error when the first start fails and is not retried.
///
/// # Cancel safety
///
/// Dropped before it is ready, the actor is taken back.
///
/// # Panics
///
/// When it is awaited outside of a tokio runtime, or in one without time (`enable_time`). Nothing has begun then.
///
/// ```
/// # use supervise::{Actor, Context, Ended, Lifecycle};
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
    Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
{
    SpawnChild::new(above(), name, start)
}
