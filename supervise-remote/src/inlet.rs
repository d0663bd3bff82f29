//! The way in for what nodes send: references to actors of the owner, by path.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use futures_util::FutureExt as _;
use serde_bytes::ByteBuf;
use supervise::error::{SendRejection, TellError};
use supervise::{Actor, Ended};
use supervise_runtime::remote as hooks;

use crate::errors::{guarded, to_wire_ended};
use crate::frame::{Request, Taken, ToNode};
use crate::lock::lock;
use crate::run::Run;
use crate::wire::Peer;
use crate::{Remote, RemoteRef};

/// An actor of the owner that nodes may send to.
pub(crate) trait Inlet: Send + Sync {
    fn path(&self) -> &str;
    /// The number of the tree that it is part of.
    fn root(&self) -> u64;
    fn is_over(&self) -> bool;
    fn take(self: Arc<Self>, answers: Answers, request: Request);
    /// The node has given up a request, which may still be here.
    fn forget(&self, node: &Peer, id: u64);
    /// How many requests are not carried out yet.
    #[cfg(feature = "testing")]
    fn waiting(&self) -> usize;
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// All actors that a reference to was sent to a node. An actor that has ended is forgotten when one of the next ones
/// comes, or some seconds later.
#[derive(Default)]
pub(crate) struct Inlets(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The inlets by tree and path: a reference may lead into another tree of this process, which has the same paths.
    all: HashMap<(u64, Arc<str>), Arc<dyn Inlet>>,
    sweep_at: usize,
    /// The run is over.
    closed: bool,
}

impl Known {
    /// Takes out the actors that have ended, to be dropped without the lock.
    #[must_use]
    fn sweep(&mut self) -> Vec<Arc<dyn Inlet>> {
        let over = self.all.extract_if(|_, inlet| inlet.is_over()).map(|(_, inlet)| inlet).collect();
        self.sweep_at = self.all.len().saturating_mul(2).max(64);
        over
    }
}

impl Inlets {
    pub(crate) fn add(&self, inlet: Arc<dyn Inlet>) {
        let key = (inlet.root(), Arc::from(inlet.path()));
        // May drop values of the user, so after the lock.
        let mut known = lock(&self.0);
        if known.closed {
            return;
        }
        let mut dropped = match known.all.len() >= known.sweep_at {
            true => known.sweep(),
            false => Vec::new(),
        };
        // An inlet that is still in use stays: it keeps the order of the requests that are under way.
        match known.all.get(&key).is_some_and(|there| !there.is_over()) {
            true => dropped.push(inlet),
            false => dropped.extend(known.all.insert(key, inlet)),
        }
        drop(known);
        drop(dropped);
    }

    /// Forgets the actors that have ended: a burst of them leaves nothing behind.
    pub(crate) fn sweep(&self) {
        let dropped = {
            let mut known = lock(&self.0);
            let dropped = known.sweep();
            let most = known.all.len().saturating_mul(2);
            known.all.shrink_to(most);
            dropped
        };
        drop(dropped);
    }

    pub(crate) fn find(&self, root: u64, path: &str) -> Option<Arc<dyn Inlet>> {
        lock(&self.0).all.get(&(root, Arc::from(path))).cloned()
    }

    /// Forgets all, for ever.
    pub(crate) fn clear(&self) {
        let dropped = {
            let mut known = lock(&self.0);
            known.closed = true;
            std::mem::take(&mut known.all)
        };
        drop(dropped);
    }

    #[cfg(feature = "testing")]
    pub(crate) fn len(&self) -> usize {
        lock(&self.0).all.len()
    }

    /// Returns how many requests of nodes are not carried out yet.
    #[cfg(feature = "testing")]
    pub(crate) fn waiting(&self) -> usize {
        let all: Vec<_> = lock(&self.0).all.values().cloned().collect();
        all.iter().map(|inlet| inlet.waiting()).sum()
    }
}

/// The state that writing and reading of a message at the owner need.
#[derive(Default)]
pub(crate) struct AtOwner {
    /// References that were written before the run was known, in order to let them in.
    written: Mutex<Vec<Arc<dyn Inlet>>>,
    /// Where references are let in and found.
    run: Option<Weak<Run>>,
}

impl AtOwner {
    pub(crate) fn of(run: &Arc<Run>) -> Arc<AtOwner> {
        Arc::new(AtOwner { written: Mutex::default(), run: Some(Arc::downgrade(run)) })
    }

    pub(crate) fn writes(&self, inlet: Arc<dyn Inlet>) {
        match &self.run {
            Some(run) => run.upgrade().into_iter().for_each(|run| run.inlets.add(inlet.clone())),
            None => lock(&self.written).push(inlet),
        }
    }

    /// Lets in what was written before.
    pub(crate) fn let_in(&self, run: &Run) {
        let written = std::mem::take(&mut *lock(&self.written));
        written.into_iter().for_each(|inlet| run.inlets.add(inlet));
    }

    pub(crate) fn find(&self, root: u64, path: &str) -> Option<Arc<dyn Inlet>> {
        self.run.as_ref()?.upgrade()?.inlets.find(root, path)
    }
}

/// Where the answers to a request of a node go.
pub(crate) struct Answers {
    pub(crate) run: Arc<Run>,
    pub(crate) to: Peer,
    pub(crate) id: u64,
}

impl Answers {
    fn taken(&self, taken: Taken) {
        self.run.answer(&self.to, self.id, taken);
    }

    fn reply(&self, ask: u64, back: hooks::Back) {
        let most = self.run.net().max_frame;
        let back = back.map(|back| match back {
            Ok(bytes) if bytes.len() > most => Err(too_large(bytes.len(), most)),
            back => back.map(ByteBuf::from),
        });
        self.run.send(&self.to, ToNode::Reply { id: self.id, ask, back });
    }
}

pub(crate) fn too_large(bytes: usize, most: usize) -> String {
    format!("it has {bytes} bytes, and a frame has {most} at most; send less, or raise `Net::max_frame`")
}

pub(crate) struct InletOf<A: Actor<Msg: Remote>> {
    to: RemoteRef<A>,
    waits: Mutex<Waits>,
}

/// The requests that are not carried out yet, in their order.
#[derive(Default)]
struct Waits {
    requests: VecDeque<(Answers, Request)>,
    /// A task carries them out.
    busy: bool,
    /// That task waits for room in the mailbox. Meanwhile everything but messages is carried out at once.
    full: bool,
}

impl<A: Actor<Msg: Remote>> InletOf<A> {
    pub(crate) fn shared(to: RemoteRef<A>) -> Arc<dyn Inlet> {
        Arc::new(InletOf { to, waits: Mutex::default() })
    }

    pub(crate) fn target(&self) -> RemoteRef<A> {
        self.to.clone()
    }

    /// Carries out what waits, in order.
    async fn work(self: Arc<Self>) {
        loop {
            let next = {
                let mut waits = lock(&self.waits);
                let next = waits.requests.pop_front();
                waits.busy = next.is_some();
                next
            };
            let Some((answers, request)) = next else { return };
            match request {
                Request::Tell { body, wait } => self.tell(answers, &body, wait).await,
                request => self.obey(answers, request),
            }
        }
    }

    /// Carries out what does not wait for room in the mailbox. What takes its time does so in a task of its own.
    fn obey(&self, answers: Answers, request: Request) {
        let to = self.to.clone();
        match request {
            Request::Stop => to.stop(),
            Request::Drain => to.drain(),
            Request::Kill => to.kill(),
            Request::Restart | Request::StartAgain => {
                let mut starting = Box::pin(async move {
                    let done = match request {
                        Request::Restart => to.restart().await,
                        _ => to.start_again().await,
                    };
                    answers.taken(match done {
                        Ok(()) => Taken::Done,
                        Err(error) => Taken::Refused(error.why().to_owned()),
                    });
                });
                // Requested here, so that what comes later comes after it; only the wait is a task of its own.
                if (&mut starting).now_or_never().is_none() {
                    tokio::spawn(starting);
                }
            }
            Request::Shutdown | Request::Terminated => {
                if let Request::Shutdown = request {
                    to.stop();
                }
                let (run, node, id) = (answers.run.clone(), answers.to.clone(), answers.id);
                run.wait_for(&node, id, async move {
                    // This task is no part of the child, so that the wait is not refused.
                    let ended = to.terminated().await.unwrap_or(Ended::RuntimeGone);
                    answers.taken(Taken::Gone(to_wire_ended(&ended)));
                });
            }
            Request::Tell { .. } => answers.taken(Taken::Full),
        }
    }

    async fn tell(&self, answers: Answers, body: &[u8], wait: bool) {
        let read = guarded(|| hooks::decode::<A::Msg>(body, Some(AtOwner::of(&answers.run))));
        let (msg, asks) = match read.unwrap_or_else(Err) {
            Ok(read) => read,
            Err(why) => return answers.taken(Taken::Refused(format!("the message cannot be read: {why}"))),
        };
        let mut sent = self.to.try_tell(msg);
        if wait && let Err(error) = sent {
            sent = match error.reason() {
                SendRejection::Full => self.wait_for_room(error.into_message()).await,
                _ => Err(error),
            };
        }
        answers.taken(match &sent {
            Ok(()) => Taken::Done,
            Err(error) => rejected(error),
        });
        if let Err(why) = guarded(|| drop(sent)) {
            say!(error, path = self.path(), why, "the drop of a refused message failed");
        }
        if asks.is_empty() {
            return;
        }
        // The replies come in any order, and each is sent when it is there.
        tokio::spawn(async move {
            let asks = asks.into_iter().map(|(ask, answer)| async move { (ask, answer.await) });
            let mut asks: futures_util::stream::FuturesUnordered<_> = asks.collect();
            while let Some((ask, back)) = futures_util::StreamExt::next(&mut asks).await {
                answers.reply(ask, back);
            }
        });
    }

    /// Sends a message when the mailbox has room. A stop, for example, does not wait behind it.
    async fn wait_for_room(&self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        loop {
            let mut waits = lock(&self.waits);
            let (messages, others): (VecDeque<_>, VecDeque<_>) =
                waits.requests.drain(..).partition(|(_, request)| waits_for_room(request));
            waits.requests = messages;
            // Once the other requests are carried out, new requests need not wait behind the message.
            waits.full = others.is_empty();
            drop(waits);
            if others.is_empty() {
                break;
            }
            others.into_iter().for_each(|(answers, request)| self.obey(answers, request));
        }
        let sent = self.to.tell(msg).await;
        lock(&self.waits).full = false;
        sent
    }
}

impl<A: Actor<Msg: Remote>> Inlet for InletOf<A> {
    fn path(&self) -> &str {
        self.to.path()
    }

    fn root(&self) -> u64 {
        self.to.root()
    }

    fn is_over(&self) -> bool {
        self.to.ended().is_some()
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    #[cfg(feature = "testing")]
    fn waiting(&self) -> usize {
        lock(&self.waits).requests.len()
    }

    fn forget(&self, node: &Peer, id: u64) {
        let mut waits = lock(&self.waits);
        // A stop that nobody waits for is carried out all the same.
        let is_given_up = |(answers, request): &(Answers, Request)| {
            waits_for_room(request) && answers.id == id && answers.to == *node
        };
        let at = waits.requests.iter().position(is_given_up);
        let given_up = at.and_then(|at| waits.requests.remove(at));
        drop(waits);
        drop(given_up);
    }

    /// In a task of its own: reading a message runs code of the user, and sending it may wait. There is one for each
    /// actor, so that the requests of a node keep their order.
    fn take(self: Arc<Self>, answers: Answers, request: Request) {
        let mut waits = lock(&self.waits);
        if waits.full && !waits_for_room(&request) {
            drop(waits);
            return self.obey(answers, request);
        }
        waits.requests.push_back((answers, request));
        let begins = !std::mem::replace(&mut waits.busy, true);
        drop(waits);
        if begins {
            tokio::spawn(self.work());
        }
    }
}

/// Returns whether a request waits while the mailbox is full.
fn waits_for_room(request: &Request) -> bool {
    matches!(request, Request::Tell { wait: true, .. })
}

fn rejected<M>(error: &TellError<M>) -> Taken {
    match error.reason() {
        SendRejection::Full => Taken::Full,
        SendRejection::Down { retry_in } => Taken::Down { retry_in },
        SendRejection::Ended => Taken::Ended,
        other => Taken::Refused(other.to_string()),
    }
}
