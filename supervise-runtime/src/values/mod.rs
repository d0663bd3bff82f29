//! The first floor: plain values, without any code that runs tasks.

pub(crate) mod asked;
pub(crate) mod backoff;
pub(crate) mod declaration;
pub(crate) mod ended;
pub(crate) mod event;
pub(crate) mod facts;
pub(crate) mod failure;
pub(crate) mod far_error;
pub(crate) mod fence;
pub(crate) mod hooks;
pub(crate) mod invalid_settings;
pub(crate) mod kind;
pub(crate) mod lease;
pub(crate) mod link_error;
pub(crate) mod mailbox_depth;
pub(crate) mod network;
pub(crate) mod observe;
pub(crate) mod operation;
pub(crate) mod outage;
pub mod path;
pub(crate) mod place;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod spawn_error;
pub(crate) mod stop_reason;
pub(crate) mod strategy;
