//! The life of a cell: wait for its turn, start, serve, fail or stop, go down, and again.
//!
//! One task for all incarnations (S1). What differs between actors, tasks and trees is in the
//! [`Body`]; what an event means is in `decide`; how control reaches a user future is in the
//! [`Driver`]. Here is the order of things (S11).

use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::Instant;

use super::body::{Body, Served};
use super::control::Controlled;
use super::driver::{Driver, Exit};
use crate::decide::child::{self, Event, State, Verdict};
use crate::decide::group::{Facts, Reported};
use crate::decide::member::Role;
use crate::events::{EventKind, lock};
use crate::failure::{Cause, Failure, Phase, Thrown};
use crate::options::Common;
use crate::report::ChildReport;
use crate::strategy::{Directive, Lifecycle, Shutdown, default_directive};
use crate::watch::Ended;

/// What follows an incarnation.
enum After {
    /// It is down; its group says what comes.
    Down,
    /// It has no group to ask, or has ended by itself.
    Over(Ended),
}

/// Why an instance no longer serves.
enum Stopped {
    ByItself,
    Failed(Failure),
    /// Control has something for it, or nothing was up: the loop looks.
    Asked,
}

/// What came of a failure.
enum Outcome {
    Resume,
    Restart(Failure),
    End,
}

/// The end of the task, whatever the way: also when the runtime drops it.
struct Bye {
    cell: Arc<dyn Controlled>,
    orderly: bool,
}

impl Bye {
    fn was_orderly(&mut self) {
        self.orderly = true;
    }
}

impl Drop for Bye {
    fn drop(&mut self) {
        if !self.orderly {
            let ctl = self.cell.ctl();
            ctl.set_ended(Ended::RuntimeGone);
            if ctl.parent.is_none() {
                ctl.bus.close();
            }
        }
        if let Some(sup) = self.cell.ctl().sup() {
            sup.finish();
        }
    }
}

struct Run<B: Body> {
    /// Dropped first.
    bye: Bye,
    driver: Driver,
    body: B,
    common: Arc<Common>,
    random: Option<Box<SmallRng>>,
    /// The failure that the next incarnation heals.
    healing: Option<Failure>,
    /// A failure without an instance, whose decision is kept.
    pending: Option<Failure>,
    /// `pre_start` has succeeded: `post_stop` is owed.
    owed: bool,
    was_up: bool,
    ended: bool,
}

/// The run loop of a cell. Its future is most of what an idle actor costs, so what happens rarely is boxed.
pub(crate) fn run<B: Body>(cell: Arc<dyn Controlled>, mut body: B) -> impl Future<Output = ()> + Send + 'static {
    let common = body.common();
    let mut run = Run {
        bye: Bye { cell: cell.clone(), orderly: false },
        driver: Driver::new(cell, B::ROLE),
        body,
        common,
        random: None,
        healing: None,
        pending: None,
        owed: false,
        was_up: false,
        ended: false,
    };
    async move {
        run.driver.arrive().await;
        run.live().await;
        run.bye.was_orderly();
    }
}

impl<B: Body> Run<B> {
    async fn live(&mut self) {
        loop {
            let over = match self.turn().await {
                None => match self.incarnation().await {
                    After::Down => continue,
                    After::Over(ended) => ended,
                },
                Some(ended) => ended,
            };
            self.over(over).await;
            let dynamic = self.driver.cell.ctl().parent.is_none() || self.forgotten();
            if dynamic || !self.parked().await {
                return;
            }
        }
    }

    /// Its supervisor has let go of it.
    fn forgotten(&self) -> bool {
        match self.driver.parent() {
            Some((sup, owner)) => sup.on_child(&**owner, &*self.driver.cell, |_, _| ()).is_none(),
            None => true,
        }
    }

    /// Waits for its turn. `Some`: it ends instead.
    async fn turn(&mut self) -> Option<Ended> {
        self.driver.state = if self.was_up { State::Waiting } else { State::Idle };
        let is_root = self.driver.cell.ctl().parent.is_none();
        if is_root && !self.was_up && self.pending.is_none() && !self.driver.asked.start {
            self.driver.asked.start = !self.driver.asked.is_over();
        }
        loop {
            let found = self
                .driver
                .until(|driver| {
                    let asked = &mut driver.asked;
                    if let Some(ended) = asked.take_over() {
                        Some(Turn::Over(ended))
                    } else if asked.finish {
                        Some(Turn::Over(Ended::Stopped))
                    } else if asked.take_down().is_some() || asked.take_end().is_some() {
                        asked.start = false; // asked down again before it could begin
                        Some(Turn::Gone)
                    } else if std::mem::take(&mut asked.start) {
                        Some(Turn::Start)
                    } else if std::mem::take(&mut asked.redecide) {
                        Some(Turn::Redecide)
                    } else {
                        None
                    }
                })
                .await;
            match found {
                Turn::Over(ended) => return Some(ended),
                Turn::Start => return None,
                Turn::Gone => self.gone(),
                Turn::Redecide => {
                    if let Some(failure) = self.pending.take() {
                        self.decide(&failure, Reported::Decide);
                        self.pending = Some(failure);
                    }
                }
            }
        }
    }

    /// One incarnation, from its start to the point where nothing of it is up any more.
    async fn incarnation(&mut self) -> After {
        self.driver.begin_incarnation();
        self.driver.told = None;
        self.pending = None;
        self.owed = false;
        self.common = self.body.common();
        self.driver.shutdown = self.common.shutdown_or_default(B::ROLE);
        if std::mem::take(&mut self.ended) {
            self.driver.cell.ctl().revive();
            self.healing = None;
        }
        let incarnation = self.driver.cell.ctl().next_incarnation();
        if let Some(sup) = self.driver.cell.ctl().sup() {
            sup.on(&*self.driver.cell, |group| group.rebuild());
        }
        if let Some(after) = self.start().await {
            return after;
        }
        self.driver.state = State::Running;
        self.driver.told = self.body.signal();
        let again = std::mem::replace(&mut self.was_up, true);
        let ctl = self.driver.cell.ctl();
        ctl.emit(match again && incarnation > 1 {
            true => EventKind::Restarted,
            false => EventKind::Started { seed: ctl.parent.is_none().then_some(ctl.bus.seed) },
        });
        self.body.open();
        let now = Instant::now();
        if let Some((sup, owner)) = self.driver.parent() {
            sup.on_child(&**owner, &*self.driver.cell, |group, id| group.up(id, now));
        }
        ctl.set_up();
        ctl.bus.changed.notify_waiters();
        let healed = self.healing.take();
        if let Some(sup) = ctl.sup() {
            sup.on(&*self.driver.cell, |group| match &healed {
                Some(failure) if B::ROLE == Role::Actor => group.restart_kept(failure, now),
                _ => group.owner_up(now),
            });
        }
        self.serve().await
    }

    /// Start expression, `pre_start`, `post_restart`. `None`: it is up.
    async fn start(&mut self) -> Option<After> {
        self.driver.state = if self.was_up { State::StartAgain } else { State::Starting };
        let begun = match self.driver.starting(self.body.start()).await {
            Exit::Done(Ok(())) => match self.read_supervision() {
                Ok(()) => self.driver.starting(self.body.pre_start()).await,
                Err(panic) => Exit::Panicked(panic),
            },
            other => other,
        };
        if matches!(begun, Exit::Done(Ok(()))) {
            self.owed = true;
        }
        let begun = match (begun, self.healing.clone()) {
            (Exit::Done(Ok(())), Some(failure)) => {
                self.driver.state = State::PostRestart;
                self.driver.starting(self.body.post_restart(&failure)).await
            }
            (begun, _) => begun,
        };
        match begun {
            Exit::Done(Ok(())) if !self.driver.asked.is_escalated() => None,
            begun => Some(Box::pin(self.start_failed(begun)).await),
        }
    }

    /// The start failed, or was asked to go down before it was through.
    async fn start_failed(&mut self, begun: Exit<Result<(), Thrown>>) -> After {
        let state = self.driver.state;
        // An actor whose child escalated meanwhile fails after its hook; a tree's build was cut.
        let (event, cause) = match begun {
            Exit::Done(Ok(())) => (Event::Failure, Ok(Cause::TimedOut)),
            Exit::Done(Err(thrown)) => (Event::Failure, Err(thrown)),
            Exit::Panicked(text) => (Event::Failure, Ok(Cause::Panic(text))),
            Exit::Cut(Event::Kill) => (Event::Kill, Ok(self.driver.asked.take_killed().unwrap_or(Cause::Killed))),
            Exit::Cut(event) => (event, Ok(Cause::TimedOut)),
        };
        let step = child::on(state, event);
        let failure = match step.failure {
            Verdict::Decide { phase, timed_out } => Some(match (cause, self.driver.asked.take_escalated()) {
                (_, Some(escalated)) => {
                    self.driver.cell.ctl().emit(EventKind::Escalated { failure: escalated.clone() });
                    escalated.in_phase(phase)
                }
                (_, None) if timed_out => self.driver.failure(phase, Cause::TimedOut),
                (cause, None) => self.thrown(phase, cause),
            }),
            _ => None,
        };
        if self.driver.asked.abort {
            self.abort(None);
        }
        let owed = std::mem::take(&mut self.owed) && step.owed;
        // Before it was ever up nobody outside knows its children: they end. Later they keep their mailboxes.
        let again = self.was_up.then(|| failure.clone().or_else(|| self.driver.asked.down().cloned())).flatten();
        self.take_down(None, owed, again).await;
        let Some(failure) = failure else {
            if let Some(why) = self.rootless_end() {
                return After::Over(why);
            }
            self.gone();
            return After::Down;
        };
        self.failed_start(failure)
    }

    /// `supervision()` is user code: a panic in it is a failed start.
    fn read_supervision(&mut self) -> Result<(), String> {
        let body = &mut self.body;
        if let Some(strategy) = self.driver.ask(|| body.supervision())?
            && let Some(sup) = self.driver.cell.ctl().sup()
        {
            sup.configure(strategy);
        }
        Ok(())
    }

    /// A root has nobody to report to.
    fn rootless_end(&mut self) -> Option<Ended> {
        if self.driver.cell.ctl().parent.is_some() {
            return None;
        }
        let why = if self.driver.aborted { Ended::Aborted } else { Ended::Stopped };
        Some(self.driver.asked.take_end().unwrap_or(why))
    }

    /// A failed start is reported once nothing of it is up any more.
    fn failed_start(&mut self, failure: Failure) -> After {
        self.driver.state = State::Failed;
        self.driver.cell.ctl().emit(EventKind::Failed { failure: failure.clone(), message: None });
        if self.driver.parent().is_none() {
            return After::Over(Ended::by(&failure));
        }
        let reported = self.with_group(|group, id| group.failed(id, false)).unwrap_or(Reported::Reported);
        self.decide(&failure, reported);
        if self.was_up {
            self.healing = Some(failure.clone());
        }
        self.pending = Some(failure);
        After::Down
    }

    fn thrown(&self, phase: Phase, cause: Result<Cause, Thrown>) -> Failure {
        match cause {
            Ok(cause) => self.driver.failure(phase, cause),
            Err(thrown) => match thrown.into_failure() {
                Ok(failure) => failure.in_phase(phase),
                Err(thrown) => self.driver.failure(phase, Cause::Error(thrown)),
            },
        }
    }

    fn with_group<R>(&self, event: impl FnOnce(&mut crate::decide::group::Group, u32) -> R) -> Option<R> {
        let (sup, owner) = self.driver.parent()?;
        sup.on_child(&**owner, &*self.driver.cell, event)
    }

    fn facts(&mut self) -> Facts {
        let random = match (&self.common.backoff, &mut self.random) {
            (None, _) => 0,
            (Some(_), Some(random)) => random.next_u64(),
            (Some(_), none) => {
                let ctl = self.driver.cell.ctl();
                let seed = ctl.path().bytes().fold(ctl.bus.seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                });
                none.insert(Box::new(SmallRng::seed_from_u64(seed))).next_u64()
            }
        };
        Facts { handled: self.body.has_handled(), random, now: Instant::now() }
    }

    /// Asks the deciders: the child's own, the supervisor's, the default (S8, S9).
    fn directive(&mut self, failure: &Failure) -> Directive {
        let own = self.common.decider.clone();
        let above = self.driver.parent().and_then(|(sup, _)| sup.decider());
        let arms = own.as_ref().is_some_and(|d| d.has_arms()) || above.as_ref().is_some_and(|d| d.has_arms());
        let declared = self.common.backoff.is_some();
        let said = self.driver.ask(|| {
            let own = own.as_ref().and_then(|decider| decider.decide(failure));
            own.or_else(|| above.as_ref().and_then(|decider| decider.decide(failure)))
        });
        match said {
            Ok(Some(directive)) => directive,
            Ok(None) => default_directive(failure, declared, arms),
            Err(panic) => {
                self.driver.report(Cause::Panic(panic));
                Directive::Escalate
            }
        }
    }

    fn decide(&mut self, failure: &Failure, reported: Reported) {
        match reported {
            Reported::Decide => {
                // The decider is not asked about an end (S23).
                let directive = match failure.cause() {
                    Cause::EndedByItself => Directive::Restart,
                    _ => self.directive(failure),
                };
                let facts = self.facts();
                let ctl = self.driver.cell.ctl();
                let row = self.with_group(|group, id| group.row(id) + 1).unwrap_or(1);
                ctl.emit(EventKind::Decided { directive, failure: failure.clone(), row });
                self.with_group(|group, id| group.decided(id, directive, failure, facts));
            }
            Reported::Kept => {}
            Reported::Absorbed | Reported::Reported => {
                self.driver.cell.ctl().emit(EventKind::Reported { failure: failure.clone() });
            }
        }
    }

    /// Messages, until it fails or is asked to go down.
    async fn serve(&mut self) -> After {
        loop {
            self.driver.state = State::Running;
            self.driver.clear_interrupt();
            if self.body.is_told() && (self.driver.asked.is_down() || self.driver.asked.is_end()) {
                self.driver.begin_down_now();
            }
            let exit = match self.may_serve() {
                true => self.driver.beside(self.body.serve()).await,
                false => Exit::Done(Ok(Served::Interrupted)),
            };
            let message = self.body.in_hand();
            let failure = match self.after_serving(exit, message) {
                Stopped::ByItself => return Box::pin(self.done_by_itself(None)).await,
                Stopped::Failed(failure) => Some(failure),
                Stopped::Asked => None,
            };
            if let Some(failure) = failure {
                if B::ROLE == Role::Task {
                    return Box::pin(self.failed_task(failure)).await;
                }
                match self.fail(failure, message).await {
                    Outcome::Resume => continue,
                    Outcome::Restart(failure) => return Box::pin(self.go_down(Some(failure))).await,
                    Outcome::End => return Box::pin(self.stop()).await,
                }
            }
            if self.driver.asked.is_end() {
                return Box::pin(self.stop()).await;
            }
            if let Some(failure) = self.driver.asked.take_down() {
                return Box::pin(self.go_down(Some(failure))).await;
            }
            if let Some(failure) = self.driver.asked.take_all_ended() {
                return Box::pin(self.done_by_itself(failure)).await;
            }
            if self.driver.asked.finish {
                return Box::pin(self.stop()).await;
            }
            if self.driver.held {
                self.driver
                    .until(|driver| {
                        let asked = &driver.asked;
                        let woken = !driver.held
                            || asked.is_end()
                            || asked.is_down()
                            || asked.is_killed()
                            || asked.is_escalated()
                            || asked.finish;
                        woken.then_some(())
                    })
                    .await;
            }
        }
    }

    /// What the end of a `serve` means. A failure on the way down is absorbed, or reported only.
    fn after_serving(&mut self, exit: Exit<Result<Served, Thrown>>, message: Option<&'static str>) -> Stopped {
        let going = self.asked_to_go();
        let failure = match exit {
            Exit::Done(Ok(Served::Done)) if !going => return Stopped::ByItself,
            Exit::Done(Ok(Served::Returned)) => {
                self.driver.begin_down_now();
                None
            }
            Exit::Done(Ok(Served::Done | Served::Interrupted)) => self.failed_beside(going),
            Exit::Done(Err(thrown)) => Some(self.thrown(Phase::Running, Err(thrown))),
            Exit::Panicked(text) => Some(self.thrown(Phase::Running, Ok(Cause::Panic(text)))),
            Exit::Cut(Event::Kill) => {
                let cause = self.driver.asked.take_killed().unwrap_or(Cause::Killed);
                Some(self.thrown(Phase::Running, Ok(cause)))
            }
            Exit::Cut(Event::TimeUp) => {
                self.abort(message);
                if !going {
                    return Stopped::ByItself; // a task that has returned; its subtasks have not
                }
                None
            }
            Exit::Cut(_) => None,
        };
        match failure {
            Some(failure) if going => {
                self.driver.cell.ctl().emit(EventKind::Reported { failure });
                Stopped::Asked
            }
            Some(failure) => Stopped::Failed(failure),
            None => Stopped::Asked,
        }
    }

    /// A kill between two messages, or a failure that a child has escalated.
    fn failed_beside(&mut self, going: bool) -> Option<Failure> {
        if let Some(cause) = self.driver.asked.take_killed() {
            return Some(self.thrown(Phase::Running, Ok(cause)));
        }
        if going {
            return None;
        }
        let failure = self.driver.asked.take_escalated()?;
        self.driver.cell.ctl().emit(EventKind::Escalated { failure: failure.clone() });
        Some(failure.in_phase(Phase::Running))
    }

    /// A task that failed is over: nothing to resume. What it left running has its `shutdown` time, is
    /// then dropped, then it is decided (S29).
    async fn failed_task(&mut self, failure: Failure) -> After {
        self.driver.state = State::GoingDown;
        self.driver.begin_down_now();
        let killed = matches!(failure.cause(), Cause::Killed);
        if killed || !self.settled().await {
            self.abort_task().await;
        }
        let body = &mut self.body;
        self.driver.guarded(|| body.drop_instance());
        self.healing = Some(failure.clone());
        self.failed_start(failure)
    }

    /// Waits for what a task has left running. False: its time is up, or it is killed.
    async fn settled(&mut self) -> bool {
        loop {
            match self.driver.beside(self.body.settle(false)).await {
                Exit::Done(()) => return true,
                Exit::Panicked(text) => self.driver.report(Cause::Panic(text)),
                Exit::Cut(_) => return false,
            }
        }
    }

    /// Drops what a task has left running, and waits for that: nothing makes it shorter (S29).
    async fn abort_task(&mut self) {
        loop {
            self.driver.forget_deadline();
            match self.driver.beside(self.body.settle(true)).await {
                Exit::Done(()) => return,
                Exit::Panicked(text) => self.driver.report(Cause::Panic(text)),
                Exit::Cut(_) => {}
            }
        }
    }

    fn asked_to_go(&self) -> bool {
        self.driver.asked.is_end() || self.driver.asked.is_down()
    }

    /// Told tasks go on after they were asked to go; everything else first does what it was asked.
    fn may_serve(&self) -> bool {
        let asked = &self.driver.asked;
        let go = self.asked_to_go() && !self.body.is_told();
        !go && !self.driver.held && !asked.is_killed() && !asked.is_escalated() && !asked.is_all_ended()
    }

    fn abort(&mut self, message: Option<&'static str>) {
        if !self.driver.aborted {
            self.driver.aborted = true;
            self.driver.cell.ctl().emit(EventKind::Aborted { message });
        }
    }

    /// A failure with an instance: reported, decided, and carried out (S7, S8).
    async fn fail(&mut self, failure: Failure, message: Option<&'static str>) -> Outcome {
        self.driver.state = State::Failed;
        self.body.shut();
        let ctl = self.driver.cell.ctl();
        ctl.emit(EventKind::Failed { failure: failure.clone(), message });
        if let Some(sup) = ctl.sup() {
            sup.on(&*self.driver.cell, |group| group.hold());
        }
        if self.driver.parent().is_none() {
            self.driver.asked.put_end(Ended::by(&failure));
            return Outcome::End;
        }
        let reported = self.with_group(|group, id| group.failed(id, true)).unwrap_or(Reported::Reported);
        self.decide(&failure, reported);
        loop {
            let redecide = self
                .driver
                .until(|driver| {
                    let asked = &mut driver.asked;
                    if asked.is_end() || asked.finish {
                        Some(Some(Outcome::End))
                    } else if let Some(failure) = asked.take_down() {
                        Some(Some(Outcome::Restart(failure)))
                    } else if std::mem::take(&mut asked.resume) {
                        Some(Some(Outcome::Resume))
                    } else if std::mem::take(&mut asked.redecide) {
                        Some(None)
                    } else {
                        None
                    }
                })
                .await;
            match redecide {
                None => self.decide(&failure, Reported::Decide),
                Some(Outcome::Resume) => {
                    let facts = self.facts();
                    if let Some(sup) = self.driver.cell.ctl().sup() {
                        sup.on(&*self.driver.cell, |group| group.resume(&failure, facts));
                    }
                    self.body.open();
                    return Outcome::Resume;
                }
                Some(outcome) => return outcome,
            }
        }
    }

    /// Down for a restart: `pre_restart`, children, `post_stop`, drop.
    async fn go_down(&mut self, failure: Option<Failure>) -> After {
        self.driver.begin_down_now();
        self.body.shut();
        self.healing.clone_from(&failure);
        let owed = std::mem::take(&mut self.owed);
        self.take_down(failure.clone(), owed, failure).await;
        self.gone();
        After::Down
    }

    /// Down for good: children, `post_stop`, drop.
    async fn stop(&mut self) -> After {
        self.driver.state = State::Stopping;
        self.close();
        let owed = std::mem::take(&mut self.owed);
        self.take_down(None, owed, None).await;
        if let Some(why) = self.rootless_end() {
            return After::Over(why);
        }
        self.gone();
        After::Down
    }

    /// `cx.stop()`, a task that returned, a tree whose members have all ended (S22, S23).
    async fn done_by_itself(&mut self, failure: Option<Failure>) -> After {
        let restarts = B::ROLE != Role::Tree
            && self.common.lifecycle_or(B::ROLE) == Lifecycle::Permanent
            && self.driver.parent().is_some();
        self.driver.state = State::Stopping;
        self.driver.begin_down_now();
        if restarts {
            self.body.shut();
        } else {
            self.close();
        }
        let owed = std::mem::take(&mut self.owed);
        let end = self.driver.failure(Phase::Running, Cause::EndedByItself);
        self.take_down(None, owed, restarts.then(|| end.clone())).await;
        let ended = match failure {
            Some(failure) => Ended::by(&failure),
            None => Ended::Done,
        };
        if self.driver.parent().is_none() {
            return After::Over(ended);
        }
        self.healing = Some(end.clone());
        self.pending = Some(end.clone());
        let facts = self.facts();
        self.with_group(|group, id| group.done(id, ended, &end, facts));
        After::Down
    }

    /// Takes down what there is: hooks, children, instance. `again`: it will be started again.
    async fn take_down(&mut self, pre_restart: Option<Failure>, owed: bool, again: Option<Failure>) {
        if let Some(failure) = &pre_restart
            && !self.driver.aborted
        {
            self.driver.state = State::PreRestart;
            let exit = self.driver.beside(self.body.pre_restart(failure)).await;
            self.after_hook(exit);
        }
        if self.driver.state != State::Stopping {
            self.driver.state = State::GoingDown;
        }
        if B::ROLE == Role::Task {
            if self.driver.aborted || !self.settled().await {
                self.abort(None);
                self.abort_task().await;
            }
        }
        self.take_children_down(again).await;
        if owed && !self.driver.aborted {
            let exit = self.driver.beside(self.body.post_stop()).await;
            self.after_hook(exit);
        }
        let body = &mut self.body;
        self.driver.guarded(|| body.drop_instance());
    }

    /// Dropping what is queued is user code too.
    fn close(&mut self) {
        let body = &mut self.body;
        self.driver.guarded(|| body.close());
    }

    fn after_hook(&mut self, exit: Exit<Result<(), Thrown>>) {
        match exit {
            Exit::Done(Ok(())) => {}
            Exit::Done(Err(thrown)) => self.driver.report(Cause::Error(thrown)),
            Exit::Panicked(text) => self.driver.report(Cause::Panic(text)),
            Exit::Cut(_) => self.abort(None),
        }
    }

    async fn take_children_down(&mut self, again: Option<Failure>) {
        let Some(sup) = self.driver.cell.ctl().sup() else { return };
        let now = Instant::now();
        self.driver.asked.children_down = false;
        sup.on(&*self.driver.cell, |group| match &again {
            Some(failure) => group.restart_from_above(failure, now),
            None => group.stop(now),
        });
        if self.driver.aborted {
            sup.abort();
        }
        while self.driver.until_children_down().await.is_err() {
            self.abort(None);
            if let Some(sup) = self.driver.cell.ctl().sup() {
                sup.abort();
            }
        }
    }

    /// Nothing of this incarnation is up any more.
    fn gone(&mut self) {
        self.driver.asked.take_down();
        self.driver.asked.take_end();
        let now = Instant::now();
        self.with_group(|group, id| group.gone(id, now));
    }

    /// It has ended: messages go back, watchers are told.
    async fn over(&mut self, ended: Ended) {
        self.ended = true;
        let aborted = self.driver.aborted && self.common.shutdown != Some(Shutdown::Kill);
        let ended = if aborted && ended.is_orderly() { Ended::Aborted } else { ended };
        if let Some(sup) = self.driver.cell.ctl().sup() {
            // Whatever is still in the table (declared children that were never started) ends too.
            let now = Instant::now();
            self.driver.asked.children_down = false;
            sup.on(&*self.driver.cell, |group| group.stop(now));
            let _ = self.driver.until_children_down().await;
        }
        self.driver.state = State::Ended;
        self.close();
        let ctl = self.driver.cell.ctl();
        if let Some(report) = &mut *lock(&ctl.bus.report)
            && ctl.parent.is_some()
        {
            report.push(ChildReport {
                path: ctl.path(),
                ended: ended.clone(),
                took: self.driver.took(),
                aborted,
                stuck: false,
            });
        }
        ctl.emit(EventKind::Ended { ended: ended.clone() });
        ctl.set_ended(ended);
        ctl.bus.changed.notify_waiters();
        if ctl.parent.is_none() {
            ctl.bus.close();
        }
    }

    /// Ended, but declared: a restart from above starts it again (S20). False: never.
    async fn parked(&mut self) -> bool {
        self.driver
            .until(|driver| if driver.asked.start { Some(true) } else { driver.asked.finish.then_some(false) })
            .await
    }
}

/// What `turn` found.
enum Turn {
    Start,
    Over(Ended),
    Gone,
    Redecide,
}
