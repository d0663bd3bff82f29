//! Options that would do nothing (rule C4).

use syn::{Expr, Lit};

use super::super::model::{Body, Child, Setting, Shape, setting, word};
use crate::errors::Errors;

/// What a tree's own settings promise but cannot keep.
pub(super) fn body(body: &Body, errors: &mut Errors) {
    let Some(strategy) = setting(&body.settings, "strategy") else { return };
    budget(strategy, errors);
    let mut children = body.children().peekable();
    let temporary = children.peek().is_some() && children.all(|child| child.subtree().is_none() && is_temporary(child));
    if temporary
        && let Some((name, value)) = strategy.named("max_restarts")
        && !is_zero(value)
    {
        errors.at(name.span(), "every child is `Temporary`, so nothing is ever restarted; remove `max_restarts`");
    }
}

/// What a child's settings promise but cannot keep.
pub(super) fn child(child: &Child, parent: &Body, errors: &mut Errors) {
    if let Some(limit) = setting(&child.settings, "limit") {
        budget(limit, errors);
        // A declared limit holds for a child with a backoff too, that of the tree included.
        let outer = setting(&parent.settings, "strategy").filter(|_| !child.is_set());
        let declared = [Some(limit), outer].into_iter().flatten().any(|from| from.named("max_restarts").is_some());
        if setting(&child.settings, "backoff").is_some() && !declared {
            for (name, _) in ["within", "on_limit"].into_iter().filter_map(|name| limit.named(name)) {
                errors.at(name.span(), "a child with a backoff has no limit of its own accord; add `max_restarts`");
            }
        }
        if is_temporary(child) && limit.named("max_restarts").is_some_and(|(_, value)| !is_zero(value)) {
            errors.at(limit.name.span(), "a `Temporary` child is never restarted; remove `limit`");
        }
    }
    if let Some(lifecycle) = setting(&child.settings, "lifecycle") {
        self::lifecycle(lifecycle, child, errors);
    }
    if let Some(redeliver) = setting(&child.settings, "redeliver")
        && let Some((_, value)) = redeliver.named("attempts")
        && is_zero(value)
    {
        errors.on(value, "no attempt would do nothing; write at least 1, or remove `redeliver`");
    }
    if let Some(mailbox) = setting(&child.settings, "mailbox")
        && let Some(Expr::Call(bounded)) = mailbox.first()
        && bounded.args.first().is_some_and(is_zero)
    {
        errors.on(&bounded.args, "a mailbox for no message cannot take any; write at least `Bounded(1)`");
    }
    if let Some(max) = setting(&child.settings, "max_children")
        && let Some(value) = max.first()
        && is_zero(value)
    {
        errors.on(value, "a set of no children would do nothing; write at least 1");
    }
}

/// Arguments of `lifecycle` that this child cannot obey.
fn lifecycle(lifecycle: &Setting, child: &Child, errors: &mut Errors) {
    let no_context = child.is_task() && !has_context(child);
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
            errors.at(
                ready.span(),
                "`ready` is for tasks; an actor or a tree is up when its start is through; remove it",
            );
            errors.hide_body();
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
    if let Some(drain) = lifecycle.says("drain") {
        if child.is_task() || child.subtree().is_some() {
            errors.at(drain.span(), "`drain` is for actors; a task or a subtree has no mailbox; remove it");
            errors.hide_body();
        } else if let Some((_, shutdown)) = lifecycle.named("shutdown")
            && word(shutdown).is_some_and(|word| word == "Kill")
        {
            errors.at(drain.span(), "`drain` needs time to handle messages in; write another `shutdown` than `Kill`");
        }
    }
    let permanent = match lifecycle.kind() {
        Some(kind) => kind == "Permanent",
        None => !child.is_task() && !child.is_set(),
    };
    if let Some(significant) = lifecycle.says("significant")
        && permanent
    {
        errors.at(
            significant.span(),
            "a `Permanent` child never ends by itself; write `Transient`, or remove `significant`",
        );
    }
}

/// `within` and `on_limit` need a number to act on.
fn budget(setting: &Setting, errors: &mut Errors) {
    let max = setting.named("max_restarts").map(|(_, value)| value);
    let unlimited = max.and_then(word).is_some_and(|word| word == "Unlimited");
    let inherits = setting.name == "limit";
    if let Some((within, _)) = setting.named("within") {
        if unlimited {
            errors.at(within.span(), "`within` does nothing with `Unlimited`; remove it");
        } else if max.is_none() && !inherits && !setting.misspelt() {
            errors.at(within.span(), "`within` does nothing without `max_restarts`; add `max_restarts = N`");
        }
    }
    if let Some((on_limit, _)) = setting.named("on_limit")
        && unlimited
    {
        errors.at(on_limit.span(), "`on_limit` does nothing with `Unlimited`; remove it");
    }
}

pub(super) fn is_temporary(child: &Child) -> bool {
    setting(&child.settings, "lifecycle").is_some_and(|lifecycle| lifecycle.says("Temporary").is_some())
}

/// Whether a task is written `|cx| ..`.
pub(in crate::tree) fn has_context(child: &Child) -> bool {
    match (&child.start, child.takes_arguments()) {
        // Whether there is one inside an `Option` only the compiler can see.
        _ if matches!(child.shape, Some(Shape::Optional(_))) => true,
        (Some(Expr::Closure(closure)), true) => matches!(*closure.body, Expr::Closure(_)),
        (Some(Expr::Closure(_)), false) => true,
        // What could not be read may well have one.
        (start, _) => start.is_none(),
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(lit) if matches!(&lit.lit, Lit::Int(int) if int.base10_digits() == "0"))
}
