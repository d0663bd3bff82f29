//! The rules of remote children, S56 to S63, on the wire in memory and the paused clock.

mod acting;
mod calls;
mod closing;
mod ends;
mod failures;
mod fence;
mod lifetimes;
#[path = "../../../tests/common/listen.rs"]
mod listen;
mod messages;
mod order;
mod placing;
mod references;
mod rights;
mod seen;
mod spawned;
mod takeover;
mod wires;
mod world;
