//! One join: its keys on each connection, its link, and a thread for each peer that writes what waits for that peer.
//!
//! zenoh's put blocks its thread while the connection takes nothing, so it never runs on a thread of a runtime. Each
//! peer has a thread of its own, and a peer that takes nothing holds up nobody else.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use zenoh::Wait as _;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::qos::{CongestionControl, Priority};
use zenoh::sample::{Sample, SampleKind};

use crate::batch;
use crate::key;
use crate::net::{Join, Opened};
use crate::outbox::{Next, Outbox};
use crate::pairs::{Begun, LEFT, Pairs};
use crate::session::Connection;
use supervise_remote::wire::{Closing, Link, LinkEvent, Outgoing, Peer, Rights, Side, Signs};

/// The state that the link, its senders, the threads that write and zenoh's callbacks share.
pub(crate) struct Hub {
    /// Holds the network open as long as this join is there.
    opened: Arc<Opened>,
    network: Arc<str>,
    me: Peer,
    side: Side,
    lease: Duration,
    pairs: Pairs,
    /// The declarations of each connection; `None` while they are being made. Taken out when this side leaves.
    declared: Mutex<Option<BTreeMap<u64, Option<Declared>>>>,
    writers: Mutex<usize>,
    writer_ended: Condvar,
    /// Whether this side has left, and everybody knows.
    left: watch::Sender<bool>,
}

/// A join on one connection, in the order in which it is taken back: first nobody sees this peer any more.
struct Declared {
    _token: LivelinessToken,
    _tokens: Subscriber<()>,
    _batches: Subscriber<()>,
    _ahead: Subscriber<()>,
    connection: Arc<Connection>,
}

impl Hub {
    /// Joins as a new peer, which meets all connections. Blocks for a moment.
    pub(crate) fn join(opened: Arc<Opened>, side: Side) -> Result<Arc<Hub>, &'static str> {
        let shared = opened.shared.clone();
        let (lease, me) = (shared.settings.lease, shared.peer());
        let hub = Arc::new(Hub {
            network: shared.network.clone(),
            pairs: Pairs::new(side, lease, shared.settings.longest_frame()),
            opened,
            me,
            side,
            lease,
            declared: Mutex::new(Some(BTreeMap::new())),
            writers: Mutex::new(0),
            writer_ended: Condvar::new(),
            left: watch::Sender::new(false),
        });
        let join: Arc<dyn Join> = hub.clone();
        shared.enters(&join)?;
        Ok(hub)
    }

    fn declared(&self) -> MutexGuard<'_, Option<BTreeMap<u64, Option<Declared>>>> {
        self.declared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn declare(self: &Arc<Self>, connection: &Arc<Connection>) -> zenoh::Result<Declared> {
        let (network, session) = (&self.network, connection.session());
        let (receiver, way) = (self.clone(), connection.clone());
        let batches = session
            .declare_subscriber(key::all_batches(network, &self.me, key::other(self.side)))
            .callback(move |sample| receiver.received(&way, &sample))
            .wait()?;
        let (receiver, way) = (self.clone(), connection.clone());
        let ahead = session
            .declare_subscriber(key::all_ahead(network, &self.me, key::other(self.side)))
            .callback(move |sample| receiver.received_ahead(&way, &sample))
            .wait()?;
        // Declared after the subscribers, because a peer may send as soon as it sees the token.
        let token = session.liveliness().declare_token(key::token(network, self.side, &self.me)).wait()?;
        let (receiver, way) = (self.clone(), connection.clone());
        let tokens = session
            .liveliness()
            .declare_subscriber(key::tokens(network, key::other(self.side)))
            .history(true)
            .callback(move |sample| receiver.token(&way, &sample))
            .wait()?;
        let connection = connection.clone();
        Ok(Declared { _token: token, _tokens: tokens, _batches: batches, _ahead: ahead, connection })
    }

    /// The rights of a peer behind a connection. Says so if it has none. Joins of this process meet on a session of their
    /// own, and not on that of each connection as well.
    fn rights(&self, connection: &Connection, peer: &Peer) -> Option<Rights> {
        if self.opened.shared.is_mine(peer) != connection.is_here() {
            return None;
        }
        let side = key::other(self.side);
        let granted = if connection.is_here() { &self.opened.shared.granted() } else { &connection.granted };
        let rights = granted.of(&self.network, side, peer.name());
        if rights.is_none() {
            let (side, name) = (key::word(side), peer.name());
            connection.exceeds(&format!("it says that it is the {side} `{name}` of the network `{}`", self.network));
        }
        rights
    }

    fn received(self: &Arc<Self>, connection: &Arc<Connection>, sample: &Sample) {
        if let Some(from) = key::peer(sample.key_expr().as_str())
            && self.rights(connection, &from).is_some()
        {
            let begun = self.pairs.batch(&from, connection.way(), &sample.payload().to_bytes(), Instant::now());
            self.begin(connection, begun);
            self.forget_over(connection);
        }
    }

    /// A connection may have ended since the last look: this join was notified then, and takes back what came since.
    fn forget_over(&self, connection: &Connection) {
        if connection.is_over() {
            self.detach(connection);
        }
    }

    fn received_ahead(&self, connection: &Connection, sample: &Sample) {
        if let Some(from) = key::peer(sample.key_expr().as_str())
            && self.rights(connection, &from).is_some()
        {
            self.pairs.ahead(&from, connection.way(), sample.payload().to_bytes().into_owned(), Instant::now());
        }
    }

    /// Puts a frame that does not wait: where the connection takes nothing, it is lost, and the next one follows.
    fn put_ahead(&self, to: &Peer, bytes: Vec<u8>) {
        let Some(way) = self.pairs.way(to) else { return };
        let connection = match &*self.declared() {
            Some(declared) => declared.get(&way).and_then(Option::as_ref).map(|declared| declared.connection.clone()),
            None => None,
        };
        let Some(connection) = connection else { return };
        let put = connection
            .session()
            .put(key::ahead(&self.network, to, self.side, &self.me), bytes)
            .congestion_control(CongestionControl::Drop)
            .priority(Priority::RealTime)
            .express(true)
            .wait();
        if let Err(error) = put {
            tracing::debug!(target: "supervise", %error, %to, "a sign of life was not sent");
        }
    }

    fn token(self: &Arc<Self>, connection: &Arc<Connection>, sample: &Sample) {
        let Some(peer) = key::peer(sample.key_expr().as_str()) else { return };
        if sample.kind() != SampleKind::Put {
            self.pairs.gone(&peer, connection.way());
        } else if let Some(rights) = self.rights(connection, &peer) {
            let begun = self.pairs.token(&peer, connection.way(), rights, Instant::now());
            self.begin(connection, begun);
            self.forget_over(connection);
        }
    }

    fn begin(self: &Arc<Self>, connection: &Arc<Connection>, begun: Option<Begun>) {
        let Some(Begun { peer, outbox }) = begun else { return };
        let writer = Writer::new(self.clone());
        let name = format!("to {}", peer.name());
        let (to, connection) = (peer.clone(), connection.clone());
        let spawned = thread::Builder::new().name(name).spawn(move || {
            let hub = &writer.0;
            // On an error or a panic the peer must be taken down: it would stay up, and get no frames.
            let why = match catch_unwind(AssertUnwindSafe(|| hub.write(&connection, &to, &outbox))) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => "the thread that writes has panicked".to_owned(),
            };
            hub.pairs.failed(&to, why);
        });
        if let Err(error) = spawned {
            self.pairs.failed(&peer, format!("there is no thread to write to it: {error}"));
        }
    }

    /// Writes to one peer until the pair is over.
    fn write(&self, connection: &Connection, to: &Peer, outbox: &Arc<Outbox>) -> zenoh::Result<()> {
        let publisher = connection
            .session()
            .declare_publisher(key::batches(&self.network, to, self.side, &self.me))
            .congestion_control(CongestionControl::Block)
            .priority(Priority::Data)
            .express(true)
            .wait()?;
        // zenoh silently drops a batch that is put before it knows the subscriber of the peer.
        let reached = outbox.clone();
        let _matching =
            publisher.matching_listener().callback(move |status| reached.reachable(status.matching())).wait()?;
        let put = |bytes: Vec<u8>| publisher.put(bytes).wait();
        let (mut number, mut frames) = (0, Vec::new());
        loop {
            match outbox.next(&mut frames) {
                Next::Write => {
                    let mut rest = &frames[..];
                    while !rest.is_empty() && outbox.writes() {
                        if let Some((pieces, behind)) = batch::pieces(number, rest) {
                            for piece in pieces {
                                if !outbox.writes() {
                                    break;
                                }
                                put(piece)?;
                                number += 1;
                            }
                            rest = behind;
                            continue;
                        }
                        let (bytes, behind) = batch::frames(number, rest);
                        put(bytes)?;
                        (number, rest) = (number + 1, behind);
                    }
                    frames.clear();
                }
                Next::Leave => {
                    put(batch::end(number, LEFT))?;
                    outbox.until_silent(self.lease);
                    return Ok(());
                }
                Next::Tell(why) => return put(batch::end(number, &why)),
                Next::Finish => return Ok(()),
                Next::Unreachable => {
                    self.pairs.failed(to, format!("it is up, and cannot be reached within {:?}", self.lease));
                    return Ok(());
                }
            }
        }
    }

    /// Waits until this side has left, and everybody that could be told knows.
    pub(crate) async fn until_left(&self) {
        // The sender lives in `self`.
        let _ = self.left.subscribe().wait_for(|left| *left).await;
    }
}

impl Join for Hub {
    fn attach(self: Arc<Self>, connection: &Arc<Connection>) {
        match &mut *self.declared() {
            Some(declared) if !declared.contains_key(&connection.id) => drop(declared.insert(connection.id, None)),
            _ => return,
        }
        let new = match self.declare(connection) {
            Ok(new) => new,
            Err(error) => {
                // Only DEBUG: the session is closing, and its end is logged elsewhere.
                tracing::debug!(target: "supervise", %error, ?connection, "a join does not use a connection");
                return;
            }
        };
        let mut declared = self.declared();
        if let Some(place) = declared.as_mut().and_then(|declared| declared.get_mut(&connection.id)) {
            *place = Some(new);
            drop(declared);
            self.forget_over(connection);
        } else {
            // Meanwhile the connection is over, or this side has left.
            drop(declared);
            drop(new);
        }
    }

    fn detach(&self, connection: &Connection) {
        self.pairs.all_gone(connection.way());
        let declared = self.declared().as_mut().and_then(|declared| declared.remove(&connection.id));
        drop(declared);
    }

    fn leave(self: Arc<Self>) -> watch::Receiver<bool> {
        let left = self.left.subscribe();
        let Some(declared) = self.declared().take() else { return left };
        self.pairs.leave();
        let name = format!("leave {}", self.me.name());
        let leaving = Leaving { declared: Some(declared), hub: self };
        // Without a thread, the closure is dropped here, and the peers see the token go.
        drop(thread::Builder::new().name(name).spawn(move || leaving.wait()));
        left
    }
}

struct Leaving {
    declared: Option<BTreeMap<u64, Option<Declared>>>,
    hub: Arc<Hub>,
}

impl Leaving {
    fn wait(self) {
        // Each writer ends: a put blocks no longer than the lease, nor does the wait for an answer.
        let writers = self.hub.writers.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = self.hub.writer_ended.wait_while(writers, |writers| *writers > 0);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        drop(self.declared.take());
        self.hub.left.send_replace(true);
    }
}

/// A thread that writes is counted.
struct Writer(Arc<Hub>);

impl Writer {
    fn new(hub: Arc<Hub>) -> Writer {
        *hub.writers.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Writer(hub)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        *self.0.writers.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.writer_ended.notify_all();
    }
}

impl Outgoing for Hub {
    fn send(&self, to: &Peer, bytes: Vec<u8>) {
        self.pairs.send(to, bytes);
    }

    fn send_ahead(&self, to: &Peer, bytes: Vec<u8>) {
        self.put_ahead(to, bytes);
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("me", &self.me).field("side", &self.side).finish_non_exhaustive()
    }
}

/// Leaves when it is dropped.
pub(crate) struct ZenohLink(pub(crate) Arc<Hub>);

impl Link for ZenohLink {
    fn me(&self) -> &Peer {
        &self.0.me
    }

    fn outgoing(&self) -> Arc<dyn Outgoing> {
        self.0.clone()
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>> {
        self.0.pairs.poll_event(cx)
    }

    fn take_signs(&mut self, take: Signs) {
        self.0.pairs.take_signs(take);
    }

    fn close(self: Box<Self>) -> Closing {
        let hub = self.0.clone();
        drop(self);
        Box::pin(async move { hub.until_left().await })
    }
}

impl Drop for ZenohLink {
    fn drop(&mut self) {
        drop(self.0.clone().leave());
    }
}
