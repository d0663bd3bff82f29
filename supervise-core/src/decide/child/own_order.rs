//! The order that a child's own event has for the child itself.

use std::cell::Cell;
use std::fmt;

use super::machine::Order;

/// The place for the order that an event of a child, in the child's own task, has for the child itself. The task takes
/// the order back once the event is over: before anything else, since all that came before it is served.
#[derive(Default)]
pub struct OwnOrder {
    /// The child takes its order back. Otherwise the order is queued.
    takes_back: bool,
    order: Cell<Option<Order>>,
}

impl fmt::Debug for OwnOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnOrder").field("takes_back", &self.takes_back).finish_non_exhaustive()
    }
}

impl OwnOrder {
    /// An event after which the child takes its order back.
    pub fn taking_back() -> Self {
        OwnOrder { takes_back: true, ..OwnOrder::default() }
    }

    /// Returns whether an order that is given now comes after all others. `waits`: whether the child's queue has an
    /// entry.
    pub fn is_next(&self, waits: impl FnOnce() -> bool) -> bool {
        self.takes_back && !self.is(|_| true) && !waits()
    }

    /// Keeps the order, which comes after all others.
    #[inline]
    pub fn give(&self, order: Order) {
        self.order.set(Some(order));
    }

    /// Keeps the order, or returns it if it has to be queued behind another one.
    pub fn put(&self, order: Order, waits: impl FnOnce() -> bool) -> Option<Order> {
        if !self.is_next(waits) {
            return Some(order);
        }
        self.give(order);
        None
    }

    pub fn take(&self) -> Option<Order> {
        self.order.take()
    }

    /// Returns whether there is such an order.
    pub fn is(&self, such: impl FnOnce(&Order) -> bool) -> bool {
        let order = self.order.take();
        let is = order.as_ref().is_some_and(such);
        self.order.set(order);
        is
    }
}
