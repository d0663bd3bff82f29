//! The driver: the part of a cell's loop without type parameters. It asks the [`Machine`] for the next step, and
//! carries out the machine's effects.
//!
//! User code is polled in only one place, [`Driver::poll`]. Before and after each poll of the user future, the driver
//! takes the orders from the control queue; an order may drop the future at its present await. Panics of the future are
//! caught, also those in its `Drop`. Timers and futures of `cx.run` are polled in the same task, after the user future.
//!
//! The machine decides what an order, the end of a step or a deadline means. The effects are carried out in
//! `effects.rs`, orders are translated in `orders.rs`, and `deciding.rs` asks the deciders.

use std::future::{Future, poll_fn};
use std::mem::{replace, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rand::rngs::SmallRng;
use tokio::time::{Instant, Sleep, sleep_until};

use super::body::{Hands, Served};
use super::control::Controlled;
use super::current;
use crate::base::clock::after;
use crate::base::sync::Arc;
use crate::decide::child::machine::{Cut, Effect, Machine, Order, Port, Step, StepEnd};
use crate::engine::background::Asides;
use crate::engine::cell::stop_signal::Told;
use crate::values::event::EventKind;
use crate::values::failure::{Cause, Failure, Phase, Thrown, panic_text};
use crate::values::kind::ChildKind;
use crate::values::settings::Common;
use span::Incarnation;

mod asides;
mod deciding;
mod effects;
mod moving;
mod orders;
mod slot;
mod span;

pub(crate) use moving::moves;
use slot::Slot;
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

/// The executor of the machine's effects.
pub(crate) struct Engine {
    pub(crate) cell: Arc<dyn Controlled>,
    /// Lent to the thread while user code runs.
    current: Option<Arc<dyn Controlled>>,
    kind: ChildKind,
    /// The settings of this incarnation.
    common: Arc<Common>,
    /// Present for a task that is told of an order to go down by its context, instead of being interrupted.
    told: Option<Told>,
    /// The type of the message that was in hand when the last step ended.
    message: Option<&'static str>,
    timer: Option<Pin<Box<Sleep>>>,
    watchdog: Option<Pin<Box<Sleep>>>,
    /// The time when the present start began, over all its steps, with its timer.
    begun: Option<Box<(Instant, Pin<Box<Sleep>>)>>,
    /// Other tasks have run since the last incarnation began.
    waited: bool,
    /// This crate's own code has failed, and no incarnation was up since.
    pub(super) broken: bool,
    extras: Option<Box<Extras>>,
}

/// The engine at work. `hands`: the instance, between two steps.
struct At<'a> {
    engine: &'a mut Engine,
    hands: Option<&'a mut dyn Hands>,
}

/// State that most cells never have.
#[derive(Default)]
struct Extras {
    /// The timers and subordinate futures of this incarnation.
    asides: Option<Asides>,
    /// The supervisor, if the cell has moved (S38).
    moved: Option<Arc<dyn Controlled>>,
    /// The span of this incarnation, if a subscriber is interested.
    span: Option<Incarnation>,
    /// The source of the backoff's jitter.
    random: Option<SmallRng>,
}

fn span_of(extras: &Option<Box<Extras>>) -> Option<&Incarnation> {
    extras.as_ref()?.span.as_ref()
}

/// Enters user code: as the code of this cell (S25), in its span (S41).
fn enter<T>(
    span: Option<&Incarnation>,
    current: &mut Option<Arc<dyn Controlled>>,
    leaving: bool,
    run: impl FnOnce() -> T,
) -> T {
    let _entered = span.map(|incarnation| incarnation.span.enter());
    current::enter(current, leaving, run)
}

impl Port for At<'_> {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn is_busy(&self) -> bool {
        self.engine.cell.is_busy()
    }

    fn has_children(&self) -> bool {
        self.engine.cell.ctl().sup().is_some()
    }

    fn has_place(&self) -> bool {
        self.engine.with_group(|_, _| ()).is_some()
    }

    fn end_is_told(&self) -> bool {
        self.engine.cell.ctl().ended().is_some()
    }

    fn ends_with_failure(&self) -> Option<Failure> {
        self.engine.cell.ctl().sup().and_then(|sup| sup.look(|group| group.ends_with_failure()))
    }

    fn is_own(&self, failure: &Failure) -> bool {
        failure.path() == self.engine.cell.ctl().path()
    }

    fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        self.engine.failure(phase, cause)
    }

    fn perform(&mut self, machine: &Machine, effect: Effect) {
        match &mut self.hands {
            Some(hands) => self.engine.perform(machine, effect, Some(&mut **hands)),
            None => self.engine.perform(machine, effect, None),
        }
    }
}

impl Engine {
    pub(super) fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        let ctl = self.cell.ctl();
        Failure::new(phase, cause, ctl.place(), ctl.incarnation())
    }

    /// Returns the supervisor, and its table of children.
    fn parent(&self) -> Option<(&crate::engine::supervisor::Sup, &Arc<dyn Controlled>)> {
        let parent = match self.extras.as_ref().and_then(|extras| extras.moved.as_ref()) {
            Some(supervisor) => supervisor,
            None => self.cell.ctl().parent.as_ref()?,
        };
        Some((parent.ctl().sup()?, parent))
    }

    pub(super) fn with_group<R>(&self, event: impl FnOnce(&mut crate::decide::group::Group, u32) -> R) -> Option<R> {
        let (sup, owner) = self.parent()?;
        sup.on_child(&**owner, &*self.cell, event)
    }

    /// Reports a failure for which there is no decision.
    fn report(&mut self, machine: &Machine, cause: Cause) {
        let failure = self.failure(Phase::Running, cause);
        let effect = machine.report_of(failure);
        self.perform(machine, effect, None);
    }

    /// Runs user code (a `Drop`) under the same catch as all other user code.
    fn guarded(&mut self, machine: &Machine, run: impl FnOnce()) {
        let caught = enter(span_of(&self.extras), &mut self.current, true, || catch_unwind(AssertUnwindSafe(run)));
        if let Err(panic) = caught {
            self.report(machine, Cause::Panic(panic_text(panic)));
        }
    }

    /// Runs a decider: a panic in it is an `Err`.
    fn ask<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, String> {
        enter(span_of(&self.extras), &mut self.current, false, || catch_unwind(AssertUnwindSafe(run)))
            .map_err(panic_text)
    }

    fn pending<T>(&mut self) -> Poll<T> {
        self.waited = true;
        Poll::Pending
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> bool {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        timer.as_mut().poll(cx).is_ready()
    }
}

impl Driver {
    pub(crate) fn new(cell: Arc<dyn Controlled>, kind: ChildKind, common: Arc<Common>) -> Self {
        let machine = Machine::new(kind, cell.ctl().parent.is_none());
        let engine = Engine {
            current: Some(cell.clone()),
            cell,
            kind,
            common,
            told: None,
            message: None,
            timer: None,
            watchdog: None,
            begun: None,
            waited: true,
            broken: false,
            extras: None,
        };
        Driver { machine, engine }
    }

    /// To be awaited first: from now on messages can wake the task.
    pub(crate) async fn arrive(&mut self) {
        poll_fn(|cx| {
            self.engine.cell.ctl().set_home(cx.waker());
            Poll::Ready(())
        })
        .await;
    }

    // ----- the machine

    /// Returns the next step, and carries out the effects that lead to it.
    pub(super) fn next(&mut self, hands: &mut dyn Hands) -> Step {
        self.machine.next(&mut At { engine: &mut self.engine, hands: Some(hands) })
    }

    /// Passes the end of a step to the machine.
    pub(super) fn finished(&mut self, end: StepEnd, hands: &mut dyn Hands) {
        self.machine.finished(end, &mut At { engine: &mut self.engine, hands: Some(hands) });
    }

    /// Begins a new incarnation, after other tasks have run.
    pub(super) fn begins(&mut self, hands: &mut dyn Hands) {
        self.engine.begin(&mut self.machine, hands);
        self.finished(StepEnd::Done, hands);
    }

    /// Translates the end of a step of user code for the machine.
    pub(super) fn step_ended(&mut self, exit: Exit, hands: &mut dyn Hands) {
        let end = match exit {
            Exit::Done(Served::Hook | Served::Ready) => StepEnd::Done,
            Exit::Done(Served::Done) => StepEnd::ByItself,
            Exit::Done(Served::Returned) => StepEnd::Returned,
            Exit::Done(Served::Drained) => StepEnd::Drained,
            Exit::Done(Served::Interrupted) => StepEnd::Interrupted,
            Exit::Failed(thrown) if thrown.is_absent() => StepEnd::Absent,
            // On the way down, an error of another child is one that this child met, and not a failure to pass on.
            Exit::Failed(thrown) if self.machine.is_on_its_way_out() => {
                StepEnd::Failed { failure: self.failure(Cause::Error(thrown)), stopped: false }
            }
            Exit::Failed(thrown) => StepEnd::Failed { failure: self.thrown(thrown), stopped: hands.has_stopped() },
            Exit::Panicked(text) => {
                StepEnd::Failed { failure: self.failure(Cause::Panic(text)), stopped: hands.has_stopped() }
            }
            Exit::Cut(cut) => StepEnd::Cut(cut),
        };
        self.finished(end, hands);
        self.engine.message = None;
        if !self.machine.is_starting() {
            self.engine.begun = None;
        }
    }

    /// Records the type of the message that was in hand when the message loop returned.
    pub(super) fn was_in_hand(&mut self, message: Option<&'static str>) {
        self.engine.message = message;
    }

    /// Makes a failure of this child from an error. An error that already is a failure is kept: the start of a tree
    /// fails with that of its child.
    fn thrown(&self, thrown: Thrown) -> Failure {
        thrown.into_failure().unwrap_or_else(|thrown| self.failure(Cause::Error(thrown)))
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
        let Some(sup) = self.engine.cell.ctl().sup() else { return };
        let stopping = self.machine.gives_up();
        let next = sup.watchdog(&*self.engine.cell, stopping, Instant::now());
        self.engine.watchdog = next.map(|at| Box::pin(sleep_until(at)));
    }

    // ----- polling

    /// Polls the present step once, with orders, timers and background work.
    fn poll(&mut self, cx: &mut Context<'_>, slot: &mut dyn Slot) -> Poll<Exit> {
        loop {
            if self.engine.cell.ctl().has_control() {
                self.take_orders();
            }
            if let Some(cut) = self.machine.take_cut() {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(cut));
            }
            self.poll_watchdog(cx);
            if self.engine.timer.is_some() && self.poll_deadline(cx) {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(Cut::TimeUp));
            }
            let leaving = self.machine.is_on_its_way_out();
            let (polled, dropped) =
                enter(span_of(&self.engine.extras), &mut self.engine.current, leaving, || match slot.poll(cx) {
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
            if self.engine.cell.ctl().has_control() {
                continue; // a request that the user code itself has just made
            }
            if self.engine.extras.is_some() && self.poll_asides(cx) {
                continue;
            }
            // Only a future that really waits costs a timer.
            if self.poll_deadline(cx) {
                self.discard(slot);
                return Poll::Ready(Exit::Cut(Cut::TimeUp));
            }
            return self.engine.pending();
        }
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

    fn poll_watchdog(&mut self, cx: &mut Context<'_>) {
        while let Some(timer) = &mut self.engine.watchdog {
            if timer.as_mut().poll(cx).is_pending() {
                return;
            }
            self.engine.watchdog = None;
            self.look_after_children();
        }
    }

    /// Returns whether the start has taken longer than it may; raises `StillStarting` from time to time. All steps of a
    /// start share one time (S13).
    fn poll_start_time(&mut self, cx: &mut Context<'_>) -> bool {
        // A task that was told to end before it was ready has its `shutdown` time instead.
        let within = self.engine.common.start.filter(|_| !self.machine.is_leaving());
        let engine = &mut self.engine;
        let (begun, timer) = &mut **engine.begun.get_or_insert_with(|| {
            let now = Instant::now();
            Box::new((now, Box::pin(sleep_until(after(now, STILL_STARTING)))))
        });
        let over = within.map(|within| after(*begun, within));
        if let Some(over) = over.filter(|over| *over < timer.deadline()) {
            timer.as_mut().reset(over);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if over.is_some_and(|over| over <= timer.deadline()) {
                return true;
            }
            engine.cell.ctl().emit(EventKind::StillStarting { since: begun.elapsed() });
            let next = after(timer.deadline(), STILL_STARTING);
            timer.as_mut().reset(over.map_or(next, |over| over.min(next)));
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
                if self.engine.cell.ctl().has_control() {
                    self.take_orders();
                }
                if self.machine.wakes() {
                    return Poll::Ready(());
                }
                self.poll_watchdog(cx);
                if let Some(until) = self.machine.waits_until()
                    && self.engine.poll_timer(cx, until)
                {
                    self.machine.wait_is_over(&mut At { engine: &mut self.engine, hands: None });
                    continue;
                }
                if self.poll_deadline(cx) {
                    self.machine.time_is_up();
                    continue;
                }
                if !self.engine.cell.ctl().has_control() {
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
                if self.engine.cell.ctl().has_control() {
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
                if self.poll_asides(cx) || self.engine.cell.ctl().has_control() {
                    continue;
                }
                if self.engine.cell.mailbox().is_some_and(|mailbox| mailbox.waiting > 0) {
                    return Poll::Ready(Exit::Done(Served::Interrupted));
                }
                if !self.engine.has_futures() {
                    return Poll::Ready(Exit::Done(Served::Drained));
                }
                return Poll::Pending;
            }
        })
        .await
    }
}
