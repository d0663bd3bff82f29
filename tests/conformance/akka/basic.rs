//! One child fails, and restarts alone: A001 to A015.

use std::time::Duration;

use supervise::error::AskError;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, ms, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct One(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Three(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Limited(stage: Stage, most: u32) {
        watcher: Unit = Unit::start("watcher", stage.clone()).await?,
        #[limit(max_restarts = most, on_limit = Stop)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Endless(stage: Stage) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Four(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, within = 5s)]
        #![decider(_ => Restart)]
        workers: [Unit; 4] = |i: usize| Unit::start(format!("w{i}"), stage).await?,
    }

    struct Killed(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 2)]
        #![decider(_ => Restart)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Stopping(stage: Stage) {
        #![decider(_ => Stop)]
        watcher: Unit = Unit::start("watcher", stage.clone()).await?,
        a: Unit = Unit::start("a", stage).await?,
    }
}

/// The new instance receives the first error; the sender of the ask learns at once that no answer will come.
#[tokio::test(start_paused = true)]
async fn a001_the_new_instance_gets_the_error_and_the_asker_gets_no_answer() {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.take();
    let begun = Instant::now();
    assert_eq!(tree.a.ask(Msg::Ask).await, Err(AskError::NoReply { path: "a".into() }));
    assert_eq!(begun.elapsed(), Duration::ZERO, "the answer comes before the timeout of the ask");
    settle().await;
    assert_eq!(stage.take(), restart("a"));
    assert_eq!(stage.told(), ["a pre_restart: Told of a", "a post_restart: Told of a"]);
}

/// The same handle before and after the crash.
#[tokio::test(start_paused = true)]
async fn a002_the_handle_stays_valid_over_a_restart() {
    let tree = One::start(Stage::default()).await.unwrap();
    let handle = tree.a.clone();
    assert_eq!(ping(&handle).await, 1);
    fail(&handle).await;
    assert_eq!(ping(&handle).await, 2);
    assert_eq!(handle, tree.a);
}

/// When one of three crashes, the other two notice nothing.
#[tokio::test(start_paused = true)]
async fn a003_only_the_one_that_crashed_is_restarted() {
    for crashing in ["a", "b", "c"] {
        let stage = Stage::default();
        let tree = Three::start(stage.clone()).await.unwrap();
        stage.take();
        let unit = [&tree.a, &tree.b, &tree.c].into_iter().find(|unit| unit.path() == crashing).unwrap();
        fail(unit).await;
        settle().await;
        assert_eq!(stage.take(), restart(crashing));
        let incarnations = ["a", "b", "c"].map(|name| if name == crashing { 2 } else { 1 });
        assert_eq!([&tree.a, &tree.b, &tree.c].map(ActorRef::incarnation), incarnations);
    }
}

/// A crash is restarted in the same way when no sender waits for an answer.
#[tokio::test(start_paused = true)]
async fn a005_a_crash_by_a_tell_is_restarted_the_same_way() {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.take();
    fail(&tree.a).await;
    settle().await;
    assert_eq!(stage.take(), restart("a"));
    assert_eq!(stage.told(), ["a pre_restart: Told of a", "a post_restart: Told of a"]);
}

/// Queued messages are handled after the restart; the message that failed is gone.
#[tokio::test(start_paused = true)]
async fn a006_the_mailbox_is_kept_over_a_restart() {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.take();
    note(&tree.a, "one").await;
    fail(&tree.a).await;
    note(&tree.a, "two").await;
    settle().await;
    assert_eq!(stage.take(), lines(&[&text(&["a one"]), &restart("a"), &text(&["a two"])]));
}

/// A limit of 0 ends the child at its first failure; by default it fails the supervisor too.
#[tokio::test(start_paused = true)]
async fn a007_a_limit_of_zero_never_restarts() {
    let stage = Stage::default();
    let tree = Limited::start(stage.clone(), 0).await.unwrap();
    watch(&tree.watcher, &tree.a).await;
    stage.take();
    fail(&tree.a).await;
    pass(secs(1)).await;
    assert_eq!(stage.take(), ["a post_stop", "watcher hears a: limit"]);
    assert!(tree.ended().is_none(), "`on_limit = Stop`");

    supervisor! {
        struct ByDefault(stage: Stage) {
            #![strategy(OneForOne, max_restarts = 0)]
            a: Unit = Unit::start("a", stage.clone()).await?,
            b: Unit = Unit::start("b", stage).await?,
        }
    }
    let tree = ByDefault::start(stage.clone()).await.unwrap();
    stage.take();
    fail(&tree.a).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "limit");
    assert_eq!(stage.take(), ["b post_stop", "a post_stop"]);
}

/// The same for all children of an actor at once; the actor continues.
#[tokio::test(start_paused = true)]
async fn a008_a_limit_of_zero_of_a_group_ends_all_children() {
    let stage = Stage::default();
    stage.supervises("boss", strategy! { #![strategy(AllForOne, max_restarts = 0, on_limit = Stop)] });
    let boss = top("boss", &stage).await;
    let (a, b) = (kid(&boss, "a").await, kid(&boss, "b").await);
    stage.take();
    assert_eq!(a.ask(Msg::Ask).await, Err(AskError::NoReply { path: "boss/a".into() }));
    pass(secs(1)).await;
    assert_eq!(stage.take(), ["b post_stop", "a post_stop"]);
    assert_eq!([state(&a), state(&b)], ["limit", "stopped"]);
    assert_eq!(ping(&boss).await, 1);
}

/// Seven consecutive crashes under a strategy without a limit.
#[tokio::test(start_paused = true)]
async fn a010_without_a_limit_it_answers_after_seven_crashes() {
    let tree = Endless::start(Stage::default()).await.unwrap();
    for crashes in 0..7 {
        assert_eq!(ping(&tree.a).await, crashes + 1);
        fail(&tree.a).await;
    }
    assert_eq!(ping(&tree.a).await, 8);
}

/// A hundred queued crashes cause a hundred restarts without a hot loop: at least 10 ms pass between two.
#[tokio::test(start_paused = true)]
async fn a011_a_hundred_queued_crashes_are_a_hundred_restarts_at_a_pace() {
    let stage = Stage::default();
    let tree = Endless::start(stage.clone()).await.unwrap();
    let begun = Instant::now();
    for _ in 0..100 {
        tree.a.try_tell(Msg::Fail(Boom::Told)).unwrap();
    }
    assert_eq!(ping(&tree.a).await, 101);
    assert_eq!(stage.ending("post_restart").len(), 100);
    assert_eq!(begun.elapsed(), ms(10) * 99);
}

/// Four workers on several threads are killed at once; each is restarted and answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a012_four_workers_on_several_threads_are_all_restarted() {
    let stage = Stage::default();
    let tree = Four::start(stage.clone()).await.unwrap();
    for worker in &tree.workers {
        worker.kill();
    }
    for worker in &tree.workers {
        let again = async {
            while ping(worker).await == 1 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(secs(60), again).await.expect("the worker is restarted");
        assert_eq!(ping(worker).await, 2);
    }
    assert_eq!(stage.ending("post_restart").len(), 4);
}

/// A kill runs both hooks of a restart if the decider always restarts.
#[tokio::test(start_paused = true)]
async fn a013_a_kill_that_is_decided_restart_runs_both_hooks() {
    let stage = Stage::default();
    let tree = Killed::start(stage.clone()).await.unwrap();
    stage.take();
    tree.a.kill();
    settle().await;
    assert_eq!(stage.take(), restart("a"));
    assert!(matches!(stage.given("a pre_restart").cause(), Cause::Killed));
    assert!(matches!(stage.given("a post_restart").cause(), Cause::Killed));
}

/// An error that is decided Stop: an actor that watched the child before learns of the end, with the failure.
#[tokio::test(start_paused = true)]
async fn a015_an_error_that_stops_reaches_the_watcher() {
    let stage = Stage::default();
    let tree = Stopping::start(stage.clone()).await.unwrap();
    watch(&tree.watcher, &tree.a).await;
    stage.take();
    fail(&tree.a).await;
    settle().await;
    assert_eq!(stage.take(), ["a post_stop", "watcher hears a: failed"]);
    assert_eq!(tree.a.ended().unwrap().failure().unwrap().error(), Some(&Boom::Told));
}
