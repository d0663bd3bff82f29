//! A tree under test.

use std::fmt;
use std::future::IntoFuture;
use std::ops::Deref;
use std::panic::Location;
use std::time::Duration;

use super::clock::{self, advance, settle};
use super::record::Record;
use crate::base::BoxFuture;
use crate::tree::{Running, Tree, TreeDef};
use crate::values::failure::Failure;
use crate::values::report::Report;

/// Starts a tree to be tested: on the paused clock, with a fixed seed, everything recorded from the boot on.
///
/// The clock is paused if it is not: from then on time stands still, until a test moves it or nothing is left
/// to do but to wait for a timer. The seed is 0 unless one is given.
///
/// # Panics
///
/// When awaited on a runtime with several threads: their clock cannot be paused.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::testing::{self, Fault, Inject};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
///
/// supervisor! {
///     struct Shop {
///         #[backoff(3s..30s)]
///         db: Db = Db,
///     }
/// }
///
/// // #[tokio::test]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut shop = testing::start(Shop::tree()).seed(7).await.expect("a start");
/// shop.expect(["db started", "Shop started"]);
/// shop.db.inject(Fault::error(Timeout));
/// shop.settle().await;
/// let lines = shop.record().lines(); // with a noise that is the same in every run
/// assert_eq!(lines[..2], ["db failed", "db decided Restart"]);
/// shop.advance(Duration::from_secs(4)).await;
/// shop.expect(["db restarted"]);
/// # }
/// ```
#[track_caller]
pub fn start<T: TreeDef>(tree: Tree<T>) -> Starting<T> {
    Starting { tree, at: Location::caller() }
}

/// A tree that is about to be tested: [`start`]. Await it.
///
/// # Errors
///
/// [`NotStarted`], with the failure of a start that is not retried.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, Starting};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let starting: Starting<Shop> = testing::start(Shop::tree()).seed(42);
/// let shop = starting.await.expect("a start");
/// assert_eq!(shop.seed(), 42);
/// # }
/// ```
#[must_use = "the tree is started when this is awaited"]
pub struct Starting<T: TreeDef> {
    tree: Tree<T>,
    /// Where the test has written [`start`].
    at: &'static Location<'static>,
}

impl<T: TreeDef> fmt::Debug for Starting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Starting").field(&self.tree).finish()
    }
}

impl<T: TreeDef> Starting<T> {
    /// The seed of its random delays (S34).
    pub fn seed(self, seed: u64) -> Self {
        Starting { tree: self.tree.seed(seed), at: self.at }
    }
}

impl<T: TreeDef> IntoFuture for Starting<T> {
    type Output = Result<Tested<T>, NotStarted>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    /// # Errors
    ///
    /// The failure of a start that is not retried (S21), with the record of what led to it.
    fn into_future(self) -> Self::IntoFuture {
        let mut tree = self.tree.seed_or(0);
        Box::pin(async move {
            clock::pause();
            let record = Record::of(tree.events());
            match tree.start_at(self.at).await {
                Ok(running) => Ok(Tested { running, record }),
                Err(failure) => Err(NotStarted { failure, record }),
            }
        })
    }
}

/// A running tree under test. Derefs to its handle, and is its guard: dropping it shuts the tree down.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, Tested};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut shop: Tested<Shop> = testing::start(Shop::tree()).await.expect("a start");
/// shop.expect(["db started", "Shop started"]);
/// shop.db.restart().expect("it is up");
/// shop.settle().await;
/// shop.expect(["db restarted"]);
///
/// let (report, mut record) = shop.shutdown().await;
/// assert!(report.is_orderly());
/// record.expect(["db ended Stopped", "Shop ended Stopped"]);
/// # }
/// ```
pub struct Tested<T: TreeDef> {
    running: Running<T>,
    record: Record,
}

impl<T: TreeDef> fmt::Debug for Tested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tested").field(&self.running).finish()
    }
}

impl<T: TreeDef> Deref for Tested<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.running
    }
}

impl<T: TreeDef> Tested<T> {
    /// Lets everything happen that can happen now; see [`settle`](super::settle).
    pub async fn settle(&self) {
        settle().await;
    }

    /// Moves the clock; see [`advance`](super::advance).
    pub async fn advance(&self, time: Duration) {
        advance(time).await;
    }

    /// What has happened since the last call is exactly this; see [`Record::expect`].
    ///
    /// # Panics
    ///
    /// With the difference, if it is not.
    #[track_caller]
    pub fn expect<E: AsRef<str>>(&mut self, expected: impl IntoIterator<Item = E>) {
        self.record.expect(expected);
    }

    /// What has happened so far.
    pub fn record(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Takes the tree down; gives its report and the record with the end in it.
    pub async fn shutdown(self) -> (Report, Record) {
        let Tested { running, record } = self;
        (running.shutdown().await, record)
    }
}

/// A tree under test did not start.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing;
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         cart: Db = Err(Timeout)?,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut not = testing::start(Shop::tree()).await.expect_err("the cart cannot be started");
/// assert!(not.failure.error::<Timeout>().is_some());
/// not.record.expect([
///     "db started",
///     "cart failed",
///     "cart decided Stop",
///     "Shop escalated", // all or nothing
///     "cart ended Stopped",
///     "db ended Stopped",
///     "Shop failed",
///     "Shop ended Failed",
/// ]);
/// # }
/// ```
#[derive(Debug)]
pub struct NotStarted {
    /// Why.
    pub failure: Failure,
    /// What led to it, and how what was up went down again.
    pub record: Record,
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl std::error::Error for NotStarted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.failure.source()
    }
}
