//! The outage that uses up a restart limit, as users see it.

use std::time::Duration;

use supervise_rules as rules;

use crate::values::backoff::{Backoff, Delays};

/// Whether an outage uses up the restart limit of a child, and after which time.
///
/// The outage is one in which each attempt of this child fails, and fails at once: an attempt that takes its time makes
/// the outage longer by that. No other child fails meanwhile, and nothing was used of the budget before (rule S15).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::spec::Outage;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop {
///         #![strategy(OneForOne, max_restarts = 5, within = 1min)]
///         #[backoff(100ms..5s)]
///         upstream: Db = Db,
///         #[limit(max_restarts = Unlimited)]
///         #[backoff(100ms..5s)]
///         stubborn: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?.snapshot();
/// let outage = |path| shop.find(path).and_then(|node| node.restarts).map(|restarts| restarts.outage);
/// // Five restarts after 100, 200, 400, 800 and 1600 ms, with up to a fifth of jitter.
/// let (least, most) = (Duration::from_millis(3100), Some(Duration::from_millis(3720)));
/// assert_eq!(outage("upstream"), Some(Outage::UsesUp { least, most }));
/// assert_eq!(outage("stubborn"), Some(Outage::Survived));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outage {
    /// No outage uses up the limit: there is none, or so many restarts never fall into one window.
    Survived,
    /// An outage uses up the limit.
    UsesUp {
        /// The time until then, with the delays without their jitter.
        least: Duration,
        /// The time until then, with all of the jitter. `None`: with some of it, the limit is not reached.
        most: Option<Duration>,
    },
}

impl From<rules::Outage> for Outage {
    fn from(outage: rules::Outage) -> Self {
        match outage {
            rules::Outage::Survived => Outage::Survived,
            rules::Outage::UsesUp { least, most } => Outage::UsesUp { least, most },
        }
    }
}

impl Outage {
    /// The outage as the rules see it.
    #[doc(hidden)]
    pub fn facts(self) -> rules::Outage {
        match self {
            Outage::Survived => rules::Outage::Survived,
            Outage::UsesUp { least, most } => rules::Outage::UsesUp { least, most },
        }
    }
}

/// Returns the delays of a child with this backoff. `at_once`: without one, the first restart is immediate.
#[doc(hidden)]
pub fn delays(backoff: Option<&Backoff>, at_once: bool) -> rules::Delays<'_> {
    match backoff.map(|backoff| &backoff.delays) {
        None => rules::Delays::BuiltIn { at_once },
        Some(Delays::Exponential(backoff)) => rules::Delays::Growing {
            min: backoff.min,
            max: backoff.max,
            factor: backoff.factor,
            random_factor: backoff.random_factor,
        },
        Some(Delays::Stepped(backoff)) => {
            rules::Delays::Listed { delays: &backoff.delays, random_factor: backoff.random_factor }
        }
        Some(Delays::Slotted(_)) => rules::Delays::Slotted,
    }
}
