//! The `significant` child, with which its supervisor ends: S22.

use supervise::event::Events;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, seen, settle, soon};

supervisor! {
    struct Job(journal: Journal) {
        before: Probe = Probe::start("before", journal).await?,
        #[lifecycle(Transient, significant)]
        main: Probe = Probe::start("main", journal).await?,
        #[lifecycle(significant, Temporary)]
        once: Probe = Probe::start("once", journal).await?,
        #[lifecycle(significant)]
        work: task = |cx| async move { cx.stopped().await },
        after: Probe = Probe::start("after", journal).await?,
    }

    struct Outer(journal: Journal) {
        #[decider(|_: &Failure| Directive::Restart)]
        job: Job = Job::tree(journal),
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Short(journal: Journal, time: std::time::Duration) {
        #[lifecycle(significant)]
        work: task = tokio::time::sleep(time),
        slow: Probe = Probe::start("slow", journal).await?,
    }

    struct Group(journal: Journal) {
        #![strategy(RestForOne)]
        #[lifecycle(Transient, significant)]
        main: Probe = Probe::start("main", journal).await?,
        after: Probe = Probe::start("after", journal).await?,
    }
}

async fn job() -> (Running<Job>, Journal, Events) {
    let journal = Journal::default();
    let mut tree = Job::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    (tree, journal, events)
}

/// S22: when a `Transient` significant child ends by itself, the tree ends as `Done`, and the others go down in
/// reverse.
#[tokio::test(start_paused = true)]
async fn the_tree_ends_with_its_significant_child() {
    let (tree, journal, _) = job().await;
    journal.plan("before post_stop", 1, Fault::Slow(secs(1)));
    tree.main.tell(Do::Stop).await.unwrap();
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert_eq!(
        journal.take(),
        [
            "main post_stop",
            "main drop",
            "after post_stop",
            "after drop",
            "once post_stop",
            "once drop",
            "before post_stop",
            "before post_stop done",
            "before drop"
        ]
    );
}

/// S22: a `Temporary` significant child ends the tree also when it has failed; then the tree has failed with it.
#[tokio::test(start_paused = true)]
async fn a_temporary_one_that_failed_ends_the_tree_too() {
    let (tree, journal, _) = job().await;
    tree.once.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(tree.join()).await;
    assert_eq!(report.ended.failure().unwrap().error(), Some(&Boom::Told));
    let lines = journal.take();
    assert_eq!(
        lines[..4],
        ["once post_stop", "once drop", "after post_stop", "after drop"],
        "the significant child goes down first: {lines:?}"
    );
}

/// S22: a failure of a `Transient` child, and a stop from outside, are not ends by itself.
#[tokio::test(start_paused = true)]
async fn a_restart_or_a_stop_from_outside_does_not_end_the_tree() {
    let (tree, ..) = job().await;
    tree.main.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.main.ask(Do::Incarnation).await.unwrap(), 2);
    tree.main.stop();
    tree.once.stop();
    tree.work.stop();
    pass(secs(10)).await;
    assert!(tree.ended().is_none());
    assert_eq!(tree.after.ask(Do::Incarnation).await.unwrap(), 1);
}

/// S22, S28: a subtree that ends this way stays ended; the tree around it goes on.
#[tokio::test(start_paused = true)]
async fn a_subtree_ends_with_its_significant_child() {
    let journal = Journal::default();
    let tree = Outer::start(journal.clone()).await.unwrap();
    tree.job.main.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(tree.job.join()).await.unwrap().ended, Ended::Done));
    pass(secs(1)).await;
    assert_eq!(tree.other.ask(Do::Get).await.unwrap(), 0);
    // A child that had ended by itself starts again with its tree.
    tree.job.start_again().unwrap();
    settle().await;
    assert_eq!(tree.job.main.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(tree.job.after.ask(Do::Incarnation).await.unwrap(), 2);
}

/// S22, 2c: during the first start, the child stays ended; the tree ends once it is up.
#[tokio::test(start_paused = true)]
async fn an_end_during_the_first_start_counts_once_the_tree_is_up() {
    let journal = Journal::default();
    journal.plan("slow start", 1, Fault::Slow(secs(5)));
    let mut tree = Short::tree(journal.clone(), secs(1));
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
    assert_eq!(journal.take(), ["slow start", "slow start done", "slow pre_start", "slow post_stop", "slow drop"]);
    let seen = seen(&mut events);
    assert!(seen.contains(&"Short started".to_owned()), "the tree was up before it ended: {seen:?}");
}

/// S17, S22: the same in a group that is restarting.
#[tokio::test(start_paused = true)]
async fn a_group_ends_with_its_significant_member() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("after start", 1, Fault::Slow(secs(5)));
    tree.after.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    // The range comes up first.
    tree.main.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(tree.main.ended().is_some() && tree.ended().is_none());
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
    assert_eq!(
        journal.take(),
        [
            "main post_stop",
            "main drop",
            "after start done",
            "after pre_start",
            "after post_restart",
            "after post_stop",
            "after drop"
        ]
    );
}

/// Spawns a significant probe.
struct Boss(Journal);

#[actor]
impl Boss {
    async fn handle(&mut self, reply: Reply<ActorRef<Probe>>, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        let child = cx.spawn(child! {
            #[lifecycle(Transient, significant)]
            "child": Probe = Probe::start("child", journal).await?
        });
        if let Ok(child) = child.await {
            reply.send(child);
        }
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.0.write("boss post_stop");
    }
}

supervisor! {
    struct Office(journal: Journal) {
        #[lifecycle(Transient)]
        boss: Boss = Boss(journal),
        other: Probe = Probe::start("other", journal).await?,
    }
}

/// S22, S38: an actor ends by itself together with the significant child that it has spawned.
#[tokio::test(start_paused = true)]
async fn an_actor_ends_with_its_significant_child() {
    let journal = Journal::default();
    let office = Office::start(journal.clone()).await.unwrap();
    let child = office.boss.ask(|reply| reply).await.unwrap();
    settle().await;
    journal.take();
    child.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(office.boss.terminated()).await, Ok(Ended::Done)));
    assert_eq!(journal.take(), ["child post_stop", "child drop", "boss post_stop"]);
    assert!(office.ended().is_none());
}
