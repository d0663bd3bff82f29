//! What a simulated child goes through. Where it goes is what [`child::on`] says of its state.

use super::super::child::{self, Below, ByHand, Command, Event, Fut, Post, Spawn, State, Step, Timer, Watch};
use super::super::group::{Id, Mode, Next};
use super::super::member::{At, Role};
use super::coverage::{column_2c, hit_2a, hit_2b, hit_2c, hit_2d};
use super::kid::{Note, Pending, Token};
use super::sim::{Sim, failure};
use crate::failure::Phase;
use crate::strategy::{Directive, Lifecycle};
use crate::watch::Ended;

impl Sim {
    /// Asks the table; tells which cell was reached.
    pub(super) fn on(&mut self, id: Id, event: Event) -> Step {
        let state = self.kid(id).state;
        hit_2a(state, event);
        let step = child::on(state, event);
        if let Some(held) = step.held {
            self.kid(id).held = held;
        }
        step
    }

    /// A Down, or a stop: where it goes, at once or as soon as what is in progress is out of the way.
    fn leave(&mut self, id: Id, event: Event) {
        let step = self.on(id, event);
        let kid = self.kid(id);
        kid.book(step);
        match step.future {
            Fut::GoesOn => kid.state = step.next,
            Fut::Finish | Fut::Drop => kid.leaves_for = Some(step.next),
        }
    }

    /// A restart from above finds it on its way down already: it joins.
    pub(super) fn joins(&mut self, id: Id) {
        if matches!(self.kid(id).state, State::PreRestart | State::GoingDown | State::Stopping | State::Draining) {
            self.leave(id, Event::Down);
        }
    }

    pub(super) fn gone(&mut self, id: Id) {
        let (by_itself, lifecycle) = {
            let kid = self.kid(id);
            kid.park();
            (std::mem::take(&mut kid.by_itself), kid.lifecycle)
        };
        let (facts, now) = (self.facts(id), self.now);
        if by_itself {
            let end = failure(Phase::Running);
            let column = column_2c(&self.group);
            let restarted = lifecycle == Lifecycle::Permanent && self.kid(id).role != Role::Tree;
            hit_2c(
                if restarted {
                    "a member ends by itself and is restarted (S23)"
                } else {
                    "a member ends by itself, not restarted"
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
            let comes_up = matches!(self.group.mode(), Mode::Down { next: Next::Up, .. }) && self.in_range(id);
            let covered = self.group.at(id) == At::Down && !(significant && comes_up);
            let by_itself = !restarted && !covered && !self.group.is_ending(id);
            let stopping = self.group.is_stopping();
            self.group.done(id, Ended::Done, &end, facts);
            if self.has(id) && self.group.at(id) == At::Ended && by_itself {
                let kid = self.kid(id);
                kid.finished = !significant && lifecycle != Lifecycle::Temporary;
                kid.quit = significant && !stopping;
            }
            // Kept only if nothing was done about it.
            if self.group.at(id) != At::StartFailed && self.has(id) {
                self.kid(id).pending = None;
            }
        } else {
            let kid = self.kid(id);
            (kid.down, kid.end) = (false, false);
            if let Some(pending) = &mut kid.pending {
                pending.token = Token::Used;
            }
            self.group.gone(id, now);
        }
        self.carry_out();
    }

    // ----- steps

    /// A user sends it this; it is served at once if nothing came before.
    pub(super) fn send(&mut self, id: Id, note: Note) {
        let at_once = self.kid(id).inbox.is_empty();
        self.kid(id).inbox.push_back(note);
        if at_once {
            self.serve(id);
        }
    }

    /// Serves what it was sent.
    pub(super) fn serve(&mut self, id: Id) {
        while let Some(note) = self.kids[id as usize].as_mut().and_then(|kid| kid.inbox.pop_front()) {
            let now = self.now;
            let kid = self.kid(id);
            match note {
                Note::Start => {
                    (kid.held, kid.timer, kid.start) = (false, None, true);
                }
                Note::Wait(delay) => kid.timer = Some(now + delay),
                Note::Resume => kid.resume = true,
                Note::Redecide => kid.redecide = true,
                Note::Over => {
                    // What it was asked before that is settled with its end, but for a stop of its next start.
                    (kid.start, kid.down, kid.redecide) = (false, false, false);
                    kid.over = true;
                    self.kid(id).end = self.group.at(id) == At::Down;
                }
                Note::Hold(held) => {
                    if kid.role != Role::Task {
                        self.on(id, if held { Event::Hold } else { Event::Release });
                    }
                }
                Note::Down => {
                    kid.down = true;
                    self.leave(id, Event::Down);
                }
                Note::End => {
                    kid.end = true;
                    self.leave_unless_parked(id);
                }
                Note::Stop => self.stop_now(id),
                Note::Drain => self.drain_now(id),
                Note::Kill => self.kill_now(id),
            }
        }
    }

    fn leave_unless_parked(&mut self, id: Id) {
        if self.kid(id).is_parked() {
            self.on(id, Event::Stop);
        } else {
            self.leave(id, Event::Stop);
        }
    }

    fn stop_now(&mut self, id: Id) {
        if self.group.at(id) == At::Ended {
            self.on(id, Event::Stop);
            return;
        }
        let column = column_2c(&self.group);
        let waited_for = self.group.waits_for(id);
        hit_2c(if waited_for { ".. and it is the one waited for" } else { "a member is stopped from outside" }, column);
        let told = self.group.stop_member(id, self.now);
        self.carry_out();
        if !self.has(id) {
            return;
        }
        let at = self.group.at(id);
        let kid = self.kid(id);
        kid.stopped = true;
        if !told {
            return;
        }
        if kid.is_parked() {
            kid.end = at == At::Down;
            self.on(id, Event::Stop);
        } else {
            kid.end = true;
            self.leave(id, Event::Stop);
        }
    }

    fn drain_now(&mut self, id: Id) {
        let kid = self.kid(id);
        kid.end = true;
        if matches!(kid.state, State::Running | State::Handling) && kid.leaves_for.is_none() && !kid.by_itself {
            kid.state = State::Draining;
            kid.queued += 2;
        } else {
            self.leave_unless_parked(id);
        }
    }

    fn kill_now(&mut self, id: Id) {
        if self.kid(id).is_parked() {
            self.on(id, Event::Kill);
            self.stop_now(id);
        } else {
            self.fails(id, Event::Kill, Directive::Stop);
        }
    }

    /// One step of the child's own task.
    pub(super) fn step(&mut self, id: Id) {
        if self.kid(id).pending.as_ref().is_some_and(|pending| pending.asked) {
            return self.decide(id); // the decider is asked before anything else is served
        }
        if !self.kid(id).inbox.is_empty() {
            return self.serve(id);
        }
        let kid = self.kid(id);
        if let Some(next) = kid.leaves_for.take() {
            kid.settle_account();
            return match next {
                State::Idle | State::Waiting | State::Ended => self.gone(id),
                next => self.kid(id).state = next,
            };
        }
        match kid.state {
            State::Idle | State::Waiting | State::Ended => self.parked(id),
            State::Starting => self.up(id),
            State::StartAgain if kid.post_restart => {
                kid.pre_started();
                kid.state = State::PostRestart;
            }
            State::StartAgain | State::PostRestart => self.up(id),
            State::Running if kid.queued > 0 && !kid.held => {
                kid.queued -= 1;
                kid.state = State::Handling;
            }
            State::Running => {}
            State::Handling => {
                kid.handled = true;
                kid.state = State::Running;
            }
            State::Failed => self.failed(id),
            State::PreRestart => kid.state = State::GoingDown,
            State::GoingDown | State::Stopping => {
                kid.post_stops();
                self.gone(id);
            }
            State::Draining if kid.queued > 0 => kid.queued -= 1,
            State::Draining => kid.state = State::Stopping,
        }
    }

    fn parked(&mut self, id: Id) {
        let now = self.now;
        let kid = self.kid(id);
        if std::mem::take(&mut kid.over) {
            (kid.state, kid.was_up, kid.pending, kid.timer, kid.queued) = (State::Ended, false, None, None, 0);
        } else if kid.down || kid.end {
            kid.start = false;
            self.gone(id);
        } else if kid.start {
            kid.begin();
        } else if std::mem::take(&mut kid.redecide) {
            self.decide(id);
        } else if kid.timer.is_some_and(|at| at <= now) {
            self.timer(id);
        }
    }

    pub(super) fn timer(&mut self, id: Id) {
        let column = column_2c(&self.group);
        let kid = self.kid(id);
        if kid.timer.take().is_some() {
            hit_2b(kid.state, "wait timer");
            hit_2c("wait timer", column);
            self.group.due(id, self.now);
            self.carry_out();
        }
    }

    fn up(&mut self, id: Id) {
        let kid = self.kid(id);
        if kid.state != State::PostRestart {
            kid.pre_started();
        }
        (kid.state, kid.was_up, kid.alone) = (State::Running, true, false);
        self.group.up(id, self.now);
        self.carry_out();
    }

    fn failed(&mut self, id: Id) {
        let kid = self.kid(id);
        if kid.end {
            self.leave(id, Event::Stop);
        } else if kid.down {
            self.leave(id, Event::Down);
        } else if std::mem::take(&mut kid.resume) {
            (kid.state, kid.pending) = (State::Running, None);
        } else if std::mem::take(&mut kid.redecide) {
            self.decide(id);
        }
    }

    /// A step in which nothing goes wrong.
    pub(super) fn quiet_step(&mut self, id: Id) {
        if let Some(pending) = &mut self.kid(id).pending
            && pending.token == Token::Open
        {
            pending.directive = Directive::Restart;
        }
        self.step(id);
        if self.has(id) {
            let done = |pending: &mut Pending| pending.token == Token::Used && !pending.asked;
            let kid = self.kid(id);
            if matches!(kid.state, State::Running | State::Ended) && kid.pending.as_mut().is_some_and(done) {
                kid.pending = None;
            }
        }
    }

    // ----- by hand, and what a child meets beside its own life

    pub(super) fn by_hand(&mut self, id: Id, command: Command) {
        let (state, moves) = (self.kid(id).state, self.group.moves());
        hit_2d(state, moves, command);
        match self.group.by_hand(id, command, &failure(Phase::Running), self.now) {
            ByHand::FirstStart => {
                let kid = self.kid(id);
                (kid.stopped, kid.was_up, kid.alone, kid.finished) = (false, false, true, false);
                self.charges.retain(|(of, _)| *of != Some(id)); // a fresh budget
                self.may_start_again(id);
            }
            ByHand::DownAlone | ByHand::StartNow | ByHand::StartOver => {
                self.kid(id).alone = true;
                self.may_start_again(id);
            }
            ByHand::Stop | ByHand::NoStart | ByHand::End => self.kid(id).inbox.push_back(Note::Stop),
            _ => {}
        }
        self.carry_out();
    }

    /// A restart or start by hand whose start fails.
    pub(super) fn by_hand_and_fails(&mut self, id: Id, directive: Directive) {
        let ended = self.group.at(id) == At::Ended;
        self.by_hand(id, if ended { Command::StartAgain } else { Command::Restart });
        for _ in 0..8 {
            if !self.has(id) || !self.kid(id).alone {
                return;
            }
            if matches!(self.kid(id).state, State::Starting | State::StartAgain | State::PostRestart) {
                return self.fails_now(id, directive);
            }
            self.step(id);
        }
    }

    pub(super) fn message(&mut self, id: Id) {
        let state = self.kid(id).state;
        hit_2b(state, "message arrives");
        hit_2b(state, "ask pending");
        hit_2b(state, "watch");
        hit_2b(state, "spawn request to it");
        hit_2b(state, "failure of a child of its own");
        let ended = state == State::Ended;
        let taken = child::on_message(state);
        assert_eq!(taken == Post::Refused, matches!(state, State::Draining | State::Stopping | State::Ended));
        assert_eq!(child::on_ask(state) == child::Pending::Fails, ended);
        assert_eq!(child::on_watch(state) == Watch::ToldNow, ended);
        assert_eq!(child::on_spawn(state) == Spawn::Stopped, ended);
        assert_eq!(child::on_spawn(state) == Spawn::Stopping, state == State::Stopping);
        assert_eq!(child::on_child_failure(state) == Below::Reported, state == State::Stopping);
        assert_eq!(child::on_timer(state) == Timer::Starts, state == State::Waiting);
        let kid = self.kid(id);
        kid.queued += u32::from(taken != Post::Refused && kid.queued < 3);
    }

    /// Its time is up before that of its timer is.
    pub(super) fn timer_fires(&mut self, id: Id) {
        let state = self.kid(id).state;
        hit_2b(state, "wait timer");
        if matches!(state, State::Idle | State::Waiting) {
            self.serve(id);
        }
        if self.has(id) && self.kid(id).is_parked() {
            self.timer(id);
        } else {
            // Of an earlier wait.
            self.group.due(id, self.now);
            self.carry_out();
        }
    }

    /// `cx.stop()`, or a task that returned.
    pub(super) fn ends_by_itself(&mut self, id: Id) {
        let kid = self.kid(id);
        if matches!(kid.state, State::Running | State::Handling) && kid.leaves_for.is_none() && !kid.held {
            (kid.state, kid.by_itself) = (State::Stopping, true);
        }
    }
}
