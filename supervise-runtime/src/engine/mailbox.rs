//! The mailbox of an actor.
//!
//! Senders push under one short lock. The actor swaps the whole queue for its own batch, and serves the batch without
//! the lock. The bound is on the number of messages that wait, including those in the batch. A mailbox lives as long as
//! its cell, over all incarnations. It can be closed and opened again, since a child that has ended can be started
//! again with its supervisor (S20).
//!
//! Invariants:
//! 1. `receiver_parked` is set only under the lock, by the actor's own task, when queue and batch are empty. A sender
//!    that pushes clears it and wakes the task. So no wake-up is lost.
//! 2. `in_batch` is the length of the batch, kept current at each message, so that no sender gets `Full` while there is
//!    room. A sender reads it only if the mailbox may be full, judged by the length that the batch had at the
//!    beginning of the turn. So usually no other thread reads the place to which the actor writes.
//! 3. A blocked sender is in `blocked` with its ticket, or was woken and will try again, or has given up and has
//!    forwarded its wake-up. Each message that is taken out wakes one of the waiting senders. So capacity is never idle
//!    while a sender waits.
//!
//! The third invariant needs an order, because the actor makes room without the lock. The actor writes `in_batch`, then
//! reads `has_waiters`; a sender that begins to wait writes `has_waiters`, then reads `in_batch`. If all four accesses
//! are `SeqCst`, at least one of the two sees the write of the other. The actor does this at each message of a short
//! batch, at every 32nd message of a long batch and at its end, and while a sender waits. A fence for each message of a
//! long batch would cost too much. The room made in between is counted in `unsaid`, and reported when the actor takes
//! the lock for another reason, or at the next message with a fence: at the latest when the handler of the present
//! message waits for the first time, or returns. When the actor is idle, it wakes as many senders as there is room for,
//! in addition to senders that were woken before and have not come back.

use std::collections::VecDeque;
use std::mem::size_of;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use crate::engine::cell::control::{AnyCell, CellCore, CellOf, Mail};
use crate::engine::cell::current;
use crate::engine::turn::after_others;
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::{drop_catching_panics, wake};
use supervise_core::base::sync::atomic::{AtomicU64, Ordering};
use supervise_core::base::sync::{Arc, Mutex, MutexGuard, Weak, foreign, lock};
use supervise_core::values::event::{DeadLetterReason, EventKind};
use supervise_core::values::hooks::DeclaredHooks;
use supervise_core::values::mailbox_depth::MailboxDepth;
use supervise_core::values::strategy::WhileDown;

mod admission;
mod arrivals;
mod gate;
mod senders;
#[cfg(test)]
mod tests;

pub(crate) use admission::Admission;
pub(crate) use senders::Blocked;
use senders::Senders;

/// The number of messages that are served before the actor yields to the tasks that are ready.
const BUDGET: u8 = 128;

/// The number of such turns after which the actor also yields to the tasks that those wake: the least, and the most if
/// its mailbox has more messages than before.
const TURNS: [u8; 2] = [4, 64];

/// A batch with fewer messages is short: at each of its messages the actor checks for waiting senders.
const SHORT: usize = 32;

/// Buffers up to this number of bytes are never given back.
const SMALL: usize = 4096;

/// Larger buffers are given back when they were not needed for this long.
const CALM: Duration = Duration::from_secs(1);

/// A cell with a mailbox.
pub(crate) type ActorCell<T> = CellOf<Mailbox<T>>;

/// The part of a cell that senders of messages write.
pub(crate) struct Mailbox<T> {
    /// The way back from a cell without its message type.
    cell: Weak<ActorCell<T>>,
    ask: AskTime,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    queue: VecDeque<T>,
    gate: Admission,
    receiver_parked: bool,
    capacity: usize,
    /// The length of the actor's batch when it was taken, or at the end of its last turn: an upper bound of its length
    /// now.
    batch: usize,
    /// A queue shorter than this accepts any message. Follows from the gate, the capacity and the batch: see `judge`.
    open_below: usize,
    /// The senders that wait for room.
    blocked: Senders,
    /// Messages are refused while the actor is down (S35).
    rejecting: bool,
    /// The time at which each message came is noted: see [`arrivals`].
    timed: bool,
}

/// How long a sender may wait for an actor that is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As long as it takes: a `tell`.
    Waits,
    /// Only if the actor was up before: an `ask`, whose sender waits for the reply.
    OnceUp,
    /// Not at all: a `tell` of a sender that is on its way down itself.
    Never,
    /// Neither for the actor nor, later, for its next incarnation: an `ask` of such a sender.
    NeverAgain,
}

impl Patience {
    /// Returns how long the code on this thread may wait: none waits on its way down.
    fn here(self) -> Self {
        match self {
            Patience::Waits if current::is_leaving() => Patience::Never,
            Patience::OnceUp if current::is_leaving() => Patience::NeverAgain,
            patience => patience,
        }
    }

    fn is_none(self) -> bool {
        matches!(self, Patience::Never | Patience::NeverAgain)
    }
}

/// Why a message was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    Full,
    Down { retry_in: Option<Duration> },
    Closed,
}

/// The mailbox of an actor, for an item that the actor sends to itself. A timer or a source knows only this item of the
/// mailbox.
pub(crate) trait OwnMailbox<T>: Send + Sync {
    fn core(&self) -> &CellCore;

    /// Puts the item into the mailbox, if there is room.
    fn push_own(&self, item: Arc<T>) -> Result<(), Rejected>;
}

/// An item of a mailbox.
pub(crate) trait MailboxItem: Send + 'static {
    /// The type that senders send.
    type Message;

    /// The hooks of the actor.
    const HOOKS: DeclaredHooks;

    /// Makes an item of a message.
    fn of(message: Self::Message) -> Self;

    /// Makes an item of the request of a sender on its way down. It does not wait for the next incarnation.
    fn of_leaving(message: Self::Message) -> Self;

    /// Returns whether the item is a message of a sender. Takes no lock, so it may be asked under one.
    fn is_message(&self) -> bool;

    /// Returns the type name if the item is a user message: if it is lost, it becomes a dead letter.
    fn message(&self) -> Option<&'static str>;

    /// Takes the message out of the item, if it stays elsewhere when the item is dropped.
    fn inside(&self) -> Option<Self::Message> {
        None
    }
}

impl<T: MailboxItem> ActorCell<T> {
    /// Makes the cell of an actor. `while_down`: whether messages wait or are refused while the actor is down (S35).
    #[inline(always)]
    pub(crate) fn new(
        core: impl FnOnce() -> CellCore,
        capacity: usize,
        ask: Duration,
        while_down: WhileDown,
    ) -> Arc<Self> {
        let rejecting = while_down == WhileDown::Reject;
        let (ask, blocked) = (AskTime::new(ask), Senders::default());
        Arc::new_cyclic(|cell| {
            let inner = Mutex::new(Inner {
                queue: VecDeque::new(),
                gate: Admission::Down,
                receiver_parked: false,
                capacity,
                batch: 0,
                open_below: 0,
                blocked,
                rejecting,
                timed: false,
            });
            CellOf::around(Mailbox { cell: cell.clone(), ask, inner }, 0, rejecting, core)
        })
    }

    /// Begins an incarnation, which has no message yet.
    pub(crate) fn begin(&self) {
        self.in_hand.store(0, Ordering::Relaxed);
        self.handled.store(false, Ordering::Relaxed);
    }

    pub(crate) fn set_handled(&self) {
        self.handled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn ask_time(&self) -> Option<Duration> {
        self.mail.ask.get()
    }

    pub(crate) fn set_ask_time(&self, time: Duration) {
        self.mail.ask.set(time);
    }

    /// Takes the message if the actor is up and there certainly is room. Otherwise `try_push` or `poll_push` has to look
    /// closer. `take` runs under the lock, so that the message is moved only once: from its sender into the queue.
    #[inline(always)]
    pub(crate) fn offer(&self, take: impl FnOnce() -> Option<T::Message>) -> bool {
        let inner = lock(&self.mail.inner);
        if inner.queue.len() < inner.open_below
            && let Some(msg) = take()
        {
            self.enqueue(inner, T::of(msg));
            return true;
        }
        false
    }

    /// Takes the message if there is room. A message that is refused stays.
    pub(crate) fn try_push(&self, msg: &mut Option<T::Message>, patience: Patience) -> Result<(), Rejected> {
        let patience = patience.here();
        let inner = lock(&self.mail.inner);
        if let Some(rejected) = self.refuses(&inner, patience) {
            return Err(rejected);
        }
        if let Some(msg) = msg.take() {
            self.accept(inner, msg, patience);
        }
        Ok(())
    }

    fn refuses(&self, inner: &Inner<T>, patience: Patience) -> Option<Rejected> {
        if inner.gate != Admission::Open
            && let Some(rejected) = inner.refusal(patience)
        {
            return Some(rejected);
        }
        self.is_full(inner).then(|| inner.if_full())
    }

    fn accept(&self, mut inner: MutexGuard<'_, Inner<T>>, msg: T::Message, patience: Patience) {
        if patience == Patience::NeverAgain {
            inner.blocked.has_last_requests();
            self.enqueue_noted(inner, T::of_leaving(msg));
        } else {
            self.enqueue_noted(inner, T::of(msg));
        }
    }

    fn is_full(&self, inner: &Inner<T>) -> bool {
        inner.queue.len() + inner.batch >= inner.capacity && self.room(inner) == 0
    }

    fn room(&self, inner: &Inner<T>) -> usize {
        inner.capacity.saturating_sub(inner.queue.len() + self.in_batch.load(Ordering::SeqCst))
    }

    #[inline(always)]
    fn enqueue(&self, mut inner: MutexGuard<'_, Inner<T>>, msg: T) {
        #[cfg(feature = "testing")]
        if let Some(witness) = self.core().bus.witness()
            && msg.is_message()
        {
            witness.accepts();
        }
        inner.queue.push_back(msg);
        if inner.receiver_parked {
            inner.receiver_parked = false;
            drop(inner);
            self.core().wake();
        }
    }

    /// Accepts the message even if the mailbox is full (for a notice of an end). Drops it if the mailbox is closed.
    pub(crate) fn push_past_bound(&self, msg: T) {
        let inner = lock(&self.mail.inner);
        if matches!(inner.gate, Admission::Draining | Admission::Closed) {
            drop(inner);
            return;
        }
        self.enqueue_noted(inner, msg);
    }

    /// Does the same as `try_push`, but stores a waker if the mailbox is full. `ticket` identifies the waiting sender.
    pub(crate) fn poll_push(
        &self,
        msg: &mut Option<T::Message>,
        ticket: &mut Option<u64>,
        patience: Patience,
        waker: &Waker,
    ) -> Poll<Result<(), Rejected>> {
        let patience = patience.here();
        // Cloned and dropped outside of the lock: a waker may be user code.
        let mut fresh = None;
        loop {
            let mut inner = lock(&self.mail.inner);
            match self.refuses(&inner, patience) {
                None => {
                    // A sender may poll again before it is woken: its entry must not use up another sender's wake-up.
                    let known = ticket.take().and_then(|ticket| inner.blocked.remove(&ticket));
                    match msg.take() {
                        Some(msg) => self.accept(inner, msg, patience),
                        None => drop(inner),
                    }
                    foreign();
                    drop(known);
                    return Poll::Ready(Ok(()));
                }
                Some(Rejected::Full) => {}
                Some(rejected) => {
                    drop(inner);
                    return Poll::Ready(Err(rejected));
                }
            }
            let known = ticket.and_then(|ticket| inner.blocked.get(&ticket));
            let before = if known.is_some_and(|known| known.will_wake(waker)) {
                None
            } else if let Some(fresh) = fresh.take() {
                let ticket = *ticket.get_or_insert_with(|| inner.blocked.ticket());
                inner.blocked.insert(ticket, fresh)
            } else {
                drop(inner);
                foreign();
                fresh = Some(waker.clone());
                continue;
            };
            // The sender's side of the order described in the module.
            self.has_waiters.store(true, Ordering::SeqCst);
            let room = self.room(&inner);
            self.wake_senders(inner, room);
            drop(before);
            return Poll::Pending;
        }
    }

    /// Wakes senders after `made` messages were taken out of the batch, of which `left` are left.
    #[cold]
    fn wake_senders_after(&self, left: usize, made: usize) {
        let inner = lock(&self.mail.inner);
        let room = inner.capacity.saturating_sub(inner.queue.len() + left).min(made);
        self.wake_senders(inner, room);
    }

    /// Wakes this many of the senders that wait for room.
    fn wake_senders(&self, mut inner: MutexGuard<'_, Inner<T>>, room: usize) {
        let woken = match room.min(inner.blocked.len()) {
            0 => (None, Vec::new()),
            1 => (inner.blocked.pop_first(), Vec::new()),
            room => (None, std::iter::from_fn(|| inner.blocked.pop_first()).take(room).collect()),
        };
        self.has_waiters.store(!inner.blocked.is_empty(), Ordering::SeqCst);
        drop(inner);
        foreign();
        let (one, more) = woken;
        one.into_iter().chain(more).for_each(|(_, waker)| wake(waker));
    }

    /// Removes a sender that gave up waiting. If it had already been woken, its wake-up is forwarded to the next one.
    pub(crate) fn cancel_wait(&self, ticket: u64) {
        let mut inner = lock(&self.mail.inner);
        let known = inner.blocked.remove(&ticket);
        let next = if known.is_none() { inner.blocked.pop_first() } else { None };
        drop(inner);
        foreign();
        drop(known);
        if let Some((_, waker)) = next {
            wake(waker);
        }
    }

    /// Opens or closes the gate. Senders that wait for room are woken, try again, and see the new state.
    pub(crate) fn set_gate(&self, gate: Admission, capacity: Option<usize>) {
        let mut inner = lock(&self.mail.inner);
        if let Some(capacity) = capacity {
            inner.capacity = capacity;
        }
        inner.set_gate(gate);
        inner.follow(self.core(), self.in_batch.load(Ordering::Relaxed));
        let blocked = inner.blocked.all();
        drop(inner);
        drop(blocked);
    }
}

impl<T: MailboxItem> Mailbox<T> {
    /// Returns the cell that this mailbox is part of.
    pub(crate) fn cell(&self) -> Option<Arc<ActorCell<T>>> {
        self.cell.upgrade()
    }
}

/// Drops an item of the queue, which is a dead letter if it is a message.
fn bury<T: MailboxItem>(letter: T, core: &CellCore, reason: DeadLetterReason) {
    if let Some(message) = letter.message() {
        #[cfg(feature = "testing")]
        if !letter.is_message() {
            core.witness_item();
        }
        core.emit(EventKind::DeadLetter { message, reason });
    }
    // Dropping the message gives an asker its error. A panic in one `Drop` must not lose the other messages.
    drop_catching_panics(letter.inside());
    drop_catching_panics(letter);
}

impl<T: MailboxItem> ActorCell<T> {
    /// Removes the requests of senders on their way down, which get an error at once. To be called when the gate was
    /// shut, by the actor's own task, after its batch was given back.
    pub(crate) fn purge_last_requests(&self, is_one: impl Fn(&T) -> bool) {
        let are_some = lock(&self.mail.inner).blocked.take_last_requests();
        if are_some {
            self.purge(DeadLetterReason::Restarted, is_one);
        }
    }

    /// Removes the items that end with the incarnation; the messages among them become dead letters with this reason. To
    /// be called by the actor's own task, after its batch was given back.
    pub(crate) fn purge(&self, reason: DeadLetterReason, stale: impl Fn(&T) -> bool) {
        let gone = {
            let mut inner = lock(&self.mail.inner);
            let queued = inner.queue.len();
            let mut came = inner.take_arrivals(queued).into_iter();
            let (mut gone, mut stay) = (Vec::new(), VecDeque::new());
            for letter in std::mem::take(&mut inner.queue) {
                let came = came.next();
                if stale(&letter) {
                    gone.push(letter);
                } else {
                    stay.push_back(letter);
                    inner.put_arrival(came);
                }
            }
            inner.queue = stay;
            gone
        };
        let made = gone.len();
        for letter in gone {
            bury(letter, self.core(), reason);
        }
        let inner = lock(&self.mail.inner);
        let room = self.room(&inner).min(made);
        self.wake_senders(inner, room);
    }
}

impl<T: MailboxItem> Mail for Mailbox<T> {
    fn hooks(&self) -> Option<DeclaredHooks> {
        Some(T::HOOKS)
    }

    fn refuse(&self, cell: &AnyCell) {
        let mut inner = lock(&self.inner);
        cell.in_batch.store(0, Ordering::Relaxed);
        inner.set_batch(0);
        if inner.gate == Admission::Closed && inner.queue.capacity() == 0 {
            return; // closed before, and nothing came since
        }
        inner.set_gate(Admission::Closed);
        let (blocked, queue) = (inner.blocked.all(), std::mem::take(&mut inner.queue));
        let came = inner.take_arrivals(0);
        drop(inner);
        drop((blocked, came));
        for letter in queue {
            bury(letter, cell.core(), DeadLetterReason::Ended);
        }
    }

    fn set_down(&self, gate: Admission) {
        self.reject(gate);
    }

    fn set_retry(&self, at: Option<Instant>) {
        lock(&self.inner).blocked.set_retry_at(at);
    }

    fn reopen(&self) {
        let mut inner = lock(&self.inner);
        if inner.gate == Admission::Closed {
            inner.set_gate(Admission::Down);
        }
    }

    fn drain_gate(&self) -> Blocked {
        let mut inner = lock(&self.inner);
        if matches!(inner.gate, Admission::Draining | Admission::Closed) {
            return Blocked::none();
        }
        inner.set_gate(Admission::Draining);
        inner.blocked.all()
    }

    fn has_messages(&self) -> bool {
        true
    }

    fn depth(&self, cell: &AnyCell) -> Option<MailboxDepth> {
        let mut inner = lock(&self.inner);
        inner.follow(cell.core(), cell.in_batch.load(Ordering::Relaxed));
        let waiting = inner.queue.len() + cell.in_batch.load(Ordering::Relaxed);
        let capacity = (inner.capacity != usize::MAX).then_some(inner.capacity);
        Some(MailboxDepth::new(waiting, capacity, inner.blocked.len(), inner.oldest(waiting)))
    }
}

/// The actor's end of the mailbox.
///
/// The actor takes messages in turns. Everything that cannot change while its task runs is looked at once a turn. A turn
/// ends with the batch or the budget, and before the task waits for anything.
///
/// Each idle actor has one, so the numbers are as small as what they count.
pub(crate) struct Inbox<T> {
    batch: VecDeque<T>,
    /// The number of the last turn.
    number: u32,
    /// The number of messages that were left when the actor last waited or let all others run.
    left: u32,
    /// The number of messages that are left of this turn: never more than there are in the batch.
    turn: u8,
    /// The number of messages that may be served after this turn before the actor yields.
    budget: u8,
    /// The number of budgets that were used up since the actor last waited or let all others run.
    turns: u8,
    /// The number of messages that were taken out without a check for waiting senders: fewer than [`SHORT`].
    unsaid: u8,
    bounded: bool,
    /// The number of messages of this turn that are observed, also those that were handled.
    observed: u8,
    /// Present while the buffers are large.
    calm: Option<Box<Calm>>,
}

/// The time for which the buffers have not been needed.
struct Calm {
    timer: Pin<Box<Sleep>>,
    /// The longest batch in this time.
    longest: usize,
}

/// The result of a wait for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Messages are there.
    Begun,
    /// No message is left, and none will come.
    Drained,
    /// An order has to be handled first.
    Interrupted,
}

impl<T: MailboxItem> Inbox<T> {
    pub(crate) fn new() -> Self {
        Inbox {
            batch: VecDeque::new(),
            number: 0,
            left: 0,
            turn: 0,
            budget: BUDGET,
            turns: 0,
            unsaid: 0,
            bounded: true,
            observed: 0,
            calm: None,
        }
    }

    /// Returns the next message of this turn.
    #[inline(always)]
    pub(crate) fn next(&mut self, cell: &ActorCell<T>) -> Option<T> {
        if self.turn == 0 {
            return None;
        }
        self.turn -= 1;
        let msg = self.batch.pop_front();
        #[cfg(feature = "testing")]
        if let Some(witness) = cell.core().bus.witness()
            && msg.as_ref().is_some_and(MailboxItem::is_message)
        {
            witness.takes_out();
        }
        self.count_down(cell);
        msg
    }

    /// Waits for messages and begins a turn, unless one is in progress. Marks the cell busy until the next call.
    pub(crate) fn poll_turn(&mut self, cell: &ActorCell<T>, cx: &mut Context<'_>) -> Poll<Turn> {
        if self.turn > 0 {
            return Poll::Ready(Turn::Begun);
        }
        if self.observed > 0 {
            self.observed_over(cell, cell.core().bus.observed.now());
        }
        cell.in_hand.store(0, Ordering::Relaxed);
        if cell.interrupted.load(Ordering::Acquire) {
            return Poll::Ready(Turn::Interrupted);
        }
        if self.budget == 0 {
            self.end_turn(cell, cx);
            return Poll::Pending;
        }
        if self.batch.is_empty() {
            let mut inner = lock(&cell.mail.inner);
            if inner.queue.is_empty() {
                if inner.gate == Admission::Draining {
                    return Poll::Ready(Turn::Drained);
                }
                inner.receiver_parked = true;
                inner.set_batch(0);
                (self.budget, self.turns, self.left) = (BUDGET, 0, 0);
                self.unsaid = 0;
                let great = inner.queue.capacity().max(self.batch.capacity()) * size_of::<T>() > SMALL;
                if inner.blocked.is_empty() {
                    drop(inner);
                } else {
                    let room = inner.capacity;
                    cell.wake_senders(inner, room);
                }
                if great || self.calm.is_some() {
                    self.wait_for_calm(cell, cx);
                }
                return Poll::Pending;
            }
            self.bounded = inner.capacity != usize::MAX;
            std::mem::swap(&mut inner.queue, &mut self.batch);
            let taken = self.batch.len();
            inner.set_batch(taken);
            cell.in_batch.store(taken, Ordering::Relaxed);
            if let Some(calm) = &mut self.calm {
                calm.longest = calm.longest.max(taken);
            }
        }
        self.turn = self.batch.len().min(self.budget.into()) as u8;
        let observe = cell.core().bus.observed.now();
        if !observe.is_empty() {
            self.observe(cell, observe);
        }
        self.budget -= self.turn;
        self.number = self.number.wrapping_add(1).max(1);
        cell.in_hand.store(self.number, Ordering::Relaxed);
        Poll::Ready(Turn::Begun)
    }

    /// Yields to the tasks that are ready, and now and then to all others: otherwise a neighbour that asks another would
    /// wait for a turn of this actor at each step.
    ///
    /// While the mailbox has more messages than when this happened last, the messages go first: otherwise producers that
    /// let others run as well would always go on before their messages are handled.
    #[cold]
    fn end_turn(&mut self, cell: &ActorCell<T>, cx: &mut Context<'_>) {
        self.budget = BUDGET;
        self.turns += 1;
        let queued = {
            let mut inner = lock(&cell.mail.inner);
            inner.set_batch(self.batch.len()); // senders that run now need not look closer
            let queued = inner.queue.len();
            self.tell_unsaid(cell, inner);
            queued
        };
        if self.turns >= TURNS[0] {
            let left = u32::try_from(self.batch.len() + queued).unwrap_or(u32::MAX);
            if left <= self.left || self.turns >= TURNS[1] {
                (self.turns, self.left) = (0, left);
                return after_others(cx);
            }
        }
        cx.waker().wake_by_ref();
    }

    /// Publishes how much of the batch is left, and checks for waiting senders.
    #[inline(always)]
    fn count_down(&mut self, cell: &ActorCell<T>) {
        let left = self.batch.len();
        if !self.bounded {
            return cell.in_batch.store(left, Ordering::Relaxed);
        }
        if left < SHORT || left.is_multiple_of(SHORT) || cell.has_waiters.load(Ordering::Relaxed) {
            cell.in_batch.store(left, Ordering::SeqCst);
            let made = usize::from(std::mem::take(&mut self.unsaid)) + 1;
            if cell.has_waiters.load(Ordering::SeqCst) {
                cell.wake_senders_after(left, made);
            }
        } else {
            cell.in_batch.store(left, Ordering::Relaxed);
            self.unsaid += 1;
        }
    }

    /// No message is in hand, though the turn may go on.
    pub(crate) fn rest(&self, cell: &ActorCell<T>) {
        cell.in_hand.store(0, Ordering::Relaxed);
    }

    /// The turn in progress goes on after a [rest](Inbox::rest).
    pub(crate) fn go_on(&self, cell: &ActorCell<T>) {
        cell.in_hand.store(self.number, Ordering::Relaxed);
    }

    /// Puts a message that is redelivered in front of all others, even if the mailbox is full (S36).
    pub(crate) fn requeue_front(&mut self, cell: &ActorCell<T>, msg: T) {
        self.return_batch(cell);
        #[cfg(feature = "testing")]
        if let Some(witness) = cell.core().bus.witness() {
            witness.takes_back();
        }
        let mut inner = lock(&cell.mail.inner);
        inner.put_back_arrival();
        inner.queue.push_front(msg);
    }

    /// Puts the rest of the batch back to the front of the queue when a handler waits, so that a close of the mailbox
    /// meanwhile finds all messages there.
    pub(crate) fn return_batch(&mut self, cell: &ActorCell<T>) {
        if self.observed > 1 {
            self.observed_before(cell);
        }
        if self.batch.is_empty() {
            return;
        }
        self.budget += std::mem::take(&mut self.turn);
        let mut inner = lock(&cell.mail.inner);
        self.batch.append(&mut inner.queue);
        std::mem::swap(&mut inner.queue, &mut self.batch);
        inner.set_batch(0);
        cell.in_batch.store(0, Ordering::Relaxed);
        self.tell_unsaid(cell, inner);
    }

    /// Puts the rest of the batch back when the message loop has returned. The message in hand is over, whatever its end.
    pub(crate) fn served(&mut self, cell: &ActorCell<T>) {
        self.return_batch(cell);
        if self.observed > 0 {
            self.observed_over(cell, cell.core().bus.observed.now());
        }
    }

    /// Wakes senders for the room that was made without a look at them.
    fn tell_unsaid(&mut self, cell: &ActorCell<T>, inner: MutexGuard<'_, Inner<T>>) {
        let made = usize::from(std::mem::take(&mut self.unsaid));
        if made > 0 && !inner.blocked.is_empty() {
            let room = cell.room(&inner).min(made);
            cell.wake_senders(inner, room);
        }
    }

    /// Waits, with an empty mailbox, until the buffers of a burst can be given back: after a time in which a quarter of
    /// their size would have been enough. Under a steady load they stay.
    #[cold]
    fn wait_for_calm(&mut self, cell: &ActorCell<T>, cx: &mut Context<'_>) {
        let calm = self.calm.get_or_insert_with(|| Box::new(Calm { timer: Box::pin(sleep(CALM)), longest: 0 }));
        while calm.timer.as_mut().poll(cx).is_ready() {
            let mut inner = lock(&cell.mail.inner);
            if !inner.queue.is_empty() {
                return; // the actor was woken for it
            }
            if calm.longest <= inner.queue.capacity().max(self.batch.capacity()) / 4 {
                let before =
                    (std::mem::take(&mut inner.queue), std::mem::take(&mut self.batch), inner.take_arrivals(0));
                drop(inner);
                drop(before);
                self.calm = None;
                return;
            }
            drop(inner);
            calm.longest = 0;
            calm.timer.as_mut().reset(after(Instant::now(), CALM));
        }
    }

    /// Closes the mailbox at the end: all queued messages are dropped, and the buffers are given back.
    pub(crate) fn close(&mut self, cell: &ActorCell<T>) {
        self.served(cell); // a handler may have been dropped with its runtime
        self.batch = VecDeque::new();
        self.calm = None;
        cell.mail.refuse(cell);
    }
}

/// The time that an ask waits, kept next to the mailbox since every handle needs it. `u64::MAX` means forever.
#[derive(Debug)]
pub(crate) struct AskTime(AtomicU64);

impl AskTime {
    pub(crate) fn new(time: Duration) -> Self {
        AskTime(AtomicU64::new(Self::nanos(time)))
    }

    fn nanos(time: Duration) -> u64 {
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn set(&self, time: Duration) {
        self.0.store(Self::nanos(time), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }
}
