//! A node that makes streams of documents searchable. Each index has a pipeline of eight stages, which remembers how far
//! it has come only in what it has published.
//!
//! Requirements:
//! * A failure of any stage is one of its whole pipeline, which begins again where it has published last: no document
//!   is lost, and none is published twice. An unreadable document costs that document and a second.
//! * An outage of the catalogue needs no manual action: pipelines come back more and more slowly, from 1 s to 10 min.
//! * After a start of the node, ten pipelines at most ask the catalogue at a time.
//! * An upload that hangs is given up after half a minute.
//! * The stream learns how far it is published, and forgets what is before.
//! * A stream that has ended ends its pipeline, when all of it is published. An index that is deleted ends it, too.
//! * Indexing is hard work, and has threads of its own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::SpawnError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle, soon};

// The work: stand-ins.

type Index = u32;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum PipelineError {
    #[error("document {0} is not text")]
    Unreadable(usize),
    #[error("the catalogue is away")]
    CatalogueAway,
    #[error("there is no such index")]
    NoSuchIndex,
    #[error("document {0} is published already")]
    Published(usize),
}

/// A stream of documents, and what is published of it.
#[derive(Clone, Default)]
struct Stream {
    documents: Vec<String>,
    has_ended: bool,
    /// The documents that cannot be read.
    set_aside: HashSet<usize>,
    published: Vec<usize>,
    /// The number of the first document that is not published.
    next: usize,
    /// The number of documents that the stream has forgotten.
    forgotten: usize,
}

/// The streams and the catalogue of the indexes.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    streams: HashMap<Index, Stream>,
    /// The time that a stage needs for a document.
    pace: Duration,
    /// The number of questions that the catalogue does not answer.
    away: u32,
    opening: (u32, u32),
    uploads_hang: bool,
    indexed_by: HashSet<String>,
    log: Vec<String>,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn of<T>(&self, index: Index, f: impl FnOnce(&mut Stream) -> T) -> Result<T, PipelineError> {
        self.with(|outside| outside.streams.get_mut(&index).map(f).ok_or(PipelineError::NoSuchIndex))
    }

    fn log(&self, line: String) {
        self.with(|outside| outside.log.push(line));
    }

    /// Asks the catalogue for an index.
    async fn open(&self, index: Index) -> Result<(), PipelineError> {
        let pace = self.with(|outside| {
            outside.opening.0 += 1;
            outside.opening.1 = outside.opening.1.max(outside.opening.0);
            outside.pace
        });
        tokio::time::sleep(pace * 100).await;
        self.with(|outside| {
            outside.opening.0 -= 1;
            match outside.away.checked_sub(1) {
                Some(left) => outside.away = left,
                None => return Ok(()),
            }
            Err(PipelineError::CatalogueAway)
        })?;
        self.of(index, |_| ())
    }

    async fn work(&self, index: Index, stage: &str, number: usize, text: &str) -> Result<(), PipelineError> {
        let (pace, hangs) = self.with(|outside| (outside.pace, outside.uploads_hang));
        tokio::time::sleep(pace).await;
        match stage {
            "parse" if text == "\0" => {
                self.of(index, |stream| stream.set_aside.insert(number))?;
                return Err(PipelineError::Unreadable(number));
            }
            "index" => {
                let thread = std::thread::current().name().unwrap_or_default().to_owned();
                self.with(|outside| outside.indexed_by.insert(thread));
            }
            "upload" if hangs => std::future::pending().await,
            _ => {}
        }
        Ok(())
    }
}

#[derive(Clone)]
enum Item {
    Document(usize, String),
    End,
}

/// The last stage.
struct Publisher {
    index: Index,
    source: ActorRef<Source>,
    world: World,
}

#[actor]
impl Publisher {
    fn new(index: Index, source: ActorRef<Source>, world: World) -> Self {
        world.log("+publish".to_owned());
        Publisher { index, source, world }
    }

    async fn handle(&mut self, item: Item, cx: &mut Context<Self>) -> Result<(), PipelineError> {
        let Item::Document(number, _) = item else {
            cx.stop();
            return Ok(());
        };
        self.world.of(self.index, |stream| {
            if number < stream.next {
                return Err(PipelineError::Published(number));
            }
            stream.next = number + 1;
            stream.published.push(number);
            Ok(())
        })??;
        let _ = self.source.published_until(number + 1).forget().await; // an error: the source has ended
        Ok(())
    }

    #[post_stop]
    fn close(&mut self) {
        self.world.log("-publish".to_owned());
    }
}

/// A stage works on a document and passes it on.
struct Stage<Next: Actor<Msg = Item>> {
    name: &'static str,
    index: Index,
    next: ActorRef<Next>,
    world: World,
}

#[actor]
impl<Next: Actor<Msg = Item>> Stage<Next> {
    fn new(name: &'static str, index: Index, next: ActorRef<Next>, world: World) -> Self {
        world.log(format!("+{name}"));
        Stage { name, index, next, world }
    }

    async fn handle(&mut self, item: Item, cx: &mut Context<Self>) -> Result<(), Thrown> {
        match &item {
            Item::Document(number, text) => self.world.work(self.index, self.name, *number, text).await?,
            Item::End => cx.stop(),
        }
        Ok(self.next.tell(item).await?)
    }

    #[post_stop]
    fn close(&mut self) {
        self.world.log(format!("-{}", self.name));
    }
}

/// Reads the stream.
struct Source {
    index: Index,
    position: usize,
    parse: ActorRef<Parse>,
    world: World,
}

#[actor]
impl Source {
    fn new(index: Index, parse: ActorRef<Parse>, world: World) -> Result<Self, PipelineError> {
        world.log("+source".to_owned());
        Ok(Source { index, position: world.of(index, |stream| stream.next)?, parse, world })
    }

    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_after(Duration::ZERO, SourceMsg::read());
    }

    #[message]
    fn published_until(&mut self, number: usize) -> Result<(), Thrown> {
        Ok(self.world.of(self.index, |stream| stream.forgotten = number)?)
    }

    #[message]
    async fn read(&mut self, cx: &mut Context<Self>) -> Result<(), Thrown> {
        let stream = self.world.of(self.index, |stream| stream.clone())?;
        let item = match stream.documents.get(self.position) {
            None if stream.has_ended => {
                cx.stop();
                Item::End
            }
            None => {
                cx.send_after(ms(10), SourceMsg::read());
                return Ok(());
            }
            Some(text) => {
                cx.send_after(Duration::ZERO, SourceMsg::read());
                Item::Document(self.position, text.clone())
            }
        };
        self.position += 1;
        if !stream.set_aside.contains(&(self.position - 1)) {
            self.parse.tell(item).await?;
        }
        Ok(())
    }

    #[post_stop]
    fn close(&mut self) {
        self.world.log("-source".to_owned());
    }
}

type Sequence = Stage<Publisher>;
type Upload = Stage<Sequence>;
type Pack = Stage<Upload>;
type Serialize = Stage<Pack>;
type Indexer = Stage<Serialize>;
type Parse = Stage<Indexer>;

supervisor! {
    /// A stage is declared after the stage that it passes documents to: so the end of the pipe is up first, and goes
    /// down last. A pipeline that begins again has nothing in its mailboxes, because its source reads that again; and no stage
    /// waits for one that is down, since nothing that it has is lost.
    struct Pipeline(id: Index, threads: Handle, world: World) {
        #![decider(_ => Escalate)]
        #![lifecycle(Transient)]
        #![mailbox(Bounded(1))]

        let () = world.open(id).await?;

        #[lifecycle(Transient, significant)]
        #[mailbox(fresh)]
        #[while_down(Reject)]
        publish: Publisher = Publisher::new(id, later(source), world),
        #[mailbox(fresh)]
        #[while_down(Reject)]
        sequence: Sequence = Stage::new("sequence", id, publish, world),
        #[lifecycle(Transient, handler = 30s)]
        #[mailbox(fresh)]
        #[while_down(Reject)]
        upload: Upload = Stage::new("upload", id, sequence, world),
        #[mailbox(fresh)]
        #[while_down(Reject)]
        pack: Pack = Stage::new("pack", id, upload, world),
        #[mailbox(fresh)]
        #[while_down(Reject)]
        serialize: Serialize = Stage::new("serialize", id, pack, world),
        #[runtime(threads)]
        #[mailbox(fresh)]
        #[while_down(Reject)]
        index: Indexer = Stage::new("index", id, serialize, world),
        #[mailbox(fresh)]
        #[while_down(Reject)]
        parse: Parse = Stage::new("parse", id, index, world),
        #[mailbox(Unbounded, fresh)]
        #[while_down(Reject)]
        source: Source = Source::new(id, parse, world)?,
    }

    struct Node(threads: Handle, world: World) {
        #[max_starting(10)]
        #[backoff(1s..10min, random_factor = 0, reset = 1s)]
        #[decider(PipelineError::NoSuchIndex => Stop, _ => Restart)]
        pipelines: [Index => Pipeline] = |id: Index| Pipeline::tree(id, threads, world),
    }
}

const DOWN: [&str; 8] = ["-source", "-parse", "-index", "-serialize", "-pack", "-upload", "-sequence", "-publish"];
const UP: [&str; 8] = ["+publish", "+sequence", "+upload", "+pack", "+serialize", "+index", "+parse", "+source"];

/// A world with empty streams for so many indexes.
fn world(indexes: Index) -> World {
    let world = World::default();
    world.with(|outside| {
        outside.pace = ms(3);
        outside.streams = (0..indexes).map(|index| (index, Stream::default())).collect();
    });
    world
}

async fn node(world: &World) -> Running<Node> {
    Node::start(Handle::current(), world.clone()).await.unwrap()
}

/// Appends documents to the stream of an index.
fn write(world: &World, index: Index, texts: impl IntoIterator<Item = &'static str>) {
    world.of(index, |stream| stream.documents.extend(texts.into_iter().map(str::to_owned))).unwrap();
}

fn published(world: &World, index: Index) -> Vec<usize> {
    world.of(index, |stream| stream.published.clone()).unwrap()
}

/// Waits until so many documents are published.
async fn wait_for(world: &World, index: Index, documents: usize) {
    let begin = Instant::now();
    while published(world, index).len() < documents {
        tokio::time::sleep(ms(1)).await;
        assert!(begin.elapsed() < secs(3600), "documents are lost: {:?}", published(world, index));
    }
}

/// The waits before restarts.
fn waits(events: &mut Events) -> Vec<Duration> {
    let mut waits = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::RestartScheduled { after } = event.kind {
            waits.push(after);
        }
    }
    waits
}

/// S19, S20: one unreadable document is lost, with a second of time; the forty around it are published, in order. All
/// stages go down and come up in order.
#[tokio::test(start_paused = true)]
async fn an_unreadable_document_costs_only_itself() {
    let world = world(1);
    let node = node(&world).await;
    node.pipelines.spawn(0).await.unwrap();
    assert_eq!(world.with(|outside| std::mem::take(&mut outside.log)), UP);
    let begin = Instant::now();
    write(&world, 0, (0..41).map(|number| if number == 17 { "\0" } else { "text" }));
    wait_for(&world, 0, 40).await;
    assert_eq!(published(&world, 0), (0..41).filter(|number| *number != 17).collect::<Vec<_>>());
    assert!(begin.elapsed() > secs(1) && begin.elapsed() < secs(2), "{:?}", begin.elapsed());
    let log = world.with(|outside| std::mem::take(&mut outside.log));
    assert_eq!(log[..8], DOWN, "from the source to the publisher");
    assert_eq!(log[8..], UP, "and back to the source");
    node.shutdown().await;
    assert_eq!(world.with(|outside| std::mem::take(&mut outside.log)), DOWN);
}

/// S14, S15, S31: a pipeline waits for the end of an outage: 1 s, 2 s, 4 s and so on up to 512 s, then every 10
/// minutes, with no limit. The next outage begins with a second again (S32).
#[tokio::test(start_paused = true)]
async fn an_outage_is_waited_out_ever_more_patiently() {
    let world = world(1);
    let node = node(&world).await;
    let mut events = node.events();
    let pipeline = node.pipelines.spawn(0).await.unwrap();
    write(&world, 0, ["text"; 30]);
    pass(ms(30)).await;
    world.with(|outside| outside.away = 12);
    pipeline.pack.inject(Fault::panic("a bug"));
    wait_for(&world, 0, 30).await;
    assert_eq!(waits(&mut events), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map(secs));
    assert_eq!(published(&world, 0), (0..30).collect::<Vec<_>>());

    pass(secs(2)).await;
    world.with(|outside| outside.away = 1);
    pipeline.pack.inject(Fault::panic("a bug"));
    pass(secs(10)).await;
    assert_eq!(waits(&mut events), [1, 2].map(secs));
    assert!(pipeline.is_alive());
}

/// S5, S47: a crash in the middle of full mailboxes is over after one second: nothing that waited is published twice,
/// and the source is notified up to where it is published.
#[tokio::test(start_paused = true)]
async fn a_crash_behind_full_mailboxes_publishes_nothing_twice() {
    let world = world(1);
    let node = node(&world).await;
    let mut events = node.events();
    let pipeline = node.pipelines.spawn(0).await.unwrap();
    write(&world, 0, ["text"; 1000]);
    for documents in [20, 600] {
        wait_for(&world, 0, documents).await;
        pipeline.parse.inject(Fault::panic("a bug"));
        pass(secs(1)).await;
    }
    wait_for(&world, 0, 1000).await;
    settle().await;
    assert_eq!(published(&world, 0), (0..1000).collect::<Vec<_>>());
    assert_eq!(waits(&mut events), [secs(1), secs(1)]);
    assert_eq!(world.of(0, |stream| stream.forgotten), Ok(1000));
}

/// S27: after a start of the node, ten pipelines at most ask the catalogue at the same time.
#[tokio::test(start_paused = true)]
async fn ten_pipelines_start_at_a_time() {
    let world = world(25);
    let node = node(&world).await;
    let (mut starts, begin) = (JoinSet::new(), Instant::now());
    for index in 0..25 {
        starts.spawn(node.pipelines.spawn(index));
    }
    assert!(starts.join_all().await.iter().all(Result::is_ok));
    assert_eq!((world.with(|outside| outside.opening), begin.elapsed()), ((0, 10), ms(900)));
}

/// S13: an upload that hangs is a failure after half a minute, and the pipeline begins again.
#[tokio::test(start_paused = true)]
async fn an_upload_that_hangs_is_given_up_after_half_a_minute() {
    let world = world(1);
    let node = node(&world).await;
    let pipeline = node.pipelines.spawn(0).await.unwrap();
    world.with(|outside| outside.uploads_hang = true);
    write(&world, 0, ["text"; 5]);
    pass(secs(20)).await;
    world.with(|outside| outside.uploads_hang = false);
    let begin = Instant::now();
    wait_for(&world, 0, 5).await;
    assert!(begin.elapsed() > secs(11) && begin.elapsed() < secs(12), "{:?}", begin.elapsed());
    assert_eq!(pipeline.upload.incarnation(), 2);
}

/// S20, S22: a stream that has ended ends its pipeline when all is published, also if a stage fails behind its end.
#[tokio::test(start_paused = true)]
async fn a_stream_that_has_ended_ends_its_pipeline() {
    let world = world(2);
    let node = node(&world).await;
    for index in 0..2 {
        let pipeline = node.pipelines.spawn(index).await.unwrap();
        write(&world, index, ["text"; 12]);
        world.of(index, |stream| stream.has_ended = true).unwrap();
        if index == 1 {
            soon(pipeline.source.terminated()).await.unwrap();
            assert!(published(&world, 1).len() < 12);
            pipeline.serialize.inject(Fault::panic("a bug"));
        }
        let report = soon(pipeline.join()).await.unwrap();
        assert!(matches!(report.ended, Ended::Done), "{report}");
        assert_eq!(published(&world, index), (0..12).collect::<Vec<_>>());
    }
    assert!(node.pipelines.is_empty());
}

/// S8: an index that is deleted ends its own pipeline, at work as at the start.
#[tokio::test(start_paused = true)]
async fn an_index_that_is_deleted_ends_its_pipeline() {
    let world = world(2);
    let node = node(&world).await;
    let (zero, one) = (node.pipelines.spawn(0).await.unwrap(), node.pipelines.spawn(1).await.unwrap());
    world.with(|outside| outside.streams.remove(&0));
    let report = soon(zero.join()).await.unwrap();
    assert_eq!(report.ended.failure().and_then(Failure::find), Some(&PipelineError::NoSuchIndex), "{report}");
    let Err(refused) = node.pipelines.get_or_spawn(0).await else { panic!("there is no such index") };
    let SpawnError::Start(failure) = refused else { panic!("{refused}") };
    assert_eq!(failure.find(), Some(&PipelineError::NoSuchIndex));
    write(&world, 1, ["text"; 3]);
    wait_for(&world, 1, 3).await;
    assert!(one.is_alive());
}

/// S25: documents are indexed on threads of their own, over restarts. The clock is the real one, and nothing sleeps.
#[tokio::test]
async fn indexing_has_threads_of_its_own() {
    let world = world(1);
    world.with(|outside| outside.pace = Duration::ZERO);
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("indexing")
        .enable_time()
        .build()
        .unwrap();
    let node = Node::start(threads.handle().clone(), world.clone()).await.unwrap();
    write(&world, 0, ["text"; 20]);
    world.of(0, |stream| stream.has_ended = true).unwrap();
    let pipeline = node.pipelines.spawn(0).await.unwrap();
    let report = soon(pipeline.join()).await.unwrap();
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert_eq!(published(&world, 0), (0..20).collect::<Vec<_>>());
    assert_eq!(world.with(|outside| outside.indexed_by.clone()), HashSet::from(["indexing".to_owned()]));
    node.shutdown().await;
    threads.shutdown_background();
}
