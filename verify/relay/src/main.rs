//! Passes the lines of an upstream on to clients.

mod config;
mod http;
mod job;
mod journal;
mod listener;
mod process;
mod session;
mod upstream;

use std::path::PathBuf;
use std::sync::Arc;

use supervise::inspect::Report;
use supervise::prelude::*;
use tokio::sync::{broadcast, watch};
use tracing_subscriber::EnvFilter;

use config::Config;
use journal::Journal;
use process::Slot;
use session::{Session, Wire};

supervisor! {
    /// Passes the lines of an upstream on to clients.
    struct Relay(file: PathBuf) {
        #![shutdown(10s)]

        let config = Arc::new(watch::Sender::new(Config::read(&file)?));
        let feed = broadcast::Sender::<Arc<str>>::new(4096);
        let slot = Slot::default();

        /// Says how the service is. Stops last, so it can say that the service stops.
        #[lifecycle(Permanent, ready, shutdown = 500ms)]
        http: task = |cx| http::serve(cx, config.clone(), tree.clone()),

        /// Counts what comes in.
        #[lifecycle(Permanent, drain, shutdown = 500ms)]
        journal: Journal = Journal::default(),

        /// The lines that clients subscribe to.
        #[lifecycle(Permanent, ready, start = 5s, shutdown = 500ms)]
        #[backoff(200ms..5s)]
        upstream: task = |cx| upstream::read(cx, config.clone(), feed.clone()),

        /// Empties the slot after the process has stopped.
        #[lifecycle(shutdown = 500ms)]
        undertaker: task = |cx| process::bury_last(cx, slot),

        /// A program of the system, whose lines are messages of the journal.
        #[lifecycle(Permanent, shutdown = 2500ms)]
        #[backoff(200ms..10s)]
        process: task = |cx| process::run(cx, slot, config.clone(), journal),

        /// Computes.
        #[lifecycle(Permanent, shutdown = 1s)]
        job: task = |cx| job::run(cx, journal),

        /// The clients, each by its name.
        #[lifecycle(Temporary, drain, shutdown = 3s)]
        #[max_children(1000)]
        clients: [String => Session] = |name: String, wire: Wire| Session::new(name, wire, config, feed, journal),

        /// Accepts clients.
        #[lifecycle(Permanent, ready, start = 5s, shutdown = 500ms)]
        listener: task = |cx| listener::listen(cx, config.clone(), clients),

        /// Reads the configuration again at SIGHUP.
        #[lifecycle(Permanent, ready, shutdown = 500ms)]
        reloader: task = |cx| config::reload(cx, file.clone(), config, upstream),
    }
}

#[tokio::main]
async fn main() -> Result<Report, supervise::BoxError> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr).init();
    let file = std::env::args_os().nth(1).ok_or("usage: relay CONFIG")?;
    let report = Relay::run(PathBuf::from(file), supervise::signal()).await?;
    for child in &report.children {
        tracing::info!(path = %child.path, ended = %child.ended, "down");
    }
    Ok(report)
}
