//! The restart limit that holds for a child, and the outage that uses it up (S15). For `SPEC`, and for the drawing in
//! the documentation.

use std::time::Duration;

use supervise_rules::{Delays, FACTOR, Given, Held, Limit, MaxRestarts, Outage, RANDOM_FACTOR, Supervision, effective};
use syn::Expr;

use super::super::model::{Body, Child, Setting, setting, word};
use super::facts;
use crate::duration;

/// The limit of a child, as far as the declaration says it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limited {
    /// The child is never restarted.
    Never,
    /// The limit, and whether `on_limit` is `Stop`.
    By(Held, bool),
    /// Only the start of the tree knows it.
    Computed,
}

/// Returns the limit of a child of this tree.
pub(crate) fn limit(child: &Child, tree: &Body) -> Limited {
    known(child, tree).unwrap_or(Limited::Computed)
}

fn known(child: &Child, tree: &Body) -> Option<Limited> {
    if child.is_temporary() {
        return Some(Limited::Never);
    }
    // The instances of a set have the limits of a supervisor of their own.
    let in_set = child.is_set() || child.only_with().is_some();
    let facts = facts::child(child);
    let above = if in_set { Supervision::default() } else { facts::supervision(&tree.settings) };
    let shared = above.shares_budget();
    let (max, within) = match shared {
        true if above.limit.max_restarts.is_given() => effective(&Limit::default(), &above.limit, false),
        true => effective(&Limit::default(), &above.limit, all_back_off(tree)?),
        false => effective(&facts.limit, &above.limit, facts.backoff.is_some()),
    };
    let (Given::Is(max), Some(within)) = (max, optional(within)) else { return None };
    let own = setting(&child.settings, "limit").filter(|_| !shared);
    let tree = setting(&tree.settings, "strategy").filter(|_| !in_set);
    let stops = match [own, tree].into_iter().flatten().find_map(|written| written.named("on_limit")) {
        Some((_, value)) => word(value).filter(|word| *word == "Stop" || *word == "Escalate")? == "Stop",
        None => in_set,
    };
    Some(Limited::By(Held { max, within, shared, outage: outage(child, max, within) }, stops))
}

/// The window, if there is one. `None`: it is not known.
fn optional(within: Given<Duration>) -> Option<Option<Duration>> {
    match within {
        Given::Absent => Some(None),
        Given::Is(within) => Some(Some(within)),
        Given::Computed => None,
    }
}

/// Whether every member of the tree declares a backoff. `None`: a `#[cfg]` decides it.
fn all_back_off(tree: &Body) -> Option<bool> {
    let lacks =
        |child: &Child| child.is_set() || child.only_with().is_some() || setting(&child.settings, "backoff").is_none();
    let mut lacking = tree.children().filter(|child| lacks(child)).peekable();
    if lacking.peek().is_none() {
        return Some(true);
    }
    lacking.any(|child| child.cfgs.is_empty()).then_some(false)
}

/// The outage of this child that uses up the limit. `None`: a delay is not a literal.
fn outage(child: &Child, max: MaxRestarts, within: Option<Duration>) -> Option<Outage> {
    let of = |delays: &Delays<'_>| Outage::of(delays, max, within);
    let Some(backoff) = child.all("backoff").next() else {
        return Some(of(&Delays::BuiltIn { at_once: !child.is_task() }));
    };
    let number = |name| {
        let value = match name {
            "factor" => FACTOR,
            _ => RANDOM_FACTOR,
        };
        facts::argument(Some(backoff), name, facts::number).value_or(value)
    };
    let random_factor = number("random_factor")?;
    match Setting::first(backoff)? {
        Expr::Range(range) => {
            let (min, max) = (range.start.as_deref()?, range.end.as_deref()?);
            let (min, max) = (duration::literal(min)?, duration::literal(max)?);
            Some(of(&Delays::Growing { min, max, factor: number("factor")?, random_factor }))
        }
        Expr::Array(list) => {
            let delays: Vec<_> = list.elems.iter().map(duration::literal).collect::<Option<_>>()?;
            Some(of(&Delays::Listed { delays: &delays, random_factor }))
        }
        Expr::Repeat(list) => Some(of(&Delays::Listed { delays: &[duration::literal(&list.expr)?], random_factor })),
        _ => None,
    }
}
