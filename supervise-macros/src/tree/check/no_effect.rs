//! Reports settings that have no effect on this kind of child (rule C4). The rules check the values of settings.

use proc_macro2::Ident;
use supervise_rules::{Given, Lifecycle, MaxRestarts};

use super::super::model::{Args, Body, Child, Setting, Shape, setting};
use super::facts;
use crate::errors::{Errors, in_line};

/// Reports a limit on restarts, and a decider, in a tree whose children are never restarted.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    not_decided(body, errors);
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

/// Reports the decider of a tree that is asked about none of its children (S23). A set is a `Permanent` member, whatever
/// its instances are.
fn not_decided(body: &Body, errors: &mut Errors) {
    let mut children = body.children().peekable();
    if let Some(decider) = setting(&body.settings, "decider")
        && children.peek().is_some()
        && !body.lost_entry
        && children.all(|child| child.is_temporary() && !child.is_set() && child.shape.is_some())
    {
        let message = "every child is `Temporary`, and the tree does not decide about these; write `decider` above a \
                       child, or remove it";
        errors.at(decider.name.span(), message);
    }
}

/// Reports a decider that only restarts a child which is never restarted (S23). Without an instance `Resume` is a
/// restart too (S8).
fn never_restarted(child: &Child, errors: &mut Errors) {
    let restarts: &[&str] = if child.is_task() { &["Restart", "Resume"] } else { &["Restart"] };
    if child.is_temporary()
        && let Some(Args::Decider(decider)) = setting(&child.settings, "decider").map(|decider| &decider.args)
        && let Some(answer) = decider.only_answers(restarts)
    {
        let written = setting(&child.settings, "lifecycle").and_then(Setting::kind).is_some();
        let default = setting(&child.defaults, "lifecycle").and_then(Setting::kind).filter(|_| !written);
        let because = default.map_or_else(String::new, |kind| format!("with the default{}, ", in_line(kind.span())));
        let other = if child.is_task() { "`Escalate`" } else { "`Resume` or `Escalate`" };
        let message = format!(
            "{because}a `Temporary` child is never restarted, and its decider says nothing else; answer {other}, or \
             remove `decider`"
        );
        errors.at(answer.span(), message);
    }
}

/// Reports arguments of `lifecycle` that this child cannot obey, and a backoff for no restart. `above` are the settings of
/// the tree.
pub(super) fn child(child: &Child, above: &[Setting], errors: &mut Errors) {
    if let Some(backoff) = setting(&child.settings, "backoff")
        && stays_ended(child)
        && restarts_nothing(child, above)
    {
        let message = "the decider never restarts this child; remove `backoff`, or answer `Restart`";
        errors.at(backoff.name.span(), message);
    }
    never_restarted(child, errors);
    // Without a shape, the kind of the child is unknown, and so is the effect of its lifecycle.
    if let Some(lifecycle) = setting(&child.settings, "lifecycle")
        && child.shape.is_some()
    {
        self::lifecycle(lifecycle, child, errors);
    }
}

/// Returns whether the child is not restarted when it has ended by itself. That a `Temporary` child is never restarted is
/// reported for another reason.
fn stays_ended(child: &Child) -> bool {
    child.subtree().is_some() || child.lifecycle() == Lifecycle::Transient
}

/// Returns whether the deciders restart the child after no failure. With a shared budget a backoff has another effect: if
/// all members declare one, there is no limit (S15).
fn restarts_nothing(child: &Child, above: &[Setting]) -> bool {
    if facts::supervision(above).shares_budget() {
        return false;
    }
    let decider = |settings| match &setting(settings, "decider")?.args {
        Args::Decider(decider) => Some(decider),
        Args::List(_) => None,
    };
    match decider(&child.settings) {
        Some(own) if !own.only_ends() => false,
        Some(own) if own.is_total() => true,
        _ => decider(above).is_some_and(|above| above.only_ends() && above.is_total()),
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
    if let Some((handler, _)) = lifecycle.named("handler")
        && (child.is_task() || child.subtree().is_some())
    {
        errors.reject_at(handler.span(), "`handler` is for actors; a task or a subtree has no mailbox; remove it");
    }
    if let Some(drain) = lifecycle.says("drain")
        && (child.is_task() || child.subtree().is_some())
    {
        errors.reject_at(drain.span(), "`drain` is for actors; a task or a subtree has no mailbox; remove it");
    }
    if child.only_with().is_some() {
        if let Some(significant) = lifecycle.says("significant") {
            let message = "a subtree with `only_with` ends at every change of the holder, and its tree would end with it; \
                           remove `significant`";
            errors.at(significant.span(), message);
        }
        if let Some(best_effort) = lifecycle.says("best_effort") {
            let message =
                "the first start of the tree does not wait for a subtree with `only_with`; remove `best_effort`";
            errors.reject_at(best_effort.span(), message);
        }
        return;
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
        // The options of a subtree have no such method, so rustc must not see the call.
        Some(_) => errors.reject_at(word.span(), message),
        None => errors.at(word.span(), message),
    }
}
