//! The network of a process, as users hold it.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Weak};
use std::time::Duration;

use crate::hooks::{self, Held, NetworkView, TreeNetwork, TreeRoot, TreeRun};
use supervise_runtime::extension::Extension;
use supervise_runtime::spec::TreeSpec;

use tokio::sync::watch;

use crate::epoch;
use crate::errors::guarded;
use crate::frame::{PROTOCOL, Terms};
use crate::health::NodeHealth;
use crate::lock::lock;
use crate::run::{Begin, Run};
use crate::specs::{longest_orphan, shortest_leases};
use crate::wire::{Side, Wire};

/// The most bytes of a message, unless the wire or [`Net::max_frame`] says otherwise: 16 MiB.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

/// A network, on which trees with remote children are put, and nodes serve.
///
/// Cheap to clone; all clones are the same network. The owner of a tree puts the tree on it with
/// [`Tree::on`](supervise_runtime::Tree::on), and every other machine serves the tree with [`Node::serve`](crate::Node::serve).
/// Nothing joins before that.
///
/// ```
/// use supervise::prelude::*;
/// use supervise_remote::{Net, memory::Network};
///
/// let network = Network::new(); // of one process; `supervise-remote-zenoh` has real ones
/// let owner = Net::open(network.process("owner"));
/// let worker = Net::open(network.process("worker-1"));
/// assert_eq!((owner.name(), worker.name()), ("owner", "worker-1"));
/// ```
#[derive(Clone)]
pub struct Net(pub(crate) Arc<NetInner>);

pub(crate) struct NetInner {
    pub(crate) wire: Arc<dyn Wire>,
    pub(crate) max_frame: usize,
    peers: Option<Arc<[String]>>,
    longest_stall: Option<Duration>,
    build: Option<String>,
    /// The microseconds that the clock of a test is ahead.
    pub(crate) shift: i64,
    /// Holds for the first run only: the next one could meet instances of the first.
    fresh: AtomicBool,
    runs: Mutex<HashMap<u64, Arc<Run>>>,
    /// One receiver for each run that is over, closed once the run has left the network.
    leaving: Mutex<Vec<watch::Receiver<()>>>,
    /// The nodes that serve on this network.
    nodes: Mutex<Vec<Weak<dyn Serves>>>,
}

/// A node that serves on a network, as the network sees it.
pub(crate) trait Serves: Send + Sync {
    fn is_of(&self, tree: &TreeSpec) -> bool;
    fn health(&self) -> Option<NodeHealth>;
    /// How many instances it runs.
    #[cfg(feature = "testing")]
    fn hosts(&self) -> usize;
    /// How many of its requests are not answered yet.
    #[cfg(feature = "testing")]
    fn requests(&self) -> usize;
}

impl NetInner {
    /// Takes out the runs that are over, and of which nothing acts.
    #[must_use]
    fn forget_over(&self) -> Vec<Arc<Run>> {
        let is_done = |run: &Arc<Run>| run.is_over() && !run.acts();
        lock(&self.runs).extract_if(|_, run| is_done(run)).map(|(_, run)| run).collect()
    }
}

impl NetInner {
    /// Adds a run, unless its tree runs here already.
    fn lists(&self, id: u64, run: &Arc<Run>) -> bool {
        let mut runs = lock(&self.runs);
        let is_free = runs.values().all(|other| !other.is_of_tree_of(run) || !other.lives());
        if is_free {
            runs.insert(id, run.clone());
        }
        is_free
    }

    /// Returns the longest stall of the runtime for which leases are renewed; `shortest` is the shortest lease of the role.
    pub(crate) fn longest_stall(&self, shortest: Duration) -> Duration {
        self.longest_stall.unwrap_or_else(|| shortest.saturating_mul(2))
    }

    /// Returns the build of this program, for people: nothing is refused for it.
    pub(crate) fn build_of(&self, tree: &TreeSpec) -> String {
        self.build.clone().unwrap_or_else(|| tree.version.unwrap_or_default().to_owned())
    }

    pub(crate) fn terms(&self) -> Terms {
        Terms { protocol: PROTOCOL, max_frame: self.max_frame }
    }

    pub(crate) fn serves(&self, node: Weak<dyn Serves>) {
        let mut nodes = lock(&self.nodes);
        nodes.retain(|node| node.strong_count() > 0);
        nodes.push(node);
    }

    fn nodes(&self) -> Vec<Arc<dyn Serves>> {
        lock(&self.nodes).iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns how many nodes of this process serve this tree, or may still run something of it.
    pub(crate) fn nodes_of(&self, tree: &TreeSpec) -> usize {
        self.nodes().iter().filter(|node| node.is_of(tree)).count()
    }
}

#[cfg(feature = "testing")]
impl NetInner {
    pub(crate) fn hosted(&self) -> usize {
        self.nodes().iter().map(|node| node.hosts()).sum()
    }

    pub(crate) fn requests(&self) -> usize {
        self.nodes().iter().map(|node| node.requests()).sum()
    }

    pub(crate) fn waits(&self) -> usize {
        let runs: Vec<_> = lock(&self.runs).values().cloned().collect();
        runs.iter().map(|run| run.waiting_requests()).sum()
    }

    pub(crate) fn looks(&self) -> usize {
        let runs: Vec<_> = lock(&self.runs).values().cloned().collect();
        runs.iter().map(|run| run.looks.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn references(&self) -> usize {
        let runs: Vec<_> = lock(&self.runs).values().cloned().collect();
        runs.iter().map(|run| run.inlets.len()).sum()
    }

    pub(crate) fn placements(&self) -> usize {
        let runs: Vec<_> = lock(&self.runs).values().cloned().collect();
        runs.iter().map(|run| run.placements()).sum()
    }
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Net").field("name", &self.0.wire.name()).finish_non_exhaustive()
    }
}

impl Net {
    /// Opens a network over this wire. Nothing joins yet.
    pub fn open(wire: impl Wire) -> Net {
        Net(Arc::new(NetInner {
            max_frame: wire.max_frame().unwrap_or(MAX_FRAME),
            wire: Arc::new(wire),
            peers: None,
            longest_stall: None,
            build: None,
            shift: 0,
            fresh: AtomicBool::new(false),
            runs: Mutex::default(),
            leaving: Mutex::default(),
            nodes: Mutex::default(),
        }))
    }

    fn set(self, set: impl FnOnce(&mut NetInner)) -> Net {
        let mut inner =
            Arc::into_inner(self.0).expect("settings of a network are given where it is opened, before it is cloned");
        set(&mut inner);
        Net(Arc::new(inner))
    }

    /// Names all nodes that there are, by the names of their processes. For an owner; a node ignores the list.
    ///
    /// A new owner then starts children as soon as each of them has said that it runs nothing of an older owner.
    /// Without the list it waits for `lease + shutdown` of the child, since a node that it does not know may still run
    /// something (rule S60). A node that is not on the list is used like any other, but not waited for: keep the list
    /// complete, and give each process a name of its own. One process may serve several roles of the tree, on one `Net`.
    ///
    /// ```
    /// use supervise_remote::{Net, memory::Network};
    ///
    /// let net = Net::open(Network::new().process("owner")).peers(["host-7", "host-8"]);
    /// # let _ = net;
    /// ```
    ///
    /// # Panics
    ///
    /// If the network was cloned or used already.
    pub fn peers<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Net {
        let names = names.into_iter().map(Into::into).collect();
        self.set(|inner| inner.peers = Some(names))
    }

    /// Says that no owner was on this network before, so that the first tree need not wait for its leases. For tests and
    /// demonstrations: in a service that is restarted it is not true, and then two instances of a child may act at once.
    ///
    /// Holds for the first run of the first tree. See rule S60.
    ///
    /// # Panics
    ///
    /// If the network was cloned or used already.
    pub fn fresh(self) -> Net {
        self.set(|inner| inner.fresh = AtomicBool::new(true))
    }

    /// Sets the clock of this process, for the epochs of its owners, by so many microseconds.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn shifted(self, micros: i64) -> Net {
        self.set(|inner| inner.shift = micros)
    }

    /// Sets the most bytes of a message, a reply, or the values that a start expression takes along. What is larger is
    /// not sent (rule S61). Default: the limit of the wire if it has one, else 16 MiB. The same for all processes: an owner and
    /// a node with different limits do not go together, and both say so.
    ///
    /// # Panics
    ///
    /// If the network was cloned or used already, and if it is more than [`Wire::max_frame`] of its wire.
    pub fn max_frame(self, bytes: usize) -> Net {
        if let Some(most) = self.0.wire.max_frame() {
            assert!(
                bytes <= most,
                "the wire takes messages of at most {most} bytes, not of {bytes}; raise its own limit"
            );
        }
        self.set(|inner| inner.max_frame = bytes)
    }

    /// Sets for how long leases go on while code blocks all threads of the runtime of this process. Default: twice the shortest
    /// lease of the role. An owner and a node each have their own.
    ///
    /// Renewals are asked for and granted on other threads meanwhile. A process whose runtime stands still for longer is
    /// lost: its children are replaced after this time, their lease and their `shutdown` (rule S57), and the nodes of an
    /// owner that stands still take their children down.
    ///
    /// That needs a wire which [takes signs](crate::wire::Link::take_signs), such as `supervise-remote-zenoh`. On another one
    /// a stall may last no longer than the lease. A stall of a part of the threads is none, and has no bound.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise_remote::{Net, memory::Network};
    ///
    /// let net = Net::open(Network::new().process("host-7")).longest_stall(Duration::from_secs(2));
    /// # let _ = net;
    /// ```
    ///
    /// # Panics
    ///
    /// If the network was cloned or used already.
    pub fn longest_stall(self, time: Duration) -> Net {
        self.set(|inner| inner.longest_stall = Some(time))
    }

    /// Names the build of this program, such as a commit. Default: the version of the package that declares the tree.
    ///
    /// For people: nothing is refused for it, so that one build after another is rolled out. The owner shows the builds of its
    /// nodes (`RemoteNode::build`, the event `NodeJoined`), a node that of its owner ([`Net::nodes`]).
    ///
    /// ```
    /// use supervise_remote::{Net, memory::Network};
    ///
    /// let net = Net::open(Network::new().process("host-7")).build(option_env!("GIT_COMMIT").unwrap_or("none"));
    /// # let _ = net;
    /// ```
    ///
    /// # Panics
    ///
    /// If the network was cloned or used already.
    pub fn build(self, name: impl Into<String>) -> Net {
        self.set(|inner| inner.build = Some(name.into()))
    }

    /// Returns the name of this process on the network.
    pub fn name(&self) -> &str {
        self.0.wire.name()
    }

    /// Returns the state of each node that serves on this network in this process, in the order of their starts. For
    /// probes, metrics and a log line of a program that has no tree of its own.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use supervise::prelude::*;
    /// use supervise_remote::{Net, memory::Network};
    /// # struct Pricing;
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Reload;
    /// # #[actor]
    /// # impl Pricing { fn handle(&mut self, _: Reload) {} }
    /// # supervisor! { struct Shop { #[on("worker")] pricing: remote Pricing = Pricing } }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let net = Net::open(Network::new().process("host-7"));
    /// let node = tokio::spawn(Shop::node("worker").serve(net.clone(), std::future::pending::<()>()));
    /// tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    /// let health = &net.nodes()[0];
    /// assert!(!health.is_ready());
    /// assert_eq!(
    ///     health.to_string(),
    ///     "node \"worker\" of Shop runs 0 children; it has followed no owner for 3.0s",
    /// );
    /// # node.abort();
    /// # }
    /// ```
    pub fn nodes(&self) -> Vec<NodeHealth> {
        self.0.nodes().iter().filter_map(|node| node.health()).collect()
    }

    /// Waits until the trees of this process that have ended have left the network. For the end of `main` of an owner:
    /// the nodes then have all that was sent to them, and hear that it has left. A node needs no call of this, since
    /// [`Node::serve`](crate::Node::serve) waits by itself.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use supervise::prelude::*;
    /// # use supervise_remote::{Net, memory::Network};
    /// # struct Pricing;
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Reload;
    /// # #[actor]
    /// # impl Pricing { fn handle(&mut self, _: Reload) {} }
    /// # supervisor! { struct Shop { #[on("worker")] pricing: remote Pricing = Pricing } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (wire, stop) = (Network::new().process("shop"), std::future::ready(()));
    /// let net = Net::open(wire);
    /// let report = Shop::tree().on(net.clone()).run(stop).await?;
    /// net.close().await;
    /// # let _ = report;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// May be cancelled: the trees leave all the same.
    pub async fn close(&self) {
        let leaving = lock(&self.0.leaving).clone();
        for mut left in leaving {
            while left.changed().await.is_ok() {}
        }
    }

    pub(crate) fn run_of(&self, root: u64) -> Option<Arc<Run>> {
        lock(&self.0.runs).get(&root).cloned()
    }
}

impl From<Net> for Arc<dyn Extension> {
    fn from(net: Net) -> Self {
        hooks::on(Arc::new(net))
    }
}

impl TreeNetwork for Net {
    fn begins(&self, root: TreeRoot, tree: &'static TreeSpec, held: Option<Held>, of: TreeRun) -> Result<(), String> {
        let rights = guarded(|| self.0.wire.rights(Side::Owner))?;
        if let Some(why) = rights.refused("this process", Side::Owner, &root.name) {
            return Err(why);
        }
        let knows = self.0.fresh.swap(false, Ordering::SeqCst) || held.as_ref().is_some_and(|held| held.released);
        let epoch = held.as_ref().map_or_else(|| epoch::of_clock(self.0.shift), |held| epoch::of_lease(held.token));
        let (id, peers) = (root.id, self.0.peers.clone());
        let begin = Begin {
            root,
            epoch,
            held,
            knows,
            peers,
            longest: longest_orphan(tree),
            leases: shortest_leases(tree),
            module: tree.module,
            build: self.0.build_of(tree),
            of,
        };
        let (run, unjoined) = Run::new(self.0.clone(), begin);
        // A run that is over is kept as long as something of it may act.
        drop(self.0.forget_over());
        if !self.0.lists(id, &run) {
            return Err(taken(&run.tree()));
        }
        run.join(unjoined);
        Ok(())
    }

    fn over(&self, root: &TreeRoot, _all_down: bool) {
        let Some(run) = self.run_of(root.id) else { return };
        let left = run.over();
        {
            let mut leaving = lock(&self.0.leaving);
            leaving.retain(|left| left.has_changed().is_ok());
            leaving.push(left);
        }
        // A run is kept as long as a child of it may act, so that the lease of the tree is not released as free.
        drop(self.0.forget_over());
    }

    fn acts(&self, root: &TreeRoot) -> bool {
        drop(self.0.forget_over());
        self.run_of(root.id).is_some_and(|run| run.acts())
    }

    fn view(&self, root: &TreeRoot) -> NetworkView {
        self.run_of(root.id).map_or_else(NetworkView::default, |run| run.view())
    }
}

fn taken(tree: &str) -> String {
    format!(
        "the tree `{tree}` runs on this network already, and its nodes follow one owner; open another network for this one"
    )
}

/// Finds the network of a tree again.
pub(crate) fn of(network: &Arc<dyn TreeNetwork>) -> Option<&Net> {
    (&**network as &dyn Any).downcast_ref()
}
