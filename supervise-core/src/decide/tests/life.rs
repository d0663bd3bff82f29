//! A single child: its machine brought into a state, an event, and the trace of the consequences.
//!
//! User code succeeds unless a case says otherwise, and the children go down when they are ordered to.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::State;
use super::super::child::machine::{Cut, Effect, LifeSettings, Machine, Order, Step, StepEnd};
use super::super::group::{Group, GroupEffect, Id, Owner};
use super::super::member::Settings;
use super::coverage::Column;
use super::port::Known;
use super::sim::failure;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Lifecycle, RestartLimit, ShutdownTimeout, Strategy};

/// The way in which the mailbox handles a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Open,
    Down,
    Refused,
}

pub(super) struct Life {
    pub(super) machine: Machine,
    settings: LifeSettings,
    step: Option<Step>,
    busy: bool,
    interrupted: bool,
    children: bool,
    /// Whether the children go down as soon as they are ordered to.
    pub(super) children_stop: bool,
    /// The child's own children: one that it spawned, with the slot 0, and keeps over a restart.
    pub(super) own: Group,
    pub(super) keeps: bool,
    pub(super) admission: Admission,
    pub(super) told: bool,
    now: Instant,
    log: Vec<String>,
}

/// An actor with a child, in this state.
pub(super) fn at(state: State) -> Life {
    Life::new(ChildKind::Actor, Owner::Actor).go_to(state)
}

impl Life {
    pub(super) fn new(kind: ChildKind, owner: Owner) -> Life {
        let now = Instant::now();
        Life {
            machine: Machine::new(kind, false),
            settings: LifeSettings {
                shutdown: ShutdownTimeout::Within(Duration::from_secs(5)),
                kills: false,
                drains: false,
                ready: false,
                permanent: true,
                handler: Some(Duration::from_secs(3)),
            },
            step: None,
            busy: false,
            interrupted: false,
            children: kind != ChildKind::Task,
            children_stop: true,
            own: Group::new(owner, Strategy::OneForOne, RestartLimit::new()),
            keeps: false,
            admission: Admission::Down,
            told: false,
            now,
            log: Vec::new(),
        }
    }

    pub(super) fn settings(mut self, change: impl FnOnce(&mut LifeSettings)) -> Life {
        change(&mut self.settings);
        self
    }

    /// Spawns a child at run time. Returns `true` if that child may start.
    pub(super) fn spawn(&mut self) -> (Id, bool) {
        let settings = Settings::new(ChildKind::Actor, Lifecycle::Permanent, None, RestartLimit::new());
        let id = self.own.add(Arc::new(settings), true);
        self.own.admit(id, self.now);
        (id, self.own.take_effects().iter().any(|effect| matches!(effect, GroupEffect::Tell(_, Order::Start))))
    }

    /// Gives the actor a child that is up, if the actor itself is up.
    fn has_spawned(&mut self) {
        let (id, starts) = self.spawn();
        assert!(starts, "it is up");
        self.own.up(id, self.now);
        self.own.take_effects();
        if self.keeps {
            self.own.keep(id);
        }
    }

    /// The actor's group has sent orders to its children, and the children obey.
    fn tell_children(&mut self, go: impl FnOnce(&mut Group, Instant)) {
        go(&mut self.own, self.now);
        self.hear_children();
        if self.children_stop {
            self.children_go_down();
        }
    }

    fn hear_children(&mut self) {
        let effects = self.own.take_effects();
        if effects.iter().any(|effect| matches!(effect, GroupEffect::TellOwner(Order::ChildrenDown))) {
            self.order(Order::ChildrenDown);
        }
    }

    /// The children that were ordered to go down are down.
    pub(super) fn children_go_down(&mut self) {
        let going: Vec<Id> = self.own.going_down().map(|(id, _)| id).collect();
        for id in going {
            self.own.gone(id, self.now);
        }
        self.hear_children();
    }

    /// Brings the actor into a state through the events that lead there.
    pub(super) fn go_to(mut self, state: State) -> Life {
        match state {
            State::Idle => self.quietly(),
            State::Starting => {
                self = self.go_to(State::Idle);
                self.order(Order::Start);
                self.until(Step::Start);
            }
            State::Running => {
                self = self.go_to(State::Starting);
                self.until(Step::Serve);
            }
            State::Handling => {
                self = self.go_to(State::Running);
                self.busy = true;
            }
            State::Failed => {
                self = self.go_to(State::Handling);
                self.finish(fails());
                self.quietly();
            }
            State::PreRestart => {
                self = self.go_to(State::Failed);
                self.order(Order::Down(failure(Phase::Running), StopReason::Restart));
                self.until(Step::PreRestart);
            }
            State::GoingDown => {
                self = self.go_to(State::PreRestart);
                self.children_stop = false;
                self.finish(StepEnd::Done);
                self.quietly();
                self.children_stop = true;
            }
            State::AwaitingRestart => {
                // A kept child stays up, so this step must not take any time.
                self = self.go_to(State::PreRestart);
                self.finish(StepEnd::Done);
                self.quietly();
            }
            State::StartAgain => {
                self = self.go_to(State::AwaitingRestart);
                self.order(Order::Start);
                self.until(Step::Start);
            }
            State::PostRestart => {
                self = self.go_to(State::StartAgain);
                self.until(Step::PostRestart);
            }
            State::Stopping => {
                self = self.go_to(State::Running);
                self.children_stop = false;
                self.order(Order::End(Ended::Stopped, StopReason::Shutdown));
                self.quietly();
                self.children_stop = true;
            }
            State::Draining => {
                self = self.go_to(State::Handling);
                self.order(Order::Drain);
            }
            State::Ended => {
                self = self.go_to(State::Stopping);
                self.children_go_down();
                self.order(Order::Over(Ended::Stopped));
                self.quietly();
            }
        }
        assert_eq!(self.state(), state);
        self.log.clear();
        self
    }

    pub(super) fn state(&self) -> State {
        match self.machine.state() {
            State::Running if self.busy => State::Handling,
            state => state,
        }
    }

    fn known(&self) -> Known {
        Known { busy: self.busy, children: self.children, told: self.told, ..Known::new(self.now) }
    }

    pub(super) fn order(&mut self, order: Order) {
        let mut known = self.known();
        self.machine.order(order, &mut known);
        self.perform(known.effects);
    }

    pub(super) fn finish(&mut self, end: StepEnd) {
        let mut known = self.known();
        (self.step, self.busy) = (None, false);
        self.machine.finished(end, &mut known);
        self.perform(known.effects);
    }

    /// Returns `true` if the actor has something to do.
    fn ask(&mut self) -> bool {
        let mut known = self.known();
        let step = self.machine.next(&mut known);
        self.step = (step != Step::Wait || known.effects.is_empty()).then_some(step);
        if !matches!(step, Step::Wait | Step::Yield) {
            self.log.push(format!("{step:?}").to_lowercase());
        }
        let done = known.effects.is_empty();
        self.perform(known.effects);
        step != Step::Wait || !done
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let word = match effect {
                Effect::Interrupt(on) => {
                    self.interrupted = on;
                    None
                }
                Effect::Refuse | Effect::RefuseNew | Effect::Close => {
                    self.admission = Admission::Refused;
                    Some("refuse".to_owned())
                }
                Effect::Up { healed, .. } => {
                    self.admission = Admission::Open;
                    match healed {
                        Some(failure) => self.own.restart_kept(&failure, self.now),
                        None => self.own.owner_up(self.now),
                    }
                    self.own.take_effects();
                    if !self.machine.is_suspended() {
                        self.has_spawned();
                    }
                    Some("up".to_owned())
                }
                Effect::Open => {
                    self.admission = Admission::Open;
                    Some("open".to_owned())
                }
                Effect::Shut => {
                    self.admission = Admission::Down;
                    None
                }
                Effect::Ended { ended, .. } => {
                    self.told = true;
                    Some(format!("ended: {ended}"))
                }
                Effect::Decide { failure, instance } => {
                    let phase = format!("{:?}", failure.phase()).to_lowercase();
                    let cause = match failure.cause() {
                        Cause::TimedOut => ", timed out",
                        Cause::Killed => ", killed",
                        _ => "",
                    };
                    Some(format!("decide {phase}{cause}{}", if instance { "" } else { ", down" }))
                }
                Effect::Redecide { .. } => Some("decide again".to_owned()),
                Effect::StopChildren => {
                    self.log.push("children stop".to_owned());
                    self.tell_children(|own, now| own.stop(StopReason::Shutdown, now));
                    None
                }
                Effect::EndChildren => {
                    self.log.push("children end".to_owned());
                    self.tell_children(|own, now| own.stop(StopReason::Shutdown, now));
                    None
                }
                Effect::RestartChildren(failure, reason) => {
                    self.log.push("children restart".to_owned());
                    self.tell_children(|own, now| own.restart_from_above(&failure, reason, now));
                    None
                }
                Effect::AbortChildren => {
                    self.log.push("children aborted".to_owned());
                    self.children_go_down();
                    None
                }
                Effect::SuspendChildren(suspended) => {
                    match suspended {
                        true => self.own.suspend(),
                        false => self.own.end_suspension(self.now),
                    }
                    self.own.take_effects();
                    Some(if suspended { "children suspended" } else { "children released" }.to_owned())
                }
                Effect::ServeBelow => {
                    self.own.serve();
                    self.own.take_effects();
                    Some("children serve".to_owned())
                }
                Effect::ResumeChildren(_) => Some("children resumed".to_owned()),
                Effect::OpenReport => None,
                Effect::Suspended(true) => Some("suspended".to_owned()),
                Effect::Suspended(false) => Some("released".to_owned()),
                Effect::Late(_) => Some("late".to_owned()),
                Effect::Reported(_) => Some("reported".to_owned()),
                Effect::Escalated(_) => Some("escalated".to_owned()),
                Effect::Aborted => Some("aborted".to_owned()),
                Effect::Leaves => Some("ends by itself".to_owned()),
                Effect::Gone => Some("gone".to_owned()),
                Effect::Due => Some("due".to_owned()),
                Effect::Absent => Some("absent".to_owned()),
                Effect::Done { .. } => Some("done".to_owned()),
                Effect::DropInstance => Some("drop".to_owned()),
                Effect::Broken(_) => Some("broken".to_owned()),
                Effect::EndsAs(ended) => Some(format!("ends as {ended}")),
                Effect::MarkDown(_)
                | Effect::MarkSuspended
                | Effect::Retry(_)
                | Effect::EndSpawns
                | Effect::AllowSpawns
                | Effect::SignalStop
                | Effect::Failed(_)
                | Effect::ForgetLate
                | Effect::Forgive
                | Effect::DropBackground
                | Effect::Unwatch => None,
            };
            self.log.extend(word);
        }
    }

    /// One move of the actor's task. Returns `false` if the task, or its message loop, waits.
    fn moves(&mut self) -> bool {
        let Some(step) = self.step else { return self.ask() };
        if !matches!(step, Step::Wait | Step::Yield)
            && let Some(cut) = self.machine.take_cut()
        {
            self.log.push("cut".to_owned());
            self.finish(StepEnd::Cut(cut));
            return true;
        }
        match step {
            Step::Wait if self.machine.wakes() => return self.ask(),
            Step::Wait | Step::Exit => return false,
            Step::Serve if self.interrupted => self.finish(StepEnd::Interrupted),
            Step::Serve if self.machine.state() == State::Draining => self.finish(StepEnd::Drained),
            Step::Serve => return false,
            Step::HandIn => self.finish(StepEnd::Drained),
            Step::Yield => {
                self.machine.begin(self.settings, true);
                self.own.rebuild(false);
                self.told = false;
                self.finish(StepEnd::Done);
            }
            Step::Start
            | Step::PreStart
            | Step::PostRestart
            | Step::Ready
            | Step::PreRestart
            | Step::Settle
            | Step::Drop
            | Step::PostStop => self.finish(StepEnd::Done),
        }
        true
    }

    /// Runs until this step has begun.
    pub(super) fn until(&mut self, step: Step) {
        for _ in 0..50 {
            self.moves();
            if self.step == Some(step) {
                return;
            }
        }
        panic!("it does not come to {step:?}: {:?}", self.log);
    }

    /// Runs until no more steps follow without an event.
    pub(super) fn quietly(&mut self) {
        for _ in 0..50 {
            if !self.moves() {
                return;
            }
        }
        panic!("it does not come to rest: {:?}", self.log);
    }

    /// Everything that happened since the actor reached its state, and the resulting state.
    pub(super) fn trace(&mut self) -> String {
        self.quietly();
        std::mem::take(&mut self.log).join(", ")
    }

    /// The actor's backoff is over.
    pub(super) fn wait_is_over(&mut self) {
        let mut known = self.known();
        self.machine.wait_is_over(&mut known);
        self.perform(known.effects);
    }

    /// An event reaches the actor in its present state.
    pub(super) fn meets(&mut self, column: Column) {
        match column {
            Column::Failure => self.fails(),
            Column::Down => self.order(Order::Down(failure(Phase::Running), StopReason::Restart)),
            Column::Suspend => self.order(Order::Suspend(true)),
            Column::Release => {
                self.order(Order::Suspend(true));
                self.log.clear();
                self.order(Order::Suspend(false));
            }
            Column::Stop => self.order(Order::End(Ended::Stopped, StopReason::Shutdown)),
            Column::Kill => self.order(Order::Kill(Failure::new(Phase::Running, Cause::Killed, "child", 1))),
            Column::TimeUp => self.time_is_up(),
        }
    }

    /// The code that is running fails: user code, or a future of `cx.run` while the actor waits for messages.
    fn fails(&mut self) {
        match self.step {
            None | Some(Step::Wait | Step::Yield | Step::Exit) => {}
            Some(Step::Serve) if !self.busy => {
                let mut known = self.known();
                self.machine.fails_alongside(failure(Phase::Running), &mut known);
                self.perform(known.effects);
            }
            Some(_) => self.finish(fails()),
        }
    }

    fn time_is_up(&mut self) {
        let starts = matches!(self.step, Some(Step::Start | Step::PreStart | Step::PostRestart));
        match self.step {
            None | Some(Step::Yield | Step::Exit) => {}
            Some(Step::Wait) if self.machine.deadline().is_some() => self.machine.time_is_up(),
            Some(_) if starts || self.machine.deadline().is_some() => self.finish(StepEnd::Cut(Cut::TimeUp)),
            Some(_) if self.busy && self.machine.handler_time().is_some() => self.finish(StepEnd::Cut(Cut::TimeUp)),
            Some(_) => {}
        }
    }
}

pub(super) fn fails() -> StepEnd {
    StepEnd::Failed { failure: failure(Phase::Running), stopped: false }
}
