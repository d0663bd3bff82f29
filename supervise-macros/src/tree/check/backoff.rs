//! Checks the form of a backoff (rule C5). The rules check its values.

use syn::{Expr, ExprRange, Lit, RangeLimits};

use super::super::model::{Setting, setting};
use crate::duration;
use crate::errors::Errors;

/// Checks the form of the backoff among these settings.
pub(super) fn check(settings: &[Setting], errors: &mut Errors) {
    let Some(backoff) = setting(settings, "backoff") else { return };
    if let Some(Expr::Range(range)) = backoff.first() {
        check_range(range, errors);
    } else if let Some(Expr::Lit(single)) = backoff.first() {
        errors.reject_on(single, "a backoff has a least and a greatest delay; write `3s..30s`");
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
        if let Expr::Lit(lit) = &**end
            && let Lit::Int(int) = &lit.lit
            && duration::parse(&lit.lit).is_none()
        {
            errors.on(end, format!("a duration needs a unit; write `{}s`", int.base10_digits()));
        }
    }
}
