//! The control queue: orders are passed to the machine, and requests of callers are first decided by the group.

use super::*;
use crate::decide::group::Cut as GroupCut;
use crate::decide::member::At as Stand;
use crate::engine::cell::control::{SystemMessage, closed};

impl Driver {
    #[cold]
    pub(super) fn take_orders(&mut self) {
        while self.engine.cell.ctl().has_control() {
            for message in self.engine.cell.ctl().take_control() {
                self.take(message);
            }
        }
    }

    fn take(&mut self, message: SystemMessage) {
        match message {
            // The child had already ended, and was to start with its supervisor, which has stopped instead. If it was
            // started on request meanwhile, it still has to announce the end of that life.
            SystemMessage::Order(Order::Over(_)) if self.machine.is_ended() && !self.has_end_to_tell() => {
                closed(&*self.engine.cell);
            }
            SystemMessage::Order(order) => self.order(order),
            SystemMessage::Stop => self.take_stop(),
            SystemMessage::Abort => self.take_abort(),
            SystemMessage::Kill => self.take_kill(Cause::Killed),
            #[cfg(feature = "testing")]
            SystemMessage::Inject(cause) => self.inject(cause),
            SystemMessage::DeathPact(pact) if pact.is_taken_back() => {}
            SystemMessage::DeathPact(pact) => {
                pact.handle();
                self.take_kill(Cause::DeathPact(pact.path().to_owned()));
            }
            SystemMessage::DropValue(id) => self.drop_value(id),
            SystemMessage::Watchdog => {
                self.engine.watchdog = Some(Box::pin(sleep_until(after(Instant::now(), FIRST_LOOK))))
            }
            SystemMessage::Move(to) => self.take_move(*to),
            SystemMessage::Aside(aside) => self.take_aside(*aside),
        }
    }

    fn order(&mut self, order: Order) {
        self.machine.order(order, &mut At { engine: &mut self.engine, hands: None });
    }

    /// Returns whether a life was about to begin whose end was not announced.
    fn has_end_to_tell(&self) -> bool {
        let ctl = self.engine.cell.ctl();
        // In this order: a requested start clears the mark first, and then the end of the previous life.
        self.machine.is_due() || ctl.ended().is_none() && ctl.is_closing()
    }

    fn take_stop(&mut self) {
        let now = Instant::now();
        let mut begins = false;
        if let Some((sup, owner)) = self.engine.parent() {
            let stopped = sup.on_child(&**owner, &*self.engine.cell, |group, id| {
                (group.stop_member(id, now), group.at(id) == Stand::Down)
            });
            match stopped {
                Some((true, down)) => begins = down,
                _ => return, // the child goes down with its group, when its turn comes
            }
        }
        self.order(Order::Stop { begins });
    }

    /// The supervisor has no time left for the child. Before its turn, the group says why the child goes down.
    fn take_abort(&mut self) {
        if self.machine.is_parked() {
            return;
        }
        let mut again = None;
        if !self.machine.is_leaving() {
            let now = Instant::now();
            match self.engine.with_group(|group, id| group.cut(id, now)) {
                Some(GroupCut::Stay) => return,
                Some(GroupCut::Down(failure)) => again = Some(failure),
                Some(GroupCut::End) | None => {}
            }
        }
        self.order(Order::Abort(again));
    }

    fn take_kill(&mut self, cause: Cause) {
        match self.machine.is_parked() {
            true => self.take_stop(), // nothing runs that could be killed
            false => self.order(Order::Kill(self.failure(cause))),
        }
    }

    /// Injects a failure for a test: from here on it is a failure like any other.
    #[cfg(feature = "testing")]
    fn inject(&mut self, cause: Cause) {
        match cause {
            Cause::Bug(text) => {
                crate::base::loud::inject();
                panic!("{text}"); // here, where no user code runs
            }
            Cause::Killed => self.take_kill(cause),
            cause => self.order(Order::Inject(self.failure(cause))),
        }
    }

    fn drop_value(&mut self, id: u32) {
        let Some(sup) = self.engine.cell.ctl().sup() else { return };
        if let Some(value) = sup.value(id)
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| value.clear()))
        {
            self.report(Cause::Panic(panic_text(panic)));
        }
        if let Some(sup) = self.engine.cell.ctl().sup() {
            sup.on(&*self.engine.cell, |group| group.gone(id, Instant::now()));
        }
    }
}
