//! A child as its supervisor sees it: coarser than its own state, but with its budget and its pace.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::budget::Budget;
use super::pace::Pace;
use crate::values::backoff::Backoff;
use crate::values::ended::Ended;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Lifecycle, Limit};

/// Where a child stands. The letters are those of the model of the group rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// O: down, to be started in its turn.
    Turn,
    /// S: starting.
    Starting,
    /// R: up.
    Up,
    /// F: failed, with an instance; undecided or kept.
    Failed,
    /// N: failed, without an instance; undecided or kept. Also a restarted end that is kept.
    StartFailed,
    /// D: going down.
    Down,
    /// Down, its own wait runs.
    Waiting,
    /// E: ended.
    Ended,
}

/// The settings that decisions need, shared by all instances of a set.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// None: a kept value. It goes down in its place, and needs no start.
    pub(crate) kind: Option<ChildKind>,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) backoff: Option<Backoff>,
    pub(crate) limit: Limit,
    /// A stop lets it handle what is queued (S24).
    pub(crate) drain: bool,
    /// The supervisor ends when it ends by itself (S22).
    pub(crate) significant: bool,
    /// It may not be there (S28).
    pub(crate) optional: bool,
}

impl Settings {
    /// Settings of a member.
    pub(crate) fn new(kind: ChildKind, lifecycle: Lifecycle, backoff: Option<Backoff>, limit: Limit) -> Self {
        Settings { kind: Some(kind), lifecycle, backoff, limit, drain: false, significant: false, optional: false }
    }

    /// Settings of a kept value.
    pub(crate) fn value() -> Self {
        Settings { kind: None, ..Settings::new(ChildKind::Actor, Lifecycle::Permanent, None, Limit::new()) }
    }

    /// Only supervises: a tree or a set.
    pub(crate) fn only_supervises(&self) -> bool {
        self.kind.is_some_and(ChildKind::only_supervises)
    }
}

/// One member of a group.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) at: At,
    pub(crate) settings: Arc<Settings>,
    pub(crate) budget: Option<Box<Budget>>,
    pub(crate) pace: Pace,
    /// In the order of declaration or spawning; slots are used again, these are not.
    pub(crate) order: u64,
    /// It is to end, for this reason, as soon as it is down; it is not started meanwhile.
    pub(crate) ending: Option<Ended>,
    /// It was stopped from outside: not even a restart from above starts it again (S20).
    pub(crate) by_hand: bool,
    /// Its task is gone: nothing starts it again.
    pub(crate) lost: bool,
    /// It handles what is queued before it goes down.
    pub(crate) drains: bool,
    /// It is significant and ends by itself: with it the supervisor does (S22).
    pub(crate) quits: bool,
    /// True if it has ended by itself: a restart of its group starts it again (S17).
    pub(crate) finished: bool,
    /// Its start was asked for by hand, or at run time: a failure of it concerns it alone, until it is up or has ended
    /// (S26, S38).
    pub(crate) alone: bool,
    /// It was up once: its next start is a restart.
    pub(crate) was_up: bool,
    /// Build has reached it in this incarnation of the supervisor.
    pub(crate) reached: bool,
    /// Boot has gone on behind it: it was up, or waits for its backoff (S21).
    pub(crate) passed: bool,
    /// The walk that takes the range down waits for it.
    pub(crate) counted: bool,
    /// Its wait is over, but something held it.
    pub(crate) due: bool,
    /// How long it waits once it is down.
    pub(crate) delay: Duration,
    /// Named by `cx.keep`: survives the restart of its parent.
    pub(crate) kept: bool,
    /// Spawned at run time: it is forgotten once it has ended.
    pub(crate) dynamic: bool,
    /// Since when it is asked to go down, for the watchdog.
    pub(crate) down_since: Option<Instant>,
}

impl Member {
    pub(crate) fn is_value(&self) -> bool {
        self.settings.kind.is_none()
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.settings.lifecycle == Lifecycle::Temporary
    }

    /// May be started now, as far as it itself is concerned.
    pub(crate) fn wants_start(&self) -> bool {
        self.at == At::Turn && self.reached && self.ending.is_none()
    }
}
