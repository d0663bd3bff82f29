//! A live tree at one moment: what every node is doing (rule S42).

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use crate::decide::group::{Group, OwnEnd};
use crate::decide::member::At;
use crate::engine::cell::control::Controlled;
use crate::engine::supervisor::Seen;
use crate::inspect::health::Health;
use crate::tree::TreeRef;
use crate::values::ended::Ended;
use crate::values::failure::Failure;
use crate::values::kind::ChildKind;
use crate::values::mailbox_depth::MailboxDepth;
use crate::values::strategy::{Lifecycle, Strategy};

/// A tree at one moment: [`TreeRef::snapshot`](crate::TreeRef::snapshot).
///
/// Every node is in it, also those that are down. It is a copy: it says what was, and nothing waits for it. As text,
/// Mermaid or Graphviz it is drawn by its methods; with the feature `serde` it is serialized.
///
/// ```
/// use supervise::{NodeState, prelude::*};
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
    /// When, on tokio's clock.
    pub at: Instant,
    /// When the whole tree was started.
    pub started: Instant,
    /// The tree that was asked, with everything below it.
    pub root: Node,
}

/// One child, or the tree itself, in a [`Snapshot`].
///
/// ```
/// use supervise::{ChildKind, prelude::*};
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
/// shop.db.tell(()).await?; // fails, and is restarted at once
/// # tokio::time::sleep(std::time::Duration::from_millis(20)).await;
///
/// let snapshot = shop.snapshot();
/// let db = snapshot.find("db").expect("a declared child");
/// assert!(db.is_up() && db.kind == ChildKind::Actor);
/// assert_eq!((db.incarnation, db.row), (2, 1)); // it has not handled a message since
/// assert_eq!(db.lifecycle, Lifecycle::Permanent);
/// assert_eq!(db.last_failure.as_ref().map(|failure| failure.incarnation()), Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Node {
    /// Its path below the root: `reports/daily`; of the root its name.
    pub path: String,
    /// The last part of the path, as it stands there.
    pub name: String,
    /// What it is.
    pub kind: ChildKind,
    /// What it is doing.
    pub state: NodeState,
    /// When it is started again (S23). A root never is; it says `Temporary`.
    pub lifecycle: Lifecycle,
    /// Whom a restart takes along, of what supervises children.
    pub strategy: Option<Strategy>,
    /// Which incarnation, counted from 1; 0 before the first start.
    pub incarnation: u32,
    /// How much of its restart budget is used (S15); of a group strategy all members show the one budget
    /// that they share. A root has none.
    pub restarts: Option<Restarts>,
    /// Restarts in a row: 0 once it has handled a message or run for 10 s (S14).
    pub row: u32,
    /// What waits in its mailbox; tasks and trees have none.
    pub mailbox: Option<MailboxDepth>,
    /// The last failure that was decided on, of all incarnations. The node keeps it, and with it its error, until the
    /// next: what an error holds on to (a channel, a lock) it holds on to that long.
    pub last_failure: Option<Failure>,
    /// Its children in the order of their declaration or spawning. Run-time children that have ended are
    /// forgotten; declared ones stay.
    pub children: Vec<Node>,
    /// Down for no bad reason: asked to stop, or spawned at run time and on its way up.
    pub(crate) excused: bool,
}

/// What a node is doing.
///
/// Displayed it is one or a few words: `running`, `backing off`, `ended: stopped`.
///
/// ```
/// use std::time::Duration;
/// use supervise::{NodeState, prelude::*};
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
    /// Down, waiting for its turn: not started yet, or until its group comes up again.
    Waiting,
    /// Its start, `pre_start` or `post_restart` is in progress.
    Starting,
    /// Up.
    Running,
    /// Up, but handles no messages: a supervisor above it has failed (S7).
    Held,
    /// It has failed, and its supervisor has not decided yet, or has failed with it.
    Failed,
    /// On its way down.
    GoingDown,
    /// Down, started again at this time, or as soon as nothing else holds it (S14).
    BackingOff {
        /// When, on tokio's clock.
        until: Instant,
    },
    /// It has ended.
    Ended(Ended),
}

/// How much of a restart budget is used (S15).
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
/// assert_eq!((restarts.used, restarts.of, restarts.within), (1, Some(5), Some(Duration::from_secs(60))));
/// assert_eq!(restarts.to_string(), "1 of 5 restarts in 60s");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restarts {
    /// Restarts decided in the present window; 0 where any number is allowed, since nobody counts them.
    pub used: u32,
    /// How many are allowed; `None`: any number.
    pub of: Option<u32>,
    /// The length of the window; `None`: as long as the supervisor's incarnation lives.
    pub within: Option<Duration>,
}

impl TreeRef {
    /// What this tree and everything below it are doing now (S42).
    ///
    /// Never waits for a child: each node is read under the short locks that its supervisor holds for a
    /// moment, one after the other, and nothing of the user's code runs. So every node is exact, but two of
    /// them may be read a moment apart.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&*self.cell)
    }

    /// Whether all is well here and below, else what is not and where (S42). As cheap as
    /// [`snapshot`](TreeRef::snapshot).
    pub fn health(&self) -> Health {
        self.snapshot().health()
    }
}

impl Snapshot {
    pub(crate) fn of(cell: &dyn Controlled) -> Snapshot {
        let now = Instant::now();
        let ctl = cell.ctl();
        let seen = ctl.supervisor().and_then(|supervisor| supervisor.ctl().sup()?.see_child(cell, now));
        Snapshot { at: now, started: ctl.bus.started(), root: Node::of(cell, seen, now) }
    }

    /// Every node, each in front of its children, in the order of declaration.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        let mut next = vec![&self.root];
        std::iter::from_fn(move || {
            let node = next.pop()?;
            next.extend(node.children.iter().rev());
            Some(node)
        })
    }

    /// The node with this path: `reports/daily`. A path is text as handles and events give it; of names that have to be
    /// escaped [`path::of`](crate::path::of) makes one.
    pub fn find(&self, path: &str) -> Option<&Node> {
        self.nodes().find(|node| node.path == path)
    }
}

impl Node {
    /// With all that is below it: the stack has no room for any depth.
    fn of(cell: &dyn Controlled, seen: Option<Seen>, now: Instant) -> Node {
        // Each with the place of the one above, behind which it comes.
        let mut nodes = vec![(0, Node::alone(cell, seen, now))];
        let mut todo = Vec::new();
        let below = |cell: &dyn Controlled, own: usize, todo: &mut Vec<_>| {
            let children = cell.ctl().sup().map(|sup| sup.see(now)).unwrap_or_default();
            todo.extend(children.into_iter().rev().map(|child| (own, child)));
        };
        below(cell, 0, &mut todo);
        while let Some((above, (cell, seen))) = todo.pop() {
            nodes.push((above, Node::alone(&*cell, Some(seen), now)));
            below(&*cell, nodes.len() - 1, &mut todo);
        }
        loop {
            let (above, mut node) = nodes.pop().expect("the first one is left");
            node.children.reverse();
            match nodes.get_mut(above) {
                Some((_, above)) => above.children.push(node),
                None => return node,
            }
        }
    }

    fn alone(cell: &dyn Controlled, seen: Option<Seen>, now: Instant) -> Node {
        let ctl = cell.ctl();
        let strategy = ctl.sup().map(|sup| sup.strategy());
        let member = seen.as_ref().map(|seen| &seen.member);
        let end = ctl.sup().and_then(|sup| sup.look(Group::own_end));
        Node {
            path: ctl.path(),
            name: ctl.name(),
            kind: member.and_then(|member| member.kind).unwrap_or(ChildKind::Tree),
            state: state(cell, seen.as_ref(), end, now),
            lifecycle: member.map_or(Lifecycle::Temporary, |member| member.lifecycle),
            strategy,
            incarnation: ctl.incarnation(),
            restarts: member.map(|member| Restarts {
                used: member.used,
                of: member.allowance.max,
                within: member.allowance.within,
            }),
            row: member.map_or(0, |member| if cell.has_handled() { 0 } else { member.row }),
            mailbox: cell.mailbox(),
            last_failure: ctl.last_failure(),
            excused: end == Some(OwnEnd::Done) || member.is_some_and(|member| member.leaving || member.fresh),
            children: Vec::new(),
        }
    }

    /// It handles messages, or does what it is there for.
    pub fn is_up(&self) -> bool {
        matches!(self.state, NodeState::Running)
    }
}

impl Drop for Node {
    /// Nodes below it go one after the other, not each in a frame of its own.
    fn drop(&mut self) {
        let mut below = std::mem::take(&mut self.children);
        while let Some(mut node) = below.pop() {
            below.append(&mut node.children);
        }
    }
}

fn state(cell: &dyn Controlled, seen: Option<&Seen>, end: Option<OwnEnd>, now: Instant) -> NodeState {
    let ctl = cell.ctl();
    let ended = ctl.ended();
    let Some(Seen { member, until }) = seen else {
        // A root, or a run-time child that is forgotten: only it itself knows.
        let stopping = ctl.sup().is_some_and(|sup| sup.look(|group| group.is_stopping()));
        return match ended {
            Some(ended) => NodeState::Ended(ended),
            None if stopping || end.is_some() => NodeState::GoingDown,
            None if ctl.is_up() => NodeState::Running,
            None => NodeState::Starting,
        };
    };
    match (member.at, ended) {
        (_, Some(Ended::RuntimeGone)) => NodeState::Ended(Ended::RuntimeGone),
        (At::Ended, Some(ended)) => NodeState::Ended(ended),
        // Its supervisor knows already, its watchers do not.
        (At::Ended, None) | (At::Down, _) => NodeState::GoingDown,
        (At::Waiting, _) => NodeState::BackingOff { until: until.unwrap_or(now) },
        (At::Turn, _) if member.holds_up => NodeState::BackingOff { until: until.unwrap_or(now) },
        (At::Turn, _) => NodeState::Waiting,
        (At::Starting, _) => NodeState::Starting,
        (At::Failed | At::StartFailed, _) => NodeState::Failed,
        // Its supervisor hears of it once it is down.
        (At::Up, _) if end.is_some() && member.kind.is_some_and(ChildKind::only_supervises) => NodeState::GoingDown,
        (At::Up, _) if member.held => NodeState::Held,
        (At::Up, _) => NodeState::Running,
    }
}

/// Without times: when a back-off ends is in its field.
impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeState::Waiting => f.write_str("waiting for its turn"),
            NodeState::Starting => f.write_str("starting"),
            NodeState::Running => f.write_str("running"),
            NodeState::Held => f.write_str("held"),
            NodeState::Failed => f.write_str("failed"),
            NodeState::GoingDown => f.write_str("going down"),
            NodeState::BackingOff { .. } => f.write_str("backing off"),
            NodeState::Ended(ended) => write!(f, "ended: {ended}"),
        }
    }
}

impl fmt::Display for Restarts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.of, self.within) {
            (None, _) => f.write_str("any number of restarts"),
            (Some(of), None) => write!(f, "{} of {of} restarts", self.used),
            (Some(of), Some(within)) => write!(f, "{} of {of} restarts in {within:?}", self.used),
        }
    }
}
