//! For any bytes that arrive before a peer is known, and any text in a certificate, a file or the environment, no reader of
//! `supervise-remote-zenoh` panics, and what it takes is right.
//!
//! cargo fuzz run --sanitizer none --no-cfg-fuzzing link -- -max_total_time=60

#![no_main]
#![allow(dead_code, reason = "the crate uses the rest")]

use libfuzzer_sys::fuzz_target;

// The files of the crate, and not the crate: zenoh alone builds for minutes.
#[path = "../../supervise-remote-zenoh/src/batch.rs"]
mod batch;
#[path = "../../supervise-remote-zenoh/src/environment.rs"]
mod environment;
#[path = "../../supervise-remote-zenoh/src/error.rs"]
mod error;
#[path = "../../supervise-remote-zenoh/src/file.rs"]
mod file;
#[path = "../../supervise-remote-zenoh/src/greeting.rs"]
mod greeting;
#[path = "../../supervise-remote-zenoh/src/key.rs"]
mod key;
#[path = "../link.rs"]
mod link;
#[path = "../../supervise-remote-zenoh/src/rights.rs"]
mod rights;
#[path = "../../supervise-remote-zenoh/src/settings.rs"]
mod settings;

pub use error::OpenError;
pub use settings::Settings;

fuzz_target!(|bytes: &[u8]| {
    link::read(bytes);
    link::read(&link::mutated(bytes));
});
