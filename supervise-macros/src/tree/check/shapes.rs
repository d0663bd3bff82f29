//! Checks that a start expression has the form that its shape asks for.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprClosure, Pat, Stmt, Type};

use super::super::model::{Body, Child, Item, MOST_ARGUMENTS, Shape};
use super::facts;
use crate::errors::Errors;
use crate::free_names::{FreeNames, bindings};
use crate::pretty::to_source;

/// Checks that the settings of a set do not name the arguments of a spawn. `outer`: the names that are declared around.
pub(super) fn settings_of_sets(body: &Body, outer: &[Ident], errors: &mut Errors) {
    let mut names = outer.to_vec();
    for item in &body.items {
        let child = match item {
            Item::Let(entry) => {
                names.extend(bindings(&entry.pat));
                continue;
            }
            Item::Child(child) => child,
        };
        if let Some(subtree) = child.subtree() {
            settings_of_sets(&subtree.body, &names, errors);
        }
        if let (true, Some(Expr::Closure(closure))) = (child.is_set(), &child.start) {
            let arguments = closure.inputs.iter().flat_map(bindings).filter(|name| !names.contains(name));
            for name in arguments.collect::<Vec<_>>() {
                // Deciders and hooks are left out: they name functions, which may be called like an argument.
                let settings = child.settings.iter();
                let of_values = settings.filter(|setting| {
                    !["decider", "pre_restart", "post_restart"].iter().any(|function| setting.name == function)
                });
                for setting in of_values {
                    // A closure may have the same name for something of its own.
                    if setting.exprs().iter().any(|expr| expr.to_token_stream().to_string().contains('|')) {
                        continue;
                    }
                    let Some(at) = FreeNames::of(setting.exprs()).value(&name) else { continue };
                    let message = format!(
                        "the settings of a set are those of all its instances, so they cannot name `{name}`; make each \
                         instance a subtree, with `{}` inside",
                        setting.name
                    );
                    errors.reject_at(at, message);
                }
            }
        }
        names.push(child.name.clone());
    }
}

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
            Some(start) => value(child, start, errors),
            None => {}
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

/// Checks `|args..| |cx| ..` of a task, and the value that the closure of any other child returns.
fn inner(child: &Child, closure: &ExprClosure, errors: &mut Errors) {
    match &*closure.body {
        Expr::Closure(inner) if child.is_task() => context(&closure.body, inner, errors),
        body => value(child, body, errors),
    }
}

/// Checks that a start expression of an actor or a tree is not a future, which nothing would await; and that a task
/// whose context is needed asks for it before anything else.
fn value(child: &Child, start: &Expr, errors: &mut Errors) {
    match start {
        Expr::Async(future) if !child.is_task() => {
            let repair = match &future.block.stmts[..] {
                [Stmt::Expr(only, None)] => format!("write `{}`", to_source(only.to_token_stream())),
                _ => "remove `async`".to_owned(),
            };
            errors.reject_on(start, format!("a start expression is async by itself and may await; {repair}"));
        }
        Expr::Block(block) if child.is_task() => {
            if let Some(Stmt::Expr(Expr::Closure(closure), None)) = block.block.stmts.last()
                && closure.inputs.len() == 1
            {
                errors.reject_on(
                    closure,
                    "the context of a task comes before its code; write `|cx| async move { .. }` around the whole block",
                );
            }
        }
        _ => {}
    }
}

/// Checks `|cx| ..` of a task.
fn context(whole: &Expr, closure: &ExprClosure, errors: &mut Errors) {
    if closure.inputs.len() != 1 {
        errors.reject_on(whole, "the closure of a task takes its context and nothing else; write `|cx| ..`");
    }
}
