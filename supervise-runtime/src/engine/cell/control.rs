//! The cell, and its part without type parameters: its path, its control queue, and its end.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::iter::successors;
use std::sync::Arc as StdArc;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::shared_wait::SharedWait;
use crate::engine::background::BackgroundWork;
use crate::engine::bus::extension::{About, Facts, Gate, Pass, Wants};
use crate::engine::bus::{Events, TreeShared};
use crate::engine::death_watch::Pact;
use crate::engine::mailbox::{Admission, Blocked};
use crate::engine::numbers::{BEFORE_REPORTS, FOUND, number};
use crate::engine::supervisor::ChildTable;
use crate::engine::tally::Tally;
use crate::engine::watched::Watched;
use supervise_core::base::deferred_drop::DeferDrops;
use supervise_core::base::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use supervise_core::base::sync::lock;
use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, foreign};
use supervise_core::decide::child::machine::Order;
use supervise_core::decide::group::Owner;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::declaration::{ChildSpec, TreeSpec};
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{Cause, Failure};
use supervise_core::values::hooks::DeclaredHooks;
use supervise_core::values::link_error::LinkError;
use supervise_core::values::mailbox_depth::MailboxDepth;
use supervise_core::values::network::TreeRoot;
use supervise_core::values::place::Name;
use supervise_core::values::place::{Path, Place, text};
use supervise_core::values::report::{ChildEnd, ChildReport};
use supervise_core::values::stop_reason::StopReason;

mod lifecycle;
#[cfg(test)]
mod tests;

pub use lifecycle::Waiting;

use lifecycle::{Late, Life, OnEnd};

/// The messages in the control queue of a cell. The queue is unbounded and is served at all times (S4).
#[derive(Debug)]
pub(crate) enum SystemMessage {
    /// An order from the cell's supervisor, or from its own group of children.
    Order(Order),
    /// Drop a value of the cell's own tree: user code.
    DropValue(u32),
    /// A caller asks whether this task runs (S54).
    Ping,
    /// A child of this cell was asked to go down: check that it does.
    Watchdog,
    /// The time is up, of the supervisor or of a caller that waits, or the supervisor was killed: end without hooks,
    /// leaves first.
    Abort,
    // Requests from outside. The group is asked first.
    Stop,
    /// A stop, after which another instance takes the place.
    Replace,
    /// A drain of a child that goes down for a restart: a stop, if it has heard of that.
    Drain,
    Kill,
    /// A test injects a failure.
    #[cfg(feature = "testing")]
    Inject(Cause),
    /// An actor on which this one depends has ended (S37).
    DeathPact(Arc<Pact>),
    // Requests of the cell's own user code.
    /// A timer or a subordinate future (S11).
    BackgroundWork(Box<BackgroundWork>),
    /// The cell moves to another supervisor (S38).
    Move(Box<Move>),
    /// The runtime of this child, which is not that of this cell, is gone, and with it the child's task (S25).
    Lost(Arc<AnyCell>),
}

impl SystemMessage {
    /// Returns whether this concerns only the present life.
    fn is_request(&self) -> bool {
        matches!(
            self,
            SystemMessage::Stop
                | SystemMessage::Replace
                | SystemMessage::Drain
                | SystemMessage::Kill
                | SystemMessage::Abort
                | SystemMessage::DeathPact(_)
        )
    }

    pub(crate) fn is_kill(&self) -> bool {
        matches!(self, SystemMessage::Kill)
    }

    pub(crate) fn is_stop(&self) -> bool {
        matches!(self, SystemMessage::Stop | SystemMessage::Replace)
    }

    pub(crate) fn is_drain(&self) -> bool {
        matches!(self, SystemMessage::Drain | SystemMessage::Order(Order::Drain))
    }

    /// Returns whether the child ends because its group or its supervisor goes down.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, SystemMessage::Order(Order::End(..)))
    }

    /// Returns whether a caller has asked for a restart of this child alone.
    pub(crate) fn is_restart(&self) -> bool {
        match self {
            SystemMessage::Order(Order::Down(failure, StopReason::Restart)) => {
                matches!(failure.cause(), Cause::Requested)
            }
            _ => false,
        }
    }
}

/// The request to a cell to change its supervisor.
pub(crate) struct Move {
    pub(crate) to: Arc<AnyCell>,
    /// The id of the actor that lets the child go; `None`: the child is taken over.
    pub(crate) unlink: Option<u64>,
    pub(crate) reply: oneshot::Sender<Result<(), LinkError>>,
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Move").field("to", &self.to).finish_non_exhaustive()
    }
}

/// The end of a child, shared by the reports of all trees above it.
pub(crate) struct EndedChild {
    /// The id of its cell.
    id: u64,
    /// The number of its end. Tasks on several threads report theirs in any order.
    order: u64,
    /// The text of the path is made when the report is read.
    path: Path,
    end: ChildEnd,
}

/// The waiting messages. Usually there is one at a time, which costs no allocation. Each idle actor has a queue, so the
/// others take no more room than a pointer.
#[derive(Default)]
struct Queue {
    first: Option<SystemMessage>,
    #[expect(clippy::box_collection, reason = "see above")]
    more: Option<Box<Vec<SystemMessage>>>,
}

impl Queue {
    fn push(&mut self, message: SystemMessage) {
        match &self.first {
            None => self.first = Some(message),
            Some(_) => self.more.get_or_insert_default().push(message),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &SystemMessage> {
        self.first.iter().chain(self.more.iter().flat_map(|more| more.iter()))
    }

    fn into_iter(self) -> impl Iterator<Item = SystemMessage> {
        self.first.into_iter().chain(self.more.map_or_else(Vec::new, |more| *more))
    }
}

/// The facts about an event of a restart that the event does not have.
#[derive(Default)]
pub(crate) struct Restarts<'a> {
    /// The delay of the restart that was decided.
    pub(crate) delay: Option<Duration>,
    /// Returns the limit of such restarts in words.
    pub(crate) limit: Option<&'a dyn Fn() -> Option<String>>,
    /// The failure after which the child is up again.
    pub(crate) healed: Option<&'a Failure>,
    /// A decision, which was an event, has led to the present start.
    pub(crate) decided: bool,
}

/// The declarations of the children of a cell.
#[derive(Debug, Clone, Copy)]
pub enum Declarations {
    /// They are the children of a tree.
    Tree(&'static TreeSpec),
    /// They are the instances of a set.
    Set(&'static ChildSpec),
    /// They were spawned by an actor, or at the top level.
    None,
}

/// The part of a cell without type parameters.
pub struct CellCore {
    pub(crate) id: u64,
    name: Name,
    /// The cell above, which gives the path. Also the supervisor, unless the cell has moved.
    pub(crate) parent: Option<Arc<AnyCell>>,
    /// The cell has another supervisor now (S38).
    moved: AtomicBool,
    /// The slot in the parent's table.
    pub(crate) slot: AtomicU32,
    pub(crate) bus: Arc<TreeShared>,
    /// The queue is not empty.
    flag: AtomicBool,
    queue: Mutex<Queue>,
    task_waker: OnceLock<Waker>,
    life: Mutex<Life>,
    table: OnceLock<Box<ChildTable>>,
    incarnation: AtomicU32,
    /// Not 0: the group counts the cell as ended, but the cell has not notified its watchers and the report yet. While
    /// a report is open, the number of this end, by which the report is sorted: the group may stop the next child
    /// before this cell has reported.
    closing: AtomicU64,
    /// Something has failed on the way down: few cells ever need to look.
    late: AtomicBool,
    /// An ancestor has failed (S7). Written and read by the cell's own task, like the next field.
    suspended: AtomicBool,
    /// True if the cell goes down after the message in hand.
    leaving: AtomicBool,
    /// Why the incarnation goes down, as a number; 0 if it does not.
    stop_reason: AtomicU8,
    /// A runtime is declared for the cell's task.
    apart: AtomicBool,
    /// True once the cell was up: a waiter for its first start succeeds, even if the cell is down again. Written and read
    /// under the lock of `life`.
    was_up: AtomicBool,
}

impl CellCore {
    /// Inlined, so that this large value is made where it is to be.
    #[inline(always)]
    pub(crate) fn new(name: Name, parent: Option<Arc<AnyCell>>, bus: Arc<TreeShared>) -> Self {
        CellCore {
            id: number(),
            name,
            parent,
            moved: AtomicBool::new(false),
            slot: AtomicU32::new(0),
            bus,
            flag: AtomicBool::new(false),
            queue: Mutex::default(),
            task_waker: OnceLock::new(),
            life: Mutex::default(),
            table: OnceLock::new(),
            incarnation: AtomicU32::new(0),
            closing: AtomicU64::new(0),
            late: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            leaving: AtomicBool::new(false),
            stop_reason: AtomicU8::new(0),
            apart: AtomicBool::new(false),
            was_up: AtomicBool::new(false),
        }
    }

    /// Returns the number of this cell, of which there is one in the process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns what all cells of the tree share.
    pub fn bus(&self) -> &Arc<TreeShared> {
        &self.bus
    }

    /// Returns the cell above, which gives the path.
    pub fn parent(&self) -> Option<&Arc<AnyCell>> {
        self.parent.as_ref()
    }

    /// Returns whether nothing is above this cell.
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Marks the cell as one for which a runtime is declared.
    pub(crate) fn set_apart(&self, runtime: Handle) {
        self.apart.store(true, Ordering::Relaxed);
        self.set_runtime(runtime);
    }

    /// Sets the runtime on which this cell runs. All others run on the runtime of their supervisor.
    pub(crate) fn set_runtime(&self, runtime: Handle) {
        lock(&self.life).rare_or_init().runtime = Some(runtime);
    }

    /// Forgets the runtime of its own, since the task of the cell is over.
    pub(crate) fn forget_runtime(&self) {
        let before = lock(&self.life).rare_mut().and_then(|rare| rare.runtime.take());
        drop(before);
    }

    /// Returns the runtime on which this cell runs: its own, or the runtime of the nearest supervisor that knows it.
    /// Code of users may run on another thread, or inside another runtime, so the present one is not asked.
    pub(crate) fn runtime(&self) -> Option<Handle> {
        let mut next = Some(self);
        while let Some(core) = next {
            let known = core.table().and_then(ChildTable::runtime);
            let own = || lock(&core.life).rare().and_then(|rare| rare.runtime.clone());
            if let Some(runtime) = known.or_else(own) {
                return Some(runtime);
            }
            next = core.parent.as_ref().map(|parent| parent.core());
        }
        None
    }

    /// Returns whether a runtime is declared for this cell.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart.load(Ordering::Relaxed)
    }

    /// Sets what an extension keeps for this cell and all below it: before the cell begins, and for as long as it is there.
    pub fn set_part(&self, part: StdArc<dyn Any + Send + Sync>) {
        let table = self.table_or_init(|| ChildTable::new(Owner::Tree, &SupervisorStrategy::default()));
        let _ = table.part.set(part); // a cell has one
    }

    /// Returns whether an extension keeps something for a part of the tree, below the root, that this cell is in.
    pub fn is_in_a_part(&self) -> bool {
        self.parts().any(|(core, _)| core.parent.is_some())
    }

    /// Returns what extensions keep for this cell and those above it, the innermost first.
    pub fn parts(&self) -> impl Iterator<Item = (&CellCore, &StdArc<dyn Any + Send + Sync>)> {
        let above = successors(Some(self), |core| core.core_above());
        above.filter_map(|core| Some((core, core.table()?.part.get()?)))
    }

    pub(crate) fn set_suspended(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::Relaxed);
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended.load(Ordering::Relaxed)
    }

    pub(crate) fn set_leaving(&self, leaving: bool) {
        self.leaving.store(leaving, Ordering::Relaxed);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// Returns why this incarnation goes down, if it does.
    pub fn stop_reason(&self) -> Option<StopReason> {
        StopReason::of_number(self.stop_reason.load(Ordering::Relaxed))
    }

    /// Sets the reason, in the cell's own task. Returns the one before.
    pub(crate) fn set_stop_reason(&self, reason: Option<StopReason>) -> Option<StopReason> {
        let before = self.stop_reason();
        self.stop_reason.store(reason.map_or(0, StopReason::to_number), Ordering::Relaxed);
        before
    }

    /// Marks the cell as closing. Returns `true` if it was not marked before.
    pub(crate) fn begin_closing(&self) -> bool {
        let number = if self.bus.reports.load(Ordering::Relaxed) { number() } else { BEFORE_REPORTS };
        self.closing.swap(number, Ordering::Relaxed) == 0
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed) != 0
    }

    /// Clears the mark. Returns whether the supervisor was waiting for this cell.
    pub(crate) fn was_closing(&self) -> bool {
        self.closing.swap(0, Ordering::Relaxed) != 0
    }

    /// Returns the path: `reports/daily`, the names below the root. For the root, its name.
    pub fn path(&self) -> String {
        let below_root = |core: &&CellCore| core.parent.is_some();
        let above = successors(self.core_above(), |core| core.core_above()).take_while(below_root);
        text(&self.name, above.map(|core| &core.name))
    }

    /// Returns the run of the tree that this cell is part of.
    pub fn root(&self) -> TreeRoot {
        let root = successors(Some(self), |core| core.core_above()).last().unwrap_or(self);
        TreeRoot { id: root.id, name: root.name().into() }
    }

    /// Returns the name of the tree that this cell is part of.
    pub(crate) fn name_of_root(&self) -> String {
        successors(Some(self), |core| core.core_above()).last().map(CellCore::name).unwrap_or_default()
    }

    /// Subscribes to the events of the tree that this cell is part of.
    pub fn events(&self) -> Events {
        let same_tree = |core: &&CellCore| Arc::ptr_eq(&core.bus, &self.bus);
        let root = successors(Some(self), |core| core.core_above()).take_while(same_tree).last().unwrap_or(self);
        self.bus.subscribe(root.path())
    }

    fn core_above(&self) -> Option<&CellCore> {
        self.parent.as_ref().map(|parent| parent.core())
    }

    /// Returns the path, as text that is made when it is read.
    pub(crate) fn place(&self) -> Path {
        let above = self.parent.as_ref().filter(|parent| parent.core().parent.is_some());
        Path::new(above.map(|parent| parent.core().above()), self.name.clone())
    }

    /// Returns the place above this cell's children. Cells with children keep it.
    fn above(&self) -> Arc<Place> {
        let mut missing = Vec::new();
        let mut next = Some(self);
        let mut above = None;
        while let Some(core) = next {
            if let Some(place) = core.table().and_then(|table| table.place.get()) {
                above = Some(place.clone());
                break;
            }
            missing.push(core);
            let parent = core.parent.as_ref().filter(|parent| parent.core().parent.is_some());
            next = parent.map(|parent| parent.core());
        }
        let mut own = above;
        for core in missing.into_iter().rev() {
            let made = Arc::new(Place::new(own, core.name.clone()));
            own = Some(core.table().map_or(made.clone(), |table| table.place.get_or_init(|| made).clone()));
        }
        own.expect("it itself at least")
    }

    /// Returns what a watcher learns of this cell.
    pub(crate) fn identity(&self) -> Watched {
        Watched::new(self.id, self.path())
    }

    /// Returns what follows the name of this cell in a path that begins with it.
    pub(crate) fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        self.name.strip(path)
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> String {
        text(&self.name, std::iter::empty())
    }

    /// Returns the name of a child that was named at run time, as in a path.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.name {
            Name::Text(text) => Some(text),
            Name::Declared(_) | Name::Element(..) | Name::Number(_) => None,
        }
    }

    /// Returns whether this is the guardian of a child outside of any tree.
    pub fn is_guardian(&self) -> bool {
        self.name.is_guardian()
    }

    /// Returns the present supervisor.
    pub fn supervisor(&self) -> Option<Arc<AnyCell>> {
        let parent = self.parent.as_ref()?;
        let moved = self.moved.load(Ordering::Acquire).then(|| parent.core().table()?.moved(self.id)).flatten();
        Some(moved.unwrap_or_else(|| parent.clone()))
    }

    /// Sets another supervisor; `None`: the cell has ended.
    pub(crate) fn set_supervisor(&self, supervisor: Option<Arc<AnyCell>>) {
        if supervisor.is_none() && !self.moved.load(Ordering::Acquire) {
            return;
        }
        if supervisor.is_some() {
            self.bus.reports.store(true, Ordering::Relaxed); // a tree may be above this cell now
        }
        if let Some(table) = self.parent.as_ref().and_then(|parent| parent.core().table()) {
            self.moved.store(supervisor.is_some(), Ordering::Release);
            table.set_moved(self.id, supervisor);
        }
    }

    /// Returns the number of the present incarnation, from 1; 0 before the first.
    pub fn incarnation(&self) -> u32 {
        self.incarnation.load(Ordering::Relaxed)
    }

    /// Sets the incarnation before the first one: that of a remote child is numbered by its owner.
    pub(crate) fn set_incarnation(&self, before: u32) {
        self.incarnation.store(before, Ordering::Relaxed);
    }

    pub(crate) fn next_incarnation(&self) -> u32 {
        self.incarnation.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Raises an event of this cell.
    #[inline]
    pub fn emit(&self, kind: EventKind) {
        match kind {
            EventKind::Failed { .. } => self.emit_of(kind, Restarts::default()),
            _ if self.bus.is_heard() => self.emit_of(kind, Restarts::default()),
            _ => self.bus.count(&kind),
        }
    }

    /// Raises an event about a restart.
    pub(crate) fn emit_of(&self, kind: EventKind, restarts: Restarts<'_>) {
        let heard = self.bus.is_heard();
        if let EventKind::Failed { failure, .. } = &kind {
            let now = heard.then(Instant::now);
            let mut life = lock(&self.life);
            let rare = life.rare_or_init();
            rare.down = now.map(|now| rare.down.unwrap_or(now));
            rare.undecided = false;
            let before = rare.failed.replace(failure.clone());
            drop(life);
            drop(before); // outside of the lock: the error in it is a user value
        }
        if !heard {
            return self.bus.count(&kind);
        }
        let down = || Some(lock(&self.life).rare()?.down?.elapsed());
        let facts = Facts {
            declared: &|| self.is_declared(),
            is_root: self.parent.is_none(),
            undecided: &|| lock(&self.life).rare().is_some_and(|rare| rare.undecided),
            down: &down,
            delay: restarts.delay,
            limit: restarts.limit.unwrap_or(&|| None),
            healed: restarts.healed,
            decided: restarts.decided,
        };
        let path = || self.path();
        self.bus.emit(&About { cell: Some(self), path: &path, incarnation: self.incarnation(), facts: &facts }, kind);
    }

    /// The child ends with its failure, and nobody decided that.
    pub(crate) fn ends_undecided(&self) {
        lock(&self.life).rare_or_init().undecided = true;
    }

    /// The child goes on after a failure: it was not down.
    pub(crate) fn resumes(&self) {
        lock(&self.life).forget_down();
    }

    /// Returns whether this child is declared, and everything above it: its path is known while compiling.
    pub(crate) fn is_declared(&self) -> bool {
        successors(Some(self), |core| core.core_above())
            .all(|core| matches!(core.name, Name::Declared(_) | Name::Element(..)))
    }

    /// Returns whether this is a child of the guardian.
    pub fn is_top_level(&self) -> bool {
        self.core_above().is_some_and(CellCore::is_guardian)
    }

    /// Returns the name, if it is one of a declaration.
    pub fn declared_name(&self) -> Option<&Name> {
        matches!(self.name, Name::Declared(_) | Name::Element(..)).then_some(&self.name)
    }

    /// Raises an event that is made only if someone listens.
    pub(crate) fn emit_with(&self, kind: impl FnOnce() -> EventKind) {
        foreign();
        if self.bus.is_heard() {
            self.emit_of(kind(), Restarts::default());
        }
    }

    /// Reports a failure on the way down, for which there is no decision. If the cell ends, it is in the report (S24).
    pub(crate) fn fails_late(&self, failure: Failure) {
        let _shelter = DeferDrops::new();
        let mut life = lock(&self.life);
        match &mut life.rare_or_init().late {
            Some(late) => late.count = late.count.saturating_add(1),
            none => *none = Some(Late { first: failure.clone(), count: 1 }),
        }
        drop(life);
        self.late.store(true, Ordering::Relaxed);
        self.tell_reported(failure);
    }

    /// Tells of a failure on the way down.
    pub(crate) fn tell_reported(&self, failure: Failure) {
        self.emit(EventKind::Reported { failure });
    }

    /// Returns the first failure on the way down, and their number.
    pub(crate) fn late(&self) -> (Option<Failure>, u32) {
        match lock(&self.life).rare().and_then(|rare| rare.late.as_ref()) {
            Some(late) => (Some(late.first.clone()), late.count),
            None => (None, 0),
        }
    }

    /// Forgets these failures when a new incarnation begins: they belonged to a restart.
    pub(crate) fn forget_late(&self) {
        if self.late.swap(false, Ordering::Relaxed) {
            let late = lock(&self.life).rare_mut().and_then(|rare| rare.late.take());
            drop(late); // outside of the lock: it contains an error, which is a user value
        }
    }

    /// Returns the declaration of this child: for an instance of a set, that of the set. `None` for a root, and for a
    /// child of an actor.
    pub fn declaration(&self) -> Option<&'static ChildSpec> {
        self.declaration_in(self.parent.as_ref()?.core().declarations())
    }

    /// Returns the declarations of the children of this cell.
    pub fn declarations(&self) -> Declarations {
        let Some(table) = self.table() else { return Declarations::None };
        match table.declaration.get() {
            Some(tree) => Declarations::Tree(tree),
            None if table.inspect(|group| group.owner() == Owner::Set) => {
                self.declaration().map_or(Declarations::None, Declarations::Set)
            }
            None => Declarations::None,
        }
    }

    /// Returns the declaration of this cell among those of its parent's children.
    pub fn declaration_in(&self, declarations: Declarations) -> Option<&'static ChildSpec> {
        match declarations {
            Declarations::Tree(tree) => {
                let (Name::Declared(own) | Name::Element(own, _)) = self.name else { return None };
                tree.children.iter().find(|child| child.name == own)
            }
            Declarations::Set(set) => Some(set),
            Declarations::None => None,
        }
    }

    // ----- observed messages

    /// Changes the numbers of the messages that are observed.
    pub(crate) fn tally<R>(&self, change: impl FnOnce(&mut Tally) -> R) -> R {
        change(lock(&self.life).rare_or_init().tally.get_or_insert_default())
    }

    /// Returns the numbers of the messages, if any were observed.
    pub fn tallied(&self) -> Option<Tally> {
        lock(&self.life).rare()?.tally.as_deref().copied()
    }

    // ----- extensions

    /// Returns the state of this type that an extension keeps here.
    pub fn slot<T: Any + Send + Sync>(&self) -> Option<StdArc<T>> {
        lock(&self.life).rare()?.slots.get()
    }

    /// Sets the state of this type. Returns the one before.
    pub fn set_slot<T: Any + Send + Sync>(&self, state: StdArc<T>) -> Option<StdArc<T>> {
        lock(&self.life).rare_or_init().slots.set(state)
    }

    /// Returns the state of this type, which is made if there is none.
    pub fn slot_or_default<T: Any + Default + Send + Sync>(&self) -> StdArc<T> {
        self.slot().unwrap_or_else(|| {
            let new = StdArc::<T>::default(); // outside of the lock, as all other code
            let mut life = lock(&self.life);
            life.rare_or_init().slots.get_or_set(&new)
        })
    }

    // ----- sources

    /// Counts an item of a source that becomes a dead letter: it was accepted by no mailbox before.
    #[cfg(feature = "testing")]
    pub(crate) fn witness_item(&self) {
        if let Some(witness) = self.bus.witness() {
            witness.accepts();
        }
    }

    /// Counts a source that the actor follows, or follows no more.
    pub(crate) fn count_source(&self, followed: bool) {
        let mut life = lock(&self.life);
        let follows = &mut life.rare_or_init().follows;
        *follows = if followed { follows.saturating_add(1) } else { follows.saturating_sub(1) };
    }

    /// Returns the number of sources that the actor follows.
    pub fn follows(&self) -> u32 {
        lock(&self.life).rare().map_or(0, |rare| rare.follows)
    }

    // ----- a task that an extension has dropped

    /// Marks the cell as one whose task is about to be dropped.
    pub(crate) fn set_dropped(&self) {
        lock(&self.life).rare_or_init().dropped = true;
    }

    pub(crate) fn was_dropped(&self) -> bool {
        lock(&self.life).rare().is_some_and(|rare| rare.dropped)
    }

    // ----- children

    /// Returns the table of the children, if there may be any.
    pub fn table(&self) -> Option<&ChildTable> {
        self.table.get().map(|table| &**table)
    }

    pub(crate) fn table_or_init(&self, make: impl FnOnce() -> ChildTable) -> &ChildTable {
        self.table.get_or_init(|| Box::new(make()))
    }

    // ----- control

    pub(crate) fn has_control(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Takes all queued messages: the first, and those after it.
    #[expect(clippy::box_collection, reason = "as in `Queue`")]
    pub(crate) fn take_control(&self) -> (Option<SystemMessage>, Option<Box<Vec<SystemMessage>>>) {
        let mut queue = lock(&self.queue);
        self.flag.store(false, Ordering::Relaxed);
        (queue.first.take(), queue.more.take())
    }

    /// Returns whether a caller has asked for the end of this life, even if the cell has not handled that request yet.
    pub fn was_asked_to_stop(&self) -> bool {
        let asked = |message: &SystemMessage| matches!(message, SystemMessage::Stop | SystemMessage::Kill);
        let reason = self.stop_reason();
        matches!(reason, Some(StopReason::Asked | StopReason::Drain)) || lock(&self.queue).iter().any(asked)
    }

    /// Takes out the requests that were not handled: they concern a life that has ended.
    pub(crate) fn forget_requests(&self) -> Vec<SystemMessage> {
        let mut queue = lock(&self.queue);
        let all = std::mem::take(&mut *queue).into_iter();
        let (old, kept): (Vec<_>, Vec<_>) = all.partition(SystemMessage::is_request);
        kept.into_iter().for_each(|message| queue.push(message));
        old
    }

    /// Stores the waker of the cell's own task. To be called by that task before anything else.
    pub(crate) fn set_task_waker(&self, waker: &Waker) {
        let _ = self.task_waker.set(waker.clone());
        // After this fence, the task checks whether messages are queued; see `ring`.
        fence(Ordering::SeqCst);
    }

    /// Wakes the cell's task. Set at its first poll.
    pub(crate) fn task_waker(&self) -> &Waker {
        self.task_waker.get().unwrap_or(Waker::noop())
    }

    /// Wakes the task, if it has been polled before; otherwise its first poll finds the request.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn wake(&self) {
        foreign();
        if let Some(task_waker) = self.task_waker.get() {
            task_waker.wake_by_ref();
        }
    }

    // ----- up and ended

    pub(crate) fn set_up(&self) {
        let _shelter = DeferDrops::new();
        let (waiting, before) = {
            let mut life = lock(&self.life);
            self.was_up.store(true, Ordering::Relaxed);
            life.forget_down();
            (std::mem::take(&mut life.waiting), life.go_up())
        };
        foreign();
        waiting.wake();
        drop(before);
    }

    /// Returns whether the child is up.
    pub fn is_up(&self) -> bool {
        lock(&self.life).is_up()
    }

    /// Returns whether the child has ever been up.
    pub fn was_up(&self) -> bool {
        self.was_up.load(Ordering::Relaxed)
    }

    /// Returns the last failure.
    pub fn last_failure(&self) -> Option<Failure> {
        lock(&self.life).rare()?.failed.clone()
    }

    /// Returns the end, until the child is started again.
    pub fn ended(&self) -> Option<Ended> {
        lock(&self.life).ended().cloned()
    }

    /// Returns whether the child has ended.
    pub fn has_ended(&self) -> bool {
        lock(&self.life).ended().is_some()
    }

    /// Marks the cell as ended and notifies all watchers, once.
    pub(crate) fn set_ended(&self, ended: Ended) {
        let _shelter = DeferDrops::new();
        let (watchers, answers, waiting, before) = {
            let mut life = lock(&self.life);
            let before = life.end(ended.clone());
            let (watchers, answers) = match life.rare_mut() {
                Some(rare) => (Some(rare.watchers.all()), [rare.starting.take(), rare.sign.take()]),
                None => (None, [None, None]),
            };
            (watchers, answers, std::mem::take(&mut life.waiting), before)
        };
        for answer in answers.into_iter().flatten() {
            answer.decide(Err(ended.clone()));
        }
        foreign();
        waiting.wake();
        watchers.into_iter().flatten().for_each(|tell| tell(&ended));
        drop(before);
        if let Some(table) = self.parent.as_ref().and_then(|parent| parent.core().table()) {
            table.tell_each(self, None, &ended);
        }
    }

    /// Registers a caller that asks for a start. To be called under the lock of the supervisor, with its decision.
    pub(crate) fn expect_start(&self) -> Arc<SharedWait> {
        lock(&self.life).rare_or_init().starting.get_or_insert_default().clone()
    }

    /// Takes the requested start that has come. To be called under the lock of the supervisor, which accepts that the
    /// cell is up.
    pub(crate) fn take_start(&self) -> Option<Arc<SharedWait>> {
        lock(&self.life).rare_mut()?.starting.take()
    }

    /// Asks for a sign of life, and says whether nobody has asked before. `None`: the cell has ended.
    pub(crate) fn expect_sign(&self) -> Option<(Arc<SharedWait>, bool)> {
        let mut life = lock(&self.life);
        if life.ended().is_some() {
            return None;
        }
        let sign = &mut life.rare_or_init().sign;
        let is_first = sign.is_none();
        Some((sign.get_or_insert_default().clone(), is_first))
    }

    /// Gives the sign of life that callers wait for.
    pub(crate) fn give_sign(&self) {
        let sign = lock(&self.life).rare_mut().and_then(|rare| rare.sign.take());
        if let Some(sign) = sign {
            sign.decide(Ok(()));
        }
    }

    /// The requested start will not come, and the end of the cell was announced before the request.
    pub(crate) fn fail_start(&self, ended: &Ended) {
        if let Some(start) = self.take_start() {
            start.decide(Err(ended.clone()));
        }
    }

    /// Clears the end of a cell that its supervisor starts again (S20).
    pub(crate) fn revive(&self) {
        let _shelter = DeferDrops::new();
        let mut life = lock(&self.life);
        let before = (life.live_again(), life.rare_mut().and_then(|rare| rare.report.take()));
        drop(life);
        drop(before); // they contain errors, which are user values
    }

    /// Drops the report of a failed first start, since the tree is coming up after all.
    pub(crate) fn forget_report(&self) {
        let report = lock(&self.life).rare_mut().and_then(|rare| rare.report.take());
        drop(report); // a report contains errors, which are user values
    }

    /// Opens a report: from now on the ends of the children are recorded. Returns `false` if one is open.
    pub(crate) fn open_report(&self) -> bool {
        self.bus.reports.store(true, Ordering::Relaxed);
        let mut life = lock(&self.life);
        let report = &mut life.rare_or_init().report;
        let opens = report.is_none();
        report.get_or_insert_default();
        opens
    }

    /// Adds the children that were found to have ended when the report was opened. They come first.
    pub(crate) fn had_ended(&self, found: Vec<EndedChild>) {
        if found.is_empty() {
            return;
        }
        let found: Vec<_> = found.into_iter().map(Arc::new).collect();
        if let Some(report) = lock(&self.life).rare_mut().and_then(|rare| rare.report.as_mut()) {
            report.extend_from_slice(&found);
        }
    }

    /// Returns the end of this cell as a tree above it finds it, if it has ended.
    pub(crate) fn found_ended(&self) -> Option<EndedChild> {
        let ended = self.ended()?;
        let (failure, failures) = self.late();
        let (took, aborted) = (Duration::ZERO, matches!(ended, Ended::Aborted));
        let end = ChildEnd { ended, took, aborted, stuck: false, failure, failures };
        Some(EndedChild { id: self.id, order: FOUND, path: self.place(), end })
    }

    /// Returns the ends of the children, in the order in which their groups counted them as ended.
    pub fn report(&self) -> Vec<ChildReport> {
        let all = lock(&self.life).rare().and_then(|rare| rare.report.clone()).unwrap_or_default();
        let mut all: Vec<_> = all.into_iter().enumerate().collect();
        all.sort_by_key(|(_, child)| child.id); // stable: of two with the same id, the first to arrive stays
        all.dedup_by_key(|(_, child)| child.id);
        all.sort_unstable_by_key(|(place, child)| (child.order, *place));
        all.into_iter().map(|(_, child)| child.end.at(child.path.to_text())).collect()
    }

    /// Reports the end of this cell to all trees above it that are stopping.
    pub(crate) fn tell_report(&self, end: impl FnOnce() -> ChildEnd) {
        if !self.bus.reports.load(Ordering::Relaxed) {
            return; // without searching for one all the way up
        }
        let order = match self.closing.load(Ordering::Relaxed) {
            0 => number(), // no longer waited for, or dropped with its runtime
            order => order,
        };
        let mut end = Some(end);
        let mut child = None;
        let mut above = self.supervisor();
        while let Some(cell) = above {
            if let Some(all) = lock(&cell.core().life).rare_mut().and_then(|rare| rare.report.as_mut()) {
                if let Some(end) = end.take() {
                    child = Some(Arc::new(EndedChild { id: self.id, order, path: self.place(), end: end() }));
                }
                all.extend(child.clone());
            }
            above = cell.core().supervisor();
        }
    }

    /// Calls `tell` once the cell has ended, immediately if it has. Needs no runtime. Returns the ticket for
    /// `forget`.
    pub fn on_end(&self, tell: OnEnd) -> u64 {
        let mut life = lock(&self.life);
        let ticket = life.ticket();
        match life.ended().cloned() {
            Some(ended) => {
                drop(life);
                foreign();
                tell(&ended);
            }
            None => life.rare_or_init().watchers.come(ticket, tell),
        }
        ticket
    }

    /// Removes the watcher with this ticket, so that it is not notified.
    pub(crate) fn forget(&self, ticket: u64) {
        let forgotten = lock(&self.life).rare_mut().and_then(|rare| rare.watchers.leave(ticket));
        foreign();
        drop(forgotten); // outside of the lock: a watcher holds references to cells
    }

    /// Polls for the first time that the cell is up (`Ok`, even if it has ended since), or for an end before that
    /// (`Err`).
    pub fn poll_up(&self, waiting: &mut Waiting, waker: &Waker) -> Poll<Result<(), Ended>> {
        self.poll_life(waiting, waker, |life| match life.ended() {
            _ if self.was_up.load(Ordering::Relaxed) => Some(Ok(())),
            Some(ended) => Some(Err(ended.clone())),
            None => None,
        })
    }

    /// Returns the end, or a registration for the next one: that end is found even if the cell has been started again
    /// before the first poll.
    pub(crate) fn expect_end(&self) -> Result<Ended, Waiting> {
        let mut life = lock(&self.life);
        match life.ended().cloned() {
            Some(ended) => Ok(ended),
            None => Err(Waiting(Some(life.ticket()))),
        }
    }

    /// Polls for the end.
    pub(crate) fn poll_ended(&self, waiting: &mut Waiting, waker: &Waker) -> Poll<Ended> {
        let ticket = waiting.0;
        self.poll_life(waiting, waker, |life| life.ended().cloned().or_else(|| life.heard_by(ticket?)))
    }

    /// Stores the waker while `found` returns nothing. The waker is cloned before the lock is taken, since it may be
    /// user code.
    fn poll_life<T>(&self, waiting: &mut Waiting, waker: &Waker, found: impl Fn(&Life) -> Option<T>) -> Poll<T> {
        let mut fresh = None;
        loop {
            let mut life = lock(&self.life);
            if let Some(found) = found(&life) {
                return Poll::Ready(found); // `fresh` is dropped after the guard
            }
            if life.waits(waiting, waker) {
                return Poll::Pending;
            }
            if let Some(fresh) = fresh.take() {
                let before = life.wait(waiting, fresh);
                drop(life);
                drop(before);
                return Poll::Pending;
            }
            drop(life);
            foreign();
            fresh = Some(waker.clone());
        }
    }

    /// Removes the waker of a future that was dropped, so that it is not kept until the end.
    pub(crate) fn leave(&self, Waiting(ticket): &mut Waiting) {
        let Some(ticket) = ticket.take() else { return };
        let mut life = lock(&self.life);
        let left = life.waiting.remove(ticket);
        drop(life);
        foreign();
        drop(left); // a waker may be user code
    }
}

impl Drop for CellCore {
    fn drop(&mut self) {
        foreign(); // drops watchers and messages of users
        if let Some(parent) = self.parent.take() {
            let_go(parent);
        }
    }
}

std::thread_local! {
    /// The cells to drop on this thread after the one that is being dropped.
    static GOING: RefCell<Option<Vec<Arc<AnyCell>>>> = const { RefCell::new(None) };
}

/// Drops a cell. If it was the last reference, the cell above it may follow, and so on up: in a loop, since recursion
/// could exhaust the stack.
fn let_go(cell: Arc<AnyCell>) {
    struct Last;
    impl Drop for Last {
        fn drop(&mut self) {
            // Empty, unless a message panicked when it was dropped with its cell.
            let left = GOING.with(RefCell::take);
            drop(left);
        }
    }
    let mut next = Some(cell);
    let is_first = GOING.try_with(|going| match &mut *going.borrow_mut() {
        Some(queued) => {
            queued.extend(next.take());
            false
        }
        none => {
            *none = Some(Vec::new());
            true
        }
    });
    if is_first != Ok(true) {
        return; // the cell is queued, or the thread is ending
    }
    let _last = Last;
    while let Some(cell) = next {
        drop(cell);
        next = GOING.with(|going| going.borrow_mut().as_mut().and_then(Vec::pop));
    }
}

impl fmt::Debug for CellCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellCore").field("id", &self.id).field("path", &self.path()).finish_non_exhaustive()
    }
}

/// A cell: the part without type parameters, and `M`, by which cells differ.
///
/// The fields stay in this order: what the cell's own task writes at each message comes first, and what senders write is
/// in `mail`, which is last. With the core in between, the two are never in one line of the processor's cache, which
/// each write would take from the other side.
#[repr(C)]
pub struct CellOf<M: ?Sized> {
    /// The number of messages in the actor's batch. Written by the actor; read under the lock by senders that find the
    /// mailbox full.
    pub(in crate::engine) in_batch: AtomicUsize,
    /// The number of the turn in which messages are in hand; 0 if none is. No two messages whose handlers wait have the
    /// same number. A child without a mailbox is always busy.
    pub(in crate::engine) in_hand: AtomicU32,
    /// A sender waits for room.
    pub(in crate::engine) has_waiters: AtomicBool,
    /// The loop of the child has to return, because an order arrived. Written by the cell's own task, before it polls
    /// the loop.
    pub(in crate::engine) interrupted: AtomicBool,
    /// The present incarnation has handled a message.
    pub(in crate::engine) handled: AtomicBool,
    /// Messages are refused while the actor is down (S35).
    pub(in crate::engine) rejecting: bool,
    core: CellCore,
    pub(crate) mail: M,
}

/// A cell without its message type. Its core is a field as well, so no function is called to reach it.
pub type AnyCell = CellOf<dyn Mail>;

/// The part of a cell by which cells differ: a mailbox, or [`NoMail`]. `cell`: the cell that this is part of.
pub trait Mail: Any + Send + Sync {
    /// Refuses messages from now on; queued ones become dead letters.
    fn refuse(&self, _cell: &AnyCell) {}
    /// Marks the actor as down or suspended, or as up again, in a cell that refuses messages meanwhile.
    fn set_down(&self, _gate: Admission) {}
    /// Sets the time of the next start, for senders that are rejected.
    fn set_retry(&self, _at: Option<Instant>) {}
    /// Reopens a closed mailbox.
    fn reopen(&self) {}
    /// Refuses messages from now on; queued ones are still handled. Returns the senders that waited for room.
    fn drain_gate(&self) -> Blocked {
        Blocked::none()
    }
    /// Returns whether this is the mailbox of an actor.
    fn has_messages(&self) -> bool {
        false
    }
    /// Returns the hooks of the actor, if this is its mailbox.
    fn hooks(&self) -> Option<DeclaredHooks> {
        None
    }
    /// Returns the fill level of the mailbox, if there is one.
    fn depth(&self, _cell: &AnyCell) -> Option<MailboxDepth> {
        None
    }
}

impl<M> CellOf<M> {
    /// Makes a cell around `mail`. `core` makes the core, when nothing is left that could panic: a panic would have to
    /// drop the core, which could then not be made where it is to be.
    #[inline(always)]
    pub(in crate::engine) fn around(mail: M, in_hand: u32, rejecting: bool, core: impl FnOnce() -> CellCore) -> Self {
        CellOf {
            in_batch: AtomicUsize::new(0),
            in_hand: AtomicU32::new(in_hand),
            has_waiters: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            handled: AtomicBool::new(false),
            rejecting,
            core: core(),
            mail,
        }
    }
}

impl<M: ?Sized> CellOf<M> {
    #[inline(always)]
    pub fn core(&self) -> &CellCore {
        &self.core
    }

    /// Makes the loop of the child return: that of an actor after the message in hand.
    pub(crate) fn interrupt(&self, on: bool) {
        self.interrupted.store(on, Ordering::Release);
    }

    /// Returns whether the loop has to return for an order. The order itself wakes the task, so no waker is needed
    /// here.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    /// Returns whether a message is in hand.
    pub fn is_busy(&self) -> bool {
        self.in_hand() != 0
    }

    /// Returns the number of the turn in which messages are in hand; 0 for none. Two messages that wait have two numbers.
    pub(crate) fn in_hand(&self) -> u32 {
        self.in_hand.load(Ordering::Relaxed)
    }

    /// Returns whether the present incarnation has handled a message.
    pub fn has_handled(&self) -> bool {
        self.handled.load(Ordering::Relaxed)
    }
}

impl AnyCell {
    /// Returns whether an extension holds the code of this child.
    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        let extensions = &self.core.bus.extensions;
        extensions.attached_want(Wants::CODE) && extensions.pass(self, Gate::Code) != Pass::Go
    }

    /// Returns whether this is the cell of an actor.
    pub fn has_messages(&self) -> bool {
        self.mail.has_messages()
    }

    /// Returns whether senders may wait for room.
    pub fn has_waiters(&self) -> bool {
        self.has_waiters.load(Ordering::Relaxed)
    }

    /// Returns the part by which cells differ, if it has this type.
    pub(crate) fn mail_as<M: Mail>(&self) -> Option<&M> {
        let mail: &dyn Any = &self.mail;
        mail.downcast_ref()
    }

    /// Refuses messages from now on; queued ones become dead letters.
    pub(crate) fn refuse(&self) {
        self.mail.refuse(self);
    }

    /// Marks the cell as down or suspended, or as up again; the current message continues. Only matters with
    /// `while_down(Reject)`.
    pub(crate) fn set_down(&self, gate: Admission) {
        if self.rejecting {
            self.mail.set_down(gate);
        }
    }

    /// Sets the time of the next start, for senders that are rejected.
    pub(crate) fn set_retry(&self, at: Option<Instant>) {
        if self.rejecting {
            self.mail.set_retry(at);
        }
    }

    /// Tells the supervisor, and extensions, that the child has begun to end by itself. They learn
    /// of it here, and not once the child is down: nobody is to get a handle of it, or to restart it, meanwhile.
    pub(crate) fn leaves(&self, supervisor: Option<(&ChildTable, &AnyCell)>) {
        if let Some((table, owner)) = supervisor {
            table.on_child(owner, self, |group, id| group.leaves(id));
        }
        let extensions = &self.core().bus.extensions;
        if extensions.want(Wants::LIVES) {
            extensions.each(Wants::LIVES, |extension| extension.leaves(self.core()));
        }
    }

    /// Reopens a closed mailbox, because the child is started again: messages wait.
    pub(crate) fn reopen(&self) {
        self.mail.reopen();
    }

    /// Refuses messages from now on; queued ones are still handled.
    pub(crate) fn refuse_new(&self) {
        drop(self.mail.drain_gate());
    }

    /// Returns the hooks of an actor.
    pub fn hooks(&self) -> Option<DeclaredHooks> {
        self.mail.hooks()
    }

    /// Returns the fill level of the mailbox, if there is one.
    pub fn mailbox(&self) -> Option<MailboxDepth> {
        self.mail.depth(self)
    }
}

impl<M: ?Sized> fmt::Debug for CellOf<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core.fmt(f)
    }
}

/// Queues a message and wakes the cell's task.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn send(cell: &AnyCell, control: SystemMessage) {
    queue(cell, control);
    ring(cell);
}

/// Wakes the cell's task for a message that was queued. To be called without a lock.
///
/// Before the task's first poll there is no waker and no task to wake: the task checks its queue once its waker is
/// stored. This side sets the flag (`queue`), then looks for the waker. The task stores the waker (`set_task_waker`),
/// then looks at the flag. A processor may move each of the two loads before the store ahead of it, and then neither
/// side would see the other. Therefore each side has a `SeqCst` fence between its store and its load. Of two such
/// fences one is first, and the stores before it are visible to the loads after the other. The interleaving tests
/// cannot show this, because every atomic in shuttle is sequentially consistent. Later wake-ups need no fence, since
/// they go through the state of tokio's task.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn ring(cell: &AnyCell) {
    fence(Ordering::SeqCst);
    cell.core().wake();
}

/// Queues a message. Enough if this is the cell's own task, which looks at its queue before it waits.
pub(crate) fn queue(cell: &AnyCell, control: SystemMessage) {
    let core = cell.core();
    let mut queue = lock(&core.queue);
    queue.push(control);
    core.flag.store(true, Ordering::Release);
}

/// The cell was notified of its end, and has notified all its watchers: its supervisor's own end may follow.
pub(crate) fn closed(cell: &AnyCell) {
    let core = cell.core();
    if core.was_closing()
        && let Some(owner) = core.supervisor()
        && let Some(table) = owner.core().table()
    {
        table.closed(&*owner);
    }
}

/// A cell without a mailbox: a task, a tree, a set.
pub(crate) type BareCell = CellOf<NoMail>;

/// The place of a mailbox in a cell that has none.
pub(crate) struct NoMail {
    /// The slot for the handle of a tree, which the tree's task keeps: the handle keeps this cell.
    handle: OnceLock<Box<Weak<dyn Any + Send + Sync>>>,
}

impl Mail for NoMail {}

impl BareCell {
    pub(crate) fn new(core: CellCore) -> Arc<Self> {
        Arc::new(CellOf::around(NoMail { handle: OnceLock::new() }, 1, false, || core))
    }

    /// Sets the slot for the handle of a tree. To be called once, before the cell is shared.
    pub(crate) fn set_handle<S: Send + Sync + 'static>(&self, slot: &Arc<S>) {
        let slot: Weak<S> = Arc::downgrade(slot);
        let _ = self.mail.handle.set(Box::new(slot));
    }
}

impl AnyCell {
    /// Returns the slot for the handle of a tree, if it has this type and the tree's task lives.
    pub(crate) fn handle<S: Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        self.mail_as::<NoMail>()?.handle.get()?.upgrade()?.downcast().ok()
    }

    /// Returns whether this is the cell of a task: of a child without messages, and without children of its own.
    pub(crate) fn is_of_a_task(&self) -> bool {
        self.mail_as::<NoMail>().is_some_and(|mail| mail.handle.get().is_none()) && self.core.table().is_none()
    }
}
