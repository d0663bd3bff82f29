//! Delays before a restart, built in and declared.

pub mod built_in_delays;
mod declared;
