//! Scenarios of the real run loop, each under many schedules.

mod groups;
mod one;
mod subtrees;
mod watches;
