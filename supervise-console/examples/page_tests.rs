//! The tree of the tests in `verify/page`: children that do what a test asks for, by `POST /do/WORD/PATH`.
//!
//! ```text
//! cargo run -p supervise-console --example page_tests -- 127.0.0.1:9091 --sessions 1000 --look TOKEN --control TOKEN
//! ```
//!
//! The console is at `/`, and nested at `/ops/console` as in the server of a service. For a look at a console, the example
//! `console` is the better one.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use supervise::prelude::*;
use supervise_console::Console;
use tokio::net::TcpListener;
use tokio::time::sleep;

supervisor! {
    /// A shop whose children do what a test asks for.
    struct Shop {
        #![strategy(OneForOne, max_restarts = 5, within = 20s)]

        /// Keeps the orders.
        #[lifecycle(Permanent, shutdown = 3s)]
        #[backoff(4s..30s, random_factor = 0)]
        #[limit(max_restarts = 5, within = 10min)]
        #[decider(Trouble::Disk => Stop, Trouble::Query(_) => Restart)]
        db: Worker = Worker,

        cart: Worker = Worker,

        #[mailbox(Bounded(8), ask = 30s)]
        checkout: Worker = Worker,

        search: Worker = Worker,

        pricing: struct Pricing {
            #![strategy(AllForOne, max_restarts = 5, within = 20s)]
            buyer: Worker = Worker,
            seller: Worker = Worker,
        },

        sessions: [u32 => Worker] = |_number: u32| Worker,

        /// A tree for each tenant.
        tenants: [String => Tenant] = |name: String| Tenant::tree(name),

        guests: [String => Worker] = |_name: String| Worker,

        /// Cannot be restarted: an import has its file only once.
        #[lifecycle(Temporary)]
        imports: [Worker] = || Worker,

        traffic: task = traffic(cart.clone(), search.clone()),
    }

    /// The needs of one tenant.
    struct Tenant(_name: String) {
        store: Worker = Worker,
        uploads: [u32 => Worker] = |_number: u32| Worker,
    }
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("the query failed")]
    Query(#[source] std::io::Error),
    #[error("the disk is full")]
    Disk,
    #[error("{0}")]
    Text(&'static str),
}

struct Worker;

enum Job {
    Work,
    Fail(Trouble),
    Rest(Duration),
    Block(Duration),
    /// Asks this one, with a question that makes it ask the other one.
    Ask(ActorRef<Worker>, Option<ActorRef<Worker>>),
    Question(Option<ActorRef<Worker>>, Reply<()>),
}

#[actor]
impl Worker {
    async fn handle(&mut self, job: Job) -> Result<(), Trouble> {
        match job {
            Job::Work => {}
            Job::Fail(trouble) => return Err(trouble),
            Job::Rest(time) => sleep(time).await,
            Job::Block(time) => std::thread::sleep(time),
            Job::Ask(other, back) => ask(&other, back).await,
            Job::Question(back, reply) => {
                if let Some(other) = back {
                    ask(&other, None).await;
                }
                reply.send(());
            }
        }
        Ok(())
    }

    #[pre_start]
    fn begin(&mut self) {}

    #[post_stop]
    fn end(&mut self) {}
}

async fn ask(other: &ActorRef<Worker>, back: Option<ActorRef<Worker>>) {
    // An error: the time is over, which ends the circle.
    _ = other.ask(|reply| Job::Question(back, reply)).within(Duration::from_secs(8)).await;
}

/// A steady stream of messages, with a wave in it.
async fn traffic(cart: ActorRef<Worker>, search: ActorRef<Worker>) {
    for tick in 0_u32.. {
        for _ in 0..3 + (tick / 40) % 5 {
            _ = cart.try_tell(Job::Work);
        }
        if tick.is_multiple_of(2) {
            _ = search.try_tell(Job::Work);
        }
        sleep(Duration::from_millis(50)).await;
    }
}

const HOSTILE: &str = "<img src=x onerror=\"window.hostile = 1\">";

/// Carries out what a test asks for.
async fn act(
    State(shop): State<Arc<Running<Shop>>>,
    Path((word, path)): Path<(String, String)>,
) -> Result<&'static str, StatusCode> {
    let child = match &*path {
        "db" => shop.db.clone(),
        "cart" => shop.cart.clone(),
        "checkout" => shop.checkout.clone(),
        "search" => shop.search.clone(),
        "pricing/buyer" => shop.pricing.buyer.clone(),
        "pricing/seller" => shop.pricing.seller.clone(),
        "guests" => shop.guests.get_or_spawn(HOSTILE.to_owned()).await.map_err(|_| StatusCode::CONFLICT)?,
        session => {
            let number = session.strip_prefix("sessions/").and_then(|number| number.parse().ok());
            number.and_then(|number: u32| shop.sessions.get(&number)).ok_or(StatusCode::NOT_FOUND)?
        }
    };
    let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    let jobs = match &*word {
        "fail" => vec![Job::Fail(Trouble::Query(refused))],
        "disk" => vec![Job::Fail(Trouble::Disk)],
        "hostile" => vec![Job::Fail(Trouble::Text(HOSTILE))],
        "rest" => vec![Job::Rest(Duration::from_secs(12))],
        "block" => vec![Job::Block(Duration::from_secs(4))],
        "fill" => std::iter::once(Job::Rest(Duration::from_secs(12))).chain((0..20).map(|_| Job::Work)).collect(),
        "drop" => std::iter::once(Job::Rest(Duration::from_millis(300))).chain((0..5).map(|_| Job::Work)).collect(),
        "circle" => vec![Job::Ask(shop.pricing.seller.clone(), Some(child.clone()))],
        _ => return Err(StatusCode::NOT_FOUND),
    };
    tokio::spawn(async move {
        for job in jobs {
            _ = child.tell(job).await;
        }
        if word == "drop" {
            child.stop(); // all six become dead letters: a stop cuts the rest short
        }
    });
    Ok("done")
}

/// Spawns the sessions, several at a time.
async fn spawn(shop: &Arc<Running<Shop>>, sessions: u32) {
    const AT_A_TIME: u32 = 100;
    let spawners = (0..AT_A_TIME).map(|nth| {
        let shop = shop.clone();
        tokio::spawn(async move {
            for number in (nth..sessions).step_by(AT_A_TIME as usize) {
                _ = shop.sessions.spawn(number).await;
            }
        })
    });
    for spawner in spawners.collect::<Vec<_>>() {
        _ = spawner.await;
    }
}

#[tokio::main(worker_threads = 4)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let addr: SocketAddr = args.next().ok_or("the first argument is an address")?.parse()?;
    let (mut sessions, mut look, mut control) = (100, None, None);
    while let (Some(flag), Some(value)) = (args.next(), args.next()) {
        match &*flag {
            "--sessions" => sessions = value.parse()?,
            "--look" => look = Some(value),
            "--control" => control = Some(value),
            _ => return Err(format!("{flag} is unknown").into()),
        }
    }
    let shop = Arc::new(Shop::start().await?);
    spawn(&shop, sessions).await;
    for name in ["acme", "globex"] {
        shop.tenants.spawn(name.to_owned()).await?;
    }
    shop.imports.spawn().await?;
    let mut console = Console::new(TreeRef::clone(&shop));
    if let Some(token) = look {
        console = console.token(token);
    }
    if let Some(token) = control {
        console = console.allow_control(token);
    }
    let console = console.router()?;
    let orders = Router::new().route("/do/{word}/{*path}", post(act)).with_state(shop.clone());
    let app = Router::new().nest_service("/ops/console", console.clone()).merge(console).merge(orders);
    let listener = TcpListener::bind(addr).await?;
    println!("ready at {}", listener.local_addr()?);
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
