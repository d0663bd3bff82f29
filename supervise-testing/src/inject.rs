//! Failures on request, for tests.

use std::fmt;

use supervise_core::values::failure::{BoxError, Cause, Thrown};
use supervise_runtime::ChildRef;
use supervise_runtime::probe;

/// A fault to inject: an error, a panic or a kill.
///
/// ```
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
///         #![decider(
///             _: Timeout => Restart,
///             Cause::Panic(_) => Resume,
///             Cause::Killed => Stop,
///             _ => Escalate,
///         )]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut shop = testing::start(Shop::tree()).await.expect("a start");
/// shop.expect(["db started", "cart started", "Shop started"]);
/// for fault in [Fault::error(Timeout), Fault::panic("a bug"), Fault::kill()] {
///     shop.db.inject(fault);
///     shop.settle().await;
/// }
/// shop.expect([
///     "db failed", "db decided Restart", "db restart in 0ns", "db restarted",
///     "db failed", "db decided Resume",
///     "db failed", "db decided Stop", "db ended Killed",
/// ]);
/// # }
/// ```
pub struct Fault(Cause);

impl Fault {
    /// Makes the child fail with this error; deciders find it by its type, as if a handler had returned it.
    pub fn error(error: impl Into<BoxError> + Send + 'static) -> Self {
        Fault(Cause::Error(Thrown::from(error)))
    }

    /// Makes the child fail with a panic of this text. Nothing really unwinds, so a panic hook is not called.
    pub fn panic(text: impl Into<String>) -> Self {
        Fault(Cause::Panic(text.into()))
    }

    /// Makes this library really panic in the code that runs the child, in whatever state the child is.
    #[doc(hidden)]
    pub fn bug(text: impl Into<String>) -> Self {
        Fault(Cause::Bug(text.into()))
    }

    /// Kills the child, as the `kill()` of its handle does.
    pub fn kill() -> Self {
        Fault(Cause::Killed)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fault").field(&self.0).finish()
    }
}

/// A handle of a child that can be made to fail: every [`ChildRef`].
///
/// ```
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
///         db: Db = Db,
///         ticker: task = |cx| async move { cx.stopped().await },
///         reports: struct Reports { daily: Db = Db },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let shop = testing::start(Shop::tree()).await.expect("a start");
/// shop.db.inject(Fault::error(Timeout));
/// shop.ticker.inject(Fault::panic("a bug"));
/// shop.reports.inject(Fault::error(Timeout)); // the subtree itself, through its `TreeRef`
/// shop.advance(std::time::Duration::from_secs(1)).await;
/// let incarnations = (shop.db.incarnation(), shop.ticker.incarnation(), shop.reports.incarnation());
/// assert_eq!(incarnations, (2, 2, 2));
/// # }
/// ```
pub trait Inject: ChildRef {
    /// Makes the child fail now, and returns immediately. The failure is treated like any other: it is decided, counts
    /// against the restart budget, waits for the restart delay, and is reported.
    ///
    /// See rule S6.
    ///
    /// * The code that the child is running is dropped at its next `.await`, as if it had returned the error there: a
    ///   handler (the event names its message), a start, `pre_start`, `post_restart`.
    /// * A task fails as by one of its subtasks: a task with a context is asked to end, and has its `shutdown` time
    ///   (S29).
    /// * While the child is going down, or while a failure of it is being decided, the fault is a failure that is only
    ///   reported.
    /// * While the child waits for its start, and after it has ended, nothing runs that could fail: an error or panic
    ///   has no effect; a kill is a stop (S6).
    fn inject(&self, fault: Fault) {
        probe::inject(&self.any(), fault.0);
    }
}

impl<T: ChildRef> Inject for T {}
