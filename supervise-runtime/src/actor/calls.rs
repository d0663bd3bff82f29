//! Methods as messages: the trait of all handles, and what the dispatch of such a method needs.

use std::any::type_name;
use std::error::Error;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context as TaskCx, Poll};

use pin_project_lite::pin_project;

use crate::actor::Actor;
use crate::actor::actor_ref::Reply;
use crate::actor::context::Context;
use crate::actor::errors::AskError;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::{BoxError, Thrown};

/// A handle through which the methods of an `A` are called.
///
/// `#[actor]` makes a trait beside an actor whose methods are messages, such as `AccountCalls` for an `Account`. Its
/// methods are there for every handle that is a `CallTo<Account>`: [`ActorRef`](crate::ActorRef), `RemoteRef`, and a
/// handle of your own, such as a double in a test. Messages whose methods are private are called in their own module alone.
///
/// ```
/// use supervise::CallTo;
/// use supervise::error::AskError;
/// use supervise::prelude::*;
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

/// The type of an answer. Its kind is that of the first of the three traits below which the type has: the compiler looks
/// for a method with three references first, then with two, then with one.
#[doc(hidden)]
#[derive(Debug)]
pub struct AnswerOf<T>(PhantomData<fn() -> T>);

#[doc(hidden)]
#[inline]
pub fn answer_of<T>(_: &T) -> AnswerOf<T> {
    AnswerOf(PhantomData)
}

/// A result whose error can be any error, or is `Thrown` behind an alias. It does not say for whom the error is.
#[doc(hidden)]
pub trait ErrorOfAnyType {
    fn kind(&self) -> MayBeAFailure {
        MayBeAFailure
    }
}

impl<T> ErrorOfAnyType for &&AnswerOf<Result<T, BoxError>> {}
impl<T> ErrorOfAnyType for &&AnswerOf<Result<T, Box<dyn Error + Send>>> {}
impl<T> ErrorOfAnyType for &&AnswerOf<Result<T, Thrown>> {}
#[cfg(feature = "anyhow")]
impl<T> ErrorOfAnyType for &&AnswerOf<Result<T, anyhow::Error>> {}

/// Any other result. Its error is an event if nobody reads it.
#[doc(hidden)]
pub trait ResultAnswer {
    fn kind(&self) -> ReadError {
        ReadError
    }
}

impl<T, E> ResultAnswer for &AnswerOf<Result<T, E>> {}

/// All other answers.
#[doc(hidden)]
pub trait AnyAnswer {
    fn kind(&self) -> Plain {
        Plain
    }
}

impl<T> AnyAnswer for AnswerOf<T> {}

/// The kinds of answers.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct MayBeAFailure;

#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ReadError;

#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Plain;

/// A kind of answer that is given.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this error may be for the caller or for the supervisor",
    label = "says neither",
    note = "write `Thrown`, by this name, if the actor has failed, or an error type of your own if the caller gets it"
)]
pub trait Answers<T> {
    /// Returns the type of an error that somebody has to read.
    fn unread(self, answer: &T) -> Option<&'static str>;
}

impl<T> Answers<T> for Plain {
    #[inline]
    fn unread(self, _: &T) -> Option<&'static str> {
        None
    }
}

impl<T, E> Answers<Result<T, E>> for ReadError {
    #[inline]
    fn unread(self, answer: &Result<T, E>) -> Option<&'static str> {
        answer.is_err().then(type_name::<E>)
    }
}

/// Answers, if somebody waits for it. An error that nobody reads is an event.
#[doc(hidden)]
#[inline]
pub fn answer<A: Actor, T>(
    kind: impl Answers<T>,
    cx: &Context<A>,
    message: &'static str,
    reply: Option<Reply<T>>,
    answer: T,
) {
    if let Some(error) = kind.unread(&answer)
        && reply.as_ref().is_none_or(Reply::is_closed)
    {
        cx.cell().core().emit(EventKind::Unread { message, error });
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
