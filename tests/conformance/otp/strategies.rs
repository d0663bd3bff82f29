//! Children that restart together: O076 to O090.

use supervise::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::common::{Fault, ms, pass, secs, seen, settle};

supervisor! {
    struct Five(stage: Stage) {
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage.clone()).await?,
        d: Unit = Unit::start("d", stage.clone()).await?,
        e: Unit = Unit::start("e", stage).await?,
    }

    struct AllThrough(stage: Stage) {
        #![strategy(AllForOne)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Transient)]
        through: Unit = Unit::start("through", stage.clone()).await?,
        #[lifecycle(Transient)]
        stopped: Unit = Unit::start("stopped", stage).await?,
    }

    struct RestThrough(stage: Stage) {
        #![strategy(RestForOne)]
        #[lifecycle(Transient)]
        before: Unit = Unit::start("before", stage.clone()).await?,
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Transient)]
        through: Unit = Unit::start("through", stage.clone()).await?,
        #[lifecycle(Transient)]
        stopped: Unit = Unit::start("stopped", stage).await?,
    }

    struct Bystander(stage: Stage) {
        #![strategy(AllForOne)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Temporary, significant)]
        job: Unit = Unit::start("job", stage).await?,
    }
}

/// Siblings are left alone, and each child has its own budget.
#[tokio::test(start_paused = true)]
async fn o076_one_for_one_restarts_and_counts_each_child_for_itself() {
    let tree = One::start(Stage::default(), 2, secs(5)).await.unwrap();
    fail(&tree.a).await;
    assert_eq!((ping(&tree.a).await, ping(&tree.b).await), (2, 1));
    fail(&tree.b).await;
    assert_eq!(ping(&tree.b).await, 2);
    fail(&tree.a).await;
    assert_eq!(
        (ping(&tree.a).await, ping(&tree.b).await),
        (3, 2),
        "the third restart in total, and the second of this child"
    );
    fail(&tree.a).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
}

/// All children go down and come up, which counts once against the budget each time.
#[tokio::test(start_paused = true)]
async fn o077_one_for_all_restarts_all_for_one_charge() {
    let stage = Stage::default();
    let tree = All::start(stage.clone(), 2, secs(5)).await.unwrap();
    stage.take();
    for (nth, unit) in [(2, &tree.a), (3, &tree.b)] {
        fail(unit).await;
        pass(ms(100)).await;
        assert_eq!((ping(&tree.a).await, ping(&tree.b).await, ping(&tree.c).await), (nth, nth, nth));
        let around = ["c post_stop", "b post_stop", "a post_stop", "a start", "b start", "c start"];
        assert_eq!(steps(&stage), around);
    }
    fail(&tree.c).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
}

/// The child that failed and the children after it restart.
#[tokio::test(start_paused = true)]
async fn o078_rest_for_one_restarts_those_after() {
    let stage = Stage::default();
    let tree = Rest::start(stage.clone(), 5, secs(5)).await.unwrap();
    stage.take();
    fail(&tree.b).await;
    pass(ms(100)).await;
    assert_eq!(steps(&stage), ["c post_stop", "b post_stop", "b start", "c start"]);
    fail(&tree.c).await;
    pass(ms(100)).await;
    assert_eq!(steps(&stage), ["c post_stop", "c start"]);
    assert_eq!((ping(&tree.a).await, ping(&tree.b).await, ping(&tree.c).await), (1, 2, 3));
}

/// The last child goes down first.
#[tokio::test(start_paused = true)]
async fn o080_a_stop_goes_backwards() {
    let stage = Stage::default();
    let tree = Five::start(stage.clone()).await.unwrap();
    assert_eq!(starts(&stage), ["a", "b", "c", "d", "e"]);
    assert!(tree.shutdown().await.is_orderly());
    assert_eq!(stage.take(), ["e post_stop", "d post_stop", "c post_stop", "b post_stop", "a post_stop"]);
}

/// A member that does not come up takes down the members that are up already, and all begin again.
#[tokio::test(start_paused = true)]
async fn o081_one_for_all_begins_again_if_another_does_not_come_up() {
    let stage = Stage::default();
    let tree = All::start(stage.clone(), 3, secs(60)).await.unwrap();
    stage.take();
    stage.plan("b start", 1, Fault::Error);
    fail(&tree.a).await;
    pass(secs(1)).await;
    let down = text(&["c post_stop", "b post_stop", "a post_stop", "a start", "b start"]);
    let again = text(&["a post_stop", "a start", "b start", "c start"]);
    assert_eq!(steps(&stage), lines(&[&down, &again]));
    assert!(tree.ended().is_none());
}

/// Members after one that does not come up wait; members before it stay up.
#[tokio::test(start_paused = true)]
async fn o082_rest_for_one_goes_on_from_the_one_that_does_not_come_up() {
    let stage = Stage::default();
    let tree = Rest::start(stage.clone(), 3, secs(60)).await.unwrap();
    stage.take();
    stage.plan("b start", 1, Fault::Error);
    fail(&tree.a).await;
    pass(secs(1)).await;
    let down = text(&["c post_stop", "b post_stop", "a post_stop", "a start", "b start"]);
    assert_eq!(steps(&stage), lines(&[&down, &text(&["b start", "c start"])]));
    assert_eq!(ping(&tree.a).await, 2);
}

/// A child that ends normally does not affect the children after it.
#[tokio::test(start_paused = true)]
async fn o083_rest_for_one_leaves_those_after_one_that_has_finished() {
    let stage = Stage::default();
    let tree = RestThrough::start(stage.clone()).await.unwrap();
    stage.take();
    finish(&tree.before).await;
    pass(secs(60)).await;
    assert_eq!(steps(&stage), ["before post_stop"]);
    assert_eq!((ping(&tree.a).await, ping(&tree.through).await), (1, 1));
}

/// A child that has ended normally comes up with its group; a child that was stopped on request does not.
#[tokio::test(start_paused = true)]
async fn o085_one_for_all_brings_back_a_finished_child() {
    let stage = Stage::default();
    let tree = AllThrough::start(stage.clone()).await.unwrap();
    finish(&tree.through).await;
    end(&tree.through).await;
    stop(&tree.stopped).await;
    stage.take();
    fail(&tree.a).await;
    pass(secs(1)).await;
    assert_eq!(steps(&stage), ["a post_stop", "a start", "through start"]);
    assert_eq!((state(&tree.through), state(&tree.stopped)), ("lives", "stopped"));
}

/// The same for the children after the one that failed; those before it stay as they are.
#[tokio::test(start_paused = true)]
async fn o086_rest_for_one_brings_back_those_after_that_had_finished() {
    let stage = Stage::default();
    let tree = RestThrough::start(stage.clone()).await.unwrap();
    for unit in [&tree.before, &tree.through] {
        finish(unit).await;
        end(unit).await;
    }
    stop(&tree.stopped).await;
    stage.take();
    fail(&tree.a).await;
    pass(secs(1)).await;
    assert_eq!(steps(&stage), ["a post_stop", "a start", "through start"]);
    assert_eq!((state(&tree.before), state(&tree.through), state(&tree.stopped)), ("done", "lives", "stopped"));
}

/// Failures that are farther apart than the window restart forever.
#[tokio::test(start_paused = true)]
async fn o087_rare_failures_restart_forever() {
    each!(1, secs(1), |tree, stage| {
        for nth in 2..=5 {
            fail(&tree.a).await;
            pass(ms(2_100)).await;
            assert_eq!(ping(&tree.a).await, nth);
        }
        stop(&tree.a).await;
        tree.a.start_again().unwrap();
        ping(&tree.a).await;
        assert_eq!(starts(&stage).iter().filter(|name| *name == "a").count(), 5);
    });
}

/// A significant child that goes down with its group has not ended by itself: the tree continues without it.
#[tokio::test(start_paused = true)]
async fn o088_a_significant_bystander_does_not_end_the_tree() {
    let tree = Bystander::start(Stage::default()).await.unwrap();
    fail(&tree.a).await;
    pass(secs(60)).await;
    assert_eq!((ping(&tree.a).await, state(&tree.job)), (2, "stopped"));
    assert!(tree.ended().is_none());
}

/// A member that fails before its turn to go down is part of the same restart.
#[tokio::test(start_paused = true)]
async fn o090_a_failure_on_the_way_down_is_part_of_the_restart() {
    let stage = Stage::default();
    let tree = All::start(stage.clone(), 1, secs(60)).await.unwrap();
    let mut events = tree.events();
    stage.plan("c post_stop", 1, Fault::Slow(secs(1)));
    let begun = Instant::now();
    fail(&tree.a).await;
    settle().await;
    fail(&tree.b).await;
    assert_eq!((ping(&tree.a).await, ping(&tree.b).await), (2, 2));
    assert_eq!(begun.elapsed(), secs(1));
    let told = seen(&mut events);
    assert_eq!(told.iter().filter(|line| line.contains("decided")).count(), 1, "{told:?}");
    assert!(told.contains(&"b reported".into()), "{told:?}");
}
