//! What a shutdown reports (rule S24).

use std::fmt;
use std::process::{ExitCode, Termination};
use std::time::Duration;

use crate::watch::Ended;

/// How a tree ended: what `shutdown()` and `join()` give.
///
/// As the return value of `main` it is an exit code: success if the tree was done or stopped and no
/// child had to be aborted.
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
}

impl Report {
    /// The tree was done or stopped, and every child went down in its time.
    pub fn is_orderly(&self) -> bool {
        self.ended.is_orderly() && self.children.iter().all(|child| !child.aborted && !child.stuck)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ended)?;
        for child in self.children.iter().filter(|child| child.aborted || child.stuck) {
            let how = if child.stuck { "stuck" } else { "aborted" };
            write!(f, "; {} was {how} after {:?}", child.path, child.took)?;
        }
        Ok(())
    }
}

impl Termination for Report {
    fn report(self) -> ExitCode {
        if self.is_orderly() {
            ExitCode::SUCCESS
        } else {
            eprintln!("{self}");
            ExitCode::FAILURE
        }
    }
}
