//! The cell: the part of a child that stays over all its incarnations, and the loop that runs it.
//!
//! * [`control`]: the part of a cell without type parameters: its path, its control queue, its end;
//! * [`current`]: the cell whose user code runs on this thread;
//! * [`life`]: the task of a cell, step after step;
//! * [`driver`]: one poll function around one user future; takes orders and carries out effects;
//! * [`body`]: the differences between actors, tasks and trees.
//!
//! `decide` makes the decisions, and this module carries them out. No other module starts, restarts or ends a child.

use std::fmt;

use tokio::runtime::Handle;

use crate::base::sync::{Arc, foreign};

pub(crate) mod body;
pub(crate) mod control;
pub(crate) mod current;
pub(crate) mod driver;
pub(crate) mod life;
pub(crate) mod start_wait;
pub(crate) mod stop_signal;
mod waitlist;

/// The life of a cell that has no task yet: the cell exists, can be added to a group, and accepts every request.
///
/// A life begins without a lock. A runtime that is closing accepts no task any more and drops the future immediately;
/// outside of a runtime the spawn panics, which drops the future too. In both cases the drop notifies the cell's
/// supervisor.
#[must_use = "nothing of a cell happens before its life is begun"]
pub(crate) struct Unbegun {
    begin: Box<dyn FnOnce(Option<Handle>) + Send>,
    runtime: Option<Handle>,
}

impl Unbegun {
    pub(crate) fn new<C: control::AnyCell>(cell: &Arc<C>, life: impl Future<Output = ()> + Send + 'static) -> Self {
        let cell = cell.clone();
        // Boxed only until then: the spawned future has its own type.
        Unbegun { begin: Box::new(move |runtime| begin(&*cell, life, runtime)), runtime: None }
    }

    /// Lets the life run on this runtime; `None`: on that of the code that begins it.
    pub(crate) fn on(self, runtime: Option<Handle>) -> Self {
        Unbegun { runtime, ..self }
    }

    pub(crate) fn begin(self) {
        (self.begin)(self.runtime);
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
pub(crate) fn require_time() {
    drop(tokio::time::sleep(std::time::Duration::ZERO)); // tokio has no other way to check this
}

/// Spawns the task of a cell, for all its incarnations. With `--cfg tokio_unstable` the task is named by its path
/// (S41).
fn begin(cell: &dyn control::AnyCell, life: impl Future<Output = ()> + Send + 'static, runtime: Option<Handle>) {
    foreign();
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
