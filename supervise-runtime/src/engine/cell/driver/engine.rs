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

use crate::engine::background::Background;
use crate::engine::bus::extension::{Around, Entered, Over, Wants, over};
use crate::engine::cell::body::{Hands, TypeName};
use crate::engine::cell::control::{AnyCell, EndedChild, Restarts, SystemMessage, closed, queue};
use crate::engine::cell::current;
use crate::engine::cell::stop_signal::StopSignal;
use crate::engine::mailbox::Admission;
use crate::engine::polls::Runs;
use crate::engine::settings::Common;
use crate::engine::supervisor::{ChildTable, OwnEvent};
#[cfg(feature = "testing")]
use supervise_core::base::BoxFuture;
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::Arc;
use supervise_core::decide::child::machine::{Effect, LifeSettings, Machine, Order};
use supervise_core::decide::group::{FailureInfo as GroupFailureInfo, FailureRoute, Group, Id, Owner, Told};
use supervise_core::decide::member::MemberState;
use supervise_core::values::decider::{Decider, default_directive};
use supervise_core::values::declaration::at_limit;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::{DeadLetterReason, DecidedBy, EventKind};
use supervise_core::values::failure::{Cause, Failure, Phase, panic_text};
use supervise_core::values::invalid_settings::InvalidSettings;
use supervise_core::values::kind::ChildKind;
use supervise_core::values::report::ChildEnd;
use supervise_core::values::stop_reason::StopReason;
use supervise_core::values::strategy::{Directive, Lifecycle, OnLimit, ShutdownTimeout, Strategy};

/// The treatment of a failure of a child that is in no group.
const NOT_TOLD: Told = Told { route: FailureRoute::ReportOnly, streak: 1, restarts: false };

/// The executor of the machine's effects.
pub(crate) struct Engine {
    pub(in crate::engine::cell) cell: Arc<AnyCell>,
    pub(super) kind: ChildKind,
    /// The settings of this incarnation.
    pub(super) common: Arc<Common>,
    /// Present for a task whose context signals an order to go down, instead of interrupting the task.
    pub(super) stop_signal: Option<StopSignal>,
    /// The type of the message that was in hand when the last step ended.
    pub(super) message: Option<TypeName>,
    /// The present start, over all its steps, or the message in hand, if its time is limited and it has waited.
    pub(super) begun: Option<Box<Begun>>,
    /// Other tasks have run since the last incarnation began.
    pub(super) waited: bool,
    /// This crate's own code has failed, and no incarnation was up since.
    pub(in crate::engine::cell) broken: bool,
    /// The next restart was decided on, and that was an event.
    pub(super) decided: bool,
    pub(super) cold: Option<Box<ColdState>>,
}

/// The time since when a start or a message has been in progress.
pub(super) struct Begun {
    pub(super) at: Instant,
    /// The number of the turn of the message, which has waited; 0 for a start.
    pub(super) message: u32,
    pub(super) timer: Pin<Box<Sleep>>,
}

impl Begun {
    pub(super) fn now(message: u32, within: Duration) -> Box<Self> {
        let at = Instant::now();
        Box::new(Begun { at, message, timer: Box::pin(sleep_until(after(at, within))) })
    }
}

/// State that most cells never have.
#[derive(Default)]
pub(super) struct ColdState {
    /// The timers and subordinate futures of this incarnation.
    pub(super) background: Option<Background>,
    /// The supervisor, if the cell has moved (S38).
    pub(super) moved: Option<Arc<AnyCell>>,
    /// The parts of extensions that are around the user code of this incarnation.
    pub(super) around: Vec<Box<dyn Around>>,
    /// The deadline of the present step, or the end of the backoff.
    pub(super) timer: Option<Pin<Box<Sleep>>>,
    pub(super) watchdog: Option<Pin<Box<Sleep>>>,
    /// The source of the backoff's jitter.
    pub(super) random: Option<SmallRng>,
    /// The failure of this crate's own code, if that ended the task.
    bug: Option<Failure>,
    /// A test holds up the start of this incarnation.
    #[cfg(feature = "testing")]
    held_up: Option<BoxFuture<'static, ()>>,
}

pub(super) fn around_of(cold: &Option<Box<ColdState>>) -> &[Box<dyn Around>] {
    cold.as_ref().map_or(&[], |cold| &cold.around)
}

/// Enters user code: as the code of this cell (S25), in what extensions have around it (S41).
pub(super) fn enter<T>(around: &[Box<dyn Around>], cell: &Arc<AnyCell>, leaving: bool, run: impl FnOnce() -> T) -> T {
    let _entered = Entered::of(around);
    let _runs = Runs::begin(cell.core());
    current::within(cell, leaving, run)
}

impl Engine {
    // ----- asked and answered

    /// Notes the failure of this crate's own code with which the task ends.
    pub(in crate::engine::cell) fn ends_with(&mut self, bug: Failure) {
        self.cold.get_or_insert_default().bug = Some(bug);
    }

    /// Takes the failure of this crate's own code, if that has ended the task.
    pub(in crate::engine::cell) fn take_bug(&mut self) -> Option<Failure> {
        self.cold.as_mut()?.bug.take()
    }

    pub(in crate::engine::cell) fn failure(&self, phase: Phase, cause: Cause) -> Failure {
        let core = self.cell.core();
        let at_let = core.table().and_then(ChildTable::take_let);
        Failure::new(phase, cause, core.place(), core.incarnation()).with_let(at_let)
    }

    fn message(&self) -> Option<&'static str> {
        self.message.map(|name| name())
    }

    /// Returns the supervisor, and its table of children.
    pub(super) fn parent(&self) -> Option<(&ChildTable, &AnyCell)> {
        let parent: &AnyCell = match self.cold.as_ref().and_then(|cold| cold.moved.as_ref()) {
            Some(supervisor) => supervisor,
            None => self.cell.core().parent.as_ref()?,
        };
        Some((parent.core().table()?, parent))
    }

    /// Reads what the group knows of this child.
    pub(super) fn look<R>(&self, read: impl FnOnce(&Group, Id) -> R) -> Option<R> {
        self.parent()?.0.look(&*self.cell, read)
    }

    /// Passes an event of this child to its group. `own`: the place for what follows for the child itself.
    pub(super) fn with_group<R>(&self, own: &OwnEvent, event: impl FnOnce(&mut Group, Id) -> R) -> Option<R> {
        let out = self.event_of_own(own, event);
        self.tell_scheduled(own);
        out
    }

    /// The same, without the event of a restart that follows.
    fn event_of_own<R>(&self, own: &OwnEvent, event: impl FnOnce(&mut Group, Id) -> R) -> Option<R> {
        let (table, owner) = self.parent()?;
        table.on_own(owner, &*self.cell, Some(own), event)
    }

    /// Raises the event of a restart that was decided.
    fn tell_scheduled(&self, own: &OwnEvent) {
        if let Some(after) = own.take_scheduled() {
            self.cell.core().emit_with(|| EventKind::RestartScheduled { after });
        }
    }

    /// Reports a failure for which there is no decision.
    pub(super) fn report(&mut self, machine: &Machine, cause: Cause) {
        let failure = self.failure(Phase::Running, cause);
        let effect = machine.report_of(failure);
        self.perform(machine, effect, None, &OwnEvent::default());
    }

    /// Runs user code (a `Drop`) under the same catch as all other user code.
    pub(super) fn guarded(&mut self, machine: &Machine, run: impl FnOnce()) {
        let caught = enter(around_of(&self.cold), &self.cell, true, || catch_unwind(AssertUnwindSafe(run)));
        if let Err(panic) = caught {
            self.report(machine, Cause::Panic(panic_text(panic)));
        }
    }

    /// Runs a decider: a panic in it is an `Err`.
    pub(super) fn ask<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, String> {
        enter(around_of(&self.cold), &self.cell, false, || catch_unwind(AssertUnwindSafe(run))).map_err(panic_text)
    }

    pub(super) fn pending<T>(&mut self) -> Poll<T> {
        self.waited = true;
        Poll::Pending
    }

    pub(super) fn poll_timer(&mut self, cx: &mut Context<'_>, until: Instant) -> bool {
        let timer = self.cold.get_or_insert_default().timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if timer.deadline() != until {
            timer.as_mut().reset(until);
        }
        timer.as_mut().poll(cx).is_ready()
    }

    // ----- effects

    /// Carries out an effect. `hands`: the instance, between two steps; the machine uses effects on the instance only
    /// then.
    ///
    /// Inlined, since the machine names the effect where it has it carried out: only one arm is left of the `match`.
    #[inline(always)]
    pub(super) fn perform(&mut self, machine: &Machine, effect: Effect, hands: Option<&mut dyn Hands>, own: &OwnEvent) {
        let hands = || hands.expect("between two steps the instance is at hand");
        match effect {
            Effect::Interrupt(on) => self.cell.interrupt(on),
            Effect::Refuse => self.cell.refuse(),
            Effect::RefuseNew => {
                self.cell.refuse_new();
                self.stop_timers(machine);
            }
            Effect::MarkDown(down) => self.cell.set_down(if down { Admission::Down } else { Admission::Open }),
            Effect::MarkSuspended => self.cell.set_down(Admission::Suspended),
            Effect::Retry(at) => self.cell.set_retry(at),
            Effect::EndSpawns => self.end_spawns(machine),
            Effect::AllowSpawns => self.cell.core().set_leaving(false),
            Effect::SignalStop => self.signal_stop(machine),
            Effect::OpenReport => self.begin_report(),
            Effect::Suspended(suspended) => self.cell.core().set_suspended(suspended),
            Effect::SuspendChildren(suspended) => {
                if let Some(table) = self.cell.core().table() {
                    table.on(&*self.cell, |group| match suspended {
                        true => group.suspend(),
                        false => group.end_suspension(own.now()),
                    });
                }
            }
            Effect::ServeBelow => self.serve_below(),
            Effect::Due => {
                let now = own.now();
                self.with_group(own, |group, id| group.due(id, now));
            }
            Effect::Leaves => self.cell.leaves(self.parent()),
            Effect::Gone => {
                let now = own.now();
                self.with_group(own, |group, id| group.gone(id, now));
            }
            Effect::Up { again, healed } => self.up(machine, again, healed, hands(), own),
            Effect::Failed(failure) => {
                self.cell.core().emit(EventKind::Failed { failure, message: self.message() });
            }
            Effect::Escalated(failure) => self.cell.core().emit(EventKind::Escalated { failure }),
            Effect::Late(failure) => self.cell.core().fails_late(failure),
            Effect::Reported(failure) => self.cell.core().tell_reported(failure),
            Effect::ForgetLate => self.cell.core().forget_late(),
            Effect::Aborted => self.cell.core().emit(EventKind::Aborted { message: self.message() }),
            Effect::Decide { failure, instance } => {
                self.decide_first(machine, &failure, instance, hands(), own);
            }
            Effect::Redecide { failure } => self.decide_again(machine, &failure, hands(), own),
            Effect::Done { ended, end } => {
                let facts = self.facts(hands().has_handled(), own);
                self.with_group(own, |group, id| group.done(id, ended, &end, facts));
            }
            Effect::Absent => {
                let now = own.now();
                self.with_group(own, |group, id| group.absent(id, now));
            }
            Effect::EndsAs(ended) => {
                self.with_group(own, |group, id| group.ends_as(id, ended));
            }
            Effect::Broken(bug) => self.tell_of_bug(machine, &bug, hands(), own),
            Effect::ResumeChildren(failure) => {
                let (facts, suspended) = (self.facts(hands().has_handled(), own), machine.is_suspended());
                if let Some(table) = self.cell.core().table() {
                    table.on(&*self.cell, |group| group.resume(&failure, facts, suspended));
                }
            }
            Effect::RestartChildren(failure, reason) => {
                self.children_go(|group, now| group.restart_from_above(&failure, reason, now));
            }
            Effect::StopChildren => {
                self.begin_report();
                self.children_go(|group, now| group.stop(machine.reason_below(), now));
            }
            Effect::EndChildren => self.children_go(|group, now| group.stop(machine.reason_below(), now)),
            Effect::AbortChildren => {
                if let Some(table) = self.cell.core().table() {
                    table.abort(&*self.cell, Instant::now());
                }
            }
            Effect::Open => {
                self.cell.core().resumes();
                self.open(machine, hands());
            }
            Effect::Shut => hands().shut(),
            Effect::Close => {
                let hands = hands();
                self.guarded(machine, || hands.close());
            }
            Effect::Forgive => {
                let hands = hands();
                self.guarded(machine, || hands.forgive());
            }
            Effect::DropBackground => self.drop_background(machine),
            Effect::Unwatch => hands().unwatch_children(),
            Effect::DropInstance => self.drop_instance(machine, hands()),
            Effect::Ended { ended, aborted } => self.tell_end(machine, ended, aborted),
        }
    }

    pub(super) fn drop_instance(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.drop_instance(&mut |part| self.guarded(machine, part));
        #[cfg(feature = "testing")]
        if let Some(witness) = self.cell.core().bus.witness() {
            witness.gone(self.cell.core().path(), self.cell.core().id);
        }
    }

    /// Tells the witness that this cell is about to leave its supervisor.
    #[cfg(feature = "testing")]
    pub(in crate::engine::cell) fn leaves_supervisor(&self) {
        if let Some(witness) = self.cell.core().bus.witness() {
            witness.leaves(self.cell.core().id);
        }
    }

    /// Tells the witness that a start begins, which may be held up.
    #[cfg(feature = "testing")]
    pub(in crate::engine::cell) fn begin_start(&mut self) {
        let Some(witness) = self.cell.core().bus.witness() else { return };
        let held_up = witness.begins(self.cell.core().path(), self.cell.core().id);
        if held_up.is_some() {
            self.cold.get_or_insert_default().held_up = held_up;
        }
    }

    /// Tells the witness that a start is over. `made`: there is an instance.
    #[cfg(feature = "testing")]
    pub(in crate::engine::cell) fn end_start(&mut self, made: bool) {
        if let Some(cold) = &mut self.cold {
            cold.held_up = None;
        }
        if let Some(witness) = self.cell.core().bus.witness().filter(|_| !made) {
            witness.gone(self.cell.core().path(), self.cell.core().id);
        }
    }

    /// Returns whether a test still holds up the start.
    #[cfg(feature = "testing")]
    pub(super) fn is_held_up(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(cold) = &mut self.cold else { return false };
        let Some(held_up) = &mut cold.held_up else { return false };
        if held_up.as_mut().poll(cx).is_ready() {
            cold.held_up = None;
        }
        cold.held_up.is_some()
    }

    /// Ends spawns: the message in hand may wait for a child that could begin only after it.
    pub(super) fn end_spawns(&mut self, machine: &Machine) {
        if self.kind == ChildKind::Actor {
            self.cell.core().set_leaving(true);
            if let Some(table) = self.cell.core().table() {
                // Without a request, a child of this actor has escalated.
                let reason = machine.stop_reason().map_or(StopReason::FailedAbove, StopReason::below);
                table.on(&*self.cell, |group| group.absorb_spawns(reason, Instant::now()));
            }
        }
    }

    /// Accepts messages from now on, unless the actor is suspended and rejects messages for that (S35).
    pub(super) fn open(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.open();
        if machine.is_suspended() {
            self.cell.set_down(Admission::Suspended);
        }
    }

    /// Nothing that has failed here is resumed: the children serve until their turns (S7). The spawns of a set would end with
    /// it, and end now: a child that goes down before the set may wait for one.
    fn serve_below(&self) {
        if let Some(table) = self.cell.core().table() {
            table.on(&*self.cell, |group| {
                group.serve();
                if self.kind == ChildKind::Set {
                    group.absorb_spawns(StopReason::FailedAbove, Instant::now());
                }
            });
        }
    }

    pub(super) fn children_go(&mut self, go: impl FnOnce(&mut Group, Instant)) {
        if let Some(table) = self.cell.core().table() {
            let now = Instant::now();
            table.on(&*self.cell, |group| go(group, now));
        }
    }

    /// Opens the report of a tree that ends: first the children that had ended before (S24). A tree that is stopped while
    /// it ends by itself has it already.
    pub(super) fn begin_report(&self) {
        let core = self.cell.core();
        if self.kind.only_supervises() && core.open_report() {
            // In this order: a child that ends meanwhile is found, or reports its end itself, or both.
            core.had_ended(ended_below(&*self.cell));
        }
    }

    /// Begins a new incarnation. The state of the previous incarnation's end is cleared.
    pub(super) fn begin(&mut self, machine: &mut Machine, hands: &mut dyn Hands) {
        let core = self.cell.core();
        core.set_leaving(false);
        core.set_stop_reason(None);
        self.drop_background(machine);
        if let Some(cold) = &mut self.cold {
            cold.timer = None;
        }
        self.message = None;
        self.stop_signal = None;
        let cell: &AnyCell = &self.cell;
        cell.interrupt(false);
        let core = cell.core();
        core.forget_late();
        self.common = hands.common();
        if self.kind.only_supervises() {
            core.forget_report(); // from a first start that failed
        }
        let had_ended = machine.has_ended();
        let mut was_up = true;
        if had_ended {
            core.revive();
            // After `start_again()` this is a first start (S26), after a restart from above it is not (S20).
            was_up = self.look(|group, id| group.was_up(id)).unwrap_or(false);
        }
        let settings = LifeSettings {
            shutdown: self.common.shutdown_or_default(self.kind),
            kills: self.common.shutdown == Some(ShutdownTimeout::Kill),
            drains: self.common.drain && self.kind == ChildKind::Actor,
            ready: self.common.ready && self.kind == ChildKind::Task,
            permanent: self.common.lifecycle_or(self.kind) == Lifecycle::Permanent,
            handler: self.common.handler,
        };
        machine.begin(settings, was_up);
        let core = self.cell.core();
        if had_ended {
            hands.shut();
            if !machine.was_up()
                && let Some(table) = core.table()
            {
                table.on(&*self.cell, |group| group.forget_stops());
            }
        }
        if self.common.fresh && machine.was_up() {
            self.guarded(machine, || hands.renew()); // still as the incarnation whose messages these are
        }
        let core = self.cell.core();
        core.next_incarnation();
        self.begin_around();
        if let Some(table) = self.cell.core().table() {
            table.rebuild(&*self.cell, machine.holds_below());
        }
        hands.heals(machine.heals().filter(|_| machine.was_up()));
    }

    pub(super) fn up(
        &mut self,
        machine: &Machine,
        again: bool,
        healed: Option<Failure>,
        hands: &mut dyn Hands,
        own: &OwnEvent,
    ) {
        self.broken = false;
        let core = self.cell.core();
        let decided = std::mem::take(&mut self.decided);
        if core.bus.is_heard() {
            let kind = match again && core.incarnation() > 1 {
                true => EventKind::Restarted,
                false => EventKind::Started { seed: core.parent.is_none().then_some(core.bus.seed) },
            };
            core.emit_of(kind, Restarts { healed: healed.as_ref(), decided, ..Restarts::default() });
        }
        self.open(machine, hands);
        let core = self.cell.core();
        let now = own.now();
        let start = self.with_group(own, |group, id| {
            let accepts = group.at(id) == MemberState::Starting;
            group.up(id, now);
            if accepts { core.take_start() } else { None }
        });
        core.set_up();
        if let Some(start) = start.flatten() {
            start.decide(Ok(()));
        }
        if let Some(table) = core.table() {
            table.on(&*self.cell, |group| match &healed {
                Some(failure) if again && self.kind == ChildKind::Actor => group.restart_kept(failure, now),
                _ => group.owner_up(now),
            });
        }
        // After both: a task that waits for a set also waits for its group.
        core.bus.changed.tell();
    }

    /// Announces the end: notifies watchers and the report.
    pub(super) fn tell_end(&mut self, machine: &Machine, ended: Ended, aborted: bool) {
        self.end_around();
        let core = self.cell.core();
        let took = machine.took(Instant::now());
        core.emit(EventKind::Ended { ended: ended.clone() });
        self.decided = false;
        if core.bus.extensions.want(Wants::LIVES) {
            let asked =
                machine.leaving_since().is_some() && machine.stop_reason().is_some_and(|reason| !reason.is_own());
            core.bus.extensions.each(Wants::LIVES, |extension| extension.ended(core, Over { took, asked }));
        }
        core.set_ended(ended.clone());
        // After the end: a report that is opened meanwhile either finds the child or gets this notice.
        let (failure, failures) = core.late();
        core.tell_report(|| ChildEnd { ended, took, aborted, stuck: false, failure, failures });
        core.bus.changed.tell();
        if core.parent.is_none() {
            over(core);
            core.bus.close();
        }
        closed(&*self.cell);
    }

    /// Begins what extensions have around an incarnation, whose number must be set first.
    pub(super) fn begin_around(&mut self) {
        self.end_around(); // of the previous incarnation
        let extensions = &self.cell.core().bus.extensions;
        if extensions.want(Wants::LIVES) {
            let around = extensions.begin(&self.cell);
            if !around.is_empty() {
                self.cold.get_or_insert_default().around = around;
            }
        }
    }

    /// Ends what extensions have around an incarnation.
    pub(super) fn end_around(&mut self) {
        if let Some(cold) = &mut self.cold
            && !cold.around.is_empty()
        {
            std::mem::take(&mut cold.around).into_iter().for_each(drop_catching_panics);
        }
    }

    // ----- from a failure to its decision (S7 to S9)

    pub(super) fn facts(&mut self, handled: bool, own: &OwnEvent) -> GroupFailureInfo {
        let random = match self.common.backoff.as_ref().or(self.common.pace.as_ref()) {
            None => 0,
            Some(_) => self.jitter().next_u64(),
        };
        GroupFailureInfo { handled, random, now: own.now() }
    }

    pub(super) fn jitter(&mut self) -> &mut SmallRng {
        let core = self.cell.core();
        self.cold.get_or_insert_default().random.get_or_insert_with(|| {
            let seed = core.path().bytes().fold(core.bus.seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            SmallRng::seed_from_u64(seed)
        })
    }

    /// Asks the deciders: the child's own, the supervisor's, the default (S8, S9). For a `Temporary` child only its own
    /// is asked (S23). `None`: there was no decider, or no decision, and the child ends. Never [`Directive::Default`],
    /// which is answered here.
    pub(super) fn directive(&mut self, machine: &Machine, failure: &Failure) -> Option<(Directive, DecidedBy)> {
        let own = self.common.decider.clone();
        let once = self.common.lifecycle_or(self.kind) == Lifecycle::Temporary;
        if failure.error::<InvalidSettings>().is_some() {
            return (!once).then_some((Directive::Stop, DecidedBy::Default)); // another start would fail in the same way
        }
        let above = if once { None } else { self.parent().and_then(|(table, _)| table.decider()) };
        let arms = own.as_ref().is_some_and(|d| d.has_arms()) || above.as_ref().is_some_and(|d| d.has_arms());
        let declared = self.common.backoff.is_some();
        let said = match (&own, &above) {
            (None, None) => Ok(None), // no user code to run
            _ => self.ask(|| {
                let own = own.as_ref().and_then(|decider| decider.answer(failure));
                let own = own.map(|(directive, arm)| (directive, DecidedBy::Child(arm)));
                own.or_else(|| {
                    let (directive, arm) = above.as_ref()?.answer(failure)?;
                    Some((directive, DecidedBy::Supervisor(arm)))
                })
            }),
        };
        match said {
            // A `Temporary` child is never restarted.
            Ok(Some((Directive::Restart, by))) if once => Some((Directive::Stop, by)),
            // As without a decider: there are no arms of which one could be missing.
            Ok(Some((Directive::Default, by))) => (!once).then(|| (default_directive(failure, declared, false), by)),
            Ok(Some(answer)) => Some(answer),
            Ok(None) => (!once).then(|| (default_directive(failure, declared, arms), DecidedBy::Default)),
            Err(panic) => {
                self.report(machine, Cause::Panic(panic));
                Some((Directive::Escalate, DecidedBy::Default))
            }
        }
    }

    /// Asks a decider that may keep the failure until it is asked again: `None`.
    fn decides_in_time(&mut self, machine: &Machine, failure: &Failure) -> Option<(Directive, DecidedBy)> {
        let decider = self.common.decider.clone();
        match self.ask(|| decider.and_then(|decider| decider.decide(failure))) {
            Ok(directive) => Some((directive?, DecidedBy::Child(None))),
            Err(panic) => {
                self.report(machine, Cause::Panic(panic));
                Some((Directive::Escalate, DecidedBy::Default))
            }
        }
    }

    /// Notifies the group of a failure, and returns the failure with the restarts before it. If nobody has to be asked,
    /// the group decides on it at the same time.
    pub(super) fn tell_group(&mut self, failure: Failure, instance: bool, handled: bool, own: &OwnEvent) -> Failure {
        let facts = self.restarts_by_default(&failure).then(|| self.facts(handled, own));
        if matches!(failure.cause(), Cause::NodeLost { .. }) && failure.path() == self.cell.core().path() {
            self.event_of_own(own, |group, id| group.spends(id)); // nothing of it can be resumed
        }
        match self.parent() {
            Some((table, owner)) => table.fails(owner, &*self.cell, own, failure, (instance, handled), facts),
            None => failure, // nobody decides about a root
        }
    }

    /// Returns whether the failure leads to a restart unless the supervisor's decider or limit says otherwise. No
    /// random number is drawn in advance: a failure that is not decided on uses none.
    fn restarts_by_default(&self, failure: &Failure) -> bool {
        let asks = self.common.decider.is_some() || self.common.backoff.is_some() || self.common.pace.is_some();
        let decided =
            matches!(failure.cause(), Cause::Error(_) | Cause::Panic(_) | Cause::TimedOut | Cause::NodeLost { .. });
        !asks
            && decided
            && self.common.lifecycle_or(self.kind) != Lifecycle::Temporary
            && failure.error::<InvalidSettings>().is_none()
            && default_directive(failure, false, false) == Directive::Restart
    }

    /// Raises the event of a decision, and that of the restart to which it leads.
    fn tell_decided(&mut self, directive: Directive, failure: &Failure, streak: u32, by: DecidedBy, own: &OwnEvent) {
        self.decided = directive == Directive::Restart;
        let core = self.cell.core();
        if core.bus.is_heard() {
            let decided = EventKind::Decided { directive, failure: failure.clone(), streak, by };
            let limit = || self.limit();
            core.emit_of(decided, Restarts { delay: own.scheduled(), limit: Some(&limit), ..Restarts::default() });
        }
        self.tell_scheduled(own);
    }

    /// Returns the restart limit that holds for this child in words, with the outage that uses it up (S15).
    fn limit(&self) -> Option<String> {
        let (table, above) = self.parent()?;
        let (allowance, outage, shared) = table.look(&*self.cell, Group::limit_of)??;
        let core = above.core();
        let (is_root, path) = (core.parent.is_none(), core.path());
        let then = match (table.inspect(Group::owner), allowance.on_limit, table.strategy()) {
            (Owner::Guardian, ..) => "it ends".to_owned(), // nobody above could fail (S39)
            // An actor goes on without its children (S18).
            (Owner::Actor, OnLimit::Stop, Strategy::AllForOne) => "it ends, and all beside it,".to_owned(),
            (_, OnLimit::Escalate, _) if is_root => "the tree ends".to_owned(),
            (_, on_limit, strategy) => at_limit(if is_root { "the tree" } else { &path }, strategy, on_limit),
        };
        Some(allowance.held(outage, shared).words(then).to_string())
    }

    pub(super) fn decide_first(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        instance: bool,
        hands: &mut dyn Hands,
        own: &OwnEvent,
    ) -> FailureRoute {
        let (handled, now) = (hands.has_handled(), own.now());
        let told = own
            .take_told()
            .or_else(|| self.with_group(own, |group, id| group.fails(id, failure, (instance, handled), None, now)));
        let Told { route, streak, restarts } = told.unwrap_or(NOT_TOLD);
        if restarts {
            self.tell_decided(Directive::Restart, failure, streak, DecidedBy::Default, own);
            self.cell.core().bus.changed.tell();
        } else {
            self.decide(machine, failure, (route, streak), hands, own);
        }
        route
    }

    /// Decides a kept failure now.
    pub(super) fn decide_again(&mut self, machine: &Machine, failure: &Failure, hands: &mut dyn Hands, own: &OwnEvent) {
        let (handled, now) = (hands.has_handled(), own.now());
        let streak = self.look(|group, id| group.next_streak(id, handled, now)).unwrap_or(1);
        self.decide(machine, failure, (FailureRoute::Decide, streak), hands, own);
    }

    pub(super) fn decide(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        (reported, streak): (FailureRoute, u32),
        hands: &mut dyn Hands,
        own: &OwnEvent,
    ) {
        self.decided = false; // set by a restart which did not come up
        match reported {
            FailureRoute::Decide => {
                // The decider is not asked about an end (S23), nor about a bug of this crate (S19).
                let decided = match failure.cause() {
                    Cause::EndedByItself => Some((Directive::Restart, DecidedBy::Default)),
                    // After a bug in the code that runs this child, the child alone cannot be relied on for the next
                    // start.
                    Cause::Bug(_) if failure.path() == self.cell.core().path() => {
                        Some((Directive::Escalate, DecidedBy::Default))
                    }
                    _ if self.common.decider.as_ref().is_some_and(Decider::is_in_time) => {
                        let Some(decided) = self.decides_in_time(machine, failure) else { return own.lets_time_pass() };
                        Some(decided)
                    }
                    _ => self.directive(machine, failure),
                };
                if decided.is_none() {
                    self.cell.core().ends_undecided();
                }
                own.lets_time_pass();
                let facts = self.facts(hands.has_handled(), own);
                let (directive, mut by) =
                    decided.map_or((Directive::Stop, None), |(directive, by)| (directive, Some(by)));
                // Told first: the supervisor and the siblings that go down with it tell of that on their own threads.
                if let Some(Ok(outcome @ (Directive::Stop | Directive::Escalate))) =
                    self.look(|group, id| group.comes_to(id, directive, facts.now))
                    && let Some(by) = by.take()
                {
                    self.tell_decided(outcome, failure, streak, by, own);
                }
                let outcome = self.event_of_own(own, |group, id| group.decided(id, directive, failure, facts));
                // The log shows a restart with its delay, which the group draws.
                match (outcome, by) {
                    (Some(Ok(outcome)), Some(by)) => self.tell_decided(outcome, failure, streak, by, own),
                    _ => self.tell_scheduled(own),
                }
                if outcome == Some(Err(FailureRoute::Absorbed)) {
                    self.cell.core().fails_late(failure.clone()); // the child was asked to go down meanwhile
                    self.serve_below();
                }
                self.cell.core().bus.changed.tell(); // a task that waits for this child's start may go on
            }
            FailureRoute::Kept => {}
            FailureRoute::Absorbed => {
                self.cell.core().fails_late(failure.clone());
                self.serve_below();
            }
            FailureRoute::ReportOnly => {
                self.cell.core().fails_late(failure.clone());
                self.serve_below();
                let now = own.now();
                self.with_group(own, |group, id| group.ends_before_its_turn(id, now));
            }
        }
    }

    /// Reports that the child has come down after a bug of this crate: a failure that is escalated.
    pub(super) fn tell_of_bug(&mut self, machine: &Machine, bug: &Failure, hands: &mut dyn Hands, own: &OwnEvent) {
        let over = self.look(|group, id| group.at(id) == MemberState::Ended).unwrap_or(true);
        let reported = self.decide_first(machine, bug, false, hands, own);
        if over {
            queue(&*self.cell, SystemMessage::Order(Order::Over(Ended::by(bug)))); // an earlier one may be lost
        }
        if matches!(reported, FailureRoute::Absorbed | FailureRoute::ReportOnly) {
            // The child was asked to go down, and that request may be lost too.
            let now = own.now();
            self.with_group(own, |group, id| group.gone(id, now));
        }
    }

    /// Lets the child's own code know that, and why, the child goes down (S46).
    // Two callers, both on the way of each restart: inlined, a restart of a group takes 0.7 % fewer instructions.
    #[inline(always)]
    pub(super) fn signal_stop(&mut self, machine: &Machine) {
        if let Some(reason) = machine.stop_reason() {
            let core = self.cell.core();
            let is_news = core.set_stop_reason(Some(reason)) != Some(reason);
            if is_news && machine.is_told() {
                core.emit(EventKind::Stopping { reason });
            }
            if is_news && core.parent.is_none() && core.bus.extensions.want(Wants::ROOTS) {
                core.bus.extensions.each(Wants::ROOTS, |extension| extension.ending(core));
            }
            if let Some(stop_signal) = &self.stop_signal {
                stop_signal.tell(reason);
            }
        }
        self.signal_background();
    }

    // ----- timers and subordinate futures (S11)

    /// Cancels the token, because the cell was asked to go down.
    pub(super) fn signal_background(&mut self) {
        #[cfg(feature = "tokio-util")]
        if let Some(background) = self.cold.as_mut().and_then(|cold| cold.background.as_mut()) {
            background.tell();
        }
    }

    /// Stops the timers and sources of a draining cell: nothing more comes of them. Dropping them is user code.
    pub(super) fn stop_timers(&mut self, machine: &Machine) {
        if let Some(background) = self.cold.as_mut().and_then(|cold| cold.background.as_mut()) {
            let (ticks, sources) = (background.stop_timers(), background.stop_sources());
            for tick in ticks {
                self.guarded(machine, || drop(tick));
            }
            for source in sources {
                self.guarded(machine, || drop(source));
            }
        }
    }

    /// Returns whether a subordinate future is running.
    pub(super) fn has_futures(&self) -> bool {
        self.cold.as_ref().and_then(|cold| cold.background.as_ref()).is_some_and(Background::has_futures)
    }

    /// Drops the background work at the end of the incarnation. Dropping is user code.
    pub(super) fn drop_background(&mut self, machine: &Machine) {
        if let Some(background) = self.cold.as_mut().and_then(|cold| cold.background.take()) {
            let again = machine.comes_again();
            let reason = if again { DeadLetterReason::Restarted } else { DeadLetterReason::Ended };
            background.dismantle(reason, &mut |part| self.guarded(machine, part));
        }
    }
}

/// Returns the children that have ended and are kept, since their supervisor might start them again; each after those
/// below it.
fn ended_below(cell: &AnyCell) -> Vec<EndedChild> {
    let below = |cell: &AnyCell| cell.core().table().map(|table| table.ended_or_above()).unwrap_or_default();
    let mut ended = Vec::new();
    let mut within = Vec::new();
    let mut children = below(cell).into_iter();
    loop {
        if let Some(child) = children.next() {
            let inner = below(&*child).into_iter();
            within.push((child, replace(&mut children, inner)));
            continue;
        }
        let Some((child, others)) = within.pop() else { return ended };
        children = others;
        ended.extend(child.core().found_ended());
    }
}
