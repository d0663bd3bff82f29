//! Events: one for each change of state in a tree.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::line::one_line;
use crate::values::decider::Arm;
use crate::values::ended::Ended;
use crate::values::failure::Failure;
use crate::values::lease::LeaseChange;
use crate::values::operation::Operation;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::Directive;

/// A change of state somewhere in a tree.
///
/// An event has a place, a time and an incarnation; [`kind`](Event::kind) says what happened. `Display` writes one
/// line. An event never contains messages or the arguments of a start, only the type name of a message (rule S40).
///
/// ```
/// use supervise::event::{Event, EventKind};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let mut events = shop.events();
/// shop.db.tell(()).await?; // fails
///
/// let event: Event = events.next().await.expect("the tree lives");
/// assert_eq!((event.path.as_str(), event.incarnation), ("db", 1));
/// assert!(matches!(event.kind, EventKind::Failed { .. }));
/// assert_eq!(event.to_string(), "db #1 failed with a () in hand: timed out");
/// assert_eq!(event.since_start().as_secs(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Event {
    /// The path of the child: `reports/daily`; for the root its name. A `/` in a name is written `%2F`, see
    /// [`segments`](Event::segments).
    pub path: String,
    /// The time of the event, on tokio's clock.
    pub at: Instant,
    /// The incarnation of that child, counted from 1.
    pub incarnation: u32,
    /// The change that happened.
    pub kind: EventKind,
    /// The time when the tree was started.
    #[doc(hidden)]
    pub started: Instant,
}

impl Event {
    /// Makes an event. `started`: the time when the tree was started.
    #[doc(hidden)]
    pub fn new(path: String, at: Instant, incarnation: u32, kind: EventKind, started: Instant) -> Self {
        Event { path, at, incarnation, kind, started }
    }

    /// Returns the names in the path, as they were given: for `shelves/jam%2Fhoney` they are `shelves` and `jam/honey`.
    /// See [`path`](crate::values::path).
    ///
    /// ```
    /// # use supervise::prelude::*;
    /// # struct Shelf;
    /// # #[actor]
    /// # impl Shelf { fn handle(&mut self, _msg: ()) {} }
    /// # supervisor! { struct House { shelves: [String => Shelf] = |_name: String| Shelf } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let house = House::start().await?;
    /// # let mut events = house.events();
    /// house.shelves.spawn("jam/honey".to_owned()).await?;
    /// let event = events.next().await.expect("the tree lives");
    /// assert_eq!(event.to_string(), "shelves/jam%2Fhoney #1 started");
    /// assert!(event.segments().eq(["shelves", "jam/honey"]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn segments(&self) -> impl Iterator<Item = Cow<'_, str>> {
        crate::values::path::segments(&self.path)
    }

    /// Returns the time since the start of the tree; zero for an event before it.
    pub fn since_start(&self) -> Duration {
        self.at.saturating_duration_since(self.started)
    }
}

/// The kind of an [`Event`].
///
/// A failure that leads to a restart gives `Failed`, `Decided`, `RestartScheduled` and `Restarted`; a restart that
/// fails gives `Failed` again, of the next incarnation. When a child is restarted after a normal end (rule S23), the
/// first event is `RestartScheduled`. New kinds may be added: keep an arm `_`.
///
/// ```
/// use supervise::event::EventKind;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #[backoff(3s..30s, random_factor = 0)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let mut events = shop.events();
/// shop.db.tell(()).await?; // fails
///
/// let mut story = Vec::new();
/// while let Some(event) = events.next().await {
///     story.push(match event.kind {
///         EventKind::Failed { failure, .. } => format!("failed: {}", failure.cause()),
///         EventKind::Decided { directive, .. } => format!("{directive:?}"),
///         EventKind::RestartScheduled { after } => format!("in {after:?}"),
///         EventKind::Restarted => break,
///         _ => continue,
///     });
/// }
/// assert_eq!(story, ["failed: timed out", "Restart", "in 3s"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EventKind {
    /// The child is up for the first time. The event of the root shows the seed of the tree's random delays.
    Started {
        /// The tree's seed, only at the root.
        seed: Option<u64>,
    },
    /// The child has failed.
    ///
    /// [`Decided`](EventKind::Decided) follows with the decision, if there is one: a root that fails ends immediately,
    /// and a failure that is kept while a supervisor above has failed may be decided later or never. A supervisor that
    /// fails with an escalated failure raises this event too, after its `Escalated`; then `failure.path()` is not its
    /// own path. If the child was already going down, `Reported` follows instead of `Decided`.
    Failed {
        /// The failure.
        failure: Failure,
        /// The type of the message in hand.
        message: Option<&'static str>,
    },
    /// A failure without a decision: the child was already going down, or had called `cx.stop()`, or a hook on the way
    /// down or a `Drop` failed, or a decider panicked. If the child is stopping, the failure is also in the
    /// [`Report`](crate::values::report::Report).
    Reported {
        /// The failure.
        failure: Failure,
    },
    /// The decision on a failure.
    ///
    /// After `Restart` comes `RestartScheduled`; after `Resume` nothing; after `Stop` the `Ended` of this child and of
    /// those that end with it (during the first start of a tree the whole tree ends, by way of `Escalated`); after
    /// `Escalate` the supervisor's `Escalated`.
    ///
    /// If a decided `Restart` is impossible, the event shows the directive that is carried out instead: `Stop` or
    /// `Escalate` at a limit, followed by `LimitReached`; `Stop` for a `Temporary` child, and for a top-level actor
    /// whose decider escalates.
    Decided {
        /// The directive that is carried out.
        directive: Directive,
        /// The failure that was decided.
        failure: Failure,
        /// The length of the streak: restarts so far without progress in between.
        streak: u32,
        /// The decider that answered.
        by: DecidedBy,
    },
    /// A restart was decided. It begins after `after`, once everything that has to go down is down. `Restarted`
    /// follows, or `Failed` if the start fails, or `Ended` if a stop comes first.
    RestartScheduled {
        /// The time that the restart waits.
        after: Duration,
    },
    /// The child is up again: after a failure, together with its group or its supervisor, or on request.
    Restarted,
    /// An operator asks for this, by [`TreeRef::operate`](https://docs.rs/supervise-tree/latest/supervise/struct.TreeRef.html#method.operate): the request is carried out after this
    /// event, or refused.
    ///
    /// See rule S53.
    Requested {
        /// The request.
        operation: Operation,
        /// The operator, as he or his tool names himself.
        by: String,
    },
    /// The child was asked to go down, and its own code may still be running: a stop, a restart by hand or of its
    /// group, or a supervisor above that goes down. Again if a request to end follows one to restart.
    ///
    /// After a failure of its own this event does not come, since `Decided` says what follows, nor before an end by
    /// itself. See rule S46.
    Stopping {
        /// Why the child goes down.
        reason: StopReason,
    },
    /// The child has ended.
    Ended {
        /// The reason.
        ended: Ended,
    },
    /// This supervisor fails with the failure of a child. Its own `Failed` follows, or `Reported` if the supervisor is
    /// already going down.
    Escalated {
        /// The failure of the child.
        failure: Failure,
    },
    /// The restart budget of this child, or of its group, is used up.
    ///
    /// After a failure, the `Decided` before this event says what happens instead of a restart. After a normal end that
    /// would have been followed by a restart (rule S23), there is no decision.
    LimitReached {
        /// The number of restarts that the budget allows.
        max_restarts: u32,
    },
    /// The child did not go down within its time: its future was dropped, and no further hook runs.
    Aborted {
        /// The type of the message in hand.
        message: Option<&'static str>,
    },
    /// The child blocks its thread and cannot be stopped.
    Stuck,
    /// The start of the child takes long.
    StillStarting {
        /// The time since the start began.
        since: Duration,
        /// Whether it waits for a task with `ready` to call [`cx.ready()`](https://docs.rs/supervise-tree/latest/supervise/struct.TaskContext.html#method.ready).
        ready: bool,
    },
    /// A `tell` to the child is waiting for room in the mailbox.
    Blocked {
        /// The time that the `tell` has waited so far.
        since: Duration,
    },
    /// The handler of this actor waits for a reply of another one, which waits, perhaps through others, for a reply of this
    /// one. Without a time for one of these asks, they wait forever. Raised when the last of them begins to wait, if asks are
    /// observed ([`Observe::ASKS`](crate::values::observe::Observe::ASKS)).
    AskCycle {
        /// The paths of the actors: each asks the next, and the last asks the first.
        cycle: Vec<String>,
    },
    /// A method of the actor, a `#[message]`, has returned an error that nobody reads: its caller did not wait for the
    /// answer, or waits no more. The actor goes on.
    Unread {
        /// The name of the message, such as `Account::withdraw`.
        message: &'static str,
        /// The type of the error.
        error: &'static str,
    },
    /// A message that will not be handled.
    DeadLetter {
        /// The name of the message: the method, such as `Account::deposit`, or the type of the messages.
        message: &'static str,
        /// The reason.
        reason: DeadLetterReason,
    },
    /// The remote child is ordered to start on this node.
    Placed {
        /// The name of the node.
        node: String,
    },
    /// The node on which this remote child ran is lost. The child's `Failed` follows, with
    /// [`Cause::NodeLost`](crate::values::failure::Cause::NodeLost).
    NodeLost {
        /// The name of the node.
        node: String,
        /// The time since the owner last heard of it.
        after: Duration,
    },
    /// The remote child waits for a node of its role that has room: its start is in progress.
    NoNode {
        /// The role.
        role: String,
    },
    /// The remote child was dropped as it was, since its lease and its time to go down were over: its process did not run
    /// for so long, or it went down too slowly.
    Fenced,
    /// A node does not run the remote child.
    Refused {
        /// The reason that the node gave.
        why: String,
    },
    /// A node follows the owner of this tree. The path is that of the tree.
    NodeJoined {
        /// The name of the node.
        node: Box<str>,
        /// Its role.
        role: Box<str>,
        /// The build of its program: the version of the package that declares the tree, or the text of `Net::build`.
        build: Box<str>,
    },
    /// A node that followed the owner of this tree has left, or is lost. The path is that of the tree.
    NodeLeft {
        /// The name of the node.
        node: Box<str>,
    },
    /// A node does not follow the owner of this tree, or gets no children of it. The path is that of the tree.
    NodeRefused {
        /// The name of the node.
        node: Box<str>,
        /// The reason, as the owner or the node gives it.
        why: Box<str>,
    },
    /// A message or a reply cannot be written for another process, and is lost: a message is a dead letter, and the
    /// asker of a reply learns that none comes.
    NotWritten {
        /// The error.
        why: String,
    },
    /// The lease under which a tree runs, or a part of it: it is waited for, held, lost or given back.
    ///
    /// See rule S55. The path is that of the tree; before it starts, its incarnation is 0.
    Lease {
        /// The name of the lease.
        lease: Arc<str>,
        /// The change.
        change: LeaseChange,
    },
    /// The reader of the events was slow: this event stands in the place of those that it missed, the oldest.
    ///
    /// Only this reader has it; it is in no log. The path is that of the root, the incarnation is 0, and the time is that
    /// of the event that follows. See rule S40.
    ///
    /// ```
    /// use supervise::event::{EVENT_BUFFER, EventKind};
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// # supervisor! { struct Shop { db: Db = Db } }
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// let mut events = shop.events();
    /// for _ in 0..EVENT_BUFFER {
    ///     shop.db.restart()?.await?; // several events each
    /// }
    /// let (mut read, mut lost) = (0, 0);
    /// while let Some(event) = events.try_next() {
    ///     match event.kind {
    ///         EventKind::Missed { events } => lost += events,
    ///         _ => read += 1,
    ///     }
    /// }
    /// assert_eq!(read, EVENT_BUFFER);
    /// assert!(lost > 0);
    /// # Ok(())
    /// # }
    /// ```
    Missed {
        /// The number of events that were missed.
        events: u64,
    },
    /// The guard of the tree was dropped without `shutdown()`.
    GuardDropped {
        /// The place in the code where the tree was started.
        started_at: &'static Location<'static>,
    },
}

/// Why an accepted message became a dead letter, which will not be handled.
///
/// [`TreeRef::dead_letters`](https://docs.rs/supervise-tree/latest/supervise/struct.TreeRef.html#method.dead_letters) counts all dead letters of a tree (rule S5).
///
/// ```
/// use supervise::event::{DeadLetterReason, EventKind};
/// use supervise::prelude::*;
///
/// struct Worker;
///
/// #[actor]
/// impl Worker {
///     fn handle(&mut self, _job: u32, cx: &mut Context<Self>) {
///         cx.stop();
///     }
/// }
///
/// supervisor! {
///     struct App {
///         #[lifecycle(Transient)]
///         worker: Worker = Worker,
///         other: Worker = Worker,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// let mut events = app.events();
/// app.worker.try_tell(1)?;
/// app.worker.try_tell(2)?; // after the message that ends the actor
/// app.worker.terminated().await?;
///
/// assert_eq!(app.dead_letters(), 1);
/// while let Some(event) = events.next().await {
///     if let EventKind::DeadLetter { message, reason } = event.kind {
///         assert_eq!((message, reason), ("u32", DeadLetterReason::Ended));
///         break;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeadLetterReason {
    /// The actor ended before it handled the message.
    Ended,
    /// The actor failed or was aborted while it handled the message, and the `redeliver` attempts are used up.
    ///
    /// See rule S36.
    GivenUp,
    /// The actor went down, and the message does not wait for its next incarnation: its mailbox is `fresh`, or a sender
    /// that goes down itself waits for the reply.
    ///
    /// See rules S3 and S35.
    Restarted,
    /// The message was sent to a node that is lost before it said that it had begun it: perhaps it was handled.
    Unknown,
    /// The message cannot be written for another process. See [`EventKind::NotWritten`].
    NotWritten,
    /// The node could not read the message: a failure of the child, with this message in hand.
    NotRead,
}

impl DeadLetterReason {
    /// All reasons, each at the place of its number.
    #[doc(hidden)]
    pub const ALL: [Self; 6] = [
        DeadLetterReason::Ended,
        DeadLetterReason::GivenUp,
        DeadLetterReason::Restarted,
        DeadLetterReason::Unknown,
        DeadLetterReason::NotWritten,
        DeadLetterReason::NotRead,
    ];

    /// Returns the number of this reason, which is its place in [`ALL`](Self::ALL).
    #[doc(hidden)]
    pub fn number(self) -> usize {
        match self {
            DeadLetterReason::Ended => 0,
            DeadLetterReason::GivenUp => 1,
            DeadLetterReason::Restarted => 2,
            DeadLetterReason::Unknown => 3,
            DeadLetterReason::NotWritten => 4,
            DeadLetterReason::NotRead => 5,
        }
    }

    /// Returns the word for this reason in JSON and in metrics.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            DeadLetterReason::Ended => "ended",
            DeadLetterReason::GivenUp => "given_up",
            DeadLetterReason::Restarted => "restarted",
            DeadLetterReason::Unknown => "unknown",
            DeadLetterReason::NotWritten => "not_written",
            DeadLetterReason::NotRead => "not_read",
        }
    }
}

/// The decider that answered a failure, in [`EventKind::Decided`].
///
/// `Display` writes a few words: `the child's decider: _: io::Error => Stop`.
///
/// ```
/// use supervise::event::{DecidedBy, EventKind};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![decider(Cause::Panic(_) => Stop, e: std::io::Error if e.raw_os_error().is_none() => Resume)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let mut events = shop.events();
/// shop.db.tell(()).await?; // fails
///
/// while let Some(event) = events.next().await {
///     if let EventKind::Decided { by: DecidedBy::Supervisor(Some(arm)), .. } = event.kind {
///         assert_eq!((arm.index, arm.text), (1, "e: std::io::Error if e.raw_os_error().is_none() => Resume"));
///         assert!(arm.at.file().ends_with(".rs"));
///         break;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecidedBy {
    /// The child's own decider, with this arm; `None` if the decider is a function.
    Child(Option<&'static Arm>),
    /// The decider of the supervisor, with this arm; `None` if the decider is a function.
    Supervisor(Option<&'static Arm>),
    /// No decider: the default of rule S9.
    Default,
}

impl DecidedBy {
    /// Returns the word for the child, supervisor or default that decided, in JSON and in the log.
    #[doc(hidden)]
    pub fn word(&self) -> &'static str {
        match self {
            DecidedBy::Child(_) => "child",
            DecidedBy::Supervisor(_) => "supervisor",
            DecidedBy::Default => "default",
        }
    }

    /// Returns the arm that answered.
    pub fn arm(&self) -> Option<&'static Arm> {
        match self {
            DecidedBy::Child(arm) | DecidedBy::Supervisor(arm) => *arm,
            DecidedBy::Default => None,
        }
    }
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecidedBy::Child(_) => "the child's decider",
            DecidedBy::Supervisor(_) => "the supervisor's decider",
            DecidedBy::Default => "the default",
        })?;
        match self.arm() {
            Some(arm) => write!(f, ": {arm}"),
            None => Ok(()),
        }
    }
}

impl EventKind {
    /// Returns the word for this kind in JSON.
    #[doc(hidden)]
    pub fn word(&self) -> &'static str {
        match self {
            EventKind::Started { .. } => "started",
            EventKind::Failed { .. } => "failed",
            EventKind::Reported { .. } => "reported",
            EventKind::Decided { .. } => "decided",
            EventKind::RestartScheduled { .. } => "restart_scheduled",
            EventKind::Restarted => "restarted",
            EventKind::Requested { .. } => "requested",
            EventKind::Stopping { .. } => "stopping",
            EventKind::Ended { .. } => "ended",
            EventKind::Escalated { .. } => "escalated",
            EventKind::LimitReached { .. } => "limit_reached",
            EventKind::Aborted { .. } => "aborted",
            EventKind::Stuck => "stuck",
            EventKind::StillStarting { .. } => "still_starting",
            EventKind::Blocked { .. } => "blocked",
            EventKind::AskCycle { .. } => "ask_cycle",
            EventKind::Unread { .. } => "unread",
            EventKind::DeadLetter { .. } => "dead_letter",
            EventKind::Lease { .. } => "lease",
            EventKind::Missed { .. } => "missed",
            EventKind::GuardDropped { .. } => "guard_dropped",
            EventKind::Placed { .. } => "placed",
            EventKind::NodeLost { .. } => "node_lost",
            EventKind::NoNode { .. } => "no_node",
            EventKind::Fenced => "fenced",
            EventKind::Refused { .. } => "refused",
            EventKind::NotWritten { .. } => "not_written",
            EventKind::NodeJoined { .. } => "node_joined",
            EventKind::NodeLeft { .. } => "node_left",
            EventKind::NodeRefused { .. } => "node_refused",
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            EventKind::Missed { .. } => write!(f, "{}: ", self.path)?, // of no incarnation
            _ => write!(f, "{} #{} ", self.path, self.incarnation)?,
        }
        match &self.kind {
            EventKind::Started { seed: Some(seed) } => write!(f, "started, seed {seed}"),
            EventKind::Started { seed: None } => f.write_str("started"),
            EventKind::Failed { failure, message: Some(message) } => {
                write!(f, "failed with a {message} in hand: {}", failure.why())
            }
            EventKind::Failed { failure, .. } => write!(f, "failed: {}", failure.why()),
            EventKind::Reported { failure } => write!(f, "failed on its way down: {}", failure.why()),
            EventKind::Decided { directive, .. } => write!(f, "decided: {directive:?}"),
            EventKind::RestartScheduled { after } => write!(f, "restarts in {after:?}"),
            EventKind::Restarted => f.write_str("restarted"),
            EventKind::Requested { operation, by } => write!(f, "{operation} requested by {}", one_line(by)),
            EventKind::Stopping { reason } => write!(f, "stopping: {reason}"),
            EventKind::Ended { ended } => write!(f, "ended: {}", ended.at(&self.path)),
            EventKind::Escalated { failure } => write!(f, "escalates: {failure}"),
            EventKind::LimitReached { max_restarts: 0 } => f.write_str("may not be restarted"),
            EventKind::LimitReached { .. } => f.write_str("used up its restarts"),
            EventKind::Aborted { .. } => f.write_str("aborted: it did not go down in its time"),
            EventKind::Stuck => f.write_str("stuck: it blocks its thread and cannot be ended"),
            EventKind::StillStarting { since, ready: false } => write!(f, "still starting after {since:?}"),
            EventKind::StillStarting { since, ready: true } => {
                write!(f, "still starting after {since:?}: the task has not called `cx.ready()`")
            }
            EventKind::Blocked { since } => write!(f, "its mailbox has been full for {since:?}"),
            EventKind::AskCycle { cycle } => {
                f.write_str("waits for a reply that waits for its own: ")?;
                cycle.iter().try_for_each(|path| write!(f, "{path} asks "))?;
                f.write_str(cycle.first().map_or("", |first| first))
            }
            EventKind::Unread { message, error } => {
                write!(f, "{message} has returned an error that nobody reads: {error}")
            }
            EventKind::DeadLetter { message, .. } => write!(f, "dead letter: {message}"),
            EventKind::Placed { node } => write!(f, "placed on {}", one_line(node)),
            EventKind::NodeLost { node, after } => {
                write!(f, "lost its node {}, not heard of for {after:?}", one_line(node))
            }
            EventKind::NoNode { role } => write!(f, "waits for a node of the role {}", one_line(role)),
            EventKind::Fenced => f.write_str("fenced: its lease was over, and it was dropped"),
            EventKind::Refused { why } => write!(f, "refused by a node: {}", one_line(why)),
            EventKind::NodeJoined { node, role, build } => {
                write!(f, "node {} joined as {}, build {}", one_line(node), one_line(role), one_line(build))
            }
            EventKind::NodeLeft { node } => write!(f, "node {} left", one_line(node)),
            EventKind::NodeRefused { node, why } => write!(f, "node {} is refused: {}", one_line(node), one_line(why)),
            EventKind::NotWritten { why } => write!(f, "cannot be written for another process: {}", one_line(why)),
            EventKind::Missed { events: 1 } => {
                f.write_str("1 event was missed; read them faster, or in a task of their own")
            }
            EventKind::Missed { events } => {
                write!(f, "{events} events were missed; read them faster, or in a task of their own")
            }
            EventKind::Lease { lease, change } => write!(f, "lease {}: {change}", one_line(lease)),
            EventKind::GuardDropped { started_at } => {
                write!(
                    f,
                    "the guard of the tree started at {started_at} was dropped: the tree shuts down, and nothing waits for \
                     it; keep the guard in a variable, or `detach` it"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::failure::{Cause, Phase, Thrown};
    use crate::values::lease::LeaseCall;

    /// Each spawn and each restart moves some events, so a rare one does not make all of them larger.
    #[test]
    fn an_event_stays_small() {
        assert_eq!(size_of::<EventKind>(), 56);
    }

    /// S51: each reason has a counter of its own.
    #[test]
    fn each_reason_of_a_dead_letter_has_its_number() {
        assert!(DeadLetterReason::ALL.iter().enumerate().all(|(number, reason)| reason.number() == number));
    }

    /// S40: an event is one line, whatever the names and texts in it are.
    #[test]
    fn an_event_is_one_line() {
        let nasty = || "one\ntwo\u{1b}[2J\u{202e}\u{2028}\u{feff}\u{200b}\u{85}".to_owned();
        let shown = "one\\ntwo\\u{1b}[2J\\u{202e}\\u{2028}\\u{feff}\\u{200b}\\u{85}";
        let failure = |cause| Failure::new(Phase::Running, cause, "db", 1);
        let of_error = || failure(Cause::Error(Thrown::from(nasty())));
        let after = Duration::ZERO;
        let (lease, change) = (Arc::from(nasty()), LeaseChange::Waiting);
        for kind in [
            EventKind::Failed { failure: of_error(), message: None },
            EventKind::Failed { failure: of_error(), message: Some("Note") },
            EventKind::Failed { failure: failure(Cause::Panic(nasty())), message: None },
            EventKind::Failed { failure: failure(Cause::Bug(nasty())), message: None },
            EventKind::Failed { failure: failure(Cause::NodeLost { node: nasty() }), message: None },
            EventKind::Reported { failure: of_error() },
            EventKind::Escalated { failure: of_error() },
            EventKind::Escalated { failure: of_error().at_limit(10) },
            EventKind::Ended { ended: Ended::Failed(of_error()) },
            EventKind::Ended { ended: Ended::DoneWith(nasty().into()) },
            EventKind::Requested { operation: Operation::Stop, by: nasty() },
            EventKind::Placed { node: nasty() },
            EventKind::NodeLost { node: nasty(), after },
            EventKind::NoNode { role: nasty() },
            EventKind::Refused { why: nasty() },
            EventKind::NotWritten { why: nasty() },
            EventKind::NodeJoined { node: nasty().into(), role: nasty().into(), build: nasty().into() },
            EventKind::NodeLeft { node: nasty().into() },
            EventKind::NodeRefused { node: nasty().into(), why: nasty().into() },
            EventKind::Lease { lease, change },
            EventKind::Lease {
                lease: Arc::from("shop"),
                change: LeaseChange::Failed { call: LeaseCall::Acquire, error: nasty() },
            },
        ] {
            let now = Instant::now();
            let event = Event { path: "db".to_owned(), at: now, incarnation: 1, kind, started: now };
            let line = event.to_string();
            assert!(line.contains(shown), "{line}");
            assert_eq!(line, one_line(&line).to_string());
        }
    }
}
