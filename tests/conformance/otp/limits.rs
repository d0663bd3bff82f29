//! The restart limit: O091 to O105.

use supervise::prelude::*;

use super::*;
use crate::common::{Fault, ms, pass, secs};

supervisor! {
    struct Sessions(stage: Stage) {
        #[limit(max_restarts = 2, within = 5s)]
        sessions: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Plain(stage: Stage) {
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Outer(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 2, within = 1min)]
        inner: struct Inner {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            leaf: Unit = Unit::start("leaf", stage).await?,
        },
    }
}

/// The unit fails this many times, and comes back each time.
async fn often(times: u32, unit: &ActorRef<Unit>) {
    for _ in 0..times {
        let before = ping(unit).await;
        fail(unit).await;
        assert_eq!(ping(unit).await, before + 1);
    }
}

/// One failure too many ends the tree in reverse order, as a failure and not as a normal end.
#[tokio::test(start_paused = true)]
async fn o091_one_too_many_ends_the_tree_backwards() {
    each!(2, secs(5), |tree, stage| {
        often(2, &tree.c).await;
        stage.take();
        fail(&tree.c).await;
        assert!(at_the_limit(&soon(tree.join()).await.ended));
        assert_eq!(stage.take(), ["c post_stop", "b post_stop", "a post_stop"]);
    });
}

/// In a set each instance has its own limit, which ends only that instance.
#[tokio::test(start_paused = true)]
async fn o092_in_a_set_one_too_many_ends_the_instance() {
    let tree = Sessions::start(Stage::default()).await.unwrap();
    let one = tree.sessions.spawn("one").await.unwrap();
    let two = tree.sessions.spawn("two").await.unwrap();
    often(2, &one).await;
    fail(&one).await;
    assert_eq!(end(&one).await, "limit");
    assert_eq!(ping(&two).await, 1);
    assert_eq!((tree.sessions.len(), tree.ended().is_none()), (1, true));
}

/// A limit of 0 means no restart.
#[tokio::test(start_paused = true)]
async fn o093_none_allowed_is_none_tried() {
    each!(0, secs(5), |tree, stage| {
        fail(&tree.a).await;
        assert!(at_the_limit(&soon(tree.join()).await.ended));
        assert_eq!(starts(&stage), [""; 0]);
    });
}

/// The window has the declared length, to the millisecond.
#[tokio::test(start_paused = true)]
async fn o095_the_window_is_exact() {
    for (pause, lives) in [(ms(4_999), false), (ms(5_000), true)] {
        let tree = One::start(Stage::default(), 1, secs(5)).await.unwrap();
        fail(&tree.a).await;
        pass(pause).await;
        fail(&tree.a).await;
        pass(ms(100)).await;
        assert_eq!(tree.ended().is_none(), lives, "{pause:?}");
    }
}

/// Successful work in between does not reset the budget; only time does.
#[tokio::test(start_paused = true)]
async fn o096_only_time_forgives() {
    let tree = One::start(Stage::default(), 2, secs(5)).await.unwrap();
    for nth in 2..=3 {
        fail(&tree.a).await;
        assert_eq!(ping(&tree.a).await, nth);
        pass(secs(2)).await;
    }
    pass(secs(1)).await;
    fail(&tree.a).await;
    assert_eq!(ping(&tree.a).await, 4, "the first restart has left the window");
    fail(&tree.a).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
}

/// A group has one budget; under `OneForOne` each child has its own.
#[tokio::test(start_paused = true)]
async fn o097_a_group_shares_its_budget_and_others_do_not() {
    each!(2, secs(5), |tree, stage| {
        stage.take();
        let shared = tree.snapshot().root.strategy != Some(Strategy::OneForOne);
        often(1, &tree.a).await;
        often(1, &tree.b).await;
        fail(&tree.c).await;
        pass(ms(100)).await;
        assert_eq!(tree.ended().is_some(), shared);
    });
}

/// Requests do not count against the budget.
#[tokio::test(start_paused = true)]
async fn o098_commands_do_not_count_against_the_budget() {
    each!(0, secs(5), |tree, stage| {
        for nth in 2..=10 {
            tree.b.restart().unwrap();
            assert_eq!(ping(&tree.b).await, nth);
        }
        stop(&tree.b).await;
        tree.b.start_again().unwrap();
        ping(&tree.b).await;
        assert_eq!(starts(&stage), ["b"; 10]);
        assert!(tree.ended().is_none());
    });
}

/// A restart that fails counts as well.
#[tokio::test(start_paused = true)]
async fn o100_a_restart_that_fails_uses_up_the_budget() {
    each!(1, secs(60), |tree, stage| {
        stage.plan("a start", u32::MAX, Fault::Error);
        fail(&tree.a).await;
        assert!(at_the_limit(&soon(tree.join()).await.ended));
        assert_eq!(starts(&stage), ["a"]);
    });
}

/// The same with ten restarts, at growing delays.
#[tokio::test(start_paused = true)]
async fn o101_ten_restarts_that_fail_use_up_ten() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 10, secs(60)).await.unwrap();
    stage.take();
    stage.plan("a start", u32::MAX, Fault::Error);
    let begun = tokio::time::Instant::now();
    fail(&tree.a).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
    assert_eq!(starts(&stage), ["a"; 10]);
    assert!(begun.elapsed() > secs(5), "the restarts are delayed: {:?}", begun.elapsed());
}

/// The default is ten restarts in a minute.
#[tokio::test(start_paused = true)]
async fn o102_the_limit_is_ten_in_a_minute_by_default() {
    let tree = Plain::start(Stage::default()).await.unwrap();
    often(10, &tree.a).await;
    pass(secs(50)).await;
    fail(&tree.a).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
}

/// A restart is not an end: an actor that depends on the restarted one does not fail.
#[tokio::test(start_paused = true)]
async fn o103_an_actor_that_depends_on_another_outlives_its_restart() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 1, secs(5)).await.unwrap();
    for (unit, on) in [(&tree.b, &tree.a), (&tree.c, &tree.b)] {
        let on = on.clone();
        with(unit, move |_, cx| cx.depend_on(&on)).await;
    }
    fail(&tree.a).await;
    pass(secs(1)).await;
    assert_eq!((ping(&tree.a).await, ping(&tree.b).await, ping(&tree.c).await), (2, 1, 1));
}

/// The budgets of two levels multiply: exactly that many starts, and not one more.
#[tokio::test(start_paused = true)]
async fn o105_budgets_of_two_levels_multiply() {
    let stage = Stage::default();
    let tree = Outer::start(stage.clone()).await.unwrap();
    while tree.ended().is_none() {
        fail(&tree.inner.leaf).await;
        pass(ms(500)).await;
    }
    assert!(at_the_limit(&tree.ended().unwrap()));
    assert_eq!(starts(&stage).len(), (1 + 1) * (2 + 1));
}
