//! The start of a tree under test.

use std::fmt;
use std::future::IntoFuture;
use std::ops::Deref;
use std::panic::Location;
use std::time::Duration;

use super::clock::{self, advance, settle};
use super::record::Record;
use supervise_core::base::BoxFuture;
use supervise_core::values::event::{Event, EventKind};
use supervise_core::values::failure::Failure;
use supervise_core::values::observe::Observe;
use supervise_core::values::report::Report;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::probe;
use supervise_runtime::{Running, Tree};

/// Starts a tree for a test: on the paused clock, with a fixed seed, and with all events recorded from its first start
/// on.
///
/// The clock is paused if it is not paused yet: from then on time moves only when the test moves it, or when every task
/// waits for a timer. The seed is 0 unless you set one.
///
/// # Panics
///
/// Panics if it is awaited on a multi-threaded runtime, whose clock cannot be paused.
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
/// let lines = shop.record().lines(); // the random part is the same in every run
/// assert_eq!(lines[..2], ["db failed", "db decided Restart"]);
/// shop.advance(Duration::from_secs(4)).await;
/// shop.expect(["db restarted"]);
/// # }
/// ```
#[track_caller]
pub fn start<T: TreeDef>(tree: Tree<T>) -> Start<T> {
    Start { tree, at: Location::caller() }
}

/// A tree that is about to be tested, returned by [`start`]. Await it to start the tree.
///
/// # Errors
///
/// Returns [`NotStarted`], with the failure of a start that is not retried.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, Start};
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
/// let start: Start<Shop> = testing::start(Shop::tree()).seed(42);
/// let shop = start.await.expect("a start");
/// assert_eq!(shop.seed(), 42);
/// # }
/// ```
#[must_use = "the tree is started when this is awaited"]
pub struct Start<T: TreeDef> {
    tree: Tree<T>,
    /// The place where the test calls [`start`].
    at: &'static Location<'static>,
}

impl<T: TreeDef> fmt::Debug for Start<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Start").field(&self.tree).finish()
    }
}

impl<T: TreeDef> Start<T> {
    /// Sets the seed of the tree's random delays.
    ///
    /// See rule S34.
    pub fn seed(self, seed: u64) -> Self {
        Start { tree: self.tree.seed(seed), at: self.at }
    }
}

impl<T: TreeDef> IntoFuture for Start<T> {
    type Output = Result<Tested<T>, NotStarted>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    /// Starts the tree.
    ///
    /// # Errors
    ///
    /// Returns the failure of a start that is not retried, with the record of what led to it (S21).
    fn into_future(self) -> Self::IntoFuture {
        let mut tree = probe::seed_or(self.tree, 0);
        probe::mark_as_tested(&mut tree);
        tree = probe::observe_too(tree, Observe::ASKS);
        Box::pin(async move {
            clock::pause();
            let record = Record::of(tree.events());
            match probe::start_at(tree, self.at).await {
                Ok(running) => Ok(Tested { running, record }),
                Err(failure) => Err(NotStarted { failure, record }),
            }
        })
    }
}

/// A running tree under test. Derefs to the tree's handle, and is its guard: dropping it shuts the tree down.
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
/// shop.expect(["db stopping Restart", "db restarted"]);
///
/// let (report, mut record) = shop.shutdown().await;
/// assert!(report.is_orderly());
/// record.expect(["Shop stopping Asked", "db stopping Shutdown", "db ended Stopped", "Shop ended Stopped"]);
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
    /// Lets all tasks run that can run now; see [`settle`].
    ///
    /// # Cancel safety
    ///
    /// May be dropped at any time.
    pub async fn settle(&self) {
        settle().await;
    }

    /// Moves the clock; see [`advance`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped early, the clock may have moved only a part of the way.
    ///
    /// # Panics
    ///
    /// Panics if the clock is not paused.
    pub async fn advance(&self, time: Duration) {
        advance(time).await;
    }

    /// Checks that exactly these events have occurred since the last call; see [`Record::expect`].
    ///
    /// # Panics
    ///
    /// Panics with the difference if they have not.
    #[track_caller]
    pub fn expect<E: AsRef<str>>(&mut self, expected: impl IntoIterator<Item = E>) {
        self.record.expect(expected);
    }

    /// Checks that no actors have waited for each other's replies so far, so that none of them could go on.
    ///
    /// A tree under test always observes who asks whom; see [`AskCycle`](supervise_runtime::event::EventKind::AskCycle).
    ///
    /// ```
    /// use supervise::prelude::*;
    /// use supervise::testing;
    ///
    /// struct Stock;
    ///
    /// #[actor]
    /// impl Stock {
    ///     fn handle(&mut self, reply: Reply<u32>) {
    ///         reply.send(3);
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         stock: Stock = Stock,
    ///     }
    /// }
    ///
    /// // #[tokio::test]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut shop = testing::start(Shop::tree()).await.expect("a start");
    /// assert_eq!(shop.stock.ask(|reply| reply).await.ok(), Some(3));
    /// shop.expect_no_deadlock();
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// Panics with the paths of each cycle of actors.
    #[track_caller]
    pub fn expect_no_deadlock(&mut self) {
        let cycles: Vec<String> = self
            .record
            .events()
            .iter()
            .filter(|event| matches!(event.kind, EventKind::AskCycle { .. }))
            .map(Event::to_string)
            .collect();
        assert!(cycles.is_empty(), "actors waited for each other:\n{}", cycles.join("\n"));
    }

    /// Returns the record of the events so far.
    pub fn record(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Shuts the tree down, and returns its report and the record, which includes the end.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the shutdown continues, and the record is lost.
    pub async fn shutdown(self) -> (Report, Record) {
        let Tested { running, record } = self;
        (running.shutdown().await, record)
    }
}

/// The error of a tree under test that did not start.
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
///     "db stopping FailedAbove",
///     "db ended Stopped",
///     "Shop failed",
///     "Shop ended Failed",
/// ]);
/// # }
/// ```
#[derive(Debug)]
pub struct NotStarted {
    /// The failure of the start.
    pub failure: Failure,
    /// The events that led to it, and those of the children that went down again.
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
