//! The health of a tree, as a list of symptoms (rule S42).

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use crate::part::{Extent, are_spawned};
use crate::snapshot::{
    FailedInstance, Node, NodeState, NodeWait, Snapshot, elsewhere, is_excused, lifecycle, own_end, state, streak,
};
use supervise_core::base::line::one_line;
use supervise_core::base::sync::Arc;
use supervise_core::decide::group::OwnEnd;
use supervise_core::values::ended::Ended;
use supervise_core::values::strategy::Lifecycle;
use supervise_runtime::extension::AnyCell;
use supervise_runtime::extension::ChildView;
use supervise_runtime::extension::seen;

/// The health of a tree: healthy, or a list of symptoms. Returned by [`TreeRef::health`](crate::Inspect::health).
///
/// States that are intended are not symptoms: a child that was stopped on request, one that ended as its lifecycle
/// allows, one spawned at run time that is starting for the first time.
///
/// Beside the symptoms there are notes: facts that an operator wants to know, and that are no symptoms.
///
/// `Display` writes one line: `healthy`, or `degraded: db is backing off; cart is waiting for its turn`, and after it the
/// notes.
///
/// ```
/// use supervise::TreeRef;
/// use supervise::inspect::Health;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// /// The answer to the readiness probe of an orchestrator: status and text.
/// fn probe(tree: &TreeRef) -> (u16, String) {
///     let health: Health = tree.health();
///     (if health.is_up() { 200 } else { 503 }, health.to_string())
/// }
///
/// # supervisor! { struct Shop { db: Db = Db, other: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert_eq!(probe(&shop), (200, "healthy".to_owned()));
/// shop.db.kill(); // by default it is not started again
/// shop.db.terminated().await?;
/// assert_eq!(probe(&shop), (503, "degraded: db has ended: killed".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Health {
    symptoms: Vec<Symptom>,
    notes: Vec<Note>,
}

/// A fact about a node that does not make the tree unhealthy.
///
/// `Display` writes a few words: `accounts has lost 2 instances, the last: accounts/alice failed while running: timed out`.
///
/// ```
/// use supervise::TreeRef;
/// use supervise::inspect::{Inspect, Note, NoteKind};
///
/// /// Returns the paths of the instances that have given up.
/// fn given_up(tree: &TreeRef) -> Vec<String> {
///     let mut paths = Vec::new();
///     for Note { kind, .. } in tree.health().notes() {
///         if let NoteKind::FailedInstances(instances) = kind {
///             paths.extend(instances.iter().map(|instance| instance.path.clone()));
///         }
///     }
///     paths
/// }
/// # let _ = given_up;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Note {
    /// The path of the node.
    pub path: String,
    /// The fact.
    pub kind: NoteKind,
}

/// The kind of a [`Note`].
///
/// ```
/// use supervise::inspect::NoteKind;
///
/// fn number(kind: &NoteKind) -> usize {
///     match kind {
///         NoteKind::FailedInstances(instances) => instances.len(),
///         _ => 0,
///     }
/// }
/// # let _ = number;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NoteKind {
    /// Instances of this set have ended by a failure: the last 16 of them, oldest first.
    FailedInstances(Vec<FailedInstance>),
}

/// An unhealthy node, and the reason.
///
/// ```
/// use supervise::inspect::{Health, SymptomKind};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #[backoff(3s..30s)]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?; // fails
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
///
/// for symptom in shop.health().symptoms() {
///     assert_eq!(symptom.path, "db");
///     assert!(matches!(symptom.reason, SymptomKind::Down(_)));
///     assert_eq!(symptom.to_string(), "db is backing off");
/// }
/// # assert_eq!(shop.health().symptoms().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Symptom {
    /// The path of the node.
    pub path: String,
    /// The reason.
    pub reason: SymptomKind,
}

/// Why a node is unhealthy.
///
/// ```
/// use supervise::inspect::SymptomKind;
/// use supervise::prelude::*;
///
/// /// Whether an operator has to be called.
/// fn is_serious(reason: &SymptomKind) -> bool {
///     match reason {
///         SymptomKind::Ended(_) => true,
///         SymptomKind::Streak(restarts) => *restarts > 5,
///         SymptomKind::Blocked(senders) => *senders > 100,
///         _ => false, // the node is down, and being started again
///     }
/// }
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db, other: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.kill(); // by default it is not started again
/// shop.db.terminated().await?;
/// assert!(shop.health().symptoms().iter().any(|symptom| is_serious(&symptom.reason)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SymptomKind {
    /// The node is down or suspended, with this state.
    Down(NodeState),
    /// The node is up after this many restarts in a streak: it has neither handled a message nor run for 10 s since.
    Streak(u32),
    /// The mailbox is full, and this many senders wait for room.
    Blocked(usize),
    /// The node is remote, and waits for a node that takes it: none with this role is there and has room for it.
    NoNode {
        /// The role.
        role: String,
        /// The time for which it has waited.
        since: Duration,
    },
    /// The node has ended against its lifecycle.
    ///
    /// For a `Permanent` or `Transient` child this is an end by a failure, a limit, a kill or an abort; a stop, or an
    /// end by itself such as that of a subtree whose members are done (S22), does not count. For the tree on which
    /// `health` was called, it is any end.
    Ended(Ended),
}

impl Health {
    /// Returns `true` if there are no symptoms at all.
    ///
    /// This is the question of an operator. A readiness probe asks [`is_up`](Health::is_up): a child that is up again after
    /// a restart stays a symptom until its streak is over, so a child that comes and goes is a symptom for as long as it
    /// does.
    pub fn is_healthy(&self) -> bool {
        self.symptoms.is_empty()
    }

    /// Returns `true` if everything that should be up is up: no symptom says that a node is down. Restarts that are
    /// over, and senders that wait, do not count.
    ///
    /// This is the question of a readiness probe.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
    /// # supervisor! { struct Shop { db: Db = Db } }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// shop.db.tell(()).await?; // fails, and is restarted at once
    /// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    /// assert_eq!(shop.health().to_string(), "degraded: db was restarted");
    /// assert!(shop.health().is_up());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_up(&self) -> bool {
        !self.symptoms().iter().any(|symptom| symptom.reason.is_down())
    }

    /// Returns the symptoms, in the order of declaration.
    pub fn symptoms(&self) -> &[Symptom] {
        &self.symptoms
    }

    /// Returns the notes, in the order of declaration.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn note(&mut self, path: impl FnOnce() -> String, failed: Vec<FailedInstance>) {
        if !failed.is_empty() {
            self.notes.push(Note { path: path(), kind: NoteKind::FailedInstances(failed) });
        }
    }
}

impl SymptomKind {
    /// Returns `true` if the node does not serve: it is down, waits for another machine, or has ended against its
    /// lifecycle.
    pub fn is_down(&self) -> bool {
        match self {
            SymptomKind::Down(_) | SymptomKind::NoNode { .. } | SymptomKind::Ended(_) => true,
            SymptomKind::Streak(_) | SymptomKind::Blocked(_) => false,
        }
    }
}

impl Snapshot {
    /// Returns the health of the tree at that moment.
    ///
    /// See rule S42.
    pub fn health(&self) -> Health {
        let mut health = Health::default();
        for node in self.nodes() {
            Facts::of_node(node).tell(std::ptr::eq(node, &self.root), || node.path.clone(), &mut health.symptoms);
            health.note(|| node.path.clone(), node.failed_instances.clone());
        }
        health
    }
}

/// Returns the health of this cell and of those below it. Only nodes that may have a symptom are looked at closely, and
/// described as in a snapshot.
pub(crate) fn of(cell: &Arc<AnyCell>, view: Option<ChildView>, now: Instant, extent: Extent) -> Health {
    let mut health = Health::default();
    let mut todo = vec![(cell.clone(), view, true)];
    while let Some((cell, view, asked)) = todo.pop() {
        let end = own_end(&*cell);
        // A supervisor gives no view of a child that it believes to be well.
        let view = if view.is_none() && end.is_some() { seen(&*cell, now) } else { view };
        if asked || view.is_some() {
            let facts = Facts::of(&*cell, view.as_ref(), end, now);
            facts.tell(asked, || cell.core().path(), &mut health.symptoms);
        }
        health.note(|| cell.core().path(), FailedInstance::all_of(cell.core()));
        let table = cell.core().table().filter(|table| extent == Extent::Everything || !are_spawned(table));
        if let Some(table) = table {
            let lost = matches!(cell.core().ended(), Some(Ended::RuntimeGone));
            todo.extend(table.view_unwell(lost, now).into_iter().rev().map(|(cell, seen)| (cell, seen, false)));
        }
    }
    health
}

/// The facts about a node that may be symptoms.
struct Facts {
    state: NodeState,
    streak: u32,
    lifecycle: Lifecycle,
    excused: bool,
    blocked: usize,
    no_node: Option<NodeWait>,
}

impl Facts {
    fn of(cell: &AnyCell, seen: Option<&ChildView>, end: Option<OwnEnd>, now: Instant) -> Self {
        let member = seen.map(|seen| &seen.member);
        let state = state(cell, seen, end, now);
        let elsewhere = elsewhere(cell.core());
        Facts {
            no_node: elsewhere.and_then(|elsewhere| NodeWait::of(&elsewhere, &state, now)),
            state,
            streak: streak(cell, member),
            lifecycle: lifecycle(member),
            excused: is_excused(end, member),
            blocked: cell.mailbox().map_or(0, |mailbox| mailbox.blocked),
        }
    }

    fn of_node(node: &Node) -> Self {
        Facts {
            state: node.state.clone(),
            streak: node.streak,
            lifecycle: node.lifecycle,
            excused: node.excused,
            blocked: node.mailbox.map_or(0, |mailbox| mailbox.blocked),
            no_node: node.waits_for_node.clone(),
        }
    }

    /// Tells the symptoms. `asked`: the health of this node was asked for, and not that of a node above it.
    fn tell(self, asked: bool, path: impl Fn() -> String, symptoms: &mut Vec<Symptom>) {
        let mut say = |reason| symptoms.push(Symptom { path: path(), reason });
        match self.state {
            NodeState::Running => {
                if self.streak > 0 {
                    say(SymptomKind::Streak(self.streak));
                }
            }
            NodeState::Ended(ended) if asked || is_against(&ended, self.lifecycle) => say(SymptomKind::Ended(ended)),
            NodeState::Ended(_) => {}
            // A spawned child without a node is a symptom too: it may wait forever.
            NodeState::Starting if self.no_node.is_some() => {
                if let Some(NodeWait { role, since }) = self.no_node {
                    say(SymptomKind::NoNode { role, since });
                }
            }
            _ if self.excused && !asked => {}
            state => say(SymptomKind::Down(state)),
        }
        if self.blocked > 0 {
            say(SymptomKind::Blocked(self.blocked));
        }
    }
}

fn is_against(ended: &Ended, lifecycle: Lifecycle) -> bool {
    match lifecycle {
        // A `Permanent` child that is `Done` for good is optional and absent, as intended.
        Lifecycle::Permanent => !ended.is_orderly(),
        Lifecycle::Transient => !ended.is_orderly(),
        Lifecycle::Temporary => matches!(ended, Ended::RuntimeGone),
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_healthy() { "healthy" } else { "degraded: " })?;
        for (i, symptom) in self.symptoms.iter().enumerate() {
            let between = if i == 0 { "" } else { "; " };
            write!(f, "{between}{symptom}")?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoteKind::FailedInstances(instances) = &self.kind;
        match &instances[..] {
            [] => write!(f, "{} has lost no instance", self.path),
            [one] => write!(f, "{} has lost an instance: {one}", self.path),
            [.., last] => write!(f, "{} has lost {} instances, the last: {last}", self.path, instances.len()),
        }
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.reason {
            SymptomKind::Down(state @ NodeState::Failed) => write!(f, "{path} has {state}"),
            SymptomKind::Down(state) => write!(f, "{path} is {state}"),
            SymptomKind::Streak(1) => write!(f, "{path} was restarted"),
            SymptomKind::Streak(streak) => write!(f, "{path} was restarted {streak} times in a row"),
            SymptomKind::Blocked(1) => write!(f, "{path} has 1 sender waiting for room"),
            SymptomKind::Blocked(blocked) => write!(f, "{path} has {blocked} senders waiting for room"),
            SymptomKind::NoNode { role, since } => {
                write!(f, "{path} has waited {since:.0?} for a node with the role {}", one_line(role))
            }
            SymptomKind::Ended(ended) => write!(f, "{path} has ended: {}", ended.at(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S63: a role comes from a configuration, and is shown on one line.
    #[test]
    fn a_role_is_on_one_line() {
        let reason = SymptomKind::NoNode { role: "edge\n\u{202e}".to_owned(), since: Duration::from_secs(3) };
        let symptom = Symptom { path: "db".to_owned(), reason };
        assert_eq!(symptom.to_string(), r"db has waited 3s for a node with the role edge\n\u{202e}");
    }
}
