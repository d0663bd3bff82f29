//! Resume or Restart: a database that does not answer for a while.

use std::time::Duration;

use anyhow::ensure;
use supervise::prelude::*;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Whether the database answers. The database is not supervised here; its operator brings it back.
type Database = watch::Receiver<bool>;

supervisor! {
    struct Clients(database: Database) {
        // The basket contains the user's data: it continues with that state.
        #[decider(_: Timeout => Resume)]
        basket: Client = Client { database, rows: 0 },

        // A cache can be filled again. It starts over, and gives the database 2 s before that.
        #[decider(_: Timeout => Restart)]
        #[backoff(2s..30s, random_factor = 0)]
        cache: Client = Client { database, rows: 0 },
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the database does not answer")]
struct Timeout;

struct Client {
    database: Database,
    rows: u32,
}

#[actor]
impl Client {
    /// Reads another row, and returns its number.
    #[message]
    async fn fetch(&mut self) -> Result<u32, Thrown> {
        let Ok(Ok(_)) = timeout(Duration::from_secs(1), self.database.wait_for(|up| *up)).await else {
            return Err(Timeout)?;
        };
        self.rows += 1;
        Ok(self.rows)
    }
}

pub(crate) async fn run() -> anyhow::Result<()> {
    println!("Database: two clients have read from the database when it stops answering");
    let (up, database) = watch::channel(true);
    let clients = Clients::start(database).await?;
    let both = [("basket", Directive::Resume, &clients.basket), ("cache", Directive::Restart, &clients.cache)];
    for (name, _, client) in both {
        client.fetch().await?;
        client.fetch().await?;
        println!("  {name} has read row {}", client.fetch().await?);
    }
    up.send(false)?;
    println!("  the database is down, and each client fails at its next query");
    for (_, _, client) in both {
        ensure!(client.fetch().await.is_err(), "the query should fail");
    }
    sleep(Duration::from_secs(3)).await;
    up.send(true)?;
    println!("  the database is up again, and both clients are asked for another row");
    let mut rows = Vec::new();
    for (name, directive, client) in both {
        rows.push(client.fetch().await?);
        let instance = if client.incarnation() == 1 { "the same instance" } else { "a new instance" };
        println!("  {name}, {directive:?}: {instance}, which has now read row {}", rows[rows.len() - 1]);
    }
    ensure!(rows == [4, 1], "Resume should keep the rows, and Restart should not");
    clients.shutdown().await;
    Ok(())
}
