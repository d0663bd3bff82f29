//! The console over real sockets, and as a router without one.

#![allow(unreachable_pub, reason = "the modules of a test program share their parts")]

mod client;
mod control;
mod gate;
mod large;
mod live;
mod probes;
mod routes;
mod secrets;
mod serve;
mod trees;
