//! Reads settings: `#[name(args)]` above a child, `#![name(args)]` inside the braces.
//!
//! Only the form is read here. The checks look at names and arguments. The one exception is `decider(..)`, whose
//! arguments have a grammar of their own.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::parse::{End, ParseStream};
use syn::{Attribute, Expr, Ident, Meta, Token};

use super::super::model::{Arg, Args, Body, Setting};
use super::{meant, started, whole};
use crate::decider;
use crate::errors::{Errors, did_you_mean, neighbour};
use crate::pretty::to_source;
use crate::settings::{self, Place, Value, argument_names, can_be_default, find, names, with_argument};

/// Reads the inner attributes of a body.
pub(crate) fn inner(attributes: Vec<Attribute>, body: &mut Body, errors: &mut Errors) {
    for attribute in attributes {
        if attribute.path().is_ident("doc") {
            errors.at(whole(&attribute), "`//!` cannot be used here; write `///` above the `struct`");
            continue;
        }
        if started(&body.items) {
            errors.at(whole(&attribute), "settings of the tree come before its children; move this up");
        }
        read(attribute, None, &mut body.settings, &mut body.unknown, errors);
    }
}

/// Reads the settings above a tree, which are those inside its braces.
pub(super) fn above(attributes: Vec<Attribute>, body: &mut Body, errors: &mut Errors) {
    let inside = std::mem::take(&mut body.settings);
    for attribute in attributes {
        read(attribute, None, &mut body.settings, &mut body.unknown, errors);
    }
    body.settings.extend(inside);
}

/// Reads the settings above a child, and the words among them that are not settings. `tree` is the tree or subtree that a
/// setting of a whole tree is meant for; a child that is spawned has none.
pub(super) fn outer(
    attributes: Vec<Attribute>,
    tree: Option<&Ident>,
    errors: &mut Errors,
) -> (Vec<Setting>, Vec<Ident>) {
    let (mut settings, mut unknown) = (Vec::new(), Vec::new());
    for attribute in attributes {
        read(attribute, Some(tree), &mut settings, &mut unknown, errors);
    }
    (settings, unknown)
}

fn read(
    attribute: Attribute,
    above_child_of: Option<Option<&Ident>>,
    settings: &mut Vec<Setting>,
    unknown: &mut Vec<Ident>,
    errors: &mut Errors,
) {
    match attribute.path().get_ident().cloned() {
        Some(name) if find(&name.to_string()).is_some() => {
            match known(name.clone(), attribute, above_child_of, errors) {
                Some(setting) => settings.push(setting),
                None => unknown.push(name),
            }
        }
        word => {
            unknown_attribute(&attribute, above_child_of.is_none(), errors);
            unknown.extend(word);
        }
    }
}

fn known(
    name: Ident,
    attribute: Attribute,
    above_child_of: Option<Option<&Ident>>,
    errors: &mut Errors,
) -> Option<Setting> {
    let known = find(&name.to_string())?;
    let text = to_source(attribute.meta.to_token_stream());
    match (known.place, above_child_of) {
        (Place::Tree, Some(tree)) => {
            let of_a_child = with_argument(&name.to_string()).map_or_else(String::new, |(setting, arg)| {
                format!("; for this child alone write `#[{}({} = ..)]`", setting.name, arg.name)
            });
            errors.at(name.span(), format!("{}{of_a_child}", of_the_tree(&name.to_string(), tree)));
            return None;
        }
        (Place::Child(_), None) if !can_be_default(known.name) => {
            errors.at(name.span(), format!("`{name}` governs one child; write `#[{name}(..)]` above it"));
            return None;
        }
        _ => {}
    }
    let tokens = match attribute.meta {
        Meta::List(list) => list.tokens,
        other => {
            errors.on(other, format!("`{name}` takes its arguments in parentheses; write `{name}(..)`"));
            return None;
        }
    };
    let args = if name == "decider" {
        Args::Decider(decider::parse(tokens, name.span(), errors)?)
    } else {
        let tokens = meant::whole_durations(tokens, errors);
        let (args, lost) = errors.read(tokens, |input, errors| args(known, input, errors))?;
        if lost && args.is_empty() {
            return None; // the arguments could not be read
        }
        Args::List(meant::args(known, args, errors))
    };
    Some(Setting { name, args, text })
}

/// The error of a setting of a whole tree in another place.
pub(super) fn of_the_tree(name: &str, tree: Option<&Ident>) -> String {
    let of = tree.map_or_else(|| "its braces".to_owned(), |tree| format!("the braces of `{tree}`"));
    format!("`{name}` governs all children of a tree; write `#![{name}(..)]` first inside {of}")
}

/// Reports an attribute that is not a setting.
fn unknown_attribute(attribute: &Attribute, inside: bool, errors: &mut Errors) {
    let name = to_source(attribute.path().to_token_stream());
    let taken = ["allow", "warn", "expect", "deny", "derive", "cfg_attr", "must_use", "deprecated", "inline"];
    if taken.contains(&&*name) {
        let stand = if inside { "settings" } else { "`///`, `#[cfg(..)]` and settings" };
        errors.on(attribute.path(), format!("`{name}` cannot be used here, only {stand}; remove it"));
    } else if ["pre_start", "post_stop", "terminated", "supervision"].contains(&&*name) {
        let message = format!("`{name}` is a hook of the type; mark the method `#[{name}]` in its `#[actor] impl`");
        errors.on(attribute.path(), message);
    } else {
        let repair = repair(&name, inside);
        errors.on(attribute.path(), format!("unknown setting `{name}`{repair}"));
    }
}

/// Suggests what an unknown setting may be meant for: another name, or an argument of a setting.
fn repair(name: &str, inside: bool) -> String {
    let near = did_you_mean(name, &names(inside));
    if !near.contains("known here") {
        return near;
    }
    let argument = neighbour(name, &argument_names()).and_then(with_argument);
    match argument {
        Some((setting, arg)) => {
            let bang = if setting.place == Place::Tree { "!" } else { "" };
            let value = if arg.value == Value::Flag { "" } else { " = .." };
            format!("; `{}` is an argument: write `#{bang}[{}({}{value})]`", arg.name, setting.name, arg.name)
        }
        None => near,
    }
}

/// Reads the arguments, and returns whether one could not be read.
fn args(known: &settings::Setting, input: ParseStream, errors: &mut Errors) -> (Vec<Arg>, bool) {
    let (mut args, mut lost) = (Vec::new(), false);
    while !input.is_empty() {
        match arg(known, input, errors) {
            Ok(arg) => args.push(arg),
            Err(error) => {
                lost = true;
                errors.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    let _ = input.parse::<TokenTree>();
                }
            }
        }
        if input.is_empty() || input.parse::<Token![,]>().is_ok() {
            continue;
        }
        errors.at(input.span(), "expected `,` between arguments; write one here");
        // An argument that follows is still read.
        if !(input.peek(Ident) && (input.peek2(Token![=]) || input.peek2(Token![,]) || input.peek2(End))) {
            while !input.is_empty() && !input.peek(Token![,]) {
                let _ = input.parse::<TokenTree>();
            }
            let _ = input.parse::<Option<Token![,]>>();
        }
    }
    (args, lost)
}

fn arg(known: &settings::Setting, input: ParseStream, errors: &mut Errors) -> syn::Result<Arg> {
    let is = input.peek2(Token![=]) && !input.peek2(Token![==]) && !input.peek2(Token![=>]);
    let colon = input.peek2(Token![:]) && !input.peek2(Token![::]);
    if !input.peek(Ident) || !(is || colon) {
        return Ok(Arg { name: None, value: input.parse()? });
    }
    let name: Ident = input.parse()?;
    let sign = input.parse::<TokenTree>()?;
    let value: Expr = input.parse()?;
    if colon && let Some(value) = meant::unnamed_by_colon(known, &name, &value, errors) {
        return Ok(Arg { name: None, value });
    }
    if colon {
        let shown = to_source(value.to_token_stream());
        errors.at(sign.span(), format!("an argument has its value after `=`; write `{name} = {shown}`"));
    }
    Ok(Arg { name: Some(name), value })
}
