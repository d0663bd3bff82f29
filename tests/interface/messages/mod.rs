//! Mailboxes, messages and timers.

mod ask_time;
mod bounded;
mod calls;
mod control;
mod fairness;
mod follow;
mod fresh;
mod handler_time;
mod mailbox_and_handle;
mod nothing_is_lost;
mod redelivery;
mod tell_and_ask;
mod timers_and_futures;
mod while_down;
mod while_down_reject;
