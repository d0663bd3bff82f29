//! A day in the log of a shop, at level `info`: on a paused clock, so that it takes no time.
//!
//! ```text
//! cargo run --example 19_logs              one line for each change of state
//! cargo run --example 19_logs -- --json    the first hours, as JSON
//! ```
//!
//! The lines come from the tree itself: this file writes none. `docs/logs.md` explains them.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use supervise::event::Operation;
use supervise::prelude::*;
use tokio::time::{Instant, sleep, sleep_until};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

supervisor! {
    /// A shop that is open from eight to eight.
    struct Shop {
        #![decider(_: Rejected => Stop, _ => Restart)]
        #[backoff(1s..1min, random_factor = 0)]
        db: Db = Db::open().await?,
        prices: Prices = Prices { cents: 30 },
        back_office: struct BackOffice {
            #[backoff(1min..10min, random_factor = 0)]
            mail: Mail = Mail,
        },
        sessions: [Session] = |customer: u32| Session { customer },
    }
}

// ----- the children, which fail on request

struct Db;

impl Db {
    /// The server is away for ten seconds after it has closed its connection.
    async fn open() -> io::Result<Db> {
        let now = start_of_day().elapsed();
        let is_away = (hours(1.2)..hours(1.2) + Duration::from_secs(10)).contains(&now);
        if is_away { Err(io::ErrorKind::ConnectionRefused.into()) } else { Ok(Db) }
    }
}

#[actor]
impl Db {
    fn handle(&mut self, _query: &'static str) -> io::Result<()> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

struct Prices {
    cents: u32,
}

#[actor]
impl Prices {
    fn handle(&mut self, pieces: u32) {
        assert!(pieces > 0, "{} cents for nothing", self.cents);
    }
}

struct Mail;

#[actor]
impl Mail {
    fn handle(&mut self, _letter: &'static str) -> io::Result<()> {
        Err(io::ErrorKind::TimedOut.into())
    }
}

struct Session {
    customer: u32,
}

/// A customer who is asked to leave.
#[derive(Debug)]
struct Rejected(u32);

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "customer {} is rejected", self.0)
    }
}

impl Error for Rejected {}

#[actor]
impl Session {
    fn handle(&mut self, pays: bool, cx: &mut Context<Self>) -> Result<(), Rejected> {
        if !pays {
            return Err(Rejected(self.customer));
        }
        cx.stop();
        Ok(())
    }
}

// ----- the day

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let json = std::env::args().any(|argument| argument == "--json");
    start_of_day();
    let log = tracing_subscriber::fmt().with_timer(Clock).with_ansi(false);
    if json {
        log.json().flatten_event(true).with_current_span(false).with_span_list(false).init()
    } else {
        log.init()
    }
    std::panic::set_hook(Box::new(|_| ())); // the log has the panic

    let shop = Shop::tree().seed(7).start().await?;

    at(9.2).await; // the connection to the database breaks, and cannot be opened at once
    shop.db.tell("select").await?;
    at(10.0).await;
    if json {
        shop.shutdown().await;
        return Ok(());
    }

    for customer in 0..2_000 {
        // Nothing to see: the children of a set come and go below `info`.
        shop.sessions.spawn(customer).await?.tell(true).await?;
    }

    at(12.5).await; // a bug
    shop.prices.tell(0).await?;

    at(14.0).await; // the mail server is away; the next letter fails, too
    for _ in 0..2 {
        shop.back_office.mail.tell("invoice").await?;
    }

    at(16.0).await; // somebody does something
    shop.operate("prices", Operation::Restart, "alice")?;

    at(17.0).await; // a child of a set fails
    shop.sessions.spawn(4711).await?.tell(false).await?;

    at(20.0).await;
    let report = shop.shutdown().await;
    assert!(report.is_orderly());
    Ok(())
}

fn start_of_day() -> Instant {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    *START.get_or_init(Instant::now)
}

fn hours(hours: f64) -> Duration {
    Duration::from_secs_f64(hours * 3600.0)
}

/// Waits for this hour of the day, which begins at eight.
async fn at(hour: f64) {
    sleep_until(start_of_day() + hours(hour - 8.0)).await;
    sleep(Duration::ZERO).await;
}

/// The time of the simulated day.
struct Clock;

impl FormatTime for Clock {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        let seconds = start_of_day().elapsed().as_secs() + 8 * 3600;
        write!(w, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
