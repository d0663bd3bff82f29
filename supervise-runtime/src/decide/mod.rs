//! What to do: the state × event tables of `docs/semantics-table.md` as code.
//!
//! Nothing in here waits, locks, reads a clock, draws a random number or runs user code (rule S10). A
//! decision is a function of the state, the event, the directive, a random word and the time, all of
//! them arguments. The driver (`cell`) asks the user's decider and draws first, then carries out what
//! comes back.
//!
//! * [`child`]: one child, tables 2a, 2b and 2d;
//! * [`group`]: the supervisor, table 2c: a group, or each child of OneForOne as a range of its own;
//! * `budget` and `pace`: how often and how soon a restart may happen (S14, S15, S31 to S33).
//!
//! The tests, the property tests and the runtime call the same functions.

pub(crate) mod budget;
pub(crate) mod child;
pub(crate) mod group;
pub(crate) mod member;
pub(crate) mod pace;
#[cfg(test)]
mod tests;
