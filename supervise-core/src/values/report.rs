//! The report of a shutdown (rule S24).

use std::fmt;
use std::process::{ExitCode, Termination};
use std::time::Duration;

use crate::values::ended::Ended;
use crate::values::failure::Failure;

/// The result of a tree: why it ended, and how each child ended. Returned by `shutdown()`, `join()` and `run()`.
///
/// As the return value of `main`, a report becomes the exit code: success if it [is orderly](Report::is_orderly);
/// otherwise it is printed, and the exit code is a failure. `Display` writes one line with at most ten children;
/// `{:#}`, and the printed report, have a line for each child.
///
/// ```
/// use supervise::prelude::*;
/// # async fn work(cx: TaskContext) { cx.stopped().await; }
///
/// supervisor! {
///     struct App {
///         first: task = |cx| work(cx),
///         second: task = |cx| work(cx),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let report = App::start().await?.shutdown().await;
/// assert!(report.is_orderly());
/// assert!(matches!(report.ended, Ended::Stopped));
/// let order: Vec<&str> = report.children.iter().map(|child| child.path.as_str()).collect();
/// assert_eq!(order, ["second", "first"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// Why the tree ended, with the first failure.
    pub ended: Ended,
    /// All children that were alive or declared when the shutdown began, in the order in which they ended.
    pub children: Vec<ChildReport>,
    /// The first failure of the tree itself while it was stopping: a `let` whose `Drop` panicked. Failures of its
    /// children are in [`children`](Report::children).
    pub failure: Option<Failure>,
    /// The number of such failures.
    pub failures: u32,
}

/// The end of one child.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// supervisor! {
///     struct App {
///         #[lifecycle(Permanent, shutdown = 2s)]
///         deaf: task = |_cx| std::future::pending::<()>(),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let report = App::start().await?.shutdown().await;
/// let deaf = &report.children[0];
/// assert!(deaf.aborted && matches!(deaf.ended, Ended::Aborted));
/// assert_eq!((deaf.path.as_str(), deaf.took), ("deaf", Duration::from_secs(2)));
/// assert_eq!(report.to_string(), "stopped; deaf was aborted after 2s");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChildReport {
    /// The path of the child.
    pub path: String,
    /// Why the child ended.
    pub ended: Ended,
    /// The time that the child took to go down; zero if it had ended before.
    pub took: Duration,
    /// Whether the child was aborted because its time was up, and so lost its remaining hooks: now, or before the tree
    /// began to end.
    pub aborted: bool,
    /// Whether the child blocked its thread, so that the shutdown did not wait for it any longer.
    pub stuck: bool,
    /// The first failure of the child while it was stopping: in its last message, in a task that was asked to stop, in
    /// `post_stop` or in a `Drop`. No decider sees such a failure, and [`ended`](ChildReport::ended) keeps what led to
    /// the end.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// async fn flush(cx: TaskContext) -> std::io::Result<()> {
    ///     cx.stopped().await;
    ///     Err(std::io::ErrorKind::StorageFull.into())
    /// }
    ///
    /// supervisor! {
    ///     struct App {
    ///         log: task = |cx| flush(cx),
    ///         other: task = std::future::pending::<()>(),
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let report = App::start().await?.shutdown().await;
    /// let log = report.children.iter().find(|child| child.path == "log").expect("it was alive");
    /// assert!(matches!(log.ended, Ended::Stopped) && log.failure.is_some());
    /// assert!(!report.is_orderly());
    /// assert_eq!(report.to_string(), "stopped; log failed on its way out: no storage space");
    /// # Ok(())
    /// # }
    /// ```
    pub failure: Option<Failure>,
    /// The number of such failures.
    pub failures: u32,
}

/// A [`ChildReport`] without its path.
#[derive(Debug)]
#[doc(hidden)]
pub struct ChildEnd {
    pub ended: Ended,
    pub took: Duration,
    pub aborted: bool,
    pub stuck: bool,
    pub failure: Option<Failure>,
    pub failures: u32,
}

impl ChildEnd {
    #[doc(hidden)]
    #[inline]
    pub fn at(&self, path: String) -> ChildReport {
        let ChildEnd { ended, took, aborted, stuck, failure, failures } = self;
        ChildReport {
            path,
            ended: ended.clone(),
            took: *took,
            aborted: *aborted,
            stuck: *stuck,
            failure: failure.clone(),
            failures: *failures,
        }
    }
}

impl ChildReport {
    /// Returns how bad the end was: the greater, the worse; 0 for a good end.
    fn weight(&self) -> (u8, Duration) {
        let weight = match self {
            ChildReport { stuck: true, .. } => 3,
            ChildReport { aborted: true, .. } => 2,
            ChildReport { failures: 1.., .. } => 1,
            _ => 0,
        };
        (weight, self.took)
    }
}

impl Report {
    /// Makes the report of a tree.
    #[doc(hidden)]
    pub fn new(ended: Ended, children: Vec<ChildReport>, failure: Option<Failure>, failures: u32) -> Self {
        Report { ended, children, failure, failures }
    }

    /// Returns `true` if the tree ended by itself or was stopped, every child went down within its time, and nothing
    /// failed while stopping.
    ///
    /// A failure that was decided on earlier does not count, since a decider handled it. A failure while stopping does,
    /// since no decider sees it.
    pub fn is_orderly(&self) -> bool {
        self.ended.is_orderly() && self.failures == 0 && self.children.iter().all(|child| child.weight().0 == 0)
    }
}

/// The number of children that are named.
const NAMED: usize = 10;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if f.alternate() { "\n" } else { "; " };
        write!(f, "{}", self.ended)?;
        if let Some(failure) = &self.failure {
            write!(f, "{between}the tree itself")?;
            failed(f, failure, self.failures)?;
        }
        let mut worst: Vec<_> = self.children.iter().filter(|child| child.weight().0 > 0).collect();
        worst.sort_by_key(|child| std::cmp::Reverse(child.weight()));
        for child in worst.iter().take(NAMED) {
            write!(f, "{between}{}", child.path)?;
            if child.stuck || child.aborted {
                let how = if child.stuck { "stuck" } else { "aborted" };
                write!(f, " was {how}")?;
                if !child.took.is_zero() {
                    write!(f, " after {:?}", child.took)?;
                }
            }
            if let Some(failure) = &child.failure {
                f.write_str(if child.aborted { ", and" } else { "" })?;
                failed(f, failure, child.failures)?;
            }
        }
        match worst.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "{between}and {more} more"),
        }
    }
}

fn failed(f: &mut fmt::Formatter<'_>, failure: &Failure, failures: u32) -> fmt::Result {
    write!(f, " failed on its way out: {}", failure.cause())?;
    match failures {
        ..=1 => Ok(()),
        2 => f.write_str(" (and once more)"),
        more => write!(f, " (and {} times more)", more - 1),
    }
}

impl Termination for Report {
    fn report(self) -> ExitCode {
        if self.is_orderly() {
            ExitCode::SUCCESS
        } else {
            eprintln!("{self:#}");
            ExitCode::FAILURE
        }
    }
}
