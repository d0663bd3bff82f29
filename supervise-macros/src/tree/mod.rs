//! `supervisor! { .. }` and `child! { .. }`: repair, parse, check, expand.
//!
//! Each stage is a function from data to data. All stages report mistakes to one collector, and the last stage cannot
//! fail.

mod captures;
mod check;
mod crossing;
mod expand;
pub(crate) mod model;
mod names;
pub(crate) mod parse;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use check::supervision as check_supervision;
pub(crate) use expand::supervision;
pub(crate) use parse::generics;

use crate::errors::Errors;
use crate::paths::Supervise;
use crate::repair::repair;

/// Expands the whole macro.
pub(crate) fn supervisor(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let input = repair(input, &mut errors);
    let trees = parse::trees(input, &mut errors);
    // An unreadable part may belong to any tree, so it hides all bodies; a mistake of a check hides its own tree only.
    let unread = errors.take_hidden();
    let mut call = check::Call::of(&trees);
    let hidden = trees.iter().map(|tree| {
        check::tree(tree, &mut call, &mut errors);
        errors.take_hidden() || unread || !tree.body.is_typed()
    });
    let hidden: Vec<bool> = hidden.collect();
    let failed = errors.failed_type();
    let mut expansion = TokenStream::new();
    for (tree, hidden) in trees.iter().zip(hidden) {
        expansion.extend(expand::tree(tree, hidden, &call.misplaced, failed.as_ref()));
    }
    expansion.extend(errors.to_tokens());
    expansion
}

/// Expands a `child!`.
pub(crate) fn child(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let input = repair(input, &mut errors);
    let new = parse::spawned(input, &mut errors);
    if let Some(new) = &new {
        check::spawned(new, &mut errors);
    }
    let value = new.as_ref().and_then(expand::spawned);
    let hidden = errors.take_hidden() || value.is_none();
    let mistakes = errors.to_tokens();
    // Both conditions have the same length, as in a tree.
    let condition = if hidden { quote!(all(rust_analyzer)) } else { quote!(not(rust_analyzer)) };
    let value = quote! {
        #[cfg(any(rust_analyzer, #condition))]
        let __child = { #value };
    };
    let child = match hidden {
        // The last mistake takes the place of the value, and rustc is silent about the type of a mistake.
        true => quote!(#[cfg(not(rust_analyzer))] let __child = { #mistakes };),
        false => mistakes,
    };
    quote!({
        use #Supervise::expansion as __rt;
        #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
        let __child = {
            #value
            #child
            __child
        };
        __child
    })
}

#[cfg(test)]
mod broken;
#[cfg(test)]
mod tests;
