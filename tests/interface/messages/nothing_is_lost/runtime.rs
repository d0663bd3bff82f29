//! The runtime is dropped while an actor is in the middle of its work.

use supervise::prelude::*;

use super::ledger::{Ledger, Outcome, What, Worker};

supervisor! {
    struct Counter(ledger: Ledger) {
        #[mailbox(Unbounded)]
        worker: Worker = Worker::open(ledger).await?,
    }
}

/// S5: messages that an actor has taken from its mailbox in a batch, but has not handled when the runtime is dropped,
/// are dead letters too.
#[test]
fn what_waits_when_the_runtime_goes_is_a_dead_letter() {
    let ledger = Ledger::new(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let counter = runtime.block_on(async {
        let counter = Counter::start(ledger.clone()).await.unwrap().detach();
        for _ in 0..20_000 {
            counter.worker.tell(ledger.parcel(What::Fine, None)).await.unwrap();
        }
        while ledger.count(Outcome::Handled) == 0 {
            tokio::task::yield_now().await;
        }
        counter
    });
    drop(runtime);
    let handled = ledger.count(Outcome::Handled);
    assert!(handled < 20_000, "too many messages were handled before the runtime was dropped: {handled}");
    assert_eq!(ledger.count(Outcome::Dropped), 20_000 - handled);
    assert_eq!(counter.dead_letters(), 20_000 - handled as u64);
    assert!(matches!(counter.worker.ended(), Some(Ended::RuntimeGone)));
}
