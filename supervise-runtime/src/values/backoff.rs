//! The settings that say how long a restart waits (rules S31 to S33). The arithmetic is in `decide::delay`.

use std::time::Duration;

use supervise_rules::{FACTOR, RANDOM_FACTOR, default_reset};

use crate::base::sync::Arc;

/// The point at which the growing delay of a backoff starts over.
///
/// See rule S32.
///
/// ```
/// use supervise::BoxError;
/// use supervise::event::EventKind;
/// use supervise::prelude::*;
///
/// struct Mirror;
///
/// #[actor]
/// impl Mirror {
///     async fn handle(&mut self, page: &'static str, cx: &mut Context<Self>) -> Result<(), BoxError> {
///         if page == "broken" {
///             return Err("cannot be copied".into());
///         }
///         cx.reset_backoff(); // a page was copied: the next failure waits 1 s again
///         Ok(())
///     }
/// }
///
/// supervisor! {
///     struct Mirrors {
///         // In Rust: `ExponentialBackoff::new(..).reset(Reset::Manual)`.
///         #[backoff(1s..1min, random_factor = 0, reset = Manual)]
///         on_request: Mirror = Mirror,
///
///         // The default is half of the sum of the shortest and the longest delay: here 30.5 s.
///         #[backoff(1s..1min, reset = Auto(10s))]
///         after_ten_seconds: Mirror = Mirror,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mirrors = Mirrors::start().await?;
/// let mut events = mirrors.events();
/// for page in ["broken", "broken", "whole", "broken"] {
///     mirrors.on_request.tell(page).await?; // messages wait while the actor is down
/// }
/// let mut delays = Vec::new();
/// while delays.len() < 3 {
///     let event = events.next().await.expect("the tree lives");
///     if let EventKind::RestartScheduled { after } = event.kind {
///         delays.push(after.as_secs());
///     }
/// }
/// assert_eq!(delays, [1, 2, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    /// Resets the delay when an incarnation has been up this long.
    Auto(Duration),
    /// Resets the delay when the actor calls [`Context::reset_backoff`](crate::Context::reset_backoff).
    Manual,
}

/// Delays that grow, with jitter: `#[backoff(3s..30s)]`.
///
/// `delay(n) = min(max, min * factor^n) * (1 + U * random_factor)`, where U is uniform in [0, 1), and n is the number
/// of restarts since the last reset. The result is rounded up to the millisecond. The jitter is added after the cap, so
/// that children at the cap still spread out: 3 s to 30 s with a random factor of 0.2 waits up to 36 s (rule S31).
///
/// An invalid value (an empty range, a `factor` below 1, a `random_factor` outside of 0 to 1, a reset before the first
/// delay is over) fails the start of the tree, or the spawn, that uses it.
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::Reset;
/// use supervise::prelude::*;
///
/// // The same as `#[backoff(3s..30s, random_factor = 0, reset = Auto(1min))]`: 3, 6, 12, 24, 30, 30 seconds
/// let backoff = ExponentialBackoff::new(Duration::from_secs(3), Duration::from_secs(30))
///     .factor(2.0)
///     .random_factor(0.0)
///     .reset(Reset::Auto(Duration::from_secs(60)));
/// # let _ = backoff;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentialBackoff {
    pub(crate) min: Duration,
    pub(crate) max: Duration,
    pub(crate) factor: f64,
    pub(crate) random_factor: f64,
    pub(crate) reset: Option<Reset>,
}

impl ExponentialBackoff {
    /// Returns a backoff from `min` to `max` with factor 2, random factor 0.2, and a reset after `(min + max) / 2` of
    /// uptime.
    pub const fn new(min: Duration, max: Duration) -> Self {
        ExponentialBackoff { min, max, factor: FACTOR, random_factor: RANDOM_FACTOR, reset: None }
    }

    /// Sets the factor by which each delay is multiplied to get the next; at least 1, default 2.
    pub fn factor(mut self, factor: impl Into<f64>) -> Self {
        self.factor = factor.into();
        self
    }

    /// Sets the largest share of a delay that is added at random; 0 to 1, default 0.2.
    pub fn random_factor(mut self, share: impl Into<f64>) -> Self {
        self.random_factor = share.into();
        self
    }

    /// Sets when the delay starts over; default `Auto((min + max) / 2)`.
    pub fn reset(mut self, reset: Reset) -> Self {
        self.reset = Some(reset);
        self
    }

    pub(crate) fn reset_after(&self) -> Option<Duration> {
        match self.reset {
            None => Some(default_reset(self.min, self.max)),
            Some(Reset::Auto(time)) => Some(time),
            Some(Reset::Manual) => None,
        }
    }
}

/// Delays from a list, with jitter: `#[backoff([2s, 5s, 10s])]`.
///
/// The first restart since the last reset waits for the first delay, the next one for the second, and so on; the last
/// delay repeats. `(1 + U * random_factor)` is as in [`ExponentialBackoff`] (rule S31).
///
/// An invalid value (no delays, a delay of zero, a delay that is shorter than one before it, a `random_factor` outside
/// of 0 to 1) fails the start of the tree, or the spawn, that uses it.
///
/// ```
/// use std::time::Duration;
/// use supervise::event::EventKind;
/// use supervise::policy::{Reset, SteppedBackoff};
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
///
/// supervisor! {
///     struct Shop(delays: Vec<Duration>) {
///         #[backoff([2s, 5s, 10s], random_factor = 0, reset = Auto(1min))]
///         db: Db = Db,
///         // The same, with delays from a configuration.
///         #[backoff(SteppedBackoff::new(delays).random_factor(0).reset(Reset::Auto(1min)))]
///         cache: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start([2, 5, 10].map(Duration::from_secs).into()).await?;
/// for child in [&shop.db, &shop.cache] {
///     let mut events = shop.events();
///     for _ in 0..4 {
///         child.tell(()).await?; // fails
///     }
///     let mut delays = Vec::new();
///     while delays.len() < 4 {
///         let event = events.next().await.expect("the tree lives");
///         if let EventKind::RestartScheduled { after } = event.kind {
///             delays.push(after.as_secs());
///         }
///     }
///     assert_eq!(delays, [2, 5, 10, 10]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SteppedBackoff {
    pub(crate) delays: Arc<[Duration]>,
    pub(crate) random_factor: f64,
    pub(crate) reset: Option<Reset>,
}

impl SteppedBackoff {
    /// Returns a backoff with these delays, random factor 0.2, and a reset after `(first + last) / 2` of uptime.
    pub fn new(delays: impl IntoIterator<Item = Duration>) -> Self {
        SteppedBackoff { delays: delays.into_iter().collect(), random_factor: RANDOM_FACTOR, reset: None }
    }

    /// Sets the largest share of a delay that is added at random; 0 to 1, default 0.2.
    pub fn random_factor(mut self, share: impl Into<f64>) -> Self {
        self.random_factor = share.into();
        self
    }

    /// Sets when the delays start over; default `Auto((first + last) / 2)`.
    ///
    /// A time that is shorter than the first delay is allowed, and so is zero: then every incarnation that comes up
    /// starts over, and the delays only grow from one failed start to the next.
    pub fn reset(mut self, reset: Reset) -> Self {
        self.reset = Some(reset);
        self
    }

    /// Returns the delay after `n` restarts. A list without delays is refused before it is used.
    pub(crate) fn delay(&self, n: u32) -> Duration {
        let last = self.delays.len().saturating_sub(1);
        self.delays.get(last.min(n as usize)).copied().unwrap_or_default()
    }

    pub(crate) fn reset_after(&self) -> Option<Duration> {
        match self.reset {
            None => Some(default_reset(self.delay(0), self.delay(u32::MAX))),
            Some(Reset::Auto(time)) => Some(time),
            Some(Reset::Manual) => None,
        }
    }
}

/// The truncated slot algorithm of 2012: random delays in slots.
///
/// Slot k waits `slot_time * (2^rand(0..=k) - 1)`, for k from 1 to `ceiling - 1`. Then the backoff either stays at
/// `ceiling` forever, or waits zero once and goes back to slot 1.
///
/// The delay starts over only by [`Context::reset_backoff`](crate::Context::reset_backoff) (rule S33).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// // 0 or 1, 0 to 3, 0 to 7 times 10 ms and so on, each limit a power of two less one
/// let backoff = SlottedBackoff::new(Duration::from_millis(10)).ceiling(10).stay_at_ceiling();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlottedBackoff {
    pub(crate) slot_time: Duration,
    pub(crate) ceiling: u32,
    pub(crate) stay: bool,
}

impl SlottedBackoff {
    /// Returns a backoff with slots of this length, ceiling 10, not staying at the ceiling.
    pub const fn new(slot_time: Duration) -> Self {
        SlottedBackoff { slot_time, ceiling: 10, stay: false }
    }

    /// Sets the slot at which growth ends; default 10.
    pub const fn ceiling(mut self, slot: u32) -> Self {
        self.ceiling = slot;
        self
    }

    /// Keeps waiting at the ceiling instead of starting over.
    pub const fn stay_at_ceiling(mut self) -> Self {
        self.stay = true;
        self
    }
}

/// A declared backoff: the argument of `backoff(..)` above a child, one type for all kinds.
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::Backoff;
/// use supervise::prelude::*;
///
/// /// Reads the delays from a configuration.
/// fn pace(slots: bool) -> Backoff {
///     let least = Duration::from_millis(100);
///     if slots {
///         SlottedBackoff::new(least).into()
///     } else {
///         ExponentialBackoff::new(least, Duration::from_secs(10)).into()
///     }
/// }
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop(slots: bool) {
///         #[backoff(pace(slots))]
///         db: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # Shop::start(true).await?.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Backoff {
    /// Growing delays with jitter.
    Exponential(ExponentialBackoff),
    /// Delays from a list, with jitter.
    Stepped(SteppedBackoff),
    /// Random slots.
    Slotted(SlottedBackoff),
}

impl From<ExponentialBackoff> for Backoff {
    fn from(backoff: ExponentialBackoff) -> Self {
        Backoff::Exponential(backoff)
    }
}

impl From<SteppedBackoff> for Backoff {
    fn from(backoff: SteppedBackoff) -> Self {
        Backoff::Stepped(backoff)
    }
}

impl From<SlottedBackoff> for Backoff {
    fn from(backoff: SlottedBackoff) -> Self {
        Backoff::Slotted(backoff)
    }
}
