//! The tree of these tests, and its owner in the process of the test.

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::error::AskError;
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use supervise_remote::{Net, RemoteRef};
use supervise_remote_zenoh::{Settings, Zenoh};
use tokio::task::JoinHandle;

use crate::journal::{self, Journal, Line};
use crate::process::{Place, Process};

/// Longer than anything takes, on a busy machine too.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The lease of the links.
pub(crate) const LINK: Duration = Duration::from_secs(3);

/// Of both children: after this time nothing of a lost node acts.
pub(crate) const LEASE: Duration = Duration::from_secs(2);

/// For this time leases go on while a runtime stands still.
pub(crate) const STALL: Duration = Duration::from_secs(4);
pub(crate) const SHUTDOWN: Duration = Duration::from_millis(500);

/// Acts all the time, and says so in its journal.
pub(crate) struct Counter {
    path: PathBuf,
    journal: Option<Journal>,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum CounterMsg {
    /// Counts the message of this number.
    Add(u64, Option<Reply<u64>>),
    Act,
    /// Blocks all threads of the runtime for this time, and then counts the message of this number.
    Hang(u64, Duration),
}

#[actor]
impl Counter {
    fn new(dir: &str, name: &str) -> Counter {
        Counter { path: Path::new(dir).join(name), journal: None }
    }

    fn write(&mut self, what: &str, number: u64) -> std::io::Result<()> {
        self.journal.as_mut().expect("opened in pre_start").write(what, number)
    }

    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) -> std::io::Result<()> {
        self.journal = Some(Journal::begin(&self.path, cx.fence().expect("it runs on a node"))?);
        cx.send_every(Duration::from_millis(5), || CounterMsg::Act);
        Ok(())
    }

    #[post_stop]
    fn post_stop(&mut self) -> std::io::Result<()> {
        self.write("end", 0)
    }

    fn handle(&mut self, msg: CounterMsg) -> std::io::Result<()> {
        match msg {
            CounterMsg::Add(number, reply) => {
                self.write("add", number)?;
                if let Some(reply) = reply {
                    reply.send(number);
                }
            }
            CounterMsg::Act => self.write("act", 0)?,
            CounterMsg::Hang(number, time) => {
                hang(time);
                self.write("add", number)?;
            }
        }
        Ok(())
    }
}

supervisor! {
    pub(crate) struct Shop(dir: String) {
        #![on("worker", lease = 2s)]
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[on(overlap = Allowed)]
        #[lifecycle(Permanent, shutdown = 500ms)]
        cache: remote Counter = Counter::new(&dir, "cache"),
        #[lifecycle(Permanent, shutdown = 500ms)]
        ledger: remote Counter = Counter::new(&dir, "ledger"),
    }
}

/// Blocks this thread, and all workers of its runtime.
pub(crate) fn hang(time: Duration) {
    for _ in 0..2 {
        tokio::spawn(async move { std::thread::sleep(time) });
    }
    std::thread::sleep(time);
}

/// A port that nobody listens on: below those that the system gives to connections.
pub(crate) fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let n = u32::from(NEXT.fetch_add(1, Ordering::Relaxed)) + std::process::id() * 67;
        let port = 10_000 + (n % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A new directory for journals, on this machine's loopback.
pub(crate) fn place() -> Place {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("processes-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    Place { address: format!("127.0.0.1:{}", port()), dir, namespace: None, descriptors: None }
}

/// Waits until this is true.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < LONG, "not within {LONG:?}: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    begun.elapsed()
}

/// An owner in this process, nodes in others, and somebody who sends to both children without an end.
pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) shop: Running<Shop>,
    pub(crate) nodes: HashMap<String, Process>,
    net: Net,
    numbers: Arc<AtomicU64>,
    accepted: Arc<AtomicU64>,
    events: Arc<Mutex<Vec<EventKind>>>,
    stop: Arc<AtomicBool>,
    teller: JoinHandle<()>,
    /// Processes that were killed in the middle of something.
    killed: usize,
}

impl World {
    pub(crate) async fn start(place: Place, names: &[&str]) -> World {
        let nodes: Vec<_> = names.iter().map(|name| (*name, &place)).collect();
        World::start_at(place.clone(), &nodes).await
    }

    /// Starts with each node at a place of its own.
    pub(crate) async fn start_at(place: Place, nodes: &[(&str, &Place)]) -> World {
        let wire = Zenoh::open(Settings::new("owner").listen([&*place.address]).insecure().lease(LINK)).await.unwrap();
        let net = Net::open(wire).fresh();
        let start = |(name, place): &(&str, &Place)| ((*name).to_owned(), Process::start("node", name, place));
        let nodes = nodes.iter().map(start).collect();
        let dir = place.dir.to_str().unwrap().to_owned();
        let shop = tokio::time::timeout(LONG, Shop::tree(dir).on(net.clone()).start()).await.unwrap().unwrap();
        let events: Arc<Mutex<Vec<EventKind>>> = Arc::default();
        let (mut stream, into) = (shop.events(), events.clone());
        tokio::spawn(async move {
            while let Some(event) = stream.next().await {
                into.lock().unwrap().push(event.kind);
            }
        });
        let (numbers, accepted, stop) =
            (Arc::new(AtomicU64::new(1)), Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let children = [shop.cache.clone(), shop.ledger.clone()];
        let teller = tokio::spawn(tell(children, numbers.clone(), accepted.clone(), Arc::clone(&stop)));
        World { place, shop, nodes, net, numbers, accepted, events, stop, teller, killed: 0 }
    }

    /// Starts one more node.
    pub(crate) fn node(&mut self, name: &str, place: &Place) {
        self.nodes.insert(name.to_owned(), Process::start("node", name, place));
    }

    /// Kills the node on which this child runs. Returns its name.
    pub(crate) async fn kill(&mut self, child: &RemoteRef<Counter>) -> String {
        let name = self.node_of(child).await;
        let process = self.nodes.remove(&name).unwrap();
        process.signal(libc::SIGKILL);
        self.killed += 1;
        name
    }

    /// A process has ended in the middle of something.
    pub(crate) fn count_killed(&mut self) {
        self.killed += 1;
    }

    pub(crate) async fn node_of(&self, child: &RemoteRef<Counter>) -> String {
        let mut name = None;
        until("it is on a node", || {
            name = child.node();
            name.is_some()
        })
        .await;
        name.unwrap().rsplit_once('#').unwrap().0.to_owned()
    }

    /// Sends a message of its own, and waits for the answer; again, if that was lost with a node.
    pub(crate) async fn answers(&self, child: &RemoteRef<Counter>) -> Duration {
        let begun = Instant::now();
        loop {
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            self.accepted.fetch_add(1, Ordering::Relaxed);
            let asked = child.ask(|reply| CounterMsg::Add(number, Some(reply))).within(LONG).await;
            match asked {
                Ok(answer) => {
                    assert_eq!(answer, number);
                    return begun.elapsed();
                }
                Err(error) => assert!(matches!(error, AskError::NoReply { .. }) && begun.elapsed() < LONG, "{error}"),
            }
        }
    }

    /// Blocks the threads of the node on which this child runs.
    pub(crate) fn hang(&self, child: &RemoteRef<Counter>, time: Duration) {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        child.try_tell(CounterMsg::Hang(number, time)).unwrap();
    }

    pub(crate) fn dead_letters(&self) -> usize {
        self.count(|kind| matches!(kind, EventKind::DeadLetter { .. }))
    }

    pub(crate) fn count(&self, is: impl Fn(&EventKind) -> bool) -> usize {
        self.events.lock().unwrap().iter().filter(|kind| is(kind)).count()
    }

    pub(crate) fn journal(&self, child: &str) -> Vec<Line> {
        journal::read(&self.place.dir.join(child))
    }

    /// How many instances have begun.
    pub(crate) fn begun(&self, child: &str) -> usize {
        journal::begins(&self.journal(child)).len()
    }

    /// Shuts the tree down, whose nodes are those of another owner.
    pub(crate) async fn gives_up(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.teller.await.unwrap();
        drop(self.shop.shutdown().await);
        self.net.close().await;
        let _ = std::fs::remove_dir_all(&self.place.dir);
    }

    /// Shuts the tree down, and checks that the journals are in order and that the sums balance. Returns the nodes, which
    /// still run.
    pub(crate) async fn ends(self, frozen: usize) -> HashMap<String, Process> {
        assert_eq!(self.count(|kind| matches!(kind, EventKind::Missed { .. })), 0, "they are read at once");
        until("enough is sent for a test", || self.accepted.load(Ordering::Relaxed) >= 200).await;
        self.stop.store(true, Ordering::Relaxed);
        self.teller.await.unwrap();
        // Behind all messages that are still in mailboxes and windows.
        for child in [&self.shop.cache, &self.shop.ledger] {
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            self.accepted.fetch_add(1, Ordering::Relaxed);
            child.ask(|reply| CounterMsg::Add(number, Some(reply))).within(LONG).await.unwrap();
        }
        let report = self.shop.shutdown().await;
        assert!(report.is_orderly(), "{report:#}");
        self.net.close().await;

        let [cache, ledger] = ["cache", "ledger"].map(|child| journal::read(&self.place.dir.join(child)));
        journal::check_tokens(&cache);
        journal::check_alone(&ledger, frozen);
        for lines in [&cache, &ledger] {
            assert_eq!(lines.last().unwrap().what, "end", "the last instance went down in order");
        }
        let accepted = self.accepted.load(Ordering::Relaxed) as usize;
        let handled = journal::handled(&cache) + journal::handled(&ledger);
        let (mut dead, mut unknown) = (0, 0);
        for kind in &*self.events.lock().unwrap() {
            if let EventKind::DeadLetter { reason, .. } = kind {
                dead += 1;
                unknown += usize::from(*reason == DeadLetterReason::Unknown);
            }
        }
        println!("{accepted} accepted, {handled} handled, {dead} dead letters, of which {unknown} perhaps handled");
        // Each message is handled or a dead letter; only what was on its way to a lost node may be both. A node that was
        // killed may have said of one message that it was begun.
        assert!(handled + dead - unknown <= accepted, "{handled} + {dead} - {unknown} > {accepted}");
        assert!(accepted <= handled + dead + 2 * self.killed, "{accepted} > {handled} + {dead} + 2 * {}", self.killed);
        let _ = std::fs::remove_dir_all(&self.place.dir);
        self.nodes
    }
}

/// Sends numbered messages to both children until it is stopped.
async fn tell(
    children: [RemoteRef<Counter>; 2],
    numbers: Arc<AtomicU64>,
    accepted: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
) {
    while !stop.load(Ordering::Relaxed) {
        for child in &children {
            let number = numbers.fetch_add(1, Ordering::Relaxed);
            // A message for which the mailbox has no room comes back, and is not sent.
            if child.try_tell(CounterMsg::Add(number, None)).is_ok() {
                accepted.fetch_add(1, Ordering::Relaxed);
            }
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
