//! What a tree tells the outside: one [`Event`] for each change of state (rule S40).

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::time::Duration;

use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

use crate::failure::Failure;
use crate::last::{Shelter, drop_quietly};
use crate::span::Spans;
use crate::strategy::Directive;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
pub(crate) use crate::sync::lock;
use crate::sync::{Arc, Mutex, OnceLock, foreign};
use crate::watch::Ended;

/// How many events a subscriber may be behind before it misses some: 1,024, see [`Events`].
pub const EVENT_BUFFER: usize = 1024;

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
    started: Instant,
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
        crate::path::segments(&self.path)
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

/// A subscriber's view of a tree's events, in order, from [`TreeRef::events`](crate::TreeRef::events), or with the boot
/// from [`Tree::events`](crate::Tree::events).
///
/// A subscriber that falls more than [`EVENT_BUFFER`] events behind misses the oldest and is told how
/// many; it never slows the tree. Each subscriber sees all events of the whole tree, from its subscription on.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tree = Shop::tree().seed(7);
/// let mut events = tree.events(); // the boot too
///
/// // In a task of its own, so that nothing else makes it late.
/// let log = tokio::spawn(async move {
///     let mut lines = Vec::new();
///     while let Some(event) = events.next().await {
///         match event {
///             Ok(event) => lines.push(event.to_string()),
///             Err(missed) => lines.push(missed.to_string()), // and on it goes behind the gap
///         }
///     }
///     lines // the tree has ended
/// });
///
/// tree.start().await?.shutdown().await;
/// let lines = log.await?;
/// assert_eq!(lines[..2], ["db #1 started", "Shop #1 started, seed 7"]);
/// assert_eq!(lines[2..], ["db #1 ended: stopped", "Shop #1 ended: stopped"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Events {
    /// Always there, but for its own `Drop`.
    receiver: Option<broadcast::Receiver<Event>>,
}

impl Drop for Events {
    fn drop(&mut self) {
        let _shelter = Shelter::new();
        self.receiver = None; // with what it has not read
    }
}

/// So many events were missed, because the subscriber was too slow.
///
/// ```
/// use supervise::{EVENT_BUFFER, Missed, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let mut events = shop.events();
/// for _ in 0..=EVENT_BUFFER {
///     shop.db.restart()?; // one event each
///     assert!(shop.ready().await);
/// }
/// let gap = events.next().await.expect("the tree lives");
/// assert!(matches!(gap, Err(Missed(n)) if n > 0));
/// assert!(events.next().await.is_some_and(|next| next.is_ok())); // it goes on behind the gap
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} events were missed; read them faster, or in a task of their own")]
pub struct Missed(pub u64);

impl Events {
    /// The next event; `None` once the tree has ended and all were read.
    ///
    /// # Errors
    ///
    /// [`Missed`] once after a gap; the next call goes on behind it.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when this future is dropped.
    pub async fn next(&mut self) -> Option<Result<Event, Missed>> {
        let mut receive = pin!(self.receiver.as_mut()?.recv());
        let received = poll_fn(|cx| {
            let _shelter = Shelter::new(); // the last reader of an event drops it in its slot, under a lock
            receive.as_mut().poll(cx)
        });
        match received.await {
            Ok(event) => Some(Ok(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Err(Missed(missed))),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next event if there is one already.
    pub fn try_next(&mut self) -> Option<Result<Event, Missed>> {
        let _shelter = Shelter::new();
        match self.receiver.as_mut()?.try_recv() {
            Ok(event) => Some(Ok(event)),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(Err(Missed(missed))),
            Err(_) => None,
        }
    }
}

/// What all cells of one tree share.
#[derive(Debug)]
pub(crate) struct Bus {
    /// Made by the first subscriber, taken away at the end of the tree.
    sender: Mutex<Channel>,
    heard: AtomicBool,
    pub(crate) seed: u64,
    pub(crate) dead_letters: AtomicU64,
    /// Some tree has written down how its children end, or one of another bus may.
    pub(crate) reports: AtomicBool,
    /// When the tree was started.
    started: OnceLock<Instant>,
    /// Some child went up or ended: for `ready()`.
    pub(crate) changed: Notify,
    pub(crate) spans: Spans,
}

#[derive(Debug)]
enum Channel {
    Unheard,
    /// Shared, so that nothing of the channel's runs under the lock.
    Open(Arc<broadcast::Sender<Event>>),
    Over,
}

impl Bus {
    pub(crate) fn new(seed: u64) -> Self {
        Bus {
            sender: Mutex::new(Channel::Unheard),
            heard: AtomicBool::new(false),
            seed,
            dead_letters: AtomicU64::new(0),
            reports: AtomicBool::new(false),
            started: OnceLock::new(),
            changed: Notify::new(),
            spans: Spans::default(),
        }
    }

    /// When the tree was started: at the first call.
    pub(crate) fn started(&self) -> Instant {
        *self.started.get_or_init(Instant::now)
    }

    pub(crate) fn subscribe(&self) -> Events {
        let sender = self.sender().or_else(|| {
            let new = Arc::new(broadcast::channel(EVENT_BUFFER).0);
            let mut channel = lock(&self.sender);
            match &*channel {
                Channel::Open(sender) => Some(sender.clone()), // somebody else was the first
                Channel::Unheard => {
                    *channel = Channel::Open(new.clone());
                    self.heard.store(true, Relaxed);
                    Some(new.clone())
                }
                Channel::Over => None,
            }
        });
        foreign();
        Events { receiver: Some(sender.map_or_else(|| broadcast::channel(1).1, |sender| sender.subscribe())) }
    }

    fn sender(&self) -> Option<Arc<broadcast::Sender<Event>>> {
        match &*lock(&self.sender) {
            Channel::Open(sender) => Some(sender.clone()),
            Channel::Unheard | Channel::Over => None,
        }
    }

    pub(crate) fn close(&self) {
        let before = std::mem::replace(&mut *lock(&self.sender), Channel::Over);
        foreign();
        drop(before); // with the events that nobody has read
        self.changed.notify_waiters();
    }

    /// Tells subscribers and `tracing`. The path is made only if someone listens.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn emit(&self, path: impl Fn() -> String, incarnation: u32, kind: EventKind) {
        foreign();
        if let EventKind::DeadLetter { .. } = kind {
            self.dead_letters.fetch_add(1, Relaxed);
        }
        // A subscriber formats errors, and an event that falls off the end drops them: both is user code.
        let told = catch_unwind(AssertUnwindSafe(|| {
            trace(&path, incarnation, &kind);
            if self.heard.load(Relaxed) {
                let event = Event { path: path(), at: Instant::now(), incarnation, kind, started: self.started() };
                if let Some(sender) = self.sender() {
                    let _shelter = Shelter::new(); // what falls off the end goes under the channel's locks
                    let _ = sender.send(event); // nobody listens any more
                }
            }
        }));
        if let Err(payload) = told {
            drop_quietly(payload);
            tracing::error!(path = path(), incarnation, "a panic in a `Display` or `Drop` of an error: event lost");
        }
    }
}

/// The levels are part of rule S40.
fn trace(path: &dyn Fn() -> String, incarnation: u32, kind: &EventKind) {
    macro_rules! say {
        ($level:ident, $($arg:tt)+) => {
            if tracing::enabled!(tracing::Level::$level) {
                tracing::event!(tracing::Level::$level, path = %path(), incarnation, $($arg)+)
            }
        };
    }
    // The path is a field already.
    let own = |failure: &Failure| failure.at(&path()).to_string();
    match kind {
        EventKind::Decided { directive: Directive::Restart, failure, row } if *row <= 1 => {
            say!(ERROR, failure = own(failure), "failed; restarting")
        }
        EventKind::Decided { directive: Directive::Restart, failure, row } => {
            say!(WARN, failure = own(failure), row, "failed again; restarting")
        }
        EventKind::Decided { directive: Directive::Resume, failure, .. } => {
            say!(WARN, failure = own(failure), "failed; resuming")
        }
        EventKind::Decided { directive: Directive::Stop, failure, .. } => {
            say!(ERROR, failure = own(failure), "failed; stopping")
        }
        EventKind::Decided { directive: Directive::Escalate, failure, .. } => {
            say!(DEBUG, failure = own(failure), "failed; escalating")
        }
        EventKind::LimitReached => say!(ERROR, "restarted too often"),
        EventKind::Aborted { message } => say!(ERROR, message_type = message, "aborted: did not go down in its time"),
        EventKind::Stuck => say!(ERROR, "stuck: blocks its thread and cannot be ended"),
        EventKind::StillStarting { since } => say!(WARN, ?since, "still starting"),
        EventKind::Blocked { since } => say!(WARN, ?since, "a tell waits for room in the mailbox"),
        EventKind::DeadLetter { message, reason } => say!(WARN, message_type = message, ?reason, "dead letter"),
        EventKind::GuardDropped { started_at } => {
            say!(WARN, %started_at, "the guard of the tree was dropped: shutting down, nobody waits for it")
        }
        EventKind::Started { seed } => say!(DEBUG, seed, "started"),
        EventKind::Failed { failure, message } => say!(DEBUG, failure = own(failure), message_type = message, "failed"),
        EventKind::Reported { failure } => say!(DEBUG, failure = own(failure), "failed on its way down"),
        EventKind::RestartScheduled { after } => say!(DEBUG, ?after, "restart scheduled"),
        EventKind::Restarted => say!(DEBUG, "restarted"),
        EventKind::Ended { ended } => say!(DEBUG, ended = ended.at(&path()).to_string(), "ended"),
        EventKind::Escalated { failure } => say!(DEBUG, %failure, "escalates"),
    }
}
