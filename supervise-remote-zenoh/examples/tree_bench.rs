//! The cost of a tree over processes: asks, tells, and the time to a replacement. `cargo run --release --example
//! tree_bench`; with `chaos [SECONDS]`, the sums after nodes were killed, frozen and asked to leave for that time. Over TCP, or
//! over TLS if the first word is `tls`, with certificates of its own: needs openssl.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use supervise_remote::{Net, RemoteRef};
use supervise_remote_zenoh::{Settings, Zenoh};

/// Counts, on a node or at the owner. Where there is a file, writes each message down.
struct Counter {
    sum: u64,
    file: Option<File>,
}

/// The file of what was handled, in which each process appends.
const HANDLED: &str = "HANDLED";

/// The folder of the certificates.
const KEYS: &str = "KEYS";

#[derive(Serialize, Deserialize)]
enum CounterMsg {
    Add(u64),
    Sum(Reply<u64>),
}

#[actor]
impl Counter {
    fn new() -> std::io::Result<Counter> {
        let file = std::env::var_os(HANDLED).map(|path| OpenOptions::new().append(true).open(path));
        Ok(Counter { sum: 0, file: file.transpose()? })
    }

    fn handle(&mut self, msg: CounterMsg) -> std::io::Result<()> {
        match msg {
            CounterMsg::Add(n) => {
                self.sum += 1;
                if let Some(file) = &mut self.file {
                    file.write_all(format!("{n}\n").as_bytes())?;
                }
            }
            CounterMsg::Sum(reply) => reply.send(self.sum),
        }
        Ok(())
    }
}

supervisor! {
    struct Shop {
        #![on("worker", lease = 1s)]
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[on(overlap = Allowed)]
        #[lifecycle(Permanent, shutdown = 500ms)]
        allowed: remote Counter = Counter::new()?,
        #[lifecycle(Permanent, shutdown = 500ms)]
        forbidden: remote Counter = Counter::new()?,
        #[on(overlap = Allowed, window = 1024)]
        #[lifecycle(Permanent, shutdown = 500ms)]
        wide: remote Counter = Counter::new()?,
        local: Counter = Counter::new()?,
    }
}

/// Set for a run of chaos. The owner's own counter writes nothing.
static HANDLED_BY_NODES: OnceLock<PathBuf> = OnceLock::new();

/// Set for a run over TLS.
static KEYS_OF_ALL: OnceLock<PathBuf> = OnceLock::new();

/// Makes the certificates of the owner and of the nodes.
fn certify(keys: &Path) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/certificates.sh");
    let nodes = ["one", "two", "three"].map(|name| format!("node {name} nobody default worker"));
    let all = ["authority", "owner owner 127.0.0.1 default Shop"].map(str::to_owned).into_iter().chain(nodes);
    for words in all {
        let made =
            Command::new(script).arg(keys).args(words.split(' ')).output().expect("the script of the certificates");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

struct Node(Child);

impl Node {
    fn start(name: &str, port: u16) -> Node {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        if let Some(handled) = HANDLED_BY_NODES.get() {
            command.env(HANDLED, handled);
        }
        if let Some(keys) = KEYS_OF_ALL.get() {
            command.env(KEYS, keys);
        }
        Node(command.args(["node", name, &port.to_string()]).stdin(Stdio::piped()).spawn().expect("a process"))
    }

    fn signal(&self, signal: &str) {
        Command::new("kill").args([signal, &self.0.id().to_string()]).status().expect("the command `kill`");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("p50 {:.1?}, p99 {:.1?}", times[times.len() / 2], times[times.len() * 99 / 100])
}

fn settings(name: &str) -> Settings {
    let settings = Settings::new(name).lease(Duration::from_secs(1));
    let keys = std::env::var_os(KEYS).map(PathBuf::from).or_else(|| KEYS_OF_ALL.get().cloned());
    match keys {
        Some(keys) => {
            let [cert, key] = ["pem", "key"].map(|end| keys.join(format!("{name}.{end}")));
            settings.tls(cert, key, keys.join("ca.pem"))
        }
        None => settings,
    }
}

async fn node(name: &str, port: &str) {
    let wire = Zenoh::open(settings(name).connect([format!("127.0.0.1:{port}")])).await.expect("a network");
    let input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let bare = bare(true, port.parse::<u16>().expect("a port") + 1).await;
    let _query = bare
        .declare_queryable(format!("bare/{name}"))
        .callback(|query| {
            use zenoh::Wait as _;
            let payload = query.payload().map(|payload| payload.to_bytes().into_owned()).unwrap_or_default();
            query.reply(query.key_expr().clone(), payload).wait().expect("a reply");
        })
        .await
        .expect("a queryable");
    Shop::node("worker").serve(Net::open(wire), input_ends).await.expect("a join");
}

async fn bare(connect: bool, port: u16) -> zenoh::Session {
    let mut config = zenoh::Config::default();
    let mut set = |key: &str, value: &str| config.insert_json5(key, value).expect("a setting of zenoh");
    let endpoint = format!("[\"tcp/127.0.0.1:{port}\"]");
    set("scouting/multicast/enabled", "false");
    set("listen/endpoints", if connect { "[]" } else { &endpoint });
    set("connect/endpoints", if connect { &endpoint } else { "[]" });
    zenoh::open(config).await.expect("a session")
}

/// Waits until the child answers.
async fn answers(child: &RemoteRef<Counter>) {
    while child.ask(CounterMsg::Sum).within(Duration::from_secs(30)).await.is_err() {}
}

fn name_of(child: &RemoteRef<Counter>) -> Option<String> {
    child.node().map(|node| node.split('#').next().unwrap_or_default().to_owned())
}

async fn speed(shop: &Running<Shop>, port: u16) {
    const ASKS: u32 = 10_000;
    const TELLS: u32 = 500_000;
    let bare = bare(false, port + 1).await;
    let name = name_of(&shop.allowed).expect("it is on a node");
    let mut local = Vec::new();
    let mut remote = Vec::new();
    let mut query = Vec::new();
    while bare.get(format!("bare/{name}")).await.expect("a query").recv_async().await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for _ in 0..ASKS {
        let begun = Instant::now();
        shop.local.ask(CounterMsg::Sum).await.expect("an answer");
        local.push(begun.elapsed());
        let begun = Instant::now();
        shop.allowed.ask(CounterMsg::Sum).await.expect("an answer");
        remote.push(begun.elapsed());
        let begun = Instant::now();
        bare.get(format!("bare/{name}")).payload(vec![1; 16]).await.expect("a query").recv_async().await.expect("one");
        query.push(begun.elapsed());
    }
    println!("ask through the tree: {}", percentiles(remote));
    println!("bare zenoh query:     {}", percentiles(query));
    println!("local ask:            {}", percentiles(local));
    for (window, child) in [(256, &shop.allowed), (1024, &shop.wide)] {
        let begun = Instant::now();
        for _ in 0..TELLS {
            child.tell(CounterMsg::Add(1)).await.expect("taken");
        }
        let sum = child.ask(CounterMsg::Sum).within(Duration::from_secs(60)).await.expect("an answer");
        assert_eq!(sum, u64::from(TELLS));
        println!("tells, window {window}: {:.0} a second", f64::from(TELLS) / begun.elapsed().as_secs_f64());
    }
    for (window, child) in [(256, &shop.allowed), (1024, &shop.wide)] {
        let begun = Instant::now();
        let askers = (0..256).map(|_| {
            let child = child.clone();
            tokio::spawn(async move {
                for _ in 0..400 {
                    child.ask(CounterMsg::Sum).within(Duration::from_secs(60)).await.expect("an answer");
                }
            })
        });
        for asker in askers.collect::<Vec<_>>() {
            asker.await.expect("an asker");
        }
        println!("asks, 256 at a time, window {window}: {:.0} a second", 102_400.0 / begun.elapsed().as_secs_f64());
    }
}

async fn failover(shop: &Running<Shop>, nodes: &mut HashMap<String, Node>, port: u16) {
    for (what, child, rounds) in [("Allowed", &shop.allowed, 20), ("Forbidden", &shop.forbidden, 4)] {
        for signal in ["-KILL", "-STOP"] {
            let mut times = Vec::new();
            for _ in 0..if signal == "-KILL" { rounds } else { rounds / 4 } {
                answers(&shop.forbidden).await;
                answers(child).await;
                // Both nodes are there, and have had the time to join.
                tokio::time::sleep(Duration::from_millis(300)).await;
                let name = name_of(child).expect("it is on a node");
                let mut process = nodes.remove(&name).expect("a node of this program");
                let begun = Instant::now();
                match signal {
                    "-KILL" => process.0.kill().expect("a signal"),
                    _ => process.signal(signal),
                }
                answers(child).await;
                times.push(begun.elapsed());
                drop(process);
                nodes.insert(name.clone(), Node::start(&name, port));
            }
            times.sort();
            let (first, last) = (times[0], times[times.len() - 1]);
            let middle = times[times.len() / 2];
            println!(
                "SIG{} to the answer of the replacement, {what}: {first:.1?} to {last:.1?}, half within {middle:.1?} ({} times)",
                &signal[1..],
                times.len()
            );
        }
    }
}

async fn chaos(shop: &Running<Shop>, nodes: &mut HashMap<String, Node>, port: u16, time: Duration, handled: &Path) {
    let children = [shop.allowed.clone(), shop.forbidden.clone(), shop.wide.clone()];
    let accepted = Arc::new(AtomicU64::new(0));
    let (known, lost) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (letters, nodes_lost) = (known.clone(), lost.clone());
    let mut events = shop.events();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            // A window that is lost is a thousand dead letters at once, more than this reader may be behind.
            match event.kind {
                EventKind::DeadLetter { reason, .. } if reason != DeadLetterReason::Unknown => {
                    letters.fetch_add(1, Ordering::Relaxed);
                }
                EventKind::NodeLost { .. } => drop(nodes_lost.fetch_add(1, Ordering::Relaxed)),
                _ => {}
            }
        }
    });
    let (sent, to) = (accepted.clone(), children.clone());
    let telling = tokio::spawn(async move {
        let (mut tick, mut number) = (tokio::time::interval(Duration::from_millis(1)), 0);
        loop {
            tick.tick().await;
            for child in &to {
                number += 1;
                sent.fetch_add(u64::from(child.try_tell(CounterMsg::Add(number)).is_ok()), Ordering::Relaxed);
            }
        }
    });
    let (mut killed, mut frozen, mut left) = (0, 0, 0);
    let mut n = 1_u64;
    let begun = Instant::now();
    while begun.elapsed() < time {
        tokio::time::sleep(Duration::from_millis(700)).await;
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = ["one", "two", "three"][(n >> 33) as usize % 3].to_owned();
        let mut process = nodes.remove(&name).expect("a node of this program");
        match (n >> 40) % 3 {
            0 => {
                process.0.kill().expect("a signal");
                killed += 1;
            }
            1 => {
                process.signal("-STOP");
                tokio::time::sleep(Duration::from_millis(300 + (n >> 50) % 2_000)).await;
                process.signal("-CONT");
                frozen += 1;
                nodes.insert(name, process);
                continue;
            }
            _ => {
                drop(process.0.stdin.take());
                let waited = tokio::task::spawn_blocking(move || process.0.wait().expect("its end").success());
                assert!(waited.await.expect("no panic"), "it leaves in order");
                left += 1;
            }
        }
        nodes.insert(name.clone(), Node::start(&name, port));
    }
    telling.abort();
    let _ = telling.await;
    for child in &children {
        answers(child).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "{killed} nodes were killed, {frozen} frozen, {left} left in order; children lost their node {} times",
        read(&lost)
    );
    let text = std::fs::read_to_string(handled).expect("the file of what was handled");
    let numbers: HashSet<&str> = text.lines().collect();
    let handled = numbers.len() as u64;
    assert_eq!(handled, text.lines().count() as u64, "no message is handled twice");
    let (accepted, dead) = (read(&accepted), shop.dead_letters());
    let unknown = dead - read(&known);
    println!("{accepted} accepted, {handled} handled, {dead} dead letters, {unknown} of them perhaps handled");
    assert!(handled + dead - unknown <= accepted, "a message is handled and a dead letter");
    // A worker that was killed may have begun a message of each child, and not written it down.
    assert!(accepted <= handled + dead + 3 * killed, "messages are lost in silence");
    println!("the sums balance");
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, name, port] = &words[..]
        && role == "node"
    {
        return node(name, port).await;
    }
    let _keys = words.first().is_some_and(|word| word == "tls").then(|| {
        words.remove(0);
        let keys = tempfile::tempdir().expect("a folder");
        certify(keys.path());
        KEYS_OF_ALL.get_or_init(|| keys.path().to_owned());
        keys
    });
    let port = 10_000 + (std::process::id() % 10_000) as u16 * 2;
    let wire = Zenoh::open(settings("owner").listen([format!("127.0.0.1:{port}")])).await.expect("a network");
    let net = Net::open(wire).fresh();
    let handled = std::env::temp_dir().join(format!("tree_bench-{port}"));
    if words.first().is_some_and(|word| word == "chaos") {
        std::fs::write(&handled, "").expect("a file");
        HANDLED_BY_NODES.get_or_init(|| handled.clone());
    }
    let mut nodes: HashMap<_, _> =
        ["one", "two", "three"].map(|name| (name.to_owned(), Node::start(name, port))).into_iter().collect();
    let shop = Shop::tree().on(net.clone()).start().await.expect("a tree");
    match words.first().map(String::as_str) {
        Some("chaos") => {
            let seconds = words.get(1).map_or(60, |seconds| seconds.parse().expect("seconds"));
            chaos(&shop, &mut nodes, port, Duration::from_secs(seconds), &handled).await;
        }
        _ => {
            speed(&shop, port).await;
            failover(&shop, &mut nodes, port).await;
        }
    }
    shop.shutdown().await;
    net.close().await;
    let _ = std::fs::remove_file(&handled);
}
