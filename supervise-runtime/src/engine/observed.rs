//! The switch that says what a tree collects about its messages.

use std::sync::atomic::AtomicUsize as StdAtomicUsize;

use supervise_core::base::sync::atomic::{AtomicU8, Ordering::Relaxed};
use supervise_core::base::sync::{Mutex, lock};
use supervise_core::values::observe::Observe;

/// The number of trees whose asks are observed. No schedule depends on it, so it is a standard library atomic in every
/// build.
static TREES_WITH_ASKS: StdAtomicUsize = StdAtomicUsize::new(0);

/// Returns whether the asks of some tree are observed. Asks of all trees are noted then.
#[inline(always)]
pub(crate) fn some_asks() -> bool {
    TREES_WITH_ASKS.load(Relaxed) > 0
}

/// The switch of a tree. Each request for facts counts until it is given back.
#[derive(Debug)]
pub(crate) struct Switch {
    /// The facts of all requests together. Each actor reads them once a turn.
    now: AtomicU8,
    /// The number of requests for each bit. `None` once the tree has ended.
    requests: Mutex<Option<[u32; Observe::BITS]>>,
}

impl Switch {
    pub(crate) fn new() -> Self {
        Switch { now: AtomicU8::new(0), requests: Mutex::new(Some([0; Observe::BITS])) }
    }

    /// Returns what is observed now.
    #[inline(always)]
    pub(crate) fn now(&self) -> Observe {
        Observe::of_bits(self.now.load(Relaxed))
    }

    pub(crate) fn request(&self, what: Observe) {
        self.change(what, |requests| requests.saturating_add(1));
    }

    pub(crate) fn give_back(&self, what: Observe) {
        // A saturated counter may have lost requests, so it is never decreased.
        self.change(what, |requests| if requests == u32::MAX { requests } else { requests - 1 });
    }

    fn change(&self, what: Observe, change: impl Fn(u32) -> u32) {
        let mut requests = lock(&self.requests);
        let Some(requests) = requests.as_mut() else { return };
        let mut now = 0;
        for (bit, requests) in requests.iter_mut().enumerate() {
            if what.to_bits() >> bit & 1 == 1 {
                *requests = change(*requests);
            }
            now |= u8::from(*requests > 0) << bit;
        }
        self.set(now); // under the lock, so that the last change wins
    }

    fn set(&self, now: u8) {
        let before = self.now.swap(now, Relaxed);
        let asked = [before, now].map(|bits| Observe::of_bits(bits).contains(Observe::ASKS));
        match asked {
            [false, true] => {
                TREES_WITH_ASKS.fetch_add(1, Relaxed);
            }
            [true, false] => {
                TREES_WITH_ASKS.fetch_sub(1, Relaxed);
            }
            _ => {}
        }
    }

    /// Ends all requests, and those to come: the tree has ended. Its handles may be kept for any time.
    pub(crate) fn end(&self) {
        let mut requests = lock(&self.requests);
        *requests = None;
        self.set(0);
    }
}

impl Drop for Switch {
    /// A tree that was never started has no end.
    fn drop(&mut self) {
        self.set(0);
    }
}
