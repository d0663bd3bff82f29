//! Two sessions in one process, and in two: over real sockets, so on the real clock.

mod common;
mod configured;
mod cut;
mod foreign;
mod frames;
mod kubernetes;
mod leaving;
mod opening;
mod processes;
mod strangers;
mod tls;
