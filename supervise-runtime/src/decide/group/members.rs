//! Changes of the member list: members are declared, spawned or moved.

use super::*;

/// A member that moves between two supervisors.
#[derive(Debug)]
pub(crate) struct Moving(Box<Member>);

/// Returns whether most of an allocation is unused.
pub(crate) fn is_roomy(len: usize, capacity: usize) -> bool {
    capacity > 64 && len < capacity / 4
}

impl Group {
    /// Adds a member that is declared (the build reaches it for the first time) or spawned. It starts when its turn
    /// comes.
    pub(crate) fn add(&mut self, settings: Arc<Settings>, dynamic: bool) -> Id {
        let value = settings.kind.is_none();
        let member = Member {
            at: if value { At::Up } else { At::Turn },
            settings,
            budget: None,
            pace: Pace::default(),
            order: self.orders,
            ending: None,
            by_hand: false,
            lost: false,
            drains: false,
            quits: false,
            finished: false,
            alone: dynamic,
            was_up: false,
            reached: true,
            passed: false,
            counted: false,
            due: false,
            delay: Duration::ZERO,
            kept: false,
            dynamic,
            down_since: None,
        };
        self.orders += 1;
        self.living += u32::from(!value);
        let id = self.put(member);
        // While a range goes down, the new member comes after the walk, and is found on the way up.
        if !matches!(self.mode, Mode::Steady | Mode::Waiting | Mode::Ended) {
            self.plan.push(Place { order: self.orders - 1, id });
        }
        id
    }

    /// The build has reached this member (again). Its settings may have changed with the parameters.
    pub(crate) fn reach(&mut self, id: Id, settings: Arc<Settings>, now: Instant) {
        let member = self.member(id);
        member.settings = settings;
        member.reached = true;
        if member.is_value() && member.at != At::Up {
            member.at = At::Up;
        }
        self.settle(now);
    }

    /// Lets a spawned member start as soon as nothing delays it.
    pub(crate) fn admit(&mut self, id: Id, now: Instant) {
        match self.mode {
            Mode::Steady if !self.held => self.start(id, now),
            _ => self.settle(now),
        }
    }

    /// Removes a run-time child that moves to another supervisor, with its budget and its restart delays (S38). Refused
    /// while anything else is in progress: a decision in progress would lose its child.
    pub(crate) fn leave(&mut self, id: Id) -> Option<Moving> {
        let calm = self.mode == Mode::Steady && !self.held;
        self.get(id).filter(|member| calm && member.dynamic && member.at == At::Up && member.ending.is_none())?;
        let member = self.vacate(id)?;
        self.living -= 1;
        Some(Moving(Box::new(member)))
    }

    /// Adds a child that comes from another supervisor, after the present members.
    pub(crate) fn join(&mut self, moving: Moving) -> Result<Id, Moving> {
        if self.mode != Mode::Steady || self.held || self.owner == Owner::Tree {
            return Err(moving);
        }
        let mut member = *moving.0;
        member.order = self.orders;
        member.kept = false;
        self.orders += 1;
        self.living += 1;
        Ok(self.put(member))
    }

    /// Puts the member into a free slot, or a new one at the end.
    fn put(&mut self, member: Member) -> Id {
        while let Some(id) = self.free.pop() {
            // Ids of slots beyond the end may still be in the list.
            if let Some(slot) = self.members.get_mut(id as usize) {
                debug_assert!(slot.is_none(), "new slots are made only when none is free");
                *slot = Some(member);
                return id;
            }
        }
        self.members.push(Some(member));
        (self.members.len() - 1) as Id
    }

    /// Takes a member out of its slot. Free slots at the end are dropped, so that the table does not keep its greatest
    /// length forever.
    pub(super) fn vacate(&mut self, id: Id) -> Option<Member> {
        let member = self.members[id as usize].take();
        self.free.push(id);
        while let Some(None) = self.members.last() {
            self.members.pop();
        }
        let slots = self.members.len();
        if is_roomy(slots, self.members.capacity()) {
            self.members.shrink_to(slots * 2);
            self.free.retain(|id| (*id as usize) < slots);
            self.free.shrink_to(slots);
        }
        member
    }

    /// Returns the number of slots, free ones included.
    pub(crate) fn slots(&self) -> usize {
        self.members.len()
    }

    /// The build has finished: all members are known.
    pub(crate) fn built(&mut self, now: Instant) {
        self.built = true;
        self.settle(now);
    }
}
