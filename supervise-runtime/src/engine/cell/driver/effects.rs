//! The execution of the machine's effects.

use super::*;
use crate::decide::child::machine::LifeSettings;
use crate::decide::member::At as Stand;
use crate::engine::cell::control::closed;
use crate::values::ended::Ended;
use crate::values::kind::ChildKind;
use crate::values::report::ChildReport;
use crate::values::strategy::{Lifecycle, Shutdown};

impl Engine {
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

    fn drop_instance(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.drop_instance(&mut |part| self.guarded(machine, part));
    }

    /// Ends spawns: the message in hand may wait for a child that could begin only after it.
    fn end_spawns(&mut self) {
        if self.kind == ChildKind::Actor {
            self.cell.ctl().set_leaving(true);
            if let Some(sup) = self.cell.ctl().sup() {
                sup.on(&*self.cell, |group| group.absorb_spawns(Instant::now()));
            }
        }
    }

    /// Accepts messages from now on, unless the actor is suspended and rejects messages for that (S35).
    fn open(&mut self, machine: &Machine, hands: &mut dyn Hands) {
        hands.open();
        if machine.is_suspended() {
            self.cell.set_down(true);
        }
    }

    fn children_go(&mut self, go: impl FnOnce(&mut crate::decide::group::Group, Instant)) {
        if let Some(sup) = self.cell.ctl().sup() {
            let now = Instant::now();
            sup.on(&*self.cell, |group| go(group, now));
        }
    }

    /// Opens the report of a tree that stops: first the children that had ended before (S24).
    fn begin_report(&self) {
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

    fn up(&mut self, machine: &Machine, again: bool, healed: Option<Failure>, hands: &mut dyn Hands) {
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
    fn tell_end(&mut self, machine: &Machine, ended: Ended, aborted: bool) {
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
    fn begin_span(&mut self) {
        self.end_span(); // of the previous incarnation: only one span is open for each cell
        if let Some(span) = Incarnation::open(&self.cell) {
            self.extras.get_or_insert_default().span = Some(span);
        }
    }

    /// Closes the span.
    fn end_span(&mut self) {
        if let Some(extras) = &mut self.extras {
            extras.span = None;
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

impl Driver {
    /// The start expression has finished: reads the settings that come from the instance. `supervision()` is user code:
    /// a panic in it is a failed start.
    pub(crate) fn started(&mut self, exit: Exit, hands: &mut dyn Hands) -> Exit {
        if !matches!(exit, Exit::Done(_)) {
            return exit;
        }
        self.engine.told = hands.signal();
        if self.engine.told.is_some() {
            self.machine.set_signalled();
        }
        match self.engine.ask(|| hands.supervision()) {
            Err(panic) => return Exit::Panicked(panic),
            Ok(Some(strategy)) => {
                if let Some(sup) = self.engine.cell.ctl().sup() {
                    sup.configure(strategy);
                }
            }
            Ok(None) => {}
        }
        exit
    }

    /// Drops the incarnation together with the task: no hook runs.
    pub(crate) fn let_go(&mut self, hands: &mut dyn Hands) {
        let Driver { machine, engine } = self;
        engine.drop_asides(machine);
        engine.drop_instance(machine, hands);
        // Last: a message for redelivery is back in the mailbox by now.
        engine.perform(machine, Effect::Close, Some(hands));
    }

    /// Code of this crate has failed.
    pub(crate) fn breaks(&mut self, bug: Failure, hands: &mut dyn Hands) {
        if self.machine.has_ended() {
            self.engine.broken = false;
            self.machine.breaks_after_its_end(self.engine.cell.ctl().ended().is_some());
            closed(&*self.engine.cell);
            let now = Instant::now();
            self.engine.with_group(|group, id| {
                if matches!(group.at(id), Stand::Starting | Stand::Down) {
                    group.gone(id, now);
                }
            });
            return;
        }
        (self.engine.begun, self.engine.message) = (None, None);
        self.machine.breaks(bug, &mut At { engine: &mut self.engine, hands: Some(hands) });
    }
}
