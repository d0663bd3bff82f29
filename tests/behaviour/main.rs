//! One test or more for each rule of the semantics, through the macro, on the paused clock.
//!
//! The modules follow the rules' chapters; a test is named as a sentence and cites its rule.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../kit/mod.rs"]
mod kit;

mod abuse;
mod cells;
mod contradictions;
mod edges;
mod grammar;
mod many;
mod nodes;
mod s01_messages;
mod s03_room;
mod s03_tell_and_ask;
mod s04_control;
mod s05_nothing_is_lost;
mod s06_chains;
mod s06_failures;
mod s07_held;
mod s07_kept;
mod s08_directives;
mod s09_default_decider;
mod s11_aborted;
mod s11_restart;
mod s11_timers;
mod s12_hooks;
mod s13_start_time;
mod s14_pace;
mod s15_budget;
mod s16_stop;
mod s17_finished;
mod s17_groups;
mod s17_waits;
mod s18_group_failures;
mod s19_bugs;
mod s19_escalation;
mod s20_again;
mod s21_boot;
mod s22_significant;
mod s23_lifecycle;
mod s23_temporary;
mod s24_shutdown;
mod s24_way_out;
mod s25_ends;
mod s25_going_runtime;
mod s26_alone;
mod s26_drain;
mod s26_drain_runs;
mod s26_fair;
mod s26_restart;
mod s27_keyed;
mod s27_names;
mod s27_once;
mod s27_sets;
mod s28_shapes;
mod s28_subtrees;
mod s29_first_poll;
mod s29_ready;
mod s29_tasks;
mod s30_lets;
mod s31_backoff;
mod s35_down;
mod s35_reject;
mod s36_redeliver;
mod s37_watch;
mod s38_children;
mod s38_links;
mod s39_guardian;
mod s40_events;
mod s42_health;
mod s42_json;
mod s42_snapshot;
mod s42_spec;
mod s43_run;
mod settings;
mod testing;
