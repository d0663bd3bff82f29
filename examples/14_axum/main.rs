//! An HTTP service with axum whose parts are supervised: it comes up in order, recovers while its front stays up,
//! reports its health, and on SIGTERM answers the requests that have begun before it ends.
//!
//! ```text
//! cargo run --example 14_axum                   visits itself, then sends itself a SIGTERM
//! cargo run --example 14_axum -- --port 8080    serves until SIGTERM or Ctrl-C
//! ```
//!
//! Look at three things:
//!
//! * the tree below: the front is declared last, so it opens when everything before it is up, and on the way down it
//!   has finished its requests before anything that they need is stopped;
//! * `http.rs`, the front: one line connects axum's shutdown to the tree's, a few add `/livez`, `/readyz` and `/tree`;
//! * `visit.rs`, the world outside: the output shows the answers that it got.

// In a program, only its other modules can reach the public items of a module.
#![allow(unreachable_pub)]

mod http;
mod visit;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::ExitCode;

use supervise::prelude::*;
use tokio::sync::watch;

use http::Front;

supervisor! {
    /// A shop that can be visited over HTTP.
    struct Shop(port: u16, address: watch::Sender<Option<SocketAddr>>) {
        /// Knows the prices. While this actor is down, callers wait for the next instance.
        #[backoff(500ms..5s, random_factor = 0)]
        prices: Prices = Prices::load(),

        /// One cart for each customer, opened when the first thing is put into it.
        #[max_children(10_000)]
        carts: [String => Cart] = |_customer: String| Cart::default(),

        /// Counts as started when its port is open. After a stop, it has 10 s for the requests in hand.
        #[lifecycle(Permanent, ready, shutdown = 10s)]
        http: task = |cx| http::serve(cx, port, address, Front::new(tree, prices, carts)),
    }
}

/// Reads prices from a list that contains a mistake.
struct Prices {
    list: HashMap<&'static str, &'static str>,
}

#[actor]
impl Prices {
    fn load() -> Prices {
        Prices { list: HashMap::from([("apple", "30"), ("pear", "45"), ("cake", "3OO")]) }
    }

    /// Returns a price in cents; `None` if there is no such thing. A price that is not a number is a failure: this
    /// instance ends, and the caller learns that at once.
    #[message]
    pub fn price(&self, item: &str) -> Result<Option<u64>, Thrown> {
        Ok(self.list.get(item).map(|cents| cents.parse::<u64>()).transpose()?)
    }
}

/// The debt of one customer.
#[derive(Default)]
struct Cart {
    cents: u64,
}

#[actor]
impl Cart {
    /// Adds this number of cents, and returns the sum.
    #[message]
    pub fn add(&mut self, cents: u64) -> u64 {
        self.cents += cents;
        self.cents
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let port = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--port", port] if port.parse::<u16>().is_ok() => port.parse().ok(),
        _ => {
            eprintln!("14_axum: takes `--port N` or nothing");
            return ExitCode::from(2);
        }
    };
    match run(port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("14_axum: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(port: Option<u16>) -> Result<(), visit::Error> {
    let (address, bound) = watch::channel(None);
    // The visitors are the world outside, and not part of the tree.
    let visitors = port.is_none().then(|| tokio::spawn(visit::all(bound)));

    // Starts the tree, waits for a signal, takes the tree down.
    let report = Shop::run(port.unwrap_or(0), address, signal()).await?;

    if let Some(visitors) = visitors {
        visitors.await??;
        // The children that stopped, in that order: the front first.
        let down: Vec<_> = report.children.iter().map(|child| &*child.path).collect();
        println!("the children stopped in this order: {}", down.join(", "));
    }
    println!("the shop is closed: {report}");
    if report.is_orderly() { Ok(()) } else { Err("the tree did not end in order".into()) }
}
