//! The runtime goes, and with it whatever was in the middle of something.

use supervise::prelude::*;

use super::yard::{Clerk, Fate, What, Yard};

supervisor! {
    struct Counter(yard: Yard) {
        #[mailbox(Unbounded)]
        clerk: Clerk = Clerk::open(yard).await?,
    }
}

/// S5: an actor that has taken a batch out of its mailbox and gave way to others has it all the same.
#[test]
fn what_waits_when_the_runtime_goes_is_a_dead_letter() {
    let yard = Yard::new(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let counter = runtime.block_on(async {
        let counter = Counter::start(yard.clone()).await.unwrap().detach();
        for _ in 0..20_000 {
            counter.clerk.tell(yard.parcel(What::Fine, None)).await.unwrap();
        }
        while yard.count(Fate::Handled) == 0 {
            tokio::task::yield_now().await;
        }
        counter
    });
    drop(runtime);
    let handled = yard.count(Fate::Handled);
    assert!(handled < 20_000, "the test comes too late: {handled}");
    assert_eq!(yard.count(Fate::Dropped), 20_000 - handled);
    assert_eq!(counter.dead_letters(), 20_000 - handled as u64);
    assert!(matches!(counter.clerk.ended(), Some(Ended::RuntimeGone)));
}
