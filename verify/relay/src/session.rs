use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::stream::{SplitSink, SplitStream, StreamExt};
use supervise::Lagged;
use supervise::prelude::*;
use tokio::net::TcpStream;
use tokio::sync::broadcast;
use tokio::time::{sleep, timeout};
use tokio_util::codec::{Framed, LinesCodec, LinesCodecError};

use crate::config::Current;
use crate::journal::{Journal, JournalCalls};

pub type Wire = Framed<TcpStream, LinesCodec>;

/// One client.
pub struct Session {
    name: String,
    reader: Option<SplitStream<Wire>>,
    writer: SplitSink<Wire, String>,
    config: Current,
    feed: broadcast::Sender<Arc<str>>,
    journal: ActorRef<Journal>,
    subscribed: bool,
}

impl Session {
    pub fn new(
        name: String,
        wire: Wire,
        config: Current,
        feed: broadcast::Sender<Arc<str>>,
        journal: ActorRef<Journal>,
    ) -> Session {
        let (writer, reader) = wire.split();
        Session { name, reader: Some(reader), writer, config, feed, journal, subscribed: false }
    }
}

#[actor]
impl Session {
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) {
        let greeting = self.config.borrow().greeting.clone();
        self.say(format!("{greeting} {}", self.name), cx).await;
        if let Some(reader) = self.reader.take() {
            cx.follow(reader, SessionMsg::line).ended(SessionMsg::gone);
        }
    }

    /// Takes a line of the client.
    #[message]
    async fn line(&mut self, line: Result<String, LinesCodecError>, cx: &mut Context<Self>) {
        let Ok(line) = line else { return cx.stop() };
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match (word, rest) {
            ("SUB", "") => {
                if !self.subscribed {
                    self.subscribed = true;
                    cx.follow(self.feed.subscribe(), SessionMsg::item); // before the answer, so that no item is missed
                }
                self.say("OK subscribed".to_owned(), cx).await;
            }
            ("STATS", "") => {
                let answer = match self.journal.counts().await {
                    Ok(counts) => format!("OK ticks={} jobs={} last={}", counts.ticks, counts.jobs, counts.last_tick),
                    Err(error) => format!("ERR {error}"),
                };
                self.say(answer, cx).await;
            }
            ("GREETING", "") => {
                let greeting = self.config.borrow().greeting.clone();
                self.say(format!("OK {greeting}"), cx).await;
            }
            ("WORK", ms) => match ms.parse() {
                Ok(ms) => cx.run(sleep(Duration::from_millis(ms)), move |()| SessionMsg::worked(ms)),
                Err(error) => self.say(format!("ERR {error}"), cx).await,
            },
            ("PANIC", _) => panic!("{} asked for it", self.name),
            _ => self.say("ERR unknown".to_owned(), cx).await,
        }
    }

    /// Takes a line of the upstream.
    #[message]
    async fn item(&mut self, item: Result<Arc<str>, Lagged>, cx: &mut Context<Self>) {
        let text = match item {
            Ok(item) => format!("ITEM {item}"),
            Err(Lagged(missed)) => format!("MISSED {missed}"), // this client is slow, and the others do not wait
        };
        self.say(text, cx).await;
    }

    /// Ends a request.
    #[message]
    async fn worked(&mut self, ms: u64, cx: &mut Context<Self>) {
        self.say(format!("OK worked {ms}"), cx).await;
    }

    /// The client has closed.
    #[message]
    fn gone(&mut self, cx: &mut Context<Self>) {
        cx.stop();
    }

    #[post_stop]
    async fn bye(&mut self) {
        let _ = timeout(Duration::from_millis(500), self.writer.send("BYE".to_owned())).await;
    }

    /// Writes a line. A client that is gone, or takes nothing for 2 s, is no failure: the session ends.
    async fn say(&mut self, text: String, cx: &mut Context<Self>) {
        if !matches!(timeout(Duration::from_secs(2), self.writer.send(text)).await, Ok(Ok(()))) {
            tracing::info!(name = self.name, "the client is gone or too slow");
            cx.stop();
        }
    }
}
