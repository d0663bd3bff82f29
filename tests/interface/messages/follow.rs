//! Sources that an actor follows: S65.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskCx, Poll, Waker};

use futures_core::Stream;
use supervise::event::{DeadLetterReason, EventKind, Events};
use supervise::prelude::*;
use supervise::{Followed, Lagged};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::Instant;

use crate::common::{ms, pass, quiet_panics, secs, settle};

/// The sources of a reader, given anew to each instance.
type Begin = Arc<dyn Fn(&mut Context<Reader>) -> Option<Followed<Reader>> + Send + Sync>;

/// Remembers what it has read, over its instances.
struct Reader {
    begin: Begin,
    followed: Option<Followed<Reader>>,
    read: Arc<Mutex<Vec<String>>>,
}

#[actor]
impl Reader {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        let begin = self.begin.clone();
        self.followed = begin(cx);
    }

    #[message]
    fn read(&mut self, item: u32) -> Result<(), Thrown> {
        self.read.lock().unwrap().push(item.to_string());
        if item == 13 { Err("thirteen")? } else { Ok(()) }
    }

    #[message]
    async fn slow(&mut self, item: u32) {
        tokio::time::sleep(ms(100)).await;
        self.read.lock().unwrap().push(format!("slow {item}"));
    }

    #[message]
    fn or_lagged(&mut self, item: Result<u32, Lagged>) {
        self.read.lock().unwrap().push(format!("{item:?}"));
    }

    #[message]
    fn end(&mut self) {
        self.read.lock().unwrap().push("end".to_owned());
    }

    #[message]
    fn note(&mut self, note: &str) {
        self.read.lock().unwrap().push(note.to_owned());
    }

    #[message]
    fn cancel(&mut self) {
        self.followed.iter().for_each(Followed::cancel);
    }

    #[message]
    async fn work(&mut self, time: std::time::Duration) {
        tokio::time::sleep(time).await;
    }
}

supervisor! {
    struct Desk(begin: Begin, read: Arc<Mutex<Vec<String>>>) {
        #[limit(max_restarts = Unlimited)]
        #[mailbox(Bounded(2))]
        #[lifecycle(Permanent, drain, shutdown = 10s)]
        reader: Reader = Reader { begin, followed: None, read },
    }
}

async fn desk(
    begin: impl Fn(&mut Context<Reader>) -> Option<Followed<Reader>> + Send + Sync + 'static,
) -> (Running<Desk>, Arc<Mutex<Vec<String>>>) {
    let read = Arc::<Mutex<Vec<String>>>::default();
    (Desk::start(Arc::new(begin), read.clone()).await.unwrap(), read)
}

/// Gives the reader work for a second.
async fn keep_busy(tree: &Desk) {
    tree.reader.work(secs(1)).forget().await.unwrap();
    settle().await;
}

fn taken(read: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut read.lock().unwrap())
}

/// A channel whose receiver goes to the first instance.
fn jobs(room: usize) -> (mpsc::Sender<u32>, impl Fn() -> Option<mpsc::Receiver<u32>> + Send + Sync) {
    let (job, jobs) = mpsc::channel(room);
    let jobs = Mutex::new(Some(jobs));
    (job, move || jobs.lock().unwrap().take())
}

fn lost(events: &mut Events) -> Vec<(&'static str, DeadLetterReason)> {
    std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::DeadLetter { message, reason } => Some((message, reason)),
            _ => None,
        })
        .collect()
}

/// A stream of numbers that counts how many were taken, and its drops.
struct Numbers {
    next: u32,
    end: u32,
    taken: Arc<AtomicU64>,
    /// How many of them are there.
    alive: Arc<()>,
}

impl Stream for Numbers {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut TaskCx<'_>) -> Poll<Option<u32>> {
        let _ = &self.alive;
        if self.next == self.end {
            return Poll::Ready(None);
        }
        self.next += 1;
        self.taken.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(self.next))
    }
}

/// S65: the items of a source are handled in their order, one at a time, in turn with other messages; then its end.
#[tokio::test(start_paused = true)]
async fn items_come_one_at_a_time_and_then_the_end() {
    let (job, jobs) = jobs(1);
    let (tree, read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::slow).ended(ReaderMsg::end))).await;
    let begun = Instant::now();
    for n in 0..6 {
        job.send(n).await.unwrap();
        assert!(tree.snapshot().find("reader").unwrap().mailbox.unwrap().waiting <= 1);
    }
    assert!(begun.elapsed() >= ms(300), "the channel is full meanwhile: {:?}", begun.elapsed());
    tree.reader.note("between").forget().await.unwrap();
    drop(job);
    pass(secs(1)).await;
    let read = taken(&read);
    let slow: Vec<_> = read.iter().filter(|line| line.starts_with("slow")).cloned().collect();
    assert_eq!(slow, (0..6).map(|n| format!("slow {n}")).collect::<Vec<_>>());
    assert!(
        read.iter().position(|line| line == "between") < Some(6),
        "the source does not keep others waiting: {read:?}"
    );
    assert_eq!(read.last().unwrap(), "end");
}

/// S65: the next item is taken when the handler of the one before has ended, and not while it waits.
#[tokio::test(start_paused = true)]
async fn the_next_item_is_taken_when_the_one_before_is_handled() {
    let (value, values) = watch::channel(1);
    let (tree, read) = desk(move |cx| Some(cx.follow(values.clone(), ReaderMsg::slow))).await;
    settle().await;
    for n in 2..=4 {
        value.send_replace(n);
        pass(ms(10)).await;
    }
    pass(secs(1)).await;
    assert_eq!(taken(&read), ["slow 1", "slow 4"], "the values in between are stale");
    drop(tree);

    /// Is ready at each poll, and can be woken by anybody.
    struct Woken(u32, Arc<Mutex<Option<Waker>>>);
    impl Stream for Woken {
        type Item = u32;
        fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskCx<'_>) -> Poll<Option<u32>> {
            *self.1.lock().unwrap() = Some(cx.waker().clone());
            self.0 += 1;
            Poll::Ready(Some(self.0))
        }
    }
    let waker = Arc::<Mutex<Option<Waker>>>::default();
    let woken = waker.clone();
    let (tree, read) = desk(move |cx| Some(cx.follow(Woken(0, woken.clone()), ReaderMsg::slow))).await;
    settle().await;
    for _ in 0..5 {
        waker.lock().unwrap().take().into_iter().for_each(Waker::wake);
        pass(ms(10)).await;
    }
    let waiting = tree.snapshot().find("reader").unwrap().mailbox.as_ref().unwrap().waiting;
    assert_eq!((waiting, taken(&read).len()), (0, 0), "the first is in hand, and no other was taken");
}

/// S65: a `watch` gives its present value first, also to the next instance; a value that fails the actor fails it again.
#[tokio::test(start_paused = true)]
async fn a_watch_gives_the_present_value_to_each_instance() {
    let (value, values) = watch::channel(1);
    let (tree, read) = desk(move |cx| Some(cx.follow(values.clone(), ReaderMsg::read))).await;
    settle().await;
    value.send_replace(2);
    settle().await;
    assert_eq!(taken(&read), ["1", "2"]);
    value.send_replace(13);
    pass(secs(1)).await;
    assert!(tree.reader.incarnation() > 2, "the value is there again after the restart");
    value.send_replace(3);
    pass(secs(20)).await;
    assert_eq!(taken(&read).last().unwrap(), "3");
}

/// S65: a `broadcast` tells how many items its receiver has missed.
#[tokio::test(start_paused = true)]
async fn a_lag_of_a_broadcast_is_an_item() {
    let (item, items) = broadcast::channel(2);
    let (tree, read) = desk(move |cx| Some(cx.follow(items.resubscribe(), ReaderMsg::or_lagged))).await;
    settle().await;
    keep_busy(&tree).await;
    for n in 0..6 {
        item.send(n).unwrap();
    }
    pass(secs(2)).await;
    drop(tree);
    let read = taken(&read);
    assert!(read.iter().any(|line| line.starts_with("Err(Lagged(")), "{read:?}");
    assert_eq!(read.last().unwrap(), "Ok(5)");
}

/// S65: a drain ends the sources when it begins, handles what they gave, and takes no time.
#[tokio::test(start_paused = true)]
async fn a_drain_ends_the_sources_and_is_orderly() {
    let (alive, count) = (Arc::new(()), Arc::new(AtomicU64::new(0)));
    let (_value, values) = watch::channel(1);
    let (_job, jobs) = jobs(4);
    let (keeps, taken_by) = (alive.clone(), count.clone());
    let (tree, read) = desk(move |cx| {
        cx.follow(Numbers { next: 0, end: 2, taken: taken_by.clone(), alive: keeps.clone() }, ReaderMsg::read);
        cx.follow(values.clone(), ReaderMsg::read);
        Some(cx.follow(jobs()?, ReaderMsg::read).ended(ReaderMsg::end))
    })
    .await;
    settle().await;
    // One source has ended by itself.
    assert_eq!(tree.snapshot().find("reader").unwrap().follows, 2);
    let begun = Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(begun.elapsed(), ms(0));
    assert!(report.is_orderly(), "{report:?}");
    assert_eq!(Arc::strong_count(&alive), 1, "the stream is dropped");
    let mut read = taken(&read);
    read.sort_unstable();
    assert_eq!(read, ["1", "1", "2"], "no end: the drain has ended it");
}

/// S65: an item that waits when the drain begins is handled.
#[tokio::test(start_paused = true)]
async fn an_item_in_the_mailbox_is_handled_in_a_drain() {
    let (job, jobs) = jobs(4);
    let (tree, read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::read))).await;
    let mut events = tree.events();
    keep_busy(&tree).await;
    job.send(1).await.unwrap();
    job.send(2).await.unwrap();
    settle().await;
    assert!(tree.shutdown().await.is_orderly());
    assert_eq!(taken(&read), ["1"]);
    assert_eq!(lost(&mut events), [], "the second was never taken");
    assert!(job.send(3).await.is_err(), "the receiver is gone");
}

/// S65: an item that was taken and not handled is a dead letter, with the name of its message: at a restart and a stop.
#[tokio::test(start_paused = true)]
async fn an_item_that_is_not_handled_is_a_dead_letter() {
    let (job, jobs) = jobs(4);
    let (tree, read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::read))).await;
    let mut events = tree.events();
    keep_busy(&tree).await;
    job.send(1).await.unwrap();
    settle().await;
    tree.reader.restart().unwrap();
    pass(secs(2)).await;
    assert_eq!(lost(&mut events), [("Reader::read", DeadLetterReason::Restarted)]);
    assert_eq!(taken(&read), [""; 0]);

    let (job, jobs) = self::jobs(4);
    let (tree, _read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::read))).await;
    let mut events = tree.events();
    keep_busy(&tree).await;
    job.send(1).await.unwrap();
    settle().await;
    tree.reader.kill();
    pass(secs(2)).await;
    assert_eq!(lost(&mut events), [("Reader::read", DeadLetterReason::Ended)]);
}

/// S65: an item that finds no room waits, and nothing is lost; when the actor ends meanwhile it is a dead letter.
#[tokio::test(start_paused = true)]
async fn an_item_waits_for_room() {
    let (job, jobs) = jobs(1);
    let (tree, read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::read))).await;
    let mut events = tree.events();
    keep_busy(&tree).await;
    tree.reader.note("a").forget().await.unwrap();
    tree.reader.note("b").forget().await.unwrap();
    job.send(1).await.unwrap();
    settle().await;
    pass(secs(2)).await;
    assert_eq!(taken(&read), ["a", "b", "1"]);
    keep_busy(&tree).await;
    tree.reader.note("a").forget().await.unwrap();
    tree.reader.note("b").forget().await.unwrap();
    job.send(2).await.unwrap();
    settle().await;
    tree.reader.kill();
    pass(secs(2)).await;
    let lost = lost(&mut events);
    assert_eq!(lost.iter().filter(|(message, _)| *message == "Reader::read").count(), 1, "{lost:?}");
}

/// S65: a source that is always ready takes turns with the messages of others, and a drain ends it.
#[tokio::test(start_paused = true)]
async fn a_source_that_is_always_ready_keeps_nobody_waiting() {
    let count = Arc::new(AtomicU64::new(0));
    let by = count.clone();
    let (tree, read) = desk(move |cx| {
        let numbers = Numbers { next: 100, end: u32::MAX, taken: by.clone(), alive: Arc::default() };
        Some(cx.follow(numbers, ReaderMsg::read))
    })
    .await;
    settle().await;
    tree.reader.note("hello").await.unwrap();
    let read = taken(&read);
    assert!(read.contains(&"hello".to_owned()));
    assert!(count.load(Ordering::Relaxed) >= 1);
    assert!(tree.shutdown().await.is_orderly());
}

/// S65: a cancelled source is dropped, an item that waits too, and no end comes.
#[tokio::test(start_paused = true)]
async fn a_cancelled_source_is_dropped() {
    let (job, jobs) = jobs(4);
    let (tree, read) = desk(move |cx| Some(cx.follow(jobs()?, ReaderMsg::read).ended(ReaderMsg::end))).await;
    job.send(1).await.unwrap();
    settle().await;
    tree.reader.cancel().await.unwrap();
    settle().await;
    assert!(job.is_closed());
    settle().await;
    assert_eq!(taken(&read), ["1"]);
    assert!(tree.shutdown().await.is_orderly());
}

/// S65: a source, and the message of its end, are dropped with their incarnation and with a runtime that is dropped in
/// the middle; the second time as the first.
#[test]
fn nothing_of_a_source_is_left_behind() {
    let (items, ends) = (Arc::new(()), Arc::new(()));
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let (item, end) = (items.clone(), ends.clone());
        let tree = runtime.block_on(async move {
            let (tree, _read) = desk(move |cx| {
                let numbers = Numbers { next: 12, end: u32::MAX, taken: Arc::default(), alive: item.clone() };
                let end = end.clone();
                Some(cx.follow(numbers, ReaderMsg::read).ended(move || {
                    let _ = &end;
                    ReaderMsg::end()
                }))
            })
            .await;
            // Every instance fails at the number 13.
            while tree.reader.incarnation() < 5 {
                tokio::time::sleep(ms(1)).await;
            }
            tree
        });
        // The references: one of the present instance, perhaps one of the next, and those of this function.
        assert!(Arc::strong_count(&items) <= 4 && Arc::strong_count(&ends) <= 4, "those of instances before are gone");
        drop(runtime);
        drop(tree);
        assert_eq!((Arc::strong_count(&items), Arc::strong_count(&ends)), (1, 1));
    }
}

/// A stream that panics when it is polled after a while, or when it is dropped.
struct Bad(bool, Pin<Box<tokio::time::Sleep>>);

impl Bad {
    fn new(polled: bool) -> Self {
        Bad(polled, Box::pin(tokio::time::sleep(ms(10))))
    }
}

impl Stream for Bad {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskCx<'_>) -> Poll<Option<u32>> {
        let is_late = self.1.as_mut().poll(cx).is_ready();
        assert!(!self.0 || !is_late, "the stream panics");
        Poll::Pending
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        assert!(self.0, "the stream panics in its drop");
    }
}

/// S65: a panic of a source is a failure of the actor, and one in its `Drop` is reported.
#[tokio::test(start_paused = true)]
async fn a_source_that_panics_fails_the_actor() {
    quiet_panics();
    let first = AtomicU64::new(0);
    let (tree, _read) = desk(move |cx| {
        (first.fetch_add(1, Ordering::Relaxed) == 0).then(|| cx.follow(Bad::new(true), ReaderMsg::read))
    })
    .await;
    let mut events = tree.events();
    pass(secs(1)).await;
    let failures: Vec<_> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::Failed { failure, .. } => Some(failure.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("the stream panics"), "{failures:?}");
    assert_eq!(tree.reader.incarnation(), 2);
    let (tree, _read) = desk(|cx| Some(cx.follow(Bad::new(false), ReaderMsg::read))).await;
    settle().await;
    let report = tree.shutdown().await;
    assert!(!report.is_orderly(), "{report:?}");
}

/// S65: a million items leave nothing behind, and cost no allocation each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_million_items_are_all_handled() {
    struct Sum(u64, u32, Option<mpsc::UnboundedReceiver<u32>>);
    #[actor]
    impl Sum {
        #[pre_start]
        fn begin(&mut self, cx: &mut Context<Self>) {
            if let Some(items) = self.2.take() {
                cx.follow(items, SumMsg::add).ended(SumMsg::end);
            }
        }
        #[message]
        fn add(&mut self, n: u32) {
            self.0 += u64::from(n);
            self.1 += 1;
        }
        #[message]
        fn end(&mut self, cx: &mut Context<Self>) {
            cx.stop_with(format!("{} {}", self.0, self.1));
        }
    }
    supervisor! {
        struct Adding(items: Arc<Mutex<Option<mpsc::UnboundedReceiver<u32>>>>) {
            #[lifecycle(Transient)]
            sum: Sum = Sum(0, 0, items.lock().unwrap().take()),
        }
    }
    let (item, items) = mpsc::unbounded_channel();
    let tree = Adding::start(Arc::new(Mutex::new(Some(items)))).await.unwrap();
    let feeds = tokio::task::spawn_blocking(move || (1..=1_000_000).for_each(|n| item.send(n).unwrap()));
    let ended = tree.sum.terminated().await.unwrap();
    feeds.await.unwrap();
    assert_eq!(ended.to_string(), "done: 500000500000 1000000");
}
