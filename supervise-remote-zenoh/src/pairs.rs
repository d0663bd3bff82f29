//! All that one join knows of its peers, as plain data behind one lock. Knows nothing of zenoh.
//!
//! A **pair** is this join and one peer. Begins with the first sign of the peer, its token or a batch, and is
//! up when its token is there. Ends once, for one of these reasons, and does not come back:
//!
//! * the token is gone: the peer's process has ended, or the connection is broken;
//! * the peer has said so;
//! * a batch is missing or cannot be read;
//! * more has come before the token than may wait for it;
//! * a frame is too long to be sent;
//! * nothing can be sent to the peer, though it is up;
//! * nobody takes events out of this link while much waits, and most of that is the peer's;
//! * so many bytes of pieces, or of frames before the token, wait behind its connection, or behind all connections of who
//!   holds its certificate, that no more are kept.
//!
//! If this side ends the pair first, it sends the reason to the peer.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::batch::{self, BadBatch, Body};
use crate::outbox::{End, Outbox};
use supervise_remote::wire::{LinkEvent, Peer, Rights, Side, Signs};

/// The frames that were not read for this long take no more room than this, and in less time no more than eight times that.
pub(crate) const READ_WITHIN: Duration = Duration::from_secs(10);
const MOST_UNREAD: usize = 64 << 20;

/// The connections of one holder of a certificate have so many times the room of one connection together, for what may never be
/// read: pieces of frames, and frames before tokens.
const OF_HOLDER: usize = 4;

/// A peer that has sent something, and whose token has not come for this long, is forgotten.
const TOKEN_WITHIN: Duration = Duration::from_secs(10);

/// The reason that a peer gives when it leaves, and in an answer.
pub(crate) const LEFT: &str = "it left";

/// So many joins of one process are met.
const JOINS: usize = 1000;

/// The longest frame that does not wait behind batches.
pub(crate) const MOST_AHEAD: usize = 1 << 20;

/// So many peers that come back are notified of it in this time.
const MOST_TOLD: usize = 64;
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// The reason for a peer that was down, and does not know it.
const COMES_BACK: &str = "it was down, and joins again as a new one";

/// So many pairs that are over are remembered, the latest ones. A peer comes back with the same id only when a broken
/// connection is mended before the peer knows that it was broken.
const REMEMBERED: usize = 4096;

/// The connection that leads to a peer, and who holds its certificate, each by a number of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    pub(crate) connection: u64,
    pub(crate) holder: u64,
}

#[derive(Debug)]
pub(crate) struct Pairs {
    side: Side,
    state: Mutex<State>,
    reach_within: Duration,
    max_frame: usize,
}

#[derive(Debug)]
struct State {
    events: Events,
    /// Events that were taken out, and when this number was last seen to have changed.
    taken: u64,
    read: (u64, Instant),
    pairs: HashMap<Peer, Pair>,
    over: Over,
    waker: Option<Waker>,
    /// Takes what a peer sends ahead.
    signs: Option<Taker>,
    left: bool,
}

/// The events that nobody has taken yet.
#[derive(Debug, Default)]
struct Events {
    /// Each with the number of the holder behind whose connection it has come.
    queue: VecDeque<(u64, LinkEvent)>,
    /// The bytes of the frames.
    bytes: usize,
    /// The peers that are up, and nobody knows.
    ups: usize,
}

impl Events {
    fn push(&mut self, holder: u64, event: LinkEvent) {
        match &event {
            LinkEvent::Up(..) => self.ups += 1,
            LinkEvent::Frame { bytes, .. } => self.bytes += weight_of(bytes),
            LinkEvent::Down(_) => {}
        }
        self.queue.push_back((holder, event));
    }

    /// Returns the peer whose frames take the most room, of the holder whose frames do: so that a peer with little does not go for
    /// one that has come under many names.
    fn most(&self) -> Option<Peer> {
        let (mut holders, mut peers) = (HashMap::new(), HashMap::new());
        for (holder, event) in &self.queue {
            if let LinkEvent::Frame { from, bytes } = event {
                *holders.entry(holder).or_insert(0_usize) += weight_of(bytes);
                *peers.entry((holder, from)).or_insert(0_usize) += weight_of(bytes);
            }
        }
        let (most, _) = holders.into_iter().max_by_key(|(_, weight)| *weight)?;
        let of_most = peers.into_iter().filter(|((holder, _), _)| *holder == most);
        of_most.max_by_key(|(_, weight)| *weight).map(|((_, peer), _)| peer.clone())
    }

    fn push_frames(&mut self, holder: u64, from: &Peer, frames: Vec<Vec<u8>>) {
        frames.into_iter().for_each(|bytes| self.push(holder, LinkEvent::Frame { from: from.clone(), bytes }));
    }

    fn pop(&mut self) -> Option<LinkEvent> {
        let (_, event) = self.queue.pop_front()?;
        match &event {
            LinkEvent::Up(..) => self.ups -= 1,
            LinkEvent::Frame { bytes, .. } => self.bytes -= weight_of(bytes),
            LinkEvent::Down(_) => {}
        }
        Some(event)
    }

    fn drop_frames(&mut self, of: &Peer) {
        let mut dropped = 0;
        self.queue.retain(|(_, event)| match event {
            LinkEvent::Frame { from, bytes } if from == of => {
                dropped += weight_of(bytes);
                false
            }
            _ => true,
        });
        self.bytes -= dropped;
    }
}

#[derive(Clone)]
struct Taker(Signs);

impl fmt::Debug for Taker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Taker")
    }
}

#[derive(Debug)]
struct Pair {
    /// The connection that leads to the peer.
    way: Way,
    /// The number of the next batch from there.
    next: u64,
    /// The pieces of a long frame that have come.
    pieces: Vec<u8>,
    outbox: Arc<Outbox>,
    /// Frames that came before the token, and since when it is waited for.
    early: Option<(Instant, Vec<Vec<u8>>)>,
}

/// A new pair, which needs a thread that writes.
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
    /// Since when peers that come back were notified, and how many.
    told: Option<(Instant, usize)>,
}

impl Over {
    /// Counts a peer that comes back and is notified, which takes a thread for a while.
    fn may_tell(&mut self, now: Instant) -> bool {
        let (since, count) =
            self.told.filter(|(since, _)| now.duration_since(*since) < TOLD_WITHIN).unwrap_or((now, 0));
        self.told = Some((since, count + 1));
        count < MOST_TOLD
    }

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

/// The bytes of memory that frames take.
fn weight(frames: &[Vec<u8>]) -> usize {
    frames.iter().map(|frame| weight_of(frame)).sum()
}

fn weight_of(frame: &[u8]) -> usize {
    frame.len() + size_of::<LinkEvent>()
}

/// The bytes that wait behind a connection, and behind all connections of its holder.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    connection: usize,
    holder: usize,
}

impl Behind {
    /// Says of whom too much waits, if so many bytes more are too many.
    fn exceeds(self, more: usize, most: usize) -> Option<(&'static str, usize)> {
        let of_holder = most.saturating_mul(OF_HOLDER);
        if self.connection + more > most {
            Some(("connection", most))
        } else {
            (self.holder + more > of_holder).then_some(("holder of a certificate", of_holder))
        }
    }
}

impl State {
    /// Returns the pair with this peer, and begins it, unless it is over already. A peer that comes over another connection
    /// as well is nobody there.
    fn pair(
        &mut self,
        peer: &Peer,
        way: Way,
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

    /// Whether a peer has not come up yet: what it sends waits for its token.
    fn is_early(&self, peer: &Peer) -> bool {
        self.pairs.get(peer).is_none_or(|pair| pair.early.is_some())
    }

    /// The bytes that wait for the tokens of peers. Foreign: the tokens may never come.
    fn early(&self, way: Way) -> Behind {
        self.behind(way, |pair| pair.early.as_ref().map_or(0, |(_, frames)| weight(frames) + pair.pieces.len()))
    }

    /// The bytes of the pieces that wait for others. Foreign: these may never come.
    fn pieces(&self, way: Way) -> Behind {
        self.behind(way, |pair| pair.pieces.len())
    }

    fn behind(&self, way: Way, bytes: impl Fn(&Pair) -> usize) -> Behind {
        let mut behind = Behind::default();
        for pair in self.pairs.values().filter(|pair| pair.way.holder == way.holder) {
            let bytes = bytes(pair);
            behind.holder += bytes;
            if pair.way == way {
                behind.connection += bytes;
            }
        }
        behind
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
        let (up, holder) = (pair.early.is_none(), pair.way.holder);
        self.pairs.remove(peer);
        self.over.insert(peer.clone());
        if up {
            self.events.push(holder, LinkEvent::Down(peer.clone()));
        }
    }

    fn fail(&mut self, peer: &Peer, why: String, after: &mut After) {
        if self.pairs.contains_key(peer) {
            self.end(peer, End::Tell(why.clone()));
            after.ended.push((peer.clone(), why));
        }
    }

    fn take(&mut self) -> Poll<Option<LinkEvent>> {
        match self.events.pop() {
            Some(event) => {
                self.taken = self.taken.wrapping_add(1);
                Poll::Ready(Some(event))
            }
            None if self.left => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Ends those pairs of which the most waits, of the holder of whom it does, if nobody reads while much comes, or if so much comes that nobody can read it. What
    /// has come from them and was not read is dropped: no memory grows behind a reader that is slow, or hangs. How long it may
    /// hang otherwise is a matter of the leases.
    fn check_reader(&mut self, now: Instant, after: &mut After) {
        if self.events.bytes <= MOST_UNREAD || self.read.0 != self.taken {
            self.read = (self.taken, now);
        } else if now.duration_since(self.read.1) >= READ_WITHIN {
            self.end_most(MOST_UNREAD, &format!("nothing was read for {READ_WITHIN:?}"), after);
        }
        let most = 8 * MOST_UNREAD;
        if self.events.bytes > most {
            self.end_most(most / 2, &format!("more than {most} bytes were not read"), after);
        }
    }

    /// Ends pairs until no more than this waits to be read.
    fn end_most(&mut self, most: usize, why: &str, after: &mut After) {
        while self.events.bytes > most
            && let Some(peer) = self.events.most()
        {
            self.events.drop_frames(&peer);
            self.fail(&peer, why.to_owned(), after);
        }
    }
}

impl Pairs {
    pub(crate) fn new(side: Side, reach_within: Duration, max_frame: usize) -> Pairs {
        let state = State {
            events: Events::default(),
            taken: 0,
            read: (0, Instant::now()),
            pairs: HashMap::new(),
            over: Over::default(),
            waker: None,
            signs: None,
            left: false,
        };
        Pairs { side, state: Mutex::new(state), reach_within, max_frame }
    }

    /// Only code of this file and of `outbox` runs under the lock, and it does not panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn act<T>(&self, act: impl FnOnce(&mut State, &mut After) -> T) -> T {
        let mut after = After::default();
        let mut state = self.lock();
        let done = act(&mut state, &mut after);
        if !state.events.queue.is_empty() || state.left {
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
    pub(crate) fn token(&self, peer: &Peer, way: Way, rights: Rights, now: Instant) -> Option<Begun> {
        self.act(|state, _| {
            if !state.left && state.over.peers.contains(peer) {
                if !state.over.may_tell(now) {
                    return None; // after a while both sides join again by themselves
                }
                // The peer does not know that it is down here, and would wait for this side forever.
                let outbox = Arc::new(Outbox::new(now + self.reach_within));
                outbox.end(End::Tell(COMES_BACK.into()));
                return Some(Begun { peer: peer.clone(), outbox });
            }
            let (pair, begun) = state.pair(peer, way, now, self.reach_within)?;
            if let Some((_, frames)) = pair.early.take() {
                state.events.push(way.holder, LinkEvent::Up(peer.clone(), rights));
                state.events.push_frames(way.holder, peer, frames);
            }
            begun
        })
    }

    /// The token of a peer has gone.
    pub(crate) fn gone(&self, peer: &Peer, way: Way) {
        self.act(|state, _| {
            if state.pairs.get(peer).is_some_and(|pair| pair.way == way) {
                state.end(peer, End::Silent);
            }
        });
    }

    /// A connection is over, and everybody behind it is gone.
    pub(crate) fn all_gone(&self, way: Way) {
        self.act(|state, _| {
            let behind = state.pairs.iter().filter(|(_, pair)| pair.way == way);
            let behind: Vec<_> = behind.map(|(peer, _)| peer.clone()).collect();
            for peer in behind {
                state.end(&peer, End::Silent);
            }
        });
    }

    /// A batch has come over a connection.
    pub(crate) fn batch(&self, from: &Peer, way: Way, bytes: &[u8], now: Instant) -> Option<Begun> {
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
            if state.is_early(from) {
                state.forget_early(now);
            }
            let early = state.is_early(from).then(|| state.early(way));
            let is_piece = batch.as_ref().is_ok_and(|batch| matches!(batch.body, Body::Piece { .. }));
            let pieces = is_piece.then(|| state.pieces(way));
            let (pair, begun) = state.pair(from, way, now, self.reach_within)?;
            let exceeds = |body: &Body| {
                let more = match body {
                    Body::Frames(frames) => weight(frames),
                    Body::Piece { bytes, .. } => bytes.len(),
                    Body::End { .. } => return None,
                };
                if let Some((_, most)) = early.and_then(|early| early.exceeds(more, max_frame)) {
                    return Some(format!("it sent more than {most} bytes before it was up"));
                }
                let (of, most) = pieces?.exceeds(more, MOST_UNREAD.max(max_frame))?;
                Some(format!("more than {most} bytes of pieces wait for the rest of their frames, behind one {of}"))
            };
            let why = match batch {
                Err(bad) => format!("it sent {bad}"),
                Ok(batch) if batch.number != pair.next => {
                    format!("batch {} came in place of {}", batch.number, pair.next)
                }
                Ok(batch) => {
                    if let Some(why) = exceeds(&batch.body) {
                        state.fail(from, why, after);
                        return begun;
                    }
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
                            state.events.push_frames(way.holder, from, frames);
                        }
                        (Body::Piece { .. }, _) => {} // pieces were joined above
                        (Body::End { why }, _) => {
                            if why == COMES_BACK && pair.early.is_some() {
                                // The peer's token is still under way. Both events say that the peer joins again.
                                state.events.push(way.holder, LinkEvent::Up(from.clone(), Rights::only([""; 0])));
                                state.events.push(way.holder, LinkEvent::Down(from.clone()));
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
    pub(crate) fn ahead(&self, from: &Peer, way: Way, bytes: Vec<u8>, now: Instant) {
        if bytes.len() > MOST_AHEAD {
            return;
        }
        let is_up = |state: &State| {
            let is_here = state.pairs.get(from).is_some_and(|pair| pair.way == way && pair.early.is_none());
            is_here && !state.left
        };
        let signs = {
            let state = self.lock();
            // While the `Up` of an owner is not read, the frames of that owner come before this sign.
            let waits = self.side == Side::Node && state.events.ups > 0;
            state.signs.clone().filter(|_| is_up(&state) && !waits)
        };
        // Without the lock: the answer to a sign is sent at once.
        if signs.is_some_and(|Taker(take)| take(from, &bytes)) {
            return;
        }
        self.act(|state, after| {
            if is_up(state) {
                state.check_reader(now, after);
                state.events.push(way.holder, LinkEvent::Frame { from: from.clone(), bytes });
            }
        });
    }

    pub(crate) fn take_signs(&self, take: Signs) {
        let before = self.lock().signs.replace(Taker(take));
        drop(before);
    }

    /// Returns the connection that leads to a peer, while its pair is not over.
    pub(crate) fn way(&self, to: &Peer) -> Option<u64> {
        self.lock().pairs.get(to).map(|pair| pair.way.connection)
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
