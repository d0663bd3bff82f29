//! Finds the mistakes in a tree that parses, all of them in one run. Each file checks one thing.

mod arguments;
mod backoff;
mod defaults;
mod facts;
mod held;
mod later;
mod mutable;
mod names;
mod no_effect;
mod order;
mod published;
mod remote;
mod rules;
mod shapes;
mod spawned;
mod together;
mod unreachable_limit;
#[cfg(test)]
mod values;

use proc_macro2::Ident;

pub(super) use held::{Limited, limit};
pub(super) use later::{below, is_ahead, rejects};
pub(super) use names::plain_name;
pub(super) use order::inside;
pub(super) use published::{has_a_gap, is_method};
pub(super) use spawned::spawned;

use rules::Rules;

use super::model::{Args, Body, Child, Item, Setting, Shape, Tree, setting, word};
use crate::decider;
use crate::errors::{Errors, alternatives, in_line};
use crate::settings::{Of, Place, find};

/// Facts about all trees of one macro call.
pub(crate) struct Call<'a> {
    inline: Vec<&'a Ident>,
    /// Inline subtrees that are also the type of another child. That was reported, and rustc must still see them as
    /// trees.
    pub(super) misplaced: Vec<&'a Ident>,
}

impl<'a> Call<'a> {
    pub(crate) fn of(trees: &'a [Tree]) -> Self {
        Call { inline: names::inline_subtrees(trees), misplaced: Vec::new() }
    }
}

/// Checks one tree.
pub(crate) fn tree(tree: &Tree, call: &mut Call<'_>, errors: &mut Errors) {
    names::tree(tree, call, errors);
    let params: Vec<Ident> = tree.params.iter().map(|param| param.name.clone()).collect();
    order::body(&tree.body, &params, errors);
    shapes::settings_of_sets(&tree.body, &params, errors);
    remote::tree(tree, errors);
    body(&tree.body, &tree.name, errors);
}

fn body(body: &Body, name: &Ident, errors: &mut Errors) {
    if body.children().next().is_none() && !body.lost_entry {
        errors.at(name.span(), format!("the tree `{name}` has no child; declare one: `name: Type = start,`"));
    }
    settings(&body.settings, errors);
    backoff::check(&body.settings, errors);
    defaults::body(body, errors);
    if let Some(on) = setting(&body.settings, "on") {
        remote::values(on, errors);
    }
    no_effect::body(body, errors);
    together::body(body, errors);
    later::body(body, errors);
    for item in &body.items {
        if let Item::Let(entry) = item {
            published::entry(entry, errors);
            // The pattern of a `pub let` is a single name, which is checked above.
            if entry.vis.is_none() {
                mutable::pattern(&entry.pat, errors);
            }
        }
    }
    let mut rules = Rules::of(body, errors);
    for child in body.children() {
        self::child(child, &body.settings, &mut rules, errors);
        if let Some(subtree) = child.subtree() {
            self::body(&subtree.body, &subtree.name, errors);
        }
    }
}

/// Checks one child, with the rules for the children of its supervisor.
fn child(child: &Child, above: &[Setting], rules: &mut Rules<'_>, errors: &mut Errors) {
    settings(&child.settings, errors);
    for setting in &child.settings {
        placed(setting, child, errors);
    }
    shapes::child(child, errors);
    no_effect::child(child, above, errors);
    remote::child(child, errors);
    backoff::check(&child.settings, errors);
    rules.child(child, errors);
}

/// Checks the settings of a supervisor that stand alone.
pub(crate) fn supervision(settings: &[Setting], errors: &mut Errors) {
    self::settings(settings, errors);
    rules::supervision(settings, errors);
}

/// Checks that each setting is written once, with arguments that it knows.
fn settings(settings: &[Setting], errors: &mut Errors) {
    for (i, setting) in settings.iter().enumerate() {
        if let Some(first) = settings[..i].iter().find(|earlier| earlier.name == setting.name) {
            let (name, first) = (&setting.name, in_line(first.name.span()));
            errors.at(name.span(), format!("`{name}` is given twice, first{first}; keep one of them"));
            continue;
        }
        match &setting.args {
            Args::Decider(decider) => decider::check(decider, errors),
            Args::List(args) => arguments::check(&setting.name, args, errors),
        }
    }
}

/// Checks that a setting suits the kind of its child (rules C1 and C13). The rules check a limit, since that depends on
/// the tree.
fn placed(setting: &Setting, child: &Child, errors: &mut Errors) {
    let Some(Place::Child(of)) = find(&setting.name.to_string()).map(|known| known.place) else { return };
    let name = &setting.name;
    let problem = match of {
        Of::Any => return,
        Of::Actors if child.is_task() => "is for actors; a task has no messages and no hooks; remove it",
        Of::Actors if child.subtree().is_some() => "is for actors; move it above an actor inside the subtree",
        Of::Sets if !child.is_set() && child.shape.is_some() => {
            "is for a `[..]`, which holds any number of children; remove it"
        }
        Of::Remote if child.remote().is_none() && child.shape.is_some() => {
            "is for a child on another machine; write `remote` in front of its type, or remove this"
        }
        Of::Subtrees => match &child.shape {
            _ if child.is_task() => "is for a subtree; declare a tree with this task, and write it above that tree",
            Some(Shape::Inline(_)) => "is for a tree of its own; declare this one outside, and start it by its name",
            Some(Shape::Optional(_) | Shape::Array(..) | Shape::Set(_) | Shape::Keyed(..)) => {
                "is for a single subtree; declare a tree with these children, and write it above that tree"
            }
            Some(Shape::One(_)) | None => return,
        },
        _ => return,
    };
    let message = format!("`{name}` {problem}");
    match of {
        // Other options have no such method, so rustc must not see the call.
        Of::Actors => errors.reject_at(name.span(), message),
        _ => errors.at(name.span(), message),
    }
}

/// Returns `AllForOne` or `RestForOne`, if that is the strategy.
fn group_strategy(settings: &[Setting]) -> Option<&Ident> {
    let strategy = word(setting(settings, "strategy")?.first()?)?;
    (strategy == "AllForOne" || strategy == "RestForOne").then_some(strategy)
}

/// Reports a word that is not allowed here. rustc must not see it as a variant, or it would report it again.
fn unknown_word(word: &Ident, allowed: &[&str], what: &str, errors: &mut Errors) {
    let kind = if ["strategy", "lifecycle"].contains(&what) { what } else { "value" };
    let near = crate::errors::did_you_mean(&word.to_string(), allowed);
    let repair = match allowed {
        [] => format!("; write a {what}"),
        _ if near.contains("known here") => format!("; expected {}", alternatives(allowed)),
        _ => near,
    };
    errors.reject_at(word.span(), format!("unknown {kind} `{word}`{repair}"));
}
