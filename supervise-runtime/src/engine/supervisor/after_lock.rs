//! The consequences of a group event that may run foreign code: collected under the group's lock, and carried out after
//! it.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use super::{Entry, Inner};
use crate::engine::cell::control::{AnyCell, SystemMessage, queue, ring};
use supervise_core::base::sync::{Arc, foreign};
use supervise_core::decide::child::OwnOrder;
use supervise_core::decide::child::machine::Order;
use supervise_core::decide::group::{Id, Told};
use supervise_core::values::event::EventKind;

/// Tasks to wake, events to raise and entries to drop, once this thread holds no lock any more.
#[must_use = "tasks wait for being woken"]
pub(crate) struct AfterLock<'a> {
    owner: &'a AnyCell,
    wakes_owner: bool,
    woken: OneOrMany<Arc<AnyCell>>,
    said: OneOrMany<(Arc<AnyCell>, GroupEvent)>,
    dropped: OneOrMany<Entry>,
}

/// An event of a child in the child's own task, with the steps without user code that come next: its time, and what
/// follows from it for the child itself. The child carries that out at once, so it is neither queued nor is the child
/// woken for it.
#[derive(Default)]
pub(crate) struct OwnEvent {
    order: OwnOrder,
    scheduled: Cell<Option<Duration>>,
    told: Cell<Option<Told>>,
    now: Cell<Option<Instant>>,
}

/// The child in whose task an event occurs, and the place for what follows for the child itself.
pub(super) type By<'a> = (Id, Option<&'a OwnEvent>);

impl OwnEvent {
    /// An event after which the child takes an order to itself back.
    pub(crate) fn taking_back() -> Self {
        OwnEvent { order: OwnOrder::taking_back(), ..OwnEvent::default() }
    }

    /// Returns the time of the event. The clock is read once, when the time is first needed.
    pub(crate) fn now(&self) -> Instant {
        let now = self.now.get().unwrap_or_else(Instant::now);
        self.now.set(Some(now));
        now
    }

    /// User code has run, which may have taken long.
    pub(crate) fn lets_time_pass(&self) {
        self.now.set(None);
    }

    pub(crate) fn take(&self) -> Option<Order> {
        self.order.take()
    }

    /// Returns the delay of a restart that was decided.
    pub(crate) fn scheduled(&self) -> Option<Duration> {
        self.scheduled.get()
    }

    /// Takes the delay of a restart that was decided, for the event that the child raises.
    pub(crate) fn take_scheduled(&self) -> Option<Duration> {
        self.scheduled.take()
    }

    pub(super) fn schedule(&self, after: Duration) {
        self.scheduled.set(Some(after));
    }

    /// Keeps what the group made of the failure, until it is carried out.
    pub(crate) fn tell(&self, told: Told) {
        self.told.set(Some(told));
    }

    pub(crate) fn take_told(&self) -> Option<Told> {
        self.told.take()
    }

    /// Returns whether an order that is given now comes after all others.
    pub(super) fn takes_from(&self, cell: &AnyCell) -> bool {
        self.order.is_next(|| cell.core().has_control())
    }

    pub(super) fn give(&self, scheduled: Option<Duration>, order: Order) {
        self.scheduled.set(scheduled);
        self.order.give(order);
    }

    /// Keeps the order, or returns it if it has to be queued behind another one. Under the lock of the group no order
    /// of the group can be queued meanwhile.
    fn put(&self, order: Order, cell: &AnyCell) -> Option<Order> {
        self.order.put(order, || cell.core().has_control())
    }
}

/// An event of a child that its group raises.
pub(super) enum GroupEvent {
    Scheduled(Duration),
    LimitReached(u32),
}

impl From<GroupEvent> for EventKind {
    fn from(said: GroupEvent) -> Self {
        match said {
            GroupEvent::Scheduled(after) => EventKind::RestartScheduled { after },
            GroupEvent::LimitReached(max_restarts) => EventKind::LimitReached { max_restarts },
        }
    }
}

/// A list that usually has at most one item, which costs no allocation. Three of them are moved for each event, so the
/// others take no more room than a pointer.
struct OneOrMany<T> {
    first: Option<T>,
    #[expect(clippy::box_collection, reason = "see above")]
    more: Option<Box<Vec<T>>>,
}

impl<T> OneOrMany<T> {
    const fn none() -> Self {
        OneOrMany { first: None, more: None }
    }

    fn push(&mut self, value: T) {
        match &self.first {
            None => self.first = Some(value),
            Some(_) => self.more.get_or_insert_default().push(value),
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    fn last(&self) -> Option<&T> {
        self.more.as_ref().and_then(|more| more.last()).or(self.first.as_ref())
    }

    fn for_each(self, mut each: impl FnMut(T)) {
        if let Some(first) = self.first {
            each(first);
        }
        if let Some(more) = self.more {
            more.into_iter().for_each(each);
        }
    }
}

impl<'a> AfterLock<'a> {
    pub(super) fn of(owner: &'a AnyCell) -> Self {
        AfterLock {
            owner,
            wakes_owner: false,
            woken: OneOrMany::none(),
            said: OneOrMany::none(),
            dropped: OneOrMany::none(),
        }
    }

    /// Gives an order to a child. `by`: the child whose task this is; it takes its order back, or looks at its queue
    /// before it waits.
    pub(super) fn send(&mut self, inner: &Inner, by: Option<By<'_>>, id: Id, order: Order) {
        let Some(Some(Entry::Child { cell, .. })) = inner.entries.get(id as usize) else { return };
        let own = by.filter(|(child, _)| *child == id);
        let order = match own {
            Some((_, Some(own))) => own.put(order, &**cell),
            _ => Some(order),
        };
        let Some(order) = order else { return };
        queue(&**cell, SystemMessage::Order(order));
        if own.is_none() && self.woken.last().is_none_or(|last| !Arc::ptr_eq(last, cell)) {
            self.woken.push(cell.clone());
        }
    }

    pub(super) fn send_owner(&mut self, message: SystemMessage) {
        queue(self.owner, message);
        self.wakes_owner = true;
    }

    pub(super) fn wakes_owner(&mut self) {
        self.wakes_owner = true;
    }

    /// Does not wake the owner, whose task this is.
    pub(super) fn in_its_task(mut self) -> Self {
        self.wakes_owner = false;
        self
    }

    pub(super) fn says(&mut self, cell: Option<Arc<AnyCell>>, said: GroupEvent) {
        if let Some(cell) = cell {
            self.said.push((cell, said));
        }
    }

    pub(super) fn drops(&mut self, entry: Option<Entry>) {
        if let Some(entry) = entry {
            self.dropped.push(entry);
        }
    }

    pub(super) fn and_drop(mut self, entry: Option<Entry>) -> Self {
        self.drops(entry);
        self
    }

    fn is_empty(&self) -> bool {
        !self.wakes_owner && self.woken.is_empty() && self.said.is_empty() && self.dropped.is_empty()
    }

    /// To be called without a lock.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn done(self) {
        foreign();
        if !self.is_empty() {
            self.carry_out();
        }
    }

    #[inline(never)]
    fn carry_out(self) {
        if self.wakes_owner {
            ring(self.owner);
        }
        self.woken.for_each(|cell| ring(&*cell));
        self.said.for_each(|(cell, said)| cell.core().emit(said.into()));
        drop(self.dropped);
    }
}
