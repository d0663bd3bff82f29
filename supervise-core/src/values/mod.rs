//! The first floor: plain values, without any code that runs tasks.

#[doc(hidden)]
pub mod asked;
pub mod backoff;
pub mod decider;
pub mod declaration;
pub mod ended;
pub mod event;
#[doc(hidden)]
pub mod facts;
pub mod failure;
pub mod far_error;
pub mod fence;
pub mod hooks;
pub mod invalid_settings;
pub mod kind;
pub mod lease;
pub mod link_error;
pub mod mailbox_depth;
pub mod network;
pub mod observe;
pub mod operation;
pub mod outage;
pub mod path;
#[doc(hidden)]
pub mod place;
pub mod report;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod serialize;
pub mod spawn_error;
pub mod stop_reason;
pub mod strategy;
