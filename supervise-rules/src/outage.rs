//! The outage that uses up a restart limit: how long a child may fail at each attempt until its supervisor gives up
//! (S15).

use core::fmt::{self, Display, Formatter};
use core::time::Duration;

use crate::backoff::nanos;
use crate::limit::{DEFAULT_MAX_RESTARTS, DEFAULT_WITHIN, MIN_DELAY, MaxRestarts};

/// The longest delay of a child without a backoff.
pub const LONGEST: Duration = Duration::from_secs(10);

/// The shortest delay of a backoff.
const LEAST: Duration = Duration::from_millis(1);

/// The number of delays that are added up one by one. Of more, which grow by less than any real setting, a bound is
/// enough.
const STEPS: u32 = 1_000;

/// The delays before the restarts of a child of which no attempt works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Delays<'a> {
    /// The child has no backoff.
    BuiltIn {
        /// Whether the first restart is immediate, which it is not for a task.
        at_once: bool,
    },
    /// Growing delays with jitter.
    Growing {
        /// The shortest delay.
        min: Duration,
        /// The longest delay.
        max: Duration,
        /// The factor from each delay to the next.
        factor: f64,
        /// The largest share of a delay that is added at random.
        random_factor: f64,
    },
    /// A list of delays, with jitter; the last one repeats.
    Listed {
        /// The delays.
        delays: &'a [Duration],
        /// The largest share of a delay that is added at random.
        random_factor: f64,
    },
    /// Random multiples of a slot, which may all be none.
    Slotted,
}

/// Whether a restart limit ends an outage in which each attempt of one child fails at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// The child outlasts every outage: there is no limit, or so many restarts never fall into one window.
    Survived,
    /// The limit is used up.
    UsesUp {
        /// The time until then, without jitter.
        least: Duration,
        /// The time until then with all of the jitter. `None`: with some of it, the limit is not reached.
        most: Option<Duration>,
    },
}

impl Outage {
    /// The outage that uses up this limit with these delays, to the millisecond.
    pub fn of(delays: &Delays<'_>, max: MaxRestarts, within: Option<Duration>) -> Outage {
        let MaxRestarts::AtMost(restarts) = max else { return Outage::Survived };
        let (least, most) = delays.sum(restarts);
        let falls_within = |time: f64| within.is_none_or(|within| time < nanos(within));
        if !falls_within(least) {
            return Outage::Survived;
        }
        // Jitter is always below its share, so `most` itself is never reached: `<=`.
        let most = most.filter(|most| within.is_none_or(|within| *most <= nanos(within)));
        Outage::UsesUp { least: millis(least + 500_000.0), most: most.map(|most| millis(most + 999_999.0)) }
    }
}

impl Delays<'_> {
    /// The sum of so many delays in nanoseconds, without jitter and with all of it. `None`: nothing bounds it.
    fn sum(&self, restarts: u32) -> (f64, Option<f64>) {
        let jittered = |(sum, exact): (f64, bool), share: f64| (sum, exact.then_some(sum * (1.0 + share)));
        match *self {
            Delays::BuiltIn { at_once } => {
                let first = if at_once || restarts == 0 { 0.0 } else { nanos(MIN_DELAY) };
                let (later, exact) = grown(MIN_DELAY, LONGEST, 2.0, restarts.saturating_sub(1));
                jittered((first + later, exact), 0.0)
            }
            Delays::Growing { min, max, factor, random_factor } => {
                jittered(grown(min, max, factor, restarts), random_factor)
            }
            Delays::Listed { delays, random_factor } => {
                let each = |delay: &Duration| nanos((*delay).max(LEAST));
                let listed = delays.len().min(restarts as usize);
                let sum: f64 = delays[..listed].iter().map(each).sum();
                let more = f64::from(restarts) - listed as f64;
                jittered((sum + more * delays.last().map_or(0.0, each), true), random_factor)
            }
            Delays::Slotted => (f64::from(restarts) * nanos(LEAST), None),
        }
    }
}

/// The sum of so many growing delays, and whether it is more than a lower bound.
fn grown(min: Duration, max: Duration, factor: f64, restarts: u32) -> (f64, bool) {
    let (mut sum, mut next, cap) = (0.0, nanos(min), nanos(max));
    for n in 0..restarts {
        let delay = next.min(cap).max(nanos(LEAST));
        let grows = factor > 1.0 && next < cap;
        if !grows || n == STEPS {
            return (sum + f64::from(restarts - n) * delay, !grows);
        }
        sum += delay;
        next *= factor;
    }
    (sum, true)
}

fn millis(nanos: f64) -> Duration {
    Duration::from_millis(u64::try_from(nanos as u128 / 1_000_000).unwrap_or(u64::MAX))
}

/// The restart limit that holds for a child, and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The number of restarts.
    pub max: MaxRestarts,
    /// The window in which they are counted; `None`: the life of the supervisor's incarnation.
    pub within: Option<Duration>,
    /// Whether the restarts of all children of the supervisor are counted together.
    pub shared: bool,
    /// The outage of this child alone that uses the limit up; `None`: not known.
    pub outage: Option<Outage>,
}

impl Held {
    /// The limit of a child that has neither a limit nor a backoff.
    pub const fn by_default(shared: bool, is_task: bool) -> Self {
        // The sum of the delays without a backoff. The first restart of a task is not immediate.
        let time = Duration::from_millis(if is_task { 5_120 } else { 5_110 });
        let outage = Some(Outage::UsesUp { least: time, most: Some(time) });
        Held { max: MaxRestarts::AtMost(DEFAULT_MAX_RESTARTS), within: Some(DEFAULT_WITHIN), shared, outage }
    }

    /// The limit as a few words: `at most 10 restarts in 60s: Shop fails after 5.11s of outage`. `then` is a sentence
    /// about the end that follows at the limit, such as `Shop fails`.
    pub fn words<T: Display>(self, then: T) -> HeldWords<T> {
        HeldWords { held: self, then }
    }
}

/// The words for a limit that only the start knows.
pub const COMPUTED_LIMIT: &str = "a restart limit that the start computes";

/// The children that end together when one of them ends by its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// This one: `OneForOne`, and in a set.
    One,
    /// This one and those after it: `RestForOne`.
    Rest,
    /// All, and the supervisor with them: `AllForOne`.
    All,
}

/// The end that follows at a limit, as a sentence (S15, S18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLimit<'a> {
    /// The name of the supervisor.
    pub supervisor: &'a str,
    /// The children that end together.
    pub range: Range,
    /// Whether `on_limit` is `Stop`.
    pub stops: bool,
}

impl Display for AtLimit<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let supervisor = self.supervisor;
        match (self.stops, self.range) {
            (false, _) => write!(f, "{supervisor} fails"),
            (true, Range::One) => f.write_str("it ends"),
            (true, Range::Rest) => f.write_str("it ends, and all after it,"),
            (true, Range::All) => write!(f, "{supervisor} ends"),
        }
    }
}

/// A limit as a few words, made by [`Held::words`].
#[derive(Debug, Clone, Copy)]
pub struct HeldWords<T> {
    held: Held,
    then: T,
}

impl<T: Display> Display for HeldWords<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Held { max, within, shared, outage } = self.held;
        let then = &self.then;
        let restarts = match max {
            MaxRestarts::Unlimited => return f.write_str("no restart limit"),
            MaxRestarts::AtMost(0) => return write!(f, "no restarts: {then} at its first failure"),
            MaxRestarts::AtMost(restarts) => restarts,
        };
        write!(f, "at most {restarts} restart{}", if restarts == 1 { "" } else { "s" })?;
        if let Some(within) = within {
            write!(f, " in {within:?}")?;
        }
        if shared {
            f.write_str(" of all together")?;
        }
        match outage {
            None => write!(f, ": then {then}"),
            Some(Outage::Survived) => f.write_str(", which no outage uses up"),
            Some(Outage::UsesUp { least, most: None }) => {
                write!(f, ": {then} after {} of outage at the soonest", Time(least))
            }
            Some(Outage::UsesUp { least, most: Some(most) }) if most > least => {
                write!(f, ": {then} after {} to {} of outage", Time(least), Time(most))
            }
            Some(Outage::UsesUp { least, .. }) => write!(f, ": {then} after {} of outage", Time(least)),
        }
    }
}

struct Time(Duration);

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_zero() { f.write_str("0s") } else { write!(f, "{:?}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn of(delays: Delays<'_>, restarts: u32, within: impl Into<Option<Duration>>) -> Outage {
        Outage::of(&delays, MaxRestarts::AtMost(restarts), within.into())
    }

    const fn after(ms: u64) -> Outage {
        let time = Duration::from_millis(ms);
        Outage::UsesUp { least: time, most: Some(time) }
    }

    const fn growing(min: u64, max: u64, random_factor: f64) -> Delays<'static> {
        Delays::Growing { min: ms(min), max: ms(max), factor: 2.0, random_factor }
    }

    #[test]
    fn the_default_limit_is_used_up_after_five_seconds() {
        let minute = ms(60_000);
        let of = |at_once, restarts| of(Delays::BuiltIn { at_once }, restarts, minute);
        assert_eq!((of(true, DEFAULT_MAX_RESTARTS), of(false, DEFAULT_MAX_RESTARTS)), (after(5_110), after(5_120)));
        assert_eq!((of(true, 0), of(false, 0), of(true, 1), of(false, 1)), (after(0), after(0), after(0), after(10)));
        // After 11 delays up to 10.23 s each of the others is 10 s.
        assert_eq!((of(true, 15), of(true, 16)), (after(50_230), Outage::Survived));
    }

    #[test]
    fn the_default_is_the_sum_of_the_delays() {
        for (is_task, shared) in [(false, false), (false, true), (true, false), (true, true)] {
            let held = Held::by_default(shared, is_task);
            let outage = Outage::of(&Delays::BuiltIn { at_once: !is_task }, held.max, held.within);
            assert_eq!((held.outage, held.shared), (Some(outage), shared));
        }
    }

    #[test]
    fn delays_add_up_to_the_cap_and_beyond() {
        let delays = growing(100, 5_000, 0.0);
        let sums = [0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300];
        for (restarts, sum) in sums.into_iter().enumerate() {
            assert_eq!(of(delays, restarts as u32, None), after(sum), "{restarts}");
        }
        assert_eq!(of(delays, u32::MAX, None), after(6_300 + 5_000 * (u64::from(u32::MAX) - 6)));
    }

    #[test]
    fn jitter_makes_a_range() {
        let delays = growing(100, 5_000, 0.2);
        assert_eq!(of(delays, 5, None), Outage::UsesUp { least: ms(3_100), most: Some(ms(3_720)) });
        assert_eq!(of(delays, 5, ms(3_720)), Outage::UsesUp { least: ms(3_100), most: Some(ms(3_720)) });
        assert_eq!(of(delays, 5, ms(3_719)), Outage::UsesUp { least: ms(3_100), most: None });
        assert_eq!((of(delays, 5, ms(3_100)), of(delays, 5, ms(3_101))), (Outage::Survived, of(delays, 5, ms(3_719))));
    }

    #[test]
    fn a_list_repeats_its_last_delay() {
        let list = [ms(200), ms(500), ms(1_000)];
        let delays = Delays::Listed { delays: &list, random_factor: 0.0 };
        let sums = [0, 200, 700, 1_700, 2_700, 3_700];
        for (restarts, sum) in sums.into_iter().enumerate() {
            assert_eq!(of(delays, restarts as u32, None), after(sum), "{restarts}");
        }
        assert_eq!(of(Delays::Listed { delays: &[], random_factor: 0.0 }, 3, None), after(0));
    }

    #[test]
    fn a_slot_and_a_growth_that_takes_forever_have_a_least_time_only() {
        assert_eq!(of(Delays::Slotted, 10, ms(60_000)), Outage::UsesUp { least: ms(10), most: None });
        let slow = Delays::Growing { min: ms(1_000), max: ms(1_000_000), factor: 1.000_001, random_factor: 0.0 };
        assert!(matches!(of(slow, 5_000, None), Outage::UsesUp { least, most: None } if least >= ms(5_000_000)));
        let same = Delays::Growing { min: ms(3), max: ms(1_000), factor: 1.0, random_factor: 0.0 };
        assert_eq!(of(same, 5_000, None), after(15_000));
    }

    #[test]
    fn no_limit_is_never_used_up() {
        let delays = Delays::BuiltIn { at_once: true };
        assert_eq!(Outage::of(&delays, MaxRestarts::Unlimited, None), Outage::Survived);
    }

    #[test]
    fn the_limit_has_words() {
        let words = |restarts, within, shared, outage| {
            Held { max: MaxRestarts::AtMost(restarts), within, shared, outage }.words("Shop fails").to_string()
        };
        let minute = Some(ms(60_000));
        for (told, expected) in [
            (
                words(10, minute, false, Some(after(5_110))),
                "at most 10 restarts in 60s: Shop fails after 5.11s of outage",
            ),
            (words(1, None, true, Some(after(0))), "at most 1 restart of all together: Shop fails after 0s of outage"),
            (words(2, minute, false, Some(Outage::Survived)), "at most 2 restarts in 60s, which no outage uses up"),
            (words(2, minute, false, None), "at most 2 restarts in 60s: then Shop fails"),
            (words(0, None, false, Some(after(0))), "no restarts: Shop fails at its first failure"),
            (
                words(5, minute, false, Some(Outage::UsesUp { least: ms(3_100), most: Some(ms(3_720)) })),
                "at most 5 restarts in 60s: Shop fails after 3.1s to 3.72s of outage",
            ),
            (
                words(5, minute, false, Some(Outage::UsesUp { least: ms(3_100), most: None })),
                "at most 5 restarts in 60s: Shop fails after 3.1s of outage at the soonest",
            ),
        ] {
            assert_eq!(told, expected);
        }
        let none = Held { max: MaxRestarts::Unlimited, within: None, shared: false, outage: Some(Outage::Survived) };
        assert_eq!(none.words("Shop fails").to_string(), "no restart limit");
    }
}
