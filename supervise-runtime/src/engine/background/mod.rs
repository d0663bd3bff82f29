//! Background work of an actor: timers, subordinate futures and its cancellation token (S11).
//!
//! Background work belongs to one incarnation and is dropped with it. The driver owns it and polls it in the actor's
//! own task, after the user future; the context only requests additions, through the control queue. An actor that does
//! not use it pays nothing for it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};
#[cfg(feature = "tokio-util")]
use tokio_util::sync::DropGuard;

mod futures;

pub(crate) use futures::{BackgroundFuture, Running};
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::Arc;
use supervise_core::base::{BoxFuture, Each};
use supervise_core::values::event::DeadLetterReason;

use futures::FutureSet;

/// An addition that the context requests from the driver.
pub(crate) enum BackgroundWork {
    Timer {
        at: Instant,
        period: Option<Duration>,
        tick: Arc<dyn Queue>,
    },
    Future(BackgroundFuture),
    /// A source, and the item that it leaves for the mailbox.
    Source {
        items: BoxFuture<'static, ()>,
        item: Arc<dyn Queue>,
    },
    /// A token that is cancelled when this guard is dropped.
    #[cfg(feature = "tokio-util")]
    Token(DropGuard),
}

impl std::fmt::Debug for BackgroundWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BackgroundWork")
    }
}

/// A timer in the heap: the earliest first, and of equals the one that was set first.
struct Due {
    at: Instant,
    number: u64,
    period: Option<Duration>,
    tick: Arc<dyn Queue>,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number)) // `BinaryHeap` gives the greatest
    }
}

/// Below this number of timers, cancelled ones are not looked for.
const SWEEP: usize = 16;

/// All background work of one incarnation.
pub(crate) struct Background {
    timers: BinaryHeap<Due>,
    numbers: u64,
    /// At this number of timers the cancelled ones are removed.
    sweep: usize,
    sleep: Option<Pin<Box<Sleep>>>,
    /// Due ticks for which there was no room in the mailbox.
    waiting: Vec<Arc<dyn Queue>>,
    /// Results for which there was no room in the mailbox.
    results: Vec<Arc<dyn Queue>>,
    futures: Option<FutureSet>,
    #[cfg(feature = "tokio-util")]
    token: Option<DropGuard>,
}

impl Background {
    pub(crate) fn new() -> Self {
        Background {
            timers: BinaryHeap::new(),
            numbers: 0,
            sweep: SWEEP,
            sleep: None,
            waiting: Vec::new(),
            results: Vec::new(),
            futures: None,
            #[cfg(feature = "tokio-util")]
            token: None,
        }
    }

    /// Adds background work. `task` wakes the actor's task when a subordinate future can continue.
    pub(crate) fn add(&mut self, work: BackgroundWork, task: &Waker) {
        match work {
            BackgroundWork::Timer { at, period, tick } => {
                if self.timers.len() >= self.sweep {
                    self.timers.retain(|due| !due.tick.is_cancelled());
                    self.sweep = SWEEP.max(self.timers.len() * 2);
                }
                self.push(at, period, tick);
            }
            BackgroundWork::Future(future) => {
                self.futures.get_or_insert_with(|| FutureSet::new(task.clone())).add(Running::Future(future))
            }
            BackgroundWork::Source { items, item } => {
                self.futures.get_or_insert_with(|| FutureSet::new(task.clone())).add(Running::Source { items, item })
            }
            #[cfg(feature = "tokio-util")]
            BackgroundWork::Token(token) => self.token = Some(token),
        }
    }

    /// Cancels the token, because the actor should end.
    #[cfg(feature = "tokio-util")]
    pub(crate) fn tell(&mut self) {
        self.token = None;
    }

    /// Removes all timers. Their ticks hold user messages, which the caller has to drop.
    pub(crate) fn stop_timers(&mut self) -> impl Iterator<Item = Arc<dyn Queue>> + use<> {
        self.sleep = None;
        let waiting = std::mem::take(&mut self.waiting);
        std::mem::take(&mut self.timers).into_iter().map(|due| due.tick).chain(waiting)
    }

    /// Removes all sources, which the caller has to drop: no item is taken from them any more. An item that was taken is
    /// handled.
    pub(crate) fn stop_sources(&mut self) -> Vec<Running> {
        self.futures.as_mut().map(FutureSet::take_sources).unwrap_or_default()
    }

    /// Returns whether a future is running. (A result that waits for room finds it in an empty mailbox.)
    pub(crate) fn has_futures(&self) -> bool {
        self.futures.as_ref().is_some_and(FutureSet::has_futures)
    }

    /// Drops everything, each part in its own call of `each`: messages of timers and futures are user values. Items of
    /// sources become dead letters with this reason.
    pub(crate) fn dismantle(mut self, reason: DeadLetterReason, each: Each<'_>) {
        #[cfg(feature = "tokio-util")]
        each(&mut || self.token = None); // wakes everyone who waits for the token
        for tick in self.stop_timers().chain(self.results) {
            let mut tick = Some(tick);
            each(&mut || {
                if let Some(tick) = &tick {
                    tick.lose(reason);
                }
            });
            each(&mut || tick = None);
        }
        if let Some(futures) = self.futures {
            futures.dismantle(reason, each);
        }
    }

    fn push(&mut self, at: Instant, period: Option<Duration>, tick: Arc<dyn Queue>) {
        self.numbers += 1;
        self.timers.push(Due { at, number: self.numbers, period, tick });
    }

    /// Queues due ticks and polls the futures. This is user code, except for the timers.
    ///
    /// The error is the text of a panic. The part that panicked is dropped, and the rest is left as it was.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Result<(), String> {
        for waiting in [&mut self.waiting, &mut self.results] {
            waiting.extract_if(.., |tick| tick.clone().try_again()).for_each(drop_catching_panics);
        }
        while let Some(first) = self.timers.peek() {
            let at = first.at;
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(at)));
            if sleep.deadline() != at {
                sleep.as_mut().reset(at);
            }
            if sleep.as_mut().poll(cx).is_pending() {
                break;
            }
            self.fire(Instant::now());
        }
        match &mut self.futures {
            Some(futures) => futures.poll(|tick| queue(&mut self.results, tick)),
            None => Ok(()),
        }
    }

    fn fire(&mut self, now: Instant) {
        while let Some(due) = self.timers.peek()
            && due.at <= now
            && let Some(due) = self.timers.pop()
        {
            if due.tick.is_cancelled() {
                continue;
            }
            if let Some(period) = due.period {
                // Missed ticks are not made up for; the next tick is on the same grid.
                let late = now.duration_since(due.at).as_nanos() / period.as_nanos();
                let steps = u32::try_from(late + 1).unwrap_or(u32::MAX);
                self.push(after(due.at, period.saturating_mul(steps)), Some(period), due.tick.clone());
            }
            queue(&mut self.waiting, due.tick);
        }
    }
}

fn queue(waiting: &mut Vec<Arc<dyn Queue>>, tick: Arc<dyn Queue>) {
    match tick.clone().queue() {
        true => drop_catching_panics(tick), // after a stop this is the last reference to its message
        false => waiting.push(tick),
    }
}

/// A tick seen without its message type.
pub(crate) trait Queue: Send + Sync {
    /// Puts the tick into the mailbox, unless it waits there already. `false`: there is no room, try again later.
    fn queue(self: Arc<Self>) -> bool;
    /// Does the same as `queue` for a tick that found no room.
    fn try_again(self: Arc<Self>) -> bool;
    fn is_cancelled(&self) -> bool;
    fn cancel(&self);
    /// Returns whether it has an item of a source that is not in the mailbox.
    fn has_item(&self) -> bool {
        false
    }
    /// Has a source take its next item: the one in hand was handled.
    fn go_on(&self) {}
    /// Makes an item of a source that was not handled a dead letter.
    fn lose(&self, _reason: DeadLetterReason) {}
}
