//! Stops, kills and drains, and their reports.

mod drain;
mod drain_background;
mod ends;
mod last_words;
mod order_and_time;
mod other_runtimes;
mod reports;
mod runtime_drop;
mod stop;
mod stop_reasons;
mod whole_tree;
