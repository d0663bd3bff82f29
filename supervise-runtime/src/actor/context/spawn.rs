//! Children at run time: how one is made, and the wait for its first start (S38).

use std::future::{Future, poll_fn};
use std::task::Poll;

use crate::actor::Actor;
use crate::actor::actor_ref::Cell;
use crate::actor::body::ActorBody;
use crate::actor::options::{ChildOptions, Reader};
use crate::engine::cell::Unbegun;
use crate::engine::cell::control::{AnyCell, CellCore, SystemMessage, Waiting, send};
use crate::engine::cell::life::{live, live_healing};
use crate::engine::mailbox::ActorCell;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown};
use supervise_core::values::spawn_error::SpawnError;

/// The default lifecycle of a child that is spawned at run time (S23).
pub(crate) fn transient<T>(options: ChildOptions<T>) -> ChildOptions<T> {
    match options.options.common.lifecycle {
        Some(_) => options,
        None => options.lifecycle(supervise_rules::Lifecycle::default_for(false, true).into()),
    }
}

/// Makes the cell of an actor, and its life. Runs no user code. `core`: makes the core, where it is to be.
pub(crate) fn make_actor<B, F, Fut>(
    core: impl FnOnce() -> CellCore,
    options: ChildOptions<B>,
    start: F,
) -> (Arc<Cell<B>>, Unbegun)
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, Thrown>> + Send + 'static,
{
    let common = options.options.common.clone();
    let cell = ActorCell::new(core, common.capacity(), common.ask_or_default(), common.while_down);
    let body = ActorBody::new(cell.clone(), Reader::new(options), start);
    let life = Unbegun::new(cell.clone(), || live(cell.clone(), common, body));
    (cell, life)
}

/// Makes the same for an actor whose first incarnation heals a failure that happened elsewhere.
pub(crate) fn make_actor_healing<B, F, Fut>(
    core: impl FnOnce() -> CellCore,
    options: ChildOptions<B>,
    start: F,
    healing: Option<Failure>,
) -> (Arc<Cell<B>>, Unbegun)
where
    B: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<B, Thrown>> + Send + 'static,
{
    let common = options.options.common.clone();
    let cell = ActorCell::new(core, common.capacity(), common.ask_or_default(), common.while_down);
    let body = ActorBody::new(cell.clone(), Reader::new(options), start);
    let life = Unbegun::new(cell.clone(), || live_healing(cell.clone(), common, body, healing));
    (cell, life)
}

/// The wait for the first start of a run-time child. If it is dropped before the child is up, the child is stopped.
pub(crate) struct Startup<D: Fn() -> bool> {
    cell: Arc<AnyCell>,
    over: bool,
    /// Returns whether the caller does without the wait.
    detached: D,
}

impl<D: Fn() -> bool> Startup<D> {
    pub(crate) fn unless(cell: Arc<AnyCell>, detached: D) -> impl Future<Output = Result<(), SpawnError>> {
        let mut startup = Startup { cell, over: false, detached };
        async move {
            let mut waiting = Waiting::default();
            let up = poll_fn(|cx| match startup.cell.core().poll_up(&mut waiting, cx.waker()) {
                Poll::Ready(up) => {
                    startup.over = true;
                    Poll::Ready(up)
                }
                // If the future is dropped meanwhile, the child is stopped, and its end wakes no task.
                Poll::Pending => Poll::Pending,
            })
            .await;
            started(&*startup.cell, up)
        }
    }
}

impl<D: Fn() -> bool> Drop for Startup<D> {
    fn drop(&mut self) {
        if !self.over && !(self.detached)() {
            send(&*self.cell, SystemMessage::Stop);
        }
    }
}

/// The result for a caller that waited for a first start.
pub(crate) fn started(cell: &AnyCell, up: Result<(), Ended>) -> Result<(), SpawnError> {
    let core = cell.core();
    let path = || core.parent.as_ref().map_or_else(String::new, |parent| parent.core().path());
    match up {
        Ok(()) => Ok(()),
        Err(Ended::Failed(failure) | Ended::Limit(failure)) => Err(SpawnError::Start(failure)),
        Err(Ended::RuntimeGone) => Err(SpawnError::Stopped { path: path() }),
        Err(Ended::Killed) => {
            Err(SpawnError::Start(Failure::new(Phase::Start, Cause::Killed, core.path(), core.incarnation())))
        }
        Err(_) => Err(SpawnError::Stopping { path: path() }),
    }
}
