//! What the runtime uses of tokio, for the tests of interleavings: tasks and channels are those of
//! `shuttle-tokio`, every operation on them a point where another task may run; time is [`time`].

pub mod task;
pub mod time;

pub use task::spawn;

/// Channels. Only the one that carries events to subscribers is tokio's own: it makes no decision of
/// the runtime depend on the order of tasks, and `shuttle-tokio` has none.
pub mod sync {
    pub use real::sync::broadcast;
    pub use shuttle_tokio::sync::{Notify, mpsc, oneshot, watch};
}
