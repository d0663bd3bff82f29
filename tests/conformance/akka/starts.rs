//! Failures during a start or a restart: A077 to A092.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use supervise::error::{InvalidSettings, SpawnError};
use supervise::policy::Mailbox;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Fault, ms, pass, quiet_panics, secs, seen, settle, soon};
use crate::stage::*;

supervisor! {
    struct One(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 3)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Resumed(stage: Stage) {
        #![decider(_ => Resume)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Patient(stage: Stage, decisions: Arc<AtomicU32>) {
        #[backoff(1s..1s, random_factor = 0)]
        #[decider(move |_: &Failure| match decisions.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => Directive::Resume,
            _ => Directive::Restart,
        })]
        a: Unit = Unit::start("a", stage).await?,
    }
}

/// A tree with one child that is up, and a planned failure in a step of its restart.
async fn crash_in_restart(place: &str, fault: Fault) -> (Running<One>, Stage) {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.take();
    stage.plan(place, 1, fault);
    fail(&tree.a).await;
    pass(secs(1)).await;
    (tree, stage)
}

/// A first start that fails is a failure with its own phase and the child's path; by default the child ends, and
/// `post_stop` does not run for an instance that never finished its start.
#[tokio::test(start_paused = true)]
async fn a077_a_failed_first_start_ends_the_child() {
    for (place, trace) in [("kid start", &["kid start"][..]), ("kid pre_start", &["kid start", "kid pre_start"])] {
        let stage = Stage::default();
        let boss = top("boss", &stage).await;
        stage.take();
        stage.plan(place, 1, Fault::Error);
        let refused = kid_as(&boss, "kid", |spawn| spawn).await;
        let Err(SpawnError::Start(failure)) = refused else { panic!("{refused:?}") };
        assert_eq!((failure.phase(), failure.path()), (Phase::Start, "boss/kid"));
        assert_eq!(failure.error(), Some(&Boom::Planned));
        settle().await;
        assert_eq!(stage.take(), trace);
        assert_eq!(ping(&boss).await, 1);
    }
}

/// With Restart, the child is started again, without the hooks of a restart.
#[tokio::test(start_paused = true)]
async fn a078_a_failed_first_start_can_be_tried_again() {
    for (place, first) in [("kid start", &["kid start"][..]), ("kid pre_start", &["kid start", "kid pre_start"])] {
        let stage = Stage::default();
        stage.supervises("boss", always(Directive::Restart));
        let boss = top("boss", &stage).await;
        stage.take();
        stage.plan(place, 1, Fault::Error);
        let one = kid(&boss, "kid").await;
        assert_eq!(stage.take(), lines(&[&text(first), &text(&["kid start", "kid pre_start"])]));
        assert_eq!(ping(&one).await, 2);
    }
}

/// Resume and Restart of a failed start are the same. Everything that a failed attempt created is gone before the next
/// one.
#[tokio::test(start_paused = true)]
async fn a080_resume_and_restart_of_a_failed_start_are_the_same() {
    let (stage, decisions) = (Stage::default(), Arc::new(AtomicU32::new(0)));
    let attempts = AtomicU32::new(0);
    stage.on("a pre_start", move |unit, cx| {
        let attempt = attempts.fetch_add(1, Ordering::Relaxed) + 1;
        Box::pin(async move {
            if attempt == 3 || attempt == 6 {
                unit.spawn("kid", cx).await?;
            }
            if attempt < 6 { Err(Boom::Planned.into()) } else { Ok(()) }
        })
    });
    let tree = Patient::start(stage.clone(), decisions.clone()).await.unwrap();
    note(&tree.a, "was waiting").await;
    assert_eq!(ping(&tree.a).await, 6);
    assert_eq!(decisions.load(Ordering::Relaxed), 5);
    let attempt = text(&["a start", "a pre_start"]);
    let with_kid = text(&["a start", "a pre_start", "kid start", "kid pre_start"]);
    let gone = text(&["kid post_stop"]);
    let end = text(&["a was waiting", "a ping"]);
    assert_eq!(
        stage.take(),
        lines(&[&attempt, &attempt, &with_kid, &gone, &attempt, &attempt, &with_kid, &end]),
        "no restart hook runs, because the child was never up"
    );
}

/// A start that always fails and is always resumed counts against the budget and is delayed like a restart: there is no
/// hot loop, and the retries end.
#[tokio::test(start_paused = true)]
async fn a081_a_failing_start_that_is_resumed_is_no_hot_loop() {
    let stage = Stage::default();
    stage.plan("a start", u32::MAX, Fault::Error);
    let begun = Instant::now();
    let failure = Resumed::start(stage.clone()).await.unwrap_err();
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(stage.take().len(), 11, "the first start and ten more");
    assert_eq!(begun.elapsed(), ms(10) + ms(10) * 511, "delays of 10 ms, then 10, 20, 40 and so on up to 2560 ms");
}

/// A child that was spawned in a failed start is stopped and awaited before the next attempt.
#[tokio::test(start_paused = true)]
async fn a082_what_a_failed_start_has_made_is_awaited_before_the_next() {
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Restart));
    let attempts = AtomicU32::new(0);
    stage.on("a pre_start", move |unit, cx| {
        let attempt = attempts.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            unit.spawn("kid", cx).await?;
            if attempt < 2 { Err(Boom::Planned.into()) } else { Ok(()) }
        })
    });
    stage.plan("kid post_stop", 2, Fault::Slow(secs(1)));
    let boss = top("boss", &stage).await;
    stage.take();
    let begun = Instant::now();
    kid(&boss, "a").await;
    let attempt = text(&["a start", "a pre_start", "kid start", "kid pre_start"]);
    let gone = text(&["kid post_stop", "kid post_stop done"]);
    assert_eq!(stage.take(), lines(&[&attempt, &gone, &attempt, &gone, &attempt]));
    assert!(begun.elapsed() >= secs(2));
}

/// A restart with two failing steps: the failure of `pre_restart` is reported, the start is retried, the third start
/// works.
#[tokio::test(start_paused = true)]
async fn a083_a_restart_survives_a_failing_hook_and_a_failing_start() {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    stage.plan("a pre_restart", 1, Fault::Error);
    stage.plan("a start", 1, Fault::Error);
    fail(&tree.a).await;
    assert_eq!(ping(&tree.a).await, 3);
    let expected = [
        "a start",
        "a pre_start",
        "a pre_restart",
        "a post_stop",
        "a start",
        "a start",
        "a pre_start",
        "a post_restart",
        "a ping",
    ];
    assert_eq!(stage.take(), expected);
    let expected = [
        "a failed",
        "a decided Restart",
        "a restart in 0ns",
        "a reported",
        "a failed",
        "a decided Restart",
        "a restart in 10ms",
        "a restarted",
    ];
    assert_eq!(seen(&mut events), expected);
}

/// A `pre_restart` that fails leaves no child running: the next start can spawn children with the same names.
#[tokio::test(start_paused = true)]
async fn a085_a_failing_pre_restart_leaves_no_child_running() {
    let stage = Stage::default();
    stage.on("boss pre_start", |unit, cx| Box::pin(async move { Ok(unit.spawn("kid", cx).await.map(drop)?) }));
    let boss = top("boss", &stage).await;
    stage.take();
    stage.plan("boss pre_restart", 1, Fault::Error);
    fail(&boss).await;
    assert_eq!(ping(&boss).await, 2);
    let expected = [
        "boss pre_restart",
        "kid post_stop",
        "boss post_stop",
        "boss start",
        "boss pre_start",
        "kid start",
        "kid pre_start",
        "boss post_restart",
        "boss ping",
    ];
    assert_eq!(stage.take(), expected);
}

/// Only the named children are kept, even if `pre_restart` fails afterwards; the others are stopped.
#[tokio::test(start_paused = true)]
async fn a086_a_failing_pre_restart_keeps_what_it_has_named() {
    let stage = Stage::default();
    stage.keeps("boss", &["kept"]);
    let boss = top("boss", &stage).await;
    let [kept, other] = [kid(&boss, "kept").await, kid(&boss, "other").await];
    stage.take();
    stage.plan("boss pre_restart", 1, Fault::Error);
    fail(&boss).await;
    settle().await;
    let boss_down = text(&["boss pre_restart", "other post_stop"]);
    assert_eq!(stage.take(), lines(&[&boss_down, &restart("boss")[1..], &restart("kept")]));
    assert_eq!((ping(&kept).await, state(&other)), (2, "stopped"));
}

/// A start that fails during a restart is retried; the old instance has run `post_stop` once.
#[tokio::test(start_paused = true)]
async fn a087_a_failed_start_of_a_restart_is_tried_again() {
    let (tree, stage) = crash_in_restart("a start", Fault::Error).await;
    let expected = ["a pre_restart", "a post_stop", "a start", "a start", "a pre_start", "a post_restart"];
    assert_eq!(stage.take(), expected);
    assert_eq!(ping(&tree.a).await, 3);
}

/// The same when `post_restart` or `pre_start` fails. An instance whose `pre_start` had succeeded runs `post_stop`.
#[tokio::test(start_paused = true)]
async fn a088_a_failed_hook_of_a_restart_is_tried_again() {
    quiet_panics();
    for fault in [Fault::Error, Fault::Panic] {
        let (tree, stage) = crash_in_restart("a post_restart", fault).await;
        let new = text(&["a post_stop", "a start", "a pre_start", "a post_restart"]);
        assert_eq!(stage.take(), lines(&[&restart("a"), &new]));
        assert_eq!(ping(&tree.a).await, 3);

        let (tree, stage) = crash_in_restart("a pre_start", fault).await;
        let new = text(&["a start", "a pre_start", "a post_restart"]);
        assert_eq!(stage.take(), lines(&[&restart("a")[..4], &new]), "nothing is due for an instance that never began");
        assert_eq!(ping(&tree.a).await, 3);
    }
}

/// Resume of a failed `post_restart` is another restart, without `pre_restart`.
#[tokio::test(start_paused = true)]
async fn a090_resume_of_a_failed_post_restart_is_another_restart() {
    let stage = Stage::default();
    let decisions = AtomicU32::new(0);
    let decider = move |_: &Failure| match decisions.fetch_add(1, Ordering::Relaxed) {
        0 => Directive::Restart,
        _ => Directive::Resume,
    };
    stage.supervises("boss", SupervisorStrategy::new(Strategy::OneForOne).decider(decider));
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    stage.take();
    stage.plan("kid post_restart", 1, Fault::Error);
    fail(&one).await;
    assert_eq!(ping(&one).await, 3);
    let again = text(&["kid post_stop", "kid start", "kid pre_start", "kid post_restart", "kid ping"]);
    assert_eq!(stage.take(), lines(&[&restart("kid"), &again]));
}

/// However many starts fail in between, the hook of the one that works receives the original cause of the restart.
#[tokio::test(start_paused = true)]
async fn a091_the_first_error_is_found_after_failed_restarts() {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.plan("a start", 2, Fault::Error);
    tree.a.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(ping(&tree.a).await, 4);
    let failure = stage.given("a post_restart");
    assert_eq!((failure.phase(), failure.error()), (Phase::Restart, Some(&Boom::Planned)), "the last failure");
    let first = std::iter::successors(Some(&failure), |failure| failure.before()).last().unwrap();
    assert_eq!((first.phase(), first.error()), (Phase::Running, Some(&Boom::Fatal)), "the first failure");
}

/// Invalid settings are an error of the spawn, which the spawning actor has to handle.
#[tokio::test(start_paused = true)]
async fn a092_a_mailbox_that_cannot_be_is_the_error_of_the_spawn() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let refused = kid_as(&boss, "kid", |spawn| spawn.mailbox(Mailbox::Bounded(0))).await;
    assert!(matches!(refused, Err(SpawnError::InvalidSettings { what: InvalidSettings::NoPlaces, .. })), "{refused:?}");
    assert_eq!(ping(&boss).await, 1);
    let refused = top_as("top", &stage, |spawn| spawn.mailbox(Mailbox::Bounded(0))).await;
    assert!(matches!(refused, Err(SpawnError::InvalidSettings { what: InvalidSettings::NoPlaces, .. })), "{refused:?}");
    act(&boss, |unit, cx| {
        Box::pin(async move {
            unit.spawn_as("kid", |spawn| spawn.mailbox(Mailbox::Bounded(0)), cx).await?;
            Ok(())
        })
    })
    .await;
    assert_eq!(
        soon(boss.ask(Msg::Ping)).await,
        Ok(2),
        "a spawn error that a handler returns is a failure like any other"
    );
}
