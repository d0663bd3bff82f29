//! The driver: the part of a cell's loop without type parameters. It asks the [`Machine`] for the next step, and has
//! the machine's effects carried out by its [`Engine`].
//!
//! User code is polled in only one place, [`Driver::poll`]. Before and after each poll of the user future, the driver
//! takes the orders from the control queue; an order may drop the future at its present await. Panics of the future are
//! caught, also those in its `Drop`. Timers and futures of `cx.run` are polled in the same task, after the user future.
//!
//! The machine decides what an order, the end of a step or a deadline means.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::mem::{replace, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::engine::background::{Background, BackgroundWork};
use crate::engine::cell::body::{Hands, Served, TypeName};
use crate::engine::cell::control::{AnyCell, Move, SystemMessage, closed};
use crate::engine::cell::current;
use crate::engine::settings::Common;
use crate::engine::supervisor::OwnEvent;
use engine::{Begun, ColdState, Engine, around_of, enter};
use slot::Slot;
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::{DeferDrops, shielded};
use supervise_core::base::sync::{Arc, Mutex, MutexGuard, Rank, lock};
use supervise_core::decide::child::machine::{Cut, Effect, Machine, Order, Port, Step, StepEnd};
use supervise_core::decide::group::{Cut as GroupCut, Group};
use supervise_core::decide::member::MemberState;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown, panic_text};
use supervise_core::values::kind::ChildKind;
use supervise_core::values::link_error::LinkError;
use supervise_core::values::stop_reason::StopReason;

mod engine;
mod slot;

pub(crate) use slot::Step as UserStep;

/// The time until the first `StillStarting`, and between two of them.
const STILL_STARTING: Duration = Duration::from_secs(10);

/// The first watchdog check. Almost every child has stopped by then.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// The way in which a user future ended.
#[derive(Debug)]
pub(crate) enum Exit {
    Done(Served),
    Failed(Thrown),
    Panicked(String),
    /// Dropped at an await.
    Cut(Cut),
}

/// The part of a cell's loop without type parameters.
pub(crate) struct Driver {
    pub(crate) machine: Machine,
    pub(crate) engine: Engine,
}

/// The engine at work on an event of its child. `hands`: the instance, between two steps.
struct At<'a> {
    engine: &'a mut Engine,
    hands: Option<&'a mut dyn Hands>,
    own: &'a OwnEvent,
}

impl Port for At<'_> {
    fn now(&self) -> Instant {
        self.own.now()
    }

    fn is_busy(&self) -> bool {
        self.engine.cell.is_busy()
    }

    fn is_empty(&self, step: Step) -> bool {
        self.hands.as_ref().is_some_and(|hands| hands.is_empty(step))
    }

    fn has_orders(&self) -> bool {
        self.engine.cell.core().has_control()
    }

    fn has_stopped(&self) -> bool {
        self.hands.as_ref().is_some_and(|hands| hands.has_stopped())
    }

    fn has_children(&self) -> bool {
        self.engine.cell.core().table().is_some()
    }

    fn time_to_end(&self) -> Option<Duration> {
        self.engine.cell.core().table().and_then(|table| table.time_to_end())
    }

    fn has_place(&self) -> bool {
        self.engine.look(|_, _| ()).is_some()
    }

    fn end_is_told(&self) -> bool {
        self.engine.cell.core().ended().is_some()
    }

    fn own_end(&self) -> Option<Ended> {
        self.engine.cell.core().table().and_then(|table| table.inspect(Group::ending))
    }

    fn was_leaving(&self) -> bool {
        self.engine.look(Group::was_leaving).unwrap_or(false)
    }

    fn is_own(&self, failure: &Failure) -> bool {
        failure.path() == self.engine.cell.core().path()
    }

    fn last_words(&mut self) -> Option<Cow<'static, str>> {
        self.hands.as_mut()?.last_words()
    }

    fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        self.engine.failure(phase, cause)
    }

    fn fails(&mut self, failure: Failure, instance: bool) -> Failure {
        let handled = self.hands.as_ref().is_some_and(|hands| hands.has_handled());
        self.engine.tell_group(failure, instance, handled, self.own)
    }

    #[inline(always)]
    fn perform(&mut self, machine: &Machine, effect: Effect) {
        let hands: Option<&mut dyn Hands> = match &mut self.hands {
            Some(hands) => Some(&mut **hands),
            None => None,
        };
        let runs_user_code = effect.runs_user_code();
        self.engine.perform(machine, effect, hands, self.own);
        if runs_user_code {
            self.own.lets_time_pass();
        }
    }
}

impl Driver {
    #[inline]
    pub(crate) fn new(cell: Arc<AnyCell>, kind: ChildKind, common: Arc<Common>) -> Self {
        let machine = Machine::new(kind, cell.core().parent.is_none());
        let engine = Engine {
            cell,
            kind,
            common,
            stop_signal: None,
            message: None,
            begun: None,
            waited: true,
            broken: false,
            decided: false,
            cold: None,
        };
        Driver { machine, engine }
    }

    /// To be awaited first: from now on messages can wake the task.
    pub(crate) async fn register_waker(&mut self) {
        poll_fn(|cx| {
            self.engine.cell.core().set_task_waker(cx.waker());
            Poll::Ready(())
        })
        .await;
    }

    // ----- the machine

    /// Returns the next step, and carries out the effects that lead to it.
    pub(super) fn next(&mut self, hands: &mut dyn Hands) -> Step {
        self.next_at(hands, &OwnEvent::taking_back())
    }

    fn next_at(&mut self, hands: &mut dyn Hands, own: &OwnEvent) -> Step {
        loop {
            match self.event(Some(&mut *hands), own, |machine, at| machine.next(at)) {
                Step::Wait if self.machine.wakes() => {}
                step => return step,
            }
        }
    }

    /// Passes the end of a step to the machine.
    fn finished(&mut self, end: StepEnd, hands: &mut dyn Hands, own: &OwnEvent) {
        self.event(Some(hands), own, |machine, at| machine.finished(end, at));
    }

    /// Passes an event of this child to the machine, and then the order that this produces for the child itself. That
    /// order comes after all that was taken out of the queue, and before all that is in it.
    fn event<R>(
        &mut self,
        hands: Option<&mut dyn Hands>,
        own: &OwnEvent,
        event: impl FnOnce(&mut Machine, &mut At<'_>) -> R,
    ) -> R {
        let out = event(&mut self.machine, &mut At { engine: &mut self.engine, hands, own });
        while let Some(order) = own.take() {
            self.take_order(order, own);
        }
        out
    }

    /// Begins a new incarnation, after other tasks have run. Returns the next step.
    pub(super) fn begins(&mut self, hands: &mut dyn Hands) -> Step {
        self.engine.begin(&mut self.machine, hands);
        let own = OwnEvent::taking_back();
        self.finished(StepEnd::Done, hands, &own);
        self.next_at(hands, &own)
    }

    /// Translates the end of a step of user code for the machine. Returns the next step.
    pub(super) fn step_ended(&mut self, exit: Exit, hands: &mut dyn Hands) -> Step {
        let end = match exit {
            Exit::Done(Served::Hook | Served::Ready) => StepEnd::Done,
            Exit::Done(Served::Done) => StepEnd::ByItself,
            Exit::Done(Served::Returned) => StepEnd::Returned,
            Exit::Done(Served::Drained) => StepEnd::Drained,
            Exit::Done(Served::Interrupted) => StepEnd::Interrupted,
            Exit::Failed(thrown) if thrown.is_absent() => StepEnd::Absent,
            // On the way down, an error of another child is one that this child met, and not a failure to pass on.
            Exit::Failed(thrown) if self.machine.is_on_its_way_out() => {
                StepEnd::Failed { failure: self.met(thrown), stopped: false }
            }
            Exit::Failed(thrown) => StepEnd::Failed { failure: self.thrown(thrown), stopped: hands.has_stopped() },
            Exit::Panicked(text) => {
                StepEnd::Failed { failure: self.failure(Cause::Panic(text)), stopped: hands.has_stopped() }
            }
            Exit::Cut(cut) => StepEnd::Cut(cut),
        };
        let own = OwnEvent::taking_back();
        self.finished(end, hands, &own);
        self.engine.message = None;
        if !self.machine.is_starting() {
            self.engine.begun = None;
        }
        self.next_at(hands, &own)
    }

    /// Records the type of the message that was in hand when the message loop returned.
    pub(super) fn was_in_hand(&mut self, message: Option<TypeName>) {
        self.engine.message = message;
    }

    /// Makes a failure of this child from an error. An error that already is a failure is kept: the start of a tree
    /// fails with that of its child.
    fn thrown(&self, thrown: Thrown) -> Failure {
        thrown.into_failure().unwrap_or_else(|thrown| self.failure(Cause::Error(thrown)))
    }

    /// Makes a failure of this child from an error on its way down. A failure of another child is an error it has met.
    fn met(&self, thrown: Thrown) -> Failure {
        match thrown.into_failure() {
            Ok(own) if own.path() == self.engine.cell.core().path() => own,
            Ok(other) => self.failure(Cause::Error(Thrown::from(other))),
            Err(thrown) => self.failure(Cause::Error(thrown)),
        }
    }

    fn failure(&self, cause: Cause) -> Failure {
        self.engine.failure(Phase::Running, cause)
    }

    /// Returns the failure that the hooks of a restart get.
    pub(super) fn heals(&self) -> Failure {
        self.machine.heals().cloned().expect("a hook of a restart has its failure")
    }

    /// Reports a failure for which there is no decision.
    fn report(&mut self, cause: Cause) {
        self.engine.report(&self.machine, cause);
    }

    fn look_after_children(&mut self) {
        let Some(table) = self.engine.cell.core().table() else { return };
        let stopping = self.machine.gives_up();
        let next = table.watchdog(&*self.engine.cell, stopping, Instant::now());
        self.watch_until(next);
    }

    fn watch_until(&mut self, next: Option<Instant>) {
        self.engine.cold.get_or_insert_default().watchdog = next.map(|at| Box::pin(sleep_until(at)));
    }

    // ----- polling

    /// Polls the present step once, with orders, timers and background work. User code that waits is not polled again
    /// for a request that it has just made, or for work beside it: it has given the thread back.
    fn poll(&mut self, cx: &mut Context<'_>, slot: &mut dyn Slot) -> Poll<Exit> {
        let mut again = false;
        loop {
            if self.engine.cell.core().has_control() {
                self.take_orders();
            }
            if let Some(cut) = self.machine.take_cut() {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(cut));
            }
            if self.engine.cold.is_some() && self.poll_timers(cx) {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(Cut::TimeUp));
            }
            if self.engine.cell.is_held() {
                return self.engine.pending(); // an abort drops the future
            }
            #[cfg(feature = "testing")]
            if self.engine.is_held_up(cx) {
                if self.poll_deadline(cx) {
                    self.discard(slot);
                    return Poll::Ready(Exit::Cut(Cut::TimeUp));
                }
                return self.engine.pending();
            }
            let leaving = self.machine.is_on_its_way_out();
            let (polled, dropped) =
                enter(around_of(&self.engine.cold), &self.engine.cell, leaving, || match slot.poll(cx) {
                    Ok(Poll::Pending) => (Ok(Poll::Pending), Ok(())),
                    over => (over, catch_unwind(AssertUnwindSafe(|| slot.discard()))),
                });
            if let Err(panic) = dropped {
                self.report(Cause::Panic(panic_text(panic)));
            }
            match polled {
                Ok(Poll::Ready(Ok(served))) => return Poll::Ready(Exit::Done(served)),
                Ok(Poll::Ready(Err(thrown))) => return Poll::Ready(Exit::Failed(thrown)),
                Err(panic) => return Poll::Ready(Exit::Panicked(panic_text(panic))),
                Ok(Poll::Pending) => {}
            }
            if self.engine.cell.core().has_control() {
                self.take_orders(); // requests that the user code itself has just made
                if let Some(cut) = self.machine.take_cut() {
                    self.discard(slot);
                    return Poll::Ready(Exit::Cut(cut));
                }
            }
            while self.engine.cold.is_some() && self.poll_background(cx) {}
            // The message loop, which waits for messages, returns for an order.
            if self.returns_for_order() && !replace(&mut again, true) {
                continue;
            }
            // Only a future that really waits costs a timer.
            if self.poll_deadline(cx) || self.poll_handler_time(cx) {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(Cut::TimeUp));
            }
            return self.engine.pending();
        }
    }

    /// Returns whether the message loop waits, and has to return for an order.
    fn returns_for_order(&self) -> bool {
        self.engine.cell.is_interrupted() && !self.engine.cell.is_busy() && self.machine.is_serving()
    }

    /// Drops the user future at its await. A panic in its `Drop` is caught and reported.
    fn discard(&mut self, slot: &mut dyn Slot) {
        self.engine.guarded(&self.machine, || slot.discard());
    }

    /// Returns whether the time of the present step is up.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> bool {
        match self.machine.deadline() {
            Some(deadline) => self.engine.poll_timer(cx, deadline),
            None => false,
        }
    }

    /// Polls the timers that were set before this poll. Returns whether the time of the present step is up.
    #[cold]
    fn poll_timers(&mut self, cx: &mut Context<'_>) -> bool {
        self.poll_watchdog(cx);
        self.engine.cold.as_ref().is_some_and(|cold| cold.timer.is_some()) && self.poll_deadline(cx)
    }

    fn poll_watchdog(&mut self, cx: &mut Context<'_>) {
        while let Some(cold) = &mut self.engine.cold
            && let Some(timer) = &mut cold.watchdog
        {
            if timer.as_mut().poll(cx).is_pending() {
                return;
            }
            cold.watchdog = None;
            self.look_after_children();
        }
    }

    /// Returns whether the start has taken longer than it may; raises `StillStarting` from time to time. All steps of a
    /// start share one time (S13).
    fn poll_start_time(&mut self, cx: &mut Context<'_>) -> bool {
        // A task that was asked to stop before it was ready has its `shutdown` time instead.
        let within = self.engine.common.start.filter(|_| !self.machine.is_leaving());
        let engine = &mut self.engine;
        let Begun { at: begun, timer, .. } = &mut **engine.begun.get_or_insert_with(|| Begun::now(0, STILL_STARTING));
        let over = within.map(|within| after(*begun, within));
        if let Some(over) = over.filter(|over| *over < timer.deadline()) {
            timer.as_mut().reset(over);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if over.is_some_and(|over| over <= timer.deadline()) {
                return true;
            }
            let ready = self.machine.gets_ready();
            engine.cell.core().emit(EventKind::StillStarting { since: begun.elapsed(), ready });
            let next = after(timer.deadline(), STILL_STARTING);
            timer.as_mut().reset(over.map_or(next, |over| over.min(next)));
        }
        false
    }

    /// Returns whether the message in hand has waited longer than it may (S13). The timer is registered once for that
    /// time, and not for each message: if it fires before the present message has used up its time, it is set again.
    fn poll_handler_time(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(within) = self.machine.handler_time() else { return false };
        let in_hand = self.engine.cell.in_hand();
        if in_hand == 0 {
            return false;
        }
        let begun = self.engine.begun.get_or_insert_with(|| Begun::now(in_hand, within));
        if replace(&mut begun.message, in_hand) != in_hand {
            begun.at = Instant::now();
        }
        let over = after(begun.at, within);
        while begun.timer.as_mut().poll(cx).is_ready() {
            if begun.timer.deadline() >= over {
                return true;
            }
            begun.timer.as_mut().reset(over);
        }
        false
    }

    /// Runs a step of user code to its end, or until an order drops it.
    pub(super) fn run<F: Future>(&mut self, future: F) -> UserStep<'_, F> {
        UserStep::new(self, false, future)
    }

    /// Runs a step of a start.
    pub(super) fn run_start<F: Future>(&mut self, future: F) -> UserStep<'_, F> {
        UserStep::new(self, true, future)
    }

    /// Waits without user code until the machine has a next step.
    pub(super) async fn wait(&mut self) {
        poll_fn(|cx| {
            loop {
                if self.engine.cell.core().has_control() {
                    self.take_orders();
                }
                if self.machine.wakes() {
                    return Poll::Ready(());
                }
                self.poll_watchdog(cx);
                if let Some(until) = self.machine.waits_until()
                    && self.engine.poll_timer(cx, until)
                {
                    self.event(None, &OwnEvent::taking_back(), |machine, at| machine.wait_is_over(at));
                    continue;
                }
                if self.poll_deadline(cx) {
                    self.machine.time_is_up();
                    continue;
                }
                if !self.engine.cell.core().has_control() {
                    return self.engine.pending();
                }
            }
        })
        .await;
    }

    /// Lets other tasks run, unless this task has waited since the last incarnation began: a child that restarts itself
    /// immediately must not keep the thread forever.
    pub(super) async fn give_way(&mut self) {
        if !take(&mut self.engine.waited) {
            let mut turned = false;
            poll_fn(|cx| {
                if replace(&mut turned, true) {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
    }

    /// Waits for the futures of `cx.run` of a draining actor whose queue is empty. `Drained`: none is left;
    /// `Interrupted`: a result is queued, or another request has to be handled.
    pub(super) async fn hand_in(&mut self) -> Exit {
        poll_fn(|cx| {
            loop {
                if self.engine.cell.core().has_control() {
                    self.take_orders();
                }
                if let Some(cut) = self.machine.take_cut() {
                    return Poll::Ready(Exit::Cut(cut));
                }
                if self.machine.wakes() {
                    return Poll::Ready(Exit::Done(Served::Interrupted));
                }
                self.poll_watchdog(cx);
                if self.poll_deadline(cx) {
                    return Poll::Ready(Exit::Cut(Cut::TimeUp));
                }
                if self.poll_background(cx) || self.engine.cell.core().has_control() {
                    continue;
                }
                if self.engine.cell.mailbox().is_some_and(|mailbox| mailbox.waiting > 0) {
                    return Poll::Ready(Exit::Done(Served::Interrupted));
                }
                if !self.engine.has_futures() {
                    return Poll::Ready(Exit::Done(Served::Drained));
                }
                return self.engine.pending();
            }
        })
        .await
    }

    // ----- the control queue: orders for the machine, and requests of callers, which the group decides first

    #[cold]
    pub(super) fn take_orders(&mut self) {
        while self.engine.cell.core().has_control() {
            match self.engine.cell.core().take_control() {
                (first, None) => first.into_iter().for_each(|message| self.take(message)),
                (first, Some(more)) => self.take_together(first, *more),
            }
        }
    }

    /// Takes what came in one poll: the strongest request decides, whatever the order (S26).
    fn take_together(&mut self, first: Option<SystemMessage>, more: Vec<SystemMessage>) {
        let any = |is_one: fn(&SystemMessage) -> bool| first.iter().chain(&more).any(is_one);
        let free = self.machine.is_free();
        let aborts = any(|message| matches!(message, SystemMessage::Abort));
        let (kills, stops) = (free && any(SystemMessage::is_kill), free && any(SystemMessage::is_stop));
        let drains = free && any(SystemMessage::is_drain);
        let ends = free && any(SystemMessage::is_end);
        // A child that goes down with its range hears of that, whatever a caller asked for.
        let alone = || self.engine.look(|group, id| !group.is_in_walk(id)).unwrap_or(false);
        let restarts = free && any(SystemMessage::is_restart) && alone();
        // A failure that comes with them is reported, and does not weaken them.
        let (failures, requests): (Vec<_>, Vec<_>) =
            first.into_iter().chain(more).partition(|message| free && matches!(message, SystemMessage::DeathPact(_)));
        failures.into_iter().for_each(|message| self.take(message));
        if kills && !aborts {
            if restarts && !stops && !drains {
                let starting = self.machine.is_starting();
                self.engine.with_group(&OwnEvent::default(), |group, id| group.takes_back_restart(id, starting));
            }
            self.take_kill(Cause::Killed);
        }
        for message in requests {
            let weaker = kills && !aborts && message.is_kill()
                || (kills || stops) && message.is_drain()
                || (kills || stops || drains) && restarts && message.is_restart();
            match message {
                SystemMessage::Drain if !weaker && restarts => self.take_drain(),
                message if !weaker => self.take(message),
                _ => {}
            }
        }
        if kills && !aborts && (stops || drains || ends) {
            if !stops && !ends {
                self.take_stop(StopReason::Drain);
            }
            self.machine.ends_killed();
            self.engine.with_group(&OwnEvent::default(), |group, id| group.ends_as(id, Ended::Killed));
        }
    }

    /// Carries out a `drain()` that came together with a restart, of which the child has not heard.
    fn take_drain(&mut self) {
        self.engine.with_group(&OwnEvent::default(), |group, id| group.drains_after_all(id));
        self.order(Order::Drain);
    }

    fn take_order(&mut self, order: Order, own: &OwnEvent) {
        match order {
            // The child had already ended, and was to start with its supervisor, which has stopped instead. If it was
            // started on request meanwhile, it still has to announce the end of that life.
            Order::Over(ended) if self.machine.is_ended() && !self.has_end_to_tell() => {
                self.engine.cell.core().fail_start(&ended);
                closed(&*self.engine.cell);
            }
            order => self.order_at(order, own),
        }
    }

    fn take(&mut self, message: SystemMessage) {
        match message {
            SystemMessage::Order(order) => self.take_order(order, &OwnEvent::default()),
            SystemMessage::Stop | SystemMessage::Drain => self.take_stop(StopReason::Asked),
            SystemMessage::Replace => self.take_stop(StopReason::Replaced),
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
            SystemMessage::Ping => self.engine.cell.core().give_sign(),
            SystemMessage::Watchdog => {
                self.watch_until(Some(after(Instant::now(), FIRST_LOOK)));
            }
            SystemMessage::Move(to) => self.take_move(*to),
            SystemMessage::Lost(child) => self.take_lost(&*child),
            SystemMessage::BackgroundWork(work) => self.take_background(*work),
        }
    }

    fn order(&mut self, order: Order) {
        self.order_at(order, &OwnEvent::default());
    }

    fn order_at(&mut self, order: Order, own: &OwnEvent) {
        self.machine.order(order, &mut At { engine: &mut self.engine, hands: None, own });
    }

    /// Returns whether a life was about to begin whose end was not announced.
    fn has_end_to_tell(&self) -> bool {
        let core = self.engine.cell.core();
        // In this order: a requested start clears the mark first, and then the end of the previous life.
        self.machine.is_due() || core.ended().is_none() && core.is_closing()
    }

    fn take_stop(&mut self, reason: StopReason) {
        let now = Instant::now();
        if self.machine.is_parked() {
            // Nothing is up that could be told, but a replacement has to know which request was the last.
            self.engine.cell.core().set_stop_reason(Some(reason));
        }
        let mut begins = false;
        if let Some((table, owner)) = self.engine.parent() {
            let stopped = table.on_child(owner, &*self.engine.cell, |group, id| {
                (group.stop_member(id, now), group.at(id) == MemberState::GoingDown)
            });
            match stopped {
                Some((true, down)) => begins = down,
                _ => return, // the child goes down with its group, when its turn comes
            }
        }
        self.order(Order::Stop { begins, reason });
    }

    /// The supervisor has no time left for the child. Before its turn, the group says why the child goes down.
    fn take_abort(&mut self) {
        if self.machine.is_parked() {
            return;
        }
        let mut again = None;
        if !self.machine.is_leaving() {
            let now = Instant::now();
            match self.engine.with_group(&OwnEvent::default(), |group, id| group.cut(id, now)) {
                Some(GroupCut::Stay) => return,
                Some(GroupCut::Down(failure)) => again = Some(failure),
                Some(GroupCut::End) | None => {}
            }
        }
        self.order(Order::Abort(again));
    }

    fn take_kill(&mut self, cause: Cause) {
        match self.machine.is_parked() {
            true => self.take_stop(StopReason::Asked), // nothing runs that could be killed
            false => self.order(Order::Kill(self.failure(cause))),
        }
    }

    /// Injects a failure for a test: from here on it is a failure like any other.
    #[cfg(feature = "testing")]
    fn inject(&mut self, cause: Cause) {
        match cause {
            Cause::Bug(text) => {
                supervise_core::base::loud::inject();
                panic!("{text}"); // here, where no user code runs
            }
            Cause::Killed => self.take_kill(cause),
            cause => self.order(Order::Inject(self.failure(cause))),
        }
    }

    /// A child of this cell is gone with its runtime, and this cell is not.
    fn take_lost(&mut self, child: &AnyCell) {
        let now = Instant::now();
        if let Some(table) = self.engine.cell.core().table() {
            table.on_child(&*self.engine.cell, child, |group, id| group.lose(id, Ended::RuntimeGone, now));
        }
        closed(child);
    }

    fn drop_value(&mut self, id: u32) {
        let Some(table) = self.engine.cell.core().table() else { return };
        if let Some(value) = table.value(id)
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| value.clear()))
        {
            self.report(Cause::Panic(panic_text(panic)));
        }
        if let Some(table) = self.engine.cell.core().table() {
            table.on(&*self.engine.cell, |group| group.gone(id, Instant::now()));
        }
    }

    // ----- failures of this crate

    /// The start expression has finished: reads the settings that come from the instance. `supervision()` is user code:
    /// a panic in it is a failed start.
    pub(crate) fn started(&mut self, exit: Exit, hands: &mut dyn Hands) -> Exit {
        if !matches!(exit, Exit::Done(_)) {
            return exit;
        }
        self.engine.stop_signal = hands.signal();
        if self.engine.stop_signal.is_some() {
            self.machine.set_signalled();
        }
        match self.engine.ask(|| hands.supervision()) {
            Err(panic) => return Exit::Panicked(panic),
            Ok(Some(strategy)) => {
                if let Some(table) = self.engine.cell.core().table() {
                    table.configure(strategy);
                }
            }
            Ok(None) => {}
        }
        exit
    }

    /// Drops the incarnation together with the task: no hook runs.
    pub(crate) fn let_go(&mut self, hands: &mut dyn Hands) {
        let Driver { machine, engine } = self;
        engine.drop_background(machine);
        engine.drop_instance(machine, hands);
        // Last: a message for redelivery is back in the mailbox by now.
        engine.perform(machine, Effect::Close, Some(hands), &OwnEvent::default());
    }

    /// Code of this crate has failed.
    pub(crate) fn breaks(&mut self, bug: Failure, hands: &mut dyn Hands) {
        if self.machine.has_ended() {
            self.engine.broken = false;
            self.machine.breaks_after_its_end(self.engine.cell.core().ended().is_some());
            closed(&*self.engine.cell);
            let now = Instant::now();
            self.engine.with_group(&OwnEvent::default(), |group, id| {
                if matches!(group.at(id), MemberState::Starting | MemberState::GoingDown) {
                    group.gone(id, now);
                }
            });
            return;
        }
        (self.engine.begun, self.engine.message) = (None, None);
        self.event(Some(hands), &OwnEvent::taking_back(), |machine, at| machine.breaks(bug, at));
    }

    // ----- timers and subordinate futures, polled after the user future (S11)

    /// Adds background work. On the way down it is dropped instead: it would end with this incarnation anyway.
    pub(super) fn take_background(&mut self, work: BackgroundWork) {
        let engine = &mut self.engine;
        if self.machine.takes_background(matches!(work, BackgroundWork::Timer { .. } | BackgroundWork::Source { .. })) {
            let background = &mut engine.cold.get_or_insert_default().background;
            background.get_or_insert_with(Background::new).add(work, engine.cell.core().task_waker());
            if self.machine.leaving_since().is_some() {
                engine.signal_background(); // the stop was requested before the token was made
            }
        } else {
            engine.guarded(&self.machine, || drop(work)); // user code
        }
    }

    /// Polls background work. True: a subordinate future panicked, which is a failure of the actor after the message in
    /// hand.
    #[cold]
    pub(super) fn poll_background(&mut self, cx: &mut Context<'_>) -> bool {
        let engine = &mut self.engine;
        if engine.cell.is_held() {
            return false;
        }
        let Some(ColdState { background: Some(background), around, .. }) = engine.cold.as_deref_mut() else {
            return false;
        };
        let polled = enter(around, &engine.cell, false, || current::aside(|| background.poll(cx)));
        let Err(text) = polled else { return false };
        let failure = self.failure(Cause::Panic(text));
        let own = OwnEvent::default();
        self.machine.fails_alongside(failure, &mut At { engine: &mut self.engine, hands: None, own: &own });
        true
    }

    // ----- the move to another supervisor (S38)

    pub(super) fn take_move(&mut self, ask: Move) {
        let Move { to, unlink, reply } = ask;
        let _shelter = DeferDrops::new();
        // Under the lock no last reference may be dropped, which would run user code. So these two are kept until after
        // it.
        let before =
            (self.engine.cell.core().supervisor(), self.engine.cold.as_ref().and_then(|cold| cold.moved.clone()));
        let mut above = Vec::new();
        let moved = {
            let _one = moves();
            self.move_to(&to, unlink, &mut above)
        };
        drop((before, above));
        // The caller may no longer wait; the child has moved all the same.
        shielded(|| reply.send(moved));
    }

    /// Moves the child. `above`: collects the cells that were visited on the way up.
    fn move_to(
        &mut self,
        to: &Arc<AnyCell>,
        unlink: Option<u64>,
        above: &mut Vec<Arc<AnyCell>>,
    ) -> Result<(), LinkError> {
        let core = self.engine.cell.core();
        let path = || core.path();
        let Some((from, owner)) = self.engine.parent() else { return Err(LinkError::Supervised { path: path() }) };
        match unlink {
            None if !owner.core().is_guardian() => return Err(LinkError::Supervised { path: path() }),
            Some(caller) if owner.core().id != caller => return Err(LinkError::NotOwn { path: path() }),
            _ => {}
        }
        let mut next = Some(to.clone());
        while let Some(cell) = next {
            next = cell.core().supervisor();
            let is_above = cell.core().id == core.id;
            above.push(cell);
            if is_above {
                above.extend(next);
                return Err(LinkError::Above { path: path() });
            }
        }
        let busy = || LinkError::Busy { path: path() };
        let joins = to.core().table().ok_or_else(busy)?;
        if !self.machine.may_move() {
            return Err(busy());
        }
        #[cfg(feature = "testing")]
        self.engine.leaves_supervisor();
        let leaving = from.leave(&*self.engine.cell).ok_or_else(busy)?;
        if let Err(back) = joins.join(&self.engine.cell, leaving) {
            let kept = from.join(&self.engine.cell, back);
            debug_assert!(kept.is_ok() || unlink.is_some(), "a guardian has nothing else to do");
            return Err(busy());
        }
        core.set_supervisor(Some(to.clone()));
        self.engine.cold.get_or_insert_default().moved = Some(to.clone());
        Ok(())
    }
}

/// One move at a time in the whole process: two actors that take each other over must not both succeed.
#[cfg(not(shuttle))]
static MOVES: Mutex<()> = Mutex::ranked(Rank::Moves, ());

#[cfg(shuttle)]
shuttle::lazy_static! { static ref MOVES: Mutex<()> = Mutex::ranked(Rank::Moves, ()); }

/// Keeps every child from moving while the guard exists. To be taken before every group's lock.
pub(crate) fn moves() -> MutexGuard<'static, ()> {
    lock(&MOVES)
}
