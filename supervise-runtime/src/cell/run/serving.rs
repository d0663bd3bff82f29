//! Messages, until the instance fails or is asked to go down.

use super::*;

impl<B: Body> Run<B> {
    /// Messages, until it fails or is asked to go down.
    pub(super) async fn serve(&mut self) -> After {
        loop {
            if self.driver.state != State::Draining {
                self.driver.state = State::Running;
            }
            self.driver.clear_interrupt();
            if self.body.is_told() && (self.driver.asked.is_down() || self.driver.asked.is_end()) {
                self.driver.begin_down_now();
            }
            let exit = match self.may_serve() {
                true => self.serve_body().await,
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
            if self.driver.state == State::Draining {
                return Box::pin(self.drain()).await;
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

    pub(super) async fn serve_body(&mut self) -> Exit<Result<Served, Thrown>> {
        let exit = self.driver.beside(self.body.serve()).await;
        self.body.give_back();
        exit
    }

    /// What the end of a `serve` means. A failure on the way down is absorbed, or reported only.
    pub(super) fn after_serving(
        &mut self,
        exit: Exit<Result<Served, Thrown>>,
        message: Option<&'static str>,
    ) -> Stopped {
        let going = self.asked_to_go();
        let threw = matches!(exit, Exit::Done(Err(_)) | Exit::Panicked(_));
        let failure = match exit {
            Exit::Done(Ok(Served::Done)) if !going => {
                self.absorb_beside();
                return Stopped::ByItself;
            }
            Exit::Done(Ok(Served::Returned)) => {
                self.driver.begin_down_now();
                None
            }
            Exit::Done(Ok(Served::Done | Served::Drained | Served::Ready | Served::Interrupted)) => {
                self.failed_beside(going)
            }
            Exit::Done(Err(thrown)) => Some(self.thrown(Phase::Running, Err(thrown))),
            Exit::Panicked(text) => Some(self.thrown(Phase::Running, Ok(Cause::Panic(text)))),
            Exit::Cut(Event::Kill) if going && self.driver.asked.abort => {
                self.abort(message);
                None
            }
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
                if self.driver.state == State::Draining {
                    self.driver.state = State::Running; // the rest are dead letters
                }
                self.driver.cell.ctl().fails_late(failure);
                Stopped::Asked
            }
            Some(failure) if threw && self.body.has_stopped() => {
                self.forgive(failure);
                self.absorb_beside();
                Stopped::ByItself
            }
            Some(failure) => Stopped::Failed(failure),
            None => Stopped::Asked,
        }
    }

    /// A kill between two messages, or a failure that a child has escalated.
    pub(super) fn failed_beside(&mut self, going: bool) -> Option<Failure> {
        if let Some(cause) = self.driver.asked.take_killed() {
            self.driver.forget_kill(); // nothing was in progress: no later hook is to be dropped for it
            return Some(self.thrown(Phase::Running, Ok(cause)));
        }
        let failure = self.driver.asked.take_escalated()?;
        let ctl = self.driver.cell.ctl();
        ctl.emit(EventKind::Escalated { failure: failure.clone() });
        if going && self.driver.parent().is_none() {
            // Nobody above decides on it: it ends with it, and not with the stop that came meanwhile.
            ctl.emit(EventKind::Failed { failure: failure.clone(), message: None });
            self.driver.asked.put_end(self.root_ended(&failure));
            return None;
        }
        if going {
            ctl.fails_late(failure);
            return None;
        }
        Some(failure.in_phase(Phase::Running))
    }

    /// A failure behind its `cx.stop()` is told and changes nothing (S23). The message
    /// counts as handled.
    pub(super) fn forgive(&mut self, failure: Failure) {
        let body = &mut self.body;
        self.driver.guarded(|| body.forgive());
        self.driver.cell.ctl().fails_late(failure);
    }

    /// A failure beside the last message of one that ends by itself is told and changes nothing either.
    fn absorb_beside(&mut self) {
        if let Some(cause) = self.driver.asked.take_killed() {
            let failure = self.thrown(Phase::Running, Ok(cause));
            self.driver.cell.ctl().fails_late(failure);
        }
        if let Some(failure) = self.driver.asked.take_escalated() {
            let ctl = self.driver.cell.ctl();
            ctl.emit(EventKind::Escalated { failure: failure.clone() });
            ctl.fails_late(failure);
        }
    }

    /// A task that failed is over: nothing to resume. What it left running has its `shutdown` time, is
    /// then dropped, then it is decided (S29).
    pub(super) async fn failed_task(&mut self, failure: Failure) -> After {
        self.driver.state = State::GoingDown;
        self.driver.begin_down_now();
        let killed = matches!(failure.cause(), Cause::Killed);
        if killed || !self.settled().await {
            self.abort_task().await;
        }
        self.drop_instance();
        self.healing = Some(failure.clone());
        self.failed_start(failure)
    }

    pub(super) fn asked_to_go(&self) -> bool {
        self.driver.asked_to_go()
    }

    /// Told tasks go on after they were asked to go; everything else first does what it was asked.
    pub(super) fn may_serve(&self) -> bool {
        let asked = &self.driver.asked;
        let go = self.asked_to_go() && !self.body.is_told();
        !go && !self.driver.held && !asked.is_killed() && !asked.is_escalated() && !asked.is_all_ended()
    }
}
