//! Scenarios of classic and typed Akka, with the numbers of the ledger, by chapter.

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
