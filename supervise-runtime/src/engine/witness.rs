//! The witness of a tree under test: what happens in it, in one order, and the starts that a test holds up.
//!
//! Events reach a subscriber through a channel that can overflow; the witness misses none. A tree without a witness does
//! nothing for it but look whether there is one.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fmt::{Display, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::ended::Ended;
use supervise_core::values::event::{DeadLetterReason, Event, EventKind};
use supervise_core::values::failure::Cause;
use supervise_core::values::stop_reason::StopReason;

/// A part of the record.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Seen {
    /// An event, without its values: the error of a failure may keep a message, and with it the cell of an actor.
    Event {
        path: String,
        at: Instant,
        /// The event in words.
        text: String,
        what: Happened,
    },
    /// The start of an instance has begun.
    Begun {
        path: String,
        /// The instances of this path that had not gone.
        others: usize,
    },
    /// The instance, or what a start had made of it, has been dropped.
    Gone { path: String },
    /// The test has done something to the child with this path.
    Done { path: String, what: String },
}

/// An event, as far as promises are read from it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    Up,
    Stopping(StopReason),
    Aborted,
    Ended { runtime_gone: bool },
    Bug,
    Stuck,
    Other,
}

impl Happened {
    fn of(kind: &EventKind) -> Self {
        match kind {
            EventKind::Started { .. } | EventKind::Restarted => Happened::Up,
            EventKind::Stopping { reason } => Happened::Stopping(*reason),
            EventKind::Aborted { .. } => Happened::Aborted,
            EventKind::Ended { ended } => Happened::Ended { runtime_gone: matches!(ended, Ended::RuntimeGone) },
            EventKind::Failed { failure, .. } | EventKind::Reported { failure }
                if matches!(failure.cause(), Cause::Bug(_)) =>
            {
                Happened::Bug
            }
            EventKind::Stuck => Happened::Stuck,
            _ => Happened::Other,
        }
    }
}

/// Returns the text of a value with an error of the user in it, whose `Display` may panic.
pub fn text_of(value: &dyn Display) -> String {
    let mut text = String::new();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| write!(text, "{value}"))) {
        drop_catching_panics(payload);
        text.push_str("(its text panics)");
    }
    text
}

/// How a start is held up.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holdup {
    For(Duration),
    /// Until the test lets everything go on.
    Forever,
}

/// The messages of a whole tree.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters {
    /// The messages that mailboxes have accepted.
    pub accepted: u64,
    /// The accepted messages that an actor has begun to handle.
    pub begun: u64,
    /// The accepted messages that became dead letters before that.
    pub dead: u64,
}

#[doc(hidden)]
#[derive(Default)]
pub struct Witness {
    accepted: AtomicU64,
    begun: AtomicU64,
    dead: AtomicU64,
    state: Mutex<State>,
    /// Nothing is held up any more.
    calm: AtomicBool,
    calmed: Notify,
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Witness").field("letters", &self.letters()).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    /// The cells with an instance, by path.
    living: HashMap<String, Vec<u64>>,
    /// The cells that have left the supervisor that their path names. Others may have their names (S38).
    left: HashSet<u64>,
    held_up: HashMap<String, Holdup>,
}

impl Witness {
    // ----- called by the engine

    pub fn hears(&self, event: &Event) {
        if let EventKind::DeadLetter { reason: DeadLetterReason::Ended | DeadLetterReason::Restarted, .. } = event.kind
        {
            self.dead.fetch_add(1, SeqCst);
        }
        let (path, text, what) = (event.path.clone(), text_of(event), Happened::of(&event.kind));
        let event = Seen::Event { path, at: event.at, text, what };
        lock(&self.state).seen.push(event);
    }

    /// The start of an instance of the cell `id` begins. Returns the wait before the start, if it is held up.
    pub fn begins(self: &Arc<Self>, path: String, id: u64) -> Option<BoxFuture<'static, ()>> {
        let mut state = lock(&self.state);
        let State { living, left, .. } = &mut *state;
        let living = living.entry(path.clone()).or_default();
        let others = if left.contains(&id) { 0 } else { living.iter().filter(|other| !left.contains(other)).count() };
        living.push(id);
        let holdup = state.held_up.remove(&path);
        state.seen.push(Seen::Begun { path, others });
        drop(state);
        let holdup = holdup.filter(|_| !self.calm.load(SeqCst))?;
        let witness = self.clone();
        Some(Box::pin(async move {
            let calmed = witness.calmed.notified(); // notified from here on
            match holdup {
                _ if witness.calm.load(SeqCst) => {}
                Holdup::For(time) => drop(timeout(time, calmed).await),
                Holdup::Forever => calmed.await,
            }
        }))
    }

    /// The instance of the cell `id` has gone, if there was one.
    pub fn gone(&self, path: String, id: u64) {
        let mut state = lock(&self.state);
        let Some(living) = state.living.get_mut(&path) else { return };
        let Some(at) = living.iter().position(|other| *other == id) else { return };
        living.remove(at);
        if living.is_empty() {
            state.living.remove(&path);
        }
        state.seen.push(Seen::Gone { path });
    }

    /// The cell `id` is about to leave its supervisor. Told before its name is free.
    pub fn leaves(&self, id: u64) {
        lock(&self.state).left.insert(id);
    }

    /// A mailbox has accepted a message. Called under its lock.
    pub fn accepts(&self) {
        self.accepted.fetch_add(1, SeqCst);
    }

    /// An actor has taken a message out of its mailbox.
    pub fn takes_out(&self) {
        self.begun.fetch_add(1, SeqCst);
    }

    /// A message is back in the mailbox.
    pub fn takes_back(&self) {
        self.begun.fetch_sub(1, SeqCst);
    }

    // ----- called by the test

    /// Holds up the next start of the child with this path.
    pub fn holds_up(&self, path: &str, holdup: Holdup) {
        lock(&self.state).held_up.insert(path.to_owned(), holdup);
    }

    /// Lets all starts go on.
    pub fn calm_down(&self) {
        self.calm.store(true, SeqCst);
        self.calmed.notify_waiters();
    }

    /// Returns whether the cell `id` has an instance.
    pub fn lives(&self, path: &str, id: u64) -> bool {
        lock(&self.state).living.get(path).is_some_and(|living| living.contains(&id))
    }

    /// Returns the paths of the instances that there are.
    pub fn living(&self) -> Vec<String> {
        let mut living: Vec<String> = lock(&self.state).living.keys().cloned().collect();
        living.sort();
        living
    }

    pub fn letters(&self) -> Letters {
        let at = |count: &AtomicU64| count.load(SeqCst);
        Letters { accepted: at(&self.accepted), begun: at(&self.begun), dead: at(&self.dead) }
    }

    /// Adds a deed of the test to the record.
    pub fn notes(&self, path: &str, what: String) {
        lock(&self.state).seen.push(Seen::Done { path: path.to_owned(), what });
    }

    /// Returns what was seen since the last call.
    pub fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut lock(&self.state).seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chaos reports an instance that is left after the end of its tree: it has begun and has not gone, whichever cells had
    /// its path.
    #[test]
    fn an_instance_is_left_until_it_has_gone() {
        let witness = Arc::new(Witness::default());
        for (path, id) in [("b", 1), ("a", 2), ("a", 3)] {
            assert!(witness.begins(path.to_owned(), id).is_none());
        }
        assert_eq!(witness.living(), ["a", "b"]);
        witness.gone("a".to_owned(), 2);
        assert_eq!(witness.living(), ["a", "b"]);
        witness.gone("a".to_owned(), 3);
        assert_eq!(witness.living(), ["b"]);
        witness.gone("b".to_owned(), 1);
        assert!(witness.living().is_empty());
    }
}
