//! A session of zenoh that uses one connection and nothing else.
//!
//! The session speaks to a socket of this process, in a folder that only its user can open, and for a moment only. So what a
//! session says comes from the process at the other end of its connection, and nobody else reads it.

use std::fmt;
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tracing::Dispatch;
use zenoh::Wait as _;

use crate::batch;
use crate::pairs::{MOST_AHEAD, Way};
use crate::rights::Granted;
use crate::settings::Settings;

/// The time that a session has to open.
pub(crate) const OPENED_WITHIN: Duration = Duration::from_secs(10);

/// zenoh puts its own fields around a batch.
const AROUND_BATCH: usize = 4096;

/// The longest path of a socket, on every system.
const PATH: usize = 90;

/// The end of a connection at which this process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Accepted,
    Dialed,
}

/// So many sessions that listen open at the same time.
static OPENING: Semaphore = Semaphore::const_new(4);

/// So many descriptors are free before a session opens. Each session takes four, and the program needs some as well.
const DESCRIPTORS: usize = 64;

/// A session of zenoh, which is not dropped on a thread of a runtime: closing blocks.
pub(crate) struct Session(Option<zenoh::Session>);

/// A connection with a session.
pub(crate) struct Connection {
    /// Differs from those of all other connections of this process.
    pub(crate) id: u64,
    /// The same for all connections of one address and certificate.
    holder: u64,
    pub(crate) granted: Granted,
    /// None for the session on which the joins of this process meet.
    address: Option<SocketAddr>,
    session: Session,
    told: AtomicBool,
    over: AtomicBool,
}

/// Runs code of zenoh that reports each step to the log, and its outcome to the caller.
fn quietly<T>(code: impl FnOnce() -> T) -> T {
    tracing::dispatcher::with_default(&Dispatch::none(), code)
}

impl Drop for Session {
    fn drop(&mut self) {
        let session = self.0.take();
        drop(thread::Builder::new().name("close".into()).spawn(move || quietly(|| drop(session))));
    }
}

impl Connection {
    pub(crate) fn new(session: Session, granted: Granted, holder: u64, address: Option<SocketAddr>) -> Arc<Connection> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Connection {
            id,
            holder,
            granted,
            address,
            session,
            told: AtomicBool::new(false),
            over: AtomicBool::new(false),
        })
    }

    /// Opens the session on which the joins of this process meet. Blocks for a moment.
    pub(crate) fn here(settings: &Settings, granted: Granted) -> zenoh::Result<Arc<Connection>> {
        let session = quietly(|| zenoh::open(config(settings, None)?).wait())?;
        Ok(Connection::new(Session(Some(session)), granted, 0, None))
    }

    /// Closes the session. Blocks for a moment.
    pub(crate) fn close(&self) {
        if let Err(error) = quietly(|| self.session().close().wait()) {
            tracing::debug!(target: "supervise", %error, connection = ?self, "a session was not closed in order");
        }
    }

    /// Where what comes over it comes from.
    pub(crate) fn way(&self) -> Way {
        Way { connection: self.id, holder: self.holder }
    }

    /// The connection is over. Set before anyone is notified.
    pub(crate) fn ends(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    pub(crate) fn is_here(&self) -> bool {
        self.address.is_none()
    }

    pub(crate) fn session(&self) -> &zenoh::Session {
        self.session.0.as_ref().expect("taken out only by `drop`")
    }

    /// Tells, once, that the other end says more than its certificate lets it say.
    pub(crate) fn exceeds(&self, what: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(target: "supervise", address = ?self.address, what, "its certificate does not let it be that");
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A folder for a socket, which only this user can open.
fn folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("supervise-");
    let folder = builder.tempdir()?;
    if folder.path().as_os_str().len() <= PATH { Ok(folder) } else { builder.tempdir_in("/tmp") }
}

/// Fails if few descriptors are free: zenoh loses one for ever when there is none for the socket on which it listens.
fn spare() -> io::Result<()> {
    // One call at a time, so that none takes the descriptors that another call counts.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let spare: io::Result<Vec<_>> = (0..DESCRIPTORS).map(|_| File::open("/dev/null")).collect();
    spare.map(drop)
}

/// A session that is being opened, and the socket to it.
pub(crate) async fn session(
    settings: &Settings,
    end: End,
) -> io::Result<(JoinHandle<zenoh::Result<Session>>, UnixStream)> {
    // Each waits for its turn before it takes anything.
    let turn = match end {
        End::Accepted => Some(OPENING.acquire().await.map_err(io::Error::other)?),
        End::Dialed => None,
    };
    let folder = spawn_blocking(folder).await??;
    let path = folder.path().join("s");
    let open = |path: &Path| {
        let config = config(settings, Some((end, path)));
        spawn_blocking(move || quietly(|| Ok(Session(Some(zenoh::open(config?).wait()?)))))
    };
    let opened = match end {
        End::Accepted => {
            spawn_blocking(spare).await??;
            let session: zenoh::Result<Session> = open(&path).await?;
            let session = session.map_err(|error| io::Error::other(error.to_string()))?;
            let socket = UnixStream::connect(&path).await?;
            (tokio::spawn(async { Ok(session) }), socket)
        }
        End::Dialed => {
            let listener = UnixListener::bind(&path)?;
            let opening = open(&path);
            let (socket, _) = timeout(OPENED_WITHIN, listener.accept()).await??;
            (opening, socket)
        }
    };
    drop(turn);
    // Nobody else finds the socket from here on.
    spawn_blocking(move || drop(folder)).await?;
    Ok(opened)
}

/// The settings of one session, in zenoh's words: it speaks to one socket at most, and looks for nobody.
fn config(settings: &Settings, socket: Option<(End, &Path)>) -> zenoh::Result<zenoh::Config> {
    let lease_ms = settings.lease.as_millis() as u64;
    let of = |path: &Path| vec![format!("unixsock-stream/{}", path.display())];
    let (mode, listen, connect) = match socket {
        None => ("peer", Vec::new(), Vec::new()),
        Some((End::Accepted, path)) => ("peer", of(path), Vec::new()),
        Some((End::Dialed, path)) => ("client", Vec::new(), of(path)),
    };
    let mut config = zenoh::Config::default();
    let mut set = |key: &str, value: serde_json::Value| config.insert_json5(key, &value.to_string());
    set("mode", json!(mode))?;
    set("scouting/multicast/enabled", json!(false))?;
    // Without it, zenoh warns of regions that are not there.
    set("scouting/gossip/enabled", json!(true))?;
    set("scouting/gossip/autoconnect", json!({ "router": [], "peer": [] }))?;
    set("listen/endpoints", json!(listen))?;
    set("listen/exit_on_failure", json!(true))?;
    set("connect/endpoints", json!(connect))?;
    set("open/return_conditions/connect_scouted", json!(false))?;
    set("transport/unicast/max_sessions", json!(1))?;
    set("transport/link/protocols", json!(["unixsock-stream"]))?;
    set("transport/link/tx/lease", json!(lease_ms))?;
    set("transport/link/tx/keep_alive", json!(4))?;
    let before_close = lease_ms.saturating_mul(1000);
    set("transport/link/tx/queue/congestion_control/block/wait_before_close", json!(before_close))?;
    // A batch or a sign of life of the greatest length, with what zenoh puts around it. zenoh puts up to 16 of them together for a
    // connection at the same time.
    set("transport/link/rx/max_message_size", json!(batch::most().max(MOST_AHEAD) + AROUND_BATCH))?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zenoh_takes_every_setting() {
        let path = Path::new("/a \"b\"/c");
        for socket in [None, Some((End::Accepted, path)), Some((End::Dialed, path))] {
            config(&Settings::new("a"), socket).unwrap();
        }
    }
}
