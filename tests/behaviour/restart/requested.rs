//! Requested restarts and starts: S26.

use supervise::error::CommandError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct One(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 2, on_limit = Stop)]
        #[post_restart(asked)]
        db: Probe = Probe::start("db", journal).await?,
        #[backoff(10s..20s, random_factor = 0.0)]
        slow: Probe = Probe::start("slow", journal).await?,
        #[lifecycle(Temporary)]
        once: Probe = Probe::start("once", journal).await?,
        #[decider(|_: &Failure| Directive::Stop)]
        last: Probe = Probe::start("last", journal).await?,
        #[lifecycle(Permanent)]
        beat: task = std::future::pending::<()>(),
        set: [Probe] = |n: u32| Probe::start(format!("set{n}"), journal).await?,
        sub: struct Sub {
            inner: Probe = Probe::start("inner", journal).await?,
        },
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Office(journal: Journal) {
        boss: Boss = Boss { journal },
    }

    struct Order(journal: Journal) {
        sub: struct Ordered {
            first: Probe = Probe::start("first", journal).await?,
            second: Probe = Probe::start("second", journal).await?,
            third: Probe = Probe::start("third", journal).await?,
        },
    }
}

fn asked(probe: &mut Probe, failure: &Failure) {
    probe.journal.write(format!("restarted after: {}, {:?}", failure.cause(), failure.phase()));
}

async fn one() -> (Running<One>, Journal, Events) {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    (tree, journal, events)
}

fn path(name: &str) -> String {
    name.to_owned()
}

/// S26: the child is restarted alone, with all its hooks, which get `Cause::Requested`. No decider is asked, and it
/// does not count against the budget.
#[tokio::test(start_paused = true)]
async fn a_requested_restart_is_of_this_child_alone() {
    let (tree, journal, mut events) = one().await;
    tree.db.tell(Do::Add(3)).await.unwrap();
    settle().await;
    assert_eq!(tree.db.restart().map(drop), Ok(()));
    tree.db.tell(Do::Note("kept")).await.unwrap();
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "db pre_restart",
            "db post_stop",
            "db drop",
            "db start",
            "db pre_start",
            "restarted after: restart requested, Running",
            "db kept"
        ]
    );
    assert_eq!(seen(&mut events), ["db stopping Restart", "db restarted"], "nothing failed and nothing was decided");
    assert_eq!(tree.db.ask(Do::Get).await.unwrap(), 0);
}

/// S15, S26: a requested restart does not count against the budget, however often it is requested, and has no delay.
#[tokio::test(start_paused = true)]
async fn a_requested_restart_does_not_count_against_the_budget() {
    let (tree, ..) = one().await;
    let begin = Instant::now();
    for _ in 0..20 {
        tree.db.restart().unwrap();
        settle().await;
    }
    assert_eq!(tree.db.incarnation(), 21);
    for _ in 0..2 {
        tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.db.ask(Do::Get).await.unwrap();
    }
    assert_eq!(tree.db.incarnation(), 23);
    assert!(begin.elapsed() < secs(1));
}

/// S26, 2d: the message in hand is finished first, and its asker is answered.
#[tokio::test(start_paused = true)]
async fn a_restart_waits_for_the_message_in_hand() {
    let (tree, journal, _) = one().await;
    tree.db.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.db.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), ["db works"]);
    assert_eq!(tree.db.restart(), Err(CommandError::Busy { path: path("db") }), "the restart has already begun");
    pass(secs(1)).await;
    assert_eq!(journal.take()[..2], ["db worked", "db pre_restart"]);
    assert_eq!(tree.db.incarnation(), 2);
}

/// S26, 2d: a backoff in progress is cut short; the hooks get the failure that caused it.
#[tokio::test(start_paused = true)]
async fn a_restart_cuts_a_wait_short() {
    let (tree, journal, _) = one().await;
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(4)).await;
    journal.take();
    tree.slow.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), ["slow start", "slow pre_start", "slow post_restart"]);
    let begin = Instant::now();
    pass(secs(60)).await;
    assert_eq!(begin.elapsed(), secs(60));
    assert_eq!(tree.slow.incarnation(), 2, "the backoff timer no longer runs");
    // A requested restart is not a step of the backoff.
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(9_999)).await;
    assert_eq!(tree.slow.incarnation(), 2);
    pass(ms(1)).await;
    assert_eq!(tree.slow.incarnation(), 3);
}

/// S26, 2d: a start in progress is dropped and started again, in each of its steps.
#[tokio::test(start_paused = true)]
async fn a_restart_begins_a_start_again() {
    for (place, due) in [("slow start", false), ("slow pre_start", false), ("slow post_restart", true)] {
        let (tree, journal, mut events) = one().await;
        journal.plan(place, 1, Fault::Slow(secs(500)));
        tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(10)).await;
        journal.take();
        seen(&mut events);
        tree.slow.restart().unwrap();
        settle().await;
        let lines = journal.take();
        assert_eq!(lines.contains(&path("slow post_stop")), due, "{lines:?}");
        assert_eq!(lines[lines.len() - 3..], ["slow start", "slow pre_start", "slow post_restart"]);
        assert!(!lines.contains(&path("slow pre_restart")), "{lines:?}");
        assert_eq!(seen(&mut events), ["slow stopping Restart", "slow restarted"]);
        assert_eq!(tree.slow.incarnation(), 3);
    }
}

/// S26, 2d: a first start is dropped and started again too; callers that wait for it continue to wait.
#[tokio::test(start_paused = true)]
async fn a_first_start_can_be_begun_again() {
    let (tree, journal, _) = one().await;
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    journal.plan("db pre_start", 1, Fault::Slow(secs(500)));
    tree.db.start_again().unwrap();
    settle().await;
    journal.take();
    tree.db.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), ["db drop", "db start", "db pre_start"], "this is still the first start");
    assert_eq!(tree.db.ask(Do::Incarnation).await.unwrap(), 3);
}

/// Fails and takes a second to go down; its child is a probe.
struct Boss {
    journal: Journal,
}

enum Ask {
    Hire(Reply<ActorRef<Probe>>),
    Fail,
}

#[actor]
impl Boss {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), Boom> {
        let Ask::Hire(reply) = ask else { return Err(Boom::Told) };
        let journal = self.journal.clone();
        reply.send(
            cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? })
                .await
                .map_err(|_| Boom::Planned)?,
        );
        Ok(())
    }
    #[pre_restart]
    async fn flush(&mut self) {
        tokio::time::sleep(secs(1)).await;
    }
}

/// S26, S7, 2d: a child that has failed, and whose failure is not decided yet, goes down for the restart at once. No
/// decider is asked, and its start is suspended.
#[tokio::test(start_paused = true)]
async fn a_restart_replaces_a_decision_that_is_kept() {
    let journal = Journal::default();
    let mut tree = Office::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let child = tree.boss.ask(Ask::Hire).await.unwrap();
    tree.boss.tell(Ask::Fail).await.unwrap();
    settle().await;
    child.kill();
    settle().await;
    journal.take();
    assert_eq!(child.restart().map(drop), Ok(()));
    settle().await;
    assert_eq!(journal.take(), ["child pre_restart", "child post_stop", "child drop"]);
    assert_eq!(child.restart().map(drop), Ok(()), "the child waits for its start");
    settle().await;
    assert!(child.ended().is_none());
    // The restart of the parent absorbs the failure of the child.
    assert!(matches!(soon(child.terminated()).await, Ok(Ended::Stopped)));
    let seen = seen(&mut events);
    assert!(seen.contains(&"boss/child failed".to_owned()), "{seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("boss/child decided")), "{seen:?}");
}

/// S26, 2d: a restart of one member is refused while its group goes down or comes up.
#[tokio::test(start_paused = true)]
async fn a_member_is_busy_while_its_group_moves() {
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("a start", 1, Fault::Slow(secs(5)));
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.a.restart(), Err(CommandError::Busy { path: path("a") }));
    assert_eq!(tree.b.restart(), Err(CommandError::Busy { path: path("b") }));
    assert_eq!(tree.b.start_again(), Err(CommandError::Busy { path: path("b") }));
    pass(secs(5)).await;
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 2));
    // When the group is at rest, only this child restarts, whatever the strategy.
    tree.b.restart().unwrap();
    settle().await;
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 3));
}

/// S26, 2d: a child that is stopping, or has ended, cannot be restarted.
#[tokio::test(start_paused = true)]
async fn what_stops_or_has_ended_is_not_restarted() {
    let (tree, journal, _) = one().await;
    journal.plan("db post_stop", 1, Fault::Slow(secs(1)));
    tree.db.stop();
    settle().await;
    let error = tree.db.restart().unwrap_err();
    assert_eq!(error, CommandError::Stopping { path: path("db") });
    assert_eq!(error.to_string(), "db is stopping; wait for its end, then ask for `start_again()`");
    assert!(matches!(tree.db.start_again(), Err(CommandError::NotEnded { .. })));
    pass(secs(1)).await;
    assert_eq!(tree.db.restart(), Err(CommandError::Ended { path: path("db") }));
}

/// S26: a child that was stopped from outside can be started again, and only by this request.
#[tokio::test(start_paused = true)]
async fn what_was_stopped_starts_again() {
    let (tree, journal, mut events) = one().await;
    assert_eq!(tree.db.start_again(), Err(CommandError::NotEnded { path: path("db") }));
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    assert!(tree.db.tell(Do::Add(1)).await.is_err());
    journal.take();
    seen(&mut events);
    assert_eq!(tree.db.start_again().map(drop), Ok(()));
    settle().await;
    assert_eq!(journal.take(), ["db start", "db pre_start"], "a first start runs no post_restart");
    assert_eq!(seen(&mut events), ["db started"]);
    assert!(tree.db.ended().is_none());
    tree.db.tell(Do::Add(4)).await.unwrap();
    assert_eq!(tree.db.ask(Do::Get).await.unwrap(), 4);
    // A new wait is for the next end, not for the previous one.
    tree.db.stop();
    assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
}

/// S24, S26: a shutdown is about the life in which it was asked for, over or not, though the child has been started again
/// when it is awaited.
#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_affect_the_next_life() {
    for ended in [false, true] {
        let (tree, ..) = one().await;
        if ended {
            tree.db.stop();
            settle().await;
        }
        let going = tree.db.shutdown();
        settle().await;
        soon(tree.db.start_again().unwrap()).await.unwrap();
        assert!(matches!(soon(going).await, Ok(Ended::Stopped)));
        assert!(tree.db.ended().is_none(), "the new life goes on");
    }
}

/// S26: a child can be started again after Stop, after the limit, and after the end of a `Temporary` child, with a
/// fresh budget.
#[tokio::test(start_paused = true)]
async fn what_has_ended_starts_again_whatever_its_end() {
    let (tree, ..) = one().await;
    tree.last.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(tree.last.terminated()).await, Ok(Ended::Failed(_))));
    tree.last.start_again().unwrap();

    tree.once.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(tree.once.terminated()).await, Ok(Ended::Failed(_))));
    tree.once.start_again().unwrap();

    for round in 0..2 {
        for _ in 0..3 {
            tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
            settle().await;
            tokio::time::sleep(ms(100)).await;
        }
        assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Limit(_))), "round {round}");
        tree.db.start_again().unwrap();
        settle().await;
        assert_eq!(tree.db.ask(Do::Incarnation).await.unwrap(), 3 * (round + 1) + 1);
    }
    assert_eq!(tree.last.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!(tree.once.ask(Do::Incarnation).await.unwrap(), 2);
}

/// S6, S26: a requested start is a first start, also if it fails; messages wait from its beginning.
#[tokio::test(start_paused = true)]
async fn a_failed_start_again_is_a_failed_first_start() {
    let (tree, journal, mut events) = one().await;
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    journal.plan("db start", 1, Fault::Slow(secs(3)));
    tree.db.start_again().unwrap();
    assert!(matches!(tree.db.start_again(), Err(CommandError::NotEnded { .. })));
    assert!(tree.db.ended().is_none());
    tree.db.tell(Do::Note("waited")).await.unwrap();
    pass(secs(3)).await;
    assert_eq!(journal.take().last().unwrap(), "db waited");
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    journal.plan("db start", 1, Fault::Error);
    while events.try_next().is_some() {}
    tree.db.start_again().unwrap();
    let ended = soon(tree.db.terminated()).await.unwrap();
    assert_eq!(ended.failure().unwrap().phase(), Phase::Start, "a failed first start is decided Stop (S9)");
    let failed = loop {
        match events.try_next().unwrap().kind {
            EventKind::Failed { failure, .. } => break failure,
            _ => continue,
        }
    };
    assert_eq!(failed.phase(), Phase::Start);
}

/// S26: tasks can be restarted and started again as well.
#[tokio::test(start_paused = true)]
async fn a_task_is_restarted_and_started_again_on_request() {
    let (tree, ..) = one().await;
    tree.beat.restart().unwrap();
    settle().await;
    assert_eq!(tree.beat.incarnation(), 2);
    assert!(matches!(tree.beat.start_again(), Err(CommandError::NotEnded { .. })));
    tree.beat.stop();
    soon(tree.beat.terminated()).await.unwrap();
    assert!(matches!(tree.beat.restart(), Err(CommandError::Ended { .. })));
    tree.beat.start_again().unwrap();
    settle().await;
    assert_eq!(tree.beat.incarnation(), 3);
    assert!(tree.beat.ended().is_none());
}

/// S26: a subtree is restarted through its `TreeRef`: its children go down and up with it, and the handles stay the
/// same.
#[tokio::test(start_paused = true)]
async fn a_subtree_is_restarted_and_started_again_on_request() {
    let (tree, journal, _) = one().await;
    tree.sub.restart().unwrap();
    settle().await;
    assert_eq!(
        journal.take(),
        ["inner pre_restart", "inner post_stop", "inner drop", "inner start", "inner pre_start", "inner post_restart"]
    );
    assert_eq!((tree.sub.incarnation(), tree.sub.inner.incarnation()), (2, 2));
    tree.sub.stop();
    soon(tree.sub.join()).await.unwrap();
    assert_eq!(
        tree.sub.inner.start_again(),
        Err(CommandError::SupervisorEnded { path: path("sub/inner") }),
        "the supervisor has ended"
    );
    tree.sub.start_again().unwrap();
    settle().await;
    assert_eq!(tree.sub.inner.ask(Do::Incarnation).await.unwrap(), 3);
    assert_eq!(tree.sub.start_again(), Err(CommandError::NotEnded { path: path("sub") }));
}

/// S26, S27: a set is restarted through its `TreeRef`: the spawned instances end.
#[tokio::test(start_paused = true)]
async fn a_set_is_restarted_on_request() {
    let (tree, ..) = one().await;
    let one = tree.set.spawn(1).await.unwrap();
    tree.set.tree().restart().unwrap();
    assert!(matches!(soon(one.terminated()).await, Ok(Ended::Stopped)));
    let two = tree.set.spawn(2).await.unwrap();
    assert_eq!((tree.set.tree().incarnation(), tree.set.len()), (2, 1));
    // An instance is restarted alone; after its end, a child that was spawned at run time cannot be started again.
    two.restart().unwrap();
    settle().await;
    assert_eq!(two.ask(Do::Incarnation).await.unwrap(), 2);
    two.stop();
    soon(two.terminated()).await.unwrap();
    assert_eq!(two.start_again(), Err(CommandError::NotDeclared { path: path("set/#2") }));
    assert_eq!(two.restart(), Err(CommandError::Ended { path: path("set/#2") }));
}

/// S26: a root cannot be restarted or started again, because it has no supervisor.
#[tokio::test(start_paused = true)]
async fn a_root_is_not_restarted_on_request() {
    let (tree, ..) = one().await;
    let error = tree.restart().unwrap_err();
    assert_eq!(error, CommandError::NotDeclared { path: path("One") });
    assert!(error.to_string().contains("One is a root"), "{error}");
    assert_eq!(tree.start_again(), Err(CommandError::NotDeclared { path: path("One") }));
    let handle = tree.handle();
    tree.shutdown().await;
    assert!(matches!(handle.db.restart(), Err(CommandError::Ended { .. })));
    assert!(matches!(handle.db.start_again(), Err(CommandError::SupervisorEnded { .. })));
}

/// S20, S26: a restart from above does not start a child that a user has stopped. A requested start of its tree is a
/// first start, and starts all children.
#[tokio::test(start_paused = true)]
async fn a_tree_that_is_started_again_starts_all_its_children() {
    let (tree, journal, _) = one().await;
    tree.sub.inner.stop();
    soon(tree.sub.join()).await.unwrap();
    assert!(matches!(tree.sub.ended(), Some(Ended::Done)), "the tree ended with its last member (S22)");
    tree.sub.start_again().unwrap();
    settle().await;
    assert_eq!(tree.sub.inner.ask(Do::Incarnation).await, Ok(2));
    // A member that was started again on request restarts together with its group, like any other.
    let group = Group::start(journal).await.unwrap();
    group.a.stop();
    soon(group.a.terminated()).await.unwrap();
    group.a.start_again().unwrap();
    settle().await;
    group.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!((group.a.incarnation(), group.b.incarnation()), (3, 2));
}

/// S21, S26: the children of a tree come up in order, also those that are started again by hand meanwhile. The members
/// that have not begun wait for such a child, which may have been stopped before the start or during it.
#[tokio::test(start_paused = true)]
async fn a_start_by_hand_keeps_the_order_of_the_first_start() {
    for during in [false, true] {
        let journal = Journal::default();
        let tree = Order::start(journal.clone()).await.unwrap();
        let first = tree.sub.first.clone();
        if !during {
            first.stop();
            soon(first.terminated()).await.unwrap();
        }
        journal.take();
        journal.plan("second start", 1, Fault::Slow(secs(2)));
        tree.sub.restart().unwrap();
        pass(secs(1)).await;
        if during {
            first.stop();
            soon(first.terminated()).await.unwrap();
        }
        journal.plan("first start", 1, Fault::Slow(secs(3)));
        first.start_again().unwrap();
        pass(secs(2)).await;
        let order = |journal: &Journal| {
            let lines = journal.take().into_iter().filter(|line| line.ends_with(" start"));
            lines.collect::<Vec<_>>()
        };
        let begun = if during {
            vec!["first start", "second start", "first start"]
        } else {
            vec!["second start", "first start"]
        };
        assert_eq!(order(&journal), begun, "second is up, first is not, and third waits");
        pass(secs(2)).await;
        assert_eq!(order(&journal), ["third start"]);
        assert_eq!(tree.sub.third.ask(Do::Incarnation).await, Ok(2));
    }
}
