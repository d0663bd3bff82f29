//! The start that `restart()` and `start_again()` give, awaited: S26.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use supervise::error::StartingError;
use supervise::prelude::*;
use supervise::{AnyRef, ChildRef};

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct All(journal: Journal) {
        #![decider(_ => Stop)]
        db: Probe = Probe::start("db", journal).await?,
        #[backoff(1s..4s, random_factor = 0)]
        #[decider(_ => Restart)]
        retried: Probe = Probe::start("retried", journal).await?,
        job: task = |cx| async move { cx.stopped().await },
        below: struct Below {
            deep: Probe = Probe::start("deep", journal).await?,
        },
        set: [u32 => Probe] = |key: u32| Probe::start(format!("set {key}"), journal).await?,
    }
}

/// S26: each kind of handle gives a start that can be awaited, and that need not be.
#[tokio::test(start_paused = true)]
async fn every_handle_gives_its_start() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    let one = tree.set.spawn(1).await.unwrap();
    let set = tree.set.tree();
    let all: [AnyRef; 5] = [tree.db.any(), tree.job.any(), tree.below.any(), one.any(), set.any()];
    for child in &all {
        let before = child.incarnation();
        soon(child.restart().unwrap()).await.unwrap();
        assert_eq!(child.incarnation(), before + 1, "{}", child.path());
    }
    for child in &all[..3] {
        child.stop();
        soon(child.terminated()).await.unwrap();
        soon(child.start_again().unwrap()).await.unwrap();
        assert!(child.is_alive());
        child.restart().unwrap(); // nothing waits for it
        settle().await;
        child.stop();
        soon(child.terminated()).await.unwrap();
    }
}

/// S26: the child that is up, or coming up, when the request is made is not the new one.
#[tokio::test(start_paused = true)]
async fn the_old_incarnation_does_not_count() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    // The message in hand goes on: the old incarnation is up all the while.
    tree.db.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    let mut starting = tree.db.restart().unwrap();
    tokio::select! {
        biased;
        _ = &mut starting => panic!("the old one is still at work"),
        () = tokio::time::sleep(secs(2)) => {}
    }
    soon(starting).await.unwrap();
    assert_eq!(tree.db.incarnation(), 2);

    // A restart drops a start in progress and starts again: both callers wait for the new start.
    journal.plan("db pre_start", 2, Fault::Slow(secs(5)));
    let first = tree.db.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.db.incarnation(), 3);
    let second = tree.db.restart().unwrap();
    assert_eq!(first, second);
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(tree.db.incarnation(), 4);

    // A `Starting` that is polled late returns the outcome of its own start, whatever came after it.
    let late = tree.db.restart().unwrap();
    settle().await;
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    soon(late).await.unwrap();
}

/// S26: while the start is retried the wait goes on; a start that is not retried ends it, with the end.
#[tokio::test(start_paused = true)]
async fn a_start_that_fails() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    journal.plan("retried start", 2, Fault::Error);
    let begun = tokio::time::Instant::now();
    soon(tree.retried.restart().unwrap()).await.unwrap();
    assert_eq!((tree.retried.incarnation(), begun.elapsed()), (4, secs(3)));

    journal.plan("db start", 1, Fault::Error);
    let error = soon(tree.db.restart().unwrap()).await.unwrap_err();
    assert!(matches!(error.ended(), Some(Ended::Failed(failure)) if failure.error::<Boom>().is_some()), "{error}");
    journal.plan("db start", 1, Fault::Error);
    let error = soon(tree.db.start_again().unwrap()).await.unwrap_err();
    let text = "db has ended instead of coming up: failed while starting: Planned";
    assert_eq!((error.to_string().as_str(), error.path()), (text, "db"));

    // The child is stopped, or its tree ends, before the start is complete.
    journal.plan("db start", 1, Fault::Slow(secs(60)));
    let starting = tree.db.start_again().unwrap();
    settle().await;
    tree.db.stop();
    assert!(matches!(soon(starting).await.unwrap_err().ended(), Some(Ended::Stopped)));
    let starting = tree.db.start_again().unwrap();
    tree.stop();
    assert!(matches!(soon(starting).await, Ok(()) | Err(StartingError::Ended { .. })));
}

/// S26, S25: inside of the child, and below it, the wait is an error at once; the child starts all the same.
#[tokio::test(start_paused = true)]
async fn inside_of_the_child_it_is_an_error() {
    struct Inner {
        journal: Journal,
    }
    #[actor]
    impl Inner {
        async fn handle(&mut self, whom: AnyRef) {
            let error = whom.restart().unwrap().await.unwrap_err();
            assert!(error.ended().is_none());
            self.journal.write(error);
        }
    }
    supervisor! {
        struct Outer(journal: Journal) {
            below: struct Lower {
                inner: Inner = Inner { journal },
            },
            other: Inner = Inner { journal },
        }
    }
    let journal = Journal::default();
    let tree = Outer::start(journal.clone()).await.unwrap();
    for whom in [tree.below.inner.any(), tree.below.any()] {
        tree.below.inner.tell(whom.clone()).await.unwrap();
        settle().await;
        assert_eq!(journal.take(), [format!("{} cannot wait for its own start; ask for it and return", whom.path())]);
        assert!(tree.below.inner.is_alive());
    }
    assert_eq!((tree.below.incarnation(), tree.below.inner.incarnation()), (2, 3));
}

/// S26, S25: a runtime that is dropped ends the wait.
#[test]
fn a_runtime_that_goes_ends_the_wait() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    for stops in [false, true] {
        let theirs = runtime();
        let journal = Journal::default();
        let mut kept = None;
        theirs.block_on(async {
            let tree = All::start(journal.clone()).await.unwrap();
            journal.plan("db start", 1, Fault::Slow(secs(60)));
            if stops {
                tree.db.stop();
                soon(tree.db.terminated()).await.unwrap();
            }
            let starting = if stops { tree.db.start_again() } else { tree.db.restart() }.unwrap();
            tree.detach();
            kept = Some(starting);
        });
        let starting = kept.expect("it was accepted");
        drop(theirs);
        let error = runtime().block_on(soon(starting)).unwrap_err();
        assert!(matches!(error.ended(), Some(Ended::RuntimeGone)), "{error}");
    }
}

/// S26: on several threads, each start that was accepted is over, and every `Ok` saw a higher incarnation.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn starts_on_several_threads() {
    const UPS: u32 = 200;
    let tree = Arc::new(All::start(Journal::default()).await.unwrap());
    let ups = Arc::new(AtomicU32::new(0));
    let walks: Vec<_> = (0..8)
        .map(|_| {
            let (tree, ups) = (tree.clone(), ups.clone());
            tokio::spawn(async move {
                for round in 0.. {
                    if ups.load(Ordering::Relaxed) >= UPS {
                        break;
                    }
                    let before = tree.retried.incarnation();
                    if let Ok(starting) = tree.retried.restart() {
                        match round % 3 {
                            0 => drop(starting),
                            _ => {
                                starting.await.unwrap();
                                assert!(tree.retried.incarnation() > before);
                                ups.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    } else {
                        tokio::task::yield_now().await;
                    }
                }
            })
        })
        .collect();
    for walk in walks {
        soon(walk).await.unwrap();
    }
}
