//! Connections that break, and such as take everything and deliver nothing.

use std::sync::Arc;
use std::time::Instant;

use supervise_remote::wire::{LinkEvent, Side};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::common::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Through,
    /// Connections stay, and nothing goes through them.
    Stalled,
    /// Not more than 4 MB a second, without much room on the way.
    Slow,
    /// Connections break, and new ones break at once.
    Cut,
}

/// Stands between two processes.
struct Proxy {
    port: u16,
    mode: Arc<watch::Sender<Mode>>,
}

impl Proxy {
    async fn to(target: u16) -> Proxy {
        let port = port();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(32 << 10).unwrap();
        socket.bind(([127, 0, 0, 1], port).into()).unwrap();
        let listener = socket.listen(100).unwrap();
        let mode = Arc::new(watch::Sender::new(Mode::Through));
        let modes = mode.clone();
        tokio::spawn(async move {
            loop {
                let (near, _) = listener.accept().await.unwrap();
                let modes = modes.clone();
                tokio::spawn(async move {
                    if *modes.borrow() == Mode::Cut {
                        return;
                    }
                    let Ok(far) = TcpStream::connect(("127.0.0.1", target)).await else { return };
                    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                    let mut cut = modes.subscribe();
                    tokio::select! {
                        _ = cut.wait_for(|mode| *mode == Mode::Cut) => {}
                        _ = pump(near_in, far_out, modes.subscribe()) => {}
                        _ = pump(far_in, near_out, modes.subscribe()) => {}
                    }
                });
            }
        });
        Proxy { port, mode }
    }

    fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }
}

async fn pump(
    mut from: impl AsyncReadExt + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    mut mode: watch::Receiver<Mode>,
) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        mode.wait_for(|mode| *mode != Mode::Stalled).await.unwrap();
        let Ok(read @ 1..) = from.read(&mut buffer).await else { return };
        let slow = *mode.wait_for(|mode| *mode != Mode::Stalled).await.unwrap() == Mode::Slow;
        if slow {
            tokio::time::sleep(millis(1 + read as u64 / 4000)).await;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_connection_is_down_and_the_pair_stays_down() {
    let port = port();
    let proxy = Proxy::to(port).await;
    let Two { wires, mut owner, mut node, to_node, to_owner } =
        pair(settings("owner").listen(here(port)), settings("node").connect(here(proxy.port))).await;
    talk(&mut owner, &mut node).await;
    let began = Instant::now();
    proxy.set(Mode::Cut);
    assert_eq!(owner.down().await, to_node);
    assert_eq!(node.down().await, to_owner);
    assert!(began.elapsed() < millis(2000), "seen only after {:?}", began.elapsed());
    proxy.set(Mode::Through);
    // A second link of the same process shows that the connection is back. The first one has no part in it.
    let mut second = join(&wires[1], Side::Node).await;
    assert_eq!(second.up().await, to_owner);
    assert_eq!(owner.up().await, *second.me());
    talk(&mut owner, &mut second).await;
    owner.send(&to_node, "lost");
    node.send(&to_owner, "lost");
    owner.quiet(millis(300)).await;
    node.quiet(millis(1)).await;
    // A node that joins again is back.
    drop(node);
    let mut node = join(&wires[1], Side::Node).await;
    assert_eq!(node.up().await, to_owner);
    assert_eq!(owner.up().await, *node.me());
    talk(&mut owner, &mut node).await;
    talk(&mut owner, &mut second).await;
}

/// The frames that a lost connection takes along are never a hole: those that have arrived are the first that were
/// sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_arrives_before_a_break_is_whole() {
    let port = port();
    let proxy = Proxy::to(port).await;
    let wires = [open(settings("owner").listen(here(port))).await, open(settings("n").connect(here(proxy.port))).await];
    let mut owner = join(&wires[0], Side::Owner).await;
    let mut cut_short = 0;
    for round in 0..8_u64 {
        let mut node = join(&wires[1], Side::Node).await;
        let (to_owner, to_node) = (node.up().await, owner.up().await);
        let (sender, all) = (node.sender.clone(), 60_000_u32);
        let sending = tokio::spawn(async move {
            for n in 0..all {
                sender.send(&to_owner, n.to_le_bytes().to_vec());
                if n % 100 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
        let modes = proxy.mode.clone();
        let cutting = tokio::spawn(async move {
            tokio::time::sleep(millis(5 + 10 * round)).await;
            modes.send_replace(Mode::Cut);
            tokio::time::sleep(millis(3)).await;
            modes.send_replace(Mode::Through);
        });
        let mut next = 0_u32;
        loop {
            match owner.event().await {
                Some(LinkEvent::Frame { from, bytes }) => {
                    assert_eq!((from, &bytes[..]), (to_node.clone(), &next.to_le_bytes()[..]));
                    next += 1;
                }
                Some(LinkEvent::Down(peer)) => break assert_eq!(peer, to_node),
                other => panic!("{other:?}"),
            }
        }
        cut_short += u32::from(next < all);
        node.down().await;
        sending.await.unwrap();
        cutting.await.unwrap();
    }
    assert!(cut_short > 0, "no round was cut while it was sending");
}

/// A peer that reads nothing goes down after its lease, with all that waits for it, and holds up nobody.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_takes_nothing_goes_down_alone() {
    let port = port();
    let proxy = Proxy::to(port).await;
    let lease = millis(1000);
    let owner = open(settings("owner").listen(here(port)).lease(lease)).await;
    let mute = open(settings("mute").connect(here(proxy.port)).lease(lease)).await;
    let other = open(settings("other").connect(here(port))).await;
    let mut owner = join(&owner, Side::Owner).await;
    let mut mute = join(&mute, Side::Node).await;
    let to_mute = owner.up().await;
    mute.up().await;
    let mut other = join(&other, Side::Node).await;
    let to_other = owner.up().await;
    other.up().await;
    proxy.set(Mode::Stalled);
    let began = Instant::now();
    let (mut went_down, mut slowest) = (None, millis(0));
    // 10 s and more than any buffer on the way holds.
    for n in 0..1_000_u32 {
        let asked = Instant::now();
        owner.send(&to_mute, vec![0; 100_000]);
        owner.send(&to_other, n.to_le_bytes());
        assert_eq!(other.frame().await.1, n.to_le_bytes());
        slowest = slowest.max(asked.elapsed());
        tokio::time::sleep(millis(10)).await;
        if went_down.is_none() {
            let event = tokio::time::timeout(millis(0), owner.event()).await;
            if let Ok(event) = event {
                assert!(matches!(event, Some(LinkEvent::Down(peer)) if peer == to_mute));
                went_down = Some(began.elapsed());
            }
        }
    }
    let went_down = went_down.expect("the peer that takes nothing goes down");
    assert!((millis(500)..millis(4000)).contains(&went_down), "down after {went_down:?}");
    assert!(slowest < millis(1000), "another peer waited {slowest:?}");
    mute.down().await;
}

/// The process of a peer lives and takes everything, and its program reads nothing. As long as little waits, that is no matter of
/// the link.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_is_not_polled_goes_down_when_much_waits() {
    let port = port();
    let wires = [
        open(settings("owner").listen(here(port))).await,
        open(settings("hung").connect(here(port))).await,
        open(settings("other").connect(here(port))).await,
    ];
    let mut owner = join(&wires[0], Side::Owner).await;
    let mut hung = join(&wires[1], Side::Node).await;
    let to_hung = owner.up().await;
    hung.up().await;
    let mut other = join(&wires[2], Side::Node).await;
    owner.up().await;
    other.up().await;
    let began = Instant::now();
    while began.elapsed() < millis(11_000) {
        owner.send(&to_hung, "work");
        owner.quiet(millis(200)).await;
    }
    let much = "much ".repeat(200_000);
    let began = Instant::now();
    (0..70).for_each(|_| owner.send(&to_hung, &*much));
    loop {
        owner.send(&to_hung, "work");
        match tokio::time::timeout(millis(200), owner.event()).await {
            Err(_) => assert!(began.elapsed() < LONG),
            Ok(event) => break assert!(matches!(event, Some(LinkEvent::Down(peer)) if peer == to_hung)),
        }
    }
    assert!((millis(9_900)..millis(15_000)).contains(&began.elapsed()), "down after {:?}", began.elapsed());
    assert_eq!(hung.down().await, *owner.me(), "it learns that it is down, and has kept no frames");
    talk(&mut owner, &mut other).await;
}

/// Two processes that lead to each other by several addresses keep one connection, and meet once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_keep_one_connection() {
    let (a, b) = (port(), port());
    let names = |port: u16| [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let Two { mut owner, mut node, wires, .. } =
        pair(settings("owner").listen(here(a)).connect(names(b)), settings("node").listen(here(b)).connect(names(a)))
            .await;
    for _ in 0..5 {
        talk(&mut owner, &mut node).await;
        owner.quiet(millis(200)).await;
        node.quiet(millis(1)).await;
    }
    // A later join meets the other process over the connection that stayed.
    let mut again = join(&wires[1], Side::Node).await;
    assert_eq!(owner.up().await, *again.me());
    assert_eq!(again.up().await, *owner.me());
    talk(&mut owner, &mut again).await;
}

/// The joins of one process meet each other once, whatever else it is connected to, itself included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_joins_of_one_process_meet() {
    let port = port();
    let wire = open(settings("both").listen(here(port)).connect(here(port))).await;
    let (mut owner, mut node) = (join(&wire, Side::Owner).await, join(&wire, Side::Node).await);
    assert_eq!(owner.up().await, *node.me());
    assert_eq!(node.up().await, *owner.me());
    talk(&mut owner, &mut node).await;
    let other = open(settings("other").connect(here(port))).await;
    let mut other = join(&other, Side::Node).await;
    assert_eq!(owner.up().await, *other.me());
    assert_eq!(other.up().await, *owner.me());
    talk(&mut owner, &mut other).await;
    owner.quiet(millis(400)).await;
    node.quiet(millis(1)).await;
    let me = node.me().clone();
    node.close().await;
    assert_eq!(owner.down().await, me);
}

/// A sign of life does not wait behind a large frame: it comes while that frame is under way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_of_life_does_not_wait_behind_a_large_frame() {
    let port = port();
    let proxy = Proxy::to(port).await;
    let Two { mut owner, mut node, .. } =
        pair(settings("owner").listen(here(port)), settings("node").connect(here(proxy.port))).await;
    talk(&mut owner, &mut node).await;
    proxy.set(Mode::Slow);
    let began = Instant::now();
    owner.send(node.me(), vec![7; 12 << 20]);
    node.send(owner.me(), vec![8; 12 << 20]);
    tokio::time::sleep(millis(300)).await;
    owner.sender.send_ahead(node.me(), b"still here".to_vec());
    node.sender.send_ahead(owner.me(), b"me too".to_vec());
    assert_eq!(node.frame().await.1, b"still here");
    assert_eq!(owner.frame().await.1, b"me too");
    let signs = began.elapsed();
    assert_eq!(node.frame().await.1.len(), 12 << 20);
    assert_eq!(owner.frame().await.1.len(), 12 << 20);
    assert!(3 * signs < began.elapsed(), "the signs came after {signs:?}, the frames after {:?}", began.elapsed());
}

/// A frame that takes longer than the lease costs nobody, as long as some of it is taken all the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frame_that_takes_longer_than_the_lease_arrives() {
    let port = port();
    let proxy = Proxy::to(port).await;
    let lease = millis(1000);
    let owner = settings("owner").listen(here(port)).lease(lease);
    let node = settings("node").connect(here(proxy.port)).lease(lease);
    let Two { mut owner, mut node, .. } = pair(owner, node).await;
    proxy.set(Mode::Slow);
    let began = Instant::now();
    owner.send(node.me(), vec![7; 12 << 20]);
    node.send(owner.me(), vec![8; 12 << 20]);
    for (link, byte) in [(&mut node, 7), (&mut owner, 8)] {
        let (_, frame) = link.frame().await;
        assert!(frame.len() == 12 << 20 && frame.iter().all(|of| *of == byte));
    }
    assert!(began.elapsed() > 2 * lease, "not slow: {:?}", began.elapsed());
    talk(&mut owner, &mut node).await;
}
