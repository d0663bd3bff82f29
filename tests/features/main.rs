//! The additions of the cargo features. Each module exists only with its feature: `--features anyhow,tokio-util`.

#![allow(unreachable_pub)]

#[path = "../common/mod.rs"]
mod common;

mod anyhow_errors;
mod boxed_errors;
mod metrics;
mod tokens;
