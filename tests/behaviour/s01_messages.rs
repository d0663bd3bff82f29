//! Actors and messages: S1 to S5.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Journal, Probe, settle};

supervisor! {
    struct One(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// S2: the handle stays valid over a restart, and so does what waits in the mailbox.
#[tokio::test(start_paused = true)]
async fn a_handle_and_the_queued_messages_survive_a_restart() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Add(1)).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.probe.tell(Do::Add(2)).await.unwrap();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 2, "fresh state, and the message behind the failure");
    assert_eq!(one.probe.incarnation(), 2);
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "probe start",
            "probe pre_start",
            "probe pre_restart",
            "probe post_stop",
            "probe drop",
            "probe start",
            "probe pre_start",
            "probe post_restart"
        ]
    );
}
