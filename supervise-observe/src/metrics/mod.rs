//! Metrics of running trees, for every recorder of the facade [`metrics`](https://docs.rs/metrics).
//!
//! Install a recorder, turn the metrics of a tree on with [`Metrics::metrics`], and call [`sample`] where metrics are read.
//! `docs/metrics.md` lists the metrics. See rule S51.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::part::are_spawned;
use crate::snapshot::{NodeStateKind, network, own_end, state};
use supervise_core::base::sync::Arc;
use supervise_core::decide::group::BudgetView;
use supervise_core::values::observe::Observe;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::extension::{AnyCell, ChildView, TreeShared, attach, cell, seen};
use supervise_runtime::{Tree, TreeRef};

mod declared_path;
mod meters;
mod roots;

use meters::{Meters, Sample, Sampled};
pub(crate) use roots::TopLevelMetrics;

/// Turns metrics on. The prelude has this trait.
///
/// Install the recorder before: a metric is looked up in the recorder once, when it is first recorded. See
/// [the module](self), and rule S51.
pub trait Metrics: sealed::Sealed {
    /// The tree, if it is not started yet, or a guard of the running one.
    type Recorded;

    /// Records the metrics of a tree from its start to its end, or those of the whole tree that a running one is part of,
    /// until the guard is dropped. Only what is set for a root has an effect. Several guards of one tree record each metric
    /// once.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _query: u32) {} }
    /// # supervisor! { struct Shop { db: Db = Db } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recorder = metrics_util::debugging::DebuggingRecorder::new(); // or any other
    /// let snapshotter = recorder.snapshotter();
    /// recorder.install()?;
    ///
    /// let shop = Shop::tree().metrics().start().await?;
    /// supervise::metrics::sample(); // before metrics are read
    /// let names: Vec<String> =
    ///     snapshotter.snapshot().into_vec().iter().map(|metric| metric.0.key().name().to_owned()).collect();
    /// assert!(names.iter().any(|name| name == "supervise.children"));
    /// # Ok(())
    /// # }
    /// ```
    fn metrics(self) -> Self::Recorded;
}

mod sealed {
    use supervise_runtime::expansion::TreeDef;
    use supervise_runtime::{Tree, TreeRef};

    pub trait Sealed {}

    impl Sealed for &TreeRef {}
    impl<T: TreeDef> Sealed for Tree<T> {}
}

impl<T: TreeDef> Metrics for Tree<T> {
    type Recorded = Self;

    fn metrics(self) -> Self {
        attach(self, Arc::new(roots::FromStart))
    }
}

impl Metrics for &TreeRef {
    type Recorded = Metering;

    fn metrics(self) -> Metering {
        let tree = cell(self).core().bus().clone();
        tree.observe(Observe::TIMING);
        roots::request(&root_of(cell(self)));
        Metering { tree: Some(tree) }
    }
}

fn root_of(cell: &Arc<AnyCell>) -> Arc<AnyCell> {
    let mut root = cell;
    while let Some(parent) = root.core().parent()
        && !parent.core().is_guardian()
    {
        root = parent;
    }
    root.clone()
}

/// Records the metrics of a tree for as long as it exists. Returned by [`Metrics::metrics`].
///
/// When the guard is dropped, or the tree ends, what the tree has added to gauges is taken back. Counters and histograms
/// keep their values.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A recorder of your choice is installed first.
/// let shop = Shop::start().await?;
/// let metering = shop.metrics();
/// shop.db.tell(()).await?; // recorded
/// drop(metering);
/// shop.db.tell(()).await?; // not recorded
/// shop.metrics().forever(); // from here to the end of the tree
/// # Ok(())
/// # }
/// ```
#[must_use = "the metrics are recorded until this guard is dropped; `forever()` keeps them on"]
pub struct Metering {
    /// `None`: nothing is given back.
    tree: Option<Arc<TreeShared>>,
}

impl Metering {
    /// Records the metrics until the tree ends.
    pub fn forever(mut self) {
        self.tree = None;
    }
}

impl Drop for Metering {
    fn drop(&mut self) {
        if let Some(tree) = &self.tree {
            meters::give_back(tree);
            tree.observe_no_more(Observe::TIMING);
        }
    }
}

impl fmt::Debug for Metering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metering")
    }
}

/// Records the metrics of all top-level actors, and of the tasks and trees that [`spawn`](crate::spawn) starts, from
/// those on that are spawned after this call. They share the tree `guardian` and the path `*`.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// supervise::metrics::top_level();
/// let db: ActorRef<Db> = spawn(child! { "db": Db = Db }).await?;
/// db.tell(()).await?; // recorded
/// # Ok(())
/// # }
/// ```
pub fn top_level() {
    roots::top_level();
}

/// Samples the gauges of all trees whose metrics are recorded.
///
/// Call it where metrics are read, just before an exporter renders them, so that each scrape shows the present moment.
/// For an exporter that sends metrics by itself, use [`sample_every`].
///
/// Like [`TreeRef::health`](crate::Inspect::health), a sample waits for no child, and copies nothing of those that run: it
/// takes some milliseconds for 100,000 of them.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # struct Exporter;
/// # impl Exporter { fn render(&self) -> String { String::new() } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let exporter = Exporter;
/// let shop = Shop::tree().metrics().start().await?;
///
/// /// The answer of `/metrics`.
/// fn metrics(exporter: &Exporter) -> String {
///     supervise::metrics::sample();
///     exporter.render()
/// }
/// # metrics(&exporter);
/// # Ok(())
/// # }
/// ```
pub fn sample() {
    let now = Instant::now();
    for meters in meters::all() {
        let roots = roots::roots(&meters);
        let mut all = All::new();
        let mut remote = HashMap::new();
        for root in &roots {
            add(&meters, root, now, &mut all);
            add_network(root, &mut remote);
        }
        remote.extend(all.values().flat_map(|(path, totals)| totals.gauges(path)));
        meters.contribute(remote);
    }
}

/// Samples the gauges again and again, as [`sample`] does: for exporters that send metrics by themselves. The future never
/// ends; run it as a task of a tree.
///
/// A period below 1 ms is one of 1 ms.
///
/// # Cancel safety
///
/// The future may be dropped at any time.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         #[lifecycle(Permanent)]
///         sampler: task = supervise::metrics::sample_every(Duration::from_secs(10)),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::tree().metrics().start().await?;
/// # Ok(())
/// # }
/// ```
pub async fn sample_every(period: Duration) {
    let mut ticks = interval(period.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        sample();
    }
}

/// The gauges of the children with one declared path.
#[derive(Default)]
struct Totals {
    states: [i64; NodeStateKind::ALL.len()],
    waiting: Option<i64>,
    left: Option<u32>,
}

impl Totals {
    fn count(&mut self, cell: &AnyCell, state: NodeStateKind, budget: Option<&BudgetView>) {
        self.states[state as usize] += 1;
        if let Some(mailbox) = cell.mailbox() {
            *self.waiting.get_or_insert(0) += mailbox.waiting as i64;
        }
        if let Some((budget, max)) = budget.and_then(|budget| Some((budget, budget.allowance.max?)))
            && state != NodeStateKind::Ended
        {
            let left = max.saturating_sub(budget.used);
            self.left = Some(self.left.map_or(left, |least| least.min(left)));
        }
    }

    fn add(&mut self, other: &Totals) {
        for (own, other) in self.states.iter_mut().zip(other.states) {
            *own += other;
        }
        self.waiting = self.waiting.into_iter().chain(other.waiting).reduce(|own, other| own + other);
        self.left = self.left.into_iter().chain(other.left).min();
    }

    /// Returns the gauges, without those that are not known.
    fn gauges(&self, path: &Arc<str>) -> impl Iterator<Item = (Sampled, i64)> {
        let states = NodeStateKind::ALL.into_iter().map(|state| (state, self.states[state as usize]));
        let states =
            states.filter(|(_, number)| *number > 0).map(|(state, number)| (Sample::Children(name_of(state)), number));
        let waiting = self.waiting.map(|waiting| (Sample::MailboxDepth, waiting));
        let left = self.left.map(|left| (Sample::BudgetRemaining, left.into()));
        states.chain(waiting).chain(left).map(|(sample, value)| ((path.clone(), sample), value))
    }
}

/// The gauges of all paths, by the address of the path: each is there once.
type All = HashMap<*const u8, (Arc<str>, Totals)>;

fn put(all: &mut All, path: Arc<str>, totals: &Totals) {
    all.entry(path.as_ptr()).or_insert_with(|| (path, Totals::default())).1.add(totals);
}

fn name_of(state: NodeStateKind) -> &'static str {
    match state {
        NodeStateKind::Queued => "queued",
        NodeStateKind::Starting => "starting",
        NodeStateKind::Running => "running",
        NodeStateKind::Suspended => "suspended",
        NodeStateKind::Failed => "failed",
        NodeStateKind::GoingDown => "going_down",
        NodeStateKind::BackingOff => "backing_off",
        NodeStateKind::Ended => "ended",
    }
}

/// Adds the gauges of this cell and of all below it. Children that were spawned at run time and have ended are gone.
fn add(meters: &Meters, root: &Arc<AnyCell>, now: Instant, all: &mut All) {
    let mut todo = vec![root.clone()];
    let is_gone = (root.core().is_top_level() || root.core().is_root()) && root.core().has_ended();
    if !meters.are_top_level() && !is_gone {
        alone(meters, root, seen(&**root, now).as_ref(), now, all);
    }
    while let Some(owner) = todo.pop() {
        let Some(table) = owner.core().table() else { continue };
        let mut running = Totals::default();
        // All children that were spawned at run time have one path; each declared one has its own.
        let spawned = are_spawned(table);
        let (first, others) = table.view_metered(now, &*owner, spawned, |cell, budget| {
            running.count(cell, NodeStateKind::Running, Some(&budget));
        });
        if let Some(path) = first.and_then(|first| meters.path_of(first.core())) {
            put(all, path, &running);
        }
        for (cell, view) in others {
            if !(spawned && cell.core().has_ended()) {
                alone(meters, &cell, Some(&view), now, all);
            }
            if cell.core().table().is_some() {
                todo.push(cell);
            }
        }
    }
}

/// Adds the gauges of the network that the tree of this root is on. Several nodes of one process are one.
fn add_network(root: &AnyCell, all: &mut HashMap<Sampled, i64>) {
    let Some(network) = network(root.core()).filter(|_| !root.core().has_ended()) else { return };
    let mut add = |role: &str, sample, value: usize| {
        let sum = all.entry((Arc::<str>::from(role), sample)).or_default();
        *sum = sum.saturating_add(i64::try_from(value).unwrap_or(i64::MAX));
    };
    for node in &network.nodes {
        let process: Arc<str> = node.process().into();
        add(&node.role, Sample::RemoteNodes, 1);
        add(&node.role, Sample::RemoteChildren(process.clone()), node.children);
        if let Some(capacity) = node.capacity {
            add(&node.role, Sample::RemoteCapacity(process), capacity);
        }
    }
    for wait in &network.waiting {
        add(&wait.role, Sample::RemoteWaiting, wait.children);
    }
}

/// Adds the gauges of one cell.
fn alone(meters: &Meters, cell: &Arc<AnyCell>, view: Option<&ChildView>, now: Instant, all: &mut All) {
    let Some(path) = meters.path_of(cell.core()) else { return };
    let state = state(&**cell, view, own_end(&**cell), now).kind();
    let mut totals = Totals::default();
    totals.count(&**cell, state, view.map(|view| &view.member.budget));
    put(all, path, &totals);
}
