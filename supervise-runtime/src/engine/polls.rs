//! The user code that holds a thread at this moment, while times are observed.
//!
//! A task that does not return to its runtime blocks its thread, and keeps the tasks waiting that are queued there. It
//! cannot be asked meanwhile, so each thread notes which child it runs, and since when. The note is written by the thread
//! and read by whoever takes a snapshot. It is about real time: a paused clock stands still while a thread is blocked.

use std::time::{Duration, Instant};

use crate::engine::cell::control::CellCore;
use supervise_core::base::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};
use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, lock};
use supervise_core::values::observe::Observe;

/// The note of a thread.
#[derive(Default)]
struct Note {
    /// The id of the cell whose code runs; 0: none.
    cell: AtomicU64,
    /// The begin, in nanoseconds from the first note of the process.
    since: AtomicU64,
}

/// The notes of all threads that have run observed code.
#[cfg(not(shuttle))]
static NOTES: Mutex<Vec<Weak<Note>>> = Mutex::new(Vec::new());

#[cfg(shuttle)]
shuttle::lazy_static! { static ref NOTES: Mutex<Vec<Weak<Note>>> = Mutex::new(Vec::new()); }

/// The time of the first note.
static FIRST: OnceLock<Instant> = OnceLock::new();

supervise_core::base::sync::thread_local! {
    static OWN: Arc<Note> = {
        let own = Arc::new(Note::default());
        let mut notes = lock(&NOTES);
        notes.retain(|note| note.strong_count() > 0); // without the notes of threads that have ended
        notes.push(Arc::downgrade(&own));
        own
    };
}

/// Code of a child runs on this thread until this is dropped.
pub(crate) struct Runs {
    before: (u64, u64),
}

impl Runs {
    /// Notes that code of this child runs, if times are observed.
    #[inline(always)]
    pub(crate) fn begin(core: &CellCore) -> Option<Self> {
        if core.bus.observed.now().contains(Observe::TIMING) { Runs::noted(core.id) } else { None }
    }

    #[cold]
    fn noted(id: u64) -> Option<Self> {
        let now = FIRST.get_or_init(Instant::now).elapsed();
        let since = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        // On a thread that is ending, the thread-local note is gone.
        OWN.try_with(|own| Runs { before: own.set((id, since)) }).ok()
    }
}

impl Note {
    /// Returns the note before. The code around a poll on the same thread goes on after it.
    fn set(&self, (id, since): (u64, u64)) -> (u64, u64) {
        let before = (self.cell.load(Relaxed), self.since.load(Relaxed));
        self.cell.store(0, Relaxed); // so that no reader takes the time of one cell for that of another
        fence(Release);
        self.since.store(since, Relaxed);
        self.cell.store(id, Release);
        before
    }

    /// Returns the begin, if code of this cell runs.
    fn since(&self, cell: u64) -> Option<u64> {
        if self.cell.load(Acquire) != cell {
            return None;
        }
        let since = self.since.load(Relaxed);
        fence(Acquire);
        // If the cell has changed meanwhile, the time may be that of the next cell.
        (self.cell.load(Relaxed) == cell).then_some(since)
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        let _ = OWN.try_with(|own| own.set(self.before));
    }
}

/// Returns the time for which code of this child holds a thread, if it does.
pub fn of(core: &CellCore) -> Option<Duration> {
    if !core.bus.observed.now().contains(Observe::TIMING) {
        return None;
    }
    let notes = lock(&NOTES);
    let since = notes.iter().filter_map(Weak::upgrade).find_map(|note| note.since(core.id))?;
    Some(FIRST.get()?.elapsed().saturating_sub(Duration::from_nanos(since)))
}
