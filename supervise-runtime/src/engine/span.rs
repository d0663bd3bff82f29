//! The `tracing` spans that are open in one tree (rule S41).

use std::collections::HashMap;

use tracing::Span;

use crate::base::sync::{Mutex, foreign, lock};

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
        let current = Span::current();
        if !current.is_none() {
            let before = lock(&self.around).replace(current);
            foreign();
            drop(before);
        }
    }

    /// Releases that span when the tree has ended, so that it need not stay open.
    pub(crate) fn end(&self) {
        let around = lock(&self.around).take();
        foreign();
        drop(around);
    }
}
