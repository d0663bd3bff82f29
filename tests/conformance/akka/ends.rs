//! Stops, names and ends: A122 to A135.

use std::time::Duration;

use supervise::error::{AskError, KeyedError, SendRejection, SpawnError};
use supervise::prelude::*;
use tokio::time::{Instant, timeout};

use crate::common::{Boom, Fault, ms, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct Keys(stage: Stage) {
        units: [String => Unit] = |key: String| Unit::start(key, stage).await?,
    }

    struct House(stage: Stage) {
        boss: Unit = Unit::start("boss", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }
}

/// Questions sent before a drain are answered; then the actor ends.
#[tokio::test(start_paused = true)]
async fn a122_what_was_asked_before_a_drain_is_answered() {
    let stage = Stage::default();
    let a = top("a", &stage).await;
    let (one, two, ()) = tokio::join!(a.ask(Msg::Ping), a.ask(Msg::Ping), async { a.drain() });
    assert_eq!((one, two), (Ok(1), Ok(1)));
    assert_eq!(kind(&soon(a.terminated()).await.unwrap()), "stopped");
    assert_eq!(stage.take(), ["a start", "a pre_start", "a ping", "a ping", "a post_stop"]);
}

/// Depth first, and siblings in reverse, one after the other.
#[tokio::test(start_paused = true)]
async fn a123_a_stop_is_depth_first_and_in_reverse() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let [first, second] = [kid(&boss, "first").await, kid(&boss, "second").await];
    kid(&first, "low").await;
    stage.plan("second post_stop", 1, Fault::Slow(secs(1)));
    stage.take();
    boss.stop();
    pass(ms(999)).await;
    assert_eq!(stage.take(), ["second post_stop"]);
    soon(boss.terminated()).await.unwrap();
    assert_eq!(stage.take(), ["second post_stop done", "low post_stop", "first post_stop", "boss post_stop"]);
    assert!(second.ended().is_some());
}

/// When the parent learns of the end, the name is free: the same path, another handle.
#[tokio::test(start_paused = true)]
async fn a125_a_name_is_free_when_the_parent_hears_of_the_end() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    stage.on("boss terminated", |unit, cx| Box::pin(async move { Ok(unit.spawn("kid", cx).await.map(drop)?) }));
    let old = kid(&boss, "kid").await;
    watch(&boss, &old).await;
    old.stop();
    settle().await;
    let (answer, new) = tokio::sync::oneshot::channel();
    with(&boss, move |_, cx| drop(answer.send(cx.child::<Unit>("kid").unwrap()))).await;
    let new = new.await.unwrap();
    assert_eq!((new.path(), ping(&new).await, state(&old)), (old.path(), 1, "stopped"));
    assert_ne!(new, old);
}

/// The name of a living child is refused, in the same message too; of four concurrent spawns of one key, one succeeds.
#[tokio::test(start_paused = true)]
async fn a126_a_name_that_lives_is_refused() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    act(&boss, |unit, cx| {
        Box::pin(async move {
            unit.spawn("kid", cx).await?;
            let again = unit.spawn("kid", cx).await;
            assert!(matches!(&again, Err(SpawnError::Exists { path }) if path == "boss/kid"), "{again:?}");
            unit.write("is refused");
            Ok(())
        })
    })
    .await;
    assert_eq!(stage.ending("is refused").len(), 1);
    let keys = Keys::start(stage.clone()).await.unwrap();
    let spawn = || keys.units.spawn("k".to_owned());
    let (a, b, c, d) = tokio::join!(spawn(), spawn(), spawn(), spawn());
    let four = [a, b, c, d];
    assert_eq!(four.iter().filter(|one| one.is_ok()).count(), 1);
    assert_eq!(four.iter().filter(|one| matches!(one, Err(KeyedError::Exists { .. }))).count(), 3);
    assert_eq!(stage.ending("k start").len(), 1);
}

/// An actor that goes down cannot spawn children, neither in its last message nor in `post_stop`.
#[tokio::test(start_paused = true)]
async fn a127_an_actor_that_goes_down_spawns_no_children() {
    let stage = Stage::default();
    stage.on("boss post_stop", |unit, cx| {
        Box::pin(async move {
            let refused = unit.spawn("late", cx).await;
            assert!(matches!(refused, Err(SpawnError::Stopping { .. })), "{refused:?}");
            unit.write("is refused in post_stop");
            Ok(())
        })
    });
    let boss = top("boss", &stage).await;
    act(&boss, |unit, cx| {
        Box::pin(async move {
            tokio::time::sleep(secs(1)).await;
            let refused = unit.spawn("late", cx).await;
            assert!(matches!(refused, Err(SpawnError::Stopping { .. })), "{refused:?}");
            unit.write("is refused in a message");
            Ok(())
        })
    })
    .await;
    stage.take();
    boss.stop();
    soon(boss.terminated()).await.unwrap();
    assert_eq!(stage.take(), ["boss is refused in a message", "boss post_stop", "boss is refused in post_stop"]);
}

/// A stop during a restart wins: no new instance, and `post_stop` runs once.
#[tokio::test(start_paused = true)]
async fn a128_a_stop_in_a_restart_wins() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    kid(&boss, "kid").await;
    stage.plan("kid post_stop", 1, Fault::Slow(secs(1)));
    stage.take();
    fail(&boss).await;
    settle().await;
    boss.stop();
    assert_eq!(kind(&soon(boss.terminated()).await.unwrap()), "stopped");
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["boss pre_restart", "kid post_stop", "kid post_stop done", "boss post_stop"]);
}

/// A parent is ordered to stop while it still has to decide a child's failure: all end, and nothing is restarted.
#[tokio::test(start_paused = true)]
async fn a130_a_stop_with_a_failure_below_that_waits_restarts_no_child() {
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Escalate));
    let house = House::start(stage.clone()).await.unwrap();
    let one = kid(&house.boss, "kid").await;
    stage.take();
    house.boss.tell(Msg::Work(secs(2))).await.unwrap();
    settle().await;
    fail(&one).await;
    settle().await;
    house.boss.stop();
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["boss works", "boss worked", "kid post_stop", "boss post_stop"]);
    assert_ne!(state(&house.boss), "lives");
    assert_eq!(ping(&house.other).await, 1);
}

/// A second stop changes nothing, before the end and after it.
#[tokio::test(start_paused = true)]
async fn a131_a_second_stop_changes_nothing() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    watch(&boss, &one).await;
    stage.take();
    one.stop();
    one.stop();
    settle().await;
    one.stop();
    one.drain();
    one.kill();
    pass(secs(1)).await;
    assert_eq!(stage.take(), ["kid post_stop", "boss hears boss/kid: stopped"]);
    assert_eq!((state(&one), ping(&boss).await), ("stopped", 1));
}

/// Any holder of the handle may stop the actor, not only the parent.
#[tokio::test(start_paused = true)]
async fn a132_anyone_with_the_handle_may_stop() {
    let house = House::start(Stage::default()).await.unwrap();
    let other = house.other.clone();
    with(&house.boss, move |_, _| other.stop()).await;
    assert_eq!((state(&house.other), ping(&house.boss).await), ("stopped", 1));
}

/// The wait for an end returns after `post_stop`, at once for an actor that has ended, and can be cancelled.
#[tokio::test(start_paused = true)]
async fn a133_an_end_can_be_awaited_with_a_time() {
    let stage = Stage::default();
    stage.plan("a post_stop", 1, Fault::Slow(secs(2)));
    let a = top("a", &stage).await;
    let begun = Instant::now();
    a.stop();
    assert!(timeout(secs(1), a.terminated()).await.is_err());
    assert_eq!(stage.take(), ["a start", "a pre_start", "a post_stop"]);
    assert_eq!(kind(&a.terminated().await.unwrap()), "stopped");
    assert_eq!(begun.elapsed(), secs(2));
    assert_eq!(stage.take(), ["a post_stop done"]);
    assert_eq!(kind(&timeout(Duration::ZERO, a.terminated()).await.unwrap().unwrap()), "stopped");
}

/// A message to an actor that has ended is returned to its sender.
#[tokio::test(start_paused = true)]
async fn a135_a_message_to_the_dead_comes_back() {
    let house = House::start(Stage::default()).await.unwrap();
    house.other.stop();
    soon(house.other.terminated()).await.unwrap();
    let back = house.other.tell(Msg::Fail(Boom::Fatal)).await.unwrap_err();
    assert_eq!((back.path(), back.reason()), ("other", SendRejection::Ended));
    assert!(matches!(back.into_message(), Msg::Fail(Boom::Fatal)));
    let refused = house.other.ask(Msg::Ping).await;
    assert_eq!(refused, Err(AskError::Refused { path: "other".into(), reason: SendRejection::Ended }));
    assert_eq!(house.dead_letters(), 0, "the sender gets the message back");
}
