//! Drawings of a live tree.

use std::fmt::{Display, Write};

use super::{Drawing, Drawn, Tone};
use crate::snapshot::{Node, NodeState, Snapshot};
use supervise_core::base::line::one_line;

impl Snapshot {
    /// Draws the tree as indented text: one line for each node with its state, incarnation, restarts, mailbox and,
    /// while it is not up, its last failure.
    ///
    /// ```text
    /// Shop  tree  running
    /// ├── db  actor  backing off for 3s  #2  2 of 10 restarts in 60s  3 of 1024 messages  db failed while running: timeout
    /// └── sessions  set  running  #1
    ///     └── #1  actor  running  #1
    /// ```
    ///
    /// Below a tree on a network it lists the nodes, those that are refused, and what waits for one:
    ///
    /// ```text
    /// Shop  tree  running
    /// └── pricing  actor  running  #1  on host-7#1, 3 sent
    ///
    /// host-7#1  worker  1 of 100 children  lease 4.2s  answers 310µs  build 1.4.2
    /// 2 children wait for a node with the role edge
    /// ```
    pub fn render(&self) -> String {
        let mut text = self.drawing().text();
        if let Some(network) = &self.network {
            text.push('\n');
            for node in &network.nodes {
                line(&mut text, node);
            }
            if network.nodes.is_empty() {
                line(&mut text, "no nodes");
            }
            for node in &network.refused {
                line(&mut text, node);
            }
            for wait in &network.waiting {
                line(&mut text, wait);
            }
        }
        text
    }

    /// Draws the tree as a Mermaid flowchart: green is up, yellow is down, grey has ended.
    pub fn render_mermaid(&self) -> String {
        self.drawing().mermaid()
    }

    /// Draws the tree in the language of Graphviz: green is up, yellow is down, grey has ended.
    pub fn render_graphviz(&self) -> String {
        self.drawing().graphviz()
    }

    fn drawing(&self) -> Drawing {
        Drawing::of(&self.root, |node| (self.drawn(node), node.children.iter().collect()))
    }

    fn drawn(&self, node: &Node) -> Drawn {
        let mut notes = vec![node.kind.to_string()];
        notes.push(match &node.state {
            NodeState::BackingOff { until } => {
                format!("backing off for {:?}", until.saturating_duration_since(self.at))
            }
            state => state.to_string(),
        });
        if node.incarnation > 0 {
            notes.push(format!("#{}", node.incarnation));
        }
        if let Some(restarts) = node.restarts.filter(|restarts| restarts.used > 0) {
            notes.push(restarts.to_string());
        }
        if let Some(mailbox) = node.mailbox.filter(|mailbox| mailbox.waiting > 0) {
            let capacity = mailbox.capacity.map_or(String::new(), |capacity| format!(" of {capacity}"));
            notes.push(format!("{}{capacity} messages", mailbox.waiting));
        }
        if let Some(wait) = &node.waits_for_node {
            notes.push(format!("no node with the role {}", wait.role));
        }
        if let Some(on) = &node.runs_on {
            let sent = node.window.filter(|sent| *sent > 0).map_or(String::new(), |sent| format!(", {sent} sent"));
            notes.push(format!("on {on}{sent}"));
        }
        if let Some(last) = node.failed_instances.last() {
            let ago = self.at.saturating_duration_since(last.at);
            notes.push(match node.failed_instances.len() {
                1 => format!("1 failed instance: {last}, {ago:.0?} ago"),
                some => format!("{some} failed instances, the last: {last}, {ago:.0?} ago"),
            });
        }
        if let Some(failure) = &node.last_failure
            && !matches!(node.state, NodeState::Running | NodeState::Ended(_))
        {
            notes.push(failure.to_string());
        }
        Drawn {
            label: node.name.clone(),
            notes,
            kind: node.kind,
            tone: match node.state {
                NodeState::Running => Tone::Up,
                NodeState::Ended(_) => Tone::Ended,
                _ => Tone::Down,
            },
            is_remote: node.window.is_some(),
        }
    }
}

/// The name of a node comes from its process, and may be anything.
fn line(text: &mut String, shown: impl Display) {
    let _ = writeln!(text, "{}", one_line(shown)); // a string takes everything
}
