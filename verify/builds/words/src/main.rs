//! A service in a crate of its own, which checks that each word of its declaration does what the pages say.
//!
//! The first tree runs on the paused clock. The second one has a child on another runtime, whose clock is the real one.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use supervise::error::{CommandError, SpawnError};
use supervise::inspect::Report;
use supervise::prelude::*;
use supervise::{BoxError, StopReason};
use tokio::runtime::{Builder, Handle as Runtime};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

/// The events so far, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: impl fmt::Display) {
        self.0.lock().unwrap().push(line.to_string());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

#[derive(Debug)]
struct Offline;

impl fmt::Display for Offline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("offline")
    }
}

impl std::error::Error for Offline {}

/// Keeps the documents, and has each of them indexed by a sibling that starts after it.
struct Store {
    index: ActorRef<Index>,
    documents: Vec<String>,
    log: Log,
}

enum Put {
    Document(String),
    Get(usize, Reply<Option<String>>),
}

#[actor]
impl Store {
    #[pre_start]
    async fn greet(&mut self) {
        // The sibling is not there yet: a message with room waits for its start, a question does not.
        assert!(self.index.try_tell(Find::Add(0, "preface".to_owned())).is_ok());
        assert!(self.index.ask(|reply| Find::Longest(reply)).await.is_err());
        self.documents.push("preface".to_owned());
        self.log.write("store");
    }

    async fn handle(&mut self, put: Put) -> Result<(), BoxError> {
        match put {
            Put::Document(text) => {
                self.index.tell(Find::Add(self.documents.len(), text.clone())).await?;
                self.documents.push(text);
            }
            Put::Get(number, reply) => reply.send(self.documents.get(number).cloned()),
        }
        Ok(())
    }
}

/// Finds the longest document, with a time for each message.
struct Index {
    store: ActorRef<Store>,
    longest: Option<(usize, usize)>,
    log: Log,
}

enum Find {
    Add(usize, String),
    Longest(Reply<Option<String>>),
    Hang,
}

#[actor]
impl Index {
    #[pre_start]
    fn note(&mut self) {
        self.log.write("index");
    }

    async fn handle(&mut self, find: Find) -> Result<(), BoxError> {
        match find {
            Find::Add(number, text) => self.longest = self.longest.max(Some((text.len(), number))),
            Find::Longest(reply) => {
                let Some((_, number)) = self.longest else {
                    reply.send(None);
                    return Ok(());
                };
                reply.send(self.store.ask(|reply| Put::Get(number, reply)).await?);
            }
            Find::Hang => std::future::pending().await,
        }
        Ok(())
    }
}

/// A reader of a volume, of which only two may open at a time.
struct Reader {
    edition: u32,
    log: Log,
}

/// How many readers open now, and how many did at most.
#[derive(Clone, Default)]
struct Gauge(Arc<(AtomicUsize, AtomicUsize)>);

impl Reader {
    async fn open(edition: u32, gauge: Gauge, log: Log) -> Reader {
        let now = gauge.0.0.fetch_add(1, SeqCst) + 1;
        gauge.0.1.fetch_max(now, SeqCst);
        sleep(Duration::from_secs(1)).await;
        gauge.0.0.fetch_sub(1, SeqCst);
        Reader { edition, log }
    }
}

#[actor]
impl Reader {
    fn handle(&mut self, reply: Reply<u32>) {
        reply.send(self.edition);
    }

    #[post_stop]
    fn close(&mut self, cx: &mut Context<Self>) {
        self.log.write(format_args!("edition {} closes: {:?}", self.edition, cx.stop_reason()));
    }
}

/// A connection that is offline for the first attempts.
struct Link;

impl Link {
    fn connect(attempts: &AtomicUsize, fails: usize) -> Result<Link, Offline> {
        if attempts.fetch_add(1, SeqCst) < fails { Err(Offline) } else { Ok(Link) }
    }
}

#[actor]
impl Link {
    fn handle(&mut self, _: ()) -> Result<(), Offline> {
        Err(Offline)
    }
}

/// Has children at run time, of every kind.
struct Desk {
    log: Log,
}

struct Case {
    number: u32,
    tries: Arc<AtomicUsize>,
}

enum Ask {
    Number(Reply<(u32, u32)>),
    Hang,
}

#[actor]
impl Case {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) {
        match ask {
            Ask::Number(reply) => reply.send((self.number, cx.incarnation())),
            Ask::Hang => std::future::pending().await,
        }
    }

    #[pre_start]
    fn count(&mut self) {
        self.tries.fetch_add(1, SeqCst);
    }
}

type Opened = (ActorRef<Case>, TaskRef, Annex);

enum Work {
    Open(u32, Arc<AtomicUsize>, Reply<Opened>),
    /// A task that owns what it answers with.
    Answer(oneshot::Sender<u32>, Reply<TaskRef>),
}

supervisor! {
    struct Annex(log: Log) {
        room: Reader = Reader { edition: 7, log },
    }
}

#[actor]
impl Desk {
    async fn handle(&mut self, work: Work, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        match work {
            Work::Open(number, tries, reply) => {
                let case = child! {
                    #[lifecycle(Permanent, handler = 2s)]
                    #[backoff([1s, 4s], random_factor = 0)]
                    #[mailbox(Bounded(4), fresh)]
                    format!("case {number}"): Case = Case { number, tries }
                };
                let case = cx.spawn(case).await?;
                let log = self.log.clone();
                let clock = child! {
                    "clock": task = |cx| async move { log.write(format_args!("clock: {:?}", cx.stopped().await)) }
                };
                let clock = cx.spawn(clock).await?;
                let log = self.log.clone();
                let annex = cx.spawn(child! { "annex": Annex = Annex::tree(log) }).await?;
                reply.send((case, clock, annex));
            }
            Work::Answer(answer, reply) => {
                let task = child! {
                    #[lifecycle(Temporary)]
                    "answer": task = async move { answer.send(42).map_err(|_| Offline) }
                };
                reply.send(cx.spawn(task).await?);
            }
        }
        Ok(())
    }
}

/// Notes that it has to stop, and goes on.
async fn stubborn(cx: TaskContext, log: Log) {
    let reason: StopReason = cx.stopped().await;
    log.write(format_args!("stubborn: {reason:?}"));
    std::future::pending().await
}

supervisor! {
    struct Archive(log: Log, gauge: Gauge, attempts: Arc<AtomicUsize>) {
        #![strategy(OneForOne, max_restarts = 4, within = 1h, budget = Shared)]
        #![shutdown(20s, Together)]

        store: Store = Store { index: later(index), documents: Vec::new(), log },

        #[lifecycle(Permanent, handler = 3s)]
        #[mailbox(Bounded(8), fresh)]
        index: Index = Index { store, longest: None, log },

        /// Nobody misses the metrics.
        #[lifecycle(Transient, ready, best_effort)]
        metrics: task = |_cx| async { Err(Offline) },

        #[backoff([1s, 2s, 5s], random_factor = 0)]
        link: Link = Link::connect(&attempts, 2)?,

        #[max_starting(2)]
        readers: [u32 => Reader] = |_volume: u32, edition: u32| Reader::open(edition, gauge, log).await,

        desk: Desk = Desk { log },

        #[lifecycle(Permanent, shutdown = 1min)]
        stubborn: task = |cx| stubborn(cx, log),

        #[lifecycle(Transient, significant)]
        jobs: [task] = |seconds: u64| sleep(Duration::from_secs(seconds)),
    }
}

fn reported(report: &Report, path: &str) -> bool {
    report.children.iter().any(|child| child.path == path && child.aborted)
}

/// A tree that ends with the last of its jobs, after everything in it has been used.
async fn archive() -> Result<(), BoxError> {
    let (log, gauge, attempts) = (Log::default(), Gauge::default(), Arc::new(AtomicUsize::new(0)));
    let archive = Archive::start(log.clone(), gauge.clone(), attempts.clone()).await?;
    assert_eq!(Archive::SPEC.shutdown_budget(), Some(Duration::from_secs(20)));

    // `later`: the message from before the start of the index has arrived; both find each other.
    assert_eq!(log.take(), ["store", "index"]);
    archive.store.tell(Put::Document("a document".to_owned())).await?;
    archive.store.ask(|reply| Put::Get(0, reply)).await?;
    assert_eq!(archive.index.ask(Find::Longest).await?.as_deref(), Some("a document"));

    // `best_effort`: the tree came up without the metrics. `backoff([..])`: the link comes up at its third attempt.
    assert!(matches!(archive.metrics.ended(), Some(Ended::Failed(_))));
    let begun = Instant::now();
    assert!(archive.ready().await);
    assert_eq!((begun.elapsed().as_secs(), attempts.load(SeqCst)), (1 + 2, 3));

    // `handler` and `fresh`: after 3 s the message is given up, and what waited behind it is gone.
    let begun = Instant::now();
    archive.index.tell(Find::Hang).await?;
    let behind = archive.index.ask(Find::Longest).within(Duration::from_secs(60)).await;
    assert!(behind.is_err() && begun.elapsed().as_secs() == 3, "{behind:?} after {:?}", begun.elapsed());
    assert_eq!(archive.index.ask(Find::Longest).await?, None);
    assert_eq!((archive.index.incarnation(), log.take()), (2, vec!["index".to_owned()]));

    // `max_starting`: six readers open two at a time.
    let begun = Instant::now();
    let opening: Vec<_> = (0..6).map(|volume| tokio::spawn(archive.readers.spawn(volume, 1))).collect();
    for reader in opening {
        reader.await??;
    }
    assert_eq!((begun.elapsed().as_secs(), gauge.0.1.load(SeqCst)), (3, 2));

    // `replace`, and its `StopReason`.
    let old = archive.readers.get(&3).ok_or("no third volume")?;
    let new = archive.readers.replace(3, 2).await?;
    assert_eq!((new.ask(|reply| reply).await?, archive.readers.len()), (2, 6));
    assert!(matches!(old.ended(), Some(Ended::Stopped)));
    assert_eq!(log.take(), ["edition 1 closes: Some(Replaced)"]);

    // `child!`, as an actor, a task and a tree; with a handler's time, given delays and a fresh mailbox.
    let tries = Arc::new(AtomicUsize::new(0));
    let (case, clock, annex) = archive.desk.ask(|reply| Work::Open(9, tries.clone(), reply)).await?;
    assert_eq!((case.path(), clock.path()), ("desk/case 9".to_owned(), "desk/clock".to_owned()));
    let begun = Instant::now();
    case.tell(Ask::Hang).await?;
    assert!(case.ask(Ask::Number).within(Duration::from_secs(60)).await.is_err());
    assert_eq!(case.ask(Ask::Number).within(Duration::from_secs(60)).await?, (9, 2));
    assert_eq!((begun.elapsed().as_secs(), tries.load(SeqCst)), (2 + 1, 2));
    assert_eq!(annex.room.ask(|reply| reply).await?, 7);
    let (answer, question) = oneshot::channel();
    let answers = archive.desk.ask(|reply| Work::Answer(answer, reply)).await?;
    assert_eq!(question.await?, 42);
    assert!(matches!(answers.terminated().await?, Ended::Done));
    assert!(matches!(clock.restart(), Ok(_)));
    assert!(matches!(answers.restart(), Err(CommandError::Ended { .. })));
    annex.shutdown().await?;
    sleep(Duration::from_millis(100)).await;
    assert_eq!(log.take(), ["clock: Restart", "edition 7 closes: Some(Shutdown)"]);

    // `significant` above a set: the tree ends with the last job. `shutdown(20s, Together)`: the stubborn task may take
    // a minute, and the tree does not.
    let (short, long) = (archive.jobs.spawn(5).await?, archive.jobs.spawn(9).await?);
    let begun = Instant::now();
    short.terminated().await?;
    assert!(archive.is_alive());
    long.terminated().await?;
    assert_eq!(begun.elapsed().as_secs(), 9);
    let report = archive.join().await;
    assert_eq!(begun.elapsed().as_secs(), 9 + 20);
    assert!(reported(&report, "stubborn") && !reported(&report, "store"), "{report}");
    let mut lines = log.take();
    lines.sort();
    let closes = |edition: u32| format!("edition {edition} closes: Some(Shutdown)");
    let mut expected = vec!["clock: Shutdown".to_owned()];
    expected.extend([1, 1, 1, 1, 1, 2].map(closes));
    expected.push("stubborn: SiblingEnded".to_owned());
    assert_eq!(lines, expected);
    Ok(())
}

/// `budget = Shared`: the failures of the index and of the link use up one budget.
async fn used_up() -> Result<(), BoxError> {
    let attempts = Arc::new(AtomicUsize::new(2));
    let archive = Archive::start(Log::default(), Gauge::default(), attempts).await?;
    for round in 0..2 {
        archive.link.tell(()).await?;
        sleep(Duration::from_secs(10)).await;
        archive.index.tell(Find::Hang).await?;
        sleep(Duration::from_secs(10)).await;
        assert!(archive.is_alive(), "after {} failures", 2 * round + 2);
    }
    archive.link.tell(()).await?;
    let report = archive.join().await;
    let (Ended::Limit(failure) | Ended::Failed(failure)) = &report.ended else { panic!("{report}") };
    assert!(failure.to_string().contains("link"), "{failure}");
    Ok(())
}

supervisor! {
    struct Studio(heavy: Runtime) {
        #[runtime(heavy)]
        hall: Hall = Hall,
        office: Hall = Hall,
    }
}

/// Says on which threads it and its child run.
struct Hall;

struct Voice;

fn thread() -> String {
    thread::current().name().unwrap_or_default().to_owned()
}

#[actor]
impl Voice {
    fn handle(&mut self, reply: Reply<String>) {
        reply.send(thread());
    }
}

#[actor]
impl Hall {
    async fn handle(
        &mut self,
        reply: Reply<(String, ActorRef<Voice>)>,
        cx: &mut Context<Self>,
    ) -> Result<(), SpawnError> {
        let voice = cx.spawn(child! { "voice": Voice = Voice }).await?;
        reply.send((thread(), voice));
        Ok(())
    }
}

/// `runtime`: the child, and what it spawns, run there. When that runtime goes, the child has ended, and the tree goes
/// on.
async fn studio() -> Result<(), BoxError> {
    let heavy = Builder::new_multi_thread().worker_threads(1).thread_name("heavy").enable_all().build()?;
    let studio = Studio::start(heavy.handle().clone()).await?;
    for (hall, expected) in [(&studio.hall, "heavy"), (&studio.office, "main")] {
        let (own, voice) = hall.ask(|reply| reply).await?;
        assert_eq!((&*own, &*voice.ask(|reply| reply).await?), (expected, expected));
    }
    heavy.shutdown_background();
    assert!(matches!(studio.hall.terminated().await?, Ended::RuntimeGone));
    assert!(studio.hall.start_again().is_err() && studio.office.is_alive());
    assert!(!studio.health().is_healthy());
    studio.shutdown().await;
    Ok(())
}

/// `child!` without a tree: a top-level actor, task and tree.
async fn top_level() -> Result<(), BoxError> {
    let log = Log::default();
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    let number = 3;
    let case = child! {
        #[lifecycle(Transient, handler = 1s)]
        "case": Case = Case { number, tries: counted }
    };
    let case = spawn(case).await?;
    case.tell(Ask::Hang).await?;
    assert_eq!(case.ask(Ask::Number).await?, (3, 2));
    assert_eq!(tries.load(SeqCst), 2);
    case.shutdown().await?;

    let of = log.clone();
    let annex: Annex = spawn(child! { "annex": Annex = Annex::tree(of) }).await?;
    assert_eq!(annex.room.path(), "annex/room");
    annex.room.restart()?.await?;
    annex.shutdown().await?;
    assert_eq!(log.take(), ["edition 7 closes: Some(Restart)", "edition 7 closes: Some(Shutdown)"]);
    Ok(())
}

fn main() -> Result<(), BoxError> {
    let paused = Builder::new_current_thread().enable_all().start_paused(true).build()?;
    paused.block_on(archive())?;
    paused.block_on(used_up())?;
    paused.block_on(top_level())?;
    let real = Builder::new_current_thread().enable_all().build()?;
    real.block_on(studio())?;
    println!("each word does what the pages say");
    Ok(())
}
