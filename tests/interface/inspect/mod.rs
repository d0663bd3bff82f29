//! Events, snapshots, health and drawings of a tree.

mod asks;
mod decided;
mod events;
mod failed_instances;
mod health;
mod json;
mod limits;
mod lines;
mod observe;
mod operate;
mod outside;
mod parts;
mod paths;
mod snapshot;
mod spec;
