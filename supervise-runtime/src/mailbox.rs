//! The mailbox: senders push under one short lock, the actor takes all that was pushed with one swap
//! and serves the batch without touching shared memory.
//!
//! Bounded by the number of messages that wait, those of the batch included. It lives as long as the
//! cell, over all incarnations, and can be closed and opened again, since a child that has ended can be
//! started again with its supervisor (S20).
//!
//! Invariants:
//! 1. `parked` is set only under the lock, by the actor's own task, when queue and batch are empty;
//!    who pushes clears it and wakes the task: no wake-up is lost.
//! 2. a blocked sender is in `blocked` with its ticket, or was woken and will try again, or is gone
//!    and has passed its wake-up on: room never stays unused while somebody waits for it. The actor makes
//!    room without the lock, so it and a sender that begins to wait look at each other's flag (`unserved`,
//!    `crowded`) behind their own, in one total order.

use std::any::Any;
use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use crate::actor_ref::AskTime;
use crate::cell::control::{Controlled, Ctl};
use crate::events::{DeadReason, EventKind, lock};
use crate::last::drop_quietly;
use crate::snapshot::MailboxDepth;
use crate::strategy::WhileDown;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Arc, Mutex, MutexGuard};

mod gate;

use gate::Rejects;

/// Messages served before the actor yields to other tasks.
const BUDGET: u8 = 128;

/// Below so many free places the actor says after each message how many are left in its batch.
const CLOSE_COUNT: usize = 32;

/// Whether messages are taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Handled as they come.
    Open,
    /// They wait: the actor is down (S35).
    Down,
    /// They go back, but what is queued is handled still (S24).
    Draining,
    /// They go back: the actor has ended or is about to.
    Closed,
}

/// A cell with a mailbox.
pub(crate) struct MailCell<T> {
    ctl: Ctl,
    /// Control wants the actor's loop to come back.
    interrupted: AtomicBool,
    busy: AtomicBool,
    /// The present incarnation has handled a message.
    handled: AtomicBool,
    /// Messages in the actor's batch. Written by the actor, read by senders under the lock.
    unserved: AtomicUsize,
    /// Some sender waits for room.
    crowded: AtomicBool,
    ask: AskTime,
    /// While it is down messages go back (S35).
    rejecting: bool,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    queue: VecDeque<T>,
    gate: Gate,
    parked: bool,
    capacity: usize,
    blocked: VecDeque<(u64, Waker)>,
    tickets: u64,
    /// It takes nothing in while it is down (S35). Boxed: most hold.
    rejects: Option<Box<Rejects>>,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    Full,
    Down { retry_in: Option<Duration> },
    Closed,
}

/// What a mailbox holds.
pub(crate) trait Letter: Send + 'static {
    /// The type of the message, if it is one: lost, it is a dead letter.
    fn message(&self) -> Option<&'static str>;
}

impl<T: Letter> MailCell<T> {
    pub(crate) fn new(ctl: Ctl, capacity: usize, ask: Duration) -> Self {
        MailCell {
            ctl,
            interrupted: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            handled: AtomicBool::new(false),
            unserved: AtomicUsize::new(0),
            crowded: AtomicBool::new(false),
            ask: AskTime::new(ask),
            rejecting: false,
            inner: Mutex::new(Inner {
                queue: VecDeque::new(),
                gate: Gate::Down,
                parked: false,
                capacity,
                blocked: VecDeque::new(),
                tickets: 0,
                rejects: None,
            }),
        }
    }

    pub(crate) fn set_handled(&self, handled: bool) {
        self.handled.store(handled, Ordering::Relaxed);
    }

    pub(crate) fn ask_time(&self) -> Option<Duration> {
        self.ask.get()
    }

    pub(crate) fn set_ask_time(&self, time: Duration) {
        self.ask.set(time);
    }

    /// Takes the message if there is room. `refuse_down`: the sender must not wait for one that is down.
    #[inline]
    pub(crate) fn try_push(&self, msg: T, refuse_down: bool) -> Result<(), (T, Rejected)> {
        let inner = lock(&self.inner);
        match self.refuses(&inner, refuse_down) {
            Some(rejected) => {
                drop(inner);
                Err((msg, rejected))
            }
            None => {
                self.take_in(inner, msg);
                Ok(())
            }
        }
    }

    #[inline]
    fn refuses(&self, inner: &Inner<T>, refuse_down: bool) -> Option<Rejected> {
        if inner.gate != Gate::Open
            && let Some(rejected) = inner.refusal(refuse_down)
        {
            return Some(rejected);
        }
        self.is_full(inner).then_some(Rejected::Full)
    }

    #[inline]
    fn is_full(&self, inner: &Inner<T>) -> bool {
        inner.capacity != usize::MAX && inner.queue.len() + self.unserved.load(Ordering::Relaxed) >= inner.capacity
    }

    #[inline]
    fn take_in(&self, mut inner: MutexGuard<'_, Inner<T>>, msg: T) {
        inner.queue.push_back(msg);
        let parked = std::mem::take(&mut inner.parked);
        drop(inner);
        if parked {
            self.ctl.wake();
        }
    }

    /// Takes the message whatever the bound (notices of an end). Dropped if the mailbox is closed.
    pub(crate) fn push_past_bound(&self, msg: T) {
        let inner = lock(&self.inner);
        if matches!(inner.gate, Gate::Draining | Gate::Closed) {
            drop(inner);
            return;
        }
        self.take_in(inner, msg);
    }

    /// As `try_push`, but leaves a waker behind when it is full. `ticket` names the waiting sender.
    pub(crate) fn poll_push(
        &self,
        msg: &mut Option<T>,
        ticket: &mut Option<u64>,
        refuse_down: bool,
        waker: &Waker,
    ) -> Poll<Result<(), Rejected>> {
        let mut inner = lock(&self.inner);
        match self.refuses(&inner, refuse_down) {
            None => {
                // It may have come back before it was woken: its place must not use up somebody else's wake-up.
                if let Some(ticket) = ticket.take() {
                    inner.blocked.retain(|(known, _)| *known != ticket);
                }
                if let Some(msg) = msg.take() {
                    self.take_in(inner, msg);
                }
                return Poll::Ready(Ok(()));
            }
            Some(Rejected::Full) => {}
            Some(rejected) => return Poll::Ready(Err(rejected)),
        }
        let ticket = *ticket.get_or_insert_with(|| {
            inner.tickets += 1;
            inner.tickets
        });
        match inner.blocked.iter_mut().find(|(known, _)| *known == ticket) {
            Some((_, known)) => known.clone_from(waker),
            None => inner.blocked.push_back((ticket, waker.clone())),
        }
        self.crowded.store(true, Ordering::SeqCst);
        // The actor says how much is left, then looks whether somebody waits; here it is the other way round,
        // so that one of the two sees the other.
        let left = self.unserved.load(Ordering::SeqCst);
        Self::let_in(inner, left, &self.crowded);
        Poll::Pending
    }

    #[cold]
    fn let_in_behind(&self, left: usize) {
        Self::let_in(lock(&self.inner), left, &self.crowded);
    }

    /// Wakes as many of those who wait as there is room for; `left` are in the actor's batch.
    fn let_in(mut inner: MutexGuard<'_, Inner<T>>, left: usize, crowded: &AtomicBool) {
        let room = inner.capacity.saturating_sub(inner.queue.len() + left).min(inner.blocked.len());
        let woken: Vec<_> = inner.blocked.drain(..room).collect();
        crowded.store(!inner.blocked.is_empty(), Ordering::SeqCst);
        drop(inner);
        woken.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// A sender gave up waiting: if it had been woken, the next one gets its place.
    pub(crate) fn give_up(&self, ticket: u64) {
        let mut inner = lock(&self.inner);
        let before = inner.blocked.len();
        inner.blocked.retain(|(known, _)| *known != ticket);
        let woken = before == inner.blocked.len();
        let next = if woken { inner.blocked.pop_front() } else { None };
        drop(inner);
        if let Some((_, waker)) = next {
            waker.wake();
        }
    }

    /// Opens or closes; who waits for room tries again and finds out.
    pub(crate) fn set_gate(&self, gate: Gate, capacity: Option<usize>) {
        let mut inner = lock(&self.inner);
        inner.gate = gate;
        if let Some(capacity) = capacity {
            inner.capacity = capacity;
        }
        if inner.blocked.is_empty() {
            return;
        }
        let blocked = std::mem::take(&mut inner.blocked);
        drop(inner);
        blocked.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl<T: Letter> MailCell<T> {
    /// Refuses what comes and takes out what waits: it becomes dead letters and errors to askers.
    fn close(&self) {
        self.set_gate(Gate::Closed, None);
        let queue = {
            let mut inner = lock(&self.inner);
            self.unserved.store(0, Ordering::Relaxed);
            std::mem::take(&mut inner.queue)
        };
        for letter in queue {
            if let Some(message) = letter.message() {
                self.ctl.emit(EventKind::DeadLetter { message, reason: DeadReason::Ended });
            }
            // An ask gets its error by this. A panic in one `Drop` must not lose the others.
            drop_quietly(letter);
        }
    }
}

impl<T: Letter> MailCell<T> {
    /// Takes out what ends with the incarnation. To be called by the actor's own task, with its batch given back.
    pub(crate) fn purge(&self, stale: impl Fn(&T) -> bool) {
        let gone: Vec<T> = {
            let mut inner = lock(&self.inner);
            let (gone, stay) = std::mem::take(&mut inner.queue).into_iter().partition(|letter| stale(letter));
            inner.queue = stay;
            Vec::from(gone)
        };
        for letter in gone {
            drop_quietly(letter);
        }
        self.wake_for_room();
    }

    /// Room was made: wakes as many of those who wait for it.
    fn wake_for_room(&self) {
        let mut inner = lock(&self.inner);
        let taken = inner.queue.len() + self.unserved.load(Ordering::Relaxed);
        let room = inner.capacity.saturating_sub(taken).min(inner.blocked.len());
        let woken: Vec<_> = inner.blocked.drain(..room).collect();
        drop(inner);
        woken.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl<T: Letter> Controlled for MailCell<T> {
    fn ctl(&self) -> &Ctl {
        &self.ctl
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn interrupt(&self, on: bool) {
        self.interrupted.store(on, Ordering::Release);
    }

    fn refuse(&self) {
        self.close();
    }

    fn reopen(&self) {
        let mut inner = lock(&self.inner);
        if inner.gate == Gate::Closed {
            inner.gate = Gate::Down;
        }
    }

    fn set_down(&self, down: bool) {
        self.reject(down);
    }

    fn set_retry(&self, at: Option<Instant>) {
        self.retry(at);
    }

    fn refuse_new(&self) {
        drop(self.drain_gate());
    }

    fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    fn has_handled(&self) -> bool {
        self.handled.load(Ordering::Relaxed)
    }

    fn mailbox(&self) -> Option<MailboxDepth> {
        let inner = lock(&self.inner);
        Some(MailboxDepth {
            waiting: inner.queue.len() + self.unserved.load(Ordering::Relaxed),
            capacity: (inner.capacity != usize::MAX).then_some(inner.capacity),
            blocked: inner.blocked.len(),
        })
    }
}

/// The actor's end of the mailbox.
pub(crate) struct Inbox<T> {
    batch: VecDeque<T>,
    budget: u8,
    bounded: bool,
}

/// What the actor's loop gets.
pub(crate) enum Received<T> {
    Message(T),
    /// No message is left, and none will come.
    Drained,
    /// Control wants to be heard first.
    Interrupted,
}

impl<T: Letter> Inbox<T> {
    pub(crate) fn new() -> Self {
        Inbox { batch: VecDeque::new(), budget: BUDGET, bounded: true }
    }

    /// The next message. Marks the cell busy until the next call.
    #[inline]
    pub(crate) fn poll(&mut self, cell: &MailCell<T>, cx: &Context<'_>) -> Poll<Received<T>> {
        if cell.interrupted.load(Ordering::Acquire) {
            cell.busy.store(false, Ordering::Relaxed);
            return Poll::Ready(Received::Interrupted);
        }
        if self.budget == 0 {
            self.budget = BUDGET;
            cell.busy.store(false, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.batch.is_empty() {
            cell.busy.store(false, Ordering::Relaxed);
            let mut inner = lock(&cell.inner);
            if inner.queue.is_empty() {
                if inner.gate == Gate::Draining {
                    return Poll::Ready(Received::Drained);
                }
                inner.parked = true;
                self.budget = BUDGET;
                return Poll::Pending;
            }
            self.bounded = inner.capacity != usize::MAX;
            std::mem::swap(&mut inner.queue, &mut self.batch);
            cell.unserved.store(if self.bounded { self.batch.len() } else { 0 }, Ordering::Relaxed);
        }
        self.budget -= 1;
        let msg = self.batch.pop_front();
        self.count_down(cell);
        match msg {
            Some(msg) => {
                cell.busy.store(true, Ordering::Relaxed);
                Poll::Ready(Received::Message(msg))
            }
            None => Poll::Pending,
        }
    }

    /// Tells senders how much of the batch is left: now and then while it is long, at each message
    /// near its end and while somebody waits.
    #[inline]
    fn count_down(&mut self, cell: &MailCell<T>) {
        if !self.bounded {
            return;
        }
        let left = self.batch.len();
        if left < CLOSE_COUNT || left.is_multiple_of(CLOSE_COUNT) || cell.crowded.load(Ordering::Relaxed) {
            cell.unserved.store(left, Ordering::SeqCst);
            if cell.crowded.load(Ordering::SeqCst) {
                cell.let_in_behind(left);
            }
        }
    }

    /// A message that is to be delivered again comes before all others, past the bound (S36).
    pub(crate) fn put_back(&mut self, cell: &MailCell<T>, msg: T) {
        self.give_back(cell);
        lock(&cell.inner).queue.push_front(msg);
    }

    /// A handler that waits gives the rest of its batch back, in front: whoever closes the mailbox
    /// meanwhile finds all of it there.
    pub(crate) fn give_back(&mut self, cell: &MailCell<T>) {
        if self.batch.is_empty() {
            return;
        }
        let mut inner = lock(&cell.inner);
        self.batch.append(&mut inner.queue);
        std::mem::swap(&mut inner.queue, &mut self.batch);
        cell.unserved.store(0, Ordering::Relaxed);
    }
}
