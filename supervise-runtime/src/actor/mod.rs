//! The traits of actors and of what their functions return.

pub(crate) mod actor_ref;
pub(crate) mod body;
pub(crate) mod commands;
pub(crate) mod context;
pub mod guardian;
pub(crate) mod hook;
pub(crate) mod options;
mod redelivery;
pub(crate) mod timers;

use std::convert::Infallible;
use std::future::Future;

use crate::actor::context::Context;
use crate::values::ended::{Ended, Watched};
use crate::values::failure::{BoxError, Failure};
use crate::values::strategy::SupervisorStrategy;

/// An actor: a state that handles one message at a time (rule S1).
///
/// There are three ways to write one; all end in this trait:
///
/// 1. `#[derive(Actor)]` on the struct, hooks named by attributes;
/// 2. `#[actor]` on the `impl` block, hooks marked on the methods;
/// 3. this trait by hand.
///
/// Only [`receive`](Actor::receive) is required. The hooks run at these points (rules S11 and S12):
///
/// | hook | when | its failure |
/// |---|---|---|
/// | `pre_start` | on every new instance, before its first message | a failed start |
/// | `post_restart` | after `pre_start`, if this instance replaces another | a failed restart |
/// | `pre_restart` | on the old instance, before it goes down for a restart | reported |
/// | `post_stop` | once on each instance whose `pre_start` succeeded, unless it was aborted | reported |
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
/// A handler or hook is dropped at its next `.await` only when the actor is killed, when its time is
/// up, or, for `pre_start` and `post_restart`, when the actor is stopped (rule S4).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`"
)]
pub trait Actor: Sized + Send + 'static {
    /// What it is told and asked.
    type Msg: Send + 'static;
    /// What its handlers and hooks fail with.
    type Error: Into<BoxError> + Send + 'static;

    /// Handles one message. An error or a panic is a failure, on which the supervisor decides.
    fn receive(
        &mut self,
        msg: Self::Msg,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Runs on every new instance before its first message.
    fn pre_start(&mut self, _cx: &mut Context<Self>) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs once on each instance whose `pre_start` succeeded, after its children are down.
    fn post_stop(&mut self, _cx: &mut Context<Self>) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs on the old instance, before it goes down for a restart.
    fn pre_restart(
        &mut self,
        _failure: &Failure,
        _cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs on an instance that replaces another, after `pre_start`.
    fn post_restart(
        &mut self,
        _failure: &Failure,
        _cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// How it supervises the children that it spawns (rule S38). Read once per instance, before
    /// `pre_start`. Default: OneForOne, 10 restarts in 1 minute.
    fn supervision(&self) -> SupervisorStrategy {
        SupervisorStrategy::default()
    }
}

/// An actor that hears when others end (rule S37).
///
/// Not a part of [`Actor`], so that an actor without `terminated` cannot watch by mistake.
///
/// In an `#[actor] impl` it is the method marked `#[terminated]`; by hand it is this trait:
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
    label = "`{Self}` would not hear of the end",
    note = "give it one: `async fn terminated(&mut self, who: &Watched, ended: &Ended)` marked `#[terminated]` in its `#[actor] impl`, `#[terminated(name)]` on the derive, or `impl Watcher for {Self}`",
    note = "to end with the other, use `cx.depend_on(&other)`"
)]
pub trait Watcher: Actor {
    /// Told exactly once for each watched actor that has ended. An error is a failure of the watcher.
    fn terminated(
        &mut self,
        who: &Watched,
        ended: &Ended,
        cx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What a hook may return, seen as `Result<(), E>`: nothing, or `Result<(), F>` with `F: Into<E>`.
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

/// What `handle` may return; gives an `#[actor] impl` its error type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "`handle` returns nothing or `Result<(), E>`, not `{Self}`")]
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

impl<E> HandleOutput for Result<(), E> {
    type Error = E;
    fn done(self) -> Self {
        self
    }
}

/// [`HandleOutput`] with a constant that asks for it, the one place that says so where a type is none.
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
