//! The settings of a supervisor and of a child, as plain values.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use crate::base::deferred_drop::CatchDrop;
use crate::base::sync::Arc;
use crate::values::failure::{Cause, Failure, Phase};

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
    pub(crate) fn without_resume(self) -> Self {
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
    /// The supervisor fails with [`Cause::LimitReached`].
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
    /// Messages go back to their senders immediately, with [`SendRejection::Down`](crate::error::SendRejection::Down).
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
    pub(crate) max_restarts: Option<MaxRestarts>,
    pub(crate) within: Option<Duration>,
    pub(crate) on_limit: Option<OnLimit>,
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

/// Gets the place for the index of the arm that answers.
type Decide = dyn Fn(&Failure, &mut usize) -> Option<Directive> + Send + Sync;

/// The index of no arm.
const NO_ARM: usize = usize::MAX;

/// An arm of a decider: `e: io::Error if e.kind() == NotFound => Stop`.
///
/// `Display` writes its text. See [`DecidedBy`](crate::event::DecidedBy).
///
/// ```
/// use supervise::event::DecidedBy;
/// use supervise::policy::Arm;
///
/// /// The line of a log: which arm has answered, and where it is written.
/// fn answered(by: DecidedBy) -> Option<String> {
///     let (DecidedBy::Child(arm) | DecidedBy::Supervisor(arm)) = by else { return None };
///     arm.map(|Arm { index, text, at, .. }| format!("arm {index}, {text}, at {at}"))
/// }
/// # assert_eq!(answered(DecidedBy::Default), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arm {
    /// The position among the arms of its decider, from 0.
    pub index: usize,
    /// The arm as it is written.
    pub text: &'static str,
    /// The place of the arm in the source.
    pub at: &'static Location<'static>,
}

impl Arm {
    /// Makes an arm at the place of the call. Called by generated code.
    #[doc(hidden)]
    #[track_caller]
    pub const fn new(index: usize, text: &'static str) -> Self {
        Arm { index, text, at: Location::caller() }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The function that decides what happens after a failure.
///
/// `decider! { .. }` makes one from arms, [`Decider::total`] from a function. A failure that a decider leaves open goes
/// to the next one: first the child's decider, then the tree's, then the default. A decider runs in the task of the
/// child that failed. It sees the failure, not the child's state or message. A panic in a decider escalates (rules S8
/// and S9).
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// /// One decider for several trees.
/// fn patient() -> Decider {
///     decider! {
///         e: std::io::Error if e.kind() == std::io::ErrorKind::PermissionDenied => Stop,
///         _ => Restart,
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #![decider(patient())]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// # shop.db.tell(()).await?;
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// # assert_eq!(shop.db.incarnation(), 2);
/// let stop_all = Decider::total(|_failure| Directive::Stop);
/// assert!(patient().has_arms() && !stop_all.has_arms());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Decider {
    decide: Decides,
    typed: bool,
    arms: &'static [Arm],
}

#[derive(Clone)]
enum Decides {
    Const(fn(&Failure) -> Option<Directive>),
    Shared(Arc<Decide>),
    /// Decides all failures of one child. `None`: not now.
    InTime(Arc<DecideInTime>),
}

type DecideInTime = dyn Fn(&Failure) -> Option<Directive> + Send + Sync;

impl Decider {
    /// Makes a decider with arms: `None` if no arm matches.
    pub fn partial(decide: impl Fn(&Failure) -> Option<Directive> + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, _| decide(failure))), typed: true, arms: &[] }
    }

    /// Makes the decider of one child, which may keep a failure until it is asked again: `None`.
    pub(crate) fn in_time(decide: impl Fn(&Failure) -> Option<Directive> + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::InTime(Arc::new(move |failure| decide(failure))), typed: false, arms: &[] }
    }

    /// Returns whether the decider may keep a failure until it is asked again.
    pub(crate) fn is_in_time(&self) -> bool {
        matches!(self.decide, Decides::InTime(_))
    }

    /// Makes a decider with these arms. `decide` stores the index of the arm that answers. Called by generated code.
    #[doc(hidden)]
    pub fn with_arms(
        decide: impl Fn(&Failure, &mut usize) -> Option<Directive> + Send + Sync + 'static,
        arms: &'static [Arm],
    ) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, arm| decide(failure, arm))), typed: true, arms }
    }

    /// Makes a decider that answers every failure.
    pub fn total(decide: impl Fn(&Failure) -> Directive + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, _| Some(decide(failure)))), typed: false, arms: &[] }
    }

    /// Returns the directive for this failure; `None` if the decider leaves it open.
    pub fn decide(&self, failure: &Failure) -> Option<Directive> {
        self.answer(failure).map(|(directive, _)| directive)
    }

    /// Returns the directive for this failure, and the arm that gave it.
    pub(crate) fn answer(&self, failure: &Failure) -> Option<(Directive, Option<&'static Arm>)> {
        let mut arm = NO_ARM;
        let directive = match &self.decide {
            Decides::Const(decide) => decide(failure),
            Decides::Shared(decide) => decide(failure, &mut arm),
            Decides::InTime(decide) => decide(failure),
        };
        Some((directive?, self.arms.get(arm)))
    }

    /// Returns `true` if the decider has arms, so that an error without an arm escalates.
    pub fn has_arms(&self) -> bool {
        self.typed
    }
}

impl fmt::Debug for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decider").field("arms", &self.typed).finish_non_exhaustive()
    }
}

/// A value that can be written in `decider(..)`: a [`Decider`], or a function or closure `Fn(&Failure) -> Directive`.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// fn by_phase(failure: &Failure) -> Directive {
///     if failure.phase() == Phase::Running { Directive::Restart } else { Directive::Stop }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[decider(by_phase)] // a path
///         db: Db = Db,
///         #[decider(|failure: &Failure| by_phase(failure))] // a closure
///         cart: Db = Db,
///         #[decider(decider! { _ => Stop })] // a value
///         audit: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// # shop.db.tell(()).await?;
/// # shop.audit.tell(()).await?;
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// # assert_eq!((shop.db.incarnation(), shop.audit.ended().is_some()), (2, true));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot decide on failures",
    label = "expected a `Decider`, or a function or closure `Fn(&Failure) -> Directive`"
)]
pub trait IntoDecider<M> {
    /// Returns the decider.
    fn into_decider(self) -> Decider;
}

impl IntoDecider<()> for Decider {
    fn into_decider(self) -> Decider {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(&Failure) -> Directive + Send + Sync + 'static> IntoDecider<fn(&Failure)> for F {
    fn into_decider(self) -> Decider {
        Decider::total(self)
    }
}

/// Returns the default decision for a failure that every decider left open (rule S9). `arms`: a decider with arms was
/// asked. An error that none of its arms names escalates, unless only its text has crossed from another process: no arm
/// can name its type.
pub(crate) fn default_directive(failure: &Failure, backoff_declared: bool, arms: bool) -> Directive {
    match (failure.cause(), failure.phase()) {
        (Cause::Error(error), _) if arms && !error.crossed_as_text() => Directive::Escalate,
        (Cause::Killed | Cause::DeathPact(_), _) => Directive::Stop,
        // The child is not at fault, so another node is tried, also in the first start of a tree.
        (Cause::NodeLost { .. }, _) => Directive::Restart,
        (_, Phase::Start) if !backoff_declared => Directive::Stop,
        _ => Directive::Restart,
    }
}

/// The strategy, limit and decider for the children of an actor or a tree.
///
/// Default: `OneForOne`, 10 restarts in 1 minute for each child, and the default decider. Write one with
/// `strategy! { .. }`, or with these methods (rules S9 and S38):
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::MaxRestarts;
/// use supervise::prelude::*;
///
/// struct Manager;
///
/// #[actor]
/// impl Manager {
///     fn handle(&mut self, _msg: ()) {}
///
/// /// `strategy! { #![strategy(AllForOne, max_restarts = 3, within = 1min)] #![decider(|_| Directive::Restart)] }`
///     #[supervision]
///     fn children(&self) -> SupervisorStrategy {
///         SupervisorStrategy::new(Strategy::AllForOne)
///             .max_restarts(MaxRestarts::AtMost(3))
///             .within(Duration::from_secs(60))
///             .decider(|_: &_| Directive::Restart)
///     }
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SupervisorStrategy {
    pub(crate) strategy: Strategy,
    pub(crate) limit: RestartLimit,
    pub(crate) budget: BudgetScope,
    pub(crate) decider: Option<Decider>,
}

impl SupervisorStrategy {
    /// `OneForOne`, and every failure stops the child.
    ///
    /// See rule S9.
    pub const STOPPING: SupervisorStrategy = SupervisorStrategy {
        strategy: Strategy::OneForOne,
        limit: RestartLimit::new(),
        budget: BudgetScope::PerChild,
        decider: Some(Decider { decide: Decides::Const(|_| Some(Directive::Stop)), typed: false, arms: &[] }),
    };

    /// Returns this strategy with the default budget, 10 restarts in 1 minute, and the default decider.
    ///
    /// See rules S9 and S15.
    pub const fn new(strategy: Strategy) -> Self {
        SupervisorStrategy { strategy, limit: RestartLimit::new(), budget: BudgetScope::PerChild, decider: None }
    }

    pub(crate) fn is_default(&self) -> bool {
        let SupervisorStrategy { strategy, limit, budget, decider } = self;
        *strategy == Strategy::OneForOne
            && *limit == RestartLimit::new()
            && *budget == BudgetScope::PerChild
            && decider.is_none()
    }

    /// Sets the number of restarts that are allowed: for each child under `OneForOne`, otherwise for the whole group.
    pub fn max_restarts(mut self, max: MaxRestarts) -> Self {
        self.limit = self.limit.max_restarts(max);
        self
    }

    /// Sets the window of the budget.
    pub fn within(mut self, window: Duration) -> Self {
        self.limit = self.limit.within(window);
        self
    }

    /// Sets the action when the budget is used up; default `Escalate`.
    pub fn on_limit(mut self, then: OnLimit) -> Self {
        self.limit = self.limit.on_limit(then);
        self
    }

    /// Sets which children share the budget under `OneForOne`; default [`BudgetScope::PerChild`]. A shared budget
    /// allows neither `on_limit` Stop nor a limit of a child's own.
    pub fn budget(mut self, budget: BudgetScope) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the decider.
    pub fn decider<M>(mut self, decider: impl IntoDecider<M>) -> Self {
        self.decider = Some(decider.into_decider());
        self
    }
}
