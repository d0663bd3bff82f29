//! Hands the defaults inside the braces of a tree to the children that can take them.

use super::super::model::{Arg, Args, Body, Child, Item, Setting, Shape, setting, word};
use crate::settings::DEFAULTS;

/// Gives each child the arguments of the defaults that it can take and that do not stand above it.
pub(super) fn hand_out(body: &mut Body) {
    let Body { settings, items, .. } = body;
    // `DEFAULTS` has the lifecycle first: whether a child takes a `backoff` depends on it.
    for default in DEFAULTS.iter().filter_map(|name| setting(settings, name)) {
        for item in items.iter_mut() {
            let Item::Child(child) = item else { continue };
            let taken = taken(default, child);
            child.defaults.extend(taken);
        }
    }
}

/// Returns the part of a default that the child takes.
fn taken(default: &Setting, child: &Child) -> Option<Setting> {
    let own = setting(&child.settings, &default.name.to_string());
    let takes = |arg: &&Arg| match &*default.name.to_string() {
        "lifecycle" => takes_lifecycle(arg, child, own),
        "mailbox" => takes_mailbox(arg, child, own),
        "on" => takes_on(arg, child, own),
        // Any other setting is taken as a whole, because its arguments belong together.
        _ => own.is_none() && !child.is_temporary(),
    };
    let args: Vec<Arg> = default.args().iter().filter(takes).cloned().collect();
    (!args.is_empty()).then(|| Setting { name: default.name.clone(), args: Args::List(args), text: String::new() })
}

fn takes_lifecycle(arg: &Arg, child: &Child, own: Option<&Setting>) -> bool {
    let is_given = |name| own.is_some_and(|own| own.named(name).is_some());
    match &arg.name {
        None => word(&arg.value).is_some() && own.is_none_or(|own| own.kind().is_none()),
        // A task without `ready` is up when it is launched.
        Some(name) if name == "start" => {
            let can = !child.is_task() || own.is_some_and(|own| own.says("ready").is_some());
            can && !is_given("start")
        }
        // A task without a context is dropped at its next await, and a subtree takes as long as its children.
        Some(name) if name == "shutdown" => {
            let can = child.subtree().is_none() && (!child.is_task() || child.has_context());
            can && !is_given("shutdown")
        }
        Some(_) => false,
    }
}

/// Each argument for itself, so that a child can have another role under the same lease.
fn takes_on(arg: &Arg, child: &Child, own: Option<&Setting>) -> bool {
    let is_alone = matches!(child.shape, Some(Shape::One(_) | Shape::Optional(_)));
    child.remote().is_some()
        && match &arg.name {
            None => own.is_none_or(|own| own.value().is_none()),
            // A single child is on one node anyway.
            Some(name) if name == "spread" && is_alone => false,
            Some(name) => own.is_none_or(|own| own.named(&name.to_string()).is_none()),
        }
}

fn takes_mailbox(arg: &Arg, child: &Child, own: Option<&Setting>) -> bool {
    let can = !child.is_task() && child.subtree().is_none();
    can && match &arg.name {
        None => own.is_none_or(|own| own.value().is_none()),
        Some(name) => own.is_none_or(|own| own.named(&name.to_string()).is_none()),
    }
}
