//! Trees of one call that contain each other, without end (rule C2).

use proc_macro2::Ident;

use super::super::check::plain_name;
use super::super::model::{Body, Child, Item, Shape, Tree, Unit};
use crate::errors::Errors;

/// Reports trees of one call that contain each other, and leaves the type out that closes the circle.
pub(super) fn broken(trees: &mut [Tree], errors: &mut Errors) {
    for last in 1..trees.len() {
        let (before, rest) = trees.split_at_mut(last);
        let Some(tree) = rest.first_mut() else { return };
        let name = tree.name.clone();
        closes(&mut tree.body, &name, before, errors);
    }
}

fn closes(body: &mut Body, name: &Ident, before: &[Tree], errors: &mut Errors) {
    for item in &mut body.items {
        let Item::Child(child) = item else { continue };
        if let Some(Shape::Inline(subtree)) = &mut child.shape {
            closes(&mut subtree.body, name, before, errors);
            continue;
        }
        let Some(other) = single(child).filter(|other| *other != name) else { continue };
        let path = path_to(other, name, before, &mut Vec::new());
        let Some(path) = path else { continue };
        let through: String = path.iter().map(|each| format!(", which contains `{each}`")).collect();
        let message = format!("`{name}` contains `{other}`{through}, without end; write `[{other}]` for one of them");
        errors.reject_at(other.span(), message);
        child.shape = None;
    }
}

/// Returns the trees on the way from `from`, which is a tree of the call, down to `to`.
fn path_to(from: &Ident, to: &Ident, trees: &[Tree], seen: &mut Vec<Ident>) -> Option<Vec<Ident>> {
    let tree = trees.iter().find(|tree| tree.name == *from)?;
    seen.push(from.clone());
    let mut names = Vec::new();
    singles(&tree.body, &mut names);
    names.into_iter().find_map(|name| {
        if name == to {
            return Some(vec![name.clone()]);
        }
        if seen.contains(name) {
            return None;
        }
        let mut path = path_to(name, to, trees, seen)?;
        path.insert(0, name.clone());
        Some(path)
    })
}

fn singles<'a>(body: &'a Body, names: &mut Vec<&'a Ident>) {
    for child in body.children() {
        match child.subtree() {
            Some(subtree) => singles(&subtree.body, names),
            None => names.extend(single(child)),
        }
    }
}

/// Returns the name of the type of a child that always exists.
fn single(child: &Child) -> Option<&Ident> {
    match &child.shape {
        Some(Shape::One(Unit::Type(ty)) | Shape::Array(Unit::Type(ty), _)) => plain_name(ty),
        _ => None,
    }
}
