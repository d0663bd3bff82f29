//! Trees with many children.

use std::time::{Duration, Instant};

use serde_json::json;
use supervise::prelude::*;
use supervise_console::Console;

use crate::client::{Viewer, ask_get, soon, until};
use crate::trees::{Do, Plain, Slow, tree};

const MANY: u32 = 100_000;

/// A page of 100,000 instances, filtered and sorted, comes within a bound; the live stream does not contain them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_instances_are_read_page_by_page() {
    let plain = Plain::start().await.unwrap();
    for number in 0..MANY {
        plain.sessions.spawn(number).await.unwrap();
    }
    let router = Console::new(tree(&plain)).router().unwrap();
    for (query, matching, first) in [
        ("", MANY, "sessions/0"),
        ("&from=99999&count=500", MANY, "sessions/99999"),
        ("&sort=name&from=50000", MANY, "sessions/50000"),
        ("&sort=restarts&state=running", MANY, "sessions/0"),
        ("&sort=waiting", MANY, "sessions/0"),
        ("&name=9999", 19, "sessions/9999"),
    ] {
        let begun = Instant::now();
        let page = ask_get(&router, &format!("/set.json?path=sessions{query}")).await.json();
        assert!(begun.elapsed() < Duration::from_secs(30), "{query}: {:?}", begun.elapsed());
        assert_eq!((&page["total"], &page["matching"]), (&json!(MANY), &json!(matching)), "{query}");
        assert_eq!(page["instances"], json!({ "running": MANY }));
        assert_eq!(page["nodes"][0]["path"], first, "{query}");
        assert!(page["nodes"].as_array().unwrap().len() <= 500);
    }
    let mut viewer = Viewer::of(&router).await;
    let first = viewer.next().await.unwrap();
    assert!(first.data.to_string().len() < 10_000);
    // All of them, for whoever asks for them.
    let begun = Instant::now();
    let everything = ask_get(&router, "/tree.json?extent=everything").await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(everything.body.matches("\"path\":\"sessions/").count(), MANY as usize);
    soon(plain.shutdown()).await;
}

supervisor! {
    struct Wide {
        cells: [Cell; 2000] = |_index| Cell,
    }
}

struct Cell;

#[actor]
impl Cell {
    fn handle(&mut self, _msg: ()) {}
}

/// Samples that take long are taken seldom, so that they cost 3 % of a core at most.
#[tokio::test]
async fn samples_that_take_long_are_seldom() {
    const TAKES: u64 = 40;
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    plain.db.tell(Do::FailWith(Box::new(Slow(Duration::from_millis(TAKES))))).await.unwrap();
    until(async || plain.db.incarnation() == 2).await;
    let mut viewer = Viewer::of(&router).await;
    let mut times = vec![viewer.next().await.unwrap().data["at_ms"].as_u64().unwrap()];
    while times.len() < 4 {
        // Each sample finds something new.
        plain.parts.left.tell(Do::Nothing).await.unwrap();
        let delta = viewer.find(|message| message.kind == "delta" && message.data["nodes"] != json!([])).await;
        times.push(delta.data["at_ms"].as_u64().unwrap());
    }
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= 32 * TAKES, "{times:?}");
    }
}

#[tokio::test]
async fn of_a_wide_tree_only_what_has_changed_is_sent() {
    let wide = Wide::start().await.unwrap();
    let router = Console::new(tree(&wide)).router().unwrap();
    let mut viewer = Viewer::of(&router).await;
    let first = viewer.next().await.unwrap();
    assert_eq!(first.data["root"]["children"].as_array().unwrap().len(), 2000);
    wide.cells[7].tell(()).await.unwrap();
    let delta = viewer.find(|message| message.kind == "delta" && message.data["nodes"] != json!([])).await;
    let changed: Vec<_> = delta.data["nodes"].as_array().unwrap().iter().map(|node| node["path"].clone()).collect();
    assert_eq!(changed, ["cells/7"]);
    soon(wide.shutdown()).await;
}
