//! The cost of a console: see README.md.

use std::fs;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use supervise::inspect::Observe;
use supervise::prelude::*;
use supervise_console::{Address, probes, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::sleep;

/// The number of messages that are timed at once.
const MESSAGES: u32 = 500_000;

struct Counter(u64);

enum Do {
    Count,
    Get(Reply<u64>),
}

#[actor]
impl Counter {
    fn handle(&mut self, order: Do) {
        match order {
            Do::Count => self.0 += 1,
            Do::Get(reply) => reply.send(self.0),
        }
    }
}

supervisor! {
    struct Bare {
        counter: Counter = Counter(0),
    }
}

type Bound = watch::Sender<Option<Address>>;

supervisor! {
    struct Shown(bound: Bound) {
        #[lifecycle(Permanent, ready)]
        console: task = |cx| serve(cx, "127.0.0.1:0", tree.clone())
            .probes(probes(tree.clone()))
            .on_bound(move |address| { bound.send_replace(Some(address.clone())); }),
        counter: Counter = Counter(0),
        sessions: [u32 => Counter] = |_number: u32| Counter(0),
    }
}

supervisor! {
    struct Wide(bound: Bound) {
        #[lifecycle(Permanent, ready)]
        console: task = |cx| serve(cx, "127.0.0.1:0", tree.clone())
            .on_bound(move |address| { bound.send_replace(Some(address.clone())); }),
        cells: [Counter; 10_000] = |_index| Counter(0),
    }
}

/// Viewers that read a live stream and throw it away, on a thread of their own.
struct Viewers {
    runtime: Runtime,
    bytes: Arc<AtomicU64>,
    /// The thread whose time is not counted.
    thread: String,
}

impl Viewers {
    fn new() -> Viewers {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let thread = runtime.block_on(async {
            let own = async { fs::read_link("/proc/thread-self").expect("Linux").display().to_string() };
            tokio::spawn(own).await.expect("it does not panic")
        });
        Viewers { runtime, bytes: Arc::default(), thread }
    }

    fn open(&self, at: SocketAddr, number: usize) -> Vec<tokio::task::JoinHandle<()>> {
        let bytes = &self.bytes;
        let view = |_| {
            let bytes = bytes.clone();
            self.runtime.spawn(async move {
                let mut stream = request(at, "/live").await;
                let mut buffer = vec![0; 64 << 10];
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    bytes.fetch_add(read as u64, Relaxed);
                }
            })
        };
        (0..number).map(view).collect()
    }

    fn seconds(&self) -> f64 {
        seconds(&format!("/proc/{}/stat", self.thread))
    }
}

async fn request(at: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(at).await.expect("it listens");
    let head = format!("GET {path} HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("it reads");
    stream
}

/// The time on a processor of a process or thread so far.
fn seconds(stat: &str) -> f64 {
    let stat = fs::read_to_string(stat).expect("Linux");
    let (_, fields) = stat.rsplit_once(')').expect("the name of the program");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: f64 = [fields[11], fields[12]].iter().map(|ticks| ticks.parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}

fn address(bound: &watch::Receiver<Option<Address>>) -> SocketAddr {
    match &*bound.borrow() {
        Some(Address::Tcp(address)) => *address,
        other => panic!("{other:?}"),
    }
}

/// The nanoseconds that this thread has run so far: other programs on the machine do not count.
fn ran() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux with schedstat");
    stat.split(' ').next().and_then(|ran| ran.parse().ok()).expect("a number")
}

/// The nanoseconds of a message.
async fn message(counter: &ActorRef<Counter>) -> f64 {
    let begun = ran();
    for _ in 0..MESSAGES {
        counter.tell(Do::Count).await.expect("it lives");
    }
    counter.ask(Do::Get).await.expect("it answers");
    (ran() - begun) / f64::from(MESSAGES)
}

/// Times messages in turns, so that each case meets the same neighbours on the machine, and takes the best of each. The
/// runtime has one thread: what the console does on it counts as well.
async fn messages(viewers: &Viewers, rounds: u32) {
    let bare = Bare::start().await.expect("it starts");
    let (sender, bound) = watch::channel(None);
    let shown = Shown::start(sender).await.expect("it starts");
    let mut best = [f64::MAX; 5];
    for _ in 0..rounds {
        best[0] = best[0].min(message(&bare.counter).await);
        let observing = bare.observe(Observe::EVERYTHING);
        best[1] = best[1].min(message(&bare.counter).await);
        drop(observing);
        for (case, number) in [(2, 0), (3, 1), (4, 10)] {
            let open = viewers.open(address(&bound), number);
            let before = viewers.bytes.load(Relaxed);
            while number > 0 && viewers.bytes.load(Relaxed) == before {
                sleep(Duration::from_millis(10)).await;
            }
            best[case] = best[case].min(message(&shown.counter).await);
            open.iter().for_each(|viewer| viewer.abort());
            while !shown.observed().is_empty() {
                sleep(Duration::from_millis(10)).await;
            }
        }
    }
    println!("| a message | ns |\n|---|---|");
    let cases = ["no console", "observed, no console", "a console without viewers", "1 viewer", "10 viewers"];
    for (case, best) in cases.iter().zip(best) {
        println!("| {case} | {best:.0} |");
    }
    bare.shutdown().await;
    shown.shutdown().await;
}

/// The share of a core that this process takes in this time, without the viewers.
async fn share(viewers: &Viewers, time: Duration) -> f64 {
    sleep(Duration::from_secs(2)).await; // until the pace has settled
    let now = || seconds("/proc/self/stat") - viewers.seconds();
    let (before, begun) = (now(), Instant::now());
    sleep(time).await;
    100.0 * (now() - before) / begun.elapsed().as_secs_f64()
}

struct Shares {
    time: Duration,
    is_well: bool,
}

impl Shares {
    async fn measure(&mut self, viewers: &Viewers, name: &str, most: f64) {
        let share = share(viewers, self.time).await;
        self.is_well &= share <= most;
        println!("| {name} | {share:.1} % |");
    }
}

async fn shares(viewers: &Viewers, time: Duration) -> bool {
    println!("\n| the whole process | share of a core |\n|---|---|");
    let mut shares = Shares { time, is_well: true };
    let (sender, bound) = watch::channel(None);
    let shown = Shown::start(sender).await.expect("it starts");
    for number in 0..100_000 {
        shown.sessions.spawn(number).await.expect("there is room");
    }
    let at = address(&bound);
    shares.measure(viewers, "100,000 instances, a console without viewers", 1.0).await;
    let probing = tokio::spawn(async move {
        loop {
            for path in ["/livez", "/readyz", "/startupz"] {
                let mut answer = String::new();
                request(at, path).await.read_to_string(&mut answer).await.expect("it answers");
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            }
            sleep(Duration::from_secs(1)).await;
        }
    });
    shares.measure(viewers, "100,000 instances, all probes once a second", 1.0).await;
    probing.abort();
    for number in [1, 10] {
        let open = viewers.open(at, number);
        let s = if number == 1 { "" } else { "s" };
        shares.measure(viewers, &format!("100,000 instances, {number} viewer{s}"), 5.0).await;
        open.iter().for_each(|viewer| viewer.abort());
    }
    let open = viewers.open(at, 1);
    let sessions = shown.sessions.clone();
    let paging = tokio::spawn(async move {
        loop {
            let mut answer = String::new();
            let path = "/set.json?path=sessions&sort=restarts&state=running";
            request(at, path).await.read_to_string(&mut answer).await.expect("it answers");
            assert!(answer.contains("\"matching\":100000"), "{} of {}", answer.len(), sessions.len());
            sleep(Duration::from_secs(2)).await;
        }
    });
    shares.measure(viewers, "100,000 instances, 1 viewer who reads a sorted page every 2 s", 25.0).await;
    paging.abort();
    open.iter().for_each(|viewer| viewer.abort());
    shown.shutdown().await;

    let (sender, bound) = watch::channel(None);
    let wide = Wide::start(sender).await.expect("it starts");
    for number in [1, 10] {
        let open = viewers.open(address(&bound), number);
        let s = if number == 1 { "" } else { "s" };
        shares.measure(viewers, &format!("10,000 declared children, {number} viewer{s}"), 5.0).await;
        open.iter().for_each(|viewer| viewer.abort());
    }
    let cells = wide.cells.clone();
    let busy = tokio::spawn(async move {
        loop {
            for cell in &cells {
                let _ = cell.try_tell(Do::Count); // an error: it is full
            }
            sleep(Duration::from_millis(500)).await;
        }
    });
    let before = share(viewers, time).await;
    let open = viewers.open(address(&bound), 1);
    let with = share(viewers, time).await;
    println!("| 10,000 declared children that are all busy | {before:.1} %, with 1 viewer {with:.1} % |");
    shares.is_well &= with - before < 6.0;
    open.iter().for_each(|viewer| viewer.abort());
    busy.abort();
    wide.shutdown().await;
    shares.is_well
}

fn main() -> ExitCode {
    let is_check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            eprintln!("console-cost: takes `--check` or nothing");
            return ExitCode::from(2);
        }
    };
    let (rounds, time) = if is_check { (5, Duration::from_secs(5)) } else { (15, Duration::from_secs(20)) };
    let viewers = Viewers::new();
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let is_well = runtime.block_on(async {
        messages(&viewers, rounds).await;
        shares(&viewers, time).await
    });
    if is_well {
        ExitCode::SUCCESS
    } else {
        eprintln!("console-cost: a share is above its bound");
        ExitCode::FAILURE
    }
}
