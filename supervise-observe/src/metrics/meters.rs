//! The metrics of a tree, while somebody wants them (S51).
//!
//! Counters and histograms are recorded where something happens, through handles that are looked up once for each
//! declared path and kept. Gauges are sampled: a sample replaces what the last one has contributed.
//!
//! The recorder is foreign code. It never runs under a lock, and its panics are caught: after the first one, these
//! metrics are off.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ::metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, Recorder, SharedString, Unit, with_recorder,
};

use crate::metrics::declared_path::declared_path;
use supervise_core::base::deferred_drop::{CatchDrop, drop_catching_panics};
use supervise_core::base::sync::atomic::{AtomicBool, Ordering::Relaxed};
use supervise_core::base::sync::{Arc, Mutex, OnceLock, Weak, foreign, lock};
use supervise_core::values::event::{DeadLetterReason, EventKind};
use supervise_core::values::failure::{Cause, Failure};
use supervise_core::values::strategy::Directive;
use supervise_runtime::extension::{CellCore, Edge, Extension, Over, Raised, TreeShared, Wants, number};

const RESTARTS: &str = "supervise.restarts";
const RESTART_DELAY: &str = "supervise.restart.delay";
const MAILBOX_DEPTH: &str = "supervise.mailbox.depth";
const MAILBOX_WAIT: &str = "supervise.mailbox.wait";
const MESSAGE_DURATION: &str = "supervise.message.duration";
const DEAD_LETTERS: &str = "supervise.dead_letters";
const UNREAD: &str = "supervise.unread";
const CHILDREN: &str = "supervise.children";
const BUDGET_REMAINING: &str = "supervise.budget.remaining";
const SHUTDOWN_DURATION: &str = "supervise.shutdown.duration";
const REMOTE_EVENTS: &str = "supervise.remote.events";
const REMOTE_NODES: &str = "supervise.remote.nodes";
const REMOTE_WAITING: &str = "supervise.remote.waiting";
const REMOTE_CHILDREN: &str = "supervise.remote.children";
const REMOTE_CAPACITY: &str = "supervise.remote.capacity";

/// The name of the tree of all top-level children.
pub(crate) const GUARDIAN: &str = "guardian";

static METADATA: Metadata<'static> = Metadata::new("supervise", Level::INFO, Some("supervise"));

/// Describes all metrics.
fn describe(recorder: &dyn Recorder) {
    let counter = |name: &'static str, text: &'static str| {
        recorder.describe_counter(KeyName::from(name), Some(Unit::Count), SharedString::from(text));
    };
    let gauge = |name: &'static str, text: &'static str| {
        recorder.describe_gauge(KeyName::from(name), Some(Unit::Count), SharedString::from(text));
    };
    let seconds = |name: &'static str, text: &'static str| {
        recorder.describe_histogram(KeyName::from(name), Some(Unit::Seconds), SharedString::from(text));
    };
    counter(
        RESTARTS,
        "Decisions about failures, by directive; a restart without one counts when the child is up again.",
    );
    seconds(RESTART_DELAY, "Time that a restart was told to wait.");
    gauge(MAILBOX_DEPTH, "Messages that wait in mailboxes.");
    seconds(MAILBOX_WAIT, "Time that a message waited before its handler began.");
    seconds(MESSAGE_DURATION, "Time from the begin of a handler to its end.");
    counter(DEAD_LETTERS, "Accepted messages that were not handled.");
    counter(UNREAD, "Errors of messages that nobody read.");
    gauge(CHILDREN, "Children by their state.");
    gauge(BUDGET_REMAINING, "Restarts that are left to the child that has the fewest.");
    seconds(SHUTDOWN_DURATION, "Time that a child took to end after it was asked to.");
    counter(REMOTE_EVENTS, "Events of remote children.");
    gauge(REMOTE_NODES, "Nodes that follow the owner of the tree.");
    gauge(REMOTE_WAITING, "Children that wait for a node.");
    gauge(REMOTE_CHILDREN, "Children of the tree on a node.");
    gauge(REMOTE_CAPACITY, "Children that a node takes at most.");
}

/// The metrics of a tree: on, off, or over with the tree.
#[derive(Debug, Default)]
pub(crate) struct Metered(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Off,
    On {
        meters: Arc<Meters>,
        /// The number of those who want the metrics.
        requests: u32,
    },
    Over,
}

/// Wants the metrics of a tree, with these meters if it has none. To be given back as often, unless it is for good.
pub(crate) fn request(tree: &TreeShared, meters: Meters) {
    let new = Arc::new(meters);
    if share(tree, &new) {
        new.begin();
    }
}

/// The same, with meters that other trees may have as well. Returns whether they are those of the tree now, and were not
/// before.
pub(crate) fn share(tree: &TreeShared, meters: &Arc<Meters>) -> bool {
    {
        let metered = tree.slot_or_default::<Metered>();
        let mut state = lock(&metered.0);
        match &mut *state {
            State::On { requests, .. } => {
                *requests = requests.saturating_add(1);
                return false;
            }
            State::Off => *state = State::On { meters: meters.clone(), requests: 1 },
            State::Over => return false,
        }
    }
    // No request is given back before it was made, so nobody detaches them meanwhile.
    let lives = tree.attach(meters.clone());
    if !lives && let Some(metered) = tree.slot::<Metered>() {
        drop(std::mem::replace(&mut *lock(&metered.0), State::Over));
    }
    lives
}

/// Takes a request back.
pub(crate) fn give_back(tree: &TreeShared) {
    let Some(metered) = tree.slot::<Metered>() else { return };
    let mut state = lock(&metered.0);
    let State::On { requests, .. } = &mut *state else { return };
    *requests = requests.saturating_sub(1);
    if *requests > 0 {
        return;
    }
    let before = std::mem::take(&mut *state);
    if let State::On { meters, .. } = &before
        && !meters.are_top_level()
    {
        meters.ended.store(true, Relaxed); // under the lock: the meters after them count from here on
    }
    drop(state);
    if let State::On { meters, .. } = &before {
        let extension: Arc<dyn Extension> = meters.clone();
        tree.detach(&extension);
    }
    before.take_back();
}

/// Returns the meters of the tree that this cell is part of, if they are these.
fn is_of(meters: &Meters, tree: &TreeShared) -> bool {
    let Some(metered) = tree.slot::<Metered>() else { return false };
    let state = lock(&metered.0);
    matches!(&*state, State::On { meters: own, .. } if own.id == meters.id)
}

impl Drop for Metered {
    /// A tree that was never closed.
    fn drop(&mut self) {
        let state = std::mem::take(&mut *lock(&self.0));
        state.take_back();
    }
}

impl State {
    /// Takes back what these meters have contributed to gauges.
    fn take_back(self) {
        if let State::On { meters, .. } = self {
            meters.take_back();
        }
    }
}

impl Extension for Meters {
    fn wants(&self) -> Wants {
        Wants::EVENTS.and(Wants::LIVES).and(Wants::MESSAGES).and(Wants::ROOTS)
    }

    fn event(&self, raised: &Raised<'_>) {
        let Some(cell) = raised.cell.filter(|_| !self.ended.load(Relaxed)) else { return };
        match raised.kind {
            EventKind::Decided { directive, failure, .. } => self.of(cell).decided(failure, *directive),
            EventKind::RestartScheduled { after } => self.of(cell).delayed(*after),
            EventKind::DeadLetter { reason, .. } => self.of(cell).dead_letter(*reason),
            EventKind::Unread { .. } => self.of(cell).unread(),
            EventKind::Restarted if !raised.facts.decided => {
                let healed = raised.facts.healed;
                self.of(cell).restarted(healed, healed.is_some_and(|failure| failure.path() == cell.path()));
            }
            kind => remote_event(kind).into_iter().for_each(|at| self.of(cell).remote(at)),
        }
    }

    fn message(&self, cell: &CellCore, edge: Edge) {
        if self.ended.load(Relaxed) {
            return;
        }
        match edge {
            Edge::Begins { waited } => self.of(cell).waited(waited),
            Edge::Over { took } => self.of(cell).handled(took),
        }
    }

    /// Records the time of an end that was asked for. What was added to gauges is taken back with the tree.
    fn ended(&self, cell: &CellCore, over: Over) {
        if over.asked {
            self.of(cell).shut_down(over.took);
        }
        if cell.is_root() {
            self.take_back();
        } else if cell.is_top_level() && !self.are_top_level() {
            self.contribute(HashMap::new()); // the child may be started again
        }
    }

    fn over(&self, root: &CellCore) {
        if root.is_root() {
            if let Some(metered) = root.bus().slot::<Metered>() {
                let before = std::mem::replace(&mut *lock(&metered.0), State::Over);
                drop(before);
            }
            self.take_back();
        }
    }
}

/// The cells at which samples begin.
pub(crate) trait Roots: Any + fmt::Debug + Send + Sync {
    /// Returns whether they are groups of top-level children, which are no children themselves.
    fn are_top_level(&self) -> bool;
}

/// The metrics of one tree, or of all top-level children.
#[derive(Debug)]
pub(crate) struct Meters {
    pub(crate) id: u64,
    tree: SharedString,
    roots: Box<dyn Roots>,
    paths: Mutex<HashMap<Arc<str>, Arc<PathMeters>>>,
    /// The contributions to gauges; `None` once they were taken back.
    sampled: Mutex<Option<HashMap<Sampled, Contribution>>>,
    health: Arc<Caught>,
    /// Nobody wants them any more.
    ended: AtomicBool,
}

/// A gauge of a tree: its declared path, or the role for those of nodes, and the gauge.
pub(crate) type Sampled = (Arc<str>, Sample);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Sample {
    /// The children in the state with this name.
    Children(&'static str),
    MailboxDepth,
    BudgetRemaining,
    RemoteNodes,
    RemoteWaiting,
    /// The children on the nodes of the process with this name.
    RemoteChildren(Arc<str>),
    RemoteCapacity(Arc<str>),
}

/// A gauge of the recorder, shared by samples that are taken at the same time.
type GaugeHandle = Arc<CatchDrop<Gauge>>;

/// A gauge, what is added to it, and its handle, if that was made before.
type Change = (Sampled, i64, Option<GaugeHandle>);

/// The contribution of a tree to a gauge.
#[derive(Debug, Default)]
struct Contribution {
    value: i64,
    gauge: Option<GaugeHandle>,
}

/// All meters that samples are taken for.
static ALL: Mutex<Vec<Weak<Meters>>> = Mutex::new(Vec::new());

/// Returns the meters of all trees that have metrics, and those of the top-level children.
pub(crate) fn all() -> Vec<Arc<Meters>> {
    lock(&ALL).iter().filter_map(Weak::upgrade).collect()
}

impl Meters {
    pub(crate) fn new(tree: String, roots: impl Roots) -> Self {
        Meters {
            id: number(),
            tree: SharedString::from(Arc::<str>::from(tree)),
            roots: Box::new(roots),
            paths: Mutex::default(),
            sampled: Mutex::new(Some(HashMap::new())),
            health: Arc::new(Caught { panicked: AtomicBool::new(false) }),
            ended: AtomicBool::new(false),
        }
    }

    pub(crate) fn begin(self: &Arc<Self>) {
        self.health.run(|| with_recorder(describe));
        let mut all = lock(&ALL);
        all.retain(|meters| meters.strong_count() > 0);
        all.push(Arc::downgrade(self));
    }

    /// Returns the cells at which a sample begins, if they are a `T`.
    pub(crate) fn roots<T: Roots>(&self) -> Option<&T> {
        (&*self.roots as &dyn Any).downcast_ref()
    }

    /// Returns whether the roots are groups of top-level children, which are no children themselves.
    pub(crate) fn are_top_level(&self) -> bool {
        self.roots.are_top_level()
    }

    /// Returns the handles of the declared path of a cell, whose tree has these meters.
    fn of(&self, cell: &CellCore) -> Arc<PathMeters> {
        self.known_of(cell).unwrap_or_else(|| {
            let now = self.at(&declared_path(cell));
            let before = cell.set_slot(now.clone());
            drop(before); // outside of the lock: it contains handles of a recorder
            now
        })
    }

    fn known_of(&self, cell: &CellCore) -> Option<Arc<PathMeters>> {
        cell.slot::<PathMeters>().filter(|known| known.id == self.id)
    }

    /// Returns the declared path of a cell; `None` if its tree has other meters, or none.
    pub(crate) fn path_of(&self, cell: &CellCore) -> Option<Arc<str>> {
        let known = self.known_of(cell).or_else(|| is_of(self, cell.bus()).then(|| self.of(cell)));
        known.map(|known| known.path.clone())
    }

    /// Returns the handles of a declared path.
    fn at(&self, path: &str) -> Arc<PathMeters> {
        let known = lock(&self.paths).get(path).cloned();
        known.unwrap_or_else(|| {
            let path: Arc<str> = path.into();
            let new = Arc::new(PathMeters::new(self, path.clone()));
            lock(&self.paths).entry(path).or_insert(new).clone()
        })
    }

    fn labels(&self, path: &Arc<str>) -> [Label; 2] {
        [self.tree_label(), Label::new("path", SharedString::from(path.clone()))]
    }

    fn tree_label(&self) -> Label {
        Label::new("tree", self.tree.clone())
    }

    /// Replaces the contributions to all gauges by these.
    pub(crate) fn contribute(&self, mut now: HashMap<Sampled, i64>) {
        let mut changes = Vec::new();
        {
            let mut sampled = lock(&self.sampled);
            let Some(before) = sampled.as_mut() else { return };
            for (key, contribution) in before.iter_mut() {
                let value = now.remove(key).unwrap_or(0);
                let change = value - contribution.value;
                if change != 0 {
                    contribution.value = value;
                    changes.push((key.clone(), change, contribution.gauge.clone()));
                }
            }
            for (key, value) in now {
                before.insert(key.clone(), Contribution { value, gauge: None });
                changes.push((key, value, None));
            }
        }
        let made = self.change(changes);
        if let Some(sampled) = lock(&self.sampled).as_mut() {
            for (key, gauge) in &made {
                if let Some(contribution) = sampled.get_mut(key) {
                    contribution.gauge.get_or_insert_with(|| gauge.clone());
                }
            }
        }
        // `made` is dropped after the lock: dropping the last handle of a gauge runs code of the recorder.
    }

    /// Takes all contributions back, for good. The contributions of the top-level children stay.
    fn take_back(&self) {
        if self.are_top_level() {
            return;
        }
        let before = lock(&self.sampled).take();
        let gone = before.into_iter().flatten().filter(|(_, contribution)| contribution.value != 0);
        self.change(gone.map(|(key, contribution)| (key, -contribution.value, contribution.gauge)).collect());
    }

    /// Changes gauges. Returns those that had to be made.
    fn change(&self, changes: Vec<Change>) -> Vec<(Sampled, GaugeHandle)> {
        let mut made = Vec::new();
        for (key, change, known) in changes {
            let is_new = known.is_none();
            let Some(gauge) = known.or_else(|| self.gauge(&key)) else { break };
            let by = change.unsigned_abs() as f64;
            self.health.run(|| if change < 0 { gauge.decrement(by) } else { gauge.increment(by) });
            if is_new {
                made.push((key, gauge));
            }
        }
        made
    }

    fn gauge(&self, (path, sample): &Sampled) -> Option<GaugeHandle> {
        let (name, more) = match sample {
            Sample::Children(state) => (CHILDREN, Some(Label::new("state", *state))),
            Sample::MailboxDepth => (MAILBOX_DEPTH, None),
            Sample::BudgetRemaining => (BUDGET_REMAINING, None),
            Sample::RemoteNodes => (REMOTE_NODES, None),
            Sample::RemoteWaiting => (REMOTE_WAITING, None),
            Sample::RemoteChildren(node) => (REMOTE_CHILDREN, Some(node_label(node))),
            Sample::RemoteCapacity(node) => (REMOTE_CAPACITY, Some(node_label(node))),
        };
        let mut labels = match sample {
            Sample::Children(_) | Sample::MailboxDepth | Sample::BudgetRemaining => Vec::from(self.labels(path)),
            _ => vec![self.tree_label(), Label::new("role", SharedString::from(path.clone()))],
        };
        labels.extend(more);
        let key = Key::from_parts(name, labels);
        self.health.run(|| Arc::new(CatchDrop::new(with_recorder(|recorder| recorder.register_gauge(&key, &METADATA)))))
    }
}

fn node_label(node: &Arc<str>) -> Label {
    Label::new("node", SharedString::from(node.clone()))
}

/// The calls of the recorder. It is not called again after a panic.
#[derive(Debug)]
struct Caught {
    panicked: AtomicBool,
}

impl Caught {
    #[cfg_attr(debug_assertions, track_caller)]
    fn run<T>(&self, call: impl FnOnce() -> T) -> Option<T> {
        foreign();
        if self.panicked.load(Relaxed) {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(out) => Some(out),
            Err(payload) => {
                std::mem::forget(payload); // its own `Drop` may panic too
                self.tell();
                None
            }
        }
    }

    #[cold]
    fn tell(&self) {
        if !self.panicked.swap(true, Relaxed) {
            let told = catch_unwind(|| tracing::error!("the recorder of metrics panicked; these metrics are off now"));
            drop_catching_panics(told);
        }
    }
}

/// The metrics of a declared path: their handles are looked up when they are first needed.
pub(crate) struct PathMeters {
    /// The number of the meters.
    pub(crate) id: u64,
    pub(crate) path: Arc<str>,
    labels: [Label; 2],
    health: Arc<Caught>,
    delay: OnceLock<CatchDrop<Histogram>>,
    wait: OnceLock<CatchDrop<Histogram>>,
    duration: OnceLock<CatchDrop<Histogram>>,
    shutdown: OnceLock<CatchDrop<Histogram>>,
    dead_letters: [OnceLock<CatchDrop<Counter>>; DeadLetterReason::ALL.len()],
    unread: OnceLock<CatchDrop<Counter>>,
    /// The counters of remote events, by the position in [`REMOTE`].
    remote_events: [OnceLock<CatchDrop<Counter>>; REMOTE.len()],
    /// The counters of restarts, by the type of the error and the directive.
    restarts: Mutex<HashMap<[&'static str; 2], Arc<CatchDrop<Counter>>>>,
}

impl fmt::Debug for PathMeters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PathMeters").field(&self.labels).finish()
    }
}

impl PathMeters {
    fn new(meters: &Meters, path: Arc<str>) -> Self {
        PathMeters {
            id: meters.id,
            labels: meters.labels(&path),
            path,
            health: meters.health.clone(),
            delay: OnceLock::new(),
            wait: OnceLock::new(),
            duration: OnceLock::new(),
            shutdown: OnceLock::new(),
            dead_letters: Default::default(),
            unread: OnceLock::new(),
            remote_events: Default::default(),
            restarts: Mutex::default(),
        }
    }

    fn key(&self, name: &'static str, more: impl IntoIterator<Item = Label>) -> Key {
        let mut labels = Vec::from(self.labels.clone());
        labels.extend(more);
        Key::from_parts(name, labels)
    }

    fn counter(&self, key: &Key) -> Option<CatchDrop<Counter>> {
        self.health.run(|| CatchDrop::new(with_recorder(|recorder| recorder.register_counter(key, &METADATA))))
    }

    fn record(&self, histogram: &OnceLock<CatchDrop<Histogram>>, name: &'static str, time: Duration) {
        if histogram.get().is_none() {
            let key = self.key(name, []);
            let made = self
                .health
                .run(|| CatchDrop::new(with_recorder(|recorder| recorder.register_histogram(&key, &METADATA))));
            // Not under the lock of `get_or_init`, since the recorder is foreign code. Another thread may be first.
            drop(made.map(|made| histogram.set(made)));
        }
        if let Some(histogram) = histogram.get() {
            self.health.run(|| histogram.record(time.as_secs_f64()));
        }
    }

    /// Records how long a message has waited.
    pub(crate) fn waited(&self, time: Duration) {
        self.record(&self.wait, MAILBOX_WAIT, time);
    }

    /// Records how long a message was in hand.
    pub(crate) fn handled(&self, time: Duration) {
        self.record(&self.duration, MESSAGE_DURATION, time);
    }

    /// Records the delay of a restart.
    pub(crate) fn delayed(&self, time: Duration) {
        self.record(&self.delay, RESTART_DELAY, time);
    }

    /// Records how long a child took to end.
    pub(crate) fn shut_down(&self, time: Duration) {
        self.record(&self.shutdown, SHUTDOWN_DURATION, time);
    }

    /// Counts a dead letter.
    pub(crate) fn dead_letter(&self, reason: DeadLetterReason) {
        let at = reason.number();
        self.increment(&self.dead_letters[at], DEAD_LETTERS, Some(Label::new("reason", reason.word())));
    }

    /// Counts an error that nobody reads.
    pub(crate) fn unread(&self) {
        self.increment(&self.unread, UNREAD, None);
    }

    /// Counts a decision about a failure.
    pub(crate) fn decided(&self, failure: &Failure, directive: Directive) {
        let directive = match directive {
            Directive::Restart => "restart",
            Directive::Resume => "resume",
            Directive::Stop => "stop",
            Directive::Escalate => "escalate",
            Directive::Default => return, // answered before
        };
        self.count(error_type(failure.cause()), directive);
    }

    /// Counts a restart that nobody has decided on: by hand, after an end, or together with others. `failure`: that of the
    /// restart. `own`: it is the failure of this child.
    pub(crate) fn restarted(&self, failure: Option<&Failure>, own: bool) {
        let error = match failure {
            Some(failure) if own => error_type(failure.cause()),
            Some(_) => "group",
            None => error_type(&Cause::Requested),
        };
        self.count(error, "restart");
    }

    /// Counts what has happened to a remote child: the event at this position in [`REMOTE`].
    pub(crate) fn remote(&self, at: usize) {
        self.increment(&self.remote_events[at], REMOTE_EVENTS, Some(Label::new("event", REMOTE[at])));
    }

    fn increment(&self, counter: &OnceLock<CatchDrop<Counter>>, name: &'static str, label: Option<Label>) {
        if counter.get().is_none() {
            let made = self.counter(&self.key(name, label));
            drop(made.map(|made| counter.set(made)));
        }
        if let Some(counter) = counter.get() {
            self.health.run(|| counter.increment(1));
        }
    }

    fn count(&self, error: &'static str, directive: &'static str) {
        let known = lock(&self.restarts).get(&[error, directive]).cloned();
        let counter = known.or_else(|| {
            let labels = [Label::new("error.type", error), Label::new("directive", directive)];
            let made = Arc::new(self.counter(&self.key(RESTARTS, labels))?);
            Some(lock(&self.restarts).entry([error, directive]).or_insert_with(|| made.clone()).clone())
        });
        if let Some(counter) = counter {
            self.health.run(|| counter.increment(1));
        }
    }
}

/// The events of remote children that are counted.
const REMOTE: [&str; 9] =
    ["placed", "node_lost", "no_node", "fenced", "refused", "not_written", "node_joined", "node_left", "node_refused"];

/// Returns the position of an event in [`REMOTE`].
pub(crate) fn remote_event(event: &EventKind) -> Option<usize> {
    match event {
        EventKind::Placed { .. } => Some(0),
        EventKind::NodeLost { .. } => Some(1),
        EventKind::NoNode { .. } => Some(2),
        EventKind::Fenced => Some(3),
        EventKind::Refused { .. } => Some(4),
        EventKind::NotWritten { .. } => Some(5),
        EventKind::NodeJoined { .. } => Some(6),
        EventKind::NodeLeft { .. } => Some(7),
        EventKind::NodeRefused { .. } => Some(8),
        _ => None,
    }
}

/// Returns the kind of the cause, or the type of the error: never its text, of which there may be any number.
fn error_type(cause: &Cause) -> &'static str {
    match cause {
        Cause::Error(error) => error.type_of(),
        cause => cause.kind().word(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S51, S63: the label `event` names each event of a remote child as `EventKind` does, and no other event.
    #[test]
    fn each_event_of_a_remote_child_has_its_label() {
        let why = || "why".to_owned();
        let label = |event: EventKind| remote_event(&event).map(|at| REMOTE[at]);
        assert_eq!(label(EventKind::Fenced), Some("fenced"));
        assert_eq!(label(EventKind::Refused { why: why() }), Some("refused"));
        assert_eq!(label(EventKind::NotWritten { why: why() }), Some("not_written"));
        assert_eq!(label(EventKind::NodeLeft { node: why().into() }), Some("node_left"));
        assert_eq!(label(EventKind::NodeRefused { node: why().into(), why: why().into() }), Some("node_refused"));
        assert_eq!(
            label(EventKind::NodeJoined { node: why().into(), role: why().into(), build: why().into() }),
            Some("node_joined")
        );
        assert_eq!(label(EventKind::Restarted), None);
    }
}
