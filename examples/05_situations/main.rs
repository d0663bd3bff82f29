//! Three situations, and the decision that fits each: the examples of a 2017 article on supervision in Akka.
//!
//! * `sensors.rs`: sensors are read for a report. A sensor that fails spoils nothing but its own line: **Stop**
//!   it, and leave it out.
//! * `sort.rs`: a list is sorted by two actors that split it between them. If one starts over alone, their parts no
//!   longer fit together: **AllForOne** has both start over. Look at the 3, which is lost without it.
//! * `database.rs`: a database does not answer for a while, and will be back. **Resume** the client whose state is
//!   worth keeping, **Restart** the one whose state is not.

mod database;
mod sensors;
mod sort;

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    sensors::run().await?;
    sort::run().await?;
    database::run().await
}
