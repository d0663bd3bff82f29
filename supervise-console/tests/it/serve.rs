//! The console as a child of the tree that it shows, over real sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::StatusCode;
use http_body_util::BodyExt;
use serde_json::json;
use supervise::inspect::Observe;
use supervise_console::{Address, Serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::client::{Viewer, ask_at, get, get_at, node, post, send, soon, until};
use crate::trees::{ACT, Do, LOOK, Long, Open, Strict};

/// The text of the failure with which a console does not start.
async fn refused(address: &str, setup: impl Fn(Serve) -> Serve + Send + Sync + 'static) -> String {
    let started = soon(Strict::start(address.parse().unwrap(), Arc::new(setup))).await;
    started.map(drop).expect_err("it should not start").to_string()
}

#[tokio::test]
async fn a_child_serves_the_tree_that_it_belongs_to() {
    let open = Open::new(|serve| serve.allow_control(ACT)).await;
    let at = open.address();
    assert!(get_at(at, "/").await.body.contains("<html"));
    assert_eq!(get_at(at, "/info.json").await.json()["name"], "Shop");
    let root = get_at(at, "/tree.json").await.json()["root"].clone();
    assert_eq!(node(&root, "console").unwrap()["state"], "running");
    assert_eq!(get_at(at, "/set.json?path=Shop").await.json()["total"], 3);
    assert_eq!(get_at(at, "/detail.json?path=db").await.json()["node"]["path"], "db");
    let nowhere = get_at(at, "/nowhere").await;
    assert_eq!((nowhere.status, &*nowhere.error()), (StatusCode::NOT_FOUND, "there is no such page here"));

    let mut viewer = Viewer::at(at).await;
    assert_eq!(viewer.next().await.unwrap().kind, "snapshot");
    let restart = json!({ "path": "db", "operation": "restart", "confirm": "db", "by": "alice" });
    assert_eq!(ask_at(at, post(Some(ACT), restart)).await.status, StatusCode::OK);
    assert_eq!(viewer.event("db", "requested").await["by"], "alice");
    viewer.event("db", "restarted").await;
    viewer.node("db", |node| node["incarnation"] == 2).await;
    assert!(open.shop.shutdown().await.is_orderly());
}

#[tokio::test]
async fn off_loopback_it_wants_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let error = refused(address, |serve| serve).await;
        assert!(
            error.contains("can be reached from other machines and has no token; set one with `.token(..)`"),
            "{error}"
        );
        assert!(error.contains(address), "{error}");
    }
    let open = Open::at("0.0.0.0:0", |serve| serve.token(LOOK)).await;
    let at = SocketAddr::from(([127, 0, 0, 1], open.address().port()));
    assert_eq!(get_at(at, "/tree.json").await.status, StatusCode::UNAUTHORIZED);
    let request = get("/tree.json").header("authorization", format!("Bearer {LOOK}")).body(Body::empty()).unwrap();
    assert_eq!(ask_at(at, request).await.status, StatusCode::OK);
    Viewer::with(at, Some(LOOK)).await.next().await.unwrap();
}

#[tokio::test]
async fn an_error_names_the_address_and_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = refused(&address, |serve| serve).await;
    assert!(
        error.contains(&format!(
            "cannot listen at {address}: the address is in use; stop the other server, or use another port"
        )),
        "{error}"
    );
    let error = refused("192.0.2.1:9000", |serve| serve.token(LOOK)).await;
    assert!(error.contains("cannot listen at 192.0.2.1:9000: this machine does not have the address"), "{error}");

    let error = refused("127.0.0.1:0", |serve| serve.token("short")).await;
    assert!(error.contains("the token has 5 characters and needs at least 16"), "{error}");
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_at_the_socket() {
    let open = Open::new(|serve| serve).await;
    let mut request = get("/tree.json").body(Body::empty()).unwrap();
    request.headers_mut().insert("host", "evil.example:9000".parse().unwrap());
    assert_eq!(ask_at(open.address(), request).await.status, StatusCode::FORBIDDEN);
}

/// Streams do not keep the tree from its end, and show it.
#[tokio::test]
async fn it_stops_with_viewers_connected() {
    let open = Open::new(|serve| serve).await;
    let mut viewers = Vec::new();
    for _ in 0..5 {
        let mut viewer = Viewer::at(open.address()).await;
        viewer.next().await.unwrap();
        viewers.push(viewer);
    }
    // A client that reads nothing, one in the middle of its request, and an idle one.
    let _deaf = Viewer::at(open.address()).await;
    let mut half = TcpStream::connect(open.address()).await.unwrap();
    half.write_all(b"GET /tree.json HTTP/1.1\r\nho").await.unwrap();
    let _idle = TcpStream::connect(open.address()).await.unwrap();
    let (tree, begun) = (crate::trees::tree(&open.shop), Instant::now());
    let report = soon(open.shop.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    for viewer in &mut viewers {
        viewer.event("db", "ended").await;
        viewer.node("db", |node| node["state"] == "ended").await;
        let end = viewer.find(|message| message.kind == "end").await;
        assert_eq!(end.data, json!({ "ended": null, "reason": "shutdown" }));
        assert!(viewer.next().await.is_none());
    }
    assert_eq!(tree.observed(), Observe::NOTHING);
}

/// A client that waits finds the restarted console at the same address.
#[tokio::test]
async fn it_binds_again_at_once_after_a_restart() {
    // A free port that is known before.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut open = Open::at(&format!("127.0.0.1:{port}"), |serve| serve).await;
    for round in 2..5 {
        let mut viewer = Viewer::at(open.address()).await;
        viewer.next().await.unwrap();
        open.bound.mark_unchanged();
        match round {
            2 => open.shop.console.restart().map(drop).unwrap(),
            _ => open.shop.console.kill(), // its decider restarts it
        }
        // The stream ends; there is no `end`, since the tree lives.
        while let Some(message) = viewer.next().await {
            assert_ne!(message.kind, "end");
        }
        soon(open.bound.changed()).await.unwrap();
        let mut again = Viewer::at(open.address()).await;
        let first = again.next().await.unwrap();
        assert_eq!(node(&first.data["root"], "console").unwrap()["incarnation"], round);
        until(async || open.shop.observed() == Observe::EVERYTHING).await;
    }
    assert_eq!(open.shop.console.incarnation(), 4);
}

/// The last viewer takes the observation with it, also if it just hangs up.
#[tokio::test]
async fn observation_ends_with_the_last_connection() {
    let open = Open::new(|serve| serve).await;
    assert_eq!(open.shop.observed(), Observe::NOTHING);
    let mut viewer = Viewer::at(open.address()).await;
    viewer.next().await.unwrap();
    assert_eq!(open.shop.observed(), Observe::EVERYTHING);
    drop(viewer);
    until(async || open.shop.observed() == Observe::NOTHING).await;
}

/// Nothing else than HTTP, and clients that never finish, harm nobody.
#[tokio::test]
async fn strange_clients_harm_nobody() {
    let open = Open::new(|serve| serve).await;
    for text in [
        "\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET /tree.json?\u{0} HTTP/1.1\r\n\r\n",
        &"x".repeat(200_000),
    ] {
        let mut stream = TcpStream::connect(open.address()).await.unwrap();
        let _ = stream.write_all(text.as_bytes()).await; // an error: the server has hung up already
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        let _ = soon(stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(open.shop.console.incarnation(), 1);
}

/// There are 256 places. A client that says nothing loses its place after 10 s, so it keeps the others out no longer.
#[tokio::test]
async fn more_clients_than_places_wait_for_their_turn() {
    let open = Open::new(|serve| serve).await;
    let begun = Instant::now();
    let mut silent = Vec::new();
    for _ in 0..257 {
        silent.push(TcpStream::connect(open.address()).await.unwrap());
    }
    assert_eq!(get_at(open.address(), "/info.json").await.status, StatusCode::OK);
    assert!(begun.elapsed() >= Duration::from_secs(9), "it was its turn at once: {:?}", begun.elapsed());
    // The first ones have lost their places.
    let mut rest = Vec::new();
    soon(silent[0].read_to_end(&mut rest)).await.unwrap();
    assert_eq!(open.shop.console.incarnation(), 1);
    assert!(open.shop.shutdown().await.is_orderly());
}

/// A client that reads nothing of its answer loses its place after 30 s, so it keeps the others out no longer.
#[tokio::test]
async fn a_client_that_does_not_read_loses_its_place() {
    let open = Open::new(|serve| serve.max_viewers(1)).await;
    // More text than fits into the buffers of the two sockets.
    for _ in 0..300 {
        open.shop.db.tell(Do::FailWith(Box::new(Long(16 << 10)))).await.unwrap();
    }
    until(async || open.shop.db.incarnation() == 301).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut deaf = socket.connect(open.address()).await.unwrap();
    deaf.write_all(b"GET /events.ndjson?past=4096 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").await.unwrap();
    let mut status = [0; 15];
    soon(deaf.read_exact(&mut status)).await.unwrap();
    assert_eq!(status, *b"HTTP/1.1 200 OK");
    let begun = Instant::now();
    let look = async || {
        let stream = TcpStream::connect(open.address()).await.unwrap();
        soon(send(stream, get("/live").body(Body::empty()).unwrap())).await.unwrap().0
    };
    assert_eq!(look().await, StatusCode::SERVICE_UNAVAILABLE);
    while look().await != StatusCode::OK {
        assert!(begun.elapsed() < Duration::from_secs(60), "it still has its place");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(begun.elapsed() > Duration::from_secs(25), "{:?}", begun.elapsed());
}

#[cfg(unix)]
mod socket {
    use std::collections::BTreeSet;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use tokio::net::UnixStream;

    use super::*;

    /// A path for a socket, removed at the end of the test.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let place = std::env::temp_dir().join(format!("supervise-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&place).unwrap();
            Place(place)
        }

        fn socket(&self) -> PathBuf {
            self.0.join("shop.sock")
        }

        fn address(&self) -> String {
            format!("unix:{}", self.socket().display())
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    async fn status(place: &Place, host: &str) -> StatusCode {
        let stream = UnixStream::connect(place.socket()).await.unwrap();
        let request = axum::http::Request::get("/tree.json").header("host", host).body(Body::empty()).unwrap();
        let (status, _, body) = soon(send(stream, request)).await.unwrap();
        soon(body.collect()).await.unwrap();
        status
    }

    #[tokio::test]
    async fn a_socket_belongs_to_its_user_and_is_removed_at_the_end() {
        let place = Place::new("mode");
        let open = Open::at(&place.address(), |serve| serve).await;
        assert_eq!(open.bound.borrow().as_ref().map(Address::to_string), Some(place.address()));
        let file = std::fs::symlink_metadata(place.socket()).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        // Nobody else can connect, so no name is checked.
        assert_eq!(status(&place, "anything").await, StatusCode::OK);
        // A restart replaces the file.
        let mut bound = open.bound.clone();
        bound.mark_unchanged();
        open.shop.console.restart().unwrap();
        soon(bound.changed()).await.unwrap();
        let file = std::fs::symlink_metadata(place.socket()).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        assert_eq!(status(&place, "anything").await, StatusCode::OK);
        open.shop.shutdown().await;
        assert_eq!(std::fs::read_dir(&place.0).unwrap().count(), 0, "nothing is left behind");
    }

    /// Others find the socket only when it has its mode. Until then it is in a folder that they cannot enter.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_socket_is_closed_to_others_from_the_begin() {
        let place = Place::new("begin");
        let (folder, over) = (place.0.clone(), Arc::new(AtomicBool::new(false)));
        let is_over = over.clone();
        let watcher = std::thread::spawn(move || {
            let mut seen = BTreeSet::new();
            while !is_over.load(Relaxed) {
                let entries = std::fs::read_dir(&folder).unwrap().flatten();
                let files = entries.filter_map(|entry| entry.metadata().ok()); // an error: it is gone
                seen.extend(files.map(|file| (file.is_dir(), format!("{:o}", file.permissions().mode() & 0o777))));
            }
            seen
        });
        for _ in 0..100 {
            let open = Open::at(&place.address(), |serve| serve).await;
            open.shop.shutdown().await;
        }
        over.store(true, Relaxed);
        let seen = watcher.join().unwrap();
        let allowed = [(false, "600".to_owned()), (true, "700".to_owned())];
        assert!(seen.contains(&allowed[0]) && seen.is_subset(&allowed.into()), "{seen:?}");
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced() {
        let place = Place::new("stale");
        drop(std::os::unix::net::UnixListener::bind(place.socket()).unwrap());
        assert!(place.socket().exists(), "as a process that was killed leaves it");
        let open = Open::at(&place.address(), |serve| serve).await;
        assert_eq!(status(&place, "x").await, StatusCode::OK);
        open.shop.shutdown().await;
    }

    #[tokio::test]
    async fn a_living_server_and_other_files_are_left_alone() {
        let place = Place::new("living");
        let open = Open::at(&place.address(), |serve| serve).await;
        let error = refused(&place.address(), |serve| serve).await;
        assert!(error.contains("another server answers at the unix socket"), "{error}");
        assert_eq!(status(&place, "x").await, StatusCode::OK);
        open.shop.shutdown().await;

        std::fs::write(place.socket(), "letters").unwrap();
        let error = refused(&place.address(), |serve| serve).await;
        assert!(error.contains("exists and is not a socket, so it is not replaced"), "{error}");
        assert_eq!(std::fs::read_to_string(place.socket()).unwrap(), "letters");

        let error = refused("unix:/nowhere/at/all/shop.sock", |serve| serve).await;
        assert!(error.contains("cannot listen at unix:/nowhere/at/all/shop.sock: "), "{error}");
    }
}

/// The child starts, serves and stops on several threads, while the tree is busy.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_several_threads_every_viewer_sees_every_event() {
    let open = Open::new(|serve| serve).await;
    let mut viewers = Vec::new();
    for _ in 0..8 {
        let mut viewer = Viewer::at(open.address()).await;
        assert_eq!(viewer.next().await.unwrap().kind, "snapshot");
        viewers.push(tokio::spawn(async move {
            let (mut restarts, mut seq) = (0, None);
            while restarts < 200 {
                let message = viewer.next().await.unwrap();
                match &*message.kind {
                    "event" => restarts += u32::from(message.data["event"] == "restarted"),
                    "delta" => {
                        let next = message.data["seq"].as_u64().unwrap();
                        assert!(seq.is_none_or(|seq| next == seq + 1));
                        seq = Some(next);
                    }
                    other => panic!("{other}"),
                }
            }
        }));
    }
    for _ in 0..100 {
        open.shop.db.tell(Do::Fail).await.unwrap();
        open.shop.cart.tell(Do::Fail).await.unwrap();
        tokio::task::yield_now().await;
    }
    for viewer in viewers {
        soon(viewer).await.unwrap();
    }
    assert!(open.shop.shutdown().await.is_orderly());
}

/// A runtime that is dropped with viewers connected takes everything with it, and waits for none of them.
#[test]
fn a_runtime_may_be_dropped_with_viewers_connected() {
    for threads in [1, 3] {
        let outside = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        for round in 0..5 {
            let inside =
                tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap();
            let open = inside.block_on(Open::new(|serve| serve));
            let at = open.address();
            let mut viewer = outside.block_on(async {
                let mut viewer = Viewer::at(at).await;
                viewer.next().await.unwrap();
                viewer
            });
            for _ in 0..round {
                open.shop.db.try_tell(Do::Fail).unwrap();
            }
            let begun = Instant::now();
            drop(inside);
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
            outside.block_on(async { while viewer.next().await.is_some() {} });
            assert!(outside.block_on(TcpStream::connect(at)).is_err(), "the port is closed");
            assert!(!open.shop.is_alive());
        }
    }
}
