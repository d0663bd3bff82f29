//! Tests of `supervise-top`: the pure parts by recorded and made messages, the whole against a real console.

mod binary;
mod common;
mod golden;
mod hostile;
mod keys;
#[cfg(unix)] // over a socket in the file system
mod live;
mod mock;
mod model;
mod page;
mod sse;
