//! Runtimes that are dropped while everything is running.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crate::tree::start_top;
use crate::walks::operation;
use crate::world::World;
use crate::{number, runtime, within};

/// A tree under load on a runtime that is dropped: the drop returns, and nothing of the tree is left.
fn one(seed: u64) {
    let world = World::new(seed);
    let workers = 1 + world.draw(4) as usize;
    let runtime = runtime(workers);
    let top = runtime.block_on(start_top(&world, seed));
    let handle = top.handle();
    // Threads that wait for the end of an actor and of the root.
    let (a, root) = (handle.alone.a.terminated(), handle.join());
    let (a, root) = (std::thread::spawn(move || wait(a)), std::thread::spawn(move || wait(root)));
    for _ in 0..4 {
        let (top, world) = (handle.clone(), world.clone());
        runtime.spawn(async move {
            loop {
                operation(&top, &world).await;
                tokio::task::yield_now().await;
            }
        });
    }
    let until = world.sent.load(SeqCst) + world.draw(300);
    while world.sent.load(SeqCst) < until {
        std::thread::yield_now();
    }
    if world.one_in(2) {
        top.detach();
    } else {
        drop(top);
    }
    drop(runtime);

    // A waiter outside is notified of the end, that of the actor or that of the runtime. No wait outside is refused.
    let ended = a.join().unwrap();
    assert!(ended.is_ok(), "seed {seed}: {ended:?}");
    let report = root.join().unwrap();
    assert!(report.is_ok(), "seed {seed}: {report:?}");
    // All actors have ended, and stay ended.
    for worker in handle.workers() {
        let ended = worker.ended().unwrap_or_else(|| panic!("seed {seed}: {} has not ended", worker.path()));
        let told = wait(worker.terminated());
        assert!(matches!(&told, Ok(told) if told.to_string() == ended.to_string()), "seed {seed}: {ended}, {told:?}");
        assert!(worker.start_again().is_err(), "seed {seed}: {} starts again", worker.path());
    }
    for tree in handle.trees().iter().chain([&*handle]) {
        assert!(tree.ended().is_some(), "seed {seed}: {} has not ended", tree.path());
    }
    let living = world.living();
    assert!(living.is_empty(), "seed {seed}: still alive: {living:?}");
    let (sent, entered, dropped) = (world.sent.load(SeqCst), world.entered.load(SeqCst), world.dropped.load(SeqCst));
    assert_eq!(sent, entered + dropped, "seed {seed}: a message is neither handled nor dropped");
    let told = wait(handle.alone.a.tell(crate::tree::Msg::Do(60, None)));
    assert!(told.is_err(), "seed {seed}: a message was accepted after the end of the runtime");
    let alone = &handle.alone;
    let lengths = [alone.set.len(), alone.keyed.len(), alone.jobs.len(), handle.rest.below.twins.len()];
    assert_eq!(lengths, [0; 4], "seed {seed}: instances that have not ended");
    let wrong = world.take_wrong();
    assert!(wrong.is_empty(), "seed {seed}: {}", wrong.join("\n"));
    // The parameter of the trees, which their starts clone: the handles keep none.
    assert_eq!(Arc::strong_count(&world), 1, "seed {seed}: a value outlives its tree");
}

/// Waits on this thread, without a runtime.
fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            std::task::Poll::Ready(out) => return out,
            std::task::Poll::Pending => std::thread::park_timeout(Duration::from_secs(1)),
        }
    }
}

/// S25: the drop of a runtime ends everything, whatever is in progress, and all waiters outside are notified.
#[test]
fn runtimes_are_dropped_in_the_middle() {
    let first = number("SEED", u64::from(std::process::id())).wrapping_mul(10_000);
    let drops = number("THREADS_DROPS", 100);
    for seed in first..first + drops {
        within(Duration::from_secs(60), &format!("the drop of seed {seed}"), move || one(seed));
    }
    println!("{drops} runtimes dropped, from seed {first}");
}
