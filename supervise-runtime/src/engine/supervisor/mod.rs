//! A supervisor: its group and its table of children, under one short lock.
//!
//! There is no supervisor task between a child and its restart. The task or thread that causes an event takes the lock,
//! passes the event to the [`Group`], and queues the resulting orders at the cells concerned before it releases the
//! lock; a child that has caused the event itself gets its order back instead. So orders arrive in the order in which
//! they were decided. Consequences that may run foreign code are collected in [`AfterLock`] meanwhile, and carried out
//! once the lock is free: waking tasks, raising events, dropping entries of the table. Under this lock, no lock is taken
//! except that of a cell's queue, life or mailbox (`sync.rs`).

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::ptr::addr_eq;
use std::sync::Arc as StdArc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::engine::cell::control::{AnyCell, SystemMessage, queue, ring, send};
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::DeferDrops;
use supervise_core::base::sync::atomic::Ordering;
use supervise_core::base::sync::{Arc, Mutex, MutexGuard, OnceLock, Rank, foreign, lock};
use supervise_core::decide::child::machine::Order;
use supervise_core::decide::child::{Command, CommandOutcome};
use supervise_core::decide::group::{FailureInfo, Group, GroupEffect, Id, Moving, Owner, is_roomy};
use supervise_core::decide::member::{MemberState, Settings};
use supervise_core::values::decider::{Decider, SupervisorStrategy};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::{Cause, Failure, Phase};
use supervise_core::values::invalid_settings::SupervisorLimits;
use supervise_core::values::path::escaped;
use supervise_core::values::place::Place;
use supervise_core::values::stop_reason::StopReason;
use supervise_core::values::strategy::ShutdownOrder;

mod after_lock;
mod each;
mod failed_ends;
mod view;
mod watchdog;

pub(crate) use after_lock::{AfterLock, OwnEvent};
use after_lock::{By, GroupEvent};
use each::Each;
pub(crate) use each::TellEach;
pub use failed_ends::FailedEnd;
use failed_ends::FailedEnds;
pub use view::ChildView;
use watchdog::Stuck;

/// A kept value: a parameter or a `let` (S30).
pub(crate) trait Value: Send + Sync {
    fn clear(&self);
    /// Upcast for downcasting.
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

type Recipe = Arc<dyn Any + Send + Sync>;

enum Entry {
    Child { cell: Arc<AnyCell>, cold: Option<Box<ColdState>> },
    Value(Arc<dyn Value>),
}

/// State that an undisturbed child does not need.
#[derive(Default)]
struct ColdState {
    /// The reports of the watchdog about this child.
    stuck: Stuck,
    /// The end of its last backoff.
    until: Option<Instant>,
}

struct Inner {
    group: Group,
    /// The supervisor has a decider.
    has_decider: bool,
    entries: Vec<Option<Entry>>,
    /// The places where the build stores the start expression and the settings of a declared child for the next
    /// incarnation, by the child's slot.
    recipes: Vec<Option<Recipe>>,
    /// The children of an actor, by a hash of the name, with their slots. All others are here once one of many was looked
    /// up by its path.
    names: BTreeSet<(u64, Id)>,
    indexed: Indexed,
    /// The order for a watchdog is on its way to the owner, or its timer runs.
    watched: bool,
    /// The time since when no time is left for any child.
    aborted: Option<Instant>,
    /// The number of children that were notified of their end, and have not yet notified their watchers.
    closing: u32,
    /// The orders that the owner gets once there are no such children: a supervisor ends after its children.
    deferred: Vec<Order>,
    numbers: u64,
    /// The present supervisors of children that were born here and have moved.
    moved: BTreeMap<u64, Arc<AnyCell>>,
    /// The children whose places are held for those that replace them, and whether they have ended.
    held: BTreeMap<u64, bool>,
    /// The instances of a set that have ended by a failure. Most sets have none.
    failed_ends: Option<Box<FailedEnds>>,
    /// The `let` whose value the build of a tree computes.
    at_let: Option<&'static str>,
    /// The time that the children of a tree may take to stop, if it is limited (C12).
    need: Option<Duration>,
    /// The time that a tree has for each of its ends (S44).
    time_to_end: Option<Duration>,
    /// The runtime on which the owner runs, and its children unless they say otherwise (S25).
    runtime: Option<Handle>,
    /// The owner's task is over: nothing is kept here any more.
    finished: bool,
}

/// Whether all children are found by their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Indexed {
    /// Only those of an actor are.
    #[default]
    No,
    /// The new ones are, and the others are being added.
    Begun,
    Yes,
}

/// The children of one cell.
pub struct ChildTable {
    inner: Mutex<Inner>,
    decider: Mutex<Option<Decider>>,
    /// Made by the first watcher of all instances of a set.
    each: OnceLock<Box<Mutex<Each>>>,
    /// The place above the children, made when a failure of a child first needs it.
    pub(crate) place: OnceLock<Arc<Place>>,
    /// The declaration, if these are the children of a tree.
    pub(crate) declaration: OnceLock<&'static TreeSpec>,
    /// The state that an extension keeps for the owner and all below it.
    pub(crate) part: OnceLock<StdArc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for ChildTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildTable").finish_non_exhaustive()
    }
}

/// The room that a child needs which is spawned at run time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Room {
    /// At most this many may live.
    pub(crate) max: Option<usize>,
    /// The child takes the place that was held for it beyond the end of this one.
    pub(crate) instead: Option<u64>,
}

/// Why a child cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Stopping,
    Stopped,
    TooMany,
    Exists,
}

impl ChildTable {
    pub(crate) fn new(owner: Owner, strategy: &SupervisorStrategy) -> Self {
        let mut group = Group::new(owner, strategy.strategy, strategy.limit);
        group.configure(strategy.limits());
        ChildTable {
            inner: Mutex::ranked(
                Rank::Group,
                Inner {
                    group,
                    has_decider: strategy.decider.is_some(),
                    entries: Vec::new(),
                    recipes: Vec::new(),
                    names: BTreeSet::new(),
                    indexed: Indexed::default(),
                    watched: false,
                    aborted: None,
                    closing: 0,
                    deferred: Vec::new(),
                    numbers: 0,
                    moved: BTreeMap::new(),
                    held: BTreeMap::new(),
                    failed_ends: None,
                    at_let: None,
                    need: None,
                    time_to_end: None,
                    runtime: None,
                    finished: false,
                },
            ),
            decider: Mutex::new(strategy.decider.clone()),
            each: OnceLock::new(),
            place: OnceLock::new(),
            declaration: OnceLock::new(),
            part: OnceLock::new(),
        }
    }

    /// Sets strategy and decider, once per instance of the owner.
    pub(crate) fn configure(&self, strategy: SupervisorStrategy) {
        let before = {
            let mut inner = lock(&self.inner);
            if inner.finished {
                strategy.decider // nobody would take it out again
            } else {
                inner.has_decider = strategy.decider.is_some();
                inner.group.configure(strategy.limits());
                std::mem::replace(&mut *lock(&self.decider), strategy.decider)
            }
        };
        drop(before); // user code
    }

    /// Sets the runtime on which the owner runs, once: all incarnations have one task.
    pub(crate) fn set_runtime(&self, runtime: Option<Handle>) {
        let mut inner = lock(&self.inner);
        if inner.runtime.is_none() && !inner.finished {
            inner.runtime = runtime;
        }
    }

    /// Returns the runtime on which the owner runs, unless that is not known or its task is over.
    pub(crate) fn runtime(&self) -> Option<Handle> {
        lock(&self.inner).runtime.clone()
    }

    /// Sets the time for each end of a tree, and the order in which its children go down (S44).
    pub(crate) fn set_shutdown(&self, time: Option<Duration>, order: ShutdownOrder) {
        let mut inner = lock(&self.inner);
        inner.time_to_end = time;
        inner.group.set_shutdown_order(order);
    }

    pub(crate) fn time_to_end(&self) -> Option<Duration> {
        lock(&self.inner).time_to_end
    }

    /// Returns the time that an orderly stop needs, as declared.
    pub fn need(&self) -> Option<Duration> {
        lock(&self.inner).need
    }

    pub(crate) fn set_need(&self, need: Option<Duration>) {
        lock(&self.inner).need = need;
    }

    /// Returns the settings about restarts.
    pub(crate) fn limits(&self) -> SupervisorLimits {
        self.inspect(Group::limits)
    }

    pub(crate) fn decider(&self) -> Option<Decider> {
        lock(&self.decider).clone()
    }

    /// Passes an event to the group, and carries out the consequences. `owner` is the cell that has these children.
    pub(crate) fn on<R>(&self, owner: &AnyCell, event: impl FnOnce(&mut Group) -> R) -> R {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let out = event(&mut inner.group);
        Inner::carry_out(inner, owner).done();
        out
    }

    /// Passes an event of this child to the group. No effect if the child is no longer in the table.
    pub(crate) fn on_child<R>(
        &self,
        owner: &AnyCell,
        child: &AnyCell,
        event: impl FnOnce(&mut Group, Id) -> R,
    ) -> Option<R> {
        self.on_own(owner, child, None, event)
    }

    /// Passes an event of this child to the group from any thread: the child's task is woken for what follows.
    pub(crate) fn on_child_from_outside<R>(
        &self,
        owner: &AnyCell,
        child: &AnyCell,
        event: impl FnOnce(&mut Group, Id) -> R,
    ) -> Option<R> {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let id = inner.id_of(child)?;
        let out = event(&mut inner.group, id);
        Inner::carry_out(inner, owner).done();
        Some(out)
    }

    /// Does the same in the child's own task, which carries out itself what follows for the child.
    pub(crate) fn on_own<R>(
        &self,
        owner: &AnyCell,
        child: &AnyCell,
        own: Option<&OwnEvent>,
        event: impl FnOnce(&mut Group, Id) -> R,
    ) -> Option<R> {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let id = inner.id_of(child)?;
        let out = event(&mut inner.group, id);
        Inner::carry_out_of(inner, owner, Some((id, own))).done();
        Some(out)
    }

    /// Passes a failure of this child to the group, in the child's own task. Returns the failure with the restarts
    /// before it. `by_default`: the facts for a restart, if the child itself asks no decider; the restart is decided
    /// here if the supervisor asks none either. What the group made of the failure is kept in `own`.
    pub(crate) fn fails(
        &self,
        owner: &AnyCell,
        child: &AnyCell,
        own: &OwnEvent,
        failure: Failure,
        (instance, handled): (bool, bool),
        by_default: Option<FailureInfo>,
    ) -> Failure {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let Some(id) = inner.id_of(child) else { return failure };
        let failure = failure.in_row(inner.group.row(id, own.now()));
        let by_default = by_default.filter(|_| !inner.has_decider);
        own.tell(inner.group.fails(id, &failure, (instance, handled), by_default, own.now()));
        Inner::carry_out_of(inner, owner, Some((id, Some(own)))).done();
        failure
    }

    /// Reads what the group knows of this child. Reading changes nothing, so no effects have to be carried out. Returns
    /// `None` if the child is no longer in the table.
    pub(crate) fn look<R>(&self, child: &AnyCell, read: impl FnOnce(&Group, Id) -> R) -> Option<R> {
        let inner = lock(&self.inner);
        let id = inner.id_of(child)?;
        Some(read(&inner.group, id))
    }

    /// Carries out a user's request to this child, from any thread (S26). `with` runs under the lock, together with the
    /// decision. Returns `None` if the child is no longer in the table.
    pub(crate) fn on_request<'a, R>(
        &self,
        owner: &'a AnyCell,
        child: &AnyCell,
        command: Command,
        with: impl FnOnce(CommandOutcome) -> R,
    ) -> Option<(CommandOutcome, R, AfterLock<'a>)> {
        let core = child.core();
        let requested = Failure::new(Phase::Running, Cause::Requested, core.place(), core.incarnation());
        let ends = command == Command::Restart && ends_by_itself(child);
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let id = inner.id_of(child)?;
        if ends && inner.group.at(id) == MemberState::Up {
            return Some((CommandOutcome::Stopping, with(CommandOutcome::Stopping), AfterLock::of(owner)));
        }
        // Not before the child has notified all its watchers of its end: that notice would belong to the next life.
        if command == Command::StartAgain && inner.group.at(id) == MemberState::Ended && core.ended().is_none() {
            return Some((CommandOutcome::NotEnded, with(CommandOutcome::NotEnded), AfterLock::of(owner)));
        }
        let verdict = inner.group.on_request(id, command, &requested, Instant::now());
        if verdict == CommandOutcome::FirstStart {
            inner.forget_stuck(id);
            // This start settles a second end of the child, of which the child was notified and which it has not
            // carried out.
            if core.was_closing() {
                inner.closing -= 1;
            }
        }
        let out = with(verdict);
        Some((verdict, out, Inner::carry_out(inner, owner)))
    }

    /// A child that was notified of its end has notified all its watchers.
    pub(crate) fn closed(&self, owner: &AnyCell) {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        inner.closing = inner.closing.saturating_sub(1);
        let told = inner.notify_deferred(owner);
        drop(inner);
        if told {
            ring(owner);
        }
    }

    /// Returns whether all children are up or have ended, and none is still to be declared.
    pub(crate) fn all_up(&self) -> bool {
        lock(&self.inner).group.all_up()
    }

    /// Returns whether each child is up, has ended, or is backing off.
    pub(crate) fn have_passed(&self) -> bool {
        lock(&self.inner).group.have_passed()
    }

    /// Sets how many instances of a set may start at the same time, and whether the set ends with the last one.
    pub(crate) fn configure_set(&self, max_starting: Option<usize>, significant: bool) {
        let mut inner = lock(&self.inner);
        inner.group.set_max_starting(max_starting);
        inner.group.set_significant(significant);
    }

    /// Reads the group.
    pub fn inspect<R>(&self, read: impl FnOnce(&Group) -> R) -> R {
        read(&lock(&self.inner).group)
    }

    /// Returns whether these two children go down together, to come up again after both are down. `None` is a child that
    /// is not in the table yet.
    pub(crate) fn go_down_together(&self, one: &AnyCell, other: Option<&AnyCell>) -> bool {
        let inner = lock(&self.inner);
        let id = |cell: &AnyCell| inner.id_of(cell);
        inner.group.go_down_together(id(one), other.and_then(id))
    }

    // ----- the table

    /// Makes room for so many slots in all.
    pub(crate) fn expect(&self, slots: usize) {
        let mut inner = lock(&self.inner);
        let Inner { group, entries, recipes, .. } = &mut *inner;
        entries.reserve(slots.saturating_sub(entries.len()));
        recipes.reserve(slots.saturating_sub(recipes.len()));
        group.expect(slots);
    }

    /// Adds a declared child.
    pub(crate) fn declare(&self, owner: &AnyCell, cell: Arc<AnyCell>, recipe: Recipe, settings: Arc<Settings>) {
        let _shelter = DeferDrops::new();
        let now = Instant::now();
        let mut inner = lock(&self.inner);
        let id = inner.group.add(settings.clone(), false);
        cell.core().slot.store(id, Ordering::Relaxed);
        let before = inner.put(id, Entry::Child { cell, cold: None });
        if inner.recipes.len() <= id as usize {
            inner.recipes.resize_with(id as usize + 1, || None);
        }
        let recipe = inner.recipes[id as usize].replace(recipe);
        inner.group.reach(id, settings, now);
        Inner::carry_out_here(inner, owner).done();
        drop((before, recipe));
    }

    /// Returns the recipe of the child that an earlier build has left at this position.
    pub(crate) fn declared(&self, id: Id) -> Option<(Arc<AnyCell>, Recipe)> {
        let inner = lock(&self.inner);
        let recipe = inner.recipes.get(id as usize)?.clone()?;
        Some((inner.cell(id)?, recipe))
    }

    /// The build has reached a known child again.
    pub(crate) fn reach(&self, owner: &AnyCell, id: Id, settings: Arc<Settings>) {
        let _shelter = DeferDrops::new();
        let now = Instant::now();
        let mut inner = lock(&self.inner);
        inner.group.reach(id, settings, now);
        Inner::carry_out_here(inner, owner).done();
    }

    /// The build has reached an optional child that stays absent.
    pub(crate) fn skip(&self, owner: &AnyCell, id: Id) {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        inner.group.skip(id, Instant::now());
        Inner::carry_out_here(inner, owner).done();
    }

    /// Returns whether this child has ended, or is about to end.
    pub(crate) fn is_ending(&self, child: &AnyCell) -> bool {
        let ends = ends_by_itself(child);
        let inner = lock(&self.inner);
        let id = child.core().slot.load(Ordering::Relaxed);
        match inner.entries.get(id as usize) {
            Some(Some(Entry::Child { cell, .. })) if cell.core().id == child.core().id => {
                ends && inner.group.at(id) == MemberState::Up || inner.group.is_ending(id)
            }
            _ => true,
        }
    }

    /// Adds a kept value. A value of an earlier incarnation is replaced.
    pub(crate) fn keep(&self, owner: &AnyCell, id: Id, value: Arc<dyn Value>, settings: Arc<Settings>) {
        let _shelter = DeferDrops::new();
        let now = Instant::now();
        let mut inner = lock(&self.inner);
        inner.at_let = None;
        let before = if (id as usize) < inner.entries.len() {
            inner.group.reach(id, settings, now);
            inner.put(id, Entry::Value(value))
        } else {
            let id = inner.group.add(settings, false);
            inner.put(id, Entry::Value(value))
        };
        Inner::carry_out_here(inner, owner).and_drop(before).done();
    }

    /// Holds the place of this child beyond its end, for the one that replaces it.
    pub(crate) fn hold(&self, child: &AnyCell) {
        let mut inner = lock(&self.inner);
        if let Some(id) = inner.id_of(child) {
            let ended = inner.group.at(id) == MemberState::Ended;
            inner.held.insert(child.core().id, ended);
            inner.count_places();
        }
    }

    /// Gives up the place that is held beyond the end of the child with this number.
    pub(crate) fn release(&self, owner: &AnyCell, id: u64) {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        inner.held.remove(&id);
        inner.count_places();
        inner.group.look_again(Instant::now());
        Inner::carry_out(inner, owner).done();
    }

    /// Adds a child at run time. `make` gets the number of the spawn and makes the child's cell. Its task is to be
    /// begun after this call, and after every other lock of the caller.
    pub(crate) fn add<'a>(
        &self,
        owner: &'a AnyCell,
        name: Option<&str>,
        room: Room,
        settings: Arc<Settings>,
        make: impl FnOnce(u64) -> Arc<AnyCell>,
    ) -> Result<AfterLock<'a>, Refused> {
        let _shelter = DeferDrops::new();
        let now = Instant::now();
        let mut inner = lock(&self.inner);
        if let Some(id) = room.instead {
            inner.held.remove(&id);
            inner.count_places();
        }
        if inner.group.is_ended() {
            return Err(Refused::Stopped);
        }
        if inner.group.is_stopping() || inner.group.ends_spawns() {
            return Err(Refused::Stopping);
        }
        if room.max.is_some_and(|max| inner.taken() >= max) {
            return Err(Refused::TooMany);
        }
        if name.is_some_and(|name| inner.living(name).is_some()) {
            return Err(Refused::Exists);
        }
        inner.numbers += 1;
        let cell = make(inner.numbers);
        inner.forget_failed_end(cell.core().text());
        let id = inner.group.add(settings, true);
        cell.core().slot.store(id, Ordering::Relaxed);
        let before = inner.put(id, Entry::Child { cell, cold: None });
        inner.group.admit(id, now);
        Ok(Inner::carry_out(inner, owner).and_drop(before))
    }

    /// Removes a run-time child that moves to another supervisor, if it is up and nothing is in progress here (S38).
    pub(crate) fn leave(&self, child: &AnyCell) -> Option<Moving> {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let id = inner.id_of(child)?;
        let moving = inner.group.leave(id)?;
        let entry = inner.vacate(id);
        inner.trim();
        drop(inner);
        drop(entry);
        Some(moving)
    }

    /// Takes over a child from another supervisor.
    pub(crate) fn join(&self, cell: &Arc<AnyCell>, moving: Moving) -> Result<(), Moving> {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let id = inner.group.join(moving)?;
        cell.core().slot.store(id, Ordering::Relaxed);
        let before = inner.put(id, Entry::Child { cell: cell.clone(), cold: None });
        drop(inner);
        drop(before);
        Ok(())
    }

    /// Returns the present supervisor of a child that was born here and has moved.
    pub(crate) fn moved(&self, id: u64) -> Option<Arc<AnyCell>> {
        lock(&self.inner).moved.get(&id).cloned()
    }

    pub(crate) fn set_moved(&self, id: u64, to: Option<Arc<AnyCell>>) {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let before = match to {
            Some(to) => inner.moved.insert(id, to),
            None => inner.moved.remove(&id),
        };
        drop(inner);
        drop(before);
    }

    /// Returns a kept value, for the owner's task to drop or to replace: that is user code.
    pub(crate) fn value(&self, id: Id) -> Option<Arc<dyn Value>> {
        match lock(&self.inner).entries.get(id as usize) {
            Some(Some(Entry::Value(value))) => Some(value.clone()),
            _ => None,
        }
    }

    /// Notes the `let` whose value the build computes from now on, until it keeps a value.
    pub(crate) fn set_at_let(&self, name: Option<&'static str>) {
        lock(&self.inner).at_let = name;
    }

    /// Takes the `let` at which the build of a tree has failed.
    pub(crate) fn take_let(&self) -> Option<&'static str> {
        lock(&self.inner).at_let.take()
    }

    /// Returns the child of this name that has not ended.
    pub(crate) fn child(&self, name: &str) -> Option<Arc<AnyCell>> {
        lock(&self.inner).living(name).cloned()
    }

    /// Returns all children, in the order of their slots.
    pub(crate) fn cells(&self) -> Vec<Arc<AnyCell>> {
        lock(&self.inner)
            .entries
            .iter()
            .flatten()
            .filter_map(|entry| match entry {
                Entry::Child { cell, .. } => Some(cell.clone()),
                Entry::Value(_) => None,
            })
            .collect()
    }

    /// Returns the children that have ended, and those that have children of their own.
    pub(crate) fn ended_or_above(&self) -> Vec<Arc<AnyCell>> {
        let counts = |cell: &Arc<AnyCell>| cell.core().table().is_some() || cell.core().has_ended();
        let inner = lock(&self.inner);
        let cells = inner.entries.iter().flatten().filter_map(|entry| match entry {
            Entry::Child { cell, .. } => Some(cell),
            Entry::Value(_) => None,
        });
        cells.filter(|cell| counts(cell)).cloned().collect()
    }

    /// Returns the ids of the cells that survive the restart of their actor.
    pub(crate) fn kept_ids(&self) -> Vec<u64> {
        let inner = lock(&self.inner);
        let kept = |id: usize| inner.group.is_kept(id as Id);
        inner
            .entries
            .iter()
            .enumerate()
            .filter_map(|(id, entry)| match entry {
                Some(Entry::Child { cell, .. }) if kept(id) => Some(cell.core().id),
                _ => None,
            })
            .collect()
    }

    /// Ends the supervisor: no child is started again, and references to the children are dropped.
    ///
    /// The values are not cleared here. If the runtime was dropped, other threads may still be about to start children,
    /// which clone them. So a value goes with the last of its owners: this table, or the task of a child.
    pub(crate) fn finish(&self) {
        let (entries, recipes, decider, runtime, failed_ends) = {
            let mut inner = lock(&self.inner);
            inner.names.clear();
            inner.finished = true;
            inner.group.finish(); // later callers on other threads learn that the supervisor has ended
            let decider = lock(&self.decider).take();
            let (entries, recipes) = (std::mem::take(&mut inner.entries), std::mem::take(&mut inner.recipes));
            (entries, recipes, decider, inner.runtime.take(), inner.failed_ends.take())
        };
        foreign(); // may drop the last reference to a cell, a start closure, a value, an error, or a decider
        drop((decider, runtime, failed_ends));
        for entry in entries.iter().flatten() {
            if let Entry::Child { cell, .. } = entry {
                // A child with a runtime of its own outlives that of its supervisor, and stops in order (S25).
                if cell.core().is_apart() {
                    send(&**cell, SystemMessage::Order(Order::End(Ended::Stopped, StopReason::Shutdown)));
                }
                send(&**cell, SystemMessage::Order(Order::Orphan));
            }
        }
        drop((entries, recipes));
    }

    /// A new incarnation of the supervisor itself begins.
    pub(crate) fn rebuild(&self, owner: &AnyCell, suspended: bool) {
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        inner.aborted = None;
        inner.group.rebuild(suspended);
        Inner::carry_out(inner, owner).done();
    }
}

/// Returns whether the child is a tree or a set that goes down to end by itself. Its own table knows that first.
fn ends_by_itself(child: &AnyCell) -> bool {
    !child.has_messages() && child.core().table().is_some_and(|table| table.inspect(Group::ends_by_itself))
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl Inner {
    /// Returns the slot of this child, as long as it is in the table.
    fn id_of(&self, child: &AnyCell) -> Option<Id> {
        let id = child.core().slot.load(Ordering::Relaxed);
        let known = matches!(self.entries.get(id as usize),
            Some(Some(Entry::Child { cell, .. })) if addr_eq(Arc::as_ptr(cell), child));
        known.then_some(id)
    }

    /// Returns the previous entry, to be dropped after the lock.
    #[must_use]
    fn put(&mut self, id: Id, entry: Entry) -> Option<Entry> {
        if let Some(key) = self.key(&entry) {
            self.names.insert((key, id));
        }
        let id = id as usize;
        if id == self.entries.len() {
            self.entries.push(Some(entry));
            return None;
        }
        self.entries[id].replace(entry)
    }

    /// Removes the entry of a child that has moved, or has ended and is forgotten. After [`ChildTable::finish`] the
    /// table is empty.
    fn vacate(&mut self, id: Id) -> Option<Entry> {
        let entry = self.entries.get_mut(id as usize)?.take()?;
        if let Some(key) = self.key(&entry) {
            self.names.remove(&(key, id));
        }
        Some(entry)
    }

    /// Returns the key under which the child is found by its name.
    fn key(&self, entry: &Entry) -> Option<u64> {
        match entry {
            Entry::Child { cell, .. } if self.indexed != Indexed::No => Some(hash(&cell.core().name())),
            Entry::Child { cell, .. } if matches!(self.group.owner(), Owner::Actor | Owner::Guardian) => {
                cell.core().text().map(hash)
            }
            _ => None,
        }
    }

    /// Adds the children in these slots to those that are found by their names.
    fn index(&mut self, slots: Range<usize>) {
        for slot in slots {
            let entry = self.entries.get(slot).and_then(Option::as_ref);
            if let Some(key) = entry.and_then(|entry| self.key(entry)) {
                self.names.insert((key, slot as Id));
            }
        }
    }

    /// Makes the table as short as that of the group.
    fn trim(&mut self) {
        let slots = self.group.slots();
        if slots < self.entries.len() {
            self.entries.truncate(slots);
            if is_roomy(slots, self.entries.capacity()) {
                self.entries.shrink_to(slots * 2);
            }
        }
    }

    /// Returns the number of children that live, and of those whose places are held.
    fn taken(&self) -> usize {
        self.group.living() as usize + self.held.values().filter(|ended| **ended).count()
    }

    /// Tells the group how many places are held.
    fn count_places(&mut self) {
        self.group.set_held(self.held.len());
    }

    /// The place of a child that has ended is counted, if it is held.
    fn count_held(&mut self, id: Id) {
        if !self.held.is_empty()
            && let Some(Some(Entry::Child { cell, .. })) = self.entries.get(id as usize)
            && let Some(ended) = self.held.get_mut(&cell.core().id)
        {
            *ended = true;
        }
    }

    /// Counts an end to wait for, unless the child is stuck and no longer waited for.
    fn close(&mut self, id: Id) {
        if let Some(Some(Entry::Child { cell, cold })) = self.entries.get(id as usize)
            && !cold.as_ref().is_some_and(|cold| cold.stuck.is_given_up())
        {
            // A child may end a second time before its task has announced the first end.
            self.closing += u32::from(cell.core().begin_closing());
        }
    }

    /// Clears the watchdog's state for a new incarnation.
    fn forget_stuck(&mut self, id: Id) {
        if let Some(Some(Entry::Child { cold: Some(cold), .. })) = self.entries.get_mut(id as usize) {
            cold.stuck = Stuck::default();
        }
    }

    /// Queues the orders for the owner that had to wait for its children. Returns `true` if the owner has to be woken.
    #[must_use]
    fn notify_deferred(&mut self, owner: &AnyCell) -> bool {
        let tells = self.closing == 0 && !self.deferred.is_empty();
        if tells {
            self.deferred.drain(..).for_each(|order| queue(owner, SystemMessage::Order(order)));
        }
        tells
    }

    fn living(&self, name: &str) -> Option<&Arc<AnyCell>> {
        let name = &*escaped(name);
        let key = hash(name);
        self.names.range((key, 0)..=(key, Id::MAX)).find_map(|(_, id)| match self.entries.get(*id as usize) {
            Some(Some(Entry::Child { cell, .. })) if cell.core().text() == Some(name) => {
                (self.group.at(*id) != MemberState::Ended).then_some(cell)
            }
            _ => None,
        })
    }

    /// Records the end of a backoff, for snapshots.
    fn waits(&mut self, id: Id, until: Instant) {
        if let Some(Some(Entry::Child { cold, .. })) = self.entries.get_mut(id as usize) {
            cold.get_or_insert_default().until = Some(until);
        }
    }

    /// Returns whether nothing follows from the last event: most events of a child that nobody waits for.
    fn has_settled(&self) -> bool {
        !self.group.has_effects() && self.is_calm()
    }

    /// Returns whether nothing is left to do but the effects of the group.
    fn is_calm(&self) -> bool {
        self.deferred.is_empty() && self.group.slots() == self.entries.len() && !self.group.is_being_built()
    }

    /// Gives the child of the last event its order back. Returns `false` if that is not all that follows.
    #[inline(never)]
    fn gives_back(&mut self, id: Id, own: &OwnEvent) -> bool {
        let calm = self.is_calm();
        let Some(Some(Entry::Child { cell, cold })) = self.entries.get_mut(id as usize) else { return false };
        if !calm || !own.takes_from(&**cell) {
            return false;
        }
        let Some((scheduled, order)) = self.group.take_order(self.watched) else { return false };
        if let (Order::Start, Some(cold)) = (&order, cold) {
            cold.stuck = Stuck::default();
        }
        own.give(scheduled, order);
        true
    }

    fn cell(&self, id: Id) -> Option<Arc<AnyCell>> {
        match self.entries.get(id as usize) {
            Some(Some(Entry::Child { cell, .. })) => Some(cell.clone()),
            _ => None,
        }
    }

    fn carry_out<'a>(inner: MutexGuard<'_, Inner>, owner: &'a AnyCell) -> AfterLock<'a> {
        Inner::carry_out_of(inner, owner, None)
    }

    /// Carries out the consequences of a step of the build. It runs in the owner's task, which looks at the group and at
    /// its queue before it waits, so that it need not be woken.
    fn carry_out_here<'a>(inner: MutexGuard<'_, Inner>, owner: &'a AnyCell) -> AfterLock<'a> {
        Inner::carry_out(inner, owner).in_its_task()
    }

    /// Carries out the consequences of an event of the child `by`, in whose task this runs: gives the orders, and
    /// returns the rest, to be done once the lock is free.
    fn carry_out_of<'a>(mut inner: MutexGuard<'_, Inner>, owner: &'a AnyCell, by: Option<By<'_>>) -> AfterLock<'a> {
        let settled = match by {
            Some((id, Some(own))) if inner.group.concerns_only(id) => inner.gives_back(id, own),
            _ => inner.has_settled(),
        };
        if settled {
            drop(inner);
            return AfterLock::of(owner);
        }
        let mut effects = inner.group.take_effects();
        let mut watch = false;
        let mut after_lock = AfterLock::of(owner);
        for effect in effects.drain(..) {
            match effect {
                GroupEffect::Tell(id, order) => {
                    let ends = matches!(order, Order::Over(_));
                    match &order {
                        Order::Start => inner.forget_stuck(id),
                        Order::Down(..) | Order::End(..) | Order::Drain => watch = true,
                        Order::Wait(delay) => inner.waits(id, after(Instant::now(), *delay)),
                        Order::Over(ended) => {
                            inner.keep_failed_end(id, ended);
                            inner.count_held(id);
                            inner.close(id);
                        }
                        _ => {}
                    }
                    after_lock.send(&inner, by, id, order);
                    if ends && inner.group.is_free(id) {
                        after_lock.drops(inner.vacate(id));
                    }
                }
                // A supervisor ends after its children.
                GroupEffect::TellOwner(order @ (Order::ChildrenDown | Order::ChildrenEnded(_))) => {
                    inner.deferred.push(order);
                }
                GroupEffect::TellOwner(order) => after_lock.send_owner(SystemMessage::Order(order)),
                GroupEffect::DropValue(id) => after_lock.send_owner(SystemMessage::DropValue(id)),
                GroupEffect::Scheduled(id, after) => match by.filter(|(child, _)| *child == id) {
                    Some((_, Some(own))) => own.schedule(after),
                    _ => after_lock.says(inner.cell(id), GroupEvent::Scheduled(after)),
                },
                GroupEffect::LimitReached(id, max) => after_lock.says(inner.cell(id), GroupEvent::LimitReached(max)),
            }
        }
        inner.group.reuse(effects);
        inner.trim();
        if inner.notify_deferred(owner) {
            after_lock.wakes_owner();
        }
        if watch && !inner.watched {
            inner.watched = true;
            after_lock.send_owner(SystemMessage::Watchdog);
        }
        // The build waits in the owner's task for events of its members.
        if inner.group.is_being_built() {
            after_lock.wakes_owner();
        }
        drop(inner);
        after_lock
    }
}
