//! Whether all is well in a tree, else what is not and where (rule S42).

use std::fmt;

use crate::inspect::snapshot::{Node, NodeState, Snapshot};
use crate::values::ended::Ended;
use crate::values::strategy::Lifecycle;

/// Whether all is well: [`TreeRef::health`](crate::TreeRef::health).
///
/// What is asked for on purpose is no symptom: a child that was stopped by hand, one that ended as its
/// lifecycle allows, one spawned at run time that is on its way up for the first time.
///
/// Displayed it is one line: `healthy`, or `degraded: db is backing off; cart is waiting for its turn`.
///
/// ```
/// use supervise::{Health, TreeRef, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// /// What a probe of an orchestrator is answered: status and text.
/// fn probe(tree: &TreeRef) -> (u16, String) {
///     match tree.health() {
///         Health::Healthy => (200, "ok".to_owned()),
///         degraded => (503, degraded.to_string()),
///     }
/// }
///
/// # supervisor! { struct Shop { db: Db = Db, other: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert_eq!(probe(&shop), (200, "ok".to_owned()));
/// shop.db.kill(); // by default nobody starts it again
/// shop.db.terminated().await?;
/// assert_eq!(probe(&shop), (503, "degraded: db has ended: killed".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub enum Health {
    /// Everything is up.
    Healthy,
    /// What is not well, in the order of declaration.
    Degraded(Vec<Symptom>),
}

/// One thing that is not well.
///
/// ```
/// use supervise::{Health, Reason, prelude::*};
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
///     assert!(matches!(symptom.reason, Reason::Down(_)));
///     assert_eq!(symptom.to_string(), "db is backing off");
/// }
/// # assert_eq!(shop.health().symptoms().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Symptom {
    /// Where.
    pub path: String,
    /// What.
    pub reason: Reason,
}

/// What is not well.
///
/// ```
/// use supervise::{Reason, prelude::*};
///
/// /// Whether somebody has to be woken up for it.
/// fn is_serious(reason: &Reason) -> bool {
///     match reason {
///         Reason::Ended(_) => true,
///         Reason::InARow(restarts) => *restarts > 5,
///         Reason::Blocked(senders) => *senders > 100,
///         _ => false, // it is down, and being started again
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
/// shop.db.kill(); // by default nobody starts it again
/// shop.db.terminated().await?;
/// assert!(shop.health().symptoms().iter().any(|symptom| is_serious(&symptom.reason)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Reason {
    /// It is not up, or held: this is its state.
    Down(NodeState),
    /// It is up after so many restarts in a row, and has neither handled a message nor run for 10 s since.
    InARow(u32),
    /// Its mailbox is full: so many senders wait for room.
    Blocked(usize),
    /// An end against the lifecycle: of a `Permanent` or `Transient` child by a failure, a limit, a kill or an
    /// abort; not by a stop, and not by itself, as that of a subtree whose members are done (S22). Of the tree that was
    /// asked: any end.
    Ended(Ended),
}

impl Health {
    /// Nothing is the matter.
    pub fn is_healthy(&self) -> bool {
        matches!(self, Health::Healthy)
    }

    /// What is not well.
    pub fn symptoms(&self) -> &[Symptom] {
        match self {
            Health::Healthy => &[],
            Health::Degraded(symptoms) => symptoms,
        }
    }
}

impl Snapshot {
    /// Whether all was well at that moment (S42).
    pub fn health(&self) -> Health {
        let mut symptoms = Vec::new();
        for node in self.nodes() {
            let asked = std::ptr::eq(node, &self.root);
            let mut say = |reason| symptoms.push(Symptom { path: node.path.clone(), reason });
            match &node.state {
                NodeState::Running => {
                    if node.row > 0 {
                        say(Reason::InARow(node.row));
                    }
                }
                NodeState::Ended(ended) if asked || is_against(ended, node.lifecycle) => {
                    say(Reason::Ended(ended.clone()));
                }
                NodeState::Ended(_) => {}
                _ if node.excused && !asked => {}
                state => say(Reason::Down(state.clone())),
            }
            if let Some(blocked) = senders(node) {
                say(Reason::Blocked(blocked));
            }
        }
        if symptoms.is_empty() { Health::Healthy } else { Health::Degraded(symptoms) }
    }
}

fn senders(node: &Node) -> Option<usize> {
    node.mailbox.map(|mailbox| mailbox.blocked).filter(|blocked| *blocked > 0)
}

fn is_against(ended: &Ended, lifecycle: Lifecycle) -> bool {
    match lifecycle {
        // One that is `Done` for good is optional, and not wanted any more.
        Lifecycle::Permanent => !matches!(ended, Ended::Stopped | Ended::Done),
        Lifecycle::Transient => !ended.is_orderly(),
        Lifecycle::Temporary => false,
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Health::Degraded(symptoms) = self else { return f.write_str("healthy") };
        f.write_str("degraded: ")?;
        for (i, symptom) in symptoms.iter().enumerate() {
            let between = if i == 0 { "" } else { "; " };
            write!(f, "{between}{symptom}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.reason {
            Reason::Down(state @ NodeState::Failed) => write!(f, "{path} has {state}"),
            Reason::Down(state) => write!(f, "{path} is {state}"),
            Reason::InARow(1) => write!(f, "{path} was restarted"),
            Reason::InARow(row) => write!(f, "{path} was restarted {row} times in a row"),
            Reason::Blocked(1) => write!(f, "{path} has 1 sender waiting for room"),
            Reason::Blocked(blocked) => write!(f, "{path} has {blocked} senders waiting for room"),
            Reason::Ended(ended) => write!(f, "{path} has ended: {}", ended.at(path)),
        }
    }
}
