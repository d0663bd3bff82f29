//! Conditions that a supervisor must survive: load, code that never returns, destructors that panic or act, and trees
//! that watch each other. These tests check no new rules; they check the rules under the worst conditions.

mod cycles;
mod drops;
mod errors;
mod load;
mod longest_durations;
mod many_children;
mod panicking_drops;
mod reentrancy;
mod subscribers;
mod without_a_timer;
mod yields;
