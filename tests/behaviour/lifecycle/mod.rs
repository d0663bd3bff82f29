//! The first start, which children are started again, and which actors are notified of an end.

mod best_effort;
mod death_watch;
mod ending_by_itself;
mod first_start;
mod in_one_poll;
mod last_words;
mod policies;
mod run;
mod significant;
mod significant_sets;
mod temporary;
mod watch_each;
