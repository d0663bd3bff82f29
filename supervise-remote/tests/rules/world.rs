//! The tree of these tests: a log of what acts, and remote children that write into it.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
pub(crate) use supervise::event::{Event, EventKind};
pub(crate) use supervise::prelude::*;
pub(crate) use supervise_remote::testing::Cluster;
pub(crate) use supervise_remote::{Net, RemoteRef};

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MS: Duration = Duration::from_millis(1);

/// An entry of the log: who, and what it did.
pub(crate) type Log = Arc<Mutex<Vec<String>>>;

/// Logs by number: the values of a start expression cross, so a test names its log by a number.
pub(crate) fn log(number: u64) -> Log {
    static LOGS: OnceLock<Mutex<std::collections::HashMap<u64, Log>>> = OnceLock::new();
    LOGS.get_or_init(Mutex::default).lock().unwrap().entry(number).or_default().clone()
}

pub(crate) fn new_log() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

pub(crate) fn said(number: u64) -> Vec<String> {
    log(number).lock().unwrap().clone()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("pricing: {0}")]
pub(crate) struct PricingError(pub(crate) String);

/// An actor that runs on nodes.
pub(crate) struct Pricing {
    pub(crate) factor: u64,
    pub(crate) log: u64,
    pub(crate) seen: Vec<u64>,
    pub(crate) kept: Vec<Reply<u64>>,
}

/// A value that cannot be written.
#[derive(Debug, Deserialize)]
pub(crate) struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("unwritable"))
    }
}

/// A value that cannot be read.
#[derive(Debug, Serialize)]
pub(crate) struct Unreadable(pub(crate) bool);

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match bool::deserialize(deserializer)? {
            true => panic!("unreadable"),
            false => Err(serde::de::Error::custom("unreadable")),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) enum PricingMsg {
    Quote(u64, Reply<u64>),
    Note(u64),
    Seen(Reply<Vec<u64>>),
    Slow(u64, u64),
    Fail(String),
    Panic,
    Quit,
    Token(Reply<(u64, u64)>),
    Nested(Option<Vec<Reply<u64>>>),
    BadReply(Reply<Unwritable>),
    Bad(Unwritable),
    Unread(Unreadable),
    Large(Vec<u8>),
    Keep(Reply<u64>),
    Block(u64),
}

#[actor]
impl Pricing {
    pub(crate) async fn open(factor: u64, log: u64, slow: u64) -> Result<Pricing, PricingError> {
        tokio::time::sleep(Duration::from_millis(slow)).await;
        match factor {
            0 => Err(PricingError("no price".into())),
            _ => Ok(Pricing { factor, log, seen: Vec::new(), kept: Vec::new() }),
        }
    }

    fn note(&self, what: impl std::fmt::Display) {
        log(self.log).lock().unwrap().push(what.to_string());
    }

    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) {
        self.note(format_args!("start #{}", cx.incarnation()));
    }

    #[pre_restart]
    fn pre_restart(&mut self, failure: &Failure) {
        self.note(format_args!("pre_restart {}", failure.cause()));
    }

    #[post_restart]
    fn post_restart(&mut self, failure: &Failure) {
        self.note(format_args!("post_restart {}", failure.cause()));
    }

    #[post_stop]
    fn post_stop(&mut self) {
        self.note("post_stop");
    }

    async fn handle(&mut self, msg: PricingMsg, cx: &mut Context<Self>) -> Result<(), PricingError> {
        match msg {
            PricingMsg::Quote(item, reply) => reply.send(item * self.factor),
            PricingMsg::Note(n) => {
                self.note(n);
                self.seen.push(n);
            }
            PricingMsg::Seen(reply) => reply.send(self.seen.clone()),
            PricingMsg::Slow(n, ms) => {
                self.note(format_args!("slow {n}"));
                tokio::time::sleep(Duration::from_millis(ms)).await;
                self.note(format_args!("done {n}"));
            }
            PricingMsg::Fail(why) => return Err(PricingError(why)),
            PricingMsg::Panic => panic!("on the node"),
            PricingMsg::Quit => cx.stop(),
            PricingMsg::Token(reply) => {
                let token = cx.fence().expect("on a node");
                reply.send((token.epoch, token.placement));
            }
            PricingMsg::Nested(replies) => {
                for (n, reply) in replies.into_iter().flatten().enumerate() {
                    reply.send(n as u64);
                }
            }
            PricingMsg::BadReply(reply) => reply.send(Unwritable),
            PricingMsg::Keep(reply) => self.kept.push(reply),
            PricingMsg::Bad(_) | PricingMsg::Unread(_) | PricingMsg::Large(_) => {}
            PricingMsg::Block(ms) => std::thread::sleep(Duration::from_millis(ms)),
        }
        Ok(())
    }
}

supervisor! {
    pub(crate) struct Shop(factor: u64, log: u64) {
        #[on("worker", lease = 2s, window = 4)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(factor, log, 0).await?,
    }
}

/// A cluster with nodes of these names.
pub(crate) fn cluster(names: &[&str]) -> Cluster {
    let mut cluster = Cluster::new();
    for name in names {
        cluster.node(name, Shop::node("worker"));
    }
    cluster
}

supervisor! {
    /// Instances of several shapes.
    pub(crate) struct Many(log: u64) {
        #![on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        shards: [remote Pricing; 4] = |i| Pricing::open(i as u64 + 1, log, 0).await?,
        #[on(spread = OnePerNode)]
        #[lifecycle(Permanent, shutdown = 1s)]
        apart: [remote Pricing; 2] = |i| Pricing::open(i as u64 + 1, log, 0).await?,
        #[on("edge")]
        sessions: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
    }
}

/// Waits until this is true, in virtual time.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..20_000 {
        if is() {
            return;
        }
        tokio::time::sleep(5 * MS).await;
    }
    panic!("not within 100 s: {what}");
}

/// Collects the events of a tree as text, from now on.
pub(crate) fn events(events: supervise::event::Events) -> Arc<Mutex<Vec<Event>>> {
    let all: Arc<Mutex<Vec<Event>>> = Arc::default();
    let into = all.clone();
    tokio::spawn(async move {
        let mut events = events;
        while let Some(event) = events.next().await {
            assert!(!matches!(event.kind, EventKind::Missed { .. }), "they are read at once");
            into.lock().unwrap().push(event);
        }
    });
    all
}

pub(crate) fn count(events: &Mutex<Vec<Event>>, is: impl Fn(&EventKind) -> bool) -> usize {
    events.lock().unwrap().iter().filter(|event| is(&event.kind)).count()
}

/// Keeps the texts of the log.
#[derive(Clone, Default)]
pub(crate) struct Texts(pub(crate) Log);

impl tracing::field::Visit for Texts {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{field}={value:?}"));
    }
}

impl tracing::Subscriber for Texts {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("supervise")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

impl Texts {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}
