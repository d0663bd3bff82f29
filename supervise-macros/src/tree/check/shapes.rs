//! Whether a start expression has the form that its shape asks for.

use quote::ToTokens;
use syn::{Expr, ExprClosure, Pat, Type};

use super::super::model::{Child, Shape};
use crate::errors::Errors;
use crate::text::tidy;

/// Checks the shape and the start expression of a child.
pub(super) fn child(child: &Child, errors: &mut Errors) {
    match &child.shape {
        Some(Shape::Optional(unit)) => later("Option<..>", unit.span(), errors),
        Some(Shape::Array(unit, _)) => later("[T; N]", unit.span(), errors),
        Some(Shape::Keyed(_, unit)) => later("[Key => T]", unit.span(), errors),
        Some(Shape::Set(_)) => set(child, errors),
        Some(Shape::One(_)) => match &child.start {
            Some(start @ Expr::Closure(closure)) if child.is_task() => context(start, closure, errors),
            Some(start @ Expr::Closure(_)) => {
                errors.on(start, "the start of one child is the child itself, no closure; remove `|..|`");
                errors.hide_body();
            }
            _ => {}
        },
        Some(Shape::Inline(_)) | None => {}
    }
}

fn later(shape: &str, at: proc_macro2::Span, errors: &mut Errors) {
    errors.at(at, format!("the shape `{shape}` is not available yet; write `Type`, `[Type]` or `task`"));
    errors.hide_body();
}

fn set(child: &Child, errors: &mut Errors) {
    let Some(start) = &child.start else { return };
    let Expr::Closure(closure) = start else {
        errors.on(start, "a `[..]` starts its children by a closure; write `|name: Type, ..| start`");
        errors.hide_body();
        return;
    };
    for input in &closure.inputs {
        match input {
            Pat::Type(typed) if !matches!(*typed.ty, Type::Infer(_)) => {}
            untyped => {
                let name = match untyped {
                    Pat::Type(typed) => tidy(typed.pat.to_token_stream()),
                    other => tidy(other.to_token_stream()),
                };
                errors.on(input, format!("the type of `{name}` must be written; write `{name}: Type`"));
                errors.hide_body();
            }
        }
    }
    if child.is_task()
        && let Expr::Closure(inner) = &*closure.body
    {
        context(&closure.body, inner, errors);
    }
}

/// `|cx| ..` of a task.
fn context(whole: &Expr, closure: &ExprClosure, errors: &mut Errors) {
    if closure.inputs.len() != 1 {
        errors.on(whole, "the closure of a task takes its context and nothing else; write `|cx| ..`");
        errors.hide_body();
    }
}
