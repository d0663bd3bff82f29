//! Checks the order of children (rule C7). They start in the order in which they are written, so an expression can use
//! only the names above it.

use proc_macro2::Ident;
use syn::Expr;

use super::super::model::{Body, Child, Item};
use crate::errors::Errors;
use crate::free_names::{FreeNames, bindings, binds};

/// Checks the expressions of a body, and of the subtrees in it.
pub(super) fn body(body: &Body, outer: &[Ident], errors: &mut Errors) {
    for (i, item) in body.items.iter().enumerate() {
        let later = || {
            body.items[i + 1..].iter().filter_map(|item| match item {
                Item::Child(child) => Some(&child.name),
                Item::Let(_) => None,
            })
        };
        match item {
            Item::Let(entry) => {
                if let Some(expr) = &entry.value {
                    let free = FreeNames::of([expr]);
                    for name in later() {
                        report(expr, &free, name, "this `let`", errors);
                    }
                }
            }
            Item::Child(child) => {
                // A name that is declared twice was reported, and means the first declaration.
                let earlier = outer.contains(&child.name)
                    || body.items[..i].iter().any(|item| match item {
                        Item::Child(other) => other.name == child.name,
                        Item::Let(entry) => bindings(&entry.pat).contains(&child.name),
                    });
                for expr in exprs(child) {
                    let free = FreeNames::of([expr]);
                    if !earlier && let Some(at) = free.value(&child.name).filter(|_| !binds(expr, &child.name)) {
                        let name = &child.name;
                        errors.reject_at(
                            at,
                            format!("`{name}` names itself, but its handle exists only once it is up; remove this"),
                        );
                    }
                    for name in later().filter(|name| **name != child.name) {
                        report(expr, &free, name, &format!("`{}`", child.name), errors);
                    }
                }
                if let Some(subtree) = child.subtree() {
                    self::body(&subtree.body, outer, errors);
                }
            }
        }
    }
}

fn report(expr: &Expr, free: &FreeNames, name: &Ident, who: &str, errors: &mut Errors) {
    if let Some(at) = free.value(name).filter(|_| !binds(expr, name)) {
        errors.reject_at(at, format!("{who} names `{name}`, which starts after it; move `{name}` above {who}"));
    }
}

/// Returns all expressions of a child, including those in its subtree.
fn exprs(child: &Child) -> Vec<&Expr> {
    let mut exprs: Vec<&Expr> = child.settings.iter().flat_map(|setting| setting.exprs()).collect();
    exprs.extend(&child.start);
    if let Some(subtree) = child.subtree() {
        exprs.extend(inside(&subtree.body));
    }
    exprs
}

/// Returns all expressions in a body.
pub(in crate::tree) fn inside(body: &Body) -> Vec<&Expr> {
    let mut exprs: Vec<&Expr> = body.settings.iter().flat_map(|setting| setting.exprs()).collect();
    for item in &body.items {
        match item {
            Item::Let(entry) => exprs.extend(&entry.value),
            Item::Child(child) => exprs.extend(self::exprs(child)),
        }
    }
    exprs
}
