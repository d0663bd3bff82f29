//! The gate in front of the task of a cell, for extensions that say whether it may be polled (S58).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::control::AnyCell;
use crate::engine::bus::extension::{Extensions, Gate, Pass};
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::Arc;
use supervise_core::values::event::EventKind;

/// The life of a cell behind a gate, which is asked at each poll: a task of its own, so that nothing of the cell is polled
/// before the answer, neither user code nor its timers and background work.
pub(super) struct Gated {
    cell: Arc<AnyCell>,
    /// `None` once an extension had it dropped.
    life: Option<BoxFuture<'static, ()>>,
}

impl Gated {
    pub(super) fn new(cell: Arc<AnyCell>, life: BoxFuture<'static, ()>) -> Self {
        Gated { cell, life: Some(life) }
    }
}

/// Says that the poll that was let pass is over.
struct Passed<'a>(&'a Extensions);

impl Drop for Passed<'_> {
    fn drop(&mut self) {
        self.0.passed();
    }
}

impl Future for Gated {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let Some(life) = &mut this.life else { return Poll::Ready(()) };
        let core = this.cell.core();
        match core.bus.extensions.pass(&*this.cell, Gate::Task(cx)) {
            Pass::Go => {
                let _passed = Passed(&core.bus.extensions);
                return life.as_mut().poll(cx);
            }
            Pass::Hold => return Poll::Pending,
            Pass::Drop => {}
        }
        // The life may have taken its last step, and only its task is left.
        if !core.has_ended() {
            core.set_dropped();
            core.emit(EventKind::Fenced);
        }
        drop_catching_panics(this.life.take());
        Poll::Ready(())
    }
}
