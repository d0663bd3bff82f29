//! S63: remote children are seen: their nodes, with capacity and lease, and what waits for one.

mod health;
mod joins;
mod metrics;
mod node_metrics;
mod snapshot;
mod world;
