//! The front: routes, health, and the way down.

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

use crate::{Add, Cart, Price, Prices};

/// What the routes need: handles, which are cheap to clone and stay the same over every restart.
#[derive(Clone)]
pub struct Front {
    tree: TreeRef,
    prices: ActorRef<Prices>,
    carts: Keyed<String, Cart, ()>,
    /// How many purchases are in hand.
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

    // The listener is this task's own, and not a `let` of the tree: there it would stay open until all that
    // is declared behind it is down, and take connections that nobody serves.
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let bound = listener.local_addr()?;
    println!("serving on http://{bound}");
    cx.ready();
    address.send_replace(Some(bound));

    // When this task is told to end, axum closes the listener and all idle connections, and waits for the
    // requests in hand. They run in tasks of axum's own: that is why this one has to wait for them. Whoever has
    // sent half a request by then holds it up until its `shutdown` time is over; then the tree goes down
    // without it, and the report says so.
    axum::serve(listener, routes).with_graceful_shutdown(cx.stopped()).await
}

type Answer = Result<String, (StatusCode, String)>;

/// `POST /carts/ann/apple?ms=500`: puts something into a cart. To pay takes so many milliseconds.
async fn buy(
    State(front): State<Front>,
    Path((customer, item)): Path<(String, String)>,
    Query(pace): Query<HashMap<String, u64>>,
) -> Answer {
    let _busy = Busy::enter(&front.busy);
    let price = front.prices.ask(|reply| Price { item, reply }).await.map_err(unavailable)?;
    let cents = price.ok_or((StatusCode::NOT_FOUND, "no such thing".to_owned()))?;
    tokio::time::sleep(Duration::from_millis(pace.get("ms").copied().unwrap_or(0))).await;

    // On the way down too: this task is not through yet, so the carts are still there.
    let cart = front.carts.get_or_spawn(customer.clone()).await.map_err(unavailable)?;
    let owed = cart.ask(|reply| Add { cents, reply }).await.map_err(unavailable)?;
    Ok(format!("{customer} owes {owed} cents"))
}

/// An actor that failed with this very request in hand is no reason to fail as well: the next one may do.
fn unavailable(why: impl Display) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, why.to_string())
}

/// Shall the process be replaced? Only for what the tree itself will not heal any more.
async fn livez(State(front): State<Front>) -> Answer {
    let health = front.tree.health();
    let given_up = health.symptoms().iter().any(|symptom| matches!(symptom.reason, SymptomKind::Ended(_)));
    if given_up { Err(unavailable(health)) } else { Ok("alive".to_owned()) }
}

/// Shall visitors be sent here? Not while something is down.
async fn readyz(State(front): State<Front>) -> Answer {
    let health = front.tree.health();
    if health.is_healthy() { Ok("healthy".to_owned()) } else { Err(unavailable(health)) }
}

/// Answers once so many purchases are in hand: who waits for this knows that their requests have been read.
async fn busy(State(front): State<Front>, Path(purchases): Path<usize>) -> String {
    // An error: there is no sender, and we hold one.
    let _ = front.busy.subscribe().wait_for(|busy| *busy >= purchases).await;
    format!("{purchases} or more in hand")
}

/// A purchase in hand, also when its visitor goes away and the handler is dropped.
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
