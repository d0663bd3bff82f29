//! Accepts and makes connections, verifies both ends, and gives each verified connection to a session of its own.
//!
//! Each step until a connection is verified has a bound: the number of connections that are on their way, and the time that
//! each of them has. Nothing waits for another one.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::connection::{Stream, Verified, connected};
use crate::greeting::{Greeted, greet};
use crate::net::Shared;
use crate::open::{Another, CONNECTIONS, Full, Holder};
use crate::places::Origin;
use crate::rights::Granted;
use crate::session::End;
use crate::tls::Shown;

/// The time that a connection has to be verified.
const VERIFIED_WITHIN: Duration = Duration::from_secs(10);

/// The time from one look at names and certificates to the next.
const LOOK: Duration = Duration::from_secs(1);

/// A name is asked for again after this time, since its addresses change.
const RESOLVED_FOR: Duration = Duration::from_secs(5);

/// The time from one try to connect to the next: the first one, and the longest.
const AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// An address that cannot be reached is logged after this time, and then each minute.
const TOLD_AFTER: Duration = Duration::from_secs(5);
const TOLD_AGAIN: Duration = Duration::from_secs(60);

/// The bytes that wait in the kernel to be sent, besides those on their way: what is urgent does not wait behind more.
const UNSENT: u32 = 128 << 10;

/// The outcome of a connection that was made.
enum Made {
    /// The connection was open, and is over.
    Over,
    /// Another connection with this process exists, until this receiver is ready.
    Another(watch::Receiver<bool>),
}

/// Prepares a socket: small frames go at once, few bytes wait in the kernel, and a dead machine is noticed.
fn prepare(stream: &TcpStream, lease: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        socket.set_tcp_notsent_lowat(UNSENT)?;
        socket.set_tcp_user_timeout(Some(lease))?;
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = lease;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    socket.set_send_buffer_size(UNSENT as usize)?;
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(Duration::from_secs(30)))
}

impl Shared {
    /// Greets on a stream that is verified, and takes the connection in.
    async fn enter(
        self: &Arc<Self>,
        mut stream: Box<dyn Stream>,
        end: End,
        address: SocketAddr,
        verified: Option<(Shown, Granted)>,
    ) -> io::Result<Result<Verified, Made>> {
        let has = |process| self.open().has(process);
        let greeted = greet(&mut stream, self.process, has, || self.open().next()).await?;
        let (process, number) = match greeted {
            Greeted::Stays(process, number) => (process, number),
            Greeted::Another(process) => {
                let over = self.open().until_over(process);
                return Ok(Err(over.map_or(Made::Over, Made::Another)));
            }
        };
        let (shown, granted) = match verified {
            Some((shown, granted)) => (Some(shown), granted),
            None => (None, Granted::Everything),
        };
        let holder = Holder::new(address, shown.as_ref().and_then(Shown::certificate));
        let number_of_holder = self.holders.hash_one(&holder);
        let full = || io::Error::other(format!("{CONNECTIONS} connections are open, and no more are taken"));
        let (goes, entered) = {
            let mut open = self.open();
            let room = if open.has(process) { Ok(None) } else { open.room(&holder) };
            let goes = room.map_err(|Full| full())?;
            (goes, open.enter(process, number, &granted, (address, holder)))
        };
        if let Some(goes) = goes {
            self.refused(goes, &format!("{CONNECTIONS} connections are open, and most of them come from there"));
        }
        let replaced = match entered {
            Ok(Some(replaced)) => replaced,
            Ok(None) => return Ok(Err(Made::Over)),
            Err(Another) => {
                return Err(io::Error::other("it says that it is a process that is connected with other rights"));
            }
        };
        Ok(Ok(Verified { stream, end, address, granted, holder: number_of_holder, shown, process, replaced }))
    }

    /// Verifies who has connected.
    async fn accepted(self: &Arc<Self>, stream: TcpStream, address: SocketAddr) -> io::Result<Result<Verified, Made>> {
        prepare(&stream, self.settings.lease)?;
        let Some(store) = &self.tls else {
            return self.enter(Box::new(stream), End::Accepted, address, None).await;
        };
        let stream = TlsAcceptor::from(store.keys().server()).accept(stream).await?;
        let verified = Shown::new(stream.get_ref().1.peer_certificates(), None).map_err(io::Error::other)?;
        self.enter(Box::new(stream), End::Accepted, address, Some(verified)).await
    }

    /// Connects, and verifies to whom.
    async fn dialed(self: &Arc<Self>, host: &str, address: SocketAddr) -> io::Result<Result<Verified, Made>> {
        let stream = TcpStream::connect(address).await?;
        prepare(&stream, self.settings.lease)?;
        let Some(store) = &self.tls else {
            return self.enter(Box::new(stream), End::Dialed, address, None).await;
        };
        let server = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(store.keys().client());
        let stream = connector.connect(server.clone(), stream).await?;
        let verified = Shown::new(stream.get_ref().1.peer_certificates(), Some(server)).map_err(io::Error::other)?;
        self.enter(Box::new(stream), End::Dialed, address, Some(verified)).await
    }

    pub(crate) fn refused(&self, address: SocketAddr, why: &str) {
        let told = self.refusals.lock().unwrap_or_else(PoisonError::into_inner).tell(Instant::now());
        if let Some(more) = told {
            tracing::warn!(target: "supervise", %address, why, more, "a connection is refused");
        }
    }
}

/// The certificates are looked at as long as the network is open.
pub(crate) async fn look(shared: Arc<Shared>) {
    loop {
        sleep(LOOK).await;
        let looking = shared.clone();
        let looked = tokio::task::spawn_blocking(move || looking.tls.as_ref().map(|store| store.look()));
        let _ = looked.await; // the hook reports a panic, and the next look follows
    }
}

/// A connection that is on its way to being verified: gives its place back when it is dropped.
struct Place {
    shared: Arc<Shared>,
    number: u64,
    verified: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.waiting().done(self.number, self.verified);
    }
}

/// Accepts connections for ever.
pub(crate) async fn listen(shared: Arc<Shared>, listener: TcpListener) {
    // Dropped with this task. Only a task that verifies is ever aborted: a connection that is open ends in order.
    let (mut verifying, mut connections) = (JoinSet::new(), JoinSet::new());
    let mut closing = pin!(shared.until_closing());
    loop {
        let (stream, address) = tokio::select! {
            () = &mut closing => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // No descriptor is free, say. The listener stays, and the next connection may have one.
                    tracing::error!(target: "supervise", %error, "a connection cannot be accepted");
                    sleep(AGAIN.0).await;
                    continue;
                }
            },
            Some(verified) = verifying.join_next() => {
                if let Ok(Some(verified)) = verified {
                    connections.spawn(connected(shared.clone(), verified));
                }
                continue;
            }
            Some(_) = connections.join_next() => continue,
        };
        let origin = Origin::from(address.ip());
        let (number, goes) = shared.waiting().take(origin);
        if let Some(goes) = goes {
            goes.abort();
            shared.refused(address, "too many connections are not verified yet, and the oldest one had to go");
        }
        let place = Place { shared: shared.clone(), number, verified: false };
        let task = verifying.spawn(accept(shared.clone(), stream, address, place));
        shared.waiting().runs(number, task);
    }
    drop((listener, verifying));
    while connections.join_next().await.is_some() {}
}

/// Verifies a connection. `None`: there is another one with this process, or the connection is refused.
async fn accept(shared: Arc<Shared>, stream: TcpStream, address: SocketAddr, mut place: Place) -> Option<Verified> {
    let accepted = timeout(VERIFIED_WITHIN, shared.accepted(stream, address)).await;
    place.verified = matches!(accepted, Ok(Ok(_)));
    match accepted {
        Ok(Ok(accepted)) => return accepted.ok(),
        Ok(Err(error)) => shared.refused(address, &error.to_string()),
        Err(_) => shared.refused(address, &format!("it was not verified within {VERIFIED_WITHIN:?}")),
    }
    None
}

/// Connects to all addresses of a name for ever, and asks for them again.
pub(crate) async fn dial(shared: Arc<Shared>, target: String) {
    let host: Arc<str> = target.rsplit_once(':').map_or(&*target, |(host, _)| host).into();
    let mut dialed: HashMap<SocketAddr, watch::Sender<()>> = HashMap::new();
    let mut tasks = JoinSet::new();
    let mut silence = Silence::new();
    let mut closing = pin!(shared.until_closing());
    loop {
        match lookup_host(&target).await {
            Ok(found) => {
                let found: Vec<_> = found.collect();
                // A connection stays, though its name leads elsewhere now.
                dialed.retain(|address, _| found.contains(address));
                for address in found {
                    dialed.entry(address).or_insert_with(|| {
                        let (wanted, is_wanted) = watch::channel(());
                        tasks.spawn(dial_one(shared.clone(), host.clone(), address, is_wanted));
                        wanted
                    });
                }
                silence.over();
            }
            Err(error) => silence.tell(&target, &error.to_string()),
        }
        while tasks.try_join_next().is_some() {}
        tokio::select! {
            () = &mut closing => break,
            () = sleep(if dialed.is_empty() { LOOK } else { RESOLVED_FOR }) => {}
        }
    }
    drop(dialed);
    while tasks.join_next().await.is_some() {}
}

/// Connects to one address as long as it is wanted.
async fn dial_one(shared: Arc<Shared>, host: Arc<str>, address: SocketAddr, wanted: watch::Receiver<()>) {
    let mut again = AGAIN.0;
    let mut silence = Silence::new();
    while wanted.has_changed().is_ok() && !*shared.closing.borrow() {
        let begun = Instant::now();
        let made = match timeout(VERIFIED_WITHIN, shared.dialed(&host, address)).await {
            Ok(Ok(Ok(verified))) => {
                connected(shared.clone(), verified).await;
                Ok(Made::Over)
            }
            Ok(Ok(Err(made))) => Ok(made),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("nothing was verified within {VERIFIED_WITHIN:?}")),
        };
        match made {
            // A connection that ends at once, again and again, is a try that has failed.
            Ok(Made::Over) if begun.elapsed() < AGAIN.1 => {}
            Ok(Made::Over) => {
                silence.over();
                again = AGAIN.0;
            }
            Ok(Made::Another(mut over)) => {
                silence.over();
                again = AGAIN.0;
                while over.changed().await.is_ok() {}
            }
            Err(why) => silence.tell(&format!("{host} ({address})"), &why),
        }
        sleep(again).await;
        again = (again * 2).min(AGAIN.1);
    }
}

/// Tells that somebody cannot be reached, after a while and then now and then.
struct Silence {
    since: Option<Instant>,
    told: Option<Instant>,
}

impl Silence {
    fn new() -> Silence {
        Silence { since: None, told: None }
    }

    fn over(&mut self) {
        *self = Silence::new();
    }

    fn tell(&mut self, address: &str, why: &str) {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        let waits = self.told.map_or((since, TOLD_AFTER), |told| (told, TOLD_AGAIN));
        if now.duration_since(waits.0) >= waits.1 {
            self.told = Some(now);
            let seconds = now.duration_since(since).as_secs();
            tracing::warn!(target: "supervise", address, why, seconds, "no connection, and it is tried again");
        }
    }
}
