//! The traits that actors implement, and those of the values that their functions return.

pub(crate) mod actor_ref;
pub(crate) mod body;
pub(crate) mod calls;
pub(crate) mod child_ref;
pub(crate) mod commands;
pub(crate) mod context;
#[cfg(feature = "remote")]
pub mod crossing;
pub(crate) mod errors;
pub(crate) mod follow;
pub mod guardian;
pub(crate) mod hook;
pub(crate) mod host;
pub(crate) mod options;
mod redelivery;
pub(crate) mod timers;
pub(crate) mod validate;
pub(crate) mod waits;

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::task::{Context as TaskCx, Poll};

use crate::actor::context::Context;
use crate::actor::hook::Form;
use crate::engine::watched::Watched;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::{Failure, Thrown};
use supervise_core::values::hooks::DeclaredHooks;

/// An actor: a state that handles one message at a time.
///
/// There are three ways to write one. All of them implement this trait:
///
/// 1. `#[derive(Actor)]` on the struct, with hooks named by attributes;
/// 2. `#[actor]` on the `impl` block, with hooks marked on the methods;
/// 3. an `impl` of this trait.
///
/// Only [`receive`](Actor::receive) is required. The hooks run at these points (rules S1, S11 and S12):
///
/// | hook | when | its failure |
/// |---|---|---|
/// | `pre_start` | on every new instance, before its first message | a failed start |
/// | `post_restart` | after `pre_start`, if this instance replaces another | a failed restart |
/// | `pre_restart` | on the old instance, before it goes down for a restart | reported |
/// | `post_stop` | once on each instance whose `pre_start` succeeded, unless the instance was aborted | reported |
///
/// ```
/// use supervise::{Actor, Context, Reply};
///
/// struct Counter(u64);
///
/// enum CounterMsg {
///     Add(u64),
///     Get(Reply<u64>),
/// }
///
/// impl Actor for Counter {
///     type Msg = CounterMsg;
///     type Error = std::convert::Infallible;
///
///     async fn receive(&mut self, msg: CounterMsg, _cx: &mut Context<Self>) -> Result<(), Self::Error> {
///         match msg {
///             CounterMsg::Add(n) => self.0 += n,
///             CounterMsg::Get(reply) => reply.send(self.0),
///         }
///         Ok(())
///     }
/// }
/// ```
///
/// # Cancel safety
///
/// A handler or hook is dropped, at its next `.await`, only when the actor is killed, when its time is up, or, for
/// `pre_start` and `post_restart`, when the actor is stopped (rule S4).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`"
)]
pub trait Actor: Sized + Send + 'static {
    /// The type of the messages that this actor handles.
    type Msg: Send + 'static;
    /// The type of the errors that its handlers and hooks return.
    type Error: Into<Thrown> + Send + 'static;

    /// The hooks that this type has. The macros set it, because a hook that is not there need not be run.
    #[doc(hidden)]
    const HOOKS: DeclaredHooks = DeclaredHooks::ALL;

    /// Whether `poll_turn` and `poll_drained` are asked. For all other actors they cost nothing.
    #[doc(hidden)]
    const TURNS: bool = false;

    /// Whether the messages have names of their own.
    #[doc(hidden)]
    const WORDS: bool = false;

    /// Returns the number of the name of a message: a byte, since each idle actor has room for it. From 255 on, messages
    /// share the name of their type.
    #[doc(hidden)]
    fn word(_msg: &Self::Msg) -> u8 {
        0
    }

    /// Returns the name with a number, for events: that of a method, or of the type of the messages.
    #[doc(hidden)]
    fn named(_word: u8) -> fn() -> &'static str {
        std::any::type_name::<Self::Msg>
    }

    /// Handles one message. An error or a panic is a failure, and the supervisor decides what follows.
    ///
    /// The bound follows from `Self: Send`, so an `impl` need not repeat it.
    // The macros repeat it: without it, a field that is not `Send` would be a second error, of the future.
    fn receive(
        &mut self,
        msg: Self::Msg,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send
    where
        for<'a> &'a mut Self: Send;

    /// Runs on every new instance before its first message. An error or a panic is a failed start.
    fn pre_start(&mut self, _cx: &mut Context<Self>) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs once on each instance whose `pre_start` succeeded, after its children are down. A failure here is reported.
    fn post_stop(&mut self, _cx: &mut Context<Self>) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs on the old instance, before it goes down for a restart. A failure here is reported.
    fn pre_restart(
        &mut self,
        _failure: &Failure,
        _cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs on an instance that replaces another, after `pre_start`. An error or a panic is a failed restart.
    fn post_restart(
        &mut self,
        _failure: &Failure,
        _cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Asked before each message, and whenever the waker that it was given is woken.
    ///
    /// `Pending` takes no message. An error is a failure beside the messages; asked again after an error, the actor was
    /// resumed. `cx.stop()` ends the actor by itself.
    #[doc(hidden)]
    fn poll_turn(&mut self, _cx: &mut Context<Self>, _task: &mut TaskCx<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    /// Returns whether the failure that `poll_turn` has just returned is one of a message that is in hand elsewhere.
    #[doc(hidden)]
    fn has_in_hand(&self) -> bool {
        false
    }

    /// Asked during a drain, when the mailbox is empty and accepts nothing more: `Pending` while work is under way
    /// elsewhere.
    #[doc(hidden)]
    fn poll_drained(&mut self, _task: &mut TaskCx<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    /// Returns the strategy for the children that this actor spawns.
    ///
    /// The method is called once per instance, before `pre_start`. Default: `OneForOne`, 10 restarts in 1 minute (rule
    /// S38).
    fn supervision(&self) -> SupervisorStrategy {
        SupervisorStrategy::default()
    }
}

/// Returns the name of a message.
#[doc(hidden)]
pub fn name_of<A: Actor>(msg: &A::Msg) -> &'static str {
    A::named(A::word(msg))()
}

/// An actor that is notified when other children end: actors, tasks and trees.
///
/// This trait is separate from [`Actor`], so that an actor without `terminated` cannot watch by mistake (rule S37).
///
/// In an `#[actor] impl`, mark the method with `#[terminated]`. Without the macro, implement this trait:
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// struct Cart {
///     db: ActorRef<Db>,
/// }
///
/// impl Actor for Cart {
///     type Msg = ();
///     type Error = std::convert::Infallible;
///
///     async fn receive(&mut self, _msg: (), _cx: &mut Context<Self>) -> Result<(), Self::Error> {
///         Ok(())
///     }
///
///     async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
///         cx.watch(&self.db);
///         Ok(())
///     }
/// }
///
/// impl Watcher for Cart {
///     async fn terminated(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) -> Result<(), Self::Error> {
///         if *who == self.db && ended.is_orderly() {
///             cx.stop();
///         }
///         Ok(())
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         #[lifecycle(Transient)]
///         cart: Cart = Cart { db },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.stop();
/// assert!(matches!(shop.cart.terminated().await?, Ended::Done));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot watch: it has no `terminated`",
    label = "`{Self}` would not be notified of the end",
    note = "give it one: `async fn terminated(&mut self, who: &Watched, ended: &Ended)` marked `#[terminated]` in its `#[actor] impl`, `#[terminated(name)]` on the derive, or `impl Watcher for {Self}`",
    note = "to end with the other, use `cx.depend_on(&other)`"
)]
pub trait Watcher: Actor {
    /// Called exactly once for each watched actor that has ended. An error or a panic is a failure of the watcher.
    fn terminated(
        &mut self,
        who: &Watched,
        ended: &Ended,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The return type of a hook, seen as `Result<(), E>`: nothing, or `Result<(), F>` with `F: Into<E>`.
#[doc(hidden)]
pub trait Outcome<E>: Send {
    fn done(self) -> Result<(), E>;
}

impl<E> Outcome<E> for () {
    fn done(self) -> Result<(), E> {
        Ok(())
    }
}

impl<E, F: Into<E> + Send> Outcome<E> for Result<(), F> {
    fn done(self) -> Result<(), E> {
        self.map_err(Into::into)
    }
}

/// The return type of `handle`, which gives an `#[actor] impl` its error type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`handle` returns nothing or `Result<(), E>`, not `{Self}`",
    note = "an answer goes through a `Reply` in the message: `reply.send(..)`"
)]
pub trait HandleOutput {
    const IS: bool = true;
    type Error;
    fn done(self) -> Result<(), Self::Error>;
}

impl HandleOutput for () {
    type Error = Infallible;
    fn done(self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The bound on the error of an actor, with words of its own.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of an actor",
    label = "does not turn into a `BoxError`",
    note = "an error crosses threads on its way to the supervisor, so a boxed one is `Send + Sync`",
    note = "implement `std::error::Error` for a type of your own; a boxed error is `supervise::BoxError`"
)]
pub trait ErrorOfAnActor {}

#[diagnostic::do_not_recommend]
impl<E: Into<Thrown> + Send + 'static> ErrorOfAnActor for E {}

impl<E: ErrorOfAnActor> HandleOutput for Result<(), E> {
    type Error = E;
    fn done(self) -> Self {
        self
    }
}

/// Returns the future of one message as it is. A future that is not `Send` is reported where this function is called.
#[doc(hidden)]
pub fn may_move_between_threads<F: Future + Send>(future: F) -> impl Future<Output = F::Output> + Send {
    future
}

/// A function that can be the `handle` of a derive. The lifetimes of its arguments are those of one call, so that its
/// future may borrow them in any way.
///
/// `Form` only makes two implementations possible: with one, the compiler would count arguments instead of showing the
/// signature.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the `handle` of a derive is `async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>)`",
    label = "has a `handle` with another signature",
    note = "with `#[actor]` above its `impl` block, `handle` may be sync, and without `cx`"
)]
pub trait IsAHandle<A, M, C, Form> {
    type Future: Future;
    fn call(self, actor: A, msg: M, cx: C) -> Self::Future;
}

#[diagnostic::do_not_recommend]
impl<F, A, M, C, Fut> IsAHandle<A, M, C, Form<3, true>> for F
where
    F: FnOnce(A, M, C) -> Fut,
    Fut: Future,
{
    type Future = Fut;

    fn call(self, actor: A, msg: M, cx: C) -> Fut {
        self(actor, msg, cx)
    }
}

#[diagnostic::do_not_recommend]
impl<F: HasHandle, A, M, C> IsAHandle<A, M, C, Form<0, false>> for F {
    type Future = Ready<()>;

    fn call(self, _actor: A, _msg: M, _cx: C) -> Ready<()> {
        ready(())
    }
}

/// Calls the `handle` of a derive.
#[doc(hidden)]
pub fn call_handle<A, M, C, Form, F: IsAHandle<A, M, C, Form>>(handle: F, actor: A, msg: M, cx: C) -> F::Future {
    handle.call(actor, msg, cx)
}

/// The `handle` that a derive finds if the type has none of its own, so that the error shows what to add.
#[doc(hidden)]
pub trait NoHandle: Actor {
    fn handle<'a>(&'a mut self, _msg: Self::Msg, _cx: &'a mut Context<Self>) -> Ready<Result<(), Self::Error>>
    where
        Self: HasHandle,
    {
        ready(Ok(()))
    }
}

impl<A: Actor> NoHandle for A {}

/// Implemented by no type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `handle`",
    label = "would handle no message",
    note = "add `async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Error>` to its `impl` block"
)]
pub trait HasHandle {}

/// [`HandleOutput`] with a constant as argument. For an invalid return type this is the only place where the compiler
/// complains.
#[doc(hidden)]
pub trait OutputIf<const IS: bool> {
    type Error;
    fn done(self) -> Result<(), Self::Error>;
}

impl<T: HandleOutput> OutputIf<true> for T {
    type Error = T::Error;
    fn done(self) -> Result<(), T::Error> {
        HandleOutput::done(self)
    }
}
