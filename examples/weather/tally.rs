//! Counts from three sources: the outcomes of the requests, the tree's events, and the server's own counts.
//!
//! The second and the third are independent of each other. The point of the example is that they agree: each fault that
//! was served is a failure in the event stream, and each failure was decided on.

use std::fmt;
use std::sync::mpsc;
use std::thread;

use supervise::event::{EventKind, Events};
use supervise::policy::Directive;
use tokio::task::spawn_blocking;

/// The outcomes of the requests: the manager's reply at the end.
#[derive(Debug, Default)]
pub struct Outcomes {
    pub answered: u64,
    pub timed_out: u64,
    pub failed: u64,
    /// The sum of the errors of the predictions, in tenths of a degree: a sum of integers does not depend on the order
    /// of the answers.
    off_by: u64,
}

impl Outcomes {
    /// Records a request that has both of its temperatures.
    pub fn answered(&mut self, predicted: f64, actual: f64) {
        self.answered += 1;
        self.off_by += ((predicted - actual).abs() * 10.0).round() as u64;
    }

    /// The number of requests that have ended.
    pub fn total(&self) -> u64 {
        self.answered + self.timed_out + self.failed
    }
}

/// Failures and their decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// The failures of fetchers.
    pub failures: u64,
    /// The failures after which the fetcher was started again.
    pub restarts: u64,
    /// The failures that were escalated: the comparison failed too.
    pub escalations: u64,
}

/// Prints each failure and each decision as it happens, and counts them, until the tree has ended.
///
/// # Errors
///
/// The tree does not wait for its subscribers. A slow subscriber misses events and is notified of that; the counts
/// would then be wrong.
pub async fn follow(mut events: Events) -> Result<Counts, String> {
    // A terminal can be slow, and a pipe can be full. A separate thread waits for them.
    let (lines, to_print) = mpsc::channel();
    let printer = thread::spawn(move || to_print.into_iter().for_each(|line: String| println!("{line}")));

    let mut counts = Counts { failures: 0, restarts: 0, escalations: 0 };
    while let Some(event) = events.next().await {
        let path = &event.path;
        let line = match event.kind {
            // A comparison that fails with the failure of its fetcher has a `Failed` event too; this is not a new
            // failure, and `Escalated` reports it.
            EventKind::Failed { failure, .. } if failure.path() == path => {
                counts.failures += 1;
                format!("{path} failed, try {}: {}", event.incarnation, failure.cause())
            }
            EventKind::Decided { directive, .. } => {
                // Decided by the parent, whose path is the child's without the last part.
                let (parent, child) = path.rsplit_once('/').unwrap_or(("the tree", path));
                let verb = match directive {
                    Directive::Resume => "resume",
                    Directive::Restart => "restart",
                    Directive::Stop => "stop",
                    Directive::Escalate => "escalate",
                    Directive::Default => unreachable!("an event names the decision that it came to"),
                };
                format!("  {parent} on {child}: {verb}")
            }
            EventKind::RestartScheduled { after } => {
                counts.restarts += 1;
                format!("  {path} starts again in {after:?}")
            }
            EventKind::Missed { .. } => return Err(event.to_string()),
            EventKind::LimitReached { .. } => format!("  {path} has used up its restarts"),
            EventKind::Escalated { .. } => {
                counts.escalations += 1;
                format!("  {path} fails with that failure")
            }
            _ => continue,
        };
        // If the printing thread has ended, the counts are still correct.
        let _ = lines.send(line);
    }

    drop(lines);
    let _ = spawn_blocking(move || printer.join()).await;
    Ok(counts)
}

/// The faults that a server has served. On the wire: `silent=1 errors=2 closed=3 last=0`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    pub silent: u64,
    pub errors: u64,
    pub closed: u64,
    /// The number of errors and closed connections at the last attempt of a fetcher.
    pub last: u64,
}

impl Served {
    /// Parses the output of [`Display`](fmt::Display).
    pub fn parse(text: &str) -> Option<Served> {
        let mut fields = text.split_ascii_whitespace();
        let mut field = |name: &str| fields.next()?.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok();
        Some(Served {
            silent: field("silent")?,
            errors: field("errors")?,
            closed: field("closed")?,
            last: field("last")?,
        })
    }

    /// The faults served since `before`.
    pub fn since(self, before: Served) -> Served {
        Served {
            silent: self.silent.saturating_sub(before.silent),
            errors: self.errors.saturating_sub(before.errors),
            closed: self.closed.saturating_sub(before.closed),
            last: self.last.saturating_sub(before.last),
        }
    }

    /// The expected results of these faults, by the strategies of the system: silence is escalated at once, the others
    /// lead to a restart, except at a last attempt.
    pub fn expected(self) -> Counts {
        let Served { silent, errors, closed, last } = self;
        Counts {
            failures: silent + errors + closed,
            restarts: (errors + closed).saturating_sub(last),
            escalations: silent + last,
        }
    }
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Served { silent, errors, closed, last } = self;
        write!(f, "silent={silent} errors={errors} closed={closed} last={last}")
    }
}

/// The table at the end.
#[derive(Debug)]
pub struct Table {
    pub requests: u64,
    pub outcomes: Outcomes,
    pub seen: Counts,
    pub served: Served,
}

impl Table {
    /// Whether nothing was lost, and every failure was caused by a fault of the server.
    pub fn agrees(&self) -> bool {
        self.outcomes.total() == self.requests && self.seen == self.served.expected()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { requests, outcomes, seen, served } = self;
        let Outcomes { answered, timed_out, failed, off_by } = outcomes;
        let sign = if outcomes.total() == *requests { "=" } else { "≠" };
        writeln!(f, "{answered} answered + {timed_out} timed out + {failed} failed {sign} {requests} requests")?;
        if *answered > 0 {
            let mean = *off_by as f64 / 10.0 / *answered as f64;
            writeln!(f, "the predictions were off by {mean:.2} degrees on average")?;
        }

        let Served { silent, errors, closed, last } = served;
        let expected = served.expected();
        let all = format!("{silent} silent, {errors} errors, {closed} closed");
        let again = format!("errors and closed, less {last} on a last try");
        let given_up = format!("silent, and the {last} on a last try");
        let rows = [
            ("failures", seen.failures, expected.failures, all),
            ("restarts", seen.restarts, expected.restarts, again),
            ("escalations", seen.escalations, expected.escalations, given_up),
        ];
        writeln!(f, "\n             events   served")?;
        for (name, seen, served, how) in rows {
            let sign = if seen == served { "=" } else { "≠" };
            writeln!(f, "{name:<11} {seen:>7} {sign} {served:>6}   ({how})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let served = Served { silent: 1, errors: 20, closed: 3, last: 4 };
        assert_eq!(Served::parse(&served.to_string()), Some(served));
        assert_eq!(Served::parse("404"), None);
    }
}
