//! A network inside of one process.
//!
//! For tests and examples: its processes are names, and every link of it can be delayed, cut, frozen and killed. On
//! tokio's paused clock a test of a cluster is exact. `testing::Cluster` starts whole clusters on it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::future::Future as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Clock;
use crate::lock::lock;
use crate::wire::{Joining, Link, LinkEvent, Outgoing, Peer, Rights, Side, Signs, Wire};

/// A network of processes inside of this one. Clones are the same network.
///
/// ```
/// use std::time::Duration;
/// use supervise_remote::memory::Network;
///
/// let network = Network::new();
/// network.delay(Duration::from_millis(2));
/// let owner = supervise_remote::Net::open(network.process("owner"));
/// # let _ = owner;
/// ```
#[derive(Clone, Default)]
pub struct Network(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    joins: u64,
    delay: Duration,
    /// The time by which frames come later than signs of life.
    lag: Duration,
    links: BTreeMap<Peer, LinkState>,
    processes: HashMap<Arc<str>, ProcessState>,
    /// Pairs of names between which nothing passes.
    cut: HashSet<(Arc<str>, Arc<str>)>,
    frames: u64,
    /// Frames that are lost without a word, to be counted down: sender and receiver.
    lose: HashMap<(Arc<str>, Arc<str>), u64>,
}

struct LinkState {
    process: Arc<str>,
    side: Side,
    queue: VecDeque<(Instant, LinkEvent)>,
    waker: Option<Waker>,
    signs: Option<Signs>,
    /// Peers of the other side that it knows to be up.
    knows: HashSet<Peer>,
    /// Peers that it has met: a peer that was down never comes back.
    met: HashSet<Peer>,
}

#[derive(Default)]
struct ProcessState {
    clock: Option<Clock>,
    frozen: bool,
    dead: bool,
    wakers: Vec<Waker>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

/// A process of a [`Network`]: a wire for [`Net::open`](crate::Net::open).
///
/// ```
/// use supervise_remote::memory::{Network, Process};
/// use supervise_remote::{Net, wire::Wire};
///
/// let process: Process = Network::new().process("owner");
/// assert_eq!(process.name(), "owner");
/// let net = Net::open(process);
/// # let _ = net;
/// ```
#[derive(Clone)]
pub struct Process {
    network: Network,
    name: Arc<str>,
    clock: Clock,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Process({})", self.name)
    }
}

fn pair(one: &Arc<str>, other: &Arc<str>) -> (Arc<str>, Arc<str>) {
    if one < other { (one.clone(), other.clone()) } else { (other.clone(), one.clone()) }
}

fn wake_all(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

impl Network {
    /// Makes a network without processes, and without delays.
    pub fn new() -> Network {
        Network::default()
    }

    /// Returns a process of this name: alive, and not frozen.
    pub fn process(&self, name: impl Into<Arc<str>>) -> Process {
        let name = name.into();
        let clock = {
            let mut state = lock(&self.0);
            let process = state.processes.entry(name.clone()).or_default();
            (process.dead, process.frozen) = (false, false);
            process.clock.get_or_insert_with(Clock::simulated).clone()
        };
        Process { network: self.clone(), name, clock }
    }

    /// Sets how long a frame takes from now on. Default: no time.
    pub fn delay(&self, delay: Duration) {
        lock(&self.0).delay = delay;
    }

    /// Sets by how much frames come later than signs of life from now on, as behind a large message on a slow link. Default: no
    /// time.
    pub fn lag(&self, lag: Duration) {
        lock(&self.0).lag = lag;
    }

    /// Returns how many frames were sent until now, with those that were lost.
    pub fn frames(&self) -> u64 {
        lock(&self.0).frames
    }

    /// Returns whether there is, or was, a process of this name.
    #[cfg(feature = "testing")]
    pub(crate) fn has(&self, name: &str) -> bool {
        lock(&self.0).processes.contains_key(name)
    }

    /// Cuts the connection between two processes: each hears that the other is down, and nothing passes until
    /// [`mend`](Network::mend).
    pub fn cut(&self, one: &str, other: &str) {
        self.change(|state| {
            let (one, other): (Arc<str>, Arc<str>) = (one.into(), other.into());
            state.cut.insert(pair(&one, &other));
            state.meet_or_part()
        });
    }

    /// Mends a connection. Both sides hear of each other again once they have joined again, and not before: who was
    /// down never comes back as the same.
    pub fn mend(&self, one: &str, other: &str) {
        self.change(|state| {
            let (one, other): (Arc<str>, Arc<str>) = (one.into(), other.into());
            state.cut.remove(&pair(&one, &other));
            state.meet_or_part()
        });
    }

    /// Loses the next `n` frames from one process to another, without a word to anybody.
    pub fn lose(&self, from: &str, to: &str, n: u64) {
        lock(&self.0).lose.insert((from.into(), to.into()), n);
    }

    /// Freezes a process, like SIGSTOP: its server and its instances do not run, and it stays a member. What the test
    /// itself does in its name, such as a `tell` through a handle of the owner, is not frozen.
    pub fn freeze(&self, name: &str) {
        if let Some(process) = lock(&self.0).processes.get_mut(name) {
            process.frozen = true;
        }
    }

    /// Lets a frozen process go on.
    pub fn thaw(&self, name: &str) {
        self.change(|state| {
            let process = state.processes.get_mut(name);
            process
                .map(|process| {
                    process.frozen = false;
                    std::mem::take(&mut process.wakers)
                })
                .unwrap_or_default()
        });
    }

    /// Kills a process: what runs in it is dropped without a hook, and the others hear that it is down. Like SIGKILL.
    pub fn kill(&self, name: &str) {
        self.change(|state| {
            let mut wakers = match state.processes.get_mut(name) {
                Some(process) => {
                    (process.dead, process.frozen) = (true, false);
                    std::mem::take(&mut process.wakers)
                }
                None => Vec::new(),
            };
            let gone: Vec<Peer> =
                state.links.iter().filter(|(_, link)| *link.process == *name).map(|(peer, _)| peer.clone()).collect();
            for peer in gone {
                if let Some(link) = state.links.remove(&peer) {
                    wakers.extend(link.waker);
                }
                wakers.extend(state.leave(&peer));
            }
            wakers
        });
    }

    /// Suspends the machine of a process for this time: afterwards the clock of its leases is that much later, and no
    /// timer has noticed.
    pub fn suspend(&self, name: &str, time: Duration) {
        if let Some(clock) = lock(&self.0).processes.get(name).and_then(|process| process.clock.clone()) {
            clock.suspend(time);
        }
    }

    /// Wakes outside of the lock.
    fn change(&self, change: impl FnOnce(&mut State) -> Vec<Waker>) {
        let wakers = change(&mut lock(&self.0));
        wake_all(wakers);
    }
}

impl State {
    fn lives(&self, name: &str) -> bool {
        self.processes.get(name).is_none_or(|process| !process.dead)
    }

    fn push(&mut self, to: &Peer, event: LinkEvent) -> Option<Waker> {
        let at = Instant::now() + self.delay + self.lag;
        let link = self.links.get_mut(to)?;
        link.queue.push_back((at, event));
        link.waker.take()
    }

    /// Puts a sign of life before the frames that come later. A sign that would come before its sender is up is lost.
    fn push_ahead(&mut self, to: &Peer, from: &Peer, event: LinkEvent) -> Option<Waker> {
        let at = Instant::now() + self.delay;
        let link = self.links.get_mut(to)?;
        let place = link.queue.iter().position(|(of, _)| *of > at).unwrap_or(link.queue.len());
        let comes_first = |(_, event): &(Instant, LinkEvent)| matches!(event, LinkEvent::Up(peer, _) if peer == from);
        if link.queue.iter().skip(place).any(comes_first) {
            return None;
        }
        link.queue.insert(place, (at, event));
        link.waker.take()
    }

    /// Returns the taker of the signs of a peer, if a sign from there would come now, and is not lost.
    fn takes_at_once(&self, from: &Peer, to: &Peer) -> Option<Signs> {
        let (one, other) = (self.links.get(from)?, self.links.get(to)?);
        let is_coming = |(_, event): &(Instant, LinkEvent)| matches!(event, LinkEvent::Up(..));
        let is_met = one.knows.contains(to) && other.knows.contains(from);
        let waits = other.side == Side::Node && other.queue.iter().any(is_coming);
        let is_lost = self.lose.get(&(one.process.clone(), other.process.clone())).is_some_and(|lose| *lose > 0);
        let runs = self.processes.get(&other.process).is_none_or(|process| !process.frozen && !process.dead);
        other.signs.clone().filter(|_| self.delay.is_zero() && is_met && !waits && !is_lost && runs)
    }

    /// Everybody hears that this peer is down.
    fn leave(&mut self, peer: &Peer) -> Vec<Waker> {
        let others: Vec<Peer> =
            self.links.iter().filter(|(_, link)| link.knows.contains(peer)).map(|(other, _)| other.clone()).collect();
        let mut wakers = Vec::new();
        for other in others {
            if let Some(link) = self.links.get_mut(&other) {
                link.knows.remove(peer);
            }
            wakers.extend(self.push(&other, LinkEvent::Down(peer.clone())));
        }
        wakers
    }

    /// Lets those meet that see each other and do not know of each other, and parts those that are cut.
    fn meet_or_part(&mut self) -> Vec<Waker> {
        let mut wakers = Vec::new();
        let peers: Vec<(Peer, Arc<str>, Side)> =
            self.links.iter().map(|(peer, link)| (peer.clone(), link.process.clone(), link.side)).collect();
        for (one, one_process, one_side) in &peers {
            for (other, other_process, other_side) in &peers {
                if one == other || one_side == other_side {
                    continue;
                }
                let cut = self.cut.contains(&pair(one_process, other_process));
                let Some(link) = self.links.get_mut(one) else { continue };
                if cut && link.knows.remove(other) {
                    wakers.extend(self.push(one, LinkEvent::Down(other.clone())));
                } else if !cut && link.met.insert(other.clone()) {
                    link.knows.insert(other.clone());
                    wakers.extend(self.push(one, LinkEvent::Up(other.clone(), Rights::all())));
                }
            }
        }
        wakers
    }

    /// A new peer meets those of the other side.
    fn meet(&mut self, new: &Peer) -> Vec<Waker> {
        let Some((process, side)) = self.links.get(new).map(|link| (link.process.clone(), link.side)) else {
            return Vec::new();
        };
        let others: Vec<Peer> = self
            .links
            .iter()
            .filter(|(_, link)| link.side != side && !self.cut.contains(&pair(&link.process, &process)))
            .map(|(peer, _)| peer.clone())
            .collect();
        let mut wakers = Vec::new();
        for other in others {
            for (one, of) in [(new, &other), (&other, new)] {
                if let Some(link) = self.links.get_mut(one) {
                    link.knows.insert(of.clone());
                    link.met.insert(of.clone());
                }
                wakers.extend(self.push(one, LinkEvent::Up(of.clone(), Rights::all())));
            }
        }
        wakers
    }
}

impl Wire for Process {
    fn name(&self) -> &str {
        &self.name
    }

    fn join(&self, side: Side) -> Joining<'_> {
        Box::pin(async move {
            let (peer, wakers) = {
                let mut state = lock(&self.network.0);
                if !state.lives(&self.name) {
                    return Err(io::Error::other("the process is dead"));
                }
                state.joins = state.joins.saturating_add(1);
                let peer = Peer::new(format!("{}#{}", self.name, state.joins));
                let link = LinkState {
                    process: self.name.clone(),
                    side,
                    queue: VecDeque::new(),
                    waker: None,
                    signs: None,
                    knows: HashSet::new(),
                    met: HashSet::new(),
                };
                state.links.insert(peer.clone(), link);
                let wakers = state.meet(&peer);
                (peer, wakers)
            };
            wake_all(wakers);
            let line = Line { network: self.network.clone(), me: peer, process: self.name.clone() };
            Ok(Box::new(MemoryLink { line: Arc::new(line), timer: None }) as Box<dyn Link>)
        })
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    fn poll_lives(&self, cx: &mut Context<'_>) -> Poll<bool> {
        let mut state = lock(&self.network.0);
        let Some(process) = state.processes.get_mut(&self.name) else { return Poll::Ready(true) };
        if process.dead {
            return Poll::Ready(false);
        }
        if !process.frozen {
            return Poll::Ready(true);
        }
        if !process.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            process.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

struct Line {
    network: Network,
    me: Peer,
    process: Arc<str>,
}

struct MemoryLink {
    line: Arc<Line>,
    timer: Option<std::pin::Pin<Box<tokio::time::Sleep>>>,
}

impl Line {
    fn put(&self, to: &Peer, bytes: Vec<u8>, ahead: bool) {
        let waker = {
            let mut state = lock(&self.network.0);
            let state = &mut *state;
            // A frame of a peer that is not a member any more, or to a peer that it does not know, is dropped.
            if !state.links.get(&self.me).is_some_and(|link| link.knows.contains(to)) {
                return;
            }
            state.frames = state.frames.saturating_add(1);
            if let Some(link) = state.links.get(to)
                && let Some(lose) = state.lose.get_mut(&(self.process.clone(), link.process.clone()))
                && *lose > 0
            {
                *lose = lose.saturating_sub(1);
                return;
            }
            let event = LinkEvent::Frame { from: self.me.clone(), bytes };
            if ahead { state.push_ahead(to, &self.me, event) } else { state.push(to, event) }
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Gives a sign of life to the peer at once, if it takes such. Returns whether the sign is not to be sent in another way.
    fn gives_sign(&self, to: &Peer, bytes: &[u8]) -> bool {
        let take = {
            let mut state = lock(&self.network.0);
            match state.takes_at_once(&self.me, to) {
                Some(take) => {
                    state.frames = state.frames.saturating_add(1);
                    take
                }
                None => return false,
            }
        };
        take(&self.me, bytes)
    }
}

impl Outgoing for Line {
    fn send(&self, to: &Peer, bytes: Vec<u8>) {
        self.put(to, bytes, false);
    }

    fn send_ahead(&self, to: &Peer, bytes: Vec<u8>) {
        if !self.gives_sign(to, &bytes) {
            self.put(to, bytes, true);
        }
    }
}

impl Link for MemoryLink {
    fn me(&self) -> &Peer {
        &self.line.me
    }

    fn take_signs(&mut self, take: Signs) {
        let before = {
            let mut state = lock(&self.line.network.0);
            state.links.get_mut(&self.line.me).and_then(|link| link.signs.replace(take))
        };
        drop(before);
    }

    fn outgoing(&self) -> Arc<dyn Outgoing> {
        self.line.clone()
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<LinkEvent>> {
        loop {
            let at = {
                let mut state = lock(&self.line.network.0);
                let Some(link) = state.links.get_mut(&self.line.me) else { return Poll::Ready(None) };
                match link.queue.front() {
                    Some((at, _)) if *at <= Instant::now() => {
                        return Poll::Ready(link.queue.pop_front().map(|(_, event)| event));
                    }
                    first => {
                        let at = first.map(|(at, _)| *at);
                        link.waker = Some(cx.waker().clone());
                        at
                    }
                }
            };
            let Some(at) = at else {
                self.timer = None;
                return Poll::Pending;
            };
            let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
            if timer.deadline() != at {
                timer.as_mut().reset(at);
            }
            std::task::ready!(timer.as_mut().poll(cx));
            self.timer = None;
        }
    }
}

impl Drop for MemoryLink {
    fn drop(&mut self) {
        self.line.network.change(|state| {
            state.links.remove(&self.line.me);
            state.leave(&self.line.me)
        });
    }
}
