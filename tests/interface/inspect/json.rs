//! Events, snapshots, health and reports as JSON (feature `serde`): S40, S42, S24.

use serde_json::{Value, json, to_value};
use supervise::prelude::*;
use supervise::testing::{self, Fault, Inject};

use crate::common::{Boom, Do, Journal, Probe, ms, secs};

#[derive(Debug, thiserror::Error)]
#[error("no answer")]
struct NoAnswer(#[source] std::io::Error);

/// The line of the tree's decider.
const ARMS: u32 = line!() + 4;

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Stop, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        #[limit(max_restarts = 1, within = 1min, on_limit = Stop)]
        db: Probe = Probe::start("db", journal).await?,
        #[mailbox(Bounded(2))]
        #[lifecycle(Transient, shutdown = 1s)]
        cart: Probe = Probe::start("cart", journal).await?,
        #[lifecycle(Permanent)]
        ticker: task = std::future::pending::<()>(),
    }
}

async fn shop() -> testing::Tested<Shop> {
    let shop = testing::start(Shop::tree(Journal::default())).seed(7).await.unwrap();
    shop.advance(ms(1500)).await;
    shop
}

/// A place in this file.
fn place(line: u32, column: u32) -> String {
    format!("{}:{line}:{column}", file!())
}

fn no_answer() -> Fault {
    Fault::error(NoAnswer(std::io::Error::other("connection reset")))
}

fn failure() -> Value {
    json!({
        "path": "db", "incarnation": 1, "phase": "running", "cause": "error",
        "chain": ["no answer", "connection reset"],
    })
}

/// S40: an event has its path, the time since the start, a word for its kind, and the data of that kind.
#[tokio::test(start_paused = true)]
async fn events() {
    let mut shop = shop().await;
    shop.db.inject(no_answer());
    shop.advance(secs(3)).await;
    shop.db.inject(Fault::panic("out of luck"));
    shop.settle().await;
    let all: Vec<Value> = shop.record().events().iter().map(|event| to_value(event).unwrap()).collect();
    let db = |at: u64, incarnation: u32, event: &str| json!({ "path": "db", "at_ms": at, "incarnation": incarnation, "event": event });
    let with = |mut value: Value, more: Value| {
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value
    };
    let second = json!({ "path": "db", "incarnation": 2, "phase": "running", "cause": "panic",
        "chain": ["panicked: out of luck"] });
    let limit = json!({ "path": "db", "incarnation": 2, "phase": "running", "cause": "limit_reached",
        "chain": ["restarted too often"], "before": second });
    let by = json!({ "by": "supervisor", "arm": { "index": 1, "text": "_ => Restart", "at": place(ARMS, 41) } });
    assert_eq!(all[0], db(0, 1, "started"));
    assert_eq!(all[3], json!({ "path": "Shop", "at_ms": 0, "incarnation": 1, "event": "started", "seed": 7 }));
    assert_eq!(
        all[4..],
        [
            with(db(1500, 1, "failed"), json!({ "failure": failure() })),
            with(
                with(db(1500, 1, "decided"), by.clone()),
                json!({ "directive": "restart", "failure": failure(), "streak": 1 })
            ),
            with(db(1500, 1, "restart_scheduled"), json!({ "after_ms": 3000 })),
            db(4500, 2, "restarted"),
            with(db(4500, 2, "failed"), json!({ "failure": second })),
            with(with(db(4500, 2, "decided"), by), json!({ "directive": "stop", "failure": second, "streak": 2 })),
            with(db(4500, 2, "limit_reached"), json!({ "max_restarts": 1 })),
            with(db(4500, 2, "ended"), json!({ "ended": { "why": "limit", "failure": limit } })),
        ]
    );
}

/// S40: an event that stands for missed ones says how many there were.
#[tokio::test(start_paused = true)]
async fn a_gap_between_events() {
    let shop = shop().await;
    let mut slow = shop.events();
    for _ in 0..supervise::event::EVENT_BUFFER {
        shop.db.stop();
        shop.db.terminated().await.unwrap();
        shop.db.start_again().unwrap().await.unwrap(); // stopping, ended, started
    }
    let gap = to_value(slow.next().await.unwrap()).unwrap();
    assert_eq!(gap, json!({ "path": "Shop", "at_ms": 1500, "incarnation": 0, "event": "missed", "missed": 2048 }));
}

/// S42: a snapshot is a tree of nodes.
#[tokio::test(start_paused = true)]
async fn a_snapshot() {
    let shop = shop().await;
    shop.db.inject(no_answer());
    shop.ticker.stop();
    shop.settle().await;
    assert_eq!(
        to_value(shop.snapshot()).unwrap(),
        json!({ "at_ms": 1500, "root": {
            "path": "Shop", "name": "Shop", "kind": "tree", "state": "running", "lifecycle": "temporary",
            "strategy": "one_for_one", "incarnation": 1, "streak": 0, "children": [
                {
                    "path": "db", "name": "db", "kind": "actor", "state": "backing_off", "until_ms": 4500,
                    "lifecycle": "permanent", "incarnation": 1, "streak": 1,
                    "declared_at": place(ARMS + 3, 9), "hooks": ["pre_start", "post_stop", "pre_restart", "post_restart"],
                    "settings": ["backoff(3s..30s, random_factor = 0)",
                        "limit(max_restarts = 1, within = 1min, on_limit = Stop)"],
                    "restarts": {
                        "used": 1, "max": 1, "within_ms": 60000, "restored_ms": 61500, "shared": false, "on_limit": "stop",
                        "outage_ms": 3000, "outage_most_ms": 3000,
                    },
                    "mailbox": { "waiting": 0, "capacity": 1024, "blocked": 0 },
                    "last_failure": failure(), "children": [],
                },
                {
                    "path": "cart", "name": "cart", "kind": "actor", "state": "running",
                    "lifecycle": "transient", "incarnation": 1, "streak": 0,
                    "up_since_ms": 0, "declared_at": place(ARMS + 6, 9), "hooks": ["pre_start", "post_stop", "pre_restart", "post_restart"],
                    "settings": ["mailbox(Bounded(2))", "lifecycle(Transient, shutdown = 1s)"],
                    "restarts": { "used": 0, "max": 10, "within_ms": 60000, "shared": false, "on_limit": "escalate",
                        "outage_ms": 5110, "outage_most_ms": 5110 },
                    "mailbox": { "waiting": 0, "capacity": 2, "blocked": 0 }, "children": [],
                },
                {
                    "path": "ticker", "name": "ticker", "kind": "task", "state": "ended",
                    "ended": { "why": "stopped" }, "lifecycle": "permanent", "incarnation": 1, "streak": 0,
                    "declared_at": place(ARMS + 8, 9), "settings": ["lifecycle(Permanent)"],
                    "restarts": { "used": 0, "max": 10, "within_ms": 60000, "shared": false, "on_limit": "escalate",
                        "outage_ms": 5120, "outage_most_ms": 5120 }, "children": [],
                },
            ],
        }})
    );
}

/// S42: health is a status with its symptoms.
#[tokio::test(start_paused = true)]
async fn health() {
    let shop = shop().await;
    assert_eq!(to_value(shop.health()).unwrap(), json!({ "status": "healthy", "symptoms": [] }));
    shop.db.inject(no_answer());
    shop.cart.inject(Fault::error(Boom::Fatal));
    shop.ticker.inject(Fault::panic("out of luck"));
    shop.advance(ms(10)).await;
    let cart = json!({ "path": "cart", "incarnation": 1, "phase": "running", "cause": "error", "chain": ["Fatal"] });
    assert_eq!(
        to_value(shop.health()).unwrap(),
        json!({ "status": "degraded", "symptoms": [
            { "path": "db", "reason": "down", "state": "backing_off" },
            { "path": "cart", "reason": "ended", "ended": { "why": "failed", "failure": cart } },
            { "path": "ticker", "reason": "streak", "streak": 1 },
        ]})
    );
}

/// S24: the report of a shutdown contains how the tree and each child ended.
#[tokio::test(start_paused = true)]
async fn a_report() {
    let shop = shop().await;
    shop.cart.tell(Do::Hang).await.unwrap();
    shop.settle().await;
    let (report, _) = shop.shutdown().await;
    assert_eq!(
        to_value(report).unwrap(),
        json!({ "ended": { "why": "stopped" }, "orderly": false, "children": [
            { "path": "ticker", "ended": { "why": "stopped" }, "took_ms": 0, "aborted": false, "stuck": false },
            { "path": "cart", "ended": { "why": "aborted" }, "took_ms": 1000, "aborted": true, "stuck": false },
            { "path": "db", "ended": { "why": "stopped" }, "took_ms": 0, "aborted": false, "stuck": false },
        ]})
    );
}

/// S50, S53: a page, and a request of an operator.
#[tokio::test(start_paused = true)]
async fn a_page_and_a_request() {
    use supervise::event::Operation;
    use supervise::inspect::{NodeStateKind, Page};

    let mut shop = shop().await;
    shop.operate("ticker", Operation::StartAgain, "alice").unwrap_err();
    let asked = shop.record().events().last().map(|event| to_value(event).unwrap());
    assert_eq!(
        asked,
        Some(json!({ "path": "ticker", "at_ms": 1500, "incarnation": 1, "event": "requested",
            "operation": "start_again", "by": "alice" }))
    );
    let page = shop.page_of("Shop", &Page::new().from(2).state(NodeStateKind::Running)).unwrap();
    assert_eq!(
        to_value(page).unwrap(),
        json!({ "at_ms": 1500, "total": 3, "matching": 3, "nodes": [{
            "path": "ticker", "name": "ticker", "kind": "task", "state": "running",
            "lifecycle": "permanent", "incarnation": 1, "streak": 0, "up_since_ms": 0,
            "declared_at": place(ARMS + 8, 9), "settings": ["lifecycle(Permanent)"],
            "restarts": { "used": 0, "max": 10, "within_ms": 60000, "shared": false, "on_limit": "escalate",
                        "outage_ms": 5120, "outage_most_ms": 5120 }, "children": [],
        }] })
    );
}

#[derive(Debug)]
struct Huge(usize);

impl std::fmt::Display for Huge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")?;
        (0..self.0).try_for_each(|_| f.write_str("ä"))?; // two bytes each, none of which is at an even place
        f.write_str("!")
    }
}

impl std::error::Error for Huge {}

#[derive(Debug, thiserror::Error)]
#[error("level {0}")]
struct Level(u32, #[source] Option<Box<Level>>);

/// S40: a text of an error is cut between two characters, and the rest is counted. So is a chain that is too long.
#[tokio::test(start_paused = true)]
async fn huge_errors_are_cut() {
    let mut shop = shop().await;
    shop.db.inject(Fault::error(Huge(1 << 20)));
    shop.ticker.inject(Fault::panic("y".repeat((16 << 10) + 7)));
    let levels = (0..100).fold(None, |below, level| Some(Box::new(Level(99 - level, below))));
    shop.cart.inject(Fault::error(*levels.unwrap()));
    shop.settle().await;
    let events: Vec<Value> = shop.record().events().iter().map(|event| to_value(event).unwrap()).collect();
    let failed = |path: &str| {
        let failed = events.iter().find(|event| event["path"] == path && event["event"] == "failed").unwrap();
        failed["failure"]["chain"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect::<Vec<_>>()
    };
    let shown = (16 << 10) / 2 - 1; // 16 KiB would be in the middle of a character
    let rest = ((1 << 20) - shown) * 2 + 1;
    assert_eq!(failed("db"), [format!("x{} .. ({rest} bytes more)", "ä".repeat(shown))]);
    assert_eq!(failed("ticker"), [format!("panicked: {} .. (17 bytes more)", "y".repeat((16 << 10) - 10))]);
    let chain = failed("cart");
    assert_eq!(
        (chain.len(), chain[0], chain[31], chain[32]),
        (33, "level 0", "level 31", "(further sources are left out)")
    );
}
