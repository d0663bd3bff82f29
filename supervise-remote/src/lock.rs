//! The locks of this crate.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic: no user code runs under a lock of this crate.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
