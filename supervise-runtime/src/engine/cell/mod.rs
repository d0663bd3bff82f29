//! The cell: what stays of a child over all its incarnations, and the loop that runs it.
//!
//! * [`control`]: the part of a cell that needs no types: its place, its queue of control, its end;
//! * [`current`]: which cell's user code runs on this thread;
//! * [`life`]: the task of a cell, step after step;
//! * [`driver`]: one poll function around one user future; orders in, effects out;
//! * [`body`]: what differs between actors, tasks and trees.
//!
//! `decide` says what to do, this module does it. Nothing else starts, restarts or ends a child.

use std::fmt;

use crate::base::sync::{Arc, foreign};

pub(crate) mod body;
pub(crate) mod control;
pub(crate) mod current;
pub(crate) mod driver;
pub(crate) mod life;
pub(crate) mod stop_signal;
mod waitlist;

/// The life of a cell that has no task yet: the cell is there, can be put into its place, and be asked for anything.
///
/// A life begins when no lock is held. A runtime that is closing takes no task any more, but drops its future there and
/// then, and outside of a runtime the spawn panics, which drops it as well: either tells the cell's supervisor of its end.
#[must_use = "nothing of a cell happens before its life is begun"]
pub(crate) struct Unbegun(Box<dyn FnOnce() + Send>);

impl Unbegun {
    pub(crate) fn new<C: control::Controlled>(cell: &Arc<C>, life: impl Future<Output = ()> + Send + 'static) -> Self {
        let cell = cell.clone();
        // Boxed for the moment only: it is spawned as what it is.
        Unbegun(Box::new(move || begin(&*cell, life)))
    }

    pub(crate) fn begin(self) {
        (self.0)();
    }
}

impl fmt::Debug for Unbegun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unbegun")
    }
}

/// To be called before anything is begun. What waits in a runtime without time would find out only there: in the
/// middle of a life, in a task of its own.
///
/// # Panics
///
/// Outside of a tokio runtime, and in one that was built without `enable_time`.
#[track_caller]
pub(crate) fn require_time() {
    drop(tokio::time::sleep(std::time::Duration::ZERO)); // tokio has no other way to ask
}

/// The task of a cell, for all its incarnations. With `--cfg tokio_unstable` it is called by its path (S41).
fn begin(cell: &dyn control::Controlled, life: impl Future<Output = ()> + Send + 'static) {
    foreign();
    #[cfg(tokio_unstable)]
    {
        let task = tokio::task::Builder::new().name(&cell.ctl().path()).spawn(life);
        task.unwrap_or_else(|error| panic!("tokio does not spawn: {error}"));
    }
    #[cfg(not(tokio_unstable))]
    {
        let _ = cell;
        tokio::spawn(life);
    }
}
