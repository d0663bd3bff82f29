//! Conditions that a supervisor must survive: load, code that never returns, destructors that panic or act, and trees
//! that know each other. No rule is new here; each is tried under the worst conditions.

mod cycles;
mod drops;
mod errors;
mod load;
mod longest_durations;
mod many_children;
mod panicking_drops;
mod reentrancy;
mod without_a_timer;
