//! The service that grants leases.

use std::future::Future;
use std::time::Duration;

use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::failure::Thrown;
use supervise_core::values::lease::Acquired;

/// A service that grants the right to run to one holder at a time, for a limited time.
///
/// [`only_with`](crate::RunsUnder::only_with) runs a whole tree under a lease, `#[only_with(lease)]` a part of it. See rule S55.
///
/// The crate `supervise-lease` has leases in a file, in PostgreSQL and in Kubernetes. An implementation has to keep two
/// promises, and the runtime does the rest:
///
/// * From the moment at which it carries out a call that it answers with a grant, it grants the lease to nobody else for
///   [`ttl`](Lease::ttl), unless the holder has [released](Lease::release) it. The clock is that of the service.
/// * The token of each grant by `acquire` is greater than those of all grants before, to whomever. This outlives the
///   service.
///
/// The runtime counts the time of a holding from the *asking* of the last call that was granted, which is never later than
/// what the service counts. Calls may fail, hang, or panic: a call that takes too long is given up, and made again. Of one
/// holder there is never more than one call at a time. A call that blocks its thread may hold up the timers of the whole
/// runtime, and with them the stop of the tree: use `tokio::task::spawn_blocking` in it. Nothing of the tree acts past the
/// time of the lease all the same.
///
/// ```
/// use std::sync::Mutex;
/// use std::time::Duration;
///
/// use supervise::Thrown;
/// use supervise::lease::{Acquired, Lease};
/// use tokio::time::Instant;
///
/// /// A lease of this process, for the example.
/// struct Here(Mutex<(u64, Option<Instant>)>);
///
/// const TTL: Duration = Duration::from_secs(15);
///
/// impl Lease for Here {
///     fn name(&self) -> String {
///         "here".to_owned()
///     }
///
///     fn ttl(&self) -> Duration {
///         TTL
///     }
///
///     async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
///         let (token, until) = &mut *self.0.lock().expect("no panic");
///         let now = Instant::now();
///         if until.is_some_and(|until| now < until) {
///             return Ok(None); // another one has it
///         }
///         let released = until.is_none() && *token > 0;
///         (*token, *until) = (*token + 1, Some(now + TTL));
///         Ok(Some(Acquired { token: *token, released }))
///     }
///
///     async fn renew(&self, mine: u64) -> Result<bool, Thrown> {
///         let (token, until) = &mut *self.0.lock().expect("no panic");
///         let now = Instant::now();
///         let held = *token == mine && until.is_some_and(|until| now < until);
///         if held {
///             *until = Some(now + TTL);
///         }
///         Ok(held)
///     }
///
///     async fn release(&self, mine: u64) -> Result<(), Thrown> {
///         let (token, until) = &mut *self.0.lock().expect("no panic");
///         if *token == mine {
///             *until = None;
///         }
///         Ok(())
///     }
/// }
/// # let _ = Here(Mutex::new((0, None)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no lease",
    label = "not a lease",
    note = "the crate `supervise-lease` has `FileLease`, `PostgresLease` and `KubernetesLease`; for another one, implement `Lease`"
)]
pub trait Lease: Send + Sync + 'static {
    /// Returns the name of the lease, for events and logs. It is read once.
    fn name(&self) -> String;

    /// Returns the time for which a grant holds. It is read once. At least a second is sensible, and three times the time
    /// that the tree needs to stop.
    fn ttl(&self) -> Duration;

    /// Tries once to acquire the lease, and does not wait for another holder. `None`: another one holds it. The runtime
    /// asks again after a third of [`ttl`](Lease::ttl).
    ///
    /// A holder whose answer was lost is another holder: the lease is free again once its time is over.
    ///
    /// # Errors
    ///
    /// An error is an event. The runtime asks again after the same time.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped if it takes longer than `ttl`. The lease may have been granted then.
    fn acquire(&self) -> impl Future<Output = Result<Option<Acquired>, Thrown>> + Send;

    /// Makes the holding of this token last for [`ttl`](Lease::ttl) from now on. `false`: the lease is not held with this
    /// token any more, and the tree stops.
    ///
    /// # Errors
    ///
    /// An error is an event. The runtime asks again soon, and stops the tree in time if that does not help.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped if it takes longer than a sixth of `ttl`.
    fn renew(&self, token: u64) -> impl Future<Output = Result<bool, Thrown>> + Send;

    /// Gives the holding of this token back: another one may have the lease at once. It is called only if everything of
    /// the tree is down. Without effect if the lease is not held with this token any more.
    ///
    /// # Errors
    ///
    /// An error is an event. The lease is then free once its time is over.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped if it takes longer than a third of `ttl`.
    fn release(&self, token: u64) -> impl Future<Output = Result<(), Thrown>> + Send;
}

impl<L: Lease> Lease for Arc<L> {
    fn name(&self) -> String {
        L::name(self)
    }

    fn ttl(&self) -> Duration {
        L::ttl(self)
    }

    fn acquire(&self) -> impl Future<Output = Result<Option<Acquired>, Thrown>> + Send {
        L::acquire(self)
    }

    fn renew(&self, token: u64) -> impl Future<Output = Result<bool, Thrown>> + Send {
        L::renew(self, token)
    }

    fn release(&self, token: u64) -> impl Future<Output = Result<(), Thrown>> + Send {
        L::release(self, token)
    }
}

/// A [`Lease`] of any type.
pub(crate) trait AnyLease: Send + Sync {
    fn acquire(&self) -> BoxFuture<'_, Result<Option<Acquired>, Thrown>>;
    fn renew(&self, token: u64) -> BoxFuture<'_, Result<bool, Thrown>>;
    fn release(&self, token: u64) -> BoxFuture<'_, Result<(), Thrown>>;
}

impl<L: Lease> AnyLease for L {
    fn acquire(&self) -> BoxFuture<'_, Result<Option<Acquired>, Thrown>> {
        Box::pin(Lease::acquire(self))
    }

    fn renew(&self, token: u64) -> BoxFuture<'_, Result<bool, Thrown>> {
        Box::pin(Lease::renew(self, token))
    }

    fn release(&self, token: u64) -> BoxFuture<'_, Result<(), Thrown>> {
        Box::pin(Lease::release(self, token))
    }
}
