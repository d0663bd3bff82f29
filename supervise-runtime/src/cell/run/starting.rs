//! Start expression, `pre_start`, `post_restart` (S12, S13).

use super::*;

impl<B: Body> Run<B> {
    /// Start expression, `pre_start`, `post_restart`. `None`: it is up.
    pub(super) async fn start(&mut self) -> Option<After> {
        self.driver.state = if self.was_up { State::StartAgain } else { State::Starting };
        let within = self.common.start;
        let begun = match self.driver.starting(within, self.body.start()).await {
            Exit::Done(Ok(())) => match self.read_supervision() {
                Ok(()) => self.driver.starting(within, self.body.pre_start()).await,
                Err(panic) => Exit::Panicked(panic),
            },
            other => other,
        };
        let begun = match (begun, self.healing.clone().filter(|_| self.was_up)) {
            (Exit::Done(Ok(())), None) => {
                self.owed = true;
                Exit::Done(Ok(()))
            }
            (Exit::Done(Ok(())), Some(failure)) => {
                self.owed = true;
                self.driver.state = State::PostRestart;
                let restarted = self.driver.starting(within, self.body.post_restart(&failure)).await;
                self.unless_stopped(restarted, Phase::Restart)
            }
            (begun, _) => self.unless_stopped(begun, if self.was_up { Phase::Restart } else { Phase::Start }),
        };
        match begun {
            Exit::Done(Ok(())) if !self.driver.asked.is_escalated() => None,
            begun => Some(Box::pin(self.start_failed(begun)).await),
        }
    }

    /// A hook that called `cx.stop()` before it failed: it ends by itself, as if it had returned (S23).
    fn unless_stopped(&mut self, begun: Exit<Result<(), Thrown>>, phase: Phase) -> Exit<Result<(), Thrown>> {
        let failure = match begun {
            Exit::Done(Err(thrown)) if self.body.has_stopped() => self.thrown(phase, Err(thrown)),
            Exit::Panicked(text) if self.body.has_stopped() => self.thrown(phase, Ok(Cause::Panic(text))),
            begun => return begun,
        };
        self.forgive(failure);
        Exit::Done(Ok(()))
    }

    /// The start failed, or was asked to go down before it was through.
    pub(super) async fn start_failed(&mut self, begun: Exit<Result<(), Thrown>>) -> After {
        let state = self.driver.state;
        self.driver.begun = None;
        if matches!(&begun, Exit::Done(Err(thrown)) if thrown.is_absent()) {
            return self.absent().await;
        }
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
            Verdict::Decide { phase, timed_out } => {
                let failure = match (cause, self.driver.asked.take_escalated()) {
                    (_, Some(escalated)) => {
                        self.driver.cell.ctl().emit(EventKind::Escalated { failure: escalated.clone() });
                        escalated.in_phase(phase)
                    }
                    (_, None) if timed_out => self.driver.failure(phase, Cause::TimedOut),
                    (cause, None) => self.thrown(phase, cause),
                };
                Some(self.behind_the_one_before(failure))
            }
            _ => None,
        };
        if self.driver.asked.abort {
            self.abort(None);
        }
        let owed = std::mem::take(&mut self.owed);
        debug_assert!(!owed || step.owed, "{state:?} × {event:?}: the table knows of no `post_stop` here");
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

    /// An optional child is not there this time: it ends, whatever its lifecycle (S28).
    async fn absent(&mut self) -> After {
        self.take_down(None, false, None).await;
        let now = Instant::now();
        // As where it is gone.
        self.driver.asked.take_down();
        self.driver.asked.take_end();
        self.with_group(|group, id| group.absent(id, now));
        After::Down
    }

    /// `supervision()` is user code: a panic in it is a failed start.
    pub(super) fn read_supervision(&mut self) -> Result<(), String> {
        let body = &mut self.body;
        if let Some(strategy) = self.driver.ask(|| body.supervision())?
            && let Some(sup) = self.driver.cell.ctl().sup()
        {
            sup.configure(strategy);
        }
        Ok(())
    }

    /// A root that fails ends with the first failure (S20); only its own kill is a kill.
    pub(super) fn root_ended(&self, failure: &Failure) -> Ended {
        match failure.cause() {
            Cause::Killed if failure.path() == self.driver.cell.ctl().path() => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    /// A root has nobody to report to.
    pub(super) fn rootless_end(&mut self) -> Option<Ended> {
        if self.driver.cell.ctl().parent.is_some() {
            return None;
        }
        let why = if self.driver.aborted { Ended::Aborted } else { Ended::Stopped };
        Some(self.driver.asked.take_end().unwrap_or(why))
    }

    /// A failed start is reported once nothing of it is up any more.
    pub(super) fn failed_start(&mut self, failure: Failure) -> After {
        self.driver.state = State::Failed;
        self.driver.cell.ctl().emit(EventKind::Failed { failure: failure.clone(), message: None });
        if self.driver.parent().is_none() {
            return After::Over(self.root_ended(&failure));
        }
        let reported = self.hand_in(false);
        self.decide(&failure, reported);
        self.healing = Some(failure.clone());
        self.pending = Some(failure);
        After::Down
    }

    /// A failed start leads to what it was to heal: the failure of a restart, or of the try before (S6).
    pub(super) fn behind_the_one_before(&self, failure: Failure) -> Failure {
        match &self.healing {
            Some(earlier) => failure.after(earlier),
            None => failure,
        }
    }
}
