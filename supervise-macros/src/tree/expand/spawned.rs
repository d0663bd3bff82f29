//! Emits the value of a `child!`: name, options, and the closure that starts it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Generics;
use syn::spanned::Spanned;

use super::super::captures::Captures;
use super::super::model::{Child, NewChild, Shape, Unit, setting};
use super::build::{new_options, started};
use super::hygiene::{hidden, local};
use super::options;
use super::scope::Scope;
use super::types::Types;
use crate::duration;

/// Emits the expression; `None` if too little of the child could be read.
pub(in crate::tree) fn spawned(new: &NewChild) -> Option<TokenStream> {
    let NewChild { name, child } = new;
    let (Some(Shape::One(unit)), Some(start)) = (&child.shape, &child.start) else { return None };
    let none = Generics::default();
    let scope = Scope::new(Types::anywhere(&none), &child.name, |_, _| None);
    let (called, given, begin) = (local("__name"), local("__options"), local("__start"));
    let options = options::child(child, new_options(child, unit, &scope), &scope);
    let time = time(child, unit, scope.types);
    let value = started(unit, start, &scope);
    let named = quote_spanned!(name.span()=> __rt::name_of_child(#name));
    // Variables that a `Temporary` child names are moved into its one start.
    let (function, variables) = match child.is_temporary() {
        true => (quote_spanned!(unit.span()=> new_child_once), Vec::new()),
        false => (quote_spanned!(unit.span()=> new_child), Captures::of(start).variables),
    };
    let capture = variables.iter().map(|name| {
        let inner = hidden(name);
        let value = quote_spanned!(name.span()=> __rt::Capture::of(&#name));
        quote!(let #inner = #value;)
    });
    let rebind = variables.iter().map(|name| {
        let inner = hidden(name);
        quote!(#[allow(unused_mut, unused_variables)] let mut #name = __rt::Capture::take(#inner);)
    });
    Some(quote_spanned! {unit.span()=>
        #time
        #(#capture)*
        let #called = #named;
        let #given = #options;
        #[allow(unknown_lints, closure_returning_async_block)]
        let #begin = move || {
            #(#rebind)*
            async move { #value }
        };
        __rt::#function(#called, #given, #begin)
    })
}

/// Emits the check that the `shutdown` time of a tree is enough for its children, where it is a literal (rule C12).
fn time(child: &Child, unit: &Unit, types: Types<'_>) -> Option<TokenStream> {
    let Unit::Type(ty) = unit else { return None };
    let (_, value) = setting(&child.settings, "lifecycle")?.named("shutdown")?;
    let time = duration::parts(duration::literal(value)?);
    let tree = types.asked(ty, "IsAChild", "TREE");
    let check = quote_spanned!(value.span()=> __rt::shutdown_suffices(#tree, #time));
    Some(quote!(const { #check }))
}
