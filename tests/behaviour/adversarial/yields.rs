//! Code that gives its thread back, again and again, beside work that is ready at once: its neighbours run, and its time
//! is obeyed. S1, S4, S11, S24, S26.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use supervise::prelude::*;
use tokio::task::yield_now;

use crate::common::{Boom, comes_back, ms, secs};

/// A task that counts its turns. It goes behind the tasks that are ready, as if it was woken by one of them: tokio would
/// let a `yield_now` wait until no other task is ready.
fn neighbour() -> Arc<AtomicU64> {
    let turns = Arc::new(AtomicU64::new(0));
    let counts = turns.clone();
    tokio::spawn(async move {
        std::future::poll_fn(|cx| {
            counts.fetch_add(1, SeqCst);
            cx.waker().wake_by_ref();
            std::task::Poll::<()>::Pending
        })
        .await;
    });
    turns
}

/// The requests that user code makes to its own cell, each followed by a yield.
const REQUESTS: [&str; 5] = ["nothing", "a timer", "a tick", "a future", "a child that stops"];

const ROUNDS: u64 = 300;

struct Busy {
    /// Yields in `pre_start` or `post_stop`, too.
    hooks: bool,
    request: &'static str,
    turns: Arc<AtomicU64>,
    /// The turns of the neighbour while the hooks ran.
    seen: Arc<[AtomicU64; 2]>,
}

enum Do {
    Rounds(&'static str, Reply<u64>),
    Forever(&'static str),
    Nothing,
}

impl Busy {
    async fn request(request: &str, cx: &mut Context<Self>) {
        match request {
            "a timer" => cx.send_after(secs(3600), Do::Nothing).cancel(),
            "a tick" => cx.send_every(secs(3600), || Do::Nothing).cancel(),
            "a future" => cx.run(async {}, |()| Do::Nothing),
            "a child that stops" => {
                // In `post_stop` there are no children any more.
                if let Ok(child) = cx.spawn(child! { "child": Idle = Idle }).await {
                    child.stop();
                    let _ = child.terminated().await;
                }
            }
            _ => {}
        }
    }

    async fn rounds(&self, request: &str, cx: &mut Context<Self>) -> u64 {
        let before = self.turns.load(SeqCst);
        for _ in 0..ROUNDS {
            Self::request(request, cx).await;
            yield_now().await;
        }
        self.turns.load(SeqCst) - before
    }
}

struct Idle;

#[actor]
impl Idle {
    fn handle(&mut self, _: ()) {}
}

impl Actor for Busy {
    type Msg = Do;
    type Error = Boom;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Do::Rounds(request, reply) => reply.send(self.rounds(request, cx).await),
            Do::Forever(request) => loop {
                Self::request(request, cx).await;
                yield_now().await;
            },
            Do::Nothing => {}
        }
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        if self.hooks {
            self.seen[0].store(self.rounds(self.request, cx).await, SeqCst);
        }
        Ok(())
    }

    async fn post_stop(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        if self.hooks {
            self.seen[1].store(self.rounds(self.request, cx).await, SeqCst);
        }
        Ok(())
    }
}

supervisor! {
    struct Yard(hooks: bool, request: &'static str, turns: Arc<AtomicU64>, seen: Arc<[AtomicU64; 2]>) {
        #[lifecycle(Permanent, shutdown = 200ms)]
        busy: Busy = Busy { hooks, request, turns, seen },
    }

    struct Tasks(seen: Arc<AtomicU64>, turns: Arc<AtomicU64>) {
        job: task = |cx| job(cx, seen.clone(), turns.clone()),
    }

    struct Chains {
        #[lifecycle(Permanent, shutdown = 200ms)]
        chain: Chain = Chain,
        #[decider(_ => Resume)]
        #[lifecycle(Permanent, shutdown = 200ms)]
        fails: Fails = Fails,
    }
}

/// Spawns subtasks, and yields after each.
async fn job(cx: TaskContext, seen: Arc<AtomicU64>, turns: Arc<AtomicU64>) {
    let before = turns.load(SeqCst);
    for _ in 0..ROUNDS {
        cx.spawn(async { Ok::<(), Boom>(()) });
        yield_now().await;
    }
    seen.store(turns.load(SeqCst) - before, SeqCst);
}

/// Goes on by a future that is ready at once.
struct Chain;

#[actor]
impl Chain {
    fn handle(&mut self, _: (), cx: &mut Context<Self>) {
        cx.run(async {}, |()| ());
    }
}

/// Fails at each message, and sends itself the next one before.
struct Fails;

#[actor]
impl Fails {
    fn handle(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), Boom> {
        cx.actor_ref().try_tell(()).unwrap();
        Err(Boom::Told)
    }
}

/// Runs a test on one thread, in real time: on the paused clock no time passes while a task is ready.
fn on_one_thread<F: Future<Output = ()>>(test: impl FnOnce() -> F + Send + 'static) {
    comes_back(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(test());
        runtime.shutdown_background();
    });
}

/// S1, S4: a yield yields, also directly after a request of the child to itself: in a handler, in `pre_start`, and in
/// `post_stop`.
#[test]
fn a_yield_after_a_request_lets_others_run() {
    on_one_thread(|| async {
        for request in REQUESTS {
            let (turns, seen) = (neighbour(), Arc::<[AtomicU64; 2]>::default());
            let yard = Yard::start(true, request, turns.clone(), seen.clone()).await.unwrap();
            let among = yard.busy.ask(|reply| Do::Rounds(request, reply)).await.unwrap();
            assert!(among >= ROUNDS - 2, "{request}: {among} turns in a handler");
            yard.busy.stop();
            yard.busy.terminated().await.unwrap();
            for (hook, seen) in ["pre_start", "post_stop"].iter().zip(&*seen) {
                assert!(seen.load(SeqCst) >= ROUNDS - 2, "{request}: {} turns in {hook}", seen.load(SeqCst));
            }
        }
    });
}

/// S1, S29: the same in a task that spawns subtasks.
#[test]
fn a_yield_after_a_subtask_lets_others_run() {
    on_one_thread(|| async {
        let (turns, seen) = (neighbour(), Arc::new(AtomicU64::new(0)));
        let tasks = Tasks::start(seen.clone(), turns).await.unwrap();
        tasks.job.terminated().await.unwrap();
        assert!(seen.load(SeqCst) >= ROUNDS - 2, "{} turns", seen.load(SeqCst));
    });
}

/// S24, S26: a child that makes a request and yields, without an end, is aborted once its time is over. That holds on
/// one thread and on several.
#[test]
fn the_time_of_a_child_that_never_ends_is_obeyed() {
    for threads in [1, 2] {
        comes_back(move || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(threads).enable_all().build().unwrap();
            runtime.block_on(async {
                for request in REQUESTS {
                    let yard = Yard::start(false, request, Arc::default(), Arc::default()).await.unwrap();
                    yard.busy.tell(Do::Forever(request)).await.unwrap();
                    tokio::time::sleep(ms(20)).await;
                    let begun = std::time::Instant::now();
                    let report = yard.shutdown().await;
                    assert!(report.children.iter().any(|child| child.aborted && !child.stuck), "{request}: {report}");
                    assert!(begun.elapsed() < secs(30), "{request}: {:?}", begun.elapsed());
                }
            });
        });
    }
}

/// S4, S26: the time of a drain is obeyed, also if its messages and futures follow each other without a wait.
#[test]
fn a_drain_without_an_end_is_aborted_in_its_time() {
    on_one_thread(|| async {
        let turns = neighbour();
        let chains = Chains::start().await.unwrap();
        chains.chain.tell(()).await.unwrap();
        yield_now().await;
        let before = turns.load(SeqCst);
        chains.chain.drain();
        chains.chain.terminated().await.unwrap();
        assert!(matches!(chains.chain.ended(), Some(Ended::Aborted)), "{:?}", chains.chain.ended());
        assert!(turns.load(SeqCst) - before > 100, "the neighbour had {} turns", turns.load(SeqCst) - before);
    });
}

/// S7, S8, S25: an actor that fails at each message, is resumed, and always has another one, lets others run, and stops.
#[test]
fn failures_without_an_end_let_others_run() {
    on_one_thread(|| async {
        let turns = neighbour();
        let chains = Chains::start().await.unwrap();
        chains.fails.tell(()).await.unwrap();
        let before = turns.load(SeqCst);
        while turns.load(SeqCst) - before <= 100 {
            yield_now().await; // the test hangs if the neighbour has no turns
        }
        chains.fails.stop();
        chains.fails.terminated().await.unwrap();
        assert!(matches!(chains.fails.ended(), Some(Ended::Stopped)), "{:?}", chains.fails.ended());
    });
}
