//! The members of a group in their slots.

use std::sync::Arc;

use crate::decide::member::{Member, Settings};

/// The slot of a member in the table of children.
pub type Id = u32;

/// A position in the plan of a walk. The slot may have another member by the time the walk reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) order: u64,
    pub(super) id: Id,
}

/// The members. A slot is used again once its member is forgotten; an order number is not.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Roster {
    slots: Vec<Option<Member>>,
    free: Vec<Id>,
    /// The next order number. A declared tree keeps all members, so there the number is also the slot.
    orders: u64,
    /// The number of members that declare no backoff. A limit that all members share depends on it at each restart.
    without_backoff: usize,
    /// The number of members that were looked at, one by one.
    #[cfg(test)]
    pub(super) steps: std::cell::Cell<u64>,
}

/// Returns whether most of an allocation is unused.
pub fn is_roomy(len: usize, capacity: usize) -> bool {
    capacity > 64 && len < capacity / 4
}

impl Roster {
    pub(super) fn get(&self, id: Id) -> Option<&Member> {
        self.slots.get(id as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, id: Id) -> Option<&mut Member> {
        self.slots.get_mut(id as usize)?.as_mut()
    }

    #[inline]
    pub(super) fn member(&mut self, id: Id) -> &mut Member {
        self.get_mut(id).expect("effects and events name living members")
    }

    /// Returns the member at this place, unless it has ended and is forgotten.
    #[inline]
    pub(super) fn at_place(&self, place: Place) -> Option<&Member> {
        self.get(place.id).filter(|member| member.order == place.order)
    }

    /// The number of slots, free ones included.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn ids(&self) -> std::ops::Range<Id> {
        0..self.slots.len() as Id
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.slots.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.slots.iter_mut().flatten()
    }

    /// Returns the members with their slots, in the order of these.
    pub(super) fn enumerate(&self) -> impl Iterator<Item = (Id, &Member)> {
        let slots = self.slots.iter().enumerate().inspect(|_| self.step());
        slots.filter_map(|(id, member)| Some((id as Id, member.as_ref()?)))
    }

    /// Returns the places of all members, in the order of declaration or spawning.
    #[inline]
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.enumerate().map(|(id, member)| Place { order: member.order, id }).collect();
        places.sort_unstable_by_key(|place| place.order);
        places
    }

    /// Returns the order number of the next member that comes.
    pub(super) fn next_order(&self) -> u64 {
        self.orders
    }

    /// Takes an order number.
    pub(super) fn take_order(&mut self) -> u64 {
        self.orders += 1;
        self.orders - 1
    }

    /// Returns whether every member declares a backoff.
    pub(super) fn all_back_off(&self) -> bool {
        self.without_backoff == 0
    }

    /// Replaces the settings of a member, which may have changed with the parameters.
    pub(super) fn set_settings(&mut self, id: Id, settings: Arc<Settings>) {
        let before = std::mem::replace(&mut self.member(id).settings, settings);
        self.without_backoff -= usize::from(before.lacks_backoff());
        self.without_backoff += usize::from(self.member(id).settings.lacks_backoff());
    }

    /// Makes room for so many slots in all.
    pub(super) fn expect(&mut self, slots: usize) {
        self.slots.reserve(slots.saturating_sub(self.slots.len()));
    }

    /// Puts the member into a free slot, or a new one at the end.
    #[inline]
    pub(super) fn put(&mut self, member: Member) -> Id {
        self.without_backoff += usize::from(member.settings.lacks_backoff());
        while let Some(id) = self.free.pop() {
            // Ids of slots beyond the end may still be in the list.
            if let Some(slot) = self.slots.get_mut(id as usize) {
                debug_assert!(slot.is_none(), "new slots are made only when none is free");
                *slot = Some(member);
                return id;
            }
        }
        self.slots.push(Some(member));
        (self.slots.len() - 1) as Id
    }

    /// Takes a member out of its slot. Free slots at the end are dropped, so that the table does not keep its greatest
    /// length forever.
    pub(super) fn vacate(&mut self, id: Id) -> Option<Member> {
        let member = self.slots[id as usize].take();
        self.without_backoff -= usize::from(member.as_ref().is_some_and(|member| member.settings.lacks_backoff()));
        self.free.push(id);
        while let Some(None) = self.slots.last() {
            self.slots.pop();
        }
        let slots = self.slots.len();
        if is_roomy(slots, self.slots.capacity()) {
            self.slots.shrink_to(slots * 2);
            self.free.retain(|id| (*id as usize) < slots);
            self.free.shrink_to(slots);
        }
        member
    }

    /// The number of slots for which there is memory, and the length of the list of free slots.
    #[cfg(test)]
    pub(super) fn room(&self) -> (usize, usize) {
        (self.slots.capacity(), self.free.len())
    }

    /// Counts a member that a walk looks at, for the tests.
    pub(super) fn step(&self) {
        #[cfg(test)]
        self.steps.update(|steps| steps + 1);
    }
}
