//! Why a message was not taken, a reply did not come, or a wait would never end.

use super::*;

/// A message that was not taken, with the reason and the path of the actor it was for.
pub struct TellError<M> {
    pub(super) message: M,
    pub(super) reason: Refusal,
    pub(super) path: String,
}

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The mailbox is full.
    Full,
    /// The actor is down, and is declared `while_down(Reject)` (rule S35), or the sender is in a hook in which
    /// it must not wait (rule S3).
    Down {
        /// When it will be started again, if it waits for a backoff of its own.
        retry_in: Option<Duration>,
    },
    /// The actor has ended, or takes nothing more on its way there.
    Ended,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Full => f.write_str("its mailbox is full; try again later, or use `tell`, which waits for room"),
            Refusal::Down { retry_in: Some(time) } => {
                write!(f, "it is down and takes no message; it starts again in {time:?}, try again then")
            }
            Refusal::Down { retry_in: None } => f.write_str(
                "it is down, and either takes no message meanwhile or is told from a hook that must not wait; try \
                 again when it is up",
            ),
            Refusal::Ended => f.write_str("it has ended or is about to"),
        }
    }
}

impl<M> TellError<M> {
    /// The message, back in the sender's hands.
    pub fn into_message(self) -> M {
        self.message
    }

    /// Why.
    pub fn reason(&self) -> Refusal {
        self.reason
    }

    /// The path of the actor it was for.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellError").field("path", &self.path).field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} did not take the message: {}", self.path, self.reason)?;
        match self.reason {
            Refusal::Ended => f.write_str("; take the message back with `into_message`"),
            _ => Ok(()), // the reason says itself what to do
        }
    }
}

impl<M> std::error::Error for TellError<M> {}

/// Why an ask got no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The message was not taken.
    #[error("{path} did not take the message: {reason}")]
    Refused {
        /// The actor.
        path: String,
        /// Why.
        reason: Refusal,
    },
    /// The reply can no longer come: the actor failed or ended with the message, or dropped the `Reply`.
    #[error("no reply will come from {path}: it failed, ended, or dropped the `Reply`")]
    NoReply {
        /// The actor.
        path: String,
    },
    /// No reply within the time.
    #[error("no reply from {path} within {within:?}; give it longer with `.within(..)` or `mailbox(ask = ..)`")]
    TimedOut {
        /// The actor.
        path: String,
        /// How long it had.
        within: Duration,
    },
}

/// Waiting for one's own end, or for that of an actor or tree one is part of, would never end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot wait for the end of {path} from inside it: ask with `stop()` and return")]
pub struct WaitError {
    pub(crate) path: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `tell` gives its message back, an `ask` does not: only one of them says how to take it.
    #[test]
    fn only_a_tell_speaks_of_the_message_that_it_gives_back() {
        let told = TellError { message: (), reason: Refusal::Ended, path: "db".into() };
        let asked = AskError::Refused { path: "db".into(), reason: Refusal::Ended };
        let ended = "db did not take the message: it has ended or is about to";
        assert_eq!(told.to_string(), format!("{ended}; take the message back with `into_message`"));
        assert_eq!(asked.to_string(), ended);
    }
}
