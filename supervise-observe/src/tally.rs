//! The numbers of the messages of each actor, while they are observed.

use std::sync::Arc as StdArc;
use std::time::Duration;

use tokio::time::Instant;

use supervise_core::base::sync::{Mutex, lock};
use supervise_runtime::extension::{CellCore, Edge, Extension};

/// Counts the messages of each actor, and takes their times.
#[derive(Debug)]
pub(crate) struct Counts;

impl Extension for Counts {
    fn message(&self, cell: &CellCore, edge: Edge) {
        let tally = cell.slot_or_default::<Mutex<Tally>>();
        let mut tally = lock(&tally);
        match edge {
            Edge::Begins { at, .. } => tally.begins(at),
            Edge::Over { messages, at } => tally.over(messages, at),
        }
    }
}

/// Returns the numbers of the messages of this cell, if any were observed.
pub(crate) fn of(cell: &CellCore) -> Option<Tally> {
    let tally: StdArc<Mutex<Tally>> = cell.slot()?;
    let tally = *lock(&tally);
    Some(tally)
}

/// The numbers of an actor whose messages are observed, over all its incarnations.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// The number of messages that are over.
    pub(crate) handled: u64,
    pub(crate) times: Option<HandlerTimes>,
}

/// The times of handlers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HandlerTimes {
    pub(crate) busy: Duration,
    pub(crate) longest: Duration,
    /// The begin of the handler that runs now.
    pub(crate) begun: Option<Instant>,
    /// The time of the handler that was the last to end, if its begin was noted.
    pub(crate) last: Option<Duration>,
}

impl Tally {
    /// Notes the begin of a message.
    fn begins(&mut self, now: Instant) {
        self.times.get_or_insert_default().begun = Some(now);
    }

    /// Notes that messages are over: if their times are observed, one message.
    fn over(&mut self, handled: u8, now: Option<Instant>) {
        self.handled = self.handled.wrapping_add(handled.into());
        let Some(times) = &mut self.times else { return };
        times.last = times.begun.take().and_then(|begun| Some(now?.saturating_duration_since(begun)));
        if let Some(took) = times.last {
            times.busy = times.busy.saturating_add(took);
            times.longest = times.longest.max(took);
        }
    }
}
