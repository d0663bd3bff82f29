//! Epochs of owners: the first part of the tokens of their placements. The owner with the greatest one is the newest.
//!
//! An epoch is read from the clock of the owner, or comes from the lease of its tree. One of a lease is greater than each of a
//! clock. Clocks may be set back, so an owner takes an epoch above all of a clock that its nodes have heard of. Leases need
//! none of that: their epochs grow by themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Grows with every run of this process, so that two runs never share an epoch.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The bit that only the epochs of leases have. A tree that runs under a lease is newer than any that runs without. Not the
/// last one, so that an epoch is a positive number in a database as well.
const UNDER_LEASE: u64 = 1 << 62;

/// A day, in the unit of the epochs of a clock.
const DAY: u64 = 24 * 60 * 60 * 1_000_000;

/// The epoch of a lease with this token.
pub(crate) fn of_lease(token: u64) -> u64 {
    token | UNDER_LEASE
}

fn is_of_lease(epoch: u64) -> bool {
    epoch & UNDER_LEASE != 0
}

/// The time of the clock of this process, in microseconds, as an epoch.
fn now(shift: i64) -> u64 {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros());
    u64::try_from(micros).unwrap_or(0).saturating_add_signed(shift) & !UNDER_LEASE
}

/// The epoch of a new run without a lease. `shift` is that of a clock in a test, else 0.
pub(crate) fn of_clock(shift: i64) -> u64 {
    let now = now(shift);
    if shift != 0 {
        return now; // as another process
    }
    let last = LAST.fetch_max(now, Ordering::SeqCst);
    if last < now { now } else { LAST.fetch_add(1, Ordering::SeqCst).saturating_add(1) }
}

/// Returns whether an epoch of a clock is more than a day ahead of the clock of this process: that clock is wrong, or this one.
pub(crate) fn is_far_ahead(epoch: u64, shift: i64) -> bool {
    !is_of_lease(epoch) && epoch > now(shift).saturating_add(DAY)
}

/// The greatest epoch of a clock that a node has heard of.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heard(u64);

impl Heard {
    pub(crate) fn hear(&mut self, epoch: u64) {
        if !is_of_lease(epoch) {
            self.0 = self.0.max(epoch);
        }
    }

    /// Returns the epoch that an owner has to take in place of this one, if this one is not greater than what was heard.
    ///
    /// # Errors
    ///
    /// If what was heard cannot be the time of a clock that is right.
    pub(crate) fn above(self, epoch: u64, shift: i64) -> Result<Option<u64>, ()> {
        if is_of_lease(epoch) || is_of_lease(self.0) || self.0 <= epoch {
            return Ok(None);
        }
        if is_far_ahead(self.0, shift) {
            return Err(());
        }
        LAST.fetch_max(self.0.saturating_add(1), Ordering::SeqCst);
        Ok(Some(self.0.saturating_add(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S59: epochs of leases are compared among themselves only.
    #[test]
    fn an_owner_takes_more_than_each_clock_before_it() {
        let mut heard = Heard::default();
        assert_eq!(heard.above(7, 0), Ok(None));
        heard.hear(9);
        heard.hear(8);
        heard.hear(of_lease(3));
        assert_eq!([7, 9, 10].map(|epoch| heard.above(epoch, 0)), [Ok(Some(10)), Ok(None), Ok(None)]);
        assert_eq!(heard.above(of_lease(1), 0), Ok(None));
        // A node may say anything.
        assert_eq!(Heard(of_lease(9)).above(7, 0), Ok(None));
        assert_eq!(Heard(u64::MAX).above(7, 0), Ok(None));
        assert_eq!(Heard(UNDER_LEASE - 1).above(7, 0), Err(()));
        assert!(of_clock(0) < UNDER_LEASE >> 1, "what was refused is not taken over");
        assert!(of_lease(1) > of_clock(0));
    }

    /// S59: two runs never share a token.
    #[test]
    fn runs_of_one_process_never_share_an_epoch() {
        let mut before = of_clock(0);
        for _ in 0..10_000 {
            let next = of_clock(0);
            assert!(next > before);
            before = next;
        }
    }

    #[test]
    fn a_clock_that_is_a_day_ahead_is_noticed() {
        assert!(!is_far_ahead(now(0) + DAY - 60_000_000, 0));
        assert!(is_far_ahead(now(0) + DAY + 60_000_000, 0));
        assert!(!is_far_ahead(of_lease(u64::MAX >> 2), 0));
    }
}
