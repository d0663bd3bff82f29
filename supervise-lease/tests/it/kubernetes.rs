//! `KubernetesLease`, against a small server that plays the API: versions, conflicts, delays and errors.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use supervise::lease::Acquired;
use supervise_lease::KubernetesLease;
use tokio::net::TcpListener;

use super::*;

const TTL: Duration = Duration::from_secs(1);

/// The API server: one object, its version, and the faults to come.
#[derive(Clone, Default)]
struct Api(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    object: Option<Value>,
    version: u64,
    /// The token that a caller has to show.
    bearer: Option<String>,
    /// So many writes meet a write of somebody else in between.
    conflicts: u32,
    /// Requests fail with this status.
    fails: Option<u16>,
    /// Requests take this long.
    delay: Duration,
    requests: Vec<String>,
}

impl State {
    fn answer(&mut self, method: &Method, path: &str, bearer: Option<&str>, body: &[u8]) -> (u16, Value) {
        self.requests.push(format!("{method} {path}"));
        if self.bearer.as_deref().map(|token| format!("Bearer {token}")).as_deref() != bearer {
            return (401, json!({ "kind": "Status", "message": "Unauthorized" }));
        }
        if let Some(status) = self.fails {
            return (status, json!({ "kind": "Status", "message": "etcdserver: request timed out" }));
        }
        const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/shop/leases";
        let of_object = path == format!("{LEASES}/jobs");
        let written = || serde_json::from_slice::<Value>(body).expect("JSON");
        if *method == Method::PUT && self.conflicts > 0 {
            self.conflicts -= 1;
            self.version += 1;
            let version = self.version.to_string();
            if let Some(object) = &mut self.object {
                object["metadata"]["resourceVersion"] = version.into();
            }
        }
        match (method.as_str(), &self.object) {
            ("GET", Some(object)) if of_object => (200, object.clone()),
            ("GET", None) if of_object => (404, json!({ "kind": "Status" })),
            ("POST", None) if path == LEASES => (201, self.store(written())),
            ("POST", Some(_)) if path == LEASES => (409, json!({ "kind": "Status", "reason": "AlreadyExists" })),
            ("PUT", Some(object)) if of_object => {
                let new = written();
                if new["metadata"]["resourceVersion"] != object["metadata"]["resourceVersion"] {
                    return (409, json!({ "kind": "Status", "reason": "Conflict" }));
                }
                (200, self.store(new))
            }
            _ => (400, json!({ "kind": "Status", "message": "no such request" })),
        }
    }

    fn store(&mut self, mut object: Value) -> Value {
        let spec = &object["spec"];
        assert!(object["apiVersion"] == "coordination.k8s.io/v1" && object["kind"] == "Lease");
        assert!(spec["leaseDurationSeconds"].as_u64() > Some(0) && spec["leaseTransitions"].is_u64());
        assert!(spec["renewTime"].as_str().is_some_and(|time| time.len() == 27 && time.ends_with('Z')));
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.object = Some(object.clone());
        object
    }
}

impl Api {
    async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, api) = (listener.local_addr().unwrap().to_string(), self.clone());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let api = api.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let api = api.clone();
                    async move { Ok::<_, Infallible>(api.answer(request).await) }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        address
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let delay = self.with(|state| state.delay);
        tokio::time::sleep(delay).await;
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let bearer = parts.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let (status, answer) =
            self.with(|state| state.answer(&parts.method, parts.uri.path(), bearer.as_deref(), &body));
        let response = Response::builder().status(StatusCode::from_u16(status).unwrap());
        response.body(Full::new(Bytes::from(answer.to_string()))).unwrap()
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }
}

fn lease(server: &str) -> KubernetesLease {
    KubernetesLease::new(server, "shop", "jobs", "pod").ttl(TTL)
}

/// S55: the object has one holder until it is given back, or was unchanged for the time of the lease; the token grows.
#[tokio::test]
async fn an_object_has_one_holder_and_a_token_that_grows() {
    let api = Api::default();
    let server = api.serve().await;
    let (one, two) = (lease(&server), lease(&server));
    assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 1, released: false }));
    assert_eq!((two.acquire().await.unwrap(), one.acquire().await.unwrap()), (None, None));
    tokio::time::sleep(TTL * 2 / 3).await;
    assert!(one.renew(1).await.unwrap() && !two.renew(1).await.unwrap());
    tokio::time::sleep(TTL * 2 / 3).await;
    assert_eq!(two.acquire().await.unwrap(), None, "it has changed since it was seen first");
    two.release(1).await.unwrap(); // of another one
    one.release(1).await.unwrap();
    assert!(!one.renew(1).await.unwrap());
    assert_eq!(two.acquire().await.unwrap(), Some(Acquired { token: 2, released: true }));
    assert_eq!(one.acquire().await.unwrap(), None);
    tokio::time::sleep(TTL).await;
    assert_eq!(one.acquire().await.unwrap(), Some(Acquired { token: 3, released: false }), "unchanged");
    assert!(!two.renew(2).await.unwrap());
    let holder = api.with(|state| state.object.clone().unwrap()["spec"]["holderIdentity"].clone());
    assert!(holder.as_str().unwrap().starts_with("pod_"));
}

/// S55: conflicts are refusals for who acquires, and no end for who holds; errors say what the API has said.
#[tokio::test]
async fn conflicts_and_errors() {
    let api = Api::default();
    let server = api.serve().await;
    let (one, two) = (lease(&server), lease(&server));
    one.acquire().await.unwrap().unwrap();
    api.with(|state| state.conflicts = 2);
    assert!(one.renew(1).await.unwrap(), "a label was changed by others");
    api.with(|state| state.conflicts = 3);
    assert!(one.renew(1).await.is_err());
    api.with(|state| state.conflicts = 1);
    one.release(1).await.unwrap();
    api.with(|state| state.conflicts = 1);
    assert_eq!(two.acquire().await.unwrap(), None, "another one was faster");
    assert_eq!(two.acquire().await.unwrap(), Some(Acquired { token: 2, released: true }));

    api.with(|state| state.fails = Some(500));
    let error = two.renew(2).await.unwrap_err().as_error().to_string();
    assert!(error.starts_with("GET /apis/coordination.k8s.io/v1/namespaces/shop/leases/jobs: 500"), "{error}");
    assert!(error.contains("etcdserver: request timed out"), "{error}");
    api.with(|state| (state.fails, state.bearer) = (None, Some("secret".to_owned())));
    assert!(two.renew(2).await.unwrap_err().as_error().to_string().contains("401"));
    let folder = Folder::new();
    let with_token = lease(&server).token_file(folder.path("token"));
    assert!(with_token.acquire().await.unwrap_err().as_error().to_string().contains("the token of the API in"));
    std::fs::write(folder.path("token"), "secret\n").unwrap();
    assert_eq!(with_token.acquire().await.unwrap(), None);
}

/// S55: two replicas, and an API that fails, is slow, and is deaf. No two act at once, and one acts again at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_api_fails_and_is_slow() {
    let (api, folder) = (Api::default(), Folder::new());
    let server = api.serve().await;
    let replicas: Vec<_> = (0..2).map(|_| tokio::spawn(run(folder.path("log"), lease(&server)))).collect();
    tokio::time::sleep(TTL / 2).await;
    assert!(folder.acts() > 5);
    for (fails, delay) in [(Some(503), Duration::ZERO), (None, TTL / 4), (Some(429), TTL), (None, TTL * 3)] {
        api.with(|state| (state.fails, state.delay) = (fails, delay));
        tokio::time::sleep(TTL * 2).await;
        api.with(|state| (state.fails, state.delay) = (None, Duration::ZERO));
        let acts = folder.acts();
        let began = Instant::now();
        while folder.acts() < acts + 5 {
            assert!(began.elapsed() < TTL * 10, "one of them acts again");
            tokio::time::sleep(PACE).await;
        }
    }
    replicas.iter().for_each(tokio::task::JoinHandle::abort);
    let tokens = folder.tokens();
    assert!(tokens.is_sorted() && tokens.len() >= 3, "{tokens:?}");
    assert!(api.with(|state| state.requests.len()) > 10);
}
