//! A significant set, with whose last instance the tree ends: S22.

use supervise::error::{KeyedError, SpawnError};
use supervise::inspect::{Node, Snapshot};
use supervise::prelude::*;
use tokio::time::sleep;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, seen, settle, soon};

supervisor! {
    struct Workers(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Transient, significant)]
        #[decider(Boom::Told => Restart, _ => Stop)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Rooms(journal: Journal) {
        #[lifecycle(Transient, significant)]
        #[max_starting(1)]
        rooms: [u32 => Probe] = |n: u32| Probe::start(format!("r{n}"), journal).await?,
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Jobs {
        #[lifecycle(Temporary, significant)]
        #[initial([1, 2])]
        jobs: [task] = |n: u64| async move { sleep(secs(n)).await },
        other: task = |cx| cx.stopped(),
    }

    struct Starters(journal: Journal) {
        #[lifecycle(Temporary, significant)]
        #[initial(1..=3)]
        at_once: [task] = |n: u32| {
            journal.write(format_args!("at once {n}"));
            async {}
        },
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Queue(journal: Journal) {
        #[lifecycle(Transient, significant)]
        #[initial(1..=3)]
        #[max_starting(1)]
        in_turn: [u32 => task] = |n: u32| {
            journal.write(format_args!("in turn {n}"));
            sleep(secs(1)).await;
            async {}
        },
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Both(journal: Journal) {
        #[lifecycle(Permanent)]
        starters: Starters = Starters::tree(journal),
        #[lifecycle(Permanent)]
        queue: Queue = Queue::tree(journal),
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Outer(journal: Journal) {
        #[lifecycle(Permanent)]
        workers: Workers = Workers::tree(journal),
        other: Probe = Probe::start("other", journal).await?,
    }
}

async fn workers() -> (Running<Workers>, Journal) {
    let journal = Journal::default();
    let tree = Workers::start(journal.clone()).await.unwrap();
    journal.take();
    (tree, journal)
}

/// Whether the tree is up after some time.
async fn lives_on(snapshot: impl Fn() -> Snapshot) -> bool {
    pass(secs(60)).await;
    snapshot().nodes().next().is_some_and(Node::is_up)
}

/// S22: the tree ends with the last instance of the set, and not before; the others go down in reverse order. An empty
/// set, which has had none, does not end it.
#[tokio::test(start_paused = true)]
async fn the_tree_ends_with_the_last_instance() {
    let (tree, journal) = workers().await;
    assert!(lives_on(|| tree.snapshot()).await, "no instance was ever up");
    let (one, two) = (tree.guests.spawn(1).await.unwrap(), tree.guests.spawn(2).await.unwrap());
    two.tell(Do::Stop).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "one lives");
    journal.take();
    one.tell(Do::Stop).await.unwrap();
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert_eq!(
        journal.take(),
        ["g1 post_stop", "g1 drop", "last post_stop", "last drop", "first post_stop", "first drop"]
    );
}

/// S22: instances of `initial` that are started once, in a set of tasks.
#[tokio::test(start_paused = true)]
async fn a_tree_of_jobs_ends_with_the_last_job() {
    let begin = tokio::time::Instant::now();
    let report = soon(Jobs::run(std::future::pending::<()>())).await.unwrap();
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert_eq!(begin.elapsed(), secs(2));
}

/// S22, S27: the set has all instances of `initial` before the first of them begins, so it does not end with the first
/// one, however soon that is done, and whatever the others wait for; also after a restart of the tree.
#[tokio::test(start_paused = true)]
async fn a_set_does_not_end_before_all_of_initial_have_begun() {
    let journal = Journal::default();
    let both = Both::start(journal.clone()).await.unwrap();
    let all = |journal: &Journal| {
        let lines: Vec<_> = journal.take().into_iter().filter(|line| line.starts_with(['a', 'i'])).collect();
        lines.join(", ")
    };
    let (starters, queue) = (both.starters.clone(), both.queue.clone());
    assert!(matches!(soon(starters.terminated()).await.unwrap(), Ended::Done));
    assert!(matches!(soon(queue.terminated()).await.unwrap(), Ended::Done));
    let each = "at once 1, at once 2, at once 3, in turn 1, in turn 2, in turn 3";
    assert_eq!(all(&journal), each);

    soon(starters.start_again().unwrap()).await.unwrap();
    assert!(matches!(soon(starters.terminated()).await.unwrap(), Ended::Done));
    soon(queue.start_again().unwrap()).await.unwrap();
    queue.restart().unwrap();
    assert!(matches!(soon(queue.terminated()).await.unwrap(), Ended::Done));
    assert_eq!(all(&journal), [each, each.split_once("3, ").unwrap().1].join(", "));
}

/// S22: an instance that fails for good counts, whether it is the last; the tree fails with the first failure.
#[tokio::test(start_paused = true)]
async fn the_tree_fails_with_the_first_failure_of_the_set() {
    let (tree, _) = workers().await;
    let (one, two) = (tree.guests.spawn(1).await.unwrap(), tree.guests.spawn(2).await.unwrap());
    one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "one lives");
    two.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "it was restarted");
    two.tell(Do::Stop).await.unwrap();
    let report = soon(tree.join()).await;
    let Ended::Failed(failure) = report.ended else { panic!("{report}") };
    assert_eq!((failure.path(), failure.error()), ("guests/#1", Some(&Boom::Fatal)));

    let (tree, _) = workers().await;
    let one = tree.guests.spawn(1).await.unwrap();
    one.kill();
    let report = soon(tree.join()).await;
    assert!(matches!(&report.ended, Ended::Failed(failure) if matches!(failure.cause(), Cause::Killed)), "{report}");
}

/// S22: a stop by hand, of the last instance or of all, does not end the tree, and the set stays usable.
#[tokio::test(start_paused = true)]
async fn a_stop_by_hand_does_not_end_the_tree() {
    let (tree, _) = workers().await;
    let (one, two) = (tree.guests.spawn(1).await.unwrap(), tree.guests.spawn(2).await.unwrap());
    one.tell(Do::Stop).await.unwrap();
    soon(one.terminated()).await.unwrap();
    two.stop();
    assert!(lives_on(|| tree.snapshot()).await, "the last one was stopped");
    tree.guests.spawn(3).await.unwrap();
    tree.guests.spawn(4).await.unwrap();
    tree.guests.stop_all();
    assert!(lives_on(|| tree.snapshot()).await, "all were stopped");
    let five = tree.guests.spawn(5).await.unwrap();
    five.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
}

/// S22: a spawn that never comes up is not counted, and its failure is not that of the tree. It keeps the set from being
/// empty as long as it starts.
#[tokio::test(start_paused = true)]
async fn a_spawn_that_never_comes_up_is_not_counted() {
    let (tree, journal) = workers().await;
    journal.plan("g1 start", 1, Fault::Error);
    assert!(matches!(tree.guests.spawn(1).await, Err(SpawnError::Start(_))));
    assert!(lives_on(|| tree.snapshot()).await, "no instance was ever up");
    let two = tree.guests.spawn(2).await.unwrap();
    journal.plan("g3 start", 1, Fault::Slow(secs(100)));
    journal.plan("g3 pre_start", 1, Fault::Error);
    let three = tokio::spawn(tree.guests.spawn(3));
    settle().await;
    two.tell(Do::Stop).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "one starts");
    assert!(matches!(soon(three).await.unwrap(), Err(SpawnError::Start(_))));
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
}

/// S22: an end by a restart of the set, or of what is above it, is not counted.
#[tokio::test(start_paused = true)]
async fn an_end_by_a_restart_is_not_counted() {
    let (tree, journal) = workers().await;
    let one = tree.guests.spawn(1).await.unwrap();
    tree.guests.spawn(2).await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    soon(one.terminated()).await.unwrap();
    tree.guests.tree().restart().unwrap();
    assert!(lives_on(|| tree.snapshot()).await);
    assert!(tree.guests.is_empty());
    // The same if the restart ends one that never was up.
    let three = tree.guests.spawn(3).await.unwrap();
    journal.plan("g4 start", 1, Fault::Slow(secs(100)));
    let four = tokio::spawn(tree.guests.spawn(4));
    settle().await;
    three.tell(Do::Stop).await.unwrap();
    soon(three.terminated()).await.unwrap();
    tree.guests.tree().restart().unwrap();
    soon(four).await.unwrap().unwrap_err();
    assert!(lives_on(|| tree.snapshot()).await);

    let outer = Outer::start(Journal::default()).await.unwrap();
    let one = outer.workers.guests.spawn(1).await.unwrap();
    outer.workers.restart().unwrap();
    soon(one.terminated()).await.unwrap();
    assert!(lives_on(|| outer.snapshot()).await);
    let two = outer.workers.guests.spawn(2).await.unwrap();
    let mut events = outer.events();
    two.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(seen(&mut events).contains(&"workers ended Done".to_owned()), "a subtree ends in the same way");
}

/// S22, S27: an instance that waits for its start lives; one that replaces another takes its place, and if it cannot
/// start, the last end was a stop.
#[tokio::test(start_paused = true)]
async fn keys_that_wait_or_are_replaced_live() {
    let journal = Journal::default();
    let tree = Rooms::start(journal.clone()).await.unwrap();
    let one = tree.rooms.spawn(1).await.unwrap();
    journal.plan("r2 start", 1, Fault::Slow(secs(100)));
    let two = tokio::spawn(tree.rooms.spawn(2));
    settle().await;
    let three = tokio::spawn(tree.rooms.spawn(3));
    settle().await;
    one.tell(Do::Stop).await.unwrap();
    soon(one.terminated()).await.unwrap();
    tree.rooms.stop(&2);
    soon(two).await.unwrap().unwrap_err();
    assert!(lives_on(|| tree.snapshot()).await, "the third was waiting, and is up");
    soon(three).await.unwrap().unwrap();

    journal.plan("r3 start", 1, Fault::Slow(secs(5)));
    let new = soon(tree.rooms.replace(3)).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "replaced");
    journal.plan("r3 start", 1, Fault::Error);
    let refused = soon(tree.rooms.replace(3)).await.unwrap_err();
    assert!(matches!(refused, KeyedError::NotReplaced { .. }), "{refused:?}");
    soon(new.terminated()).await.unwrap();
    assert!(lives_on(|| tree.snapshot()).await, "stopped, and not replaced");
}
