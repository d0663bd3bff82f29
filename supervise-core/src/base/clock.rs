//! Points in time, safe for any duration that a user writes.

use std::ops::Add;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

use tokio::time::Instant;

/// The longest wait. Anything longer could overflow when it is added to a point in time.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// Returns `now + time`, limited to thirty years, so that `Duration::MAX` means no limit. This is the only place where
/// a time is added to a point in time; clippy finds every other.
#[inline]
pub fn after(now: Instant, time: Duration) -> Instant {
    now.checked_add(time.min(FAR)).unwrap_or(now)
}

/// A moment on a clock that goes on while the machine is suspended.
///
/// tokio's clock stands still during a suspension, on Linux and macOS. So what was read from it before a suspension says
/// nothing about the time of others. Here the time of all suspensions is added to it. On a paused clock that time is the
/// same for all moments of a test, unless the machine sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Instant);

impl Moment {
    pub fn now() -> Self {
        Moment::after_suspensions(suspended())
    }

    /// Returns this moment for a machine that was suspended this long.
    pub fn after_suspensions(suspended: Duration) -> Self {
        Moment(after(Instant::now(), suspended))
    }

    /// Returns the time since this moment, with the time during which the machine was suspended.
    pub fn elapsed(self) -> Duration {
        Moment::now().since(self)
    }

    /// Returns the time from an earlier moment to this one; zero if that is later.
    pub fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    /// Returns the moment that is later by this time, as [`after`] limits it.
    fn add(self, time: Duration) -> Moment {
        Moment(after(self.0, time))
    }
}

/// The moment up to which something is granted: a lease. Without locks, since each poll of code that runs under one reads it.
#[derive(Debug)]
pub struct Term {
    /// The moment from which the time counts.
    from: Moment,
    /// The time from then on, in nanoseconds.
    lasts: AtomicU64,
}

impl Term {
    /// Makes a grant that lasts for this time from this moment on.
    pub fn new(from: Moment, lasts: Duration) -> Self {
        Term { from, lasts: AtomicU64::new(nanos(lasts)) }
    }

    /// Returns the moment of the end.
    pub fn until(&self) -> Moment {
        Moment(after(self.from.0, Duration::from_nanos(self.lasts.load(SeqCst))))
    }

    /// Returns the time that is left at this moment.
    pub fn left(&self, now: Moment) -> Duration {
        Duration::from_nanos(self.lasts.load(SeqCst)).saturating_sub(now.since(self.from))
    }

    /// Makes the grant last at least until this moment. Grants may be taken in any order.
    pub fn extend(&self, until: Moment) {
        self.lasts.fetch_max(nanos(until.since(self.from)), SeqCst);
    }

    /// The same, unless the grant is over at `now`: what is over stays over, also if it is cut at the same time.
    pub fn extend_before_its_end(&self, until: Moment, now: Moment) {
        let (lasts, passed) = (nanos(until.since(self.from)), nanos(now.since(self.from)));
        let _ = self.lasts.fetch_update(SeqCst, SeqCst, |before| (passed < before).then_some(before.max(lasts)));
    }

    /// Makes the grant end at this moment at the latest.
    pub fn cut(&self, at: Moment) {
        self.lasts.fetch_min(nanos(at.since(self.from)), SeqCst);
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The shortest suspension that counts. Two clocks cannot be read at the same instant: a shorter one is the time between
/// the two reads.
const SLEPT: Duration = Duration::from_millis(20);

/// The time of all suspensions, as the last call returned it. A measurement that is wrong by more than [`SLEPT`] would
/// stay, so that a thread that is interrupted measures again.
struct Steady(AtomicU64);

impl Steady {
    /// Returns the measured time, or the last result if the measured time is not longer by a whole suspension.
    fn follow(&self, measured: Duration) -> Duration {
        let measured = nanos(measured);
        let followed = self.0.fetch_update(Relaxed, Relaxed, |last| {
            (Duration::from_nanos(measured.saturating_sub(last)) >= SLEPT).then_some(measured)
        });
        Duration::from_nanos(if followed.is_ok() { measured } else { self.0.load(Relaxed) })
    }
}

/// Returns how long the machine has been suspended since it was started; zero where no clock says so.
pub fn suspended() -> Duration {
    static SUSPENDED: Steady = Steady(AtomicU64::new(0));
    let slept = SUSPENDED.follow(measured());
    #[cfg(feature = "testing")]
    let slept = slept.saturating_add(PRETENDED.get());
    slept
}

/// How often the clocks are read again, at most, if the thread was interrupted meanwhile.
#[cfg(target_os = "linux")]
const TRIES: usize = 16;

/// The time between the clocks that is as good as none.
#[cfg(target_os = "linux")]
const EXACT: Duration = Duration::from_micros(100);

/// Measures how long the machine has been suspended. Two measurements differ by the time between two reads of clocks.
fn measured() -> Duration {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        let read = |id| {
            let now = clock_gettime(id);
            let secs = Duration::from_secs(u64::try_from(now.tv_sec).unwrap_or_default());
            secs.saturating_add(Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or_default()))
        };
        // A thread that is interrupted between two clocks would seem to have slept, so it reads them again.
        let mut best = (Duration::MAX, Duration::ZERO);
        for _ in 0..TRIES {
            let awake = read(ClockId::Monotonic);
            let all = read(ClockId::Boottime);
            let between = read(ClockId::Monotonic).saturating_sub(awake);
            best = best.min((between, all.saturating_sub(awake)));
            if between < EXACT {
                break;
            }
        }
        best.1
    }
    #[cfg(not(target_os = "linux"))]
    Duration::ZERO
}

#[cfg(feature = "testing")]
std::thread_local! {
    /// The suspensions of a test.
    static PRETENDED: std::cell::Cell<Duration> = const { std::cell::Cell::new(Duration::ZERO) };
}

/// Lets it seem, on this thread, that the machine was suspended for this long.
#[cfg(feature = "testing")]
pub fn pretend_suspended(time: Duration) {
    PRETENDED.set(PRETENDED.get().saturating_add(time));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that is interrupted between two clocks must not seem to have slept.
    #[test]
    fn an_interrupted_thread_has_not_slept() {
        let spread = || {
            let reads = (0..200_000).map(|_| measured());
            let (least, most) =
                reads.fold((Duration::MAX, Duration::ZERO), |(least, most), read| (least.min(read), most.max(read)));
            most.saturating_sub(least)
        };
        let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(spread)).collect();
        for thread in threads {
            let spread = thread.join().unwrap();
            assert!(spread < Duration::from_millis(1), "{spread:?}");
        }
    }

    /// S55, S58: a grant lasts for its longest extension, unless it is cut. Its time counts from its own begin.
    #[tokio::test(start_paused = true)]
    async fn a_grant_lasts_for_its_longest_extension() {
        let second = Duration::from_secs(1);
        let from = Moment::now();
        let term = Term::new(from, 3 * second);
        term.extend(from + 5 * second);
        term.extend(from + 4 * second);
        assert_eq!((term.until(), term.left(from + second)), (from + 5 * second, 4 * second));
        term.cut(from + 2 * second);
        term.cut(from + 3 * second);
        assert_eq!((term.until(), term.left(from + 9 * second)), (from + 2 * second, Duration::ZERO));
        term.extend_before_its_end(from + 9 * second, from + second);
        term.cut(from + 2 * second);
        term.extend_before_its_end(from + 9 * second, from + 2 * second);
        assert_eq!(term.until(), from + 2 * second);
        let forever = Term::new(from, Duration::MAX);
        assert!(forever.until() > from + 1_000_000 * second);
    }

    /// S58: of a cut and an extension at the same time, the cut wins.
    #[test]
    fn a_cut_outlives_an_extension_at_the_same_time() {
        let (from, hour) = (Moment(Instant::now()), Duration::from_secs(3600));
        for _ in 0..2_000 {
            let term = Term::new(from, hour);
            std::thread::scope(|scope| {
                scope.spawn(|| term.cut(from));
                scope.spawn(|| term.extend_before_its_end(from + 2 * hour, from));
            });
            assert_eq!(term.until(), from);
        }
    }

    /// S55: the time between two reads of clocks adds nothing to a lease, however often they are read, and a suspension is
    /// counted whole.
    #[test]
    fn only_a_suspension_moves_the_clock() {
        let steady = Steady(AtomicU64::new(0));
        let follow = |millis| steady.follow(Duration::from_millis(millis)).as_millis();
        assert_eq!([0, 7, 19, 3, 20, 21, 39, 19, 41].map(follow), [0, 0, 0, 0, 20, 20, 20, 20, 41]);
    }
}
