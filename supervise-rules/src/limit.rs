//! Restart limits: which one holds for a child (S15), and whether it can be reached at all (rule C6).
//!
//! A limit of `max_restarts` within a window is reached by one failure more. Before each restart the child waits, so
//! that many failures take a least time. If that time is not shorter than the window, the limit never stops anything.

use core::cmp::Ordering;
use core::time::Duration;

use crate::backoff::nanos;
use crate::{Given, Problem, Waits, is_time};

/// The number of restarts that are allowed, if nothing is written.
pub const DEFAULT_MAX_RESTARTS: u32 = 10;

/// The window in which they are counted, if nothing is written.
pub const DEFAULT_WITHIN: Duration = Duration::from_secs(60);

/// The least time between two restarts of one child without a backoff.
pub const MIN_DELAY: Duration = Duration::from_millis(10);

/// The number of restarts that a limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxRestarts {
    /// At most this many.
    AtMost(u32),
    /// Any number: there is no limit.
    Unlimited,
}

/// A restart limit, of a child or of its supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// The number of restarts.
    pub max_restarts: Given<MaxRestarts>,
    /// The window in which they are counted.
    pub within: Given<Duration>,
    /// Whether it is written what happens at the limit.
    pub on_limit: bool,
}

/// The settings of a supervisor that its children share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Supervision {
    /// Whether a failure restarts other children, too: any strategy except `OneForOne`.
    pub group: bool,
    /// Whether `budget = Shared` is written.
    pub shared: bool,
    /// Whether `on_limit = Stop` is written.
    pub stops: bool,
    /// The limit of the supervisor.
    pub limit: Limit,
}

impl Supervision {
    /// Whether all children have one budget, that of the supervisor.
    pub const fn shares_budget(&self) -> bool {
        self.group || self.shared
    }
}

/// Reports problems in the settings of a supervisor by themselves.
pub fn supervision(supervision: &Supervision, report: &mut dyn FnMut(Problem)) {
    let limit = &supervision.limit;
    limit.check(report);
    if limit.within.is_given() && !limit.max_restarts.is_given() {
        report(Problem::NoLimit { setting: "within", unlimited: false });
    }
    if !supervision.shared {
        return;
    }
    if limit.max_restarts == Given::Is(MaxRestarts::Unlimited) {
        report(Problem::NoLimit { setting: "budget", unlimited: true });
    }
    if supervision.group {
        report(Problem::SharedInGroup);
    } else if supervision.stops {
        report(Problem::StopAtSharedLimit);
    }
}

/// Reports a limit that the children of a group, or others with one budget, cannot reach together. They wait as
/// `members` says.
pub fn group(supervision: &Supervision, members: &[Waits], report: &mut dyn FnMut(Problem)) {
    if supervision.shares_budget() {
        never_reached((supervision.limit.max_restarts, supervision.limit.within), members, report);
    }
}

/// The limit that holds for a child with this limit, below a supervisor with that one: how many restarts within which
/// window.
///
/// A child with a backoff has no limit unless one is written. Any other child has the default.
pub const fn effective(own: &Limit, above: &Limit, backoff: bool) -> (Given<MaxRestarts>, Given<Duration>) {
    match own.max_restarts.or(above.max_restarts) {
        Given::Absent if backoff => (Given::Is(MaxRestarts::Unlimited), Given::Absent),
        Given::Absent => {
            (Given::Is(MaxRestarts::AtMost(DEFAULT_MAX_RESTARTS)), own.within.or(Given::Is(DEFAULT_WITHIN)))
        }
        max => (max, own.within.or(above.within)),
    }
}

impl Limit {
    pub(crate) fn is_given(&self) -> bool {
        self.max_restarts.is_given() || self.within.is_given() || self.on_limit
    }

    /// Reports an empty window, and a window or an action for restarts that are not counted.
    fn check(&self, report: &mut dyn FnMut(Problem)) {
        if self.within.value().is_some_and(|within| !is_time(within)) {
            report(Problem::NoTime("within"));
        }
        if self.max_restarts == Given::Is(MaxRestarts::Unlimited) {
            self.uncounted(true, report);
        }
    }

    fn uncounted(&self, unlimited: bool, report: &mut dyn FnMut(Problem)) {
        if self.within.is_given() {
            report(Problem::NoLimit { setting: "within", unlimited });
        }
        if self.on_limit {
            report(Problem::NoLimit { setting: "on_limit", unlimited });
        }
    }

    /// Reports problems in the limit of a child that has one of its own. `waits`: those of its restarts, if there are
    /// any.
    pub(crate) fn check_own(
        &self,
        above: &Limit,
        backoff: bool,
        waits: Option<Waits>,
        report: &mut dyn FnMut(Problem),
    ) {
        self.check(report);
        if backoff && !self.max_restarts.or(above.max_restarts).is_given() {
            self.uncounted(false, report);
        }
        if let Some(waits) = waits {
            never_reached(effective(self, above, backoff), &[waits], report);
        }
    }
}

fn never_reached(
    (max, within): (Given<MaxRestarts>, Given<Duration>),
    members: &[Waits],
    report: &mut dyn FnMut(Problem),
) {
    if let (Given::Is(MaxRestarts::AtMost(max)), Given::Is(within)) = (max, within)
        && let Some(least) = least_time(members, max)
        && least >= within
    {
        report(Problem::NeverReached { failures: u64::from(max) + 1, least, within });
    }
}

/// The least time that this many restarts of these children can take together; `None` if nothing bounds it.
///
/// Each child offers waits that never get shorter, and the fastest way to fail so often takes the shortest waits of
/// all. A bound is searched such that no more waits are shorter than it than restarts are needed; the other restarts
/// wait for exactly that long. Each probe takes a few multiplications for each child, whatever the number of restarts
/// is, so this needs no limit of its own. Only arithmetic that is the same on every machine is used, since a literal
/// is checked on another machine than a computed value.
pub fn least_time(members: &[Waits], restarts: u32) -> Option<Duration> {
    let mut cap = f64::INFINITY;
    let mut immediate = 0;
    for waits in members {
        let (own, at_once) = waits.cap()?;
        cap = cap.min(own);
        immediate += at_once;
    }
    if members.is_empty() {
        return None;
    }
    let restarts = u64::from(restarts).saturating_sub(immediate);
    let shorter = |bound: u64| {
        let each = members.iter().map(|waits| waits.shorter_than(f64::from_bits(bound)));
        each.fold((0, 0.0), |(count, sum), (more, time)| (count + more, sum + time))
    };
    // Positive floating-point numbers are ordered like their bits, so bisect the bits. The first probe is the cap: most
    // limits need more restarts than there are shorter waits.
    let (mut low, mut high) = (0, cap.to_bits());
    let mut probe = high;
    while low < high {
        let (count, sum) = shorter(probe);
        match count.cmp(&restarts) {
            Ordering::Less => low = probe,
            Ordering::Equal => return Some(duration(sum)),
            Ordering::Greater => high = probe - 1,
        }
        probe = low + (high - low).div_ceil(2);
    }
    let (count, sum) = shorter(low);
    Some(duration(sum + (restarts - count) as f64 * f64::from_bits(low)))
}

impl Waits {
    /// The longest wait in nanoseconds, and how many restarts before it are immediate.
    fn cap(&self) -> Option<(f64, u64)> {
        match *self {
            Waits::Unknown => None,
            Waits::BuiltIn => Some((nanos(MIN_DELAY), 1)),
            Waits::Growing { cap, .. } => Some((cap, 0)),
        }
    }

    /// The number of waits that are shorter than `bound`, which is not longer than the cap, and their sum.
    fn shorter_than(&self, bound: f64) -> (u64, f64) {
        /// The number of steps that are needed for the largest `max_restarts`.
        const RUNGS: usize = u32::BITS as usize;
        let Waits::Growing { min, factor, .. } = *self else { return (0, 0.0) };
        // Rung i is of n = 2^i waits, the first being 1: the last, `factor^(n - 1)`, and the sum of all `n`.
        let mut rungs = [(1.0, 1.0); RUNGS];
        for i in 1..RUNGS {
            let (last, sum) = rungs[i - 1];
            let growth = last * factor;
            rungs[i] = (last * growth, sum * (1.0 + growth));
        }
        let (mut next, mut count, mut total) = (min, 0, 0.0);
        for (i, (last, sum)) in rungs.into_iter().enumerate().rev() {
            if next * last < bound {
                count += 1 << i;
                total += next * sum;
                next *= last * factor;
            }
        }
        (count, total)
    }
}

fn duration(nanos: f64) -> Duration {
    let nanos = (nanos as u128).min(Duration::MAX.as_nanos());
    let (secs, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    Duration::new(secs as u64, nanos as u32)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn growing(min: Duration, cap: Duration, factor: f64) -> Waits {
        Waits::Growing { min: nanos(min), cap: nanos(cap), factor }
    }

    fn least(members: &[Waits], restarts: u32) -> Duration {
        least_time(members, restarts).expect("it is known")
    }

    #[test]
    fn without_a_backoff_the_first_restart_is_immediate() {
        let of = |restarts| least(&[Waits::BuiltIn], restarts);
        assert_eq!((of(0), of(1), of(2), of(3)), (Duration::ZERO, Duration::ZERO, ms(10), ms(20)));
        assert_eq!(of(360_001), secs(3600));
        assert_eq!(of(u32::MAX), ms(10) * (u32::MAX - 1));
    }

    #[test]
    fn a_grown_wait_stays_at_the_cap() {
        let minute = secs(60);
        let of = |restarts| least(&[growing(minute, minute * 60, 2.0)], restarts);
        let all = [0, 1, 3, 7, 15, 31, 63, 123, 183].map(|minutes| minute * minutes);
        for (restarts, time) in all.into_iter().enumerate() {
            assert_eq!(of(restarts as u32), time, "{restarts}");
        }
        assert_eq!(of(2_006), minute * 63 + minute * 60 * 2_000);
    }

    #[test]
    fn waits_that_do_not_grow_are_multiplied() {
        let of = |restarts| least(&[growing(ms(3), secs(1), 1.0)], restarts);
        assert_eq!((of(1), of(7), of(u32::MAX)), (ms(3), ms(21), ms(3) * u32::MAX));
    }

    #[test]
    fn waits_that_hardly_grow_are_all_added_up() {
        // (1.001^n - 1) / 0.001 seconds.
        let waits = [growing(secs(1), secs(1_000_000), 1.001)];
        for (restarts, expected) in
            [(1_000, 1_716.923_932_235_892_8), (5_000, 147_042.836_162_5), (10_000, 21_915_681.339)]
        {
            let time = least(&waits, restarts).as_secs_f64();
            assert!((time / expected - 1.0).abs() < 1e-8, "{restarts}: {time}");
        }
        let least_growth = [growing(secs(1), secs(2), 1.0 + f64::EPSILON)];
        let time = least(&least_growth, u32::MAX).as_secs_f64();
        assert!((time / f64::from(u32::MAX) - 1.0).abs() < 1e-6, "{time}");
    }

    #[test]
    fn a_group_takes_the_shortest_waits_of_all() {
        let two = [growing(secs(1), secs(8), 2.0), growing(secs(1), secs(8), 2.0)];
        let times: Vec<u64> = (0..10).map(|restarts| least(&two, restarts).as_secs()).collect();
        assert_eq!(times, [0, 1, 2, 4, 6, 10, 14, 22, 30, 38]);
        let mixed = [growing(secs(60), secs(60), 2.0), growing(secs(1), secs(20), 3.0)];
        let times: Vec<u64> = (0..6).map(|restarts| least(&mixed, restarts).as_secs()).collect();
        assert_eq!(times, [0, 1, 4, 13, 33, 53]);
        let immediate = [Waits::BuiltIn, Waits::BuiltIn];
        assert_eq!((least(&immediate, 2), least(&immediate, 3)), (Duration::ZERO, ms(10)));
    }

    #[test]
    fn nothing_is_known_of_unknown_waits() {
        assert_eq!(least_time(&[Waits::Unknown], 1), None);
        assert_eq!(least_time(&[Waits::BuiltIn, Waits::Unknown], 1), None);
        assert_eq!(least_time(&[], 1), None);
    }

    #[test]
    fn the_longest_waits_do_not_overflow() {
        assert_eq!(least(&[growing(Duration::MAX, Duration::MAX, 2.0)], u32::MAX), Duration::MAX);
        assert_eq!(least(&[growing(ms(1), secs(1), f64::MAX)], 3), ms(2001));
    }

    proptest! {
        #[test]
        fn one_wait_after_the_other_gives_the_same(
            kinds in proptest::collection::vec((1u64..50, 1u64..50, 0u8..5), 1..5),
            restarts in 0u32..200,
        ) {
            let factors = [1.0, 1.01, 1.3, 2.0, 10.0];
            let waits = |&(min, more, factor): &(u64, u64, u8)| growing(ms(min), ms(min * more), factors[factor as usize]);
            let members: Vec<Waits> = kinds.iter().map(waits).collect();
            let mut next: Vec<f64> = members.iter().map(|waits| waits.at(0)).collect();
            let mut taken = vec![0; members.len()];
            let mut sum = 0.0;
            for _ in 0..restarts {
                let (i, wait) = next.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                sum += wait;
                taken[i] += 1;
                next[i] = members[i].at(taken[i]);
            }
            let found = nanos(least(&members, restarts));
            prop_assert!((found - sum).abs() <= 1.0 + sum * 1e-9, "{found} and {sum} for {members:?}");
        }
    }

    impl Waits {
        fn at(&self, n: i32) -> f64 {
            let Waits::Growing { min, cap, factor } = *self else { panic!("it does not grow") };
            (min * f64::powi(factor, n)).min(cap)
        }
    }

    fn limit(max_restarts: impl Into<Option<u32>>, within: impl Into<Option<Duration>>) -> Limit {
        let max_restarts = max_restarts.into().map(MaxRestarts::AtMost).into();
        Limit { max_restarts, within: within.into().into(), on_limit: false }
    }

    const UNLIMITED: Limit =
        Limit { max_restarts: Given::Is(MaxRestarts::Unlimited), within: Given::Absent, on_limit: false };

    const fn at_most(max: u32) -> Given<MaxRestarts> {
        Given::Is(MaxRestarts::AtMost(max))
    }

    #[test]
    fn the_childs_own_limit_comes_first() {
        let (own, above) = (limit(3, secs(4)), limit(5, secs(6)));
        for backoff in [false, true] {
            assert_eq!(effective(&own, &above, backoff), (at_most(3), Given::Is(secs(4))));
            assert_eq!(effective(&Limit::default(), &above, backoff), (at_most(5), Given::Is(secs(6))));
            assert_eq!(effective(&limit(3, None), &above, backoff), (at_most(3), Given::Is(secs(6))));
            assert_eq!(effective(&limit(None, secs(4)), &above, backoff), (at_most(5), Given::Is(secs(4))));
            assert_eq!(effective(&limit(3, None), &Limit::default(), backoff), (at_most(3), Given::Absent));
        }
        assert_eq!(effective(&UNLIMITED, &above, false).0, Given::Is(MaxRestarts::Unlimited));
    }

    #[test]
    fn by_default_10_restarts_in_a_minute_are_allowed() {
        let none = Limit::default();
        assert_eq!(effective(&none, &none, false), (at_most(10), Given::Is(secs(60))));
        assert_eq!(effective(&limit(None, secs(4)), &none, false), (at_most(10), Given::Is(secs(4))));
        // The window of a supervisor applies only to the number that is written with it.
        assert_eq!(effective(&none, &limit(None, secs(4)), false), (at_most(10), Given::Is(secs(60))));
        assert_eq!(effective(&none, &none, true), (Given::Is(MaxRestarts::Unlimited), Given::Absent));
    }

    fn collect(ask: impl FnOnce(&mut dyn FnMut(Problem))) -> Vec<Problem> {
        let mut found = Vec::new();
        ask(&mut |problem| found.push(problem));
        found
    }

    fn no_limit(setting: &'static str, unlimited: bool) -> Problem {
        Problem::NoLimit { setting, unlimited }
    }

    #[test]
    fn a_supervisors_window_needs_a_number() {
        let of = |limit| collect(|report| supervision(&Supervision { limit, ..Supervision::default() }, report));
        assert_eq!(of(Limit::default()), []);
        assert_eq!(of(limit(3, secs(1))), []);
        assert_eq!(of(limit(3, None)), []);
        assert_eq!(of(limit(None, secs(1))), [no_limit("within", false)]);
        assert_eq!(of(Limit { on_limit: true, ..Limit::default() }), []);
        assert_eq!(of(Limit { max_restarts: Given::Computed, ..limit(None, secs(1)) }), []);
        assert_eq!(of(Limit { within: Given::Computed, ..Limit::default() }), [no_limit("within", false)]);
    }

    #[test]
    fn nothing_is_counted_without_a_limit() {
        let of = |limit: Limit| collect(|report| limit.check(report));
        assert_eq!(of(UNLIMITED), []);
        assert_eq!(of(Limit { within: Given::Computed, ..UNLIMITED }), [no_limit("within", true)]);
        assert_eq!(of(Limit { on_limit: true, ..UNLIMITED }), [no_limit("on_limit", true)]);
        assert_eq!(of(Limit { on_limit: true, ..limit(3, secs(1)) }), []);
        assert_eq!(of(limit(3, Duration::ZERO)), [Problem::NoTime("within")]);
    }

    #[test]
    fn a_limit_is_given_by_any_part() {
        assert!(!Limit::default().is_given());
        assert!(limit(3, None).is_given());
        assert!(limit(None, secs(1)).is_given());
        assert!(Limit { on_limit: true, ..Limit::default() }.is_given());
    }

    #[test]
    fn a_backoff_has_no_limit_to_change() {
        let of = |own: Limit, above: Limit, backoff| {
            collect(|report| own.check_own(&above, backoff, Some(Waits::Unknown), report))
        };
        let (within, none) = (limit(None, secs(1)), Limit::default());
        let both = Limit { on_limit: true, ..within };
        assert_eq!(of(both, none, true), [no_limit("within", false), no_limit("on_limit", false)]);
        assert_eq!(of(both, none, false), []);
        assert_eq!(of(both, limit(3, None), true), []);
        assert_eq!(of(Limit { max_restarts: Given::Computed, ..both }, none, true), []);
    }

    #[test]
    fn a_limit_that_is_never_reached_is_reported() {
        let of = |within| {
            collect(|report| limit(3, within).check_own(&Limit::default(), false, Some(Waits::BuiltIn), report))
        };
        assert_eq!(of(ms(21)), []);
        let never = |within| Problem::NeverReached { failures: 4, least: ms(20), within };
        assert_eq!(of(ms(20)), [never(ms(20))]);
        assert_eq!(of(ms(19)), [never(ms(19))]);
        // A child that is never restarted has no waits.
        assert_eq!(collect(|report| limit(3, ms(1)).check_own(&Limit::default(), false, None, report)), []);
        let computed = Limit { within: Given::Computed, ..limit(3, None) };
        assert_eq!(collect(|report| computed.check_own(&Limit::default(), false, Some(Waits::BuiltIn), report)), []);
    }

    #[test]
    fn a_group_reaches_its_limit_together() {
        let members = [growing(secs(1), secs(8), 2.0), growing(secs(1), secs(8), 2.0)];
        let of = |group, within| {
            let supervision = Supervision { group, limit: limit(4, within), ..Supervision::default() };
            collect(|report| super::group(&supervision, &members, report))
        };
        let never = Problem::NeverReached { failures: 5, least: secs(6), within: secs(6) };
        assert_eq!(of(true, secs(6)), [never]);
        assert_eq!(of(true, secs(7)), []);
        assert_eq!(of(false, secs(6)), []);
        let shared = Supervision { shared: true, limit: limit(4, secs(6)), ..Supervision::default() };
        assert_eq!(collect(|report| group(&shared, &members, report)), [never]);
    }

    #[test]
    fn a_shared_budget_is_for_children_that_restart_alone() {
        let shared = Supervision { shared: true, limit: limit(3, secs(1)), ..Supervision::default() };
        let of = |supervision: Supervision| collect(|report| super::supervision(&supervision, report));
        assert_eq!(of(shared), []);
        assert_eq!(of(Supervision { limit: Limit::default(), ..shared }), []);
        assert_eq!(of(Supervision { group: true, stops: true, ..shared }), [Problem::SharedInGroup]);
        assert_eq!(of(Supervision { stops: true, ..shared }), [Problem::StopAtSharedLimit]);
        assert_eq!(of(Supervision { stops: true, shared: false, ..shared }), []);
        assert_eq!(of(Supervision { group: true, stops: true, shared: false, ..shared }), []);
        assert_eq!(of(Supervision { limit: UNLIMITED, ..shared }), [no_limit("budget", true)]);
        assert!(shared.shares_budget() && Supervision { group: true, ..Supervision::default() }.shares_budget());
        assert!(!Supervision::default().shares_budget());
    }
}
