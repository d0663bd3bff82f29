//! All that one join knows of its peers, as plain data behind one lock. Knows nothing of zenoh.
//!
//! A **pair** is this join and one peer. Begins with the first that is heard of the peer, its token or a batch, and is
//! up when its token is there. Ends once, for one of these reasons, and does not come back:
//!
//! * the token is gone: the peer's process has ended, or the connection is broken;
//! * the peer has said so;
//! * a batch is missing or cannot be read;
//! * a frame is too long to be sent;
//! * nothing can be sent to the peer, though it is up;
//! * nobody takes events out of this link.
//!
//! Where this side is the first to know, the peer is told.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::batch::{self, BadBatch, Body};
use crate::outbox::{End, Outbox};
use supervise_remote::wire::{LinkEvent, Peer, Rights};

/// A link whose events nobody takes for this long is over.
pub(crate) const READ_WITHIN: Duration = Duration::from_secs(10);

/// A peer that has sent something, and whose token has not come for this long, is forgotten.
const TOKEN_WITHIN: Duration = Duration::from_secs(10);

/// The reason that a peer gives when it leaves, and in an answer.
pub(crate) const LEFT: &str = "it left";

/// So many joins of one process are met.
const JOINS: usize = 1000;

/// The longest frame that does not wait behind batches.
const MOST_AHEAD: usize = 1 << 20;

/// The reason for a peer that was down, and has not heard so.
const COMES_BACK: &str = "it was down, and joins again as a new one";

/// So many pairs that are over are remembered, the latest ones. A peer comes back with the same id only when a broken
/// connection is mended before the peer knows that it was broken.
const REMEMBERED: usize = 4096;

#[derive(Debug)]
pub(crate) struct Pairs {
    state: Mutex<State>,
    reach_within: Duration,
    max_frame: usize,
}

#[derive(Debug)]
struct State {
    events: VecDeque<LinkEvent>,
    /// Events that were taken out, and when this number was last seen to have changed.
    taken: u64,
    read: (u64, Instant),
    pairs: HashMap<Peer, Pair>,
    over: Over,
    waker: Option<Waker>,
    left: bool,
}

#[derive(Debug)]
struct Pair {
    /// The connection that leads to the peer.
    way: u64,
    /// The number of the next batch from there.
    next: u64,
    /// The pieces of a long frame that have come.
    pieces: Vec<u8>,
    outbox: Arc<Outbox>,
    /// Frames that came before the token, and since when it is waited for.
    early: Option<(Instant, Vec<Vec<u8>>)>,
}

/// A pair that has begun: needs a thread that writes.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) peer: Peer,
    pub(crate) outbox: Arc<Outbox>,
}

impl Pair {
    /// Puts pieces together. Returns nothing as long as some are missing.
    fn whole(&mut self, body: Body, max_frame: usize) -> Result<Option<Body>, BadBatch> {
        match body {
            Body::Piece { bytes, last } => {
                let length = self.pieces.len() + bytes.len();
                if length > max_frame {
                    return Err(BadBatch::FrameTooLong(length));
                }
                self.pieces.extend(bytes);
                Ok(last.then(|| Body::Frames(vec![mem::take(&mut self.pieces)])))
            }
            Body::Frames(_) if !self.pieces.is_empty() => Err(BadBatch::NoPiece),
            body => Ok(Some(body)),
        }
    }
}

#[derive(Debug, Default)]
struct Over {
    peers: HashSet<Peer>,
    oldest_first: VecDeque<Peer>,
}

impl Over {
    fn insert(&mut self, peer: Peer) {
        if self.peers.insert(peer.clone()) {
            self.oldest_first.push_back(peer);
            if self.oldest_first.len() > REMEMBERED {
                let oldest = self.oldest_first.pop_front();
                oldest.map(|oldest| self.peers.remove(&oldest));
            }
        }
    }
}

/// Foreign code that runs when the lock is free: the waker, and the subscribers of the log.
#[derive(Default)]
struct After {
    waker: Option<Waker>,
    ended: Vec<(Peer, String)>,
}

impl State {
    /// Returns the pair with this peer, and begins it, unless it is over already. A peer that comes over another connection
    /// as well is nobody there.
    fn pair(
        &mut self,
        peer: &Peer,
        way: u64,
        now: Instant,
        reach_within: Duration,
    ) -> Option<(&mut Pair, Option<Begun>)> {
        if self.left || self.over.peers.contains(peer) {
            return None;
        }
        let mut begun = None;
        if !self.pairs.contains_key(peer) {
            self.forget_early(now);
            if self.pairs.values().filter(|pair| pair.way == way).count() >= JOINS {
                return None;
            }
            let outbox = Arc::new(Outbox::new(now + reach_within));
            let pair =
                Pair { way, next: 0, pieces: Vec::new(), outbox: outbox.clone(), early: Some((now, Vec::new())) };
            self.pairs.insert(peer.clone(), pair);
            begun = Some(Begun { peer: peer.clone(), outbox });
        }
        let pair = self.pairs.get_mut(peer).filter(|pair| pair.way == way)?;
        Some((pair, begun))
    }

    fn forget_early(&mut self, now: Instant) {
        self.pairs.retain(|_, pair| {
            let kept = pair.early.as_ref().is_none_or(|(since, _)| now.duration_since(*since) < TOKEN_WITHIN);
            if !kept {
                pair.outbox.end(End::Silent);
            }
            kept
        });
    }

    fn end(&mut self, peer: &Peer, end: End) {
        let Some(pair) = self.pairs.get(peer) else { return };
        pair.outbox.end(end);
        if self.left {
            return; // The pair stays until its thread has ended.
        }
        let up = pair.early.is_none();
        self.pairs.remove(peer);
        self.over.insert(peer.clone());
        if up {
            self.events.push_back(LinkEvent::Down(peer.clone()));
        }
    }

    fn fail(&mut self, peer: &Peer, why: String, after: &mut After) {
        if self.pairs.contains_key(peer) {
            self.end(peer, End::Tell(why.clone()));
            after.ended.push((peer.clone(), why));
        }
    }

    fn take(&mut self) -> Poll<Option<LinkEvent>> {
        match self.events.pop_front() {
            Some(event) => {
                self.taken = self.taken.wrapping_add(1);
                Poll::Ready(Some(event))
            }
            None if self.left => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Ends all pairs if nobody reads. What has come and was not read is dropped: no memory grows behind a reader
    /// that hangs.
    fn check_reader(&mut self, now: Instant, after: &mut After) {
        if self.events.is_empty() || self.read.0 != self.taken {
            self.read = (self.taken, now);
        } else if now.duration_since(self.read.1) >= READ_WITHIN {
            self.events.retain(|event| !matches!(event, LinkEvent::Frame { .. }));
            let peers: Vec<_> = self.pairs.keys().cloned().collect();
            for peer in peers {
                self.fail(&peer, format!("nothing was read for {READ_WITHIN:?}"), after);
            }
        }
    }
}

impl Pairs {
    pub(crate) fn new(reach_within: Duration, max_frame: usize) -> Pairs {
        let state = State {
            events: VecDeque::new(),
            taken: 0,
            read: (0, Instant::now()),
            pairs: HashMap::new(),
            over: Over::default(),
            waker: None,
            left: false,
        };
        Pairs { state: Mutex::new(state), reach_within, max_frame }
    }

    /// Only code of this file and of `outbox` runs under the lock, and it does not panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn act<T>(&self, act: impl FnOnce(&mut State, &mut After) -> T) -> T {
        let mut after = After::default();
        let mut state = self.lock();
        let done = act(&mut state, &mut after);
        if !state.events.is_empty() || state.left {
            after.waker = state.waker.take();
        }
        drop(state);
        for (peer, why) in after.ended {
            tracing::warn!(target: "supervise", %peer, why, "link ended");
        }
        if let Some(waker) = after.waker {
            waker.wake();
        }
        done
    }

    /// A token of a peer has come over a connection. The peer may be what its rights say.
    pub(crate) fn token(&self, peer: &Peer, way: u64, rights: Rights, now: Instant) -> Option<Begun> {
        self.act(|state, _| {
            if !state.left && state.over.peers.contains(peer) {
                // The peer has not heard that it is down, and would wait for this side for ever.
                let outbox = Arc::new(Outbox::new(now + self.reach_within));
                outbox.end(End::Tell(COMES_BACK.into()));
                return Some(Begun { peer: peer.clone(), outbox });
            }
            let (pair, begun) = state.pair(peer, way, now, self.reach_within)?;
            if let Some((_, frames)) = pair.early.take() {
                state.events.push_back(LinkEvent::Up(peer.clone(), rights));
                state.events.extend(frames.into_iter().map(|bytes| LinkEvent::Frame { from: peer.clone(), bytes }));
            }
            begun
        })
    }

    /// The token of a peer has gone.
    pub(crate) fn gone(&self, peer: &Peer, way: u64) {
        self.act(|state, _| {
            if state.pairs.get(peer).is_some_and(|pair| pair.way == way) {
                state.end(peer, End::Silent);
            }
        });
    }

    /// A connection is over, and everybody behind it is gone.
    pub(crate) fn all_gone(&self, way: u64) {
        self.act(|state, _| {
            let behind = state.pairs.iter().filter(|(_, pair)| pair.way == way);
            let behind: Vec<_> = behind.map(|(peer, _)| peer.clone()).collect();
            for peer in behind {
                state.end(&peer, End::Silent);
            }
        });
    }

    /// A batch has come over a connection.
    pub(crate) fn batch(&self, from: &Peer, way: u64, bytes: &[u8], now: Instant) -> Option<Begun> {
        let (batch, max_frame) = (batch::decode(bytes, self.max_frame), self.max_frame);
        self.act(|state, after| {
            if state.left {
                let is_here = state.pairs.get(from).is_some_and(|pair| pair.way == way);
                if is_here && batch.is_ok_and(|batch| matches!(batch.body, Body::End { .. })) {
                    state.end(from, End::Silent);
                }
                return None;
            }
            state.check_reader(now, after);
            let (pair, begun) = state.pair(from, way, now, self.reach_within)?;
            let why = match batch {
                Err(bad) => format!("it sent {bad}"),
                Ok(batch) if batch.number != pair.next => {
                    format!("batch {} came in place of {}", batch.number, pair.next)
                }
                Ok(batch) => {
                    pair.next += 1;
                    let body = match pair.whole(batch.body, max_frame) {
                        Ok(Some(body)) => body,
                        Ok(None) => return begun,
                        Err(bad) => {
                            state.fail(from, format!("it sent {bad}"), after);
                            return begun;
                        }
                    };
                    match (body, &mut pair.early) {
                        (Body::Frames(frames), Some((_, early))) => early.extend(frames),
                        (Body::Frames(frames), None) => {
                            let frames = frames.into_iter().map(|bytes| LinkEvent::Frame { from: from.clone(), bytes });
                            state.events.extend(frames);
                        }
                        (Body::Piece { .. }, _) => {} // made whole above
                        (Body::End { why }, _) => {
                            if why == COMES_BACK && pair.early.is_some() {
                                // Its token is still on the way. This side has to hear that it joins again.
                                state.events.push_back(LinkEvent::Up(from.clone(), Rights::only([""; 0])));
                                state.events.push_back(LinkEvent::Down(from.clone()));
                            }
                            if why != LEFT {
                                after.ended.push((from.clone(), format!("the peer says: {why}")));
                            }
                            state.end(from, End::Tell(LEFT.into()));
                        }
                    }
                    return begun;
                }
            };
            state.fail(from, why, after);
            begun
        })
    }

    /// A frame has come that waits behind no batch. Before the peer is up, or from anybody else, it is lost.
    pub(crate) fn ahead(&self, from: &Peer, way: u64, bytes: Vec<u8>, now: Instant) {
        self.act(|state, after| {
            if state.left || bytes.len() > MOST_AHEAD {
                return;
            }
            state.check_reader(now, after);
            if state.pairs.get(from).is_some_and(|pair| pair.way == way && pair.early.is_none()) {
                state.events.push_back(LinkEvent::Frame { from: from.clone(), bytes });
            }
        });
    }

    /// Returns the connection that leads to a peer, while its pair is not over.
    pub(crate) fn way(&self, to: &Peer) -> Option<u64> {
        self.lock().pairs.get(to).map(|pair| pair.way)
    }

    /// Nothing can be written to this peer.
    pub(crate) fn failed(&self, peer: &Peer, why: String) {
        self.act(|state, after| state.fail(peer, why, after));
    }

    pub(crate) fn send(&self, to: &Peer, frame: Vec<u8>) {
        if frame.len() > self.max_frame {
            let why = format!("a frame of {} bytes was to be sent, above {}", frame.len(), self.max_frame);
            return self.failed(to, why);
        }
        let outbox = self.lock().pairs.get(to).map(|pair| pair.outbox.clone());
        if let Some(outbox) = outbox {
            outbox.push(frame);
        }
    }

    /// This side leaves: all that waits is written, nothing more comes in.
    pub(crate) fn leave(&self) {
        self.act(|state, _| {
            state.left = true;
            drop(mem::take(&mut state.events));
            for pair in state.pairs.values() {
                pair.outbox.end(End::Leave);
            }
        });
    }

    pub(crate) fn poll_event(&self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>> {
        let mut state = self.lock();
        if let Poll::Ready(event) = state.take() {
            return Poll::Ready(event);
        }
        if state.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            return Poll::Pending;
        }
        drop(state);
        // A waker is cloned and dropped outside of the lock.
        let waker = Some(cx.waker().clone());
        let mut state = self.lock();
        let event = state.take();
        let before = mem::replace(&mut state.waker, waker);
        drop(state);
        drop(before);
        event
    }
}

#[cfg(test)]
mod tests;
