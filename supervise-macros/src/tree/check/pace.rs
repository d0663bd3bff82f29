//! A limit that the pace of the restarts makes unreachable (rule C6): the least time that `max_restarts + 1`
//! failures need is not below `within`. Only literals are known here.

use std::time::Duration;

use proc_macro2::Span;
use syn::{Expr, ExprCall, Lit};

use super::super::model::{Body, Setting, setting, word};
use super::group_strategy;
use super::useless::is_temporary;
use crate::duration;
use crate::errors::Errors;

/// So many different waits are looked at; a factor of almost 1 makes more, and is left to whoever wrote it.
const STEPS: u32 = 1_000;

/// Checks the budgets of a body's children.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    let strategy = setting(&body.settings, "strategy");
    if group_strategy(body).is_some() {
        return group(body, strategy, errors);
    }
    let mut reported = false;
    for child in body.children().filter(|child| !is_temporary(child)) {
        let own = setting(&child.settings, "limit");
        // The instances of a `[..]` know nothing of the tree's budget.
        let outer = strategy.filter(|_| !child.is_set());
        let Some(limit) = Limit::of(own, outer) else { continue };
        let backoff = setting(&child.settings, "backoff");
        let delays = match backoff {
            Some(backoff) => Delays::of(backoff),
            None => Some(Delays::BUILT_IN),
        };
        let (Some(delays), Some(at)) = (delays, own.or(backoff).or(outer)) else { continue };
        // The tree's limit and the built-in pace are the same for every child that has nothing of its own.
        let shared = own.is_none() && backoff.is_none();
        if !(shared && reported) {
            let reached = limit.check(vec![delays], at.name.span(), &format!("of `{}`", child.name), errors);
            reported |= shared && !reached;
        }
    }
}

/// In a group all failures count together; the members that wait least are the ones to look at.
fn group(body: &Body, strategy: Option<&Setting>, errors: &mut Errors) {
    let Some((limit, written)) = Limit::of(None, strategy).zip(strategy) else { return };
    let restarting = body.children().filter(|child| !is_temporary(child));
    let members: Option<Vec<Delays>> = restarting
        .map(|child| {
            // A backoff above a `[..]` is that of its instances, not of the set.
            let backoff = setting(&child.settings, "backoff").filter(|_| !child.is_set());
            backoff.and_then(Delays::of)
        })
        .collect();
    if let Some(members) = members.filter(|members| !members.is_empty()) {
        limit.check(members, written.name.span(), "of the children", errors);
    }
}

/// A declared budget: so many restarts in this time.
struct Limit {
    max: u64,
    within: Duration,
}

impl Limit {
    /// What `own` says, else what `outer` says.
    fn of(own: Option<&Setting>, outer: Option<&Setting>) -> Option<Self> {
        let named = |name| [own, outer].into_iter().flatten().find_map(|setting| setting.named(name));
        let max = match named("max_restarts")?.1 {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Int(int) => int.base10_parse().ok()?,
                _ => return None,
            },
            _ => return None,
        };
        let within = duration::literal(named("within")?.1)?;
        Some(Limit { max, within })
    }

    /// Reports a limit that is out of reach; returns whether it can be reached.
    fn check(&self, members: Vec<Delays>, at: Span, whose: &str, errors: &mut Errors) -> bool {
        let Some(least) = least_time(members, self.max).filter(|_| self.max > 0) else { return true };
        let reached = least < self.within.as_secs_f64();
        if !reached {
            let (failures, least) = (self.max + 1, time(least));
            let within = time(self.within.as_secs_f64());
            errors.at(
                at,
                format!(
                    "this limit is never reached: with the waits {whose}, {failures} failures take at least {least}, and \
                     `within` is {within}; allow more time, or fewer restarts"
                ),
            );
        }
        reached
    }
}

/// The least time in seconds that so many restarts of these members take together, the same sum as at the start of a
/// tree. `None`: it takes too many different waits to say.
fn least_time(mut members: Vec<Delays>, restarts: u64) -> Option<f64> {
    let (mut total, mut left, mut steps) = (0.0, restarts, 0);
    while left > 0 {
        steps += 1;
        if steps > STEPS {
            return None;
        }
        let next = members.iter_mut().min_by(|a, b| a.next().total_cmp(&b.next()))?;
        let wait = next.next();
        next.count += 1;
        // One that waits no longer than before is again the one that waits least, for all that are left.
        let times = if next.next() <= wait { left } else { 1 };
        (total, left) = (total + wait * times as f64, left - times);
    }
    Some(total)
}

/// Waits without jitter, in seconds.
struct Delays {
    min: f64,
    max: f64,
    factor: f64,
    /// Where the shortest way is to let the delay start over: the time up that this takes, and `min`.
    reset: f64,
    count: i32,
}

impl Delays {
    /// Without a backoff: 10 ms between two restarts.
    const BUILT_IN: Delays = Delays { min: 0.01, max: 0.01, factor: 1.0, reset: 0.01, count: 0 };

    /// Those of a backoff, if it is all literals.
    fn of(backoff: &Setting) -> Option<Self> {
        let Some(Expr::Range(range)) = backoff.first() else { return None };
        let end = |end: &Option<Box<Expr>>| Some(duration::literal(end.as_deref()?)?.as_secs_f64());
        let (min, max) = (end(&range.start)?, end(&range.end)?);
        let factor = match backoff.named("factor") {
            Some((_, value)) => number(value)?,
            None => 2.0,
        };
        let reset = match backoff.named("reset").map(|(_, value)| value) {
            None => (min + max) / 2.0,
            Some(Expr::Call(ExprCall { args, .. })) => duration::literal(args.first()?)?.as_secs_f64(),
            Some(value) if word(value).is_some_and(|word| word == "Manual") => 0.0,
            Some(_) => return None,
        };
        // What contradicts itself is reported by itself.
        let sound = min <= max && (reset == 0.0 || min <= reset);
        sound.then_some(Delays { min, max, factor, reset: reset + min, count: 0 })
    }

    fn next(&self) -> f64 {
        (self.min * self.factor.powi(self.count)).min(self.max).min(self.reset)
    }
}

/// The value of a number without a sign.
fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            Lit::Float(float) => float.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// A time as it would be written in a setting.
fn time(secs: f64) -> String {
    if secs < 1.0 { format!("{}ms", (secs * 1e3).round()) } else { format!("{}s", (secs * 1e3).round() / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::*;

    fn messages(body: &str) -> Vec<String> {
        let mut errors = Errors::default();
        let trees = parse::trees(format!("struct Shop {{ {body} }}").parse().unwrap(), &mut errors);
        super::body(&trees[0].body, &mut errors);
        errors.messages()
    }

    #[test]
    fn adds_up_the_waits() {
        let tree = |within: &str| {
            messages(&format!(
                "#![strategy(OneForOne, max_restarts = 10, within = {within})]
                 #[backoff(3s..30s, reset = Auto(1min))] db: Db = Db"
            ))
        };
        assert!(tree("10min").is_empty());
        assert!(tree("226s").is_empty());
        assert!(tree("225s")[0].contains("11 failures take at least 225s"), "{:?}", tree("225s"));
    }

    #[test]
    fn a_reset_shortens_the_way() {
        let text = |reset: &str| {
            messages(&format!(
                "#[backoff(1s..100s, reset = {reset})] #[limit(max_restarts = 5, within = 20s)] db: Db = Db"
            ))
        };
        assert_eq!(text("Auto(2min)").len(), 1, "1 + 2 + 4 + 8 + 16");
        assert!(text("Auto(3s)").is_empty(), "1 + 2 + 4 + 4 + 4");
        assert!(text("Manual").is_empty(), "1 each");
    }

    #[test]
    fn says_nothing_where_it_does_not_know() {
        for child in [
            "#[backoff(SlottedBackoff::new(1s))] db: Db = Db",
            "#[backoff(1s..config.max)] db: Db = Db",
            "#[limit(max_restarts = n)] #[backoff(5s..6s)] db: Db = Db",
            "#[limit(max_restarts = Unlimited)] #[backoff(5s..6s)] db: Db = Db",
            "#[lifecycle(Temporary)] #[backoff(5s..6s)] db: Db = Db",
            "#[backoff(5s..6s)] dbs: [Db] = || Db",
        ] {
            let text = messages(&format!("#![strategy(OneForOne, max_restarts = 3, within = 1s)] {child}"));
            assert!(text.is_empty(), "{child}: {text:?}");
        }
    }

    #[test]
    fn without_a_backoff_restarts_are_10_ms_apart() {
        let tree = |within: &str| {
            messages(&format!(
                "#![strategy(OneForOne, max_restarts = 1_000, within = {within})] a: A = A, b: B = B, c: [C] = || C"
            ))
        };
        assert!(tree("11s").is_empty());
        assert_eq!(tree("1s").len(), 1);
    }

    #[test]
    fn large_limits_are_summed_up_too() {
        let set = |within: &str| {
            messages(&format!("#[limit(max_restarts = 1_000_000, within = {within})] counters: [Counter] = || Counter"))
        };
        assert!(set("3h").is_empty());
        assert!(set("1h")[0].contains("1000001 failures take at least 10000s"), "{:?}", set("1h"));
    }

    #[test]
    fn a_group_counts_together() {
        let group = |within: &str, second: &str| {
            messages(&format!(
                "#![strategy(AllForOne, max_restarts = 4, within = {within})]
                 #[backoff(1s..8s, reset = Auto(1min))] a: A = A, {second} b: B = B"
            ))
        };
        let both = "#[backoff(1s..8s, reset = Auto(1min))]";
        assert!(group("7s", both).is_empty(), "1 + 1 + 2 + 2");
        assert_eq!(group("6s", both).len(), 1);
        assert!(group("1s", "").is_empty());
        assert_eq!(group("15s", "#[lifecycle(Temporary)]").len(), 1);
    }
}
