//! Leases as values: what a grant says, and what happens to a holding (rule S55).

use std::fmt;

use crate::base::line::one_line;
use crate::values::ended::Ended;

/// The end of a holding.
#[derive(Debug)]
#[doc(hidden)]
pub struct Kept {
    #[doc(hidden)]
    pub ended: Ended,
    /// The lease was lost, and the tree stopped because of that.
    #[doc(hidden)]
    pub lost: bool,
}

/// A lease that was granted.
///
/// [`Lease::acquire`](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html#method.acquire) returns it.
///
/// ```
/// use supervise::lease::Acquired;
///
/// let first = Acquired { token: 1, released: false };
/// let next = Acquired { token: 2, released: true };
/// assert!(next.token > first.token, "each grant has a greater token than all before it");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Acquired {
    /// The number of this grant. It is greater than that of every earlier grant of the same lease, to whomever.
    pub token: u64,
    /// `true` if the holder before has [released](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html#method.release) the lease, so that nothing of it acts any more.
    /// `false` if the time of that holding has run out, or if there was none before.
    pub released: bool,
}

/// A call of a [`Lease`](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html).
///
/// ```
/// use supervise::lease::LeaseCall;
///
/// assert_eq!(LeaseCall::Renew.to_string(), "renew");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeaseCall {
    /// [`Lease::acquire`](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html#method.acquire).
    Acquire,
    /// [`Lease::renew`](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html#method.renew).
    Renew,
    /// [`Lease::release`](https://docs.rs/supervise-tree/latest/supervise/trait.Lease.html#method.release).
    Release,
}

impl LeaseCall {
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            LeaseCall::Acquire => "acquire",
            LeaseCall::Renew => "renew",
            LeaseCall::Release => "release",
        }
    }
}

impl fmt::Display for LeaseCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A change of the lease of a tree, in [`EventKind::Lease`](crate::values::event::EventKind::Lease).
///
/// `Display` writes a few words: `held with token 7`. New changes may be added: keep an arm `_`.
///
/// ```
/// use supervise::event::EventKind;
/// use supervise::lease::LeaseChange;
/// use supervise::prelude::*;
/// use supervise::testing::MemoryLease;
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut tree = Shop::tree();
/// let mut events = tree.events();
/// let shop = tree.only_with(MemoryLease::new("shop")).start().await?;
/// let first = events.next().await.expect("the tree lives");
/// assert_eq!(first.to_string(), "Shop #0 lease shop: held with token 1");
/// assert!(matches!(first.kind, EventKind::Lease { change: LeaseChange::Held { token: 1, .. }, .. }));
/// # drop(shop);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeaseChange {
    /// Another one holds the lease: the tree stands by.
    Waiting,
    /// The lease is held, and the tree starts.
    Held {
        /// The token of the holding.
        token: u64,
        /// The holder before had released it.
        released: bool,
    },
    /// A call has failed, or took too long. It is made again.
    Failed {
        /// The call.
        call: LeaseCall,
        /// The error in words.
        error: String,
    },
    /// The lease is lost: the tree stops in order, in the time for which the lease still holds.
    Lost {
        /// The token of the holding.
        token: u64,
        /// `true` if a renewal was refused; `false` if none was granted in time.
        refused: bool,
    },
    /// The time of the holding is over: code of the tree runs no more, and what is left of it is aborted.
    Over {
        /// The token of the holding.
        token: u64,
    },
    /// The tree is down, and the lease is given back.
    Released {
        /// The token of the holding.
        token: u64,
    },
    /// The tree has ended, but something may still act: a child blocks its thread, or a node that was lost may still run
    /// remote children, of this owner or of the one before (S60). The lease is not given back, so that the next holder waits
    /// until its time is over.
    Kept {
        /// The token of the holding.
        token: u64,
    },
}

impl LeaseChange {
    /// Returns the word for JSON and records of tests.
    #[doc(hidden)]
    pub fn word(&self) -> &'static str {
        match self {
            LeaseChange::Waiting => "waiting",
            LeaseChange::Held { .. } => "held",
            LeaseChange::Failed { .. } => "failed",
            LeaseChange::Lost { .. } => "lost",
            LeaseChange::Over { .. } => "over",
            LeaseChange::Released { .. } => "released",
            LeaseChange::Kept { .. } => "kept",
        }
    }

    /// Returns the token of the holding that this is about.
    #[doc(hidden)]
    pub fn token(&self) -> Option<u64> {
        match self {
            LeaseChange::Held { token, .. }
            | LeaseChange::Lost { token, .. }
            | LeaseChange::Over { token }
            | LeaseChange::Released { token }
            | LeaseChange::Kept { token } => Some(*token),
            LeaseChange::Waiting | LeaseChange::Failed { .. } => None,
        }
    }
}

impl fmt::Display for LeaseChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeaseChange::Waiting => f.write_str("held by another one; standing by"),
            LeaseChange::Held { token, released: false } => write!(f, "held with token {token}"),
            LeaseChange::Held { token, released: true } => write!(f, "held with token {token}, released before"),
            LeaseChange::Failed { call, error } => write!(f, "{call} failed: {}", one_line(error)),
            LeaseChange::Lost { token, refused: true } => write!(f, "lost token {token}: the renewal was refused"),
            LeaseChange::Lost { token, refused: false } => write!(f, "lost token {token}: not renewed in time"),
            LeaseChange::Over { token } => write!(f, "token {token} is over: nothing of it runs any more"),
            LeaseChange::Released { token } => write!(f, "released token {token}"),
            LeaseChange::Kept { token } => write!(f, "kept token {token}: something of it may still act"),
        }
    }
}
