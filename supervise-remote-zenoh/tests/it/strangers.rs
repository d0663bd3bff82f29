//! Sessions of zenoh that send what no peer would.

use std::sync::mpsc;

use supervise_remote::wire::{Peer, Side};
use supervise_remote_zenoh::Zenoh;
use tokio::net::TcpStream;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::qos::CongestionControl;

use crate::common::*;

struct Stranger {
    session: zenoh::Session,
    _batches: Subscriber<()>,
    token: Option<LivelinessToken>,
    got: mpsc::Receiver<Vec<u8>>,
}

/// A session of zenoh that greets as a process does, and then says what it likes.
async fn session(port: u16) -> zenoh::Session {
    raw_session(TcpStream::connect(("127.0.0.1", port)).await.unwrap()).await
}

fn evil() -> Peer {
    Peer::new("evil#0")
}

impl Stranger {
    async fn open(port: u16) -> Stranger {
        let session = session(port).await;
        let (sender, got) = mpsc::channel();
        let batches = session
            .declare_subscriber("supervise/default/to/evil/0/from/owner/*/*")
            .callback(move |sample| drop(sender.send(sample.payload().to_bytes().into_owned())))
            .await
            .unwrap();
        let token = session.liveliness().declare_token("supervise/default/live/node/evil/0").await.unwrap();
        Stranger { session, _batches: batches, token: Some(token), got }
    }

    async fn put(&self, to: &Peer, bytes: &[u8]) {
        let to = to.to_string().replace('#', "/");
        let key = format!("supervise/default/to/{to}/from/node/evil/0");
        self.session.put(key, bytes).congestion_control(CongestionControl::Block).await.unwrap();
    }

    /// The reason that it was told.
    fn told(&self) -> String {
        let batch = self.got.recv_timeout(LONG).unwrap();
        assert_eq!(batch[..2], [1, 1], "another kind of batch");
        String::from_utf8(batch[10..].to_vec()).unwrap()
    }
}

/// An owner with a node, and a stranger that is up.
async fn three() -> (Zenoh, Zenoh, Joined, Joined, Stranger) {
    let port = port();
    let (a, b) = (open(settings("owner").listen(here(port))).await, open(settings("b").connect(here(port))).await);
    let (mut owner, mut node) = (join(&a, Side::Owner).await, join(&b, Side::Node).await);
    owner.up().await;
    node.up().await;
    let stranger = Stranger::open(port).await;
    assert_eq!(owner.up().await, evil());
    (a, b, owner, node, stranger)
}

fn batch(number: u64, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u32;
    [&[1, 0][..], &number.to_le_bytes(), &length.to_le_bytes(), bytes].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_batch_ends_this_link_and_nothing_else() {
    let (_a, _b, mut owner, mut node, stranger) = three().await;
    stranger.put(owner.me(), &batch(0, b"good")).await;
    assert_eq!(owner.frame().await, (evil(), b"good".to_vec()));
    stranger.put(owner.me(), &[1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1]).await;
    stranger.put(owner.me(), &batch(1, b"behind")).await;
    assert_eq!(owner.down().await, evil());
    assert_eq!(stranger.told(), "it sent a batch that is cut off");
    talk(&mut owner, &mut node).await;
    owner.quiet(millis(50)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_batch_ends_this_link_and_nothing_else() {
    let (_a, _b, mut owner, mut node, stranger) = three().await;
    stranger.put(owner.me(), &batch(0, b"0")).await;
    stranger.put(owner.me(), &batch(2, b"2")).await;
    assert_eq!(owner.frame().await.1, b"0");
    assert_eq!(owner.down().await, evil());
    assert_eq!(stranger.told(), "batch 2 came in place of 1");
    talk(&mut owner, &mut node).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_leaves_is_answered_before_its_token_is_gone() {
    let (_a, _b, mut owner, _node, mut stranger) = three().await;
    let end = [&[1, 1][..], &0_u64.to_le_bytes(), b"it left"].concat();
    stranger.put(owner.me(), &end).await;
    assert_eq!(owner.down().await, evil());
    assert_eq!(stranger.told(), "it left");
    drop(stranger.token.take());
    owner.quiet(millis(50)).await;
}

/// Frames that were sent have come to a peer when it has answered the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_closes_waits_for_the_answer() {
    let (wire, _b, owner, _node, stranger) = three().await;
    let me = owner.me().clone();
    let closing = tokio::spawn(async move { wire.close().await });
    assert_eq!(stranger.told(), "it left");
    tokio::time::sleep(millis(300)).await;
    assert!(!closing.is_finished(), "closed without the answer");
    stranger.put(&me, &[&[1, 1][..], &0_u64.to_le_bytes(), b"it left"].concat()).await;
    within(LONG / 2, closing).await.unwrap();
    drop(owner);
}

/// A message of zenoh that is longer than any batch is not put together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_above_the_limit_is_not_kept() {
    let (_a, _b, mut owner, mut node, stranger) = three().await;
    stranger.put(owner.me(), &batch(0, &[7; 20 << 20])).await;
    // Lost, so the next one is a gap.
    stranger.put(owner.me(), &batch(1, b"1")).await;
    assert_eq!(owner.down().await, evil());
    assert_eq!(stranger.told(), "batch 1 came in place of 0");
    talk(&mut owner, &mut node).await;
}

/// A peer that is up and takes no batches is no peer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_cannot_be_reached_is_down_after_a_lease() {
    let port = port();
    let lease = millis(400);
    let wire = open(settings("owner").listen(here(port)).lease(lease)).await;
    let mut owner = join(&wire, Side::Owner).await;
    let session = session(port).await;
    let _token = session.liveliness().declare_token("supervise/default/live/node/evil/0").await.unwrap();
    assert_eq!(owner.up().await, evil());
    let began = std::time::Instant::now();
    owner.send(&evil(), "lost");
    assert_eq!(owner.down().await, evil());
    assert!((lease / 2..10 * lease).contains(&began.elapsed()), "down after {:?}", began.elapsed());
}

/// Nothing that a session says under any key does harm: batches without a token, tokens of odd names, its own side.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_that_no_peer_uses_are_nothing() {
    let port = port();
    let (a, b) = (open(settings("owner").listen(here(port))).await, open(settings("b").connect(here(port))).await);
    let (mut owner, mut node) = (join(&a, Side::Owner).await, join(&b, Side::Node).await);
    owner.up().await;
    node.up().await;
    let session = session(port).await;
    let me = owner.me().to_string().replace('#', "/");
    let mut tokens = Vec::new();
    for key in ["live/node/short", "live/node/too/long/1", "live/owner/evil/0", "live/else/evil/0", "to/x/y"] {
        tokens.push(session.liveliness().declare_token(format!("supervise/default/{key}")).await.unwrap());
    }
    for key in ["from/node/evil/0", "from/owner/evil/0", "from/node/evil", "from/node/a/b/c", "x"] {
        session.put(format!("supervise/default/to/{me}/{key}"), batch(0, b"x")).await.unwrap();
    }
    owner.quiet(millis(200)).await;
    talk(&mut owner, &mut node).await;
}

/// A name that no process can have is nobody's: it would stand in logs, in events and in the name of a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_whose_name_no_process_can_have_is_nobody() {
    let port = port();
    let (a, b) = (open(settings("owner").listen(here(port))).await, open(settings("b").connect(here(port))).await);
    let (mut owner, mut node) = (join(&a, Side::Owner).await, join(&b, Side::Node).await);
    owner.up().await;
    node.up().await;
    let session = session(port).await;
    let me = owner.me().to_string().replace('#', "/");
    let long = "x".repeat(50_000);
    let mut tokens = Vec::new();
    for name in [
        "nul\0/0",
        "line\nbreak/0",
        "\u{1b}[2J/0",
        "ü/0",
        "a b/0",
        "good/nul\0",
        &format!("{long}/0"),
        &format!("good/{long}"),
    ] {
        tokens.push(session.liveliness().declare_token(format!("supervise/default/live/node/{name}")).await.unwrap());
        session.put(format!("supervise/default/to/{me}/from/node/{name}"), batch(0, b"x")).await.unwrap();
    }
    owner.quiet(millis(300)).await;
    tokens.push(session.liveliness().declare_token("supervise/default/live/node/evil/0").await.unwrap());
    assert_eq!(owner.up().await, evil());
    talk(&mut owner, &mut node).await;
}
