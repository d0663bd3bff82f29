//! `replace` of a keyed set, and what callers of its spawns can do without: S27.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use std::time::Duration;

use supervise::StopReason;
use supervise::error::{KeyedError, SpawnError};
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::common::{Boom, Journal, pass, secs, settle, soon};

struct Feed {
    number: u32,
    name: &'static str,
    journal: Journal,
    stops: Duration,
}

#[derive(Debug)]
enum Ask {
    Name(Reply<&'static str>),
    ReplaceMe(Feeds, Reply<String>),
}

type Feeds = Keyed<u32, Feed, (&'static str, Duration)>;

#[actor]
impl Feed {
    async fn handle(&mut self, msg: Ask) {
        match msg {
            Ask::Name(reply) => reply.send(self.name),
            Ask::ReplaceMe(feeds, reply) => {
                sleep(secs(1)).await; // meanwhile other callers ask for the same key
                let refused = feeds.replace(self.number, "other", secs(0)).await.unwrap_err();
                reply.send(refused.to_string());
            }
        }
    }

    #[post_stop]
    async fn close(&mut self, cx: &mut Context<Self>) {
        self.journal.write(format!("{} {:?}", self.name, cx.stop_reason().unwrap()));
        sleep(self.stops).await;
        self.journal.write(format!("{} closed", self.name));
    }
}

impl Feed {
    async fn open(number: u32, name: &'static str, stops: Duration, journal: Journal) -> Result<Feed, Boom> {
        journal.write(format!("{name} opens"));
        match name {
            "bad" => return Err(Boom::Planned),
            "slow" => sleep(secs(3)).await,
            _ => {}
        }
        Ok(Feed { number, name, journal, stops })
    }
}

supervisor! {
    struct Reader(journal: Journal) {
        #[max_children(1)]
        #[decider(_ => Stop)]
        feeds: [u32 => Feed] = |number: u32, name: &'static str, stops: Duration| {
            Feed::open(number, name, stops, journal).await?
        },
        many: [Feed] = |name: &'static str| Feed::open(0, name, secs(0), journal).await?,
    }

    struct Once {
        #[lifecycle(Temporary)]
        conns: [u32 => task] = |_key: u32, held: std::sync::mpsc::Receiver<()>| |cx| async move {
            cx.stopped().await;
            drop(held);
        },
    }
}

async fn name(feed: &ActorRef<Feed>) -> &'static str {
    feed.ask(Ask::Name).await.unwrap()
}

/// S27, S46: the old instance goes down as `Replaced` and has its time, the new one starts after its end, and both
/// count as one for `max_children`.
#[tokio::test(start_paused = true)]
async fn the_new_one_starts_after_the_end_of_the_old_one() {
    let journal = Journal::default();
    let reader = Reader::start(journal.clone()).await.unwrap();
    let mut events = reader.events();
    let feeds = reader.feeds.clone();
    let old = feeds.spawn(1, "old", secs(2)).await.unwrap();
    let new = soon(feeds.replace(1, "new", secs(0))).await.unwrap();
    assert_eq!(journal.take(), ["old opens", "old Replaced", "old closed", "new opens"]);
    assert!(old != new && old.path() == new.path());
    assert_eq!((name(&new).await, feeds.len(), feeds.keys()), ("new", 1, vec![1]));
    assert!(feeds.get(&1) == Some(new));
    let reasons: Vec<_> = std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event.kind {
            EventKind::Stopping { reason } => Some(reason),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, [StopReason::Replaced]);
    // `replace` of a key without an instance is a spawn, with the errors of a spawn.
    let full = soon(feeds.replace(2, "two", secs(0))).await;
    assert!(matches!(full, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))), "{full:?}");
    feeds.stop(&1);
    settle().await;
    assert_eq!(name(&soon(feeds.replace(2, "two", secs(0))).await.unwrap()).await, "two");
}

/// S27: meanwhile the key is taken: `get` gives the old one until its end and then nothing, `spawn` is refused, and
/// `get_or_spawn` and a second `replace` wait their turn. No other key takes the place.
#[tokio::test(start_paused = true)]
async fn the_key_and_the_place_are_taken_all_the_while() {
    let journal = Journal::default();
    let reader = Reader::start(journal.clone()).await.unwrap();
    let feeds = reader.feeds.clone();
    let old = feeds.spawn(1, "old", secs(2)).await.unwrap();
    let first = tokio::spawn(feeds.replace(1, "slow", secs(1)));
    settle().await;
    let second = tokio::spawn(feeds.replace(1, "second", secs(0)));
    let found = tokio::spawn(feeds.get_or_spawn(1, "third", secs(0)).with_is_new());
    settle().await;
    pass(secs(1)).await;
    assert!(feeds.get(&1).as_ref() == Some(&old));
    let exists = feeds.spawn(1, "other", secs(0)).await;
    assert!(matches!(exists, Err(KeyedError::Exists { .. })), "{exists:?}");
    pass(secs(2)).await; // the old one has ended, the new one opens
    assert!(!old.is_alive() && feeds.get(&1).is_none());
    assert_eq!((feeds.len(), feeds.keys()), (1, vec![1]));
    let exists = feeds.spawn(1, "other", secs(0)).await;
    assert!(matches!(exists, Err(KeyedError::Exists { handle: None, .. })), "{exists:?}");
    let full = feeds.spawn(2, "two", secs(0)).await;
    assert!(matches!(full, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))), "{full:?}");
    let (first, second) = (first.await.unwrap().unwrap(), second.await.unwrap().unwrap());
    let (found, is_new) = found.await.unwrap().unwrap();
    assert_eq!((name(&second).await, is_new), ("second", false));
    assert!(!first.is_alive());
    assert!(found == first || found == second);
    let lines = journal.take();
    let opened: Vec<_> = lines.iter().filter(|line| line.ends_with("opens")).collect();
    assert_eq!(opened, ["old opens", "slow opens", "second opens"]);
}

/// Runs code when it wakes, which is in the middle of the end that it waits for.
struct OnWake(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Wake for OnWake {
    fn wake(self: Arc<Self>) {
        if let Some(run) = self.0.lock().unwrap().take() {
            run();
        }
    }
}

/// S27: the old instance and the new one count as one at each moment of a replacement, so another key has its place.
#[tokio::test(start_paused = true)]
async fn a_replacement_takes_one_place() {
    supervisor! {
        struct Three(journal: Journal) {
            #[max_children(3)]
            feeds: [u32 => Feed] = |number: u32, name: &'static str, stops: Duration| {
                Feed::open(number, name, stops, journal).await?
            },
        }
    }
    // The old instance stops until 2 s, the new one opens until 5 s.
    for at in [secs(1), secs(4), secs(6)] {
        let tree = Three::start(Journal::default()).await.unwrap();
        let feeds = tree.feeds.clone();
        feeds.spawn(1, "old", secs(2)).await.unwrap();
        feeds.spawn(2, "other", secs(0)).await.unwrap();
        let replaces = tokio::spawn(feeds.replace(1, "slow", secs(0)));
        pass(at).await;
        assert_eq!(feeds.len(), 2);
        assert_eq!(name(&feeds.spawn(3, "third", secs(0)).await.unwrap()).await, "third", "after {at:?}");
        let full = feeds.spawn(4, "fourth", secs(0)).await;
        assert!(matches!(full, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))), "{full:?}");
        assert_eq!(name(&soon(replaces).await.unwrap().unwrap()).await, "slow");
        assert_eq!(feeds.len(), 3);
    }
}

/// S27: the place of the old instance is held between its end and the start of the new one.
#[tokio::test(start_paused = true)]
async fn the_place_is_held_between_the_two() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let feeds = reader.feeds.clone();
    let old = feeds.spawn(1, "old", secs(0)).await.unwrap();
    let (said, heard) = std::sync::mpsc::channel();
    let run = Box::new(move || {
        let mut spawn = Box::pin(feeds.spawn(2, "two", secs(0)));
        said.send(spawn.as_mut().poll(&mut task::Context::from_waker(Waker::noop()))).unwrap();
    });
    let waker = Waker::from(Arc::new(OnWake(Mutex::new(Some(run)))));
    let mut end = Box::pin(old.terminated());
    assert!(end.as_mut().poll(&mut task::Context::from_waker(&waker)).is_pending());
    soon(reader.feeds.replace(1, "new", secs(0))).await.unwrap();
    let refused = heard.recv().unwrap();
    assert!(matches!(refused, Poll::Ready(Err(KeyedError::Spawn(SpawnError::MaxChildren { .. })))), "{refused:?}");
}

/// Replaces an instance, and begins another call in the middle of the end of the old one. Returns the new one, and the
/// outcome of that call.
async fn replaced_meanwhile<C: Future + Send + 'static>(
    reader: &Running<Reader>,
    call: impl FnOnce(Feeds) -> C + Send + 'static,
) -> (ActorRef<Feed>, C::Output) {
    let feeds = reader.feeds.clone();
    let old = feeds.spawn(1, "old", secs(0)).await.unwrap();
    let (said, heard) = std::sync::mpsc::channel();
    let run = Box::new(move || {
        let mut begun = Box::pin(call(feeds));
        assert!(begun.as_mut().poll(&mut task::Context::from_waker(Waker::noop())).is_pending());
        said.send(begun).unwrap();
    });
    let waker = Waker::from(Arc::new(OnWake(Mutex::new(Some(run)))));
    let mut end = Box::pin(old.terminated());
    assert!(end.as_mut().poll(&mut task::Context::from_waker(&waker)).is_pending());
    let new = soon(reader.feeds.replace(1, "new", secs(0))).await.unwrap();
    assert_eq!(name(&new).await, "new");
    (new, soon(heard.recv().unwrap()).await)
}

/// S27: the replacement is carried through, whoever finds the end of the old instance: another `replace` waits its turn,
/// and a `get_or_spawn` gets the new instance.
#[tokio::test(start_paused = true)]
async fn a_replacement_is_carried_through_whoever_finds_the_end() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let (new, found) = replaced_meanwhile(&reader, |feeds| feeds.get_or_spawn(1, "found", secs(0)).with_is_new()).await;
    assert_eq!(found.unwrap(), (new.clone(), false));
    new.stop();
    soon(new.terminated()).await.unwrap();
    let (new, second) = replaced_meanwhile(&reader, |feeds| feeds.replace(1, "second", secs(0))).await;
    assert_eq!((name(&second.unwrap()).await, new.is_alive()), ("second", false));
}

/// S27: a caller of `replace` that gives up is forgotten at once, however long the start takes that it has waited for.
#[tokio::test(start_paused = true)]
async fn a_replacement_forgets_a_caller_that_gives_up() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let starts = tokio::spawn(reader.feeds.spawn(1, "slow", secs(0)));
    settle().await;
    let caller = Arc::new(OnWake(Mutex::new(None)));
    let waker = Waker::from(caller.clone());
    let mut replaces = Box::pin(reader.feeds.replace(1, "new", secs(0)));
    assert!(replaces.as_mut().poll(&mut task::Context::from_waker(&waker)).is_pending());
    assert!(Arc::strong_count(&caller) > 2, "it waits for the start");
    drop(replaces);
    assert_eq!(Arc::strong_count(&caller), 2);
    assert_eq!(name(&soon(starts).await.unwrap().unwrap()).await, "slow");
}

/// S27: once the old instance was asked to stop, the rest follows without the caller; before that nothing has begun.
#[tokio::test(start_paused = true)]
async fn a_replacement_does_not_need_its_caller() {
    let journal = Journal::default();
    let reader = Reader::start(journal.clone()).await.unwrap();
    let feeds = reader.feeds.clone();
    let old = feeds.spawn(1, "old", secs(2)).await.unwrap();
    drop(feeds.replace(1, "never", secs(0)));
    settle().await;
    assert!(old.is_alive());
    assert!(timeout(secs(1), feeds.replace(1, "slow", secs(0))).await.is_err());
    pass(secs(10)).await;
    assert_eq!(name(&feeds.get(&1).unwrap()).await, "slow");
    assert_eq!(journal.take(), ["old opens", "old Replaced", "old closed", "slow opens"]);
}

/// S27: if the new one does not come up, the key and the place are free, and the error says so.
#[tokio::test(start_paused = true)]
async fn a_replacement_that_fails_frees_the_key() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let feeds = reader.feeds.clone();
    feeds.spawn(1, "old", secs(0)).await.unwrap();
    let error = soon(feeds.replace(1, "bad", secs(0))).await.unwrap_err();
    assert!(matches!(&error, KeyedError::NotReplaced { error: SpawnError::Start(_), .. }), "{error:?}");
    let text = "feeds/1 has ended, and the instance to replace it did not start, so the key is free: ";
    assert!(error.to_string().starts_with(text), "{error}");
    assert!(feeds.keys().is_empty() && feeds.is_empty());
    let old = feeds.spawn(1, "old", secs(1)).await.unwrap();
    let replace = tokio::spawn(feeds.replace(1, "new", secs(0)));
    settle().await;
    feeds.tree().stop();
    let error = replace.await.unwrap().unwrap_err();
    assert!(matches!(&error, KeyedError::NotReplaced { .. }), "{error:?}");
    assert!(old.ended().is_some() && feeds.keys().is_empty());
}

/// S27, S25: an instance cannot wait for its own replacement: nothing has begun.
#[tokio::test(start_paused = true)]
async fn an_instance_does_not_replace_itself() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let old = reader.feeds.spawn(1, "old", secs(0)).await.unwrap();
    let feeds = reader.feeds.clone();
    let refused = soon(old.ask(|reply| Ask::ReplaceMe(feeds, reply))).await.unwrap();
    assert_eq!(refused, "feeds/1 exists; take it with `get` or `get_or_spawn`, or wait for its end");
    settle().await;
    assert!(old.is_alive());
}

/// S27: the arguments of a `Temporary` set are moved into the one start of the new instance.
#[tokio::test(start_paused = true)]
async fn an_instance_that_starts_once_is_replaced() {
    let once = Once::start().await.unwrap();
    let (_one, held) = std::sync::mpsc::channel();
    let old = once.conns.spawn(1, held).await.unwrap();
    let (_two, held) = std::sync::mpsc::channel();
    let new = soon(once.conns.replace(1, held)).await.unwrap();
    assert!(!old.is_alive() && new.is_alive());
}

/// S27: a detached spawn goes on without its caller; `told` says who has made the instance.
#[tokio::test(start_paused = true)]
async fn a_detached_spawn_goes_on() {
    let journal = Journal::default();
    let reader = Reader::start(journal.clone()).await.unwrap();
    for detached in [false, true] {
        let spawn = reader.many.spawn("slow");
        let spawn = if detached { spawn.detached() } else { spawn };
        assert!(timeout(secs(1), spawn).await.is_err());
        pass(secs(5)).await;
        assert_eq!(reader.many.handles().len(), usize::from(detached));

        let spawn = reader.feeds.get_or_spawn(1, "slow", secs(0));
        let spawn = if detached { spawn.detached() } else { spawn };
        assert!(timeout(secs(1), spawn).await.is_err());
        pass(secs(5)).await;
        assert_eq!(reader.feeds.get(&1).is_some(), detached);
    }
    reader.feeds.stop(&1);
    settle().await;
    assert!(timeout(secs(1), reader.feeds.spawn(1, "slow", secs(0)).detached()).await.is_err());
    pass(secs(5)).await;
    let (_, is_new) = reader.feeds.get_or_spawn(1, "other", secs(0)).with_is_new().await.unwrap();
    assert!(!is_new);
    reader.feeds.stop(&1);
    settle().await;
    let told = |name| reader.feeds.get_or_spawn(1, name, secs(0)).with_is_new();
    let (made, found) = tokio::join!(told("slow"), told("slow"));
    assert_eq!((made.unwrap().1, found.unwrap().1), (true, false));
}

/// S27: on several threads, at most one instance of a key lives, whoever replaces, spawns and stops; nothing is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn replacements_on_several_threads() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let walks: Vec<_> = (0..8)
        .map(|walk| {
            let feeds = reader.feeds.clone();
            tokio::spawn(async move {
                for round in 0..200 {
                    match (walk + round) % 4 {
                        0 => _ = feeds.replace(1, "new", secs(0)).await,
                        1 => _ = timeout(Duration::from_micros(50), feeds.replace(1, "new", secs(0))).await,
                        2 => _ = feeds.get_or_spawn(1, "found", secs(0)).await,
                        _ => _ = feeds.stop(&1),
                    }
                    assert!(feeds.len() <= 1);
                    yield_now().await;
                }
            })
        })
        .collect();
    for walk in walks {
        timeout(secs(60), walk).await.expect("no walk waits forever").unwrap();
    }
    let last = timeout(secs(10), reader.feeds.replace(1, "last", secs(0))).await.unwrap().unwrap();
    assert_eq!(name(&last).await, "last");
    assert!(reader.feeds.stop(&1));
    last.terminated().await.unwrap();
    let all_gone = async {
        while !reader.feeds.keys().is_empty() {
            yield_now().await;
        }
    };
    timeout(secs(10), all_gone).await.expect("the key is free");
    assert!(timeout(secs(10), reader.feeds.spawn(2, "two", secs(0))).await.unwrap().is_ok(), "no place is held");
}

/// S27: a start belongs to all callers, and a detached caller has not given it up, also if it has joined the start of
/// another caller, or another caller has joined its own.
#[tokio::test(start_paused = true)]
async fn a_detached_caller_counts_whoever_has_begun() {
    for (first, second) in [(false, false), (true, false), (false, true), (true, true)] {
        let reader = Reader::start(Journal::default()).await.unwrap();
        let call = |name, detached| {
            let spawn = reader.feeds.get_or_spawn(1, name, secs(0));
            Box::pin(timeout(secs(1), if detached { spawn.detached() } else { spawn }.with_is_new()))
        };
        let (mut made, mut found) = (call("slow", first), call("other", second));
        let cx = &mut task::Context::from_waker(Waker::noop());
        assert!(made.as_mut().poll(cx).is_pending());
        settle().await;
        assert!(found.as_mut().poll(cx).is_pending());
        drop(made);
        settle().await;
        drop(found);
        pass(secs(5)).await;
        let here = reader.feeds.get(&1);
        assert_eq!(here.is_some(), first || second, "{first} {second}");
        if let Some(feed) = here {
            assert_eq!(name(&feed).await, "slow");
        }
    }
}

/// S16, S27: a stop or a kill that comes while the old instance goes down is about the key, whichever way it comes: the
/// new instance does not start, the caller learns why, and the key and its place are free. A stop that came before the
/// replacement does not keep the new instance away.
#[tokio::test(start_paused = true)]
async fn a_stop_takes_a_replacement_back() {
    for how in ["by key", "all", "by handle", "a kill", "by path", "at the end", "before"] {
        let reader = Reader::start(Journal::default()).await.unwrap();
        let old = reader.feeds.spawn(1, "old", secs(2)).await.unwrap();
        if how == "before" {
            old.stop();
        }
        let replacing = tokio::spawn(reader.feeds.replace(1, "new", secs(0)));
        pass(Duration::from_millis(if how == "at the end" { 1999 } else { 500 })).await;
        match how {
            "by key" => assert!(reader.feeds.stop(&1)),
            "all" => reader.feeds.stop_all(),
            "a kill" => old.kill(),
            "by path" => reader.operate("feeds/1", supervise::event::Operation::Stop, "alice").unwrap(),
            "before" => {}
            _ => old.stop(),
        }
        let replaced = soon(replacing).await.unwrap();
        if how == "before" {
            assert_eq!(name(&replaced.unwrap()).await, "new");
            continue;
        }
        let error = replaced.unwrap_err();
        let stopping =
            |error: &KeyedError<_>| matches!(error, KeyedError::NotReplaced { error: SpawnError::Stopping { .. }, .. });
        assert!(stopping(&error), "{how}: {error}");
        assert!(
            error.to_string().contains("feeds started nothing, since it, the child or the caller goes down"),
            "the set lives: {error}"
        );
        pass(secs(5)).await;
        assert!(reader.feeds.is_empty() && reader.feeds.keys().is_empty(), "{how}: {:?}", reader.feeds.keys());
        reader.feeds.spawn(1, "next", secs(0)).await.unwrap();
    }
}

/// S16, S27: the same while the old instance backs off, where it ends at once: the later request counts.
#[tokio::test(start_paused = true)]
async fn a_stop_takes_a_replacement_back_while_the_old_one_backs_off() {
    struct Frail(u32);
    #[actor]
    impl Frail {
        fn handle(&mut self, ask: Option<Reply<u32>>) -> Result<(), Boom> {
            match ask {
                Some(reply) => reply.send(self.0),
                None => return Err(Boom::Told),
            }
            Ok(())
        }
    }
    supervisor! {
        struct Backing {
            #[backoff(10s..20s)]
            set: [u32 => Frail] = |_key: u32, value: u32| Frail(value),
        }
    }
    for stops in [false, true] {
        let tree = Backing::start().await.unwrap();
        let old = tree.set.spawn(1, 1).await.unwrap();
        old.tell(None).await.unwrap();
        pass(secs(1)).await;
        let replacing = tree.set.replace(1, 2);
        let mut replacing = std::pin::pin!(replacing);
        assert!(replacing.as_mut().poll(&mut task::Context::from_waker(Waker::noop())).is_pending());
        if stops {
            assert!(tree.set.stop(&1));
        }
        let replaced = soon(replacing).await;
        assert_eq!(replaced.is_ok(), !stops, "{:?}", replaced.err());
        settle().await;
        assert_eq!(tree.set.len(), usize::from(!stops));
    }
}

/// A future that counts its polls.
struct Counted<F>(Pin<Box<F>>, Arc<AtomicUsize>);

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<F::Output> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.as_mut().poll(cx)
    }
}

/// S27: calls for one key take turns, and an end wakes a few of them, not all. Nothing is left of the queue, a caller that
/// gives up in the middle is not missed, and a caller that is never polled again holds nobody up.
#[tokio::test(start_paused = true)]
async fn many_replacements_of_one_key_take_turns() {
    const MANY: usize = 400;
    let journal = Journal::default();
    let reader = Reader::start(journal.clone()).await.unwrap();
    for round in 0..2 {
        let polls = Arc::new(AtomicUsize::new(0));
        let names: Vec<&'static str> = (0..MANY).map(|n| &*format!("{round}-{n}").leak()).collect();
        let mut calls: Vec<_> =
            names.iter().map(|name| Counted(Box::pin(reader.feeds.replace(1, name, secs(0))), polls.clone())).collect();
        let mut noop = task::Context::from_waker(Waker::noop());
        for call in &mut calls {
            assert!(Pin::new(call).poll(&mut noop).is_pending(), "nothing is up in the first poll");
        }
        drop(calls.remove(MANY / 2));
        let idle = calls.remove(1); // in the middle of its turn, and not polled any more
        let mut last = None;
        for call in calls.into_iter().map(tokio::spawn).collect::<Vec<_>>() {
            last = Some(soon(call).await.unwrap().unwrap());
        }
        let mut expected: Vec<_> = names.iter().map(|name| format!("{name} opens")).collect();
        expected.remove(MANY / 2);
        expected.remove(1);
        let mut opened: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" opens")).collect();
        opened.retain(|line| !line.starts_with(&format!("{round}-1 ")));
        opened.sort();
        expected.sort();
        assert_eq!(opened, expected);
        let polls = polls.load(Ordering::Relaxed);
        assert!(polls < 60 * MANY, "{polls} polls for {MANY} calls");
        drop(idle);
        assert!(last.is_some() && reader.feeds.len() == 1);
    }
}

/// S25, S27: a handler of the instance whose replacement others wait for gets its error at once, as without them.
#[tokio::test(start_paused = true)]
async fn an_instance_that_is_to_be_replaced_waits_for_no_turn() {
    let reader = Reader::start(Journal::default()).await.unwrap();
    let old = reader.feeds.spawn(1, "old", secs(0)).await.unwrap();
    let feeds = reader.feeds.clone();
    let asked = tokio::spawn({
        let (old, feeds) = (old.clone(), feeds.clone());
        async move { old.ask(|reply| Ask::ReplaceMe(feeds, reply)).await }
    });
    settle().await;
    let calls = [(); 12].map(|()| tokio::spawn(reader.feeds.replace(1, "new", secs(0))));
    let refused = soon(asked).await.unwrap().unwrap();
    assert_eq!(refused, "feeds/1 exists; take it with `get` or `get_or_spawn`, or wait for its end");
    for call in calls {
        soon(call).await.unwrap().unwrap();
    }
    assert_eq!(name(&feeds.get(&1).unwrap()).await, "new");
}
