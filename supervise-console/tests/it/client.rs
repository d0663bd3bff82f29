//! A client for tests: requests without a socket, and over one.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::request::Builder;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower::ServiceExt;

/// The longest that anything may take on a busy machine.
pub const SOON: Duration = Duration::from_secs(20);

pub async fn soon<F: IntoFuture>(future: F) -> F::Output {
    timeout(SOON, future.into_future()).await.expect("it should have happened by now")
}

/// Waits until this is so.
pub async fn until(mut so: impl AsyncFnMut() -> bool) {
    soon(async {
        while !so().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error: {}", self.body)).to_owned()
    }
}

/// A request from this machine, as a browser sends it.
pub fn get(path: &str) -> Builder {
    Request::get(path).header("host", "127.0.0.1:9000")
}

/// A request to act.
pub fn post(token: Option<&str>, body: impl Into<Value>) -> Request<Body> {
    let mut request =
        Request::post("/control").header("host", "127.0.0.1:9000").header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    request.body(Body::from(body.into().to_string())).unwrap()
}

/// Asks a router from this address.
pub async fn ask_from(router: &Router, peer: Option<&str>, request: Request<Body>) -> Answer {
    let mut request = request;
    if let Some(peer) = peer {
        request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer.parse().unwrap()));
    }
    let response = soon(router.clone().oneshot(request)).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = soon(body.collect()).await.unwrap().to_bytes();
    Answer { status: parts.status, headers: parts.headers, body: String::from_utf8(body.to_vec()).unwrap() }
}

pub async fn ask(router: &Router, request: Request<Body>) -> Answer {
    ask_from(router, Some("127.0.0.1:5000"), request).await
}

pub async fn ask_get(router: &Router, path: &str) -> Answer {
    ask(router, get(path).body(Body::empty()).unwrap()).await
}

/// Sends a request over a socket; the body is still to come.
pub async fn send<S>(stream: S, request: Request<Body>) -> Result<(StatusCode, HeaderMap, Incoming), hyper::Error>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (parts, body) = sender.send_request(request).await?.into_parts();
    Ok((parts.status, parts.headers, body))
}

/// Asks a server.
pub async fn ask_at(address: SocketAddr, request: Request<Body>) -> Answer {
    let asked = async {
        let stream = TcpStream::connect(address).await.unwrap();
        let (status, headers, body) = send(stream, request).await.unwrap();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status, headers, body: String::from_utf8(body.to_vec()).unwrap() }
    };
    soon(asked).await
}

pub async fn get_at(address: SocketAddr, path: &str) -> Answer {
    ask_at(address, get(path).body(Body::empty()).unwrap()).await
}

/// A message of a live stream.
#[derive(Debug, Clone)]
pub struct Message {
    pub id: u64,
    pub kind: String,
    pub data: Value,
}

/// A viewer of a live stream.
pub struct Viewer<B> {
    body: B,
    text: String,
}

impl Viewer<Incoming> {
    pub async fn at(address: SocketAddr) -> Self {
        Self::with(address, None).await
    }

    pub async fn with(address: SocketAddr, token: Option<&str>) -> Self {
        let mut request = get("/live");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let stream = soon(TcpStream::connect(address)).await.unwrap();
        let (status, _, body) = soon(send(stream, request.body(Body::empty()).unwrap())).await.unwrap();
        assert_eq!(status, StatusCode::OK);
        Viewer { body, text: String::new() }
    }
}

impl Viewer<Body> {
    /// A viewer without a socket, which reads when it wants to.
    pub async fn of(router: &Router) -> Self {
        let mut request = get("/live").body(Body::empty()).unwrap();
        request.extensions_mut().insert(ConnectInfo::<SocketAddr>(([127, 0, 0, 1], 5000).into()));
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Viewer { body: response.into_body(), text: String::new() }
    }
}

impl<B> Viewer<B>
where
    B: axum::body::HttpBody<Data = axum::body::Bytes> + Unpin,
{
    /// Returns the next message; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Message> {
        soon(self.read()).await
    }

    async fn read(&mut self) -> Option<Message> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let line = message.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                    line.unwrap_or_else(|| panic!("no {name} in {message:?}"))
                };
                assert_eq!(message.lines().count(), 3, "{message:?}");
                let message = Message {
                    id: field("id").parse().unwrap(),
                    kind: field("event").to_owned(),
                    data: serde_json::from_str(field("data")).unwrap(),
                };
                self.text = rest.to_owned();
                return Some(message);
            }
            let data = self.body.frame().await?.ok()?.into_data().ok()?;
            self.text.push_str(std::str::from_utf8(&data).unwrap());
        }
    }

    /// Returns the first message that is like this; panics at the end of the stream.
    pub async fn find(&mut self, is: impl Fn(&Message) -> bool) -> Message {
        soon(async {
            loop {
                let message = self.read().await.expect("the stream goes on");
                if is(&message) {
                    return message;
                }
            }
        })
        .await
    }

    /// Returns the first event of this kind with this path.
    pub async fn event(&mut self, path: &str, event: &str) -> Value {
        self.find(|message| message.kind == "event" && message.data["path"] == path && message.data["event"] == event)
            .await
            .data
    }

    /// Returns the first node with this path in a delta that is like this.
    pub async fn node(&mut self, path: &str, is: impl Fn(&Value) -> bool) -> Value {
        let wanted = |data: &Value| {
            data["nodes"].as_array().unwrap().iter().find(|node| node["path"] == path && is(node)).cloned()
        };
        let delta = self.find(|message| message.kind == "delta" && wanted(&message.data).is_some()).await;
        wanted(&delta.data).unwrap()
    }
}

/// Returns the node with this path in a tree of JSON.
pub fn node<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    if root["path"] == path {
        return Some(root);
    }
    root["children"].as_array()?.iter().find_map(|child| node(child, path))
}
