//! Proposals and descendants, with delays and budgets of individual children: O246 to O270.

use supervise::error::SpawnError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::common::{Fault, ms, pass, secs, seen, settle};

supervisor! {
    struct Intrinsic(stage: Stage) {
        other: Unit = Unit::start("other", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        work: Unit = Unit::start("work", stage).await?,
    }

    struct Delayed(stage: Stage) {
        #[backoff(1s..1s, random_factor = 0)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct AllDelayed(stage: Stage) {
        #![strategy(AllForOne, max_restarts = 9, within = 1min)]
        #[backoff(2s..2s, random_factor = 0)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[backoff(5s..5s, random_factor = 0)]
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct RestDelayed(stage: Stage) {
        #![strategy(RestForOne, max_restarts = 9, within = 1min)]
        #[backoff(2s..2s, random_factor = 0)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[backoff(5s..5s, random_factor = 0)]
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Later(stage: Stage) {
        #[backoff(1s..8s, random_factor = 0)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Plain(stage: Stage) {
        #[limit(max_restarts = Unlimited)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Budgets(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 1, within = 1min, on_limit = Stop)]
        few: Unit = Unit::start("few", stage.clone()).await?,
        #[limit(max_restarts = 3, within = 1min)]
        more: Unit = Unit::start("more", stage.clone()).await?,
        #[limit(max_restarts = Unlimited)]
        all: Unit = Unit::start("all", stage).await?,
    }

    struct Aborts(stage: Stage) {
        branch: struct Branch {
            #[lifecycle(Permanent, shutdown = 1s)]
            deep: Unit = Unit::start("deep", stage.clone()).await?,
        },
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Many(stage: Stage) {
        many: [Unit] = |name: String| Unit::start(name, stage).await?,
    }
}

fn delays(events: &mut Events) -> Vec<Duration> {
    let mut delays = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::RestartScheduled { after } = event.kind {
            delays.push(after);
        }
    }
    delays
}

/// A child whose failures restart it, and whose normal end ends the tree.
#[tokio::test(start_paused = true)]
async fn o246_with_the_work_of_a_child_that_of_the_tree_has_finished() {
    let tree = Intrinsic::start(Stage::default()).await.unwrap();
    fail(&tree.work).await;
    assert_eq!((ping(&tree.work).await, ping(&tree.other).await), (2, 1));
    finish(&tree.work).await;
    let report = soon(tree.join()).await;
    assert_eq!((kind(&report.ended), report.is_orderly()), ("done", true));
}

/// A requested restart is not reported as a failure.
#[tokio::test(start_paused = true)]
async fn o247_a_restart_that_is_asked_for_is_no_failure() {
    let stage = Stage::default();
    let tree = Intrinsic::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    tree.work.restart().unwrap();
    assert_eq!(ping(&tree.work).await, 2);
    settle().await;
    let told = seen(&mut events);
    assert!(told.iter().all(|line| !line.contains("failed") && !line.contains("decided")), "{told:?}");
    assert!(matches!(stage.given("work post_restart").cause(), Cause::Requested));
}

/// With a delay instead of a limit the tree never gives up; meanwhile the child is shown as backing off.
#[tokio::test(start_paused = true)]
async fn o248_with_a_delay_the_tree_never_gives_up() {
    let tree = Delayed::start(Stage::default()).await.unwrap();
    for nth in 2..=30 {
        fail(&tree.a).await;
        settle().await;
        assert!(!tree.snapshot().find("a").unwrap().is_up());
        assert_eq!(ping(&tree.a).await, nth);
    }
    assert!(tree.ended().is_none());
}

/// While a child backs off, the others serve; a retry that fails waits for the same delay again.
#[tokio::test(start_paused = true)]
async fn o251_while_a_child_waits_the_others_serve() {
    let stage = Stage::default();
    let tree = Delayed::start(stage.clone()).await.unwrap();
    stage.plan("a start", 2, Fault::Error);
    let begun = Instant::now();
    fail(&tree.a).await;
    assert_eq!((ping(&tree.other).await, begun.elapsed()), (1, secs(0)));
    assert_eq!((ping(&tree.a).await, begun.elapsed()), (4, secs(3)));
}

/// A group goes down at once, waits for the longest delay of those that failed, and comes up in order.
#[tokio::test(start_paused = true)]
async fn o252_a_group_waits_for_the_longest_of_those_that_failed() {
    let stage = Stage::default();
    for both in [false, true] {
        let tree = AllDelayed::start(stage.clone()).await.unwrap();
        stage.take();
        stage.plan("c post_stop", 1, Fault::Slow(ms(1)));
        let begun = Instant::now();
        fail(&tree.a).await;
        if both {
            fail(&tree.b).await;
        }
        pass(ms(1)).await;
        settle().await;
        let down = text(&["c post_stop", "b post_stop", "a post_stop"]);
        assert_eq!(steps(&stage), down);
        ping(&tree.c).await;
        assert_eq!(starts(&stage), ["a", "b", "c"]);
        let least = begun.elapsed();
        assert!(least >= secs(2) && least <= ms(2_001), "the second failure was absorbed: {least:?}");
    }
}

/// If a member fails while later members wait, both ranges become one, which waits once.
#[tokio::test(start_paused = true)]
async fn o253_one_in_front_that_fails_meanwhile_joins_the_wait() {
    let stage = Stage::default();
    let tree = RestDelayed::start(stage.clone()).await.unwrap();
    stage.take();
    let begun = Instant::now();
    fail(&tree.b).await;
    pass(secs(1)).await;
    fail(&tree.a).await;
    assert_eq!(ping(&tree.c).await, 2);
    assert_eq!(begun.elapsed(), secs(6), "the delay of b begins when the whole range is down");
    assert_eq!(steps(&stage), ["c post_stop", "b post_stop", "a post_stop", "a start", "b start", "c start"]);
}

/// Without a declared delay the first restart comes at once, and the delay of consecutive restarts doubles each time.
#[tokio::test(start_paused = true)]
async fn o256_the_first_comes_at_once_and_those_in_a_streak_wait() {
    let stage = Stage::default();
    let tree = Plain::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    stage.plan("a start", 12, Fault::Error);
    fail(&tree.a).await;
    ping(&tree.a).await;
    let expected = [0, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_000, 10_000];
    assert_eq!(delays(&mut events), expected.map(ms));
}

/// A first start that is not possible yet is an error, which a backoff retries with growing delays.
#[tokio::test(start_paused = true)]
async fn o257_a_first_start_may_be_possible_later() {
    let stage = Stage::default();
    stage.plan("a start", 3, Fault::Error);
    let begun = Instant::now();
    let tree = Later::start(stage.clone()).await.unwrap();
    assert_eq!((ping(&tree.other).await, begun.elapsed()), (1, secs(0)));
    ping(&tree.a).await;
    assert_eq!((begun.elapsed(), starts(&stage)), (secs(7), text(&["a", "other", "a", "a", "a"])));
}

/// Each child may have its own budget, or none.
#[tokio::test(start_paused = true)]
async fn o258_each_child_may_have_a_budget_of_its_own() {
    let tree = Budgets::start(Stage::default()).await.unwrap();
    for (unit, most) in [(&tree.few, 1), (&tree.more, 3), (&tree.all, 50)] {
        for nth in 0..most {
            fail(unit).await;
            assert_eq!(ping(unit).await, nth + 2);
        }
    }
    for unit in [&tree.few, &tree.more] {
        fail(unit).await;
        assert_eq!(end(unit).await, "limit");
    }
    assert_eq!(ping(&tree.all).await, 51);
}

/// If a child does not come up, independent children are up, and the child is retried.
#[tokio::test(start_paused = true)]
async fn o260_the_independent_come_up_though_one_does_not() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 9, secs(60)).await.unwrap();
    stage.plan("b start", 3, Fault::Error);
    for unit in [&tree.a, &tree.b, &tree.c] {
        fail(unit).await;
    }
    pass(ms(5)).await;
    assert_eq!((ping(&tree.a).await, ping(&tree.c).await), (2, 2));
    assert!(!tree.snapshot().find("b").unwrap().is_up());
    assert_eq!(ping(&tree.b).await, 5);
}

/// A child's own timer ends the child, and its lifecycle decides what follows.
#[tokio::test(start_paused = true)]
async fn o262_a_timer_of_its_own_ends_a_child() {
    let stage = Stage::default();
    for name in ["a pre_start", "work pre_start"] {
        stage.on(name, |_, cx| {
            cx.send_after(secs(5), Msg::Stop);
            Box::pin(async { Ok(()) })
        });
    }
    let plain = Plain::start(stage.clone()).await.unwrap();
    let tree = Intrinsic::start(stage).await.unwrap();
    pass(ms(5_500)).await;
    assert_eq!((ping(&plain.a).await, state(&tree.work)), (2, "done"));
    assert!(tree.ended().is_some());
}

/// A stop goes in the reverse order of the declaration, in whatever order the children were restarted.
#[tokio::test(start_paused = true)]
async fn o263_a_stop_goes_by_the_declaration() {
    each!(9, secs(60), |tree, stage| {
        fail(&tree.a).await;
        pass(secs(1)).await;
        stop(&tree.b).await;
        tree.b.start_again().unwrap();
        ping(&tree.b).await;
        stage.take();
        tree.shutdown().await;
        assert_eq!(stage.take(), ["c post_stop", "b post_stop", "a post_stop"]);
    });
}

/// A first start that fails is final; a failing start during a restart is retried.
#[tokio::test(start_paused = true)]
async fn o265_a_first_start_is_final_and_a_later_one_is_tried_again() {
    let stage = Stage::default();
    stage.plan("a start", 1, Fault::Error);
    assert!(One::start(stage.clone(), 9, secs(60)).await.is_err());
    pass(secs(60)).await;
    assert_eq!(starts(&stage), ["a"]);
    let tree = One::start(stage.clone(), 9, secs(60)).await.unwrap();
    stage.plan("a start", 1, Fault::Error);
    fail(&tree.a).await;
    assert_eq!(ping(&tree.a).await, 3);
}

/// If any child in the tree was aborted, the stop of the whole tree is not orderly.
#[tokio::test(start_paused = true)]
async fn o266_an_abort_anywhere_is_in_the_report() {
    let stage = Stage::default();
    let tree = Aborts::start(stage.clone()).await.unwrap();
    stage.plan("deep post_stop", 1, Fault::Slow(secs(60)));
    let report = soon(tree.shutdown()).await;
    assert_eq!((kind(&report.ended), report.is_orderly()), ("stopped", false));
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &*child.path).collect();
    assert_eq!(aborted, ["branch/deep"]);
}

/// Five hundred children that each need a while to stop need that time only once.
#[tokio::test(start_paused = true)]
async fn o267_five_hundred_go_down_in_the_time_of_one() {
    let stage = Stage::default();
    let tree = Many::start(stage.clone()).await.unwrap();
    for nth in 0..500 {
        tree.many.spawn(nth.to_string()).await.unwrap();
        stage.plan(&format!("{nth} post_stop"), 1, Fault::Slow(ms(50)));
    }
    let begun = Instant::now();
    assert!(soon(tree.shutdown()).await.is_orderly());
    assert_eq!(begun.elapsed(), ms(50));
}

/// A spawn through the handle of a tree that has ended is an error, as it is while the tree goes down.
#[tokio::test(start_paused = true)]
async fn o268_a_spawn_in_a_tree_that_ends_is_an_error() {
    let stage = Stage::default();
    let tree = Many::start(stage.clone()).await.unwrap();
    let many = tree.many.clone();
    many.spawn("slow".into()).await.unwrap();
    stage.plan("slow post_stop", 1, Fault::Slow(secs(1)));
    tree.stop();
    settle().await;
    assert!(matches!(many.spawn("late".into()).await, Err(SpawnError::Stopping { .. })));
    soon(tree.join()).await;
    assert!(matches!(many.spawn("later".into()).await, Err(SpawnError::Stopped { .. })));
    assert!(!starts(&stage).contains(&"late".to_owned()));
}

/// A stop does not wait for a delay.
#[tokio::test(start_paused = true)]
async fn o270_a_stop_does_not_wait_for_a_delay() {
    let stage = Stage::default();
    let tree = AllDelayed::start(stage.clone()).await.unwrap();
    fail(&tree.b).await;
    pass(secs(1)).await;
    stage.take();
    let begun = Instant::now();
    assert!(soon(tree.shutdown()).await.is_orderly());
    assert_eq!((begun.elapsed(), stage.take()), (secs(0), vec![]));
}
