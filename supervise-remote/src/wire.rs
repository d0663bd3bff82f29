//! The transport below remote children: who is there, and frames in order.

use std::borrow::Borrow;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::clock::Clock;

/// The id of one join to a network: `name#join`.
///
/// The part after `#` is new with each join, also within one process, so that a process that was frozen or cut off
/// never comes back as the one that it was.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(Arc<str>);

impl Peer {
    /// Makes a peer of its id.
    ///
    /// ```
    /// use supervise_remote::wire::Peer;
    ///
    /// let peer = Peer::new("host-7#a1b2");
    /// assert_eq!((peer.name(), peer.to_string().as_str()), ("host-7", "host-7#a1b2"));
    /// ```
    pub fn new(id: impl Into<Arc<str>>) -> Peer {
        Peer(id.into())
    }

    /// Returns the name of the process: the part before the last `#`.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('#').map_or(&*self.0, |(name, _)| name)
    }

    /// Returns the whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Peer {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Peer({})", self.0)
    }
}

/// The side on which a process joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// It owns a tree.
    Owner,
    /// It runs remote children of a tree.
    Node,
}

/// An event of a [`Link`]. Owners hear of nodes and nodes of owners, never of their own side.
#[derive(Debug)]
pub enum LinkEvent {
    /// This peer has joined, and frames reach it.
    Up(Peer),
    /// This peer has left, or the connection to it broke. Nothing more comes from it, ever.
    Down(Peer),
    /// A frame of a peer that is up.
    Frame {
        /// The sender.
        from: Peer,
        /// The bytes that it sent.
        bytes: Vec<u8>,
    },
}

/// The future of [`Wire::join`].
pub type Joining<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Link>>> + Send + 'a>>;

/// A network that carries frames between the owner of a tree and its nodes.
///
/// `supervise-remote-zenoh` implements it for real networks, and [`memory::Network`](crate::memory::Network) inside of
/// one process. Sequence numbers, versions and leases are above it: an implementation only has to deliver in order, or
/// to say that a peer is down.
pub trait Wire: Send + Sync + 'static {
    /// Returns the name of this process, for events. The [`Peer`]s of its joins begin with it.
    fn name(&self) -> &str;

    /// Joins as a new peer, and leaves when the link is dropped. May be called any number of times.
    fn join(&self, side: Side) -> Joining<'_>;

    /// Returns the clock of this process.
    #[doc(hidden)]
    fn clock(&self) -> Clock {
        Clock::default()
    }

    /// Of a simulated process: `Pending` while it is frozen, `Ready(false)` once it is dead.
    #[doc(hidden)]
    fn poll_lives(&self, _cx: &mut Context<'_>) -> Poll<bool> {
        Poll::Ready(true)
    }
}

/// One join to a network. Dropping it leaves.
pub trait Link: Send {
    /// Returns the peer as which this link has joined.
    fn me(&self) -> &Peer;

    /// Returns the way out, which any task may use.
    fn outgoing(&self) -> Arc<dyn Outgoing>;

    /// Returns the next event, `None` once the link is closed for good.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>>;
}

/// The way out of a [`Link`].
pub trait Outgoing: Send + Sync {
    /// Sends a frame. Never waits: the windows of the children bound what is under way. The frames of one sender to one
    /// peer arrive in order and without a gap, or the peer goes [`Down`](LinkEvent::Down).
    fn send(&self, to: &Peer, bytes: Vec<u8>);
}
