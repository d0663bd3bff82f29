//! Checks the child of a `child!`: as a child of a tree, and for the parts that only a tree has.

use syn::spanned::Spanned;

use super::super::captures::Captures;
use super::super::model::{NewChild, Shape, Unit, setting};
use super::rules::Rules;
use crate::errors::Errors;

/// Checks a child that is spawned at run time.
pub(in crate::tree) fn spawned(new: &NewChild, errors: &mut Errors) {
    let child = &new.child;
    if !is_one(child.shape.as_ref(), errors) {
        return;
    }
    super::child(child, &[], &mut Rules::at_run_time(), errors);
    if let Some(word) = setting(&child.settings, "lifecycle").and_then(|lifecycle| lifecycle.says("best_effort")) {
        errors.at(word.span(), "a spawn waits for this child alone, and returns its failure; remove `best_effort`");
    }
    if let Some(only) = setting(&child.settings, "only_with") {
        let message = "`only_with` is for a child that is declared in a tree; spawn a tree with that child";
        errors.at(only.name.span(), message);
    }
    if let Some(start) = &child.start
        && let Some((at, field)) = Captures::of(start).of_self
    {
        let repair = match field {
            Some(field) => format!("write `let {field} = self.{field}.clone();` in front of this, and `{field}` here"),
            None => "take what the start needs in front of this, by a `let`".into(),
        };
        errors.reject_at(at, format!("`self` cannot be kept for a later start; {repair}"));
    }
}

/// Returns whether this is an actor, a task or a tree.
fn is_one(shape: Option<&Shape>, errors: &mut Errors) -> bool {
    let (at, message) = match shape {
        Some(Shape::One(Unit::Remote(word, _))) => {
            (word.span(), "the nodes know only what a tree declares; declare a `[remote Type]`, and spawn into it")
        }
        Some(Shape::One(_)) => return true,
        None => return false, // reported
        Some(Shape::Optional(unit)) => (unit.span(), "a spawn is a decision already; write an `if` around it"),
        Some(Shape::Array(unit, count)) => {
            (unit.span().join(count.span()).unwrap_or(unit.span()), "a `child!` is one child; spawn each in a loop")
        }
        Some(Shape::Set(unit)) => {
            (unit.span(), "a set is declared in a tree; write a `child!` for each child, or spawn a tree with the set")
        }
        Some(Shape::Keyed(key, unit)) => (
            key.span().join(unit.span()).unwrap_or(unit.span()),
            "a set is declared in a tree; write a `child!` for each child, or spawn a tree with the set",
        ),
        Some(Shape::Inline(subtree)) => {
            (subtree.name.span(), "a subtree needs a tree around it; declare it with `supervisor!`, and name it here")
        }
    };
    errors.reject_at(at, message);
    false
}
