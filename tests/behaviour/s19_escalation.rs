//! Escalation and restarts from above: S19 and S20.

use supervise::prelude::*;

use crate::kit::{Boom, Do, Fault, Journal, Probe, pass, secs, settle};

supervisor! {
    struct Outer(journal: Journal, above: Directive) {
        #![decider(move |_: &Failure| above)]
        before: Probe = Probe::start("before", journal).await?,
        inner: struct Inner {
            #![strategy(AllForOne)]
            #![decider(Boom::Fatal => Escalate, Boom::Told | Boom::Planned => Restart)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        },
        after: Probe = Probe::start("after", journal).await?,
    }
}

/// S19, S20: an escalated failure is decided by the parent; its Restart takes the declared children down and
/// up with that failure, and the handles stay the same.
#[tokio::test(start_paused = true)]
async fn a_restart_from_above_takes_the_subtree_down_and_up() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Restart).await.unwrap();
    let a = tree.inner.a.clone();
    tree.inner.b.tell(Do::Add(5)).await.unwrap();
    settle().await;
    journal.take();
    a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(a.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(tree.inner.b.ask(Do::Get).await.unwrap(), 0, "fresh state");
    assert_eq!(
        journal.take(),
        [
            "b pre_restart",
            "b post_stop",
            "b drop",
            "a pre_restart",
            "a post_stop",
            "a drop",
            "a start",
            "a pre_start",
            "a post_restart",
            "b start",
            "b pre_start",
            "b post_restart",
        ]
    );
    assert_eq!((tree.before.incarnation(), tree.after.incarnation()), (1, 1), "siblings are untouched");
    assert_eq!(tree.inner.incarnation(), 2);
}

/// S19: the parent's Resume resumes both: the child that failed keeps its state.
#[tokio::test(start_paused = true)]
async fn a_resume_from_above_resumes_the_child_that_failed() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Resume).await.unwrap();
    tree.inner.a.tell(Do::Add(3)).await.unwrap();
    tree.inner.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(tree.inner.a.ask(Do::Get).await.unwrap(), 3);
    assert_eq!(tree.inner.incarnation(), 1);
}

/// S19: the parent's Stop takes all of the subtree down; the rest goes on.
#[tokio::test(start_paused = true)]
async fn a_stop_from_above_ends_the_subtree_alone() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Stop).await.unwrap();
    tree.inner.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(tree.inner.b.terminated().await.is_ok());
    settle().await;
    assert!(matches!(tree.inner.ended(), Some(Ended::Failed(_))));
    assert_eq!(tree.after.ask(Do::Get).await.unwrap(), 0);
}

/// S20: an escalation from the root ends the tree with the first failure.
#[tokio::test(start_paused = true)]
async fn an_escalation_from_the_root_ends_the_tree() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Escalate).await.unwrap();
    tree.inner.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = tree.join().await;
    let failure = report.ended.failure().expect("the tree failed");
    assert_eq!(failure.path(), "inner/a");
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Fatal));
    let drops: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" drop")).collect();
    assert_eq!(drops, ["after drop", "b drop", "a drop", "before drop"]);
}

/// S19: an escalation in the middle of a group restart: never two restarts of one child.
#[tokio::test(start_paused = true)]
async fn an_escalation_in_a_group_restart_gives_one_restart_in_all() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Restart).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(5)));
    tree.inner.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    tree.inner.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(10)).await;
    assert_eq!(tree.inner.b.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(tree.inner.a.incarnation(), 3, "the group's restart, and the one from above");
    let starts = journal.take().into_iter().filter(|line| line == "b start").count();
    assert!((2..=3).contains(&starts), "{starts} starts of b");
    assert!(tree.ended().is_none());
}

/// S20: a child that had ended by itself starts again with its supervisor; one that a user stopped does not.
#[tokio::test(start_paused = true)]
async fn who_ended_by_itself_starts_again_with_its_supervisor() {
    supervisor! {
        struct Above(journal: Journal) {
            #![decider(|_: &Failure| Directive::Restart)]
            inner: struct Below {
                #![decider(|_: &Failure| Directive::Escalate)]
                #[lifecycle(Transient)]
                done: Probe = Probe::start("done", journal).await?,
                stopped: Probe = Probe::start("stopped", journal).await?,
                fails: Probe = Probe::start("fails", journal).await?,
            },
        }
    }
    let tree = Above::start(Journal::default()).await.unwrap();
    tree.inner.done.tell(Do::Stop).await.unwrap();
    tree.inner.stopped.stop();
    settle().await;
    assert!(tree.inner.done.ended().is_some() && tree.inner.stopped.ended().is_some());
    tree.inner.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.inner.done.ask(Do::Get).await.unwrap(), 0);
    assert!(matches!(tree.inner.stopped.ended(), Some(Ended::Stopped)));
}
