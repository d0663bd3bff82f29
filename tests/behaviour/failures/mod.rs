//! Failures, and which decider decides on them.

mod causes;
mod chains;
mod default_decider;
mod deferred_decisions;
mod directives;
mod escalation;
mod in_a_row;
mod library_panics;
mod suspension;
