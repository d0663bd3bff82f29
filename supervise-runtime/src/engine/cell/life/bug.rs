//! Recovery from bugs of this crate: a panic of its own code makes the child fail, and then its supervisor (S19, S25).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::Life;
use crate::engine::cell::body::Body;
use crate::engine::cell::control::AnyCell;
use crate::engine::cell::current::enter;
use supervise_core::base::loud;
use supervise_core::base::sync::Arc;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{Cause, panic_text};

pin_project! {
    /// A future that runs as the code of its cell, and whose panic is returned as a value. It is not polled again after
    /// that.
    pub(super) struct Caught<F> {
        // Lent to the thread while the future is polled.
        pub(super) cell: Option<Arc<AnyCell>>,
        #[pin]
        pub(super) future: F,
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        caught(|| enter(this.cell, false, || this.future.poll(cx)))
            .map_or_else(|text| Poll::Ready(Err(text)), |polled| polled.map(Ok))
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
    /// Recovers from a panic of this crate's code. Returns `false` if the child has to end at once.
    pub(super) fn outlives(&mut self, text: String) -> bool {
        let bug = self.driver.engine.failure(self.driver.machine.phase(), Cause::Bug(text));
        self.driver.engine.cell.core().emit(EventKind::Failed { failure: bug.clone(), message: None });
        // A second bug without a successful start in between, or a bug in the recovery: only an end is left.
        let again = std::mem::replace(&mut self.driver.engine.broken, true);
        let ends = again || caught(|| self.driver.breaks(bug.clone(), &mut self.body)).is_err();
        if ends {
            self.driver.engine.ends_with(bug);
        }
        !ends
    }
}
