//! Backoffs: which values make sense (rule C5), and how long their restarts wait at least.

use core::time::Duration;

use crate::{Given, Problem};

/// The default of `factor`.
pub const FACTOR: f64 = 2.0;

/// The default of `random_factor`.
pub const RANDOM_FACTOR: f64 = 0.2;

/// The delay before each restart of a child.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Growing delays with jitter.
    Exponential(Exponential),
    /// A list of delays, with jitter.
    Stepped(Stepped),
    /// Random multiples of a slot.
    Slotted {
        /// The length of a slot.
        slot_time: Duration,
    },
}

/// The settings of growing delays.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Exponential {
    /// The shortest delay, if it is known.
    pub min: Option<Duration>,
    /// The longest delay, if it is known.
    pub max: Option<Duration>,
    /// The factor from each delay to the next.
    pub factor: Given<f64>,
    /// The largest share of a delay that is added at random.
    pub random_factor: Given<f64>,
    /// The point at which the delay starts over.
    pub reset: Given<Reset>,
}

/// The settings of a list of delays.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stepped {
    /// The first delay, if it is known.
    pub first: Option<Duration>,
    /// Whether there is no delay.
    pub is_empty: bool,
    /// Whether one of the delays is zero.
    pub has_zero: bool,
    /// The first delay that is shorter than one before it, as far as both are known.
    pub falls: Option<Fall>,
    /// The largest share of a delay that is added at random.
    pub random_factor: Given<f64>,
}

/// A delay in a list that is shorter than one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fall {
    /// The number of the shorter delay in the list, counted from 0.
    pub at: usize,
    /// The shorter delay.
    pub to: Duration,
    /// The longest delay before it.
    pub from: Duration,
}

/// The point at which a growing delay starts over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    /// After an incarnation that was up this long.
    Auto(Duration),
    /// When the actor asks for it.
    Manual,
}

/// Whether a duration is long enough for a setting: longer than zero.
pub const fn is_time(time: Duration) -> bool {
    !time.is_zero()
}

/// The default of `reset`: the middle between the shortest and the longest delay.
pub fn default_reset(min: Duration, max: Duration) -> Duration {
    min.saturating_add(max) / 2
}

impl Exponential {
    /// Reports numbers that contradict each other.
    pub(crate) fn check(&self, report: &mut dyn FnMut(Problem)) {
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            report(Problem::EmptyRange { min, max });
        }
        if let Given::Is(share) = self.random_factor
            && !is_share(share)
        {
            report(Problem::RandomFactor(share));
        }
        if let Given::Is(factor) = self.factor
            && !grows(factor)
        {
            report(Problem::Factor(factor));
        }
        if let (Given::Is(Reset::Auto(after)), Some(min)) = (self.reset, self.min)
            && after < min
        {
            report(Problem::ResetTooEarly { after, min });
        }
    }
}

impl Stepped {
    /// The settings of these delays; `None` is one that is not known.
    pub fn new(delays: impl IntoIterator<Item = Option<Duration>>, random_factor: Given<f64>) -> Self {
        let mut stepped = Stepped { is_empty: true, random_factor, ..Stepped::default() };
        let mut longest = Duration::ZERO;
        for (at, delay) in delays.into_iter().enumerate() {
            stepped.is_empty = false;
            let Some(delay) = delay else { continue };
            if at == 0 {
                stepped.first = Some(delay);
            }
            stepped.has_zero |= !is_time(delay);
            if delay < longest {
                stepped.falls.get_or_insert(Fall { at, to: delay, from: longest });
            }
            longest = longest.max(delay);
        }
        stepped
    }

    /// Reports delays that contradict each other.
    pub(crate) fn check(&self, report: &mut dyn FnMut(Problem)) {
        if self.is_empty {
            report(Problem::NoDelays);
        }
        if let Some(fall) = self.falls {
            report(Problem::ShorterDelay(fall));
        }
        if let Given::Is(share) = self.random_factor
            && !is_share(share)
        {
            report(Problem::RandomFactor(share));
        }
    }

    /// Every restart waits at least for the first delay. The exact waits would need the whole list.
    fn waits(&self) -> Option<Waits> {
        let mut sound = true;
        self.check(&mut |_| sound = false);
        let first = nanos(self.first.filter(|_| sound)?);
        Some(Waits::Growing { min: first, cap: first, factor: 1.0 })
    }
}

fn is_share(share: f64) -> bool {
    (0.0..=1.0).contains(&share)
}

/// Whether no delay is shorter than the one before.
fn grows(factor: f64) -> bool {
    factor >= 1.0 && factor.is_finite()
}

/// The shortest delays before the restarts of a child. Jitter only adds to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Waits {
    /// Nothing is known: there may be no delay at all.
    Unknown,
    /// The child has no backoff: its first restart is immediate, and the next ones are
    /// [`MIN_DELAY`](crate::MIN_DELAY) apart.
    BuiltIn,
    /// Each restart waits `factor` times as long as the one before, up to `cap`.
    Growing {
        /// The first wait in nanoseconds.
        min: f64,
        /// The longest wait in nanoseconds.
        cap: f64,
        /// At least 1.
        factor: f64,
    },
}

impl Waits {
    /// The waits that a backoff makes.
    ///
    /// A slot may have length zero, so a slotted backoff has no shortest wait. A backoff that contradicts itself has
    /// none either: the check of a child reports it.
    pub fn new(backoff: Option<&Backoff>) -> Self {
        match backoff {
            None => Waits::BuiltIn,
            Some(Backoff::Exponential(backoff)) => backoff.waits().unwrap_or(Waits::Unknown),
            Some(Backoff::Stepped(backoff)) => backoff.waits().unwrap_or(Waits::Unknown),
            Some(Backoff::Slotted { .. }) => Waits::Unknown,
        }
    }
}

impl Exponential {
    fn waits(&self) -> Option<Waits> {
        let (min, max) = (self.min?, self.max?);
        let mut sound = true;
        self.check(&mut |_| sound = false);
        if !sound {
            return None;
        }
        // Instead of the next delay a child can wait for a reset and then for the shortest delay.
        let start_over = match self.reset.value_or(Reset::Auto(default_reset(min, max)))? {
            Reset::Auto(after) => after.saturating_add(min),
            Reset::Manual => min,
        };
        let factor = self.factor.value_or(FACTOR)?;
        Some(Waits::Growing { min: nanos(min), cap: nanos(max.min(start_over)), factor })
    }
}

pub(crate) fn nanos(time: Duration) -> f64 {
    time.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;
    use std::vec::Vec;

    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn range(min: u64, max: u64) -> Exponential {
        Exponential { min: Some(secs(min)), max: Some(secs(max)), ..Exponential::default() }
    }

    fn problems(backoff: Exponential) -> Vec<Problem> {
        let mut found = Vec::new();
        backoff.check(&mut |problem| found.push(problem));
        found
    }

    #[test]
    fn delays_double_and_a_fifth_is_random() {
        assert_eq!((FACTOR, RANDOM_FACTOR), (2.0, 0.2));
    }

    #[test]
    fn a_list_has_delays_that_never_get_shorter() {
        let list =
            |delays: &[Option<u64>], share| Stepped::new(delays.iter().map(|delay| delay.map(secs)), Given::Is(share));
        let problems = |stepped: Stepped| {
            let mut found = Vec::new();
            stepped.check(&mut |problem| found.push(problem));
            found
        };
        let fall = |at, to, from| Problem::ShorterDelay(Fall { at, to: secs(to), from: secs(from) });
        assert_eq!(problems(list(&[Some(2), Some(2), Some(5)], 1.0)), []);
        assert_eq!(problems(list(&[None, Some(2), None, Some(5), None], 0.0)), [], "no value is known to be wrong");
        assert_eq!(problems(list(&[], 0.0)), [Problem::NoDelays]);
        assert_eq!(problems(list(&[Some(2), Some(1)], 0.0)), [fall(1, 1, 2)]);
        assert_eq!(problems(list(&[Some(5), None, Some(3), Some(1)], 0.0)), [fall(2, 3, 5)], "whatever is between");
        assert_eq!(problems(list(&[Some(2)], 1.5)), [Problem::RandomFactor(1.5)]);
        assert!(list(&[Some(0), Some(1)], 0.0).has_zero && !list(&[None, Some(1)], 0.0).has_zero);
        let waits = |delays: &[_]| Waits::new(Some(&Backoff::Stepped(list(delays, 0.0))));
        let first = nanos(secs(2));
        assert_eq!(waits(&[Some(2), None]), Waits::Growing { min: first, cap: first, factor: 1.0 });
        assert_eq!((waits(&[None, Some(2)]), waits(&[Some(2), Some(1)])), (Waits::Unknown, Waits::Unknown));
    }

    #[test]
    fn zero_is_not_a_time() {
        assert!(!is_time(Duration::ZERO));
        assert!(is_time(Duration::from_nanos(1)));
    }

    #[test]
    fn the_default_reset_is_in_the_middle() {
        assert_eq!(default_reset(secs(3), secs(30)), Duration::from_millis(16_500));
        assert_eq!(default_reset(secs(1), Duration::MAX), Duration::MAX / 2);
    }

    #[test]
    fn a_range_may_have_one_delay() {
        assert_eq!(problems(range(3, 3)), []);
        let (min, max) = (secs(4), secs(3));
        assert_eq!(problems(range(4, 3)), [Problem::EmptyRange { min, max }]);
        assert_eq!(problems(Exponential { max: None, ..range(4, 3) }), []);
        assert_eq!(problems(Exponential { min: None, ..range(4, 3) }), []);
    }

    #[test]
    fn a_random_factor_is_a_share() {
        let of = |share| problems(Exponential { random_factor: Given::Is(share), ..range(1, 2) });
        assert_eq!((of(0.0), of(0.5), of(1.0)), (vec![], vec![], vec![]));
        assert_eq!(of(-0.1), [Problem::RandomFactor(-0.1)]);
        assert_eq!(of(1.1), [Problem::RandomFactor(1.1)]);
        assert_eq!(of(f64::NAN).len(), 1);
    }

    #[test]
    fn a_factor_is_finite_and_at_least_1() {
        let of = |factor| problems(Exponential { factor: Given::Is(factor), ..range(1, 2) });
        assert_eq!((of(1.0), of(1e300)), (vec![], vec![]));
        assert_eq!(of(0.9), [Problem::Factor(0.9)]);
        assert_eq!(of(f64::INFINITY), [Problem::Factor(f64::INFINITY)]);
        assert_eq!(of(f64::NAN).len(), 1);
    }

    #[test]
    fn a_reset_comes_after_the_first_delay() {
        let of = |after| Exponential { reset: Given::Is(Reset::Auto(secs(after))), ..range(3, 30) };
        assert_eq!(problems(of(3)), []);
        assert_eq!(problems(of(2)), [Problem::ResetTooEarly { after: secs(2), min: secs(3) }]);
        assert_eq!(problems(Exponential { min: None, ..of(2) }), []);
        assert_eq!(problems(Exponential { reset: Given::Is(Reset::Manual), ..range(3, 30) }), []);
    }

    /// As seconds.
    fn waits(backoff: Exponential) -> Option<(f64, f64, f64)> {
        match Waits::new(Some(&Backoff::Exponential(backoff))) {
            Waits::Growing { min, cap, factor } => Some((min / 1e9, cap / 1e9, factor)),
            Waits::BuiltIn => panic!("a backoff is given"),
            Waits::Unknown => None,
        }
    }

    #[test]
    fn waits_grow_until_it_is_faster_to_start_over() {
        assert_eq!(waits(range(1, 2)), Some((1.0, 2.0, 2.0)));
        // Up for 15.5 s, then the first delay of 1 s.
        assert_eq!(waits(range(1, 30)), Some((1.0, 16.5, 2.0)));
        let reset = |reset| Exponential { reset: Given::Is(reset), ..range(1, 30) };
        assert_eq!(waits(reset(Reset::Auto(secs(9)))), Some((1.0, 10.0, 2.0)));
        assert_eq!(waits(reset(Reset::Auto(secs(60)))), Some((1.0, 30.0, 2.0)));
        assert_eq!(waits(reset(Reset::Manual)), Some((1.0, 1.0, 2.0)));
        assert_eq!(waits(Exponential { factor: Given::Is(1.5), ..range(1, 2) }), Some((1.0, 2.0, 1.5)));
    }

    #[test]
    fn waits_are_unknown_where_a_part_is() {
        let whole = range(1, 2);
        for backoff in [
            Exponential { min: None, ..whole },
            Exponential { max: None, ..whole },
            Exponential { factor: Given::Computed, ..whole },
            Exponential { reset: Given::Computed, ..whole },
            Exponential { factor: Given::Is(0.5), ..whole },
            range(2, 1),
        ] {
            assert_eq!(waits(backoff), None, "{backoff:?}");
        }
        assert_eq!(Waits::new(None), Waits::BuiltIn);
        assert_eq!(Waits::new(Some(&Backoff::Slotted { slot_time: secs(1) })), Waits::Unknown);
    }
}
