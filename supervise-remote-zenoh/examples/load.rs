//! Tells in both directions at once, over TLS with certificates of their own: an owner, and a node in a process of its own. Each
//! tell is counted and has to come in order. Exits with 1 if one is missing, or if the node is lost for a moment.
//!
//! `cargo run --release --example load [TELLS] [tls | tcp]`: 10,000,000 each way over TLS if nothing is said. Needs openssl.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::event::EventKind;
use supervise::prelude::*;
use supervise_remote::{Net, RemoteRef};
use supervise_remote_zenoh::{Settings, Zenoh};
use tokio::task::JoinSet;

/// A tell of a node waits until the owner has it, so one sender alone would measure the way there and back.
const SENDERS: u64 = 512;

/// The numbers that have come, by sender.
#[derive(Default)]
struct Came {
    next: HashMap<u64, u64>,
    count: u64,
    out_of_order: u64,
}

impl Came {
    fn number(&mut self, sender: u64, number: u64) {
        let next = self.next.entry(sender).or_default();
        self.out_of_order += u64::from(*next != number);
        *next = number + 1;
        self.count += 1;
    }
}

/// Runs at the owner.
#[derive(Default)]
struct Sink {
    came: Came,
    ended: Option<Reply<[u64; 2]>>,
    is_over: bool,
}

#[derive(Serialize, Deserialize)]
enum SinkMsg {
    Number(u64, u64),
    /// All has been told.
    Over,
    End(Reply<[u64; 2]>),
}

#[actor]
impl Sink {
    fn handle(&mut self, msg: SinkMsg) {
        match msg {
            SinkMsg::Number(sender, number) => return self.came.number(sender, number),
            SinkMsg::Over => self.is_over = true,
            SinkMsg::End(reply) => self.ended = Some(reply),
        }
        if self.is_over
            && let Some(reply) = self.ended.take()
        {
            reply.send([self.came.count, self.came.out_of_order]);
        }
    }
}

/// Runs on the node, and tells the sink.
struct Peer {
    sink: RemoteRef<Sink>,
    came: Came,
}

#[derive(Serialize, Deserialize)]
enum PeerMsg {
    Begin(u64),
    Number(u64),
    Told,
    Came(Reply<[u64; 2]>),
}

/// Tells the sink as many numbers.
async fn tell(sink: RemoteRef<Sink>, tells: u64) {
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let sink = sink.clone();
        senders.spawn(async move {
            for number in 0..tells / SENDERS + u64::from(sender < tells % SENDERS) {
                // A tell that is not taken is missing at the end.
                let _ = sink.tell(SinkMsg::Number(sender, number)).await;
            }
        });
    }
    while senders.join_next().await.is_some() {}
    let _ = sink.tell(SinkMsg::Over).await;
}

#[actor]
impl Peer {
    fn handle(&mut self, msg: PeerMsg, cx: &mut Context<Self>) {
        match msg {
            PeerMsg::Begin(tells) => cx.run(tell(self.sink.clone(), tells), |()| PeerMsg::Told),
            PeerMsg::Number(number) => self.came.number(0, number),
            PeerMsg::Told => {}
            PeerMsg::Came(reply) => reply.send([self.came.count, self.came.out_of_order]),
        }
    }
}

supervisor! {
    struct Load {
        sink: Sink = Sink::default(),
        #[on("worker", window = 1024)]
        peer: remote Peer = Peer { sink, came: Came::default() },
    }
}

fn settings(name: &str, keys: Option<&Path>) -> Settings {
    let settings = Settings::new(name);
    match keys {
        Some(keys) => {
            let [cert, key] = ["pem", "key"].map(|end| keys.join(format!("{name}.{end}")));
            settings.tls(cert, key, keys.join("ca.pem"))
        }
        None => settings,
    }
}

fn certify(keys: &Path) -> Result<(), supervise::BoxError> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/certificates.sh");
    for words in ["authority", "owner load 127.0.0.1 default Load", "node peer nobody default worker"] {
        let made = Command::new(script).arg(keys).args(words.split(' ')).output()?;
        if !made.status.success() {
            return Err(format!("{script} has failed: {}", String::from_utf8_lossy(&made.stderr)).into());
        }
    }
    Ok(())
}

struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn serve(address: &str, keys: Option<&Path>) -> Result<(), supervise::BoxError> {
    let wire = Zenoh::open(settings("peer", keys).connect([address])).await?;
    Load::node("worker").serve(Net::open(wire), std::future::pending::<()>()).await?;
    Ok(())
}

/// Returns whether all tells came in order, and nobody was lost.
async fn own(tells: u64, keys: Option<&Path>) -> Result<bool, supervise::BoxError> {
    let address = format!("127.0.0.1:{}", 10_000 + std::process::id() % 20_000);
    let wire = Zenoh::open(settings("load", keys).listen([&*address])).await?;
    let net = Net::open(wire).fresh();
    let program = std::env::current_exe()?;
    let keys = keys.map_or_else(PathBuf::new, Path::to_owned);
    let _node = Node(Command::new(program).args(["node", &address]).arg(keys).spawn()?);
    let load = Load::tree().on(net.clone()).start().await?;
    let (lost, mut events) = (Arc::new(AtomicU64::new(0)), load.events());
    let losses = lost.clone();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if matches!(event.kind, EventKind::NodeLost { .. } | EventKind::Restarted) {
                eprintln!("{event}");
                losses.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let begun = Instant::now();
    load.peer.tell(PeerMsg::Begin(tells)).await?;
    let day = Duration::from_secs(86_400);
    let to_node = async {
        let mut taken = 0;
        for number in 0..tells {
            taken += u64::from(load.peer.tell(PeerMsg::Number(number)).await.is_ok());
        }
        (taken, load.peer.ask(PeerMsg::Came).within(day).await, begun.elapsed())
    };
    let to_owner = async { (load.sink.ask(SinkMsg::End).forever().await, begun.elapsed()) };
    let (to_node, to_owner) = tokio::join!(to_node, to_owner);
    let (taken, at_node, node_time) = to_node;
    let (at_owner, owner_time) = to_owner;
    let rate = |time: Duration| tells as f64 / time.as_secs_f64();
    println!("to the node:  {taken} taken, {at_node:?} came and out of order, {:.0} a second", rate(node_time));
    println!("to the owner: {at_owner:?} came and out of order, {:.0} a second", rate(owner_time));
    let (dead, lost) = (load.dead_letters(), lost.load(Ordering::Relaxed));
    println!("dead letters: {dead}, losses and restarts: {lost}");
    let all = taken == tells && at_node.ok() == Some([tells, 0]) && at_owner.ok() == Some([tells, 0]);
    load.shutdown().await;
    net.close().await;
    Ok(all && dead == 0 && lost == 0)
}

#[tokio::main]
async fn main() -> Result<ExitCode, supervise::BoxError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, address, keys] = &words[..]
        && role == "node"
    {
        let keys = Some(Path::new(keys)).filter(|keys| *keys != Path::new(""));
        serve(address, keys).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let tells = words.first().map_or(Ok(10_000_000), |word| word.parse())?;
    let keys = match words.get(1).map(String::as_str) {
        Some("tcp") => None,
        _ => {
            let keys = tempfile::tempdir()?;
            certify(keys.path())?;
            Some(keys)
        }
    };
    let all = own(tells, keys.as_ref().map(|keys| keys.path())).await?;
    println!("{}", if all { "nothing is missing" } else { "something is missing" });
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
