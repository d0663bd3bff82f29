//! The error of taking over a child, or of letting it go.

/// Why [`Context::link`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.link) or [`Context::unlink`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.unlink) did not move an actor.
///
/// ```
/// use supervise::error::LinkError;
/// use supervise::prelude::*;
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
/// let free = supervise::spawn(child! { "free": Worker = Worker }).await?;
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
    /// One of the two actors is not simply running: it starts, is restarted, has failed, or goes down.
    #[error("{path} is busy starting, restarting or stopping; try again when it runs")]
    Busy {
        /// The path of the actor that was to move.
        path: String,
    },
    /// The actor is not a top-level actor: it was declared in a tree, or is a child of another actor.
    #[error("{path} has a supervisor; link an actor that `supervise::spawn` started or `unlink` released")]
    Supervised {
        /// The path of the actor that was to move.
        path: String,
    },
    /// The actor is the caller itself, or the caller lives below it.
    #[error("{path} cannot be linked below itself; link it to an actor outside of its tree")]
    Above {
        /// The path of the actor that was to move.
        path: String,
    },
    /// The actor is not a child of the caller that was spawned or linked at run time.
    #[error("{path} is not a run-time child of this actor; call `unlink` on its parent")]
    NotOwn {
        /// The path of the actor that was to move.
        path: String,
    },
    /// The actor has ended.
    #[error("{path} has ended; spawn a new actor")]
    Ended {
        /// The path of the actor that was to move.
        path: String,
    },
}
