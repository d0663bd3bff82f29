//! Checks names: each is declared once, none is a name that the expansion needs (rule C2), and no tree contains itself.

use proc_macro2::Ident;
use syn::{Type, TypePath};

use super::super::model::{Body, Item, Tree, Unit};
use super::Call;
use crate::errors::{Errors, in_line};
use crate::free_names::bindings;

struct Name {
    ident: Ident,
    /// The name as text, which is cheaper to compare.
    text: String,
    /// The kind of entry that has the name.
    kind: &'static str,
    /// Whether the name is that of a child or `let` with `#[cfg]`. Two of them may share a name if only one of them
    /// exists.
    cfg: bool,
}

/// Checks the names of one tree and of the subtrees inside it.
pub(super) fn tree(tree: &Tree, call: &mut Call<'_>, errors: &mut Errors) {
    let mut names = Vec::new();
    for param in &tree.params {
        declare(&param.name, "parameter", false, &mut names, errors);
    }
    let mut check = Check { tree: &tree.name, call, errors };
    check.body(&tree.body, &mut names);
}

/// Returns the names of the inline subtrees of these trees, at any depth.
pub(super) fn inline_subtrees(trees: &[Tree]) -> Vec<&Ident> {
    let mut found = Vec::new();
    let mut bodies: Vec<&Body> = trees.iter().map(|tree| &tree.body).collect();
    while let Some(body) = bodies.pop() {
        for subtree in body.children().filter_map(|child| child.subtree()) {
            found.push(&subtree.name);
            bodies.push(&subtree.body);
        }
    }
    found
}

struct Check<'a, 'b> {
    tree: &'a Ident,
    call: &'a mut Call<'b>,
    errors: &'a mut Errors,
}

impl Check<'_, '_> {
    fn body(&mut self, body: &Body, names: &mut Vec<Name>) {
        for item in &body.items {
            match item {
                Item::Let(entry) => {
                    for name in bindings(&entry.pat) {
                        declare(&name, "`let`", !entry.cfgs.is_empty(), names, self.errors);
                    }
                }
                Item::Child(child) => {
                    declare(&child.name, "child", !child.cfgs.is_empty(), names, self.errors);
                    if let Some(Unit::Type(ty)) = child.unit()
                        && let Some(name) = plain_name(ty)
                    {
                        self.used(name, child.is_set());
                    }
                    if let Some(subtree) = child.subtree() {
                        // The names of a subtree are not visible outside it, but its expressions see the names around
                        // it.
                        let outside = names.len();
                        self.body(&subtree.body, names);
                        names.truncate(outside);
                    }
                }
            }
        }
    }

    /// Checks a child whose type is a plain name.
    fn used(&mut self, name: &Ident, set: bool) {
        let problem = if let Some(inline) = self.call.inline.iter().find(|inline| **inline == name) {
            self.call.misplaced.push(inline);
            format!(
                "`{name}` is an inline subtree, which cannot be the type of another child; declare it as a separate tree, \
                 and write `{name} = {name}::tree()` in both places"
            )
        } else if self.tree == name && !set {
            format!("the tree `{name}` would contain itself; use `[{name}]`")
        } else {
            return;
        };
        self.errors.reject_at(name.span(), problem);
    }
}

/// Returns the name of a type that is nothing but a name, with or without arguments.
pub(in crate::tree) fn plain_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) if path.leading_colon.is_none() && path.segments.len() == 1 => {
            path.segments.first().map(|segment| &segment.ident)
        }
        _ => None,
    }
}

fn declare(ident: &Ident, kind: &'static str, cfg: bool, names: &mut Vec<Name>, errors: &mut Errors) {
    let text = ident.to_string();
    if text == "tree" {
        errors.reject_at(ident.span(), "`tree` is the `TreeRef` of this tree; use another name");
    } else if text.starts_with("__") {
        errors.reject_at(
            ident.span(),
            format!("`{text}` begins with two underscores, as the macro's own names do; use another name"),
        );
    }
    match names.iter().find(|name| name.text == text) {
        Some(first) if !(cfg && first.cfg) => {
            let (kind, line) = (first.kind, in_line(first.ident.span()));
            let message =
                format!("`{ident}` is declared twice, first as a {kind}{line}; nothing is shadowed, so rename one");
            errors.reject_at(ident.span(), message);
        }
        _ => names.push(Name { ident: ident.clone(), text, kind, cfg }),
    }
}
