//! Who is started again: S23.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Journal, Probe, ms, pass, secs, seen, settle};

supervisor! {
    struct Kinds(journal: Journal) {
        #[lifecycle(Permanent)]
        permanent: Probe = Probe::start("permanent", journal).await?,
        #[lifecycle(Transient)]
        transient: Probe = Probe::start("transient", journal).await?,
        #[lifecycle(Temporary)]
        temporary: Probe = Probe::start("temporary", journal).await?,
        default: Probe = Probe::start("default", journal).await?,
        job: task = async move { tokio::time::sleep(secs(1)).await },
        #[lifecycle(Permanent)]
        service: task = async move { tokio::time::sleep(secs(1)).await },
    }
}

/// S23: a failure that is decided Restart restarts all but `Temporary`, whose siblings are untouched.
#[tokio::test(start_paused = true)]
async fn a_failure_restarts_all_but_temporary() {
    let tree = Kinds::start(Journal::default()).await.unwrap();
    for probe in [&tree.permanent, &tree.transient, &tree.default] {
        probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        assert_eq!(probe.ask(Do::Get).await.unwrap(), 0);
        assert_eq!(probe.incarnation(), 2, "{}", probe.path());
    }
    tree.temporary.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(tree.temporary.terminated().await, Ok(Ended::Failed(_))));
    assert_eq!(tree.permanent.incarnation(), 2);
}

/// S23: who ends by itself stays ended, but `Permanent` is restarted, paced; the decider is not asked.
#[tokio::test(start_paused = true)]
async fn an_end_by_itself_restarts_only_permanent() {
    let journal = Journal::default();
    let mut tree = Kinds::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    tree.permanent.tell(Do::Stop).await.unwrap();
    pass(ms(20)).await;
    assert_eq!(
        journal.take(),
        ["permanent post_stop", "permanent drop", "permanent start", "permanent pre_start", "permanent post_restart"],
        "post_stop and no pre_restart"
    );
    assert_eq!(seen(&mut events), ["permanent restart in 10ms", "permanent restarted"]);
    for probe in [&tree.transient, &tree.temporary] {
        probe.tell(Do::Stop).await.unwrap();
        assert!(matches!(probe.terminated().await, Ok(Ended::Done)), "{}", probe.path());
    }
}

/// S23: a task that returns stays ended by default, and is started again where it is `Permanent`.
#[tokio::test(start_paused = true)]
async fn a_task_that_returns_stays_ended_unless_permanent() {
    let tree = Kinds::start(Journal::default()).await.unwrap();
    pass(ms(1500)).await;
    assert!(matches!(tree.job.ended(), Some(Ended::Done)));
    assert_eq!(tree.service.incarnation(), 2);
}

/// S23: what a user stops stays ended, whatever its lifecycle.
#[tokio::test(start_paused = true)]
async fn who_is_stopped_from_outside_stays_ended() {
    let tree = Kinds::start(Journal::default()).await.unwrap();
    tree.permanent.stop();
    assert!(matches!(tree.permanent.terminated().await, Ok(Ended::Stopped)));
    pass(secs(60)).await;
    assert_eq!(tree.permanent.incarnation(), 1);
    let back = tree.permanent.tell(Do::Add(1)).await.unwrap_err();
    assert!(matches!(back.into_message(), Do::Add(1)), "the message comes back");
}
