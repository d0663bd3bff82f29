//! The spans of a tree for OpenTelemetry: each incarnation of a child is a span below that of its supervisor, and the
//! code of the child runs in it. So what the code logs is an event of this span, and spans of the application are below
//! it. The bridge is `tracing-opentelemetry`; the runtime knows nothing of it.
//!
//! A real program gives its spans to an exporter such as `opentelemetry-otlp`. This one collects and prints them. Look
//! at the two incarnations of `db`, which are two spans below that of `stock`, and at the reason for the second one.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use opentelemetry::trace::{SpanId, TracerProvider};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use supervise::prelude::*;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

supervisor! {
    struct Shop {
        stock: struct Stock {
            db: Db = Db { rows: 0 },
        },
    }
}

struct Db {
    rows: u64,
}

#[derive(Debug)]
struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the disk is full")
    }
}

impl std::error::Error for Full {}

#[actor]
impl Db {
    fn handle(&mut self, rows: u64) -> Result<(), Full> {
        let _insert = tracing::info_span!("insert", rows).entered(); // a span of the application
        self.rows += rows;
        if self.rows > 10 {
            tracing::error!(self.rows, "too many rows");
            return Err(Full);
        }
        Ok(())
    }

    #[post_restart]
    fn empty(&mut self, failure: &Failure) {
        tracing::warn!(%failure, "begins again, with an empty table");
    }
}

/// Collects the spans that have ended.
#[derive(Clone, Debug, Default)]
struct Collected(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Collected {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().expect("no thread panics here").extend(batch);
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let collected = Collected::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(collected.clone()).build();
    let bridge = tracing_opentelemetry::layer().with_tracer(provider.tracer("shop"));
    // The spans of incarnations have the level `error`, so that each filter shows them.
    tracing_subscriber::registry()
        .with(bridge.with_filter(Targets::new().with_default(LevelFilter::INFO)))
        .try_init()?;

    let shop = Shop::start().await?;
    for rows in [7, 7, 2] {
        shop.stock.db.tell(rows).await?; // the second one is too much
    }
    supervise::testing::settle().await;
    shop.shutdown().await;
    provider.shutdown()?;

    let spans = collected.0.lock().expect("no thread panics here");
    print(&spans, SpanId::INVALID, 0);
    Ok(())
}

/// Prints the spans below this one, in the order of their begin.
fn print(spans: &[SpanData], parent: SpanId, depth: usize) {
    let mut below: Vec<&SpanData> = spans.iter().filter(|span| span.parent_span_id == parent).collect();
    below.sort_by_key(|span| span.start_time);
    for span in below {
        let facts: HashMap<&str, String> =
            span.attributes.iter().map(|fact| (fact.key.as_str(), fact.value.to_string())).collect();
        let shown: Vec<String> = ["path", "incarnation", "rows"]
            .iter()
            .filter_map(|name| facts.get(name).map(|value| format!("{name}={value}")))
            .collect();
        println!("{}{} {}", "    ".repeat(depth), span.name, shown.join(" "));
        for event in span.events.iter() {
            let failure = event.attributes.iter().find(|fact| fact.key.as_str() == "failure");
            let why = failure.map(|fact| format!(": {}", fact.value)).unwrap_or_default();
            println!("{}* {}{why}", "    ".repeat(depth + 1), event.name);
        }
        print(spans, span.span_context.span_id(), depth + 1);
    }
}
