//! What the cargo features add. Each module is there with its feature only: `--features anyhow,tokio-util`.

#![allow(unreachable_pub)]

#[path = "../kit/mod.rs"]
mod kit;

mod anyhow_errors;
mod boxed_errors;
mod tokens;
