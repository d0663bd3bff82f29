//! Whether all is well in a tree, else what is not and where (rule S42).

use std::fmt;

use crate::snapshot::{Node, NodeState, Snapshot};
use crate::strategy::Lifecycle;
use crate::watch::Ended;

/// Whether all is well: [`TreeRef::health`](crate::TreeRef::health).
///
/// What is asked for on purpose is no symptom: a child that was stopped by hand, one that ended as its
/// lifecycle allows, one spawned at run time that is on its way up for the first time.
///
/// ```
/// # use supervise_runtime::{TreeRef, Health};
/// fn probe(shop: &TreeRef) -> Result<(), String> {
///     match shop.health() {
///         Health::Healthy => Ok(()),
///         degraded => Err(degraded.to_string()), // "degraded: db is backing off"
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub enum Health {
    /// Everything is up.
    Healthy,
    /// What is not well, in the order of declaration.
    Degraded(Vec<Symptom>),
}

/// One thing that is not well.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Symptom {
    /// Where.
    pub path: String,
    /// What.
    pub reason: Reason,
}

/// What is not well.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Reason {
    /// It is not up, or held: this is its state.
    Down(NodeState),
    /// It is up after so many restarts in a row, and has neither handled a message nor run for 10 s since.
    InARow(u32),
    /// Its mailbox is full: so many senders wait for room.
    Blocked(usize),
    /// It has ended against its lifecycle: a `Permanent` child without being stopped, a `Transient` one by a
    /// failure, a kill or an abort. The tree that was asked: at all.
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
            Reason::Ended(ended) => write!(f, "{path} has ended: {ended}"),
        }
    }
}
