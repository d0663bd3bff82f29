//! An actor takes a top-level actor over as its child, or lets a child go (S38).

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::sync::oneshot;

use super::Context;
use crate::actor::Actor;
use crate::actor::actor_ref::{ActorRef, Terminated};
use crate::actor::guardian;
use crate::base::sync::Arc;
use crate::engine::cell::control::{Controlled, Move, SystemMessage, send};
use crate::engine::cell::current;
use crate::values::link_error::LinkError;

impl<A: Actor> Context<A> {
    /// Takes a top-level actor over: from now on it is a child of this one, supervised by
    /// [`Actor::supervision`](crate::Actor::supervision), and stops with it (S38).
    ///
    /// Its handle, path, mailbox, restart budget and settings stay as they are; it goes on with what it is
    /// doing. Its events go on to where they went.
    ///
    /// # Errors
    ///
    /// See [`LinkError`]. `Busy` unless it is running.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the actor may be taken over or not.
    ///
    /// ```
    /// # use supervise::{Actor, ActorRef, Context};
    /// # struct Pool; struct Worker;
    /// # impl Actor for Worker { type Msg = (); type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # impl Actor for Pool { type Msg = ActorRef<Worker>; type Error = supervise::LinkError;
    /// async fn receive(&mut self, worker: ActorRef<Worker>, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     cx.link(&worker).await
    /// }
    /// # }
    /// ```
    pub fn link<B: Actor>(
        &mut self,
        other: &ActorRef<B>,
    ) -> impl Future<Output = Result<(), LinkError>> + Send + 'static + use<A, B> {
        self.supervise();
        moved(other.cell.clone(), self.cell.clone(), None)
    }

    /// Lets a child that was spawned or linked at run time go: it becomes a top-level actor, and outlives
    /// this one (S38, S39). Handle, path, mailbox and budget stay.
    ///
    /// # Errors
    ///
    /// See [`LinkError`]. `Busy` unless it is running.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the child may be let go or not.
    ///
    /// ```
    /// # use supervise::{Actor, Context};
    /// # struct Nest; struct Bird;
    /// # impl Actor for Bird { type Msg = (); type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # impl Actor for Nest { type Msg = (); type Error = Box<dyn std::error::Error + Send + Sync>;
    /// async fn receive(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let bird = cx.spawn("bird", || async { Ok(Bird) }).await?;
    ///     cx.unlink(&bird).await?; // it flies on when the nest is gone
    ///     Ok(())
    /// }
    /// # }
    /// ```
    pub fn unlink<B: Actor>(
        &mut self,
        child: &ActorRef<B>,
    ) -> impl Future<Output = Result<(), LinkError>> + Send + 'static + use<A, B> {
        let me = self.cell.ctl().id;
        let to = guardian::above();
        moved(child.cell.clone(), to, Some(me))
    }
}

async fn moved(who: Arc<dyn Controlled>, to: Arc<dyn Controlled>, unlink: Option<u64>) -> Result<(), LinkError> {
    if unlink.is_none() && current::is_below(&to, who.ctl().id) {
        return Err(LinkError::Above { path: who.ctl().path() });
    }
    let (reply, mut answer) = oneshot::channel();
    let mut end = Terminated::of(who.clone());
    send(&*who, SystemMessage::Move(Box::new(Move { to, unlink, reply })));
    poll_fn(|cx| {
        if let Poll::Ready(answer) = Pin::new(&mut answer).poll(cx) {
            return Poll::Ready(answer.unwrap_or_else(|_| Err(LinkError::Ended { path: who.ctl().path() })));
        }
        // One that has ended no longer hears.
        Pin::new(&mut end).poll(cx).map(|_| Err(LinkError::Ended { path: who.ctl().path() }))
    })
    .await
}
