//! The first start, which children are started again, and which actors are notified of an end.

mod death_watch;
mod first_start;
mod policies;
mod run;
mod significant;
mod temporary;
