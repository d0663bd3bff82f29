//! The handle of an actor: tell, ask, watch, stop (rules S2 and S3).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomPinned;
use std::time::Duration;

use crate::actor::calls::CallTo;
use crate::actor::child_ref::{AnyRef, ChildRef, Sealed};
use crate::actor::commands::{self, CommandError};
use crate::actor::context::Context;
use crate::actor::errors::{SendRejection, TellError, WaitError};
use crate::actor::follow::Follow;
use crate::actor::timers::Tick;
use crate::actor::waits::{ShutdownRef, Starting, Terminated};
use crate::actor::{Actor, name_of};
use crate::engine::cell::control::{AnyCell, CellCore, SystemMessage, send};
use crate::engine::death_watch::Notice;
use crate::engine::mailbox::{ActorCell, Mailbox, MailboxItem, OwnMailbox, Patience, Rejected};
use crate::engine::watched::Watched;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::{Arc, Weak};
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;
use supervise_core::values::hooks::DeclaredHooks;

mod deadline;
mod push;
mod reply;

pub use push::{Ask, Tell};

pub use reply::{Answer, Reply, reply};

use push::Push;

/// The function that delivers a notice to `A`. A watch creates it where `A: Watcher` is known, so that the message loop
/// does not need this bound.
pub(crate) type Deliver<A> =
    for<'a> fn(&'a mut A, Notice, &'a mut Context<A>) -> BoxFuture<'a, Result<(), <A as Actor>::Error>>;

/// An item of a mailbox.
///
/// The number of the variant has a place of its own. Without `repr`, it could share one with that of the message. Each
/// move of a message would then take it apart and put it together again, and a processor waits where it reads as a whole
/// what it has just written in parts.
#[repr(u8)]
pub(crate) enum Envelope<A: Actor> {
    Msg(A::Msg),
    /// A request whose sender is on its way down, and would wait for nobody: it does not wait for the next incarnation.
    LastRequest(A::Msg),
    Notice(Box<(Notice, Deliver<A>)>),
    /// A timer's tick, or the result of a subordinate future. A restart removes it (S11).
    Tick(Arc<Tick<A>>),
    /// The item of a source. A restart removes it (S65).
    Item(Arc<Follow<A>>),
}

impl<A: Actor> MailboxItem for Envelope<A> {
    type Message = A::Msg;

    const HOOKS: DeclaredHooks = A::HOOKS;

    #[inline(always)]
    fn of(message: A::Msg) -> Self {
        Envelope::Msg(message)
    }

    fn of_leaving(message: A::Msg) -> Self {
        Envelope::LastRequest(message)
    }

    fn message(&self) -> Option<&'static str> {
        match self {
            Envelope::Msg(msg) | Envelope::LastRequest(msg) => Some(name_of::<A>(msg)),
            Envelope::Item(follow) => follow.word(),
            Envelope::Notice(_) | Envelope::Tick(_) => None,
        }
    }

    #[inline]
    fn is_message(&self) -> bool {
        matches!(self, Envelope::Msg(_) | Envelope::LastRequest(_))
    }

    fn inside(&self) -> Option<A::Msg> {
        match self {
            Envelope::Item(follow) => follow.empty(),
            _ => None,
        }
    }
}

pub(crate) type Cell<A> = ActorCell<Envelope<A>>;

impl<A: Actor> OwnMailbox<Tick<A>> for Cell<A> {
    fn core(&self) -> &CellCore {
        Cell::core(self)
    }

    fn push_own(&self, tick: Arc<Tick<A>>) -> Result<(), Rejected> {
        self.try_push_own(Envelope::Tick(tick))
    }
}

impl<A: Actor> OwnMailbox<Follow<A>> for Cell<A> {
    fn core(&self) -> &CellCore {
        Cell::core(self)
    }

    fn push_own(&self, follow: Arc<Follow<A>>) -> Result<(), Rejected> {
        self.try_push_own(Envelope::Item(follow))
    }
}

/// A cell behind which the type of the messages is hidden.
///
/// The compiler forgets lifetimes in the state of a future, so it could not prove `A: Actor` there for an `A` that
/// contains `dyn` or `&'static`. A handle that mentions `A::Msg` would need this proof to be `Send`. This one is `Send`
/// for every `A`.
pub(crate) trait HasCell<A>: Send + Sync {
    fn any(&self) -> &AnyCell;

    fn into_any(self: Arc<Self>) -> Arc<AnyCell>;

    fn cell(&self) -> &Cell<A>
    where
        A: Actor;

    fn into_cell(self: Arc<Self>) -> Arc<Cell<A>>
    where
        A: Actor;
}

impl<A: Actor> HasCell<A> for Cell<A> {
    fn any(&self) -> &AnyCell {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<AnyCell> {
        self
    }

    #[inline]
    fn cell(&self) -> &Cell<A> {
        self
    }

    fn into_cell(self: Arc<Self>) -> Arc<Cell<A>> {
        self
    }
}

/// The time after which a waiting `tell` raises `Blocked`.
const BLOCKED: Duration = Duration::from_secs(10);

/// The handle of an actor, which sends messages and controls the actor.
///
/// A handle is cheap to clone and `Send + Sync`. It keeps nothing alive: an actor lives as long as its supervisor lets
/// it. The handle stays valid over every restart, also for watching and stopping (rule S2).
///
/// Two handles are equal if they refer to the same actor, whatever its incarnation. A handle is hashed by the same
/// identity, so it can be a key. This holds for the handles of tasks and trees as well. Clippy does not know it and warns
/// of such keys; allow `clippy::mutable_key_type` there.
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
pub struct ActorRef<A> {
    shared: Arc<dyn HasCell<A>>,
}

impl<A> Clone for ActorRef<A> {
    fn clone(&self) -> Self {
        ActorRef { shared: self.shared.clone() }
    }
}

impl<A> fmt::Debug for ActorRef<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorRef({})", self.path())
    }
}

impl<A> PartialEq for ActorRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<A> Eq for ActorRef<A> {}

impl<A> Hash for ActorRef<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

/// Access to the cell.
impl<A: Actor> ActorRef<A> {
    pub(crate) fn of(cell: Arc<Cell<A>>) -> Self {
        ActorRef { shared: cell }
    }

    #[inline]
    pub(crate) fn cell(&self) -> &Cell<A> {
        self.shared.cell()
    }

    pub(crate) fn to_cell(&self) -> Arc<Cell<A>> {
        self.shared.clone().into_cell()
    }

    /// Returns the mailbox for a timer or a source of the actor's own.
    pub(crate) fn own_mailbox<T>(&self) -> Weak<dyn OwnMailbox<T>>
    where
        Cell<A>: OwnMailbox<T>,
    {
        let cell: Weak<Cell<A>> = Arc::downgrade(&self.to_cell());
        cell
    }
}

/// The part of a handle that needs no message.
impl<A> ActorRef<A> {
    pub(crate) fn core(&self) -> &CellCore {
        self.shared.any().core()
    }

    pub(crate) fn to_any(&self) -> Arc<AnyCell> {
        self.shared.clone().into_any()
    }

    pub(crate) fn id(&self) -> u64 {
        self.core().id
    }

    /// Returns the path of the actor below the root, for example `reports/daily`.
    pub fn path(&self) -> String {
        self.core().path()
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> String {
        self.core().name()
    }

    /// Returns the current incarnation, counted from 1; 0 before the first start.
    pub fn incarnation(&self) -> u32 {
        self.core().incarnation()
    }

    /// Requests a stop: the actor finishes the message in hand, its children go down, and `post_stop` runs.
    ///
    /// This method returns immediately; [`terminated`](ActorRef::terminated) waits for the end.
    ///
    /// The actor stays ended, whatever its lifecycle, until [`start_again`](ActorRef::start_again) is called on it or
    /// on a tree around it. Queued messages, and messages that arrive before the actor takes note of the stop, are not
    /// handled: they become dead letters, and an `ask` gets an error (S24). [`drain`](ActorRef::drain) handles the
    /// queued messages and refuses new ones immediately.
    pub fn stop(&self) {
        send(self.shared.any(), SystemMessage::Stop);
    }

    /// Drops what the actor is doing, at its next `.await`, and lets it fail with
    /// [`Cause::Killed`](crate::Cause::Killed).
    ///
    /// This method returns immediately. The supervisor decides as for any failure. If no decider says otherwise, the
    /// actor is not started again (S9). If nothing runs that could be dropped, the kill is a stop.
    #[doc(alias("abort"))]
    pub fn kill(&self) {
        send(self.shared.any(), SystemMessage::Kill);
    }

    /// Restarts this actor alone, whatever the strategy.
    ///
    /// The restart does not count against the restart budget. It cuts a backoff short, and begins a start in progress
    /// again. The hooks get a failure with [`Cause::Requested`](crate::Cause::Requested), which no decider sees; if a
    /// failure came first, they get that one. This method returns immediately: `Ok` says that the restart has been
    /// accepted. A failure of the new start concerns this child alone: the child is retried or ends, and no sibling is
    /// restarted together with it, whatever the strategy (S26).
    ///
    /// # Errors
    ///
    /// Returns `Busy` while the actor is already going down for a restart, or while its group goes down, waits or comes
    /// up; `Stopping` while the actor stops; `Ended` after it has ended; `StartedOnce` for an instance of a `Temporary`
    /// set.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef};
    /// # use supervise::error::CommandError;
    /// async fn reload<A: Actor>(cache: ActorRef<A>) -> Result<(), Box<dyn std::error::Error>> {
    ///     let starting = match cache.restart() {
    ///         Err(CommandError::Busy { .. }) => return Ok(()), // a restart is already in progress
    ///         Err(CommandError::Ended { .. }) => cache.start_again()?,
    ///         done => done?,
    ///     };
    ///     Ok(starting.await?) // up
    /// }
    /// ```
    pub fn restart(&self) -> Result<Starting, CommandError> {
        commands::restart(&self.to_any())
    }

    /// Starts the actor again after it has ended, whatever the reason.
    ///
    /// OTP calls this `restart_child`. The start is like the first start, with a fresh restart budget and restart
    /// delay. This method returns immediately: `Ok` says that the start has been accepted;
    /// await the [`Starting`] to wait until it is up.
    ///
    /// A failure of that start concerns this child alone, until the child is up or has ended. It is decided like the
    /// failure of any first start: without a backoff or a decider the child ends, [`ended`](Self::ended) returns the
    /// reason, and no sibling is restarted together with it, whatever the strategy. Only `Escalate`, and a limit that
    /// escalates, fail the supervisor (S26).
    ///
    /// # Errors
    ///
    /// Returns `NotEnded` while the actor lives, `Busy` while its group goes down, waits or comes up, `Stopping` and
    /// `SupervisorEnded` when its supervisor accepts no more starts, and `NotDeclared` for a child that was spawned at
    /// run time.
    pub fn start_again(&self) -> Result<Starting, CommandError> {
        commands::start_again(&self.to_any())
    }

    /// Stops the actor after it has handled the messages that it has already accepted.
    ///
    /// From this call on new messages are refused. The queued messages are handled, and so is the result of each
    /// [`run`](crate::Context::run) that is in progress or begins meanwhile; then the actor stops. Its timers stop
    /// immediately. All of that has to happen within the `shutdown` time; after that, remaining messages become dead
    /// letters, and running futures are dropped. An actor that is not up, or whose group goes down or comes up, stops
    /// as by [`stop`](ActorRef::stop). This method returns immediately (S26).
    ///
    /// To drain at every stop, declare `lifecycle(drain)`.
    pub fn drain(&self) {
        commands::drain(self.shared.any());
    }

    /// Waits until the actor has ended; ready immediately if it already has. A restart is not an end. Needs no tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// Returns an error immediately if it is called from inside the actor or from below it.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    ///
    #[doc(alias("join", "wait", "wait_for_shutdown"))]
    pub fn terminated(&self) -> BoxFuture<'static, Result<Ended, WaitError>> {
        Box::pin(Terminated::of(self.to_any()))
    }

    /// Returns why the actor has ended; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.core().ended()
    }

    /// Returns `true` until the actor has ended, also while it is down for a restart.
    pub fn is_alive(&self) -> bool {
        self.ended().is_none()
    }

    /// Returns the identity of the actor, as a [`Watcher`](crate::Watcher) gets it: a key for a map.
    pub fn watched(&self) -> Watched {
        self.core().identity()
    }

    /// Requests a stop immediately, even if the returned future is never polled. Await it to wait for the end.
    ///
    /// # Errors
    ///
    /// The future resolves to an error immediately if it is awaited inside the actor or below it. The actor goes down
    /// all the same.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the actor still goes down.
    ///
    /// See [`ShutdownRef`] for an example.
    pub fn shutdown(&self) -> ShutdownRef<Ended> {
        ShutdownRef::of(self.to_any())
    }

    /// Returns the failure that occurred while the actor was stopping, if the actor has ended.
    ///
    /// This is the first failure of its last message, of `post_stop` or of a `Drop`. No decider sees such a failure:
    /// [`ended`](ActorRef::ended) keeps returning what led to the end (S24).
    pub fn late_failure(&self) -> Option<Failure> {
        let core = self.core();
        core.ended().and_then(|_| core.late().0)
    }
}

impl<A: Actor> ActorRef<A> {
    /// Sends a message, and waits for room in the mailbox.
    ///
    /// During a restart the message stays in the mailbox, unless the actor is declared `while_down(Reject)` (S35).
    ///
    /// # Errors
    ///
    /// Returns the message ([`TellError::into_message`]) if the actor has ended or drains, or if the actor is down and
    /// rejects messages, or is down while the sender is in `pre_restart` or `post_stop`. An actor that sends to itself
    /// gets `Full` immediately when its mailbox is full.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the message is dropped and was not sent.
    ///
    /// # Panics
    ///
    /// Panics if it has to wait for room on a tokio runtime without `enable_time`. Outside of a runtime it waits.
    #[inline]
    #[doc(alias("send", "cast", "notify"))]
    pub fn tell(&self, msg: A::Msg) -> Tell<'_, A, A::Msg> {
        Tell { to: &*self.shared, push: Push::new(msg), at_once: false }
    }

    /// Sends a message without waiting.
    ///
    /// # Errors
    ///
    /// Returns the message if the mailbox is full, if the actor has ended or drains, or if the actor is down and
    /// rejects messages, or is down while the sender is in `pre_restart` or `post_stop` (S3, S35).
    #[doc(alias("try_send"))]
    pub fn try_tell(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        let mut push = Push::new(msg);
        push.try_now(self.cell(), Patience::Waits).map_err(|rejected| push.refused(self.cell(), rejected))
    }

    /// Sends a message that contains a [`Reply`], and waits for the answer.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, Context, Reply};
    /// # struct Cart; enum CartMsg { Total(Reply<u64>), Above { min: u64, reply: Reply<u64> } }
    /// # impl Actor for Cart { type Msg = CartMsg; type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: CartMsg, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # async fn f(cart: ActorRef<Cart>) -> Result<(), supervise::error::AskError> {
    /// let total = cart.ask(CartMsg::Total).await?;
    /// let above = cart.ask(|reply| CartMsg::Above { min: 3, reply }).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error immediately when the reply can no longer come; otherwise after the actor's `ask` time, 5 s by
    /// default ([`Ask::within`], [`Ask::forever`]). [`Ask::at_once`] does not wait for room in the mailbox.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits for the reply, the message is still handled and the reply is dropped.
    ///
    /// # Panics
    ///
    /// Panics if the future is awaited outside of a tokio runtime, unless it waits [`forever`](Ask::forever); nothing
    /// is sent then. Also panics if it has to wait on a runtime without `enable_time`.
    #[doc(alias("call", "request", "query"))]
    pub fn ask<R>(&self, message: impl FnOnce(Reply<R>) -> A::Msg) -> Ask<'_, A, R, A::Msg> {
        let (reply, answer) = reply();
        let msg = message(reply);
        Ask {
            to: &*self.shared,
            push: Push::new(msg),
            answer: Some(answer),
            put: None,
            within: None,
            deadline: None,
            sent: false,
            at_once: false,
            pinned: PhantomPinned,
        }
    }
}

impl<A: Actor> CallTo<A> for ActorRef<A> {
    type Call<'a, R: Send + 'static> = Ask<'a, A, R, A::Msg>;

    #[inline]
    fn call<R: Send + 'static>(&self, msg: A::Msg, put: fn(&mut A::Msg, Reply<R>)) -> Ask<'_, A, R, A::Msg> {
        Ask {
            to: &*self.shared,
            push: Push::new(msg),
            answer: None,
            put: Some(put),
            within: None,
            deadline: None,
            sent: false,
            at_once: false,
            pinned: PhantomPinned,
        }
    }
}

impl<A> Sealed for ActorRef<A> {}

impl<A: 'static> ChildRef for ActorRef<A> {
    type Shutdown = Ended;

    fn any(&self) -> AnyRef {
        AnyRef::of(self.to_any())
    }
}

impl AnyRef {
    /// Returns the handle of the actor; `None` if the child is not an `A`.
    pub fn actor<A: Actor>(&self) -> Option<ActorRef<A>> {
        Some(ActorRef::of(self.cell().mail_as::<Mailbox<Envelope<A>>>()?.cell()?))
    }
}

impl From<Rejected> for SendRejection {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Full => SendRejection::Full,
            Rejected::Down { retry_in } => SendRejection::Down { retry_in },
            Rejected::Closed => SendRejection::Ended,
        }
    }
}
