//! The events of a tree as lines of a log, through `tracing` (rule S40).
//!
//! Each line has a constant message; what differs from line to line is in fields, whose names are part of the rule.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tracing::field::{DisplayValue, display};
use tracing::level_filters::LevelFilter;

use crate::span;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::line::one_line;
use supervise_core::base::sync::Arc;
use supervise_core::values::event::{DecidedBy, EventKind};
use supervise_core::values::lease::LeaseChange;
use supervise_core::values::stop_reason::StopReason;
use supervise_core::values::strategy::Directive;
use supervise_runtime::extension::{Advice, AnyCell, Around, CellCore, Extension, Facts, Raised, Start, Wants};

/// Returns the calls that the log wants now: hardly any while nobody reads it.
#[inline]
pub(crate) fn wants() -> Wants {
    match LevelFilter::current() == LevelFilter::OFF {
        true => Wants::ROOTS, // the span around a tree is let go, also if nobody reads the log any more
        false => Wants::EVENTS.and(Wants::LIVES).and(Wants::ROOTS),
    }
}

/// Writes each event to `tracing`, and has a span around the user code of each incarnation.
#[derive(Debug)]
pub(crate) struct Log;

impl Extension for Log {
    fn wants(&self) -> Wants {
        wants()
    }

    fn starts(&self, root: &Arc<AnyCell>, start: Start) -> Result<(), String> {
        if !matches!(start, Start::Unlinked) {
            span::note_current(root.core());
        }
        Ok(())
    }

    fn begins(&self, cell: &Arc<AnyCell>) -> Option<Box<dyn Around>> {
        span::Incarnation::open(cell).map(|span| Box::new(span) as Box<dyn Around>)
    }

    fn around(&self) -> Option<Box<dyn Around>> {
        span::current().map(|span| Box::new(span) as Box<dyn Around>)
    }

    fn event(&self, raised: &Raised<'_>) {
        // A log formats errors, which is user code. An error that has no text costs its line.
        let Raised { path, incarnation, kind, facts, .. } = *raised;
        let written = catch_unwind(AssertUnwindSafe(|| trace(path, incarnation, kind, facts)));
        if let Err(payload) = written {
            drop_catching_panics(payload);
            self.advises(Advice::Lost { path: &path(), incarnation });
        }
    }

    fn advises(&self, advice: Advice<'_>) {
        match advice {
            Advice::VainReady { path } => tracing::warn!(
                target: "supervise",
                %path,
                incarnation = 1,
                "cx.ready() has no effect: write `lifecycle(.., ready)` above the task, or remove the call"
            ),
            Advice::PanicsAbort => tracing::warn!(
                target: "supervise",
                "built with panic = \"abort\": a panic in any child ends the process; nothing is restarted after it"
            ),
            // A subscriber that has panicked may panic again.
            Advice::Lost { path, incarnation } => tracing::error!(
                target: "supervise",
                path,
                incarnation,
                "a panic in a `Display` or `Drop` of an error, or in a subscriber: line lost"
            ),
        }
    }

    fn over(&self, root: &CellCore) {
        span::forget(root);
    }
}

/// Writes the event to `tracing`. The levels, targets and fields are part of rule S40.
fn trace(path: &dyn Fn() -> String, incarnation: u32, kind: &EventKind, facts: &Facts<'_>) {
    macro_rules! say {
        // The level of a declared child, then that of one that was spawned at run time.
        ($declared:ident / $spawned:ident, $($arg:tt)+) => {{
            // A child without a line at either level has no path made, nor is it looked at.
            let declared = tracing::enabled!(target: "supervise", tracing::Level::$declared);
            let spawned = tracing::enabled!(target: "supervise::instances", tracing::Level::$spawned);
            match (declared || spawned) && (facts.declared)() {
                true if declared => say!("supervise", $declared, $($arg)+),
                false if spawned => say!("supervise::instances", $spawned, $($arg)+),
                _ => {}
            }
        }};
        ($target:literal, $level:ident, $($arg:tt)+) => {
            tracing::event!(target: $target, tracing::Level::$level, path = %path(), incarnation, $($arg)+)
        };
        ($level:ident, $($arg:tt)+) => { say!($level / $level, $($arg)+) };
    }
    // A line about a failure, with the fields that all of these have.
    macro_rules! fails {
        ($level:ident, $failure:ident, $($arg:tt)+) => {
            // The path is a field already. A text is a string, which a subscriber puts in quotes and escapes.
            say!(
                $level,
                failure = $failure.field(&path()),
                cause = %$failure.cause().kind().word(),
                $($arg)+
            )
        };
    }
    match kind {
        EventKind::Decided { directive: Directive::Restart, failure, streak, by } if *streak <= 1 => {
            let (decider, arm, delay) = (display(by.word()), arm(by), facts.delay.map(rounded));
            let limit = facts.limit;
            fails!(
                ERROR,
                failure,
                directive = %"restart",
                streak,
                delay,
                decider,
                arm,
                limit = limit(),
                "failed; restarting"
            )
        }
        EventKind::Decided { directive: Directive::Restart, failure, streak, by } => {
            let (decider, arm, delay) = (display(by.word()), arm(by), facts.delay.map(rounded));
            fails!(WARN, failure, directive = %"restart", streak, delay, decider, arm, "failed again; restarting")
        }
        EventKind::Decided { directive: Directive::Resume, failure, by, .. } => {
            let (decider, arm) = (display(by.word()), arm(by));
            fails!(WARN, failure, directive = %"resume", decider, arm, "failed; resuming")
        }
        EventKind::Decided { directive: Directive::Stop, failure, by, .. } => {
            let (decider, arm) = (display(by.word()), arm(by));
            fails!(ERROR, failure, directive = %"stop", decider, arm, "failed; stopping")
        }
        // Only DEBUG: the failure of the supervisor is logged next.
        EventKind::Decided { directive: Directive::Escalate, failure, by, .. } => {
            let (decider, arm) = (display(by.word()), arm(by));
            fails!(DEBUG, failure, directive = %"escalate", decider, arm, "failed; escalating")
        }
        EventKind::Decided { directive: Directive::Default, .. } => {} // never in an event: it is answered before
        EventKind::LimitReached { max_restarts: 0 } => say!(ERROR, "no restart is allowed"),
        EventKind::LimitReached { .. } => say!(ERROR, "restarted too often"),
        EventKind::Aborted { message } => say!(ERROR, message_type = message, "aborted: did not go down in its time"),
        EventKind::Stuck => say!(ERROR, "stuck: blocks its thread and cannot be ended"),
        EventKind::StillStarting { since, ready } => {
            let waits_for = ready.then_some("cx.ready()");
            say!(WARN, since = rounded(*since), waits_for, "still starting")
        }
        EventKind::Blocked { since } => say!(WARN, since = rounded(*since), "a tell waits for room in the mailbox"),
        EventKind::AskCycle { cycle } => say!(ERROR, ?cycle, "asks an actor that waits for its reply"),
        EventKind::Unread { message, error } => {
            say!(WARN, message_type = message, error_type = error, "an error that nobody reads")
        }
        EventKind::DeadLetter { message, reason } => say!(WARN, message_type = message, ?reason, "dead letter"),
        EventKind::Lease { lease, change } => {
            let lease = one_line(lease);
            match change {
                LeaseChange::Failed { call, error } => {
                    say!(WARN, %lease, call = call.word(), error = error.as_str(), "the lease cannot be asked")
                }
                LeaseChange::Lost { token, refused } => say!(WARN, %lease, token, refused, "lost the lease; stopping"),
                LeaseChange::Over { token } => say!(ERROR, %lease, token, "the lease is over; aborting what is left"),
                LeaseChange::Kept { token } => {
                    say!(ERROR, %lease, token, "not all is down; the lease is not given back")
                }
                LeaseChange::Waiting => say!(INFO, %lease, "standing by: another one holds the lease"),
                LeaseChange::Held { token, released } => say!(INFO, %lease, token, released, "holds the lease"),
                LeaseChange::Released { token } => say!(INFO, %lease, token, "gave the lease back"),
                change => say!(DEBUG, %lease, change = change.word(), "the lease has changed"),
            }
        }
        EventKind::GuardDropped { started_at } => {
            say!(
                WARN,
                %started_at,
                "the guard of the tree was dropped: the tree shuts down, and nothing waits for it; keep the guard in a \
                 variable, or `detach` it"
            )
        }
        EventKind::NodeLost { node, after } => say!(WARN, node, after = rounded(*after), "the node is lost"),
        EventKind::NoNode { role } => say!(WARN, role, "no node to run on"),
        EventKind::Fenced => say!(ERROR, "fenced: its lease was over, and it was dropped"),
        EventKind::Refused { why } => say!(WARN, why, "refused by a node"),
        EventKind::NotWritten { why } => say!(ERROR, why, "cannot be written for another process"),
        EventKind::Placed { node } => say!(INFO / DEBUG, node, "placed"),
        EventKind::NodeJoined { node, role, build } => {
            say!(INFO, node = &**node, role = &**role, build = &**build, "a node joined")
        }
        EventKind::NodeLeft { node } => say!(INFO, node = &**node, "a node left"),
        EventKind::NodeRefused { node, why } => say!(WARN, node = &**node, why = &**why, "a node is refused"),
        EventKind::Requested { operation, by } => say!(INFO, %operation, by = %one_line(by), "requested"),
        EventKind::Started { seed } => {
            say!(INFO / DEBUG, seed, down = (facts.down)().map(rounded), "started")
        }
        EventKind::Restarted => say!(INFO / DEBUG, down = (facts.down)().map(rounded), "restarted"),
        // Other children go down with a supervisor above them or with their group; that has a line of its own.
        EventKind::Stopping { reason } if facts.is_root || is_of_its_own(*reason) => {
            say!(INFO / DEBUG, reason = reason.to_string(), "stopping")
        }
        EventKind::Stopping { reason } => say!(DEBUG, reason = reason.to_string(), "stopping"),
        EventKind::Ended { ended } => {
            macro_rules! ends {
                ($($level:tt)+) => {
                    say!(
                        $($level)+,
                        ended = %ended.kind().word(),
                        reason = ended.reason(),
                        failure = ended.failure().map(|failure| failure.field(&path())),
                        cause = ended.failure().map(|failure| display(failure.cause().kind().word())),
                        "ended"
                    )
                };
            }
            match !ended.is_orderly() && (facts.is_root || (facts.undecided)()) {
                true => ends!(ERROR),
                false => ends!(INFO / DEBUG),
            }
        }
        // Only DEBUG: the decision about the failure, or the failure of the supervisor, is logged next.
        EventKind::Failed { failure, message } => fails!(DEBUG, failure, message_type = message, "failed"),
        EventKind::Reported { failure } => fails!(DEBUG, failure, "failed on its way down"),
        EventKind::RestartScheduled { after } => say!(DEBUG, delay = rounded(*after), "restart scheduled"),
        EventKind::Missed { .. } => {} // never raised: a reader makes it for itself
        EventKind::Escalated { failure } => say!(DEBUG, failure = failure.field(""), "escalates"),
        kind => say!(DEBUG, event = kind.word(), "an event"),
    }
}

/// Returns whether somebody asked for the end of this child, and not of one above it.
fn is_of_its_own(reason: StopReason) -> bool {
    matches!(reason, StopReason::Asked | StopReason::Drain | StopReason::Replaced)
}

/// Returns the time in whole milliseconds, as `Debug` writes it, but for zero.
fn rounded(time: Duration) -> DisplayValue<String> {
    let millis = Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    display(if millis.is_zero() { "0s".to_owned() } else { format!("{millis:?}") })
}

fn arm(by: &DecidedBy) -> Option<&'static str> {
    by.arm().map(|arm| arm.text)
}
