//! The restart limit: A030 to A041.

use std::time::Duration;

use supervise::error::{InvalidSettings, SpawnError};
use supervise::policy::RestartLimit;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle};
use crate::stage::*;

/// An actor with a child `kid` that has this limit and is watched by the actor.
async fn limited(limit: RestartLimit) -> (ActorRef<Unit>, ActorRef<Unit>, Stage) {
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Restart));
    let boss = top("boss", &stage).await;
    let kid = kid_as(&boss, "kid", move |spawn| spawn.limit(limit)).await.unwrap();
    watch(&boss, &kid).await;
    stage.take();
    (boss, kid, stage)
}

/// Fails at these times, in milliseconds from now. Returns the time of the end, if there was one.
async fn fail_at(kid: &ActorRef<Unit>, times: &[u64]) -> Option<u64> {
    let begun = Instant::now();
    for time in times {
        pass(ms(*time) - begun.elapsed()).await;
        fail(kid).await;
        settle().await;
        if kid.ended().is_some() {
            return Some(*time);
        }
    }
    None
}

/// Two restarts in half a second; later a third is allowed.
#[tokio::test(start_paused = true)]
async fn a030_after_the_window_there_is_room_again() {
    let (_boss, kid, stage) = limited(limit(2, Some(ms(500)))).await;
    assert_eq!(fail_at(&kid, &[0, 50, 750]).await, None);
    assert_eq!(ping(&kid).await, 4);
    assert_eq!(stage.ending("post_restart").len(), 3);
}

/// Without a window, restarts count forever.
#[tokio::test(start_paused = true)]
async fn a031_without_a_window_time_does_not_forgive() {
    let (_boss, kid, stage) = limited(limit(2, None)).await;
    assert_eq!(fail_at(&kid, &[0, 50, 750]).await, Some(750));
    assert_eq!(stage.heard(), ["boss hears boss/kid: limit"]);
    assert_eq!(kid.incarnation(), 3);
}

/// A window without a number of restarts is refused, because it would leave the limit unclear.
#[tokio::test(start_paused = true)]
async fn a032_a_window_without_a_number_is_refused() {
    let stage = Stage::default();
    stage.supervises("boss", SupervisorStrategy::new(Strategy::OneForOne).within(secs(1)));
    let boss = top("boss", &stage).await;
    let refused = kid_as(&boss, "kid", |spawn| spawn).await;
    let Err(SpawnError::InvalidSettings { what, path }) = refused else { panic!("{refused:?}") };
    assert_eq!((&*path, what), ("boss/kid", InvalidSettings::NoLimit("within")));
}

/// An unlimited number of restarts has its own word, and is not a negative number. A window together with it is
/// refused.
#[tokio::test(start_paused = true)]
async fn a033_no_limit_is_a_word_and_has_no_window() {
    let boss = top("boss", &Stage::default()).await;
    let refused = kid_as(&boss, "kid", |spawn| spawn.limit(unlimited().within(secs(10)))).await;
    let Err(SpawnError::InvalidSettings { what, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(what, InvalidSettings::NoLimit("within"));
}

/// One restart in 5 s, two kills: a restart, then the end, of which the parent is notified.
#[tokio::test(start_paused = true)]
async fn a035_two_kills_with_one_restart_end_it_and_the_parent_hears() {
    let (_boss, kid, stage) = limited(limit(1, Some(secs(5)))).await;
    kid.kill();
    settle().await;
    assert_eq!(stage.take(), restart("kid"));
    kid.kill();
    settle().await;
    assert_eq!(stage.take(), ["kid post_stop", "boss hears boss/kid: limit"]);
}

/// The window slides: at most two restarts in any second, where a tumbling window would allow three.
#[tokio::test(start_paused = true)]
async fn a036_the_window_slides() {
    let (_boss, kid, _) = limited(limit(2, Some(ms(1000)))).await;
    assert_eq!(fail_at(&kid, &[0, 900, 1100, 1200, 1300]).await, Some(1200));
    assert_eq!(kid.incarnation(), 4);
    // The restart at 0 ms leaves the window at 1000 ms, not a moment before.
    for (last, ended) in [(999, Some(999)), (1000, None)] {
        let (_boss, kid, _) = limited(limit(2, Some(ms(1000)))).await;
        assert_eq!(fail_at(&kid, &[0, 900, last]).await, ended);
    }
}

/// A window of zero length is refused.
#[tokio::test(start_paused = true)]
async fn a037_a_window_of_no_time_is_refused() {
    let boss = top("boss", &Stage::default()).await;
    let refused = kid_as(&boss, "kid", |spawn| spawn.limit(limit(2, Some(Duration::ZERO)))).await;
    let Err(SpawnError::InvalidSettings { what, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(what, InvalidSettings::NoTime("within"));
}

/// A window of 30 days is accepted.
#[tokio::test(start_paused = true)]
async fn a038_a_window_of_a_month_counts() {
    let month = secs(30 * 24 * 3600);
    let day = 24 * 3600 * 1000;
    let (_boss, kid, _) = limited(limit(2, Some(month))).await;
    assert_eq!(fail_at(&kid, &[0, 10 * day, 29 * day]).await, Some(29 * day));
    let (_boss, kid, _) = limited(limit(2, Some(month))).await;
    assert_eq!(fail_at(&kid, &[0, 10 * day, 30 * day]).await, None);
}

/// A new incarnation of the supervisor has fresh budgets, also for a kept child.
#[tokio::test(start_paused = true)]
async fn a040_the_restart_of_the_parent_makes_the_budget_fresh() {
    let (boss, kid, stage) = limited(limit(2, None)).await;
    stage.keeps("boss", &["kid"]);
    assert_eq!(fail_at(&kid, &[0, 50]).await, None);
    fail(&boss).await;
    settle().await;
    assert_eq!(ping(&kid).await, 4, "the child was restarted after its parent");
    assert_eq!(fail_at(&kid, &[0, 50, 100]).await, Some(100), "two more restarts, and no third");
    assert_eq!(kid.incarnation(), 6);
}

/// Another child of the same name begins with a fresh count.
#[tokio::test(start_paused = true)]
async fn a041_a_new_child_of_the_same_name_counts_again() {
    let (boss, first, _) = limited(limit(1, None)).await;
    assert_eq!(fail_at(&first, &[0]).await, None);
    first.stop();
    first.terminated().await.unwrap();
    let second = kid_as(&boss, "kid", |spawn| spawn.limit(limit(1, None))).await.unwrap();
    assert_eq!(fail_at(&second, &[0, 50]).await, Some(50));
    assert_eq!((first.path(), first.incarnation(), second.incarnation()), (second.path(), 2, 2));
}
