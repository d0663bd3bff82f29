//! The type parameters of an actor, which may run on any thread and outlives its caller (rule C14).

use proc_macro2::Ident;
use syn::{GenericParam, Generics, WherePredicate, parse_quote};

use crate::errors::Errors;
use crate::tree::generics::lifetimes;

/// Reports lifetimes, and type parameters without bounds. Takes the lifetimes out and returns their names, and completes
/// the bounds, so that a mistake is no second error further down.
pub(super) fn owned(generics: &mut Generics, errors: &mut Errors) -> Vec<Ident> {
    let names = lifetimes(generics, "an actor may outlive its caller", errors);
    let clause = generics.where_clause.clone();
    let in_clause = |name: &Ident| {
        clause.iter().flat_map(|clause| &clause.predicates).any(|predicate| match predicate {
            WherePredicate::Type(of) => of.bounded_ty == parse_quote!(#name),
            _ => false,
        })
    };
    for param in &mut generics.params {
        let GenericParam::Type(ty) = param else { continue };
        if !ty.bounds.is_empty() || in_clause(&ty.ident) {
            continue;
        }
        let name = &ty.ident;
        errors.at(name.span(), format!("an actor may run on any thread, for any time; write `{name}: Send + 'static`"));
        ty.bounds.push(parse_quote!(::core::marker::Send));
        ty.bounds.push(parse_quote!('static));
    }
    names
}
