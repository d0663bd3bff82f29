//! An actor whose mailbox never empties lets its neighbours run: S1.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;

use supervise::prelude::*;

/// The messages that an actor handles in a row.
const TURN: u64 = 128;

/// The questions that a client asks.
const ASKS: u64 = 400;

/// Tells itself each message again.
struct Busy {
    handled: Arc<AtomicU64>,
}

#[actor]
impl Busy {
    fn handle(&mut self, (): (), cx: &mut Context<Self>) {
        self.handled.fetch_add(1, Relaxed);
        let _ = cx.actor_ref().try_tell(()); // refused on the way down
    }
}

struct Neighbour;

#[actor]
impl Neighbour {
    fn handle(&mut self, reply: Reply<()>) {
        reply.send(());
    }
}

supervisor! {
    struct Street(handled: Arc<AtomicU64>) {
        #[mailbox(Unbounded)]
        busy: Busy = Busy { handled },
        neighbour: Neighbour = Neighbour,
    }
}

/// Returns the turns that the busy actor, whose mailbox always has so many messages, had while its neighbour answered
/// `ASKS` questions.
async fn turns_while_asking(queued: u64) -> u64 {
    let handled = Arc::new(AtomicU64::new(0));
    let street = Street::start(handled.clone()).await.unwrap();
    for _ in 0..queued {
        street.busy.tell(()).await.unwrap();
    }
    while handled.load(Relaxed) < 100 * TURN {
        tokio::task::yield_now().await;
    }
    let before = handled.load(Relaxed);
    for _ in 0..ASKS {
        street.neighbour.ask(|reply| reply).forever().await.unwrap();
    }
    let turns = (handled.load(Relaxed) - before) / TURN;
    street.shutdown().await;
    turns
}

/// Checks that several questions go with one turn. If each step of a question waited for a turn, it would be two turns.
fn check(queued: u64, turns: u64) {
    assert!(turns <= ASKS / 5, "a busy actor with {queued} messages had {turns} turns during {ASKS} questions");
    assert!(turns > 0, "a busy actor with {queued} messages had no turn during {ASKS} questions");
}

/// S1: a neighbour on the same thread answers questions between two turns of an actor whose mailbox never empties, and
/// that actor has its turns nevertheless.
#[tokio::test(start_paused = true)]
async fn a_neighbour_of_a_busy_actor_answers_before_its_next_turn() {
    for queued in [10, 10_000] {
        check(queued, tokio::spawn(turns_while_asking(queued)).await.unwrap());
    }
}

/// S1: the same on the scheduler for several threads, of which all but one are occupied.
#[test]
fn a_neighbour_on_the_same_worker_answers_before_the_next_turn_of_a_busy_actor() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (free, is_freed) = mpsc::channel::<()>();
    runtime.spawn(async move {
        begun.send(()).unwrap();
        is_freed.recv().unwrap_err();
    });
    has_begun.recv().unwrap();
    let turns = [10, 10_000].map(|queued| (queued, runtime.block_on(runtime.spawn(turns_while_asking(queued)))));
    drop(free);
    turns.into_iter().for_each(|(queued, turns)| check(queued, turns.unwrap()));
}

/// S1: a producer that lets others run after each burst does not go on before its messages are handled.
#[tokio::test(start_paused = true)]
async fn a_producer_that_lets_others_run_does_not_fill_the_mailbox() {
    const BURST: u64 = 16 * TURN;
    struct Counting(Arc<AtomicU64>);
    #[actor]
    impl Counting {
        fn handle(&mut self, (): ()) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    supervisor! {
        struct One(handled: Arc<AtomicU64>) {
            #[mailbox(Unbounded)]
            counting: Counting = Counting(handled),
        }
    }
    let handled = Arc::new(AtomicU64::new(0));
    let one = One::start(handled.clone()).await.unwrap();
    let producer = tokio::spawn(async move {
        for burst in 0..100 {
            let left = burst * BURST - handled.load(Relaxed);
            assert!(left <= BURST, "{left} messages are left when burst {burst} begins");
            (0..BURST).for_each(|_| one.counting.try_tell(()).unwrap());
            tokio::task::yield_now().await;
        }
    });
    producer.await.unwrap();
}
