//! The events of a tree: one [`Event`] for each change of state (rule S40).

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc as StdArc;

use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::engine::bell::Bell;
use crate::engine::bus::extension::{About, Advice, Extension, Extensions, Facts, Standing, Wants};
use crate::engine::observed::Switch;
use crate::engine::slots::Slots;
#[cfg(feature = "testing")]
use crate::engine::witness::Witness;
use supervise_core::base::deferred_drop::{DeferDrops, drop_catching_panics};
use supervise_core::base::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use supervise_core::base::sync::lock;
use supervise_core::base::sync::{Arc, Mutex, OnceLock, foreign};
use supervise_core::values::event::{Event, EventKind};
use supervise_core::values::observe::Observe;

pub(crate) mod extension;

/// The number of events that a subscriber may fall behind before it misses some: 1,024. See [`Events`].
pub const EVENT_BUFFER: usize = 1024;

/// A subscription to the events of a tree, in order.
///
/// [`TreeRef::events`](crate::TreeRef::events) makes one for a running tree, [`Tree::events`](crate::Tree::events) one
/// that includes the tree's first start.
///
/// Each subscriber gets all events of the whole tree, from its subscription on. A subscriber never slows the tree down:
/// if it falls more than [`EVENT_BUFFER`] events behind, it misses the oldest. One event stands in their place,
/// [`Missed`](EventKind::Missed), with their number; then come those that are still there.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tree = Shop::tree().seed(7);
/// let mut events = tree.events(); // includes the first start
///
/// // In its own task, so that nothing else delays it.
/// let log = tokio::spawn(async move {
///     let mut lines = Vec::new();
///     while let Some(event) = events.next().await {
///         lines.push(event.to_string());
///     }
///     lines // the tree has ended
/// });
///
/// tree.start().await?.shutdown().await;
/// let lines = log.await?;
/// assert_eq!(lines[..2], ["db #1 started", "Shop #1 started, seed 7"]);
/// assert_eq!(lines[2..4], ["Shop #1 stopping: asked to stop", "db #1 stopping: the supervisor above ends"]);
/// assert_eq!(lines[4..], ["db #1 ended: stopped", "Shop #1 ended: stopped"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Events {
    /// Always `Some`, except in `Drop`.
    receiver: Option<broadcast::Receiver<Event>>,
    /// The event after those that were missed: it was read together with their number.
    after_missed: Option<Event>,
    /// The path of the root.
    root: StdArc<str>,
}

impl Drop for Events {
    fn drop(&mut self) {
        let _shelter = DeferDrops::new();
        self.after_missed = None;
        self.receiver = None; // with the events that were not read
    }
}

impl Events {
    /// Returns the next event; `None` once the tree has ended and all events were read.
    ///
    /// # Cancel safety
    ///
    /// No event is lost if this future is dropped.
    pub async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.after_missed.take() {
            return Some(event);
        }
        let received = {
            let mut receive = pin!(self.receiver.as_mut()?.recv());
            poll_fn(|cx| {
                let _shelter = DeferDrops::new(); // the last reader of an event drops it in its slot, under a lock
                receive.as_mut().poll(cx)
            })
            .await
        };
        match received {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(self.missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// Returns the next event if there already is one.
    pub fn try_next(&mut self) -> Option<Event> {
        if let Some(event) = self.after_missed.take() {
            return Some(event);
        }
        let _shelter = DeferDrops::new();
        match self.receiver.as_mut()?.try_recv() {
            Ok(event) => Some(event),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(self.missed(missed)),
            Err(_) => None,
        }
    }

    /// Returns the event that stands for the missed events. Its time is the time of the next event, so that the times of a
    /// subscription never go back; the next event is read for that.
    fn missed(&mut self, mut events: u64) -> Event {
        let _shelter = DeferDrops::new();
        self.after_missed = loop {
            match self.receiver.as_mut().map(broadcast::Receiver::try_recv) {
                Some(Ok(next)) => break Some(next),
                Some(Err(broadcast::error::TryRecvError::Lagged(more))) => events = events.saturating_add(more),
                Some(Err(_)) | None => break None, // cannot happen: after a gap the buffer is full
            }
        };
        let now = Instant::now;
        let (at, started) = self.after_missed.as_ref().map_or_else(|| (now(), now()), |next| (next.at, next.started));
        Event::new((*self.root).to_owned(), at, 0, EventKind::Missed { events }, started)
    }
}

/// The state that all cells of a tree share.
#[derive(Debug)]
pub struct TreeShared {
    /// Made by the first subscriber, removed at the end of the tree.
    sender: Mutex<Channel>,
    heard: AtomicBool,
    /// The facts about messages that are collected.
    pub(crate) observed: Switch,
    pub(crate) extensions: Extensions,
    /// The state of extensions.
    slots: Mutex<Slots>,
    pub(crate) seed: u64,
    pub(crate) dead_letters: AtomicU64,
    /// True once a tree records how its children end, or a tree of another bus may do so.
    pub(crate) reports: AtomicBool,
    /// True for a tree under test.
    #[cfg(feature = "testing")]
    pub(crate) tested: AtomicBool,
    /// Records what happens in the tree.
    #[cfg(feature = "testing")]
    witness: OnceLock<Arc<Witness>>,
    /// The time when the tree was started.
    started: OnceLock<Instant>,
    /// Told when a child went up or ended: for `ready()`.
    pub(crate) changed: Changes,
}

/// The notices of changes, for tasks that wait until something is true of the tree. Hardly ever is there one.
#[derive(Debug)]
pub(crate) struct Changes {
    waiting: AtomicUsize,
    bell: Bell,
}

/// A task that waits.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Changes {
    fn new() -> Self {
        Changes { waiting: AtomicUsize::new(0), bell: Bell::default() }
    }

    /// Notifies the tasks that wait. To be called after the change.
    ///
    /// No task is missed: what it reads, and what has changed, is guarded by one lock. If the task has read the state
    /// before the change, it was counted before it took that lock, and the lock makes its count visible here. No fence
    /// is needed.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn tell(&self) {
        foreign();
        if self.waiting.load(Relaxed) > 0 {
            self.bell.ring();
        }
    }

    /// Waits until `found` returns a value. It is called at first, and after each change; it reads under locks.
    pub(crate) async fn until<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        self.waiting.fetch_add(1, Relaxed);
        let _waits = Waits(&self.waiting);
        loop {
            let changed = self.bell.next(); // changes from here on ring it
            if let Some(found) = found() {
                return found;
            }
            changed.await;
        }
    }
}

#[derive(Debug)]
enum Channel {
    Unheard,
    /// Shared, so that no code of the channel runs under the lock.
    Open(Arc<broadcast::Sender<Event>>),
    Over,
}

impl TreeShared {
    pub(crate) fn new(seed: u64, standing: Standing) -> Self {
        TreeShared {
            sender: Mutex::new(Channel::Unheard),
            heard: AtomicBool::new(false),
            observed: Switch::new(),
            extensions: Extensions::new(standing),
            slots: Mutex::default(),
            seed,
            dead_letters: AtomicU64::new(0),
            reports: AtomicBool::new(false),
            #[cfg(feature = "testing")]
            tested: AtomicBool::new(false),
            #[cfg(feature = "testing")]
            witness: OnceLock::new(),
            started: OnceLock::new(),
            changed: Changes::new(),
        }
    }

    /// Makes the shared state of another run of the same tree: subscribers get the events of both.
    pub(crate) fn of_next_run(&self, seed: u64) -> Self {
        let next = TreeShared::new(seed, self.extensions.standing());
        if let Some(sender) = self.sender() {
            *lock(&next.sender) = Channel::Open(sender);
            next.heard.store(true, Relaxed);
        }
        #[cfg(feature = "testing")]
        if let Some(witness) = self.witness() {
            next.set_witness(witness.clone());
        }
        next
    }

    /// Sets the witness, before the first cell of the tree begins.
    #[cfg(feature = "testing")]
    pub(crate) fn set_witness(&self, witness: Arc<Witness>) {
        let _ = self.witness.set(witness);
        self.heard.store(true, Relaxed);
    }

    #[cfg(feature = "testing")]
    #[inline(always)]
    pub(crate) fn witness(&self) -> Option<&Arc<Witness>> {
        self.witness.get()
    }

    /// Returns the time when the tree was started, which is the time of the first call.
    pub fn started(&self) -> Instant {
        *self.started.get_or_init(Instant::now)
    }

    /// Subscribes to the events. `root`: the path of the root, which is that of an event that stands for missed ones.
    pub(crate) fn subscribe(&self, root: impl Into<StdArc<str>>) -> Events {
        let sender = self.sender().or_else(|| {
            let new = Arc::new(broadcast::channel(EVENT_BUFFER).0);
            let mut channel = lock(&self.sender);
            match &*channel {
                Channel::Open(sender) => Some(sender.clone()), // another subscriber was first
                Channel::Unheard => {
                    *channel = Channel::Open(new.clone());
                    self.heard.store(true, Relaxed);
                    Some(new.clone())
                }
                Channel::Over => None,
            }
        });
        foreign();
        let receiver = sender.map_or_else(|| broadcast::channel(1).1, |sender| sender.subscribe());
        Events { receiver: Some(receiver), after_missed: None, root: root.into() }
    }

    fn sender(&self) -> Option<Arc<broadcast::Sender<Event>>> {
        match &*lock(&self.sender) {
            Channel::Open(sender) => Some(sender.clone()),
            Channel::Unheard | Channel::Over => None,
        }
    }

    /// Ends the events. The extensions have been told of the end.
    pub(crate) fn close(&self) {
        self.observed.end();
        self.extensions.close();
        let before = std::mem::replace(&mut *lock(&self.sender), Channel::Over);
        foreign();
        drop(before); // with the events that were not read
        self.changed.tell();
    }

    /// Returns whether anyone may listen to events.
    #[inline]
    pub(crate) fn is_heard(&self) -> bool {
        self.heard.load(Relaxed) || self.extensions.want(Wants::EVENTS)
    }

    /// Returns the state of this type.
    pub fn slot<T: Any + Send + Sync>(&self) -> Option<StdArc<T>> {
        lock(&self.slots).get()
    }

    /// Sets the state of this type. Returns the one before.
    pub fn set_slot<T: Any + Send + Sync>(&self, state: StdArc<T>) -> Option<StdArc<T>> {
        lock(&self.slots).set(state)
    }

    /// Takes the state of this type out.
    pub fn take_slot<T: Any + Send + Sync>(&self) -> Option<StdArc<T>> {
        lock(&self.slots).take()
    }

    /// Returns the state of this type, which is made if there is none.
    pub fn slot_or_default<T: Any + Default + Send + Sync>(&self) -> StdArc<T> {
        self.slot().unwrap_or_else(|| {
            let new = StdArc::<T>::default(); // outside of the lock, as all other code
            let mut slots = lock(&self.slots);
            slots.get_or_set(&new)
        })
    }

    /// Attaches an extension. Of an incarnation that has begun, it sees no begin. Returns `false`, without effect, if the tree
    /// has ended.
    pub fn attach(&self, extension: StdArc<dyn Extension>) -> bool {
        self.extensions.attach(extension)
    }

    /// Detaches an observer.
    pub fn detach(&self, extension: &StdArc<dyn Extension>) {
        self.extensions.detach(extension);
    }

    /// Makes the tree collect these facts about its messages. To be taken back as often.
    pub fn observe(&self, what: Observe) {
        self.observed.request(what);
    }

    /// Takes back one call of [`observe`](Self::observe).
    pub fn observe_no_more(&self, what: Observe) {
        self.observed.give_back(what);
    }

    /// Returns the facts that are collected.
    pub fn observed(&self) -> Observe {
        self.observed.now()
    }

    /// Waits until `found` returns a value. It is called at first, and after each start and end of a child; it reads under
    /// locks.
    pub async fn until<T>(&self, found: impl FnMut() -> Option<T>) -> T {
        self.changed.until(found).await
    }

    /// Raises an event of no cell.
    pub fn emit_alone(&self, path: &dyn Fn() -> String, incarnation: u32, kind: EventKind) {
        self.emit(&About { cell: None, path, incarnation, facts: &Facts::ABSENT }, kind);
    }

    /// Counts an event, whether or not anyone listens.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn count(&self, kind: &EventKind) {
        foreign();
        if let EventKind::DeadLetter { .. } = kind {
            self.dead_letters.fetch_add(1, Relaxed);
        }
    }

    /// Counts an event, and sends it to the subscribers and to the extensions. The path is made only if someone listens.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn emit(&self, about: &About<'_>, kind: EventKind) {
        self.count(&kind);
        if self.is_heard() {
            self.tell(about, kind);
        }
    }

    #[inline(never)]
    fn tell(&self, about: &About<'_>, kind: EventKind) {
        let About { path, incarnation, .. } = *about;
        self.extensions.each(Wants::EVENTS, |extension| extension.event(&about.raised(&kind)));
        if !self.heard.load(Relaxed) {
            return;
        }
        // The channel drops events that it no longer keeps, which is user code.
        let sent = catch_unwind(AssertUnwindSafe(|| {
            let event = Event::new(path(), Instant::now(), incarnation, kind, self.started());
            #[cfg(feature = "testing")]
            let heard = self.witness().map(|witness| (witness, event.clone()));
            if let Some(sender) = self.sender() {
                let _shelter = DeferDrops::new(); // events that fall off are dropped under its locks
                let _ = sender.send(event); // an error: there is no subscriber left
            }
            #[cfg(feature = "testing")]
            if let Some((witness, event)) = heard {
                witness.hears(&event);
            }
        }));
        if let Err(payload) = sent {
            drop_catching_panics(payload);
            let lost = path();
            self.extensions.every(|extension| extension.advises(Advice::Lost { path: &lost, incarnation }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize as Count;
    use std::task::{Context, Poll, Wake, Waker};

    use super::*;

    #[derive(Default)]
    struct Woken(Count);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// A notice reaches a task that waits, and one that begins to wait later looks first. A task that has gone, or has
    /// found its value, is no longer counted.
    #[test]
    fn a_task_that_waits_is_notified() {
        let (changes, state) = (Changes::new(), Mutex::new(1));
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let cx = &mut Context::from_waker(&waker);
        let above = |than| Some(*lock(&state)).filter(|now| *now > than);
        {
            let (mut first, mut second) = (pin!(changes.until(|| above(1))), pin!(changes.until(|| above(2))));
            assert!(first.as_mut().poll(cx).is_pending() && second.as_mut().poll(cx).is_pending());
            *lock(&state) = 2;
            changes.tell();
            assert_eq!(woken.0.load(Relaxed), 2);
            assert_eq!(first.poll(cx), Poll::Ready(2));
            assert!(second.poll(cx).is_pending());
            assert_eq!(changes.waiting.load(Relaxed), 1);
        }
        assert_eq!(changes.waiting.load(Relaxed), 0);
        changes.tell();
        assert_eq!(woken.0.load(Relaxed), 2, "nobody waits any more");
        assert_eq!(pin!(changes.until(|| above(0))).poll(cx), Poll::Ready(2));
    }
}
