//! Checks the generic parameters of a tree, and completes them, so that a mistake is no second error further down.
//!
//! Lifetimes are rejected (rule C1) and replaced by `'static`. A type of which the tree keeps a value has bounds (rule
//! C8). All types are `'static`, as a tree is.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{VisitMut, visit_generics_mut};
use syn::{
    GenericParam, Generics, Lifetime, PathSegment, Token, Type, TypeParam, TypeParamBound, WhereClause, WherePredicate,
    parse_quote,
};

use super::super::model::{Param, Tree, mentions};
use crate::errors::Errors;
use crate::pretty::to_source;

/// Takes the lifetimes out of the parameters, reports them, and returns their names. `why` is a sentence.
pub(crate) fn lifetimes(generics: &mut Generics, why: &str, errors: &mut Errors) -> Vec<Ident> {
    let mut names = Vec::new();
    for param in std::mem::take(&mut generics.params) {
        match param {
            GenericParam::Lifetime(param) => {
                let message = format!("{why}, so it cannot borrow; remove this, and write owned types");
                errors.reject_at(param.lifetime.span(), message);
                names.push(param.lifetime.ident);
            }
            other => generics.params.push(other),
        }
    }
    if names.is_empty() {
        return names;
    }
    let mut replaced = Replaced(names);
    visit_generics_mut(&mut replaced, generics);
    replaced.0
}

/// Checks that each type parameter of which the tree keeps a value has a bound, and completes the bounds. rustc checks
/// those that are written.
pub(super) fn bounds(tree: &mut Tree, errors: &mut Errors) {
    let Tree { generics, params, .. } = tree;
    let clause = generics.where_clause.clone();
    for ty in generics.type_params_mut() {
        let (name, at) = (&ty.ident, ty.ident.span());
        ty.colon_token.get_or_insert_with(|| Token![:](at));
        // Only a parameter of the type itself needs a bound; a type that names it, such as `fn() -> T`, needs none.
        let kept = params.iter().find(|param| matches!(&param.ty, Type::Path(of) if of.path.is_ident(name)));
        if let Some(Param { name: param, .. }) = kept
            && !is_bounded(ty, clause.as_ref())
        {
            let own: Vec<_> = ty.bounds.iter().map(|bound| to_source(bound.to_token_stream())).collect();
            let own: String = own.iter().map(|bound| format!("{bound} + ")).collect();
            let repair = format!("write `{name}: {own}Clone + Send`");
            errors.at(at, format!("the tree keeps `{param}: {name}` for its restarts; {repair}"));
            ty.bounds.push(parse_quote!(::core::clone::Clone));
            ty.bounds.push(parse_quote!(::core::marker::Send));
        }
        // The bound has no place in the source: rustc would propose further bounds next to it.
        ty.bounds.push(TypeParamBound::Lifetime(Lifetime::new("'static", Span::mixed_site())));
    }
}

/// Returns whether a trait is asked of the type parameter, or of a type that names it.
fn is_bounded(ty: &TypeParam, clause: Option<&WhereClause>) -> bool {
    let is_trait = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            let says_nothing = |last: &PathSegment| NEITHER.iter().any(|name| last.ident == name);
            !bound.to_token_stream().to_string().starts_with('?')
                && !bound.path.segments.last().is_some_and(says_nothing)
        }
        _ => false,
    };
    let of_it = |predicate: &WherePredicate| match predicate {
        WherePredicate::Type(of) => {
            mentions(of.bounded_ty.to_token_stream(), &[&ty.ident]) && of.bounds.iter().any(is_trait)
        }
        _ => false,
    };
    ty.bounds.iter().any(is_trait) || clause.is_some_and(|clause| clause.predicates.iter().any(of_it))
}

/// Traits that ask for neither `Clone` nor `Send`.
const NEITHER: [&str; 14] = [
    "Fn",
    "FnMut",
    "FnOnce",
    "Into",
    "AsRef",
    "Display",
    "Debug",
    "ToString",
    "PartialEq",
    "Eq",
    "Hash",
    "Default",
    "Iterator",
    "Future",
];

struct Replaced(Vec<Ident>);

impl VisitMut for Replaced {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.0.contains(&lifetime.ident) {
            lifetime.ident = Ident::new("static", lifetime.ident.span());
        }
    }
}

/// Replaces these lifetimes in the rest of the tokens.
pub(crate) fn without(tokens: TokenStream, names: &[Ident]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| {
            let named = after_quote;
            after_quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            match token {
                TokenTree::Ident(name) if named && names.contains(&name) => {
                    TokenTree::Ident(Ident::new("static", name.span()))
                }
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), without(group.stream(), names));
                    inside.set_span(group.span());
                    TokenTree::Group(inside)
                }
                token => token,
            }
        })
        .collect()
}
