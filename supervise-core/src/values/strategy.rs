//! The words of the settings of a supervisor and of a child.

use std::time::Duration;

/// The choice of the children that restart when one of them fails.
///
/// See rule S17.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(RestForOne)]
///         pool: Db = Db,
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?; // fails
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// let incarnations = [&shop.pool, &shop.db, &shop.cart].map(ActorRef::incarnation);
/// assert_eq!(incarnations, [1, 2, 2]);
/// assert_eq!(Shop::SPEC.strategy, Strategy::RestForOne);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// Only the failed child restarts.
    #[default]
    OneForOne,
    /// Every child of the supervisor restarts.
    AllForOne,
    /// The failed child restarts, and the children declared after it.
    RestForOne,
}

/// The decision on a failure.
///
/// [`Default`](Directive::Default) leaves the decision to rule S9. The arms of a decider name the variants without the
/// name of this type (rule S8):
///
/// ```
/// use supervise::prelude::*;
///
/// #[derive(Debug, thiserror::Error)]
/// enum DbError {
///     #[error("a typo in {0}")]
///     Query(&'static str),
///     #[error("no answer")]
///     Timeout,
///     #[error("the password is wrong")]
///     Password,
///     #[error("a page is broken")]
///     Corrupt,
/// }
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     fn handle(&mut self, wrong: DbError) -> Result<(), DbError> {
///         Err(wrong)
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #![decider(
///             DbError::Query(_) => Resume,
///             DbError::Timeout => Restart,
///             DbError::Password => Stop,
///             DbError::Corrupt => Escalate,
///         )]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(DbError::Query("selct")).await?;
/// shop.db.tell(DbError::Timeout).await?;
/// shop.db.tell(DbError::Password).await?;
/// assert!(matches!(shop.db.terminated().await?, Ended::Failed(_)));
/// assert_eq!(shop.db.incarnation(), 2); // of three failures, one led to a restart
///
/// shop.cart.tell(DbError::Corrupt).await?;
/// let report = shop.join().await; // the whole tree has failed
/// assert_eq!(report.ended.to_string(), "cart failed while running: a page is broken");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Directive {
    /// Keep the instance and its state, and continue with the next message.
    Resume,
    /// Start a new instance; the mailbox, the handles and the watchers stay.
    Restart,
    /// End this child.
    Stop,
    /// Let the supervisor fail with the same failure.
    Escalate,
    /// The decision that there is without any decider: rule S9.
    ///
    /// This is so at each level: for the decider of a child, too, the decider of the tree is not asked. An event names
    /// the decision that this came to, and never `Default`.
    ///
    /// ```
    /// use std::io;
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) -> io::Result<()> { Err(io::ErrorKind::TimedOut.into()) } }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         // Without the last arm, all other errors would escalate.
    ///         #![decider(e: io::Error if e.kind() == io::ErrorKind::PermissionDenied => Stop, _ => Default)]
    ///         db: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// shop.db.tell(()).await?; // fails
    /// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    /// assert_eq!(shop.db.incarnation(), 2); // restarted, as by default
    /// shop.db.kill();
    /// assert!(matches!(shop.db.terminated().await?, Ended::Killed)); // stopped, as by default
    /// # Ok(())
    /// # }
    /// ```
    Default,
}

impl Directive {
    /// Returns the directive for a failure after which nothing can be resumed.
    #[doc(hidden)]
    pub fn without_resume(self) -> Self {
        match self {
            Directive::Resume => Directive::Restart,
            other => other,
        }
    }
}

/// The action when the restart budget is used up.
///
/// See rule S15.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(OneForOne, max_restarts = 1, within = 1min, on_limit = Stop)]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?;
/// shop.db.tell(()).await?;
/// assert!(matches!(shop.db.terminated().await?, Ended::Limit(_)));
/// assert!(shop.ended().is_none()); // with `Escalate`, the default, the shop would have failed
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnLimit {
    /// The supervisor fails with [`Cause::LimitReached`](crate::values::failure::Cause::LimitReached).
    Escalate,
    /// The same as the directive `Stop`.
    Stop,
}

/// The children that share a restart budget under `OneForOne`.
///
/// Under the other strategies, the children always share one. A `[..]` has one share as a whole, and each of its
/// instances has a budget of its own.
///
/// In a tree, write `#![strategy(OneForOne, budget = Shared)]` (rule S15):
///
/// ```
/// use supervise::Cause;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(OneForOne, max_restarts = 3, within = 1min, budget = Shared)]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// for child in [&shop.db, &shop.cart, &shop.db, &shop.cart] {
///     child.tell(()).await?; // fails
/// #   tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// }
/// let report = shop.join().await; // each of them has failed only twice
/// assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BudgetScope {
    /// Each child has a budget of its own.
    #[default]
    PerChild,
    /// All children have one budget.
    Shared,
}

/// The number of restarts that are allowed in a window.
///
/// In a tree, write a number or `Unlimited`: `#![strategy(OneForOne, max_restarts = 3, within = 1min)]` (rule S15).
///
/// ```
/// use supervise::policy::MaxRestarts;
/// use supervise::prelude::*;
///
/// let few = SupervisorStrategy::new(Strategy::OneForOne).max_restarts(MaxRestarts::AtMost(3));
/// let any = SupervisorStrategy::new(Strategy::OneForOne).max_restarts(MaxRestarts::Unlimited);
/// # let _ = (few, any);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaxRestarts {
    /// At most this many; with 0 the child is never restarted.
    AtMost(u32),
    /// Any number.
    Unlimited,
}

/// The ends after which a child is restarted.
///
/// See rule S23.
///
/// | what happened | `Permanent` | `Transient` | `Temporary` |
/// |---|---|---|---|
/// | it failed, and the decider says `Restart` | restarted | restarted | ends |
/// | it ended by itself | restarted | stays ended | stays ended |
/// | it was stopped from outside | stays ended | stays ended | stays ended |
///
/// Default: `Permanent` for a declared actor or subtree; `Transient` for a task, in a `[..]`, and for what is spawned
/// at run time.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Job;
///
/// #[actor]
/// impl Job {
///     fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
///         cx.stop(); // done, by itself
///     }
/// }
///
/// supervisor! {
///     struct Jobs {
///         always: Job = Job,
///         #[lifecycle(Transient)]
///         until_done: Job = Job,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let jobs = Jobs::start().await?;
/// jobs.always.tell(()).await?;
/// jobs.until_done.tell(()).await?;
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// assert_eq!(jobs.always.incarnation(), 2);
/// assert!(matches!(jobs.until_done.ended(), Some(Ended::Done)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// After a failure, and after an end by itself.
    Permanent,
    /// After a failure only.
    Transient,
    /// Never.
    Temporary,
}

/// The time that a child may take to go down.
///
/// Default: 5 s; for a tree, `Infinity`. A [`Duration`] converts into `Within` (rule S24).
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::ShutdownTimeout;
/// use supervise::prelude::*;
/// # async fn work(cx: TaskContext) { cx.stopped().await; }
///
/// supervisor! {
///     struct App(grace: ShutdownTimeout) {
///         #[lifecycle(Permanent, shutdown = 20s)]
///         polite: task = |cx| work(cx),
///         #[lifecycle(Permanent, shutdown = Kill)]
///         expendable: task = |cx| work(cx),
///         #[lifecycle(Permanent, shutdown = grace)]
///         configured: task = |cx| work(cx),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// assert_eq!(ShutdownTimeout::from(Duration::from_secs(7)), ShutdownTimeout::Within(Duration::from_secs(7)));
/// let app = App::start(ShutdownTimeout::Infinity).await?;
/// assert!(app.shutdown().await.is_orderly());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShutdownTimeout {
    /// This long for the current message, the child's own children and `post_stop`; then the child is aborted.
    Within(Duration),
    /// No time: the child's future is dropped, and no hook runs.
    Kill,
    /// No limit.
    Infinity,
}

/// The order in which the children of a tree go down, at an end as in a restart.
///
/// See rule S44.
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::ShutdownOrder;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         #![shutdown(30s, Together)]
///         pool: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// assert_eq!(Shop::SPEC.shutdown_order, ShutdownOrder::Together);
/// // Each of the two has 5 s, at the same time.
/// assert_eq!(Shop::SPEC.shutdown_budget(), Some(Duration::from_secs(5)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ShutdownOrder {
    /// One after the other, in the reverse order of their declaration.
    #[default]
    Reverse,
    /// All at the same time.
    Together,
}

impl From<Duration> for ShutdownTimeout {
    fn from(time: Duration) -> Self {
        ShutdownTimeout::Within(time)
    }
}

/// The number of messages that can wait in a mailbox. Default: `Bounded(1024)`.
///
/// See rule S3.
///
/// ```
/// use supervise::prelude::*;
/// # struct Log;
/// # #[actor]
/// # impl Log { fn handle(&mut self, _line: &'static str) {} }
///
/// supervisor! {
///     struct App(room: usize) {
///         #[mailbox(Bounded(room))]
///         log: Log = Log,
///         #[mailbox(Unbounded)] // a `tell` never waits, and the memory is not limited
///         trace: Log = Log,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start(2).await?;
/// assert!(app.log.try_tell("one").is_ok() && app.log.try_tell("two").is_ok());
/// assert!(app.log.try_tell("three").is_err());
/// for _ in 0..10_000 {
///     app.trace.try_tell("again")?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mailbox {
    /// At most this many; a `tell` waits for room.
    Bounded(usize),
    /// Any number.
    Unbounded,
}

impl Default for Mailbox {
    fn default() -> Self {
        Mailbox::Bounded(1024)
    }
}

/// Whether messages wait or are rejected while their actor is down.
///
/// An actor is down before its first start, and from a failure (its own or an ancestor's), or from when its group or a
/// requested restart takes it down, until it handles messages again (rule S35).
///
/// ```
/// use supervise::error::{AskError, SendRejection};
/// use supervise::prelude::*;
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     fn handle(&mut self, reply: Reply<&'static str>) -> std::io::Result<()> {
///         drop(reply);
///         Err(std::io::ErrorKind::TimedOut.into())
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[while_down(Reject)]
///         #[backoff(3s..30s, random_factor = 0)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert!(shop.db.ask(|reply| reply).await.is_err()); // fails
/// match shop.db.ask(|reply| reply).await {
///     Err(AskError::Refused { reason: SendRejection::Down { retry_in: Some(time) }, .. }) => assert_eq!(time.as_secs(), 3),
///     other => panic!("{other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhileDown {
    /// Messages wait in the mailbox.
    #[default]
    Hold,
    /// Messages go back to their senders immediately, with [`SendRejection::Down`](https://docs.rs/supervise-tree/latest/supervise/error/enum.SendRejection.html#variant.Down).
    /// Messages that were queued before stay.
    Reject,
}

/// Whether two instances of a remote child may act at the same time (S57).
///
/// A node that nobody hears of may still run what it was given. The owner cannot tell it from one that is dead.
///
/// ```
/// use supervise::policy::Overlap;
///
/// assert_eq!(Overlap::default(), Overlap::Forbidden);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Overlap {
    /// A replacement starts when the lost instance is known to be down, or when its lease and its `shutdown` are over.
    #[default]
    Forbidden,
    /// A replacement starts at once. For some time two instances may act.
    Allowed,
}

/// How the instances of one remote child are spread over the nodes of its role (S56).
///
/// ```
/// use supervise::policy::Spread;
///
/// assert_eq!(Spread::default(), Spread::Any);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Spread {
    /// Each goes to the node with the fewest children of the tree.
    #[default]
    Any,
    /// No node has two of them. The rest wait for a node.
    OnePerNode,
}

/// A restart budget: how many restarts, in which window, and the action at the limit.
///
/// A value that is not set is taken from the supervisor's strategy, or from the default: 10 in 1 minute, `Escalate` (in
/// a `[..]`: `Stop`).
///
/// In a tree, write `#[limit(max_restarts = 3, within = 1min, on_limit = Stop)]` above a child (rule S15):
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::{MaxRestarts, OnLimit, RestartLimit};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // #[limit(max_restarts = 3, within = 1min, on_limit = Stop)] as a value
/// let limit = RestartLimit::new()
///     .max_restarts(MaxRestarts::AtMost(3))
///     .within(Duration::from_secs(60))
///     .on_limit(OnLimit::Stop);
/// # let _ = limit;
/// let db = spawn(child! {
///     #[limit(max_restarts = 3, within = 1min, on_limit = Stop)]
///     "db": Db = Db
/// });
/// let db = db.await?;
/// for _ in 0..4 {
///     db.tell(()).await?; // fails
/// }
/// assert!(matches!(db.terminated().await?, Ended::Limit(_)));
/// assert_eq!(db.incarnation(), 4); // the first start and three restarts
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RestartLimit {
    #[doc(hidden)]
    pub max_restarts: Option<MaxRestarts>,
    #[doc(hidden)]
    pub within: Option<Duration>,
    #[doc(hidden)]
    pub on_limit: Option<OnLimit>,
}

impl RestartLimit {
    /// Returns a limit with nothing set.
    pub const fn new() -> Self {
        RestartLimit { max_restarts: None, within: None, on_limit: None }
    }

    /// Sets the number of restarts that are allowed.
    pub const fn max_restarts(mut self, max: MaxRestarts) -> Self {
        self.max_restarts = Some(max);
        self
    }

    /// Sets the window. Without it, restarts are counted over the life of the supervisor's incarnation.
    pub const fn within(mut self, window: Duration) -> Self {
        self.within = Some(window);
        self
    }

    /// Sets the action at the limit.
    pub const fn on_limit(mut self, then: OnLimit) -> Self {
        self.on_limit = Some(then);
        self
    }
}
