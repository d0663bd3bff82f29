//! The supervisor: table 2c (`docs/semantics-table.md`) as code.
//!
//! A [`Group`] is data beside its children, under one short lock. Whoever causes an event hands it in
//! and gets the [`GroupEffect`]s back; the driver sends each to the child it names. A group strategy has one
//! range at a time ([`Mode::Down`]); under OneForOne each child is a range of its own, so a restart is
//! between the child and its entry here, and the mode stays as it is.
//!
//! Invariants, checked by the property test:
//! 1. nothing starts in a range that goes down, nor while the group is held, failed or stopping;
//! 2. a range goes down in reverse order, one at a time, and comes up in order, one at a time;
//! 3. a stop always ends: `then: End` is left only for `Ended`;
//! 4. a failure is used up exactly once: decided, absorbed, kept until one of the two, or reported.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::budget::{Allowance, Budget};
use super::child::machine::Order;
use super::member::{At, Member, Settings};
use super::pace::{Over, Pace};
use crate::values::ended::Ended;
use crate::values::failure::Failure;
use crate::values::strategy::{Directive, Lifecycle, Limit, OnLimit, Strategy};

mod by_hand;
mod decisions;
mod look;
mod members;
mod moves;
mod owner;
mod reports;

pub(crate) use look::{MemberSeen, OwnEnd};
pub(crate) use members::Moving;
pub(crate) use members::is_roomy;

/// A slot in the table of children.
pub(crate) type Id = u32;

/// Whose children these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A declared tree: ends when all its members have ended (S22).
    Tree,
    /// An actor: goes on without children.
    Actor,
    /// A `[..]`: its instances start and stop all at once.
    Set,
    /// Nobody: a top-level actor decides on itself (S39).
    Guardian,
}

/// What a range does once it is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Next {
    /// It comes up again.
    Up,
    /// It waits for its supervisor's own new start.
    Rebuild,
    /// The supervisor's children are over; the supervisor goes on (an actor) or is told.
    End,
}

/// The columns of table 2c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Coming up, in order; also boot.
    Up,
    /// All are up, or on their own.
    Steady,
    /// The range from this place in the order on goes down.
    Down {
        /// The order number of its first member; places between two members are left when one is forgotten.
        lo: u64,
        /// What follows.
        next: Next,
    },
    /// Down, or not begun: awaits the supervisor's own start.
    Waiting,
    /// Failed; the parent decides.
    Failed {
        /// What it was doing.
        back: Box<Mode>,
        /// Whose failure it is.
        by: Id,
    },
    /// Over.
    Ended,
}

/// What is to be carried out, in this order.
#[derive(Debug)]
pub(crate) enum GroupEffect {
    /// An order to this child. After [`Order::Wait`] comes [`Group::due`]; after one to go down, [`Group::gone`].
    Tell(Id, Order),
    /// An order to the supervisor itself.
    TellOwner(Order),
    /// Drop this kept value, then [`Group::gone`].
    DropValue(Id),
    /// For the events: a restart was decided for this child, it waits so long.
    Scheduled(Id, Duration),
    /// For the events: the budget is used up.
    LimitReached(Id),
}

/// What is done about a failure that a child reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FailureRoute {
    /// Ask the decider, then [`Group::decided`].
    Decide,
    /// Keep it; [`Order::Redecide`] comes, or the range takes it along.
    Kept,
    /// It was to go down anyway.
    Absorbed,
    /// The supervisor is stopping.
    ReportOnly,
}

/// The fate of a child for which no time is left.
#[derive(Debug, Clone)]
pub(crate) enum Cut {
    /// Goes down, and is started again with its supervisor. Its hooks get this failure.
    Down(Failure),
    /// Ends.
    End,
    /// Stays, and waits for its supervisor.
    Stay,
}

/// What is known of the incarnation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// It handled a message.
    pub handled: bool,
    /// A random word for the jitter.
    pub random: u64,
    /// Now.
    pub now: Instant,
}

/// A place in the order of a walk. A slot may have another member by the time the walk comes to it.
#[derive(Debug, Clone, Copy)]
struct Place {
    order: u64,
    id: Id,
}

/// The children of one supervisor.
#[derive(Debug)]
pub(crate) struct Group {
    owner: Owner,
    strategy: Strategy,
    limit: Limit,
    budget: Budget,
    members: Vec<Option<Member>>,
    free: Vec<Id>,
    /// The next order number. A declared tree forgets nobody: there it is the next id too.
    orders: u64,
    living: u32,
    mode: Mode,
    held: bool,
    /// All members have been up once in this incarnation: failures are no longer start failures.
    booted: bool,
    /// Build is through: no further member is to come.
    built: bool,
    /// An actor that starts again: the children it kept are restarted once it is up, not before.
    heals: bool,
    /// The member whose wait holds up the range.
    wait: Option<Id>,
    waited: Duration,
    /// The order of the walk through the range, and where it is.
    plan: Vec<Place>,
    cursor: usize,
    in_flight: u32,
    /// What every member of the range is told.
    cause: Option<Failure>,
    /// The first failure that ended a member, for S22.
    first_failure: Option<Failure>,
    /// A significant member has ended by itself: once it is at rest the supervisor ends (S22).
    quits: bool,
    /// The supervisor itself is up: not before does it end for that.
    owner_is_up: bool,
    /// The supervisor itself ends when the range is down (`Stop` in an AllForOne tree).
    ends_with: Option<Ended>,
    /// The runtime is going, and takes the members with it: that nobody is left is no end of the supervisor's own (S25).
    runtime_gone: bool,
    /// The slot in which [`Group::all_up`] found one that was not.
    first_down: usize,
    effects: Vec<GroupEffect>,
    /// Members that were looked at, one by one.
    #[cfg(test)]
    pub(super) steps: std::cell::Cell<u64>,
}

impl Group {
    /// A supervisor without children.
    pub(crate) fn new(owner: Owner, strategy: Strategy, limit: Limit) -> Self {
        Group {
            owner,
            strategy,
            limit,
            budget: Budget::default(),
            members: Vec::new(),
            free: Vec::new(),
            orders: 0,
            living: 0,
            mode: Group::first_mode(owner),
            held: false,
            booted: owner != Owner::Tree,
            built: owner != Owner::Tree,
            heals: false,
            wait: None,
            waited: Duration::ZERO,
            plan: Vec::new(),
            cursor: 0,
            in_flight: 0,
            cause: None,
            first_failure: None,
            quits: false,
            owner_is_up: owner != Owner::Tree,
            ends_with: None,
            runtime_gone: false,
            first_down: 0,
            effects: Vec::new(),
            #[cfg(test)]
            steps: Default::default(),
        }
    }

    /// A tree comes up with its build, a set once its own cell is up; an actor spawns when it likes.
    fn first_mode(owner: Owner) -> Mode {
        match owner {
            Owner::Tree => Mode::Up,
            Owner::Set => Mode::Waiting,
            Owner::Actor | Owner::Guardian => Mode::Steady,
        }
    }

    /// Read once per instance of the supervisor (S4): strategy and budget of what comes.
    pub(crate) fn configure(&mut self, strategy: Strategy, limit: Limit) {
        self.strategy = strategy;
        self.limit = limit;
        self.budget = Budget::default();
    }

    /// What to carry out since the last call.
    pub(crate) fn take_effects(&mut self) -> Vec<GroupEffect> {
        std::mem::take(&mut self.effects)
    }

    /// The emptied list comes back, so that a decision costs no allocation.
    pub(crate) fn reuse(&mut self, effects: Vec<GroupEffect>) {
        debug_assert!(effects.is_empty() && self.effects.is_empty());
        if effects.capacity() <= 64 {
            self.effects = effects;
        }
    }

    // ----- reading

    /// Where a child stands; `Ended` if it is forgotten.
    pub(crate) fn at(&self, id: Id) -> At {
        self.get(id).map_or(At::Ended, |member| member.at)
    }

    /// What the supervisor is doing.
    pub(crate) fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Its members are written in a tree; else they come at run time.
    pub(crate) fn declares(&self) -> bool {
        self.owner == Owner::Tree
    }

    /// An ancestor has failed.
    #[cfg(test)]
    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// The slot is free: what was in it has ended and is forgotten.
    pub(crate) fn is_free(&self, id: Id) -> bool {
        self.get(id).is_none()
    }

    /// Members that have not ended.
    pub(crate) fn living(&self) -> u32 {
        self.living
    }

    /// It has ended or is about to: no spawn is taken any more.
    pub(crate) fn is_stopping(&self) -> bool {
        matches!(self.mode, Mode::Ended | Mode::Down { next: Next::End, .. })
    }

    /// Its owner is gone for good, whatever the members were at: nothing is added or started any more.
    pub(crate) fn finish(&mut self) {
        self.mode = Mode::Ended;
    }

    /// It has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.mode == Mode::Ended
    }

    /// The group as a whole is going down or up (table 2d).
    pub(crate) fn moves(&self) -> bool {
        let mode = match &self.mode {
            Mode::Failed { back, .. } => back,
            mode => mode,
        };
        matches!(mode, Mode::Down { .. } | Mode::Waiting) || (*mode == Mode::Up && self.is_group())
    }

    /// Whether the child was up once: its next failure to start is a failed restart.
    pub(crate) fn was_up(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.was_up)
    }

    /// Restarts in a row of this child; 1 for the first.
    pub(crate) fn row(&self, id: Id) -> u32 {
        self.get(id).map_or(0, |member| member.pace.row())
    }

    /// All members are up or have ended, and none is to come.
    pub(crate) fn all_up(&mut self) -> bool {
        // The search begins where the last one found a member that was not: most of them come up one after the other.
        let slots = self.members.len();
        let is_up = |member: &Member| member.is_value() || matches!(member.at, At::Up | At::Ended);
        let not_up = (self.first_down..slots).chain(0..self.first_down.min(slots)).find(|slot| {
            self.step();
            !self.members[*slot].as_ref().is_none_or(is_up)
        });
        self.first_down = not_up.unwrap_or(0);
        self.built && not_up.is_none()
    }

    /// Build can go on behind this member: it is up or has ended; under OneForOne, also if it was up, or waits
    /// behind a declared backoff (S21).
    pub(crate) fn has_passed(&self, id: Id) -> bool {
        self.get(id).is_none_or(|member| match member.at {
            At::Up | At::Ended => true,
            _ if self.is_group() => false,
            At::Waiting if member.settings.backoff.is_some() && !self.holds_up(id) => true,
            _ => member.passed,
        })
    }

    /// [`Group::has_passed`] for all members.
    pub(crate) fn have_passed(&self) -> bool {
        !matches!(self.mode, Mode::Waiting) && (0..self.members.len() as Id).all(|id| self.has_passed(id))
    }

    /// Those that were asked to go down and have not, with since when.
    pub(crate) fn going_down(&self) -> impl Iterator<Item = (Id, Instant)> + '_ {
        self.members.iter().enumerate().filter_map(|(id, member)| {
            let member = member.as_ref()?;
            (member.at == At::Down).then_some(())?;
            Some((id as Id, member.down_since?))
        })
    }

    /// The range waits for this member.
    #[cfg(test)]
    pub(super) fn waits_for(&self, id: Id) -> bool {
        self.wait == Some(id)
    }

    fn get(&self, id: Id) -> Option<&Member> {
        self.members.get(id as usize)?.as_ref()
    }

    fn member(&mut self, id: Id) -> &mut Member {
        self.members[id as usize].as_mut().expect("acts and events name living members")
    }

    /// A member is looked at in a walk: tests count how often that is.
    fn step(&self) {
        #[cfg(test)]
        self.steps.update(|steps| steps + 1);
    }

    fn is_group(&self) -> bool {
        self.strategy != Strategy::OneForOne
    }

    /// The budget of one child (S15).
    fn allowance_of(&self, id: Id) -> Allowance {
        let on_limit = if self.owner == Owner::Set { OnLimit::Stop } else { OnLimit::Escalate };
        match self.get(id) {
            Some(member) => {
                let settings = &member.settings;
                Allowance::resolve(settings.limit, self.limit, settings.backoff.is_some(), on_limit)
            }
            None => Allowance::resolve(Limit::new(), self.limit, false, on_limit),
        }
    }

    /// The budget of the whole group: no default where every member declares a backoff.
    fn group_allowance(&self) -> Allowance {
        let mut members = self.members.iter().flatten().filter(|member| !member.is_value());
        let declared = members.all(|member| member.settings.backoff.is_some());
        Allowance::resolve(Limit::new(), self.limit, declared, OnLimit::Escalate)
    }

    /// Those there are, in the order of declaration or spawning.
    fn places(&self) -> Vec<Place> {
        let members = self.members.iter().enumerate();
        let mut places: Vec<Place> = members
            .inspect(|_| self.step())
            .filter_map(|(id, member)| Some(Place { order: member.as_ref()?.order, id: id as Id }))
            .collect();
        if self.owner != Owner::Tree {
            places.sort_unstable_by_key(|place| place.order);
        }
        places
    }

    #[cfg(test)]
    pub(super) fn ids_in_order(&self) -> Vec<Id> {
        self.places().into_iter().map(|place| place.id).collect()
    }

    /// Where it stands in the order, for ranges: a number that only grows.
    pub(super) fn order(&self, id: Id) -> u64 {
        self.get(id).map_or(0, |member| member.order)
    }

    /// The member in this place, unless it has ended and is forgotten.
    fn at_place(&self, place: Place) -> Option<&Member> {
        self.get(place.id).filter(|member| member.order == place.order)
    }

    /// The range that goes down takes this child along.
    fn in_range(&self, id: Id) -> bool {
        matches!(self.mode, Mode::Down { lo, .. } if lo == 0 || self.order(id) >= lo)
    }
}
