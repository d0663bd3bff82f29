//! Timers and subordinate futures, polled after the user future (S11).

use super::*;
use crate::engine::background::Aside;

impl Driver {
    /// Adds background work. On the way down it is dropped instead: it would end with this incarnation anyway.
    pub(super) fn take_aside(&mut self, aside: Aside) {
        let engine = &mut self.engine;
        if self.machine.takes_background(matches!(aside, Aside::Timer { .. })) {
            let asides = &mut engine.extras.get_or_insert_default().asides;
            asides.get_or_insert_with(Asides::new).add(aside, engine.cell.ctl().task_waker());
            if self.machine.leaving_since().is_some() {
                engine.tell_asides(); // the stop was requested before the token was made
            }
        } else {
            engine.guarded(&self.machine, || drop(aside)); // user code
        }
    }

    /// Polls background work. True: a subordinate future panicked, which is a failure of the actor after the message in
    /// hand.
    #[cold]
    pub(super) fn poll_asides(&mut self, cx: &mut Context<'_>) -> bool {
        let engine = &mut self.engine;
        let Some(Extras { asides: Some(asides), span, .. }) = engine.extras.as_deref_mut() else { return false };
        let polled = enter(span.as_ref(), &mut engine.current, false, || asides.poll(cx));
        let Err(text) = polled else { return false };
        let failure = self.failure(Cause::Panic(text));
        self.machine.fails_beside(failure, &mut At { engine: &mut self.engine, hands: None });
        true
    }
}

impl Engine {
    /// Cancels the token, because the cell was asked to go down.
    pub(super) fn tell_asides(&mut self) {
        #[cfg(feature = "tokio-util")]
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.as_mut()) {
            asides.tell();
        }
    }

    /// Stops the timers of a draining cell: no more ticks come. Dropping them is user code.
    pub(super) fn stop_timers(&mut self, machine: &Machine) {
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.as_mut()) {
            for tick in asides.stop_timers() {
                self.guarded(machine, || drop(tick));
            }
        }
    }

    /// Returns whether a subordinate future is running.
    pub(super) fn has_futures(&self) -> bool {
        self.extras.as_ref().and_then(|extras| extras.asides.as_ref()).is_some_and(Asides::has_futures)
    }

    /// Drops the background work at the end of the incarnation. Dropping is user code.
    pub(super) fn drop_asides(&mut self, machine: &Machine) {
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.take()) {
            asides.dismantle(&mut |part| self.guarded(machine, part));
        }
    }
}
