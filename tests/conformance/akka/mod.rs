//! Scenarios of classic and typed Akka, numbered as in the ledger, in chapters.

mod all_for_one;
mod backoff;
mod basic;
mod deciders;
mod ends;
mod held;
mod homage;
mod hooks;
mod limits;
mod messages;
mod pools;
mod starts;
mod stress;
mod system;
mod typed;
mod watch;
