//! The restart budget: at most a given number of restarts in any window shorter than `within` (S15).

use std::collections::VecDeque;
use std::time::Duration;

use supervise_rules::{Given, Held, MaxRestarts};
use tokio::time::Instant;

use crate::base::clock::after;
use crate::values::outage::Outage;
use crate::values::strategy::{OnLimit, RestartLimit};

/// A resolved limit: every field has its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The number of restarts; `None`: unlimited.
    pub max: Option<u32>,
    /// The window; `None`: the incarnation of the supervisor.
    pub within: Option<Duration>,
    pub on_limit: OnLimit,
}

impl Allowance {
    /// Resolves a limit: `own` takes precedence over `tree`, and `tree` over the default, which is 10 in 1 minute, or
    /// unlimited if the child declares a backoff.
    pub fn resolve(own: RestartLimit, tree: RestartLimit, backoff_declared: bool, on_limit: OnLimit) -> Self {
        let (max, within) = supervise_rules::effective(&own.into(), &tree.into(), backoff_declared);
        let max = match max {
            Given::Is(MaxRestarts::AtMost(max)) => Some(max),
            _ => None,
        };
        let within = within.value();
        Allowance { max, within, on_limit: own.on_limit.or(tree.on_limit).unwrap_or(on_limit) }
    }

    /// The limit as the rules see it, with the outage of a child that uses it up.
    pub fn held(&self, outage: Outage, shared: bool) -> Held {
        Held { max: self.max_restarts(), within: self.within, shared, outage: Some(outage.facts()) }
    }

    /// The number of restarts as the rules see it.
    pub fn max_restarts(&self) -> MaxRestarts {
        self.max.map_or(MaxRestarts::Unlimited, MaxRestarts::AtMost)
    }
}

/// The used part of an allowance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budget {
    /// The time of the oldest of the latest restarts. Kept apart from the others, because one restart in a window is the
    /// usual case, and needs no allocation then.
    oldest: Option<Instant>,
    /// The times of the restarts after it. Together they are never more than the allowance permits.
    later: VecDeque<Instant>,
    /// The number of restarts, for an allowance without a window.
    count: u32,
}

impl Budget {
    /// Returns whether one more restart is allowed now.
    #[inline]
    pub fn allows(&self, allowance: &Allowance, now: Instant) -> bool {
        let Some(max) = allowance.max else { return true };
        let Some(within) = allowance.within else { return self.count < max };
        match self.remembered().checked_sub(max as usize) {
            None => true,
            // Of as many restarts as are allowed, the oldest has to be over.
            Some(first) => self.charged().nth(first).is_some_and(|at| !is_within(at, within, now)),
        }
    }

    /// Returns the number of restarts that count now; 0 if any number is allowed.
    pub fn used(&self, allowance: &Allowance, now: Instant) -> u32 {
        match (allowance.max, allowance.within) {
            (None, _) => 0,
            (Some(_), None) => self.count,
            (Some(_), Some(within)) => self.charged().filter(|at| is_within(*at, within, now)).count() as u32,
        }
    }

    /// Returns the time from which on no restart counts any more, if one counts now and the window is limited.
    pub fn restored(&self, allowance: &Allowance, now: Instant) -> Option<Instant> {
        let newest = self.charged().last()?;
        let within = allowance.within.filter(|within| allowance.max.is_some() && is_within(newest, *within, now))?;
        Some(after(newest, within))
    }

    /// Counts a restart.
    #[inline]
    pub fn charge(&mut self, allowance: &Allowance, now: Instant) {
        self.count = self.count.saturating_add(1);
        if let (Some(max), Some(within)) = (allowance.max, allowance.within) {
            while self.oldest.is_some_and(|at| !is_within(at, within, now)) {
                self.forget_oldest();
            }
            match self.oldest {
                None => self.oldest = Some(now),
                Some(_) => self.later.push_back(now),
            }
            if self.remembered() > max as usize {
                self.forget_oldest();
            }
        }
    }

    /// Returns the times of the latest restarts, oldest first.
    fn charged(&self) -> impl Iterator<Item = Instant> {
        self.oldest.into_iter().chain(self.later.iter().copied())
    }

    /// Returns the number of these restarts.
    fn remembered(&self) -> usize {
        usize::from(self.oldest.is_some()) + self.later.len()
    }

    fn forget_oldest(&mut self) {
        self.oldest = self.later.pop_front();
    }
}

/// Returns whether a restart at this time still counts.
fn is_within(at: Instant, within: Duration, now: Instant) -> bool {
    now.saturating_duration_since(at) < within
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::strategy::MaxRestarts;

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn the_window_slides() {
        let allowance = Allowance { max: Some(2), within: Some(Duration::from_millis(100)), on_limit: OnLimit::Stop };
        let (mut budget, start) = (Budget::default(), Instant::now());
        for (ms, allowed) in [(0, true), (60, true), (99, false), (100, true), (159, false), (160, true)] {
            assert_eq!(budget.allows(&allowance, at(start, ms)), allowed, "at {ms} ms");
            if allowed {
                budget.charge(&allowance, at(start, ms));
            }
        }
    }

    #[test]
    fn without_a_window_every_restart_counts() {
        let allowance = Allowance { max: Some(1), within: None, on_limit: OnLimit::Stop };
        let (mut budget, start) = (Budget::default(), Instant::now());
        assert!(budget.allows(&allowance, start));
        budget.charge(&allowance, start);
        assert!(!budget.allows(&allowance, at(start, u64::from(u32::MAX))));
    }

    #[test]
    fn restarts_in_the_window_are_used() {
        let allowance = Allowance { max: Some(3), within: Some(Duration::from_millis(100)), on_limit: OnLimit::Stop };
        let (mut budget, start) = (Budget::default(), Instant::now());
        for ms in [0, 40, 80] {
            budget.charge(&allowance, at(start, ms));
        }
        for (ms, used) in [(80, 3), (99, 3), (100, 2), (139, 2), (140, 1), (180, 0)] {
            assert_eq!(budget.used(&allowance, at(start, ms)), used, "at {ms} ms");
        }
        let without_window = Allowance { within: None, ..allowance };
        assert_eq!(budget.used(&without_window, at(start, 1000)), 3);
        assert_eq!(budget.used(&Allowance { max: None, ..allowance }, start), 0);
    }

    #[test]
    fn only_as_many_restarts_are_remembered_as_are_allowed() {
        let allowance = Allowance { max: Some(2), within: Some(Duration::from_secs(1)), on_limit: OnLimit::Stop };
        let (mut budget, start) = (Budget::default(), Instant::now());
        for ms in 0..10 {
            budget.charge(&allowance, at(start, ms));
        }
        assert_eq!(budget.charged().collect::<Vec<_>>(), [at(start, 8), at(start, 9)]);
    }

    #[test]
    fn a_declared_backoff_lifts_the_default_and_nothing_else() {
        let none = RestartLimit::new();
        assert_eq!(Allowance::resolve(none, none, true, OnLimit::Escalate).max, None);
        assert_eq!(Allowance::resolve(none, none, false, OnLimit::Escalate).max, Some(10));
        let tree = none.max_restarts(MaxRestarts::AtMost(3));
        assert_eq!(Allowance::resolve(none, tree, true, OnLimit::Escalate).max, Some(3));
        let own = none.max_restarts(MaxRestarts::Unlimited);
        assert_eq!(Allowance::resolve(own, tree, false, OnLimit::Escalate).max, None);
    }
}
