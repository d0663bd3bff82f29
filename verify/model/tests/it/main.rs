//! Scenarios of the real run loop, each under many schedules.

mod groups;
mod keys;
mod links;
mod one;
mod room;
mod subtrees;
mod watches;
