//! Futures that are polled beside another one, in one task.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use supervise_core::values::failure::panic_text;

/// The calls under way.
#[derive(Default)]
pub(super) struct Crowd<'a>(Vec<Pin<Box<dyn Future<Output = ()> + 'a>>>);

impl<'a> Crowd<'a> {
    pub(super) fn add(&mut self, call: impl Future<Output = ()> + 'a) {
        self.0.push(Box::pin(call));
    }

    fn poll(&mut self, cx: &mut Context<'_>) {
        self.0.retain_mut(|call| call.as_mut().poll(cx).is_pending());
    }

    /// Polls the calls until this future is ready.
    pub(super) async fn during<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            self.poll(cx);
            future.as_mut().poll(cx)
        })
        .await
    }

    /// Waits until all calls have returned.
    pub(super) async fn over(&mut self) {
        poll_fn(|cx| {
            self.poll(cx);
            if self.0.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Polls a future at most `polls` times, and drops it.
pub(super) async fn dropped_after<F: Future>(polls: u32, future: F) {
    let mut future = Some(Box::pin(future));
    let mut left = polls;
    poll_fn(|cx| match &mut future {
        Some(polled) if left > 0 => {
            left -= 1;
            let over = polled.as_mut().poll(cx).is_ready();
            if over || left == 0 {
                future = None;
                return Poll::Ready(());
            }
            Poll::Pending
        }
        _ => {
            future = None;
            Poll::Ready(())
        }
    })
    .await;
}

/// Returns the text of a panic instead of panicking.
pub(super) async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = pin!(future);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_text(panic))),
    })
    .await
}
