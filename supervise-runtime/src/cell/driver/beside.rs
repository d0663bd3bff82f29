//! The futures in which a cell waits beside user code.

use super::*;

pin_project! {
    /// [`Driver::beside`]. A type of its own, so that the user future is stored once.
    pub(crate) struct Beside<'a, F> {
        pub(super) driver: &'a mut Driver,
        #[pin]
        pub(super) future: Option<F>,
    }

    impl<F> PinnedDrop for Beside<'_, F> {
        /// The task is dropped, or unwinds: a panic of this future on top would end the process.
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if this.future.is_some() {
                this.driver.discard(this.future);
            }
        }
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
        pub(super) within: Option<Duration>,
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
        let beside = this.beside.project();
        let (driver, future) = (beside.driver, beside.future);
        // A task that was told to end before it was ready has its `shutdown` time instead.
        let within = this.within.filter(|_| !driver.asked.is_end() && !driver.asked.is_down());
        let (begun, timer) = &mut **driver.begun.get_or_insert_with(|| {
            let now = Instant::now();
            Box::new((now, Box::pin(sleep_until(after(now, STILL_STARTING)))))
        });
        let over = within.map(|within| after(*begun, within));
        if let Some(over) = over.filter(|over| *over < timer.deadline()) {
            timer.as_mut().reset(over);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if over.is_some_and(|over| over <= timer.deadline()) {
                driver.discard(future);
                return Poll::Ready(Exit::Cut(Event::TimeUp));
            }
            driver.cell.ctl().emit(EventKind::StillStarting { since: begun.elapsed() });
            let next = after(timer.deadline(), STILL_STARTING);
            timer.as_mut().reset(over.map_or(next, |over| over.min(next)));
        }
        Poll::Pending
    }
}
