//! `max_starting` of a set: at most that many instances start at the same time, S27.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::{KeyedError, SpawnError};
use supervise::inspect::NodeState;
use supervise::prelude::*;
use tokio::time::{Instant, sleep, timeout};

use crate::common::{Boom, pass, quiet_panics, secs, settle, soon};

/// The starts in progress, and the order in which they began.
#[derive(Clone, Default)]
struct Starts(Arc<Inner>);

#[derive(Default)]
struct Inner {
    now: AtomicUsize,
    peak: AtomicUsize,
    begun: Mutex<Vec<u32>>,
    /// The instances that fail at their next start.
    fails: Mutex<Vec<(u32, How)>>,
}

#[derive(Clone, Copy, PartialEq)]
enum How {
    Error,
    Panic,
    /// Longer than any other start.
    Long,
}

/// One start, from its expression to the end of its hooks.
struct Starting(Starts);

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.0.now.fetch_sub(1, Relaxed);
    }
}

impl Starts {
    fn begin(&self, n: u32) -> Starting {
        let now = self.0.now.fetch_add(1, Relaxed) + 1;
        self.0.peak.fetch_max(now, Relaxed);
        self.0.begun.lock().unwrap().push(n);
        Starting(self.clone())
    }

    fn plan(&self, n: u32, how: How) {
        self.0.fails.lock().unwrap().push((n, how));
    }

    fn planned(&self, n: u32) -> Option<How> {
        let mut fails = self.0.fails.lock().unwrap();
        let at = fails.iter().position(|(of, _)| *of == n)?;
        Some(fails.remove(at).1)
    }

    /// The largest number of starts at a time so far.
    fn peak(&self) -> usize {
        self.0.peak.load(Relaxed)
    }

    fn begun(&self) -> Vec<u32> {
        std::mem::take(&mut *self.0.begun.lock().unwrap())
    }
}

/// Takes 1 s in its start expression, and 1 s in `pre_start` and `post_restart`.
struct Slow {
    n: u32,
    starting: Option<Starting>,
}

enum Ask {
    Fail(Boom),
    Incarnation(Reply<u32>),
}

#[actor]
impl Slow {
    fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), Boom> {
        match ask {
            Ask::Fail(boom) => return Err(boom),
            Ask::Incarnation(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }

    #[pre_start]
    async fn up(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        sleep(secs(1)).await;
        if cx.incarnation() == 1 {
            self.starting = None;
        }
        Ok(())
    }

    #[post_restart]
    async fn again(&mut self) {
        sleep(secs(1)).await;
        self.starting = None;
        let _ = self.n;
    }
}

impl Slow {
    async fn start(n: u32, starts: Starts) -> Result<Slow, Boom> {
        let starting = Some(starts.begin(n));
        match starts.planned(n) {
            Some(How::Error) => return Err(Boom::Planned),
            Some(How::Panic) => panic!("planned panic"),
            Some(How::Long) => sleep(secs(1000)).await,
            None => sleep(secs(1)).await,
        }
        Ok(Slow { n, starting })
    }
}

supervisor! {
    struct Shop(starts: Starts) {
        #[max_starting(2)]
        slow: [Slow] = |n: u32| Slow::start(n, starts).await?,
    }

    struct Begins(starts: Starts) {
        #[max_starting(2)]
        #[initial([1, 2, 3, 4, 5])]
        slow: [Slow] = |n: u32| Slow::start(n, starts).await?,
        last: task = |cx| cx.stopped(),
    }

    struct One(starts: Starts) {
        #[max_starting(1)]
        #[max_children(3)]
        slow: [u32 => Slow] = |n: u32| Slow::start(n, starts).await?,
    }

    struct Patient(starts: Starts) {
        #[max_starting(1)]
        #[backoff(10s..10s, random_factor = 0)]
        slow: [Slow] = |n: u32| Slow::start(n, starts).await?,
    }

    struct Resuming(starts: Starts) {
        #![decider(Boom::Fatal => Resume, _ => Restart)]
        #[decider(Boom::Fatal => Escalate)]
        #[max_starting(1)]
        slow: [Slow] = |n: u32| Slow::start(n, starts).await?,
    }
}

/// Polls the future until it waits, and returns it.
async fn begun<F: Future>(future: F) -> std::pin::Pin<Box<F>> {
    let mut future = Box::pin(future);
    assert!(timeout(Duration::ZERO, future.as_mut()).await.is_err());
    future
}

/// S27: no more instances start at a time, up to the end of their hooks; the others begin in the order of their spawns.
#[tokio::test(start_paused = true)]
async fn at_most_that_many_start_in_the_order_of_their_spawns() {
    let starts = Starts::default();
    let tree = Shop::start(starts.clone()).await.unwrap();
    let begin = Instant::now();
    let mut spawns = Vec::new();
    for n in 0..9 {
        spawns.push(tokio::spawn(tree.slow.spawn(n)));
        settle().await;
    }
    for (n, spawn) in spawns.into_iter().enumerate() {
        soon(spawn).await.unwrap().unwrap();
        assert_eq!(begin.elapsed(), secs(2 * (n as u64 / 2 + 1)), "a start takes 2 s");
    }
    assert_eq!((starts.peak(), starts.begun()), (2, (0..9).collect()));
    assert_eq!(tree.slow.len(), 9);
}

/// S27: the instances of `initial`, and restarts, up to the end of `post_restart`.
#[tokio::test(start_paused = true)]
async fn initial_instances_and_restarts_count() {
    let starts = Starts::default();
    let begin = Instant::now();
    let tree = Begins::start(starts.clone()).await.unwrap();
    assert_eq!(begin.elapsed(), secs(6), "two, two and one");
    assert_eq!((starts.peak(), starts.begun()), (2, (1..6).collect()));
    let begin = Instant::now();
    for child in tree.slow.handles().into_iter().rev() {
        child.tell(Ask::Fail(Boom::Told)).await.unwrap();
    }
    settle().await;
    for (n, child) in tree.slow.handles().into_iter().enumerate() {
        assert_eq!(soon(child.ask(Ask::Incarnation).forever()).await.unwrap(), 2);
        assert!(begin.elapsed() >= secs(3 * (n as u64 / 2 + 1)), "a restart takes 3 s");
    }
    assert_eq!(begin.elapsed(), secs(9));
    assert_eq!(starts.peak(), 2);
}

/// S27: an instance that backs off takes no place; after its wait it queues like any other.
#[tokio::test(start_paused = true)]
async fn a_wait_takes_no_place() {
    let starts = Starts::default();
    let tree = Patient::start(starts.clone()).await.unwrap();
    starts.plan(1, How::Error);
    let begin = Instant::now();
    let one = tokio::spawn(tree.slow.spawn(1));
    settle().await;
    soon(tree.slow.spawn(2)).await.unwrap();
    assert_eq!(begin.elapsed(), secs(2));
    pass(secs(7)).await;
    let three = tokio::spawn(tree.slow.spawn(3));
    settle().await;
    soon(three).await.unwrap().unwrap();
    assert_eq!(begin.elapsed(), secs(11));
    soon(one).await.unwrap().unwrap();
    assert_eq!(begin.elapsed(), secs(13), "due after 10 s, when the third had the place");
    assert_eq!((starts.peak(), starts.begun()), (1, vec![1, 2, 3, 1]));
}

/// S27, S26: a restart by hand does not queue, neither of an instance that is up nor of one that waits for a place.
#[tokio::test(start_paused = true)]
async fn a_restart_by_hand_does_not_queue() {
    let starts = Starts::default();
    let tree = One::start(starts.clone()).await.unwrap();
    let up = soon(tree.slow.spawn(1)).await.unwrap();
    starts.plan(2, How::Long);
    let _long = begun(tree.slow.spawn(2)).await;
    let begin = Instant::now();
    up.restart().unwrap();
    assert_eq!(soon(up.ask(Ask::Incarnation).forever()).await.unwrap(), 2);
    assert_eq!(begin.elapsed(), secs(3));
    up.tell(Ask::Fail(Boom::Told)).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(starts.begun(), [1, 2, 1], "a restart after a failure waits");
    up.restart().unwrap();
    assert_eq!(soon(up.ask(Ask::Incarnation).forever()).await.unwrap(), 3);
    assert_eq!((starts.peak(), starts.begun()), (2, vec![1]));
}

/// S27: an instance that waits for a place has its key, counts for `max_children`, is starting in a snapshot, and can be
/// stopped or given up: then the next one begins in its turn.
#[tokio::test(start_paused = true)]
async fn one_that_waits_is_there_and_can_be_stopped() {
    let starts = Starts::default();
    let tree = One::start(starts.clone()).await.unwrap();
    let first = tokio::spawn(tree.slow.spawn(1));
    settle().await;
    let second = tokio::spawn(tree.slow.spawn(2));
    settle().await;
    let third = begun(tree.slow.spawn(3)).await;
    let exists = tree.slow.spawn(2).await.unwrap_err();
    assert!(matches!(exists, KeyedError::Exists { .. }), "{exists:?}");
    let full = tree.slow.spawn(4).await.unwrap_err();
    assert!(matches!(full, KeyedError::Spawn(SpawnError::MaxChildren { most: 3, .. })), "{full:?}");
    let snapshot = tree.snapshot();
    for n in 1..4 {
        assert!(matches!(snapshot.find(&format!("slow/{n}")).unwrap().state, NodeState::Starting), "{n}");
    }
    assert!(snapshot.health().is_healthy());

    assert!(tree.slow.stop(&2));
    let stopped = soon(second).await.unwrap().unwrap_err();
    assert!(matches!(stopped, KeyedError::Spawn(SpawnError::Stopping { .. })), "{stopped:?}");
    drop(third);
    settle().await;
    assert_eq!(tree.slow.len(), 1);
    soon(first).await.unwrap().unwrap();
    soon(tree.slow.spawn(2)).await.unwrap();
    assert_eq!((starts.peak(), starts.begun()), (1, vec![1, 2]), "neither had begun");
}

/// S27: a start that fails, panics, is dropped or aborted leaves its place to the next one.
#[tokio::test(start_paused = true)]
async fn a_start_that_ends_badly_leaves_its_place() {
    quiet_panics();
    let starts = Starts::default();
    let tree = One::start(starts.clone()).await.unwrap();
    for (n, how) in [(1, How::Error), (2, How::Panic)] {
        starts.plan(n, how);
        let both = async { tokio::join!(tree.slow.spawn(n), tree.slow.spawn(n + 10)) };
        let (failed, next) = soon(both).await;
        assert!(matches!(failed.unwrap_err(), KeyedError::Spawn(SpawnError::Start(_))));
        tree.slow.stop(&(n + 10));
        soon(next.unwrap().terminated()).await.unwrap();
    }
    starts.plan(3, How::Long);
    let dropped = begun(tree.slow.spawn(3)).await;
    let next = begun(tree.slow.spawn(13)).await;
    drop(dropped);
    let begin = Instant::now();
    let next = soon(next).await.unwrap();
    assert_eq!(begin.elapsed(), secs(2));
    // Killed while it starts again, which is decided Stop.
    starts.plan(13, How::Long);
    next.tell(Ask::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let other = begun(tree.slow.spawn(4)).await;
    next.kill();
    soon(other).await.unwrap();
    assert_eq!((starts.peak(), tree.slow.len()), (1, 1));
}

/// S27, S24: a set that stops ends those that wait, and their spawns fail; none of them begins.
#[tokio::test(start_paused = true)]
async fn a_set_that_stops_ends_those_that_wait() {
    let starts = Starts::default();
    let tree = Shop::start(starts.clone()).await.unwrap();
    let mut spawns = Vec::new();
    for n in 0..5 {
        spawns.push(tokio::spawn(tree.slow.spawn(n)));
    }
    settle().await;
    soon(tree.shutdown()).await;
    for spawn in spawns {
        let refused = soon(spawn).await.unwrap().unwrap_err();
        assert!(matches!(refused, SpawnError::Stopping { .. }), "{refused:?}");
    }
    assert_eq!(starts.begun(), [0, 1]);
}

/// S27, S26: a restart of the set ends those that wait, and begins those of `initial` again, with all places free.
#[tokio::test(start_paused = true)]
async fn a_restart_of_the_set_ends_those_that_wait() {
    let starts = Starts::default();
    let tree = Begins::start(starts.clone()).await.unwrap();
    let mut spawns = Vec::new();
    for n in 10..15 {
        spawns.push(tokio::spawn(tree.slow.spawn(n)));
    }
    settle().await;
    assert_eq!(starts.begun(), [1, 2, 3, 4, 5, 10, 11]);
    let begin = Instant::now();
    tree.slow.tree().restart().unwrap();
    for spawn in spawns {
        let refused = soon(spawn).await.unwrap().unwrap_err();
        assert!(matches!(refused, SpawnError::Stopping { .. }), "{refused:?}");
    }
    pass(secs(6)).await;
    assert_eq!((starts.peak(), starts.begun()), (2, vec![1, 2, 3, 4, 5]));
    soon(tree.slow.spawn(20)).await.unwrap();
    assert_eq!(begin.elapsed(), secs(8));
}

/// S27, S7: nothing begins below a failure; those that wait begin when it was resumed, in their order.
#[tokio::test(start_paused = true)]
async fn those_that_wait_begin_after_a_resume() {
    let starts = Starts::default();
    let tree = Resuming::start(starts.clone()).await.unwrap();
    let one = soon(tree.slow.spawn(1)).await.unwrap();
    let mut spawns = Vec::new();
    for n in 2..5 {
        spawns.push(tokio::spawn(tree.slow.spawn(n)));
    }
    settle().await;
    one.tell(Ask::Fail(Boom::Fatal)).await.unwrap();
    for spawn in spawns {
        soon(spawn).await.unwrap().unwrap();
    }
    assert_eq!((starts.peak(), starts.begun()), (1, vec![1, 2, 3, 4]));
    assert_eq!(one.ask(Ask::Incarnation).await.unwrap(), 1);
}
