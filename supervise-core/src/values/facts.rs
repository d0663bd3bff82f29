//! Settings as the rules of `supervise-rules` see them. All values are known here.

use supervise_rules::{self as rules, Given};

use crate::values::backoff::{Backoff, Delays, Reset};
use crate::values::strategy::{Lifecycle, Mailbox, MaxRestarts, RestartLimit, ShutdownTimeout};

/// A number of things in memory.
pub fn count(number: usize) -> u64 {
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

impl ShutdownTimeout {
    /// The time to stop as the rules see it, in constants too.
    #[doc(hidden)]
    pub const fn facts(self) -> rules::Shutdown {
        match self {
            ShutdownTimeout::Within(time) => rules::Shutdown::Within(time),
            ShutdownTimeout::Kill => rules::Shutdown::Kill,
            ShutdownTimeout::Infinity => rules::Shutdown::Infinity,
        }
    }
}

impl From<ShutdownTimeout> for rules::Shutdown {
    fn from(shutdown: ShutdownTimeout) -> Self {
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

impl From<RestartLimit> for rules::Limit {
    fn from(limit: RestartLimit) -> Self {
        rules::Limit {
            max_restarts: limit.max_restarts.map(rules::MaxRestarts::from).into(),
            within: limit.within.into(),
            on_limit: limit.on_limit.is_some(),
        }
    }
}

impl From<&Backoff> for rules::Backoff {
    fn from(backoff: &Backoff) -> Self {
        let reset = |reset| match reset {
            Reset::After(after) => rules::Reset::Auto(after),
            Reset::Manual => rules::Reset::Manual,
        };
        match &backoff.delays {
            Delays::Exponential(backoff) => rules::Backoff::Exponential(rules::Exponential {
                min: Some(backoff.min),
                max: Some(backoff.max),
                factor: Given::Is(backoff.factor),
                random_factor: Given::Is(backoff.random_factor),
                reset: backoff.reset.map(reset).into(),
            }),
            Delays::Stepped(backoff) => {
                let delays = backoff.delays.iter().copied().map(Some);
                rules::Backoff::Stepped(rules::Stepped::new(delays, Given::Is(backoff.random_factor)))
            }
            Delays::Slotted(backoff) => rules::Backoff::Slotted { slot_time: backoff.slot_time },
        }
    }
}
