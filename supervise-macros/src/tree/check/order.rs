//! Checks the order of children (rule C7). They start in the order in which they are written, so an expression can use
//! only the names above it.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{Expr, Member};

use super::super::model::{Body, Child, Item, word};
use super::later::{below, is_ahead};
use crate::errors::{Errors, in_line};
use crate::free_names::{FreeNames, bindings, binds};

/// Checks the expressions of a body, and of the subtrees in it.
pub(super) fn body(body: &Body, outer: &[Ident], errors: &mut Errors) {
    let names: HashSet<String> = body.children().map(|child| child.name.unraw().to_string()).collect();
    for (i, item) in body.items.iter().enumerate() {
        // A name that is declared twice was reported, and means the first declaration.
        let is_earlier = |name: &Ident| {
            outer.contains(name)
                || body.items[..i].iter().any(|item| match item {
                    Item::Child(other) => other.name == *name,
                    Item::Let(entry) => bindings(&entry.pat).contains(name),
                })
        };
        // Cheap test first: in a tree with many children, most expressions name none of them.
        let named_below = |free: &FreeNames| {
            let below = if free.words().iter().any(|word| names.contains(word)) { &body.items[i + 1..] } else { &[] };
            let named = self::below(below).filter(|child| free.value(&child.name).is_some());
            named.filter(|child| !is_earlier(&child.name)).collect::<Vec<_>>()
        };
        match item {
            Item::Let(entry) => {
                if let Some(expr) = &entry.value {
                    no_self(expr, errors);
                    let free = FreeNames::of([expr]);
                    for other in named_below(&free) {
                        report(expr, &free, other, ("this `let`", &bindings(&entry.pat)), errors);
                    }
                }
            }
            Item::Child(child) => {
                let name = &child.name;
                for expr in exprs(child) {
                    let free = FreeNames::of([expr]);
                    if let Some(at) = named(expr, &free, name)
                        && !is_earlier(name)
                    {
                        let is_function = child.is_task() && matches!(expr, Expr::Path(_));
                        let message = if is_function {
                            format!("a task starts from a future; call the function, as in `{name}(..)`")
                        } else {
                            format!("`{name}` names itself, but its handle exists only once it is up; remove this")
                        };
                        errors.reject_at(at, message);
                    }
                    for other in named_below(&free).into_iter().filter(|other| other.name != *name) {
                        report(expr, &free, other, (&format!("`{name}`"), std::slice::from_ref(name)), errors);
                    }
                }
                own_exprs(child).for_each(|expr| no_self(expr, errors));
                if let Some(subtree) = child.subtree() {
                    let mut around = outer.to_vec();
                    body.items[..i].iter().for_each(|item| match item {
                        Item::Child(other) => around.push(other.name.clone()),
                        Item::Let(entry) => around.extend(bindings(&entry.pat)),
                    });
                    self::body(&subtree.body, &around, errors);
                }
            }
        }
    }
}

/// Reports an expression of `who`, which has these names, if it names a child below.
fn report(expr: &Expr, free: &FreeNames, other: &Child, (who, names): (&str, &[Ident]), errors: &mut Errors) {
    let name = &other.name;
    let Some(at) = named(expr, free, name) else { return };
    match names.iter().find_map(|mine| names_back(other, mine)) {
        None => errors.reject_at(at, format!("{who} names `{name}`, which starts after it; move `{name}` above {who}")),
        Some(back) => {
            let repair = match is_ahead(other) {
                true => format!("here write `later({name})`"),
                false => "send one of them the other's handle in a message".to_owned(),
            };
            let back = in_line(back);
            errors.reject_at(at, format!("{who} names `{name}`, and `{name}` names it{back}; {repair}"));
        }
    }
}

/// Returns where a child names this one.
fn names_back(child: &Child, name: &Ident) -> Option<Span> {
    exprs(child).into_iter().find_map(|expr| named(expr, &FreeNames::of([expr]), name))
}

/// Returns where an expression names a value that it does not bind itself.
fn named(expr: &Expr, free: &FreeNames, name: &Ident) -> Option<Span> {
    free.value(name).filter(|_| !binds(expr, name))
}

/// Reports `self`, by which other systems name the parts of a supervisor.
fn no_self(expr: &Expr, errors: &mut Errors) {
    SelfUses(errors).visit_expr(expr);
}

struct SelfUses<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for SelfUses<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if word(expr).is_some_and(|word| word == "self") {
            let message = "there is no `self` in a tree; name its parameters, `let`s and earlier children alone";
            self.0.reject_on(expr, message);
        } else if let Expr::Field(field) = expr
            && word(&field.base).is_some_and(|word| word == "self")
            && let Member::Named(name) = &field.member
        {
            self.0.reject_on(&field.base, format!("there is no `self` in a tree; write `{name}`"));
        } else {
            syn::visit::visit_expr(self, expr);
        }
    }

    // A method of an item in a block has a `self` of its own.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Returns all expressions of a child, without those in its subtree.
fn own_exprs(child: &Child) -> impl Iterator<Item = &Expr> {
    child.settings.iter().flat_map(|setting| setting.exprs()).chain(&child.start)
}

/// Returns all expressions of a child, including those in its subtree.
fn exprs(child: &Child) -> Vec<&Expr> {
    let mut exprs: Vec<&Expr> = own_exprs(child).collect();
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
