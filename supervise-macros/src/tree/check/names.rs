//! Names: each once, none that the expansion needs itself (rule C2), and no tree inside itself.

use proc_macro2::{Ident, Span};
use syn::Type;

use super::super::model::{Body, Item, Tree, Unit};
use crate::errors::Errors;
use crate::mention::bindings;

struct Name {
    ident: Ident,
    /// Whether it is a child with `#[cfg]`: two of those may share a name, of which one exists.
    cfg: bool,
}

/// Checks the names of one tree and of the subtrees inside it.
pub(super) fn tree(tree: &Tree, errors: &mut Errors) {
    let mut names = Vec::new();
    for param in &tree.params {
        declare(&param.name, false, &mut names, errors);
    }
    let mut types = vec![&tree.name];
    body(&tree.body, &mut names, &mut types, errors);
}

fn body<'a>(body: &'a Body, names: &mut Vec<Name>, types: &mut Vec<&'a Ident>, errors: &mut Errors) {
    for item in &body.items {
        match item {
            Item::Let(entry) => {
                for name in bindings(&entry.pat) {
                    declare(&name, false, names, errors);
                }
            }
            Item::Child(child) => {
                declare(&child.name, !child.cfgs.is_empty(), names, errors);
                if let Some(Unit::Type(ty)) = child.unit()
                    && let Type::Path(path) = &**ty
                    && !child.is_set()
                    && let Some(name) = path.path.get_ident()
                    && types.contains(&name)
                {
                    errors
                        .at(name.span(), format!("the tree `{name}` would contain itself without end; use `[{name}]`"));
                    errors.hide_body();
                }
                if let Some(subtree) = child.subtree() {
                    types.push(&subtree.name);
                    // Names of the subtree are not seen outside it, but its expressions see those around it.
                    let outside = names.len();
                    self::body(&subtree.body, names, types, errors);
                    names.truncate(outside);
                }
            }
        }
    }
}

fn declare(ident: &Ident, cfg: bool, names: &mut Vec<Name>, errors: &mut Errors) {
    let text = ident.to_string();
    if text == "tree" {
        errors.at(ident.span(), "`tree` is the `TreeRef` of this tree; use another name");
        errors.hide_body();
    } else if text.starts_with("__") {
        errors.at(
            ident.span(),
            format!("`{text}` begins with two underscores, as the macro's own names do; use another name"),
        );
        errors.hide_body();
    }
    match names.iter().find(|name| name.ident == *ident) {
        Some(first) if !(cfg && first.cfg) => {
            twice(ident, first.ident.span(), errors);
        }
        _ => names.push(Name { ident: ident.clone(), cfg }),
    }
}

fn twice(ident: &Ident, first: Span, errors: &mut Errors) {
    let message = "the names of parameters, `let`s and children are one list; use another name for one of them";
    errors.both(ident.span(), first, "first_declared_here", format!("`{ident}` is declared twice: {message}"));
    errors.hide_body();
}
