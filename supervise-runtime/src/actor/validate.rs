//! The settings of one child, checked by the rules of `supervise-rules`.

use supervise_rules::{self as rules, Given};

use crate::actor::options::Options;
use supervise_core::values::facts::count;
use supervise_core::values::invalid_settings::{InvalidSettings, SupervisorLimits, first};
use supervise_core::values::strategy::{Lifecycle, WhileDown};

/// Checks the settings of one child of a supervisor with this strategy.
pub(crate) fn check(options: &Options, lifecycle: Lifecycle, limits: &SupervisorLimits) -> Result<(), InvalidSettings> {
    let child = facts(options, lifecycle);
    let common = &*options.common;
    for backoff in [&common.backoff, &common.pace].into_iter().flatten() {
        backoff.without_effect.map_or(Ok(()), |name| Err(InvalidSettings::NotOfBackoff(name)))?;
    }
    limits.check()?;
    first(limits.strategy, |report| rules::child(&child, &limits.facts(), report))
}

/// The settings of a child with this lifecycle, as the rules see them.
pub(crate) fn facts(options: &Options, lifecycle: Lifecycle) -> rules::Child {
    let common = &*options.common;
    rules::Child {
        set: false,
        lifecycle: lifecycle.into(),
        shutdown: common.shutdown.map(rules::Shutdown::from).into(),
        start: common.start.into(),
        handler: common.handler.into(),
        ask: common.ask.into(),
        drain: common.drain,
        significant: common.significant,
        best_effort: common.best_effort,
        backoff: common.backoff.as_ref().map(rules::Backoff::from),
        pace: common.pace.as_ref().map(rules::Backoff::from),
        limit: common.limit.into(),
        mailbox: Given::Is(common.mailbox.into()),
        fresh: common.fresh,
        rejects: common.while_down == WhileDown::Reject,
        max_children: common.max_children.map(count).into(),
        max_starting: common.max_starting.map(count).into(),
        initial: Given::Absent,
        attempts: options.attempts().into(),
        pre_restart: options.has_pre_restart(),
        post_restart: options.has_post_restart(),
    }
}
