//! The live streams, and the driver that feeds them: it reads the events always, and samples the tree only while somebody
//! looks on.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use supervise::event::{Event, EventKind, Events};
use supervise::inspect::Inspect as _;
use supervise::inspect::{Extent, Observe};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::log::{Cursor, Log, Message, Over, Told, View};
use crate::part::Part;
use crate::sample::{Sample, to_json};

/// The time between two samples, if they cost little.
const PACE: Duration = Duration::from_millis(500);

/// A sample is followed by a pause of this many times the time that it took, so that sampling takes 3 % of a core.
const PAUSE: u32 = 32;

/// Something is sent to viewers at least this often.
const BEAT: Duration = Duration::from_secs(5);

/// The time that the last sample has: an error that is slow to show must not keep the streams from their end. It is shorter
/// than the time that a server waits for its connections.
const LAST: Duration = Duration::from_millis(750);

/// The state that a console and its viewers share.
pub(crate) struct Shared {
    pub(crate) part: Part,
    pub(crate) log: Arc<Log>,
    declared: OnceLock<HashSet<String>>,
}

impl Shared {
    pub(crate) fn new(part: Part, max_streams: usize) -> Self {
        Shared { part, log: Arc::new(Log::new(max_streams)), declared: OnceLock::new() }
    }

    /// Returns whether this is the path of a declared child, or of the tree itself.
    fn is_declared(&self, path: &str) -> bool {
        let declared = self.declared.get_or_init(|| {
            let paths = self.part.declared().into_iter().map(|(path, _)| path);
            paths.chain([self.part.path.to_string()]).collect()
        });
        declared.contains(path)
    }

    /// Returns the last events of this path, oldest first.
    pub(crate) fn events_of(&self, path: &str, most: usize) -> Vec<Arc<str>> {
        self.log.of_path(path, self.is_declared(path), most)
    }

    fn tell(&self, event: &Event) {
        if self.part.contains(&event.path) {
            // An event that cannot be serialized, since its error panics when formatted, is a gap.
            let told = to_json(event)
                .map_or(Told::Gap(1), |json| Told::Event { path: event.path.as_str().into(), json: json.into() });
            self.log.tell(told, self.is_declared(&event.path));
        }
    }

    /// Reads the events until the tree has ended. The subscription pauses now and then for the sake of other tasks.
    async fn pump(&self, mut events: Events) {
        while let Some(event) = events.next().await {
            match event.kind {
                EventKind::Missed { events } => self.log.tell(Told::Gap(events), false),
                _ => self.tell(&event),
            }
        }
    }

    /// Samples the tree while somebody looks on.
    async fn watch(&self) {
        let mut visits = self.log.visits();
        loop {
            while !self.log.is_viewed() {
                _ = visits.changed().await; // never an error: the log keeps the sender
            }
            let _observing = self.part.tree.observe(Observe::EVERYTHING);
            self.watch_while_viewed(&mut visits).await;
        }
    }

    async fn watch_while_viewed(&self, visits: &mut watch::Receiver<()>) {
        let (mut due, mut sent) = (Instant::now(), Instant::now());
        while self.log.is_viewed() {
            if Instant::now() >= due {
                let (is_new, took) = self.sample().await;
                due = Instant::now() + PACE.max(took.saturating_mul(PAUSE));
                if is_new {
                    sent = Instant::now();
                }
            }
            let now = Instant::now();
            if now >= sent + BEAT {
                self.log.beat(now);
                sent = now;
            }
            tokio::select! {
                () = sleep_until(due.min(sent + BEAT)) => {}
                _ = visits.changed() => {}
            }
        }
    }

    /// Samples the tree. Returns whether anything has changed, and the time that it took.
    ///
    /// The walk runs on a thread for blocking work: a tree with many nodes takes milliseconds, and the texts of errors are
    /// user code.
    async fn sample(&self) -> (bool, Duration) {
        let (part, before) = (self.part.clone(), self.log.latest());
        let sampled = spawn_blocking(move || {
            let begun = std::time::Instant::now();
            let dead_letters = part.tree.dead_letters();
            let sample = Sample::of(part.tree.snapshot_of(&part.path, Extent::Declared)?, dead_letters);
            let lists = before.as_ref().and_then(|before| sample.since(before));
            Some((Arc::new(sample), lists, before.is_none(), begun.elapsed()))
        });
        let Ok(Some((sample, lists, is_first, took))) = sampled.await else { return (false, PACE) };
        let is_new = is_first || lists.is_some();
        self.log.sample(sample, lists);
        (is_new, took)
    }

    /// Feeds the viewers until the tree has ended.
    pub(crate) async fn drive(&self, events: Events) {
        tokio::select! {
            () = self.pump(events) => {}
            () = self.watch() => {}
        }
        let ended = self.part.tree.ended();
        let ended = ended.as_ref().and_then(to_json).unwrap_or_else(|| "null".to_owned());
        self.end(Over::Ended(format!("{{\"ended\":{ended}}}").into())).await;
    }

    /// Ends the streams, after a last look at the tree.
    pub(crate) async fn end(&self, over: Over) {
        if !self.log.is_over() {
            let _ = timeout(LAST, self.sample()).await; // an error: viewers do not see the last changes
            self.log.end(over);
        }
    }
}

/// The data of `end` if the console goes down together with the tree, whose end it does not live to see.
pub(crate) fn going_down() -> Over {
    Over::Ended(r#"{"ended":null,"reason":"shutdown"}"#.into())
}

/// A stream to one viewer.
struct Stream {
    view: View,
    cursor: Cursor,
    news: watch::Receiver<()>,
    /// The number of the last message.
    id: u64,
    is_over: bool,
    /// Sent if nothing else was for the time of [`BEAT`]; empty if the log sees to that.
    beat: &'static str,
    write: fn(&mut Stream, Message, &mut String),
}

impl Stream {
    fn body(view: View, cursor: Cursor, beat: &'static str, write: fn(&mut Stream, Message, &mut String)) -> Body {
        let news = view.log().news();
        let stream = Stream { view, cursor, news, id: 0, is_over: false, beat, write };
        Body::from_stream(stream::unfold(stream, |mut stream| async move {
            let text = stream.next().await?;
            Some((Ok::<_, Infallible>(Bytes::from(text)), stream))
        }))
    }

    async fn next(&mut self) -> Option<String> {
        let mut text = String::new();
        let due = Instant::now() + BEAT;
        while text.is_empty() && !self.is_over {
            self.news.mark_unchanged();
            let messages = self.view.log().read(&mut self.cursor);
            if messages.is_empty() {
                let changed = self.news.changed();
                let changed = match self.beat {
                    "" => changed.await,
                    beat => match timeout_at(due, changed).await {
                        Ok(changed) => changed,
                        Err(_) => return Some(beat.to_owned()),
                    },
                };
                if changed.is_err() {
                    break;
                }
            }
            for message in messages {
                self.is_over |= matches!(message, Message::Over(_));
                (self.write)(self, message, &mut text);
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// Writes a server-sent event. The data has no line breaks, since it is JSON.
    fn sse(&mut self, kind: &str, data: &str, text: &mut String) {
        self.id += 1;
        let id = self.id;
        _ = write!(text, "id: {id}\nevent: {kind}\ndata: {data}\n\n"); // a string takes everything
    }
}

/// The body of `live`.
pub(crate) fn live(view: View) -> Body {
    let cursor = view.log().cursor(true);
    Stream::body(view, cursor, "", |stream, message, text| match message {
        Message::Snapshot(seq, sample) => {
            let (at_ms, dead_letters) = (sample.at_ms(), sample.dead_letters);
            let data = format!(
                "{{\"seq\":{seq},\"at_ms\":{at_ms},\"dead_letters\":{dead_letters},\"root\":{}{}}}",
                sample.text(),
                sample.network(),
            );
            stream.sse("snapshot", &data, text);
        }
        Message::Delta(data) => stream.sse("delta", &data, text),
        Message::Told(Told::Event { json, .. }) => stream.sse("event", &json, text),
        Message::Told(Told::Gap(missed)) => stream.sse("gap", &format!("{{\"missed\":{missed}}}"), text),
        Message::Over(Over::Ended(data)) => stream.sse("end", &data, text),
        Message::Over(Over::Closed) => {}
    })
}

/// The body of `events.ndjson`, which begins with this many of the last events. An empty line is a sign of life: a
/// reader has to skip it.
pub(crate) fn lines(view: View, past: usize) -> Body {
    let cursor = view.log().cursor_before(past);
    Stream::body(view, cursor, "\n", |_, message, text| match message {
        Message::Told(Told::Event { json, .. }) => {
            text.push_str(&json);
            text.push('\n');
        }
        Message::Told(Told::Gap(missed)) => _ = writeln!(text, "{{\"missed\":{missed}}}"),
        Message::Snapshot(..) | Message::Delta(_) | Message::Over(_) => {}
    })
}
