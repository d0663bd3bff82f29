//! A page that shows a running supervision tree, live: states, restarts, restart budgets, mailboxes, events and failures. And
//! the probes of an orchestrator.
//!
//! [`serve`] is a child of the tree that it shows:
//!
//! ```
//! use supervise::prelude::*;
//!
//! struct Db;
//!
//! #[actor]
//! impl Db {
//!     fn handle(&mut self, _query: String) {}
//! }
//!
//! supervisor! {
//!     struct Shop {
//!         // Declared first, so it stops last and shows the others going down.
//!         #[lifecycle(Permanent, ready)]
//!         console: task = |cx| supervise_console::serve(cx, "127.0.0.1:0", tree.clone()),
//!         db: Db = Db,
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let shop = Shop::start().await?;
//! // Now open the address in a browser.
//! shop.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! [`Console`] is the same as a router of axum, for a server of your own. [`probes`] answers `/livez`, `/readyz`, `/startupz`
//! and `/metrics`, next to a console or alone.
//!
//! # Who may look, and who may act
//!
//! | | look | act |
//! |---|---|---|
//! | on loopback, without a token | requests from this machine, under one of its names | nobody |
//! | at a unix socket, without a token | the user who runs the program, and root | nobody |
//! | elsewhere, without a token | the console does not start | |
//! | `.token(..)` | who shows the token | nobody |
//! | `.allow_control(..)` | as above, and who shows the token for control | who shows the token for control |
//!
//! A token travels in the header `Authorization: Bearer ..` and nowhere else. It is kept as a digest, compared in constant
//! time, and never logged. An answer to a wrong one takes 0.1 s for each that is due, and with 32 of them due, others are
//! refused at once; right ones never wait. There is
//! no TLS: off loopback put a server with TLS in front.
//!
//! Without a token, requests are refused whose `Host` is not a name of this machine (a page of another site may let its name
//! lead to 127.0.0.1), that say that they came through a proxy, or that a page of another site lets the browser make. No answer allows other
//! sites to read it. To act takes a token in a header, JSON, and the path of the child once more. The page runs no script but its
//! own, by the hash of it.
//!
//! # Addresses
//!
//! | | |
//! |---|---|
//! | `GET /` | the page; it needs no token, since it contains nothing of the tree |
//! | `GET /info.json` | `name`, `look` (`open` or `token`), `control`, `version` and `protocol`; needs no token |
//! | `GET /tree.json?path=..&extent=declared` or `everything` | a snapshot of the node with this path, by default of the tree |
//! | `GET /set.json?path=..&from=0&count=100&state=running,failed&name=text&sort=order` | children of a node, page by page; sorted by `order`, `name`, `restarts` or `waiting`; at most 500 |
//! | `GET /detail.json?path=..` | one node, its declaration, and its last 200 events |
//! | `GET /events.ndjson?past=N` | the events as they happen, one on a line, after the last N; `{"missed":N}` is a gap, and an empty line a sign of life, every 5 s while nothing happens |
//! | `GET /live` | server-sent events, see below |
//! | `POST /control` | acts: `{"path":"db","operation":"restart","confirm":"db","by":"alice"}`; the operations are `stop`, `restart`, `start_again` and `kill`; 409 with a reason if the tree refuses |
//!
//! Nodes, events and times are those of `supervise::json`. An error is `{"error":"text"}`.
//!
//! The messages of `/live` are numbered by their `id`:
//!
//! * `snapshot`: `{"seq","at_ms","dead_letters","root"}`, the declared nodes, and the number of dead letters since the start. The
//!   first message, and again after a gap.
//! * `delta`: `{"seq","at_ms","dead_letters","nodes","removed"}`, the nodes that have changed, whole and without children, and the paths that are
//!   gone. A new node has its `parent` and its `index` among the siblings. Twice a second at most, and every 5 s if nothing has
//!   changed.
//! * `event`: an event, at once.
//! * `gap`: `{"missed":N}`; this viewer was too slow, or the tree has lost events for all.
//! * `end`: `{"ended":..}`, the end of the tree. A console that is a child of the tree ends before it, and sends
//!   `{"ended":null,"reason":"shutdown"}`.
//!
//! A stream that breaks off without `end` is worth another try: the console may have been restarted.
//!
//! # What it costs
//!
//! Without viewers a console reads the events of the tree, and observes nothing. With viewers the tree observes everything
//! ([`Observe::EVERYTHING`](supervise::inspect::Observe::EVERYTHING)), and is sampled twice a second for all viewers
//! together, on a thread for blocking work. If a sample takes long, the pace slows down, so that samples take at most 3 % of a
//! core. Instances of sets are counted, and read only page by page.
//!
//! All that is kept is bounded: 4,096 events and those of declared children once more, each at most 8 MiB of text, an event of
//! more than 1 MiB being a gap; one sample; 16 deltas; 64 streams, 256 connections, 8 KiB of a request to act. Nothing is kept
//! for a viewer that reads slowly.

#![cfg_attr(docsrs, feature(doc_cfg))]

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

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
