//! `[Key => T]` and `initial`: S27.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use supervise::error::{KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::task::JoinSet;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        sessions: [u32 => Probe] = |user: u32| Probe::start(format!("s{user}"), journal.clone()).await?,
        carts: [String => Probe] = |name: String, first: u64| {
            let mut probe = Probe::start(name, journal.clone()).await?;
            probe.sum = first;
            probe
        },
    }
}

fn starts(journal: &Journal) -> Vec<String> {
    journal.take().into_iter().filter(|line| line.ends_with(" start")).collect()
}

/// S27: an instance is spawned, found and stopped by its key, which is also the last part of its path.
#[tokio::test(start_paused = true)]
async fn instances_are_found_by_their_keys() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let seven = tree.sessions.spawn(7).await.unwrap();
    let bob = tree.carts.spawn("bob".to_owned(), 5).await.unwrap();
    assert_eq!([seven.path(), bob.path()], ["sessions/7", "carts/bob"]);
    assert_eq!(bob.ask(Do::Get).await.unwrap(), 5);
    assert_eq!(tree.sessions.get(&7), Some(seven.clone()));
    assert_eq!((tree.sessions.get(&8), tree.sessions.keys(), tree.sessions.len()), (None, vec![7], 1));
    seven.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.sessions.get(&7).map(|seven| seven.incarnation()), Some(2), "a restart keeps the key");
    assert!(tree.sessions.stop(&7) && !tree.sessions.stop(&8));
    soon(seven.terminated()).await.unwrap();
    assert_eq!((tree.sessions.get(&7), tree.sessions.is_empty()), (None, true));
    let again = tree.sessions.spawn(7).await.unwrap();
    assert_ne!(again, seven, "a new instance");
}

/// S27: `spawn` with a key that is taken fails, even while that instance is stopping. The error contains the handle
/// once the instance is up.
#[tokio::test(start_paused = true)]
async fn a_taken_key_cannot_be_spawned() {
    let journal = Journal::default();
    journal.plan("s1 pre_start", 1, Fault::Slow(secs(2)));
    journal.plan("s1 post_stop", 1, Fault::Slow(secs(2)));
    let tree = Shop::start(journal.clone()).await.unwrap();
    let first = tokio::spawn(tree.sessions.spawn(1));
    settle().await;
    let error = tree.sessions.spawn(1).await.unwrap_err();
    assert!(matches!(&error, KeyedError::Exists { handle: None, path } if path == "sessions/1"), "{error}");
    pass(secs(2)).await;
    let first = first.await.unwrap().unwrap();
    let error = tree.sessions.spawn(1).await.unwrap_err();
    assert!(matches!(&error, KeyedError::Exists { handle: Some(handle), .. } if *handle == first), "{error}");
    first.stop();
    settle().await;
    let error = tree.sessions.spawn(1).await.unwrap_err();
    assert!(matches!(&error, KeyedError::Exists { handle: Some(handle), .. } if *handle == first), "{error}");
    pass(secs(2)).await;
    tree.sessions.spawn(1).await.unwrap();
}

/// S27: `get_or_spawn` starts one instance, however many callers wait, and waits for the end of an instance that is
/// stopping.
#[tokio::test(start_paused = true)]
async fn get_or_spawn_starts_once() {
    let journal = Journal::default();
    journal.plan("s1 pre_start", 2, Fault::Slow(secs(1)));
    journal.plan("s1 post_stop", 1, Fault::Slow(secs(3)));
    let tree = Shop::start(journal.clone()).await.unwrap();
    let mut callers = JoinSet::new();
    for _ in 0..100 {
        callers.spawn(tree.sessions.get_or_spawn(1));
    }
    let all: Vec<_> = callers.join_all().await.into_iter().map(Result::unwrap).collect();
    assert!(all.iter().all(|one| *one == all[0]));
    assert_eq!(starts(&journal), ["s1 start"]);
    all[0].stop();
    settle().await;
    let begun = tokio::time::Instant::now();
    let next = tree.sessions.get_or_spawn(1).await.unwrap();
    assert_ne!(next, all[0]);
    assert_eq!(begun.elapsed(), secs(4), "3 s until the old one has ended, 1 s for its start");
}

/// S27: many tasks on several threads race for one key: there is never more than one instance at a time, whatever the
/// tasks ask and stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_race_for_a_key_has_one_winner() {
    #[derive(Clone, Default)]
    struct Living(Arc<AtomicU32>);
    struct One(Living);
    impl Drop for One {
        fn drop(&mut self) {
            self.0.0.fetch_sub(1, SeqCst);
        }
    }
    #[actor]
    impl One {
        fn handle(&mut self, reply: Reply<u32>) {
            reply.send(self.0.0.load(SeqCst));
        }
    }
    supervisor! {
        struct Race(living: Living) {
            ones: [u32 => One] = |_key: u32| {
                assert_eq!(living.0.fetch_add(1, SeqCst), 0, "two instances of one key at a time");
                One(living.clone())
            },
        }
    }
    let tree = Race::start(Living::default()).await.unwrap();
    let mut callers = JoinSet::new();
    for i in 0..400 {
        let ones = tree.ones.clone();
        callers.spawn(async move {
            let one = ones.get_or_spawn(1).await.unwrap();
            if i % 10 == 0 {
                ones.stop(&1);
            }
            // No answer comes from an instance that was stopped meanwhile.
            if let Ok(living) = one.ask(|reply| reply).await {
                assert_eq!(living, 1);
            }
        });
    }
    callers.join_all().await;
    assert!(tree.shutdown().await.is_orderly());
}

/// S27: a start belongs to all callers that wait for it, and is taken back when the last of them gives up.
#[tokio::test(start_paused = true)]
async fn the_last_caller_that_gives_up_cancels_the_start() {
    let journal = Journal::default();
    journal.plan("s1 pre_start", 2, Fault::Slow(secs(5)));
    let tree = Shop::start(journal.clone()).await.unwrap();
    let first = tokio::spawn(tree.sessions.get_or_spawn(1));
    let second = tokio::spawn(tree.sessions.get_or_spawn(1));
    pass(secs(1)).await;
    first.abort();
    pass(secs(1)).await;
    assert_eq!(tree.sessions.len(), 1, "the other caller still waits");
    let starts = journal.take().into_iter().filter(|line| line == "s1 start").count();
    assert_eq!(starts, 1, "both calls wait for the same start");
    second.abort();
    pass(secs(1)).await;
    assert_eq!(tree.sessions.len(), 0, "the start was cancelled");
    let third = tokio::spawn(tree.sessions.get_or_spawn(1));
    pass(secs(5)).await;
    assert!(third.await.unwrap().is_ok());
}

/// S27: all callers that wait for a start get its failure, and the key is free again.
#[tokio::test(start_paused = true)]
async fn a_failed_start_is_everybodys() {
    let journal = Journal::default();
    journal.plan("s1 pre_start", 1, Fault::Slow(ms(10)));
    journal.plan("s1 start", 1, Fault::Error);
    let tree = Shop::start(journal.clone()).await.unwrap();
    let (a, b) = tokio::join!(tree.sessions.get_or_spawn(1), tree.sessions.get_or_spawn(1));
    assert!(matches!((a, b), (Err(SpawnError::Start(_)), Err(SpawnError::Start(_)))));
    assert!(tree.sessions.get_or_spawn(1).await.is_ok());
}

supervisor! {
    struct Always(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 5, within = 1h)]
        #[initial(["a", "b"])]
        named: [&'static str => Probe] = |name: &'static str| Probe::start(name, journal.clone()).await?,
        #[initial((0..2).map(|i| (i, format!("n{i}"))))]
        numbered: [Probe] = |i: u64, name: String| {
            let mut probe = Probe::start(name, journal.clone()).await?;
            probe.sum = i;
            probe
        },
        #[initial([(1, "x")])]
        pairs: [u32 => Probe] = |_key: u32, name: &'static str| Probe::start(name, journal.clone()).await?,
        group: Probe = Probe::start("group", journal.clone()).await?,
    }
}

/// S27: `initial` children are up when the tree is up, and start again with their set; children that were spawned in
/// addition are lost.
#[tokio::test(start_paused = true)]
async fn initial_children_come_with_their_set() {
    let journal = Journal::default();
    let mut tree = Always::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let a = tree.named.get(&"a").expect("up with the tree");
    assert_eq!([tree.named.len(), tree.numbered.len(), tree.pairs.len()], [2, 2, 1]);
    assert!(tree.pairs.get(&1).is_some());
    let mut first = starts(&journal);
    first.sort();
    assert_eq!(first, ["a start", "b start", "group start", "n0 start", "n1 start", "x start"]);
    let c = tree.named.spawn("c").await.unwrap();
    tree.group.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(a.ended().is_some() && c.ended().is_some(), "instances end with a restart of their set");
    let mut keys = tree.named.keys();
    keys.sort_unstable();
    assert_eq!(keys, ["a", "b"]);
    assert!(tree.named.get(&"a").is_some_and(|again| again != a));
    assert_eq!([tree.numbered.len(), tree.pairs.len()], [2, 1]);
    assert!(seen(&mut events).contains(&"named/c ended Stopped".to_owned()));
}

/// S21, S27: the children that are declared below a set start once its initial children are up.
#[tokio::test(start_paused = true)]
async fn initial_children_are_awaited() {
    let journal = Journal::default();
    journal.plan("b pre_start", 1, Fault::Slow(secs(2)));
    let start = tokio::spawn(Always::start(journal.clone()));
    pass(secs(1)).await;
    let mut first = starts(&journal);
    first.sort();
    assert_eq!(first, ["a start", "b start"]);
    pass(secs(2)).await;
    assert_eq!(starts(&journal), ["n0 start", "n1 start", "x start", "group start"]);
    assert!(start.await.unwrap().unwrap().named.get(&"b").is_some());
}

/// S27: an initial child that fails to start is reported in an event and ends alone.
#[tokio::test(start_paused = true)]
async fn an_initial_child_that_fails_ends_alone() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Error);
    let mut tree = Always::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    assert_eq!(tree.named.keys(), ["a"]);
    assert!(seen(&mut events).iter().any(|line| line.starts_with("named/b failed")));
    assert!(tree.named.get_or_spawn("b").await.is_ok(), "its key is free");
}

/// S27, S40: a key is the last part of a path, and a line break in a key does not start a new line in a log.
#[tokio::test(start_paused = true)]
async fn a_key_cannot_forge_a_line() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let cart = tree.carts.spawn("bob\nERROR forged".to_owned(), 0).await.unwrap();
    assert_eq!(cart.path(), "carts/bob\\nERROR forged");
    assert!(tree.carts.get("bob\nERROR forged").is_some());
}

/// S37, S27: a key whose `Hash` panics prevents neither the end of the child nor the notice of it, and the report still
/// contains the child.
#[tokio::test(start_paused = true)]
async fn a_key_that_panics_is_not_a_matter_of_others() {
    use std::hash::{Hash, Hasher};
    use std::sync::atomic::AtomicBool;

    #[derive(Clone)]
    struct Key(Arc<AtomicBool>, u32);
    impl PartialEq for Key {
        fn eq(&self, other: &Self) -> bool {
            self.1 == other.1
        }
    }
    impl Eq for Key {}
    impl Hash for Key {
        fn hash<H: Hasher>(&self, state: &mut H) {
            assert!(!self.0.load(SeqCst), "a key that panics");
            self.1.hash(state);
        }
    }
    impl std::fmt::Display for Key {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.1)
        }
    }
    supervisor! {
        struct Odd(journal: Journal) {
            set: [Key => Probe] = |key: Key| Probe::start(key.to_string(), journal.clone()).await?,
        }
    }
    quiet_panics();
    let tree = Odd::start(Journal::default()).await.unwrap();
    let panics = Arc::new(AtomicBool::new(false));
    let one = tree.set.spawn(Key(panics.clone(), 1)).await.unwrap();
    panics.store(true, SeqCst);
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly() && matches!(one.ended(), Some(Ended::Stopped)), "{report}");
    assert!(report.children.iter().any(|child| child.path == "set/1"), "{report}");
}
