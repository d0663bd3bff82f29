//! The futures of `tell` and `ask`.

use std::fmt;
use std::future::Future;
use std::marker::PhantomPinned;
use std::mem::replace;
use std::pin::Pin;
use std::task::{Context as Cx, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep};

use super::deadline::{Deadline, Here};
use super::reply::{Answer, Reply, reply};
use super::{BLOCKED, Cell, HasCell};
use crate::actor::Actor;
use crate::actor::errors::{AskError, TellError};
use crate::engine::cell::current;
use crate::engine::mailbox::{Patience, Rejected};
use crate::engine::observed;
use supervise_core::base::clock::after;
use supervise_core::values::event::EventKind;

/// A message on its way into a mailbox. The number of the variant is apart, as in [`Envelope`](super::Envelope).
#[repr(u8)]
pub(super) enum Push<'a, A, M> {
    /// Not tried yet, or refused.
    New(M),
    /// There was no room.
    Waits(Box<Wait<'a, A, M>>),
    /// Sent or given back.
    Over,
}

impl<'a, A: Actor> Push<'a, A, A::Msg> {
    #[inline]
    pub(super) fn new(msg: A::Msg) -> Self {
        Push::New(msg)
    }

    /// Sends the message in the common case: the actor is up, and there is room.
    #[inline(always)]
    fn offer(&mut self, cell: &Cell<A>) -> bool {
        matches!(self, Push::New(_)) && cell.offer(|| self.take_new())
    }

    /// Makes the reply of a call, and puts it into the message.
    fn ask<R>(&mut self, put: fn(&mut A::Msg, Reply<R>)) -> Answer<R> {
        let (reply, answer) = reply();
        if let Push::New(message) = self {
            put(message, reply);
        }
        answer
    }

    /// Takes the message, if it has not begun to wait.
    #[inline(always)]
    fn take_new(&mut self) -> Option<A::Msg> {
        match replace(self, Push::Over) {
            Push::New(message) => Some(message),
            other => {
                *self = other;
                None
            }
        }
    }

    #[cold]
    fn take(&mut self) -> Option<A::Msg> {
        match replace(self, Push::Over) {
            Push::New(message) => Some(message),
            Push::Waits(mut wait) => wait.message.take(),
            Push::Over => None,
        }
    }

    /// Sends the message if there is room.
    pub(super) fn try_now(&mut self, cell: &Cell<A>, patience: Patience) -> Result<(), Rejected> {
        if self.offer(cell) { Ok(()) } else { self.try_closer(cell, patience) }
    }

    #[cold]
    fn try_closer(&mut self, cell: &Cell<A>, patience: Patience) -> Result<(), Rejected> {
        let mut message = self.take();
        let pushed = cell.try_push(&mut message, patience);
        *self = message.map_or(Push::Over, Push::New);
        pushed
    }

    /// Sends the message, or waits for room.
    #[cold]
    fn poll(&mut self, to: &'a dyn HasCell<A>, patience: Patience, cx: &mut Cx<'_>) -> Poll<Result<(), Rejected>> {
        assert!(!matches!(self, Push::Over), "polled again after it was ready");
        if let Push::New(_) = self {
            match self.try_closer(to.cell(), patience) {
                Err(Rejected::Full) => {}
                pushed => return Poll::Ready(pushed),
            }
            let place = Place { to, ticket: None, give_up: |to, ticket| to.cell().cancel_wait(ticket) };
            *self = Push::Waits(Box::new(Wait { message: self.take(), place, blocked: None }));
        }
        let Push::Waits(wait) = self else { return Poll::Pending };
        let pushed = ready!(wait.poll(patience, cx));
        *self = self.take().map_or(Push::Over, Push::New);
        Poll::Ready(pushed)
    }

    /// Takes back a message that was refused, for the error.
    #[cold]
    pub(super) fn refused(&mut self, cell: &Cell<A>, rejected: Rejected) -> TellError<A::Msg> {
        let message = self.take().expect("a refused message is still here");
        TellError::new(message, rejected.into(), cell.core().path())
    }
}

/// The wait of a message for room. Given up when it is dropped.
pub(super) struct Wait<'a, A, M> {
    /// `None` once it was sent.
    message: Option<M>,
    place: Place<'a, A>,
    /// Since when, and until the next `Blocked`.
    blocked: Option<(Instant, Pin<Box<Sleep>>)>,
}

/// The place of a message among those that wait for room. A type is dropped under its own bounds, so this one keeps the
/// code that gives the place up.
struct Place<'a, A> {
    to: &'a dyn HasCell<A>,
    ticket: Option<u64>,
    give_up: fn(&'a dyn HasCell<A>, u64),
}

impl<A> Drop for Place<'_, A> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            (self.give_up)(self.to, ticket);
        }
    }
}

impl<A: Actor> Wait<'_, A, A::Msg> {
    fn poll(&mut self, patience: Patience, cx: &mut Cx<'_>) -> Poll<Result<(), Rejected>> {
        let cell = self.place.to.cell();
        let pushed = cell.poll_push(&mut self.message, &mut self.place.ticket, patience, cx.waker());
        if pushed.is_ready() {
            return pushed;
        }
        if current::is(cell.core().id) {
            return Poll::Ready(Err(Rejected::Full)); // only this actor itself could make room
        }
        // Without a runtime there is no clock, so the message waits for room, and no `Blocked` event is raised for
        // it.
        if self.blocked.is_none() && !has_runtime() {
            return Poll::Pending;
        }
        let (since, timer) = self.blocked.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(BLOCKED))));
        while timer.as_mut().poll(cx).is_ready() {
            cell.core().emit(EventKind::Blocked { since: since.elapsed() });
            let next = after(timer.deadline(), BLOCKED);
            timer.as_mut().reset(next);
        }
        Poll::Pending
    }
}

/// Returns whether there is a tokio runtime here. Asking for the current task is the cheaper test.
fn has_runtime() -> bool {
    #[cfg(not(shuttle))]
    return tokio::task::try_id().is_some() || tokio::runtime::Handle::try_current().is_ok();
    #[cfg(shuttle)]
    true
}

/// The future of [`ActorRef::tell`](crate::ActorRef::tell): a message that waits for room.
///
/// Nothing is sent before the first poll. The future is ready immediately if there is room. After 10 s without room,
/// and every 10 s from then on, the tree raises [`EventKind::Blocked`].
///
/// The future may be awaited outside of a tokio runtime. There is no clock for that event then.
///
/// # Cancel safety
///
/// If the future is dropped before it is ready, the message is dropped and was not sent. To keep the message, use
/// [`try_tell`](crate::ActorRef::try_tell), which gives it back.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use tokio::time::timeout;
///
/// struct Printer;
///
/// #[actor]
/// impl Printer {
///     async fn handle(&mut self, _page: &'static str) {
///         std::future::pending().await // out of paper
///     }
/// }
///
/// supervisor! {
///     struct Office {
///         #[lifecycle(Permanent, shutdown = Kill)]
///         #[mailbox(Bounded(1))]
///         printer: Printer = Printer,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let office = Office::start().await?;
/// office.printer.tell("one").await?; // in hand
/// # tokio::task::yield_now().await;
/// office.printer.tell("two").await?; // waits in the mailbox
/// let third = timeout(Duration::from_secs(3), office.printer.tell("three")).await;
/// assert!(third.is_err(), "there was no room in 3 s, and it was not sent");
/// # office.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "a message is sent when the future is awaited, and `let _ =` does not send it either; `try_tell` sends without"]
pub struct Tell<'a, A, M> {
    pub(super) to: &'a dyn HasCell<A>,
    pub(super) push: Push<'a, A, M>,
    // True if the message does not wait for room.
    pub(super) at_once: bool,
}

impl<A, M> fmt::Debug for Tell<'_, A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tell({})", self.to.any().core().path())
    }
}

// Nothing in this future is pinned: the message is only ever moved out.
impl<A, M> Unpin for Tell<'_, A, M> {}

impl<A: Actor> Future for Tell<'_, A, A::Msg> {
    type Output = Result<(), TellError<A::Msg>>;

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.push.offer(this.to.cell()) {
            return Poll::Ready(Ok(()));
        }
        this.poll_closer(cx)
    }
}

impl<A: Actor> Tell<'_, A, A::Msg> {
    #[cold]
    fn poll_closer(&mut self, cx: &mut Cx<'_>) -> Poll<Result<(), TellError<A::Msg>>> {
        let pushed = if self.at_once {
            self.push.try_closer(self.to.cell(), Patience::Waits)
        } else {
            ready!(self.push.poll(self.to, Patience::Waits, cx))
        };
        Poll::Ready(pushed.map_err(|rejected| self.push.refused(self.to.cell(), rejected)))
    }
}

pin_project! {
    /// The future of [`ActorRef::ask`]: a request on its way, and the wait for its reply.
    ///
    /// Nothing is sent before the first poll. The time, 5 s by default, begins with that poll, and covers the wait for
    /// room in the mailbox and the wait for the reply together.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits for room, the message was not sent. If it is dropped while it waits for
    /// the reply, the message is still handled; [`Reply::is_closed`] shows the actor that no caller waits any more.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::error::AskError;
    /// use supervise::prelude::*;
    ///
    /// struct Oracle;
    ///
    /// #[actor]
    /// impl Oracle {
    ///     async fn handle(&mut self, reply: Reply<u32>) {
    ///         tokio::time::sleep(Duration::from_secs(7)).await;
    ///         reply.send(42);
    ///     }
    /// }
    ///
    /// # supervisor! { struct App { oracle: Oracle = Oracle } }
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let app = App::start().await?;
    /// let oracle = &app.oracle;
    /// assert!(matches!(oracle.ask(|reply| reply).await, Err(AskError::TimedOut { .. }))); // 5 s
    /// # tokio::time::sleep(Duration::from_secs(2)).await;
    /// assert_eq!(oracle.ask(|reply| reply).within(Duration::from_secs(10)).await?, 42);
    /// assert_eq!(oracle.ask(|reply| reply).forever().await?, 42);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "a question is asked when the future is awaited, and `let _ =` does not ask it either"]
    pub struct Ask<'a, A, R, M> {
        pub(super) to: &'a dyn HasCell<A>,
        pub(super) push: Push<'a, A, M>,
        // A call makes it at its first poll, so that a forgotten call allocates no answer.
        pub(super) answer: Option<Answer<R>>,
        pub(super) put: Option<fn(&mut M, Reply<R>)>,
        // `None`: the ask time of the actor, read at the first poll. `Some(None)`: no limit.
        pub(super) within: Option<Option<Duration>>,
        // Armed late, so that only an ask that waits takes a timer.
        pub(super) deadline: Option<Deadline>,
        pub(super) sent: bool,
        // True if the message does not wait for room.
        pub(super) at_once: bool,
        // An ask that was polled stays where it is: its time has begun, so `within` would come too late.
        #[pin]
        pub(super) pinned: PhantomPinned,
    }
}

impl<A, R, M> fmt::Debug for Ask<'_, A, R, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ask({})", self.to.any().core().path())
    }
}

impl<A, R, M> Ask<'_, A, R, M> {
    /// Sets how long to wait, for room and reply together.
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(Some(time));
        self
    }

    /// Waits as long as it takes.
    pub fn forever(mut self) -> Self {
        self.within = Some(None);
        self
    }

    /// Does not wait for room: the message is sent with the first poll, or refused. The wait for the reply is as before.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, Context, Reply};
    /// # use supervise::error::{AskError, SendRejection};
    /// # struct Cart; struct Total(Reply<u64>);
    /// # impl Actor for Cart { type Msg = Total; type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: Total, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// /// Returns no total while the mailbox of the cart is full.
    /// async fn total(cart: &ActorRef<Cart>) -> Result<Option<u64>, AskError> {
    ///     match cart.ask(Total).at_once().await {
    ///         Err(AskError::Refused { reason: SendRejection::Full, .. }) => Ok(None),
    ///         total => total.map(Some),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Awaiting returns the errors of [`ask`](crate::ActorRef::ask), and [`AskError::Refused`] with
    /// [`SendRejection::Full`](crate::error::SendRejection::Full) if the mailbox is full.
    ///
    /// # Cancel safety
    ///
    /// As of an `ask` whose message was sent: if the future is dropped after its first poll, the message is still
    /// handled, and the reply is dropped.
    pub fn at_once(mut self) -> Self {
        self.at_once = true;
        self
    }
}

impl<'a, A, R, M> Ask<'a, A, R, M> {
    /// Sends the message when the returned future is awaited, and does not wait for an answer.
    ///
    /// For a method that is a message this is a [`tell`](crate::ActorRef::tell), at its cost: no [`Reply`] is made. A
    /// message that was made by [`ask`](crate::ActorRef::ask) has one, which is closed.
    ///
    /// The future waits for room in the mailbox, however long that takes, or not at all after [`at_once`](Ask::at_once). A
    /// time that was set by [`within`](Ask::within) is for the answer, and is not used.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// struct Account(u64);
    ///
    /// #[actor]
    /// impl Account {
    ///     #[message]
    ///     fn deposit(&mut self, amount: u64) -> u64 {
    ///         self.0 += amount;
    ///         self.0
    ///     }
    /// }
    ///
    /// supervisor! { struct Bank { account: Account = Account(0) } }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bank = Bank::start().await?;
    /// bank.account.deposit(1).forget().await?; // in the mailbox
    /// assert_eq!(bank.account.deposit(2).await?, 3); // handled
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Awaiting returns the errors of [`tell`](crate::ActorRef::tell), with the message.
    ///
    /// # Cancel safety
    ///
    /// As of a [`Tell`]: if the future is dropped before it is ready, the message was not sent.
    #[inline]
    pub fn forget(self) -> Tell<'a, A, M> {
        let Ask { to, push, at_once, .. } = self;
        Tell { to, push, at_once }
    }
}

impl<A: Actor, R> Future for Ask<'_, A, R, A::Msg> {
    type Output = Result<R, AskError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let to = *this.to;
        let path = || to.any().core().path();
        let mut here = None;
        if !*this.sent {
            let within = *this.within.get_or_insert_with(|| to.cell().ask_time());
            // Checked before the message is sent, and not only when the reply is late.
            if within.is_some() {
                here = Here::find();
                assert!(
                    here.is_some(),
                    "an ask that waits for a time needs a tokio runtime; outside of one use `.forever()`"
                );
            }
            if let Some(put) = this.put.take() {
                *this.answer = Some(this.push.ask(put));
            }
            let cell = to.cell();
            let pushed = if !current::is_leaving() && this.push.offer(cell) {
                Poll::Ready(Ok(()))
            } else if *this.at_once {
                Poll::Ready(this.push.try_closer(cell, Patience::OnceUp))
            } else {
                this.push.poll(to, Patience::OnceUp, cx)
            };
            match pushed {
                Poll::Ready(Ok(())) => *this.sent = true,
                Poll::Ready(Err(rejected)) => {
                    this.answer.iter().for_each(Answer::is_given_up);
                    return Poll::Ready(Err(AskError::Refused { path: path(), reason: rejected.into() }));
                }
                Poll::Pending => {}
            }
        }
        if *this.sent
            && let Some(answer) = this.answer
            && let Poll::Ready(answer) = Pin::new(answer).poll(cx)
        {
            if let (Some(deadline), Some(Some(within))) = (this.deadline.take(), *this.within) {
                deadline.leave(within);
            }
            return Poll::Ready(answer.ok_or_else(|| AskError::NoReply { path: path() }));
        }
        let over = match (this.within.flatten(), this.deadline, here) {
            (Some(within), Some(deadline), _) => deadline.poll(cx).map(|()| within),
            (Some(within), deadline, Some(here)) => Deadline::begin(deadline, within, here, cx).map(|()| within),
            _ => Poll::Pending,
        };
        if let Poll::Ready(within) = over {
            this.answer.iter().for_each(Answer::is_given_up);
            return Poll::Ready(Err(AskError::TimedOut { path: path(), within }));
        }
        if observed::some_asks()
            && let Some(answer) = this.answer
        {
            answer.waits_for(to.any().core());
        }
        Poll::Pending
    }
}
