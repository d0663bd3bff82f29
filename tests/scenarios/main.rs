//! Ten small systems, each a tree of another shape, built only with the macro. The doc comment of each module says what
//! it proves.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod backoff_through_an_outage;
mod death_watch_keeps_a_directory;
mod escalation_during_group_restart;
mod escalation_level_by_level;
mod rest_for_one_rewires_siblings;
mod set_under_load;
mod stop_in_every_phase;
mod tasks_without_actors;
mod three_spellings_of_an_actor;
mod tree_ends_with_its_members;
