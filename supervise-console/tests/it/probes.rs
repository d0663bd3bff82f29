//! The probes of an orchestrator.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use serde_json::json;
use supervise::ChildRef;
use supervise::prelude::*;
use supervise_console::{Address, Error, probes, serve};
use tokio::sync::{Notify, watch};

use crate::client::{Answer, ask_from, get_at, soon, until};
use crate::trees::{Do, Jobs, LOOK, Plain, tree};

async fn ask(router: &Router, path: &str) -> Answer {
    // From any machine, without a token and under any name.
    let request =
        axum::http::Request::get(path).header("host", "10.0.0.3:9001").body(axum::body::Body::empty()).unwrap();
    ask_from(router, Some("10.0.0.7:1"), request).await
}

#[tokio::test(start_paused = true)]
async fn a_tree_that_is_well_answers_ok() {
    let plain = Plain::start().await.unwrap();
    let router = probes(tree(&plain)).router();
    for path in ["/livez", "/readyz"] {
        let answer = ask(&router, path).await;
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, "ok"), "{path}");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    assert_eq!(ask(&router, "/startupz").await.json(), json!({ "state": "started" }));
    assert_eq!(ask(&router, "/metrics").await.status, StatusCode::NOT_FOUND, "nothing renders them");
}

/// Liveness never depends on a child: a restart of the process would not help.
#[tokio::test(start_paused = true)]
async fn liveness_is_that_of_the_root() {
    let plain = Plain::start().await.unwrap();
    let router = probes(tree(&plain)).router();
    plain.db.kill();
    plain.db.terminated().await.unwrap();
    plain.sessions.spawn(1).await.unwrap().tell(Do::Sleep(Duration::from_secs(1000))).await.unwrap();
    assert_eq!(ask(&router, "/livez").await.status, StatusCode::OK);
    plain.shutdown().await;
    let answer = ask(&router, "/livez").await;
    assert_eq!((answer.status, &*answer.body), (StatusCode::SERVICE_UNAVAILABLE, "the tree has ended"));
}

/// Code that blocks the thread of the root: there is an answer all the same, within its time.
#[test]
fn liveness_ends_when_the_root_does_not_answer() {
    let stuck = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let plain = stuck.block_on(async { tokio::spawn(async { Plain::start().await.unwrap() }).await.unwrap() });
    let router = probes(tree(&plain)).router();
    assert_eq!(outside.block_on(ask(&router, "/livez")).status, StatusCode::OK);
    let (free, blocked) = std::sync::mpsc::channel::<()>();
    let (tell, begun) = std::sync::mpsc::channel();
    stuck.spawn(async move {
        tell.send(()).unwrap();
        let _ = blocked.recv();
    });
    begun.recv().unwrap();
    let answer = outside.block_on(ask(&router, "/livez"));
    assert_eq!(
        (answer.status, &*answer.body),
        (StatusCode::SERVICE_UNAVAILABLE, "the root of the tree does not answer")
    );
    drop(free);
    outside.block_on(until(async || ask(&router, "/livez").await.status == StatusCode::OK));
}

#[tokio::test(start_paused = true)]
async fn readiness_names_what_is_down() {
    let plain = Plain::start().await.unwrap();
    let router = probes(tree(&plain)).router();
    let worker = plain.parts.left.clone();
    worker.kill();
    plain.db.kill();
    worker.terminated().await.unwrap();
    plain.db.terminated().await.unwrap();
    let answer = ask(&router, "/readyz").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.json(), json!({ "status": "degraded", "paths": ["db", "parts/left"] }));
    for path in ["db", "parts/left"] {
        plain.find(path).unwrap();
    }
    plain.db.start_again().unwrap().await.unwrap();
    worker.start_again().unwrap().await.unwrap();
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
}

/// A check is asked at each request; a panic in it is its failure, and liveness does not depend on it.
#[tokio::test(start_paused = true)]
async fn readiness_asks_the_checks_of_the_program() {
    let plain = Plain::start().await.unwrap();
    let (asked, owner) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(Ok(()))));
    let check = {
        let (asked, owner) = (asked.clone(), owner.clone());
        move || {
            asked.fetch_add(1, Relaxed);
            owner.lock().unwrap().clone()
        }
    };
    let router = probes(tree(&plain)).check("node", || Err("replaced".into())).check("node", check).router();
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
    *owner.lock().unwrap() = Err("it follows no owner".to_owned());
    let answer = ask(&router, "/readyz").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    let checks = json!({ "node": "it follows no owner" });
    assert_eq!(answer.json(), json!({ "status": "degraded", "paths": [], "checks": checks }));
    assert_eq!(ask(&router, "/livez").await.body, "ok");
    *owner.lock().unwrap() = Ok(());
    assert_eq!((&*ask(&router, "/readyz").await.body, asked.load(Relaxed)), ("ok", 3));
    let router = probes(tree(&plain)).check("one", || panic!("planned")).check("two", || Ok(())).router();
    assert_eq!(ask(&router, "/readyz").await.json()["checks"], json!({ "one": "the check panicked" }));
}

/// A child that is up again is ready, also before it has handled a message; its instances never count.
#[tokio::test(start_paused = true)]
async fn readiness_counts_states_and_not_streaks() {
    let plain = Plain::start().await.unwrap();
    let router = probes(tree(&plain)).router();
    plain.db.tell(Do::Fail).await.unwrap();
    until(async || plain.db.incarnation() == 2).await;
    assert!(!plain.health().is_healthy(), "a streak of one");
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
    plain.sessions.spawn(1).await.unwrap().kill();
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
    // A child that somebody has stopped is down as intended, unless it is named.
    plain.db.stop();
    plain.db.terminated().await.unwrap();
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
    let named = probes(tree(&plain)).counting(["db"]).unwrap().router();
    assert_eq!(ask(&named, "/readyz").await.json()["paths"], json!(["db"]));
}

/// An instance that has given up is a note: neither the instances of a set nor their ends make a tree unready.
#[tokio::test(start_paused = true)]
async fn an_instance_that_has_given_up_leaves_the_tree_ready() {
    let jobs = Jobs::start().await.unwrap();
    let router = probes(tree(&jobs)).router();
    let named = probes(tree(&jobs)).counting(["jobs"]).unwrap().router();
    let job = jobs.jobs.spawn(1).await.unwrap();
    job.tell(Do::Fail).await.unwrap();
    job.terminated().await.unwrap();
    assert_eq!(jobs.health().notes().len(), 1);
    for router in [router, named] {
        assert_eq!(ask(&router, "/readyz").await.body, "ok");
    }
}

/// Waits for a node when it is restarted, as a remote child that has lost its own.
struct Lost;

#[actor]
impl Lost {
    #[pre_start]
    async fn pre_start(&mut self, cx: &mut Context<Self>) {
        if cx.incarnation() > 1 {
            supervise_remote::hooks::set_wait(&cx.actor_ref(), Some("worker"));
            std::future::pending().await
        }
    }

    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Far {
        lost: Lost = Lost,
    }
}

/// S63
#[tokio::test(start_paused = true)]
async fn a_child_without_a_node_is_not_ready() {
    let far = Far::start().await.unwrap();
    let router = probes(tree(&far)).router();
    assert_eq!(ask(&router, "/readyz").await.body, "ok");
    far.lost.restart().unwrap();
    until(async || far.health().to_string().contains("for a node with the role worker")).await;
    let answer = ask(&router, "/readyz").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.json(), json!({ "status": "degraded", "paths": ["lost"] }));
}

#[tokio::test(start_paused = true)]
async fn the_children_that_count_are_a_setting() {
    let plain = Plain::start().await.unwrap();
    let only = probes(tree(&plain)).counting(["parts", "shards"]).unwrap().router();
    let but = probes(tree(&plain)).all_but(["parts", "shards"]).unwrap().router();
    let ready = async |router: &Router| ask(router, "/readyz").await.status == StatusCode::OK;
    assert!(ready(&only).await && ready(&but).await);
    for (killed, only_is, but_is) in [("db", true, false), ("parts/right", false, true), ("shards/1", false, true)] {
        let child = plain.find(killed).unwrap();
        child.kill();
        child.terminated().await.unwrap();
        assert_eq!((ready(&only).await, ready(&but).await), (only_is, but_is), "{killed}");
        assert_eq!(ask(if only_is { &but } else { &only }, "/readyz").await.json()["paths"], json!([killed]));
        plain.operate(killed, supervise::event::Operation::StartAgain, "test").unwrap();
        assert!(plain.ready().await);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_path_is_an_error_with_those_that_exist() {
    let plain = Plain::start().await.unwrap();
    for unknown in [probes(tree(&plain)).counting(["db", "cellar"]), probes(tree(&plain)).all_but(["db", "cellar"])] {
        let error = unknown.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`cellar` is not declared in this tree; replace it by one of db, parts, parts/left, parts/right, shards, shards/0, \
             shards/1, sessions"
        );
        assert!(matches!(error, Error::UnknownPaths { .. }));
    }
    plain.sessions.spawn(1).await.unwrap();
    assert!(probes(tree(&plain)).counting(["sessions/1"]).is_err(), "an instance is not declared");
    let parts = probes(TreeRef::clone(&plain.parts));
    assert!(parts.clone().counting(["parts/left"]).is_ok() && parts.counting(["db"]).is_err());
}

#[tokio::test(start_paused = true)]
async fn metrics_are_those_of_the_renderer() {
    let plain = Plain::start().await.unwrap();
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let router = probes(tree(&plain)).metrics(move || format!("calls {}\n", counted.fetch_add(1, Relaxed))).router();
    let answer = ask(&router, "/metrics").await;
    assert_eq!((answer.status, &*answer.body), (StatusCode::OK, "calls 0\n"));
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let broken = probes(tree(&plain)).metrics(|| panic!("no metrics today")).router();
    for _ in 0..2 {
        assert_eq!(ask(&broken, "/metrics").await.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
    assert_eq!(ask(&broken, "/livez").await.body, "ok");
}

/// Requests that come at once share one rendering, however long it takes, and whoever comes later gets a new one.
#[tokio::test]
async fn metrics_are_rendered_once_at_a_time() {
    let plain = Plain::start().await.unwrap();
    let (go, wait) = std::sync::mpsc::channel();
    let (calls, wait) = (Arc::new(AtomicU32::new(0)), Mutex::new(wait));
    let counted = calls.clone();
    let render = move || {
        let call = counted.fetch_add(1, Relaxed);
        wait.lock().unwrap().recv().unwrap();
        format!("calls {call}\n")
    };
    let router = probes(tree(&plain)).metrics(render).router();
    let ask_some = |number: usize| -> Vec<_> {
        let ask = |_| {
            let router = router.clone();
            tokio::spawn(async move { ask(&router, "/metrics").await.body })
        };
        (0..number).map(ask).collect()
    };
    let asked = ask_some(50);
    until(async || calls.load(Relaxed) > 0).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(calls.load(Relaxed), 1);
    go.send(()).unwrap();
    for asked in asked {
        assert_eq!(soon(asked).await.unwrap(), "calls 0\n");
    }
    // The text of a rendering for which nobody has waited is not kept.
    let gone = ask_some(1).pop().unwrap();
    until(async || calls.load(Relaxed) == 2).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    for _ in 0..1000 {
        go.send(()).unwrap();
    }
    until(async || ask(&router, "/metrics").await.body != "calls 1\n").await;
}

/// A renderer that hangs keeps nobody waiting for ever, and is called again once it has returned.
#[tokio::test(start_paused = true)]
async fn a_rendering_that_hangs_is_an_error() {
    let plain = Plain::start().await.unwrap();
    let (go, wait) = std::sync::mpsc::channel();
    let wait = Mutex::new(wait);
    let router = probes(tree(&plain)).metrics(move || wait.lock().unwrap().recv().unwrap()).router();
    for _ in 0..2 {
        // The clock does not advance by itself while a thread is blocked.
        let asked = tokio::time::timeout(Duration::from_secs(11), ask(&router, "/metrics"));
        let (answer, ()) = tokio::join!(asked, tokio::time::advance(Duration::from_secs(12)));
        let answer = answer.expect("it does not wait for ever");
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        let why = "the metrics are not rendered after 10 s: the renderer has not returned, and is not called again before it does";
        assert_eq!(answer.json(), json!({ "error": why }));
    }
    for text in ["late", "well"] {
        go.send(text.to_owned()).unwrap();
    }
    while ask(&router, "/metrics").await.body != "well" {}
}

supervisor! {
    /// Its console is the first child, so it serves while the others start.
    struct Slow(bound: watch::Sender<Option<Address>>, go: Arc<Notify>) {
        #[lifecycle(Permanent, ready)]
        console: task = |cx| serve(cx, "127.0.0.1:0", tree.clone())
            .token(LOOK)
            .probes(probes(tree.clone()).counting(["db", "later"]))
            .on_bound(move |address| { bound.send_replace(Some(address.clone())); }),
        #[lifecycle(Permanent, start = 60s)]
        db: Waits = Waits::start(go.clone()).await,
        later: Waits = Waits,
    }
}

struct Waits;

impl Waits {
    async fn start(go: Arc<Notify>) -> Waits {
        go.notified().await;
        Waits
    }
}

#[actor]
impl Waits {
    fn handle(&mut self, _msg: ()) {}
}

/// Probes are made before the children that they count have started.
#[tokio::test]
async fn a_tree_that_starts_is_alive_and_not_ready() {
    let (sender, mut bound) = watch::channel(None);
    let go = Arc::new(Notify::new());
    let starting = tokio::spawn(Slow::start(sender, go.clone()));
    let bound = soon(bound.wait_for(Option::is_some)).await.unwrap().clone();
    let Some(Address::Tcp(at)) = bound else { panic!("{bound:?}") };
    until(async || get_at(at, "/startupz").await.body.contains("db")).await;
    let startup = get_at(at, "/startupz").await;
    assert_eq!(startup.status, StatusCode::SERVICE_UNAVAILABLE);
    let state = startup.json();
    assert_eq!((&state["state"], &state["children"]["console"]), (&json!("starting"), &json!("running")));
    assert_eq!(state["children"]["db"], "starting");
    assert_eq!(get_at(at, "/livez").await.body, "ok");
    let ready = get_at(at, "/readyz").await;
    assert_eq!(
        (ready.status, ready.json()),
        (StatusCode::SERVICE_UNAVAILABLE, json!({ "status": "degraded", "paths": ["db", "later"] }))
    );
    // They need no token, and the console at the same address does.
    assert_eq!(get_at(at, "/tree.json").await.status, StatusCode::UNAUTHORIZED);

    go.notify_one();
    let slow = soon(starting).await.unwrap().unwrap();
    until(async || get_at(at, "/startupz").await.status == StatusCode::OK).await;
    assert_eq!(get_at(at, "/readyz").await.body, "ok");
    slow.later.kill();
    slow.later.terminated().await.unwrap();
    // Started once is started for good; only readiness has changed.
    assert_eq!(get_at(at, "/startupz").await.status, StatusCode::OK);
    assert_eq!(get_at(at, "/readyz").await.json()["paths"], json!(["later"]));
    slow.shutdown().await;
}

supervisor! {
    struct Alone(bound: watch::Sender<Option<Address>>) {
        #[lifecycle(Permanent, ready)]
        probes: task = |cx| probes(tree.clone()).serve(cx, ([0, 0, 0, 0], 0)).on_bound(move |address| {
            bound.send_replace(Some(address.clone()));
        }),
    }
}

/// The probes may have a port of their own, which other machines reach.
#[tokio::test]
async fn probes_are_served_alone() {
    let (sender, bound) = watch::channel(None);
    let alone = Alone::start(sender).await.unwrap();
    let Some(Address::Tcp(at)) = bound.borrow().clone() else { panic!("it listens before it is ready") };
    let at = ([127, 0, 0, 1], at.port()).into();
    assert_eq!(get_at(at, "/livez").await.body, "ok");
    assert_eq!(get_at(at, "/readyz").await.body, "ok");
    assert_eq!(get_at(at, "/tree.json").await.status, StatusCode::NOT_FOUND, "there is no console");
    assert!(alone.shutdown().await.is_orderly());
}
