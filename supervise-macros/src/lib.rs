//! The macros of `supervise`.
