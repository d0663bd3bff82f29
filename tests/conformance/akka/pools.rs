//! Pools of equal workers: A181 and A182, and A213 from typed Akka.

use supervise::prelude::*;

use crate::common::{settle, soon};
use crate::stage::*;

supervisor! {
    struct Pool(stage: Stage) {
        workers: [Unit; 3] = |i: usize| Unit::start(format!("w{i}"), stage).await?,
    }

    struct Stopping(stage: Stage) {
        other: Unit = Unit::start("other", stage.clone()).await?,
        pool: struct Workers {
            #![decider(_ => Stop)]
            workers: [Unit; 3] = |i: usize| Unit::start(format!("w{i}"), stage).await?,
        },
    }
}

/// One worker fails, and restarts alone; to restart all workers together, declare a group.
#[tokio::test(start_paused = true)]
async fn a181_a_worker_of_a_pool_is_restarted_alone() {
    let pool = Pool::start(Stage::default()).await.unwrap();
    fail(&pool.workers[1]).await;
    settle().await;
    let [first, second, third] = pool.workers.as_array();
    assert_eq!((ping(first).await, ping(second).await, ping(third).await), (1, 2, 1));
}

/// The pool has its own decider. Workers that have ended are not replaced, and the pool ends with the last one.
#[tokio::test(start_paused = true)]
async fn a182_a_pool_goes_on_with_the_rest_and_ends_with_the_last() {
    let tree = Stopping::start(Stage::default()).await.unwrap();
    for nth in 0..3 {
        assert!(tree.pool.ended().is_none());
        fail(&tree.pool.workers[nth]).await;
        settle().await;
        let alive = tree.pool.workers.iter().filter(|worker| worker.ended().is_none()).count();
        assert_eq!(alive, 2 - nth);
    }
    assert_eq!(kind(&tree.pool.ended().unwrap()), "failed");
    assert_eq!(ping(&tree.other).await, 1);
}

/// The same when the workers finish by themselves or are stopped.
#[tokio::test(start_paused = true)]
async fn a213_a_pool_ends_when_its_workers_have_finished() {
    let tree = Stopping::start(Stage::default()).await.unwrap();
    for worker in &tree.pool.workers[..2] {
        worker.stop();
        soon(worker.terminated()).await.unwrap();
    }
    assert!(tree.pool.ended().is_none());
    assert_eq!(ping(&tree.pool.workers[2]).await, 1);
    tree.pool.workers[2].stop();
    settle().await;
    assert_eq!(kind(&tree.pool.ended().unwrap()), "done");
}
