//! What a tree tells the outside: one [`Event`] for each change of state (rule S40).

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;

use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

use crate::base::deferred_drop::{Shelter, drop_quietly};
use crate::base::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use crate::base::sync::lock;
use crate::base::sync::{Arc, Mutex, OnceLock, foreign};
use crate::engine::span::Spans;
use crate::values::event::{Event, EventKind};
use crate::values::failure::Failure;
use crate::values::strategy::Directive;

/// How many events a subscriber may be behind before it misses some: 1,024, see [`Events`].
pub const EVENT_BUFFER: usize = 1024;

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
