//! A panic of this crate's own code is no silent end: the child fails with it, and its supervisor after it (S19, S25).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::*;
use crate::values::failure::panic_text;

pin_project! {
    /// A future whose panic is a value. It is not polled again then.
    struct Caught<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        caught(|| future.poll(cx)).map_or_else(|text| Poll::Ready(Err(text)), |polled| polled.map(Ok))
    }
}

fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic_text(panic);
        loud::bug(&text);
        text
    })
}

impl<B: Body> Life<B> {
    /// Lives to the end, over panics of what runs it.
    pub(super) async fn outlive(&mut self) {
        loop {
            let Err(text) = (Caught { future: self.steps() }).await else { return self.farewell.was_orderly() };
            let bug = self.driver.engine.failure(self.driver.machine.phase(), Cause::Bug(text));
            self.driver.engine.cell.ctl().emit(EventKind::Failed { failure: bug.clone(), message: None });
            // Twice without anything up in between, or in what follows: only the end is left.
            let again = std::mem::replace(&mut self.driver.engine.broken, true);
            if again || caught(|| self.driver.breaks(bug.clone(), &mut self.body)).is_err() {
                self.farewell.buries(bug);
                return;
            }
        }
    }
}
