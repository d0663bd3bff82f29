//! The steps of a simulated child. Its machine determines each step and the next one.

use super::super::child::machine::{Cut, Effect, Order, Step, StepEnd};
use super::super::child::{Command, CommandOutcome, State};
use super::super::group::{AfterDown, GroupState, Id};
use super::super::member::MemberState;
use super::coverage::{Column, column_2c, hit_2a, hit_2b, hit_2c, hit_2d};
use super::kid::{Known, Note, Pending, Token};
use super::sim::{Sim, failure};
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::strategy::{Directive, Lifecycle};

impl Sim {
    fn known(&self, id: Id) -> Known {
        let kid = self.kids[id as usize].as_ref();
        Known {
            now: self.now,
            busy: kid.is_some_and(|kid| kid.busy),
            has_place: !self.group.is_free(id),
            effects: Vec::new(),
        }
    }

    /// The child's machine receives an order.
    fn order(&mut self, id: Id, order: Order) {
        let mut known = self.known(id);
        let column = match &order {
            Order::Down(_) => Some(Column::Down),
            Order::End(_) | Order::Stop { .. } => Some(Column::Stop),
            Order::Suspend(true) => Some(Column::Suspend),
            Order::Suspend(false) => Some(Column::Release),
            Order::Kill(_) => Some(Column::Kill),
            _ => None,
        };
        let kid = self.kid(id);
        if let Some(column) = column {
            hit_2a(kid.state(), column);
        }
        kid.machine.order(order, &mut known);
        self.perform_all(id, known.effects);
    }

    fn begin(&mut self, id: Id) {
        let was_up = self.group.was_up(id);
        let kid = self.kid(id);
        let settings = kid.settings();
        (kid.pending, kid.handled, kid.refuses) = (None, false, false);
        kid.machine.begin(settings, was_up);
        self.finish(id, StepEnd::Done);
    }

    /// The step in progress has ended.
    pub(super) fn finish(&mut self, id: Id, end: StepEnd) {
        let mut known = self.known(id);
        let kid = self.kid(id);
        kid.from = kid.state();
        match &end {
            StepEnd::Failed { .. } => hit_2a(kid.from, Column::Failure),
            StepEnd::Cut(Cut::TimeUp) => hit_2a(kid.from, Column::TimeUp),
            _ => {}
        }
        kid.account_of(kid.step, &end);
        kid.step = None;
        kid.busy = false;
        kid.machine.finished(end, &mut known);
        self.perform_all(id, known.effects);
    }

    /// A future of `cx.run` panics while it waits for messages.
    pub(super) fn fails_beside(&mut self, id: Id) {
        hit_2a(self.kid(id).state(), Column::Failure);
        let mut known = self.known(id);
        self.kid(id).machine.fails_beside(failure(Phase::Running), &mut known);
        self.perform_all(id, known.effects);
        self.finish(id, StepEnd::Interrupted);
    }

    fn ask(&mut self, id: Id) {
        let mut known = self.known(id);
        let kid = self.kid(id);
        let step = kid.machine.next(&mut known);
        // The effects may give the child something to do at once.
        kid.step = (step != Step::Wait || known.effects.is_empty()).then_some(step);
        self.perform_all(id, known.effects);
    }

    fn perform_all(&mut self, id: Id, effects: Vec<Effect>) {
        for effect in effects {
            if self.has(id) {
                self.perform(id, effect);
            }
        }
    }

    fn perform(&mut self, id: Id, effect: Effect) {
        let now = self.now;
        match effect {
            Effect::Interrupt(on) => self.kid(id).interrupted = on,
            Effect::Refuse | Effect::RefuseNew | Effect::Close => {
                let drains = matches!(effect, Effect::RefuseNew);
                let kid = self.kid(id);
                kid.refuses = true;
                if !drains {
                    kid.queued = 0;
                }
            }
            Effect::Open | Effect::Shut => self.kid(id).refuses = false,
            Effect::Due => {
                hit_2c("wait timer", column_2c(&self.group));
                self.group.due(id, now);
                self.carry_out();
            }
            Effect::Up { .. } => {
                self.kid(id).was_up |= self.group.at(id) == MemberState::Starting;
                self.kid(id).alone = false;
                self.group.up(id, now);
                self.carry_out();
            }
            Effect::Decide { failure, instance } => self.report(id, failure, instance),
            Effect::Redecide { .. } => self.decide(id),
            Effect::Gone => self.gone(id),
            Effect::Done { ended, end } => self.done(id, ended, &end),
            Effect::Aborted => self.kid(id).account.abort(),
            Effect::DropInstance => self.kid(id).close_account(),
            Effect::Ended { .. } => self.kid(id).pending = None,
            Effect::Failed(_)
            | Effect::Late(_)
            | Effect::Reported(_)
            | Effect::MarkDown(_)
            | Effect::Retry(_)
            | Effect::EndSpawns
            | Effect::AllowSpawns
            | Effect::SignalStop
            | Effect::Suspended(_)
            | Effect::SuspendChildren(_)
            | Effect::ForgetLate
            | Effect::Forgive
            | Effect::DropBackground
            | Effect::Unwatch => {}
            // An actor that was resumed continues.
            Effect::ResumeChildren(_) => self.kid(id).pending = None,
            Effect::Escalated(_)
            | Effect::Broken(_)
            | Effect::Absent
            | Effect::EndsAs(_)
            | Effect::RestartChildren(_)
            | Effect::StopChildren
            | Effect::EndChildren
            | Effect::AbortChildren => panic!("it has no children, is there, and has no bugs: {effect:?}"),
        }
    }

    /// A restart from above reaches a child that is on its way down already: the child joins the restart.
    pub(super) fn joins(&mut self, id: Id) {
        let on_its_way = [State::PreRestart, State::GoingDown, State::Stopping, State::Draining];
        if on_its_way.contains(&self.kid(id).state()) && self.kid(id).step.is_some() {
            self.order(id, Order::Down(failure(Phase::Running)));
        }
    }

    fn gone(&mut self, id: Id) {
        if let Some(pending) = &mut self.kid(id).pending {
            pending.token = Token::Used;
        }
        self.group.gone(id, self.now);
        self.carry_out();
    }

    fn done(&mut self, id: Id, ended: Ended, end: &Failure) {
        let lifecycle = self.kid(id).lifecycle;
        let column = column_2c(&self.group);
        let restarted = lifecycle == Lifecycle::Permanent && self.kid(id).kind != ChildKind::Tree;
        hit_2c(
            match restarted {
                true => "a member ends by itself and is restarted (S23)",
                false => "a member ends by itself, not restarted",
            },
            column,
        );
        self.kid(id).pending = restarted.then(|| Pending {
            failure: end.clone(),
            directive: Directive::Restart,
            from: State::Stopping,
            token: Token::Open,
            asked: false,
        });
        let significant = self.plan.significant && lifecycle != Lifecycle::Permanent;
        let comes_up = matches!(self.group.mode(), GroupState::Down { next: AfterDown::Up, .. }) && self.in_range(id);
        let covered = self.group.at(id) == MemberState::GoingDown && !(significant && comes_up);
        let by_itself = !restarted && !covered && !self.group.is_ending(id);
        let stopping = self.group.is_stopping();
        let facts = self.facts(id);
        self.group.done(id, ended, end, facts);
        if self.has(id) && self.group.at(id) == MemberState::Ended && by_itself {
            let kid = self.kid(id);
            kid.finished = !significant && lifecycle != Lifecycle::Temporary;
            kid.quit = significant && !stopping;
        }
        // Kept only if nothing was done about the failure.
        if self.group.at(id) != MemberState::FailedStart && self.has(id) {
            self.kid(id).pending = None;
        }
        self.carry_out();
    }

    // ----- steps

    /// A user sends this to the child; the child serves it at once if nothing is queued before it.
    pub(super) fn send(&mut self, id: Id, note: Note) {
        let at_once = self.kid(id).inbox.is_empty() && !matches!(self.kid(id).step, None | Some(Step::Yield));
        self.kid(id).inbox.push_back(note);
        if at_once {
            self.serve(id);
        }
    }

    /// Serves the queued messages.
    pub(super) fn serve(&mut self, id: Id) {
        while let Some(note) = self.kids[id as usize].as_mut().and_then(|kid| kid.inbox.pop_front()) {
            match note {
                Note::Order(order) => self.order(id, order),
                Note::Stop => self.stop_now(id),
                Note::Kill if self.kid(id).is_parked() => {
                    hit_2a(self.kid(id).state(), Column::Kill);
                    self.stop_now(id);
                }
                Note::Kill => self.order(id, Order::Kill(Failure::new(Phase::Running, Cause::Killed, "child", 1))),
            }
        }
    }

    fn stop_now(&mut self, id: Id) {
        if self.group.at(id) == MemberState::Ended {
            return self.order(id, Order::Stop { begins: false });
        }
        let column = column_2c(&self.group);
        let waited_for = self.group.waits_for(id);
        hit_2c(if waited_for { ".. and it is the one waited for" } else { "a member is stopped from outside" }, column);
        let told = self.group.stop_member(id, self.now);
        let begins = self.group.at(id) == MemberState::GoingDown;
        self.carry_out();
        if !self.has(id) {
            return;
        }
        let kid = self.kid(id);
        (kid.stopped, kid.finished) = (true, false); // a user's stop replaces the end by itself
        if told {
            self.order(id, Order::Stop { begins });
        }
    }

    /// One step of the child's own task.
    pub(super) fn step(&mut self, id: Id) {
        if self.kid(id).pending.as_ref().is_some_and(|pending| pending.asked) {
            return self.decide(id); // the decider is asked before anything else is served
        }
        let Some(step) = self.kid(id).step else { return self.ask(id) };
        if step == Step::Yield {
            return self.begin(id); // nothing is served meanwhile
        }
        if !self.kid(id).inbox.is_empty() {
            return self.serve(id);
        }
        let now = self.now;
        let kid = self.kid(id);
        if step != Step::Wait
            && let Some(cut) = kid.machine.take_cut()
        {
            return self.finish(id, StepEnd::Cut(cut));
        }
        match step {
            Step::Wait if kid.machine.wakes() => self.ask(id),
            Step::Wait => {
                if kid.machine.waits_until().is_some_and(|until| until <= now) {
                    self.timer(id);
                }
            }
            Step::Exit => {}
            Step::Serve if kid.busy => {
                (kid.busy, kid.handled) = (false, true);
            }
            Step::Serve if kid.interrupted => self.finish(id, StepEnd::Interrupted),
            Step::Serve if kid.queued > 0 => {
                (kid.queued, kid.busy) = (kid.queued - 1, true);
            }
            Step::Serve if kid.machine.state() == State::Draining => self.finish(id, StepEnd::Drained),
            Step::Serve => {}
            Step::HandIn => self.finish(id, StepEnd::Drained),
            Step::Yield => unreachable!("it has begun"),
            Step::Start
            | Step::PreStart
            | Step::PostRestart
            | Step::Ready
            | Step::PreRestart
            | Step::Settle
            | Step::Drop
            | Step::PostStop => self.finish(id, StepEnd::Done),
        }
    }

    fn timer(&mut self, id: Id) {
        hit_2b(self.kid(id).state(), "wait timer");
        let mut known = self.known(id);
        self.kid(id).machine.wait_is_over(&mut known);
        self.perform_all(id, known.effects);
    }

    /// A step without a failure.
    pub(super) fn quiet_step(&mut self, id: Id) {
        if let Some(pending) = &mut self.kid(id).pending
            && pending.token == Token::Open
        {
            pending.directive = Directive::Restart;
        }
        self.kid(id).directive = Directive::Restart;
        self.step(id);
        if self.has(id) {
            let done = |pending: &mut Pending| pending.token == Token::Used && !pending.asked;
            let kid = self.kid(id);
            if matches!(kid.state(), State::Running | State::Ended) && kid.pending.as_mut().is_some_and(done) {
                kid.pending = None;
            }
        }
    }

    // ----- requests, and events outside a child's own steps

    pub(super) fn on_request(&mut self, id: Id, command: Command) {
        let (state, moves) = (self.kid(id).state(), self.group.moves());
        hit_2d(state, moves, command);
        match self.group.on_request(id, command, &failure(Phase::Running), self.now) {
            CommandOutcome::FirstStart => {
                let kid = self.kid(id);
                (kid.stopped, kid.alone, kid.finished) = (false, true, false);
                (kid.was_up, kid.streak) = (false, 0);
                self.charges.retain(|(of, _)| *of != Some(id)); // a fresh budget
                self.may_start_again(id, false);
            }
            CommandOutcome::DownAlone | CommandOutcome::StartNow | CommandOutcome::StartOver => {
                self.kid(id).alone = true;
                self.may_start_again(id, false);
            }
            CommandOutcome::Stop | CommandOutcome::NoStart | CommandOutcome::End => {
                self.kid(id).inbox.push_back(Note::Stop)
            }
            _ => {}
        }
        self.carry_out();
    }

    /// A requested restart or start whose start fails.
    pub(super) fn by_hand_and_fails(&mut self, id: Id, directive: Directive) {
        let ended = self.group.at(id) == MemberState::Ended;
        self.on_request(id, if ended { Command::StartAgain } else { Command::Restart });
        for _ in 0..16 {
            if !self.has(id) || !self.kid(id).alone {
                return;
            }
            if matches!(self.kid(id).step, Some(Step::Start | Step::PreStart | Step::PostRestart)) {
                return self.fails_now(id, directive);
            }
            self.step(id);
        }
    }

    /// A message arrives. The mailbox decides what happens to it, as its machine has set it.
    pub(super) fn message(&mut self, id: Id) {
        let kid = self.kid(id);
        let state = kid.state();
        hit_2b(state, "message arrives");
        match state {
            State::Draining | State::Ended => assert!(kid.refuses, "{state:?} takes messages"),
            // A normal end may be followed by a restart; a child that is down may be about to learn that it has ended.
            State::Stopping | State::Idle | State::AwaitingRestart => {}
            _ => assert!(!kid.refuses || kid.machine.is_leaving(), "{state:?} takes no messages"),
        }
        kid.queued += u32::from(!kid.refuses && kid.queued < 3);
    }

    /// The deadline of the machine passes before the timer of the group fires.
    pub(super) fn timer_fires(&mut self, id: Id) {
        let state = self.kid(id).state();
        hit_2b(state, "wait timer");
        if self.kid(id).machine.waits_until().is_some() && self.kid(id).step == Some(Step::Wait) {
            self.serve(id);
            if self.has(id) && self.kid(id).machine.waits_until().is_some() {
                self.timer(id);
            }
        } else {
            // The timer of an earlier wait.
            self.group.due(id, self.now);
            self.carry_out();
        }
    }

    /// `cx.stop()`, or a task that returned.
    pub(super) fn ends_by_itself(&mut self, id: Id) {
        if self.kid(id).serves() && self.kid(id).machine.state() == State::Running {
            self.finish(id, StepEnd::ByItself);
        }
    }
}
