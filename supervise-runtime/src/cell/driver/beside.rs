//! The futures in which a cell waits beside user code.

use super::*;

pin_project! {
    /// [`Driver::beside`]. A type of its own, so that the user future is stored once.
    pub(crate) struct Beside<'a, F> {
        pub(super) driver: &'a mut Driver,
        #[pin]
        pub(super) future: Option<F>,
    }
}

impl<F: Future> Future for Beside<'_, F> {
    type Output = Exit<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.driver.poll(cx, this.future)
    }
}

pin_project! {
    /// [`Driver::starting`].
    pub(crate) struct Starting<'a, F> {
        #[pin]
        pub(super) beside: Beside<'a, F>,
    }
}

impl<F: Future> Future for Starting<'_, F> {
    type Output = Exit<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let polled = this.beside.as_mut().poll(cx);
        if polled.is_ready() {
            return polled;
        }
        // Only a start that really waits costs a timer.
        let driver = this.beside.project().driver;
        let (begun, timer) = &mut **driver.begun.get_or_insert_with(|| {
            let now = Instant::now();
            Box::new((now, Box::pin(sleep_until(now + STILL_STARTING))))
        });
        while timer.as_mut().poll(cx).is_ready() {
            driver.cell.ctl().emit(EventKind::StillStarting { since: begun.elapsed() });
            let next = timer.deadline() + STILL_STARTING;
            timer.as_mut().reset(next);
        }
        Poll::Pending
    }
}
