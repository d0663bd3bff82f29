//! `supervisor! { .. }`: repair, parse, check, expand.
//!
//! Each stage is a function from data to data. All stages report mistakes to one collector, and the last stage cannot
//! fail.

mod check;
mod expand;
pub(crate) mod model;
pub(crate) mod parse;

use proc_macro2::TokenStream;

pub(crate) use check::supervision as check_supervision;
pub(crate) use expand::supervision;

use crate::errors::Errors;
use crate::repair::repair;

/// Expands the whole macro.
pub(crate) fn supervisor(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let input = repair(input, &mut errors);
    let trees = parse::trees(input, &mut errors);
    // A part that could not be read may belong to any tree. A mistake that a check finds belongs to one.
    let unread = errors.take_hidden();
    let mut call = check::Call::of(&trees);
    let hidden = trees.iter().map(|tree| {
        check::tree(tree, &mut call, &mut errors);
        errors.take_hidden() || unread
    });
    let hidden: Vec<bool> = hidden.collect();
    let mut expansion = TokenStream::new();
    for (tree, hidden) in trees.iter().zip(hidden) {
        expansion.extend(expand::tree(tree, hidden, &call.misplaced));
    }
    expansion.extend(errors.to_tokens());
    expansion
}

#[cfg(test)]
mod broken;
#[cfg(test)]
mod tests;
