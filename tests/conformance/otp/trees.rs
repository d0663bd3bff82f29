//! Trees of trees, O215 to O220, reports, O231 and O238, and support for tests, O240 to O245.

use supervise::prelude::*;
use supervise::testing;

use super::*;
use crate::common::{Fault, ms, pass, secs, seen, settle};

supervisor! {
    struct Top(stage: Stage) {
        #![strategy(AllForOne, max_restarts = 5, within = 1min)]
        #![decider(_ => Restart)]
        left: struct Left {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            a: Unit = Unit::start("a", stage.clone()).await?,
            guests: [Unit] = |name: &'static str| Unit::start(name, stage.clone()).await?,
        },
        right: struct Right {
            b: Unit = Unit::start("b", stage.clone()).await?,
        },
        third: struct Third {
            c: Unit = Unit::start("c", stage).await?,
        },
    }

    struct Places(stage: Stage) {
        #[lifecycle(Transient)]
        part: struct Part {
            #![strategy(OneForOne, max_restarts = 0)]
            a: Unit = Unit::start("a", stage.clone()).await?,
        },
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Wrapped(stage: Stage, most: u32) {
        #![strategy(OneForOne, max_restarts = 2, within = 1min)]
        wrapper: struct Wrapper {
            #![strategy(OneForOne, max_restarts = most, within = 1min)]
            inner: struct Inner {
                #![strategy(OneForOne, max_restarts = 0)]
                leaf: Unit = Unit::start("leaf", stage).await?,
            },
        },
    }

    struct Harness(stage: Stage) {
        permanent: Unit = Unit::start("permanent", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage).await?,
    }
}

/// A branch at its limit restarts a whole group: declared children come back, spawned children do not, and a branch
/// that was stopped on request stays stopped.
#[tokio::test(start_paused = true)]
async fn o215_a_branch_at_its_limit_restarts_its_group() {
    let tree = Top::start(Stage::default()).await.unwrap();
    let guest = tree.left.guests.spawn("guest").await.unwrap();
    tree.third.stop();
    settle().await;
    for _ in 0..2 {
        fail(&tree.left.a).await;
        pass(secs(1)).await;
    }
    assert_eq!((tree.left.incarnation(), ping(&tree.right.b).await), (2, 2));
    assert_eq!((state(&guest), tree.left.guests.len()), ("stopped", 0));
    assert!(tree.third.ended().is_some() && tree.ended().is_none());
}

/// A child that failed, ended, or was stopped and started again keeps its handle.
#[tokio::test(start_paused = true)]
async fn o216_a_handle_outlives_every_restart() {
    let tree = Harness::start(Stage::default()).await.unwrap();
    let unit = tree.permanent.clone();
    fail(&unit).await;
    assert_eq!(ping(&unit).await, 2);
    finish(&unit).await;
    assert_eq!(ping(&unit).await, 3);
    stop(&unit).await;
    unit.start_again().unwrap();
    ping(&unit).await;
    assert!(tree.permanent == unit && state(&unit) == "lives");
}

/// A branch that gives up has failed, so that a transient branch comes back too.
#[tokio::test(start_paused = true)]
async fn o217_a_branch_that_gives_up_has_failed() {
    let tree = Places::start(Stage::default()).await.unwrap();
    let mut events = tree.events();
    fail(&tree.part.a).await;
    assert_eq!((ping(&tree.part.a).await, ping(&tree.other).await), (2, 1));
    assert!(seen(&mut events).contains(&"part failed".into()));
}

/// A budget of 0 passes an escalation on; any other budget stops it.
#[tokio::test(start_paused = true)]
async fn o218_a_wrapper_with_a_budget_holds_up_escalations() {
    for (most, wrapper, inner) in [(0, 2, 2), (3, 1, 2)] {
        let tree = Wrapped::start(Stage::default(), most).await.unwrap();
        fail(&tree.wrapper.inner.leaf).await;
        pass(secs(1)).await;
        assert_eq!((tree.wrapper.incarnation(), tree.wrapper.inner.incarnation()), (wrapper, inner), "{most}");
    }
}

/// In the first start of the root, a failing start is final; in a restart of the branch the supervisor above retries
/// it.
#[tokio::test(start_paused = true)]
async fn o220_a_start_that_fails_in_a_restarted_branch_is_tried_again() {
    let stage = Stage::default();
    stage.plan("a start", 1, Fault::Error);
    assert_eq!(Places::start(stage.clone()).await.unwrap_err().path(), "part/a");
    let tree = Places::start(stage.clone()).await.unwrap();
    stage.plan("a start", 2, Fault::Error);
    stage.take();
    fail(&tree.part.a).await;
    pass(secs(10)).await;
    assert_eq!(starts(&stage), ["a", "a", "a"]);
    assert!(tree.snapshot().find("part/a").unwrap().is_up());
    assert_eq!(ping(&tree.other).await, 1);
}

/// The events show the phase of a failure, a limit that was reached, and an error on the way down.
#[tokio::test(start_paused = true)]
async fn o231_a_report_says_in_which_phase_the_failure_happened() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 1, secs(60)).await.unwrap();
    let mut events = tree.events();
    stage.plan("a start", 1, Fault::Error);
    stage.plan("c post_stop", 1, Fault::Error);
    fail(&tree.a).await;
    soon(tree.join()).await;
    let mut phases = Vec::new();
    let mut told = Vec::new();
    while let Some(event) = events.try_next() {
        if let supervise::event::EventKind::Failed { failure, .. } = &event.kind {
            phases.push((event.path.clone(), failure.phase()));
        }
        told.push(testing::line(&event));
    }
    assert_eq!(phases[..2], [("a".to_owned(), Phase::Running), ("a".to_owned(), Phase::Restart)]);
    assert!(["a limit", "c reported"].iter().all(|line| told.contains(&(*line).to_owned())), "{told:?}");
}

/// A tree that is quiet for the length of its window has a full budget again.
#[tokio::test(start_paused = true)]
async fn o238_a_quiet_tree_has_forgotten_its_restarts() {
    each!(2, secs(5), |tree, stage| {
        stage.take();
        fail(&tree.c).await;
        assert_eq!(ping(&tree.c).await, 2);
        let used = || tree.snapshot().nodes().filter_map(|node| node.restarts).map(|budget| budget.used).max();
        assert_eq!(used(), Some(1));
        pass(secs(5)).await;
        assert_eq!(used(), Some(0));
    });
}

/// A tree under test is completely gone before the code after its shutdown runs.
#[tokio::test(start_paused = true)]
async fn o240_a_tree_under_test_is_gone_after_its_shutdown() {
    let stage = Stage::default();
    let tree = testing::start(Harness::tree(stage.clone())).await.unwrap();
    let permanent = tree.permanent.clone();
    stage.take();
    let (report, _) = tree.shutdown().await;
    stage.journal.write("cleans up");
    assert!(report.is_orderly());
    assert_eq!(stage.take(), ["temporary post_stop", "permanent post_stop", "cleans up"]);
    assert_eq!(state(&permanent), "stopped");
}

/// Under test, a child has its declared lifecycle.
#[tokio::test(start_paused = true)]
async fn o241_under_test_a_child_lives_as_it_is_declared() {
    let tree = testing::start(Harness::tree(Stage::default())).await.unwrap();
    tree.permanent.tell(Msg::Add(7)).await.unwrap();
    for unit in [&tree.permanent, &tree.temporary] {
        finish(unit).await;
    }
    tree.advance(secs(60)).await;
    assert_eq!((sum(&tree.permanent).await, state(&tree.temporary)), (0, "done"));
}

/// Under test, a child is stopped through its handle, as in production.
#[tokio::test(start_paused = true)]
async fn o242_under_test_a_child_is_stopped_by_its_handle() {
    let mut tree = testing::start(Harness::tree(Stage::default())).await.unwrap();
    tree.record().lines();
    for unit in [tree.permanent.clone(), tree.temporary.clone()] {
        stop(&unit).await;
        stop(&unit).await;
    }
    tree.settle().await;
    let mut told = tree.record().lines();
    told.retain(|line| !line.contains("stopping"));
    assert_eq!(told[..2], ["permanent ended Stopped", "temporary ended Stopped"]);
}

/// Under test, the budgets are those of production.
#[tokio::test(start_paused = true)]
async fn o245_under_test_the_budgets_are_those_of_life() {
    let tree = testing::start(One::tree(Stage::default(), 1, secs(5))).await.unwrap();
    let unit = tree.a.clone();
    fail(&unit).await;
    assert_eq!(ping(&unit).await, 2);
    fail(&unit).await;
    pass(ms(100)).await;
    assert!(at_the_limit(&tree.ended().unwrap()));
}

/// Events of a child contain its path and the error, and nothing of the child's arguments.
#[tokio::test(start_paused = true)]
async fn o228_a_report_contains_no_arguments() {
    let tree = Top::start(Stage::default()).await.unwrap();
    let mut events = tree.events();
    let guest = tree.left.guests.spawn("a secret").await.unwrap();
    fail(&guest).await;
    ping(&guest).await;
    let mut told = Vec::new();
    while let Some(event) = events.try_next() {
        assert_eq!(event.path, "left/guests/#1");
        told.push(format!("{event} {event:?}"));
    }
    assert_eq!(told.len(), 5);
    assert!(told.iter().all(|line| !line.contains("secret")), "{told:?}");
}

/// A requested start is one line in the log, like a start by the tree.
#[tokio::test(start_paused = true)]
async fn o230_a_requested_start_is_one_line() {
    let tree = Top::start(Stage::default()).await.unwrap();
    let mut events = tree.events();
    let guest = tree.left.guests.spawn("x").await.unwrap();
    assert_eq!(seen(&mut events), ["left/guests/#1 started"]);
    fail(&guest).await;
    ping(&guest).await;
    let restarted = ["failed", "decided Restart", "restart in 0ns", "restarted"];
    assert_eq!(seen(&mut events), restarted.map(|what| format!("left/guests/#1 {what}")));
}
