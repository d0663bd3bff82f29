//! The parts of `supervise-top`, a terminal program that shows a running supervision tree.
//!
//! The program is described in its README. This library is not meant for use by others: it is there so that tests reach the
//! parts. Data flow in one direction: [`sse`] and [`wire`] read the messages of a console, [`model`] keeps the tree,
//! [`app`] knows where the user is in it, and [`view`] draws it. All of them are pure; [`client`] and [`shell`] do the rest.

pub mod address;
pub mod app;
pub mod args;
pub mod client;
pub mod demo;
pub mod model;
pub mod shell;
pub mod sse;
pub mod text;
pub mod view;
pub mod wire;
