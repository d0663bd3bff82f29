//! An actor takes a top-level actor over as its child, or lets a child go (S38).

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use tokio::sync::oneshot;

use super::Context;
use crate::actor::Actor;
use crate::actor_ref::{ActorRef, Terminated};
use crate::cell::control::{Controlled, SystemMessage, send};
use crate::cell::current;
use crate::guardian;
use crate::sync::Arc;

/// Why an actor was not taken over or let go: [`Context::link`], [`Context::unlink`].
///
/// ```
/// use supervise::{LinkError, prelude::*};
/// # struct Worker;
/// # #[actor]
/// # impl Worker { fn handle(&mut self, _msg: ()) {} }
///
/// struct Foreman;
///
/// enum Msg {
///     Hire(ActorRef<Worker>, Reply<Result<(), LinkError>>),
/// }
///
/// #[actor]
/// impl Foreman {
///     async fn handle(&mut self, Msg::Hire(worker, reply): Msg, cx: &mut Context<Self>) {
///         reply.send(cx.link(&worker).await);
///     }
/// }
///
/// supervisor! {
///     struct Site {
///         foreman: Foreman = Foreman,
///         worker: Worker = Worker,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let site = Site::start().await?;
/// let free = supervise::spawn("free", || async { Ok(Worker) }).await?;
/// assert!(site.foreman.ask(|reply| Msg::Hire(free.clone(), reply)).await?.is_ok());
///
/// let taken = site.foreman.ask(|reply| Msg::Hire(site.worker.clone(), reply)).await?;
/// assert!(matches!(taken, Err(LinkError::Supervised { path }) if path == "worker"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// One of the two is not simply running: it starts, is restarted, has failed or goes down.
    #[error("{path} is busy starting, restarting or stopping; try again when it runs")]
    Busy {
        /// Who was to move.
        path: String,
    },
    /// It is no top-level actor: it was declared in a tree, or is somebody's child.
    #[error("{path} has a supervisor; only what `supervise::spawn` started, or `unlink` let go, can be linked")]
    Supervised {
        /// Who was to move.
        path: String,
    },
    /// It is the caller, or one that the caller lives below.
    #[error("{path} cannot be a child of itself or of one below it")]
    Above {
        /// Who was to move.
        path: String,
    },
    /// It is no child of the caller that was spawned or linked at run time.
    #[error("{path} is not a run-time child of this actor")]
    NotOwn {
        /// Who was to move.
        path: String,
    },
    /// It has ended.
    #[error("{path} has ended")]
    Ended {
        /// Who was to move.
        path: String,
    },
}

/// The request to a cell to change its supervisor.
pub(crate) struct Move {
    pub(crate) to: Arc<dyn Controlled>,
    /// Who lets it go; `None`: it is taken over.
    pub(crate) unlink: Option<u64>,
    pub(crate) reply: oneshot::Sender<Result<(), LinkError>>,
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Move").field("to", &self.to).finish_non_exhaustive()
    }
}

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
