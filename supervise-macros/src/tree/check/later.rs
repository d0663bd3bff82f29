//! Checks `later(sibling)`: in a start or a `let`, with an actor or a task that is declared below in the same braces
//! (rule C7).

use proc_macro2::Span;
use syn::Expr;

use super::super::model::{Body, Child, Item, Shape, setting};
use super::order::inside;
use crate::errors::Errors;
use crate::free_names::FreeNames;

/// Checks the expressions of a body. Expressions of its subtrees are checked with the subtrees.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    for (i, item) in body.items.iter().enumerate() {
        let (start, others) = match item {
            Item::Let(entry) => (entry.value.as_ref(), Vec::new()),
            Item::Child(child) => {
                let settings = child.settings.iter().flat_map(|setting| setting.exprs());
                let subtree = child.subtree().into_iter().flat_map(|subtree| inside(&subtree.body));
                (child.start.as_ref(), settings.chain(subtree).collect())
            }
        };
        let (start, others) = (names(start), names(others));
        if start.is_empty() && others.is_empty() {
            continue; // nearly every entry ends here
        }
        for child in below(&body.items[i + 1..]) {
            if let Some(at) = start.iter().find_map(|names| names.later(&child.name)) {
                allowed(child, at, errors);
            }
            for names in &others {
                if let Some(at) = names.later(&child.name) {
                    let name = &child.name;
                    let message = "`later` gives a handle to a start or a `let` in the same braces";
                    errors.reject_at(at, format!("{message}; move `{name}` above this"));
                }
            }
        }
        if let Item::Child(child) = item
            && let Some(at) = start.iter().find_map(|names| names.later(&child.name))
        {
            let name = &child.name;
            errors.reject_at(at, format!("`{name}` is this child itself; in the actor write `cx.actor_ref()`"));
        }
    }
}

/// Returns the names of those expressions that say `later`.
fn names<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Vec<FreeNames> {
    exprs.into_iter().map(|expr| FreeNames::of([expr])).filter(FreeNames::has_later).collect()
}

/// Returns the children among these entries.
pub(in crate::tree) fn below(items: &[Item]) -> impl Iterator<Item = &Child> {
    items.iter().filter_map(|item| match item {
        Item::Child(child) => Some(&**child),
        Item::Let(_) => None,
    })
}

/// Returns whether the child has a handle before its turn, as far as its shape shows.
pub(in crate::tree) fn is_ahead(child: &Child) -> bool {
    matches!(child.shape, Some(Shape::One(_)))
}

fn allowed(child: &Child, at: Span, errors: &mut Errors) {
    let name = &child.name;
    let reason = match &child.shape {
        Some(Shape::One(_)) | None => return,
        Some(Shape::Optional(_)) => "the handle of an optional child exists only once it was up",
        Some(Shape::Inline(_)) => "the handle of a subtree exists only once it was up",
        Some(Shape::Array(..) | Shape::Set(_) | Shape::Keyed(..)) => "`later` gives the handle of one actor or task",
    };
    errors.reject_at(at, format!("{reason}; move `{name}` above this"));
}

/// Returns whether the child gives up messages while it is down, which is always written as a word.
pub(in crate::tree) fn rejects(child: &Child) -> bool {
    setting(&child.settings, "while_down").is_some_and(|setting| setting.says("Reject").is_some())
}
