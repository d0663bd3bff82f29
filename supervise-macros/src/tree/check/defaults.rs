//! Checks the defaults of a tree (rules C1 and C4). What a default means for each child, the rules check with the child.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Expr;

use super::super::model::{Arg, Body, Setting, setting, word};
use crate::errors::Errors;
use crate::settings::{DEFAULTS, is_flag};

/// Reports parts of defaults that are about one child, and those that no child takes.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    for default in DEFAULTS.iter().filter_map(|name| setting(&body.settings, name)) {
        let named = default.name.to_string();
        let is_used = body.children().any(|child| setting(&child.defaults, &named).is_some());
        let mut unused_whole = false;
        for arg in default.args() {
            let flag = word(&arg.value).filter(|word| is_flag(&named, &word.to_string()));
            if let Some(flag) = flag.filter(|_| arg.name.is_none()) {
                let message = format!("`{flag}` is about one child; write `#[{}({flag})]` above it", default.name);
                errors.reject_at(flag.span(), message);
            } else if !is_taken(default, arg, body) && body.children().next().is_some() && !default.misspelt() {
                if std::mem::replace(&mut unused_whole, !is_used) {
                    continue; // reported for the whole default
                }
                let (what, place) = shown(default, arg);
                errors.on(place, format!("no child of this tree takes `{what}` as a default; remove it"));
            }
        }
    }
}

/// Returns whether the argument holds for a child. A `backoff` is taken as a whole.
fn is_taken(default: &Setting, arg: &Arg, body: &Body) -> bool {
    let mut taken = body.children().filter_map(|child| setting(&child.defaults, &default.name.to_string()));
    let same = |other: &Arg| other.name == arg.name && (arg.name.is_some() || is_word(other) == is_word(arg));
    default.name == "lifecycle" && arg.name.is_none() && !is_word(arg) // reported as an argument without a name
        || taken.any(|taken| taken.args().iter().any(same))
}

fn is_word(arg: &Arg) -> bool {
    matches!(&arg.value, Expr::Path(_))
}

/// The name and the place of an argument in an error.
fn shown(default: &Setting, arg: &Arg) -> (String, TokenStream) {
    match &arg.name {
        Some(name) => (name.to_string(), name.to_token_stream()),
        None => (default.name.to_string(), default.name.to_token_stream()),
    }
}
