//! The `tracing` spans that are open in one tree (rule S41). A subscriber is foreign code: its panic harms nobody here.

use std::collections::HashMap;

use tracing::Span;

use supervise_core::base::deferred_drop::{drop_catching_panics, shielded};
use supervise_core::base::sync::{Mutex, lock};

/// A span that is entered until this is dropped. It is left in any case, even if a subscriber has panicked at the entry:
/// one behind it knows of it already.
pub(crate) struct Entered<'a>(Option<&'a Span>);

impl<'a> Entered<'a> {
    pub(crate) fn of(span: Option<&'a Span>) -> Self {
        if let Some(span) = span {
            shielded(|| span.with_subscriber(|(id, dispatch)| dispatch.enter(id)));
        }
        Entered(span)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let Some(span) = self.0 {
            shielded(|| span.with_subscriber(|(id, dispatch)| dispatch.exit(id)));
        }
    }
}

/// Returns the span in which this code runs.
pub(crate) fn current() -> Span {
    shielded(Span::current).unwrap_or_else(Span::none)
}

/// The open spans of one tree, by the id of their cells. Children find their supervisor's span here.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// The span that was current when the tree was started.
    pub(in crate::engine) around: Mutex<Option<Span>>,
    pub(in crate::engine) open: Mutex<HashMap<u64, Span>>,
}

impl Spans {
    /// Records the current span as the one in which the tree starts.
    pub(crate) fn begin(&self) {
        let current = current();
        if !current.is_none() {
            let before = lock(&self.around).replace(current);
            drop_catching_panics(before);
        }
    }

    /// Releases that span when the tree has ended, so that it need not stay open.
    pub(crate) fn end(&self) {
        let around = lock(&self.around).take();
        drop_catching_panics(around);
    }
}
