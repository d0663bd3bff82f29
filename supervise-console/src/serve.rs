//! The console as a child of the tree that it shows.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as Cx, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use supervise::{StopReason, TaskContext, TreeRef};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};
use tower_service::Service;

use crate::address::{Listener, Stream};
use crate::answer::error;
use crate::console::Console;
use crate::gate::Reach;
use crate::live;
use crate::log::Over;
use crate::{Address, Error, IntoAddress, IntoToken, Probes};

/// The connections that a server has at once; others wait.
const CONNECTIONS: usize = 256;

/// The time in which a client sends the head of its request.
const HEAD: Duration = Duration::from_secs(10);

/// The time for which a client may read nothing of an answer. A stream has something to say every five seconds.
const UNREAD: Duration = Duration::from_secs(30);

/// The bytes that a connection keeps for a client that reads slowly.
const BUFFER: usize = 64 << 10;

/// The time that requests in hand have to end when the server is asked to stop.
const GRACE: Duration = Duration::from_secs(1);

/// Told of the address once the server listens.
pub(crate) type Bound = Box<dyn FnOnce(&Address) + Send>;

/// Serves a console at this address, as a child of the tree that it shows.
///
/// Await the value to serve until the task is asked to stop. Inside a declaration the name `tree` is the handle of the tree.
/// Declare the child first: then it stops last, and shows the others going down.
///
/// A console that cannot listen fails as any child does: if the address is taken, a tree with the following declaration does not
/// start, and its error says why.
///
/// ```
/// use supervise::prelude::*;
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop {
///         #[lifecycle(Permanent, ready)]
///         console: task = |cx| supervise_console::serve(cx, "127.0.0.1:0", tree.clone()),
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// Other machines reach it only with a token. The address of the probes needs none, and may be the same:
///
/// ```
/// use supervise::prelude::*;
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop(look: String, control: String) {
///         #[lifecycle(Permanent, ready)]
///         console: task = |cx| supervise_console::serve(cx, "0.0.0.0:0", tree.clone())
///             .token(look)
///             .allow_control(control)
///             .probes(supervise_console::probes(tree.clone())),
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start("8f1c0a7be2d94f63".to_owned(), "f3a9115e0c7d2b48".to_owned()).await?;
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub fn serve(cx: TaskContext, address: impl IntoAddress, tree: TreeRef) -> Serve {
    Serve { cx, address: address.into_address(), console: Console::new(tree), probes: None, bound: None }
}

/// A console that is served, made by [`serve`]. Await it to serve.
///
/// The task is ready (`cx.ready()`) once it listens. When it is asked to stop, the streams end, requests in hand have a second,
/// and the port is closed. Dropping the future closes everything at once.
///
/// # Errors
///
/// The future returns the first error of the methods, [`Error::NeedsToken`] if other machines could reach a console without
/// a token, and [`Error::Bind`], [`Error::SocketInUse`] or [`Error::NotASocket`] if it cannot listen.
///
/// # Panics
///
/// Panics if it is polled outside of a tokio runtime with I/O and time.
#[must_use = "await it to serve"]
pub struct Serve {
    cx: TaskContext,
    address: Result<Address, Error>,
    console: Console,
    probes: Option<Result<Probes, Error>>,
    bound: Option<Bound>,
}

impl fmt::Debug for Serve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("address", &self.address)
            .field("console", &self.console)
            .field("probes", &self.probes)
            .finish_non_exhaustive()
    }
}

impl Serve {
    /// Lets only visitors look who show this token; see [`Console::token`].
    pub fn token(mut self, token: impl IntoToken) -> Self {
        self.console = self.console.token(token);
        self
    }

    /// Lets visitors who show this token act; see [`Console::allow_control`].
    pub fn allow_control(mut self, token: impl IntoToken) -> Self {
        self.console = self.console.allow_control(token);
        self
    }

    /// Answers probes at the same address, without a token: `/livez`, `/readyz`, `/startupz` and `/metrics`. Takes [`Probes`],
    /// or the result of [`Probes::counting`].
    ///
    /// They share the 256 connections of the console: while its clients hold all of them, a probe waits, perhaps for longer than
    /// its orchestrator does. Where strangers reach the console, give the probes an address of their own with [`Probes::serve`].
    pub fn probes(mut self, probes: impl Into<Result<Probes, Error>>) -> Self {
        self.probes = Some(probes.into());
        self
    }

    /// The number of streams that may be open at once, 64 by default. Others are answered with 503.
    pub fn max_viewers(mut self, viewers: usize) -> Self {
        self.console = self.console.max_viewers(viewers);
        self
    }

    /// Calls this once the server listens, with its address: that of port 0 is known only then.
    pub fn on_bound(mut self, bound: impl FnOnce(&Address) + Send + 'static) -> Self {
        self.bound = Some(Box::new(bound));
        self
    }

    async fn run(mut self) -> Result<(), Error> {
        let address = self.address?;
        self.console.check()?;
        if !address.is_local() && !self.console.has_token() {
            return Err(Error::NeedsToken { address: address.to_string() });
        }
        let probes = self.probes.transpose()?;
        let reach = match address {
            Address::Tcp(_) => Reach::Loopback,
            Address::Unix(_) => Reach::Socket,
        };
        let (with_token, with_control) = (self.console.has_token(), self.console.has_control());
        let app = self.console.reached_by(reach).app()?;
        let (listener, bound) = Listener::bind(&address).await?;
        let mut routes = app.clone().router();
        if let Some(probes) = probes {
            routes = routes.merge(probes.router());
        }
        tracing::info!(address = %bound, token = with_token, control = with_control, "the console listens");
        if let Some(tell) = self.bound.take() {
            tell(&bound);
        }
        let driver = app.driver();
        let shared = app.shared.clone();
        listen(self.cx, listener, routes, driver, async move |reason| {
            // In a shutdown of the tree, tell viewers so now: the console is gone before the tree has ended.
            let over = if reason == StopReason::Shutdown { live::going_down() } else { Over::Closed };
            shared.end(over).await;
        })
        .await;
        Ok(())
    }
}

impl IntoFuture for Serve {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Serves these routes until the task is asked to stop. `driver` is polled meanwhile; `end` ends the streams.
///
/// The connections are part of this future: dropped with it, they are closed.
pub(crate) async fn listen(
    cx: TaskContext,
    listener: Listener,
    routes: Router,
    driver: impl Future<Output = ()> + Send,
    end: impl AsyncFnOnce(StopReason),
) {
    let routes = routes.fallback(async || error(StatusCode::NOT_FOUND, "there is no such page here"));
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let closing = watch::Sender::new(());
    let mut connections = JoinSet::new();
    let mut stopped = pin!(cx.stopped());
    let mut driver = pin!(driver);
    let mut is_driven = true;
    cx.ready();
    let reason = loop {
        let accept = async {
            let slot = slots.clone().acquire_owned().await;
            (slot, listener.accept().await)
        };
        tokio::select! {
            biased; // the last events come before the request to stop
            () = &mut driver, if is_driven => is_driven = false,
            reason = &mut stopped => break reason,
            Some(_) = connections.join_next() => {}
            (slot, accepted) = accept => match accepted {
                Ok(stream) => {
                    let (routes, closing) = (routes.clone(), closing.subscribe());
                    connections.spawn(async move {
                        let _slot = slot;
                        match stream {
                            Stream::Tcp(stream, peer) => connection(stream, routes, Some(ConnectInfo(peer)), closing).await,
                            #[cfg(unix)]
                            Stream::Unix(stream) => connection(stream, routes, None, closing).await,
                        }
                    });
                }
                Err(error) => {
                    // The client has gone, or this process has no file descriptor left.
                    tracing::debug!(%error, "a connection could not be accepted");
                    sleep(Duration::from_millis(50)).await;
                }
            },
        }
    };
    drop(listener);
    let end = async {
        end(reason).await;
        drop(closing);
        while connections.join_next().await.is_some() {}
    };
    let _ = timeout(GRACE, end).await; // an error: the others are closed now
}

/// A connection that breaks once nothing could be written for [`UNREAD`]: the client does not read, and holds a place.
struct Patient<S> {
    stream: S,
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    fn written<T>(&mut self, cx: &mut Cx<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        until.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Cx<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Cx<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.written(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Cx<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    routes: Router,
    peer: Option<ConnectInfo<std::net::SocketAddr>>,
    mut closing: watch::Receiver<()>,
) {
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        let answer = routes.clone().call(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(BUFFER);
    let stream = Patient { stream, until: None };
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    // Ignore errors here: the client disconnected, or did not speak HTTP.
    tokio::select! {
        _ = served.as_mut() => {}
        _ = closing.changed() => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    /// A client that reads nothing loses its place, and one that reads slowly keeps it.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_left() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut patient = Patient { stream: ours, until: None };
        let slow = tokio::spawn(async move {
            for _ in 0..4 {
                sleep(UNREAD - Duration::from_secs(1)).await;
                theirs.read_exact(&mut [0; 4]).await.unwrap();
            }
            theirs
        });
        patient.write_all(&[0; 20]).await.unwrap();
        let _theirs = slow.await.unwrap();
        let begun = Instant::now();
        let error = patient.write_all(&[0; 20]).await.unwrap_err();
        assert_eq!((error.kind(), begun.elapsed()), (io::ErrorKind::TimedOut, UNREAD));
    }
}
