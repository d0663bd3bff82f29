//! A node: runs remote children for the owner of a tree.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;
use std::time::Duration;

use crate::hooks::{self, OnReply};
use serde::Serialize;
use serde_bytes::ByteBuf;
use supervise_runtime::expansion::TreeHandle;
use supervise_runtime::spec::{RemoteSpec, TreeSpec};
use tokio::sync::{Notify, oneshot};

use crate::clock::{Clock, Moment};
use crate::epoch::{self, Heard};
use crate::errors::{guarded, too_large};
use crate::frame::{
    self, AHEAD, Framed, NodeHello, Outcome, PROTOCOL, PlaceOrder, Request, Terms, ToNode, ToOwner, WireReply, short,
};
use crate::health::{Followed, NodeHealth};
use crate::hosted::{Command, Commands, Hosting, Lease, Order};
use crate::lock::lock;
use crate::net::{Net, NetInner, Serves};
use crate::outbox::{Locked, Outbox, Sends, drained};
use crate::run::{HELLO, other_tree, path_of};
use crate::specs::{remote_specs, unknown_role};
use crate::wire::{Joined, LinkEvent, Peer, Rights, Side, Signs, Wire};

/// How long a join that failed waits, and the least time from one to the next if the link was closed.
const JOIN_AGAIN: Duration = Duration::from_secs(1);

/// A node asks again after this time whether the clock of an owner fits to its own.
const CLOCKS: Duration = Duration::from_secs(60);

/// The time without an owner after which the log says so, and the time until it says so again.
const LONELY: Duration = Duration::from_secs(5);
const LONELY_AGAIN: Duration = Duration::from_secs(60);

/// The most paths of dropped instances that are kept for the next owner.
const MOST_FENCED: usize = 10_000;

/// The time that a node waits for its instances beyond their own time.
const MARGIN: Duration = Duration::from_secs(1);

/// A process that runs remote children of a tree, for the owner of the tree: `Shop::node("worker")`.
///
/// The program is the same as that of the owner, or another build of it: a node is given the children whose declarations
/// agree (rule S63). It follows one owner at a time, the newest one (rule S60).
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
///
/// supervisor! {
///     struct Shop {
///         #[on("worker")]
///         pricing: remote Pricing = Pricing,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # let network = Network::new();
/// # let (wire, stop) = (network.process("host-7"), std::future::ready(()));
/// // `wire` is that of `supervise-remote-zenoh`, and `stop` is `supervise::signal()`.
/// Shop::node("worker").capacity(100).serve(Net::open(wire), stop).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a node does nothing until it is told to `serve`"]
#[derive(Clone)]
pub struct Node {
    tree: &'static TreeSpec,
    role: String,
    capacity: Option<usize>,
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("tree", &self.tree.name).field("role", &self.role).finish_non_exhaustive()
    }
}

impl Node {
    /// Makes a node for a tree whose remote children are all declared in other trees below it. A tree that declares
    /// some itself has a function of its own: `Shop::node(role)`.
    ///
    /// ```
    /// use serde::{Deserialize, Serialize};
    /// use supervise::prelude::*;
    /// use supervise_remote::Node;
    /// # struct Pricing;
    /// # #[derive(Serialize, Deserialize)]
    /// # struct Reload;
    /// # #[actor]
    /// # impl Pricing { fn handle(&mut self, _: Reload) {} }
    ///
    /// supervisor! {
    ///     struct Tenant {
    ///         #[on("worker")]
    ///         pricing: remote Pricing = Pricing,
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         tenants: [u64 => Tenant] = |_id: u64| Tenant::tree(),
    ///     }
    /// }
    ///
    /// let node = Node::for_tree::<Shop>("worker");
    /// # let _ = node;
    /// ```
    ///
    /// # Panics
    ///
    /// If the tree has no remote child of this role: the node would never get anything to do. `Shop::node(role)` panics
    /// for the same reason.
    #[track_caller]
    pub fn for_tree<T: TreeHandle>(role: impl Into<String>) -> Node {
        Node::of(const { &T::SPEC }, role)
    }

    /// Makes a node of this tree. Panics if it has no such role.
    #[doc(hidden)]
    #[track_caller]
    pub fn of(tree: &'static TreeSpec, role: impl Into<String>) -> Node {
        let role = role.into();
        if let Some(why) = unknown_role(tree, &role) {
            panic!("{why}");
        }
        Node { tree, role, capacity: None }
    }

    /// Sets how many children the node runs at the same time, of this tree and role. Default: any number.
    ///
    /// A child that goes down still counts. What has no room waits, or runs on another node.
    pub fn capacity(mut self, most: usize) -> Node {
        self.capacity = Some(most);
        self
    }

    /// Joins the network, and runs children for the owner of the tree, until `until` is ready; then leaves in order: the
    /// owner moves the children to other nodes, each within its `shutdown`. The process may end as soon as this returns:
    /// the owner has all that was sent to it, unless it does not answer.
    ///
    /// A node that loses its owner takes down what it runs, each child within its `shutdown`, and joins again as a new
    /// one. Without an owner it waits.
    ///
    /// # Errors
    ///
    /// If the network cannot be joined for the first time. Later it is tried again, once a second.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the node leaves at once: its children are dropped without a hook, and the owner counts it as lost.
    pub async fn serve<U>(self, net: Net, until: U) -> io::Result<()>
    where
        U: Future + Send,
    {
        let specs = remote_specs(self.tree);
        let mine: Vec<_> = specs.iter().filter(|spec| spec.role == self.role).collect();
        let shortest = mine.iter().map(|spec| spec.lease).min().expect("`Node::of` knows the role");
        let rights = guarded(|| net.0.wire.rights(Side::Node)).map_err(io::Error::other)?;
        if let Some(why) = rights.refused("this process", Side::Node, &self.role) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let inner = Arc::new(NodeInner {
            clock: net.0.wire.clock(),
            net: net.0.clone(),
            tree: self.tree,
            build: net.0.build_of(self.tree),
            role: self.role,
            capacity: self.capacity,
            starts: mine.iter().map(|spec| ((spec.key)(), **spec)).collect(),
            shortest,
            state: Mutex::default(),
            ids: AtomicU64::new(1),
            #[cfg(feature = "metrics")]
            number: crate::metered::number(),
            changed: Notify::new(),
            broken: Notify::new(),
            runtime: tokio::runtime::Handle::current(),
        });
        inner.lock().alone = Some(inner.clock.now());
        #[cfg(feature = "metrics")]
        crate::metered::describe();
        let _gone = Gone(inner.clone());
        if !inner.clock.is_simulated() {
            inner.watch_threads();
        }
        let serves: Weak<dyn Serves> = Arc::downgrade(&inner) as _;
        net.0.serves(serves);
        let mut until = std::pin::pin!(until);
        let mut at = tokio::time::Instant::now();
        let mut link = inner.join().await?;
        let mut was_short = false;
        loop {
            inner.joined(&link);
            let (closed, again) = match inner.read(&mut link, until.as_mut()).await {
                Ended::Left => {
                    drained(&inner.state).await;
                    link.close().await;
                    return Ok(());
                }
                // Join again at once, unless the last join was short too: an owner may refuse this node each time.
                Ended::Again => {
                    let is_short = at.elapsed() < JOIN_AGAIN;
                    let waits = std::mem::replace(&mut was_short, is_short) && is_short;
                    (false, if waits { at + JOIN_AGAIN } else { at })
                }
                Ended::Closed => (true, at + JOIN_AGAIN),
            };
            drop(link);
            let leaves = inner.lock().leaving;
            if leaves {
                // The owner is lost while this node leaves: no owner moves the children, so do not join again.
                inner.until_empty().await;
                return Ok(());
            }
            let joining = async {
                if closed {
                    say!(error, name = inner.name(), "the link to the network is closed, joins again");
                }
                tokio::time::sleep_until(again).await;
                loop {
                    let now = tokio::time::Instant::now();
                    match inner.join().await {
                        Ok(link) => break (link, now),
                        Err(error) => {
                            say!(error, %error, name = inner.name(), "cannot join the network, tries again");
                            tokio::time::sleep(JOIN_AGAIN).await;
                        }
                    }
                }
            };
            (link, at) = tokio::select! {
                joined = joining => joined,
                _ = &mut until => {
                    inner.end_all();
                    inner.until_empty().await;
                    return Ok(());
                }
            };
        }
    }
}

/// The server is gone, perhaps in the middle: what it hosts must not act for ever.
struct Gone(Arc<NodeInner>);

impl Drop for Gone {
    fn drop(&mut self) {
        let (leases, requests) = {
            let mut state = self.0.lock();
            (state.over, state.owner) = (true, None);
            state.outbox.left();
            let leases: Vec<_> = state.hosted.values().map(|hosted| hosted.lease.clone()).collect();
            (leases, std::mem::take(&mut state.requests))
        };
        drop(requests);
        for lease in leases {
            lease.abort();
        }
        #[cfg(feature = "metrics")]
        crate::metered::gone(self.0.number, self.0.tree.name, &self.0.role);
    }
}

enum Ended {
    /// The join is over, the node joins again.
    Again,
    /// The link is closed, or the wire has panicked.
    Closed,
    Left,
}

pub(crate) struct NodeInner {
    net: Arc<NetInner>,
    clock: Clock,
    tree: &'static TreeSpec,
    /// The build of this program.
    build: String,
    role: String,
    capacity: Option<usize>,
    starts: HashMap<String, &'static RemoteSpec>,
    shortest: Duration,
    state: Mutex<State>,
    ids: AtomicU64,
    /// The number of this node in its process, for its metrics.
    #[cfg(feature = "metrics")]
    number: u64,
    /// An instance is gone.
    changed: Notify,
    /// The wire has panicked.
    broken: Notify,
    /// For replies to what was sent from any thread.
    runtime: tokio::runtime::Handle,
}

impl Sends for State {
    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }
}

#[derive(Default)]
struct State {
    outbox: Outbox,
    owners: BTreeMap<Peer, OwnerState>,
    /// The owner that is followed, and which one it is: the first, the second and so on.
    owner: Option<(Peer, u64)>,
    /// The epoch of that owner, and the build of its program.
    epoch: u64,
    build: String,
    /// The number of owners that were followed.
    followed_ever: u64,
    /// The greatest epoch of all owners that were followed.
    heard: Heard,
    /// The instances, by owner and placement.
    hosted: HashMap<(u64, u64), Hosted>,
    /// When the renewals were asked for that are not answered yet.
    asked: VecDeque<(u64, Moment)>,
    /// When the last answered renewal was asked for.
    granted: Option<Moment>,
    /// How long the last answer took.
    round_trip: Duration,
    /// How long the answers took that the task of the node has not recorded.
    #[cfg(feature = "metrics")]
    unrecorded: Vec<Duration>,
    /// The answers take so long that a lease may be over before the next one.
    slow: bool,
    /// When the next renewal is due.
    renew_at: Option<Moment>,
    /// When the task that reads the link had its last turn.
    turned: Option<Moment>,
    /// When this owner was followed.
    followed: Option<Moment>,
    /// When the last owner was lost, or the node began.
    alone: Option<Moment>,
    /// When the log has said so last.
    said_alone: Option<Moment>,
    /// While the node follows nobody: why it does not follow the owner that it met last.
    refused: Option<String>,
    requests: HashMap<u64, Waiting>,
    /// The placements that the owner does not renew any more, as of its last answer. An order of one of them may still come.
    gone: Vec<u64>,
    /// Instances that were dropped at the end of their leases, until an owner is known to have heard of it: the path, and
    /// the number of the frame that told the owner, or of a later one.
    fenced: Vec<(String, u64)>,
    /// The owner still waits to hear that nothing older is left.
    owes_free: bool,
    leaving: bool,
    over: bool,
}

impl State {
    /// Keeps the reason for which the node follows nobody. An owner that is followed is none the worse for a stranger.
    fn refuses(&mut self, why: &str) {
        if self.owner.is_none() {
            self.refused = Some(why.to_owned());
        }
    }

    /// The node follows nobody any more.
    fn loses_owner(&mut self, now: Moment) {
        self.owner = None;
        self.alone.get_or_insert(now);
    }
}

struct OwnerState {
    up_at: Moment,
    /// The trees that it may own.
    rights: Rights,
    sent: u64,
    heard: u64,
    /// The clock of the owner did not fit the clock of this node.
    refused: bool,
}

struct Hosted {
    path: String,
    owner: Peer,
    commands: Arc<Commands>,
    lease: Arc<Lease>,
}

/// Says why an order comes to a node without a lease.
fn no_lease(round_trip: Duration, lease: Duration) -> String {
    if round_trip < lease / 3 {
        return "the node has no lease".to_owned();
    }
    format!(
        "the node has no lease: an answer of the owner takes {round_trip:?}, and a lease is {lease:?}; give a lease of three \
         times an answer or more"
    )
}

/// Why a link to an owner ends.
struct Broken {
    text: String,
    /// Frames are missing.
    is_gap: bool,
}

impl From<String> for Broken {
    fn from(text: String) -> Self {
        Broken { text, is_gap: false }
    }
}

/// A request of a reference on this node.
struct Waiting {
    taken: Option<oneshot::Sender<Outcome>>,
    backs: HashMap<u64, oneshot::Sender<WireReply>>,
}

impl Waiting {
    fn is_answered(&self) -> bool {
        self.taken.is_none() && self.backs.is_empty()
    }
}

/// The wait for the answer to a request. If it is dropped before, the owner is notified that no answer is needed.
pub(crate) struct Awaited {
    node: Arc<NodeInner>,
    id: u64,
    taken: oneshot::Receiver<Outcome>,
}

impl Future for Awaited {
    type Output = Result<Outcome, oneshot::error::RecvError>;

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        std::pin::Pin::new(&mut self.taken).poll(cx)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut state = self.node.lock();
        // The request may be answered, and its replies under way.
        let given_up = state.requests.get(&self.id).is_some_and(|waiting| waiting.taken.is_some());
        let waiting = given_up.then(|| state.requests.remove(&self.id)).flatten();
        if given_up && let Some((owner, _)) = state.owner.clone() {
            state.send(&owner, ToOwner::Forget { id: self.id });
        }
        drop(state);
        drop(waiting);
    }
}

impl Serves for NodeInner {
    /// Returns the state of the node, for its process; `None` once it serves no more.
    fn health(&self) -> Option<NodeHealth> {
        let state = lock(&self.state);
        let now = self.clock.now();
        let owner = state.owner.as_ref().map(|(owner, _)| {
            let granted = state.granted.map(|granted| now.since(granted));
            Followed {
                name: owner.name().to_owned(),
                since: state.followed.map_or(Duration::ZERO, |followed| now.since(followed)),
                granted,
                round_trip: state.round_trip,
                build: state.build.clone(),
                holds: granted.is_some_and(|age| age < self.shortest),
            }
        });
        (!state.over).then(|| NodeHealth {
            tree: self.tree.name,
            role: self.role.clone(),
            capacity: self.capacity,
            children: state.hosted.len(),
            alone: state.alone.filter(|_| owner.is_none()).map(|alone| now.since(alone)),
            owner,
            refused: state.refused.clone(),
            leaving: state.leaving,
        })
    }

    #[cfg(feature = "testing")]
    fn hosts(&self) -> usize {
        self.lock().hosted.len()
    }

    /// Returns how many requests are not answered.
    #[cfg(feature = "testing")]
    fn requests(&self) -> usize {
        self.lock().requests.len()
    }

    /// Returns whether it serves this tree, or may still run something of it.
    fn is_of(&self, tree: &TreeSpec) -> bool {
        let state = lock(&self.state);
        let is_it = (self.tree.module, self.tree.name) == (tree.module, tree.name);
        is_it && (!state.over || !state.hosted.is_empty())
    }
}

impl NodeInner {
    fn lock(&self) -> Locked<'_, State> {
        Locked::new(&self.state, &self.broken)
    }

    fn name(&self) -> &str {
        self.net.wire.name()
    }

    pub(crate) fn wire(&self) -> &Arc<dyn Wire> {
        &self.net.wire
    }

    pub(crate) fn max_frame(&self) -> usize {
        self.net.max_frame
    }

    /// Joins the network as a new peer, whose leases wait for no runtime.
    async fn join(self: &Arc<Self>) -> io::Result<Joined> {
        let node = Arc::downgrade(self);
        let take: Signs = Arc::new(move |from, bytes| node.upgrade().is_none_or(|node| node.takes_sign(from, bytes)));
        Joined::new(&*self.net.wire, Side::Node, take).await
    }

    fn joined(&self, link: &Joined) {
        let mut state = self.lock();
        state.outbox.joined(link.out.clone());
        state.owners.clear();
        state.loses_owner(self.clock.now());
        state.asked.clear();
        (state.granted, state.followed) = (None, None);
    }

    /// Sends a frame to an owner, if it is the one that is followed.
    pub(crate) fn send(&self, to: &Peer, body: ToOwner) {
        let mut state = self.lock();
        if state.owner.as_ref().is_some_and(|(owner, _)| owner == to) {
            state.send(to, body);
        }
    }

    /// An instance is gone, which its owner learns by this frame. At once, so that the owner finds the room that it hears of.
    pub(crate) fn forget(&self, run: u64, placement: u64, last: ToOwner) {
        {
            let mut state = self.lock();
            let Some(hosted) = state.hosted.remove(&(run, placement)) else { return };
            if state.owner.as_ref().is_some_and(|(owner, _)| *owner == hosted.owner) {
                state.send(&hosted.owner, last);
            }
            if hosted.lease.was_fenced() {
                state.say_fenced(hosted.path);
            }
            state.say_free();
        }
        self.changed.notify_waiters();
    }

    /// Forgets the instances whose tasks are gone, once nothing of them runs, and notifies their owner.
    pub(crate) fn forget_vanished(&self) {
        let vanished: Vec<_> = {
            let state = self.lock();
            let vanished = state.hosted.iter().filter(|(_, hosted)| hosted.lease.has_vanished());
            vanished.map(|(token, _)| *token).collect()
        };
        for (run, placement) in vanished {
            self.forget(run, placement, ToOwner::Vanished { placement });
        }
    }

    /// Ends the leases of all instances that this owner, or any, does not hold any more.
    fn end_all(&self) {
        let leases: Vec<_> = self.lock().hosted.values().map(|hosted| hosted.lease.clone()).collect();
        for lease in leases {
            lease.end();
        }
    }

    async fn until_empty(&self) {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            if self.lock().hosted.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// Reads a link until the join is over, or the node has left.
    async fn read<U: Future>(self: &Arc<Self>, link: &mut Joined, mut until: std::pin::Pin<&mut U>) -> Ended {
        const MOST: usize = 1024;
        lock(&self.state).renew_at = Some(self.clock.now() + self.every());
        let mut leave_by: Option<Moment> = None;
        loop {
            let renew_at = self.turns(self.clock.now());
            let look_at = self.says_alone_at().map_or(renew_at, |due| renew_at.min(due));
            let mut renew = std::pin::pin!(self.clock.sleep_until(look_at));
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            let mut broken = std::pin::pin!(self.broken.notified());
            let mut events = Vec::new();
            let leaving = leave_by.is_some();
            let left = leaving && self.lock().hosted.is_empty();
            if left {
                return Ended::Left;
            }
            let woken = poll_fn(|cx| {
                match self.net.wire.poll_lives(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(false) => return Poll::Ready(Woken::WireClosed),
                    Poll::Ready(true) => {}
                }
                // The bell may be one of the join before, so check that this join is broken.
                if broken.as_mut().poll(cx).is_ready() {
                    let is_broken = lock(&self.state).outbox.is_broken();
                    return Poll::Ready(if is_broken { Woken::Closed } else { Woken::Due });
                }
                while events.len() < MOST {
                    match link.poll_event(cx) {
                        // Taken at once: from here on, no lease is renewed before the hello of this owner is read.
                        Poll::Ready(Some(up @ LinkEvent::Up(..))) => drop(self.take(up)),
                        Poll::Ready(Some(event)) => events.push(event),
                        Poll::Ready(None) => return Poll::Ready(Woken::Closed),
                        Poll::Pending => break,
                    }
                }
                if !leaving && until.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Woken::Leave);
                }
                let due = renew.as_mut().poll(cx).is_ready();
                let gone = leaving && changed.as_mut().poll(cx).is_ready();
                if due || gone || !events.is_empty() { Poll::Ready(Woken::Due) } else { Poll::Pending }
            })
            .await;
            let full = events.len() == MOST;
            if let Woken::Leave = woken {
                // Leave before the events are taken: they may end this join, and `until` is not polled again.
                leave_by = Some(self.leave());
            }
            for event in events {
                if !self.take(event) {
                    self.end_join();
                    return Ended::Again;
                }
            }
            match woken {
                Woken::WireClosed => return Ended::Left,
                Woken::Closed => {
                    self.end_join();
                    return Ended::Closed;
                }
                Woken::Leave => continue,
                Woken::Due => {}
            }
            let now = self.clock.now();
            if let Some(by) = leave_by
                && by <= now
            {
                // The owner does not answer in time, so the instances are ended here.
                self.end_all();
                leave_by = Some(now + self.longest_shutdown() + MARGIN);
            }
            self.says_alone(now);
            if renew_at <= now {
                self.is_seen();
                if !self.is_answered(now) {
                    self.end_join();
                    return Ended::Again;
                }
                self.renew(now);
            }
            if full {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Records the state of the node.
    fn is_seen(&self) {
        #[cfg(feature = "metrics")]
        if let Some(health) = self.health() {
            let times = std::mem::take(&mut lock(&self.state).unrecorded);
            times.into_iter().for_each(|took| crate::metered::renewed(self.tree.name, &self.role, took));
            crate::metered::seen(self.number, &health);
        }
    }

    /// Returns when the log is to say that the node has no owner.
    fn says_alone_at(&self) -> Option<Moment> {
        let state = lock(&self.state);
        Some(state.said_alone.map_or(state.alone? + LONELY, |said| said + LONELY_AGAIN))
    }

    /// Says in the log that the node has no owner: after some seconds, and then each minute.
    fn says_alone(&self, now: Moment) {
        if self.says_alone_at().is_none_or(|due| due > now) {
            return;
        }
        let mut state = self.lock();
        state.said_alone = Some(now);
        let since = state.alone.map_or(Duration::ZERO, |alone| now.since(alone));
        let (refused, children) = (state.refused.clone(), state.hosted.len());
        drop(state);
        say!(warn, name = self.name(), ?since, children, refused, "the node follows no owner");
    }

    fn longest_shutdown(&self) -> Duration {
        let state = self.lock();
        state.hosted.values().map(|hosted| hosted.lease.shutdown()).max().unwrap_or_default()
    }

    /// Leaves in order. Returns until when the owner has time to move the children.
    fn leave(&self) -> Moment {
        {
            let mut state = self.lock();
            state.leaving = true;
            if let Some((owner, _)) = state.owner.clone() {
                state.send(&owner, ToOwner::Leaving);
            } else {
                drop(state);
                self.end_all();
            }
        }
        self.clock.now() + self.longest_shutdown() + MARGIN
    }

    /// The task that reads the link has its turn. Returns when a renewal is due.
    fn turns(&self, now: Moment) -> Moment {
        let mut state = lock(&self.state);
        state.turned = Some(now);
        state.renew_at.unwrap_or(now)
    }

    /// Returns whether this join goes on. It is over if the owner does not answer.
    fn is_answered(&self, now: Moment) -> bool {
        let state = lock(&self.state);
        if state.owner.is_none() {
            // An owner that has sent no frame: its hello is lost. For a refused one, a wrong clock may be right by now.
            let is_lost = |owner: &OwnerState| match owner.refused {
                true => owner.up_at + CLOCKS <= now,
                false => owner.heard == 0 && owner.up_at + HELLO <= now,
            };
            return !state.owners.values().any(is_lost);
        };
        // No answer for twice the shortest lease: frames are lost, to the owner or from it.
        let patience = self.shortest.saturating_mul(2);
        let last = state.granted.max(state.followed);
        drop(state);
        let is_over = last.is_some_and(|last| last + patience <= now);
        if is_over {
            say!(warn, name = self.name(), "the owner answers no renewal, joins again");
        }
        !is_over
    }

    /// Asks for a renewal, if it is due.
    fn renew(&self, now: Moment) {
        let mut state = self.lock();
        if state.renew_at.is_none_or(|due| due <= now) {
            self.ask(&mut state, now);
        }
    }

    /// Asks for a renewal in place of the runtime, whose threads may all be blocked: as long as that is not for ever.
    fn renew_beside(&self, now: Moment) {
        let (most, late) = (self.net.longest_stall(self.shortest), self.every() / 4);
        let (turned, is_late) = {
            let state = lock(&self.state);
            (state.turned, state.renew_at.is_some_and(|due| due + late <= now))
        };
        if is_late && turned.is_some_and(|turned| now < turned + most) {
            self.renew(now);
        }
    }

    fn ask(&self, state: &mut State, now: Moment) {
        state.renew_at = Some(now + self.every());
        let Some((owner, _)) = state.owner.clone() else { return };
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        state.asked.push_back((id, now));
        let heard = state.owners.get(&owner).map_or(0, |owner| owner.heard);
        let round_trip = state.granted.map(|_| state.round_trip);
        state.send_ahead(&owner, ToOwner::Renew { asked: id, heard, round_trip });
        state.send(&owner, ToOwner::Still);
    }

    /// The time from one renewal to the next.
    fn every(&self) -> Duration {
        self.shortest.checked_div(3).unwrap_or(self.shortest)
    }

    /// The join is over: what runs for its owner goes down.
    fn end_join(&self) {
        let (requests, told) = {
            let mut state = self.lock();
            state.loses_owner(self.clock.now());
            state.outbox.left();
            state.owners.clear();
            (std::mem::take(&mut state.requests), state.fenced.len())
        };
        drop(requests); // everyone who waits for an answer gets an error
        self.is_seen();
        say!(info, name = self.name(), fenced = told, "the node joins again");
        self.end_all();
    }

    /// Takes an event of the link. False: the join is over.
    fn take(self: &Arc<Self>, event: LinkEvent) -> bool {
        match event {
            LinkEvent::Up(peer, rights) => {
                let up = OwnerState { up_at: self.clock.now(), rights, sent: 0, heard: 0, refused: false };
                self.lock().owners.insert(peer, up);
                true
            }
            LinkEvent::Down(peer) => {
                let mut state = self.lock();
                state.owners.remove(&peer);
                // The instances that run for this owner go down, and the next owner meets a new node. Without an owner,
                // this node joins again too: the link may work again, and a peer that was down is met as a new one.
                state.owner.as_ref().is_some_and(|(owner, _)| *owner != peer)
            }
            LinkEvent::Frame { from, bytes } => match self.frame(&from, &bytes) {
                Ok(()) => true,
                Err(why) => {
                    say!(warn, name = self.name(), owner = %from, why = why.text, "the link to an owner ends");
                    let mut state = self.lock();
                    state.owners.remove(&from);
                    match &state.owner {
                        Some((owner, _)) => *owner != from,
                        // The hello may be lost, and the owner sends it again to a new join. Noise would never end.
                        None => !why.is_gap,
                    }
                }
            },
        }
    }

    /// Takes a sign of life, perhaps on a thread of the wire. False: the bytes are to be read in order.
    ///
    /// A newer owner waits only for leases that were granted before it joined. So nothing is granted here while the hello of
    /// an owner waits to be read.
    fn takes_sign(self: &Arc<Self>, from: &Peer, bytes: &[u8]) -> bool {
        let is_awaited = |owner: &OwnerState| owner.heard == 0 && owner.rights.allows(self.tree.name);
        if lock(&self.state).owners.values().any(is_awaited) {
            return false;
        }
        match frame::read::<ToNode>(bytes) {
            Ok(sign @ Framed { seq: AHEAD, body: ToNode::Grant { .. } }) => self.framed(from, sign).is_ok(),
            _ => false,
        }
    }

    fn frame(self: &Arc<Self>, from: &Peer, bytes: &[u8]) -> Result<(), Broken> {
        self.framed(from, frame::read(bytes).map_err(|why| format!("a frame cannot be read: {why}"))?)
    }

    fn framed(self: &Arc<Self>, from: &Peer, Framed { seq, body }: Framed<ToNode>) -> Result<(), Broken> {
        let mut state = self.lock();
        // Ignore a frame of an owner whose link has ended.
        let Some(owner) = state.owners.get_mut(from) else { return Ok(()) };
        let due = owner.heard.saturating_add(1);
        if seq == AHEAD && matches!(body, ToNode::Grant { .. }) {
            // A grant that was sent ahead has no place in the order.
        } else if seq != due {
            return Err(Broken { text: format!("frame {seq} came where {due} was due"), is_gap: true });
        }
        owner.heard = owner.heard.max(seq);
        if let ToNode::Hello { terms, tree, module, epoch, build } = body {
            // An older build sends no module; it is refused because of its protocol.
            if terms.protocol == PROTOCOL && (&*tree, &*module) != (self.tree.name, self.tree.module) {
                let mine = ToOwner::Elsewhere { tree: self.tree.name.to_owned(), module: self.tree.module.to_owned() };
                state.send(from, mine);
                if tree == self.tree.name {
                    let why = other_tree(&path_of(self.tree.module, self.tree.name), &path_of(&short(module), &tree));
                    state.refuses(&why);
                    drop(state);
                    say!(warn, name = self.name(), owner = %from, why, "does not follow an owner");
                }
                return Ok(());
            }
            if tree == self.tree.name
                && let Some(why) = owner.rights.refused(from.name(), Side::Owner, &tree)
            {
                state.refuses(&why);
                state.send(from, ToOwner::Refused { why: why.clone() });
                drop(state);
                say!(warn, name = self.name(), owner = %from, why, "does not follow an owner");
                return Ok(());
            }
            drop(state);
            return Ok(self.hello(from, terms, &tree, epoch, short(build))?);
        }
        // A node does what its own owner says, and nobody else.
        let Some((owner, run)) = state.owner.clone().filter(|(owner, _)| owner == from) else { return Ok(()) };
        let hosted =
            |state: &State, placement: u64| state.hosted.get(&(run, placement)).map(|hosted| hosted.commands.clone());
        let tell = |state: &State, placement: u64, command: Command| {
            if let Some(commands) = hosted(state, placement) {
                commands.push(command);
            }
        };
        match body {
            ToNode::Hello { .. } | ToNode::Still => {}
            ToNode::Place(order) => {
                drop(state);
                self.place(owner, run, *order);
            }
            ToNode::Msg { placement, seq, body } => {
                tell(&state, placement, Command::Msg { seq, body: body.into_vec() })
            }
            ToNode::Resume { placement, upto } => tell(&state, placement, Command::Resume { upto }),
            ToNode::Leave { placement, failure } => tell(&state, placement, Command::Leave(Box::new(failure))),
            ToNode::Stop { placement } => tell(&state, placement, Command::Stop),
            ToNode::Kill { placement } => tell(&state, placement, Command::Kill),
            ToNode::Abort { placement } => {
                let lease = state.hosted.get(&(run, placement)).map(|hosted| hosted.lease.clone());
                drop(state);
                if let Some(lease) = lease {
                    lease.abort();
                }
            }
            ToNode::Grant { asked, gone, heard } => {
                let Some(place) = state.asked.iter().position(|(id, _)| *id == asked) else { return Ok(()) };
                let Some((_, at)) = state.asked.drain(..=place).next_back() else { return Ok(()) };
                state.granted = state.granted.max(Some(at));
                state.round_trip = self.clock.now().since(at);
                // Renewals are asked for three times in a lease, so an answer that takes a third leaves room for one loss.
                let (round_trip, lease) = (state.round_trip, self.shortest);
                let slow = round_trip >= lease / 3;
                let is_news = slow && !state.slow;
                #[cfg(feature = "metrics")]
                state.unrecorded.push(round_trip);
                state.slow = slow || state.slow && state.round_trip >= self.shortest / 6;
                state.fenced.retain(|(_, said)| *said > heard);
                for ((of, placement), hosted) in &state.hosted {
                    if *of == run && gone.binary_search(placement).is_err() {
                        hosted.lease.renew(at);
                    }
                }
                state.gone = gone;
                drop(state);
                if is_news {
                    let name = self.name();
                    say!(warn, name, ?round_trip, ?lease, "answers of the owner take a third of a lease or more");
                }
            }
            ToNode::Outcome { id, taken } => {
                let Some(mut waiting) = state.requests.remove(&id) else { return Ok(()) };
                let asker = waiting.taken.take();
                // No reply comes to a message that was not accepted.
                if taken == Outcome::Done && !waiting.is_answered() {
                    state.requests.insert(id, waiting);
                    drop(state);
                } else {
                    drop(state);
                    drop(waiting);
                }
                if let Some(asker) = asker {
                    let _ = asker.send(taken);
                }
            }
            ToNode::Reply { id, ask, back } => {
                let waiting = state.requests.get_mut(&id).and_then(|waiting| waiting.backs.remove(&ask));
                if state.requests.get(&id).is_some_and(Waiting::is_answered) {
                    state.requests.remove(&id);
                }
                drop(state);
                if let Some(waiting) = waiting {
                    let _ = waiting.send(back);
                }
            }
            ToNode::Bye { why } => return Err(format!("the owner says: {}", short(why)).into()),
        }
        Ok(())
    }

    fn hello(&self, from: &Peer, terms: Terms, tree: &str, epoch: u64, build: String) -> Result<(), String> {
        if tree != self.tree.name {
            return Ok(()); // a frame of another tree on the same network
        }
        let beside = self.net.nodes_of(self.tree);
        let older = {
            let mut state = self.lock();
            if state.owner.as_ref().is_some_and(|(owner, _)| owner == from) {
                // The owner has taken a greater epoch. The instances keep their tokens.
                state.epoch = state.epoch.max(epoch);
                state.heard.hear(epoch);
                return Ok(());
            }
            if epoch::is_far_ahead(epoch, self.net.shift) {
                let why = format!(
                    "the clock of {from} is more than a day ahead of the one of this node, or this one is wrong"
                );
                if let Some(owner) = state.owners.get_mut(from) {
                    owner.refused = true;
                }
                state.refuses(&why);
                state.send(from, ToOwner::Refused { why: why.clone() });
                drop(state);
                say!(warn, name = self.name(), why, "does not follow an owner");
                return Ok(());
            }
            let newer = state.owner.clone().filter(|_| state.epoch > epoch);
            if let Some((newer, _)) = newer {
                let why = format!("it follows a newer owner, {newer}");
                state.send(from, ToOwner::Refused { why });
                return Ok(());
            }
            if let Some((older, _)) = state.owner.take() {
                let why = format!("a newer owner is here, {from}");
                state.send(&older, ToOwner::Refused { why });
            }
            // A newer owner replaces the older one even if it is not followed: it starts the children on other nodes.
            let refused = terms.refused(self.net.terms(), &from.to_string(), "node");
            let run = state.followed_ever.saturating_add(1);
            match refused {
                None => (state.owner, state.alone, state.said_alone) = (Some((from.clone(), run)), None, None),
                Some(_) => state.loses_owner(self.clock.now()),
            }
            state.refused = refused.clone();
            (state.followed_ever, state.epoch, state.build) = (run, epoch, build);
            state.asked.clear();
            (state.granted, state.followed) = (None, Some(self.clock.now()));
            state.gone = Vec::new();
            (state.round_trip, state.slow) = (Duration::ZERO, false);
            let older: Vec<_> =
                state.hosted.iter().filter(|((of, _), _)| *of != run).map(|(_, hosted)| hosted.lease.clone()).collect();
            state.owes_free = !older.is_empty();
            let hello = self.hello_of(state.owes_free, beside, state.heard);
            state.heard.hear(epoch);
            state.send(from, ToOwner::Hello(hello));
            for (path, _) in state.fenced.clone() {
                state.send(from, ToOwner::Fenced { path });
            }
            let sent = state.sent();
            state.fenced.iter_mut().for_each(|(_, said)| *said = sent);
            if state.leaving {
                state.send(from, ToOwner::Leaving);
            }
            let requests = std::mem::take(&mut state.requests);
            drop(state);
            drop(requests);
            if let Some(why) = refused {
                say!(warn, name = self.name(), why, "does not follow an owner");
            }
            older
        };
        for lease in older {
            lease.end();
        }
        self.ask(&mut self.lock(), self.clock.now());
        Ok(())
    }

    fn hello_of(&self, holds: bool, beside: usize, heard: Heard) -> NodeHello {
        NodeHello {
            terms: self.net.terms(),
            role: self.role.clone(),
            capacity: self.capacity,
            builds: self.starts.iter().map(|(key, spec)| (key.clone(), spec.build)).collect(),
            leases: self.starts.iter().map(|(key, spec)| (key.clone(), spec.lease)).collect(),
            holds,
            beside,
            heard,
            build: self.build.clone(),
        }
    }

    fn place(self: &Arc<Self>, owner: Peer, run: u64, order: PlaceOrder) {
        let placement = order.placement;
        let placed = {
            let mut state = self.lock();
            self.accept(&mut state, &owner, run, &order)
        };
        let (spec, lease, commands) = match placed {
            Ok(placed) => placed,
            Err(why) => return self.send(&owner, ToOwner::Declined { placement, why }),
        };
        let order = Order { node: self.clone(), owner: owner.clone(), run, order, lease, commands };
        match (spec.start)(Box::new(order)).downcast::<Hosting>() {
            Ok(hosting) => drop(tokio::spawn(hosting.0)),
            Err(_) => {
                let why = "its start function is of another version of supervise-remote".to_owned();
                self.forget(run, placement, ToOwner::Declined { placement, why });
            }
        }
    }

    /// Takes an order, or says why not.
    fn accept(
        &self,
        state: &mut State,
        owner: &Peer,
        run: u64,
        order: &PlaceOrder,
    ) -> Result<(&'static RemoteSpec, Arc<Lease>, Arc<Commands>), String> {
        if state.leaving {
            return Err("the node leaves".to_owned());
        }
        if state.gone.binary_search(&order.placement).is_ok() {
            return Err("its owner has given the placement up".to_owned());
        }
        let spec = *self.starts.get(&order.key).ok_or("the node does not have this child")?;
        if spec.build != order.build {
            return Err("the node has another build of this child".to_owned());
        }
        if self.capacity.is_some_and(|most| state.hosted.len() >= most) {
            return Err("the node is full".to_owned());
        }
        let now = self.clock.now();
        let asked = state.granted.filter(|asked| now < *asked + order.lease);
        let asked = asked.ok_or_else(|| no_lease(state.round_trip, order.lease))?;
        let (token, place) = ((order.epoch, order.placement), (run, order.placement));
        let lease = Lease::new(self.net.wire.clone(), asked, order.lease, order.shutdown, token, order.path.clone());
        let commands = Arc::<Commands>::default();
        let hosted =
            Hosted { path: order.path.clone(), owner: owner.clone(), commands: commands.clone(), lease: lease.clone() };
        if state.hosted.contains_key(&place) {
            return Err("the placement is here already".to_owned());
        }
        state.hosted.insert(place, hosted);
        Ok((spec, lease, commands))
    }

    // ----- what blocks its thread

    /// Renews the leases while the runtime is late, and watches for instances that act past their time since they block their
    /// thread. The owner replaces them, so nothing but the end of this process keeps its promise. A thread of its own: those
    /// of the runtime may all be blocked.
    fn watch_threads(self: &Arc<Self>) {
        let node = Arc::downgrade(self);
        let watch = move || {
            let mut looks = BlockedBefore::default();
            while let Some(node) = node.upgrade() {
                let (every, stuck) = {
                    let state = lock(&node.state);
                    if state.over && state.hosted.is_empty() {
                        return;
                    }
                    let now = state.hosted.iter().filter(|(_, hosted)| hosted.lease.is_stuck());
                    let stuck = looks.look(now.map(|(token, hosted)| (*token, &*hosted.path)).collect());
                    let every = node.shortest.checked_div(20).unwrap_or_default().clamp(WATCH.0, WATCH.1);
                    (every, stuck.map(str::to_owned))
                };
                if let Some(path) = stuck {
                    die_of(&path);
                }
                node.renew_beside(node.clock.now());
                node.forget_vanished();
                drop(node);
                std::thread::sleep(every);
            }
        };
        let watching = std::thread::Builder::new().name("supervise-remote".to_owned()).spawn(watch);
        if let Err(error) = watching {
            say!(error, %error, "cannot watch for instances that block their thread");
        }
    }

    // ----- requests of references on this node

    /// Sends a request to the owner, and waits for the answer; `None`: no owner is followed.
    pub(crate) fn request(
        self: &Arc<Self>,
        to: &str,
        root: u64,
        request: Request,
        asks: Vec<(u64, OnReply)>,
    ) -> Option<Awaited> {
        let (sender, taken) = oneshot::channel();
        let id = self.ask_owner(to, root, request, Some(sender), asks)?;
        Some(Awaited { node: self.clone(), id, taken })
    }

    /// Sends a request to the owner, for whose answer nobody waits; `None`: no owner is followed.
    pub(crate) fn order(&self, to: &str, root: u64, request: Request, asks: Vec<(u64, OnReply)>) -> Option<()> {
        self.ask_owner(to, root, request, None, asks).map(drop)
    }

    fn ask_owner(
        &self,
        to: &str,
        root: u64,
        request: Request,
        taken: Option<oneshot::Sender<Outcome>>,
        asks: Vec<(u64, OnReply)>,
    ) -> Option<u64> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let mut backs = HashMap::new();
        let mut waits = Vec::new();
        for (ask, on_reply) in asks {
            let (sender, back) = oneshot::channel();
            backs.insert(ask, sender);
            waits.push((on_reply, back));
        }
        {
            let mut state = self.lock();
            let (owner, _) = state.owner.clone().filter(|_| !state.over)?;
            let waiting = Waiting { taken, backs };
            if !waiting.is_answered() {
                state.requests.insert(id, waiting);
            }
            state.send(&owner, ToOwner::Request { to: to.to_owned(), root, id, request });
        }
        // Each reply is read by code of the user: in a task of its own, since the asker may be gone.
        for (on_reply, back) in waits {
            self.runtime.spawn(async move {
                let back = back.await.ok().flatten().map(|back| back.map(ByteBuf::into_vec));
                if let Err(why) = guarded(move || on_reply(back)).unwrap_or_else(Err) {
                    say!(warn, why, "a reply cannot be read");
                }
            });
        }
        Some(id)
    }

    /// Writes a message of a reference on this node. A reference in the answer leads through this node.
    pub(crate) fn write<M: Serialize>(self: &Arc<Self>, msg: &M) -> Result<hooks::Written, String> {
        let written = guarded(|| hooks::encode(msg, &mut 0, Some(self.clone()))).unwrap_or_else(Err)?;
        if written.0.len() > self.net.max_frame {
            return Err(too_large(written.0.len(), self.net.max_frame));
        }
        Ok(written)
    }
}

/// How often instances that block their thread are looked for.
const WATCH: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// The instances that blocked a thread past their time at the last look. After a freeze the watch may come before the other
/// threads, which then have until the next look to leave.
#[derive(Default)]
struct BlockedBefore(Vec<(u64, u64)>);

impl BlockedBefore {
    /// Takes the instances of this look. Returns the path of one that was found at the last look as well.
    fn look<'a>(&mut self, now: Vec<((u64, u64), &'a str)>) -> Option<&'a str> {
        let twice = now.iter().find(|(token, _)| self.0.contains(token)).map(|(_, path)| *path);
        self.0 = now.into_iter().map(|(token, _)| token).collect();
        twice
    }
}

/// Ends this process.
fn die_of(path: &str) -> ! {
    // A second thread aborts the process if writing the log, or to the standard error, blocks.
    let aborts = || {
        std::thread::sleep(WATCH.1);
        std::process::abort()
    };
    drop(std::thread::Builder::new().spawn(aborts));
    say!(error, path, "its lease is over and it blocks its thread, so this process ends");
    eprintln!("supervise-remote: the lease of {path} is over and it blocks its thread, so this process ends");
    std::process::abort()
}

enum Woken {
    Due,
    Leave,
    Closed,
    WireClosed,
}

impl State {
    fn send(&mut self, to: &Peer, body: ToOwner) {
        let Some(owner) = self.owners.get_mut(to) else { return };
        owner.sent = owner.sent.saturating_add(1);
        self.outbox.push(to, Framed { seq: owner.sent, body }.write());
    }

    fn send_ahead(&mut self, to: &Peer, body: ToOwner) {
        if self.owners.contains_key(to) {
            self.outbox.push_ahead(to, Framed { seq: AHEAD, body }.write());
        }
    }

    /// Returns how many frames in order were sent to the owner that is followed.
    fn sent(&self) -> u64 {
        let owner = self.owner.as_ref().and_then(|(owner, _)| self.owners.get(owner));
        owner.map_or(0, |owner| owner.sent)
    }

    /// Tells the owner that an instance was dropped at the end of its lease. If the owner does not hear it, the next one
    /// is told.
    fn say_fenced(&mut self, path: String) {
        if let Some((owner, _)) = self.owner.clone() {
            self.send(&owner, ToOwner::Fenced { path: path.clone() });
        }
        self.fenced.push((path, self.sent()));
        if self.fenced.len() > MOST_FENCED {
            self.fenced.remove(0);
        }
    }

    /// Tells the owner once that nothing of an older one is left.
    fn say_free(&mut self) {
        let Some((owner, run)) = self.owner.clone() else { return };
        if self.owes_free && !self.hosted.keys().any(|(of, _)| *of != run) {
            self.owes_free = false;
            self.send(&owner, ToOwner::Free);
        }
    }
}

#[cfg(test)]
mod tests {
    use supervise::prelude::*;
    use tokio::time::sleep;

    use super::*;
    use crate::memory::Network;

    const LEASE: Duration = Duration::from_secs(3);

    supervisor! {
        struct Shop {
            idle: task = std::future::pending::<()>(),
        }
    }

    /// A node whose link the test reads, in place of its task.
    fn unread() -> Arc<NodeInner> {
        let net = Net::open(Network::new().process("one"));
        Arc::new(NodeInner {
            clock: net.0.wire.clock(),
            net: net.0,
            tree: const { &Shop::SPEC },
            build: String::new(),
            role: "worker".to_owned(),
            capacity: None,
            starts: HashMap::new(),
            shortest: LEASE,
            state: Mutex::default(),
            ids: AtomicU64::new(1),
            #[cfg(feature = "metrics")]
            number: crate::metered::number(),
            changed: Notify::new(),
            broken: Notify::new(),
            runtime: tokio::runtime::Handle::current(),
        })
    }

    impl NodeInner {
        fn meets(self: &Arc<Self>, owner: &Peer) {
            assert!(self.take(LinkEvent::Up(owner.clone(), Rights::all())));
        }

        fn hears_hello(self: &Arc<Self>, owner: &Peer, epoch: u64) {
            let (tree, module) = (Shop::SPEC.name.to_owned(), Shop::SPEC.module.to_owned());
            let hello = ToNode::Hello { terms: self.net.terms(), tree, module, epoch, build: String::new() };
            self.frame(owner, &Framed { seq: 1, body: hello }.write()).map_err(|why| why.text).unwrap();
        }

        /// The answer to the renewal that was asked for last.
        fn grant(&self) -> Vec<u8> {
            let asked = lock(&self.state).asked.back().expect("a renewal that is not answered").0;
            Framed { seq: AHEAD, body: ToNode::Grant { asked, gone: Vec::new(), heard: 0 } }.write()
        }
    }

    /// S57, S60: a newer owner may wait, and counts on leases that were granted before it joined. While its hello is not read, a
    /// sign of the older one is read in order.
    #[tokio::test(start_paused = true)]
    async fn a_sign_of_life_waits_for_the_hello_of_another_owner() {
        let (node, old, new) = (unread(), Peer::new("old#1"), Peer::new("new#2"));
        node.meets(&old);
        node.hears_hello(&old, 7);
        assert!(node.takes_sign(&old, &node.grant()));
        let granted = || lock(&node.state).granted;
        let first = granted();
        assert!(first.is_some());
        node.meets(&new);
        sleep(LEASE / 3).await;
        node.renew(node.clock.now());
        let grant = node.grant();
        assert!(!node.takes_sign(&old, &grant), "the new owner has said nothing yet");
        assert_eq!(granted(), first);
        node.hears_hello(&new, 5); // an older one, after all
        assert!(node.takes_sign(&old, &grant));
        assert!(granted() > first);
        // Other bytes are left to the task as well.
        assert!(!node.takes_sign(&old, &Framed { seq: 2, body: ToNode::Still }.write()));
        assert!(!node.takes_sign(&old, b"noise"));
    }

    /// S57: renewals are asked for beside a runtime that is late, and no longer than for twice the lease.
    #[tokio::test(start_paused = true)]
    async fn nothing_is_asked_for_a_runtime_that_stands_still() {
        let (node, owner) = (unread(), Peer::new("owner#1"));
        node.meets(&owner);
        node.hears_hello(&owner, 7);
        let begun = node.clock.now();
        node.turns(begun);
        let asked = || lock(&node.state).asked.back().map(|(_, at)| at.since(begun));
        let mut times = vec![asked()];
        while node.clock.now().since(begun) < 4 * LEASE {
            sleep(Duration::from_millis(10)).await;
            node.renew_beside(node.clock.now());
            if times.last() != Some(&asked()) {
                times.push(asked());
            }
        }
        let times: Vec<_> = times.into_iter().map(|time| time.unwrap().as_millis()).collect();
        assert_eq!(
            times,
            [0, 1250, 2500, 3750, 5000],
            "late by a twelfth of the lease each time, and below twice the lease"
        );
        node.turns(node.clock.now());
        node.renew_beside(node.clock.now());
        assert!(asked().unwrap() >= 4 * LEASE, "a runtime that is late, and goes on");
    }

    /// S57: a process that thaws has until the next look to leave.
    #[test]
    fn an_instance_that_blocks_is_found_by_two_looks_in_a_row() {
        let mut looks = BlockedBefore::default();
        assert_eq!(looks.look(vec![((1, 1), "one")]), None);
        assert_eq!(looks.look(vec![((1, 2), "two")]), None, "another one");
        assert_eq!(looks.look(vec![]), None);
        assert_eq!(looks.look(vec![((1, 2), "two")]), None, "not at the last look");
        assert_eq!(looks.look(vec![((1, 1), "one"), ((1, 2), "two")]), Some("two"));
    }
}
