//! The engine of a cell: it carries out the effects of the machine, and asks the deciders.

use std::future::Future;
use std::mem::replace;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::{Instant, Sleep, sleep_until};

use super::span::Incarnation;
use crate::base::sync::Arc;
use crate::decide::child::machine::{Effect, LifeSettings, Machine, Order};
use crate::decide::group::{Facts as GroupFacts, FailureRoute};
use crate::decide::member::At as Stand;
use crate::engine::background::Asides;
use crate::engine::cell::body::Hands;
use crate::engine::cell::control::{Controlled, SystemMessage, closed, queue};
use crate::engine::cell::current;
use crate::engine::cell::stop_signal::Told;
use crate::values::ended::Ended;
use crate::values::event::EventKind;
use crate::values::failure::{Cause, Failure, Phase, panic_text};
use crate::values::invalid_settings::InvalidSettings;
use crate::values::kind::ChildKind;
use crate::values::report::ChildReport;
use crate::values::settings::Common;
use crate::values::strategy::{Directive, Lifecycle, Shutdown, default_directive};

/// The executor of the machine's effects.
pub(crate) struct Engine {
    pub(in crate::engine::cell) cell: Arc<dyn Controlled>,
    /// Lent to the thread while user code runs.
    pub(super) current: Option<Arc<dyn Controlled>>,
    pub(super) kind: ChildKind,
    /// The settings of this incarnation.
    pub(super) common: Arc<Common>,
    /// Present for a task that is told of an order to go down by its context, instead of being interrupted.
    pub(super) told: Option<Told>,
    /// The type of the message that was in hand when the last step ended.
    pub(super) message: Option<&'static str>,
    pub(super) timer: Option<Pin<Box<Sleep>>>,
    pub(super) watchdog: Option<Pin<Box<Sleep>>>,
    /// The time when the present start began, over all its steps, with its timer.
    pub(super) begun: Option<Box<(Instant, Pin<Box<Sleep>>)>>,
    /// Other tasks have run since the last incarnation began.
    pub(super) waited: bool,
    /// This crate's own code has failed, and no incarnation was up since.
    pub(in crate::engine::cell) broken: bool,
    pub(super) extras: Option<Box<Extras>>,
}

/// State that most cells never have.
#[derive(Default)]
pub(super) struct Extras {
    /// The timers and subordinate futures of this incarnation.
    pub(super) asides: Option<Asides>,
    /// The supervisor, if the cell has moved (S38).
    pub(super) moved: Option<Arc<dyn Controlled>>,
    /// The span of this incarnation, if a subscriber is interested.
    pub(super) span: Option<Incarnation>,
    /// The source of the backoff's jitter.
    pub(super) random: Option<SmallRng>,
}

pub(super) fn span_of(extras: &Option<Box<Extras>>) -> Option<&Incarnation> {
    extras.as_ref()?.span.as_ref()
}

/// Enters user code: as the code of this cell (S25), in its span (S41).
pub(super) fn enter<T>(
    span: Option<&Incarnation>,
    current: &mut Option<Arc<dyn Controlled>>,
    leaving: bool,
    run: impl FnOnce() -> T,
) -> T {
    let _entered = span.map(|incarnation| incarnation.span.enter());
    current::enter(current, leaving, run)
}

impl Engine {
    // ----- asked and answered

    pub(in crate::engine::cell) fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        let ctl = self.cell.ctl();
        Failure::new(phase, cause, ctl.place(), ctl.incarnation())
    }

    /// Returns the supervisor, and its table of children.
    pub(super) fn parent(&self) -> Option<(&crate::engine::supervisor::Sup, &Arc<dyn Controlled>)> {
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
    pub(super) fn report(&mut self, machine: &Machine, cause: Cause) {
        let failure = self.failure(Phase::Running, cause);
        let effect = machine.report_of(failure);
        self.perform(machine, effect, None);
    }

    /// Runs user code (a `Drop`) under the same catch as all other user code.
    pub(super) fn guarded(&mut self, machine: &Machine, run: impl FnOnce()) {
        let caught = enter(span_of(&self.extras), &mut self.current, true, || catch_unwind(AssertUnwindSafe(run)));
        if let Err(panic) = caught {
            self.report(machine, Cause::Panic(panic_text(panic)));
        }
    }

    /// Runs a decider: a panic in it is an `Err`.
    pub(super) fn ask<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, String> {
        enter(span_of(&self.extras), &mut self.current, false, || catch_unwind(AssertUnwindSafe(run)))
            .map_err(panic_text)
    }

    pub(super) fn pending<T>(&mut self) -> Poll<T> {
        self.waited = true;
        Poll::Pending
    }

    pub(super) fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> bool {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        timer.as_mut().poll(cx).is_ready()
    }

    // ----- effects

    /// Carries out an effect. `hands`: the instance, between two steps; the machine uses effects on the instance only
    /// then.
    pub(super) fn perform(&mut self, machine: &Machine, effect: Effect, hands: Option<&mut dyn Hands>) {
        let hands = || hands.expect("between two steps the instance is at hand");
        match effect {
            Effect::Interrupt(on) => self.cell.interrupt(on),
            Effect::Refuse => self.cell.refuse(),
            Effect::RefuseNew => {
                self.cell.refuse_new();
                self.stop_timers(machine);
            }
            Effect::MarkDown(down) => self.cell.set_down(down),
            Effect::Retry(at) => self.cell.set_retry(at),
            Effect::EndSpawns => self.end_spawns(),
            Effect::AllowSpawns => self.cell.ctl().set_leaving(false),
            Effect::SignalStop => {
                self.tell_asides();
                if let Some(told) = &self.told {
                    told.tell();
                }
            }
            Effect::Suspended(suspended) => self.cell.ctl().set_held(suspended),
            Effect::SuspendChildren(suspended) => {
                if let Some(sup) = self.cell.ctl().sup() {
                    sup.on(&*self.cell, |group| match suspended {
                        true => group.hold(),
                        false => group.release(Instant::now()),
                    });
                }
            }
            Effect::Due => {
                let now = Instant::now();
                self.with_group(|group, id| group.due(id, now));
            }
            Effect::Gone => {
                let now = Instant::now();
                self.with_group(|group, id| group.gone(id, now));
            }
            Effect::Up { again, healed } => self.up(machine, again, healed, hands()),
            Effect::Failed(failure) => {
                self.cell.ctl().emit(EventKind::Failed { failure, message: self.message });
            }
            Effect::Escalated(failure) => self.cell.ctl().emit(EventKind::Escalated { failure }),
            Effect::Late(failure) => self.cell.ctl().fails_late(failure),
            Effect::Reported(failure) => self.cell.ctl().emit(EventKind::Reported { failure }),
            Effect::ForgetLate => self.cell.ctl().forget_late(),
            Effect::Aborted => self.cell.ctl().emit(EventKind::Aborted { message: self.message }),
            Effect::Decide { failure, instance } => {
                self.decide_first(machine, &failure, instance, hands());
            }
            Effect::Redecide { failure } => self.decide_again(machine, &failure, hands()),
            Effect::Done { ended, end } => {
                let facts = self.facts(hands().has_handled());
                self.with_group(|group, id| group.done(id, ended, &end, facts));
            }
            Effect::Absent => {
                let now = Instant::now();
                self.with_group(|group, id| group.absent(id, now));
            }
            Effect::EndsAs(ended) => {
                self.with_group(|group, id| group.ends_as(id, ended));
            }
            Effect::Broken(bug) => self.tell_of_bug(machine, &bug, hands()),
            Effect::ResumeChildren(failure) => {
                let (facts, suspended) = (self.facts(hands().has_handled()), machine.is_suspended());
                if let Some(sup) = self.cell.ctl().sup() {
                    sup.on(&*self.cell, |group| group.resume(&failure, facts, suspended));
                }
            }
            Effect::RestartChildren(failure) => self.children_go(|group, now| group.restart_from_above(&failure, now)),
            Effect::StopChildren => {
                self.begin_report();
                self.children_go(|group, now| group.stop(now));
            }
            Effect::EndChildren => self.children_go(|group, now| group.stop(now)),
            Effect::AbortChildren => {
                if let Some(sup) = self.cell.ctl().sup() {
                    sup.abort(&*self.cell, Instant::now());
                }
            }
            Effect::Open => self.open(machine, hands()),
            Effect::Shut => hands().shut(),
            Effect::Close => {
                let hands = hands();
                self.guarded(machine, || hands.close());
            }
            Effect::Forgive => {
                let hands = hands();
                self.guarded(machine, || hands.forgive());
            }
            Effect::DropBackground => self.drop_asides(machine),
            Effect::Unwatch => hands().unwatch_children(),
            Effect::DropInstance => self.drop_instance(machine, hands()),
            Effect::Ended { ended, aborted } => self.tell_end(machine, ended, aborted),
        }
    }

    pub(super) fn drop_instance(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.drop_instance(&mut |part| self.guarded(machine, part));
    }

    /// Ends spawns: the message in hand may wait for a child that could begin only after it.
    pub(super) fn end_spawns(&mut self) {
        if self.kind == ChildKind::Actor {
            self.cell.ctl().set_leaving(true);
            if let Some(sup) = self.cell.ctl().sup() {
                sup.on(&*self.cell, |group| group.absorb_spawns(Instant::now()));
            }
        }
    }

    /// Accepts messages from now on, unless the actor is suspended and rejects messages for that (S35).
    pub(super) fn open(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.open();
        if machine.is_suspended() {
            self.cell.set_down(true);
        }
    }

    pub(super) fn children_go(&mut self, go: impl FnOnce(&mut crate::decide::group::Group, Instant)) {
        if let Some(sup) = self.cell.ctl().sup() {
            let now = Instant::now();
            sup.on(&*self.cell, |group| go(group, now));
        }
    }

    /// Opens the report of a tree that stops: first the children that had ended before (S24).
    pub(super) fn begin_report(&self) {
        if self.kind.only_supervises() {
            // In this order: a child that ends meanwhile is found, or reports its end itself, or both.
            let ctl = self.cell.ctl();
            ctl.open_report();
            ctl.had_ended(ended_below(&*self.cell));
        }
    }

    /// Begins a new incarnation. The state of the previous incarnation's end is cleared.
    pub(super) fn begin(&mut self, machine: &mut Machine, hands: &mut dyn Hands) {
        let ctl = self.cell.ctl();
        ctl.set_leaving(false);
        self.drop_asides(machine);
        self.timer = None;
        self.message = None;
        self.told = None;
        self.cell.interrupt(false);
        let ctl = self.cell.ctl();
        ctl.forget_late();
        self.common = hands.common();
        if self.kind.only_supervises() {
            ctl.forget_report(); // from a first start that failed
        }
        let had_ended = machine.has_ended();
        let mut was_up = true;
        if had_ended {
            ctl.revive();
            // After `start_again()` this is a first start (S26), after a restart from above it is not (S20).
            was_up = self.with_group(|group, id| group.was_up(id)).unwrap_or(false);
        }
        let settings = LifeSettings {
            shutdown: self.common.shutdown_or_default(self.kind),
            kills: self.common.shutdown == Some(Shutdown::Kill),
            drains: self.common.drain && self.kind == ChildKind::Actor,
            ready: self.common.ready && self.kind == ChildKind::Task,
            permanent: self.common.lifecycle_or(self.kind) == Lifecycle::Permanent,
        };
        machine.begin(settings, was_up);
        let ctl = self.cell.ctl();
        if had_ended {
            hands.shut();
            if !machine.was_up()
                && let Some(sup) = ctl.sup()
            {
                sup.on(&*self.cell, |group| group.forget_stops());
            }
        }
        ctl.next_incarnation();
        self.begin_span();
        if let Some(sup) = self.cell.ctl().sup() {
            sup.rebuild(&*self.cell, machine.is_suspended());
        }
    }

    pub(super) fn up(&mut self, machine: &Machine, again: bool, healed: Option<Failure>, hands: &mut dyn Hands) {
        self.broken = false;
        let ctl = self.cell.ctl();
        ctl.emit(match again && ctl.incarnation() > 1 {
            true => EventKind::Restarted,
            false => EventKind::Started { seed: ctl.parent.is_none().then_some(ctl.bus.seed) },
        });
        self.open(machine, hands);
        let ctl = self.cell.ctl();
        let now = Instant::now();
        self.with_group(|group, id| group.up(id, now));
        ctl.set_up();
        if let Some(sup) = ctl.sup() {
            sup.on(&*self.cell, |group| match &healed {
                Some(failure) if again && self.kind == ChildKind::Actor => group.restart_kept(failure, now),
                _ => group.owner_up(now),
            });
        }
        // After both: a task that waits for a set also waits for its group.
        ctl.bus.changed.notify_waiters();
    }

    /// Announces the end: notifies watchers and the report.
    pub(super) fn tell_end(&mut self, machine: &Machine, ended: Ended, aborted: bool) {
        self.end_span();
        let ctl = self.cell.ctl();
        let took = machine.leaving_since().map_or(Duration::ZERO, |since| since.elapsed());
        ctl.emit(EventKind::Ended { ended: ended.clone() });
        ctl.set_ended(ended.clone());
        // After the end: a report that is opened meanwhile either finds the child or gets this notice.
        let (failure, failures) = ctl.late();
        ctl.tell_report(|path| {
            let (ended, failure) = (ended.clone(), failure.clone());
            ChildReport { path, ended, took, aborted, stuck: false, failure, failures }
        });
        ctl.bus.changed.notify_waiters();
        if ctl.parent.is_none() {
            ctl.bus.close();
        }
        closed(&*self.cell);
    }

    /// Opens the span; the incarnation number must be set first.
    pub(super) fn begin_span(&mut self) {
        self.end_span(); // of the previous incarnation: only one span is open for each cell
        if let Some(span) = Incarnation::open(&self.cell) {
            self.extras.get_or_insert_default().span = Some(span);
        }
    }

    /// Closes the span.
    pub(super) fn end_span(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.span = None;
        }
    }

    // ----- from a failure to its decision (S7 to S9)

    pub(super) fn facts(&mut self, handled: bool) -> GroupFacts {
        let random = match self.common.backoff {
            None => 0,
            Some(_) => self.jitter().next_u64(),
        };
        GroupFacts { handled, random, now: Instant::now() }
    }

    pub(super) fn jitter(&mut self) -> &mut SmallRng {
        let ctl = self.cell.ctl();
        self.extras.get_or_insert_default().random.get_or_insert_with(|| {
            let seed = ctl.path().bytes().fold(ctl.bus.seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            SmallRng::seed_from_u64(seed)
        })
    }

    /// Asks the deciders: the child's own, the supervisor's, the default (S8, S9). For a `Temporary` child only its own
    /// is asked (S23). `None`: there was no decider, or no decision, and the child ends.
    pub(super) fn directive(&mut self, machine: &Machine, failure: &Failure) -> Option<Directive> {
        let own = self.common.decider.clone();
        let once = self.common.lifecycle_or(self.kind) == Lifecycle::Temporary;
        if failure.error::<InvalidSettings>().is_some() {
            return (!once).then_some(Directive::Stop); // another start would fail in the same way
        }
        let above = if once { None } else { self.parent().and_then(|(sup, _)| sup.decider()) };
        let arms = own.as_ref().is_some_and(|d| d.has_arms()) || above.as_ref().is_some_and(|d| d.has_arms());
        let declared = self.common.backoff.is_some();
        let said = self.ask(|| {
            let own = own.as_ref().and_then(|decider| decider.decide(failure));
            own.or_else(|| above.as_ref().and_then(|decider| decider.decide(failure)))
        });
        match said {
            // A `Temporary` child is never restarted.
            Ok(Some(Directive::Restart)) if once => Some(Directive::Stop),
            Ok(Some(directive)) => Some(directive),
            Ok(None) => (!once).then(|| default_directive(failure, declared, arms)),
            Err(panic) => {
                self.report(machine, Cause::Panic(panic));
                Some(Directive::Escalate)
            }
        }
    }

    /// Notifies the group of a failure. Returns the treatment of the failure, and the length that the streak would
    /// have.
    pub(super) fn tell_group(&self, instance: bool) -> (FailureRoute, u32) {
        let handed_in = self.with_group(|group, id| (group.failed(id, instance), group.row(id) + 1));
        handed_in.unwrap_or((FailureRoute::ReportOnly, 1))
    }

    pub(super) fn decide_first(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        instance: bool,
        hands: &mut dyn Hands,
    ) -> FailureRoute {
        let (reported, row) = self.tell_group(instance);
        self.decide(machine, failure, (reported, row), hands);
        reported
    }

    /// Decides a kept failure now.
    pub(super) fn decide_again(&mut self, machine: &Machine, failure: &Failure, hands: &mut dyn Hands) {
        let row = self.with_group(|group, id| group.row(id) + 1).unwrap_or(1);
        self.decide(machine, failure, (FailureRoute::Decide, row), hands);
    }

    pub(super) fn decide(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        (reported, row): (FailureRoute, u32),
        hands: &mut dyn Hands,
    ) {
        match reported {
            FailureRoute::Decide => {
                // The decider is not asked about an end (S23), nor about a bug of this crate (S19).
                let directive = match failure.cause() {
                    Cause::EndedByItself => Some(Directive::Restart),
                    // After a bug in the code that runs this child, the child alone cannot be relied on for the next
                    // start.
                    Cause::Bug(_) if failure.path() == self.cell.ctl().path() => Some(Directive::Escalate),
                    _ => self.directive(machine, failure),
                };
                let facts = self.facts(hands.has_handled());
                if let Some(directive) = directive {
                    let comes_to = self.with_group(|group, id| {
                        let instance = group.at(id) == Stand::Failed;
                        group.comes_to(id, directive, instance, facts.now)
                    });
                    let told = comes_to.unwrap_or(directive);
                    let ctl = self.cell.ctl();
                    ctl.emit(EventKind::Decided { directive: told, failure: failure.clone(), row });
                }
                let directive = directive.unwrap_or(Directive::Stop);
                let decided = self.with_group(|group, id| group.decided(id, directive, failure, facts));
                if decided == Some(FailureRoute::Absorbed) {
                    self.cell.ctl().fails_late(failure.clone()); // the child was asked to go down meanwhile
                }
                self.cell.ctl().bus.changed.notify_waiters(); // a task that waits for this child's start may go on
            }
            FailureRoute::Kept => {}
            FailureRoute::Absorbed | FailureRoute::ReportOnly => {
                self.cell.ctl().fails_late(failure.clone());
            }
        }
    }

    /// Reports that the child has come down after a bug of this crate: a failure that is escalated.
    pub(super) fn tell_of_bug(&mut self, machine: &Machine, bug: &Failure, hands: &mut dyn Hands) {
        let over = self.with_group(|group, id| group.at(id) == Stand::Ended).unwrap_or(true);
        let reported = self.decide_first(machine, bug, false, hands);
        if over {
            queue(&*self.cell, SystemMessage::Order(Order::Over(Ended::by(bug)))); // an earlier one may be lost
        }
        if matches!(reported, FailureRoute::Absorbed | FailureRoute::ReportOnly) {
            // The child was asked to go down, and that request may be lost too.
            let now = Instant::now();
            self.with_group(|group, id| group.gone(id, now));
        }
    }

    // ----- timers and subordinate futures (S11)

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

/// Returns the children that have ended and are kept, since their supervisor might start them again, with their ids;
/// each after those below it.
fn ended_below(cell: &dyn Controlled) -> Vec<(u64, ChildReport)> {
    let below = |cell: &dyn Controlled| cell.ctl().sup().map(|sup| sup.cells()).unwrap_or_default().into_iter();
    let mut reports = Vec::new();
    let mut within = Vec::new();
    let mut children = below(cell);
    loop {
        if let Some(child) = children.next() {
            let inner = below(&*child);
            within.push((child, replace(&mut children, inner)));
            continue;
        }
        let Some((child, others)) = within.pop() else { return reports };
        children = others;
        if let Some(ended) = child.ctl().ended() {
            let path = child.ctl().path();
            let (failure, failures) = child.ctl().late();
            let (took, aborted, stuck) = (Duration::ZERO, false, false);
            let report = ChildReport { path, ended, took, aborted, stuck, failure, failures };
            reports.push((child.ctl().id, report));
        }
    }
}
