//! The type-free part of a cell: where it stands in the tree, its queue of control, and its end.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::atomic::AtomicU64 as StdAtomicU64;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::waitlist::Waitlist;
use crate::aside::Aside;
use crate::context::Move;
use crate::events::{Bus, EventKind, lock};
#[cfg(feature = "testing")]
use crate::failure::Cause;
use crate::failure::Failure;
use crate::last::Shelter;
use crate::path::escaped;
use crate::place::{Path, Place};
use crate::report::ChildReport;
use crate::snapshot::MailboxDepth;
use crate::supervisor::Sup;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use crate::sync::{Arc, Mutex, OnceLock, foreign};
use crate::watch::{Ended, Pact};

/// What is asked of a cell. The queue is unbounded and served at all times (S4).
#[derive(Debug)]
pub(crate) enum Control {
    // from its supervisor's group
    Start,
    Down(Failure),
    Resume,
    Wait(Duration),
    End(Ended),
    /// It handles what is queued, then ends.
    Drain,
    Over(Ended),
    Redecide,
    Hold(bool),
    /// Its supervisor is gone for good: nothing will start it again.
    Finish,
    /// Its supervisor's time is up, or it was killed: no hooks, leaves first.
    Abort,
    // from its own group of children
    Escalated(Failure),
    ChildrenDown,
    AllEnded(Option<Failure>),
    DropValue(u32),
    /// A child of its own was asked to go down: see that it does.
    Watchdog,
    // from outside
    Stop,
    Kill,
    /// A test lets it fail.
    #[cfg(feature = "testing")]
    Inject(Cause),
    /// An actor it depends on ended (S37).
    DeathPact(Arc<Pact>),
    // from its own user code
    /// A timer or a subordinate future (S11).
    Aside(Box<Aside>),
    /// It is to have another supervisor (S38).
    Move(Box<Move>),
}

impl Control {
    /// Asked from outside, of the life that goes on just now.
    fn is_request(&self) -> bool {
        matches!(self, Control::Stop | Control::Kill | Control::DeathPact(_))
    }
}

/// How a cell is called: declared children by their name, instances of a set by their number. Text stands here as in
/// a path.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    Text(Box<str>),
    Number(u64),
    /// What stands above a top-level actor instead of a supervisor (S39).
    Guardian,
}

impl Name {
    /// Each failure carries its path, so this is not left to `fmt`.
    pub(crate) fn push_to(&self, path: &mut String) {
        match self {
            Name::Text(text) => path.push_str(text),
            Name::Guardian => path.push_str("guardian"),
            Name::Number(number) => {
                path.push('#');
                push_number(path, *number);
            }
        }
    }
}

fn push_number(text: &mut String, number: u64) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Name::Text(escaped(name).into())
    }
}

type OnEnd = Box<dyn FnOnce(&Ended) + Send>;

/// The place of a future among those that wait for a cell to be up or to end; see [`Ctl::leave`].
#[derive(Debug, Default)]
pub(crate) struct Waiting(Option<u64>);

/// Up, down or over, and who wants to know.
#[derive(Default)]
struct Life {
    up: bool,
    /// True once it was up: a waiter for its first start has got it, whatever became of it since.
    was_up: bool,
    ended: Option<Ended>,
    /// The last failure, for who looks from outside.
    failed: Option<Box<Failure>>,
    /// The failures on the way out of the present incarnation, which nobody decided on.
    late: Option<Box<Late>>,
    /// The last end, and the last ticket that was given before it: it may have been started again before who waits
    /// comes to look.
    heard: Option<Box<(u64, Ended)>>,
    watchers: Waitlist<OnEnd>,
    /// By ticket.
    waiting: BTreeMap<u64, Waker>,
    tickets: u64,
    /// Of a tree on its way to its end: what became of its children.
    report: Option<Box<Reports>>,
}

/// The failures on the way out.
struct Late {
    first: Failure,
    count: u32,
}

/// How the children ended.
#[derive(Default)]
struct Reports {
    /// Each with the number of its end. Tasks on several threads push theirs in any order.
    all: Vec<(u64, ChildReport)>,
    /// The ids of those that have told it themselves, as long as nobody has looked for others.
    told: HashSet<u64>,
    /// Those in front were found to have ended, and may still tell it themselves.
    found: Option<HashSet<u64>>,
}

impl Life {
    /// Whether it waits with this very waker already.
    fn waits(&self, Waiting(ticket): &Waiting, waker: &Waker) -> bool {
        ticket.and_then(|ticket| self.waiting.get(&ticket)).is_some_and(|known| known.will_wake(waker))
    }

    /// Gives the waker that was there before, to be dropped behind the lock.
    #[must_use]
    fn wait(&mut self, Waiting(ticket): &mut Waiting, waker: Waker) -> Option<Waker> {
        let ticket = *ticket.get_or_insert_with(|| self.ticket());
        self.waiting.insert(ticket, waker)
    }

    /// The end that this one waited for.
    fn heard_by(&self, ticket: u64) -> Option<Ended> {
        self.heard.as_ref().filter(|heard| ticket <= heard.0).map(|heard| heard.1.clone())
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }
}

/// Control that waits. Mostly it is one at a time, which costs no allocation.
#[derive(Default)]
struct Queue {
    first: Option<Control>,
    more: Vec<Control>,
}

/// The type-free part of a cell.
pub(crate) struct Ctl {
    pub(crate) id: u64,
    name: Name,
    /// Where it was born: its path. Its supervisor too, unless it has moved.
    pub(crate) parent: Option<Arc<dyn Controlled>>,
    /// Another one supervises it now (S38).
    moved: AtomicBool,
    /// The slot in the parent's table.
    pub(crate) slot: AtomicU32,
    pub(crate) bus: Arc<Bus>,
    /// Something is in the queue.
    flag: AtomicBool,
    queue: Mutex<Queue>,
    home: OnceLock<Waker>,
    life: Mutex<Life>,
    sup: OnceLock<Box<Sup>>,
    incarnation: AtomicU32,
    /// Not 0: its group counts it as ended, but it has not told watchers and report yet. While a report is open, the
    /// number of this end, by which the report is sorted: the group may stop the next child before this one has told.
    closing: AtomicU64,
    /// Something has failed on its way out: few ever have to look.
    late: AtomicBool,
    /// One above it has failed (S7). Written and read by its own task, as the next one.
    held: AtomicBool,
    /// True if the cell goes down behind the message in hand.
    leaving: AtomicBool,
}

/// The next number. No schedule depends on it, so it is the standard library's in every build.
static NUMBERS: StdAtomicU64 = StdAtomicU64::new(BEFORE_REPORTS + 1);

/// The number of all ends that were counted while no report was open: they come first.
const BEFORE_REPORTS: u64 = 1;

/// A number that nothing else in this process has, higher than all before. One that is taken under a lock is higher
/// than those that were taken under it earlier.
pub(crate) fn number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Ctl {
    pub(crate) fn new(name: Name, parent: Option<Arc<dyn Controlled>>, bus: Arc<Bus>) -> Self {
        Ctl {
            id: number(),
            name,
            parent,
            moved: AtomicBool::new(false),
            slot: AtomicU32::new(0),
            bus,
            flag: AtomicBool::new(false),
            queue: Mutex::default(),
            home: OnceLock::new(),
            life: Mutex::default(),
            sup: OnceLock::new(),
            incarnation: AtomicU32::new(0),
            closing: AtomicU64::new(0),
            late: AtomicBool::new(false),
            held: AtomicBool::new(false),
            leaving: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_held(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn set_leaving(&self, leaving: bool) {
        self.leaving.store(leaving, Ordering::Relaxed);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// True: nobody has waited for it before.
    pub(crate) fn begin_closing(&self) -> bool {
        let number = if self.bus.reports.load(Ordering::Relaxed) { number() } else { BEFORE_REPORTS };
        self.closing.swap(number, Ordering::Relaxed) == 0
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed) != 0
    }

    /// Whether somebody waits for this.
    pub(crate) fn was_closing(&self) -> bool {
        self.closing.swap(0, Ordering::Relaxed) != 0
    }

    /// `reports/daily`: the names below the root. The root's own is its name.
    pub(crate) fn path(&self) -> String {
        let mut path = String::with_capacity(32);
        // From the child up: the depth of a tree has no bound, the stack has.
        let mut above = Vec::new();
        let mut ctl = self;
        while let Some(parent) = ctl.parent.as_ref().filter(|parent| parent.ctl().parent.is_some()) {
            ctl = parent.ctl();
            above.push(ctl);
        }
        for ctl in above.into_iter().rev() {
            ctl.name.push_to(&mut path);
            path.push('/');
        }
        self.name.push_to(&mut path);
        path
    }

    /// Its path, to be written out when somebody reads it.
    pub(crate) fn place(&self) -> Path {
        let above = self.parent.as_ref().filter(|parent| parent.ctl().parent.is_some());
        Path::new(above.map(|parent| parent.ctl().above()), self.name.clone())
    }

    /// The place above its children. Cells that have any keep it.
    fn above(&self) -> Arc<Place> {
        let mut missing = Vec::new();
        let mut next = Some(self);
        let mut above = None;
        while let Some(ctl) = next {
            if let Some(place) = ctl.sup().and_then(|sup| sup.place.get()) {
                above = Some(place.clone());
                break;
            }
            missing.push(ctl);
            let parent = ctl.parent.as_ref().filter(|parent| parent.ctl().parent.is_some());
            next = parent.map(|parent| parent.ctl());
        }
        let mut own = above;
        for ctl in missing.into_iter().rev() {
            let made = Arc::new(Place::new(own, ctl.name.clone()));
            own = Some(ctl.sup().map_or(made.clone(), |sup| sup.place.get_or_init(|| made).clone()));
        }
        own.expect("it itself at least")
    }

    pub(crate) fn name(&self) -> String {
        let mut name = String::new();
        self.name.push_to(&mut name);
        name
    }

    /// Its name as it stands in a path, unless it is a number.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.name {
            Name::Text(text) => Some(text),
            Name::Number(_) | Name::Guardian => None,
        }
    }

    pub(crate) fn is_guardian(&self) -> bool {
        matches!(self.name, Name::Guardian)
    }

    /// Who supervises it now.
    pub(crate) fn supervisor(&self) -> Option<Arc<dyn Controlled>> {
        let parent = self.parent.as_ref()?;
        let moved = self.moved.load(Ordering::Acquire).then(|| parent.ctl().sup()?.moved(self.id)).flatten();
        Some(moved.unwrap_or_else(|| parent.clone()))
    }

    /// Another one supervises it from now on; `None`: it is over.
    pub(crate) fn set_supervisor(&self, supervisor: Option<Arc<dyn Controlled>>) {
        if supervisor.is_none() && !self.moved.load(Ordering::Acquire) {
            return;
        }
        if supervisor.is_some() {
            self.bus.reports.store(true, Ordering::Relaxed); // a tree may stand above it now
        }
        if let Some(sup) = self.parent.as_ref().and_then(|parent| parent.ctl().sup()) {
            self.moved.store(supervisor.is_some(), Ordering::Release);
            sup.set_moved(self.id, supervisor);
        }
    }

    pub(crate) fn incarnation(&self) -> u32 {
        self.incarnation.load(Ordering::Relaxed)
    }

    pub(crate) fn next_incarnation(&self) -> u32 {
        self.incarnation.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn emit(&self, kind: EventKind) {
        if let EventKind::Failed { failure, .. } = &kind {
            let before = lock(&self.life).failed.replace(Box::new(failure.clone()));
            drop(before); // outside of the lock: the error in it is user code
        }
        self.bus.emit(|| self.path(), self.incarnation(), kind);
    }

    /// A failure on the way down, which nobody decides on. If the way leads to an end, it is in the report (S24).
    pub(crate) fn fails_late(&self, failure: Failure) {
        let _shelter = Shelter::new();
        let mut life = lock(&self.life);
        match &mut life.late {
            Some(late) => late.count = late.count.saturating_add(1),
            none => *none = Some(Box::new(Late { first: failure.clone(), count: 1 })),
        }
        drop(life);
        self.late.store(true, Ordering::Relaxed);
        self.emit(EventKind::Reported { failure });
    }

    /// The first failure on its way out, and how many there were.
    pub(crate) fn late(&self) -> (Option<Failure>, u32) {
        match &lock(&self.life).late {
            Some(late) => (Some(late.first.clone()), late.count),
            None => (None, 0),
        }
    }

    /// A new incarnation begins: it was the way to a restart.
    pub(crate) fn forget_late(&self) {
        if self.late.swap(false, Ordering::Relaxed) {
            let late = lock(&self.life).late.take();
            drop(late); // outside of the lock: it holds an error, which is the user's
        }
    }

    // ----- its children

    pub(crate) fn sup(&self) -> Option<&Sup> {
        self.sup.get().map(|sup| &**sup)
    }

    pub(crate) fn sup_or_init(&self, make: impl FnOnce() -> Sup) -> &Sup {
        self.sup.get_or_init(|| Box::new(make()))
    }

    // ----- control

    pub(crate) fn has_control(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// All that is queued, in order.
    pub(crate) fn take_control(&self) -> impl Iterator<Item = Control> + use<> {
        let queue = {
            let mut queue = lock(&self.queue);
            self.flag.store(false, Ordering::Relaxed);
            std::mem::take(&mut *queue)
        };
        queue.first.into_iter().chain(queue.more)
    }

    /// Takes out what was asked by hand and not heard: it was asked of a life that has ended.
    pub(crate) fn forget_requests(&self) -> Vec<Control> {
        let mut queue = lock(&self.queue);
        let all = queue.first.take().into_iter().chain(std::mem::take(&mut queue.more));
        let (old, kept): (Vec<_>, Vec<_>) = all.partition(Control::is_request);
        let mut kept = kept.into_iter();
        queue.first = kept.next();
        queue.more = kept.collect();
        old
    }

    /// To be called by the cell's own task, before anything else.
    pub(crate) fn set_home(&self, waker: &Waker) {
        let _ = self.home.set(waker.clone());
        // Behind it the task looks whether control is queued; see `ring`.
        fence(Ordering::SeqCst);
    }

    /// The task has been there before: what is asked of it by this waits for its next poll.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn wake(&self) {
        foreign();
        if let Some(home) = self.home.get() {
            home.wake_by_ref();
        }
    }

    // ----- up and over

    pub(crate) fn set_up(&self) {
        let _shelter = Shelter::new();
        let waiting = {
            let mut life = lock(&self.life);
            (life.up, life.was_up) = (true, true);
            life.ended = None;
            std::mem::take(&mut life.waiting)
        };
        foreign();
        waiting.into_values().for_each(Waker::wake);
    }

    pub(crate) fn is_up(&self) -> bool {
        lock(&self.life).up
    }

    pub(crate) fn last_failure(&self) -> Option<Failure> {
        lock(&self.life).failed.as_deref().cloned()
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        lock(&self.life).ended.clone()
    }

    /// Tells all watchers, once.
    pub(crate) fn set_ended(&self, ended: Ended) {
        let _shelter = Shelter::new();
        let (watchers, waiting, before) = {
            let mut life = lock(&self.life);
            life.up = false;
            life.ended = Some(ended.clone());
            let heard = (life.tickets > 0).then(|| Box::new((life.tickets, ended.clone())));
            let before = std::mem::replace(&mut life.heard, heard);
            (life.watchers.all(), std::mem::take(&mut life.waiting), before)
        };
        drop(before); // it holds an error, which is the user's
        foreign();
        waiting.into_values().for_each(Waker::wake);
        watchers.for_each(|tell| tell(&ended));
    }

    /// It ended, and its supervisor starts it again (S20).
    pub(crate) fn revive(&self) {
        let _shelter = Shelter::new();
        let mut life = lock(&self.life);
        life.ended = None;
        let report = life.report.take();
        drop(life);
        drop(report); // it holds errors, which are the user's
    }

    /// Drops the report of a boot that failed: the tree comes up after all.
    pub(crate) fn forget_report(&self) {
        let report = lock(&self.life).report.take();
        drop(report); // it holds errors, which are the user's
    }

    /// From now on it is written down how its children end.
    pub(crate) fn open_report(&self) {
        self.bus.reports.store(true, Ordering::Relaxed);
        let earlier = lock(&self.life).report.replace(Box::default());
        drop(earlier); // it holds errors, which are the user's
    }

    /// These were found to have ended after the report was opened: in front, without those that have told
    /// it themselves meanwhile.
    pub(crate) fn had_ended(&self, mut found: Vec<(u64, ChildReport)>) {
        let told = {
            let mut life = lock(&self.life);
            let Some(reports) = &mut life.report else { return };
            let by_itself = std::mem::take(&mut reports.told);
            let told: Vec<_> = found.extract_if(.., |(id, _)| by_itself.contains(id)).collect();
            reports.found = Some(found.iter().map(|(id, _)| *id).collect());
            reports.all.splice(0..0, found.into_iter().map(|(_, report)| (BEFORE_REPORTS, report)));
            told
        };
        drop(told); // outside of the lock, as above
    }

    /// How its children ended, if it has ended itself, in the order in which their groups counted them as ended.
    pub(crate) fn report(&self) -> Vec<ChildReport> {
        let mut all = lock(&self.life).report.as_ref().map(|reports| reports.all.clone()).unwrap_or_default();
        all.sort_by_key(|(order, _)| *order);
        all.into_iter().map(|(_, report)| report).collect()
    }

    /// Tells all trees above that are on their way to their end how this one ended.
    pub(crate) fn tell_report(&self, report: impl Fn(String) -> ChildReport) {
        if !self.bus.reports.load(Ordering::Relaxed) {
            return; // not to look for one all the way up
        }
        let order = match self.closing.load(Ordering::Relaxed) {
            0 => number(), // given up, or dropped with its runtime
            order => order,
        };
        let mut above = self.supervisor();
        while let Some(cell) = above {
            if let Some(reports) = &mut lock(&cell.ctl().life).report {
                let is_new = match &mut reports.found {
                    Some(found) => found.insert(self.id),
                    None => reports.told.insert(self.id),
                };
                if is_new {
                    reports.all.push((order, report(self.path())));
                }
            }
            above = cell.ctl().supervisor();
        }
    }

    /// Calls `tell` once it has ended, at once if it has. Needs no runtime. Gives the ticket to leave by.
    pub(crate) fn on_end(&self, tell: OnEnd) -> u64 {
        let mut life = lock(&self.life);
        let ticket = life.ticket();
        match life.ended.clone() {
            Some(ended) => {
                drop(life);
                foreign();
                tell(&ended);
            }
            None => life.watchers.come(ticket, tell),
        }
        ticket
    }

    /// Takes out the watcher that came with this ticket: it is not told.
    pub(crate) fn forget(&self, ticket: u64) {
        let forgotten = lock(&self.life).watchers.leave(ticket);
        foreign();
        drop(forgotten); // outside of the lock: a watcher holds references to cells
    }

    /// Polls for the first time it is up (`Ok`, also behind its end), or for its end before that (`Err`).
    pub(crate) fn poll_up(&self, waiting: &mut Waiting, waker: &Waker) -> Poll<Result<(), Ended>> {
        self.poll_life(waiting, waker, |life| match &life.ended {
            _ if life.was_up => Some(Ok(())),
            Some(ended) => Some(Err(ended.clone())),
            None => None,
        })
    }

    /// Polls for its end.
    pub(crate) fn poll_ended(&self, waiting: &mut Waiting, waker: &Waker) -> Poll<Ended> {
        let ticket = waiting.0;
        self.poll_life(waiting, waker, |life| life.ended.clone().or_else(|| life.heard_by(ticket?)))
    }

    /// Leaves the waker behind as long as `found` gives nothing. It is cloned in front of the lock: a waker may be
    /// user code.
    fn poll_life<T>(&self, waiting: &mut Waiting, waker: &Waker, found: impl Fn(&Life) -> Option<T>) -> Poll<T> {
        let mut fresh = None;
        loop {
            let mut life = lock(&self.life);
            if let Some(found) = found(&life) {
                return Poll::Ready(found); // `fresh` goes behind the guard
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

    /// A future that has waited is dropped: its waker must not be kept until the end.
    pub(crate) fn leave(&self, Waiting(ticket): &mut Waiting) {
        let Some(ticket) = ticket.take() else { return };
        let mut life = lock(&self.life);
        let left = life.waiting.remove(&ticket);
        drop(life);
        foreign();
        drop(left); // a waker is user code
    }
}

impl Drop for Ctl {
    fn drop(&mut self) {
        foreign(); // with it go watchers and messages of users
        if let Some(parent) = self.parent.take() {
            let_go(parent);
        }
    }
}

std::thread_local! {
    /// Those to be let go on this thread, behind the one that goes just now.
    static GOING: RefCell<Option<Vec<Arc<dyn Controlled>>>> = const { RefCell::new(None) };
}

/// A cell that nobody else holds goes with the last one below it, and so on up: not each in a frame of its own.
fn let_go(cell: Arc<dyn Controlled>) {
    struct Last;
    impl Drop for Last {
        fn drop(&mut self) {
            // None are left, unless a message panicked when it was dropped with its cell.
            let left = GOING.with(RefCell::take);
            drop(left);
        }
    }
    let mut next = Some(cell);
    let is_first = GOING.try_with(|going| match &mut *going.borrow_mut() {
        Some(behind) => {
            behind.extend(next.take());
            false
        }
        none => {
            *none = Some(Vec::new());
            true
        }
    });
    if is_first != Ok(true) {
        return; // it waits, or the thread is ending
    }
    let _last = Last;
    while let Some(cell) = next {
        drop(cell);
        next = GOING.with(|going| going.borrow_mut().as_mut().and_then(Vec::pop));
    }
}

impl fmt::Debug for Ctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctl").field("id", &self.id).field("path", &self.path()).finish_non_exhaustive()
    }
}

/// A cell seen without its message type.
pub(crate) trait Controlled: Send + Sync + 'static {
    fn ctl(&self) -> &Ctl;
    /// As what it is, to be asked for.
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    /// The loop over messages is to come back after the one in hand.
    fn interrupt(&self, on: bool);
    /// Messages go back to their senders from now on; what waits becomes dead letters.
    fn refuse(&self) {}
    /// Down for its supervisor, though what is in hand goes on: of account to one that rejects meanwhile.
    fn set_down(&self, _down: bool) {}
    /// When it is started again, for those it rejects.
    fn set_retry(&self, _at: Option<Instant>) {}
    /// It had ended, and is started again: messages wait.
    fn reopen(&self) {}
    /// Messages go back to their senders from now on; what waits is still handled.
    fn refuse_new(&self) {}
    /// A message is in hand.
    fn is_busy(&self) -> bool;
    /// The present incarnation has handled a message.
    fn has_handled(&self) -> bool {
        false
    }
    /// What waits in its mailbox, if it has one.
    fn mailbox(&self) -> Option<MailboxDepth> {
        None
    }
}

impl fmt::Debug for dyn Controlled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ctl().fmt(f)
    }
}

/// Queues control and wakes the cell's task.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn send(cell: &dyn Controlled, control: Control) {
    queue(cell, control);
    ring(cell);
}

/// Wakes the cell's task for control that was queued, when no lock is held any more.
///
/// Before the task's first poll there is no waker, and nobody to wake: the task itself looks, once its waker is there.
/// Here: the flag is set (`queue`), then the waker is looked for. There: the waker is put (`set_home`), then the flag is
/// looked at. A processor may let each of the two looks overtake the write in front of it, and then neither would see
/// the other. Each side therefore has a `SeqCst` fence between the two: of two fences one is the first, and what was
/// written in front of it is seen by what is read behind the other. The interleavings cannot show this: to shuttle every
/// atomic is sequentially consistent. Later wake-ups need no such thing, since they go through the state of tokio's task.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn ring(cell: &dyn Controlled) {
    fence(Ordering::SeqCst);
    cell.ctl().wake();
}

/// Queues control of the cell whose own task this is: it looks before it waits.
pub(crate) fn queue(cell: &dyn Controlled, control: Control) {
    let ctl = cell.ctl();
    let mut queue = lock(&ctl.queue);
    match &queue.first {
        None => queue.first = Some(control),
        Some(_) => queue.more.push(control),
    }
    ctl.flag.store(true, Ordering::Release);
}

/// It was told of its end, and has told everybody else: its supervisor's own end may follow.
pub(crate) fn closed(cell: &dyn Controlled) {
    let ctl = cell.ctl();
    if ctl.was_closing()
        && let Some(owner) = ctl.supervisor()
        && let Some(sup) = owner.ctl().sup()
    {
        sup.closed(&*owner);
    }
}

/// A cell without a mailbox: a task, a tree, a set.
#[derive(Debug)]
pub(crate) struct Plain {
    ctl: Ctl,
    interrupted: AtomicBool,
}

impl Plain {
    pub(crate) fn new(ctl: Ctl) -> Arc<Self> {
        Arc::new(Plain { ctl, interrupted: AtomicBool::new(false) })
    }
}

impl Plain {
    /// Control wants the loop to come back. Control wakes the task, so nobody has to wait for this.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }
}

impl Controlled for Plain {
    fn ctl(&self) -> &Ctl {
        &self.ctl
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn interrupt(&self, on: bool) {
        self.interrupted.store(on, Ordering::Release);
    }

    fn is_busy(&self) -> bool {
        true
    }
}
