//! The restart limit that holds for a declared child.

use std::time::Duration;

use supervise_rules as rules;

use super::{ChildSpec, Shape};
use crate::values::outage::Outage;
use crate::values::strategy::{OnLimit, Strategy};

/// The restart limit that holds for a child, whether it is written above the child, or in the tree, or nowhere. In
/// [`ChildSpec::limit`](super::ChildSpec::limit); for a set, the limit of each instance.
///
/// A child with a backoff has no limit unless one is written, and a limit of the tree holds for it, too
/// (rule S15):
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::OnLimit;
/// use supervise::prelude::*;
/// use supervise::spec::{DeclaredLimit, Outage};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Plain {
///         #[backoff(100ms..5s, random_factor = 0)]
///         upstream: Db = Db,
///     }
/// }
///
/// supervisor! {
///     struct Written {
///         #![strategy(OneForOne, max_restarts = 5, within = 1min)]
///         #[backoff(100ms..5s, random_factor = 0)]
///         upstream: Db = Db,
///     }
/// }
///
/// assert_eq!(Plain::SPEC.children[0].limit, DeclaredLimit::Unlimited);
/// let time = Duration::from_millis(3100);
/// assert_eq!(Written::SPEC.children[0].limit, DeclaredLimit::AtMost {
///     restarts: 5,
///     within: Some(Duration::from_secs(60)),
///     shared: false,
///     on_limit: OnLimit::Escalate,
///     outage: Some(Outage::UsesUp { least: time, most: Some(time) }),
/// });
/// assert!(Written::SPEC.render().contains("at most 5 restarts in 60s: Written fails after 3.1s of outage"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeclaredLimit {
    /// The child is `Temporary`, and never restarted.
    Never,
    /// Any number of restarts.
    Unlimited,
    /// At most so many restarts.
    AtMost {
        /// The number of restarts.
        restarts: u32,
        /// The window in which they count; `None`: the life of the supervisor's incarnation.
        within: Option<Duration>,
        /// Whether the restarts of all children of the tree count together.
        shared: bool,
        /// The action at the limit.
        on_limit: OnLimit,
        /// The outage of this child alone that uses the limit up; `None` if a delay is an expression.
        outage: Option<Outage>,
    },
    /// An expression is declared, which is evaluated when the tree starts. A snapshot shows its value.
    Computed,
}

/// The limit of a child that has neither a limit nor a backoff.
#[doc(hidden)]
pub const fn default_limit(on_limit: OnLimit, shared: bool, is_task: bool) -> DeclaredLimit {
    let held = rules::Held::by_default(shared, is_task);
    let rules::Held { max: rules::MaxRestarts::AtMost(restarts), within, .. } = held else {
        return DeclaredLimit::Unlimited;
    };
    let outage = match held.outage {
        Some(rules::Outage::UsesUp { least, most }) => Some(Outage::UsesUp { least, most }),
        Some(rules::Outage::Survived) => Some(Outage::Survived),
        None => None,
    };
    DeclaredLimit::AtMost { restarts, within, shared, on_limit, outage }
}

impl ChildSpec {
    /// The limit as a few words. `tree`: the name of the tree, and its strategy.
    #[doc(hidden)]
    pub fn limit_note(&self, (tree, strategy): (&str, Strategy)) -> Option<String> {
        let (supervisor, strategy) = match self.shape {
            Shape::Set | Shape::Keyed(_) | Shape::Only => (self.name, Strategy::OneForOne),
            Shape::One | Shape::Optional | Shape::Array(_) => (tree, strategy),
        };
        let then = |on_limit| at_limit(supervisor, strategy, on_limit);
        Some(match self.limit {
            DeclaredLimit::Never => return None,
            DeclaredLimit::Unlimited => {
                let unlimited = rules::MaxRestarts::Unlimited;
                rules::Held { max: unlimited, within: None, shared: false, outage: None }.words("").to_string()
            }
            DeclaredLimit::AtMost { restarts, within, shared, on_limit, outage } => {
                let max = rules::MaxRestarts::AtMost(restarts);
                let outage = outage.map(Outage::facts);
                rules::Held { max, within, shared, outage }.words(then(on_limit)).to_string()
            }
            DeclaredLimit::Computed => rules::COMPUTED_LIMIT.to_owned(),
        })
    }
}

/// Returns what follows at the limit of a child of this supervisor.
#[doc(hidden)]
pub fn at_limit(supervisor: &str, strategy: Strategy, on_limit: OnLimit) -> String {
    let strategy = match strategy {
        Strategy::OneForOne => rules::Range::One,
        Strategy::RestForOne => rules::Range::Rest,
        Strategy::AllForOne => rules::Range::All,
    };
    rules::AtLimit { supervisor, range: strategy, stops: on_limit == OnLimit::Stop }.to_string()
}
