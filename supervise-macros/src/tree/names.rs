//! The names that an expression can use, and what they stand for.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::{Attribute, Pat, PatIdent, PatTuple, Type, TypeTuple};

use super::model::{Child, Let};
use crate::free_names::{FreeNames, bindings};

/// The names that are declared so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Names<'a>(Vec<Name<'a>>);

#[derive(Debug, Clone)]
pub(super) struct Name<'a> {
    pub(super) ident: Ident,
    /// The name without `r#`.
    plain: String,
    /// The `#[cfg]`s under which there is such a name.
    pub(super) cfgs: Vec<Attribute>,
    pub(super) origin: Origin<'a>,
}

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin<'a> {
    /// A parameter or a `let`, which the supervisor keeps, with its type as far as that is written.
    Value(Option<&'a Type>),
    /// The handle of a child.
    Child(&'a Child),
    /// The handle of the tree around.
    Tree,
}

impl Name<'_> {
    /// Returns whether the supervisor keeps the value. Otherwise it is a handle.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self.origin, Origin::Value(_))
    }

    /// Returns whether the value stands behind a type that gives a clone for each start.
    pub(super) fn is_behind(&self) -> bool {
        match self.origin {
            Origin::Value(_) => true,
            Origin::Child(child) => child.is_behind(),
            Origin::Tree => false,
        }
    }

    fn mentioned_by(&self, free: &FreeNames) -> Option<Span> {
        if self.is_kept() { free.value_or_call(&self.ident) } else { free.value_or_later(&self.ident) }
    }
}

impl<'a> Names<'a> {
    /// Adds a name. It hides an earlier one, unless `#[cfg]`s choose between the two.
    pub(super) fn declare(&mut self, ident: &Ident, cfgs: &[Attribute], origin: Origin<'a>) {
        let plain = ident.unraw().to_string();
        self.0.retain(|name| name.plain != plain || !(name.cfgs.is_empty() || cfgs.is_empty()));
        self.0.push(Name { ident: ident.clone(), plain, cfgs: cfgs.to_vec(), origin });
    }

    /// Adds the names of a `let`.
    pub(super) fn declare_let(&mut self, entry: &'a Let) {
        for name in bindings(&entry.pat) {
            let ty = entry.ty.as_ref().and_then(|ty| type_of(&entry.pat, ty, &name));
            self.declare(&name, &entry.cfgs, Origin::Value(ty));
        }
    }

    /// Returns all names, in the order of their declaration.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Name<'a>> {
        self.0.iter()
    }

    /// Returns the names that `free` may mean, in the order of their declaration, each with its first mention.
    pub(super) fn mentioned(&self, free: &FreeNames) -> impl Iterator<Item = (&Name<'a>, Span)> {
        let words = free.words();
        let said = self.0.iter().filter(move |name| words.contains(&name.plain));
        said.filter_map(|name| Some((name, name.mentioned_by(free)?)))
    }
}

/// Returns the type of a name in a pattern that has this type, where both are written.
fn type_of<'a>(pat: &Pat, ty: &'a Type, name: &Ident) -> Option<&'a Type> {
    match (pat, ty) {
        (Pat::Ident(PatIdent { by_ref: None, ident, subpat: None, .. }), ty) => (ident == name).then_some(ty),
        (Pat::Tuple(PatTuple { elems: pats, .. }), Type::Tuple(TypeTuple { elems, .. }))
            if pats.len() == elems.len() =>
        {
            pats.iter().zip(elems).find_map(|(pat, ty)| type_of(pat, ty, name))
        }
        (Pat::Paren(inner), ty) => type_of(&inner.pat, ty, name),
        _ => None,
    }
}
