//! Reports settings that have no effect on this kind of child (rule C4). The rules check the values of settings.

use proc_macro2::Ident;
use supervise_rules::{Given, Lifecycle, MaxRestarts};

use super::super::model::{Body, Child, Setting, Shape, setting};
use super::facts;
use crate::errors::Errors;

/// Reports a limit on restarts in a tree whose children are never restarted.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    let Some(strategy) = setting(&body.settings, "strategy") else { return };
    let mut children = body.children().peekable();
    let is_temporary = |child: &Child| child.lifecycle() == Lifecycle::Temporary;
    let temporary = children.peek().is_some() && children.all(|child| child.subtree().is_none() && is_temporary(child));
    if temporary
        && let Some((name, _)) = strategy.named("max_restarts")
        && facts::supervision(&body.settings).limit.max_restarts != Given::Is(MaxRestarts::AtMost(0))
    {
        errors.at(name.span(), "every child is `Temporary`, so nothing is ever restarted; remove `max_restarts`");
    }
    if temporary && let Some((name, _)) = strategy.named("budget") {
        errors.at(name.span(), "every child is `Temporary`, so nothing is ever restarted; remove `budget`");
    }
}

/// Reports arguments of `lifecycle` that this child cannot obey.
pub(super) fn child(child: &Child, errors: &mut Errors) {
    if let Some(lifecycle) = setting(&child.settings, "lifecycle") {
        self::lifecycle(lifecycle, child, errors);
    }
}

fn lifecycle(lifecycle: &Setting, child: &Child, errors: &mut Errors) {
    let no_context = child.is_task() && !child.has_context();
    if let Some((name, _)) = lifecycle.named("shutdown")
        && no_context
    {
        errors.at(
            name.span(),
            "a task without a context is dropped at once when it is to stop; write `|cx| ..`, or remove `shutdown`",
        );
    }
    let ready = lifecycle.says("ready");
    if let Some(ready) = ready {
        if !child.is_task() {
            errors.reject_at(
                ready.span(),
                "`ready` is for tasks; an actor or a tree is up when its start has finished; remove it",
            );
        } else if no_context {
            errors.at(
                ready.span(),
                "a task without a context cannot say that it is ready; write `|cx| ..`, or remove `ready`",
            );
        }
    }
    if let Some((start, _)) = lifecycle.named("start")
        && child.is_task()
        && ready.is_none()
    {
        errors
            .at(start.span(), "a task without `ready` has started once it is launched; add `ready`, or remove `start`");
    }
    if let Some(drain) = lifecycle.says("drain")
        && (child.is_task() || child.subtree().is_some())
    {
        errors.reject_at(drain.span(), "`drain` is for actors; a task or a subtree has no mailbox; remove it");
    }
    if let Some(best_effort) = lifecycle.says("best_effort") {
        self::best_effort(best_effort, child, errors);
    }
}

/// Without the child, the first start goes on, so something must answer for it.
fn best_effort(word: &Ident, child: &Child, errors: &mut Errors) {
    let reason = match &child.shape {
        Some(Shape::Optional(_)) => "the handle of an optional child exists only once it was up",
        Some(Shape::Inline(_)) => "the handle of a subtree exists only once it was up",
        _ if child.is_set() => "an instance of a `[..]` never concerns the first start",
        _ => return,
    };
    let message = format!("{reason}; remove `best_effort`");
    match child.subtree() {
        // There is no such method.
        Some(_) => errors.reject_at(word.span(), message),
        None => errors.at(word.span(), message),
    }
}
