//! A lease in memory, with faults.

use std::fmt;
use std::future::pending;
use std::time::Duration;

use tokio::time::sleep;

use supervise_core::base::clock::{Moment, pretend_suspended};
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::failure::Thrown;
use supervise_core::values::lease::Acquired;
use supervise_lease::Lease;

/// The fault of a contender for a [`MemoryLease`], until another one is set.
///
/// ```
/// use std::time::Duration;
/// use supervise::testing::{LeaseFault, MemoryLease};
///
/// let lease = MemoryLease::new("jobs");
/// lease.set_fault(LeaseFault::Delay(Duration::from_secs(1)));
/// lease.set_fault(LeaseFault::None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LeaseFault {
    /// The lease answers at once.
    #[default]
    None,
    /// Calls fail and have no effect: the contender is cut off.
    Cut,
    /// Calls are carried out, and their answers are lost: they fail.
    LostAnswers,
    /// Calls are carried out at once and never answer.
    Hang,
    /// Calls take this long on their way there, and as long on the way back.
    Delay(Duration),
    /// Calls panic.
    Panic,
}

/// A lease in memory, for tests: of one process, on tokio's clock, with faults on request.
///
/// A clone is the same contender, with the same faults; [`contender`](Self::contender) makes another one for the same lease.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::testing::{LeaseFault, MemoryLease, advance};
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let lease = MemoryLease::new("shop").ttl(Duration::from_secs(9));
/// let one = Shop::tree().only_with(lease.clone()).start().await?;
/// let other = lease.contender();
/// let two = tokio::spawn(async move { Shop::tree().only_with(other).start().await });
///
/// assert_eq!(lease.holder(), Some(1));
/// lease.steal(); // by force: the next renewal of the holder is refused
/// advance(Duration::from_secs(3)).await;
/// assert!(one.ended().is_some());
///
/// lease.set_fault(LeaseFault::Cut); // of this contender alone
/// assert_eq!(two.await??.lease_token(), Some(3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryLease {
    name: Arc<str>,
    ttl: Duration,
    service: Arc<Mutex<Service>>,
    fault: Arc<Mutex<LeaseFault>>,
}

#[derive(Debug, Default)]
struct Service {
    token: u64,
    /// The moment of the last grant; `None`: the lease was released, or there was none.
    granted: Option<Moment>,
}

impl Service {
    fn is_held(&self, ttl: Duration) -> bool {
        self.granted.is_some_and(|granted| granted.elapsed() < ttl)
    }
}

impl fmt::Debug for MemoryLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLease").field("name", &self.name).field("ttl", &self.ttl).finish_non_exhaustive()
    }
}

impl MemoryLease {
    /// Makes a lease that nobody has held, with a `ttl` of 15 s.
    pub fn new(name: &str) -> Self {
        MemoryLease { name: name.into(), ttl: Duration::from_secs(15), service: Arc::default(), fault: Arc::default() }
    }

    /// Sets the time for which a grant holds. All contenders need the same.
    pub fn ttl(self, ttl: Duration) -> Self {
        MemoryLease { ttl, ..self }
    }

    /// Makes another contender for the same lease, with faults of its own. A clone is the same contender.
    pub fn contender(&self) -> Self {
        MemoryLease { fault: Arc::default(), ..self.clone() }
    }

    /// Sets the fault of this contender.
    pub fn set_fault(&self, fault: LeaseFault) {
        *lock(&self.fault) = fault;
    }

    /// Returns the token of the holding, if the lease is held.
    pub fn holder(&self) -> Option<u64> {
        let service = lock(&self.service);
        service.is_held(self.ttl).then_some(service.token)
    }

    /// Takes the lease away from its holder, who learns of it with its next renewal, and gives it back at once: it is free.
    /// A real service never does this before the time of the holding is over.
    pub fn steal(&self) {
        let mut service = lock(&self.service);
        service.token += 1;
        service.granted = None;
    }

    /// Carries out a call, with the present fault.
    async fn call<T>(&self, call: impl FnOnce(&mut Service) -> T) -> Result<T, Thrown> {
        let fault = *lock(&self.fault);
        if let LeaseFault::Delay(time) = fault {
            sleep(time).await;
        }
        match fault {
            LeaseFault::Cut => return Err("the lease cannot be reached".into()),
            LeaseFault::Panic => panic!("a lease with a bug"),
            _ => {}
        }
        let done = call(&mut lock(&self.service));
        match fault {
            LeaseFault::Delay(time) => sleep(time).await,
            LeaseFault::Hang => pending().await,
            LeaseFault::LostAnswers => return Err("the answer is lost".into()),
            _ => {}
        }
        Ok(done)
    }
}

impl Lease for MemoryLease {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn ttl(&self) -> Duration {
        self.ttl
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        let ttl = self.ttl;
        self.call(move |service| {
            if service.is_held(ttl) {
                return None;
            }
            let released = service.granted.is_none() && service.token > 0;
            service.token += 1;
            service.granted = Some(Moment::now());
            Some(Acquired { token: service.token, released })
        })
        .await
    }

    async fn renew(&self, token: u64) -> Result<bool, Thrown> {
        let ttl = self.ttl;
        self.call(move |service| {
            let held = service.token == token && service.is_held(ttl);
            if held {
                service.granted = Some(Moment::now());
            }
            held
        })
        .await
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        self.call(move |service| {
            if service.token == token {
                service.granted = None;
            }
        })
        .await
    }
}

/// Lets it seem, to all trees of this thread, that the machine was suspended for this long: tokio's clock stood still, and
/// the leases that trees hold did not.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::testing::{MemoryLease, settle, suspended};
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::tree().only_with(MemoryLease::new("shop")).start().await?;
/// suspended(Duration::from_secs(20)); // longer than the lease holds
/// shop.jobs.try_tell(())?;
/// settle().await;
/// assert!(shop.ended().is_some()); // the message was not handled
/// assert_eq!(shop.dead_letters(), 1);
/// # Ok(())
/// # }
/// ```
pub fn suspended(time: Duration) {
    pretend_suspended(time);
}
