//! Events, snapshots, health and drawings of a tree.

mod events;
mod health;
mod json;
mod snapshot;
mod spec;
