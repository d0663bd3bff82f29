//! The process of the code that runs on a thread: a test has all its processes in one.

use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static PROCESS: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Remembers whose code is polled on this thread.
pub(crate) fn polls(process: &str) {
    PROCESS.with_borrow_mut(|now| {
        if now.as_deref() != Some(process) {
            *now = Some(process.into());
        }
    });
}

pub(crate) fn current() -> Option<String> {
    PROCESS.with_borrow(|now| now.as_deref().map(str::to_owned))
}
