//! Snapshots: the state of every node of a running tree (rule S42).

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use crate::part::{Extent, Instances, are_spawned};
use supervise_core::base::kinds::kinds;
use supervise_core::base::sync::{Mutex, foreign, lock};
use supervise_core::decide::group::{Group, MemberView, OwnEnd};
use supervise_core::decide::member::MemberState;
use supervise_core::values::declaration::ChildSpec;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;
use supervise_core::values::hooks::DeclaredHooks;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::mailbox_depth::MailboxDepth;
use supervise_core::values::network::{Elsewhere, NetworkView, OnNetwork, RemoteNode};
use supervise_core::values::observe::Observe;
use supervise_core::values::outage::Outage;
use supervise_core::values::strategy::{Lifecycle, OnLimit, Strategy};
use supervise_runtime::extension::asks_of;
use supervise_runtime::extension::runs_for;
use supervise_runtime::extension::{AnyCell, CellCore};
use supervise_runtime::extension::{ChildTable, ChildView, FailedEnd};

/// The state of a tree at one moment, returned by [`TreeRef::snapshot`](crate::Inspect::snapshot).
///
/// A snapshot contains every node, also those that are down. It is a copy, so it does not change and delays nothing.
/// The methods of a snapshot draw it as text, Mermaid or Graphviz; with the feature `serde` it can be serialized.
///
/// ```
/// use supervise::inspect::NodeState;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         reports: struct Reports {
///             daily: Db = Db,
///         },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let snapshot = shop.snapshot();
/// let paths: Vec<&str> = snapshot.nodes().map(|node| node.path.as_str()).collect();
/// assert_eq!(paths, ["Shop", "db", "reports", "reports/daily"]);
/// let daily = snapshot.find("reports/daily").expect("a declared child");
/// assert!(matches!(daily.state, NodeState::Running));
/// println!("{}", snapshot.render());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Snapshot {
    /// The time of the snapshot, on tokio's clock.
    pub at: Instant,
    /// The time when the whole tree was started.
    pub started: Instant,
    /// The tree on which `snapshot` was called, with everything below it.
    pub root: Node,
    /// The network that the whole tree is on; `None` if it is on none. See [`Tree::on`](crate::Tree::on).
    pub network: Option<NetworkView>,
}

/// A child, or the tree itself, in a [`Snapshot`].
///
/// ```
/// use supervise::inspect::ChildKind;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?; // fails, and is restarted immediately
/// # tokio::time::sleep(std::time::Duration::from_millis(20)).await;
///
/// let snapshot = shop.snapshot();
/// let db = snapshot.find("db").expect("a declared child");
/// assert!(db.is_up() && db.kind == ChildKind::Actor);
/// assert_eq!((db.incarnation, db.streak), (2, 1)); // no message was handled since
/// assert_eq!(db.lifecycle, Lifecycle::Permanent);
/// assert_eq!(db.last_failure.as_ref().map(|failure| failure.incarnation()), Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Node {
    /// The path below the root: `reports/daily`; for the root its name.
    pub path: String,
    /// The last part of the path, escaped as in the path.
    pub name: String,
    /// Actor, task, tree or set.
    pub kind: ChildKind,
    /// The state of the node.
    pub state: NodeState,
    /// The ends after which the child is restarted. A root is never restarted; its lifecycle is `Temporary`.
    ///
    /// See rule S23.
    pub lifecycle: Lifecycle,
    /// The children that restart together, for a node that supervises children.
    pub strategy: Option<Strategy>,
    /// The incarnation, counted from 1; 0 before the first start.
    pub incarnation: u32,
    /// The declaration of the child, with its settings as written and its place in the source. The instances of a set have
    /// that of the set; `None` for a root, and for a child of an actor.
    pub declared: Option<&'static ChildSpec>,
    /// The time since which the node is up; `None` unless it is [`Running`](NodeState::Running), and for a root.
    pub up_since: Option<Instant>,
    /// The hooks of an actor; `None` for a task or a tree.
    pub hooks: Option<DeclaredHooks>,
    /// The used part of the restart budget. Members that share a budget, as in a group, all show that one; a root
    /// has none.
    ///
    /// See rule S15.
    pub restarts: Option<RestartBudget>,
    /// The length of the streak of restarts: 0 once the child has handled a message or run for 10 s.
    ///
    /// See rule S14.
    pub streak: u32,
    /// The messages in the mailbox; `None` for a task or a tree.
    pub mailbox: Option<MailboxDepth>,
    /// The name of the node on which the instance of a remote child runs, or comes up.
    pub runs_on: Option<String>,
    /// The number of messages of a remote child that were sent to its node and are not known to be begun; `None` for all
    /// others. They are not in the mailbox any more.
    pub window: Option<usize>,
    /// The wait of a remote child for a node that takes it: none of its role is there and has room for it.
    pub waits_for_node: Option<NodeWait>,
    /// The numbers of the messages of an actor, if they are observed.
    pub messages: Option<Messages>,
    /// The time for which code of this child has held its thread, in real time: tasks that are queued on that thread wait
    /// meanwhile. `None` if none runs at this moment, or times are not observed ([`Observe::TIMING`]).
    pub runs_for: Option<Duration>,
    /// The path of the child above in the declaration for which the start of this one waits.
    pub starts_after: Option<String>,
    /// The paths of the actors for whose replies this one waits, if asks are observed ([`Observe::ASKS`]).
    pub waits_for: Vec<String>,
    /// The number of sources that the actor follows ([`Context::follow`](supervise_runtime::Context::follow)).
    pub follows: usize,
    /// The children that were spawned at run time, by their state; `None` if the node cannot have any.
    pub instances: Option<Instances>,
    /// The last 16 instances of a set that have ended by a failure, oldest first.
    pub failed_instances: Vec<FailedInstance>,
    /// The last failure that was decided on, in any incarnation. The node keeps it, with its error and everything that
    /// the error owns (a channel, a lock), until the next failure.
    pub last_failure: Option<Failure>,
    /// The children, in the order of their declaration or spawning. Run-time children that have ended are forgotten;
    /// declared ones stay.
    pub children: Vec<Node>,
    /// True if the node is down for an intended reason: it was asked to stop, or was spawned at run time and is
    /// starting.
    pub(crate) excused: bool,
}

/// An instance of a set that has ended by a failure, and was not spawned again. In [`Node::failed_instances`] of the set.
///
/// Such an instance is gone: its failure was decided `Stop`, or it was at its limit, or it is `Temporary`. Its key is free,
/// and all that is left of it is this. A set keeps the last 16. An instance that is spawned under the same key takes the
/// place of the old one, which is not shown any more.
///
/// ```
/// use supervise::inspect::FailedInstance;
/// use supervise::prelude::*;
/// # struct Account;
/// # #[actor]
/// # impl Account { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Exchange {
///         #![decider(_ => Stop)]
///         accounts: [String => Account] = |_name: String| Account,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let exchange = Exchange::start().await?;
/// let alice = exchange.accounts.spawn("alice".to_owned()).await?;
/// alice.tell(()).await?; // fails
/// alice.terminated().await?;
///
/// let snapshot = exchange.snapshot();
/// let accounts = snapshot.find("accounts").expect("a declared set");
/// let [gone]: &[FailedInstance] = &accounts.failed_instances[..] else { panic!("one has failed") };
/// assert_eq!((gone.path.as_str(), gone.name.as_str()), ("accounts/alice", "alice"));
/// assert_eq!(gone.to_string(), "accounts/alice failed while running: timed out");
/// assert!(exchange.health().is_healthy());
/// assert_eq!(exchange.health().notes()[0].path, "accounts");
///
/// exchange.accounts.spawn("alice".to_owned()).await?;
/// assert!(exchange.health().notes().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FailedInstance {
    /// The path of the instance.
    pub path: String,
    /// The last part of the path, escaped as in the path: the key, or `#7`.
    pub name: String,
    /// The failure with which it ended.
    pub failure: Failure,
    /// The time of its end, on tokio's clock.
    pub at: Instant,
    /// The time when the tree was started.
    pub(crate) started: Instant,
}

impl FailedInstance {
    /// Returns those of this cell, if it is a set.
    pub(super) fn all_of(core: &CellCore) -> Vec<FailedInstance> {
        let ends = core.table().map_or_else(Vec::new, ChildTable::failed_ends);
        if ends.is_empty() {
            return Vec::new(); // as nearly always: no path is made
        }
        let (above, started) = (core.path(), core.bus().started());
        let shown = |FailedEnd { name, failure, at }| FailedInstance {
            path: format!("{above}/{name}"),
            name,
            failure,
            at,
            started,
        };
        ends.into_iter().map(shown).collect()
    }

    /// Returns the time between the start of the tree and the end of the instance.
    pub fn since_start(&self) -> Duration {
        self.at.saturating_duration_since(self.started)
    }
}

impl fmt::Display for FailedInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.failure.at(&self.path))
    }
}

/// The wait of a remote child for a node. In [`Node::waits_for_node`].
///
/// ```
/// use supervise::inspect::{NodeWait, Snapshot};
///
/// /// Returns the longest wait for a node of this role.
/// fn longest<'a>(snapshot: &'a Snapshot, role: &str) -> Option<&'a NodeWait> {
///     let waits = snapshot.nodes().filter_map(|node| node.waits_for_node.as_ref());
///     waits.filter(|wait| wait.role == role).max_by_key(|wait| wait.since)
/// }
/// # let _ = longest;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeWait {
    /// The role that a node needs.
    pub role: String,
    /// The time for which the child has waited.
    pub since: Duration,
}

impl NodeWait {
    /// Only a child that is starting waits: a child that goes down waits no more, though its start is not dropped
    /// yet.
    pub(super) fn of(elsewhere: &Elsewhere, state: &NodeState, now: Instant) -> Option<Self> {
        let (role, since) = elsewhere.waits.filter(|_| matches!(state, NodeState::Starting))?;
        Some(NodeWait { role: role.to_owned(), since: now.saturating_duration_since(since) })
    }
}

/// The state of a node.
///
/// `Display` writes a few words: `running`, `backing off`, `ended: stopped`.
///
/// ```
/// use std::time::Duration;
/// use supervise::inspect::NodeState;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #[backoff(3s..30s, random_factor = 0)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?; // fails
/// tokio::time::sleep(Duration::from_secs(1)).await;
///
/// let snapshot = shop.snapshot();
/// match &snapshot.find("db").expect("a declared child").state {
///     NodeState::BackingOff { until } => assert_eq!(*until - snapshot.at, Duration::from_secs(2)),
///     other => panic!("{other}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NodeState {
    /// Down and queued: the child waits for its first start, or until its group comes up again.
    Queued,
    /// The start expression, `pre_start` or `post_restart` is running.
    Starting,
    /// Up.
    Running,
    /// Suspended: the child is up but handles no messages, because a supervisor above it has failed.
    ///
    /// See rule S7.
    Suspended,
    /// The child has failed, and its supervisor has not decided yet, or has failed with it.
    Failed,
    /// The child is going down.
    GoingDown,
    /// The child is down, and is started again at this time, or as soon as nothing else delays it.
    ///
    /// See rule S14.
    BackingOff {
        /// The end of the backoff, on tokio's clock.
        until: Instant,
    },
    /// The child has ended.
    Ended(Ended),
}

kinds! {
    /// The kind of a [`NodeState`], without its values.
    ///
    /// Kinds can be compared, as in `assert_eq!`. A [`NodeState`] may contain an error, which cannot.
    ///
    /// ```
    /// use supervise::inspect::{NodeState, NodeStateKind};
    ///
    /// assert_eq!(NodeState::Queued.kind(), NodeStateKind::Queued);
    /// assert_eq!(NodeStateKind::from_word("backing_off"), Some(NodeStateKind::BackingOff));
    /// ```
    pub enum NodeStateKind of NodeState {
        Queued,
        Starting,
        Running,
        Suspended,
        Failed,
        GoingDown,
        BackingOff,
        Ended,
    }

    /// Returns the kind of the state, without its values.
    fn kind;
}

impl NodeStateKind {
    /// All kinds.
    pub const ALL: [NodeStateKind; 8] = [
        NodeStateKind::Queued,
        NodeStateKind::Starting,
        NodeStateKind::Running,
        NodeStateKind::Suspended,
        NodeStateKind::Failed,
        NodeStateKind::GoingDown,
        NodeStateKind::BackingOff,
        NodeStateKind::Ended,
    ];

    /// Returns the word for this state that the JSON of a snapshot uses: `running`, `backing_off`.
    pub const fn word(self) -> &'static str {
        match self {
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

    /// Returns the state with this [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// The numbers of the messages of an actor, which a tree collects on request: see [`Observe`].
///
/// They count over all incarnations, for as long as they were observed. The times count from the begin of a handler to its
/// end, with the time in which it waits. A message is over when its handler has returned, failed or was dropped.
///
/// ```
/// use std::time::Duration;
/// use supervise::inspect::Observe;
/// use supervise::prelude::*;
/// use tokio::time::sleep;
///
/// struct Oven;
///
/// #[actor]
/// impl Oven {
///     async fn handle(&mut self, _cake: &'static str) {
///         sleep(Duration::from_secs(40)).await;
///     }
/// }
///
/// supervisor! {
///     struct Bakery {
///         oven: Oven = Oven,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bakery = Bakery::start().await?;
/// let _observing = bakery.observe(Observe::TIMING);
/// for cake in ["apple", "cheese", "plum"] {
///     bakery.oven.tell(cake).await?;
/// }
/// sleep(Duration::from_secs(50)).await;
///
/// let snapshot = bakery.snapshot();
/// let oven = snapshot.find("oven").expect("a declared child");
/// let cakes = oven.messages.expect("they are observed");
/// assert_eq!((cakes.handled, cakes.busy, cakes.longest), (1, Some(Duration::from_secs(40)), Some(Duration::from_secs(40))));
/// assert_eq!(cakes.in_hand, Some(Duration::from_secs(10)));
/// assert_eq!(oven.mailbox.and_then(|mailbox| mailbox.oldest), Some(Duration::from_secs(50)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Messages {
    /// The number of messages that are over.
    pub handled: u64,
    /// The time of all handlers together; `None` if times are not observed ([`Observe::TIMING`]).
    pub busy: Option<Duration>,
    /// The time of the longest handler; `None` if times are not observed.
    pub longest: Option<Duration>,
    /// The time for which the present handler runs; `None` if none runs, or times were not observed when it began.
    pub in_hand: Option<Duration>,
}

impl Messages {
    fn of(cell: &AnyCell, now: Instant) -> Option<Messages> {
        let observed = cell.core().bus().observed();
        if !observed.contains(Observe::COUNTS) || !cell.has_messages() {
            return None;
        }
        let tally = cell.core().tallied().unwrap_or_default();
        let times = observed.contains(Observe::TIMING).then(|| tally.times.unwrap_or_default());
        Some(Messages {
            handled: tally.handled,
            busy: times.map(|times| times.busy),
            longest: times.map(|times| times.longest),
            in_hand: times.and_then(|times| Some(now.saturating_duration_since(times.begun?))),
        })
    }
}

/// The used part of a restart budget.
///
/// See rule S15.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(OneForOne, max_restarts = 5, within = 1min)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?; // fails
/// # tokio::time::sleep(Duration::from_millis(20)).await;
/// let restarts = shop.snapshot().find("db").and_then(|db| db.restarts).expect("it has a budget");
/// assert_eq!((restarts.used, restarts.max, restarts.within), (1, Some(5), Some(Duration::from_secs(60))));
/// assert_eq!(restarts.to_string(), "1 of 5 restarts in 60s");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestartBudget {
    /// The restarts decided in the present window; always 0 if the number is unlimited, since they are not counted.
    pub used: u32,
    /// The number of restarts that are allowed; `None`: any number.
    pub max: Option<u32>,
    /// The length of the window; `None`: the life of the supervisor's incarnation.
    pub within: Option<Duration>,
    /// The time at which nothing of the budget is used any more, if nothing fails until then; `None` if nothing is used,
    /// or the window has no end.
    pub restored: Option<Instant>,
    /// Whether the restarts of all members of the supervisor count together.
    pub shared: bool,
    /// The action when the budget is used up.
    pub on_limit: OnLimit,
    /// The outage of this child alone that uses the whole budget up, if nothing of it is used before.
    pub outage: Outage,
}

impl Snapshot {
    pub(crate) fn of(cell: &AnyCell, seen: Option<ChildView>, now: Instant, extent: Extent) -> Snapshot {
        let mut root = Node::of(cell, seen, now, extent);
        if root.state.kind() == NodeStateKind::Queued {
            root.starts_after = awaited_by(cell, now);
        }
        Snapshot { at: now, started: cell.core().bus().started(), root, network: network(cell.core()) }
    }

    /// Returns the nodes on which the remote children of the whole tree run. Empty if the tree is on no network.
    ///
    /// See rule S63.
    pub fn remote_nodes(&self) -> &[RemoteNode] {
        self.network.as_ref().map_or(&[], |network| &network.nodes)
    }

    /// Returns every node, each before its children, in the order of declaration.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let mut next = vec![&self.root];
        std::iter::from_fn(move || {
            let node = next.pop()?;
            next.extend(node.children.iter().rev());
            Some(node)
        })
    }

    /// Returns the node with this path: `reports/daily`. The path is the text that handles and events show; for names
    /// that have to be escaped, use [`path::of`](supervise_runtime::path::of).
    pub fn find(&self, path: &str) -> Option<&Node> {
        self.nodes().find(|node| node.path == path)
    }
}

/// Returns where the instance of a remote child is; `None` for all other children.
pub(crate) fn elsewhere(core: &CellCore) -> Option<Elsewhere> {
    let elsewhere = core.slot::<Mutex<Elsewhere>>()?;
    let elsewhere = lock(&elsewhere).clone();
    Some(elsewhere)
}

/// Returns the network that the tree of this cell is on.
pub(super) fn network(core: &CellCore) -> Option<NetworkView> {
    let on = core.bus().slot::<OnNetwork>()?;
    foreign();
    Some(on.network.view(&on.root))
}

impl Node {
    /// Returns the node with everything below it. A loop, since the depth of a tree may exceed the stack.
    fn of(cell: &AnyCell, seen: Option<ChildView>, now: Instant, extent: Extent) -> Node {
        // Each node with the position of its parent, which comes earlier in the list.
        let mut nodes = vec![(0, Node::alone(cell, seen, cell.core().declaration(), now))];
        let mut todo = Vec::new();
        let below = |cell: &AnyCell, own: usize, todo: &mut Vec<_>| {
            let table = cell.core().table().filter(|table| extent == Extent::Everything || !are_spawned(table));
            let Some(table) = table else { return };
            let declarations = cell.core().declarations();
            todo.extend(table.view(now).into_iter().rev().map(|child| (own, declarations, child)));
        };
        below(cell, 0, &mut todo);
        while let Some((above, declarations, (cell, seen))) = todo.pop() {
            let declared = cell.core().declaration_in(declarations);
            nodes.push((above, Node::alone(&*cell, Some(seen), declared, now)));
            below(&*cell, nodes.len() - 1, &mut todo);
        }
        loop {
            let (above, mut node) = nodes.pop().expect("the first one is left");
            node.children.reverse();
            node.name_the_awaited();
            match nodes.get_mut(above) {
                Some((_, above)) => above.children.push(node),
                None => return node,
            }
        }
    }

    /// Says for which child above each queued one waits. Children that were spawned at run time wait for none.
    fn name_the_awaited(&mut self) {
        if self.instances.is_some() {
            return;
        }
        let mut awaited: Option<String> = None;
        for child in &mut self.children {
            if child.state.kind() == NodeStateKind::Queued {
                child.starts_after = awaited.clone();
            } else if awaited.is_none() && child.state.is_awaited() {
                awaited = Some(child.path.clone());
            }
        }
    }

    pub(super) fn alone(
        cell: &AnyCell,
        seen: Option<ChildView>,
        declared: Option<&'static ChildSpec>,
        now: Instant,
    ) -> Node {
        let core = cell.core();
        let strategy = core.table().map(|table| table.strategy());
        let member = seen.as_ref().map(|seen| &seen.member);
        let end = own_end(cell);
        let state = state(cell, seen.as_ref(), end, now);
        let elsewhere = elsewhere(core);
        let waits_for_node = elsewhere.as_ref().and_then(|elsewhere| NodeWait::of(elsewhere, &state, now));
        Node {
            path: core.path(),
            name: core.name(),
            kind: member.and_then(|member| member.kind).unwrap_or(ChildKind::Tree),
            lifecycle: lifecycle(member),
            strategy,
            incarnation: core.incarnation(),
            up_since: member.filter(|_| state.kind() == NodeStateKind::Running).and_then(|member| member.up),
            declared,
            hooks: cell.hooks(),
            restarts: member.map(|member| RestartBudget {
                used: member.budget.used,
                max: member.budget.allowance.max,
                within: member.budget.allowance.within,
                restored: member.budget.restored,
                shared: member.shared,
                on_limit: member.budget.allowance.on_limit,
                outage: member.outage,
            }),
            streak: streak(cell, member),
            runs_on: elsewhere.as_ref().and_then(|elsewhere| elsewhere.node.as_deref().map(str::to_owned)),
            window: elsewhere.map(|elsewhere| elsewhere.window),
            waits_for_node,
            messages: Messages::of(cell, now),
            runs_for: runs_for(core),
            starts_after: None,
            waits_for: asks_of(core),
            follows: usize::try_from(core.follows()).unwrap_or(usize::MAX),
            instances: core.table().and_then(|table| Instances::of_table(table, now)),
            failed_instances: FailedInstance::all_of(core),
            mailbox: cell.mailbox(),
            last_failure: core.last_failure(),
            excused: is_excused(end, member),
            state,
            children: Vec::new(),
        }
    }

    /// Returns `true` if the node runs: it is up and not suspended.
    pub fn is_up(&self) -> bool {
        matches!(self.state, NodeState::Running)
    }
}

/// Returns the path of the child above this queued one for which it waits, as [`Node::name_the_awaited`].
fn awaited_by(cell: &AnyCell, now: Instant) -> Option<String> {
    let parent = cell.core().supervisor()?;
    let table = parent.core().table().filter(|table| !are_spawned(table))?;
    let above = table.view(now).into_iter().take_while(|(sibling, _)| sibling.core().id() != cell.core().id());
    above
        .filter(|(sibling, seen)| state(&**sibling, Some(seen), own_end(&**sibling), now).is_awaited())
        .map(|(sibling, _)| sibling.core().path())
        .next()
}

impl Drop for Node {
    /// Drops the nodes below one after the other, since the depth of a tree may exceed the stack.
    fn drop(&mut self) {
        let mut below = std::mem::take(&mut self.children);
        while let Some(mut node) = below.pop() {
            below.append(&mut node.children);
        }
    }
}

pub(super) fn lifecycle(member: Option<&MemberView>) -> Lifecycle {
    member.map_or(Lifecycle::Temporary, |member| member.lifecycle)
}

pub(super) fn streak(cell: &AnyCell, member: Option<&MemberView>) -> u32 {
    member.filter(|_| !cell.has_handled()).map_or(0, |member| member.streak)
}

/// Returns whether the child is down as intended: it ends in order, or is started for the first time.
pub(super) fn is_excused(end: Option<OwnEnd>, member: Option<&MemberView>) -> bool {
    end == Some(OwnEnd::Done) || member.is_some_and(|member| member.leaving || member.fresh)
}

/// Returns how the cell is about to end by itself, if it is.
pub(super) fn own_end(cell: &AnyCell) -> Option<OwnEnd> {
    cell.core().table().and_then(|table| table.inspect(Group::own_end))
}

pub(super) fn state(cell: &AnyCell, seen: Option<&ChildView>, end: Option<OwnEnd>, now: Instant) -> NodeState {
    let core = cell.core();
    let ended = core.ended();
    let Some(ChildView { member, until }) = seen else {
        // Only the cell of a root, or of a forgotten run-time child, knows its state.
        let stopping = core.table().is_some_and(|table| table.inspect(|group| group.is_stopping()));
        return match ended {
            Some(ended) => NodeState::Ended(ended),
            None if stopping || end.is_some() => NodeState::GoingDown,
            None if core.is_up() => NodeState::Running,
            None => NodeState::Starting,
        };
    };
    match (member.at, ended) {
        (_, Some(Ended::RuntimeGone)) => NodeState::Ended(Ended::RuntimeGone),
        (MemberState::Ended, Some(ended)) => NodeState::Ended(ended),
        // The supervisor has recorded the end, and the watchers are not yet notified.
        (MemberState::Ended, None) | (MemberState::GoingDown, _) => NodeState::GoingDown,
        (MemberState::BackingOff, _) => NodeState::BackingOff { until: until.unwrap_or(now) },
        (MemberState::Queued, _) if member.holds_up => NodeState::BackingOff { until: until.unwrap_or(now) },
        (MemberState::Queued, _) => NodeState::Queued,
        (MemberState::Starting, _) => NodeState::Starting,
        (MemberState::Failed | MemberState::FailedStart, _) => NodeState::Failed,
        // The supervisor is notified once the tree is down.
        (MemberState::Up, _) if end.is_some() && member.kind.is_some_and(ChildKind::only_supervises) => {
            NodeState::GoingDown
        }
        (MemberState::Up, _) if member.suspended => NodeState::Suspended,
        (MemberState::Up, _) => NodeState::Running,
    }
}

impl NodeState {
    /// Returns whether children below wait for one in this state before they start.
    fn is_awaited(&self) -> bool {
        match self {
            NodeState::Starting | NodeState::Failed | NodeState::GoingDown | NodeState::BackingOff { .. } => true,
            NodeState::Queued | NodeState::Running | NodeState::Suspended | NodeState::Ended(_) => false,
        }
    }
}

/// Without times: the field of `BackingOff` has the end of the backoff.
impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeState::Queued => f.write_str("queued"),
            NodeState::Starting => f.write_str("starting"),
            NodeState::Running => f.write_str("running"),
            NodeState::Suspended => f.write_str("suspended"),
            NodeState::Failed => f.write_str("failed"),
            NodeState::GoingDown => f.write_str("going down"),
            NodeState::BackingOff { .. } => f.write_str("backing off"),
            NodeState::Ended(ended) => write!(f, "ended: {ended}"),
        }
    }
}

impl fmt::Display for RestartBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.max, self.within) {
            (None, _) => f.write_str("any number of restarts"),
            (Some(of), None) => write!(f, "{} of {of} restarts", self.used),
            (Some(of), Some(within)) => write!(f, "{} of {of} restarts in {within:?}", self.used),
        }
    }
}
