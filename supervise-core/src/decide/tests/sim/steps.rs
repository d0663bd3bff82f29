//! The steps of a simulated child. Its machine determines each step and the next one.

use super::child::{Mail, Pending, Token};
use super::{Sim, failure};
use crate::decide::child::machine::{Cut, Effect, Order, Step, StepEnd};
use crate::decide::child::{Command, CommandOutcome, OwnOrder, State};
use crate::decide::group::Id;
use crate::decide::member::MemberState;
use crate::decide::tests::coverage::{Column, column_2c, hit_2a, hit_2b, hit_2c, hit_2d};
use crate::decide::tests::port::Known;
use crate::values::ended::Ended;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle};

impl Sim {
    fn known(&self, id: Id) -> Known {
        let child = self.children[id as usize].as_ref().expect("a living child");
        let (busy, empty, orders) = (child.busy, child.empty.clone(), !child.inbox.is_empty());
        let (stopped, leaving) = (child.has_stopped(), self.group.was_leaving(id));
        Known { stopped, busy, empty, orders, leaving, place: !self.group.is_free(id), ..Known::new(self.now) }
    }

    /// An event in the child's own task. The child takes back what follows from it for the child itself, before anything
    /// else.
    pub(in crate::decide::tests) fn in_its_task(&mut self, id: Id, event: impl FnOnce(&mut Self)) {
        assert!(self.own.is_none(), "one event at a time");
        self.own = Some((id, OwnOrder::taking_back()));
        event(self);
        while let Some(order) = self.own.as_ref().and_then(|(_, own)| own.take()) {
            self.order(id, order);
        }
        self.own = None;
    }

    /// The machine has answered, and its effects are carried out.
    fn answered(&mut self, id: Id, known: Known) {
        for step in known.passed.into_inner() {
            self.child(id).record(Some(step), &StepEnd::Done);
        }
        for effect in known.effects {
            if self.has(id) {
                self.perform(id, effect);
            }
        }
    }

    /// The child's machine receives an order.
    fn order(&mut self, id: Id, order: Order) {
        let mut known = self.known(id);
        let column = match &order {
            Order::Down(..) => Some(Column::Down),
            Order::End(..) | Order::Stop { .. } => Some(Column::Stop),
            Order::Suspend(true) => Some(Column::Suspend),
            Order::Suspend(false) => Some(Column::Release),
            Order::Kill(_) => Some(Column::Kill),
            _ => None,
        };
        let child = self.child(id);
        if let Some(column) = column {
            hit_2a(child.state(), column);
        }
        child.machine.order(order, &mut known);
        self.answered(id, known);
    }

    fn begin(&mut self, id: Id) {
        let was_up = self.group.was_up(id);
        let child = self.child(id);
        let settings = child.settings();
        (child.pending, child.handled, child.refuses, child.closed) = (None, false, false, false);
        (child.pressed, child.spent, child.leaving) = (false, false, false);
        child.machine.begin(settings, was_up);
        self.finish(id, StepEnd::Done);
    }

    /// The step in progress has ended.
    pub(in crate::decide::tests) fn finish(&mut self, id: Id, end: StepEnd) {
        let mut known = self.known(id);
        let child = self.child(id);
        child.from = child.state();
        match &end {
            StepEnd::Failed { .. } => hit_2a(child.from, Column::Failure),
            StepEnd::Cut(Cut::TimeUp) => {
                child.pressed = true;
                hit_2a(child.from, Column::TimeUp);
            }
            _ => {}
        }
        child.record(child.step, &end);
        child.step = None;
        child.busy = false;
        child.machine.finished(end, &mut known);
        self.in_its_task(id, |sim| sim.answered(id, known));
    }

    /// A future of `cx.run` panics while it waits for messages.
    pub(in crate::decide::tests) fn fails_alongside(&mut self, id: Id) {
        hit_2a(self.child(id).state(), Column::Failure);
        let mut known = self.known(id);
        self.child(id).machine.fails_alongside(failure(Phase::Running), &mut known);
        self.answered(id, known);
        self.finish(id, StepEnd::Interrupted);
    }

    fn ask(&mut self, id: Id) {
        let mut known = self.known(id);
        let child = self.child(id);
        let step = child.machine.next(&mut known);
        // The effects may give the child something to do at once.
        child.step = (step != Step::Wait || known.effects.is_empty()).then_some(step);
        self.in_its_task(id, |sim| sim.answered(id, known));
        self.cut(id);
    }

    fn perform(&mut self, id: Id, effect: Effect) {
        let now = self.now;
        match effect {
            Effect::Interrupt(on) => self.child(id).interrupted = on,
            Effect::Refuse | Effect::RefuseNew | Effect::Close => {
                let drains = matches!(effect, Effect::RefuseNew);
                let child = self.child(id);
                assert!(!(drains && child.closed), "a drain of a mailbox that is closed would never end");
                child.refuses = true;
                if !drains {
                    (child.queued, child.closed) = (0, true);
                }
            }
            Effect::Open | Effect::Shut => {
                let child = self.child(id);
                (child.refuses, child.closed) = (false, false);
            }
            Effect::Due => {
                hit_2c("wait timer", column_2c(&self.group));
                self.group.due(id, now);
                self.carry_out();
            }
            Effect::Up { .. } => {
                let comes_up = self.group.at(id) == MemberState::Starting;
                let child = self.child(id);
                (child.was_up, child.has_handle) = (child.was_up || comes_up, child.has_handle || comes_up);
                child.alone = false;
                self.group.up(id, now);
                self.carry_out();
            }
            Effect::Decide { failure, instance } => self.report(id, failure, instance),
            Effect::Redecide { .. } => self.decide(id),
            Effect::Leaves => self.says_it_ends(id),
            Effect::Gone => self.gone(id),
            Effect::Done { ended, end } => self.done(id, ended, &end),
            Effect::Aborted => {
                let child = self.child(id);
                assert!(child.pressed, "aborted, though it had time (S24): {child:?}");
                child.history.abort();
            }
            Effect::DropInstance => self.child(id).close_history(),
            Effect::Ended { .. } => self.child(id).pending = None,
            Effect::Failed(_)
            | Effect::Late(_)
            | Effect::Reported(_)
            | Effect::MarkDown(_)
            | Effect::MarkSuspended
            | Effect::Retry(_)
            | Effect::EndSpawns
            | Effect::AllowSpawns
            | Effect::SignalStop
            | Effect::OpenReport
            | Effect::Suspended(_)
            | Effect::SuspendChildren(_)
            | Effect::ServeBelow
            | Effect::ForgetLate
            | Effect::Forgive
            | Effect::DropBackground
            | Effect::Unwatch => {}
            // An actor that was resumed continues.
            Effect::ResumeChildren(_) => self.child(id).pending = None,
            Effect::Escalated(_)
            | Effect::Broken(_)
            | Effect::Absent
            | Effect::EndsAs(_)
            | Effect::RestartChildren(..)
            | Effect::StopChildren
            | Effect::EndChildren
            | Effect::AbortChildren => panic!("it has no children, is there, and has no bugs: {effect:?}"),
        }
    }

    /// A restart from above reaches a child that is on its way down already: the child joins the restart.
    pub(in crate::decide::tests) fn joins(&mut self, id: Id) {
        let on_its_way = [State::PreRestart, State::GoingDown, State::Stopping, State::Draining];
        if on_its_way.contains(&self.child(id).state()) && self.child(id).step.is_some() {
            self.order(id, Order::Down(failure(Phase::Running), StopReason::Restart));
        }
    }

    /// The child says that it ends by itself.
    fn says_it_ends(&mut self, id: Id) {
        let first = !self.group.was_asked(id);
        self.child(id).leaving |= first && matches!(self.group.at(id), MemberState::Starting | MemberState::Up);
        self.group.leaves(id);
        self.carry_out();
    }

    fn gone(&mut self, id: Id) {
        if let Some(pending) = &mut self.child(id).pending {
            pending.token = Token::Used;
        }
        self.group.gone(id, self.now);
        self.carry_out();
    }

    fn done(&mut self, id: Id, ended: Ended, end: &Failure) {
        let lifecycle = self.child(id).lifecycle;
        let column = column_2c(&self.group);
        let restarted = lifecycle == Lifecycle::Permanent && self.child(id).kind != ChildKind::Tree;
        hit_2c(
            match restarted {
                true => "a member ends by itself and is restarted (S23)",
                false => "a member ends by itself, not restarted",
            },
            column,
        );
        self.child(id).pending = restarted.then(|| Pending {
            failure: end.clone(),
            directive: Directive::Restart,
            from: State::Stopping,
            token: Token::Open,
            asked: false,
            kept: false,
        });
        let significant = self.plan.significant && lifecycle != Lifecycle::Permanent;
        let was_asked = self.group.was_asked(id);
        let by_itself = !restarted && (!was_asked || self.group.was_leaving(id));
        let stopping = self.group.is_stopping();
        let facts = self.facts(id);
        self.group.done(id, ended, end, facts);
        if self.has(id) && self.group.at(id) == MemberState::Ended && by_itself {
            let child = self.child(id);
            child.finished = !was_asked && !significant && lifecycle != Lifecycle::Temporary;
            child.quit = significant && !stopping;
        }
        // Kept only if nothing was done about the failure.
        if self.group.at(id) != MemberState::FailedStart && self.has(id) {
            self.child(id).pending = None;
        }
        self.carry_out();
    }

    // ----- steps

    /// A user sends this to the child; the child serves it at once if nothing is queued before it.
    pub(in crate::decide::tests) fn send(&mut self, id: Id, note: Mail) {
        let at_once = self.child(id).inbox.is_empty() && !matches!(self.child(id).step, None | Some(Step::Yield));
        self.child(id).inbox.push_back(note);
        if at_once {
            self.serve(id);
        }
    }

    /// Serves the queued messages. One of them may drop the user code in progress.
    pub(in crate::decide::tests) fn serve(&mut self, id: Id) {
        while let Some(note) = self.children[id as usize].as_mut().and_then(|child| child.inbox.pop_front()) {
            match note {
                Mail::Order(order) => self.order(id, order),
                Mail::Stop => self.stop_now(id),
                Mail::Kill if self.child(id).is_parked() => {
                    hit_2a(self.child(id).state(), Column::Kill);
                    self.stop_now(id);
                }
                Mail::Kill => {
                    self.child(id).pressed = true;
                    self.order(id, Order::Kill(Failure::new(Phase::Running, Cause::Killed, "child", 1)));
                }
            }
        }
        self.cut(id);
    }

    /// Drops the user code in progress, if the machine has asked for that.
    fn cut(&mut self, id: Id) {
        if let Some(child) = &mut self.children[id as usize]
            && !matches!(child.step, None | Some(Step::Wait | Step::Yield))
            && let Some(cut) = child.machine.take_cut()
        {
            self.finish(id, StepEnd::Cut(cut));
        }
    }

    fn stop_now(&mut self, id: Id) {
        if self.group.at(id) == MemberState::Ended {
            return self.order(id, Order::Stop { begins: false, reason: StopReason::Asked });
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
        let child = self.child(id);
        (child.stopped, child.finished) = (true, false); // a user's stop replaces the end by itself
        if told {
            self.order(id, Order::Stop { begins, reason: StopReason::Asked });
        }
    }

    /// One step of the child's own task.
    pub(in crate::decide::tests) fn step(&mut self, id: Id) {
        if self.child(id).pending.as_ref().is_some_and(|pending| pending.asked) {
            return self.in_its_task(id, |sim| sim.decide(id)); // asked before anything else is served
        }
        let Some(step) = self.child(id).step else { return self.ask(id) };
        if step == Step::Yield {
            return self.begin(id); // nothing is served meanwhile
        }
        if !self.child(id).inbox.is_empty() {
            return self.serve(id);
        }
        let now = self.now;
        let child = self.child(id);
        match step {
            Step::Wait if child.machine.wakes() => self.ask(id),
            Step::Wait => {
                if child.machine.waits_until().is_some_and(|until| until <= now) {
                    self.timer(id);
                }
            }
            Step::Exit => {}
            Step::Serve if child.has_stopped() => self.finish(id, StepEnd::ByItself),
            Step::Serve if child.busy => {
                (child.busy, child.handled) = (false, true);
            }
            Step::Serve if child.interrupted => self.finish(id, StepEnd::Interrupted),
            Step::Serve if child.queued > 0 => {
                (child.queued, child.busy) = (child.queued - 1, true);
            }
            Step::Serve if child.machine.state() == State::Draining => self.finish(id, StepEnd::Drained),
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

    /// The step in progress ends without having looked at the orders that wait.
    pub(in crate::decide::tests) fn returns(&mut self, id: Id) {
        let child = self.child(id);
        let asked = child.pending.as_ref().is_some_and(|pending| pending.asked);
        if asked || !child.is_in_user_code() || matches!(child.step, Some(Step::Serve | Step::HandIn)) {
            return;
        }
        self.finish(id, StepEnd::Done);
    }

    fn timer(&mut self, id: Id) {
        hit_2b(self.child(id).state(), "wait timer");
        let mut known = self.known(id);
        self.child(id).machine.wait_is_over(&mut known);
        self.in_its_task(id, |sim| sim.answered(id, known));
    }

    /// A step without a failure.
    pub(in crate::decide::tests) fn quiet_step(&mut self, id: Id) {
        if let Some(pending) = &mut self.child(id).pending
            && pending.token == Token::Open
        {
            pending.directive = Directive::Restart;
        }
        self.child(id).directive = Directive::Restart;
        self.ask_again(id);
        self.step(id);
        if self.has(id) {
            let done = |pending: &mut Pending| pending.token == Token::Used && !pending.asked;
            let child = self.child(id);
            if child.is_calm() && child.pending.as_mut().is_some_and(done) {
                child.pending = None;
            }
        }
    }

    // ----- requests, and events outside a child's own steps

    pub(in crate::decide::tests) fn on_request(&mut self, id: Id, command: Command) {
        if command == Command::Drain && self.child(id).kind != ChildKind::Actor {
            return; // only actors have queues
        }
        let (state, moves) = (self.child(id).state(), self.group.moves());
        hit_2d(state, moves, command);
        match self.group.on_request(id, command, &failure(Phase::Running), self.now) {
            CommandOutcome::FirstStart => {
                let child = self.child(id);
                (child.stopped, child.alone, child.finished) = (false, true, false);
                (child.was_up, child.streak) = (false, 0);
                self.charges.retain(|(of, _)| *of != Some(id)); // a fresh budget
                self.may_start_again(id, false);
            }
            CommandOutcome::DownAlone | CommandOutcome::StartNow | CommandOutcome::StartOver => {
                (self.child(id).alone, self.child(id).at_once) = (true, true);
                self.may_start_again(id, false);
            }
            CommandOutcome::Stop | CommandOutcome::NoStart | CommandOutcome::End => {
                self.child(id).inbox.push_back(Mail::Stop)
            }
            _ => {}
        }
        self.carry_out();
    }

    /// The child goes down as for a restart, and ends: it is started elsewhere.
    pub(in crate::decide::tests) fn leaves_for_good(&mut self, id: Id) {
        let had_ended = self.group.at(id) == MemberState::Ended;
        self.group.leave_for_good(id, &failure(Phase::Running), self.now);
        if had_ended {
            assert!(!self.group.has_effects(), "a child that has ended is told to leave");
            return;
        }
        let child = self.child(id);
        (child.stopped, child.finished) = (true, false);
        self.carry_out();
    }

    /// The child's own decider keeps the failure of an instance.
    pub(in crate::decide::tests) fn keeps_it(&mut self, id: Id) {
        if self.group.at(id) == MemberState::Failed
            && let Some(pending) = self.child(id).pending.as_mut().filter(|pending| pending.asked)
        {
            (pending.asked, pending.kept) = (false, true);
        }
    }

    /// The child's own decider is asked again.
    pub(in crate::decide::tests) fn ask_again(&mut self, id: Id) {
        if let Some(pending) = self.child(id).pending.as_mut()
            && std::mem::take(&mut pending.kept)
        {
            self.group.ask_again(id);
            self.carry_out();
        }
    }

    /// A requested restart or start whose start fails.
    pub(in crate::decide::tests) fn on_request_and_fails(&mut self, id: Id, directive: Directive) {
        let ended = self.group.at(id) == MemberState::Ended;
        self.on_request(id, if ended { Command::StartAgain } else { Command::Restart });
        for _ in 0..16 {
            if !self.has(id) || !self.child(id).alone {
                return;
            }
            if matches!(self.child(id).step, Some(Step::Start | Step::PreStart | Step::PostRestart)) {
                return self.fails_now(id, directive);
            }
            self.step(id);
        }
    }

    /// A message arrives. The mailbox decides what happens to it, as its machine has set it.
    pub(in crate::decide::tests) fn message(&mut self, id: Id) {
        let child = self.child(id);
        let state = child.state();
        hit_2b(state, "message arrives");
        match state {
            State::Draining | State::Ended => assert!(child.refuses, "{state:?} takes messages"),
            // A normal end may be followed by a restart; a child that is down may be about to learn that it has ended.
            State::Stopping | State::Idle | State::AwaitingRestart => {}
            _ => assert!(!child.refuses || child.machine.is_leaving(), "{state:?} takes no messages"),
        }
        child.queued += u32::from(!child.refuses && child.queued < 3);
    }

    /// The deadline of the machine passes before the timer of the group fires.
    pub(in crate::decide::tests) fn timer_fires(&mut self, id: Id) {
        let state = self.child(id).state();
        hit_2b(state, "wait timer");
        if self.child(id).machine.waits_until().is_some() && self.child(id).step == Some(Step::Wait) {
            self.serve(id);
            if self.has(id) && self.child(id).machine.waits_until().is_some() {
                self.timer(id);
            }
        } else {
            // The timer of an earlier wait.
            self.group.due(id, self.now);
            self.carry_out();
        }
    }

    /// `cx.stop()` in a handler that goes on.
    pub(in crate::decide::tests) fn stops_itself(&mut self, id: Id) {
        if self.child(id).kind == ChildKind::Actor && self.child(id).busy {
            self.says_it_ends(id);
        }
    }

    /// `cx.stop()`, or a task that returned.
    pub(in crate::decide::tests) fn ends_by_itself(&mut self, id: Id) {
        if self.child(id).serves() && self.child(id).machine.state() == State::Running {
            self.finish(id, StepEnd::ByItself);
        }
    }
}
