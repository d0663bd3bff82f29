//! A lease in PostgreSQL: a row.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::{Acquired, Lease};
use supervise_runtime::Thrown;
use tokio::sync::Mutex;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row};

use crate::TTL;

type Connect = dyn Fn() -> Pin<Box<dyn Future<Output = Result<Client, Thrown>> + Send>> + Send + Sync;

/// A lease in PostgreSQL: a row with the name of the lease, its token, and the end of its time by the server's clock.
///
/// The table is made when it is not there:
///
/// ```sql
/// CREATE TABLE supervise_lease (
///     name     text PRIMARY KEY,
///     holder   text NOT NULL,        -- for people
///     token    bigint NOT NULL,      -- grows with each holding
///     until    timestamptz NOT NULL, -- the end of the holding
///     released boolean NOT NULL,     -- given back by the holder
///     before   boolean NOT NULL      -- the holding before was given back
/// );
/// ```
///
/// A write of the application checks the token in the same transaction, and then no frozen holder can write late:
/// `SELECT 1 FROM supervise_lease WHERE name = 'jobs' AND token = $1 FOR SHARE`.
///
/// The lease has one connection, which is dropped when a call fails or is given up, and made anew by the next call. Rows must not
/// get lost: the promise ends where a server comes back with older data, as a replica does that takes over without
/// synchronous replication. A server whose clock is set back prolongs the time in which nobody is granted the lease; one
/// whose clock jumps ahead grants it too early.
///
/// ```no_run
/// use supervise::prelude::*;
/// use supervise_lease::PostgresLease;
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # async fn run() -> Result<supervise::inspect::Report, Box<dyn std::error::Error>> {
/// let lease = PostgresLease::new("jobs", "host=db user=shop".parse()?);
/// Ok(Shop::tree().only_with(lease).run(signal()).await?)
/// # }
/// ```
pub struct PostgresLease {
    name: String,
    holder: String,
    table: String,
    ttl: Duration,
    connect: Box<Connect>,
    /// Taken out during a call: a call that is dropped halfway leaves no connection behind whose state is unknown.
    client: Mutex<Option<Client>>,
}

impl fmt::Debug for PostgresLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLease").field("name", &self.name).field("table", &self.table).finish_non_exhaustive()
    }
}

impl PostgresLease {
    /// Makes a lease of this name on this server, without TLS, with a `ttl` of 15 s. Nothing is connected yet.
    pub fn new(name: impl Into<String>, server: Config) -> Self {
        PostgresLease::connected_by(name, move || {
            let server = server.clone();
            async move {
                let (client, connection) = server.connect(NoTls).await?;
                // The task ends with the client, or with the connection, after which calls fail.
                tokio::spawn(async move { drop(connection.await) });
                Ok(client)
            }
        })
    }

    /// Makes a lease whose connections this function makes, with TLS for example. The function drives each connection, in a
    /// task.
    pub fn connected_by<F, Fut>(name: impl Into<String>, connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Client, Thrown>> + Send + 'static,
    {
        PostgresLease {
            name: name.into(),
            holder: format!("process {}", std::process::id()),
            table: quoted("supervise_lease"),
            ttl: TTL,
            connect: Box::new(move || Box::pin(connect())),
            client: Mutex::new(None),
        }
    }

    /// Sets the time for which a grant holds. All contenders need the same.
    pub fn ttl(self, ttl: Duration) -> Self {
        PostgresLease { ttl, ..self }
    }

    /// Sets the text by which people recognize the holder in the table. Default: the number of the process. The text decides
    /// nothing.
    pub fn holder(self, holder: impl Into<String>) -> Self {
        PostgresLease { holder: holder.into(), ..self }
    }

    /// Sets the name of the table. Default: `supervise_lease`.
    pub fn table(self, table: &str) -> Self {
        PostgresLease { table: quoted(table), ..self }
    }

    fn millis(&self) -> i64 {
        i64::try_from(self.ttl.as_millis()).unwrap_or(i64::MAX)
    }

    async fn query(&self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Thrown> {
        let mut place = self.client.lock().await;
        let client = match place.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => (self.connect)().await?,
        };
        let rows = client.query(text, values).await?;
        *place = Some(client);
        Ok(rows)
    }
}

impl Lease for PostgresLease {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ttl(&self) -> Duration {
        self.ttl
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        let table = &self.table;
        let is_there = self.query("SELECT to_regclass($1) IS NOT NULL", &[table]).await?;
        if !is_there.first().is_some_and(|row| row.get(0)) {
            let columns = "name text PRIMARY KEY, holder text NOT NULL, token bigint NOT NULL, \
                           until timestamptz NOT NULL, released boolean NOT NULL, before boolean NOT NULL";
            self.query(&format!("CREATE TABLE IF NOT EXISTS {table} ({columns})"), &[]).await?;
        }
        // `clock_timestamp()` is read under the lock of the row, so the lease counts from that moment.
        let text = format!(
            "INSERT INTO {table} AS mine (name, holder, token, until, released, before) \
             VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond', false, false) \
             ON CONFLICT (name) DO UPDATE SET holder = $2, token = mine.token + 1, \
             until = clock_timestamp() + $3 * interval '1 millisecond', released = false, before = mine.released \
             WHERE mine.released OR mine.until <= clock_timestamp() RETURNING token, before"
        );
        let millis = self.millis() as f64;
        let rows = self.query(&text, &[&self.name, &self.holder, &millis]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(Acquired { token: u64::try_from(row.get::<_, i64>(0))?, released: row.get(1) }))
    }

    async fn renew(&self, token: u64) -> Result<bool, Thrown> {
        let text = format!(
            "UPDATE {} SET until = clock_timestamp() + $3 * interval '1 millisecond' \
             WHERE name = $1 AND token = $2 AND NOT released AND until > clock_timestamp() RETURNING 1",
            self.table
        );
        let millis = self.millis() as f64;
        let rows = self.query(&text, &[&self.name, &i64::try_from(token)?, &millis]).await?;
        Ok(!rows.is_empty())
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        let text = format!("UPDATE {} SET released = true WHERE name = $1 AND token = $2", self.table);
        self.query(&text, &[&self.name, &i64::try_from(token)?]).await?;
        Ok(())
    }
}

/// Returns the name as an identifier of SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
