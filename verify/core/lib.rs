//! The lower floors of the runtime as a separate crate.

#![allow(dead_code, unused_imports, unexpected_cfgs)] // the floors above use the rest

mod base;
mod decide;
mod values;
