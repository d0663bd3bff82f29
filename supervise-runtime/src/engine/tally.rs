//! The numbers of the messages of an actor, while they are observed, over all its incarnations.

use std::time::Duration;

use tokio::time::Instant;

/// The numbers of the messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// The number of messages that are over.
    pub handled: u64,
    /// The times of the handlers, if those are observed or were.
    pub times: Option<HandlerTimes>,
}

/// The times of handlers.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandlerTimes {
    /// The time of all handlers together.
    pub busy: Duration,
    /// The time of the longest handler.
    pub longest: Duration,
    /// The begin of the handler that runs now.
    pub begun: Option<Instant>,
}

impl Tally {
    /// Notes the begin of a message.
    pub(crate) fn begins(&mut self, now: Instant) {
        self.times.get_or_insert_default().begun = Some(now);
    }

    /// Notes that messages are over: if their times are observed, one message. Returns the time of its handler, if the
    /// begin was noted.
    pub(crate) fn over(&mut self, handled: u8, now: Option<Instant>) -> Option<Duration> {
        self.handled = self.handled.wrapping_add(handled.into());
        let times = self.times.as_mut()?;
        let begun = times.begun.take()?;
        let took = now?.saturating_duration_since(begun);
        times.busy = times.busy.saturating_add(took);
        times.longest = times.longest.max(took);
        Some(took)
    }
}
