//! Moves between supervisors: an actor takes over a top-level actor, or lets a child go (S38).

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::sync::oneshot;

use super::Context;
use crate::actor::Actor;
use crate::actor::actor_ref::ActorRef;
use crate::actor::guardian;
use crate::actor::waits::Terminated;
use crate::engine::bus::extension::{Start, start_extensions};
use crate::engine::cell::control::{AnyCell, Move, SystemMessage, send};
use crate::engine::cell::current;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::link_error::LinkError;

impl<A: Actor> Context<A> {
    /// Takes over a top-level actor, which becomes a child of this actor, supervised by [`Actor::supervision`], and
    /// stops with it.
    ///
    /// The handle, path, mailbox, restart budget and settings of the other actor stay as they are, and it continues
    /// with its work. Its events go to the same subscribers as before (S38).
    ///
    /// # Errors
    ///
    /// See [`LinkError`]. Returns `Busy` unless both actors are running.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the actor may or may not have been taken over.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, Context};
    /// # struct Pool; struct Worker;
    /// # impl Actor for Worker { type Msg = (); type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # impl Actor for Pool { type Msg = ActorRef<Worker>; type Error = supervise::error::LinkError;
    /// async fn receive(&mut self, worker: ActorRef<Worker>, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     cx.link(&worker).await
    /// }
    /// # }
    /// ```
    pub fn link<B: Actor>(&mut self, other: &ActorRef<B>) -> BoxFuture<'static, Result<(), LinkError>> {
        self.supervise();
        Box::pin(moved(other.to_any(), self.actor.to_any(), None))
    }

    /// Releases a child that was spawned or linked at run time, which becomes a top-level actor and outlives this one.
    ///
    /// The child keeps its handle, path, mailbox and budget (S38, S39).
    ///
    /// # Errors
    ///
    /// See [`LinkError`]. Returns `Busy` unless the child is running.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before it is ready, the child may or may not have been released.
    ///
    /// ```
    /// # use supervise::{Actor, Context, child};
    /// # struct Nest; struct Bird;
    /// # impl Actor for Bird { type Msg = (); type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # impl Actor for Nest { type Msg = (); type Error = Box<dyn std::error::Error + Send + Sync>;
    /// async fn receive(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let bird = cx.spawn(child! { "bird": Bird = Bird }).await?;
    ///     cx.unlink(&bird).await?; // the bird lives on when the nest is gone
    ///     Ok(())
    /// }
    /// # }
    /// ```
    pub fn unlink<B: Actor>(&mut self, child: &ActorRef<B>) -> BoxFuture<'static, Result<(), LinkError>> {
        let core = self.cell().core();
        let (me, to) = (core.id, guardian::above(core.bus.extensions.standing()));
        let _ = start_extensions(&to, Start::Unlinked);
        Box::pin(moved(child.to_any(), to, Some(me)))
    }
}

async fn moved(who: Arc<AnyCell>, to: Arc<AnyCell>, unlink: Option<u64>) -> Result<(), LinkError> {
    if unlink.is_none() && current::is_below(&to, who.core().id) {
        return Err(LinkError::Above { path: who.core().path() });
    }
    let (reply, mut answer) = oneshot::channel();
    let mut end = Terminated::of(who.clone());
    send(&*who, SystemMessage::Move(Box::new(Move { to, unlink, reply })));
    poll_fn(|cx| {
        if let Poll::Ready(answer) = Pin::new(&mut answer).poll(cx) {
            return Poll::Ready(answer.unwrap_or_else(|_| Err(LinkError::Ended { path: who.core().path() })));
        }
        // An actor that has ended no longer answers requests.
        Pin::new(&mut end).poll(cx).map(|_| Err(LinkError::Ended { path: who.core().path() }))
    })
    .await
}
