//! An indexing pipeline of eight stages that share knowledge of the current document: all stages restart when one of
//! them fails (AllForOne). If the storage is away for longer, they come back more and more slowly, from 1 s to 10 min.
//!
//! Requirements: an unreadable document costs that document and a second; documents that wait meanwhile are not lost;
//! an outage of an hour needs no manual action.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle};

#[derive(Debug, Clone, PartialEq, Eq)]
struct Doc {
    number: u32,
    text: String,
}

#[derive(Debug, thiserror::Error)]
enum PipelineError {
    #[error("document {0} is not text")]
    Unreadable(u32),
    #[error("the segment store is away")]
    StoreAway,
    #[error("the next stage has ended")]
    NextGone,
}

/// The disk that the pipeline writes to, with planned outages.
#[derive(Clone, Default)]
struct Disk {
    segments: Arc<Mutex<Vec<Doc>>>,
    away: Arc<AtomicU32>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Disk {
    /// Logs the start and stop of a stage.
    fn log(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    fn mount(&self) -> Result<(), PipelineError> {
        match self.away.fetch_update(SeqCst, SeqCst, |times| times.checked_sub(1)) {
            Ok(_) => Err(PipelineError::StoreAway),
            Err(_) => Ok(()),
        }
    }
}

/// The last stage, which makes documents searchable.
struct Store {
    disk: Disk,
}

#[actor]
impl Store {
    async fn open(disk: Disk) -> Result<Store, PipelineError> {
        disk.mount()?;
        disk.log("+store".into());
        Ok(Store { disk })
    }
    fn handle(&mut self, doc: Doc) {
        self.disk.segments.lock().unwrap().push(doc);
    }
    #[post_stop]
    fn close(&mut self) {
        self.disk.log("-store".into());
    }
}

/// A stage works on a document and passes it on.
struct Stage<Next: Actor<Msg = Doc>> {
    name: &'static str,
    work: fn(&mut Doc) -> Result<(), PipelineError>,
    next: ActorRef<Next>,
    disk: Disk,
}

impl<Next: Actor<Msg = Doc>> Stage<Next> {
    fn new(
        name: &'static str,
        next: ActorRef<Next>,
        disk: Disk,
        work: fn(&mut Doc) -> Result<(), PipelineError>,
    ) -> Self {
        disk.log(format!("+{name}"));
        Stage { name, work, next, disk }
    }
}

impl<Next: Actor<Msg = Doc>> Actor for Stage<Next> {
    type Msg = Doc;
    type Error = PipelineError;

    async fn receive(&mut self, mut doc: Doc, _: &mut Context<Self>) -> Result<(), PipelineError> {
        tokio::time::sleep(ms(3)).await; // the work
        (self.work)(&mut doc)?;
        self.next.tell(doc).await.map_err(|_| PipelineError::NextGone)
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), PipelineError> {
        self.disk.log(format!("-{}", self.name));
        Ok(())
    }
}

fn readable(doc: &mut Doc) -> Result<(), PipelineError> {
    if doc.text.contains('\0') { Err(PipelineError::Unreadable(doc.number)) } else { Ok(()) }
}

fn nothing(_: &mut Doc) -> Result<(), PipelineError> {
    Ok(())
}

fn lower_case(doc: &mut Doc) -> Result<(), PipelineError> {
    doc.text = doc.text.to_lowercase();
    Ok(())
}

type Merge = Stage<Store>;
type Rank = Stage<Merge>;
type Fold = Stage<Rank>;
type Split = Stage<Fold>;
type Decode = Stage<Split>;
type Fetch = Stage<Decode>;
type Queue = Stage<Fetch>;

supervisor! {
    /// A stage is declared after the stage that it passes documents to: so the end of the pipe is up first, and goes
    /// down last.
    struct Indexing(disk: Disk) {
        #![strategy(AllForOne)]

        #[backoff(1s..10min, random_factor = 0)]
        store: Store = Store::open(disk).await?,
        #[backoff(1s..10min, random_factor = 0)]
        merge: Merge = Stage::new("merge", store, disk, nothing),
        #[backoff(1s..10min, random_factor = 0)]
        rank: Rank = Stage::new("rank", merge, disk, nothing),
        #[backoff(1s..10min, random_factor = 0)]
        fold: Fold = Stage::new("fold", rank, disk, lower_case),
        #[backoff(1s..10min, random_factor = 0)]
        split: Split = Stage::new("split", fold, disk, nothing),
        #[backoff(1s..10min, random_factor = 0)]
        decode: Decode = Stage::new("decode", split, disk, readable),
        #[backoff(1s..10min, random_factor = 0)]
        fetch: Fetch = Stage::new("fetch", decode, disk, nothing),
        #[backoff(1s..10min, random_factor = 0)]
        #[mailbox(Bounded(64))]
        queue: Queue = Stage::new("queue", fetch, disk, nothing),
    }
}

const DOWN: [&str; 8] = ["-queue", "-fetch", "-decode", "-split", "-fold", "-rank", "-merge", "-store"];
const UP: [&str; 8] = ["+store", "+merge", "+rank", "+fold", "+split", "+decode", "+fetch", "+queue"];

fn doc(number: u32, text: &str) -> Doc {
    Doc { number, text: format!("{text} {number}") }
}

fn found(disk: &Disk) -> Vec<u32> {
    disk.segments.lock().unwrap().iter().map(|doc| doc.number).collect()
}

/// S17, S5: one unreadable document is lost, with a second of time; the forty around it arrive, in order.
#[tokio::test(start_paused = true)]
async fn an_unreadable_document_costs_only_itself() {
    let disk = Disk::default();
    let indexing = Indexing::start(disk.clone()).await.unwrap();
    assert_eq!(std::mem::take(&mut *disk.log.lock().unwrap()), UP);
    let begin = Instant::now();
    for number in 0..40 {
        let text = if number == 17 { "\0" } else { "Text" };
        indexing.queue.tell(doc(number, text)).await.unwrap();
    }
    while found(&disk).len() < 39 {
        tokio::time::sleep(ms(1)).await;
        assert!(begin.elapsed() < secs(10), "documents are lost: {:?}", found(&disk));
    }
    let expected: Vec<u32> = (0..40).filter(|number| *number != 17).collect();
    assert_eq!(found(&disk), expected);
    assert!(begin.elapsed() > secs(1) && begin.elapsed() < ms(1500), "{:?}", begin.elapsed());
    assert_eq!(disk.segments.lock().unwrap()[3].text, "text 3");
    let log = std::mem::take(&mut *disk.log.lock().unwrap());
    assert_eq!(log[..8], DOWN, "from the source to the store");
    assert_eq!(log[8..], UP, "and back to the source");
    assert_eq!(indexing.dead_letters(), 0);
    indexing.shutdown().await;
    assert_eq!(*disk.log.lock().unwrap(), DOWN);
}

/// S14, S15, S31: the pipeline waits for the end of an outage: 1 s, 2 s, 4 s and so on up to 512 s, then every 10
/// minutes, with no limit; documents that were sent meanwhile are indexed.
#[tokio::test(start_paused = true)]
async fn an_outage_is_waited_out_ever_more_patiently() {
    let disk = Disk::default();
    let indexing = Indexing::start(disk.clone()).await.unwrap();
    let mut events = indexing.events();
    disk.away.store(12, SeqCst);
    let begin = Instant::now();
    indexing.queue.tell(doc(0, "\0")).await.unwrap();
    for number in 1..30 {
        indexing.queue.tell(doc(number, "sent before the fall")).await.unwrap();
    }
    while indexing.store.incarnation() < 14 {
        tokio::time::sleep(secs(60)).await;
        assert!(begin.elapsed() < secs(24 * 3600));
    }
    pass(secs(1)).await;
    let mut waits: Vec<Duration> = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        if let EventKind::RestartScheduled { after } = event.kind {
            waits.push(after);
        }
    }
    // The first delay belongs to the stage that failed; after that the store counts its own restarts.
    let seconds = [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600];
    assert_eq!(waits, seconds.map(secs));
    assert_eq!(found(&disk), (1..30).collect::<Vec<_>>());
    assert_eq!((indexing.dead_letters(), indexing.ended().is_none()), (0, true));

    // A streak ends after five quiet minutes; the next one begins with a second again (S32).
    pass(secs(301)).await;
    disk.away.store(1, SeqCst);
    indexing.queue.tell(doc(99, "\0")).await.unwrap();
    pass(secs(3)).await;
    indexing.queue.tell(doc(100, "after")).await.unwrap();
    pass(secs(1)).await;
    settle().await;
    assert_eq!(found(&disk).last(), Some(&100));
}
