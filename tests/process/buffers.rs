//! The buffers of a mailbox: released after a burst, kept under a steady load. These tests need their own process,
//! because they count allocations.

#![allow(missing_docs, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use supervise::inspect::{Extent, Health, Observe};
use supervise::prelude::*;
use supervise::testing::{advance, settle};

/// The system's allocator, with the number of bytes that each thread has allocated.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The number of allocations.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    /// The number of those that are so large that they can only be a buffer.
    static GREAT: Cell<u32> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    LIVE.set(LIVE.get() + bytes);
    if bytes > 0 {
        NUMBER.set(NUMBER.get() + 1);
    }
    if bytes >= 4096 {
        GREAT.set(GREAT.get() + 1);
    }
}

// SAFETY: every call is passed on to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller guarantees it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(ptr, layout) }
    }
}

struct Sink(u64);

enum Msg {
    Add(u64),
    Get(Reply<u64>),
}

#[actor]
impl Sink {
    fn handle(&mut self, msg: Msg) {
        match msg {
            Msg::Add(n) => self.0 += n,
            Msg::Get(reply) => reply.send(self.0),
        }
    }
}

supervisor! {
    struct Sinks {
        #[mailbox(Unbounded)]
        sinks: [Sink] = || Sink(0),
    }
}

async fn burst(sink: &ActorRef<Sink>, messages: u64) {
    for _ in 0..messages {
        sink.try_tell(Msg::Add(1)).unwrap();
    }
    sink.ask(Msg::Get).await.unwrap();
}

/// S3: an idle actor releases the memory that a burst has added to its mailbox, and handles the next burst.
#[tokio::test(start_paused = true)]
async fn a_mailbox_gives_back_what_a_burst_took() {
    let tree = Sinks::start().await.unwrap();
    let mut sinks = Vec::new();
    for _ in 0..10 {
        sinks.push(tree.sinks.spawn().await.unwrap());
    }
    for sink in &sinks {
        burst(sink, 10).await;
    }
    let before = LIVE.get();
    for round in 1..=3 {
        for sink in &sinks {
            burst(sink, 20_000).await;
        }
        // Shortly after the burst the buffers still exist: another burst may come.
        let after = LIVE.get() - before;
        assert!(after > 10 * 20_000 * 16, "round {round}: {after} bytes");
        settle().await;
        advance(Duration::from_secs(3)).await;
        let left = LIVE.get() - before;
        assert!(left < 10 * 512, "round {round}: {left} bytes of ten idle actors");
    }
    assert_eq!(sinks[0].ask(Msg::Get).await.unwrap(), 10 + 3 * 20_000);
    drop(tree.shutdown().await);
}

/// S3: under a steady load with pauses no buffer is allocated again, however large the batches are.
#[tokio::test(start_paused = true)]
async fn a_steady_load_keeps_its_buffers() {
    let tree = Sinks::start().await.unwrap();
    let sink = tree.sinks.spawn().await.unwrap();
    for _ in 0..20 {
        burst(&sink, 3000).await;
        advance(Duration::from_millis(300)).await;
    }
    let before = GREAT.get();
    for _ in 0..100 {
        burst(&sink, 3000).await;
        advance(Duration::from_millis(300)).await;
    }
    assert_eq!(GREAT.get(), before, "buffers were allocated again");
    drop(tree.shutdown().await);
}

/// S27: a set releases the memory that a burst of instances has taken, though it lives on.
#[tokio::test(start_paused = true)]
async fn a_set_gives_back_what_a_burst_took() {
    let tree = Sinks::start().await.unwrap();
    let _stays = tree.sinks.spawn().await.unwrap();
    let before = LIVE.get();
    for round in 1..=3 {
        let mut sinks = Vec::new();
        for _ in 0..10_000 {
            sinks.push(tree.sinks.spawn().await.unwrap());
        }
        drop(sinks);
        let after = LIVE.get() - before;
        assert!(after > 10_000 * 256, "round {round}: {after} bytes");
        tree.sinks.handles()[1..].iter().for_each(ActorRef::stop);
        settle().await;
        assert_eq!(tree.sinks.len(), 1);
        let left = LIVE.get() - before;
        // The list of tokio for tasks that were woken keeps room for all of them.
        assert!(left < 2 * 8 * 16 * 1024, "round {round}: {left} bytes of a set with one instance");
    }
    drop(tree.shutdown().await);
}

/// S51: with metrics, a message allocates nothing beyond what it does without them.
#[tokio::test(start_paused = true)]
async fn a_message_with_metrics_allocates_nothing() {
    let tree = Sinks::tree().metrics().start().await.unwrap();
    let sink = tree.sinks.spawn().await.unwrap();
    burst(&sink, 1000).await;
    let before = NUMBER.get();
    burst(&sink, 1000).await;
    let allocations = NUMBER.get() - before;
    assert!(allocations < 100, "{allocations} allocations for a burst of 1000 messages");
    drop(tree.shutdown().await);
}

/// S51: the metrics of top-level children keep nothing of those that have ended.
#[tokio::test(start_paused = true)]
async fn metrics_keep_no_top_level_child_that_has_ended() {
    supervise::metrics::top_level();
    let come_and_go = async |times: u32| {
        for _ in 0..times {
            let sink: ActorRef<Sink> = spawn(child! { "sink": Sink = Sink(0) }).await.unwrap();
            sink.stop();
            sink.terminated().await.unwrap();
        }
    };
    come_and_go(200).await;
    let before = LIVE.get();
    come_and_go(4_000).await;
    let left = LIVE.get() - before;
    assert!(left < 4_000 * 64, "{left} bytes of 4000 children that have ended");
}

/// S48: an actor that is killed with messages that wait keeps no times of them.
#[tokio::test(start_paused = true)]
async fn the_killed_keep_no_times() {
    let tree = Sinks::tree().observe(Observe::TIMING).start().await.unwrap();
    let sink = tree.sinks.spawn().await.unwrap();
    burst(&sink, 10).await;
    let before = LIVE.get();
    for _ in 0..20_000 {
        sink.try_tell(Msg::Add(1)).unwrap();
    }
    let snapshot = tree.snapshot(); // begins to note the times
    assert!(snapshot.find(&sink.path()).unwrap().mailbox.unwrap().oldest.is_some());
    drop(snapshot);
    sink.kill();
    let _ = sink.terminated().await;
    settle().await;
    let left = LIVE.get() - before;
    assert!(left < 16 * 1024, "{left} bytes of an actor that was killed");
    drop(tree.shutdown().await);
}

/// S50: the health of a large tree that is well copies nothing of the nodes, whether they are actors or trees, and a part
/// without the instances does not look at them.
#[tokio::test(start_paused = true)]
async fn health_copies_nothing_of_what_is_well() {
    supervisor! {
        struct Large {
            sinks: [Sink] = || Sink(0),
            users: [User] = || User::tree(),
        }
        struct User {
            sink: Sink = Sink(0),
        }
    }

    let large = Large::start().await.unwrap();
    for _ in 0..2000 {
        large.sinks.spawn().await.unwrap();
        large.users.spawn().await.unwrap();
    }
    let counted = |look: &dyn Fn() -> Health| {
        let before = NUMBER.get();
        assert!(look().is_healthy());
        NUMBER.get() - before
    };
    let all = counted(&|| large.health());
    assert!(all < 100, "{all} allocations for 6,003 nodes");
    let declared = counted(&|| large.health_of("Large", Extent::Declared).expect("the root"));
    assert!(declared < 10, "{declared} allocations for 3 nodes");
    drop(large.shutdown().await);
}

/// S3: an actor that ends keeps no buffer, though its cell stays.
#[tokio::test(start_paused = true)]
async fn the_ended_keep_no_buffers() {
    supervisor! {
        struct One {
            #[lifecycle(Temporary)]
            #[mailbox(Unbounded)]
            sink: Sink = Sink(0),
            other: Sink = Sink(0),
        }
    }
    let tree = One::start().await.unwrap();
    burst(&tree.sink, 10).await;
    let before = LIVE.get();
    burst(&tree.sink, 20_000).await;
    tree.sink.stop();
    tree.sink.terminated().await.unwrap();
    settle().await;
    let left = LIVE.get() - before;
    assert!(left < 2048, "{left} bytes");
    drop(tree.shutdown().await);
}

/// S54: callers that ask for a sign of life and give up leave nothing behind, however many there are.
#[tokio::test(start_paused = true)]
async fn callers_that_give_up_leave_nothing_behind() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context as Cx, Waker};

    let sinks = Sinks::start().await.unwrap();
    assert!(sinks.answers().await);
    let give_up = || assert!(pin!(sinks.answers()).poll(&mut Cx::from_waker(Waker::noop())).is_pending());
    give_up();
    let before = LIVE.get();
    for _ in 0..1_000_000 {
        give_up();
    }
    assert_eq!(LIVE.get() - before, 0);
    assert!(sinks.answers().await);
}
