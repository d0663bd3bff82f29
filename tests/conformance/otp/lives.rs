//! Lifecycles: the ends after which a child is started again: O063 to O075.

use supervise::prelude::*;

use super::*;
use crate::common::{ms, pass, secs, seen, settle};

supervisor! {
    struct Lives(stage: Stage) {
        permanent: Unit = Unit::start("permanent", stage.clone()).await?,
        #[lifecycle(Transient)]
        transient: Unit = Unit::start("transient", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage).await?,
    }

    struct AllLives(stage: Stage) {
        #![strategy(AllForOne)]
        permanent: Unit = Unit::start("permanent", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage).await?,
    }

    struct RestLives(stage: Stage) {
        #![strategy(RestForOne)]
        permanent: Unit = Unit::start("permanent", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage).await?,
    }
}

async fn lives() -> (Running<Lives>, Stage) {
    let stage = Stage::default();
    let tree = Lives::start(stage.clone()).await.unwrap();
    stage.take();
    (tree, stage)
}

/// A permanent child comes back after a normal end.
#[tokio::test(start_paused = true)]
async fn o063_a_permanent_child_that_has_finished_comes_back() {
    let (tree, stage) = lives().await;
    finish(&tree.permanent).await;
    assert_eq!(ping(&tree.permanent).await, 2);
    assert!(matches!(stage.given("permanent post_restart").cause(), Cause::EndedByItself));
}

/// The same after a failure.
#[tokio::test(start_paused = true)]
async fn o065_a_permanent_child_that_fails_comes_back() {
    let (tree, stage) = lives().await;
    fail(&tree.permanent).await;
    assert_eq!(ping(&tree.permanent).await, 2);
    assert!(matches!(stage.given("permanent post_restart").cause(), Cause::Error(_)));
}

/// A transient child that has ended normally stays known, and can be started on request.
#[tokio::test(start_paused = true)]
async fn o066_a_transient_child_that_has_finished_stays_known() {
    let (tree, stage) = lives().await;
    finish(&tree.transient).await;
    pass(secs(60)).await;
    assert_eq!((state(&tree.transient), starts(&stage)), ("done", vec![]));
    assert!(tree.snapshot().find("transient").is_some_and(|node| !node.is_up()));
    tree.transient.start_again().unwrap();
    ping(&tree.transient).await;
    assert_eq!(state(&tree.transient), "lives");
}

/// A transient child may end normally any number of times, and each end is reported.
#[tokio::test(start_paused = true)]
async fn o067_a_transient_child_may_be_through_again_and_again() {
    let (tree, stage) = lives().await;
    for _ in 0..3 {
        finish(&tree.transient).await;
        assert_eq!(end(&tree.transient).await, "done");
        pass(secs(60)).await;
        assert_eq!(starts(&stage), [""; 0]);
        tree.transient.start_again().unwrap();
        ping(&tree.transient).await;
        assert_eq!(starts(&stage), ["transient"]);
    }
}

/// A transient child comes back after a failure.
#[tokio::test(start_paused = true)]
async fn o068_a_transient_child_that_fails_comes_back() {
    let (tree, _) = lives().await;
    fail(&tree.transient).await;
    assert_eq!(ping(&tree.transient).await, 2);
}

/// A temporary child that has ended normally can be started on request, with its declared settings.
#[tokio::test(start_paused = true)]
async fn o070_a_temporary_child_that_has_finished_can_be_started_again() {
    let (tree, stage) = lives().await;
    finish(&tree.temporary).await;
    assert_eq!(end(&tree.temporary).await, "done");
    pass(secs(60)).await;
    assert_eq!(starts(&stage), [""; 0]);
    tree.temporary.start_again().unwrap();
    ping(&tree.temporary).await;
    assert_eq!(state(&tree.temporary), "lives");
}

/// The failure of a temporary child is only reported.
#[tokio::test(start_paused = true)]
async fn o071_a_temporary_child_that_fails_is_reported_and_gone() {
    let (tree, stage) = lives().await;
    let mut events = tree.events();
    fail(&tree.temporary).await;
    pass(secs(60)).await;
    assert_eq!(seen(&mut events), ["temporary failed", "temporary ended Failed"]);
    assert_eq!(starts(&stage), [""; 0]);
}

/// In a group, a temporary member goes down with the others and is not started again.
#[tokio::test(start_paused = true)]
async fn o072_a_temporary_bystander_is_not_started_again() {
    let stage = Stage::default();
    let all = AllLives::start(stage.clone()).await.unwrap();
    let rest = RestLives::start(stage.clone()).await.unwrap();
    stage.take();
    for (permanent, temporary) in [(&all.permanent, &all.temporary), (&rest.permanent, &rest.temporary)] {
        fail(permanent).await;
        assert_eq!(ping(permanent).await, 2);
        pass(secs(1)).await;
        assert_eq!(steps(&stage), ["temporary post_stop", "permanent post_stop", "permanent start"]);
        assert_eq!(state(temporary), "stopped");
    }
    assert!(all.ended().is_none() && rest.ended().is_none());
}

/// Children spawned at run time have the same lifecycles; a child that has ended is forgotten.
#[tokio::test(start_paused = true)]
async fn o073_children_at_run_time_go_by_the_same_words() {
    for (lifecycle, through, failed) in [
        (Lifecycle::Permanent, "lives", "lives"),
        (Lifecycle::Transient, "done", "lives"),
        (Lifecycle::Temporary, "done", "failed"),
    ] {
        let boss = top("boss", &Stage::default()).await;
        let one = kid_as(&boss, "one", move |spawn| spawn.lifecycle(lifecycle)).await.unwrap();
        let two = kid_as(&boss, "two", move |spawn| spawn.lifecycle(lifecycle)).await.unwrap();
        finish(&one).await;
        fail(&two).await;
        pass(ms(100)).await;
        assert_eq!((state(&one), state(&two)), (through, failed), "{lifecycle:?}");
        with(&boss, move |_, cx| {
            assert_eq!(cx.child::<Unit>("one").is_some(), through == "lives");
            assert_eq!(cx.child::<Unit>("two").is_some(), failed == "lives");
        })
        .await;
        assert_eq!(ping(&boss).await, 1);
    }
}

/// A normal end is not a failure, not even for a permanent child; the restart that follows is reported.
#[tokio::test(start_paused = true)]
async fn o075_an_end_by_itself_is_not_reported_as_a_failure() {
    let (tree, _) = lives().await;
    let mut events = tree.events();
    for unit in [&tree.transient, &tree.temporary] {
        finish(unit).await;
        end(unit).await;
    }
    assert_eq!(seen(&mut events), ["transient ended Done", "temporary ended Done"]);
    finish(&tree.permanent).await;
    ping(&tree.permanent).await;
    settle().await;
    assert_eq!(seen(&mut events), ["permanent restart in 10ms", "permanent restarted"]);
    assert_eq!(
        tree.snapshot().find("permanent").unwrap().restarts.unwrap().used,
        1,
        "the restart counts against the budget"
    );
}
