//! The four directives, and which decider is asked: S8.

use supervise::event::Events;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, quiet_panics, secs, seen, settle, soon};
use crate::failures::causes::Outer;

/// S8: Resume keeps state, instance and incarnation; the message is gone.
#[tokio::test(start_paused = true)]
async fn a_resume_keeps_the_instance_and_goes_on_with_the_next_message() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    journal.take();
    one.probe.tell(Do::Add(2)).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.probe.tell(Do::Add(3)).await.unwrap();
    one.probe.tell(Do::Panic).await.unwrap();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 5);
    one.probe.tell(Do::Hang).await.unwrap();
    settle().await;
    one.probe.kill();
    assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 5, "a kill is a failure like any other");
    assert_eq!(one.probe.incarnation(), 1);
    assert_eq!(journal.take(), [""; 0], "no hook runs");
}

/// S8: where there is no instance, Resume means Restart: after a failed start, and for a task.
#[tokio::test(start_paused = true)]
async fn a_resume_without_an_instance_is_a_restart() {
    supervisor! {
        struct Two(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2)]
            #![decider(|_| Directive::Resume)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            task: task = { let journal = journal; async move { journal.reach("task".into()).await } },
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("task", 2, Fault::Error);
    let two = Two::start(journal.clone()).await.unwrap();
    pass(secs(1)).await;
    assert_eq!((two.probe.incarnation(), two.task.incarnation()), (3, 3));
    assert_eq!(
        journal.take(),
        ["probe start", "probe start", "probe start", "probe pre_start", "task", "task", "task"]
    );
    journal.plan("probe start", 1, Fault::Error);
    two.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(two.ended().is_none(), "a Resume of an instance does not count against the budget: {:?}", two.ended());
    assert_eq!(two.probe.incarnation(), 3);
}

/// S8: Stop ends the child: without `pre_restart`, with its `post_stop`, and with its failure as the reason.
#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_child_without_pre_restart() {
    supervisor! {
        struct Two(journal: Journal) {
            #![decider(|_| Directive::Stop)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let two = Two::start(journal.clone()).await.unwrap();
    journal.take();
    two.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = soon(two.probe.terminated()).await.unwrap();
    assert_eq!(ended.failure().and_then(Failure::error), Some(&Boom::Told), "{ended:?}");
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
    assert_eq!(two.other.ask(Do::Get).await.unwrap(), 0);
}

/// S8: Escalate makes the supervisor fail with the same failure; from the root, it ends the tree.
#[tokio::test(start_paused = true)]
async fn an_escalation_from_the_root_ends_the_tree_with_that_failure() {
    supervisor! {
        struct Two(journal: Journal) {
            #![decider(|_| Directive::Escalate)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }
    let journal = Journal::default();
    let two = Two::start(journal.clone()).await.unwrap();
    journal.take();
    two.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(two.join()).await;
    let failure = report.ended.failure().expect("failed").clone();
    assert_eq!((failure.path(), failure.error()), ("first", Some(&Boom::Told)));
    assert!(failure.before().is_none(), "unwrapped");
    assert_eq!(journal.take(), ["second post_stop", "second drop", "first post_stop", "first drop"]);
}

#[derive(Debug, thiserror::Error)]
#[error("disk {0}")]
struct DiskError(u8);

/// Fails with an error of any type.
struct Any;

#[actor]
impl Any {
    fn handle(&mut self, error: supervise::BoxError) -> Result<(), supervise::BoxError> {
        Err(error)
    }
}

/// S8: a child's own arms come first, and the failures that they do not match go to the tree's arms. An error that no
/// arm matches escalates; for any other cause, S9 decides.
#[tokio::test(start_paused = true)]
async fn own_arms_come_first_then_the_trees_and_an_unmatched_error_escalates() {
    supervisor! {
        struct Arms(journal: Journal) {
            #![decider(Boom::Told => Resume, Boom::Planned | Boom::Fatal => Restart)]
            #[decider(Boom::Told => Stop, Boom::Planned => Escalate, Boom::Fatal => Escalate)]
            own: Probe = Probe::start("own", journal.clone()).await?,
            plain: Probe = Probe::start("plain", journal.clone()).await?,
            #[decider(DiskError(code): DiskError if *code > 7 => Stop)]
            any: Any = Any,
            #[decider(DiskError(code): DiskError if *code > 7 => Stop)]
            other: Any = Any,
            #[decider(|_| Directive::Restart)]
            total: Probe = Probe::start("total", journal).await?,
        }
    }
    quiet_panics();
    let tree = Arms::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.own.tell(Do::Panic).await.unwrap();
    settle().await;
    tree.own.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.plain.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.plain.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    tree.total.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.any.tell(Box::new(Boom::Told)).await.unwrap();
    tree.any.tell(Box::new(DiskError(8))).await.unwrap();
    settle().await;
    let decided = |events: &mut Events| -> Vec<String> {
        seen(events).into_iter().filter(|line| line.contains("decided")).collect()
    };
    assert_eq!(
        decided(&mut events),
        [
            "own decided Restart",
            "own decided Stop",
            "plain decided Resume",
            "plain decided Restart",
            "total decided Restart",
            "any decided Resume",
            "any decided Stop"
        ]
    );
    tree.other.tell(Box::new(DiskError(7))).await.unwrap();
    let report = soon(tree.join()).await;
    assert_eq!(decided(&mut events), ["other decided Escalate"], "neither of the two arms matches");
    assert_eq!(report.ended.failure().and_then(Failure::error).map(|DiskError(code)| *code), Some(7));
}

/// S8: typed arms match exactly the type, also in the failure of a start.
#[tokio::test(start_paused = true)]
async fn arms_match_the_exact_type_in_a_start_too() {
    supervisor! {
        struct Start(journal: Journal) {
            #![decider(Boom::Planned => Restart, Boom::Told | Boom::Fatal => Stop, Cause::Panic(_) => Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
        struct Wrapped {
            #![decider(Boom::Planned | Boom::Told | Boom::Fatal => Restart)]
            wrapped: Probe = Err(Outer(Boom::Fatal))?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("probe pre_start", 1, Fault::Panic);
    let start = Start::start(journal).await.unwrap();
    assert_eq!(start.probe.incarnation(), 4);
    let failure = Wrapped::start().await.unwrap_err();
    assert!(failure.error::<Outer>().is_some(), "the arm does not match a source, so the error escalates");
}
