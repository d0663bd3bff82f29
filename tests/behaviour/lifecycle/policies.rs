//! When a child is restarted: S23.

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs, seen, settle};
use crate::groups::strategies::{Say, Witness};

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

/// S23: a failure that is decided Restart restarts every child but a `Temporary` one, whose siblings are untouched.
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

/// S23: a child that ends by itself stays ended; only a `Permanent` child is restarted, after its restart delay. The
/// decider is not asked.
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
        "post_stop runs, and pre_restart does not"
    );
    assert_eq!(seen(&mut events), ["permanent restart in 10ms", "permanent restarted"]);
    for probe in [&tree.transient, &tree.temporary] {
        probe.tell(Do::Stop).await.unwrap();
        assert!(matches!(probe.terminated().await, Ok(Ended::Done)), "{}", probe.path());
    }
}

/// S23: a task that returns stays ended by default, and is started again if it is `Permanent`.
#[tokio::test(start_paused = true)]
async fn a_task_that_returns_stays_ended_unless_permanent() {
    let tree = Kinds::start(Journal::default()).await.unwrap();
    pass(ms(1500)).await;
    assert!(matches!(tree.job.ended(), Some(Ended::Done)));
    assert_eq!(tree.service.incarnation(), 2);
}

/// S23: a child that a user stops stays ended, whatever its lifecycle.
#[tokio::test(start_paused = true)]
async fn a_child_stopped_from_outside_stays_ended() {
    let tree = Kinds::start(Journal::default()).await.unwrap();
    tree.permanent.stop();
    assert!(matches!(tree.permanent.terminated().await, Ok(Ended::Stopped)));
    pass(secs(60)).await;
    assert_eq!(tree.permanent.incarnation(), 1);
    let back = tree.permanent.tell(Do::Add(1)).await.unwrap_err();
    assert!(matches!(back.into_message(), Do::Add(1)), "the message comes back to its sender");
}

/// S23: the instance that replaces one that ended by itself gets this cause in `post_restart`; the end counts against
/// the budget.
#[tokio::test(start_paused = true)]
async fn a_restarted_end_is_reported_and_counts_against_the_budget() {
    supervisor! {
        struct Ends(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1min)]
            #![decider(|_: &Failure| Directive::Stop)]
            one: Witness = Witness::new("one", journal),
        }
    }
    let journal = Journal::default();
    let tree = Ends::start(journal.clone()).await.unwrap();
    for incarnation in 1..=2 {
        tree.one.tell(Say::Stop).await.unwrap();
        pass(secs(1)).await;
        assert_eq!(journal.take(), [format!("one up: ended by itself of one {incarnation}")], "the decider says Stop");
    }
    tree.one.tell(Say::Stop).await.unwrap();
    let report = tree.join().await;
    assert!(report.ended.failure().is_some_and(|f| matches!(f.cause(), Cause::LimitReached)), "{report}");
}

/// S23: `cx.stop()` followed by an error is a stop; the error is reported.
#[tokio::test(start_paused = true)]
async fn a_stop_followed_by_an_error_is_a_stop() {
    supervisor! {
        struct Torn(journal: Journal) {
            #[lifecycle(Transient)]
            transient: Witness = Witness::new("transient", journal),
            permanent: Witness = Witness::new("permanent", journal),
        }
    }
    let journal = Journal::default();
    let tree = Torn::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.transient.tell(Say::StopThenFail).await.unwrap();
    assert!(matches!(tree.transient.terminated().await, Ok(Ended::Done)));
    settle().await;
    assert_eq!(seen(&mut events), ["transient reported", "transient ended Done"]);
    tree.permanent.tell(Say::StopThenFail).await.unwrap();
    pass(ms(50)).await;
    assert_eq!(journal.take(), ["permanent up: ended by itself of permanent 1"]);
}

/// S23, S17: in a group too, an end by itself affects no other member unless the child is `Permanent`. The child comes
/// up with the next restart of the group; one that a user has stopped does not.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_transient_member_leaves_its_group_alone() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(AllForOne)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Transient)]
            transient: Probe = Probe::start("transient", journal).await?,
            #[lifecycle(Permanent)]
            stopped: Probe = Probe::start("stopped", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.take();
    tree.transient.tell(Do::Stop).await.unwrap();
    settle().await;
    tree.stopped.stop();
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["transient post_stop", "transient drop", "stopped post_stop", "stopped drop"]);
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.a.ask(Do::Incarnation).await.unwrap(), 2);
    settle().await;
    assert_eq!(tree.transient.incarnation(), 2);
    assert!(tree.transient.ended().is_none() && tree.stopped.ended().is_some());
}

/// S23: instances of a `[..]` are `Transient` by default: an instance restarts after a failure, and not after an end by
/// itself.
#[tokio::test(start_paused = true)]
async fn an_instance_of_a_set_is_transient_by_default() {
    supervisor! {
        struct Open(journal: Journal) {
            guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        }
    }
    let tree = Open::start(Journal::default()).await.unwrap();
    let guest = tree.guests.spawn("guest").await.unwrap();
    guest.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(guest.ask(Do::Incarnation).await.unwrap(), 2);
    guest.tell(Do::Stop).await.unwrap();
    assert!(matches!(guest.terminated().await, Ok(Ended::Done)));
}
