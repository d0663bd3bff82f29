//! The front: routes, health, and the shutdown.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use supervise::inspect::SymptomKind;
use supervise::prelude::*;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::{Cart, CartCalls, Prices, PricesCalls};

/// The state of the routes: handles, which are cheap to clone and stay the same over every restart.
#[derive(Clone)]
pub struct Front {
    tree: TreeRef,
    prices: ActorRef<Prices>,
    carts: Keyed<String, Cart, ()>,
    /// The number of purchases in hand.
    busy: watch::Sender<usize>,
}

impl Front {
    pub fn new(tree: TreeRef, prices: ActorRef<Prices>, carts: Keyed<String, Cart, ()>) -> Front {
        Front { tree, prices, carts, busy: watch::Sender::new(0) }
    }
}

/// The task `http` of the tree.
pub async fn serve(
    cx: TaskContext,
    port: u16,
    address: watch::Sender<Option<SocketAddr>>,
    front: Front,
) -> io::Result<()> {
    let routes = Router::new()
        .route("/carts/{customer}/{item}", post(buy))
        .route("/busy/{purchases}", get(busy))
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .route("/tree", get(|State(front): State<Front>| async move { front.tree.snapshot().render() }))
        .with_state(front);

    // The listener belongs to this task, and is not a `let` of the tree: there it would stay open until everything that
    // is declared after it is down, and accept connections that no task serves.
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let bound = listener.local_addr()?;
    println!("serving on http://{bound}");
    cx.ready();
    address.send_replace(Some(bound));

    // When this task is asked to stop, axum closes the listener and all idle connections, and waits for the requests in
    // hand. These run in axum's own tasks, so this task has to wait for them. A client that has sent half a request by
    // then delays this task until its `shutdown` time is over; then the tree goes down without the task, and the report
    // says so.
    axum::serve(listener, routes).with_graceful_shutdown(async move { _ = cx.stopped().await }).await
}

type Answer = Result<String, (StatusCode, String)>;

/// `POST /carts/ann/apple?ms=500`: puts something into a cart. The payment takes this number of milliseconds.
async fn buy(
    State(front): State<Front>,
    Path((customer, item)): Path<(String, String)>,
    Query(pace): Query<HashMap<String, u64>>,
) -> Answer {
    let _busy = Busy::enter(&front.busy);
    let price = front.prices.price(item).await.map_err(unavailable)?;
    let cents = price.ok_or((StatusCode::NOT_FOUND, "no such thing".to_owned()))?;
    tokio::time::sleep(Duration::from_millis(pace.get("ms").copied().unwrap_or(0))).await;

    // This also works during the shutdown: this task has not ended yet, so the carts still exist.
    let cart = front.carts.get_or_spawn(customer.clone()).await.map_err(unavailable)?;
    let owed = cart.add(cents).await.map_err(unavailable)?;
    Ok(format!("{customer} owes {owed} cents"))
}

/// If an actor failed with this request in hand, the front does not fail too: the next request may succeed.
fn unavailable(why: impl Display) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, why.to_string())
}

/// Whether the process should be replaced: only for failures that the tree itself no longer handles.
async fn livez(State(front): State<Front>) -> Answer {
    let health = front.tree.health();
    let given_up = health.symptoms().iter().any(|symptom| matches!(symptom.reason, SymptomKind::Ended(_)));
    if given_up { Err(unavailable(health)) } else { Ok("alive".to_owned()) }
}

/// Whether visitors should be sent here: not while something is down. A child that was restarted lately is up.
async fn readyz(State(front): State<Front>) -> Answer {
    let health = front.tree.health();
    if health.is_up() { Ok("ready".to_owned()) } else { Err(unavailable(health)) }
}

/// Answers once this number of purchases is in hand: a caller that waits for this knows that its requests have been
/// read.
async fn busy(State(front): State<Front>, Path(purchases): Path<usize>) -> String {
    // An error would mean that there is no sender, and the front holds one.
    let _ = front.busy.subscribe().wait_for(|busy| *busy >= purchases).await;
    format!("{purchases} or more in hand")
}

/// A purchase in hand, which is also counted off when its visitor disconnects and the handler is dropped.
struct Busy(watch::Sender<usize>);

impl Busy {
    fn enter(busy: &watch::Sender<usize>) -> Busy {
        busy.send_modify(|busy| *busy += 1);
        Busy(busy.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.send_modify(|busy| *busy -= 1);
    }
}
