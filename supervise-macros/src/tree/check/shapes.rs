//! Checks that a start expression has the form that its shape asks for.

use quote::ToTokens;
use syn::{Expr, ExprClosure, Pat, Type};

use super::super::model::{Child, MOST_ARGUMENTS, Shape};
use super::facts;
use crate::errors::Errors;
use crate::pretty::to_source;

/// Checks the shape and the start expression of a child.
pub(super) fn child(child: &Child, errors: &mut Errors) {
    match &child.shape {
        Some(Shape::Optional(_)) => {
            if let Some(start @ Expr::Closure(_)) = &child.start {
                errors.reject_on(
                    start,
                    "an optional child starts from an `Option`; write `Some(..)`, `None`, or an `if`",
                );
            }
        }
        Some(Shape::Array(_, count)) => array(child, count, errors),
        Some(Shape::Keyed(..)) => keyed(child, errors),
        Some(Shape::Set(_)) => set(child, errors),
        Some(Shape::One(_)) => match &child.start {
            Some(start @ Expr::Closure(closure)) if child.is_task() => context(start, closure, errors),
            Some(start @ Expr::Closure(_)) => {
                errors.reject_on(start, "a single child starts from an expression, not a closure; remove `|..|`");
            }
            _ => {}
        },
        Some(Shape::Inline(_)) | None => {}
    }
}

/// Checks `[T; N] = |i: usize| ..`.
fn array(child: &Child, count: &Expr, errors: &mut Errors) {
    if facts::integer(count).and_then(supervise_rules::array).is_some() {
        errors.on(count, "an array of 0 children has no effect; write at least 1, or remove the child");
    }
    let Some(start) = &child.start else { return };
    match start {
        Expr::Closure(closure) if closure.inputs.len() == 1 => inner(child, closure, errors),
        other => {
            errors.reject_on(other, "a `[T; N]` starts its children by their index; write `|i: usize| start`");
        }
    }
}

/// Checks `[Key => T] = |key: Key, ..| ..`.
fn keyed(child: &Child, errors: &mut Errors) {
    let Some(start) = &child.start else { return };
    match start {
        Expr::Closure(closure) if !closure.inputs.is_empty() => arguments(child, closure, 1, errors),
        other => {
            errors.reject_on(other, "a `[Key => T]` starts its children by their key; write `|key: Key, ..| start`");
        }
    }
}

fn set(child: &Child, errors: &mut Errors) {
    let Some(start) = &child.start else { return };
    let Expr::Closure(closure) = start else {
        errors.reject_on(start, "a `[..]` starts its children by a closure; write `|name: Type, ..| start`");
        return;
    };
    arguments(child, closure, 0, errors);
}

/// Checks the arguments with which instances are spawned. The first `keys` of them are keys.
fn arguments(child: &Child, closure: &ExprClosure, keys: usize, errors: &mut Errors) {
    for input in &closure.inputs {
        match input {
            Pat::Type(typed) if !matches!(*typed.ty, Type::Infer(_)) => {}
            untyped => {
                let name = match untyped {
                    Pat::Type(typed) => to_source(typed.pat.to_token_stream()),
                    other => to_source(other.to_token_stream()),
                };
                errors.reject_on(input, format!("the type of `{name}` must be written; write `{name}: Type`"));
            }
        }
    }
    if let Some(input) = closure.inputs.iter().nth(keys + MOST_ARGUMENTS) {
        errors.reject_on(
            input,
            format!("a child is spawned with {MOST_ARGUMENTS} arguments at most; put some into a tuple or struct"),
        );
    }
    inner(child, closure, errors);
}

/// Checks `|args..| |cx| ..` of a task.
fn inner(child: &Child, closure: &ExprClosure, errors: &mut Errors) {
    if child.is_task()
        && let Expr::Closure(inner) = &*closure.body
    {
        context(&closure.body, inner, errors);
    }
}

/// Checks `|cx| ..` of a task.
fn context(whole: &Expr, closure: &ExprClosure, errors: &mut Errors) {
    if closure.inputs.len() != 1 {
        errors.reject_on(whole, "the closure of a task takes its context and nothing else; write `|cx| ..`");
    }
}
