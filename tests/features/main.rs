//! What the cargo features add. Each module is there with its feature only: `--features anyhow,tokio-util`.

#![allow(unreachable_pub)]

#[path = "../common/mod.rs"]
mod common;

mod anyhow_errors;
mod boxed_errors;
mod tokens;
