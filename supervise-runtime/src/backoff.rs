//! How long a restart waits: the settings (rules S31 to S33). The arithmetic is in `decide::pace`.

use std::time::Duration;

/// When the growing delay starts over (rule S32).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reset {
    /// When an incarnation has been up this long.
    Auto(Duration),
    /// When the actor calls [`Context::reset_backoff`](crate::Context::reset_backoff).
    Manual,
}

/// `delay(n) = min(max, min * factor^n) * (1 + U * random_factor)`, U uniform in [0, 1) (rule S31).
///
/// The jitter comes after the cap, so that children at the cap still spread out: 3 s to 30 s with 0.2
/// waits up to 36 s.
///
/// ```
/// # use supervise_runtime::ExponentialBackoff;
/// # use std::time::Duration;
/// // 3, 6, 12, 24, 30, 30 seconds
/// let backoff = ExponentialBackoff::new(Duration::from_secs(3), Duration::from_secs(30)).random_factor(0.0);
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
    /// From `min` to `max`, factor 2, random factor 0.2, reset after `(min + max) / 2` of good service.
    pub const fn new(min: Duration, max: Duration) -> Self {
        ExponentialBackoff { min, max, factor: 2.0, random_factor: 0.2, reset: None }
    }

    /// What each delay is multiplied by to give the next.
    pub fn factor(mut self, factor: impl Into<f64>) -> Self {
        self.factor = factor.into();
        self
    }

    /// The largest share of a delay that is added at random, 0 to 1.
    pub fn random_factor(mut self, share: impl Into<f64>) -> Self {
        self.random_factor = share.into();
        self
    }

    /// When the delay starts over.
    pub fn reset(mut self, reset: Reset) -> Self {
        self.reset = Some(reset);
        self
    }

    pub(crate) fn reset_after(&self) -> Option<Duration> {
        match self.reset {
            None => Some(self.min.saturating_add(self.max) / 2),
            Some(Reset::Auto(time)) => Some(time),
            Some(Reset::Manual) => None,
        }
    }
}

/// The truncated slot algorithm of 2012 (rule S33): slot k waits `slot_time * (2^rand(0..=k) - 1)`,
/// k from 1 to `ceiling - 1`; then, staying, `ceiling` for ever; else one wait of zero and slot 1 again.
///
/// Starts over only by [`Context::reset_backoff`](crate::Context::reset_backoff).
///
/// ```
/// # use supervise_runtime::SlottedBackoff;
/// # use std::time::Duration;
/// let backoff = SlottedBackoff::new(Duration::from_millis(10)).ceiling(10).stay_at_ceiling();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlottedBackoff {
    pub(crate) slot_time: Duration,
    pub(crate) ceiling: u32,
    pub(crate) stay: bool,
}

impl SlottedBackoff {
    /// Slots of this length, ceiling 10, not staying.
    pub const fn new(slot_time: Duration) -> Self {
        SlottedBackoff { slot_time, ceiling: 10, stay: false }
    }

    /// The slot at which growth ends.
    pub const fn ceiling(mut self, slot: u32) -> Self {
        self.ceiling = slot;
        self
    }

    /// Keep waiting at the ceiling instead of starting over.
    pub const fn stay_at_ceiling(mut self) -> Self {
        self.stay = true;
        self
    }
}

/// A declared backoff: `backoff(..)` of a child.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Growing delays with jitter.
    Exponential(ExponentialBackoff),
    /// Random slots.
    Slotted(SlottedBackoff),
}

impl From<ExponentialBackoff> for Backoff {
    fn from(backoff: ExponentialBackoff) -> Self {
        Backoff::Exponential(backoff)
    }
}

impl From<SlottedBackoff> for Backoff {
    fn from(backoff: SlottedBackoff) -> Self {
        Backoff::Slotted(backoff)
    }
}
