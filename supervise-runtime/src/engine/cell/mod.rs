//! The cell: the part of a child that stays over all its incarnations, and the loop that runs it.
//!
//! * [`control`]: the cell, and its part without type parameters: its path, its control queue, its end;
//! * [`current`]: the cell whose user code runs on this thread;
//! * [`life`]: the task of a cell, step after step;
//! * [`driver`]: one poll function around one user future; takes orders and carries out effects;
//! * [`gated`]: the gate in front of a task;
//! * [`body`]: the differences between actors, tasks and trees.
//!
//! `decide` makes the decisions, and this module carries them out. No other module starts, restarts or ends a child.

use std::fmt;
use std::future::Future;

use tokio::runtime::Handle;

use crate::engine::bus::extension::Wants;
use control::AnyCell;
use gated::Gated;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::{Arc, foreign};

pub(crate) mod body;
pub(crate) mod control;
pub(crate) mod current;
pub(crate) mod driver;
mod gated;
pub(crate) mod life;
pub(crate) mod shared_wait;
pub(crate) mod stop_signal;
pub(in crate::engine) mod waitlist;

/// The life of a cell that has no task yet: the cell exists, can be added to a group, and accepts every request.
///
/// A life begins without a lock. A runtime that is closing accepts no task any more and drops the future immediately;
/// outside of a runtime the spawn panics, which drops the future too. In both cases the drop notifies the cell's
/// supervisor.
#[must_use = "nothing of a cell happens before its life is begun"]
pub(crate) struct Unbegun {
    cell: Arc<AnyCell>,
    /// Boxed once, and not stored in tokio's task: tokio moves a future several times until it is spawned and once it
    /// has ended. All tasks have this one type, so the code around them exists once, and is warm.
    life: BoxFuture<'static, ()>,
    runtime: Option<Handle>,
}

impl Unbegun {
    /// `live` makes the life, once there is room for it: a life that is made elsewhere is copied to its box.
    #[inline(always)]
    pub(crate) fn new<F>(cell: Arc<AnyCell>, live: impl FnOnce() -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let life = Box::into_pin(Box::write(Box::new_uninit(), live()));
        Unbegun { cell, life, runtime: None }
    }

    /// Lets the life run on this runtime; `None`: on that of the code that begins it.
    pub(crate) fn on(self, runtime: Option<Handle>) -> Self {
        Unbegun { runtime, ..self }
    }

    /// Spawns the task of the cell, for all its incarnations. With `--cfg tokio_unstable` the task is named by its path
    /// (S41).
    pub(crate) fn begin(self) {
        foreign();
        let Unbegun { cell, life, runtime } = self;
        let life = match cell.core().bus.extensions.attached_want(Wants::TASKS) {
            true => Box::pin(Gated::new(cell.clone(), life)),
            false => life,
        };
        let _entered = runtime.as_ref().map(Handle::enter);
        #[cfg(tokio_unstable)]
        {
            let task = tokio::task::Builder::new().name(&cell.core().path()).spawn(life);
            task.unwrap_or_else(|error| panic!("tokio does not spawn: {error}"));
        }
        #[cfg(not(tokio_unstable))]
        {
            let _ = cell;
            tokio::spawn(life);
        }
    }
}

impl fmt::Debug for Unbegun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unbegun")
    }
}

/// To be called before anything is begun. Otherwise a missing timer would be found later: in the middle of a life, in a
/// separate task.
///
/// # Panics
///
/// Panics outside of a tokio runtime, and in one that was built without `enable_time`.
#[track_caller]
pub fn require_time() {
    drop(tokio::time::sleep(std::time::Duration::ZERO)); // tokio has no other way to check this
}
