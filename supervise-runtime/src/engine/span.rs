//! The `tracing` spans that are open in one tree (rule S41).

use std::collections::HashMap;

use tracing::Span;

use crate::base::sync::{Mutex, foreign, lock};

/// The spans that are open in one tree, by the id of their cells: children find their supervisor's here.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    /// Current when the tree was started.
    pub(in crate::engine) around: Mutex<Option<Span>>,
    pub(in crate::engine) open: Mutex<HashMap<u64, Span>>,
}

impl Spans {
    /// The tree starts here.
    pub(crate) fn begin(&self) {
        let current = Span::current();
        if !current.is_none() {
            let before = lock(&self.around).replace(current);
            foreign();
            drop(before);
        }
    }

    /// The tree has ended: what it stood in need not stay open for it.
    pub(crate) fn end(&self) {
        let around = lock(&self.around).take();
        foreign();
        drop(around);
    }
}
