//! Settings that contradict each other (rules C4 to C6 and C12).
//!
//! Literals are checked while the tree compiles. Computed values, such as a value from a configuration or an option of
//! a spawn, are checked here when the child is added: at the start of its tree, or by the spawn.

use std::time::Duration;

use crate::actor::options::Options;
use crate::values::backoff::{Backoff, Reset};
use crate::values::strategy::{
    Lifecycle, Limit, Mailbox, MaxRestarts, Shutdown, Strategy, SupervisorStrategy, WhileDown,
};

mod pace;
mod tally;

pub(crate) use tally::Tally;

/// Settings that would have no effect, or that contradict each other.
///
/// In literals the compiler reports them. In other expressions they are the error of a start: the
/// [`Failure`](crate::Failure) of the tree's start, with the path of the child, or
/// [`SpawnError::Contradiction`](crate::SpawnError::Contradiction) (rules C4 to C6 and C12).
///
/// ```
/// # use supervise_runtime::{Actor, Context, Contradiction, ExponentialBackoff, SpawnError};
/// # use std::time::Duration;
/// # struct Db;
/// # impl Actor for Db { type Msg = String; type Error = std::convert::Infallible;
/// #   async fn receive(&mut self, _: String, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (min, max) = (Duration::from_secs(30), Duration::from_secs(3)); // from a configuration
/// let db = supervise_runtime::spawn("db", || async { Ok(Db) }).backoff(ExponentialBackoff::new(min, max)).await;
/// let Err(SpawnError::Contradiction { what, .. }) = db else { panic!("it was not seen") };
/// assert_eq!(what, Contradiction::EmptyRange { min, max });
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// A duration is zero.
    #[error("`{0}` is no time at all")]
    NoTime(&'static str),
    /// The longest delay of a backoff is shorter than its shortest.
    #[error("the backoff goes from {min:?} to {max:?}, which is no range; give the shorter delay first")]
    EmptyRange {
        /// The shortest delay.
        min: Duration,
        /// The longest delay.
        max: Duration,
    },
    /// `random_factor` is not within 0 to 1.
    #[error("`random_factor` is {0}; it is a share of the delay, from 0 to 1")]
    RandomFactor(f64),
    /// `factor` is less than 1.
    #[error("`factor` is {0}, which would shorten the delay; it is at least 1")]
    Factor(f64),
    /// `reset` comes before the first delay is over.
    #[error("`reset` after {after:?} comes before the first delay of {min:?} is over, so the delay would never grow")]
    ResetTooEarly {
        /// The uptime after which the delay starts over.
        after: Duration,
        /// The shortest delay.
        min: Duration,
    },
    /// An unbounded mailbox holds messages for as long as a backoff waits.
    #[error("an unbounded mailbox grows for as long as the backoff waits; bound it, or set `while_down` to `Reject`")]
    UnboundedHold,
    /// A setting about restarts is given to a `Temporary` child, which is never restarted.
    #[error("a `Temporary` child is never restarted, so `{0}` would do nothing")]
    NeverRestarted(&'static str),
    /// A mailbox without room for a message: `Bounded(0)`.
    #[error("a mailbox for no message cannot take any; it is at least `Bounded(1)`")]
    NoPlaces,
    /// A set without room for a child: `max_children(0)`.
    #[error("a set of no children would do nothing; `max_children` is at least 1")]
    NoChildren,
    /// An array of length 0: `[T; 0]`.
    #[error("an array of no children would do nothing; its length is at least 1")]
    EmptyArray,
    /// `initial` has more children than `max_children` allows.
    #[error("`initial` gives {initial} children, and `max_children` allows {most}")]
    TooManyInitial {
        /// The number of children in `initial`.
        initial: usize,
        /// The number of children that are allowed.
        most: usize,
    },
    /// No attempt to redeliver: `redeliver(attempts = 0)`.
    #[error("no attempt to deliver again would do nothing; `attempts` is at least 1")]
    NoAttempts,
    /// `within` or `on_limit` is given without a number of restarts.
    #[error("`{0}` does nothing without a number of restarts; set `max_restarts` to one")]
    NoLimit(&'static str),
    /// A child has its own limit under a strategy that restarts all children together.
    #[error("under {0:?} all children share one limit, so one of its own would do nothing")]
    LimitInGroup(Strategy),
    /// A `Permanent` child is `significant`, though it never ends by itself.
    #[error("a `Permanent` child never ends by itself, so `significant` would do nothing")]
    SignificantPermanent,
    /// `drain` is combined with `Kill`, which leaves no time to drain.
    #[error("`drain` needs time to handle messages in, and `Kill` gives none")]
    DrainWithoutTime,
    /// The limit cannot be reached, because restarts wait.
    #[error("the limit is never reached: {failures} failures take at least {least:?}, and `within` is {within:?}")]
    NeverReached {
        /// The number of failures that use up the limit.
        failures: u64,
        /// The shortest time in which so many failures can occur.
        least: Duration,
        /// The window.
        within: Duration,
    },
    /// A subtree has less time to stop than its children together.
    #[error("its children may take {need:?} to stop one after the other, and `shutdown` gives them {given:?}")]
    ShutdownTooShort {
        /// The time that all children may take.
        need: Duration,
        /// The time of the subtree.
        given: Duration,
    },
}

use Contradiction::*;

impl Contradiction {
    /// Checks the settings of one child of a supervisor with this strategy.
    pub(crate) fn of_child(options: &Options, lifecycle: Lifecycle, outer: &Outer) -> Result<(), Contradiction> {
        let common = &*options.common;
        common.times().try_for_each(|(setting, time)| demand(!time.is_zero(), NoTime(setting)))?;
        if let Some(Backoff::Exponential(backoff)) = &common.backoff {
            let (min, max) = (backoff.min, backoff.max);
            demand(min <= max, EmptyRange { min, max })?;
            demand((0.0..=1.0).contains(&backoff.random_factor), RandomFactor(backoff.random_factor))?;
            demand(backoff.factor >= 1.0 && backoff.factor.is_finite(), Factor(backoff.factor))?;
            if let Some(Reset::Auto(after)) = backoff.reset {
                demand(after >= min, ResetTooEarly { after, min })?;
            }
        }
        if common.backoff.is_some() {
            let holds = common.mailbox == Mailbox::Unbounded && common.while_down == WhileDown::Hold;
            demand(!holds, UnboundedHold)?;
        }
        demand(common.mailbox != Mailbox::Bounded(0), NoPlaces)?;
        demand(common.max_children != Some(0), NoChildren)?;
        demand(options.attempts() != Some(0), NoAttempts)?;
        let kill = matches!(common.shutdown, Some(Shutdown::Kill));
        demand(!(common.drain && kill), DrainWithoutTime)?;
        demand(!(common.significant && lifecycle == Lifecycle::Permanent), SignificantPermanent)?;
        if lifecycle == Lifecycle::Temporary {
            demand(!allows_restarts(&common.limit), NeverRestarted("limit"))?;
            demand(common.backoff.is_none(), NeverRestarted("backoff"))?;
            options.about_restarts().map_or(Ok(()), |setting| Err(NeverRestarted(setting)))?;
        }
        outer.of_limit(common.limit, common.backoff.as_ref(), lifecycle)
    }
}

/// The part of a supervisor's settings that concerns restarts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outer {
    pub(crate) strategy: Strategy,
    pub(crate) limit: Limit,
}

impl Outer {
    pub(crate) fn new(strategy: &SupervisorStrategy) -> Self {
        Outer { strategy: strategy.strategy, limit: strategy.limit }
    }

    /// Checks the supervisor's own settings.
    pub(crate) fn check(&self) -> Result<(), Contradiction> {
        some_window(&self.limit)?;
        numberless(&self.limit)?;
        demand(self.limit.max_restarts.is_some() || self.limit.within.is_none(), NoLimit("within"))
    }

    fn of_limit(&self, own: Limit, backoff: Option<&Backoff>, lifecycle: Lifecycle) -> Result<(), Contradiction> {
        if self.strategy != Strategy::OneForOne {
            return demand(own == Limit::new(), LimitInGroup(self.strategy));
        }
        some_window(&own)?;
        numberless(&own)?;
        let max = own.max_restarts.or(self.limit.max_restarts);
        if backoff.is_some() && max.is_none() {
            demand(own.within.is_none(), NoLimit("within"))?;
            demand(own.on_limit.is_none(), NoLimit("on_limit"))?;
        }
        match (max, own.within.or(self.limit.within)) {
            (Some(MaxRestarts::AtMost(max)), Some(within)) if lifecycle != Lifecycle::Temporary => {
                pace::reached([backoff], max, within)
            }
            _ => Ok(()),
        }
    }
}

fn some_window(limit: &Limit) -> Result<(), Contradiction> {
    demand(limit.within != Some(Duration::ZERO), NoTime("within"))
}

/// With `Unlimited`, restarts are not counted, so `within` and `on_limit` would have no effect.
fn numberless(limit: &Limit) -> Result<(), Contradiction> {
    let unlimited = limit.max_restarts == Some(MaxRestarts::Unlimited);
    demand(!(unlimited && limit.within.is_some()), NoLimit("within"))?;
    demand(!(unlimited && limit.on_limit.is_some()), NoLimit("on_limit"))
}

fn allows_restarts(limit: &Limit) -> bool {
    !matches!(limit.max_restarts, None | Some(MaxRestarts::AtMost(0)))
}

fn demand(holds: bool, otherwise: Contradiction) -> Result<(), Contradiction> {
    if holds { Ok(()) } else { Err(otherwise) }
}
