//! The state of a tree in a few words, for `STATUS=`.

use std::fmt::Write;
use std::time::Duration;

use tokio::time::Instant;

use crate::health::{self, Symptom, SymptomKind};
use crate::part::{Extent, are_spawned};
use crate::snapshot::{NodeState, NodeStateKind};
use supervise_core::base::line::one_line;
use supervise_core::base::sync::Arc;
use supervise_core::values::ended::{Ended, EndedKind};
use supervise_core::values::failure::Failure;
use supervise_runtime::TreeRef;
use supervise_runtime::extension::{AnyCell, cell, seen};

/// The number of symptoms that are named.
const NAMED: usize = 3;
/// The longest text, in characters.
const LONGEST: usize = 200;

/// The point in the life of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Up,
    Stopping,
}

/// A status.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) text: String,
    /// The text without the time that is left, so that only a new state of the tree changes it.
    pub(super) state: String,
    /// Whether the text has a time that is left.
    pub(super) counts_down: bool,
}

/// The declared children below a cell.
#[derive(Debug, Default)]
struct Count {
    all: usize,
    /// Children that have not ended.
    living: usize,
    up: usize,
}

impl Count {
    fn of(root: &Arc<AnyCell>, now: Instant) -> Count {
        let mut count = Count::default();
        let mut todo = vec![root.clone()];
        while let Some(cell) = todo.pop() {
            let Some(table) = cell.core().table().filter(|table| !are_spawned(table)) else { continue };
            for (child, view) in table.view(now) {
                count.all += 1;
                if !child.core().has_ended() {
                    count.living += 1;
                    count.up += usize::from(view.member.up.is_some());
                    todo.push(child);
                }
            }
        }
        count
    }
}

impl Status {
    pub(super) fn of(tree: &TreeRef, phase: Phase) -> Status {
        let now = Instant::now();
        let Count { all, living, up } = Count::of(cell(tree), now);
        let own = tree.path();
        let health = health::of(cell(tree), seen(&**cell(tree), now), now, Extent::Declared);
        let below = || health.symptoms().iter().filter(|symptom| symptom.path != own);
        let begin = match phase {
            // The number of children is not known yet. The last symptom of a start is that of the deepest child.
            Phase::Starting => match below().rfind(|symptom| is_in(symptom, NodeStateKind::Starting)) {
                Some(symptom) => format!("starting: {} up, {} starts", children(up), symptom.path),
                None => format!("starting: {} up", children(up)),
            },
            Phase::Up if living < all => format!("{} running, {} ended", children(living), all - living),
            Phase::Up => format!("{} running", children(all)),
            Phase::Stopping => format!("stopping: {living} of {} left", children(all)),
        };
        let symptoms: Vec<&Symptom> = match phase {
            // The beginning of the text covers children that start, and those whose turn has not come.
            Phase::Starting => below()
                .filter(|symptom| !is_in(symptom, NodeStateKind::Starting) && !is_in(symptom, NodeStateKind::Queued))
                .collect(),
            Phase::Up => below().collect(),
            Phase::Stopping => Vec::new(), // all are down, or will be
        };
        if symptoms.is_empty() {
            return Status { text: begin.clone(), state: begin, counts_down: false };
        }
        let begin = if phase == Phase::Up { None } else { Some(begin.as_str()) };
        let text = degraded(begin, &symptoms, all, |until| left(until, now));
        let state = degraded(begin, &symptoms, all, |until| format!("{until:?}"));
        let counts_down = symptoms.iter().any(|symptom| until(symptom).is_some());
        Status { text: one_line(&text).to_string().chars().take(LONGEST).collect(), state, counts_down }
    }
}

/// Returns whether the child is down, in this state.
fn is_in(symptom: &Symptom, state: NodeStateKind) -> bool {
    matches!(&symptom.reason, SymptomKind::Down(down) if down.kind() == state)
}

/// Returns for example `2 of 7 backing off: db, 2.4 s; mail, 10.0 s`, or `2 of 7 degraded: db backing off, ..`.
fn degraded(begin: Option<&str>, symptoms: &[&Symptom], all: usize, left: impl Fn(Instant) -> String) -> String {
    let mut paths: Vec<&str> = symptoms.iter().map(|symptom| symptom.path.as_str()).collect();
    paths.dedup();
    let first = word(&symptoms[0].reason);
    let alike = symptoms.iter().all(|symptom| word(&symptom.reason) == first);
    let mut text = begin.map(|begin| format!("{begin}; ")).unwrap_or_default();
    let _ = write!(text, "{} of {all} {}: ", paths.len(), if alike { first } else { "degraded" });
    for (i, symptom) in symptoms.iter().take(NAMED).enumerate() {
        text.push_str(if i > 0 { "; " } else { "" });
        text.push_str(&symptom.path);
        if !alike {
            let _ = write!(text, " {}", word(&symptom.reason));
        }
        let detail = match &symptom.reason {
            SymptomKind::Down(_) => until(symptom).map(&left),
            SymptomKind::Streak(1) => None,
            SymptomKind::Streak(times) => Some(format!("{times} times in a row")),
            SymptomKind::Blocked(1) => Some("1 sender".to_owned()),
            SymptomKind::Blocked(senders) => Some(format!("{senders} senders")),
            SymptomKind::NoNode { role, .. } => Some(role.clone()),
            SymptomKind::Ended(ended) => Some(end(ended).to_owned()),
        };
        if let Some(detail) = detail {
            let _ = write!(text, ", {detail}");
        }
    }
    if symptoms.len() > NAMED {
        let _ = write!(text, "; {} more", symptoms.len() - NAMED);
    }
    text
}

fn word(reason: &SymptomKind) -> &'static str {
    match reason {
        SymptomKind::Down(state) => match state.kind() {
            NodeStateKind::Queued => "queued",
            NodeStateKind::Starting => "starting",
            NodeStateKind::Running => "running",
            NodeStateKind::Suspended => "suspended",
            NodeStateKind::Failed => "failed",
            NodeStateKind::GoingDown => "going down",
            NodeStateKind::BackingOff => "backing off",
            NodeStateKind::Ended => "ended",
        },
        SymptomKind::Streak(_) => "restarted",
        SymptomKind::Blocked(_) => "with a full mailbox",
        SymptomKind::NoNode { .. } => "without a node",
        SymptomKind::Ended(_) => "ended",
    }
}

/// The texts of errors stay in the log.
fn end(ended: &Ended) -> &'static str {
    match ended.kind() {
        EndedKind::Done => "done",
        EndedKind::Stopped => "stopped",
        EndedKind::Failed => "failed",
        EndedKind::Limit if ended.failure().is_some_and(Failure::allowed_no_restart) => "no restart is allowed",
        EndedKind::Limit => "restarted too often",
        EndedKind::Killed => "killed",
        EndedKind::Aborted => "aborted",
        EndedKind::RuntimeGone => "with its runtime",
        kind => kind.word(),
    }
}

fn until(symptom: &Symptom) -> Option<Instant> {
    match &symptom.reason {
        SymptomKind::Down(NodeState::BackingOff { until }) => Some(*until),
        _ => None,
    }
}

/// Returns the time that is left, rounded up to tenths of a second.
fn left(until: Instant, now: Instant) -> String {
    let tenths = until.saturating_duration_since(now).as_nanos().div_ceil(Duration::from_millis(100).as_nanos());
    format!("{}.{} s", tenths / 10, tenths % 10)
}

fn children(number: usize) -> String {
    if number == 1 { "1 child".to_owned() } else { format!("{number} children") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supervise_core::values::failure;

    /// S52, S15: the status says of a limit whether restarts were too many, or none was allowed.
    #[test]
    fn a_limit_says_whether_a_restart_is_allowed() {
        let ended = |max| {
            let failure = Failure::new(failure::Phase::Running, failure::Cause::EndedByItself, "relay", 1);
            Ended::Limit(failure.at_limit(max))
        };
        assert_eq!((end(&ended(0)), end(&ended(1))), ("no restart is allowed", "restarted too often"));
    }
}
