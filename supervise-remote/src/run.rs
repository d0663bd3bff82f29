//! A run of a tree at its owner: which nodes are there, which placement is where, and what is not known to be down.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::task::Poll;
use std::time::Duration;

use crate::hooks::{Held, NetworkView, RefusedNode, RemoteNode, RoleWait, TreeRoot, TreeRun};
use supervise_runtime::event::EventKind;
use supervise_runtime::policy::{Overlap, Spread};
use supervise_runtime::spec::RemoteSpec;
use tokio::sync::{Notify, oneshot, watch};
use tokio::task::AbortHandle;

use crate::clock::{Clock, Moment};
use crate::epoch::Heard;
use crate::frame::{self, AHEAD, Framed, NodeHello, Outcome, PlaceOrder, Request, ToNode, ToOwner, short};
use crate::inlet::{Answers, Inlet, Inlets};
use crate::lock::lock;
use crate::net::NetInner;
use crate::outbox::{Locked, Outbox, Sends, drained, flush};
use crate::wire::{Joined, LinkEvent, Peer, Rights, Side, Signs};

/// The time between two looks at silent nodes, at most.
const LOOK: Duration = Duration::from_millis(250);

/// How long an owner and a node that meet have to say hello.
pub(crate) const HELLO: Duration = Duration::from_secs(5);

/// The time between two looks at what is over and may be forgotten.
const SWEEP: Duration = Duration::from_secs(10);

/// The least time from one join to the next.
const JOIN_AGAIN: Duration = Duration::from_secs(1);

/// A node whose standing changes raises at most one event in this time.
const TOLD_AGAIN: Duration = Duration::from_secs(10);

/// So many new nodes of one process raise an event in that time.
const MOST_NEW: u32 = 16;

/// The most frames that are read before the clock is looked at again.
const BATCH: usize = 1024;

/// How long a link that is never empty puts off the look at silent nodes.
const MOST_LATE: Duration = Duration::from_secs(2);

/// Returns a tree as all processes name it.
pub(crate) fn path_of(module: &str, tree: &str) -> String {
    format!("{module}::{tree}")
}

/// Says why a node does not follow an owner whose tree has the same name, and is declared elsewhere.
pub(crate) fn other_tree(node: &str, owner: &str) -> String {
    format!(
        "the node is one of the tree `{node}`, and the owner runs `{owner}`; declare the tree once, in a package that both \
         programs use, or rename one of the two"
    )
}

/// Adds what two clocks may differ by: 1 %.
pub(crate) fn and_clocks(time: Duration) -> Duration {
    time.saturating_add(time.checked_div(100).unwrap_or_default())
}

/// The proxy of a placement, as the run sees it. Called without a lock of the run.
pub(crate) trait Placed: Send + Sync {
    /// A frame about this placement.
    fn frame(&self, placement: u64, frame: ToOwner);
    /// The node is lost; it was heard of this long ago.
    fn lost(&self, placement: u64, node: &Peer, after: Duration);
    /// The node leaves in order, and the child moves.
    fn moves(&self, placement: u64);
    /// A node says that a lease was over before its instance was down.
    fn fenced(&self);
}

pub(crate) struct Run {
    net: Arc<NetInner>,
    root: TreeRoot,
    of: TreeRun,
    /// The module that declares the tree.
    module: &'static str,
    /// The build of this program.
    build: String,
    clock: Clock,
    /// The lease of the tree.
    held: Option<Held>,
    /// The shortest lease of each role.
    leases: HashMap<&'static str, Duration>,
    /// From when on nothing of an older owner acts, if that owner's lease was over when this run began.
    alone_at: Moment,
    /// Nothing of an older owner acts: known from the beginning.
    knows: bool,
    peers: Option<Arc<[String]>>,
    /// The actors of this process that nodes may send to.
    pub(crate) inlets: Inlets,
    state: Mutex<State>,
    /// The wire has panicked: the pump joins again.
    broken: Arc<Notify>,
    /// How often a child has looked for a node.
    #[cfg(feature = "testing")]
    pub(crate) looks: std::sync::atomic::AtomicUsize,
    /// The pump leaves the network as soon as this is dropped.
    ends: Mutex<Option<oneshot::Sender<()>>>,
    /// Closed once the pump has left.
    left: watch::Receiver<()>,
}

#[derive(Default)]
struct State {
    joined: Option<Moment>,
    /// When the task that reads the link had its last turn.
    turned: Option<Moment>,
    /// The first part of the tokens of its placements.
    epoch: u64,
    outbox: Outbox,
    over: bool,
    nodes: BTreeMap<Peer, NodeState>,
    /// How many new nodes of a process have raised an event, since when, by the name of the process.
    new: HashMap<String, (Moment, u32)>,
    /// Every placement that is not known to be down.
    placements: HashMap<u64, Placement>,
    paths: HashMap<Arc<str>, PathState>,
    last: u64,
    /// The children that wait, by the role of the nodes.
    roles: BTreeMap<Arc<str>, RoleState>,
}

impl Sends for State {
    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }
}

/// The children that wait for nodes of a role.
#[derive(Default)]
struct RoleState {
    waiting: usize,
    /// How often a node of this role got room for one child more.
    rooms: u64,
    bell: Arc<Notify>,
}

struct NodeState {
    up_at: Moment,
    /// The roles that it may have.
    rights: Rights,
    hello: Option<NodeHello>,
    /// Why it does not follow this owner, or gets no children.
    refused: Option<String>,
    /// The node belongs to another tree.
    elsewhere: bool,
    /// Its standing in the last event, and when.
    told: Option<(Moment, Standing)>,
    /// How often its standing has changed without an event.
    untold: u64,
    /// When its last renewal was answered.
    granted: Option<Moment>,
    /// How long the answer before took, as the node has seen it.
    round_trip: Option<Duration>,
    sent: u64,
    heard: u64,
    leaving: bool,
    /// Placements that are not renewed any more, until the node has the frame of this number, which says so.
    gone: BTreeMap<u64, u64>,
    /// Placements that count for capacity and load.
    placements: BTreeSet<u64>,
    /// The waits of its requests, by their numbers.
    waits: HashMap<u64, Wait>,
}

/// Whether a node follows this owner.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Follows,
    Refused(String),
}

impl NodeState {
    fn standing(&self) -> Option<Standing> {
        match &self.refused {
            Some(why) => Some(Standing::Refused(why.clone())),
            None => self.hello.as_ref().map(|_| Standing::Follows),
        }
    }

    /// The node has said hello or not, and is refused or not.
    fn stands(&mut self, hello: Option<NodeHello>, refused: Option<String>) {
        let before = self.standing();
        (self.hello, self.refused) = (hello, refused);
        if self.standing() != before {
            self.untold = self.untold.saturating_add(1);
        }
    }

    /// Returns whether the last event about the node says that it follows this owner.
    fn is_told_as_joined(&self) -> bool {
        matches!(self.told, Some((_, Standing::Follows)))
    }

    /// Tells its standing: returns the events.
    fn news(&mut self, me: &Peer, now: Moment) -> Vec<EventKind> {
        let Some(standing) = self.standing() else { return Vec::new() };
        let node: Box<str> = me.as_str().into();
        let left = self.is_told_as_joined().then(|| EventKind::NodeLeft { node: node.clone() });
        self.untold = self.untold.saturating_sub(1);
        let kind = match &standing {
            Standing::Refused(why) => {
                let why = match std::mem::take(&mut self.untold) {
                    0 => why.clone(),
                    untold => format!("{why}; {untold} changes before this are not told"),
                };
                EventKind::NodeRefused { node, why: why.into() }
            }
            Standing::Follows => {
                let (role, build) = self.hello.as_ref().map(|of| (&*of.role, &*of.build)).unwrap_or_default();
                EventKind::NodeJoined { node, role: role.into(), build: build.into() }
            }
        };
        self.told = Some((now, standing));
        left.into_iter().chain([kind]).collect()
    }
}

/// The wait of a node for an answer. Given up with the node, and when the node needs it no more.
enum Wait {
    /// The request has not been carried out yet.
    Queued(Arc<dyn Inlet>),
    /// A task waits.
    Runs(AbortHandle),
}

impl Wait {
    /// Called without a lock.
    fn give_up(self, node: &Peer, id: u64) {
        match self {
            Wait::Queued(inlet) => inlet.forget(node, id),
            Wait::Runs(task) => task.abort(),
        }
    }
}

/// The children that were on a lost node, to be notified without a lock.
#[must_use]
struct Lost {
    lost: Vec<(u64, Arc<dyn Placed>)>,
    /// The time since its last renewal.
    after: Duration,
    bells: Vec<Arc<Notify>>,
}

/// The placements of one path, and who waits for them to be down.
#[derive(Default)]
struct PathState {
    placements: Vec<u64>,
    bell: Arc<Notify>,
    /// The child that was placed here last, or waits for it.
    listener: Option<Weak<dyn Placed>>,
}

struct Placement {
    path: Arc<str>,
    key: Arc<str>,
    peer: Peer,
    lease: Duration,
    shutdown: Duration,
    /// `None` once no proxy holds it any more.
    holder: Option<Weak<dyn Placed>>,
    /// From when on it is sure not to act any more; `None` while it is renewed.
    clear_at: Option<Moment>,
}

/// The wish of a proxy to be placed.
pub(crate) struct PlacementRequest<'a> {
    pub(crate) spec: &'static RemoteSpec,
    pub(crate) key: &'a Arc<str>,
    pub(crate) path: &'a Arc<str>,
    pub(crate) shutdown: Duration,
    /// Where it was.
    pub(crate) before: Option<&'a Peer>,
    /// Nodes that have declined it just now.
    pub(crate) declined: &'a [Peer],
    pub(crate) order: &'a (dyn Fn(u64, u64) -> PlaceOrder + Sync),
    pub(crate) holder: Weak<dyn Placed>,
}

/// Why a wish has to wait.
#[derive(Debug)]
pub(crate) enum Waits {
    /// For an older placement of the same path.
    Older { until: Option<Moment>, bell: Arc<Notify> },
    /// For instances of an older owner.
    Takeover { until: Moment },
    /// For a node. The reasons why those of the role do not take it.
    Node { refused: Vec<String> },
    /// The run is over: for ever.
    Over,
}

/// The begin of a run.
pub(crate) struct Begin {
    pub(crate) root: TreeRoot,
    pub(crate) epoch: u64,
    pub(crate) held: Option<Held>,
    /// Nothing of an older owner acts.
    pub(crate) knows: bool,
    pub(crate) peers: Option<Arc<[String]>>,
    /// The longest time for which an instance may act that nobody renews.
    pub(crate) longest: Duration,
    /// The shortest lease of each role.
    pub(crate) leases: HashMap<&'static str, Duration>,
    pub(crate) module: &'static str,
    pub(crate) build: String,
    pub(crate) of: TreeRun,
}

/// The ends of the channels of a run that its task takes when it joins.
#[derive(Debug)]
pub(crate) struct Unjoined {
    ending: oneshot::Receiver<()>,
    leaves: watch::Sender<()>,
}

impl Run {
    /// Returns a run that has not joined its network yet.
    pub(crate) fn new(net: Arc<NetInner>, begin: Begin) -> (Arc<Run>, Unjoined) {
        let Begin { root, epoch, held, knows, peers, longest, leases, module, build, of } = begin;
        let (ends, ending) = oneshot::channel();
        let (leaves, left) = watch::channel(());
        let clock = net.wire.clock();
        let run = Arc::new(Run {
            leases,
            of,
            module,
            build,
            alone_at: clock.now() + and_clocks(longest),
            clock,
            net,
            root,
            held,
            knows,
            peers,
            inlets: Inlets::default(),
            state: Mutex::new(State { epoch, ..State::default() }),
            broken: Arc::default(),
            #[cfg(feature = "testing")]
            looks: std::sync::atomic::AtomicUsize::new(0),
            ends: Mutex::new(Some(ends)),
            left,
        });
        (run, Unjoined { ending, leaves })
    }

    /// Joins the network, as the owner of the tree.
    pub(crate) fn join(self: &Arc<Self>, Unjoined { ending, leaves }: Unjoined) {
        let pump = pump(Arc::downgrade(self), self.net.clone(), self.clock.clone(), self.broken.clone(), ending);
        tokio::spawn(async move {
            pump.await;
            drop(leaves);
        });
    }

    /// The tree is down: leaves the network. The nodes take down what they still hold.
    ///
    /// Returns what is closed once that is done.
    pub(crate) fn over(&self) -> watch::Receiver<()> {
        let waits: Vec<_> = {
            let mut state = self.lock();
            state.over = true;
            let taken = state.nodes.iter_mut().map(|(peer, node)| (peer.clone(), std::mem::take(&mut node.waits)));
            taken.flat_map(|(peer, waits)| waits.into_iter().map(move |(id, wait)| (peer.clone(), id, wait))).collect()
        };
        for (peer, id, wait) in waits {
            wait.give_up(&peer, id);
        }
        self.ring_all();
        let ends = lock(&self.ends).take();
        drop(ends);
        self.inlets.clear();
        self.left.clone()
    }

    /// Returns whether the tree has not ended, so that another one of its name is in its way.
    pub(crate) fn lives(&self) -> bool {
        !self.is_over() && self.of.lives()
    }

    /// Returns the tree, as all processes name it.
    pub(crate) fn tree(&self) -> String {
        path_of(self.module, &self.root.name)
    }

    pub(crate) fn is_of_tree_of(&self, other: &Run) -> bool {
        (self.module, &self.root.name) == (other.module, &other.root.name)
    }

    /// Raises an event of the tree, unless it is over. Called without a lock.
    fn emit(&self, kind: EventKind) {
        if !self.is_over() {
            self.of.emit(kind);
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock_only().over
    }

    /// Returns whether an instance may act at present: its placement is not known to be down, or it is one of an older
    /// owner, on a node that has not said that it is free.
    pub(crate) fn acts(&self) -> bool {
        let now = self.clock.now();
        let is_clear = |placement: &Placement| placement.clear_at.is_some_and(|at| at <= now);
        let state = self.lock_only();
        let alone = self.knows || now >= self.alone_at || state.all_said_free(self.peers.as_deref());
        !alone || !state.placements.values().all(is_clear)
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        &self.net
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the bell for those that wait for a node of this role, and how often there was room so far.
    pub(crate) fn bell(&self, role: &str) -> (Arc<Notify>, u64) {
        let mut state = self.lock_only();
        let role = state.role(role);
        (role.bell.clone(), role.rooms)
    }

    /// Lets all that wait look again.
    fn ring_all(&self) {
        let bells: Vec<_> = self.lock().roles.values().map(|role| role.bell.clone()).collect();
        bells.iter().for_each(|bell| bell.notify_waiters());
    }

    fn lock(&self) -> Locked<'_, State> {
        Locked::new(&self.state, &self.broken)
    }

    /// Locks the state without sending what is put into the outbox: for those that hold another lock. Where something is
    /// put there, [`Run::flush`] has to follow.
    fn lock_only(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Sends what is in the outbox.
    pub(crate) fn flush(&self) {
        if flush(&self.state) {
            self.broken.notify_one();
        }
    }

    #[cfg(feature = "testing")]
    pub(crate) fn placements(&self) -> usize {
        let now = self.clock.now();
        let state = self.lock();
        assert_eq!(state.placements.len(), state.paths.values().map(|path| path.placements.len()).sum::<usize>());
        let is_clear = |placement: &&Placement| placement.clear_at.is_some_and(|at| at <= now);
        state.placements.len().saturating_sub(state.placements.values().filter(is_clear).count())
    }

    /// Returns how many requests of nodes wait for something.
    #[cfg(feature = "testing")]
    pub(crate) fn waiting_requests(&self) -> usize {
        let of_nodes: usize = self.lock_only().nodes.values().map(|node| node.waits.len()).sum();
        of_nodes.saturating_add(self.inlets.waiting())
    }

    /// Returns the nodes that follow this run, and what waits for one.
    pub(crate) fn view(&self) -> NetworkView {
        let now = self.clock.now();
        let state = self.lock_only();
        let nodes = state.nodes.iter().filter_map(|(peer, node)| {
            let hello = node.hello.as_ref().filter(|_| node.refused.is_none())?;
            let lease = state.shortest_lease(node);
            let lease_left = node.granted.zip(lease).map(|(granted, lease)| (granted + lease).since(now));
            let (name, role) = (peer.to_string(), hello.role.clone());
            let mut seen = RemoteNode::new(name, role, node.placements.len(), hello.capacity, lease_left);
            (seen.round_trip, seen.build) = (node.round_trip, hello.build.clone());
            Some(seen)
        });
        let refused = state.nodes.iter();
        let refused =
            refused.filter_map(|(peer, node)| Some(RefusedNode::new(peer.to_string(), node.refused.clone()?)));
        let waiting = state.roles.iter().filter(|(_, of)| of.waiting > 0);
        let waiting = waiting.map(|(role, of)| RoleWait::new(role.to_string(), of.waiting));
        NetworkView::new(nodes.collect(), refused.collect(), waiting.collect())
    }

    /// Counts a child that waits for a node of this role, as long as the guard lives.
    pub(crate) fn waits(self: &Arc<Self>, role: &'static str) -> Waiting {
        let mut state = self.lock();
        let of = state.role(role);
        of.waiting = of.waiting.saturating_add(1);
        drop(state);
        Waiting { run: self.clone(), role }
    }

    /// Returns the processes of the list of `peers` that have not said that they are free.
    pub(crate) fn missing(&self) -> Vec<String> {
        let state = self.lock_only();
        let names = self.peers.as_deref().unwrap_or_default();
        names.iter().filter(|name| !state.has_said_free(name)).cloned().collect()
    }

    /// Forgets the placements of a path that cannot act any more.
    pub(crate) fn forget_clear(&self, path: &Arc<str>) {
        let now = self.clock.now();
        let rings = self.lock().forget_clear(path, now);
        rings.into_iter().for_each(|ring| ring());
    }

    /// Places a child: picks a node, and makes the order, in one step. [`Run::flush`] has to follow.
    pub(crate) fn place(&self, wish: &PlacementRequest<'_>) -> Result<(u64, Peer), Waits> {
        #[cfg(feature = "testing")]
        self.looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let now = self.clock.now();
        let mut state = self.lock_only();
        if state.over || self.held.as_ref().is_some_and(Held::is_over) {
            return Err(Waits::Over);
        }
        let Some(joined) = state.joined else { return Err(Waits::Node { refused: Vec::new() }) };
        if let Some(path) = state.paths.get_mut(wish.path) {
            path.listener = Some(wish.holder.clone());
        }
        if wish.spec.overlap == Overlap::Forbidden {
            if let Some(path) = state.paths.get(wish.path)
                && !path.placements.is_empty()
            {
                // Wait until the last of the placements is clear. A placement that is still renewed has no such time.
                let until = path.placements.iter().map(|id| state.placements.get(id)?.clear_at);
                let until = until.collect::<Option<Vec<_>>>().and_then(|times| times.into_iter().max());
                return Err(Waits::Older { until, bell: path.bell.clone() });
            }
            let takeover = joined + and_clocks(wish.spec.lease.saturating_add(wish.shutdown));
            if now < takeover && !self.knows && !state.all_said_free(self.peers.as_deref()) {
                return Err(Waits::Takeover { until: takeover });
            }
        }
        let peer = state.pick(wish, now).map_err(|refused| Waits::Node { refused })?;
        state.last = state.last.saturating_add(1);
        let id = state.last;
        let placement = Placement {
            path: wish.path.clone(),
            key: wish.key.clone(),
            peer: peer.clone(),
            lease: wish.spec.lease,
            shutdown: wish.shutdown,
            holder: Some(wish.holder.clone()),
            clear_at: None,
        };
        state.placements.insert(id, placement);
        let path = state.paths.entry(wish.path.clone()).or_default();
        path.placements.push(id);
        path.listener = Some(wish.holder.clone());
        if let Some(node) = state.nodes.get_mut(&peer) {
            node.placements.insert(id);
        }
        let order = (wish.order)(id, state.epoch);
        state.send(&peer, ToNode::Place(Box::new(order)));
        Ok((id, peer))
    }

    /// Sends a frame, as long as its node is there.
    pub(crate) fn send(&self, to: &Peer, frame: ToNode) {
        self.lock().send(to, frame);
    }

    /// Puts a frame into the outbox, as long as its node is there. [`Run::flush`] has to follow.
    pub(crate) fn put(&self, to: &Peer, frame: ToNode) {
        self.lock_only().send(to, frame);
    }

    /// No proxy holds the placement any more, and it is not known to be down: it is not renewed any more, and dropped
    /// as soon as its node hears of it.
    pub(crate) fn give_up(&self, id: u64) {
        let now = self.clock.now();
        let mut state = self.lock();
        let state = &mut *state;
        let Some(placement) = state.placements.get_mut(&id) else { return };
        placement.holder = None;
        let renewed = state.nodes.get_mut(&placement.peer).map(|node| {
            let granted = node.granted.unwrap_or(now);
            placement.clear_at = Some(granted + and_clocks(placement.lease.saturating_add(placement.shutdown)));
            placement.peer.clone()
        });
        let path = placement.path.clone();
        if let Some(peer) = renewed {
            state.send(&peer, ToNode::Abort { placement: id });
            if let Some(node) = state.nodes.get_mut(&peer) {
                node.gone.insert(id, node.sent);
            }
        }
        if let Some(path) = state.paths.get(&path) {
            path.bell.notify_waiters(); // the path has a time to wait for now
        }
    }

    // ----- events of the link

    fn joined(&self, link: &Joined) {
        let mut state = self.lock();
        state.joined = Some(self.clock.now());
        state.turned = state.joined;
        state.outbox.joined(link.out.clone());
        drop(state);
        self.ring_all();
    }

    /// The link is closed: every node is lost, and nothing is placed until the next join.
    fn left(&self) {
        let peers: Vec<Peer> = {
            let mut state = self.lock();
            state.joined = None;
            state.outbox.left();
            state.nodes.keys().cloned().collect()
        };
        for peer in peers {
            self.down(&peer);
        }
    }

    fn up(&self, peer: Peer, rights: Rights) {
        let mut state = self.lock();
        let node = NodeState {
            up_at: self.clock.now(),
            rights,
            hello: None,
            refused: None,
            elsewhere: false,
            told: None,
            untold: 0,
            granted: None,
            round_trip: None,
            sent: 0,
            heard: 0,
            leaving: false,
            gone: BTreeMap::new(),
            placements: BTreeSet::new(),
            waits: HashMap::new(),
        };
        state.nodes.insert(peer.clone(), node);
        let hello = self.hello(state.epoch);
        state.send(&peer, hello);
    }

    fn hello(&self, epoch: u64) -> ToNode {
        let (tree, module, build) = (self.root.name.to_string(), self.module.to_owned(), self.build.clone());
        ToNode::Hello { terms: self.net.terms(), tree, module, epoch, build }
    }

    /// A node has heard of a greater epoch than that of this run: takes one above it, before anything is placed there, and
    /// says so to the nodes that follow it. Returns why not, if that epoch is beyond each right clock.
    fn rises(&self, state: &mut State, from: &Peer, heard: Heard) -> Option<String> {
        let Ok(epoch) = heard.above(state.epoch, self.net.shift) else {
            return Some(format!(
                "{from} has heard of an owner whose clock was more than a day ahead of the one of this owner"
            ));
        };
        let epoch = epoch?;
        state.epoch = epoch;
        let follow = state.nodes.iter().filter(|(_, node)| node.hello.is_some() && node.refused.is_none());
        let follow: Vec<_> = follow.map(|(peer, _)| peer.clone()).collect();
        for peer in follow {
            state.send(&peer, self.hello(epoch));
        }
        None
    }

    /// The node is gone.
    fn down(&self, peer: &Peer) {
        let now = self.clock.now();
        // One lock for both steps, so that a renewal between them finds no node.
        let (node, lost) = {
            let mut state = self.lock();
            let Some(mut node) = state.nodes.remove(peer) else { return };
            let lost = state.lose(&mut node, now);
            (node, lost)
        };
        self.tell_lost(peer, lost);
        if node.is_told_as_joined() {
            self.emit(EventKind::NodeLeft { node: peer.as_str().into() });
        }
        for (id, wait) in node.waits {
            wait.give_up(peer, id);
        }
    }

    fn tell_lost(&self, peer: &Peer, Lost { lost, after, bells }: Lost) {
        if !lost.is_empty() {
            say!(warn, tree = %self.root.name, node = %peer, children = lost.len(), "node lost");
        }
        for (id, holder) in lost {
            holder.lost(id, peer, after);
        }
        for bell in bells {
            bell.notify_waiters();
        }
        self.ring_all();
    }

    /// Nodes that have not asked for a renewal for the shortest lease that they have are lost, also if they are still
    /// members: their processes may be frozen, or their runtimes blocked for too long.
    fn look_at_silent(&self) {
        let now = self.clock.now();
        let silent: Vec<Peer> = {
            let state = self.lock();
            let is_silent = |node: &NodeState| match (node.granted, state.shortest_lease(node)) {
                (Some(granted), Some(lease)) => now >= granted + lease,
                // A hello is lost, of the node or of this owner: a node that joins again sends it again.
                (None, _) => {
                    let says_nothing = node.hello.is_none() && node.refused.is_none() && !node.elsewhere;
                    says_nothing && now >= node.up_at + HELLO
                }
                _ => false,
            };
            state.nodes.iter().filter(|(_, node)| is_silent(node)).map(|(peer, _)| peer.clone()).collect()
        };
        for peer in silent {
            self.end_link(&peer, "it has not renewed its lease, or not answered");
        }
    }

    /// Ends the link to a node from this side.
    fn end_link(&self, peer: &Peer, why: &str) {
        say!(warn, tree = %self.root.name, node = %peer, why, "the link to a node ends");
        self.send(peer, ToNode::Bye { why: why.to_owned() });
        self.down(peer);
    }

    /// Takes a sign of life. False: the bytes are to be read in order.
    fn takes_sign(self: &Arc<Self>, from: &Peer, bytes: &[u8]) -> bool {
        let Ok(Framed { seq: AHEAD, body: body @ ToOwner::Renew { .. } }) = frame::read::<ToOwner>(bytes) else {
            return false;
        };
        // A node whose `Up` is not read yet is left to the task, which reads in order.
        let is_known = self.lock_only().nodes.contains_key(from);
        let is_taken = is_known && !self.stands_still(from);
        if is_taken {
            self.take(from, body);
        }
        is_taken
    }

    /// The task that reads the link has had no turn for so long that nothing is renewed for this node before the next one: its
    /// children go down, and may follow another owner.
    fn stands_still(&self, node: &Peer) -> bool {
        let now = self.clock.now();
        let state = self.lock_only();
        let hello = state.nodes.get(node).and_then(|node| node.hello.as_ref());
        let lease = hello.and_then(|hello| self.leases.get(&*hello.role));
        let last = state.turned.zip(lease).map(|(turned, lease)| turned + self.net.longest_stall(*lease));
        last.is_some_and(|last| last <= now)
    }

    fn frame(self: &Arc<Self>, from: &Peer, bytes: &[u8]) {
        let read = frame::read::<ToOwner>(bytes);
        let body = {
            let mut state = self.lock();
            let Some(node) = state.nodes.get_mut(from) else { return };
            let wanted = node.heard.saturating_add(1);
            match read {
                Ok(Framed { seq: AHEAD, body: body @ ToOwner::Renew { .. } }) => Ok(body),
                Ok(Framed { seq, body }) if seq == wanted => {
                    node.heard = seq;
                    Ok(body)
                }
                Ok(Framed { seq, .. }) => Err(format!("frame {seq} came where {wanted} was due")),
                Err(why) => Err(format!("a frame cannot be read: {why}")),
            }
        };
        match body {
            Ok(body) => self.take(from, body),
            Err(why) => self.end_link(from, &why),
        }
    }

    fn take(self: &Arc<Self>, from: &Peer, body: ToOwner) {
        let id = match &body {
            ToOwner::Hello(_)
            | ToOwner::Refused { .. }
            | ToOwner::Elsewhere { .. }
            | ToOwner::Renew { .. }
            | ToOwner::Still
            | ToOwner::Free
            | ToOwner::Leaving
            | ToOwner::Fenced { .. }
            | ToOwner::Request { .. }
            | ToOwner::Forget { .. } => return self.take_of_node(from, body),
            ToOwner::Up { placement }
            | ToOwner::NotUp { placement, .. }
            | ToOwner::Declined { placement, .. }
            | ToOwner::Begun { placement, .. }
            | ToOwner::NotRead { placement, .. }
            | ToOwner::Reply { placement, .. }
            | ToOwner::Failed { placement, .. }
            | ToOwner::Ended { placement, .. }
            | ToOwner::Vanished { placement } => *placement,
        };
        let down = matches!(
            body,
            ToOwner::NotUp { .. } | ToOwner::Declined { .. } | ToOwner::Ended { .. } | ToOwner::Vanished { .. }
        );
        let (holder, bells) = {
            let mut state = self.lock();
            match state.placements.get(&id) {
                // A frame names a placement of its own node, or it is a mistake.
                Some(placement) if placement.peer == *from => {
                    let holder = placement.holder.as_ref().and_then(Weak::upgrade);
                    (holder, if down { state.is_down(id) } else { Vec::new() })
                }
                _ => return,
            }
        };
        if let Some(holder) = holder {
            holder.frame(id, body);
        }
        bells.into_iter().for_each(|ring| ring());
    }

    fn take_of_node(self: &Arc<Self>, from: &Peer, body: ToOwner) {
        let mut state = self.lock();
        let Some(node) = state.nodes.get_mut(from) else { return };
        match body {
            ToOwner::Hello(hello) => {
                let hello = NodeHello { role: short(hello.role), build: short(hello.build), ..hello };
                if let Some(why) = node.rights.refused(from.name(), Side::Node, &hello.role) {
                    drop(state);
                    return self.end_link(from, &why);
                }
                let refused = hello.terms.refused(self.net.terms(), from.name(), "owner");
                let heard = hello.heard;
                node.stands(Some(hello), refused);
                let news = state.news(from, self.clock.now());
                let ahead = self.rises(&mut state, from, heard);
                drop(state);
                news.into_iter().for_each(|kind| self.emit(kind));
                if let Some(why) = ahead {
                    say!(warn, tree = %self.root.name, node = %from, why, "tokens do not grow over those of that owner");
                }
                self.ring_all();
            }
            ToOwner::Elsewhere { tree, module } => {
                node.elsewhere = node.hello.is_none();
                if node.elsewhere && tree == *self.root.name {
                    let why = other_tree(&path_of(&short(module), &tree), &self.tree());
                    node.stands(None, Some(why));
                    let news = state.news(from, self.clock.now());
                    drop(state);
                    news.into_iter().for_each(|kind| self.emit(kind));
                }
            }
            ToOwner::Refused { why } => {
                node.stands(None, Some(short(why)));
                // The link stays and the node may follow this owner again; its old placements must not be renewed then.
                for placement in node.placements.clone() {
                    state.send(from, ToNode::Abort { placement });
                    if let Some(node) = state.nodes.get_mut(from) {
                        node.gone.insert(placement, node.sent);
                    }
                }
                let lost = match state.nodes.remove(from) {
                    Some(mut node) => {
                        let lost = state.lose(&mut node, self.clock.now());
                        state.nodes.insert(from.clone(), node);
                        Some(lost)
                    }
                    None => None,
                };
                let news = state.news(from, self.clock.now());
                drop(state);
                news.into_iter().for_each(|kind| self.emit(kind));
                lost.into_iter().for_each(|lost| self.tell_lost(from, lost));
            }
            ToOwner::Renew { asked, heard, round_trip } => {
                node.round_trip = round_trip.or(node.round_trip);
                node.gone.retain(|_, said| *said > heard);
                // The next holder of the tree's lease relies on this: no renewal once the own lease is over.
                if self.held.as_ref().is_some_and(Held::is_over) {
                    return;
                }
                let now = self.clock.now();
                let before = node.granted.replace(now);
                let (gone, heard) = (node.gone.keys().copied().collect(), node.heard);
                let role = node.hello.as_ref().map(|hello| hello.role.clone());
                state.send_ahead(from, ToNode::Grant { asked, gone, heard });
                state.send(from, ToNode::Still);
                drop(state);
                // Nothing is placed on a node that has not renewed for the lease of the child.
                let shortest = role.and_then(|role| self.leases.get(&*role)).copied().unwrap_or_default();
                if before.is_none_or(|before| now.since(before) >= shortest) {
                    self.ring_all();
                }
            }
            ToOwner::Still => {}
            ToOwner::Free => {
                if let Some(hello) = &mut node.hello {
                    hello.holds = false;
                }
                drop(state);
                self.ring_all();
            }
            ToOwner::Leaving => {
                node.leaving = true;
                let ids = node.placements.clone();
                let holders: Vec<_> = ids
                    .into_iter()
                    .filter_map(|id| Some((id, state.placements.get(&id)?.holder.as_ref()?.upgrade()?)))
                    .collect();
                drop(state);
                for (id, holder) in holders {
                    holder.moves(id);
                }
            }
            ToOwner::Fenced { path } => {
                let listener = state.paths.get(&*path).and_then(|path| path.listener.as_ref()?.upgrade());
                drop(state);
                let path = short(path);
                say!(warn, tree = %self.root.name, node = %from, path, "an instance was fenced");
                if let Some(listener) = listener {
                    listener.fenced();
                }
            }
            ToOwner::Request { to, root, id, request } => {
                drop(state);
                self.request(from, &to, root, id, request);
            }
            ToOwner::Forget { id } => {
                let wait = node.waits.remove(&id);
                drop(state);
                wait.into_iter().for_each(|wait| wait.give_up(from, id));
            }
            _ => unreachable!("of a placement"),
        }
    }

    fn request(self: &Arc<Self>, from: &Peer, to: &str, root: u64, id: u64, request: Request) {
        match self.inlets.find(root, to) {
            Some(inlet) => {
                // Noted before the request is carried out, because the node may give it up at once.
                if request.is_answered()
                    && let Some(node) = self.lock().nodes.get_mut(from)
                {
                    node.waits.insert(id, Wait::Queued(inlet.clone()));
                }
                inlet.take(Answers { run: self.clone(), to: from.clone(), id }, request);
            }
            None => {
                let taken = Outcome::Refused(format!("{to} is not a child that nodes may send to"));
                self.send(from, ToNode::Outcome { id, taken });
            }
        }
    }

    /// Runs a task that waits for something on behalf of a node, until that node is gone or needs it no more.
    pub(crate) fn wait_for(&self, node: &Peer, id: u64, wait: impl Future<Output = ()> + Send + 'static) {
        let mut state = self.lock();
        let Some(waits) = state.nodes.get_mut(node).and_then(|node| node.waits.get_mut(&id)) else { return };
        // Spawned under the lock: the task needs the lock to answer, so its handle is stored before that.
        let before = std::mem::replace(waits, Wait::Runs(tokio::spawn(wait).abort_handle()));
        drop(state);
        drop(before);
    }

    /// Answers a request.
    pub(crate) fn answer(&self, to: &Peer, id: u64, taken: Outcome) {
        let mut state = self.lock();
        let wait = state.nodes.get_mut(to).and_then(|node| node.waits.remove(&id));
        state.send(to, ToNode::Outcome { id, taken });
        drop(state);
        drop(wait);
    }
}

impl State {
    /// A node is lost: each of its placements may act until its lease and its time to go down are over.
    fn lose(&mut self, node: &mut NodeState, now: Moment) -> Lost {
        let granted = node.granted.take().unwrap_or(now);
        let (mut lost, mut bells) = (Vec::new(), Vec::new());
        for id in std::mem::take(&mut node.placements) {
            let Some(placement) = self.placements.get_mut(&id) else { continue };
            let clear_at = granted + and_clocks(placement.lease.saturating_add(placement.shutdown));
            placement.clear_at.get_or_insert(clear_at);
            if let Some(holder) = placement.holder.take().and_then(|holder| holder.upgrade()) {
                lost.push((id, holder));
            }
            bells.extend(self.paths.get(&placement.path).map(|path| path.bell.clone()));
        }
        Lost { lost, after: now.since(granted), bells }
    }

    /// Returns the events of the standing of a node, if one is due now. A later look raises the others, with the
    /// standing of that time: so a node that changes its mind with each frame fills no log and no history.
    fn news(&mut self, of: &Peer, now: Moment) -> Vec<EventKind> {
        let Some(node) = self.nodes.get_mut(of) else { return Vec::new() };
        let Some(standing) = node.standing() else { return Vec::new() };
        let may_be_told = match &node.told {
            Some((_, told)) if *told == standing => false,
            Some((at, _)) => *at + TOLD_AGAIN <= now,
            None => {
                let (since, new) = self.new.entry(of.name().to_owned()).or_insert((now, 0));
                if *since + TOLD_AGAIN <= now {
                    (*since, *new) = (now, 0);
                }
                *new = new.saturating_add(1);
                *new <= MOST_NEW
            }
        };
        if may_be_told { node.news(of, now) } else { Vec::new() }
    }

    /// Returns the events that were not raised at once.
    fn late_news(&mut self, now: Moment) -> Vec<EventKind> {
        self.new.retain(|_, (since, _)| now < *since + TOLD_AGAIN);
        let late = self.nodes.iter().filter(|(_, node)| node.untold > 0);
        let late: Vec<Peer> = late.map(|(peer, _)| peer.clone()).collect();
        late.iter().flat_map(|peer| self.news(peer, now)).collect()
    }

    fn send(&mut self, to: &Peer, body: ToNode) {
        let Some(node) = self.nodes.get_mut(to) else { return };
        node.sent = node.sent.saturating_add(1);
        self.outbox.push(to, Framed { seq: node.sent, body }.write());
    }

    fn send_ahead(&mut self, to: &Peer, body: ToNode) {
        if self.nodes.contains_key(to) {
            self.outbox.push_ahead(to, Framed { seq: AHEAD, body }.write());
        }
    }

    fn role(&mut self, role: &str) -> &mut RoleState {
        if !self.roles.contains_key(role) {
            self.roles.insert(role.into(), RoleState::default());
        }
        self.roles.get_mut(role).expect("it was added")
    }

    /// A node has room for one child more. Returns the bell of one that waits for it.
    fn has_room(&mut self, node: &Peer) -> Option<Ring> {
        let role = self.nodes.get(node)?.hello.as_ref()?.role.clone();
        let role = self.roles.get_mut(&*role)?;
        role.rooms = role.rooms.saturating_add(1);
        let bell = role.bell.clone();
        Some(Box::new(move || bell.notify_one()))
    }

    fn shortest_lease(&self, node: &NodeState) -> Option<Duration> {
        node.placements.iter().filter_map(|id| self.placements.get(id)).map(|placement| placement.lease).min()
    }

    /// All nodes of the list have said that they hold nothing of an older owner.
    fn all_said_free(&self, names: Option<&[String]>) -> bool {
        let Some(names) = names else { return false };
        names.iter().all(|name| self.has_said_free(name))
    }

    /// A process may serve several roles, and each of its nodes says how many there are.
    fn has_said_free(&self, name: &str) -> bool {
        let of_name = self.nodes.iter().filter(|(peer, _)| peer.name() == name);
        let hellos: Vec<&NodeHello> = of_name.filter_map(|(_, node)| node.hello.as_ref()).collect();
        let expected = hellos.iter().map(|hello| hello.beside).max().unwrap_or_default().max(1);
        hellos.len() >= expected && hellos.iter().all(|hello| !hello.holds)
    }

    /// Picks the node with the fewest children, the one where the child was first.
    fn pick(&self, wish: &PlacementRequest<'_>, now: Moment) -> Result<Peer, Vec<String>> {
        let mut refused = Vec::new();
        let mut best: Option<(bool, usize, &Peer)> = None;
        for (peer, node) in &self.nodes {
            let Some(hello) = node.hello.as_ref() else {
                refused.extend(node.refused.as_ref().map(|why| format!("{}: {why}", peer.name())));
                continue;
            };
            if hello.role != wish.spec.role || node.leaving {
                continue;
            }
            if let Some(why) = &node.refused {
                refused.push(why.clone());
                continue;
            }
            let lease = hello.leases.get(&**wish.key).copied().unwrap_or(wish.spec.lease);
            match hello.builds.iter().find(|(key, _)| **key == **wish.key) {
                Some((_, build)) if *build == wish.spec.build && lease == wish.spec.lease => {}
                Some((_, build)) if *build == wish.spec.build => {
                    let (name, ours) = (peer.name(), wish.spec.lease);
                    refused.push(format!(
                        "{name} has a lease of {lease:?} for this child, and its owner one of {ours:?}: a constant has two values"
                    ));
                    continue;
                }
                Some(_) => {
                    refused.push(format!("{} has another build of this child", peer.name()));
                    continue;
                }
                None => {
                    refused.push(format!("{} does not have this child: its build is another one", peer.name()));
                    continue;
                }
            }
            // A lease that is nearly over is as good as none.
            let fresh = node.granted.is_some_and(|granted| now < granted + wish.spec.lease);
            let room = hello.capacity.is_none_or(|capacity| node.placements.len() < capacity);
            if !fresh || !room || wish.declined.contains(peer) {
                continue;
            }
            let beside = |id: &u64| self.placements.get(id).is_some_and(|other| other.key == *wish.key);
            if wish.spec.spread == Spread::OnePerNode && node.placements.iter().any(beside) {
                continue;
            }
            let rank = (wish.before != Some(peer), node.placements.len(), peer);
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
            }
        }
        best.map(|(.., peer)| peer.clone()).ok_or(refused)
    }

    /// The placement is known to be down. Returns what wakes those who wait for its path, or for room.
    fn is_down(&mut self, id: u64) -> Vec<Ring> {
        let mut rings: Vec<Ring> = Vec::new();
        let Some(placement) = self.placements.remove(&id) else { return rings };
        if let Some(node) = self.nodes.get_mut(&placement.peer)
            && node.placements.remove(&id)
        {
            rings.extend(self.has_room(&placement.peer));
        }
        if let Some(path) = self.paths.get_mut(&placement.path) {
            path.placements.retain(|other| *other != id);
            let bell = path.bell.clone();
            rings.push(Box::new(move || bell.notify_waiters()));
            if path.placements.is_empty() {
                self.paths.remove(&placement.path);
            }
        }
        rings
    }

    /// Forgets the placements of a path that cannot act any more.
    fn forget_clear(&mut self, path: &Arc<str>, now: Moment) -> Vec<Ring> {
        let ids = self.paths.get(path).map(|path| path.placements.clone()).unwrap_or_default();
        let is_clear = |placement: &Placement| placement.clear_at.is_some_and(|at| at <= now);
        let clear: Vec<u64> = ids.into_iter().filter(|id| self.placements.get(id).is_some_and(is_clear)).collect();
        clear.into_iter().flat_map(|id| self.is_down(id)).collect()
    }

    /// Gives back the room of what is over.
    fn shrink(&mut self) {
        let (placements, paths) = (self.placements.len(), self.paths.len());
        self.placements.shrink_to(placements.saturating_mul(2));
        self.paths.shrink_to(paths.saturating_mul(2));
    }

    /// Forgets every placement that cannot act any more: of children that did not start again.
    fn forget_all_clear(&mut self, now: Moment) -> Vec<Ring> {
        let is_clear = |placement: &Placement| placement.clear_at.is_some_and(|at| at <= now);
        let clear: Vec<u64> =
            self.placements.iter().filter(|(_, placement)| is_clear(placement)).map(|(id, _)| *id).collect();
        clear.into_iter().flat_map(|id| self.is_down(id)).collect()
    }
}

/// A child that waits for a node.
pub(crate) struct Waiting {
    run: Arc<Run>,
    role: &'static str,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.run.lock();
        let of = state.role(self.role);
        of.waiting = of.waiting.saturating_sub(1);
    }
}

/// Wakes those that wait. Called without a lock.
type Ring = Box<dyn FnOnce() + Send>;

#[cfg(test)]
mod tests;

/// The task of a run: joins, reads the link, and looks at the clock. A link that is closed is joined again. Leaves in
/// order once `ending` is ready: the run is over, or dropped.
async fn pump(
    run: Weak<Run>,
    net: Arc<NetInner>,
    clock: Clock,
    broken: Arc<Notify>,
    mut ending: oneshot::Receiver<()>,
) {
    loop {
        let joined = tokio::select! {
            biased;
            _ = &mut ending => return,
            joined = Joined::new(&*net.wire, Side::Owner, takes_signs(run.clone())) => joined,
        };
        let again = tokio::time::Instant::now() + JOIN_AGAIN;
        let mut link = match joined {
            Ok(link) => link,
            Err(error) => {
                say!(error, %error, name = net.wire.name(), "cannot join the network, tries again");
                tokio::select! {
                    _ = &mut ending => return,
                    () = tokio::time::sleep_until(again) => continue,
                }
            }
        };
        match run.upgrade() {
            Some(run) => run.joined(&link),
            None => return,
        }
        let ends = tokio::select! {
            biased;
            _ = &mut ending => true,
            () = read(&run, &net, &clock, &mut link) => false,
            () = is_broken(&run, &broken) => false,
        };
        if ends {
            if let Some(run) = run.upgrade() {
                drained(&run.state).await;
            }
            return link.close().await;
        }
        {
            let Some(run) = run.upgrade() else { return };
            say!(error, tree = %run.root.name, "the link to the network is closed, joins again");
            run.left();
        }
        drop(link);
        tokio::select! {
            biased;
            _ = &mut ending => return,
            () = tokio::time::sleep_until(again) => {}
        }
    }
}

/// Takes signs of life, perhaps on a thread of the wire.
fn takes_signs(run: Weak<Run>) -> Signs {
    Arc::new(move |from, bytes| run.upgrade().is_none_or(|run| run.takes_sign(from, bytes)))
}

/// Waits until this join is over since the wire has panicked. A bell of the join before is no such end.
async fn is_broken(run: &Weak<Run>, broken: &Notify) {
    loop {
        broken.notified().await;
        if run.upgrade().is_some_and(|run| run.lock_only().outbox.is_broken()) {
            return;
        }
    }
}

/// Reads a link until it is closed, or the run is over.
async fn read(run: &Weak<Run>, net: &NetInner, clock: &Clock, link: &mut Joined) {
    let mut look_at = clock.now() + LOOK;
    let mut sweep_at = clock.now() + SWEEP;
    loop {
        let mut look = std::pin::pin!(clock.sleep_until(look_at));
        // Everything that has arrived is read before a node is called silent: this process may have been frozen.
        let mut events = Vec::new();
        let open = poll_fn(|cx| {
            if net.wire.poll_lives(cx).is_pending() {
                return Poll::Pending;
            }
            while events.len() < BATCH {
                match link.poll_event(cx) {
                    Poll::Ready(Some(event)) => events.push(event),
                    Poll::Ready(None) => return Poll::Ready(false),
                    Poll::Pending => break,
                }
            }
            let due = look.as_mut().poll(cx).is_ready();
            if due || !events.is_empty() { Poll::Ready(true) } else { Poll::Pending }
        })
        .await;
        let Some(run) = run.upgrade() else { return };
        run.lock_only().turned = Some(clock.now());
        let all = events.len() < BATCH;
        for event in events {
            match event {
                LinkEvent::Up(peer, rights) => run.up(peer, rights),
                LinkEvent::Down(peer) => run.down(&peer),
                LinkEvent::Frame { from, bytes } => run.frame(&from, &bytes),
            }
        }
        let now = clock.now();
        if look_at <= now && (all || look_at + MOST_LATE <= now) {
            run.look_at_silent();
            let news = run.lock_only().late_news(now);
            news.into_iter().for_each(|kind| run.emit(kind));
            let rings = run.lock().forget_all_clear(now);
            rings.into_iter().for_each(|ring| ring());
            look_at = now + LOOK;
            if sweep_at <= now {
                run.inlets.sweep();
                run.lock_only().shrink();
                sweep_at = now + SWEEP;
            }
        }
        if !open {
            return;
        }
        if !all {
            tokio::task::yield_now().await; // the link is never empty, and others have to run
        }
    }
}
