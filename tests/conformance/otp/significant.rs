//! Trees that end with a child: O151 to O163.

use supervise::prelude::*;

use super::*;
use crate::common::{Fault, ms, pass, secs};

supervisor! {
    struct Plain(stage: Stage) {
        keeper: Unit = Unit::start("keeper", stage.clone()).await?,
        #[lifecycle(Transient)]
        transient: Unit = Unit::start("transient", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage).await?,
    }

    struct AnyOf(stage: Stage) {
        keeper: Unit = Unit::start("keeper", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        transient: Unit = Unit::start("transient", stage.clone()).await?,
        #[lifecycle(Temporary, significant)]
        temporary: Unit = Unit::start("temporary", stage.clone()).await?,
        last: Unit = Unit::start("last", stage).await?,
    }

    struct AllTransient(stage: Stage) {
        #[lifecycle(Transient)]
        one: Unit = Unit::start("one", stage.clone()).await?,
        #[lifecycle(Transient)]
        two: Unit = Unit::start("two", stage).await?,
    }

    struct AllTemporary(stage: Stage) {
        #[lifecycle(Temporary)]
        one: Unit = Unit::start("one", stage.clone()).await?,
        #[lifecycle(Temporary)]
        two: Unit = Unit::start("two", stage).await?,
    }

    struct Outer(stage: Stage) {
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Transient)]
        b: struct Inner {
            #[lifecycle(Transient, significant)]
            c: Unit = Unit::start("c", stage.clone()).await?,
            d: Unit = Unit::start("d", stage).await?,
        },
    }

    struct Group(stage: Stage) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient)]
        plain: Unit = Unit::start("plain", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        one: Unit = Unit::start("one", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        two: Unit = Unit::start("two", stage).await?,
    }

    struct RestGroup(stage: Stage) {
        #![strategy(RestForOne)]
        #[lifecycle(Transient)]
        plain: Unit = Unit::start("plain", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        one: Unit = Unit::start("one", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        two: Unit = Unit::start("two", stage).await?,
    }

    struct Absent(stage: Stage) {
        keeper: Unit = Unit::start("keeper", stage).await?,
        #[lifecycle(Transient, significant)]
        absent: Option<Unit> = None,
    }
}

/// A temporary child that is not significant never ends the tree, however the child ends.
#[tokio::test(start_paused = true)]
async fn o151_the_end_of_a_plain_temporary_child_does_not_end_the_tree() {
    let tree = Plain::start(Stage::default()).await.unwrap();
    for way in 0..4 {
        match way {
            0 => tree.temporary.stop(),
            1 => tree.temporary.kill(),
            2 => fail(&tree.temporary).await,
            _ => finish(&tree.temporary).await,
        }
        end(&tree.temporary).await;
        pass(secs(60)).await;
        assert!(tree.ended().is_none());
        tree.temporary.start_again().unwrap();
        ping(&tree.temporary).await;
    }
}

/// The same for a transient child; after a failure the child comes back, a kill ends it.
#[tokio::test(start_paused = true)]
async fn o152_the_end_of_a_plain_transient_child_does_not_end_the_tree() {
    let tree = Plain::start(Stage::default()).await.unwrap();
    fail(&tree.transient).await;
    assert_eq!(ping(&tree.transient).await, 2);
    for way in 0..3 {
        match way {
            0 => tree.transient.stop(),
            1 => tree.transient.kill(),
            _ => finish(&tree.transient).await,
        }
        end(&tree.transient).await;
        pass(secs(60)).await;
        assert!(tree.ended().is_none());
        tree.transient.start_again().unwrap();
        ping(&tree.transient).await;
    }
}

/// A requested stop of a significant child does not end the tree.
#[tokio::test(start_paused = true)]
async fn o153_a_requested_stop_of_a_significant_child_does_not_end_the_tree() {
    let tree = AnyOf::start(Stage::default()).await.unwrap();
    stop(&tree.temporary).await;
    pass(secs(60)).await;
    assert_eq!((tree.ended().is_none(), ping(&tree.keeper).await), (true, 1));
}

/// There is no setting for "ends with the last of these": a tree ends when all of its members have ended.
#[tokio::test(start_paused = true)]
async fn o155_a_tree_ends_with_the_last_of_its_temporary_members() {
    let tree = AllTemporary::start(Stage::default()).await.unwrap();
    finish(&tree.one).await;
    pass(secs(60)).await;
    assert_eq!((tree.ended().is_none(), ping(&tree.two).await), (true, 1));
    finish(&tree.two).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "done");
}

/// A significant transient child may be stopped and may fail; only its normal end ends the tree.
#[tokio::test(start_paused = true)]
async fn o156_a_tree_ends_when_its_significant_transient_child_has_finished() {
    let tree = AnyOf::start(Stage::default()).await.unwrap();
    stop(&tree.transient).await;
    pass(secs(60)).await;
    assert!(tree.ended().is_none());
    tree.transient.start_again().unwrap();
    let before = ping(&tree.transient).await;
    fail(&tree.transient).await;
    assert_eq!(ping(&tree.transient).await, before + 1);
    finish(&tree.transient).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "done");
}

/// As with temporary children, the last member ends the tree; a restart in between does not.
#[tokio::test(start_paused = true)]
async fn o157_a_tree_ends_with_the_last_of_its_transient_members() {
    let tree = AllTransient::start(Stage::default()).await.unwrap();
    finish(&tree.one).await;
    fail(&tree.two).await;
    assert_eq!(ping(&tree.two).await, 2);
    pass(secs(60)).await;
    assert!(tree.ended().is_none());
    finish(&tree.two).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "done");
}

/// Significant members that go down for a restart of the group do not end the tree.
#[tokio::test(start_paused = true)]
async fn o158_significant_members_may_be_restarted_along() {
    let tree = Group::start(Stage::default()).await.unwrap();
    let rest = RestGroup::start(Stage::default()).await.unwrap();
    for (plain, others) in [(&tree.plain, [&tree.one, &tree.two]), (&rest.plain, [&rest.one, &rest.two])] {
        fail(plain).await;
        pass(secs(60)).await;
        for unit in others {
            assert_eq!(ping(unit).await, 2);
        }
    }
    assert!(tree.ended().is_none() && rest.ended().is_none());
}

/// The subtree ends with its significant child; the tree above, for which the subtree is not significant, continues.
#[tokio::test(start_paused = true)]
async fn o160_the_end_of_a_subtree_goes_no_further() {
    let stage = Stage::default();
    let tree = Outer::start(stage.clone()).await.unwrap();
    stage.take();
    finish(&tree.b.c).await;
    assert_eq!(kind(&soon(tree.b.join()).await.unwrap().ended), "done");
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["c post_stop", "d post_stop"]);
    assert_eq!(ping(&tree.a).await, 1);
}

/// The other children go down in reverse order, and the tree ends as done, which is not a failure.
#[tokio::test(start_paused = true)]
async fn o161_the_rest_goes_down_backwards_and_the_tree_is_done() {
    let stage = Stage::default();
    let tree = AnyOf::start(stage.clone()).await.unwrap();
    stage.take();
    finish(&tree.transient).await;
    let report = soon(tree.join()).await;
    assert_eq!((kind(&report.ended), report.is_orderly()), ("done", true));
    assert_eq!(stage.take(), ["transient post_stop", "last post_stop", "temporary post_stop", "keeper post_stop"]);
}

/// A member that is being retried has not ended; a stopped member has.
#[tokio::test(start_paused = true)]
async fn o162_a_member_that_is_tried_again_has_not_ended() {
    let stage = Stage::default();
    let tree = AllTransient::start(stage.clone()).await.unwrap();
    stage.plan("one start", 3, Fault::Slow(secs(5)));
    fail(&tree.one).await;
    pass(ms(100)).await;
    finish(&tree.two).await;
    pass(secs(1)).await;
    assert_eq!((state(&tree.two), tree.ended().is_none()), ("done", true));
    assert_eq!(ping(&tree.one).await, 2);
    stop(&tree.one).await;
    assert_eq!(kind(&soon(tree.join()).await.ended), "done");
}

/// A significant child that is absent has not ended either.
#[tokio::test(start_paused = true)]
async fn o163_a_significant_child_that_is_not_there_ends_nothing() {
    let tree = Absent::start(Stage::default()).await.unwrap();
    pass(secs(60)).await;
    assert!(tree.absent.is_none());
    assert_eq!((tree.ended().is_none(), ping(&tree.keeper).await), (true, 1));
}
