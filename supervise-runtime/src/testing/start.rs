//! A tree under test.

use std::fmt;
use std::future::IntoFuture;
use std::ops::Deref;
use std::time::Duration;

use super::clock::{self, advance, settle};
use super::record::Record;
use crate::failure::Failure;
use crate::options::BoxFuture;
use crate::report::Report;
use crate::tree::{Running, Tree, TreeDef};

/// Starts a tree to be tested: on the paused clock, with a fixed seed, everything recorded from the boot on.
///
/// The clock is paused if it is not: from then on time stands still, until a test moves it or nothing is left
/// to do but to wait for a timer. The seed is 0 unless one is given.
///
/// # Panics
///
/// When awaited on a runtime with several threads: their clock cannot be paused.
pub fn start<T: TreeDef>(tree: Tree<T>) -> Starting<T> {
    Starting { tree }
}

/// A tree that is about to be tested: [`start`].
#[must_use = "the tree is started when this is awaited"]
pub struct Starting<T: TreeDef> {
    tree: Tree<T>,
}

impl<T: TreeDef> fmt::Debug for Starting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Starting").field(&self.tree).finish()
    }
}

impl<T: TreeDef> Starting<T> {
    /// The seed of its random delays (S34).
    pub fn seed(self, seed: u64) -> Self {
        Starting { tree: self.tree.seed(seed) }
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
            match tree.start().await {
                Ok(running) => Ok(Tested { running, record }),
                Err(failure) => Err(NotStarted { failure, record }),
            }
        })
    }
}

/// A running tree under test. Derefs to its handle.
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
#[derive(Debug, thiserror::Error)]
#[error("{failure}")]
pub struct NotStarted {
    /// Why.
    #[source]
    pub failure: Failure,
    /// What led to it, and how what was up went down again.
    pub record: Record,
}
