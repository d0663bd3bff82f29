//! Members come: declared by a build, or spawned.

use super::*;

/// A member between two supervisors.
#[derive(Debug)]
pub struct Moving(Box<Member>);

impl Group {
    /// A member is declared (build reaches it for the first time) or spawned. It starts in its turn.
    pub fn add(&mut self, settings: Arc<Settings>, dynamic: bool) -> Id {
        let value = settings.role == Role::Value;
        let member = Member {
            at: if value { At::Up } else { At::Turn },
            settings,
            budget: None,
            pace: Pace::default(),
            order: self.orders,
            ending: None,
            by_hand: false,
            drains: false,
            quits: false,
            was_up: false,
            reached: true,
            passed: false,
            counted: false,
            due: false,
            delay: Duration::ZERO,
            solo: false,
            kept: false,
            dynamic,
            down_since: None,
        };
        self.orders += 1;
        self.living += u32::from(!value);
        let id = match self.free.pop() {
            Some(id) if self.owner != Owner::Tree => {
                self.members[id as usize] = Some(member);
                id
            }
            _ => {
                self.members.push(Some(member));
                (self.members.len() - 1) as Id
            }
        };
        // While a range goes down it is behind the walk, and is found on the way up.
        if !matches!(self.mode, Mode::Steady | Mode::Waiting | Mode::Ended) {
            self.plan.push(id);
        }
        id
    }

    /// Build has come to this member (again). Its settings may have changed with the parameters.
    pub fn reach(&mut self, id: Id, settings: Arc<Settings>, now: Instant) {
        let member = self.member(id);
        member.settings = settings;
        member.reached = true;
        if member.is_value() && member.at != At::Up {
            member.at = At::Up;
        }
        self.settle(now);
    }

    /// A spawned member can start as soon as nothing holds it.
    pub fn admit(&mut self, id: Id, now: Instant) {
        match self.mode {
            Mode::Steady if !self.held => self.start(id, now),
            _ => self.settle(now),
        }
    }

    /// A run-time child goes to another supervisor with its budget and its pace (S38). Not while anything
    /// is going on: a decision in progress would lose it.
    pub fn leave(&mut self, id: Id) -> Option<Moving> {
        let calm = self.mode == Mode::Steady && !self.held;
        self.get(id).filter(|member| calm && member.dynamic && member.at == At::Up && member.ending.is_none())?;
        let member = self.members[id as usize].take()?;
        self.free.push(id);
        self.living -= 1;
        Some(Moving(Box::new(member)))
    }

    /// It comes here, behind those that are here already.
    pub fn join(&mut self, moving: Moving) -> Result<Id, Moving> {
        if self.mode != Mode::Steady || self.held || self.owner == Owner::Tree {
            return Err(moving);
        }
        let mut member = *moving.0;
        member.order = self.orders;
        member.kept = false;
        self.orders += 1;
        self.living += 1;
        Ok(match self.free.pop() {
            Some(id) => {
                self.members[id as usize] = Some(member);
                id
            }
            None => {
                self.members.push(Some(member));
                (self.members.len() - 1) as Id
            }
        })
    }

    /// Build is through: all members are known.
    pub fn built(&mut self, now: Instant) {
        self.built = true;
        self.settle(now);
    }
}
