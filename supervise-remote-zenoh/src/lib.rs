//! Remote children of a supervision tree over TCP or TLS: the engine below `supervise-remote`, made of [zenoh].
//!
//! ```no_run
//! use supervise_remote_zenoh::{Settings, Zenoh};
//!
//! # async fn opened() -> Result<(), supervise_remote_zenoh::OpenError> {
//! let wire = Zenoh::open(
//!     Settings::new("host-7")
//!         .connect(["shop.example.org:7447"])
//!         .tls("/etc/shop/cert.pem", "/etc/shop/key.pem", "/etc/shop/ca.pem"),
//! )
//! .await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Who meets whom
//!
//! Processes are listed: each one listens, connects, or both, and nobody is looked for. Owners meet nodes and nodes meet
//! owners, where they are connected directly and their networks have the same name. A process joins a network on one side,
//! and each join has an id of its own. A peer that is down stays down: who comes back joins again.
//!
//! A peer is **down** when its process ends or leaves, when the connection to it breaks, even for a moment (what was on
//! its way is lost then, in silence), when nothing comes from it for its [lease](Settings::lease), when a batch is missing or
//! cannot be read, and when a frame above the [limit](Settings::max_frame) is sent to it. Both sides learn it, and all other peers are left
//! alone. A link whose events nobody takes for 10 s while more of them come is down for all its peers.
//!
//! # Frames
//!
//! A frame is added to what waits for its peer, and never waits. A thread for each peer writes all that waits there as one
//! batch, so the more there is to send, the less each frame costs. The frames that are under way are bounded by who sends
//! them: `supervise-remote` has no more messages under way for a child than its window. A peer that takes nothing is down
//! after a lease, and what waited for it is dropped. A process has at most 1,000 connections.
//!
//! A process that leaves in order waits until the peers have what was sent to them: [`Node::serve`] and [`Net::close`]
//! do so, and the process may end after that. Reasons for which a peer is down are in the log, as warnings of the
//! target `supervise`.
//!
//! # Threads of zenoh
//!
//! Set the environment variable `ZENOH_RUNTIME` to `(net: (worker_threads: 8), rx: (worker_threads: 8))` in production. zenoh
//! closes a connection on its runtimes, and where the other side has not taken all that was sent, as when a machine is cut off
//! without a word, the close holds a thread for up to 10 s. By default the runtime `net` has one thread and `rx` has two: while
//! they are held, other peers may not hear of this process for a lease, and count it as lost. The number is that of the machines
//! that may be cut off at the same time.
//!
//! # Security
//!
//! An address that is not on loopback is refused unless there is mutual TLS ([`Settings::tls`]), or the settings say
//! [`insecure`](Settings::insecure). Each byte from a peer is checked before it is used. A process that has been let in
//! is trusted: it can say that it is any peer.
//!
//! [zenoh]: https://docs.rs/zenoh
//! [`Node::serve`]: supervise_remote::Node::serve
//! [`Net::close`]: supervise_remote::Net::close

mod batch;
mod error;
mod key;
mod link;
mod outbox;
mod pairs;
mod settings;
mod tls;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

use crate::link::{Hub, Session, ZenohLink};
use supervise_remote::wire::{Joining, Link, Peer, Side, Wire};

pub use error::OpenError;
pub use settings::Settings;

/// A process's part in a network. Clones are the same one.
///
/// ```
/// use supervise_remote_zenoh::{Settings, Zenoh};
///
/// # #[tokio::main(flavor = "multi_thread", worker_threads = 1)]
/// # async fn main() -> Result<(), supervise_remote_zenoh::OpenError> {
/// let wire = Zenoh::open(Settings::new("host-7").connect(["127.0.0.1:7447"])).await?;
/// wire.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Zenoh(Arc<Opened>);

struct Opened {
    session: Arc<Session>,
    name: String,
    network: Arc<str>,
    settings: Settings,
    joins: AtomicU64,
    /// The joins that may still be there; nothing once the network is closed.
    hubs: Mutex<Option<Vec<Weak<Hub>>>>,
}

impl Zenoh {
    /// Opens a network: listens, and connects in the background.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says which setting is wrong, that an address is in use, or that this is not tokio's multi-thread
    /// runtime.
    ///
    /// # Cancel safety
    ///
    /// May be cancelled; then nothing stays open.
    pub async fn open(settings: Settings) -> Result<Zenoh, OpenError> {
        if Handle::try_current().map(|runtime| runtime.runtime_flavor()).ok() != Some(RuntimeFlavor::MultiThread) {
            return Err(OpenError::Runtime);
        }
        settings.check()?;
        let other = |error: zenoh::Error| OpenError::Zenoh(error.to_string());
        let session = match zenoh::open(settings.config().map_err(other)?).await {
            Ok(session) => session,
            Err(error) => {
                let in_use = settings.in_use().map(|address| OpenError::InUse { address: address.to_owned() });
                return Err(in_use.unwrap_or_else(|| other(error)));
            }
        };
        Ok(Zenoh(Arc::new(Opened {
            session: Arc::new(Session(Some(session))),
            name: settings.name.clone(),
            network: settings.network.as_str().into(),
            settings,
            joins: AtomicU64::new(0),
            hubs: Mutex::new(Some(Vec::new())),
        })))
    }

    /// Leaves the network with all its links: waits until all that was sent has come to the peers that are there, and
    /// closes the connections. Takes no longer than a few [leases](Settings::lease).
    ///
    /// For a program that goes on without the network, or whose nodes were cut off in the middle of
    /// [`serve`](supervise_remote::Node::serve): links that are dropped leave by themselves, but in the background, and a
    /// process that ends before that is one that was lost. At the end of `main`,
    /// [`Net::close`](supervise_remote::Net::close) is enough.
    ///
    /// # Cancel safety
    ///
    /// May be cancelled: the links leave all the same, and only the connections are closed later, with the last clone.
    pub async fn close(&self) {
        let hubs = self.0.hubs.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        let hubs: Vec<_> = hubs.iter().filter_map(Weak::upgrade).collect();
        for hub in &hubs {
            hub.leave();
        }
        for hub in hubs {
            hub.until_left().await;
        }
        if let Err(error) = self.0.session.get().close().await {
            tracing::warn!(target: "supervise", %error, "zenoh was not closed in order");
        }
    }
}

impl Opened {
    /// Blocks while a connection takes nothing.
    fn join(&self, side: Side) -> zenoh::Result<Arc<Hub>> {
        let join = self.joins.fetch_add(1, Ordering::Relaxed);
        // A session's id is random; 64 bits of it are enough.
        let me = Peer::new(format!("{}#{:.16}.{join}", self.name, self.session.get().zid().to_string()));
        let lease = self.settings.lease;
        let hub =
            Hub::join(self.session.clone(), self.network.clone(), me, side, lease, self.settings.longest_frame())?;
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hubs) = &mut *hubs {
            hubs.retain(|hub| hub.strong_count() > 0);
            hubs.push(Arc::downgrade(&hub));
            return Ok(hub);
        }
        drop(hubs);
        hub.leave();
        Err("the network is closed".into())
    }
}

impl Wire for Zenoh {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn max_frame(&self) -> Option<usize> {
        Some(self.0.settings.most_of_message())
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move {
            let (opened, (joined, result)) = (self.0.clone(), oneshot::channel());
            // A join whose future is dropped leaves again, as its link is dropped.
            thread::Builder::new().name("join".into()).spawn(move || {
                drop(joined.send(opened.join(side).map(ZenohLink)));
            })?;
            match result.await {
                Ok(Ok(link)) => Ok(Box::new(link) as Box<dyn Link>),
                Ok(Err(error)) => Err(io::Error::other(error.to_string())),
                Err(_) => Err(io::Error::other("zenoh has panicked")),
            }
        })
    }
}

impl fmt::Debug for Zenoh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zenoh").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
