//! Extensions: the code that looks at a tree, or stands beside it, and is no part of it. Logs, metrics, leases and fences
//! are extensions.
//!
//! A tree has two lists of them. The standing ones are the same for all trees of a program, so their list is static.
//! The others are attached to one tree: before its first step, or, if they only observe, at any time. They are asked in
//! one order: fences, leases, the standing ones, observers.
//!
//! An extension is foreign code. No lock is held when it is called, and a panic in it ends there. An extension that panics
//! when it is asked whether code may run lets nothing run.

use std::any::Any;
use std::fmt;
use std::iter::successors;
use std::sync::Arc as StdArc;
use std::task::Context;
use std::time::Duration;

use crate::engine::bus::TreeShared;
use crate::engine::cell::control::{AnyCell, CellCore};
use supervise_core::base::deferred_drop::{CatchDrop, shielded};
use supervise_core::base::sync::atomic::{AtomicU8, Ordering::Relaxed};
use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, lock};
use supervise_core::values::declaration::TreeSpec;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Failure;
use supervise_core::values::fence::FenceToken;

/// The calls that an extension wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants(u8);

impl Wants {
    /// No calls but those that come seldom: the begin of a tree, advice, a child that is given up.
    pub const NOTHING: Wants = Wants(0);
    /// [`Extension::event`].
    pub const EVENTS: Wants = Wants(0b0001);
    /// [`Extension::begins`], [`Extension::leaves`] and [`Extension::ended`].
    pub const LIVES: Wants = Wants(0b0010);
    /// [`Extension::pass`] at [`Gate::Task`]. Only for a fence.
    pub const TASKS: Wants = Wants(0b0100);
    /// [`Extension::pass`] at [`Gate::Code`]. Only for a lease.
    pub const CODE: Wants = Wants(0b1000);
    /// [`Extension::message`].
    pub const MESSAGES: Wants = Wants(0b01_0000);
    /// [`Extension::ending`] and [`Extension::over`].
    pub const ROOTS: Wants = Wants(0b10_0000);

    /// Returns the calls that one of the two wants.
    pub const fn and(self, other: Wants) -> Wants {
        Wants(self.0 | other.0)
    }

    /// Returns the calls without the questions that are not for this role.
    const fn of(self, role: Role) -> Wants {
        let questions = Self::TASKS.0 | Self::CODE.0;
        let own = match role {
            Role::Fence => Self::TASKS.0,
            Role::Lease => Self::CODE.0,
            Role::Observer => 0,
        };
        Wants(self.0 & (!questions | own))
    }

    const fn meets(self, other: Wants) -> bool {
        self.0 & other.0 != 0
    }
}

/// The place of an extension in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Asked first, whether a task may be polled.
    Fence,
    /// Asked whether user code may run.
    Lease,
    /// Has nothing to decide.
    Observer,
}

/// The place at which [`Extension::pass`] is asked.
#[derive(Debug)]
pub enum Gate<'a, 'b> {
    /// The task of a cell is about to be polled: its orders, its timers, its user code.
    Task(&'a mut Context<'b>),
    /// User code of the cell is about to run.
    Code,
}

/// The answer of [`Extension::pass`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The task, or the code, runs.
    Go,
    /// The task, or the code, does not run. At [`Gate::Task`], the extension wakes the task when it is to ask again. At
    /// [`Gate::Code`], code that was held once may not go on by itself: the extension sees to it that the child is aborted.
    Hold,
    /// The task is dropped, without hooks. Only for [`Gate::Task`].
    Drop,
}

/// The begin or the end of a message of an actor, while times are observed.
#[derive(Debug, Clone, Copy)]
pub enum Edge {
    /// A message begins that came while times were noted.
    Begins {
        /// The time for which it has waited.
        waited: Duration,
    },
    /// A message is over whose begin was noted.
    Over {
        /// The time of its handler.
        took: Duration,
    },
}

/// An advice or a mishap that is no event of the tree.
#[derive(Debug, Clone, Copy)]
pub enum Advice<'a> {
    /// A task has called `cx.ready()`, which its declaration does not wait for.
    VainReady {
        /// The path of the task.
        path: &'a str,
    },
    /// Panics end the process: nothing can be restarted after one.
    PanicsAbort,
    /// An event was not passed on: user code panicked meanwhile.
    Lost {
        /// The path of the child.
        path: &'a str,
        /// Its incarnation.
        incarnation: u32,
    },
}

/// The facts about the child of an event that the event does not have. They are read only when they are needed.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// Returns whether the child and everything above it is declared, and not spawned at run time.
    pub declared: &'a dyn Fn() -> bool,
    /// Whether the child is the root of a tree.
    pub is_root: bool,
    /// Returns whether the child ends with a failure about which nobody decided: no event says so yet.
    pub undecided: &'a dyn Fn() -> bool,
    /// Returns the time since the first failure after which the child has not been up.
    pub down: &'a dyn Fn() -> Option<Duration>,
    /// The delay of the restart that was decided.
    pub delay: Option<Duration>,
    /// Returns the restart limit that holds for the child, in words.
    pub limit: &'a dyn Fn() -> Option<String>,
    /// The failure after which the child is up again.
    pub healed: Option<&'a Failure>,
    /// Whether a decision, which was an event, has led to the present start.
    pub decided: bool,
}

impl fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").field("is_root", &self.is_root).finish_non_exhaustive()
    }
}

impl Facts<'_> {
    /// Returns the facts about a tree that is not there now.
    pub const ABSENT: Facts<'static> = Facts {
        declared: &|| true,
        is_root: true,
        undecided: &|| false,
        down: &|| None,
        delay: None,
        limit: &|| None,
        healed: None,
        decided: false,
    };
}

/// The child of an event, or the tree.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    /// `None` for an event of a tree that is not there now.
    pub(crate) cell: Option<&'a CellCore>,
    pub(crate) path: &'a dyn Fn() -> String,
    pub(crate) incarnation: u32,
    pub(crate) facts: &'a Facts<'a>,
}

impl<'a> About<'a> {
    /// Returns the event as extensions see it.
    pub(crate) fn raised(&self, kind: &'a EventKind) -> Raised<'a> {
        let About { cell, path, incarnation, facts } = *self;
        Raised { cell, path, incarnation, kind, facts }
    }
}

/// An event that is being raised.
#[derive(Clone, Copy)]
pub struct Raised<'a> {
    /// The child; `None` for an event of a tree that is not there now.
    pub cell: Option<&'a CellCore>,
    /// Returns the path.
    pub path: &'a dyn Fn() -> String,
    /// The incarnation.
    pub incarnation: u32,
    /// The event.
    pub kind: &'a EventKind,
    /// More about the child.
    pub facts: &'a Facts<'a>,
}

impl fmt::Debug for Raised<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raised").field("kind", self.kind).finish_non_exhaustive()
    }
}

/// The thing that is about to begin.
#[derive(Debug, Clone, Copy)]
pub enum Start {
    /// A tree with this declaration.
    Tree(&'static TreeSpec),
    /// A child outside of any tree.
    Alone,
    /// An actor lets go a child, which goes on outside of any tree.
    Unlinked,
}

/// The end of a child.
#[derive(Debug, Clone, Copy)]
pub struct Over {
    /// The time since the child was asked to end, or began to.
    pub took: Duration,
    /// Whether the end was asked for, of the child or of those above it.
    pub asked: bool,
}

/// A call each time the child has ended and its mailbox is closed: the state of a cell, for an actor with turns
/// ([`Actor::TURNS`](crate::Actor::TURNS)). It must not panic.
pub struct AtClose(pub Box<dyn Fn() + Send + Sync>);

impl fmt::Debug for AtClose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtClose")
    }
}

/// Something that is around the user code of an incarnation, at each poll: a span. Dropped with the incarnation.
pub trait Around: fmt::Debug + Send {
    /// User code is about to run on this thread.
    fn enter(&self);
    /// User code has run.
    fn leave(&self);
}

/// Code that looks at a tree, or stands beside it.
///
/// Each call about a tree or a cell is guarded: no lock is held, and a panic ends there. Calls come from any thread, also two
/// at once. Those about the lives of one cell ([`begins`](Extension::begins), [`leaves`](Extension::leaves),
/// [`ended`](Extension::ended)) come from its own task, one after the other. A call that has begun when the extension is
/// detached goes on.
pub trait Extension: Any + fmt::Debug + Send + Sync {
    /// Returns the place in the order. Read when the extension is attached. A standing extension is an observer.
    fn role(&self) -> Role {
        Role::Observer
    }

    /// Returns the calls that are wanted. Of an extension that is attached, this is read then; of a standing one, it is
    /// read each time, so it has to be quick.
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    /// A tree is about to begin, or a child outside of one, whose guardian is the root.
    ///
    /// # Errors
    ///
    /// The tree does not start, and fails with this text. Only of a tree.
    fn starts(&self, root: &Arc<AnyCell>, start: Start) -> Result<(), String> {
        let _ = (root, start);
        Ok(())
    }

    /// The task of a tree was spawned, to which this extension was attached before. A standing extension is not told.
    fn begun(&self, root: &Arc<AnyCell>, tree: &'static TreeSpec) {
        let _ = (root, tree);
    }

    /// Returns whether the task, or the user code, may run.
    fn pass(&self, cell: &AnyCell, gate: Gate<'_, '_>) -> Pass {
        let _ = (cell, gate);
        Pass::Go
    }

    /// The poll of a task that this extension has let pass is over.
    fn passed(&self) {}

    /// An incarnation begins; its number is set. Returns what is around its user code.
    fn begins(&self, cell: &Arc<AnyCell>) -> Option<Box<dyn Around>> {
        let _ = cell;
        None
    }

    /// Returns what is around the code on this thread, for code that is started here and runs elsewhere.
    fn around(&self) -> Option<Box<dyn Around>> {
        None
    }

    /// A message begins, or is over. A standing extension is not told.
    fn message(&self, cell: &CellCore, edge: Edge) {
        let _ = (cell, edge);
    }

    /// An event is raised.
    fn event(&self, raised: &Raised<'_>) {
        let _ = raised;
    }

    /// Something is worth a line of a log.
    fn advises(&self, advice: Advice<'_>) {
        let _ = advice;
    }

    /// A child has begun to end by itself.
    fn leaves(&self, cell: &CellCore) {
        let _ = cell;
    }

    /// A root begins to go down.
    fn ending(&self, root: &CellCore) {
        let _ = root;
    }

    /// Returns the fencing token under which the tree acts.
    fn fence(&self) -> Option<FenceToken> {
        None
    }

    /// Returns whether this is a network, on whose nodes children of the tree may run.
    fn is_network(&self) -> bool {
        false
    }

    /// A child is given up, since it blocks its thread: its tree goes on without it.
    fn gives_up(&self, child: &Arc<AnyCell>) {
        let _ = child;
    }

    /// A life is over, in order or not; its event was raised, and those who wait for it are not woken yet. Not called for a
    /// child whose task was dropped, by an extension or with its runtime.
    fn ended(&self, cell: &CellCore, over: Over) {
        let _ = (cell, over);
    }

    /// A tree, or a child outside of one, has ended. The child may be started again.
    fn over(&self, root: &CellCore) {
        let _ = root;
    }
}

/// The extensions that all trees of a program have.
#[derive(Debug)]
pub struct StandingExtensions {
    /// The extensions, in the order of their calls.
    pub all: &'static [&'static dyn Extension],
    /// Returns the calls that one of them wants now.
    pub wants: fn() -> Wants,
}

/// The extensions that all trees of a program have.
pub type Standing = &'static StandingExtensions;

impl StandingExtensions {
    /// No extension: a tree of a program that uses this crate alone.
    pub const NONE: Standing = &StandingExtensions { all: &[], wants: || Wants::NOTHING };
}

/// The extensions of a tree.
#[derive(Debug)]
pub(crate) struct Extensions {
    standing: Standing,
    /// The calls that those which are attached want.
    wants: AtomicU8,
    all: Mutex<List>,
    /// The fences and leases. None of them is ever taken out, so each poll reads them without a lock.
    gates: OnceLock<Box<Keeper>>,
}

#[derive(Debug, Default)]
struct List {
    /// In the order of the calls. Shared, so that no extension is called under the lock.
    entries: Option<Arc<[Entry]>>,
    /// The tree has ended: none is added.
    closed: bool,
}

/// An extension that is attached, with what it has answered then. The last reference may be dropped anywhere, so a panic
/// in its `Drop` is caught.
#[derive(Debug)]
struct Entry {
    extension: CatchDrop<StdArc<dyn Extension>>,
    role: Role,
    wants: Wants,
}

impl Clone for Entry {
    fn clone(&self) -> Self {
        Entry { extension: CatchDrop::new(StdArc::clone(&self.extension)), ..*self }
    }
}

/// A fence or a lease, in a list in the order of attaching.
#[derive(Debug)]
struct Keeper {
    entry: Entry,
    next: OnceLock<Box<Keeper>>,
}

impl Extensions {
    pub(crate) fn new(standing: Standing) -> Self {
        Extensions { standing, wants: AtomicU8::new(0), all: Mutex::default(), gates: OnceLock::new() }
    }

    /// Returns the extensions that all trees have.
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    /// Returns whether an extension wants one of these calls.
    #[inline(always)]
    pub(crate) fn want(&self, what: Wants) -> bool {
        self.attached_want(what) || (self.standing.wants)().meets(what)
    }

    /// Returns whether an extension that is attached wants one of these calls: one relaxed load.
    #[inline(always)]
    pub(crate) fn attached_want(&self, what: Wants) -> bool {
        Wants(self.wants.load(Relaxed)).meets(what)
    }

    /// Attaches an extension. Returns `false`, without effect, if the tree has ended.
    pub(crate) fn attach(&self, extension: StdArc<dyn Extension>) -> bool {
        let role = extension.role();
        let wants = extension.wants().of(role);
        let mut new = Some(Entry { extension: CatchDrop::new(extension), role, wants });
        if role < Role::Observer
            && let Some(entry) = &new
        {
            self.keep(entry.clone()); // first: from the wants on, it is asked
        }
        self.change(|all, closed| {
            if !closed {
                let at = all.iter().take_while(|known| known.role <= role).count();
                new.take().into_iter().for_each(|entry| all.insert(at, entry));
            }
            None
        });
        new.is_none() // otherwise dropped here, and not under the lock
    }

    /// Adds a fence or a lease after those that were attached before.
    fn keep(&self, entry: Entry) {
        let mut new = Box::new(Keeper { entry, next: OnceLock::new() });
        let mut last = &self.gates;
        loop {
            let Err(back) = last.set(new) else { return };
            new = back;
            let Some(known) = last.get() else { continue };
            last = &known.next;
        }
    }

    /// Detaches an observer.
    pub(crate) fn detach(&self, extension: &StdArc<dyn Extension>) {
        self.change(|all, _| {
            let is_it = |known: &Entry| StdArc::ptr_eq(&known.extension, extension) && known.role == Role::Observer;
            let at = all.iter().position(is_it)?;
            Some(all.remove(at))
        });
    }

    /// Changes the list. Returns no entry that is gone under the lock.
    fn change(&self, change: impl FnOnce(&mut Vec<Entry>, bool) -> Option<Entry>) {
        let mut list = lock(&self.all);
        let mut all = list.entries.as_deref().map_or_else(Vec::new, <[Entry]>::to_vec);
        let gone = change(&mut all, list.closed);
        let wants = all.iter().fold(Wants::NOTHING, |wants, entry| wants.and(entry.wants));
        self.wants.store(wants.0, Relaxed); // under the lock, so that the last change wins
        let before = std::mem::replace(&mut list.entries, (!all.is_empty()).then(|| all.into()));
        drop(list);
        drop((gone, before));
    }

    /// Ends the observers, for good. Fences and leases stay: a child that is stuck may go on after the end of its tree.
    pub(crate) fn close(&self) {
        let is_empty = {
            let mut list = lock(&self.all);
            list.closed = true;
            list.entries.is_none()
        };
        if is_empty {
            return;
        }
        let mut gone = Vec::new();
        self.change(|all, _| {
            let (observers, kept) = all.drain(..).partition(|entry| entry.role == Role::Observer);
            (gone, *all) = (observers, kept);
            None
        });
        drop(gone);
    }

    /// Calls the extensions that want one of these calls.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn each(&self, what: Wants, mut call: impl FnMut(&dyn Extension)) {
        let attached = if self.attached_want(what) { self.attached() } else { None };
        for (extension, wants) in self.in_order(attached.as_deref().unwrap_or_default()) {
            if wants.meets(what) {
                shielded(|| call(extension));
            }
        }
    }

    /// The same, for the attached ones alone.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn each_attached(&self, what: Wants, mut call: impl FnMut(&dyn Extension)) {
        for Entry { extension, wants, .. } in self.attached().iter().flat_map(|all| all.iter()) {
            if wants.meets(what) {
                shielded(|| call(&***extension));
            }
        }
    }

    /// Calls all extensions, whatever they want.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn every(&self, mut call: impl FnMut(&dyn Extension)) {
        for (extension, _) in self.in_order(self.attached().as_deref().unwrap_or_default()) {
            shielded(|| call(extension));
        }
    }

    /// Returns what is around the user code of an incarnation that begins.
    #[inline(never)]
    pub(crate) fn begin(&self, cell: &Arc<AnyCell>) -> Vec<Box<dyn Around>> {
        let mut around = Vec::new();
        self.each(Wants::LIVES, |extension| around.extend(extension.begins(cell)));
        around
    }

    /// Returns whether the task may be polled, or the user code may run. After [`Pass::Go`] for a task, call
    /// [`passed`](Self::passed) once it was polled.
    #[cold]
    pub(crate) fn pass(&self, cell: &AnyCell, mut gate: Gate<'_, '_>) -> Pass {
        let (what, otherwise) = match gate {
            Gate::Task(_) => (Wants::TASKS, Pass::Drop),
            Gate::Code => (Wants::CODE, Pass::Hold),
        };
        for (at, entry) in self.keepers(what).enumerate() {
            let gate = match &mut gate {
                Gate::Task(cx) => Gate::Task(cx),
                Gate::Code => Gate::Code,
            };
            match shielded(|| entry.extension.pass(cell, gate)).unwrap_or(otherwise) {
                Pass::Go => {}
                pass => {
                    if what == Wants::TASKS {
                        for before in self.keepers(what).take(at) {
                            shielded(|| before.extension.passed());
                        }
                    }
                    return pass;
                }
            }
        }
        Pass::Go
    }

    /// The poll of a task that has passed is over.
    pub(crate) fn passed(&self) {
        for entry in self.keepers(Wants::TASKS) {
            shielded(|| entry.extension.passed());
        }
    }

    /// Returns the fences that are asked about tasks, or the leases that are asked about code, in the order of attaching.
    fn keepers(&self, what: Wants) -> impl Iterator<Item = &Entry> {
        let all = successors(self.gates.get(), |keeper| keeper.next.get());
        all.map(|keeper| &keeper.entry).filter(move |entry| entry.wants.meets(what))
    }

    fn in_order<'a>(&self, attached: &'a [Entry]) -> impl Iterator<Item = (&'a dyn Extension, Wants)> + use<'a> {
        let standing = self.standing.all.iter().map(|extension| (*extension, extension.wants()));
        let (first, last) = attached.split_at(attached.partition_point(|entry| entry.role < Role::Observer));
        let of = |entry: &'a Entry| (&**entry.extension, entry.wants);
        first.iter().map(of).chain(standing).chain(last.iter().map(of))
    }

    fn attached(&self) -> Option<Arc<[Entry]>> {
        lock(&self.all).entries.clone()
    }

    /// Returns a call for each extension of a tree that is about to begin, to be made once its task is spawned: by then the
    /// tree may have ended.
    pub(crate) fn begun_later(&self) -> impl FnOnce(&Arc<AnyCell>, &'static TreeSpec) + use<> {
        let all = self.attached();
        move |root, tree| {
            for entry in all.iter().flat_map(|all| all.iter()) {
                shielded(|| entry.extension.begun(root, tree));
            }
        }
    }
}

/// Tells the extensions of a root that it is about to begin.
///
/// # Errors
///
/// Returns the first refusal.
pub(crate) fn start_extensions(root: &Arc<AnyCell>, start: Start) -> Result<(), String> {
    let mut refused = Ok(());
    root.core().bus.extensions.every(|extension| {
        // An extension that panics lets nothing run.
        let answer = shielded(|| extension.starts(root, start));
        let answer = answer.unwrap_or_else(|| Err("an extension panicked when the tree was to start".to_owned()));
        if refused.is_ok() {
            refused = answer;
        }
    });
    refused
}

/// Tells the extensions that the root of a tree, or a child outside of one, has ended.
pub(crate) fn over(root: &CellCore) {
    if root.bus().extensions.want(Wants::ROOTS) {
        root.bus().extensions.each(Wants::ROOTS, |extension| extension.over(root));
    }
}

/// Keeps an extension attached to a running tree. Dropping it detaches the extension.
#[derive(Debug)]
pub struct Attached {
    tree: Weak<TreeShared>,
    extension: StdArc<dyn Extension>,
}

impl Attached {
    /// Attaches an observer to a running tree. Of an incarnation that has begun, it sees no begin.
    pub fn to(tree: &Arc<TreeShared>, extension: StdArc<dyn Extension>) -> Self {
        tree.attach(extension.clone());
        Attached { tree: Arc::downgrade(tree), extension }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if let Some(tree) = self.tree.upgrade() {
            tree.detach(&self.extension);
        }
    }
}

/// User code that runs in what is around it, until this is dropped.
pub(crate) struct Entered<'a>(&'a [Box<dyn Around>]);

impl<'a> Entered<'a> {
    #[inline(always)]
    pub(crate) fn of(around: &'a [Box<dyn Around>]) -> Self {
        if !around.is_empty() {
            enter_all(around);
        }
        Entered(around)
    }
}

impl Drop for Entered<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_empty() {
            leave_all(self.0);
        }
    }
}

#[cold]
fn enter_all(around: &[Box<dyn Around>]) {
    for around in around {
        shielded(|| around.enter());
    }
}

/// Leaves each part in any case, even if it has panicked at the entry: a part of it may know of the entry already.
#[cold]
fn leave_all(around: &[Box<dyn Around>]) {
    for around in around.iter().rev() {
        shielded(|| around.leave());
    }
}
