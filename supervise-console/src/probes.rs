//! The probes of an orchestrator.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use futures_util::FutureExt;
use serde_json::json;
use supervise::inspect::Inspect as _;
use supervise::inspect::{Extent, Node, NodeState};
use supervise::{TaskContext, TreeRef};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::address::Listener;
use crate::answer::{answer, error, text};
use crate::part::Part;
use crate::serve::{Bound, listen};
use crate::{Address, Error, IntoAddress};

/// The time in which the root of a tree answers.
const ANSWER: Duration = Duration::from_secs(1);

/// The time for which a request waits for the metrics, that of a scrape of Prometheus.
const RENDERING: Duration = Duration::from_secs(10);

/// Renders the metrics, one rendering at a time: requests that come meanwhile wait for it and share it. A renderer that hangs
/// takes one thread, however often it is asked.
struct Metrics {
    render: Box<dyn Fn() -> String + Send + Sync>,
    under_way: Mutex<Option<watch::Receiver<Option<Bytes>>>>,
}

impl Metrics {
    /// Returns the text. `None` if the renderer has panicked.
    async fn text(self: Arc<Self>) -> Option<Bytes> {
        let mut text = self.begun();
        text.wait_for(Option::is_some).await.ok()?.clone()
    }

    /// Returns the rendering that is under way, or begins one.
    fn begun(self: Arc<Self>) -> watch::Receiver<Option<Bytes>> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = &*under_way {
            return text.clone();
        }
        let (sender, text) = watch::channel(None);
        *under_way = Some(text.clone());
        drop(under_way);
        let rendering = Rendering { metrics: self, sender, text: None };
        // The rendering is not cancelled if all clients hang up, so it ends by itself.
        spawn_blocking(move || rendering.run());
        text
    }
}

/// A rendering that is under way. Its drop is its end, also if the renderer panics or the runtime goes before it begins.
struct Rendering {
    metrics: Arc<Metrics>,
    sender: watch::Sender<Option<Bytes>>,
    text: Option<Bytes>,
}

impl Rendering {
    fn run(mut self) {
        let text = (self.metrics.render)();
        self.text = Some(text.into());
    }
}

impl Drop for Rendering {
    fn drop(&mut self) {
        // Cleared first, so that a client from now on starts a new rendering.
        *self.metrics.under_way.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.sender.send_replace(self.text.take());
    }
}

/// Makes the probes of an orchestrator for this tree: `/livez`, `/readyz` and `/startupz`.
///
/// They need no token, and show the paths and states of declared children and nothing else.
///
/// ```
/// use supervise::prelude::*;
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         reports: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let probes = supervise_console::probes(TreeRef::clone(&shop));
/// let app: axum::Router = axum::Router::new().merge(probes.all_but(["reports"])?.router());
/// # Ok(())
/// # }
/// ```
pub fn probes(tree: TreeRef) -> Probes {
    Probes {
        part: Part::of(tree),
        counting: Counting::All,
        checks: Vec::new(),
        metrics: None,
        has_started: Arc::new(AtomicBool::new(false)),
    }
}

/// The probes of an orchestrator, made by [`probes`].
///
/// | address | 200 | 503 |
/// |---|---|---|
/// | `/livez` | the root of the tree answers within a second, whatever its children do | it does not, or the tree has ended |
/// | `/readyz` | the children that count are up, and each [`check`](Self::check) is `Ok` | with the paths of those that are not, and the texts of the checks |
/// | `/startupz` | all declared children have been up, or have ended; from then on always | with their states |
/// | `/metrics` | the text of [`metrics`](Self::metrics), if given | it is not there within 10 s |
///
/// A child counts as not ready while it is down or suspended, and after an end against its lifecycle; a child that was restarted
/// is ready once it is up. Children that were spawned at run time never count.
#[derive(Clone)]
pub struct Probes {
    part: Part,
    counting: Counting,
    checks: Vec<(String, Arc<Check>)>,
    metrics: Option<Arc<Metrics>>,
    has_started: Arc<AtomicBool>,
}

/// A condition of readiness beside the children: `Err` says what is missing.
type Check = dyn Fn() -> Result<(), String> + Send + Sync;

impl fmt::Debug for Probes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probes")
            .field("tree", &self.part.tree)
            .field("counting", &self.counting)
            .field("checks", &self.checks.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// The children that count for `/readyz`.
#[derive(Debug, Clone)]
enum Counting {
    All,
    Only(Vec<String>),
    AllBut(Vec<String>),
}

impl Probes {
    /// Lets only these declared children, and what is declared below them, count for `/readyz`. By default all do.
    ///
    /// A child that is named here is not ready after any end, also after a requested stop. The name of an array stands for
    /// all its children.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownPaths`] with the paths that there are.
    pub fn counting<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        self.counting = Counting::Only(self.known(paths)?);
        Ok(self)
    }

    /// Lets all declared children count for `/readyz`, except these and those below them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownPaths`] with the paths that there are.
    pub fn all_but<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        self.counting = Counting::AllBut(self.known(paths)?);
        Ok(self)
    }

    /// Lets `/readyz` ask this function as well, under this name: for what the tree does not know, such as a node that
    /// follows no owner (`Net::nodes` of `supervise-remote`). `Err` makes the answer 503, with the text.
    ///
    /// The function is called at each request, in the task that answers: it has to return at once. A panic in it counts
    /// as an `Err`. A second check of the same name replaces the first.
    ///
    /// ```
    /// # use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    /// # supervisor! { struct Shop { db: Db = Db } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let shop = Shop::start().await?;
    /// # fn licence_is_valid() -> bool { true }
    /// let probes = supervise_console::probes(TreeRef::clone(&shop)).check("licence", || match licence_is_valid() {
    ///     true => Ok(()),
    ///     false => Err("the licence has expired".to_owned()),
    /// });
    /// # let _ = probes;
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.checks.retain(|(other, _)| *other != name);
        self.checks.push((name, Arc::new(check)));
        self
    }

    /// Answers `/metrics` with the text that this function returns, such as `PrometheusHandle::render` of the crate
    /// `metrics-exporter-prometheus`.
    ///
    /// The call is made on a thread for blocking work, one at a time: requests that come while one is under way get the text of
    /// it. If it panics, the answer is 500. If it has not returned after 10 s, the answer is 503, and it is not called again before
    /// it returns: a thread that hangs cannot be stopped.
    pub fn metrics(mut self, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics = Some(Arc::new(Metrics { render: Box::new(render), under_way: Mutex::default() }));
        self
    }

    /// Checks that these paths are declared. The children need not be there yet: a console is often declared first, and
    /// makes its probes before the others have started.
    fn known<P: Into<String>>(&self, paths: impl IntoIterator<Item = P>) -> Result<Vec<String>, Error> {
        let known = self.part.declared();
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for path in paths {
            let path = path.into();
            match known.iter().find(|(known, _)| *known == path) {
                Some((_, 1)) => found.push(path),
                Some((_, elements)) => found.extend((0..*elements).map(|index| format!("{path}/{index}"))),
                None => unknown.push(path),
            }
        }
        let known = known.into_iter().map(|(path, _)| path).collect();
        if unknown.is_empty() { Ok(found) } else { Err(Error::UnknownPaths { unknown, known }) }
    }

    /// Returns the router, to be merged or nested into a server of your own.
    pub fn router(self) -> Router {
        let mut router =
            Router::new().route("/livez", get(livez)).route("/readyz", get(readyz)).route("/startupz", get(startupz));
        if let Some(rendered) = self.metrics.clone() {
            router = router.route("/metrics", get(move || metrics(rendered.clone())));
        }
        router.with_state(self)
    }

    /// Serves the probes alone at this address, as a child of the tree: `probes(tree.clone()).serve(cx, "0.0.0.0:9001")`.
    pub fn serve(self, cx: TaskContext, address: impl IntoAddress) -> ServeProbes {
        ServeProbes { cx, address: address.into_address(), probes: self, bound: None }
    }

    /// Returns the paths of the children that count and are not ready.
    fn unready(&self) -> Vec<String> {
        let root = self.part.path.to_string();
        let paths = match &self.counting {
            Counting::Only(paths) => &paths[..],
            Counting::All | Counting::AllBut(_) => std::slice::from_ref(&root),
        };
        let is_left_out = |path: &str| match &self.counting {
            Counting::AllBut(paths) => paths.iter().any(|above| is_below(path, above)),
            Counting::All | Counting::Only(_) => false,
        };
        let mut unready: Vec<String> = Vec::new();
        for path in paths {
            let Some(health) = self.part.tree.health_of(path, Extent::Declared) else {
                // The child does not exist yet, or is an `Option<..>` that is `None`.
                if !self.has_started() {
                    unready.push(path.clone());
                }
                continue;
            };
            for symptom in health.symptoms() {
                if symptom.reason.is_down() && !is_left_out(&symptom.path) && !unready.contains(&symptom.path) {
                    unready.push(symptom.path.clone());
                }
            }
        }
        unready
    }

    /// Returns the names of the checks that are not `Ok`, with their texts.
    fn failed_checks(&self) -> BTreeMap<&str, String> {
        let asked = self.checks.iter().map(|(name, check)| {
            let said = catch_unwind(AssertUnwindSafe(|| check())).unwrap_or_else(|panic| {
                // The drop of the payload is foreign code as well.
                std::mem::forget(catch_unwind(AssertUnwindSafe(move || drop(panic))));
                Err("the check panicked".to_owned())
            });
            (&**name, said)
        });
        asked.filter_map(|(name, said)| Some((name, said.err()?))).collect()
    }

    /// Returns whether all declared children have been up once, or have ended.
    fn has_started(&self) -> bool {
        if !self.has_started.load(Relaxed) && self.part.tree.ready().now_or_never() == Some(true) {
            self.has_started.store(true, Relaxed);
        }
        self.has_started.load(Relaxed)
    }

    /// Returns the states of the declared children that are there, by path.
    fn states(&self) -> BTreeMap<String, &'static str> {
        let snapshot = self.part.tree.snapshot_of(&self.part.path, Extent::Declared);
        let state = |node: &Node| (node.path.clone(), word(&node.state));
        snapshot.map(|snapshot| snapshot.nodes().skip(1).map(state).collect()).unwrap_or_default()
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn word(state: &NodeState) -> &'static str {
    match state {
        NodeState::Queued => "queued",
        NodeState::Starting => "starting",
        NodeState::Running => "running",
        NodeState::Suspended => "suspended",
        NodeState::Failed => "failed",
        NodeState::GoingDown => "going_down",
        NodeState::BackingOff { .. } => "backing_off",
        NodeState::Ended(_) => "ended",
        _ => "unknown",
    }
}

fn ok() -> Response {
    text(StatusCode::OK, "ok")
}

fn unavailable(body: &serde_json::Value) -> Response {
    answer(StatusCode::SERVICE_UNAVAILABLE, "application/json", body.to_string())
}

async fn livez(State(probes): State<Probes>) -> Response {
    match timeout(ANSWER, probes.part.tree.answers()).await {
        Ok(true) => ok(),
        Ok(false) => text(StatusCode::SERVICE_UNAVAILABLE, "the tree has ended"),
        Err(_) => text(StatusCode::SERVICE_UNAVAILABLE, "the root of the tree does not answer"),
    }
}

async fn readyz(State(probes): State<Probes>) -> Response {
    let (paths, failed) = (probes.unready(), probes.failed_checks());
    if paths.is_empty() && failed.is_empty() {
        return ok();
    }
    let mut body = json!({ "status": "degraded", "paths": paths });
    if !failed.is_empty() {
        body["checks"] = json!(failed);
    }
    unavailable(&body)
}

async fn startupz(State(probes): State<Probes>) -> Response {
    if probes.has_started() {
        return answer(StatusCode::OK, "application/json", json!({ "state": "started" }).to_string());
    }
    unavailable(&json!({ "state": "starting", "children": probes.states() }))
}

async fn metrics(metrics: Arc<Metrics>) -> Response {
    match timeout(RENDERING, metrics.text()).await {
        Ok(Some(text)) => answer(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text),
        Ok(None) => {
            error(StatusCode::INTERNAL_SERVER_ERROR, "the metrics could not be rendered: the renderer panicked")
        }
        Err(_) => error(
            StatusCode::SERVICE_UNAVAILABLE,
            format_args!(
                "the metrics are not rendered after {} s: the renderer has not returned, and is not called again before it does",
                RENDERING.as_secs()
            ),
        ),
    }
}

/// Probes that are served alone, made by [`Probes::serve`]. Await it to serve.
///
/// # Errors
///
/// The future returns an error of the address, and [`Error::Bind`], [`Error::SocketInUse`] or [`Error::NotASocket`] if it cannot
/// listen.
///
/// ```
/// use supervise::prelude::*;
///
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// supervisor! {
///     struct Shop {
///         #[lifecycle(Permanent, ready)]
///         probes: task = |cx| supervise_console::probes(tree.clone()).serve(cx, "127.0.0.1:0"),
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "await it to serve"]
pub struct ServeProbes {
    cx: TaskContext,
    address: Result<Address, Error>,
    probes: Probes,
    bound: Option<Bound>,
}

impl fmt::Debug for ServeProbes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeProbes")
            .field("address", &self.address)
            .field("probes", &self.probes)
            .finish_non_exhaustive()
    }
}

impl ServeProbes {
    /// Calls this once the server listens, with its address: that of port 0 is known only then.
    pub fn on_bound(mut self, bound: impl FnOnce(&Address) + Send + 'static) -> Self {
        self.bound = Some(Box::new(bound));
        self
    }
}

impl IntoFuture for ServeProbes {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (listener, bound) = Listener::bind(&self.address?).await?;
            tracing::info!(address = %bound, "the probes listen");
            if let Some(tell) = self.bound {
                tell(&bound);
            }
            listen(self.cx, listener, self.probes.router(), pending(), async |_| {}).await;
            Ok(())
        })
    }
}

impl From<Probes> for Result<Probes, Error> {
    fn from(probes: Probes) -> Self {
        Ok(probes)
    }
}
