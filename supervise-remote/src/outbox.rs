//! The frames that leave a join, in the order of their numbers, and sent without a lock.
//!
//! A frame gets its number under the lock of its run or node. The wire is code of others, so it is called after that, by
//! one thread at a time: the one that finds frames here while no other thread sends takes all of them.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::errors::guarded;
use crate::lock::lock;
use crate::wire::{Outgoing, Peer};

/// A frame that waits to be sent.
struct Waiting {
    to: Peer,
    bytes: Vec<u8>,
    /// Does not wait behind data on the wire.
    ahead: bool,
}

/// The frames of a join that are not sent yet.
#[derive(Default)]
pub(crate) struct Outbox {
    out: Option<Arc<dyn Outgoing>>,
    frames: VecDeque<Waiting>,
    /// Room of the frames that were sent before, so that no frame needs new room.
    spare: VecDeque<Waiting>,
    /// Somebody sends what is here.
    sending: bool,
    /// The number of the join.
    join: u64,
    /// The wire has panicked, so that frames are missing: this join is over.
    broken: bool,
    /// The outgoing sides of joins that are over, to be dropped without the lock.
    retired: Vec<Arc<dyn Outgoing>>,
}

impl Outbox {
    /// Begins with a join: the frames that were left of the join before are dropped.
    pub(crate) fn joined(&mut self, out: Arc<dyn Outgoing>) {
        self.left();
        (self.out, self.broken, self.join) = (Some(out), false, self.join.saturating_add(1));
    }

    /// The join is over.
    pub(crate) fn left(&mut self) {
        self.retired.extend(self.out.take());
        self.frames.clear();
    }

    pub(crate) fn push(&mut self, to: &Peer, bytes: Vec<u8>) {
        self.add(to, bytes, false);
    }

    /// Adds a sign of life.
    pub(crate) fn push_ahead(&mut self, to: &Peer, bytes: Vec<u8>) {
        self.add(to, bytes, true);
    }

    fn add(&mut self, to: &Peer, bytes: Vec<u8>, ahead: bool) {
        if self.out.is_some() {
            self.frames.push_back(Waiting { to: to.clone(), bytes, ahead });
        }
    }

    /// Returns whether this join is over since the wire has panicked.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    fn is_due(&self) -> bool {
        !self.frames.is_empty() || !self.retired.is_empty()
    }
}

/// A state with an outbox.
pub(crate) trait Sends {
    fn outbox(&mut self) -> &mut Outbox;
}

/// The most frames for which room is kept.
const MOST_SPARE: usize = 1024;

/// Sends what is in the outbox. Called without a lock. Returns whether the wire has panicked meanwhile.
pub(crate) fn flush<S: Sends>(state: &Mutex<S>) -> bool {
    let mut sends = false;
    let mut panicked = false;
    let mut frames = VecDeque::new();
    loop {
        let (join, out, retired) = {
            let mut state = lock(state);
            let outbox = state.outbox();
            if outbox.sending && !sends {
                return false; // another thread is sending, and looks for more at its end
            }
            if !sends {
                frames = std::mem::take(&mut outbox.spare);
            }
            sends = outbox.is_due();
            outbox.sending = sends;
            if !sends {
                frames.shrink_to(MOST_SPARE);
                outbox.spare = frames;
                return panicked;
            }
            std::mem::swap(&mut frames, &mut outbox.frames);
            (outbox.join, outbox.out.clone(), std::mem::take(&mut outbox.retired))
        };
        let sending = guarded(|| {
            if let Some(out) = &out {
                frames.drain(..).for_each(|Waiting { to, bytes, ahead }| match ahead {
                    true => out.send_ahead(&to, bytes),
                    false => out.send(&to, bytes),
                });
            }
            frames.clear();
            drop((out, retired));
        });
        frames.clear(); // a panic may have left some
        if let Err(why) = sending {
            say!(error, why, "the wire cannot send, the link to the network ends");
            let mut state = lock(state);
            let outbox = state.outbox();
            // Only the join of these frames is broken, not a later one.
            if outbox.join == join {
                (outbox.broken, panicked) = (true, true);
                outbox.left();
            }
        }
    }
}

/// Waits until everything is sent, so that the link can be closed in order.
pub(crate) async fn drained<S: Sends>(state: &Mutex<S>) {
    while {
        let mut state = lock(state);
        let outbox = state.outbox();
        outbox.sending || outbox.is_due()
    } {
        tokio::time::sleep(DRAINING).await;
    }
}

/// How often it is looked whether everything is sent. A wire sends at once, so hardly ever is it looked twice.
const DRAINING: Duration = Duration::from_millis(1);

/// A lock whose end sends what was put into the outbox meanwhile.
pub(crate) struct Locked<'a, S: Sends> {
    state: &'a Mutex<S>,
    guard: Option<MutexGuard<'a, S>>,
    broken: &'a tokio::sync::Notify,
}

impl<'a, S: Sends> Locked<'a, S> {
    pub(crate) fn new(state: &'a Mutex<S>, broken: &'a tokio::sync::Notify) -> Self {
        Locked { state, guard: Some(lock(state)), broken }
    }
}

impl<S: Sends> Deref for Locked<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.guard.as_ref().expect("it is locked until it is dropped")
    }
}

impl<S: Sends> DerefMut for Locked<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        self.guard.as_mut().expect("it is locked until it is dropped")
    }
}

impl<S: Sends> Drop for Locked<'_, S> {
    fn drop(&mut self) {
        let due = self.outbox().is_due();
        self.guard = None;
        if due && flush(self.state) {
            self.broken.notify_one();
        }
    }
}
