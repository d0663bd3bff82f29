//! Methods as messages: the trait of all handles, and what the dispatch of such a method needs.

use std::any::type_name;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context as TaskCx, Poll};

use pin_project_lite::pin_project;

use crate::actor::Actor;
use crate::actor::actor_ref::Reply;
use crate::actor::context::Context;
use crate::actor::errors::AskError;
use crate::values::event::EventKind;

/// A handle through which the methods of an `A` are called.
///
/// `#[actor]` makes a trait beside an actor whose methods are messages, such as `AccountCalls` for an `Account`. Its
/// methods are there for every handle that is a `CallTo<Account>`: [`ActorRef`](crate::ActorRef), `RemoteRef`, and a
/// handle of your own, such as a double in a test. Messages whose methods are private are called in their own module alone.
///
/// ```
/// use std::cell::Cell;
///
/// use supervise::error::AskError;
/// use supervise::future::BoxFuture;
/// use supervise::prelude::*;
/// use supervise::CallTo;
///
/// pub struct Account(u64);
///
/// #[actor]
/// impl Account {
///     #[message]
///     pub fn deposit(&mut self, amount: u64) -> u64 {
///         self.0 += amount;
///         self.0
///     }
/// }
///
/// /// Works with an account here or elsewhere, and in tests.
/// async fn pay_twice(account: &impl AccountCalls) -> Result<u64, AskError> {
///     account.deposit(5).await?;
///     account.deposit(5).await
/// }
///
/// /// Answers nothing.
/// struct Closed;
///
/// impl CallTo<Account> for Closed {
///     type Call<'a, R: Send + 'static> = std::future::Ready<Result<R, AskError>>;
///
///     fn call<R: Send + 'static>(&self, msg: AccountMsg, _: fn(&mut AccountMsg, Reply<R>)) -> Self::Call<'_, R> {
///         std::future::ready(Err(AskError::NoReply { path: format!("{msg:?}") }))
///     }
/// }
///
/// supervisor! { struct Bank { account: Account = Account(0) } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bank = Bank::start().await?;
/// assert_eq!(pay_twice(&bank.account).await?, 10);
/// assert!(pay_twice(&Closed).await.unwrap_err().to_string().contains("Account::deposit"));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handle of `{A}`",
    label = "takes no messages of `{A}`",
    note = "a handle is an `ActorRef<{A}>` or a `RemoteRef<{A}>`; private messages are called in their own module alone"
)]
pub trait CallTo<A: Actor> {
    /// The future of a call: [`Ask`](crate::future::Ask) for an `ActorRef`.
    type Call<'a, R: Send + 'static>: IntoFuture<Output = Result<R, AskError>, IntoFuture: Send> + Send
    where
        Self: 'a;

    /// Sends a message when the returned future is awaited. `put` puts the reply into it; a message without one is handled
    /// all the same.
    fn call<R: Send + 'static>(&self, msg: A::Msg, put: fn(&mut A::Msg, Reply<R>)) -> Self::Call<'_, R>;
}

/// A type that can be a part of a message.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a message",
    label = "cannot be sent to another thread",
    note = "a message crosses threads: its arguments are `Send`, and contain no references; write `Arc` for `Rc`, and owned types"
)]
pub trait IsSent {
    const IS: bool = true;
    type As;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> IsSent for T {
    type As = T;
}

/// [`IsSent`] with a constant as argument. For a type that is wrong this is the only place where the compiler complains.
#[doc(hidden)]
pub trait IsSentIf<const IS: bool> {
    type As;
}

impl<T: IsSent> IsSentIf<true> for T {
    type As = T::As;
}

/// A type that can be the answer of a message.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer of a message",
    label = "cannot be sent to another thread",
    note = "an answer crosses threads: it is `Send`, and contains no references; write `Arc` for `Rc`, and owned types"
)]
pub trait IsAnswer {
    const IS: bool = true;
    type As;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> IsAnswer for T {
    type As = T;
}

/// [`IsAnswer`] with a constant as argument; see [`IsSentIf`].
#[doc(hidden)]
pub trait IsAnswerIf<const IS: bool> {
    type As;
}

impl<T: IsAnswer> IsAnswerIf<true> for T {
    type As = T::As;
}

/// Answers, if somebody waits for it.
#[doc(hidden)]
#[inline]
pub fn answer<R>(reply: Option<Reply<R>>, answer: R) {
    if let Some(reply) = reply {
        reply.send(answer);
    }
}

/// Answers with a result. An error that nobody reads is an event.
#[doc(hidden)]
#[inline]
pub fn answer_result<A: Actor, T, E>(
    cx: &Context<A>,
    message: &'static str,
    reply: Option<Reply<Result<T, E>>>,
    answer: Result<T, E>,
) {
    if answer.is_err() && reply.as_ref().is_none_or(Reply::is_closed) {
        cx.cell().core().emit(EventKind::Unread { message, error: type_name::<E>() });
    }
    if let Some(reply) = reply {
        reply.send(answer);
    }
}

/// Returns the reply for a method that answers by itself: a closed one, if nobody waits.
#[doc(hidden)]
pub fn reply_of<R>(reply: Option<Reply<R>>) -> Reply<R> {
    reply.unwrap_or_else(Reply::closed)
}

pin_project! {
    /// The handling of a message: over, for a sync method, or the future of an async one.
    #[doc(hidden)]
    #[project = HandledPinned]
    pub enum Handled<E, F> {
        Now { result: Option<Result<(), E>> },
        Later { #[pin] future: F },
    }
}

impl<E, F> Handled<E, F> {
    #[inline]
    pub fn now(result: Result<(), E>) -> Self {
        Handled::Now { result: Some(result) }
    }
}

impl<E, F: Future<Output = Result<(), E>>> Future for Handled<E, F> {
    type Output = Result<(), E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut TaskCx<'_>) -> Poll<Self::Output> {
        match self.project() {
            HandledPinned::Now { result } => Poll::Ready(result.take().expect("polled again after it was ready")),
            HandledPinned::Later { future } => future.poll(cx),
        }
    }
}
