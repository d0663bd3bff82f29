//! The transport below remote children: who is there, and frames in order.

use std::borrow::Borrow;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;

use crate::clock::Clock;
use crate::errors::guarded;

/// The id of one join to a network: `name#join`.
///
/// The part after `#` is new with each join, also within one process, so that a process that was frozen or cut off
/// never comes back as the one that it was.
///
/// ```
/// use supervise_remote::wire::Peer;
///
/// let peer = Peer::new("host-7#a1b2");
/// assert_eq!((peer.name(), peer.to_string().as_str()), ("host-7", "host-7#a1b2"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(Arc<str>);

impl Peer {
    /// Makes a peer of its id.
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
///
/// ```
/// use supervise_remote::memory::Network;
/// use supervise_remote::wire::{Side, Wire};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let link = Network::new().process("host-7").join(Side::Node).await?;
/// assert_eq!(link.me().name(), "host-7");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The process that owns a tree.
    Owner,
    /// A process that runs remote children of a tree.
    Node,
}

/// The trees that an owner may own, or the roles that a node may have, as the certificate of the process says.
///
/// ```
/// use supervise_remote::wire::Rights;
///
/// assert!(Rights::only(["worker"]).allows("worker"));
/// assert!(!Rights::only(["worker"]).allows("spot"));
/// assert!(Rights::all().allows("spot"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights(Option<Arc<[String]>>);

impl Rights {
    /// Makes the rights of a process that may own each tree, or be a node of each role: there are no certificates, or its
    /// certificate says so.
    pub fn all() -> Rights {
        Rights(None)
    }

    /// Makes the rights of a process that may own these trees, or be a node of these roles.
    pub fn only<I>(names: I) -> Rights
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Rights(Some(names.into_iter().map(Into::into).collect()))
    }

    /// Returns whether this tree or role is among them.
    pub fn allows(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|of| of == name))
    }

    /// Returns why a process of this name may not be that, if it may not.
    pub(crate) fn refused(&self, process: &str, side: Side, name: &str) -> Option<String> {
        let names = self.0.as_ref().filter(|_| !self.allows(name))?;
        let only = match &names[..] {
            [] => String::new(),
            names => {
                format!(", only of {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
            }
        };
        Some(match side {
            Side::Owner => {
                format!("the certificate of {process} does not let it be the owner of the tree `{name}`{only}")
            }
            Side::Node => format!("the certificate of {process} does not let it be a node of the role `{name}`{only}"),
        })
    }
}

/// An event of a [`Link`]. Owners hear of nodes and nodes of owners, never of their own side.
///
/// ```
/// use std::future::poll_fn;
/// use supervise_remote::memory::Network;
/// use supervise_remote::wire::{LinkEvent, Side, Wire};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let network = Network::new();
/// let mut owner = network.process("owner").join(Side::Owner).await?;
/// let node = network.process("host-7").join(Side::Node).await?;
/// let id = node.me().clone();
///
/// let event = poll_fn(|cx| owner.poll_event(cx)).await;
/// assert!(matches!(event, Some(LinkEvent::Up(peer, _)) if peer == id));
/// drop(node);
/// let event = poll_fn(|cx| owner.poll_event(cx)).await;
/// assert!(matches!(event, Some(LinkEvent::Down(peer)) if peer == id));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum LinkEvent {
    /// This peer has joined, and frames reach it. It may be what its rights say, and nothing else.
    Up(Peer, Rights),
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
///
/// ```
/// use supervise_remote::wire::{Joining, Side, Wire};
///
/// fn as_owner(wire: &dyn Wire) -> Joining<'_> {
///     Box::pin(async move { wire.join(Side::Owner).await })
/// }
/// # let _ = as_owner;
/// ```
pub type Joining<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Link>>> + Send + 'a>>;

/// A network that carries frames between the owner of a tree and its nodes.
///
/// `supervise-remote-zenoh` implements it for real networks, and [`memory::Network`](crate::memory::Network) inside of
/// one process. Sequence numbers, versions and leases are above it: an implementation only has to deliver in order, or
/// to say that a peer is down.
///
/// An implementation promises:
///
/// * `Up` comes before the first frame of a peer, and nothing comes from it after `Down`;
/// * frames of one sender to one peer arrive in the order of sending and without a gap, or the peer goes `Down`;
/// * a join has an id that no join had before, in any process;
/// * a peer that is `Down` for one side is soon `Down` for the other side too.
///
/// Some methods have defaults that do less. A wire around another one passes all of them on, as this one does, which counts the
/// frames that the other one sends:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::task::{Context, Poll};
/// use supervise_remote::wire::{Closing, Joining, Link, LinkEvent, Outgoing, Peer, Rights, Side, Signs, Wire};
///
/// struct Counted<W>(W, Arc<AtomicU64>);
///
/// impl<W: Wire> Wire for Counted<W> {
///     fn name(&self) -> &str {
///         self.0.name()
///     }
///
///     fn join(&self, side: Side) -> Joining<'_> {
///         Box::pin(async move {
///             let link = CountedLink(self.0.join(side).await?, self.1.clone());
///             Ok(Box::new(link) as Box<dyn Link>)
///         })
///     }
///
///     fn max_frame(&self) -> Option<usize> {
///         self.0.max_frame()
///     }
///
///     fn rights(&self, side: Side) -> Rights {
///         self.0.rights(side)
///     }
/// }
///
/// struct CountedLink(Box<dyn Link>, Arc<AtomicU64>);
///
/// impl Link for CountedLink {
///     fn me(&self) -> &Peer {
///         self.0.me()
///     }
///
///     fn outgoing(&self) -> Arc<dyn Outgoing> {
///         Arc::new(CountedOut(self.0.outgoing(), self.1.clone()))
///     }
///
///     fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>> {
///         self.0.poll_event(cx)
///     }
///
///     fn take_signs(&mut self, take: Signs) {
///         self.0.take_signs(take);
///     }
///
///     fn close(self: Box<Self>) -> Closing {
///         self.0.close()
///     }
/// }
///
/// struct CountedOut(Arc<dyn Outgoing>, Arc<AtomicU64>);
///
/// impl Outgoing for CountedOut {
///     fn send(&self, to: &Peer, bytes: Vec<u8>) {
///         self.1.fetch_add(1, Ordering::Relaxed);
///         self.0.send(to, bytes);
///     }
///
///     fn send_ahead(&self, to: &Peer, bytes: Vec<u8>) {
///         self.1.fetch_add(1, Ordering::Relaxed);
///         self.0.send_ahead(to, bytes);
///     }
/// }
/// # let wire = Counted(supervise_remote::memory::Network::new().process("owner"), Arc::default());
/// # let _ = supervise_remote::Net::open(wire);
/// ```
pub trait Wire: Send + Sync + 'static {
    /// Returns the name of this process, for events. The [`Peer`]s of its joins begin with it.
    fn name(&self) -> &str;

    /// Joins as a new peer, and leaves when the link is dropped. May be called any number of times: each tree that runs on this
    /// wire and each node that serves has a join of its own, several of them at the same time, and a new one where its link has
    /// ended.
    ///
    /// # Errors
    ///
    /// If the network cannot be joined now. Owners and nodes try again, once a second.
    ///
    /// # Cancel safety
    ///
    /// A join whose future is dropped leaves again.
    fn join(&self, side: Side) -> Joining<'_>;

    /// Returns the most bytes of a message that a frame can carry, with 1 MiB more for what is put around it; none if a frame
    /// may be of any length. [`Net::max_frame`](crate::Net::max_frame) is that, unless it is set lower.
    fn max_frame(&self) -> Option<usize> {
        None
    }

    /// Returns what the certificate of this process lets it be on this side. All, if there is none.
    fn rights(&self, _side: Side) -> Rights {
        Rights::all()
    }

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

/// Takes a sign of life that a peer has [sent ahead](Outgoing::send_ahead). Returns whether it was one: other bytes belong
/// among the [events](Link::poll_event).
///
/// May be called on any thread, also outside of a runtime, and by several at the same time. Sends its answer before it returns: call
/// it without a lock that [`send`](Outgoing::send) or [`send_ahead`](Outgoing::send_ahead) needs. A call after the link was
/// dropped does nothing.
///
/// ```
/// use std::sync::Arc;
/// use supervise_remote::wire::Signs;
///
/// let signs: Signs = Arc::new(|from, bytes| {
///     println!("{} bytes from {from}", bytes.len());
///     true
/// });
/// # let _ = signs;
/// ```
pub type Signs = Arc<dyn Fn(&Peer, &[u8]) -> bool + Send + Sync>;

/// The future of [`Link::close`].
///
/// ```
/// use supervise_remote::wire::{Closing, Link};
///
/// fn closed(link: Box<dyn Link>) -> Closing {
///     link.close()
/// }
/// # let _ = closed;
/// ```
pub type Closing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One join to a network. Dropping it leaves.
///
/// ```
/// use std::future::poll_fn;
/// use supervise_remote::wire::{Link, LinkEvent};
///
/// /// Waits for the next frame.
/// async fn frame(link: &mut dyn Link) -> Option<Vec<u8>> {
///     loop {
///         if let LinkEvent::Frame { bytes, .. } = poll_fn(|cx| link.poll_event(cx)).await? {
///             return Some(bytes);
///         }
///     }
/// }
/// # let _ = frame;
/// ```
pub trait Link: Send {
    /// Returns the peer as which this link has joined.
    fn me(&self) -> &Peer;

    /// Returns the way out, which any task may use.
    fn outgoing(&self) -> Arc<dyn Outgoing>;

    /// Returns the next event, `None` once the link is closed for good: the process then joins again.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>>;

    /// Gives signs of life to `take` from now on, as soon as they have come, and not to [`poll_event`](Link::poll_event): code
    /// that blocks the threads of the runtime holds up no lease then. For a node, a sign stays among the events while an `Up`
    /// waits to be polled: a new owner may have to be followed first. For an owner there is no such case, and the sign of a peer whose
    /// `Up` waits is not taken.
    ///
    /// Signs are the bytes that a peer has sent with [`send_ahead`](Outgoing::send_ahead), so a wire marks them on the way. They
    /// come from peers that are up, and not behind their `Down`. A wire gains by this only where a thread of its own, no task of the
    /// runtime, reads and writes: without it [`Net::longest_stall`](crate::Net::longest_stall) has no effect, and a stall may
    /// last no longer than the lease. Called once for each link, before the first event is polled.
    ///
    /// The default leaves them among the events.
    ///
    /// ```
    /// use supervise_remote::wire::{Peer, Signs};
    ///
    /// /// Called by the thread that reads, for each frame that was sent ahead. Returns what belongs among the events.
    /// fn has_come(signs: Option<&Signs>, from: &Peer, bytes: Vec<u8>, is_node: bool, ups_that_wait: usize) -> Option<Vec<u8>> {
    ///     let signs = signs.filter(|_| !is_node || ups_that_wait == 0);
    ///     let is_taken = signs.is_some_and(|take| take(from, &bytes));
    ///     (!is_taken).then_some(bytes)
    /// }
    /// # let takes: Signs = std::sync::Arc::new(|_, _| true);
    /// # let peer = Peer::new("a#1");
    /// # assert_eq!(has_come(Some(&takes), &peer, vec![1], true, 0), None);
    /// # assert_eq!(has_come(Some(&takes), &peer, vec![1], true, 1), Some(vec![1]));
    /// ```
    fn take_signs(&mut self, take: Signs) {
        drop(take);
    }

    /// Leaves, and waits until those that are up have what was sent to them, or a short time is over. A process may
    /// end right after that, and was not lost.
    ///
    /// The default drops the link, and does not wait.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves no later than it would have.
    fn close(self: Box<Self>) -> Closing {
        drop(self);
        Box::pin(std::future::ready(()))
    }
}

/// The way out of a [`Link`].
///
/// ```
/// use std::future::poll_fn;
/// use supervise_remote::memory::Network;
/// use supervise_remote::wire::{LinkEvent, Side, Wire};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let network = Network::new();
/// let owner = network.process("owner").join(Side::Owner).await?;
/// let mut node = network.process("host-7").join(Side::Node).await?;
///
/// owner.outgoing().send(node.me(), b"hello".to_vec());
/// poll_fn(|cx| node.poll_event(cx)).await; // `Up`
/// let event = poll_fn(|cx| node.poll_event(cx)).await;
/// assert!(matches!(event, Some(LinkEvent::Frame { bytes, .. }) if bytes == b"hello"));
/// # Ok(())
/// # }
/// ```
pub trait Outgoing: Send + Sync {
    /// Sends a frame. Never waits: the windows of the children bound what is under way. The frames of one sender to one
    /// peer arrive in order and without a gap, or the peer goes [`Down`](LinkEvent::Down). A frame to a peer that is not up is
    /// dropped.
    fn send(&self, to: &Peer, bytes: Vec<u8>);

    /// Sends a sign of life, of at most a few kilobytes: it should not wait behind the frames that were sent before. It may come
    /// ahead of them, behind later ones, or not at all, but not before [`Up`](LinkEvent::Up) or behind `Down`. Without it,
    /// a lease may be over because a large message is under way.
    ///
    /// The default sends it in order.
    fn send_ahead(&self, to: &Peer, bytes: Vec<u8>) {
        self.send(to, bytes);
    }
}

/// A join, as owners and nodes hold it: a wire is code of others, so that a panic of it ends this join, and no more.
pub(crate) struct Joined {
    link: Option<Box<dyn Link>>,
    pub(crate) out: Arc<dyn Outgoing>,
}

impl Joined {
    /// Joins, as one who takes signs of life like this.
    pub(crate) async fn new(wire: &dyn Wire, side: Side, take: Signs) -> io::Result<Joined> {
        let failed = |why: String| io::Error::other(why);
        let joining = guarded(|| wire.join(side)).map_err(failed)?;
        let link = std::panic::AssertUnwindSafe(joining).catch_unwind().await;
        let link = link.map_err(|panic| {
            // The payload is a value of others, whose drop may panic as well.
            let _ = guarded(move || drop(panic));
            failed("the join panicked".to_owned())
        })??;
        let mut joined = Joined { out: guarded(|| link.outgoing()).map_err(failed)?, link: Some(link) };
        if let Some(link) = &mut joined.link {
            guarded(|| link.take_signs(take)).map_err(failed)?;
        }
        Ok(joined)
    }

    /// Returns the next event, `None` once the link is closed for good.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>> {
        let Some(link) = &mut self.link else { return Poll::Ready(None) };
        guarded(|| link.poll_event(cx)).unwrap_or_else(|why| {
            say!(error, why, "the link to the network ends");
            Poll::Ready(None)
        })
    }

    /// Leaves in order.
    pub(crate) async fn close(mut self) {
        let Some(link) = self.link.take() else { return };
        let closed = match guarded(|| link.close()) {
            Ok(closing) => std::panic::AssertUnwindSafe(closing).catch_unwind().await.map_err(|panic| {
                let _ = guarded(move || drop(panic));
            }),
            Err(_) => Err(()),
        };
        if closed.is_err() {
            say!(error, "the link to the network was not closed in order: it panicked");
        }
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        if let Err(why) = guarded(|| drop(self.link.take())) {
            say!(error, why, "the drop of the link to the network failed");
        }
    }
}
