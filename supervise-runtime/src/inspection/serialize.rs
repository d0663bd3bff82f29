//! Events, snapshots, health and reports through `serde` (feature `serde`). `docs/json.md` describes the format.

use std::error::Error as StdError;
use std::fmt::{self, Write};
use std::time::Duration;

use serde::ser::{Serialize, SerializeMap, Serializer};
use tokio::time::Instant;

use crate::base::DisplayFn;
use crate::inspection::health::{Health, Note, NoteKind, Symptom, SymptomKind};
use crate::inspection::page::NodePage;
use crate::inspection::part::Instances;
use crate::inspection::snapshot::{FailedInstance, Messages, Node, NodeState, NodeWait, RestartBudget, Snapshot};
use crate::values::decider::Arm;
use crate::values::ended::Ended;
use crate::values::event::{DeadLetterReason, DecidedBy, Event, EventKind};
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::lease::LeaseChange;
use crate::values::mailbox_depth::MailboxDepth;
use crate::values::network::{NetworkView, RefusedNode, RemoteNode, RoleWait};
use crate::values::outage::Outage;
use crate::values::report::{ChildReport, Report};
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle, OnLimit, Strategy};

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("at_ms", &millis(self.since_start()))?;
        map.serialize_entry("incarnation", &self.incarnation)?;
        map.serialize_entry("event", word_of(&self.kind))?;
        match &self.kind {
            EventKind::Started { seed: Some(seed) } => map.serialize_entry("seed", seed)?,
            EventKind::Failed { failure, message } => {
                map.serialize_entry("failure", failure)?;
                if let Some(message) = message {
                    map.serialize_entry("message", message)?;
                }
            }
            EventKind::Reported { failure } | EventKind::Escalated { failure } => {
                map.serialize_entry("failure", failure)?;
            }
            EventKind::Decided { directive, failure, streak, by } => {
                map.serialize_entry("directive", directive)?;
                map.serialize_entry("failure", failure)?;
                map.serialize_entry("streak", streak)?;
                map.serialize_entry("by", by)?;
                if let Some(arm) = by.arm() {
                    map.serialize_entry("arm", arm)?;
                }
            }
            EventKind::RestartScheduled { after } => map.serialize_entry("after_ms", &millis(*after))?,
            EventKind::Requested { operation, by } => {
                map.serialize_entry("operation", operation.word())?;
                map.serialize_entry("by", by)?;
            }
            EventKind::LimitReached { max_restarts } => map.serialize_entry("max_restarts", max_restarts)?,
            EventKind::Stopping { reason } => map.serialize_entry("reason", reason)?,
            EventKind::Ended { ended } => map.serialize_entry("ended", ended)?,
            EventKind::Aborted { message: Some(message) } => map.serialize_entry("message", message)?,
            EventKind::StillStarting { since, ready } => {
                map.serialize_entry("since_ms", &millis(*since))?;
                if *ready {
                    map.serialize_entry("ready", ready)?;
                }
            }
            EventKind::Blocked { since } => map.serialize_entry("since_ms", &millis(*since))?,
            EventKind::AskCycle { cycle } => map.serialize_entry("cycle", cycle)?,
            EventKind::Unread { message, error } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("error", error)?;
            }
            EventKind::DeadLetter { message, reason } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("reason", reason)?;
            }
            EventKind::Lease { lease, change } => {
                map.serialize_entry("lease", &**lease)?;
                map.serialize_entry("change", change.word())?;
                if let Some(token) = change.token() {
                    map.serialize_entry("token", &token)?;
                }
                match change {
                    LeaseChange::Held { released, .. } => map.serialize_entry("released", released)?,
                    LeaseChange::Lost { refused, .. } => map.serialize_entry("refused", refused)?,
                    LeaseChange::Failed { call, error } => {
                        map.serialize_entry("call", call.word())?;
                        map.serialize_entry("error", error)?;
                    }
                    _ => {}
                }
            }
            EventKind::Missed { events } => map.serialize_entry("missed", events)?,
            EventKind::GuardDropped { started_at } => map.serialize_entry("started_at", &started_at.to_string())?,
            EventKind::Placed { node } => map.serialize_entry("node", node)?,
            EventKind::NodeLeft { node } => map.serialize_entry("node", node)?,
            EventKind::NodeJoined { node, role, build } => {
                map.serialize_entry("node", node)?;
                map.serialize_entry("role", role)?;
                map.serialize_entry("build", build)?;
            }
            EventKind::NodeRefused { node, why } => {
                map.serialize_entry("node", node)?;
                map.serialize_entry("why", why)?;
            }
            EventKind::NodeLost { node, after } => {
                map.serialize_entry("node", node)?;
                map.serialize_entry("after_ms", &millis(*after))?;
            }
            EventKind::NoNode { role } => map.serialize_entry("role", role)?,
            EventKind::Refused { why } | EventKind::NotWritten { why } => map.serialize_entry("why", why)?,
            EventKind::Started { seed: None }
            | EventKind::Restarted
            | EventKind::Aborted { message: None }
            | EventKind::Stuck
            | EventKind::Fenced => {}
        }
        map.end()
    }
}

fn word_of(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Started { .. } => "started",
        EventKind::Failed { .. } => "failed",
        EventKind::Reported { .. } => "reported",
        EventKind::Decided { .. } => "decided",
        EventKind::RestartScheduled { .. } => "restart_scheduled",
        EventKind::Restarted => "restarted",
        EventKind::Requested { .. } => "requested",
        EventKind::Stopping { .. } => "stopping",
        EventKind::Ended { .. } => "ended",
        EventKind::Escalated { .. } => "escalated",
        EventKind::LimitReached { .. } => "limit_reached",
        EventKind::Aborted { .. } => "aborted",
        EventKind::Stuck => "stuck",
        EventKind::StillStarting { .. } => "still_starting",
        EventKind::Blocked { .. } => "blocked",
        EventKind::AskCycle { .. } => "ask_cycle",
        EventKind::Unread { .. } => "unread",
        EventKind::DeadLetter { .. } => "dead_letter",
        EventKind::Lease { .. } => "lease",
        EventKind::Missed { .. } => "missed",
        EventKind::GuardDropped { .. } => "guard_dropped",
        EventKind::Placed { .. } => "placed",
        EventKind::NodeLost { .. } => "node_lost",
        EventKind::NoNode { .. } => "no_node",
        EventKind::Fenced => "fenced",
        EventKind::Refused { .. } => "refused",
        EventKind::NotWritten { .. } => "not_written",
        EventKind::NodeJoined { .. } => "node_joined",
        EventKind::NodeLeft { .. } => "node_left",
        EventKind::NodeRefused { .. } => "node_refused",
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", self.path())?;
        map.serialize_entry("incarnation", &self.incarnation())?;
        map.serialize_entry("phase", &self.phase())?;
        map.serialize_entry("cause", self.cause())?;
        if let Some(name) = self.at_let() {
            map.serialize_entry("at_let", name)?;
        }
        map.serialize_entry("chain", &chain(self))?;
        if let Some(before) = self.before() {
            map.serialize_entry("before", before)?;
            if self.left_out() > 0 {
                map.serialize_entry("left_out", &self.left_out())?;
            }
        }
        map.end()
    }
}

/// The bytes of the text of one error that are shown. Events are kept by those who show them, and an error may contain
/// the whole page that could not be parsed.
const TEXT: usize = 16 << 10;

/// The texts of one failure that are shown: errors may lead to any number of sources.
const TEXTS: usize = 32;

/// Returns the text of the cause, then that of each source of the error in it.
fn chain(failure: &Failure) -> Vec<String> {
    let error = match failure.cause() {
        Cause::Error(error) => error,
        Cause::LimitReached => return vec![begin(&DisplayFn(|f: &mut fmt::Formatter<'_>| failure.write_why(f)))],
        cause => return vec![begin(&DisplayFn(|f: &mut fmt::Formatter<'_>| cause.as_it_is(f)))],
    };
    let mut texts = Vec::new();
    let mut next: Option<&dyn StdError> = Some(error.as_error());
    while let Some(error) = next {
        if texts.len() == TEXTS {
            texts.push("(further sources are left out)".to_owned());
            break;
        }
        texts.push(begin(error));
        next = error.source();
    }
    texts
}

/// The begin of a text that is written piece by piece, so that the whole of it is never in memory.
#[derive(Default)]
struct Begin {
    text: String,
    /// The bytes that follow.
    cut: usize,
}

impl Write for Begin {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = if self.cut > 0 { 0 } else { TEXT.saturating_sub(self.text.len()) };
        let mut end = piece.len().min(room);
        while !piece.is_char_boundary(end) {
            end -= 1;
        }
        let (shown, cut) = piece.split_at(end);
        self.text.push_str(shown);
        self.cut = self.cut.saturating_add(cut.len());
        Ok(())
    }
}

/// Returns the text of an error, cut at [`TEXT`] bytes.
fn begin(error: &(impl fmt::Display + ?Sized)) -> String {
    let mut begin = Begin::default();
    let written = write!(begin, "{error}");
    let Begin { mut text, cut } = begin;
    if cut > 0 {
        text.push_str(&format!(" .. ({cut} bytes more)"));
    }
    if written.is_err() {
        text.push_str(" .. (the error failed to say the rest)");
    }
    text
}

impl Serialize for Ended {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let why = match self {
            Ended::Done | Ended::DoneWith(_) => "done",
            Ended::Stopped => "stopped",
            Ended::Failed(_) => "failed",
            Ended::Limit(_) => "limit",
            Ended::Killed => "killed",
            Ended::Aborted => "aborted",
            Ended::RuntimeGone => "runtime_gone",
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("why", why)?;
        if let Some(reason) = self.reason() {
            map.serialize_entry("reason", reason)?;
        }
        if let Some(failure) = self.failure() {
            map.serialize_entry("failure", failure)?;
        }
        map.end()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ended", &self.ended)?;
        map.serialize_entry("orderly", &self.is_orderly())?;
        map.serialize_entry("children", &self.children)?;
        on_the_way_out(&mut map, self.failure.as_ref(), self.failures)?;
        map.end()
    }
}

impl Serialize for ChildReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("ended", &self.ended)?;
        map.serialize_entry("took_ms", &millis(self.took))?;
        map.serialize_entry("aborted", &self.aborted)?;
        map.serialize_entry("stuck", &self.stuck)?;
        on_the_way_out(&mut map, self.failure.as_ref(), self.failures)?;
        map.end()
    }
}

fn on_the_way_out<M: SerializeMap>(map: &mut M, failure: Option<&Failure>, failures: u32) -> Result<(), M::Error> {
    match failure {
        Some(failure) => {
            map.serialize_entry("failure", failure)?;
            map.serialize_entry("failures", &failures)
        }
        None => Ok(()),
    }
}

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

impl Serialize for NetworkView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("nodes", &self.nodes)?;
        map.serialize_entry("refused", &self.refused)?;
        map.serialize_entry("waiting", &self.waiting)?;
        map.end()
    }
}

impl Serialize for RemoteNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("children", &self.children)?;
        map.serialize_entry("capacity", &self.capacity)?;
        if let Some(left) = self.lease_left {
            map.serialize_entry("lease_left_ms", &millis(left))?;
        }
        if let Some(time) = self.round_trip {
            map.serialize_entry("round_trip_us", &u64::try_from(time.as_micros()).unwrap_or(u64::MAX))?;
        }
        map.serialize_entry("build", &self.build)?;
        map.end()
    }
}

impl Serialize for RefusedNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("why", &self.why)?;
        map.end()
    }
}

impl Serialize for RoleWait {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("children", &self.children)?;
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

impl Serialize for MailboxDepth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("waiting", &self.waiting)?;
        map.serialize_entry("capacity", &self.capacity)?;
        map.serialize_entry("blocked", &self.blocked)?;
        if let Some(oldest) = self.oldest {
            map.serialize_entry("oldest_ms", &millis(oldest))?;
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

/// Types that are serialized as plain words.
macro_rules! words {
    ($($ty:ty { $($pattern:pat => $word:literal,)* })*) => {$(
        impl Serialize for $ty {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self { $($pattern => $word,)* })
            }
        }
    )*};
}

impl Serialize for Arm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("index", &self.index)?;
        map.serialize_entry("text", self.text)?;
        map.serialize_entry("at", &self.at.to_string())?;
        map.end()
    }
}

words! {
    DecidedBy {
        DecidedBy::Child(_) => "child",
        DecidedBy::Supervisor(_) => "supervisor",
        DecidedBy::Default => "default",
    }
    Phase { Phase::Start => "start", Phase::Running => "running", Phase::Restart => "restart", }
    Cause {
        Cause::Error(_) => "error",
        Cause::Panic(_) => "panic",
        Cause::Killed => "killed",
        Cause::DeathPact(_) => "death_pact",
        Cause::TimedOut => "timed_out",
        Cause::EndedByItself => "ended_by_itself",
        Cause::LimitReached => "limit_reached",
        Cause::Requested => "requested",
        Cause::NodeLost { .. } => "node_lost",
        Cause::Bug(_) => "bug",
    }
    Directive {
        Directive::Resume => "resume",
        Directive::Restart => "restart",
        Directive::Stop => "stop",
        Directive::Escalate => "escalate",
        Directive::Default => "default",
    }
    StopReason {
        StopReason::Asked => "asked",
        StopReason::Drain => "drain",
        StopReason::Shutdown => "shutdown",
        StopReason::Restart => "restart",
        StopReason::FailedAbove => "failed_above",
        StopReason::SiblingEnded => "sibling_ended",
        StopReason::Limit => "limit",
        StopReason::Replaced => "replaced",
        StopReason::Failed => "failed",
        StopReason::SubtaskFailed => "subtask_failed",
        StopReason::Done => "done",
    }
    DeadLetterReason {
        DeadLetterReason::Ended => "ended",
        DeadLetterReason::GivenUp => "given_up",
        DeadLetterReason::Restarted => "restarted",
        DeadLetterReason::Unknown => "unknown",
        DeadLetterReason::NotWritten => "not_written",
        DeadLetterReason::NotRead => "not_read",
    }
    OnLimit {
        OnLimit::Escalate => "escalate",
        OnLimit::Stop => "stop",
    }
    Lifecycle {
        Lifecycle::Permanent => "permanent",
        Lifecycle::Transient => "transient",
        Lifecycle::Temporary => "temporary",
    }
    Strategy {
        Strategy::OneForOne => "one_for_one",
        Strategy::AllForOne => "all_for_one",
        Strategy::RestForOne => "rest_for_one",
    }
}
