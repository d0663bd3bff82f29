//! A record of events, as lines that can be compared.

use super::diff::diff;
use supervise_core::base::line::one_line;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::{Event, EventKind};
use supervise_runtime::event::Events;

/// The events of a tree, collected from a subscription.
///
/// [`Tested`](super::Tested) contains a `Record`. Use one directly for a tree that is started in another way:
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
/// record.expect(["Shop stopping Asked", "db stopping Shutdown", "db ended Stopped", "Shop ended Stopped"]);
/// # }
/// ```
#[derive(Debug)]
pub struct Record {
    events: Events,
    all: Vec<Event>,
    /// The number of events that [`lines`](Record::lines) or [`expect`](Record::expect) have returned.
    shown: usize,
}

impl Record {
    /// Records the events of this subscription: `Record::of(tree.events())`.
    pub fn of(events: Events) -> Self {
        Record { events, all: Vec::new(), shown: 0 }
    }

    /// Returns all events from the beginning of the record.
    ///
    /// # Panics
    ///
    /// Panics if more than [`EVENT_BUFFER`](supervise_runtime::event::EVENT_BUFFER) events have occurred since the last call, since
    /// some are lost.
    #[track_caller]
    pub fn events(&mut self) -> &[Event] {
        while let Some(event) = self.events.try_next() {
            if let EventKind::Missed { events } = event.kind {
                panic!("{events} events were missed: look at the record more often");
            }
            self.all.push(event);
        }
        &self.all
    }

    /// Returns the [`line()`]s of the events since the last call of this method or of [`expect`](Record::expect).
    ///
    /// # Panics
    ///
    /// Panics as [`events`](Record::events) does.
    #[track_caller]
    pub fn lines(&mut self) -> Vec<String> {
        let shown = self.shown;
        let lines: Vec<String> = self.events()[shown..].iter().map(line).collect();
        self.shown += lines.len();
        lines
    }

    /// Checks that exactly these events have occurred since the last call, in this order. Call
    /// [`settle`](super::settle) first.
    ///
    /// # Panics
    ///
    /// Panics with the difference if they have not, and as [`events`](Record::events) does.
    #[track_caller]
    pub fn expect<E: AsRef<str>>(&mut self, expected: impl IntoIterator<Item = E>) {
        let expected: Vec<E> = expected.into_iter().collect();
        let happened = self.lines();
        if let Some(text) = diff(&expected, &happened) {
            panic!("other events than expected (- expected, + happened):\n{text}");
        }
    }
}

/// Returns an event in a few words, with its path: `"db failed"`, `"db decided Restart"`, `"db restart in 3s"`,
/// `"db restarted"`, `"db ended Limit"`. The [`Event`] itself has the causes, messages and incarnations.
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
        EventKind::Requested { operation, by } => format!("requested {operation} by {by}"),
        EventKind::Stopping { reason } => format!("stopping {reason:?}"),
        EventKind::Ended { ended: Ended::Failed(_) } => "ended Failed".into(),
        EventKind::Ended { ended: Ended::Limit(_) } => "ended Limit".into(),
        EventKind::Ended { ended } => format!("ended {:?}", ended.kind()),
        EventKind::Escalated { .. } => "escalated".into(),
        EventKind::LimitReached { .. } => "limit".into(),
        EventKind::Aborted { .. } => "aborted".into(),
        EventKind::Stuck => "stuck".into(),
        EventKind::StillStarting { since, .. } => format!("still starting {since:?}"),
        EventKind::Blocked { since } => format!("blocked {since:?}"),
        EventKind::AskCycle { cycle } => format!("ask cycle {}", cycle.join(" ")),
        EventKind::Unread { message, .. } => format!("unread {message}"),
        EventKind::DeadLetter { .. } => "dead letter".into(),
        EventKind::Lease { change, .. } => match change.token() {
            Some(token) => format!("lease {} {token}", change.word()),
            None => format!("lease {}", change.word()),
        },
        EventKind::GuardDropped { .. } => "guard dropped".into(),
        EventKind::Missed { events } => format!("missed {events}"),
        EventKind::Placed { node } => format!("placed on {node}"),
        EventKind::NodeLost { node, .. } => format!("lost {node}"),
        EventKind::NoNode { role } => format!("no node for {role}"),
        EventKind::Fenced => "fenced".into(),
        EventKind::Refused { .. } => "refused".into(),
        EventKind::NotWritten { .. } => "not written".into(),
        EventKind::NodeJoined { node, .. } => format!("joined {node}"),
        EventKind::NodeLeft { node } => format!("left {node}"),
        EventKind::NodeRefused { node, .. } => format!("refused {node}"),
        kind => kind.word().replace('_', " "),
    };
    format!("{} {}", event.path, one_line(what))
}
