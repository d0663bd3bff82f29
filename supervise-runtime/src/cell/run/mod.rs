//! The life of a cell: wait for its turn, start, serve, fail or stop, go down, and again.
//!
//! One task for all incarnations (S1). What differs between actors, tasks and trees is in the
//! [`Body`]; what an event means is in `decide`; how control reaches a user future is in the
//! [`Driver`]. Here is the order of things (S11).

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::Instant;

use super::body::{Body, Served};
use super::control::{Controlled, closed};
use super::driver::{Driver, Exit};
use crate::contradiction::Contradiction;
use crate::decide::child::{self, Event, State, Verdict};
use crate::decide::group::{Facts, Reported};
use crate::decide::member::{At, Role};
use crate::events::EventKind;
use crate::failure::{Cause, Failure, Phase, Thrown};
use crate::options::Common;
use crate::report::ChildReport;
use crate::strategy::{Directive, Lifecycle, Shutdown, default_directive};
use crate::sync::Arc;
use crate::watch::Ended;

mod bug;
mod deciding;
mod draining;
mod going_down;
mod readying;
mod serving;
mod starting;

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
    /// The failure of this crate's own code, if that is why.
    bug: Option<Failure>,
}

impl Bye {
    fn was_orderly(&mut self) {
        self.orderly = true;
    }

    /// The task is gone without an end: its supervisor must not wait for it for ever. `runtime_gone`: and must not take
    /// it for an end.
    fn lost(&self, runtime_gone: bool) {
        if let Some(owner) = self.cell.ctl().supervisor()
            && let Some(sup) = owner.ctl().sup()
        {
            let now = Instant::now();
            sup.on_child(&*owner, &*self.cell, |group, id| {
                if runtime_gone {
                    group.runtime_gone();
                }
                group.lose(id, now);
            });
        }
    }
}

impl Drop for Bye {
    fn drop(&mut self) {
        if !self.orderly {
            let ctl = self.cell.ctl();
            // First: behind it no start by hand opens the mailbox again, and one in front of it is undone here.
            self.lost(self.bug.is_none());
            self.cell.refuse();
            if ctl.ended().is_none() {
                match self.bug.take() {
                    Some(bug) => self.buried(bug),
                    None => ctl.set_ended(Ended::RuntimeGone),
                }
            }
            if ctl.parent.is_none() {
                ctl.bus.close();
            }
            closed(&*self.cell);
        }
        if let Some(sup) = self.cell.ctl().sup() {
            sup.finish();
        }
        let ctl = self.cell.ctl();
        ctl.set_supervisor(None);
        if ctl.parent.as_ref().is_none_or(|parent| parent.ctl().is_guardian()) {
            ctl.bus.spans.end();
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
    /// The failure that the next incarnation heals. Before it was ever up, that of the try before.
    healing: Option<Failure>,
    /// A failure without an instance, whose decision is kept.
    pending: Option<Failure>,
    /// `pre_start` has succeeded: `post_stop` is owed.
    owed: bool,
    was_up: bool,
    ended: bool,
    /// This crate's own code has failed, and no incarnation was up since.
    broken: bool,
}

impl<B: Body> Drop for Run<B> {
    fn drop(&mut self) {
        if !self.bye.orderly {
            // Messages taken out of its mailbox and not handled become dead letters too (S5), and who asks from
            // outside of the runtime must not wait for ever.
            self.driver.drop_asides();
            self.drop_instance();
            self.close(); // last: a message that was to be delivered again is back in the mailbox now
        }
    }
}

/// The run loop of a cell. Its future is most of what an idle actor costs, so what happens rarely is boxed.
pub(crate) fn run<B: Body>(cell: Arc<dyn Controlled>, mut body: B) -> impl Future<Output = ()> + Send + 'static {
    let common = body.common();
    let mut run = Run {
        bye: Bye { cell: cell.clone(), orderly: false, bug: None },
        driver: Driver::new(cell, B::ROLE),
        body,
        common,
        random: None,
        healing: None,
        pending: None,
        owed: false,
        was_up: false,
        ended: false,
        broken: false,
    };
    async move {
        run.driver.arrive().await;
        run.outlive().await;
    }
}

impl<B: Body> Run<B> {
    async fn live(&mut self) {
        if self.ended && !self.starts_again().await {
            return;
        }
        loop {
            let over = match self.turn().await {
                None => match self.incarnation().await {
                    After::Down => continue,
                    After::Over(ended) => ended,
                },
                Some(ended) => ended,
            };
            self.over(over).await;
            if !self.starts_again().await {
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
                        self.redecide(&failure);
                        self.pending = Some(failure);
                    }
                }
            }
        }
    }

    /// One incarnation, from its start to the point where nothing of it is up any more.
    async fn incarnation(&mut self) -> After {
        self.driver.breathe().await;
        self.driver.begin_incarnation();
        self.driver.cell.ctl().forget_late();
        self.pending = None;
        self.owed = false;
        self.common = self.body.common();
        self.driver.shutdown = self.common.shutdown_or_default(B::ROLE);
        self.driver.drains = self.common.drain && B::ROLE == Role::Actor;
        if B::ROLE == Role::Tree {
            self.driver.cell.ctl().forget_report(); // of a boot that failed
        }
        if std::mem::take(&mut self.ended) {
            self.driver.cell.ctl().revive();
            self.healing = None;
            // After `start_again()` it is a first start (S26), after a restart from above it is not (S20).
            self.was_up &= self.with_group(|group, id| group.was_up(id)).unwrap_or(false);
            self.body.shut();
            if !self.was_up
                && let Some(sup) = self.driver.cell.ctl().sup()
            {
                sup.on(&*self.driver.cell, |group| group.forget_stops());
            }
        }
        let incarnation = self.driver.cell.ctl().next_incarnation();
        self.driver.begin_span();
        if let Some(sup) = self.driver.cell.ctl().sup() {
            sup.rebuild(&*self.driver.cell, self.driver.held);
        }
        if let Some(after) = self.start().await {
            return after;
        }
        self.driver.state = State::Running;
        self.driver.told = self.body.signal();
        if B::ROLE == Role::Task
            && self.common.ready
            && let Some(after) = Box::pin(self.get_ready()).await
        {
            return after;
        }
        self.driver.begun = None;
        self.broken = false;
        let again = std::mem::replace(&mut self.was_up, true);
        let ctl = self.driver.cell.ctl();
        ctl.emit(match again && incarnation > 1 {
            true => EventKind::Restarted,
            false => EventKind::Started { seed: ctl.parent.is_none().then_some(ctl.bus.seed) },
        });
        self.open();
        let ctl = self.driver.cell.ctl();
        let now = Instant::now();
        if let Some((sup, owner)) = self.driver.parent() {
            sup.on_child(&**owner, &*self.driver.cell, |group, id| group.up(id, now));
        }
        ctl.set_up();
        let healed = self.healing.take();
        if let Some(sup) = ctl.sup() {
            sup.on(&*self.driver.cell, |group| match &healed {
                Some(failure) if again && B::ROLE == Role::Actor => group.restart_kept(failure, now),
                _ => group.owner_up(now),
            });
        }
        // Behind both: who waits for a set waits for its group too.
        self.driver.cell.ctl().bus.changed.notify_waiters();
        self.serve().await
    }

    /// Takes messages from now on, unless it rejects them while it is held (S35).
    fn open(&mut self) {
        self.body.open();
        if self.driver.held {
            self.driver.cell.set_down(true);
        }
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

    /// It has ended: messages go back, watchers are told.
    async fn over(&mut self, ended: Ended) {
        if std::mem::replace(&mut self.ended, true) {
            self.driver.forget_last_life();
        }
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
        self.driver.end_span();
        let ctl = self.driver.cell.ctl();
        let took = self.driver.took();
        ctl.emit(EventKind::Ended { ended: ended.clone() });
        ctl.set_ended(ended.clone());
        // Behind its end: a report that is opened meanwhile finds the one or is told the other.
        let (failure, failures) = ctl.late();
        ctl.tell_report(|path| {
            let (ended, failure) = (ended.clone(), failure.clone());
            ChildReport { path, ended, took, aborted, stuck: false, failure, failures }
        });
        ctl.bus.changed.notify_waiters();
        if ctl.parent.is_none() {
            ctl.bus.close();
        }
        closed(&*self.driver.cell);
    }

    /// Ended, but declared: a restart from above starts it again, or a start by hand (S20, S26). False: never.
    async fn starts_again(&mut self) -> bool {
        loop {
            let dynamic = self.driver.cell.ctl().parent.is_none() || self.forgotten();
            let found = if dynamic { Turn::Gone } else { self.driver.until(after_the_end).await };
            match found {
                Turn::Start => return true,
                // Started by hand, which was to wait, and stopped before it could begin: that is an end of its own.
                Turn::Over(ended) => self.over(ended).await,
                // And if its supervisor is gone instead.
                Turn::Gone | Turn::Redecide if self.driver.cell.ctl().ended().is_none() => {
                    self.over(Ended::Stopped).await;
                }
                Turn::Gone | Turn::Redecide => return false,
            }
        }
    }
}

/// The next thing for one that has ended, as soon as something is asked of it.
fn after_the_end(driver: &mut Driver) -> Option<Turn> {
    let asked = &mut driver.asked;
    if let Some(ended) = asked.take_over() {
        Some(Turn::Over(ended))
    } else if asked.start {
        Some(Turn::Start)
    } else {
        asked.finish.then_some(Turn::Gone)
    }
}

/// What `turn` found.
enum Turn {
    Start,
    Over(Ended),
    Gone,
    Redecide,
}
