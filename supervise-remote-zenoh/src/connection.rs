//! A verified connection: a task moves the bytes between it and its session.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::greeting::Process;
use crate::net::Shared;
use crate::rights::Granted;
use crate::session::{Connection, End, OPENED_WITHIN, session};
use crate::tls::{Shown, Store};

/// A certificate is checked again after this time: it may have expired.
const CHECKED_AGAIN: Duration = Duration::from_secs(10);

/// The bytes that are moved at once.
const MOVED: usize = 32 << 10;

/// Both directions of a connection.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection whose other end is verified.
pub(crate) struct Verified {
    pub(crate) stream: Box<dyn Stream>,
    pub(crate) end: End,
    pub(crate) address: SocketAddr,
    pub(crate) granted: Granted,
    /// The number of who holds its certificate.
    pub(crate) holder: u64,
    /// The certificate of the peer, to be checked again; none without TLS.
    pub(crate) shown: Option<Shown>,
    pub(crate) process: Process,
    /// Ready when another connection takes its place.
    pub(crate) replaced: watch::Receiver<bool>,
}

/// Moves bytes until there are no more, and passes that on.
///
/// Fails if nothing is taken for this long.
async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    within: Duration,
) -> io::Result<()> {
    let mut bytes = vec![0; MOVED];
    loop {
        let length = from.read(&mut bytes).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        timeout(within, async {
            to.write_all(&bytes[..length]).await?;
            to.flush().await
        })
        .await??;
    }
}

/// Ends when the certificate does not hold any more.
async fn distrusted(store: Option<&Store>, shown: Option<&Shown>) -> String {
    let (Some(store), Some(shown)) = (store, shown) else { return std::future::pending().await };
    let mut changes = store.changes();
    loop {
        if let Err(why) = store.keys().check(shown) {
            return format!("its certificate does not hold any more: {why}");
        }
        let _ = timeout(CHECKED_AGAIN, changes.changed()).await; // the check follows in both cases
    }
}

/// A connection that is open is counted, and leaves when it is over.
struct Counted {
    shared: Arc<Shared>,
    process: Process,
    replaced: watch::Receiver<bool>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.shared.open().leave(self.process, &self.replaced);
        self.shared.sessions.send_modify(|sessions| *sessions -= 1);
    }
}

/// Ends when this is true, and never if nobody can say so any more.
async fn is_true(mut watched: watch::Receiver<bool>) {
    if watched.wait_for(|is| *is).await.is_err() {
        std::future::pending().await
    }
}

/// Gives a verified connection a session, and returns when it is over.
pub(crate) async fn connected(shared: Arc<Shared>, verified: Verified) {
    let Verified { stream, end, address, granted, holder, shown, process, replaced } = verified;
    shared.sessions.send_modify(|sessions| *sessions += 1);
    let _counted = Counted { shared: shared.clone(), process, replaced: replaced.clone() };
    if *shared.closing.borrow() {
        return; // counted first, so that either `close` counts this connection, or this connection sees `closing`
    }
    let told = |why: &str| tracing::warn!(target: "supervise", %address, why, "a connection ends");
    // A connection may wait long for its turn. Not every refusal is logged: processes without a session connect again.
    let opened = tokio::select! {
        biased;
        () = shared.until_closing() => return,
        () = is_true(replaced.clone()) => return,
        opened = timeout(OPENED_WITHIN, session(&shared.settings, end)) => opened,
    };
    let (opening, mut socket) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => return shared.refused(address, &format!("it got no session: {error}")),
        Err(_) => return shared.refused(address, &format!("it got no session within {OPENED_WITHIN:?}")),
    };
    let (mut near_in, mut near_out) = socket.split();
    let (mut far_in, mut far_out) = split(stream);
    let ended = {
        let mut moved = pin!(async {
            tokio::select! {
                out = copy(&mut near_in, &mut far_out, shared.settings.lease) => out.map(|()| "this process has ended it"),
                come = async {
                    // zenoh would connect again if it saw the end before its session is closed.
                    let mut bytes = vec![0; MOVED];
                    loop {
                        let length = far_in.read(&mut bytes).await?;
                        if length == 0 {
                            return Ok("the other side has ended it");
                        }
                        near_out.write_all(&bytes[..length]).await?;
                    }
                } => come,
            }
        });
        let opened = tokio::select! {
            session = timeout(OPENED_WITHIN, opening) => match session {
                Ok(Ok(Ok(session))) => session,
                Ok(Ok(Err(error))) => return told(&format!("it got no session: {error}")),
                Ok(Err(_)) => return told("it got no session: zenoh has panicked"),
                Err(_) => return told(&format!("it got no session within {OPENED_WITHIN:?}")),
            },
            // A session that opens after all closes as it is dropped.
            _ = &mut moved => return told("it ended before it had a session"),
        };
        let connection = Connection::new(opened, granted, holder, Some(address));
        let attached = {
            let (shared, connection) = (shared.clone(), connection.clone());
            spawn_blocking(move || shared.attach(&connection))
        };
        let mut attached = pin!(attached);
        let mut is_attached = false;
        let mut closing = pin!(shared.until_closing());
        let mut replaced = pin!(is_true(replaced));
        let mut distrusted = pin!(distrusted(shared.tls.as_ref(), shown.as_ref()));
        let over = loop {
            tokio::select! {
                _ = &mut attached, if !is_attached => is_attached = true,
                moved = &mut moved => {
                    let why = moved.unwrap_or("it broke");
                    tracing::info!(target: "supervise", %address, why, "a connection ends");
                    break true;
                }
                () = &mut closing => break false,
                () = &mut replaced => break false,
                why = &mut distrusted => {
                    told(&why);
                    break false;
                }
            }
        };
        if !is_attached {
            let _ = attached.await; // otherwise a join that attaches later would keep the ended connection
        }
        connection.ends();
        let (detaching, of) = (shared.clone(), connection.clone());
        let _ = spawn_blocking(move || detaching.detach(&of)).await;
        let closing = spawn_blocking(move || connection.close());
        if !over {
            // The last words of the session go out, unless nobody takes them.
            let _ = tokio::join!(closing, timeout(shared.settings.lease, moved));
            return;
        }
        closing
    };
    let drained = async {
        let mut bytes = vec![0; MOVED];
        while near_in.read(&mut bytes).await.is_ok_and(|length| length > 0) {}
    };
    let _ = tokio::join!(ended, drained);
}
