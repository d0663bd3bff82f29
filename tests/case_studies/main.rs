//! Five systems as people build them, in the words of their trade. Each is written as a user would write it, with
//! stand-ins for the work; the tests are what such a system has to show on a bad day.

#![allow(unreachable_pub)] // modules of one test crate share helpers

#[path = "../common/mod.rs"]
mod common;

mod broker;
mod cluster_node;
mod indexing_pipeline;
mod meeting_recorder;
mod page_server;
