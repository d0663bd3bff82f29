//! A group on its way down and up, and who is waited for: S17.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Fault, Journal, Probe, pass, secs, settle};

supervisor! {
    struct Waited(journal: Journal) {
        #![strategy(AllForOne)]
        b: Probe = Probe::start("b", journal).await?,
        #[backoff(10s..20s, random_factor = 0)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Ending(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Permanent)]
        first: Probe = Probe::start("first", journal).await?,
        second: Probe = Probe::start("second", journal).await?,
    }
}

/// S16, S17: the one whose backoff the group waits for is stopped while the others go down: nobody waits for it.
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_one_that_was_stopped_meanwhile() {
    let journal = Journal::default();
    let tree = Waited::start(journal.clone()).await.unwrap();
    journal.plan("b post_stop", 1, Fault::Slow(secs(2)));
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    tree.a.stop();
    pass(secs(2)).await;
    assert_eq!(tree.b.ask(Do::Incarnation).await.unwrap(), 2, "2 s after the failure, not 12");
    assert!(matches!(tree.a.ended(), Some(Ended::Stopped)));
}

/// S17, S23: one that has ended by itself, and is restarted, awaits its turn while its group goes down: it has
/// not failed.
#[tokio::test(start_paused = true)]
async fn a_restarted_end_awaits_its_turn() {
    let journal = Journal::default();
    let tree = Ending::start(journal.clone()).await.unwrap();
    journal.plan("second post_stop", 1, Fault::Slow(secs(2)));
    tree.first.tell(Do::Stop).await.unwrap();
    settle().await;
    assert_eq!(tree.snapshot().find("first").unwrap().state.to_string(), "waiting for its turn");
    pass(secs(3)).await;
    assert_eq!([tree.first.incarnation(), tree.second.incarnation()], [2, 2]);
}
