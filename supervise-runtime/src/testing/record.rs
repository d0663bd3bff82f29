//! What happened, as lines to be compared.

use super::diff::diff;
use crate::engine::bus::Events;
use crate::values::ended::Ended;
use crate::values::event::{Event, EventKind};

/// The events of a tree, collected from a subscription.
///
/// [`Tested`](super::Tested) has one of its own. By itself it serves a tree that is started in another way:
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::Record;
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let mut tree = Shop::tree();
/// let mut record = Record::of(tree.events());
/// let shop = tree.start().await.expect("a start");
/// record.expect(["db started", "Shop started"]);
/// assert!(shop.shutdown().await.is_orderly());
/// record.expect(["db ended Stopped", "Shop ended Stopped"]);
/// # }
/// ```
#[derive(Debug)]
pub struct Record {
    events: Events,
    all: Vec<Event>,
    /// How many were given out by [`lines`](Record::lines) or [`expect`](Record::expect).
    told: usize,
}

impl Record {
    /// Records what comes from here on: `Record::of(tree.events())`.
    pub fn of(events: Events) -> Self {
        Record { events, all: Vec::new(), told: 0 }
    }

    /// All events so far, from the beginning of the record.
    ///
    /// # Panics
    ///
    /// If more than [`EVENT_BUFFER`](crate::EVENT_BUFFER) events have come since the last call: some are lost.
    #[track_caller]
    pub fn events(&mut self) -> &[Event] {
        while let Some(next) = self.events.try_next() {
            match next {
                Ok(event) => self.all.push(event),
                Err(missed) => panic!("{missed}: look at the record more often"),
            }
        }
        &self.all
    }

    /// The [`line()`]s of what has happened since the last call of this or of [`expect`](Record::expect).
    ///
    /// # Panics
    ///
    /// As [`events`](Record::events).
    #[track_caller]
    pub fn lines(&mut self) -> Vec<String> {
        let told = self.told;
        let lines: Vec<String> = self.events()[told..].iter().map(line).collect();
        self.told += lines.len();
        lines
    }

    /// What has happened since the last call is exactly this, in this order. [`settle`](super::settle) first.
    ///
    /// # Panics
    ///
    /// With the difference, if it is not; and as [`events`](Record::events).
    #[track_caller]
    pub fn expect<E: AsRef<str>>(&mut self, expected: impl IntoIterator<Item = E>) {
        let expected: Vec<E> = expected.into_iter().collect();
        let happened = self.lines();
        if let Some(text) = diff(&expected, &happened) {
            panic!("other events than expected (- expected, + happened):\n{text}");
        }
    }
}

/// An event in a few words, with its path: `"db failed"`, `"db decided Restart"`, `"db restart in 3s"`,
/// `"db restarted"`, `"db ended Limit"`. Causes, messages and incarnations are in the [`Event`] itself.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, line};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut shop = testing::start(Shop::tree()).await.expect("a start");
/// let events = shop.record().events();
/// assert_eq!(line(&events[0]), "db started");
/// assert_eq!(events[0].to_string(), "db #1 started"); // the event itself says more
/// # }
/// ```
pub fn line(event: &Event) -> String {
    let what = match &event.kind {
        EventKind::Started { .. } => "started".into(),
        EventKind::Failed { .. } => "failed".into(),
        EventKind::Reported { .. } => "reported".into(),
        EventKind::Decided { directive, .. } => format!("decided {directive:?}"),
        EventKind::RestartScheduled { after } => format!("restart in {after:?}"),
        EventKind::Restarted => "restarted".into(),
        EventKind::Ended { ended: Ended::Failed(_) } => "ended Failed".into(),
        EventKind::Ended { ended: Ended::Limit(_) } => "ended Limit".into(),
        EventKind::Ended { ended } => format!("ended {ended:?}"),
        EventKind::Escalated { .. } => "escalated".into(),
        EventKind::LimitReached => "limit".into(),
        EventKind::Aborted { .. } => "aborted".into(),
        EventKind::Stuck => "stuck".into(),
        EventKind::StillStarting { since } => format!("still starting {since:?}"),
        EventKind::Blocked { since } => format!("blocked {since:?}"),
        EventKind::DeadLetter { .. } => "dead letter".into(),
        EventKind::GuardDropped { .. } => "guard dropped".into(),
    };
    format!("{} {what}", event.path)
}
