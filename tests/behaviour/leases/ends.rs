//! Ends that are under way when the lease is lost: S55, S23.

use std::future::pending;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use supervise::inspect::EndedKind;
use supervise::testing::{MemoryLease, advance};
use tokio::time::sleep;

use super::*;
use crate::common::{Boom, ms, soon};

/// Does its work until it is told that there is none, or fails.
pub(super) struct Worker;

pub(super) enum Say {
    Done,
    Fail,
}

#[actor]
impl Worker {
    fn handle(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match say {
            Say::Done => cx.stop(),
            Say::Fail => return Err(Boom::Fatal),
        }
        Ok(())
    }

    #[post_stop]
    async fn last(&mut self) {
        sleep(ms(400)).await;
    }
}

/// Takes a while to stop.
pub(super) struct Slow;

#[actor]
impl Slow {
    fn handle(&mut self, _: ()) {}

    #[post_stop]
    async fn last(&mut self) {
        sleep(ms(400)).await;
    }
}

/// The handles of the present run, for a caller that has started none.
type Seat = Arc<Mutex<Option<(ActorRef<Worker>, TreeRef)>>>;

supervisor! {
    struct Batch(begun: Arc<AtomicU32>, seat: Seat) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant, shutdown = 1s)]
        #[decider(_ => Stop)]
        worker: Worker = { begun.fetch_add(1, SeqCst); Worker },
        #[lifecycle(Permanent, shutdown = 1s)]
        slow: Slow = { *seat.lock().unwrap() = Some((worker.clone(), tree.clone())); Slow },
    }

    struct Program(lease: MemoryLease, begun: Arc<AtomicU32>) {
        #[only_with(lease)]
        batch: Batch = Batch::tree(begun, Seat::default()),
        keep: task = pending::<()>(),
    }
}

/// The ways to end the batch, shortly before the lease is lost.
const ENDS: [&str; 3] = ["it is done", "it fails", "it is stopped"];

/// The renewal that is refused comes at two seconds.
fn lease() -> MemoryLease {
    MemoryLease::new("batch").ttl(secs(6.0))
}

fn begin_the_end(end: &str, worker: &ActorRef<Worker>, tree: &TreeRef) {
    match end {
        "it is done" => worker.try_tell(Say::Done).unwrap(),
        "it fails" => worker.try_tell(Say::Fail).unwrap(),
        _ => tree.stop(),
    }
}

/// S55: a subtree that had begun to end when its lease was lost is not started again: no work is done twice, and a
/// subtree that somebody has stopped stays stopped. A subtree that fails is started again after the turn of others. The
/// rule holds at each moment of the way down, and for a loss that meets the request.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_was_about_to_end_keeps_its_end() {
    for end in ENDS {
        for before in [0, 1, 100, 399, 401, 700] {
            let (begun, lease) = (Arc::new(AtomicU32::new(0)), lease());
            let program = Program::start(lease.clone(), begun.clone()).await.unwrap();
            let batch = program.batch.held().await.unwrap();
            advance(ms(1999 - before)).await;
            lease.steal();
            begin_the_end(end, &batch.worker, &batch);
            advance(secs(5.0)).await;
            assert_eq!(begun.load(SeqCst), 1, "{end}, {before} ms before the loss");
            advance(secs(100.0)).await;
            let again = u32::from(end == "it fails");
            assert_eq!(begun.load(SeqCst), 1 + again, "{end}, {before} ms before the loss: {:?}", batch.ended());
        }
    }
}

/// S55: the same for a whole tree: `run` returns with the end that had begun.
#[tokio::test(start_paused = true)]
async fn a_tree_that_was_about_to_end_returns_from_run() {
    for end in ENDS {
        for before in [0, 1, 100, 399, 401, 700] {
            let (begun, lease, seat) = (Arc::new(AtomicU32::new(0)), lease(), Seat::default());
            let tree = Batch::tree(begun.clone(), seat.clone());
            let run = tokio::spawn(tree.only_with(lease.clone()).run(pending::<()>()));
            advance(ms(1999 - before)).await;
            lease.steal();
            let (worker, tree) = seat.lock().unwrap().clone().expect("it is up");
            begin_the_end(end, &worker, &tree);
            let report = soon(run).await.unwrap().unwrap();
            let kind = match end {
                "it is done" => EndedKind::Done,
                "it fails" => EndedKind::Failed,
                _ => EndedKind::Stopped,
            };
            assert_eq!(report.ended.kind(), kind, "{end}, {before} ms before the loss: {report}");
            advance(secs(100.0)).await;
            assert_eq!(begun.load(SeqCst), 1, "{end}, {before} ms before the loss");
        }
    }
}

/// S55: a tree that was not about to end is started again after a loss.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_stops_for_the_loss_is_begun_again() {
    let (begun, lease) = (Arc::new(AtomicU32::new(0)), lease());
    let program = Program::start(lease.clone(), begun.clone()).await.unwrap();
    let batch = program.batch.held().await.unwrap();
    advance(ms(1900)).await;
    lease.steal();
    advance(ms(300)).await;
    // The end is requested on the way down, after the loss of the lease.
    assert!(batch.ended().is_none());
    begin_the_end("it is stopped", &batch.worker, &batch);
    advance(secs(100.0)).await;
    assert_eq!(begun.load(SeqCst), 2);
    soon(program.shutdown()).await;
}
