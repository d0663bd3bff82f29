//! Translates settings for the rules. A literal is known; any other expression is computed when the tree starts.

use supervise_rules::{
    Backoff, Exponential, Given, Limit, Mailbox, MaxRestarts, Reset, Shutdown, Stepped, Supervision,
};
use syn::{Expr, Lit, UnOp};

use super::super::model::{Child, Setting, setting, word};
use super::group_strategy;
use crate::duration;

/// The settings of a child.
pub(super) fn child(child: &Child) -> supervise_rules::Child {
    let of = |name| setting(&child.settings, name);
    let (lifecycle, mailbox) = (of("lifecycle"), of("mailbox"));
    let default = |name| setting(&child.defaults, name);
    let says = |word| lifecycle.is_some_and(|lifecycle| lifecycle.says(word).is_some());
    supervise_rules::Child {
        set: child.is_set(),
        lifecycle: child.lifecycle(),
        shutdown: argument(lifecycle, "shutdown", shutdown).or(argument(default("lifecycle"), "shutdown", shutdown)),
        start: argument(lifecycle, "start", duration::literal),
        handler: argument(lifecycle, "handler", duration::literal),
        ask: argument(mailbox, "ask", duration::literal),
        // On a task or a subtree, `drain` is reported for another reason.
        drain: says("drain") && !child.is_task() && child.subtree().is_none(),
        significant: says("significant"),
        best_effort: says("best_effort"),
        backoff: of("backoff").map(backoff),
        pace: default("backoff").map(backoff),
        limit: of("limit").map(limit).unwrap_or_default(),
        mailbox: value(mailbox, capacity).or(value(default("mailbox"), capacity)),
        fresh: mailbox.is_some_and(|mailbox| mailbox.says("fresh").is_some()),
        rejects: of("while_down").is_some_and(|while_down| while_down.says("Hold").is_none()),
        max_children: first(of("max_children"), integer),
        max_starting: first(of("max_starting"), integer),
        initial: first(of("initial"), length),
        attempts: match of("redeliver") {
            Some(redeliver) => argument(Some(redeliver), "attempts", integer).or(Given::Computed),
            None => Given::Absent,
        },
        pre_restart: of("pre_restart").is_some(),
        post_restart: of("post_restart").is_some(),
    }
}

/// The defaults of a tree, without those that only a child can contradict.
pub(super) fn defaults(settings: &[Setting]) -> supervise_rules::Child {
    supervise_rules::Child {
        backoff: setting(settings, "backoff").map(backoff),
        mailbox: value(setting(settings, "mailbox"), capacity),
        rejects: true,
        ..supervise_rules::Child::default()
    }
}

/// The settings of a tree, which its children share.
pub(super) fn supervision(settings: &[Setting]) -> Supervision {
    Supervision {
        group: group_strategy(settings).is_some(),
        shared: chosen(settings, "budget", "Shared"),
        stops: chosen(settings, "on_limit", "Stop"),
        limit: setting(settings, "strategy").map(limit).unwrap_or_default(),
    }
}

/// Whether `strategy` has this word for an argument.
fn chosen(settings: &[Setting], argument: &str, chosen: &str) -> bool {
    let value = setting(settings, "strategy").and_then(|strategy| Some(strategy.named(argument)?.1));
    value.and_then(word).is_some_and(|word| word == chosen)
}

/// The value of `name = value`.
pub(super) fn argument<T: Copy>(setting: Option<&Setting>, name: &str, read: impl Fn(&Expr) -> Option<T>) -> Given<T> {
    match setting.and_then(|setting| setting.named(name)) {
        Some((_, value)) => given(read(value)),
        // A misspelt argument may be meant as this one.
        None if setting.is_some_and(Setting::misspelt) => Given::Computed,
        None => Given::Absent,
    }
}

/// The first value without a name.
fn first<T: Copy>(setting: Option<&Setting>, read: impl Fn(&Expr) -> Option<T>) -> Given<T> {
    setting.and_then(Setting::first).map_or(Given::Absent, |value| given(read(value)))
}

/// The first value without a name that is not a word which turns something on.
fn value<T: Copy>(setting: Option<&Setting>, read: impl Fn(&Expr) -> Option<T>) -> Given<T> {
    setting.and_then(Setting::value).map_or(Given::Absent, |value| given(read(value)))
}

fn given<T>(literal: Option<T>) -> Given<T> {
    literal.map_or(Given::Computed, Given::Is)
}

fn limit(written: &Setting) -> Limit {
    Limit {
        max_restarts: argument(Some(written), "max_restarts", max_restarts),
        within: argument(Some(written), "within", duration::literal),
        on_limit: written.named("on_limit").is_some(),
    }
}

fn max_restarts(value: &Expr) -> Option<MaxRestarts> {
    match word(value) {
        Some(word) if word == "Unlimited" => Some(MaxRestarts::Unlimited),
        _ => integer(value).map(MaxRestarts::AtMost),
    }
}

fn shutdown(value: &Expr) -> Option<Shutdown> {
    match word(value) {
        Some(word) if word == "Kill" => Some(Shutdown::Kill),
        Some(word) if word == "Infinity" => Some(Shutdown::Infinity),
        _ => duration::literal(value).map(Shutdown::Within),
    }
}

/// Reads `MIN..MAX` or a list. Nothing is known of an expression of a `Backoff`.
fn backoff(written: &Setting) -> Backoff {
    let random_factor = argument(Some(written), "random_factor", number);
    match written.first() {
        Some(Expr::Array(list)) => {
            return Backoff::Stepped(Stepped::new(list.elems.iter().map(duration::literal), random_factor));
        }
        Some(Expr::Repeat(list)) => {
            return Backoff::Stepped(Stepped::new([duration::literal(&list.expr)], random_factor));
        }
        _ => {}
    }
    let (min, max) = match written.first() {
        Some(Expr::Range(range)) => (range.start.as_deref(), range.end.as_deref()),
        _ => (None, None),
    };
    Backoff::Exponential(Exponential {
        min: min.and_then(duration::literal),
        max: max.and_then(duration::literal),
        factor: argument(Some(written), "factor", number),
        random_factor,
        reset: argument(Some(written), "reset", reset),
    })
}

fn reset(value: &Expr) -> Option<Reset> {
    match value {
        value if word(value).is_some_and(|word| word == "Manual") => Some(Reset::Manual),
        value => duration::literal(value).map(Reset::Auto),
    }
}

fn capacity(value: &Expr) -> Option<Mailbox> {
    match value {
        Expr::Call(call) if word(&call.func)? == "Bounded" => integer(call.args.first()?).map(Mailbox::Bounded),
        value => (word(value)? == "Unbounded").then_some(Mailbox::Unbounded),
    }
}

/// The number of children that a literal array gives.
fn length(value: &Expr) -> Option<u64> {
    match value {
        Expr::Array(array) => array.elems.len().try_into().ok(),
        _ => None,
    }
}

/// The value of a whole number without a unit.
pub(super) fn integer<N: std::str::FromStr<Err: std::fmt::Display>>(value: &Expr) -> Option<N> {
    match value {
        Expr::Lit(lit) if duration::parse(&lit.lit).is_none() => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a number.
pub(super) fn number(value: &Expr) -> Option<f64> {
    match value {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            Lit::Float(float) => float.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => number(&unary.expr).map(|value| -value),
        _ => None,
    }
}
