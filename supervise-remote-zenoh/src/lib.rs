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
//! alone. Where 64 MiB of frames
//! were not taken, and none for 10 s, the peers are down that have sent the most of them. Where so much waits of long frames that
//! have come in part, behind one connection, or four times that behind all connections of one address and certificate, the peer is down
//! that sends more.
//!
//! # Frames
//!
//! A frame is added to what waits for its peer, and never waits. A thread for each peer puts what waits there together into
//! batches, so the more there is to send, the less each frame costs. A long frame goes in pieces. The frames that are under way are bounded by who sends
//! them: `supervise-remote` has no more messages under way for a child than its window. A peer that takes nothing is down
//! after a lease, and what waited for it is dropped. A process has at most 1,000 connections, and each takes
//! five file descriptors, so raise the limit of descriptors (`ulimit -n`) where there are more than 150. When all are taken, the
//! newest one ends of the address and certificate with the most.
//!
//! A process that leaves in order waits until the peers have what was sent to them: [`Node::serve`] and [`Net::close`]
//! do so, and the process may end after that. Reasons for which a peer is down are in the log, as warnings of the
//! target `supervise`.
//!
//! # Connections
//!
//! Each connection is verified first, at both ends, and then carries a session of zenoh of its own. Two processes keep one
//! connection, however many addresses lead from one to the other. The connections have two threads of their own, so code that
//! blocks the threads of the program does not end them.
//!
//! # Security
//!
//! An address that is not on loopback is refused unless there is mutual TLS ([`Settings::tls`]), or the settings say
//! [`insecure`](Settings::insecure). With TLS a process is what its certificate lets it be: it cannot own what it may not own,
//! read what is sent to others, or speak for them. Connections that are not verified yet are bounded in number and time,
//! and keep nobody out. Each byte from a peer is checked before it is used.
//!
//! [zenoh]: https://docs.rs/zenoh
//! [`Node::serve`]: supervise_remote::Node::serve
//! [`Net::close`]: supervise_remote::Net::close

mod batch;
mod connection;
mod door;
mod environment;
mod error;
mod file;
mod greeting;
mod key;
mod link;
#[cfg(test)]
mod mutated;
mod net;
mod open;
mod outbox;
mod pairs;
mod places;
mod rights;
mod session;
mod settings;
mod tls;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::link::{Hub, ZenohLink};
use crate::net::{Opened, Shared};
use crate::session::Connection;
use crate::tls::Store;
use supervise_remote::wire::{Joining, Link, Rights, Side, Wire};

pub use environment::EnvError;
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

impl Zenoh {
    /// Opens a network: listens, and connects in the background, on threads of its own.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says which setting is wrong, or that an address cannot be listened on.
    ///
    /// # Cancel safety
    ///
    /// May be cancelled; then nothing stays open.
    pub async fn open(settings: Settings) -> Result<Zenoh, OpenError> {
        settings.check()?;
        let tls = settings.files().map(Store::open).transpose()?;
        // User code may block all threads of its runtime, and signs of life go on.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("link")
            .enable_all()
            .build()
            .map_err(OpenError::Threads)?;
        let handle = runtime.handle().clone();
        let shared = Arc::new(Shared::new(settings, tls));
        let opened = Opened::new(shared.clone(), runtime);
        let mut listeners = Vec::new();
        for address in &shared.settings.listen {
            let bound = handle.spawn(TcpListener::bind(address.clone()));
            let bound = bound.await.map_err(|error| OpenError::Threads(io::Error::other(error)))?;
            listeners.push(bound.map_err(|error| match error.kind() {
                io::ErrorKind::AddrInUse => OpenError::InUse { address: address.clone() },
                _ => OpenError::Listen { address: address.clone(), error },
            })?);
        }
        let here = shared.clone();
        let here = handle.spawn_blocking(move || Connection::here(&here.settings, here.granted())).await;
        let here = here.map_err(|error| OpenError::Threads(io::Error::other(error)))?;
        shared.attach(&here.map_err(|error| OpenError::Threads(io::Error::other(error.to_string())))?);
        for listener in listeners {
            handle.spawn(door::listen(shared.clone(), listener));
        }
        for address in &shared.settings.connect {
            handle.spawn(door::dial(shared.clone(), address.clone()));
        }
        if shared.tls.is_some() {
            handle.spawn(door::look(shared));
        }
        Ok(Zenoh(Arc::new(opened)))
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
        let shared = &self.0.shared;
        let leaving: Vec<_> = shared.close().into_iter().map(|join| join.leave()).collect();
        for mut left in leaving {
            let _ = left.wait_for(|left| *left).await; // an error: the join has left, and was dropped
        }
        shared.closing.send_replace(true);
        let mut sessions = shared.sessions.subscribe();
        // Each connection has a bound; the sender lives in `self`.
        let _ = sessions.wait_for(|sessions| *sessions == 0).await;
    }
}

impl Wire for Zenoh {
    fn name(&self) -> &str {
        &self.0.shared.settings.name
    }

    fn max_frame(&self) -> Option<usize> {
        Some(self.0.shared.settings.most_of_message())
    }

    fn rights(&self, side: Side) -> Rights {
        let shared = &self.0.shared;
        let rights = shared.granted().of(&shared.network, side, &shared.settings.name);
        rights.unwrap_or_else(|| Rights::only([""; 0]))
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move {
            let (opened, (joined, result)) = (self.0.clone(), oneshot::channel());
            // A join whose future is dropped leaves again, as its link is dropped.
            thread::Builder::new().name("join".into()).spawn(move || {
                drop(joined.send(Hub::join(opened, side).map(ZenohLink)));
            })?;
            match result.await {
                Ok(Ok(link)) => Ok(Box::new(link) as Box<dyn Link>),
                Ok(Err(error)) => Err(io::Error::other(error)),
                Err(_) => Err(io::Error::other("zenoh has panicked")),
            }
        })
    }
}

impl fmt::Debug for Zenoh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zenoh").field("settings", &self.0.shared.settings).finish_non_exhaustive()
    }
}
