//! A clock that a task of the test moves ([`tick`]): a timer that is due soon fires at any moment relative to
//! everything else, one that is due later does not fire at all.
//!
//! A wait of a few milliseconds (the delay of restarts, a backoff) thus races with everything, as it does in a process
//! that was not scheduled for a while. A wait of seconds (the timeout of an ask or a shutdown) does not end unless a
//! test widens the [`horizon`](set_horizon), so that a forgotten task is found as a deadlock and not hidden by a
//! timeout.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::ops::{Add, AddAssign, Sub};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
pub use std::time::Duration;

/// Time since the beginning of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    pub fn now() -> Self {
        with(|clock| clock.now)
    }

    pub fn duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    pub fn elapsed(&self) -> Duration {
        Instant::now().duration_since(*self)
    }

    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }

    pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
        self.0.checked_sub(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        Instant(self.0.saturating_add(time))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, time: Duration) {
        *self = *self + time;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, time: Duration) -> Instant {
        Instant(self.0.saturating_sub(time))
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

struct Clock {
    now: Instant,
    horizon: Duration,
    /// The wakers of waiting tasks, in the order of deadlines; the number distinguishes two with the same deadline.
    timers: BTreeMap<(Instant, u64), Waker>,
    numbers: u64,
    /// The task that moves the clock, while the task has nothing to do.
    ticker: Option<Waker>,
    over: bool,
}

const HORIZON: Duration = Duration::from_millis(900);

thread_local! {
    // All tasks of a schedule run on one thread, and no code below yields while this is borrowed.
    static CLOCK: RefCell<Clock> = const {
        RefCell::new(Clock {
            now: Instant(Duration::ZERO),
            horizon: HORIZON,
            timers: BTreeMap::new(),
            numbers: 0,
            ticker: None,
            over: false,
        })
    };
}

fn with<T>(f: impl FnOnce(&mut Clock) -> T) -> T {
    CLOCK.with(|clock| f(&mut clock.borrow_mut()))
}

/// Resets the clock. Call this first in each schedule.
pub fn begin() {
    let before = with(|clock| {
        let fresh = Clock {
            now: Instant::default(),
            horizon: HORIZON,
            timers: BTreeMap::new(),
            numbers: 0,
            ticker: None,
            over: false,
        };
        std::mem::replace(clock, fresh)
    });
    // The wakers of a failed schedule must not be dropped: their tasks are gone.
    std::mem::forget(before);
}

/// Timers due within this time from now fire.
pub fn set_horizon(horizon: Duration) {
    let ticker = with(|clock| {
        clock.horizon = horizon;
        clock.ticker.take()
    });
    ticker.into_iter().for_each(Waker::wake);
}

/// Moves the clock: fires the earliest timer whenever the scheduler runs this task.
pub async fn tick() {
    loop {
        let due = poll_fn(|cx| {
            with(|clock| {
                if clock.over {
                    return Poll::Ready(None);
                }
                let first = clock.timers.first_key_value().map(|(key, _)| *key);
                match first.filter(|(at, _)| at.duration_since(clock.now) <= clock.horizon) {
                    Some(key) => {
                        clock.now = clock.now.max(key.0);
                        Poll::Ready(clock.timers.remove(&key))
                    }
                    None => {
                        clock.ticker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                }
            })
        })
        .await;
        let Some(waker) = due else { return };
        waker.wake();
        shuttle::future::yield_now().await;
    }
}

/// Lets [`tick`] return.
pub fn end() {
    let ticker = with(|clock| {
        clock.over = true;
        clock.ticker.take()
    });
    ticker.into_iter().for_each(Waker::wake);
}

/// A future that is ready from its deadline on.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Sleep {
    deadline: Instant,
    registered: Option<(Instant, u64)>,
}

pub fn sleep(time: Duration) -> Sleep {
    sleep_until(Instant::now() + time)
}

pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep { deadline, registered: None }
}

/// The error of a future that took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed(());

/// Waits for a future for at most this time.
pub async fn timeout<F: Future>(time: Duration, future: F) -> Result<F::Output, Elapsed> {
    let (mut future, mut sleep) = (std::pin::pin!(future), std::pin::pin!(sleep(time)));
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => sleep.as_mut().poll(cx).map(|()| Err(Elapsed(()))),
    })
    .await
}

impl Sleep {
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    pub fn is_elapsed(&self) -> bool {
        Instant::now() >= self.deadline
    }

    pub fn reset(mut self: Pin<&mut Self>, deadline: Instant) {
        self.cancel();
        self.deadline = deadline;
    }

    fn cancel(&mut self) {
        if let Some(key) = self.registered.take() {
            let waker = with(|clock| clock.timers.remove(&key));
            drop(waker);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.cancel();
        let deadline = self.deadline;
        let waker = cx.waker().clone();
        let (key, ticker) = with(|clock| {
            if clock.now >= deadline {
                return (None, None);
            }
            clock.numbers += 1;
            let key = (deadline, clock.numbers);
            clock.timers.insert(key, waker);
            (Some(key), clock.ticker.take())
        });
        self.registered = key;
        ticker.into_iter().for_each(Waker::wake);
        if self.registered.is_some() { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.cancel();
    }
}
