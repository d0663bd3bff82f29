//! The waiters for an event of a cell, in the order in which they came.

use std::mem::take;

/// A list of waiters. Each has a ticket, by which it can leave. Entering and leaving cost the logarithm of the number
/// of waiters, in any order. An empty list does not allocate.
#[derive(Debug)]
pub(crate) struct Waitlist<T> {
    /// The waiters by ticket. A waiter that leaves is a gap, until more than half of the list is gaps.
    places: Vec<(u64, Option<T>)>,
    gaps: usize,
}

/// The capacity that is kept when all have left, since usually another waiter comes.
const KEPT: usize = 4;

impl<T> Default for Waitlist<T> {
    fn default() -> Self {
        Waitlist { places: Vec::new(), gaps: 0 }
    }
}

impl<T> Waitlist<T> {
    /// Adds a waiter. Tickets are given out in ascending order.
    pub(crate) fn come(&mut self, ticket: u64, who: T) {
        debug_assert!(self.places.last().is_none_or(|(last, _)| *last < ticket));
        self.places.push((ticket, Some(who)));
    }

    /// Removes a waiter, to be dropped outside of the lock: it is user code, or leads to some.
    pub(crate) fn leave(&mut self, ticket: u64) -> Option<T> {
        let place = self.place(ticket)?;
        let left = self.places[place].1.take()?;
        self.gaps += 1;
        if self.gaps * 2 > self.places.len() {
            self.places.retain(|(_, who)| who.is_some());
            self.places.shrink_to(KEPT.max(self.places.len() * 2));
            self.gaps = 0;
        }
        Some(left)
    }

    /// Takes all waiters, in the order in which they came.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = T> + use<T> {
        take(self).places.into_iter().filter_map(|(_, who)| who)
    }

    fn place(&self, ticket: u64) -> Option<usize> {
        self.places.binary_search_by_key(&ticket, |(ticket, _)| *ticket).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiters_are_notified_in_the_order_in_which_they_came() {
        let mut list = Waitlist::default();
        (1..=9).for_each(|ticket| list.come(ticket, ticket));
        for gone in [4, 9, 1] {
            assert_eq!(list.leave(gone), Some(gone));
            assert_eq!(list.leave(gone), None, "once");
        }
        assert_eq!(list.all().collect::<Vec<_>>(), [2, 3, 5, 6, 7, 8]);
        assert_eq!(list.all().next(), None);
        list.come(10, 10);
        assert_eq!(list.all().collect::<Vec<_>>(), [10]);
    }

    /// This number of waiters would take far too long if each one moved or visited all the others.
    #[test]
    fn a_million_come_and_go_in_any_order() {
        const MANY: u64 = 1_000_000;
        for step in [1, MANY - 1, 617_723] {
            let mut list = Waitlist::default();
            (0..MANY).for_each(|ticket| list.come(ticket, ()));
            for n in 1..=MANY {
                assert!(list.leave(n * step % MANY).is_some());
            }
            assert!(list.places.capacity() <= KEPT && list.places.is_empty());
        }
    }
}
