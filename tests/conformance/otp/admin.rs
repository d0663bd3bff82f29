//! Requests for single children: O025 to O042.

use supervise::error::{CommandError, SpawnError};
use supervise::policy::SupervisorStrategy;
use supervise::prelude::*;

use super::*;
use crate::alloc::taken;
use crate::common::{Boom, Fault, pass, secs, settle};

supervisor! {
    struct Ends(stage: Stage) {
        inner: struct EndsOne {
            permanent: Unit = Unit::start("permanent", stage.clone()).await?,
            #[lifecycle(Transient)]
            transient: Unit = Unit::start("transient", stage.clone()).await?,
            #[lifecycle(Temporary)]
            temporary: Unit = Unit::start("temporary", stage.clone()).await?,
        },
        all: struct EndsAll {
            #![strategy(AllForOne)]
            keeper: Unit = Unit::start("keeper", stage.clone()).await?,
            #[lifecycle(Transient)]
            transient: Unit = Unit::start("transient", stage.clone()).await?,
            #[lifecycle(Temporary)]
            temporary: Unit = Unit::start("temporary", stage.clone()).await?,
        },
        rest: struct EndsRest {
            #![strategy(RestForOne)]
            keeper: Unit = Unit::start("keeper", stage.clone()).await?,
            #[lifecycle(Transient)]
            transient: Unit = Unit::start("transient", stage.clone()).await?,
            #[lifecycle(Temporary)]
            temporary: Unit = Unit::start("temporary", stage).await?,
        },
    }

    struct Branches(stage: Stage) {
        branch: struct Branch {
            a: Unit = Unit::start("a", stage.clone()).await?,
            b: Unit = Unit::start("b", stage).await?,
        },
    }

    struct Hundred(stage: Stage) {
        all: [Unit; 100] = |i: usize| Unit::start(format!("{i}"), stage).await?,
    }

    struct Thousand(stage: Stage) {
        all: [Unit; 1000] = |i: usize| Unit::start(format!("{i}"), stage).await?,
    }
}

/// A child that is stopped on request ends in order, stays known and is not started again.
#[tokio::test(start_paused = true)]
async fn o025_a_child_that_is_stopped_on_request_stays_known() {
    each!(1, secs(5), |tree, stage| {
        stop(&tree.b).await;
        pass(secs(60)).await;
        assert_eq!((state(&tree.b), stage.take()), ("stopped", text(&["b post_stop"])));
        let snapshot = tree.snapshot();
        assert!(snapshot.find("b").is_some_and(|node| !node.is_up()));
        assert_eq!((ping(&tree.a).await, ping(&tree.c).await), (1, 1));
    });
}

/// A stop of a child that has ended does nothing.
#[tokio::test(start_paused = true)]
async fn o026_a_second_stop_does_nothing() {
    each!(1, secs(5), |tree, stage| {
        stop(&tree.b).await;
        stop(&tree.b).await;
        settle().await;
        assert_eq!(stage.take(), ["b post_stop"]);
    });
}

/// A child that was stopped can be started again; a running child cannot.
#[tokio::test(start_paused = true)]
async fn o028_only_ended_children_are_started_again() {
    each!(1, secs(5), |tree, stage| {
        assert!(matches!(tree.b.start_again(), Err(CommandError::NotEnded { .. })));
        stop(&tree.b).await;
        tree.b.start_again().unwrap();
        ping(&tree.b).await;
        assert_eq!(stage.take(), ["b post_stop", "b start", "b pre_start", "b ping"]);
    });
}

/// A request to a tree that has ended returns an error, and does not end the caller.
#[tokio::test(start_paused = true)]
async fn o031_what_is_asked_of_an_ended_tree_is_an_error() {
    each!(1, secs(5), |tree, stage| {
        let unit = tree.a.clone();
        tree.shutdown().await;
        stage.take();
        unit.stop();
        assert!(unit.restart().is_err() && unit.start_again().is_err());
        assert!(unit.ask(Msg::Ping).await.is_err() && unit.tell(Msg::Note("x")).await.is_err());
        settle().await;
        assert_eq!(stage.take(), [""; 0]);
    });
}

/// Up, stopped, up again, stopped again: each step is visible, and nothing has to be deleted.
#[tokio::test(start_paused = true)]
async fn o032_the_life_of_a_child_by_commands() {
    each!(1, secs(5), |tree, stage| {
        stage.take();
        for _ in 0..3 {
            assert!(tree.snapshot().find("c").unwrap().is_up());
            stop(&tree.c).await;
            assert!(!tree.snapshot().find("c").unwrap().is_up());
            assert!(matches!(tree.c.restart(), Err(CommandError::Ended { .. })));
            tree.c.start_again().unwrap();
            settle().await;
        }
        assert_eq!(ping(&tree.a).await, 1);
    });
}

/// A child that cannot be started at run time is an error with its path and the cause, and nothing is left of the
/// child.
#[tokio::test(start_paused = true)]
async fn o033_a_child_that_cannot_start_is_an_error_with_its_path() {
    for strategy in [Strategy::OneForOne, Strategy::AllForOne, Strategy::RestForOne] {
        let stage = Stage::default();
        stage.supervises("boss", SupervisorStrategy::new(strategy));
        let boss = top("boss", &stage).await;
        let other = kid(&boss, "other").await;
        stage.plan("one start", 1, Fault::Error);
        let Err(SpawnError::Start(failure)) = kid_as(&boss, "one", |spawn| spawn).await else {
            panic!("the child is up")
        };
        assert_eq!((failure.path(), failure.error()), ("boss/one", Some(&Boom::Planned)));
        pass(secs(60)).await;
        assert_eq!((ping(&boss).await, ping(&other).await), (1, 1));
        kid(&boss, "one").await;
    }
}

/// The name of a living child is refused, and that child is left alone.
#[tokio::test(start_paused = true)]
async fn o035_a_name_that_is_taken_is_refused() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "one").await;
    stage.take();
    let refused = kid_as(&boss, "one", |spawn| spawn).await;
    assert!(matches!(refused, Err(SpawnError::Exists { .. })), "{refused:?}");
    assert_eq!((stage.take(), ping(&one).await), (vec![], 1));
    stop(&one).await;
    kid(&boss, "one").await;
}

/// One child is looked up by its path.
#[tokio::test(start_paused = true)]
async fn o036_one_child_is_looked_up_by_its_path() {
    let tree = One::start(Stage::default(), 1, secs(5)).await.unwrap();
    let snapshot = tree.snapshot();
    assert_eq!(snapshot.find("b").map(|node| (node.path.as_str(), node.incarnation)), Some(("b", 1)));
    assert!(snapshot.find("nobody").is_none());
}

/// Children are listed in the order of the declaration, in whatever order they were started.
#[tokio::test(start_paused = true)]
async fn o037_children_are_listed_as_they_are_declared() {
    each!(5, secs(5), |tree, stage| {
        stage.take();
        stop(&tree.b).await;
        fail(&tree.a).await;
        pass(secs(1)).await;
        tree.b.start_again().unwrap();
        settle().await;
        let snapshot = tree.snapshot();
        let names = snapshot.root.children.iter().map(|node| node.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["a", "b", "c"]);
    });
}

/// The ends after which a child can be started on request, by lifecycle and strategy.
#[tokio::test(start_paused = true)]
async fn o038_which_children_can_be_started_after_which_end() {
    let tree = Ends::start(Stage::default()).await.unwrap();
    let [one, all, rest] = [
        (&tree.inner.transient, &tree.inner.temporary),
        (&tree.all.transient, &tree.all.temporary),
        (&tree.rest.transient, &tree.rest.temporary),
    ];
    for (transient, temporary) in [one, all, rest] {
        for (unit, comes_back) in [(transient, true), (temporary, false)] {
            let before = ping(unit).await;
            fail(unit).await;
            pass(secs(1)).await;
            assert_eq!(unit.start_again().is_ok(), !comes_back, "{}", unit.path());
            assert_eq!(ping(unit).await, before + 1);
            for on_request in [true, false] {
                if on_request {
                    unit.stop()
                } else {
                    finish(unit).await
                }
                end(unit).await;
                unit.start_again().unwrap();
                ping(unit).await;
            }
            if temporary.ended().is_some() {
                temporary.start_again().unwrap();
            }
        }
        assert!(tree.ended().is_none());
    }
    finish(&tree.inner.permanent).await;
    assert_eq!(ping(&tree.inner.permanent).await, 2);
    assert!(matches!(tree.inner.permanent.start_again(), Err(CommandError::NotEnded { .. })));
}

/// Ten times as many children are ten times the work, both for start and stop. The work is measured in allocations: no
/// operation copies a list of all children for each of them.
#[tokio::test(start_paused = true)]
async fn o040_ten_times_as_many_are_ten_times_the_work() {
    let before = taken();
    assert!(Hundred::start(Stage::default()).await.unwrap().shutdown().await.is_orderly());
    let few = taken() - before;
    assert!(Thousand::start(Stage::default()).await.unwrap().shutdown().await.is_orderly());
    let many = taken() - before - few;
    assert!(few > 100 * 100 && many < few * 12, "{few} bytes, {many} bytes");
}

/// A child spawned at run time is the last of its group, and goes down and up together with the group.
#[tokio::test(start_paused = true)]
async fn o041_a_child_that_comes_later_is_the_last_of_its_group() {
    for strategy in [Strategy::AllForOne, Strategy::RestForOne] {
        let stage = Stage::default();
        stage.supervises("boss", SupervisorStrategy::new(strategy));
        let boss = top("boss", &stage).await;
        let a = kid(&boss, "a").await;
        kid(&boss, "b").await;
        pass(secs(60)).await;
        let late = kid(&boss, "late").await;
        stage.take();
        fail(&a).await;
        pass(secs(1)).await;
        let down = ["late post_stop", "b post_stop", "a post_stop"];
        assert_eq!(steps(&stage), [down, ["a start", "b start", "late start"]].concat());
        assert_eq!(ping(&late).await, 2);
    }
}

/// A child that was stopped on request stays stopped when the supervisor is restarted.
#[tokio::test(start_paused = true)]
async fn o042_a_requested_stop_outlives_the_supervisor() {
    let tree = Branches::start(Stage::default()).await.unwrap();
    stop(&tree.branch.b).await;
    tree.branch.restart().unwrap();
    assert_eq!(ping(&tree.branch.a).await, 2);
    pass(secs(60)).await;
    assert_eq!(state(&tree.branch.b), "stopped");
}
