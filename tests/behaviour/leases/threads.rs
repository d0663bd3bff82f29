//! Leases where code blocks its thread: on the wall clock, because code that blocks a thread blocks a paused clock too.

use std::sync::mpsc::{Receiver, Sender, channel};

use supervise::Thrown;
use supervise::lease::{Acquired, Lease, LeaseChange};
use supervise::testing::MemoryLease;

use super::*;

/// Blocks the thread until its sender is dropped.
#[derive(Clone)]
struct Gate(Arc<Mutex<Receiver<()>>>);

impl Gate {
    fn new() -> (Sender<()>, Gate) {
        let (opens, gate) = channel();
        (opens, Gate(Arc::new(Mutex::new(gate))))
    }

    fn pass(&self) {
        let _ = self.0.lock().unwrap().recv();
    }
}

fn on_threads(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
    runtime.block_on(test);
    runtime.shutdown_background();
}

struct Blocks(Gate);

#[actor]
impl Blocks {
    fn handle(&mut self, begun: Reply<()>) {
        begun.send(());
        self.0.pass();
    }
}

supervisor! {
    struct Stuck(gate: Gate) {
        #[lifecycle(Permanent, shutdown = 50ms)]
        blocks: Blocks = Blocks(gate),
    }
}

/// S55: a child that blocks its thread may still act when its tree is given up (S25). So the lease is not given back: it
/// runs out.
#[test]
fn a_tree_that_is_stuck_keeps_its_lease() {
    on_threads(async {
        let (opens, gate) = Gate::new();
        let lease = MemoryLease::new("shop");
        let mut tree = Stuck::tree(gate);
        let mut events = tree.events();
        let stuck = tree.only_with(lease.clone()).start().await.unwrap();
        stuck.blocks.ask(|begun| begun).await.unwrap();
        let report = stuck.shutdown().await;
        assert!(report.children.iter().any(|child| child.stuck), "{report}");
        let mut changes = Vec::new();
        while let Some(event) = events.next().await {
            if let EventKind::Lease { change, .. } = event.kind {
                let last = matches!(change, LeaseChange::Kept { .. } | LeaseChange::Released { .. });
                changes.push(change.to_string());
                if last {
                    break;
                }
            }
        }
        assert!(changes.last().unwrap().starts_with("kept"), "{changes:?}");
        assert_eq!(lease.holder(), Some(1));
        drop(opens);
    });
}

/// A lease whose renewals block their thread.
struct BlockingLease(MemoryLease, Gate);

impl Lease for BlockingLease {
    fn name(&self) -> String {
        Lease::name(&self.0)
    }

    fn ttl(&self) -> Duration {
        Lease::ttl(&self.0)
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        self.0.acquire().await
    }

    async fn renew(&self, _token: u64) -> Result<bool, Thrown> {
        self.1.pass();
        Ok(true)
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        self.0.release(token).await
    }
}

/// S55: a call that blocks its thread may hold up the timers of the runtime, and with them the stop of the tree. The fence
/// needs no timer: nothing of the tree acts past the time of the lease.
#[test]
fn nothing_acts_past_a_call_that_blocks_its_thread() {
    on_threads(async {
        let (opens, gate) = Gate::new();
        let (log, ttl) = (Log::default(), Duration::from_millis(600));
        let lease = BlockingLease(MemoryLease::new("shop").ttl(ttl), gate);
        let shop = Shop::tree(log.clone(), Times::default()).only_with(lease).start().await.unwrap();
        let granted = Instant::now();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1_500));
            drop(opens);
        });
        shop.join().await;
        let last = log.0.lock().unwrap().last().map(|(_, at)| at.duration_since(granted));
        assert!(last.is_some_and(|last| last < ttl), "{last:?}");
    });
}

supervisor! {
    struct Part(gate: Gate) {
        #[lifecycle(Permanent, shutdown = 50ms)]
        blocks: Blocks = Blocks(gate),
    }
    struct Whole(gate: Gate) {
        part: Part = Part::tree(gate),
    }
}

/// S55: the same for a part that was given up before the tree stops.
#[test]
fn a_part_that_was_given_up_before_keeps_the_lease() {
    on_threads(async {
        let (opens, gate) = Gate::new();
        let lease = MemoryLease::new("shop");
        let whole = Whole::tree(gate).only_with(lease.clone()).start().await.unwrap();
        whole.part.blocks.ask(|begun| begun).await.unwrap();
        assert!(whole.part.shutdown().await.is_ok());
        whole.shutdown().await;
        assert_eq!(lease.holder(), Some(1), "it still acts");
        drop(opens);
    });
}
