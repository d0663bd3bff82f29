//! The keeper of a lease: asks for it, renews it while a tree runs under it, and takes that tree down in time.
//!
//! Of the time `ttl` of a lease, the last hundredth is not used: the clock of the service may be that much faster. What is
//! left counts from the asking of the last granted call. Every third of `ttl` the keeper asks for a renewal. A call that
//! takes a sixth is given up; after one that failed, the next follows after a twelfth. When only the time is left that the
//! tree needs to stop, at most a third of `ttl`, the tree is stopped in order. When no time is left, cells run no more user
//! code by themselves ([`Hold::is_over`]), and the keeper aborts what is left.
//!
//! The keeper is a task of its own, so that it goes on while the tree starts and stops, and when nobody awaits either. Each
//! call of the lease, which is user code, is a task of its own again: what hangs, panics or blocks there holds up nothing
//! here.

use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::hold::Hold;
use crate::lease::{AnyLease, Lease};
use supervise_core::base::BoxFuture;
use supervise_core::base::clock::{Moment, after};
use supervise_core::base::sync::Arc;
use supervise_core::decide::group::Group;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Thrown;
use supervise_core::values::lease::{Acquired, Kept, LeaseCall, LeaseChange};
use supervise_core::values::network::OnNetwork;
use supervise_core::values::stop_reason::StopReason;
use supervise_runtime::extension::{AnyCell, ChildTable, abort, report, stop, terminated};

/// The shortest time between two calls, so that a lease without any time is no hot loop.
const LEAST: Duration = Duration::from_millis(10);

/// A lease with the times of its calls.
pub(crate) struct Keeper {
    lease: Arc<dyn AnyLease>,
    name: Arc<str>,
    ttl: Duration,
    /// The tree is on a network, where children may act that this process has not started.
    networked: bool,
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").field("name", &self.name).field("ttl", &self.ttl).finish_non_exhaustive()
    }
}

/// A granted lease. Dropping it gives the lease back, unless a tree was started under it.
pub(crate) struct Grant {
    keeper: Arc<Keeper>,
    pub(crate) hold: Arc<Hold>,
    begun: bool,
}

impl Drop for Grant {
    fn drop(&mut self) {
        // A lease that is given back promises that no child acts. On a network, children of the holder before may still
        // act on nodes, unless that holder has released the lease.
        let knows = self.hold.released || !self.keeper.networked;
        if !self.begun
            && knows
            && let Ok(runtime) = Handle::try_current()
        {
            let (keeper, token) = (self.keeper.clone(), self.hold.token);
            runtime.spawn(async move { keeper.call_release(token).await });
        }
    }
}

impl Grant {
    /// A tree begins under this grant.
    pub(crate) fn begins(mut self) -> Arc<Hold> {
        self.begun = true;
        self.hold.clone()
    }
}

/// Raises the event of a change, where the tree is.
pub(crate) type Tell<'a> = &'a (dyn Fn(EventKind) + Send + Sync);

impl Keeper {
    /// Reads name and time of the lease.
    pub(crate) fn new(lease: impl Lease, networked: bool) -> Arc<Self> {
        let (name, ttl) = (lease.name().into(), lease.ttl());
        Arc::new(Keeper { lease: Arc::new(lease), name, ttl, networked })
    }

    /// Returns a part of the time of the lease.
    fn part(&self, of: u32) -> Duration {
        self.ttl.checked_div(of).unwrap_or_default()
    }

    /// Returns the time for which a grant is used.
    fn lasts(&self) -> Duration {
        self.ttl.saturating_sub(self.part(100))
    }

    /// Returns the time between two calls.
    fn pace(&self) -> Duration {
        self.part(3).max(LEAST)
    }

    /// Returns the time that is kept for the stop of the tree.
    fn for_stop(&self, cell: &AnyCell) -> Duration {
        let third = self.part(3);
        cell.core().table().and_then(ChildTable::need).unwrap_or(third).min(third)
    }

    pub(crate) fn change(&self, change: LeaseChange) -> EventKind {
        EventKind::Lease { lease: self.name.clone(), change }
    }

    /// Calls the lease in a task of its own, for at most this time.
    fn call<T: Send + 'static>(
        &self,
        within: Duration,
        call: impl for<'a> FnOnce(&'a dyn AnyLease) -> BoxFuture<'a, Result<T, Thrown>> + Send + 'static,
    ) -> Answer<T> {
        let lease = self.lease.clone();
        let (tell, answer) = oneshot::channel();
        tokio::spawn(async move {
            let called = match timeout(within, async { call(&*lease).await }).await {
                Ok(answered) => answered.map_err(|error| error.as_error().to_string()),
                Err(_) => Err(format!("no answer within {within:?}")),
            };
            drop(lease);
            let _ = tell.send(called); // an error: nobody waits any more
        });
        Answer(answer)
    }

    async fn call_release(&self, token: u64) -> Result<(), String> {
        self.call(self.pace(), move |lease| lease.release(token)).get().await
    }

    /// Asks once. A grant that nobody waits for any more is given back.
    async fn try_acquire(self: &Arc<Self>) -> Result<Option<Grant>, String> {
        let (keeper, asked) = (self.clone(), Moment::now());
        let (lease, within) = (self.lease.clone(), self.ttl.max(LEAST));
        let (tell, answer) = oneshot::channel();
        tokio::spawn(async move {
            let called = match timeout(within, async { lease.acquire().await }).await {
                Ok(answered) => answered.map_err(|error| error.as_error().to_string()),
                Err(_) => Err(format!("no answer within {within:?}")),
            };
            let granted = called.map(|acquired| {
                acquired.map(|Acquired { token, released }| {
                    let hold = Arc::new(Hold::new(token, released, asked, keeper.lasts()));
                    Grant { keeper, hold, begun: false }
                })
            });
            let _ = tell.send(granted);
        });
        Answer(answer).get().await
    }

    /// Waits until the lease is granted.
    pub(crate) async fn acquire(self: &Arc<Self>, tell: Tell<'_>) -> Grant {
        let mut waiting = false;
        loop {
            let failed = |error| LeaseChange::Failed { call: LeaseCall::Acquire, error };
            match self.try_acquire().await {
                Ok(Some(grant)) if grant.hold.left() > self.part(2) => {
                    let Hold { token, released, .. } = *grant.hold;
                    tell(self.change(LeaseChange::Held { token, released }));
                    return grant;
                }
                Ok(Some(grant)) => {
                    drop(grant); // too little is left of it
                    tell(self.change(failed("the answer came too late".to_owned())));
                }
                Ok(None) if !waiting => {
                    waiting = true;
                    tell(self.change(LeaseChange::Waiting));
                }
                Ok(None) => {}
                Err(error) => tell(self.change(failed(error))),
            }
            sleep(self.pace()).await;
        }
    }

    /// Keeps the lease until the tree with this cell has ended, and gives it back.
    pub(crate) async fn keep(&self, hold: &Hold, cell: &Arc<AnyCell>, tell: Tell<'_>) -> Kept {
        let mut ended = pin!(terminated(cell));
        let mut next = after(Instant::now(), hold.left().saturating_sub(self.lasts().saturating_sub(self.pace())));
        let mut call: Option<(Moment, Answer<bool>)> = None;
        let token = hold.token;
        let (mut lost, mut asked, mut over) = (false, false, false);
        let mut loses = |refused| {
            if !std::mem::replace(&mut lost, true) {
                // If the tree was ending before the loss, it ends for good: finished work is not started again.
                let core = cell.core();
                let failed = matches!(core.stop_reason(), Some(StopReason::Failed | StopReason::Done));
                let ends = || core.table().is_some_and(|table| table.inspect(Group::ends_by_itself));
                asked = failed || core.was_asked_to_stop() || ends();
                tell(self.change(LeaseChange::Lost { token, refused }));
                stop(cell);
            }
        };
        let mut refused = false;
        let (ended, lost) = loop {
            let left = hold.left();
            let mut look = left.saturating_sub(self.for_stop(&**cell));
            if look.is_zero() || refused {
                loses(refused);
                look = left;
            }
            if !over && hold.is_over() {
                over = true;
                tell(self.change(LeaseChange::Over { token }));
                abort(cell);
            }
            // Look often: after a suspension of the machine, tokio's timers come late by its length.
            let look = look.min(self.part(12)).max(Duration::from_millis(1));
            tokio::select! {
                biased;
                ended = ended.as_mut() => break (ended, lost && !asked),
                () = hold.found.notified() => {}
                answer = answered(&mut call) => {
                    let asked = call.take().map_or_else(Moment::now, |(asked, _)| asked);
                    let now = Instant::now();
                    match answer {
                        Ok(true) => {
                            hold.renewed(asked, self.lasts());
                            next = after(now, self.pace().saturating_sub(asked.elapsed()).max(LEAST));
                        }
                        Ok(false) => {
                            refused = true;
                            next = after(now, self.pace());
                        }
                        Err(error) => {
                            tell(self.change(LeaseChange::Failed { call: LeaseCall::Renew, error }));
                            next = after(now, self.part(12).max(LEAST));
                        }
                    }
                }
                () = sleep_until(next), if call.is_none() && !over && !refused => {
                    let within = self.part(6).max(LEAST);
                    call = Some((Moment::now(), self.call(within, move |lease| lease.renew(token))));
                }
                () = sleep(look), if !over => {}
            }
        };
        let reported = report(cell, ended.clone()).children.iter().any(|child| child.stuck);
        let stuck = reported || hold.has_stuck();
        // On a network, children may act that this process has not started.
        let acts_elsewhere = cell.core().bus().slot::<OnNetwork>().is_some_and(|on| on.acts());
        if stuck || acts_elsewhere || matches!(ended, Ended::RuntimeGone) {
            tell(self.change(LeaseChange::Kept { token }));
        } else if hold.is_over() {
            // The lease is over, but the service may still store something for the holder.
            let _ = self.call_release(token).await;
        } else {
            while call.is_some() {
                let _ = answered(&mut call).await; // one call at a time
                call = None;
            }
            let change = match self.call_release(token).await {
                Ok(()) => LeaseChange::Released { token },
                Err(error) => LeaseChange::Failed { call: LeaseCall::Release, error },
            };
            tell(self.change(change));
        }
        Kept { ended, lost }
    }

    /// Returns the time to wait after a tree has failed under the lease, so that another holder can have it first.
    pub(crate) fn turn_of_others(&self) -> Duration {
        self.ttl.max(LEAST)
    }
}

/// The answer of a call.
struct Answer<T>(oneshot::Receiver<Result<T, String>>);

impl<T> Answer<T> {
    async fn get(&mut self) -> Result<T, String> {
        (&mut self.0).await.unwrap_or_else(|_| Err("the call panicked".to_owned()))
    }
}

/// Waits for the answer of the call that is under way, if there is one.
async fn answered<T>(call: &mut Option<(Moment, Answer<T>)>) -> Result<T, String> {
    match call {
        Some((_, answer)) => answer.get().await,
        None => pending().await,
    }
}
