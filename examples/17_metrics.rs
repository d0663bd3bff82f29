//! The metrics of a tree for Prometheus: restarts, messages, mailboxes and budgets, with labels that are known from the
//! declaration, and `/metrics` as a task of the tree itself.
//!
//! ```text
//! cargo run --example 17_metrics -- --once         lets some things fail, scrapes itself, and prints the answer
//! cargo run --example 17_metrics -- --port 9000    serves until SIGTERM or Ctrl-C, and lets things fail all the time
//! ```
//!
//! Look at three things:
//!
//! * `main`: the recorder is installed first, and `.metrics()` turns the metrics of this tree on;
//! * `metrics`: each scrape takes a sample of the gauges, and needs no timer;
//! * the labels in the output: three carts have one path, `carts/*`.

use std::net::SocketAddr;
use std::num::ParseIntError;
use std::process::ExitCode;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};
use supervise::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

supervisor! {
    struct Shop(port: u16, exporter: PrometheusHandle, address: watch::Sender<Option<SocketAddr>>) {
        #![strategy(OneForOne, max_restarts = 5, within = 1min)]

        /// Fails at a price that is not a number.
        prices: Prices = Prices,

        /// One for each customer.
        carts: [String => Cart] = |_customer: String| Cart { items: 0 },

        #[lifecycle(Permanent, ready)]
        http: task = |cx| serve(cx, port, exporter, address),
    }
}

struct Prices;

#[actor]
impl Prices {
    fn handle(&mut self, price: &'static str) -> Result<(), ParseIntError> {
        price.parse().map(|_cents: u64| ())
    }
}

struct Cart {
    items: u64,
}

#[actor]
impl Cart {
    /// Adds so many items.
    fn handle(&mut self, items: u64) {
        self.items += items;
    }
}

/// Serves `/metrics` until the tree stops.
async fn serve(
    cx: TaskContext,
    port: u16,
    exporter: PrometheusHandle,
    address: watch::Sender<Option<SocketAddr>>,
) -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    address.send_replace(Some(listener.local_addr()?));
    cx.ready();
    let router = Router::new().route("/metrics", get(move || std::future::ready(metrics(&exporter))));
    axum::serve(listener, router)
        .with_graceful_shutdown(async move {
            cx.stopped().await;
        })
        .await
}

/// The answer to a scrape. The gauges are those of this moment.
fn metrics(exporter: &PrometheusHandle) -> String {
    supervise::metrics::sample();
    exporter.render()
}

/// Installs the recorder for the whole process.
fn recorder() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new()
        .with_recommended_naming(true) // `_total` and `_seconds`, as Prometheus wants them
        .set_buckets(&[0.02, 1.0])? // a real service has more of them
        .install_recorder()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let port = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--once"] => None,
        ["--port", port] if port.parse::<u16>().is_ok() => port.parse().ok(),
        _ => {
            eprintln!("17_metrics: takes `--once` or `--port N`");
            return ExitCode::from(2);
        }
    };
    match run(port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("17_metrics: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(port: Option<u16>) -> Result<(), Box<dyn std::error::Error>> {
    let exporter = recorder()?;
    let (address, bound) = watch::channel(None);
    let shop = Shop::tree(port.unwrap_or(0), exporter, address).metrics().start().await?;
    let address = bound.borrow().ok_or("the front has no address")?;
    if port.is_none() {
        busy_day(&shop).await?;
        print!("{}", in_order(&scrape(address).await?));
    } else {
        println!("serving on http://{address}/metrics");
        let days = async {
            while busy_day(&shop).await.is_ok() {
                sleep(Duration::from_secs(20)).await;
            }
        };
        tokio::select! {
            () = days => println!("the shop has ended"),
            _signal = signal() => {}
        }
    }
    shop.shutdown().await;
    Ok(())
}

/// Two of the prices are wrong, and the third customer leaves before the cart has been filled.
async fn busy_day(shop: &Shop) -> Result<(), Box<dyn std::error::Error>> {
    for price in ["30", "3O", "45", "4S", "60"] {
        shop.prices.tell(price).await?;
    }
    for customer in ["ann", "bob", "eve"] {
        let cart = shop.carts.get_or_spawn(customer.to_owned()).await?;
        for items in 1..=3 {
            cart.tell(items).await?;
        }
        if customer == "eve" {
            cart.shutdown().await?;
        }
    }
    sleep(Duration::from_millis(100)).await; // the second restart of `prices` waits for 10 ms
    Ok(())
}

/// Gets `/metrics`, as Prometheus does.
async fn scrape(address: SocketAddr) -> Result<String, Box<dyn std::error::Error>> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, text) = answer.split_once("\r\n\r\n").ok_or("an answer without an end of its head")?;
    if !head.starts_with("HTTP/1.0 200") {
        return Err(head.to_owned().into());
    }
    Ok(text.to_owned())
}

/// Sorts the metrics by name and labels: the exporter gives them in any order.
fn in_order(text: &str) -> String {
    let mut metrics: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("# HELP") {
            metrics.push((line, Vec::new()));
        } else if let Some((_, lines)) = metrics.last_mut() {
            lines.push(line);
        }
    }
    // The buckets of a histogram stay in their order.
    let labels = |line: &&str| {
        let labels = line.find('{').map_or("", |at| line[at..].split(",le=").next().unwrap_or_default());
        (!line.starts_with('#'), labels.split('}').next().unwrap_or_default().to_owned())
    };
    metrics.iter_mut().for_each(|(_, lines)| lines.sort_by_key(labels));
    metrics.sort();
    metrics.iter().map(|(help, lines)| format!("{help}\n{}\n", lines.join("\n"))).collect()
}
