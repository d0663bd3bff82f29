//! Down: hooks, children, instance, within its time (S11, S24).

use std::time::Duration;

use super::*;

impl<B: Body> Run<B> {
    pub(super) fn abort(&mut self, message: Option<&'static str>) {
        if !self.driver.aborted {
            self.driver.aborted = true;
            self.driver.cell.ctl().emit(EventKind::Aborted { message });
        }
    }

    /// Down for a restart: `pre_restart`, children, `post_stop`, drop.
    pub(super) async fn go_down(&mut self, failure: Option<Failure>) -> After {
        self.driver.begin_down_now();
        self.body.shut();
        self.healing.clone_from(&failure);
        let owed = std::mem::take(&mut self.owed);
        self.take_down(failure.clone(), owed, failure).await;
        self.gone();
        After::Down
    }

    /// Down for good: children, `post_stop`, drop.
    pub(super) async fn stop(&mut self) -> After {
        self.driver.state = State::Stopping;
        self.close();
        let owed = std::mem::take(&mut self.owed);
        // Asked before its children are told: if a failure is taking it down already, that is its end (S18, S22).
        let failed = self.driver.cell.ctl().sup().and_then(|sup| sup.look(|group| group.ends_with_failure()));
        self.take_down(None, owed, None).await;
        let failed = failed.map(Ended::Failed);
        if let Some(why) = self.rootless_end() {
            return After::Over(failed.filter(|_| why.is_orderly()).unwrap_or(why));
        }
        if let Some(failed) = failed {
            self.with_group(|group, id| group.ends_as(id, failed));
        }
        self.gone();
        After::Down
    }

    /// `cx.stop()`, a task that returned, a tree whose members have all ended (S22, S23).
    pub(super) async fn done_by_itself(&mut self, failure: Option<Failure>) -> After {
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
            Some(failure) => Ended::Failed(failure),
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
    pub(super) async fn take_down(&mut self, pre_restart: Option<Failure>, owed: bool, again: Option<Failure>) {
        self.driver.drop_asides();
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
        if B::ROLE == Role::Task && (self.driver.aborted || !self.settled().await) {
            self.abort(None);
            self.abort_task().await;
        }
        if again.is_some() {
            self.body.unwatch_children(); // behind `pre_restart`, which says whom to keep
        }
        self.take_children_down(again).await;
        if owed && !self.driver.aborted {
            let exit = self.driver.beside(self.body.post_stop()).await;
            self.after_hook(exit);
        }
        self.drop_instance();
    }

    pub(super) fn drop_instance(&mut self) {
        let Run { driver, body, .. } = self;
        body.drop_instance(&mut |part| driver.guarded(part));
    }

    /// A tree that goes down for good reports all its children: first those that had ended before (S24).
    fn begin_report(&self) {
        if B::ROLE == Role::Tree {
            // In this order: a child that ends meanwhile is found, or tells it, or both.
            let ctl = self.driver.cell.ctl();
            ctl.open_report();
            ctl.had_ended(ended_below(&*self.driver.cell));
        }
    }

    /// Dropping what is queued is user code too.
    pub(super) fn close(&mut self) {
        let body = &mut self.body;
        self.driver.guarded(|| body.close());
    }

    pub(super) fn after_hook(&mut self, exit: Exit<Result<(), Thrown>>) {
        match exit {
            Exit::Done(Ok(())) => {}
            Exit::Done(Err(thrown)) => self.driver.report(Cause::Error(thrown)),
            Exit::Panicked(text) => self.driver.report(Cause::Panic(text)),
            Exit::Cut(_) => self.abort(None),
        }
    }

    pub(super) async fn take_children_down(&mut self, again: Option<Failure>) {
        if again.is_none() {
            self.begin_report();
        }
        let Some(sup) = self.driver.cell.ctl().sup() else { return };
        let now = Instant::now();
        sup.on(&*self.driver.cell, |group| match &again {
            Some(failure) => group.restart_from_above(failure, now),
            None => group.stop(now),
        });
        if self.driver.aborted {
            sup.abort(&*self.driver.cell, now);
        }
        while self.driver.until_children_down().await.is_err() {
            self.abort(None);
            if let Some(sup) = self.driver.cell.ctl().sup() {
                sup.abort(&*self.driver.cell, Instant::now());
            }
        }
    }

    /// Nothing of this incarnation is up any more.
    pub(super) fn gone(&mut self) {
        // Left, its next turn would find them and tell its group once more.
        self.driver.asked.take_down();
        self.driver.asked.take_end();
        let now = Instant::now();
        self.with_group(|group, id| group.gone(id, now));
    }
}

/// The children that have ended and are kept, since their supervisor might start them again, with their ids; each
/// behind those below it.
fn ended_below(cell: &dyn Controlled) -> Vec<(u64, ChildReport)> {
    let below = |cell: &dyn Controlled| cell.ctl().sup().map(|sup| sup.cells()).unwrap_or_default().into_iter();
    let mut reports = Vec::new();
    let mut within = Vec::new();
    let mut children = below(cell);
    loop {
        if let Some(child) = children.next() {
            let inner = below(&*child);
            within.push((child, std::mem::replace(&mut children, inner)));
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
