//! The decision about a failure, and the strategy of a supervisor.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

use crate::base::deferred_drop::CatchDrop;
use crate::base::sync::Arc;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::invalid_settings::SupervisorLimits;
use crate::values::strategy::{BudgetScope, Directive, MaxRestarts, OnLimit, RestartLimit, Strategy};

/// Gets the place for the index of the arm that answers.
type Decide = dyn Fn(&Failure, &mut usize) -> Option<Directive> + Send + Sync;

/// The index of no arm.
const NO_ARM: usize = usize::MAX;

/// An arm of a decider: `e: io::Error if e.kind() == NotFound => Stop`.
///
/// `Display` writes its text. See [`DecidedBy`](crate::values::event::DecidedBy).
///
/// ```
/// use supervise::event::DecidedBy;
/// use supervise::policy::Arm;
///
/// /// The line of a log: which arm has answered, and where it is written.
/// fn answered(by: DecidedBy) -> Option<String> {
///     let (DecidedBy::Child(arm) | DecidedBy::Supervisor(arm)) = by else { return None };
///     arm.map(|Arm { index, text, at, .. }| format!("arm {index}, {text}, at {at}"))
/// }
/// # assert_eq!(answered(DecidedBy::Default), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arm {
    /// The position among the arms of its decider, from 0.
    pub index: usize,
    /// The arm as it is written.
    pub text: &'static str,
    /// The place of the arm in the source.
    pub at: &'static Location<'static>,
}

impl Arm {
    /// Makes an arm at the place of the call. Called by generated code.
    #[doc(hidden)]
    #[track_caller]
    pub const fn new(index: usize, text: &'static str) -> Self {
        Arm { index, text, at: Location::caller() }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The function that decides what happens after a failure.
///
/// `decider! { .. }` makes one from arms, [`Decider::total`] from a function. A failure that a decider leaves open goes
/// to the next one: first the child's decider, then the tree's, then the default. A decider runs in the task of the
/// child that failed. It sees the failure, not the child's state or message. A panic in a decider escalates (rules S8
/// and S9).
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// /// One decider for several trees.
/// fn patient() -> Decider {
///     decider! {
///         e: std::io::Error if e.kind() == std::io::ErrorKind::PermissionDenied => Stop,
///         _ => Restart,
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #![decider(patient())]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// # shop.db.tell(()).await?;
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// # assert_eq!(shop.db.incarnation(), 2);
/// let stop_all = Decider::total(|_failure| Directive::Stop);
/// assert!(patient().has_arms() && !stop_all.has_arms());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Decider {
    decide: Decides,
    typed: bool,
    arms: &'static [Arm],
}

#[derive(Clone)]
enum Decides {
    Const(fn(&Failure) -> Option<Directive>),
    Shared(Arc<Decide>),
    /// Decides all failures of one child. `None`: not now.
    InTime(Arc<DecideInTime>),
}

type DecideInTime = dyn Fn(&Failure) -> Option<Directive> + Send + Sync;

impl Decider {
    /// Makes a decider with arms: `None` if no arm matches.
    pub fn partial(decide: impl Fn(&Failure) -> Option<Directive> + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, _| decide(failure))), typed: true, arms: &[] }
    }

    /// Makes the decider of one child, which may keep a failure until it is asked again: `None`.
    #[doc(hidden)]
    pub fn in_time(decide: impl Fn(&Failure) -> Option<Directive> + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::InTime(Arc::new(move |failure| decide(failure))), typed: false, arms: &[] }
    }

    /// Returns whether the decider may keep a failure until it is asked again.
    #[doc(hidden)]
    pub fn is_in_time(&self) -> bool {
        matches!(self.decide, Decides::InTime(_))
    }

    /// Makes a decider with these arms. `decide` stores the index of the arm that answers. Called by generated code.
    #[doc(hidden)]
    pub fn with_arms(
        decide: impl Fn(&Failure, &mut usize) -> Option<Directive> + Send + Sync + 'static,
        arms: &'static [Arm],
    ) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, arm| decide(failure, arm))), typed: true, arms }
    }

    /// Makes a decider that answers every failure.
    pub fn total(decide: impl Fn(&Failure) -> Directive + Send + Sync + 'static) -> Self {
        let decide = CatchDrop::new(decide);
        Decider { decide: Decides::Shared(Arc::new(move |failure, _| Some(decide(failure)))), typed: false, arms: &[] }
    }

    /// Returns the directive for this failure; `None` if the decider leaves it open.
    pub fn decide(&self, failure: &Failure) -> Option<Directive> {
        self.answer(failure).map(|(directive, _)| directive)
    }

    /// Returns the directive for this failure, and the arm that gave it.
    #[doc(hidden)]
    pub fn answer(&self, failure: &Failure) -> Option<(Directive, Option<&'static Arm>)> {
        let mut arm = NO_ARM;
        let directive = match &self.decide {
            Decides::Const(decide) => decide(failure),
            Decides::Shared(decide) => decide(failure, &mut arm),
            Decides::InTime(decide) => decide(failure),
        };
        Some((directive?, self.arms.get(arm)))
    }

    /// Returns `true` if the decider has arms, so that an error without an arm escalates.
    pub fn has_arms(&self) -> bool {
        self.typed
    }
}

impl fmt::Debug for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decider").field("arms", &self.typed).finish_non_exhaustive()
    }
}

/// A value that can be written in `decider(..)`: a [`Decider`], or a function or closure `Fn(&Failure) -> Directive`.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// fn by_phase(failure: &Failure) -> Directive {
///     if failure.phase() == Phase::Running { Directive::Restart } else { Directive::Stop }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[decider(by_phase)] // a path
///         db: Db = Db,
///         #[decider(|failure: &Failure| by_phase(failure))] // a closure
///         cart: Db = Db,
///         #[decider(decider! { _ => Stop })] // a value
///         audit: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// # shop.db.tell(()).await?;
/// # shop.audit.tell(()).await?;
/// # tokio::time::sleep(std::time::Duration::from_secs(1)).await;
/// # assert_eq!((shop.db.incarnation(), shop.audit.ended().is_some()), (2, true));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot decide on failures",
    label = "expected a `Decider`, or a function or closure `Fn(&Failure) -> Directive`"
)]
pub trait IntoDecider<M> {
    /// Returns the decider.
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

/// Returns the default decision for a failure that every decider left open (rule S9). `arms`: a decider with arms was
/// asked. An error that none of its arms names escalates, unless only its text has crossed from another process: no arm
/// can name its type.
#[inline]
#[doc(hidden)]
pub fn default_directive(failure: &Failure, backoff_declared: bool, arms: bool) -> Directive {
    match (failure.cause(), failure.phase()) {
        (Cause::Error(error), _) if arms && !error.crossed_as_text() => Directive::Escalate,
        (Cause::Killed | Cause::DeathPact(_), _) => Directive::Stop,
        // The child is not at fault, so another node is tried, also in the first start of a tree.
        (Cause::NodeLost { .. }, _) => Directive::Restart,
        (_, Phase::Start) if !backoff_declared => Directive::Stop,
        _ => Directive::Restart,
    }
}

/// The strategy, limit and decider for the children of an actor or a tree.
///
/// Default: `OneForOne`, 10 restarts in 1 minute for each child, and the default decider. Write one with
/// `strategy! { .. }`, or with these methods (rules S9 and S38):
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::MaxRestarts;
/// use supervise::prelude::*;
///
/// struct Manager;
///
/// #[actor]
/// impl Manager {
///     fn handle(&mut self, _msg: ()) {}
///
/// /// `strategy! { #![strategy(AllForOne, max_restarts = 3, within = 1min)] #![decider(|_| Directive::Restart)] }`
///     #[supervision]
///     fn children(&self) -> SupervisorStrategy {
///         SupervisorStrategy::new(Strategy::AllForOne)
///             .max_restarts(MaxRestarts::AtMost(3))
///             .within(Duration::from_secs(60))
///             .decider(|_: &_| Directive::Restart)
///     }
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SupervisorStrategy {
    #[doc(hidden)]
    pub strategy: Strategy,
    #[doc(hidden)]
    pub limit: RestartLimit,
    #[doc(hidden)]
    pub budget: BudgetScope,
    #[doc(hidden)]
    pub decider: Option<Decider>,
}

impl SupervisorStrategy {
    /// `OneForOne`, and every failure stops the child.
    ///
    /// See rule S9.
    pub const STOPPING: SupervisorStrategy = SupervisorStrategy {
        strategy: Strategy::OneForOne,
        limit: RestartLimit::new(),
        budget: BudgetScope::PerChild,
        decider: Some(Decider { decide: Decides::Const(|_| Some(Directive::Stop)), typed: false, arms: &[] }),
    };

    /// Returns this strategy with the default budget, 10 restarts in 1 minute, and the default decider.
    ///
    /// See rules S9 and S15.
    pub const fn new(strategy: Strategy) -> Self {
        SupervisorStrategy { strategy, limit: RestartLimit::new(), budget: BudgetScope::PerChild, decider: None }
    }

    /// Returns the part that concerns restarts.
    #[doc(hidden)]
    pub fn limits(&self) -> SupervisorLimits {
        SupervisorLimits { strategy: self.strategy, limit: self.limit, budget: self.budget }
    }

    #[doc(hidden)]
    #[inline]
    pub fn is_default(&self) -> bool {
        let SupervisorStrategy { strategy, limit, budget, decider } = self;
        *strategy == Strategy::OneForOne
            && *limit == RestartLimit::new()
            && *budget == BudgetScope::PerChild
            && decider.is_none()
    }

    /// Sets the number of restarts that are allowed: for each child under `OneForOne`, otherwise for the whole group.
    pub fn max_restarts(mut self, max: MaxRestarts) -> Self {
        self.limit = self.limit.max_restarts(max);
        self
    }

    /// Sets the window of the budget.
    pub fn within(mut self, window: Duration) -> Self {
        self.limit = self.limit.within(window);
        self
    }

    /// Sets the action when the budget is used up; default `Escalate`.
    pub fn on_limit(mut self, then: OnLimit) -> Self {
        self.limit = self.limit.on_limit(then);
        self
    }

    /// Sets which children share the budget under `OneForOne`; default [`BudgetScope::PerChild`]. A shared budget
    /// allows neither `on_limit` Stop nor a limit of a child's own.
    pub fn budget(mut self, budget: BudgetScope) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the decider.
    pub fn decider<M>(mut self, decider: impl IntoDecider<M>) -> Self {
        self.decider = Some(decider.into_decider());
        self
    }
}
