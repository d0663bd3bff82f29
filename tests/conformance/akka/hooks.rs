//! Hooks, and their order: A063 to A076.

use std::time::Duration;

use supervise::prelude::*;

use crate::common::{Boom, Fault, ms, pass, secs, seen, settle, soon};
use crate::stage::*;

supervisor! {
    struct Thrice(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, on_limit = Stop)]
        #![decider(_ => Restart)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Pair(stage: Stage, directive: Directive) {
        #![decider(move |_: &Failure| directive)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        watcher: Unit = Unit::start("watcher", stage).await?,
    }
}

/// A boss that is restarted after every failure, and its child.
async fn family(stage: &Stage) -> (ActorRef<Unit>, ActorRef<Unit>) {
    let boss = top("boss", stage).await;
    let one = kid(&boss, "kid").await;
    stage.take();
    (boss, one)
}

/// The hooks of a first start, of three restarts, and of the end at the fourth kill; no hook replaces another.
#[tokio::test(start_paused = true)]
async fn a063_hooks_run_in_order_over_three_restarts_and_the_end() {
    let stage = Stage::default();
    let tree = Thrice::start(stage.clone()).await.unwrap();
    assert_eq!(stage.take(), ["a start", "a pre_start"]);
    for generation in 1..=3 {
        assert_eq!(ping(&tree.a).await, generation);
        stage.take();
        tree.a.kill();
        pass(ms(10)).await;
        assert_eq!(stage.take(), restart("a"));
    }
    assert_eq!(ping(&tree.a).await, 4);
    stage.take();
    tree.a.kill();
    settle().await;
    assert_eq!(stage.take(), ["a post_stop"]);
    assert_eq!(state(&tree.a), "limit");
}

/// An actor that never failed runs no restart hook.
#[tokio::test(start_paused = true)]
async fn a065_a_plain_life_has_two_hooks() {
    let stage = Stage::default();
    let a = top("a", &stage).await;
    a.stop();
    soon(a.terminated()).await.unwrap();
    assert_eq!(stage.take(), ["a start", "a pre_start", "a post_stop"]);
}

/// A `post_stop` that fails blocks nothing: the watcher is notified, and the name is free.
#[tokio::test(start_paused = true)]
async fn a066_a_failing_post_stop_holds_nothing_up() {
    let stage = Stage::default();
    let (boss, one) = family(&stage).await;
    watch(&boss, &one).await;
    stage.plan("kid post_stop", 1, Fault::Error);
    one.stop();
    settle().await;
    let journal = stage.take();
    assert_eq!(journal.len(), 2, "{journal:?}");
    assert_eq!(journal[0], "kid post_stop");
    assert!(journal[1].starts_with("boss hears boss/kid: "), "{journal:?}");
    assert_eq!(kid(&boss, "kid").await.path(), one.path());
}

/// The state of an actor is lost with a Restart, and kept with a Resume.
#[tokio::test(start_paused = true)]
async fn a067_what_it_became_is_gone_with_a_restart_and_stays_with_a_resume() {
    for (directive, became) in [(Directive::Restart, 0), (Directive::Resume, 1)] {
        let tree = Pair::start(Stage::default(), directive).await.unwrap();
        tree.a.tell(Msg::Add(1)).await.unwrap();
        fail(&tree.a).await;
        assert_eq!(sum(&tree.a).await, became);
    }
}

/// A reply that the handler has stored can be sent from `pre_restart`, and from `post_stop`.
#[tokio::test(start_paused = true)]
async fn a068_a_reply_that_was_put_aside_can_be_given_on_the_way_down() {
    for (hook, directive) in [("a pre_restart", Directive::Restart), ("a post_stop", Directive::Stop)] {
        let stage = Stage::default();
        stage.on(hook, |unit, _| {
            if let Some(pending) = unit.pending.take() {
                pending.send("from the hook");
            }
            Box::pin(async { Ok(()) })
        });
        let tree = Pair::start(stage, directive).await.unwrap();
        let answer = tree.a.ask(|reply| {
            Msg::Do(Box::new(|unit, _| {
                unit.pending = Some(reply);
                Box::pin(async { Err(Boom::Told.into()) })
            }))
        });
        assert_eq!(answer.await, Ok("from the hook"), "{hook}");
    }
}

/// A new instance starts only after the children of the old one are gone; messages sent meanwhile follow in order.
#[tokio::test(start_paused = true)]
async fn a070_the_new_instance_waits_for_the_old_ones_children() {
    let stage = Stage::default();
    let (boss, _) = family(&stage).await;
    stage.plan("kid post_stop", 1, Fault::Slow(secs(1)));
    fail(&boss).await;
    settle().await;
    note(&boss, "one").await;
    note(&boss, "two").await;
    pass(ms(999)).await;
    assert_eq!(stage.take(), ["boss pre_restart", "kid post_stop"]);
    pass(ms(1)).await;
    let expected = [
        "kid post_stop done",
        "boss post_stop",
        "boss start",
        "boss pre_start",
        "boss post_restart",
        "boss one",
        "boss two",
    ];
    assert_eq!(stage.take(), expected);
}

/// A kept child is restarted after its parent is up again, not before.
#[tokio::test(start_paused = true)]
async fn a071_a_kept_child_is_restarted_after_its_parent() {
    let stage = Stage::default();
    stage.keeps("boss", &["kid"]);
    let (boss, _) = family(&stage).await;
    fail(&boss).await;
    settle().await;
    assert_eq!(stage.take(), lines(&[&restart("boss"), &restart("kid")]));
}

/// Children that the new instance spawns in its start are not restarted together with the kept ones.
#[tokio::test(start_paused = true)]
async fn a072_what_the_new_instance_makes_is_not_restarted() {
    let stage = Stage::default();
    stage.keeps("boss", &["kid"]);
    stage.on("boss pre_start", |unit, cx| Box::pin(async move { Ok(unit.spawn("fresh", cx).await.map(drop)?) }));
    let (boss, one) = family(&stage).await;
    fail(&boss).await;
    settle().await;
    let expected = [
        "boss pre_restart",
        "fresh post_stop",
        "boss post_stop",
        "boss start",
        "boss pre_start",
        "fresh start",
        "fresh pre_start",
        "boss post_restart",
    ];
    assert_eq!(stage.take(), lines(&[&text(&expected), &restart("kid")]));
    assert_eq!(ping(&one).await, 2);
}

/// A child with a fixed name, spawned in every start: at a restart the name is free again.
#[tokio::test(start_paused = true)]
async fn a073_a_named_child_can_be_made_in_every_start() {
    let stage = Stage::default();
    stage.on("boss pre_start", |unit, cx| Box::pin(async move { Ok(unit.spawn("kid", cx).await.map(drop)?) }));
    let boss = top("boss", &stage).await;
    fail(&boss).await;
    assert_eq!(ping(&boss).await, 2);
    assert_eq!(stage.ending(" pre_start"), ["boss pre_start", "kid pre_start", "boss pre_start", "kid pre_start"]);
}

/// The events of a kill, of a restart, and of an end.
#[tokio::test(start_paused = true)]
async fn a075_the_events_of_a_life() {
    let mut blueprint = Pair::tree(Stage::default(), Directive::Restart);
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["a started", "watcher started", "Pair started"]);
    tree.a.kill();
    settle().await;
    assert_eq!(seen(&mut events), ["a failed", "a decided Restart", "a restart in 0ns", "a restarted"]);
    tree.a.stop();
    settle().await;
    assert_eq!(seen(&mut events), ["a stopping Asked", "a ended Stopped"]);
    tree.shutdown().await;
    let stopping = ["Pair stopping Asked", "watcher stopping Shutdown"];
    assert_eq!(seen(&mut events), [stopping, ["watcher ended Stopped", "Pair ended Stopped"]].concat());
}

/// Periodic messages from outside continue over a restart.
#[tokio::test(start_paused = true)]
async fn a076_a_schedule_from_outside_outlives_a_restart() {
    let stage = Stage::default();
    let tree = Pair::start(stage.clone(), Directive::Restart).await.unwrap();
    let a = tree.a.clone();
    let schedule = tokio::spawn(async move {
        for _ in 0..6 {
            tokio::time::sleep(ms(500)).await;
            note(&a, "tick").await;
        }
    });
    pass(secs(1) + Duration::from_millis(1)).await;
    fail(&tree.a).await;
    pass(secs(3)).await;
    assert!(schedule.is_finished());
    let ticks = stage.take();
    assert_eq!(ticks.iter().filter(|line| *line == "a tick").count(), 6);
    let crash = ticks.iter().position(|line| line == "a post_restart").unwrap();
    assert_eq!(ticks[..crash].iter().filter(|line| *line == "a tick").count(), 2);
}
