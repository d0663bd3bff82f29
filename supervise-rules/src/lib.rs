//! The rules about settings, as plain functions. Depend on the crate `supervise` instead.
//!
//! A setting can be checked at two times. `supervise-macros` checks literals while the tree compiles, and
//! `supervise-runtime` checks computed values when the child starts. Both put what they know into a [`Child`] and a
//! [`Supervision`], call the same function, and turn each [`Problem`] into a message of their own. Both match on
//! [`Problem`] without a wildcard, so a new rule does not compile until both crates have a message for it.
//!
//! While a tree compiles, the value of an expression is not known: it is [`Given::Computed`]. No value that an
//! expression could have may turn a reported problem into a sound setting, so every problem that the compiler reports
//! would be reported at a start, too.
#![no_std]

use core::time::Duration;

mod backoff;
mod child;
mod limit;
mod outage;
pub mod shutdown;

pub use backoff::{Backoff, Exponential, FACTOR, Fall, RANDOM_FACTOR, Reset, Stepped, Waits, default_reset, is_time};
pub use child::{Child, Lifecycle, Mailbox, array, child};
pub use limit::{
    DEFAULT_MAX_RESTARTS, DEFAULT_WITHIN, Limit, MIN_DELAY, MaxRestarts, Supervision, effective, group, least_time,
    supervision,
};
pub use outage::{AtLimit, COMPUTED_LIMIT, Delays, Held, HeldWords, LONGEST, Outage, Range};
pub use shutdown::{Shutdown, time_to_end};

/// The shortest lease of a remote child. Its node asks for the next one after a third of it, over a network.
pub const LEAST_LEASE: Duration = Duration::from_millis(100);

/// The value of a setting, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Given<T> {
    /// The setting is not written, so its default holds.
    #[default]
    Absent,
    /// The setting is written and has this value.
    Is(T),
    /// The setting is written as an expression that is evaluated later.
    Computed,
}

impl<T: Copy> Given<T> {
    /// Whether the setting is written.
    pub const fn is_given(self) -> bool {
        !matches!(self, Given::Absent)
    }

    /// The value, if one is written and known.
    pub const fn value(self) -> Option<T> {
        match self {
            Given::Is(value) => Some(value),
            Given::Absent | Given::Computed => None,
        }
    }

    /// The value that holds, which is `default` if none is written; `None` if it is not known.
    pub const fn value_or(self, default: T) -> Option<T> {
        match self {
            Given::Absent => Some(default),
            Given::Is(value) => Some(value),
            Given::Computed => None,
        }
    }

    /// This setting, or `outer` if this one is not written.
    pub const fn or(self, outer: Self) -> Self {
        match self {
            Given::Absent => outer,
            given => given,
        }
    }
}

/// A value that is known where it is written.
impl<T> From<Option<T>> for Given<T> {
    fn from(value: Option<T>) -> Self {
        match value {
            Some(value) => Given::Is(value),
            None => Given::Absent,
        }
    }
}

/// Settings that have no effect, or that cannot all be obeyed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Problem {
    /// The duration of this setting is zero.
    NoTime(&'static str),
    /// The longest delay of a backoff is shorter than the shortest.
    EmptyRange {
        /// The shortest delay.
        min: Duration,
        /// The longest delay.
        max: Duration,
    },
    /// The list of delays of a backoff is empty.
    NoDelays,
    /// A delay in the list of a backoff is shorter than one before it.
    ShorterDelay(Fall),
    /// `random_factor` is not between 0 and 1.
    RandomFactor(f64),
    /// `factor` is less than 1, or infinite.
    Factor(f64),
    /// The delay starts over before the first delay is over.
    ResetTooEarly {
        /// The time up that resets the delay.
        after: Duration,
        /// The shortest delay.
        min: Duration,
    },
    /// An unbounded mailbox holds messages for as long as a backoff waits.
    UnboundedHold,
    /// The capacity of a mailbox is zero.
    NoPlaces,
    /// A set may have no children.
    NoChildren,
    /// A set may start no child.
    NoStarts,
    /// A set may start as many children at a time as it may have.
    StartsNotLimited {
        /// The number of starts that `max_starting` allows at a time.
        starting: u64,
        /// The number of children that `max_children` allows.
        most: u64,
    },
    /// The length of an array is zero.
    EmptyArray,
    /// A set begins with more children than it may have.
    TooManyInitial {
        /// The number of children that `initial` gives.
        initial: u64,
        /// The number of children that `max_children` allows.
        most: u64,
    },
    /// A message is delivered again at most zero times.
    NoAttempts,
    /// A mailbox is emptied at a restart, and a message is put back into it.
    FreshRedelivers,
    /// `drain` together with `shutdown = Kill`.
    DrainWithoutTime,
    /// `significant` on a child that never ends by itself.
    SignificantPermanent,
    /// `best_effort` on a child whose failure ends the tree.
    SignificantBestEffort,
    /// This setting is about restarts, and the child is `Temporary`.
    NeverRestarted(&'static str),
    /// A backoff of a child whose limit allows no restart.
    NoRestarts,
    /// `within` or `on_limit` without a number of restarts to count.
    NoLimit {
        /// The setting that has no effect.
        setting: &'static str,
        /// Whether `max_restarts` is `Unlimited`. Otherwise it is not written.
        unlimited: bool,
    },
    /// A limit of a child's own, under a supervisor whose children share one.
    LimitInGroup,
    /// `budget = Shared` under a strategy that has one budget for all children anyway.
    SharedInGroup,
    /// `on_limit = Stop` at a budget that all children share, without restarting together.
    StopAtSharedLimit,
    /// This many failures never happen within the window, because restarts wait.
    NeverReached {
        /// The number of failures that exceed the limit.
        failures: u64,
        /// The shortest time that they take.
        least: Duration,
        /// The window.
        within: Duration,
    },
}
