//! Timers and subordinate futures, polled behind the user future (S11).

use super::*;
use crate::engine::background::Aside;

impl Driver {
    /// What is asked for on the way down comes to nothing: it would end with this incarnation anyway.
    pub(super) fn take_aside(&mut self, aside: Aside) {
        let engine = &mut self.engine;
        if self.machine.takes_background(matches!(aside, Aside::Timer { .. })) {
            let asides = &mut engine.extras.get_or_insert_default().asides;
            asides.get_or_insert_with(Asides::new).add(aside, engine.cell.ctl().task_waker());
            if self.machine.leaving_since().is_some() {
                engine.tell_asides(); // it was asked before the token was
            }
        } else {
            engine.guarded(&self.machine, || drop(aside)); // user code
        }
    }

    /// True: a subordinate future panicked, which is a failure of the actor behind the message in hand.
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
    /// It is asked to go down: its token says so.
    pub(super) fn tell_asides(&mut self) {
        #[cfg(feature = "tokio-util")]
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.as_mut()) {
            asides.tell();
        }
    }

    /// Stops the timers of a cell that drains: no tick comes any more. Dropping them is user code.
    pub(super) fn stop_timers(&mut self, machine: &Machine) {
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.as_mut()) {
            for tick in asides.stop_timers() {
                self.guarded(machine, || drop(tick));
            }
        }
    }

    /// A subordinate future runs.
    pub(super) fn has_futures(&self) -> bool {
        self.extras.as_ref().and_then(|extras| extras.asides.as_ref()).is_some_and(Asides::has_futures)
    }

    /// They end with the incarnation. Dropping them is user code.
    pub(super) fn drop_asides(&mut self, machine: &Machine) {
        if let Some(asides) = self.extras.as_mut().and_then(|extras| extras.asides.take()) {
            asides.dismantle(&mut |part| self.guarded(machine, part));
        }
    }
}
