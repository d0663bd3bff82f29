//! Subscribers of `tracing` and wakers that panic: no child, no notice and no tree ends by them. S19, S37, S40, S41.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::task::{Context as Cx, Poll, Wake, Waker};

use supervise::prelude::*;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::common::listen::listen;
use crate::common::{Boom, Do, Journal, Probe, pass, quiet_panics, secs, settle, soon};

/// The calls of a subscriber that panic.
const CALLS: [&str; 6] = ["event", "new_span", "enter", "exit", "close", "all"];

/// A subscriber that panics at one of its calls, once it is armed.
#[derive(Clone)]
struct Bad {
    at: &'static str,
    armed: Arc<AtomicBool>,
    spans: Arc<AtomicU64>,
    /// The spans that are entered, minus those that were left.
    inside: Arc<AtomicU64>,
    panics: Arc<AtomicU64>,
}

impl Bad {
    fn at(at: &'static str, armed: bool) -> Self {
        Bad {
            at,
            armed: Arc::new(AtomicBool::new(armed)),
            spans: Arc::default(),
            inside: Arc::default(),
            panics: Arc::default(),
        }
    }

    fn meets(&self, call: &str) {
        if self.armed.load(SeqCst) && (self.at == call || self.at == "all") {
            self.panics.fetch_add(1, SeqCst);
            panic!("planned panic in {call}");
        }
    }
}

impl Subscriber for Bad {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("supervise")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.meets("new_span");
        Id::from_u64(self.spans.fetch_add(1, SeqCst) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.meets("event");
    }

    fn enter(&self, _: &Id) {
        self.inside.fetch_add(1, SeqCst);
        self.meets("enter");
    }

    fn exit(&self, _: &Id) {
        self.inside.fetch_sub(1, SeqCst);
        self.meets("exit");
    }

    fn try_close(&self, _: Id) -> bool {
        self.meets("close");
        false
    }
}

supervisor! {
    struct Shop(journal: Journal) {
        db: Probe = Probe::start("db", journal).await?,
        sub: struct Sub {
            inner: Probe = Probe::start("inner", journal).await?,
        },
        job: task = |cx| async move {
            cx.spawn(async { Ok::<(), Boom>(()) });
            cx.stopped().await;
        },
        set: [u32 => Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
    }
}

/// Runs on this thread, with this subscriber.
fn with(bad: &Bad, test: impl Future<Output = ()>) {
    quiet_panics();
    let _on = listen(bad.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test);
}

/// S19, S41: with a subscriber that panics at each call from the beginning, or from a moment on, a tree does all that it
/// does without one. A span that was entered is left.
#[test]
fn a_subscriber_that_panics_harms_no_child() {
    for at in CALLS {
        for from_the_beginning in [false, true] {
            let bad = Bad::at(at, from_the_beginning);
            with(&bad, async {
                let tree = Shop::start(Journal::default()).await.unwrap();
                settle().await;
                bad.armed.store(true, SeqCst);
                for (child, failure) in [(&tree.db, Do::Fail(Boom::Told)), (&tree.sub.inner, Do::Panic)] {
                    child.tell(failure).await.unwrap();
                    settle().await;
                    assert_eq!(child.ask(Do::Incarnation).await.unwrap(), 2, "{at}: restarted after its failure");
                }
                soon(tree.db.restart().unwrap()).await.unwrap();
                let one = tree.set.spawn(1).await.unwrap();
                one.kill();
                assert!(matches!(soon(one.terminated()).await, Ok(Ended::Killed)), "{at}: {:?}", one.ended());
                tree.job.stop();
                assert!(
                    matches!(soon(tree.job.terminated()).await, Ok(Ended::Stopped)),
                    "{at}: {:?}",
                    tree.job.ended()
                );
                soon(tree.job.start_again().unwrap()).await.unwrap();
                tree.sub.stop();
                pass(secs(1)).await;
                assert!(matches!(tree.sub.ended(), Some(Ended::Stopped)), "{at}: {:?}", tree.sub.ended());
                let report = soon(tree.shutdown()).await;
                assert!(report.is_orderly() && matches!(report.ended, Ended::Stopped), "{at}: {report}");
                // A guard that is dropped says so in the log.
                drop(Shop::start(Journal::default()).await.unwrap());
                settle().await;
            });
            assert!(bad.panics.load(SeqCst) > 0, "{at}: it has panicked");
            assert_eq!(bad.inside.load(SeqCst), 0, "{at}: each span was left");
        }
    }
}

/// A waker of an executor that panics when it wakes, or when it is dropped.
struct Sick {
    wakes: bool,
    /// Until the end of the test: tokio's timers keep wakers too.
    armed: Arc<AtomicBool>,
}

impl Wake for Sick {
    fn wake(self: Arc<Self>) {
        if self.wakes && self.armed.load(SeqCst) {
            std::mem::forget(self);
            panic!("planned panic in a waker");
        }
    }
}

impl Drop for Sick {
    fn drop(&mut self) {
        if self.armed.load(SeqCst) && !std::thread::panicking() {
            panic!("planned panic in a waker");
        }
    }
}

/// Polls once with such a waker, and leaves it there.
fn poll_sick<F: Future>(future: Pin<&mut F>, wakes: bool, armed: &Arc<AtomicBool>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::new(Sick { wakes, armed: armed.clone() }));
    let polled = future.poll(&mut Cx::from_waker(&waker));
    match polled.is_pending() {
        true => drop(waker), // the future keeps the last one
        false => std::mem::forget(waker),
    }
    polled
}

struct Watching(Arc<AtomicU64>);

#[actor]
impl Watching {
    fn handle(&mut self, other: ActorRef<Probe>, cx: &mut Context<Self>) {
        cx.watch(&other);
    }

    #[terminated]
    fn gone(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// S26, S37: a waker that panics keeps no other notice from its receiver: of an end, of a start, of a reply, of room in
/// a mailbox. No child fails by it, and no tree ends.
#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_keeps_no_notice() {
    quiet_panics();
    supervisor! {
        struct Watched(journal: Journal, seen: Arc<AtomicU64>) {
            watching: Watching = Watching(seen),
            x: Probe = Probe::start("x", journal).await?,
            #[mailbox(Bounded(1))]
            narrow: Probe = Probe::start("narrow", journal).await?,
            set: [u32 => Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
        }
    }
    for wakes in [false, true] {
        let (journal, seen) = (Journal::default(), Arc::new(AtomicU64::new(0)));
        let armed = Arc::new(AtomicBool::new(true));
        let tree = Watched::start(journal.clone(), seen.clone()).await.unwrap();
        tree.watching.tell(tree.x.clone()).await.unwrap();
        settle().await;

        // Two futures wait for an end, and the waker of the first panics.
        let mut sick = Box::pin(tree.x.terminated());
        assert!(poll_sick(sick.as_mut(), wakes, &armed).is_pending());
        let well = tokio::spawn({
            let x = tree.x.clone();
            async move { x.terminated().await.unwrap() }
        });
        settle().await;
        tree.x.stop();
        assert!(matches!(soon(well).await.unwrap(), Ended::Stopped));
        settle().await;
        assert_eq!(seen.load(SeqCst), 1, "the watcher has heard");

        // A start, for several that wait for it.
        let mut starts = Box::pin(tree.x.start_again().unwrap());
        assert!(poll_sick(starts.as_mut(), wakes, &armed).is_pending());
        let mut readies = Box::pin(tree.ready());
        assert!(poll_sick(readies.as_mut(), wakes, &armed).is_pending());
        let handle = tree.handle();
        let is_ready = tokio::spawn(async move { handle.ready().await });
        assert!(soon(is_ready).await.unwrap());
        settle().await;
        let mut restarts = Box::pin(tree.x.restart().unwrap());
        assert!(poll_sick(restarts.as_mut(), wakes, &armed).is_pending());
        settle().await;
        assert_eq!(tree.x.ask(Do::Get).await.unwrap(), 0);
        let mut spawns = Box::pin(tree.set.get_or_spawn(1));
        assert!(poll_sick(spawns.as_mut(), wakes, &armed).is_pending());
        settle().await;
        assert!(tree.set.get(&1).is_some());

        // A reply, and room in a mailbox.
        let mut asks = Box::pin(tree.x.ask(Do::Get));
        assert!(poll_sick(asks.as_mut(), wakes, &armed).is_pending());
        settle().await;
        tree.narrow.tell(Do::Work(secs(1))).await.unwrap();
        settle().await;
        tree.narrow.tell(Do::Add(1)).await.unwrap();
        let mut tells = Box::pin(tree.narrow.tell(Do::Add(1)));
        assert!(poll_sick(tells.as_mut(), wakes, &armed).is_pending());
        let waits = tokio::spawn({
            let narrow = tree.narrow.clone();
            async move { narrow.tell(Do::Add(1)).await.unwrap() }
        });
        pass(secs(2)).await;
        soon(waits).await.unwrap();
        assert!(tree.narrow.ask(Do::Get).await.unwrap() >= 2);

        armed.store(false, SeqCst);
        assert!(tree.is_alive() && tree.health().is_healthy(), "{}", tree.health());
        let report = soon(tree.handle().shutdown()).await;
        assert!(report.is_ok_and(|report| report.is_orderly()));
    }
}
