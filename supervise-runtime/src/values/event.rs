//! Events: one for each change of state in a tree.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

use tokio::time::Instant;

use crate::values::ended::Ended;
use crate::values::failure::Failure;
use crate::values::strategy::Directive;

/// A change of state somewhere in a tree (rule S40).
///
/// It says where, when and in which incarnation; [`kind`](Event::kind) says what. Displayed it is one line. What an actor
/// was started with, and messages, never appear in it; of a message its type does.
///
/// ```
/// use supervise::{Event, EventKind, prelude::*};
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
/// let event: Event = events.next().await.expect("the tree lives")?;
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
    /// Where: `reports/daily`; the root's own is its name. In a name `/` is `%2F`, see [`segments`](Event::segments).
    pub path: String,
    /// When, on tokio's clock.
    pub at: Instant,
    /// Which incarnation of that child, counted from 1.
    pub incarnation: u32,
    /// What.
    pub kind: EventKind,
    /// When the tree was started.
    pub(crate) started: Instant,
}

impl Event {
    /// The names of the path, as they were given: of `shelves/jam%2Fhoney` they are `shelves` and `jam/honey`, see
    /// [`path`](crate::path).
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
    /// let event = events.next().await.expect("the tree lives")?;
    /// assert_eq!(event.to_string(), "shelves/jam%2Fhoney #1 started");
    /// assert!(event.segments().eq(["shelves", "jam/honey"]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn segments(&self) -> impl Iterator<Item = Cow<'_, str>> {
        crate::values::path::segments(&self.path)
    }

    /// How long after the start of the tree; zero for what happened before it.
    pub fn since_start(&self) -> Duration {
        self.at.saturating_duration_since(self.started)
    }
}

/// What happened.
///
/// A failure that leads to a restart is `Failed`, `Decided`, `RestartScheduled`, `Restarted`; a restart that fails is
/// `Failed` again, of the next incarnation. An end that is restarted (rule S23) begins with `RestartScheduled`.
/// New kinds may come: keep an arm `_`.
///
/// ```
/// use supervise::{EventKind, prelude::*};
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
///     story.push(match event?.kind {
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
    /// Up for the first time. The root's shows the seed of its random delays.
    Started {
        /// The tree's seed, at the root only.
        seed: Option<u64>,
    },
    /// A failure. What is done about it is told by [`Decided`](EventKind::Decided), if there is somebody who decides: a
    /// root that fails ends at once, and a failure that is kept while a supervisor above has failed may be decided later
    /// or never. A supervisor that fails with an escalated failure says so too, behind its `Escalated`: then
    /// `failure.path()` is not its own path. Of one that goes down already `Reported` follows instead of `Decided`.
    Failed {
        /// With what.
        failure: Failure,
        /// The type of the message in hand.
        message: Option<&'static str>,
    },
    /// A failure that is not decided on: it was going down anyway, it had called `cx.stop()`, a hook of the way down
    /// or a `Drop` failed, or a decider panicked. On the way to an end it is in the [`Report`](crate::Report) too.
    Reported {
        /// The failure.
        failure: Failure,
    },
    /// A decision on a failure. `Restart` is followed by `RestartScheduled`, `Resume` by nothing, `Stop` by the `Ended`
    /// of this child and of those that it takes along (during the boot: of the whole tree, by way of `Escalated`), and
    /// `Escalate` by `Escalated`, told by the supervisor.
    ///
    /// A Restart that cannot be is told as what it comes to: at a limit as `Stop` or `Escalate`, with `LimitReached` behind
    /// it; of a `Temporary` child, of a top-level actor whose decider escalates, as `Stop`.
    Decided {
        /// The directive that follows.
        directive: Directive,
        /// About what.
        failure: Failure,
        /// Restarts in a row so far.
        row: u32,
    },
    /// A restart was decided; it begins in `after`, once what has to go down is down. `Restarted` follows, or, if the start
    /// fails, `Failed`; if a stop comes first, `Ended`.
    RestartScheduled {
        /// How long it waits.
        after: Duration,
    },
    /// Up again, after a failure, with its group or its supervisor, or by hand.
    Restarted,
    /// It has ended.
    Ended {
        /// Why.
        ended: Ended,
    },
    /// This supervisor fails with the failure of one below it. Its own `Failed` follows, or, if it goes down already,
    /// `Reported`.
    Escalated {
        /// That failure.
        failure: Failure,
    },
    /// The restart budget of this child, or of its group, is used up. Of a failure it stands behind the `Decided` that says
    /// what follows instead of a restart; of an end that would have been restarted (rule S23) nobody decides.
    LimitReached,
    /// It did not go down in its time: its future was dropped, no further hook runs.
    Aborted {
        /// The type of the message in hand.
        message: Option<&'static str>,
    },
    /// It blocks its thread and cannot be ended.
    Stuck,
    /// Its start takes long.
    StillStarting {
        /// How long so far.
        since: Duration,
    },
    /// A `tell` to it has waited for room this long.
    Blocked {
        /// How long so far.
        since: Duration,
    },
    /// A message that nobody will handle.
    DeadLetter {
        /// Its type.
        message: &'static str,
        /// Why.
        reason: DeadReason,
    },
    /// The guard of the tree was dropped without `shutdown()`.
    GuardDropped {
        /// Where the tree was started.
        started_at: &'static Location<'static>,
    },
}

/// Why a message became a dead letter: one that was taken, and that nobody will handle (rule S5).
///
/// All dead letters of a tree are counted by [`TreeRef::dead_letters`](crate::TreeRef::dead_letters).
///
/// ```
/// use supervise::{DeadReason, EventKind, prelude::*};
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
/// app.worker.try_tell(2)?; // behind the one that ends it
/// app.worker.terminated().await?;
///
/// assert_eq!(app.dead_letters(), 1);
/// while let Some(event) = events.next().await {
///     if let EventKind::DeadLetter { message, reason } = event?.kind {
///         assert_eq!((message, reason), ("u32", DeadReason::Ended));
///         break;
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeadReason {
    /// Its actor ended before its turn came.
    Ended,
    /// It was in hand at a failure or abort once more than `redeliver` allows (S36).
    GivenUp,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{} ", self.path, self.incarnation)?;
        match &self.kind {
            EventKind::Started { seed: Some(seed) } => write!(f, "started, seed {seed}"),
            EventKind::Started { seed: None } => f.write_str("started"),
            EventKind::Failed { failure, message: Some(message) } => {
                write!(f, "failed with a {message} in hand: {}", failure.cause())
            }
            EventKind::Failed { failure, .. } => write!(f, "failed: {}", failure.cause()),
            EventKind::Reported { failure } => write!(f, "failed on its way down: {}", failure.cause()),
            EventKind::Decided { directive, .. } => write!(f, "decided: {directive:?}"),
            EventKind::RestartScheduled { after } => write!(f, "restarts in {after:?}"),
            EventKind::Restarted => f.write_str("restarted"),
            EventKind::Ended { ended } => write!(f, "ended: {}", ended.at(&self.path)),
            EventKind::Escalated { failure } => write!(f, "escalates: {failure}"),
            EventKind::LimitReached => f.write_str("used up its restarts"),
            EventKind::Aborted { .. } => f.write_str("aborted: it did not go down in its time"),
            EventKind::Stuck => f.write_str("stuck: it blocks its thread and cannot be ended"),
            EventKind::StillStarting { since } => write!(f, "still starting after {since:?}"),
            EventKind::Blocked { since } => write!(f, "its mailbox has been full for {since:?}"),
            EventKind::DeadLetter { message, .. } => write!(f, "dead letter: {message}"),
            EventKind::GuardDropped { started_at } => {
                write!(
                    f,
                    "the guard of the tree started at {started_at} was dropped: shutting down, nobody waits for it"
                )
            }
        }
    }
}
