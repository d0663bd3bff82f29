//! Clusters of an owner and its nodes inside of one test, on tokio's paused clock.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::memory::Network;
use crate::{Net, Node};

/// An owner and its nodes on a [`Network`].
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use supervise::prelude::*;
/// use supervise_remote::testing::Cluster;
///
/// struct Pricing;
///
/// #[derive(Serialize, Deserialize)]
/// struct Quote(u32, Reply<u32>);
///
/// #[actor]
/// impl Pricing {
///     fn handle(&mut self, Quote(item, reply): Quote) {
///         reply.send(item * 3);
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[on("worker")]
///         pricing: remote Pricing = Pricing,
///     }
/// }
///
/// #[tokio::main(flavor = "current_thread", start_paused = true)]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let mut cluster = Cluster::new();
///     cluster.node("one", Shop::node("worker"));
///     cluster.node("two", Shop::node("worker"));
///     let shop = Shop::tree().on(cluster.owner()).start().await?;
///     assert_eq!(shop.pricing.ask(|reply| Quote(14, reply)).await?, 42);
///
///     cluster.kill(cluster.name_of(&shop.pricing.node().unwrap()));
///     tokio::time::sleep(std::time::Duration::from_secs(11)).await; // its lease and its `shutdown`
///     assert_eq!(shop.pricing.ask(|reply| Quote(14, reply)).await?, 42);
///     Ok(())
/// }
/// ```
pub struct Cluster {
    network: Network,
    nodes: HashMap<String, Running>,
    owners: u64,
}

struct Running {
    node: Node,
    net: Net,
    task: JoinHandle<io::Result<()>>,
    leave: Option<oneshot::Sender<()>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("nodes", &self.nodes.keys()).finish_non_exhaustive()
    }
}

impl Default for Cluster {
    fn default() -> Self {
        Cluster::new()
    }
}

impl Cluster {
    /// Makes a cluster without nodes.
    pub fn new() -> Cluster {
        Cluster { network: Network::new(), nodes: HashMap::new(), owners: 0 }
    }

    /// Returns the network, to delay and to lose frames.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns a network for an owner. The first one knows that no owner was there before, and so need not wait for
    /// leases; each later one is a new owner (rule S60). Their processes are `owner`, `owner-2` and so on.
    pub fn owner(&mut self) -> Net {
        self.owners = self.owners.saturating_add(1);
        match self.owners {
            1 => Net::open(self.network.process("owner")).fresh(),
            n => Net::open(self.network.process(format!("owner-{n}"))),
        }
    }

    /// Starts a node in a process of this name. A process of this name that was killed starts anew.
    ///
    /// # Panics
    ///
    /// If a node of this name runs.
    pub fn node(&mut self, name: &str, node: Node) {
        if let Some(running) = self.nodes.get(name) {
            assert!(running.task.is_finished(), "the node {name} runs already");
        }
        let net = Net::open(self.network.process(name));
        let (leave, left) = oneshot::channel::<()>();
        let until = async move {
            if left.await.is_err() {
                std::future::pending::<()>().await; // the cluster is gone, and its test over
            }
        };
        let task = tokio::spawn(node.clone().serve(net.clone(), until));
        self.nodes.insert(name.to_owned(), Running { node, net, task, leave: Some(leave) });
    }

    /// Lets a node leave in order, and waits until it has.
    ///
    /// # Panics
    ///
    /// If there is no such node, or its server failed.
    pub async fn leave(&mut self, name: &str) {
        let running = self.nodes.get_mut(name).unwrap_or_else(|| panic!("there is no node {name}"));
        if let Some(leave) = running.leave.take() {
            let _ = leave.send(());
        }
        (&mut running.task).await.expect("its task was not cut off").expect("it had joined");
    }

    /// Kills a process, like SIGKILL: everything in it is dropped without a hook, and the others hear of it.
    ///
    /// # Panics
    ///
    /// If there is no process of this name.
    #[track_caller]
    pub fn kill(&mut self, name: impl AsRef<str>) {
        let name = name.as_ref();
        self.knows(name);
        self.network.kill(name);
        if let Some(running) = self.nodes.remove(name) {
            running.task.abort();
        }
    }

    /// Freezes a process, like SIGSTOP.
    ///
    /// # Panics
    ///
    /// If there is no process of this name.
    #[track_caller]
    pub fn freeze(&self, name: &str) {
        self.knows(name);
        self.network.freeze(name);
    }

    /// Lets a frozen process go on.
    ///
    /// # Panics
    ///
    /// If there is no process of this name.
    #[track_caller]
    pub fn thaw(&self, name: &str) {
        self.knows(name);
        self.network.thaw(name);
    }

    /// Cuts a node from the owner; see [`Network::cut`].
    ///
    /// # Panics
    ///
    /// If there is no process of this name.
    #[track_caller]
    pub fn cut(&self, name: &str) {
        self.knows(name);
        for owner in 1..=self.owners.max(1) {
            let owner = if owner == 1 { "owner".to_owned() } else { format!("owner-{owner}") };
            self.network.cut(&owner, name);
        }
    }

    /// Mends what [`cut`](Cluster::cut) has cut.
    ///
    /// # Panics
    ///
    /// If there is no process of this name.
    #[track_caller]
    pub fn mend(&self, name: &str) {
        self.knows(name);
        for owner in 1..=self.owners.max(1) {
            let owner = if owner == 1 { "owner".to_owned() } else { format!("owner-{owner}") };
            self.network.mend(&owner, name);
        }
    }

    /// A test with a name that is wrong would test nothing.
    #[track_caller]
    fn knows(&self, name: &str) {
        let hint =
            if name.contains('#') { "; a process has the part before the `#`, see `Cluster::name_of`" } else { "" };
        assert!(self.network.has(name), "there is no process {name}{hint}");
    }

    /// Gives the nodes trouble for this time: cuts and mends, freezes and thaws, delays, and deaths after which the process
    /// starts anew, in an order that the seed decides. Afterwards everything is mended, and every node runs.
    ///
    /// Run it beside the work of a test, and check what has to hold at all times; then wait until the children are up
    /// again, and check what has to hold in the end.
    ///
    /// # Panics
    ///
    /// If the cluster has no nodes.
    pub async fn chaos(&mut self, seed: u64, time: Duration) {
        let mut names: Vec<String> = self.nodes.keys().cloned().collect();
        names.sort();
        assert!(!names.is_empty(), "a cluster without nodes has no trouble");
        let mut dice = Random(seed);
        let until = tokio::time::Instant::now() + time;
        while tokio::time::Instant::now() < until {
            let name = &names[dice.below(names.len())];
            match dice.below(6) {
                0 => self.cut(name),
                1 => self.mend(name),
                2 => self.freeze(name),
                3 => self.thaw(name),
                4 => self.network.delay(Duration::from_millis(dice.upto(100))),
                _ => self.start_anew(name),
            }
            let pause = Duration::from_millis(dice.upto(1_000));
            tokio::time::sleep(pause.min(until.duration_since(tokio::time::Instant::now()))).await;
        }
        self.network.delay(Duration::ZERO);
        for name in &names {
            self.mend(name);
            self.thaw(name);
            if self.nodes.get(name).is_none_or(|running| running.task.is_finished()) {
                self.start_anew(name);
            }
        }
    }

    /// Kills a process, and starts its node in a new one.
    fn start_anew(&mut self, name: &str) {
        let Some(node) = self.nodes.get(name).map(|running| running.node.clone()) else { return };
        self.kill(name);
        self.node(name, node);
    }

    /// Returns the name of the process in a [`RemoteRef::node`](crate::RemoteRef::node).
    pub fn name_of(&self, node: &str) -> String {
        crate::wire::Peer::new(node).name().to_owned()
    }

    /// Returns how many requests of references on the nodes of this cluster are not answered.
    pub fn requests(&self) -> usize {
        self.nodes.values().map(|node| node.net.0.requests()).sum()
    }

    /// Returns how many instances the nodes of this cluster host; one that was killed hosts none.
    pub fn hosted(&self) -> usize {
        self.nodes.values().map(|node| node.net.0.hosted()).sum()
    }
}

/// Numbers that a seed decides: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn upto(&mut self, most: u64) -> u64 {
        self.next().checked_rem(most.saturating_add(1)).unwrap_or(0)
    }

    fn below(&mut self, number: usize) -> usize {
        let most = u64::try_from(number.saturating_sub(1)).unwrap_or(u64::MAX);
        usize::try_from(self.upto(most)).unwrap_or(0)
    }
}

/// Returns how many actors of this process nodes may send to at present. Actors that have ended are forgotten when
/// the next ones come, so it is at most twice the number of those that live, and some.
pub fn references(net: &Net) -> usize {
    net.0.references()
}

/// Returns how many requests of references on nodes the owners on this network have not answered and still wait for.
pub fn requests(net: &Net) -> usize {
    net.0.waits()
}

/// Returns how often children of the owners on this network have looked for a node.
pub fn looks(net: &Net) -> usize {
    net.0.looks()
}

/// Returns the name of the process in which the remote child runs that calls this: in a start expression, a hook or a
/// handler.
///
/// A test has all its processes in one, so a child cannot find out otherwise where it is.
pub fn process() -> Option<String> {
    crate::process::current()
}

/// Returns how many placements the owners on this network do not know to be down, over all runs of trees that are not
/// over.
pub fn placements(net: &Net) -> usize {
    net.0.placements()
}

/// Reads these bytes as a frame of either side, and all that is inside, as a process does with what it receives. For
/// fuzzing: it never panics, and writes again what it has read.
///
/// Returns whether it is a frame to a node, and whether it is one to an owner.
#[doc(hidden)]
pub fn read_frame(bytes: &[u8]) -> [bool; 2] {
    use crate::errors::{Errors, from_wire};
    use crate::frame::{PROTOCOL, Terms, ToNode, ToOwner, read};

    let ours = Terms { protocol: PROTOCOL, max_frame: crate::MAX_FRAME };

    let mut taken = [false; 2];
    if let Ok(framed) = read::<ToNode>(bytes) {
        taken[0] = true;
        let again = read::<ToNode>(&framed.write()).expect("it was written here");
        assert_eq!(format!("{framed:?}"), format!("{again:?}"));
        match framed.body {
            ToNode::Hello { terms, .. } => assert_eq!(terms.refused(ours, "it", "node").is_none(), terms == ours),
            ToNode::Place(order) => drop(order.healing.map(|failure| from_wire(failure, Errors::TEXT).to_string())),
            ToNode::Leave { failure, .. } => drop(from_wire(failure, Errors::TEXT).to_string()),
            _ => {}
        }
    }
    if let Ok(framed) = read::<ToOwner>(bytes) {
        taken[1] = true;
        let again = read::<ToOwner>(&framed.write()).expect("it was written here");
        assert_eq!(format!("{framed:?}"), format!("{again:?}"));
        match framed.body {
            ToOwner::Hello(hello) => {
                assert_eq!(hello.terms.refused(ours, "it", "owner").is_none(), hello.terms == ours);
                // An owner takes a greater epoch than its own, or none.
                assert!(
                    hello.heard.above(7, 0).is_err()
                        || hello.heard.above(7, 0).is_ok_and(|new| new.is_none_or(|new| new > 7))
                );
            }
            ToOwner::NotUp { failure, .. } | ToOwner::Failed { failure, .. } => {
                drop(from_wire(failure, Errors::TEXT).to_string());
            }
            _ => {}
        }
    }
    taken
}
