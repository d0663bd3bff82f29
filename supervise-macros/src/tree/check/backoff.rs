//! Checks the form of a backoff (rule C5). The rules check its values.

use quote::quote;
use syn::{Expr, ExprRange, Lit, RangeLimits};

use super::super::model::{Setting, is_list, setting};
use crate::duration;
use crate::errors::Errors;
use crate::pretty::to_source;

/// Checks the form of the backoff among these settings.
pub(super) fn check(settings: &[Setting], errors: &mut Errors) {
    let Some(backoff) = setting(settings, "backoff") else { return };
    if let Some(Expr::Range(range)) = backoff.first() {
        check_range(range, errors);
    } else if let Some(function @ Expr::Closure(_)) = backoff.first() {
        let message = "a backoff is no function; write the least and the greatest delay, `3s..30s`, or a list of delays, `[1s, 5s]`";
        errors.reject_on(function, message);
    } else if let Some(Expr::Lit(single)) = backoff.first() {
        let list = to_source(quote!([#single]));
        let message = format!("a backoff has a least and a greatest delay; write `3s..30s`, or `{list}` for this one");
        errors.reject_on(single, message);
    } else if let Some(list) = backoff.first().filter(|value| is_list(value)) {
        match list {
            Expr::Array(list) => list.elems.iter().for_each(|delay| check_unit(delay, errors)),
            Expr::Repeat(list) => check_unit(&list.expr, errors),
            _ => {}
        }
        if let Some((name, _)) = backoff.named("factor") {
            errors.reject_at(name.span(), "`factor` belongs to `MIN..MAX`, and a list has all its delays; remove it");
        }
    } else if backoff.first().is_some()
        && let Some((name, _)) = ["factor", "random_factor", "reset"].into_iter().find_map(|arg| backoff.named(arg))
    {
        let message = "belongs to `MIN..MAX`; set it on the backoff value itself";
        errors.at(name.span(), format!("`{name}` {message}"));
    }
}

fn check_range(range: &ExprRange, errors: &mut Errors) {
    let (Some(min), Some(max)) = (&range.start, &range.end) else {
        errors.reject_on(range, "a backoff has a least and a greatest delay; write `3s..30s`");
        return;
    };
    if matches!(range.limits, RangeLimits::Closed(_)) {
        errors.on(range, "a backoff is written `MIN..MAX`, without `=`; its greatest delay is MAX");
    }
    for end in [min, max] {
        check_unit(end, errors);
    }
}

fn check_unit(delay: &Expr, errors: &mut Errors) {
    if let Expr::Lit(lit) = delay
        && let Lit::Int(int) = &lit.lit
        && duration::parse(&lit.lit).is_none()
    {
        errors.on(delay, format!("a duration needs a unit; write `{}s`", int.base10_digits()));
    }
}
