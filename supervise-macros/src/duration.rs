//! Duration literals: `5s`, `1.5h`, `250ms`.
//!
//! Rust's lexer reads them as numbers with a suffix, which rustc rejects when it sees them, so the macro never emits
//! them. [`check`] reports the wrong ones (rule C3), and [`lower`] replaces all of them by `Duration` values.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::errors::Errors;

const UNITS: &[(&str, u128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// The suffixes of Rust's own numbers.
const NUMBERS: &[&str] = &[
    "", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f16", "f32", "f64",
    "f128",
];

/// Returns the value of a duration literal, `None` for any other literal, or `Err` with the reason why it is wrong.
pub(crate) fn parse(lit: &Lit) -> Option<Result<Duration, String>> {
    let positive = |time: Duration| match time.is_zero() {
        true => Err(format!("`{}` is zero; write a longer duration", lit_text(lit))),
        false => Ok(time),
    };
    Some(parse_from_zero(lit)?.and_then(positive))
}

/// As [`parse`], where zero is allowed.
fn parse_from_zero(lit: &Lit) -> Option<Result<Duration, String>> {
    let (digits, suffix) = match lit {
        Lit::Int(int) => (int.base10_digits(), int.suffix()),
        Lit::Float(float) => (float.base10_digits(), float.suffix()),
        _ => return None,
    };
    let written = lit_text(lit);
    if NUMBERS.contains(&suffix) {
        return None;
    }
    if written.starts_with("0x") || written.starts_with("0o") || written.starts_with("0b") {
        return Some(Err(format!("`{written}` is not a duration; durations are written in decimal")));
    }
    Some(value(digits, suffix, &written))
}

fn value(digits: &str, suffix: &str, written: &str) -> Result<Duration, String> {
    let Some(&(_, unit)) = UNITS.iter().find(|(name, _)| *name == suffix) else {
        return Err(match compound(digits, suffix) {
            Some(repair) => format!("`{written}` has two units; write `{repair}`"),
            None if suffix == "m" => format!("`m` is not a unit of time; write `{digits}min` or `{digits}ms`"),
            None => format!("`{suffix}` is not a unit of time; use one of ns, us, ms, s, min, h, d"),
        });
    };
    let too_long = || format!("`{written}` is longer than a duration can be; use a shorter one");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !(whole.bytes().chain(fraction.bytes())).all(|byte| byte.is_ascii_digit()) {
        return Err(format!("`{written}` has an exponent; write the duration without one"));
    }
    let whole: u128 = whole.parse().map_err(|_| too_long())?;
    let mut nanos = whole.checked_mul(unit).ok_or_else(too_long)?;
    let mut scale = unit;
    for digit in fraction.bytes() {
        if scale % 10 != 0 && digit != b'0' {
            return Err(format!("`{written}` is finer than a nanosecond; use fewer decimals"));
        }
        scale /= 10;
        nanos += u128::from(digit - b'0') * scale;
    }
    let secs = u64::try_from(nanos / 1_000_000_000).map_err(|_| too_long())?;
    let rest = u32::try_from(nanos % 1_000_000_000).expect("less than a second");
    Ok(Duration::new(secs, rest))
}

/// Turns `1m30s` into `90s`: the repair for a literal with several units.
fn compound(digits: &str, suffix: &str) -> Option<String> {
    let unit = |name: &str| match name {
        "m" => Some(60_000_000_000),
        _ => UNITS.iter().find(|(known, _)| *known == name).map(|(_, nanos)| *nanos),
    };
    let first = suffix.find(|c: char| c.is_ascii_digit())?;
    let mut total = digits.parse::<u128>().ok()?.checked_mul(unit(&suffix[..first])?)?;
    let mut rest = &suffix[first..];
    let mut smallest = "s";
    while !rest.is_empty() {
        let name_at = rest.find(|c: char| !c.is_ascii_digit())?;
        let end = rest[name_at..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |at| name_at + at);
        smallest = match &rest[name_at..end] {
            "m" => "min",
            name => name,
        };
        let part = rest[..name_at].parse::<u128>().ok()?.checked_mul(unit(smallest)?)?;
        total = total.checked_add(part)?;
        rest = &rest[end..];
    }
    Some(format!("{}{smallest}", total / unit(smallest)?))
}

fn lit_text(lit: &Lit) -> String {
    match lit {
        Lit::Int(int) => int.token().to_string(),
        Lit::Float(float) => float.token().to_string(),
        _ => String::new(),
    }
}

/// Returns the value of an expression that is a correct duration literal.
pub(crate) fn literal(expr: &Expr) -> Option<Duration> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => parse(lit)?.ok(),
        _ => None,
    }
}

/// Returns whether an expression is the literal of an empty duration, such as `0s`.
pub(crate) fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit, .. }) if parse_from_zero(lit) == Some(Ok(Duration::ZERO)))
}

/// Reports every wrong duration literal in a setting's expression.
pub(crate) fn check(expr: &Expr, errors: &mut Errors) {
    Checker(errors).visit_expr(expr);
}

struct Checker<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        if let (UnOp::Neg(_), Expr::Lit(lit)) = (&unary.op, &*unary.expr)
            && parse(&lit.lit).is_some()
        {
            self.0.on(unary, "a duration cannot be negative; remove the `-`");
            return;
        }
        syn::visit::visit_expr_unary(self, unary);
    }

    fn visit_lit(&mut self, lit: &'ast Lit) {
        if let Some(Err(reason)) = parse(lit) {
            self.0.at(lit.span(), reason);
        }
    }
}

/// Replaces every duration literal of an expression by a `Duration` value.
///
/// A wrong literal, which [`check`] reports, becomes one second, because rustc must not see it either.
pub(crate) fn lower(expr: &Expr) -> Expr {
    let mut lowered = expr.clone();
    Lower.visit_expr_mut(&mut lowered);
    lowered
}

struct Lower;

impl VisitMut for Lower {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr: inner, .. }) = expr
            && let Expr::Lit(lit) = &**inner
            && parse(&lit.lit).is_some()
        {
            *expr = (**inner).clone();
        }
        if let Expr::Lit(lit) = expr
            && let Some(value) = parse(&lit.lit)
        {
            *expr = tokens(value.unwrap_or(Duration::from_secs(1)), lit.lit.span());
            return;
        }
        syn::visit_mut::visit_expr_mut(self, expr);
    }
}

/// As [`lower`], for an argument that takes only durations. A number without a unit was reported too.
pub(crate) fn lower_time(expr: &Expr) -> Expr {
    match expr {
        Expr::Lit(ExprLit { lit: lit @ (Lit::Int(_) | Lit::Float(_)), .. }) if parse(lit).is_none() => {
            tokens(Duration::from_secs(1), lit.span())
        }
        expr => lower(expr),
    }
}

/// As [`lower_time`], where zero is allowed.
pub(crate) fn lower_from_zero(expr: &Expr) -> Expr {
    match expr {
        Expr::Lit(zero) if is_zero(expr) => tokens(Duration::ZERO, zero.lit.span()),
        expr => lower_time(expr),
    }
}

/// Returns a `Duration` as an expression.
pub(crate) fn tokens(value: Duration, span: proc_macro2::Span) -> Expr {
    let parts = parts(value);
    Expr::Verbatim(quote_spanned!(span=> __rt::Duration::new(#parts)))
}

/// Returns the arguments of `Duration::new`.
pub(crate) fn parts(value: Duration) -> TokenStream {
    let secs = proc_macro2::Literal::u64_unsuffixed(value.as_secs());
    let nanos = proc_macro2::Literal::u32_unsuffixed(value.subsec_nanos());
    quote!(#secs, #nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn read(text: &str) -> Result<Duration, String> {
        parse(&syn::parse_str(text).unwrap()).expect("a duration literal")
    }

    #[test]
    fn takes_every_unit() {
        for (text, nanos) in [
            ("1ns", 1),
            ("2us", 2_000),
            ("3ms", 3_000_000),
            ("4s", 4_000_000_000),
            ("1.5s", 1_500_000_000),
            ("5min", 300_000_000_000),
            ("1.5h", 5_400_000_000_000),
            ("1d", 86_400_000_000_000),
            ("1_000ms", 1_000_000_000),
        ] {
            assert_eq!(read(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn leaves_numbers_alone() {
        for text in ["5", "5u32", "0.2", "1.5f64", "0x1d"] {
            assert!(parse(&syn::parse_str(text).unwrap()).is_none(), "{text}");
        }
    }

    #[test]
    fn says_how_to_write_it() {
        for (text, part) in [
            ("1m30s", "write `90s`"),
            ("1h30min", "write `90min`"),
            ("2min500ms", "write `120500ms`"),
            ("5m", "write `5min` or `5ms`"),
            ("5sec", "`sec` is not a unit of time"),
            ("0s", "is zero"),
            ("0.0min", "is zero"),
            ("0x5s", "in decimal"),
            ("1e3s", "without one"),
            ("1.5ns", "finer than a nanosecond"),
            ("99999999999999999999d", "shorter"),
            ("999999999999999999999999999999999999999999s", "shorter"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn reports_and_replaces_everywhere_in_an_expression() {
        let expr: Expr = syn::parse_str("Backoff::slotted(10ms).ceiling(max(-5s, 7years))").unwrap();
        let mut errors = Errors::default();
        check(&expr, &mut errors);
        assert_eq!(errors.messages().len(), 2, "{:?}", errors.messages());
        let lowered = lower(&expr).to_token_stream().to_string();
        assert!(!lowered.contains("10ms") && !lowered.contains("7years"), "{lowered}");
        assert!(lowered.contains("Duration :: new (0 , 10000000)"), "{lowered}");
    }
}
