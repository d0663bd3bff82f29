//! Death watch: A136 to A153.

use supervise::prelude::*;

use crate::common::{Boom, Fault, ms, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct House(stage: Stage) {
        #![decider(Cause::DeathPact(_) => Stop, _ => Restart)]
        #[limit(max_restarts = 2, on_limit = Stop)]
        db: Unit = Unit::start("db", stage.clone()).await?,
        one: Unit = Unit::start("one", stage.clone()).await?,
        two: Unit = Unit::start("two", stage.clone()).await?,
        three: Unit = Unit::start("three", stage).await?,
    }
}

async fn house() -> (Running<House>, Stage) {
    let stage = Stage::default();
    let house = House::start(stage.clone()).await.unwrap();
    stage.take();
    (house, stage)
}

async fn end(unit: &ActorRef<Unit>) {
    unit.stop();
    soon(unit.terminated()).await.unwrap();
    settle().await;
}

/// One end causes one notice.
#[tokio::test(start_paused = true)]
async fn a136_one_end_is_heard_once() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    end(&house.db).await;
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["db post_stop", "one hears db: stopped"]);
}

/// For an actor that had ended before, the watcher is notified once too, with the kind of end.
#[tokio::test(start_paused = true)]
async fn a137_one_that_had_ended_is_heard_of_once() {
    let (house, stage) = house().await;
    end(&house.db).await;
    stage.take();
    watch(&house.one, &house.db).await;
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["one hears db: stopped"]);
}

/// Each of three watchers is notified.
#[tokio::test(start_paused = true)]
async fn a138_each_watcher_hears() {
    let (house, stage) = house().await;
    for watcher in [&house.one, &house.two, &house.three] {
        watch(watcher, &house.db).await;
    }
    end(&house.db).await;
    let mut heard = stage.heard();
    heard.sort();
    assert_eq!(heard, ["one", "three", "two"].map(|name| format!("{name} hears db: stopped")));
}

/// Two restarts cause no notice; the end at the limit does.
#[tokio::test(start_paused = true)]
async fn a140_restarts_are_not_heard_of() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    for _ in 0..2 {
        house.db.kill();
        pass(secs(1)).await;
    }
    assert_eq!((stage.heard(), ping(&house.db).await), (vec![], 3));
    house.db.kill();
    pass(secs(1)).await;
    assert_eq!(stage.heard(), ["one hears db: limit"]);
}

/// A death pact is declared by name: an actor fails with the end of the actor that it depends on, and is stopped by
/// default.
#[tokio::test(start_paused = true)]
async fn a141_an_actor_that_depends_on_another_fails_with_its_end() {
    let (house, stage) = house().await;
    let mut events = house.events();
    let db = house.db.clone();
    with(&house.one, move |_, cx| cx.depend_on(&db)).await;
    watch(&house.two, &house.one).await;
    end(&house.db).await;
    assert_eq!(stage.take(), ["db post_stop", "one post_stop", "two hears one: failed"]);
    let ended = house.one.ended().unwrap();
    assert!(matches!(ended.failure().unwrap().cause(), Cause::DeathPact(path) if path == "db"));
    let expected = ["db stopping Asked", "db ended Stopped", "one failed", "one decided Stop", "one ended Failed"];
    assert_eq!(crate::common::seen(&mut events), expected);
}

/// Twice in a row: the end of a child, the notice, a child of the same name.
#[tokio::test(start_paused = true)]
async fn a142_a_name_can_be_used_again_and_again() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    for _ in 0..2 {
        let one = kid(&boss, "kid").await;
        watch(&boss, &one).await;
        stage.take();
        end(&one).await;
        assert_eq!(stage.take(), ["kid post_stop", "boss hears boss/kid: stopped"]);
    }
    assert_eq!(ping(&kid(&boss, "kid").await).await, 1);
}

/// A queued notice is dropped when the actor stops watching.
#[tokio::test(start_paused = true)]
async fn a143_a_notice_of_one_that_is_not_watched_is_not_heard() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    house.one.tell(Msg::Work(secs(1))).await.unwrap();
    let db = house.db.clone();
    with(&house.one, move |_, cx| cx.unwatch(&db)).await;
    end(&house.db).await;
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["one works", "db post_stop", "one worked"]);
}

/// The ends of children that a restart stops are not reported, even where the new instance watches others of their
/// names.
#[tokio::test(start_paused = true)]
async fn a145_children_that_a_restart_stops_are_not_heard_of() {
    let stage = Stage::default();
    stage.on("boss pre_start", |unit, cx| {
        Box::pin(async move {
            let kid = unit.spawn("kid", cx).await?;
            cx.watch(&kid);
            Ok(())
        })
    });
    let boss = top("boss", &stage).await;
    stage.take();
    fail(&boss).await;
    pass(secs(60)).await;
    let journal = stage.take();
    assert!(journal.contains(&"kid post_stop".to_owned()), "{journal:?}");
    assert!(!journal.iter().any(|line| line.contains("hears")), "{journal:?}");
    with(&boss, |unit, _| unit.kids[0].stop()).await;
    assert_eq!(stage.heard(), ["boss hears boss/kid: stopped"]);
}

/// A second watch of the same actor has no effect.
#[tokio::test(start_paused = true)]
async fn a146_watching_twice_is_watching_once() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    watch(&house.one, &house.db).await;
    end(&house.db).await;
    assert_eq!(stage.heard(), ["one hears db: stopped"]);
}

/// A watch made while the notice is queued does not count as a second one; a watch made after the notice does.
#[tokio::test(start_paused = true)]
async fn a147_a_watch_after_the_notice_is_a_new_one() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    let db = house.db.clone();
    act(&house.one, move |_, cx| {
        Box::pin(async move {
            tokio::time::sleep(secs(1)).await;
            assert!(db.ended().is_some(), "the notice waits in the mailbox");
            cx.watch(&db);
            Ok(())
        })
    })
    .await;
    end(&house.db).await;
    pass(secs(60)).await;
    assert_eq!(stage.heard(), ["one hears db: stopped"]);
    watch(&house.one, &house.db).await;
    assert_eq!(stage.heard(), ["one hears db: stopped"]);
}

/// The watches of an actor outlive its restart.
#[tokio::test(start_paused = true)]
async fn a148_watches_outlive_the_restart_of_the_watcher() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    fail(&house.one).await;
    assert_eq!(ping(&house.one).await, 2);
    end(&house.db).await;
    assert_eq!(stage.heard(), ["one hears db: stopped"]);
}

/// The notice comes after `post_stop`, however long that takes.
#[tokio::test(start_paused = true)]
async fn a151_the_notice_comes_after_post_stop() {
    let (house, stage) = house().await;
    watch(&house.one, &house.db).await;
    stage.plan("db post_stop", 1, Fault::Slow(secs(2)));
    house.db.stop();
    pass(ms(1_999)).await;
    assert_eq!(stage.take(), ["db post_stop"]);
    pass(ms(1)).await;
    assert_eq!(stage.take(), ["db post_stop done", "one hears db: stopped"]);
}

/// A parent that watches its child is notified once, and the name is free then.
#[tokio::test(start_paused = true)]
async fn a152_a_parent_hears_once_and_the_name_is_free() {
    let stage = Stage::default();
    stage.on("boss terminated", |unit, cx| Box::pin(async move { Ok(unit.spawn("kid", cx).await.map(drop)?) }));
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    watch(&boss, &one).await;
    stage.take();
    one.tell(Msg::Stop).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["kid post_stop", "boss hears boss/kid: done", "kid start", "kid pre_start"]);
}

/// Watching oneself has no effect, because the actor cannot receive the notice.
#[tokio::test(start_paused = true)]
async fn a153_watching_oneself_has_no_effect() {
    let (house, stage) = house().await;
    with(&house.one, |_, cx| {
        let me = cx.actor_ref();
        cx.watch(&me);
    })
    .await;
    house.one.tell(Msg::Fail(Boom::Told)).await.unwrap();
    assert_eq!(ping(&house.one).await, 2);
    stage.take();
    end(&house.one).await;
    assert_eq!(stage.take(), ["one post_stop"]);
    assert_eq!(house.dead_letters(), 0);
}
