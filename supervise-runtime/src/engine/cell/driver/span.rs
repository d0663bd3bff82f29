//! The `tracing` span of each incarnation, in which all its user code runs (rule S41).
//!
//! Without an interested subscriber, the cost is one comparison with tracing's maximum level for each incarnation.

use std::fmt;

use tracing::Span;
use tracing::span::Id;

use crate::engine::cell::control::{AnyCell, CellCore};
use crate::engine::span::Entered;
use supervise_core::base::deferred_drop::{drop_catching_panics, shielded};
use supervise_core::base::sync::{Arc, lock};

/// Returns the parent of this cell's spans.
fn above(core: &CellCore) -> Option<Id> {
    // The id of a span is stored in it: no subscriber is called.
    let around = |core: &CellCore| lock(&core.bus.spans.around).as_ref().and_then(Span::id);
    match core.supervisor() {
        Some(supervisor) => {
            let supervisor = supervisor.core();
            let open = lock(&supervisor.bus.spans.open).get(&supervisor.id).and_then(Span::id); // a guardian has none
            open.or_else(|| around(supervisor))
        }
        None => around(core),
    }
}

/// The span of one incarnation. Dropped with it.
pub(crate) struct Incarnation {
    span: Option<Span>,
    cell: Arc<AnyCell>,
}

impl fmt::Debug for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Incarnation").field(&self.span).finish()
    }
}

impl Incarnation {
    /// Opens the span. Returns `None` if no subscriber is interested.
    pub(crate) fn open(cell: &Arc<AnyCell>) -> Option<Self> {
        let core = cell.core();
        // At level `error`: where an error of a child is shown, its span should be shown too.
        // Opened and shared without a lock: a subscriber's code runs.
        let (span, shared) = shielded(|| {
            let span = tracing::error_span!(
                parent: above(core),
                "child",
                path = %core.path(),
                incarnation = core.incarnation()
            );
            (!span.is_disabled()).then(|| (span.clone(), span))
        })
        .flatten()?;
        let before = lock(&core.bus.spans.open).insert(core.id, shared);
        drop_catching_panics(before);
        Some(Incarnation { span: Some(span), cell: cell.clone() })
    }

    /// Enters the span, until the result is dropped.
    pub(super) fn enter(&self) -> Entered<'_> {
        Entered::of(self.span.as_ref())
    }
}

impl Drop for Incarnation {
    fn drop(&mut self) {
        let core = self.cell.core();
        let gone = lock(&core.bus.spans.open).remove(&core.id);
        drop_catching_panics(gone);
        drop_catching_panics(self.span.take());
    }
}
