use std::future::poll_fn;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::task::Poll;
use std::time::Duration;

use supervise_remote::wire::{Link, LinkEvent, Outgoing, Peer, Rights, Side, Wire};
use supervise_remote_zenoh::{Settings, Zenoh};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::time::timeout;

/// Longer than anything takes, on a busy machine too.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A port that nobody listens on: below those that the system gives to connections.
pub(crate) fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let n = u32::from(NEXT.fetch_add(1, Ordering::Relaxed)) + std::process::id() * 61;
        let port = 10_000 + (n % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

pub(crate) fn here(port: u16) -> [String; 1] {
    [format!("127.0.0.1:{port}")]
}

/// A lease that is not reached on a busy machine, unless a test says so.
pub(crate) fn settings(name: &str) -> Settings {
    Settings::new(name).lease(LONG)
}

pub(crate) async fn open(settings: Settings) -> Zenoh {
    Zenoh::open(settings).await.unwrap()
}

/// A link that has joined.
pub(crate) struct Joined {
    link: Box<dyn Link>,
    pub(crate) sender: Arc<dyn Outgoing>,
}

pub(crate) async fn join(wire: &Zenoh, side: Side) -> Joined {
    let link = wire.join(side).await.unwrap();
    let sender = link.outgoing();
    Joined { link, sender }
}

impl Joined {
    pub(crate) fn me(&self) -> &Peer {
        self.link.me()
    }

    pub(crate) async fn event(&mut self) -> Option<LinkEvent> {
        timeout(LONG, poll_fn(|cx| self.link.poll_event(cx))).await.expect("an event")
    }

    pub(crate) fn poll(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Option<LinkEvent>> {
        self.link.poll_event(cx)
    }

    /// The next event, if there is one at present.
    pub(crate) async fn arrived(&mut self) -> Option<LinkEvent> {
        poll_fn(|cx| match self.link.poll_event(cx) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    pub(crate) async fn up(&mut self) -> Peer {
        match self.event().await {
            Some(LinkEvent::Up(peer, _)) => peer,
            other => panic!("{other:?} in place of an up"),
        }
    }

    /// The next peer, with what it may be.
    pub(crate) async fn up_with_rights(&mut self) -> (Peer, Rights) {
        match self.event().await {
            Some(LinkEvent::Up(peer, rights)) => (peer, rights),
            other => panic!("{other:?} in place of an up"),
        }
    }

    pub(crate) async fn down(&mut self) -> Peer {
        match self.event().await {
            Some(LinkEvent::Down(peer)) => peer,
            other => panic!("{other:?} in place of a down"),
        }
    }

    pub(crate) async fn frame(&mut self) -> (Peer, Vec<u8>) {
        match self.event().await {
            Some(LinkEvent::Frame { from, bytes }) => (from, bytes),
            other => panic!("{other:?} in place of a frame"),
        }
    }

    /// Nothing happens for this long.
    pub(crate) async fn quiet(&mut self, time: Duration) {
        let event = timeout(time, poll_fn(|cx| self.link.poll_event(cx))).await;
        assert!(event.is_err(), "{event:?}");
    }

    /// Leaves, and waits.
    pub(crate) async fn close(self) {
        self.link.close().await;
    }

    pub(crate) fn send(&self, to: &Peer, bytes: impl Into<Vec<u8>>) {
        self.sender.send(to, bytes.into());
    }
}

/// An owner that listens, a node that has connected to it, and what each of them calls the other one.
pub(crate) struct Two {
    pub(crate) wires: [Zenoh; 2],
    pub(crate) owner: Joined,
    pub(crate) node: Joined,
    pub(crate) to_node: Peer,
    pub(crate) to_owner: Peer,
}

pub(crate) async fn two() -> Two {
    let port = port();
    pair(settings("owner").listen(here(port)), settings("node").connect(here(port))).await
}

pub(crate) async fn pair(owner: Settings, node: Settings) -> Two {
    let wires = [open(owner).await, open(node).await];
    let mut owner = join(&wires[0], Side::Owner).await;
    let mut node = join(&wires[1], Side::Node).await;
    let (to_node, to_owner) = (owner.up().await, node.up().await);
    assert_eq!((&to_node, &to_owner), (node.me(), owner.me()));
    Two { wires, owner, node, to_node, to_owner }
}

/// Both sides can send.
pub(crate) async fn talk(mut a: &mut Joined, mut b: &mut Joined) {
    for text in ["there", "back"] {
        a.send(b.me(), text);
        assert_eq!(b.frame().await, (a.me().clone(), text.as_bytes().to_vec()));
        std::mem::swap(&mut a, &mut b);
    }
}

pub(crate) async fn within<T>(most: Duration, future: impl Future<Output = T>) -> T {
    timeout(most, future).await.unwrap_or_else(|_| panic!("not done within {most:?}"))
}

/// Greets as a process that nobody knows. Returns whether the connection stays.
pub(crate) async fn greet(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> std::io::Result<bool> {
    // Greater than the id of the other process, which decides.
    let me = u128::MAX - u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
    stream.write_all(&[&b"supervis\x01"[..], &me.to_be_bytes()].concat()).await?;
    stream.flush().await?;
    let mut theirs = [0; 25];
    stream.read_exact(&mut theirs).await?;
    assert_eq!(theirs[..9], *b"supervis\x01");
    stream.write_all(&[0]).await?;
    stream.flush().await?;
    Ok(stream.read_u64().await? != 0)
}

static NEXT: AtomicU16 = AtomicU16::new(0);

/// A session of zenoh over a connection of its own, which greets as a process does.
pub(crate) async fn raw_session(mut stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> zenoh::Session {
    assert!(greet(&mut stream).await.unwrap());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut near, _) = listener.accept().await.unwrap();
        drop(copy_bidirectional(&mut near, &mut stream).await);
    });
    let mut config = zenoh::Config::default();
    let mut set = |key: &str, value: &str| config.insert_json5(key, value).unwrap();
    set("connect/endpoints", &format!("[\"tcp/127.0.0.1:{port}\"]"));
    set("listen/endpoints", "[]");
    set("scouting/multicast/enabled", "false");
    zenoh::open(config).await.unwrap()
}
