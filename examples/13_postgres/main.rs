//! An actor that uses a real PostgreSQL: the server goes away, and the writer recovers when it is back.
//!
//! ```text
//! cargo run --example 13_postgres              with a private server, which is killed once
//! cargo run --example 13_postgres -- --chaos   four writers under load, and the server is killed again and again
//! ```
//!
//! The private server lives in a temporary folder and is gone at the end. With `DATABASE_URL` set, the first form uses
//! that server instead, and kills nothing.
//!
//! Look at three things:
//!
//! * the start expression opens the connection, so a restart opens a new one, and `#[backoff(..)]` delays the attempts.
//!   There is no loop, no pool and no "reconnect" in the program;
//! * `Writer::write` decides which errors are failures, and its type says so. If the server *refuses* a statement, the
//!   caller gets that as an answer; a lost connection is a failure, and the caller learns at once that no answer will
//!   come;
//! * a call waits in the mailbox while the writer is down, and the handle stays the same.
//!
//! `chaos.rs` is the test: every acknowledged row is in the table. `server.rs` is the private server.

// In a program, only its other modules can reach the public items of a module.
#![allow(unreachable_pub)]

mod chaos;
mod server;

use std::process::ExitCode;
use std::time::Duration;

use server::{Binaries, Server};
use supervise::BoxError;
use supervise::error::AskError;
use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;
use tokio::task::block_in_place;
use tokio::time::{Instant, timeout};
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{Client, Connection, NoTls, Socket};

/// When the writer of this incarnation has found no server, the killed server is started again.
const LAST_IN_VAIN: u32 = 4;

/// A server that is silent for this long has failed as well.
const PATIENCE: Duration = Duration::from_secs(5);

supervisor! {
    /// Keeps a writer connected.
    struct Ledger(url: String, table: String) {
        // The number of attempts is unlimited, because a server may be down for long. When a connection has lasted for
        // a second, the next failure begins with the short delay again.
        #[backoff(100ms..2s, random_factor = 0.2, reset = 1s)]
        // A server that accepts the connection and then stays silent counts as failed.
        #[lifecycle(Permanent, start = 5s)]
        writer: Writer = Writer::connect(&url, &table).await?,
    }
}

/// Writes rows through one connection. A new connection is a new writer.
struct Writer {
    client: Client,
    insert: String,
    /// The future that moves the bytes, until `pre_start` runs it.
    connection: Option<Connection<Socket, NoTlsStream>>,
}

/// The row's owner and number.
#[derive(Debug, Clone, Copy)]
struct Row {
    by: i32,
    number: i64,
}

#[actor]
impl Writer {
    async fn connect(url: &str, table: &str) -> Result<Writer, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        // A caller without an answer does not know whether the row was written, and has to try again. So a second
        // attempt must do no harm.
        let insert = format!("INSERT INTO {table} VALUES ($1, $2) ON CONFLICT DO NOTHING");
        Ok(Writer { client, insert, connection: Some(connection) })
    }

    /// The documentation of `tokio_postgres` says `tokio::spawn(connection)`. Here the connection is background work of
    /// this actor: it ends with this instance, and its own end is a message, so that a broken connection is also
    /// noticed while no row is being written.
    #[pre_start]
    fn run_connection(&mut self, cx: &mut Context<Self>) {
        if let Some(connection) = self.connection.take() {
            cx.run(connection, WriterMsg::lost);
        }
    }

    /// Writes a row. The answer is whether the server accepted it: `true` when the row is new, `false` when it existed
    /// already.
    #[message]
    async fn write(&mut self, row: Row) -> Result<Result<bool, DbError>, Thrown> {
        match timeout(PATIENCE, self.client.execute(&self.insert, &[&row.by, &row.number])).await? {
            Ok(rows) => Ok(Ok(rows == 1)),
            Err(error) => match refusal(&error) {
                Some(refusal) => Ok(Err(refusal.clone())),
                None => Err(error)?,
            },
        }
    }

    /// The connection has ended.
    #[message]
    fn lost(&mut self, why: Result<(), tokio_postgres::Error>) -> Result<(), Thrown> {
        why?;
        Err("the connection was closed")?
    }
}

/// An error is about the statement if the session continues after the error. `FATAL` and `PANIC` end the session.
fn refusal(error: &tokio_postgres::Error) -> Option<&DbError> {
    error.as_db_error().filter(|error| error.parsed_severity() == Some(Severity::Error))
}

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let chaos = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--chaos"] => true,
        _ => {
            eprintln!("13_postgres: takes --chaos or nothing");
            return ExitCode::from(2);
        }
    };
    let given = std::env::var("DATABASE_URL").ok().filter(|_| !chaos);
    let binaries = match given {
        Some(_) => None,
        None => match Binaries::find() {
            Ok(binaries) => Some(binaries),
            Err(missing) => {
                eprintln!("13_postgres: {missing}{}", if chaos { "" } else { ", or set DATABASE_URL" });
                return ExitCode::from(2);
            }
        },
    };
    let done = async {
        match (binaries, given) {
            (Some(binaries), _) if chaos => chaos::run(binaries).await,
            (Some(binaries), _) => with_private_server(binaries).await,
            (None, url) => with_server_at(url.unwrap_or_default()).await,
        }
    };
    // However this ends, the private server is dropped, and its folder is removed.
    let done = tokio::select! {
        done = done => done,
        () = signal() => Err("interrupted".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("13_postgres: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn with_private_server(binaries: Binaries) -> Result<(), BoxError> {
    let mut server = block_in_place(|| Server::create(binaries))?;
    let admin = Admin::connect(&server.url(), "ledger").await?;
    println!("{} in {}\n", admin.version().await?, server.folder().display());

    let mut tree = Ledger::tree(server.url(), "ledger".to_owned());
    let events = tree.events();
    let ledger = tree.start().await?;
    write(&ledger, 1..=10).await?;
    write_nonsense(&ledger).await?;

    let row = Row { by: 1, number: 11 };
    println!("the server is killed, and row {} is requested", row.number);
    let killed = Instant::now();
    block_in_place(|| server.kill());
    let (followed, written) = tokio::join!(follow(events, killed, &mut server), insist(&ledger.writer, row));
    followed?;
    written?;
    println!("row {} is written, by incarnation {}", row.number, ledger.writer.incarnation());
    write(&ledger, 12..=20).await?;

    ledger.shutdown().await;
    let admin = Admin::connect(&server.url(), "ledger").await?;
    check(&admin, 20).await?;
    let folder = server.folder().to_owned();
    drop(server);
    println!("the private server is gone, and its folder {}", if folder.exists() { "is left" } else { "as well" });
    Ok(())
}

async fn with_server_at(url: String) -> Result<(), BoxError> {
    let table = format!("supervise_example_{}", std::process::id());
    let admin = Admin::connect(&url, &table).await;
    let admin = admin.map_err(|error| format!("the server at DATABASE_URL cannot be used: {}", chain(&*error)))?;
    println!(
        "{} at DATABASE_URL. This example does not own that server, so it does not kill it.\n",
        admin.version().await?
    );

    let done = async {
        let ledger = Ledger::start(url, table.clone()).await?;
        write(&ledger, 1..=20).await?;
        write_nonsense(&ledger).await?;
        ledger.shutdown().await;
        check(&admin, 20).await
    };
    let done = done.await;
    admin.drop_table().await?;
    println!("the table {table} is dropped again");
    done
}

async fn write(ledger: &Ledger, numbers: std::ops::RangeInclusive<i64>) -> Result<(), BoxError> {
    println!("rows {} to {} are written", numbers.start(), numbers.end());
    for number in numbers {
        ledger.writer.write(Row { by: 1, number }).await??;
    }
    Ok(())
}

/// A refusal by the server is not a failure: the writer is the same one afterwards.
async fn write_nonsense(ledger: &Ledger) -> Result<(), BoxError> {
    let before = ledger.writer.incarnation();
    let refused = ledger.writer.write(Row { by: 1, number: -1 }).await?;
    let refusal = refused.err().ok_or("the server accepted a row that its table does not allow")?;
    println!("row -1 is refused: {}", refusal.message());
    if ledger.writer.incarnation() != before {
        return Err("a refused row has restarted the writer".into());
    }
    Ok(())
}

/// Writes a row until there is an answer. Returns whether the row is new, and the number of calls.
///
/// A call waits in the mailbox while the writer is down. Only a write that is in hand when the writer fails returns
/// without an answer, and may have been carried out anyway.
async fn insist(writer: &ActorRef<Writer>, row: Row) -> Result<(bool, u64), BoxError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match writer.write(row).await {
            Ok(answer) => return Ok((answer?, tries)),
            Err(AskError::NoReply { .. } | AskError::TimedOut { .. }) => {}
            Err(ended) => return Err(ended.into()),
        }
    }
}

/// Prints what happens to the writer, until the writer is up. Starts the server again in between.
async fn follow(mut events: Events, killed: Instant, server: &mut Server) -> Result<(), BoxError> {
    while let Some(Event { path, at, incarnation, kind, .. }) = events.next().await {
        if path != "writer" {
            continue;
        }
        let at = at.saturating_duration_since(killed).as_secs_f64();
        match kind {
            EventKind::Failed { failure, .. } => {
                println!("{at:7.3} s  writer {incarnation} failed: {}", reason(failure.cause()));
            }
            EventKind::RestartScheduled { after } => {
                println!("{at:7.3} s  the next attempt in {:.3} s", after.as_secs_f64());
                if incarnation == LAST_IN_VAIN {
                    println!("{at:7.3} s  the server is started again, and replays its log");
                    block_in_place(|| server.start())?;
                }
            }
            EventKind::Restarted => {
                println!("{at:7.3} s  writer {incarnation} is up");
                break;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Compares the acknowledged rows with the rows in the table.
async fn check(admin: &Admin, acknowledged: i64) -> Result<(), BoxError> {
    let rows = admin.rows().await?.len() as i64;
    println!("\n{acknowledged} writes acknowledged, {rows} rows in the table");
    if rows == acknowledged { Ok(()) } else { Err("these differ".into()) }
}

/// A connection outside the tree: creates the table, and reads its rows.
struct Admin {
    client: Client,
    table: String,
}

impl Admin {
    async fn connect(url: &str, table: &str) -> Result<Admin, BoxError> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection); // not a part of any tree
        let columns = "by integer, number bigint CHECK (number >= 0), PRIMARY KEY (by, number)";
        client.execute(&format!("CREATE TABLE IF NOT EXISTS {table} ({columns})"), &[]).await?;
        Ok(Admin { client, table: table.to_owned() })
    }

    async fn version(&self) -> Result<String, BoxError> {
        let version: String = self.client.query_one("SHOW server_version", &[]).await?.get(0);
        Ok(format!("PostgreSQL {version}"))
    }

    async fn rows(&self) -> Result<Vec<Row>, BoxError> {
        let rows = self.client.query(&format!("SELECT by, number FROM {}", self.table), &[]).await?;
        Ok(rows.iter().map(|row| Row { by: row.get(0), number: row.get(1) }).collect())
    }

    async fn drop_table(&self) -> Result<(), BoxError> {
        self.client.execute(&format!("DROP TABLE {}", self.table), &[]).await?;
        Ok(())
    }
}

fn reason(cause: &Cause) -> String {
    match cause {
        Cause::Error(thrown) => chain(thrown.as_error()),
        other => other.to_string(),
    }
}

/// An error with its sources: most errors have the interesting part in their source.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let inner = error.to_string();
        // Some errors repeat their source in their own text.
        if !text.ends_with(&inner) {
            text = format!("{text}: {inner}");
        }
        next = error.source();
    }
    text
}
