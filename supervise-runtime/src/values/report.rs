//! What a shutdown reports (rule S24).

use std::fmt;
use std::process::{ExitCode, Termination};
use std::time::Duration;

use crate::values::ended::Ended;
use crate::values::failure::Failure;

/// How a tree ended: what `shutdown()` and `join()` give.
///
/// As the return value of `main` it is an exit code: success if it [is orderly](Report::is_orderly), else it is printed.
/// Displayed it is one line, of ten children at most; as `{:#}`, and when it is printed, each child has a line of its own.
///
/// ```
/// use supervise::prelude::*;
/// # async fn work(cx: TaskContext) { cx.stopped().await }
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
    /// Why the tree ended, the first failure inside.
    pub ended: Ended,
    /// Every child that was alive or declared when the shutdown began, in the order they ended.
    pub children: Vec<ChildReport>,
    /// The first failure of the tree's own on its way out: a `let` whose `Drop` panicked. Those of its children are in
    /// [`children`](Report::children).
    pub failure: Option<Failure>,
    /// How many of these there were.
    pub failures: u32,
}

/// How one child ended.
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
    /// Its path.
    pub path: String,
    /// Why it ended.
    pub ended: Ended,
    /// How long it took to go down.
    pub took: Duration,
    /// Its time was up: it lost the rest of its hooks.
    pub aborted: bool,
    /// It blocked its thread, and the shutdown gave up on it.
    pub stuck: bool,
    /// The first failure on its way out: of its last message, of a task that was told to end, of `post_stop`, of a
    /// `Drop`. Nobody decides on such a failure, and [`ended`](ChildReport::ended) stays what led to the end.
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
    /// How many of these there were.
    pub failures: u32,
}

impl ChildReport {
    /// How bad it is: the greater, the worse. 0 is nothing to speak of.
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
    /// The tree was done or stopped, every child went down in its time, and nothing failed on its way out.
    ///
    /// A failure that was decided before does not count: that is what deciders are for. One on the way out nobody decides.
    pub fn is_orderly(&self) -> bool {
        self.ended.is_orderly() && self.failures == 0 && self.children.iter().all(|child| child.weight().0 == 0)
    }
}

/// So many children are named.
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
                write!(f, " was {how} after {:?}", child.took)?;
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
