//! Snapshots, pages and health through `serde` (feature `serde`). `docs/json.md` describes the format.

use serde::ser::{Serialize, SerializeMap, Serializer};
use supervise_core::values::outage::Outage;
use supervise_core::values::serialize::millis;
use tokio::time::Instant;

use crate::health::{Health, Note, NoteKind, Symptom, SymptomKind};
use crate::page::NodePage;
use crate::part::Instances;
use crate::snapshot::{FailedInstance, Messages, Node, NodeState, NodeWait, RestartBudget, Snapshot};

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at_ms", &millis(self.at.saturating_duration_since(self.started)))?;
        map.serialize_entry("root", &Since { node: &self.root, started: self.started })?;
        if let Some(network) = &self.network {
            map.serialize_entry("network", network)?;
        }
        map.end()
    }
}

impl Serialize for NodeWait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("since_ms", &millis(self.since))?;
        map.end()
    }
}

impl Serialize for NodePage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at_ms", &millis(self.at.saturating_duration_since(self.started)))?;
        map.serialize_entry("total", &self.total)?;
        map.serialize_entry("matching", &self.matching)?;
        if let Some(instances) = &self.instances {
            map.serialize_entry("instances", instances)?;
        }
        let nodes: Vec<_> = self.nodes.iter().map(|node| Since { node, started: self.started }).collect();
        map.serialize_entry("nodes", &nodes)?;
        map.end()
    }
}

/// A part of a snapshot whose times count from the start of its tree.
struct Since<'a, T> {
    node: &'a T,
    started: Instant,
}

impl Serialize for Since<'_, Node> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (node, started) = (self.node, self.started);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &node.path)?;
        map.serialize_entry("name", &node.name)?;
        map.serialize_entry("kind", &node.kind.to_string())?;
        map.serialize_entry("state", state(&node.state))?;
        match &node.state {
            NodeState::BackingOff { until } => {
                map.serialize_entry("until_ms", &millis(until.saturating_duration_since(started)))?;
            }
            NodeState::Ended(ended) => map.serialize_entry("ended", ended)?,
            _ => {}
        }
        map.serialize_entry("lifecycle", &node.lifecycle)?;
        if let Some(strategy) = &node.strategy {
            map.serialize_entry("strategy", strategy)?;
        }
        map.serialize_entry("incarnation", &node.incarnation)?;
        if let Some(since) = node.up_since {
            map.serialize_entry("up_since_ms", &millis(since.saturating_duration_since(started)))?;
        }
        if let Some(declared) = node.declared {
            map.serialize_entry("declared_at", &declared.at.to_string())?;
            map.serialize_entry("settings", declared.settings)?;
        }
        if let Some(hooks) = node.hooks {
            map.serialize_entry("hooks", &hooks.names().collect::<Vec<_>>())?;
        }
        if let Some(restarts) = &node.restarts {
            map.serialize_entry("restarts", &Since { node: restarts, started })?;
        }
        map.serialize_entry("streak", &node.streak)?;
        if let Some(mailbox) = &node.mailbox {
            map.serialize_entry("mailbox", mailbox)?;
        }
        if let Some(messages) = &node.messages {
            map.serialize_entry("messages", messages)?;
        }
        if let Some(runs_for) = node.runs_for {
            map.serialize_entry("runs_for_ms", &millis(runs_for))?;
        }
        if let Some(above) = &node.starts_after {
            map.serialize_entry("starts_after", above)?;
        }
        if let Some(node) = &node.runs_on {
            map.serialize_entry("runs_on", node)?;
        }
        if let Some(window) = node.window {
            map.serialize_entry("window", &window)?;
        }
        if let Some(wait) = &node.waits_for_node {
            map.serialize_entry("waits_for_node", wait)?;
        }
        if !node.waits_for.is_empty() {
            map.serialize_entry("waits_for", &node.waits_for)?;
        }
        if node.follows > 0 {
            map.serialize_entry("follows", &node.follows)?;
        }
        if let Some(instances) = &node.instances {
            map.serialize_entry("instances", instances)?;
        }
        if !node.failed_instances.is_empty() {
            map.serialize_entry("failed_instances", &node.failed_instances)?;
        }
        if let Some(failure) = &node.last_failure {
            map.serialize_entry("last_failure", failure)?;
        }
        let children: Vec<_> = node.children.iter().map(|node| Since { node, started }).collect();
        map.serialize_entry("children", &children)?;
        map.end()
    }
}

fn state(state: &NodeState) -> &'static str {
    state.kind().word()
}

impl Serialize for Since<'_, RestartBudget> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RestartBudget { used, max, within, restored, shared, on_limit, outage } = self.node;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("used", used)?;
        map.serialize_entry("max", max)?;
        map.serialize_entry("within_ms", &within.map(millis))?;
        if let Some(restored) = restored {
            map.serialize_entry("restored_ms", &millis(restored.saturating_duration_since(self.started)))?;
        }
        if max.is_some() {
            map.serialize_entry("shared", shared)?;
            map.serialize_entry("on_limit", on_limit)?;
            if let Outage::UsesUp { least, most } = outage {
                map.serialize_entry("outage_ms", &millis(*least))?;
                map.serialize_entry("outage_most_ms", &most.map(millis))?;
            }
        }
        map.end()
    }
}

impl Serialize for Instances {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (state, number) in self.iter() {
            map.serialize_entry(state.word(), &number)?;
        }
        map.end()
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("handled", &self.handled)?;
        for (name, time) in [("busy_us", self.busy), ("longest_us", self.longest), ("in_hand_us", self.in_hand)] {
            if let Some(time) = time {
                map.serialize_entry(name, &u64::try_from(time.as_micros()).unwrap_or(u64::MAX))?;
            }
        }
        map.end()
    }
}

impl Serialize for Health {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", if self.is_healthy() { "healthy" } else { "degraded" })?;
        map.serialize_entry("symptoms", self.symptoms())?;
        if !self.notes().is_empty() {
            map.serialize_entry("notes", self.notes())?;
        }
        map.end()
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        match &self.kind {
            NoteKind::FailedInstances(instances) => {
                map.serialize_entry("note", "failed_instances")?;
                map.serialize_entry("failed_instances", instances)?;
            }
        }
        map.end()
    }
}

impl Serialize for FailedInstance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("at_ms", &millis(self.since_start()))?;
        map.serialize_entry("failure", &self.failure)?;
        map.end()
    }
}

impl Serialize for Symptom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        match &self.reason {
            SymptomKind::Down(down) => {
                map.serialize_entry("reason", "down")?;
                map.serialize_entry("state", state(down))?;
            }
            SymptomKind::Streak(streak) => {
                map.serialize_entry("reason", "streak")?;
                map.serialize_entry("streak", streak)?;
            }
            SymptomKind::Blocked(senders) => {
                map.serialize_entry("reason", "blocked")?;
                map.serialize_entry("senders", senders)?;
            }
            SymptomKind::NoNode { role, since } => {
                map.serialize_entry("reason", "no_node")?;
                map.serialize_entry("role", role)?;
                map.serialize_entry("since_ms", &millis(*since))?;
            }
            SymptomKind::Ended(ended) => {
                map.serialize_entry("reason", "ended")?;
                map.serialize_entry("ended", ended)?;
            }
        }
        map.end()
    }
}
