//! The settings of a supervisor and of a child, as plain values (section 1.2 of the language).

use std::fmt;
use std::time::Duration;

use crate::failure::{Cause, Failure, Phase};
use crate::sync::Arc;

/// Whom a restart takes along (rule S17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// Only the failed child.
    #[default]
    OneForOne,
    /// Every child of the supervisor.
    AllForOne,
    /// The failed child and those declared after it.
    RestForOne,
}

/// What a decider answers (rule S8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Directive {
    /// Keep the instance and its state; go on with the next message.
    Resume,
    /// A new instance; mailbox, handles and watchers stay.
    Restart,
    /// End this child.
    Stop,
    /// Let the supervisor fail with the same failure.
    Escalate,
}

/// What happens when the restart budget is used up (rule S15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnLimit {
    /// The supervisor fails with [`Cause::LimitReached`].
    Escalate,
    /// What the directive `Stop` would do.
    Stop,
}

/// How many restarts are allowed in a window (rule S15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaxRestarts {
    /// At most this many; 0 never restarts.
    AtMost(u32),
    /// Any number.
    Unlimited,
}

/// When a child is started again (rule S23).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lifecycle {
    /// After a failure, and when it ended by itself.
    Permanent,
    /// After a failure only.
    Transient,
    /// Never.
    Temporary,
}

/// How long a child may take to go down (rule S24).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shutdown {
    /// This long for the current message, its own children and `post_stop`; then it is aborted.
    Within(Duration),
    /// No time at all: its future is dropped, no hook runs.
    Kill,
    /// As long as it takes.
    Infinity,
}

impl From<Duration> for Shutdown {
    fn from(time: Duration) -> Self {
        Shutdown::Within(time)
    }
}

/// How many messages can wait (rule S3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mailbox {
    /// At most this many; a `tell` waits for room.
    Bounded(usize),
    /// Any number.
    Unbounded,
}

impl Default for Mailbox {
    fn default() -> Self {
        Mailbox::Bounded(1024)
    }
}

/// What becomes of messages while their actor is down (rule S35).
///
/// It is down before its first start, and from its own or an ancestor's failure, or from when its group or a
/// restart by hand takes it down, until it handles messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhileDown {
    /// They wait in the mailbox.
    #[default]
    Hold,
    /// They go back at once, with [`Refusal::Down`](crate::Refusal::Down). What was queued before stays.
    Reject,
}

/// A budget of restarts: how many, in which window, and what happens then (rule S15).
///
/// What is not set is taken from the supervisor's strategy, or from the default: 10 in 1 minute,
/// `Escalate` (in a `[..]`: `Stop`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    pub(crate) max_restarts: Option<MaxRestarts>,
    pub(crate) within: Option<Duration>,
    pub(crate) on_limit: Option<OnLimit>,
}

impl Limit {
    /// Nothing set.
    pub const fn new() -> Self {
        Limit { max_restarts: None, within: None, on_limit: None }
    }

    /// The number of restarts that are allowed.
    pub const fn max_restarts(mut self, max: MaxRestarts) -> Self {
        self.max_restarts = Some(max);
        self
    }

    /// The window. Without it the number counts over the life of the supervisor's incarnation.
    pub const fn within(mut self, window: Duration) -> Self {
        self.within = Some(window);
        self
    }

    /// What happens at the limit.
    pub const fn on_limit(mut self, then: OnLimit) -> Self {
        self.on_limit = Some(then);
        self
    }
}

type Decide = dyn Fn(&Failure) -> Option<Directive> + Send + Sync;

/// The function that decides what happens after a failure (rules S8 and S9).
///
/// Made by `decider! { .. }` from arms, or by [`Decider::total`] from a function. A failure that it
/// leaves open goes to the next one: a child's decider first, then the tree's, then the default.
///
/// ```
/// # use supervise_runtime::{Decider, Directive};
/// let stop_all = Decider::total(|_failure| Directive::Stop);
/// ```
#[derive(Clone)]
pub struct Decider {
    decide: Decides,
    typed: bool,
}

#[derive(Clone)]
enum Decides {
    Const(fn(&Failure) -> Option<Directive>),
    Shared(Arc<Decide>),
}

impl Decider {
    /// A decider with arms: `None` where no arm matches.
    pub fn partial(decide: impl Fn(&Failure) -> Option<Directive> + Send + Sync + 'static) -> Self {
        Decider { decide: Decides::Shared(Arc::new(decide)), typed: true }
    }

    /// A decider that answers every failure.
    pub fn total(decide: impl Fn(&Failure) -> Directive + Send + Sync + 'static) -> Self {
        Decider { decide: Decides::Shared(Arc::new(move |failure| Some(decide(failure)))), typed: false }
    }

    /// What this decider says, if it says anything.
    pub fn decide(&self, failure: &Failure) -> Option<Directive> {
        match &self.decide {
            Decides::Const(decide) => decide(failure),
            Decides::Shared(decide) => decide(failure),
        }
    }

    /// True when it was made of arms.
    pub fn has_arms(&self) -> bool {
        self.typed
    }
}

impl fmt::Debug for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decider").field("arms", &self.typed).finish_non_exhaustive()
    }
}

/// What can stand in `decider(..)`: a [`Decider`], or a function or closure `Fn(&Failure) -> Directive`.
#[diagnostic::on_unimplemented(
    message = "this cannot decide on failures",
    label = "expected a `Decider`, or a function or closure `Fn(&Failure) -> Directive`"
)]
pub trait IntoDecider<M> {
    /// The decider.
    fn into_decider(self) -> Decider;
}

impl IntoDecider<()> for Decider {
    fn into_decider(self) -> Decider {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(&Failure) -> Directive + Send + Sync + 'static> IntoDecider<fn(&Failure)> for F {
    fn into_decider(self) -> Decider {
        Decider::total(self)
    }
}

/// The default decision (rule S9), for what no decider has answered. `arms` is whether one with arms
/// was asked: an error that none of its arms names escalates, as with the exit lists of old.
pub(crate) fn default_directive(failure: &Failure, backoff_declared: bool, arms: bool) -> Directive {
    match (failure.cause(), failure.phase()) {
        (Cause::Error(_), _) if arms => Directive::Escalate,
        (Cause::Killed | Cause::DeathPact(_), _) => Directive::Stop,
        (_, Phase::Start) if !backoff_declared => Directive::Stop,
        _ => Directive::Restart,
    }
}

/// Everything that an actor says about the children it spawns (rule S38), and a tree about its own.
///
/// Written with `strategy! { .. }` or by hand:
///
/// ```
/// # use supervise_runtime::{SupervisorStrategy, Strategy, MaxRestarts, Directive};
/// # use std::time::Duration;
/// let strategy = SupervisorStrategy::new(Strategy::AllForOne)
///     .max_restarts(MaxRestarts::AtMost(3))
///     .within(Duration::from_secs(60))
///     .decider(|_: &_| Directive::Restart);
/// ```
#[derive(Debug, Clone, Default)]
pub struct SupervisorStrategy {
    pub(crate) strategy: Strategy,
    pub(crate) limit: Limit,
    pub(crate) decider: Option<Decider>,
}

impl SupervisorStrategy {
    /// OneForOne, and every failure stops the child (rule S9).
    pub const STOPPING: SupervisorStrategy = SupervisorStrategy {
        strategy: Strategy::OneForOne,
        limit: Limit::new(),
        decider: Some(Decider { decide: Decides::Const(|_| Some(Directive::Stop)), typed: false }),
    };

    /// This strategy with the default budget and decider: 10 restarts in 1 minute (rule S15), rule S9.
    pub const fn new(strategy: Strategy) -> Self {
        SupervisorStrategy { strategy, limit: Limit::new(), decider: None }
    }

    pub(crate) fn is_default(&self) -> bool {
        self.strategy == Strategy::OneForOne && self.limit == Limit::new() && self.decider.is_none()
    }

    /// The number of restarts allowed: per child under OneForOne, else for the whole group.
    pub fn max_restarts(mut self, max: MaxRestarts) -> Self {
        self.limit = self.limit.max_restarts(max);
        self
    }

    /// The window of the budget.
    pub fn within(mut self, window: Duration) -> Self {
        self.limit = self.limit.within(window);
        self
    }

    /// What happens when the budget is used up; default `Escalate`.
    pub fn on_limit(mut self, then: OnLimit) -> Self {
        self.limit = self.limit.on_limit(then);
        self
    }

    /// The decider.
    pub fn decider<M>(mut self, decider: impl IntoDecider<M>) -> Self {
        self.decider = Some(decider.into_decider());
        self
    }
}
