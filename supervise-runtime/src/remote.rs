//! The parts of the runtime that a crate for remote children needs. Not for users: they change with that crate, whose
//! version is locked to that of this one.

use crate::Reply;
use crate::actor::actor_ref;

pub use crate::actor::actor_ref::Answer;
#[cfg(feature = "remote")]
pub use crate::actor::crossing::codec;
#[cfg(feature = "remote")]
pub use crate::actor::crossing::{
    Answering, Context, OnReply, Read, ReplyBytes, Written, context, decode, encode, is_crossing,
};
pub use crate::actor::host::{
    Host, abort, ask_time, at_close, dead_letter, deliver, emit, ends_by_itself, events, failure, healing, host,
    in_hand, is_leased_part, leave, network, release, root, root_of, says, set_node, set_wait, set_window, tell_error,
};
pub use crate::actor::name_of;
pub use supervise_core::values::fence::Fence;
pub use supervise_core::values::network::{
    Held, NetworkView, RefusedNode, RemoteNode, RoleWait, TreeNetwork, TreeRoot, TreeRun,
};

/// Makes both ends of an ask.
pub fn reply<T>() -> (Reply<T>, Answer<T>) {
    actor_ref::reply()
}
