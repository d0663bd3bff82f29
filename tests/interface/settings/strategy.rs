//! `strategy`.

use supervise::Cause;
use supervise::prelude::*;

use super::{ended, fail, restarts};
use crate::common::{Journal, Probe, pass, secs, settle};

supervisor! {
    struct One(journal: Journal) {
        #![strategy(OneForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct All(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Rest(journal: Journal) {
        #![strategy(RestForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Default10(journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Three(journal: Journal) {
        #![strategy(max_restarts = 3)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Zero(journal: Journal) {
        #![strategy(max_restarts = 0)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Endless(journal: Journal) {
        #![strategy(max_restarts = Unlimited)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Within10s(journal: Journal) {
        #![strategy(max_restarts = 1, within = 10s)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Within1min(journal: Journal) {
        #![strategy(max_restarts = 1, within = 1min)]
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Escalates(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 1, on_limit = Escalate)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Stops(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 1, on_limit = Stop)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// The incarnations of all three, after the one in the middle has failed.
macro_rules! after_one_failure {
    ($tree:ident) => {{
        let tree = $tree::start(Journal::default()).await.unwrap();
        fail(&tree.b, 1).await;
        [&tree.a, &tree.b, &tree.c].map(|child| child.incarnation())
    }};
}

/// S17: only the failed child restarts.
#[tokio::test(start_paused = true)]
async fn strategy_one_for_one_is_obeyed() {
    assert_eq!(after_one_failure!(One), [1, 2, 1]);
}

/// S17: every child restarts.
#[tokio::test(start_paused = true)]
async fn strategy_all_for_one_is_obeyed() {
    assert_eq!(after_one_failure!(All), [2, 2, 2]);
}

/// S17: the failed child and those after it restart.
#[tokio::test(start_paused = true)]
async fn strategy_rest_for_one_is_obeyed() {
    assert_eq!(after_one_failure!(Rest), [1, 2, 2]);
}

/// S15: the number of restarts is the one that is declared, 10 by default, and none with 0.
#[tokio::test(start_paused = true)]
async fn strategy_max_restarts_is_obeyed() {
    assert_eq!(restarts(&Zero::start(Journal::default()).await.unwrap().a).await, 0);
    assert_eq!(restarts(&Three::start(Journal::default()).await.unwrap().a).await, 3);
    assert_eq!(restarts(&Default10::start(Journal::default()).await.unwrap().a).await, 10);
}

/// S15: `Unlimited` exceeds every default.
#[tokio::test(start_paused = true)]
async fn strategy_max_restarts_unlimited_is_obeyed() {
    let tree = Endless::start(Journal::default()).await.unwrap();
    fail(&tree.a, 100).await;
    pass(secs(3_600)).await;
    assert_eq!(tree.a.incarnation(), 101);
}

/// S15: the window slides; without `within`, a declared number counts forever.
#[tokio::test(start_paused = true)]
async fn strategy_within_is_obeyed() {
    macro_rules! twice {
        ($tree:ident, $apart:expr) => {{
            let tree = $tree::start(Journal::default()).await.unwrap();
            fail(&tree.a, 1).await;
            pass($apart).await;
            fail(&tree.a, 1).await;
            (tree.a.incarnation(), tree.ended().is_some())
        }};
    }
    assert_eq!(twice!(Within10s, secs(9)), (2, true));
    assert_eq!(twice!(Within10s, secs(11)), (3, false));
    assert_eq!(twice!(Within1min, secs(11)), (2, true));
    assert_eq!(twice!(Within1min, secs(61)), (3, false));
    assert_eq!(twice!(Escalates, secs(1_000_000)), (2, true));
}

/// S15: the tree fails with `LimitReached`, with the last failure inside.
#[tokio::test(start_paused = true)]
async fn strategy_on_limit_escalate_is_obeyed() {
    let tree = Escalates::start(Journal::default()).await.unwrap();
    fail(&tree.a, 2).await;
    let ended = tree.ended().expect("the tree has failed");
    let failure = ended.failure().unwrap();
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure:?}");
    assert!(failure.before().is_some());
}

/// S15: only the child ends; its sibling goes on.
#[tokio::test(start_paused = true)]
async fn strategy_on_limit_stop_is_obeyed() {
    let tree = Stops::start(Journal::default()).await.unwrap();
    fail(&tree.a, 2).await;
    assert!(matches!(ended(&tree.a).await, Ended::Limit(_)));
    settle().await;
    assert!(tree.ended().is_none());
    assert_eq!(tree.b.incarnation(), 1);
    fail(&tree.b, 1).await;
    assert_eq!(tree.b.incarnation(), 2, "the sibling's budget is untouched");
}

/// S15: a shared budget is used up by all children together.
#[tokio::test(start_paused = true)]
async fn strategy_budget_shared_is_obeyed() {
    supervisor! {
        struct Shared(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1h, budget = Shared)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
        struct Apart(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1h)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let shared = Shared::start(Journal::default()).await.unwrap();
    fail(&shared.a, 2).await;
    pass(secs(1)).await;
    fail(&shared.b, 1).await;
    let report = shared.join().await;
    assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)));
    let apart = Apart::start(Journal::default()).await.unwrap();
    fail(&apart.a, 2).await;
    fail(&apart.b, 2).await;
    pass(secs(1)).await;
    assert_eq!((apart.a.incarnation(), apart.b.incarnation()), (3, 3));
}
