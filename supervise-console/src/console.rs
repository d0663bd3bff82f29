//! The console as a router.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{OriginalUri, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;
use supervise::TreeRef;
use supervise::error::OperateError;
use supervise::event::Events;
use supervise::inspect::Inspect as _;
use supervise::inspect::Operate as _;
use supervise::inspect::{Extent, one_line};
use supervise::policy::ShutdownTimeout;
use supervise::spec::{ChildSpec, DeclaredShutdown, Shape, TreeSpec};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::timeout;

use crate::answer::{Refusal, answer, json as json_answer, refuse};
use crate::gate::{Gate, Reach};
use crate::live::{self, Shared};
use crate::log::{Over, View};
use crate::page::Page;
use crate::part::Part;
use crate::{Error, IntoToken, Token, control, query, sample};

/// The streams that a console has at once, by default.
pub(crate) const STREAMS: usize = 64;

/// The walks through a tree at once that may be long.
const WALKS: usize = 2;

/// The events that the detail of a child shows.
const DETAIL: usize = 200;

/// The time in which a client sends the body of its request.
const SENDING: Duration = Duration::from_secs(5);

type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A console to put into a server of your own.
///
/// [`serve`](crate::serve) is simpler if you have none. The router may be nested at any path, best with `nest_service`: then the
/// page is there with and without a slash at the end, and axum's `nest` serves it only without one. It shows the tree with
/// everything below it, and keeps the tree from nothing: a tree ends and is dropped as if there were no console.
///
/// Without a token the router answers only requests from this machine, which takes a server that tells where a request comes
/// from (`into_make_service_with_connect_info::<SocketAddr>()`).
///
/// ```
/// use axum::Router;
/// use supervise::prelude::*;
/// use supervise_console::Console;
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let console = Console::new(TreeRef::clone(&shop)).token("8f1c0a7be2d94f63").router()?;
/// let app: Router = Router::new().nest_service("/console", console);
/// # Ok(())
/// # }
/// ```
pub struct Console {
    tree: TreeRef,
    events: Events,
    look: Option<Token>,
    control: Option<Token>,
    reach: Reach,
    streams: usize,
    until: Option<BoxFuture>,
    /// The first error of the methods.
    error: Option<Error>,
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console")
            .field("tree", &self.tree)
            .field("look", &self.look)
            .field("control", &self.control)
            .finish_non_exhaustive()
    }
}

impl Console {
    /// A console for this tree, without tokens. It keeps the last 4,096 events from here on.
    pub fn new(tree: TreeRef) -> Self {
        Console {
            events: tree.events(),
            tree,
            look: None,
            control: None,
            reach: Reach::Loopback,
            streams: STREAMS,
            until: None,
            error: None,
        }
    }

    /// Lets only visitors look who show this token, from any machine.
    ///
    /// The token has at least 16 characters. An error of it is returned by [`router`](Self::router).
    pub fn token(mut self, token: impl IntoToken) -> Self {
        match token.into_token() {
            Ok(token) => self.look = Some(token),
            Err(error) => self.fail(error),
        }
        self
    }

    /// Lets visitors who show this token stop, restart, start again and kill children. It is another one than that of
    /// [`token`](Self::token), and allows to look, too.
    ///
    /// Without this call the console only shows the tree. An error of the token is returned by [`router`](Self::router).
    pub fn allow_control(mut self, token: impl IntoToken) -> Self {
        match token.into_token() {
            Ok(token) => self.control = Some(token),
            Err(error) => self.fail(error),
        }
        self
    }

    /// Lets every request look that reaches the router: the server around it checks who asks.
    pub fn authenticated_by_server(mut self) -> Self {
        self.reach = Reach::Server;
        self
    }

    /// Ends all streams when this future is ready.
    ///
    /// A server that shuts down gracefully waits for its requests, and a stream ends only with the tree, so give the future
    /// with which the server stops, as `cx.stopped()`. The streams show the last state, for which there is 0.75 s, and end. By
    /// default they end with the tree.
    pub fn until<F>(mut self, stop: F) -> Self
    where
        F: Future + Send + 'static,
    {
        self.until = Some(Box::pin(async move { _ = stop.await }));
        self
    }

    /// The number of streams that may be open at once, 64 by default. Others are answered with 503.
    pub fn max_viewers(mut self, viewers: usize) -> Self {
        self.streams = viewers;
        self
    }

    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    pub(crate) fn has_token(&self) -> bool {
        self.look.is_some()
    }

    pub(crate) fn has_control(&self) -> bool {
        self.control.is_some()
    }

    pub(crate) fn reached_by(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    /// Returns the router.
    ///
    /// The part that follows the tree runs in a task of the current runtime, or of that of the first request. It ends with
    /// the tree, and with the last clone of the router.
    ///
    /// # Errors
    ///
    /// Returns the first error of a token, and [`Error::SameToken`].
    pub fn router(self) -> Result<Router, Error> {
        let app = self.app()?;
        app.start();
        Ok(app.router())
    }

    pub(crate) fn check(&mut self) -> Result<(), Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        match (&self.look, &self.control) {
            (Some(look), Some(control)) if look.same(control) => Err(Error::SameToken),
            _ => Ok(()),
        }
    }

    pub(crate) fn app(mut self) -> Result<Arc<App>, Error> {
        self.check()?;
        let shared = Arc::new(Shared::new(Part::of(self.tree), self.streams));
        Ok(Arc::new(App {
            shared,
            gate: Gate { look: self.look, control: self.control, reach: self.reach, wrong: AtomicU32::new(0) },
            page: Page::new(),
            walks: Arc::new(Semaphore::new(WALKS)),
            driver: Mutex::new(Driver::Due(self.events, self.until)),
        }))
    }
}

/// The future that feeds the viewers.
enum Driver {
    Due(Events, Option<BoxFuture>),
    Spawned(AbortHandle),
    /// Somebody else polls it.
    Taken,
}

/// The state of the routes.
pub(crate) struct App {
    pub(crate) shared: Arc<Shared>,
    gate: Gate,
    page: Page,
    walks: Arc<Semaphore>,
    driver: Mutex<Driver>,
}

impl Drop for App {
    fn drop(&mut self) {
        if let Driver::Spawned(task) = self.driver.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
        self.shared.log.end(Over::Closed);
    }
}

impl App {
    /// Spawns the driver, unless it runs already or there is no runtime yet.
    fn start(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        let mut driver = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Driver::Due(..) = &*driver
            && let Driver::Due(events, until) = std::mem::replace(&mut *driver, Driver::Taken)
        {
            let shared = self.shared.clone();
            let task = runtime.spawn(async move {
                let until = async {
                    match until {
                        Some(until) => until.await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = shared.drive(events) => {}
                    () = until => shared.end(Over::Closed).await,
                }
            });
            *driver = Driver::Spawned(task.abort_handle());
        }
    }

    /// Returns the driver, for a server that polls it itself.
    pub(crate) fn driver(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut driver = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        let due = std::mem::replace(&mut *driver, Driver::Taken);
        let shared = self.shared.clone();
        async move {
            if let Driver::Due(events, _) = due {
                shared.drive(events).await;
            }
        }
    }

    pub(crate) fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/", get(page))
            .route("/info.json", get(info))
            .route("/tree.json", get(tree))
            .route("/set.json", get(set))
            .route("/detail.json", get(detail))
            .route("/events.ndjson", get(events))
            .route("/live", get(stream))
            .route("/control", post(act))
            .with_state(self)
    }

    fn path<'a>(&'a self, path: Option<&'a str>) -> &'a str {
        path.filter(|path| !path.is_empty()).unwrap_or(&self.shared.part.path)
    }

    /// Runs a walk through the tree on a thread for blocking work, a few at a time.
    async fn walk<T, F>(&self, path: &str, walk: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce(&TreeRef, &str) -> Option<T> + Send + 'static,
    {
        let permit = self.walks.clone().acquire_owned().await;
        let (tree, path) = (self.shared.part.tree.clone(), path.to_owned());
        let walked = spawn_blocking(move || {
            let _permit = permit; // held until the walk ends, also if the client hangs up
            walk(&tree, &path).ok_or_else(|| not_found(&path))
        });
        let walked = walked.await;
        walked
            .unwrap_or_else(|_| Err(refuse(StatusCode::INTERNAL_SERVER_ERROR, "an error in the tree cannot be shown")))
    }

    fn view(&self, states: bool) -> Result<View, Refusal> {
        self.start();
        self.shared.log.view(states).ok_or_else(|| {
            refuse(StatusCode::SERVICE_UNAVAILABLE, "too many viewers look on; close one, or raise `.max_viewers(..)`")
        })
    }
}

fn not_found(path: &str) -> Refusal {
    refuse(StatusCode::NOT_FOUND, format!("no node has the path \"{}\" now; tree.json lists the paths", one_line(path)))
}

fn bad_request(why: String) -> Refusal {
    refuse(StatusCode::BAD_REQUEST, why)
}

type Answer = Result<Response, Refusal>;
type Shown = State<Arc<App>>;

/// `GET ./`: the page, which contains nothing of the tree.
async fn page(State(app): Shown, OriginalUri(uri): OriginalUri, request: Request) -> Answer {
    app.gate.pass(&request.into_parts().0)?;
    let mut page = answer(StatusCode::OK, "text/html; charset=utf-8", app.page.at(uri.path()).into_owned());
    page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, app.page.policy.clone());
    Ok(page)
}

/// `GET ./info.json`: whether a token is needed.
async fn info(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.pass(&request)?;
    query::none(request.uri.query()).map_err(bad_request)?;
    let info = json!({
        "name": app.shared.part.tree.name(),
        "look": if app.gate.look.is_some() { "token" } else { "open" },
        "control": app.gate.control.is_some(),
        "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1,
    });
    Ok(json_answer(info.to_string()))
}

/// `GET ./tree.json`: a snapshot.
async fn tree(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.look(&request).await?;
    let query::Tree { path, extent } = query::Tree::of(request.uri.query()).map_err(bad_request)?;
    let path = app.path(path.as_deref());
    let text = app.walk(path, move |tree, path| tree.snapshot_of(path, extent).map(sample::whole)).await?;
    Ok(json_answer(text))
}

/// `GET ./set.json`: a page of instances.
async fn set(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.look(&request).await?;
    let query::Set { path, from, page } = query::Set::of(request.uri.query()).map_err(bad_request)?;
    let text = app.walk(&path, move |tree, path| {
        let page = tree.page_of(path, &page)?;
        sample::page(path, from, page)
    });
    Ok(json_answer(text.await?))
}

/// `GET ./detail.json`: one node, its declaration and its last events.
async fn detail(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.look(&request).await?;
    let path = query::detail(request.uri.query()).map_err(bad_request)?;
    let (at_ms, node, spec) = app
        .walk(&path, |tree, path| {
            let snapshot = tree.snapshot_of(path, Extent::Declared)?;
            let (at_ms, node) = (sample::at_ms(&snapshot), &snapshot.root);
            let hooks: Vec<_> = node.hooks.into_iter().flat_map(|hooks| hooks.names()).collect();
            let own = tree.spec().filter(|_| path == tree.path());
            let spec = match (node.declared, own) {
                (Some(declared), _) => declaration(declared, &hooks),
                (None, Some(own)) => declaration_of_tree(own),
                (None, None) => serde_json::Value::Null, // a child of an actor
            };
            Some((at_ms, sample::alone(snapshot), spec))
        })
        .await?;
    let events = app.shared.events_of(&path, DETAIL).join(",");
    Ok(json_answer(format!("{{\"at_ms\":{at_ms},\"node\":{node},\"spec\":{spec},\"events\":[{events}]}}")))
}

fn declaration(spec: &ChildSpec, hooks: &[&str]) -> serde_json::Value {
    let (shape, count, key) = match spec.shape {
        Shape::One => ("one", None, None),
        Shape::Optional => ("optional", None, None),
        Shape::Array(count) => ("array", Some(count), None),
        Shape::Set => ("set", None, None),
        Shape::Only => ("only", None, None),
        Shape::Keyed(key) => ("keyed", None, Some(key)),
        _ => ("other", None, None),
    };
    let mut declaration = json!({
        "item": spec.item, "doc": spec.doc, "shape": shape, "shutdown": time_to_stop(spec.shutdown), "hooks": hooks,
        "settings": spec.settings, "declared_at": spec.at.to_string(),
    });
    if let Some(count) = count {
        declaration["count"] = count.into();
    }
    if let Some(key) = key {
        declaration["key"] = key.into();
    }
    declaration
}

fn declaration_of_tree(spec: &TreeSpec) -> serde_json::Value {
    json!({
        "item": spec.name, "doc": spec.doc, "shape": "tree", "shutdown": time_to_stop(spec.shutdown), "hooks": [],
        "settings": spec.settings, "declared_at": spec.at.to_string(),
    })
}

fn time_to_stop(declared: DeclaredShutdown) -> String {
    match declared {
        DeclaredShutdown::Default => "default".to_owned(),
        DeclaredShutdown::Is(ShutdownTimeout::Within(time)) => format!("{time:?}"),
        DeclaredShutdown::Is(other) => format!("{other:?}").to_lowercase(),
        DeclaredShutdown::Computed => "computed".to_owned(),
    }
}

/// `GET ./events.ndjson`: the events as they happen.
async fn events(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.look(&request).await?;
    let past = query::past(request.uri.query()).map_err(bad_request)?;
    let view = app.view(false)?;
    Ok(streamed("application/x-ndjson", live::lines(view, past)))
}

/// `GET ./live`: the tree as it changes.
async fn stream(State(app): Shown, request: Request) -> Answer {
    let (request, _) = request.into_parts();
    app.gate.look(&request).await?;
    query::none(request.uri.query()).map_err(bad_request)?;
    let view = app.view(true)?;
    Ok(streamed("text/event-stream", live::live(view)))
}

fn streamed(kind: &'static str, body: Body) -> Response {
    let mut stream = answer(StatusCode::OK, kind, body);
    // A proxy that collects the answer would show nothing.
    stream.headers_mut().insert("x-accel-buffering", header::HeaderValue::from_static("no"));
    stream
}

/// `POST ./control`: acts on a child.
async fn act(State(app): Shown, request: Request) -> Answer {
    let (request, body) = request.into_parts();
    app.gate.act(&request).await?;
    query::none(request.uri.query()).map_err(bad_request)?;
    if !is_json(&request) {
        let why = "send the request with `Content-Type: application/json`";
        return Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    let body = read(body).await?;
    let control::Request { path, operation, by } = control::Request::of(&body).map_err(bad_request)?;
    match app.shared.part.tree.operate(&path, operation, by) {
        Ok(()) => Ok(json_answer(json!({ "accepted": true }).to_string())),
        Err(OperateError::NotFound { path }) => Err(not_found(&path)),
        Err(refused) => Err(refuse(StatusCode::CONFLICT, refused)),
    }
}

/// Pages of other sites cannot send this type unasked.
fn is_json(request: &Parts) -> bool {
    let kind = request.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

async fn read(body: Body) -> Result<Vec<u8>, Refusal> {
    match timeout(SENDING, to_bytes(body, control::BODY)).await {
        Ok(Ok(body)) => Ok(body.to_vec()),
        Ok(Err(_)) => {
            let why = format!("the body has more than {} bytes, or broke off", control::BODY);
            Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, why))
        }
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the body did not come within 5 s")),
    }
}
