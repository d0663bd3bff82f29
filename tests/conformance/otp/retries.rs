//! Restarts that fail, and the tree meanwhile: O106 to O123.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use supervise::error::CommandError;
use supervise::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::common::{Fault, ms, pass, quiet_panics, secs, settle};

supervisor! {
    struct Waits(stage: Stage) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[backoff(10s..10s, random_factor = 0)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage).await?,
    }

    struct RestWaits(stage: Stage) {
        #![strategy(RestForOne, max_restarts = 9, within = 1min)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[backoff(10s..10s, random_factor = 0)]
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct SetWaits(stage: Stage) {
        #[backoff(10s..10s, random_factor = 0)]
        kids: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Maybe(stage: Stage, is_there: Arc<AtomicBool>) {
        #[lifecycle(Permanent)]
        maybe: Option<Unit> = match is_there.load(Ordering::Relaxed) {
            true => Some(Unit::start("maybe", stage.clone()).await?),
            false => None,
        },
        other: Unit = Unit::start("other", stage).await?,
    }
}

async fn waits() -> (Running<Waits>, Stage) {
    let stage = Stage::default();
    let tree = Waits::start(stage.clone()).await.unwrap();
    stage.plan("a start", 1, Fault::Error);
    stage.take();
    fail(&tree.a).await;
    pass(secs(15)).await;
    assert_eq!(starts(&stage), ["a"], "the child has failed, and backs off again");
    (tree, stage)
}

async fn set() -> (Running<SetWaits>, Stage, [ActorRef<Unit>; 3]) {
    let stage = Stage::default();
    let tree = SetWaits::start(stage.clone()).await.unwrap();
    let kids =
        [tree.kids.spawn("x").await.unwrap(), tree.kids.spawn("y").await.unwrap(), tree.kids.spawn("z").await.unwrap()];
    stage.take();
    (tree, stage, kids)
}

/// The number of nodes of the set that are up.
fn up(tree: &Running<SetWaits>) -> usize {
    tree.snapshot().nodes().filter(|node| node.path.starts_with("kids/") && node.is_up()).count()
}

/// A child whose restarts fail takes the tree down at the limit, the healthy sibling when its turn comes.
#[tokio::test(start_paused = true)]
async fn o106_one_that_never_comes_back_ends_the_tree() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 4, secs(60)).await.unwrap();
    stage.take();
    stage.plan("b start", u32::MAX, Fault::Error);
    fail(&tree.b).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
    let tries = text(&["b post_stop", "b start", "b start", "b start", "b start"]);
    assert_eq!(steps(&stage), lines(&[&tries, &text(&["c post_stop", "a post_stop"])]));
}

/// The same if another member of the group does not come up.
#[tokio::test(start_paused = true)]
async fn o107_another_member_that_never_comes_up_ends_the_group() {
    let stage = Stage::default();
    let tree = All::start(stage.clone(), 4, secs(60)).await.unwrap();
    stage.take();
    stage.plan("b start", u32::MAX, Fault::Error);
    fail(&tree.a).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
    let tried = text(&["a start", "b start", "a post_stop"]);
    let down = text(&["c post_stop", "b post_stop", "a post_stop"]);
    assert_eq!(steps(&stage), lines(&[&down, &tried, &tried, &tried, &tried]));
}

/// The same if a later member does not come up.
#[tokio::test(start_paused = true)]
async fn o108_a_later_member_that_never_comes_up_ends_the_tree() {
    let stage = Stage::default();
    let tree = Rest::start(stage.clone(), 4, secs(60)).await.unwrap();
    stage.take();
    stage.plan("c start", u32::MAX, Fault::Error);
    fail(&tree.b).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
    let tries = text(&["b start", "c start", "c start", "c start", "c start"]);
    let down = text(&["c post_stop", "b post_stop"]);
    assert_eq!(steps(&stage), lines(&[&down, &tries, &text(&["b post_stop", "a post_stop"])]));
}

/// A child that waits for its next attempt is shown as backing off: it is neither up nor gone.
#[tokio::test(start_paused = true)]
async fn o110_one_that_is_tried_again_is_neither_up_nor_ended() {
    let (tree, stage) = waits().await;
    assert!(matches!(tree.a.start_again(), Err(CommandError::NotEnded { .. })));
    let snapshot = tree.snapshot();
    assert!(!snapshot.find("a").unwrap().is_up() && snapshot.find("b").unwrap().is_up());
    assert_eq!((state(&tree.a), ping(&tree.b).await), ("lives", 1));
    stage.take();
    // A requested restart does not wait.
    tree.a.restart().unwrap();
    settle().await;
    assert_eq!(starts(&stage), ["a"]);
}

/// A stop ends the attempts; the child can be started later.
#[tokio::test(start_paused = true)]
async fn o111_a_stop_ends_the_tries() {
    let (tree, stage) = waits().await;
    stop(&tree.a).await;
    assert_eq!(state(&tree.a), "stopped");
    pass(secs(60)).await;
    assert_eq!(starts(&stage), [""; 0]);
    tree.a.start_again().unwrap();
    ping(&tree.a).await;
    assert_eq!(starts(&stage), ["a"]);
}

/// A shutdown does not wait for the next attempt.
#[tokio::test(start_paused = true)]
async fn o112_a_shutdown_does_not_wait_for_the_next_try() {
    let (tree, _) = waits().await;
    let begun = Instant::now();
    let report = soon(tree.shutdown()).await;
    assert_eq!((kind(&report.ended), begun.elapsed()), ("stopped", secs(0)));
    assert!(report.is_orderly(), "{report}");
}

/// Meanwhile the members before the child serve, and those after it are down.
#[tokio::test(start_paused = true)]
async fn o113_meanwhile_those_before_it_serve() {
    let stage = Stage::default();
    let tree = RestWaits::start(stage.clone()).await.unwrap();
    stage.plan("b start", 2, Fault::Error);
    fail(&tree.b).await;
    pass(secs(15)).await;
    assert_eq!(ping(&tree.a).await, 1);
    let up = |path: &str| tree.snapshot().find(path).unwrap().is_up();
    assert_eq!((up("a"), up("b"), up("c")), (true, false, false));
    pass(secs(30)).await;
    assert_eq!((up("a"), up("b"), up("c")), (true, true, true));
}

/// An instance of a set that is being retried can be stopped through its handle.
#[tokio::test(start_paused = true)]
async fn o115_an_instance_that_is_tried_again_can_be_stopped() {
    let (tree, stage, [x, ..]) = set().await;
    stage.plan("x start", u32::MAX, Fault::Error);
    fail(&x).await;
    pass(secs(15)).await;
    stop(&x).await;
    assert_eq!((state(&x), tree.kids.len()), ("stopped", 2));
    tree.kids.spawn("new").await.unwrap();
    assert_eq!(tree.kids.len(), 3);
    assert!(soon(tree.shutdown()).await.is_orderly());
}

/// Children that are backing off count as children, and not as up.
#[tokio::test(start_paused = true)]
async fn o116_those_that_wait_are_counted_but_not_up() {
    let (tree, stage, [x, y, z]) = set().await;
    for (unit, place) in [(&x, "x start"), (&y, "y start")] {
        stage.plan(place, 2, Fault::Error);
        fail(unit).await;
    }
    pass(secs(15)).await;
    assert_eq!((tree.kids.len(), up(&tree)), (3, 1));
    pass(secs(30)).await;
    assert_eq!((tree.kids.len(), up(&tree)), (3, 3));
    for (nth, unit) in [&x, &y, &z].into_iter().enumerate() {
        stop(unit).await;
        assert_eq!(tree.kids.len(), 2 - nth);
    }
}

/// One attempt that fails and one that succeeds count as two restarts.
#[tokio::test(start_paused = true)]
async fn o117_a_try_that_works_brings_it_back() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 2, secs(60)).await.unwrap();
    stage.plan("a start", 1, Fault::Error);
    fail(&tree.a).await;
    assert_eq!(ping(&tree.a).await, 3);
    assert_eq!(tree.snapshot().find("a").unwrap().restarts.unwrap().used, 2);
}

/// A second stop of an instance does nothing.
#[tokio::test(start_paused = true)]
async fn o118_a_second_stop_finds_nothing_to_do() {
    let (tree, stage, kids) = set().await;
    for (unit, place) in [(&kids[0], "x start"), (&kids[1], "y start"), (&kids[2], "z start")] {
        stage.plan(place, u32::MAX, Fault::Error);
        fail(unit).await;
    }
    pass(secs(15)).await;
    for unit in &kids {
        stop(unit).await;
        stop(unit).await;
        assert!(matches!(unit.restart(), Err(CommandError::Ended { .. })));
    }
    assert_eq!((tree.kids.len(), up(&tree)), (0, 0));
}

/// An attempt that was due for a stopped child does not happen.
#[tokio::test(start_paused = true)]
async fn o120_the_try_of_one_that_was_stopped_does_not_come() {
    let (tree, stage) = waits().await;
    tree.a.stop();
    pass(secs(3600)).await;
    assert_eq!((starts(&stage), state(&tree.a)), (vec![], "stopped"));
    assert_eq!(ping(&tree.b).await, 1);
}

/// A restart of an instance either works or is retried: there is no third outcome.
#[tokio::test(start_paused = true)]
async fn o122_a_restart_works_or_is_tried_again() {
    quiet_panics();
    let (tree, stage, [x, y, z]) = set().await;
    stage.plan("y start", 1, Fault::Error);
    stage.plan("z start", 1, Fault::Panic);
    for unit in [&x, &y, &z] {
        fail(unit).await;
    }
    pass(ms(10_500)).await;
    assert_eq!((tree.kids.len(), up(&tree)), (3, 1));
    assert_eq!((ping(&x).await, ping(&y).await, ping(&z).await), (2, 3, 3));
}

/// A child that no longer exists at a restart ends after one charge to the budget, and is not retried.
#[tokio::test(start_paused = true)]
async fn o123_one_that_is_not_there_at_a_restart_ends() {
    let stage = Stage::default();
    let is_there = Arc::new(AtomicBool::new(true));
    let tree = Maybe::start(stage.clone(), is_there.clone()).await.unwrap();
    let maybe = tree.maybe.clone().unwrap();
    is_there.store(false, Ordering::Relaxed);
    stage.take();
    fail(&maybe).await;
    pass(secs(60)).await;
    assert_ne!(state(&maybe), "lives");
    assert_eq!(steps(&stage), ["maybe post_stop"]);
    assert_eq!(ping(&tree.other).await, 1);
    assert!(tree.shutdown().await.is_orderly());
}
