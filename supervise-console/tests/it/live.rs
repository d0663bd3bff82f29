//! The live streams.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use supervise::inspect::Observe;
use supervise_console::Console;
use tower::ServiceExt;

use crate::client::{Viewer, ask_get, get, node, soon, until};
use crate::trees::{Do, Gate, Plain, tree};

/// A reader of `events.ndjson`.
pub struct Lines {
    body: Body,
    text: String,
}

impl Lines {
    pub async fn of(router: &Router, past: usize) -> Lines {
        let mut request = get(&format!("/events.ndjson?past={past}")).body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo::<SocketAddr>(([127, 0, 0, 1], 5000).into()));
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "application/x-ndjson");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Lines { body: response.into_body(), text: String::new() }
    }

    pub async fn next(&mut self) -> Value {
        soon(async {
            loop {
                if let Some((line, rest)) = self.text.split_once('\n') {
                    let value = (!line.is_empty()).then(|| serde_json::from_str(line).unwrap());
                    self.text = rest.to_owned();
                    match value {
                        Some(value) => return value,
                        None => continue, // a sign of life
                    }
                }
                let more = self.more().await;
                self.text.push_str(&more);
            }
        })
        .await
    }

    /// Returns what comes next, as it is.
    async fn more(&mut self) -> String {
        let data = self.body.frame().await.expect("the stream goes on").unwrap().into_data().unwrap();
        String::from_utf8(data.to_vec()).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_comes_first_and_then_what_changes() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    let first = viewer.next().await.unwrap();
    assert_eq!((first.id, &*first.kind), (1, "snapshot"));
    assert!(first.data["seq"].is_u64() && first.data["at_ms"].is_u64());
    let root = &first.data["root"];
    assert_eq!(node(root, "db").unwrap()["incarnation"], 1);
    assert!(node(root, "parts/right").is_some());

    plain.db.tell(Do::Fail).await.unwrap();
    let mut seq = first.data["seq"].as_u64().unwrap();
    let mut id = first.id;
    let (mut events, mut delta) = (Vec::new(), None);
    while events.len() < 4 || delta.is_none() {
        let message = viewer.next().await.unwrap();
        assert_eq!(message.id, id + 1);
        id = message.id;
        match &*message.kind {
            "event" => events.push(message.data["event"].as_str().unwrap().to_owned()),
            "delta" => {
                assert_eq!(message.data["seq"], seq + 1, "no delta is left out");
                seq += 1;
                let nodes = message.data["nodes"].as_array().unwrap();
                delta = delta.or(nodes.iter().find(|node| node["incarnation"] == 2).cloned());
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(events, ["failed", "decided", "restart_scheduled", "restarted"]);
    let delta = delta.unwrap();
    assert_eq!((&delta["path"], &delta["streak"]), (&json!("db"), &json!(1)));
    assert_eq!(delta["last_failure"]["chain"][0], "the disk is full");
    assert!(delta.get("parent").is_none() && delta.get("children").is_none());
}

#[tokio::test(start_paused = true)]
async fn dead_letters_are_told_although_no_node_shows_them() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    assert_eq!(viewer.next().await.unwrap().data["dead_letters"], 0);
    let session = plain.sessions.spawn(1).await.unwrap();
    session.tell(Do::Sleep(Duration::from_secs(1))).await.unwrap();
    session.tell(Do::Nothing).await.unwrap();
    session.tell(Do::Nothing).await.unwrap();
    session.stop();
    loop {
        let message = viewer.next().await.unwrap();
        if message.kind == "delta" && message.data["dead_letters"] == 3 {
            break;
        }
    }
    let beat = viewer.next().await.unwrap();
    assert_eq!((&beat.data["dead_letters"], &beat.data["nodes"]), (&json!(3), &json!([])));
    assert_eq!(Viewer::of(&router).await.next().await.unwrap().data["dead_letters"], 3);
}

/// Only what has changed is sent, and a sign of life if nothing has.
#[tokio::test(start_paused = true)]
async fn nothing_is_sent_of_what_stays_the_same() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    let before = tokio::time::Instant::now();
    let mut last = None;
    for _ in 0..3 {
        let beat = viewer.next().await.unwrap();
        assert_eq!((&*beat.kind, &beat.data["nodes"], &beat.data["removed"]), ("delta", &json!([]), &json!([])));
        let at = beat.data["at_ms"].as_u64().unwrap();
        assert!(last.is_none_or(|last| at - last == 5000), "{at} after {last:?}");
        last = Some(at);
    }
    assert_eq!(before.elapsed().as_secs(), 15);
    plain.parts.left.tell(Do::Sleep(Duration::from_millis(200))).await.unwrap();
    let delta = viewer.next().await.unwrap();
    let paths: Vec<_> = delta.data["nodes"].as_array().unwrap().iter().map(|node| node["path"].clone()).collect();
    assert_eq!(paths, ["parts/left"]);
    assert_eq!(delta.data["nodes"][0]["messages"]["handled"], 1);
}

/// Twice a second at most, whatever happens.
#[tokio::test(start_paused = true)]
async fn samples_keep_their_pace() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    let db = plain.db.clone();
    let busy = tokio::spawn(async move {
        for _ in 0..1000 {
            db.tell(Do::Sleep(Duration::from_millis(10))).await.unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    let mut times = Vec::new();
    while times.len() < 5 {
        let message = viewer.next().await.unwrap();
        assert_eq!(message.kind, "delta");
        times.push(message.data["at_ms"].as_u64().unwrap());
    }
    for pair in times.windows(2) {
        assert!((500..800).contains(&(pair[1] - pair[0])), "{times:?}");
    }
    busy.abort();
}

/// Nothing is observed unless somebody looks on.
#[tokio::test(start_paused = true)]
async fn the_tree_is_observed_only_while_somebody_looks_on() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    for _ in 0..3 {
        ask_get(&router, "/tree.json").await;
    }
    let _lines = Lines::of(&router, 0).await;
    assert_eq!(plain.observed(), Observe::NOTHING);
    for _ in 0..2 {
        let (mut one, mut two) = (Viewer::of(&router).await, Viewer::of(&router).await);
        one.next().await.unwrap();
        two.next().await.unwrap();
        assert_eq!(plain.observed(), Observe::EVERYTHING);
        drop(one);
        two.next().await.unwrap();
        assert_eq!(plain.observed(), Observe::EVERYTHING);
        drop(two);
        until(async || plain.observed() == Observe::NOTHING).await;
    }
}

/// Messages are counted from the first viewer on.
#[tokio::test(start_paused = true)]
async fn a_later_viewer_sees_the_same() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut one = Viewer::of(&router).await;
    one.next().await.unwrap();
    plain.db.tell(Do::Nothing).await.unwrap();
    let seen = one.node("db", |node| node["messages"]["handled"] == 1).await;
    let mut two = Viewer::of(&router).await;
    let first = two.next().await.unwrap();
    assert_eq!(node(&first.data["root"], "db").unwrap()["messages"], seen["messages"]);
    plain.db.restart().unwrap();
    assert_eq!(one.event("db", "restarted").await, two.event("db", "restarted").await);
}

/// A viewer that reads too slowly is told how much it has missed, gets a new snapshot, and goes on from there.
#[tokio::test(start_paused = true)]
async fn a_slow_viewer_gets_a_gap_and_a_snapshot() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let (mut slow, mut quick) = (Viewer::of(&router).await, Viewer::of(&router).await);
    slow.next().await.unwrap();
    quick.next().await.unwrap();
    let mut happened = 0;
    for number in 0..6000 {
        plain.sessions.spawn(number).await.unwrap();
        if number % 500 == 0 {
            quick.event(&format!("sessions/{number}"), "started").await;
        }
        happened += 1;
    }
    quick.event("sessions/5999", "started").await;
    let mut missed = 0;
    let mut after_gap = Vec::new();
    let mut seen = 0;
    loop {
        let message = slow.next().await.unwrap();
        if missed > 0 && after_gap.is_empty() {
            after_gap.push(message.kind.clone());
        }
        match &*message.kind {
            "gap" => missed += message.data["missed"].as_u64().unwrap(),
            "event" => {
                seen += 1;
                if message.data["path"] == "sessions/5999" {
                    break;
                }
            }
            _ => {}
        }
    }
    assert_eq!(after_gap, ["snapshot"]);
    assert_eq!(missed + seen, happened, "nothing is lost in silence");
    assert!(missed >= 6000 - 4096 - 64, "{missed}");
}

/// The bus of the tree loses events that are not read in time: the viewers are told of the gap.
#[tokio::test(start_paused = true)]
async fn events_that_the_bus_has_lost_are_a_gap() {
    let plain = Plain::start().await.unwrap();
    // Without a driver nothing reads the events: it begins with the first viewer.
    let console = Console::new(tree(&plain));
    for _ in 0..2000 {
        plain.db.restart().unwrap();
        assert!(plain.ready().await);
    }
    let router = console.router().unwrap();
    until(async || ask_get(&router, "/detail.json?path=db").await.json()["events"] != json!([])).await;
    let mut lines = Lines::of(&router, 4096).await;
    let first = lines.next().await;
    assert!(first["missed"].as_u64().unwrap() > 2000, "{first}");
    assert_eq!(lines.next().await["path"], "db");

    let mut viewer = Viewer::of(&router).await;
    assert_eq!(viewer.next().await.unwrap().kind, "snapshot");
}

#[tokio::test(start_paused = true)]
async fn lines_begin_with_past_events() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    plain.db.restart().unwrap();
    until(async || ask_get(&router, "/detail.json?path=db").await.json()["events"].as_array().unwrap().len() == 2)
        .await;
    let mut lines = Lines::of(&router, 1).await;
    assert_eq!(lines.next().await["event"], "restarted");
    plain.db.tell(Do::Fail).await.unwrap();
    assert_eq!(lines.next().await["event"], "failed");
}

/// Proxies close what is silent, so an empty line comes every 5 s in which nothing has happened. The samples of a viewer are
/// not sent here, so they do not count.
#[tokio::test(start_paused = true)]
async fn an_empty_line_is_a_sign_of_life() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    let mut lines = Lines::of(&router, 0).await;
    for _ in 0..3 {
        let begun = tokio::time::Instant::now();
        assert_eq!((soon(lines.more()).await.as_str(), begun.elapsed().as_secs()), ("\n", 5));
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    plain.db.restart().unwrap();
    let begun = tokio::time::Instant::now();
    assert_eq!(lines.next().await["event"], "stopping");
    assert_eq!(lines.next().await["event"], "restarted");
    assert_eq!(begun.elapsed().as_secs(), 0);
    assert_eq!((soon(lines.more()).await.as_str(), begun.elapsed().as_secs()), ("\n", 5));
}

/// An error that panics when it is shown costs its own event, and no other.
#[tokio::test(start_paused = true)]
async fn an_event_that_cannot_be_shown_is_a_gap() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut lines = Lines::of(&router, 0).await;
    plain.db.tell(Do::FailUnspeakably).await.unwrap();
    assert_eq!(lines.next().await, json!({ "missed": 1 }), "failed");
    assert_eq!(lines.next().await, json!({ "missed": 1 }), "decided");
    assert_eq!(lines.next().await["event"], "restart_scheduled");
    assert_eq!(lines.next().await["event"], "restarted");
}

#[tokio::test(start_paused = true)]
async fn the_number_of_viewers_is_bounded() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).max_viewers(2).router().unwrap();
    let one = Viewer::of(&router).await;
    let _two = Lines::of(&router, 0).await;
    let refused = ask_get(&router, "/live").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.error().starts_with("too many viewers"), "{}", refused.body);
    drop(one);
    Viewer::of(&router).await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_tree_is_the_end_of_the_stream() {
    let plain = Plain::start().await.unwrap();
    let tree = tree(&plain);
    let router = Console::new(tree).router().unwrap();
    let (mut one, mut lines) = (Viewer::of(&router).await, Lines::of(&router, 0).await);
    one.next().await.unwrap();
    plain.shutdown().await;
    assert_eq!(one.event("db", "ended").await["ended"]["why"], "stopped");
    let end = one.find(|message| message.kind == "end").await;
    assert_eq!(end.data, json!({ "ended": { "why": "stopped" } }));
    assert!(one.next().await.is_none());
    while lines.next().await["path"] != "Plain" {}
    // Somebody who comes later sees the last state.
    let mut late = Viewer::of(&router).await;
    let last = late.next().await.unwrap();
    assert_eq!((&*last.kind, &last.data["root"]["state"]), ("snapshot", &json!("ended")));
    assert_eq!(late.next().await.unwrap().kind, "end");
    assert!(late.next().await.is_none());
}

/// A server that shuts down gracefully waits for its requests.
#[tokio::test(start_paused = true)]
async fn streams_end_when_the_server_stops() {
    let plain = Plain::start().await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let router = Console::new(tree(&plain)).until(stopped).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    stop.send(()).unwrap();
    while let Some(message) = viewer.next().await {
        assert_eq!(message.kind, "delta", "no `end`: the tree lives");
    }
    assert!(plain.is_alive());
}

/// The last sample may take as long as user code likes; the end of the streams does not wait for it.
#[tokio::test]
async fn streams_end_although_the_last_sample_hangs() {
    let plain = Plain::start().await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let router = Console::new(tree(&plain)).until(stopped).router().unwrap();
    let gate = Gate::default();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    plain.db.tell(Do::FailWith(gate.error())).await.unwrap();
    viewer.event("db", "restarted").await;
    gate.close();
    until(async || gate.inside() == 1).await; // the sampler
    let begun = std::time::Instant::now();
    stop.send(()).unwrap();
    while viewer.next().await.is_some() {}
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// With the last clone of the router the console is gone.
#[tokio::test(start_paused = true)]
async fn a_router_that_is_dropped_ends_its_streams() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    viewer.next().await.unwrap();
    drop(router);
    assert!(viewer.next().await.is_none());
    until(async || plain.observed() == Observe::NOTHING).await;
}

/// A router that is made without a runtime starts with the first request.
#[test]
fn a_router_may_be_made_before_its_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plain = runtime.block_on(Plain::start()).unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    runtime.block_on(async {
        let mut viewer = Viewer::of(&router).await;
        assert_eq!(viewer.next().await.unwrap().kind, "snapshot");
        plain.db.restart().unwrap();
        viewer.event("db", "restarted").await;
    });
}
