//! Compares predicted with actual weather, fetched from a service that does not always answer.
//!
//! ```text
//! cargo run --example weather -- --requests 200 --seed 7
//! ```
//!
//! prints the declared tree, each failure with its decision, and at the end
//!
//! ```text
//! 161 answered + 23 timed out + 16 failed = 200 requests
//!
//!              events   served
//! failures        187 =    187   (23 silent, 121 errors, 43 closed)
//! restarts        148 =    148   (errors and closed, less 16 on a last try)
//! escalations      39 =     39   (silent, and the 16 on a last try)
//! ```
//!
//! The left side shows the events of the tree, the right side the service's own counts.
//!
//! The service runs inside the example, on a loopback port, and is unreliable on purpose: some answers never come, some
//! are errors, some connections just close. With `--serve` and `--url` the service runs in a separate process.
//!
//! Read the files in this order:
//!
//! * `system.rs` is the core of the example: the tree, its actors, their strategies;
//! * `client.rs` gets one answer over HTTP, or fails;
//! * `tally.rs` counts the tree's events and the service's faults, and compares them;
//! * `server.rs` is the service with its faults, `args.rs` the command line.

// In a program, only its other modules can reach the public items of a module.
#![allow(unreachable_pub)]

mod args;
mod client;
mod server;
mod system;
mod tally;

use std::process::ExitCode;
use std::time::Instant;

use supervise::spec::Render;

use args::{Command, Load};
use client::Service;
use system::{Weather, WeatherManagerCalls};
use tally::{Served, Table};

type Error = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> ExitCode {
    let command = match args::parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(wrong) => {
            eprintln!("weather: {wrong}");
            return ExitCode::from(2);
        }
    };
    let agreed = match command {
        Command::Help => {
            println!("{}", args::HELP);
            Ok(true)
        }
        Command::Serve { port } => serve(port).await,
        Command::Run(load) => run(load).await,
    };
    match agreed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("weather: the counts do not agree, see the ≠ in the table");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("weather: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs only the service, until Ctrl-C.
async fn serve(port: u16) -> Result<bool, Error> {
    let (listener, address) = server::listen(port).await.map_err(|error| format!("cannot serve on {port}: {error}"))?;
    println!("serving on http://{address}");
    tokio::select! {
        () = server::serve(listener) => {}
        done = tokio::signal::ctrl_c() => done?,
    }
    Ok(true)
}

/// Runs the load. Returns `true` if the counts agree.
async fn run(Load { requests, seed, service }: Load) -> Result<bool, Error> {
    let (url, service) = match service {
        Some(there) => there,
        None => {
            let (listener, address) = server::listen(0).await?;
            // The world outside: not a part of the system, and not supervised by it.
            tokio::spawn(server::serve(listener));
            let url = format!("http://{address}");
            let service = Service::parse(&url).ok_or("the address of the server is invalid")?;
            (url, service)
        }
    };

    // A wrong address is found here, before anything runs. And a server that has served other clients before has
    // counted faults that this run did not see.
    let before = served(&url, &service).await?;

    println!("{}", Weather::SPEC.render());

    // Subscribing before the start includes the events of the first start. A separate task reads the events, because
    // they are kept only for a while.
    let mut tree = Weather::tree(service.clone(), seed).seed(seed);
    let follower = tokio::spawn(tally::follow(tree.events()));
    let weather = tree.start().await?;

    let began = Instant::now();
    let outcomes = weather.manager.run(requests).forever().await?;
    let took = began.elapsed();

    // After the shutdown there are no more events, and the follower has finished.
    let report = weather.shutdown().await;
    if !report.is_orderly() {
        return Err(format!("the system did not go down in order: {report}").into());
    }
    let seen = follower.await??;
    let served = served(&url, &service).await?.since(before);

    let table = Table { requests, outcomes, seen, served };
    print!("\nall done after {took:.1?}\n\n{table}");
    Ok(table.agrees())
}

/// Asks the service for its counts.
async fn served(url: &str, service: &Service) -> Result<Served, Error> {
    let text = service.get("/stats").await.map_err(|error| format!("no weather service at {url}: {error}"))?;
    let served = Served::parse(&text).ok_or_else(|| format!("{url} is not a weather service of this kind"))?;
    Ok(served)
}
