//! Settings that contradict each other (pages C4 to C6 and C12 of `supervise::errors`).
//!
//! Literals are checked while the tree compiles. Computed values, such as a value from a configuration or an option of
//! a spawn, are checked when the child is added: at the start of its tree, or by the spawn. The rules are the same:
//! those of `supervise-rules`.

use std::time::Duration;

use supervise_rules::{self as rules, Problem};

use crate::values::strategy::{BudgetScope, OnLimit, RestartLimit, Strategy};

/// Settings that would have no effect, or that contradict each other.
///
/// In literals the compiler reports them. In other expressions they are the error of a start: the
/// [`Failure`](crate::values::failure::Failure) of the tree's start, with the path of the child, or
/// [`SpawnError::InvalidSettings`](crate::values::spawn_error::SpawnError::InvalidSettings).
///
/// ```
/// # use supervise::error::{InvalidSettings, SpawnError};
/// # use supervise::prelude::*;
/// # use std::time::Duration;
/// # struct Db;
/// # impl Actor for Db { type Msg = String; type Error = std::convert::Infallible;
/// #   async fn receive(&mut self, _: String, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (min, max) = (Duration::from_secs(30), Duration::from_secs(3)); // from a configuration
/// let db = supervise::spawn(child! {
///     #[backoff(min..max)]
///     "db": Db = Db
/// });
/// let Err(SpawnError::InvalidSettings { what, .. }) = db.await else { panic!("it was not seen") };
/// assert_eq!(what, InvalidSettings::EmptyRange { min, max });
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSettings {
    /// A duration is zero.
    #[error("`{0}` is zero; give a longer duration")]
    NoTime(&'static str),
    /// The longest delay of a backoff is shorter than its shortest.
    #[error("the backoff goes from {min:?} to {max:?}, which is an empty range; give the shorter delay first")]
    EmptyRange {
        /// The shortest delay.
        min: Duration,
        /// The longest delay.
        max: Duration,
    },
    /// The list of delays of a backoff is empty.
    #[error("the backoff has no delays; give at least one")]
    NoDelays,
    /// A delay in the list of a backoff is shorter than one before it.
    #[error("the delay of {to:?} comes after one of {from:?}, and a backoff never gets shorter; sort the delays")]
    ShorterDelay {
        /// The shorter delay.
        to: Duration,
        /// The longest delay before it.
        from: Duration,
    },
    /// `random_factor` is not between 0 and 1.
    #[error("`random_factor` is {0}, which is not a share of the delay; give a number from 0 to 1")]
    RandomFactor(f64),
    /// `factor` is less than 1, or infinite.
    #[error("`factor` is {0}, which is below 1 or not finite; give a finite number of at least 1")]
    Factor(f64),
    /// `reset` comes before the first delay is over.
    #[error(
        "`reset` after {after:?} comes before the first delay of {min:?} is over, so the delay would never grow; make \
         `reset` longer"
    )]
    ResetTooEarly {
        /// The uptime after which the delay starts over.
        after: Duration,
        /// The shortest delay.
        min: Duration,
    },
    /// A method of [`Backoff`](crate::values::backoff::Backoff) has no meaning for delays of this form.
    #[error("`{0}` has no effect on this form of backoff; remove it")]
    NotOfBackoff(&'static str),
    /// An unbounded mailbox holds messages for as long as a backoff waits.
    #[error("an unbounded mailbox grows for as long as the backoff waits; bound it, or set `while_down` to `Reject`")]
    UnboundedHold,
    /// A setting about restarts is given to a `Temporary` child, which is never restarted.
    #[error("a `Temporary` child is never restarted, so `{0}` has no effect; remove `{0}`")]
    NeverRestarted(&'static str),
    /// A mailbox without room for a message: `Bounded(0)`.
    #[error("the mailbox capacity is 0; give at least 1")]
    NoPlaces,
    /// A set without room for a child: `max_children(0)`.
    #[error("`max_children` is 0; give at least 1")]
    NoChildren,
    /// A set that starts no child: `max_starting(0)`.
    #[error("`max_starting` is 0, so no child would ever start; give at least 1")]
    NoStarts,
    /// `max_starting` allows at least as many starts as `max_children` allows children.
    #[error(
        "`max_starting` allows {starting} starts at a time, and `max_children` {most} children, so it has no effect; give \
         less, or remove it"
    )]
    StartsNotLimited {
        /// The number of starts that are allowed at a time.
        starting: usize,
        /// The number of children that are allowed.
        most: usize,
    },
    /// An array of length 0: `[T; 0]`.
    #[error("an array of 0 children has no effect; make it longer, or remove the child")]
    EmptyArray,
    /// `initial` has more children than `max_children` allows.
    #[error("`initial` gives {initial} children, and `max_children` allows {most}; allow more, or give fewer")]
    TooManyInitial {
        /// The number of children in `initial`.
        initial: usize,
        /// The number of children that are allowed.
        most: usize,
    },
    /// Two children in `initial` have the same key, and a key has one instance.
    #[error("children {first} and {second} of `initial` have the same key; remove one of them")]
    InitialKeyTwice {
        /// The place of the first child with this key, counted from 1.
        first: usize,
        /// The place of the second.
        second: usize,
    },
    /// No attempt to redeliver: `redeliver(attempts = 0)`.
    #[error("`attempts` is 0; give at least 1, or remove `redeliver`")]
    NoAttempts,
    /// `fresh` empties the mailbox at a restart, and `redeliver` puts a message back into it.
    #[error("`fresh` empties the mailbox at a restart, and `redeliver` puts a message back; remove one of them")]
    FreshRedelivers,
    /// `within` or `on_limit` is given without a number of restarts.
    #[error("`{0}` has no effect without a number of restarts; set `max_restarts` to a number")]
    NoLimit(&'static str),
    /// A child has its own limit under a strategy that restarts all children together.
    #[error("{} all children share one limit, so the child's own limit has no effect; remove it", sharing(*.0))]
    LimitInGroup(Strategy),
    /// A shared budget is set for a strategy under which all children share one anyway.
    #[error("under {0:?} all children share one budget anyway; remove `budget`")]
    SharedInGroup(Strategy),
    /// A shared budget is combined with `on_limit` Stop, which would end only the child that failed last.
    #[error("at a shared limit, `Stop` would end only the child that failed last; remove `on_limit`")]
    StopAtSharedLimit,
    /// A `Permanent` child is `significant`, though it never ends by itself.
    #[error("a `Permanent` child never ends by itself; make it `Transient`, or remove `significant`")]
    SignificantPermanent,
    /// A child whose failure ends the tree is `best_effort`.
    #[error("the tree ends when this child fails, so it cannot be `best_effort`; remove that, or `significant`")]
    SignificantBestEffort,
    /// `drain` is combined with `Kill`, which leaves no time to drain.
    #[error("`drain` needs time to handle messages, and `Kill` gives none; give another `shutdown`")]
    DrainWithoutTime,
    /// The limit cannot be reached, because restarts wait.
    #[error(
        "the limit is never reached, because {failures} failures take at least {least:?}, and `within` is {within:?}; \
         allow more time, or fewer restarts"
    )]
    NeverReached {
        /// The number of failures that use up the limit.
        failures: u64,
        /// The shortest time in which this many failures can occur.
        least: Duration,
        /// The window.
        within: Duration,
    },
    /// A tree under test has a child on another runtime, whose clock the test does not move.
    #[error(
        "`runtime` is another runtime than that of the test, whose clock the test cannot move; pass `Handle::current()` in \
         tests"
    )]
    RuntimeUnderTest,
    /// A subtree has less time to stop than its children can take.
    #[error(
        "the children may take {need:?} to stop, and `shutdown` gives them {given:?}; give at least {need:?}, or remove \
         `shutdown`"
    )]
    ShutdownTooShort {
        /// The time that all children may take.
        need: Duration,
        /// The time of the subtree.
        given: Duration,
    },
}

/// Under `OneForOne`, children share a limit only where that is set.
fn sharing(strategy: Strategy) -> String {
    match strategy {
        Strategy::OneForOne => "with a shared budget".into(),
        strategy => format!("under {strategy:?}"),
    }
}

use InvalidSettings::*;

impl InvalidSettings {
    /// Checks the length of an array.
    #[doc(hidden)]
    pub fn of_array(length: usize) -> Result<(), InvalidSettings> {
        first(Strategy::default(), |report| rules::array(length).into_iter().for_each(report))
    }

    /// The error of a start for a problem that the rules have found; `None` if it is one of literals only.
    fn new(problem: Problem, strategy: Strategy) -> Option<Self> {
        // Each of these children is in memory, so their number fits.
        let children = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Some(match problem {
            Problem::NoTime(setting) => NoTime(setting),
            Problem::EmptyRange { min, max } => EmptyRange { min, max },
            Problem::NoDelays => NoDelays,
            Problem::ShorterDelay(fall) => ShorterDelay { to: fall.to, from: fall.from },
            Problem::RandomFactor(share) => RandomFactor(share),
            Problem::Factor(factor) => Factor(factor),
            Problem::ResetTooEarly { after, min } => ResetTooEarly { after, min },
            Problem::UnboundedHold => UnboundedHold,
            Problem::NoPlaces => NoPlaces,
            Problem::NoChildren => NoChildren,
            Problem::NoStarts => NoStarts,
            Problem::StartsNotLimited { starting, most } => {
                StartsNotLimited { starting: children(starting), most: children(most) }
            }
            Problem::EmptyArray => EmptyArray,
            Problem::TooManyInitial { initial, most } => {
                TooManyInitial { initial: children(initial), most: children(most) }
            }
            Problem::NoAttempts => NoAttempts,
            Problem::FreshRedelivers => FreshRedelivers,
            Problem::DrainWithoutTime => DrainWithoutTime,
            Problem::SignificantPermanent => SignificantPermanent,
            Problem::SignificantBestEffort => SignificantBestEffort,
            Problem::NeverRestarted(setting) => NeverRestarted(setting),
            // Accepted at run time: a computed number may be 0 in some deployments.
            Problem::NoRestarts => return None,
            Problem::NoLimit { setting, .. } => NoLimit(setting),
            Problem::LimitInGroup => LimitInGroup(strategy),
            Problem::SharedInGroup => SharedInGroup(strategy),
            Problem::StopAtSharedLimit => StopAtSharedLimit,
            Problem::NeverReached { failures, least, within } => NeverReached { failures, least, within },
        })
    }
}

/// Returns the first problem that a rule reports.
#[doc(hidden)]
pub fn first(strategy: Strategy, ask: impl FnOnce(&mut dyn FnMut(Problem))) -> Result<(), InvalidSettings> {
    let mut first = None;
    ask(&mut |problem| first = first.take().or_else(|| InvalidSettings::new(problem, strategy)));
    first.map_or(Ok(()), Err)
}

/// The part of a supervisor's settings that concerns restarts.
#[derive(Debug, Clone, Copy, Default)]
#[doc(hidden)]
pub struct SupervisorLimits {
    #[doc(hidden)]
    pub strategy: Strategy,
    #[doc(hidden)]
    pub limit: RestartLimit,
    #[doc(hidden)]
    pub budget: BudgetScope,
}

impl SupervisorLimits {
    /// Checks the supervisor's own settings.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), InvalidSettings> {
        first(self.strategy, |report| rules::supervision(&self.facts(), report))
    }

    /// The settings as the rules see them.
    #[doc(hidden)]
    pub fn facts(&self) -> rules::Supervision {
        rules::Supervision {
            group: self.strategy != Strategy::OneForOne,
            shared: self.budget == BudgetScope::Shared,
            stops: self.limit.on_limit == Some(OnLimit::Stop),
            limit: self.limit.into(),
        }
    }
}
