//! The start of a tree: O001 to O018, and the possible declarations: O048 and O062.

use supervise::error::SpawnError;
use supervise::policy::ShutdownTimeout;
use supervise::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::common::{Boom, Fault, pass, secs};

supervisor! {
    struct Empty(stage: Stage) {
        units: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Optional(stage: Stage) {
        before: Unit = Unit::start("before", stage.clone()).await?,
        #[lifecycle(Permanent)]
        permanent: Option<Unit> = None,
        #[lifecycle(Temporary)]
        temporary: Option<Unit> = None,
        branch: Option<Branch> = None,
        after: Unit = Unit::start("after", stage).await?,
    }

    struct Branch(stage: Stage) {
        leaf: Unit = Unit::start("leaf", stage).await?,
    }

    struct Words(stage: Stage) {
        plain: Unit = Unit::start("plain", stage.clone()).await?,
        #[lifecycle(Permanent, shutdown = Kill)]
        now: Unit = Unit::start("now", stage.clone()).await?,
        branch: Branch = Branch::tree(stage.clone()),
        #[lifecycle(Temporary)]
        set: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Layers(stage: Stage) {
        #![strategy(OneForOne, max_restarts = 0)]
        #![decider(_ => Restart)]
        plain: Unit = Unit::start("plain", stage.clone()).await?,
        #[limit(max_restarts = 2)]
        #[decider(Boom::Fatal => Stop)]
        own: Unit = Unit::start("own", stage).await?,
    }
}

/// A tree without children starts, lives and is stopped.
#[tokio::test(start_paused = true)]
async fn o001_an_empty_tree_starts_and_stops() {
    let tree = Empty::start(Stage::default()).await.unwrap();
    pass(secs(60)).await;
    assert!(tree.ended().is_none());
    let report = tree.shutdown().await;
    assert_eq!((kind(&report.ended), report.is_orderly()), ("stopped", true));
}

/// A branch that is not wanted does not exist, and nothing reports it.
#[tokio::test(start_paused = true)]
async fn o002_a_branch_may_be_left_out() {
    let stage = Stage::default();
    let tree = Optional::start(stage.clone()).await.unwrap();
    assert!(tree.branch.is_none());
    pass(secs(60)).await;
    assert_eq!(starts(&stage), ["before", "after"]);
    assert!(tree.health().is_healthy());
}

/// A setting that is not written has its default, and the specification shows the default.
#[tokio::test(start_paused = true)]
async fn o005_what_is_not_written_has_its_default() {
    let stage = Stage::default();
    let tree = Words::start(stage).await.unwrap();
    let child = |name: &str| Words::SPEC.children.iter().find(|child| child.name == name);
    let lifecycles = ["plain", "now", "branch", "set"].map(|name| child(name).unwrap().lifecycle);
    assert_eq!(lifecycles, [Lifecycle::Permanent, Lifecycle::Permanent, Lifecycle::Permanent, Lifecycle::Temporary]);
    assert!(child("other").is_none());
    assert_eq!(tree.snapshot().find("branch").unwrap().lifecycle, Lifecycle::Permanent);
    assert!(tree.snapshot().find("other").is_none());
}

/// All instances of a set are declared alike.
#[tokio::test(start_paused = true)]
async fn o006_instances_of_a_set_are_declared_alike() {
    let tree = Words::start(Stage::default()).await.unwrap();
    for name in ["x", "y", "z"] {
        let unit = tree.set.spawn(name).await.unwrap();
        let snapshot = tree.snapshot();
        let node = snapshot.find(&unit.path()).unwrap();
        assert_eq!((node.lifecycle, node.incarnation), (Lifecycle::Temporary, 1));
    }
}

/// A child that cannot start takes down the children before it, in reverse, before the error is returned; nothing is
/// retried.
#[tokio::test(start_paused = true)]
async fn o010_a_child_that_cannot_start_takes_down_those_before_it() {
    let stage = Stage::default();
    stage.plan("c start", 1, Fault::Error);
    let failure = One::start(stage.clone(), 9, secs(5)).await.unwrap_err();
    assert_eq!((failure.path(), failure.phase(), failure.error()), ("c", Phase::Start, Some(&Boom::Planned)));
    assert_eq!(steps(&stage), ["a start", "b start", "c start", "b post_stop", "a post_stop"]);
    pass(secs(60)).await;
    assert_eq!(stage.take(), [""; 0]);
}

/// A start returns when all children are up, which start one after the other.
#[tokio::test(start_paused = true)]
async fn o011_a_start_is_over_when_all_are_up() {
    let stage = Stage::default();
    for place in ["a start", "b pre_start", "c pre_start"] {
        stage.plan(place, 1, Fault::Slow(secs(1)));
    }
    let begun = Instant::now();
    let tree = One::start(stage.clone(), 1, secs(5)).await.unwrap();
    assert_eq!(begun.elapsed(), secs(3));
    let a = ["a start", "a start done", "a pre_start"];
    let b = ["b start", "b pre_start", "b pre_start done"];
    let c = ["c start", "c pre_start", "c pre_start done"];
    assert_eq!(stage.take(), [a, b, c].concat());
    assert!(tree.health().is_healthy());
}

/// A child that is left out delays no other child, and its place stays empty.
#[tokio::test(start_paused = true)]
async fn o012_a_child_may_be_left_out() {
    let stage = Stage::default();
    let tree = Optional::start(stage.clone()).await.unwrap();
    assert!(tree.permanent.is_none());
    assert_eq!(starts(&stage), ["before", "after"]);
    assert!(tree.snapshot().nodes().filter(|node| node.is_up()).count() >= 2);
}

/// The same for a temporary child.
#[tokio::test(start_paused = true)]
async fn o013_a_temporary_child_may_be_left_out() {
    let tree = Optional::start(Stage::default()).await.unwrap();
    assert!(tree.temporary.is_none());
    fail(&tree.before).await;
    assert_eq!((ping(&tree.before).await, ping(&tree.after).await), (2, 1));
    assert!(tree.shutdown().await.is_orderly());
}

/// A child without a name is refused before any part of it exists.
#[tokio::test(start_paused = true)]
async fn o018_a_child_without_a_name_is_refused() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    stage.take();
    let refused = kid_as(&boss, "", |spawn| spawn).await;
    assert!(matches!(refused, Err(SpawnError::EmptyName { .. })), "{refused:?}");
    assert_eq!(stage.take(), [""; 0]);
}

/// Every lifecycle can be combined with every stop timeout.
#[tokio::test(start_paused = true)]
async fn o048_every_lifecycle_goes_with_every_time() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    for lifecycle in [Lifecycle::Permanent, Lifecycle::Transient, Lifecycle::Temporary] {
        for time in [ShutdownTimeout::Kill, ShutdownTimeout::Within(secs(1)), ShutdownTimeout::Infinity] {
            let settings = move |spawn: UnitOptions| spawn.lifecycle(lifecycle).shutdown(time);
            let one = kid_as(&boss, "one", settings).await.unwrap();
            stop(&one).await;
            assert_ne!(state(&one), "lives");
        }
    }
}

/// A setting of the tree applies to all children, and a setting of a child overrides it for that child.
#[tokio::test(start_paused = true)]
async fn o062_what_a_child_says_itself_goes_before() {
    let stage = Stage::default();
    let tree = Layers::start(stage).await.unwrap();
    for nth in 2..=3 {
        fail(&tree.own).await;
        assert_eq!(ping(&tree.own).await, nth);
    }
    tree.own.tell(Msg::Fail(Boom::Fatal)).await.unwrap();
    assert_eq!(end(&tree.own).await, "failed");
    fail(&tree.plain).await;
    assert!(at_the_limit(&soon(tree.join()).await.ended));
}
