//! Declarative supervision trees for tokio.
//!
//! Declare the parts of a service in [`supervisor!`]; the compiler checks the tree and makes typed spawn
//! and restart code of it; a small runtime carries out what is declared.

pub use supervise_macros::{
    Actor, actor, decider, post_restart, post_stop, pre_restart, pre_start, strategy, supervision, supervisor,
    terminated,
};
pub use supervise_runtime::*;

#[doc(hidden)]
pub use supervise_runtime::__private;

/// Everything that a file with a tree in it needs.
pub mod prelude {
    pub use crate::{
        Actor, ActorRef, Cause, Children, Context, Decider, Directive, Ended, ExponentialBackoff, Failure, Handle,
        Lifecycle, Phase, Reply, Running, SlottedBackoff, Strategy, SupervisorStrategy, TaskContext, TaskRef, Tree,
        TreeRef, Watched, Watcher, actor, decider, post_restart, post_stop, pre_restart, pre_start, strategy,
        supervision, supervisor, terminated,
    };
}
