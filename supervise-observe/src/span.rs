//! The `tracing` spans of a tree: one for each incarnation, in which all its user code runs (rule S41). A subscriber is
//! foreign code: its panic harms nobody here.
//!
//! Without an interested subscriber, the cost is one comparison with tracing's maximum level for each incarnation.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc as StdArc;

use tracing::Span;
use tracing::span::Id;

use supervise_core::base::deferred_drop::{drop_catching_panics, shielded};
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_runtime::extension::{AnyCell, Around, CellCore};

/// A span that others run in.
#[derive(Debug)]
pub(crate) struct Shared(Span);

/// Returns the span in which this code runs.
pub(crate) fn current() -> Option<Shared> {
    shielded(Span::current).filter(|span| !span.is_none()).map(Shared)
}

fn enter(span: &Span) {
    span.with_subscriber(|(id, dispatch)| dispatch.enter(id));
}

fn leave(span: &Span) {
    span.with_subscriber(|(id, dispatch)| dispatch.exit(id));
}

impl Around for Shared {
    fn enter(&self) {
        enter(&self.0);
    }

    fn leave(&self) {
        leave(&self.0);
    }
}

/// The spans that are open in one tree, by the id of their cells. Children find their supervisor's span here.
#[derive(Debug, Default)]
struct Spans {
    /// The span that was current when the tree was started.
    around: Mutex<Option<Span>>,
    open: Mutex<HashMap<u64, Span>>,
}

fn spans(core: &CellCore) -> Option<StdArc<Spans>> {
    core.bus().slot()
}

/// Returns the spans of the tree of this cell, which has one now.
fn spans_or_new(core: &CellCore) -> StdArc<Spans> {
    core.bus().slot_or_default()
}

/// Records the current span as the one in which the tree starts.
pub(crate) fn note_current(root: &CellCore) {
    if let Some(Shared(current)) = current() {
        let before = lock(&spans_or_new(root).around).replace(current);
        drop_catching_panics(before);
    }
}

/// Releases that span when the tree has ended, so that it need not stay open.
pub(crate) fn forget(root: &CellCore) {
    if let Some(spans) = spans(root) {
        let around = lock(&spans.around).take();
        drop_catching_panics(around);
    }
}

/// Returns the parent of this cell's spans.
fn above(core: &CellCore) -> Option<Id> {
    // The id of a span is stored in it: no subscriber is called.
    let around = |core: &CellCore| lock(&spans(core)?.around).as_ref().and_then(Span::id);
    match core.supervisor() {
        Some(supervisor) => {
            let supervisor = supervisor.core();
            let spans = spans(supervisor);
            // A guardian has none.
            let open = spans.and_then(|spans| lock(&spans.open).get(&supervisor.id()).and_then(Span::id));
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
                target: "supervise",
                parent: above(core),
                "child",
                path = %core.path(),
                incarnation = core.incarnation()
            );
            (!span.is_disabled()).then(|| (span.clone(), span))
        })
        .flatten()?;
        let before = lock(&spans_or_new(core).open).insert(core.id(), shared);
        drop_catching_panics(before);
        Some(Incarnation { span: Some(span), cell: cell.clone() })
    }
}

impl Around for Incarnation {
    fn enter(&self) {
        self.span.iter().for_each(enter);
    }

    fn leave(&self) {
        self.span.iter().for_each(leave);
    }
}

impl Drop for Incarnation {
    fn drop(&mut self) {
        let core = self.cell.core();
        let gone = spans(core).and_then(|spans| lock(&spans.open).remove(&core.id()));
        drop_catching_panics(gone);
        drop_catching_panics(self.span.take());
    }
}
