//! Events, failures and reports through `serde` (feature `serde`). `docs/json.md` describes the format.

use std::error::Error as StdError;
use std::fmt::{self, Write};
use std::time::Duration;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::DisplayFn;
use crate::values::decider::Arm;
use crate::values::ended::Ended;
use crate::values::event::{DeadLetterReason, DecidedBy, Event, EventKind};
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::lease::LeaseChange;
use crate::values::mailbox_depth::MailboxDepth;
use crate::values::network::{NetworkView, RefusedNode, RemoteNode, RoleWait};
use crate::values::report::{ChildReport, Report};
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle, OnLimit, Strategy};

/// Returns the time in whole milliseconds.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("at_ms", &millis(self.since_start()))?;
        map.serialize_entry("incarnation", &self.incarnation)?;
        map.serialize_entry("event", self.kind.word())?;
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
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("why", self.kind().word())?;
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

/// A type that has a word for each of its values.
macro_rules! by_word {
    ($($of:ident => $word:expr,)*) => {$(
        impl Serialize for $of {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let word: fn(&Self) -> &'static str = $word;
                serializer.serialize_str(word(self))
            }
        }
    )*};
}

by_word! {
    Cause => |cause| cause.kind().word(),
    DeadLetterReason => |reason| reason.word(),
    DecidedBy => |by| by.word(),
}

words! {
    Phase { Phase::Start => "start", Phase::Running => "running", Phase::Restart => "restart", }
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
