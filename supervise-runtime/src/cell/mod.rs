//! The cell: what stays of a child over all its incarnations, and the loop that runs it.
//!
//! * [`control`]: the part of a cell that needs no types: its place, its queue of control, its end;
//! * [`current`]: which cell's user code runs on this thread;
//! * [`driver`]: one poll function around one user future, control served beside it;
//! * [`run`]: the life of a cell, incarnation after incarnation;
//! * [`body`]: what differs between actors, tasks and trees.
//!
//! `decide` says what to do, this module does it. Nothing else starts, restarts or ends a child.

pub(crate) mod actor_body;
pub(crate) mod again;
pub(crate) mod body;
pub(crate) mod control;
pub(crate) mod current;
pub(crate) mod driver;
pub(crate) mod run;
pub(crate) mod task_body;
pub(crate) mod tree_body;

/// The task of a cell, for all its incarnations. With `--cfg tokio_unstable` it is called by its path (S41).
#[track_caller]
pub(crate) fn begin(cell: &dyn control::Controlled, life: impl Future<Output = ()> + Send + 'static) {
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
