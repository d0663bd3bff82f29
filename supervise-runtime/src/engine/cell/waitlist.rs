//! The waiters for an event of a cell, in the order in which they came.

use std::collections::BTreeMap;
use std::mem::take;
use std::task::Waker;

use supervise_core::base::deferred_drop::wake;

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

/// The wakers of futures that wait, by their tickets. Usually one waits at a time, which costs no allocation.
#[derive(Debug)]
#[expect(
    clippy::box_collection,
    reason = "each idle child has one, which takes no more room than a waker and a number"
)]
pub(crate) enum Wakers {
    One(u64, Waker),
    Others(Option<Box<BTreeMap<u64, Waker>>>),
}

impl Default for Wakers {
    fn default() -> Self {
        Wakers::Others(None)
    }
}

impl Wakers {
    pub(crate) fn get(&self, ticket: u64) -> Option<&Waker> {
        match self {
            Wakers::One(known, waker) => (*known == ticket).then_some(waker),
            Wakers::Others(all) => all.as_ref()?.get(&ticket),
        }
    }

    /// Stores a waker. Returns the previous one of this ticket, to be dropped outside of the lock.
    pub(crate) fn insert(&mut self, ticket: u64, waker: Waker) -> Option<Waker> {
        match self {
            Wakers::One(known, before) if *known == ticket => return Some(std::mem::replace(before, waker)),
            Wakers::Others(Some(all)) => return all.insert(ticket, waker),
            Wakers::Others(None) => *self = Wakers::One(ticket, waker),
            Wakers::One(..) => {
                let mut all = BTreeMap::from([(ticket, waker)]);
                if let Wakers::One(first, waker) = take(self) {
                    all.insert(first, waker);
                }
                *self = Wakers::Others(Some(Box::new(all)));
            }
        }
        None
    }

    /// Removes a waker, to be dropped outside of the lock.
    pub(crate) fn remove(&mut self, ticket: u64) -> Option<Waker> {
        match self {
            Wakers::One(known, _) if *known == ticket => match take(self) {
                Wakers::One(_, waker) => Some(waker),
                Wakers::Others(_) => None,
            },
            Wakers::One(..) => None,
            Wakers::Others(all) => all.as_mut()?.remove(&ticket),
        }
    }

    /// Wakes all, in the order of their tickets. To be called without a lock.
    pub(crate) fn wake(self) {
        match self {
            Wakers::One(_, waker) => wake(waker),
            Wakers::Others(all) => all.into_iter().flat_map(|all| *all).for_each(|(_, waker)| wake(waker)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    use super::*;

    struct Noted(u64, Arc<Mutex<Vec<u64>>>);

    impl Wake for Noted {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    /// All ways in and out, against a plain map.
    #[test]
    fn wakers_are_a_map_that_is_woken_in_order() {
        let woken = Arc::default();
        let waker = |name| Waker::from(Arc::new(Noted(name, Arc::clone(&woken))));
        // Each digit of a case is a ticket, put in if it is not there, and otherwise taken out.
        for case in 0..3_u64.pow(6) {
            let (mut wakers, mut model) = (Wakers::default(), BTreeMap::new());
            for step in 0..6 {
                let ticket = case / 3_u64.pow(step) % 3;
                if model.remove(&ticket).is_some() {
                    assert!(wakers.get(ticket).is_some() && wakers.remove(ticket).is_some());
                    assert!(wakers.get(ticket).is_none() && wakers.remove(ticket).is_none());
                } else {
                    assert!(wakers.insert(ticket, waker(10)).is_none());
                    assert!(wakers.insert(ticket, waker(ticket)).is_some(), "its previous waker");
                    model.insert(ticket, ());
                }
            }
            wakers.wake();
            assert_eq!(take(&mut *woken.lock().unwrap()), model.into_keys().collect::<Vec<_>>());
        }
    }

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
