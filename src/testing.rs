//! Tools for testing your own trees: faults on demand, exact sequences of events, the paused clock (feature `testing`,
//! in `[dev-dependencies]`).
//!
//! The failures that a supervision tree handles are rare, so a test has to cause them. [`start`] runs a tree on tokio's
//! paused clock with a fixed seed, so that delays are exact to the millisecond and take no real time, and records the
//! events from the first start on. [`Inject::inject`] lets any child fail with an error of your own, with a panic, or
//! by a kill; the failure is handled like any other. [`Tested::expect`] compares the events with the expected ones.
//!
//! A panic in this library's own code normally fails the child with `Cause::Bug`. In a debug build with this feature it
//! ends the process, so that no test can miss it. Please report such a panic.
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
//! If the events differ, the test fails and shows the difference:
//!
//! ```text
//! other events than expected (- expected, + happened):
//!   db failed
//! - db decided Restart
//! - db restart in 3s
//! + db decided Stop
//! + db ended Failed
//! ```

pub use supervise_testing::*;
