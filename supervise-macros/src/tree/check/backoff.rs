//! Backoffs that contradict themselves or their child (rule C5).

use syn::{Expr, ExprCall, ExprRange, Lit, RangeLimits};

use super::super::model::{Child, Setting, setting, word};
use super::useless::is_temporary;
use crate::duration;
use crate::errors::Errors;

/// Checks the backoff and the restart hooks of a child.
pub(super) fn child(child: &Child, errors: &mut Errors) {
    if is_temporary(child) {
        for name in ["backoff", "pre_restart", "post_restart", "redeliver"] {
            if let Some(setting) = setting(&child.settings, name) {
                errors.at(setting.name.span(), format!("a `Temporary` child is never restarted; remove `{name}`"));
            }
        }
    }
    let Some(backoff) = setting(&child.settings, "backoff") else { return };
    let rejects = setting(&child.settings, "while_down").is_some_and(|while_down| while_down.says("Hold").is_none());
    if let Some(unbounded) = setting(&child.settings, "mailbox").and_then(|mailbox| mailbox.says("Unbounded"))
        && !rejects
    {
        errors.at(
            unbounded.span(),
            "an unbounded mailbox grows for as long as the backoff waits; add `while_down(Reject)`, or write `Bounded(N)`",
        );
    }
    if let Some((factor, value)) = backoff.named("random_factor")
        && number(value).is_some_and(|share| !(0.0..=1.0).contains(&share))
    {
        errors.at(factor.span(), "`random_factor` is a share of the delay, from 0 to 1; write `0.2`");
    }
    if let Some((factor, value)) = backoff.named("factor")
        && number(value).is_some_and(|factor| factor < 1.0)
    {
        errors.at(factor.span(), "`factor` below 1 would shorten the delay; write at least 1");
    }
    if let Some(Expr::Range(range)) = backoff.first() {
        check_range(range, backoff, errors);
    } else if let Some(Expr::Lit(single)) = backoff.first() {
        errors.on(single, "a backoff has a least and a greatest delay; write `3s..30s`");
        errors.hide_body();
    } else if backoff.first().is_some()
        && let Some((name, _)) = ["factor", "random_factor", "reset"].into_iter().find_map(|arg| backoff.named(arg))
    {
        let message = "belongs to `MIN..MAX`; set it on the backoff value itself";
        errors.at(name.span(), format!("`{name}` {message}"));
    }
}

fn check_range(range: &ExprRange, backoff: &Setting, errors: &mut Errors) {
    let (Some(min), Some(max)) = (&range.start, &range.end) else {
        errors.on(range, "a backoff has a least and a greatest delay; write `3s..30s`");
        errors.hide_body();
        return;
    };
    if matches!(range.limits, RangeLimits::Closed(_)) {
        errors.on(range, "a backoff is written `MIN..MAX`, without `=`; its greatest delay is MAX");
    }
    for end in [min, max] {
        if let Expr::Lit(lit) = &**end
            && let Lit::Int(int) = &lit.lit
            && duration::parse(&lit.lit).is_none()
        {
            errors.on(end, format!("a duration needs a unit; write `{}s`", int.base10_digits()));
        }
    }
    let Some(least) = duration::literal(min) else { return };
    if duration::literal(max).is_some_and(|greatest| greatest < least) {
        errors.on(range, "this range is empty; write the shorter delay first");
    }
    if let Some((_, reset @ Expr::Call(ExprCall { func, args, .. }))) = backoff.named("reset")
        && word(func).is_some_and(|word| word == "Auto")
        && let Some(after) = args.first().and_then(duration::literal)
        && after < least
    {
        errors.on(reset, "`reset` comes before the first delay is over, so the delay would never grow; make it longer");
    }
}

fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            Lit::Float(float) => float.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => number(&unary.expr).map(|value| -value),
        _ => None,
    }
}
