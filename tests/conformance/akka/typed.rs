//! The scenarios of typed Akka: A185 to A210.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use supervise::error::{InvalidSettings, SendRejection, SpawnError};
use supervise::event::EventKind;
use supervise::policy::Mailbox;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Fault, ms, pass, quiet_panics, secs, settle, soon};
use crate::stage::*;

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the disk is full")]
struct Disk;

supervisor! {
    struct Exact(stage: Stage) {
        #![decider(_: Disk => Restart)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Layers(stage: Stage) {
        #![decider(_ => Restart)]
        #[decider(Boom::Fatal => Stop, _: Disk => Resume)]
        inner: Unit = Unit::start("inner", stage.clone()).await?,
        plain: Unit = Unit::start("plain", stage).await?,
    }

    struct House(stage: Stage) {
        boss: Unit = Unit::start("boss", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Patient(stage: Stage) {
        #[backoff(1s..10s, random_factor = 0, reset = 10s)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Narrow(stage: Stage) {
        #[backoff(1s..1s, random_factor = 0)]
        #[mailbox(Bounded(2))]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Middle(stage: Stage) {
        #[backoff(2s..6s, random_factor = 0)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Pact(stage: Stage) {
        #![decider(Cause::DeathPact(_) => Restart, Boom::Told => Stop, _ => Restart)]
        low: Unit = Unit::start("low", stage.clone()).await?,
        middle: Unit = Unit::start("middle", stage).await?,
    }
}

/// The delay of the next restart after a failure.
async fn delay(unit: &ActorRef<Unit>) -> std::time::Duration {
    let begun = Instant::now();
    fail(unit).await;
    ping(unit).await;
    begun.elapsed()
}

/// A listed type restarts; a type that is not listed is left to the supervisor, whatever its source chain contains.
#[tokio::test(start_paused = true)]
async fn a185_a_listed_type_restarts_and_another_escalates() {
    let stage = Stage::default();
    let tree = Exact::start(stage.clone()).await.unwrap();
    stage.take();
    tree.a.tell(Msg::Add(7)).await.unwrap();
    act(&tree.a, |_, _| Box::pin(async { Err(Disk.into()) })).await;
    assert_eq!((sum(&tree.a).await, stage.take()), (0, restart("a")));
    fail(&tree.a).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "failed");
    assert_eq!(stage.take(), ["a post_stop"]);
}

/// Resume keeps the state, and runs no hook.
#[tokio::test(start_paused = true)]
async fn a186_resume_keeps_the_state_without_a_hook() {
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Resume));
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    stage.take();
    one.tell(Msg::Add(7)).await.unwrap();
    fail(&one).await;
    assert_eq!((sum(&one).await, ping(&one).await), (7, 1));
    assert_eq!((stage.take(), stage.told()), (text(&["kid ping"]), vec![]));
}

/// The arms of a child take precedence over those of its tree; other errors are left to the tree.
#[tokio::test(start_paused = true)]
async fn a187_the_innermost_that_matches_decides() {
    let tree = Layers::start(Stage::default()).await.unwrap();
    for unit in [&tree.inner, &tree.plain] {
        unit.tell(Msg::Add(7)).await.unwrap();
        act(unit, |_, _| Box::pin(async { Err(Disk.into()) })).await;
    }
    assert_eq!((sum(&tree.inner).await, sum(&tree.plain).await), (7, 0));
    fail(&tree.inner).await;
    assert_eq!(ping(&tree.inner).await, 2, "the tree's decider decides");
    for unit in [&tree.inner, &tree.plain] {
        unit.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    }
    pass(secs(1)).await;
    assert_eq!((state(&tree.inner), ping(&tree.plain).await), ("failed", 3));
}

/// Two restarts in a window, then the end; with a pause, time makes room for another; a limit of 0 ends at once.
#[tokio::test(start_paused = true)]
async fn a188_a_limit_counts_in_its_window() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    for (name, pause, ended) in [("quick", 0, "limit"), ("slow", 550, "lives")] {
        let one = kid_as(&boss, name, |spawn| spawn.limit(limit(2, Some(ms(500))))).await.unwrap();
        watch(&boss, &one).await;
        stage.take();
        for _ in 0..2 {
            fail(&one).await;
            pass(ms(10)).await;
        }
        assert_eq!(stage.take(), [restart(name), restart(name)].concat());
        pass(ms(pause)).await;
        fail(&one).await;
        pass(ms(10)).await;
        let after = match ended {
            "limit" => text(&["quick post_stop", "boss hears boss/quick: limit"]),
            _ => restart(name),
        };
        assert_eq!((stage.take(), state(&one)), (after, ended));
    }
    let never = kid_as(&boss, "never", |spawn| spawn.limit(limit(0, None))).await.unwrap();
    stage.take();
    fail(&never).await;
    settle().await;
    assert_eq!((stage.take(), state(&never)), (text(&["never post_stop"]), "limit"));
}

/// A restart stops all children and waits; asks and notices that arrive meanwhile are for the new instance.
#[tokio::test(start_paused = true)]
async fn a190_requests_and_notices_wait_for_the_new_instance() {
    for patient in [false, true] {
        let stage = Stage::default();
        let above = top("above", &stage).await;
        let boss = kid_as(&above, "boss", move |spawn| match patient {
            true => spawn.backoff(Backoff::exponential(ms(100)..ms(100)).random_factor(0.0)),
            false => spawn,
        })
        .await
        .unwrap();
        let other = kid(&above, "other").await;
        let one = kid(&boss, "kid").await;
        watch(&boss, &other).await;
        stage.plan("kid post_stop", 1, Fault::Slow(secs(1)));
        stage.take();
        fail(&boss).await;
        settle().await;
        let begun = Instant::now();
        other.stop();
        settle().await;
        let has_kid = |reply: Reply<u64>| {
            Msg::Do(Box::new(move |_, cx| {
                reply.send(cx.child::<Unit>("kid").is_some().into());
                Box::pin(async { Ok(()) })
            }))
        };
        assert_eq!(boss.ask(has_kid).forever().await, Ok(0));
        assert_eq!(begun.elapsed(), if patient { ms(1_100) } else { ms(1_000) });
        let down =
            text(&["boss pre_restart", "kid post_stop", "other post_stop", "kid post_stop done", "boss post_stop"]);
        let up = [&restart("boss")[2..], &text(&["boss hears above/other: stopped"])].concat();
        assert_eq!(stage.take(), lines(&[&down, &up]));
        assert_eq!(state(&one), "stopped");
    }
}

/// The ends of children that the restart stops are not reported, whatever reaction was declared.
#[tokio::test(start_paused = true)]
async fn a191_stopped_children_are_not_heard_of() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    for name in ["first", "second"] {
        let one = kid(&boss, name).await;
        watch(&boss, &one).await;
    }
    fail(&boss).await;
    pass(secs(60)).await;
    assert_eq!(stage.heard(), [""; 0]);
    assert_eq!(ping(&boss).await, 2);
}

/// Kept children stay with their handles; they are restarted after their parent, and no end is reported.
#[tokio::test(start_paused = true)]
async fn a192_kept_children_have_their_handles_and_a_fresh_state() {
    let stage = Stage::default();
    stage.keeps("boss", &["kid"]);
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    watch(&boss, &one).await;
    one.tell(Msg::Add(7)).await.unwrap();
    settle().await;
    stage.take();
    fail(&boss).await;
    settle().await;
    assert_eq!(stage.take(), lines(&[&restart("boss"), &restart("kid")]));
    assert_eq!((sum(&one).await, ping(&one).await), (0, 2));
    one.stop();
    settle().await;
    assert_eq!(stage.heard(), ["boss hears boss/kid: stopped"], "the watch still exists");
}

/// A queued message fails the fresh instance: the children of that instance are stopped, the other messages stay
/// queued.
#[tokio::test(start_paused = true)]
async fn a193_a_second_failure_from_the_queue_keeps_the_rest_of_it() {
    let stage = Stage::default();
    stage.on("boss post_restart", |unit, cx| Box::pin(async move { Ok(unit.spawn("kid", cx).await.map(drop)?) }));
    let boss = top("boss", &stage).await;
    stage.take();
    for _ in 0..2 {
        fail(&boss).await;
    }
    note(&boss, "was waiting").await;
    pass(secs(1)).await;
    let made = text(&["kid start", "kid pre_start"]);
    let second = restart("boss");
    let (down, up) = second.split_at(1);
    let expected = [&second[..], &made, down, &text(&["kid post_stop"]), up, &made, &text(&["boss was waiting"])];
    assert_eq!(stage.take(), lines(&expected));
}

/// A first start that fails, for each directive.
#[tokio::test(start_paused = true)]
async fn a195_a_first_start_is_tried_again_if_it_is_decided_so() {
    // Restart and Resume are the same, with a limit or without.
    for (directive, limit) in
        [(Directive::Restart, unlimited()), (Directive::Resume, unlimited()), (Directive::Restart, limit(3, None))]
    {
        let stage = Stage::default();
        stage.supervises("boss", always(directive));
        let boss = top("boss", &stage).await;
        stage.plan("kid start", 2, Fault::Error);
        let one = kid_as(&boss, "kid", move |spawn| spawn.limit(limit)).await.unwrap();
        assert_eq!(ping(&one).await, 3);
    }
    // Two restarts are three attempts.
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Restart));
    let boss = top("boss", &stage).await;
    stage.plan("kid start", u32::MAX, Fault::Error);
    let refused = kid_as(&boss, "kid", |spawn| spawn.limit(limit(2, None))).await;
    let Err(SpawnError::Start(failure)) = refused else { panic!("{refused:?}") };
    assert!(matches!(failure.cause(), Cause::LimitReached));
    assert_eq!(stage.ending("kid start").len(), 3);
    // With a backoff the start is retried without a request.
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    stage.plan("kid start", 1, Fault::Error);
    let begun = Instant::now();
    kid_as(&boss, "kid", |spawn| spawn.backoff(Backoff::exponential(secs(1)..secs(8)).random_factor(0.0)))
        .await
        .unwrap();
    assert_eq!(begun.elapsed(), secs(1));
    // An error that no arm names escalates: the spawn fails, and so does the supervisor.
    let stage = Stage::default();
    stage.supervises("boss", strategy! { #![strategy(OneForOne)] #![decider(_: Disk => Restart)] });
    let house = House::start(stage.clone()).await.unwrap();
    stage.plan("kid start", 1, Fault::Error);
    let refused = house.boss.ask(|reply: Reply<bool>| {
        Msg::Do(Box::new(move |unit, cx| {
            Box::pin(async move {
                let refused = unit.spawn("kid", cx).await;
                reply.send(matches!(refused, Err(SpawnError::Start(_))));
                Ok(())
            })
        }))
    });
    assert_eq!(refused.await, Ok(true));
    settle().await;
    assert_eq!((house.boss.incarnation(), ping(&house.other).await), (2, 1));
    assert_eq!(stage.given("boss pre_restart").path(), "boss/kid");
}

/// Two starts fail while messages are queued; the third instance handles them in order.
#[tokio::test(start_paused = true)]
async fn a196_messages_wait_for_the_start_that_works() {
    let stage = Stage::default();
    stage.plan("a start", 2, Fault::Error);
    let tree = Patient::start(stage.clone()).await.unwrap();
    note(&tree.a, "one").await;
    note(&tree.a, "two").await;
    pass(secs(3)).await;
    assert_eq!(stage.take(), ["a start", "a start", "a start", "a pre_start", "a one", "a two"]);
}

/// During the backoff, two messages fit in the mailbox, and two are returned to their sender. A capacity of zero is
/// refused.
#[tokio::test(start_paused = true)]
async fn a197_what_has_no_room_in_a_wait_comes_back() {
    let stage = Stage::default();
    let tree = Narrow::start(stage.clone()).await.unwrap();
    fail(&tree.a).await;
    settle().await;
    stage.take();
    let reasons = ["m1", "m2", "m3", "m4"].map(|line| tree.a.try_tell(Msg::Note(line)).map_err(|e| e.reason()));
    assert_eq!(reasons, [Ok(()), Ok(()), Err(SendRejection::Full), Err(SendRejection::Full)]);
    pass(secs(1)).await;
    assert_eq!(stage.take(), lines(&[&restart("a")[2..], &text(&["a m1", "a m2"])]));
    assert_eq!(tree.dead_letters(), 0);
    let refused = top_as("none", &stage, |spawn| spawn.mailbox(Mailbox::Bounded(0))).await;
    assert!(matches!(refused, Err(SpawnError::InvalidSettings { what: InvalidSettings::NoPlaces, .. })));
}

/// One second, two, and one again after the reset time; a reset time shorter than the delay is refused.
#[tokio::test(start_paused = true)]
async fn a198_the_delays_begin_again_after_good_service() {
    let tree = Patient::start(Stage::default()).await.unwrap();
    assert_eq!((delay(&tree.a).await, delay(&tree.a).await), (secs(1), secs(2)));
    pass(ms(9_999)).await;
    assert_eq!(delay(&tree.a).await, secs(4));
    pass(secs(10)).await;
    assert_eq!(delay(&tree.a).await, secs(1));
    let early = Backoff::exponential(secs(1)..secs(10)).reset(ms(100));
    let refused = top_as("early", &Stage::default(), |spawn| spawn.backoff(early)).await;
    let Err(SpawnError::InvalidSettings { what, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(what, InvalidSettings::ResetTooEarly { after: ms(100), min: secs(1) });
}

/// Without a setting, the reset time is the middle of the range.
#[tokio::test(start_paused = true)]
async fn a200_good_service_is_the_middle_of_the_range() {
    let tree = Middle::start(Stage::default()).await.unwrap();
    assert_eq!(delay(&tree.a).await, secs(2));
    pass(ms(3_999)).await;
    assert_eq!(delay(&tree.a).await, secs(4));
    pass(secs(4)).await;
    assert_eq!(delay(&tree.a).await, secs(2));
}

/// A death pact (a watcher fails when the watched actor ends) is a failure that can be decided.
#[tokio::test(start_paused = true)]
async fn a202_a_pact_can_be_supervised() {
    let tree = Pact::start(Stage::default()).await.unwrap();
    let low = tree.low.clone();
    with(&tree.middle, move |_, cx| cx.depend_on(&low)).await;
    fail(&tree.low).await;
    settle().await;
    assert_eq!((state(&tree.low), ping(&tree.middle).await), ("failed", 2));
}

/// If a background result cannot be turned into a message, the actor that would receive that message fails.
#[tokio::test(start_paused = true)]
async fn a205_a_result_that_cannot_be_handed_in_is_a_failure() {
    quiet_panics();
    let house = House::start(Stage::default()).await.unwrap();
    let mut events = house.events();
    with(&house.boss, |_, cx| cx.run(async { 7 }, |_| panic!("planned panic in a result"))).await;
    assert_eq!(ping(&house.boss).await, 2);
    let mut causes = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { failure, .. } = event.kind {
            causes.push((event.path, matches!(failure.cause(), Cause::Panic(_))));
        }
    }
    assert_eq!(causes, [("boss".to_owned(), true)]);
}

/// An actor that stops itself in its start ends, in the first start and in a later one, whatever is decided.
#[tokio::test(start_paused = true)]
async fn a206_an_actor_that_finishes_in_its_start_ends() {
    for directive in [Directive::Restart, Directive::Resume, Directive::Stop] {
        for patient in [false, true] {
            let stage = Stage::default();
            stage.supervises("boss", always(directive));
            let boss = top("boss", &stage).await;
            stage.on("kid pre_start", |_, cx| {
                cx.stop();
                Box::pin(async { Ok(()) })
            });
            let settings = move |spawn: UnitOptions| match patient {
                true => spawn.backoff(Backoff::exponential(secs(1)..secs(1))),
                false => spawn,
            };
            stage.take();
            let one = kid_as(&boss, "kid", settings).await.unwrap();
            pass(secs(60)).await;
            assert_eq!((state(&one), one.incarnation()), ("done", 1));
            assert_eq!(stage.take(), ["kid start", "kid pre_start", "kid post_stop"]);
        }
    }
    let (stage, starts) = (Stage::default(), Arc::new(AtomicU32::new(0)));
    let boss = top("boss", &stage).await;
    stage.on("kid pre_start", move |_, cx| {
        if starts.fetch_add(1, Ordering::Relaxed) == 1 {
            cx.stop();
        }
        Box::pin(async { Ok(()) })
    });
    let one = kid(&boss, "kid").await;
    stage.take();
    fail(&one).await;
    pass(secs(60)).await;
    assert_eq!((state(&one), one.incarnation()), ("done", 2));
    assert_eq!(stage.take().iter().filter(|line| *line == "kid post_stop").count(), 2, "one line of each instance");
}

/// An actor that depends on an actor that fails permanently ends, and its watchers are notified.
#[tokio::test(start_paused = true)]
async fn a210_an_end_goes_up_by_a_pact_and_a_watch() {
    let stage = Stage::default();
    stage.supervises("middle", always(Directive::Stop));
    let above = top("above", &stage).await;
    let middle = kid(&above, "middle").await;
    let low = kid(&middle, "low").await;
    let other = low.clone();
    with(&middle, move |_, cx| cx.depend_on(&other)).await;
    watch(&above, &middle).await;
    stage.take();
    fail(&low).await;
    settle().await;
    assert_eq!(stage.take(), ["low post_stop", "middle post_stop", "above hears above/middle: failed"]);
    assert!(matches!(middle.ended().unwrap().failure().unwrap().cause(), Cause::DeathPact(_)));
}
