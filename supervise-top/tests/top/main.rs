//! Tests of `supervise-top`: the pure parts by recorded and made messages, the whole against a real console.

mod binary;
mod common;
mod golden;
mod hostile;
mod keys;
mod live;
mod mock;
mod model;
mod page;
mod sse;
