//! Escalation and restarts from above: S19 and S20.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, seen, settle};

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

/// S19, S20: an escalated failure is decided by the parent. Its Restart takes the declared children down and up with
/// that failure, and the handles stay the same.
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

/// S19: the parent's Stop takes the whole subtree down; the other children go on.
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

/// S19: an escalation in the middle of a group restart never leads to two restarts of one child.
#[tokio::test(start_paused = true)]
async fn an_escalation_in_a_group_restart_gives_one_restart_in_all() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone(), Directive::Restart).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(5)));
    tree.inner.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    tree.inner.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(
        journal.take(),
        [
            "a pre_restart",
            "a post_stop",
            "a drop",
            "a start",
            "a pre_start",
            "a post_restart",
            "b start",
            "b pre_start",
            "b post_restart",
        ],
        "the start in progress is dropped, and each child starts once"
    );
    assert_eq!(tree.inner.a.incarnation(), 3, "one restart of the group, and one from above");
    assert!(tree.ended().is_none());
}

/// S20: a child that had ended by itself starts again with its supervisor; one that a user stopped does not.
#[tokio::test(start_paused = true)]
async fn a_child_that_ended_by_itself_starts_again_with_its_supervisor() {
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

/// S20, S37: a child that had ended, and was to start again with its supervisor, has no second end if the supervisor
/// stops before its turn has come.
#[tokio::test(start_paused = true)]
async fn a_start_that_does_not_come_is_no_second_end() {
    supervisor! {
        struct Above(journal: Journal) {
            inner: struct Below {
                slow: Probe = Probe::start("slow", journal).await?,
                #[lifecycle(Transient)]
                done: Probe = Probe::start("done", journal).await?,
            },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Above::start(journal.clone()).await.unwrap();
    tree.inner.done.tell(Do::Stop).await.unwrap();
    settle().await;
    journal.plan("slow start", 1, Fault::Slow(secs(10)));
    tree.inner.restart().unwrap();
    pass(secs(1)).await;
    let mut events = tree.events();
    tree.inner.stop();
    settle().await;
    let stopping = ["inner stopping Asked", "inner/slow stopping Shutdown"];
    let ended = ["inner/slow ended Stopped", "inner ended Stopped"];
    assert_eq!(seen(&mut events), [stopping, ended].concat());
    assert!(matches!(tree.inner.done.ended(), Some(Ended::Done)));
}

supervisor! {
    struct Parent(journal: Journal) {
        #![decider(Cause::Killed => Restart, Boom::Told | Boom::Fatal | Boom::Planned => Escalate)]
        group: struct Group {
            #![strategy(AllForOne)]
            #[backoff(5s..50s, random_factor = 0.0)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        },
    }
}

/// S19: a restart from above replaces the wait of a group: it does not wait, and the group's own timer starts no child
/// a second time.
#[tokio::test(start_paused = true)]
async fn a_restart_from_above_replaces_the_groups_wait() {
    let journal = Journal::default();
    let tree = Parent::start(journal.clone()).await.unwrap();
    tree.group.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.group.kill();
    tree.group.b.ask(Do::Get).await.unwrap();
    assert_eq!(before.elapsed(), secs(0));
    pass(secs(60)).await;
    assert_eq!(
        journal.take(),
        ["a start", "a pre_start", "a post_restart", "b start", "b pre_start", "b post_restart"]
    );
    assert_eq!([tree.group.a.incarnation(), tree.group.b.incarnation(), tree.group.incarnation()], [2, 2, 2]);
}

/// S19: a restart from above joins a group that is already going down: no hook runs twice.
#[tokio::test(start_paused = true)]
async fn a_restart_from_above_joins_the_groups_way_down() {
    let journal = Journal::default();
    let tree = Parent::start(journal.clone()).await.unwrap();
    journal.plan("b pre_restart", 1, Fault::Slow(secs(2)));
    tree.group.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.group.kill();
    tree.group.b.ask(Do::Get).await.unwrap();
    assert_eq!(before.elapsed(), secs(1), "the rest of the hook takes time, and the group adds no delay");
    pass(secs(60)).await;
    assert_eq!(
        journal.take(),
        [
            "b pre_restart done",
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
    assert_eq!([tree.group.a.incarnation(), tree.group.b.incarnation()], [2, 2]);
}

/// S19: a stop of the supervisor in any phase of a group restart ends it, and no child starts again.
#[tokio::test(start_paused = true)]
async fn a_stop_from_above_wins_over_a_group_restart() {
    for (phase, down) in [("wait", 0), ("down", 2), ("up", 0)] {
        let journal = Journal::default();
        let tree = Parent::start(journal.clone()).await.unwrap();
        match phase {
            "down" => journal.plan("b pre_restart", 1, Fault::Slow(secs(3))),
            "up" => journal.plan("b start", 1, Fault::Slow(secs(30))),
            _ => {}
        }
        tree.group.a.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(if phase == "up" { 6 } else { 1 })).await;
        let before = tokio::time::Instant::now();
        journal.take();
        tree.group.stop();
        let report = tree.group.join().await.unwrap();
        assert!(matches!(report.ended, Ended::Stopped), "{phase}: {report}");
        assert_eq!(before.elapsed(), secs(down), "{phase}");
        pass(secs(60)).await;
        let lines = journal.take();
        assert!(!lines.iter().any(|line| line.ends_with("start")), "{phase}: {lines:?}");
        assert!(tree.group.a.ended().is_some() && tree.group.b.ended().is_some(), "{phase}");
    }
}

/// S19: a parent's Resume of a failed start counts against the budget without a check of the limit, waits for the delay
/// of S14, and starts the child again. Children that run go on.
#[tokio::test(start_paused = true)]
async fn a_resume_starts_a_failed_start_again() {
    supervisor! {
        struct Above(journal: Journal) {
            #![decider(|_: &Failure| Directive::Resume)]
            inner: struct Limited {
                #![strategy(OneForOne, max_restarts = 1, within = 1min)]
                runs: Probe = Probe::start("runs", journal).await?,
                #[backoff(2s..60s, random_factor = 0.0)]
                #[limit(max_restarts = 1, within = 1min)]
                fails: Probe = Probe::start("fails", journal).await?,
            },
        }
    }
    let journal = Journal::default();
    let tree = Above::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.inner.runs.tell(Do::Add(4)).await.unwrap();
    journal.plan("fails start", 3, Fault::Error);
    let before = tokio::time::Instant::now();
    tree.inner.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.inner.fails.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(2 + 4 + 8 + 16), "each Resume of a failed start is a restart");
    assert_eq!(tree.inner.runs.ask(Do::Get).await.unwrap(), 4, "running children continue");
    assert_eq!(tree.inner.incarnation(), 1);
    let limits = seen(&mut events).into_iter().filter(|event| event == "inner/fails limit").count();
    assert_eq!(limits, 3, "each failed start counts against the budget of that child");
}

/// S20, S17: a child that had ended by `Stop`, at the limit or as `Temporary` starts again with its supervisor. Its
/// handle, which returns errors until then, is valid again. A restart of the group alone brings back only children that
/// had ended by themselves.
#[tokio::test(start_paused = true)]
async fn only_a_restart_from_above_brings_back_what_had_ended() {
    supervisor! {
        struct Above(journal: Journal) {
            #![decider(|_: &Failure| Directive::Restart)]
            inner: struct Mixed {
                #![strategy(AllForOne)]
                #![decider(Boom::Fatal => Escalate, Boom::Told => Restart, Boom::Planned => Stop)]
                fails: Probe = Probe::start("fails", journal).await?,
                #[lifecycle(Temporary)]
                temporary: Probe = Probe::start("temporary", journal).await?,
                #[lifecycle(Transient)]
                done: Probe = Probe::start("done", journal).await?,
            },
        }
    }
    let tree = Above::start(Journal::default()).await.unwrap();
    tree.inner.temporary.tell(Do::Fail(Boom::Planned)).await.unwrap();
    tree.inner.done.tell(Do::Stop).await.unwrap();
    settle().await;
    tree.inner.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.inner.fails.ask(Do::Incarnation).await.unwrap(), 2);
    settle().await;
    assert!(tree.inner.temporary.tell(Do::Add(1)).await.is_err(), "a group restart does not start the child");
    assert_eq!(tree.inner.done.ask(Do::Incarnation).await.unwrap(), 2);
    tree.inner.done.tell(Do::Stop).await.unwrap();
    settle().await;
    tree.inner.fails.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(tree.inner.temporary.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(tree.inner.done.ask(Do::Get).await.unwrap(), 0);
    assert!(tree.inner.temporary.ended().is_none());
}
