//! The slot of a user future, and the future that waits for it.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::{Driver, Exit};
use crate::engine::cell::body::Served;
use supervise_core::decide::child::machine::Cut;
use supervise_core::values::failure::Thrown;

/// A panic of user code.
pub(super) type Panic = Box<dyn Any + Send>;

/// A future of a body, of any type.
pub(super) trait Slot {
    /// Panics are caught here, next to the code that panics: each frame in between costs a panic a few thousand
    /// instructions.
    fn poll(&mut self, cx: &mut Context<'_>) -> Result<Poll<Result<Served, Thrown>>, Panic>;
    /// Drops the future where it is. User code.
    fn discard(&mut self);
}

/// The result of a body's step.
pub(crate) trait Outcome {
    fn served(self) -> Result<Served, Thrown>;
}

impl Outcome for Result<Served, Thrown> {
    fn served(self) -> Result<Served, Thrown> {
        self
    }
}

impl Outcome for Result<(), Thrown> {
    fn served(self) -> Result<Served, Thrown> {
        self.map(|()| Served::Hook)
    }
}

impl Outcome for () {
    fn served(self) -> Result<Served, Thrown> {
        Ok(Served::Hook)
    }
}

impl<F: Future<Output: Outcome>> Slot for Pin<&mut Option<F>> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Result<Poll<Result<Served, Thrown>>, Panic> {
        let future = self.as_mut().as_pin_mut().expect("polled only until it is ready");
        catch_unwind(AssertUnwindSafe(|| future.poll(cx))).map(|polled| polled.map(Outcome::served))
    }

    fn discard(&mut self) {
        self.as_mut().set(None);
    }
}

pin_project! {
    /// A step of user code, with everything that is polled with it. A separate type, so that the user future is stored
    /// once.
    pub(crate) struct Step<'a, F> {
        driver: &'a mut Driver,
        // A step of a start: it shares the time of the start.
        starts: bool,
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for Step<'_, F> {
        /// The task is dropped, or unwinds: a panic of this future in addition would end the process.
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            if this.future.is_some() {
                let Driver { machine, engine } = &mut **this.driver;
                engine.guarded(machine, || this.future.set(None));
            }
        }
    }
}

impl<'a, F> Step<'a, F> {
    pub(super) fn new(driver: &'a mut Driver, starts: bool, future: F) -> Self {
        Step { driver, starts, future: Some(future) }
    }
}

impl<F: Future<Output: Outcome>> Future for Step<'_, F> {
    type Output = Exit;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Exit> {
        let mut this = self.project();
        let polled = this.driver.poll(cx, &mut this.future);
        // Only a start that really waits costs a timer.
        if polled.is_pending() && *this.starts && this.driver.poll_start_time(cx) {
            this.driver.discard(&mut this.future);
            return Poll::Ready(Exit::Cut(Cut::TimeUp));
        }
        polled
    }
}
