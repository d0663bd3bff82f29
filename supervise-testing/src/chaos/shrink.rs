//! The shortening of the faults of a failure, on fresh trees.

use std::sync::Arc as StdArc;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::run::Outcome;
use super::{ChaosFailure, ChaosPromise, Plan, shown, watched};
use supervise_runtime::expansion::TreeDef;

/// The real time for all attempts.
const TIME: Duration = Duration::from_secs(30);

/// Leaves out faults as long as the run breaks the same promise.
pub(super) fn shortened<T: TreeDef>(plan: &StdArc<Plan<T>>, seed: u64, outcome: Outcome) -> ChaosFailure {
    let what = outcome.broken[0].what;
    let drawn = outcome.faults.len();
    let begin = Instant::now();
    let again = |faults: &[Fault]| -> Option<Outcome> {
        if begin.elapsed() > TIME {
            return None;
        }
        let outcome = watched(plan, seed, Some(faults.to_vec())).ok()?;
        outcome.broken.iter().any(|broken| broken.what == what).then_some(outcome)
    };
    let mut note = String::new();
    let mut best = outcome;
    if plan.workers.is_some() {
        note = "In real time a seed repeats the random numbers, and not the events.".into();
    } else if let Some(outcome) = again(&best.faults) {
        best = outcome;
        let mut parts = 1;
        // Delta debugging: leave out one part of the faults at a time, in ever smaller parts.
        loop {
            let all = best.faults.clone();
            let size = all.len().div_ceil(parts).max(1);
            let mut shorter = None;
            for at in (0..all.len()).step_by(size) {
                let rest: Vec<Fault> = all[..at].iter().chain(&all[(at + size).min(all.len())..]).cloned().collect();
                if let Some(outcome) = again(&rest) {
                    shorter = Some(outcome);
                    break;
                }
            }
            match shorter {
                Some(outcome) => {
                    best = outcome;
                    parts = parts.saturating_sub(1).max(1);
                }
                None if size <= 1 || all.is_empty() => break,
                None => parts = (parts * 2).min(all.len()),
            }
        }
    } else {
        note =
            "A second run with the same faults breaks nothing: the tree depends on more than its seed and the clock."
                .into();
    }
    ChaosFailure {
        seed,
        broken: texts(&best, what),
        faults: plan.lines(&best.faults),
        drawn,
        events: shown(best.lines),
        note,
    }
}

/// Returns what was broken, with this promise first.
fn texts(outcome: &Outcome, what: ChaosPromise) -> Vec<String> {
    let (mut same, others): (Vec<_>, Vec<_>) = outcome.broken.iter().partition(|broken| broken.what == what);
    same.extend(others);
    let mut texts: Vec<String> = same.into_iter().map(|broken| broken.text.clone()).collect();
    texts.truncate(8);
    texts
}
