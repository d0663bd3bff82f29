//! The supervisor: table 2c (`docs/semantics-table.md`) as code.
//!
//! A [`Group`] is data, protected by one short lock; it has no task. A child or a caller that causes an event passes it
//! to the group under that lock, and gets the [`GroupEffect`]s back; the supervisor module sends each to the child it
//! names. Under a group strategy there is one range of members at a time that goes down ([`GroupState::Down`]). Under
//! `OneForOne` each child is its own range, so a restart concerns only the child and its entry here, and the mode does
//! not change.
//!
//! Invariants, checked by the property test:
//! 1. Nothing starts in a range that goes down, or while the group is suspended, failed or stopping.
//! 2. A range goes down in reverse order, one member at a time, and comes up in order, one member at a time.
//! 3. A stop always ends: the only way out of a `Down` with `next: End` is `Ended`.
//! 4. A failure is used up exactly once: decided, absorbed, kept until one of the two happens, or reported.
//!
//! # Walks
//!
//! A range of members goes down in reverse order, and comes up in order (S17).
//!
//! A *range* is the members that restart or end together: all members with an order number from `from` on. `go_down`
//! sets the mode to `Down`, lists all members in `plan`, and sets `position` to the end of that list. `walk_down` moves
//! the position backwards through the range and orders each member to go down. `in_flight` counts the members that are
//! on their way; while it is not zero, the walk waits, until [`Group::gone`] reports the member. (A set, and a tree whose
//! members go down together, order all members at the same time; values go once these are down.) Once the position has
//! left the range and nothing is in flight, `next` says what follows: the range comes up again, the supervisor starts
//! again, or the group ends.
//!
//! `walk_up` moves the position forwards from the beginning of the plan, and starts each member that waits for its turn
//! once the one before it is up. It first waits for the longest backoff of the range (`wait`). Every start of a tree is
//! such a walk too: it waits at each member that the build has not reached yet. Once all members have been passed and
//! the build has finished, the mode is `Steady`, and everything that was kept meanwhile begins.
//!
//! An event changes the state of one member and then calls `settle`, which repeats the walk of the present mode until
//! it needs another event to go on. A walk never calls another walk. It returns true instead if it has changed the
//! mode, so the stack does not grow with the number of members.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::budget::{Allowance, Budget};
use super::child::machine::Order;
use super::child::{self, Command, CommandOutcome, State};
use super::delay::{LastRun, RestartDelay};
use super::member::{Member, MemberState, Settings};
use crate::values::ended::{Ended, EndedKind};
use crate::values::failure::{Failure, Row};
use crate::values::invalid_settings::SupervisorLimits;
use crate::values::kind::ChildKind;
use crate::values::outage::Outage;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{BudgetScope, Directive, OnLimit, RestartLimit, ShutdownOrder, Strategy};

mod roster;
mod view;

use roster::{Place, Roster};

pub use roster::{Id, is_roomy};
pub use view::{BudgetView, MemberView, OwnEnd};

/// The kind of supervisor that owns the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
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
pub enum AfterDown {
    /// The range comes up again.
    Up,
    /// The range waits for its supervisor's own new start.
    Rebuild,
    /// The supervisor's children have ended; the supervisor continues (an actor) or is notified.
    End,
}

/// The modes of a group, which are the columns of table 2c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupState {
    /// Coming up, in order; also the first start.
    Up,
    /// All members are up, or are restarting on their own.
    Steady,
    /// The range from this order number on goes down.
    Down {
        /// The order number of the first member of the range. Order numbers have gaps where members were forgotten.
        from: u64,
        /// The action once the range is down.
        next: AfterDown,
    },
    /// Down, or not begun: waits for the supervisor's own start.
    AwaitingOwner,
    /// Failed; the parent decides.
    Failed {
        /// The mode before the failure.
        back: Box<GroupState>,
        /// The child whose failure it is.
        by: Id,
    },
    /// Ended.
    Ended,
}

/// The effects of an event, to be carried out in this order.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub enum GroupEffect {
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
    LimitReached(Id, u32),
}

/// The treatment of a failure that a child reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureRoute {
    /// Ask the decider, then call [`Group::decided`].
    Decide,
    /// Keep the failure, until [`Order::Redecide`] arrives or the child is restarted together with its range.
    Kept,
    /// The child was going down anyway.
    Absorbed,
    /// The supervisor is stopping.
    ReportOnly,
}

/// The treatment of a failure, as the group answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub route: FailureRoute,
    /// The length that the streak of restarts would have.
    pub streak: u32,
    /// The restart is decided already.
    pub restarts: bool,
}

/// The treatment of a child for which no time is left.
#[derive(Debug, Clone)]
pub enum Cut {
    /// The child goes down, and is started again with its supervisor. Its hooks get this failure.
    Down(Failure),
    /// The child ends.
    End,
    /// The child stays, and waits for its supervisor.
    Stay,
}

/// The facts about the incarnation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureInfo {
    /// The incarnation handled a message.
    pub handled: bool,
    /// A random word for the jitter.
    pub random: u64,
    /// The present time.
    pub now: Instant,
}

/// A member that moves between two supervisors.
#[derive(Debug)]
pub struct Moving(Box<Member>);

/// The children of one supervisor.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct Group {
    owner: Owner,
    strategy: Strategy,
    limit: RestartLimit,
    shutdown_order: ShutdownOrder,
    /// The restarts of all members, where they share a budget.
    budget: Budget,
    /// The members share a budget under `OneForOne`, too.
    shared: bool,
    roster: Roster,
    /// The number of members that have not ended.
    living: u32,
    mode: GroupState,
    /// Nothing new begins.
    suspended: bool,
    /// Nothing new begins, but the members serve until their turns to go down come.
    serving: bool,
    /// All members have been up once in this incarnation: a failure is no longer a failure of the first start.
    all_were_up: bool,
    /// The build has finished: no further member is declared.
    built: bool,
    /// An actor that is starting again: the children it kept are restarted once it is up, not before.
    restarts_kept: bool,
    /// The member whose backoff delays the range.
    wait: Option<Id>,
    waited: Duration,
    /// The members in the order of the walk, and the position of the walk.
    plan: Vec<Place>,
    position: usize,
    in_flight: u32,
    /// The failure that every member of the range gets.
    cause: Option<Failure>,
    /// Why the range goes down.
    reason: StopReason,
    /// The first failure that ended a member, for S22.
    first_failure: Option<Failure>,
    /// A significant member has ended by itself: the supervisor ends once the group is at rest (S22).
    significant_end: bool,
    /// A set ends when its last instance has ended by itself or by failing (S22).
    ends_with_last: bool,
    /// The last end of an instance that was up is one with which the set may end.
    last_end_counts: bool,
    /// The number of children whose places are held for those that replace them.
    held: usize,
    /// The supervisor itself is up. It does not end because of its members before that.
    owner_is_up: bool,
    /// The supervisor itself ends when the range is down (`Stop` in an `AllForOne` tree).
    ends_with: Option<Ended>,
    /// The runtime was dropped together with the members: that none is left is then not an end of the supervisor by
    /// itself (S25).
    runtime_gone: bool,
    /// The slots in which [`Group::all_up`] and [`Group::have_passed`] last found a member that was not.
    first_down: usize,
    first_to_pass: usize,
    /// The number of members that may start at the same time, if a set limits it (S27).
    max_starting: Option<usize>,
    /// The number of members that start, or that have not come down from a start.
    starting: usize,
    /// The members that wait for a place among those that start, in the order of their spawns.
    waiting: BTreeSet<Place>,
    effects: Vec<GroupEffect>,
}

impl Group {
    /// Makes a supervisor without children.
    pub fn new(owner: Owner, strategy: Strategy, limit: RestartLimit) -> Self {
        Group {
            owner,
            strategy,
            limit,
            shutdown_order: if owner == Owner::Set { ShutdownOrder::Together } else { ShutdownOrder::Reverse },
            budget: Budget::default(),
            shared: false,
            roster: Roster::default(),
            living: 0,
            mode: Group::first_mode(owner),
            suspended: false,
            serving: false,
            all_were_up: owner != Owner::Tree,
            built: owner != Owner::Tree,
            restarts_kept: false,
            wait: None,
            waited: Duration::ZERO,
            plan: Vec::new(),
            position: 0,
            in_flight: 0,
            cause: None,
            reason: StopReason::Shutdown,
            first_failure: None,
            significant_end: false,
            ends_with_last: false,
            last_end_counts: false,
            held: 0,
            owner_is_up: owner != Owner::Tree,
            ends_with: None,
            runtime_gone: false,
            first_down: 0,
            first_to_pass: 0,
            max_starting: None,
            starting: 0,
            waiting: BTreeSet::new(),
            effects: Vec::new(),
        }
    }

    /// A tree comes up with its build, a set once its own cell is up; an actor spawns children at any time.
    fn first_mode(owner: Owner) -> GroupState {
        match owner {
            Owner::Tree => GroupState::Up,
            Owner::Set => GroupState::AwaitingOwner,
            Owner::Actor | Owner::Guardian => GroupState::Steady,
        }
    }

    /// Sets strategy and budget for this instance of the supervisor, once per instance (S4).
    #[inline]
    pub fn configure(&mut self, limits: SupervisorLimits) {
        self.strategy = limits.strategy;
        self.limit = limits.limit;
        self.shared = limits.budget == BudgetScope::Shared;
        self.budget = Budget::default();
    }

    /// Sets the order in which the members of a tree go down.
    pub fn set_shutdown_order(&mut self, order: ShutdownOrder) {
        self.shutdown_order = order;
    }

    /// Sets how many members may start at the same time.
    pub fn set_max_starting(&mut self, most: Option<usize>) {
        self.max_starting = most;
    }

    /// Sets whether a set ends with its last instance.
    pub fn set_significant(&mut self, significant: bool) {
        self.ends_with_last = significant;
    }

    /// Sets how many children have places that are held for others. The set is not empty meanwhile.
    pub fn set_held(&mut self, held: usize) {
        self.held = held;
    }

    /// Makes every move that a change of the places allows.
    pub fn look_again(&mut self, now: Instant) {
        self.settle(now);
    }

    /// Takes the effects since the last call.
    pub fn take_effects(&mut self) -> Vec<GroupEffect> {
        std::mem::take(&mut self.effects)
    }

    /// Returns whether the only effect is an order to this child, perhaps for a restart that was decided just now.
    pub fn concerns_only(&self, id: Id) -> bool {
        match &*self.effects {
            [GroupEffect::Tell(to, _)] => *to == id,
            [GroupEffect::Scheduled(by, _), GroupEffect::Tell(to, _)] => [*by, *to] == [id; 2],
            _ => false,
        }
    }

    /// Takes that order, if it is one to start, or to go down for a restart, with the delay of the restart. `watched`:
    /// no watchdog has to be told of a child that goes down.
    #[inline]
    pub fn take_order(&mut self, watched: bool) -> Option<(Option<Duration>, Order)> {
        let taken = self.effects.pop_if(|effect| match effect {
            GroupEffect::Tell(_, Order::Start) => true,
            GroupEffect::Tell(_, Order::Down(..)) => watched,
            _ => false,
        });
        let Some(GroupEffect::Tell(_, order)) = taken else { return None };
        match self.effects.pop() {
            Some(GroupEffect::Scheduled(_, delay)) => Some((Some(delay), order)),
            _ => Some((None, order)),
        }
    }

    pub fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }

    /// Takes the emptied list back, so that a decision does not allocate.
    #[inline]
    pub fn reuse(&mut self, effects: Vec<GroupEffect>) {
        debug_assert!(effects.is_empty() && self.effects.is_empty());
        if effects.capacity() <= 64 {
            self.effects = effects;
        }
    }

    // ----- reading

    /// Returns the state of a child; `Ended` if it is forgotten.
    #[inline]
    pub fn at(&self, id: Id) -> MemberState {
        self.roster.get(id).map_or(MemberState::Ended, |member| member.at)
    }

    /// Returns the mode of the group.
    pub fn mode(&self) -> &GroupState {
        &self.mode
    }

    /// Returns whether the supervisor comes up: its build waits in its own task for events of its members.
    pub fn is_being_built(&self) -> bool {
        matches!(self.mode, GroupState::Up | GroupState::Steady) && self.owner == Owner::Tree && !self.owner_is_up
    }

    /// Returns whether the members are declared in a tree; otherwise they are spawned at run time.
    pub fn declares(&self) -> bool {
        self.owner == Owner::Tree
    }

    /// Returns whether an ancestor has failed.
    #[cfg(test)]
    pub(super) fn is_suspended(&self) -> bool {
        self.suspended
    }

    /// Returns the time that a child has to go down; `None`: as long as it takes.
    pub fn shutdown_time(&self, id: Id) -> Option<Duration> {
        self.roster.get(id)?.settings.shutdown
    }

    /// Returns the order number of a member that has not ended.
    pub fn order_of_living(&self, id: Id) -> Option<u64> {
        self.roster.get(id).filter(|member| member.at != MemberState::Ended).map(|member| member.order)
    }

    /// Returns whether the slot is free: its member has ended and is forgotten.
    pub fn is_free(&self, id: Id) -> bool {
        self.roster.get(id).is_none()
    }

    /// Returns the number of members that have not ended.
    pub fn living(&self) -> u32 {
        self.living
    }

    /// Returns whether the group has ended or is stopping, so that spawns are refused.
    pub fn is_stopping(&self) -> bool {
        matches!(self.mode, GroupState::Ended | GroupState::Down { next: AfterDown::End, .. })
    }

    /// Ends the group with its owner, in whatever state the members are: nothing is added or started any more, and no
    /// member reports to the group any more.
    #[inline]
    pub fn finish(&mut self) {
        self.mode = GroupState::Ended;
        self.living = 0;
    }

    /// Returns whether the group has ended.
    #[inline]
    pub fn is_ended(&self) -> bool {
        self.mode == GroupState::Ended
    }

    /// Returns whether the group as a whole is going down or coming up (table 2d).
    #[inline]
    pub fn moves(&self) -> bool {
        let mode = match &self.mode {
            GroupState::Failed { back, .. } => back,
            mode => mode,
        };
        matches!(mode, GroupState::Down { .. } | GroupState::AwaitingOwner)
            || (*mode == GroupState::Up && self.is_group())
    }

    /// Returns whether the child was up once: its next failure to start is a failed restart.
    pub fn was_up(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.was_up)
    }

    /// Returns the restarts before a failure of the child at this time.
    #[inline]
    pub fn row(&self, id: Id, now: Instant) -> Row {
        self.roster.get(id).map_or(Row::default(), |member| member.restart_delay.row(member.settings.delay(), now))
    }

    #[cfg(test)]
    pub(super) fn streak(&self, id: Id) -> u32 {
        self.roster.get(id).map_or(0, |member| member.restart_delay.streak())
    }

    /// Returns the length that the streak has with a restart after a failure at this time. `handled`: the incarnation has
    /// handled a message.
    pub fn next_streak(&self, id: Id, handled: bool, now: Instant) -> u32 {
        self.roster.get(id).map_or(1, |member| {
            let handled = handled && member.settings.kind == Some(ChildKind::Actor);
            if handled { 1 } else { member.restart_delay.streak_at(now).saturating_add(1) }
        })
    }

    /// Returns whether all members are up or have ended, and none is still to be declared.
    pub fn all_up(&mut self) -> bool {
        let is_up = |member: &Member| member.is_value() || matches!(member.at, MemberState::Up | MemberState::Ended);
        let not_up = self.first_from(self.first_down, |id| !self.roster.get(id).is_none_or(is_up));
        self.first_down = not_up.unwrap_or(0);
        self.built && not_up.is_none()
    }

    /// Returns the first slot for which this is true. The search begins where the last one has ended, since most members
    /// come up one after the other.
    fn first_from(&self, last: usize, is_one: impl Fn(Id) -> bool) -> Option<usize> {
        let slots = self.roster.slots();
        (last..slots).chain(0..last.min(slots)).find(|slot| {
            self.roster.step();
            is_one(*slot as Id)
        })
    }

    /// Returns whether the build can go on to the next member: this one is up or has ended; under `OneForOne`, also if
    /// it was up once, or waits for a declared backoff (S21).
    #[inline]
    pub fn has_passed(&self, id: Id) -> bool {
        self.roster.get(id).is_none_or(|member| match member.at {
            MemberState::Up | MemberState::Ended => true,
            _ if self.is_group() => false,
            MemberState::BackingOff if member.settings.backoff.is_some() && !self.holds_up(id) => true,
            _ => member.passed,
        })
    }

    /// Returns [`Group::has_passed`] for all members.
    pub fn have_passed(&mut self) -> bool {
        let to_pass = self.first_from(self.first_to_pass, |id| !self.has_passed(id));
        self.first_to_pass = to_pass.unwrap_or(0);
        !matches!(self.mode, GroupState::AwaitingOwner) && to_pass.is_none()
    }

    /// Returns the members that were asked to go down and are not down, with the time of the request.
    pub fn going_down(&self) -> impl Iterator<Item = (Id, Instant)> + '_ {
        self.roster
            .enumerate()
            .filter(|(_, member)| member.at == MemberState::GoingDown)
            .filter_map(|(id, member)| Some((id, member.down_since?)))
    }

    /// Returns whether the child is up, and about to end by itself and to stay ended.
    #[cfg(test)]
    pub(super) fn leaves_for_good_by_itself(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(Member::leaves)
    }

    /// Returns whether the child was asked to end.
    #[cfg(test)]
    pub(super) fn was_asked(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.ending.is_some())
    }

    /// Returns whether the range waits for this member.
    #[cfg(test)]
    pub(super) fn waits_for(&self, id: Id) -> bool {
        self.wait == Some(id)
    }

    fn is_group(&self) -> bool {
        self.strategy != Strategy::OneForOne
    }

    /// Returns whether restarts of the child count against the budget of all members.
    fn shares_budget(&self, id: Id) -> bool {
        (self.is_group() || self.shared) && !self.is_alone(id)
    }

    /// Returns the limit of one child (S15).
    fn allowance_of(&self, id: Id) -> Allowance {
        let on_limit = if self.owner == Owner::Set { OnLimit::Stop } else { OnLimit::Escalate };
        match self.roster.get(id) {
            Some(member) => {
                let settings = &member.settings;
                Allowance::resolve(settings.limit, self.limit, settings.backoff.is_some(), on_limit)
            }
            None => Allowance::resolve(RestartLimit::new(), self.limit, false, on_limit),
        }
    }

    /// Returns the limit of all members together. There is no default limit if every member declares a backoff.
    fn group_allowance(&self) -> Allowance {
        Allowance::resolve(RestartLimit::new(), self.limit, self.roster.all_back_off(), OnLimit::Escalate)
    }

    #[cfg(test)]
    pub(super) fn ids_in_order(&self) -> Vec<Id> {
        self.roster.places().into_iter().map(|place| place.id).collect()
    }

    /// The number of members that were looked at, one by one, since the last call.
    #[cfg(test)]
    pub(super) fn take_steps(&self) -> u64 {
        self.roster.steps.take()
    }

    /// The number of members that start, and those that wait for a place, in their order.
    #[cfg(test)]
    pub(super) fn places(&self) -> (usize, Vec<Id>) {
        (self.starting, self.waiting.iter().map(|place| place.id).collect())
    }

    /// The number of members for which there is memory, and the length of the list of free slots.
    #[cfg(test)]
    pub(super) fn room(&self) -> (usize, usize) {
        self.roster.room()
    }

    /// Returns the order number of the member, for ranges.
    pub fn order(&self, id: Id) -> u64 {
        self.roster.get(id).map_or(0, |member| member.order)
    }

    /// Returns whether the range that goes down includes this child.
    fn in_range(&self, id: Id) -> bool {
        matches!(self.mode, GroupState::Down { from, .. } if from == 0 || self.order(id) >= from)
    }

    /// Returns whether the two children go down together, to come up again after both are down. `None` is a child of
    /// this group that is not a member yet.
    pub fn go_down_together(&self, one: Option<Id>, other: Option<Id>) -> bool {
        let goes = |id: Option<Id>| match id {
            Some(id) => self.in_range(id),
            None => matches!(self.mode, GroupState::Down { .. }),
        };
        goes(one) && goes(other)
    }

    /// Returns whether the member goes down in the walk that is under way, if its turn has not come yet: no answer from
    /// above can change that.
    fn is_going_down(&self, id: Id) -> bool {
        let stays = || self.is_kept(id) && matches!(self.mode, GroupState::Down { next: AfterDown::Rebuild, .. });
        self.in_range(id) && !stays()
    }

    /// Returns whether the member begins no work because of a failure above it.
    fn holds_back(&self, id: Id) -> bool {
        let is_task = || self.roster.get(id).is_some_and(|member| member.settings.kind == Some(ChildKind::Task));
        let below = self.suspended && !self.serving && !self.is_going_down(id);
        (below || self.waits_for_owner(id)) && !is_task()
    }

    /// Returns whether the member survives the restart of its actor that is under way.
    fn waits_for_owner(&self, id: Id) -> bool {
        let restarts =
            matches!(self.mode, GroupState::Down { next: AfterDown::Rebuild, .. } | GroupState::AwaitingOwner);
        restarts && self.is_kept(id)
    }

    /// Returns the budget that all members share; otherwise each member has its own.
    pub fn view_shared(&self, now: Instant) -> Option<BudgetView> {
        let allowance = (self.is_group() || self.shared).then(|| self.group_allowance())?;
        Some(BudgetView::of(Some(&self.budget), allowance, now))
    }

    /// Returns whether the member is up, not suspended, and not about to end.
    pub fn runs(&self, id: Id) -> bool {
        let member = self.roster.get(id).filter(|_| !self.holds_back(id));
        member.is_some_and(|member| member.at == MemberState::Up && !member.leaving)
    }

    /// Returns whether the member runs, and was not restarted lately.
    pub fn is_well(&self, id: Id, now: Instant) -> bool {
        self.runs(id) && self.roster.get(id).is_some_and(|member| member.restart_delay.streak_at(now) == 0)
    }

    /// Returns `None` if the member is forgotten, or is a kept value. `shared`: the result of [`Group::view_shared`],
    /// which looks at all members.
    pub fn view(&self, id: Id, shared: Option<BudgetView>, now: Instant) -> Option<MemberView> {
        let member = self.roster.get(id).filter(|member| !member.is_value())?;
        let budget = shared.unwrap_or_else(|| self.budget_of(id, now));
        let leaves = member.leaves() && !member.settings.only_supervises(); // a tree may end with a failure
        Some(MemberView {
            at: match member.at {
                _ if self.waits_for_place(id) => MemberState::Starting,
                MemberState::Up if member.leaving => MemberState::GoingDown,
                at => at,
            },
            kind: member.settings.kind,
            lifecycle: member.settings.lifecycle,
            holds_up: self.wait == Some(id) && self.mode == GroupState::Up,
            suspended: self.holds_back(id),
            leaving: leaves || member.ending.as_ref().is_some_and(Ended::is_orderly),
            fresh: member.dynamic
                && !member.was_up
                && member.restart_delay.streak() == 0
                && matches!(member.at, MemberState::Queued | MemberState::Starting),
            order: member.order,
            streak: member.restart_delay.streak_at(now),
            budget,
            shared: shared.is_some(),
            outage: member.settings.outage(&budget.allowance),
            up: member.restart_delay.up(),
        })
    }

    /// Returns the budget of a member that has one of its own.
    pub fn budget_of(&self, id: Id, now: Instant) -> BudgetView {
        let budget = self.roster.get(id).and_then(|member| member.restart_delay.budget());
        BudgetView::of(budget, self.allowance_of(id), now)
    }

    /// Returns the limit that holds for a member, its outage included, and whether all members share it.
    pub fn limit_of(&self, id: Id) -> Option<(Allowance, Outage, bool)> {
        let shared = self.shares_budget(id);
        let allowance = if shared { self.group_allowance() } else { self.allowance_of(id) };
        Some((allowance, self.roster.get(id)?.settings.outage(&allowance), shared))
    }

    /// Returns whether the group is about to end by itself, and how.
    pub fn own_end(&self) -> Option<OwnEnd> {
        let end = || if self.own_failure().is_some() { OwnEnd::Failed } else { OwnEnd::Done };
        self.ends_by_itself().then(end)
    }

    /// Returns the settings about restarts.
    pub fn limits(&self) -> SupervisorLimits {
        let budget = if self.shared { BudgetScope::Shared } else { BudgetScope::PerChild };
        SupervisorLimits { strategy: self.strategy, limit: self.limit, budget }
    }

    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Returns which members restart together.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    // ----- members come and go

    /// Makes room for so many slots in all.
    #[inline]
    pub fn expect(&mut self, slots: usize) {
        self.roster.expect(slots);
    }

    /// Adds a member that is declared (the build reaches it for the first time) or spawned. It starts when its turn
    /// comes.
    pub fn add(&mut self, settings: Arc<Settings>, dynamic: bool) -> Id {
        let value = settings.kind.is_none();
        let member = Member {
            at: if value { MemberState::Up } else { MemberState::Queued },
            settings,
            restart_delay: RestartDelay::default(),
            order: self.roster.take_order(),
            ending: None,
            on_request: false,
            lost: false,
            drains: false,
            significant_end: false,
            leaving: false,
            finished: false,
            alone: dynamic,
            at_once: false,
            has_place: false,
            was_up: false,
            has_handle: false,
            reached: true,
            passed: false,
            in_walk: false,
            due: false,
            spent: false,
            kept: false,
            dynamic,
            down_since: None,
        };
        let order = member.order;
        self.living += u32::from(!value);
        let id = self.roster.put(member);
        // While a range goes down, the new member comes after the walk, and is found on the way up.
        if !matches!(self.mode, GroupState::Steady | GroupState::AwaitingOwner | GroupState::Ended) {
            self.plan.push(Place { order, id });
        }
        id
    }

    /// The build has reached this member (again). Its settings may have changed with the parameters.
    #[inline]
    pub fn reach(&mut self, id: Id, settings: Arc<Settings>, now: Instant) {
        self.roster.set_settings(id, settings);
        let member = self.roster.member(id);
        member.reached = true;
        if member.is_value() && member.at != MemberState::Up {
            member.at = MemberState::Up;
        }
        self.settle(now);
    }

    /// Lets a spawned member start as soon as nothing delays it.
    #[inline]
    pub fn admit(&mut self, id: Id, now: Instant) {
        match self.mode {
            GroupState::Steady if !self.suspended => {
                self.start(id, now);
                self.give_places(now);
            }
            _ => self.settle(now),
        }
    }

    /// Removes a run-time child that moves to another supervisor, with its budget and its restart delays (S38). Refused
    /// while anything else is in progress: a decision in progress would lose its child.
    pub fn leave(&mut self, id: Id) -> Option<Moving> {
        let calm = self.mode == GroupState::Steady && !self.suspended;
        self.roster
            .get(id)
            .filter(|member| calm && member.dynamic && member.at == MemberState::Up)
            .filter(|member| member.ending.is_none() && !member.leaving)?;
        let member = self.roster.vacate(id)?;
        self.living -= 1;
        Some(Moving(Box::new(member)))
    }

    /// Adds a child that comes from another supervisor, after the present members.
    pub fn join(&mut self, moving: Moving) -> Result<Id, Moving> {
        if self.mode != GroupState::Steady || self.suspended || self.owner == Owner::Tree {
            return Err(moving);
        }
        let mut member = *moving.0;
        member.order = self.roster.take_order();
        member.kept = false;
        self.living += 1;
        Ok(self.roster.put(member))
    }

    /// Returns the number of slots, free ones included.
    pub fn slots(&self) -> usize {
        self.roster.slots()
    }

    /// The build has finished: all members are known.
    #[inline]
    pub fn built(&mut self, now: Instant) {
        self.built = true;
        self.settle(now);
    }

    // ----- the supervisor itself: suspended, resumed, restarted, stopped

    /// An ancestor has failed, or the supervisor itself: nothing new begins.
    pub fn suspend(&mut self) {
        if !self.suspended || self.serving {
            (self.suspended, self.serving) = (true, false);
            self.tell_suspended(true);
        }
    }

    /// The failure of an ancestor, or of the supervisor itself, leaves nothing to resume: all members go down when their
    /// turns come. They serve until then, and nothing new begins (S7).
    #[inline]
    pub fn serve(&mut self) {
        (self.suspended, self.serving) = (true, true);
        for id in self.roster.ids() {
            let concerns = |member: &Member| !member.is_value() && member.at != MemberState::Ended;
            if self.roster.get(id).is_some_and(concerns) && !self.is_going_down(id) {
                self.effects.push(GroupEffect::Tell(id, Order::Serve));
            }
        }
    }

    /// Returns whether a spawn could only end with this set, which goes down for a failure above it.
    pub fn ends_spawns(&self) -> bool {
        self.owner == Owner::Set && self.suspended && self.serving
    }

    /// The supervisor fails or goes down after the message in hand. That message may wait for a spawn that could begin,
    /// or be decided on, only afterwards. So spawns that are not up yet end (S7).
    pub fn absorb_spawns(&mut self, reason: StopReason, now: Instant) {
        for id in self.roster.ids() {
            let Some(member) = self.roster.get(id).filter(|member| member.dynamic && !member.was_up) else { continue };
            match member.at {
                _ if self.in_range(id) => {}
                MemberState::Queued | MemberState::BackingOff | MemberState::FailedStart => {
                    self.over(id, Ended::Stopped)
                }
                MemberState::Starting => {
                    self.roster.member(id).ending = Some(Ended::Stopped);
                    self.send_end(id, Ended::Stopped, reason, now);
                }
                MemberState::Up | MemberState::Failed | MemberState::GoingDown | MemberState::Ended => {}
            }
        }
        self.settle(now);
    }

    /// The ancestor was resumed: everything that was kept begins.
    pub fn end_suspension(&mut self, now: Instant) {
        if self.suspended {
            self.suspended = false;
            self.tell_suspended(false);
            self.begin_kept(now);
        }
    }

    /// The parent resumes a failed supervisor, which continues in its previous mode. `suspended`: an ancestor has
    /// failed since.
    pub fn resume(&mut self, failure: &Failure, facts: FailureInfo, suspended: bool) {
        if let GroupState::Failed { back, by } = self.mode.clone() {
            self.mode = *back;
            // Only a supervisor that is up is resumed, so a later failure is not a failure of its first start.
            self.all_were_up |= self.built;
            // A first spawn has ended meanwhile; a new member in its slot has not begun.
            match self.at(by) {
                MemberState::Failed if self.is_spent(by) => self.restart(by, true, failure, facts, false),
                MemberState::Failed => {
                    self.roster.member(by).at = MemberState::Up;
                    self.effects.push(GroupEffect::Tell(by, Order::Resume));
                }
                MemberState::FailedStart => self.restart(by, false, failure, facts, false),
                _ => {}
            }
        }
        self.suspended = suspended;
        if !suspended {
            self.tell_suspended(false);
        }
        self.begin_kept(facts.now);
    }

    /// All children go down, to be started again by the supervisor's next start (a restart from above).
    pub fn restart_from_above(&mut self, failure: &Failure, reason: StopReason, now: Instant) {
        if matches!(self.mode, GroupState::Down { next: AfterDown::End, .. }) {
            return;
        }
        self.cause = Some(failure.clone());
        self.reason = reason;
        self.suspended = false;
        for id in self.roster.ids() {
            let Some(member) = self.roster.get_mut(id) else { continue };
            if member.kept {
                // The member has served so far, as all others, and now waits for its own restart.
                self.effects.push(GroupEffect::Tell(id, Order::Suspend(true)));
            }
            let member = self.roster.member(id);
            if member.dynamic && !member.kept && member.at != MemberState::Ended {
                member.asked_to_end();
            } else if !member.dynamic && !member.on_request {
                member.ending = None;
                member.significant_end = false;
            }
        }
        self.go_down(0, AfterDown::Rebuild, now);
    }

    /// The actor is up again: the children it kept are restarted, in order (S11).
    pub fn restart_kept(&mut self, failure: &Failure, now: Instant) {
        self.owner_is_up = true;
        self.mode = GroupState::Steady;
        self.restarts_kept = false;
        let places = self.roster.places().into_iter();
        let kept: Vec<Id> = places.map(|place| place.id).filter(|id| self.is_kept(*id)).collect();
        if !kept.is_empty() {
            self.cause = Some(failure.clone());
            self.reason = StopReason::restarted_above(failure);
            for member in self.roster.iter_mut() {
                member.reached = true;
            }
            // The kept children come after the ones that the new instance has already spawned, which are not affected.
            let from = self.roster.next_order();
            for id in &kept {
                let order = self.roster.take_order();
                let member = self.roster.member(*id);
                (member.order, member.kept) = (order, false);
            }
            self.go_down(from, AfterDown::Up, now);
        } else {
            self.begin_kept(now); // the children that were spawned while it was down
        }
    }

    /// A new incarnation of the supervisor begins, with fresh budgets and backoffs (S15). `suspended`: it was ordered
    /// to start, and an ancestor has failed since.
    pub fn rebuild(&mut self, suspended: bool) {
        self.mode = Group::first_mode(self.owner);
        self.all_were_up = self.owner != Owner::Tree;
        self.built = self.all_were_up;
        self.budget = Budget::default();
        // Both are set only on the way to an end, and this is the only way up again: they need not be cleared
        // elsewhere.
        self.ends_with = None;
        self.significant_end = false;
        self.last_end_counts = false;
        self.owner_is_up = false;
        self.first_failure = None;
        self.wait = None;
        self.in_flight = 0;
        self.restarts_kept = self.owner == Owner::Actor;
        self.serving = false;
        self.suspended = suspended; // a suspension of the previous incarnation has ended with the order to start
        for member in self.roster.iter_mut() {
            member.reached = member.dynamic;
            (member.passed, member.due, member.finished) = (false, false, false);
            member.alone &= member.dynamic;
            member.restart_delay.forget_budget();
            member.restart_delay.forget();
            // The supervisor cannot come up without its handle: a stop was about that start alone (S21).
            member.on_request &= member.lost || member.has_handle || !member.settings.only_supervises();
            // A child that had ended starts again with its supervisor, unless a user stopped it (S20).
            if member.at == MemberState::Ended && !member.on_request && !member.is_value() {
                member.at = MemberState::Queued;
                self.living += 1;
            }
            if !member.on_request && !member.dynamic {
                member.ending = None;
            }
        }
        self.plan = self.roster.places();
        self.position = 0;
    }

    /// The supervisor itself is up: spawns that waited begin.
    #[inline]
    pub fn owner_up(&mut self, now: Instant) {
        self.owner_is_up = true;
        self.restarts_kept = false;
        if self.mode == GroupState::AwaitingOwner {
            self.mode = GroupState::Steady;
        }
        if self.mode == GroupState::Steady {
            self.begin_kept(now);
        }
    }

    /// Returns whether the group was not stopped and yet ends as soon as everything that goes down is down: because a
    /// significant member has ended, an `AllForOne` tree was decided Stop, or the last members are ending (S18, S22).
    pub fn ends_by_itself(&self) -> bool {
        self.comes_to_an_end(true)
    }

    /// Returns the same without the members that have only said that they end, which a failure may take back: for what
    /// cannot be taken back itself.
    pub fn ends_for_certain(&self) -> bool {
        self.comes_to_an_end(false)
    }

    #[inline]
    fn comes_to_an_end(&self, announced: bool) -> bool {
        let mut members = self.roster.iter().filter(|member| !member.is_value()).peekable();
        let all = self.owner == Owner::Tree && self.built && members.peek().is_some();
        let counts = self.owner != Owner::Set; // a set may have any number of members, too many for this loop
        let counted = |member: &Member| announced || !member.leaves();
        let quits = |member: &Member| member.significant_end || member.quits() && counted(member);
        let significant_end = self.significant_end || counts && self.roster.iter().any(quits);
        significant_end && self.owner_is_up
            || self.ends_with.is_some()
            || all && members.all(|member| self.is_leaving(member, announced))
    }

    /// Returns whether the member has ended, or ends before the group is at rest. `announced`: also if it has only said
    /// so.
    fn is_leaving(&self, member: &Member, announced: bool) -> bool {
        let restarts = matches!(self.mode, GroupState::Down { from, next: AfterDown::Up } if member.order >= from);
        match member.at {
            MemberState::Ended => !(restarts && member.finished),
            // A restart of the range ends a `Temporary` member that it finds up (S17).
            MemberState::Up | MemberState::Starting | MemberState::Failed | MemberState::FailedStart => {
                let leaves = announced && member.leaves() && (!restarts || member.settings.significant);
                leaves || member.ending.is_some() || restarts && member.is_temporary()
            }
            MemberState::Queued | MemberState::GoingDown | MemberState::BackingOff => member.ending.is_some(),
        }
    }

    /// Returns the end with which the group ends by itself, if it does.
    #[inline]
    pub fn ending(&self) -> Option<Ended> {
        self.ends_by_itself().then(|| self.own_failure().cloned().map_or(Ended::Done, Ended::Failed))
    }

    /// Returns whether the child had begun to end by itself when it was asked to end.
    pub fn was_leaving(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(Member::was_leaving)
    }

    /// Returns the failure that a group which ends by itself ends with: the first one of this incarnation, or that of a
    /// member that is still going down.
    fn own_failure(&self) -> Option<&Failure> {
        if self.is_stopping() || self.first_failure.is_some() {
            return self.first_failure.as_ref();
        }
        let mut going_down = self.roster.iter().filter(|member| member.at == MemberState::GoingDown);
        going_down.find_map(|member| member.ending.as_ref()?.failure())
    }

    /// All children go down and end, for this reason.
    pub fn stop(&mut self, reason: StopReason, now: Instant) {
        if matches!(self.mode, GroupState::Down { next: AfterDown::End, .. }) {
            return;
        }
        self.reason = reason;
        for id in self.roster.ids() {
            let Some(member) = self.roster.get_mut(id).filter(|member| member.at != MemberState::Ended) else {
                continue;
            };
            let restarts = member.in_walk && member.ending.is_none() && !member.is_value();
            let why = member.asked_to_end();
            if restarts {
                // The walk has told the member to go down for a restart, and will not come to it again.
                self.effects.push(GroupEffect::Tell(id, Order::End(why, reason)));
            }
        }
        self.go_down(0, AfterDown::End, now);
    }

    // ----- reports of the children, and the stop of one of them

    /// The child is up.
    #[inline]
    pub fn up(&mut self, id: Id, now: Instant) {
        let member = self.roster.member(id);
        if member.at != MemberState::Starting {
            return;
        }
        self.leave_place(id);
        let member = self.roster.member(id);
        member.at = MemberState::Up;
        (member.was_up, member.has_handle, member.passed, member.alone) = (true, true, true, false);
        member.restart_delay.went_up(now);
        self.settle(now);
    }

    /// The child has failed, with an instance, or without one in a start.
    #[inline]
    pub fn failed(&mut self, id: Id, instance: bool) -> FailureRoute {
        let stopping = self.is_stopping();
        let in_range = self.in_range(id);
        let kept = self.keeps(id);
        let member = self.roster.member(id);
        match member.at {
            MemberState::GoingDown if stopping || member.ending.is_some() => FailureRoute::ReportOnly,
            // Already asked to go down: the failed child goes down with the rest, with or without an instance.
            MemberState::GoingDown => FailureRoute::Absorbed,
            MemberState::Ended => FailureRoute::ReportOnly,
            _ => {
                member.at = if instance { MemberState::Failed } else { MemberState::FailedStart };
                member.leaving = false; // no end by itself is under way any more
                self.leave_place(id);
                self.revisit(id);
                match () {
                    () if in_range && stopping => FailureRoute::ReportOnly,
                    () if in_range => FailureRoute::Absorbed,
                    () if kept => FailureRoute::Kept,
                    () => FailureRoute::Decide,
                }
            }
        }
    }

    /// The child has failed, as by [`Group::failed`]. `by_default`: the facts, if nobody is asked and the default is a
    /// restart. A restart that concerns no other member and is within the limit is decided at once.
    pub fn fails(
        &mut self,
        id: Id,
        failure: &Failure,
        (instance, handled): (bool, bool),
        by_default: Option<FailureInfo>,
        now: Instant,
    ) -> Told {
        let streak = self.next_streak(id, handled, now);
        let route = self.failed(id, instance);
        let alone = !self.is_group() || self.is_alone(id);
        let facts = by_default.filter(|_| route == FailureRoute::Decide && instance && alone && !self.is_ended());
        let facts = facts.filter(|facts| self.refusal(id, facts.now).is_none());
        if let Some(facts) = facts {
            self.restart(id, instance, failure, facts, true);
        }
        Told { route, streak, restarts: facts.is_some() }
    }

    /// The failure that the child reports next leaves nothing that could be resumed: its instance was elsewhere, and is
    /// lost with that.
    pub fn spends(&mut self, id: Id) {
        if let Some(member) = self.roster.get_mut(id) {
            member.spent = true;
        }
    }

    /// Returns whether nothing of the failed instance of the child can go on.
    fn is_spent(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.spent)
    }

    /// The child has failed while the supervisor stops. If its turn has not come, it goes down now: others may wait for
    /// its end before they go down themselves.
    pub fn ends_before_its_turn(&mut self, id: Id, now: Instant) {
        let Some(why) = self.roster.get(id).filter(|_| self.is_stopping()).and_then(|member| member.ending.clone())
        else {
            return;
        };
        match self.at(id) {
            MemberState::Failed => self.send_end(id, why, self.reason_of(id), now),
            MemberState::FailedStart => {
                self.over(id, why);
                self.settle(now);
            }
            _ => {}
        }
    }

    /// Returns the outcome of a directive for this child, after [`Group::failed`] or [`Order::Redecide`] asked for one:
    /// `Restart` if a restart follows. A limit, or the first start of a `Temporary` child, turns it into another directive.
    ///
    /// # Errors
    ///
    /// Returns what becomes of the failure, if the decision comes too late or too early to be carried out.
    pub fn comes_to(&self, id: Id, directive: Directive, now: Instant) -> Result<Directive, FailureRoute> {
        if self.in_range(id) {
            return Err(FailureRoute::Absorbed);
        }
        if self.keeps(id) || self.mode == GroupState::Ended {
            return Err(FailureRoute::Kept);
        }
        let instance = match self.at(id) {
            MemberState::Failed => !self.is_spent(id),
            MemberState::FailedStart => false,
            _ => return Err(FailureRoute::Absorbed),
        };
        let nobody_above = self.owner == Owner::Guardian;
        Ok(match directive {
            Directive::Escalate if nobody_above => Directive::Stop,
            Directive::Resume if instance => Directive::Resume,
            // The engine has answered `Default`, so it does not get here.
            Directive::Resume | Directive::Restart | Directive::Default => match self.refusal(id, now) {
                Some(OnLimit::Escalate) if !nobody_above => Directive::Escalate,
                Some(_) => Directive::Stop,
                None => Directive::Restart,
            },
            Directive::Stop | Directive::Escalate => directive,
        })
    }

    /// Carries out the decision on a failure, and returns its outcome, as by [`Group::comes_to`].
    pub fn decided(
        &mut self,
        id: Id,
        directive: Directive,
        failure: &Failure,
        facts: FailureInfo,
    ) -> Result<Directive, FailureRoute> {
        let directive = if self.is_spent(id) { directive.without_resume() } else { directive };
        let outcome = self.comes_to(id, directive, facts.now)?;
        let instance = self.at(id) == MemberState::Failed;
        match directive {
            Directive::Resume if instance => {
                self.roster.member(id).at = MemberState::Up;
                self.effects.push(GroupEffect::Tell(id, Order::Resume));
                self.settle(facts.now);
            }
            Directive::Resume | Directive::Restart | Directive::Default => {
                self.restart(id, instance, failure, facts, true);
            }
            Directive::Stop => self.stop_for(id, Ended::by(failure), failure, facts.now),
            Directive::Escalate => self.fail(id, failure.clone(), facts.now),
        }
        Ok(outcome)
    }

    /// The child has begun to end by itself: its own code, or a tree's own children, have said so (S23). All who ask
    /// from now on learn it, before the child is down.
    pub fn leaves(&mut self, id: Id) {
        let comes_up = matches!(self.mode, GroupState::Down { next: AfterDown::Up, .. });
        let Some(member) = self.roster.get_mut(id) else { return };
        match member.at {
            _ if member.ending.is_some() => {} // the request came first
            MemberState::Starting | MemberState::Up => member.leaving = true,
            // A tree, whose supervisor hears of it only now: the group ends with it, and does not come up first.
            MemberState::GoingDown
                if comes_up && member.in_walk && member.settings.significant && member.settings.only_supervises() =>
            {
                (member.leaving, member.ending) = (true, Some(Ended::Done));
            }
            _ => {}
        }
    }

    /// The child, which was asked to end while it ended by itself, ends with these words.
    pub fn says(&mut self, id: Id, words: String) {
        if let Some(member) = self.roster.get_mut(id).filter(|member| member.was_leaving()) {
            member.ending = Some(Ended::DoneWith(words.into()));
        }
    }

    /// The child has ended by itself and is down (S23). `failure` has the cause `EndedByItself`. A subtree that ended
    /// stays ended (S28).
    pub fn done(&mut self, id: Id, ended: Ended, failure: &Failure, facts: FailureInfo) {
        let in_range = self.in_range(id);
        let comes_up = in_range && matches!(self.mode, GroupState::Down { next: AfterDown::Up, .. });
        let member = self.roster.member(id);
        let was_asked = member.ending.is_some();
        let restarted = member.restarts_at_its_end() && !was_asked;
        let by_itself = !was_asked || member.was_leaving();
        if member.was_leaving() {
            member.ending = Some(ended.clone()); // with its words
        }
        let significant_end = member.settings.significant && by_itself;
        if member.at == MemberState::GoingDown && !(significant_end && comes_up) {
            // The child was asked to go down while it was ending: that request is fulfilled with this.
            if !ended.is_orderly() {
                self.ends_as(id, ended);
            }
            return self.gone(id, facts.now);
        }
        if !restarted {
            member.significant_end = significant_end;
            let comes_again = !was_asked && !significant_end && !member.is_temporary();
            member.finished = comes_again && ended.kind() == EndedKind::Done;
            member.restart_delay.went_down(member.settings.delay(), facts.now);
            self.over(id, ended);
            return self.settle(facts.now);
        }
        member.at = MemberState::FailedStart;
        self.leave_place(id);
        self.revisit(id);
        if in_range {
            return self.settle(facts.now);
        }
        if self.keeps(id) {
            return;
        }
        self.restart(id, false, failure, facts, true);
    }

    /// A stop that arrived while the child was ending by itself, perhaps with a failure, does not replace that end.
    pub fn ends_as(&mut self, id: Id, ended: Ended) {
        let Some(member) = self.roster.get_mut(id) else { return };
        if member.ending.as_ref().is_some_and(Ended::is_orderly) {
            member.leaving |= ended.kind() == EndedKind::Done;
            member.ending = Some(ended);
        }
    }

    /// An optional child is absent this time: it ends, whatever its lifecycle (S28).
    pub fn absent(&mut self, id: Id, now: Instant) {
        match self.at(id) {
            MemberState::GoingDown => self.gone(id, now),
            _ => {
                self.over(id, Ended::Done);
                self.settle(now);
            }
        }
    }

    /// The build has reached an optional child that was absent at the first start: it stays absent (S28).
    pub fn skip(&mut self, id: Id, now: Instant) {
        self.roster.member(id).reached = true;
        self.over(id, Ended::Done);
        self.settle(now);
    }

    /// Returns whether the child goes down, or has to, with its range.
    pub fn is_in_walk(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.in_walk) || self.in_range(id)
    }

    /// Returns whether the child has ended, or is about to end.
    pub fn is_ending(&self, id: Id) -> bool {
        let ends = |member: &Member| member.at == MemberState::Ended || member.ending.is_some() || member.leaves();
        self.roster.get(id).is_none_or(ends)
    }

    /// The child is down: there is no instance any more.
    pub fn gone(&mut self, id: Id, now: Instant) {
        let group = self.is_group();
        let Some(member) = self.roster.get_mut(id) else { return };
        if matches!(
            member.at,
            MemberState::Queued | MemberState::FailedStart | MemberState::BackingOff | MemberState::Ended
        ) {
            return; // reported a second time: the request to go down came while it was ending
        }
        let in_walk = std::mem::take(&mut member.in_walk);
        member.down_since = None;
        if in_walk {
            self.in_flight -= 1;
        }
        if let Some(why) = member.ending.clone() {
            member.significant_end |= member.quits();
            self.over(id, why);
            return self.settle(now);
        }
        (member.at, member.leaving) = (MemberState::Queued, false);
        self.leave_place(id);
        self.revisit(id);
        // No walk will start this child: it restarts alone, or the order to go down was for its previous instance.
        let walked = matches!(self.mode, GroupState::Down { .. }) || group && self.mode == GroupState::Up;
        if !in_walk && !walked {
            self.wait_or_start(id, now);
        }
        self.settle(now);
    }

    /// The task of the child was dropped, so the child never starts again. `why`: its end, unless it has another one.
    pub fn lose(&mut self, id: Id, why: Ended, now: Instant) {
        if let Some(member) = self.roster.get_mut(id) {
            (member.lost, member.on_request, member.finished) = (true, true, false);
            member.ending.get_or_insert(why);
        }
        self.stop_member(id, now);
        self.gone(id, now);
    }

    /// A member was dropped together with its runtime, which also runs all other members and the supervisor.
    pub fn runtime_gone(&mut self) {
        self.runtime_gone = true;
    }

    /// The backoff of this child is over.
    pub fn due(&mut self, id: Id, now: Instant) {
        if self.wait == Some(id) {
            self.wait = None;
            self.waited = Duration::ZERO;
            return self.settle(now);
        }
        if self.at(id) != MemberState::BackingOff {
            return; // an earlier wait
        }
        self.begin_or_keep(id, now);
        self.give_places(now);
    }

    /// A user asks the child to stop. Returns `false` if the child goes down with its range, when its turn comes.
    pub fn stop_member(&mut self, id: Id, now: Instant) -> bool {
        let in_range = self.in_range(id);
        let Some(member) = self.roster.get_mut(id) else { return true };
        if member.at == MemberState::Ended {
            return true;
        }
        member.asked_to_end();
        member.on_request = true;
        if self.wait == Some(id) {
            // The child is down; its range is down too, or still going down, which continues unchanged.
            self.wait = None;
            self.waited = Duration::ZERO;
        }
        match self.roster.get(id).map(|member| member.at) {
            Some(MemberState::Up | MemberState::Failed | MemberState::Starting) if in_range && !self.is_stopping() => {
                return false;
            }
            Some(MemberState::Up | MemberState::Failed | MemberState::Starting) => {
                let member = self.roster.member(id);
                member.at = MemberState::GoingDown;
                member.down_since = Some(now);
                self.revisit(id);
            }
            Some(MemberState::Queued | MemberState::BackingOff | MemberState::FailedStart) if !in_range => {
                self.over(id, Ended::Stopped);
                self.settle(now);
            }
            _ => {}
        }
        true
    }

    /// The child was killed in the moment in which a caller asked for its restart: the kill is decided, and no restart is
    /// under way. `starting`: the child was coming up.
    pub fn takes_back_restart(&mut self, id: Id, starting: bool) {
        let Some(member) = self.roster.get_mut(id) else { return };
        if member.at == MemberState::GoingDown && !member.in_walk && member.ending.is_none() {
            member.at = if starting { MemberState::Starting } else { MemberState::Up };
            (member.down_since, member.at_once) = (None, false);
            member.alone &= starting;
        }
    }

    /// The child, of which a caller asked a restart and then a drain, has heard of neither: it drains.
    pub fn drains_after_all(&mut self, id: Id) {
        if let Some(member) = self.roster.get_mut(id) {
            member.asked_to_end();
            (member.on_request, member.drains) = (true, true);
        }
    }

    /// The failure of the child was kept by its own decider, which is asked again.
    pub fn ask_again(&mut self, id: Id) {
        if matches!(self.at(id), MemberState::Failed | MemberState::FailedStart) {
            self.effects.push(GroupEffect::Tell(id, Order::Redecide));
        }
    }

    /// The child goes down as for a restart, and ends: it is started elsewhere. A child that goes down already, or is
    /// not up, only ends.
    pub fn leave_for_good(&mut self, id: Id, failure: &Failure, now: Instant) {
        if !matches!(self.at(id), MemberState::Up | MemberState::Failed | MemberState::Starting) {
            self.stop_member(id, now); // nothing is up that would have to be told
            return;
        }
        let in_range = self.in_range(id);
        let member = self.roster.member(id);
        member.asked_to_end();
        member.on_request = true;
        if !in_range {
            self.send_down(id, failure.clone(), StopReason::Restart, now);
            self.revisit(id);
        } // else it goes down with its range, when its turn comes
    }

    /// No time is left for the child: it goes down now, even before its turn (S24).
    pub fn cut(&mut self, id: Id, now: Instant) -> Cut {
        let again = matches!(self.mode, GroupState::Down { next: AfterDown::Rebuild, .. } | GroupState::AwaitingOwner);
        let Some(member) = self.roster.get_mut(id) else { return Cut::End };
        if member.kept && again && member.ending.is_none() {
            return Cut::Stay;
        }
        if matches!(member.at, MemberState::Up | MemberState::Failed | MemberState::Starting) {
            member.at = MemberState::GoingDown;
            member.down_since = Some(now);
        }
        match &self.cause {
            Some(cause) if again && member.ending.is_none() => Cut::Down(cause.clone()),
            _ => Cut::End,
        }
    }

    /// Lets this child survive a restart of the actor that spawned it.
    pub fn keep(&mut self, id: Id) {
        if self.roster.get(id).is_some() {
            self.roster.member(id).kept = true;
        }
    }

    /// Returns whether the child was named by [`Group::keep`].
    pub fn is_kept(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.kept)
    }

    /// The child reports progress, which resets its backoff (S32).
    pub fn reset_backoff(&mut self, id: Id) {
        if self.roster.get(id).is_some() {
            self.roster.member(id).restart_delay.reset();
        }
    }

    // ----- the effect of a directive: restart, stop, or a failure of the supervisor (S15, S17 to S19)

    /// Restarts the child. `ask`: the budget is asked; after a parent's Resume the restart is only counted.
    fn restart(&mut self, id: Id, instance: bool, failure: &Failure, facts: FailureInfo, ask: bool) {
        let alone = !self.is_group() || self.is_alone(id);
        // A failed `Temporary` child ends alone, and this does not count against the budget (S17); at the first start
        // it is a failed start (S21).
        if self.roster.member(id).is_temporary() {
            return self.stop_for(id, Ended::by(failure), failure, facts.now);
        }
        let shares = self.shares_budget(id);
        let allowance = if shares { self.group_allowance() } else { self.allowance_of(id) };
        let budget = match shares {
            true => &mut self.budget,
            // Without a limit there is nothing to remember.
            false if allowance.max.is_none() => &mut Budget::default(),
            false => self.roster.member(id).restart_delay.budget_or_init(),
        };
        if ask && !budget.allows(&allowance, facts.now) {
            let max = allowance.max.unwrap_or_default(); // without one everything is allowed
            self.effects.push(GroupEffect::LimitReached(id, max));
            let limit = failure.clone().at_limit(max);
            return match allowance.on_limit {
                OnLimit::Escalate => self.fail(id, limit, facts.now),
                OnLimit::Stop => self.stop_for(id, Ended::Limit(limit.clone()), &limit, facts.now),
            };
        }
        budget.charge(&allowance, facts.now);
        let member = self.roster.member(id);
        let over = LastRun {
            handled: facts.handled && member.settings.kind == Some(ChildKind::Actor),
            never_at_once: !instance || member.settings.kind == Some(ChildKind::Task),
        };
        let backoff = member.settings.delay();
        let delay = member.restart_delay.next(backoff, over, facts.random, facts.now);
        self.effects.push(GroupEffect::Scheduled(id, delay));
        if alone {
            return self.restart_alone(id, instance, delay, failure, facts.now);
        }
        // A failed member of a range that already goes down is not decided on, so this restart extends the range.
        let from = self.range(id);
        // A start that fails on the way up belongs to the same move: all members restart because of the failure that
        // began it.
        let begun = matches!(self.mode, GroupState::Down { .. })
            || self.mode == GroupState::Up && !instance && self.cause.is_some();
        if !begun {
            self.cause = Some(failure.clone());
        }
        self.mode = GroupState::Down { from, next: AfterDown::Up };
        self.reason = StopReason::Restart;
        self.wait_for(id, delay);
        // Decided now: not again if a suspension ends while the range goes down.
        let member = self.roster.member(id);
        if member.at == MemberState::FailedStart {
            member.at = MemberState::Queued;
        }
        self.go_down(from, AfterDown::Up, facts.now);
    }

    /// Returns what prevents a restart of this child now, if anything does.
    #[inline]
    fn refusal(&self, id: Id, now: Instant) -> Option<OnLimit> {
        let member = self.roster.get(id)?;
        if member.is_temporary() {
            return Some(OnLimit::Stop);
        }
        let shares = self.shares_budget(id);
        let allowance = if shares { self.group_allowance() } else { self.allowance_of(id) };
        let budget = if shares { Some(&self.budget) } else { member.restart_delay.budget() };
        let allowed = match budget {
            Some(budget) => budget.allows(&allowance, now),
            None => Budget::default().allows(&allowance, now), // nothing is used of it
        };
        (!allowed).then_some(allowance.on_limit)
    }

    /// Under `OneForOne`, or after a requested start, the child is its own range, and only it waits.
    fn restart_alone(&mut self, id: Id, instance: bool, delay: Duration, failure: &Failure, now: Instant) {
        let member = self.roster.member(id);
        member.restart_delay.set_wait(delay);
        if instance {
            self.send_down(id, failure.clone(), StopReason::Restart, now);
        } else {
            member.at = MemberState::Queued;
            self.wait_or_start(id, now);
            self.settle(now); // the first start goes on while a declared backoff waits
        }
    }

    /// Stops the child, also at a limit that stops (S18). `why` is the end of the failed child.
    fn stop_for(&mut self, id: Id, why: Ended, failure: &Failure, now: Instant) {
        let first_start = !self.all_were_up;
        if first_start && !self.roster.member(id).settings.best_effort {
            return self.fail(id, failure.clone(), now); // the first start comes up as a whole or not at all (S21)
        }
        let on_request = self.is_alone(id);
        // The first start goes on without a `best_effort` child, whatever the strategy.
        let alone = !self.is_group() || self.roster.member(id).is_temporary() || on_request || first_start;
        self.note_failure(id, failure);
        let instance = self.at(id) == MemberState::Failed;
        let member = self.roster.member(id);
        member.significant_end = member.settings.significant && member.is_temporary() && !on_request;
        member.ending = Some(why.clone());
        if alone {
            if instance {
                let reason = self.reason_of(id);
                self.send_end(id, why, reason, now);
            } else {
                self.over(id, why);
            }
            return self.settle(now);
        }
        let from = self.range(id);
        if self.strategy == Strategy::AllForOne {
            if self.owner == Owner::Tree {
                // This failure takes the tree down, whatever has ended before.
                self.first_failure = Some(failure.clone());
                self.ends_with = Some(why);
            }
            for member in self.roster.iter_mut().filter(|member| member.at != MemberState::Ended) {
                member.asked_to_end();
            }
        } else {
            for member in self.roster.iter_mut().filter(|member| member.order >= from) {
                member.finished = false; // the range does not come up again
                if member.at != MemberState::Ended {
                    member.asked_to_end();
                }
            }
        }
        self.begins_to_end();
        self.cause = Some(failure.clone());
        self.reason = StopReason::SiblingEnded;
        self.go_down(from, AfterDown::Up, now);
    }

    /// Fails the supervisor: the directive Escalate, the limit, or a decider that panicked (S19).
    fn fail(&mut self, id: Id, failure: Failure, now: Instant) {
        if self.owner == Owner::Guardian {
            return self.stop_for(id, Ended::by(&failure), &failure, now); // no supervisor above: the child ends (S39)
        }
        let first = self.first_spawn(id);
        let back = Box::new(std::mem::replace(&mut self.mode, GroupState::Steady));
        self.mode = GroupState::Failed { back, by: id };
        if first {
            // The spawn returns its error and the child ends; a Resume by the parent continues without it (S27).
            self.over(id, Ended::by(&failure));
        }
        self.effects.push(GroupEffect::TellOwner(Order::Escalated(failure)));
    }

    /// Returns whether the child's start was requested, or happens at run time, so that it concerns no sibling,
    /// whatever the strategy (S26, S38).
    fn is_alone(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.alone)
    }

    /// Returns whether a spawn waits for this first start at run time.
    fn first_spawn(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.dynamic && !member.was_up)
    }

    /// Returns the beginning of the range that restarts together with this child.
    fn range(&self, id: Id) -> u64 {
        match self.strategy {
            Strategy::AllForOne => 0,
            Strategy::OneForOne | Strategy::RestForOne => self.order(id),
        }
    }

    fn wait_for(&mut self, id: Id, delay: Duration) {
        // All members that failed wait together, for the longest delay (S17).
        if delay > Duration::ZERO && (self.wait.is_none() || delay > self.waited) {
            self.wait = Some(id);
            self.waited = delay;
        }
    }

    // ----- requests of a user to one child (S26, table 2d)

    /// Decides the request and carries it out. The hooks of a restart get `failure`, with the cause `Requested`.
    pub fn on_request(&mut self, id: Id, command: Command, failure: &Failure, now: Instant) -> CommandOutcome {
        let state = self.state_of(id);
        // A group that goes down to its end is more than busy: no later attempt could succeed.
        if self.is_stopping() && state != State::Ended {
            return child::on_request(State::Stopping, true, command);
        }
        if command == Command::Restart && self.starts_once(id) && !matches!(state, State::Stopping | State::Ended) {
            return CommandOutcome::StartedOnce;
        }
        // The group may have ended since the caller looked, and a child whose task was dropped cannot start.
        let is_lost = self.roster.get(id).is_some_and(|member| member.lost);
        if (self.is_ended() || is_lost) && command == Command::StartAgain && state == State::Ended {
            return CommandOutcome::SupervisorEnded;
        }
        // A child that the build has not reached yet is queued for its start, ended or not.
        let moves = self.moves() || self.roster.get(id).is_some_and(|member| !member.reached);
        let verdict = child::on_request(state, moves, command);
        match verdict {
            CommandOutcome::DownAlone | CommandOutcome::StartNow | CommandOutcome::StartOver => {
                self.restart_member(id, failure, now);
            }
            CommandOutcome::FirstStart => self.start_member(id, now),
            CommandOutcome::Drain => self.drain_member(id, now),
            CommandOutcome::Stop
            | CommandOutcome::NoStart
            | CommandOutcome::End
            | CommandOutcome::Nothing
            | CommandOutcome::Busy
            | CommandOutcome::NotEnded
            | CommandOutcome::Stopping
            | CommandOutcome::Ended
            | CommandOutcome::StartedOnce
            | CommandOutcome::SupervisorEnded => {}
        }
        verdict
    }

    /// Returns whether the child is `Temporary` and was spawned at run time: what its only start needs was moved into
    /// that start (S27, S38).
    fn starts_once(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(|member| member.dynamic && member.is_temporary())
    }

    /// Returns the row of table 2d, as far as the group knows the child's state.
    fn state_of(&self, id: Id) -> State {
        let member = self.roster.get(id);
        let ending = member.is_some_and(|member| member.ending.is_some());
        match self.at(id) {
            MemberState::Starting | MemberState::Up if member.is_some_and(|member| member.leaving) => {
                let restarts = member.is_some_and(Member::restarts_at_its_end);
                if restarts { State::GoingDown } else { State::Stopping }
            }
            MemberState::Ended => State::Ended,
            MemberState::GoingDown if ending => State::Stopping,
            MemberState::GoingDown => State::GoingDown,
            MemberState::Queued if self.waits_for_place(id) => State::Starting,
            MemberState::Queued => State::Idle,
            MemberState::Starting => State::Starting,
            MemberState::Up => State::Running,
            MemberState::Failed | MemberState::FailedStart => State::Failed,
            MemberState::BackingOff => State::AwaitingRestart,
        }
    }

    /// Restarts the child alone, without counting against the budget; a failure of its start concerns only the child.
    fn restart_member(&mut self, id: Id, failure: &Failure, now: Instant) {
        let member = self.roster.member(id);
        (member.alone, member.at_once) = (true, true);
        member.restart_delay.set_wait(Duration::ZERO);
        if matches!(member.at, MemberState::Up | MemberState::Failed | MemberState::Starting) {
            self.send_down(id, failure.clone(), StopReason::Restart, now);
        } else {
            // Nothing of the child is up: a decision that is due or kept finds it starting.
            self.begin_or_keep(id, now);
        }
    }

    /// Starts an ended child again, with a fresh budget and restart delay; a failure of that start concerns only the
    /// child.
    fn start_member(&mut self, id: Id, now: Instant) {
        let member = self.roster.member(id);
        member.at = MemberState::Queued;
        let before = member.ending.take();
        member.on_request = false;
        member.drains = false; // only for its own sake: a child that is stopping ignores an additional order to go down
        (member.alone, member.finished) = (true, false);
        (member.was_up, member.passed) = (false, false);
        member.restart_delay.forget_budget();
        member.restart_delay.forget();
        self.living += 1;
        self.revisit(id);
        if let Some(failure) = before.as_ref().and_then(Ended::failure) {
            self.forget_failure(failure);
        }
        self.begin_or_keep(id, now);
    }

    /// A member that had ended with this failure is started again, so that the supervisor does not end with the failure any
    /// more.
    fn forget_failure(&mut self, failure: &Failure) {
        if self.first_failure.as_ref().is_some_and(|first| first.is_same(failure)) {
            let mut ended = self.roster.iter().filter(|member| member.at == MemberState::Ended);
            self.first_failure = ended.find_map(|member| member.ending.as_ref()?.failure()).cloned();
        }
    }

    /// The supervisor itself was started again on request. That is a first start of all its children, also of those
    /// that a user had stopped (which a restart from above leaves stopped, S20).
    pub fn forget_stops(&mut self) {
        self.cause = None;
        for member in self.roster.iter_mut() {
            member.on_request = member.lost;
        }
    }

    /// Lets the child, which is up, handle its queued messages, then end.
    fn drain_member(&mut self, id: Id, now: Instant) {
        let member = self.roster.member(id);
        member.at = MemberState::GoingDown;
        member.down_since = Some(now);
        member.ending.get_or_insert(Ended::Stopped);
        member.on_request = true;
        member.drains = true;
        self.effects.push(GroupEffect::Tell(id, Order::Drain));
    }

    // ----- walks

    fn go_down(&mut self, from: u64, next: AfterDown, now: Instant) {
        self.turn_down(from, next);
        self.settle(now);
    }

    #[inline]
    fn turn_down(&mut self, from: u64, next: AfterDown) {
        self.mode = GroupState::Down { from, next };
        self.plan = self.roster.places();
        self.position = self.plan.len();
        // Children use values until they are down, so values go after all of them (S30).
        if self.shutdown_order == ShutdownOrder::Together && self.owner == Owner::Tree && !self.keeps_values(next) {
            let roster = &self.roster;
            self.plan.sort_by_key(|place| !roster.get(place.id).is_some_and(Member::is_value));
        }
        if next != AfterDown::Up {
            self.wait = None;
            self.waited = Duration::ZERO;
        }
    }

    /// Returns why this member goes down, if its range does.
    fn reason_of(&self, id: Id) -> StopReason {
        match self.roster.get(id) {
            Some(Member { ending: Some(_), on_request: true, .. }) => StopReason::Asked,
            Some(Member { ending: Some(ended), .. }) => StopReason::of_end(ended).unwrap_or(self.reason),
            _ => self.reason,
        }
    }

    #[inline]
    fn send_down(&mut self, id: Id, failure: Failure, reason: StopReason, now: Instant) {
        let member = self.roster.member(id);
        member.at = MemberState::GoingDown;
        member.down_since = Some(now);
        // A good run counts however it ends. After a failure of the child's own it was counted with the restart.
        member.restart_delay.went_down(member.settings.delay(), now);
        self.effects.push(GroupEffect::Tell(id, Order::Down(failure, reason)));
    }

    #[inline]
    fn send_end(&mut self, id: Id, why: Ended, reason: StopReason, now: Instant) {
        let member = self.roster.member(id);
        member.at = MemberState::GoingDown;
        member.down_since = Some(now);
        self.effects.push(GroupEffect::Tell(id, Order::End(why, reason)));
        self.revisit(id);
    }

    /// Starts the member. Where starts are limited, it is queued for a place first, which [`Group::give_places`] gives.
    #[inline]
    fn start(&mut self, id: Id, now: Instant) {
        let member = self.roster.member(id);
        member.due = false;
        if self.max_starting.is_some() && !member.at_once {
            member.at = MemberState::Queued;
            let place = Place { order: member.order, id };
            self.waiting.insert(place);
        } else {
            self.begin(id, now);
        }
    }

    #[inline]
    fn begin(&mut self, id: Id, now: Instant) {
        self.leave_place(id);
        let member = self.roster.member(id);
        member.at = MemberState::Starting;
        (member.spent, member.leaving) = (false, false);
        (member.at_once, member.has_place) = (false, true);
        self.starting += 1;
        if member.was_up {
            member.restart_delay.started_again(now);
        }
        self.effects.push(GroupEffect::Tell(id, Order::Start));
    }

    /// Starts the members that wait for a place, in the order of their spawns, as far as there are places.
    fn give_places(&mut self, now: Instant) {
        while !self.waiting.is_empty()
            && self.mode == GroupState::Steady
            && !self.suspended
            && self.max_starting.is_none_or(|most| self.starting < most)
            && let Some(place) = self.waiting.pop_first()
        {
            self.roster.step();
            self.begin(place.id, now);
        }
    }

    /// The member starts no more, or waits no more for a place: it is up, down, or ended.
    #[inline]
    fn leave_place(&mut self, id: Id) {
        let Some(member) = self.roster.get_mut(id) else { return };
        if std::mem::take(&mut member.has_place) {
            self.starting -= 1;
        }
        if !self.waiting.is_empty() {
            let place = Place { order: self.order(id), id };
            self.waiting.remove(&place);
        }
    }

    /// Returns whether the member waits for a place among those that start.
    fn waits_for_place(&self, id: Id) -> bool {
        !self.waiting.is_empty() && self.waiting.contains(&Place { order: self.order(id), id })
    }

    #[inline]
    fn wait_or_start(&mut self, id: Id, now: Instant) {
        let member = self.roster.member(id);
        // The delay was set by a restart of this member alone, and counts once.
        let delay = member.restart_delay.take_wait();
        if delay > Duration::ZERO {
            member.at = MemberState::BackingOff;
            self.effects.push(GroupEffect::Tell(id, Order::Wait(delay)));
        } else {
            self.begin_or_keep(id, now);
        }
    }

    /// Starts a child that has finished its own wait, or keeps it while something else delays the start.
    #[inline]
    fn begin_or_keep(&mut self, id: Id, now: Instant) {
        if self.is_kept_from(id) {
            self.leave_place(id); // on request, it will start without one
            let member = self.roster.member(id);
            member.at = MemberState::BackingOff;
            member.due = true;
        } else {
            debug_assert!(self.roster.member(id).ending.is_none(), "one that is to end is over before its wait is");
            self.start(id, now);
        }
    }

    /// Returns whether the child must not start now, even if its own wait is over.
    fn is_kept_from(&self, id: Id) -> bool {
        match self.mode {
            GroupState::Down { from, .. } => self.suspended || self.order(id) >= from,
            GroupState::Ended => true,
            _ => self.keeps(id),
        }
    }

    /// Returns whether events of the child have to wait: for an ancestor, the parent, or the supervisor's own new
    /// start.
    fn keeps(&self, id: Id) -> bool {
        let restarts_kept = self.restarts_kept && self.is_kept(id);
        self.suspended || restarts_kept || matches!(self.mode, GroupState::Failed { .. } | GroupState::AwaitingOwner)
    }

    /// Marks the child as ended. The consequences are left to [`Group::settle`]: a walk may end any number of members,
    /// and must not begin again inside itself. A child that was asked to end, and whose turn to go down has not come,
    /// ends as it was asked to; only an end that is not orderly goes before that.
    fn over(&mut self, id: Id, why: Ended) {
        let stopping = self.is_stopping();
        let member = self.roster.member(id);
        if member.at == MemberState::Ended {
            return;
        }
        if member.is_value() {
            member.at = MemberState::Ended;
            return;
        }
        let why = member.ending.take().filter(|_| why.is_orderly()).unwrap_or(why);
        self.leave_place(id);
        if let (false, Ended::Failed(failure) | Ended::Limit(failure)) = (stopping, &why) {
            self.note_failure(id, failure);
        }
        let member = self.roster.member(id);
        if member.was_up {
            // A stop that was asked for, or an end with the set, is not one that ends the set.
            let kind = why.kind();
            self.last_end_counts = !matches!(kind, EndedKind::Stopped | EndedKind::Aborted | EndedKind::RuntimeGone);
        }
        let in_walk = std::mem::take(&mut member.in_walk);
        member.at = MemberState::Ended;
        member.down_since = None;
        if self.wait == Some(id) {
            (self.wait, self.waited) = (None, Duration::ZERO); // its timer is dropped
        }
        let member = self.roster.member(id);
        member.alone = false;
        let significant_end = std::mem::take(&mut member.significant_end);
        if member.dynamic {
            self.roster.vacate(id);
        } else {
            member.ending = Some(why.clone());
        }
        self.living -= 1;
        self.significant_end |= significant_end;
        if in_walk {
            self.in_flight -= 1;
        }
        self.effects.push(GroupEffect::Tell(id, Order::Over(why)));
    }

    /// Remembers the first failure. A spawn that never came up is not counted among the ends of a set (S22).
    fn note_failure(&mut self, id: Id, failure: &Failure) {
        if self.owner != Owner::Set || self.was_up(id) {
            self.first_failure.get_or_insert_with(|| failure.clone());
        }
    }

    fn tell_suspended(&mut self, suspended: bool) {
        // A suspension has no meaning for a member that has ended: the order would only wake it. A member that goes down
        // with its range serves until its turn comes, and drains then: those before it in the walk may wait for its
        // reply, and the walk waits for its drain.
        for id in self.roster.ids() {
            let concerns = |member: &Member| !member.is_value() && member.at != MemberState::Ended;
            let stays = if suspended { self.is_going_down(id) } else { self.waits_for_owner(id) };
            if self.roster.get(id).is_some_and(concerns) && !stays {
                self.effects.push(GroupEffect::Tell(id, Order::Suspend(suspended)));
            }
        }
    }

    /// Begins everything that was kept while the supervisor was suspended or failed.
    fn begin_kept(&mut self, now: Instant) {
        if !self.suspended && !matches!(self.mode, GroupState::Failed { .. }) {
            self.begin_each_kept(now);
            self.settle(now);
        }
    }

    fn begin_each_kept(&mut self, now: Instant) {
        for id in self.roster.ids() {
            let ends = matches!(self.mode, GroupState::Steady | GroupState::Up) && self.ends_now();
            if ends && self.mode == GroupState::Steady {
                return; // all go down, decided or not
            }
            self.roster.step();
            let Some(member) = self.roster.get(id) else { continue };
            match member.at {
                // Nothing new begins. But the walk up, after which the supervisor ends, waits for the decision on a
                // member of which nothing is up.
                _ if ends && member.at != MemberState::FailedStart => {}
                // A Resume from above has restarted it together with its range.
                MemberState::Failed if member.spent && self.in_range(id) => {}
                MemberState::Failed | MemberState::FailedStart => {
                    self.effects.push(GroupEffect::Tell(id, Order::Redecide))
                }
                MemberState::BackingOff if member.due && !self.is_kept_from(id) => self.start(id, now),
                MemberState::Queued if self.mode == GroupState::Steady && member.wants_start() => self.start(id, now),
                // Stopped while it was queued for its start.
                MemberState::Queued if self.mode == GroupState::Steady && member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why);
                }
                _ => {}
            }
        }
    }

    /// Makes every move that needs no further event. A walk that may have changed the state for the next walk returns
    /// true; no walk calls another.
    #[inline(never)]
    fn settle(&mut self, now: Instant) {
        while match self.mode {
            GroupState::Down { from, next } => self.walk_down(from, next, now),
            GroupState::Up => self.walk_up(now),
            GroupState::Steady => {
                self.give_places(now);
                self.check_all_ended()
            }
            GroupState::AwaitingOwner | GroupState::Failed { .. } | GroupState::Ended => false,
        } {}
    }

    /// Goes down in reverse order, one member at a time, or all members together. True: there is more to settle.
    #[inline]
    fn walk_down(&mut self, from: u64, next: AfterDown, now: Instant) -> bool {
        let (keeps_values, begins) = (self.keeps_values(next), self.position == self.plan.len());
        while let Some(Place { order, id }) = self.next_down(from)
            && (self.in_flight == 0 || self.goes_together(id, next))
        {
            self.position -= 1;
            self.roster.step();
            let member = self.roster.get_mut(id);
            let Some(member) = member.filter(|member| member.order == order) else { continue };
            let ends = member.ending.is_some() || next == AfterDown::Up && (member.is_temporary() || member.quits());
            if member.kept && next == AfterDown::Rebuild {
                continue;
            }
            match member.at {
                MemberState::Up if member.is_value() => {
                    // A member that is lost with its runtime may still be about to start on another thread.
                    if !keeps_values && !self.runtime_gone {
                        member.at = MemberState::GoingDown;
                        member.in_walk = true;
                        self.in_flight += 1;
                        self.effects.push(GroupEffect::DropValue(id));
                    }
                }
                MemberState::Up | MemberState::Failed | MemberState::Starting => {
                    member.in_walk = true;
                    member.restart_delay.set_wait(Duration::ZERO);
                    self.in_flight += 1;
                    if ends {
                        let why = member.asked_to_end();
                        let reason = self.reason_of(id);
                        self.send_end(id, why, reason, now);
                    } else {
                        let failure = self.cause.clone().expect("a range that restarts has its failure");
                        self.send_down(id, failure, self.reason, now);
                    }
                }
                MemberState::GoingDown => {
                    if !member.in_walk {
                        member.in_walk = true;
                        member.restart_delay.set_wait(Duration::ZERO);
                        self.in_flight += 1;
                        // The member was going down alone. If everything stops now, it has to be notified,
                        // and if the others wait for it, its drain ends.
                        let (ending, drains) = (member.ending.clone(), member.drains || member.settings.drain);
                        match (next, ending, &self.cause) {
                            (AfterDown::End, Some(why), _) => {
                                let end = Order::End(why, self.reason_of(id));
                                self.effects.push(GroupEffect::Tell(id, end));
                            }
                            (_, Some(_), Some(cause)) if drains => {
                                let down = Order::Down(cause.clone(), self.reason);
                                self.effects.push(GroupEffect::Tell(id, down));
                            }
                            _ => {}
                        }
                    }
                }
                MemberState::Queued | MemberState::FailedStart | MemberState::BackingOff => {
                    // A `Temporary` member that is queued was not up: it keeps its turn.
                    let ends = member.ending.is_some() || ends && member.at == MemberState::FailedStart;
                    member.at = MemberState::Queued;
                    if ends {
                        let why = member.ending.clone().unwrap_or(Ended::Stopped);
                        self.over(id, why);
                    }
                }
                MemberState::Ended => {}
            }
        }
        if self.in_flight > 0 || self.next_down(from).is_some() {
            if begins {
                self.serve_below_failed(from);
            }
            return false;
        }
        match next {
            AfterDown::Up if self.ends_with.is_some() => {
                self.mode = GroupState::Ended;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnded(self.first_failure.clone())));
            }
            // Nothing comes up only to end.
            AfterDown::Up if self.ends_now() => {
                self.end_by_itself();
                return true;
            }
            AfterDown::Up => {
                self.start_finished(from);
                self.mode = GroupState::Up;
                self.position = 0;
                if let Some(id) = self.wait {
                    self.effects.push(GroupEffect::Tell(id, Order::Wait(self.waited)));
                }
                return true;
            }
            AfterDown::Rebuild => {
                self.mode = GroupState::AwaitingOwner;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenDown));
            }
            AfterDown::End => {
                self.mode = GroupState::Ended;
                self.effects.push(GroupEffect::TellOwner(Order::ChildrenDown));
            }
        }
        false
    }

    /// The children of a member that has failed wait for the decision on it, which has come, though not its turn: they
    /// serve until then (S7).
    #[inline]
    fn serve_below_failed(&mut self, from: u64) {
        for place in self.plan[..self.position].iter().rev().take_while(|place| place.order >= from) {
            if self.roster.at_place(*place).is_some_and(|member| member.at == MemberState::Failed) {
                self.effects.push(GroupEffect::Tell(place.id, Order::Serve));
            }
        }
    }

    /// Returns whether the range comes up again with the values that it has (S30).
    fn keeps_values(&self, next: AfterDown) -> bool {
        next == AfterDown::Up && self.ends_with.is_none()
    }

    /// Returns whether the member does not wait until the ones behind it are down. A range that comes up again keeps its
    /// values.
    fn goes_together(&self, id: Id, next: AfterDown) -> bool {
        let waits = || !self.keeps_values(next) && self.roster.get(id).is_some_and(Member::is_value);
        self.shutdown_order == ShutdownOrder::Together && !waits()
    }

    /// Returns the next position of the walk in the range.
    fn next_down(&self, from: u64) -> Option<Place> {
        let place = self.plan[..self.position].last()?;
        (place.order >= from).then_some(*place)
    }

    /// The walk up has passed this member, but it is not up any more: a group waits for it again. Under `OneForOne` the
    /// walk does so only for a member that was not up in this incarnation of the supervisor.
    #[inline]
    fn revisit(&mut self, id: Id) {
        let mode = match &self.mode {
            GroupState::Failed { back, .. } => back,
            mode => mode,
        };
        let passed = || self.roster.get(id).is_some_and(|member| member.passed);
        if *mode != GroupState::Up || !self.is_group() && passed() {
            return;
        }
        let order = self.order(id);
        if let Ok(place) = self.plan[..self.position].binary_search_by_key(&order, |passed| passed.order) {
            self.position = place;
        }
    }

    /// Comes up in order, one member at a time. At the first start the walk follows the build; under `OneForOne` it
    /// goes on while a member waits for a declared backoff. True: there is more to settle.
    #[inline]
    fn walk_up(&mut self, now: Instant) -> bool {
        loop {
            if self.suspended || self.wait.is_some() {
                return false;
            }
            let Some(place) = self.plan.get(self.position).copied() else { break };
            self.roster.step();
            let id = place.id;
            let Some(member) = self.roster.at_place(place) else {
                self.position += 1;
                continue;
            };
            match member.at {
                MemberState::Up | MemberState::Failed | MemberState::Ended => self.position += 1,
                MemberState::Queued if !member.reached => return false,
                MemberState::Queued if member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why);
                }
                MemberState::Queued => {
                    self.start(id, now);
                    return false;
                }
                // Under `OneForOne` the walk does not wait for a member that was up before.
                _ if member.passed && !self.is_group() => self.position += 1,
                MemberState::BackingOff
                    if !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id) =>
                {
                    self.roster.member(id).passed = true;
                }
                // Under `OneForOne` a member that is going down to its end delays no other.
                MemberState::GoingDown if !self.is_group() && member.ending.is_some() => self.position += 1,
                // Delayed by a suspension, and not begun with the others because the supervisor ends after this walk.
                MemberState::BackingOff if member.due && !self.is_kept_from(id) => {
                    self.start(id, now);
                    return false;
                }
                MemberState::Starting | MemberState::FailedStart | MemberState::GoingDown | MemberState::BackingOff => {
                    return false;
                }
            }
        }
        if self.built {
            self.all_were_up = true;
            self.mode = GroupState::Steady;
            self.cause = None; // healed: a later failure is the first of another move
            self.begin_each_kept(now);
        }
        self.built
    }

    /// Returns whether the build has to wait for this child, for its handle (S21).
    fn holds_up(&self, id: Id) -> bool {
        self.roster.get(id).is_some_and(Member::has_late_handle)
    }

    /// Returns whether a significant member has ended by itself, so that the supervisor ends (S22).
    fn ends_now(&self) -> bool {
        let last_has_ended = || self.ends_with_last && self.last_end_counts && self.living == 0 && self.held == 0;
        (self.significant_end || last_has_ended()) && self.owner_is_up
    }

    fn end_by_itself(&mut self) {
        self.ends_with = Some(Ended::Done);
        self.begins_to_end();
        for member in self.roster.iter_mut().filter(|member| member.at != MemberState::Ended) {
            member.asked_to_end();
        }
        self.reason = StopReason::SiblingEnded;
        self.turn_down(0, AfterDown::Up);
    }

    /// The time that a tree has for its end begins, if the tree ends with what now goes down (S44).
    fn begins_to_end(&mut self) {
        if self.owner == Owner::Tree && self.ends_for_certain() {
            self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnding));
        }
    }

    /// Members of the range that ended by themselves come up with it (S17).
    #[inline]
    fn start_finished(&mut self, from: u64) {
        for member in self.roster.iter_mut().filter(|member| member.finished && member.order >= from) {
            (member.at, member.ending, member.finished) = (MemberState::Queued, None, false);
            self.living += 1;
        }
    }

    /// Checks whether the supervisor ends by itself: because a significant member has ended, or all members have (S22).
    /// True: it goes down for that.
    #[inline]
    fn check_all_ended(&mut self) -> bool {
        if self.ends_now() {
            self.end_by_itself();
            return true;
        }
        // Checked last: this looks at all members, and runs at each event.
        let has_children = || self.roster.enumerate().any(|(_, member)| !member.is_value());
        if self.owner == Owner::Tree && self.built && !self.runtime_gone && self.living == 0 && has_children() {
            self.mode = GroupState::Ended;
            self.effects.push(GroupEffect::TellOwner(Order::ChildrenEnded(self.first_failure.clone())));
        }
        false
    }
}
