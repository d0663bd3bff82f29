//! The log of a console: the last events, the last sample and the last changes, for viewers that each read at their own
//! pace. A viewer that is too slow misses some; nothing is kept for one viewer alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::sample::Sample;

/// The number of events that are kept, and of those of declared children.
pub(crate) const EVENTS: usize = 4096;

/// The bytes of text that these events have at most: the texts of errors have any length.
const BYTES: usize = 8 << 20;

/// The bytes of the text of one event: a longer one would push out all others, and is a gap. The texts of its errors are cut,
/// so only odd ones are so long.
const LONGEST: usize = 1 << 20;

/// The number of changes that are kept: a viewer that is further behind gets a new snapshot.
const DELTAS: usize = 16;

/// The events that a viewer gets at once.
const BATCH: usize = 64;

/// An entry among the events.
#[derive(Clone)]
pub(crate) enum Told {
    /// An event as JSON, and its path.
    Event { path: Arc<str>, json: Arc<str> },
    /// This many events were lost.
    Gap(u64),
}

impl Told {
    fn bytes(&self) -> usize {
        match self {
            Told::Event { path, json } => path.len() + json.len(),
            Told::Gap(_) => 0,
        }
    }
}

/// The end of the stream.
#[derive(Clone)]
pub(crate) enum Over {
    /// The console ends; viewers may come back.
    Closed,
    /// The tree has ended, or ends together with the console: the data of `end`.
    Ended(Arc<str>),
}

/// The last entries, bounded in number and in bytes.
#[derive(Default)]
struct Ring {
    entries: VecDeque<Told>,
    bytes: usize,
    /// The number of the oldest entry that is kept.
    first: u64,
}

impl Ring {
    fn push(&mut self, told: Told) {
        self.bytes += told.bytes();
        self.entries.push_back(told);
        while self.entries.len() > EVENTS || self.bytes > BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.bytes();
            self.first += 1;
        }
    }

    fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }
}

#[derive(Default)]
struct State {
    events: Ring,
    /// The events of declared children once more: those of a large set would push them out.
    declared: Ring,
    sample: Option<(u64, Arc<Sample>)>,
    /// The `delta` messages, each with its number: consecutive ones.
    deltas: VecDeque<(u64, Arc<str>)>,
    /// The number of streams, and of those among them that want snapshots.
    streams: usize,
    viewers: usize,
    over: Option<Over>,
}

impl State {
    fn push(&mut self, seq: u64, delta: String) {
        self.deltas.push_back((seq, delta.into()));
        if self.deltas.len() > DELTAS {
            self.deltas.pop_front();
        }
    }
}

pub(crate) struct Log {
    state: Mutex<State>,
    /// Notifies readers of something new.
    news: watch::Sender<()>,
    /// Notifies the sampler that a viewer has come or gone.
    visits: watch::Sender<()>,
    max_streams: usize,
}

/// Messages for one viewer, in order.
pub(crate) enum Message {
    Told(Told),
    Snapshot(u64, Arc<Sample>),
    Delta(Arc<str>),
    Over(Over),
}

/// The position of a reader.
pub(crate) struct Cursor {
    event: u64,
    /// The number of the last snapshot or delta; `None` while a snapshot is due.
    seq: Option<u64>,
    /// Whether the reader wants snapshots and deltas.
    states: bool,
}

impl Log {
    pub(crate) fn new(max_streams: usize) -> Log {
        Log { state: Mutex::default(), news: watch::Sender::new(()), visits: watch::Sender::new(()), max_streams }
    }

    /// No user code runs under this lock, and nothing waits under it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    pub(crate) fn visits(&self) -> watch::Receiver<()> {
        self.visits.subscribe()
    }

    pub(crate) fn tell(&self, told: Told, is_declared: bool) {
        let told = if told.bytes() > LONGEST { Told::Gap(1) } else { told };
        let mut state = self.lock();
        if is_declared {
            state.declared.push(told.clone());
        }
        state.events.push(told);
        drop(state);
        self.news.send_replace(());
    }

    /// Returns the last events of this path, oldest first.
    pub(crate) fn of_path(&self, path: &str, is_declared: bool, most: usize) -> Vec<Arc<str>> {
        let state = self.lock();
        let ring = if is_declared { &state.declared } else { &state.events };
        let own = ring.entries.iter().rev().filter_map(|told| match told {
            Told::Event { path: own, json } if **own == *path => Some(json.clone()),
            _ => None,
        });
        let mut found: Vec<_> = own.take(most).collect();
        found.reverse();
        found
    }

    /// Replaces the sample. `lists` are the lists of the `delta` from the sample before; `None` if nothing has changed.
    pub(crate) fn sample(&self, sample: Arc<Sample>, lists: Option<String>) {
        let mut state = self.lock();
        let seq = match (&state.sample, &lists) {
            (None, _) => 1,
            (Some((seq, _)), None) => *seq,
            (Some((seq, _)), Some(_)) => seq + 1,
        };
        if let Some(lists) = lists {
            let (at_ms, dead_letters) = (sample.at_ms(), sample.dead_letters);
            state.push(seq, format!("{{\"seq\":{seq},\"at_ms\":{at_ms},\"dead_letters\":{dead_letters},{lists}}}"));
        }
        let before = state.sample.replace((seq, sample));
        drop(state);
        drop(before);
        self.news.send_replace(());
    }

    /// Lets viewers see that the console lives, and what time it is.
    pub(crate) fn beat(&self, now: Instant) {
        let mut state = self.lock();
        let Some((seq, sample)) = &mut state.sample else { return };
        *seq += 1;
        let (seq, at_ms, dead_letters) = (*seq, sample.ms_at(now), sample.dead_letters);
        let head = format!("\"seq\":{seq},\"at_ms\":{at_ms},\"dead_letters\":{dead_letters}");
        state.push(seq, format!("{{{head},\"nodes\":[],\"removed\":[]}}"));
        drop(state);
        self.news.send_replace(());
    }

    /// Says that there is nothing more to come. The first call counts.
    pub(crate) fn end(&self, over: Over) {
        let mut state = self.lock();
        state.over.get_or_insert(over);
        drop(state);
        self.news.send_replace(());
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().over.is_some()
    }

    /// Returns whether anybody looks on. If nobody does, forgets the sample: it would be old by the time somebody comes.
    pub(crate) fn is_viewed(&self) -> bool {
        let mut state = self.lock();
        if state.viewers > 0 {
            return true;
        }
        state.deltas.clear();
        let before = state.sample.take();
        drop(state);
        drop(before);
        false
    }

    /// Lets a stream in. `states`: it wants snapshots and deltas. `None` if there are too many.
    pub(crate) fn view(self: &Arc<Self>, states: bool) -> Option<View> {
        let mut state = self.lock();
        if state.streams >= self.max_streams {
            return None;
        }
        state.streams += 1;
        state.viewers += usize::from(states);
        drop(state);
        self.visits.send_replace(());
        Some(View { log: self.clone(), states })
    }

    /// Returns the last sample.
    pub(crate) fn latest(&self) -> Option<Arc<Sample>> {
        self.lock().sample.as_ref().map(|(_, sample)| sample.clone())
    }

    /// Returns the position behind the last event. `states`: the reader wants snapshots and deltas.
    pub(crate) fn cursor(&self, states: bool) -> Cursor {
        Cursor { event: self.lock().events.next(), seq: None, states }
    }

    /// Returns the position that is `past` events before the end.
    pub(crate) fn cursor_before(&self, past: usize) -> Cursor {
        let state = self.lock();
        let past = past.min(state.events.entries.len()) as u64;
        Cursor { event: state.events.next() - past, seq: None, states: false }
    }

    /// Returns what is new for this reader; empty if it has to wait.
    pub(crate) fn read(&self, cursor: &mut Cursor) -> Vec<Message> {
        let state = self.lock();
        let mut messages = Vec::new();
        if cursor.states && cursor.seq.is_none() {
            // A reader gets a snapshot first, and then the changes.
            match &state.sample {
                Some((seq, sample)) => {
                    messages.push(Message::Snapshot(*seq, sample.clone()));
                    cursor.seq = Some(*seq);
                }
                None => {
                    messages.extend(state.over.clone().map(Message::Over));
                    return messages;
                }
            }
        }
        if cursor.event < state.events.first {
            messages.push(Message::Told(Told::Gap(state.events.first - cursor.event)));
            cursor.event = state.events.first;
            cursor.seq = None;
            return messages; // the snapshot comes before the next events
        }
        let begin = usize::try_from(cursor.event - state.events.first).unwrap_or(usize::MAX);
        for told in state.events.entries.iter().skip(begin).take(BATCH) {
            messages.push(Message::Told(told.clone()));
            cursor.event += 1;
            if let Told::Gap(_) = told {
                cursor.seq = None;
                break;
            }
        }
        if let (true, Some(seen), Some((seq, _))) = (cursor.states, cursor.seq, &state.sample) {
            let due: Vec<_> = state.deltas.iter().filter(|(number, _)| *number > seen).collect();
            // After a pause the sampler counts anew, so its numbers need not follow those that were read.
            let follows = due.first().map_or(*seq == seen, |(first, _)| *first == seen + 1);
            if follows {
                messages.extend(due.into_iter().map(|(_, delta)| Message::Delta(delta.clone())));
                cursor.seq = Some(*seq);
            } else {
                cursor.seq = None;
            }
        }
        let is_behind =
            cursor.event < state.events.next() || cursor.states && cursor.seq.is_none() && state.sample.is_some();
        if messages.is_empty() && is_behind {
            drop(state);
            return self.read(cursor);
        }
        if !is_behind {
            messages.extend(state.over.clone().map(Message::Over));
        }
        messages
    }
}

/// A stream that is open. Dropping it closes it.
pub(crate) struct View {
    log: Arc<Log>,
    states: bool,
}

impl View {
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        state.streams -= 1;
        state.viewers -= usize::from(self.states);
        drop(state);
        self.log.visits.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(path: &str, bytes: usize) -> Told {
        Told::Event { path: path.into(), json: "x".repeat(bytes - path.len()).into() }
    }

    fn read(log: &Log, cursor: &mut Cursor) -> Vec<String> {
        let shown = |message| match message {
            Message::Told(Told::Event { path, .. }) => path.to_string(),
            Message::Told(Told::Gap(missed)) => format!("{missed} missed"),
            _ => panic!("neither states nor an end"),
        };
        log.read(cursor).into_iter().map(shown).collect()
    }

    fn bytes(log: &Log) -> (usize, usize) {
        let state = log.lock();
        (state.events.bytes, state.declared.bytes)
    }

    /// Events are kept up to a number of bytes, and a reader gets the number of those that were dropped.
    #[test]
    fn the_bytes_of_events_are_bounded() {
        let log = Log::new(1);
        let mut cursor = log.cursor(false);
        let most = BYTES / LONGEST;
        for number in 0..most + 3 {
            log.tell(event(&number.to_string(), LONGEST), number == 0);
            assert!(bytes(&log).0 <= BYTES);
        }
        assert_eq!(bytes(&log), (BYTES, LONGEST));
        assert_eq!(read(&log, &mut cursor), ["3 missed"]);
        assert_eq!(read(&log, &mut cursor), ["3", "4", "5", "6", "7", "8", "9", "10"]);
        assert_eq!(log.of_path("0", true, 10).len(), 1, "those of declared children are bounded on their own");
        assert_eq!(log.of_path("2", false, 10).len(), 0);
        // The bytes of dropped events are not counted any more.
        for _ in 0..EVENTS {
            log.tell(event("small", 10), true);
        }
        assert_eq!(bytes(&log), (EVENTS * 10, EVENTS * 10));
    }

    #[test]
    fn an_event_that_is_too_long_leaves_the_others() {
        let log = Log::new(1);
        let mut cursor = log.cursor(false);
        log.tell(event("db", 10), true);
        log.tell(event("db", LONGEST + 1), true);
        log.tell(event("db", 10), true);
        assert_eq!(read(&log, &mut cursor), ["db", "1 missed"]);
        assert_eq!(read(&log, &mut cursor), ["db"]);
        assert_eq!(log.of_path("db", true, 10).len(), 2);
    }
}
