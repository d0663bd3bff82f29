//! The first start, which children are started again, and who hears that a child has ended.

mod death_watch;
mod first_start;
mod policies;
mod run;
mod significant;
mod temporary;
