//! One join: its keys, its link, and a thread for each peer that writes what waits for that peer.
//!
//! zenoh's put blocks its thread while the connection takes nothing, so it never runs on a thread of a runtime. Each
//! peer has a thread of its own, and a peer that takes nothing holds up nobody else.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
use crate::outbox::{Next, Outbox};
use crate::pairs::{Begun, LEFT, Pairs};
use supervise_remote::wire::{Closing, Link, LinkEvent, Outgoing, Peer, Side};

/// A session of zenoh, which is not dropped on a thread of a runtime: closing blocks.
pub(crate) struct Session(pub(crate) Option<zenoh::Session>);

impl Session {
    pub(crate) fn get(&self) -> &zenoh::Session {
        self.0.as_ref().expect("taken out only by `drop`")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let session = self.0.take();
        drop(thread::Builder::new().name("close".into()).spawn(move || drop(session)));
    }
}

/// The state that the link, its senders, the threads that write and zenoh's callbacks share.
pub(crate) struct Hub {
    session: Arc<Session>,
    network: Arc<str>,
    me: Peer,
    side: Side,
    lease: Duration,
    pairs: Pairs,
    /// Taken out when this side leaves.
    declared: Mutex<Option<Declared>>,
    writers: Mutex<usize>,
    writer_ended: Condvar,
    /// Whether this side has left, and everybody knows.
    left: watch::Sender<bool>,
}

/// In the order in which it is taken back: first nobody sees this peer any more.
struct Declared {
    _token: LivelinessToken,
    _tokens: Subscriber<()>,
    _batches: Subscriber<()>,
}

impl Hub {
    /// Joins. Blocks while a connection takes nothing.
    pub(crate) fn join(
        session: Arc<Session>,
        network: Arc<str>,
        me: Peer,
        side: Side,
        lease: Duration,
        max_frame: usize,
    ) -> zenoh::Result<Arc<Hub>> {
        let hub = Arc::new(Hub {
            session,
            network,
            me,
            side,
            lease,
            pairs: Pairs::new(lease, max_frame),
            declared: Mutex::new(None),
            writers: Mutex::new(0),
            writer_ended: Condvar::new(),
            left: watch::Sender::new(false),
        });
        let (network, session) = (&hub.network, hub.session.get());
        let receiver = hub.clone();
        let batches = session
            .declare_subscriber(key::all_batches(network, &hub.me, key::other(side)))
            .callback(move |sample| receiver.received(&sample))
            .wait()?;
        // Behind the subscriber: who sees the token can send.
        let token = session.liveliness().declare_token(key::token(network, side, &hub.me)).wait()?;
        let receiver = hub.clone();
        let tokens = session
            .liveliness()
            .declare_subscriber(key::tokens(network, key::other(side)))
            .history(true)
            .callback(move |sample| receiver.token(&sample))
            .wait()?;
        *hub.declared.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Declared { _token: token, _tokens: tokens, _batches: batches });
        Ok(hub)
    }

    fn received(self: &Arc<Self>, sample: &Sample) {
        if let Some(from) = key::peer(sample.key_expr().as_str()) {
            let begun = self.pairs.batch(&from, &sample.payload().to_bytes(), Instant::now());
            self.begin(begun);
        }
    }

    fn token(self: &Arc<Self>, sample: &Sample) {
        if let Some(peer) = key::peer(sample.key_expr().as_str()) {
            let begun = self.pairs.token(&peer, sample.kind() == SampleKind::Put, Instant::now());
            self.begin(begun);
        }
    }

    fn begin(self: &Arc<Self>, begun: Option<Begun>) {
        let Some(Begun { peer, outbox }) = begun else { return };
        let writer = Writer::new(self.clone());
        let name = format!("to {}", peer.name());
        let to = peer.clone();
        let spawned = thread::Builder::new().name(name).spawn(move || {
            let hub = &writer.0;
            // A thread that ends in any other way leaves a peer that is up, and gets nothing.
            let why = match catch_unwind(AssertUnwindSafe(|| hub.write(&to, &outbox))) {
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
    fn write(&self, to: &Peer, outbox: &Arc<Outbox>) -> zenoh::Result<()> {
        let publisher = self
            .session
            .get()
            .declare_publisher(key::batches(&self.network, to, self.side, &self.me))
            .congestion_control(CongestionControl::Block)
            .priority(Priority::Data)
            .express(true)
            .wait()?;
        // A batch that is put while the peer's subscriber is not known here is lost in silence.
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

    /// Leaves, once. What was sent before is written first, by threads of its own.
    pub(crate) fn leave(self: &Arc<Self>) {
        let Some(declared) = self.declared.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        self.pairs.leave();
        let leaving = Leaving { declared: Some(declared), hub: self.clone() };
        // Without a thread, the closure is dropped here, and the peers see the token go.
        drop(thread::Builder::new().name(format!("leave {}", self.me.name())).spawn(move || leaving.wait()));
    }

    /// Waits until this side has left, and everybody that could be told knows.
    pub(crate) async fn until_left(&self) {
        // The sender lives in `self`.
        let _ = self.left.subscribe().wait_for(|left| *left).await;
    }
}

struct Leaving {
    declared: Option<Declared>,
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

    fn close(self: Box<Self>) -> Closing {
        let hub = self.0.clone();
        drop(self);
        Box::pin(async move { hub.until_left().await })
    }
}

impl Drop for ZenohLink {
    fn drop(&mut self) {
        self.0.leave();
    }
}
