//! From a failure to its decision: deciders asked, group told, outcome awaited (S7 to S9).

use super::*;

impl<B: Body> Run<B> {
    pub(super) fn thrown(&self, phase: Phase, cause: Result<Cause, Thrown>) -> Failure {
        match cause {
            Ok(cause) => self.driver.failure(phase, cause),
            Err(thrown) => match thrown.into_failure() {
                Ok(failure) => failure.in_phase(phase),
                Err(thrown) => self.driver.failure(phase, Cause::Error(thrown)),
            },
        }
    }

    pub(super) fn with_group<R>(&self, event: impl FnOnce(&mut crate::decide::group::Group, u32) -> R) -> Option<R> {
        let (sup, owner) = self.driver.parent()?;
        sup.on_child(&**owner, &*self.driver.cell, event)
    }

    pub(super) fn facts(&mut self) -> Facts {
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

    /// Asks the deciders: the child's own, the supervisor's, the default (S8, S9). Of a `Temporary` child only its own
    /// is asked (S23). `None`: nobody was, or has said anything, and it ends.
    pub(super) fn directive(&mut self, failure: &Failure) -> Option<Directive> {
        let own = self.common.decider.clone();
        let once = self.common.lifecycle_or(B::ROLE) == Lifecycle::Temporary;
        if failure.error::<Contradiction>().is_some() {
            return (!once).then_some(Directive::Stop); // another start would find the same
        }
        let above = if once { None } else { self.driver.parent().and_then(|(sup, _)| sup.decider()) };
        let arms = own.as_ref().is_some_and(|d| d.has_arms()) || above.as_ref().is_some_and(|d| d.has_arms());
        let declared = self.common.backoff.is_some();
        let said = self.driver.ask(|| {
            let own = own.as_ref().and_then(|decider| decider.decide(failure));
            own.or_else(|| above.as_ref().and_then(|decider| decider.decide(failure)))
        });
        match said {
            // There is no restart to decide on.
            Ok(Some(Directive::Restart)) if once => Some(Directive::Stop),
            Ok(Some(directive)) => Some(directive),
            Ok(None) => (!once).then(|| default_directive(failure, declared, arms)),
            Err(panic) => {
                self.driver.report(Cause::Panic(panic));
                Some(Directive::Escalate)
            }
        }
    }

    /// Tells the group of a failure: what is done about it, and how many restarts in a row it would be.
    pub(super) fn hand_in(&self, instance: bool) -> (Reported, u32) {
        let handed_in = self.with_group(|group, id| (group.failed(id, instance), group.row(id) + 1));
        handed_in.unwrap_or((Reported::Reported, 1))
    }

    /// A kept failure is decided now.
    pub(super) fn redecide(&mut self, failure: &Failure) {
        let row = self.with_group(|group, id| group.row(id) + 1).unwrap_or(1);
        self.decide(failure, (Reported::Decide, row));
    }

    pub(super) fn decide(&mut self, failure: &Failure, (reported, row): (Reported, u32)) {
        match reported {
            Reported::Decide => {
                // The decider is not asked about an end (S23), nor about a bug of what runs the child (S19).
                let directive = match failure.cause() {
                    Cause::EndedByItself => Some(Directive::Restart),
                    // Code that failed in running it is not to be trusted with the next start alone.
                    Cause::Bug(_) if failure.path() == self.driver.cell.ctl().path() => Some(Directive::Escalate),
                    _ => self.directive(failure),
                };
                let facts = self.facts();
                if let Some(directive) = directive {
                    let comes_to = self.with_group(|group, id| {
                        let instance = group.at(id) == At::Failed;
                        group.comes_to(id, directive, instance, facts.now)
                    });
                    let told = comes_to.unwrap_or(directive);
                    let ctl = self.driver.cell.ctl();
                    ctl.emit(EventKind::Decided { directive: told, failure: failure.clone(), row });
                }
                let directive = directive.unwrap_or(Directive::Stop);
                let decided = self.with_group(|group, id| group.decided(id, directive, failure, facts));
                if decided == Some(Reported::Absorbed) {
                    self.driver.cell.ctl().fails_late(failure.clone()); // it was asked to go down meanwhile
                }
                self.driver.cell.ctl().bus.changed.notify_waiters(); // who waits for its start may go on
            }
            Reported::Kept => {}
            Reported::Absorbed | Reported::Reported => {
                self.driver.cell.ctl().fails_late(failure.clone());
            }
        }
    }

    /// A failure with an instance: reported, decided, and carried out (S7, S8).
    pub(super) async fn fail(&mut self, failure: Failure, message: Option<&'static str>) -> Outcome {
        self.driver.state = State::Failed;
        self.body.shut();
        let ctl = self.driver.cell.ctl();
        ctl.emit(EventKind::Failed { failure: failure.clone(), message });
        if let Some(sup) = ctl.sup() {
            sup.on(&*self.driver.cell, |group| group.hold());
        }
        if self.driver.parent().is_none() {
            self.driver.asked.put_end(self.root_ended(&failure));
            return Outcome::End;
        }
        let reported = self.hand_in(true);
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
                None => self.redecide(&failure),
                Some(Outcome::Resume) => {
                    let (facts, held) = (self.facts(), self.driver.held);
                    if let Some(sup) = self.driver.cell.ctl().sup() {
                        sup.on(&*self.driver.cell, |group| group.resume(&failure, facts, held));
                    }
                    let body = &mut self.body;
                    self.driver.guarded(|| body.forgive());
                    self.open();
                    return Outcome::Resume;
                }
                Some(outcome) => return outcome,
            }
        }
    }
}
