//! Ten realistic systems, in the words of their domains. Each is written as a user would write it, with stand-ins for
//! the work; the tests check how such a system must behave under failure.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod analytics;
mod broker;
mod cell_conductor;
mod cluster_node;
mod event_router;
mod function_pool;
mod indexing_pipeline;
mod meeting_recorder;
mod page_server;
mod realtime_tenants;
