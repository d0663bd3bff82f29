//! Peers that are not the program: each connection of theirs ends within a bound, takes no memory that stays, and keeps nobody
//! out; before TLS, after TLS, and where the program connects to them.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use supervise_remote::wire::{LinkEvent, Side};
use supervise_remote_zenoh::Settings;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::common::*;
use crate::tls::{Authority, Files, Folder, connect};

/// The time in which a connection ends that is not verified, or gets no session: 10 s for each, and some for a busy machine.
const BOUND: Duration = Duration::from_secs(28);

/// The most that the memory of a process grows while all these connections are open.
const MOST_KIB: usize = 32 << 10;

/// A greeting of this version has this many bytes until it is answered.
const GREETING: usize = 8 + 1 + 16;

/// A foreign peer: what it says, and how.
#[derive(Clone, Debug)]
struct Foreign {
    bytes: Vec<u8>,
    pace: Pace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// All at once, and then it waits.
    Waits,
    /// All at once, and then it ends its direction.
    Ends,
    /// A byte from time to time.
    Slowly,
    /// Again and again, for as long as it is taken.
    Floods,
}

/// A greeting as the program says it, of a process that nobody else is, and the byte behind it. `greater`: by its id.
fn greeting(greater: bool, n: u8) -> Vec<u8> {
    let id = if greater { u128::MAX - 1000 - u128::from(n) } else { 1000 + u128::from(n) };
    [&b"supervis\x01"[..], &id.to_be_bytes(), &[0]].concat()
}

/// Noise that repeats with its seed.
fn noise(mut seed: u64, length: usize) -> Vec<u8> {
    let mut byte = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u8
    };
    (0..length).map(|_| byte()).collect()
}

/// Peers that are refused at their first bytes.
fn other_versions() -> Vec<Foreign> {
    let others = (0..=u8::MAX).filter(|version| *version != 1);
    others.map(|version| Foreign { bytes: [b"supervis", &[version][..]].concat(), pace: Pace::Waits }).collect()
}

/// Less than the number of the places for connections that are not verified, so none of them has to go for another one.
fn all() -> Vec<Foreign> {
    let mut all = Vec::new();
    let mut add = |bytes: &[u8], pace| all.push(Foreign { bytes: bytes.to_vec(), pace });
    for cut in 0..=GREETING + 1 {
        add(&greeting(true, 1)[..cut], Pace::Waits);
        add(&greeting(false, 2)[..cut], Pace::Ends);
    }
    for at in 0..GREETING {
        let mut bytes = greeting(true, 3);
        bytes[at] ^= 0xff;
        add(&bytes, Pace::Waits);
    }
    for greater in [true, false] {
        let greeted = greeting(greater, 4);
        add(&greeted, Pace::Slowly);
        add(&[&greeted[..], &noise(1, 100_000)].concat(), Pace::Waits);
        // The lengths in front of what zenoh says have two bytes.
        add(&[&greeting(greater, 5)[..], &[0xff; 2]].concat(), Pace::Waits);
        add(&[&greeting(greater, 6)[..], &[0xff, 0xff], &[b'x'; 65_535]].concat(), Pace::Floods);
    }
    add(&noise(2, 4096), Pace::Floods);
    add(&[0xff; 8], Pace::Waits);
    // A record of TLS that says that it is as long as can be, and a first message that says so.
    add(&[0x16, 3, 1, 0xff, 0xff], Pace::Waits);
    add(&[0x16, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff], Pace::Slowly);
    add(b"\xc3\x28\xa0\xa1 is not UTF-8", Pace::Waits);
    add("long".repeat(100_000).as_bytes(), Pace::Waits);
    add(b"GET / HTTP/1.1\r\n\r\n", Pace::Waits);
    assert!((80..120).contains(&all.len()), "{} are no crowd, or have no place", all.len());
    all
}

impl Foreign {
    /// Says it, and returns when the process has ended the connection.
    async fn on(&self, stream: impl AsyncRead + AsyncWrite) {
        let (mut read, mut write) = tokio::io::split(stream);
        let ended = async {
            let mut bytes = [0; 4096];
            while read.read(&mut bytes).await.is_ok_and(|length| length > 0) {}
        };
        let says = async {
            match self.pace {
                Pace::Waits => write.write_all(&self.bytes).await?,
                Pace::Ends => {
                    write.write_all(&self.bytes).await?;
                    write.shutdown().await?;
                }
                Pace::Slowly => {
                    for byte in &self.bytes {
                        write.write_all(&[*byte]).await?;
                        write.flush().await?;
                        sleep(millis(700)).await;
                    }
                }
                Pace::Floods => loop {
                    write.write_all(&self.bytes).await?;
                },
            }
            write.flush().await
        };
        let (_, ended) = tokio::join!(timeout(BOUND, says), timeout(BOUND, ended));
        let shown = self.bytes[..self.bytes.len().min(30)].escape_ascii();
        ended.unwrap_or_else(|_| {
            panic!("open after {BOUND:?}: {:?}, {} bytes \"{shown}\"", self.pace, self.bytes.len())
        });
    }
}

/// The process that is attacked: an owner that sends back what it gets. Started by the tests of this file.
#[test]
#[ignore = "a process that the other tests start"]
fn owner() {
    let Ok(port) = std::env::var("FOREIGN_PORT") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut settings = settings("owner").listen(here(port.parse().unwrap()));
        if let Ok(files) = std::env::var("FOREIGN_TLS") {
            let files: Vec<_> = files.lines().collect();
            settings = settings.tls(files[0], files[1], files[2]);
        }
        let wire = open(settings).await;
        let mut link = join(&wire, Side::Owner).await;
        let mut input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
        loop {
            tokio::select! {
                event = std::future::poll_fn(|cx| link.poll(cx)) => {
                    if let Some(LinkEvent::Frame { from, bytes }) = event {
                        link.send(&from, bytes);
                    }
                }
                _ = &mut input_ends => break,
            }
        }
        drop(link);
        wire.close().await;
    });
}

struct Owner(Child);

impl Owner {
    fn start(port: u16, files: Option<&Files>) -> Owner {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "foreign::owner", "--ignored", "--nocapture", "--test-threads", "1"]);
        command.env("FOREIGN_PORT", port.to_string()).stdin(Stdio::piped()).stdout(Stdio::null());
        if let Some(files) = files {
            command.env("FOREIGN_TLS", files.0.each_ref().map(|path: &PathBuf| path.to_str().unwrap()).join("\n"));
        }
        Owner(command.spawn().unwrap())
    }

    /// The memory that it has at most had, in KiB; none where the system does not say.
    fn peak(&self) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A node joins, both sides talk, and it leaves.
async fn joins(settings: Settings) {
    let began = Instant::now();
    let wire = open(settings).await;
    let mut node = join(&wire, Side::Node).await;
    let owner = node.up().await;
    node.send(&owner, "there");
    assert_eq!(node.frame().await, (owner, b"there".to_vec()));
    assert!(began.elapsed() < millis(8000), "joined only after {:?}", began.elapsed());
    drop(node);
    wire.close().await;
}

/// Lets them all in, each over a stream that `stream` opens, while a good node joins.
async fn attacked<S, F>(owner: &mut Owner, stream: impl Fn() -> F, good: impl Fn(&str) -> Settings)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
    F: Future<Output = S>,
{
    joins(good("before")).await;
    let before = owner.peak();
    let began = Instant::now();
    for crowd in [other_versions(), all()] {
        let mut foreign = JoinSet::new();
        for each in crowd {
            let stream = stream().await;
            foreign.spawn(async move { each.on(stream).await });
        }
        joins(good("meanwhile")).await;
        while let Some(ended) = foreign.join_next().await {
            ended.unwrap();
        }
    }
    assert!(began.elapsed() > Duration::from_secs(8), "the silent ones had no time");
    assert_eq!(owner.0.try_wait().unwrap(), None, "the process has ended");
    joins(good("afterwards")).await;
    if let (Some(before), Some(after)) = (before, owner.peak()) {
        println!("{before} KiB before, {after} KiB at most");
        assert!(after - before < MOST_KIB, "{before} KiB before, {after} KiB at most");
    }
    drop(owner.0.stdin.take());
    let mut left = || owner.0.try_wait().unwrap();
    let by = Instant::now() + LONG;
    while left().is_none() {
        assert!(Instant::now() < by, "the process does not end");
        sleep(millis(50)).await;
    }
    assert!(left().unwrap().success());
}

async fn tcp(port: u16) -> TcpStream {
    let by = Instant::now() + LONG;
    loop {
        match TcpStream::connect(("127.0.0.1", port)).await {
            Ok(stream) => return stream,
            Err(error) => assert!(Instant::now() < by, "{error}"),
        }
        sleep(millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_bytes_without_tls_end_their_connection_and_nothing_else() {
    let port = port();
    let mut owner = Owner::start(port, None);
    attacked(&mut owner, || tcp(port), |name| settings(name).connect(here(port))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_bytes_before_tls_end_their_connection_and_nothing_else() {
    let (folder, ours, port) = (Folder::new(), Authority::new(), port());
    let files = Files::new(&folder, "owner", &ours, "127.0.0.1", &ours);
    let mut owner = Owner::start(port, Some(&files));
    let good = Files::new(&folder, "good", &ours, "good", &ours);
    attacked(&mut owner, || tcp(port), |name| good.on(settings(name).connect(here(port)))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_bytes_behind_tls_end_their_connection_and_nothing_else() {
    let (folder, ours, port) = (Folder::new(), Authority::new(), port());
    let files = Files::new(&folder, "owner", &ours, "127.0.0.1", &ours);
    let mut owner = Owner::start(port, Some(&files));
    let good = Files::new(&folder, "good", &ours, "good", &ours);
    drop(tcp(port).await);
    let stream = async || connect(port, &files, Some(&good)).await.unwrap();
    attacked(&mut owner, stream, |name| good.on(settings(name).connect(here(port)))).await;
}

/// The program connects to each of them, and to a good owner.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_bytes_of_a_process_that_listens_end_their_connection_and_nothing_else() {
    let (folder, ours) = (Folder::new(), Authority::new());
    let files = Files::new(&folder, "both", &ours, "127.0.0.1", &ours);
    for tls in [false, true] {
        let with = |settings: Settings| if tls { files.on(settings) } else { settings };
        let good = port();
        let owner = open(with(settings("owner").listen(here(good)))).await;
        let mut owner = join(&owner, Side::Owner).await;
        let (mut foreign, mut addresses) = (JoinSet::new(), here(good).to_vec());
        for each in all() {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            addresses.push(listener.local_addr().unwrap().to_string());
            foreign.spawn(async move {
                let (stream, _) = listener.accept().await.unwrap();
                each.on(stream).await;
            });
        }
        let node = open(with(settings("node").connect(addresses))).await;
        let mut node = join(&node, Side::Node).await;
        assert_eq!(within(millis(8000), owner.up()).await, *node.me());
        node.up().await;
        while let Some(ended) = foreign.join_next().await {
            ended.unwrap();
        }
        talk(&mut owner, &mut node).await;
    }
}
