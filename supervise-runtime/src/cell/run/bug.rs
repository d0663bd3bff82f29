//! A panic of this crate's own code is no silent end: the child fails with it, and its supervisor after it (S19, S25).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::super::control::{Control, send};
use super::*;
use crate::decide::member::At;
use crate::failure::panic_text;
use crate::loud;

pin_project! {
    /// A future whose panic is a value. It is not polled again then.
    struct Caught<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => {
                let text = panic_text(panic);
                loud::bug(&text);
                Poll::Ready(Err(text))
            }
        }
    }
}

impl<B: Body> Run<B> {
    /// Lives to the end, over panics of what runs it.
    pub(super) async fn outlive(&mut self) {
        loop {
            let Err(text) = (Caught { future: self.live() }).await else { return self.bye.was_orderly() };
            let phase = match self.driver.state {
                State::Starting => Phase::Start,
                State::StartAgain | State::PostRestart => Phase::Restart,
                _ => Phase::Running,
            };
            let bug = self.driver.failure(phase, Cause::Bug(text));
            self.driver.cell.ctl().emit(EventKind::Failed { failure: bug.clone(), message: None });
            // Twice without anything up in between, or in what follows: only the end is left.
            let again = std::mem::replace(&mut self.broken, true);
            if again || (Caught { future: Box::pin(self.break_down(bug.clone())) }).await.is_err() {
                self.bye.bug = Some(bug);
                return;
            }
        }
    }

    /// Nothing of this incarnation stays, and no hook of it runs. Then it is a failure that is escalated.
    async fn break_down(&mut self, bug: Failure) {
        if self.ended {
            // Nothing is left that could fail. If it was to start, or is gone meanwhile, its group says what follows.
            self.broken = false;
            closed(&*self.driver.cell);
            self.with_group(|group, id| {
                if matches!(group.at(id), At::Starting | At::Down) {
                    group.gone(id, Instant::now());
                }
            });
            return;
        }
        self.driver.state = State::Stopping;
        self.driver.begun = None;
        self.driver.forget_cut();
        self.driver.begin_down_now();
        self.body.shut();
        self.driver.drop_asides();
        if B::ROLE == Role::Task {
            self.abort_task().await;
        }
        let again = (self.was_up && self.driver.parent().is_some()).then(|| bug.clone());
        self.take_children_down(again).await;
        self.owed = false;
        self.driver.aborted = true;
        self.drop_instance();
        if self.driver.parent().is_none() {
            self.driver.asked.put_over(self.root_ended(&bug));
            return;
        }
        let over = self.with_group(|group, id| group.at(id) == At::Ended).unwrap_or(true);
        let (reported, row) = self.hand_in(false);
        self.decide(&bug, (reported, row));
        if over {
            self.driver.asked.put_over(Ended::by(&bug)); // what it was told of its end is lost
        }
        if matches!(reported, Reported::Absorbed | Reported::Reported) {
            self.gone(); // it was asked to go down, which may be lost too
        }
        if self.was_up {
            self.healing = Some(bug.clone());
        }
        self.pending = Some(bug);
    }
}

impl Bye {
    /// The task cannot even go down: everybody is told, and what is below it ends at once.
    pub(super) fn buried(&self, bug: Failure) {
        let ctl = self.cell.ctl();
        for child in ctl.sup().map(|sup| sup.cells()).unwrap_or_default() {
            send(&*child, Control::End(Ended::Stopped));
        }
        let ended = Ended::Failed(bug);
        ctl.emit(EventKind::Ended { ended: ended.clone() });
        ctl.set_ended(ended.clone());
        let took = std::time::Duration::ZERO;
        ctl.tell_report(|path| {
            let ended = ended.clone();
            ChildReport { path, ended, took, aborted: true, stuck: false, failure: None, failures: 0 }
        });
    }
}
