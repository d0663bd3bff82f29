//! A supervisor with simulated children. The simulation carries out the effects of its [`Group`], and checks each one
//! against its own knowledge: which children are up, were stopped, or are suspended.

pub(super) mod child;
mod failures;
mod history;
mod invariants;
mod predictions;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use self::child::{Mail, SimChild, Token};
use crate::decide::child::machine::{Effect, Order, Step};
use crate::decide::child::{OwnOrder, State};
use crate::decide::group::{FailureInfo, Group, GroupEffect, GroupState, Id, Owner};
use crate::decide::member::Settings;
use crate::decide::tests::port::Known;
use crate::values::backoff::Backoff;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::invalid_settings::SupervisorLimits;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{BudgetScope, Lifecycle, MaxRestarts, OnLimit, RestartLimit, ShutdownOrder, Strategy};

/// The steps of hooks, which an actor need not declare.
pub(in crate::decide::tests) const HOOKS: [Step; 4] =
    [Step::PreStart, Step::PostRestart, Step::PreRestart, Step::PostStop];

pub(in crate::decide::tests) const WITHIN: Duration = Duration::from_millis(400);

#[derive(Debug, Clone)]
pub(in crate::decide::tests) struct Plan {
    pub(in crate::decide::tests) owner: Owner,
    pub(in crate::decide::tests) strategy: Strategy,
    /// `None` as the kind: a kept value.
    pub(in crate::decide::tests) members: Vec<(Option<ChildKind>, Lifecycle, bool)>,
    pub(in crate::decide::tests) max: u32,
    pub(in crate::decide::tests) on_limit: OnLimit,
    /// Whether the first start goes on without the members that it can go on without (S21).
    pub(in crate::decide::tests) best_effort: bool,
    /// Whether all members have one budget under `OneForOne`, too.
    pub(in crate::decide::tests) shared: bool,
    /// Whether the supervisor ends when a member ends and is not restarted (S22).
    pub(in crate::decide::tests) significant: bool,
    /// Whether the members of a tree go down at the same time (S44).
    pub(in crate::decide::tests) together: bool,
    /// The number of instances of a set that may start at the same time (S27).
    pub(in crate::decide::tests) max_starting: Option<usize>,
    /// Whether there are deciders.
    pub(in crate::decide::tests) deciders: bool,
    /// The hooks that the actors do not declare.
    pub(in crate::decide::tests) no_hooks: Vec<Step>,
}

impl Plan {
    pub(in crate::decide::tests) fn is_group(&self) -> bool {
        self.strategy != Strategy::OneForOne
    }

    /// Whether a child of this shape is declared with `best_effort`.
    pub(in crate::decide::tests) fn best_effort(&self, kind: Option<ChildKind>, lifecycle: Lifecycle) -> bool {
        let ends_the_tree = self.significant && lifecycle == Lifecycle::Temporary;
        self.best_effort && matches!(kind, Some(ChildKind::Actor | ChildKind::Task)) && !ends_the_tree
    }

    pub(in crate::decide::tests) fn shares_budget(&self) -> bool {
        self.shared || self.is_group()
    }

    fn child(&self, (kind, lifecycle, backoff): (ChildKind, Lifecycle, bool), dynamic: bool) -> SimChild {
        let mut child = SimChild::new(kind, lifecycle, dynamic);
        child.empty = match kind {
            ChildKind::Actor => [&*self.no_hooks, &[Step::Ready, Step::Settle, Step::Drop]].concat(),
            ChildKind::Task => HOOKS.to_vec(),
            ChildKind::Tree | ChildKind::Set => [&HOOKS[..], &[Step::Ready, Step::Settle, Step::Drop]].concat(),
        };
        child.asks_nobody = !self.deciders && !backoff && lifecycle != Lifecycle::Temporary;
        child
    }

    fn group(&self) -> Group {
        let mut group = Group::new(self.owner, self.strategy, self.limit());
        let budget = if self.shared { BudgetScope::Shared } else { BudgetScope::PerChild };
        group.configure(SupervisorLimits { strategy: self.strategy, limit: self.limit(), budget });
        if self.together {
            group.set_shutdown_order(ShutdownOrder::Together);
        }
        group.set_max_starting(self.max_starting);
        group
    }

    pub(in crate::decide::tests) fn limit(&self) -> RestartLimit {
        RestartLimit::new().max_restarts(MaxRestarts::AtMost(self.max)).within(WITHIN).on_limit(self.on_limit)
    }

    fn settings(&self, (kind, lifecycle, backoff): (Option<ChildKind>, Lifecycle, bool)) -> Arc<Settings> {
        let pause = Backoff::exponential(Duration::from_millis(20)..Duration::from_millis(60));
        let backoff = backoff.then_some(pause);
        let of_a_child = Settings::new(kind.unwrap_or(ChildKind::Actor), lifecycle, backoff, RestartLimit::new());
        let mut settings = Settings { kind, ..of_a_child };
        settings.significant = self.significant && lifecycle != Lifecycle::Permanent;
        settings.drain = drains(kind, lifecycle);
        settings.best_effort = self.best_effort(kind, lifecycle);
        Arc::new(settings)
    }
}

/// Whether a child of this shape is declared with `drain`.
fn drains(kind: Option<ChildKind>, lifecycle: Lifecycle) -> bool {
    kind == Some(ChildKind::Actor) && lifecycle == Lifecycle::Transient
}

/// The state of the supervisor itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::decide::tests) enum Stand {
    /// The build waits for the member at this place.
    Building(usize),
    Up,
    /// The parent's decision is due.
    Failed,
    TakingDown {
        again: bool,
    },
    /// Waits for its next start.
    Down,
    Ended,
}

#[derive(Debug)]
pub(in crate::decide::tests) struct Sim {
    pub(in crate::decide::tests) plan: Plan,
    pub(in crate::decide::tests) group: Group,
    pub(in crate::decide::tests) children: Vec<Option<SimChild>>,
    pub(in crate::decide::tests) now: Instant,
    pub(in crate::decide::tests) stand: Stand,
    pub(in crate::decide::tests) suspended: bool,
    /// The failure above was decided: all children go down, and serve until then.
    pub(in crate::decide::tests) decided: bool,
    pub(in crate::decide::tests) was_up: bool,
    /// Whether the first start of this incarnation is over: all members were up.
    pub(in crate::decide::tests) all_were_up: bool,
    pub(in crate::decide::tests) owner_fails: bool,
    pub(in crate::decide::tests) all_ended: bool,
    pub(in crate::decide::tests) children_down: bool,
    /// The restarts that counted against a budget: that of the group (`None`) or of one child.
    pub(in crate::decide::tests) charges: Vec<(Option<Id>, Instant)>,
    /// The place in the order from which a group restart takes its range down and up.
    pub(in crate::decide::tests) range: Option<u64>,
    /// Whether a parent's Resume counts against the budget without a check.
    pub(in crate::decide::tests) unasked: bool,
    /// The child in whose task an event occurs now, with the place for the child's own order.
    pub(in crate::decide::tests) own: Option<(Id, OwnOrder)>,
    /// Whether a watchdog knows that a child goes down.
    pub(in crate::decide::tests) watched: bool,
}

pub(in crate::decide::tests) fn failure(phase: Phase) -> Failure {
    Failure::new(phase, Cause::Panic("test".into()), "child", 1)
}

impl Sim {
    pub(in crate::decide::tests) fn new(plan: Plan) -> Self {
        let mut sim = Sim {
            group: plan.group(),
            children: Vec::new(),
            now: Instant::now(),
            stand: if plan.owner == Owner::Tree { Stand::Building(0) } else { Stand::Up },
            suspended: false,
            decided: false,
            was_up: false,
            all_were_up: plan.owner != Owner::Tree,
            owner_fails: false,
            all_ended: false,
            children_down: false,
            charges: Vec::new(),
            range: None,
            unasked: false,
            own: None,
            watched: false,
            plan,
        };
        match sim.plan.owner {
            Owner::Tree => sim.declare(0),
            Owner::Set | Owner::Actor | Owner::Guardian => {
                sim.come_up();
                for place in 0..sim.plan.members.len() {
                    sim.spawn(place);
                }
            }
        }
        sim
    }

    pub(in crate::decide::tests) fn facts(&self, id: Id) -> FailureInfo {
        FailureInfo {
            handled: self.children[id as usize].as_ref().is_some_and(|child| child.handled),
            random: 0,
            now: self.now,
        }
    }

    pub(in crate::decide::tests) fn child(&mut self, id: Id) -> &mut SimChild {
        self.children[id as usize].as_mut().expect("the group names living children")
    }

    pub(in crate::decide::tests) fn has(&self, id: Id) -> bool {
        self.children.get(id as usize).is_some_and(Option::is_some)
    }

    pub(in crate::decide::tests) fn ids(&self) -> Vec<Id> {
        (0..self.children.len() as Id).filter(|id| self.has(*id)).collect()
    }

    // ----- the supervisor

    fn declare(&mut self, place: usize) {
        let shape = self.plan.members[place];
        let settings = self.plan.settings(shape);
        if place == self.children.len() {
            let id = self.group.add(settings.clone(), false);
            assert_eq!(id as usize, place, "a declared member keeps its place");
            let child = shape.0.map(|kind| self.plan.child((kind, shape.1, shape.2), false));
            self.children.push(child);
        }
        self.group.reach(place as Id, settings, self.now);
        self.carry_out();
    }

    pub(in crate::decide::tests) fn spawn(&mut self, shape: usize) -> bool {
        if self.group.is_ended() || self.group.is_stopping() || self.group.living() > 5 {
            return false;
        }
        let shape = self.plan.members[shape];
        let id = self.group.add(self.plan.settings(shape), true);
        let kind = shape.0.expect("spawned, and so not a value");
        let child = self.plan.child((kind, shape.1, shape.2), true);
        if id as usize == self.children.len() {
            self.children.push(Some(child));
        } else {
            assert!(!self.has(id), "the slot of a living child is used again");
            self.children[id as usize] = Some(child);
        }
        self.charges.retain(|(of, _)| *of != Some(id));
        self.group.admit(id, self.now);
        self.carry_out();
        true
    }

    fn use_up(&mut self, id: Id) {
        if let Some(pending) = &mut self.child(id).pending {
            pending.token = Token::Used;
        }
    }

    fn come_up(&mut self) {
        self.stand = Stand::Up;
        let again = std::mem::replace(&mut self.was_up, true);
        match again && self.plan.owner == Owner::Actor {
            true => {
                for id in self.ids().into_iter().filter(|id| self.group.is_kept(*id)).collect::<Vec<_>>() {
                    self.use_up(id);
                }
                self.group.restart_kept(&failure(Phase::Running), self.now);
            }
            false => self.group.owner_up(self.now),
        }
        self.carry_out();
    }

    /// One step of the supervisor's own task.
    pub(in crate::decide::tests) fn owner_step(&mut self) {
        match self.stand {
            Stand::Building(_) if std::mem::take(&mut self.owner_fails) => self.take_down(self.was_up),
            Stand::Building(place) if place == self.plan.members.len() => {
                self.group.built(self.now);
                self.come_up();
            }
            Stand::Building(place) if self.group.has_passed(place as Id) => {
                self.stand = Stand::Building(place + 1);
                if place + 1 < self.plan.members.len() {
                    self.declare(place + 1);
                }
            }
            Stand::Building(_) => {}
            Stand::Up if std::mem::take(&mut self.owner_fails) => {
                self.stand = Stand::Failed;
                self.suspend();
            }
            Stand::Up if std::mem::take(&mut self.all_ended) => self.take_down(false),
            Stand::TakingDown { again } if std::mem::take(&mut self.children_down) => {
                self.stand = if again { Stand::Down } else { Stand::Ended };
            }
            Stand::Down => self.start_again(),
            Stand::Up | Stand::Failed | Stand::TakingDown { .. } | Stand::Ended => {}
        }
    }

    /// A `let` fails, which is handled as a failed start of the supervisor.
    pub(in crate::decide::tests) fn build_fails(&mut self) {
        self.take_down(self.was_up);
    }

    /// The supervisor's parent has started it again.
    pub(in crate::decide::tests) fn start_again(&mut self) {
        if !matches!(self.stand, Stand::Down | Stand::Ended) {
            return;
        }
        self.group.rebuild(false);
        self.all_were_up = self.plan.owner != Owner::Tree;
        (self.suspended, self.decided) = (false, false);
        (self.owner_fails, self.all_ended) = (false, false);
        self.charges.clear();
        for id in self.ids() {
            self.may_start_again(id, true);
            let child = self.child(id);
            (child.finished, child.quit, child.streak) = (false, false, 0);
            child.alone &= child.dynamic;
            // A stop before the handle was there was about that start alone.
            child.stopped &= child.has_handle || !child.kind.only_supervises();
        }
        self.carry_out();
        match self.plan.owner {
            Owner::Tree => {
                self.stand = Stand::Building(0);
                self.declare(0);
            }
            Owner::Actor | Owner::Set | Owner::Guardian => self.come_up(),
        }
    }

    /// A restart from above (`again`), or a stop.
    pub(in crate::decide::tests) fn take_down(&mut self, again: bool) {
        if matches!(self.stand, Stand::Ended | Stand::Down)
            || (again && self.stand == (Stand::TakingDown { again: false }))
        {
            return;
        }
        self.children_down = false;
        if again {
            (self.suspended, self.decided) = (false, false);
            for id in self.ids() {
                self.joins(id);
            }
            self.group.restart_from_above(&failure(Phase::Running), StopReason::FailedAbove, self.now);
        } else {
            self.group.stop(StopReason::Shutdown, self.now);
        }
        (self.owner_fails, self.all_ended) = (false, false);
        for id in self.ids() {
            // The child goes down with the range, which uses up its failure.
            if !again || !self.group.is_kept(id) {
                self.use_up(id);
            }
        }
        self.stand = Stand::TakingDown { again };
        self.carry_out();
    }

    pub(in crate::decide::tests) fn suspend(&mut self) {
        (self.suspended, self.decided) = (true, false); // of a decided one: a child that was kept
        self.group.suspend();
        self.carry_out();
    }

    /// The failure above leaves nothing to resume.
    pub(in crate::decide::tests) fn decide_above(&mut self) {
        let waits = self.suspended && matches!(self.stand, Stand::Up | Stand::Building(_) | Stand::Failed);
        if waits && !self.decided {
            self.decided = true;
            self.group.serve();
            self.carry_out();
        }
    }

    pub(in crate::decide::tests) fn absorb_spawns(&mut self) {
        self.group.absorb_spawns(StopReason::Shutdown, self.now);
        self.carry_out();
    }

    pub(in crate::decide::tests) fn end_suspension(&mut self) {
        if self.decided && matches!(self.stand, Stand::Up | Stand::Building(_) | Stand::Failed) {
            self.take_down(self.was_up);
        } else if self.stand != Stand::Failed {
            (self.suspended, self.decided) = (false, false);
            self.group.end_suspension(self.now);
            self.carry_out();
        }
    }

    pub(in crate::decide::tests) fn resume(&mut self) {
        if self.stand == Stand::Failed && self.decided {
            self.take_down(self.was_up);
        } else if self.stand == Stand::Failed {
            self.stand = Stand::Up;
            self.all_were_up = true; // only a supervisor that is up is resumed
            self.suspended = false;
            for child in self.children.iter_mut().flatten() {
                if let Some(pending) = child.pending.as_mut().filter(|pending| pending.token == Token::Escalated) {
                    pending.token = Token::Used;
                }
            }
            self.unasked = true;
            let facts = FailureInfo { handled: false, random: 0, now: self.now };
            self.group.resume(&failure(Phase::Running), facts, false);
            self.carry_out();
            self.unasked = false;
        }
    }

    // ----- effects

    pub(in crate::decide::tests) fn in_range(&self, id: Id) -> bool {
        matches!(self.group.mode(), GroupState::Down { from, .. } if self.place(id) >= *from)
    }

    /// The child's place in the order.
    pub(in crate::decide::tests) fn place(&self, id: Id) -> u64 {
        assert!(!self.group.is_free(id), "a living child has a place");
        self.group.order(id)
    }

    pub(in crate::decide::tests) fn earlier(&self, id: Id) -> Vec<Id> {
        self.group.ids_in_order().into_iter().take_while(|other| *other != id).collect()
    }

    pub(in crate::decide::tests) fn later(&self, id: Id) -> Vec<Id> {
        self.group.ids_in_order().into_iter().skip_while(|other| *other != id).skip(1).collect()
    }

    pub(in crate::decide::tests) fn carry_out(&mut self) {
        let effects = self.take_effects();
        self.carry_out_all(effects);
    }

    /// Takes the consequences of an event, as the table of children does: usually only an order to the child whose event
    /// it is.
    pub(in crate::decide::tests) fn take_effects(&mut self) -> Vec<GroupEffect> {
        if let Some((id, _)) = self.own
            && self.group.concerns_only(id)
            && let Some((scheduled, order)) = self.group.take_order(self.watched)
        {
            assert!(!self.group.has_effects(), "something is left that concerns others");
            let scheduled = scheduled.map(|delay| GroupEffect::Scheduled(id, delay));
            return scheduled.into_iter().chain([GroupEffect::Tell(id, order)]).collect();
        }
        self.group.take_effects()
    }

    pub(in crate::decide::tests) fn carry_out_all(&mut self, effects: Vec<GroupEffect>) {
        for effect in effects {
            match effect {
                GroupEffect::Tell(id, order) => {
                    self.watched |= matches!(order, Order::Down(..) | Order::End(..) | Order::Drain);
                    self.ordered(id, order);
                }
                GroupEffect::DropValue(id) => {
                    let others = if self.plan.together { self.ids() } else { self.later(id) };
                    let up = others.into_iter().find(|other| self.has(*other) && self.is_up(*other));
                    assert_eq!(up, None, "a value is dropped while a member that may use it is up");
                    let own = self.own.take(); // the value is dropped in the supervisor's task
                    self.group.gone(id, self.now);
                    self.carry_out();
                    self.own = own;
                    return;
                }
                GroupEffect::TellOwner(Order::Escalated(_)) => self.owner_fails = true,
                GroupEffect::TellOwner(Order::ChildrenDown) => {
                    let kept = |id: &Id| self.group.is_kept(*id);
                    let up = self.ids().into_iter().find(|id| !kept(id) && self.is_up(*id));
                    assert_eq!(up, None, "said to be down, and one is up");
                    self.children_down = true;
                }
                GroupEffect::TellOwner(Order::ChildrenEnding) => {
                    assert!(self.plan.owner == Owner::Tree && self.group.ends_by_itself(), "the tree goes on");
                }
                GroupEffect::TellOwner(Order::ChildrenEnded(_)) => {
                    assert!(self.ids().iter().all(|id| !self.is_up(*id)), "all have ended, and one is up");
                    self.all_ended = true;
                }
                GroupEffect::Scheduled(id, _) => {
                    self.check_budget(id);
                    self.restarts(id);
                }
                GroupEffect::LimitReached(id, _) => self.check_limit(id),
                GroupEffect::TellOwner(order) => panic!("not for a supervisor: {order:?}"),
            }
        }
        self.all_were_up |= *self.group.mode() == GroupState::Steady;
        self.check_range();
        self.check_together();
        self.check_places();
    }

    fn ordered(&mut self, id: Id, order: Order) {
        match &order {
            Order::Start => return self.check_start(id),
            Order::Down(..) | Order::End(..) => self.check_down(id),
            Order::Drain => self.child(id).stopped = true,
            Order::Resume => {
                assert!(self.child(id).state() == State::Failed, "resumed without an instance that failed");
                assert!(!self.child(id).spent, "resumed, and its instance is lost");
            }
            Order::Over(_) => {
                assert!(self.child(id).is_parked(), "ended while it is {:?}", self.child(id).state());
                if self.group.is_free(id) {
                    return self.leaves(id, order);
                }
                self.child(id).alone = false;
            }
            Order::Suspend(_) | Order::Serve if !self.has(id) => return,
            _ => {}
        }
        self.tell(id, order);
    }

    pub(in crate::decide::tests) fn tell(&mut self, id: Id, order: Order) {
        let waits = !self.child(id).inbox.is_empty();
        let queued = match &self.own {
            Some((of, own)) if *of == id => own.put(order, || waits),
            _ => Some(order),
        };
        assert!(queued.is_some() || !waits, "an order overtakes those that wait");
        self.child(id).inbox.extend(queued.map(Mail::Order));
    }

    /// The child is no longer in the table: it ends without another event of its group.
    fn leaves(&mut self, id: Id, over: Order) {
        let mut child = self.children[id as usize].take().expect("a living child");
        let mut known = Known { place: false, told: false, ..Known::new(self.now) };
        let own = self.own.as_ref().filter(|(of, _)| *of == id).and_then(|(_, own)| own.take());
        let queued = child.inbox.into_iter().filter_map(|mail| match mail {
            Mail::Order(order) => Some(order),
            Mail::Stop | Mail::Kill => None, // a request finds no group that would agree
        });
        for order in own.into_iter().chain(queued).chain([over]) {
            child.machine.order(order, &mut known);
        }
        assert_eq!(child.machine.next(&mut known), Step::Exit, "a child that is forgotten goes on");
        let ends = known.effects.iter().filter(|effect| matches!(effect, Effect::Ended { .. })).count();
        assert_eq!(ends, 1, "a child that is forgotten ends once");
    }

    /// An instance that can still fail.
    pub(in crate::decide::tests) fn serves(&self, id: Id) -> bool {
        self.children[id as usize].as_ref().is_some_and(SimChild::serves)
    }

    pub(in crate::decide::tests) fn is_up(&self, id: Id) -> bool {
        self.children[id as usize].as_ref().is_some_and(|child| !child.is_parked())
    }
}
