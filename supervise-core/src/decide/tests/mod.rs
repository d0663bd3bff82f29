//! Tests of the decisions: each cell of the tables, and random walks through all of them.

mod coverage;
mod elsewhere;
mod ends;
mod from_above;
mod harness;
mod life;
mod many;
mod moving;
mod own_order;
mod port;
mod property;
mod requests;
mod settings;
mod sim;
mod spawns;
#[cfg(feature = "testing")]
mod stories;
mod table;
mod table_2a;
mod table_2b;
mod table_2c;
mod table_2d;
mod view;
mod waits;
