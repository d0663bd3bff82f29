//! The fence in front of the task of a cell: a process that was frozen acts no more (S58).

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc as StdArc;
use std::task::{Context, Poll, ready};

use super::control::AnyCell;
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::Arc;
use supervise_core::values::event::EventKind;
use supervise_core::values::fence::Fence;

/// The life of a cell behind a fence, which is asked at each poll: a task of its own, so that nothing of the cell is
/// polled before the answer, neither user code nor its timers and background work.
pub(super) struct Fenced {
    cell: Arc<AnyCell>,
    /// `None` once the fence has dropped it.
    life: Option<BoxFuture<'static, ()>>,
    fence: StdArc<dyn Fence>,
}

impl Fenced {
    pub(super) fn new(cell: Arc<AnyCell>, life: BoxFuture<'static, ()>, fence: StdArc<dyn Fence>) -> Self {
        Fenced { cell, life: Some(life), fence }
    }
}

/// Tells a fence that the poll that it let through is over.
struct Left<'a>(&'a dyn Fence);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.0.left();
    }
}

impl Future for Fenced {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let Some(life) = &mut this.life else { return Poll::Ready(()) };
        // A fence that panics lets nothing pass.
        let passes = catch_unwind(AssertUnwindSafe(|| this.fence.pass(cx))).unwrap_or_else(|panic| {
            drop_catching_panics(panic);
            Poll::Ready(false)
        });
        if ready!(passes) {
            let _left = Left(&*this.fence);
            return life.as_mut().poll(cx);
        }
        // The life may have taken its last step, and only its task is left.
        if !this.cell.core().has_ended() {
            this.cell.core().set_fenced();
            this.cell.core().emit(EventKind::Fenced);
        }
        drop_catching_panics(this.life.take());
        Poll::Ready(())
    }
}
