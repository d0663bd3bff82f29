//! A page that shows a running supervision tree.

mod address;
mod answer;
mod console;
mod control;
mod error;
mod gate;
mod live;
mod log;
mod page;
mod part;
mod probes;
mod query;
mod sample;
mod serve;
mod token;

pub use address::{Address, IntoAddress};
pub use console::Console;
pub use error::Error;
pub use probes::{Probes, ServeProbes, probes};
pub use serve::{Serve, serve};
pub use token::{IntoToken, Token};
