//! Backoff, which is a setting of the child and not an actor around the child: A168 to A180.

use std::time::Duration;

use supervise::error::{InvalidSettings, SendRejection, SpawnError};
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Fault, ms, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct Back(stage: Stage, backoff: Backoff, directive: Directive) {
        #![decider(move |_: &Failure| directive)]
        #[backoff(backoff)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Transient)]
        #[backoff(backoff)]
        t: Unit = Unit::start("t", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Limited(stage: Stage, most: u32) {
        #[backoff(10ms..10ms, random_factor = 0)]
        #[limit(max_restarts = most)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Windowed(stage: Stage) {
        #[backoff(10ms..10ms, random_factor = 0)]
        #[limit(max_restarts = 3, within = 1s)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Healing(stage: Stage) {
        #[backoff(100ms..10s, random_factor = 0, reset = 100ms)]
        #[limit(max_restarts = 2)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Rejecting(stage: Stage) {
        #[backoff(100s..100s, random_factor = 0)]
        #[while_down(Reject)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Outer(stage: Stage) {
        inner: struct Inner {
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            #[backoff(1s..8s, random_factor = 0, reset = Manual)]
            a: Unit = Unit::start("a", stage).await?,
        },
    }
}

/// Without noise, and reset manually.
fn exact(min: Duration, max: Duration) -> Backoff {
    Backoff::exponential(min..max).random_factor(0.0).manual_reset()
}

async fn back(min: Duration, max: Duration) -> (Running<Back>, Stage, Events) {
    let stage = Stage::default();
    let tree = Back::start(stage.clone(), exact(min, max), Directive::Restart).await.unwrap();
    let events = tree.events();
    stage.take();
    (tree, stage, events)
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

/// After a normal end a `Permanent` child comes back, with the same handle; a drain from outside is final.
#[tokio::test(start_paused = true)]
async fn a168_an_end_by_itself_comes_back_and_a_drain_is_final() {
    let (tree, stage, mut events) = back(secs(3), secs(30)).await;
    tree.a.tell(Msg::Stop).await.unwrap();
    assert_eq!(ping(&tree.a).await, 2);
    assert_eq!(delays(&mut events), [secs(3)]);
    assert_eq!(stage.take(), ["a post_stop", "a start", "a pre_start", "a post_restart", "a ping"]);
    assert!(matches!(stage.given("a post_restart").cause(), Cause::EndedByItself));
    tree.a.drain();
    pass(secs(3600)).await;
    assert_eq!((stage.take(), state(&tree.a)), (text(&["a post_stop"]), "stopped"));
}

/// After a failure the child comes back if the decision is Restart; after a normal end it comes back whatever is
/// decided. Stop ends the child.
#[tokio::test(start_paused = true)]
async fn a170_a_failure_and_an_end_by_itself_both_come_back() {
    let (tree, _, mut events) = back(secs(3), secs(30)).await;
    fail(&tree.a).await;
    assert_eq!(ping(&tree.a).await, 2);
    tree.a.tell(Msg::Stop).await.unwrap();
    assert_eq!(ping(&tree.a).await, 3);
    assert_eq!(delays(&mut events), [secs(3), secs(6)]);

    let tree = Back::start(Stage::default(), exact(secs(3), secs(30)), Directive::Stop).await.unwrap();
    tree.a.tell(Msg::Stop).await.unwrap();
    assert_eq!(ping(&tree.a).await, 2);
    fail(&tree.a).await;
    pass(secs(3600)).await;
    assert_eq!(state(&tree.a), "failed");
}

/// Each end counts as one restart, and the snapshot shows the number of restarts.
#[tokio::test(start_paused = true)]
async fn a171_one_error_is_one_restart() {
    let tree = Limited::start(Stage::default(), 3).await.unwrap();
    let used = || tree.snapshot().find("a").unwrap().restarts.unwrap().used;
    assert_eq!(used(), 0);
    fail(&tree.a).await;
    assert_eq!((ping(&tree.a).await, used()), (2, 1));
}

/// After a manual reset the delays begin again, both after a failure and after a normal end.
#[tokio::test(start_paused = true)]
async fn a172_a_reset_on_request_begins_the_delays_again() {
    for by_failure in [true, false] {
        let end = || if by_failure { Msg::Fail(Boom::Told) } else { Msg::Stop };
        let (tree, _, mut events) = back(secs(3), secs(30)).await;
        for reset in [false, false, true] {
            if reset {
                tree.a.tell(Msg::Reset).await.unwrap();
            }
            tree.a.tell(end()).await.unwrap();
            ping(&tree.a).await;
            pass(secs(3600)).await;
        }
        assert_eq!(delays(&mut events), [secs(3), secs(6), secs(3)]);
    }
}

/// A child that is declared to reject while down reports at once that it is down, and for how long.
#[tokio::test(start_paused = true)]
async fn a173_a_child_in_backoff_can_answer_at_once_that_it_is_down() {
    let tree = Rejecting::start(Stage::default()).await.unwrap();
    fail(&tree.a).await;
    pass(secs(40)).await;
    let refused = tree.a.tell(Msg::Note("hello")).await.unwrap_err();
    assert_eq!(refused.reason(), SendRejection::Down { retry_in: Some(secs(60)) });
    assert!(tree.a.ask(Msg::Ping).await.is_err());
    pass(secs(60)).await;
    assert_eq!(ping(&tree.a).await, 2);
}

/// A child that will not come back: messages queued at its failure become dead letters, later ones are refused.
#[tokio::test(start_paused = true)]
async fn a175_without_a_restart_what_waited_is_a_dead_letter() {
    let tree = Back::start(Stage::default(), exact(secs(1), secs(1)), Directive::Stop).await.unwrap();
    fail(&tree.a).await;
    note(&tree.a, "one").await;
    note(&tree.a, "two").await;
    pass(secs(3600)).await;
    assert_eq!((state(&tree.a), tree.dead_letters()), ("failed", 2));
    assert_eq!(tree.a.tell(Msg::Note("three")).await.unwrap_err().reason(), SendRejection::Ended);
}

/// The delay of the n-th restart, up to the cap; a delay of zero is refused.
#[tokio::test(start_paused = true)]
async fn a176_the_delays_double_up_to_the_cap() {
    let (minutes, days) = (|n: u64| secs(60 * n), |n: u64| secs(24 * 3600 * n));
    for (n, min, max, delay) in [
        (0, minutes(5), minutes(7), minutes(5)),
        (2, secs(5), secs(7), secs(7)),
        (2, secs(5), days(7), secs(20)),
        (29, minutes(5), minutes(10), minutes(10)),
        (29, days(10_000), days(10_000), days(10_000)),
    ] {
        let (tree, _, mut events) = back(min, max).await;
        for _ in 0..=n {
            fail(&tree.a).await;
            ping(&tree.a).await;
        }
        assert_eq!(delays(&mut events).last(), Some(&delay), "{n}, {min:?}, {max:?}");
    }
    let none = Back::start(Stage::default(), exact(Duration::ZERO, Duration::ZERO), Directive::Restart).await;
    assert!(matches!(none.unwrap_err().error(), Some(InvalidSettings::NoTime(_))));
}

/// Two restarts, by failures or by normal ends; the third end is that of the supervisor.
#[tokio::test(start_paused = true)]
async fn a177_the_third_end_with_two_restarts_ends_the_supervisor() {
    for by_failure in [true, false] {
        let end = || if by_failure { Msg::Fail(Boom::Told) } else { Msg::Stop };
        let tree = Limited::start(Stage::default(), 2).await.unwrap();
        for restarts in 0..2 {
            assert_eq!(tree.snapshot().find("a").unwrap().restarts.unwrap().used, restarts);
            tree.a.tell(end()).await.unwrap();
            assert_eq!(ping(&tree.a).await, restarts + 2);
        }
        assert!(tree.ended().is_none());
        let other = tree.other.clone();
        tree.a.tell(end()).await.unwrap();
        assert_eq!(kind(&soon(tree.join()).await.ended), "limit");
        assert_eq!(state(&other), "stopped");
    }
}

/// A `Transient` child ends by itself when its work is done. While the child backs off, a stop or a drain ends it; a
/// message does not.
#[tokio::test(start_paused = true)]
async fn a178_a_finished_child_reports_it_and_a_wait_can_be_ended() {
    let (tree, stage, _) = back(secs(30), secs(30)).await;
    fail(&tree.t).await;
    note(&tree.t, "is handled later").await;
    tree.t.tell(Msg::Stop).await.unwrap();
    pass(secs(29)).await;
    assert_eq!((stage.take(), state(&tree.t)), (text(&["t pre_restart", "t post_stop"]), "lives"));
    pass(secs(1)).await;
    let up = text(&["t start", "t pre_start", "t post_restart", "t is handled later", "t post_stop"]);
    assert_eq!((stage.take(), state(&tree.t)), (up, "done"));
    for drains in [true, false] {
        let (tree, stage, _) = back(secs(30), secs(30)).await;
        fail(&tree.a).await;
        settle().await;
        let begun = Instant::now();
        if drains {
            tree.a.drain();
        } else {
            tree.a.stop();
        }
        assert_eq!(kind(&soon(tree.a.terminated()).await.unwrap()), "stopped");
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(stage.take(), ["a pre_restart", "a post_stop"]);
    }
}

/// Four delays that match the announced ones, and the same child after them.
#[tokio::test(start_paused = true)]
async fn a180_four_delays_and_one_child_after_them() {
    let (tree, stage, mut events) = back(ms(200), secs(10)).await;
    let begun = Instant::now();
    for _ in 0..4 {
        fail(&tree.a).await;
    }
    assert_eq!(ping(&tree.a).await, 5);
    assert_eq!(begun.elapsed(), ms(3_000));
    assert_eq!(delays(&mut events), [200, 400, 800, 1600].map(ms));
    assert_eq!(tree.snapshot().nodes().filter(|node| node.path == "a").count(), 1);
    assert_eq!(stage.ending("a start").len(), 4);
}

/// A backoff adds no actor between a child and its parent: the path is the same with and without.
#[tokio::test(start_paused = true)]
async fn a180a_nothing_stands_between_a_child_and_its_parent() {
    let boss = top("boss", &Stage::default()).await;
    let plain = kid(&boss, "plain").await;
    let paced = kid_as(&boss, "paced", |spawn| spawn.backoff(exact(secs(1), secs(1)))).await.unwrap();
    assert_eq!((plain.path(), paced.path()), ("boss/plain".into(), "boss/paced".into()));
}

/// While a child goes down slowly, its siblings serve, and messages sent to the child wait for the next instance.
#[tokio::test(start_paused = true)]
async fn a180b_messages_wait_while_the_child_is_slow_to_go_down() {
    let (tree, stage, _) = back(secs(3), secs(30)).await;
    stage.plan("a post_stop", 1, Fault::Slow(secs(2)));
    fail(&tree.a).await;
    settle().await;
    let begun = Instant::now();
    note(&tree.a, "waited").await;
    assert_eq!((ping(&tree.other).await, begun.elapsed()), (1, Duration::ZERO));
    assert_eq!(ping(&tree.a).await, 2);
    assert_eq!(begun.elapsed(), secs(5));
    let down = text(&["a pre_restart", "a post_stop", "other ping", "a post_stop done"]);
    let up = text(&["a start", "a pre_start", "a post_restart", "a waited", "a ping"]);
    assert_eq!(stage.take(), lines(&[&down, &up]));
}

/// Five restarts, and the sixth failure ends the supervisor.
#[tokio::test(start_paused = true)]
async fn a180c_the_sixth_failure_with_five_restarts_ends_the_supervisor() {
    let tree = Limited::start(Stage::default(), 5).await.unwrap();
    for restarts in 0..5 {
        fail(&tree.a).await;
        assert_eq!(ping(&tree.a).await, restarts + 2);
    }
    fail(&tree.a).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "limit");
}

/// Three restarts in a second: three restarts, a pause, and one more; then of three quick ones the third ends the
/// child.
#[tokio::test(start_paused = true)]
async fn a180d_a_pause_makes_room_and_three_quick_ones_end_it() {
    let tree = Windowed::start(Stage::default()).await.unwrap();
    for _ in 0..3 {
        fail(&tree.a).await;
    }
    assert_eq!(ping(&tree.a).await, 4);
    pass(secs(1)).await;
    for incarnation in 5..=7 {
        fail(&tree.a).await;
        assert_eq!(ping(&tree.a).await, incarnation);
    }
    fail(&tree.a).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "limit");
}

/// A window that the backoff itself makes unreachable is refused.
#[tokio::test(start_paused = true)]
async fn a180e_a_window_that_is_never_full_is_refused() {
    let boss = top("boss", &Stage::default()).await;
    let settings = |spawn: UnitOptions| spawn.backoff(exact(ms(100), ms(100))).limit(limit(3, Some(ms(10))));
    let refused = kid_as(&boss, "kid", settings).await;
    let Err(SpawnError::InvalidSettings { what, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(what, InvalidSettings::NeverReached { failures: 4, least: ms(300), within: ms(10) });
}

/// A failure of a child with a backoff waits, no matter which supervisor decided.
#[tokio::test(start_paused = true)]
async fn a180f_no_restart_goes_around_the_backoff() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let one = kid_as(&boss, "kid", |spawn| spawn.backoff(exact(secs(3), secs(30)))).await.unwrap();
    for (incarnation, delay) in [(2, 3), (3, 6)] {
        let begun = Instant::now();
        fail(&one).await;
        assert_eq!((ping(&one).await, begun.elapsed()), (incarnation, secs(delay)));
    }
}

/// A first start that fails is tried again with the delays of the backoff; a kill is final by default.
#[tokio::test(start_paused = true)]
async fn a180g_a_failing_first_start_is_tried_again_and_a_kill_is_final() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    stage.plan("kid pre_start", 4, Fault::Error);
    let begun = Instant::now();
    let one = kid_as(&boss, "kid", |spawn| spawn.backoff(exact(ms(50), secs(10)))).await.unwrap();
    assert_eq!(begun.elapsed(), ms(50 + 100 + 200 + 400));
    assert_eq!(stage.ending("kid pre_start").len(), 5);
    one.kill();
    pass(secs(3600)).await;
    assert_eq!((state(&one), stage.ending("kid start").len()), ("killed", 0));
}

/// An escalation creates a new instance of the supervisor, and with it a new backoff.
#[tokio::test(start_paused = true)]
async fn a180h_an_escalation_makes_the_backoff_new() {
    let stage = Stage::default();
    let tree = Outer::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    for _ in 0..2 {
        fail(&tree.inner.a).await;
        ping(&tree.inner.a).await;
    }
    assert_eq!(delays(&mut events), [1, 2].map(secs));
    tree.inner.a.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(ping(&tree.inner.a).await, 4);
    settle().await;
    let _of_the_supervisor = delays(&mut events);
    fail(&tree.inner.a).await;
    ping(&tree.inner.a).await;
    assert_eq!(delays(&mut events), [secs(1)]);
}

/// A reset affects the delays; a restart limit without a window keeps its count.
#[tokio::test(start_paused = true)]
async fn a180i_a_reset_does_not_touch_the_limit() {
    let tree = Healing::start(Stage::default()).await.unwrap();
    let mut events = tree.events();
    for _ in 0..2 {
        fail(&tree.a).await;
        ping(&tree.a).await;
        pass(secs(3600)).await;
    }
    assert_eq!(delays(&mut events), [ms(100), ms(100)]);
    fail(&tree.a).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "limit");
}

/// Invalid arguments are refused.
#[tokio::test(start_paused = true)]
async fn a180j_arguments_that_cannot_be_are_refused() {
    let boss = top("boss", &Stage::default()).await;
    let backoff = || Backoff::exponential(secs(3)..secs(30));
    for (backoff, expected) in [
        (Backoff::exponential(secs(30)..secs(3)), InvalidSettings::EmptyRange { min: secs(30), max: secs(3) }),
        (backoff().random_factor(1.5), InvalidSettings::RandomFactor(1.5)),
        (backoff().random_factor(-0.5), InvalidSettings::RandomFactor(-0.5)),
        (backoff().reset(secs(2)), InvalidSettings::ResetTooEarly { after: secs(2), min: secs(3) }),
    ] {
        let refused = kid_as(&boss, "kid", move |spawn| spawn.backoff(backoff)).await;
        let Err(SpawnError::InvalidSettings { what, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(what, expected);
    }
}
