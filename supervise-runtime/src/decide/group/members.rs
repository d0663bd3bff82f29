//! Members come: declared by a build, or spawned.

use super::*;

/// A member between two supervisors.
#[derive(Debug)]
pub(crate) struct Moving(Box<Member>);

/// Most of what is allocated is not in use.
pub(crate) fn is_roomy(len: usize, capacity: usize) -> bool {
    capacity > 64 && len < capacity / 4
}

impl Group {
    /// A member is declared (build reaches it for the first time) or spawned. It starts in its turn.
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
        // While a range goes down it is behind the walk, and is found on the way up.
        if !matches!(self.mode, Mode::Steady | Mode::Waiting | Mode::Ended) {
            self.plan.push(Place { order: self.orders - 1, id });
        }
        id
    }

    /// Build has come to this member (again). Its settings may have changed with the parameters.
    pub(crate) fn reach(&mut self, id: Id, settings: Arc<Settings>, now: Instant) {
        let member = self.member(id);
        member.settings = settings;
        member.reached = true;
        if member.is_value() && member.at != At::Up {
            member.at = At::Up;
        }
        self.settle(now);
    }

    /// A spawned member can start as soon as nothing holds it.
    pub(crate) fn admit(&mut self, id: Id, now: Instant) {
        match self.mode {
            Mode::Steady if !self.held => self.start(id, now),
            _ => self.settle(now),
        }
    }

    /// A run-time child goes to another supervisor with its budget and its pace (S38). Not while anything
    /// is going on: a decision in progress would lose it.
    pub(crate) fn leave(&mut self, id: Id) -> Option<Moving> {
        let calm = self.mode == Mode::Steady && !self.held;
        self.get(id).filter(|member| calm && member.dynamic && member.at == At::Up && member.ending.is_none())?;
        let member = self.vacate(id)?;
        self.living -= 1;
        Some(Moving(Box::new(member)))
    }

    /// It comes here, behind those that are here already.
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

    /// Into a slot that is free, or a new one at the end.
    fn put(&mut self, member: Member) -> Id {
        while let Some(id) = self.free.pop() {
            // Behind the end there is none any more.
            if let Some(slot) = self.members.get_mut(id as usize) {
                debug_assert!(slot.is_none(), "new slots are made only when none is free");
                *slot = Some(member);
                return id;
            }
        }
        self.members.push(Some(member));
        (self.members.len() - 1) as Id
    }

    /// Out of its slot. Those at the end are let go, so that a table is not for ever as long as it once was.
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

    /// So many there are, free ones included.
    pub(crate) fn slots(&self) -> usize {
        self.members.len()
    }

    /// Build is through: all members are known.
    pub(crate) fn built(&mut self, now: Instant) {
        self.built = true;
        self.settle(now);
    }
}
