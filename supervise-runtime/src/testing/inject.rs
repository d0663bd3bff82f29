//! Failures on demand.

use std::fmt;

use crate::actor::Actor;
use crate::actor::actor_ref::ActorRef;
use crate::engine::cell::control::{Controlled, SystemMessage, send};
use crate::task::TaskRef;
use crate::tree::TreeRef;
use crate::values::failure::{BoxError, Cause, Thrown};

/// What goes wrong: an error, a panic or a kill.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, Fault, Inject};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
///
/// supervisor! {
///     struct Shop {
///         #![decider(
///             _: Timeout => Restart,
///             Cause::Panic(_) => Resume,
///             Cause::Killed => Stop,
///             _ => Escalate,
///         )]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut shop = testing::start(Shop::tree()).await.expect("a start");
/// shop.expect(["db started", "cart started", "Shop started"]);
/// for fault in [Fault::error(Timeout), Fault::panic("a bug"), Fault::kill()] {
///     shop.db.inject(fault);
///     shop.settle().await;
/// }
/// shop.expect([
///     "db failed", "db decided Restart", "db restart in 0ns", "db restarted",
///     "db failed", "db decided Resume",
///     "db failed", "db decided Stop", "db ended Killed",
/// ]);
/// # }
/// ```
pub struct Fault(Cause);

impl Fault {
    /// The child throws this error; deciders find it by its type, as if it came from the handler.
    pub fn error(error: impl Into<BoxError> + Send + 'static) -> Self {
        Fault(Cause::Error(Thrown::from(error)))
    }

    /// The child panics with this text. Nothing really unwinds: a panic hook sees nothing of it.
    pub fn panic(text: impl Into<String>) -> Self {
        Fault(Cause::Panic(text.into()))
    }

    /// The code of this library that runs the child panics, for real and in whatever state it is.
    #[doc(hidden)]
    pub fn bug(text: impl Into<String>) -> Self {
        Fault(Cause::Bug(text.into()))
    }

    /// The child is killed: as its handle's `kill()`.
    pub fn kill() -> Self {
        Fault(Cause::Killed)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fault").field(&self.0).finish()
    }
}

/// Handles of what can be made to fail: [`ActorRef`], [`TaskRef`], [`TreeRef`], and through it the handle of
/// every tree.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::{self, Fault, Inject};
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = |cx| async move { cx.stopped().await },
///         reports: struct Reports { daily: Db = Db },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let shop = testing::start(Shop::tree()).await.expect("a start");
/// shop.db.inject(Fault::error(Timeout));
/// shop.ticker.inject(Fault::panic("a bug"));
/// shop.reports.inject(Fault::error(Timeout)); // the subtree itself, through its `TreeRef`
/// shop.advance(std::time::Duration::from_secs(1)).await;
/// let incarnations = (shop.db.incarnation(), shop.ticker.incarnation(), shop.reports.incarnation());
/// assert_eq!(incarnations, (2, 2, 2));
/// # }
/// ```
pub trait Inject: target::Target {
    /// Lets it fail, now. Returns at once; the failure takes the way of every other (S6): it is decided on,
    /// charged, paced, reported.
    ///
    /// * What the child is doing is dropped at its next `.await`, as if an error had been thrown there: a
    ///   handler (its message is named in the event), a start, `pre_start`, `post_restart`.
    /// * A task fails as by one of its subtasks: with a context, its own future is told to end and has its
    ///   `shutdown` time (S29).
    /// * On its way down or while its failure is being decided, it is a failure that is reported only.
    /// * While it waits for its start and once it has ended, nothing runs that could fail: an error or panic
    ///   is without effect; a kill is a stop (S6).
    fn inject(&self, fault: Fault) {
        send(target::Target::cell(self), SystemMessage::Inject(fault.0));
    }
}

impl<T: target::Target + ?Sized> Inject for T {}

mod target {
    use super::*;

    pub trait Target {
        #[doc(hidden)]
        #[allow(private_interfaces)] // sealed: nobody else can name it
        fn cell(&self) -> &dyn Controlled;
    }

    impl<A: Actor> Target for ActorRef<A> {
        #[allow(private_interfaces)]
        fn cell(&self) -> &dyn Controlled {
            &*self.cell
        }
    }

    impl Target for TaskRef {
        #[allow(private_interfaces)]
        fn cell(&self) -> &dyn Controlled {
            &*self.cell
        }
    }

    impl Target for TreeRef {
        #[allow(private_interfaces)]
        fn cell(&self) -> &dyn Controlled {
            &*self.cell
        }
    }
}
