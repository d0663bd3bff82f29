//! The restart delays (S14, S31 to S33): arithmetic on plain values, with the randomness passed in.

use std::mem::take;
use std::time::Duration;

use tokio::time::Instant;

use super::budget::Budget;
use crate::values::backoff::{Backoff, Delays, Exponential, Slotted};
use crate::values::failure::Row;

/// The shortest time between two restarts of a child without a declared backoff.
const MIN_DELAY: Duration = supervise_rules::MIN_DELAY;
const LONGEST: Duration = Duration::from_secs(10);
/// An incarnation that ran this long ends a streak of restarts.
const STABLE_AFTER: Duration = Duration::from_secs(10);

/// The history of a child's restarts.
#[derive(Debug, Clone, Default)]
pub struct RestartDelay {
    /// The time when the present incarnation came up.
    up: Option<Instant>,
    /// Most children never restart.
    restarts: Option<Box<Restarts>>,
}

#[derive(Debug, Clone, Default)]
struct Restarts {
    /// The restarts that were decided since the last reset: the exponent of a declared backoff.
    n: u32,
    /// The slot of a slotted backoff, 0 before the first.
    slot: u32,
    /// The length of the streak, for the built-in backoff.
    streak: u32,
    /// The time that the child waits once it is down.
    wait: Duration,
    /// The time of the last restart.
    restarted: Option<Instant>,
    /// The time of the first of the restarts that `n` counts.
    since: Option<Instant>,
    /// The restarts that count against the child's own limit. Here, since only a restart uses it.
    budget: Budget,
}

/// The facts about the incarnation that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastRun {
    /// The incarnation handled a message (never true for tasks and subtrees).
    pub handled: bool,
    /// Even the first restart of a streak waits: after a failed start, and for tasks.
    pub never_at_once: bool,
}

impl RestartDelay {
    pub fn went_up(&mut self, now: Instant) {
        self.up = Some(now);
    }

    #[inline]
    pub fn started_again(&mut self, now: Instant) {
        self.restarts.get_or_insert_default().restarted = Some(now);
    }

    /// Forgets the restarts of an earlier life, but neither the wait that is due nor the budget.
    pub fn forget(&mut self) {
        let before = take(self).restarts;
        if let Some(before) = before.filter(|before| !before.wait.is_zero() || before.budget != Budget::default()) {
            let Restarts { wait, budget, .. } = *before;
            self.restarts = Some(Box::new(Restarts { wait, budget, ..Restarts::default() }));
        }
    }

    /// Returns the used part of the child's own limit, if there ever was a restart.
    pub fn budget(&self) -> Option<&Budget> {
        Some(&self.restarts.as_ref()?.budget)
    }

    pub fn budget_or_init(&mut self) -> &mut Budget {
        &mut self.restarts.get_or_insert_default().budget
    }

    pub fn forget_budget(&mut self) {
        if let Some(restarts) = &mut self.restarts {
            restarts.budget = Budget::default();
        }
    }

    /// Sets the time that the child waits once it is down.
    pub fn set_wait(&mut self, wait: Duration) {
        if self.restarts.is_some() || !wait.is_zero() {
            self.restarts.get_or_insert_default().wait = wait;
        }
    }

    /// Takes the time that the child has to wait now.
    pub fn take_wait(&mut self) -> Duration {
        self.restarts.as_mut().map_or(Duration::ZERO, |restarts| take(&mut restarts.wait))
    }

    /// Resets a declared backoff, because the child has made progress (S32).
    pub fn reset(&mut self) {
        if let Some(restarts) = &mut self.restarts {
            restarts.slot = 0;
            restarts.start_over();
        }
    }

    /// The present incarnation goes down, if one was up: because of its own failure, or with others.
    #[inline]
    pub fn went_down(&mut self, backoff: Option<&Backoff>, now: Instant) {
        let Some(up) = self.up.take() else { return };
        let Some(restarts) = &mut self.restarts else { return };
        let ran = now.saturating_duration_since(up);
        if ran >= STABLE_AFTER {
            restarts.streak = 0;
        }
        if starts_over(backoff, ran) {
            restarts.start_over();
        }
    }

    /// Returns the restarts before a failure of the present incarnation at this time.
    #[inline]
    pub fn row(&self, backoff: Option<&Backoff>, now: Instant) -> Row {
        let Some(restarts) = &self.restarts else { return Row::default() };
        if self.up.is_some_and(|up| starts_over(backoff, now.saturating_duration_since(up))) {
            return Row::default();
        }
        let failing_for = restarts.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        Row { restarts: restarts.n, failing_for }
    }

    /// Returns the time when the present incarnation went up, if it was up.
    pub fn up(&self) -> Option<Instant> {
        self.up
    }

    /// Returns the length of the streak; 1 for the first restart.
    pub fn streak(&self) -> u32 {
        self.restarts.as_ref().map_or(0, |restarts| restarts.streak)
    }

    /// Returns the length of the streak at this time: 0 once the present incarnation has run long enough.
    pub fn streak_at(&self, now: Instant) -> u32 {
        let good = self.up.is_some_and(|up| now.saturating_duration_since(up) >= STABLE_AFTER);
        if good { 0 } else { self.streak() }
    }

    /// Returns the delay of the restart that is being decided, and counts the restart.
    #[inline]
    pub fn next(&mut self, backoff: Option<&Backoff>, over: LastRun, random: u64, now: Instant) -> Duration {
        self.went_down(backoff, now);
        whole_millis(self.restarts.get_or_insert_default().next(backoff, over, random, now))
    }
}

impl Restarts {
    fn start_over(&mut self) {
        self.n = 0;
        self.since = None;
    }

    #[inline]
    fn next(&mut self, backoff: Option<&Backoff>, over: LastRun, random: u64, now: Instant) -> Duration {
        if over.handled {
            self.streak = 0;
        }
        self.streak = self.streak.saturating_add(1);
        let delay = match backoff.map(|backoff| &backoff.delays) {
            None => self.built_in(over, now),
            Some(Delays::Exponential(backoff)) => exponential(backoff, self.n, random).max(Duration::from_millis(1)),
            Some(Delays::Stepped(backoff)) => {
                jittered(backoff.delay(self.n), backoff.random_factor, random).max(Duration::from_millis(1))
            }
            Some(Delays::Slotted(backoff)) => self.slotted(backoff, random).max(Duration::from_millis(1)),
        };
        self.n = self.n.saturating_add(1);
        self.since.get_or_insert(now);
        delay
    }

    fn built_in(&self, over: LastRun, now: Instant) -> Duration {
        let delay = match self.streak {
            0 | 1 if over.never_at_once => MIN_DELAY,
            0 | 1 => Duration::ZERO,
            k => MIN_DELAY.saturating_mul(1u32.checked_shl(k - 2).unwrap_or(u32::MAX)).min(LONGEST),
        };
        match self.restarted {
            Some(before) => delay.max(MIN_DELAY.saturating_sub(now.saturating_duration_since(before))),
            None => delay,
        }
    }

    /// Goes through slots 1 to ceiling - 1, then stays at the ceiling, or waits zero once and begins again with slot 1.
    fn slotted(&mut self, backoff: &Slotted, random: u64) -> Duration {
        let ceiling = backoff.ceiling.max(1);
        let slot = (self.slot + 1).min(ceiling);
        if slot >= ceiling && !backoff.stay {
            self.slot = 0;
            return Duration::ZERO;
        }
        self.slot = slot;
        let exponent = (unit(random) * f64::from(slot + 1)) as u32;
        let slots = 1u32.checked_shl(exponent.min(slot)).map_or(u32::MAX, |slots| slots - 1);
        backoff.slot_time.saturating_mul(slots)
    }
}

/// Returns whether an incarnation that was up this long ends a row of restarts (S32). Without a backoff it is the time
/// that ends a streak.
fn starts_over(backoff: Option<&Backoff>, ran: Duration) -> bool {
    let after = backoff.map_or(Some(STABLE_AFTER), Backoff::reset_after);
    after.is_some_and(|after| ran >= after)
}

/// Returns `min(max, min * factor^n) * (1 + U * random_factor)`, saturating.
fn exponential(backoff: &Exponential, n: u32, random: u64) -> Duration {
    let grown = backoff.min.as_secs_f64() * backoff.factor.powf(f64::from(n));
    let capped = match Duration::try_from_secs_f64(grown) {
        Ok(grown) => grown.min(backoff.max),
        Err(_) => backoff.max,
    };
    jittered(capped, backoff.random_factor, random)
}

/// Returns `delay * (1 + U * random_factor)`, saturating.
fn jittered(delay: Duration, random_factor: f64, random: u64) -> Duration {
    let jittered = delay.as_secs_f64() * (1.0 + unit(random) * random_factor);
    Duration::try_from_secs_f64(jittered).unwrap_or(Duration::MAX)
}

/// Returns a number that is uniform in [0, 1).
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// Rounds up to milliseconds, as the timer does, so that the announced delay is the real one.
fn whole_millis(delay: Duration) -> Duration {
    let millis = delay.as_nanos().div_ceil(1_000_000);
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::budget::Allowance;
    use crate::values::strategy::OnLimit;

    const FAILED: LastRun = LastRun { handled: false, never_at_once: false };

    const ONCE: Allowance = Allowance { max: Some(1), within: None, on_limit: OnLimit::Stop };

    fn secs(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    fn delays(backoff: Option<Backoff>, random: u64, count: usize) -> Vec<u128> {
        let (mut delays, mut now) = (RestartDelay::default(), Instant::now());
        (0..count)
            .map(|_| {
                delays.went_up(now);
                let delay = delays.next(backoff.as_ref(), FAILED, random, now);
                now += delay;
                delays.started_again(now);
                delay.as_millis()
            })
            .collect()
    }

    #[test]
    fn a_streak_ends_after_a_long_run_or_a_message() {
        let (mut delay, start) = (RestartDelay::default(), Instant::now());
        assert_eq!((delay.streak(), delay.streak_at(start)), (0, 0));
        for streak in 1..=3 {
            delay.went_up(start);
            delay.next(None, FAILED, 0, start);
            assert_eq!((delay.streak(), delay.streak_at(start)), (streak, streak));
        }
        delay.went_up(start);
        let just_before = start + STABLE_AFTER - Duration::from_millis(1);
        assert_eq!(delay.streak_at(just_before), 3);
        assert_eq!((delay.streak(), delay.streak_at(start + STABLE_AFTER)), (3, 0));
        delay.next(None, FAILED, 0, just_before);
        assert_eq!(delay.streak(), 4);
        delay.went_up(start);
        delay.next(None, FAILED, 0, start + STABLE_AFTER);
        assert_eq!(delay.streak(), 1);
        delay.went_up(start);
        delay.next(None, FAILED, 0, start);
        delay.next(None, LastRun { handled: true, ..FAILED }, 0, start);
        assert_eq!(delay.streak(), 1);
    }

    #[test]
    fn without_noise_the_delays_double_up_to_the_cap() {
        let backoff = Backoff::exponential(secs(3)..secs(30)).random_factor(0.0);
        assert_eq!(delays(Some(backoff), 0, 6), [3000, 6000, 12_000, 24_000, 30_000, 30_000]);
    }

    #[test]
    fn a_list_repeats_its_last_delay() {
        let backoff = || Backoff::steps([2, 5, 10].map(secs));
        assert_eq!(delays(Some(backoff().random_factor(0.0)), 0, 5), [2_000, 5_000, 10_000, 10_000, 10_000]);
        assert_eq!(delays(Some(backoff()), u64::MAX, 4), [2_400, 6_000, 12_000, 12_000], "jitter");
        let short = Backoff::steps([Duration::from_nanos(1), Duration::MAX]).random_factor(1.0);
        let mut delay = RestartDelay::default();
        let pair = [(); 2].map(|()| delay.next(Some(&short), FAILED, u64::MAX, Instant::now()));
        assert_eq!(pair, [Duration::from_millis(1), Duration::from_millis(u64::MAX)]);
        let many = Backoff::steps((1..=100_000).map(secs)).random_factor(0.0);
        let mut delay = RestartDelay::default();
        delay.restarts.get_or_insert_default().n = u32::MAX - 1;
        for _ in 0..3 {
            assert_eq!(delay.next(Some(&many), FAILED, 0, Instant::now()), secs(100_000));
        }
    }

    #[test]
    fn a_wait_counts_once_and_outlives_the_history() {
        let (mut delay, now) = (RestartDelay::default(), Instant::now());
        delay.set_wait(Duration::ZERO);
        assert!(delay.restarts.is_none(), "a child that has not failed has no history");
        delay.next(None, FAILED, 0, now);
        delay.set_wait(secs(3));
        delay.forget();
        assert_eq!((delay.streak(), delay.row(None, now)), (0, Row::default()));
        assert_eq!([delay.take_wait(), delay.take_wait()], [secs(3), Duration::ZERO]);
        delay.forget();
        assert!(delay.restarts.is_none(), "nothing is left to remember");
    }

    #[test]
    fn a_budget_outlives_the_history() {
        let (mut delay, now) = (RestartDelay::default(), Instant::now());
        delay.next(None, FAILED, 0, now);
        delay.budget_or_init().charge(&ONCE, now);
        delay.forget();
        assert_eq!(delay.streak(), 0);
        assert_eq!(delay.budget().map(|budget| budget.used(&ONCE, now)), Some(1));
    }

    #[test]
    fn a_reset_begins_with_the_shortest_delay() {
        let backoff = Backoff::exponential(secs(3)..secs(30)).random_factor(0.0);
        let slotted = Backoff::slotted(secs(1)).ceiling(5);
        let (mut delay, now) = (RestartDelay::default(), Instant::now());
        let twice = [3, 6].map(secs);
        assert_eq!([(); 2].map(|()| delay.next(Some(&backoff), FAILED, 0, now)), twice);
        delay.reset();
        assert_eq!([(); 2].map(|()| delay.next(Some(&backoff), FAILED, 0, now)), twice);
        let mut delay = RestartDelay::default();
        let slots = [(); 4].map(|()| delay.next(Some(&slotted), FAILED, u64::MAX, now));
        delay.reset();
        assert_eq!([(); 4].map(|()| delay.next(Some(&slotted), FAILED, u64::MAX, now)), slots);
    }

    #[test]
    fn jitter_comes_after_the_cap() {
        let backoff = Backoff::exponential(secs(3)..secs(30));
        let longest = delays(Some(backoff), u64::MAX, 6);
        assert_eq!(longest, [3600, 7200, 14_400, 28_800, 36_000, 36_000]);
    }

    /// No jitter at 0, and half of it in the middle of the random numbers.
    #[test]
    fn jitter_grows_with_the_random_number() {
        let backoff = Backoff::exponential(secs(10)..secs(10)).random_factor(0.2);
        for (random, millis) in [(0, 10_000), (1 << 63, 11_000)] {
            assert_eq!(delays(Some(backoff.clone()), random, 2), [millis; 2], "{random}");
        }
        let backoff = Backoff::slotted(secs(1)).ceiling(5);
        assert_eq!(delays(Some(backoff.clone()), 0, 4), [1; 4]);
        assert_eq!(delays(Some(backoff), 1 << 63, 4), [1_000, 1_000, 3_000, 3_000]);
    }

    #[test]
    fn huge_factors_saturate_at_the_cap() {
        let backoff = Backoff::exponential(secs(3)..secs(30)).factor(1e300).random_factor(0.0);
        assert_eq!(delays(Some(backoff), 0, 3), [3000, 30_000, 30_000]);
    }

    #[test]
    fn a_good_run_resets_only_where_it_was_asked_for() {
        for (reset, second) in [(Some(5), 3000), (Some(7), 6000), (None, 6000)] {
            let backoff = Backoff::exponential(secs(3)..secs(30)).random_factor(0.0);
            let backoff = match reset {
                Some(after) => backoff.reset(secs(after)),
                None => backoff.manual_reset(),
            };
            let (mut delays, now) = (RestartDelay::default(), Instant::now());
            delays.next(Some(&backoff), FAILED, 0, now);
            delays.went_up(now);
            let delay = delays.next(Some(&backoff), FAILED, 0, now + secs(6));
            assert_eq!(delay.as_millis(), second, "{reset:?}");
        }
    }

    #[test]
    fn a_row_grows_until_an_incarnation_is_up_for_long_enough() {
        let row = |restarts, failing_for| Row { restarts, failing_for: secs(failing_for) };
        let auto = Backoff::exponential(secs(1)..secs(1)).reset(secs(5));
        let manual = Backoff::exponential(secs(1)..secs(1)).manual_reset();
        let slotted = Backoff::slotted(secs(1));
        for (backoff, good) in [(None, Some(10)), (Some(auto), Some(5)), (Some(manual), None), (Some(slotted), None)] {
            let (mut delay, start) = (RestartDelay::default(), Instant::now());
            let backoff = backoff.as_ref();
            delay.went_up(start);
            let mut now = start + secs(100);
            for n in 0..3 {
                assert_eq!(delay.row(backoff, now), row(n, u64::from(n)), "{backoff:?}");
                delay.next(backoff, LastRun { handled: true, ..FAILED }, 0, now);
                now += secs(1);
                delay.went_up(now);
            }
            let up = now;
            for seconds in [4, 5, 9, 10, 100] {
                let ends = good.is_some_and(|good| seconds >= good);
                let expected = if ends { row(0, 0) } else { row(3, 3 + seconds) };
                assert_eq!(delay.row(backoff, up + secs(seconds)), expected, "{backoff:?} after {seconds} s");
            }
            // However the incarnation ends, the next one begins a new row, or goes on with this one.
            delay.went_down(backoff, up + secs(100));
            let expected = if good.is_some() { row(0, 0) } else { row(3, 203) };
            assert_eq!(delay.row(backoff, up + secs(200)), expected, "{backoff:?}");
            delay.reset();
            assert_eq!(delay.row(backoff, up + secs(200)), row(0, 0));
        }
    }

    #[test]
    fn a_start_that_failed_was_not_up() {
        let (mut delay, now) = (RestartDelay::default(), Instant::now());
        for n in 0..3 {
            assert_eq!(delay.row(None, now + secs(100 * n)).restarts, n as u32);
            delay.next(None, FAILED, 0, now + secs(100 * n));
        }
    }

    #[test]
    fn the_built_in_delay_starts_at_zero_and_doubles_to_ten_seconds() {
        let all = delays(None, 0, 13);
        assert_eq!(all[..5], [0, 10, 20, 40, 80]);
        assert_eq!(all[11..], [10_000, 10_000]);
    }

    #[test]
    fn a_handled_message_ends_the_streak_but_the_least_gap_stays() {
        let (mut delays, now) = (RestartDelay::default(), Instant::now());
        let handled = LastRun { handled: true, ..FAILED };
        assert_eq!(delays.next(None, handled, 0, now), Duration::ZERO);
        delays.started_again(now);
        assert_eq!(delays.next(None, handled, 0, now + Duration::from_millis(4)), Duration::from_millis(6));
        delays.started_again(now + MIN_DELAY);
        assert_eq!(delays.next(None, handled, 0, now + MIN_DELAY * 2), Duration::ZERO);
    }

    #[test]
    fn a_failed_start_never_restarts_at_once() {
        let (mut delays, now) = (RestartDelay::default(), Instant::now());
        let failed_start = LastRun { handled: false, never_at_once: true };
        assert_eq!(delays.next(None, failed_start, 0, now), MIN_DELAY);
    }

    #[test]
    fn slots_grow_to_the_ceiling_and_then_start_over() {
        let backoff = Backoff::slotted(Duration::from_millis(10)).ceiling(4);
        // The highest draw in slots 1, 2 and 3, then the wait of zero (at least 1 ms), then slot 1 again.
        assert_eq!(delays(Some(backoff.clone()), u64::MAX, 5), [10, 30, 70, 1, 10]);
        let staying = backoff.stay_at_ceiling();
        assert_eq!(delays(Some(staying), u64::MAX, 5), [10, 30, 70, 150, 150]);
    }
}
