//! Children that are futures.

mod first_poll;
mod ready;
mod run_and_stop;
