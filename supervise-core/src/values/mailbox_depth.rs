//! The number of messages in a mailbox.

use std::time::Duration;

/// The fill level of a mailbox.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: u32) {} }
///
/// supervisor! {
///     struct Shop {
///         #[mailbox(Bounded(10))]
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// for query in 0..3 {
///     shop.db.try_tell(query)?; // the actor has no time to take them out in between
/// }
/// let depth = shop.snapshot().find("db").and_then(|db| db.mailbox).expect("an actor has a mailbox");
/// assert_eq!((depth.waiting, depth.capacity, depth.blocked), (3, Some(10), 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MailboxDepth {
    /// The number of messages that wait. A message in hand does not count.
    pub waiting: usize,
    /// The number of messages that can wait; `None`: any number.
    pub capacity: Option<usize>,
    /// The number of senders that wait for room.
    pub blocked: usize,
    /// The time for which the oldest message waits, if times are observed ([`Observe::TIMING`](crate::values::observe::Observe));
    /// a message that came before counts from the time when that began.
    pub oldest: Option<Duration>,
}

impl MailboxDepth {
    #[doc(hidden)]
    pub fn new(waiting: usize, capacity: Option<usize>, blocked: usize, oldest: Option<Duration>) -> Self {
        MailboxDepth { waiting, capacity, blocked, oldest }
    }
}
