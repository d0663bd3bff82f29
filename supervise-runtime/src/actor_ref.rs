//! The handle of an actor: tell, ask, watch, stop (rules S2 and S3).

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context as Cx, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

use crate::actor::Actor;
use crate::cell::control::{Control, Controlled, send};
use crate::cell::current;
use crate::context::Context;
use crate::events::EventKind;
use crate::mailbox::{Letter, MailCell, Rejected};
use crate::options::BoxFuture;
use crate::watch::{Ended, Notice, Watched};

/// How a notice reaches `A`: a function made where `A: Watcher` is known, so that the loop over
/// messages needs no such bound.
pub(crate) type Deliver<A> =
    for<'a> fn(&'a mut A, Notice, &'a mut Context<A>) -> BoxFuture<'a, Result<(), <A as Actor>::Error>>;

/// What a mailbox holds.
pub(crate) enum Envelope<A: Actor> {
    Msg(A::Msg),
    Notice(Box<(Notice, Deliver<A>)>),
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
/// ```
/// # use supervise_runtime::{Actor, ActorRef, Context, Reply};
/// # struct Counter; enum CounterMsg { Add(u64), Get(Reply<u64>) }
/// # impl Actor for Counter { type Msg = CounterMsg; type Error = std::convert::Infallible;
/// #   async fn receive(&mut self, _: CounterMsg, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
/// async fn use_it(counter: ActorRef<Counter>) -> Result<u64, Box<dyn std::error::Error>> {
///     counter.tell(CounterMsg::Add(2)).await?;
///     Ok(counter.ask(CounterMsg::Get).await?)
/// }
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

/// A message that was not taken, with the reason and the path of the actor it was for.
pub struct TellError<M> {
    message: M,
    reason: Refusal,
    path: String,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The mailbox is full.
    Full,
    /// The actor is down, and the sender is in a hook in which it must not wait (rule S3).
    Down,
    /// The actor has ended.
    Ended,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Full => "its mailbox is full; try again later, or use `tell`, which waits for room",
            Refusal::Down => "it is down, and `pre_restart` and `post_stop` do not wait; tell it from a handler",
            Refusal::Ended => "it has ended; take the message back with `into_message`",
        })
    }
}

impl<M> TellError<M> {
    /// The message, back in the sender's hands.
    pub fn into_message(self) -> M {
        self.message
    }

    /// Why.
    pub fn reason(&self) -> Refusal {
        self.reason
    }

    /// The path of the actor it was for.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellError").field("path", &self.path).field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} did not take the message: {}", self.path, self.reason)
    }
}

impl<M> std::error::Error for TellError<M> {}

/// Why an ask got no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The message was not taken.
    #[error("{path} did not take the message: {reason}")]
    Refused {
        /// The actor.
        path: String,
        /// Why.
        reason: Refusal,
    },
    /// The reply can no longer come: the actor failed or ended with the message, or dropped the `Reply`.
    #[error("no reply will come from {path}: it failed, ended, or dropped the `Reply`")]
    NoReply {
        /// The actor.
        path: String,
    },
    /// No reply within the time.
    #[error("no reply from {path} within {within:?}; give it longer with `.within(..)` or `mailbox(ask = ..)`")]
    TimedOut {
        /// The actor.
        path: String,
        /// How long it had.
        within: Duration,
    },
}

/// Waiting for one's own end, or for that of an actor or tree one is part of, would never end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot wait for the end of {path} from inside it: ask with `stop()` and return")]
pub struct WaitError {
    pub(crate) path: String,
}

/// Where the answer to an ask goes. Dropping it tells the asker that no reply will come.
pub struct Reply<T>(oneshot::Sender<T>);

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl<T> Reply<T> {
    /// Answers. If the asker has given up, the value is dropped.
    pub fn send(self, value: T) {
        let _ = self.0.send(value);
    }

    /// The asker no longer waits.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
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

    /// Sends a message, waiting for room in the mailbox. Over a restart it waits in the mailbox.
    ///
    /// # Errors
    ///
    /// The message comes back ([`TellError::into_message`]) when the actor has ended; at once with
    /// `Full` when an actor tells itself and its mailbox is full.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the message is dropped and was not sent.
    #[inline]
    pub fn tell(&self, msg: A::Msg) -> Tell<'_, A> {
        Tell { cell: &self.cell, push: Push::new(Envelope::Msg(msg)) }
    }

    /// Sends a message without waiting.
    ///
    /// # Errors
    ///
    /// The message comes back when the mailbox is full or the actor has ended.
    pub fn try_tell(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        self.cell.try_push(Envelope::Msg(msg), current::is_leaving()).map_err(|(envelope, rejected)| {
            let Envelope::Msg(message) = envelope else { unreachable!("a message was pushed") };
            TellError { message, reason: rejected.into(), path: self.path() }
        })
    }

    /// Sends a message with a place for the answer, and waits for it.
    ///
    /// ```
    /// # use supervise_runtime::{Actor, ActorRef, Context, Reply};
    /// # struct Cart; enum CartMsg { Total(Reply<u64>), Above { min: u64, reply: Reply<u64> } }
    /// # impl Actor for Cart { type Msg = CartMsg; type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: CartMsg, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # async fn f(cart: ActorRef<Cart>) -> Result<(), supervise_runtime::AskError> {
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
    pub fn ask<R>(&self, message: impl FnOnce(Reply<R>) -> A::Msg) -> Ask<'_, A, R> {
        let (reply, answer) = oneshot::channel();
        let msg = message(Reply(reply));
        Ask {
            cell: &self.cell,
            push: Push::new(Envelope::Msg(msg)),
            answer,
            within: self.cell.ask_time(),
            timer: None,
            sent: false,
        }
    }

    /// Asks it to stop: after the message in hand, its children and `post_stop`. Returns at once.
    pub fn stop(&self) {
        send(&*self.cell, Control::Stop);
    }

    /// Drops what it is doing at its next `.await`, which is a failure ([`Cause::Killed`](crate::Cause::Killed)).
    pub fn kill(&self) {
        send(&*self.cell, Control::Kill);
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
    pub fn terminated(&self) -> Terminated {
        Terminated { cell: self.cell.clone() }
    }

    /// It has ended, and why; `None` while it lives or is being restarted.
    pub fn ended(&self) -> Option<Ended> {
        self.cell.ctl().ended()
    }

    pub(crate) fn watched(&self) -> Watched {
        Watched { id: self.id(), path: self.path() }
    }
}

impl From<Rejected> for Refusal {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Full => Refusal::Full,
            Rejected::Down => Refusal::Down,
            Rejected::Closed => Refusal::Ended,
        }
    }
}

/// A message on its way into a mailbox.
struct Push<A: Actor> {
    envelope: Option<Envelope<A>>,
    ticket: Option<u64>,
    blocked: Option<Box<(Instant, Pin<Box<Sleep>>)>>,
}

impl<A: Actor> Push<A> {
    fn new(envelope: Envelope<A>) -> Self {
        Push { envelope: Some(envelope), ticket: None, blocked: None }
    }

    #[inline]
    fn poll(&mut self, cell: &Cell<A>, cx: &mut Cx<'_>) -> Poll<Result<(), Rejected>> {
        // The common case: there is room.
        if self.ticket.is_none()
            && let Some(envelope) = self.envelope.take()
        {
            match cell.try_push(envelope, current::is_leaving()) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err((envelope, Rejected::Full)) => self.envelope = Some(envelope),
                Err((envelope, rejected)) => {
                    self.envelope = Some(envelope);
                    return Poll::Ready(Err(rejected));
                }
            }
        }
        self.poll_full(cell, cx)
    }

    #[cold]
    fn poll_full(&mut self, cell: &Cell<A>, cx: &mut Cx<'_>) -> Poll<Result<(), Rejected>> {
        match cell.poll_push(&mut self.envelope, &mut self.ticket, current::is_leaving(), cx.waker()) {
            Poll::Pending => self.wait(cell, cx),
            ready => ready,
        }
    }

    fn wait(&mut self, cell: &Cell<A>, cx: &mut Cx<'_>) -> Poll<Result<(), Rejected>> {
        if current::is(cell.ctl().id) {
            return Poll::Ready(Err(Rejected::Full)); // nobody else would make room
        }
        let (since, timer) =
            &mut **self.blocked.get_or_insert_with(|| Box::new((Instant::now(), Box::pin(sleep(BLOCKED)))));
        while timer.as_mut().poll(cx).is_ready() {
            cell.ctl().emit(EventKind::Blocked { since: since.elapsed() });
            let next = timer.deadline() + BLOCKED;
            timer.as_mut().reset(next);
        }
        Poll::Pending
    }

    fn give_up(&mut self, cell: &Cell<A>) {
        if let Some(ticket) = self.ticket.take() {
            cell.give_up(ticket);
        }
    }
}

/// A message that waits for room: [`ActorRef::tell`].
#[must_use = "a message is sent when the future is awaited; `try_tell` sends without"]
pub struct Tell<'a, A: Actor> {
    cell: &'a Cell<A>,
    push: Push<A>,
}

impl<A: Actor> fmt::Debug for Tell<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tell({})", self.cell.ctl().path())
    }
}

// Nothing in it is pinned: the message is only ever moved out.
impl<A: Actor> Unpin for Tell<'_, A> {}

impl<A: Actor> Future for Tell<'_, A> {
    type Output = Result<(), TellError<A::Msg>>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        match ready!(this.push.poll(this.cell, cx)) {
            Ok(()) => Poll::Ready(Ok(())),
            Err(rejected) => {
                let Some(Envelope::Msg(message)) = this.push.envelope.take() else {
                    unreachable!("a refused message is still here")
                };
                this.push.give_up(this.cell);
                let path = this.cell.ctl().path();
                Poll::Ready(Err(TellError { message, reason: rejected.into(), path }))
            }
        }
    }
}

impl<A: Actor> Drop for Tell<'_, A> {
    fn drop(&mut self) {
        self.push.give_up(self.cell);
    }
}

pin_project! {
    /// A question on its way and the wait for its answer: [`ActorRef::ask`].
    #[must_use = "a question is asked when the future is awaited"]
    pub struct Ask<'a, A: Actor, R> {
        cell: &'a Cell<A>,
        push: Push<A>,
        #[pin]
        answer: oneshot::Receiver<R>,
        within: Option<Duration>,
        // Only an ask that really waits costs a timer.
        #[pin]
        timer: Option<Sleep>,
        sent: bool,
    }

    impl<'a, A: Actor, R> PinnedDrop for Ask<'a, A, R> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            this.push.give_up(this.cell);
        }
    }
}

impl<A: Actor, R> fmt::Debug for Ask<'_, A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ask({})", self.cell.ctl().path())
    }
}

impl<A: Actor, R> Ask<'_, A, R> {
    /// Waits at most this long, for room and reply together.
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Waits as long as it takes.
    pub fn forever(mut self) -> Self {
        self.within = None;
        self
    }
}

impl<A: Actor, R> Future for Ask<'_, A, R> {
    type Output = Result<R, AskError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let path = || this.cell.ctl().path();
        if !*this.sent {
            match this.push.poll(this.cell, cx) {
                Poll::Ready(Ok(())) => *this.sent = true,
                Poll::Ready(Err(rejected)) => {
                    this.push.give_up(this.cell);
                    return Poll::Ready(Err(AskError::Refused { path: path(), reason: rejected.into() }));
                }
                Poll::Pending => {}
            }
        }
        if *this.sent
            && let Poll::Ready(answer) = this.answer.poll(cx)
        {
            return Poll::Ready(answer.map_err(|_| AskError::NoReply { path: path() }));
        }
        let Some(within) = *this.within else { return Poll::Pending };
        if this.timer.is_none() {
            this.timer.set(Some(sleep(within)));
        }
        match this.timer.as_pin_mut().map(|timer| timer.poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(AskError::TimedOut { path: path(), within })),
            _ => Poll::Pending,
        }
    }
}

/// The wait for an end: [`ActorRef::terminated`].
#[must_use = "futures do nothing unless awaited"]
#[derive(Debug)]
pub struct Terminated {
    pub(crate) cell: Arc<dyn Controlled>,
}

impl Future for Terminated {
    type Output = Result<Ended, WaitError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let ctl = self.cell.ctl();
        match ctl.poll_ended(cx.waker()) {
            Poll::Ready(ended) => Poll::Ready(Ok(ended)),
            Poll::Pending if current::is_inside(ctl.id) => Poll::Ready(Err(WaitError { path: ctl.path() })),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// How long an ask waits, kept beside the mailbox since every handle needs it. `u64::MAX`: for ever.
#[derive(Debug)]
pub(crate) struct AskTime(AtomicU64);

impl AskTime {
    pub(crate) fn new(time: Duration) -> Self {
        AskTime(AtomicU64::new(Self::nanos(time)))
    }

    fn nanos(time: Duration) -> u64 {
        u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn set(&self, time: Duration) {
        self.0.store(Self::nanos(time), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            u64::MAX => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }
}
