//! The random numbers of the actors of one tree, and what they have noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use supervise::testing::{MemoryLease, Random};
use tokio::time::Instant;

use crate::secs;

pub type W = Arc<World>;

pub struct World {
    random: AtomicU64,
    calm: AtomicBool,
    /// The end of the whims. A tree whose starts fail by whim, again and again, is never up to be told of the calm.
    until: Instant,
    /// The starts of the set with `max_starting = 2`, and the most of them at a time.
    starting: AtomicI64,
    most: AtomicI64,
    pub leases: [MemoryLease; 3],
}

impl World {
    /// The world of a tree that is about to be made, with whims for this time.
    pub fn of_run(time: Duration) -> W {
        let lease = |name: &str| MemoryLease::new(name).ttl(secs(3));
        Arc::new(World {
            random: AtomicU64::new(Random::of_run().number()),
            calm: AtomicBool::new(false),
            until: Instant::now() + time,
            starting: AtomicI64::new(0),
            most: AtomicI64::new(0),
            leases: [lease("jobs"), lease("rest/jobs"), lease("alone")],
        })
    }

    /// A number below `n`.
    pub fn draw(&self, n: u64) -> u64 {
        Random::new(self.random.fetch_add(0x9e37_79b9_7f4a_7c15, SeqCst)).below(n)
    }

    pub fn one_in(&self, n: u64) -> bool {
        self.draw(n) == 0
    }

    /// A choice of an actor: a number below `n`, or once everything is calm a number without a meaning.
    pub fn whim(&self, n: u64) -> u64 {
        if self.is_calm() { u64::MAX } else { self.draw(n) }
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(SeqCst) || Instant::now() >= self.until
    }

    pub fn calm_down(&self) {
        self.calm.store(true, SeqCst);
    }

    /// Counts a start until the value is dropped.
    pub fn starts(self: &Arc<Self>) -> Starts {
        let now = self.starting.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(now, SeqCst);
        Starts(self.clone())
    }

    /// The most starts at a time.
    pub fn most(&self) -> i64 {
        self.most.load(SeqCst)
    }
}

pub struct Starts(W);

impl Drop for Starts {
    fn drop(&mut self) {
        self.0.starting.fetch_sub(1, SeqCst);
    }
}
