//! The `tracing` span of each incarnation, in which all its user code runs (rule S41).
//!
//! Without a subscriber that wants it, all of this is one look at tracing's greatest level for each incarnation.

use std::fmt;

use tracing::Span;
use tracing::span::Id;

use crate::base::sync::{Arc, foreign, lock};
use crate::engine::cell::control::{Controlled, Ctl};

/// Under which span those of this cell stand.
fn above(ctl: &Ctl) -> Option<Id> {
    // The number of a span is a field of it: no subscriber is asked.
    let around = |ctl: &Ctl| lock(&ctl.bus.spans.around).as_ref().and_then(Span::id);
    match ctl.supervisor() {
        Some(supervisor) if !supervisor.ctl().is_guardian() => {
            let supervisor = supervisor.ctl();
            let open = lock(&supervisor.bus.spans.open).get(&supervisor.id).and_then(Span::id);
            open.or_else(|| around(supervisor))
        }
        Some(guardian) => around(guardian.ctl()),
        None => around(ctl),
    }
}

/// The span of one incarnation. Dropped with it.
pub(crate) struct Incarnation {
    pub(crate) span: Span,
    cell: Arc<dyn Controlled>,
}

impl fmt::Debug for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.span.fmt(f)
    }
}

impl Incarnation {
    /// `None`: nobody wants it.
    pub(crate) fn open(cell: &Arc<dyn Controlled>) -> Option<Self> {
        let ctl = cell.ctl();
        // Of the greatest level: where an error of a child is shown, the child should be.
        let span = tracing::error_span!(
            parent: above(ctl),
            "child",
            path = %ctl.path(),
            incarnation = ctl.incarnation()
        );
        if span.is_disabled() {
            return None;
        }
        let shared = span.clone(); // a subscriber's code, as dropping one is: not under the lock
        let before = lock(&ctl.bus.spans.open).insert(ctl.id, shared);
        drop(before);
        Some(Incarnation { span, cell: cell.clone() })
    }
}

impl Drop for Incarnation {
    fn drop(&mut self) {
        let ctl = self.cell.ctl();
        let gone = lock(&ctl.bus.spans.open).remove(&ctl.id);
        foreign();
        drop(gone);
    }
}
