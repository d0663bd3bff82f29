//! The handle of an actor: tell, ask, watch, stop (rules S2 and S3).

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::task::{Context as Cx, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep};

use crate::actor::Actor;
use crate::actor::commands::{self, CommandError};
use crate::actor::context::Context;
use crate::actor::timers::Tick;
use crate::base::BoxFuture;
use crate::base::sync::Arc;
use crate::engine::cell::control::{Controlled, SystemMessage, Waiting, send};
use crate::engine::cell::current;
use crate::engine::death_watch::Notice;
use crate::engine::mailbox::{Letter, MailCell, Rejected};
use crate::values::ended::{Ended, Watched};
use crate::values::event::EventKind;
use crate::values::failure::Failure;

mod errors;
mod push;
mod reply;
mod waits;

pub use errors::{AskError, Refusal, TellError, WaitError};
pub use push::{Ask, Tell};
pub use reply::Reply;
pub use waits::Terminated;

use push::Push;
use reply::Answer;

/// How a notice reaches `A`: a function made where `A: Watcher` is known, so that the loop over
/// messages needs no such bound.
pub(crate) type Deliver<A> =
    for<'a> fn(&'a mut A, Notice, &'a mut Context<A>) -> BoxFuture<'a, Result<(), <A as Actor>::Error>>;

/// What a mailbox holds.
pub(crate) enum Envelope<A: Actor> {
    Msg(A::Msg),
    Notice(Box<(Notice, Deliver<A>)>),
    /// A timer's tick or the result of a subordinate future: gone with the incarnation (S11).
    Tick(Arc<Tick<A>>),
}

impl<A: Actor> Letter for Envelope<A> {
    fn message(&self) -> Option<&'static str> {
        matches!(self, Envelope::Msg(_)).then(type_name::<A::Msg>)
    }
}

pub(crate) type Cell<A> = MailCell<Envelope<A>>;

/// A `tell` that waits this long raises `Blocked`.
const BLOCKED: Duration = Duration::from_secs(10);

/// The handle of an actor. Cheap to clone, `Send + Sync`, keeps nothing alive, and stays the same over
/// every restart, also for watching and stopping (rule S2).
///
/// Two handles are equal when they are of the same actor, whatever incarnation it is in. A handle is hashed by the same
/// identity, so it can be a key.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Counter(u64);
///
/// enum Msg {
///     Add(u64),
///     Get(Reply<u64>),
/// }
///
/// #[actor]
/// impl Counter {
///     fn handle(&mut self, msg: Msg) {
///         match msg {
///             Msg::Add(n) => self.0 += n,
///             Msg::Get(reply) => reply.send(self.0),
///         }
///     }
/// }
///
/// supervisor! {
///     struct App {
///         counter: Counter = Counter(0),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// let counter: ActorRef<Counter> = app.counter.clone();
/// counter.tell(Msg::Add(2)).await?;
/// assert_eq!(counter.ask(Msg::Get).await?, 2);
///
/// counter.restart()?; // the same handle, another instance
/// assert_eq!(counter.ask(Msg::Get).await?, 0);
/// assert_eq!((counter.path().as_str(), counter.incarnation()), ("counter", 2));
/// assert_eq!(counter, app.counter);
/// # Ok(())
/// # }
/// ```
pub struct ActorRef<A: Actor> {
    pub(crate) cell: Arc<Cell<A>>,
}

impl<A: Actor> Clone for ActorRef<A> {
    fn clone(&self) -> Self {
        ActorRef { cell: self.cell.clone() }
    }
}

impl<A: Actor> fmt::Debug for ActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorRef({})", self.path())
    }
}

impl<A: Actor> PartialEq for ActorRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<A: Actor> Eq for ActorRef<A> {}

impl<A: Actor> Hash for ActorRef<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl<A: Actor> ActorRef<A> {
    pub(crate) fn id(&self) -> u64 {
        self.cell.ctl().id
    }

    /// Its path below the root: `reports/daily`.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation it is in, counted from 1; 0 before the first start.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }

    /// Sends a message, waiting for room in the mailbox. Over a restart it waits in the mailbox, unless the
    /// actor is declared `while_down(Reject)` (S35).
    ///
    /// # Errors
    ///
    /// The message comes back ([`TellError::into_message`]) when the actor has ended or drains, or is down
    /// and rejects; at once with `Full` when an actor tells itself and its mailbox is full.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the message is dropped and was not sent.
    ///
    /// # Panics
    ///
    /// When it has to wait for room on a tokio runtime without `enable_time`. Outside of a runtime it waits.
    #[inline]
    pub fn tell(&self, msg: A::Msg) -> Tell<'_, A> {
        Tell { cell: &self.cell, push: Push::new(Envelope::Msg(msg)) }
    }

    /// Sends a message without waiting.
    ///
    /// # Errors
    ///
    /// The message comes back when the mailbox is full, the actor has ended or drains, or is down and rejects
    /// (S35).
    pub fn try_tell(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        self.cell.try_push(Envelope::Msg(msg), current::is_leaving()).map_err(|(envelope, rejected)| {
            let Envelope::Msg(message) = envelope else { unreachable!("a message was pushed") };
            TellError { message, reason: rejected.into(), path: self.path() }
        })
    }

    /// Sends a message with a place for the answer, and waits for it.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, Context, Reply};
    /// # struct Cart; enum CartMsg { Total(Reply<u64>), Above { min: u64, reply: Reply<u64> } }
    /// # impl Actor for Cart { type Msg = CartMsg; type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: CartMsg, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # async fn f(cart: ActorRef<Cart>) -> Result<(), supervise::AskError> {
    /// let total = cart.ask(CartMsg::Total).await?;
    /// let above = cart.ask(|reply| CartMsg::Above { min: 3, reply }).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// At once when the reply can no longer come; else after the actor's `ask` time, 5 s by default
    /// ([`Ask::within`], [`Ask::forever`]).
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits for the reply, the message is still handled; the reply is dropped.
    ///
    /// # Panics
    ///
    /// When it is awaited outside of a tokio runtime, unless it waits [`forever`](Ask::forever); nothing is sent then. When
    /// it has to wait on a runtime without `enable_time`.
    pub fn ask<R>(&self, message: impl FnOnce(Reply<R>) -> A::Msg) -> Ask<'_, A, R> {
        let (reply, answer) = reply::reply();
        let msg = message(reply);
        Ask {
            cell: &self.cell,
            push: Push::new(Envelope::Msg(msg)),
            answer,
            within: self.cell.ask_time(),
            timer: None,
            sent: false,
        }
    }

    /// Asks it to stop: after the message in hand, its children and `post_stop`. Returns at once;
    /// [`terminated`](ActorRef::terminated) waits for the end.
    ///
    /// It stays ended whatever its lifecycle, until somebody calls [`start_again`](ActorRef::start_again), on it or on
    /// a tree around it. What is queued is not handled, nor what is told until it has heard of this: it becomes dead
    /// letters, and who asked gets an error (S24). [`drain`](ActorRef::drain) handles what is queued and refuses the
    /// rest at once.
    pub fn stop(&self) {
        send(&*self.cell, SystemMessage::Stop);
    }

    /// Drops what it is doing at its next `.await`, which is a failure ([`Cause::Killed`](crate::Cause::Killed)).
    /// Returns at once.
    ///
    /// Its supervisor decides on it as on any failure. If no decider says otherwise the actor is not started again
    /// (S9). Where nothing runs that could be dropped it is a stop.
    pub fn kill(&self) {
        send(&*self.cell, SystemMessage::Kill);
    }

    /// Restarts it by hand (S26): this child alone, whatever the strategy, not charged to its budget. A wait
    /// for its backoff is cut short, a start in progress begun again. Its hooks get a failure with
    /// [`Cause::Requested`](crate::Cause::Requested), which no decider sees; where a failure came first they
    /// have that one. Returns at once: `Ok` says that the restart has been taken up. If its new start fails, that concerns
    /// this child alone: it is retried or ends, and takes no sibling along, whatever the strategy.
    ///
    /// # Errors
    ///
    /// `Busy` while it is on its way down already or its group goes down, waits or comes up, `Stopping` and `Ended`.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, CommandError};
    /// async fn reload<A: Actor>(cache: ActorRef<A>) -> Result<(), CommandError> {
    ///     match cache.restart() {
    ///         Err(CommandError::Busy { .. }) => Ok(()), // it is being restarted as it is
    ///         Err(CommandError::Ended { .. }) => cache.start_again(),
    ///         done => done,
    ///     }
    /// }
    /// ```
    pub fn restart(&self) -> Result<(), CommandError> {
        commands::restart(&*self.cell)
    }

    /// Starts it again after its end, whatever that was (S26): as at its first start, with a fresh budget and
    /// pace. Returns at once: `Ok` says that the start has been taken up.
    ///
    /// If that start fails it concerns this child alone, until it is up or has ended: it is decided as any first start, so
    /// without a backoff or a decider it ends, [`ended`](Self::ended) says with what, and no sibling goes along, whatever
    /// the strategy. Only Escalate and a limit that escalates fail the supervisor.
    ///
    /// # Errors
    ///
    /// `NotEnded` while it lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor takes no start any more, `NotDeclared` of a child that was spawned at run time.
    pub fn start_again(&self) -> Result<(), CommandError> {
        commands::start_again(&*self.cell)
    }

    /// Stops it behind what it has taken in already (S26): from this call on new messages are refused, the queued ones
    /// are handled, and so is what each [`run`](crate::Context::run) gives that is under way or begins meanwhile; then
    /// it stops. Its timers stop at once. All of that has its `shutdown` time; what is left then becomes dead letters,
    /// and what still runs is dropped. One that is not up, or whose group goes down or up, stops as by
    /// [`stop`](ActorRef::stop). Returns at once.
    ///
    /// To drain at every stop there is the setting `lifecycle(drain)`.
    pub fn drain(&self) {
        commands::drain(&self.cell);
    }

    /// Waits until it has ended; at once if it has. Needs no runtime.
    ///
    /// # Errors
    ///
    /// At once, when called from inside the actor or below it.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again.
    ///
    /// See [`Terminated`] for an example.
    pub fn terminated(&self) -> Terminated {
        Terminated::of(self.cell.clone())
    }

    /// It has ended, and why; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.ctl().ended()
    }

    /// The failure on its way out, if it has ended: the first failure of its last message, of `post_stop` or of a
    /// `Drop`. Nobody decides on such a failure: [`ended`](ActorRef::ended) stays what led to the end (S24).
    pub fn late_failure(&self) -> Option<Failure> {
        let ctl = self.cell.ctl();
        ctl.ended().and_then(|_| ctl.late().0)
    }

    pub(crate) fn watched(&self) -> Watched {
        Watched { id: self.id(), path: self.path() }
    }
}

impl From<Rejected> for Refusal {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Full => Refusal::Full,
            Rejected::Down { retry_in } => Refusal::Down { retry_in },
            Rejected::Closed => Refusal::Ended,
        }
    }
}

impl<B: Actor> PartialEq<ActorRef<B>> for Watched {
    fn eq(&self, other: &ActorRef<B>) -> bool {
        self.id == other.id()
    }
}
