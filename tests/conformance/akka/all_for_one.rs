//! One child fails, and all children are affected: A016 to A028.

use supervise::prelude::*;

use crate::common::{Boom, Fault, ms, pass, secs, settle};
use crate::stage::*;

supervisor! {
    struct All(stage: Stage, most: u32) {
        #![strategy(AllForOne, max_restarts = most, within = 1min)]
        #![decider(Boom::Fatal => Stop, Boom::Planned => Resume, _ => Restart)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Nested(stage: Stage) {
        #![strategy(AllForOne)]
        first: Unit = Unit::start("first", stage.clone()).await?,
        middle: struct Middle {
            #![strategy(AllForOne)]
            #![decider(_: std::io::Error => Restart)]
            second: Unit = Unit::start("second", stage.clone()).await?,
            third: Unit = Unit::start("third", stage).await?,
        },
    }

    struct Backwards(stage: Stage) {
        #![strategy(AllForOne)]
        c: Unit = Unit::start("c", stage.clone()).await?,
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage).await?,
    }

    struct Pool(stage: Stage) {
        #![strategy(AllForOne)]
        workers: [Unit; 3] = |i: usize| Unit::start(format!("w{i}"), stage).await?,
    }
}

async fn all(most: u32) -> (Running<All>, Stage) {
    let stage = Stage::default();
    let tree = All::start(stage.clone(), most).await.unwrap();
    stage.take();
    (tree, stage)
}

/// Three restarts, each with the failure of the child that failed.
#[tokio::test(start_paused = true)]
async fn a016_all_are_restarted_with_the_first_failure() {
    let (tree, stage) = all(3).await;
    fail(&tree.b).await;
    settle().await;
    assert_eq!(stage.ending("post_restart"), ["a post_restart", "b post_restart", "c post_restart"]);
    let told: Vec<_> = stage.told().into_iter().filter(|line| line.contains("post_restart")).collect();
    assert_eq!(told, ["a", "b", "c"].map(|name| format!("{name} post_restart: Told of b")));
}

/// All children answer before the restart, and all answer through the same handles after it.
#[tokio::test(start_paused = true)]
async fn a017_all_answer_before_and_after() {
    let (tree, _) = all(3).await;
    for incarnation in [1, 2] {
        for unit in [&tree.a, &tree.b, &tree.c] {
            assert_eq!(ping(unit).await, incarnation);
        }
        if incarnation == 1 {
            fail(&tree.c).await;
            settle().await;
        }
    }
}

/// A supervisor in the middle that handles nothing passes the failure to the supervisor above, which restarts all.
#[tokio::test(start_paused = true)]
async fn a018_what_the_middle_does_not_handle_restarts_all_of_the_top() {
    let stage = Stage::default();
    let tree = Nested::start(stage.clone()).await.unwrap();
    stage.take();
    fail(&tree.middle.third).await;
    settle().await;
    assert_eq!(stage.ending("post_restart"), ["first post_restart", "second post_restart", "third post_restart"]);
    for unit in [&tree.first, &tree.middle.second, &tree.middle.third] {
        assert_eq!(ping(unit).await, 2);
    }
    for name in ["first", "second", "third"] {
        assert_eq!(stage.given(&format!("{name} post_restart")).path(), "middle/third");
    }
}

/// A hook never gets a message; the failure contains the path of the member that failed.
#[tokio::test(start_paused = true)]
async fn a020_hooks_see_the_failure_and_no_message() {
    let (tree, stage) = all(3).await;
    tree.a.tell(Msg::Add(1)).await.unwrap();
    fail(&tree.b).await;
    settle().await;
    let told: Vec<_> = stage.told().into_iter().filter(|line| line.contains("pre_restart")).collect();
    assert_eq!(told, ["c", "b", "a"].map(|name| format!("{name} pre_restart: Told of b")));
}

/// Resume affects only the child that failed, in a group too.
#[tokio::test(start_paused = true)]
async fn a021_resume_concerns_the_failing_one_only() {
    let (tree, stage) = all(3).await;
    for unit in [&tree.a, &tree.b, &tree.c] {
        unit.tell(Msg::Add(7)).await.unwrap();
    }
    tree.b.tell(Msg::Fail(Boom::Planned)).await.unwrap();
    settle().await;
    for unit in [&tree.a, &tree.b, &tree.c] {
        assert_eq!(sum(unit).await, 7);
    }
    assert_eq!(stage.take(), [""; 0], "no hook ran");
}

/// Stop ends every child once; an actor above the children continues, a declared tree ends with them.
#[tokio::test(start_paused = true)]
async fn a022_stop_ends_all_of_them_once() {
    let stage = Stage::default();
    stage.supervises("boss", strategy! { #![strategy(AllForOne)] #![decider(_ => Stop)] });
    let boss = top("boss", &stage).await;
    let kids = [kid(&boss, "a").await, kid(&boss, "b").await, kid(&boss, "c").await];
    stage.take();
    fail(&kids[1]).await;
    settle().await;
    assert_eq!(stage.take(), ["c post_stop", "b post_stop", "a post_stop"]);
    assert_eq!(kids.each_ref().map(state), ["stopped", "failed", "stopped"]);
    assert_eq!(ping(&boss).await, 1);

    let (tree, stage) = all(3).await;
    tree.b.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(kind(&tree.join().await.ended), "failed");
    assert_eq!(stage.take(), ["c post_stop", "b post_stop", "a post_stop"]);
}

/// A child that ends without a failure ends alone: stopped, drained, or by itself.
#[tokio::test(start_paused = true)]
async fn a023_a_normal_end_leaves_the_siblings_alone() {
    let stage = Stage::default();
    stage.supervises("boss", SupervisorStrategy::new(Strategy::AllForOne));
    let boss = top("boss", &stage).await;
    let rest = kid(&boss, "rest").await;
    for name in ["stopped", "drained", "done"] {
        let one = kid(&boss, name).await;
        stage.take();
        match name {
            "stopped" => one.stop(),
            "drained" => one.drain(),
            _ => one.tell(Msg::Stop).await.unwrap(),
        }
        settle().await;
        assert_eq!(stage.take(), [format!("{name} post_stop")]);
        assert!(one.ended().unwrap().is_orderly());
    }
    assert_eq!((ping(&rest).await, ping(&boss).await), (1, 1));
}

/// Two members that fail at the same time cause one restart of all, which counts once against the budget.
#[tokio::test(start_paused = true)]
async fn a025_two_failures_at_once_are_one_restart_of_all() {
    let (tree, stage) = all(1).await;
    for unit in [&tree.a, &tree.b] {
        unit.tell(Msg::WorkAndFail(ms(10), Boom::Told)).await.unwrap();
    }
    pass(secs(1)).await;
    assert_eq!(stage.ending("post_restart"), ["a post_restart", "b post_restart", "c post_restart"]);
    assert_eq!([ping(&tree.a).await, ping(&tree.b).await, ping(&tree.c).await], [2, 2, 2]);
    fail(&tree.c).await;
    assert_eq!(kind(&tree.join().await.ended), "limit", "the only restart of the budget is used up");
}

/// A sibling that is stopping already just stops; the others come back without that sibling.
#[tokio::test(start_paused = true)]
async fn a026_a_sibling_that_is_stopping_is_not_rebuilt() {
    let (tree, stage) = all(3).await;
    stage.plan("b post_stop", 1, Fault::Slow(secs(1)));
    tree.b.stop();
    settle().await;
    fail(&tree.a).await;
    pass(secs(2)).await;
    assert_eq!(
        stage.take(),
        [
            "b post_stop",
            "c pre_restart",
            "c post_stop",
            "b post_stop done",
            "a pre_restart",
            "a post_stop",
            "a start",
            "a pre_start",
            "a post_restart",
            "c start",
            "c pre_start",
            "c post_restart",
        ]
    );
    assert_eq!(state(&tree.b), "stopped");
}

/// The order is that of the declaration, in reverse on the way down, whatever the names; one member at a time.
#[tokio::test(start_paused = true)]
async fn a027_the_order_is_that_of_the_declaration() {
    let stage = Stage::default();
    let tree = Backwards::start(stage.clone()).await.unwrap();
    stage.take();
    stage.plan("a pre_restart", 1, Fault::Slow(secs(1)));
    fail(&tree.c).await;
    pass(ms(999)).await;
    assert_eq!(stage.take(), ["b pre_restart", "b post_stop", "a pre_restart"]);
    pass(secs(1)).await;
    assert_eq!(
        stage.take(),
        [
            "a pre_restart done",
            "a post_stop",
            "c pre_restart",
            "c post_stop",
            "c start",
            "c pre_start",
            "c post_restart",
            "a start",
            "a pre_start",
            "a post_restart",
            "b start",
            "b pre_start",
            "b post_restart",
        ]
    );
}

/// A pool under all-for-one: one worker fails, all are restarted.
#[tokio::test(start_paused = true)]
async fn a028_a_pool_in_a_group_restarts_as_one() {
    let stage = Stage::default();
    let pool = Pool::start(stage.clone()).await.unwrap();
    fail(&pool.workers[1]).await;
    settle().await;
    for worker in &pool.workers {
        assert_eq!(ping(worker).await, 2);
    }
    assert_eq!(stage.ending("post_restart"), ["w0 post_restart", "w1 post_restart", "w2 post_restart"]);
}
