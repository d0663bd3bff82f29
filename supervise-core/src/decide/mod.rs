//! The decisions: the state × event tables of `docs/semantics-table.md` as code.
//!
//! Nothing in this module waits, locks, reads a clock, draws a random number or runs user code (rule S10). A decision
//! is a function of the state, the event, the directive, a random word and the time, which are all arguments. The
//! driver (`cell`) first calls the user's decider and draws the random word, then carries out the returned effects.
//!
//! * [`child`]: one child, tables 2a, 2b and 2d;
//! * [`group`]: the supervisor, table 2c: a group, or under `OneForOne` each child as its own range;
//! * `budget` and `delay`: how often and how soon a restart may happen (S14, S15, S31 to S33).
//!
//! The table tests, the property tests and the runtime call the same functions.

pub mod budget;
pub mod child;
pub mod delay;
pub mod group;
pub mod member;
#[cfg(test)]
mod tests;
