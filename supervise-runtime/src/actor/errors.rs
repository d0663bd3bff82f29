//! The errors of a `tell`, an `ask` and a wait.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use supervise_core::values::ended::Ended;

/// The error of a message that was not accepted, with the reason and the path of the receiver.
///
/// The message is not lost: [`into_message`](TellError::into_message) returns it, so that you can send it again or to
/// another actor. The error is `Sync` for every message that is `Send`, so `?` converts it to a boxed error.
///
/// ```
/// use supervise::error::SendRejection;
/// use supervise::prelude::*;
/// # struct Worker;
/// # #[actor]
/// # impl Worker { fn handle(&mut self, _job: String) {} }
///
/// supervisor! {
///     struct Pool {
///         first: Worker = Worker,
///         second: Worker = Worker,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Pool::start().await?;
/// pool.first.stop();
/// pool.first.terminated().await?;
///
/// if let Err(error) = pool.first.tell("a job".to_owned()).await {
///     assert_eq!((error.path(), error.reason()), ("first", SendRejection::Ended));
///     pool.second.tell(error.into_message()).await?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct TellError<M> {
    unsent: Box<Unsent<M>>,
}

/// The content of the error. Boxed, since every tell returns a result as large as its error.
struct Unsent<M> {
    /// Never locked: it makes the error `Sync` for every message, so that `?` can box it.
    message: Mutex<M>,
    reason: SendRejection,
    path: String,
}

/// Why a message was not accepted.
///
/// ```
/// use supervise::error::SendRejection;
/// use supervise::prelude::*;
/// # struct Log;
/// # #[actor]
/// # impl Log { fn handle(&mut self, _line: &'static str) {} }
///
/// supervisor! {
///     struct App {
///         #[mailbox(Bounded(1))]
///         log: Log = Log,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = App::start().await?;
/// app.log.try_tell("one")?;
/// // The actor has not had time to take the message out.
/// let refused = app.log.try_tell("two").expect_err("there is room for one");
/// match refused.reason() {
///     SendRejection::Full => assert_eq!(refused.into_message(), "two"), // `tell` would wait for room
///     SendRejection::Down { retry_in } => println!("the actor restarts, try again in {retry_in:?}"),
///     _ => println!("the actor has ended"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendRejection {
    /// The mailbox is full. Only [`try_tell`](crate::ActorRef::try_tell), an ask [`at_once`](crate::future::Ask::at_once)
    /// and an actor that sends to itself get this reason.
    Full,
    /// The actor is down and declared `while_down(Reject)`, or the message was sent from a hook that must not wait.
    ///
    /// See rules S3 and S35.
    Down {
        /// The time until the next start, if the actor is backing off.
        retry_in: Option<Duration>,
    },
    /// The actor has ended, or is stopping and accepts no more messages.
    Ended,
    /// The owner of a remote child cannot be reached. It may have the message.
    ///
    /// See rule S61.
    Unreachable,
    /// The message cannot be written, so it cannot cross to another process.
    ///
    /// See rule S61.
    NotWritten,
}

impl fmt::Display for SendRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendRejection::Full => {
                f.write_str("the mailbox is full; try again later, or use `tell` or `ask`, which wait for room")
            }
            SendRejection::Down { retry_in: Some(time) } => {
                write!(f, "the actor is down and starts again in {time:?}; try again then")
            }
            SendRejection::Down { retry_in: None } => f.write_str(
                "the actor is down, and rejects messages or the message was sent from a hook that must not wait; try \
                 again when the actor is up",
            ),
            SendRejection::Ended => f.write_str("the actor has stopped or is stopping"),
            SendRejection::Unreachable => f.write_str("the owner of its tree cannot be reached; try again later"),
            SendRejection::NotWritten => {
                f.write_str("it cannot be written, so it cannot cross to another process; see its `Serialize`")
            }
        }
    }
}

impl<M> TellError<M> {
    pub(crate) fn new(message: M, reason: SendRejection, path: String) -> Self {
        TellError { unsent: Box::new(Unsent { message: Mutex::new(message), reason, path }) }
    }

    /// Returns the message.
    pub fn into_message(self) -> M {
        self.unsent.message.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the reason why the message was not accepted.
    pub fn reason(&self) -> SendRejection {
        self.unsent.reason
    }

    /// Returns the path of the actor that did not accept the message.
    pub fn path(&self) -> &str {
        &self.unsent.path
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellError")
            .field("path", &self.unsent.path)
            .field("reason", &self.unsent.reason)
            .finish_non_exhaustive()
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} did not accept the message: {}", self.unsent.path, self.unsent.reason)?;
        match self.unsent.reason {
            SendRejection::Ended => f.write_str("; take the message back with `into_message`"),
            _ => Ok(()), // this reason already says what to do
        }
    }
}

impl<M> std::error::Error for TellError<M> {}

/// Why an ask got no reply.
///
/// Only after [`Refused`](AskError::Refused) is it certain that the message was not handled. After the other two the
/// actor may have done what it was asked to do, so repeat only requests that may be carried out twice.
///
/// ```
/// use supervise::error::AskError;
/// use supervise::prelude::*;
///
/// struct Cart;
///
/// #[actor]
/// impl Cart {
///     fn handle(&mut self, total: Reply<u64>) {
///         drop(total); // the actor has no answer
///     }
/// }
///
/// # supervisor! { struct Shop { cart: Cart = Cart } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// let outcome = match shop.cart.ask(|reply| reply).await {
///     Ok(total) => format!("{total}"),
///     Err(AskError::Refused { reason, .. }) => format!("not done: {reason}"),
///     Err(AskError::NoReply { path }) => format!("perhaps done: {path} gave no answer"),
///     Err(AskError::TimedOut { within, .. }) => format!("perhaps done, or still to be done, after {within:?}"),
///     Err(other) => other.to_string(),
/// };
/// assert_eq!(outcome, "perhaps done: cart gave no answer");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The message was not accepted.
    #[error("{path} did not accept the message: {reason}")]
    Refused {
        /// The path of the actor.
        path: String,
        /// Why the message was not accepted.
        reason: SendRejection,
    },
    /// The reply can no longer come: the actor failed or ended while it had the message, or dropped the `Reply`.
    #[error("no reply will come from {path}: it failed, ended, or dropped the `Reply`")]
    NoReply {
        /// The path of the actor.
        path: String,
    },
    /// No reply came within the time.
    #[error("no reply from {path} within {within:?}; give it longer with `.within(..)` or `mailbox(ask = ..)`")]
    TimedOut {
        /// The path of the actor.
        path: String,
        /// The time that the ask had.
        within: Duration,
    },
}

/// The error of a wait that would never end, because the caller is part of the actor or tree that it waits for.
///
/// The waits of every handle return this error immediately: [`terminated`](crate::ChildRef::terminated),
/// [`shutdown`](crate::ChildRef::shutdown) and [`TreeRef::join`](crate::TreeRef::join). To end yourself, request the
/// stop and return.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Worker;
///
/// #[actor]
/// impl Worker {
///     async fn handle(&mut self, reply: Reply<String>, cx: &mut Context<Self>) {
///         if let Err(error) = cx.actor_ref().terminated().await {
///             reply.send(error.to_string());
///             cx.stop();
///         }
///     }
/// }
///
/// # supervisor! { struct App { worker: Worker = Worker } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = App::start().await?;
/// let text = app.worker.ask(|reply| reply).await?;
/// assert_eq!(text, "worker cannot wait for its own end; call `stop()` and return");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} cannot wait for its own end; call `stop()` and return")]
pub struct WaitError {
    pub(crate) path: String,
}

/// Why a start that was asked for did not come, or cannot be awaited; see [`Starting`](crate::future::Starting).
///
/// ```
/// use supervise::error::StartingError;
/// use supervise::prelude::*;
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     #[pre_start]
///     fn open(&mut self, cx: &mut Context<Self>) -> std::io::Result<()> {
///         if cx.incarnation() > 1 { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(()) }
///     }
///
///     fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Ok(()) }
/// }
///
/// supervisor! {
///     struct Shop {
///         #![decider(_ => Stop)]
///         db: Db = Db,
///         other: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let failed = shop.db.restart()?.await.expect_err("the second start fails");
/// assert!(matches!(&failed, StartingError::Ended { ended: Ended::Failed(_), .. }));
/// assert_eq!(failed.to_string(), "db has ended instead of coming up: failed while restarting: timed out");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StartingError {
    /// The child has ended before it was up.
    Ended {
        /// The path of the child.
        path: String,
        /// The end.
        ended: Ended,
    },
    /// The caller is part of the child whose start it waits for. The child starts all the same.
    Inside {
        /// The path of the child.
        path: String,
    },
}

impl StartingError {
    /// Returns the path of the child.
    pub fn path(&self) -> &str {
        match self {
            StartingError::Ended { path, .. } | StartingError::Inside { path } => path,
        }
    }

    /// Returns how the child has ended, if it has.
    pub fn ended(&self) -> Option<&Ended> {
        match self {
            StartingError::Ended { ended, .. } => Some(ended),
            StartingError::Inside { .. } => None,
        }
    }
}

impl fmt::Display for StartingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartingError::Ended { path, ended } => {
                write!(f, "{path} has ended instead of coming up: {}", ended.at(path))
            }
            StartingError::Inside { path } => {
                write!(f, "{path} cannot wait for its own start; ask for it and return")
            }
        }
    }
}

impl std::error::Error for StartingError {}

#[cfg(test)]
mod tests {
    use crate::actor::errors::{AskError, SendRejection, TellError};

    /// A `tell` gives its message back and an `ask` does not, so only the text of a `tell` says how to take it.
    #[test]
    fn only_a_tell_says_how_to_take_the_message_back() {
        let told = TellError::new((), SendRejection::Ended, "db".into());
        let asked = AskError::Refused { path: "db".into(), reason: SendRejection::Ended };
        let ended = "db did not accept the message: the actor has stopped or is stopping";
        assert_eq!(told.to_string(), format!("{ended}; take the message back with `into_message`"));
        assert_eq!(asked.to_string(), ended);
    }
}
