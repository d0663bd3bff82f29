//! Each route, without a socket.

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use serde_json::json;
use supervise::inspect::Inspect as _;
use supervise_console::Console;

use crate::client::{Answer, ask, ask_get, get, node, soon, until};
use crate::trees::{ACT, Do, Gate, Jobs, LOOK, Long, Plain, tree};

#[tokio::test]
async fn the_page_contains_nothing_of_the_tree_and_allows_only_itself() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).token(LOOK).router().unwrap();
    let page = ask_get(&router, "/").await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    assert!(!page.body.contains("Plain"), "the name of the tree is behind the token");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.headers[name], value, "{name}");
    }
    assert!(!page.headers.contains_key("access-control-allow-origin"));
}

/// The same headers, whatever the answer.
#[tokio::test]
async fn every_answer_has_the_headers_that_guard_it() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    for path in [
        "/info.json",
        "/tree.json",
        "/set.json?path=sessions",
        "/detail.json?path=db",
        "/set.json",
        "/tree.json?path=x",
    ] {
        let answer = ask_get(&router, path).await;
        assert_eq!(answer.headers["cache-control"], "no-store", "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        assert!(answer.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    }
}

#[tokio::test]
async fn info_says_which_tokens_there_are() {
    let plain = Plain::start().await.unwrap();
    let info = async |console: Console| ask_get(&console.router().unwrap(), "/info.json").await.json();
    let console = || Console::new(tree(&plain));
    let expected = |look: &str, control: bool| json!({ "name": "Plain", "look": look, "control": control, "version": env!("CARGO_PKG_VERSION"), "protocol": 1 });
    assert_eq!(info(console()).await, expected("open", false));
    assert_eq!(info(console().token(LOOK)).await, expected("token", false));
    assert_eq!(info(console().allow_control(ACT)).await, expected("open", true));
}

#[tokio::test]
async fn the_tree_is_that_of_a_snapshot() {
    let plain = Plain::start().await.unwrap();
    plain.sessions.spawn(7).await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    for (query, path, extent) in [
        ("", "Plain", supervise::inspect::Extent::Declared),
        ("?path=&extent=declared", "Plain", supervise::inspect::Extent::Declared),
        ("?extent=everything", "Plain", supervise::inspect::Extent::Everything),
        ("?path=parts", "parts", supervise::inspect::Extent::Declared),
        ("?path=sessions%2F7", "sessions/7", supervise::inspect::Extent::Declared),
    ] {
        let mut shown = ask_get(&router, &format!("/tree.json{query}")).await.json();
        let mut snapshot = serde_json::to_value(plain.snapshot_of(path, extent).unwrap()).unwrap();
        assert!(shown["at_ms"].is_u64());
        shown["at_ms"] = 0.into();
        snapshot["at_ms"] = 0.into();
        assert_eq!(shown, snapshot, "{query}");
    }
    let missing = ask_get(&router, "/tree.json?path=cellar").await;
    assert_eq!(
        (missing.status, &*missing.error()),
        (StatusCode::NOT_FOUND, "no node has the path \"cellar\" now; tree.json lists the paths")
    );
}

#[tokio::test]
async fn a_wrong_query_says_what_is_wrong() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    for (path, error) in [
        ("/tree.json?extent=all", "`extent` is `declared` or `everything`, not \"all\""),
        ("/tree.json?token=1234", "there is no parameter \"token\"; there are path, extent"),
        ("/set.json", "which node? give its path, as `?path=..`"),
        ("/set.json?path=sessions&count=501", "`count` is at most 500; read a large set page by page"),
        ("/detail.json", "which node? give its path, as `?path=..`"),
        ("/events.ndjson?past=all", "`past` is a number, not \"all\""),
        ("/live?past=1", "this address takes no parameters"),
        ("/info.json?x", "this address takes no parameters"),
    ] {
        let answer = ask_get(&router, path).await;
        assert_eq!((answer.status, &*answer.error()), (StatusCode::BAD_REQUEST, error), "{path}");
    }
}

#[tokio::test]
async fn the_detail_of_a_child_has_its_declaration_and_its_events() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    plain.db.tell(Do::Fail).await.unwrap();
    plain.parts.left.restart().unwrap();
    let detail = async || ask_get(&router, "/detail.json?path=db").await.json();
    until(async || detail().await["events"].as_array().unwrap().len() >= 4).await;
    let detail = detail().await;
    assert_eq!(detail["node"]["path"], "db");
    assert!(detail["node"].get("children").is_none());
    assert_eq!(detail["node"]["last_failure"]["chain"][0], "the disk is full");
    let spec = &detail["spec"];
    assert_eq!(
        (&spec["item"], &spec["doc"], &spec["shape"]),
        (&json!("Worker"), &json!("Keeps everything."), &json!("one"))
    );
    assert_eq!((&spec["shutdown"], &spec["hooks"]), (&json!("2s"), &json!([])));
    assert_eq!(spec["settings"], json!(["lifecycle(Permanent, shutdown = 2s)"]));
    assert!(spec["declared_at"].as_str().unwrap().contains("trees.rs:"));
    let events: Vec<_> = detail["events"].as_array().unwrap().iter().map(|event| event["event"].clone()).collect();
    assert_eq!(events, ["failed", "decided", "restart_scheduled", "restarted"]);
    assert!(detail["events"].as_array().unwrap().iter().all(|event| event["path"] == "db"));

    let of = async |path: &str| ask_get(&router, &format!("/detail.json?path={path}")).await.json()["spec"].clone();
    assert_eq!(
        (of("shards/1").await["shape"].clone(), of("shards/1").await["count"].clone()),
        (json!("array"), json!(2))
    );
    assert_eq!(
        (of("sessions").await["shape"].clone(), of("sessions").await["key"].clone()),
        (json!("keyed"), json!("u32"))
    );
    let own = of("Plain").await;
    assert_eq!((&own["item"], &own["doc"]), (&json!("Plain"), &json!("A tree without a console of its own.")));
    assert_eq!(ask_get(&router, "/detail.json?path=cellar").await.status, StatusCode::NOT_FOUND);
}

/// The events of a large set would otherwise be all that is left.
#[tokio::test]
async fn the_events_of_a_declared_child_outlast_those_of_a_set() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    plain.db.tell(Do::Fail).await.unwrap();
    let events = async |path: &str| {
        let detail = ask_get(&router, &format!("/detail.json?path={path}")).await;
        detail.json()["events"].as_array().unwrap().len()
    };
    until(async || events("db").await >= 4).await;
    for number in 0..5000 {
        plain.sessions.spawn(number).await.unwrap();
    }
    until(async || events("sessions/4999").await == 1).await;
    assert_eq!(events("sessions/0").await, 0, "it is too long ago");
    assert_eq!(events("db").await, 4);
}

/// An error may contain megabytes; the others are kept all the same.
#[tokio::test]
async fn a_huge_error_leaves_the_events_before_it() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    plain.parts.left.restart().unwrap();
    plain.db.tell(Do::FailWith(Box::new(Long(20 << 20)))).await.unwrap();
    let events = async |path: &str| {
        let detail = ask_get(&router, &format!("/detail.json?path={path}")).await.json();
        detail["events"].as_array().unwrap().iter().map(|event| event["event"].clone()).collect::<Vec<_>>()
    };
    until(async || events("db").await.len() >= 4).await;
    assert_eq!(events("db").await, ["failed", "decided", "restart_scheduled", "restarted"]);
    assert_eq!(events("parts/left").await, ["stopping", "restarted"]);
    let mut lines = crate::live::Lines::of(&router, 100).await;
    assert_eq!(lines.next().await["event"], "stopping");
    let detail = ask_get(&router, "/detail.json?path=db").await;
    assert!(detail.body.len() < 100_000, "{}", detail.body.len());
}

/// The routes that walk through the tree do so two at a time, also if the clients hang up meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walks_are_bounded() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let gate = Gate::default();
    plain.db.tell(Do::FailWith(gate.error())).await.unwrap();
    until(async || {
        let detail = ask_get(&router, "/detail.json?path=db").await;
        detail.json()["events"].as_array().unwrap().len() >= 4
    })
    .await;
    gate.close();
    let ask_all = || -> Vec<_> {
        let paths = ["/tree.json", "/tree.json?extent=everything", "/set.json?path=Plain", "/detail.json?path=db"];
        let ask = |path: &'static str| {
            let router = router.clone();
            tokio::spawn(async move { ask_get(&router, path).await.status })
        };
        paths.into_iter().cycle().take(12).map(ask).collect()
    };
    let gone = ask_all();
    until(async || gate.inside() >= 2).await;
    for asked in gone {
        asked.abort();
        assert!(asked.await.unwrap_err().is_cancelled());
    }
    let asked = ask_all();
    for _ in 0..20 {
        assert_eq!(ask_get(&router, "/info.json").await.status, StatusCode::OK, "what takes no walk does not wait");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(gate.inside(), 2);
    gate.open();
    for asked in asked {
        assert_eq!(soon(asked).await.unwrap(), StatusCode::OK);
    }
    assert_eq!(gate.most(), 2);
}

#[tokio::test]
async fn a_page_of_a_set_is_filtered_and_sorted() {
    let plain = Plain::start().await.unwrap();
    for number in 0..20 {
        plain.sessions.spawn(number).await.unwrap();
    }
    let worst = plain.sessions.get(&13).unwrap();
    worst.tell(Do::Fail).await.unwrap();
    soon(worst.ask(Do::Greet)).await.unwrap();
    let router = Console::new(tree(&plain)).router().unwrap();
    let page = ask_get(&router, "/set.json?path=sessions&sort=restarts&count=2&from=0&state=running").await.json();
    assert_eq!((&page["path"], &page["from"]), (&json!("sessions"), &json!(0)));
    assert_eq!((&page["total"], &page["matching"]), (&json!(20), &json!(20)));
    assert_eq!(page["instances"], json!({ "running": 20 }));
    let paths = |page: &serde_json::Value| -> Vec<String> {
        page["nodes"].as_array().unwrap().iter().map(|node| node["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths(&page), ["sessions/13", "sessions/0"]);
    assert_eq!(page["nodes"][0]["incarnation"], 2);
    let page = ask_get(&router, "/set.json?path=sessions&name=1&sort=name&from=9").await.json();
    assert_eq!((&page["from"], &page["matching"]), (&json!(9), &json!(11)));
    assert_eq!(paths(&page), ["sessions/18", "sessions/19"]);
    let page = ask_get(&router, "/set.json?path=sessions&state=backing_off,ended").await.json();
    assert_eq!((&page["total"], &page["matching"]), (&json!(20), &json!(0)));
    for path in ["cellar", "db"] {
        let answer = ask_get(&router, &format!("/set.json?path={path}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

/// An error that panics when it is shown does not hide the child that it came from.
#[tokio::test]
async fn an_error_that_cannot_be_shown_is_left_out() {
    let plain = Plain::start().await.unwrap();
    let session = plain.sessions.spawn(1).await.unwrap();
    for failing in [&plain.db, &session] {
        failing.tell(Do::FailUnspeakably).await.unwrap();
        soon(failing.ask(Do::Greet)).await.unwrap();
    }
    let router = Console::new(tree(&plain)).router().unwrap();
    let root = ask_get(&router, "/tree.json?extent=everything").await.json()["root"].clone();
    for path in ["db", "sessions/1"] {
        let shown = node(&root, path).unwrap_or_else(|| panic!("{path} is missing"));
        assert_eq!((&shown["state"], &shown["incarnation"]), (&json!("running"), &json!(2)), "{path}");
        assert!(shown.get("last_failure").is_none());
    }
    let page = ask_get(&router, "/set.json?path=sessions").await.json();
    assert_eq!(page["nodes"][0]["incarnation"], 2);
}

/// A set shows the instances that it has lost by a failure; one whose error panics when it is shown hides no other.
#[tokio::test]
async fn a_set_shows_the_instances_that_have_ended_by_a_failure() {
    let jobs = Jobs::start().await.unwrap();
    let router = Console::new(tree(&jobs)).router().unwrap();
    for (number, order) in [(1, Do::Fail), (2, Do::FailUnspeakably), (3, Do::Fail)] {
        let job = jobs.jobs.spawn(number).await.unwrap();
        job.tell(order).await.unwrap();
        soon(job.terminated()).await.unwrap();
    }
    let root = ask_get(&router, "/tree.json").await.json()["root"].clone();
    let detail = ask_get(&router, "/detail.json?path=jobs").await.json();
    for shown in [node(&root, "jobs").unwrap(), &detail["node"]] {
        let failed = shown["failed_instances"].as_array().unwrap();
        let names: Vec<_> = failed.iter().map(|gone| gone["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["1", "3"]);
        assert_eq!(
            (&failed[1]["path"], &failed[1]["failure"]["chain"][0]),
            (&json!("jobs/3"), &json!("the disk is full"))
        );
    }
    assert!(node(&root, "db").unwrap().get("failed_instances").is_none());
    jobs.jobs.spawn(1).await.unwrap();
    let root = ask_get(&router, "/tree.json").await.json()["root"].clone();
    assert_eq!(node(&root, "jobs").unwrap()["failed_instances"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_router_is_nested_at_any_path() {
    let plain = Plain::start().await.unwrap();
    let console = || Console::new(tree(&plain)).router().unwrap();
    let nested = Router::new().nest("/ops/console", console());
    let service = Router::new().nest_service("/ops/console", console());
    for (name, router) in [("nest", &nested), ("nest_service", &service)] {
        let page = ask_get(router, "/ops/console").await;
        assert_eq!(page.status, StatusCode::OK, "{name}");
        // Without a slash at the end a browser would look for `/ops/tree.json`.
        assert!(page.body.contains("<base href=\"./console/\">"), "{name}");
        assert_eq!(ask_get(router, "/ops/console/tree.json").await.json()["root"]["path"], "Plain", "{name}");
    }
    let page = ask_get(&service, "/ops/console/").await;
    assert!(page.status.is_success() && page.body.contains("<html") && !page.body.contains("<base"));
    let page = ask_get(&Router::new().nest("/ops/console/", console()), "/ops/console/").await;
    assert!(page.status.is_success() && !page.body.contains("<base"));
    // The console has no fallback, so that a server can merge it with its own.
    let merged = Router::new().fallback(async || "own").merge(console());
    assert_eq!(ask_get(&merged, "/elsewhere").await.body, "own");
    assert_eq!(ask_get(&merged, "/info.json").await.json()["name"], "Plain");
}

#[tokio::test]
async fn other_methods_are_refused() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(tree(&plain)).allow_control(ACT).router().unwrap();
    for (method, path) in [("POST", "/tree.json"), ("DELETE", "/"), ("GET", "/control"), ("OPTIONS", "/control")] {
        let request = get(path).method(method).body(Body::empty()).unwrap();
        let Answer { status, headers, .. } = ask(&router, request).await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        assert!(!headers.keys().any(|name| name.as_str().starts_with("access-control")));
    }
}

/// A console may be made for a subtree; what happens elsewhere is no business of its viewers.
#[tokio::test]
async fn a_subtree_is_shown_alone() {
    let plain = Plain::start().await.unwrap();
    let router = Console::new(supervise::TreeRef::clone(&plain.parts)).allow_control(ACT).router().unwrap();
    let root = ask_get(&router, "/tree.json").await.json()["root"].clone();
    assert_eq!(root["path"], "parts");
    assert!(node(&root, "parts/left").is_some());
    assert_eq!(ask_get(&router, "/tree.json?path=db").await.status, StatusCode::NOT_FOUND);
    let stop = json!({ "path": "db", "operation": "stop", "confirm": "db" });
    assert_eq!(ask(&router, crate::client::post(Some(ACT), stop)).await.status, StatusCode::NOT_FOUND);

    plain.db.restart().unwrap();
    plain.parts.right.restart().unwrap();
    let events = async |path: &str| {
        ask_get(&router, &format!("/detail.json?path={path}")).await.json()["events"].as_array().unwrap().len()
    };
    until(async || events("parts/right").await == 2).await;
    let mut lines = crate::live::Lines::of(&router, 10).await;
    assert_eq!(lines.next().await["path"], "parts/right", "nothing of db");
}
