//! The settings that say how long a restart waits (rules S31 to S33). The arithmetic is in `decide::delay`.

use std::ops::Range;
use std::time::Duration;

use supervise_rules::{FACTOR, RANDOM_FACTOR, default_reset};

use crate::base::sync::Arc;

/// The delays between the restarts of a child: the argument of `backoff(..)` above it.
///
/// | in a tree | in Rust | rule |
/// |---|---|---|
/// | `#[backoff(3s..30s)]` | [`Backoff::exponential`], delays that grow, with jitter | S31 |
/// | `#[backoff([2s, 5s, 10s])]` | [`Backoff::steps`], delays from a list, with jitter | S31 |
/// | `#[backoff(Backoff::slotted(10ms))]` | [`Backoff::slotted`], random slots | S33 |
///
/// A method that has no meaning for such delays, or an invalid value, fails the start of the tree, or the spawn, that
/// uses it, with [`InvalidSettings`](crate::values::invalid_settings::InvalidSettings).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// /// Reads the delays from a configuration.
/// fn pace(slots: bool) -> Backoff {
///     let least = Duration::from_millis(100);
///     if slots { Backoff::slotted(least) } else { Backoff::exponential(least..Duration::from_secs(10)) }
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
pub struct Backoff {
    #[doc(hidden)]
    pub delays: Delays,
    /// A method that was called and has no meaning for these delays.
    #[doc(hidden)]
    pub without_effect: Option<&'static str>,
}

/// The form of a backoff.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub enum Delays {
    Exponential(Exponential),
    Stepped(Stepped),
    Slotted(Slotted),
}

/// The point at which the delays start over (rule S32).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Reset {
    /// An incarnation has been up this long.
    After(Duration),
    /// The actor calls [`Context::reset_backoff`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.reset_backoff).
    Manual,
}

#[derive(Debug, Clone, Copy, PartialEq)]
#[doc(hidden)]
pub struct Exponential {
    #[doc(hidden)]
    pub min: Duration,
    #[doc(hidden)]
    pub max: Duration,
    #[doc(hidden)]
    pub factor: f64,
    #[doc(hidden)]
    pub random_factor: f64,
    #[doc(hidden)]
    pub reset: Option<Reset>,
}

#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct Stepped {
    #[doc(hidden)]
    pub delays: Arc<[Duration]>,
    #[doc(hidden)]
    pub random_factor: f64,
    #[doc(hidden)]
    pub reset: Option<Reset>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct Slotted {
    #[doc(hidden)]
    pub slot_time: Duration,
    #[doc(hidden)]
    pub ceiling: u32,
    #[doc(hidden)]
    pub stay: bool,
}

impl Backoff {
    /// Returns delays that grow, with jitter: `#[backoff(3s..30s)]`.
    ///
    /// `delay(n) = min(max, min * factor^n) * (1 + U * random_factor)`, where U is uniform in [0, 1), and n is the number
    /// of restarts since the last reset. The result is rounded up to the millisecond. The jitter is added after the cap,
    /// so that children at the cap still spread out: 3 s to 30 s with a random factor of 0.2 waits up to 36 s (rule S31).
    ///
    /// The factor is 2, the random factor 0.2, and the reset comes after `(min + max) / 2` of uptime. Invalid are an empty
    /// range, a `factor` below 1, a `random_factor` outside of 0 to 1, and a reset before the first delay is over.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::prelude::*;
    ///
    /// // The same as `#[backoff(3s..30s, random_factor = 0, reset = 1min)]`: 3, 6, 12, 24, 30, 30 seconds
    /// let backoff = Backoff::exponential(Duration::from_secs(3)..Duration::from_secs(30))
    ///     .factor(2)
    ///     .random_factor(0)
    ///     .reset(Duration::from_secs(60));
    /// # let _ = backoff;
    /// ```
    pub const fn exponential(delays: Range<Duration>) -> Self {
        let Range { start: min, end: max } = delays;
        Self::of(Delays::Exponential(Exponential {
            min,
            max,
            factor: FACTOR,
            random_factor: RANDOM_FACTOR,
            reset: None,
        }))
    }

    /// Returns delays from a list, with jitter: `#[backoff([2s, 5s, 10s])]`.
    ///
    /// The first restart since the last reset waits for the first delay, the next one for the second, and so on; the last
    /// delay repeats. `(1 + U * random_factor)` is as in [`exponential`](Backoff::exponential) (rule S31).
    ///
    /// The random factor is 0.2, and the reset comes after `(first + last) / 2` of uptime. A reset that is shorter than
    /// the first delay is allowed, and so is zero: then every incarnation that comes up starts over, and the delays only
    /// grow from one failed start to the next. Invalid are a list without delays, a delay of zero, a delay that is shorter
    /// than one before it, and a `random_factor` outside of 0 to 1.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::event::EventKind;
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
    ///
    /// supervisor! {
    ///     struct Shop(delays: Vec<Duration>) {
    ///         #[backoff([2s, 5s, 10s], random_factor = 0, reset = 1min)]
    ///         db: Db = Db,
    ///         // The same, with delays from a configuration.
    ///         #[backoff(Backoff::steps(delays).random_factor(0).reset(1min))]
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
    pub fn steps(delays: impl IntoIterator<Item = Duration>) -> Self {
        let delays = delays.into_iter().collect();
        Self::of(Delays::Stepped(Stepped { delays, random_factor: RANDOM_FACTOR, reset: None }))
    }

    /// Returns random delays in slots of this length: the truncated slot algorithm of 2012.
    ///
    /// Slot k waits `slot_time * (2^rand(0..=k) - 1)`, for k from 1 to `ceiling - 1`. Then the backoff either
    /// [stays at the ceiling](Backoff::stay_at_ceiling) forever, or waits zero once and goes back to slot 1. The ceiling
    /// is 10. The delay starts over only by [`Context::reset_backoff`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.reset_backoff) (rule S33).
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::prelude::*;
    ///
    /// // 0 or 1, 0 to 3, 0 to 7 times 10 ms and so on, each limit a power of two less one
    /// let backoff = Backoff::slotted(Duration::from_millis(10)).ceiling(10).stay_at_ceiling();
    /// # let _ = backoff;
    /// ```
    pub const fn slotted(slot_time: Duration) -> Self {
        Self::of(Delays::Slotted(Slotted { slot_time, ceiling: 10, stay: false }))
    }

    const fn of(delays: Delays) -> Self {
        Backoff { delays, without_effect: None }
    }

    /// Sets the factor by which each delay is multiplied to get the next, of [`exponential`](Backoff::exponential)
    /// delays; at least 1, default 2.
    pub fn factor(mut self, factor: impl Into<f64>) -> Self {
        match &mut self.delays {
            Delays::Exponential(delays) => delays.factor = factor.into(),
            Delays::Stepped(_) | Delays::Slotted(_) => self.without_effect = Some("factor"),
        }
        self
    }

    /// Sets the largest share of a delay that is added at random, of [`exponential`](Backoff::exponential) delays and of
    /// [`steps`](Backoff::steps); 0 to 1, default 0.2.
    pub fn random_factor(mut self, share: impl Into<f64>) -> Self {
        match &mut self.delays {
            Delays::Exponential(delays) => delays.random_factor = share.into(),
            Delays::Stepped(delays) => delays.random_factor = share.into(),
            Delays::Slotted(_) => self.without_effect = Some("random_factor"),
        }
        self
    }

    /// Lets [`exponential`](Backoff::exponential) delays and [`steps`](Backoff::steps) start over when an incarnation has
    /// been up this long. Default: half of the sum of the shortest and the longest delay.
    ///
    /// See rule S32.
    pub fn reset(self, after: Duration) -> Self {
        self.resets(Reset::After(after), "reset")
    }

    /// Lets [`exponential`](Backoff::exponential) delays and [`steps`](Backoff::steps) start over when the actor calls
    /// [`Context::reset_backoff`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.reset_backoff), and at no other time: `reset = Manual`.
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
    ///         // In Rust: `Backoff::exponential(..).manual_reset()`.
    ///         #[backoff(1s..1min, random_factor = 0, reset = Manual)]
    ///         on_request: Mirror = Mirror,
    ///
    ///         // The default is half of the sum of the shortest and the longest delay: here 30.5 s.
    ///         #[backoff(1s..1min, reset = 10s)]
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
    pub fn manual_reset(self) -> Self {
        self.resets(Reset::Manual, "manual_reset")
    }

    fn resets(mut self, reset: Reset, name: &'static str) -> Self {
        match &mut self.delays {
            Delays::Exponential(delays) => delays.reset = Some(reset),
            Delays::Stepped(delays) => delays.reset = Some(reset),
            Delays::Slotted(_) => self.without_effect = Some(name),
        }
        self
    }

    /// Sets the slot at which the growth of [`slotted`](Backoff::slotted) delays ends; default 10.
    pub fn ceiling(mut self, slot: u32) -> Self {
        match &mut self.delays {
            Delays::Slotted(delays) => delays.ceiling = slot,
            Delays::Exponential(_) | Delays::Stepped(_) => self.without_effect = Some("ceiling"),
        }
        self
    }

    /// Keeps waiting at the ceiling of [`slotted`](Backoff::slotted) delays instead of starting over.
    pub fn stay_at_ceiling(mut self) -> Self {
        match &mut self.delays {
            Delays::Slotted(delays) => delays.stay = true,
            Delays::Exponential(_) | Delays::Stepped(_) => self.without_effect = Some("stay_at_ceiling"),
        }
        self
    }

    /// Returns the uptime after which the delays start over; `None`: only on request.
    #[doc(hidden)]
    pub fn reset_after(&self) -> Option<Duration> {
        let (reset, first, last) = match &self.delays {
            Delays::Exponential(delays) => (delays.reset, delays.min, delays.max),
            Delays::Stepped(delays) => (delays.reset, delays.delay(0), delays.delay(u32::MAX)),
            Delays::Slotted(_) => (Some(Reset::Manual), Duration::ZERO, Duration::ZERO),
        };
        match reset {
            None => Some(default_reset(first, last)),
            Some(Reset::After(time)) => Some(time),
            Some(Reset::Manual) => None,
        }
    }
}

impl Stepped {
    /// Returns the delay after `n` restarts. A list without delays is refused before it is used.
    #[doc(hidden)]
    pub fn delay(&self, n: u32) -> Duration {
        let last = self.delays.len().saturating_sub(1);
        self.delays.get(last.min(n as usize)).copied().unwrap_or_default()
    }
}
