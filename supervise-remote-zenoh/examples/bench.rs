//! Frames a second one way, and the time of a round trip beside that of a bare query of zenoh: an owner, and a node in a
//! process of its own. `cargo run --release --example bench`.

use std::future::poll_fn;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use supervise_remote::wire::{Link, LinkEvent, Peer, Side, Wire};
use supervise_remote_zenoh::{Settings, Zenoh};

const FRAMES: u32 = 1_000_000;
const ROUNDS: u32 = 10_000;

async fn event(link: &mut dyn Link) -> LinkEvent {
    poll_fn(|cx| link.poll_event(cx)).await.expect("the link is joined")
}

/// The next frame, or nothing when the peer is down.
async fn frame(link: &mut dyn Link) -> Option<(Peer, Vec<u8>)> {
    loop {
        match event(link).await {
            LinkEvent::Frame { from, bytes } => return Some((from, bytes)),
            LinkEvent::Down(_) => return None,
            LinkEvent::Up(..) => {}
        }
    }
}

fn bare(connect: bool, port: u16) -> zenoh::Config {
    let mut config = zenoh::Config::default();
    let mut set = |key: &str, value: &str| config.insert_json5(key, value).expect("a setting of zenoh");
    let endpoint = format!("[\"tcp/127.0.0.1:{port}\"]");
    set("scouting/multicast/enabled", "false");
    set("listen/endpoints", if connect { "[]" } else { &endpoint });
    set("connect/endpoints", if connect { &endpoint } else { "[]" });
    config
}

/// Sends back what begins with a 1, and counts the rest until a frame that begins with a 2.
async fn node(port: u16) {
    let bare = zenoh::open(bare(true, port + 1)).await.expect("a session");
    let _query = bare
        .declare_queryable("bare")
        .callback(|query| {
            use zenoh::Wait as _;
            let payload = query.payload().map(|payload| payload.to_bytes().into_owned()).unwrap_or_default();
            query.reply(query.key_expr().clone(), payload).wait().expect("a reply");
        })
        .await
        .expect("a queryable");
    let wire = Zenoh::open(Settings::new("node").connect([format!("127.0.0.1:{port}")])).await.expect("a network");
    let mut link = wire.join(Side::Node).await.expect("a join");
    let mut counted = 0_u32;
    while let Some((from, bytes)) = frame(&mut *link).await {
        match bytes.first() {
            Some(1) => link.outgoing().send(&from, bytes),
            Some(2) => link.outgoing().send(&from, std::mem::take(&mut counted).to_le_bytes().to_vec()),
            _ => counted += 1,
        }
    }
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("p50 {:?}, p99 {:?}", times[times.len() / 2], times[times.len() * 99 / 100])
}

struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    if let Some(port) = std::env::args().nth(1) {
        return node(port.parse().expect("a port")).await;
    }
    let port = 10_000 + (std::process::id() % 10_000) as u16 * 2;
    let bare = zenoh::open(bare(false, port + 1)).await.expect("a session");
    let wire = Zenoh::open(Settings::new("owner").listen([format!("127.0.0.1:{port}")])).await.expect("a network");
    let mut link = wire.join(Side::Owner).await.expect("a join");
    let program = std::env::current_exe().expect("this program");
    let _node = Node(Command::new(program).arg(port.to_string()).spawn().expect("a process"));
    let LinkEvent::Up(to, _) = event(&mut *link).await else { panic!("a node comes up first") };
    let sender = link.outgoing();

    for round in 1..=3 {
        for (length, all) in [(16, FRAMES), (256, FRAMES), (4096, FRAMES / 10)] {
            let began = Instant::now();
            for n in 0..all {
                sender.send(&to, vec![0; length]);
                // No more than a few thousand are under way, as with the windows of a tree.
                if n % 8192 == 8191 {
                    sender.send(&to, vec![1]);
                    if n > 16_384 {
                        frame(&mut *link).await.expect("the node is up");
                    }
                }
            }
            sender.send(&to, vec![2]);
            let counted = loop {
                let (_, bytes) = frame(&mut *link).await.expect("the node is up");
                if let Ok(counted) = bytes.try_into() {
                    break u32::from_le_bytes(counted);
                }
            };
            assert_eq!(counted, all);
            let took = began.elapsed();
            println!(
                "round {round}: {all} frames of {length} bytes: {:.0} a second",
                f64::from(all) / took.as_secs_f64()
            );
        }
        let mut ours = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            sender.send(&to, vec![1; 16]);
            frame(&mut *link).await.expect("the node is up");
            ours.push(began.elapsed());
        }
        let mut theirs = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let replies = bare.get("bare").payload(vec![1; 16]).await.expect("a query");
            replies.recv_async().await.expect("a reply");
            theirs.push(began.elapsed());
        }
        println!("round {round}: a round trip {}; a bare query {}", percentiles(ours), percentiles(theirs));
    }
    wire.close().await;
}
