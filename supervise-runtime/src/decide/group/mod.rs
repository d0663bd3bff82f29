//! The supervisor: table 2c (`docs/semantics-table.md`) as code.
//!
//! A [`Group`] is data, protected by one short lock; it has no task. A child or a caller that causes an event passes it
//! to the group under that lock, and gets the [`GroupEffect`]s back; the supervisor module sends each to the child it
//! names. Under a group strategy there is one range of members at a time that goes down ([`Mode::Down`]). Under
//! `OneForOne` each child is its own range, so a restart concerns only the child and its entry here, and the mode does
//! not change.
//!
//! Invariants, checked by the property test:
//! 1. Nothing starts in a range that goes down, or while the group is suspended, failed or stopping.
//! 2. A range goes down in reverse order, one member at a time, and comes up in order, one member at a time.
//! 3. A stop always ends: the only way out of a `Down` with `next: End` is `Ended`.
//! 4. A failure is used up exactly once: decided, absorbed, kept until one of the two happens, or reported.

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

/// The kind of supervisor that owns the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A declared tree: ends when all its members have ended (S22).
    Tree,
    /// An actor: continues without children.
    Actor,
    /// A `[..]`: its instances start and stop concurrently.
    Set,
    /// The guardian: there is no supervisor, and a top-level actor decides on itself (S39).
    Guardian,
}

/// The action of a range once it is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Next {
    /// The range comes up again.
    Up,
    /// The range waits for its supervisor's own new start.
    Rebuild,
    /// The supervisor's children have ended; the supervisor continues (an actor) or is notified.
    End,
}

/// The modes of a group, which are the columns of table 2c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Coming up, in order; also the first start.
    Up,
    /// All members are up, or are restarting on their own.
    Steady,
    /// The range from this order number on goes down.
    Down {
        /// The order number of the first member of the range. Order numbers have gaps where members were forgotten.
        lo: u64,
        /// The action once the range is down.
        next: Next,
    },
    /// Down, or not begun: waits for the supervisor's own start.
    Waiting,
    /// Failed; the parent decides.
    Failed {
        /// The mode before the failure.
        back: Box<Mode>,
        /// The child whose failure it is.
        by: Id,
    },
    /// Ended.
    Ended,
}

/// The effects of an event, to be carried out in this order.
#[derive(Debug)]
pub(crate) enum GroupEffect {
    /// An order to this child. [`Order::Wait`] is followed by [`Group::due`]; an order to go down is followed by
    /// [`Group::gone`].
    Tell(Id, Order),
    /// An order to the supervisor itself.
    TellOwner(Order),
    /// Drop this kept value, then report [`Group::gone`].
    DropValue(Id),
    /// An event: a restart of this child was decided, and waits this long.
    Scheduled(Id, Duration),
    /// An event: the budget is used up.
    LimitReached(Id),
}

/// The treatment of a failure that a child reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FailureRoute {
    /// Ask the decider, then call [`Group::decided`].
    Decide,
    /// Keep the failure, until [`Order::Redecide`] arrives or the child is restarted together with its range.
    Kept,
    /// The child was going down anyway.
    Absorbed,
    /// The supervisor is stopping.
    ReportOnly,
}

/// The treatment of a child for which no time is left.
#[derive(Debug, Clone)]
pub(crate) enum Cut {
    /// The child goes down, and is started again with its supervisor. Its hooks get this failure.
    Down(Failure),
    /// The child ends.
    End,
    /// The child stays, and waits for its supervisor.
    Stay,
}

/// The facts about the incarnation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The incarnation handled a message.
    pub handled: bool,
    /// A random word for the jitter.
    pub random: u64,
    /// The present time.
    pub now: Instant,
}

/// A position in the plan of a walk. The slot may have another member by the time the walk reaches it.
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
    /// The next order number. A declared tree does not forget members, so there it is the next id too.
    orders: u64,
    living: u32,
    mode: Mode,
    held: bool,
    /// All members have been up once in this incarnation: a failure is no longer a failure of the first start.
    booted: bool,
    /// The build has finished: no further member is declared.
    built: bool,
    /// An actor that is starting again: the children it kept are restarted once it is up, not before.
    heals: bool,
    /// The member whose backoff delays the range.
    wait: Option<Id>,
    waited: Duration,
    /// The members in the order of the walk, and the position of the walk.
    plan: Vec<Place>,
    cursor: usize,
    in_flight: u32,
    /// The failure that every member of the range gets.
    cause: Option<Failure>,
    /// The first failure that ended a member, for S22.
    first_failure: Option<Failure>,
    /// A significant member has ended by itself: the supervisor ends once the group is at rest (S22).
    quits: bool,
    /// The supervisor itself is up. It does not end because of its members before that.
    owner_is_up: bool,
    /// The supervisor itself ends when the range is down (`Stop` in an `AllForOne` tree).
    ends_with: Option<Ended>,
    /// The runtime was dropped together with the members: that none is left is then not an end of the supervisor by
    /// itself (S25).
    runtime_gone: bool,
    /// The slot in which [`Group::all_up`] last found a member that was not up.
    first_down: usize,
    effects: Vec<GroupEffect>,
    /// The number of members that walks have looked at.
    #[cfg(test)]
    pub(super) steps: std::cell::Cell<u64>,
}

impl Group {
    /// Makes a supervisor without children.
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

    /// A tree comes up with its build, a set once its own cell is up; an actor spawns children at any time.
    fn first_mode(owner: Owner) -> Mode {
        match owner {
            Owner::Tree => Mode::Up,
            Owner::Set => Mode::Waiting,
            Owner::Actor | Owner::Guardian => Mode::Steady,
        }
    }

    /// Sets strategy and budget for this instance of the supervisor, once per instance (S4).
    pub(crate) fn configure(&mut self, strategy: Strategy, limit: Limit) {
        self.strategy = strategy;
        self.limit = limit;
        self.budget = Budget::default();
    }

    /// Takes the effects since the last call.
    pub(crate) fn take_effects(&mut self) -> Vec<GroupEffect> {
        std::mem::take(&mut self.effects)
    }

    /// Takes the emptied list back, so that a decision does not allocate.
    pub(crate) fn reuse(&mut self, effects: Vec<GroupEffect>) {
        debug_assert!(effects.is_empty() && self.effects.is_empty());
        if effects.capacity() <= 64 {
            self.effects = effects;
        }
    }

    // ----- reading

    /// Returns the state of a child; `Ended` if it is forgotten.
    pub(crate) fn at(&self, id: Id) -> At {
        self.get(id).map_or(At::Ended, |member| member.at)
    }

    /// Returns the mode of the group.
    pub(crate) fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Returns whether the members are declared in a tree; otherwise they are spawned at run time.
    pub(crate) fn declares(&self) -> bool {
        self.owner == Owner::Tree
    }

    /// Returns whether an ancestor has failed.
    #[cfg(test)]
    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// Returns whether the slot is free: its member has ended and is forgotten.
    pub(crate) fn is_free(&self, id: Id) -> bool {
        self.get(id).is_none()
    }

    /// Returns the number of members that have not ended.
    pub(crate) fn living(&self) -> u32 {
        self.living
    }

    /// Returns whether the group has ended or is stopping, so that spawns are refused.
    pub(crate) fn is_stopping(&self) -> bool {
        matches!(self.mode, Mode::Ended | Mode::Down { next: Next::End, .. })
    }

    /// Ends the group with its owner, in whatever state the members are: nothing is added or started any more.
    pub(crate) fn finish(&mut self) {
        self.mode = Mode::Ended;
    }

    /// Returns whether the group has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.mode == Mode::Ended
    }

    /// Returns whether the group as a whole is going down or coming up (table 2d).
    pub(crate) fn moves(&self) -> bool {
        let mode = match &self.mode {
            Mode::Failed { back, .. } => back,
            mode => mode,
        };
        matches!(mode, Mode::Down { .. } | Mode::Waiting) || (*mode == Mode::Up && self.is_group())
    }

    /// Returns whether the child was up once: its next failure to start is a failed restart.
    pub(crate) fn was_up(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.was_up)
    }

    /// Returns the length of the child's streak of restarts; 1 for the first.
    pub(crate) fn row(&self, id: Id) -> u32 {
        self.get(id).map_or(0, |member| member.pace.row())
    }

    /// Returns whether all members are up or have ended, and none is still to be declared.
    pub(crate) fn all_up(&mut self) -> bool {
        // The search begins where the last one found a member that was not up, since most members come up one after the
        // other.
        let slots = self.members.len();
        let is_up = |member: &Member| member.is_value() || matches!(member.at, At::Up | At::Ended);
        let not_up = (self.first_down..slots).chain(0..self.first_down.min(slots)).find(|slot| {
            self.step();
            !self.members[*slot].as_ref().is_none_or(is_up)
        });
        self.first_down = not_up.unwrap_or(0);
        self.built && not_up.is_none()
    }

    /// Returns whether the build can go on to the next member: this one is up or has ended; under `OneForOne`, also if
    /// it was up once, or waits for a declared backoff (S21).
    pub(crate) fn has_passed(&self, id: Id) -> bool {
        self.get(id).is_none_or(|member| match member.at {
            At::Up | At::Ended => true,
            _ if self.is_group() => false,
            At::Waiting if member.settings.backoff.is_some() && !self.holds_up(id) => true,
            _ => member.passed,
        })
    }

    /// Returns [`Group::has_passed`] for all members.
    pub(crate) fn have_passed(&self) -> bool {
        !matches!(self.mode, Mode::Waiting) && (0..self.members.len() as Id).all(|id| self.has_passed(id))
    }

    /// Returns the members that were asked to go down and are not down, with the time of the request.
    pub(crate) fn going_down(&self) -> impl Iterator<Item = (Id, Instant)> + '_ {
        self.members.iter().enumerate().filter_map(|(id, member)| {
            let member = member.as_ref()?;
            (member.at == At::Down).then_some(())?;
            Some((id as Id, member.down_since?))
        })
    }

    /// Returns whether the range waits for this member.
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

    /// Counts a look at a member, for tests of the cost of walks.
    fn step(&self) {
        #[cfg(test)]
        self.steps.update(|steps| steps + 1);
    }

    fn is_group(&self) -> bool {
        self.strategy != Strategy::OneForOne
    }

    /// Returns the limit of one child (S15).
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

    /// Returns the limit of the whole group. There is no default limit if every member declares a backoff.
    fn group_allowance(&self) -> Allowance {
        let mut members = self.members.iter().flatten().filter(|member| !member.is_value());
        let declared = members.all(|member| member.settings.backoff.is_some());
        Allowance::resolve(Limit::new(), self.limit, declared, OnLimit::Escalate)
    }

    /// Returns the members in the order of declaration or spawning.
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

    /// Returns the order number of the member, for ranges.
    pub(super) fn order(&self, id: Id) -> u64 {
        self.get(id).map_or(0, |member| member.order)
    }

    /// Returns the member at this position, unless it has ended and is forgotten.
    fn at_place(&self, place: Place) -> Option<&Member> {
        self.get(place.id).filter(|member| member.order == place.order)
    }

    /// Returns whether the range that goes down includes this child.
    fn in_range(&self, id: Id) -> bool {
        matches!(self.mode, Mode::Down { lo, .. } if lo == 0 || self.order(id) >= lo)
    }
}
