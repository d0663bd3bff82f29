//! For the tests of your own trees: faults on demand, exact sequences of events, the paused clock
//! (feature `testing`, in `[dev-dependencies]`).
//!
//! What a supervision tree is for happens rarely, so a test has to cause it. [`start`] runs a tree on tokio's
//! paused clock with a fixed seed, so that back-offs are exact to the millisecond and take no time, and
//! records what happens from the boot on. [`Inject::inject`] lets any child fail with an error of your own,
//! with a panic, or by a kill, on the way that every failure takes. [`Tested::expect`] compares what has
//! happened with what should have.
//!
//! A panic of this library's own code, which elsewhere fails the child with `Cause::Bug`, ends the process in a debug build
//! with this feature: no test is to pass over it. Please report it.
//!
//! ```
//! use std::time::Duration;
//!
//! use supervise::prelude::*;
//! use supervise::testing::{self, Fault, Inject};
//!
//! #[derive(Debug, thiserror::Error)]
//! #[error("the database does not answer")]
//! struct Timeout;
//!
//! struct Db;
//!
//! #[actor]
//! impl Db {
//!     fn handle(&mut self, _query: String) -> Result<(), Timeout> {
//!         Ok(())
//!     }
//! }
//!
//! supervisor! {
//!     struct Shop {
//!         #[backoff(3s..30s, random_factor = 0)]
//!         db: Db = Db,
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // #[tokio::test]
//! // async fn the_database_is_given_time() {
//! let mut shop = testing::start(Shop::tree()).await.unwrap();
//! shop.expect(["db started", "Shop started"]);
//!
//! shop.db.inject(Fault::error(Timeout));
//! shop.settle().await;
//! shop.expect(["db failed", "db decided Restart", "db restart in 3s"]);
//! assert!(!shop.health().is_healthy());
//!
//! shop.advance(Duration::from_secs(3)).await;
//! shop.expect(["db restarted"]);
//! # }
//! ```
//!
//! When the events are not these, the test fails with the difference:
//!
//! ```text
//! other events than expected (- expected, + happened):
//!   db failed
//! - db decided Restart
//! - db restart in 3s
//! + db decided Stop
//! + db ended Failed
//! ```

pub use supervise_runtime::testing::*;
