//! The states of a mailbox in which messages are accepted, wait or are refused.

/// Whether messages are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Messages are handled as they come.
    Open,
    /// Messages wait: the actor is down (S35).
    Down,
    /// Messages are refused, because the actor is suspended below a failure. Senders on their way down wait for the
    /// decision on that failure, which lets the actor serve until its turn, or takes it down (S7).
    Suspended,
    /// Messages wait for an actor that was named before its turn and has not been up yet. No sender waits: not for room,
    /// and not for a reply (S47).
    Early,
    /// New messages are refused, but queued ones are still handled (S24).
    Draining,
    /// Messages are refused: the actor has ended, or is stopping.
    Closed,
}
