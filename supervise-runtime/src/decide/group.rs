//! The supervisor: table 2c (`docs/semantics-table.md`) as code.
//!
//! A [`Group`] is data beside its children, under one short lock. Whoever causes an event hands it in
//! and gets the [`Act`]s back; the driver sends each to the child it names. A group strategy has one
//! range at a time ([`Mode::Down`]); under OneForOne each child is a range of its own, so a restart is
//! between the child and its entry here (`solo`), and the mode stays as it is.
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
use super::member::{At, Member, Role, Settings};
use super::pace::{Over, Pace};
use crate::failure::Failure;
use crate::strategy::{Directive, Lifecycle, Limit, OnLimit, Strategy};
use crate::watch::Ended;

/// A slot in the table of children.
pub type Id = u32;

/// Whose children these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A declared tree: ends when all its members have ended (S22).
    Tree,
    /// An actor: goes on without children.
    Actor,
    /// A `[..]`: its instances start and stop all at once.
    Set,
}

/// What a range does once it is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// It comes up again.
    Up,
    /// It waits for its supervisor's own new start.
    Rebuild,
    /// The supervisor's children are over; the supervisor goes on (an actor) or is told.
    End,
}

/// The columns of table 2c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Coming up, in order; also boot.
    Up,
    /// All are up, or on their own.
    Steady,
    /// The range from this position on goes down.
    Down {
        /// Its first position in the order.
        lo: usize,
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
        by: Option<Id>,
    },
    /// Over.
    Ended,
}

/// What the driver carries out, in this order.
#[derive(Debug, Clone)]
pub enum Act {
    /// Start this child.
    Start(Id),
    /// Take it down; it will be started again, or told to end. Its hooks get this failure.
    Down(Id, Failure),
    /// Its failure is forgiven: go on with the same instance.
    Resume(Id),
    /// It waits this long; then [`Group::due`].
    Wait(Id, Duration),
    /// It goes down without `pre_restart`, for good; then [`Group::gone`].
    End(Id, Ended),
    /// It has ended: nothing of it is up any more.
    Over(Id, Ended),
    /// Its kept failure can be decided now.
    Redecide(Id),
    /// Drop this kept value, then [`Group::gone`].
    DropValue(Id),
    /// An ancestor failed, or no longer.
    Hold(Id, bool),
    /// The supervisor fails with this.
    OwnerFails(Failure),
    /// All that was to go down is down.
    ChildrenDown,
    /// Every member has ended (S22), the first failure inside.
    AllEnded(Option<Failure>),
    /// For the events: a restart was decided for this child, it waits so long.
    Scheduled(Id, Duration),
    /// For the events: the budget is used up.
    LimitReached(Id),
}

/// What is done about a failure that a child reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reported {
    /// Ask the decider, then [`Group::decided`].
    Decide,
    /// Keep it; [`Act::Redecide`] comes, or the range takes it along.
    Kept,
    /// It was to go down anyway.
    Absorbed,
    /// The supervisor is stopping.
    Reported,
}

/// What is known of the incarnation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// It handled a message.
    pub handled: bool,
    /// A random word for the jitter.
    pub random: u64,
    /// Now.
    pub now: Instant,
}

/// The children of one supervisor.
#[derive(Debug)]
pub struct Group {
    owner: Owner,
    strategy: Strategy,
    limit: Limit,
    budget: Budget,
    members: Vec<Option<Member>>,
    free: Vec<Id>,
    /// Of an actor or set: next order number.
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
    plan: Vec<Id>,
    cursor: usize,
    in_flight: u32,
    /// What every member of the range is told.
    cause: Option<Failure>,
    /// The first failure that ended a member, for S22.
    first_failure: Option<Failure>,
    /// The supervisor itself ends when the range is down (`Stop` in an AllForOne tree).
    ends_with: Option<Ended>,
    acts: Vec<Act>,
}

impl Group {
    /// A supervisor without children.
    pub fn new(owner: Owner, strategy: Strategy, limit: Limit) -> Self {
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
            ends_with: None,
            acts: Vec::new(),
        }
    }

    /// A tree comes up with its build, a set once its own cell is up; an actor spawns when it likes.
    fn first_mode(owner: Owner) -> Mode {
        match owner {
            Owner::Tree => Mode::Up,
            Owner::Set => Mode::Waiting,
            Owner::Actor => Mode::Steady,
        }
    }

    /// Read once per instance of the supervisor (S4): strategy and budget of what comes.
    pub fn configure(&mut self, strategy: Strategy, limit: Limit) {
        self.strategy = strategy;
        self.limit = limit;
        self.budget = Budget::default();
    }

    /// What to carry out since the last call.
    pub fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    /// The emptied list comes back, so that a decision costs no allocation.
    pub(crate) fn reuse(&mut self, acts: Vec<Act>) {
        debug_assert!(acts.is_empty() && self.acts.is_empty());
        if acts.capacity() <= 64 {
            self.acts = acts;
        }
    }

    // ----- reading

    /// Where a child stands; `Ended` if it is forgotten.
    pub fn at(&self, id: Id) -> At {
        self.get(id).map_or(At::Ended, |member| member.at)
    }

    /// What the supervisor is doing.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// An ancestor has failed.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// The slot is free: what was in it has ended and is forgotten.
    pub fn is_free(&self, id: Id) -> bool {
        self.get(id).is_none()
    }

    /// Members that have not ended.
    pub fn living(&self) -> u32 {
        self.living
    }

    /// It has ended or is about to: no spawn is taken any more.
    pub fn is_stopping(&self) -> bool {
        matches!(self.mode, Mode::Ended | Mode::Down { next: Next::End, .. })
    }

    /// It has ended.
    pub fn is_ended(&self) -> bool {
        self.mode == Mode::Ended
    }

    /// The group as a whole is going down or up (table 2d).
    pub fn moves(&self) -> bool {
        let mode = match &self.mode {
            Mode::Failed { back, .. } => back,
            mode => mode,
        };
        matches!(mode, Mode::Down { .. } | Mode::Waiting) || (*mode == Mode::Up && self.is_group())
    }

    /// Whether the child was up once: its next failure to start is a failed restart.
    pub fn was_up(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.was_up)
    }

    /// Restarts in a row of this child; 1 for the first.
    pub fn row(&self, id: Id) -> u32 {
        self.get(id).map_or(0, |member| member.pace.row())
    }

    /// All members are up or have ended, and none is to come.
    pub fn all_up(&self) -> bool {
        self.built && self.members.iter().flatten().all(|m| m.is_value() || matches!(m.at, At::Up | At::Ended))
    }

    /// Build can go on behind this member: it is up, has ended, or waits behind a declared backoff
    /// under OneForOne (S21).
    pub fn has_passed(&self, id: Id) -> bool {
        self.get(id).is_none_or(|member| match member.at {
            At::Up | At::Ended => true,
            At::Waiting => !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id),
            _ => member.passed && !self.is_group(),
        })
    }

    /// Those that were asked to go down and have not, with since when.
    pub fn going_down(&self) -> impl Iterator<Item = (Id, Instant)> + '_ {
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

    /// Positions in the order, for ranges: a declared tree never forgets a member, so id and position agree.
    pub(super) fn ids_in_order(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = (0..self.members.len() as Id).filter(|id| self.get(*id).is_some()).collect();
        if self.owner != Owner::Tree {
            ids.sort_by_key(|id| self.get(*id).map(|member| member.order));
        }
        ids
    }

    fn position(&self, id: Id) -> usize {
        match self.owner {
            Owner::Tree => id as usize,
            _ => self.ids_in_order().iter().position(|other| *other == id).unwrap_or(0),
        }
    }

    /// The range that goes down takes this child along. Only RestForOne has to look where it stands.
    fn in_range(&self, id: Id) -> bool {
        match self.mode {
            Mode::Down { lo: 0, .. } => true,
            Mode::Down { lo, .. } => self.position(id) >= lo,
            _ => false,
        }
    }

    // ----- members come

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

    /// Build is through: all members are known.
    pub fn built(&mut self, now: Instant) {
        self.built = true;
        self.settle(now);
    }

    // ----- what children report

    /// The child is up.
    pub fn up(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        if member.at != At::Starting {
            return;
        }
        member.at = At::Up;
        member.was_up = true;
        member.pace.went_up(now);
        self.settle(now);
    }

    /// The child failed, with an instance or (a start) without one.
    pub fn failed(&mut self, id: Id, instance: bool) -> Reported {
        let stopping = self.is_stopping();
        let in_range = self.in_range(id);
        let kept = self.keeps(id);
        let member = self.member(id);
        match member.at {
            At::Down if stopping || member.ending.is_some() => Reported::Reported,
            // Asked to go down already: the failed one joins, with or without an instance.
            At::Down => Reported::Absorbed,
            At::Ended => Reported::Reported,
            _ => {
                member.at = if instance { At::Failed } else { At::StartFailed };
                match () {
                    () if in_range && stopping => Reported::Reported,
                    () if in_range => Reported::Absorbed,
                    () if kept => Reported::Kept,
                    () => Reported::Decide,
                }
            }
        }
    }

    /// The decider has spoken about a failure that [`Group::failed`] or [`Act::Redecide`] asked it about.
    pub fn decided(&mut self, id: Id, directive: Directive, failure: &Failure, facts: Facts) -> Reported {
        if self.in_range(id) {
            return Reported::Absorbed;
        }
        if self.keeps(id) || self.mode == Mode::Ended {
            return Reported::Kept;
        }
        let instance = match self.at(id) {
            At::Failed => true,
            At::StartFailed => false,
            _ => return Reported::Absorbed,
        };
        match directive {
            Directive::Resume if instance => {
                self.member(id).at = At::Up;
                self.acts.push(Act::Resume(id));
                self.settle(facts.now);
            }
            Directive::Resume | Directive::Restart => self.restart(id, instance, failure, facts, true),
            Directive::Stop => self.stop_for(id, Ended::by(failure), failure, facts.now),
            Directive::Escalate => self.fail(id, failure.clone(), facts.now),
        }
        Reported::Decide
    }

    /// The child ended by itself and is down (S23). `failure` has the cause `EndedByItself`.
    /// A subtree that ended stays ended (S28).
    pub fn done(&mut self, id: Id, ended: Ended, failure: &Failure, facts: Facts) {
        let in_range = self.in_range(id);
        let member = self.member(id);
        let restarted = member.settings.lifecycle == Lifecycle::Permanent
            && member.settings.role != Role::Tree
            && member.ending.is_none();
        if member.at == At::Down {
            // It was asked to go down on its way out: that covers it.
            return self.gone(id, facts.now);
        }
        if !restarted {
            return self.over(id, ended, facts.now);
        }
        member.at = At::StartFailed;
        if in_range {
            return self.settle(facts.now);
        }
        if self.keeps(id) {
            return;
        }
        self.restart(id, false, failure, facts, true);
    }

    /// The child is down: there is no instance any more.
    pub fn gone(&mut self, id: Id, now: Instant) {
        let group = self.is_group();
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return };
        if matches!(member.at, At::Turn | At::StartFailed | At::Waiting | At::Ended) {
            return; // told a second time: it was on its way out when it was asked to go
        }
        let counted = std::mem::take(&mut member.counted);
        member.down_since = None;
        if counted {
            self.in_flight -= 1;
        }
        if let Some(why) = member.ending.clone() {
            self.over(id, why, now);
            return;
        }
        member.at = At::Turn;
        // No walk comes for it: it restarts alone, or a Down of an earlier instance met its start.
        let alone = member.solo || !group || self.mode == Mode::Steady;
        let walked = matches!(self.mode, Mode::Down { .. }) || group && self.mode == Mode::Up;
        if !counted && alone && !walked {
            self.wait_or_start(id, now);
        }
        self.settle(now);
    }

    /// The wait of this child is over.
    pub fn due(&mut self, id: Id, now: Instant) {
        if self.wait == Some(id) {
            self.wait = None;
            self.waited = Duration::ZERO;
            return self.settle(now);
        }
        if self.at(id) != At::Waiting {
            return; // of an earlier wait
        }
        self.begin_or_keep(id, now);
    }

    /// The child is asked to stop by a user. False: in its turn, the range takes it along.
    pub fn stop_member(&mut self, id: Id, now: Instant) -> bool {
        let in_range = self.in_range(id);
        let Some(member) = self.members.get_mut(id as usize).and_then(Option::as_mut) else { return true };
        if member.at == At::Ended {
            return true;
        }
        member.ending.get_or_insert(Ended::Stopped);
        member.by_hand = true;
        let was_waited_for = self.wait == Some(id);
        if was_waited_for {
            self.wait = None;
            self.waited = Duration::ZERO;
        }
        match self.members[id as usize].as_ref().map(|member| member.at) {
            Some(At::Up | At::Failed | At::Starting) if in_range && !self.is_stopping() => return false,
            Some(At::Up | At::Failed | At::Starting) => {
                let member = self.member(id);
                member.at = At::Down;
                member.down_since = Some(now);
            }
            Some(At::Turn | At::Waiting | At::StartFailed) if !in_range => self.over(id, Ended::Stopped, now),
            _ => {}
        }
        if was_waited_for {
            self.settle(now);
        }
        true
    }

    /// By hand (S26): the child restarts alone, uncharged. False: its group is moving.
    pub fn restart_member(&mut self, id: Id, failure: &Failure, now: Instant) -> bool {
        if self.moves() {
            return false;
        }
        let member = self.member(id);
        match member.at {
            At::Up | At::Failed => {
                member.solo = true;
                member.delay = Duration::ZERO;
                self.send_down(id, failure.clone(), now);
            }
            At::Waiting => self.begin_or_keep(id, now),
            At::Starting => {
                member.solo = true;
                member.delay = Duration::ZERO;
                self.send_down(id, failure.clone(), now);
            }
            _ => return false,
        }
        true
    }

    /// By hand (S26): an ended child starts again. False: its group is moving.
    pub fn start_member(&mut self, id: Id, now: Instant) -> bool {
        if self.moves() || self.is_stopping() {
            return false;
        }
        let member = self.member(id);
        if member.at != At::Ended {
            return false;
        }
        member.at = At::Turn;
        member.ending = None;
        member.by_hand = false;
        member.was_up = false;
        member.solo = true;
        self.living += 1;
        self.begin_or_keep(id, now);
        true
    }

    /// This child survives a restart of the actor that spawned it.
    pub fn keep(&mut self, id: Id) {
        if self.get(id).is_some() {
            self.member(id).kept = true;
        }
    }

    /// Named by [`Group::keep`].
    pub fn is_kept(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.kept)
    }

    /// The child says that all is well (S32).
    pub fn reset_backoff(&mut self, id: Id) {
        if self.get(id).is_some() {
            self.member(id).pace.reset();
        }
    }

    // ----- what the supervisor itself goes through

    /// An ancestor failed, or the supervisor itself: nothing new begins.
    pub fn hold(&mut self) {
        if !self.held {
            self.held = true;
            self.tell_held(true);
        }
    }

    /// That ancestor resumed: what was kept begins.
    pub fn release(&mut self, now: Instant) {
        if self.held {
            self.held = false;
            self.tell_held(false);
            self.begin_kept(now);
        }
    }

    /// The parent's Resume of a failed supervisor: it goes on where it was.
    pub fn resume(&mut self, failure: &Failure, facts: Facts) {
        if let Mode::Failed { back, by } = self.mode.clone() {
            self.mode = *back;
            // Only a supervisor that is up is resumed: what fails from here on is no failed boot.
            self.booted |= self.built;
            match by.map(|id| (id, self.at(id))) {
                Some((id, At::Failed)) => {
                    self.member(id).at = At::Up;
                    self.acts.push(Act::Resume(id));
                }
                Some((id, At::StartFailed)) => self.restart(id, false, failure, facts, false),
                _ => {}
            }
        }
        self.held = false;
        self.tell_held(false);
        self.begin_kept(facts.now);
    }

    /// All children go down, to be started again by the supervisor's next start (restart from above).
    pub fn restart_from_above(&mut self, failure: &Failure, now: Instant) {
        if matches!(self.mode, Mode::Down { next: Next::End, .. }) {
            return;
        }
        self.cause = Some(failure.clone());
        self.held = false;
        self.ends_with = None;
        for member in self.members.iter_mut().flatten() {
            if member.dynamic && !member.kept && member.at != At::Ended {
                member.ending.get_or_insert(Ended::Stopped);
            } else if !member.dynamic && !member.by_hand {
                member.ending = None;
            }
        }
        self.go_down(0, Next::Rebuild, now);
    }

    /// The actor is up again: the children it kept are restarted, in order (S11).
    pub fn restart_kept(&mut self, failure: &Failure, now: Instant) {
        self.mode = Mode::Steady;
        self.heals = false;
        if self.members.iter().flatten().any(|member| member.kept) {
            self.cause = Some(failure.clone());
            for member in self.members.iter_mut().flatten() {
                member.reached = true;
                member.kept = false;
            }
            self.go_down(0, Next::Up, now);
        } else {
            self.begin_kept(now); // what was spawned while it was down
        }
    }

    /// A new incarnation of the supervisor begins: fresh budgets and backoffs (S15).
    pub fn rebuild(&mut self) {
        self.mode = Group::first_mode(self.owner);
        self.booted = self.owner != Owner::Tree;
        self.built = self.booted;
        self.budget = Budget::default();
        self.ends_with = None;
        self.first_failure = None;
        self.wait = None;
        self.in_flight = 0;
        self.heals = self.owner == Owner::Actor;
        self.held = false; // whoever held its former incarnation has let it start
        for member in self.members.iter_mut().flatten() {
            member.reached = member.dynamic;
            member.passed = false;
            member.due = false;
            member.budget = None;
            member.pace = Pace::default();
            // What had ended starts again with its supervisor, unless a user stopped it (S20).
            if member.at == At::Ended && !member.by_hand && !member.is_value() {
                member.at = At::Turn;
                self.living += 1;
            }
            if !member.by_hand && !member.dynamic {
                member.ending = None;
            }
        }
        self.plan = self.ids_in_order();
        self.cursor = 0;
    }

    /// The supervisor itself is up: spawns that waited begin.
    pub fn owner_up(&mut self, now: Instant) {
        self.heals = false;
        if self.mode == Mode::Waiting {
            self.mode = Mode::Steady;
        }
        if self.mode == Mode::Steady {
            self.begin_kept(now);
        }
    }

    /// All children go down and end.
    pub fn stop(&mut self, now: Instant) {
        if matches!(self.mode, Mode::Down { next: Next::End, .. }) {
            return;
        }
        self.ends_with = None;
        for id in 0..self.members.len() as Id {
            if let Some(member) = self.members[id as usize].as_mut().filter(|member| member.at != At::Ended) {
                member.ending.get_or_insert(Ended::Stopped);
            }
        }
        self.go_down(0, Next::End, now);
    }

    // ----- decisions

    /// Restart, with the budget asked (or, after a parent's Resume, only charged).
    fn restart(&mut self, id: Id, instance: bool, failure: &Failure, facts: Facts, ask: bool) {
        let group = self.is_group();
        let first = self.first_spawn(id);
        // Its own failure ends a Temporary alone, uncharged (S17); at boot that is a failed start (S21).
        if self.member(id).is_temporary() {
            return self.stop_for(id, Ended::by(failure), failure, facts.now);
        }
        let per_group = group && !first;
        let allowance = if per_group { self.group_allowance() } else { self.allowance_of(id) };
        let counted = allowance.max.is_some();
        let budget = match per_group {
            true => &mut self.budget,
            false if counted => self.member(id).budget.get_or_insert_default(),
            false => &mut Budget::default(),
        };
        if ask && !budget.allows(&allowance, facts.now) {
            self.acts.push(Act::LimitReached(id));
            let limit = failure.clone().at_limit();
            return match allowance.on_limit {
                OnLimit::Escalate => self.fail(id, limit, facts.now),
                OnLimit::Stop => self.stop_for(id, Ended::Limit(limit.clone()), &limit, facts.now),
            };
        }
        budget.charge(&allowance, facts.now);
        let member = self.member(id);
        let over = Over {
            handled: facts.handled && member.settings.role == Role::Actor,
            never_at_once: !instance || member.settings.role == Role::Task,
        };
        let backoff = member.settings.backoff;
        let delay = member.pace.next(backoff.as_ref(), over, facts.random, facts.now);
        self.acts.push(Act::Scheduled(id, delay));
        if !per_group {
            return self.restart_alone(id, instance, delay, failure, facts.now);
        }
        let lo = self.range(id);
        let lo = match self.mode {
            Mode::Down { lo: before, .. } => before.min(lo),
            _ => {
                self.cause = Some(failure.clone());
                lo
            }
        };
        self.mode = Mode::Down { lo, next: Next::Up };
        self.wait_for(id, delay);
        if !instance && self.member(id).at == At::StartFailed {
            self.member(id).at = At::Turn;
        }
        self.go_down(lo, Next::Up, facts.now);
    }

    /// OneForOne: the child is its own range; the wait is its own.
    fn restart_alone(&mut self, id: Id, instance: bool, delay: Duration, failure: &Failure, now: Instant) {
        let member = self.member(id);
        member.solo = true;
        member.delay = delay;
        if instance {
            self.send_down(id, failure.clone(), now);
        } else {
            member.at = At::Turn;
            self.wait_or_start(id, now);
            self.settle(now); // boot goes on behind a declared backoff
        }
    }

    /// Stop, also at a limit that stops (S18). `why` is the failed child's own end.
    fn stop_for(&mut self, id: Id, why: Ended, failure: &Failure, now: Instant) {
        if !self.booted {
            return self.fail(id, failure.clone(), now); // boot is all or nothing (S21)
        }
        let alone = !self.is_group() || self.member(id).is_temporary() || self.first_spawn(id);
        self.first_failure.get_or_insert_with(|| failure.clone());
        let instance = self.at(id) == At::Failed;
        self.member(id).ending = Some(why.clone());
        if alone {
            if instance {
                self.send_end(id, why, now);
            } else {
                self.over(id, why, now);
            }
            return self.settle(now);
        }
        let lo = self.range(id);
        if lo == 0 && self.strategy == Strategy::AllForOne {
            if self.owner == Owner::Tree {
                self.ends_with = Some(why);
            }
            for member in self.members.iter_mut().flatten().filter(|member| member.at != At::Ended) {
                member.ending.get_or_insert(Ended::Stopped);
            }
        } else {
            for other in self.ids_in_order().split_off(lo) {
                let member = self.member(other);
                if member.at != At::Ended {
                    member.ending.get_or_insert(Ended::Stopped);
                }
            }
        }
        let lo = match self.mode {
            Mode::Down { lo: before, .. } => before.min(lo),
            _ => lo,
        };
        self.cause = Some(failure.clone());
        self.go_down(lo, Next::Up, now);
    }

    /// Escalate, the limit, or a decider that panicked: the supervisor fails (S19).
    fn fail(&mut self, id: Id, failure: Failure, now: Instant) {
        let first = self.first_spawn(id);
        let back = Box::new(std::mem::replace(&mut self.mode, Mode::Steady));
        self.mode = Mode::Failed { back, by: (!first).then_some(id) };
        if first {
            // The spawn gets its error and the child ends; the parent's Resume goes on without it (S27).
            self.over(id, Ended::by(&failure), now);
        }
        self.acts.push(Act::OwnerFails(failure));
    }

    /// A first start at run time concerns no sibling (S38).
    fn first_spawn(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.dynamic && !member.was_up)
    }

    /// The first position that a failure of this child takes along.
    fn range(&self, id: Id) -> usize {
        match self.strategy {
            Strategy::AllForOne => 0,
            Strategy::OneForOne | Strategy::RestForOne => self.position(id),
        }
    }

    fn wait_for(&mut self, id: Id, delay: Duration) {
        // One wait for all that failed: the longest (S17).
        if delay > Duration::ZERO && (self.wait.is_none() || delay > self.waited) {
            self.wait = Some(id);
            self.waited = delay;
        }
    }

    // ----- moves

    fn go_down(&mut self, lo: usize, next: Next, now: Instant) {
        self.mode = Mode::Down { lo, next };
        self.plan = self.ids_in_order();
        self.cursor = self.plan.len();
        if next != Next::Up {
            self.wait = None;
            self.waited = Duration::ZERO;
        }
        self.settle(now);
    }

    fn send_down(&mut self, id: Id, failure: Failure, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.acts.push(Act::Down(id, failure));
    }

    fn send_end(&mut self, id: Id, why: Ended, now: Instant) {
        let member = self.member(id);
        member.at = At::Down;
        member.down_since = Some(now);
        self.acts.push(Act::End(id, why));
    }

    fn start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        member.at = At::Starting;
        member.solo = false;
        member.due = false;
        if member.was_up {
            member.pace.started_again(now);
        }
        self.acts.push(Act::Start(id));
    }

    fn wait_or_start(&mut self, id: Id, now: Instant) {
        let member = self.member(id);
        let delay = std::mem::take(&mut member.delay);
        if delay > Duration::ZERO {
            member.at = At::Waiting;
            self.acts.push(Act::Wait(id, delay));
        } else {
            self.begin_or_keep(id, now);
        }
    }

    /// Starts a child that waited for itself, or keeps it while something holds it.
    fn begin_or_keep(&mut self, id: Id, now: Instant) {
        if self.is_kept_from(id) {
            let member = self.member(id);
            member.at = At::Waiting;
            member.due = true;
        } else if self.member(id).ending.is_none() {
            self.start(id, now);
        }
    }

    /// It must not start now, whatever its own wait says.
    fn is_kept_from(&self, id: Id) -> bool {
        match self.mode {
            Mode::Down { lo, .. } => self.held || self.position(id) >= lo,
            Mode::Ended => true,
            _ => self.keeps(id),
        }
    }

    /// What happens to it has to wait: for an ancestor, the parent, or the supervisor's own new start.
    fn keeps(&self, id: Id) -> bool {
        let heals = self.heals && self.is_kept(id);
        self.held || heals || matches!(self.mode, Mode::Failed { .. } | Mode::Waiting)
    }

    /// The child has ended.
    fn over(&mut self, id: Id, why: Ended, now: Instant) {
        let stopping = self.is_stopping();
        let member = self.member(id);
        if member.at == At::Ended {
            return;
        }
        if member.is_value() {
            member.at = At::Ended;
            return self.settle(now);
        }
        let counted = std::mem::take(&mut member.counted);
        member.at = At::Ended;
        member.down_since = None;
        if self.wait == Some(id) {
            (self.wait, self.waited) = (None, Duration::ZERO); // its timer is not kept any more
        }
        let member = self.member(id);
        if member.dynamic {
            self.members[id as usize] = None;
            self.free.push(id);
            self.forget(id);
        } else {
            member.ending.get_or_insert(why.clone());
        }
        self.living -= 1;
        if counted {
            self.in_flight -= 1;
        }
        if let (false, Ended::Failed(failure) | Ended::Limit(failure)) = (stopping, &why) {
            self.first_failure.get_or_insert_with(|| failure.clone());
        }
        self.acts.push(Act::Over(id, why));
        self.settle(now);
    }

    /// Those behind it move up one place, in the walk and in the range alike.
    fn forget(&mut self, id: Id) {
        if self.owner == Owner::Set {
            return; // all at once: there is no order to keep
        }
        let mode = match &mut self.mode {
            Mode::Failed { back, .. } => &mut **back,
            mode => mode,
        };
        if !matches!(mode, Mode::Up | Mode::Down { .. }) {
            return;
        }
        if let Some(place) = self.plan.iter().position(|other| *other == id) {
            self.plan.remove(place);
            self.cursor -= usize::from(place < self.cursor);
            if let Mode::Down { lo, .. } = mode {
                *lo -= usize::from(place < *lo);
            }
        }
    }

    fn tell_held(&mut self, held: bool) {
        for id in 0..self.members.len() as Id {
            if self.get(id).is_some_and(|member| !member.is_value() && member.at != At::Ended) {
                self.acts.push(Act::Hold(id, held));
            }
        }
    }

    /// What was kept while the supervisor was held or failed begins now.
    fn begin_kept(&mut self, now: Instant) {
        if self.held || matches!(self.mode, Mode::Failed { .. }) {
            return;
        }
        for id in 0..self.members.len() as Id {
            let Some(member) = self.get(id) else { continue };
            match member.at {
                At::Failed | At::StartFailed => self.acts.push(Act::Redecide(id)),
                At::Waiting if member.due && !self.is_kept_from(id) => self.start(id, now),
                At::Turn if self.mode == Mode::Steady && member.wants_start() => self.start(id, now),
                // Stopped while it waited for its turn.
                At::Turn if self.mode == Mode::Steady && member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    self.over(id, why, now);
                }
                _ => {}
            }
        }
        self.settle(now);
    }

    /// Makes every move that follows without a further event.
    fn settle(&mut self, now: Instant) {
        match self.mode {
            Mode::Down { lo, next } => self.walk_down(lo, next, now),
            Mode::Up => self.walk_up(now),
            Mode::Steady => self.check_all_ended(),
            Mode::Waiting | Mode::Failed { .. } | Mode::Ended => {}
        }
    }

    /// Reverse order, one at a time; a set all at once.
    fn walk_down(&mut self, lo: usize, next: Next, now: Instant) {
        while self.cursor > lo && (self.in_flight == 0 || self.owner == Owner::Set) {
            self.cursor -= 1;
            let id = self.plan[self.cursor];
            let Some(member) = self.members[id as usize].as_mut() else { continue };
            let ends = member.ending.is_some() || next == Next::Up && member.is_temporary();
            if member.kept && next == Next::Rebuild {
                continue;
            }
            match member.at {
                At::Up if member.is_value() => {
                    if next != Next::Up {
                        member.at = At::Down;
                        member.counted = true;
                        self.in_flight += 1;
                        self.acts.push(Act::DropValue(id));
                    }
                }
                At::Up | At::Failed | At::Starting => {
                    member.counted = true;
                    member.solo = false;
                    member.delay = Duration::ZERO;
                    self.in_flight += 1;
                    if ends {
                        let why = member.ending.get_or_insert(Ended::Stopped).clone();
                        self.send_end(id, why, now);
                    } else {
                        let failure = self.cause.clone().expect("a range that restarts has its failure");
                        self.send_down(id, failure, now);
                    }
                }
                At::Down => {
                    if !member.counted {
                        member.counted = true;
                        member.solo = false;
                        member.delay = Duration::ZERO;
                        self.in_flight += 1;
                        // It was going down alone; if everything stops now, it has to know.
                        if let (true, Some(why)) = (next == Next::End, member.ending.clone()) {
                            self.acts.push(Act::End(id, why));
                        }
                    }
                }
                At::Turn | At::StartFailed | At::Waiting => {
                    // A Temporary that awaits its turn was not up: it still has that turn.
                    let ends = member.ending.is_some() || ends && member.at == At::StartFailed;
                    member.at = At::Turn;
                    member.due = false;
                    if ends {
                        let why = member.ending.clone().unwrap_or(Ended::Stopped);
                        self.over(id, why, now);
                        return;
                    }
                }
                At::Ended => {}
            }
        }
        if self.cursor > lo || self.in_flight > 0 {
            return;
        }
        match next {
            Next::Up if self.ends_with.is_some() => {
                self.mode = Mode::Ended;
                self.acts.push(Act::AllEnded(self.first_failure.clone()));
            }
            Next::Up => {
                self.mode = Mode::Up;
                self.cursor = 0;
                if let Some(id) = self.wait {
                    self.acts.push(Act::Wait(id, self.waited));
                }
                self.settle(now);
            }
            Next::Rebuild => {
                self.mode = Mode::Waiting;
                self.acts.push(Act::ChildrenDown);
            }
            Next::End => {
                self.mode = Mode::Ended;
                self.acts.push(Act::ChildrenDown);
            }
        }
    }

    /// In order, one at a time. At boot it follows build; OneForOne goes on behind a declared backoff.
    fn walk_up(&mut self, now: Instant) {
        if self.is_group() {
            self.cursor = 0; // one that the walk has passed may have failed meanwhile
        }
        loop {
            if self.held || self.wait.is_some() {
                return;
            }
            let Some(id) = self.plan.get(self.cursor).copied() else { break };
            let Some(member) = self.get(id) else {
                self.cursor += 1;
                continue;
            };
            match member.at {
                At::Up | At::Failed | At::Ended => self.cursor += 1,
                At::Turn if !member.reached => return,
                At::Turn if member.ending.is_some() => {
                    let why = member.ending.clone().unwrap_or(Ended::Stopped);
                    return self.over(id, why, now);
                }
                At::Turn => return self.start(id, now),
                At::Waiting if !self.is_group() && member.settings.backoff.is_some() && !self.holds_up(id) => {
                    self.member(id).passed = true;
                    self.cursor += 1;
                }
                // Under OneForOne an earlier member on its own way does not hold up the rest.
                At::Down if !self.is_group() => self.cursor += 1,
                At::Starting | At::StartFailed | At::Down | At::Waiting => return,
            }
        }
        if self.built {
            self.booted = true;
            self.mode = Mode::Steady;
            self.begin_kept(now);
        }
    }

    /// A subtree's handle exists only once it is up, so build has to wait for it (S21).
    fn holds_up(&self, id: Id) -> bool {
        self.get(id).is_some_and(|member| member.settings.role == Role::Tree)
    }

    fn check_all_ended(&mut self) {
        let values = self.members.iter().flatten().any(|member| !member.is_value());
        if self.owner == Owner::Tree && self.built && values && self.living == 0 {
            self.mode = Mode::Ended;
            self.acts.push(Act::AllEnded(self.first_failure.clone()));
        }
    }
}
