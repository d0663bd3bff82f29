//! A shop on a bad day, with its console: children that fail, back off, are slow, and wait for each other.
//!
//! ```text
//! cargo run -p supervise-console --example console -- --addr 127.0.0.1:9090
//! ```
//!
//! Then open <http://127.0.0.1:9090>. The probes are at the same address: `/livez`, `/readyz`, `/startupz` and `/metrics`.

use std::fmt::Write;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use supervise::prelude::*;
use supervise_console::Address;
use tokio::time::sleep;

const HELP: &str = "\
Serves the console of a lively tree.

Usage: cargo run -p supervise-console --example console -- [OPTIONS]

Options:
  --addr ADDR     an IP address with a port, or unix:PATH [default: 127.0.0.1:9090]
  --token T       the token to look, at least 16 characters
  --control T     the token to act; without it the console only shows
  --sessions N    the number of sessions in the set [default: 1000]
  --for SECONDS   ends after this time; by default at SIGINT or SIGTERM
  --help          this text";

supervisor! {
    /// A shop on a bad day.
    struct Shop(options: Options) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]

        /// Declared first, so it stops last.
        #[lifecycle(Permanent, ready, shutdown = 5s)]
        console: task = |cx| console(cx, options.clone(), tree.clone()),

        /// The database of a neighbour, which is often away.
        #[lifecycle(Permanent, shutdown = 10s)]
        #[backoff(4s..15s)]
        #[limit(max_restarts = 8, within = 10min)]
        #[decider(Outage::Fatal => Stop, _ => Restart)]
        db: Db = Db,

        /// Loses its temper at every seventeenth order.
        #[limit(max_restarts = 6, within = 1min, on_limit = Stop)]
        cart: Cart = Cart { orders: 0 },

        /// Asks the cart, and sometimes is asked back.
        #[mailbox(Bounded(64), ask = 3s)]
        checkout: Checkout = Checkout { cart: cart.clone() },

        /// Takes seconds for a picture, so its mailbox is often full.
        #[lifecycle(Permanent, shutdown = 1s)]
        #[mailbox(Bounded(8))]
        thumbnails: Thumbnails = Thumbnails,

        /// Blocks its thread now and then.
        search: Search = Search,

        /// One report pulls the other down with it.
        reports: struct Reports {
            #![strategy(AllForOne, max_restarts = 20, within = 1min)]
            daily: Report = Report,
            weekly: Report = Report,
        },

        shards: [Shard; 4] = |index| Shard { _index: index },

        /// One for each visitor.
        sessions: [u32 => Session] = |_number: u32| Session,

        /// Was replaced last year, and is killed at noon.
        legacy: Report = Report,

        #[lifecycle(Permanent)]
        traffic: task = |cx| traffic(
            cx, options, db.clone(), cart.clone(), checkout.clone(), thumbnails.clone(), search.clone(),
            reports.daily.clone(), shards.to_vec(), sessions.clone(), legacy.clone(),
        ),
    }
}

async fn console(cx: TaskContext, options: Options, tree: TreeRef) -> Result<(), supervise_console::Error> {
    let shown = tree.clone();
    let begun = Instant::now();
    let probes = supervise_console::probes(tree.clone())
        .all_but(["legacy"])?
        // A service gives the renderer of its metrics recorder here.
        .metrics(move || metrics(&shown, begun));
    let mut console =
        supervise_console::serve(cx, options.addr, tree).probes(probes).on_bound(|address| match address {
            Address::Tcp(address) => println!("the console is at http://{address}"),
            other => println!("the console is at {other}"),
        });
    if let Some(token) = options.token {
        console = console.token(token);
    }
    if let Some(token) = options.control {
        console = console.allow_control(token);
    }
    console.await
}

fn metrics(tree: &TreeRef, begun: Instant) -> String {
    let mut text = String::new();
    _ = writeln!(text, "# TYPE shop_dead_letters counter\nshop_dead_letters {}", tree.dead_letters());
    _ = writeln!(text, "# TYPE shop_uptime_seconds gauge\nshop_uptime_seconds {}", begun.elapsed().as_secs());
    text
}

#[derive(Debug, thiserror::Error)]
enum Outage {
    #[error("no connection to the database")]
    Refused(#[source] std::io::Error),
    #[error("the disk of the database is full")]
    #[allow(dead_code, reason = "shows an arm that seldom answers")]
    Fatal,
}

struct Db;

#[actor]
impl Db {
    async fn handle(&mut self, query: u32) -> Result<(), Outage> {
        sleep(Duration::from_millis(2)).await;
        match query % 400 {
            399 => Err(Outage::Refused(std::io::ErrorKind::ConnectionRefused.into())),
            _ => Ok(()),
        }
    }
}

struct Cart {
    orders: u32,
}

enum CartMsg {
    Add,
    /// Asks the checkout back: a circle, if it comes from there.
    Total(ActorRef<Checkout>, Reply<u32>),
}

#[actor]
impl Cart {
    async fn handle(&mut self, msg: CartMsg) {
        match msg {
            CartMsg::Add => {
                self.orders += 1;
                assert!(self.orders < 1700, "{} orders do not fit into the cart", self.orders);
            }
            CartMsg::Total(checkout, reply) => {
                let discount = checkout.ask(CheckoutMsg::Discount).within(Duration::from_secs(2)).await;
                reply.send(self.orders - discount.unwrap_or(0));
            }
        }
    }
}

struct Checkout {
    cart: ActorRef<Cart>,
}

enum CheckoutMsg {
    Pay,
    PayTotal,
    Discount(Reply<u32>),
}

#[actor]
impl Checkout {
    async fn handle(&mut self, msg: CheckoutMsg, cx: &mut Context<Self>) {
        match msg {
            CheckoutMsg::Pay => sleep(Duration::from_millis(5)).await,
            CheckoutMsg::PayTotal => {
                let own = cx.actor_ref();
                // The cart asks this actor, which waits for the cart.
                let _total = self.cart.ask(|reply| CartMsg::Total(own, reply)).await;
            }
            CheckoutMsg::Discount(reply) => reply.send(0),
        }
    }
}

struct Thumbnails;

#[actor]
impl Thumbnails {
    async fn handle(&mut self, _picture: u32) {
        sleep(Duration::from_secs(7)).await;
    }
}

struct Search;

#[actor]
impl Search {
    fn handle(&mut self, words: u32) {
        if words.is_multiple_of(200) {
            std::thread::sleep(Duration::from_millis(1500)); // instead of `spawn_blocking`
        }
    }
}

struct Report;

#[derive(Debug, thiserror::Error)]
#[error("the numbers of {0} do not add up")]
struct WrongSum(&'static str);

#[actor]
impl Report {
    fn handle(&mut self, page: u32) -> Result<(), WrongSum> {
        if page % 150 == 149 { Err(WrongSum("Monday")) } else { Ok(()) }
    }
}

struct Shard {
    _index: usize,
}

#[actor]
impl Shard {
    fn handle(&mut self, _row: u32) {}
}

struct Session;

#[derive(Debug, thiserror::Error)]
#[error("the visitor sent nonsense")]
struct Nonsense;

#[actor]
impl Session {
    fn handle(&mut self, click: u32) -> Result<(), Nonsense> {
        if click % 499 == 498 { Err(Nonsense) } else { Ok(()) }
    }
}

/// The behaviour of the visitors, the same in every run.
#[expect(clippy::too_many_arguments, reason = "one for each part of the shop")]
async fn traffic(
    cx: TaskContext,
    options: Options,
    db: ActorRef<Db>,
    cart: ActorRef<Cart>,
    checkout: ActorRef<Checkout>,
    thumbnails: ActorRef<Thumbnails>,
    search: ActorRef<Search>,
    daily: ActorRef<Report>,
    shards: Vec<ActorRef<Shard>>,
    sessions: Keyed<u32, Session, ()>,
    legacy: ActorRef<Report>,
) {
    for number in 0..options.sessions {
        if cx.is_stopped() {
            return;
        }
        let _ = sessions.spawn(number).await; // an error: it is there from before a restart
    }
    let mut tick = 0_u32;
    while !cx.is_stopped() {
        tick = tick.wrapping_add(1);
        // Nothing waits here: a mailbox that is full rejects.
        let _ = db.try_tell(tick);
        for row in 0..tick % 7 {
            let _ = shards[row as usize % shards.len()].try_tell(row);
        }
        for _ in 0..tick % 3 {
            let _ = cart.try_tell(CartMsg::Add);
        }
        let _ = checkout.try_tell(if tick.is_multiple_of(900) { CheckoutMsg::PayTotal } else { CheckoutMsg::Pay });
        if tick.is_multiple_of(60) {
            let _ = thumbnails.try_tell(tick);
        }
        if tick.is_multiple_of(10) {
            let _ = search.try_tell(tick / 10);
            let _ = daily.try_tell(tick / 10);
        }
        if options.sessions > 0
            && let Some(session) = sessions.get(&(tick.wrapping_mul(7919) % options.sessions))
        {
            let _ = session.try_tell(tick);
        }
        if tick == 500 {
            legacy.kill();
        }
        tokio::select! {
            () = sleep(Duration::from_millis(20)) => {}
            _ = cx.stopped() => {}
        }
    }
}

#[derive(Debug, Clone)]
struct Options {
    addr: Address,
    token: Option<String>,
    control: Option<String>,
    sessions: u32,
    lasts: Option<Duration>,
}

/// Reads the arguments; `None` for `--help`.
fn parse(args: impl IntoIterator<Item = String>) -> Result<Option<Options>, String> {
    let addr = Address::from(std::net::SocketAddr::from(([127, 0, 0, 1], 9090)));
    let mut options = Options { addr, token: None, control: None, sessions: 1000, lasts: None };
    let mut args = args.into_iter();
    while let Some(flag) = args.next() {
        if flag == "--help" {
            return Ok(None);
        }
        let mut value = || args.next().ok_or_else(|| format!("{flag} needs a value"));
        match &*flag {
            "--addr" => options.addr = value()?.parse().map_err(|error| format!("--addr: {error}"))?,
            "--token" => options.token = Some(value()?),
            "--control" => options.control = Some(value()?),
            "--sessions" => options.sessions = number(&flag, &value()?)?,
            "--for" => options.lasts = Some(Duration::from_secs(number(&flag, &value()?)?)),
            _ => return Err(format!("{flag} is unknown; --help lists the options")),
        }
    }
    Ok(Some(options))
}

fn number<T: FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{flag} takes a number that fits, not {value:?}"))
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("console: {error}");
            return ExitCode::from(2);
        }
    };
    let lasts = options.lasts;
    let until = async move {
        match lasts {
            Some(lasts) => sleep(lasts).await,
            None => signal().await,
        }
    };
    match Shop::run(options, until).await {
        Ok(report) => {
            println!("the shop is closed: {report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("console: {error}");
            ExitCode::FAILURE
        }
    }
}
