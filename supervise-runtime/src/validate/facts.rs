//! Settings as the rules see them. All values are known here.

use supervise_rules::{self as rules, Given};

use crate::backoff::{Backoff, Reset};
use crate::options::Options;
use crate::strategy::{Lifecycle, Limit, Mailbox, MaxRestarts, Shutdown, WhileDown};

/// The settings of a child with this lifecycle.
pub(super) fn child(options: &Options, lifecycle: Lifecycle) -> rules::Child {
    let common = &*options.common;
    rules::Child {
        set: false,
        lifecycle: lifecycle.into(),
        shutdown: common.shutdown.map(rules::Shutdown::from).into(),
        start: common.start.into(),
        ask: common.ask.into(),
        drain: common.drain,
        significant: common.significant,
        backoff: common.backoff.map(rules::Backoff::from),
        limit: common.limit.into(),
        mailbox: Given::Is(common.mailbox.into()),
        rejects: common.while_down == WhileDown::Reject,
        max_children: common.max_children.map(count).into(),
        initial: Given::Absent,
        attempts: options.attempts().into(),
        pre_restart: options.has_pre_restart(),
        post_restart: options.has_post_restart(),
    }
}

pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl From<Lifecycle> for rules::Lifecycle {
    fn from(lifecycle: Lifecycle) -> Self {
        match lifecycle {
            Lifecycle::Permanent => rules::Lifecycle::Permanent,
            Lifecycle::Transient => rules::Lifecycle::Transient,
            Lifecycle::Temporary => rules::Lifecycle::Temporary,
        }
    }
}

impl From<rules::Lifecycle> for Lifecycle {
    fn from(lifecycle: rules::Lifecycle) -> Self {
        match lifecycle {
            rules::Lifecycle::Permanent => Lifecycle::Permanent,
            rules::Lifecycle::Transient => Lifecycle::Transient,
            rules::Lifecycle::Temporary => Lifecycle::Temporary,
        }
    }
}

impl Shutdown {
    /// For the rules, in constants too.
    pub(crate) const fn facts(self) -> rules::Shutdown {
        match self {
            Shutdown::Within(time) => rules::Shutdown::Within(time),
            Shutdown::Kill => rules::Shutdown::Kill,
            Shutdown::Infinity => rules::Shutdown::Infinity,
        }
    }
}

impl From<Shutdown> for rules::Shutdown {
    fn from(shutdown: Shutdown) -> Self {
        shutdown.facts()
    }
}

impl From<Mailbox> for rules::Mailbox {
    fn from(mailbox: Mailbox) -> Self {
        match mailbox {
            Mailbox::Bounded(places) => rules::Mailbox::Bounded(count(places)),
            Mailbox::Unbounded => rules::Mailbox::Unbounded,
        }
    }
}

impl From<MaxRestarts> for rules::MaxRestarts {
    fn from(max: MaxRestarts) -> Self {
        match max {
            MaxRestarts::AtMost(max) => rules::MaxRestarts::AtMost(max),
            MaxRestarts::Unlimited => rules::MaxRestarts::Unlimited,
        }
    }
}

impl From<Limit> for rules::Limit {
    fn from(limit: Limit) -> Self {
        rules::Limit {
            max_restarts: limit.max_restarts.map(rules::MaxRestarts::from).into(),
            within: limit.within.into(),
            on_limit: limit.on_limit.is_some(),
        }
    }
}

impl From<Backoff> for rules::Backoff {
    fn from(backoff: Backoff) -> Self {
        let reset = |reset| match reset {
            Reset::Auto(after) => rules::Reset::Auto(after),
            Reset::Manual => rules::Reset::Manual,
        };
        match backoff {
            Backoff::Exponential(backoff) => rules::Backoff::Exponential(rules::Exponential {
                min: Some(backoff.min),
                max: Some(backoff.max),
                factor: Given::Is(backoff.factor),
                random_factor: Given::Is(backoff.random_factor),
                reset: backoff.reset.map(reset).into(),
            }),
            Backoff::Slotted(backoff) => rules::Backoff::Slotted { slot_time: backoff.slot_time },
        }
    }
}
