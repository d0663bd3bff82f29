//! Settings that contradict each other (rules C4 to C6 and C12).
//!
//! What is written as literals is checked while the tree compiles. What is computed, a value from a configuration or
//! an option of a spawn, is checked here when the child gets its place: at the start of its tree, or by the spawn.

use std::time::Duration;

use supervise_rules::{self as rules, Problem};

use crate::options::Options;
use crate::strategy::{Lifecycle, Limit, Shutdown, Strategy, SupervisorStrategy};

mod facts;
mod tree;

pub(crate) use tree::TreeValidator;

/// Settings that would do nothing, or that cannot all be obeyed (rules C4 to C6 and C12).
///
/// In literals the compiler finds them. In other expressions they are the error of a start: the
/// [`Failure`](crate::Failure) of the tree's start, with the path of the child, or
/// [`SpawnError::InvalidSettings`](crate::SpawnError::InvalidSettings).
///
/// ```
/// # use supervise_runtime::{Actor, Context, ExponentialBackoff, InvalidSettings, SpawnError};
/// # use std::time::Duration;
/// # struct Db;
/// # impl Actor for Db { type Msg = String; type Error = std::convert::Infallible;
/// #   async fn receive(&mut self, _: String, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (min, max) = (Duration::from_secs(30), Duration::from_secs(3)); // from a configuration
/// let db = supervise_runtime::spawn("db", || async { Ok(Db) }).backoff(ExponentialBackoff::new(min, max)).await;
/// let Err(SpawnError::InvalidSettings { what, .. }) = db else { panic!("it was not seen") };
/// assert_eq!(what, InvalidSettings::EmptyRange { min, max });
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSettings {
    /// A setting gives no time at all.
    #[error("`{0}` is no time at all")]
    NoTime(&'static str),
    /// A backoff's greatest delay is shorter than its least.
    #[error("the backoff goes from {min:?} to {max:?}, which is no range; give the shorter delay first")]
    EmptyRange {
        /// The least delay.
        min: Duration,
        /// The greatest.
        max: Duration,
    },
    /// `random_factor` is not within 0 to 1.
    #[error("`random_factor` is {0}; it is a share of the delay, from 0 to 1")]
    RandomFactor(f64),
    /// `factor` is less than 1.
    #[error("`factor` is {0}, which would shorten the delay; it is at least 1")]
    Factor(f64),
    /// `reset` comes before the first delay could be over.
    #[error("`reset` after {after:?} comes before the first delay of {min:?} is over, so the delay would never grow")]
    ResetTooEarly {
        /// The time up that resets.
        after: Duration,
        /// The least delay.
        min: Duration,
    },
    /// An unbounded mailbox that holds messages for as long as a backoff waits.
    #[error("an unbounded mailbox grows for as long as the backoff waits; bound it, or set `while_down` to `Reject`")]
    UnboundedHold,
    /// Something about restarts, of a `Temporary` child.
    #[error("a `Temporary` child is never restarted, so `{0}` would do nothing")]
    NeverRestarted(&'static str),
    /// `Bounded(0)`
    #[error("a mailbox for no message cannot take any; it is at least `Bounded(1)`")]
    NoPlaces,
    /// `max_children(0)`
    #[error("a set of no children would do nothing; `max_children` is at least 1")]
    NoChildren,
    /// `[T; 0]`
    #[error("an array of no children would do nothing; its length is at least 1")]
    EmptyArray,
    /// `initial` gives more children than `max_children` allows.
    #[error("`initial` gives {initial} children, and `max_children` allows {most}")]
    TooManyInitial {
        /// How many it gives.
        initial: usize,
        /// How many there may be.
        most: usize,
    },
    /// `redeliver(attempts = 0)`
    #[error("no attempt to deliver again would do nothing; `attempts` is at least 1")]
    NoAttempts,
    /// `within` or `on_limit` without a number of restarts to act on.
    #[error("`{0}` does nothing without a number of restarts; set `max_restarts` to one")]
    NoLimit(&'static str),
    /// A limit of its own where all children restart together.
    #[error("under {0:?} all children share one limit, so one of its own would do nothing")]
    LimitInGroup(Strategy),
    /// `significant` on a `Permanent` child.
    #[error("a `Permanent` child never ends by itself, so `significant` would do nothing")]
    SignificantPermanent,
    /// `drain` with `Kill`.
    #[error("`drain` needs time to handle messages in, and `Kill` gives none")]
    DrainWithoutTime,
    /// The limit cannot be reached, since restarts wait.
    #[error("the limit is never reached: {failures} failures take at least {least:?}, and `within` is {within:?}")]
    NeverReached {
        /// How many failures use the limit up.
        failures: u64,
        /// The least time that they take.
        least: Duration,
        /// The window.
        within: Duration,
    },
    /// A subtree has less time to stop than its children together.
    #[error("its children may take {need:?} to stop one after the other, and `shutdown` gives them {given:?}")]
    ShutdownTooShort {
        /// The time of all children.
        need: Duration,
        /// The subtree's own.
        given: Duration,
    },
}

use InvalidSettings::*;

impl InvalidSettings {
    /// In the settings of one child below a supervisor with this strategy.
    pub(crate) fn of_child(
        options: &Options,
        lifecycle: Lifecycle,
        limits: &SupervisorLimits,
    ) -> Result<(), InvalidSettings> {
        let child = facts::child(options, lifecycle);
        first(limits.strategy, |report| rules::child(&child, &limits.facts(), report))
    }

    /// In the length of an array.
    pub(crate) fn of_array(length: usize) -> Result<(), InvalidSettings> {
        first(Strategy::default(), |report| rules::array(length).into_iter().for_each(report))
    }

    /// The error of a start for what the rules found.
    fn new(problem: Problem, strategy: Strategy) -> Self {
        // A number of children in memory.
        let children = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        match problem {
            Problem::NoTime(setting) => NoTime(setting),
            Problem::EmptyRange { min, max } => EmptyRange { min, max },
            Problem::RandomFactor(share) => RandomFactor(share),
            Problem::Factor(factor) => Factor(factor),
            Problem::ResetTooEarly { after, min } => ResetTooEarly { after, min },
            Problem::UnboundedHold => UnboundedHold,
            Problem::NoPlaces => NoPlaces,
            Problem::NoChildren => NoChildren,
            Problem::EmptyArray => EmptyArray,
            Problem::TooManyInitial { initial, most } => {
                TooManyInitial { initial: children(initial), most: children(most) }
            }
            Problem::NoAttempts => NoAttempts,
            Problem::DrainWithoutTime => DrainWithoutTime,
            Problem::SignificantPermanent => SignificantPermanent,
            Problem::NeverRestarted(setting) => NeverRestarted(setting),
            Problem::NoLimit { setting, .. } => NoLimit(setting),
            Problem::LimitInGroup => LimitInGroup(strategy),
            Problem::NeverReached { failures, least, within } => NeverReached { failures, least, within },
        }
    }
}

/// The first problem that a rule reports.
fn first(strategy: Strategy, ask: impl FnOnce(&mut dyn FnMut(Problem))) -> Result<(), InvalidSettings> {
    let mut first = None;
    ask(&mut |problem| {
        first.get_or_insert(problem);
    });
    first.map_or(Ok(()), |problem| Err(InvalidSettings::new(problem, strategy)))
}

/// What a child's supervisor says about restarts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SupervisorLimits {
    pub(crate) strategy: Strategy,
    pub(crate) limit: Limit,
}

impl SupervisorLimits {
    pub(crate) fn new(strategy: &SupervisorStrategy) -> Self {
        SupervisorLimits { strategy: strategy.strategy, limit: strategy.limit }
    }

    /// In the supervisor's own settings.
    pub(crate) fn check(&self) -> Result<(), InvalidSettings> {
        first(self.strategy, |report| rules::supervision(&self.facts(), report))
    }

    fn facts(&self) -> rules::Supervision {
        rules::Supervision { group: self.strategy != Strategy::OneForOne, limit: self.limit.into() }
    }
}
