//! Tests that the first Akka, of 2009 to 2011, ran on itself: A215 to A221.

use supervise::error::AskError;
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, ms, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct SingleOne(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct SingleAll(stage: Stage) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct ManyOne(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct ManyAll(stage: Stage) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Nested(stage: Stage) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        below: struct Below {
            #![strategy(AllForOne, max_restarts = 3, within = 1min)]
            b: Unit = Unit::start("b", stage.clone()).await?,
            c: Unit = Unit::start("c", stage).await?,
        },
    }

    struct Scopes(stage: Stage) {
        boss: Unit = Unit::start("boss", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage.clone()).await?,
        sibling: Unit = Unit::start("sibling", stage).await?,
    }

    struct Noticed(stage: Stage) {
        #[limit(max_restarts = 1, within = 5s, on_limit = Stop)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        watcher: Unit = Unit::start("watcher", stage).await?,
    }

    struct Handshake(stage: Stage) {
        #[lifecycle(Permanent, shutdown = 100ms)]
        a: Unit = Unit::start("a", stage).await?,
    }
}

/// The pings and the restarts, as one word.
fn log(stage: &Stage) -> String {
    let word = |line: String| match line.split_once(' ') {
        Some((_, "ping")) => "ping",
        Some((_, "post_restart")) => "DIE",
        _ => "",
    };
    stage.take().into_iter().map(word).collect()
}

/// Pings all units, makes one fail, with or without an ask, and pings all again.
async fn play(stage: &Stage, units: &[&ActorRef<Unit>], dies: usize, asked: bool) -> String {
    for unit in units {
        ping(unit).await;
    }
    if asked {
        assert!(matches!(units[dies].ask(Msg::Ask).await, Err(AskError::NoReply { .. })));
    } else {
        fail(units[dies]).await;
    }
    settle().await;
    for unit in units {
        ping(unit).await;
    }
    log(stage)
}

/// The matrix of calls and crashes, as one word each: single, many and nested, with an answer and without.
#[tokio::test(start_paused = true)]
async fn a215_the_matrix_of_calls_and_crashes() {
    for asked in [false, true] {
        let stage = Stage::default();
        let one = SingleOne::start(stage.clone()).await.unwrap();
        assert_eq!(play(&stage, &[&one.a], 0, asked).await, "pingDIEping");
        let all = SingleAll::start(stage.clone()).await.unwrap();
        assert_eq!(play(&stage, &[&all.a], 0, asked).await, "pingDIEping");
        for dies in 0..3 {
            let one = ManyOne::start(stage.clone()).await.unwrap();
            assert_eq!(play(&stage, &[&one.a, &one.b, &one.c], dies, asked).await, "pingpingpingDIEpingpingping");
            let all = ManyAll::start(stage.clone()).await.unwrap();
            let log = play(&stage, &[&all.a, &all.b, &all.c], dies, asked).await;
            assert_eq!(log, "pingpingpingDIEDIEDIEpingpingping");
            let nested = Nested::start(stage.clone()).await.unwrap();
            let log = play(&stage, &[&nested.a, &nested.below.b, &nested.below.c], dies, asked).await;
            let died = if dies == 0 { "pingpingpingDIEDIEDIEpingpingping" } else { "pingpingpingDIEDIEpingpingping" };
            assert_eq!(log, died);
        }
    }
}

/// A group inside a group: the worker of the first level dies, and all three are restarted.
#[tokio::test(start_paused = true)]
async fn a216_a_group_in_a_group_is_restarted_with_it() {
    let stage = Stage::default();
    let tree = Nested::start(stage.clone()).await.unwrap();
    stage.take();
    fail(&tree.a).await;
    settle().await;
    assert_eq!(stage.ending(" post_restart"), ["a post_restart", "b post_restart", "c post_restart"]);
    assert_eq!([ping(&tree.a).await, ping(&tree.below.b).await, ping(&tree.below.c).await], [2, 2, 2]);
}

/// A `Temporary` child fails once: declared, spawned, or linked at run time.
#[tokio::test(start_paused = true)]
async fn a217_a_temporary_child_is_never_restarted() {
    let stage = Stage::default();
    let tree = Scopes::start(stage.clone()).await.unwrap();
    let temporary = |spawn: UnitOptions| spawn.lifecycle(Lifecycle::Temporary);
    let spawned = kid_as(&tree.boss, "spawned", temporary).await.unwrap();
    let linked = top_as("linked", &stage, temporary).await.unwrap();
    let other = linked.clone();
    act(&tree.boss, move |_, cx| Box::pin(async move { Ok(cx.link(&other).await?) })).await;
    for unit in [&tree.temporary, &spawned, &linked] {
        stage.take();
        fail(unit).await;
        pass(secs(60)).await;
        assert_eq!(stage.ending(" post_stop").len(), 1);
        assert_eq!((state(unit), unit.incarnation()), ("failed", 1));
    }
    assert_eq!((ping(&tree.boss).await, ping(&tree.sibling).await), (1, 1));
}

/// A limit that is reached is reported: as an event with the child, and to watchers as the limit with the last failure.
#[tokio::test(start_paused = true)]
async fn a218_that_a_limit_was_reached_is_said() {
    let stage = Stage::default();
    let tree = Noticed::start(stage.clone()).await.unwrap();
    watch(&tree.watcher, &tree.a).await;
    let mut events = tree.events();
    fail(&tree.a).await;
    tree.a.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(stage.heard(), ["watcher hears a: limit"]);
    let mut reached = Vec::new();
    while let Some(event) = events.try_next() {
        if matches!(event.kind, EventKind::LimitReached { .. }) {
            reached.push((event.path, event.incarnation));
        }
    }
    assert_eq!(reached, [("a".to_owned(), 2)]);
    let Some(Ended::Limit(failure)) = tree.a.ended() else { panic!("{:?}", tree.a.ended()) };
    assert_eq!((failure.path(), failure.find()), ("a", Some(&Boom::Fatal)));
    let restarts = tree.snapshot().find("a").unwrap().restarts.unwrap();
    assert_eq!((restarts.max, restarts.within), (Some(1), Some(secs(5))));
}

/// A stop waits for the declared time, and no longer.
#[tokio::test(start_paused = true)]
async fn a221_a_stop_waits_its_time_and_no_longer() {
    let stage = Stage::default();
    let tree = Handshake::start(stage.clone()).await.unwrap();
    tree.a.tell(Msg::Work(ms(50))).await.unwrap();
    settle().await;
    tree.a.stop();
    assert_eq!(kind(&soon(tree.a.terminated()).await.unwrap()), "stopped");
    let tree = Handshake::start(stage.clone()).await.unwrap();
    tree.a.tell(Msg::Hang).await.unwrap();
    settle().await;
    let begun = Instant::now();
    tree.a.stop();
    assert_eq!(kind(&soon(tree.a.terminated()).await.unwrap()), "aborted");
    assert_eq!(begun.elapsed(), ms(100));
}
