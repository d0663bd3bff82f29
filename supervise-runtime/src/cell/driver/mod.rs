//! One poll function around one user future, with control served beside it (S4).
//!
//! Every wait of a cell goes through [`Driver::poll`]: before and after each poll of the user future
//! the queue of control is served; kill, a passed deadline and a stop during a start drop the future
//! at its next await; panics are caught, in its `Drop` too. What an event means in which state is
//! [`child::on`]'s to say.

use std::future::{Future, poll_fn};
use std::mem::{replace, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::control::{Control, Controlled, closed};
use super::current;
use crate::aside::Asides;
use crate::decide::child::{self, Event, Fut, State, Then};
use crate::decide::group::Cut;
use crate::decide::member::{At, Role};
use crate::events::EventKind;
use crate::failure::{Cause, Failure, Phase, panic_text};
use crate::span::Incarnation;
use crate::strategy::Shutdown;
use crate::sync::Arc;
use crate::task::Told;
use crate::watch::Ended;

mod asides;
mod asked;
mod beside;
mod clock;
mod draining;
#[cfg(feature = "testing")]
mod inject;
mod moving;

pub(crate) use asked::Asked;
pub(crate) use beside::{Beside, Starting};
pub(crate) use clock::after;
pub(crate) use moving::moves;

/// How long a start may take before the first `StillStarting`, and between two of them.
const STILL_STARTING: Duration = Duration::from_secs(10);
/// Nearly every child that is asked to go down is down long before this.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// `shutdown = Kill` is about stops; going down for a restart has this long (S24).
const DOWN_TIME: Duration = Duration::from_secs(5);

/// How a user future came to its end.
#[derive(Debug)]
pub(crate) enum Exit<T> {
    Done(T),
    Panicked(String),
    /// It was dropped at an await, because of this event.
    Cut(Event),
}

/// The type-free half of a cell's loop.
pub(crate) struct Driver {
    pub(crate) cell: Arc<dyn Controlled>,
    /// Lent to the thread while user code runs.
    current: Option<Arc<dyn Controlled>>,
    pub(crate) role: Role,
    pub(crate) state: State,
    pub(crate) held: bool,
    /// Dropped on Down and stop: a task without a context, a start.
    pub(crate) shutdown: Shutdown,
    /// A stop lets it handle what is queued.
    pub(crate) drains: bool,
    pub(crate) asked: Asked,
    /// The event that has to drop the user future.
    cut: Option<Event>,
    /// By when it has to be down; begins when it is first asked.
    deadline: Option<Instant>,
    down_since: Option<Instant>,
    /// Nothing is left to lose: no hook runs any more in this incarnation.
    pub(crate) aborted: bool,
    /// A task hears of Down and stop through its context instead of being interrupted.
    pub(crate) told: Option<Told>,
    timer: Option<Pin<Box<Sleep>>>,
    watchdog: Option<Pin<Box<Sleep>>>,
    /// Others have had their turn since the last incarnation began.
    waited: bool,
    /// Since when the start in progress waits, over all its steps.
    pub(crate) begun: Option<Box<(Instant, Pin<Box<Sleep>>)>>,
    extras: Option<Box<Extras>>,
}

/// What most cells never have.
#[derive(Default)]
struct Extras {
    /// Timers and subordinate futures of this incarnation.
    asides: Option<Asides>,
    /// Its supervisor, if that is not the one it was born to (S38).
    moved: Option<Arc<dyn Controlled>>,
    /// The span of this incarnation, if somebody wants it.
    span: Option<Incarnation>,
}

fn span_of(extras: &Option<Box<Extras>>) -> Option<&Incarnation> {
    extras.as_ref()?.span.as_ref()
}

/// The way into user code: as that of this cell (S25), in its span (S41).
fn enter<T>(
    span: Option<&Incarnation>,
    current: &mut Option<Arc<dyn Controlled>>,
    leaving: bool,
    run: impl FnOnce() -> T,
) -> T {
    let _entered = span.map(|incarnation| incarnation.span.enter());
    current::enter(current, leaving, run)
}

impl Driver {
    pub(crate) fn new(cell: Arc<dyn Controlled>, role: Role) -> Self {
        Driver {
            current: Some(cell.clone()),
            cell,
            role,
            state: State::Idle,
            held: false,
            shutdown: Shutdown::Infinity,
            drains: false,
            asked: Asked::default(),
            cut: None,
            deadline: None,
            down_since: None,
            aborted: false,
            told: None,
            timer: None,
            watchdog: None,
            waited: true,
            begun: None,
            extras: None,
        }
    }

    /// To be awaited first: control finds the task from now on.
    pub(crate) async fn arrive(&mut self) {
        poll_fn(|cx| {
            self.cell.ctl().set_home(cx.waker());
            Poll::Ready(())
        })
        .await;
    }

    /// Lets others have their turn, unless this has waited since the last incarnation began: one that restarts
    /// itself at once must not keep the thread for ever.
    pub(crate) async fn breathe(&mut self) {
        if !take(&mut self.waited) {
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

    fn pending<T>(&mut self) -> Poll<T> {
        self.waited = true;
        Poll::Pending
    }

    // ----- control

    #[cold]
    fn serve_control(&mut self) {
        while self.cell.ctl().has_control() {
            for control in self.cell.ctl().take_control() {
                self.take(control);
            }
        }
    }

    fn take(&mut self, control: Control) {
        match control {
            Control::Start => {
                self.set_held(false);
                if self.asked.take_wait().is_some() {
                    self.cell.set_retry(None);
                }
                self.asked.start = true;
            }
            Control::Resume => {
                self.cell.ctl().set_leaving(false);
                self.asked.resume = true;
            }
            Control::Redecide => self.asked.redecide = true,
            Control::Wait(delay) => {
                let until = after(Instant::now(), delay);
                self.asked.put_wait(until);
                self.cell.set_retry(Some(until));
            }
            Control::Drain => self.drain_by_hand(),
            // It had ended already, and was to start with its supervisor, which has stopped instead. If it was started by
            // hand meanwhile, it has yet to tell of that life's end.
            Control::Over(_) if self.state == State::Ended && !self.has_end_to_tell() => closed(&*self.cell),
            Control::Over(ended) => {
                if matches!(self.state, State::Idle | State::Waiting | State::Ended) {
                    // Requests from before its end are settled with it: `start_again()` must not find them. There are
                    // some only if it was given up on, since nobody had polled it for so long.
                    self.asked.start = false;
                    self.asked.redecide = false;
                    self.asked.take_down();
                    self.asked.take_end();
                }
                self.asked.put_over(ended);
            }
            Control::Finish => self.asked.finish = true,
            Control::ChildrenDown => self.asked.children_down = true,
            Control::AllEnded(failure) => {
                self.asked.put_all_ended(failure);
                self.interrupt();
            }
            Control::DropValue(id) => self.drop_value(id),
            Control::Watchdog => self.watchdog = Some(Box::pin(sleep_until(after(Instant::now(), FIRST_LOOK)))),
            Control::Hold(held) => self.hold(held),
            Control::Down(failure) => {
                self.asked.put_down(failure);
                self.event(Event::Down);
            }
            Control::End(ended) => {
                self.asked.put_end(ended);
                self.event(Event::Stop);
            }
            Control::Stop => self.stop_by_hand(),
            Control::Abort => self.take_abort(),
            Control::Kill => self.kill(Cause::Killed),
            #[cfg(feature = "testing")]
            Control::Inject(cause) => self.inject(cause),
            Control::DeathPact(pact) if pact.is_taken_back() => {}
            Control::DeathPact(pact) => {
                pact.handle();
                self.kill(Cause::DeathPact(pact.path().to_owned()));
            }
            Control::Move(to) => self.take_move(*to),
            Control::Aside(aside) => self.take_aside(*aside),
            Control::Escalated(failure) => {
                self.asked.put_escalated(failure);
                if self.state != State::Running || self.cell.is_busy() {
                    self.absorb_spawns();
                }
                // A tree's build must not go on; an actor fails after its message or hook.
                if self.role == Role::Tree && matches!(self.state, State::Starting | State::StartAgain) {
                    self.cut = Some(Event::Failure);
                }
                self.interrupt();
            }
        }
    }

    /// The end of a life that it was to begin, and nobody has been told of.
    fn has_end_to_tell(&self) -> bool {
        let ctl = self.cell.ctl();
        // In this order: a start by hand clears the mark first, and then the end of the life before.
        self.asked.start || ctl.ended().is_none() && ctl.is_closing()
    }

    /// Nothing of the life before is of account for the end of one that never began.
    pub(crate) fn forget_last_life(&mut self) {
        self.aborted = false;
        self.down_since = None;
        self.cell.ctl().forget_late();
    }

    /// An event of table 2a, in the present state.
    fn event(&mut self, event: Event) {
        // A stop that lets it handle what is queued first (S24).
        let drains = self.drains && !self.held && !self.asked.is_down() && self.shutdown != Shutdown::Kill;
        if drains && event == Event::Stop && self.state == State::Running {
            return self.begin_drain();
        }
        let step = child::on(self.now_in(), event);
        if step.then == Then::Again {
            self.cell.set_down(true); // S35
        }
        // While it is held nothing queued can begin: a stop absorbs it (S7).
        let absorbed = self.held && event == Event::Stop;
        if self.state == State::Draining && (step.next == State::Stopping || absorbed) {
            self.state = State::Running; // after the message in hand it stops
            self.cell.refuse();
        }
        if let Some(held) = step.held {
            self.set_held(held);
        }
        if step.then != Then::Same {
            self.begin_down(event);
            self.absorb_spawns();
        }
        if event == Event::Stop && step.then == Then::End && step.next == State::Stopping {
            self.cell.refuse(); // the queue becomes errors and dead letters at once (S24)
        }
        // A task without a context cannot be told: it is dropped at its next await (S29).
        let untold = self.role == Role::Task && self.told.is_none() && self.state == State::Running;
        if step.future == Fut::Drop || untold && step.then != Then::Same {
            self.cut = Some(event);
        }
        self.interrupt();
    }

    /// Running or handling: only the loop over messages knows.
    pub(crate) fn now_in(&self) -> State {
        match self.state {
            State::Running if self.cell.is_busy() => State::Handling,
            state => state,
        }
    }

    /// The message in hand may wait for a child that could begin only behind it.
    fn absorb_spawns(&self) {
        if self.role == Role::Actor {
            self.cell.ctl().set_leaving(true);
            if let Some(sup) = self.cell.ctl().sup() {
                sup.on(&*self.cell, |group| group.absorb_spawns(Instant::now()));
            }
        }
    }

    fn set_held(&mut self, held: bool) {
        self.held = held;
        self.cell.ctl().set_held(held);
    }

    fn hold(&mut self, held: bool) {
        if self.role != Role::Task {
            self.event(if held { Event::Hold } else { Event::Release });
        }
        if held || self.state == State::Running && !self.asked.is_down() {
            self.cell.set_down(held); // S35
        }
        if let Some(sup) = self.cell.ctl().sup() {
            if held {
                sup.on(&*self.cell, |group| group.hold());
            } else if self.state != State::Failed {
                sup.on(&*self.cell, |group| group.release(Instant::now()));
            }
        }
    }

    fn stop_by_hand(&mut self) {
        let now = Instant::now();
        let mut started = false;
        if let Some((sup, owner)) = self.parent() {
            let stopped =
                sup.on_child(&**owner, &*self.cell, |group, id| (group.stop_member(id, now), group.at(id) == At::Down));
            match stopped {
                Some((true, down)) => started = down,
                _ => return, // its group takes it along in its turn
            }
        }
        if matches!(self.state, State::Idle | State::Waiting | State::Ended) {
            if self.cell.ctl().parent.is_none() && self.state != State::Ended {
                self.asked.put_over(Ended::Stopped);
            } else if started {
                self.asked.put_end(Ended::Stopped); // its group has told it to start, but it has not begun
            }
            return; // the group has said what follows
        }
        self.asked.end_for(Ended::Stopped);
        self.event(Event::Stop);
    }

    /// Its supervisor has no time left. If its turn has not come, its group says what it goes down for.
    fn take_abort(&mut self) {
        if matches!(self.state, State::Idle | State::Waiting | State::Ended) {
            return;
        }
        if !self.asked.is_down() && !self.asked.is_end() {
            let now = Instant::now();
            let cut = self
                .parent()
                .and_then(|(sup, owner)| sup.on_child(&**owner, &*self.cell, |group, id| group.cut(id, now)));
            match cut {
                Some(Cut::Stay) => return,
                Some(Cut::Down(failure)) => self.asked.put_down(failure),
                Some(Cut::End) | None => self.asked.end_for(Ended::Aborted),
            }
        }
        self.asked.abort = true;
        self.cut = Some(match self.state {
            State::Starting | State::StartAgain | State::PostRestart => Event::Stop,
            _ => Event::TimeUp,
        });
        self.interrupt();
    }

    fn kill(&mut self, cause: Cause) {
        match self.now_in() {
            State::Idle | State::Waiting | State::Ended => self.stop_by_hand(),
            State::Failed => self.report(cause),
            State::PreRestart | State::GoingDown | State::Stopping => {
                self.cut = Some(Event::Kill);
            }
            // On its way down already, though the last message, or the task that was told, still goes on.
            State::Running | State::Handling if self.asked_to_go() => {
                self.asked.abort = true;
                self.cut = Some(Event::Kill);
                self.interrupt();
            }
            _ => {
                self.asked.put_killed(cause);
                self.cut = Some(Event::Kill);
                self.interrupt();
            }
        }
    }

    /// The loop over messages, or a task with a context, is to come back.
    fn interrupt(&self) {
        self.cell.interrupt(true);
    }

    pub(crate) fn clear_interrupt(&self) {
        self.cell.interrupt(false);
    }

    // ----- time

    /// It is asked to go down: its time begins, unless it has begun already (S16).
    fn begin_down(&mut self, event: Event) {
        let now = Instant::now();
        self.down_since.get_or_insert(now);
        self.tell_asides();
        if let Some(told) = &self.told {
            told.tell();
        }
        let time = match (self.shutdown, event) {
            (Shutdown::Within(time), _) => Some(time),
            (Shutdown::Kill, Event::Stop) => {
                // One that has failed has no future to drop, but loses its hooks all the same.
                if self.state == State::Running {
                    self.cut = Some(Event::Stop);
                }
                self.aborted |= matches!(self.state, State::Running | State::Failed);
                Some(Duration::ZERO)
            }
            (Shutdown::Kill, _) => Some(DOWN_TIME),
            (Shutdown::Infinity, _) => None,
        };
        if let Some(time) = time {
            let until = after(now, time);
            self.deadline = Some(self.deadline.map_or(until, |before| before.min(until)));
        }
    }

    pub(crate) fn begin_down_now(&mut self) {
        self.begin_down(Event::Down);
    }

    /// A kill that found nothing to drop. An abort beside it still counts: no hook is to run.
    pub(crate) fn forget_kill(&mut self) {
        self.cut.take_if(|event| *event == Event::Kill);
    }

    /// What was to be dropped is not there.
    pub(crate) fn forget_cut(&mut self) {
        self.cut = None;
    }

    /// Its number is known: its span begins.
    pub(crate) fn begin_span(&mut self) {
        self.end_span(); // the last one's, first: there is one open for each cell
        if let Some(span) = Incarnation::open(&self.cell) {
            self.extras.get_or_insert_default().span = Some(span);
        }
    }

    /// It has ended.
    pub(crate) fn end_span(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.span = None;
        }
    }

    /// What follows only waits for what was aborted.
    pub(crate) fn forget_deadline(&mut self) {
        self.deadline = None;
    }

    /// Since when it goes down.
    pub(crate) fn took(&self) -> Duration {
        self.down_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// A new incarnation: nothing of the last one's end counts any more.
    pub(crate) fn begin_incarnation(&mut self) {
        self.cell.ctl().set_leaving(false);
        self.drop_asides();
        self.deadline = None;
        self.down_since = None;
        self.timer = None;
        self.cut = None;
        self.aborted = false;
        self.asked.clear();
        self.clear_interrupt();
    }

    // ----- children

    pub(crate) fn parent(&self) -> Option<(&crate::supervisor::Sup, &Arc<dyn Controlled>)> {
        let parent = match self.extras.as_ref().and_then(|extras| extras.moved.as_ref()) {
            Some(supervisor) => supervisor,
            None => self.cell.ctl().parent.as_ref()?,
        };
        Some((parent.ctl().sup()?, parent))
    }

    fn drop_value(&mut self, id: u32) {
        let Some(sup) = self.cell.ctl().sup() else { return };
        if let Some(value) = sup.value(id)
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| value.clear()))
        {
            self.report(Cause::Panic(panic_text(panic)));
        }
        sup.on(&*self.cell, |group| group.gone(id, Instant::now()));
    }

    fn look_after_children(&mut self) {
        let Some(sup) = self.cell.ctl().sup() else { return };
        let stopping = self.state == State::Stopping || self.aborted;
        let next = sup.watchdog(&*self.cell, stopping, Instant::now());
        self.watchdog = next.map(|at| Box::pin(sleep_until(at)));
    }

    /// A failure that nobody decides on.
    pub(crate) fn report(&self, cause: Cause) {
        let failure = self.failure(Phase::Running, cause);
        let leaving = match self.state {
            State::Starting | State::Running | State::Failed | State::StartAgain | State::PostRestart => {
                self.asked_to_go()
            }
            _ => true,
        };
        match leaving {
            true => self.cell.ctl().fails_late(failure),
            false => self.cell.ctl().emit(EventKind::Reported { failure }),
        }
    }

    /// True if it is to go down, for a restart or for good.
    pub(crate) fn asked_to_go(&self) -> bool {
        self.asked.is_end() || self.asked.is_down()
    }

    pub(crate) fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        let ctl = self.cell.ctl();
        Failure::new(phase, cause, ctl.place(), ctl.incarnation())
    }

    // ----- polling

    /// One poll of a user future with everything beside it.
    fn poll<F: Future>(&mut self, cx: &mut Context<'_>, mut future: Pin<&mut Option<F>>) -> Poll<Exit<F::Output>> {
        loop {
            if self.cell.ctl().has_control() {
                self.serve_control();
            }
            if let Some(event) = self.cut.take() {
                self.discard(future);
                return Poll::Ready(Exit::Cut(event));
            }
            self.poll_watchdog(cx);
            if let Some(deadline) = self.deadline
                && self.timer.is_some()
                && self.poll_timer(cx, deadline)
            {
                self.discard(future);
                return Poll::Ready(Exit::Cut(Event::TimeUp));
            }
            let leaving = matches!(self.state, State::PreRestart | State::GoingDown | State::Stopping);
            let (polled, dropped) = enter(span_of(&self.extras), &mut self.current, leaving, || {
                let running = future.as_mut().as_pin_mut().expect("polled only until it is ready");
                match catch_unwind(AssertUnwindSafe(|| running.poll(cx))) {
                    Ok(Poll::Pending) => (Ok(Poll::Pending), Ok(())),
                    over => (over, catch_unwind(AssertUnwindSafe(|| future.set(None)))),
                }
            });
            if let Err(panic) = dropped {
                self.report(Cause::Panic(panic_text(panic)));
            }
            match polled {
                Ok(Poll::Ready(out)) => return Poll::Ready(Exit::Done(out)),
                Err(panic) => return Poll::Ready(Exit::Panicked(panic_text(panic))),
                Ok(Poll::Pending) => {}
            }
            if self.cell.ctl().has_control() {
                continue; // a request that the user code itself has just made
            }
            if self.extras.is_some() && self.poll_asides(cx) {
                continue;
            }
            // Only a future that really waits costs a timer.
            if let Some(deadline) = self.deadline
                && self.poll_timer(cx, deadline)
            {
                self.discard(future);
                return Poll::Ready(Exit::Cut(Event::TimeUp));
            }
            return self.pending();
        }
    }

    /// Drops the user future at its await; a panic in its `Drop` is reported and stays here.
    fn discard<F>(&mut self, mut future: Pin<&mut Option<F>>) {
        self.guarded(|| future.set(None));
    }

    /// Runs a piece of user code (a `Drop`) under the same catch as everything else.
    pub(crate) fn guarded(&mut self, run: impl FnOnce()) {
        let caught = enter(span_of(&self.extras), &mut self.current, true, || catch_unwind(AssertUnwindSafe(run)));
        if let Err(panic) = caught {
            self.report(Cause::Panic(panic_text(panic)));
        }
    }

    /// Runs a decider: a panic in it is `Err`.
    pub(crate) fn ask<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, String> {
        enter(span_of(&self.extras), &mut self.current, false, || catch_unwind(AssertUnwindSafe(run)))
            .map_err(panic_text)
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> bool {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        timer.as_mut().poll(cx).is_ready()
    }

    fn poll_watchdog(&mut self, cx: &mut Context<'_>) {
        while let Some(timer) = &mut self.watchdog {
            if timer.as_mut().poll(cx).is_pending() {
                return;
            }
            self.watchdog = None;
            self.look_after_children();
        }
    }

    /// Runs a user future to its end, or until control drops it.
    pub(crate) fn beside<F: Future>(&mut self, future: F) -> Beside<'_, F> {
        Beside { driver: self, future: Some(future) }
    }

    /// As [`Driver::beside`], for a step of a start: says now and then that it is still at it. All steps have
    /// that long together (S13).
    pub(crate) fn starting<F: Future>(&mut self, within: Option<Duration>, future: F) -> Starting<'_, F> {
        Starting { beside: self.beside(future), within }
    }

    /// Waits without user code until `done` has found in `asked` what it looks for.
    pub(crate) async fn until<T>(&mut self, mut done: impl FnMut(&mut Self) -> Option<T>) -> T {
        poll_fn(|cx| {
            loop {
                if self.cell.ctl().has_control() {
                    self.serve_control();
                }
                if let Some(found) = done(self) {
                    return Poll::Ready(found);
                }
                self.poll_watchdog(cx);
                if let Some(until) = self.asked.wait().copied()
                    && self.poll_timer(cx, until)
                {
                    self.asked.take_wait();
                    self.cell.set_retry(None);
                    let now = Instant::now();
                    if let Some((sup, owner)) = self.parent() {
                        sup.on_child(&**owner, &*self.cell, |group, id| group.due(id, now));
                    }
                }
                if !self.cell.ctl().has_control() {
                    return self.pending();
                }
            }
        })
        .await
    }

    /// Waits until the children are down; kill and deadline end the patience.
    pub(crate) async fn until_children_down(&mut self) -> Result<(), Event> {
        poll_fn(|cx| {
            loop {
                if self.cell.ctl().has_control() {
                    self.serve_control();
                }
                if take(&mut self.asked.children_down) {
                    return Poll::Ready(Ok(()));
                }
                if let Some(event) = self.cut.take() {
                    return Poll::Ready(Err(event));
                }
                self.poll_watchdog(cx);
                if !self.aborted
                    && let Some(deadline) = self.deadline
                    && self.poll_timer(cx, deadline)
                {
                    return Poll::Ready(Err(Event::TimeUp));
                }
                if !self.cell.ctl().has_control() {
                    return self.pending();
                }
            }
        })
        .await
    }
}
