//! The numbers that are given in this process: of cells, of ends, of what is recorded.

use std::sync::atomic::{AtomicU64, Ordering};

/// The next number. No schedule depends on it, so it is a standard library atomic in every build.
static NUMBERS: AtomicU64 = AtomicU64::new(BEFORE_REPORTS + 1);

/// The number of all ends that were counted while no report was open: they come first, after those that were found when
/// it was opened.
pub(crate) const BEFORE_REPORTS: u64 = FOUND + 1;

/// The number of all ends that were found when a report was opened.
pub(crate) const FOUND: u64 = 0;

/// Returns a number that is unique in this process, higher than all earlier ones. A number that is taken under a lock
/// is higher than those that were taken under it earlier.
pub fn number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}
