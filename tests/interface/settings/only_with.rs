//! `only_with`: a subtree under a lease.

use supervise::prelude::*;
use supervise::testing::{MemoryLease, settle};

use crate::common::{Journal, Probe};

supervisor! {
    struct Jobs(journal: Journal) {
        job: Probe = Probe::start("job", journal).await?,
    }
    struct Hall(journal: Journal, lease: MemoryLease) {
        #[only_with(lease)]
        jobs: Jobs = Jobs::tree(journal),
        after: Probe = Probe::start("after", journal).await?,
    }
}

/// S55: the subtree is here while the lease is held, and the boot of the tree around it does not wait for that.
#[tokio::test(start_paused = true)]
async fn only_with_expression_is_obeyed() {
    let (journal, lease) = (Journal::default(), MemoryLease::new("jobs"));
    let (one, two) =
        (Hall::tree(journal.clone(), lease.contender()), Hall::tree(Journal::default(), lease.contender()));
    let one = one.start().await.unwrap();
    settle().await;
    assert!(one.jobs.here().is_some());
    let two = two.start().await.unwrap();
    settle().await;
    assert!(two.jobs.here().is_none() && two.is_alive());
}
