//! `limit` on a child, in a tree with a different budget.

use supervise::Cause;
use supervise::prelude::*;

use super::{ended, fail, restarts};
use crate::common::{Journal, Probe, pass, secs, settle};

supervisor! {
    struct Limits(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 4, within = 1min, on_limit = Stop)]
        plain: Probe = Probe::start("plain", journal).await?,
        #[limit(max_restarts = 2)]
        two: Probe = Probe::start("two", journal).await?,
        #[limit(max_restarts = Unlimited)]
        endless: Probe = Probe::start("endless", journal).await?,
        #[limit(within = 10s)]
        short: Probe = Probe::start("short", journal).await?,
        #[limit(on_limit = Escalate)]
        loud: Probe = Probe::start("loud", journal).await?,
        #[limit(max_restarts = 1, within = 10s)]
        set: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
    }

    struct Escalating(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 4, within = 1min)]
        plain: Probe = Probe::start("plain", journal).await?,
        #[limit(on_limit = Stop)]
        quiet: Probe = Probe::start("quiet", journal).await?,
        #[limit(max_restarts = 1)]
        mild: [Probe] = |n: u32| Probe::start(format!("m{n}"), journal).await?,
        #[limit(max_restarts = 1, on_limit = Escalate)]
        set: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
    }
}

/// S15: the child's own number applies, and the tree's number to its siblings; in a `[..]`, the number applies to each
/// instance.
#[tokio::test(start_paused = true)]
async fn limit_max_restarts_is_obeyed() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    assert_eq!(restarts(&tree.two).await, 2);
    assert_eq!(restarts(&tree.plain).await, 4);
    for n in 0..2 {
        assert_eq!(restarts(&tree.set.spawn(n).await.unwrap()).await, 1);
    }
    assert!(tree.ended().is_none());
}

/// S15: `Unlimited` overrides the limit of the tree.
#[tokio::test(start_paused = true)]
async fn limit_max_restarts_unlimited_is_obeyed() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    fail(&tree.endless, 100).await;
    pass(secs(3_600)).await;
    assert_eq!(tree.endless.incarnation(), 101);
}

/// S15: the child's own window applies, with the tree's number.
#[tokio::test(start_paused = true)]
async fn limit_within_is_obeyed() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    let guest = tree.set.spawn(1).await.unwrap();
    fail(&guest, 1).await;
    for child in [&tree.short, &tree.plain] {
        fail(child, 4).await;
    }
    pass(secs(11)).await;
    for child in [&tree.short, &tree.plain, &guest] {
        fail(child, 1).await;
    }
    assert_eq!([tree.short.incarnation(), guest.incarnation()], [6, 3], "10 s are over");
    assert!(matches!(ended(&tree.plain).await, Ended::Limit(_)), "1 min is not over");
}

/// S15: at the limit of this child the tree fails, although the tree's own setting is `Stop`; the same in a `[..]`.
#[tokio::test(start_paused = true)]
async fn limit_on_limit_escalate_is_obeyed() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    assert_eq!(restarts(&tree.plain).await, 4);
    assert!(tree.ended().is_none());
    assert_eq!(restarts(&tree.loud).await, 4);
    settle().await;
    let ended = tree.ended().expect("the tree has failed");
    let failure = ended.failure().unwrap();
    assert!(matches!(failure.cause(), Cause::LimitReached) && failure.path() == "loud", "{failure:?}");

    let tree = Escalating::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    assert_eq!(restarts(&tree.set.spawn(1).await.unwrap()).await, 1);
    settle().await;
    let lines = crate::common::seen(&mut events);
    assert!(lines.contains(&"set escalated".to_owned()), "{lines:?}");
}

/// S15: at the limit only this child ends, although the tree's own setting is `Escalate`; in a `[..]` this is the
/// default.
#[tokio::test(start_paused = true)]
async fn limit_on_limit_stop_is_obeyed() {
    let tree = Escalating::start(Journal::default()).await.unwrap();
    assert_eq!(restarts(&tree.quiet).await, 4);
    assert!(matches!(ended(&tree.quiet).await, Ended::Limit(_)));
    let mild = tree.mild.spawn(1).await.unwrap();
    assert_eq!(restarts(&mild).await, 1);
    assert!(matches!(ended(&mild).await, Ended::Limit(_)));
    settle().await;
    assert!(tree.ended().is_none());
    assert_eq!(restarts(&tree.plain).await, 4);
    settle().await;
    assert!(tree.ended().is_some(), "the sibling has the tree's limit");
}
