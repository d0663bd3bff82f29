//! The parts of tokio that the runtime uses, for the tests of interleavings: tasks and channels are those of
//! `shuttle-tokio`, and every operation on them is a point where another task may run; time is [`time`].

pub mod runtime;
pub mod task;
pub mod time;

/// Each use in the runtime is `biased`, so that only the schedule decides.
pub use real::{pin, select};
pub use task::spawn;

/// Channels. Only the channel that carries events to subscribers is tokio's own: no decision of the runtime depends on
/// its order of tasks, and `shuttle-tokio` does not have this kind of channel.
pub mod sync {
    pub use real::sync::broadcast;
    pub use shuttle_tokio::sync::{Notify, Semaphore, mpsc, oneshot, watch};
}
